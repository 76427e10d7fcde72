// SPDX-License-Identifier: Apache-2.0
#include "host/recording_format.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr std::string_view kMarker = "gpuadapt-recording";
constexpr std::string_view kAnswers = "answers.tsv";
constexpr std::string_view kFiles = "files/";
constexpr std::string_view kCommands = "commands/";
constexpr int kFormat = 1;

template <typename Status>
struct StatusName {
    Status status;
    std::string_view name;
};

constexpr std::array<StatusName<AnswerStatus>, 5> kAnswerNames = {{
    {AnswerStatus::ok, ""},
    {AnswerStatus::absent, "-absent"},
    {AnswerStatus::denied, "-denied"},
    {AnswerStatus::failed, "-failed"},
    {AnswerStatus::timed_out, "-timed_out"},
}};

constexpr std::array<StatusName<CommandStatus>, 6> kCommandNames = {{
    {CommandStatus::exited, "exited"},
    {CommandStatus::signalled, "signalled"},
    {CommandStatus::not_found, "not_found"},
    {CommandStatus::not_run, "not_run"},
    {CommandStatus::timed_out, "timed_out"},
    {CommandStatus::overflowed, "overflowed"},
}};

template <typename Status, std::size_t N>
std::string_view name_of(const std::array<StatusName<Status>, N>& names, Status status) {
    for (const auto& entry : names)
        if (entry.status == status)
            return entry.name;
    return "";
}

template <typename Status, std::size_t N>
std::optional<Status> status_of(const std::array<StatusName<Status>, N>& names, std::string_view name) {
    for (const auto& entry : names)
        if (entry.name == name)
            return entry.status;
    return std::nullopt;
}

std::string escape(std::string_view text, bool ascii_only = false) {
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f || c == '%' || (ascii_only && byte >= 0x80))
            result += fmt::format("%{:02X}", byte);
        else
            result += c;
    }
    return result;
}

std::optional<int> hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return std::nullopt;
}

std::optional<std::string> unescape(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        const auto high = i + 1 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
        if (!high || !low)
            return std::nullopt;
        result += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

// ---- writing ----

class AnswerLines {
  public:
    void add(std::string_view kind, std::initializer_list<std::string_view> fields) {
        text_ += kind;
        for (const std::string_view field : fields) {
            text_ += '\t';
            text_ += escape(field);
        }
        text_ += '\n';
    }
    /// An answer without contents.
    void add_status(std::string_view kind, AnswerStatus status, const std::string& path, const std::string& reason) {
        add(std::string(kind) + std::string(name_of(kAnswerNames, status)), {path, reason});
    }
    void add_raw(std::string_view line) { text_ += line; }
    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

void write_commands(const Answers& answers, AnswerLines& lines, Members& members) {
    int number = 0;
    for (const auto& [argv, result] : answers.commands) {
        ++number;
        std::string line = fmt::format("run\t{}\t{}\t{}\t{}", number, name_of(kCommandNames, result.status),
                                       result.code, escape(result.reason));
        for (const std::string& argument : argv)
            line += "\t" + escape(argument);
        lines.add_raw(line + "\n");
        if (!result.output.empty())
            members[fmt::format("{}{}/out", kCommands, number)] = result.output;
        if (!result.errors.empty())
            members[fmt::format("{}{}/err", kCommands, number)] = result.errors;
    }
}

// ---- reading ----

class MemberReader {
  public:
    MemberReader(Members members, const std::string& file) : members_(std::move(members)), file_(file) {}

    Answers read() {
        read_marker();
        if (const auto found = members_.find(std::string(kAnswers)); found != members_.end()) {
            read_answers(found->second);
            members_.erase(found);
        }
        for (auto& [name, bytes] : members_)
            read_file(name, std::move(bytes));
        return std::move(answers_);
    }

  private:
    [[noreturn]] void fail(std::string_view member, const Message& what) const {
        throw input_error(Message(fmt::format("{}: {}: {}", file_, clean_utf8(member), what.en),
                                  fmt::format("{}：{}：{}", file_, clean_utf8(member), what.zh)));
    }

    [[noreturn]] void fail_line(const Text& what) const {
        fail(kAnswers, Message(fmt::format("line {}: {}", line_number_, what.en),
                               fmt::format("第 {} 行：{}", line_number_, what.zh)));
    }

    void read_marker() {
        const auto found = members_.find(std::string(kMarker));
        if (found == members_.end())
            throw input_error(
                Message(fmt::format("{}: no recording of gpuadapt: it has no member '{}'", file_, kMarker),
                        fmt::format("{}：不是 gpuadapt 的记录文件：缺少成员 '{}'", file_, kMarker)));
        const auto lines = split(found->second, '\n');
        const auto format = lines[0].starts_with(std::string(kMarker) + " ")
                                ? parse_integer(lines[0].substr(kMarker.size() + 1))
                                : std::nullopt;
        if (!format || *format < 1)
            fail(kMarker, Message("damaged", "已损坏"));
        if (*format > kFormat)
            fail(kMarker,
                 Message(fmt::format("format {} is newer than this program reads ({}); use a newer gpuadapt", *format,
                                     kFormat),
                         fmt::format("格式 {} 比本程序支持的 ({}) 新；请使用更新的 gpuadapt", *format, kFormat)));
        answers_.only_asked = lines.size() < 2 || lines[1] != "complete";
        members_.erase(found);
    }

    std::string checked_path(std::string_view text) const {
        auto path = unescape(text);
        if (!path || !is_root_path(*path))
            fail_line({"not an absolute path", "不是绝对路径"});
        return std::move(*path);
    }

    std::string checked_text(std::string_view text) const {
        auto result = unescape(text);
        if (!result)
            fail_line({"damaged text", "文本已损坏"});
        return std::move(*result);
    }

    /// What a folder lists: one component of a path.
    std::string checked_name(std::string_view text) const {
        std::string name = checked_text(text);
        if (name.empty() || name.find('/') != std::string::npos || !is_root_path("/" + name))
            fail_line({"not the name of a file", "不是文件名"});
        return name;
    }

    void read_answers(const std::string& text) {
        std::string_view rest = text;
        while (!rest.empty()) {
            ++line_number_;
            const std::size_t end = rest.find('\n');
            const std::string_view line = rest.substr(0, end);
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            if (!line.empty() && !line.starts_with('#'))
                read_line(split(line, '\t'));
        }
    }

    void read_line(const std::vector<std::string_view>& fields) {
        const std::string_view kind = fields[0].substr(0, fields[0].find('-'));
        if (fields.size() < 2)
            fail_line({"too few fields", "字段不足"});
        if (kind == "run") {
            read_run(fields);
        } else if (kind == "env" && fields.size() == 3) {
            answers_.environment[checked_text(fields[1])] = checked_text(fields[2]);
        } else if (fields[0] == "lookup-absent") {
            answers_.lookups[checked_text(fields[1])] = std::nullopt;
        } else if (kind == "lookup" && fields.size() == 3) {
            answers_.lookups[checked_text(fields[1])] = checked_text(fields[2]);
        } else {
            read_path_answer(kind, fields);
        }
    }

    void read_path_answer(std::string_view kind, const std::vector<std::string_view>& fields) {
        const auto status = status_of(kAnswerNames, fields[0].substr(kind.size()));
        if (!status)
            fail_line({"unknown kind of answer", "未知的条目类型"});
        const std::string path = checked_path(fields[1]);
        const std::string third = fields.size() > 2 ? checked_text(fields[2]) : "";
        const bool ok = *status == AnswerStatus::ok;
        if (kind == "exists") {
            answers_.existence[path] = *status;
        } else if (kind == "link") {
            answers_.links[path] = ok ? TextAnswer{*status, third, ""} : TextAnswer{*status, "", third};
        } else if (kind == "file" && !ok) {
            answers_.files[path] = {*status, "", third};
        } else if (kind == "list") {
            ListAnswer list{*status, {}, ok ? "" : third};
            if (ok && fields.size() > 2 && !fields[2].empty())
                for (const std::string_view name : split(fields[2], '/'))
                    list.names.push_back(checked_name(name));
            answers_.lists[path] = std::move(list);
        } else {
            fail_line({"unknown kind of answer", "未知的条目类型"});
        }
    }

    void read_run(const std::vector<std::string_view>& fields) {
        if (fields.size() < 6)
            fail_line({"too few fields", "字段不足"});
        const auto status = status_of(kCommandNames, fields[2]);
        const auto code = parse_integer(fields[3]);
        if (!parse_integer(fields[1]) || !status || !code || *code < 0 || *code > 255)
            fail_line({"damaged result of a command", "命令结果已损坏"});
        CommandResult result;
        result.status = *status;
        result.code = static_cast<int>(*code);
        result.reason = checked_text(fields[4]);
        result.output = take_member(fmt::format("{}{}/out", kCommands, fields[1]));
        result.errors = take_member(fmt::format("{}{}/err", kCommands, fields[1]));
        std::vector<std::string> argv;
        for (std::size_t i = 5; i < fields.size(); ++i)
            argv.push_back(checked_text(fields[i]));
        answers_.commands[std::move(argv)] = std::move(result);
    }

    std::string take_member(const std::string& name) {
        const auto found = members_.find(name);
        if (found == members_.end())
            return "";
        std::string bytes = std::move(found->second);
        members_.erase(found);
        return bytes;
    }

    void read_file(const std::string& name, std::string bytes) {
        if (!name.starts_with(kFiles))
            fail(name, Message("does not belong into a recording", "不属于记录文件"));
        const auto path = unescape(std::string_view(name).substr(kFiles.size() - 1));
        if (!path || !is_root_path(*path))
            fail(name, Message("not a path", "不是路径"));
        answers_.files[*path] = {AnswerStatus::ok, std::move(bytes), ""};
    }

    Members members_;
    std::string file_;
    Answers answers_;
    std::size_t line_number_ = 0;
};

}  // namespace

Members write_members(const Answers& answers) {
    Members members;
    AnswerLines lines;
    members[std::string(kMarker)] = fmt::format("{} {}\n{}", kMarker, kFormat, answers.only_asked ? "" : "complete\n");
    for (const auto& [path, answer] : answers.files) {
        if (answer.status == AnswerStatus::ok)
            members[std::string(kFiles) + escape(std::string_view(path).substr(1), true)] = answer.text;
        else
            lines.add_status("file", answer.status, path, answer.reason);
    }
    for (const auto& [path, answer] : answers.links) {
        if (answer.status == AnswerStatus::ok)
            lines.add("link", {path, answer.text});
        else
            lines.add_status("link", answer.status, path, answer.reason);
    }
    for (const auto& [path, answer] : answers.lists) {
        if (answer.status == AnswerStatus::ok)
            lines.add("list", {path, fmt::format("{}", fmt::join(answer.names, "/"))});
        else
            lines.add_status("list", answer.status, path, answer.reason);
    }
    for (const auto& [path, status] : answers.existence)
        lines.add_status("exists", status, path, "");
    for (const auto& [name, value] : answers.environment)
        lines.add("env", {name, value});
    for (const auto& [key, value] : answers.lookups) {
        if (value)
            lines.add("lookup", {key, *value});
        else
            lines.add("lookup-absent", {key});
    }
    write_commands(answers, lines, members);
    members[std::string(kAnswers)] = lines.take();
    return members;
}

Answers read_members(Members members, const std::string& file) {
    return MemberReader(std::move(members), file).read();
}

}  // namespace gpuadapt

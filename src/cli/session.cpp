// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gpuadapt::cli {
namespace {

/// The locale's name for a category, by the rules of POSIX (an empty value counts as unset).
std::string locale_name(const char* category) {
    for (const char* name : {"LC_ALL", category, "LANG"})
        if (const auto value = environment_variable(name); value && !value->empty())
            return *value;
    return "C";
}

bool names_utf8(std::string locale) {
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

std::size_t terminal_width() {
    if (const auto columns = environment_variable("COLUMNS"))
        if (const auto value = parse_integer(*columns); value && *value >= 40)
            return static_cast<std::size_t>(std::min<std::int64_t>(*value, 200));
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return std::min<std::size_t>(size.ws_col, 200);
    return 80;
}

std::tm utc_time() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    return utc;
}

/// All bytes, or errno.
int write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(descriptor, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return errno;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

report::TextStyle style_of_stderr(const Session& session) {
    report::TextStyle style = session.style;
    style.color = style.color && isatty(STDERR_FILENO) == 1;
    return style;
}

/// `text` without its last line end, which say() adds.
void say_lines(std::string_view text) {
    while (text.ends_with('\n'))
        text.remove_suffix(1);
    if (!text.empty())
        say(text);
}

}  // namespace

std::optional<std::string> environment_variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr)
        return std::nullopt;
    return std::string(value);
}

Lang choose_language(const std::vector<std::string>& arguments, bool& given) {
    std::string value;
    given = false;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        if (arguments[i] == "--lang" && i + 1 < arguments.size())
            value = arguments[i + 1];
        else if (arguments[i].rfind("--lang=", 0) == 0)
            value = arguments[i].substr(7);
    }
    if (value == "zh" || value == "en") {
        given = true;
        return value == "zh" ? Lang::zh : Lang::en;
    }
    return locale_name("LC_MESSAGES").rfind("zh", 0) == 0 ? Lang::zh : Lang::en;
}

report::TextStyle choose_style(Lang lang) {
    report::TextStyle style;
    style.lang = lang;
    style.width = terminal_width();
    style.unicode = names_utf8(locale_name("LC_CTYPE"));
    const auto no_color = environment_variable("NO_COLOR");
    const auto terminal = environment_variable("TERM");
    style.color =
        isatty(STDOUT_FILENO) == 1 && !(no_color && !no_color->empty()) && terminal.value_or("dumb") != "dumb";
    return style;
}

void print(std::string_view text) {
    const int error = write_all(STDOUT_FILENO, text);
    if (error == EPIPE)
        _exit(kExitOk);
    if (error != 0)
        throw tool_error(Message{fmt::format("stdout: {}: the output is incomplete", std::strerror(error)),
                                 fmt::format("stdout：{}：输出不完整", std::strerror(error))});
}

int try_print(std::string_view text) {
    return write_all(STDOUT_FILENO, text);
}

std::string clean_lines(std::string_view text) {
    std::string clean;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        clean += clean_utf8(text.substr(begin, end - begin));
        if (end < text.size())
            clean += '\n';
        begin = end + 1;
    }
    return clean;
}

void say(std::string_view text) {
    static_cast<void>(write_all(STDERR_FILENO, fmt::format("{}\n", text)));
}

void say(const Session& session, const Message& message) {
    say(clean_lines(message.get(session.lang)));
}

std::string utc_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc_time());
}

std::string dated_name(std::string_view beginning, std::string_view ending) {
    return fmt::format("{}-{:%Y%m%d-%H%M%S}{}", beginning, utc_time(), ending);
}

void say_findings(const Session& session, const std::vector<Finding>& findings) {
    say_lines(report::findings_list(findings, style_of_stderr(session)));
}

void say_judgement(const Session& session, const Record& record) {
    const report::TextStyle style = style_of_stderr(session);
    std::vector<Finding> shown = record.findings;
    std::erase_if(shown,
                  [](const Finding& finding) { return finding.severity == Severity::unknown && !finding.blocking; });
    std::string text = report::findings_list(shown, style);
    text += report::coverage_line(record.coverage, record.findings, style);
    say_lines(text);
}

int report_error(const Session& session, const Error& error) {
    say(session, {"gpuadapt: " + error.message().en, "gpuadapt: " + error.message().zh});
    return error.kind() == ErrorKind::input ? kExitUsage : kExitTool;
}

}  // namespace gpuadapt::cli

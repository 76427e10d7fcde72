// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace gpuadapt::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kOptionColumn = 26;

constexpr Text kAbout = {"gpuadapt takes a new GPU server from the crate to a signed-off workbook.",
                         "gpuadapt：新 GPU 服务器适配，从开箱到签字的五页表格。"};

/// Length of the UTF-8 sequence at `i`; a damaged byte counts alone.
std::size_t sequence_length(std::string_view text, std::size_t i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return std::min(length, text.size() - i);
}

/// Pieces between which a line may break: words, and each wide character by itself.
std::vector<std::string> pieces_of(std::string_view text) {
    std::vector<std::string> pieces;
    std::string word;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text, i);
        const std::string_view character = text.substr(i, length);
        i += length;
        const bool wide = display_width(character) > 1;
        word += character;
        if (character == " " || wide) {
            pieces.push_back(word);
            word.clear();
        }
    }
    if (!word.empty())
        pieces.push_back(word);
    return pieces;
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t first_column) {
    std::string out;
    std::size_t column = first_column;
    for (const std::string& piece : pieces_of(text)) {
        if (column + display_width(trim(piece)) > kWidth && column > indent) {
            while (!out.empty() && out.back() == ' ')
                out.pop_back();
            out += "\n" + std::string(indent, ' ');
            column = indent;
        }
        out += piece;
        column += display_width(piece);
    }
    return out;
}

std::string names_of(const CLI::Option& option) {
    std::string names;
    for (const std::string& name : option.get_snames())
        names += fmt::format("{}-{}", names.empty() ? "" : ", ", name);
    for (const std::string& name : option.get_lnames())
        names += fmt::format("{}--{}", names.empty() ? "" : ", ", name);
    const std::string type = option.get_type_name();
    if (option.get_items_expected_max() > 0 && !type.empty())
        names += " " + type.substr(0, type.find(':'));  // CLI11 adds a validator's choices; the text names them
    return names;
}

std::string option_lines(const CLI::App& app) {
    std::string out;
    for (const CLI::Option* option : app.get_options()) {
        if (!option->nonpositional() || option->get_group().empty())
            continue;
        std::string head = "  " + names_of(*option);
        std::size_t column = display_width(head);
        if (column + 1 < kOptionColumn) {
            head = pad(head, kOptionColumn);
            column = kOptionColumn;
        } else {
            head += "\n" + std::string(kOptionColumn, ' ');
            column = kOptionColumn;
        }
        out += head + wrap(option->get_description(), kOptionColumn, column) + "\n";
    }
    return out;
}

std::string indent_lines(std::string_view text, std::string_view indent) {
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += fmt::format("{}{}\n", indent, text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

constexpr Text kStatusLines[] = {
    {"0  ok (also with notes, warnings, and unknowns that block nothing)", "0  正常（可含提示、警告、不阻塞的未知项）"},
    {"1  at least one failure; with --strict also a warning", "1  至少一项失败；--strict 时警告也算"},
    {"2  wrong usage or input", "2  用法或输入错误"},
    {"3  a blocking check could not be evaluated", "3  关键检查项无法判断"},
    {"4  the program failed, ran out of time or was interrupted", "4  程序失败、超时或被中断"},
};

std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
            out += fmt::format("\\&{}", c);
        else
            out += c;
    }
    return out;
}

std::string roff_options(const CLI::App& app) {
    std::string out;
    for (const CLI::Option* option : app.get_options())
        if (option->nonpositional() && !option->get_group().empty())
            out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(names_of(*option)), roff(option->get_description()));
    return out;
}

}  // namespace

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty())
            continue;
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
        for (const std::string& name : option->get_snames())
            names.push_back("-" + name);
    }
    return names;
}

std::string help_text(const CLI::App& app, const Command* command, Lang lang) {
    const bool zh = lang == Lang::zh;
    std::string out;
    if (command == nullptr) {
        out += wrap(kAbout.get(lang), 0, 0) + "\n\n";
        out += zh ? "用法：gpuadapt 命令 [选项]\n\n命令：\n" : "Usage: gpuadapt COMMAND [options]\n\nCommands:\n";
        for (const Command& row : commands())
            out += fmt::format("  {}{}\n", pad(row.name, 10), wrap(row.summary.get(lang), 12, 12));
        out += zh ? "\n选项：\n" : "\nOptions:\n";
        out += option_lines(app);
        out += zh ? "\n退出状态：\n" : "\nExit status:\n";
        for (const Text& line : kStatusLines)
            out += fmt::format("  {}\n", line.get(lang));
        out += zh ? "\n示例：\n" : "\nExample:\n";
        out +=
            "  gpuadapt probe\n  gpuadapt perf --gpus 2 --ops all_reduce -b 1K -e 16M --out run.json\n"
            "  gpuadapt report --record run.json --out-file report.xlsx\n";
        out += zh ? "\n各命令的选项：gpuadapt 命令 --help\n" : "\nOptions of a command: gpuadapt COMMAND --help\n";
        return out;
    }
    out += fmt::format("gpuadapt {}: {}\n\n", command->name, command->summary.get(lang));
    out += wrap(command->details.get(lang), 0, 0) + "\n\n";
    out += fmt::format(
        fmt::runtime(zh ? "用法：gpuadapt {} [选项]\n\n选项：\n" : "Usage: gpuadapt {} [options]\n\nOptions:\n"),
        command->name);
    out += option_lines(app);
    out += zh ? "\n示例：\n" : "\nExample:\n";
    out += indent_lines(command->example, "  ");
    return out;
}

std::string man_page(const CLI::App& app) {
    std::string out =
        ".TH GPUADAPT 1\n.SH NAME\ngpuadapt \\- adaptation of GPU servers\n.SH SYNOPSIS\n"
        "\\fBgpuadapt\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n";
    out += roff(kAbout.en) + "\n";
    for (const Command& row : commands()) {
        out += fmt::format(".SH \"GPUADAPT {}\"\n{}\n.PP\n", roff(row.name), roff(row.details.en));
        out += roff_options(*app.get_subcommand(std::string(row.name)));
        out += fmt::format(".PP\nExample:\n.nf\n{}.fi\n", roff(indent_lines(row.example, "    ")));
    }
    out += ".SH OPTIONS\n" + roff_options(app);
    out += ".SH \"EXIT STATUS\"\n";
    for (const Text& line : kStatusLines)
        out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", line.en.substr(0, 1), roff(trim(line.en.substr(1))));
    return out;
}

std::string bash_completion(const CLI::App& app) {
    const auto join = [](const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); };
    std::vector<std::string> names;
    std::string cases;
    for (const Command& row : commands()) {
        names.emplace_back(row.name);
        cases += fmt::format("        {}) words=\"{}\" ;;\n", row.name,
                             join(option_names(*app.get_subcommand(std::string(row.name)))));
    }
    return fmt::format(
        "# bash completion for gpuadapt\n"
        "_gpuadapt() {{\n"
        "    local word=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} words=\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W \"{} {}\" -- \"$word\"))\n"
        "        return\n"
        "    fi\n"
        "    case $command in\n{}"
        "    esac\n"
        "    case $word in\n"
        "        -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
        "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
        "    esac\n"
        "}}\n"
        "complete -o filenames -F _gpuadapt gpuadapt\n",
        join(names), join(option_names(app)), cases);
}

std::optional<std::string> closest(const std::string& word, const std::vector<std::string>& names) {
    std::optional<std::string> best;
    std::size_t best_distance = word.size() < 5 ? 2 : 3;  // slips, not other words
    for (const std::string& name : names) {
        std::vector<std::size_t> row(name.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 1; i <= word.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t k = 1; k <= name.size(); ++k) {
                const std::size_t substituted = diagonal + (word[i - 1] == name[k - 1] ? 0 : 1);
                diagonal = row[k];
                row[k] = std::min({row[k] + 1, row[k - 1] + 1, substituted});
            }
        }
        if (row.back() < best_distance) {
            best_distance = row.back();
            best = name;
        }
    }
    return best;
}

}  // namespace gpuadapt::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/parse_errors.hpp"
#include "cli/session.hpp"

#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/driver/management.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#ifndef GPUADAPT_VERSION
#error "the build sets GPUADAPT_VERSION"
#endif

namespace gpuadapt {
namespace {

using cli::Action;
using cli::Command;
using cli::pick;
using cli::Session;

/// Everything that the parser knows. `app` is first, since the options point into the rest.
struct Parser {
    CLI::App app;
    std::map<std::string, Action> actions;
    std::string lang;
    bool man = false;
    bool completion = false;
    bool version = false;
};

void add_common_options(CLI::App& app, Session& session, std::string& lang_option) {
    const Lang lang = session.lang;
    app.add_option(
           "--lang", lang_option,
           pick(lang, "Language of texts: en or zh (default: by the locale)", "文字语言：en 或 zh（默认随 locale）"))
        ->type_name("LANG")
        ->check(CLI::IsMember({"en", "zh"}))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.add_flag("--json", session.json, pick(lang, "Print JSON on stdout", "标准输出为 JSON"));
    app.add_flag("--strict", session.strict,
                 pick(lang, "A warning gives exit status 1, as a failure does", "有警告时退出状态为 1"));
    app.add_flag("-v,--verbose", session.verbose, pick(lang, "Say on stderr what is being done", "在 stderr 输出过程"));
}

/// What holds for the options of every command: a flag is there or not ("--json=3x" is a slip), and an empty value is
/// mostly a variable of the shell that is not set, which must not stand for the default.
void forbid_slips(CLI::App& app) {
    const CLI::Validator not_empty(
        [](std::string& value) { return value.empty() ? std::string(cli::kEmptyValue) : std::string(); }, "");
    for (CLI::Option* option : app.get_options()) {
        if (option->get_items_expected_max() == 0)
            option->disable_flag_override();
        else
            option->transform(not_empty);  // which puts it before the other validators
    }
}

void define(Parser& parser, Session& session) {
    const Lang lang = session.lang;
    parser.app.name("gpuadapt");
    parser.app.set_help_flag("-h,--help", pick(lang, "This text", "显示本帮助"));
    parser.app.add_flag("--version", parser.version, pick(lang, "Print the version", "显示版本"));
    parser.app.add_option("--lang", parser.lang, pick(lang, "Language of texts: en or zh", "文字语言：en 或 zh"))
        ->type_name("LANG")
        ->check(CLI::IsMember({"en", "zh"}));
    parser.app.add_flag("--print-man", parser.man, pick(lang, "Print the man page", "输出 man 手册"));
    parser.app.add_flag("--print-completion", parser.completion,
                        pick(lang, "Print the bash completion", "输出 bash 补全脚本"));
    parser.app.require_subcommand(0, 1);
    for (const Command& command : cli::commands()) {
        CLI::App* sub = parser.app.add_subcommand(std::string(command.name), std::string(command.summary.get(lang)));
        sub->set_help_flag("-h,--help", pick(lang, "This text", "显示本帮助"));
        parser.actions[std::string(command.name)] = command.define(*sub, lang);
        add_common_options(*sub, session, parser.lang);
        forbid_slips(*sub);
    }
    forbid_slips(parser.app);
}

const Command* chosen_command(const Parser& parser) {
    const auto parsed = parser.app.get_subcommands();
    if (parsed.empty())
        return nullptr;
    for (const Command& command : cli::commands())
        if (parsed.front()->get_name() == command.name)
            return &command;
    return nullptr;
}

const CLI::App& scope_of(const Parser& parser, const Command* command) {
    return command != nullptr ? *parser.app.get_subcommand(std::string(command->name)) : parser.app;
}

/// CLI11 names what it could not place; the closest thing that exists is mostly what was meant.
std::string hint_for(const Parser& parser, const Command* command, Lang lang) {
    const CLI::App& scope = scope_of(parser, command);
    std::vector<std::string> names = cli::option_names(scope);
    for (const Command& row : cli::commands())
        names.emplace_back(row.name);
    const std::vector<std::string> unknown = parser.app.remaining(true);
    if (unknown.empty())
        return "";
    const std::string word = unknown.front().substr(0, unknown.front().find('='));
    if (const auto meant = cli::closest(word, names); meant && *meant != word)
        return fmt::format(fmt::runtime(lang == Lang::zh ? "；是否想用 {}？" : "; did you mean {}?"), *meant);
    if (command == nullptr && !word.empty() && word[0] != '-')
        return fmt::format(fmt::runtime(lang == Lang::zh ? "；没有命令 {}" : "; there is no command {}"), word);
    return "";
}

/// CLI11 calls an option by its long name; whoever typed the short one looks for that. nullopt: `name` will do.
std::optional<std::string> short_name_typed(const CLI::App& scope, const std::string& name,
                                            const std::vector<std::string>& typed) {
    const auto is_typed = [&typed](const std::string& start) {
        return std::any_of(typed.begin(), typed.end(),
                           [&start](const std::string& word) { return word.starts_with(start); });
    };
    const CLI::Option* option = scope.get_option_no_throw(name);
    if (option == nullptr || is_typed(name))
        return std::nullopt;
    for (const std::string& letter : option->get_snames())
        if (is_typed("-" + letter))
            return "-" + letter;
    return std::nullopt;
}

int usage_error(const Parser& parser, const Session& session, const CLI::ParseError& error) {
    const Command* command = chosen_command(parser);
    const std::string help = command != nullptr ? fmt::format("gpuadapt {} --help", command->name) : "gpuadapt --help";
    const bool is_unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    const std::string hint = is_unknown ? hint_for(parser, command, session.lang) : "";
    Message mistake = cli::usage_mistake(error.what());
    const std::string name = mistake.en.substr(0, mistake.en.find_first_of(" :"));
    if (const auto letter = short_name_typed(scope_of(parser, command), name, session.command_line))
        for (std::string* text : {&mistake.en, &mistake.zh})
            if (text->starts_with(name))
                text->replace(0, name.size(), *letter);
    cli::say(session, {fmt::format("gpuadapt: {}{}\nSee: {}", mistake.en, hint, help),
                       fmt::format("gpuadapt: {}{}\n用法见：{}", mistake.zh, hint, help)});
    return kExitUsage;
}

void start_logging(bool verbose) {
    auto logger = std::make_shared<spdlog::logger>("gpuadapt", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("gpuadapt: %l: %v");
    logger->set_level(verbose ? spdlog::level::debug : spdlog::level::warn);
    spdlog::set_default_logger(std::move(logger));
}

int run_parsed(Parser& parser, Session& session) {
    if (parser.version) {
        cli::print(fmt::format("gpuadapt {}\n", GPUADAPT_VERSION));
        return kExitOk;
    }
    if (parser.man || parser.completion) {
        cli::print(parser.man ? cli::man_page(parser.app) : cli::bash_completion(parser.app));
        return kExitOk;
    }
    const Command* command = chosen_command(parser);
    if (command == nullptr) {
        cli::say(cli::help_text(parser.app, nullptr, session.lang));
        return kExitUsage;
    }
    start_logging(session.verbose);
    return parser.actions.at(std::string(command->name))(session);
}

/// Is `name` an option of any command that takes a value?
bool takes_value(const CLI::App& app, const std::string& name) {
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option != nullptr && option->get_items_expected_max() > 0)
        return true;
    const auto commands = app.get_subcommands({});
    return std::any_of(commands.begin(), commands.end(),
                       [&](const CLI::App* command) { return takes_value(*command, name); });
}

/// `arguments` in the order that CLI11 takes, the last first. It lets "--out=" take the next word, whatever that is,
/// so such an option and its empty value become two words.
std::vector<std::string> words_for_parser(const Parser& parser, const std::vector<std::string>& arguments) {
    std::vector<std::string> words;
    for (const std::string& argument : arguments) {
        const std::string name = argument.substr(0, argument.size() - 1);
        if (argument.starts_with("--") && argument.ends_with('=') && takes_value(parser.app, name)) {
            words.push_back(name);
            words.emplace_back();
        } else {
            words.push_back(argument);
        }
    }
    std::reverse(words.begin(), words.end());
    return words;
}

int parse_and_run(Parser& parser, Session& session, const std::vector<std::string>& arguments) {
    try {
        parser.app.parse(words_for_parser(parser, arguments));
    } catch (const CLI::CallForHelp&) {
        const Command* command = chosen_command(parser);
        const CLI::App& scope = scope_of(parser, command);
        cli::print(cli::help_text(scope, command, session.lang));
        return kExitOk;
    } catch (const CLI::ParseError& error) {
        return usage_error(parser, session, error);
    }
    return run_parsed(parser, session);
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
    // A reader that goes away shows as EPIPE where we write, not as a signal in the middle of a measurement.
    std::signal(SIGPIPE, SIG_IGN);
    // Whoever started us may have ignored it, which is inherited: then no tool would have an exit status.
    std::signal(SIGCHLD, SIG_DFL);
    if (argc > 1 && argv[1] == kManagementFlag)
        return run_management_child({argv + 2, argv + argc}, cli::print, [](std::string_view line) { cli::say(line); });
    Session session;
    session.command_line.assign(argv, argv + argc);
    session.lang = cli::choose_language(session.command_line, session.lang_given);
    session.style = cli::choose_style(session.lang);
    // A locale without UTF-8 gets English in ASCII, unless Chinese is what was asked for.
    if (session.lang_given && session.lang == Lang::zh)
        session.style.unicode = true;
    if (!session.style.unicode) {
        session.lang = Lang::en;
        session.style.lang = Lang::en;
    }
    try {
        Parser parser;
        define(parser, session);
        return parse_and_run(parser, session, {argv + std::min(argc, 1), argv + argc});
    } catch (const Error& error) {
        return cli::report_error(session, error);
    } catch (const std::bad_alloc&) {
        return cli::report_error(session, tool_error(Message{"out of memory", "内存不足"}));
    } catch (const std::exception& error) {
        return cli::report_error(session, tool_error(fmt::format("unexpected: {}", error.what())));
    }
}

}  // namespace gpuadapt

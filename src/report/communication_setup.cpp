// SPDX-License-Identifier: Apache-2.0
#include "report/environment_values.hpp"
#include "report/facts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

/// The libraries whose variables count on the host where they stand, whatever was typed on the first one.
constexpr std::array<std::string_view, 3> kLibraryVariables = {"NCCL_", "MCCL_", "RCCL_"};

bool is_of_library(std::string_view name) {
    return std::any_of(kLibraryVariables.begin(), kLibraryVariables.end(),
                       [name](std::string_view beginning) { return name.starts_with(beginning); });
}

bool is_config_file(std::string_view path) {
    return path.ends_with("ccl.conf") || path.ends_with("openmpi-mca-params.conf") ||
           path.ends_with("/mca-params.conf");
}

/// A name that no shell takes is quoted too: then the shell refuses it instead of running what it may hold.
std::string export_line(const std::string& name, const std::string& value) {
    return fmt::format("export {}={}", shell_word(name), shell_word(value));
}

std::string command_line(const std::vector<std::string>& words) {
    std::vector<std::string> quoted;
    quoted.reserve(words.size());
    for (const std::string& word : words)
        quoted.push_back(shell_word(word));
    return joined(quoted, " ");
}

}  // namespace

std::string shell_word(std::string_view word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_-+=:,./^";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
        return std::string(word);
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string shell_remark(std::string_view text) {
    return "# " + clean_utf8(text);
}

ItemValue host_setup(const Machine& machine, const std::optional<Launch>& launch) {
    std::vector<Message> lines;
    std::map<std::string, std::string> set = launch ? launch->environment : std::map<std::string, std::string>();
    for (const auto& [name, value] : machine.environment) {
        const auto [known, is_new] = set.emplace(name, value);
        if (!is_of_library(name) || (!is_new && known->second == value))
            continue;
        lines.push_back(Message::same(export_line(name, value)));
        known->second = value;
    }
    for (const ConfigFile& file : machine.config_files)
        for (const auto& [name, value] : file.variables)
            if (set.emplace(name, value).second)
                lines.push_back(Message::same(export_line(name, value) + "  " + shell_remark(file.path)));
    for (const Unread& unread : machine.unread)
        if (is_config_file(unread.path))
            lines.push_back(joined({Message::same(shell_remark(unread.path) + ":"), not_read()}, " "));
    return lines.empty() ? std::nullopt : ItemValue(joined(lines, "\n"));
}

std::string launch_environment(const Launch& launch) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : launch.environment)
        lines.push_back(export_line(name, value));
    return joined(lines, "\n");
}

Message start_command(const Launch& launch) {
    if (!launch.launcher.empty())
        return Message::same(command_line(launch.launcher));
    const Message foreign{"# started by a launcher that is not ours", "# 由外部启动器启动"};
    return launch.command.empty() ? foreign : joined({foreign, Message::same(command_line(launch.command))}, "\n");
}

}  // namespace gpuadapt::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/session.hpp"

#include <functional>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

namespace gpuadapt::cli {

/// Runs a command whose options have been parsed; gives the exit status, throws Error.
using Action = std::function<int(Session&)>;

struct Command {
    std::string_view name;
    Text summary;              ///< one line
    Text details;              ///< a paragraph
    std::string_view example;  ///< lines to type, each with the output it makes or what it does
    /// Adds the command's own options to `app` and gives back what runs it. The options live in the action.
    Action (*define)(CLI::App& app, Lang lang);
};

/// Every command that exists, in the order of the work. Help, man page, completion and tests walk it.
[[nodiscard]] std::span<const Command> commands();

/// Where an option's text comes from: both languages at the place where the option is defined.
[[nodiscard]] inline std::string pick(Lang lang, const char* en, const char* zh) {
    return lang == Lang::zh ? zh : en;
}

// One file a command.
[[nodiscard]] Action define_probe(CLI::App& app, Lang lang);
[[nodiscard]] Action define_record(CLI::App& app, Lang lang);
[[nodiscard]] Action define_perf(CLI::App& app, Lang lang);
[[nodiscard]] Action define_report(CLI::App& app, Lang lang);

}  // namespace gpuadapt::cli

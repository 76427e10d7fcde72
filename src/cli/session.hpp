// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/report/text.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::cli {

/// What holds for one call of the program, whatever the command.
struct Session {
    std::vector<std::string> command_line;  ///< argv as it came
    Lang lang = Lang::en;
    bool lang_given = false;  ///< by --lang; otherwise it follows the locale
    bool json = false;
    bool strict = false;
    bool verbose = false;
    report::TextStyle style;  ///< for stdout
    bool progress = false;    ///< stderr is a terminal
};

/// A variable of our own environment; nullopt when unset. (Variables of the machine's libraries are read through Root.)
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

/// Language by --lang in `arguments`, else by LC_ALL, LC_MESSAGES, LANG. A wrong --lang is left to the option parser.
[[nodiscard]] Lang choose_language(const std::vector<std::string>& arguments, bool& given);

/// Width, colours and character set that fit where stdout goes. NO_COLOR and a locale without UTF-8 are honoured.
[[nodiscard]] report::TextStyle choose_style(Lang lang);

/// Writes the product to stdout. Throws Error(tool) when it cannot be written (a full disk); a closed pipe ends quietly
/// with status 0, as `head` expects.
void print(std::string_view text);

/// The same for a command that must go on when nobody reads: gives back the errno, 0 when all was written.
[[nodiscard]] int try_print(std::string_view text);

/// `text` with each of its lines cleaned as foreign text is: what it quotes (a path, a word of the command line) must
/// not bring escape codes onto a terminal.
[[nodiscard]] std::string clean_lines(std::string_view text);

/// A line for people on stderr, as it is: it may hold our own colours.
void say(std::string_view text);
/// The same without colours: what it quotes is cleaned.
void say(const Session& session, const Message& message);

/// UTC, "2026-11-30T12:00:00Z".
[[nodiscard]] std::string utc_now();

/// A name for what the user did not name: "perf-20261130-120000.json". The time is UTC, as inside the file.
[[nodiscard]] std::string dated_name(std::string_view beginning, std::string_view ending);

/// Findings with the worst first, on stderr; nothing where there are none.
void say_findings(const Session& session, const std::vector<Finding>& findings);

/// Findings with the worst first, then the coverage line with what is unknown and why; on stderr.
void say_judgement(const Session& session, const Record& record);

/// Says what `error` says, in the session's language, and gives the exit status of its kind.
int report_error(const Session& session, const Error& error);

}  // namespace gpuadapt::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// Ascending. `unknown` is a result: what could not be read never passes.
enum class Severity { ok, note, unknown, warning, failure };

[[nodiscard]] std::string_view severity_name(Severity severity);
[[nodiscard]] std::optional<Severity> parse_severity(std::string_view name);

/// One thing a reader must know or act on.
struct Finding {
    Severity severity = Severity::note;
    std::string check;      ///< id of the check or step, e.g. "DATA1"
    std::string subject;    ///< what it is about: a device, host, rank, table; language-neutral
    Message title;          ///< one line
    Message evidence;       ///< which file, register or number says so
    Message advice;         ///< what to do next; empty when nothing is to be done
    bool blocking = false;  ///< an `unknown` that forbids a verdict (exit status 3)
    bool operator==(const Finding&) const = default;
};

/// How much of what could be judged was judged.
struct Coverage {
    int evaluated = 0;
    int unknown = 0;
    int not_applicable = 0;
    bool operator==(const Coverage&) const = default;
};

/// Exit status of a command whose findings these are: 1 any failure (with `strict` also warnings), 3 a blocking
/// unknown, else 0. A failure beats a blocking unknown.
[[nodiscard]] int exit_status(const std::vector<Finding>& findings, bool strict);

}  // namespace gpuadapt

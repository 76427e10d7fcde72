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

/// What to type against a finding. Each line is one for a POSIX shell run by root, whole and quoted, or a comment.
struct Remedy {
    std::vector<std::string> now;           ///< holds until the next boot
    std::vector<std::string> now_undo;      ///< takes `now` back
    std::vector<std::string> lasting;       ///< holds after a reboot; some of it only then
    std::vector<std::string> lasting_undo;  ///< takes `lasting` back
    std::vector<std::string> verify;        ///< shows whether it worked
    Message firmware;                       ///< what to set in the menus of the BIOS or BMC
    [[nodiscard]] bool empty() const { return now.empty() && lasting.empty() && verify.empty() && firmware.empty(); }
    bool operator==(const Remedy&) const = default;
};

/// Who has said that a finding is known and accepted, and why: it is still shown and counted, but decides nothing.
struct Waiver {
    std::string check, subject;  ///< of the findings that it is for; an empty subject is every one
    std::string reason, person, date;
    bool operator==(const Waiver&) const = default;
};

/// One thing a reader must know or act on.
struct Finding {
    Severity severity = Severity::note;
    std::string check;      ///< id of the check or step, e.g. "DATA1"
    std::string subject;    ///< what it is about: a device, host, rank, table; language-neutral
    Message title;          ///< one line
    Message evidence;       ///< which file, register or number says so
    Message advice;         ///< what to do next; empty when nothing is to be done
    bool blocking = false;  ///< an `unknown` that forbids a verdict (exit status 3)
    std::optional<Remedy> remedy = std::nullopt;
    std::optional<Waiver> waiver = std::nullopt;
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
/// unknown, else 0. A failure beats a blocking unknown; what is waived counts as neither.
[[nodiscard]] int exit_status(const std::vector<Finding>& findings, bool strict);

}  // namespace gpuadapt

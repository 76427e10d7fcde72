// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/finding.hpp>

#include <array>
#include <utility>

namespace gpuadapt {
namespace {

constexpr std::array<std::pair<Severity, std::string_view>, 5> kSeverityNames = {{{Severity::ok, "ok"},
                                                                                  {Severity::note, "note"},
                                                                                  {Severity::unknown, "unknown"},
                                                                                  {Severity::warning, "warning"},
                                                                                  {Severity::failure, "failure"}}};

}  // namespace

std::string_view severity_name(Severity severity) {
    return kSeverityNames[static_cast<std::size_t>(severity)].second;
}

std::optional<Severity> parse_severity(std::string_view name) {
    for (const auto& [severity, text] : kSeverityNames)
        if (text == name)
            return severity;
    return std::nullopt;
}

int exit_status(const std::vector<Finding>& findings, bool strict) {
    int status = 0;
    for (const Finding& finding : findings) {
        if (finding.waiver)
            continue;
        if (finding.severity == Severity::failure || (strict && finding.severity == Severity::warning))
            return 1;
        if (finding.severity == Severity::unknown && finding.blocking)
            status = 3;
    }
    return status;
}

}  // namespace gpuadapt

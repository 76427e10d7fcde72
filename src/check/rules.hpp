// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/check/checks.hpp>

namespace gpuadapt::check {

/// A finding in the name of `self`: titled by its problem, or by the rule where that is unknown.
[[nodiscard]] Finding finding_of(const Check& self, Severity severity, std::string subject, Message evidence,
                                 Message advice);

[[nodiscard]] Outcome not_applicable();
[[nodiscard]] Outcome unknown(const Check& self, std::string subject, Message evidence, Message advice);

// measurement.cpp
[[nodiscard]] Outcome wrong_data(const Record& record, const Check& self);
[[nodiscard]] Outcome late_rank(const Record& record, const Check& self);
[[nodiscard]] Outcome complete_run(const Record& record, const Check& self);

// topology.cpp
[[nodiscard]] Outcome vendor_topology(const Record& record, const Check& self);

}  // namespace gpuadapt::check

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/record.hpp>

#include <string>

namespace gpuadapt::cli {

/// The record of one machine that was looked at, with what the checks say of it; its coverage counts checks and probes.
/// `time` is when; "" for a recording, which carries no time of its own, so that the same recording gives the same
/// text.
[[nodiscard]] Record machine_record(const Machine& machine, const std::string& time);

}  // namespace gpuadapt::cli

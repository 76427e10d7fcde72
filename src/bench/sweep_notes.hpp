// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/bench/sweep.hpp>

namespace gpuadapt {

/// "all_reduce, 4 ranks, 1M": a point in a message.
[[nodiscard]] std::string describe(const Collective& row, const SweepPoint& point);

/// Notes of a sweep: what was asked for and is measured otherwise, or not at all.
[[nodiscard]] Finding memory_note(std::int64_t wanted_bytes, std::int64_t fits_bytes);
[[nodiscard]] Finding skipped_note(const std::vector<SweepPoint>& skipped);
[[nodiscard]] Finding unsupported_note(const std::vector<SweepPoint>& points, const std::string& library);

}  // namespace gpuadapt

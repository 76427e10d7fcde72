// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/stats.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// Samples of all ranks become one Summary without all of them travelling.
namespace gpuadapt {

/// What a rank sends of its samples: number, extremes and sum exactly, and at most `room` of them, evenly taken from
/// their sorted order.
[[nodiscard]] std::string pack_samples(std::span<const double> samples, std::size_t room);

/// The summary of what the ranks sent: n, min, max and mean exact; p50, p99 and mad exact as long as no rank had more
/// samples than it had room for.
[[nodiscard]] Summary merge_samples(const std::vector<std::string>& packed);

}  // namespace gpuadapt

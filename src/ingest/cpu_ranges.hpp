// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuadapt::ingest {

inline constexpr int kHighestCpu = 65535;

/// Numbers of CPUs from first to last, ascending and not touching each other: a text may name all CPUs in a few bytes,
/// and again and again.
using CpuRanges = std::vector<std::pair<int, int>>;

/// "0-3,8", or a list with blanks, in any order; a remark may follow. nullopt when it is damaged.
[[nodiscard]] std::optional<CpuRanges> cpu_ranges(std::string_view text);

[[nodiscard]] int count_cpus(const CpuRanges& cpus);

/// In the kernel's list format.
[[nodiscard]] std::string cpu_list(const CpuRanges& cpus);

}  // namespace gpuadapt::ingest

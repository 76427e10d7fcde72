// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

/// /proc/meminfo (proc(5)).
struct MemoryInfo {
    Memory memory;
    std::vector<std::string> damaged;  ///< lines whose value is no number, or more than any machine has
};
[[nodiscard]] MemoryInfo parse_meminfo(std::string_view text);

}  // namespace gpuadapt

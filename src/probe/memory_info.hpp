// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <string_view>

namespace gpuadapt {

/// /proc/meminfo (proc(5)).
[[nodiscard]] Memory parse_meminfo(std::string_view text);

}  // namespace gpuadapt

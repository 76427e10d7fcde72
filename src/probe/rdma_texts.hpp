// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpuadapt {

/// "4: ACTIVE" -> "ACTIVE"
[[nodiscard]] std::optional<std::string> parse_port_state(std::string_view text);

/// "100 Gb/sec (4X EDR)" -> 100, "2.5 Gb/sec (1X SDR)" -> 2.5
[[nodiscard]] std::optional<double> parse_port_rate(std::string_view text);

}  // namespace gpuadapt

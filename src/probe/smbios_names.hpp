// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

/// Names of the numbers in SMBIOS structures, as dmidecode writes them; nullopt for one that is not defined, and for
/// those that mean "other" or "unknown" where not said otherwise.
namespace gpuadapt {

[[nodiscard]] std::optional<std::string> memory_type_name(int type);     ///< 7.18.2: "DDR5"
[[nodiscard]] std::optional<std::string> slot_type_name(int type);       ///< 7.10.1: "PCI Express 5 x16"
[[nodiscard]] std::optional<std::string> slot_usage_name(int usage);     ///< 7.10.3: "in use", also "unknown"
[[nodiscard]] std::optional<int> slot_lanes(int width);                  ///< 7.10.2; nullopt for those counted in bits
[[nodiscard]] std::optional<std::string> ipmi_interface_name(int type);  ///< 7.39.1: "KCS"

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gpuadapt {

/// Class, ids and driver of a device's `uevent` file.
void take_uevent(std::string_view uevent, PciDevice& device);

/// "16.0 GT/s PCIe", on older kernels "8 GT/s"; nullopt for "Unknown" and for a speed that PCI Express does not have.
[[nodiscard]] std::optional<double> parse_link_speed(std::string_view text);

/// "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0": the bridge above, 0000:00:01.0; nullopt on a root bus.
[[nodiscard]] std::optional<std::string> parent_in_path(std::string_view path);

}  // namespace gpuadapt

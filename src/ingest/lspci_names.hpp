// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <optional>
#include <string_view>

namespace gpuadapt::ingest {

/// What stands behind the address in the first line of a device: "VGA compatible controller [0300]: NVIDIA Corporation
/// GA104 [10de:2482] (rev a1) (prog-if 00 [VGA controller])", with or without the parts in brackets, or with numbers
/// only (-n). False when it does not look like that; `device` is then as it was.
[[nodiscard]] bool take_lspci_header(std::string_view text, PciDevice& device);

/// "NVIDIA Corporation GA104 [10de:2482]" or "Device 9999:4001", as headers and trees have it.
void take_lspci_name(std::string_view text, PciDevice& device);

/// Vendor and device of a "Subsystem:" line.
void take_lspci_subsystem(std::string_view text, PciDevice& device);

/// True for a revision of ff, which a device gives that does not answer.
[[nodiscard]] bool lspci_revision_is_ff(std::string_view text);

}  // namespace gpuadapt::ingest

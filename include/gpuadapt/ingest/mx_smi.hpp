// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <string_view>

namespace gpuadapt::ingest {

/// True for what mx-smi prints: plain, -L, -j, --summary, --show-... and --count-ecc. Not for `topo`, which is a
/// matrix (topo_matrix.hpp).
[[nodiscard]] bool looks_like_mx_smi(std::string_view text);

/// Facts of these, of any mx-smi from 2.1 to 2.3, also several outputs in one text: `gpus` ascending by address,
/// `versions` ("MACA", "driver"), and in `pci_devices` the link of a GPU where --show-pcie tells it. What the text does
/// not say is absent; a device that the tool could not reach is an Unread. Takes any bytes, never throws.
[[nodiscard]] Machine read_mx_smi(std::string_view text);

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/ingest/lspci.hpp>

#include <string_view>

namespace gpuadapt::ingest {

/// What stands below the first line of a device, all lines joined by blanks: wrapped lines then do no harm, since every
/// fact stands behind a keyword. `secondary` becomes the bus below a bridge, nullopt for none.
void take_lspci_block(std::string_view text, LspciDevice& result, std::optional<int>& secondary);

/// True when a line begins with one of the keywords that can stand below a device.
[[nodiscard]] bool is_lspci_keyword_line(std::string_view line);

}  // namespace gpuadapt::ingest

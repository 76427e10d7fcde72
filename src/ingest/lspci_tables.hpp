// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace gpuadapt::ingest {

/// A number and the name that lspci prints instead of it.
struct LspciName {
    int id;
    std::string_view name;
};

/// Class and subclass (16 bit).
[[nodiscard]] std::span<const LspciName> lspci_classes();

/// Makers that are met in servers; -1 where several ids have the name.
[[nodiscard]] std::span<const LspciName> lspci_vendors();

}  // namespace gpuadapt::ingest

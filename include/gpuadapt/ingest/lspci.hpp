// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <string>
#include <string_view>
#include <vector>

/// The output of lspci (pciutils 3.1 to 3.14) as facts: plain list, -n, -nn, -D, -v to -vvvv, -x to -xxxx, -t, -tv,
/// -tvnn, also mixed, quoted, wrapped, cut, and between other text.
namespace gpuadapt::ingest {

/// How much of a device the text can say. What is not in the text is unknown, never "off".
enum class LspciDetail {
    tree,       ///< -t, -tv: place and name, no class
    line,       ///< one line a device
    flags,      ///< -v: bus master, driver, list of capabilities
    registers,  ///< -vv and more
};

struct LspciDevice {
    /// What the text says. Names and ids are there as far as they were printed: vendor ids of well-known makers follow
    /// from their names, device ids do not. The class code's lowest byte is 0 where the text does not name it, as lspci
    /// leaves out a zero. `config_bytes` is absent. Base address registers without a size or number (-v) are left out.
    PciDevice device;
    LspciDetail detail = LspciDetail::tree;
    bool denied = false;   ///< "Capabilities: <access denied>": printed without root
    bool answers = true;   ///< false: the text shows a device whose registers read as all bits set
    std::string config;    ///< bytes of the hex dump from 0 on, as far as they are without a gap; "" without a dump
    std::size_t line = 0;  ///< of the text, from 1
};

/// What a text may hold; what comes behind is not read.
inline constexpr std::size_t kMostLspciDevices = 8192;

/// All devices in the order of the text; one that is printed twice is here twice. Empty for a text without any.
/// `text` should come from plain_text(). Takes any bytes and never throws on them; at most kMostLspciDevices.
[[nodiscard]] std::vector<LspciDevice> read_lspci(std::string_view text);

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gpuadapt {

/// What the bytes of a PCI configuration space say (PCI local bus spec 3.0, 6; PCI Express base spec, 7.5 and 7.7.11).
/// The only decoder: for sysfs `config` files, recordings, and hexadecimal dumps alike.
///
/// A register that lies behind the end of the bytes is nullopt, never a value: without root there are 64 bytes and so
/// no capability, in a 256-byte dump there is no ACS. A speed or width code that the spec does not define is nullopt.
struct PciConfig {
    std::optional<int> vendor_id, device_id, revision;
    std::optional<int> class_code;  ///< 24 bit
    std::optional<int> subsystem_vendor_id, subsystem_device_id;
    std::optional<std::string> port_type;  ///< as PciDevice has it
    /// A link without partner has current_width 0 and no current speed.
    PciLink link;
    std::optional<int> max_payload_bytes, max_payload_capable_bytes, max_read_request_bytes;
    std::optional<PciAcs> acs;
    int bytes = 0;        ///< how much of the space can be read: 64 without root, 256 of conventional PCI, 4096
    bool answers = true;  ///< false: all bits are set, as of a device that has fallen off the bus
};

/// Gives the bytes from `offset` on, `size` of them or fewer where the space ends.
using ConfigSource = std::function<std::string(std::size_t offset, std::size_t size)>;

/// Asks for what it needs only: the header, the capabilities, and the extended ones as far as their chain leads. (In a
/// guest each four bytes cost an exit to the hypervisor, and a few devices dislike it when registers are read that they
/// do not have.)
[[nodiscard]] PciConfig decode_pci_config(const ConfigSource& source);
[[nodiscard]] PciConfig decode_pci_config(std::string_view bytes);

/// GT/s of a speed code of LnkCap, LnkSta or LnkCtl2: 1 is 2.5, 5 is 32.
[[nodiscard]] std::optional<double> pcie_speed_of_code(int code);

/// True for a number of lanes that PCI Express defines.
[[nodiscard]] bool is_pcie_width(int lanes);

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gpuadapt {

/// What the registers of a function cannot tell of themselves.
struct PciFunction {
    bool is_first = true;     ///< function 0 of device 0: some registers of a link are there alone
    bool is_virtual = false;  ///< of SR-IOV: most of its control bits are those of its physical function
};

/// What the bytes of a PCI configuration space say (PCI local bus spec 3.0, 6; PCI Express base spec, 7.5 to 7.9).
/// The only decoder: for sysfs `config` files, recordings, and hexadecimal dumps alike.
///
/// A register that lies behind the end of the bytes is nullopt, never a value: without root there are 64 bytes and so
/// no capability, in a 256-byte dump there is no ACS. So is a reserved one, and a code that the spec does not define.
struct PciConfig {
    /// All that registers tell. A link without partner has current_width 0 and no current speed. `config_bytes` is how
    /// much of the space can be read and makes sense: where a list of capabilities is broken, only what is before it.
    PciDevice device;
    bool answers = true;                ///< false: all bits are set, as of a device that has fallen off the bus
    bool is_virtual = false;            ///< of SR-IOV, as given or as seen
    std::optional<std::string> damage;  ///< where a list of capabilities is broken
    /// Whether the function has these capabilities, and so files of the kernel; nullopt where that cannot be seen.
    std::optional<bool> has_vpd, has_aer, has_sriov;
};

/// Gives the bytes from `offset` on, `size` of them or fewer where the space ends.
using ConfigSource = std::function<std::string(std::size_t offset, std::size_t size)>;

/// Asks for what it needs only: the header, the capabilities, and the extended ones as far as their list leads. (In a
/// guest each four bytes cost an exit to the hypervisor, and a few devices dislike it when registers are read that they
/// do not have.)
[[nodiscard]] PciConfig decode_pci_config(const ConfigSource& source, const PciFunction& function = {});
[[nodiscard]] PciConfig decode_pci_config(std::string_view bytes, const PciFunction& function = {});

/// GT/s of a speed code of LnkCap, LnkSta or LnkCtl2: 1 is 2.5, 5 is 32.
[[nodiscard]] std::optional<double> pcie_speed_of_code(int code);

/// True for a number of lanes that PCI Express defines.
[[nodiscard]] bool is_pcie_width(int lanes);

}  // namespace gpuadapt

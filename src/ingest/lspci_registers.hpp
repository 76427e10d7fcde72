// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <optional>
#include <string_view>

/// The body of one section of `lspci -vv` each: what stands behind its keyword up to the next one. A fact that is there
/// already stays.
namespace gpuadapt::ingest {

template <class T>
void set(std::optional<T>& field, const std::optional<T>& value) {
    if (!field)
        field = value;
}

/// A device and what its sections have said about each other so far: lspci prints also those bits that the function has
/// reserved, as "-", and they must not be taken for "off" (PCIe base spec 7.5.3, SR-IOV 9.3.5).
struct LspciRegisters {
    explicit LspciRegisters(PciDevice& described) : device(described) {}

    PciDevice& device;
    std::optional<bool> reports_active, reports_bandwidth, detects_retimer;  ///< capabilities of its link
    std::optional<int> acs_capability;

    [[nodiscard]] bool is_virtual() const;            ///< as its name says
    [[nodiscard]] bool is_upper_end() const;          ///< of a link
    [[nodiscard]] bool has_second_registers() const;  ///< Link Control 2 and Status 2
};

/// "RlxdOrd+" -> true, "RlxdOrd-" -> false; nullopt when it does not stand there.
[[nodiscard]] std::optional<bool> lspci_flag(std::string_view body, std::string_view name);

/// What stands behind "Capabilities: [40 v1] ".
void take_lspci_capability(std::string_view body, LspciRegisters& seen);
void take_lspci_region(std::string_view body, LspciRegisters& seen);
void take_lspci_rom(std::string_view body, LspciRegisters& seen);
void take_lspci_device_capabilities(std::string_view body, LspciRegisters& seen);
void take_lspci_device_control(std::string_view body, LspciRegisters& seen);
void take_lspci_link_capabilities(std::string_view body, LspciRegisters& seen);
void take_lspci_link_control(std::string_view body, LspciRegisters& seen);
void take_lspci_link_status(std::string_view body, LspciRegisters& seen);
void take_lspci_device_capabilities2(std::string_view body, LspciRegisters& seen);
void take_lspci_device_control2(std::string_view body, LspciRegisters& seen);
void take_lspci_link_capabilities2(std::string_view body, LspciRegisters& seen);
void take_lspci_link_control2(std::string_view body, LspciRegisters& seen);
void take_lspci_link_status2(std::string_view body, LspciRegisters& seen);
void take_lspci_phy16(std::string_view body, LspciRegisters& seen);
void take_lspci_phy32(std::string_view body, LspciRegisters& seen);
void take_lspci_acs_capabilities(std::string_view body, LspciRegisters& seen);
void take_lspci_acs_control(std::string_view body, LspciRegisters& seen);
void take_lspci_ats_control(std::string_view body, LspciRegisters& seen);
void take_lspci_dpc_status(std::string_view body, LspciRegisters& seen);
void take_lspci_virtual_functions(std::string_view body, LspciRegisters& seen);

}  // namespace gpuadapt::ingest

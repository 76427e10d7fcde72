// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_config.hpp"

#include "probe/pci_registers.hpp"
#include "probe/pci_space.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr std::size_t kIdentityBytes = 16;  // ids, command, status, class, kind of header

void decode_subsystem(PciSpace& space, PciDevice& device) {
    std::optional<std::size_t> at;
    const int header_type = space.byte(0x0e).value_or(0) & 0x7f;
    if (header_type == 0)
        at = 0x2c;
    else if (header_type == 1)  // bridges have it in a capability
        if (const auto capability = space.capability(kCapabilitySubsystem))
            at = *capability + 4;
    const auto vendor = at ? space.word(*at) : std::nullopt;
    if (!vendor || *vendor == 0 || *vendor == 0xffff)
        return;
    device.subsystem_vendor_id = vendor;
    device.subsystem_device_id = space.word(*at + 2);
}

/// The registers of the header, of which the first 64 bytes are there.
void decode_header(PciSpace& space, bool is_virtual, PciDevice& device) {
    if (!is_virtual) {
        device.vendor_id = space.word(0);
        device.device_id = space.word(2);
    }
    device.revision = space.byte(8);
    device.class_code = static_cast<int>(*space.dword(8) >> 8);
    const int command = *space.word(4);
    if (!is_virtual)  // a virtual function's memory is enabled by its physical one
        device.memory_enabled = (command & 2) != 0;
    device.bus_master = (command & 4) != 0;
}

/// PCI power management spec 3.2.4. D3 is what the kernel calls D3hot: a device in D3cold does not answer.
void decode_power(PciSpace& space, PciDevice& device) {
    constexpr std::array<std::string_view, 4> kStates = {"D0", "D1", "D2", "D3hot"};
    const auto at = space.capability(kCapabilityPower);
    if (const auto control = at ? space.byte(*at + 4) : std::nullopt)
        device.power_state = kStates[static_cast<std::size_t>(*control & 3)];
}

/// A list that is broken makes unknown what would come behind.
void judge_lists(const PciSpace& space, PciConfig& config) {
    const auto limit = [&](std::size_t bytes) {
        config.device.config_bytes = std::min(*config.device.config_bytes, static_cast<int>(bytes));
    };
    if (const auto at = space.damage()) {
        config.damage = fmt::format("the list of capabilities is broken at {:#x}", *at);
        if (!space.capability(kCapabilityExpress))
            limit(PciSpace::kHeaderBytes);
    }
    if (const auto at = space.extended_damage()) {
        config.damage = fmt::format("the list of extended capabilities is broken at {:#x}", *at);
        limit(PciSpace::kConventionalBytes);
    }
}

}  // namespace

PciConfig decode_pci_config(const ConfigSource& source, const PciFunction& function) {
    PciSpace space(source);
    PciConfig config;
    PciDevice& device = config.device;
    if (!space.byte(PciSpace::kHeaderBytes - 1)) {
        device.config_bytes = static_cast<int>(space.fetch(0, PciSpace::kHeaderBytes).size());
        return config;
    }
    const std::string head = space.fetch(0, kIdentityBytes);
    if (std::all_of(head.begin(), head.end(), [](char c) { return c == '\xff'; })) {
        config.answers = false;
        return config;
    }
    device.config_bytes = space.readable();
    space.walk();
    // A virtual function has 0xffff here; its identity is that of its physical function (SR-IOV, 9.3.4.1.1).
    PciFunction known = function;
    known.is_virtual = function.is_virtual || space.word(0) == 0xffff;
    config.is_virtual = known.is_virtual;
    decode_header(space, known.is_virtual, device);
    decode_subsystem(space, device);
    decode_power(space, device);
    if (const auto express = space.capability(kCapabilityExpress))
        decode_express(space, *express, known, device);
    decode_extended(space, device);
    config.has_vpd = space.has_capability(kCapabilityVpd);
    config.has_aer = space.has_extended(kExtendedAer);
    config.has_sriov = space.has_extended(kExtendedSriov);
    judge_lists(space, config);
    return config;
}

PciConfig decode_pci_config(std::string_view bytes, const PciFunction& function) {
    return decode_pci_config(
        [bytes](std::size_t offset, std::size_t size) {
            return offset < bytes.size() ? std::string(bytes.substr(offset, size)) : std::string();
        },
        function);
}

}  // namespace gpuadapt

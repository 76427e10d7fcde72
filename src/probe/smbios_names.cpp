// SPDX-License-Identifier: Apache-2.0
#include "probe/smbios_names.hpp"

#include "probe/smbios.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr std::array<std::string_view, 36> kChassis = {
    "Other",
    "Unknown",
    "Desktop",
    "Low Profile Desktop",
    "Pizza Box",
    "Mini Tower",
    "Tower",
    "Portable",
    "Laptop",
    "Notebook",
    "Hand Held",
    "Docking Station",
    "All in One",
    "Sub Notebook",
    "Space-saving",
    "Lunch Box",
    "Main Server Chassis",
    "Expansion Chassis",
    "SubChassis",
    "Bus Expansion Chassis",
    "Peripheral Chassis",
    "RAID Chassis",
    "Rack Mount Chassis",
    "Sealed-case PC",
    "Multi-system Chassis",
    "Compact PCI",
    "Advanced TCA",
    "Blade",
    "Blade Enclosure",
    "Tablet",
    "Convertible",
    "Detachable",
    "IoT Gateway",
    "Embedded PC",
    "Mini PC",
    "Stick PC",
};

struct NumberName {
    int number;
    std::string_view name;
};

std::optional<std::string> name_of(const auto& rows, int number) {
    const auto* const found =
        std::find_if(std::begin(rows), std::end(rows), [&](const NumberName& row) { return row.number == number; });
    return found == std::end(rows) ? std::nullopt : std::optional(std::string(found->name));
}

/// What is not made any more is left out.
constexpr NumberName kMemoryTypes[] = {
    {0x03, "DRAM"},         {0x0f, "SDRAM"},  {0x12, "DDR"},    {0x13, "DDR2"},
    {0x14, "DDR2 FB-DIMM"}, {0x18, "DDR3"},   {0x1a, "DDR4"},   {0x1b, "LPDDR"},
    {0x1c, "LPDDR2"},       {0x1d, "LPDDR3"}, {0x1e, "LPDDR4"}, {0x1f, "Logical non-volatile device"},
    {0x20, "HBM"},          {0x21, "HBM2"},   {0x22, "DDR5"},   {0x23, "LPDDR5"},
    {0x24, "HBM3"},
};

/// What is not PCI Express with a plain width; the rest follows kSlotFamilies.
constexpr NumberName kSlotTypes[] = {
    {0x06, "PCI"},
    {0x0e, "PCI-66"},
    {0x12, "PCI-X"},
    {0x14, "M.2 Socket 1-DP"},
    {0x15, "M.2 Socket 1-SD"},
    {0x16, "M.2 Socket 2"},
    {0x17, "M.2 Socket 3"},
    {0x18, "MXM Type I"},
    {0x19, "MXM Type II"},
    {0x1a, "MXM Type III"},
    {0x1b, "MXM Type III-HE"},
    {0x1c, "MXM Type IV"},
    {0x1d, "MXM 3.0 Type A"},
    {0x1e, "MXM 3.0 Type B"},
    {0x1f, "PCI Express 2 SFF-8639 (U.2)"},
    {0x20, "PCI Express 3 SFF-8639 (U.2)"},
    {0x21, "PCI Express Mini 52-pin with bottom-side keep-outs"},
    {0x22, "PCI Express Mini 52-pin without bottom-side keep-outs"},
    {0x23, "PCI Express Mini 76-pin"},
    {0x24, "PCI Express 4 SFF-8639 (U.2)"},
    {0x25, "PCI Express 5 SFF-8639 (U.2)"},
    {0x26, "OCP NIC 3.0 Small Form Factor (SFF)"},
    {0x27, "OCP NIC 3.0 Large Form Factor (LFF)"},
    {0x28, "OCP NIC Prior to 3.0"},
    {0x30, "CXL Flexbus 1.0"},
    {0xc4, "PCI Express 6+"},
    {0xc5, "EDSFF E1"},
    {0xc6, "EDSFF E3"},
};

/// Six numbers each: without a width, x1, x2, x4, x8, x16.
constexpr NumberName kSlotFamilies[] = {
    {0xa5, "PCI Express"},   {0xab, "PCI Express 2"}, {0xb1, "PCI Express 3"},
    {0xb8, "PCI Express 4"}, {0xbe, "PCI Express 5"},
};

constexpr NumberName kUsages[] = {{1, "other"}, {2, "unknown"}, {3, "available"}, {4, "in use"}, {5, "unavailable"}};

constexpr NumberName kIpmiInterfaces[] = {{1, "KCS"}, {2, "SMIC"}, {3, "BT"}, {4, "SSIF"}};

}  // namespace

std::optional<std::string> chassis_name(int type) {
    if (type < 1 || type > static_cast<int>(kChassis.size()))
        return std::nullopt;
    return std::string(kChassis[static_cast<std::size_t>(type) - 1]);
}

std::optional<std::string> memory_type_name(int type) {
    return name_of(kMemoryTypes, type);
}

std::optional<std::string> slot_type_name(int type) {
    constexpr std::array<std::string_view, 6> kWidths = {"", " x1", " x2", " x4", " x8", " x16"};
    for (const NumberName& family : kSlotFamilies)
        if (type >= family.number && type < family.number + static_cast<int>(kWidths.size()))
            return fmt::format("{}{}", family.name, kWidths[static_cast<std::size_t>(type - family.number)]);
    return name_of(kSlotTypes, type);
}

std::optional<std::string> slot_usage_name(int usage) {
    return name_of(kUsages, usage);
}

std::optional<int> slot_lanes(int width) {
    constexpr int kFirst = 8;
    constexpr std::array<int, 7> kLanes = {1, 2, 4, 8, 12, 16, 32};
    if (width < kFirst || width >= kFirst + static_cast<int>(kLanes.size()))
        return std::nullopt;
    return kLanes[static_cast<std::size_t>(width - kFirst)];
}

std::optional<std::string> ipmi_interface_name(int type) {
    return name_of(kIpmiInterfaces, type);
}

}  // namespace gpuadapt

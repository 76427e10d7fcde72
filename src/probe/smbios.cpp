// SPDX-License-Identifier: Apache-2.0
#include "probe/smbios.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

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

/// 7.18.2; what is not made any more is left out.
std::optional<std::string> memory_type_name(int type) {
    switch (type) {
        case 0x03:
            return "DRAM";
        case 0x0f:
            return "SDRAM";
        case 0x12:
            return "DDR";
        case 0x13:
            return "DDR2";
        case 0x14:
            return "DDR2 FB-DIMM";
        case 0x18:
            return "DDR3";
        case 0x1a:
            return "DDR4";
        case 0x1b:
            return "LPDDR";
        case 0x1c:
            return "LPDDR2";
        case 0x1d:
            return "LPDDR3";
        case 0x1e:
            return "LPDDR4";
        case 0x1f:
            return "Logical non-volatile device";
        case 0x20:
            return "HBM";
        case 0x21:
            return "HBM2";
        case 0x22:
            return "DDR5";
        case 0x23:
            return "LPDDR5";
        case 0x24:
            return "HBM3";
        default:
            return std::nullopt;
    }
}

/// One structure: the formatted area and the strings behind it. Everything is read within its bounds.
class Structure {
  public:
    Structure(std::string_view formatted, std::string_view strings) : formatted_(formatted), strings_(strings) {}

    [[nodiscard]] std::optional<std::uint8_t> byte(std::size_t offset) const {
        if (offset >= formatted_.size())
            return std::nullopt;
        return static_cast<std::uint8_t>(formatted_[offset]);
    }
    [[nodiscard]] std::optional<std::uint32_t> word(std::size_t offset) const { return number(offset, 2); }
    [[nodiscard]] std::optional<std::uint32_t> dword(std::size_t offset) const { return number(offset, 4); }

    /// The string whose number is at `offset`; nullopt when there is none or it is empty.
    [[nodiscard]] std::optional<std::string> text(std::size_t offset) const {
        const auto index = byte(offset);
        if (!index || *index == 0)
            return std::nullopt;
        std::string_view rest = strings_;
        for (int skip = 1; skip < *index && !rest.empty(); ++skip)
            rest.remove_prefix(std::min(rest.size(), rest.find('\0') + 1));
        const std::string_view found = trim(rest.substr(0, rest.find('\0')));
        if (found.empty())
            return std::nullopt;
        return clean_utf8(found);
    }

    [[nodiscard]] std::string_view bytes(std::size_t offset, std::size_t size) const {
        return offset + size <= formatted_.size() ? formatted_.substr(offset, size) : std::string_view();
    }

  private:
    [[nodiscard]] std::optional<std::uint32_t> number(std::size_t offset, std::size_t size) const {
        if (offset + size > formatted_.size())
            return std::nullopt;
        std::uint32_t value = 0;
        for (std::size_t i = size; i-- > 0;)
            value = value << 8 | static_cast<std::uint8_t>(formatted_[offset + i]);
        return value;
    }

    std::string_view formatted_, strings_;
};

/// 7.2.1: the first three fields are little-endian. All 0 or all 1 bits: not set.
std::optional<std::string> uuid_text(std::string_view raw) {
    if (raw.size() != 16)
        return std::nullopt;
    const auto all = [&](char value) {
        return std::all_of(raw.begin(), raw.end(), [&](char c) { return c == value; });
    };
    if (all('\0') || all('\xff'))
        return std::nullopt;
    constexpr std::array<std::size_t, 16> kOrder = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    std::string text;
    for (std::size_t i = 0; i < kOrder.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        text += fmt::format("{:02x}", static_cast<unsigned char>(raw[kOrder[i]]));
    }
    return text;
}

std::optional<std::int64_t> dimm_size(const Structure& item) {
    const auto size = item.word(0x0c);
    if (!size || *size == 0 || *size == 0xffff)  // empty slot, unknown
        return std::nullopt;
    if (*size == 0x7fff) {
        const auto extended = item.dword(0x1c);
        if (!extended || (*extended & 0x7fffffff) == 0)
            return std::nullopt;
        return static_cast<std::int64_t>(*extended & 0x7fffffff) << 20;
    }
    if ((*size & 0x7fff) == 0)
        return std::nullopt;
    const bool in_kilobytes = (*size & 0x8000) != 0;
    return static_cast<std::int64_t>(*size & 0x7fff) << (in_kilobytes ? 10 : 20);
}

/// MT/s; 0 is unknown, 0xffff refers to the wider field (version 3.3).
std::optional<int> dimm_speed(const Structure& item, std::size_t offset, std::size_t wide_offset) {
    const auto speed = item.word(offset);
    if (!speed || *speed == 0)
        return std::nullopt;
    if (*speed != 0xffff)
        return static_cast<int>(*speed);
    const auto wide = item.dword(wide_offset);
    if (!wide || (*wide & 0x7fffffff) == 0)
        return std::nullopt;
    return static_cast<int>(*wide & 0x7fffffff);
}

void add_dimm(const Structure& item, Smbios& result) {
    if (item.word(0x0c).value_or(0) == 0)
        return;  // the slot is empty
    Dimm dimm;
    dimm.size_bytes = dimm_size(item);
    dimm.locator = item.text(0x10);
    dimm.bank = item.text(0x11);
    dimm.type = memory_type_name(item.byte(0x12).value_or(0));
    dimm.speed_mt_s = dimm_speed(item, 0x15, 0x54);
    dimm.manufacturer = item.text(0x17);
    dimm.serial = item.text(0x18);
    dimm.part_number = item.text(0x1a);
    dimm.configured_speed_mt_s = dimm_speed(item, 0x20, 0x58);
    result.dimms.push_back(std::move(dimm));
}

void add_cpu(const Structure& item, Smbios& result) {
    constexpr std::uint8_t kPopulated = 0x40;  // 7.5, status
    constexpr std::uint8_t kCentralProcessor = 3;
    if ((item.byte(0x18).value_or(0) & kPopulated) == 0 || item.byte(0x05) != kCentralProcessor)
        return;
    ++result.cpu_sockets;
    if (auto model = item.text(0x10))
        result.cpu_models.push_back(std::move(*model));
}

void add_structure(int type, const Structure& item, std::array<bool, 4>& seen, Smbios& result) {
    Dmi& dmi = result.dmi;
    if (type < 4 && std::exchange(seen[static_cast<std::size_t>(type)], true))
        return;  // more boards and chassis: of blades, risers; the first is the system's
    switch (type) {
        case 0:
            dmi.bios_vendor = item.text(0x04);
            dmi.bios_version = item.text(0x05);
            dmi.bios_date = item.text(0x08);
            break;
        case 1:
            dmi.system_vendor = item.text(0x04);
            dmi.product_name = item.text(0x05);
            dmi.product_version = item.text(0x06);
            dmi.serial = item.text(0x07);
            dmi.uuid = uuid_text(item.bytes(0x08, 16));
            dmi.sku = item.text(0x19);
            break;
        case 2:
            dmi.board_vendor = item.text(0x04);
            dmi.board_name = item.text(0x05);
            dmi.board_version = item.text(0x06);
            dmi.board_serial = item.text(0x07);
            break;
        case 3:
            dmi.chassis_type = chassis_name(item.byte(0x05).value_or(0) & 0x7f);
            break;
        case 4:
            add_cpu(item, result);
            break;
        case 17:
            add_dimm(item, result);
            break;
        default:
            break;
    }
}

}  // namespace

std::optional<std::string> chassis_name(int type) {
    if (type < 1 || type > static_cast<int>(kChassis.size()))
        return std::nullopt;
    return std::string(kChassis[static_cast<std::size_t>(type) - 1]);
}

Smbios decode_smbios(std::string_view table) {
    constexpr int kEndOfTable = 127;
    constexpr std::size_t kHeader = 4;
    Smbios result;
    std::array<bool, 4> seen{};
    std::size_t at = 0;
    while (at < table.size()) {
        const std::string_view rest = table.substr(at);
        const std::size_t length = rest.size() > 1 ? static_cast<unsigned char>(rest[1]) : 0;
        const int type = static_cast<unsigned char>(rest[0]);
        if (length < kHeader || length > rest.size()) {
            result.damage_at = at;
            return result;
        }
        const std::string_view behind = rest.substr(length);
        const std::size_t end = behind.find(std::string_view("\0\0", 2));
        // A last structure whose strings are cut off is still good up to there, but something is missing.
        const bool whole = end != std::string_view::npos;
        if (type == kEndOfTable)
            return result;
        add_structure(type, Structure(rest.substr(0, length), behind.substr(0, whole ? end + 1 : end)), seen, result);
        if (!whole) {
            result.damage_at = at;
            return result;
        }
        at += length + end + 2;
    }
    return result;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "probe/smbios.hpp"

#include "probe/smbios_names.hpp"
#include "probe/smbios_structure.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

/// System Management BIOS reference specification, DSP0134.
namespace gpuadapt {

namespace {

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

void add_dimm(const Structure& item, const std::vector<std::uint32_t>& arrays, Smbios& result) {
    const auto size = item.word(0x0c);
    if (!size)
        return;
    ++result.dimm_slots;
    if (*size == 0)
        return;  // the slot is empty
    Dimm dimm;
    const auto array = std::find(arrays.begin(), arrays.end(), item.word(0x04));
    if (array != arrays.end())
        dimm.array = static_cast<int>(array - arrays.begin());
    dimm.size_bytes = dimm_size(item);
    dimm.locator = item.text(0x10);
    dimm.bank = item.text(0x11);
    dimm.type = memory_type_name(item.byte(0x12).value_or(0));
    dimm.speed_mt_s = dimm_speed(item, 0x15, 0x54);
    dimm.manufacturer = item.text(0x17);
    dimm.serial = item.text(0x18);
    dimm.part_number = item.text(0x1a);
    if (const int ranks = item.byte(0x1b).value_or(0) & 0xf; ranks != 0)
        dimm.ranks = ranks;
    dimm.configured_speed_mt_s = dimm_speed(item, 0x20, 0x58);
    result.dimms.push_back(std::move(dimm));
}

void add_cpu(const Structure& item, Smbios& result) {
    constexpr int kPopulated = 0x40;  // 7.5, status
    constexpr std::uint8_t kCentralProcessor = 3;
    constexpr int kDisabledByUser = 2;
    constexpr int kDisabledByBios = 3;  // virtual machines have many such sockets
    const int status = item.byte(0x18).value_or(0);
    const bool disabled = (status & 7) == kDisabledByUser || (status & 7) == kDisabledByBios;
    if ((status & kPopulated) == 0 || disabled || item.byte(0x05) != kCentralProcessor)
        return;
    ++result.cpu_sockets;
    // A virtual machine of QEMU has its own name there ("pc-q35-7.2"), not that of a processor.
    if (auto model = item.text(0x10); model && item.text(0x07) != "QEMU")
        result.cpu_models.push_back(std::move(*model));
}

/// 7.10: a slot. An address of all 1 bits is none; neither is 0000:00:00.0, the root complex itself.
void add_slot(const Structure& item, Smbios& result) {
    BoardSlot slot;
    slot.designation = item.text(0x04);
    slot.type = slot_type_name(item.byte(0x05).value_or(0));
    slot.width = slot_lanes(item.byte(0x06).value_or(0));
    slot.usage = slot_usage_name(item.byte(0x07).value_or(0));
    const auto segment = item.word(0x0d);
    const auto bus = item.byte(0x0f);
    const auto function = item.byte(0x10);
    const bool known = segment && bus && function && *segment != 0xffff && *bus != 0xff && *function != 0xff;
    if (known && (*segment != 0 || *bus != 0 || *function != 0))
        slot.pci_address = fmt::format("{:04x}:{:02x}:{:02x}.{}", *segment, *bus, *function >> 3, *function & 7);
    result.board_slots.push_back(std::move(slot));
}

/// 7.39: the version has a digit in each half of its byte.
void add_bmc(const Structure& item, Smbios& result) {
    result.bmc.interface = ipmi_interface_name(item.byte(0x04).value_or(0));
    const int version = item.byte(0x05).value_or(0);
    if (version != 0)
        result.bmc.ipmi_version = fmt::format("{}.{}", version >> 4, version & 0xf);
}

/// What is needed of the structures before.
struct Walk {
    std::array<bool, 4> seen{};         ///< types 0 to 3
    std::vector<std::uint32_t> arrays;  ///< handles of type 16, in their order
};

void add_structure(int type, const Structure& item, Walk& walk, Smbios& result) {
    Dmi& dmi = result.dmi;
    if (type < 4 && std::exchange(walk.seen[static_cast<std::size_t>(type)], true))
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
        case 9:
            add_slot(item, result);
            break;
        case 16:
            walk.arrays.push_back(item.word(0x02).value_or(0));
            break;
        case 17:
            add_dimm(item, walk.arrays, result);
            break;
        case 38:
            add_bmc(item, result);
            break;
        default:
            break;
    }
}

}  // namespace

Smbios decode_smbios(std::string_view table) {
    constexpr int kEndOfTable = 127;
    constexpr std::size_t kHeader = 4;
    Smbios result;
    Walk walk;
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
        if (type == kEndOfTable) {
            result.complete = true;
            return result;
        }
        add_structure(type, Structure(rest.substr(0, length), behind.substr(0, whole ? end + 1 : end)), walk, result);
        if (!whole) {
            result.damage_at = at;
            return result;
        }
        at += length + end + 2;
    }
    return result;
}

}  // namespace gpuadapt

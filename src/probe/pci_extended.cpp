// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_registers.hpp"

#include <bit>
#include <cstdint>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

/// 7.9.3. All 0 or all 1 bits is no number.
void decode_serial_number(PciSpace& space, std::size_t at, PciDevice& device) {
    const auto low = space.dword(at + 4);
    const auto high = space.dword(at + 8);
    if (!low || !high || (*low == 0 && *high == 0) || (*low == 0xffffffff && *high == 0xffffffff))
        return;
    std::string text;
    for (const std::uint32_t half : {*high, *low})
        for (int shift = 24; shift >= 0; shift -= 8)
            text += fmt::format("{}{:02x}", text.empty() ? "" : "-", half >> shift & 0xff);
    device.serial_number = text;
}

/// 7.7.11
void decode_acs(PciSpace& space, std::size_t at, PciDevice& device) {
    const auto capability = space.word(at + 4);
    const auto control = space.word(at + 6);
    if (capability && control)
        device.acs = PciAcs{*capability, *control};
}

/// 10.5.1
void decode_ats(PciSpace& space, std::size_t at, PciDevice& device) {
    if (const auto control = space.word(at + 6))
        device.ats = (*control & 0x8000) != 0;
}

/// 7.9.14
void decode_dpc(PciSpace& space, std::size_t at, PciDevice& device) {
    if (const auto status = space.word(at + 8))
        device.dpc_triggered = (*status & 1) != 0;
}

/// 7.8.6: for each resizable register a pair of capability (sizes from 1 MiB in bits 31:4) and control (index in bits
/// 2:0, number of pairs in 7:5 of the first, size in 13:8, sizes from 256 TiB in 31:16).
void decode_resizable_bar(PciSpace& space, std::size_t at, PciDevice& device) {
    constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
    constexpr int kLargestShift = 42;  // 4 EiB; 8 EiB does not fit 63 bits
    const auto first = space.dword(at + 8);
    const std::size_t count = first ? *first >> 5 & 7 : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto sizes = space.dword(at + 4 + i * 8);
        const auto control = space.dword(at + 8 + i * 8);
        if (!sizes || !control)
            return;
        const std::uint64_t offered = (*sizes >> 4) | static_cast<std::uint64_t>(*control >> 16) << 28;
        const int largest = static_cast<int>(std::bit_width(offered)) - 1;
        const int chosen = static_cast<int>(*control >> 8 & 0x3f);
        const int index = static_cast<int>(*control & 7);
        if (largest < 0 || largest > kLargestShift || chosen > kLargestShift || index > 5)
            continue;
        if (!device.resizable_bar || device.resizable_bar->largest_bytes < kMebibyte << largest)
            device.resizable_bar = PciResizableBar{index, kMebibyte << chosen, kMebibyte << largest};
    }
}

/// 7.7.5: bit 0 of the status, equalisation complete.
void decode_16_gt_s(PciSpace& space, std::size_t at, PciDevice& device) {
    const auto status = space.dword(at + 0x0c);
    if (status && device.link.current_gt_s == 16.0)
        device.link.equalized = (*status & 1) != 0;
}

/// 7.7.6: the same; but both ends may have agreed (bit 10) that none is needed.
void decode_32_gt_s(PciSpace& space, std::size_t at, PciDevice& device) {
    constexpr std::uint32_t kNotNeeded = 1U << 10;
    const auto status = space.dword(at + 0x0c);
    if (status && device.link.current_gt_s == 32.0 && (*status & kNotNeeded) == 0)
        device.link.equalized = (*status & 1) != 0;
}

struct Extended {
    int id;
    void (*decode)(PciSpace& space, std::size_t at, PciDevice& device);
};

constexpr Extended kExtended[] = {
    {0x0003, decode_serial_number}, {0x000d, decode_acs},     {0x000f, decode_ats},     {0x0015, decode_resizable_bar},
    {0x001d, decode_dpc},           {0x0026, decode_16_gt_s}, {0x002a, decode_32_gt_s},
};

}  // namespace

void decode_extended(PciSpace& space, PciDevice& device) {
    for (const Extended& row : kExtended)
        if (const auto at = space.extended(row.id))
            row.decode(space, *at, device);
}

}  // namespace gpuadapt

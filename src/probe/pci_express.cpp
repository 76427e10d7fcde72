// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_registers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>

/// The PCI Express capability (PCIe base spec 7.5.3). What a function does not have, for its type, its number or
/// because it is a virtual one (SR-IOV, chapter 9.3.5), reads as 0 and must not be taken for "off".
namespace gpuadapt {

namespace {

// Offsets in the capability.
constexpr std::size_t kFlags = 0x02;
constexpr std::size_t kDeviceCapabilities = 0x04;
constexpr std::size_t kDeviceControl = 0x08;
constexpr std::size_t kLinkCapabilities = 0x0c;
constexpr std::size_t kLinkControl = 0x10;
constexpr std::size_t kLinkStatus = 0x12;
constexpr std::size_t kDeviceCapabilities2 = 0x24;
constexpr std::size_t kDeviceControl2 = 0x28;
constexpr std::size_t kLinkCapabilities2 = 0x2c;
constexpr std::size_t kLinkControl2 = 0x30;
constexpr std::size_t kLinkStatus2 = 0x32;

/// Which end of its link a function is.
enum class LinkEnd { none, upper, lower };

struct PortType {
    int code;
    std::string_view name;
    LinkEnd end;
};

/// Device/Port Type, 7.5.3.2.
constexpr PortType kPortTypes[] = {
    {0, "endpoint", LinkEnd::lower},
    {1, "legacy endpoint", LinkEnd::lower},
    {4, "root port", LinkEnd::upper},
    {5, "upstream port", LinkEnd::lower},
    {6, "downstream port", LinkEnd::upper},
    {7, "PCIe-to-PCI bridge", LinkEnd::lower},
    {8, "PCI-to-PCIe bridge", LinkEnd::upper},
    {9, "root complex integrated endpoint", LinkEnd::none},
    {10, "root complex event collector", LinkEnd::none},
};

enum class Size { word, dword };

/// Who has a register.
struct Register {
    std::size_t offset;
    Size size;
    bool of_link;      ///< not in functions without a link
    bool in_virtual;   ///< a virtual function has it too
    bool first_alone;  ///< of the functions at the lower end of a link the first alone has it
};

constexpr Register kRegisters[] = {
    {kDeviceCapabilities, Size::dword, false, true, false}, {kDeviceControl, Size::word, false, false, false},
    {kLinkCapabilities, Size::dword, true, true, false},    {kLinkControl, Size::word, true, false, false},
    {kLinkStatus, Size::word, true, false, false},          {kDeviceCapabilities2, Size::dword, false, true, false},
    {kDeviceControl2, Size::word, false, false, false},     {kLinkCapabilities2, Size::dword, true, true, false},
    {kLinkControl2, Size::word, true, false, true},         {kLinkStatus2, Size::word, true, false, true},
};

/// The registers that this function has.
class Registers {
  public:
    Registers(PciSpace& space, std::size_t at, int flags, const PciFunction& function)
        : space_(space), at_(at), version_(flags & 0xf), type_(flags >> 4 & 0xf), function_(function) {
        const auto* const row = std::find_if(std::begin(kPortTypes), std::end(kPortTypes),
                                             [&](const PortType& entry) { return entry.code == type_; });
        known_ = row == std::end(kPortTypes) ? nullptr : row;
    }

    [[nodiscard]] std::string type_name() const {
        return known_ ? std::string(known_->name) : "type " + std::to_string(type_);
    }
    [[nodiscard]] LinkEnd end() const { return known_ ? known_->end : LinkEnd::lower; }

    [[nodiscard]] std::optional<std::uint32_t> get(std::size_t offset) {
        const auto* const row = std::find_if(std::begin(kRegisters), std::end(kRegisters),
                                             [&](const Register& entry) { return entry.offset == offset; });
        // Version 1 of the capability ends before the second registers.
        if (row == std::end(kRegisters) || (offset >= kDeviceCapabilities2 && version_ < 2))
            return std::nullopt;
        if ((row->of_link && end() == LinkEnd::none) || (!row->in_virtual && function_.is_virtual))
            return std::nullopt;
        if (row->first_alone && end() == LinkEnd::lower && !function_.is_first)
            return std::nullopt;
        if (row->size == Size::dword)
            return space_.dword(at_ + offset);
        const auto value = space_.word(at_ + offset);
        return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
    }

    [[nodiscard]] std::optional<int> field(std::size_t offset, int shift, std::uint32_t mask) {
        const auto value = get(offset);
        return value ? std::optional(static_cast<int>(*value >> shift & mask)) : std::nullopt;
    }

    [[nodiscard]] std::optional<bool> bit(std::size_t offset, int number) {
        const auto value = field(offset, number, 1);
        return value ? std::optional(*value != 0) : std::nullopt;
    }

  private:
    PciSpace& space_;
    std::size_t at_;
    int version_, type_;
    PciFunction function_;
    const PortType* known_ = nullptr;
};

struct DeviceBit {
    std::size_t offset;
    int bit;
    std::optional<bool> PciDevice::*field;
};

constexpr DeviceBit kDeviceBits[] = {
    {kDeviceCapabilities, 5, &PciDevice::extended_tag_capable},
    {kDeviceControl, 4, &PciDevice::relaxed_ordering},
    {kDeviceControl, 8, &PciDevice::extended_tag},
    {kDeviceCapabilities2, 16, &PciDevice::ten_bit_tag_completer},
    {kDeviceCapabilities2, 17, &PciDevice::ten_bit_tag_requester},
    {kDeviceControl2, 12, &PciDevice::ten_bit_tag},
};

/// A bit that only some ports report: those at the upper end, or those with a capability bit.
struct LinkBit {
    std::size_t offset;
    int bit;
    std::optional<bool> PciLink::*field;
    bool upper_end_only;
    std::size_t capability_offset;  ///< 0: none is needed
    int capability_bit;
};

constexpr LinkBit kLinkBits[] = {
    {kLinkStatus, 11, &PciLink::training, true, 0, 0},
    {kLinkStatus, 13, &PciLink::active, true, kLinkCapabilities, 20},
    {kLinkStatus, 14, &PciLink::bandwidth_changed, true, kLinkCapabilities, 21},
    {kLinkStatus, 15, &PciLink::autonomous_bandwidth, true, kLinkCapabilities, 21},
    {kLinkStatus2, 6, &PciLink::retimer, false, kLinkCapabilities2, 23},
};

/// 128 << code; 6 and 7 are reserved.
std::optional<int> size_of_code(std::optional<int> code) {
    return code && *code <= 5 ? std::optional(128 << *code) : std::nullopt;
}

std::optional<double> speed_of(std::optional<int> code) {
    return code ? pcie_speed_of_code(*code) : std::nullopt;
}

std::optional<std::string> aspm_name(std::optional<int> code) {
    constexpr std::array<std::string_view, 4> kNames = {"off", "L0s", "L1", "L0s L1"};
    return code ? std::optional<std::string>(kNames[static_cast<std::size_t>(*code)]) : std::nullopt;
}

PciLink decode_link(Registers& registers) {
    PciLink link;
    link.capable_gt_s = speed_of(registers.field(kLinkCapabilities, 0, 0xf));
    const auto capable = registers.field(kLinkCapabilities, 4, 0x3f);
    if (capable && is_pcie_width(*capable))
        link.capable_width = capable;
    const auto width = registers.field(kLinkStatus, 4, 0x3f);
    if (width && (*width == 0 || is_pcie_width(*width)))
        link.current_width = width;
    if (link.current_width.value_or(0) != 0)  // without lanes the speed field says nothing
        link.current_gt_s = speed_of(registers.field(kLinkStatus, 0, 0xf));
    const auto target = registers.field(kLinkControl2, 0, 0xf);
    link.target_gt_s = speed_of(target);
    // What can do 2.5 GT/s only may leave the field 0.
    if (target == 0 && link.capable_gt_s == 2.5)
        link.target_gt_s = 2.5;
    link.aspm_capable = aspm_name(registers.field(kLinkCapabilities, 10, 3));
    link.aspm = aspm_name(registers.field(kLinkControl, 0, 3));
    for (const LinkBit& row : kLinkBits) {
        if (row.upper_end_only && registers.end() != LinkEnd::upper)
            continue;
        if (row.capability_offset == 0 || registers.bit(row.capability_offset, row.capability_bit) == true)
            link.*row.field = registers.bit(row.offset, row.bit);
    }
    // 16 and 32 GT/s have it in extended capabilities.
    if (link.current_gt_s == 8.0)
        link.equalized = registers.bit(kLinkStatus2, 1);
    return link;
}

}  // namespace

std::optional<double> pcie_speed_of_code(int code) {
    // pciutils 3.14 reads 8 as 128 GT/s, where 7 would follow.
    constexpr std::array<double, 9> kSpeeds = {0, 2.5, 5, 8, 16, 32, 64, 128, 128};
    if (code < 1 || code >= static_cast<int>(kSpeeds.size()))
        return std::nullopt;
    return kSpeeds[static_cast<std::size_t>(code)];
}

bool is_pcie_width(int lanes) {
    constexpr std::array<int, 7> kWidths = {1, 2, 4, 8, 12, 16, 32};
    return std::find(kWidths.begin(), kWidths.end(), lanes) != kWidths.end();
}

void decode_express(PciSpace& space, std::size_t at, const PciFunction& function, PciDevice& device) {
    const auto flags = space.word(at + kFlags);
    if (!flags)
        return;
    space.fetch(at + kDeviceCapabilities, kLinkStatus + 2 - kDeviceCapabilities);
    if ((*flags & 0xf) >= 2)
        space.fetch(at + kDeviceCapabilities2, kLinkStatus2 + 2 - kDeviceCapabilities2);
    Registers registers(space, at, *flags, function);
    device.port_type = registers.type_name();
    device.max_payload_capable_bytes = size_of_code(registers.field(kDeviceCapabilities, 0, 7));
    device.max_payload_bytes = size_of_code(registers.field(kDeviceControl, 5, 7));
    device.max_read_request_bytes = size_of_code(registers.field(kDeviceControl, 12, 7));
    for (const DeviceBit& row : kDeviceBits)
        device.*row.field = registers.bit(row.offset, row.bit);
    device.link = decode_link(registers);
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_config.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace gpuadapt {

namespace {

constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kSpaceBytes = 4096;
constexpr std::size_t kExtendedStart = 0x100;
constexpr std::size_t kExtendedBlock = 128;
constexpr int kCapabilityPcie = 0x10;
constexpr int kCapabilitySubsystem = 0x0d;
constexpr int kExtendedAcs = 0x000d;
// A capability is at least 4 (8) bytes long, so a longer chain runs in a circle.
constexpr int kMostCapabilities = (0x100 - 0x40) / 4;
constexpr int kMostExtended = (0x1000 - 0x100) / 8;

/// Registers of a space that is fetched in blocks: header, capabilities, and pieces of the extended space.
class Reader {
  public:
    explicit Reader(const ConfigSource& source) : source_(source) {}

    [[nodiscard]] std::string_view block(std::size_t begin, std::size_t size) {
        const auto [place, is_new] = blocks_.try_emplace(begin);
        if (is_new)
            place->second = source_(begin, size).substr(0, size);
        return place->second;
    }

    [[nodiscard]] std::optional<int> byte(std::size_t at) { return number(at, 1); }
    [[nodiscard]] std::optional<int> word(std::size_t at) { return number(at, 2); }
    [[nodiscard]] std::optional<std::uint32_t> dword(std::size_t at) {
        const auto low = word(at);
        const auto high = word(at + 2);
        if (!low || !high)
            return std::nullopt;
        return static_cast<std::uint32_t>(*high) << 16 | static_cast<std::uint32_t>(*low);
    }

    /// The last four bytes tell whether the whole space can be read.
    [[nodiscard]] int readable() {
        if (source_(kSpaceBytes - 4, 4).size() == 4)
            return static_cast<int>(kSpaceBytes);
        return static_cast<int>(kHeaderBytes + block(kHeaderBytes, kExtendedStart - kHeaderBytes).size());
    }

  private:
    [[nodiscard]] std::optional<int> number(std::size_t at, std::size_t size) {
        int value = 0;
        for (std::size_t i = size; i-- > 0;) {
            const auto next = one(at + i);
            if (!next)
                return std::nullopt;
            value = value << 8 | *next;
        }
        return value;
    }
    [[nodiscard]] std::optional<int> one(std::size_t at) {
        std::size_t begin = 0;
        std::size_t size = kHeaderBytes;
        if (at >= kSpaceBytes)
            return std::nullopt;
        if (at >= kExtendedStart) {
            begin = at / kExtendedBlock * kExtendedBlock;
            size = kExtendedBlock;
        } else if (at >= kHeaderBytes) {
            begin = kHeaderBytes;
            size = kExtendedStart - kHeaderBytes;
        }
        const std::string_view bytes = block(begin, size);
        if (at - begin >= bytes.size())
            return std::nullopt;
        return static_cast<unsigned char>(bytes[at - begin]);
    }

    const ConfigSource& source_;
    std::map<std::size_t, std::string> blocks_;
};

/// Offset of the first capability of that id (PCI 3.0, 6.7).
std::optional<std::size_t> find_capability(Reader& config, int id) {
    constexpr int kHasList = 0x10;  // status register
    const int header_type = config.byte(0x0e).value_or(0) & 0x7f;
    if ((config.word(0x06).value_or(0) & kHasList) == 0 || header_type > 2)
        return std::nullopt;
    std::size_t next = header_type == 2 ? 0x14 : 0x34;
    for (int i = 0; i <= kMostCapabilities; ++i) {
        const auto at = config.byte(next);
        if (!at || (*at & 0xfc) < 0x40)
            return std::nullopt;
        const auto offset = static_cast<std::size_t>(*at & 0xfc);
        const auto found = config.byte(offset);
        if (!found || *found == 0xff)
            return std::nullopt;
        if (*found == id)
            return offset;
        next = offset + 1;
    }
    return std::nullopt;
}

/// PCIe 7.6.3: id in bits 15:0, offset of the next in bits 31:20.
std::optional<std::size_t> find_extended(Reader& config, int id) {
    std::size_t offset = kExtendedStart;
    for (int i = 0; i <= kMostExtended; ++i) {
        const auto header = config.dword(offset);
        if (!header || *header == 0 || *header == 0xffffffff)
            return std::nullopt;
        if (static_cast<int>(*header & 0xffff) == id)
            return offset;
        offset = *header >> 20 & 0xffc;
        if (offset < kExtendedStart)
            return std::nullopt;
    }
    return std::nullopt;
}

/// PCIe 7.5.3.2, Device/Port Type.
std::optional<std::string> port_type_name(int type) {
    constexpr std::array<std::string_view, 11> kNames = {
        "endpoint",
        "legacy endpoint",
        "",
        "",
        "root port",
        "upstream port",
        "downstream port",
        "PCIe-to-PCI bridge",
        "PCI-to-PCIe bridge",
        "root complex integrated endpoint",
        "root complex event collector",
    };
    if (type >= static_cast<int>(kNames.size()) || kNames[static_cast<std::size_t>(type)].empty())
        return "type " + std::to_string(type);
    return std::string(kNames[static_cast<std::size_t>(type)]);
}

/// 128 << code; 6 and 7 are reserved.
std::optional<int> size_of_code(std::optional<int> reg, int shift) {
    if (!reg)
        return std::nullopt;
    const int code = *reg >> shift & 7;
    return code > 5 ? std::nullopt : std::optional(128 << code);
}

std::optional<double> speed_in(std::optional<int> reg) {
    return reg ? pcie_speed_of_code(*reg & 0xf) : std::nullopt;
}

std::optional<int> width_in(std::optional<int> reg, bool may_be_none) {
    if (!reg)
        return std::nullopt;
    const int lanes = *reg >> 4 & 0x3f;
    return is_pcie_width(lanes) || (may_be_none && lanes == 0) ? std::optional(lanes) : std::nullopt;
}

PciLink decode_link(Reader& config, std::size_t pcie, int version) {
    PciLink link;
    const auto capability = config.word(pcie + 0x0c);
    const auto status = config.word(pcie + 0x12);
    link.capable_gt_s = speed_in(capability);
    link.capable_width = width_in(capability, false);
    link.current_width = width_in(status, true);
    if (link.current_width.value_or(0) != 0)  // without lanes the speed field says nothing
        link.current_gt_s = speed_in(status);
    if (version < 2)
        return link;
    const auto control2 = config.word(pcie + 0x30);
    link.target_gt_s = speed_in(control2);
    // What can do 2.5 GT/s only may leave the field 0. Elsewhere 0 says nothing: functions above 0 have it reserved.
    if (control2 && (*control2 & 0xf) == 0 && link.capable_gt_s == 2.5)
        link.target_gt_s = 2.5;
    return link;
}

void decode_pcie(Reader& config, PciConfig& result) {
    const auto pcie = find_capability(config, kCapabilityPcie);
    const auto flags = pcie ? config.word(*pcie + 2) : std::nullopt;
    if (!flags)
        return;
    const int type = *flags >> 4 & 0xf;
    result.port_type = port_type_name(type);
    result.max_payload_capable_bytes = size_of_code(config.word(*pcie + 4), 0);
    const auto control = config.word(*pcie + 8);
    result.max_payload_bytes = size_of_code(control, 5);
    result.max_read_request_bytes = size_of_code(control, 12);
    // What is inside the root complex has no link, and no such registers.
    constexpr int kIntegratedEndpoint = 9;
    constexpr int kEventCollector = 10;
    if (type != kIntegratedEndpoint && type != kEventCollector)
        result.link = decode_link(config, *pcie, *flags & 0xf);
    // With part of the extended space a broken chain cannot be told from one that ends.
    if (result.bytes < static_cast<int>(kSpaceBytes))
        return;
    if (const auto acs = find_extended(config, kExtendedAcs)) {
        const auto capability = config.word(*acs + 4);
        const auto acs_control = config.word(*acs + 6);
        if (capability && acs_control)
            result.acs = PciAcs{*capability, *acs_control};
    }
}

void decode_subsystem(Reader& config, PciConfig& result) {
    std::optional<std::size_t> at;
    const int header_type = config.byte(0x0e).value_or(0) & 0x7f;
    if (header_type == 0)
        at = 0x2c;
    else if (header_type == 1)
        if (const auto capability = find_capability(config, kCapabilitySubsystem))
            at = *capability + 4;
    const auto vendor = at ? config.word(*at) : std::nullopt;
    if (!vendor || *vendor == 0 || *vendor == 0xffff)
        return;
    result.subsystem_vendor_id = vendor;
    result.subsystem_device_id = config.word(*at + 2);
}

}  // namespace

std::optional<double> pcie_speed_of_code(int code) {
    switch (code) {
        case 1:
            return 2.5;
        case 2:
            return 5.0;
        case 3:
            return 8.0;
        case 4:
            return 16.0;
        case 5:
            return 32.0;
        case 6:
            return 64.0;
        case 7:
        case 8:
            return 128.0;  // pciutils 3.14 reads 8 so
        default:
            return std::nullopt;
    }
}

bool is_pcie_width(int lanes) {
    constexpr std::array<int, 7> kWidths = {1, 2, 4, 8, 12, 16, 32};
    return std::find(kWidths.begin(), kWidths.end(), lanes) != kWidths.end();
}

PciConfig decode_pci_config(const ConfigSource& source) {
    Reader config(source);
    PciConfig result;
    const std::string_view head = config.block(0, kHeaderBytes);
    result.bytes = static_cast<int>(head.size());
    if (head.size() < kHeaderBytes)
        return result;
    if (std::all_of(head.begin(), head.end(), [](char c) { return c == '\xff'; })) {
        result.answers = false;
        return result;
    }
    result.bytes = config.readable();
    // A virtual function has 0xffff here; its identity is that of its physical function (SR-IOV spec, 3.4.1).
    if (config.word(0) != 0xffff) {
        result.vendor_id = config.word(0);
        result.device_id = config.word(2);
    }
    result.revision = config.byte(8);
    result.class_code = static_cast<int>(*config.dword(8) >> 8);
    decode_subsystem(config, result);
    decode_pcie(config, result);
    return result;
}

PciConfig decode_pci_config(std::string_view bytes) {
    return decode_pci_config([bytes](std::size_t offset, std::size_t size) {
        return offset < bytes.size() ? std::string(bytes.substr(offset, size)) : std::string();
    });
}

}  // namespace gpuadapt

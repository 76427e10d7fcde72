// SPDX-License-Identifier: Apache-2.0
#include "ingest/lspci_registers.hpp"

#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <array>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

/// "MaxPayload 256 bytes": a power of two that the spec has.
std::optional<int> payload(std::string_view body, std::string_view key) {
    const auto bytes = scan_int(behind(body, key));
    return bytes && *bytes >= 128 && *bytes <= 4096 && (*bytes & (*bytes - 1)) == 0 ? bytes : std::nullopt;
}

/// "Width x16"; 0 is a link without partner.
std::optional<int> width(std::string_view body, bool may_be_none) {
    constexpr std::array<int, 7> kWidths = {1, 2, 4, 8, 12, 16, 32};
    const auto lanes = scan_int(behind(body, "Width x"));
    const bool known = lanes && std::find(kWidths.begin(), kWidths.end(), *lanes) != kWidths.end();
    return known || (may_be_none && lanes == 0) ? lanes : std::nullopt;
}

/// "8GT/s" -> 8; nullopt for "unknown" and for what is no speed of PCI Express.
std::optional<double> speed(std::string_view text) {
    constexpr std::array<double, 7> kSpeeds = {2.5, 5, 8, 16, 32, 64, 128};
    const auto value = scan_real(text);
    if (!value || text.substr(0, 12).find("GT/s") == kNone ||
        std::find(kSpeeds.begin(), kSpeeds.end(), *value) == kSpeeds.end())
        return std::nullopt;
    return value;
}

/// "ASPM L0s L1, Exit Latency ...", "ASPM not supported", "ASPM L1 Enabled; ...", "ASPM Disabled; ...".
std::optional<std::string> aspm(std::string_view body) {
    const std::string_view rest = behind(body, "ASPM ");
    if (rest.starts_with("not supported") || rest.starts_with("Disabled"))
        return "off";
    for (const std::string_view name : {"L0s L1", "L0s", "L1"})
        if (rest.starts_with(name))
            return std::string(name);
    return std::nullopt;  // "unknown" of old versions
}

struct FlagField {
    std::string_view name;
    std::optional<bool> PciDevice::*field;
};

template <std::size_t N>
void take_flags(std::string_view body, const FlagField (&rows)[N], PciDevice& device) {
    for (const FlagField& row : rows)
        set(device.*row.field, lspci_flag(body, row.name));
}

constexpr std::array<std::string_view, 7> kAcsBits = {"SrcValid",    "TransBlk",   "ReqRedir",   "CmpltRedir",
                                                      "UpstreamFwd", "EgressCtrl", "DirectTrans"};

/// All seven bits, or nothing: in a cut line a missing one must not become "off".
std::optional<int> acs_bits(std::string_view body) {
    int bits = 0;
    for (std::size_t i = 0; i < kAcsBits.size(); ++i) {
        const auto flag = lspci_flag(body, kAcsBits[i]);
        if (!flag)
            return std::nullopt;
        bits |= *flag ? 1 << i : 0;
    }
    return bits;
}

struct PortName {
    std::string_view printed, name;
};

/// "Express (v2) ..." as lspci prints it; one that is the beginning of another one comes after it.
constexpr PortName kPorts[] = {
    {"Endpoint", "endpoint"},
    {"Legacy Endpoint", "legacy endpoint"},
    {"Root Port", "root port"},
    {"Upstream Port", "upstream port"},
    {"Downstream Port", "downstream port"},
    {"PCI-Express to PCI/PCI-X Bridge", "PCIe-to-PCI bridge"},
    {"PCI/PCI-X to PCI-Express Bridge", "PCI-to-PCIe bridge"},
    {"Root Complex Integrated Endpoint", "root complex integrated endpoint"},
    {"Root Complex Event Collector", "root complex event collector"},
};

void take_port_type(std::string_view body, PciDevice& device) {
    const std::string_view rest = behind(body, ") ");
    for (const PortName& row : kPorts)
        if (rest.starts_with(row.printed))
            set(device.port_type, std::optional<std::string>(row.name));
}

void take_serial_number(std::string_view body, PciDevice& device) {
    constexpr std::size_t kLength = 23;  // "00-11-22-33-44-55-66-77"
    const std::string_view text = trim(body).substr(0, kLength);
    if (text.size() < kLength || text.find_first_not_of("0123456789abcdef-") != kNone)
        return;
    if (text != "00-00-00-00-00-00-00-00" && text != "ff-ff-ff-ff-ff-ff-ff-ff")
        set(device.serial_number, std::optional<std::string>(text));
}

/// "BAR 1: current size: 8GB, supported: 64MB 128MB ... 8GB BAR 3: ...": the largest register.
void take_resizable_bar(std::string_view body, PciDevice& device) {
    if (device.resizable_bar)
        return;
    for (std::string_view rest = behind(body, "BAR "); !rest.empty(); rest = behind(rest, "BAR ")) {
        const auto index = scan_int(rest);
        const auto bytes = scan_bytes(behind(rest.substr(0, 80), "current size: "));
        std::string_view sizes = behind(rest.substr(0, 80).find("supported: ") == kNone ? "" : rest, "supported: ");
        std::int64_t largest = 0;
        while (const auto size = scan_bytes(sizes)) {
            largest = std::max(largest, *size);
            const std::size_t blank = sizes.find(' ');
            sizes = blank == kNone ? std::string_view() : sizes.substr(blank + 1);
        }
        if (index && *index <= 5 && bytes && largest > 0 &&
            (!device.resizable_bar || device.resizable_bar->largest_bytes < largest))
            device.resizable_bar = PciResizableBar{*index, *bytes, largest};
    }
}

/// "Product Name: X Read-only fields: [PN] Part number: Y [EC] Engineering changes: Z [SN] Serial number: W ... End".
void take_vpd(std::string_view body, PciDevice& device) {
    struct Field {
        std::string_view key;
        std::optional<std::string> PciVpd::*field;
    };
    constexpr Field kFields[] = {
        {"Product Name: ", &PciVpd::product},
        {"[PN] Part number: ", &PciVpd::part_number},
        {"[SN] Serial number: ", &PciVpd::serial},
        {"[EC] Engineering changes: ", &PciVpd::change_level},
    };
    PciVpd vpd;
    for (const Field& row : kFields) {
        std::string_view value = behind(body, row.key).substr(0, 256);
        for (const std::string_view end : {" [", " Read-only fields:", " Read/write fields:", " End", " Unknown "})
            value = value.substr(0, value.find(end));
        if (!trim(value).empty())
            vpd.*row.field = one_blank(value);
    }
    if (!(vpd == PciVpd{}) && !device.vpd)
        device.vpd = vpd;
}

/// "Memory at 4000000000 (64-bit, prefetchable) [disabled] [size=16G]", "I/O ports at 4000 [size=256]". Without a size
/// (a dump read by lspci -F) there is nothing to tell.
std::optional<PciBar> bar_of(std::string_view body, int index) {
    PciBar bar;
    bar.index = index;
    const auto bytes = scan_bytes(behind(body, "[size="));
    if (!bytes || *bytes <= 0)
        return std::nullopt;
    bar.bytes = *bytes;
    const std::string kind = body.find("non-prefetchable") != kNone ? "memory" : "prefetchable";
    if (body.find("I/O ports") != kNone)
        bar.kind = "io";
    else if (body.find("(64-bit") != kNone)
        bar.kind = kind + "64";
    else if (body.find("(32-bit") != kNone || body.find("(low-1M") != kNone)
        bar.kind = kind + "32";
    bar.assigned = body.find("<unassigned>") == kNone && body.find("<ignored>") == kNone;
    return bar;
}

void add_bar(const std::optional<PciBar>& bar, PciDevice& device) {
    if (bar && std::none_of(device.bars.begin(), device.bars.end(),
                            [&](const PciBar& other) { return other.index == bar->index; }))
        device.bars.push_back(*bar);
}

}  // namespace

bool LspciRegisters::is_virtual() const {
    return device.device_name && device.device_name->find("Virtual Function") != std::string::npos;
}

bool LspciRegisters::is_upper_end() const {
    return device.port_type == "root port" || device.port_type == "downstream port" ||
           device.port_type == "PCI-to-PCIe bridge";
}

bool LspciRegisters::has_second_registers() const {
    return device.port_type && !is_virtual() && (is_upper_end() || device.address.ends_with(":00.0"));
}

std::optional<bool> lspci_flag(std::string_view body, std::string_view name) {
    for (std::size_t at = body.find(name); at != kNone; at = body.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || body[at - 1] == ' ') && end < body.size() && (body[end] == '+' || body[end] == '-'))
            return body[end] == '+';
    }
    return std::nullopt;
}

void take_lspci_capability(std::string_view body, LspciRegisters& seen) {
    struct Row {
        std::string_view start;
        void (*take)(std::string_view body, PciDevice& device);
    };
    constexpr Row kRows[] = {
        {"Express ", take_port_type},
        {"Device Serial Number ", take_serial_number},
        {"Physical Resizable BAR", take_resizable_bar},
        {"Resizable BAR", take_resizable_bar},
        {"Vital Product Data", take_vpd},
    };
    for (const Row& row : kRows)
        if (body.starts_with(row.start))
            row.take(body.substr(row.start.size()), seen.device);
}

void take_lspci_region(std::string_view body, LspciRegisters& seen) {
    const auto index = scan_int(body);
    if (index && *index <= 5)
        add_bar(bar_of(body, *index), seen.device);
}

void take_lspci_rom(std::string_view body, LspciRegisters& seen) {
    constexpr int kRom = 6;
    auto bar = bar_of(body, kRom);
    if (bar)
        bar->kind = "memory32";
    add_bar(bar, seen.device);
}

void take_lspci_device_capabilities(std::string_view body, LspciRegisters& seen) {
    set(seen.device.max_payload_capable_bytes, payload(body, "MaxPayload "));
    set(seen.device.extended_tag_capable, lspci_flag(body, "ExtTag"));
}

void take_lspci_device_control(std::string_view body, LspciRegisters& seen) {
    if (seen.is_virtual())
        return;
    set(seen.device.max_payload_bytes, payload(body, "MaxPayload "));
    set(seen.device.max_read_request_bytes, payload(body, "MaxReadReq "));
    constexpr FlagField kRows[] = {{"RlxdOrd", &PciDevice::relaxed_ordering}, {"ExtTag", &PciDevice::extended_tag}};
    take_flags(body, kRows, seen.device);
}

void take_lspci_link_capabilities(std::string_view body, LspciRegisters& seen) {
    PciLink& link = seen.device.link;
    set(link.capable_gt_s, speed(behind(body, "Speed ")));
    set(link.capable_width, width(body, false));
    set(link.aspm_capable, aspm(body));
    set(seen.reports_active, lspci_flag(body, "LLActRep"));
    set(seen.reports_bandwidth, lspci_flag(body, "BwNot"));
}

void take_lspci_link_control(std::string_view body, LspciRegisters& seen) {
    if (!seen.is_virtual())
        set(seen.device.link.aspm, aspm(body));
}

void take_lspci_link_status(std::string_view body, LspciRegisters& seen) {
    if (seen.is_virtual())
        return;
    PciLink& link = seen.device.link;
    set(link.current_width, width(body, true));
    if (link.current_width.value_or(0) != 0)  // without lanes the speed says nothing
        set(link.current_gt_s, speed(behind(body, "Speed ")));
    if (!seen.is_upper_end())
        return;
    set(link.training, lspci_flag(body, "Train"));
    if (seen.reports_active == true)
        set(link.active, lspci_flag(body, "DLActive"));
    if (seen.reports_bandwidth == true) {
        set(link.bandwidth_changed, lspci_flag(body, "BWMgmt"));
        set(link.autonomous_bandwidth, lspci_flag(body, "ABWMgmt"));
    }
}

void take_lspci_device_capabilities2(std::string_view body, LspciRegisters& seen) {
    constexpr FlagField kRows[] = {{"10BitTagComp", &PciDevice::ten_bit_tag_completer},
                                   {"10BitTagReq", &PciDevice::ten_bit_tag_requester}};
    take_flags(body, kRows, seen.device);
}

void take_lspci_device_control2(std::string_view body, LspciRegisters& seen) {
    if (!seen.is_virtual())
        set(seen.device.ten_bit_tag, lspci_flag(body, "10BitTagReq"));
}

void take_lspci_link_capabilities2(std::string_view body, LspciRegisters& seen) {
    set(seen.detects_retimer, lspci_flag(body, "Retimer"));
}

void take_lspci_link_control2(std::string_view body, LspciRegisters& seen) {
    if (!seen.has_second_registers())
        return;
    set(seen.device.link.target_gt_s, speed(behind(body, "Target Link Speed: ")));
}

void take_lspci_link_status2(std::string_view body, LspciRegisters& seen) {
    if (!seen.has_second_registers())
        return;
    if (seen.detects_retimer == true)
        set(seen.device.link.retimer, lspci_flag(body, "Retimer"));
    if (seen.device.link.current_gt_s == 8.0)
        set(seen.device.link.equalized, lspci_flag(body, "EqualizationComplete"));
}

void take_lspci_phy16(std::string_view body, LspciRegisters& seen) {
    if (seen.device.link.current_gt_s == 16.0)
        set(seen.device.link.equalized, lspci_flag(body, "EquComplete"));
}

void take_lspci_phy32(std::string_view body, LspciRegisters& seen) {
    // Both ends may have agreed that none is needed.
    if (seen.device.link.current_gt_s == 32.0 && lspci_flag(body, "NoEqualizationNeededRecv") == false)
        set(seen.device.link.equalized, lspci_flag(body, "EquComplete"));
}

void take_lspci_acs_capabilities(std::string_view body, LspciRegisters& seen) {
    set(seen.acs_capability, acs_bits(body));
}

void take_lspci_acs_control(std::string_view body, LspciRegisters& seen) {
    const auto bits = acs_bits(body);
    if (bits && seen.acs_capability && !seen.device.acs)
        seen.device.acs = PciAcs{*seen.acs_capability, *bits};
}

void take_lspci_ats_control(std::string_view body, LspciRegisters& seen) {
    set(seen.device.ats, lspci_flag(body, "Enable"));
}

void take_lspci_dpc_status(std::string_view body, LspciRegisters& seen) {
    set(seen.device.dpc_triggered, lspci_flag(body, "Trigger"));
}

void take_lspci_virtual_functions(std::string_view body, LspciRegisters& seen) {
    set(seen.device.virtual_functions_total, scan_int(behind(body, "Total VFs: ")));
    set(seen.device.virtual_functions, scan_int(behind(body, "Number of VFs: ")));
}

}  // namespace gpuadapt::ingest

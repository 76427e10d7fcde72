// SPDX-License-Identifier: Apache-2.0
#include "ingest/lspci_block.hpp"

#include "ingest/lspci_names.hpp"
#include "ingest/lspci_registers.hpp"
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>

namespace gpuadapt::ingest {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

/// What a capability section is about, for keywords that mean different things in different ones.
enum class Capability { none, power, other };

/// What is known while the sections of one device are walked.
struct Context {
    LspciDevice& result;
    std::optional<int>& secondary;
    LspciRegisters registers;
    Capability capability = Capability::none;
    [[nodiscard]] PciDevice& device() const { return result.device; }
};

void take_subsystem(std::string_view body, Context& context) {
    take_lspci_subsystem(body, context.device());
}

void take_control(std::string_view body, Context& context) {
    // "Control:" stands in capabilities of some versions too; the command register comes first.
    if (context.capability != Capability::none)
        return;
    context.result.detail = LspciDetail::registers;
    if (!context.registers.is_virtual())  // its physical function enables it
        set(context.device().memory_enabled, lspci_flag(body, "Mem"));
    set(context.device().bus_master, lspci_flag(body, "BusMaster"));
}

/// -v: "Flags: bus master, fast devsel, latency 0, IRQ 24, NUMA node 0, IOMMU group 5". What is not set is left out.
void take_flags(std::string_view body, Context& context) {
    if (context.capability != Capability::none)
        return;
    context.result.detail = std::max(context.result.detail, LspciDetail::flags);
    if (body.find("devsel") != kNone)
        set(context.device().bus_master, std::optional(body.find("bus master") != kNone));
    set(context.device().numa_node, scan_int(behind(body, "NUMA node ")));
    set(context.device().iommu_group, scan_int(behind(body, "IOMMU group ")));
}

void take_numa_node(std::string_view body, Context& context) {
    set(context.device().numa_node, scan_int(body));
}

void take_iommu_group(std::string_view body, Context& context) {
    set(context.device().iommu_group, scan_int(body));
}

void take_slot(std::string_view body, Context& context) {
    const std::string_view name = body.substr(0, body.find(' '));
    if (!name.empty() && name.size() <= 32)
        set(context.device().slot, std::optional<std::string>(name));
}

void take_driver(std::string_view body, Context& context) {
    const std::string_view name = body.substr(0, body.find(' '));
    if (!name.empty() && name.size() <= 64)
        set(context.device().driver, std::optional<std::string>(name));
}

void take_bus(std::string_view body, Context& context) {
    const auto number = hex_number(behind(body, "secondary=").substr(0, 2));
    if (number && *number != 0)
        set(context.secondary, number);
}

void take_status(std::string_view body, Context& context) {
    if (context.capability != Capability::power)
        return;
    const std::string_view state = body.substr(0, 2);
    // D3 of the register is what the kernel calls D3hot: a device in D3cold does not answer.
    if (state == "D0" || state == "D1" || state == "D2")
        set(context.device().power_state, std::optional<std::string>(state));
    else if (state == "D3")
        set(context.device().power_state, std::optional<std::string>("D3hot"));
}

void take_capability(std::string_view body, Context& context) {
    context.capability = Capability::other;
    if (body.starts_with("<access denied>")) {
        context.result.denied = true;
        return;
    }
    // "[40] Express (v2) Root Port (Slot+), MSI 00", "[100 v1] Device Serial Number 00-..."
    const std::size_t close = body.find("] ");
    if (!body.starts_with('[') || close == kNone)
        return;
    body.remove_prefix(close + 2);
    if (body.starts_with("Power Management"))
        context.capability = Capability::power;
    else
        take_lspci_capability(body, context.registers);
}

void take_unknown_header(std::string_view, Context& context) {
    context.result.answers = false;
}

/// Registers, which stand alone: what they say needs no context.
template <void (*take)(std::string_view, LspciRegisters&)>
void take_register(std::string_view body, Context& context) {
    context.result.detail = LspciDetail::registers;
    take(body, context.registers);
}

void take_nothing(std::string_view, Context&) {}

struct Keyword {
    std::string_view key;
    void (*take)(std::string_view body, Context& context);
};

/// All keywords at which a fact begins or ends. One that is the beginning of another one comes after it.
constexpr Keyword kKeywords[] = {
    {"Subsystem: ", take_subsystem},
    {"Control: ", take_control},
    {"Status: ", take_status},
    {"Flags: ", take_flags},
    {"DeviceName: ", take_nothing},
    {"Device tree node: ", take_nothing},
    {"Physical Slot: ", take_slot},
    {"Latency: ", take_nothing},
    {"Interrupt: ", take_nothing},
    {"NUMA node: ", take_numa_node},
    {"IOMMU group: ", take_iommu_group},
    {"Region ", take_register<take_lspci_region>},
    {"Expansion ROM at ", take_register<take_lspci_rom>},
    {"[virtual] Expansion ROM at ", take_register<take_lspci_rom>},
    {"Bus: ", take_bus},
    {"I/O behind bridge: ", take_nothing},
    {"Memory behind bridge: ", take_nothing},
    {"Prefetchable memory behind bridge: ", take_nothing},
    {"Secondary status: ", take_nothing},
    {"BridgeCtl: ", take_nothing},
    {"Capabilities: ", take_capability},
    {"DevCap: ", take_register<take_lspci_device_capabilities>},
    {"DevCtl: ", take_register<take_lspci_device_control>},
    {"DevSta: ", take_nothing},
    {"LnkCap: ", take_register<take_lspci_link_capabilities>},
    {"LnkCtl: ", take_register<take_lspci_link_control>},
    {"LnkSta: ", take_register<take_lspci_link_status>},
    {"SltCap: ", take_nothing},
    {"SltCtl: ", take_nothing},
    {"SltSta: ", take_nothing},
    {"RootCap: ", take_nothing},
    {"RootCtl: ", take_nothing},
    {"RootSta: ", take_nothing},
    {"DevCap2: ", take_register<take_lspci_device_capabilities2>},
    {"DevCtl2: ", take_register<take_lspci_device_control2>},
    {"LnkCap2: ", take_register<take_lspci_link_capabilities2>},
    {"LnkCtl2: ", take_register<take_lspci_link_control2>},
    {"LnkSta2: ", take_register<take_lspci_link_status2>},
    {"LnkCtl3: ", take_nothing},
    {"Phy16Sta: ", take_register<take_lspci_phy16>},
    {"Phy32Sta: ", take_register<take_lspci_phy32>},
    {"ACSCap: ", take_register<take_lspci_acs_capabilities>},
    {"ACSCtl: ", take_register<take_lspci_acs_control>},
    {"ATSCap: ", take_nothing},
    {"ATSCtl: ", take_register<take_lspci_ats_control>},
    {"PRICtl: ", take_nothing},
    {"DpcCap: ", take_nothing},
    {"DpcCtl: ", take_nothing},
    {"DpcSta: ", take_register<take_lspci_dpc_status>},
    {"IOVCap: ", take_nothing},
    {"IOVCtl: ", take_nothing},
    {"IOVSta: ", take_register<take_lspci_virtual_functions>},
    {"UESta: ", take_nothing},
    {"Kernel driver in use: ", take_driver},
    {"Kernel modules: ", take_nothing},
    {"!!! Unknown header type 7f", take_unknown_header},
};

const Keyword* keyword_at(std::string_view rest) {
    const auto* const found = std::find_if(std::begin(kKeywords), std::end(kKeywords),
                                           [&](const Keyword& row) { return rest.starts_with(row.key); });
    return found == std::end(kKeywords) ? nullptr : found;
}

/// "Region 3: Memory at ...", but not "Region" of prose.
bool is_section(const Keyword& row, std::string_view rest) {
    return row.key != "Region " || (rest.size() > 8 && rest[8] == ':');
}

}  // namespace

bool is_lspci_keyword_line(std::string_view line) {
    line = trim(line);
    const std::string with_blank = std::string(line) + " ";
    return keyword_at(with_blank) != nullptr;
}

void take_lspci_block(std::string_view text, LspciDevice& result, std::optional<int>& secondary) {
    Context context{result, secondary, LspciRegisters(result.device)};
    const Keyword* open = nullptr;
    std::size_t begin = 0;
    const auto close = [&](std::size_t end) {
        if (open != nullptr)
            open->take(trim(text.substr(begin, end - begin)), context);
    };
    for (std::size_t at = 0; at < text.size();) {
        const Keyword* row = keyword_at(text.substr(at));
        if (row != nullptr && is_section(*row, text.substr(at))) {
            close(at);
            open = row;
            begin = at + row->key.size();
            at = begin;
            continue;
        }
        const std::size_t blank = text.find(' ', at);
        at = blank == kNone ? text.size() : blank + 1;
    }
    close(text.size());
}

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_facts.hpp"

#include "probe/parse.hpp"
#include "probe/pci_device.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>

namespace gpuadapt {

namespace {

struct HexFile {
    const char* name;
    std::optional<int> PciDevice::*field;
    int most;
};

constexpr HexFile kHexFiles[] = {
    {"class", &PciDevice::class_code, 0xffffff},
    {"vendor", &PciDevice::vendor_id, 0xffff},
    {"device", &PciDevice::device_id, 0xffff},
    {"subsystem_vendor", &PciDevice::subsystem_vendor_id, 0xffff},
    {"subsystem_device", &PciDevice::subsystem_device_id, 0xffff},
};

void take_hex(DeviceFiles& files, const HexFile& file, PciDevice& device) {
    const auto value = parse_hex(files.line(file.name).value_or(""));
    if (value && *value <= file.most)
        device.*file.field = static_cast<int>(*value);
}

/// All three, or nothing is known.
void take_aer(DeviceFiles& files, PciDevice& device) {
    struct File {
        const char* name;
        std::int64_t PciAer::*total;
    };
    constexpr File kFiles[] = {{"aer_dev_correctable", &PciAer::correctable},
                               {"aer_dev_nonfatal", &PciAer::nonfatal},
                               {"aer_dev_fatal", &PciAer::fatal}};
    PciAer aer;
    for (const File& file : kFiles) {
        const auto text = files.text(file.name);
        const auto counts = text ? parse_aer_counts(*text) : std::nullopt;
        if (!counts)
            return;
        aer.*file.total = counts->total;
        for (const auto& [name, count] : counts->counts)
            aer.counts[name] += count;
    }
    device.aer = std::move(aer);
}

/// The firmware of the device answers each four bytes: read no more than the fields that we take.
void take_vpd(DeviceFiles& files, PciDevice& device) {
    constexpr const char* kName = "vpd";
    constexpr std::size_t kFirst = 256;
    constexpr std::size_t kMost = 4096;
    if (files.is_given_up(kName))
        return;
    auto bytes = files.part(kName, 0, kFirst);
    if (!bytes)
        return;
    // Each header that comes tells how far to read on; a file that ends is not asked again.
    for (std::size_t asked = kFirst; bytes->size() == asked;) {
        const std::size_t needed = std::min(vpd_bytes_needed(*bytes), kMost);
        if (needed <= asked)
            break;
        *bytes += files.part(kName, asked, needed - asked).value_or("");
        asked = needed;
    }
    device.vpd = parse_vpd(*bytes);
}

bool is_network(const PciDevice& device) {
    return device.class_code && *device.class_code >> 16 == 0x02;
}

}  // namespace

void take_identity(DeviceFiles& files, PciDevice& device) {
    if (const auto uevent = files.text("uevent")) {
        take_uevent(*uevent, device);
        return;
    }
    // Old recorded trees have the single files only.
    for (const HexFile& file : kHexFiles)
        take_hex(files, file, device);
    if (const auto driver = files.link("driver"))
        device.driver = clean_utf8(last_component(*driver));
}

void take_link_files(DeviceFiles& files, PciLink& link) {
    const auto width = [&](const char* name, bool may_be_none) -> std::optional<int> {
        const auto lanes = files.number(name);
        return lanes && (is_pcie_width(*lanes) || (may_be_none && *lanes == 0)) ? lanes : std::nullopt;
    };
    const auto speed = files.line("max_link_speed");
    link.current_width = width("current_link_width", true);
    if (!speed && !link.current_width)
        return;  // not PCI Express
    link.capable_gt_s = parse_link_speed(speed.value_or(""));
    link.capable_width = width("max_link_width", false);
    if (link.current_width.value_or(0) != 0)  // a link that is down has a speed in its register too
        link.current_gt_s = parse_link_speed(files.line("current_link_speed").value_or(""));
}

void take_facts(DeviceFiles& files, const PciConfig& config, PciDevice& device) {
    if (!device.revision)
        take_hex(files, {"revision", &PciDevice::revision, 0xff}, device);
    device.numa_node = files.number("numa_node");
    device.bars = parse_bars(files.text("resource").value_or(""));
    // Without a driver the kernel may say "unknown"; the register then says more.
    if (const auto state = files.line("power_state"); state && state != "unknown")
        device.power_state = state;
    device.power_control = files.line("power/control");
    if (config.has_aer != false)
        take_aer(files, device);
    const bool no_header = device.config_bytes.value_or(0) == 0;
    if (config.is_virtual || no_header)
        if (const auto link = files.link("physfn"))
            device.physical_function = last_pci_address(*link);
    if (config.has_sriov != false && !config.is_virtual) {
        device.virtual_functions_total = files.number("sriov_totalvfs");
        device.virtual_functions = files.number("sriov_numvfs");
    }
    if (config.has_vpd != false && is_network(device) && !config.is_virtual && files.address().ends_with(".0"))
        take_vpd(files, device);
}

}  // namespace gpuadapt

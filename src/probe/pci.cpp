// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"
#include "probe/pci_config.hpp"
#include "probe/pci_device.hpp"
#include "probe/pci_names.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

/// /sys/bus/pci (Documentation/ABI/testing/sysfs-bus-pci, sysfs-bus-pci-devices-*).
namespace gpuadapt {

namespace {

constexpr int kHeaderBytes = 64;

/// "PCI_ID=10DE:2330"
void take_ids(std::string_view text, std::optional<int>& vendor, std::optional<int>& device) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return;
    const auto first = parse_hex(text.substr(0, colon));
    const auto second = parse_hex(text.substr(colon + 1));
    if (!first || !second || *first > 0xffff || *second > 0xffff)
        return;
    vendor = static_cast<int>(*first);
    device = static_cast<int>(*second);
}

std::optional<int> read_hex(Root& root, const std::string& path) {
    const auto line = root.read_line(path);
    const auto value = line ? parse_hex(*line) : std::nullopt;
    return value && *value <= 0xffffff ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

/// What the kernel thinks the device is: it corrects some devices, and knows the identity of virtual functions.
void take_identity(Root& root, const std::string& folder, PciDevice& device) {
    if (const auto uevent = root.read(folder + "uevent")) {
        take_uevent(*uevent, device);
        return;
    }
    // Old recorded trees have the single files only.
    device.class_code = read_hex(root, folder + "class");
    device.vendor_id = read_hex(root, folder + "vendor");
    device.device_id = read_hex(root, folder + "device");
    device.subsystem_vendor_id = read_hex(root, folder + "subsystem_vendor");
    device.subsystem_device_id = read_hex(root, folder + "subsystem_device");
    if (const auto driver = root.link(folder + "driver"))
        device.driver = clean_utf8(last_component(*driver));
}

void prefer_known(std::optional<int>& field, const std::optional<int>& other) {
    if (!field)
        field = other;
}

void take_config(Root& root, const std::string& folder, PciDevice& device) {
    const std::string file = folder + "config";
    const PciConfig config = decode_pci_config(
        [&](std::size_t offset, std::size_t size) { return root.read_part(file, offset, size).value_or(""); });
    if (config.bytes < kHeaderBytes)
        return;
    if (!config.answers) {
        root.note_unread(file, "all bits are set: the device does not answer");
        return;
    }
    device.config_bytes = config.bytes;
    prefer_known(device.vendor_id, config.vendor_id);
    prefer_known(device.device_id, config.device_id);
    prefer_known(device.class_code, config.class_code);
    prefer_known(device.subsystem_vendor_id, config.subsystem_vendor_id);
    prefer_known(device.subsystem_device_id, config.subsystem_device_id);
    device.revision = config.revision;
    device.port_type = config.port_type;
    device.link = config.link;
    // Reserved in all functions of an endpoint but the first (PCIe 7.5.3.19).
    if (config.port_type && config.port_type->ends_with("endpoint") && !device.address.ends_with(":00.0"))
        device.link.target_gt_s.reset();
    device.max_payload_bytes = config.max_payload_bytes;
    device.max_payload_capable_bytes = config.max_payload_capable_bytes;
    device.max_read_request_bytes = config.max_read_request_bytes;
    device.acs = config.acs;
}

/// Where the configuration space is closed to us, the kernel still tells the state of the link.
void take_link_files(Root& root, const std::string& folder, PciLink& link) {
    link.capable_gt_s = parse_link_speed(root.read_line(folder + "max_link_speed").value_or(""));
    if (!link.capable_gt_s && !root.exists(folder + "max_link_width"))
        return;  // not PCI Express
    const auto width = [&](const char* name, bool may_be_none) -> std::optional<int> {
        const auto lanes = read_int(root, folder + name);
        return lanes && (is_pcie_width(*lanes) || (may_be_none && *lanes == 0)) ? lanes : std::nullopt;
    };
    link.capable_width = width("max_link_width", false);
    link.current_width = width("current_link_width", true);
    if (link.current_width.value_or(0) != 0)  // a link that is down has a speed in its register too
        link.current_gt_s = parse_link_speed(root.read_line(folder + "current_link_speed").value_or(""));
}

/// A subsystem of zeros is one that nobody has filled in.
void drop_empty_subsystem(PciDevice& device) {
    if (device.subsystem_vendor_id.value_or(0) != 0 && device.subsystem_vendor_id != 0xffff)
        return;
    device.subsystem_vendor_id.reset();
    device.subsystem_device_id.reset();
}

void take_names(Root& root, PciNames& names, PciDevice& device) {
    if (device.vendor_id)
        device.vendor_name = root.lookup(fmt::format("pci.ids/vendor/{:04x}", *device.vendor_id),
                                         [&] { return names.vendor(*device.vendor_id); });
    if (device.vendor_id && device.device_id)
        device.device_name =
            root.lookup(fmt::format("pci.ids/device/{:04x}:{:04x}", *device.vendor_id, *device.device_id),
                        [&] { return names.device(*device.vendor_id, *device.device_id); });
    if (device.class_code)
        device.class_name = root.lookup(fmt::format("pci.ids/class/{:04x}", *device.class_code >> 8),
                                        [&] { return names.class_name(*device.class_code); });
}

PciDevice probe_device(Root& root, const std::string& address) {
    const std::string folder = "/sys/bus/pci/devices/" + address + "/";
    PciDevice device;
    device.address = address;
    take_identity(root, folder, device);
    take_config(root, folder, device);
    if (!device.port_type && device.config_bytes.value_or(0) <= kHeaderBytes)
        take_link_files(root, folder, device.link);
    if (!device.revision)
        device.revision = read_hex(root, folder + "revision");
    drop_empty_subsystem(device);
    device.numa_node = read_int(root, folder + "numa_node");
    if (const auto group = root.link(folder + "iommu_group"))
        device.iommu_group = parse_int(last_component(*group));
    if (const auto place = root.link("/sys/bus/pci/devices/" + address))
        device.parent = parent_in_path(*place);
    return device;
}

/// Slot names by "0000:3a:00": a slot has no function.
std::map<std::string, std::string> read_slots(Root& root) {
    const std::string folder = "/sys/bus/pci/slots";
    std::map<std::string, std::string> slots;
    for (const std::string& name : root.list(folder).value_or(std::vector<std::string>{}))
        if (const auto address = root.read_line(fmt::format("{}/{}/address", folder, name)))
            slots.emplace(*address, clean_utf8(name));
    return slots;
}

/// One line for all: without root it is the same for hundreds of devices.
void note_short_configs(Root& root, const std::vector<PciDevice>& devices) {
    const auto count = std::count_if(devices.begin(), devices.end(), [](const PciDevice& device) {
        return device.config_bytes && *device.config_bytes <= kHeaderBytes;
    });
    if (count > 0)
        root.note_unread("/sys/bus/pci/devices/*/config",
                         fmt::format("of {} of {} devices only the first {} bytes can be read; run as root", count,
                                     devices.size(), kHeaderBytes));
}

}  // namespace

void take_uevent(std::string_view uevent, PciDevice& device) {
    for (const std::string_view line : split_lines(uevent)) {
        const auto pair = split_pair(line, '=');
        if (!pair)
            continue;
        if (pair->first == "DRIVER" && !pair->second.empty()) {
            device.driver = clean_utf8(pair->second);
        } else if (pair->first == "PCI_CLASS") {
            const auto value = parse_hex(pair->second);
            if (value && *value <= 0xffffff)
                device.class_code = static_cast<int>(*value);
        } else if (pair->first == "PCI_ID") {
            take_ids(pair->second, device.vendor_id, device.device_id);
        } else if (pair->first == "PCI_SUBSYS_ID") {
            take_ids(pair->second, device.subsystem_vendor_id, device.subsystem_device_id);
        }
    }
}

std::optional<double> parse_link_speed(std::string_view text) {
    constexpr std::string_view kUnit = " GT/s";
    const std::size_t unit = text.find(kUnit);
    if (unit == std::string_view::npos)
        return std::nullopt;
    const std::string_view number = text.substr(0, unit);
    for (const int code : {1, 2, 3, 4, 5, 6, 7}) {
        const double speed = *pcie_speed_of_code(code);
        if (number == fmt::format("{}", speed) || number == fmt::format("{:.1f}", speed))
            return speed;
    }
    return std::nullopt;
}

std::optional<std::string> parent_in_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos)
        return std::nullopt;
    const std::string_view above = last_component(path.substr(0, slash));
    return is_pci_address(above) ? std::optional(std::string(above)) : std::nullopt;
}

void probe_pci(Root& root, Machine& machine) {
    const auto slots = read_slots(root);
    PciNames names;
    for (const std::string& address : root.list("/sys/bus/pci/devices").value_or(std::vector<std::string>{})) {
        if (!is_pci_address(address))
            continue;
        PciDevice device = probe_device(root, address);
        take_names(root, names, device);
        const auto slot = slots.find(address.substr(0, address.rfind('.')));
        if (slot != slots.end())
            device.slot = slot->second;
        machine.pci_devices.push_back(std::move(device));
    }
    // "10000:00:00.0" comes before "0000:00:00.0" neither as text nor as a number should.
    std::sort(machine.pci_devices.begin(), machine.pci_devices.end(), [](const PciDevice& a, const PciDevice& b) {
        return std::pair(a.address.size(), a.address) < std::pair(b.address.size(), b.address);
    });
    note_short_configs(root, machine.pci_devices);
}

}  // namespace gpuadapt

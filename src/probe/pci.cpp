// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"
#include "probe/pci_config.hpp"
#include "probe/pci_device.hpp"
#include "probe/pci_facts.hpp"
#include "probe/pci_files.hpp"
#include "probe/pci_names.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <map>

#include <fmt/format.h>

/// /sys/bus/pci (Documentation/ABI/testing/sysfs-bus-pci, sysfs-bus-pci-devices-*).
namespace gpuadapt {

namespace {

constexpr int kHeaderBytes = 64;
constexpr int kConventionalBytes = 256;

PciConfig read_config(DeviceFiles& files) {
    const PciFunction function{files.address().ends_with(":00.0"), false};
    PciConfig config = decode_pci_config(
        [&](std::size_t offset, std::size_t size) { return files.part("config", offset, size).value_or(""); },
        function);
    const int bytes = config.device.config_bytes.value_or(0);
    if (bytes < kHeaderBytes || !config.answers)
        config.device.config_bytes.reset();
    if (!config.answers)
        files.note("config", "all bits are set: the device does not answer");
    else if (config.damage)
        files.note("config", *config.damage);
    else if (bytes > 0 && bytes < kConventionalBytes)
        files.note("config", fmt::format("only the first {} bytes can be read{}", bytes,
                                         bytes == kHeaderBytes ? "; run as root" : ""));
    return config;
}

/// A subsystem of zeros is one that nobody has filled in.
void drop_empty_subsystem(PciDevice& device) {
    if (device.subsystem_vendor_id.value_or(0) != 0 && device.subsystem_vendor_id != 0xffff)
        return;
    device.subsystem_vendor_id.reset();
    device.subsystem_device_id.reset();
}

/// Names of numbers; each is asked for once, however many devices have it.
class Names {
  public:
    explicit Names(Root& root) : root_(root) {}

    void take(PciDevice& device) {
        if (device.vendor_id)
            device.vendor_name = find(fmt::format("pci.ids/vendor/{:04x}", *device.vendor_id),
                                      [&] { return names_.vendor(*device.vendor_id); });
        if (device.vendor_id && device.device_id)
            device.device_name = find(fmt::format("pci.ids/device/{:04x}:{:04x}", *device.vendor_id, *device.device_id),
                                      [&] { return names_.device(*device.vendor_id, *device.device_id); });
        if (device.class_code)
            device.class_name = find(fmt::format("pci.ids/class/{:04x}", *device.class_code >> 8),
                                     [&] { return names_.class_name(*device.class_code); });
    }

  private:
    template <typename Ask>
    [[nodiscard]] std::optional<std::string> find(const std::string& key, const Ask& ask) {
        const auto [place, is_new] = known_.try_emplace(key);
        if (is_new)
            place->second = root_.lookup(key, ask);
        return place->second;
    }

    Root& root_;
    PciNames names_;
    std::map<std::string, std::optional<std::string>> known_;
};

/// Groups of the IOMMU, and of what type their domain is (/sys/kernel/iommu_groups/N/type).
class IommuGroups {
  public:
    explicit IommuGroups(Root& root) : root_(root) {
        const auto groups = root.list("/sys/kernel/iommu_groups");
        none_ = groups && groups->empty();
    }

    void take(DeviceFiles& files, PciDevice& device) {
        const auto link = none_ ? std::nullopt : files.link("iommu_group");
        device.iommu_group = link ? parse_int(last_component(*link)) : std::nullopt;
        if (!device.iommu_group)
            return;
        const auto [place, is_new] = types_.try_emplace(*device.iommu_group);
        if (is_new)
            place->second = root_.read_line(fmt::format("/sys/kernel/iommu_groups/{}/type", *device.iommu_group));
        device.iommu_type = place->second;
    }

  private:
    Root& root_;
    bool none_ = false;
    std::map<int, std::optional<std::string>> types_;
};

PciDevice probe_device(DeviceFiles& files) {
    const PciConfig config = read_config(files);
    PciDevice device = config.device;
    device.address = files.address();
    take_identity(files, device);
    drop_empty_subsystem(device);
    if (!device.port_type && device.config_bytes.value_or(0) < kConventionalBytes)
        take_link_files(files, device.link);
    take_facts(files, config, device);
    if (const auto place = files.link(""))
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

/// A server that has just been unpacked may have no pci.ids: then every device is a number, and the reader wants to
/// know why.
void note_missing_names(Root& root, const std::vector<PciDevice>& devices) {
    const bool any_named = std::any_of(devices.begin(), devices.end(), [](const PciDevice& device) {
        return device.vendor_name || device.device_name || device.class_name;
    });
    if (!devices.empty() && !any_named)
        root.note_unread("pci.ids", "not found: PCI devices have numbers instead of names");
}

}  // namespace

void probe_pci(Root& root, Machine& machine) {
    const auto slots = read_slots(root);
    Names names(root);
    IommuGroups groups(root);
    UnreadFiles unread;
    for (const std::string& address : root.list("/sys/bus/pci/devices").value_or(std::vector<std::string>{})) {
        if (!is_pci_address(address))
            continue;
        DeviceFiles files(root, unread, address);
        PciDevice device = probe_device(files);
        groups.take(files, device);
        names.take(device);
        const auto slot = slots.find(address.substr(0, address.rfind('.')));
        if (slot != slots.end())
            device.slot = slot->second;
        machine.pci_devices.push_back(std::move(device));
    }
    std::sort(machine.pci_devices.begin(), machine.pci_devices.end(),
              [](const PciDevice& a, const PciDevice& b) { return pci_address_less(a.address, b.address); });
    unread.note(root, machine.pci_devices.size());
    note_missing_names(root, machine.pci_devices);
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"
#include "probe/system_texts.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/net_words.hpp>

#include <string_view>

#include <fmt/format.h>

/// /sys/class/net (Documentation/ABI/testing/sysfs-class-net).
namespace gpuadapt {

namespace {

constexpr int kPriorities = 8;

/// Where it is in the tree of devices, and what drives it.
void take_place(Root& root, const std::string& folder, NetInterface& interface) {
    const auto place = root.link(folder.substr(0, folder.size() - 1));
    const auto device = root.link(folder + "device");
    if (place)
        interface.virtual_device = place->find("/virtual/") != std::string::npos;
    else if (device)
        interface.virtual_device = false;
    else if (root.answer_link(folder + "device").status == AnswerStatus::absent)  // not only unread
        interface.virtual_device = true;
    // A virtio or usb interface has its PCI device further up in the path.
    if (interface.virtual_device == false && place)
        interface.pci_address = last_pci_address(*place);
    if (!interface.pci_address && device)
        interface.pci_address = last_pci_address(*device);
    if (const auto driver = root.link(folder + "device/driver"))
        interface.driver = clean_utf8(last_component(*driver));
    if (interface.pci_address)
        interface.numa_node = read_int(root, "/sys/bus/pci/devices/" + *interface.pci_address + "/numa_node");
}

/// The kernel links a bond, bridge or VLAN with what it stands on: "master" there, "lower_NAME" here.
void take_neighbours(Root& root, const std::string& folder, NetInterface& interface) {
    constexpr std::string_view kLower = "lower_";
    if (const auto master = root.link(folder + "master"))
        interface.master = clean_utf8(last_component(*master));
    if (interface.virtual_device != true)
        return;
    for (const std::string& name : root.list(folder).value_or(std::vector<std::string>{}))
        if (name.starts_with(kLower))
            interface.lower.push_back(clean_utf8(name.substr(kLower.size())));
}

/// The mlx5 driver that comes with OFED has files for congestion control; that of the kernel has none.
void take_ecn(Root& root, const std::string& folder, NetInterface& interface) {
    if (!interface.pci_address || !root.exists(folder + "ecn"))
        return;
    const auto take = [&](const std::string& name) {
        if (const auto text = root.read_line(folder + "ecn/" + name))
            ingest::take_ecn_file(name, *text, interface);
    };
    for (int priority = 0; priority < kPriorities; ++priority) {
        take(fmt::format("roce_np/enable/{}", priority));
        take(fmt::format("roce_rp/enable/{}", priority));
    }
    take("roce_np/cnp_dscp");
    take("roce_np/cnp_802p_prio");
}

NetInterface probe_interface(Root& root, const std::string& name) {
    const std::string folder = "/sys/class/net/" + name + "/";
    NetInterface result;
    result.name = clean_utf8(name);
    for (const auto& file : ingest::interface_files())
        if (const auto text = root.read_line(folder + std::string(file.name)))
            file.take(*text, result);
    take_place(root, folder, result);
    take_neighbours(root, folder, result);
    take_ecn(root, folder, result);
    return result;
}

}  // namespace

void probe_net(Root& root, Machine& machine) {
    for (const std::string& name : root.list("/sys/class/net").value_or(std::vector<std::string>{}))
        if (root.exists("/sys/class/net/" + name + "/mtu"))  // not the control file of bonding
            machine.interfaces.push_back(probe_interface(root, name));
    machine.addresses = parse_local_addresses(root.read("/proc/net/fib_trie", std::size_t{64} << 20).value_or(""));
}

}  // namespace gpuadapt

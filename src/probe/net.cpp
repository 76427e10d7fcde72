// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"
#include "probe/system_texts.hpp"

#include <gpuadapt/core/text.hpp>

#include <string_view>

/// /sys/class/net (Documentation/ABI/testing/sysfs-class-net).
namespace gpuadapt {

namespace {

/// ARPHRD_* numbers (linux/if_arp.h).
std::optional<std::string> kind_of_type(std::optional<int> type) {
    if (!type)
        return std::nullopt;
    switch (*type) {
        case 1:
            return "ethernet";
        case 32:
            return "infiniband";
        case 772:
            return "loopback";
        default:
            return "other";
    }
}

NetInterface probe_interface(Root& root, const std::string& name) {
    const std::string folder = "/sys/class/net/" + name + "/";
    NetInterface result;
    result.name = clean_utf8(name);
    result.mac = root.read_line(folder + "address");
    result.state = root.read_line(folder + "operstate");
    result.kind = kind_of_type(read_int(root, folder + "type"));
    result.mtu = read_int(root, folder + "mtu");
    // -1 or EINVAL: the driver does not know, or the link is down.
    if (const auto speed = read_int(root, folder + "speed"); speed && *speed > 0)
        result.speed_mbit_s = speed;

    const auto place = root.link("/sys/class/net/" + name);
    const auto device = root.link(folder + "device");
    result.virtual_device = place ? place->find("/virtual/") != std::string::npos : !device;
    // A virtio or usb interface has its PCI device further up in the path.
    if (result.virtual_device == false && place)
        result.pci_address = last_pci_address(*place);
    if (!result.pci_address && device)
        result.pci_address = last_pci_address(*device);
    if (const auto driver = root.link(folder + "device/driver"))
        result.driver = clean_utf8(last_component(*driver));
    if (result.pci_address)
        result.numa_node = read_int(root, "/sys/bus/pci/devices/" + *result.pci_address + "/numa_node");
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

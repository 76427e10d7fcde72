// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/parse.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/ingest/rdma_words.hpp>

#include <string_view>

#include <fmt/format.h>

/// /sys/class/infiniband (Documentation/ABI/stable/sysfs-class-infiniband).
namespace gpuadapt {

namespace {

/// A new GID takes the first free slot, so a table is empty behind its last entry but for holes that were left by
/// addresses taken away. To read all 256 slots of each port would take most of the time of a whole probe.
constexpr int kEmptySlotsAtEnd = 32;

std::vector<std::string> names_in(Root& root, const std::string& folder) {
    return root.list(folder).value_or(std::vector<std::string>{});
}

void take_counters(Root& root, const std::string& folder, RdmaPort& port) {
    for (const std::string& name : names_in(root, folder)) {
        if (name == "lifespan")  // of hw_counters: for how long values are cached
            continue;
        const auto line = root.read_line(fmt::format("{}/{}", folder, name));
        const auto count = line ? parse_count(*line) : std::nullopt;  // "N/A (no PMA)"
        if (count)
            port.counters.emplace(clean_utf8(name), *count);
    }
}

void take_gids(Root& root, const std::string& folder, RdmaPort& port) {
    int empty = 0;
    for (const auto& [index, name] : numbered(names_in(root, folder + "gids"), "")) {
        const auto line = root.read_line(fmt::format("{}gids/{}", folder, name));
        const auto gid = line ? ingest::gid(*line) : std::nullopt;
        if (!gid || ingest::is_empty_gid(*gid)) {
            if (++empty == kEmptySlotsAtEnd)
                return;
            continue;
        }
        empty = 0;
        RdmaGid entry{index, *gid, std::nullopt, std::nullopt};
        // InfiniBand has no interface, and old kernels have neither file.
        if (const auto type = root.read_line(fmt::format("{}gid_attrs/types/{}", folder, name)))
            entry.type = ingest::gid_type(*type);
        entry.interface = root.read_line(fmt::format("{}gid_attrs/ndevs/{}", folder, name));
        port.gids.push_back(std::move(entry));
    }
}

RdmaPort probe_port(Root& root, const std::string& folder, int number) {
    RdmaPort port;
    port.number = number;
    for (const auto& file : ingest::port_files())
        if (const auto text = root.read_line(folder + std::string(file.name)))
            file.take(*text, port);
    take_counters(root, folder + "counters", port);
    take_counters(root, folder + "hw_counters", port);
    take_gids(root, folder, port);
    if (!port.state)
        root.note_unread(folder + "state", "no value: the port went away, or its driver does not tell");
    return port;
}

void take_place(Root& root, const std::string& folder, RdmaDevice& device) {
    if (const auto place = root.link(folder.substr(0, folder.size() - 1)))
        device.pci_address = last_pci_address(*place);
    if (!device.pci_address)
        if (const auto link = root.link(folder + "device"))
            device.pci_address = last_pci_address(*link);
    if (device.pci_address)
        device.numa_node = read_int(root, "/sys/bus/pci/devices/" + *device.pci_address + "/numa_node");
    if (const auto driver = root.link(folder + "device/driver"))
        device.driver = clean_utf8(last_component(*driver));
    for (const std::string& name : names_in(root, folder + "device/net"))
        device.interfaces.push_back(clean_utf8(name));
    // RDMA in software (rxe, siw) has no device; it names the interface that it stands on.
    if (device.interfaces.empty())
        if (const auto parent = root.read_line(folder + "parent"))
            device.interfaces.push_back(*parent);
}

RdmaDevice probe_rdma_device(Root& root, const std::string& name) {
    const std::string folder = "/sys/class/infiniband/" + name + "/";
    RdmaDevice device;
    device.name = clean_utf8(name);
    for (const auto& file : ingest::device_files())
        if (const auto text = root.read_line(folder + std::string(file.name)))
            file.take(*text, device);
    take_place(root, folder, device);
    for (const auto& [number, port] : numbered(names_in(root, folder + "ports"), ""))
        device.ports.push_back(probe_port(root, fmt::format("{}ports/{}/", folder, port), number));
    return device;
}

/// "Global tclass=106": what the driver of OFED puts in place of the traffic class that an application asks for.
void take_traffic_class(Root& root, const RdmaDevice& device, Machine& machine) {
    for (const RdmaPort& port : device.ports) {
        const std::string path = fmt::format("/sys/class/infiniband/{}/tc/{}/traffic_class", device.name, port.number);
        if (const auto text = root.read_line(path))
            machine.settings[path] = *text;
    }
}

}  // namespace

void probe_rdma(Root& root, Machine& machine) {
    for (const std::string& name : names_in(root, "/sys/class/infiniband"))
        if (root.exists("/sys/class/infiniband/" + name + "/ports")) {
            machine.rdma_devices.push_back(probe_rdma_device(root, name));
            take_traffic_class(root, machine.rdma_devices.back(), machine);
        }
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "probe/hwloc_facts.hpp"

#include <gpuadapt/core/record.hpp>

#include <memory>
#include <type_traits>

#include <fmt/format.h>
#include <hwloc.h>

namespace gpuadapt {

namespace {

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

Topology load() {
    hwloc_topology_t made = nullptr;
    if (hwloc_topology_init(&made) != 0)
        return nullptr;
    Topology topology(made);
    // What this process may not use is part of the machine all the same.
    (void)hwloc_topology_set_flags(made, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    (void)hwloc_topology_set_io_types_filter(made, HWLOC_TYPE_FILTER_KEEP_ALL);
    return hwloc_topology_load(made) == 0 ? std::move(topology) : nullptr;
}

std::optional<int> count(hwloc_topology_t topology, hwloc_obj_type_t type) {
    const int number = hwloc_get_nbobjs_by_type(topology, type);
    return number > 0 ? std::optional(number) : std::nullopt;
}

/// How many of `inner` each of `outer` has, when all have the same number.
std::optional<int> each(std::optional<int> inner, std::optional<int> outer) {
    return inner && outer && *inner % *outer == 0 ? std::optional(*inner / *outer) : std::nullopt;
}

std::optional<std::int64_t> cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
    return cache != nullptr && cache->attr->cache.size > 0
               ? std::optional(static_cast<std::int64_t>(cache->attr->cache.size))
               : std::nullopt;
}

void take_cpu(hwloc_topology_t topology, Cpu& cpu) {
    cpu.sockets = count(topology, HWLOC_OBJ_PACKAGE);
    cpu.cores = count(topology, HWLOC_OBJ_CORE);
    cpu.logical_cpus = count(topology, HWLOC_OBJ_PU);
    cpu.cores_per_socket = each(cpu.cores, cpu.sockets);
    cpu.threads_per_core = each(cpu.logical_cpus, cpu.cores);
    cpu.l1d_bytes = cache_bytes(topology, HWLOC_OBJ_L1CACHE);
    cpu.l2_bytes = cache_bytes(topology, HWLOC_OBJ_L2CACHE);
    cpu.l3_bytes = cache_bytes(topology, HWLOC_OBJ_L3CACHE);
    cpu.l3_instances = count(topology, HWLOC_OBJ_L3CACHE);
}

void take_nodes(hwloc_topology_t topology, Machine& machine) {
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)) != nullptr;) {
        NumaNode node;
        node.id = static_cast<int>(object->os_index);
        char* cpus = nullptr;
        if (hwloc_bitmap_list_asprintf(&cpus, object->cpuset) >= 0) {
            node.cpus = cpus;
            free(cpus);  // NOLINT(cppcoreguidelines-no-malloc): hwloc's own
        }
        machine.numa_nodes.push_back(std::move(node));
    }
}

void take_pci(hwloc_topology_t topology, Machine& machine) {
    const auto add = [&](const auto& pci) {
        PciDevice device;
        device.address = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func);
        device.vendor_id = pci.vendor_id;
        device.device_id = pci.device_id;
        device.revision = pci.revision;
        machine.pci_devices.push_back(std::move(device));
    };
    for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_pcidev(topology, object)) != nullptr;)
        add(object->attr->pcidev);
    for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_bridge(topology, object)) != nullptr;)
        if (object->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI)
            add(object->attr->bridge.upstream.pci);
}

std::optional<std::string> ask_hwloc() {
    const Topology topology = load();
    if (!topology)
        return std::nullopt;
    Machine machine;
    take_cpu(topology.get(), machine.cpu);
    take_nodes(topology.get(), machine);
    take_pci(topology.get(), machine);
    return to_json(machine);
}

}  // namespace

std::optional<Machine> hwloc_machine(Root& root) {
    const auto text = root.lookup("hwloc", ask_hwloc);
    return text ? std::optional(read_machine(*text, "hwloc")) : std::nullopt;
}

}  // namespace gpuadapt

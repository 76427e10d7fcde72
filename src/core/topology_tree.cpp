// SPDX-License-Identifier: Apache-2.0
#include "core/topology_parts.hpp"

#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace gpuadapt::topology {
namespace {

constexpr int kHostBridge = 0x0600;
constexpr int kPciBridge = 0x0604;
constexpr int kNvme = 0x0108;
constexpr int kNetwork = 0x02;
constexpr std::size_t kDeepest = 256;    ///< bridges above each other: a domain has no more buses
constexpr std::size_t kMostEnds = 1024;  ///< of the matrix; a record that nobody measured may claim any number

int class_of(const PciDevice& device) {
    return device.class_code.value_or(0) >> 8;
}

/// "0000:3a" of "0000:3a:00.0"
std::string bus_of(const std::string& address) {
    return address.substr(0, address.rfind(':'));
}

class Builder {
  public:
    Builder(const Machine& machine, Topology& topology) : machine_(machine), out_(topology) {
        for (std::size_t i = 0; i < machine.pci_devices.size(); ++i)
            by_address_.emplace(machine.pci_devices[i].address, i);
        std::set<std::string> bridges;
        for (const PciDevice& device : machine.pci_devices)
            if (device.parent)
                bridges.insert(*device.parent);
        for (const PciDevice& device : machine.pci_devices)
            if (shows_root_bus(device, bridges.contains(device.address)))
                root_buses_.insert(bus_of(device.address));
        for (std::size_t i = 0; i < machine.pci_devices.size(); ++i) {
            const int numa = machine.pci_devices[i].numa_node.value_or(-1);
            const std::vector<std::size_t> chain = chain_of(i);
            if (numa >= 0 && !chain.empty())
                numa_of_bus_[bus_of(machine.pci_devices[chain.back()].address)].insert(numa);
        }
    }

    void build() {
        out_.nodes.emplace_back();
        for (const NumaNode& node : machine_.numa_nodes)
            numa_node(node.id);
        for (const Gpu& gpu : machine_.gpus)
            add_device(gpu.address, TopologyKind::gpu);
        for (const RdmaDevice& device : machine_.rdma_devices)
            if (device.pci_address)
                add_device(*device.pci_address, TopologyKind::nic);
        for (const PciDevice& device : machine_.pci_devices) {
            if (class_of(device) >> 8 == kNetwork)
                add_device(device.address, TopologyKind::nic);
            else if (class_of(device) == kNvme)
                add_device(device.address, TopologyKind::nvme);
        }
        add_ends();
        sort_children();
    }

  private:
    /// A device without a bridge above it is on a root bus, or the bridge is missing from a partial input. What shows
    /// the former: bus 0, or something on the same bus that only root buses have. What stands above others is a bridge,
    /// also where its class is not told (lspci -t).
    static bool shows_root_bus(const PciDevice& device, bool is_above_others) {
        if (device.parent)
            return false;
        const std::string bus = bus_of(device.address);
        if (bus.ends_with(":00") || class_of(device) == kHostBridge)
            return true;
        if (device.port_type)
            return *device.port_type == "root port" || device.port_type->starts_with("root complex");
        return is_above_others || class_of(device) == kPciBridge;
    }

    /// The device and all bridges above it; empty when they do not lead to a root bus.
    [[nodiscard]] std::vector<std::size_t> chain_of(std::size_t device) const {
        std::vector<std::size_t> chain = {device};
        while (machine_.pci_devices[chain.back()].parent) {
            const auto above = by_address_.find(*machine_.pci_devices[chain.back()].parent);
            if (above == by_address_.end() || chain.size() > kDeepest)
                return {};
            chain.push_back(above->second);
        }
        return root_buses_.contains(bus_of(machine_.pci_devices[chain.back()].address)) ? chain
                                                                                        : std::vector<std::size_t>{};
    }

    std::size_t add_node(TopologyNode node, std::size_t parent) {
        const std::size_t index = out_.nodes.size();
        node.parent = parent;
        out_.nodes.push_back(std::move(node));
        out_.nodes[parent].children.push_back(index);
        return index;
    }

    std::size_t numa_node(int id) {
        const auto found = numa_.find(id);
        if (found != numa_.end())
            return found->second;
        std::size_t parent = 0;
        for (const NumaNode& node : machine_.numa_nodes)
            if (node.id == id && node.package)
                parent = package(*node.package);
        TopologyNode node;
        node.kind = TopologyKind::numa;
        node.number = id;
        return numa_[id] = add_node(std::move(node), parent);
    }

    std::size_t package(int id) {
        const auto found = packages_.find(id);
        if (found != packages_.end())
            return found->second;
        TopologyNode node;
        node.kind = TopologyKind::package;
        node.number = id;
        return packages_[id] = add_node(std::move(node), 0);
    }

    /// Its own, else that of all others below the same root complex.
    [[nodiscard]] std::optional<int> numa_of(std::size_t device) const {
        if (const int own = machine_.pci_devices[device].numa_node.value_or(-1); own >= 0)
            return own;
        const std::vector<std::size_t> chain = chain_of(device);
        if (chain.empty())
            return std::nullopt;
        const auto of_bus = numa_of_bus_.find(bus_of(machine_.pci_devices[chain.back()].address));
        return of_bus != numa_of_bus_.end() && of_bus->second.size() == 1 ? std::optional(*of_bus->second.begin())
                                                                          : std::nullopt;
    }

    std::size_t root_complex(const std::string& bus, std::size_t device) {
        const auto found = root_complexes_.find(bus);
        if (found != root_complexes_.end())
            return found->second;
        const std::optional<int> numa = numa_of(device);
        TopologyNode node;
        node.kind = TopologyKind::root_complex;
        node.address = bus;
        return root_complexes_[bus] = add_node(std::move(node), numa ? numa_node(*numa) : 0);
    }

    /// Root and downstream ports lead to what hangs below; all other bridges are nodes. Without the port type, ports
    /// and switches alternate from the root port on.
    [[nodiscard]] bool is_port(std::size_t bridge, std::size_t depth) const {
        const auto& type = machine_.pci_devices[bridge].port_type;
        return type ? *type == "root port" || *type == "downstream port" : depth % 2 == 0;
    }

    [[nodiscard]] std::optional<double> bandwidth(const PciDevice& device, const std::string& port, bool gpu) const {
        const auto above = by_address_.find(port);
        const PciLink other = above == by_address_.end() ? PciLink{} : machine_.pci_devices[above->second].link;
        const auto width = device.link.current_width ? device.link.current_width : other.current_width;
        auto speed = device.link.current_gt_s ? device.link.current_gt_s : other.current_gt_s;
        if (!width || !speed || *width == 0)
            return std::nullopt;
        if (gpu && device.link.capable_gt_s)
            speed = std::max(
                *speed, std::min(*device.link.capable_gt_s, other.capable_gt_s.value_or(*device.link.capable_gt_s)));
        return pcie_gbyte_s(*speed, *width);
    }

    std::size_t add_leaf(std::size_t device, TopologyKind kind, const std::string& port, std::size_t parent) {
        TopologyNode node;
        node.kind = kind;
        node.address = machine_.pci_devices[device].address;
        node.port = port;
        node.device = device;
        node.gbyte_s = bandwidth(machine_.pci_devices[device], port, kind == TopologyKind::gpu);
        return by_device_[device] = add_node(std::move(node), parent);
    }

    void add_device(const std::string& address, TopologyKind kind) {
        const auto found = by_address_.find(address);
        if (found == by_address_.end() || by_device_.contains(found->second))
            return;
        const std::size_t device = found->second;
        // A virtual function is where its physical one is; hundreds of them would hide the rest.
        if (kind != TopologyKind::gpu && machine_.pci_devices[device].physical_function)
            return;
        const std::vector<std::size_t> chain = chain_of(device);
        if (chain.empty()) {
            add_leaf(device, kind, "", 0);
            return;
        }
        std::size_t parent = root_complex(bus_of(machine_.pci_devices[chain.back()].address), device);
        std::string port;
        for (std::size_t depth = 0; depth + 1 < chain.size(); ++depth) {
            const std::size_t bridge = chain[chain.size() - 1 - depth];
            if (is_port(bridge, depth)) {
                port = machine_.pci_devices[bridge].address;
                continue;
            }
            const auto known = by_device_.find(bridge);
            parent = known != by_device_.end() ? known->second : add_leaf(bridge, TopologyKind::bridge, port, parent);
            port.clear();
        }
        add_leaf(device, kind, port, parent);
    }

    void add_end(std::string label, std::string name, const std::string& address) {
        if (out_.ends.size() == kMostEnds)
            return;
        TopologyEnd end{std::move(label), std::move(name), address, std::nullopt, std::nullopt};
        const auto device = by_address_.find(address);
        if (device != by_address_.end()) {
            end.numa = numa_of(device->second);
            const auto node = by_device_.find(device->second);
            if (node != by_device_.end()) {
                end.node = node->second;
                if (out_.nodes[node->second].label.empty())
                    out_.nodes[node->second].label = end.label;
            }
        }
        out_.ends.push_back(std::move(end));
    }

    void add_ends() {
        std::set<int> indices;
        for (const Gpu& gpu : machine_.gpus)
            if (gpu.index)
                indices.insert(*gpu.index);
        const bool numbered = indices.size() == machine_.gpus.size();
        std::vector<std::pair<int, const Gpu*>> gpus;
        for (const Gpu& gpu : machine_.gpus)
            gpus.emplace_back(numbered ? *gpu.index : static_cast<int>(gpus.size()), &gpu);
        std::sort(gpus.begin(), gpus.end());
        for (const auto& [index, gpu] : gpus)
            add_end(fmt::format("GPU{}", index), gpu->model.value_or(""), gpu->address);
        out_.gpu_count = out_.ends.size();
        int nic = 0;
        for (const RdmaDevice& device : machine_.rdma_devices) {
            const auto found = by_address_.find(device.pci_address.value_or(""));
            if (found == by_address_.end() || !machine_.pci_devices[found->second].physical_function)
                add_end(fmt::format("NIC{}", nic++), device.name, device.pci_address.value_or(""));
        }
        if (nic > 0)
            return;
        for (const PciDevice& device : machine_.pci_devices)
            if (class_of(device) >> 8 == kNetwork && !device.physical_function)
                add_end(fmt::format("NIC{}", nic++), interface_of(device.address), device.address);
    }

    [[nodiscard]] std::string interface_of(const std::string& address) const {
        for (const NetInterface& interface : machine_.interfaces)
            if (interface.pci_address == address)
                return interface.name;
        return "";
    }

    void sort_children() {
        const auto key = [this](std::size_t index) {
            const TopologyNode& node = out_.nodes[index];
            const bool device = node.kind >= TopologyKind::bridge;
            return std::tuple(device ? TopologyKind::bridge : node.kind, node.number.value_or(0), node.address.size(),
                              node.address);
        };
        for (TopologyNode& node : out_.nodes)
            std::sort(node.children.begin(), node.children.end(),
                      [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    }

    const Machine& machine_;
    Topology& out_;
    std::map<std::string, std::size_t, std::less<>> by_address_;
    std::set<std::string> root_buses_;
    std::map<std::string, std::set<int>> numa_of_bus_;
    std::map<int, std::size_t> numa_, packages_;
    std::map<std::string, std::size_t> root_complexes_;
    std::map<std::size_t, std::size_t> by_device_;  ///< device -> node
};

}  // namespace

void add_tree(const Machine& machine, Topology& topology) {
    Builder(machine, topology).build();
}

}  // namespace gpuadapt::topology

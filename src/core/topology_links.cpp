// SPDX-License-Identifier: Apache-2.0
#include "core/topology_parts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace gpuadapt::topology {
namespace {

struct DirectLink {
    std::string_view vendor;
    LinkClass kind;
};

constexpr DirectLink kDirectLinks[] = {
    {"nvidia", LinkClass::nvlink}, {"metax", LinkClass::metaxlink}, {"amd", LinkClass::xgmi}};

/// What makers leave in the register for all chips of a family: nothing, or a number made of their vendor id (PLX
/// Technology: 10b5, organisation 00-0e-df).
bool names_one_chip(const std::string& serial) {
    const auto all = [&serial](char digit) {
        return std::all_of(serial.begin(), serial.end(), [digit](char c) { return c == digit || c == '-'; });
    };
    return !serial.empty() && !all('0') && !all('f') && serial.find("10-b5-df-0e-00") == std::string::npos &&
           serial.find("00-0e-df-10-b5") == std::string::npos;
}

class Linker {
  public:
    Linker(const Machine& machine, Topology& topology) : machine_(machine), out_(topology) {}

    void run() {
        find_chips();
        for (std::size_t i = 0; i < out_.chips.size(); ++i)
            for (const std::size_t bridge : out_.chips[i].bridges)
                chips_of_[bridge].insert(i);
        for (const Gpu& gpu : machine_.gpus)
            gpus_.emplace(gpu.address, &gpu);
        const std::size_t count = out_.ends.size();
        out_.links.assign(count, std::vector<PairLink>(count));
        for (std::size_t a = 0; a < count; ++a) {
            out_.links[a][a] = {LinkClass::self, LinkClass::self, std::nullopt, false};
            for (std::size_t b = a + 1; b < count; ++b)
                out_.links[a][b] = out_.links[b][a] = pair(a, b);
        }
        for (const Gpu& gpu : machine_.gpus)
            if (gpu.links.empty() && !gpu.uuid)  // a management library that answered gives the UUID
                out_.direct_links_read = false;
    }

  private:
    [[nodiscard]] const PciDevice* device_of(std::size_t node) const {
        const auto& device = out_.nodes[node].device;
        return device ? &machine_.pci_devices[*device] : nullptr;
    }

    [[nodiscard]] std::string serial_of(std::size_t node) const {
        const PciDevice* device = device_of(node);
        const std::string serial = device ? device->serial_number.value_or("") : "";
        return names_one_chip(serial) ? serial : "";
    }

    [[nodiscard]] bool is_top(std::size_t node) const {
        const auto parent = out_.nodes[node].parent;
        return parent && out_.nodes[*parent].kind == TopologyKind::root_complex;
    }

    /// The kernel's word first; then upstream ports with the same serial number and ids. A number that also stands in
    /// a switch below another one does not name a chip.
    void find_chips() {
        std::map<std::string, std::size_t> by_address;
        using Key = std::tuple<std::string, std::optional<int>, std::optional<int>>;
        std::map<Key, std::vector<std::size_t>> by_serial;
        std::vector<std::string> below;
        for (std::size_t i = 0; i < out_.nodes.size(); ++i) {
            if (out_.nodes[i].kind != TopologyKind::bridge)
                continue;
            by_address.emplace(out_.nodes[i].address, i);
            const std::string serial = serial_of(i);
            if (serial.empty())
                continue;
            if (is_top(i))
                by_serial[{serial, device_of(i)->vendor_id, device_of(i)->device_id}].push_back(i);
            else
                below.push_back(serial);
        }
        for (const std::vector<std::string>& group : machine_.switch_links) {
            SwitchChip chip;
            for (const std::string& address : group)
                if (const auto found = by_address.find(address); found != by_address.end())
                    chip.bridges.push_back(found->second);
            add_chip(std::move(chip));
        }
        for (const auto& [key, bridges] : by_serial)
            if (std::find(below.begin(), below.end(), std::get<0>(key)) == below.end())
                add_chip({bridges, std::get<0>(key)});
    }

    void add_chip(SwitchChip chip) {
        std::sort(chip.bridges.begin(), chip.bridges.end());
        const bool known = std::any_of(out_.chips.begin(), out_.chips.end(), [&chip](const SwitchChip& other) {
            return std::includes(other.bridges.begin(), other.bridges.end(), chip.bridges.begin(), chip.bridges.end());
        });
        if (chip.bridges.size() > 1 && !known)
            out_.chips.push_back(std::move(chip));
    }

    [[nodiscard]] std::optional<bool> one_chip(std::optional<std::size_t> a, std::optional<std::size_t> b) const {
        if (!a || !b || *a == *b)
            return false;
        const auto chips = chips_of_.find(*a), others = chips_of_.find(*b);
        if (chips != chips_of_.end() && others != chips_of_.end() &&
            std::any_of(chips->second.begin(), chips->second.end(),
                        [&](std::size_t chip) { return others->second.contains(chip); }))
            return true;
        const PciDevice& first = *device_of(*a);
        const PciDevice& second = *device_of(*b);
        const auto differ = [](const std::optional<int>& x, const std::optional<int>& y) { return x && y && *x != *y; };
        if (differ(first.vendor_id, second.vendor_id) || differ(first.device_id, second.device_id))
            return false;
        const std::string serial = serial_of(*a), other = serial_of(*b);
        return serial.empty() || other.empty() || serial == other ? std::nullopt : std::optional(false);
    }

    /// The port of the root complex that leads to a node; its own address when there is none.
    [[nodiscard]] std::string root_port_of(std::size_t node) const {
        const std::size_t top = top_bridge_of(out_, node).value_or(node);
        return out_.nodes[top].port.empty() ? out_.nodes[top].address : out_.nodes[top].port;
    }

    [[nodiscard]] bool share_bridge(std::size_t a, std::size_t b) const {
        const auto first = top_bridge_of(out_, a), second = top_bridge_of(out_, b);
        return root_port_of(a) == root_port_of(b) || (first && first == second);
    }

    [[nodiscard]] LinkClass pcie_class(const TopologyEnd& a, const TopologyEnd& b) const {
        if (!a.node || !b.node)
            return LinkClass::unknown;
        const auto first = root_complex_of(out_, *a.node), second = root_complex_of(out_, *b.node);
        if (first && first == second) {
            if (!share_bridge(*a.node, *b.node))
                return LinkClass::phb;
            return out_.nodes[*a.node].parent == out_.nodes[*b.node].parent ? LinkClass::pix : LinkClass::pxb;
        }
        if (a.numa && b.numa && *a.numa != *b.numa)
            return LinkClass::sys;
        // Without a root complex the two may still be below the same one.
        if (!first || !second)
            return LinkClass::unknown;
        const bool one_node = machine_.numa_nodes.size() == 1;
        return (a.numa && b.numa) || one_node ? LinkClass::node : LinkClass::unknown;
    }

    [[nodiscard]] const Gpu* gpu_of(std::size_t end) const {
        const auto found = end < out_.gpu_count ? gpus_.find(out_.ends[end].address) : gpus_.end();
        return found == gpus_.end() ? nullptr : found->second;
    }

    struct Reach {
        int direct = 0, by_switch = 0, somewhere = 0;
    };

    /// Links that are up, by where they lead.
    [[nodiscard]] Reach reach(const Gpu& from, const Gpu& to) const {
        Reach reach;
        for (const GpuLink& link : from.links) {
            if (link.state && *link.state != "up")
                continue;
            if (link.remote == to.address)
                ++reach.direct;
            else if (link.remote_kind == "switch")
                ++reach.by_switch;
            else if (!link.remote || (!link.remote_kind && !gpus_.contains(*link.remote)))
                ++reach.somewhere;  // behind a remote end of unknown kind can be a switch
        }
        return reach;
    }

    [[nodiscard]] PairLink pair(std::size_t a, std::size_t b) const {
        const TopologyEnd& first = out_.ends[a];
        const TopologyEnd& second = out_.ends[b];
        PairLink link;
        link.pcie = link.kind = pcie_class(first, second);
        const bool below_one = link.pcie == LinkClass::pix || link.pcie == LinkClass::pxb;
        if (!below_one && first.node && second.node)
            link.one_chip = one_chip(top_bridge_of(out_, *first.node), top_bridge_of(out_, *second.node));
        if (link.one_chip.value_or(false))
            link.kind = LinkClass::dual;
        const Gpu* gpu = gpu_of(a);
        const Gpu* other = gpu_of(b);
        if (gpu && other && gpu->vendor == other->vendor)
            take_direct(*gpu, *other, link);
        return link;
    }

    void take_direct(const Gpu& gpu, const Gpu& other, PairLink& link) const {
        const auto* const row = std::find_if(std::begin(kDirectLinks), std::end(kDirectLinks),
                                             [&gpu](const DirectLink& kind) { return kind.vendor == gpu.vendor; });
        if (row == std::end(kDirectLinks))
            return;
        const Reach there = reach(gpu, other), back = reach(other, gpu);
        const int direct = std::max(there.direct, back.direct);
        const int count = direct > 0 ? direct : std::min(there.by_switch, back.by_switch);
        if (count > 0) {
            link.kind = row->kind;
            link.links = count;
        } else if (there.somewhere > 0 && back.somewhere > 0) {
            link.kind = LinkClass::unknown;
        }
    }

    const Machine& machine_;
    Topology& out_;
    std::map<std::size_t, std::set<std::size_t>> chips_of_;  ///< bridge -> chips
    std::map<std::string, const Gpu*> gpus_;
};

}  // namespace

std::optional<std::size_t> root_complex_of(const Topology& topology, std::size_t node) {
    for (std::optional<std::size_t> at = node; at; at = topology.nodes[*at].parent)
        if (topology.nodes[*at].kind == TopologyKind::root_complex)
            return at;
    return std::nullopt;
}

std::optional<std::size_t> top_bridge_of(const Topology& topology, std::size_t node) {
    std::optional<std::size_t> top;
    for (std::optional<std::size_t> at = topology.nodes[node].parent; at; at = topology.nodes[*at].parent)
        if (topology.nodes[*at].kind == TopologyKind::bridge)
            top = at;
    return top;
}

void add_links(const Machine& machine, Topology& topology) {
    Linker(machine, topology).run();
}

}  // namespace gpuadapt::topology

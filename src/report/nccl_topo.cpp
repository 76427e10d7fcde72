// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"
#include "report/xml.hpp"

#include <gpuadapt/core/topology.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/report/topology.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

#include <fmt/format.h>

/// The attributes are those that NCCL's src/graph/xml.cc writes and reads.
namespace gpuadapt::report {
namespace {

constexpr int kNvSwitchClass = 0x068000;
constexpr int kGpuClass = 0x030200;
constexpr int kMostCpus = 64 * 1024;

using Attributes = std::vector<std::pair<std::string_view, std::string>>;

/// "0-3,8" as the kernel's mask: groups of 32 bits, highest first: "0000010f". nullopt for what is no list.
std::optional<std::string> cpu_mask(std::string_view list) {
    std::vector<std::uint32_t> groups;
    std::int64_t named = 0;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const std::string_view range = list.substr(0, comma);
        list.remove_prefix(std::min(comma + 1, list.size()));
        const std::size_t dash = std::min(range.find('-'), range.size());
        const auto first = parse_integer(range.substr(0, dash));
        const auto last = dash < range.size() ? parse_integer(range.substr(dash + 1)) : first;
        if (!first || !last || *first < 0 || *last < *first || *last >= kMostCpus)
            return std::nullopt;
        named += *last - *first + 1;
        if (named > kMostCpus)  // "0-65535,0-65535,..."
            return std::nullopt;
        groups.resize(std::max(groups.size(), static_cast<std::size_t>(*last / 32 + 1)));
        for (std::int64_t cpu = *first; cpu <= *last; ++cpu)
            groups[static_cast<std::size_t>(cpu / 32)] |= 1U << (cpu % 32);
    }
    std::string mask;
    for (auto group = groups.rbegin(); group != groups.rend(); ++group)
        mask += fmt::format("{}{:08x}", mask.empty() ? "" : ",", *group);
    return mask.empty() ? std::nullopt : std::optional(mask);
}

class Writer {
  public:
    explicit Writer(const Machine& machine) : machine_(machine), topology_(topology_of(machine)) {}

    std::string write() {
        begin("system", {{"version", "1"}});
        std::map<int, std::vector<std::size_t>> by_numa;  // devices without a NUMA node: -1, as the kernel says
        for (std::size_t i = 0; i < topology_.nodes.size(); ++i) {
            const TopologyNode& node = topology_.nodes[i];
            const bool top = node.kind == TopologyKind::root_complex || (node.device && *node.parent == 0);
            if (top && leads_somewhere(i))
                by_numa[topology_.nodes[*node.parent].number.value_or(-1)].push_back(i);
        }
        for (const auto& [numa, nodes] : by_numa) {
            begin("cpu", cpu(numa));
            for (const std::size_t node : nodes)
                add(node);
            end("cpu");
        }
        end("system");
        return out_;
    }

  private:
    void element(std::string_view name, const Attributes& attributes, std::string_view tail) {
        out_ += std::string(2 * depth_, ' ') + fmt::format("<{}", name);
        for (const auto& [key, value] : attributes)
            out_ += fmt::format(" {}=\"{}\"", key, xml_escaped(value));
        out_ += fmt::format("{}\n", tail);
    }
    void begin(std::string_view name, const Attributes& attributes) {
        element(name, attributes, ">");
        ++depth_;
    }
    void end(std::string_view name) {
        --depth_;
        out_ += std::string(2 * depth_, ' ') + fmt::format("</{}>\n", name);
    }

    [[nodiscard]] bool leads_somewhere(std::size_t node) const {
        const TopologyNode& it = topology_.nodes[node];
        if (it.kind == TopologyKind::gpu)
            return true;
        if (it.kind == TopologyKind::nic)
            return !nets(it.address).empty();
        return std::any_of(it.children.begin(), it.children.end(),
                           [this](std::size_t child) { return leads_somewhere(child); });
    }

    [[nodiscard]] Attributes cpu(int numa) const {
        Attributes attributes = {{"numaid", std::to_string(numa)}};
        for (const NumaNode& node : machine_.numa_nodes)
            if (node.id == numa)
                if (const auto mask = cpu_mask(node.cpus.value_or("")))
                    attributes.emplace_back("affinity", *mask);
        const std::string architecture = machine_.cpu.architecture.value_or("");
        if (architecture == "aarch64" || architecture.starts_with("ppc64"))
            attributes.emplace_back("arch", architecture == "aarch64" ? "arm64" : "ppc64");
        if (architecture != "x86_64")
            return attributes;
        attributes.emplace_back("arch", architecture);
        if (machine_.cpu.vendor)
            attributes.emplace_back("vendor", *machine_.cpu.vendor);
        if (machine_.cpu.family && machine_.cpu.model_number) {
            // NCCL adds the extended family shifted by four bits, where the kernel adds it as it is.
            const int family = *machine_.cpu.family;
            attributes.emplace_back("familyid", std::to_string(family > 15 ? 15 + ((family - 15) << 4) : family));
            attributes.emplace_back("modelid", std::to_string(*machine_.cpu.model_number));
        }
        return attributes;
    }

    template <class T>
    static std::optional<T> lower(const std::optional<T>& a, const std::optional<T>& b) {
        return a && b ? std::min(a, b) : a ? a : b;
    }

    [[nodiscard]] Attributes pci(const TopologyNode& node) const {
        const PciDevice& device = machine_.pci_devices[*node.device];
        Attributes attributes = {{"busid", device.address}};
        const auto add = [&attributes](std::string_view name, const std::optional<int>& value, int digits) {
            if (value)
                attributes.emplace_back(name, fmt::format("0x{:0{}x}", *value, digits));
        };
        add("class", device.class_code, 6);
        add("vendor", device.vendor_id, 4);
        add("device", device.device_id, 4);
        add("subsystem_vendor", device.subsystem_vendor_id, 4);
        add("subsystem_device", device.subsystem_device_id, 4);
        const PciDevice* above = find_device(machine_, device.parent.value_or(""));
        const PciLink other = above != nullptr ? above->link : PciLink{};
        // NCCL insists on both; for what it does not know itself it writes these two values.
        const auto speed = lower(device.link.capable_gt_s, other.capable_gt_s);
        const auto width = lower(device.link.capable_width, other.capable_width);
        attributes.emplace_back("link_speed", speed ? fmt::format("{:.1f} GT/s PCIe", *speed) : "");
        attributes.emplace_back("link_width", std::to_string(width.value_or(0)));
        return attributes;
    }

    void add(std::size_t index) {
        const TopologyNode& node = topology_.nodes[index];
        if (!leads_somewhere(index))
            return;
        if (node.kind == TopologyKind::root_complex) {
            for (const std::size_t child : node.children)
                add(child);
            return;
        }
        begin("pci", pci(node));
        if (node.kind == TopologyKind::gpu)
            add_gpu(node);
        if (node.kind == TopologyKind::nic)
            add_nic(node);
        for (const std::vector<std::string>& group : machine_.switch_links)
            if (std::find(group.begin(), group.end(), node.address) != group.end())
                for (const std::string& peer : group)
                    if (peer != node.address)
                        element("pcilink", {{"target", peer}}, "/>");
        for (const std::size_t child : node.children)
            add(child);
        end("pci");
    }

    struct Peer {
        int count = 0;
        int class_code = 0;
    };

    /// Where the links of a GPU lead; empty unless that is known of all that are up: NCCL then asks for itself.
    [[nodiscard]] std::map<std::string, Peer> peers(const Gpu& gpu) const {
        std::map<std::string, Peer> peers;
        for (const GpuLink& link : gpu.links) {
            if (link.state && *link.state != "up")
                continue;
            if (!link.remote)
                return {};
            Peer& peer = peers[*link.remote];
            ++peer.count;
            const PciDevice* device = find_device(machine_, *link.remote);
            const int usual = link.remote_kind == "switch" ? kNvSwitchClass : kGpuClass;
            peer.class_code = device != nullptr ? device->class_code.value_or(usual) : usual;
        }
        return peers;
    }

    void add_gpu(const TopologyNode& node) {
        const auto gpu = std::find_if(machine_.gpus.begin(), machine_.gpus.end(),
                                      [&node](const Gpu& it) { return it.address == node.address; });
        const std::string_view links = gpu->vendor == "nvidia" ? "nvlink" : gpu->vendor == "amd" ? "xgmi" : "";
        const auto targets = links.empty() ? std::map<std::string, Peer>{} : peers(*gpu);
        Attributes attributes;
        if (node.label.starts_with("GPU"))
            attributes.emplace_back("dev", node.label.substr(3));
        if (targets.empty()) {
            element("gpu", attributes, "/>");
            return;
        }
        begin("gpu", attributes);
        for (const auto& [target, peer] : targets)
            element(links,
                    {{"target", target},
                     {"count", std::to_string(peer.count)},
                     {"tclass", fmt::format("0x{:06x}", peer.class_code)}},
                    "/>");
        end("gpu");
    }

    /// Ports of RDMA devices that can be used; without any RDMA device, network interfaces.
    [[nodiscard]] std::vector<Attributes> nets(const std::string& address) const {
        std::vector<Attributes> nets;
        const auto add = [&nets](const std::string& name, std::optional<double> mbit_s, int port) {
            nets.push_back({{"name", name}});
            if (mbit_s)
                nets.back().emplace_back("speed", fmt::format("{:.0f}", *mbit_s));
            nets.back().emplace_back("port", std::to_string(port));
        };
        for (const RdmaDevice& device : machine_.rdma_devices)
            for (const RdmaPort& port : device.ports)
                if (device.pci_address == address && (!port.state || *port.state == "ACTIVE"))
                    add(device.name, port.rate_gbit_s ? std::optional(*port.rate_gbit_s * 1000) : std::nullopt,
                        port.number);
        if (machine_.rdma_devices.empty())
            for (const NetInterface& interface : machine_.interfaces)
                if (interface.pci_address == address)
                    add(interface.name, interface.speed_mbit_s, 0);
        return nets;
    }

    void add_nic(const TopologyNode& node) {
        begin("nic", {});
        for (Attributes attributes : nets(node.address)) {
            attributes.insert(attributes.begin() + 1, {"dev", std::to_string(net_++)});
            element("net", attributes, "/>");
        }
        end("nic");
    }

    const Machine& machine_;
    Topology topology_;
    std::string out_;
    std::size_t depth_ = 0;
    int net_ = 0;
};

}  // namespace

std::string nccl_topology(const Machine& machine) {
    return Writer(machine).write();
}

}  // namespace gpuadapt::report

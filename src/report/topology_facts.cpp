// SPDX-License-Identifier: Apache-2.0
#include "report/topology_facts.hpp"

#include "report/facts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

std::string gbyte_text(const std::optional<double>& value, const std::string& unread) {
    return value ? fmt::format("{:.1f}", *value) : unread;
}

std::string labels(const Topology& topology, const std::vector<std::size_t>& ends) {
    std::vector<std::string> words;
    words.reserve(ends.size());
    for (const std::size_t end : ends)
        words.push_back(topology.ends[end].label);
    return joined(words, " ");
}

Message numa_text(const Machine& machine, int number) {
    Message text = Message::same(fmt::format("NUMA {}", number));
    for (const NumaNode& node : machine.numa_nodes)
        if (node.id == number && node.cpus && !node.cpus->empty())
            text = joined({text, Message::same("CPU " + *node.cpus)}, ", ");
    return text;
}

Message machine_text(const Machine& machine) {
    return {"machine " + machine.os.hostname.value_or("?"), "主机 " + machine.os.hostname.value_or("?")};
}

/// Walks the tree, parents first.
class TreeWriter {
  public:
    TreeWriter(const Machine& machine, const Topology& topology) : machine_(machine), topology_(topology) {}

    std::vector<TreeLine> write() {
        lines_.push_back({"", node_text(machine_, topology_, 0)});
        below(0, "");
        return std::move(lines_);
    }

  private:
    void below(std::size_t parent, const std::string& prefix) {
        const auto groups = folded_children(machine_, topology_, parent);
        for (const std::vector<std::size_t>& group : groups) {
            const bool last = &group == &groups.back();
            Message text = node_text(machine_, topology_, group.front());
            if (group.size() > 1)
                text = joined({Message::same(fmt::format("{} x", group.size())), text}, " ");
            lines_.push_back({prefix + (last ? "└─ " : "├─ "), text});
            below(group.front(), prefix + (last ? "   " : "│  "));
        }
    }

    const Machine& machine_;
    const Topology& topology_;
    std::vector<TreeLine> lines_;
};

/// As the vendors' tools explain them.
struct ClassMeaning {
    LinkClass kind;
    std::string_view code;
    Text meaning;
};

constexpr ClassMeaning kMeanings[] = {
    {LinkClass::nvlink, "NVn", {"n NVLinks", "n 条 NVLink"}},
    {LinkClass::metaxlink, "MXn", {"n MetaXLinks, MX: one", "n 条 MetaXLink，MX 为一条"}},
    {LinkClass::xgmi, "XGMI", {"XGMI", "XGMI"}},
    {LinkClass::pix, "PIX", {"at most one PCIe switch", "至多经过一个PCIe交换芯片"}},
    {LinkClass::pxb, "PXB", {"several PCIe switches, no host bridge", "经过多个PCIe交换芯片，不经主桥"}},
    {LinkClass::dual,
     "DUAL",
     {"two uplinks of one switch chip: a copy may stay inside it", "同一交换芯片的两个上行口：数据可能不出芯片"}},
    {LinkClass::phb, "PHB", {"through a host bridge (CPU)", "经过主桥（CPU）"}},
    {LinkClass::node, "NODE", {"between host bridges of one NUMA node", "经过同一NUMA节点内的多个主桥"}},
    {LinkClass::sys, "SYS", {"between NUMA nodes", "跨NUMA节点"}},
    {LinkClass::unknown, "?", {"not known", "未知"}}};

/// The lanes of all links of these GPUs when they are the same.
std::optional<int> lanes_of(const Machine& machine, const Topology& topology, const std::vector<std::size_t>& island) {
    std::set<std::optional<int>> lanes;
    for (const std::size_t end : island)
        for (const Gpu& gpu : machine.gpus)
            if (gpu.address == topology.ends[end].address)
                for (const GpuLink& link : gpu.links)
                    lanes.insert(link.lanes);
    return lanes.size() == 1 ? *lanes.begin() : std::nullopt;
}

/// "2x4 MetaXLink x16"; GPUs outside of all islands count as islands of one.
std::string islands_text(const Machine& machine, const Topology& topology,
                         const std::vector<std::vector<std::size_t>>& islands) {
    std::map<std::string, int> counts;
    std::size_t inside = 0;
    for (const std::vector<std::size_t>& island : islands) {
        const PairLink& link = island_link(topology, island);
        const auto lanes = lanes_of(machine, topology, island);
        ++counts[fmt::format("{} {}{}", island.size(), direct_link_name(link.kind),
                             lanes ? fmt::format(" x{}", *lanes) : "")];
        inside += island.size();
    }
    std::vector<std::string> parts;
    parts.reserve(counts.size());
    for (const auto& [text, count] : counts)
        parts.push_back(fmt::format("{}x{}", count, text));
    if (inside < topology.gpu_count)
        parts.push_back(fmt::format("{} GPU PCIe", topology.gpu_count - inside));
    return joined(parts, " + ");
}

}  // namespace

std::optional<std::size_t> chip_of(const Topology& topology, std::size_t node) {
    for (std::size_t i = 0; i < topology.chips.size(); ++i)
        if (std::find(topology.chips[i].bridges.begin(), topology.chips[i].bridges.end(), node) !=
            topology.chips[i].bridges.end())
            return i + 1;
    return std::nullopt;
}

const PairLink& island_link(const Topology& topology, const std::vector<std::size_t>& island) {
    const auto& links = topology.links[island.front()];  // the first GPU has a direct link, if not to the second
    const auto found =
        std::find_if(links.begin(), links.end(), [](const PairLink& link) { return is_direct(link.kind); });
    return found == links.end() ? links.front() : *found;
}

std::string_view direct_link_name(LinkClass kind) {
    return kind == LinkClass::nvlink ? "NVLink" : kind == LinkClass::metaxlink ? "MetaXLink" : "XGMI";
}

std::vector<std::vector<std::size_t>> folded_children(const Machine& machine, const Topology& topology,
                                                      std::size_t node) {
    const auto key = [&](std::size_t child) -> std::string {
        const TopologyNode& it = topology.nodes[child];
        if (it.kind != TopologyKind::nvme)
            return "";
        const PciDevice& device = machine.pci_devices[*it.device];
        const auto link = link_text(device.link);
        return device_name(device) + "\n" + (link ? link->en : "");
    };
    std::vector<std::vector<std::size_t>> groups;
    for (const std::size_t child : topology.nodes[node].children) {
        const std::string own = key(child);
        if (!groups.empty() && !own.empty() && key(groups.back().front()) == own)
            groups.back().push_back(child);
        else
            groups.push_back({child});
    }
    return groups;
}

std::vector<TreeLine> tree_lines(const Machine& machine, const Topology& topology) {
    return TreeWriter(machine, topology).write();
}

std::string device_title(const Machine& machine, const Topology& topology, std::size_t node) {
    const TopologyNode& it = topology.nodes[node];
    const PciDevice& device = machine.pci_devices[*it.device];
    std::string name = device.device_name.value_or(device_name(device));
    for (const Gpu& gpu : machine.gpus)
        if (gpu.address == it.address)
            name = gpu_name(machine, gpu);
    std::vector<std::string> words;
    if (!it.label.empty())
        words.push_back(it.label);
    for (const TopologyEnd& end : topology.ends)
        if (end.label == it.label && it.kind == TopologyKind::nic && !end.name.empty())
            words.push_back(end.name);
    if (it.kind == TopologyKind::nic)
        for (const NetInterface& interface : machine.interfaces)
            if (interface.pci_address == it.address &&
                std::find(words.begin(), words.end(), interface.name) == words.end())
                words.push_back(interface.name);
    if (name != it.address)
        words.push_back(name);
    return joined(words, " ");
}

Message node_text(const Machine& machine, const Topology& topology, std::size_t node) {
    const TopologyNode& it = topology.nodes[node];
    switch (it.kind) {
        case TopologyKind::machine:
            return machine_text(machine);
        case TopologyKind::package:
            return {fmt::format("package {}", *it.number), fmt::format("CPU插槽 {}", *it.number)};
        case TopologyKind::numa:
            return numa_text(machine, *it.number);
        case TopologyKind::root_complex:
            return {"root complex " + it.address, "根复合体 " + it.address};
        case TopologyKind::bridge:
        case TopologyKind::gpu:
        case TopologyKind::nic:
        case TopologyKind::nvme:
            break;
    }
    const PciDevice& device = machine.pci_devices[*it.device];
    std::vector<Message> parts;
    if (it.kind == TopologyKind::bridge)
        parts.emplace_back("switch " + it.address, "交换芯片 " + it.address);
    else
        parts.push_back(joined({Message::same(it.address), Message::same(device_title(machine, topology, node))}, " "));
    if (const auto link = link_text(device.link))
        parts.push_back(*link);
    else if (!it.port.empty())
        parts.push_back(link_not_read());
    if (const auto chip = chip_of(topology, node))
        parts.emplace_back(fmt::format("uplink of chip {}", *chip), fmt::format("芯片{}的上行口", *chip));
    return joined(parts, ", ");
}

Cells matrix_cells(const Topology& topology) {
    Cells cells;
    auto& head = cells.emplace_back();
    head.emplace_back();
    for (const TopologyEnd& end : topology.ends)
        head.push_back(end.label);
    for (std::size_t row = 0; row < topology.ends.size(); ++row) {
        auto& line = cells.emplace_back();
        line.push_back(topology.ends[row].label);
        for (const PairLink& link : topology.links[row])
            line.push_back(link_code(link));
    }
    return cells;
}

std::vector<std::pair<std::string, Message>> class_legend(const Topology& topology) {
    std::set<LinkClass> used;
    bool doubtful = false;
    for (const auto& row : topology.links)
        for (const PairLink& link : row) {
            used.insert(link.kind);
            doubtful = doubtful || (link.kind != LinkClass::unknown && link_code(link).ends_with('?'));
        }
    std::vector<std::pair<std::string, Message>> legend;
    for (const ClassMeaning& row : kMeanings)
        if (used.contains(row.kind))
            legend.emplace_back(row.code, Message(row.meaning));
    if (doubtful)
        legend.emplace_back("..?", Message{"the two switches may be one chip with two uplinks: their serial numbers "
                                           "were not read (needs root) or name no chip",
                                           "两个交换芯片可能是同一芯片的两个上行口：序列号未读到（需root）或无效"});
    return legend;
}

std::vector<std::pair<std::string, std::string>> end_legend(const Topology& topology) {
    std::vector<std::pair<std::string, std::string>> legend;
    for (std::size_t i = topology.gpu_count; i < topology.ends.size(); ++i)
        if (!topology.ends[i].name.empty())
            legend.emplace_back(topology.ends[i].label, topology.ends[i].name);
    return legend;
}

Cells uplink_rows(const Topology& topology, const std::string& unread) {
    Cells rows;
    for (const Uplink& uplink : topology.uplinks)
        rows.push_back({topology.nodes[uplink.bridge].address, labels(topology, uplink.gpus),
                        gbyte_text(uplink.gpu_gbyte_s, unread), gbyte_text(uplink.uplink_gbyte_s, unread),
                        uplink.ratio ? fmt::format("{:.1f}:1", *uplink.ratio) : unread});
    return rows;
}

Cells gpu_path_rows(const Topology& topology, const std::string& unread) {
    Cells rows;
    for (std::size_t gpu = 0; gpu < topology.gpu_count; ++gpu) {
        const Bottleneck& slowest = topology.bottlenecks[gpu];
        const Rail& rail = topology.rails[gpu];
        std::string nics = "-";
        if (!rail.nics.empty()) {
            PairLink kind;
            kind.kind = rail.kind;
            nics = link_code(kind) + " " + labels(topology, rail.nics);
        } else if (topology.ends.size() > topology.gpu_count) {
            nics = "?";
        }
        rows.push_back({topology.ends[gpu].label, slowest.below ? topology.nodes[*slowest.below].address : unread,
                        gbyte_text(slowest.gbyte_s, unread), nics});
    }
    return rows;
}

Message reason_text(DifferenceReason reason) {
    switch (reason) {
        case DifferenceReason::dual_uplink:
            return {"one chip with two uplinks: the vendor's tool takes them for two switches",
                    "同一芯片有两个上行口：厂商工具视为两个交换芯片"};
        case DifferenceReason::links_not_read:
            return {"the direct links were not read here", "本工具未读到直连链路"};
        case DifferenceReason::not_told:
            return {"the PCI tree that was read does not tell", "所读到的PCI树无法判断"};
        case DifferenceReason::contradiction:
            break;
    }
    return {"one of the two is wrong", "两者之一有误"};
}

Message comparison_text(const TopologyMatrix& theirs, const TopologyComparison& comparison) {
    const std::string tool = theirs.tool.empty() ? "?" : theirs.tool;
    if (theirs.names.empty())
        return {tool + ": no matrix in its output", tool + "：输出中没有矩阵"};
    Message text{fmt::format("{}: {} compared, {} {}", tool, counted(comparison.compared, "pair"),
                             comparison.differences.size(), comparison.differences.size() == 1 ? "differs" : "differ"),
                 fmt::format("{}：比较 {} 对，{} 对不同", tool, comparison.compared, comparison.differences.size())};
    if (!comparison.unmatched.empty()) {
        const std::string names = joined(comparison.unmatched, " ");
        text = joined({text, Message{"not found here: " + names, "此处没有：" + names}}, "; ");
    }
    return text;
}

std::vector<Message> topology_notes(const Topology& topology) {
    std::vector<Message> notes = chip_notes(topology);
    if (topology.gpu_count > 1 && !topology.direct_links_read)
        notes.insert(notes.begin(),
                     {"Direct links between GPUs (NVLink, MetaXLink) were not read: the classes are those of PCIe.",
                      "未读到GPU间直连链路（NVLink、MetaXLink）：以上为PCIe的类别。"});
    return notes;
}

std::vector<Message> chip_notes(const Topology& topology) {
    std::vector<Message> notes;
    for (std::size_t i = 0; i < topology.chips.size(); ++i) {
        const SwitchChip& chip = topology.chips[i];
        std::vector<std::string> ports;
        for (const std::size_t bridge : chip.bridges)
            ports.push_back(topology.nodes[bridge].address);
        const std::string list = joined(ports, " ");
        notes.emplace_back(
            fmt::format("Chip {}: uplinks {}, {}. Whether copies stay inside it, only a measurement tells.", i + 1,
                        list,
                        chip.serial_number.empty() ? "as the kernel says" : "serial number " + chip.serial_number),
            fmt::format("芯片{}：上行口 {}，{}。数据是否不出芯片，只有测量能确认。", i + 1, list,
                        chip.serial_number.empty() ? "由内核给出" : "序列号 " + chip.serial_number));
    }
    return notes;
}

std::optional<Message> topology_in_short(const Machine& machine, const Topology& topology) {
    if (topology.gpu_count == 0)
        return std::nullopt;
    std::vector<Message> parts;
    const auto islands = direct_islands(topology);
    if (!islands.empty())
        parts.push_back(Message::same(islands_text(machine, topology, islands)));
    else if (topology.direct_links_read || topology.gpu_count == 1)
        parts.push_back(Message::same(fmt::format("{} GPU PCIe", topology.gpu_count)));
    else
        parts.emplace_back(fmt::format("{} GPU, direct links not read", topology.gpu_count),
                           fmt::format("{} GPU，直连链路未读到", topology.gpu_count));
    const auto switches = std::count_if(topology.uplinks.begin(), topology.uplinks.end(), [&](const Uplink& uplink) {
        return topology.nodes[*topology.nodes[uplink.bridge].parent].kind != TopologyKind::bridge;
    });
    if (switches > 0)
        parts.push_back(Message::same(fmt::format("{} switch", switches)));
    if (!topology.chips.empty())
        parts.emplace_back(fmt::format("{} with several uplinks", counted(topology.chips.size(), "chip")),
                           fmt::format("{} 个芯片有多个上行口", topology.chips.size()));
    return joined(parts, ", ");
}

}  // namespace gpuadapt::report

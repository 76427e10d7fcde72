// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"
#include "report/text_layout.hpp"
#include "report/unread_text.hpp"

#include <gpuadapt/core/units.hpp>
#include <gpuadapt/report/text.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

constexpr std::size_t kLabelWidth = 10;
constexpr std::size_t kTreeLines = 24;  ///< of the tree inside the summary
constexpr std::size_t kUnreadLines = 8;

Message or_unread(const std::optional<std::string>& value) {
    return value ? Message::same(*value) : not_read();
}

Message system_text(const Machine& machine) {
    const Dmi& dmi = machine.dmi;
    std::vector<Message> parts;
    std::vector<std::string> name;
    for (const auto& word : {filled(dmi.system_vendor), filled(dmi.product_name)})
        if (word)
            name.push_back(*word);
    if (!name.empty())
        parts.push_back(Message::same(joined(name, " ")));
    else if (const auto board = filled(dmi.board_name))
        parts.push_back(Message::same(*board));
    if (const auto serial = filled(dmi.serial))
        parts.emplace_back("serial " + *serial, "序列号 " + *serial);
    if (const auto bios = filled(dmi.bios_version)) {
        const auto date = filled(dmi.bios_date);
        parts.push_back(Message::same("BIOS " + *bios + (date ? " (" + *date + ")" : "")));
    }
    if (machine.os.hypervisor)
        parts.emplace_back("virtual machine: " + *machine.os.hypervisor, "虚拟机：" + *machine.os.hypervisor);
    return parts.empty() ? not_read() : joined(parts, ", ");
}

/// The texts of other tools may have the cores of each socket only.
std::optional<std::int64_t> all_cores(const Cpu& cpu) {
    if (cpu.cores || !cpu.sockets || !cpu.cores_per_socket)
        return cpu.cores;
    return std::int64_t{*cpu.sockets} * *cpu.cores_per_socket;
}

Message cpu_text(const Machine& machine) {
    const Cpu& cpu = machine.cpu;
    std::vector<Message> parts;
    Message model = or_unread(cpu.model ? cpu.model : cpu.architecture);
    if (cpu.sockets)
        model = joined({Message::same(fmt::format("{} x", *cpu.sockets)), model}, " ");
    parts.push_back(model);
    if (const auto cores = all_cores(cpu))
        parts.emplace_back(counted(*cores, "core"), fmt::format("{} 核", *cores));
    if (cpu.logical_cpus)
        parts.emplace_back(counted(*cpu.logical_cpus, "CPU") + " online",
                           fmt::format("在线逻辑CPU {}", *cpu.logical_cpus));
    parts.push_back(joined({{"governor", "调频"}, or_unread(cpu.governor)}, " "));
    return joined(parts, ", ");
}

/// "32.0 GiB DDR5-4800"; "16.0 GiB 1866 MT/s" where the type is not known.
std::string module_text(const Dimm& dimm) {
    std::string text = dimm.size_bytes ? format_bytes(*dimm.size_bytes) : "?";
    const auto type = filled(dimm.type);
    const auto speed = dimm.configured_speed_mt_s ? dimm.configured_speed_mt_s : dimm.speed_mt_s;
    if (type)
        text += " " + *type;
    if (speed)
        text += type ? fmt::format("-{}", *speed) : fmt::format(" {} MT/s", *speed);
    return text;
}

Message memory_text(const Machine& machine) {
    const Memory& memory = machine.memory;
    std::vector<Message> parts;
    parts.push_back(memory.total_bytes ? Message::same(format_bytes(*memory.total_bytes)) : not_read());
    std::vector<std::string> modules;
    for (const Dimm& dimm : machine.dimms)
        modules.push_back(module_text(dimm));
    if (!modules.empty())
        parts.push_back(Message::same(folded(modules)));
    if (memory.hugepages_total.value_or(0) > 0)
        parts.emplace_back(counted(*memory.hugepages_total, "huge page"),
                           fmt::format("大页 {}", *memory.hugepages_total));
    return joined(parts, ", ");
}

Message numa_node_text(const NumaNode& node) {
    const std::string memory = node.memory_bytes ? format_bytes(*node.memory_bytes) : "?";
    const std::string cpus = node.cpus.value_or("?");
    return {fmt::format("{}: {}, {}", node.id, cpus.empty() ? "no CPUs" : "CPU " + cpus, memory),
            fmt::format("{}: {}, {}", node.id, cpus.empty() ? "无CPU" : "CPU " + cpus, memory)};
}

/// Nodes that only PCI devices tell of, as lspci does.
std::vector<Message> numa_nodes_of_devices(const Machine& machine) {
    std::map<int, std::size_t> devices;
    for (const PciDevice& device : machine.pci_devices)
        if (device.numa_node.value_or(-1) >= 0)
            ++devices[*device.numa_node];
    std::vector<Message> texts;
    texts.reserve(devices.size());
    for (const auto& [node, count] : devices)
        texts.emplace_back(fmt::format("{}: {}", node, counted(count, "PCI device")),
                           fmt::format("{}: {} 个PCI设备", node, count));
    return texts;
}

Message numa_text(const Machine& machine) {
    constexpr std::size_t kShown = 8;
    std::vector<Message> nodes;
    for (const NumaNode& node : machine.numa_nodes)
        nodes.push_back(numa_node_text(node));
    const bool only_devices = nodes.empty();
    if (only_devices)
        nodes = numa_nodes_of_devices(machine);
    if (nodes.empty())
        return not_read();
    const std::size_t more = nodes.size() - std::min(kShown, nodes.size());
    nodes.resize(nodes.size() - more);
    if (more > 0)
        nodes.emplace_back(fmt::format("{} more", more), fmt::format("另有 {} 个", more));
    if (only_devices)
        nodes.emplace_back("CPUs and memory not read", "CPU与内存未读到");
    return joined(nodes, "; ");
}

Message os_text(const Machine& machine) {
    std::vector<Message> parts = {or_unread(machine.os.name)};
    parts.push_back(joined({{"kernel", "内核"}, or_unread(machine.os.kernel)}, " "));
    if (machine.os.container)
        parts.emplace_back("in a container: " + *machine.os.container, "容器内：" + *machine.os.container);
    parts.push_back(!machine.iommu_active   ? Message{"IOMMU not read", "IOMMU未读到"}
                    : *machine.iommu_active ? Message{"IOMMU on", "IOMMU已开启"}
                                            : Message{"IOMMU off", "IOMMU已关闭"});
    return joined(parts, ", ");
}

Message gpu_text(const Machine& machine) {
    if (machine.gpus.empty())
        return no_gpu(machine) ? Message{"none", "无"} : not_read();
    std::vector<std::string> english, chinese;
    for (const Gpu& gpu : machine.gpus) {
        const PciDevice* device = find_device(machine, gpu.address);
        const Message link = device ? link_text(device->link).value_or(link_not_read()) : link_not_read();
        english.push_back(fmt::format("{}, {}", gpu_name(machine, gpu), link.en));
        chinese.push_back(fmt::format("{}, {}", gpu_name(machine, gpu), link.zh));
    }
    return {folded(english), folded(chinese)};
}

/// "up 25 Gb/s", "ACTIVE InfiniBand 400 Gb/s"; a port that is down has no speed to be missed.
Message port_text(const std::optional<std::string>& state, const std::string& link_layer,
                  const std::optional<double>& gbit_s) {
    Message text = state ? Message::same(*state) : Message{"state not known", "状态未知"};
    if (!link_layer.empty())
        text = joined({text, Message::same(link_layer)}, " ");
    if (gbit_s)
        return joined({text, Message::same(fmt::format("{:g} Gb/s", *gbit_s))}, " ");
    if (state == "down" || state == "DOWN")
        return text;
    return joined({text, {"speed not known", "速率未知"}}, ", ");
}

/// A link that is not up has no rate, whatever the file says; what the port does instead tells the cause: Polling (no
/// answer from the other end), Disabled.
Message rdma_port_text(const RdmaPort& port) {
    const std::string link_layer = port.link_layer.value_or("");
    if (port.state != "DOWN" || !port.phys_state)
        return port_text(port.state, link_layer, port.rate_gbit_s);
    return port_text(port.state, fmt::format("({}){}{}", *port.phys_state, link_layer.empty() ? "" : " ", link_layer),
                     std::nullopt);
}

/// mlx5_2 before mlx5_10.
bool counts_before(const std::string& a, const std::string& b) {
    const auto key = [](const std::string& name) {
        const std::size_t digits = name.find_last_not_of("0123456789") + 1;  // npos + 1: all are digits
        return std::tuple(name.substr(0, digits), name.size(), name);
    };
    return key(a) < key(b);
}

Message network_text(const Machine& machine) {
    std::vector<Message> lines;
    for (const NetInterface& interface : machine.interfaces) {
        if (interface.virtual_device.value_or(false) || interface.kind == "loopback")
            continue;
        const auto gbit_s =
            interface.speed_mbit_s ? std::optional(*interface.speed_mbit_s / 1000.0) : std::optional<double>();
        std::vector<Message> words = {Message::same(interface.name), port_text(interface.state, "", gbit_s)};
        if (interface.driver)
            words.push_back(Message::same("(" + *interface.driver + ")"));
        lines.push_back(joined(words, " "));
    }
    std::vector<const RdmaDevice*> devices;
    for (const RdmaDevice& device : machine.rdma_devices)
        devices.push_back(&device);
    std::sort(devices.begin(), devices.end(),
              [](const RdmaDevice* a, const RdmaDevice* b) { return counts_before(a->name, b->name); });
    for (const RdmaDevice* device : devices)
        for (const RdmaPort& port : device->ports)
            lines.push_back(
                joined({Message::same(fmt::format("{}/{}", device->name, port.number)), rdma_port_text(port)}, " "));
    std::vector<Message> parts;
    parts.push_back(lines.empty() ? no_interface(machine) : joined(lines, "\n"));
    if (!machine.addresses.empty())
        parts.push_back(Message::same("IP " + joined(machine.addresses, ", ")));
    return joined(parts, "\n");
}

Message versions_text(const Machine& machine) {
    std::vector<std::string> parts;
    for (const auto& [name, version] : machine.versions)
        parts.push_back(fmt::format("{} {}", name, version.version));
    for (const KernelModule& module : machine.modules)
        if (module.version)
            parts.push_back(fmt::format("{} {}", module.name, *module.version));
    return Message::same(joined(parts, ", "));
}

/// Matrices of vendors' tools hold GPUs that may stand nowhere else.
Message matrices_text(const Machine& machine) {
    std::vector<Message> lines;
    for (const TopologyMatrix& matrix : machine.vendor_topology) {
        const auto gpus = std::count_if(matrix.names.begin(), matrix.names.end(),
                                        [](const std::string& name) { return name.starts_with("GPU"); });
        lines.emplace_back(
            fmt::format("link matrix of {} ({}): --topology shows it", counted(gpus, "GPU"), matrix.tool),
            fmt::format("{} 个GPU的连接矩阵（{}）：用 --topology 查看", gpus, matrix.tool));
    }
    return joined(lines, "\n");
}

void add_unread(TextLayout& layout, const Machine& machine) {
    if (machine.unread.empty())
        return;
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const Unread& unread : machine.unread)
        by_reason[unread.reason].push_back(unread.path);
    std::vector<std::string> lines;
    for (const auto& [reason, paths] : by_reason) {
        if (lines.size() == kUnreadLines)
            break;
        std::string text = fmt::format("{}: {}", layout.say(unread_reason(reason)), paths.front());
        if (paths.size() > 1)
            text += fmt::format(" (+{})", paths.size() - 1);
        lines.push_back(text);
    }
    layout.field(layout.say(Text{"Not read", "未读到"}), joined(lines, "\n"), kLabelWidth);
}

/// The beginning of the tree, and what is not in it.
std::string pci_part(const Machine& machine, const TextStyle& style) {
    if (machine.pci_devices.empty())
        return "";
    const std::string tree = pci_tree(machine, style);
    TextLayout layout(style);
    layout.heading(layout.say(Text{"PCI", "PCI"}));
    std::string text = layout.take();
    std::size_t at = 0;
    for (std::size_t lines = 0; at < tree.size() && lines < kTreeLines; ++lines) {
        const std::size_t end = tree.find('\n', at);
        text += tree.substr(at, end + 1 - at);
        at = end + 1;
    }
    if (at < tree.size()) {
        const auto rest = std::count(tree.begin() + static_cast<std::ptrdiff_t>(at), tree.end(), '\n');
        layout.line(
            layout.say(Message{fmt::format("  and {}: see --topology, or --json for all", counted(rest, "more line")),
                               fmt::format("  另有 {} 行：见 --topology，全部内容见 --json", rest)}));
    }
    if (const auto others = other_pci_devices(machine))
        layout.line(layout.say(*others), 2, 2);
    return text + layout.take();
}

}  // namespace

std::string machine_summary(const Machine& machine, const TextStyle& style) {
    TextLayout layout(style);
    const auto field = [&layout](const Text& label, const Message& value) {
        if (!value.empty())
            layout.field(layout.say(label), layout.say(value), kLabelWidth);
    };
    field({"Host", "主机"}, or_unread(machine.os.hostname));
    field({"System", "系统"}, system_text(machine));
    field({"CPU", "CPU"}, cpu_text(machine));
    field({"Memory", "内存"}, memory_text(machine));
    field({"NUMA", "NUMA"}, numa_text(machine));
    field({"OS", "OS"}, os_text(machine));
    field({"GPUs", "GPU"}, gpu_text(machine));
    field({"Links", "连接"}, matrices_text(machine));
    field({"Network", "网络"}, network_text(machine));
    field({"Versions", "版本"}, versions_text(machine));
    std::string text = layout.take();
    TextLayout last(style);
    add_unread(last, machine);
    return text + pci_part(machine, style) + last.take();
}

}  // namespace gpuadapt::report

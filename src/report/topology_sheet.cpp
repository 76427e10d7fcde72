// SPDX-License-Identifier: Apache-2.0
#include "report/topology_sheet.hpp"

#include "report/facts.hpp"
#include "report/sheet_lines.hpp"

#include <gpuadapt/core/topology.hpp>
#include <gpuadapt/core/units.hpp>

#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

void write_numa(Lines& lines, const Machine& machine) {
    lines.title(Text{"NUMA nodes", "NUMA节点"});
    if (machine.numa_nodes.empty()) {
        lines.line(not_read());
        return;
    }
    lines.head({{"Node", "节点"}, {"CPUs", "CPU"}, {"Memory", "内存"}, {"Distances", "距离"}});
    for (const NumaNode& node : machine.numa_nodes) {
        std::vector<std::string> distances;
        for (const int distance : node.distances)
            distances.push_back(std::to_string(distance));
        lines.values({std::to_string(node.id), lines.or_unread(node.cpus),
                      node.memory_bytes ? format_bytes(*node.memory_bytes) : lines.unread(),
                      distances.empty() ? lines.unread() : joined(distances, " ")});
    }
}

std::string link_side(const std::optional<double>& gt_s, const std::optional<int>& width, const std::string& unread) {
    if (!gt_s && !width)
        return unread;
    const std::string speed = gt_s ? fmt::format("{:g} GT/s", *gt_s) : unread;
    return speed + (width ? fmt::format(" x{}", *width) : " x?");
}

std::string acs_text(const PciDevice& device, const std::string& unread) {
    constexpr int kExtendedSpace = 4096;
    if (device.acs)
        return fmt::format("0x{:02x}", device.acs->control);
    return device.config_bytes && *device.config_bytes >= kExtendedSpace ? "-" : unread;
}

void write_pci(Lines& lines, const Machine& machine) {
    lines.title(Text{"PCI tree", "PCI树"});
    if (machine.pci_devices.empty()) {
        lines.line(not_read());
        return;
    }
    lines.head({{"Address", "地址"},
                {"Device", "设备"},
                {"Negotiated", "协商速率"},
                {"Capable", "能力"},
                {"MaxPayload", "MaxPayload"},
                {"ACS control", "ACS控制"},
                {"NUMA", "NUMA"}});
    std::set<std::string_view> known;
    for (const PciDevice& device : machine.pci_devices)
        known.insert(device.address);
    std::map<std::string, std::vector<const PciDevice*>> below;
    for (const PciDevice& device : machine.pci_devices)
        below[device.parent && known.contains(*device.parent) ? *device.parent : std::string()].push_back(&device);
    struct Entry {
        const PciDevice* device;
        std::size_t depth;
    };
    // A damaged record may say that two bridges hang below each other: those are never reached from the top.
    std::vector<Entry> pending;
    const auto push = [&](const std::string& parent, std::size_t depth) {
        const auto found = below.find(parent);
        if (found == below.end())
            return;
        for (auto device = found->second.rbegin(); device != found->second.rend(); ++device)
            pending.push_back({*device, depth});
        below.erase(found);
    };
    push("", 0);
    while (!pending.empty() && !lines.full()) {
        const Entry entry = pending.back();
        pending.pop_back();
        const PciDevice& device = *entry.device;
        const std::string numa = device.numa_node ? std::to_string(*device.numa_node) : lines.unread();
        const bool pcie = device.port_type || device.link.current_width || device.link.capable_width;
        lines.values({std::string(2 * std::min<std::size_t>(entry.depth, 32), ' ') + device.address,
                      device_name(device),
                      pcie ? link_side(device.link.current_gt_s, device.link.current_width, lines.unread()) : "-",
                      pcie ? link_side(device.link.capable_gt_s, device.link.capable_width, lines.unread()) : "-",
                      device.max_payload_bytes ? fmt::format("{} B", *device.max_payload_bytes)
                      : pcie                   ? lines.unread()
                                               : "-",
                      acs_text(device, lines.unread()), numa});
        push(device.address, entry.depth + 1);
    }
}

void write_gpus(Lines& lines, const Machine& machine) {
    lines.title(Text{"GPUs", "GPU"});
    if (machine.gpus.empty()) {
        lines.line(no_gpu(machine).value_or(not_read()));
        return;
    }
    lines.head(
        {{"Name", "名称"}, {"Model", "型号"}, {"Address", "地址"}, {"Negotiated", "协商速率"}, {"NUMA", "NUMA"}});
    std::map<std::string_view, std::string_view> labels;  // as the matrix above names them
    const Topology topology = topology_of(machine);
    for (const TopologyEnd& end : topology.ends)
        labels.emplace(end.address, end.label);
    for (const Gpu& gpu : machine.gpus) {
        const auto label = labels.find(gpu.address);
        const PciDevice* device = find_device(machine, gpu.address);
        const PciLink link = device ? device->link : PciLink{};
        lines.values({label == labels.end() ? "-" : std::string(label->second), gpu_name(machine, gpu), gpu.address,
                      link_side(link.current_gt_s, link.current_width, lines.unread()),
                      device ? lines.or_unread(device->numa_node) : lines.unread()});
    }
}

void write_network(Lines& lines, const Machine& machine) {
    std::vector<std::vector<std::string>> rows;
    for (const NetInterface& interface : machine.interfaces) {
        if (interface.virtual_device.value_or(false) || interface.kind == "loopback")
            continue;
        rows.push_back(
            {interface.name, lines.or_unread(interface.state),
             interface.speed_mbit_s ? fmt::format("{:g} Gb/s", *interface.speed_mbit_s / 1000.0) : lines.unread(),
             lines.or_unread(interface.driver), lines.or_unread(interface.pci_address), lines.or_unread(interface.mtu),
             lines.or_unread(interface.numa_node)});
    }
    for (const RdmaDevice& device : machine.rdma_devices)
        for (const RdmaPort& port : device.ports)
            rows.push_back({fmt::format("{} port {}", device.name, port.number), lines.or_unread(port.state),
                            port.rate_gbit_s ? fmt::format("{:g} Gb/s", *port.rate_gbit_s) : lines.unread(),
                            lines.or_unread(port.link_layer), lines.or_unread(device.pci_address), "-",
                            lines.or_unread(device.numa_node)});
    lines.title(Text{"Network", "网络"});
    if (rows.empty()) {
        lines.line(no_interface(machine));
        return;
    }
    lines.head({{"Interface", "接口"},
                {"State", "状态"},
                {"Speed", "速率"},
                {"Driver", "驱动"},
                {"PCI address", "PCI地址"},
                {"MTU", "MTU"},
                {"NUMA", "NUMA"}});
    for (const auto& row : rows)
        lines.values(row);
}

void write_title(Lines& lines, const Sheet& about) {
    lines.title(about.name);
    lines.line(Message(about.contents));
    lines.gap();
}

}  // namespace

void write_unmeasured_sheet(XlsxSheet& sheet, const Sheet& about, const WorkbookContext& context) {
    sheet.width(0, 60);
    Lines lines(sheet, context.lang);
    write_title(lines, about);
    const Text measured =
        about.planned ? Text{"Not measured in this record. It is measured by {}, which comes with a later version.",
                             "本记录未测量。测量命令为 {}，将在后续版本提供。"}
                      : Text{"Not measured in this record. It is measured by {}.", "本记录未测量。测量命令为 {}。"};
    lines.line(
        {fmt::format(fmt::runtime(measured.en), about.command), fmt::format(fmt::runtime(measured.zh), about.command)});
}

void write_topology_sheet(XlsxSheet& sheet, const WorkbookContext& context) {
    for (std::uint16_t column = 0; column < 7; ++column)
        sheet.width(column, column == 1 ? 60 : 20);
    const Sheet& about = kSheets[4];
    Lines lines(sheet, context.lang);
    write_title(lines, about);
    for (const HostMachine& host : context.machines) {
        lines.title(host.host);
        write_numa(lines, host.machine);
        lines.gap();
        write_links(lines, host.machine);
        lines.gap();
        write_pci(lines, host.machine);
        lines.gap();
        write_gpus(lines, host.machine);
        lines.gap();
        write_network(lines, host.machine);
        lines.gap();
        if (lines.full())
            break;
    }
    if (context.machines.empty())
        lines.line({fmt::format("The input does not describe a machine. Command that reads it: {}", about.command),
                    fmt::format("输入中没有机器信息。读取命令：{}", about.command)});
    lines.line({fmt::format("Links between GPUs are not measured in this record. They are measured by {}, which comes "
                            "with a later version.",
                            kSheets[3].command),
                fmt::format("本记录未测量GPU间连接。测量命令为 {}，将在后续版本提供。", kSheets[3].command)});
}

}  // namespace gpuadapt::report

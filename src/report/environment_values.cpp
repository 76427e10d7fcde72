// SPDX-License-Identifier: Apache-2.0
#include "report/environment_values.hpp"

#include "report/facts.hpp"
#include "report/topology_facts.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

ItemValue same(const std::optional<std::string>& value) {
    return value ? ItemValue(Message::same(*value)) : std::nullopt;
}

/// A firmware text; what nobody filled in is told as such, since the form wants a name there.
ItemValue firmware_text(const std::optional<std::string>& value) {
    if (!value || trim(*value).empty())
        return std::nullopt;
    if (is_firmware_filler(*value))
        return Message{fmt::format("not filled in (the firmware says \"{}\")", *value),
                       fmt::format("固件未填写（内容为“{}”）", *value)};
    return Message::same(std::string(trim(*value)));
}

/// Those that are known.
std::vector<std::string> words(const std::vector<std::optional<std::string>>& candidates) {
    std::vector<std::string> known;
    for (const auto& candidate : candidates)
        if (candidate)
            known.push_back(*candidate);
    return known;
}

ItemValue server_ip(const Machine& machine) {
    if (machine.addresses.empty())
        return std::nullopt;
    return Message::same(joined(machine.addresses, ", "));
}

ItemValue server_model(const Machine& machine) {
    const auto vendor = filled(machine.dmi.system_vendor);
    const auto product = filled(machine.dmi.product_name);
    if (vendor && product)
        return Message::same(*vendor + " " + *product);
    if (product || vendor)
        return same(product ? product : vendor);
    if (const auto board = filled(machine.dmi.board_name))
        return Message::same(joined(words({filled(machine.dmi.board_vendor), board}), " "));
    return firmware_text(machine.dmi.product_name);
}

ItemValue bios_version(const Machine& machine) {
    const auto version = filled(machine.dmi.bios_version);
    if (!version)
        return firmware_text(machine.dmi.bios_version);
    std::string text = joined(words({filled(machine.dmi.bios_vendor), version}), " ");
    if (const auto date = filled(machine.dmi.bios_date))
        text += fmt::format(" ({})", *date);
    return Message::same(text);
}

ItemValue performance_mode(const Machine& machine) {
    const Cpu& cpu = machine.cpu;
    const auto named = [](const char* name, const std::optional<std::string>& value) {
        return value ? Message::same(fmt::format("{}={}", name, *value))
                     : Message{fmt::format("{}: not read", name), fmt::format("{}：未读到", name)};
    };
    Message governor = named("governor", cpu.governor);
    if (cpu.governor && cpu.scaling_driver)
        governor = joined({governor, Message::same("(" + *cpu.scaling_driver + ")")}, " ");
    std::vector<Message> parts = {governor};
    if (cpu.energy_preference)
        parts.push_back(Message::same("EPP=" + *cpu.energy_preference));
    if (cpu.boost)
        parts.push_back(*cpu.boost ? Message{"boost on", "boost 开"} : Message{"boost off", "boost 关"});
    else
        parts.emplace_back("boost: not read", "boost：未读到");
    if (cpu.idle_states.empty())
        parts.emplace_back("C-states: not read", "C-state：未读到");
    else
        parts.push_back(Message::same(fmt::format("C-state={}", joined(cpu.idle_states, ","))));
    parts.emplace_back("BIOS side to be confirmed", "BIOS侧待确认");
    return joined(parts, "; ");
}

ItemValue cpu_model(const Machine& machine) {
    const Cpu& cpu = machine.cpu;
    if (!cpu.model)
        return std::nullopt;
    std::string text = (cpu.sockets ? fmt::format("{} x ", *cpu.sockets) : std::string()) + *cpu.model;
    std::vector<Message> more;
    // Not so on an s390, where a partition has some of the cores of each socket.
    const bool add_up = cpu.cores_per_socket && (!cpu.sockets || !cpu.cores ||
                                                 std::int64_t{*cpu.sockets} * *cpu.cores_per_socket == *cpu.cores);
    if (add_up)
        more.emplace_back(fmt::format("{} each", counted(*cpu.cores_per_socket, "core")),
                          fmt::format("每颗 {} 核", *cpu.cores_per_socket));
    else if (cpu.cores)
        more.emplace_back(fmt::format("{} in all", counted(*cpu.cores, "core")), fmt::format("共 {} 核", *cpu.cores));
    if (cpu.threads_per_core)
        more.emplace_back(fmt::format("{} a core", counted(*cpu.threads_per_core, "thread")),
                          fmt::format("每核 {} 线程", *cpu.threads_per_core));
    if (!machine.numa_nodes.empty())
        more.push_back(Message::same(fmt::format("NUMA {}", machine.numa_nodes.size())));
    const Message details = joined(more, ", ");
    if (details.empty())
        return Message::same(text);
    return Message{fmt::format("{} ({})", text, details.en), fmt::format("{}（{}）", text, details.zh)};
}

using Describe = std::optional<Message> (*)(const PciDevice&);

/// "8 x Gen5 x16" for one kind of device; nullopt without such devices.
std::optional<Message> for_devices(const Text& kind, const std::vector<const PciDevice*>& devices, Describe describe) {
    if (devices.empty())
        return std::nullopt;
    std::vector<std::string> english, chinese;
    for (const PciDevice* device : devices) {
        const Message text = describe(*device).value_or(not_read());
        english.push_back(text.en);
        chinese.push_back(text.zh);
    }
    return Message{fmt::format("{}: {}", kind.en, folded(english)), fmt::format("{}: {}", kind.zh, folded(chinese))};
}

std::optional<Message> link_of(const PciDevice& device) {
    return link_text(device.link);
}

std::optional<Message> payload_of(const PciDevice& device) {
    if (!device.max_payload_bytes)
        return std::nullopt;
    const int now = *device.max_payload_bytes;
    if (!device.max_payload_capable_bytes || *device.max_payload_capable_bytes <= now)
        return Message::same(fmt::format("{} B", now));
    return Message{fmt::format("{} B (of {} B)", now, *device.max_payload_capable_bytes),
                   fmt::format("{} B（能力 {} B）", now, *device.max_payload_capable_bytes)};
}

ItemValue pcie_item(const Machine& machine, Describe describe) {
    if (machine.pci_devices.empty())
        return std::nullopt;
    const auto on_pcie = [](std::vector<const PciDevice*> devices) {
        devices.erase(std::remove_if(devices.begin(), devices.end(),
                                     [](const PciDevice* d) {
                                         return d->config_bytes && !d->port_type && !d->link.current_gt_s &&
                                                *d->config_bytes > 64;
                                     }),
                      devices.end());
        return devices;
    };
    const auto gpus = for_devices({"GPU", "GPU"}, on_pcie(gpu_devices(machine)), describe);
    const auto nics = for_devices({"NIC", "NIC"}, on_pcie(network_devices(machine)), describe);
    const Message no_nic = !network_devices(machine).empty() ? Message{"NIC: not PCIe", "NIC: 非PCIe"}
                           : has_all_pci_devices(machine)    ? Message{"no NIC", "无网卡"}
                                                             : Message{"NIC: not read", "NIC: 未读到"};
    const Message no_gpus = machine.gpus.empty() ? no_gpu(machine).value_or(Message{"GPU: not read", "GPU: 未读到"})
                                                 : Message{"GPU: not PCIe", "GPU: 非PCIe"};
    if (!gpus && !nics && !has_all_pci_devices(machine) && machine.gpus.empty())
        return std::nullopt;
    return joined({gpus.value_or(no_gpus), nics.value_or(no_nic)}, "; ");
}

/// GPUs, network cards, and what the GPUs share: the uplinks of their switches.
ItemValue pcie_gen(const Machine& machine) {
    const ItemValue ends = pcie_item(machine, link_of);
    std::vector<const PciDevice*> bridges;
    const Topology topology = topology_of(machine);
    for (const Uplink& uplink : topology.uplinks)
        bridges.push_back(&machine.pci_devices[*topology.nodes[uplink.bridge].device]);
    const auto uplinks = for_devices({"uplink", "上行口"}, bridges, link_of);
    return ends && uplinks ? joined({*ends, *uplinks}, "; ") : ends;
}

/// Ports with redirection on send copies between GPUs up to the root complex: request redirect (0x04), completion
/// redirect (0x08), egress control (0x20); PCIe base spec 7.7.11.3.
ItemValue pcie_acs(const Machine& machine) {
    constexpr int kRedirecting = 0x2c;
    constexpr int kExtendedSpace = 4096;
    constexpr std::size_t kShown = 16;
    std::vector<std::string> on;
    int off = 0, unread = 0, denied = 0, bridges = 0;
    for (const PciDevice& device : machine.pci_devices) {
        if (!is_bridge(device))
            continue;
        ++bridges;
        if (device.acs)
            device.acs->control& kRedirecting ? on.push_back(device.address) : static_cast<void>(++off);
        else if (!device.config_bytes)
            ++unread;  // a text tells what there is, not what there is not
        else if (*device.config_bytes < kExtendedSpace)
            ++denied;
    }
    if (bridges == 0 && !has_all_pci_devices(machine))
        return std::nullopt;
    if (on.empty() && off == 0 && unread + denied > 0)
        return std::nullopt;
    if (on.empty() && unread + denied == 0)
        return off > 0 ? Message{fmt::format("off ({})", counted(off, "port")), fmt::format("关闭（{} 个端口）", off)}
                       : Message{fmt::format("no port has ACS ({})", counted(bridges, "bridge")),
                                 fmt::format("无端口具备ACS（{} 个桥）", bridges)};
    std::vector<Message> parts;
    if (!on.empty()) {
        const std::string more = on.size() > kShown ? fmt::format(" +{}", on.size() - kShown) : std::string();
        const auto end = on.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, on.size()));
        const std::string list = joined(std::vector<std::string>(on.begin(), end), " ");
        parts.emplace_back(fmt::format("on: {}{}", list, more), fmt::format("开启：{}{}", list, more));
    } else {
        parts.emplace_back(fmt::format("off on the {} that could be read", counted(off, "port")),
                           fmt::format("已读到的 {} 个端口关闭", off));
    }
    if (denied > 0)
        parts.emplace_back(fmt::format("{} not read (needs root)", counted(denied, "bridge")),
                           fmt::format("{} 个桥未读到（需root）", denied));
    if (unread > 0)
        parts.emplace_back(fmt::format("{} not told", counted(unread, "bridge")), fmt::format("{} 个桥未写明", unread));
    return joined(parts, "; ");
}

/// Physical network devices: by PCI, else by interface.
ItemValue nic_model(const Machine& machine) {
    std::vector<std::string> names;
    for (const PciDevice* device : network_devices(machine))
        names.push_back(device_name(*device));
    if (!names.empty())
        return Message::same(folded(names));
    for (const NetInterface& interface : machine.interfaces)
        if (!interface.virtual_device.value_or(false) && interface.kind != "loopback")
            names.push_back(interface.driver.value_or(interface.name));
    if (!names.empty())
        return Message::same(folded(names));
    if (!has_all_pci_devices(machine))
        return std::nullopt;
    return Message{"none", "无"};
}

ItemValue nic_count(const Machine& machine) {
    std::size_t count = network_devices(machine).size();
    if (count == 0)
        count = static_cast<std::size_t>(
            std::count_if(machine.interfaces.begin(), machine.interfaces.end(), [](const NetInterface& interface) {
                return !interface.virtual_device.value_or(false) && interface.kind != "loopback";
            }));
    if (count == 0 && !has_all_pci_devices(machine))
        return std::nullopt;
    return Message::same(std::to_string(count));
}

ItemValue nic_bandwidth(const Machine& machine) {
    std::vector<std::string> rates;
    int silent = 0;
    for (const RdmaDevice& device : machine.rdma_devices)
        for (const RdmaPort& port : device.ports)
            port.rate_gbit_s ? rates.push_back(fmt::format("{:g} Gb/s (RDMA)", *port.rate_gbit_s))
                             : static_cast<void>(++silent);
    for (const NetInterface& interface : machine.interfaces) {
        if (interface.virtual_device.value_or(false) || interface.kind == "loopback" || interface.kind == "infiniband")
            continue;
        const bool counted = std::any_of(machine.rdma_devices.begin(), machine.rdma_devices.end(),
                                         [&interface](const RdmaDevice& device) {
                                             return device.pci_address && device.pci_address == interface.pci_address;
                                         });
        if (!counted)
            interface.speed_mbit_s ? rates.push_back(fmt::format("{:g} Gb/s", *interface.speed_mbit_s / 1000.0))
                                   : static_cast<void>(++silent);
    }
    if (rates.empty())
        return std::nullopt;
    const std::string text = folded(rates);
    if (silent == 0)
        return Message::same(text);
    return Message{fmt::format("{}; {} not told by the driver", text, silent),
                   fmt::format("{}；{} 个驱动未给出", text, silent)};
}

ItemValue network_protocol(const Machine& machine) {
    if (machine.rdma_devices.empty()) {
        if (!has_all_pci_devices(machine))
            return std::nullopt;
        for (const Unread& unread : machine.unread)
            if (unread.path.find("infiniband") != std::string::npos)
                return std::nullopt;
        return Message{"no RDMA device (TCP/IP)", "无RDMA设备（TCP/IP）"};
    }
    std::vector<std::string> english, chinese;
    for (const RdmaDevice& device : machine.rdma_devices)
        for (const RdmaPort& port : device.ports) {
            const std::string layer = !port.link_layer                   ? std::string()
                                      : *port.link_layer == "Ethernet"   ? "RoCE"
                                      : *port.link_layer == "InfiniBand" ? "IB"
                                                                         : *port.link_layer;
            const std::string state = port.state.value_or("?");
            english.push_back(fmt::format("{} {}", layer.empty() ? not_read().en : layer, state));
            chinese.push_back(fmt::format("{} {}", layer.empty() ? not_read().zh : layer, state));
        }
    if (english.empty())
        return std::nullopt;
    return Message{folded(english), folded(chinese)};
}

bool on_host_memory(const std::optional<Launch>& launch) {
    return launch && launch->backend == "host";
}

ItemValue gpu_model(const Machine& machine, const std::optional<Launch>& launch) {
    const Message on_host =
        on_host_memory(launch) ? Message{" (measured on host memory)", "（本次在主机内存上测试）"} : Message{};
    if (machine.gpus.empty()) {
        const ItemValue none = no_gpu(machine);
        if (!none && !on_host_memory(launch))
            return std::nullopt;
        return joined({none.value_or(not_read()), on_host}, "");
    }
    std::vector<std::string> names;
    for (const Gpu& gpu : machine.gpus)
        names.push_back(gpu_name(machine, gpu));
    return joined({Message::same(folded(names)), on_host}, "");
}

ItemValue gpu_topology(const Machine& machine) {
    if (machine.gpus.empty())
        return no_gpu(machine);
    std::map<int, std::vector<std::string>> nodes;
    for (const Gpu& gpu : machine.gpus) {
        const PciDevice* device = find_device(machine, gpu.address);
        nodes[device ? device->numa_node.value_or(-1) : -1].push_back(gpu.address);
    }
    std::vector<Message> parts;
    if (const auto summary = topology_in_short(machine, topology_of(machine)))
        parts.push_back(*summary);
    for (const auto& [node, addresses] : nodes) {
        const std::string list = joined(addresses, " ");
        parts.emplace_back(node < 0 ? fmt::format("NUMA not read: {} ({})", counted(addresses.size(), "GPU"), list)
                                    : fmt::format("NUMA {}: {} ({})", node, counted(addresses.size(), "GPU"), list),
                           node < 0 ? fmt::format("NUMA未读到：{} 个GPU（{}）", addresses.size(), list)
                                    : fmt::format("NUMA {}：{} 个GPU（{}）", node, addresses.size(), list));
    }
    return joined(parts, "\n");
}

/// As they are told in the field: the GPU's stack, its driver, the collective library, the network, MPI; then the rest.
std::vector<std::string> software(const Machine& machine) {
    constexpr std::array<std::string_view, 9> kFirst = {"MACA", "CUDA", "ROCm", "driver",  "MCCL",
                                                        "NCCL", "RCCL", "OFED", "Open MPI"};
    const bool is_metax =
        std::any_of(machine.gpus.begin(), machine.gpus.end(), [](const Gpu& gpu) { return gpu.vendor == "metax"; });
    std::vector<std::string> parts;
    for (const std::string_view name : kFirst)
        if (const auto found = machine.versions.find(std::string(name)); found != machine.versions.end())
            parts.push_back(fmt::format("{} {}", name == "driver" && is_metax ? "KMD" : name, found->second.version));
    for (const auto& [name, version] : machine.versions)
        if (std::find(kFirst.begin(), kFirst.end(), name) == kFirst.end())
            parts.push_back(fmt::format("{} {}", name, version.version));
    const auto driver = machine.versions.find("driver");
    for (const KernelModule& module : machine.modules)
        if (module.version && (driver == machine.versions.end() || *module.version != driver->second.version))
            parts.push_back(fmt::format("{} {}", module.name, *module.version));
    return parts;
}

ItemValue sw_version(const Machine& machine, const std::optional<Launch>& launch) {
    std::vector<std::string> parts = software(machine);
    if (launch && launch->mpi_version && machine.versions.find("Open MPI") == machine.versions.end())
        parts.push_back(*launch->mpi_version);
    if (parts.empty())
        return std::nullopt;
    return Message::same(joined(parts, "\n"));
}

ItemValue vbios(const Machine& machine) {
    std::vector<std::string> versions;
    for (const Gpu& gpu : machine.gpus)
        if (gpu.vbios)
            versions.push_back(*gpu.vbios);
    // One version on all of them is the rule; anything else must be seen.
    if (!versions.empty() && versions.size() == machine.gpus.size() &&
        std::equal(versions.begin() + 1, versions.end(), versions.begin()))
        return Message::same(versions.front());
    if (!versions.empty())
        return Message::same(folded(versions));
    return no_gpu(machine);
}

}  // namespace

ItemValue environment_value(std::string_view key, const Machine& machine, const std::optional<Launch>& launch) {
    using Plain = ItemValue (*)(const Machine&);
    struct Row {
        std::string_view key;
        Plain value;
    };
    static constexpr std::array<Row, 16> kValues = {
        {{"server_ip", server_ip},
         {"server_model", server_model},
         {"bios_version", bios_version},
         {"performance_mode", performance_mode},
         {"cpu_model", cpu_model},
         {"pcie_gen", pcie_gen},
         {"pcie_max_payload", [](const Machine& m) { return pcie_item(m, payload_of); }},
         {"pcie_acs", pcie_acs},
         {"nic_model", nic_model},
         {"nic_count", nic_count},
         {"nic_bandwidth", nic_bandwidth},
         {"network_protocol", network_protocol},
         {"os", [](const Machine& m) { return same(m.os.name); }},
         {"os_kernel", [](const Machine& m) { return same(m.os.kernel); }},
         {"gpu_topology", gpu_topology},
         {"vbios", vbios}}};
    for (const Row& row : kValues)
        if (row.key == key)
            return row.value(machine);
    using WithLaunch = ItemValue (*)(const Machine&, const std::optional<Launch>&);
    struct LaunchRow {
        std::string_view key;
        WithLaunch value;
    };
    static constexpr std::array<LaunchRow, 2> kLaunchValues = {{{"gpu_model", gpu_model}, {"sw_version", sw_version}}};
    for (const LaunchRow& row : kLaunchValues)
        if (row.key == key)
            return row.value(machine, launch);
    return std::nullopt;
}

}  // namespace gpuadapt::report

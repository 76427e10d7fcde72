// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"
#include "probe/gpu_sources.hpp"

#include <gpuadapt/driver/management.hpp>
#include <gpuadapt/ingest/rdma_state.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

/// What no file tells about network cards: libibverbs and tools are asked, each only for what is still unknown.
namespace gpuadapt {

namespace {

constexpr std::chrono::seconds kToolLimit{5};
constexpr std::string_view kMtuSource = "rdma_devices.mtu_bytes";

CommandResult run_tool(Root& root, const std::vector<std::string>& argv) {
    CommandOptions options;
    options.timeout = kToolLimit;
    CommandResult result = root.run(argv, options);
    // A tool that is not installed is no source; one that is there and does not answer is unread.
    if (!result.ok() && result.status != CommandStatus::not_found)
        root.note_unread(fmt::format("{}", fmt::join(argv, " ")), failure_of(result));
    return result;
}

bool lacks_mtu(const Machine& machine) {
    return std::any_of(machine.rdma_devices.begin(), machine.rdma_devices.end(), [](const RdmaDevice& device) {
        return std::any_of(device.ports.begin(), device.ports.end(),
                           [](const RdmaPort& port) { return !port.mtu_bytes; });
    });
}

/// Fills the MTUs of ports that are known. A device of that name with another GUID is another one.
bool fill_mtu(const std::vector<RdmaDevice>& facts, Machine& machine) {
    bool filled = false;
    for (const RdmaDevice& from : facts)
        for (RdmaDevice& device : machine.rdma_devices) {
            if (device.name != from.name || (device.node_guid && from.node_guid && device.node_guid != from.node_guid))
                continue;
            for (const RdmaPort& fact : from.ports)
                for (RdmaPort& port : device.ports)
                    if (port.number == fact.number && !port.mtu_bytes && fact.mtu_bytes) {
                        port.mtu_bytes = fact.mtu_bytes;
                        port.max_mtu_bytes = fact.max_mtu_bytes;
                        filled = true;
                    }
        }
    return filled;
}

void take_mtu(Root& root, Machine& machine) {
    if (!lacks_mtu(machine))
        return;
    const ManagementLibrary& verbs = *find_management_library("verbs");
    CommandOptions options;
    options.timeout = kManagementLimit;
    const Machine facts = management_facts(verbs, root.run(management_command(verbs), options));
    if (fill_mtu(facts.rdma_devices, machine))
        machine.sources[std::string(kMtuSource)] = verbs.name;
    if (!lacks_mtu(machine))
        return;
    for (const Unread& note : facts.unread)
        root.note_unread(note.path, note.reason);
    const CommandResult answer = run_tool(root, {"ibv_devinfo", "-v"});
    // It lists some devices and ends with an error at the next one: what it said counts.
    if (fill_mtu(ingest::read_rdma_state(answer.output).devices, machine)) {
        std::string& source = machine.sources[std::string(kMtuSource)];
        source += (source.empty() ? "" : ", ") + std::string("ibv_devinfo -v");
    }
}

bool is_rdma_function(const Machine& machine, const NetInterface& interface) {
    return std::any_of(machine.rdma_devices.begin(), machine.rdma_devices.end(), [&](const RdmaDevice& device) {
        return device.pci_address == interface.pci_address && device.firmware;
    });
}

/// True when one of its ports is RDMA over Ethernet that works.
bool carries_roce(const Machine& machine, const NetInterface& interface) {
    return interface.state == "up" &&
           std::any_of(machine.rdma_devices.begin(), machine.rdma_devices.end(), [&](const RdmaDevice& device) {
               return std::find(device.interfaces.begin(), device.interfaces.end(), interface.name) !=
                          device.interfaces.end() &&
                      std::any_of(device.ports.begin(), device.ports.end(),
                                  [](const RdmaPort& port) { return port.link_layer == "Ethernet"; });
           });
}

/// A tool that tells about one interface, whose name it takes as last argument.
struct InterfaceTool {
    std::vector<std::string> command;
    std::function<bool(const NetInterface&)> wanted;
    void (*take)(const NetInterface& facts, NetInterface& interface);
};

/// Asks about each interface, until the tool turns out not to be there, or not to answer in time.
void ask_about_interfaces(Root& root, const InterfaceTool& tool, Machine& machine) {
    for (NetInterface& interface : machine.interfaces) {
        if (!interface.pci_address || !tool.wanted(interface))
            continue;
        std::vector<std::string> argv = tool.command;
        argv.push_back(interface.name);
        const CommandResult answer = run_tool(root, argv);
        if (answer.status == CommandStatus::not_found || answer.status == CommandStatus::timed_out)
            return;
        const auto facts = ingest::read_rdma_state(answer.output).interfaces;
        if (answer.ok() && facts.size() == 1)
            tool.take(facts[0], interface);
    }
}

}  // namespace

void probe_net_tools(Root& root, Machine& machine) {
    take_mtu(root, machine);
    const InterfaceTool ethtool = {
        {"ethtool", "-i"},
        [&](const NetInterface& interface) {
            return interface.virtual_device == false && !is_rdma_function(machine, interface);  // that has a file of it
        },
        [](const NetInterface& facts, NetInterface& interface) { interface.firmware = facts.firmware; },
    };
    const InterfaceTool mlnx_qos = {
        {"mlnx_qos", "-i"},
        [&](const NetInterface& interface) { return carries_roce(machine, interface); },
        [](const NetInterface& facts, NetInterface& interface) {
            interface.qos.insert(facts.qos.begin(), facts.qos.end());
        },
    };
    ask_about_interfaces(root, ethtool, machine);
    ask_about_interfaces(root, mlnx_qos, machine);
}

}  // namespace gpuadapt

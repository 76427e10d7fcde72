// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/probe/probes.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

namespace gpuadapt {

namespace {

/// What one probe leaves in a Machine that no other does, and what it reads for that.
struct Yield {
    std::string_view probe;
    bool (*gave)(const Machine& machine);
    std::array<std::string_view, 2> sources;  ///< paths, also of what is below; empty: no file
    bool always = false;                      ///< every machine has that, so that its absence only means "not seen"
};

bool has_library(const Machine& machine) {
    constexpr std::array<std::string_view, 4> kOfVersions = {"MACA", "CUDA", "ROCm", "driver"};
    return std::any_of(machine.versions.begin(), machine.versions.end(), [&](const auto& entry) {
        return std::find(kOfVersions.begin(), kOfVersions.end(), entry.first) == kOfVersions.end();
    });
}

/// The MTU of RDMA ports has no file; firmware and flow control of interfaces have none either.
bool has_facts_of_net_tools(const Machine& machine) {
    return std::any_of(machine.interfaces.begin(), machine.interfaces.end(),
                       [](const NetInterface& it) { return it.firmware || !it.qos.empty(); }) ||
           std::any_of(machine.rdma_devices.begin(), machine.rdma_devices.end(), [](const RdmaDevice& device) {
               return std::any_of(device.ports.begin(), device.ports.end(),
                                  [](const RdmaPort& port) { return port.mtu_bytes.has_value(); });
           });
}

constexpr Yield kYields[] = {
    {"dmi",
     [](const Machine& m) { return m.dmi != Dmi{} || m.bmc != Bmc{} || !m.board_slots.empty() || !m.dimms.empty(); },
     {"/sys/class/dmi", "/sys/firmware/dmi"}},
    {"cpu", [](const Machine& m) { return m.cpu != Cpu{}; }, {"/sys/devices/system/cpu", "/proc/cpuinfo"}, true},
    {"numa", [](const Machine& m) { return !m.numa_nodes.empty(); }, {"/sys/devices/system/node", ""}},
    {"memory", [](const Machine& m) { return m.memory != Memory{}; }, {"/proc/meminfo", "/sys/kernel/mm"}, true},
    {"os", [](const Machine& m) { return m.os != Os{} || m.iommu_active; }, {"/proc/sys/kernel", "/etc"}, true},
    // Without a list of PCI devices nobody knows whether there are GPUs.
    {"pci", [](const Machine& m) { return !m.pci_devices.empty(); }, {"/sys/bus/pci", ""}, true},
    {"switch_links", [](const Machine& m) { return !m.switch_links.empty(); }, {"/sys/kernel/pci_switch_link", ""}},
    {"gpu", [](const Machine& m) { return !m.gpus.empty(); }, {"NVML", "MXSML"}},
    {"gpu_topology", [](const Machine& m) { return !m.vendor_topology.empty(); }, {"", ""}},
    {"vendor_topology",
     [](const Machine& m) {
         return std::any_of(m.vendor_topology.begin(), m.vendor_topology.end(),
                            [](const TopologyMatrix& matrix) { return !matrix.names.empty(); });
     },
     {"", ""}},
    {"net", [](const Machine& m) { return !m.interfaces.empty() || !m.addresses.empty(); }, {"/sys/class/net", ""}},
    {"rdma", [](const Machine& m) { return !m.rdma_devices.empty(); }, {"/sys/class/infiniband", ""}},
    {"net_tools", has_facts_of_net_tools, {"libibverbs", ""}},
    {"versions",
     [](const Machine& m) { return !m.modules.empty() || (!m.versions.empty() && !has_library(m)); },
     {"/sys/module", ""}},
    {"settings", [](const Machine& m) { return !m.settings.empty(); }, {"/proc/sys", "/sys/kernel"}},
    {"libraries", has_library, {"/etc/ld.so.cache", ""}},
    {"environment",
     [](const Machine& m) { return !m.environment.empty() || !m.config_files.empty(); },
     {"/etc/nccl.conf", "/~"}},
};

/// One of them is the other or is above it.
bool meet(std::string_view a, std::string_view b) {
    const auto above = [](std::string_view upper, std::string_view lower) {
        return lower.starts_with(upper) && (lower.size() == upper.size() || lower[upper.size()] == '/');
    };
    return above(a, b) || above(b, a);
}

bool is_unread(const Machine& machine, const Yield& yield) {
    return std::any_of(machine.unread.begin(), machine.unread.end(), [&](const Unread& unread) {
        return unread.path == "probe " + std::string(yield.probe) ||
               std::any_of(yield.sources.begin(), yield.sources.end(),
                           [&](std::string_view source) { return !source.empty() && meet(source, unread.path); });
    });
}

/// A machine that was probed tells its operating system, and no text is the source of it.
bool is_probed(const Machine& machine) {
    return machine.os != Os{} && !machine.sources.contains("os");
}

}  // namespace

Coverage coverage_of(const Machine& machine) {
    enum class State { evaluated, unknown, not_applicable };
    std::map<std::string_view, State> states;
    Coverage coverage;
    for (const Probe& probe : probes()) {
        const auto* const yield = std::find_if(std::begin(kYields), std::end(kYields),
                                               [&](const Yield& row) { return row.probe == probe.id; });
        const auto needed = states.find(probe.needs);
        State state = State::not_applicable;
        if (yield != std::end(kYields) && yield->gave(machine))
            state = State::evaluated;
        else if (yield == std::end(kYields) || yield->always || !is_probed(machine) || is_unread(machine, *yield) ||
                 (needed != states.end() && needed->second == State::unknown))
            state = State::unknown;
        states[probe.id] = state;
        // What gave facts and was denied others is both: what could not be read never passes.
        if (state == State::evaluated && is_unread(machine, *yield))
            ++coverage.unknown;
        ++(state == State::evaluated ? coverage.evaluated
           : state == State::unknown ? coverage.unknown
                                     : coverage.not_applicable);
    }
    return coverage;
}

}  // namespace gpuadapt

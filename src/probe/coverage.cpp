// SPDX-License-Identifier: Apache-2.0
#include "probe/gpu_sources.hpp"

#include <gpuadapt/probe/probes.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

/// What one probe leaves in a Machine that no other does, and what it reads for that.
struct Yield {
    std::string_view probe;
    bool (*gave)(const Machine& machine);
    std::array<std::string_view, 4> sources;  ///< paths, also of what is below; libraries; tools
    bool always = false;                      ///< every machine has that, so that its absence only means "not seen"
    bool (*is_question)(std::string_view command) = nullptr;  ///< commands that are its sources too
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

bool is_command(std::string_view text, const GpuVendor& vendor, std::string_view arguments) {
    return text == fmt::format("{} {}", vendor.programs.front(), arguments);
}

bool asks_for_gpus(std::string_view command) {
    const auto vendors = gpu_vendors();
    return std::any_of(vendors.begin(), vendors.end(), [&](const GpuVendor& vendor) {
        return std::any_of(vendor.questions.begin(), vendor.questions.end(),
                           [&](std::string_view question) { return is_command(command, vendor, question); });
    });
}

bool asks_for_topology(std::string_view command) {
    const auto vendors = gpu_vendors();
    return std::any_of(vendors.begin(), vendors.end(),
                       [&](const GpuVendor& vendor) { return is_command(command, vendor, vendor.topology); });
}

constexpr Yield kYields[] = {
    {"dmi",
     [](const Machine& m) { return m.dmi != Dmi{} || m.bmc != Bmc{} || !m.board_slots.empty() || !m.dimms.empty(); },
     {"/sys/class/dmi", "/sys/firmware/dmi"}},
    {"cpu", [](const Machine& m) { return m.cpu != Cpu{}; }, {"/sys/devices/system/cpu", "/proc/cpuinfo"}, true},
    {"numa", [](const Machine& m) { return !m.numa_nodes.empty(); }, {"/sys/devices/system/node"}},
    {"memory", [](const Machine& m) { return m.memory != Memory{}; }, {"/proc/meminfo", "/sys/kernel/mm"}, true},
    {"os", [](const Machine& m) { return m.os != Os{} || m.iommu_active; }, {"/proc/sys/kernel", "/etc"}, true},
    // Without a list of PCI devices nobody knows whether there are GPUs.
    {"pci", [](const Machine& m) { return !m.pci_devices.empty(); }, {"/sys/bus/pci"}, true},
    {"switch_links", [](const Machine& m) { return !m.switch_links.empty(); }, {"/sys/kernel/pci_switch_link"}},
    {"gpu", [](const Machine& m) { return !m.gpus.empty(); }, {"NVML", "MXSML"}, false, asks_for_gpus},
    {"gpu_topology", [](const Machine& m) { return !m.vendor_topology.empty(); }, {}, false, asks_for_topology},
    {"vendor_topology",
     [](const Machine& m) {
         return std::any_of(m.vendor_topology.begin(), m.vendor_topology.end(),
                            [](const TopologyMatrix& matrix) { return !matrix.names.empty(); });
     },
     {},
     false,
     asks_for_topology},
    {"net",
     [](const Machine& m) { return !m.interfaces.empty() || !m.addresses.empty(); },
     {"/sys/class/net", "/proc/net"}},
    {"rdma", [](const Machine& m) { return !m.rdma_devices.empty(); }, {"/sys/class/infiniband"}},
    {"net_tools", has_facts_of_net_tools, {"libibverbs", "ibv_devinfo", "ethtool", "mlnx_qos"}},
    {"versions",
     [](const Machine& m) { return !m.modules.empty() || (!m.versions.empty() && !has_library(m)); },
     {"/sys/module"}},
    {"settings", [](const Machine& m) { return !m.settings.empty(); }, {"/proc/sys", "/sys/kernel"}},
    {"libraries", has_library, {"/etc/ld.so.cache"}},
    {"environment",
     [](const Machine& m) { return !m.environment.empty() || !m.config_files.empty(); },
     {"/etc/nccl.conf", "/~"}},
};

/// One of them is the other or is above it: a folder, "ethtool" of "ethtool -i eth0", "NVML" of "NVML, GPU 3".
bool meet(std::string_view a, std::string_view b) {
    const auto above = [](std::string_view upper, std::string_view lower) {
        return lower.starts_with(upper) &&
               (lower.size() == upper.size() ||
                std::string_view("/ ,").find(lower[upper.size()]) != std::string_view::npos);
    };
    return above(a, b) || above(b, a);
}

bool is_unread(const Machine& machine, const Yield& yield) {
    return std::any_of(machine.unread.begin(), machine.unread.end(), [&](const Unread& unread) {
        return unread.path == "probe " + std::string(yield.probe) ||
               (yield.is_question != nullptr && yield.is_question(unread.path)) ||
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

// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/probe/probe.hpp>
#include <gpuadapt/probe/probes.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <set>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr Probe kProbes[] = {
    {"dmi", {"Server, board, BIOS and memory modules", "服务器、主板、BIOS 与内存条"}, "", probe_dmi},
    {"cpu", {"Processors, their frequency and idle settings", "处理器及其频率与空闲设置"}, "", probe_cpu},
    {"numa", {"NUMA nodes", "NUMA 节点"}, "", probe_numa},
    {"memory", {"Memory and huge pages", "内存与大页"}, "", probe_memory},
    {"os", {"Operating system, kernel, virtualization and IOMMU", "操作系统、内核、虚拟化与 IOMMU"}, "dmi", probe_os},
    {"pci", {"PCI devices and their links", "PCI 设备及其链路"}, "", probe_pci},
    {"switch_links", {"Switches with several uplinks", "多上行口交换芯片"}, "", probe_switch_links},
    {"gpu", {"GPUs", "GPU"}, "pci", probe_gpu},
    {"gpu_topology", {"Link matrix of the GPU vendor's tool", "GPU 厂商工具的链路矩阵"}, "gpu", probe_gpu_topology},
    {"vendor_topology", {"What that matrix says", "该矩阵的含义"}, "gpu_topology", probe_vendor_topology},
    {"net", {"Network interfaces and addresses", "网络接口与地址"}, "", probe_net},
    {"rdma", {"RDMA devices", "RDMA 设备"}, "net", probe_rdma},
    {"net_tools",
     {"MTU, firmware and flow control of network cards", "网卡的 MTU、固件与流控"},
     "rdma",
     probe_net_tools},
    {"versions", {"Versions of drivers and libraries", "驱动与软件库版本"}, "gpu", probe_versions},
    {"settings", {"Settings of kernel and firmware", "内核与固件设置"}, "", probe_settings},
    {"libraries", {"Libraries that programs load", "程序加载的库"}, "", probe_libraries},
    {"environment",
     {"Variables and configuration files that tune libraries", "影响软件库的环境变量与配置文件"},
     "libraries",
     probe_environment},
};

const Probe* find_probe(std::string_view id) {
    const auto* const found =
        std::find_if(std::begin(kProbes), std::end(kProbes), [&](const Probe& row) { return row.id == id; });
    return found == std::end(kProbes) ? nullptr : found;
}

/// The wanted ids and what they need; empty for all.
std::set<std::string_view> with_needs(const std::vector<std::string>& only) {
    std::set<std::string_view> wanted;
    for (const std::string& id : only) {
        const Probe* probe = find_probe(id);
        if (probe == nullptr)
            throw input_error(Message(fmt::format("there is no probe '{}'", id), fmt::format("没有探测项 '{}'", id)));
        for (; probe != nullptr; probe = find_probe(probe->needs))
            wanted.insert(probe->id);
    }
    return wanted;
}

/// Without these, everything would look like a machine that has nothing.
void note_missing_kernel_files(Root& root) {
    if (!root.exists("/sys/class") && !root.exists("/sys/bus"))
        root.note_unread("/sys", "empty: not mounted, or hidden by the container");
    if (!root.exists("/proc/cpuinfo") && !root.exists("/proc/meminfo"))
        root.note_unread("/proc", "empty: not mounted, or hidden by the container");
}

}  // namespace

std::span<const Probe> probes() {
    return kProbes;
}

namespace {

/// Most probes only read files, and do so at once; the others ask one by one.
void run_probe(const Probe& probe, Root& root, Machine& machine) {
    const auto attempt = std::make_shared<Machine>(machine);
    if (root.at_once([attempt, run = probe.run](Root& direct) { run(direct, *attempt); }))
        machine = std::move(*attempt);
    else
        probe.run(root, machine);
}

}  // namespace

Machine probe_machine(Root& root, const std::vector<std::string>& only) {
    const auto wanted = with_needs(only);
    Machine machine;
    note_missing_kernel_files(root);
    for (const Probe& probe : kProbes) {
        if (!wanted.empty() && !wanted.contains(probe.id))
            continue;
        try {
            run_probe(probe, root, machine);
        } catch (const std::exception& error) {
            root.note_unread(fmt::format("probe {}", probe.id), error.what());
        }
    }
    machine.unread = root.unread();
    return machine;
}

}  // namespace gpuadapt

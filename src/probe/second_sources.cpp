// SPDX-License-Identifier: Apache-2.0
#include "probe/hwloc_facts.hpp"

#include <gpuadapt/core/differences.hpp>
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/probe/foreign.hpp>
#include <gpuadapt/probe/second_sources.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

constexpr SecondSource kSecondSources[] = {
    {"lscpu -J", {"processors and caches", "处理器与缓存"}},
    {"numactl -H", {"NUMA nodes", "NUMA 节点"}},
    {"dmidecode", {"firmware tables", "固件信息表"}},
    {"lspci -D -nn -vvv", {"PCI devices", "PCI 设备"}},
    {"nvidia-smi -q", {"NVIDIA GPUs", "NVIDIA GPU"}},
    {"nvidia-smi topo -m", {"links between NVIDIA GPUs", "NVIDIA GPU 间连接"}},
    {"nvidia-smi nvlink -s", {"NVLink rates", "NVLink 速率"}},
    {"mx-smi", {"MetaX GPUs", "沐曦 GPU"}},
    {"mx-smi -L", {"MetaX GPUs and their UUIDs", "沐曦 GPU 及其 UUID"}},
    {"mx-smi --show-version", {"versions of MetaX firmware", "沐曦固件版本"}},
    {"mx-smi --show-pcie", {"PCIe links of MetaX GPUs", "沐曦 GPU 的 PCIe 链路"}},
    {"mx-smi topo -m", {"links between MetaX GPUs", "沐曦 GPU 间连接"}},
    {"mx-smi topo -n", {"MetaX GPUs and network cards", "沐曦 GPU 与网卡"}},
    {"mx-smi mxlk --show", {"MetaXLink rates", "MetaXLink 速率"}},
    {"mx-smi mxlk --show-state", {"MetaXLink states", "MetaXLink 状态"}},
    {"rocm-smi --showtopo", {"links between AMD GPUs", "AMD GPU 间连接"}},
    {"ibv_devinfo -v", {"RDMA devices", "RDMA 设备"}},
    {"ofed_info -s", {"version of OFED", "OFED 版本"}},
    {"mpirun --version", {"version of MPI", "MPI 版本"}},
    {"ethtool {interface}", {"a network port", "网口"}},
    {"ethtool -i {interface}", {"driver and firmware of a network port", "网口的驱动与固件"}},
    {"mlnx_qos -i {interface}", {"flow control of a network port", "网口的流控"}},
};

constexpr std::string_view kInterface = "{interface}";

std::vector<std::string> words_of(std::string_view command, const std::string& interface) {
    std::vector<std::string> words;
    while (!command.empty()) {
        const std::size_t blank = command.find(' ');
        const std::string_view word = command.substr(0, blank);
        words.push_back(word == kInterface ? interface : std::string(word));
        command.remove_prefix(blank == std::string_view::npos ? command.size() : blank + 1);
    }
    return words;
}

/// Interfaces with a device behind them: containers can bring thousands of others.
std::vector<std::string> physical_interfaces(Root& root) {
    std::vector<std::string> names;
    for (const std::string& name : root.list("/sys/class/net").value_or(std::vector<std::string>{}))
        if (root.exists("/sys/class/net/" + name + "/device"))
            names.push_back(name);
    return names;
}

/// What changes from one moment to the next: two readings of it need not agree. Ends of paths.
constexpr std::string_view kChanging[] = {
    "/available_bytes",   "/memory_used_bytes", "/core_mhz",      "/memory_mhz", "/temperature_c", "/power_w",
    "/throttle_reasons",  "/processes",         "/ecc_corrected", "/counters",   "/free",          "/errors",
    "/link/current_gt_s",
};

bool is_changing(std::string_view path) {
    // The matrix is the tool's own words: there is no second reading of ours.
    return path.starts_with("/vendor_topology") ||
           std::any_of(std::begin(kChanging), std::end(kChanging), [&](std::string_view end) {
               const std::size_t at = path.find(end);
               return at != std::string_view::npos && (at + end.size() == path.size() || path[at + end.size()] == '/');
           });
}

/// numactl rounds the memory of a node to MiB.
bool is_rounding(const Difference& difference) {
    constexpr double kMib = 1 << 20;
    return difference.path.starts_with("/numa_nodes/") && difference.path.ends_with("/memory_bytes") &&
           std::abs(std::strtod(difference.first.c_str(), nullptr) - std::strtod(difference.second.c_str(), nullptr)) <
               kMib;
}

/// What one witness knows of the machine.
struct Witness {
    std::string name;
    Machine machine;
    bool knows_one_interface = false;  ///< was asked of that only: it does not deny the others
};

/// Calls `ask` with each command as it is run on the machine behind `root`, and the interface that it asks for, if any.
void for_each_command(
    Root& root, const std::function<void(const std::vector<std::string>& words, const std::string& interface)>& ask) {
    const std::vector<std::string> interfaces = physical_interfaces(root);
    for (const SecondSource& source : kSecondSources) {
        if (source.command.find(kInterface) == std::string_view::npos)
            ask(words_of(source.command, ""), "");
        else
            for (const std::string& interface : interfaces)
                ask(words_of(source.command, interface), interface);
    }
}

/// hwloc, and each tool whose output one of our readers understands.
std::vector<Witness> witnesses_of(Root& root) {
    std::vector<Witness> witnesses = {{"hwloc", hwloc_machine(root), false}};
    for_each_command(root, [&](const std::vector<std::string>& words, const std::string& interface) {
        const CommandResult result = root.run(words);
        const std::string name = fmt::format("{}", fmt::join(words, " "));
        try {
            if (result.ok())
                witnesses.push_back({name, machine_of_bytes(result.output, name), !interface.empty()});
        } catch (const Error&) {
            // It says nothing of a machine: a version, or "no devices".
        }
    });
    return witnesses;
}

Finding disagreement(const std::string& witness, const Difference& difference) {
    const auto shown = [](const std::string& value) { return value.empty() ? "-" : value; };
    Finding finding;
    finding.severity = Severity::warning;
    finding.check = "SOURCE1";
    finding.subject = difference.path;
    finding.title = {"Two sources disagree", "两个来源不一致"};
    finding.evidence =
        Message::same(fmt::format("gpuadapt: {}; {}: {}", shown(difference.first), witness, shown(difference.second)));
    finding.advice = {"Do not trust either value before you know why; a recording (gpuadapt record) holds both sources",
                      "查明原因前两个值都不可信；录制文件（gpuadapt record）中含有两个来源"};
    return finding;
}

}  // namespace

std::span<const SecondSource> second_sources() {
    return kSecondSources;
}

void run_second_sources(Root& root) {
    for_each_command(root, [&](const std::vector<std::string>& words, const std::string&) { (void)root.run(words); });
    (void)hwloc_machine(root);
}

std::vector<Finding> cross_check(Root& root, const Machine& machine) {
    std::vector<Finding> findings;
    const auto says_nothing = [](const Witness& witness, const Difference& difference) {
        return witness.knows_one_interface && difference.second.empty();
    };
    for (const Witness& witness : witnesses_of(root))
        for (const Difference& difference : differences(machine, witness.machine))
            if (!is_changing(difference.path) && !is_rounding(difference) && !says_nothing(witness, difference))
                findings.push_back(disagreement(witness.name, difference));
    return findings;
}

}  // namespace gpuadapt

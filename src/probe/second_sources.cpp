// SPDX-License-Identifier: Apache-2.0
#include "probe/gpu_sources.hpp"
#include "probe/hwloc_facts.hpp"
#include "probe/parse.hpp"

#include <gpuadapt/core/differences.hpp>
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/probe/foreign.hpp>
#include <gpuadapt/probe/second_sources.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
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
    for (const std::string_view word : split_words(command))
        words.push_back(word == kInterface ? interface : std::string(word));
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
    return std::any_of(std::begin(kChanging), std::end(kChanging), [&](std::string_view end) {
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

constexpr Text kNotInstalled = {"not installed", "未安装"};
constexpr Text kNotRecorded = {"not in the recording", "录制文件中没有"};
constexpr Text kNothing = {"says nothing that can be compared", "没有可比较的内容"};
constexpr Text kNoAnswer = {"no answer", "无回答"};

/// What one source says of the machine, or why it says nothing.
struct Witness {
    std::string name;
    std::optional<Machine> machine;
    Message silence;
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

Witness ask_hwloc_on(Root& root) {
    Witness witness{"hwloc", std::nullopt, Message(kNoAnswer), false};
    try {
        witness.machine = hwloc_machine(root);
    } catch (const Error& error) {
        witness.silence = error.message();
    }
    return witness;
}

Witness ask_tool(Root& root, const std::vector<std::string>& words) {
    Witness witness{fmt::format("{}", fmt::join(words, " ")), std::nullopt, Message(kNothing), false};
    const CommandResult result = root.run(words);
    if (result.status == CommandStatus::not_found) {
        witness.name = words.front();  // what else it could be asked does not matter
        const bool is_told = !result.reason.empty() && result.reason.find("not installed") == std::string::npos;
        witness.silence = !is_told                           ? Message(kNotInstalled)
                          : result.reason == kNotRecorded.en ? Message(kNotRecorded)
                                                             : Message::same(result.reason);
    } else if (!result.ok()) {
        witness.silence = Message::same(failure_of(result));
    } else {
        try {
            witness.machine = machine_of_bytes(result.output, witness.name);
            // A tool's matrix is its own words: there is no second reading of ours.
            witness.machine->vendor_topology.clear();
        } catch (const Error&) {
            // A version, or "no devices".
        }
    }
    return witness;
}

/// hwloc, and each tool whose output one of our readers understands.
std::vector<Witness> witnesses_of(Root& root) {
    std::vector<Witness> witnesses = {ask_hwloc_on(root)};
    for_each_command(root, [&](const std::vector<std::string>& words, const std::string& interface) {
        witnesses.push_back(ask_tool(root, words));
        witnesses.back().knows_one_interface = !interface.empty();
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

/// The tool of a GPU vendor: no other device is its business.
bool lists_only_gpus(const Machine& machine) {
    return !machine.gpus.empty() &&
           std::all_of(machine.pci_devices.begin(), machine.pci_devices.end(), [&](const PciDevice& device) {
               return std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                  [&](const Gpu& gpu) { return gpu.address == device.address; });
           });
}

/// Which sources were compared, and which not.
class Survey {
  public:
    void compared(const std::string& name, std::size_t agreed, std::size_t differ) {
        Message counts{fmt::format("{} ({} agree", name, agreed), fmt::format("{}（{} 项一致", name, agreed)};
        if (differ > 0) {
            counts.en += fmt::format(", {} differ", differ);
            counts.zh += fmt::format("，{} 项不一致", differ);
        }
        add(compared_, {counts.en + ")", counts.zh + "）"});
    }

    void silent(const std::string& name, const Message& why) {
        auto place = std::find_if(silent_.begin(), silent_.end(), [&](const Silence& it) { return it.why == why; });
        if (place == silent_.end())
            place = silent_.insert(silent_.end(), {why, {}});
        if (std::find(place->names.begin(), place->names.end(), name) == place->names.end())
            place->names.push_back(name);
    }

    [[nodiscard]] Finding finding() const {
        Finding finding;
        finding.severity = compared_.empty() ? Severity::unknown : Severity::note;
        finding.check = "SOURCE2";
        finding.title = {"What was compared with other sources", "与其他来源的比对范围"};
        finding.evidence = compared_.empty() ? Message{"compared: none", "已比对：无"}
                                             : Message{"compared: " + compared_.en, "已比对：" + compared_.zh};
        for (const Silence& silence : silent_) {
            finding.evidence.en += fmt::format("; {}: {}", silence.why.en, fmt::join(silence.names, ", "));
            finding.evidence.zh += fmt::format("；{}：{}", silence.why.zh, fmt::join(silence.names, "、"));
        }
        return finding;
    }

  private:
    struct Silence {
        Message why;
        std::vector<std::string> names;
    };

    static void add(Message& list, const Message& item) {
        list.en += (list.en.empty() ? "" : ", ") + item.en;
        list.zh += (list.zh.empty() ? "" : "、") + item.zh;
    }

    Message compared_;
    std::vector<Silence> silent_;
};

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
    Survey survey;
    for (const Witness& witness : witnesses_of(root)) {
        if (!witness.machine) {
            survey.silent(witness.name, witness.silence);
            continue;
        }
        MachineComparison comparison = compare_machines(machine, *witness.machine);
        const bool only_gpus = lists_only_gpus(*witness.machine);
        std::erase_if(comparison.differences, [&](const Difference& it) {
            const bool says_nothing = it.second.empty() && (witness.knows_one_interface ||
                                                            (only_gpus && it.path.starts_with("/pci_devices/")));
            return is_changing(it.path) || is_rounding(it) || says_nothing;
        });
        if (comparison.agreed == 0 && comparison.differences.empty())
            survey.silent(witness.name, Message(kNothing));
        else
            survey.compared(witness.name, comparison.agreed, comparison.differences.size());
        for (const Difference& difference : comparison.differences)
            findings.push_back(disagreement(witness.name, difference));
    }
    findings.push_back(survey.finding());
    return findings;
}

}  // namespace gpuadapt

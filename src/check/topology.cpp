// SPDX-License-Identifier: Apache-2.0
#include "check/rules.hpp"

#include <gpuadapt/core/topology.hpp>

#include <fmt/format.h>

namespace gpuadapt::check {
namespace {

/// "GPU0-GPU2 DUAL/NODE, GPU1-GPU3 ..."
std::string pairs(const TopologyComparison& comparison, DifferenceReason reason) {
    constexpr std::size_t kShown = 8;
    std::string text;
    std::size_t count = 0;
    for (const TopologyDifference& difference : comparison.differences) {
        if (difference.reason != reason)
            continue;
        if (count++ < kShown)
            text += fmt::format("{}{}-{} {}/{}", text.empty() ? "" : ", ", difference.row, difference.column,
                                difference.ours, difference.theirs);
    }
    return count > kShown ? text + fmt::format(" +{}", count - kShown) : text;
}

/// What each kind of difference means.
struct Verdict {
    DifferenceReason reason;
    Severity severity;
    Text evidence, advice;
};

constexpr Verdict kVerdicts[] = {
    {DifferenceReason::contradiction,
     Severity::warning,
     {"our tree and the vendor's matrix contradict each other (ours/theirs)",
      "本工具的树与厂商矩阵矛盾（本工具/厂商）"},
     {"Look at lspci -tv and at the NUMA nodes that the BIOS gives; record the machine (gpuadapt record) and report "
      "it.",
      "核对 lspci -tv 与 BIOS 给出的 NUMA 节点；用 gpuadapt record 保存本机信息并反馈。"}},
    {DifferenceReason::dual_uplink,
     Severity::note,
     {"one switch chip has two uplinks, the vendor's tool shows two switches (ours/theirs)",
      "同一交换芯片有两个上行口，厂商工具显示为两个交换芯片（本工具/厂商）"},
     {"Measure two such pairs at once to see whether copies stay inside the chip; the server's maker can tell too.",
      "同时测量两对此类GPU，确认数据是否不出芯片；也可向服务器厂商确认。"}},
    {DifferenceReason::links_not_read,
     Severity::unknown,
     {"direct links that the vendor's tool shows were not read (ours/theirs)",
      "厂商工具显示的直连链路未读到（本工具/厂商）"},
     {"Run where the management library of the GPUs can be loaded.", "在可加载GPU管理库的环境中运行。"}},
    {DifferenceReason::not_told,
     Severity::unknown,
     {"the PCI tree that was read does not tell (ours/theirs)", "所读到的PCI树无法判断（本工具/厂商）"},
     {"Run on the machine itself, as root.", "在本机以 root 运行。"}}};

Outcome vendor_topology(const Record& record, const Check& self) {
    Outcome outcome;
    for (const HostMachine& host : record.machines)
        for (const TopologyMatrix& matrix : host.machine.vendor_topology) {
            const std::string subject = fmt::format("{} {}", host.host, matrix.tool);
            const TopologyComparison comparison = compare_topology(topology_of(host.machine), matrix);
            if (outcome.state == State::not_applicable)
                outcome.state = State::evaluated;
            if (comparison.compared == 0 && matrix.names.size() != 1) {
                const Outcome nothing = unknown(
                    self, subject, {"no cell of the vendor's matrix could be compared", "厂商矩阵中没有可比较的单元"},
                    host.machine.pci_devices.empty()
                        ? Message{"Read the machine's PCI devices too: its recording (gpuadapt record), or lspci "
                                  "-D -nn -vvv as root.",
                                  "请同时提供该机器的PCI设备：录制文件（gpuadapt record），或 root 下 lspci -D -nn "
                                  "-vvv 的输出。"}
                        : Message{});
                outcome.state = State::unknown;
                outcome.findings.push_back(nothing.findings.front());
            }
            for (const Verdict& verdict : kVerdicts) {
                const std::string list = pairs(comparison, verdict.reason);
                if (list.empty())
                    continue;
                if (verdict.severity == Severity::unknown)
                    outcome.state = State::unknown;
                outcome.findings.push_back(finding_of(self, verdict.severity, subject,
                                                      {fmt::format("{}: {}", verdict.evidence.en, list),
                                                       fmt::format("{}：{}", verdict.evidence.zh, list)},
                                                      Message(verdict.advice)));
            }
        }
    return outcome;
}

constexpr Check kChecks[] = {
    {.id = "TOPO1",
     .area = Area::topology,
     .title = {"the PCI tree and the vendor's matrix agree", "PCI树与厂商矩阵一致"},
     .problem = {"the topology is told in two ways", "拓扑说法不一致"},
     .reason =
         {"Libraries choose their ways by the one, people by the other; where they differ, one of them plans with "
          "links that are not there.",
          "通信库依据其一，人依据另一；两者不同，必有一方按不存在的链路规划。"},
     .of_record = vendor_topology},
};

}  // namespace

std::span<const Check> topology_checks() {
    return kChecks;
}

}  // namespace gpuadapt::check

// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_record.hpp"

#include <gpuadapt/check/checks.hpp>
#include <gpuadapt/probe/foreign.hpp>
#include <gpuadapt/probe/probes.hpp>

#include <string_view>

namespace gpuadapt::cli {

namespace {

/// Texts of two machines, or of one before and after a change: whoever reads on must know.
Finding disagreement(const Unread& unread) {
    Finding finding;
    finding.severity = Severity::warning;
    finding.check = "SOURCE1";
    finding.subject = unread.path.substr(kDisagrees.size());
    finding.title = {"Two sources disagree", "两个来源不一致"};
    finding.evidence = Message::same(unread.reason);
    // One file, too, may hold several times: the kernel's log is of the boot, lspci of when it was called.
    finding.advice = {"Are they of the same machine, and of the same time? A kernel log tells how it was at boot.",
                      "请确认它们来自同一台机器、同一时间；内核日志反映的是启动时的状态"};
    return finding;
}

}  // namespace

Record machine_record(const Machine& machine, const std::string& time) {
    Record record;
    record.tool_version = GPUADAPT_VERSION;
    record.started = time;
    record.finished = time;
    record.machines = {{machine.os.hostname.value_or("unknown"), machine}};
    check::judge(record);
    for (const Unread& unread : machine.unread)
        if (unread.path.starts_with(kDisagrees))
            record.findings.push_back(disagreement(unread));
    for (Finding& finding : record.findings)
        finding.blocking = false;  // a reading has no verdict that an unknown could forbid
    const Coverage facts = coverage_of(machine);
    record.coverage.evaluated += facts.evaluated;
    record.coverage.unknown += facts.unknown;
    record.coverage.not_applicable += facts.not_applicable;
    return record;
}

}  // namespace gpuadapt::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_record.hpp"

#include <gpuadapt/check/checks.hpp>
#include <gpuadapt/probe/probes.hpp>

namespace gpuadapt::cli {

Record machine_record(const Machine& machine, const std::string& time) {
    Record record;
    record.tool_version = GPUADAPT_VERSION;
    record.started = time;
    record.finished = time;
    record.machines = {{machine.os.hostname.value_or("unknown"), machine}};
    check::judge(record);
    for (Finding& finding : record.findings)
        finding.blocking = false;  // a reading has no verdict that an unknown could forbid
    const Coverage facts = coverage_of(machine);
    record.coverage.evaluated += facts.evaluated;
    record.coverage.unknown += facts.unknown;
    record.coverage.not_applicable += facts.not_applicable;
    return record;
}

}  // namespace gpuadapt::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_record.hpp"

#include <gpuadapt/probe/probes.hpp>

namespace gpuadapt::cli {

Record machine_record(const Machine& machine, const std::string& time) {
    Record record;
    record.tool_version = GPUADAPT_VERSION;
    record.started = time;
    record.finished = time;
    record.machines = {{machine.os.hostname.value_or("unknown"), machine}};
    // A probe is evaluated when all that it met could be read.
    record.coverage.unknown = static_cast<int>(machine.unread.size());
    record.coverage.evaluated = static_cast<int>(probes().size());
    return record;
}

}  // namespace gpuadapt::cli

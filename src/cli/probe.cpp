// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/host/files.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/probe.hpp>
#include <gpuadapt/probe/probes.hpp>

#include <fmt/format.h>

namespace gpuadapt::cli {
namespace {

struct ProbeOptions {
    std::string from;
    std::string out;
};

/// The same machine gives the same text: a record of a recording carries no time of its own.
Record probe_record(const ProbeOptions& options, const Machine& machine) {
    Record record;
    record.tool_version = GPUADAPT_VERSION;
    if (options.from.empty()) {
        record.started = utc_now();
        record.finished = record.started;
    }
    record.machines = {{machine.os.hostname.value_or("unknown"), machine}};
    // A probe is evaluated when all that it met could be read.
    record.coverage.unknown = static_cast<int>(machine.unread.size());
    record.coverage.evaluated = static_cast<int>(probes().size());
    return record;
}

int run_probe(Session& session, const ProbeOptions& options) {
    const std::unique_ptr<Root> root = open_root(options.from);
    const Machine machine = probe_machine(*root);
    const Record record = probe_record(options, machine);
    if (!options.out.empty())
        write_output_file(options.out, to_json(record));
    if (session.json)
        print(to_json(record));
    else
        print(report::machine_summary(machine, session.style) +
              report::coverage_line(record.coverage, record.findings, session.style));
    return kExitOk;
}

}  // namespace

Action define_probe(CLI::App& app, Lang lang) {
    auto options = std::make_shared<ProbeOptions>();
    app.add_option(
           "--from", options->from,
           pick(lang, "Read a recording (file or folder) instead of this machine", "读取录制文件或目录，而不是本机"))
        ->type_name("FILE");
    app.add_option("--out", options->out, pick(lang, "Also write the record to this file", "同时把记录写入该文件"))
        ->type_name("FILE");
    return [options](Session& session) { return run_probe(session, *options); };
}

}  // namespace gpuadapt::cli

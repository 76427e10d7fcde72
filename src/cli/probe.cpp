// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/machine_record.hpp"

#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/host/files.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/probe.hpp>
#include <gpuadapt/probe/second_sources.hpp>

#include <fmt/format.h>

namespace gpuadapt::cli {
namespace {

struct ProbeOptions {
    std::string from;
    std::string out;
    bool cross_check = false;
};

int run_probe(Session& session, const ProbeOptions& options) {
    const std::unique_ptr<Root> root = open_root(options.from);
    const Machine machine = probe_machine(*root);
    Record record = machine_record(machine, options.from.empty() ? utc_now() : "");
    if (options.cross_check)
        record.findings = cross_check(*root, machine);
    if (!options.out.empty())
        write_output_file(options.out, to_json(record));
    if (session.json)
        print(to_json(record));
    else
        print(report::machine_summary(machine, session.style) + report::findings_list(record.findings, session.style) +
              report::coverage_line(record.coverage, record.findings, session.style));
    return exit_status(record.findings, session.strict);
}

}  // namespace

Action define_probe(CLI::App& app, Lang lang) {
    auto options = std::make_shared<ProbeOptions>();
    app.add_option(
           "--from", options->from,
           pick(lang, "Read a recording (file or folder) instead of this machine", "读取录制文件或目录，而不是本机"))
        ->type_name("FILE");
    app.add_flag("--cross-check", options->cross_check,
                 pick(lang, "Ask other tools of the machine too, and say where they disagree",
                      "同时询问本机的其他工具，并指出不一致之处"));
    app.add_option("--out", options->out, pick(lang, "Also write the record to this file", "同时把记录写入该文件"))
        ->type_name("FILE");
    return [options](Session& session) { return run_probe(session, *options); };
}

}  // namespace gpuadapt::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/machine_record.hpp"
#include "cli/replace.hpp"

#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/expectations.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/host/files.hpp>
#include <gpuadapt/probe/foreign.hpp>
#include <gpuadapt/probe/second_sources.hpp>
#include <gpuadapt/report/topology.hpp>

#include <filesystem>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <malloc.h>

namespace gpuadapt::cli {
namespace {

struct ProbeOptions {
    std::vector<std::string> from;
    std::string out;
    std::string expect_out;
    bool cross_check = false;
    bool topology = false;
    std::string svg;
    std::string nccl_topo;
};

/// A reading is over in milliseconds, and some of them went into giving memory back: libpci frees its names in hundreds
/// of pieces, each a call of the kernel, and a heap of the reading thread's own grows by single pages.
void keep_memory_until_the_end() {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
}

/// What is given is written last of all: a slip must show before the machine is read.
void check_outputs(const ProbeOptions& options) {
    const std::tuple<const char*, const std::string&, OutputKind> outputs[] = {
        {"--out", options.out, OutputKind::machine_record},
        {"--svg", options.svg, OutputKind::svg},
        {"--nccl-topo", options.nccl_topo, OutputKind::nccl_topology},
        {"--write-expect", options.expect_out, OutputKind::expectations},
    };
    std::map<std::string, const char*> taken;  // option by file
    for (const auto& [option, path, kind] : outputs) {
        if (path.empty())
            continue;
        check_replaceable(option, path, kind);
        std::error_code failed;
        const std::filesystem::path whole = std::filesystem::absolute(path, failed).lexically_normal();
        const std::filesystem::path real = std::filesystem::weakly_canonical(whole, failed);
        const auto [other, is_free] = taken.emplace(failed ? whole : real, option);
        if (!is_free)
            throw input_error(
                Message{fmt::format("{} and {} both name {}: give each its own", other->second, option, path),
                        fmt::format("{} 与 {} 都指向 {}：请分别指定", other->second, option, path)});
    }
}

int run_probe(Session& session, const ProbeOptions& options) {
    keep_memory_until_the_end();
    end_on_stop_signals();
    check_outputs(options);
    const MachineReading reading = read_machine(options.from);
    const Machine& machine = reading.machine;
    Record record = machine_record(machine, options.from.empty() ? utc_now() : "");
    if (options.cross_check && reading.root == nullptr)
        throw input_error(
            Message{"--cross-check asks other tools, and texts hold none: use it on the machine or on one "
                    "recording of it. Where several texts disagree, that is listed as unread",
                    "--cross-check 需询问其他工具，而文本中没有：请用于本机或一个录制文件。多个文本之间的不一致"
                    "列在未读到的内容中"});
    if (!options.svg.empty() && !report::has_picture(machine))
        throw input_error(
            Message{"--svg: there is nothing to draw: no PCI devices were read. 'lspci -D -nn -vvv' as "
                    "root, or a recording of the machine (gpuadapt record), shows them",
                    "--svg：没有可画的内容：未读到PCI设备。请提供 root 下 lspci -D -nn -vvv 的输出，或用 "
                    "gpuadapt record 录制该机器"});
    if (options.cross_check) {
        const std::vector<Finding> more = cross_check(*reading.root, machine);
        record.findings.insert(record.findings.end(), more.begin(), more.end());
    }
    if (!options.out.empty())
        write_keeping(session, options.out, to_json(record));
    if (!options.svg.empty())
        write_keeping(session, options.svg, report::topology_svg(machine, session.lang));
    if (!options.nccl_topo.empty())
        write_keeping(session, options.nccl_topo, report::nccl_topology(machine));
    if (!options.expect_out.empty())
        write_keeping(session, options.expect_out, to_json(draft_expectations(machine)));
    if (session.json)
        print(to_json(record));
    else if (options.topology)
        print(report::topology_text(machine, session.style) + report::findings_list(record.findings, session.style));
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
           pick(
               lang,
               "Read a recording, a packed /sys, or output of lspci, dmidecode, lscpu ... instead of this machine; may "
               "be given several times",
               "读取录制文件、打包的 /sys，或 lspci、dmidecode、lscpu 等的输出，而不是本机；可多次给出"))
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_flag("--cross-check", options->cross_check,
                 pick(lang, "Ask other tools of the machine too, and say where they disagree",
                      "同时询问本机的其他工具，并指出不一致之处"));
    app.add_option(
           "--write-expect", options->expect_out,
           pick(lang,
                "Draft expect.json for machines of this model from what this one shows; correct it by hand. An output "
                "that is there is kept as FILE.1, here and below",
                "由本机生成该机型的 expect.json 草稿，请人工核对；此处及以下各项，已有的文件保留为 FILE.1"))
        ->type_name("FILE");
    app.add_option("--out", options->out, pick(lang, "Also write the record to this file", "同时把记录写入该文件"))
        ->type_name("FILE");
    app.add_flag("--topology", options->topology,
                 pick(lang, "Show how GPUs and NICs are connected: tree, link matrix, uplinks",
                      "显示GPU与网卡的连接：树、连接矩阵、上行口"));
    app.add_option("--svg", options->svg,
                   pick(lang, "Also draw the topology into this file (SVG)", "同时把拓扑画成 SVG 图写入该文件"))
        ->type_name("FILE");
    app.add_option(
           "--nccl-topo", options->nccl_topo,
           pick(lang, "Also write NCCL's topology file (NCCL_TOPO_FILE)", "同时写出 NCCL 拓扑文件（NCCL_TOPO_FILE）"))
        ->type_name("FILE");
    return [options](Session& session) { return run_probe(session, *options); };
}

}  // namespace gpuadapt::cli

// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_checks.hpp"
#include "ingest/log_run.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/text.hpp>

#include <fmt/format.h>

namespace gpuadapt::ingest {
namespace {

/// What the log says of the data, for all of its rows.
struct DataVerdict {
    bool compared = true;  ///< a program that did not compare (-c 0) prints 0 all the same
    bool fine = false;     ///< the footer says that no result was out of bounds
};

PerfHalf perf_half(const LogHalf& half, const std::string& type, const DataVerdict& verdict) {
    PerfHalf result;
    if (half.time)
        result.time_us = half.time->value;
    if (half.algbw)
        result.algbw_gb_s = half.algbw->value;
    if (half.busbw)
        result.busbw_gb_s = half.busbw->value;
    if (verdict.compared || half.wrong.value_or(0) > 0)
        result.wrong = half.wrong;
    // Old versions print a deviation instead of a number of wrong elements.
    if (verdict.compared && verdict.fine && !half.wrong && half.error && *half.error <= error_tolerance(type))
        result.wrong = 0;
    return result;
}

PerfPoint perf_point_of(const LogRow& row, const OpenRun& run) {
    const DataVerdict verdict{run.preamble.validation != 0, run.footer_wrong == 0 && !run.footer_failed};
    PerfPoint point;
    point.size_bytes = row.size;
    if (run.columns.has(ColumnKind::count))
        point.count = row.count;
    point.type = row.type;
    point.redop = row.redop;
    point.root = row.root;
    if (row.kernel)
        point.kernel_us = row.kernel->value;
    point.out_of_place = perf_half(row.out_of_place, row.type, verdict);
    point.in_place = perf_half(row.in_place, row.type, verdict);
    return point;
}

std::string joined(const auto& words, const char* separator) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : separator) + word;
    return text;
}

/// "8 x MetaX C500". The number is left out where the list of ranks has been shortened.
std::string devices_text(const LogPreamble& preamble, const std::optional<int>& ranks) {
    int listed = 0;
    for (const auto& [name, count] : preamble.devices)
        listed += count;
    std::vector<std::string> names;
    for (const auto& [name, count] : preamble.devices)
        names.push_back(listed == ranks ? fmt::format("{} x {}", count, name) : name);
    return joined(names, ", ");
}

}  // namespace

Table make_log_table(const OpenRun& run, const std::vector<LogRow>& rows, const RunFacts& facts,
                     const std::string& file) {
    Table table = make_perf_table(facts.collective, facts.ranks.value_or(0));
    std::map<std::string, std::string>& labels = table.labels;
    if (!facts.ranks) {
        labels.erase("ranks");
        table.title = {facts.collective + ", number of ranks unknown", facts.collective + "，rank 数未知"};
    }
    const auto set = [&labels](const char* name, const std::string& value) {
        if (!value.empty())
            labels[name] = clean_utf8(value);
    };
    const LogPreamble& before = run.preamble;
    set("collective_from", facts.collective_from);
    set("ranks_from", facts.ranks_from);
    set("tool", before.tool.empty() ? "nccl-tests" : before.tool);
    set("version", before.version);
    set("library", joined(before.libraries, "; "));
    set("options", before.options);
    set("source", file);
    set("line", std::to_string(run.header_line));
    set("banner_tool", before.banner_tool);
    set("banner_name", before.banner_name.value_or(""));
    set("banner_count", before.banner_count ? std::to_string(*before.banner_count) : "");
    set("footer_average", run.footer_average ? fmt::format("{:g}", run.footer_average->value) : "");
    set("footer_wrong", run.footer_wrong ? std::to_string(*run.footer_wrong) : "");
    set("unit", run.columns.bandwidth_unit());
    set("time", run.columns.cpu_time() ? "cpu" : "");
    set("check", run.columns.has(ColumnKind::error) ? "error" : "");
    set("kernel_column", run.columns.has(ColumnKind::kernel) ? "yes" : "");
    set("in_place", run.columns.two_halves() ? "" : "no");
    set("cycle", run.cycle > 0 ? std::to_string(run.cycle + 1) : "");
    set("part", run.part > 0 ? std::to_string(run.part + 1) : "");
    set("devices", devices_text(before, facts.ranks));
    set("hosts", joined(before.hosts, ", ") + (before.more_hosts ? ", ..." : ""));
    table.rows.reserve(rows.size());
    for (const LogRow& row : rows)
        table.rows.push_back(perf_row(perf_point_of(row, run)));
    return table;
}

}  // namespace gpuadapt::ingest

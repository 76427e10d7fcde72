// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_checks.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/ingest/nccl_log.hpp>

#include <cmath>

#include <fmt/format.h>

namespace gpuadapt::ingest {
namespace {

/// A stored number stands for all that rounds to its shortest text: a record of a log has the log's few digits.
std::optional<Printed> stored(const std::optional<double>& value) {
    return value ? printed_number(fmt::format("{}", *value)) : std::nullopt;
}

LogHalf log_half(const PerfHalf& half) {
    return {.time = stored(half.time_us),
            .algbw = stored(half.algbw_gb_s),
            .busbw = stored(half.busbw_gb_s),
            .wrong = half.wrong,
            .error = {}};
}

bool impossible(const PerfHalf& half) {
    for (const std::optional<double>& value : {half.time_us, half.algbw_gb_s, half.busbw_gb_s})
        if (value && (!std::isfinite(*value) || *value < 0))
            return true;
    return half.wrong.value_or(0) < 0;
}

std::string label(const Table& table, const char* name) {
    const auto found = table.labels.find(name);
    return found == table.labels.end() ? "" : found->second;
}

/// Rows of a table that fail one check: the first is named.
struct Failed {
    const char* check;
    Message title;
    std::string first = {};
    int rows = 0;
};

}  // namespace

std::vector<Finding> refuse_rows(Table& table, const std::string& file) {
    const std::string collective = label(table, "collective");
    const bool use_time = algbw_from_time(collective, label(table, "time") == "cpu");
    const auto ranks = parse_integer(label(table, "ranks"));
    const std::optional<double> factor =
        ranks && *ranks <= INT32_MAX ? log_bus_factor(collective, static_cast<int>(*ranks)) : std::nullopt;
    std::vector<Failed> failed = {
        {"LOG1", {"row refused: it holds a number that cannot be", "该行不采用：有不可能的数值"}},
        {"LOG2", {"row refused: algbw is not size / time", "该行不采用：algbw 与 size / time 不符"}},
        {"LOG3", {"row refused: busbw is not factor x algbw", "该行不采用：busbw 与 系数 × algbw 不符"}}};
    const std::size_t all = table.rows.size();
    const auto is_refused = [&](const Row& row) {
        const PerfPoint point = perf_point(table, row);
        bool refused = false;
        const auto fails = [&](std::size_t which) {
            refused = true;
            if (failed[which].rows++ == 0)
                failed[which].first = fmt::format("{} B {}", point.size_bytes, point.type);
        };
        if (point.size_bytes < 0 || point.count.value_or(0) < 0 || impossible(point.out_of_place) ||
            impossible(point.in_place)) {
            fails(0);
            return true;
        }
        const LogHalf halves[] = {log_half(point.out_of_place), log_half(point.in_place)};
        const auto any_fails = [&](const auto& fits) { return !fits(halves[0]) || !fits(halves[1]); };
        if (use_time && any_fails([&](const LogHalf& half) { return algbw_fits(point.size_bytes, half); }))
            fails(1);
        if (factor && any_fails([&](const LogHalf& half) {
                return busbw_fits(point.size_bytes, half, {*factor, *factor}, use_time);
            }))
            fails(2);
        return refused;
    };
    std::vector<Row> good;
    for (Row& row : table.rows)
        if (!is_refused(row))
            good.push_back(std::move(row));
    table.rows = std::move(good);
    std::vector<Finding> findings;
    for (const Failed& one : failed) {
        if (one.rows == 0)
            continue;
        Finding finding;
        finding.severity = Severity::warning;
        finding.check = one.check;
        finding.subject = fmt::format("{}: {}", file, table.id);
        finding.title = one.title;
        finding.evidence = {fmt::format("{} of {} rows, first {}", one.rows, all, one.first),
                            fmt::format("{} / {} 行，首个 {}", one.rows, all, one.first)};
        finding.advice = {"The record was altered, or is damaged: measure again.", "记录被改动或已损坏：请重新测试。"};
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "check/rules.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace gpuadapt::check {
namespace {

template <class Visit>
void for_each_point(const Record& record, Visit&& visit) {
    for (const Table& table : record.tables) {
        if (!is_perf_table(table))
            continue;
        for (const Row& row : table.rows)
            visit(table, perf_point(table, row));
    }
}

struct Wrong {
    std::int64_t elements = 0;
    int points = 0;
    std::string first;  ///< where the first one was seen
};

std::string describe(const PerfPoint& point, const char* half) {
    return fmt::format("{} {} {} {}", format_size(point.size_bytes), point.type, point.redop, half);
}

/// Where a collective makes every rank wait for every other, so that times tell who came last.
bool synchronising(const std::string& collective) {
    constexpr std::array<std::string_view, 4> kNames = {"all_reduce", "all_gather", "reduce_scatter", "alltoall"};
    return std::find(kNames.begin(), kNames.end(), collective) != kNames.end();
}

Outcome wrong_data(const Record& record, const Check& self) {
    std::map<std::string, Wrong> wrong;
    int checked = 0;
    int unchecked = 0;
    for_each_point(record, [&](const Table& table, const PerfPoint& point) {
        const auto collective = table.labels.find("collective");
        const bool defined = collective == table.labels.end() || in_place_defined(collective->second);
        const auto look = [&](const PerfHalf& half, const char* name) {
            if (!half.time_us)
                return;
            half.wrong ? ++checked : ++unchecked;
            if (half.wrong.value_or(0) == 0)
                return;
            Wrong& entry = wrong[table.id];
            if (entry.points++ == 0)
                entry.first = describe(point, name);
            entry.elements += *half.wrong;
        };
        look(point.out_of_place, "out of place");
        if (defined)
            look(point.in_place, "in place");
    });
    if (checked + unchecked == 0)
        return not_applicable();
    Outcome outcome;
    outcome.state = State::evaluated;
    for (const auto& [id, entry] : wrong)
        outcome.findings.push_back(finding_of(
            self, Severity::failure, id,
            {fmt::format("{} wrong elements in {} results, first at {}", entry.elements, entry.points, entry.first),
             fmt::format("{} 个结果中有 {} 个错误元素，首次出现于 {}", entry.points, entry.elements, entry.first)},
            {"Repeat with half of the ranks to find the one that delivers wrong data; then look at ECC and link errors "
             "of that device.",
             "减半 rank 重测以定位出错的 rank，再检查该设备的 ECC 与链路错误。"}));
    if (unchecked > 0 && outcome.findings.empty())
        return unknown(self, "perf",
                       {fmt::format("{} of {} results were not verified", unchecked, checked + unchecked),
                        fmt::format("{} / {} 个结果未做数据校验", unchecked, checked + unchecked)},
                       {"Measure with -c 1.", "使用 -c 1 重新测试。"});
    return outcome;
}

Outcome late_rank(const Record& record, const Check& self) {
    // Times below the resolution of process scheduling say nothing about who is late.
    constexpr double kLeastGapUs = 50;
    constexpr double kLeastRatio = 1.25;
    int seen = 0;
    int candidates = 0;
    std::map<std::pair<std::string, std::size_t>, int> late;
    std::map<std::string, int> points;
    for_each_point(record, [&](const Table& table, const PerfPoint& point) {
        const auto collective = table.labels.find("collective");
        const auto ranks = table.labels.find("ranks");
        const bool alone = ranks != table.labels.end() && ranks->second == "1";
        if (alone || collective == table.labels.end() || !synchronising(collective->second))
            return;
        ++candidates;
        const std::vector<double>& means = point.out_of_place.rank_mean_us;
        if (means.size() < 2)
            return;
        ++seen;
        ++points[table.id];
        const auto [low, high] = std::minmax_element(means.begin(), means.end());
        if (*high - *low >= kLeastGapUs && *high >= kLeastRatio * *low)
            ++late[{table.id, static_cast<std::size_t>(low - means.begin())}];
    });
    if (candidates == 0)
        return not_applicable();
    if (seen == 0)
        return unknown(self, "perf",
                       {"times of the single ranks are not in the record (a log holds only their mean)",
                        "记录中没有各 rank 的用时（日志只含平均值）"},
                       {"Measure with gpuadapt perf.", "使用 gpuadapt perf 测试。"});
    Outcome outcome;
    outcome.state = State::evaluated;
    for (const auto& [key, count] : late) {
        if (2 * count <= points[key.first])
            continue;
        outcome.findings.push_back(
            finding_of(self, Severity::note, fmt::format("{} rank {}", key.first, key.second),
                       {fmt::format("rank {} arrives last at {} of {} sizes", key.second, count, points[key.first]),
                        fmt::format("rank {} 在 {}/{} 个大小上最后到达", key.second, count, points[key.first])},
                       {"Look for other work on that rank's cores, its NUMA binding and its clock.",
                        "检查该 rank 所在核上的其他负载、NUMA 绑定与频率。"}));
    }
    return outcome;
}

Outcome complete_run(const Record& record, const Check& self) {
    // A log knows no plan; whether each of its runs has a footer is said where it is read. A run of ours that ended
    // before its first table is one all the same.
    const auto from_log = [](const Table& table) { return table.labels.contains("source"); };
    if (record.run_id.empty() && std::all_of(record.tables.begin(), record.tables.end(), from_log))
        return not_applicable();
    if (record.run_id.empty())
        return unknown(self, "perf",
                       {"the record does not say which run its tables belong to", "记录未注明表格属于哪次测试"}, {});
    Outcome outcome;
    outcome.state = State::evaluated;
    if (record.finished.empty())
        outcome.findings.push_back(
            finding_of(self, Severity::warning, record.run_id,
                       {"the record has no end time: the run was interrupted, later points are missing",
                        "记录没有结束时间：测试被中断，其后的点缺失"},
                       {"Run the same command again.", "重新执行同一命令。"}));
    return outcome;
}

constexpr Check kChecks[] = {
    {.id = "DATA1",
     .severity = Severity::failure,
     .title = {"measured data are right", "测量数据正确"},
     .problem = {"wrong data", "数据错误"},
     .reason = {"A collective that delivers wrong elements is broken, whatever its speed.",
                "集合通信结果有错误元素即为故障，与速度无关。"},
     .of_record = wrong_data},
    {.id = "LATE1",
     .severity = Severity::note,
     .title = {"all ranks enter together", "各 rank 同时进入"},
     .problem = {"a rank arrives late", "有 rank 晚到"},
     .reason = {"In a synchronising collective the rank that arrives last waits least: a rank with clearly shorter "
                "times holds up the others.",
                "同步型集合通信中，最后到达的 rank 等待最短：用时明显更短的 rank 拖慢了其他 rank。"},
     .of_record = late_rank},
    {.id = "RUN1",
     .title = {"the run came to its end", "测试完整结束"},
     .problem = {"the run was cut short", "测试未完成"},
     .reason = {"Points that were never measured must not look like points without a fault.",
                "未测到的点不能被当作没有问题的点。"},
     .of_record = complete_run},
};

}  // namespace

std::span<const Check> measurement_checks() {
    return kChecks;
}

}  // namespace gpuadapt::check

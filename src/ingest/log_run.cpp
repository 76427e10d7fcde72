// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_run.hpp"

#include <gpuadapt/core/perf_table.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpuadapt::ingest {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// The judge of one run: every decision is a function, every doubt a finding.
class Judge {
  public:
    Judge(OpenRun& run, const NcclLogOptions& options) : run_(run), options_(options) {}

    FinishedRun finish() {
        if (run_.mixed_line > 0)
            refuse_mixed();
        even_decimals(run_.rows);
        if (run_.columns.bandwidth_power() != 0) {
            if (widen_scaled(run_.rows))
                run_.busbw.widen();
            run_.findings.add(Severity::note, "LOG9", run_.header_line,
                              {"bandwidths converted to GB/s", "带宽已换算为 GB/s"},
                              Message::same(run_.columns.bandwidth_unit()));
        }
        if (run_.preamble.rank_twice)
            run_.findings.add(Severity::warning, "LOG5", run_.header_line,
                              {"a rank stands twice in the device list: outputs of several programs may be mixed",
                               "设备列表中同一rank出现两次：可能混有多个程序的输出"});
        decide_collective();
        decide_ranks();
        judge_units();
        std::vector<LogRow> good;
        good.reserve(run_.rows.size());
        for (LogRow& row : run_.rows)
            if (judge_row(row))
                good.push_back(std::move(row));
            else
                ++refused_;
        judge_sizes(good);
        judge_data(good);
        judge_footer(good);
        FinishedRun finished;
        finished.run.table = make_log_table(run_, good, facts_, options_.file);
        finished.run.complete = run_.more_follows || run_.footer_wrong || run_.footer_average;
        finished.run.findings = run_.findings.take();
        finished.refused = refused_ + run_.refused;
        return finished;
    }

  private:
    void refuse_mixed() {
        run_.findings.add(Severity::failure, "LOG5", run_.mixed_line,
                          {"two outputs are mixed: the whole run is refused", "两份输出混在一起：整段不采用"},
                          run_.mixed_reason,
                          {"run it again so that only one program writes to the log; nccl-tests built without MPI "
                           "start one independent run per rank under mpirun",
                           "请重新测试并保证只有一个程序写该日志；未带MPI编译的nccl-tests在mpirun下会各自独立运行"});
        refused_ += static_cast<std::int64_t>(run_.rows.size());
        run_.rows.clear();
    }

    void decide_collective() {
        const LogPreamble& before = run_.preamble;
        std::optional<std::string> banner, caller;
        if (before.banner_name)
            banner = collective_name(*before.banner_name);
        if (options_.collective)
            caller = collective_name(*options_.collective);
        const auto take = [this](const std::optional<std::string>& name, const char* from) {
            if (!name)
                return;
            if (facts_.collective.empty()) {
                facts_.collective = *name;
                facts_.collective_from = from;
            } else if (facts_.collective != *name) {
                run_.findings.add(Severity::warning, "LOG7", run_.header_line,
                                  {"the name of the collective is contradicted", "集合通信名称互相矛盾"},
                                  Message::same(fmt::format("{}: {}; {}: {}", facts_.collective_from, facts_.collective,
                                                            from, *name)));
            }
        };
        take(before.program, "log");
        take(banner, "banner");
        take(caller, "caller");
        if (facts_.collective.empty())
            deduce_collective();
        cpu_time_ = run_.columns.cpu_time();
        use_time_ = algbw_from_time(facts_.collective, cpu_time_);
    }

    void deduce_collective() {
        const std::vector<std::string> possible = possible_collectives(run_.rows, !run_.columns.cpu_time());
        if (possible.size() == 1) {
            facts_.collective = possible.front();
            facts_.collective_from = "deduced";
            run_.findings.add(Severity::note, "LOG7", run_.header_line,
                              {"the log does not name the collective; its columns allow only " + possible.front(),
                               "日志未写明集合通信名称；由各列推断为 " + possible.front()});
            return;
        }
        facts_.collective = "unknown";
        if (run_.rows.empty())
            return;  // said already: nothing to use
        run_.findings.add(Severity::unknown, "LOG7", run_.header_line,
                          {"the log does not name the collective", "日志未写明集合通信名称"},
                          possible.empty()
                              ? Message{}
                              : Message{"its columns allow " + joined(possible), "由各列看可能是 " + joined(possible)},
                          {"give its name, or write a line `---- mccl_test NAME COUNT ----` above the table",
                           "请指定名称，或在表格上方加一行 `---- mccl_test 名称 数量 ----`"});
    }

    /// Ranks as the size column tells them where the count is per rank; the most frequent one.
    [[nodiscard]] std::optional<int> ranks_by_count() const {
        if (!counts_per_rank(facts_.collective))
            return std::nullopt;
        std::map<std::int64_t, int> votes;
        for (const LogRow& row : run_.rows)
            if (const auto ratio = size_over_count(row))
                ++votes[*ratio];
        const auto most = std::max_element(votes.begin(), votes.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        return most == votes.end() || most->first > INT32_MAX ? std::nullopt
                                                              : std::optional<int>(static_cast<int>(most->first));
    }

    void decide_ranks() {
        const LogPreamble& before = run_.preamble;
        std::optional<int> devices;
        if (before.last_rank >= 0)
            devices = before.last_rank + 1;
        std::vector<std::pair<std::optional<int>, const char*>> named = {{ranks_by_count(), "count"},
                                                                         {before.banner_count, "banner"},
                                                                         {devices, "devices"},
                                                                         {options_.ranks, "caller"}};
        for (const auto& [ranks, from] : named)
            if (ranks && *ranks > 0 && !facts_.ranks) {
                facts_.ranks = ranks;
                facts_.ranks_from = from;
            }
        const auto range = ranks_by_factor(run_.rows, facts_.collective, use_time_);
        if (facts_.ranks) {
            const FactorFit fit = factor_fit(run_.rows, facts_.collective, *facts_.ranks, use_time_);
            if (2 * fit.fitting < fit.telling && range)
                contradicted_ranks(*range);
            for (const auto& [ranks, from] : named)
                if (ranks && facts_.ranks && *ranks != *facts_.ranks && facts_.ranks_from != "deduced")
                    run_.findings.add(
                        Severity::warning, "LOG8", run_.header_line,
                        {"the number of ranks is contradicted", "rank 数互相矛盾"},
                        Message::same(fmt::format("{}: {}; {}: {}", facts_.ranks_from, *facts_.ranks, from, *ranks)));
            set_factor();
            return;
        }
        if (range && range->low == range->high) {
            facts_.ranks = range->low;
            facts_.ranks_from = "deduced";
            run_.findings.add(
                Severity::note, "LOG8", run_.header_line,
                {fmt::format("the log does not tell the number of ranks; busbw / algbw is that of {}", range->low),
                 fmt::format("日志未写明 rank 数；由 busbw / algbw 推断为 {}", range->low)});
        } else {
            unknown_ranks(range);
        }
        set_factor();
    }

    void contradicted_ranks(const RankRange& range) {
        const std::string told = fmt::format("{}: {}", facts_.ranks_from, *facts_.ranks);
        const std::string found =
            range.low == range.high ? std::to_string(range.low) : fmt::format("{}-{}", range.low, range.high);
        run_.findings.add(
            Severity::warning, "LOG8", run_.header_line,
            {"busbw / algbw belongs to another number of ranks than the log names",
             "busbw / algbw 与日志写明的 rank 数不符"},
            {fmt::format("{}; by the factor: {}", told, found), fmt::format("{}；按系数应为 {}", told, found)},
            {"a run split by NCCL_TESTS_SPLIT_MASK prints the factor of one group; otherwise the log was edited",
             "NCCL_TESTS_SPLIT_MASK 分组运行时打印的是一个组的系数；否则日志被改动过"});
        facts_.ranks.reset();
        facts_.ranks_from.clear();
        range_ = range;
        if (range.low == range.high) {
            facts_.ranks = range.low;
            facts_.ranks_from = "deduced";
        }
    }

    void unknown_ranks(const std::optional<RankRange>& range) {
        range_ = range;
        if (run_.rows.empty())
            return;
        Message evidence;
        if (range)
            evidence = Message::same(fmt::format("{}-{}", range->low, range->high));
        run_.findings.add(Severity::unknown, "LOG8", run_.header_line,
                          {"the log does not tell the number of ranks", "日志未写明 rank 数"}, evidence,
                          {"give the number, or write a line `---- mccl_test NAME COUNT ----` above the table",
                           "请指定数量，或在表格上方加一行 `---- mccl_test 名称 数量 ----`"});
    }

    void set_factor() {
        if (facts_.ranks) {
            if (const auto factor = log_bus_factor(facts_.collective, *facts_.ranks))
                factor_ = FactorRange{*factor, *factor};
        } else if (range_) {
            factor_ = FactorRange{*log_bus_factor(facts_.collective, range_->low),
                                  *log_bus_factor(facts_.collective, range_->high)};
        } else if (const auto factor = log_bus_factor(facts_.collective, 2);
                   factor && factor == log_bus_factor(facts_.collective, 3)) {
            factor_ = FactorRange{*factor, *factor};
        }
        if (!factor_ && !run_.rows.empty())
            run_.findings.add(Severity::unknown, "LOG3", run_.header_line,
                              {"busbw could not be checked: its factor is not known", "未知系数，busbw 未能核对"});
    }

    void judge_units() {
        if (cpu_time_)
            run_.findings.add(
                Severity::note, "LOG9", run_.header_line,
                {"the time column is CPU time (-C 1), not the time of the operation; it cannot be checked",
                 "时间列为CPU时间（-C 1），不是操作耗时，无法核对"});
        if (!run_.columns.unit_known() || !run_.units_read)
            run_.findings.add(Severity::note, "LOG9", run_.header_line,
                              {"no usable unit row below the header; us and GB/s are assumed and checked by "
                               "algbw = size / time",
                               "表头下没有可用的单位行；按 us 与 GB/s 处理，并以 algbw = size / time 核对"});
    }

    void judge_sizes(const std::vector<LogRow>& rows) {
        const std::optional<std::int64_t>& most = run_.preamble.max_bytes;
        for (const LogRow& row : rows)
            if (most && row.size > *most) {
                run_.findings.add(Severity::warning, "LOG8", row.line,
                                  {"sizes above the header's maxBytes: the header belongs to another run",
                                   "size 超过表头的 maxBytes：表头属于另一次测试"},
                                  Message::same(fmt::format("{} > {}", row.size, *most)));
                return;
            }
    }

    [[nodiscard]] bool judge_row(const LogRow& row) {
        if (!judge_count(row))
            return false;
        for (const LogHalf* half : {&row.out_of_place, &row.in_place}) {
            const char* place = half == &row.out_of_place ? "out of place" : "in place";
            if (use_time_ && !algbw_fits(row.size, *half)) {
                run_.findings.add(Severity::warning, "LOG2", row.line,
                                  {"row refused: algbw is not size / time", "该行不采用：algbw 与 size / time 不符"},
                                  Message::same(fmt::format(
                                      "{}: {} B / {} us = {:.4g} GB/s, algbw {}", place, row.size, half->time->value,
                                      static_cast<double>(row.size) / 1e3 / half->time->value, half->algbw->value)));
                return false;
            }
            if (factor_ && !busbw_fits(row.size, *half, *factor_, use_time_)) {
                run_.findings.add(
                    Severity::warning, "LOG3", row.line,
                    {"row refused: busbw is not factor x algbw", "该行不采用：busbw 与 系数 × algbw 不符"},
                    Message::same(fmt::format("{}: {:.5g} x {} = {:.5g}, busbw {}", place, factor_->low,
                                              half->algbw->value, factor_->low * half->algbw->value,
                                              half->busbw->value)));
                return false;
            }
        }
        return true;
    }

    /// size = count x bytes (x ranks).
    [[nodiscard]] bool judge_count(const LogRow& row) {
        const auto refuse = [&](const std::string& why) {
            run_.findings.add(Severity::warning, "LOG1", row.line,
                              {"row refused: size and count do not belong together", "该行不采用：size 与 count 不符"},
                              Message::same(why));
            return false;
        };
        if (!run_.columns.has(ColumnKind::type) || !run_.columns.has(ColumnKind::count) || row.size == 0)
            return row.size != 0 || row.count == 0 || refuse(fmt::format("size 0, count {}", row.count));
        const auto ratio = size_over_count(row);
        const std::string told = fmt::format("size {}, count {}, {}", row.size, row.count, row.type);
        if (!ratio)
            return refuse(told);
        if (facts_.collective == "unknown" || facts_.collective == "hypercube" || facts_.collective == "alltoallv")
            return true;
        if (!counts_per_rank(facts_.collective))
            return *ratio == 1 || refuse(told + ", " + facts_.collective);
        return !facts_.ranks || *ratio == *facts_.ranks || refuse(told + fmt::format(", {} ranks", *facts_.ranks));
    }

    void judge_data(const std::vector<LogRow>& rows) {
        const bool both = in_place_defined(facts_.collective);
        for (const LogRow& row : rows) {
            const std::int64_t wrong = row.out_of_place.wrong.value_or(0) + (both ? row.in_place.wrong.value_or(0) : 0);
            if (wrong > 0)
                run_.findings.add(Severity::failure, "LOG11", row.line,
                                  {"wrong elements in the result", "结果中有错误元素"},
                                  Message::same(fmt::format("{} B: #wrong {}", row.size, wrong)),
                                  {"the data are damaged, whatever the speed: find the link or memory at fault first",
                                   "数据已损坏，与性能无关：请先定位故障链路或显存"});
            for (const LogHalf* half : {&row.out_of_place, &row.in_place})
                if (half->error && *half->error > error_tolerance(row.type))
                    run_.findings.add(Severity::failure, "LOG11", row.line,
                                      {"the result deviates too much", "结果偏差过大"},
                                      Message::same(fmt::format("{} B: error {:g}", row.size, *half->error)));
        }
    }

    void judge_footer(const std::vector<LogRow>& good) {
        const bool refused_some = refused_ + run_.refused > 0;
        if (good.empty() && !run_.more_follows)
            run_.findings.add(run_.mixed_line > 0 ? Severity::note : Severity::warning, "LOG6", run_.header_line,
                              {"no usable row under this header", "该表头下没有可用的数据行"});
        if (run_.more_follows)
            return;
        if (!run_.footer_wrong && !run_.footer_average)
            run_.findings.add(Severity::warning, "LOG6", run_.last_line > 0 ? run_.last_line : run_.header_line,
                              {"the run has no footer: it was cut off, crashed, or is an excerpt",
                               "该段没有结尾行：被截断、运行中止或只是节选"});
        if (run_.footer_failed || run_.footer_wrong.value_or(0) > 0)
            run_.findings.add(Severity::failure, "LOG11", run_.footer_line,
                              {"the test reports values out of bounds", "测试报告数据越界"},
                              Message::same(fmt::format("Out of bounds values : {}", run_.footer_wrong.value_or(0))));
        if (run_.average_failed)
            run_.findings.add(
                Severity::warning, "LOG12", run_.footer_line,
                {"the test reports an average below NCCL_TESTS_MIN_BW", "测试报告平均带宽低于 NCCL_TESTS_MIN_BW"});
        if (!run_.footer_average || run_.mixed_line > 0)
            return;
        // In a scaled log nothing says whether the footer is scaled too.
        Printed average = *run_.footer_average;
        const double scale = std::pow(10.0, run_.columns.bandwidth_power());
        const Printed scaled = {average.value * scale, average.half_unit * scale};
        if (!run_.busbw.fits(average) && !run_.busbw.fits(scaled))
            run_.findings.add(Severity::warning, "LOG4", run_.footer_line,
                              {"the footer's average is not the mean of the busbw cells: rows are missing or altered",
                               "结尾平均值与 busbw 各值的均值不符：有行缺失或被改动"},
                              {fmt::format("footer {:g}, mean of {} cells {:.6g}{}", average.value, run_.busbw.cells,
                                           run_.busbw.mean(), refused_some ? "; rows were refused above" : ""),
                               fmt::format("结尾 {:g}，{} 个值的均值 {:.6g}{}", average.value, run_.busbw.cells,
                                           run_.busbw.mean(), refused_some ? "；上文有行未采用" : "")});
    }

    OpenRun& run_;
    const NcclLogOptions& options_;
    RunFacts facts_;
    std::optional<RankRange> range_;
    std::optional<FactorRange> factor_;
    bool cpu_time_ = false, use_time_ = true;
    std::int64_t refused_ = 0;
};

}  // namespace

FinishedRun finish_run(OpenRun&& run, const NcclLogOptions& options) {
    return Judge(run, options).finish();
}

}  // namespace gpuadapt::ingest

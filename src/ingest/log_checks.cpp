// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_checks.hpp"

#include <gpuadapt/core/perf_table.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gpuadapt::ingest {
namespace {

constexpr double kSlack = 1e-6;  ///< relative: the last bits of a division
constexpr double kStep = 0.01;   ///< GB/s, what two decimals resolve
constexpr int kMostRanks = 65536;

struct Interval {
    double low = 0;
    double high = 0;
    [[nodiscard]] bool meets(const Interval& other) const {
        const double slack = kSlack * std::max(std::abs(high), std::abs(other.high));
        return low <= other.high + slack && other.low <= high + slack;
    }
    [[nodiscard]] bool holds(double value) const {
        const double slack = kSlack * std::abs(value);
        return low <= value + slack && value <= high + slack;
    }
};

Interval printed(const Printed& number) {
    return {std::max(0.0, number.low()), number.high()};
}

/// What algbw was before it was rounded: what the printed one allows, narrowed by size / time.
Interval exact_algbw(std::int64_t size, const LogHalf& half, bool use_time) {
    Interval algbw = printed(*half.algbw);
    if (use_time && half.time && half.time->high() > 0) {
        const double bytes = static_cast<double>(size) / 1e3;  // per us, so that the quotient is GB/s
        const double low = bytes / half.time->high();
        const double high = half.time->low() > 0 ? bytes / half.time->low() : algbw.high;
        if (algbw.meets({low, high}))
            algbw = {std::max(algbw.low, low), std::min(algbw.high, high)};
    }
    return algbw;
}

/// busbw / algbw; nullopt where the digits allow nearly anything.
std::optional<Interval> factor_interval(std::int64_t size, const LogHalf& half, bool use_time) {
    constexpr double kWidest = 0.05;
    if (!half.algbw || !half.busbw)
        return std::nullopt;
    const Interval algbw = exact_algbw(size, half, use_time);
    const Interval busbw = printed(*half.busbw);
    if (algbw.low <= 0 || busbw.low < 0)
        return std::nullopt;
    const Interval factor = {busbw.low / algbw.high, busbw.high / algbw.low};
    if (factor.high - factor.low > kWidest * factor.high)
        return std::nullopt;
    return factor;
}

std::vector<Interval> factor_intervals(const std::vector<LogRow>& rows, bool use_time) {
    std::vector<Interval> intervals;
    for (const LogRow& row : rows)
        for (const LogHalf* half : {&row.out_of_place, &row.in_place})
            if (const auto factor = factor_interval(row.size, *half, use_time))
                intervals.push_back(*factor);
    return intervals;
}

FactorFit fit_of(const std::vector<Interval>& intervals, double factor) {
    FactorFit fit;
    fit.telling = static_cast<int>(intervals.size());
    for (const Interval& interval : intervals)
        if (interval.holds(factor))
            ++fit.fitting;
    return fit;
}

FactorFit fit_above_one(const std::vector<Interval>& intervals) {
    FactorFit fit;
    fit.telling = static_cast<int>(intervals.size());
    for (const Interval& interval : intervals)
        if (interval.low > 1 + kSlack)
            ++fit.fitting;
    return fit;
}

/// Most rows, and not by chance: a wrong number of ranks may fit a few wide intervals.
bool convincing(const FactorFit& fit) {
    return fit.telling > 0 && 3 * fit.fitting >= 2 * fit.telling;
}

}  // namespace

std::optional<double> log_bus_factor(const std::string& collective, int ranks) {
    if (ranks < 1)
        return std::nullopt;
    if (collective == "alltoallv")
        return bus_factor("alltoall", ranks);
    if (collective == "hypercube")
        return 1;
    const double factor = bus_factor(collective, ranks);
    return std::isnan(factor) ? std::nullopt : std::optional<double>(factor);
}

bool algbw_from_time(const std::string& collective, bool cpu_time) {
    return !cpu_time && collective != "hypercube";
}

bool algbw_fits(std::int64_t size, const LogHalf& half) {
    if (!half.time || !half.algbw)
        return true;
    if (half.time->high() <= 0)
        return false;
    const double bytes = static_cast<double>(size) / 1e3;
    const double high = half.time->low() > 0 ? bytes / half.time->low() : std::max(half.algbw->high(), bytes);
    return printed(*half.algbw).meets({bytes / half.time->high(), high});
}

bool busbw_fits(std::int64_t size, const LogHalf& half, const FactorRange& factor, bool use_time) {
    if (!half.algbw || !half.busbw)
        return true;
    const Interval algbw = exact_algbw(size, half, use_time);
    return printed(*half.busbw).meets({factor.low * algbw.low, factor.high * algbw.high});
}

double error_tolerance(const std::string& type) {
    if (type == "float")
        return 1e-4;
    if (type == "double")
        return 1e-8;
    return type == "half" || type == "bfloat16" ? 5e-2 : 0;
}

std::optional<std::int64_t> size_over_count(const LogRow& row) {
    const std::optional<int> bytes = type_bytes(row.type);
    if (!bytes || row.count <= 0 || row.count > row.size / *bytes)
        return std::nullopt;
    const std::int64_t chunk = row.count * *bytes;
    if (row.size % chunk != 0)
        return std::nullopt;
    return row.size / chunk;
}

bool counts_per_rank(const std::string& collective) {
    static constexpr std::array<std::string_view, 5> kNames = {"all_gather", "reduce_scatter", "alltoall", "gather",
                                                               "scatter"};
    return std::find(kNames.begin(), kNames.end(), collective) != kNames.end();
}

FactorFit factor_fit(const std::vector<LogRow>& rows, const std::string& collective, int ranks, bool use_time) {
    const std::optional<double> factor = log_bus_factor(collective, ranks);
    return factor ? fit_of(factor_intervals(rows, use_time), *factor) : FactorFit{};
}

std::optional<RankRange> ranks_by_factor(const std::vector<LogRow>& rows, const std::string& collective,
                                         bool use_time) {
    const std::optional<double> two = log_bus_factor(collective, 2);
    if (!two || two == log_bus_factor(collective, 3))
        return std::nullopt;
    const double limit = 2 * *two;  // factor = limit * (n - 1) / n, so n = limit / (limit - factor)
    const std::vector<Interval> intervals = factor_intervals(rows, use_time);
    std::vector<std::pair<int, int>> edges;  // number of ranks, +1 where an interval begins and -1 behind its end
    for (const Interval& interval : intervals) {
        const double low = limit / (limit - std::min(interval.low * (1 - kSlack), limit * (1 - 1e-12)));
        const double high = limit / (limit - std::min(interval.high * (1 + kSlack), limit * (1 - 1e-12)));
        const int first = static_cast<int>(std::ceil(std::clamp(low, 1.0, kMostRanks + 1.0)));
        const int last = static_cast<int>(std::floor(std::clamp(high, 1.0, static_cast<double>(kMostRanks))));
        if (first <= last) {
            edges.emplace_back(first, 1);
            edges.emplace_back(last + 1, -1);
        }
    }
    std::sort(edges.begin(), edges.end());
    FactorFit best;
    best.telling = static_cast<int>(intervals.size());
    std::optional<RankRange> range;
    int depth = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        depth += edges[i].second;
        const bool last_of_its_number = i + 1 == edges.size() || edges[i + 1].first != edges[i].first;
        if (!last_of_its_number || depth == 0 || depth < best.fitting)
            continue;
        const RankRange here = {edges[i].first, edges[i + 1].first - 1};
        range = depth == best.fitting && range ? RankRange{range->low, here.high} : here;
        best.fitting = depth;
    }
    return convincing(best) ? range : std::nullopt;
}

std::vector<std::string> possible_collectives(const std::vector<LogRow>& rows, bool use_time) {
    std::optional<std::int64_t> ratio;
    const LogRow* sample = nullptr;
    for (const LogRow& row : rows) {
        const auto own = size_over_count(row);
        if (!own)
            continue;
        if (ratio && *ratio != *own)
            return {};
        ratio = own;
        sample = &row;
    }
    const FactorFit above = fit_above_one(factor_intervals(rows, use_time));
    if (convincing(above))
        return {"all_reduce"};  // no other factor is above 1
    if (!sample)
        return {};
    const bool reduces = !sample->redop.empty() && sample->redop != "none";
    const bool rooted = sample->root && *sample->root >= 0;
    const FactorFit one = fit_of(factor_intervals(rows, use_time), 1);
    if (*ratio == 1) {
        if (one.telling == 0)
            return {};
        if (!convincing(one))
            return {};
        if (!reduces)
            return {rooted ? "broadcast" : "sendrecv"};
        if (rooted)
            return {"reduce"};
        // Two ranks: all_reduce, or mccl_tests' sendrecv, which also prints "sum" but is not checked in place.
        if (sample->in_place.wrong)
            return {"all_reduce"};
        return sample->out_of_place.wrong ? std::vector<std::string>{"sendrecv"}
                                          : std::vector<std::string>{"all_reduce", "sendrecv"};
    }
    if (reduces)
        return {"reduce_scatter"};
    if (rooted)
        return {"gather", "scatter"};
    // In place, alltoall is never checked: #wrong is N/A there and a number beside it.
    if (sample->out_of_place.wrong && !sample->in_place.wrong)
        return {"alltoall"};
    if (sample->out_of_place.wrong && sample->in_place.wrong)
        return {"all_gather"};
    return {"all_gather", "alltoall"};
}

void MeanBusbw::add(const LogRow& row) {
    for (const LogHalf* half : {&row.out_of_place, &row.in_place})
        if (half->busbw) {
            sum += half->busbw->value;
            half_units += half->busbw->half_unit;
            ++cells;
        }
}

bool MeanBusbw::fits(const Printed& average) const {
    if (cells == 0)
        return average.value == 0;
    const double reach = half_units / static_cast<double>(cells) + average.half_unit + kSlack * average.value;
    return std::abs(mean() - average.value) <= reach;
}

void even_decimals(std::vector<LogRow>& rows) {
    for (std::optional<Printed> LogHalf::*column : {&LogHalf::time, &LogHalf::algbw, &LogHalf::busbw}) {
        std::vector<Printed*> cells;
        for (LogRow& row : rows)
            for (LogHalf* half : {&row.out_of_place, &row.in_place})
                if (half->*column)
                    cells.push_back(&*(half->*column));
        std::sort(cells.begin(), cells.end(), [](const Printed* a, const Printed* b) { return a->value > b->value; });
        double finest = std::numeric_limits<double>::infinity();
        for (Printed* cell : cells) {
            finest = std::min(finest, cell->half_unit);
            cell->half_unit = finest;
        }
    }
}

void MeanBusbw::widen() {
    half_units = static_cast<double>(cells) * kStep / 2;
}

bool widen_scaled(std::vector<LogRow>& rows) {
    const auto coarse = [](const std::optional<Printed>& number) {
        return !number || std::abs(number->value / kStep - std::round(number->value / kStep)) < kSlack;
    };
    for (const LogRow& row : rows)
        for (const LogHalf* half : {&row.out_of_place, &row.in_place})
            if (!coarse(half->algbw) || !coarse(half->busbw))
                return false;
    for (LogRow& row : rows)
        for (LogHalf* half : {&row.out_of_place, &row.in_place})
            for (std::optional<Printed>* number : {&half->algbw, &half->busbw})
                if (*number)
                    (*number)->half_unit = kStep / 2;
    return true;
}

}  // namespace gpuadapt::ingest

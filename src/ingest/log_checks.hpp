// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ingest/log_columns.hpp"

#include <optional>
#include <string>
#include <vector>

/// The arithmetic that decides whether a row is what the program printed. All comparisons are of intervals: a printed
/// digit stands for everything that rounds to it.
namespace gpuadapt::ingest {

/// Bus factor also for the tests that are no collectives of ours (alltoallv, hypercube); nullopt for other names.
[[nodiscard]] std::optional<double> log_bus_factor(const std::string& collective, int ranks);

/// False for hypercube and for CPU times, where algbw is not size / time by definition.
[[nodiscard]] bool algbw_from_time(const std::string& collective, bool cpu_time);

/// algbw = size / time; true when a number is absent.
[[nodiscard]] bool algbw_fits(std::int64_t size, const LogHalf& half);

/// Inclusive; more than one value where the number of ranks is not certain.
struct FactorRange {
    double low = 0, high = 0;
};
/// busbw = factor * algbw, with the better of the printed algbw and (where `use_time`) size / time.
[[nodiscard]] bool busbw_fits(std::int64_t size, const LogHalf& half, const FactorRange& factor, bool use_time);

/// The float column of old versions is the largest relative deviation of a result: up to this it is rounding (5e-07),
/// above it wrong data (1e+00).
[[nodiscard]] double error_tolerance(const std::string& type);

/// Ranks by size = ranks * count * bytes; 1 where size is count * bytes. nullopt when it is neither.
[[nodiscard]] std::optional<std::int64_t> size_over_count(const LogRow& row);

/// True for the tests whose count column is per rank.
[[nodiscard]] bool counts_per_rank(const std::string& collective);

/// How well a number of ranks explains the busbw column of rows that can tell (narrow enough intervals).
struct FactorFit {
    int telling = 0;
    int fitting = 0;
};
[[nodiscard]] FactorFit factor_fit(const std::vector<LogRow>& rows, const std::string& collective, int ranks,
                                   bool use_time);

/// The numbers of ranks that explain the busbw column best, as an inclusive range; nullopt when the factor does not
/// depend on them, or nothing explains most rows.
struct RankRange {
    int low = 0, high = 0;
};
[[nodiscard]] std::optional<RankRange> ranks_by_factor(const std::vector<LogRow>& rows, const std::string& collective,
                                                       bool use_time);

/// What the columns say about a collective that nobody names. Several candidates: ambiguous.
[[nodiscard]] std::vector<std::string> possible_collectives(const std::vector<LogRow>& rows, bool use_time);

/// Mean of all busbw cells and how far rounding can have moved it.
struct MeanBusbw {
    double sum = 0;
    double half_units = 0;
    std::int64_t cells = 0;
    void add(const LogRow& row);
    void widen();  ///< every cell was rounded to 0.01 GB/s
    [[nodiscard]] bool fits(const Printed& average) const;
    [[nodiscard]] double mean() const { return cells == 0 ? 0 : sum / static_cast<double>(cells); }
};

/// Programs print small numbers with at least as many decimals as large ones. A cell with fewer has lost some ("396" of
/// "396.19"): it is taken as exact to the decimals of the column, so that the checks see the loss.
void even_decimals(std::vector<LogRow>& rows);

/// With -u 1 the log is in MB/s; a log whose values were rounded before they were scaled shows only multiples of
/// 0.01 GB/s. Widens the half units of such a run and returns true.
bool widen_scaled(std::vector<LogRow>& rows);

}  // namespace gpuadapt::ingest

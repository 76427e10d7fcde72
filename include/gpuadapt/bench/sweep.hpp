// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/bench/collectives.hpp>
#include <gpuadapt/bench/watchdog.hpp>
#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/table.hpp>
#include <gpuadapt/driver/backend.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpuadapt {

/// Which points are measured and how. Names in brackets are the options that errors speak of.
struct SweepPlan {
    std::vector<CollectiveKind> collectives;         ///< [--ops] outer order
    std::vector<int> counts;                         ///< [--gpus] inner order; count k is the first k ranks
    std::int64_t min_bytes = 32 << 20;               ///< [-b]
    std::int64_t max_bytes = 32 << 20;               ///< [-e]
    int step_factor = 2;                             ///< [-f] multiplies; 1: step_bytes is added instead
    std::int64_t step_bytes = 1 << 20;               ///< [-i]
    int iterations = 20;                             ///< [-n]
    int warm_up = 5;                                 ///< [-w] of each size and placement
    std::vector<DataType> types{DataType::float32};  ///< [-d]
    std::vector<ReduceOp> ops{ReduceOp::sum};        ///< [-o] of the collectives that reduce
    std::vector<int> roots{0};                       ///< [-r] of the collectives that have one
    int check_rounds = 1;                            ///< [-c] 0: data are not verified
    double point_limit_s = 300;                      ///< [--timeout] for one point; also for making a communicator
};

/// One row to be measured.
struct SweepPoint {
    CollectiveKind collective = CollectiveKind::all_reduce;
    int ranks = 0;
    DataType type = DataType::float32;
    std::optional<ReduceOp> op;  ///< nullopt where nothing is reduced
    int root = -1;               ///< -1: rootless
    std::int64_t requested_bytes = 0;
    CollectiveSizes sizes;
    bool operator==(const SweepPoint&) const = default;
};

struct SweepProgress {
    int done = 0;  ///< points
    int total = 0;
    std::string current;                      ///< "all_reduce, 4 ranks, 1M"; empty at the end
    std::optional<double> remaining_seconds;  ///< nullopt before the first point is measured
};

/// Where results go. Called on rank 0 of the world only, in the order of the points; empty functions are skipped.
/// A function that throws ends the sweep on all ranks.
struct SweepSink {
    std::function<void(const Table& table)> begin_table;  ///< without rows, before its first row
    std::function<void(const Table& table, const Row& row)> row;
    std::function<void(const Finding& finding)> finding;
    std::function<void(const SweepProgress& progress)> progress;
    /// Asked before each point; true leaves it out (a sweep that goes on after an interruption).
    std::function<bool(const SweepPoint& point)> already_measured;
    /// Asked before each point; true ends the sweep on all ranks with Error(interrupted) (a signal came).
    std::function<bool()> stop;
};

/// The watchdog's end of the job, called on the rank that waits too long (see Watchdog). The first `awaited` ranks of
/// the world were to come within the same limit, so that each of them that is alive calls this at about the same time.
/// 0: the others have longer limits.
using SweepExpired = std::function<void(const Message& text, int awaited)>;

/// Throws Error(input) that names the option and the way out when the plan cannot be run over `world_size` ranks.
void validate(const SweepPlan& plan, int world_size);

/// Requested sizes in order: min, then by factor or step up to max.
[[nodiscard]] std::vector<std::int64_t> requested_sizes(const SweepPlan& plan);

/// The points of one collective and count in order, without those of size 0 and those whose real size repeats the one
/// before; `skipped` gets these.
[[nodiscard]] std::vector<SweepPoint> sweep_points(const SweepPlan& plan, const Collective& collective, int ranks,
                                                   std::vector<SweepPoint>* skipped = nullptr);

/// The largest message in bytes for which two buffers a rank fit into 7/8 of what is available; where the memory is the
/// host's, its ranks share it. nullopt: not known.
[[nodiscard]] std::optional<std::int64_t> memory_limit_bytes(const BackendMemory& memory, int ranks_on_host);

/// Measures all points of the plan. Collective over `world`; ranks beyond the count of a point sleep meanwhile.
/// A wrong element is a number in its row, not an error. Ends early by Error on all ranks.
void run_sweep(const SweepPlan& plan, Backend& backend, Group& world, const SweepSink& sink,
               const SweepExpired& expired);

/// Where each rank runs, on rank 0; empty on the others. Collective.
[[nodiscard]] std::vector<RankPlace> rank_places(Group& world);

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/stats.hpp>
#include <gpuadapt/core/table.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The columns of a table of collective measurements: what bench and ingest write, and check and report read.
/// Definitions are nccl-tests' (doc/PERFORMANCE.md there): GB is 1e9 bytes; time is the mean over ranks.
namespace gpuadapt {

/// One half of a row: out of place or in place. All absent: not measured.
struct PerfHalf {
    std::optional<double> time_us;
    std::optional<double> algbw_gb_s;
    std::optional<double> busbw_gb_s;
    std::optional<std::int64_t> wrong;  ///< wrong elements over all ranks; nullopt: not checked or not defined
    std::optional<Summary> spread_us;   ///< of single operations over all ranks and iterations
    std::vector<double> rank_mean_us;   ///< one value a rank, from the timed run
    bool operator==(const PerfHalf&) const = default;
};

struct PerfPoint {
    std::optional<std::int64_t> requested_bytes;  ///< nullopt in a log, which only tells the real size
    std::int64_t size_bytes = 0;                  ///< max(send, receive) after rounding
    std::optional<std::int64_t> count;            ///< elements as nccl-tests counts them (per rank where it does)
    std::string type;                             ///< "bfloat16"
    std::string redop;                            ///< "sum", "none"; empty where a log's cell is empty
    std::optional<int> root;                      ///< -1: rootless; nullopt where a log has no such column
    std::optional<double> kernel_us;              ///< mccl_tests' column (MX_TRACER_ENABLED_MCPTI=ON)
    PerfHalf out_of_place, in_place;
    bool operator==(const PerfPoint&) const = default;
};

/// An empty table of id "perf/<collective>/<ranks>" with labels "collective" and "ranks". `collective` is the short
/// name ("all_reduce").
[[nodiscard]] Table make_perf_table(const std::string& collective, int ranks);
[[nodiscard]] bool is_perf_table(const Table& table);
[[nodiscard]] Row perf_row(const PerfPoint& point);
/// The point of a row; throws Error(input) when the table lacks the columns or the row is too short.
[[nodiscard]] PerfPoint perf_point(const Table& table, const Row& row);

/// False for the in-place half of alltoall and sendrecv, which is timed but not a valid operation.
[[nodiscard]] bool in_place_defined(const std::string& collective);

/// busbw / algbw; NaN for a name that is no collective. 0 where n = 1 leaves nothing to move.
[[nodiscard]] double bus_factor(const std::string& collective, int ranks);

}  // namespace gpuadapt

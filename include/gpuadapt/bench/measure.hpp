// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/bench/collectives.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/driver/backend.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gpuadapt {

/// How operations are timed.
struct MeasureOptions {
    int iterations = 20;
    int warm_up = 5;       ///< operations of this size and placement before the timed run
    int check_rounds = 1;  ///< 0: data are filled, but not verified
    /// nccl-tests moves the buffers from one iteration to the next, so that small sizes do not live in one cache line.
    bool shift_buffers = true;
    /// A barrier before each operation, outside of its time (OSU's method). The time is the mean of the operations.
    bool barrier_each = false;
    /// Below this mean, time stamps would change what they measure: single operations are then timed in a second run.
    double stamp_threshold_us = 200;
    std::chrono::milliseconds limit{300'000};  ///< of one wait for a device
    int verify_threads = 1;                    ///< compare large results with so many
};

/// What is measured: one collective at one size.
struct MeasureCase {
    const Collective* collective = nullptr;
    CollectiveSizes sizes;
    DataType type = DataType::float32;
    ReduceOp op = ReduceOp::sum;
    int root = 0;
    bool in_place = false;
};

/// Two buffers of each rank, large enough for the largest message of a series.
struct MeasureBuffers {
    Buffer send, recv;
    std::size_t max_bytes = 0;  ///< the range over which the shift moves: the series' largest message
};

/// Collective over the ranks of `group`, which are those of `communicator`: fills, warms up, times, verifies.
/// All ranks get the same PerfHalf, but only rank 0 its spread. `salt` must differ from call to call and be the same on
/// all ranks; data of one call then never pass for those of another. Throws Error when the library fails or data cannot
/// be moved; data errors are PerfHalf::wrong.
[[nodiscard]] PerfHalf measure_half(const MeasureCase& what, const MeasureOptions& options, Backend& backend,
                                    Communicator& communicator, Group& group, MeasureBuffers& buffers,
                                    std::uint64_t salt);

/// algbw and busbw in GB/s (1e9 bytes) of one operation that takes `time_us`.
struct Bandwidth {
    double algorithm_gb_s = 0;
    double bus_gb_s = 0;
};
[[nodiscard]] Bandwidth bandwidth(const Collective& collective, std::int64_t count, DataType type, int ranks,
                                  double time_us);

/// The time of single operations on this rank in microseconds, in order, by the method of `options`. Collective.
[[nodiscard]] std::vector<double> operation_times_us(const MeasureCase& what, const MeasureOptions& options,
                                                     Communicator& communicator, Group& group, MeasureBuffers& buffers);

}  // namespace gpuadapt

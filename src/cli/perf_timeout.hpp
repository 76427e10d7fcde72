// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/record.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace gpuadapt::cli {

/// Ranks that wait for the same one say so within this. One that says it later was stopped and is on its way out:
/// MPI_Abort lets mpirun wake such processes.
constexpr std::chrono::seconds kTimeToSayIt{1};

/// What a rank says whose watchdog has ended a measurement.
struct TimeOut {
    int rank = 0;
    int awaited = 0;  ///< as SweepExpired has it
    Message text;     ///< "rank 0 (host a): all_reduce, 2 ranks, 1M in place has taken more than 300 s"
    bool operator==(const TimeOut&) const = default;
};

/// What the ranks have said, at least one, as one Finding: all that were awaited say so when they wait; one that did
/// not has not come, and is the subject. `places` (may be empty) give its host.
[[nodiscard]] Finding time_out_finding(const std::vector<TimeOut>& said, const std::vector<RankPlace>& places);

/// Empty where it is not known.
[[nodiscard]] std::string host_of(int rank, const std::vector<RankPlace>& places);

}  // namespace gpuadapt::cli

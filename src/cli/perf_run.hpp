// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/perf_options.hpp"
#include "cli/perf_receiver.hpp"
#include "cli/session.hpp"

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/host/root.hpp>

/// The three ways in which `perf` runs: it starts mpirun, it is one of the ranks, or it measures alone.
namespace gpuadapt::cli {

/// Set by us for the ranks that we start: rank 0 then sends its lines to stdout, each behind kLineMark.
inline constexpr const char* kRankVariable = "GPUADAPT_RANK";
inline constexpr char kLineMark = '\x1e';  // RFC 7464's record separator: no line of another program begins so

/// A Record with everything that is known before the measurement.
[[nodiscard]] Record start_record(const Session& session, const Machine* machine);

/// Says what is measured: host memory, which is all that this version can. Throws Error(tool) where GPUs were asked
/// for.
void say_backend(const Session& session, const PerfOptions& options, const Machine& machine);

/// More ranks than cores on a host; nullopt where there are enough.
[[nodiscard]] std::optional<Finding> oversubscription(const std::string& host, int ranks, int cores);

/// Where the record goes: --out ("-" is stdout), or perf-TIME.json here.
[[nodiscard]] std::string record_path(const PerfOptions& options);

/// perf_launch.cpp: starts mpirun and follows it to its end.
int run_launcher(Session& session, const PerfOptions& options, const SweepPlan& plan, Root& root,
                 const Machine& machine);

/// perf_rank.cpp: this process is a rank of `mpirun` or `srun`, ours or somebody else's.
int run_rank(Session& session, const PerfOptions& options, SweepPlan plan, Root& root);

/// perf_rank.cpp: one rank, no MPI.
int run_alone(Session& session, const PerfOptions& options, const SweepPlan& plan, Root& root, const Machine& machine);

}  // namespace gpuadapt::cli

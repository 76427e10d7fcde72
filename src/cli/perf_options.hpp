// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"

#include <gpuadapt/bench/sweep.hpp>
#include <gpuadapt/report/nccl_log_writer.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuadapt::cli {

/// Options of `perf` as they were typed. The defaults are the guide's.
struct PerfOptions {
    std::string gpus;  ///< empty: all that there are
    std::string ops = "all";
    std::string min_bytes = "1K";
    std::string max_bytes = "2G";
    std::string step_factor = "2";
    std::string step_bytes;  ///< given: additive
    int iterations = 100;
    int warm_up = 5;
    int check = 1;
    std::string types = "bfloat16";
    std::string redops = "sum";
    int root = 0;
    double timeout_s = 300;
    std::string backend = "auto";
    std::string out;
    std::string log_form = "nccl";
    std::string mpirun;
    std::optional<int> slots;
};

void add_perf_options(CLI::App& app, PerfOptions& options, Lang lang);

/// The plan that the options describe; `counts` is empty where --gpus is not given.
/// Throws Error(input) that names the option, what is wrong with it and what it takes.
[[nodiscard]] SweepPlan make_plan(const PerfOptions& options);

/// Throws Error(input) when no size of a valid plan is left after rounding, for any collective and count: it would
/// measure nothing.
void require_points(const SweepPlan& plan);

/// The effective values, as the Record keeps them.
[[nodiscard]] std::map<std::string, std::string> plan_parameters(const SweepPlan& plan);

[[nodiscard]] report::LogForm log_form(const PerfOptions& options);

}  // namespace gpuadapt::cli

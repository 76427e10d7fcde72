// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/root.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpuadapt {

/// Beginnings of names ("NCCL_") and whole names (no '_' at the end) that Root::environment() gives out.
[[nodiscard]] std::span<const std::string_view> environment_names();

/// True for a variable that Root::environment() gives out: one of the above, and not one that mpirun or Slurm sets
/// for each rank (OMPI_COMM_WORLD_RANK and the like say nothing about the machine).
[[nodiscard]] bool is_tuning_variable(std::string_view name);

/// The variables of this process for which that holds. Values are cleaned to UTF-8.
[[nodiscard]] Environment tuning_environment();

/// $HOME; nullopt where it is not set to an absolute path.
[[nodiscard]] std::optional<std::string> home_folder();

}  // namespace gpuadapt

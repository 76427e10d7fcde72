// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/table.hpp>

#include <optional>
#include <vector>

namespace gpuadapt::cli {

/// A warning (SOURCE3) when the machine that fills the form is not one of those that a run was made on: another CPU
/// model, other GPUs. nullopt also where one of the two does not know its own.
[[nodiscard]] std::optional<Finding> other_machine(const std::vector<HostMachine>& measured, const Machine& given);

/// The same for a run of a log, by the hosts and GPUs that its header names.
[[nodiscard]] std::optional<Finding> other_machine(const Table& measured, const Machine& given);

}  // namespace gpuadapt::cli

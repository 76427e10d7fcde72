// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/host/root.hpp>

#include <string>
#include <vector>

namespace gpuadapt {

/// What the machine behind `root` is. Reads files, asks the management library of the GPUs
/// that are there (driver/management.hpp) and their vendor's tool; needs no privilege: what is absent stays
/// nullopt, and what is there but could not be read is listed in Machine::unread. `only` names probes of kProbes
/// (probes.hpp) to run instead of all; one that another of them needs is run too. An unknown name throws Error(input).
/// A probe that fails is an Unread entry with path "probe NAME"; the others go on.
[[nodiscard]] Machine probe_machine(Root& root, const std::vector<std::string>& only = {});

}  // namespace gpuadapt

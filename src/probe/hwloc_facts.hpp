// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/host/root.hpp>

#include <optional>

namespace gpuadapt {

/// What hwloc finds on the machine behind `root`: sockets, cores, threads, NUMA nodes with their memory, PCI devices.
/// On a recording what hwloc said then; hwloc itself reads the live machine only, never a tree that somebody sent.
/// nullopt when it could not read the machine, or was not asked. Throws Error(input) for a recorded answer that is
/// damaged.
[[nodiscard]] std::optional<Machine> hwloc_machine(Root& root);

}  // namespace gpuadapt

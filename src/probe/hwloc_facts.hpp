// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/host/root.hpp>

namespace gpuadapt {

/// What hwloc finds on the machine behind `root`: sockets, cores, threads, NUMA nodes with their memory, PCI devices.
/// On a recording what hwloc said then; hwloc itself reads the live machine only, never a tree that somebody sent.
/// Empty when it could not read the machine.
[[nodiscard]] Machine hwloc_machine(Root& root);

}  // namespace gpuadapt

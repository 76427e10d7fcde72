// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/host/root.hpp>

#include <string>
#include <vector>

namespace gpuadapt {

/// "/sys/devices/system/cpu/cpu7/"
[[nodiscard]] std::string cpu_folder(int cpu);

/// Online CPUs; those with a folder where the kernel does not say.
[[nodiscard]] std::vector<int> online_cpus(Root& root, Cpu& cpu);

/// Sockets, cores and threads, where the kernel knows them; needs the architecture, the vendor and the offline CPUs.
void probe_topology(Root& root, const std::vector<int>& cpus, Cpu& cpu);

/// Sizes of the caches that the first CPU has, and how many of the last level there are.
void probe_caches(Root& root, const std::vector<int>& cpus, Cpu& cpu);

}  // namespace gpuadapt

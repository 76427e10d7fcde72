// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/host/root.hpp>

/// The functions of the rows of kProbes. Each fills its part of the machine.
namespace gpuadapt {

void probe_dmi(Root& root, Machine& machine);
void probe_cpu(Root& root, Machine& machine);
void probe_numa(Root& root, Machine& machine);
void probe_memory(Root& root, Machine& machine);
void probe_os(Root& root, Machine& machine);
void probe_pci(Root& root, Machine& machine);
void probe_switch_links(Root& root, Machine& machine);
void probe_gpu(Root& root, Machine& machine);
void probe_gpu_topology(Root& root, Machine& machine);
void probe_vendor_topology(Root& root, Machine& machine);
void probe_net(Root& root, Machine& machine);
void probe_rdma(Root& root, Machine& machine);
void probe_net_tools(Root& root, Machine& machine);
void probe_versions(Root& root, Machine& machine);
void probe_libraries(Root& root, Machine& machine);
void probe_settings(Root& root, Machine& machine);
void probe_environment(Root& root, Machine& machine);

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <string>
#include <string_view>

/// Readers of foreign_readers(); see ForeignReader::read.
namespace gpuadapt {

bool machine_from_lspci(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
bool machine_from_dmidecode(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
bool machine_from_lscpu(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
bool machine_from_numactl(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
bool machine_from_nvidia_smi(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
bool machine_from_mx_smi(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
bool machine_from_topology_matrix(std::string_view raw, std::string_view text, const std::string& name,
                                  Machine& machine);
bool machine_from_rocm_smi(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
bool machine_from_rdma_state(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
/// /proc/cpuinfo, /proc/meminfo, /proc/cmdline
bool machine_from_proc(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);
/// The binary table, alone or as `dmidecode --dump-bin` writes it.
bool machine_from_smbios(std::string_view raw, std::string_view text, const std::string& name, Machine& machine);

/// Puts a note that two sources disagree.
void note_disagreement(Machine& machine, const std::string& path, const std::string& first, const std::string& second);

}  // namespace gpuadapt

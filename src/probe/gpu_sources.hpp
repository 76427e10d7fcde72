// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/host/root.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Where facts about GPUs come from: the vendor's management library, else the vendor's tool.
namespace gpuadapt {

/// A chip that pci.ids does not name.
struct GpuChip {
    int device_id;
    std::string_view model;
};

struct GpuVendor {
    int pci_id;
    std::string_view id;  ///< Gpu::vendor
    std::vector<GpuChip> chips;
    std::string_view library;                 ///< id of the management library; empty: none is known
    std::vector<std::string_view> programs;   ///< of the tool, tried in this order
    std::vector<std::string_view> questions;  ///< its arguments, asked when the library gave nothing
    Machine (*read)(std::string_view text);   ///< of all answers one after the other
    std::string_view topology;                ///< arguments that print the matrix
};

[[nodiscard]] std::span<const GpuVendor> gpu_vendors();

/// Those with a device in `machine`, in the order of the table.
[[nodiscard]] std::vector<const GpuVendor*> present_vendors(const Machine& machine);

/// The first program of the vendor's tool that is installed, run with these arguments; it has 30 s.
[[nodiscard]] CommandResult run_gpu_tool(Root& root, const GpuVendor& vendor, std::string_view arguments);

/// Why a tool that is there gave no answer, for people.
[[nodiscard]] std::string failure_of(const CommandResult& result);

/// What the vendor's library says, and what the tool says. Only gpus, versions and unread are filled, and `sources`
/// under "gpus" when there is a GPU.
[[nodiscard]] Machine library_facts(Root& root, const GpuVendor& vendor);
[[nodiscard]] Machine tool_facts(Root& root, const GpuVendor& vendor);

/// Fills what `machine` does not know yet; GPUs are the same when their addresses are. The model is replaced: pci.ids
/// knows only the chip.
void merge_gpu_facts(Machine& machine, const Machine& facts);

}  // namespace gpuadapt

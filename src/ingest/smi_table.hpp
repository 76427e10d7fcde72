// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The framed tables that nvidia-smi and mx-smi print without options. Their columns differ from version to version;
/// what stands in them tells by its form what it is, so no column is counted.
namespace gpuadapt::ingest {

/// A text with such a table: a framed line with a PCI address, and "A / B MiB" below it.
[[nodiscard]] bool has_smi_table(std::string_view text);

/// The devices, in the order of the text, without processes.
[[nodiscard]] std::vector<Gpu> read_smi_table(std::string_view text, std::string_view vendor);

/// The rows of the table of processes, by the index of their GPU.
[[nodiscard]] std::map<int, std::vector<GpuProcess>> read_smi_processes(std::string_view text);

/// Moves the processes of `gpu` to it: only one GPU can have an index.
void take_processes(std::map<int, std::vector<GpuProcess>>& processes, Gpu& gpu);

/// What follows `key` in a framed line, up to the next two blanks or '|': "3.8.30" for "Kernel Mode Driver Version: ".
[[nodiscard]] std::optional<std::string> header_value(std::string_view text, std::string_view key);

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/core/table.hpp>
#include <gpuadapt/core/text.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Views for the terminal. Each returns whole lines that are at most `width` terminal columns wide.
namespace gpuadapt::report {

struct TextStyle {
    Lang lang = Lang::en;
    std::size_t width = 80;  ///< at least 40 is used
    bool unicode = true;     ///< false: the locale is not UTF-8; all is English and ASCII
    bool color = false;      ///< ANSI colours
};

/// One screen for `probe`: system, CPU, memory, NUMA, OS, GPUs, network, the PCI tree above them, and what could not
/// be read and why.
[[nodiscard]] std::string machine_summary(const Machine& machine, const TextStyle& style);

/// The PCI devices of interest (GPUs, network, storage, accelerators) below their bridges, with negotiated and capable
/// link. Equal neighbours are folded.
[[nodiscard]] std::string pci_tree(const Machine& machine, const TextStyle& style);
/// How many PCI functions the tree does not draw, by kind; nullopt when it draws all.
[[nodiscard]] std::optional<Message> other_pci_devices(const Machine& machine);

/// Worst first, `ok` left out; evidence and advice indented below each title.
[[nodiscard]] std::string findings_list(const std::vector<Finding>& findings, const TextStyle& style);

/// A line a collective and count: time of the smallest size, peak bus bandwidth and its size, wrong elements, and the
/// rank with the longest mean time at the largest size.
[[nodiscard]] std::string perf_summary(std::span<const Table> tables, const TextStyle& style);

/// "38 evaluated, 4 unknown, 12 not applicable"; unknown ones with their reason when `findings` has them.
[[nodiscard]] std::string coverage_line(const Coverage& coverage, const std::vector<Finding>& findings,
                                        const TextStyle& style);

}  // namespace gpuadapt::report

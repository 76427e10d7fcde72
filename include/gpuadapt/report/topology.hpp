// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/report/text.hpp>

#include <string>

/// How GPUs and network devices hang together, in the forms that people and libraries read. All follow from
/// topology_of(machine); the same Machine gives the same bytes.
namespace gpuadapt::report {

/// Tree, matrix with legend, uplinks, the slowest link and the nearest network devices of each GPU, and where the
/// vendor's matrix differs; that matrix itself where there is none of our own. Lines are at most `style.width` wide; a
/// wide matrix is folded.
[[nodiscard]] std::string topology_text(const Machine& machine, const TextStyle& style);

/// A picture (SVG 1.1, no scripts, no links): packages, NUMA nodes, root complexes, switches and devices from left to
/// right, lines as thick as their links are wide, GPUs with direct links joined at the right edge.
/// Call it where has_picture(): else only a title is left of it.
[[nodiscard]] std::string topology_svg(const Machine& machine, Lang lang);

/// Some device has a place in the picture: false where no PCI devices were read.
[[nodiscard]] bool has_picture(const Machine& machine);

/// NCCL's topology file (NCCL_TOPO_FILE, <system version="1">). As in NCCL's own dump, a switch is its upstream port,
/// and a link has the lower capability of its two ends. What is not known (compute capability, GUID, ranks) is left
/// out: NCCL fills it in when it loads the file.
[[nodiscard]] std::string nccl_topology(const Machine& machine);

}  // namespace gpuadapt::report

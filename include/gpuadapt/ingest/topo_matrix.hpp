// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <optional>
#include <string_view>

namespace gpuadapt::ingest {

/// Reads `nvidia-smi topo -m`, `mx-smi topo -m` and `-n`, `rocm-smi --showtopo`: as printed, with colours, as a
/// Markdown table, several matrices below or beside each other, in the middle of other text, cut anywhere. Fills
/// `names`, `cells` (row by row; the diagonal is "X"; a row that was cut is shorter, a row that is missing is empty)
/// and `legend` ("NIC0" -> "mlx5_0"); `tool` and `text` stay empty. Of rocm-smi's matrices that of the link types is
/// taken, else the first one. nullopt: there is no such matrix; one of capabilities (`topo -p2p`) is none. Takes any
/// bytes.
[[nodiscard]] std::optional<TopologyMatrix> read_topology_matrix(std::string_view text);

}  // namespace gpuadapt::ingest

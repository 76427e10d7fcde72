// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/topology.hpp>

#include <string>
#include <utility>
#include <vector>

/// What text, picture and sheet say of a Topology.
namespace gpuadapt::report {

using Cells = std::vector<std::vector<std::string>>;

struct TreeLine {
    std::string prefix;  ///< "│  ├─ "
    Message text;
};

/// Children of a node; neighbours that are alike but for their address (NVMe disks) together.
[[nodiscard]] std::vector<std::vector<std::size_t>> folded_children(const Machine& machine, const Topology& topology,
                                                                    std::size_t node);

/// One line a node. Children that are folded share one.
[[nodiscard]] std::vector<TreeLine> tree_lines(const Machine& machine, const Topology& topology);

/// "switch 0000:10:00.0, Gen5 x16"
[[nodiscard]] Message node_text(const Machine& machine, const Topology& topology, std::size_t node);
/// Number of the chip with several uplinks that a switch is part of, from 1.
[[nodiscard]] std::optional<std::size_t> chip_of(const Topology& topology, std::size_t node);
/// What a device is called, without its address: "GPU0 MetaX C500".
[[nodiscard]] std::string device_title(const Machine& machine, const Topology& topology, std::size_t node);

/// The matrix with a head row and a head column.
[[nodiscard]] Cells matrix_cells(const Topology& topology);

/// The codes that occur in the matrix, with their meaning.
[[nodiscard]] std::vector<std::pair<std::string, Message>> class_legend(const Topology& topology);
/// "mlx5_0" of NIC0, where a name is known.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> end_legend(const Topology& topology);

/// Rows under kUplinkHead; absent numbers as `unread`.
[[nodiscard]] Cells uplink_rows(const Topology& topology, const std::string& unread);
inline constexpr Text kUplinkHead[] = {{"Uplink", "上行口"},
                                       {"GPUs", "GPU"},
                                       {"GPUs GB/s", "GPU合计GB/s"},
                                       {"Uplink GB/s", "上行GB/s"},
                                       {"Ratio", "收敛比"}};

/// Rows under kGpuPathHead, one a GPU.
[[nodiscard]] Cells gpu_path_rows(const Topology& topology, const std::string& unread);
inline constexpr Text kGpuPathHead[] = {
    {"GPU", "GPU"}, {"Slowest link", "最慢链路"}, {"GB/s", "GB/s"}, {"Nearest NICs", "最近网卡"}};

[[nodiscard]] Message reason_text(DifferenceReason reason);
/// A direct link inside an island of direct_islands().
[[nodiscard]] const PairLink& island_link(const Topology& topology, const std::vector<std::size_t>& island);
/// "MetaXLink", of a class of direct links.
[[nodiscard]] std::string_view direct_link_name(LinkClass kind);
/// "mx-smi topo -m: 28 pairs compared, 4 differ"
[[nodiscard]] Message comparison_text(const TopologyMatrix& theirs, const TopologyComparison& comparison);

/// Chips with several uplinks, one line each.
[[nodiscard]] std::vector<Message> chip_notes(const Topology& topology);
/// What must be said below the matrix: unread direct links, chips with several uplinks.
[[nodiscard]] std::vector<Message> topology_notes(const Topology& topology);

/// "2x4 MetaXLink x16, 4 switch", as the environment form has it; nullopt without GPUs.
[[nodiscard]] std::optional<Message> topology_in_short(const Machine& machine, const Topology& topology);

}  // namespace gpuadapt::report

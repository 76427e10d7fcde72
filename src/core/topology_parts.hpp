// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/topology.hpp>

/// The steps of topology_of(), each on what the earlier ones have filled in.
namespace gpuadapt::topology {

/// `nodes` and `ends` (topology_tree.cpp).
void add_tree(const Machine& machine, Topology& topology);
/// `chips`, `links` and `direct_links_read` (topology_links.cpp).
void add_links(const Machine& machine, Topology& topology);

/// The root complex above a node; nullopt when its place is not known.
[[nodiscard]] std::optional<std::size_t> root_complex_of(const Topology& topology, std::size_t node);
/// The switch above a node that is next to the root complex; nullopt without one.
[[nodiscard]] std::optional<std::size_t> top_bridge_of(const Topology& topology, std::size_t node);

}  // namespace gpuadapt::topology

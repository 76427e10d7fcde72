// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>
#include <gpuadapt/ingest/rdma_words.hpp>

#include <span>
#include <string_view>

namespace gpuadapt::ingest {

/// Files of /sys/class/net/X (Documentation/ABI/testing/sysfs-class-net): "address", "mtu", "bonding/mode" ... A speed
/// of -1 is a value, though no fact: the driver does not know it.
[[nodiscard]] std::span<const FactFile<NetInterface>> interface_files();

/// Files below /sys/class/net/X/ecn, of the mlx5 driver that comes with OFED: "roce_np/enable/3", "roce_np/cnp_dscp"
/// ... False when there is no such file or `value` is none of its values.
bool take_ecn_file(std::string_view name, std::string_view value, NetInterface& interface);

}  // namespace gpuadapt::ingest

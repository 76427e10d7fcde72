// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// What the tools for RDMA devices and network cards print, as facts of a Machine. A text may hold several outputs, of
/// several tools, cut anywhere and with other lines between them; each line is recognised by itself or by the heading
/// above it:
///   ibstat, ibstatus, ibv_devinfo (also -v), ibdev2netdev (also -v), show_gids, perfquery (also -x),
///   rdma link | dev | res | statistic (also of old versions), ethtool (also -i, -S, -m), mlnx_qos -i,
///   files of /sys/class/infiniband and /sys/class/net as "PATH:VALUE" (grep) or below "==> PATH <==" (head, tail),
///   and the kernel's messages about firmware and PCIe bandwidth of a network card.
namespace gpuadapt::ingest {

struct RdmaState {
    /// Ascending by name. Name "" and port number 0: the text does not say whose facts these are (a few lines that
    /// were cut out, a grep); one entry for each set of facts that can belong together.
    std::vector<RdmaDevice> devices;
    std::vector<NetInterface> interfaces;  ///< the same; only what the text says is filled
    /// Ends of PCIe links that the kernel names as the brake of a network card, ascending by address.
    std::vector<PciDevice> pci_devices;
    std::set<std::string> tools;              ///< whose output was found: "ibstat", "sysfs", "kernel log" ...
    std::vector<std::string> disagreements;   ///< said twice and differently; the first one counts. At most 100
    std::int64_t lines = 0;                   ///< without empty ones
    std::vector<std::string> not_understood;  ///< the first 100 of the lines that no reader took
    std::int64_t not_understood_count = 0;
};

/// Takes any bytes and never throws on them; time and memory are linear in their number.
[[nodiscard]] RdmaState read_rdma_state(std::string_view text);

/// True when at least one of these outputs is in `text`.
[[nodiscard]] bool looks_like_rdma_state(std::string_view text);

}  // namespace gpuadapt::ingest

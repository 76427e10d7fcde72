// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// How GPUs, network devices and NVMe disks hang together: what follows from a Machine, computed and never stored.
namespace gpuadapt {

/// How two ends reach each other. The PCIe classes are those of `nvidia-smi topo -m` and `mx-smi topo -m`, best first.
enum class LinkClass {
    self,
    nvlink,     ///< NVn: n links up
    metaxlink,  ///< MXn
    xgmi,       ///< AMD
    pix,        ///< at most one switch
    pxb,        ///< several switches, no host bridge
    dual,       ///< two uplinks of one switch chip: the tree shows two switches, a copy may stay in the chip
    phb,        ///< through a host bridge
    node,       ///< through host bridges of one NUMA node
    sys,        ///< between NUMA nodes
    unknown,    ///< the tree does not tell
};

struct PairLink {
    LinkClass kind = LinkClass::unknown;
    LinkClass pcie = LinkClass::unknown;  ///< what the PCIe tree alone says: pix, pxb, phb, node, sys or unknown
    std::optional<int> links;             ///< of nvlink, metaxlink, xgmi
    /// Are the two topmost switches parts of one chip? nullopt: cannot be told, mostly because their serial numbers
    /// (extended configuration space) were not read.
    std::optional<bool> one_chip = false;
    bool operator==(const PairLink&) const = default;
};

/// "X", "NV18", "MX", "PIX", "DUAL", ... "?" for unknown; "NODE?" where one_chip cannot be told.
[[nodiscard]] std::string link_code(const PairLink& link);

enum class TopologyKind { machine, package, numa, root_complex, bridge, gpu, nic, nvme };

/// A node of the tree. A switch is one node (kind bridge, its upstream port); its downstream ports, and root ports, are
/// the `port` of what hangs below.
struct TopologyNode {
    TopologyKind kind = TopologyKind::machine;
    std::optional<int> number;          ///< of a package or NUMA node
    std::string address;                ///< of a device or upstream port; "0000:c0" of a root complex; else empty
    std::string label;                  ///< "GPU0", "NIC1": the names of the matrix; else empty
    std::string port;                   ///< address of the root or downstream port above; empty: directly on the bus
    std::optional<std::size_t> device;  ///< index in Machine::pci_devices
    /// The link above, one direction: rate x width x encoding. Width as negotiated; speed as negotiated, but that of a
    /// GPU that is slower than both ends can do counts with what they can: GPUs slow their link down when idle.
    std::optional<double> gbyte_s;
    std::optional<std::size_t> parent;  ///< nullopt: the machine
    std::vector<std::size_t> children;  ///< ascending: packages, NUMA nodes, root complexes, addresses
    bool operator==(const TopologyNode&) const = default;
};

/// A GPU or a network device of the matrix.
struct TopologyEnd {
    std::string label;    ///< "GPU0": the index of the vendor's tools, else the place in the order of addresses; "NIC0"
    std::string name;     ///< mlx5_0, eth0; model of a GPU; empty when not known
    std::string address;  ///< PCI address; empty when not known
    std::optional<std::size_t> node;  ///< in Topology::nodes
    std::optional<int> numa;
    bool operator==(const TopologyEnd&) const = default;
};

/// Upstream ports that are parts of one switch chip.
struct SwitchChip {
    std::vector<std::size_t> bridges;  ///< nodes, at least two
    std::string serial_number;         ///< that they share; empty when the kernel's pci_switch_link says so
    bool operator==(const SwitchChip&) const = default;
};

/// A switch with GPUs below it, and what its uplink can carry.
struct Uplink {
    std::size_t bridge = 0;                ///< node
    std::vector<std::size_t> gpus;         ///< ends
    std::optional<double> gpu_gbyte_s;     ///< sum of the GPUs' links
    std::optional<double> uplink_gbyte_s;  ///< its own link
    std::optional<double> ratio;  ///< gpu / uplink: above 1, the GPUs together can ask for more than it carries
    bool operator==(const Uplink&) const = default;
};

/// The slowest link between a GPU and its root complex.
struct Bottleneck {
    std::size_t gpu = 0;               ///< end
    std::optional<std::size_t> below;  ///< node whose link above it is the slowest; the one next to the GPU when equal
    std::optional<double> gbyte_s;     ///< nullopt, like `below`: a link of the path could not be read
    bool operator==(const Bottleneck&) const = default;
};

/// The network devices next to a GPU.
struct Rail {
    std::size_t gpu = 0;  ///< end
    LinkClass kind = LinkClass::unknown;
    std::vector<std::size_t> nics;  ///< ends; empty when kind is unknown
    bool operator==(const Rail&) const = default;
};

struct Topology {
    std::vector<TopologyNode> nodes;           ///< [0] is the machine; a parent stands before its children
    std::vector<TopologyEnd> ends;             ///< GPUs by label, then network devices
    std::size_t gpu_count = 0;                 ///< how many of `ends` are GPUs
    std::vector<std::vector<PairLink>> links;  ///< [end][end], symmetric
    std::vector<SwitchChip> chips;
    std::vector<Uplink> uplinks;  ///< outer switches before those below them
    std::vector<Bottleneck> bottlenecks;
    std::vector<Rail> rails;
    bool direct_links_read = true;  ///< false: of some GPU it is not known whether it has NVLink or MetaXLink
    bool operator==(const Topology&) const = default;
};

/// Devices whose NUMA node is unknown or -1, and those whose place in the tree is not known, hang at the machine (the
/// latter without a root complex). Network ends are the RDMA devices, or all network functions when there are none.
/// Takes any Machine, also a damaged one.
[[nodiscard]] Topology topology_of(const Machine& machine);

/// NVLink, MetaXLink or XGMI.
[[nodiscard]] bool is_direct(LinkClass kind);

/// GPUs that reach each other directly over NVLink, MetaXLink or XGMI: sets of ends, each with two or more.
[[nodiscard]] std::vector<std::vector<std::size_t>> direct_islands(const Topology& topology);

/// Why our class of a pair is not the vendor's.
enum class DifferenceReason {
    dual_uplink,     ///< the vendor's tool shows the two uplinks of one chip as two switches
    links_not_read,  ///< it shows direct links that we could not read
    not_told,        ///< our tree does not tell the class
    contradiction,   ///< one of the two is wrong
};

struct TopologyDifference {
    std::string row, column;  ///< names as the vendor's matrix has them
    std::string ours, theirs;
    DifferenceReason reason = DifferenceReason::contradiction;
    bool operator==(const TopologyDifference&) const = default;
};

struct TopologyComparison {
    int compared = 0;                    ///< pairs that both know by name, each once
    std::vector<std::string> unmatched;  ///< names of the vendor's matrix that are no end of ours
    std::vector<TopologyDifference> differences;
    bool operator==(const TopologyComparison&) const = default;
};

/// Compares cell by cell. Vendor's names are GPU<index>, NIC<n> with its legend, or a device's own name.
[[nodiscard]] TopologyComparison compare_topology(const Topology& ours, const TopologyMatrix& theirs);

/// The end that `name` of a vendor's matrix means.
[[nodiscard]] std::optional<std::size_t> find_end(const Topology& ours, const TopologyMatrix& theirs,
                                                  std::string_view name);

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/topology.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::ElementsAre;

/// Puts machines together: root ports, switches, devices.
class Board {
  public:
    Machine machine;

    PciDevice& add(const std::string& address, int class_code, const std::string& parent, const std::string& type,
                   int numa) {
        PciDevice device;
        device.address = address;
        device.class_code = class_code;
        device.numa_node = numa;
        device.vendor_id = 0x1000;
        device.device_id = 0xc030;
        device.config_bytes = 4096;
        if (!parent.empty())
            device.parent = parent;
        if (!type.empty())
            device.port_type = type;
        device.link = link(32, 16);
        machine.pci_devices.push_back(device);
        return machine.pci_devices.back();
    }
    static PciLink link(double gt_s, int width) {
        PciLink link;
        link.capable_gt_s = 32;
        link.capable_width = 16;
        link.current_gt_s = gt_s;
        link.current_width = width;
        return link;
    }
    void root_port(const std::string& address, int numa) { add(address, 0x060400, "", "root port", numa); }
    void upstream(const std::string& address, const std::string& port, int numa, const std::string& serial = "") {
        PciDevice& device = add(address, 0x060400, port, "upstream port", numa);
        if (!serial.empty())
            device.serial_number = serial;
    }
    void downstream(const std::string& address, const std::string& above, int numa) {
        add(address, 0x060400, above, "downstream port", numa);
    }
    Gpu& gpu(const std::string& address, const std::string& port, int numa, const std::string& vendor = "nvidia") {
        add(address, 0x030200, port, "endpoint", numa);
        Gpu gpu;
        gpu.address = address;
        gpu.vendor = vendor;
        gpu.uuid = "GPU-" + address;
        machine.gpus.push_back(gpu);
        return machine.gpus.back();
    }
    void nic(const std::string& address, const std::string& port, int numa, const std::string& name = "") {
        add(address, 0x020000, port, "endpoint", numa);
        if (name.empty())
            return;
        RdmaDevice device;
        device.name = name;
        device.pci_address = address;
        machine.rdma_devices.push_back(device);
    }
    /// A switch below a root port of its own, with two GPUs and, where named, a network device.
    void group(int bus, int numa, const std::string& serial, const std::string& nic_name = "") {
        const auto at = [](int number, int device) { return fmt::format("0000:{:02x}:{:02x}.0", number, device); };
        root_port(at(bus, 1), numa);
        upstream(at(bus + 1, 0), at(bus, 1), numa, serial);
        for (int i = 0; i < 3; ++i)
            downstream(at(bus + 2, i), at(bus + 1, 0), numa);
        gpu(at(bus + 3, 0), at(bus + 2, 0), numa);
        gpu(at(bus + 4, 0), at(bus + 2, 1), numa);
        if (!nic_name.empty())
            nic(at(bus + 5, 0), at(bus + 2, 2), numa, nic_name);
    }
    void numa(int count, int a_package) {
        for (int i = 0; i < count; ++i) {
            NumaNode node;
            node.id = i;
            node.package = i / a_package;
            machine.numa_nodes.push_back(node);
        }
    }
};

std::string row(const Topology& topology, std::size_t end) {
    std::string text;
    for (const PairLink& link : topology.links[end])
        text += (text.empty() ? "" : " ") + link_code(link);
    return text;
}

/// Two sockets; two switches on each, two GPUs and a network device below each switch.
Board eight() {
    Board board;
    board.numa(2, 1);
    for (int i = 0; i < 4; ++i)
        board.group(0x10 + i * 0x20, i / 2, fmt::format("0{}-00-00-ff-ff-12-34-56", i), fmt::format("mlx5_{}", i));
    return board;
}

TEST(Topology, ClassesOfAServerWithFourSwitches) {
    const Topology topology = topology_of(eight().machine);
    ASSERT_EQ(topology.ends.size(), 12U);
    EXPECT_EQ(topology.gpu_count, 8U);
    EXPECT_EQ(row(topology, 0), "X PIX NODE NODE SYS SYS SYS SYS PIX NODE SYS SYS");
    EXPECT_EQ(row(topology, 5), "SYS SYS SYS SYS PIX X NODE NODE SYS SYS PIX NODE");
    EXPECT_EQ(row(topology, 8), "PIX PIX NODE NODE SYS SYS SYS SYS X NODE SYS SYS");
    EXPECT_EQ(topology.ends[8].name, "mlx5_0");
    EXPECT_TRUE(topology.chips.empty());
    EXPECT_TRUE(topology.direct_links_read);
}

TEST(Topology, TheTreeHasPackagesNodesRootComplexesAndSwitches) {
    const Topology topology = topology_of(eight().machine);
    const auto& nodes = topology.nodes;
    ASSERT_EQ(nodes[0].kind, TopologyKind::machine);
    ASSERT_EQ(nodes[0].children.size(), 2U);
    const TopologyNode& package = nodes[nodes[0].children[1]];
    EXPECT_EQ(package.kind, TopologyKind::package);
    EXPECT_EQ(package.number, 1);
    const TopologyNode& numa = nodes[package.children.at(0)];
    EXPECT_EQ(numa.kind, TopologyKind::numa);
    ASSERT_EQ(numa.children.size(), 2U);
    const TopologyNode& root = nodes[numa.children[0]];
    EXPECT_EQ(root.address, "0000:50");
    const TopologyNode& bridge = nodes[root.children.at(0)];
    EXPECT_EQ(bridge.kind, TopologyKind::bridge);
    EXPECT_EQ(bridge.port, "0000:50:01.0");
    ASSERT_EQ(bridge.children.size(), 3U);
    EXPECT_EQ(nodes[bridge.children[0]].label, "GPU4");
    EXPECT_EQ(nodes[bridge.children[2]].label, "NIC2");
    EXPECT_EQ(nodes[bridge.children[2]].port, "0000:52:02.0");
}

TEST(Topology, WithoutPortTypesTheTreeIsTheSame) {
    Board board = eight();
    const Topology whole = topology_of(board.machine);
    for (PciDevice& device : board.machine.pci_devices)
        device.port_type.reset();
    EXPECT_EQ(topology_of(board.machine), whole);
}

TEST(Topology, SwitchesBelowSwitchesArePxb) {
    Board board;
    board.numa(1, 1);
    board.root_port("0000:20:01.0", 0);
    board.upstream("0000:21:00.0", "0000:20:01.0", 0);
    for (int i = 0; i < 2; ++i) {
        const std::string down = fmt::format("0000:22:{:02x}.0", i);
        const std::string up = fmt::format("0000:{}:00.0", 23 + i * 3);
        board.downstream(down, "0000:21:00.0", 0);
        board.upstream(up, down, 0);
        for (int k = 0; k < 2; ++k) {
            const std::string port = fmt::format("0000:{}:{:02x}.0", 24 + i * 3, k);
            board.downstream(port, up, 0);
            board.gpu(fmt::format("0000:{}:00.0", 40 + i * 2 + k), port, 0);
        }
    }
    const Topology topology = topology_of(board.machine);
    EXPECT_EQ(row(topology, 0), "X PIX PXB PXB");
    ASSERT_EQ(topology.uplinks.size(), 3U);
    EXPECT_THAT(topology.uplinks[0].gpus, ElementsAre(0, 1, 2, 3));
    EXPECT_NEAR(topology.uplinks[0].ratio.value(), 4.0, 1e-9);
    EXPECT_NEAR(topology.uplinks[1].ratio.value(), 2.0, 1e-9);
}

TEST(Topology, HostBridgeAndNode) {
    Board board;
    board.numa(1, 1);
    board.root_port("0000:c0:01.1", 0);
    board.root_port("0000:c0:03.1", 0);
    board.root_port("0000:20:01.1", 0);
    board.gpu("0000:c1:00.0", "0000:c0:01.1", 0);
    board.gpu("0000:c2:00.0", "0000:c0:03.1", -1);
    board.nic("0000:21:00.0", "0000:20:01.1", 0, "mlx5_0");
    board.nic("0000:21:00.1", "0000:20:01.1", 0, "mlx5_1");
    const Topology topology = topology_of(board.machine);
    EXPECT_EQ(row(topology, 0), "X PHB NODE NODE");
    EXPECT_EQ(row(topology, 2), "NODE NODE X PIX");
    EXPECT_EQ(topology.ends[1].numa, 0) << "as all below the same root complex";
}

TEST(Topology, WhatTheTreeDoesNotTellIsUnknown) {
    Board board = eight();
    for (PciDevice& device : board.machine.pci_devices)
        device.numa_node = -1;
    EXPECT_EQ(row(topology_of(board.machine), 0), "X PIX ? ? ? ? ? ? PIX ? ? ?");
    EXPECT_EQ(topology_of(board.machine).rails[0].kind, LinkClass::pix);
    board.machine.numa_nodes.resize(1);
    EXPECT_EQ(row(topology_of(board.machine), 0), "X PIX NODE NODE NODE NODE NODE NODE PIX NODE NODE NODE");
    for (PciDevice& device : board.machine.pci_devices)
        device.parent.reset();
    // Endpoints on buses where only bridges could be: the list has lost the tree.
    EXPECT_EQ(row(topology_of(board.machine), 0), "X ? ? ? ? ? ? ? ? ? ? ?");
}

TEST(Topology, BridgeWithoutAClassShowsItsRootBus) {
    // What a drawn tree holds: places alone.
    Board board;
    for (const char* root : {"0000:00", "0000:40"})
        for (int port = 1; port < 3; ++port) {
            const std::string bridge = fmt::format("{}:0{}.1", root, port);
            board.add(bridge, 0, "", "", -1).class_code.reset();
            board.gpu(fmt::format("0000:{}{}:00.0", root[5], port), bridge, -1);
        }
    const Topology topology = topology_of(board.machine);
    EXPECT_EQ(row(topology, 0), "X PHB ? ?") << "whether two root complexes share a NUMA node is not told";
    EXPECT_EQ(row(topology, 2), "? ? X PHB");
    board.machine.pci_devices[4].port_type = "downstream port";
    board.machine.pci_devices[6].port_type = "downstream port";
    EXPECT_EQ(row(topology_of(board.machine), 2), "? ? X ?") << "its switch is missing, not its root bus";
}

TEST(Topology, TwoUplinksOfOneChip) {
    Board board;
    board.numa(2, 1);
    board.group(0x10, 0, "a1-00-00-ff-ff-12-34-56");
    board.group(0x30, 1, "a1-00-00-ff-ff-12-34-56");
    board.group(0x50, 1, "a2-00-00-ff-ff-12-34-56");
    const Topology topology = topology_of(board.machine);
    EXPECT_EQ(row(topology, 0), "X PIX DUAL DUAL SYS SYS");
    EXPECT_EQ(topology.links[0][2].pcie, LinkClass::sys);
    ASSERT_EQ(topology.chips.size(), 1U);
    EXPECT_EQ(topology.chips[0].serial_number, "a1-00-00-ff-ff-12-34-56");
    EXPECT_EQ(topology.nodes[topology.chips[0].bridges[1]].address, "0000:31:00.0");
}

TEST(Topology, SerialNumbersThatNameNoChip) {
    for (const char* serial : {"", "00-00-00-00-00-00-00-00", "ff-ff-ff-ff-ff-ff-ff-ff", "ca-87-00-10-b5-df-0e-00"}) {
        Board board;
        board.numa(2, 1);
        board.group(0x10, 0, serial);
        board.group(0x30, 1, serial);
        EXPECT_EQ(row(topology_of(board.machine), 0), "X PIX SYS? SYS?") << serial;
        for (PciDevice& device : board.machine.pci_devices)
            if (device.address.starts_with("0000:3"))
                device.device_id = 0xc010;
        EXPECT_EQ(row(topology_of(board.machine), 0), "X PIX SYS SYS") << "another model is another chip";
        board.machine.switch_links = {{"0000:11:00.0", "0000:31:00.0"}};
        EXPECT_EQ(row(topology_of(board.machine), 0), "X PIX DUAL DUAL") << "the kernel knows";
    }
}

TEST(Topology, DirectLinks) {
    Board board = eight();
    for (Gpu& gpu : board.machine.gpus)
        for (int i = 0; i < 18; ++i) {
            GpuLink link;
            link.index = i;
            link.state = i == 17 && gpu.address == "0000:13:00.0" ? "down" : "up";
            link.remote_kind = "switch";
            gpu.links.push_back(link);
        }
    Topology topology = topology_of(board.machine);
    EXPECT_EQ(row(topology, 1), "NV17 X NV18 NV18 NV18 NV18 NV18 NV18 PIX NODE SYS SYS");
    EXPECT_EQ(direct_islands(topology).size(), 1U);
    for (Gpu& gpu : board.machine.gpus) {
        gpu.vendor = "metax";
        gpu.links.clear();
    }
    for (std::size_t a = 0; a < 8; ++a)
        for (std::size_t b = 0; b < 8; ++b)
            if (a != b && a / 4 == b / 4) {
                GpuLink link;
                link.remote = board.machine.gpus[b].address;
                board.machine.gpus[a].links.push_back(link);
            }
    topology = topology_of(board.machine);
    EXPECT_EQ(row(topology, 1), "MX X MX MX SYS SYS SYS SYS PIX NODE SYS SYS");
    EXPECT_THAT(direct_islands(topology), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
    // Links that are up and lead nobody knows where.
    for (Gpu& gpu : board.machine.gpus)
        gpu.links = {GpuLink{}};
    EXPECT_EQ(topology_of(board.machine).links[0][1].kind, LinkClass::unknown);
    for (Gpu& gpu : board.machine.gpus)
        gpu.links[0].remote = "0004:00:01.0";
    EXPECT_EQ(topology_of(board.machine).links[0][1].kind, LinkClass::unknown) << "a CPU, or a switch";
    for (Gpu& gpu : board.machine.gpus)
        gpu.links[0].remote_kind = "cpu";
    EXPECT_EQ(topology_of(board.machine).links[0][1].kind, LinkClass::pix);
    for (Gpu& gpu : board.machine.gpus) {
        gpu.links.clear();
        gpu.uuid.reset();
    }
    EXPECT_FALSE(topology_of(board.machine).direct_links_read);
}

TEST(Topology, UplinksBottlenecksAndRails) {
    Board board = eight();
    for (PciDevice& device : board.machine.pci_devices) {
        if (device.address == "0000:11:00.0")
            device.link = Board::link(16, 16);  // uplink at half speed
        if (device.address == "0000:33:00.0")
            device.link = Board::link(2.5, 8);  // idle, and half of its lanes
        if (device.address == "0000:51:00.0" || device.address == "0000:50:01.0")
            device.link = {};
    }
    const Topology topology = topology_of(board.machine);
    ASSERT_EQ(topology.uplinks.size(), 4U);
    EXPECT_NEAR(topology.uplinks[0].uplink_gbyte_s.value(), 31.508, 0.001);
    EXPECT_NEAR(topology.uplinks[0].ratio.value(), 4.0, 1e-9);
    EXPECT_NEAR(topology.uplinks[1].ratio.value(), 1.5, 1e-9);
    EXPECT_FALSE(topology.uplinks[2].ratio);
    EXPECT_EQ(topology.nodes[topology.bottlenecks[0].below.value()].address, "0000:11:00.0");
    EXPECT_EQ(topology.nodes[topology.bottlenecks[2].below.value()].address, "0000:33:00.0");
    EXPECT_FALSE(topology.bottlenecks[4].below);
    EXPECT_EQ(topology.nodes[topology.bottlenecks[6].below.value()].address, "0000:73:00.0");
    EXPECT_EQ(topology.rails[3].kind, LinkClass::pix);
    EXPECT_THAT(topology.rails[3].nics, ElementsAre(9));
}

TEST(Topology, DamagedMachines) {
    EXPECT_EQ(topology_of({}).nodes.size(), 1U);
    Board board = eight();
    board.machine.gpus.front().address = "nonsense";
    for (PciDevice& device : board.machine.pci_devices)
        if (device.address == "0000:30:01.0")
            device.parent = "0000:32:00.0";  // a circle
    board.machine.pci_devices.back().parent = "0000:aa:00.0";
    const Topology topology = topology_of(board.machine);
    EXPECT_FALSE(topology.ends[0].node);
    EXPECT_EQ(topology.links[0][1].kind, LinkClass::unknown);
    EXPECT_EQ(topology.links[2][3].kind, LinkClass::unknown);
    EXPECT_EQ(topology.links[6][7].kind, LinkClass::pix);
    board.machine.gpus.push_back(board.machine.gpus.back());
    EXPECT_EQ(topology_of(board.machine).gpu_count, 9U);
}

TEST(Topology, ClaimsWithoutEndAreBounded) {
    Machine machine;
    for (int i = 0; i < 3000; ++i) {
        machine.gpus.emplace_back().address = fmt::format("0000:01:00.{}", i);
        PciDevice device;
        device.address = fmt::format("0000:{:x}:00.0", i);
        device.class_code = 0x060400;
        if (i > 0)
            device.parent = fmt::format("0000:{:x}:00.0", i - 1);
        machine.pci_devices.push_back(device);
    }
    machine.pci_devices.back().class_code = 0x020000;  // below 2999 bridges
    const Topology topology = topology_of(machine);
    EXPECT_LE(topology.ends.size(), 1024U);
    EXPECT_EQ(topology.links.size(), topology.ends.size());
    EXPECT_LT(topology.nodes.size(), 300U);
}

TopologyMatrix matrix(const std::vector<std::string>& names, const std::vector<std::vector<std::string>>& cells) {
    TopologyMatrix matrix;
    matrix.names = names;
    matrix.cells = cells;
    return matrix;
}

TEST(TopologyComparison, AgreesOrSaysWhyNot) {
    Board board;
    board.numa(2, 1);
    board.group(0x10, 0, "a1-00-00-ff-ff-12-34-56", "mlx5_0");
    board.group(0x30, 0, "a1-00-00-ff-ff-12-34-56", "mlx5_1");
    const Topology topology = topology_of(board.machine);
    TopologyMatrix theirs = matrix({"GPU0", "GPU1", "GPU2", "NIC0", "NIC7"},
                                   {{"X", "PIX", "NODE", "PIX", "SYS"}, {"PIX", "X", "SYS", "PHB"}, {"NODE"}});
    theirs.legend = {{"NIC0", "mlx5_0"}, {"NIC7", "mlx5_7"}};
    const TopologyComparison result = compare_topology(topology, theirs);
    EXPECT_EQ(result.compared, 5);
    EXPECT_THAT(result.unmatched, ElementsAre("NIC7"));
    const std::vector<TopologyDifference> expected = {{"GPU0", "GPU2", "DUAL", "NODE", DifferenceReason::dual_uplink},
                                                      {"GPU1", "GPU2", "DUAL", "SYS", DifferenceReason::contradiction},
                                                      {"GPU1", "NIC0", "PIX", "PHB", DifferenceReason::contradiction}};
    EXPECT_EQ(result.differences, expected);
}

TEST(TopologyComparison, DirectLinksAndUnknowns) {
    Board board = eight();
    for (Gpu& gpu : board.machine.gpus)
        gpu.uuid.reset();
    TopologyMatrix theirs = matrix({"GPU0", "GPU1", "GPU4"}, {{"X", "NV18", "PCIE"}, {"NV18", "X", "NA"}});
    auto result = compare_topology(topology_of(board.machine), theirs);
    EXPECT_EQ(result.compared, 2);
    ASSERT_EQ(result.differences.size(), 1U);
    EXPECT_EQ(result.differences[0].reason, DifferenceReason::links_not_read);
    for (PciDevice& device : board.machine.pci_devices)
        device.numa_node.reset();
    theirs = matrix({"GPU0", "GPU2"}, {{"X", "SOC"}});
    result = compare_topology(topology_of(board.machine), theirs);
    ASSERT_EQ(result.differences.size(), 1U);
    EXPECT_EQ(result.differences[0].reason, DifferenceReason::not_told);
}

TEST(Units, PcieBandwidth) {
    EXPECT_NEAR(pcie_gbyte_s(2.5, 1).value(), 0.25, 1e-9);
    EXPECT_NEAR(pcie_gbyte_s(8, 16).value(), 15.754, 0.001);
    EXPECT_NEAR(pcie_gbyte_s(32, 16).value(), 63.015, 0.001);
    EXPECT_NEAR(pcie_gbyte_s(64, 16).value(), 121.0, 0.001);
    EXPECT_FALSE(pcie_gbyte_s(3, 16));
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "ingest/rdma_merge.hpp"

#include <gpuadapt/ingest/rdma_state.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr std::string_view kIbstat =
    "CA 'mlx5_0'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tFirmware version: 28.39.1002\n\tHardware version: 0\n"
    "\tNode GUID: 0xa088c20300309a0d\n\tSystem image GUID: 0xa088c20300309a0c\n\tPort 1:\n\t\tState: Active\n"
    "\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tBase lid: 75\n\t\tLMC: 0\n\t\tSM lid: 3\n"
    "\t\tCapability mask: 0xa751e848\n\t\tPort GUID: 0xa088c20300309a0d\n\t\tLink layer: InfiniBand\n";

constexpr std::string_view kIbvDevinfo =
    "hca_id:\tmlx5_0\n\ttransport:\t\t\tInfiniBand "
    "(0)\n\tfw_ver:\t\t\t\t28.39.1002\n\tnode_guid:\t\t\ta088:c203:0030:9a0d\n"
    "\tboard_id:\t\t\tEX_0000000042\n\tphys_port_cnt:\t\t\t1\n\tdevice_cap_flags:\t\t0xe5721c36\n\t\t\t\t\tBAD_PKEY_"
    "CNTR\n"
    "\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t1024 (3)\n"
    "\t\t\tsm_lid:\t\t\t0\n\t\t\tport_lid:\t\t0\n\t\t\tlink_layer:\t\tEthernet\n\t\t\tactive_width:\t\t4X (2)\n"
    "\t\t\tactive_speed:\t\t25.0 Gbps (32)\n\t\t\tphys_state:\t\tLINK_UP (5)\n"
    "\t\t\tGID[  0]:\t\tfe80::ac0:ebff:fe00:1, RoCE v1\n\t\t\tGID[  3]:\t\t::ffff:192.0.2.6, RoCE v2\n";

const RdmaDevice& device(const RdmaState& state, std::string_view name) {
    static const RdmaDevice kNone;
    const auto found =
        std::find_if(state.devices.begin(), state.devices.end(), [&](const RdmaDevice& d) { return d.name == name; });
    EXPECT_NE(found, state.devices.end()) << name;
    return found == state.devices.end() ? kNone : *found;
}

TEST(RdmaState, Ibstat) {
    const RdmaState state = read_rdma_state(kIbstat);
    EXPECT_EQ(state.not_understood_count, 0);
    EXPECT_THAT(state.tools, ElementsAre("ibstat"));
    ASSERT_THAT(state.devices, SizeIs(1));
    const RdmaDevice& card = state.devices[0];
    EXPECT_EQ(card.model, "MT4129");
    EXPECT_EQ(card.firmware, "28.39.1002");
    EXPECT_EQ(card.node_guid, "a088:c203:0030:9a0d");
    ASSERT_THAT(card.ports, SizeIs(1));
    EXPECT_EQ(card.ports[0].number, 1);
    EXPECT_EQ(card.ports[0].state, "ACTIVE");
    EXPECT_EQ(card.ports[0].phys_state, "LinkUp");
    EXPECT_EQ(card.ports[0].rate_gbit_s, 400);
    EXPECT_EQ(card.ports[0].width, std::nullopt) << "ibstat does not say it";
    EXPECT_EQ(card.ports[0].lid, 75);
    EXPECT_EQ(card.ports[0].sm_lid, 3);
    EXPECT_EQ(card.ports[0].link_layer, "InfiniBand");
}

TEST(RdmaState, IbvDevinfoVerbose) {
    const RdmaState state = read_rdma_state(kIbvDevinfo);
    EXPECT_EQ(state.not_understood_count, 0);
    const RdmaDevice& card = device(state, "mlx5_0");
    EXPECT_EQ(card.board_id, "EX_0000000042");
    ASSERT_THAT(card.ports, SizeIs(1));
    const RdmaPort& port = card.ports[0];
    EXPECT_EQ(port.state, "ACTIVE");
    EXPECT_EQ(port.mtu_bytes, 1024);
    EXPECT_EQ(port.max_mtu_bytes, 4096);
    EXPECT_EQ(port.width, 4);
    EXPECT_EQ(port.rate_gbit_s, 100);
    EXPECT_THAT(port.gids,
                ElementsAre(RdmaGid{0, "fe80:0000:0000:0000:0ac0:ebff:fe00:0001", "IB/RoCE v1", std::nullopt},
                            RdmaGid{3, "0000:0000:0000:0000:0000:ffff:c000:0206", "RoCE v2", std::nullopt}));
}

TEST(RdmaState, Ibstatus) {
    const RdmaState state = read_rdma_state(
        "Infiniband device 'mlx5_ib0' port 2 status:\n\tdefault gid:\t fe80:0000:0000:0000:0015:5dff:fe00:0001\n"
        "\tbase lid:\t 0x96\n\tsm lid:\t\t 0x1\n\tstate:\t\t 1: DOWN\n\tphys state:\t 3: Disabled\n"
        "\trate:\t\t 10 Gb/sec (4X)\n\tlink_layer:\t InfiniBand\n\n"
        "Infiniband device 'mlx5_an0' port 1 status:\n\tdefault gid:\t unknown\n\tphys state:\t 0: <unknown>\n");
    const RdmaDevice& card = device(state, "mlx5_ib0");
    ASSERT_THAT(card.ports, SizeIs(1));
    EXPECT_EQ(card.ports[0].number, 2);
    EXPECT_EQ(card.ports[0].state, "DOWN");
    EXPECT_EQ(card.ports[0].phys_state, "Disabled");
    EXPECT_EQ(card.ports[0].width, 4);
    EXPECT_EQ(card.ports[0].lid, 150);
    EXPECT_THAT(card.ports[0].gids, SizeIs(1));
    const RdmaDevice& other = device(state, "mlx5_an0");
    EXPECT_THAT(other.ports[0].gids, IsEmpty());
    EXPECT_EQ(other.ports[0].phys_state, std::nullopt);
}

TEST(RdmaState, RdmaOfOldAndNewVersions) {
    const RdmaState state = read_rdma_state(
        "$ rdma link\nlink mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1 \n"
        "8/1: mlx5_bond_0/1: state DOWN physical_state POLLING netdev bond0\n"
        "link ib0/2 subnet_prefix fe80:0000:0000:0000 lid 2 sm_lid 1 lmc 0 state INIT physical_state LINK_UP\n"
        "$ rdma dev\n0: mlx5_0: node_type ca fw 28.39.1002 node_guid a088:c203:0030:9a0d sys_image_guid "
        "a088:c203:0030:9a0c\n"
        "$ rdma res\n0: mlx5_0: pd 3 cq 5 qp 4 cm_id 0 mr 0\n"
        "$ rdma statistic show\nlink mlx5_0/1 rx_write_requests 17 out_of_sequence 3\n");
    EXPECT_EQ(state.not_understood_count, 0);
    EXPECT_THAT(state.devices, SizeIs(3));
    const RdmaDevice& card = device(state, "mlx5_0");
    EXPECT_EQ(card.node_type, "CA");
    EXPECT_EQ(card.firmware, "28.39.1002");
    EXPECT_THAT(card.interfaces, ElementsAre("ens1"));
    EXPECT_THAT(card.ports[0].counters,
                UnorderedElementsAre(Pair("rx_write_requests", 17), Pair("out_of_sequence", 3)));
    EXPECT_EQ(device(state, "mlx5_bond_0").ports[0].state, "DOWN");
    EXPECT_EQ(device(state, "mlx5_bond_0").ports[0].phys_state, "Polling");
    EXPECT_EQ(device(state, "ib0").ports[0].number, 2);
    EXPECT_EQ(device(state, "ib0").ports[0].lid, 2);
}

TEST(RdmaState, ListsOfGidsAndInterfaces) {
    const RdmaState state = read_rdma_state(
        "mlx5_0 port 1 ==> ens1 (Up)\n"
        "0000:5a:00.0 mlx5_1 (MT4129 - EX755106AS) Example card, 2 ports  fw 28.39.1002 port 1 (DOWN  ) ==> ens2 "
        "(Down)\n"
        "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n"
        "mlx5_0\t1\t0\tfe80:0000:0000:0000:0ac0:ebff:fe00:0001\t\t\tv1\tens1\n"
        "mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:c000:0206\t192.0.2.6  \tv2\tens1.100\nn_gids_found=2\n");
    EXPECT_EQ(state.not_understood_count, 0);
    EXPECT_EQ(device(state, "mlx5_1").ports[0].state, "DOWN");
    const RdmaDevice& card = device(state, "mlx5_0");
    EXPECT_THAT(card.interfaces, ElementsAre("ens1"));
    EXPECT_THAT(card.ports[0].gids,
                ElementsAre(RdmaGid{0, "fe80:0000:0000:0000:0ac0:ebff:fe00:0001", "IB/RoCE v1", "ens1"},
                            RdmaGid{3, "0000:0000:0000:0000:0000:ffff:c000:0206", "RoCE v2", "ens1.100"}));
    ASSERT_THAT(state.interfaces, SizeIs(2));
    EXPECT_EQ(state.interfaces[0].state, "up");
    EXPECT_EQ(state.interfaces[1].state, "down");
}

TEST(RdmaState, Ibdev2netdevVerbose) {
    const RdmaState state = read_rdma_state(
        "0000:5a:00.0 mlx5_1 (MT4129 - EX755106AS) Example card, 2 ports  fw 28.39.1002 port 1 (DOWN) ==> ens2 "
        "(Down)\n");
    const RdmaDevice& card = device(state, "mlx5_1");
    EXPECT_EQ(card.pci_address, "0000:5a:00.0");
    EXPECT_EQ(card.model, "MT4129");
    EXPECT_EQ(card.firmware, "28.39.1002");
    EXPECT_EQ(card.ports[0].state, "DOWN");
    EXPECT_THAT(card.interfaces, ElementsAre("ens2"));
    EXPECT_EQ(state.interfaces[0].state, "down");
}

TEST(RdmaState, Ethtool) {
    const RdmaState state = read_rdma_state(
        "Settings for ens1:\n\tSupported ports: [ FIBRE ]\n\tSupported link modes:   1000baseKX/Full\n\t               "
        "         "
        "10000baseKR/Full\n\tSpeed: 25000Mb/s\n\tLink detected: yes\n\n"
        "# ethtool -i ens1\ndriver: mlx5_core\nversion: 24.01-0.3.3\nfirmware-version: 26.39.1002 (EX_0000000042)\n"
        "expansion-rom-version: \nbus-info: 0000:5a:00.0\nsupports-statistics: yes\n"
        "# ethtool -S ens1 | grep pause\nNIC statistics:\n     rx_prio3_pause: 12\n     [0]: rx_bytes: 7\n     broken: "
        "-3\n"
        "# ethtool -m ens1\n\tIdentifier                                : 0x11 (QSFP28)\n"
        "\tVendor PN                                 : EX-100-PART\n");
    ASSERT_THAT(state.interfaces, SizeIs(1));
    const NetInterface& card = state.interfaces[0];
    EXPECT_EQ(card.name, "ens1");
    EXPECT_EQ(card.speed_mbit_s, 25000);
    EXPECT_EQ(card.state, "up");
    EXPECT_EQ(card.driver, "mlx5_core");
    EXPECT_EQ(card.firmware, "26.39.1002 (EX_0000000042)");
    EXPECT_EQ(card.pci_address, "0000:5a:00.0");
    EXPECT_EQ(card.virtual_device, std::nullopt) << "ethtool does not say it";
    EXPECT_THAT(card.counters, UnorderedElementsAre(Pair("rx_prio3_pause", 12), Pair("[0]: rx_bytes", 7)));
    EXPECT_EQ(card.transceiver.at("Vendor PN"), "EX-100-PART");
    EXPECT_THAT(state.not_understood, ElementsAre("     broken: -3"));
}

TEST(RdmaState, DriversWithoutNames) {
    const RdmaState state = read_rdma_state(
        "driver: igb\nversion: 6.1\nfirmware-version: 3.25\nbus-info: 0000:04:00.0\n"
        "driver: igb\nversion: 6.1\nfirmware-version: 3.25\nbus-info: 0000:04:00.1\n");
    ASSERT_THAT(state.interfaces, SizeIs(2));
    EXPECT_EQ(state.interfaces[1].pci_address, "0000:04:00.1");
    EXPECT_EQ(state.interfaces[1].firmware, "3.25");
    EXPECT_FALSE(looks_like_rdma_state("driver: something\nother: text\n"));
}

TEST(RdmaState, MlnxQos) {
    const RdmaState state = read_rdma_state(
        "mlnx_qos --trust dscp -i ens1\nDCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n"
        "\tprio:0 dscp:01,00,\n\tprio:6 dscp:26,\n\tprio:9 dscp:63,\n"
        "Receive buffer size (bytes): 80256,896,0,0,0,0,0,0,max_buffer_size=262016\nCable len: 7\nPFC configuration:\n"
        "\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0   \n"
        "\tbuffer      0   0   0   1   0   0   0   0   \n"
        "tc: 0 ratelimit: unlimited, tsa: ets, bw: 20%\n\t priority:  1\ntc: 1 ratelimit: 10 Gbps, tsa: vendor\n\t "
        "priority:  0\n");
    ASSERT_THAT(state.interfaces, SizeIs(1));
    const auto& qos = state.interfaces[0].qos;
    EXPECT_EQ(state.interfaces[0].name, "ens1");
    EXPECT_EQ(qos.at("trust"), "dscp");
    EXPECT_EQ(qos.at("pfc"), "0,0,0,1,0,0,0,0");
    EXPECT_EQ(qos.at("pfc_buffer"), "0,0,0,1,0,0,0,0");
    EXPECT_EQ(qos.at("buffer_bytes"), "80256,896,0,0,0,0,0,0");
    EXPECT_EQ(qos.at("prio_tc"), "1,0,-,-,-,-,-,-");
    EXPECT_EQ(qos.at("rate_limit"), "unlimited,10 Gbps,-,-,-,-,-,-");
    EXPECT_EQ(qos.at("tc_bw"), "20%,-,-,-,-,-,-,-");
    EXPECT_EQ(qos.at("dscp2prio").substr(0, 6), "0,0,-,");
    EXPECT_EQ(qos.at("dscp2prio").substr(52, 2), "6,") << "DSCP 26";
    EXPECT_EQ(state.not_understood_count, 1) << "a ninth priority";
}

TEST(RdmaState, PerfqueryFindsItsPortByLocalId) {
    const std::string counters =
        "# Port counters: Lid 75 port 1 (CapMask: 0x5300)\nPortSelect:......................1\n"
        "CounterSelect:...................0x0000\nSymbolErrorCounter:..............0\nLinkDownedCounter:..............."
        "255\n";
    const RdmaState named = read_rdma_state(std::string(kIbstat) + counters);
    ASSERT_THAT(named.devices, SizeIs(1));
    EXPECT_THAT(named.devices[0].ports[0].counters,
                UnorderedElementsAre(Pair("symbol_error", 0), Pair("link_downed", 255)));
    const RdmaState unnamed = read_rdma_state(counters);
    ASSERT_THAT(unnamed.devices, SizeIs(1));
    EXPECT_EQ(unnamed.devices[0].name, "");
    EXPECT_EQ(unnamed.devices[0].ports[0].lid, 75);
}

TEST(RdmaState, FilesOfTheKernel) {
    const RdmaState state = read_rdma_state(
        "/sys/class/infiniband/mlx5_0/board_id:EX_0000000042\n/sys/class/infiniband/mlx5_0/"
        "node_guid:a088:c203:0030:9a0dEOF\n"
        "/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:255\n"
        "/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:N/A (no PMA)\n"
        "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/lifespan:10\n"
        "/sys/devices/pci0000:3a/0000:3a:00.0/infiniband/mlx5_0/ports/1/state:4: ACTIVE\n"
        "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0:RoCE v2\n"
        "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0:ens1\n"
        "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/1:RoCE v2\n"
        "/sys/class/infiniband/mlx5_0/ports/1/gids/0:0000:0000:0000:0000:0000:ffff:c000:0206\n"
        "/sys/class/infiniband/mlx5_0/ports/1/gids/1:0000:0000:0000:0000:0000:0000:0000:0000\n"
        "==> /sys/class/infiniband/mlx5_0/ports/1/rate <==\n400 Gb/sec (4X NDR)\n\n"
        "/sys/class/net/ens1/mtu:4200\n/sys/class/net/ens1/ecn/roce_np/enable/3:1\n/proc/sys/net/core/"
        "somaxconn:4096\n");
    EXPECT_THAT(state.not_understood, ElementsAre("/sys/class/infiniband/mlx5_0/node_guid:a088:c203:0030:9a0dEOF",
                                                  "/proc/sys/net/core/somaxconn:4096"));
    const RdmaDevice& card = device(state, "mlx5_0");
    EXPECT_EQ(card.node_guid, std::nullopt);
    ASSERT_THAT(card.ports, SizeIs(1));
    EXPECT_EQ(card.ports[0].state, "ACTIVE");
    EXPECT_EQ(card.ports[0].rate_gbit_s, 400);
    EXPECT_THAT(card.ports[0].counters, UnorderedElementsAre(Pair("link_downed", 255)));
    EXPECT_THAT(card.ports[0].gids,
                ElementsAre(RdmaGid{0, "0000:0000:0000:0000:0000:ffff:c000:0206", "RoCE v2", "ens1"}));
    ASSERT_THAT(state.interfaces, SizeIs(1));
    EXPECT_EQ(state.interfaces[0].mtu, 4200);
    EXPECT_EQ(state.interfaces[0].qos.at("ecn_np"), "-,-,-,1,-,-,-,-");
}

TEST(RdmaState, KernelMessages) {
    const RdmaState state = read_rdma_state(
        "[    8.387515] mlx5_core 0001:43:00.0: firmware version: 16.35.4030\n"
        "[    8.387840] mlx5_core 0001:43:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link "
        "at "
        "0001:42:01.0 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)\n"
        "Mar  1 10:00:00 node01 kernel: ice 0000:5a:00.0: 126.016 Gb/s available PCIe bandwidth (8.0 GT/s PCIe x16 "
        "link)\n");
    EXPECT_EQ(state.not_understood_count, 0);
    ASSERT_THAT(state.pci_devices, SizeIs(3));
    EXPECT_EQ(state.pci_devices[0].address, "0000:5a:00.0");
    EXPECT_EQ(state.pci_devices[0].link.current_width, 16);
    EXPECT_EQ(state.pci_devices[1].address, "0001:42:01.0");
    EXPECT_EQ(state.pci_devices[1].link.current_width, 8);
    EXPECT_EQ(state.pci_devices[1].link.capable_width, std::nullopt);
    EXPECT_EQ(state.pci_devices[2].link.capable_width, 16);
    EXPECT_EQ(state.pci_devices[2].link.current_width, std::nullopt) << "only the worst link of the path is told";
    EXPECT_EQ(state.interfaces[0].firmware, "16.35.4030");
    EXPECT_EQ(state.interfaces[0].driver, "mlx5_core");
}

TEST(RdmaState, FactsThatNameNoDeviceStayApart) {
    const RdmaState state = read_rdma_state(
        "a:\nGID[  0]:\t\tfe80:0000:0000:0000:0ac0:ebff:fe00:0001\nGID[  1]:\t\t::ffff:192.0.2.6\n"
        "b:\nGID[  0]:\t\tfe80:0000:0000:0000:0ac0:ebff:fe00:0002\n");
    ASSERT_THAT(state.devices, SizeIs(2));
    EXPECT_THAT(state.devices[0].ports[0].gids, SizeIs(2));
    EXPECT_THAT(state.devices[1].ports[0].gids, SizeIs(1));
    EXPECT_EQ(state.devices[0].ports[0].number, 0);
    EXPECT_THAT(state.disagreements, IsEmpty());
}

TEST(RdmaState, AGrepBelongsToTheDeviceThatWasAskedFor) {
    const RdmaState state = read_rdma_state(
        "link mlx5_0/1 state ACTIVE physical_state LINK_UP\n```\n$ ibstat mlx5_0 | grep \"Link layer\"\n   Link layer: "
        "Ethernet\n");
    ASSERT_THAT(state.devices, SizeIs(1));
    ASSERT_THAT(state.devices[0].ports, SizeIs(1));
    EXPECT_EQ(state.devices[0].ports[0].link_layer, "Ethernet");
}

/// The same facts whatever a mail, a terminal or a launcher has put around them.
TEST(RdmaState, NoiseDoesNotChangeFacts) {
    const RdmaState plain = read_rdma_state(kIbstat);
    const auto with = [&](std::string_view before, std::string_view after) {
        std::string text;
        for (std::size_t at = 0; at < kIbstat.size();) {
            const std::size_t end = kIbstat.find('\n', at);
            text += std::string(before) + std::string(kIbstat.substr(at, end - at)) + std::string(after) + "\n";
            at = end + 1;
        }
        return read_rdma_state(text);
    };
    EXPECT_EQ(with("", "\r").devices, plain.devices);
    EXPECT_EQ(with("> ", "").devices, plain.devices);
    EXPECT_EQ(with("\x1b[32m", "\x1b[0m").devices, plain.devices);
    EXPECT_EQ(with("node01: ", "").devices, plain.devices);
    EXPECT_EQ(with("[1,0]<stdout>:", "").devices, plain.devices);
    EXPECT_EQ(with("", "  \t").devices, plain.devices);
}

TEST(RdmaState, HostsAreNotMixed) {
    const RdmaState state = read_rdma_state(
        "node01: CA 'mlx5_0'\nnode02: CA 'mlx5_0'\nnode01: \tPort 1:\nnode02: \tPort 1:\nnode01: \t\tState: Active\n"
        "node02: \t\tState: Down\n");
    EXPECT_EQ(device(state, "mlx5_0").ports[0].state, "ACTIVE");
    EXPECT_EQ(state.not_understood_count, 3);
}

TEST(RdmaState, TheFirstWordCountsWhereTheyDisagree) {
    const RdmaState state = read_rdma_state(std::string(kIbstat) + "link mlx5_0/1 state DOWN physical_state LINK_UP\n");
    EXPECT_EQ(device(state, "mlx5_0").ports[0].state, "ACTIVE");
    EXPECT_THAT(state.disagreements, ElementsAre("mlx5_0 port 1 state: ACTIVE, DOWN"));
}

TEST(RdmaState, AToolThatFailsAfterAGoodList) {
    const RdmaState state =
        read_rdma_state(std::string(kIbstat) + "ibpanic: [1400444] main: stat of IB device 'mlx5_8' failed\n");
    EXPECT_THAT(state.devices, SizeIs(1));
    EXPECT_EQ(state.not_understood_count, 1);
}

/// What is cut off is unknown: no prefix of a text gives a fact that the whole one does not.
TEST(RdmaState, CutTextsInventNothing) {
    for (const std::string_view text : {kIbstat, kIbvDevinfo}) {
        const RdmaState whole = read_rdma_state(text);
        for (std::size_t size = 0; size < text.size(); size = text.find('\n', size + 1)) {
            const RdmaState part = read_rdma_state(text.substr(0, size));
            RdmaState both = whole;
            for (const RdmaDevice& card : part.devices)
                merge(card, both.devices[0], both.disagreements);
            EXPECT_EQ(both.devices, whole.devices) << size;
            EXPECT_THAT(both.disagreements, IsEmpty()) << size;
        }
    }
}

TEST(RdmaState, OtherTextsAreNotTaken) {
    for (const char* text :
         {"", "\n\n", "hello: world\nstate: fine\nRate: 5\n", "00:01.0 VGA compatible controller: Example\n",
          "Port 1:\n\tState: Active\n", "Handle 0x0001, DMI type 1, 27 bytes\n\tManufacturer: Example\n",
          "ibstat is a tool\nstate: x\n", "GID[ 5000]: ::1\nGID[0]: nothing\n", "port:\t1\n"})
        EXPECT_FALSE(looks_like_rdma_state(text)) << text;
    EXPECT_TRUE(looks_like_rdma_state(kIbstat));
    EXPECT_TRUE(looks_like_rdma_state("Priority trust state: pcp\n"));
}

TEST(RdmaState, HugeTextsTakeLinearTime) {
    std::string text;
    for (int i = 0; i < 20000; ++i)
        text += "CA 'a'\nPort 1:\nState: Active\nGID[ 1]: ::1\n";
    const RdmaState state = read_rdma_state(text);
    EXPECT_THAT(state.devices, SizeIs(1));
    EXPECT_EQ(state.lines, 80000);
}

TEST(RdmaState, KeepsAFewInterfacesOfADevice) {
    std::string text;
    for (int i = 0; i < 1000; ++i)
        text += "mlx5_0 port 1 ==> ens" + std::to_string(i) + " (Up)\n";
    const RdmaState state = read_rdma_state(text);
    ASSERT_EQ(state.devices.size(), 1U);
    EXPECT_EQ(state.devices[0].interfaces.size(), 256U) << "more would cost square time";
    EXPECT_EQ(state.devices[0].interfaces[1], "ens1");
}

}  // namespace
}  // namespace gpuadapt::ingest

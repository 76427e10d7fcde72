// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/management.hpp>
#include <gpuadapt/host/memory_root.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr const char* kFunction = "0000:3a:00.0";
constexpr const char* kNoGid = "0000:0000:0000:0000:0000:0000:0000:0000";

/// A machine of which only the network is there. Its answers are changed before a MemoryRoot is made of them.
class Network : public testing::Test {
  protected:
    Network() {
        file("/sys/class/tty/x", "");
        file("/proc/cpuinfo", "");
    }
    void file(const std::string& path, const std::string& text) {
        answers_.files[path] = {AnswerStatus::ok, text + "\n", ""};
    }
    void link(const std::string& path, const std::string& target) {
        answers_.links[path] = {AnswerStatus::ok, target, ""};
    }
    void tool(const std::vector<std::string>& argv, const std::string& output, int code = 0) {
        CommandResult result;
        result.status = CommandStatus::exited;
        result.code = code;
        result.output = output;
        answers_.commands[argv] = result;
    }

    void interface(const std::string& name, const std::string& place) {
        const std::string folder = "/sys/class/net/" + name;
        link(folder, "../../devices/" + place + "/net/" + name);
        file(folder + "/mtu", "1500");
        file(folder + "/type", "1");
        file(folder + "/operstate", "up");
        file(folder + "/speed", "-1");
    }
    /// A card with one port and its interface.
    void card(const std::string& layer) {
        interface("ens1", fmt::format("pci0000:3a/{}", kFunction));
        link("/sys/class/net/ens1/device/driver", "../../bus/pci/drivers/mlx5_core");
        link("/sys/class/infiniband/mlx5_0", fmt::format("../../devices/pci0000:3a/{}/infiniband/mlx5_0", kFunction));
        link(kDevice + "/device/driver", "../../../../bus/pci/drivers/mlx5_core");
        file(kDevice + "/device/net/ens1/mtu", "1500");
        file(kDevice + "/fw_ver", "28.39.1002");
        file(kDevice + "/board_id", "EX_0000000042");
        file(kDevice + "/hca_type", "MT4129");
        file(kDevice + "/node_type", "1: CA");
        file(kDevice + "/node_guid", "a088:c203:0030:9a0d");
        file(kPort + "state", "4: ACTIVE");
        file(kPort + "phys_state", "5: LinkUp");
        file(kPort + "rate", "400 Gb/sec (4X NDR)");
        file(kPort + "link_layer", layer);
        file(kPort + "lid", "0x96");
        file(kPort + "sm_lid", "0x1");
    }
    void gid(int index, const std::string& address, const std::string& type, const std::string& interface) {
        file(fmt::format("{}gids/{}", kPort, index), address);
        if (!type.empty())
            file(fmt::format("{}gid_attrs/types/{}", kPort, index), type);
        if (!interface.empty())
            file(fmt::format("{}gid_attrs/ndevs/{}", kPort, index), interface);
    }
    [[nodiscard]] Machine probe(const char* name = "net_tools") const {
        MemoryRoot root(answers_);
        return probe_machine(root, {name});
    }
    [[nodiscard]] static std::vector<std::string> verbs_command() {
        return management_command(*find_management_library("verbs"));
    }

    const std::string kDevice = "/sys/class/infiniband/mlx5_0";
    const std::string kPort = "/sys/class/infiniband/mlx5_0/ports/1/";
    Answers answers_;
};

TEST_F(Network, WithoutInfinibandNothingIsAsked) {
    const Machine none = probe();
    EXPECT_THAT(none.rdma_devices, IsEmpty());
    EXPECT_THAT(none.unread, IsEmpty());
    answers_.lists["/sys/class/infiniband"] = {AnswerStatus::ok, {}, ""};
    const Machine empty = probe();
    EXPECT_THAT(empty.rdma_devices, IsEmpty());
    EXPECT_THAT(empty.unread, IsEmpty());
}

TEST_F(Network, EverythingOfACard) {
    card("Ethernet");
    file(kPort + "counters/link_downed", "3");
    file(kPort + "counters/symbol_error", "N/A (no PMA)");
    file(kPort + "counters/port_rcv_data", "99999999999999999999");
    file(kPort + "hw_counters/out_of_sequence", "7");
    file(kPort + "hw_counters/lifespan", "10");
    file(kDevice + "/tc/1/traffic_class", "Global tclass=106");
    gid(0, "fe80:0000:0000:0000:0ac0:ebff:fe00:0001", "IB/RoCE v1", "ens1");
    gid(1, kNoGid, "", "");
    gid(2, "fe80:0000:0000:0000:0000:0000:0000:0000", "IB/RoCE v1", "ens1");
    gid(5, "0000:0000:0000:0000:0000:ffff:c000:0201", "RoCE v2", "bond0.100");
    const Machine machine = probe();
    ASSERT_EQ(machine.rdma_devices.size(), 1U);
    const RdmaDevice& device = machine.rdma_devices[0];
    EXPECT_EQ(device.pci_address, kFunction);
    EXPECT_EQ(device.driver, "mlx5_core");
    EXPECT_EQ(device.model, "MT4129");
    EXPECT_EQ(device.board_id, "EX_0000000042");
    EXPECT_EQ(device.node_guid, "a088:c203:0030:9a0d");
    EXPECT_EQ(device.node_type, "CA");
    EXPECT_THAT(device.interfaces, ElementsAre("ens1"));
    ASSERT_EQ(device.ports.size(), 1U);
    const RdmaPort& port = device.ports[0];
    EXPECT_EQ(port.state, "ACTIVE");
    EXPECT_EQ(port.phys_state, "LinkUp");
    EXPECT_EQ(port.rate_gbit_s, 400);
    EXPECT_EQ(port.width, 4);
    EXPECT_EQ(port.lid, 150);
    EXPECT_EQ(port.sm_lid, 1);
    EXPECT_EQ(port.mtu_bytes, std::nullopt) << "no file says it, and nobody else answered";
    EXPECT_THAT(port.counters, UnorderedElementsAre(Pair("link_downed", 3), Pair("out_of_sequence", 7)));
    ASSERT_EQ(port.gids.size(), 2U);
    EXPECT_EQ(port.gids[0], (RdmaGid{0, "fe80:0000:0000:0000:0ac0:ebff:fe00:0001", "IB/RoCE v1", "ens1"}));
    EXPECT_EQ(port.gids[1], (RdmaGid{5, "0000:0000:0000:0000:0000:ffff:c000:0201", "RoCE v2", "bond0.100"}));
    EXPECT_EQ(machine.settings.at(kDevice + "/tc/1/traffic_class"), "Global tclass=106");
}

TEST_F(Network, WhatCannotBeReadIsNotVirtual) {
    file("/sys/class/net/e0/mtu", "1500");
    const auto is_virtual = [&] {
        MemoryRoot root(answers_);
        return probe_machine(root, {"net"}).interfaces.at(0).virtual_device;
    };
    EXPECT_EQ(is_virtual(), true) << "old kernels have folders, and no device of a bridge";
    for (const AnswerStatus status : {AnswerStatus::denied, AnswerStatus::timed_out}) {
        answers_.links["/sys/class/net/e0"] = {status, "", "no"};
        answers_.links["/sys/class/net/e0/device"] = {status, "", "no"};
        EXPECT_EQ(is_virtual(), std::nullopt);
    }
    link("/sys/class/net/e0/device", "../../../0000:3a:00.0");
    EXPECT_EQ(is_virtual(), false);
}

TEST_F(Network, InfinibandHasNoInterfaceOfAGid) {
    card("InfiniBand");
    gid(0, "fe80:0000:0000:0000:a088:c203:0030:9a0d", "IB/RoCE v1", "");
    gid(1, kNoGid, "", "");
    const Machine machine = probe("rdma");
    ASSERT_EQ(machine.rdma_devices[0].ports[0].gids.size(), 1U);
    EXPECT_EQ(machine.rdma_devices[0].ports[0].gids[0].interface, std::nullopt);
    EXPECT_THAT(machine.unread, IsEmpty()) << "attributes of an empty slot do not exist: that is normal";
}

TEST_F(Network, AGidTableIsReadUntilItIsEmpty) {
    card("Ethernet");
    for (int i = 0; i < 256; ++i)
        gid(i, kNoGid, "", "");
    gid(31, "0000:0000:0000:0000:0000:ffff:c000:0201", "RoCE v2", "ens1");
    gid(62, "0000:0000:0000:0000:0000:ffff:c000:0202", "RoCE v2", "ens1");
    answers_.files[kPort + "gids/200"] = {AnswerStatus::failed, "", "must not be read"};
    const Machine machine = probe("rdma");
    ASSERT_EQ(machine.rdma_devices[0].ports[0].gids.size(), 2U);
    EXPECT_EQ(machine.rdma_devices[0].ports[0].gids[1].index, 62);
    EXPECT_THAT(machine.unread, IsEmpty());
}

TEST_F(Network, APortThatVanishesIsUnknown) {
    card("Ethernet");
    for (const char* name : {"state", "phys_state", "rate", "link_layer", "lid", "sm_lid"})
        answers_.files.erase(kPort + name);
    answers_.lists[kDevice + "/ports"] = {AnswerStatus::ok, {"1"}, ""};
    answers_.lists[kPort + "counters"] = {AnswerStatus::ok, {"link_downed"}, ""};
    const Machine machine = probe("rdma");
    ASSERT_EQ(machine.rdma_devices[0].ports.size(), 1U);
    RdmaPort empty;
    empty.number = 1;
    EXPECT_EQ(machine.rdma_devices[0].ports[0], empty);
    ASSERT_EQ(machine.unread.size(), 1U);
    EXPECT_EQ(machine.unread[0].path, kPort + "state");
}

TEST_F(Network, GuidsOfOtherForms) {
    card("Ethernet");
    file(kDevice + "/node_guid", "0000:0000:1234:5678");
    EXPECT_EQ(probe("rdma").rdma_devices[0].node_guid, "0000:0000:1234:5678");
    for (const char* text : {"1234:5678", "0x12345678x", "a088:c203:0030:9a0dEOF", "a088-c203-0030-9a0d", ""}) {
        file(kDevice + "/node_guid", text);
        EXPECT_EQ(probe("rdma").rdma_devices[0].node_guid, std::nullopt) << text;
    }
}

TEST_F(Network, RdmaInSoftwareStandsOnAnInterface) {
    link("/sys/class/infiniband/rxe0", "../../devices/virtual/infiniband/rxe0");
    file("/sys/class/infiniband/rxe0/parent", "eth0");
    file("/sys/class/infiniband/rxe0/ports/1/state", "4: ACTIVE");
    const Machine machine = probe("rdma");
    ASSERT_EQ(machine.rdma_devices.size(), 1U);
    EXPECT_THAT(machine.rdma_devices[0].interfaces, ElementsAre("eth0"));
    EXPECT_EQ(machine.rdma_devices[0].pci_address, std::nullopt);
}

TEST_F(Network, BondAndVlan) {
    for (const char* name : {"ens1", "ens2"}) {
        interface(name, "pci0000:3a/0000:3a:00." + std::string(name == std::string("ens1") ? "0" : "1"));
        link(fmt::format("/sys/class/net/{}/master", name), "../bond0");
    }
    interface("bond0", "virtual");
    file("/sys/class/net/bond0/bonding/mode", "802.3ad 4");
    link("/sys/class/net/bond0/lower_ens1", "../../../pci0000:3a/0000:3a:00.0/net/ens1");
    link("/sys/class/net/bond0/lower_ens2", "../../../pci0000:3a/0000:3a:00.1/net/ens2");
    interface("bond0.100", "virtual");
    link("/sys/class/net/bond0.100/lower_bond0", "../bond0");
    file("/sys/class/net/bonding_masters", "bond0");
    const auto interfaces = probe("net").interfaces;
    ASSERT_EQ(interfaces.size(), 4U);
    EXPECT_EQ(interfaces[0].name, "bond0");
    EXPECT_EQ(interfaces[0].bond_mode, "802.3ad");
    EXPECT_EQ(interfaces[0].virtual_device, true);
    EXPECT_THAT(interfaces[0].lower, ElementsAre("ens1", "ens2"));
    EXPECT_EQ(interfaces[1].name, "bond0.100");
    EXPECT_THAT(interfaces[1].lower, ElementsAre("bond0"));
    EXPECT_EQ(interfaces[1].bond_mode, std::nullopt);
    EXPECT_EQ(interfaces[2].master, "bond0");
    EXPECT_EQ(interfaces[2].virtual_device, false);
    EXPECT_EQ(interfaces[2].speed_mbit_s, std::nullopt);
}

TEST_F(Network, CongestionControlOfOfed) {
    card("Ethernet");
    for (int i = 0; i < 8; ++i) {
        file(fmt::format("/sys/class/net/ens1/ecn/roce_np/enable/{}", i), i == 3 ? "1" : "0");
        file(fmt::format("/sys/class/net/ens1/ecn/roce_rp/enable/{}", i), "1");
    }
    file("/sys/class/net/ens1/ecn/roce_np/cnp_dscp", "48");
    answers_.files["/sys/class/net/ens1/ecn/roce_np/cnp_802p_prio"] = {AnswerStatus::denied, "", ""};
    const Machine machine = probe("net");
    EXPECT_THAT(machine.interfaces[0].qos,
                UnorderedElementsAre(Pair("ecn_np", "0,0,0,1,0,0,0,0"), Pair("ecn_rp", "1,1,1,1,1,1,1,1"),
                                     Pair("cnp_dscp", "48")));
    EXPECT_EQ(machine.unread.size(), 1U) << "denied is unknown, not off";
}

TEST_F(Network, TheMtuComesFromVerbs) {
    card("Ethernet");
    tool(verbs_command(),
         "\x1e{\"rdma_devices\": [{\"name\": \"mlx5_0\", \"node_guid\": \"a088:c203:0030:9a0d\", \"ports\": "
         "[{\"number\": 1, \"mtu_bytes\": 1024, \"max_mtu_bytes\": 4096}, {\"number\": 2, \"mtu_bytes\": 256}]}]}\x1e");
    tool({"ibv_devinfo", "-v"}, "must not be asked");
    const Machine machine = probe();
    ASSERT_EQ(machine.rdma_devices[0].ports.size(), 1U) << "a port that the kernel does not have is not invented";
    EXPECT_EQ(machine.rdma_devices[0].ports[0].mtu_bytes, 1024);
    EXPECT_EQ(machine.rdma_devices[0].ports[0].max_mtu_bytes, 4096);
    EXPECT_EQ(machine.sources.at("rdma_devices.mtu_bytes"), "libibverbs");
    EXPECT_THAT(machine.unread, IsEmpty());
}

TEST_F(Network, TheMtuComesFromIbvDevinfoWhereVerbsFails) {
    card("Ethernet");
    tool(verbs_command(), "\x1e{\"unread\": [{\"path\": \"libibverbs\", \"reason\": \"not there\"}]}\x1e");
    tool({"ibv_devinfo", "-v"},
         "hca_id:\tmlx5_0\n\tnode_guid:\ta088:c203:0030:9a0d\n\t\tport:\t1\n\t\t\tmax_mtu:\t4096 (5)\n"
         "\t\t\tactive_mtu:\t2048 (4)\n");
    const Machine machine = probe();
    EXPECT_EQ(machine.rdma_devices[0].ports[0].mtu_bytes, 2048);
    EXPECT_EQ(machine.sources.at("rdma_devices.mtu_bytes"), "ibv_devinfo -v");
    ASSERT_EQ(machine.unread.size(), 1U);
    EXPECT_EQ(machine.unread[0].reason, "not there");
}

TEST_F(Network, AnotherDeviceOfTheSameNameIsNotTaken) {
    card("Ethernet");
    tool(verbs_command(),
         "\x1e{\"rdma_devices\": [{\"name\": \"mlx5_0\", \"node_guid\": \"0000:0000:0000:0001\", \"ports\": "
         "[{\"number\": 1, \"mtu_bytes\": 1024}]}]}\x1e");
    EXPECT_EQ(probe().rdma_devices[0].ports[0].mtu_bytes, std::nullopt);
}

TEST_F(Network, ToolsFillWhatFilesDoNotTell) {
    card("Ethernet");
    interface("eno1", "pci0000:00/0000:00:1c.0/0000:04:00.0");
    tool({"ethtool", "-i", "eno1"},
         "driver: igb\nversion: 6.1.0\nfirmware-version: 3.25, 0x800005cf\nexpansion-rom-version: \nbus-info: "
         "0000:04:00.0\n"
         "supports-statistics: yes\n");
    tool({"ethtool", "-i", "ens1"}, "firmware-version: must not be asked\n");
    tool({"mlnx_qos", "-i", "ens1"},
         "DCBX mode: OS controlled\nPriority trust state: dscp\nPFC configuration:\n\tpriority    0   1   2   3   4   "
         "5   6   7\n"
         "\tenabled     0   0   0   1   0   0   0   0   \n");
    const auto interfaces = probe().interfaces;
    ASSERT_EQ(interfaces.size(), 2U);
    EXPECT_EQ(interfaces[0].firmware, "3.25, 0x800005cf");
    EXPECT_THAT(interfaces[0].qos, IsEmpty());
    EXPECT_EQ(interfaces[1].firmware, std::nullopt) << "the RDMA device of that function has it";
    EXPECT_EQ(interfaces[1].qos.at("trust"), "dscp");
    EXPECT_EQ(interfaces[1].qos.at("pfc"), "0,0,0,1,0,0,0,0");
}

TEST_F(Network, AToolThatFailsIsANote) {
    interface("eno1", "pci0000:00/0000:00:1c.0/0000:04:00.0");
    tool({"ethtool", "-i", "eno1"}, "", 71);
    const Machine machine = probe();
    EXPECT_EQ(machine.interfaces[0].firmware, std::nullopt);
    ASSERT_EQ(machine.unread.size(), 1U);
    EXPECT_EQ(machine.unread[0], (Unread{"ethtool -i eno1", "exit status 71"}));
}

}  // namespace
}  // namespace gpuadapt

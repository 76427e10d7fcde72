// SPDX-License-Identifier: Apache-2.0
#include "ingest/scan.hpp"

#include <gpuadapt/ingest/net_words.hpp>
#include <gpuadapt/ingest/rdma_words.hpp>

#include <string>

#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

TEST(RdmaWords, StatesOfEveryTool) {
    for (const char* text : {"4: ACTIVE", "PORT_ACTIVE (4)", "Active", "ACTIVE", "(ACTIVE)"})
        EXPECT_EQ(port_state(text), "ACTIVE") << text;
    EXPECT_EQ(port_state("Initializing"), "INIT");
    EXPECT_EQ(port_state("PORT_ACTIVE_DEFER (5)"), "ACTIVE_DEFER");
    for (const char* text : {"5: LinkUp", "LinkUp", "LINK_UP (5)", "LINK_UP"})
        EXPECT_EQ(physical_state(text), "LinkUp") << text;
    EXPECT_EQ(physical_state("PORT_CONFIGURATION TRAINNING (4)"), "PortConfigurationTraining");
    EXPECT_EQ(physical_state("7: Phy Test"), "Phy Test");
    for (const char* text : {"", "0: <unknown>", "???", "4: ACTIVE", "up", "\xff\xfe"})
        EXPECT_EQ(physical_state(text), std::nullopt) << text;
    for (const char* text : {"", "1: ", "invalid state", "LinkUp"})
        EXPECT_EQ(port_state(text), std::nullopt) << text;
}

TEST(RdmaWords, Rates) {
    EXPECT_EQ(port_rate("100 Gb/sec (4X EDR)")->gbit_s, 100);
    EXPECT_EQ(port_rate("100 Gb/sec (4X EDR)")->width, 4);
    EXPECT_EQ(port_rate("2.5 Gb/sec (1X SDR)")->gbit_s, 2.5);
    EXPECT_EQ(port_rate("600 Gb/sec (12X HDR)")->width, 12);
    EXPECT_EQ(port_rate("10 Gb/sec (4X)")->width, 4);
    EXPECT_EQ(port_rate("400")->gbit_s, 400);
    EXPECT_EQ(port_rate("400")->width, std::nullopt);
    EXPECT_EQ(port_rate("40 (FDR10)")->gbit_s, 40);
    EXPECT_EQ(port_rate("40 (FDR10)")->width, std::nullopt);
    for (const char* text : {"", "fast", "nan Gb/sec", "-1 Gb/sec", "inf Gb/sec", "x Gb/sec", "5 GB/s", "1e9 Gb/sec"})
        EXPECT_FALSE(port_rate(text)) << text;
}

TEST(RdmaWords, Guids) {
    EXPECT_EQ(node_guid("0xe41d2d03007b4080"), "e41d:2d03:007b:4080");
    EXPECT_EQ(node_guid("E41D:2D03:007B:4080"), "e41d:2d03:007b:4080");
    EXPECT_EQ(node_guid("0x2d03"), "0000:0000:0000:2d03");
    for (const char* text : {"", "0x", "0x12345678123456780", "e41d2d03007b4080", "e41d:2d03:007b:408",
                             "e41d:2d03:007b:4080EOF", "e41d:2d03:007b-4080", ":::"})
        EXPECT_EQ(node_guid(text), std::nullopt) << text;
}

TEST(RdmaWords, Gids) {
    EXPECT_EQ(gid("fe80::ac0:ebff:feda:1cfb"), "fe80:0000:0000:0000:0ac0:ebff:feda:1cfb");
    EXPECT_EQ(gid("::ffff:192.0.2.6"), "0000:0000:0000:0000:0000:ffff:c000:0206");
    EXPECT_EQ(gid(std::string_view("::1\0x", 5)), std::nullopt);
    for (const char* text : {"", "unknown", "fe80", "192.0.2.6", "fe80:0000:0000:0000:0ac0:ebff:feda"})
        EXPECT_EQ(gid(text), std::nullopt) << text;
    EXPECT_TRUE(is_empty_gid("0000:0000:0000:0000:0000:0000:0000:0000"));
    EXPECT_TRUE(is_empty_gid("fe80:0000:0000:0000:0000:0000:0000:0000"));
    EXPECT_TRUE(is_empty_gid(""));
    EXPECT_FALSE(is_empty_gid("fe80:0000:0000:0000:0000:0000:0000:0001"));
    EXPECT_EQ(gid_type("RoCE v2"), "RoCE v2");
    for (const char* text : {"IB/RoCE v1", "RoCE v1", "v1", "IB"})
        EXPECT_EQ(gid_type(text), "IB/RoCE v1") << text;
    EXPECT_EQ(gid_type("v3"), std::nullopt);
}

TEST(RdmaWords, Numbers) {
    EXPECT_EQ(local_id("0xffff"), 65535);
    EXPECT_EQ(local_id("13247"), 13247);
    EXPECT_EQ(local_id("0x"), std::nullopt);
    EXPECT_EQ(local_id("-1"), std::nullopt);
    EXPECT_EQ(local_id("0xffffffff"), std::nullopt);
    EXPECT_EQ(mtu_bytes("4096 (5)"), 4096);
    EXPECT_EQ(mtu_bytes("invalid MTU (0)"), std::nullopt);
    EXPECT_EQ(node_type("1: CA"), "CA");
    EXPECT_EQ(node_type("rnic"), "RNIC");
    EXPECT_EQ(node_type("7: <unknown>"), std::nullopt);
    EXPECT_TRUE(is_pci_address("0000:3a:00.0"));
    EXPECT_TRUE(is_pci_address("10000:3a:00.0"));
    for (const char* text : {"", "3a:00.0", "0000:3a:00.8", "123456789:3a:00.0", "000g:3a:00.0", "x0000:3a:00.0"})
        EXPECT_FALSE(is_pci_address(text)) << text;
}

TEST(NetWords, Files) {
    NetInterface interface;
    const auto take = [&](const char* name, const char* text) {
        const auto* const file = find_file(interface_files(), name);
        return file != nullptr && file->take(text, interface);
    };
    EXPECT_TRUE(take("type", "32"));
    EXPECT_EQ(interface.kind, "infiniband");
    EXPECT_TRUE(take("speed", "-1")) << "understood: the driver does not know";
    EXPECT_EQ(interface.speed_mbit_s, std::nullopt);
    EXPECT_FALSE(take("speed", "fast"));
    EXPECT_TRUE(take("bonding/mode", "active-backup 1"));
    EXPECT_EQ(interface.bond_mode, "active-backup");
    EXPECT_FALSE(take("mtu", "-5"));
    EXPECT_FALSE(take("unheard", "5"));
    EXPECT_FALSE(take_ecn_file("roce_np/enable/8", "1", interface));
    EXPECT_FALSE(take_ecn_file("roce_np/enable/", "1", interface));
    EXPECT_FALSE(take_ecn_file("roce_np/cnp_dscp", "no", interface));
    EXPECT_TRUE(take_ecn_file("roce_rp/enable/2", "1", interface));
    EXPECT_EQ(interface.qos.at("ecn_rp"), "-,-,1,-,-,-,-,-");
}

TEST(TextLine, Lists) {
    std::string list;
    put_in_list(list, 3, 1, "x");
    EXPECT_EQ(list, "-,x,-");
    put_in_list(list, 3, 0, "y");
    put_in_list(list, 3, 7, "z");
    EXPECT_EQ(list, "y,x,-");
}

}  // namespace
}  // namespace gpuadapt::ingest

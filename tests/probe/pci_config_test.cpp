// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_config.hpp"

#include "probe/support/config_space.hpp"

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using test::ConfigSpace;

PciDevice decode(std::string_view bytes, const PciFunction& function = {}) {
    return decode_pci_config(bytes, function).device;
}

TEST(PciConfig, DecodesAnEndpoint) {
    ConfigSpace space;
    space.express(0).link(5, 16, 4, 8, 5).dword(0x84, 0x2).word(0x88, 0x1 << 5 | 0x5 << 12);
    space.word(0x2c, 0x10de).word(0x2e, 0x16c1);
    space.dword(0x100, 0x0001 | 2 << 16 | 0x148u << 20)
        .dword(0x148, 0x000d | 1 << 16)
        .word(0x14c, 0x5f)
        .word(0x14e, 0x1d);
    const PciDevice config = decode(space.bytes());
    EXPECT_EQ(config.config_bytes, 4096);
    EXPECT_EQ(config.vendor_id, 0x10de);
    EXPECT_EQ(config.device_id, 0x2330);
    EXPECT_EQ(config.class_code, 0x030200);
    EXPECT_EQ(config.revision, 0xa1);
    EXPECT_EQ(config.subsystem_vendor_id, 0x10de);
    EXPECT_EQ(config.subsystem_device_id, 0x16c1);
    EXPECT_EQ(config.port_type, "endpoint");
    EXPECT_EQ(config.link.capable_gt_s, 32.0);
    EXPECT_EQ(config.link.current_gt_s, 16.0);
    EXPECT_EQ(config.link.target_gt_s, 32.0);
    EXPECT_EQ(config.link.capable_width, 16);
    EXPECT_EQ(config.link.current_width, 8);
    EXPECT_EQ(config.max_payload_capable_bytes, 512);
    EXPECT_EQ(config.max_payload_bytes, 256);
    EXPECT_EQ(config.max_read_request_bytes, 4096);
    EXPECT_EQ(config.acs, (PciAcs{0x5f, 0x1d}));
}

TEST(PciConfig, NamesPortTypes) {
    const std::pair<unsigned, const char*> types[] = {
        {0, "endpoint"},      {1, "legacy endpoint"}, {4, "root port"},
        {5, "upstream port"}, {6, "downstream port"}, {9, "root complex integrated endpoint"},
        {2, "type 2"},        {15, "type 15"},
    };
    for (const auto& [type, name] : types)
        EXPECT_EQ(decode(ConfigSpace().express(type).bytes()).port_type, name);
}

TEST(PciConfig, SpeedAndWidthCodes) {
    const std::pair<unsigned, double> speeds[] = {{1, 2.5}, {2, 5}, {3, 8}, {4, 16}, {5, 32}, {6, 64}};
    for (const auto& [code, speed] : speeds) {
        const PciLink link = decode(ConfigSpace().express(0).link(code, 1, code, 1, code).bytes()).link;
        EXPECT_EQ(link.capable_gt_s, speed);
        EXPECT_EQ(link.current_gt_s, speed);
        EXPECT_EQ(link.target_gt_s, speed);
        EXPECT_EQ(link.capable_width, 1);
        EXPECT_EQ(link.current_width, 1);
    }
    // Codes that are not defined are no value.
    const PciLink link = decode(ConfigSpace().express(0).link(15, 3, 15, 63, 15).bytes()).link;
    EXPECT_EQ(link.capable_gt_s, std::nullopt);
    EXPECT_EQ(link.current_gt_s, std::nullopt);
    EXPECT_EQ(link.target_gt_s, std::nullopt);
    EXPECT_EQ(link.capable_width, std::nullopt);
    EXPECT_EQ(link.current_width, std::nullopt);
}

TEST(PciConfig, ALinkWithoutPartnerHasNoSpeed) {
    const PciLink link = decode(ConfigSpace().express(6).link(5, 16, 1, 0, 5).bytes()).link;
    EXPECT_EQ(link.capable_gt_s, 32.0);
    EXPECT_EQ(link.current_gt_s, std::nullopt);
    EXPECT_EQ(link.target_gt_s, 32.0);
    EXPECT_EQ(link.capable_width, 16);
    EXPECT_EQ(link.current_width, 0);
}

TEST(PciConfig, TargetSpeedZeroMeansTwoPointFiveWhereNothingElseIsPossible) {
    EXPECT_EQ(decode(ConfigSpace().express(0).link(1, 1, 1, 1, 0).bytes()).link.target_gt_s, 2.5);
    EXPECT_EQ(decode(ConfigSpace().express(0).link(5, 1, 5, 1, 0).bytes()).link.target_gt_s, std::nullopt);
    EXPECT_EQ(decode(ConfigSpace().express(0, 1).link(1, 1, 1, 1, 1).bytes()).link.target_gt_s, std::nullopt)
        << "version 1 of the capability ends before that register";
}

TEST(PciConfig, WhatIsInsideTheRootComplexHasNoLink) {
    for (const unsigned type : {9U, 10U})
        EXPECT_EQ(decode(ConfigSpace().express(type).link(5, 16, 5, 16, 5).bytes()).link, PciLink{});
}

TEST(PciConfig, ReservedSizesAreNoValue) {
    const PciDevice config = decode(ConfigSpace().express(0).dword(0x84, 7).word(0x88, 6 << 5 | 7 << 12).bytes());
    EXPECT_FALSE(config.max_payload_capable_bytes || config.max_payload_bytes || config.max_read_request_bytes);
}

TEST(PciConfig, ABridgeHasItsSubsystemInACapability) {
    ConfigSpace space;
    space.byte(0x0e, 1).word(0x2c, 0x1234).byte(0x61, 0xc0).byte(0xc0, 0x0d).word(0xc4, 0x15b3).word(0xc6, 7);
    PciDevice config = decode(space.bytes());
    EXPECT_EQ(config.subsystem_vendor_id, 0x15b3);
    EXPECT_EQ(config.subsystem_device_id, 7);
    config = decode(ConfigSpace().byte(0x0e, 1).word(0x2c, 0x1234).bytes());
    EXPECT_FALSE(config.subsystem_vendor_id);
}

TEST(PciConfig, ShortSpacesGiveNoValuesOfTheRest) {
    ConfigSpace space;
    space.express(4).link(5, 16, 5, 16, 5).dword(0x84, 2).dword(0x100, 0x000d).dword(0x104, 0x001d005f);
    const PciDevice whole = decode(space.bytes());
    ASSERT_TRUE(whole.acs);
    for (std::size_t size = 0; size < 4096; ++size) {
        const PciDevice config = decode(space.bytes().substr(0, size));
        EXPECT_FALSE(config.acs) << size;
        EXPECT_EQ(config.vendor_id.has_value(), size >= 64) << size;
        EXPECT_LE(config.config_bytes, static_cast<int>(size));
        if (size <= 64) {
            EXPECT_FALSE(config.port_type || config.max_payload_bytes || config.link != PciLink{}) << size;
        }
        if (config.link.target_gt_s) {
            EXPECT_EQ(config.link.target_gt_s, 32.0) << size;
            EXPECT_GE(size, 0xb2U);
        }
    }
    EXPECT_EQ(decode(space.bytes().substr(0, 64)).config_bytes, 64);
    EXPECT_EQ(decode(space.bytes().substr(0, 128)).config_bytes, 128);
    EXPECT_EQ(decode(space.bytes().substr(0, 256)).config_bytes, 256);
    EXPECT_EQ(decode(space.bytes().substr(0, 256)).link, whole.link);
}

TEST(PciConfig, ADeadDeviceHasNoValues) {
    EXPECT_FALSE(decode_pci_config(std::string(4096, '\xff')).answers);
    const PciDevice config = decode(std::string(4096, '\xff'));
    EXPECT_FALSE(config.vendor_id || config.class_code || config.port_type || config.acs);
    EXPECT_TRUE(decode_pci_config(std::string(4096, '\0')).answers);
}

TEST(PciConfig, AVirtualFunctionHasNoIdentity) {
    const PciDevice config = decode(ConfigSpace().dword(0, 0xffffffff).express(0).bytes());
    EXPECT_FALSE(config.vendor_id || config.device_id);
    EXPECT_EQ(config.port_type, "endpoint");
}

TEST(PciConfig, ChainsThatRunInACircleEnd) {
    EXPECT_FALSE(decode(ConfigSpace().byte(0x61, 0x60).bytes()).port_type);
    EXPECT_FALSE(decode(ConfigSpace().byte(0x61, 0x34).bytes()).port_type) << "into the header";
    EXPECT_FALSE(decode(ConfigSpace().byte(0x60, 0xff).bytes()).port_type);
    EXPECT_FALSE(decode(ConfigSpace().word(0x06, 0).bytes()).port_type) << "status says: no list";
    for (const std::uint32_t next : {0x100U, 0x104U, 0xffcU, 0x080U})
        EXPECT_FALSE(
            decode(ConfigSpace().express(0).dword(0x100, 0x0001 | next << 20).dword(0x104, 0x2 | 0x100u << 20).bytes())
                .acs);
    EXPECT_FALSE(decode(ConfigSpace().express(0).dword(0x100, 0xffffffff).bytes()).acs);
}

TEST(PciConfig, BrokenListsMakeTheRestUnknown) {
    // The list runs in a circle before it comes to PCI Express: what is there is not known.
    PciConfig config = decode_pci_config(ConfigSpace().byte(0x61, 0x60).bytes());
    EXPECT_EQ(config.damage, "the list of capabilities is broken at 0x60");
    EXPECT_EQ(config.device.config_bytes, 64);
    EXPECT_EQ(config.has_vpd, std::nullopt);
    EXPECT_EQ(config.has_aer, std::nullopt);
    // Behind PCI Express: its registers are good.
    config = decode_pci_config(ConfigSpace().express(0).byte(0x81, 0x60).bytes());
    EXPECT_EQ(config.damage, "the list of capabilities is broken at 0x60");
    EXPECT_EQ(config.device.port_type, "endpoint");
    EXPECT_EQ(config.device.config_bytes, 4096);
    // What was found before the break stays; that there is no more of them is not known.
    config = decode_pci_config(
        ConfigSpace().express(0).dword(0x100, 0x000d | 0x200u << 20).dword(0x104, 0x1d005f).dword(0x200, 0).bytes());
    EXPECT_EQ(config.damage, "the list of extended capabilities is broken at 0x200");
    EXPECT_EQ(config.device.config_bytes, 256);
    EXPECT_EQ(config.device.acs, (PciAcs{0x5f, 0x1d}));
    EXPECT_EQ(config.has_aer, std::nullopt);
    for (const std::uint32_t header : {0xffffffffU, 0x0001U | 0x080u << 20, 0x0001U | 0x100u << 20}) {
        config = decode_pci_config(ConfigSpace().express(0).dword(0x100, header).bytes());
        EXPECT_EQ(config.device.config_bytes, 256) << header;
        EXPECT_TRUE(config.damage) << header;
    }
    // Lists that are good: an empty one, and one whose first entry a hypervisor has hidden.
    config = decode_pci_config(ConfigSpace().express(0).bytes());
    EXPECT_EQ(config.device.config_bytes, 4096);
    EXPECT_EQ(config.has_aer, false);
    EXPECT_FALSE(config.damage);
    config = decode_pci_config(ConfigSpace().express(0).dword(0x100, 0x200u << 20).dword(0x200, 0x0001).bytes());
    EXPECT_EQ(config.has_aer, true);
    EXPECT_FALSE(config.damage);
    EXPECT_EQ(decode_pci_config(ConfigSpace(256).express(0).bytes()).has_aer, std::nullopt);
    EXPECT_EQ(decode_pci_config(ConfigSpace().bytes().substr(0, 64)).has_vpd, std::nullopt);
}

TEST(PciConfig, AsksForWhatItNeedsOnly) {
    ConfigSpace space;
    space.express(0).dword(0x100, 0x0001 | 0x400u << 20).dword(0x400, 0x000d).dword(0x404, 0x1);
    std::set<std::size_t> asked;
    const std::string& bytes = space.bytes();
    const PciConfig config = decode_pci_config([&](std::size_t offset, std::size_t size) {
        EXPECT_TRUE(asked.insert(offset).second) << "twice: " << offset;
        return bytes.substr(offset, size);
    });
    EXPECT_EQ(config.device.acs, (PciAcs{1, 0}));
    EXPECT_EQ(asked,
              (std::set<std::size_t>{0, 0x2c, 0x34, 0x3c, 0x60, 0x64, 0x80, 0x84, 0xa4, 0x100, 0x400, 0x404, 0xffc}));
    asked.clear();
    static_cast<void>(decode_pci_config([&](std::size_t offset, std::size_t size) {
        asked.insert(offset);
        return ConfigSpace().word(0x06, 0).bytes().substr(offset, size);
    }));
    EXPECT_EQ(asked, (std::set<std::size_t>{0, 0x2c, 0x3c, 0xffc})) << "no list of capabilities";
}

}  // namespace
}  // namespace gpuadapt

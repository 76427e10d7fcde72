// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_config.hpp"
#include "probe/support/config_space.hpp"

#include <string>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using test::ConfigSpace;

PciDevice decode(const ConfigSpace& space, const PciFunction& function = {}) {
    return decode_pci_config(space.bytes(), function).device;
}

constexpr unsigned kEndpoint = 0;
constexpr unsigned kRootPort = 4;
constexpr unsigned kUpstreamPort = 5;
constexpr unsigned kDownstreamPort = 6;

/// A Gen5 x16 link with everything that a port can report: ASPM L1, link active, bandwidth notification, retimers.
ConfigSpace full_link(unsigned type, unsigned speed = 5) {
    ConfigSpace space;
    space.express(type).link(5, 16, speed, 16, 5);
    space.dword(0x8c, 5 | 16 << 4 | 2 << 10 | 1 << 20 | 1 << 21).dword(0xac, 1 << 23);
    return space;
}

TEST(PciRegisters, CommandIsInTheHeader) {
    const auto header = [](unsigned command) {
        return decode_pci_config(ConfigSpace().word(0x04, command).bytes().substr(0, 64)).device;
    };
    EXPECT_EQ(header(6).memory_enabled, true);
    EXPECT_EQ(header(6).bus_master, true);
    EXPECT_EQ(header(4).memory_enabled, false);
    EXPECT_EQ(header(2).bus_master, false);
}

TEST(PciRegisters, TagsAndOrdering) {
    ConfigSpace space;
    space.express(kEndpoint);
    PciDevice device = decode(space);
    EXPECT_EQ(device.relaxed_ordering, false);
    EXPECT_EQ(device.extended_tag_capable, false);
    EXPECT_EQ(device.extended_tag, false);
    EXPECT_EQ(device.ten_bit_tag_completer, false);
    EXPECT_EQ(device.ten_bit_tag_requester, false);
    EXPECT_EQ(device.ten_bit_tag, false);
    space.dword(0x84, 1 << 5).word(0x88, 1 << 4 | 1 << 8).dword(0xa4, 1 << 16 | 1 << 17).word(0xa8, 1 << 12);
    device = decode(space);
    EXPECT_EQ(device.relaxed_ordering, true);
    EXPECT_EQ(device.extended_tag_capable, true);
    EXPECT_EQ(device.extended_tag, true);
    EXPECT_EQ(device.ten_bit_tag_completer, true);
    EXPECT_EQ(device.ten_bit_tag_requester, true);
    EXPECT_EQ(device.ten_bit_tag, true);
    device = decode(space.express(kEndpoint, 1));
    EXPECT_EQ(device.extended_tag, true);
    EXPECT_FALSE(device.ten_bit_tag || device.ten_bit_tag_completer) << "not in version 1 of the capability";
}

TEST(PciRegisters, Aspm) {
    const char* const names[] = {"off", "L0s", "L1", "L0s L1"};
    for (unsigned code = 0; code < 4; ++code) {
        ConfigSpace space;
        space.express(kEndpoint).link(5, 16, 5, 16, 5).dword(0x8c, 5 | 16 << 4 | code << 10).word(0x90, 3 - code);
        EXPECT_EQ(decode(space).link.aspm_capable, names[code]);
        EXPECT_EQ(decode(space).link.aspm, names[3 - code]);
    }
}

TEST(PciRegisters, StatusOfAPortThatReportsIt) {
    for (const unsigned type : {kRootPort, kDownstreamPort}) {
        const PciLink quiet = decode(full_link(type)).link;
        EXPECT_EQ(quiet.training, false);
        EXPECT_EQ(quiet.active, false);
        EXPECT_EQ(quiet.bandwidth_changed, false);
        EXPECT_EQ(quiet.autonomous_bandwidth, false);
        EXPECT_EQ(quiet.retimer, false);
        const PciLink loud = decode(full_link(type).word(0x92, 5 | 16 << 4 | 0xe800).word(0xb2, 1 << 6)).link;
        EXPECT_EQ(loud.training, true);
        EXPECT_EQ(loud.active, true);
        EXPECT_EQ(loud.bandwidth_changed, true);
        EXPECT_EQ(loud.autonomous_bandwidth, true);
        EXPECT_EQ(loud.retimer, true);
    }
}

TEST(PciRegisters, BitsThatAPortDoesNotReportAreNoValue) {
    const PciLink port = decode(full_link(kRootPort).dword(0x8c, 5 | 16 << 4).dword(0xac, 0)).link;
    EXPECT_EQ(port.training, false) << "every port at the upper end has it";
    EXPECT_FALSE(port.active || port.bandwidth_changed || port.autonomous_bandwidth || port.retimer);
    // Reserved at the lower end of a link.
    for (const unsigned type : {kEndpoint, kUpstreamPort}) {
        const PciLink link = decode(full_link(type)).link;
        EXPECT_FALSE(link.training || link.active || link.bandwidth_changed || link.autonomous_bandwidth);
        EXPECT_EQ(link.retimer, false);
    }
}

TEST(PciRegisters, EqualizationOfTheSpeedThatItRunsAt) {
    for (const unsigned speed : {1U, 2U})
        EXPECT_EQ(decode(full_link(kEndpoint, speed)).link.equalized, std::nullopt);
    EXPECT_EQ(decode(full_link(kEndpoint, 3)).link.equalized, false);
    EXPECT_EQ(decode(full_link(kEndpoint, 3).word(0xb2, 2)).link.equalized, true);
    const auto with_capability = [](unsigned speed, unsigned id, std::uint32_t status) {
        return decode(full_link(kEndpoint, speed).dword(0x100, id | 1 << 16).dword(0x10c, status)).link.equalized;
    };
    EXPECT_EQ(with_capability(4, 0x26, 0), false);
    EXPECT_EQ(with_capability(4, 0x26, 1), true);
    EXPECT_EQ(with_capability(5, 0x2a, 0), false);
    EXPECT_EQ(with_capability(5, 0x2a, 1), true);
    EXPECT_EQ(with_capability(5, 0x2a, 1 << 10), std::nullopt) << "both ends have agreed that none is needed";
    EXPECT_EQ(with_capability(5, 0x26, 1), std::nullopt) << "that of another speed";
    EXPECT_EQ(decode(full_link(kEndpoint, 4).word(0xb2, 2)).link.equalized, std::nullopt);
}

TEST(PciRegisters, LaterFunctionsShareTheLinkOfTheFirst) {
    const PciFunction later{false, false};
    const ConfigSpace endpoint = full_link(kEndpoint, 3).word(0xb2, 2 | 1 << 6);
    const PciLink link = decode(endpoint, later).link;
    EXPECT_EQ(link.current_gt_s, 8.0);
    EXPECT_EQ(link.aspm, "off");
    EXPECT_FALSE(link.target_gt_s || link.equalized || link.retimer);
    EXPECT_EQ(decode(full_link(kDownstreamPort), later).link.target_gt_s, 32.0) << "each port has a link of its own";
}

TEST(PciRegisters, AVirtualFunctionHasFewBitsOfItsOwn) {
    ConfigSpace space = full_link(kEndpoint);
    space.word(0x04, 0x0006).dword(0x84, 2 | 1 << 5).word(0x88, 0).dword(0xa4, 1 << 16);
    space.dword(0x100, 0x000f | 1 << 16).word(0x106, 0x8000);
    for (const PciDevice& device :
         {decode(space, {true, true}), decode(ConfigSpace(space).dword(0, 0xffffffff))}) {  // given, seen
        EXPECT_FALSE(device.vendor_id || device.memory_enabled);
        EXPECT_FALSE(device.max_payload_bytes || device.max_read_request_bytes || device.relaxed_ordering);
        EXPECT_FALSE(device.extended_tag || device.ten_bit_tag);
        EXPECT_FALSE(device.link.current_width || device.link.current_gt_s || device.link.target_gt_s);
        EXPECT_FALSE(device.link.aspm || device.link.training || device.link.retimer);
        EXPECT_EQ(device.bus_master, true);
        EXPECT_EQ(device.max_payload_capable_bytes, 512);
        EXPECT_EQ(device.extended_tag_capable, true);
        EXPECT_EQ(device.link.capable_gt_s, 32.0);
        EXPECT_EQ(device.ats, true);
    }
}

TEST(PciRegisters, ExtendedCapabilities) {
    ConfigSpace space;
    space.express(kRootPort);
    space.dword(0x100, 0x0003 | 1 << 16 | 0x110u << 20).dword(0x104, 0x44556677).dword(0x108, 0x00112233);
    space.dword(0x110, 0x000f | 1 << 16 | 0x120u << 20).word(0x116, 0x0000);
    space.dword(0x120, 0x001d | 1 << 16).word(0x128, 0x0001);
    PciDevice device = decode(space);
    EXPECT_EQ(device.serial_number, "00-11-22-33-44-55-66-77");
    EXPECT_EQ(device.ats, false);
    EXPECT_EQ(device.dpc_triggered, true);
    EXPECT_FALSE(device.acs || device.resizable_bar);
    for (const std::uint32_t empty : {0U, 0xffffffffU}) {
        device = decode(space.dword(0x104, empty).dword(0x108, empty));
        EXPECT_EQ(device.serial_number, std::nullopt);
    }
}

TEST(PciRegisters, TheLargestResizableBar) {
    ConfigSpace space;
    space.express(kEndpoint).dword(0x100, 0x0015 | 1 << 16);
    // BAR 0 of 16 MiB, 16 to 32 MiB offered; BAR 2 of 256 MiB, up to 128 GiB.
    space.dword(0x104, 0x3 << 8).dword(0x108, 0 | 2 << 5 | 4 << 8);
    space.dword(0x10c, 1u << 12 | 1u << 21).dword(0x110, 2 | 8 << 8);
    EXPECT_EQ(decode(space).resizable_bar, (PciResizableBar{2, std::int64_t{256} << 20, std::int64_t{128} << 30}));
    // Sizes above 128 TiB are in the control register.
    EXPECT_EQ(decode(space.dword(0x110, 2 | 8 << 8 | 1u << 16)).resizable_bar->largest_bytes, std::int64_t{1} << 48);
    // Nothing offered, more registers than there are, an index that does not exist.
    EXPECT_FALSE(decode(space.dword(0x104, 0).dword(0x10c, 0).dword(0x110, 2)).resizable_bar);
    EXPECT_FALSE(decode(space.dword(0x104, 0x10).dword(0x108, 7 | 1 << 5)).resizable_bar);
    EXPECT_FALSE(decode(space.dword(0x104, 0x10).dword(0x108, 0 | 0 << 5)).resizable_bar);
    EXPECT_TRUE(decode(space.dword(0x108, 7u << 5)).resizable_bar);
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_device.hpp"
#include "probe/support/config_space.hpp"

#include <gpuadapt/host/memory_root.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using test::ConfigSpace;
using testing::ElementsAre;
using testing::Pair;

const Unread kNoNames{"pci.ids", "not found: PCI devices have numbers instead of names"};

TEST(PciBars, KindsAndSizes) {
    const std::string text =
        "0x000000e000000000 0x000000e0007fffff 0x000000000014220c\n"  // 8 MiB, prefetchable, 64 bit
        "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
        "0x00000000c0000000 0x00000000c0ffffff 0x0000000000040200\n"  // 16 MiB, 32 bit
        "0x000000000000e000 0x000000000000e07f 0x0000000000040101\n"
        "0x0000000000000000 0x0000001fffffffff 0x000000000014220c\n"  // 128 GiB without an address
        "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
        "0x00000000c1000000 0x00000000c107ffff 0x0000000000046200\n"   // ROM
        "0x00000000d0000000 0x00000000d00fffff 0x0000000000000200\n";  // window of a bridge
    EXPECT_THAT(parse_bars(text),
                ElementsAre(PciBar{0, 8 << 20, "prefetchable64", true}, PciBar{2, 16 << 20, "memory32", true},
                            PciBar{3, 128, "io", true}, PciBar{4, std::int64_t{128} << 30, "prefetchable64", false},
                            PciBar{6, 512 << 10, "memory32", true}));
}

TEST(PciBars, NothingIsMadeUp) {
    EXPECT_TRUE(parse_bars("").empty());
    EXPECT_TRUE(parse_bars("junk\n0x1000 0x1fff 0x200\n").empty());
    EXPECT_TRUE(parse_bars("0x2000 0x1fff 0x200\n").empty()) << "ends before it begins";
    EXPECT_TRUE(parse_bars("0x0 0xffffffffffffffff 0x200\n").empty()) << "does not fit";
    EXPECT_TRUE(parse_bars("0x1000 0x1fff 0x11111111111111111\n").empty());
    EXPECT_EQ(parse_bars("0x1000 0x1fff 0x20000200\n").at(0).assigned, false) << "IORESOURCE_UNSET";
    EXPECT_EQ(parse_bars("0x1000 0x1fff 0x1\n").at(0).kind, std::nullopt);
}

TEST(AerCounts, TotalAndWhatIsNotZero) {
    const auto counts = parse_aer_counts("RxErr 3\nBadTLP 0\nRollover 2\nTOTAL_ERR_COR 5\n");
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->total, 5);
    EXPECT_THAT(counts->counts, ElementsAre(Pair("Rollover", 2), Pair("RxErr", 3)));
    EXPECT_EQ(parse_aer_counts("TLP 1\nDLP 1\n")->total, 2) << "without its total";
    EXPECT_EQ(parse_aer_counts("TLP 0\nTOTAL_ERR_FATAL 0")->total, 0);
    EXPECT_FALSE(parse_aer_counts(""));
    EXPECT_FALSE(parse_aer_counts("RxErr -1\nBadTLP\nx y z\n"));
}

/// A resource of VPD: tag, length in two bytes, contents.
std::string resource(unsigned tag, const std::string& body) {
    return fmt::format("{}{}{}{}", static_cast<char>(tag), static_cast<char>(body.size() & 0xff),
                       static_cast<char>(body.size() >> 8), body);
}

std::string field(const std::string& name, const std::string& text) {
    return name + static_cast<char>(text.size()) + text;
}

TEST(Vpd, IdentifierAndFields) {
    const std::string bytes = resource(0x82, "Example 400G adapter") +
                              resource(0x90, field("PN", "EX-1234 ") + field("EC", "A5") + field("V2", "x") +
                                                 field("SN", std::string("EX0000001") + '\0')) +
                              "\x78";
    const PciVpd whole{"Example 400G adapter", "EX-1234", "EX0000001", "A5"};
    EXPECT_EQ(parse_vpd(bytes), whole);
    EXPECT_EQ(vpd_bytes_needed(bytes), bytes.size() - 1);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const PciVpd part = parse_vpd(bytes.substr(0, size)).value_or(PciVpd{});
        for (const auto& field : {&PciVpd::product, &PciVpd::part_number, &PciVpd::serial, &PciVpd::change_level}) {
            EXPECT_TRUE(!(part.*field) || part.*field == whole.*field) << size;
        }
    }
}

TEST(Vpd, WhatMakesNoSense) {
    EXPECT_FALSE(parse_vpd(""));
    EXPECT_FALSE(parse_vpd(std::string(256, '\xff')));
    EXPECT_FALSE(parse_vpd(std::string(256, '\0')));
    EXPECT_FALSE(parse_vpd("\x78"));
    EXPECT_FALSE(parse_vpd(resource(0x82, "   ")));
    EXPECT_EQ(vpd_bytes_needed(std::string(256, '\xff')), 0U);
    EXPECT_EQ(vpd_bytes_needed(""), 0U);
    // A field that is longer than its resource ends the reading, the first of two same ones counts.
    EXPECT_EQ(parse_vpd(resource(0x90, field("PN", "A") + field("PN", "B") +
                                           "SN\xff"
                                           "12")),
              (PciVpd{{}, "A", {}, {}}));
    EXPECT_EQ(vpd_bytes_needed(std::string("\x82\xff\xff", 3)), 65541U);
}

const std::string kFolder = "/sys/bus/pci/devices/0000:01:00.0/";

/// /proc is there: nothing to note of it.
void add_proc(MemoryRoot& root) {
    root.add_file("/proc/meminfo", "");
}

ConfigSpace network_card() {
    return ConfigSpace().dword(0x08, 0x02000000).express(0).byte(0x81, 0xd0).byte(0xd0, 0x03).dword(0x100, 0x0001);
}

TEST(ProbePciFiles, FactsOfAFunction) {
    MemoryRoot root;
    root.add_file(kFolder + "config", network_card().dword(0x100, 0x1 | 0x200u << 20).dword(0x200, 0x10).bytes());
    root.add_file(kFolder + "resource", "0x1000 0x1fff 0x40200\n");
    root.add_file(kFolder + "aer_dev_correctable", "RxErr 3\nTOTAL_ERR_COR 3\n");
    root.add_file(kFolder + "aer_dev_nonfatal", "TLP 0\nTOTAL_ERR_NONFATAL 0\n");
    root.add_file(kFolder + "aer_dev_fatal", "TLP 1\nTOTAL_ERR_FATAL 1\n");
    root.add_file(kFolder + "power_state", "D0\n");
    root.add_file(kFolder + "power/control", "auto\n");
    root.add_file(kFolder + "sriov_totalvfs", "16\n");
    root.add_file(kFolder + "sriov_numvfs", "2\n");
    root.add_file(kFolder + "vpd", resource(0x90, field("SN", "EX1")));
    root.add_link(kFolder + "iommu_group", "../../../kernel/iommu_groups/7");
    root.add_file("/sys/kernel/iommu_groups/7/type", "DMA-FQ\n");
    const PciDevice device = probe_machine(root, {"pci"}).pci_devices.at(0);
    EXPECT_EQ(device.bars.size(), 1U);
    EXPECT_EQ(device.aer, (PciAer{3, 0, 1, {{"RxErr", 3}, {"TLP", 1}}}));
    EXPECT_EQ(device.power_state, "D0");
    EXPECT_EQ(device.power_control, "auto");
    EXPECT_EQ(device.virtual_functions, 2);
    EXPECT_EQ(device.virtual_functions_total, 16);
    EXPECT_EQ(device.vpd, (PciVpd{{}, {}, "EX1", {}}));
    EXPECT_EQ(device.iommu_group, 7);
    EXPECT_EQ(device.iommu_type, "DMA-FQ");
    root.remove(kFolder + "aer_dev_fatal");
    EXPECT_FALSE(probe_machine(root, {"pci"}).pci_devices.at(0).aer) << "all three or nothing";
}

TEST(ProbePciFiles, PowerStateOfTheKernelElseOfTheRegister) {
    struct Case {
        const char* file;  ///< nullptr: none
        bool has_register;
        std::optional<std::string> state;
    };
    const Case cases[] = {{"D3cold\n", true, "D3cold"}, {"unknown\n", true, "D3hot"}, {nullptr, true, "D3hot"},
                          {"D0\n", false, "D0"},        {"unknown\n", false, {}},     {nullptr, false, {}}};
    for (const Case& row : cases) {
        MemoryRoot root;
        ConfigSpace space = network_card();
        space.byte(0x64, 0x0b);  // no soft reset, D3
        if (!row.has_register)
            space.byte(0x34, 0x80);  // the list begins behind it
        root.add_file(kFolder + "config", space.bytes());
        if (row.file != nullptr)
            root.add_file(kFolder + "power_state", row.file);
        EXPECT_EQ(probe_machine(root, {"pci"}).pci_devices.at(0).power_state, row.state);
    }
}

TEST(ProbePciFiles, VpdIsReadAsFarAsItsHeadersLead) {
    for (std::size_t size = 244; size < 264; ++size) {
        MemoryRoot root;
        root.add_file(kFolder + "config", network_card().bytes());
        root.add_file(kFolder + "vpd",
                      resource(0x82, std::string(size, 'n')) + resource(0x90, field("PN", "EX-1234")) + "\x78");
        const PciDevice device = probe_machine(root, {"pci"}).pci_devices.at(0);
        ASSERT_TRUE(device.vpd) << size;
        EXPECT_EQ(device.vpd->part_number, "EX-1234") << size;
    }
}

TEST(ProbePciFiles, NumbersThatAreTooLargeAreNone) {
    MemoryRoot root;
    root.add_file(kFolder + "class", "0x1020000\n");
    root.add_file(kFolder + "vendor", "0x115b3\n");
    root.add_file(kFolder + "device", "0x101d\n");
    root.add_file(kFolder + "revision", "0x100\n");
    const PciDevice device = probe_machine(root, {"pci"}).pci_devices.at(0);
    EXPECT_EQ(device.class_code, std::nullopt);
    EXPECT_EQ(device.vendor_id, std::nullopt);
    EXPECT_EQ(device.device_id, 0x101d);
    EXPECT_EQ(device.revision, std::nullopt);
}

TEST(ProbePciFiles, AVirtualFunctionNamesItsPhysicalOne) {
    MemoryRoot root;
    root.add_file(kFolder + "config", network_card().dword(0, 0xffffffff).bytes());
    root.add_file(kFolder + "uevent", "PCI_CLASS=20000\nPCI_ID=15B3:101E\n");
    root.add_link(kFolder + "physfn", "../0000:01:00.0");
    root.add_file(kFolder + "vpd", resource(0x90, field("SN", "EX1")));
    const PciDevice device = probe_machine(root, {"pci"}).pci_devices.at(0);
    EXPECT_EQ(device.physical_function, "0000:01:00.0");
    EXPECT_EQ(device.vendor_id, 0x15b3);
    EXPECT_FALSE(device.vpd) << "that of the physical function";
}

/// Counts questions for VPD, which never gets an answer.
class SlowRoot : public MemoryRoot {
  public:
    [[nodiscard]] TextAnswer answer_read_part(const std::string& path, std::size_t offset, std::size_t size) override {
        if (!path.ends_with("/vpd"))
            return MemoryRoot::answer_read_part(path, offset, size);
        ++asked;
        return {AnswerStatus::timed_out, "", "no answer after 5000 ms"};
    }
    int asked = 0;
};

TEST(ProbePciFiles, VpdIsAskedOfNetworkFunctionsUntilOneHangs) {
    SlowRoot root;
    add_proc(root);
    for (const char* address : {"0000:01:00.0", "0000:01:00.1", "0000:02:00.0", "0000:03:00.0"})
        root.add_file(std::string("/sys/bus/pci/devices/") + address + "/config", network_card().bytes());
    root.add_file("/sys/bus/pci/devices/0000:00:00.0/config", ConfigSpace().bytes());
    const Machine machine = probe_machine(root, {"pci"});
    EXPECT_EQ(root.asked, 1);
    EXPECT_THAT(machine.unread, ElementsAre(Unread{"/sys/bus/pci/devices/0000:01:00.0/vpd", "no answer after 5000 ms"},
                                            Unread{"/sys/bus/pci/devices/*/vpd",
                                                   "not asked: that of another device has hung: 2 of 5 devices"},
                                            kNoNames));
}

TEST(ProbePciFiles, WhatIsDeniedOfManyIsOneLine) {
    MemoryRoot root;
    add_proc(root);
    for (int i = 0; i < 3; ++i) {
        const std::string folder = fmt::format("/sys/bus/pci/devices/0000:0{}:00.0/", i);
        root.add_file(folder + "config", network_card().bytes().substr(0, 64));
        root.add_denied(folder + "vpd");
        if (i == 1)
            root.add_denied(folder + "resource");
    }
    EXPECT_THAT(probe_machine(root, {"pci"}).unread,
                ElementsAre(Unread{"/sys/bus/pci/devices/*/config",
                                   "only the first 64 bytes can be read; run as root: 3 of 3 devices"},
                            Unread{"/sys/bus/pci/devices/0000:01:00.0/resource", "permission denied"},
                            Unread{"/sys/bus/pci/devices/*/vpd", "permission denied: 3 of 3 devices"}, kNoNames));
}

/// Breaks behind the header of each configuration space.
class BrokenConfigRoot : public MemoryRoot {
  public:
    [[nodiscard]] TextAnswer answer_read_part(const std::string& path, std::size_t offset, std::size_t size) override {
        if (path.ends_with("/config") && offset >= 64)
            return {AnswerStatus::failed, "", "Input/output error"};
        return MemoryRoot::answer_read_part(path, offset, size);
    }
};

TEST(ProbePciFiles, DevicesAreCountedNotQuestions) {
    BrokenConfigRoot root;
    add_proc(root);
    for (const char* address : {"0000:01:00.0", "0000:02:00.0"})
        root.add_file(std::string("/sys/bus/pci/devices/") + address + "/config", network_card().bytes());
    EXPECT_THAT(probe_machine(root, {"pci"}).unread,
                testing::Contains(Unread{"/sys/bus/pci/devices/*/config", "Input/output error: 2 of 2 devices"}));
}

TEST(ProbePciFiles, AConfigurationSpaceThatIsCutIsNamed) {
    for (const std::size_t size : {10U, 63U, 100U, 255U}) {
        MemoryRoot root;
        add_proc(root);
        root.add_file(kFolder + "config", network_card().bytes().substr(0, size));
        root.add_file(kFolder + "max_link_speed", "16.0 GT/s PCIe\n");
        const Machine machine = probe_machine(root, {"pci"});
        EXPECT_THAT(machine.unread, testing::Contains(Unread{
                                        kFolder + "config", fmt::format("only the first {} bytes can be read", size)}));
        if (size <= 100) {
            EXPECT_EQ(machine.pci_devices.at(0).link.capable_gt_s, 16.0) << "the kernel tells it too";
        }
    }
}

TEST(ProbePciFiles, ABrokenListIsNamed) {
    MemoryRoot root;
    add_proc(root);
    root.add_file(kFolder + "config", network_card().dword(0x100, 0xffffffff).bytes());
    const Machine machine = probe_machine(root, {"pci"});
    EXPECT_EQ(machine.pci_devices.at(0).config_bytes, 256);
    EXPECT_THAT(
        machine.unread,
        ElementsAre(Unread{kFolder + "config", "the list of extended capabilities is broken at 0x100"}, kNoNames));
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/dmidecode.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <string>

#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

constexpr std::string_view kWhole =
    "# dmidecode 3.3\n"
    "Getting SMBIOS data from sysfs.\n"
    "SMBIOS 3.2.0 present.\n"
    "9 structures occupying 900 bytes.\n"
    "Table at 0x000E0000.\n"
    "\n"
    "Handle 0x0000, DMI type 0, 26 bytes\nBIOS Information\n"
    "\tVendor: Example BIOS\n\tVersion: R07\n\tRelease Date: 03/04/2024\n"
    "\tCharacteristics:\n\t\tPCI is supported\n\n"
    "Handle 0x0001, DMI type 1, 27 bytes\nSystem Information\n"
    "\tManufacturer: Example Systems\n\tProduct Name: GX-8000\n\tVersion: To be filled by O.E.M.\n"
    "\tSerial Number: Not Specified\n\tUUID: 12345678-9ABC-DEF0-1234-56789ABCDEF0\n\tSKU Number: <BAD INDEX>\n\n"
    "Handle 0x0002, DMI type 2, 15 bytes\nBase Board Information\n"
    "\tManufacturer: Example Boards\n\tProduct Name: MB-2\n\n"
    "Handle 0x0003, DMI type 3, 22 bytes\nChassis Information\n"
    "\tType: Rack Mount Chassis\n\n"
    "Handle 0x0010, DMI type 4, 48 bytes\nProcessor Information\n"
    "\tType: Central Processor\n\tVersion: Example(R)  CPU 64   \n\tStatus: Populated, Enabled\n"
    "\tCore Count: 64\n\tCore Enabled: 64\n\n"
    "Handle 0x0011, DMI type 4, 48 bytes\nProcessor Information\n"
    "\tType: Central Processor\n\tVersion: Not Specified\n\tStatus: Unpopulated\n\n"
    "Handle 0x0012, DMI type 4, 48 bytes\nProcessor Information\n"
    "\tType: Central Processor\n\tVersion: Example\n\tStatus: Populated, Disabled By BIOS\n\n"
    "Handle 0x0020, DMI type 9, 17 bytes\nSystem Slot Information\n"
    "\tDesignation: Riser A\n\tType: x16 PCI Express 5 x16\n\tCurrent Usage: In Use\n"
    "\tBus Address: 0000:3a:00.0\n\n"
    "Handle 0x0021, DMI type 9, 17 bytes\nSystem Slot Information\n"
    "\tDesignation: OCP\n\tType: Unknown\n\tCurrent Usage: Available\n\tBus Address: 0000:ff:00.0\n\n"
    "Handle 0x002F, DMI type 16, 23 bytes\nPhysical Memory Array\n\tNumber Of Devices: 2\n\n"
    "Handle 0x0030, DMI type 17, 92 bytes\nMemory Device\n"
    "\tArray Handle: 0x002F\n\tSize: 64 GB\n\tLocator: A1\n\tBank Locator: Not Specified\n\tType: DDR5\n"
    "\tSpeed: 5600 MT/s\n\tManufacturer: Example RAM\n\tSerial Number: 0000A1\n\tPart Number: XR-64  \n"
    "\tRank: 2\n\tConfigured Memory Speed: 4800 MT/s\n\n"
    "Handle 0x0031, DMI type 17, 92 bytes\nMemory Device\n"
    "\tArray Handle: 0x002F\n\tSize: No Module Installed\n\tLocator: A2\n\tManufacturer: NO DIMM\n\n"
    "Handle 0x0040, DMI type 38, 18 bytes\nIPMI Device Information\n"
    "\tInterface Type: KCS (Keyboard Control Style)\n\tSpecification Version: 2.0\n\n"
    "Handle 0x0050, DMI type 127, 4 bytes\nEnd Of Table\n";

void expect_whole(const std::optional<Dmidecode>& found) {
    ASSERT_TRUE(found);
    EXPECT_EQ(found->dmi.product_name, "GX-8000");
    EXPECT_EQ(found->dmi.bios_version, "R07");
    EXPECT_EQ(found->cpu_model, "Example(R) CPU 64");
    EXPECT_EQ(found->cpu_sockets, 1);
    EXPECT_EQ(found->dimm_slots, 2);
    EXPECT_EQ(found->board_slots.size(), 2U);
    ASSERT_EQ(found->dimms.size(), 1U);
    EXPECT_EQ(found->dimms[0].size_bytes, std::int64_t{64} << 30);
    EXPECT_FALSE(found->cut);
}

TEST(Dmidecode, TheNameOfAVirtualMachineIsNoProcessor) {
    const auto found = read_dmidecode(
        "# dmidecode 3.4\n\nHandle 0x0400, DMI type 4, 42 bytes\nProcessor Information\n"
        "\tType: Central Processor\n\tManufacturer: QEMU\n\tVersion: pc-q35-7.2\n\tStatus: Populated, Enabled\n\n");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cpu_sockets, 1);
    EXPECT_FALSE(found->cpu_model);
}

TEST(Dmidecode, ReadsAWholeTable) {
    const auto found = read_dmidecode(kWhole);
    expect_whole(found);
    EXPECT_EQ(found->dmi.uuid, "12345678-9abc-def0-1234-56789abcdef0");
    EXPECT_EQ(found->dmi.chassis_type, "Rack Mount Chassis");
    EXPECT_EQ(found->dmi.board_name, "MB-2");
    EXPECT_EQ(found->cpu_cores_per_socket, 64);
    EXPECT_EQ(found->bmc.interface, "KCS");
    EXPECT_EQ(found->bmc.ipmi_version, "2.0");
    const BoardSlot riser{"Riser A", "PCI Express 5 x16", "in use", 16, "0000:3a:00.0"};
    const BoardSlot ocp{"OCP", std::nullopt, "available", std::nullopt, std::nullopt};
    EXPECT_EQ(found->board_slots[0], riser);
    EXPECT_EQ(found->board_slots[1], ocp);
    Dimm dimm;
    dimm.locator = "A1";
    dimm.type = "DDR5";
    dimm.manufacturer = "Example RAM";
    dimm.part_number = "XR-64";
    dimm.serial = "0000A1";
    dimm.array = 0;
    dimm.ranks = 2;
    dimm.size_bytes = std::int64_t{64} << 30;
    dimm.speed_mt_s = 5600;
    dimm.configured_speed_mt_s = 4800;
    EXPECT_EQ(found->dimms[0], dimm);
}

TEST(Dmidecode, KeepsTheFirmwaresWordsAndDropsItsOwn) {
    const auto found = read_dmidecode(kWhole);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->dmi.product_version, "To be filled by O.E.M.");
    EXPECT_EQ(found->dmi.serial, std::nullopt);
    EXPECT_EQ(found->dmi.sku, std::nullopt);
}

TEST(Dmidecode, ReadsItTwiceInOneTextAndInMails) {
    expect_whole(read_dmidecode(std::string(kWhole) + std::string(kWhole)));
    std::string mail = "Hi,\r\n";
    for (const std::string_view line : text_lines(kWhole))
        mail += "> " + std::string(line) + "\r\n";
    expect_whole(read_dmidecode(plain_text(mail)));
}

TEST(Dmidecode, ReadsTheQuietForm) {
    std::string quiet;
    for (const std::string_view line : text_lines(kWhole))
        if (!line.starts_with("Handle") && !line.starts_with("#") && line.find("Table") == std::string_view::npos &&
            line.find("bytes") == std::string_view::npos)
            quiet += std::string(line) + "\n";
    const auto found = read_dmidecode(quiet);
    expect_whole(found);
    EXPECT_EQ(found->dimms[0].array, std::nullopt);
}

TEST(Dmidecode, CountsNothingInACutTable) {
    const std::size_t cut = kWhole.find("Handle 0x0031");
    const auto found = read_dmidecode(kWhole.substr(0, cut));
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->cut);
    EXPECT_EQ(found->dimm_slots, std::nullopt);
    EXPECT_EQ(found->cpu_sockets, std::nullopt);
    EXPECT_EQ(found->dimms.size(), 1U);
    EXPECT_EQ(found->dmi.product_name, "GX-8000");
}

TEST(Dmidecode, SaysThatItWasNotAllowed) {
    const auto found =
        read_dmidecode("# dmidecode 3.3\nScanning /dev/mem for entry point.\n/dev/mem: Permission denied\n");
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->denied);
    EXPECT_EQ(found->dmi, Dmi{});
}

TEST(Dmidecode, DistrustsFirmwareThatCountsCoresTwice) {
    const auto socket = [](const std::string& handle, const std::string& count, const std::string& enabled) {
        return "Handle " + handle +
               ", DMI type 4, 48 bytes\nProcessor Information\n\tType: Central Processor\n\tVersion: X\n"
               "\tStatus: Populated, Enabled\n\tCore Count: " +
               count + "\n\tCore Enabled: " + enabled + "\n";
    };
    auto found = read_dmidecode(socket("0x0004", "4", "1"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cpu_sockets, 1);
    EXPECT_EQ(found->cpu_cores_per_socket, std::nullopt);
    EXPECT_EQ(found->cores_unread, "dmidecode says Core Count 4 and Core Enabled 1: cores a socket are not known");
    found = read_dmidecode(socket("0x0004", "4", "1") + socket("0x0005", "4", "4"));
    EXPECT_EQ(found->cpu_cores_per_socket, 4);
    EXPECT_FALSE(found->cores_unread);
}

TEST(Dmidecode, FindsNothingInOtherTexts) {
    EXPECT_FALSE(read_dmidecode(""));
    EXPECT_FALSE(read_dmidecode("Memory Device\nis what this page explains.\n"));
    EXPECT_FALSE(read_dmidecode("00:00.0 Host bridge: Intel Corporation Device 0d57\n\tSubsystem: Device 1: 2\n"));
    EXPECT_FALSE(read_dmidecode("bash: /etc/shadow: Permission denied\n"));
}

}  // namespace
}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "probe/smbios.hpp"

#include "probe/smbios_names.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using namespace std::string_literals;

/// One structure: formatted area of `length` bytes with `fields` {offset, bytes}, and strings.
std::string structure(int type, std::size_t length, const std::vector<std::pair<std::size_t, std::string>>& fields,
                      const std::vector<std::string>& strings) {
    std::string raw(length, '\0');
    raw[0] = static_cast<char>(type);
    raw[1] = static_cast<char>(length);
    for (const auto& [offset, bytes] : fields)
        raw.replace(offset, bytes.size(), bytes);
    for (const std::string& text : strings)
        raw += text + '\0';
    return raw + (strings.empty() ? std::string(2, '\0') : std::string(1, '\0'));
}

std::string dimm(const std::string& size, const std::string& extended, const std::string& speed = "\xc0\x12",
                 const std::string& configured = "\xc0\x12") {
    return structure(17, 0x5c,
                     {{0x0c, size},
                      {0x10, "\x01\x02\x22"},
                      {0x15, speed},
                      {0x17, "\x03\x04"},
                      {0x1a, "\x05"},
                      {0x1c, extended},
                      {0x20, configured}},
                     {"DIMM A1", "BANK 0", "Maker", "S1", " PART-1  "});
}

const std::string kNothing(4, '\0');

TEST(Smbios, DecodesSystemBoardBiosAndChassis) {
    std::string id(16, '\0');
    for (std::size_t i = 0; i < 16; ++i)
        id[i] = static_cast<char>(i * 17);
    const std::string table =
        structure(0, 0x18, {{4, "\x01\x02"}, {8, "\x03"}}, {"BIOS maker", "1.2", "01/02/2024"}) +
        structure(1, 0x1b, {{4, "\x01\x02\x03\x04"}, {8, id}, {0x19, "\x05"}}, {"Maker", "Model", "v1", "SN", "SKU"}) +
        structure(2, 0x0f, {{4, "\x01\x02"}}, {"Board maker", "Board"}) +
        structure(2, 0x0f, {{4, "\x01\x02"}}, {"Other", "Riser"}) + structure(3, 0x15, {{5, "\x97"}}, {}) +
        structure(127, 4, {}, {}) + "garbage behind the end";
    const Smbios result = decode_smbios(table);
    EXPECT_EQ(result.damage_at, std::nullopt);
    EXPECT_EQ(result.dmi.bios_vendor, "BIOS maker");
    EXPECT_EQ(result.dmi.bios_version, "1.2");
    EXPECT_EQ(result.dmi.bios_date, "01/02/2024");
    EXPECT_EQ(result.dmi.system_vendor, "Maker");
    EXPECT_EQ(result.dmi.product_name, "Model");
    EXPECT_EQ(result.dmi.product_version, "v1");
    EXPECT_EQ(result.dmi.serial, "SN");
    EXPECT_EQ(result.dmi.sku, "SKU");
    EXPECT_EQ(result.dmi.uuid, "33221100-5544-7766-8899-aabbccddeeff");
    EXPECT_EQ(result.dmi.board_vendor, "Board maker") << "the first board is the system's";
    EXPECT_EQ(result.dmi.board_name, "Board");
    EXPECT_EQ(result.dmi.board_serial, std::nullopt);
    EXPECT_EQ(result.dmi.chassis_type, "Rack Mount Chassis") << "bit 7 is the lock";
}

TEST(Smbios, DecodesMemoryModules) {
    const std::string table = dimm("\x00\x40"s, kNothing) +             // 16 GiB
                              dimm("\xff\x7f"s, "\x00\x00\x01\x00"s) +  // 64 GiB, extended
                              dimm("\x00\x80"s, kNothing) +             // nothing in units of KiB
                              dimm("\xff\x7f"s, kNothing) +             // extended, but nothing there
                              dimm("\xff\xff"s, kNothing) +             // unknown
                              dimm("\x00\x00"s, kNothing) +             // empty slot
                              structure(127, 4, {}, {});
    const Smbios result = decode_smbios(table);
    ASSERT_EQ(result.dimms.size(), 5U);
    const Dimm& first = result.dimms[0];
    EXPECT_EQ(first.locator, "DIMM A1");
    EXPECT_EQ(first.bank, "BANK 0");
    EXPECT_EQ(first.type, "DDR5");
    EXPECT_EQ(first.manufacturer, "Maker");
    EXPECT_EQ(first.serial, "S1");
    EXPECT_EQ(first.part_number, "PART-1");
    EXPECT_EQ(first.size_bytes, std::int64_t{16} << 30);
    EXPECT_EQ(first.speed_mt_s, 4800);
    EXPECT_EQ(first.configured_speed_mt_s, 4800);
    EXPECT_EQ(result.dimms[1].size_bytes, std::int64_t{64} << 30);
    for (std::size_t i = 2; i < 5; ++i)
        EXPECT_EQ(result.dimms[i].size_bytes, std::nullopt) << i << ": populated, size unknown";
}

TEST(Smbios, SizesInKilobytesAndWideSpeeds) {
    std::string module = dimm(std::string("\x00\xa0", 2), kNothing, "\xff\xff", std::string(2, '\0'));
    module.replace(0x54, 4, std::string("\x00\x20\x00\x00", 4));
    const Smbios result = decode_smbios(module);
    ASSERT_EQ(result.dimms.size(), 1U);
    EXPECT_EQ(result.dimms[0].size_bytes, 0x2000 * 1024);
    EXPECT_EQ(result.dimms[0].speed_mt_s, 0x2000);
    EXPECT_EQ(result.dimms[0].configured_speed_mt_s, std::nullopt) << "0 is unknown";
}

TEST(Smbios, OldShortStructuresLackTheRest) {
    const std::string table = structure(17, 0x15, {{0x0c, std::string("\x00\x04", 2)}, {0x10, "\x01"}}, {"D0"});
    const Smbios result = decode_smbios(table);
    ASSERT_EQ(result.dimms.size(), 1U);
    EXPECT_EQ(result.dimms[0].locator, "D0");
    EXPECT_EQ(result.dimms[0].size_bytes, std::int64_t{1} << 30);
    EXPECT_FALSE(result.dimms[0].speed_mt_s || result.dimms[0].serial);
}

TEST(Smbios, CountsPopulatedProcessors) {
    const std::string populated = structure(4, 0x30, {{5, "\x03"}, {0x10, "\x01"}, {0x18, "\x41"}}, {"CPU X"});
    const std::string empty =
        structure(4, 0x30, {{5, "\x03"}, {0x10, "\x01"}, {0x18, std::string(1, '\0')}}, {"CPU Y"});
    const Smbios result = decode_smbios(populated + empty + populated);
    EXPECT_EQ(result.cpu_sockets, 2);
    EXPECT_EQ(result.cpu_models, (std::vector<std::string>{"CPU X", "CPU X"}));
}

TEST(Smbios, TheNameOfAVirtualMachineIsNoProcessor) {
    const Smbios result = decode_smbios(
        structure(4, 0x30, {{5, "\x03"}, {7, "\x02"}, {0x10, "\x01"}, {0x18, "\x41"}}, {"pc-q35-7.2", "QEMU"}));
    EXPECT_EQ(result.cpu_sockets, 1);
    EXPECT_TRUE(result.cpu_models.empty());
}

TEST(Smbios, BadStringsAndIdsAreAbsent) {
    const std::string table = structure(1, 0x1b, {{4, "\x09\x02\x01\x03"}, {8, std::string(16, '\xff')}},
                                        {"only one", "bad \xff byte\x01", "   "});
    const Smbios result = decode_smbios(table);
    EXPECT_EQ(result.dmi.system_vendor, std::nullopt) << "there is no ninth string";
    EXPECT_EQ(result.dmi.product_name, "bad \xEF\xBF\xBD byte ");
    EXPECT_EQ(result.dmi.product_version, "only one");
    EXPECT_EQ(result.dmi.serial, std::nullopt) << "blanks only";
    EXPECT_EQ(result.dmi.uuid, std::nullopt) << "not set";
}

TEST(Smbios, DamagedTablesAreReadUpToTheDamage) {
    const std::string first = structure(2, 0x0f, {{4, "\x01\x02"}}, {"Maker", "Board"});
    const std::string second = structure(1, 0x1b, {{4, "\x01"}}, {"Maker"});
    const std::string table = first + second;
    for (std::size_t size = 0; size < table.size(); ++size) {
        const Smbios result = decode_smbios(table.substr(0, size));
        if (size >= first.size()) {
            EXPECT_EQ(result.dmi.board_name, "Board") << size;
        }
        EXPECT_EQ(result.damage_at.has_value(), size != 0 && size != first.size()) << size;
    }
    EXPECT_EQ(decode_smbios(first + std::string("\x01\x02\x00\x00", 4)).damage_at, first.size()) << "length below 4";
}

std::string slot(const std::string& head, const std::string& address) {
    return structure(9, 0x11, {{4, "\x01"}, {5, head}, {0x0d, address}}, {"PCIE5 (CPU1)"});
}

TEST(Smbios, Slots) {
    const std::string table = slot("\xc3\x0d\x04", "\x00\x00\x3a\x00"s) +   // Gen5 x16, in use
                              slot("\xb6\x0b\x03", "\xff\xff\xff\xff"s) +   // Gen3 x16 with 8 lanes, no address
                              slot("\xc4\x0d\x05", "\x01\x00\x81\x0a"s) +   // Gen6
                              slot("\xff\x05\x09", std::string(4, '\0')) +  // not defined
                              structure(9, 0x0d, {{4, "\x01"}, {5, "\xa5\x08\x02"}}, {"OLD"});
    const Smbios result = decode_smbios(table);
    ASSERT_EQ(result.board_slots.size(), 5U);
    EXPECT_EQ(result.board_slots[0], (BoardSlot{"PCIE5 (CPU1)", "PCI Express 5 x16", "in use", 16, "0000:3a:00.0"}));
    EXPECT_EQ(result.board_slots[1], (BoardSlot{"PCIE5 (CPU1)", "PCI Express 3 x16", "available", 8, {}}));
    EXPECT_EQ(result.board_slots[2], (BoardSlot{"PCIE5 (CPU1)", "PCI Express 6+", "unavailable", 16, "0001:81:01.2"}));
    EXPECT_EQ(result.board_slots[3], (BoardSlot{"PCIE5 (CPU1)", {}, {}, {}, {}}));
    EXPECT_EQ(result.board_slots[4], (BoardSlot{"OLD", "PCI Express", "unknown", 1, {}}));
    EXPECT_EQ(slot_type_name(0xbd), "PCI Express 4 x16");
    EXPECT_EQ(slot_type_name(0xb7), std::nullopt) << "between two generations";
    EXPECT_EQ(slot_type_name(0x06), "PCI");
}

TEST(Smbios, ArraysRanksAndSlotsOfMemory) {
    std::string module = dimm("\x00\x40"s, kNothing);
    module.replace(0x04, 2, "\x22\x11");
    module[0x1b] = 2;
    const std::string arrays = structure(16, 0x0f, {{2, "\x11\x11"}}, {}) + structure(16, 0x0f, {{2, "\x22\x11"}}, {});
    const std::string table = arrays + module + dimm("\x00\x00"s, kNothing);
    Smbios result = decode_smbios(table + structure(127, 4, {}, {}));
    ASSERT_EQ(result.dimms.size(), 1U);
    EXPECT_EQ(result.dimms[0].array, 1);
    EXPECT_EQ(result.dimms[0].ranks, 2);
    EXPECT_EQ(result.dimm_slots, 2);
    EXPECT_TRUE(result.complete);
    result = decode_smbios(module + dimm("\x00\x00"s, kNothing));
    EXPECT_EQ(result.dimms.at(0).array, std::nullopt) << "there is no such array";
    EXPECT_FALSE(result.complete);
}

TEST(Smbios, ManagementController) {
    Smbios result = decode_smbios(structure(38, 0x12, {{4, "\x01\x20"}}, {}));
    EXPECT_EQ(result.bmc.interface, "KCS");
    EXPECT_EQ(result.bmc.ipmi_version, "2.0");
    result = decode_smbios(structure(38, 0x12, {}, {}));
    EXPECT_EQ(result.bmc, Bmc{}) << "0 is unknown";
}

}  // namespace
}  // namespace gpuadapt

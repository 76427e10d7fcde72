// SPDX-License-Identifier: Apache-2.0
#include "probe/anonymize_binary.hpp"
#include "probe/smbios_identities.hpp"

#include <gpuadapt/core/differences.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/anonymize.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::string_literals;

std::string structure(int type, const std::string& body, const std::string& strings) {
    std::string bytes{static_cast<char>(type), static_cast<char>(body.size() + 4), 0, 0};
    return bytes + body + strings + "\0\0"s;
}

TEST(SmbiosIdentities, OfEveryKindOfStructure) {
    std::string dimm(0x15, '\0');
    dimm[0x18 - 4] = 1;
    dimm.resize(0x1c - 4);
    dimm[0x18 - 4] = 1;
    dimm[0x19 - 4] = 2;
    const std::string table = structure(1, "\x01\x02\x00\x03"s + std::string(0x13, '\0'), "Maker\0Model\0SYS-0001"s) +
                              structure(17, dimm, "DIMM-0002\0TAG-0003"s) + structure(11, "\x01", "ORDER 0004"s);
    EXPECT_THAT(smbios_identities(table), ElementsAre("SYS-0001", "DIMM-0002", "TAG-0003", "ORDER 0004"));
    for (std::size_t size = 0; size < table.size(); ++size)
        EXPECT_LE(smbios_identities(table.substr(0, size)).size(), 4U);
    EXPECT_THAT(smbios_identities(std::string(64, '\xff')), IsEmpty());
    const std::string cut = table.substr(0, table.find("DIMM-0002") + 9);
    EXPECT_THAT(smbios_identities(cut), ElementsAre("SYS-0001", "DIMM-0002"))
        << "read by the decoder, so named here too";
}

Answers made_machine() {
    MemoryRoot root;
    root.add_file("/proc/sys/kernel/hostname", "node-17.cluster.example\n");
    root.add_file("/proc/cmdline", "root=UUID=01234567-89ab-4cde-8f01-23456789abcd host=node-17 quiet\n");
    root.add_file("/sys/class/dmi/id/product_serial", "PS-1234567\n");
    root.add_file("/sys/class/dmi/id/product_name", "Server X\n");
    root.add_file("/sys/class/dmi/id/product_uuid", "33221100-5544-7766-8899-aabbccddeeff\n");
    root.add_file("/sys/class/dmi/id/chassis_asset_tag", "ASSET-778899\n");
    root.add_file("/sys/class/net/eth0/address", "0c:42:a1:00:00:01\n");
    root.add_file("/sys/class/net/eth0/mtu", "9000\n");
    root.add_file("/sys/class/infiniband/mlx5_0/node_guid", "0c42:a103:0012:3456\n");
    root.add_file("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
    root.add_file("/proc/net/fib_trie", "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 192.0.2.11\n        /32 host LOCAL\n");
    root.add_file("/proc/sysinfo",
                  "Model:  900  M9\nSequence Code:  00000000000AB123\nLPAR Name:  PART07  \n"
                  "VM00 Extended Name:   guest-seven\n"
                  "VM00 UUID:            fedcba98-7654-4321-8fed-cba987654321\n");
    root.set_environment({{"MCCL_SOCKET_IFNAME", "eth0"}, {"LD_LIBRARY_PATH", "/home/tester/lib:/opt"}});
    return root.answers();
}

TEST(Anonymize, NothingThatIdentifiesIsLeftAndTheRestIsThere) {
    const Answers answers = made_machine();
    const Answers other = anonymize(answers, "key");
    const std::string bytes = pack_recording(other);
    const Answers unpacked = unpack_recording(bytes, "m.tar.gz");
    std::string all;
    for (const auto& [path, answer] : unpacked.files)
        all += path + "\n" + answer.text;
    for (const auto& [name, value] : unpacked.environment)
        all += value;
    for (const char* secret : {"node-17", "01234567-89ab", "PS-1234567", "33221100", "778899", "a1:00:00:01",
                               "a103:0012:3456", "192.0.2.11", "tester", "AB123", "PART07", "guest-seven", "fedcba98"})
        EXPECT_EQ(all.find(secret), std::string::npos) << secret;

    MemoryRoot before(answers);
    MemoryRoot after(unpacked);
    const Machine machine = probe_machine(before);
    const Machine anonymous = probe_machine(after);
    std::set<std::string> changed;
    for (const Difference& difference : differences(machine, anonymous))
        changed.insert(difference.path);
    EXPECT_THAT(changed, Contains("/os/hostname"));
    EXPECT_EQ(anonymous.dmi.product_name, "Server X");
    EXPECT_EQ(anonymous.interfaces.at(0).mtu, 9000);
    EXPECT_EQ(anonymous.rdma_devices.at(0).ports.at(0).state, "ACTIVE");
    for (const std::string& path : changed)
        EXPECT_TRUE(path == "/os/hostname" || path == "/os/command_line" || path == "/dmi/serial" ||
                    path == "/dmi/uuid" || path == "/addresses" || path.ends_with("/mac") || path.ends_with("guid") ||
                    path == "/environment/LD_LIBRARY_PATH")
            << path;
}

TEST(AnonymizeBinary, OnlyInItsPlace) {
    Pseudonyms names("key");
    names.add_hex("00-11-22-33-44-55-66-77");
    const std::string serial = "\x77\x66\x55\x44\x33\x22\x11\x00"s;
    std::string config(4096, '\0');
    config.replace(0x40, 8, serial);                // by chance
    config.replace(0x100, 4, "\x01\x00\x01\x15"s);  // AER, next at 0x150
    config.replace(0x150, 4, "\x03\x00\x01\x00"s);
    config.replace(0x154, 8, serial);
    const std::string other = anonymize_config(config, names);
    EXPECT_EQ(other.substr(0x40, 8), serial);
    EXPECT_NE(other.substr(0x154, 8), serial);
    EXPECT_EQ(other.substr(0x154 + 5, 3), serial.substr(5)) << "the maker stays";
    for (std::size_t size : {0U, 1U, 0x100U, 0x151U, 0x158U})
        EXPECT_EQ(anonymize_config(config.substr(0, size), names).size(), size);
}

TEST(AnonymizeBinary, VpdWithoutSpacesBetweenItsFields) {
    const Pseudonyms names("key");
    const std::string fields =
        "PN\x05"
        "MCX75"
        "SN\x06"
        "EX0000"
        "V3\x04"
        "a1b2"
        "RV\x01"s;
    std::string vpd =
        "\x82\x02\x00"
        "HC"
        "\x90"s +
        static_cast<char>(fields.size() + 1) + "\0"s + fields + "\0\x78"s;
    const std::string other = anonymize_vpd(vpd, names);
    EXPECT_EQ(other.size(), vpd.size());
    EXPECT_EQ(other.find("EX0000"), std::string::npos);
    EXPECT_EQ(other.find("a1b2"), std::string::npos);
    EXPECT_NE(other.find("MCX75"), std::string::npos);
    unsigned sum = 0;
    for (const char c : other.substr(0, other.size() - 1))
        sum += static_cast<unsigned char>(c);
    EXPECT_EQ(sum % 256, 0U) << "the checksum fits";
    for (std::size_t size = 0; size < vpd.size(); ++size)
        EXPECT_EQ(anonymize_vpd(vpd.substr(0, size), names).size(), size);
}

TEST(AnonymizeBinary, UuidOfTheSystemOnly) {
    Pseudonyms names("key");
    names.add_hex("33221100-5544-7766-8899-aabbccddeeff");
    const std::string uuid = "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"s;
    const std::string table = structure(1, "\0\0\0\0"s + uuid, "") + structure(9, uuid, "");
    const std::string other = anonymize_smbios(table, names);
    EXPECT_EQ(other.size(), table.size());
    EXPECT_NE(other.substr(8, 16), uuid);
    EXPECT_NE(other.find(uuid), std::string::npos) << "what only looks so";
}

/// Every recorded machine is the same after its names have gone, but for the names.
TEST(Anonymize, RecordedMachinesKeepTheirFacts) {
    const std::filesystem::path machines = std::filesystem::path(GPUADAPT_SOURCE_DIR) / "tests/machines";
    int seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(machines)) {
        const std::filesystem::path file = entry.path() / "recording.tar.gz";
        if (!std::filesystem::exists(file))
            continue;
        ++seen;
        const Answers answers = read_recording(file.string());
        const Answers other = anonymize(answers, "key");
        MemoryRoot before(answers);
        MemoryRoot after(other);
        const Machine machine = probe_machine(before);
        const Machine anonymous = probe_machine(after);
        EXPECT_EQ(anonymous.unread.size(), machine.unread.size()) << file;
        for (const Difference& difference : differences(machine, anonymous)) {
            const std::string& path = difference.path;
            const bool is_name = path.find("serial") != std::string::npos || path.find("guid") != std::string::npos ||
                                 path.find("uuid") != std::string::npos || path.find("/gid") != std::string::npos ||
                                 path.ends_with("/mac") || path == "/os/hostname" || path == "/os/command_line" ||
                                 path == "/addresses" || path.starts_with("/environment/");
            EXPECT_TRUE(is_name) << file << ": " << path << ": " << difference.first << " -> " << difference.second;
        }
        for (const PciDevice& device : machine.pci_devices) {
            if (device.vpd && device.vpd->serial) {
                for (const auto& [path, answer] : other.files)
                    EXPECT_EQ(answer.text.find(*device.vpd->serial), std::string::npos) << file << ": " << path;
            }
        }
    }
    EXPECT_GE(seen, 12);
}

TEST(Anonymize, TheKeyDecides) {
    const Answers answers = made_machine();
    EXPECT_EQ(anonymize(answers, "a"), anonymize(answers, "a"));
    EXPECT_NE(anonymize(answers, "a"), anonymize(answers, "b"));
}

}  // namespace
}  // namespace gpuadapt

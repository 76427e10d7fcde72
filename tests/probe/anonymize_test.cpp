// SPDX-License-Identifier: Apache-2.0
#include "probe/smbios_identities.hpp"

#include <gpuadapt/core/differences.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/anonymize.hpp>
#include <gpuadapt/probe/probe.hpp>

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

std::string structure(int type, std::string body, const std::string& strings) {
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
                               "a103:0012:3456", "192.0.2.11", "tester"})
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

TEST(Anonymize, TheKeyDecides) {
    const Answers answers = made_machine();
    EXPECT_EQ(anonymize(answers, "a"), anonymize(answers, "a"));
    EXPECT_NE(anonymize(answers, "a"), anonymize(answers, "b"));
}

}  // namespace
}  // namespace gpuadapt

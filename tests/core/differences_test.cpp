// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/differences.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PciDevice device(const std::string& address, std::optional<int> width) {
    PciDevice result;
    result.address = address;
    result.link.current_width = width;
    return result;
}

TEST(Differences, WhatOneDoesNotKnowIsNone) {
    Machine first;
    first.cpu.model.emplace("A");
    first.pci_devices = {device("0000:01:00.0", 16)};
    first.unread = {{"/proc/cpuinfo", "permission denied"}};
    Machine second;
    second.cpu.sockets = 2;
    second.unread = {{"/proc/meminfo", "permission denied"}};
    EXPECT_THAT(differences(first, second), IsEmpty());
    second.pci_devices = {device("0000:01:00.0", std::nullopt)};
    EXPECT_THAT(differences(first, second), IsEmpty());
    EXPECT_THAT(differences(first, first), IsEmpty());
}

TEST(Differences, NamesTheFactInItsEntry) {
    Machine first;
    first.cpu.sockets = 2;
    first.pci_devices = {device("0000:01:00.0", 16), device("0000:02:00.0", 16)};
    first.versions["CUDA"] = {"13.0", {}};
    first.cpu.idle_states = {"POLL", "C1"};
    Machine second = first;
    second.cpu.sockets = 1;
    second.pci_devices[1].link.current_width = 8;
    second.versions["CUDA"].version = "12.8";
    second.cpu.idle_states = {"POLL"};
    EXPECT_THAT(differences(first, second),
                ElementsAre(Difference{"/cpu/sockets", "2", "1"},
                            Difference{"/cpu/idle_states", R"(["POLL","C1"])", R"(["POLL"])"},
                            Difference{"/pci_devices/0000:02:00.0/link/current_width", "16", "8"},
                            Difference{"/versions/CUDA/version", "13.0", "12.8"}));
}

TEST(Differences, PciIdsAreHexadecimal) {
    Machine first;
    first.pci_devices = {device("0000:01:00.0", 16)};
    first.pci_devices[0].vendor_id = 0x10de;
    first.pci_devices[0].class_code = 0x030200;
    first.pci_devices[0].revision = 0xa;
    first.pci_devices[0].acs = PciAcs{0x1f, 0};
    Machine second = first;
    second.pci_devices[0].vendor_id = 0x2;
    second.pci_devices[0].class_code = 0x030000;
    second.pci_devices[0].revision = 0xa1;
    second.pci_devices[0].acs->control = 0x1d;
    std::vector<std::string> values;
    for (const Difference& difference : differences(first, second))
        values.push_back(difference.first + " " + difference.second);
    EXPECT_THAT(values, testing::UnorderedElementsAre("10de 0002", "030200 030000", "0a a1", "0000 001d"));
}

TEST(Differences, FactsThatAgreeAreCounted) {
    Machine first;
    first.cpu.sockets = 2;
    first.cpu.model.emplace("A");
    first.cpu.idle_states = {"POLL", "C1"};
    first.pci_devices = {device("0000:01:00.0", 16), device("0000:02:00.0", 16)};
    first.unread = {{"/proc/cpuinfo", "permission denied"}};
    Machine second;
    EXPECT_EQ(compare_machines(first, second).agreed, 0U);
    second.cpu.sockets = 2;
    second.cpu.architecture.emplace("x86_64");  // only one knows it
    second.cpu.idle_states = first.cpu.idle_states;
    second.unread = first.unread;
    EXPECT_EQ(compare_machines(first, second).agreed, 3U);
    second.pci_devices = {device("0000:01:00.0", 8), device("0000:02:00.0", 16)};
    const std::size_t without = compare_machines(first, second).agreed;
    EXPECT_EQ(compare_machines(first, second).differences.size(), 1U);
    second.pci_devices[0].link.current_width = 16;
    EXPECT_EQ(compare_machines(first, second).agreed, without + 1);
}

TEST(Differences, ConfigurationFilesAreComparedByTheirPaths) {
    Machine first;
    first.config_files = {{"/~/.nccl.conf", {{"NCCL_DEBUG", "WARN"}, {"NCCL_ALGO", "Ring"}}},
                          {"/etc/nccl.conf", {{"NCCL_DEBUG", "INFO"}}}};
    Machine second;
    second.config_files = {{"/etc/nccl.conf", {{"NCCL_DEBUG", "WARN"}}}};
    EXPECT_THAT(differences(first, second),
                ElementsAre(Difference{"/config_files//etc/nccl.conf/variables/NCCL_DEBUG", "INFO", "WARN"},
                            Difference{"/config_files//~/.nccl.conf", "/~/.nccl.conf", ""}));
    first.config_files.pop_back();
    EXPECT_THAT(differences(first, second),
                ElementsAre(Difference{"/config_files//etc/nccl.conf", "", "/etc/nccl.conf"},
                            Difference{"/config_files//~/.nccl.conf", "/~/.nccl.conf", ""}));
}

TEST(Differences, AnEntryOfOneSideOnly) {
    Machine first;
    first.pci_devices = {device("0000:01:00.0", 16)};
    Machine second;
    second.pci_devices = {device("0000:01:00.0", 16), device("0000:02:00.0", 16)};
    EXPECT_THAT(differences(first, second), ElementsAre(Difference{"/pci_devices/0000:02:00.0", "", "0000:02:00.0"}));
    EXPECT_THAT(differences(second, first), ElementsAre(Difference{"/pci_devices/0000:02:00.0", "0000:02:00.0", ""}));
}

TEST(Differences, EntriesOfOneNameDifferAsAWhole) {
    Machine first;
    first.numa_nodes.resize(2);
    first.numa_nodes[0].cpus = "0-3";
    Machine second = first;
    EXPECT_THAT(differences(first, second), IsEmpty());
    second.numa_nodes[1].cpus = "4-7";
    ASSERT_EQ(differences(first, second).size(), 1U);
    EXPECT_EQ(differences(first, second)[0].path, "/numa_nodes");
}

}  // namespace
}  // namespace gpuadapt

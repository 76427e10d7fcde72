// SPDX-License-Identifier: Apache-2.0
#include "probe/cpuinfo.hpp"
#include "probe/memory_info.hpp"
#include "probe/parse.hpp"
#include "probe/pci_device.hpp"
#include "probe/system_texts.hpp"

#include <chrono>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(Parse, CpuLists) {
    EXPECT_THAT(*parse_cpu_list("0-3,8\n"), ElementsAre(0, 1, 2, 3, 8));
    EXPECT_THAT(*parse_cpu_list("5,3-4,4"), ElementsAre(3, 4, 5));
    EXPECT_THAT(*parse_cpu_list(""), IsEmpty());
    for (const char* text : {"a", "3-1", "-1", "0-", "0,,1", "0-99999999", "70000", "1-2-3"})
        EXPECT_FALSE(parse_cpu_list(text)) << text;
    std::string bomb = "0-65535";
    for (int i = 0; i < 1000; ++i)
        bomb += ",0-65535";
    EXPECT_FALSE(parse_cpu_list(bomb));
}

TEST(Parse, Numbers) {
    EXPECT_EQ(parse_hex("0x10de"), 0x10de);
    EXPECT_EQ(parse_hex("FFFFFFFF"), 0xffffffff);
    for (const char* text : {"", "0x", "0x1g", "-1", "0x100000000", " 1"})
        EXPECT_FALSE(parse_hex(text)) << text;
    EXPECT_EQ(parse_int("-1"), -1);
    EXPECT_FALSE(parse_int("3000000000"));
    EXPECT_FALSE(parse_count("-1"));
    EXPECT_EQ(parse_kilobytes(" 16384 kB"), 16384 * 1024);
    EXPECT_FALSE(parse_kilobytes("16384"));
    EXPECT_FALSE(parse_kilobytes("99999999999999999 kB"));
    EXPECT_FALSE(parse_kilobytes("-4 kB"));
    EXPECT_EQ(parse_cache_size("48K"), 48 * 1024);
    EXPECT_EQ(parse_cache_size("32M"), 32 * 1024 * 1024);
    EXPECT_FALSE(parse_cache_size("48"));
    EXPECT_FALSE(parse_cache_size("99999999999999M"));
}

TEST(Parse, PciAddresses) {
    for (const char* text : {"0000:3a:00.0", "10000:e1:00.7", "FFFFFFFF:00:1f.6"})
        EXPECT_TRUE(is_pci_address(text)) << text;
    for (const char* text : {"", "3a:00.0", "0000:3a:00.8", "0000:3a:00", "0000:3a:00.00", "000g:00:00.0", "pci0000:00",
                             "0000:3a-00.0", "123456789:00:00.0"})
        EXPECT_FALSE(is_pci_address(text)) << text;
    EXPECT_EQ(last_pci_address("../../devices/pci0000:00/0000:00:03.0/virtio2/net/eth0"), "0000:00:03.0");
    EXPECT_EQ(last_pci_address("../../devices/virtual/net/lo"), std::nullopt);
    EXPECT_EQ(last_pci_address(""), std::nullopt);
    EXPECT_EQ(parent_in_path("../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0"), "0000:00:01.0");
    EXPECT_EQ(parent_in_path("../../../devices/pci0000:00/0000:00:01.0"), std::nullopt);
    EXPECT_EQ(parent_in_path("x"), std::nullopt);
}

TEST(Parse, NamesAndChoices) {
    EXPECT_THAT(numbered({"node10", "node2", "node", "nodex", "cpu1"}, "node"),
                ElementsAre(Pair(2, "node2"), Pair(10, "node10")));
    EXPECT_EQ(parse_choice("always [madvise] never"), "madvise");
    EXPECT_EQ(parse_choice("always madvise never"), std::nullopt);
    EXPECT_EQ(parse_choice("] ["), std::nullopt);
    std::optional<std::string> joined;
    for (const char* text : {"performance", "powersave", "performance", "power"})
        join_distinct(joined, text);
    EXPECT_EQ(joined, "performance/powersave/power");
    EXPECT_EQ(single_blanks("  Xeon(R) CPU      E5  "), "Xeon(R) CPU E5");
}

TEST(Cpuinfo, X86) {
    const CpuInfo info = parse_cpuinfo(
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Some  "
        "Xeon(R)\nmicrocode\t: 0x2b\n"
        "flags\t\t: fpu vme lm hypervisor_x\n\nprocessor\t: 1\nmodel name\t: Other\nflags\t\t: hypervisor\n");
    EXPECT_EQ(info.architecture, "x86_64");
    EXPECT_EQ(info.vendor, "GenuineIntel");
    EXPECT_EQ(info.model, "Some Xeon(R)");
    EXPECT_EQ(info.family, 6);
    EXPECT_EQ(info.model_number, 143);
    EXPECT_EQ(info.microcode, "0x2b");
    EXPECT_FALSE(info.hypervisor) << "a whole word of the first processor";
    EXPECT_TRUE(parse_cpuinfo("flags : lm hypervisor").hypervisor);
    EXPECT_EQ(parse_cpuinfo("flags : fpu").architecture, "i686");
}

TEST(Cpuinfo, Arm) {
    const std::string cpu = "processor : 0\nCPU implementer : 0x70\nCPU architecture: 8\nCPU part : 0x663\n\n";
    const CpuInfo info = parse_cpuinfo(cpu + cpu + "CPU implementer : 0x41\nCPU part : 0xd0c\n");
    EXPECT_EQ(info.architecture, "aarch64");
    EXPECT_EQ(info.vendor, "Phytium");
    EXPECT_EQ(info.part, "FTC663/Neoverse-N1");
    EXPECT_EQ(info.model, std::nullopt);
    EXPECT_EQ(parse_cpuinfo("CPU implementer : 0xee\nCPU part : 0x123").part, "implementer 0xee part 0x123");
    EXPECT_EQ(parse_cpuinfo("CPU implementer : 0x48\nCPU part : 0xd01").part, "Kunpeng-920");
    EXPECT_EQ(parse_cpuinfo("CPU implementer : 0xc0\nCPU part : 0xac3").vendor, "Ampere");
    EXPECT_EQ(parse_cpuinfo("CPU part : 0xd0c").part, std::nullopt) << "a part of nobody";
    EXPECT_EQ(parse_cpuinfo("CPU implementer : 0x4100\nCPU part : 0xd0c").part, std::nullopt);
}

TEST(Cpuinfo, PowerLoongArchAndNonsense) {
    EXPECT_EQ(parse_cpuinfo("cpu\t: POWER9, altivec supported\n").model, "POWER9, altivec supported");
    EXPECT_EQ(parse_cpuinfo("cpu\t: POWER9, altivec supported\n").vendor, "IBM");
    EXPECT_EQ(parse_cpuinfo("cpu\t\t: TI UltraSparc T9  (Example)\n").model, "TI UltraSparc T9 (Example)");
    EXPECT_EQ(parse_cpuinfo("cpu\t\t: TI UltraSparc T9  (Example)\n").vendor, std::nullopt);
    const CpuInfo loongson = parse_cpuinfo("CPU Family\t: Loongson-64bit\nModel Name\t: Loongson-3C6000/S\n");
    EXPECT_EQ(loongson.architecture, "loongarch64");
    EXPECT_EQ(loongson.model, "Loongson-3C6000/S");
    for (const char* text : {"", ":", "\n\n", "model name :", "flags", "model name"})
        EXPECT_EQ(parse_cpuinfo(text).model, std::nullopt) << text;
}

TEST(Meminfo, TakesWhatIsThere) {
    const MemoryInfo info = parse_meminfo(
        "MemTotal:       1000 kB\nMemAvailable:    500 kB\nSwapTotal:  bad\nHugePages_Total:       4\n"
        "Hugepagesize:       2048 kB\nMemTotalX: 1 kB\n");
    const Memory& memory = info.memory;
    EXPECT_THAT(info.damaged, ElementsAre("SwapTotal: bad"));
    EXPECT_EQ(memory.total_bytes, 1024000);
    EXPECT_EQ(memory.available_bytes, 512000);
    EXPECT_EQ(memory.swap_bytes, std::nullopt);
    EXPECT_EQ(memory.hugepages_total, 4);
    EXPECT_EQ(memory.hugepages_free, std::nullopt);
    EXPECT_EQ(memory.hugepage_bytes, 2048 * 1024);
}

TEST(OsRelease, QuotesAndComments) {
    const auto values =
        parse_os_release("# c\nNAME=\"A \\\"B\\\" \\$C\"\nID=debian\nX='it'\n=y\nEMPTY=\nnonsense\nQ=\"open\n");
    EXPECT_EQ(values.at("NAME"), "A \"B\" $C");
    EXPECT_EQ(values.at("ID"), "debian");
    EXPECT_EQ(values.at("X"), "it");
    EXPECT_EQ(values.at("EMPTY"), "");
    EXPECT_EQ(values.at("Q"), "\"open");
    EXPECT_FALSE(values.contains("# c"));
}

TEST(Container, OfCgroupPaths) {
    EXPECT_EQ(container_of_cgroup("0::/kubepods.slice/kubepods-burstable.slice/cri-containerd-1.scope"), "kubernetes");
    EXPECT_EQ(container_of_cgroup("12:cpu:/docker/0123"), "docker");
    EXPECT_EQ(container_of_cgroup("0::/system.slice/docker-0123.scope"), "docker");
    EXPECT_EQ(container_of_cgroup("0::/machine.slice/libpod-1.scope"), "podman");
    EXPECT_EQ(container_of_cgroup("0::/init.scope"), std::nullopt);
    EXPECT_EQ(container_of_cgroup("0::/system.slice/docker.service"), std::nullopt) << "the daemon is on the host";
}

TEST(Hypervisor, OfDmiAndClocks) {
    Dmi dmi;
    EXPECT_EQ(hypervisor_of_dmi(dmi), std::nullopt);
    dmi.system_vendor = "QEMU";
    EXPECT_EQ(hypervisor_of_dmi(dmi), "qemu");
    dmi = {};
    dmi.system_vendor = "Microsoft Corporation";
    EXPECT_EQ(hypervisor_of_dmi(dmi), std::nullopt) << "they make hardware too";
    dmi.product_name = "Virtual Machine";
    EXPECT_EQ(hypervisor_of_dmi(dmi), "hyperv");
    EXPECT_EQ(hypervisor_of_clocks("tsc kvm-clock acpi_pm"), "kvm");
    EXPECT_EQ(hypervisor_of_clocks("tsc hpet acpi_pm"), std::nullopt);
}

TEST(Addresses, OfTheFibTrie) {
    const std::string trie =
        "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n"
        "           |-- 127.0.0.1\n              /32 host LOCAL\n           |-- 192.0.2.2\n              /32 host "
        "LOCAL\n"
        "        |-- 192.0.2.255\n           /32 link BROADCAST\nLocal:\n           |-- 192.0.2.2\n"
        "              /32 host LOCAL\n           |-- 999.1.2.3\n              /32 host LOCAL\n"
        "           |-- 198.51.100.7\n              /24 link UNICAST\n              /32 host LOCAL\n";
    EXPECT_THAT(parse_local_addresses(trie), ElementsAre("192.0.2.2", "198.51.100.7"));
    EXPECT_THAT(parse_local_addresses("/32 host LOCAL"), IsEmpty());
}

TEST(Addresses, OfALargeTrieTakeNoTime) {
    constexpr int kMany = 100000;
    std::string trie;
    for (int i = 0; i < 2 * kMany; ++i)
        trie += fmt::format("|-- 10.{}.{}.{}\n/32 host LOCAL\n", i % kMany >> 16, i % kMany >> 8 & 255, i & 255);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_GE(parse_local_addresses(trie).size(), 99000U);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << "each against all others";
}

TEST(Versions, OfFiles) {
    EXPECT_EQ(parse_cuda_version(R"({ "cuda" : { "name" : "CUDA SDK", "version" : "12.2.2" }, "x": {"version":"1"} })"),
              "12.2.2");
    EXPECT_EQ(parse_cuda_version(R"({"cuda":{"name":"x"},"nvcc":{"version":"1"}})"), std::nullopt);
    EXPECT_EQ(parse_cuda_version(R"({"cuda")"), std::nullopt);
    EXPECT_EQ(parse_cuda_version(R"({"cuda":{"version":"12)"), std::nullopt);
    EXPECT_EQ(parse_version_line("Product\nVersion:3.0.0.8\n"), "3.0.0.8");
    EXPECT_EQ(parse_version_line("CUDA Version 10.1.243"), "10.1.243");
    EXPECT_EQ(parse_version_line("6.3.1-48\n"), "6.3.1-48");
    EXPECT_EQ(parse_version_line("<html>"), std::nullopt);
    EXPECT_EQ(parse_version_line(""), std::nullopt);
}

TEST(PciTexts, UeventAndLinkSpeed) {
    PciDevice device;
    take_uevent("DRIVER=nvidia\nPCI_CLASS=30200\nPCI_ID=10DE:2330\nPCI_SUBSYS_ID=10DE:16C1\nPCI_SLOT_NAME=x\n", device);
    EXPECT_EQ(device.driver, "nvidia");
    EXPECT_EQ(device.class_code, 0x030200);
    EXPECT_EQ(device.vendor_id, 0x10de);
    EXPECT_EQ(device.device_id, 0x2330);
    EXPECT_EQ(device.subsystem_device_id, 0x16c1);
    PciDevice damaged;
    take_uevent("DRIVER=\nPCI_CLASS=FFFFFFFF\nPCI_ID=10DE\nPCI_SUBSYS_ID=1:99999\nPCI_ID", damaged);
    EXPECT_EQ(damaged, PciDevice{});
    EXPECT_EQ(parse_link_speed("16.0 GT/s PCIe"), 16.0);
    EXPECT_EQ(parse_link_speed("8 GT/s"), 8.0);
    EXPECT_EQ(parse_link_speed("2.5 GT/s"), 2.5);
    for (const char* text : {"Unknown", "Unknown speed", "7.0 GT/s", "", "GT/s", "nan GT/s"})
        EXPECT_EQ(parse_link_speed(text), std::nullopt) << text;
}

}  // namespace
}  // namespace gpuadapt

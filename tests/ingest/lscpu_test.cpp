// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/lscpu.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

TEST(Lscpu, ReadsEnglish) {
    const auto found = read_lscpu(
        "Architecture:            x86_64\n"
        "  CPU op-mode(s):        32-bit, 64-bit\n"
        "CPU(s):                  256\n"
        "  On-line CPU(s) list:   0-238,240-255\n"
        "  Off-line CPU(s) list:  239\n"
        "Vendor ID:               ExampleCPU\n"
        "  Model name:            Example  9000 64-Core\n"
        "    Thread(s) per core:  2\n"
        "    Core(s) per socket:  64\n"
        "    Socket(s):           2\n"
        "    Frequency boost:     enabled\n"
        "    CPU max MHz:         5008.9292\n"
        "    CPU min MHz:         0.0000\n"
        "Hypervisor vendor:       KVM\n"
        "Caches (sum of all):     \n"
        "  L1d:                   6 MiB (128 instances)\n"
        "  L2:                    1.5 GiB (128 instances)\n"
        "  L3:                    512 MiB (16 instances)\n"
        "NUMA:                    \n"
        "  NUMA node(s):          2\n"
        "  NUMA node0 CPU(s):     0-63,128-191\n"
        "  NUMA node1 CPU(s):     \n");
    ASSERT_TRUE(found);
    const Cpu& cpu = found->cpu;
    EXPECT_EQ(cpu.architecture, "x86_64");
    EXPECT_EQ(cpu.vendor, "ExampleCPU");
    EXPECT_EQ(cpu.model, "Example 9000 64-Core");
    EXPECT_EQ(cpu.sockets, 2);
    EXPECT_EQ(cpu.cores_per_socket, 64);
    EXPECT_EQ(cpu.threads_per_core, 2);
    EXPECT_EQ(cpu.logical_cpus, 255);  // those that are online
    EXPECT_EQ(cpu.online, "0-238,240-255");
    EXPECT_EQ(cpu.offline, "239");
    EXPECT_EQ(cpu.boost, true);
    EXPECT_EQ(cpu.max_khz, 5008929);
    EXPECT_EQ(cpu.min_khz, std::nullopt);
    EXPECT_EQ(cpu.l1d_bytes, 48 << 10);
    EXPECT_EQ(cpu.l2_bytes, 12 << 20);
    EXPECT_EQ(cpu.l3_bytes, 32 << 20);
    EXPECT_EQ(cpu.l3_instances, 16);
    EXPECT_EQ(found->hypervisor_vendor, "KVM");
    ASSERT_EQ(found->numa_nodes.size(), 2U);
    EXPECT_EQ(found->numa_nodes[0].cpus, "0-63,128-191");
    EXPECT_EQ(found->numa_nodes[1].cpus, "");
}

TEST(Lscpu, ClustersAreNoSocketsOfOneSize) {
    const std::string text =
        "Architecture: aarch64\nCPU(s): 8\nOn-line CPU(s) list: 0-7\nCore(s) per socket: 4\nSocket(s): 3\n";
    EXPECT_EQ(read_lscpu(text)->cpu.cores_per_socket, std::nullopt) << "12 cores on 8 CPUs";
    EXPECT_EQ(read_lscpu(text)->cores_unread,
              "lscpu counts 3 sockets of 4 cores, more than its 8 CPUs: cores a socket are not known");
    EXPECT_FALSE(read_lscpu(text + "Off-line CPU(s) list: 8-11\n")->cores_unread);
    EXPECT_EQ(read_lscpu(text + "Off-line CPU(s) list: 8-11\n")->cpu.cores_per_socket, 4);
}

TEST(Lscpu, ReadsChinese) {
    for (const std::string_view colon : {"：", ":"}) {
        std::string text =
            "架构@                           aarch64\n"
            "字节序@                         Little Endian\n"
            "CPU@                            96\n"
            "在线 CPU 列表@                  0-95\n"
            "厂商 ID@                        HiSilicon\n"
            "型号名称@                       Kunpeng-920\n"
            "每个核的线程数@                 1\n"
            "每个座的核数@                   48\n"
            "座@                             2\n"
            "NUMA 节点@                      2\n"
            "L1d 缓存@                       64K\n"
            "NUMA 节点0 CPU@                 0-47\n"
            "NUMA 节点1 CPU@                 48-95\n";
        for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@'))
            text.replace(at, 1, colon);
        const auto found = read_lscpu(text);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->cpu.architecture, "aarch64");
        EXPECT_EQ(found->cpu.model, "Kunpeng-920");
        EXPECT_EQ(found->cpu.sockets, 2);
        EXPECT_EQ(found->cpu.cores_per_socket, 48);
        EXPECT_EQ(found->cpu.logical_cpus, 96);
        EXPECT_EQ(found->cpu.l1d_bytes, 64 << 10);
        ASSERT_EQ(found->numa_nodes.size(), 2U);
        EXPECT_EQ(found->numa_nodes[1].cpus, "48-95");
    }
}

TEST(Lscpu, ReadsJsonAlsoWhenItIsCut) {
    const auto found = read_lscpu(
        "{ \"lscpu\": [ {\"field\": \"Architecture:\", \"data\": \"x86_64\"},\n"
        " {\"field\":\"CPU(s):\",\"data\":\"8\", \"children\": [ {\"field\": \"On-line CPU(s) "
        "list:\",\"data\":\"0-7\"}]},\n"
        " {\"field\":\"Socket(s):\",\"data\":\"1\"}, {\"field\":\"NUMA:\",\"data\":null},\n"
        " {\"field\":\"NUMA node0 CPU(s):\",\"data\":\"0-7\"}, {\"field\":\"Model na");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cpu.logical_cpus, 8);
    EXPECT_EQ(found->cpu.sockets, 1);
    EXPECT_EQ(found->numa_nodes.size(), 1U);
}

TEST(Lscpu, AddsUpKindsOfCores) {
    constexpr std::string_view kText =
        "CPU(s):              8\nOn-line CPU(s) list: 0-7\nVendor ID: ARM\n"
        "Model name:          Cortex-A510\nCore(s) per socket: 3\nSocket(s): 1\n"
        "Model name:          Cortex-A710\nCore(s) per socket: 5\nSocket(s): 1\n";
    for (const std::string& text : {std::string(kText), std::string(kText) + std::string(kText)}) {
        const auto found = read_lscpu(text);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->cpu.model, "Cortex-A510/Cortex-A710");
        EXPECT_EQ(found->cpu.cores_per_socket, 8);
        EXPECT_EQ(found->cpu.sockets, 1);
    }
}

TEST(Lscpu, KnowsNoSizeOfACacheFromASum) {
    const auto found = read_lscpu(
        "CPU(s): 48\nSocket(s): 2 // two\nCore(s) per socket: 24\nL2 cache:            24 MiB  // 48 in all\n");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cpu.sockets, 2);
    EXPECT_EQ(found->cpu.l2_bytes, std::nullopt);
}

TEST(Lscpu, JoinsCpusInAnyOrder) {
    const auto found = read_lscpu("CPU(s): 8\nSocket(s): 1\nOn-line CPU(s) list: 4-6,0,2-4,1,9\nModel name: X\n");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cpu.online, "0-6,9");
    EXPECT_EQ(found->cpu.logical_cpus, 8);
}

TEST(Lscpu, TakesLinearTimeForListsThatNameAllCpusAgain) {
    std::string text = "CPU(s): 8\nSocket(s): 1\nModel name: X\nOn-line CPU(s) list: 0-65535";
    for (int i = 0; i < 100'000; ++i)
        text += ",0-65535";
    for (int i = 0; i < 100'000; ++i)
        text += "\nOff-line CPU(s) list: 0-65535";
    const auto found = read_lscpu(text + "\n");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cpu.logical_cpus, 65536);
}

TEST(Lscpu, TakesNoPartOfANumberForASize) {
    const auto found = read_lscpu("CPU(s): 8\nSocket(s): 1\nModel name: X\nL2 cache: 1.5M\nL3 cache: 2M\n");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cpu.l2_bytes, std::nullopt);
    EXPECT_EQ(found->cpu.l3_bytes, 2 << 20);
}

TEST(Lscpu, FindsNothingInOtherTexts) {
    EXPECT_FALSE(read_lscpu(""));
    EXPECT_FALSE(read_lscpu("Architecture: of the house\nModel name: none\nVendor ID: x\n"));
    EXPECT_FALSE(read_lscpu("CPU(s): 4\n"));
}

TEST(Numactl, ReadsNodes) {
    const auto nodes = read_numactl(
        "available: 2 nodes (0-1)\n"
        "node 0 cpus: 0 1 2 3 8\n"
        "node 0 size: 1024 MB\n"
        "node 0 free: 100 MB\n"
        "node 1 cpus:\n"
        "node 1 size: 2048 MB\n"
        "node distances:\n"
        "node   0   1 \n"
        "  0:  10  32 \n"
        "  1:  32  10 \n");
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].cpus, "0-3,8");
    EXPECT_EQ(nodes[0].memory_bytes, 1024LL << 20);
    EXPECT_EQ(nodes[0].distances, (std::vector<int>{10, 32}));
    EXPECT_EQ(nodes[1].cpus, "");
    EXPECT_TRUE(read_numactl("node 0 cpus: 1\n").empty());
}

}  // namespace
}  // namespace gpuadapt::ingest

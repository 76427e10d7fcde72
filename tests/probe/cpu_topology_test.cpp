// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/host/memory_root.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using namespace std::string_literals;

const std::string kCpus = "/sys/devices/system/cpu/";

using Files = std::map<std::string, std::string>;

/// The topology folder of a CPU; core and socket by the names of old kernels.
void add_cpu(MemoryRoot& root, int cpu, const std::string& core, const std::string& socket, const Files& numbers) {
    const std::string folder = kCpus + "cpu" + std::to_string(cpu) + "/topology/";
    if (!core.empty())
        root.add_file(folder + "thread_siblings_list", core + "\n");
    if (!socket.empty())
        root.add_file(folder + "core_siblings_list", socket + "\n");
    for (const auto& [name, text] : numbers)
        root.add_file(folder + name, text + "\n");
}

Files numbers(int core, int package) {
    return {{"core_id", std::to_string(core)}, {"physical_package_id", std::to_string(package)}};
}

Cpu cpu_of(MemoryRoot& root) {
    return probe_machine(root, {"cpu"}).cpu;
}

/// Two sockets of two cores with two threads; CPUs 6 and 7, a whole core, are offline.
void add_offline_core(MemoryRoot& root) {
    const char* const kSockets[] = {"0-3", "4-7"};
    for (int cpu = 0; cpu < 6; ++cpu) {
        const int first = cpu / 2 * 2;
        add_cpu(root, cpu, std::to_string(first) + "-" + std::to_string(first + 1), kSockets[cpu / 4],
                numbers(cpu / 2 % 2, cpu / 4));
    }
}

void expect_three_cores(const Cpu& cpu) {
    EXPECT_EQ(cpu.logical_cpus, 6);
    EXPECT_EQ(cpu.sockets, 2);
    EXPECT_EQ(cpu.cores, 3);
    EXPECT_EQ(cpu.cores_per_socket, std::nullopt) << "2 and 1: nobody knows how many the second has";
    EXPECT_EQ(cpu.threads_per_core, 2);
}

TEST(CpuTopology, CoresThatAreOffline) {
    MemoryRoot root;
    add_offline_core(root);
    root.add_file(kCpus + "online", "0-5\n");
    root.add_file(kCpus + "offline", "6-7\n");
    expect_three_cores(cpu_of(root));
}

TEST(CpuTopology, OldKernelsSayItInEachFolder) {
    MemoryRoot root;
    add_offline_core(root);
    for (const int cpu : {6, 7}) {
        add_cpu(root, cpu, "6-7", "4-7", numbers(1, 1));  // some keep the folder
        root.add_file(kCpus + "cpu" + std::to_string(cpu) + "/online", "0\n");
    }
    root.add_file(kCpus + "cpu5/online", "1\n");
    expect_three_cores(cpu_of(root));
}

TEST(CpuTopology, CoresAreKnownWhereSocketsAreNot) {
    MemoryRoot root;  // POWER without chip numbers: a socket for each core is the kernel's invention
    for (int cpu = 0; cpu < 8; ++cpu)
        add_cpu(root, cpu, cpu < 4 ? "0-3" : "4-7", cpu < 4 ? "0-3" : "4-7", numbers(cpu / 4 * 4, -1));
    const Cpu cpu = cpu_of(root);
    EXPECT_EQ(cpu.sockets, std::nullopt);
    EXPECT_EQ(cpu.cores, 2);
    EXPECT_EQ(cpu.cores_per_socket, std::nullopt);
    EXPECT_EQ(cpu.threads_per_core, 4);
}

TEST(CpuTopology, ANumberThatIsMissingIsNotASocket) {
    MemoryRoot root;
    for (const int cpu : {0, 1})
        add_cpu(root, cpu, std::to_string(cpu), "0-1", {{"core_id", std::to_string(cpu)}});
    EXPECT_EQ(cpu_of(root).cores, 2);
    EXPECT_EQ(cpu_of(root).sockets, std::nullopt);
    root.add_denied(kCpus + "cpu0/topology/physical_package_id");
    EXPECT_EQ(cpu_of(root).sockets, std::nullopt);
}

TEST(CpuTopology, SetsOfAllCpusAreNoCores) {
    MemoryRoot root;  // RISC-V without a map of the processors
    for (const int cpu : {0, 1})
        add_cpu(root, cpu, "0-1", "0-1", numbers(-1, -1));
    const Cpu cpu = cpu_of(root);
    EXPECT_EQ(cpu.logical_cpus, 2);
    EXPECT_EQ(cpu.sockets, std::nullopt);
    EXPECT_EQ(cpu.cores, std::nullopt);
    EXPECT_EQ(cpu.threads_per_core, std::nullopt);
}

TEST(CpuTopology, TheHypervisorOfS390KnowsSockets) {
    MemoryRoot root;
    root.add_file("/proc/cpuinfo", "vendor_id       : IBM/S390\n");
    for (const int cpu : {0, 1, 2})
        add_cpu(root, cpu, std::to_string(cpu), cpu < 2 ? "0-1" : "2", numbers(0, -1));
    EXPECT_EQ(cpu_of(root).sockets, 2);
    EXPECT_EQ(cpu_of(root).cores, 3);
    EXPECT_EQ(cpu_of(root).cores_per_socket, std::nullopt);
    for (const int cpu : {0, 1, 2})
        root.remove(kCpus + "cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
    EXPECT_EQ(cpu_of(root).sockets, 2) << "older ones have nothing of cores";
    EXPECT_EQ(cpu_of(root).cores, std::nullopt);
}

TEST(CpuTopology, ThePartitionOfAnS390HasNotAllCoresOfASocket) {
    MemoryRoot root;
    root.add_file("/proc/cpuinfo", "vendor_id       : IBM/S390\n");
    for (const int cpu : {0, 1, 2})
        add_cpu(root, cpu, std::to_string(cpu), cpu < 2 ? "0-1" : "2", numbers(0, -1));
    const auto with_sizes = [&](const std::string& sizes) {
        root.add_file("/proc/sysinfo", "Type:                 9999\n\nCPU Topology HW:      0 0 0 2 3 9\n" + sizes +
                                           "CPUs Total:           12\n");
        return cpu_of(root).cores_per_socket;
    };
    EXPECT_EQ(with_sizes("CPU Topology SW:      0 0 0 2 3 5\n"), 5);
    EXPECT_EQ(cpu_of(root).sockets, 2);
    EXPECT_EQ(cpu_of(root).cores, 3);
    for (const char* none : {"", "CPU Topology SW:\n", "CPU Topology SW:      0 0 0 2 3\n",
                             "CPU Topology SW:      0 0 0 2 3 0\n", "CPU Topology SW:      0 0 0 2 3 -5\n",
                             "CPU Topology SW:      0 0 0 2 3 99999999999\n", "CPU Topology SW:      0 0 0 2 3 x\n"})
        EXPECT_EQ(with_sizes(none), std::nullopt) << none;
    root.add_denied("/proc/sysinfo");
    EXPECT_EQ(cpu_of(root).cores_per_socket, std::nullopt);
}

TEST(CpuTopology, SocketsOfOneSizeOnAnS390WithoutSizes) {
    MemoryRoot root;
    root.add_file("/proc/cpuinfo", "vendor_id       : IBM/S390\n");
    for (const int cpu : {0, 1})
        add_cpu(root, cpu, std::to_string(cpu), std::to_string(cpu), numbers(0, -1));
    EXPECT_EQ(cpu_of(root).cores_per_socket, 1);
}

TEST(CpuTopology, CachesOfSparc) {
    MemoryRoot root;
    const std::string folder = kCpus + "cpu4/";
    add_cpu(root, 4, "4", "4", numbers(-1, -1));
    root.add_file(folder + "l1_dcache_size", "32768\n");
    root.add_file(folder + "l1_icache_size", "8192\n");
    root.add_file(folder + "l2_cache_size", "damaged\n");
    const Cpu cpu = cpu_of(root);
    EXPECT_EQ(cpu.l1d_bytes, 32768);
    EXPECT_EQ(cpu.l1i_bytes, 8192);
    EXPECT_EQ(cpu.l2_bytes, std::nullopt);
    EXPECT_EQ(cpu.l3_bytes, std::nullopt);
    EXPECT_EQ(cpu.l3_instances, std::nullopt);
    root.add_file(folder + "cache/index0/level", "1\n");
    root.add_file(folder + "cache/index0/type", "Data\n");
    root.add_file(folder + "cache/index0/size", "16K\n");
    EXPECT_EQ(cpu_of(root).l1d_bytes, 16384) << "the folder of all other kernels";
    EXPECT_EQ(cpu_of(root).l1i_bytes, std::nullopt);
}

/// Arm, four CPUs in sets of these sizes.
void add_arm(MemoryRoot& root, int first_set) {
    root.add_file("/proc/cpuinfo", "CPU implementer\t: 0x70\nCPU architecture: 8\nCPU part\t: 0x663\n");
    root.add_file(kCpus + "offline", "\n");
    for (int cpu = 0; cpu < 4; ++cpu) {
        const std::string set =
            cpu < first_set ? "0-" + std::to_string(first_set - 1) : std::to_string(first_set) + "-3";
        add_cpu(root, cpu, std::to_string(cpu), set, numbers(cpu, cpu < first_set ? 0 : 1));
    }
}

TEST(CpuTopology, ClustersOfArmAreNoSockets) {
    MemoryRoot root;
    add_arm(root, 3);
    EXPECT_EQ(cpu_of(root).sockets, std::nullopt) << "three cores and one";
    EXPECT_EQ(cpu_of(root).cores, 4);
    root.add_file(kCpus + "offline", "4-5\n");
    EXPECT_EQ(cpu_of(root).sockets, 2) << "the others of the second may be offline";
    EXPECT_EQ(cpu_of(root).cores_per_socket, std::nullopt);
}

TEST(CpuTopology, ArmWithoutATableOfProcessors) {
    MemoryRoot root;
    add_arm(root, 2);
    EXPECT_EQ(cpu_of(root).sockets, 2) << "no tables of firmware at all";
    root.add_file("/sys/firmware/acpi/tables/SRAT", "");
    EXPECT_EQ(cpu_of(root).sockets, std::nullopt);
    EXPECT_EQ(cpu_of(root).cores, 4);
    std::string processor = "\x04\x30"s + std::string(0x2e, '\0');
    processor[0x05] = 3;
    processor[0x10] = 1;
    processor[0x18] = 0x41;
    root.add_file("/sys/firmware/dmi/tables/DMI", processor + "S2500\0\0"s);
    EXPECT_EQ(cpu_of(root).sockets, 1) << "the firmware's word";
    EXPECT_EQ(cpu_of(root).cores_per_socket, 4);
    root.add_file("/sys/firmware/acpi/tables/PPTT", "");
    EXPECT_EQ(cpu_of(root).sockets, 2);
    EXPECT_EQ(cpu_of(root).cores_per_socket, 2);
}

}  // namespace
}  // namespace gpuadapt

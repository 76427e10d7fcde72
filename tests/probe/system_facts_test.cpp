// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/host/memory_root.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::Pair;

const std::string kCpus = "/sys/devices/system/cpu/";

std::string cpu_file(int cpu, const std::string& name) {
    return kCpus + "cpu" + std::to_string(cpu) + "/" + name;
}

/// Two sockets of two cores; a cache of the last level for each core of the second socket.
void add_processors(MemoryRoot& root) {
    root.add_file(kCpus + "online", "0-3\n");
    for (const int cpu : {0, 1, 2, 3}) {
        root.add_file(cpu_file(cpu, "topology/core_cpus_list"), std::to_string(cpu) + "\n");
        root.add_file(cpu_file(cpu, "topology/package_cpus_list"), cpu < 2 ? "0-1\n" : "2-3\n");
        root.add_file(cpu_file(cpu, "topology/physical_package_id"), cpu < 2 ? "0\n" : "1\n");
        root.add_file(cpu_file(cpu, "cache/index3/shared_cpu_list"), cpu < 2 ? "0-1\n" : std::to_string(cpu) + "\n");
    }
    root.add_file(cpu_file(0, "cache/index1/level"), "1\n");
    root.add_file(cpu_file(0, "cache/index1/type"), "Instruction\n");
    root.add_file(cpu_file(0, "cache/index1/size"), "32K\n");
    root.add_file(cpu_file(0, "cache/index3/level"), "3\n");
    root.add_file(cpu_file(0, "cache/index3/type"), "Unified\n");
    root.add_file(cpu_file(0, "cache/index3/size"), "32M\n");
}

TEST(ProbeCpuFacts, CachesOfTheLastLevelAreCounted) {
    MemoryRoot root;
    add_processors(root);
    Cpu cpu = probe_machine(root, {"cpu"}).cpu;
    EXPECT_EQ(cpu.sockets, 2);
    EXPECT_EQ(cpu.l1i_bytes, 32 << 10);
    EXPECT_EQ(cpu.l1d_bytes, std::nullopt);
    EXPECT_EQ(cpu.l3_bytes, 32 << 20);
    EXPECT_EQ(cpu.l3_instances, 3);
    root.remove(cpu_file(3, "cache"));
    cpu = probe_machine(root, {"cpu"}).cpu;
    EXPECT_EQ(cpu.l3_instances, std::nullopt) << "one is not known";
}

TEST(ProbeCpuFacts, SwitchesAndLimits) {
    MemoryRoot root;
    add_processors(root);
    EXPECT_EQ(probe_machine(root, {"cpu"}).cpu.offline, std::nullopt);
    root.add_file(kCpus + "offline", "\n");
    root.add_file(kCpus + "smt/control", "notsupported\n");
    root.add_file(kCpus + "amd_pstate/status", "guided\n");
    root.add_file(kCpus + "cpufreq/policy0/scaling_driver", "amd-pstate\n");
    root.add_file(kCpus + "cpufreq/policy0/scaling_min_freq", "400000\n");
    root.add_file(kCpus + "cpufreq/policy0/scaling_max_freq", "3700000\n");
    root.add_file(kCpus + "cpufreq/policy1/scaling_max_freq", "2000000\n");
    root.add_file(kCpus + "cpufreq/policy9/scaling_driver", "not online\n");
    const Cpu cpu = probe_machine(root, {"cpu"}).cpu;
    EXPECT_EQ(cpu.offline, "");
    EXPECT_EQ(cpu.smt, "notsupported");
    EXPECT_EQ(cpu.pstate_mode, "guided");
    EXPECT_EQ(cpu.scaling_driver, "amd-pstate");
    EXPECT_EQ(cpu.limit_min_khz, std::nullopt) << "one is not known";
    EXPECT_EQ(cpu.limit_max_khz, "3700000/2000000");
}

TEST(ProbeCpuFacts, SocketsOfDifferentSizesWithThreads) {
    MemoryRoot root;
    root.add_file(kCpus + "online", "0-5\n");
    for (const int cpu : {0, 1, 2, 3, 4, 5}) {
        root.add_file(cpu_file(cpu, "topology/core_cpus_list"), cpu < 2 ? "0-1\n" : cpu < 4 ? "2-3\n" : "4-5\n");
        root.add_file(cpu_file(cpu, "topology/package_cpus_list"), cpu < 4 ? "0-3\n" : "4-5\n");
        root.add_file(cpu_file(cpu, "topology/physical_package_id"), cpu < 4 ? "0\n" : "1\n");
    }
    const Cpu cpu = probe_machine(root, {"cpu"}).cpu;
    EXPECT_EQ(cpu.sockets, 2);
    EXPECT_EQ(cpu.threads_per_core, 2);
    EXPECT_EQ(cpu.cores_per_socket, std::nullopt) << "there are three cores, not four";
}

TEST(ProbeCpuFacts, IdleStatesAreKnownAllOrNot) {
    MemoryRoot root;
    add_processors(root);
    for (const int state : {0, 1}) {
        root.add_file(cpu_file(0, "cpuidle/state" + std::to_string(state) + "/name"), state == 0 ? "POLL\n" : "C6\n");
        root.add_file(cpu_file(0, "cpuidle/state" + std::to_string(state) + "/disable"), state == 0 ? "0\n" : "1\n");
    }
    EXPECT_THAT(probe_machine(root, {"cpu"}).cpu.idle_states, ElementsAre("POLL", "-C6"));
    root.add_denied(cpu_file(0, "cpuidle/state1/disable"));
    EXPECT_TRUE(probe_machine(root, {"cpu"}).cpu.idle_states.empty());
}

/// A processor structure of SMBIOS with this version string.
std::string processor(const std::string& name) {
    std::string raw = "\x04\x30"s + std::string(0x2e, '\0');
    raw[0x05] = 3;
    raw[0x10] = 1;
    raw[0x18] = 0x41;
    return raw + name + "\0\0"s;
}

TEST(ProbeCpuFacts, SocketsOfTheFirmware) {
    const auto cores = [](int cpus, const std::string& offline) {
        MemoryRoot root;
        root.add_file(kCpus + "online", "0-" + std::to_string(cpus - 1) + "\n");
        root.add_file(kCpus + "offline", offline + "\n");
        for (int cpu = 0; cpu < cpus; ++cpu) {
            root.add_file(cpu_file(cpu, "topology/core_cpus_list"), std::to_string(cpu) + "\n");
            root.add_file(cpu_file(cpu, "topology/package_cpus_list"), std::to_string(cpu) + "\n");
            root.add_file(cpu_file(cpu, "topology/physical_package_id"), "-1\n");
        }
        root.add_file("/sys/firmware/dmi/tables/DMI", processor("X") + processor("X"));
        const Cpu cpu = probe_machine(root, {"cpu"}).cpu;
        EXPECT_EQ(cpu.sockets, 2);
        return cpu.cores_per_socket;
    };
    EXPECT_EQ(cores(8, ""), 4);
    EXPECT_EQ(cores(3, ""), std::nullopt);
    EXPECT_EQ(cores(1, ""), std::nullopt) << "no socket has 0 cores";
    EXPECT_EQ(cores(4, "4-7"), std::nullopt) << "who knows to which socket the others belong";
}

TEST(ProbeCpuFacts, ModelsOfChineseProcessors) {
    const auto model = [](const std::string& cpuinfo, const std::string& firmware) {
        MemoryRoot root;
        root.add_file("/proc/cpuinfo", cpuinfo);
        if (!firmware.empty())
            root.add_file("/sys/firmware/dmi/tables/DMI", processor(firmware));
        return probe_machine(root, {"cpu"}).cpu.model;
    };
    const std::string kunpeng = "CPU implementer\t: 0x48\nCPU architecture: 8\nCPU part\t: 0xd01\n";
    const std::string phytium = "CPU implementer\t: 0x70\nCPU architecture: 8\nCPU part\t: 0x663\n";
    EXPECT_EQ(model(kunpeng, "Kunpeng 920-6426"), "Kunpeng 920-6426");
    EXPECT_EQ(model(kunpeng, "Not Specified"), "Kunpeng-920");
    EXPECT_EQ(model(kunpeng, "To Be Filled By O.E.M."), "Kunpeng-920");
    EXPECT_EQ(model(kunpeng, "000"), "Kunpeng-920");
    EXPECT_EQ(model(kunpeng, ""), "Kunpeng-920");
    EXPECT_EQ(model(phytium, "S2500/64"), "S2500/64");
    EXPECT_EQ(model(phytium, ""), "FTC663");
    EXPECT_EQ(model("model name\t: Phytium,S5000C/64\n" + phytium, "S5000C"), "Phytium,S5000C/64");
    EXPECT_EQ(model("vendor_id\t: HygonGenuine\nmodel name\t: Hygon C86 7390 32-core Processor\n", ""),
              "Hygon C86 7390 32-core Processor");
}

TEST(ProbeNumaFacts, ListsThatEndWithANul) {
    MemoryRoot root;
    add_processors(root);
    root.add_file("/sys/devices/system/node/node0/cpulist", "0-1\n\0"s);
    root.add_file(kCpus + "offline", "\n\0"s);
    const Machine machine = probe_machine(root, {"cpu", "numa"});
    EXPECT_EQ(machine.numa_nodes.at(0).cpus, "0-1");
    EXPECT_EQ(machine.numa_nodes.at(0).package, 0);
    EXPECT_EQ(machine.cpu.offline, "");
}

TEST(ProbeNumaFacts, PackageOfANode) {
    MemoryRoot root;
    add_processors(root);
    root.add_file("/sys/devices/system/node/node0/cpulist", "0-1\n");
    root.add_file("/sys/devices/system/node/node1/cpulist", "2-3\n");
    root.add_file("/sys/devices/system/node/node2/cpulist", "\n");
    root.add_file("/sys/devices/system/node/node3/cpulist", "7\n");
    const auto nodes = probe_machine(root, {"numa"}).numa_nodes;
    EXPECT_EQ(nodes.at(0).package, 0);
    EXPECT_EQ(nodes.at(1).package, 1);
    EXPECT_EQ(nodes.at(2).package, std::nullopt);
    EXPECT_EQ(nodes.at(3).package, std::nullopt);
}

TEST(ProbeMemoryFacts, HugePagesOfEachSizeAndNode) {
    MemoryRoot root;
    const std::string whole = "/sys/kernel/mm/hugepages/";
    const std::string node = "/sys/devices/system/node/node1/hugepages/";
    root.add_file(whole + "hugepages-1048576kB/nr_hugepages", "4\n");
    root.add_file(whole + "hugepages-1048576kB/free_hugepages", "1\n");
    root.add_file(whole + "hugepages-2048kB/nr_hugepages", "0\n");
    root.add_file(whole + "hugepages-junk/nr_hugepages", "1\n");
    root.add_file(node + "hugepages-1048576kB/nr_hugepages", "4\n");
    EXPECT_THAT(probe_machine(root, {"memory"}).memory.hugepages,
                ElementsAre(HugePages{2 << 20, {}, 0, {}}, HugePages{1 << 30, {}, 4, 1}, HugePages{1 << 30, 1, 4, {}}));
}

TEST(ProbeMemoryFacts, AnAbsurdAmountIsUnread) {
    for (const char* value : {"lots kB", "-1 kB", "1024", "9007199254740993 kB", "99999999999999999999 kB"}) {
        MemoryRoot root;
        root.add_file("/proc/meminfo", "MemTotal:       " + std::string(value) + "\nMemAvailable: 7 kB\n");
        const Machine machine = probe_machine(root, {"memory"});
        EXPECT_EQ(machine.memory.total_bytes, std::nullopt) << value;
        EXPECT_EQ(machine.memory.available_bytes, 7 << 10) << value;
        EXPECT_THAT(machine.unread, testing::Contains(Unread{
                                        "/proc/meminfo", "no such amount of memory: MemTotal: " + std::string(value)}));
    }
}

TEST(ProbeDmiFacts, ManagementController) {
    MemoryRoot root;
    root.add_file("/sys/devices/platform/ipmi_bmc.0/firmware_revision", "1.45\n");
    root.add_file("/sys/firmware/dmi/tables/DMI", "\x26\x12\0\0\x01\x15"s + std::string(12, '\0') + "\0\0"s);
    EXPECT_EQ(probe_machine(root, {"dmi"}).bmc, (Bmc{"1.45", "1.5", "KCS"}));
    root.add_file("/sys/devices/platform/ipmi_bmc.0/ipmi_version", "2.0\n");
    EXPECT_EQ(probe_machine(root, {"dmi"}).bmc, (Bmc{"1.45", "2.0", "KCS"})) << "the driver has asked it";
}

TEST(ProbeSoftwareFacts, ModulesWithParameters) {
    MemoryRoot root;
    root.add_file("/sys/module/metax/version", "3.0.11\n");
    root.add_file("/sys/module/metax/parameters/mxme_size", "16\n");
    root.add_file("/sys/module/metax/parameters/empty", "\n");
    root.add_file("/sys/module/nouveau/parameters/modeset", "1\n");
    root.add_file("/sys/module/loop/parameters/max_loop", "8\n");
    root.add_file("/sys/bus/pci/devices/0000:01:00.0/uevent", "PCI_CLASS=38000\nPCI_ID=9999:4001\n");
    const Machine machine = probe_machine(root, {"versions"});
    EXPECT_THAT(machine.modules,
                ElementsAre(KernelModule{"metax", "3.0.11", {{"mxme_size", "16"}}}, KernelModule{"nouveau", {}, {}}));
    EXPECT_EQ(machine.versions.at("driver"), (SoftwareVersion{"3.0.11", "/sys/module/metax/version"}));
    EXPECT_FALSE(machine.versions.contains("metax"));
}

TEST(ProbeSettings, LinesFoldersAndVariables) {
    MemoryRoot root;
    const std::string secure = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    root.add_file("/proc/sys/kernel/numa_balancing", "1\n");
    root.add_file("/sys/module/pcie_aspm/parameters/policy", "[default] performance powersave\n");
    root.add_file("/sys/kernel/mm/memory_peers/mxcd/version", "1\n");
    root.add_file("/sys/kernel/mm/memory_peers/nv_mem/version", "1\n");
    root.add_file(secure, "\x06\0\0\0\x01"s);
    const auto settings = probe_machine(root, {"settings"}).settings;
    EXPECT_THAT(settings,
                ElementsAre(Pair("/proc/sys/kernel/numa_balancing", "1"), Pair(secure, "1"),
                            Pair("/sys/kernel/mm/memory_peers", "mxcd nv_mem"),
                            Pair("/sys/module/pcie_aspm/parameters/policy", "[default] performance powersave")));
    root.add_file(secure, "\x06\0\0\0\x07"s);
    root.add_denied("/proc/sys/kernel/numa_balancing");
    const Machine machine = probe_machine(root, {"settings"});
    EXPECT_FALSE(machine.settings.contains(secure) || machine.settings.contains("/proc/sys/kernel/numa_balancing"));
    EXPECT_THAT(machine.unread, testing::Contains(Unread{"/proc/sys/kernel/numa_balancing", "permission denied"}));
}

}  // namespace
}  // namespace gpuadapt

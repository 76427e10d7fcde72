// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_names.hpp"
#include "probe/support/config_space.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/host/live_root.hpp>
#include <gpuadapt/host/memory_root.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/probe.hpp>
#include <gpuadapt/probe/probes.hpp>

#include <set>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using test::ConfigSpace;
using testing::Contains;
using testing::ElementsAre;

Machine probe(MemoryRoot& root, const std::string& id) {
    return probe_machine(root, {id});
}

TEST(ProbeMachine, AnEmptyMachineIsUnknown) {
    MemoryRoot root;
    Machine nothing;
    nothing.unread = {{"/sys", "empty: not mounted, or hidden by the container"},
                      {"/proc", "empty: not mounted, or hidden by the container"}};
    EXPECT_EQ(probe_machine(root), nothing);
    root.add_file("/proc/meminfo", "MemTotal: 1 kB\n");
    root.add_file("/sys/class/net/lo/mtu", "1500\n");
    EXPECT_TRUE(probe_machine(root).interfaces.size() == 1);
}

TEST(ProbeMachine, ThisMachine) {
    LiveRoot root;
    const Machine machine = probe_machine(root);
    EXPECT_TRUE(machine.cpu.logical_cpus && *machine.cpu.logical_cpus >= 1);
    EXPECT_TRUE(machine.memory.total_bytes);
    EXPECT_TRUE(machine.os.kernel);
    EXPECT_TRUE(read_machine(to_json(machine), "json") == machine);
    LiveRoot source;
    RecorderRoot recorder(source);
    const std::string first = to_json(probe_machine(recorder));
    MemoryRoot replay(unpack_recording(pack_recording(recorder.answers()), "packed"));
    EXPECT_EQ(to_json(probe_machine(replay)), first);
}

TEST(ProbeMachine, UnknownNamesAreTheUsersError) {
    MemoryRoot root;
    EXPECT_THROW(static_cast<void>(probe_machine(root, {"nothing"})), Error);
    EXPECT_THROW(static_cast<void>(probe_machine(root, {""})), Error);
}

TEST(ProbeMachine, EveryRowIsComplete) {
    std::set<std::string_view> seen;
    for (const Probe& row : probes()) {
        EXPECT_TRUE(row.needs.empty() || seen.contains(row.needs)) << row.id << " needs a probe that runs later";
        EXPECT_TRUE(seen.insert(row.id).second) << row.id;
        EXPECT_FALSE(row.title.en.empty() || row.title.zh.empty());
        EXPECT_NE(row.run, nullptr);
    }
}

/// Fails at one path, as a probe with a defect of its own would.
class BrokenRoot : public MemoryRoot {
  public:
    [[nodiscard]] TextAnswer answer_read(const std::string& path, std::size_t limit) override {
        if (path == "/proc/meminfo")
            throw tool_error("no more");
        if (path == "/proc/cmdline")
            throw std::out_of_range("index");
        return MemoryRoot::answer_read(path, limit);
    }
};

TEST(ProbeMachine, AProbeThatFailsDoesNotStopTheOthers) {
    BrokenRoot root;
    root.add_file("/sys/class/net/lo/mtu", "1500\n");
    root.add_file("/proc/meminfo", "");
    root.add_file("/sys/devices/system/node/node0/cpulist", "0\n");
    root.add_file("/opt/maca/Version.txt", "Version:3.0\n");
    const Machine machine = probe_machine(root);
    EXPECT_THAT(machine.unread, ElementsAre(Unread{"probe memory", "no more"}, Unread{"probe os", "index"}));
    EXPECT_EQ(machine.numa_nodes.size(), 1U);
    EXPECT_EQ(machine.versions.at("MACA").version, "3.0");
}

TEST(ProbePci, ADeadDeviceKeepsItsIdentity) {
    MemoryRoot root;
    const std::string folder = "/sys/bus/pci/devices/0000:01:00.0";
    root.add_file(folder + "/uevent", "PCI_CLASS=30200\nPCI_ID=10DE:2330\n");
    root.add_file(folder + "/config", std::string(4096, '\xff'));
    const Machine machine = probe(root, "gpu");
    ASSERT_EQ(machine.pci_devices.size(), 1U);
    EXPECT_EQ(machine.pci_devices[0].config_bytes, std::nullopt);
    EXPECT_EQ(machine.pci_devices[0].vendor_id, 0x10de);
    EXPECT_EQ(machine.gpus.size(), 1U) << "it is still a GPU that belongs to the machine";
    EXPECT_THAT(machine.unread, Contains(Unread{folder + "/config", "all bits are set: the device does not answer"}));
}

TEST(ProbePci, OldTreesHaveSingleFiles) {
    MemoryRoot root;
    const std::string folder = "/sys/bus/pci/devices/0001:01:00.0/";
    root.add_file(folder + "class", "0x030200\n");
    root.add_file(folder + "vendor", "0x10de\n");
    root.add_file(folder + "device", "0x1db1\n");
    root.add_link(folder + "driver", "../../../bus/pci/drivers/nvidia");
    root.add_file(folder + "max_link_speed", "8 GT/s\n");
    root.add_file(folder + "max_link_width", "16\n");
    root.add_file(folder + "current_link_speed", "Unknown speed\n");
    root.add_file(folder + "current_link_width", "255\n");
    const PciDevice device = probe(root, "pci").pci_devices.at(0);
    EXPECT_EQ(device.class_code, 0x030200);
    EXPECT_EQ(device.driver, "nvidia");
    EXPECT_EQ(device.link.capable_gt_s, 8.0);
    EXPECT_EQ(device.link.current_gt_s, std::nullopt);
    EXPECT_EQ(device.link.target_gt_s, std::nullopt);
    EXPECT_EQ(device.link.capable_width, 16);
    EXPECT_EQ(device.link.current_width, std::nullopt);
    EXPECT_EQ(device.config_bytes, std::nullopt);
    root.remove(folder + "max_link_speed");
    root.add_file(folder + "current_link_speed", "5 GT/s\n");
    root.add_file(folder + "current_link_width", "4\n");
    const PciLink link = probe(root, "pci").pci_devices.at(0).link;
    EXPECT_EQ(link.capable_gt_s, std::nullopt);
    EXPECT_EQ(link.current_gt_s, 5.0) << "some trees hold the present speed only";
    EXPECT_EQ(link.current_width, 4);
}

TEST(ProbePci, OrdersByDomainAndIgnoresOddNames) {
    MemoryRoot root;
    for (const char* name : {"10000:00:00.0", "0001:00:00.0", "0000:ff:00.0", "junk", "0000:00:00.9"})
        root.add_file(std::string("/sys/bus/pci/devices/") + name + "/config", ConfigSpace().bytes());
    std::vector<std::string> addresses;
    for (const PciDevice& device : probe(root, "pci").pci_devices)
        addresses.push_back(device.address);
    EXPECT_THAT(addresses, ElementsAre("0000:ff:00.0", "0001:00:00.0", "10000:00:00.0"));
}

TEST(ProbePci, TargetSpeedOfLaterFunctionsIsReserved) {
    MemoryRoot root;
    for (const char* name : {"0000:01:00.0", "0000:01:00.1"})
        root.add_file(std::string("/sys/bus/pci/devices/") + name + "/config",
                      ConfigSpace().express(0).link(4, 16, 4, 16, 1).bytes());
    const Machine machine = probe(root, "pci");
    EXPECT_EQ(machine.pci_devices[0].link.target_gt_s, 2.5);
    EXPECT_EQ(machine.pci_devices[1].link.target_gt_s, std::nullopt);
}

TEST(ProbePci, SlotsByAddress) {
    MemoryRoot root;
    root.add_file("/sys/bus/pci/devices/0000:3a:00.0/config", ConfigSpace().bytes());
    root.add_file("/sys/bus/pci/devices/0000:3a:00.1/config", ConfigSpace().bytes());
    root.add_file("/sys/bus/pci/devices/0000:3b:00.0/config", ConfigSpace().bytes());
    root.add_file("/sys/bus/pci/slots/7-1/address", "0000:3a:00\n");
    const auto devices = probe(root, "pci").pci_devices;
    EXPECT_EQ(devices[0].slot, "7-1");
    EXPECT_EQ(devices[1].slot, "7-1");
    EXPECT_EQ(devices[2].slot, std::nullopt);
}

TEST(ProbeGpu, ByVendorAndClass) {
    MemoryRoot root;
    const std::pair<const char*, const char*> devices[] = {
        {"0000:01:00.0", "PCI_CLASS=38000\nPCI_ID=9999:4001\n"},   // MetaX
        {"0000:02:00.0", "PCI_CLASS=30200\nPCI_ID=10DE:2330\n"},   // NVIDIA
        {"0000:02:00.1", "PCI_CLASS=40300\nPCI_ID=10DE:10F0\n"},   // its sound
        {"0000:03:00.0", "PCI_CLASS=68000\nPCI_ID=10DE:22A3\n"},   // NVSwitch
        {"0000:04:00.0", "PCI_CLASS=120000\nPCI_ID=1002:74A1\n"},  // AMD accelerator
        {"0000:05:00.0", "PCI_CLASS=30000\nPCI_ID=1A03:2000\n"},   // management controller
        {"0000:06:00.0", "PCI_CLASS=30000\nPCI_ID=19E5:1711\n"},   // management controller
    };
    for (const auto& [address, uevent] : devices)
        root.add_file(std::string("/sys/bus/pci/devices/") + address + "/uevent", uevent);
    std::vector<std::string> found;
    for (const Gpu& gpu : probe(root, "gpu").gpus)
        found.push_back(gpu.vendor + " " + gpu.address + " " + gpu.model.value_or("-"));
    EXPECT_THAT(found, ElementsAre("metax 0000:01:00.0 MetaX C500", "nvidia 0000:02:00.0 -", "amd 0000:04:00.0 -"));
}

TEST(ProbeCpu, OfflineProcessorsAndMixedGovernors) {
    MemoryRoot root;
    const std::string base = "/sys/devices/system/cpu/";
    root.add_file(base + "online", "0,2-3\n");
    for (const int cpu : {0, 1, 2, 3}) {
        const std::string folder = base + "cpu" + std::to_string(cpu);
        root.add_file(folder + "/topology/thread_siblings_list", cpu % 2 == 0 ? "0,2\n" : "3\n");
        root.add_file(folder + "/topology/core_siblings_list", "0,2-3\n");
        root.add_file(folder + "/topology/physical_package_id", "0\n");
        root.add_file(folder + "/cpufreq/scaling_governor", cpu == 3 ? "powersave\n" : "performance\n");
    }
    const Cpu cpu = probe(root, "cpu").cpu;
    EXPECT_EQ(cpu.logical_cpus, 3);
    EXPECT_EQ(cpu.sockets, 1);
    EXPECT_EQ(cpu.cores, 2);
    EXPECT_EQ(cpu.cores_per_socket, 2);
    EXPECT_EQ(cpu.threads_per_core, 2);
    EXPECT_EQ(cpu.governor, "performance/powersave");
    EXPECT_EQ(cpu.boost, std::nullopt);
}

TEST(ProbeCpu, ADamagedListIsNoted) {
    MemoryRoot root;
    root.add_file("/sys/devices/system/cpu/online", "0-999999999\n");
    const Machine machine = probe(root, "cpu");
    EXPECT_EQ(machine.cpu.online, std::nullopt);
    EXPECT_THAT(machine.unread, Contains(Unread{"/sys/devices/system/cpu/online", "not a list of CPUs"}));
}

TEST(ProbeOs, UnknownHypervisorOnlyWithTheFlag) {
    MemoryRoot root;
    root.add_file("/proc/cpuinfo", "flags : lm hypervisor\n");
    EXPECT_EQ(probe(root, "os").os.hypervisor, "unknown");
    root.add_file("/proc/cpuinfo", "flags : lm\n");
    root.add_file("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    EXPECT_EQ(probe(root, "os").os.hypervisor, std::nullopt) << "bare metal of a cloud";
    root.add_file("/proc/cpuinfo", "CPU architecture: 8\n");
    root.add_file("/sys/class/dmi/id/sys_vendor", "QEMU\n");
    EXPECT_EQ(probe(root, "os").os.hypervisor, "qemu");
}

TEST(ProbeOs, ReleaseFileInEitherPlace) {
    MemoryRoot root;
    root.add_file("/usr/lib/os-release", "NAME=Some\nID=some\n");
    EXPECT_EQ(probe(root, "os").os.name, "Some");
    root.add_file("/etc/os-release", "PRETTY_NAME=\"Other 1\"\n");
    EXPECT_EQ(probe(root, "os").os.name, "Other 1");
}

TEST(ProbeNet, SpeedsThatAreNone) {
    MemoryRoot root;
    root.add_file("/sys/class/net/e0/mtu", "1500\n");
    root.add_file("/sys/class/net/e0/speed", "-1\n");
    root.add_link("/sys/class/net/e0", "../../devices/pci0000:00/0000:00:03.0/virtio1/net/e0");
    root.add_file("/sys/bus/pci/devices/0000:00:03.0/numa_node", "1\n");
    root.add_file("/sys/class/net/e1/mtu", "1500\n");
    root.add_file("/sys/class/net/e1/speed", "4294967295\n");
    root.add_file("/sys/class/net/bonding_masters", "bond0\n");
    const auto interfaces = probe(root, "net").interfaces;
    ASSERT_EQ(interfaces.size(), 2U);
    EXPECT_EQ(interfaces[0].speed_mbit_s, std::nullopt);
    EXPECT_EQ(interfaces[0].numa_node, 1);
    EXPECT_EQ(interfaces[0].virtual_device, false);
    EXPECT_EQ(interfaces[1].speed_mbit_s, std::nullopt);
    EXPECT_EQ(interfaces[1].virtual_device, true);
}

TEST(ProbeDmi, TheTableFillsWhatTheFilesLack) {
    MemoryRoot root;
    root.add_file("/sys/class/dmi/id/product_name", "From the file\n");
    root.add_denied("/sys/class/dmi/id/product_serial");
    using namespace std::string_literals;
    root.add_file("/sys/firmware/dmi/tables/DMI", "\x01\x08\x00\x00\x01\x02\x00\x03Maker\0Model\0Serial\0\0\x05"s);
    const Machine machine = probe(root, "dmi");
    EXPECT_EQ(machine.dmi.product_name, "From the file");
    EXPECT_THAT(machine.unread, Contains(Unread{"/sys/class/dmi/id/product_serial", "permission denied"}));
    EXPECT_EQ(machine.dmi.system_vendor, "Maker");
    EXPECT_EQ(machine.dmi.serial, "Serial");
    EXPECT_THAT(machine.unread, Contains(Unread{"/sys/firmware/dmi/tables/DMI", "damaged at byte 28"}));
}

class PciNamesTest : public testing::Test {
  protected:
    test::TempFolder folder_;
};

TEST_F(PciNamesTest, Looks) {
    PciNames names(folder_.write("pci.ids", "1234  Some Maker\n\t5678  Some Device\nC 03  Display\n\t02  3D thing\n"));
    EXPECT_EQ(names.vendor(0x1234), "Some Maker");
    EXPECT_EQ(names.device(0x1234, 0x5678), "Some Device");
    EXPECT_EQ(names.device(0x1234, 0x9999), std::nullopt);
    EXPECT_EQ(names.vendor(0x9999), std::nullopt);
    EXPECT_EQ(names.class_name(0x030200), "3D thing");
    EXPECT_EQ(names.class_name(0x03ff00), "Display") << "the number is no part of the name";
}

TEST_F(PciNamesTest, ADamagedFileEndsNothing) {
    PciNames names(folder_.write("pci.ids", "1234  Some Maker\nthis is not a line of pci.ids\n"));
    EXPECT_EQ(names.vendor(0x1234), std::nullopt);
    EXPECT_EQ(names.vendor(0x1234), std::nullopt);
    PciNames missing(folder_.path("none.ids"));
    EXPECT_EQ(missing.vendor(0x1234), std::nullopt);
}

}  // namespace
}  // namespace gpuadapt

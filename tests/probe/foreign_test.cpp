// SPDX-License-Identifier: Apache-2.0
#include "support/tar.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/probe/foreign.hpp>

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::HasSubstr;

constexpr std::string_view kLspci =
    "00:00.0 Host bridge [0600]: Device [9999:0001]\n"
    "3b:00.0 3D controller [0302]: Device [9999:4001] (rev 01)\n"
    "\tControl: I/O- Mem+ BusMaster+ SpecCycle-\n"
    "\tCapabilities: [70] Express (v2) Endpoint, IntMsgNum 0\n"
    "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n"
    "\t\tLnkSta:\tSpeed 16GT/s, Width x8\n"
    "\tKernel driver in use: metax\n";
constexpr std::string_view kDmidecode =
    "# dmidecode 3.3\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: Example Systems\n"
    "\tProduct Name: GX-8000\n";
constexpr std::string_view kLscpu =
    "架构：          x86_64\nCPU：           8\n座：            2\n每个座的核数：  4\nNUMA 节点0 CPU：  0-7\n";

std::string notes(const Machine& machine) {
    std::string text;
    for (const Unread& entry : machine.unread)
        text += entry.path + ": " + entry.reason + "\n";
    return text;
}

std::string error_of(const std::vector<std::string>& from) {
    try {
        static_cast<void>(read_machine(from));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "";
}

TEST(Foreign, ReadsSeveralFilesAsOneMachine) {
    const test::TempFolder folder;
    const std::string lspci = folder.write("a.log", std::string(kLspci));
    const std::string dmidecode = folder.write("b.log", std::string(kDmidecode));
    const std::string lscpu = folder.write("c.log", std::string(kLscpu));
    for (const std::vector<std::string>& from : {std::vector<std::string>{lspci, dmidecode, lscpu}, {folder.path()}}) {
        const MachineReading reading = read_machine(from);
        const Machine& machine = reading.machine;
        EXPECT_EQ(reading.root, nullptr);
        EXPECT_EQ(machine.dmi.product_name, "GX-8000");
        EXPECT_EQ(machine.cpu.sockets, 2);
        ASSERT_EQ(machine.numa_nodes.size(), 1U);
        ASSERT_EQ(machine.pci_devices.size(), 2U);
        EXPECT_EQ(machine.pci_devices[1].link.current_width, 8);
        ASSERT_EQ(machine.gpus.size(), 1U);
        EXPECT_EQ(machine.gpus[0].vendor, "metax");
        EXPECT_EQ(machine.sources.at("pci_devices"), "a.log");
        EXPECT_EQ(machine.sources.at("dmi"), "b.log");
        EXPECT_EQ(machine.sources.at("cpu"), "c.log");
    }
}

TEST(Foreign, SaysWhatATextCannotContain) {
    const Machine machine = machine_of_bytes(std::string(kLspci), "sent.txt");
    EXPECT_THAT(notes(machine), HasSubstr("sent.txt: of 1 device only the name is told"));
    EXPECT_THAT(notes(machine), HasSubstr("-xxxx"));
    EXPECT_EQ(machine.pci_devices[1].acs, std::nullopt);
    EXPECT_EQ(machine.pci_devices[1].config_bytes, std::nullopt);
    const Machine denied = machine_of_bytes(
        "00:02.0 Ethernet controller: Device 1af4:1041\n\tControl: I/O- Mem+ BusMaster+\n"
        "\tCapabilities: <access denied>\n",
        "sent.txt");
    EXPECT_THAT(notes(denied), HasSubstr("run it as root"));
}

TEST(Foreign, TellsWhereSourcesDisagree) {
    const test::TempFolder folder;
    const std::string one = folder.write("1", std::string(kLspci));
    std::string text(kLspci);
    text.replace(text.find("Width x8"), 8, "Width x4");
    const std::string two = folder.write("2", text);
    const Machine machine = read_machine({one, two}).machine;
    EXPECT_EQ(machine.pci_devices[1].link.current_width, 8);
    EXPECT_THAT(notes(machine), HasSubstr("disagrees: /pci_devices/0000:3b:00.0/link/current_width: 8 / 4"));
    EXPECT_EQ(machine.sources.at("pci_devices"), "1, 2");
}

TEST(Foreign, DecodesTheBytesOfADump) {
    std::string text = "3a:01.0 PCI bridge: Intel Corporation Device 347a (rev 04)\n";
    text += "00: 86 80 7a 34 07 04 00 00 04 00 04 06 10 00 81 00\n";
    text += "10: 00 00 00 00 00 00 00 00 3a 3b 3b 00 00 00 00 00\n";
    text += "20: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n";
    text += "30: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n\n";
    text += "3b:00.0 3D controller: Device 9999:4001 (rev 01)\n";
    const Machine machine = machine_of_bytes(text, "dump.txt");
    ASSERT_EQ(machine.pci_devices.size(), 2U);
    EXPECT_EQ(machine.pci_devices[0].config_bytes, 64);
    EXPECT_EQ(machine.pci_devices[0].memory_enabled, true);
    EXPECT_EQ(machine.pci_devices[1].parent, "0000:3a:01.0");  // by the bus number in the bridge's header
    EXPECT_THAT(notes(machine), HasSubstr("only the first 64 bytes"));
}

TEST(Foreign, TakesTheWholeClassFromWhereItIs) {
    const Machine machine = machine_of_bytes(
        "00:1a.7 USB controller: Intel Corporation Device 3a3c\n\n"
        "00:1a.7 USB controller: Intel Corporation Device 3a3c (prog-if 20 [EHCI])\n\tFlags: fast devsel\n",
        "two.txt");
    ASSERT_EQ(machine.pci_devices.size(), 1U);
    EXPECT_EQ(machine.pci_devices[0].class_code, 0x0c0320);
    EXPECT_EQ(notes(machine).find("disagrees"), std::string::npos);
}

TEST(Foreign, ReadsAPackedTree) {
    using test::tar_member;
    const std::string device = "h/sys/devices/pci0000:00/0000:00:02.0/";
    const std::string bytes =
        tar_member("h/proc/cpuinfo", '0', "processor : 0\nvendor_id : ExampleCPU\nmodel name : Example\n") +
        tar_member("h/sys/devices/system/cpu/online", '0', "0-3\n") + tar_member(device + "class", '0', "0x030200\n") +
        tar_member(device + "vendor", '0', "0x9999\n") + tar_member(device + "device", '0', "0x4001\n") +
        tar_member(device + "numa_node", '0', "1\n") +
        tar_member("h/sys/devices/system/node/node0/cpumap", '0', "00000001,0000000b\n") +
        tar_member("h/sys/bus/pci/devices/0000:00:02.0", '2', "", "../../../devices/pci0000:00/0000:00:02.0") +
        test::tar_end();
    const Machine machine = machine_of_bytes(bytes, "h.tar");
    EXPECT_EQ(machine.cpu.model, "Example");
    EXPECT_EQ(machine.cpu.logical_cpus, 4);
    ASSERT_EQ(machine.pci_devices.size(), 1U);
    EXPECT_EQ(machine.pci_devices[0].numa_node, 1);
    EXPECT_EQ(machine.gpus.size(), 1U);
    ASSERT_EQ(machine.numa_nodes.size(), 1U);
    EXPECT_EQ(machine.numa_nodes[0].cpus, "0-1,3,32");
    EXPECT_EQ(machine.iommu_active, std::nullopt);  // not packed is not "off"
    EXPECT_THAT(notes(machine), HasSubstr("not all of it is in h.tar"));
}

TEST(Foreign, ReadsFilesOfProc) {
    const Machine cpu = machine_of_bytes("processor\t: 0\nvendor_id\t: ExampleCPU\nmodel name\t: Example X\n", "c");
    EXPECT_EQ(cpu.cpu.model, "Example X");
    const Machine memory = machine_of_bytes("MemTotal:       1024 kB\nMemFree:        100 kB\n", "m");
    EXPECT_EQ(memory.memory.total_bytes, 1 << 20);
    const Machine line = machine_of_bytes("> # cat /proc/cmdline\n> BOOT_IMAGE=/vmlinuz iommu=off\n", "l");
    EXPECT_EQ(line.os.command_line, "BOOT_IMAGE=/vmlinuz iommu=off");
}

TEST(Foreign, NamesWhatItDoesNotUnderstand) {
    const test::TempFolder folder;
    const std::string letter = folder.write("letter.txt", "Dear all,\nthe server is slow.\n");
    EXPECT_THAT(error_of({letter}), HasSubstr(letter));
    EXPECT_THAT(error_of({letter}), HasSubstr("gpuadapt record"));
    EXPECT_THAT(error_of({folder.path("absent")}), HasSubstr("absent"));
    folder.write("lspci.txt", std::string(kLspci));
    EXPECT_THAT(notes(read_machine({folder.path()}).machine), HasSubstr("letter.txt: nothing of a machine"));
    EXPECT_THAT(error_of({folder.path("lspci.txt"), letter}), HasSubstr(letter));
}

TEST(Foreign, EveryReaderHasBothTexts) {
    for (const ForeignReader& reader : foreign_readers()) {
        EXPECT_FALSE(reader.id.empty());
        EXPECT_FALSE(reader.title.en.empty());
        EXPECT_FALSE(reader.title.zh.empty());
        Machine machine;
        EXPECT_FALSE(reader.read("", "", "x", machine)) << reader.id;
        EXPECT_EQ(machine, Machine{}) << reader.id;
    }
}

}  // namespace
}  // namespace gpuadapt

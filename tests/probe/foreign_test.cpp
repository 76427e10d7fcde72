// SPDX-License-Identifier: Apache-2.0
#include "support/tar.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/probe/foreign.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::HasSubstr;
using testing::Not;

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
    const Machine cores = machine_of_bytes(
        "# dmidecode 3.3\nHandle 0x0004, DMI type 4, 48 bytes\nProcessor Information\n\tType: Central Processor\n"
        "\tStatus: Populated, Enabled\n\tCore Count: 4\n\tCore Enabled: 1\n",
        "dmi.txt");
    EXPECT_THAT(notes(cores), HasSubstr("Core Count 4 and Core Enabled 1"));
    const Machine clusters = machine_of_bytes(
        "Architecture: aarch64\nCPU(s): 8\nOn-line CPU(s) list: 0-7\nCore(s) per socket: 4\nSocket(s): 3\n", "cpu.txt");
    EXPECT_THAT(notes(clusters), HasSubstr("3 sockets of 4 cores"));
}

TEST(Foreign, SaysWhereItStoppedReading) {
    std::string text;
    for (int i = 0; i < 8192; ++i)
        text += fmt::format("{:04x}:{:02x}:00.0 Host bridge [0600]: Device [9999:0001]\n", i >> 8, i & 0xff);
    const Machine machine = machine_of_bytes(text + "ffff:00:00.0 Host bridge [0600]: Device [9999:0001]\n", "l.txt");
    EXPECT_EQ(machine.pci_devices.size(), 8192U);
    EXPECT_THAT(notes(machine), HasSubstr("l.txt: only the first 8192 devices were read\n"));
    std::string often;
    for (int i = 0; i < 9; ++i)
        often += kLspci;
    EXPECT_THAT(notes(machine_of_bytes(often, "l.txt")), HasSubstr("only the first 8 outputs of lspci were read"));
    EXPECT_THAT(notes(machine_of_bytes(std::string(kLspci), "l.txt")), Not(HasSubstr("only the first ")));
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

TEST(Foreign, TellsWhereOutputsInOneTextDisagree) {
    std::string other(kDmidecode);
    other.replace(other.find("GX-8000"), 7, "GX-9000");
    const Machine two = machine_of_bytes(std::string(kDmidecode) + "\n" + other, "two.txt");
    EXPECT_EQ(two.dmi.product_name, "GX-8000");
    EXPECT_THAT(notes(two), HasSubstr("disagrees: /dmi/product_name: GX-8000 / GX-9000"));

    const std::string lscpu =
        "Architecture: x86_64\nCPU(s): 8\nModel name: Example A\nSocket(s): 2\nCore(s) per socket: 4\n";
    std::string more = lscpu;
    more.replace(more.find("Example A"), 9, "Example B");
    const Machine cpus = machine_of_bytes(lscpu + more, "two.txt");
    EXPECT_EQ(cpus.cpu.model, "Example A");
    EXPECT_EQ(cpus.cpu.cores_per_socket, 4);
    EXPECT_THAT(notes(cpus), HasSubstr("disagrees: /cpu/model: Example A / Example B"));
    EXPECT_EQ(notes(machine_of_bytes(lscpu + lscpu + std::string(kDmidecode) + std::string(kDmidecode), "same.txt")),
              "");

    const std::string nodes = "available: 1 nodes (0)\nnode 0 cpus: 0 1\nnode 0 size: 1000 MB\n";
    const Machine numa = machine_of_bytes(nodes + "available: 1 nodes (0)\nnode 0 size: 2000 MB\n", "two.txt");
    EXPECT_EQ(numa.numa_nodes.at(0).memory_bytes, std::int64_t{1000} << 20);
    EXPECT_THAT(notes(numa), HasSubstr("disagrees: /numa_nodes/"));

    const std::string gpu = "==============NVSMI LOG==============\n\nGPU 00000000:06:00.0\n    Serial Number : ";
    const Machine gpus = machine_of_bytes(gpu + "1\n" + gpu + "2\n", "two.txt");
    ASSERT_EQ(gpus.gpus.size(), 1U);
    EXPECT_EQ(gpus.gpus[0].serial, "1");
    EXPECT_THAT(notes(gpus), HasSubstr("/serial: 1 / 2"));
}

TEST(Foreign, BelievesNoValueAtACutEnd) {
    // Each text is cut at many places: what is told must be what the whole text tells.
    const std::string dmidecode =
        "# dmidecode 3.3\nHandle 0x0010, DMI type 17, 92 bytes\nMemory Device\n\tLocator: DIMM_A1\n\tSize: 32 GB\n"
        "\tRank: 12\n";
    const std::string matrix = "\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\t X \n";
    const std::string numactl = "available: 1 nodes (0)\nnode 0 cpus: 0 1 2 30\nnode 0 size: 64000 MB\n";
    const std::string lspci(kLspci);
    const std::string rdma =
        "CA 'mlx5_0'\n\tCA type: MT4129\n\tNode GUID: 0x946dae0300aabbcc\n\tPort 1:\n\t\tSM lid: 28\n";
    for (const std::string& text : {dmidecode, matrix, numactl, lspci, rdma}) {
        const Machine whole = machine_of_bytes(text, "whole.txt");
        const std::size_t step = text.size() / 64 + 1;
        for (std::size_t size = text.find('\n') + 2; size < text.size(); size += step) {
            if (text[size - 1] == '\n')
                continue;
            try {
                const Machine cut = machine_of_bytes(text.substr(0, size), "cut.txt");
                const std::size_t line = text.rfind('\n', size - 1) + 1;
                const Machine before = machine_of_bytes(text.substr(0, line), "cut.txt");
                const bool noted = notes(cut).find("cut.txt: cut off: the last line has no end") != std::string::npos;
                EXPECT_EQ(noted, !trim(text.substr(line, size - line)).empty()) << size;
                EXPECT_EQ(cut.dimms, before.dimms) << size;
                EXPECT_EQ(cut.vendor_topology, before.vendor_topology) << size;
                EXPECT_EQ(cut.numa_nodes, before.numa_nodes) << size;
                EXPECT_EQ(cut.pci_devices, before.pci_devices) << size;
                EXPECT_EQ(cut.rdma_devices, before.rdma_devices) << size;
            } catch (const Error&) {
                // Nothing of a machine is left.
            }
        }
        EXPECT_EQ(notes(whole).find("cut off"), std::string::npos);
    }
    const Machine memory = machine_of_bytes(dmidecode.substr(0, dmidecode.find(" GB")), "cut.txt");
    for (const Dimm& dimm : memory.dimms)
        EXPECT_EQ(dimm.size_bytes, std::nullopt);
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
    const Machine absurd = machine_of_bytes("MemTotal:       many kB\nMemFree:        100 kB\n", "m");
    EXPECT_EQ(notes(absurd), "m: no such amount of memory: MemTotal: many kB\n");
    EXPECT_EQ(notes(memory), "");
    const Machine line = machine_of_bytes("> # cat /proc/cmdline\n> BOOT_IMAGE=/vmlinuz iommu=off\n", "l");
    EXPECT_EQ(line.os.command_line, "BOOT_IMAGE=/vmlinuz iommu=off");
}

TEST(Foreign, SaysWhereABinaryTableIsDamaged) {
    using namespace std::string_literals;
    const std::string table = "\x01\x08\x00\x00\x01\x02\x00\x03Maker\0Model\0Serial\0\0"s;
    const Machine whole = machine_of_bytes(table + "\x7f\x04\x01\x00\0\0"s, "dmi.bin");
    EXPECT_EQ(whole.dmi.product_name, "Model");
    EXPECT_EQ(notes(whole), "");
    EXPECT_EQ(notes(machine_of_bytes(table + "\x05", "dmi.bin")), "dmi.bin: damaged at byte 28\n");
}

TEST(Foreign, NamesWhatItDoesNotUnderstand) {
    const test::TempFolder folder;
    const std::string letter = folder.write("letter.txt", "Dear all,\nthe server is slow.\n");
    EXPECT_THAT(error_of({letter}), HasSubstr(letter));
    EXPECT_THAT(error_of({letter}), HasSubstr("gpuadapt record"));
    EXPECT_THAT(error_of({folder.path("absent")}), HasSubstr("absent"));
    folder.write("second.txt", "Yours,\nE.\n");
    EXPECT_THAT(error_of({folder.path()}), HasSubstr("nothing of a machine was found in any of its 2 files"));
    folder.write("lspci.txt", std::string(kLspci));
    EXPECT_THAT(notes(read_machine({folder.path()}).machine), HasSubstr("letter.txt: nothing of a machine"));
    EXPECT_THAT(error_of({folder.path("lspci.txt"), letter}), HasSubstr(letter));
}

TEST(Foreign, KeepsWhatAToolSaysOfItsFailure) {
    const std::string ports =
        "CA 'mlx5_0'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: Active\n"
        "ibpanic: [77] main: stat of IB device 'mlx5_1' failed: No such file or directory\n";
    const Machine cards = machine_of_bytes(ports, "ib.txt");
    EXPECT_EQ(cards.rdma_devices.size(), 1U);
    EXPECT_THAT(notes(cards), HasSubstr("ib.txt: a tool failed: ibpanic: [77] main: stat of IB device 'mlx5_1'"));
    for (const char* line : {"/dev/mem: No such file or directory", "# No SMBIOS nor DMI entry point found, sorry."})
        EXPECT_EQ(notes(machine_of_bytes(std::string("# dmidecode 3.9\n") + line + "\n", "dmi.txt")),
                  std::string("dmi.txt: a tool failed: ") + line + "\n");
    const test::TempFolder folder;
    const std::string only = folder.write("dmi.txt", "sudo: dmidecode: command not found\n");
    EXPECT_THAT(error_of({only}), HasSubstr("a tool failed: sudo: dmidecode: command not found"));
    folder.write("lspci.txt", std::string(kLspci));
    EXPECT_THAT(notes(read_machine({folder.path()}).machine),
                HasSubstr("dmi.txt: a tool failed: sudo: dmidecode: command not found"));
}

TEST(Foreign, SaysWhatIsEmpty) {
    const test::TempFolder folder;
    EXPECT_THAT(error_of({folder.path()}), HasSubstr("the folder is empty"));
    const std::string file = folder.write("a.txt", "");
    EXPECT_THAT(error_of({file}), HasSubstr("the file is empty"));
    folder.write("b.txt", "\n");
    EXPECT_THAT(error_of({folder.path()}), HasSubstr("all files in it are empty"));
}

TEST(Foreign, SaysWhatTakesARecord) {
    const test::TempFolder folder;
    Record record;
    record.tool_version = "1.0.0";
    const std::string whole = folder.write("run.json", to_json(record));
    const std::string part = folder.write("run.json.part", part::header(record) + "\n");
    for (const std::string& path : {whole, part})
        EXPECT_THAT(error_of({path}), HasSubstr("gpuadapt report --record " + path));
    folder.write("lspci.txt", std::string(kLspci));
    EXPECT_THAT(notes(read_machine({folder.path()}).machine), HasSubstr("run.json: a record of gpuadapt"));
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

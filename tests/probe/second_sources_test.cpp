// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/host/memory_root.hpp>
#include <gpuadapt/probe/second_sources.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Answers with_hwloc(const std::string& json) {
    Answers answers;
    answers.lookups["hwloc"] = json;
    return answers;
}

/// Without the finding that says what was compared.
std::vector<Finding> disagreements(Root& root, const Machine& machine) {
    std::vector<Finding> findings = cross_check(root, machine);
    EXPECT_EQ(findings.back().check, "SOURCE2");
    findings.pop_back();
    return findings;
}

std::vector<std::string> subjects(const std::vector<Finding>& findings) {
    std::vector<std::string> found;
    found.reserve(findings.size());
    for (const Finding& finding : findings)
        found.push_back(finding.subject);
    return found;
}

TEST(CrossCheck, WhatHwlocSawOtherwiseIsAWarning) {
    MemoryRoot root(with_hwloc(R"({"cpu": {"sockets": 1, "logical_cpus": 64}})"));
    Machine machine;
    machine.cpu.sockets = 2;
    machine.cpu.logical_cpus = 64;
    const auto findings = cross_check(root, machine);
    ASSERT_THAT(findings, SizeIs(2));
    EXPECT_EQ(findings[0].severity, Severity::warning);
    EXPECT_EQ(findings[0].subject, "/cpu/sockets");
    EXPECT_THAT(findings[0].evidence.en, HasSubstr("gpuadapt: 2; hwloc: 1"));
    machine.cpu.sockets = 1;
    EXPECT_THAT(disagreements(root, machine), IsEmpty());
}

TEST(CrossCheck, AToolThatSeesAnotherMachineIsNamed) {
    Answers answers;
    answers.commands[{"lscpu", "-J"}] = {CommandStatus::exited, 0,
                                         R"({"lscpu": [{"field": "Architecture:", "data": "x86_64"},
                                                        {"field": "CPU(s):", "data": "8"},
                                                        {"field": "Model name:", "data": "Some CPU"},
                                                        {"field": "Socket(s):", "data": "4"}]})",
                                         "", ""};
    answers.commands[{"dmidecode"}] = {CommandStatus::exited, 1, "Socket(s): 8\n", "", ""};
    answers.commands[{"mpirun", "--version"}] = {CommandStatus::exited, 0, "mpirun (Open MPI) 4.1.4\n", "", ""};
    MemoryRoot root(answers);
    Machine machine;
    machine.cpu.sockets = 2;
    const auto findings = disagreements(root, machine);
    ASSERT_THAT(findings, SizeIs(1)) << "a tool that failed is no witness, nor one that says nothing of a machine";
    EXPECT_THAT(findings[0].evidence.en, HasSubstr("gpuadapt: 2; lscpu -J: 4"));
}

TEST(CrossCheck, WhatChangesByItselfIsNoDisagreement) {
    MemoryRoot root(with_hwloc(R"({"gpus": [{"address": "0000:01:00.0", "vendor": "nvidia", "power_w": 70.5,
        "core_mhz": 345, "memory_used_bytes": 1, "power_limit_w": 600}],
        "numa_nodes": [{"id": 0, "memory_bytes": 4793040896}, {"id": 1, "memory_bytes": 4294967296}]})"));
    Machine machine;
    machine.gpus.resize(1);
    machine.gpus[0].address = "0000:01:00.0";
    machine.gpus[0].vendor = "nvidia";
    machine.gpus[0].power_w = 77.7;
    machine.gpus[0].core_mhz = 390;
    machine.gpus[0].memory_used_bytes = 0;
    machine.gpus[0].power_limit_w = 700;
    machine.numa_nodes.resize(2);
    machine.numa_nodes[0].memory_bytes = 4793040896 + 1000000;  // numactl rounds
    machine.numa_nodes[1].id = 1;
    machine.numa_nodes[1].memory_bytes = 4294967296 / 2;
    EXPECT_THAT(subjects(disagreements(root, machine)),
                ElementsAre("/numa_nodes/1/memory_bytes", "/gpus/0000:01:00.0/power_limit_w"));
}

TEST(CrossCheck, AToolAskedOfOneInterfaceDeniesNoOther) {
    Answers answers;
    answers.commands[{"ethtool", "eth0"}] = {CommandStatus::exited, 0,
                                             "Settings for eth0:\n\tSpeed: 25000Mb/s\n\tLink detected: yes\n", "", ""};
    answers.commands[{"ibv_devinfo", "-v"}] = {CommandStatus::exited, 0, "hca_id:\tmlx5_0\n\tphys_port_cnt:\t1\n", "",
                                               ""};
    MemoryRoot root(answers);
    root.add_file("/sys/class/net/eth0/device", "");
    Machine machine;
    for (const char* name : {"eth0", "eth1", "lo"})
        machine.interfaces.emplace_back().name = name;
    for (const char* name : {"mlx5_0", "mlx5_1"})
        machine.rdma_devices.emplace_back().name = name;
    machine.interfaces[0].speed_mbit_s = 100000;
    EXPECT_THAT(subjects(disagreements(root, machine)),
                ElementsAre("/rdma_devices/mlx5_1", "/interfaces/eth0/speed_mbit_s"));
}

TEST(CrossCheck, AToolOfGpusDeniesNoOtherDevice) {
    Answers answers;
    answers.commands[{"nvidia-smi", "-q"}] = {
        CommandStatus::exited, 0,
        "==============NVSMI LOG==============\n\nDriver Version                 : 580.1\n"
        "Attached GPUs                  : 1\nGPU 00000000:06:00.0\n    Product Name               : NVIDIA X\n"
        "    PCI\n        Bus Id                 : 00000000:06:00.0\n        GPU Link Info\n"
        "            PCIe Generation\n                Max            : 5\n                Current        : 5\n"
        "            Link Width\n                Max            : 16x\n                Current        : 8x\n",
        "", ""};
    MemoryRoot root(answers);
    Machine machine;
    machine.gpus.emplace_back().address = "0000:06:00.0";
    machine.gpus[0].vendor = "nvidia";
    for (const char* address : {"0000:00:01.0", "0000:06:00.0"})
        machine.pci_devices.emplace_back().address = address;
    machine.pci_devices[1].link.current_width = 16;
    EXPECT_THAT(subjects(disagreements(root, machine)), ElementsAre("/pci_devices/0000:06:00.0/link/current_width"));
}

TEST(CrossCheck, NoWitnessIsUnknown) {
    MemoryRoot root;
    Machine machine;
    machine.cpu.sockets = 2;
    const auto findings = cross_check(root, machine);
    ASSERT_THAT(findings, SizeIs(1));
    EXPECT_EQ(findings[0].severity, Severity::unknown);
    EXPECT_FALSE(findings[0].blocking);
    EXPECT_THAT(findings[0].evidence.en, HasSubstr("compared: none; no answer: hwloc; not in the recording: lscpu,"));
    EXPECT_THAT(findings[0].evidence.zh, HasSubstr("录制文件中没有：lscpu、"));
}

TEST(CrossCheck, SaysWhatWasComparedAndWhatNot) {
    Answers answers = with_hwloc(R"({"cpu": {"sockets": 1, "logical_cpus": 64}})");
    answers.commands[{"numactl", "-H"}] = {CommandStatus::exited, 0,
                                           "available: 1 nodes (0)\nnode 0 cpus: 0 1\nnode 0 size: 1024 MB\n", "", ""};
    answers.commands[{"dmidecode"}] = {CommandStatus::exited, 1, "", "permission denied", ""};
    answers.commands[{"lspci", "-D", "-nn", "-vvv"}] = {CommandStatus::timed_out, 0, "", "", "time-out after 10 s"};
    answers.commands[{"mpirun", "--version"}] = {CommandStatus::exited, 0, "mpirun (Open MPI) 4.1.4\n", "", ""};
    for (const std::vector<std::string>& argv : {std::vector<std::string>{"mx-smi"}, {"mx-smi", "-L"}})
        answers.commands[argv].reason = "'mx-smi' is not installed, or not in PATH";
    MemoryRoot root(answers);
    Machine machine;
    machine.cpu.sockets = 2;
    machine.cpu.logical_cpus = 64;
    machine.numa_nodes.resize(1);
    machine.numa_nodes[0].cpus.emplace("0-1");
    machine.numa_nodes[0].memory_bytes = 1 << 30;
    const Finding survey = cross_check(root, machine).back();
    EXPECT_EQ(survey.severity, Severity::note);
    for (const char* part : {"compared: hwloc (1 agree, 1 differ), numactl -H (", "exit status 1: dmidecode",
                             "time-out after 10 s: lspci -D -nn -vvv", "not installed: mx-smi;",
                             "says nothing that can be compared: mpirun --version"})
        EXPECT_THAT(survey.evidence.en, HasSubstr(part));
    EXPECT_THAT(survey.evidence.zh, HasSubstr("hwloc（1 项一致，1 项不一致）"));
}

TEST(CrossCheck, ADamagedAnswerOfHwlocIsNoWitness) {
    MemoryRoot root(with_hwloc("{"));
    EXPECT_THAT(cross_check(root, {}).back().evidence.en, HasSubstr("hwloc"));
}

TEST(SecondSources, EachNamesAToolAndBothLanguages) {
    for (const SecondSource& source : second_sources()) {
        EXPECT_FALSE(source.command.empty());
        EXPECT_FALSE(source.about.en.empty()) << source.command;
        EXPECT_FALSE(source.about.zh.empty()) << source.command;
        EXPECT_EQ(source.command.find_first_of("|;&$`'\""), std::string_view::npos) << "words only, no shell";
    }
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/driver/management.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/foreign.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

/// A machine of GPUs and of what was answered by their library and tools.
class Machines {
  public:
    Machines& gpu(const std::string& address, const std::string& id) {
        answers_.files["/sys/bus/pci/devices/" + address + "/uevent"] = {AnswerStatus::ok,
                                                                         "PCI_CLASS=30200\nPCI_ID=" + id + "\n", ""};
        answers_.lists["/sys/bus/pci/devices"].status = AnswerStatus::ok;
        answers_.lists["/sys/bus/pci/devices"].names.push_back(address);
        return *this;
    }
    Machines& library(const char* id, const Machine& facts) {
        return run(management_command(*find_management_library(id)), "\x1e" + to_json(facts) + "\x1e");
    }
    Machines& run(const std::vector<std::string>& argv, const std::string& output, int code = 0) {
        answers_.commands[argv] = {CommandStatus::exited, code, output, "", ""};
        return *this;
    }
    [[nodiscard]] Machine probe() const {
        MemoryRoot root(answers_);
        RecorderRoot recorder(root);
        Machine machine = probe_machine(recorder, {"gpu", "gpu_topology"});
        MemoryRoot replay(unpack_recording(pack_recording(recorder.answers()), "packed"));
        EXPECT_EQ(to_json(probe_machine(replay, {"gpu", "gpu_topology"})), to_json(machine));
        return machine;
    }

  private:
    Answers answers_;
};

Gpu nvidia(const std::string& address) {
    Gpu gpu;
    gpu.address = address;
    gpu.vendor = "nvidia";
    gpu.index = 0;
    gpu.model = "Example X200";
    gpu.uuid = "GPU-00000000";
    gpu.ecc = false;
    gpu.processes = {{5, "trainer", 7}};
    return gpu;
}

TEST(ProbeGpuFacts, FindTheirGpuInLongDomainsToo) {
    Machine facts;
    facts.gpus = {nvidia("ffff:07:00.0"), nvidia("10000:07:00.0")};
    const Machine machine =
        Machines().gpu("10000:07:00.0", "10DE:2335").gpu("ffff:07:00.0", "10DE:2335").library("nvml", facts).probe();
    EXPECT_THAT(machine.gpus, ElementsAre(facts.gpus[0], facts.gpus[1]));
}

TEST(ProbeGpuFacts, ComeFromTheLibrary) {
    Machine facts;
    facts.gpus = {nvidia("0000:07:00.0")};
    facts.versions["driver"] = {"580.99.01", "/usr/lib/libnvidia-ml.so.1"};
    facts.unread = {{"NVML, GPU 0000:08:00.0", "GPU is lost"}};
    const Machine machine =
        Machines().gpu("0000:07:00.0", "10DE:2335").gpu("0000:08:00.0", "10DE:2335").library("nvml", facts).probe();
    ASSERT_EQ(machine.gpus.size(), 2U);
    EXPECT_EQ(machine.gpus[0], nvidia("0000:07:00.0"));
    EXPECT_EQ(machine.gpus[1].address, "0000:08:00.0");
    EXPECT_FALSE(machine.gpus[1].ecc);
    EXPECT_EQ(machine.versions.at("driver").version, "580.99.01");
    EXPECT_EQ(machine.sources.at("gpus"), "NVML");
    EXPECT_THAT(machine.unread, Contains(Unread{"NVML, GPU 0000:08:00.0", "GPU is lost"}));
}

TEST(ProbeGpuFacts, AreUnknownWhereNobodyAnswers) {
    const Machine machine = Machines().gpu("0000:07:00.0", "9999:4001").probe();
    ASSERT_EQ(machine.gpus.size(), 1U);
    EXPECT_FALSE(machine.gpus[0].uuid || machine.gpus[0].ecc || machine.gpus[0].memory_bytes);
    EXPECT_THAT(machine.unread, Contains(Field(&Unread::path, "MXSML")));
    EXPECT_THAT(machine.sources, IsEmpty());
    EXPECT_THAT(machine.vendor_topology, IsEmpty());
}

TEST(ProbeGpuFacts, NobodyIsAskedWithoutAGpu) {
    Machine facts;
    facts.gpus = {nvidia("0000:07:00.0")};
    const Machine machine = Machines()
                                .gpu("0000:03:00.0", "15B3:1021")
                                .library("nvml", facts)
                                .run({"nvidia-smi", "topo", "-m"}, "matrix")
                                .probe();
    EXPECT_THAT(machine.gpus, IsEmpty());
    EXPECT_THAT(machine.vendor_topology, IsEmpty());
}

TEST(ProbeGpuFacts, ComeFromTheToolWithoutTheLibrary) {
    Machine nothing;
    nothing.unread = {{"NVML", "Driver/library version mismatch (NVML error 18)"}};
    const Machine machine = Machines()
                                .gpu("0000:07:00.0", "10DE:2335")
                                .library("nvml", nothing)
                                .run({"nvidia-smi", "-q", "-x"},
                                     "<nvidia_smi_log><driver_version>580.99.01</driver_version>"
                                     "<gpu id=\"00000000:07:00.0\"><serial>165</serial></gpu></nvidia_smi_log>")
                                .probe();
    EXPECT_EQ(machine.gpus.at(0).serial, "165");
    EXPECT_EQ(machine.sources.at("gpus"), "nvidia-smi -q -x");
    EXPECT_EQ(machine.versions.at("driver").version, "580.99.01");
    EXPECT_THAT(machine.unread, Contains(nothing.unread[0]));
}

TEST(ProbeGpuFacts, AreCollectedFromSeveralQuestions) {
    const std::string tool = "/opt/mxdriver/bin/mx-smi";
    const Machine machine =
        Machines()
            .gpu("0000:37:00.0", "9999:4001")
            .run({tool, "-L"}, "GPU#0    MXC999      0000:37:00.0   Available (UUID: GPU-aaaa)\n")
            .run({tool, "--summary"}, "GPU#0  MXC999  0000:37:00.0\n    Version\n        KMD  : 9.8.30\n")
            .run({tool, "--show-ecc-state"}, "GPU#0  MXC999  0000:37:00.0\n    Ecc state\n      state : Disable\n", 3)
            .probe();
    EXPECT_EQ(machine.gpus.at(0).uuid, "GPU-aaaa");
    EXPECT_EQ(machine.gpus.at(0).model, "MXC999");
    EXPECT_EQ(machine.gpus.at(0).ecc, false);
    EXPECT_EQ(machine.versions.at("driver").version, "9.8.30");
    EXPECT_EQ(machine.sources.at("gpus"), "mx-smi -L, mx-smi --summary");
    EXPECT_THAT(machine.unread, Contains(Unread{"mx-smi --show-ecc-state", "exit status 3"}));
}

TEST(ProbeGpuFacts, BelieveNoValueAtTheEndOfAToolThatFailed) {
    const std::string text =
        "==============NVSMI LOG==============\n\nGPU 00000000:07:00.0\n    Product Name : Example X200\n"
        "    Serial Number : 16500";
    const auto gpu_after = [&](int code) {
        return Machines()
            .gpu("0000:07:00.0", "10DE:2335")
            .run({"nvidia-smi", "-q", "-x"}, text, code)
            .probe()
            .gpus.at(0);
    };
    EXPECT_EQ(gpu_after(0).serial, "16500");
    EXPECT_EQ(gpu_after(1).model, "Example X200");
    EXPECT_EQ(gpu_after(1).serial, std::nullopt);
}

TEST(ProbeGpuTopology, KeepsTheToolsText) {
    Machines machines;
    machines.gpu("0000:07:00.0", "9999:4001").gpu("0000:08:00.0", "10DE:2335");
    machines.run({"/opt/mxdriver/bin/mx-smi", "topo", "-m"}, "\tGPU0\nGPU0\tX\n")
        .run({"nvidia-smi", "topo", "-m"}, "NVIDIA-SMI has failed", 9);
    const Machine machine = machines.probe();
    ASSERT_EQ(machine.vendor_topology.size(), 1U);
    EXPECT_EQ(machine.vendor_topology[0].tool, "mx-smi topo -m");
    EXPECT_EQ(machine.vendor_topology[0].text, "\tGPU0\nGPU0\tX\n");
    EXPECT_THAT(machine.unread, Contains(Unread{"nvidia-smi topo -m", "exit status 9"}));
}

TEST(ProbeGpuTopology, BytesThatAreNoTextDoNotBreakTheRecord) {
    Machines machines;
    machines.gpu("0000:08:00.0", "10DE:2335").run({"nvidia-smi", "topo", "-m"}, "\x1b[4mGPU0\nG\xff\n");
    const Machine machine = machines.probe();
    ASSERT_EQ(machine.vendor_topology.size(), 1U);
    EXPECT_EQ(machine.vendor_topology[0].text, " [4mGPU0\nG\xEF\xBF\xBD\n");
}

TEST(ForeignGpuTexts, AreRecognised) {
    const Machine metax = machine_of_bytes(
        "mx-smi  version: 9.2.12\r\n"
        "GPU#0    MXC999      0000:37:00.0   Available (UUID: GPU-aaaa)\r\n",
        "list.txt");
    EXPECT_EQ(metax.gpus.at(0).uuid, "GPU-aaaa");
    EXPECT_EQ(metax.sources.at("gpus"), "list.txt");
    const Machine nvidia = machine_of_bytes(
        "==============NVSMI LOG==============\nDriver Version : 580.99.01\n"
        "GPU 00000000:07:00.0\n    Serial Number    : 165\n",
        "q.txt");
    EXPECT_EQ(nvidia.gpus.at(0).serial, "165");
    const Machine amd = machine_of_bytes("{\"card0\": {\"PCI Bus\": \"0000:0C:00.0\"}}", "rocm.json");
    EXPECT_EQ(amd.gpus.at(0).address, "0000:0c:00.0");
    EXPECT_THROW(static_cast<void>(machine_of_bytes("mx-smi  version: 9.2.12\nUSAGE:\n", "help.txt")), Error);
}

}  // namespace
}  // namespace gpuadapt

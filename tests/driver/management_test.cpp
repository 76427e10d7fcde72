// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/management.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

/// What a library answers, with a fault of its stand-in.
Machine ask(const char* id, const std::string& file, const char* fault = "",
            std::chrono::milliseconds limit = kManagementLimit) {
    setenv("GPUADAPT_FAKE_NVML", fault, 1);   // NOLINT(concurrency-mt-unsafe)
    setenv("GPUADAPT_FAKE_MXSML", fault, 1);  // NOLINT(concurrency-mt-unsafe)
    const ManagementLibrary& row = *find_management_library(id);
    std::vector<std::string> command = management_command(row);
    command.push_back(file);
    CommandOptions options;
    options.timeout = limit;
    return management_facts(row, run_command(command, options));
}

auto note(const std::string& path, const std::string& reason) {
    return AllOf(Field(&Unread::path, path), Field(&Unread::reason, HasSubstr(reason)));
}

TEST(ManagementLibraries, AreFoundById) {
    EXPECT_EQ(find_management_library("nvml")->vendor, "nvidia");
    EXPECT_EQ(find_management_library("mxsml")->vendor, "metax");
    EXPECT_EQ(find_management_library("other"), nullptr);
    for (const ManagementLibrary& row : management_libraries())
        EXPECT_FALSE(row.files.empty()) << row.id;
}

TEST(Nvml, GivesEveryFact) {
    const Machine facts = ask("nvml", GPUADAPT_FAKE_NVML);
    EXPECT_THAT(facts.unread, IsEmpty());
    EXPECT_EQ(facts.versions.at("driver").version, "580.99.01");
    EXPECT_EQ(facts.versions.at("driver").path, GPUADAPT_FAKE_NVML);
    EXPECT_EQ(facts.versions.at("CUDA driver").version, "13.0");
    EXPECT_EQ(facts.versions.at("NVML").version, "13.580.99.01");
    ASSERT_EQ(facts.gpus.size(), 2U);

    Gpu first;
    first.address = "0000:06:00.0";
    first.vendor = "nvidia";
    first.index = 0;
    first.model = "Example X200";
    first.uuid = "GPU-00000000-1111-2222-3333-444444444444";
    first.serial = "1650000000001";
    first.part_number = "900-00000-0000-000";
    first.vbios = "96.00.00.00.01";
    first.memory_bytes = 150754820096;
    first.memory_used_bytes = 4194304;
    first.ecc = true;
    first.ecc_pending = true;
    first.ecc_corrected = 3;
    first.ecc_uncorrected = 0;
    first.remap_pending = false;
    first.core_mhz = 345;
    first.core_max_mhz = 1980;
    first.memory_mhz = 3201;
    first.memory_max_mhz = 3201;
    first.throttle_reasons = {"gpu_idle"};
    first.temperature_c = 31;
    first.power_w = 76.543;
    first.power_limit_w = 700;
    first.power_limit_default_w = 700;
    first.persistence = true;
    first.compute_mode = "default";
    first.partitioned = false;
    // 4711 both computes and draws; 4712 has ended, so that nothing tells its name.
    first.processes = {{4711, "/usr/bin/trainer", 1048576}, {4712, std::nullopt, std::nullopt}};
    for (int i = 0; i < 4; ++i) {
        GpuLink link;
        link.index = i;
        link.state = "up";
        link.gbyte_s = 26.562;
        link.remote = "0000:07:00.0";
        link.remote_kind = "gpu";
        first.links.push_back(link);
    }
    EXPECT_EQ(facts.gpus[0], first);

    const Gpu& second = facts.gpus[1];
    EXPECT_EQ(second.ecc, false);
    EXPECT_EQ(second.ecc_pending, true);
    EXPECT_EQ(second.remap_pending, true);
    EXPECT_THAT(second.throttle_reasons, ElementsAre("sw_power_cap", "hw_thermal_slowdown"));
    EXPECT_EQ(second.compute_mode, "exclusive_process");
    EXPECT_EQ(second.partitioned, true);
    EXPECT_EQ(second.persistence, false);
    EXPECT_EQ(second.links[1].errors.at("replay"), 12);
    EXPECT_EQ(second.links[2].state, "down");
    EXPECT_FALSE(second.links[2].gbyte_s || second.links[2].remote);
}

TEST(Nvml, AnOldLibraryGivesWhatItHas) {
    const Machine facts = ask("nvml", GPUADAPT_FAKE_NVML_OLD);
    EXPECT_THAT(facts.unread, IsEmpty());
    EXPECT_THAT(facts.versions, IsEmpty());
    ASSERT_EQ(facts.gpus.size(), 1U);
    Gpu gpu;
    gpu.address = "0001:3b:00.0";
    gpu.vendor = "nvidia";
    gpu.index = 0;
    gpu.memory_bytes = 16000;
    gpu.memory_used_bytes = 1000;
    gpu.throttle_reasons = {"gpu_idle", "sw_power_cap", "0x1000"};
    gpu.processes = {{77, std::nullopt, std::nullopt}};
    EXPECT_EQ(facts.gpus[0], gpu);
}

TEST(Nvml, SaysWhyItIsNotUsable) {
    EXPECT_THAT(ask("nvml", "/nowhere/libnvidia-ml.so.1").unread, ElementsAre(note("NVML", "No such file")));
    EXPECT_THAT(ask("nvml", "libm.so.6").unread, ElementsAre(note("NVML", "no symbol nvmlInit")));
    EXPECT_THAT(ask("nvml", GPUADAPT_FAKE_NVML_PART).unread, ElementsAre(note("NVML", "no symbol nvmlDeviceGetCount")));
    EXPECT_THAT(ask("nvml", GPUADAPT_FAKE_NVML, "mismatch").unread,
                ElementsAre(note("NVML", "Driver/library version mismatch (NVML error 18)")));
    EXPECT_THAT(ask("nvml", GPUADAPT_FAKE_NVML, "denied").unread,
                ElementsAre(note("NVML", "Insufficient Permissions (NVML error 4)")));
    const Machine none = ask("nvml", GPUADAPT_FAKE_NVML, "none");
    EXPECT_TRUE(none.gpus.empty() && none.unread.empty() && none.versions.contains("driver"));
}

TEST(Nvml, ALostDeviceIsUnknownAndSaidOnce) {
    const Machine facts = ask("nvml", GPUADAPT_FAKE_NVML, "lost");
    ASSERT_EQ(facts.gpus.size(), 2U);
    EXPECT_EQ(facts.gpus[1].address, "0000:07:00.0");
    EXPECT_FALSE(facts.gpus[1].model || facts.gpus[1].ecc || facts.gpus[1].core_mhz || facts.gpus[1].persistence);
    EXPECT_THAT(facts.gpus[1].links, IsEmpty());
    EXPECT_THAT(facts.unread,
                ElementsAre(note("NVML, GPU 0000:07:00.0", "GPU is lost (NVML error 15) (nvmlDeviceGetName and ")));
}

TEST(Nvml, ProcessesThatAreNotToldAreNotNone) {
    const Machine facts = ask("nvml", GPUADAPT_FAKE_NVML, "processes denied");
    ASSERT_EQ(facts.gpus.size(), 2U);
    EXPECT_THAT(facts.unread, ElementsAre(note("NVML, GPU 0000:07:00.0",
                                               "Insufficient Permissions (NVML error 4) "
                                               "(nvmlDeviceGetComputeRunningProcesses_v2)")));
}

TEST(Nvml, AHangCostsTheLimitAndKeepsWhatWasKnown) {
    const auto start = std::chrono::steady_clock::now();
    const Machine facts = ask("nvml", GPUADAPT_FAKE_NVML, "hang", std::chrono::milliseconds(1500));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    ASSERT_EQ(facts.gpus.size(), 1U);
    EXPECT_EQ(facts.gpus[0].address, "0000:06:00.0");
    EXPECT_THAT(
        facts.unread,
        ElementsAre(note("NVML",
                         "time-out: ended: no result after 1500 ms; the last call was nvmlDeviceGetName, NVML, GPU "
                         "0000:07:00.0")));
}

TEST(Nvml, ACrashIsTheChilds) {
    const Machine facts = ask("nvml", GPUADAPT_FAKE_NVML, "crash");
    EXPECT_EQ(facts.gpus.size(), 1U);
    EXPECT_THAT(facts.unread, ElementsAre(note("NVML", "it crashed: ended by signal 6; the last call was nvml")));
}

TEST(Nvml, WhatTheLibraryPrintsIsNoAnswer) {
    const Machine facts = ask("nvml", GPUADAPT_FAKE_NVML, "noise");
    EXPECT_EQ(facts.gpus.size(), 2U);
    EXPECT_THAT(facts.unread, IsEmpty());
}

TEST(Mxsml, GivesEveryFact) {
    const Machine facts = ask("mxsml", GPUADAPT_FAKE_MXSML);
    EXPECT_THAT(facts.unread, IsEmpty());
    EXPECT_EQ(facts.versions.at("MACA").version, "9.8.1.20");
    EXPECT_EQ(facts.versions.at("driver").version, "9.8.30");
    ASSERT_EQ(facts.gpus.size(), 3U);
    Gpu first;
    first.address = "0000:0e:00.0";
    first.vendor = "metax";
    first.index = 0;
    first.model = "MXC999";
    first.uuid = "GPU-aaaaaaaa-0000-0000-0000-000000000000";
    first.serial = "EXMP0000000042";
    first.vbios = "1.99.0.0";
    first.memory_bytes = std::int64_t{64} << 30;
    first.memory_used_bytes = std::int64_t{826} << 20;
    first.ecc = true;
    first.ecc_corrected = 3;
    first.ecc_uncorrected = 5;
    first.core_mhz = 1125;
    first.core_max_mhz = 1500;
    first.memory_mhz = 1800;
    first.memory_max_mhz = 1800;
    first.throttle_reasons = {"gpu_idle", "low_usage"};
    first.temperature_c = 38.5;
    first.power_w = 61.919;
    first.power_limit_w = 350;
    first.processes = {{100, "trainer", 4096}};
    for (int i = 0; i < 2; ++i) {
        GpuLink link;
        link.index = i;
        link.state = "up";
        link.lanes = 16;
        link.gt_s = 32;
        link.remote = "0000:0f:00.0";
        link.remote_kind = "gpu";
        first.links.push_back(link);
    }
    first.links[1].errors["correctable"] = 7;
    EXPECT_EQ(facts.gpus[0], first);
    EXPECT_THAT(facts.gpus[2].links, IsEmpty()) << "links that are not wired are no links";
}

TEST(Mxsml, AnOldLibraryHasTheOldLinks) {
    const Machine facts = ask("mxsml", GPUADAPT_FAKE_MXSML_OLD);
    ASSERT_EQ(facts.gpus.size(), 3U);
    ASSERT_EQ(facts.gpus[0].links.size(), 1U);
    EXPECT_EQ(facts.gpus[0].links[0].index, 2);
    EXPECT_EQ(facts.gpus[0].links[0].lanes, 8);
    EXPECT_EQ(facts.gpus[0].links[0].state, "up");
}

TEST(Mxsml, FaultsBecomeNotes) {
    EXPECT_THAT(ask("mxsml", GPUADAPT_FAKE_MXSML, "init").unread,
                ElementsAre(note("MXSML", "load library failed (MXSML error 26)")));
    const Machine sysfs = ask("mxsml", GPUADAPT_FAKE_MXSML, "sysfs");
    ASSERT_EQ(sysfs.gpus.size(), 3U);
    EXPECT_FALSE(sysfs.gpus[1].serial || sysfs.gpus[1].memory_bytes || sysfs.gpus[1].power_w);
    EXPECT_TRUE(sysfs.gpus[0].serial && sysfs.gpus[1].uuid);
    EXPECT_THAT(sysfs.unread, ElementsAre(note("MXSML, GPU 0000:0f:00.0", "sysfs error (MXSML error 4)")));
    const Machine address = ask("mxsml", GPUADAPT_FAKE_MXSML, "bad-address");
    EXPECT_EQ(address.gpus.size(), 2U);
    EXPECT_THAT(address.unread, Contains(note("MXSML, GPU 2", "PCI address")));
}

TEST(Mxsml, LinksThatAreSwitchedOffSayWhy) {
    const Machine facts = ask("mxsml", GPUADAPT_FAKE_MXSML, "off");
    ASSERT_EQ(facts.gpus.size(), 3U);
    EXPECT_EQ(facts.gpus[0].links.at(0).state, "switched off");
}

TEST(Mxsml, ManyProcessesAreAllFound) {
    const Machine facts = ask("mxsml", GPUADAPT_FAKE_MXSML, "many");
    ASSERT_EQ(facts.gpus.size(), 3U);
    EXPECT_EQ(facts.gpus[1].processes.size(), 40U);
}

TEST(ManagementChild, TakesOnlyWhatItKnows) {
    const auto ignore = [](std::string_view) {};
    const char* const wrong[] = {"other"};
    EXPECT_NE(run_management_child({}, ignore, ignore), 0);
    EXPECT_NE(run_management_child(wrong, ignore, ignore), 0);
}

TEST(ManagementChild, AProgramThatKnowsNothingOfItIsNoAnswer) {
    const ManagementLibrary& row = *find_management_library("nvml");
    const auto answer_of = [&](const char* program) {
        return management_facts(row, run_command(management_command(row, program))).unread;
    };
    EXPECT_THAT(answer_of("/bin/true"), ElementsAre(note("NVML", "no answer")));
    EXPECT_THAT(answer_of("/bin/false"), ElementsAre(note("NVML", "status 1")));
    EXPECT_THAT(answer_of("/nowhere/program"), ElementsAre(note("NVML", "not installed")));
}

TEST(ManagementFacts, DamagedAnswersKeepTheWholeParts) {
    const ManagementLibrary& row = *find_management_library("nvml");
    CommandResult answer;
    answer.status = CommandStatus::exited;
    answer.output = "\x1e{\"gpus\": [{\"address\": \"0000:01:00.0\", \"vendor\": \"nvidia\"}]}\x1e noise \x1e{\"gpus";
    EXPECT_EQ(management_facts(row, answer).gpus.size(), 1U);
    EXPECT_THAT(management_facts(row, answer).unread, ElementsAre(note("NVML", "no answer")));
    answer.output = "\x1e{\"gpus\": 5}\x1e";
    EXPECT_THAT(management_facts(row, answer).unread, ElementsAre(note("NVML", "no answer")));
    answer.output = "\x1e\x1e";
    EXPECT_THAT(management_facts(row, answer).unread, ElementsAre(note("NVML", "no answer")));
}

}  // namespace
}  // namespace gpuadapt

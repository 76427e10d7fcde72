// SPDX-License-Identifier: Apache-2.0
#include "machines/support/recordings.hpp"

#include <gpuadapt/core/record.hpp>
#include <gpuadapt/host/recording.hpp>
#include <gpuadapt/probe/probe.hpp>
#include <gpuadapt/probe/probes.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class Replay : public testing::TestWithParam<std::string> {
  protected:
    const fs::path folder_ = test::machine_folder(GetParam());
    const Answers answers_ = read_recording(test::recording_of(folder_));

    [[nodiscard]] static Machine probe(const Answers& answers) {
        MemoryRoot root(answers);
        return probe_machine(root);
    }
};

TEST_P(Replay, GivesTheExpectedMachine) {
    const std::string text = to_json(probe(answers_));
    const fs::path golden = folder_ / "machine.json";
    if (std::getenv("GPUADAPT_UPDATE_GOLDEN") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
        std::ofstream(golden, std::ios::binary) << text;
        GTEST_SKIP() << "rewritten: " << golden;
    }
    EXPECT_EQ(text, read_text(golden)) << "look at the difference; GPUADAPT_UPDATE_GOLDEN=1 rewrites " << golden;
}

TEST_P(Replay, SurvivesTheRecordersOwnForm) {
    MemoryRoot machine(answers_);
    RecorderRoot recorder(machine);
    const std::string first = to_json(probe_machine(recorder));
    MemoryRoot replay(unpack_recording(pack_recording(recorder.answers()), "packed"));
    EXPECT_EQ(to_json(probe_machine(replay)), first);
    EXPECT_TRUE(read_machine(first, "json") == probe(answers_));
}

// What cannot be read must never become a value: a field of the poorer machine is absent or as it was.
template <typename T>
void expect_known_only(const std::optional<T>& poorer, const std::optional<T>& whole, const std::string& what) {
    if (poorer) {
        EXPECT_EQ(poorer, whole) << what;
    }
}

void expect_no_invention(const PciDevice& poorer, const PciDevice& whole) {
    const std::string& at = whole.address;
    expect_known_only(poorer.vendor_id, whole.vendor_id, at + " vendor");
    expect_known_only(poorer.device_id, whole.device_id, at + " device");
    expect_known_only(poorer.class_code, whole.class_code, at + " class");
    expect_known_only(poorer.revision, whole.revision, at + " revision");
    expect_known_only(poorer.subsystem_vendor_id, whole.subsystem_vendor_id, at + " subsystem");
    expect_known_only(poorer.port_type, whole.port_type, at + " port type");
    expect_known_only(poorer.link.capable_gt_s, whole.link.capable_gt_s, at + " LnkCap speed");
    expect_known_only(poorer.link.capable_width, whole.link.capable_width, at + " LnkCap width");
    expect_known_only(poorer.link.current_gt_s, whole.link.current_gt_s, at + " LnkSta speed");
    expect_known_only(poorer.link.current_width, whole.link.current_width, at + " LnkSta width");
    expect_known_only(poorer.link.target_gt_s, whole.link.target_gt_s, at + " LnkCtl2");
    expect_known_only(poorer.max_payload_bytes, whole.max_payload_bytes, at + " MaxPayload");
    expect_known_only(poorer.max_payload_capable_bytes, whole.max_payload_capable_bytes, at + " DevCap");
    expect_known_only(poorer.max_read_request_bytes, whole.max_read_request_bytes, at + " MaxReadReq");
    expect_known_only(poorer.acs, whole.acs, at + " ACS");
    expect_known_only(poorer.numa_node, whole.numa_node, at + " NUMA");
    expect_known_only(poorer.driver, whole.driver, at + " driver");
    expect_known_only(poorer.parent, whole.parent, at + " parent");
    expect_known_only(poorer.config_bytes, whole.config_bytes, at + " bytes");
}

TEST_P(Replay, ShortConfigurationSpacesInventNothing) {
    const Machine whole = probe(answers_);
    for (const std::size_t size : {0U, 1U, 63U, 64U, 100U, 128U, 255U, 256U, 300U, 2000U, 4095U}) {
        Answers cut = answers_;
        for (auto& [path, answer] : cut.files)
            if (path.ends_with("/config"))
                answer.text = answer.text.substr(0, size);
        const Machine poorer = probe(cut);
        ASSERT_EQ(poorer.pci_devices.size(), whole.pci_devices.size());
        for (std::size_t i = 0; i < whole.pci_devices.size(); ++i) {
            PciDevice device = poorer.pci_devices[i];
            EXPECT_LE(device.config_bytes.value_or(0), static_cast<int>(size));
            if (size < 4096) {
                EXPECT_FALSE(device.acs) << "with " << size << " bytes";
            }
            if (size <= 64) {
                EXPECT_FALSE(device.max_payload_bytes || device.max_read_request_bytes || device.port_type);
            }
            device.config_bytes.reset();
            expect_no_invention(device, whole.pci_devices[i]);
        }
    }
}

TEST_P(Replay, DeniedFilesAreNamed) {
    Answers denied = answers_;
    for (auto& [path, answer] : denied.files)
        answer = {AnswerStatus::denied, "", "permission denied"};
    const Machine machine = probe(denied);
    EXPECT_FALSE(machine.cpu.model || machine.memory.total_bytes || machine.os.kernel || machine.dmi.product_name);
    EXPECT_THAT(machine.unread, testing::Contains(Unread{"/proc/meminfo", "permission denied"}));
    EXPECT_THAT(machine.unread, testing::Contains(Unread{"/proc/cpuinfo", "permission denied"}));
    EXPECT_TRUE(machine.gpus.empty());
}

TEST_P(Replay, EachProbeStandsAlone) {
    const Machine whole = probe(answers_);
    for (const Probe& row : probes()) {
        MemoryRoot root(answers_);
        const Machine part = probe_machine(root, {std::string(row.id)});
        EXPECT_FALSE(row.title.en.empty() || row.title.zh.empty()) << row.id;
        if (row.id == "gpu") {
            EXPECT_EQ(part.gpus, whole.gpus);
        }
        if (row.id == "os") {
            EXPECT_EQ(part.os, whole.os);
        }
        if (row.id == "versions") {
            EXPECT_EQ(part.versions, whole.versions);
        }
        if (row.id != "cpu") {
            EXPECT_EQ(part.cpu, Cpu{}) << row.id;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, Replay, testing::ValuesIn(test::machine_names()), test::name_of_machine);

TEST(ReplayMachines, AreThere) {
    EXPECT_GE(test::machine_names().size(), 12U);
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/rocm_smi.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RocmSmi, ReadsJson) {
    const std::string text = R"json(WARNING: AMD GPU device(s) is/are in a low-power state.
{"card0": {"Device Name": "Example MX", "Unique ID": "0x1234", "VBIOS version": "113-X00000-001",
           "PCI Bus": "0000:0C:00.0", "Serial Number": "N/A", "Card Series": "Example Instinct",
           "VRAM Total Memory (B)": "206141652992", "VRAM Total Used Memory (B)": "1024",
           "Temperature (Sensor junction) (C)": "39.0", "Current Socket Graphics Package Power (W)": "139.0",
           "Max Graphics Package Power (W)": "750.0"},
 "card1": {"PCI Bus": "none"},
 "system": {"Driver version": "6.99.0"}})json";
    ASSERT_TRUE(looks_like_rocm_smi(text));
    const Machine facts = read_rocm_smi(text);
    Gpu gpu;
    gpu.address = "0000:0c:00.0";
    gpu.vendor = "amd";
    gpu.index = 0;
    gpu.model = "Example Instinct";
    gpu.uuid = "0x1234";
    gpu.vbios = "113-X00000-001";
    gpu.memory_bytes = 206141652992;
    gpu.memory_used_bytes = 1024;
    gpu.temperature_c = 39;
    gpu.power_w = 139;
    gpu.power_limit_w = 750;
    EXPECT_THAT(facts.gpus, ElementsAre(gpu));
    EXPECT_EQ(facts.versions.at("driver").version, "6.99.0");
}

TEST(RocmSmi, OtherTextsGiveNothing) {
    EXPECT_FALSE(looks_like_rocm_smi("ROCm System Management Interface"));
    EXPECT_THAT(read_rocm_smi("{\"card0\": {\"PCI Bus\": [").gpus, IsEmpty());
    EXPECT_THAT(read_rocm_smi("").gpus, IsEmpty());
}

}  // namespace
}  // namespace gpuadapt::ingest

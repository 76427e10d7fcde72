// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/mx_smi.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kHead =
    "mx-smi  version: 9.2.12\n\n=================== MetaX System Management Interface Log "
    "===================\nTimestamp                                         : Mon Jan  5 10:00:00 "
    "2026\n\nAttached GPUs                                     : 1\n";

Gpu at(const std::string& address) {
    Gpu gpu;
    gpu.address = address;
    gpu.vendor = "metax";
    gpu.index = 0;
    gpu.model = "MXC999";
    return gpu;
}

TEST(MxSmi, ReadsBlocksOfSeveralOutputs) {
    const std::string text = kHead + R"(GPU#0  MXC999  0000:37:00.0
    Version
        MACA                                      : 9.8.1.20 
        BIOS                                      : 1.99.0.0 
        KMD                                       : 9.8.30 

    Serial Number
        chip serial                               : TT0000_1 
        board serial                              : EXMP0000000042 

    Chip Temperature
        hotspot(sensor1)                          :  38.50 C
    Board Temperature
        tdiode                                    :  33.37 C

    Board Power
        Way 0                                     :  25.789 W
        Total                                     :  62.015 W
        Limit                                     : 350.000 W

    Clocks
        CSC
            CSC_SMPCLK                            : 457 MHz
        XCORE
            XCORE_CLK                             : 1125 MHz
        MC0
            MC0_DFICLK                            : 1800 MHz

    Memory
        vis_vram total                            : 1 KB
        vram total                                : 67108864 KB
        vram used                                 : 845824 KB
        xtt total                                 : 5 KB

End of Log
)" + kHead + R"(GPU#0  MXC999  0000:37:00.0
    ECC Errors
        SRAM Correctable                          : 1 
        SRAM Uncorrectable                        : 0 
        DRAM Correctable                          : 2 
        DRAM Uncorrectable                        : 5 
    Retired Pages
        Double Bit ECC                            : 7 
    Ecc state
        state                                     : Enable 
    Hardware Info
        Board Part Number                         : 700-X00000 
        Memory Capacity                           : 32GB 
    Xcore Clocks Throttle Reason
        Idle                                      : Active 
        Over Power                                : Not Active 
        Low Usage                                 : Active 
    Pcie Info
        Current Speed                             : 16 GT/s
        Current Width                             : x8 
        Max Speed                                 : 32 GT/s
        Max Width                                 : x16 
GPU#0 show-pcie-slot Sysfs error: No such file or directory
End of Log
)";
    ASSERT_TRUE(looks_like_mx_smi(text));
    const Machine facts = read_mx_smi(text);
    Gpu gpu = at("0000:37:00.0");
    gpu.serial = "EXMP0000000042";
    gpu.part_number = "700-X00000";
    gpu.vbios = "1.99.0.0";
    gpu.memory_bytes = std::int64_t{64} << 30;
    gpu.memory_used_bytes = std::int64_t{826} << 20;
    gpu.ecc = true;
    gpu.ecc_corrected = 3;
    gpu.ecc_uncorrected = 5;
    gpu.core_mhz = 1125;
    gpu.memory_mhz = 1800;
    gpu.throttle_reasons = {"gpu_idle", "low_usage"};
    gpu.temperature_c = 38.5;
    gpu.power_w = 62.015;
    gpu.power_limit_w = 350;
    EXPECT_THAT(facts.gpus, ElementsAre(gpu));
    EXPECT_EQ(facts.versions.at("MACA").version, "9.8.1.20");
    EXPECT_EQ(facts.versions.at("driver").version, "9.8.30");
    ASSERT_EQ(facts.pci_devices.size(), 1U);
    EXPECT_EQ(facts.pci_devices[0].address, "0000:37:00.0");
    EXPECT_EQ(facts.pci_devices[0].link.current_gt_s, 16.0);
    EXPECT_EQ(facts.pci_devices[0].link.current_width, 8);
    EXPECT_EQ(facts.pci_devices[0].link.capable_width, 16);
    EXPECT_THAT(facts.unread,
                ElementsAre(Unread{"mx-smi, GPU#0", "show-pcie-slot Sysfs error: No such file or directory"}));
}

TEST(MxSmi, ReadsTheList) {
    const std::string text =
        "mx-smi  version: 9.2.12\n"
        "GPU#0    MXC999      0000:37:00.0   Available (UUID: GPU-aaaa)\n"
        "  SGPU#3   25% 15.625gb   Available (UUID: GPU-bbbb) slice\n"
        "GPU#1    MXC999      0000:0E:00.0   Not Available(Unreachable)\n";
    ASSERT_TRUE(looks_like_mx_smi(text));
    const Machine facts = read_mx_smi(text);
    ASSERT_EQ(facts.gpus.size(), 2U);
    EXPECT_EQ(facts.gpus[0].address, "0000:0e:00.0");
    EXPECT_EQ(facts.gpus[0].index, 1);
    EXPECT_FALSE(facts.gpus[0].uuid || facts.gpus[0].partitioned);
    EXPECT_EQ(facts.gpus[1].uuid, "GPU-aaaa");
    EXPECT_EQ(facts.gpus[1].partitioned, true);
    EXPECT_THAT(facts.unread, ElementsAre(Unread{"mx-smi, GPU 0000:0e:00.0", "Not Available(Unreachable)"}));
}

TEST(MxSmi, ReadsJson) {
    const std::string text = R"(mx-smi  version: 9.2.12
{
    "smi_version": "9.2.12", "maca_version": "9.8.1.20", "driver_version": "9.8.30", "attached_gpus": 1,
    "0000:37:00.0": {
        "device_id": 4, "vbios_version": "1.99.0.0", "unavailable_reason": "", "hotspot": "38.500",
        "clocks": {"XCORE": 1125, "MC": 1800},
        "board_power": {"voltage": {"Way0": "11.9"}, "power": {"Way0": "25.789", "Way1": "26.652", "Way2": "9.478"}},
        "sgpu_count": 0
    }
})";
    ASSERT_TRUE(looks_like_mx_smi(text));
    const Machine facts = read_mx_smi(text);
    Gpu gpu;
    gpu.address = "0000:37:00.0";
    gpu.vendor = "metax";
    gpu.index = 4;
    gpu.vbios = "1.99.0.0";
    gpu.core_mhz = 1125;
    gpu.memory_mhz = 1800;
    gpu.temperature_c = 38.5;
    gpu.power_w = 61.919;
    EXPECT_THAT(facts.gpus, ElementsAre(gpu));
    EXPECT_EQ(facts.versions.at("MACA").version, "9.8.1.20");
    EXPECT_THAT(facts.unread, IsEmpty());
}

TEST(MxSmi, ReadsTablesOfAllLayouts) {
    const std::string newest = R"(
+---------------------------------------------------------------------------------+
| MX-SMI 9.2.12                      Kernel Mode Driver Version: 9.8.30           |
| MACA Version: 9.8.1.20             BIOS Version: 1.99.0.0                       |
|------------------+-----------------+---------------------+----------------------|
| Board       Name | GPU   Persist-M | Bus-id              | GPU-Util      sGPU-M |
| Pwr:Usage/Cap    | Temp       Perf | Memory-Usage        | GPU-State            |
|==================+=================+=====================+======================|
| 0     MetaX C999 | 5            On | 0000:37:00.0        | 0%           Enabled |
| 61W / 350W       | 38C          P9 | 15155/65536 MiB     | Available            |
+------------------+-----------------+---------------------+----------------------+
+---------------------------------------------------------------------------------+
| Process:                                                                        |
|  GPU                    PID         Process Name                 GPU Memory     |
|                                                                  Usage(MiB)     |
|=================================================================================|
|  5                   967305         python worker                53978          |
+---------------------------------------------------------------------------------+
)";
    ASSERT_TRUE(looks_like_mx_smi(newest));
    const Machine facts = read_mx_smi(newest);
    Gpu gpu = at("0000:37:00.0");
    gpu.index = 5;
    gpu.model = "MetaX C999";
    gpu.vbios = "1.99.0.0";
    gpu.memory_bytes = std::int64_t{64} << 30;
    gpu.memory_used_bytes = std::int64_t{15155} << 20;
    gpu.temperature_c = 38;
    gpu.power_w = 61;
    gpu.power_limit_w = 350;
    gpu.persistence = true;
    gpu.partitioned = true;
    gpu.processes = {{967305, "python worker", std::int64_t{53978} << 20}};
    EXPECT_THAT(facts.gpus, ElementsAre(gpu));
    EXPECT_EQ(facts.versions.at("driver").version, "9.8.30");
    EXPECT_EQ(facts.versions.at("MACA").version, "9.8.1.20");

    const std::string oldest = R"(
| MX-SMI 2.1.6                        Kernel Mode Driver Version: 2.5.014         |
|------------------------------------+---------------------+----------------------+
| 2           MXC999                 | 0000:05:00.0        | 0%                   |
| 51C         71W                    | 60982/65536 MiB     |                      |
+------------------------------------+---------------------+----------------------+
)";
    const Machine old = read_mx_smi(oldest);
    ASSERT_EQ(old.gpus.size(), 1U);
    EXPECT_EQ(old.gpus[0].index, 2);
    EXPECT_EQ(old.gpus[0].model, "MXC999");
    EXPECT_EQ(old.gpus[0].power_w, 71);
    EXPECT_EQ(old.gpus[0].temperature_c, 51);
    EXPECT_FALSE(old.gpus[0].power_limit_w || old.gpus[0].persistence || old.gpus[0].partitioned);
}

TEST(MxSmi, OtherTextsAreNone) {
    EXPECT_FALSE(looks_like_mx_smi(""));
    EXPECT_FALSE(looks_like_mx_smi(kHead + "Device link type matrix\n        GPU0\nGPU0    X\n"));
    EXPECT_FALSE(looks_like_mx_smi("PARSE ERROR: Argument: -q\n   mx-smi  [-hjLrsvy]\n"));
    EXPECT_THAT(read_mx_smi("GPU#").gpus, IsEmpty());
    EXPECT_THAT(read_mx_smi("GPU#99999999999999999999  MXC999  0000:37:00.0\n").gpus.at(0).index, std::nullopt);
    EXPECT_THAT(read_mx_smi("{\"smi_version\": [[[[").gpus, IsEmpty());
    EXPECT_THAT(read_mx_smi(std::string(200000, '[')).gpus, IsEmpty());
    EXPECT_THAT(read_mx_smi("GPU#0  M  0000:37:00.0\n   Memory\n      vram total : 99999999999999999999 KB\n")
                    .gpus.at(0)
                    .memory_bytes,
                std::nullopt);
}

}  // namespace
}  // namespace gpuadapt::ingest

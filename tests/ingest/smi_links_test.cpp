// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/nvidia_smi.hpp>

#include <string>

#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

// One file with the outputs of several options, as they come in mails.
const std::string kNvlink = R"(GPU 0: Example X200 (UUID: GPU-00000000-1111-2222-3333-000000000006)
	 Link 0: 26.562 GB/s
	 Link 1: <inactive>
GPU 1: Example X200 (UUID: GPU-00000000-1111-2222-3333-000000000007)
	 Link 0: 26.562 GB/s
	 Link 64: 26.562 GB/s
GPU 0: Example X200 (UUID: GPU-00000000-1111-2222-3333-000000000006)
	 Link 0: Remote Device FFFFFFFF:FF:FF.0: Link 0
	 Link 2: Remote Device 00000000:07:00.0: Link 3
GPU 1: Example X200 (UUID: GPU-00000000-1111-2222-3333-000000000007)
	 Link 0: 0000000A:08:00.1
GPU 0: Example X200 (UUID: GPU-00000000-1111-2222-3333-000000000006)
	 Link 0: Replay Errors: 2
	 Link 0: Recovery Errors: 0
	 Link 0: CRC Errors: 7
	 Link 0: CRC Errors: many
	 Link 0, P2P is supported: true
)";

TEST(SmiLinks, ReadsRatesEndsAndErrors) {
    ASSERT_TRUE(looks_like_nvidia_smi(kNvlink));
    const Machine facts = read_nvidia_smi(kNvlink);
    ASSERT_EQ(facts.gpus.size(), 2U);
    Gpu gpu;
    gpu.vendor = "nvidia";
    gpu.index = 0;
    gpu.model = "Example X200";
    gpu.uuid = "GPU-00000000-1111-2222-3333-000000000006";
    gpu.links.resize(3);
    gpu.links[0].state = "up";
    gpu.links[0].gbyte_s = 26.562;
    gpu.links[0].remote = "ffffffff:ff:ff.0";
    gpu.links[0].remote_kind = "switch";
    gpu.links[0].errors = {{"crc_flit", 7}, {"replay", 2}};
    gpu.links[1].index = 1;
    gpu.links[1].state = "down";
    gpu.links[2].index = 2;
    gpu.links[2].remote = "0000:07:00.0";
    EXPECT_EQ(facts.gpus[0], gpu) << "a remote end says nothing of the state";
    ASSERT_EQ(facts.gpus[1].links.size(), 1U) << "no GPU has 65 links";
    EXPECT_EQ(facts.gpus[1].links[0].remote, "000a:08:00.1");
}

TEST(SmiLinks, PutsTheLinksToTheGpusOfTheSameText) {
    const std::string blocks = R"(
==============NVSMI LOG==============

Attached GPUs                             : 2
GPU 00000000:06:00.0
    Product Name                          : Example X200
    GPU UUID                              : GPU-00000000-1111-2222-3333-000000000006
GPU 00000000:07:00.0
    Product Name                          : Example X200
    GPU UUID                              : GPU-00000000-1111-2222-3333-000000000007
)";
    const Machine facts = read_nvidia_smi(blocks + kNvlink);
    ASSERT_EQ(facts.gpus.size(), 2U);
    EXPECT_EQ(facts.gpus[0].address, "0000:06:00.0");
    EXPECT_EQ(facts.gpus[0].links.size(), 3U);
    EXPECT_EQ(facts.gpus[1].address, "0000:07:00.0");
    EXPECT_EQ(facts.gpus[1].links.size(), 1U);
}

TEST(SmiLinks, ReadsTheList) {
    const std::string text = "GPU 0: A (x) (UUID: GPU-1)\n  MIG 1g.10gb     Device  0: (UUID: MIG-2)\n";
    ASSERT_TRUE(looks_like_nvidia_smi(text));
    const Machine facts = read_nvidia_smi(text);
    ASSERT_EQ(facts.gpus.size(), 1U) << "a part of a GPU is none";
    EXPECT_EQ(facts.gpus[0].model, "A (x)");
    EXPECT_EQ(facts.gpus[0].uuid, "GPU-1");
    for (const char* other : {"GPU 0: A", "GPU x: A (UUID: GPU-1)", "GPU 0 (UUID: GPU-1)", "GPU 0: (UUID: GPU-1"})
        EXPECT_FALSE(looks_like_nvidia_smi(other)) << other;
}

}  // namespace
}  // namespace gpuadapt::ingest

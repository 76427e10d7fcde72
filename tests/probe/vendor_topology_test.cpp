// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"

#include <gpuadapt/host/memory_root.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

TEST(VendorTopology, TextBecomesAMatrixOrIsNoted) {
    MemoryRoot root;
    Machine machine;
    machine.vendor_topology.resize(2);
    machine.vendor_topology[0].tool = "mx-smi topo -m";
    machine.vendor_topology[0].text = " GPU0 GPU1\nGPU0 X MX\nGPU1 MX X\n";
    machine.vendor_topology[1].tool = "nvidia-smi topo -m";
    machine.vendor_topology[1].text = "No devices were found\n";
    probe_vendor_topology(root, machine);
    EXPECT_THAT(machine.vendor_topology[0].names, testing::ElementsAre("GPU0", "GPU1"));
    EXPECT_EQ(machine.vendor_topology[0].cells[1][0], "MX");
    EXPECT_EQ(machine.vendor_topology[0].text, " GPU0 GPU1\nGPU0 X MX\nGPU1 MX X\n");
    EXPECT_TRUE(machine.vendor_topology[1].names.empty());
    EXPECT_THAT(root.unread(), testing::ElementsAre(Unread{"nvidia-smi topo -m", "no topology matrix in its output"}));
}

}  // namespace
}  // namespace gpuadapt

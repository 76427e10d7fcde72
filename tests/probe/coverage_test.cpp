// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/probe/probes.hpp>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

int count_of_probes() {
    return static_cast<int>(probes().size());
}

/// A probed machine with nothing but what every machine has.
Machine plain() {
    Machine machine;
    machine.os.kernel = "6.1.0";
    machine.cpu.model = "Made CPU";
    machine.memory.total_bytes = 1;
    machine.pci_devices.emplace_back().address = "0000:00:00.0";
    return machine;
}

TEST(ProbeCoverage, OneLineOfTextLeavesTheRestUnknown) {
    Machine machine;
    machine.os.command_line = "quiet iommu=pt";
    machine.sources["os"] = "cmdline.txt";
    EXPECT_EQ(coverage_of(machine), (Coverage{1, count_of_probes() - 1, 0}));
    EXPECT_EQ(coverage_of({}), (Coverage{0, count_of_probes(), 0}));
}

TEST(ProbeCoverage, AWholeMachineHasNotEverything) {
    EXPECT_EQ(coverage_of(plain()), (Coverage{4, 0, count_of_probes() - 4}));
    Machine more = plain();
    more.rdma_devices.emplace_back().name = "mlx5_0";
    more.versions["driver"].version = "1";
    EXPECT_EQ(coverage_of(more), (Coverage{6, 0, count_of_probes() - 6}));
    more.versions["NCCL"].version = "2";  // of the libraries: says nothing of modules
    more.rdma_devices[0].ports.emplace_back().mtu_bytes = 4096;
    more.modules.emplace_back().name = "made";
    EXPECT_EQ(coverage_of(more), (Coverage{8, 0, count_of_probes() - 8}));
}

TEST(ProbeCoverage, WhatCouldNotBeReadIsUnknown) {
    for (const char* path : {"/sys/class/infiniband", "/sys/class/infiniband/mlx5_0/ports", "probe rdma"}) {
        Machine machine = plain();
        machine.unread = {{path, "permission denied"}};
        EXPECT_EQ(coverage_of(machine), (Coverage{4, 2, count_of_probes() - 6})) << path;  // and what needs it
    }
    Machine unrelated = plain();
    unrelated.unread = {{"/sys/class/infiniband_mad", "permission denied"}};
    EXPECT_EQ(coverage_of(unrelated).unknown, 0);
    Machine in_part = plain();
    in_part.unread = {{"/sys/bus/pci/devices/*/config", "only the first 64 bytes can be read"}};
    EXPECT_EQ(coverage_of(in_part), (Coverage{4, 1, count_of_probes() - 4})) << "facts, and what was denied";
    Machine hidden = plain();
    hidden.unread = {{"/sys", "empty: not mounted, or hidden by the container"}};
    EXPECT_GE(coverage_of(hidden).unknown, 6);
    Machine no_pci = plain();
    no_pci.pci_devices.clear();
    EXPECT_GE(coverage_of(no_pci).unknown, 2) << "nobody knows of GPUs then";
}

TEST(ProbeCoverage, AToolThatGaveNoAnswerIsUnknown) {
    Machine with_gpu = plain();
    with_gpu.gpus.emplace_back().vendor = "nvidia";
    const Coverage all = coverage_of(with_gpu);
    EXPECT_EQ(all.unknown, 0);
    const auto unknown = [&](const char* path) {
        Machine machine = with_gpu;
        machine.unread = {{path, "time-out after 30 s"}};
        return coverage_of(machine).unknown;
    };
    EXPECT_EQ(unknown("nvidia-smi topo -m"), 2) << "the matrix, and what it says";
    EXPECT_EQ(unknown("mx-smi -L"), 1) << "facts of the GPUs";
    EXPECT_EQ(unknown("NVML, GPU 3"), 1);
    EXPECT_EQ(unknown("ethtool -i eth0"), 1);
    EXPECT_EQ(unknown("ibv_devinfo -v"), 1);
    EXPECT_EQ(unknown("ethtoolx"), 0);
}

}  // namespace
}  // namespace gpuadapt

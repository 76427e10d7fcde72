// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/topo_matrix.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TopologyMatrix read(const std::string& text) {
    const auto matrix = read_topology_matrix(text);
    EXPECT_TRUE(matrix) << text;
    return matrix.value_or(TopologyMatrix{});
}

TEST(TopoMatrix, NvidiaWithColoursTabsAndAffinities) {
    const TopologyMatrix matrix = read(
        "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\r\n"
        "GPU0\t X \tNV18\tPIX\t0-47,96-143\t0\t\tN/A\r\n"
        "GPU1\tNV18\t X \tSYS\t48-95\t1\t\tN/A\r\n"
        "NIC0\tPIX\tSYS\t X \t\t\t\r\n"
        "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n\nNIC Legend:\n\n"
        "  NIC0: mlx5_0\n  NIC9: mlx5_9\n");
    EXPECT_THAT(matrix.names, ElementsAre("GPU0", "GPU1", "NIC0"));
    EXPECT_THAT(matrix.cells, ElementsAre(ElementsAre("X", "NV18", "PIX"), ElementsAre("NV18", "X", "SYS"),
                                          ElementsAre("PIX", "SYS", "X")));
    EXPECT_THAT(matrix.legend, ElementsAre(std::pair("NIC0", "mlx5_0")));
    EXPECT_EQ(matrix.tool + matrix.text, "");
}

TEST(TopoMatrix, MetaxWithBannerAndAffinitiesTheOtherWayRound) {
    const TopologyMatrix matrix = read(
        "mx-smi  version: 2.2.9\n\n=========== MetaX System Management Interface Log ===========\n"
        "Timestamp                            : Mon Jan  5 10:00:00 2026\n\nAttached GPUs                  : 2\n"
        "Device link type matrix\n"
        "        GPU0    GPU1    Node Affinity  CPU Affinity\n"
        "GPU0    X       MX      0              0-31\n"
        "GPU1    MX      X       0              0-31\n");
    EXPECT_THAT(matrix.cells, ElementsAre(ElementsAre("X", "MX"), ElementsAre("MX", "X")));
}

TEST(TopoMatrix, OneGpu) {
    EXPECT_THAT(read("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-7\t\tN/A\n").cells,
                ElementsAre(ElementsAre("X")));
}

TEST(TopoMatrix, OwnNamesOfDevices) {
    const TopologyMatrix matrix = read("  GPU0 mlx5_0 bnxt_re1 CPU Affinity\nGPU0 X PIX PHB 0-7\nmlx5_0 PIX X SOC\n");
    EXPECT_THAT(matrix.names, ElementsAre("GPU0", "mlx5_0", "bnxt_re1"));
    EXPECT_THAT(matrix.cells, ElementsAre(ElementsAre("X", "PIX", "PHB"), ElementsAre("PIX", "X", "SOC"), IsEmpty()));
}

TEST(TopoMatrix, RocmTakesTheLinkTypes) {
    const std::string weights =
        "WARNING: AMD GPU device(s) is/are in a low-power state.\n"
        "======== Weight between two GPUs ========\n       GPU0   GPU1\nGPU0   0      15\nGPU1   15     0\n";
    const TopologyMatrix matrix =
        read(weights +
             "===== Link Type between two GPUs =====\n       GPU0   GPU1\nGPU0   0      XGMI\nGPU1   XGMI   0\n"
             "====== Numa Nodes ======\nGPU[0]          : (Topology) Numa Node: 0\n");
    EXPECT_THAT(matrix.cells, ElementsAre(ElementsAre("X", "XGMI"), ElementsAre("XGMI", "X")));
    EXPECT_FALSE(read_topology_matrix(weights)) << "a weight is no class of links";
    const std::string hops =
        "===== Hops between two GPUs =====\n       GPU0   GPU1\nGPU0   0      1\nGPU1   1      0\n";
    EXPECT_FALSE(read_topology_matrix(weights + hops));
    EXPECT_FALSE(read_topology_matrix(weights + hops + "===== Link Type between two GPUs =====\n       GPU0   GPU1\n"));
    EXPECT_FALSE(read_topology_matrix(" GPU0 GPU1\nGPU0 0 N/A\nGPU1 3 0\n"));
    EXPECT_FALSE(read_topology_matrix("====== Weight ======\n GPU0\nGPU0 0\n"));
}

TEST(TopoMatrix, MatricesSideBySide) {
    const TopologyMatrix matrix = read(
        "Weight        Link Type\n     GPU0 GPU1          GPU0 GPU1\n"
        "GPU0    0   40     GPU0    0 PCIE\nGPU1   40    0     GPU1 PCIE    0\n");
    EXPECT_THAT(matrix.cells, ElementsAre(ElementsAre("X", "PCIE"), ElementsAre("PCIE", "X")));
}

TEST(TopoMatrix, MarkdownTable) {
    const TopologyMatrix matrix = read(
        "| GPU   | GPU0 | GPU1 | CPU Affinity | GPU NUMA ID |\n|-------|------|------|--------------|-----|\n"
        "| GPU0  | X    | NV6  | 0-71         | 4  |\n| GPU1  | NV6  | X    | 72-143       | 12 |\n");
    EXPECT_THAT(matrix.names, ElementsAre("GPU0", "GPU1"));
    EXPECT_THAT(matrix.cells, ElementsAre(ElementsAre("X", "NV6"), ElementsAre("NV6", "X")));
}

TEST(TopoMatrix, CutAnywhere) {
    const std::string text =
        "\tGPU0\tGPU1\tGPU2\tCPU Affinity\nGPU0\t X \tPIX\tSYS\t0-7\nGPU1\tPIX\t X \tSYS\t0-7\nGPU2\tSYS\tSYS\t X "
        "\t8-15\n";
    const TopologyMatrix whole = read(text);
    for (std::size_t size = 0; size < text.size(); ++size) {
        const auto matrix = read_topology_matrix(text.substr(0, size));
        if (!matrix || matrix->names != whole.names)
            continue;
        for (std::size_t row = 0; row < matrix->cells.size(); ++row)
            for (std::size_t column = 0; column < matrix->cells[row].size(); ++column)
                EXPECT_EQ(matrix->cells[row][column], whole.cells[row][column]) << size;
    }
    EXPECT_THAT(read(text.substr(0, 55)).cells[0], ElementsAre("X", "PIX", "SYS"));
}

TEST(TopoMatrix, WhatIsNone) {
    for (const char* text : {"", "GPU0", "nvidia-smi: command not found\n", "GPU 0: Example (UUID: GPU-1)\n",
                             " GPU0 GPU1\nGPU0 X OK\nGPU1 OK X\n", " GPU0 GPU1\nGPU0 X CNS\nGPU1 CNS X\n",
                             "GPU0 X PIX\nGPU1 PIX X\n", "\x1b[", "GPU0 GPU1\n\x1b[4"})
        EXPECT_FALSE(read_topology_matrix(text)) << text;
}

TEST(TopoMatrix, HugeInputIsBounded) {
    std::string header;
    for (int i = 0; i < 5000; ++i)
        header += " GPU" + std::to_string(i);
    EXPECT_FALSE(read_topology_matrix(header + "\nGPU0 X PIX\n"));
    EXPECT_FALSE(read_topology_matrix(std::string(1 << 20, 'G')));
    std::string many;
    for (int i = 0; i < 5000; ++i)
        many += "GPU0 GPU1\nGPU0 X PIX\n";
    EXPECT_THAT(read(many).names, ElementsAre("GPU0", "GPU1"));
}

}  // namespace
}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/bench/collectives.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/driver/data_type.hpp>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

TEST(Collectives, RowsAreInTheOrderOfTheirKind) {
    for (std::size_t i = 0; i < kCollectives.size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(kCollectives[i].kind), i);
        EXPECT_EQ(&collective(kCollectives[i].kind), &kCollectives[i]);
    }
}

TEST(Collectives, EveryRowIsComplete) {
    for (const Collective& row : kCollectives) {
        EXPECT_EQ(row.perf_name, std::string(row.name) + "_perf");
        EXPECT_FALSE(row.title.en.empty());
        EXPECT_FALSE(row.title.zh.empty());
        EXPECT_EQ(find_collective(row.name), &row);
        EXPECT_EQ(find_collective(row.perf_name), &row);
        EXPECT_EQ(in_place_defined(row.kind), in_place_defined(std::string(row.name)));
    }
    EXPECT_EQ(find_collective("hypercube"), nullptr);
}

TEST(Collectives, BusFactorsAgreeWithTheTableColumns) {
    for (const Collective& row : kCollectives) {
        for (const int ranks : {1, 2, 3, 4, 8, 16, 1000}) {
            EXPECT_DOUBLE_EQ(row.bus_factor(ranks), bus_factor(std::string(row.name), ranks)) << row.name << ranks;
        }
    }
}

struct SizesCase {
    const char* name;
    std::int64_t bytes;
    DataType type;
    int ranks;
    CollectiveSizes sizes;
    std::int64_t algorithm_bytes;
};

// Worked out by hand from nccl-tests' GetCollByteCount and GetBw functions.
const SizesCase kSizesCases[] = {
    {"all_reduce", 1024, DataType::float32, 4, {256, 256, 256, 0, 0}, 1024},
    {"all_reduce", 1025, DataType::float32, 4, {256, 256, 256, 0, 0}, 1024},
    {"broadcast", 7, DataType::int8, 3, {7, 7, 7, 0, 0}, 7},
    {"reduce", 24, DataType::float64, 8, {3, 3, 3, 0, 0}, 24},
    {"sendrecv", 10, DataType::float16, 2, {5, 5, 5, 0, 0}, 10},
    // 256 floats over 4: 64 each, a multiple of 4 floats (16 bytes).
    {"all_gather", 1024, DataType::float32, 4, {64, 256, 64, 64, 0}, 1024},
    // 256 floats over 3: 85, down to 84.
    {"all_gather", 1024, DataType::float32, 3, {84, 252, 84, 84, 0}, 1008},
    {"reduce_scatter", 1024, DataType::float32, 3, {252, 84, 84, 0, 84}, 1008},
    {"alltoall", 1024, DataType::float32, 3, {252, 252, 84, 0, 0}, 1008},
    {"gather", 1024, DataType::float32, 3, {84, 252, 84, 84, 0}, 1008},
    {"scatter", 1024, DataType::float32, 3, {252, 84, 84, 0, 84}, 1008},
    // 1000 int8 over 7: 142, down to 128.
    {"alltoall", 1000, DataType::int8, 7, {896, 896, 128, 0, 0}, 896},
    // 125 doubles over 8: 15, down to 14.
    {"all_gather", 1000, DataType::float64, 8, {14, 112, 14, 14, 0}, 896},
    // 16 bfloat16 over 4: 4, down to 0.
    {"all_gather", 32, DataType::bfloat16, 4, {0, 0, 0, 0, 0}, 0},
    {"scatter", 128, DataType::bfloat16, 4, {64, 16, 16, 0, 16}, 128},
};

TEST(Collectives, SizesAreNcclTests) {
    for (const SizesCase& test : kSizesCases) {
        const Collective& row = *find_collective(test.name);
        const auto size = static_cast<std::int64_t>(data_type_size(test.type));
        const CollectiveSizes sizes = row.sizes(test.bytes / size, size, test.ranks);
        EXPECT_EQ(sizes, test.sizes) << test.name << ' ' << test.bytes << ' ' << test.ranks;
        EXPECT_EQ(row.algorithm_bytes(sizes.count, size, test.ranks), test.algorithm_bytes) << test.name;
    }
}

TEST(Collectives, ExpectationsCoverTheReceiveBufferOnce) {
    for (const Collective& row : kCollectives) {
        for (const int ranks : {1, 2, 3, 5}) {
            const CollectiveSizes sizes = row.sizes(4096, 4, ranks);
            for (int rank = 0; rank < ranks; ++rank) {
                std::int64_t at = 0;
                const std::vector<Segment> segments = row.expectation(sizes, ranks, rank, ranks - 1);
                for (const Segment& segment : segments) {
                    EXPECT_EQ(segment.recv_offset, at) << row.name;
                    at += segment.count;
                    EXPECT_EQ(!segment.source_rank, row.has_redop) << row.name;
                }
                const bool only_root = row.kind == CollectiveKind::reduce || row.kind == CollectiveKind::gather;
                EXPECT_EQ(at, only_root && rank != ranks - 1 ? 0 : sizes.recv_count) << row.name << rank;
            }
        }
    }
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "bench/pattern.hpp"

#include "bench/support/reference_backend.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

constexpr std::int64_t kLength = 3000;

/// The reduction in floating point, in the order of `ranks`, rounded to the type after each step.
std::vector<std::byte> reduce_in_order(const Pattern& pattern, const std::vector<int>& ranks,
                                       std::int64_t length = kLength) {
    const std::size_t size = data_type_size(pattern.type);
    std::vector<std::byte> result;
    for (const int rank : ranks) {
        const std::vector<std::byte> own = source_tile(pattern, rank, length);
        if (result.empty()) {
            result = own;
            continue;
        }
        for (std::size_t at = 0; at < own.size(); at += size) {
            const double a = test::load_element(result.data() + at, pattern.type);
            const double b = test::load_element(own.data() + at, pattern.type);
            const double both = pattern.op == ReduceOp::prod  ? a * b
                                : pattern.op == ReduceOp::min ? std::min(a, b)
                                : pattern.op == ReduceOp::max ? std::max(a, b)
                                                              : a + b;
            test::store_element(result.data() + at, pattern.type, both);
        }
    }
    return result;
}

/// 64-bit integers do not fit a double: the reference for those is the backend's test.
bool fits_double(DataType type) {
    return type != DataType::int64 && type != DataType::uint64;
}

TEST(Pattern, ReductionsAreExactInAnyOrder) {
    for (const DataType type : kDataTypes) {
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min}) {
            for (const int ranks : {1, 2, 3, 8, 50}) {
                if (!fits_double(type)) {
                    continue;
                }
                const Pattern pattern{type, op, ranks, 77};
                std::vector<int> order(static_cast<std::size_t>(ranks));
                std::iota(order.begin(), order.end(), 0);
                const std::vector<std::byte> expected = reduced_tile(pattern, kLength);
                EXPECT_EQ(reduce_in_order(pattern, order), expected) << data_type_name(type) << reduce_op_name(op);
                std::reverse(order.begin(), order.end());
                EXPECT_EQ(reduce_in_order(pattern, order), expected) << data_type_name(type) << reduce_op_name(op);
                std::rotate(order.begin(), order.begin() + ranks / 2, order.end());
                EXPECT_EQ(reduce_in_order(pattern, order), expected) << data_type_name(type) << reduce_op_name(op);
            }
        }
    }
}

TEST(Pattern, AverageIsWithinItsTolerance) {
    for (const DataType type : kDataTypes) {
        for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 12, 64}) {
            if (!fits_double(type)) {
                continue;
            }
            const Pattern pattern{type, ReduceOp::avg, ranks, 5};
            const std::vector<std::byte> expected = reduced_tile(pattern, kLength);
            // By 1/n first, as NCCL does for floating types; integers divide the sum.
            const std::size_t size = data_type_size(type);
            std::vector<std::byte> result(expected.size());
            std::vector<std::byte> reciprocal(size);
            test::store_element(reciprocal.data(), type, 1.0 / ranks);
            const double scale = test::load_element(reciprocal.data(), type);
            std::vector<double> sums(static_cast<std::size_t>(kLength));
            for (int rank = 0; rank < ranks; ++rank) {
                const std::vector<std::byte> own = source_tile(pattern, rank, kLength);
                for (std::size_t i = 0; i < sums.size(); ++i) {
                    const double value = test::load_element(own.data() + i * size, type);
                    std::vector<std::byte> rounded(size);
                    test::store_element(rounded.data(), type, is_floating(type) ? value * scale : value);
                    sums[i] += test::load_element(rounded.data(), type);
                }
            }
            for (std::size_t i = 0; i < sums.size(); ++i) {
                test::store_element(result.data() + i * size, type,
                                    is_floating(type) ? sums[i] : std::trunc(sums[i] / ranks));
            }
            EXPECT_EQ(count_wrong(result, expected, 0, type, tolerance_ulp(pattern)), 0)
                << data_type_name(type) << ' ' << ranks;
        }
    }
}

TEST(Pattern, EveryRankMattersSoon) {
    for (const DataType type : kDataTypes) {
        for (const ReduceOp op : kReduceOps) {
            for (const int ranks : {2, 3, 8, 50}) {
                const Pattern pattern{type, op, ranks, 9};
                const std::vector<std::byte> full = reduced_tile(pattern, ranks);
                for (int missing = 0; missing < ranks; ++missing) {
                    // Without `missing`, in the order of the others.
                    std::vector<int> order;
                    for (int rank = 0; rank < ranks; ++rank) {
                        if (rank != missing) {
                            order.push_back(rank);
                        }
                    }
                    if (!fits_double(type) || op == ReduceOp::avg) {
                        continue;
                    }
                    EXPECT_NE(reduce_in_order(pattern, order, ranks), full)
                        << data_type_name(type) << reduce_op_name(op) << ranks << missing;
                }
            }
        }
    }
}

TEST(Pattern, MovedDataDifferByRankSaltAndPoison) {
    for (const DataType type : kDataTypes) {
        const Pattern pattern{type, std::nullopt, 8, 1};
        Pattern other = pattern;
        other.salt = 2;
        const std::size_t size = data_type_size(type);
        const std::vector<std::byte> poison(size, kPoison);
        const std::vector<std::byte> first = source_tile(pattern, 0, kTileLength);
        const std::vector<std::byte> second = source_tile(pattern, 1, kTileLength);
        EXPECT_EQ(count_wrong(second, first, 0, type, 0), kTileLength);
        EXPECT_GT(count_wrong(source_tile(other, 0, kTileLength), first, 0, type, 0), kTileLength * 9 / 10);
        for (std::size_t at = 0; at < first.size(); at += size) {
            ASSERT_FALSE(std::equal(poison.begin(), poison.end(), first.begin() + static_cast<std::ptrdiff_t>(at)));
        }
    }
}

TEST(Pattern, ReducedDataAreNeverPoison) {
    for (const DataType type : kDataTypes) {
        for (const ReduceOp op : kReduceOps) {
            const std::size_t size = data_type_size(type);
            const std::vector<std::byte> poison(size * kLength, kPoison);
            const Pattern pattern{type, op, 3, 4};
            EXPECT_EQ(count_wrong(poison, reduced_tile(pattern, kLength), 0, type, tolerance_ulp(pattern)), kLength);
        }
    }
}

TEST(Pattern, CountsWrongElementsAcrossTheEndOfTheTile) {
    const Pattern pattern{DataType::int32, std::nullopt, 2, 3};
    const std::vector<std::byte> tile = source_tile(pattern, 0, kTileLength);
    std::vector<std::byte> data;
    const std::int64_t first = kTileLength - 5;
    for (std::int64_t i = 0; i < 2 * kTileLength + 100; ++i) {
        const auto at = static_cast<std::size_t>((first + i) % kTileLength) * 4;
        data.insert(data.end(), tile.begin() + static_cast<std::ptrdiff_t>(at),
                    tile.begin() + static_cast<std::ptrdiff_t>(at) + 4);
    }
    EXPECT_EQ(count_wrong(data, tile, first, DataType::int32, 0), 0);
    for (const std::size_t element : {std::size_t{0}, std::size_t{4}, std::size_t{5}, data.size() / 4 - 1}) {
        data[element * 4 + 1] ^= std::byte{0x10};
    }
    EXPECT_EQ(count_wrong(data, tile, first, DataType::int32, 0), 4);
    EXPECT_EQ(count_wrong({}, tile, first, DataType::int32, 0), 0);
    EXPECT_EQ(count_wrong({}, {}, 0, DataType::int32, 0), 0);
}

TEST(Pattern, ToleranceDoesNotReachOverTheSign) {
    const std::vector<std::byte> positive{std::byte{0}, std::byte{0}};
    const std::vector<std::byte> negative{std::byte{0}, std::byte{0x80}};
    EXPECT_EQ(count_wrong(positive, negative, 0, DataType::float16, 2), 1);
}

}  // namespace
}  // namespace gpuadapt

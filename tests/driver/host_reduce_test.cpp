// SPDX-License-Identifier: Apache-2.0
#include "driver/host_reduce.hpp"

#include <gpuadapt/driver/small_float.hpp>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

float apply(ReduceOp op, float a, float b) {
    switch (op) {
        case ReduceOp::prod:
            return a * b;
        case ReduceOp::max:
            return std::max(a, b);
        case ReduceOp::min:
            return std::min(a, b);
        default:
            return a + b;
    }
}

TEST(HostReduce, SmallFloatsOfEveryLength) {
    for (const DataType type : {DataType::float16, DataType::bfloat16}) {
        const bool half = type == DataType::float16;
        const auto load = half ? half_to_float : bfloat16_to_float;
        const auto store = half ? float_to_half : float_to_bfloat16;
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min}) {
            for (int count = 0; count < 600; count += count < 40 ? 1 : 37) {
                const auto size = static_cast<std::size_t>(count);
                std::vector<std::uint16_t> in(size + 1);
                std::vector<std::uint16_t> both(size + 1);
                std::vector<std::uint16_t> expected(size + 1);
                for (std::size_t i = 0; i <= size; ++i) {
                    in[i] = store(static_cast<float>(i % 13) - 6.5F);
                    both[i] = store(static_cast<float>(i % 7) * 1.25F - 3);
                    expected[i] = i < size ? store(apply(op, load(both[i]), load(in[i]))) : both[i];
                }
                reduce_function(type, op)(in.data(), both.data(), &count, nullptr);
                ASSERT_EQ(both, expected) << data_type_name(type) << reduce_op_name(op) << count;
            }
        }
    }
}

TEST(HostReduce, MpiKnowsTheOthersItself) {
    for (const DataType type : kDataTypes) {
        const bool small = type == DataType::float16 || type == DataType::bfloat16;
        EXPECT_EQ(reduce_function(type, ReduceOp::sum) != nullptr, small);
    }
}

template <class Value>
Value divided(Value value, DataType type, int divisor) {
    divide(reinterpret_cast<std::byte*>(&value), 1, type, divisor);
    return value;
}

TEST(HostReduce, DivisionOfIntegersRoundsTowardsZero) {
    EXPECT_EQ(divided<std::int8_t>(-7, DataType::int8, 2), -3);
    EXPECT_EQ(divided<std::int8_t>(100, DataType::int8, 300), 0);
    EXPECT_EQ(divided<std::uint8_t>(255, DataType::uint8, 2), 127);
    EXPECT_EQ(divided<std::int32_t>(-7, DataType::int32, 3), -2);
    EXPECT_EQ(divided<std::uint32_t>(0xffffffffU, DataType::uint32, 2), 0x7fffffffU);
    EXPECT_EQ(divided<std::int64_t>(-9, DataType::int64, 4), -2);
    EXPECT_EQ(divided<std::uint64_t>(~std::uint64_t{0}, DataType::uint64, 2), ~std::uint64_t{0} / 2);
    EXPECT_EQ(divided<float>(1, DataType::float32, 4), 0.25F);
    EXPECT_EQ(divided<double>(1, DataType::float64, 3), 1.0 / 3);
    EXPECT_EQ(divided<std::uint16_t>(float_to_half(3), DataType::float16, 2), float_to_half(1.5F));
    EXPECT_EQ(divided<std::uint16_t>(float_to_bfloat16(3), DataType::bfloat16, 2), float_to_bfloat16(1.5F));
}

}  // namespace
}  // namespace gpuadapt

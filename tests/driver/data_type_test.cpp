// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/data_type.hpp>
#include <gpuadapt/driver/small_float.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

TEST(DataType, NamesAndSizesAreNcclTests) {
    struct Row {
        const char* name;
        std::size_t size;
        int number;
    };
    const Row rows[] = {{"int8", 1, 0},   {"uint8", 1, 1}, {"int32", 4, 2}, {"uint32", 4, 3}, {"int64", 8, 4},
                        {"uint64", 8, 5}, {"half", 2, 6},  {"float", 4, 7}, {"double", 8, 8}, {"bfloat16", 2, 9}};
    ASSERT_EQ(std::size(rows), kDataTypes.size());
    for (const Row& row : rows) {
        const auto type = parse_data_type(row.name);
        ASSERT_TRUE(type.has_value()) << row.name;
        EXPECT_EQ(static_cast<int>(*type), row.number);
        EXPECT_EQ(data_type_size(*type), row.size);
        EXPECT_EQ(data_type_name(*type), row.name);
        EXPECT_EQ(is_floating(*type), row.number >= 6);
    }
    EXPECT_FALSE(parse_data_type("float16").has_value());
    EXPECT_FALSE(parse_data_type("").has_value());
}

TEST(DataType, OperationsHaveNcclsNumbers) {
    EXPECT_EQ(parse_reduce_op("sum"), ReduceOp::sum);
    for (const ReduceOp op : kReduceOps) {
        EXPECT_EQ(parse_reduce_op(reduce_op_name(op)), op);
    }
    EXPECT_EQ(static_cast<int>(*parse_reduce_op("prod")), 1);
    EXPECT_EQ(static_cast<int>(*parse_reduce_op("max")), 2);
    EXPECT_EQ(static_cast<int>(*parse_reduce_op("min")), 3);
    EXPECT_EQ(static_cast<int>(*parse_reduce_op("avg")), 4);
    EXPECT_FALSE(parse_reduce_op("mulsum").has_value());
}

/// A value with a 1-bit sign, `exponent_bits` and `fraction_bits`, by its definition.
double defined_value(unsigned bits, int exponent_bits, int fraction_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    const unsigned fraction = bits & ((1U << fraction_bits) - 1);
    const double sign = (bits >> (exponent_bits + fraction_bits)) != 0 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1) {
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    }
    return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias - fraction_bits)
                         : sign * std::ldexp(fraction + (1U << fraction_bits), exponent - bias - fraction_bits);
}

TEST(SmallFloat, EveryPatternHasItsDefinedValueAndComesBack) {
    for (unsigned bits = 0; bits <= 0xffff; ++bits) {
        const auto pattern = static_cast<std::uint16_t>(bits);
        const double half = defined_value(bits, 5, 10);
        const double brain = defined_value(bits, 8, 7);
        if (std::isnan(half)) {
            ASSERT_TRUE(std::isnan(half_to_float(pattern)));
            ASSERT_TRUE(std::isnan(half_to_float(float_to_half(half_to_float(pattern)))));
        } else {
            ASSERT_EQ(half_to_float(pattern), static_cast<float>(half)) << bits;
            ASSERT_EQ(std::signbit(half_to_float(pattern)), std::signbit(half));
            ASSERT_EQ(float_to_half(half_to_float(pattern)), pattern);
        }
        if (std::isnan(brain)) {
            ASSERT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(bfloat16_to_float(pattern)))));
        } else {
            ASSERT_EQ(bfloat16_to_float(pattern), static_cast<float>(brain)) << bits;
            ASSERT_EQ(float_to_bfloat16(bfloat16_to_float(pattern)), pattern);
        }
    }
}

/// Between each two neighbours: nearest, and the even one at the middle.
template <class ToFloat, class FromFloat>
void expect_rounding(std::uint16_t last, const ToFloat& to_float, const FromFloat& from_float) {
    for (std::uint16_t low = 0; low < last; ++low) {
        const auto high = static_cast<std::uint16_t>(low + 1);
        const float a = to_float(low);
        const float b = to_float(high);
        const float middle = a + (b - a) / 2;
        ASSERT_EQ(from_float(middle), (low & 1) == 0 ? low : high) << low;
        ASSERT_EQ(from_float(std::nextafter(middle, a)), low);
        ASSERT_EQ(from_float(std::nextafter(middle, b)), high);
        ASSERT_EQ(from_float(-middle), ((low & 1) == 0 ? low : high) | 0x8000);
    }
}

TEST(SmallFloat, RoundsToNearestEven) {
    expect_rounding(0x7bff, half_to_float, float_to_half);
    expect_rounding(0x7f7f, bfloat16_to_float, float_to_bfloat16);
}

TEST(SmallFloat, OverflowIsInfinity) {
    EXPECT_EQ(float_to_half(65519.99F), 0x7bff);
    EXPECT_EQ(float_to_half(65520.0F), 0x7c00);
    EXPECT_EQ(float_to_half(-1e30F), 0xfc00);
    EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7f80);
    EXPECT_EQ(float_to_bfloat16(-std::numeric_limits<float>::infinity()), 0xff80);
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "driver/host_reduce.hpp"

#include <gpuadapt/driver/small_float.hpp>

#include <array>
#include <cassert>
#include <cstring>

namespace gpuadapt {

namespace {

/// Loops of a length known to the compiler become vector code at -O2 as well: long ones for the bulk of a message,
/// short ones for its end and for small messages.
constexpr int kLongBlock = 256;
constexpr int kShortBlock = 16;

struct Half {
    static float load(std::uint16_t bits) { return half_to_float(bits); }
    static std::uint16_t store(float value) { return float_to_half(value); }
};

struct Bfloat {
    static float load(std::uint16_t bits) { return bfloat16_to_float(bits); }
    static std::uint16_t store(float value) { return float_to_bfloat16(value); }
};

struct Sum {
    static float of(float a, float b) { return a + b; }
};
struct Prod {
    static float of(float a, float b) { return a * b; }
};
struct Min {
    static float of(float a, float b) { return b < a ? b : a; }
};
struct Max {
    static float of(float a, float b) { return a < b ? b : a; }
};

template <class Format, class Operation, int Block>
void reduce_block(const std::uint16_t* from, std::uint16_t* to, int count) {
    std::array<std::uint16_t, Block> a{};
    std::array<std::uint16_t, Block> b{};  // copies: the compiler cannot know that the two do not overlap
    const std::size_t bytes = sizeof(std::uint16_t) * static_cast<std::size_t>(count);
    std::memcpy(a.data(), to, bytes);
    std::memcpy(b.data(), from, bytes);
    for (std::size_t i = 0; i < Block; ++i) {
        a[i] = Format::store(Operation::of(Format::load(a[i]), Format::load(b[i])));
    }
    std::memcpy(to, a.data(), bytes);
}

template <class Format, class Operation>
void reduce(void* in, void* in_out, int* count, mpi::Datatype*) {
    const auto* from = static_cast<const std::uint16_t*>(in);
    auto* to = static_cast<std::uint16_t*>(in_out);
    int left = *count;
    for (; left >= kLongBlock; left -= kLongBlock, from += kLongBlock, to += kLongBlock) {
        reduce_block<Format, Operation, kLongBlock>(from, to, kLongBlock);
    }
    for (; left >= kShortBlock; left -= kShortBlock, from += kShortBlock, to += kShortBlock) {
        reduce_block<Format, Operation, kShortBlock>(from, to, kShortBlock);
    }
    if (left > 0) {
        reduce_block<Format, Operation, kShortBlock>(from, to, left);
    }
}

template <class Format>
mpi::UserFunction* function_of(ReduceOp op) {
    switch (op) {
        case ReduceOp::sum:
        case ReduceOp::avg:
            return reduce<Format, Sum>;
        case ReduceOp::prod:
            return reduce<Format, Prod>;
        case ReduceOp::min:
            return reduce<Format, Min>;
        case ReduceOp::max:
            return reduce<Format, Max>;
    }
    return nullptr;
}

template <class Value>
void divide_values(std::byte* data, std::int64_t count, int divisor) {
    auto* values = reinterpret_cast<Value*>(data);
    const auto by = static_cast<Value>(divisor);
    for (std::int64_t i = 0; i < count; ++i) {
        values[i] = static_cast<Value>(values[i] / by);
    }
}

/// 8-bit values are divided as int: a divisor above 127 does not fit their type.
template <class Value>
void divide_bytes(std::byte* data, std::int64_t count, int divisor) {
    auto* values = reinterpret_cast<Value*>(data);
    for (std::int64_t i = 0; i < count; ++i) {
        values[i] = static_cast<Value>(values[i] / divisor);
    }
}

template <class Format>
void divide_small(std::byte* data, std::int64_t count, int divisor) {
    auto* values = reinterpret_cast<std::uint16_t*>(data);
    const auto by = static_cast<float>(divisor);
    for (std::int64_t i = 0; i < count; ++i) {
        values[i] = Format::store(Format::load(values[i]) / by);
    }
}

}  // namespace

mpi::UserFunction* reduce_function(DataType type, ReduceOp op) {
    switch (type) {
        case DataType::float16:
            return function_of<Half>(op);
        case DataType::bfloat16:
            return function_of<Bfloat>(op);
        default:
            return nullptr;
    }
}

void divide(std::byte* data, std::int64_t count, DataType type, int divisor) {
    assert(divisor > 0);
    switch (type) {
        case DataType::int8:
            return divide_bytes<std::int8_t>(data, count, divisor);
        case DataType::uint8:
            return divide_bytes<std::uint8_t>(data, count, divisor);
        case DataType::int32:
            return divide_values<std::int32_t>(data, count, divisor);
        case DataType::uint32:
            return divide_values<std::uint32_t>(data, count, divisor);
        case DataType::int64:
            return divide_values<std::int64_t>(data, count, divisor);
        case DataType::uint64:
            return divide_values<std::uint64_t>(data, count, divisor);
        case DataType::float16:
            return divide_small<Half>(data, count, divisor);
        case DataType::float32:
            return divide_values<float>(data, count, divisor);
        case DataType::float64:
            return divide_values<double>(data, count, divisor);
        case DataType::bfloat16:
            return divide_small<Bfloat>(data, count, divisor);
    }
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/data_type.hpp>

#include <cassert>

namespace gpuadapt {

namespace {

struct TypeRow {
    DataType type;
    std::string_view name;
    std::size_t size;
    bool floating;
};

/// By NCCL's number.
constexpr std::array<TypeRow, 10> kTypeRows{{
    {DataType::int8, "int8", 1, false},
    {DataType::uint8, "uint8", 1, false},
    {DataType::int32, "int32", 4, false},
    {DataType::uint32, "uint32", 4, false},
    {DataType::int64, "int64", 8, false},
    {DataType::uint64, "uint64", 8, false},
    {DataType::float16, "half", 2, true},
    {DataType::float32, "float", 4, true},
    {DataType::float64, "double", 8, true},
    {DataType::bfloat16, "bfloat16", 2, true},
}};

struct OpRow {
    ReduceOp op;
    std::string_view name;
};

/// By NCCL's number.
constexpr std::array<OpRow, 5> kOpRows{{
    {ReduceOp::sum, "sum"},
    {ReduceOp::prod, "prod"},
    {ReduceOp::max, "max"},
    {ReduceOp::min, "min"},
    {ReduceOp::avg, "avg"},
}};

const TypeRow& row(DataType type) {
    const auto index = static_cast<std::size_t>(type);
    assert(index < kTypeRows.size() && kTypeRows[index].type == type);
    return kTypeRows[index];
}

}  // namespace

std::string_view data_type_name(DataType type) {
    return row(type).name;
}

std::optional<DataType> parse_data_type(std::string_view name) {
    for (const TypeRow& candidate : kTypeRows) {
        if (candidate.name == name) {
            return candidate.type;
        }
    }
    return std::nullopt;
}

std::size_t data_type_size(DataType type) {
    return row(type).size;
}

bool is_floating(DataType type) {
    return row(type).floating;
}

std::string_view reduce_op_name(ReduceOp op) {
    const auto index = static_cast<std::size_t>(op);
    assert(index < kOpRows.size() && kOpRows[index].op == op);
    return kOpRows[index].name;
}

std::optional<ReduceOp> parse_reduce_op(std::string_view name) {
    for (const OpRow& candidate : kOpRows) {
        if (candidate.name == name) {
            return candidate.op;
        }
    }
    return std::nullopt;
}

}  // namespace gpuadapt

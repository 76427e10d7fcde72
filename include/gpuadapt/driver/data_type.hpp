// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace gpuadapt {

/// Element types of collectives. The values are NCCL's ncclDataType_t (nccl.h); MCCL has the same up to bfloat16.
enum class DataType {
    int8 = 0,
    uint8 = 1,
    int32 = 2,
    uint32 = 3,
    int64 = 4,
    uint64 = 5,
    float16 = 6,
    float32 = 7,
    float64 = 8,
    bfloat16 = 9,
};

/// Reductions. The values are NCCL's ncclRedOp_t.
enum class ReduceOp { sum = 0, prod = 1, max = 2, min = 3, avg = 4 };

/// In the order in which nccl-tests' `-d all` walks them.
inline constexpr std::array kDataTypes{DataType::int8,    DataType::uint8,   DataType::int32,   DataType::uint32,
                                       DataType::int64,   DataType::uint64,  DataType::float16, DataType::float32,
                                       DataType::float64, DataType::bfloat16};
/// In the order in which nccl-tests' `-o all` walks them.
inline constexpr std::array kReduceOps{ReduceOp::sum, ReduceOp::prod, ReduceOp::max, ReduceOp::min, ReduceOp::avg};

/// nccl-tests' names: int8 uint8 int32 uint32 int64 uint64 half float double bfloat16.
[[nodiscard]] std::string_view data_type_name(DataType type);
/// nullopt for a name that is not in the list above.
[[nodiscard]] std::optional<DataType> parse_data_type(std::string_view name);
/// Bytes of one element.
[[nodiscard]] std::size_t data_type_size(DataType type);
[[nodiscard]] bool is_floating(DataType type);

/// nccl-tests' names: sum prod max min avg.
[[nodiscard]] std::string_view reduce_op_name(ReduceOp op);
[[nodiscard]] std::optional<ReduceOp> parse_reduce_op(std::string_view name);

}  // namespace gpuadapt

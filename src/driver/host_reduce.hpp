// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/mpi_api.hpp"

#include <gpuadapt/driver/data_type.hpp>

#include <cstddef>
#include <cstdint>

namespace gpuadapt {

/// The function for MPI_Op_create that reduces half or bfloat16 by sum, prod, min or max; nullptr for the others, which
/// MPI knows itself.
[[nodiscard]] mpi::UserFunction* reduce_function(DataType type, ReduceOp op);

/// Divides each of `count` elements by `divisor`; integers are rounded towards zero.
void divide(std::byte* data, std::int64_t count, DataType type, int divisor);

}  // namespace gpuadapt

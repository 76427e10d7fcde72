// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

namespace gpuadapt {

/// `facts`, in which a GPU without an address has the one that `known` gives for its UUID, or, where one of the two has
/// no UUID, for its index among the GPUs of its vendor.
[[nodiscard]] Machine with_addresses(Machine facts, const Machine& known);

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <string_view>

namespace gpuadapt::ingest {

/// True for what `rocm-smi ... --json` prints.
[[nodiscard]] bool looks_like_rocm_smi(std::string_view text);

/// Facts of it: `gpus` whose PCI bus it tells (--showbus), ascending by address, and `versions` ("driver"). What the
/// text does not say is absent. Takes any bytes, never throws.
[[nodiscard]] Machine read_rocm_smi(std::string_view text);

}  // namespace gpuadapt::ingest

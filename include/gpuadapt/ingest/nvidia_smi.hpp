// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <string_view>

namespace gpuadapt::ingest {

/// True for what `nvidia-smi -q`, `nvidia-smi -q -x`, plain `nvidia-smi`, `nvidia-smi -L` and `nvidia-smi nvlink` with
/// -s, -R, -p or -e print, also where a GPU is lost.
[[nodiscard]] bool looks_like_nvidia_smi(std::string_view text);

/// Facts of these, of any driver: `gpus` in the order of their addresses (those of -L and nvlink have index and UUID,
/// and an empty address), and `versions` ("driver", "CUDA driver"); `pci_devices` with the links of these GPUs, and
/// nothing else of them; in `unread` the GPUs that do not answer ("ERR!", "GPU is lost", "Unknown Error"). What the
/// text does not say, or says with "N/A", is absent. Takes any bytes, never throws.
[[nodiscard]] Machine read_nvidia_smi(std::string_view text);

}  // namespace gpuadapt::ingest

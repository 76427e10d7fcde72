// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <string_view>
#include <vector>

namespace gpuadapt::ingest {

/// True for a line "GPU 0: NVIDIA H200 (UUID: GPU-...)", which heads each GPU in what read_smi_links() takes.
[[nodiscard]] bool has_smi_list(std::string_view text);

/// `nvidia-smi -L` and `nvidia-smi nvlink` with -s (rates), -R or -p (remote ends) or -e (error counters): these know a
/// GPU by index and UUID, so `address` is empty. A link has what the option asks for: `state` and `gbyte_s` of -s
/// alone, `remote` and `errors` of the others. Takes any bytes.
[[nodiscard]] std::vector<Gpu> read_smi_links(std::string_view text);

}  // namespace gpuadapt::ingest

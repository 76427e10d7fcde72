// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/record.hpp>
#include <gpuadapt/ingest/mx_smi.hpp>
#include <gpuadapt/ingest/nvidia_smi.hpp>
#include <gpuadapt/ingest/rocm_smi.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

/// What nvidia-smi, mx-smi and rocm-smi print; whatever the readers take can be written as JSON.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace gpuadapt;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(ingest::looks_like_mx_smi(text));
    static_cast<void>(ingest::looks_like_nvidia_smi(text));
    static_cast<void>(to_json(ingest::read_mx_smi(text)));
    static_cast<void>(to_json(ingest::read_nvidia_smi(text)));
    static_cast<void>(to_json(ingest::read_rocm_smi(text)));
    return 0;
}

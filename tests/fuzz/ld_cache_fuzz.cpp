// SPDX-License-Identifier: Apache-2.0
#include "probe/ld_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static_cast<void>(gpuadapt::parse_ld_cache({reinterpret_cast<const char*>(data), size}));
    return 0;
}

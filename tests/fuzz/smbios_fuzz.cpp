// SPDX-License-Identifier: Apache-2.0
#include "probe/smbios.hpp"

#include <gpuadapt/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const gpuadapt::Smbios result = gpuadapt::decode_smbios({reinterpret_cast<const char*>(data), size});
    if (result.damage_at && *result.damage_at >= size)
        std::abort();
    for (const auto& dimm : result.dimms)
        if ((dimm.size_bytes && *dimm.size_bytes < 0) || (dimm.locator && !gpuadapt::is_utf8(*dimm.locator)))
            std::abort();
    if (static_cast<std::size_t>(result.dimm_slots) < result.dimms.size())
        std::abort();
    for (const auto& slot : result.board_slots)
        if (slot.designation && !gpuadapt::is_utf8(*slot.designation))
            std::abort();
    return 0;
}

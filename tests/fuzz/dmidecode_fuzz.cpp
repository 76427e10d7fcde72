// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/dmidecode.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace gpuadapt;
    const std::string_view raw(reinterpret_cast<const char*>(data), size);
    const std::string clean = ingest::plain_text(raw);
    for (const std::string_view text : {raw, std::string_view(clean)}) {
        const auto found = ingest::read_dmidecode(text);
        if (!found)
            continue;
        if (found->cut && (found->dimm_slots || found->cpu_sockets))
            std::abort();
        for (const Dimm& dimm : found->dimms)
            if ((dimm.size_bytes && *dimm.size_bytes <= 0) || (dimm.locator && !is_utf8(*dimm.locator)))
                std::abort();
    }
    return 0;
}

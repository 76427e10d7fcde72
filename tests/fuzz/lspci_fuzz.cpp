// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/lspci.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// With and without the cleaning before it, since the reader must take any bytes by itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace gpuadapt;
    const std::string_view raw(reinterpret_cast<const char*>(data), size);
    const std::string clean = ingest::plain_text(raw);
    if (!is_utf8(clean))
        std::abort();
    for (const std::string_view text : {raw, std::string_view(clean)})
        for (const ingest::LspciDevice& found : ingest::read_lspci(text)) {
            const PciDevice& device = found.device;
            if (device.address.size() < 12 || found.config.size() > 4096 || device.config_bytes)
                std::abort();
            for (const PciBar& bar : device.bars)
                if (bar.bytes <= 0 || bar.index < 0 || bar.index > 6)
                    std::abort();
        }
    return 0;
}

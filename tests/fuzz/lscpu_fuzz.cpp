// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/lscpu.hpp>
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
        const auto found = ingest::read_lscpu(text);
        if (found && ((found->cpu.l3_bytes && *found->cpu.l3_bytes < 0) ||
                      (found->cpu.logical_cpus && *found->cpu.logical_cpus < 0)))
            std::abort();
        static_cast<void>(ingest::read_numactl(text));
    }
    return 0;
}

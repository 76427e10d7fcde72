// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_config.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Never a value from behind the end: a longer space may only add to what a shorter one says.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using gpuadapt::PciDevice;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const gpuadapt::PciFunction function : {gpuadapt::PciFunction{}, gpuadapt::PciFunction{false, true}}) {
        const PciDevice whole = gpuadapt::decode_pci_config(bytes, function).device;
        if (size < 4096 && (whole.acs || whole.serial_number || whole.ats || whole.resizable_bar))
            std::abort();
        for (const std::size_t cut : {std::size_t{64}, std::size_t{256}}) {
            const PciDevice part = gpuadapt::decode_pci_config(bytes.substr(0, cut), function).device;
            if (part.acs || part.config_bytes.value_or(0) > static_cast<int>(cut))
                std::abort();
            if (part.link.current_gt_s && part.link.current_gt_s != whole.link.current_gt_s)
                std::abort();
            if (part.max_payload_bytes && part.max_payload_bytes != whole.max_payload_bytes)
                std::abort();
        }
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "probe/pci_device.hpp"

#include <gpuadapt/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// What a shorter reading gives, a longer one gives too.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using gpuadapt::PciVpd;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const PciVpd whole = gpuadapt::parse_vpd(bytes).value_or(PciVpd{});
    static_cast<void>(gpuadapt::vpd_bytes_needed(bytes));
    const PciVpd part = gpuadapt::parse_vpd(bytes.substr(0, size / 2)).value_or(PciVpd{});
    for (const auto field : {&PciVpd::part_number, &PciVpd::serial, &PciVpd::change_level})
        if ((part.*field && part.*field != whole.*field) || (whole.*field && !gpuadapt::is_utf8(*(whole.*field))))
            std::abort();
    return 0;
}

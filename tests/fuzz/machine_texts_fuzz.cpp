// SPDX-License-Identifier: Apache-2.0
#include "probe/cpuinfo.hpp"
#include "probe/memory_info.hpp"
#include "probe/parse.hpp"
#include "probe/pci_device.hpp"
#include "probe/system_texts.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The readers of single /sys and /proc files; all of them, since they take any text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace gpuadapt;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    PciDevice device;
    take_uevent(text, device);
    static_cast<void>(parse_cpuinfo(text));
    static_cast<void>(parse_meminfo(text));
    static_cast<void>(parse_cpu_list(text));
    static_cast<void>(parse_hex(text));
    static_cast<void>(parse_kilobytes(text));
    static_cast<void>(parse_cache_size(text));
    static_cast<void>(parse_choice(text));
    static_cast<void>(last_pci_address(text));
    static_cast<void>(parent_in_path(text));
    static_cast<void>(parse_link_speed(text));
    static_cast<void>(parse_bars(text));
    static_cast<void>(parse_aer_counts(text));
    static_cast<void>(parse_os_release(text));
    static_cast<void>(container_of_cgroup(text));
    static_cast<void>(hypervisor_of_clocks(text));
    static_cast<void>(parse_local_addresses(text));
    static_cast<void>(parse_cuda_version(text));
    static_cast<void>(parse_version_line(text));
    return 0;
}

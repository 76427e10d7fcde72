// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Readers of the texts in /sys/bus/pci/devices/X.
namespace gpuadapt {

/// Class, ids and driver of a device's `uevent` file.
void take_uevent(std::string_view uevent, PciDevice& device);

/// "16.0 GT/s PCIe", on older kernels "8 GT/s"; nullopt for "Unknown" and for a speed that PCI Express does not have.
[[nodiscard]] std::optional<double> parse_link_speed(std::string_view text);

/// "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0": the bridge above, 0000:00:01.0; nullopt on a root bus.
[[nodiscard]] std::optional<std::string> parent_in_path(std::string_view path);

/// `resource`: a line "start end flags" for each region, IORESOURCE_* of linux/ioport.h; only the base address
/// registers and the expansion ROM, and of these the used ones.
[[nodiscard]] std::vector<PciBar> parse_bars(std::string_view text);

/// Counters of one of the files aer_dev_*: lines "RxErr 3", the last one the total.
struct AerCounts {
    std::int64_t total = 0;
    std::map<std::string, std::int64_t> counts;  ///< without the total; what is not zero
};
/// nullopt when there is no line of that form in it.
[[nodiscard]] std::optional<AerCounts> parse_aer_counts(std::string_view text);

/// Vital Product Data from its beginning on (PCI 3.0, appendix I). Where the bytes end, or make no sense, it ends too:
/// what was read whole until then is good. nullopt when that is nothing.
[[nodiscard]] std::optional<PciVpd> parse_vpd(std::string_view bytes);

/// How many bytes parse_vpd() needs to see all that it takes, as far as these first bytes tell.
[[nodiscard]] std::size_t vpd_bytes_needed(std::string_view bytes);

}  // namespace gpuadapt

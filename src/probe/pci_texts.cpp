// SPDX-License-Identifier: Apache-2.0
#include "probe/parse.hpp"
#include "probe/pci_config.hpp"
#include "probe/pci_device.hpp"

#include <gpuadapt/core/text.hpp>

#include <array>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

/// "PCI_ID=10DE:2330"
void take_ids(std::string_view text, std::optional<int>& vendor, std::optional<int>& device) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return;
    const auto first = parse_hex(text.substr(0, colon));
    const auto second = parse_hex(text.substr(colon + 1));
    if (!first || !second || *first > 0xffff || *second > 0xffff)
        return;
    vendor = static_cast<int>(*first);
    device = static_cast<int>(*second);
}

// linux/ioport.h
constexpr std::uint64_t kIo = 0x100;
constexpr std::uint64_t kMemory = 0x200;
constexpr std::uint64_t kPrefetch = 0x2000;
constexpr std::uint64_t kMemory64 = 0x100000;
constexpr std::uint64_t kUnset = 0x20000000;

std::optional<std::string> kind_of(std::uint64_t flags) {
    if ((flags & kIo) != 0)
        return "io";
    if ((flags & kMemory) == 0)
        return std::nullopt;
    return fmt::format("{}{}", (flags & kPrefetch) != 0 ? "prefetchable" : "memory",
                       (flags & kMemory64) != 0 ? 64 : 32);
}

}  // namespace

void take_uevent(std::string_view uevent, PciDevice& device) {
    for (const std::string_view line : split_lines(uevent)) {
        const auto pair = split_pair(line, '=');
        if (!pair)
            continue;
        if (pair->first == "DRIVER" && !pair->second.empty()) {
            device.driver = clean_utf8(pair->second);
        } else if (pair->first == "PCI_CLASS") {
            const auto value = parse_hex(pair->second);
            if (value && *value <= 0xffffff)
                device.class_code = static_cast<int>(*value);
        } else if (pair->first == "PCI_ID") {
            take_ids(pair->second, device.vendor_id, device.device_id);
        } else if (pair->first == "PCI_SUBSYS_ID") {
            take_ids(pair->second, device.subsystem_vendor_id, device.subsystem_device_id);
        }
    }
}

std::optional<double> parse_link_speed(std::string_view text) {
    constexpr std::string_view kUnit = " GT/s";
    const std::size_t unit = text.find(kUnit);
    if (unit == std::string_view::npos)
        return std::nullopt;
    const std::string_view number = text.substr(0, unit);
    for (const int code : {1, 2, 3, 4, 5, 6, 7}) {
        const double speed = *pcie_speed_of_code(code);
        if (number == fmt::format("{}", speed) || number == fmt::format("{:.1f}", speed))
            return speed;
    }
    return std::nullopt;
}

std::optional<std::string> parent_in_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos)
        return std::nullopt;
    const std::string_view above = last_component(path.substr(0, slash));
    return is_pci_address(above) ? std::optional(std::string(above)) : std::nullopt;
}

std::vector<PciBar> parse_bars(std::string_view text) {
    constexpr int kRom = 6;
    constexpr int kLines = 7;  // six registers and the ROM; behind them the windows of bridges, the parts of VFs
    std::vector<PciBar> bars;
    int index = 0;
    for (const std::string_view line : split_lines(text)) {
        if (index == kLines)
            break;
        const auto words = split_words(line);
        if (words.size() != 3)
            return bars;
        std::array<std::uint64_t, 3> numbers{};
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto number = parse_hex64(words[i]);
            if (!number)
                return bars;
            numbers[i] = *number;
        }
        const auto [start, end, flags] = numbers;
        const bool fits = end > start && end - start < std::numeric_limits<std::int64_t>::max();
        // The kernel marks each ROM as prefetchable; its register (PCI 3.0, 6.2.5.2) has no such bit.
        const std::uint64_t kinds = index == kRom ? flags & ~kPrefetch : flags;
        if (flags != 0 && fits)
            bars.push_back({index, static_cast<std::int64_t>(end - start) + 1, kind_of(kinds),
                            start != 0 && (flags & kUnset) == 0});
        ++index;
    }
    return bars;
}

std::optional<AerCounts> parse_aer_counts(std::string_view text) {
    AerCounts result;
    std::optional<std::int64_t> total;
    std::int64_t sum = 0;
    bool any = false;
    for (const std::string_view line : split_lines(text)) {
        const auto words = split_words(line);
        const auto count = words.size() == 2 ? parse_count(words[1]) : std::nullopt;
        if (!count)
            continue;
        any = true;
        if (words[0].starts_with("TOTAL_")) {
            total = count;
        } else if (*count > 0 && *count <= std::numeric_limits<std::int64_t>::max() - sum) {
            sum += *count;
            result.counts[clean_utf8(words[0])] += *count;
        }
    }
    result.total = total.value_or(sum);
    return any ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace gpuadapt

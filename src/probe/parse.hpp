// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/host/root.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Small readers of the forms that /sys and /proc use again and again.
namespace gpuadapt {

[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);

/// Cleaned text in which several blanks are one: "Xeon(R) CPU           E5" comes so from CPUID.
[[nodiscard]] std::string single_blanks(std::string_view text);

/// Hexadecimal with or without "0x", nothing around it; nullopt above 32 bits.
[[nodiscard]] std::optional<std::int64_t> parse_hex(std::string_view text);

/// The same up to 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_hex64(std::string_view text);

/// What stands between blanks and tabs.
[[nodiscard]] std::vector<std::string_view> split_words(std::string_view text);

/// A decimal number that fits an int.
[[nodiscard]] std::optional<int> parse_int(std::string_view text);

/// A decimal number of at least 0.
[[nodiscard]] std::optional<std::int64_t> parse_count(std::string_view text);

/// CPUs of the kernel's list format ("0-3,8"), ascending; nullopt when it is damaged or names one above 65535.
[[nodiscard]] std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// "KEY: VALUE" or "KEY=VALUE" lines: key and value without white space at their ends.
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> split_pair(std::string_view line,
                                                                                      char separator);

/// Bytes of "16384 kB", as /proc/meminfo and a node's meminfo have it; nullopt when it is no such number.
[[nodiscard]] std::optional<std::int64_t> parse_kilobytes(std::string_view text);

/// Bytes of "48K", as the cache folders have it.
[[nodiscard]] std::optional<std::int64_t> parse_cache_size(std::string_view text);

/// The word in brackets of "always [madvise] never".
[[nodiscard]] std::optional<std::string> parse_choice(std::string_view text);

/// "0000:3a:00.0" or, with a 32-bit domain, "10000:3a:00.0".
[[nodiscard]] bool is_pci_address(std::string_view text);

/// The order of PCI addresses: by domain, whose length may differ, then bus, device and function.
[[nodiscard]] bool pci_address_less(std::string_view a, std::string_view b);

/// The last component of a path that is a PCI address: the device that a class device stands for.
[[nodiscard]] std::optional<std::string> last_pci_address(std::string_view path);

[[nodiscard]] std::string_view last_component(std::string_view path);

/// Names like "node0", "node10" in the order of their numbers; others are left out.
[[nodiscard]] std::vector<std::pair<int, std::string>> numbered(const std::vector<std::string>& names,
                                                                std::string_view prefix);

[[nodiscard]] std::optional<int> read_int(Root& root, const std::string& path);

/// `text` after `known` unless it is in it already: "performance", "performance/powersave".
void join_distinct(std::optional<std::string>& known, const std::optional<std::string>& text);

}  // namespace gpuadapt

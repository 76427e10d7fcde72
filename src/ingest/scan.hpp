// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Small readers that the texts of other tools need again and again. Each takes any text.
namespace gpuadapt::ingest {

[[nodiscard]] constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// What stands between white space, at most `most` of it.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line, std::size_t most = SIZE_MAX);

/// A decimal number with nothing around it, from `least` to `most`.
[[nodiscard]] std::optional<int> whole_number(std::string_view text, std::int64_t least, std::int64_t most);

/// Hexadecimal digits without "0x" and with nothing around them; nullopt above `most`.
[[nodiscard]] std::optional<int> hex_number(std::string_view digits, std::int64_t most = INT32_MAX);

/// The decimal number at the start of `text`, not negative; nullopt when there is none or it fits no int.
[[nodiscard]] std::optional<int> scan_int(std::string_view text);

/// The same with a fraction: "16" and "2.5" of "2.5GT/s".
[[nodiscard]] std::optional<double> scan_real(std::string_view text);

/// Equal but for the case of ASCII letters.
[[nodiscard]] bool same_letters(std::string_view a, std::string_view b);

/// What stands behind the first `key` in `text`; empty when it is not there.
[[nodiscard]] std::string_view behind(std::string_view text, std::string_view key);

/// Bytes of "16M", "4K", "256", "8GB", "64 GB", "32 KiB": binary units, as firmware and lspci mean them; nullopt when
/// it is no such number, or one with a fraction. What follows the unit does not matter.
[[nodiscard]] std::optional<std::int64_t> scan_bytes(std::string_view text);

/// Cleaned text in which all white space between words is one blank.
[[nodiscard]] std::string one_blank(std::string_view text);

/// "KEY: VALUE" without white space at the ends of both; nullopt without a ':' or without a key.
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> key_and_value(std::string_view line);

/// What stands between `open` and the next `close`; nullopt when one of them is not there.
[[nodiscard]] std::optional<std::string_view> between(std::string_view line, std::string_view open,
                                                      std::string_view close);

/// "0000:3a:00.0" or, with a 32-bit domain, "10000:3a:00.0".
[[nodiscard]] bool is_pci_address(std::string_view text);

/// Puts `value` at `index` of a list "0,-,1" of `size` entries, all '-' at first.
void put_in_list(std::string& list, std::size_t size, std::size_t index, std::string_view value);

}  // namespace gpuadapt::ingest

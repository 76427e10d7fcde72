// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Small readers for lines of tools' output. Each takes any text.
namespace gpuadapt::ingest {

[[nodiscard]] bool is_hex_digit(char c);

/// A decimal number with nothing around it, from `least` to `most`.
[[nodiscard]] std::optional<int> whole_number(std::string_view text, std::int64_t least, std::int64_t most);

/// Hexadecimal digits without "0x" and with nothing around them; nullopt above `most`.
[[nodiscard]] std::optional<int> hex_number(std::string_view digits, std::int64_t most);

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Small readers that the texts of other tools need again and again.
namespace gpuadapt::ingest {

/// Hexadecimal digits only, at most seven of them.
[[nodiscard]] std::optional<int> scan_hex(std::string_view text);

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

}  // namespace gpuadapt::ingest

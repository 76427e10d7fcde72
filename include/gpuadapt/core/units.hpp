// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuadapt {

/// Bytes from a size as nccl-tests takes it: a whole number with an optional K, M, G or T (either case, powers of
/// 1024; a trailing `B` or `iB` is allowed). nullopt when it is no such number or does not fit 63 bits.
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text);

/// The shortest exact form: 1536 -> "1536", 1048576 -> "1M".
[[nodiscard]] std::string format_size(std::int64_t bytes);

/// As the guide's workbook heads its columns: one unit, rounded to a whole number ("1K", "512M", "2G").
[[nodiscard]] std::string format_size_rounded(std::int64_t bytes);

/// For people: "15.6 GiB", "512 KiB".
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

/// For people: "0.8 s", "4 min 05 s", "2 h 10 min".
[[nodiscard]] std::string format_duration(double seconds);

/// What a PCI Express link carries in one direction, 1e9 bytes a second: rate x width x encoding (8b/10b up to 5 GT/s,
/// 128b/130b up to 32 GT/s, 242 of 256 bytes of a flit above; PCIe base spec 4.2), before packet headers. nullopt for
/// rates that PCI Express does not have.
[[nodiscard]] std::optional<double> pcie_gbyte_s(double gt_s, int width);

/// A whole decimal number with nothing around it; nullopt otherwise or when out of range.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

/// A decimal number in the C locale ("3.5", "1e-3"; also "inf" and "nan"); nullopt unless all of `text` is the number.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

}  // namespace gpuadapt

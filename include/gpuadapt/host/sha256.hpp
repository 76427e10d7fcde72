// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gpuadapt {

/// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// The same of a file, read in pieces. Throws Error(input) naming the file when it cannot be read.
[[nodiscard]] std::string sha256_file(const std::string& path);

}  // namespace gpuadapt

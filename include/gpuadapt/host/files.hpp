// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Files that the user names on the command line. (Files of the machine are read through Root.)
namespace gpuadapt {

inline constexpr std::size_t kInputLimit = std::size_t{1} << 30;

/// The whole file; "-" is stdin. Throws Error(input) that names the file when it is absent, a folder, not readable or
/// larger than `limit`.
[[nodiscard]] std::string read_input_file(const std::string& path, std::size_t limit = kInputLimit);

/// Replaces or makes the file as one step: readers see the old contents or the new, also after a crash. The new
/// contents are written beside it, synced and renamed over it; its mode stays. A link is followed. What is no plain
/// file (a pipe, /dev/null) is written to as it is. "-" is stdout; /dev/stdout, /dev/stderr and /dev/fd/3 are the open
/// files that they name, and what is written goes on where these are.
/// Throws Error that names the path, the cause and the way out: of kind input for a place that cannot be written
/// (absent folder, no permission, read-only), of kind tool for a full disk, a quota or an I/O error. The old contents
/// then are still there, and nothing is left beside it.
void write_output_file(const std::string& path, std::string_view bytes);

/// Finds out early whether write_output_file() can work, before hours of measuring: throws the same Error. Leaves the
/// file as it was.
void check_output_file(const std::string& path);

}  // namespace gpuadapt

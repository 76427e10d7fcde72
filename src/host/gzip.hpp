// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace gpuadapt {

/// What is wrong with a gzip file (RFC 1952): it cannot be unpacked, or its contents do not fit the CRC-32 and the size
/// at its end, which libarchive does not look at. Without that, one wrong bit would be read as another machine, or be
/// blamed on a member. nullopt when it is good or no gzip file, and where that cannot be told: several files one after
/// the other, padding behind the end, more than `limit` bytes inside.
[[nodiscard]] std::optional<Message> gzip_damage(std::string_view bytes, std::size_t limit);

}  // namespace gpuadapt

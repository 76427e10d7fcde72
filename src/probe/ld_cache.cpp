// SPDX-License-Identifier: Apache-2.0
#include "probe/ld_cache.hpp"

#include <gpuadapt/core/text.hpp>

#include <cstdint>
#include <optional>

namespace gpuadapt {

namespace {

// Layout: sysdeps/generic/dl-cache.h of glibc. Offsets count from the magic.
constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kCountAt = 20;
constexpr std::size_t kEntriesAt = 48;
constexpr std::size_t kEntryBytes = 24;
constexpr std::uint32_t kArchitecture = 0xff00;  ///< of an entry's flags; 0: 32 bit

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
        number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return number;
}

std::optional<std::string> text_at(std::string_view bytes, std::size_t at) {
    if (at >= bytes.size())
        return std::nullopt;
    const std::size_t end = bytes.find('\0', at);
    const std::string_view text = bytes.substr(at, end == std::string_view::npos ? 0 : end - at);
    return !text.empty() && is_utf8(text) ? std::optional<std::string>(text) : std::nullopt;
}

}  // namespace

std::map<std::string, std::string> parse_ld_cache(std::string_view bytes) {
    std::map<std::string, std::string> files;
    const std::size_t start = bytes.find(kMagic);
    if (start == std::string_view::npos)
        return files;
    bytes.remove_prefix(start);
    const std::uint32_t count = number_at(bytes, kCountAt);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = kEntriesAt + i * kEntryBytes;
        if (at + kEntryBytes > bytes.size())
            break;
        // Of a second file for a soname, the first counts: the loader's order. Those for special processors are later.
        const auto name = text_at(bytes, number_at(bytes, at + 4));
        const auto path = text_at(bytes, number_at(bytes, at + 8));
        const bool special = number_at(bytes, at + 20) != 0;
        if ((number_at(bytes, at) & kArchitecture) != 0 && !special && name && path && path->front() == '/')
            files.try_emplace(*name, *path);
    }
    return files;
}

}  // namespace gpuadapt

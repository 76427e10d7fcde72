// SPDX-License-Identifier: Apache-2.0
#include "host/gzip.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

namespace gpuadapt {

namespace {

constexpr std::string_view kMagic = "\x1f\x8b\x08";
constexpr std::size_t kTrailer = 8;  // CRC-32 and size modulo 2^32, little-endian

struct ArchiveReadFree {
    void operator()(archive* value) const { archive_read_free(value); }
};

constexpr std::array<std::uint32_t, 256> crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit)
            value = (value & 1) != 0 ? 0xedb88320U ^ value >> 1 : value >> 1;
        table[i] = value;
    }
    return table;
}

/// RFC 1952, 8.
struct Contents {
    std::uint32_t crc = 0xffffffffU;
    std::uint64_t size = 0;

    void add(std::string_view piece) {
        static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
        for (const char c : piece)
            crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ crc >> 8;
        size += piece.size();
    }

    [[nodiscard]] bool fit(std::string_view trailer) const {
        const auto number = [&](std::size_t at) {
            std::uint32_t value = 0;
            for (std::size_t i = 4; i-- > 0;)
                value = value << 8 | static_cast<unsigned char>(trailer[at + i]);
            return value;
        };
        return number(0) == (crc ^ 0xffffffffU) && number(4) == static_cast<std::uint32_t>(size);
    }
};

/// Whether the last bytes need not be the trailer of all that is before them: a second file may begin in the middle, or
/// zeros fill the last block of a tape.
bool may_end_before(std::string_view bytes) {
    const std::string_view end = bytes.substr(bytes.size() - std::min(bytes.size(), kTrailer));
    return bytes.find(kMagic, 1) != std::string_view::npos ||
           std::all_of(end.begin(), end.end(), [](char c) { return c == '\0'; });
}

Message said_by(archive* reader) {
    const char* text = archive_error_string(reader);
    return Message::same(text != nullptr ? text : "gzip");
}

}  // namespace

std::optional<Message> gzip_damage(std::string_view bytes, std::size_t limit) {
    if (!bytes.starts_with(kMagic))
        return std::nullopt;
    const std::unique_ptr<archive, ArchiveReadFree> reader(archive_read_new());
    archive_read_support_format_raw(reader.get());
    archive_read_support_filter_gzip(reader.get());
    archive_entry* entry = nullptr;
    if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK ||
        archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK)
        return said_by(reader.get());
    if (archive_filter_code(reader.get(), 0) != ARCHIVE_FILTER_GZIP)
        return std::nullopt;
    Contents contents;
    std::vector<char> buffer(std::size_t{1} << 16);
    while (true) {
        const la_ssize_t got = archive_read_data(reader.get(), buffer.data(), buffer.size());
        if (got < 0)
            return said_by(reader.get());
        if (got == 0)
            break;
        contents.add({buffer.data(), static_cast<std::size_t>(got)});
        if (contents.size > limit)
            return std::nullopt;
    }
    if (bytes.size() >= kTrailer && contents.fit(bytes.substr(bytes.size() - kTrailer)))
        return std::nullopt;
    if (may_end_before(bytes))
        return std::nullopt;
    return Message{"the checksum at its end does not fit its contents; send it again",
                   "末尾的校验和与内容不符，请重新传送"};
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include "report/xlsx.hpp"

#include <algorithm>
#include <fstream>

namespace gpuadapt::report {
namespace {

std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
}

/// Part of a file; empty when it is not there.
std::string read_part(std::filebuf& file, std::uint64_t from, std::uint64_t size) {
    std::string bytes(size, '\0');
    if (file.pubseekpos(static_cast<std::streamoff>(from)) == std::streampos(-1))
        return {};
    const auto got = file.sgetn(bytes.data(), static_cast<std::streamsize>(size));
    return static_cast<std::uint64_t>(got) == size ? bytes : std::string();
}

}  // namespace

std::optional<std::map<std::string, std::uint64_t>> zip_directory(const std::string& path) {
    // APPNOTE.TXT 4.3.12 and 4.3.16: the end record (22 bytes, no comment from our library) points to the directory.
    constexpr std::uint64_t kEndSize = 22;
    constexpr std::size_t kEntrySize = 46;
    constexpr std::string_view kEndMark = "PK\x05\x06";
    constexpr std::string_view kEntryMark = "PK\x01\x02";
    std::filebuf file;  // reads back what this layer has just written, nothing of the machine
    if (!file.open(path, std::ios::in | std::ios::binary))
        return std::nullopt;
    const auto size = static_cast<std::int64_t>(file.pubseekoff(0, std::ios::end, std::ios::in));
    if (size < static_cast<std::int64_t>(kEndSize))
        return std::nullopt;
    const std::string end = read_part(file, static_cast<std::uint64_t>(size) - kEndSize, kEndSize);
    if (end.size() != kEndSize || std::string_view(end).substr(0, 4) != kEndMark)
        return std::nullopt;
    const std::uint64_t directory_size = little_endian(end, 12, 4);
    const std::uint64_t directory_at = little_endian(end, 16, 4);
    if (directory_at + directory_size > static_cast<std::uint64_t>(size))
        return std::nullopt;
    const std::string directory = read_part(file, directory_at, directory_size);
    std::map<std::string, std::uint64_t> parts;
    for (std::size_t at = 0; at + kEntrySize <= directory.size();) {
        if (std::string_view(directory).substr(at, 4) != kEntryMark)
            return std::nullopt;
        const std::size_t name_size = little_endian(directory, at + 28, 2);
        const std::size_t rest =
            little_endian(directory, at + 30, 2) + std::size_t{little_endian(directory, at + 32, 2)};
        if (at + kEntrySize + name_size > directory.size())
            return std::nullopt;
        parts[directory.substr(at + kEntrySize, name_size)] = little_endian(directory, at + 24, 4);
        at += kEntrySize + name_size + rest;
    }
    return parts;
}

}  // namespace gpuadapt::report

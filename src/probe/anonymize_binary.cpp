// SPDX-License-Identifier: Apache-2.0
#include "probe/anonymize_binary.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace gpuadapt {

namespace {

unsigned byte_at(std::string_view bytes, std::size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

/// Bytes to digits and back, from `at`, in the order of `order`.
template <std::size_t N>
void put_hex(std::string& bytes, std::size_t at, const std::size_t (&order)[N], const Pseudonyms& names) {
    if (at + N > bytes.size())
        return;
    std::string digits;
    for (const std::size_t i : order)
        digits += fmt::format("{:02x}", byte_at(bytes, at + i));
    const std::string other = names.other_hex(digits);
    for (std::size_t i = 0; i < N; ++i)
        bytes[at + order[i]] = static_cast<char>(std::stoi(other.substr(2 * i, 2), nullptr, 16));
}

/// Keywords of a read-only or read-write area: two letters, a length, data.
void replace_keywords(std::string& bytes, std::size_t begin, std::size_t end, const Pseudonyms& names) {
    std::size_t sum_at = 0;
    for (std::size_t at = begin; at + 3 <= end;) {
        const std::string keyword = bytes.substr(at, 2);
        const std::size_t size = byte_at(bytes, at + 2);
        const std::size_t data = at + 3;
        if (data + size > end)
            break;
        if (keyword == "SN" || keyword[0] == 'V' || keyword[0] == 'Y')
            bytes.replace(data, size, names.other_word(bytes.substr(data, size)));
        if (keyword == "RV" && size > 0)
            sum_at = data;
        at = data + size;
    }
    if (sum_at == 0)
        return;
    unsigned sum = 0;
    for (std::size_t at = 0; at < sum_at; ++at)
        sum += byte_at(bytes, at);
    bytes[sum_at] = static_cast<char>((0x100 - sum % 0x100) % 0x100);
}

}  // namespace

std::string anonymize_config(std::string bytes, const Pseudonyms& names) {
    constexpr std::size_t kFirst = 0x100;
    constexpr unsigned kSerialNumber = 0x0003;
    std::size_t at = kFirst;
    for (int left = 512; left > 0 && at >= kFirst && at + 12 <= bytes.size(); --left) {
        if ((byte_at(bytes, at) | byte_at(bytes, at + 1) << 8) == kSerialNumber)
            put_hex(bytes, at + 4, {7, 6, 5, 4, 3, 2, 1, 0}, names);
        at = (byte_at(bytes, at + 2) >> 4 | byte_at(bytes, at + 3) << 4) & 0xffc;
    }
    return bytes;
}

std::string anonymize_vpd(std::string bytes, const Pseudonyms& names) {
    constexpr unsigned kLarge = 0x80;
    constexpr unsigned kReadOnly = 0x90;
    constexpr unsigned kReadWrite = 0x91;
    constexpr unsigned kEnd = 0x78;
    for (std::size_t at = 0; at < bytes.size();) {
        const unsigned tag = byte_at(bytes, at);
        if (tag == kEnd || tag == 0)
            break;
        const bool large = (tag & kLarge) != 0;
        const std::size_t size = large ? byte_at(bytes, at + 1) | byte_at(bytes, at + 2) << 8 : tag & 7U;
        const std::size_t data = at + (large ? 3 : 1);
        if (tag == kReadOnly || tag == kReadWrite)
            replace_keywords(bytes, data, std::min(bytes.size(), data + size), names);
        at = data + size;
    }
    return bytes;
}

std::string anonymize_smbios(std::string bytes, const Pseudonyms& names) {
    constexpr unsigned kSystem = 1;
    constexpr std::size_t kUuid = 8;
    constexpr std::size_t kHeader = 4;
    for (std::size_t at = 0; at + kHeader <= bytes.size();) {
        const std::size_t length = byte_at(bytes, at + 1);
        if (length < kHeader)
            break;
        if (byte_at(bytes, at) == kSystem && length >= kUuid + 16)
            put_hex(bytes, at + kUuid, {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}, names);
        const std::size_t end = bytes.find(std::string("\0\0", 2), at + length);
        if (end == std::string::npos)
            break;
        at = end + 2;
    }
    return bytes;
}

}  // namespace gpuadapt

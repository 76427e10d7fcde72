// SPDX-License-Identifier: Apache-2.0
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace gpuadapt::ingest {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

std::optional<int> scan_hex(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (text.empty() || text.size() > 7 || text[0] == '-' || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::optional<int> scan_int(std::string_view text) {
    int value = 0;
    if (text.empty() || !is_digit(text[0]))
        return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<double> scan_real(std::string_view text) {
    double value = 0;
    if (text.empty() || !is_digit(text[0]))
        return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    return error == std::errc{} ? std::optional(value) : std::nullopt;
}

bool same_letters(std::string_view a, std::string_view b) {
    const auto equal = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

std::string_view behind(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    return at == std::string_view::npos ? std::string_view() : text.substr(at + key.size());
}

std::optional<std::int64_t> scan_bytes(std::string_view text) {
    constexpr std::string_view kUnits = "KMGTPE";
    const auto number = scan_int(text);
    if (!number)
        return std::nullopt;
    text = trim(text.substr(std::min(text.find_first_not_of("0123456789"), text.size())));
    if (text.starts_with('.'))  // "1.5M" is neither 1 byte nor 1 MiB
        return std::nullopt;
    const std::size_t unit = text.empty()
                                 ? std::string_view::npos
                                 : kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text[0]))));
    std::int64_t bytes = *number;
    if (unit == std::string_view::npos)
        return bytes;
    for (std::size_t i = 0; i <= unit; ++i) {
        if (bytes > INT64_MAX / 1024)
            return std::nullopt;
        bytes *= 1024;
    }
    return bytes;
}

std::string one_blank(std::string_view text) {
    std::string result = clean_utf8(trim(text));
    const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
    result.erase(std::unique(result.begin(), result.end(), both_blank), result.end());
    return result;
}

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace gpuadapt::ingest {

std::vector<std::string_view> words_of(std::string_view line, std::size_t most) {
    constexpr std::string_view kBlanks = " \t\r\n\v\f";
    std::vector<std::string_view> words;
    std::size_t at = line.find_first_not_of(kBlanks);
    while (at != std::string_view::npos && words.size() < most) {
        const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(kBlanks, end);
    }
    return words;
}

std::optional<int> whole_number(std::string_view text, std::int64_t least, std::int64_t most) {
    const auto value = parse_integer(text);
    return value && *value >= least && *value <= most ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<int> hex_number(std::string_view digits, std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() || value < 0 || value > most)
        return std::nullopt;
    return static_cast<int>(value);
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

std::optional<std::pair<std::string_view, std::string_view>> key_and_value(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    const std::string_view key = trim(line.substr(0, colon));
    if (key.empty())
        return std::nullopt;
    return std::pair{key, trim(line.substr(colon + 1))};
}

std::optional<std::string_view> between(std::string_view line, std::string_view open, std::string_view close) {
    const std::size_t start = line.find(open);
    if (start == std::string_view::npos)
        return std::nullopt;
    line.remove_prefix(start + open.size());
    const std::size_t end = line.find(close);
    return end == std::string_view::npos ? std::nullopt : std::optional(line.substr(0, end));
}

bool is_pci_address(std::string_view text) {
    constexpr std::string_view kForm = "xxxx:xx:xx.d";
    constexpr std::size_t kMoreDigits = 4;  // of the domain
    if (text.size() < kForm.size() || text.size() > kForm.size() + kMoreDigits)
        return false;
    for (; text.size() > kForm.size(); text.remove_prefix(1))
        if (!is_hex_digit(text[0]))
            return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool fits = kForm[i] == 'x'   ? is_hex_digit(text[i])
                          : kForm[i] == 'd' ? text[i] >= '0' && text[i] <= '7'
                                            : text[i] == kForm[i];
        if (!fits)
            return false;
    }
    return true;
}

void put_in_list(std::string& list, std::size_t size, std::size_t index, std::string_view value) {
    std::vector<std::string> entries(size, "-");
    std::string_view rest = list;
    for (std::size_t i = 0; i < size && !rest.empty(); ++i) {
        const std::size_t comma = rest.find(',');
        entries[i] = rest.substr(0, comma);
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    if (index < size)
        entries[index] = value;
    list.clear();
    for (const std::string& entry : entries)
        list += (list.empty() ? "" : ",") + entry;
}

}  // namespace gpuadapt::ingest

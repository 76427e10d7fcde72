// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_line.hpp"

#include "ingest/scan.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace gpuadapt::ingest {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr int kLargestPower = 10'000;  ///< far outside of what a number can have, but for zero
constexpr char kEscape = '\x1b';

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

std::string_view left_trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    return text;
}

/// Length of the escape sequence that begins at `at`.
std::size_t escape_length(std::string_view line, std::size_t at) {
    if (at + 1 >= line.size())
        return 1;
    std::size_t end = at + 2;
    if (line[at + 1] == '[') {  // CSI: parameters, then one byte from '@' to '~'
        while (end < line.size() && (line[end] < '@' || line[end] > '~'))
            ++end;
        return end < line.size() ? end + 1 - at : line.size() - at;
    }
    if (line[at + 1] == ']') {  // OSC: up to BEL or ESC '\'
        while (end < line.size() && line[end] != '\a' && line[end] != kEscape)
            ++end;
        if (end < line.size() && line[end] == kEscape)
            ++end;
        return end < line.size() ? end + 1 - at : line.size() - at;
    }
    return 2;
}

/// "10:12:00" or "10:12:00.123456"
bool is_clock(std::string_view word) {
    return word.size() >= 8 && is_digit(word[0]) && is_digit(word[1]) && word[2] == ':' && is_digit(word[3]) &&
           is_digit(word[4]) && word[5] == ':' && is_digit(word[6]) && is_digit(word[7]);
}

bool one_of(std::string_view word, std::string_view list) {
    return word.size() == 3 && list.find(word) != std::string_view::npos;
}

std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" \t"));
}

std::string_view after_word(std::string_view text) {
    const std::size_t end = text.find_first_of(" \t");
    return end == std::string_view::npos ? std::string_view{} : left_trimmed(text.substr(end));
}

/// "Sun Nov 30 10:12:00 2025" (Open MPI), "Nov 30 10:12:00 host unit[9]: " (syslog), "2025-11-30T10:12:00Z ".
std::string_view without_time(std::string_view text) {
    constexpr std::string_view kDays = "Mon Tue Wed Thu Fri Sat Sun";
    constexpr std::string_view kMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    constexpr std::size_t kCtimeLength = 24;
    const std::string_view first = first_word(text);
    if (one_of(first, kDays) && text.size() >= kCtimeLength && one_of(text.substr(4, 3), kMonths) &&
        is_clock(text.substr(11, 8)))
        return text.substr(kCtimeLength);
    if (one_of(first, kMonths)) {
        const std::string_view day = after_word(text);
        const std::string_view clock = after_word(day);
        const std::string_view tag = after_word(after_word(clock));
        const std::string_view name = first_word(tag);
        if (is_clock(first_word(clock)) && !name.empty() && name.back() == ':')
            return after_word(tag);
    }
    if (first.size() >= 19 && is_digit(first[0]) && first[4] == '-' && first[7] == '-' && first[10] == 'T' &&
        is_clock(first.substr(11)))
        return after_word(text);
    return text;
}

/// "[1,0]<stdout>:", "[0] ", "[pod/a/b] ", "[prterun-h-1@1,0]<stdout>: ", "(head, rank=0, pid=1) "
std::string_view without_group(std::string_view text) {
    constexpr std::size_t kLongest = 160;
    const char close = text.front() == '[' ? ']' : ')';
    const std::size_t end = text.find(close);
    if (end > kLongest || end < 2)
        return text;
    const std::string_view inside = text.substr(1, end - 1);
    if (close == ']' ? inside.find(' ') != std::string_view::npos : inside.find("pid=") == std::string_view::npos)
        return text;
    text.remove_prefix(end + 1);
    for (const std::string_view stream : {"<stdout>", "<stderr>"})
        if (text.substr(0, stream.size()) == stream)
            text.remove_prefix(stream.size());
    if (!text.empty() && text.front() == ':')
        text.remove_prefix(1);
    return text;
}

std::string_view without_one_prefix(std::string_view text) {
    if (text.front() == '[' || text.front() == '(')
        return without_group(text);
    if (text.front() == '>' && text.size() > 1 && is_blank(text[1]))
        return text.substr(2);
    const std::size_t digits = text.find_first_not_of(kDigits);
    if (digits != std::string_view::npos && digits > 0 && digits <= 6 && text[digits] == ':' &&
        digits + 1 < text.size() && is_blank(text[digits + 1]))
        return text.substr(digits + 2);
    return without_time(text);
}

}  // namespace

std::string clean_line(std::string_view line) {
    std::string clean;
    clean.reserve(line.size());
    for (std::size_t i = 0; i < line.size();) {
        if (line[i] == kEscape) {
            i += escape_length(line, i);
            continue;
        }
        const auto byte = static_cast<unsigned char>(line[i]);
        clean.push_back(byte < 0x20 || byte == 0x7f ? ' ' : line[i]);
        ++i;
    }
    return clean;
}

std::string_view without_prefix(std::string_view line) {
    constexpr int kLayers = 4;
    std::string_view text = left_trimmed(line);
    for (int layer = 0; layer < kLayers && !text.empty() && text.front() != '#'; ++layer) {
        const std::string_view shorter = left_trimmed(without_one_prefix(text));
        if (shorter.size() == text.size())
            break;
        text = shorter;
    }
    return text;
}

void split_words(std::string_view line, std::vector<std::string_view>& words) {
    words.clear();
    std::size_t i = 0;
    while (i < line.size()) {
        while (i < line.size() && is_blank(line[i]))
            ++i;
        std::size_t end = i;
        while (end < line.size() && !is_blank(line[end]))
            ++end;
        if (end > i)
            words.push_back(line.substr(i, end - i));
        i = end;
    }
}

std::optional<Printed> printed_number(std::string_view word, int power) {
    if (word.empty() || (!is_digit(word.front()) && word.front() != '-'))
        return std::nullopt;
    std::optional<double> value = parse_real(word);
    if (!value || !std::isfinite(*value))
        return std::nullopt;
    const std::size_t exponent_at = word.find_first_of("eE");
    const std::string_view mantissa = word.substr(0, exponent_at);
    if (exponent_at != std::string_view::npos) {
        std::string_view exponent = word.substr(exponent_at + 1);
        if (!exponent.empty() && exponent.front() == '+')
            exponent.remove_prefix(1);
        int own = 0;
        std::from_chars(exponent.data(), exponent.data() + exponent.size(), own);
        power += std::clamp(own, -kLargestPower, kLargestPower);
    }
    if (word.size() != mantissa.size() || power != 0)
        value = parse_real(fmt::format("{}e{}", mantissa, power));
    if (!value || !std::isfinite(*value))
        return std::nullopt;
    const std::size_t point = mantissa.find('.');
    const int decimals = point == std::string_view::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
    const int last_digit = power - decimals;
    static constexpr std::array<double, 4> kHalfUnits = {0.5, 0.05, 0.005, 0.0005};
    const bool usual = last_digit <= 0 && last_digit > -static_cast<int>(kHalfUnits.size());
    return Printed{*value,
                   usual ? kHalfUnits[static_cast<std::size_t>(-last_digit)] : 0.5 * std::pow(10.0, last_digit)};
}

std::optional<std::int64_t> printed_integer(std::string_view word) {
    constexpr std::size_t kLongest = 32;
    if (word.find('_') == std::string_view::npos)
        return parse_integer(word);
    if (word.size() > kLongest || word.front() == '_' || word.back() == '_')
        return std::nullopt;
    std::string digits;
    for (const char c : word)
        if (c != '_')
            digits.push_back(c);
    return parse_integer(digits);
}

std::optional<int> type_bytes(std::string_view name) {
    struct Type {
        std::string_view name;
        int bytes;
    };
    static constexpr std::array<Type, 18> kTypes = {{{"int8", 1},
                                                     {"char", 1},
                                                     {"uint8", 1},
                                                     {"int32", 4},
                                                     {"int", 4},
                                                     {"uint32", 4},
                                                     {"int64", 8},
                                                     {"uint64", 8},
                                                     {"half", 2},
                                                     {"float16", 2},
                                                     {"float", 4},
                                                     {"double", 8},
                                                     {"bfloat16", 2},
                                                     {"bf16", 2},
                                                     {"f8e4m3", 1},
                                                     {"f8e5m2", 1},
                                                     {"fp8_e4m3", 1},
                                                     {"fp8_e5m2", 1}}};
    for (const Type& type : kTypes)
        if (type.name == name)
            return type.bytes;
    return std::nullopt;
}

bool is_redop(std::string_view word) {
    for (const std::string_view name : {"sum", "prod", "max", "min", "avg", "mulsum", "none"})
        if (word == name)
            return true;
    return false;
}

bool is_library_line(std::string_view line) {
    for (const std::string_view library : {"NCCL ", "MCCL "})
        for (std::size_t at = line.find(library); at != std::string_view::npos; at = line.find(library, at + 1)) {
            const std::string_view level = line.substr(at + library.size(), 5);
            if (level.substr(0, 4) == "INFO" || level.substr(0, 4) == "WARN" || level == "TRACE")
                return true;
        }
    return false;
}

}  // namespace gpuadapt::ingest

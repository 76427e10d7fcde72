// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace gpuadapt {
namespace {

struct Decoded {
    std::uint32_t code_point = 0;
    std::size_t length = 0;  ///< 0: not well-formed here
};

std::uint32_t byte_at(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

/// One code point by the table of well-formed sequences (Unicode 15, table 3-7).
Decoded decode(std::string_view text, std::size_t i) {
    const std::uint32_t lead = byte_at(text, i);
    if (lead < 0x80)
        return {lead, 1};
    std::size_t length = 0;
    std::uint32_t value = 0;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
        value = lead & 0x1FU;
    } else if ((lead & 0xF0U) == 0xE0U) {
        length = 3;
        value = lead & 0x0FU;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        value = lead & 0x07U;
    } else {
        return {};
    }
    if (i + length > text.size())
        return {};
    for (std::size_t k = 1; k < length; ++k) {
        const std::uint32_t next = byte_at(text, i + k);
        if ((next & 0xC0U) != 0x80U)
            return {};
        value = (value << 6U) | (next & 0x3FU);
    }
    constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
    if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return {};
    return {value, length};
}

struct Range {
    std::uint32_t first, last;
};

// Wide and Fullwidth blocks of EastAsianWidth.txt, and the combining blocks, in the coarse form that a terminal uses.
constexpr Range kWide[] = {{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0xA4CF}, {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},
                           {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x3FFFD}};
constexpr Range kCombining[] = {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_control(std::uint32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);  // C0, DEL, C1
}

template <std::size_t size>
bool is_in(std::uint32_t code_point, const Range (&ranges)[size]) {
    return std::any_of(std::begin(ranges), std::end(ranges), [code_point](const Range& range) {
        return code_point >= range.first && code_point <= range.last;
    });
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size();) {
        const Decoded d = decode(text, i);
        if (d.length == 0) {
            ++width;
            ++i;
            continue;
        }
        if (d.code_point >= 0x20 && !is_in(d.code_point, kCombining))
            width += is_in(d.code_point, kWide) ? 2 : 1;
        i += d.length;
    }
    return width;
}

std::string pad(std::string_view text, std::size_t width, bool left) {
    const std::size_t used = display_width(text);
    const std::string blanks(used < width ? width - used : 0, ' ');
    return left ? std::string(text) + blanks : blanks + std::string(text);
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const Decoded d = decode(text, i);
        if (d.length == 0)
            return false;
        i += d.length;
    }
    return true;
}

std::string clean_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Decoded d = decode(text, i);
        if (d.length == 0) {
            out += kReplacement;
            ++i;
            continue;
        }
        if (is_control(d.code_point))
            out += ' ';
        else if (d.code_point == 0xFFFE || d.code_point == 0xFFFF)
            out += kReplacement;  // no characters, and what makes a file of XML 1.0 unreadable (section 2.2)
        else
            out += text.substr(i, d.length);
        i += d.length;
    }
    return out;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n\f\v";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace gpuadapt

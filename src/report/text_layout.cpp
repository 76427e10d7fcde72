// SPDX-License-Identifier: Apache-2.0
#include "report/text_layout.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

constexpr std::size_t kNarrowest = 40;

/// Bytes of the code point at `at`; 1 for a byte that begins none.
std::size_t code_point_length(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return std::min(length, text.size() - at);
}

/// Chinese breaks between any two characters, but not before closing nor behind opening punctuation.
bool may_break(std::string_view before, std::string_view point) {
    constexpr std::string_view kClosing = "，。：；、！？）》」】”’…";
    constexpr std::string_view kOpening = "（《「【“‘";
    return point == " " || (point.size() > 1 && kClosing.find(point) == std::string_view::npos &&
                            kOpening.find(before) == std::string_view::npos);
}

/// How much of `text` fits `width` columns, in bytes; at least one code point.
std::size_t fitting(std::string_view text, std::size_t width) {
    std::size_t end = 0;
    std::size_t columns = 0;
    std::size_t last_break = 0;
    std::string_view before;
    while (end < text.size()) {
        const std::string_view point = text.substr(end, code_point_length(text, end));
        const std::size_t wide = display_width(point);
        if (end > 0 && may_break(before, point))
            last_break = end;
        if (columns + wide > width)
            return last_break > 0 ? last_break : std::max(end, point.size());
        columns += wide;
        end += point.size();
        before = point;
    }
    return end;
}

}  // namespace

std::string to_ascii(std::string_view text) {
    struct Replacement {
        std::string_view from, to;
    };
    static constexpr std::array<Replacement, 14> kReplacements = {{{"├", "|"},
                                                                   {"└", "`"},
                                                                   {"│", "|"},
                                                                   {"─", "-"},
                                                                   {"×", "x"},
                                                                   {"…", "..."},
                                                                   {"—", "-"},
                                                                   {"–", "-"},
                                                                   {"≥", ">="},
                                                                   {"≤", "<="},
                                                                   {"µ", "u"},
                                                                   {"“", "\""},
                                                                   {"”", "\""},
                                                                   {"•", "-"}}};
    std::string ascii;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = code_point_length(text, i);
        const std::string_view point = text.substr(i, length);
        i += length;
        if (static_cast<unsigned char>(point[0]) < 0x80) {
            ascii += point;
            continue;
        }
        const auto known = std::find_if(kReplacements.begin(), kReplacements.end(),
                                        [point](const Replacement& entry) { return entry.from == point; });
        ascii += known == kReplacements.end() ? std::string_view("?") : known->to;
    }
    return ascii;
}

std::vector<std::string> broken(std::string_view text, std::size_t first, std::size_t width) {
    std::vector<std::string> pieces;
    std::size_t room = std::max<std::size_t>(first, 1);
    while (!text.empty()) {
        const std::size_t size = fitting(text, room);
        std::string_view piece = text.substr(0, size);
        text.remove_prefix(size);
        while (!text.empty() && text.front() == ' ')
            text.remove_prefix(1);
        while (!piece.empty() && piece.back() == ' ')
            piece.remove_suffix(1);
        pieces.emplace_back(piece);
        room = std::max<std::size_t>(width, 1);
    }
    if (pieces.empty())
        pieces.emplace_back();
    return pieces;
}

TextLayout::TextLayout(const TextStyle& style) : style_(style), width_(std::max(style.width, kNarrowest)) {
    if (!style_.unicode)
        style_.lang = Lang::en;
}

std::string TextLayout::say(const Message& message) const {
    return style_.unicode ? message.get(style_.lang) : to_ascii(message.en);
}

std::string TextLayout::coloured(const std::string& text, std::string_view code) const {
    return style_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

void TextLayout::line(std::string_view text, std::size_t indent, std::size_t hanging) {
    std::size_t begin = 0;
    while (begin <= text.size()) {
        std::size_t end = text.find('\n', begin);
        if (end == std::string_view::npos)
            end = text.size();
        std::string own = clean_utf8(text.substr(begin, end - begin));
        if (!style_.unicode)
            own = to_ascii(own);
        const std::size_t rest = width_ - std::min(width_ - 1, indent + hanging);
        std::size_t at = indent;
        for (const std::string& piece : broken(own, width_ - std::min(width_ - 1, indent), rest)) {
            text_ += std::string(at, ' ') + piece + '\n';
            at = indent + hanging;
        }
        begin = end + 1;
    }
}

void TextLayout::heading(const std::string& text) {
    text_ += coloured(text, "1") + '\n';
}

void TextLayout::field(const std::string& label, const std::string& value, std::size_t label_width) {
    const std::size_t room = width_ > label_width + 4 ? width_ - label_width - 2 : width_;
    std::string head = pad(label, label_width) + "  ";
    std::size_t begin = 0;
    while (begin <= value.size()) {
        std::size_t end = value.find('\n', begin);
        if (end == std::string::npos)
            end = value.size();
        std::string own = clean_utf8(std::string_view(value).substr(begin, end - begin));
        if (!style_.unicode)
            own = to_ascii(own);
        for (const std::string& piece : broken(own, room, room)) {
            text_ += head + piece + '\n';
            head.assign(label_width + 2, ' ');
        }
        begin = end + 1;
    }
}

void TextLayout::table(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths.resize(std::max(widths.size(), i + 1));
            widths[i] = std::max(widths[i], display_width(row[i]));
        }
    for (const auto& row : rows) {
        std::string own;
        std::size_t used = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::size_t gap = i == 0 ? 0 : 2;
            if (i > 0 && used + gap + widths[i] > width_) {  // folds below
                own += '\n' + std::string(4, ' ');
                used = 4;
            } else {
                own += std::string(gap, ' ');
                used += gap;
            }
            own += pad(row[i], widths[i], i >= right.size() || !right[i]);
            used += widths[i];
        }
        std::size_t begin = 0;
        while (begin <= own.size()) {
            std::size_t end = own.find('\n', begin);
            if (end == std::string::npos)
                end = own.size();
            std::string piece = own.substr(begin, end - begin);
            while (!piece.empty() && piece.back() == ' ')
                piece.pop_back();
            line(piece, 0, 4);
            begin = end + 1;
        }
    }
}

}  // namespace gpuadapt::report

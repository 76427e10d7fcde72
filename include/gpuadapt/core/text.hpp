// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gpuadapt {

/// The languages users read. JSON keys and ids are English in both.
enum class Lang { en, zh };

/// A fixed text of a table row (check, command, sheet, column, option) in both languages.
struct Text {
    std::string_view en;
    std::string_view zh;
    [[nodiscard]] constexpr std::string_view get(Lang lang) const { return lang == Lang::zh ? zh : en; }
};

/// The same for texts that are put together at run time. Both languages are always filled.
struct Message {
    std::string en;
    std::string zh;

    Message() = default;
    Message(std::string english, std::string chinese) : en(std::move(english)), zh(std::move(chinese)) {}
    explicit Message(const Text& text) : en(text.en), zh(text.zh) {}
    /// A text that is the same in both languages: a path, a register, a command.
    static Message same(const std::string& text) { return {text, text}; }

    [[nodiscard]] const std::string& get(Lang lang) const { return lang == Lang::zh ? zh : en; }
    [[nodiscard]] bool empty() const { return en.empty() && zh.empty(); }
    bool operator==(const Message&) const = default;
};

/// Terminal columns that `text` takes: East Asian wide characters count two, combining marks none. Invalid UTF-8
/// counts one column a byte.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// `text` filled with blanks on the right (`left` = false: on the left) to `width` terminal columns.
[[nodiscard]] std::string pad(std::string_view text, std::size_t width, bool left = true);

/// True when `text` is well-formed UTF-8 (RFC 3629).
[[nodiscard]] bool is_utf8(std::string_view text);

/// `text` with each byte that is not well-formed UTF-8, each control character, and U+FFFE and U+FFFF, which XML cannot
/// hold, replaced by U+FFFD or a blank: strings from firmware and other tools' output pass through here before they
/// reach a Record.
[[nodiscard]] std::string clean_utf8(std::string_view text);

/// Without leading and trailing white space.
[[nodiscard]] std::string_view trim(std::string_view text);

}  // namespace gpuadapt

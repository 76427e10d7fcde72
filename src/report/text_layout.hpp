// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/report/text.hpp>

#include <string>
#include <string_view>
#include <vector>

/// Lines for a terminal of a given width, language and character set.
namespace gpuadapt::report {

class TextLayout {
  public:
    explicit TextLayout(const TextStyle& style);

    [[nodiscard]] std::size_t width() const { return width_; }
    /// The message in the style's language, ASCII where the style asks for it.
    [[nodiscard]] std::string say(const Message& message) const;
    [[nodiscard]] std::string say(const Text& text) const { return say(Message(text)); }

    /// A line, broken at blanks (in Chinese anywhere) so that no piece is wider than the terminal; further pieces are
    /// indented by `hanging`. Line ends in `text` are kept.
    void line(std::string_view text, std::size_t indent = 0, std::size_t hanging = 2);
    /// A label column of `label_width`, and the value broken beside it.
    void field(const std::string& label, const std::string& value, std::size_t label_width);
    /// Columns as wide as their cells; numbers to the right. Too wide: the last columns go below, indented.
    void table(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right);
    void heading(const std::string& text);
    void gap() { text_ += '\n'; }
    /// `text` in an ANSI colour where the style has colours.
    [[nodiscard]] std::string coloured(const std::string& text, std::string_view code) const;

    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    TextStyle style_;
    std::size_t width_;
    std::string text_;
};

/// Pieces of `text` that are at most `width` columns wide, the first of them at most `first`.
[[nodiscard]] std::vector<std::string> broken(std::string_view text, std::size_t first, std::size_t width);

/// Code points above ASCII as what a reader without them can use: box drawing as + - |, x for the times sign, ? else.
[[nodiscard]] std::string to_ascii(std::string_view text);

}  // namespace gpuadapt::report

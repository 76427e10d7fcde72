// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/facts.hpp"
#include "report/xlsx.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace gpuadapt::report {

/// Writes row after row; a Text is taken in the sheet's language.
class Lines {
  public:
    Lines(XlsxSheet& sheet, Lang lang) : sheet_(sheet), lang_(lang) {}

    void title(const Text& text) {
        CellStyle style;
        style.bold = true;
        sheet_.text(row_++, 0, text.get(lang_), style);
    }
    void title(const std::string& text) {
        CellStyle style;
        style.bold = true;
        sheet_.text(row_++, 0, text, style);
    }
    void head(std::initializer_list<Text> texts) { head(std::span(texts.begin(), texts.size())); }
    void head(std::span<const Text> texts) {
        CellStyle style;
        style.bold = true;
        style.border = true;
        std::uint16_t column = 0;
        for (const Text& text : texts)
            sheet_.text(row_, column++, text.get(lang_), style);
        ++row_;
    }
    void values(const std::vector<std::string>& texts) {
        CellStyle style;
        style.border = true;
        std::uint16_t column = 0;
        for (const std::string& text : texts)
            sheet_.text(row_, column++, text, style);
        ++row_;
    }
    /// `marked` cells are bold.
    void marked(const std::vector<std::string>& texts, const std::vector<bool>& marked) {
        CellStyle style;
        style.border = true;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            style.bold = i < marked.size() && marked[i];
            sheet_.text(row_, static_cast<std::uint16_t>(i), texts[i], style);
        }
        ++row_;
    }
    void line(const Message& text) { sheet_.text(row_++, 0, text.get(lang_), {}); }
    void gap() { ++row_; }
    [[nodiscard]] std::string unread() const { return not_read().get(lang_); }
    [[nodiscard]] Lang lang() const { return lang_; }
    [[nodiscard]] bool full() const { return row_ + 64 > kSheetRows; }

    template <class T>
    [[nodiscard]] std::string or_unread(const std::optional<T>& value) const {
        return value ? fmt::format("{}", *value) : unread();
    }

  private:
    XlsxSheet& sheet_;
    Lang lang_;
    std::uint32_t row_ = 0;
};

/// Tree, matrix, uplinks, paths of the GPUs, and the vendor's matrix beside ours (topology_links_sheet.cpp).
void write_links(Lines& lines, const Machine& machine);

}  // namespace gpuadapt::report

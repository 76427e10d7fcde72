// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct lxw_workbook;
struct lxw_worksheet;

/// libxlsxwriter as this program needs it: rows go to disk as they are written, texts stay texts, and a full disk is an
/// error and not a damaged file.
namespace gpuadapt::report {

inline constexpr std::uint32_t kSheetRows = 1'048'576;
inline constexpr std::uint16_t kSheetColumns = 16'384;

enum class Align { none, left, right };

/// How a cell looks. Fonts and borders are the guide's: Arial without a size in column A, thin black lines.
struct CellStyle {
    Align align = Align::left;
    bool arial = false;
    bool border = false;
    bool two_decimals = false;
    bool wrap = false;
    bool bold = false;
    /// All of it as one number, to find a style again.
    [[nodiscard]] unsigned key() const {
        return static_cast<unsigned>(align) | (arial ? 4U : 0U) | (border ? 8U : 0U) | (two_decimals ? 16U : 0U) |
               (wrap ? 32U : 0U) | (bold ? 64U : 0U);
    }
};

/// monostate: an empty cell, which still has the style of its neighbours. Texts are views: what they show must live
/// until the cell is written.
using SheetCell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

/// The guide's: whole numbers right, others right with two decimals, texts and empty cells left.
[[nodiscard]] CellStyle style_of(const SheetCell& cell);

class XlsxFile;

/// Rows must be written in ascending order, and the cells of a row too; what has been passed, or has no place in the
/// format, is left out. Numbers stand in the file as the shortest text that reads back as the same value.
class XlsxSheet {
  public:
    /// Cuts at the format's limit of 32,767 characters; invalid UTF-8 and control characters are replaced.
    void text(std::uint32_t row, std::uint16_t column, std::string_view value, const CellStyle& style);
    /// Writes "N/A" when `value` is not finite.
    void number(std::uint32_t row, std::uint16_t column, double value, const CellStyle& style);
    void blank(std::uint32_t row, std::uint16_t column, const CellStyle& style);
    /// Any of these, in the guide's style.
    void cell(std::uint32_t row, std::uint16_t column, const SheetCell& value);
    /// A whole row from column A in the guide's style.
    void cells(std::uint32_t row, std::span<const SheetCell> values);
    /// `characters` as the file says it (openpyxl's and the guide's number), not as the library counts pixels.
    void width(std::uint16_t column, double characters);

  private:
    friend class XlsxFile;
    XlsxSheet(XlsxFile& file, lxw_worksheet* sheet) : file_(&file), sheet_(sheet) {}
    [[nodiscard]] bool open_cell(std::uint32_t row, std::uint16_t column, const CellStyle& style);
    template <class T>
    void value(std::uint32_t row, std::uint16_t column, T value, const CellStyle& style);
    void end_row();

    XlsxFile* file_;
    lxw_worksheet* sheet_;
    std::string xml_;        ///< of the row at hand; empty when none is begun
    std::uint32_t row_ = 0;  ///< its number, or the first that can be begun
    std::uint32_t next_column_ = 0;
};

class XlsxFile {
  public:
    /// `created` is the document's creation date (UTC, "2026-11-30T12:00:00Z"); anything else gives a fixed one.
    /// Throws Error(tool) naming `path` when it cannot be written.
    XlsxFile(const std::string& path, const std::string& title, const std::string& created);
    ~XlsxFile();
    XlsxFile(const XlsxFile&) = delete;
    XlsxFile& operator=(const XlsxFile&) = delete;

    XlsxSheet& add_sheet(const std::string& name);
    /// Throws Error(tool) when rows could not be written to the temporary files so far; `flush` writes out what is
    /// still in memory.
    void check(bool flush = false) const;
    /// Puts the file in its place. Throws Error(tool) and leaves nothing when that fails.
    void finish();

  private:
    friend class XlsxSheet;
    /// The number by which cells name it.
    [[nodiscard]] int style(const CellStyle& style);
    void remove_unfinished() noexcept;
    [[noreturn]] void fail(const std::string& why_en, const std::string& why_zh) const;

    std::string path_;     ///< what the user named
    std::string target_;   ///< where that leads (links resolved)
    std::string written_;  ///< what the library writes: beside the target, or the target itself where it is a device
    std::string folder_;   ///< of the temporary files
    lxw_workbook* book_ = nullptr;
    std::vector<std::unique_ptr<XlsxSheet>> sheets_;
    std::map<unsigned, int> styles_;  ///< by CellStyle::key()
};

/// The text as a cell can hold it: valid UTF-8 without control characters but line ends, at most 32,767 UTF-16 units.
[[nodiscard]] std::string cell_text_of(std::string_view text);

/// Uncompressed sizes of the parts of a ZIP archive, by name, from its central directory; nullopt when there is none.
[[nodiscard]] std::optional<std::map<std::string, std::uint64_t>> zip_directory(const std::string& path);

}  // namespace gpuadapt::report

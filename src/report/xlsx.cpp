// SPDX-License-Identifier: Apache-2.0
#include "report/xlsx.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/text.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>
#include <xlsxwriter.h>

namespace gpuadapt::report {
namespace {

namespace fs = std::filesystem;

/// Seconds since 1970 of "2026-11-30T12:00:00Z"; 1980-01-01, the first day a ZIP archive knows, for anything else.
/// (0 would make the library take the time of day.)
std::time_t creation_time(const std::string& text) {
    constexpr std::time_t kFixed = 315532800;
    std::tm parts{};
    const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    const std::time_t seconds = end && *end == '\0' ? timegm(&parts) : 0;
    return seconds > 0 ? seconds : kFixed;
}

std::string folder_of(const std::string& file) {
    const std::string folder = fs::path(file).parent_path().string();
    return folder.empty() ? "." : folder;
}

/// Temporary rows go where the user says, else beside the output: /tmp is often small or in memory.
std::string temporary_folder(const std::string& output) {
    const char* named = std::getenv("TMPDIR");
    return named && *named ? named : folder_of(output);
}

std::uint64_t written_bytes(const lxw_worksheet* sheet) {
    const long position = sheet->optimize_tmpfile ? std::ftell(sheet->optimize_tmpfile) : 0;
    return position > 0 ? static_cast<std::uint64_t>(position) : 0;
}

/// Keeps from the terminal what the library itself prints when it fails ("[ERROR] workbook_close(): ..."): our error
/// says it. In glibc stderr is a variable that a program may set (manual, "Standard Streams").
class Hushed {
  public:
    Hushed() : sink_(fmemopen(text_.data(), text_.size(), "w")), shown_(stderr) {
        if (sink_)
            stderr = sink_;
    }
    ~Hushed() {
        stderr = shown_;
        if (sink_)
            static_cast<void>(std::fclose(sink_));
    }
    Hushed(const Hushed&) = delete;
    Hushed& operator=(const Hushed&) = delete;

  private:
    std::array<char, 4096> text_{};
    std::FILE* sink_;
    std::FILE* shown_;
};

/// The shortest decimal number that reads back as the same value.
template <class T>
void append_number(std::string& text, T value) {
    std::array<char, 32> digits{};
    const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text.append(digits.data(), done.ptr);
}

/// Writes the file and frees the book; what went wrong, for the library and for the system.
std::pair<lxw_error, int> close_book(lxw_workbook* book) {
    const Hushed library;
    errno = 0;
    const lxw_error error = workbook_close(book);
    return {error, errno};
}

std::string escaped(const std::string& text) {
    std::string xml;
    xml.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                xml += "&amp;";
                break;
            case '<':
                xml += "&lt;";
                break;
            case '>':
                xml += "&gt;";
                break;
            default:
                xml += c;
        }
    }
    return xml;
}

}  // namespace

std::string cell_text_of(std::string_view text) {
    constexpr std::size_t kMostUnits = 32767;
    std::string result;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        std::size_t end = text.find('\n', begin);
        if (end == std::string_view::npos)
            end = text.size();
        if (begin > 0)
            result += '\n';
        result += clean_utf8(text.substr(begin, end - begin));
        begin = end + 1;
    }
    std::size_t units = 0;
    std::size_t cut = 0;  // where the last unit stands that leaves room for the mark
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto byte = static_cast<unsigned char>(result[i]);
        if ((byte & 0xC0U) == 0x80U)
            continue;  // inside a code point
        if (units <= kMostUnits - 1)
            cut = i;
        units += byte >= 0xF0U ? 2 : 1;
    }
    if (units <= kMostUnits)
        return result;
    return result.substr(0, cut) + "…";
}

/// Opens the element of a cell, all but its end; false where the format has no such cell, or it has been passed.
/// The library would keep a row of cells and print numbers with sixteen digits, which makes 9.949999999999999 of 9.95.
/// So it gets the rows as they must stand in the file (ECMA-376 part 1, 18.3.1.73), and is told how far they reach.
bool XlsxSheet::open_cell(std::uint32_t row, std::uint16_t column, const CellStyle& style) {
    const bool passed = row < row_ || (row == row_ && !xml_.empty() && column < next_column_);
    if (row >= kSheetRows || column >= kSheetColumns || passed)
        return false;
    if (row != row_)
        end_row();
    if (xml_.empty()) {
        row_ = row;
        xml_ = "<row r=\"" + std::to_string(row + 1) + "\">";
    }
    next_column_ = column + 1U;
    sheet_->dim_rowmin = std::min<lxw_row_t>(sheet_->dim_rowmin, row);
    sheet_->dim_rowmax = std::max<lxw_row_t>(sheet_->dim_rowmax, row);
    sheet_->dim_colmin = std::min<lxw_col_t>(sheet_->dim_colmin, column);
    sheet_->dim_colmax = std::max<lxw_col_t>(sheet_->dim_colmax, column);
    char name[LXW_MAX_COL_NAME_LENGTH] = {};
    lxw_col_to_name(name, column, LXW_FALSE);
    xml_.append("<c r=\"").append(name);
    append_number(xml_, row + 1);
    xml_ += "\" s=\"";
    append_number(xml_, file_->style(style));
    xml_ += '"';
    return true;
}

void XlsxSheet::end_row() {
    if (xml_.empty())
        return;
    xml_ += "</row>";
    std::fwrite(xml_.data(), 1, xml_.size(), sheet_->optimize_tmpfile);  // XlsxFile::check sees a failure
    xml_.clear();
    ++row_;
}

void XlsxSheet::text(std::uint32_t row, std::uint16_t column, std::string_view value, const CellStyle& style) {
    const std::string clean = cell_text_of(value);
    if (!open_cell(row, column, style))
        return;
    if (clean.empty()) {
        xml_ += "/>";
        return;
    }
    xml_ += " t=\"inlineStr\"><is><t";
    if (trim(clean).size() != clean.size())
        xml_ += " xml:space=\"preserve\"";
    xml_.append(">").append(escaped(clean)).append("</t></is></c>");
}

template <class T>
void XlsxSheet::value(std::uint32_t row, std::uint16_t column, T value, const CellStyle& style) {
    if (!open_cell(row, column, style))
        return;
    xml_ += "><v>";
    append_number(xml_, value);
    xml_ += "</v></c>";
}

void XlsxSheet::number(std::uint32_t row, std::uint16_t column, double value, const CellStyle& style) {
    if (std::isfinite(value)) {
        this->value(row, column, value, style);
        return;
    }
    CellStyle plain = style;
    plain.align = Align::left;
    plain.two_decimals = false;
    text(row, column, "N/A", plain);
}

void XlsxSheet::blank(std::uint32_t row, std::uint16_t column, const CellStyle& style) {
    if (open_cell(row, column, style))
        xml_ += "/>";
}

CellStyle style_of(const SheetCell& cell) {
    CellStyle style;
    if (std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell))
        style.align = Align::right;
    style.two_decimals = std::holds_alternative<double>(cell);
    return style;
}

void XlsxSheet::cell(std::uint32_t row, std::uint16_t column, const SheetCell& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        this->value(row, column, *whole, style_of(value));
    else if (const auto* real = std::get_if<double>(&value))
        number(row, column, *real, style_of(value));
    else if (const auto* words = std::get_if<std::string_view>(&value))
        text(row, column, *words, style_of(value));
    else
        blank(row, column, style_of(value));
}

void XlsxSheet::cells(std::uint32_t row, std::span<const SheetCell> values) {
    std::uint16_t column = 0;
    for (const SheetCell& value : values)
        cell(row, column++, value);
}

void XlsxSheet::width(std::uint16_t column, double characters) {
    // The library turns the width a person sees into the file's by adding 5 pixels at 7 pixels a character.
    constexpr double kPixels = 7;
    constexpr double kPadding = 5;
    worksheet_set_column(sheet_, column, column, (characters * kPixels - kPadding) / kPixels, nullptr);
}

XlsxFile::XlsxFile(const std::string& path, const std::string& title, const std::string& created) : path_(path) {
    std::error_code ignored;
    target_ = fs::weakly_canonical(path, ignored).string();
    if (target_.empty())
        target_ = path;
    const fs::file_status status = fs::status(target_, ignored);
    const bool device = fs::exists(status) && !fs::is_regular_file(status);
    written_ = device ? target_ : fmt::format("{}.{}.part", target_, getpid());
    folder_ = temporary_folder(written_);
    std::filebuf probe;  // tells before an hour of measuring whether the file can be written
    errno = 0;
    if (fs::is_directory(status) || !probe.open(written_, std::ios::out | std::ios::binary))
        fail(std::strerror(fs::is_directory(status) ? EISDIR : errno),
             std::strerror(fs::is_directory(status) ? EISDIR : errno));
    probe.close();
    remove_unfinished();  // who is interrupted before the end leaves nothing behind

    lxw_workbook_options options{};
    options.constant_memory = LXW_TRUE;
    options.tmpdir = folder_.data();
    book_ = workbook_new_opt(written_.c_str(), &options);
    if (!book_) {
        remove_unfinished();
        fail("out of memory", "内存不足");
    }
    std::string name = title;
    std::string program = "gpuadapt";
    lxw_doc_properties properties{};
    properties.title = name.data();
    properties.author = program.data();
    properties.created = creation_time(created);
    workbook_set_properties(book_, &properties);
}

XlsxFile::~XlsxFile() {
    if (book_)
        lxw_workbook_free(book_);
    remove_unfinished();
}

void XlsxFile::remove_unfinished() noexcept {
    std::error_code ignored;
    if (!written_.empty() && written_ != target_)
        fs::remove(written_, ignored);
}

void XlsxFile::fail(const std::string& why_en, const std::string& why_zh) const {
    throw tool_error(Message{fmt::format("{}: the workbook cannot be written: {}", path_, why_en),
                             fmt::format("{}：无法写入表格：{}", path_, why_zh)});
}

int XlsxFile::style(const CellStyle& style) {
    const auto known = styles_.find(style.key());
    if (known != styles_.end())
        return known->second;
    lxw_format* format = workbook_add_format(book_);
    if (!format)
        fail("out of memory", "内存不足");
    if (style.align != Align::none)
        format_set_align(format, style.align == Align::left ? LXW_ALIGN_LEFT : LXW_ALIGN_RIGHT);
    if (style.wrap) {
        format_set_text_wrap(format);
        format_set_align(format, LXW_ALIGN_VERTICAL_CENTER);
    }
    if (style.two_decimals)
        format_set_num_format_index(format, 2);  // built in: 0.00
    if (style.bold)
        format_set_bold(format);
    if (style.border) {
        format_set_border(format, LXW_BORDER_THIN);
        format_set_border_color(format, LXW_COLOR_BLACK);
    }
    if (style.arial) {
        format_set_font_name(format, "Arial");
        format->font_size = 0;  // the guide's font names no size, and neither does this one
    }
    return styles_[style.key()] = lxw_format_get_xf_index(format);
}

XlsxSheet& XlsxFile::add_sheet(const std::string& name) {
    errno = 0;
    lxw_worksheet* sheet = workbook_add_worksheet(book_, name.c_str());
    if (!sheet)
        fail(fmt::format("no temporary file in {}: {}", folder_, std::strerror(errno)),
             fmt::format("无法在 {} 建立临时文件：{}", folder_, std::strerror(errno)));
    constexpr std::size_t kBuffer = std::size_t{1} << 16;
    if (sheet->optimize_tmpfile)
        static_cast<void>(std::setvbuf(sheet->optimize_tmpfile, nullptr, _IOFBF, kBuffer));
    sheets_.push_back(std::unique_ptr<XlsxSheet>(new XlsxSheet(*this, sheet)));
    return *sheets_.back();
}

void XlsxFile::check(bool flush) const {
    // The library does not look at the result of its writes.
    for (const auto& sheet : sheets_) {
        std::FILE* rows = sheet->sheet_->optimize_tmpfile;
        errno = 0;
        if (flush)
            sheet->end_row();
        if (rows && ((flush && std::fflush(rows) != 0) || std::ferror(rows) != 0)) {
            const std::string reason = std::strerror(errno ? errno : ENOSPC);
            fail(fmt::format("temporary files in {}: {}", folder_, reason),
                 fmt::format("{} 中的临时文件：{}", folder_, reason));
        }
    }
}

void XlsxFile::finish() {
    assert(book_);
    check(true);
    std::uint64_t largest = 0;
    std::vector<std::uint64_t> sizes;
    for (const auto& sheet : sheets_) {
        sizes.push_back(written_bytes(sheet->sheet_));
        largest = std::max(largest, sizes.back());
    }
    std::error_code unknown;
    const fs::space_info space = fs::space(folder_, unknown);
    constexpr std::uint64_t kSpare = std::uint64_t{1} << 20;
    if (!unknown && space.available < largest + kSpare)
        fail(fmt::format("temporary files in {}: {}", folder_, std::strerror(ENOSPC)),
             fmt::format("{} 中的临时文件：{}", folder_, std::strerror(ENOSPC)));
    const auto [error, reason] = close_book(book_);
    book_ = nullptr;
    sheets_.clear();
    styles_.clear();
    if (error != LXW_NO_ERROR) {
        remove_unfinished();
        const std::string why = reason ? std::strerror(reason) : lxw_strerror(error);
        fail(why, why);
    }
    if (written_ == target_)
        return;  // a device or a pipe cannot be read back
    const auto parts = zip_directory(written_);
    bool whole = parts.has_value();
    for (std::size_t i = 0; whole && i < sizes.size(); ++i) {
        const auto part = parts->find(fmt::format("xl/worksheets/sheet{}.xml", i + 1));
        whole = part != parts->end() && part->second > sizes[i];
    }
    for (const char* name : {"[Content_Types].xml", "xl/workbook.xml", "xl/styles.xml"})
        whole = whole && parts->count(name) == 1 && parts->at(name) > 0;
    if (!whole) {
        remove_unfinished();
        fail(fmt::format("temporary files in {} were cut off ({})", folder_, std::strerror(ENOSPC)),
             fmt::format("{} 中的临时文件被截断（{}）", folder_, std::strerror(ENOSPC)));
    }
    std::error_code moved;
    fs::rename(written_, target_, moved);
    if (moved) {
        remove_unfinished();
        fail(moved.message(), moved.message());
    }
}

}  // namespace gpuadapt::report

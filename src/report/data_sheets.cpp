// SPDX-License-Identifier: Apache-2.0
#include "report/data_sheets.hpp"

#include "report/facts.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

constexpr std::uint16_t kTableColumn = 5;   // F
constexpr std::uint32_t kHeadRow = 4;       // row 5
constexpr std::size_t kMostSizes = 16'000;  // the format ends at column 16,384
constexpr std::size_t kMostFindings = 40;   // what a page has room for
constexpr std::uint32_t kBelowTable = 60;   // rows kept free for what stands below
constexpr double kLabelledWidth = 36;       // "reduce_scatter_perf bfloat16 sum"
constexpr std::uint16_t kDataColumns = 14;

SheetCell real_cell(const std::optional<double>& value) {
    return value ? SheetCell(*value) : SheetCell();
}

std::int64_t size_of(const PerfPoint& point) {
    return point.requested_bytes.value_or(point.size_bytes);
}

/// "1K"; bytes where no unit divides them. The guide's script gives the same for the guide's sizes and rounds others;
/// what it makes of a log of its own form stays so (`as_script`) as long as its labels differ.
std::vector<std::string> size_labels(std::span<const PerfPoint> points, bool as_script) {
    std::vector<std::string> exact, rounded;
    for (const PerfPoint& point : points) {
        exact.push_back(format_size(size_of(point)));
        rounded.push_back(format_size_rounded(size_of(point)));
    }
    const bool differ = std::set<std::string>(rounded.begin(), rounded.end()).size() == rounded.size();
    return as_script && differ ? rounded : exact;
}

/// A label below 1024 is a plain number, as the script's own conversion leaves it.
SheetCell size_cell(const std::string& label) {
    if (const auto number = parse_integer(label))
        return *number;
    return std::string_view(label);
}

using Points = std::span<const PerfPoint>;

/// The sweeps over sizes in a table: neighbours of one type, operation and root. Never none.
std::vector<Points> sweeps_of(Points points) {
    const auto same = [](const PerfPoint& a, const PerfPoint& b) {
        return a.type == b.type && a.redop == b.redop && a.root == b.root;
    };
    std::vector<Points> sweeps;
    while (!points.empty()) {
        const auto end = std::find_if(points.begin(), points.end(),
                                      [&](const PerfPoint& point) { return !same(points.front(), point); });
        sweeps.push_back(points.first(static_cast<std::size_t>(end - points.begin())));
        points = points.subspan(sweeps.back().size());
    }
    if (sweeps.empty())
        sweeps.emplace_back();
    return sweeps;
}

/// What tells `sweep` from the others of its table and, by its type, from the workbook's first: " float max". Empty
/// where the guide's own form says all.
std::string sweep_label(Points sweep, const std::vector<Points>& all, const std::string& usual_type) {
    if (sweep.empty())
        return "";
    const PerfPoint& own = sweep.front();
    const auto varies = [&](auto PerfPoint::*member) {
        return std::any_of(all.begin(), all.end(), [&](Points other) { return other.front().*member != own.*member; });
    };
    std::string label;
    if (varies(&PerfPoint::type) || own.type != usual_type)
        label += ' ' + own.type;
    if (varies(&PerfPoint::redop))
        label += ' ' + own.redop;
    if (varies(&PerfPoint::root) && own.root)
        label += fmt::format(" root {}", *own.root);
    return label;
}

/// Where each size stands in `head`, both in order; empty when one of them is not there.
std::vector<std::size_t> places_in(const std::vector<std::int64_t>& head, Points points) {
    std::vector<std::size_t> places;
    std::size_t at = 0;
    for (const PerfPoint& point : points) {
        while (at < head.size() && head[at] != size_of(point))
            ++at;
        if (at == head.size())
            return {};
        places.push_back(at++);
    }
    return places;
}

void append_half(std::vector<SheetCell>& cells, const PerfHalf& half) {
    cells.push_back(real_cell(half.time_us));
    cells.push_back(real_cell(half.algbw_gb_s));
    cells.push_back(real_cell(half.busbw_gb_s));
    if (half.wrong)
        cells.emplace_back(*half.wrong);
    else
        cells.push_back(half.time_us ? SheetCell(std::string_view("N/A")) : SheetCell());
}

}  // namespace

BlockName block_name(const Table& table) {
    BlockName block;
    block.tool = label_of(table, "banner_tool");
    block.name = label_of(table, "banner_name");
    std::string count = label_of(table, "banner_count");
    if (block.tool.empty())
        block.tool = "mccl_test";
    if (block.name.empty())
        block.name = label_of(table, "collective") + "_perf";
    if (count.empty())
        count = label_of(table, "ranks");
    block.count = parse_integer(count).value_or(0);
    block.kernel_column = label_of(table, "kernel_column") == "yes";
    return block;
}

EnvironmentSheet::EnvironmentSheet(XlsxSheet& sheet, const WorkbookContext& context)
    : sheet_(sheet), context_(context), items_(environment_items(context.machines, context.launch, context.form)) {
    sheet_.width(0, 20);
    sheet_.width(1, 53);
    sheet_.width(kTableColumn, 20);
}

void EnvironmentSheet::write_label(std::uint32_t row, const std::string& label, const std::string& value) {
    CellStyle name;
    name.arial = true;
    name.border = true;
    CellStyle filled;
    filled.border = true;
    filled.wrap = true;
    sheet_.text(row, 0, label, name);
    sheet_.text(row, 1, value, filled);
}

/// One row: the item or nothing in A and B, `beside` from F, empty cells with the script's style up to its width.
void EnvironmentSheet::write_row(const std::vector<SheetCell>& beside, bool head) {
    if (row_ < items_.size()) {
        write_label(row_, items_[row_].label.get(context_.lang), items_[row_].value.get(context_.lang));
    } else {
        CellStyle name;
        name.arial = true;
        sheet_.blank(row_, 0, name);
        sheet_.blank(row_, 1, {});
    }
    const std::size_t used = kTableColumn + beside.size();
    for (std::uint16_t column = 2; column < std::max<std::size_t>(width_, used); ++column) {
        if (column < kTableColumn || column >= used) {
            sheet_.blank(row_, column, {});
            continue;
        }
        const SheetCell& cell = beside[column - kTableColumn];
        const auto* whole = std::get_if<std::int64_t>(&cell);
        if (head && whole)  // the script aligns its head row to the left, numbers too
            sheet_.number(row_, column, static_cast<double>(*whole), {});
        else
            sheet_.cell(row_, column, cell);
    }
    ++row_;
}

/// Rows 1 to 4; 对比结果 stands in row 4, two columns to the right of the table.
void EnvironmentSheet::write_top(std::size_t head_length) {
    const std::string_view comparison = context_.lang == Lang::zh ? "对比结果" : "Comparison";
    const std::size_t column = head_length + kTableColumn;
    width_ = static_cast<std::uint16_t>(column + 1);
    while (row_ < kHeadRow) {
        std::vector<SheetCell> beside;
        if (row_ == kHeadRow - 1) {
            beside.resize(head_length + 1);
            beside.back() = comparison;
        }
        write_row(beside, false);
    }
}

/// GPUs and versions alone: each run may have options of its own.
bool EnvironmentSheet::names_other_machine(const LogItems& log) const {
    constexpr std::array<std::string_view, 2> kOfMachine = {"gpu_model", "sw_version"};
    return std::any_of(kOfMachine.begin(), kOfMachine.end(), [&](std::string_view key) {
        const auto own = log.find(key);
        const auto first = log_.find(key);
        return own != log.end() && (first == log_.end() || own->second != first->second);
    });
}

void EnvironmentSheet::add_block(const BlockName& name, const std::vector<PerfPoint>& points, const LogItems& log) {
    if (row_ == 0 && !log.empty()) {
        log_ = log;
        items_ = environment_items(context_.machines, context_.launch, context_.form, log_);
    }
    logs_differ_ = logs_differ_ || names_other_machine(log);
    if (usual_type_.empty() && !points.empty())
        usual_type_ = points.front().type;
    const std::vector<Points> sweeps = sweeps_of(points);
    for (const Points sweep : sweeps) {
        const std::string label = sweep_label(sweep, sweeps, usual_type_);
        if (!label.empty())
            sheet_.width(kTableColumn, kLabelledWidth);
        add_sweep(name, label, sweep);
    }
}

void EnvironmentSheet::add_sweep(const BlockName& name, const std::string& label, std::span<const PerfPoint> points) {
    if (row_ + kBelowTable >= kSheetRows) {
        ++left_out_;
        return;
    }
    std::vector<std::size_t> places = places_in(head_, points);
    const bool new_head = row_ == 0 || (places.empty() && !points.empty());
    if (new_head) {
        head_.clear();
        std::vector<SheetCell> head = {std::string_view("mccl_test"), std::string_view("GPU"),
                                       std::string_view("Bytes")};
        const Points shown = points.first(std::min(points.size(), kMostSizes));
        const std::vector<std::string> labels = size_labels(shown, name.kernel_column);
        for (std::size_t i = 0; i < shown.size(); ++i) {
            head_.push_back(size_of(shown[i]));
            head.push_back(size_cell(labels[i]));
        }
        if (row_ == 0)
            write_top(head.size());
        write_row(head, true);
        places.clear();
        for (std::size_t i = 0; i < head_.size(); ++i)
            places.push_back(i);
    }
    const std::string labelled = name.name + label;
    std::vector<SheetCell> cells = {std::string_view(labelled), name.count, std::string_view("GB/s")};
    for (std::size_t i = 0; i < places.size(); ++i) {
        cells.resize(3 + places[i]);
        cells.push_back(real_cell(points[i].out_of_place.busbw_gb_s));
    }
    write_row(cells, false);
}

void EnvironmentSheet::finish(const Record& judged) {
    if (row_ == 0) {
        const std::vector<SheetCell> head = {std::string_view("mccl_test"), std::string_view("GPU"),
                                             std::string_view("Bytes")};
        write_top(head.size());
        write_row(head, true);
        const Message nothing = {"not measured; gpuadapt perf measures it", "未测量；由 gpuadapt perf 测量"};
        write_row({std::string_view(nothing.get(context_.lang))}, false);
    }
    while (row_ < items_.size())
        write_row({}, false);
    write_findings(write_signatures(), judged);
}

/// The row behind the last.
std::uint32_t EnvironmentSheet::write_signatures() {
    const Lang lang = context_.lang;
    std::uint32_t row = row_ + 1;
    std::vector<Message> notes;
    if (left_out_ > 0)
        notes.emplace_back(fmt::format("{} further blocks stand only in the sheet {}", left_out_, kSheets[1].name.en),
                           fmt::format("另有 {} 段只在“{}”中", left_out_, kSheets[1].name.zh));
    if (logs_differ_)
        notes.emplace_back("other runs of the log name other GPUs or versions than the first",
                           "日志中其他测试的GPU或软件版本与首个测试不同");
    if (!notes.empty())
        sheet_.text(row_, kTableColumn, joined(notes, "; ").get(lang), {});
    for (const FilledItem& item : signature_items(context_.form, context_.started))
        write_label(row++, item.label.get(lang), item.value.get(lang));
    const Message unknown = {"not known: several inputs, or one that is no file", "未知：有多个输入，或输入不是文件"};
    write_label(row++, lang == Lang::zh ? "数据来源" : "Source", context_.source);
    write_label(row++, lang == Lang::zh ? "记录SHA-256" : "SHA-256 of the record",
                context_.sha256.empty() ? unknown.get(lang) : context_.sha256);
    return row;
}

/// Who signs must see on the same page what was found, and that a run was cut short.
void EnvironmentSheet::write_findings(std::uint32_t row, const Record& judged) {
    const Lang lang = context_.lang;
    const std::vector<const Finding*> findings = worst_first(judged.findings);
    const auto count = [&](Severity severity) {
        return std::count_if(findings.begin(), findings.end(),
                             [&](const Finding* finding) { return finding->severity == severity; });
    };
    const Coverage& coverage = judged.coverage;
    const Message sum = {
        fmt::format("failures {}, warnings {}, unknown {}, notes {}; checks: {} evaluated, {} unknown, {} "
                    "not applicable",
                    count(Severity::failure), count(Severity::warning), count(Severity::unknown), count(Severity::note),
                    coverage.evaluated, coverage.unknown, coverage.not_applicable),
        fmt::format("故障 {}，警告 {}，未知 {}，提示 {}；检查项：已判定 {}，未知 {}，不适用 {}",
                    count(Severity::failure), count(Severity::warning), count(Severity::unknown), count(Severity::note),
                    coverage.evaluated, coverage.unknown, coverage.not_applicable)};
    write_label(row++, lang == Lang::zh ? "检查结果" : "Checks", sum.get(lang));
    for (std::size_t i = 0; i < std::min(findings.size(), kMostFindings); ++i) {
        const Finding& finding = *findings[i];
        std::vector<std::string> parts;
        for (const std::string& part :
             {finding.subject, finding.title.get(lang), finding.evidence.get(lang), finding.advice.get(lang)})
            if (!part.empty())
                parts.push_back(clean_utf8(part));
        write_label(row++, fmt::format("{} {}", severity_text(finding.severity).get(lang), finding.check),
                    joined(parts, "\n"));
    }
    if (findings.size() > kMostFindings)
        write_label(row, "...",
                    Message{fmt::format("{} more", findings.size() - kMostFindings),
                            fmt::format("另有 {} 项", findings.size() - kMostFindings)}
                        .get(lang));
}

TestDataSheet::TestDataSheet(XlsxFile& file, XlsxSheet& sheet, Lang lang, std::uint32_t row_limit)
    : file_(file), sheet_(&sheet), lang_(lang), row_limit_(row_limit) {
    set_widths();
}

void TestDataSheet::set_widths() {
    struct Width {
        std::uint16_t column;
        double characters;
    };
    constexpr std::array<Width, 9> kWidths = {
        {{0, 15}, {1, 15}, {2, 10}, {5, 16}, {6, 20}, {7, 20}, {9, 16}, {10, 20}, {11, 20}}};
    for (const Width& width : kWidths)
        sheet_->width(width.column, width.characters);
}

std::string TestDataSheet::sheet_name(int number) const {
    const std::string name(kSheets[1].name.get(lang_));
    return number == 1 ? name : fmt::format("{} ({})", name, number);
}

/// Goes on in a further sheet when fewer than `rows` are left here, and says so in both.
void TestDataSheet::make_room(std::uint32_t rows, bool within_block, const BlockName& name) {
    if (row_ + rows + 1 <= row_limit_)
        return;
    const Message to = {fmt::format("continued in the sheet {}", sheet_name(number_ + 1)),
                        fmt::format("续见工作表“{}”", sheet_name(number_ + 1))};
    const Message from = {fmt::format("continued from the sheet {}", sheet_name(number_)),
                          fmt::format("接工作表“{}”", sheet_name(number_))};
    sheet_->text(row_, 0, to.get(lang_), {});
    ++number_;
    sheet_ = &file_.add_sheet(sheet_name(number_));
    set_widths();
    row_ = 0;
    sheet_->text(row_++, 0, from.get(lang_), {});
    if (within_block)
        write_head(name);
}

void TestDataSheet::write_line(const std::vector<SheetCell>& cells) {
    for (std::uint16_t column = 0; column < kDataColumns; ++column)
        sheet_->cell(row_, column, column < cells.size() ? cells[column] : SheetCell());
    ++row_;
}

void TestDataSheet::write_head(const BlockName& name) {
    write_line({std::string_view(name.tool), std::string_view(name.name), name.count});
    write_line({std::string_view("size"), std::string_view("count"), std::string_view("type"),
                std::string_view("redop"), std::string_view("root"), std::string_view("kernel-avg-time(us)"),
                std::string_view("time-oplace(us)"), std::string_view("algbw(gb/s)-oplace"),
                std::string_view("busbw(gb/s)-oplace"), std::string_view("error"), std::string_view("time-iplace(us)"),
                std::string_view("algbw(gb/s)-iplace"), std::string_view("busbw(gb/s)-iplace"),
                std::string_view("error")});
}

void TestDataSheet::add_block(const BlockName& name, const std::vector<PerfPoint>& points) {
    constexpr std::uint32_t kSmallestBlock = 4;  // names, heads, a row, the empty row
    make_room(kSmallestBlock, false, name);
    write_head(name);
    for (const PerfPoint& point : points) {
        make_room(2, true, name);
        std::vector<SheetCell> cells = {point.size_bytes, point.count ? SheetCell(*point.count) : SheetCell(),
                                        std::string_view(point.type)};
        const bool reduces = !point.redop.empty() && point.redop != "none";
        cells.push_back(reduces ? SheetCell(std::string_view(point.redop)) : SheetCell());
        cells.push_back(point.root ? SheetCell(std::int64_t{*point.root}) : SheetCell());
        if (point.kernel_us || !name.kernel_column)
            cells.push_back(real_cell(point.kernel_us));
        else
            cells.emplace_back(std::string_view("N/A"));
        append_half(cells, point.out_of_place);
        append_half(cells, point.in_place);
        sheet_->cells(row_++, cells);
    }
    write_line({});
}

}  // namespace gpuadapt::report

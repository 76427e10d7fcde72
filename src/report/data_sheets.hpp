// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/xlsx.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/report/environment_items.hpp>
#include <gpuadapt/report/workbook.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// The first two sheets, as the guide's script lays them out.
namespace gpuadapt::report {

/// How a table introduces itself: ["mccl_test", "all_reduce_perf", 8].
struct BlockName {
    std::string tool, name;
    std::int64_t count = 0;
    bool kernel_column = false;  ///< the log has one: an absent value is its "N/A", not an empty cell
};
[[nodiscard]] BlockName block_name(const Table& table);

/// 环境信息: 19 items in A and B, bus bandwidth by size from F5.
class EnvironmentSheet {
  public:
    EnvironmentSheet(XlsxSheet& sheet, const WorkbookContext& context);
    /// `log` is log_items() of the table: the first block's go into the form.
    void add_block(const BlockName& name, const std::vector<PerfPoint>& points, const LogItems& log);
    /// Items that no block stands beside, and what stands below the last row: signatures, source, findings.
    void finish(const Record& judged);

  private:
    void add_sweep(const BlockName& name, const std::string& label, std::span<const PerfPoint> points);
    void write_top(std::size_t head_length);
    void write_row(const std::vector<SheetCell>& beside, bool head);
    void write_label(std::uint32_t row, const std::string& label, const std::string& value);
    [[nodiscard]] std::uint32_t write_signatures();
    void write_findings(std::uint32_t row, const Record& judged);
    [[nodiscard]] bool names_other_machine(const LogItems& log) const;

    XlsxSheet& sheet_;
    const WorkbookContext& context_;
    LogItems log_;
    std::vector<FilledItem> items_;
    std::uint32_t row_ = 0;           ///< the next one
    std::uint16_t width_ = 0;         ///< columns of the script's rectangle
    std::vector<std::int64_t> head_;  ///< sizes of the last head row
    std::string usual_type_;          ///< of the first block: a sweep of another one is named with its type
    std::int64_t left_out_ = 0;       ///< blocks below the sheet's last row
    bool logs_differ_ = false;        ///< a later block's log names other GPUs or versions
};

/// 测试数据: a block a table, with a head row each and an empty row behind.
class TestDataSheet {
  public:
    TestDataSheet(XlsxFile& file, XlsxSheet& sheet, Lang lang, std::uint32_t row_limit = kSheetRows);
    void add_block(const BlockName& name, const std::vector<PerfPoint>& points);
    [[nodiscard]] std::uint32_t rows() const { return row_; }

  private:
    void set_widths();
    void make_room(std::uint32_t rows, bool within_block, const BlockName& name);
    void write_head(const BlockName& name);
    void write_line(const std::vector<SheetCell>& cells);
    [[nodiscard]] std::string sheet_name(int number) const;

    XlsxFile& file_;
    XlsxSheet* sheet_;
    Lang lang_;
    std::uint32_t row_limit_;
    std::uint32_t row_ = 0;
    int number_ = 1;
};

}  // namespace gpuadapt::report

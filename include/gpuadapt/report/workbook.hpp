// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/record.hpp>
#include <gpuadapt/core/table.hpp>
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/report/environment_items.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::report {

struct Sheet {
    std::string_view id;
    Text name;      ///< of the tab
    Text contents;  ///< one line for help and docs
    /// Command that measures what the sheet shows; empty where nothing is missing.
    std::string_view command;
    bool planned = false;  ///< that command is not there yet
};

/// The guide's five sheets, in its order.
inline constexpr std::array<Sheet, 5> kSheets{{
    {"environment",
     {"Environment", "环境信息"},
     {"the 19 items and bus bandwidth by size", "19项环境信息与各规模总线带宽"},
     ""},
    {"test_data", {"Test data", "测试数据"}, {"every row of every run", "全部测试行"}, "gpuadapt perf"},
    {"dp_data",
     {"DP data", "DP数据"},
     {"collectives in TP/DP splits", "TP/DP组合下的集合通信"},
     "gpuadapt perf --split",
     true},
    {"p2p_data", {"P2P data", "P2P数据"}, {"GPU-to-GPU copies", "GPU间拷贝"}, "gpuadapt p2p", true},
    {"topology", {"Topology", "TOPO信息"}, {"NUMA, PCI tree, GPUs, NICs", "NUMA、PCI树、GPU、网卡"}, "gpuadapt probe"},
}};

struct WorkbookContext {
    Lang lang = Lang::zh;
    std::vector<HostMachine> machines;
    std::optional<Launch> launch;
    FormOverrides form;
    std::string started;  ///< UTC as in Record; also the document's creation date. Empty: a fixed date
    std::string source;   ///< what the numbers come from: file name of the record or log
    std::string sha256;   ///< of that file, 64 hexadecimal digits; empty: the line says that it is not known
};

/// The five-sheet workbook, written while tables arrive: memory does not grow with their number. Equal input gives
/// equal bytes. Texts never become formulas or links.
///
/// The file appears under its name only when finish() succeeds; until then, and when it fails, nothing is left.
/// Temporary files stand in TMPDIR, or beside the output where TMPDIR is not set.
class Workbook {
  public:
    /// Throws Error(tool) naming `path` when it cannot be written.
    Workbook(const std::string& path, WorkbookContext context);
    ~Workbook();
    Workbook(Workbook&&) noexcept;
    Workbook& operator=(Workbook&&) noexcept;
    Workbook(const Workbook&) = delete;
    Workbook& operator=(const Workbook&) = delete;

    /// Adds a block to 测试数据 and a row to the table at F5 of 环境信息. Tables that are no perf tables are left out
    /// (returns false). Throws Error(tool) naming the path when the disk is full.
    bool add_table(const Table& table);
    /// Writes what stands below the tables, and the file: below the signatures of 环境信息 what `judged`, the record
    /// after check::judge(), has found. Throws Error(tool) naming the path.
    void finish(const Record& judged);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Perf tables of a Record in the guide's order (collective outer, count inner), as pointers into it.
[[nodiscard]] std::vector<const Table*> ordered_perf_tables(const Record& record);

/// The whole workbook of a Record, with the findings that it has.
void write_workbook(const std::string& path, const Record& record, const WorkbookContext& context);

/// A context with what the Record knows.
[[nodiscard]] WorkbookContext workbook_context(const Record& record);

}  // namespace gpuadapt::report

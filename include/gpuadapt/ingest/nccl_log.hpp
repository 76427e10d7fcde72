// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/finding.hpp>
#include <gpuadapt/core/table.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Logs of nccl-tests, rccl-tests and mccl_tests, and of our own writer, as tables. The columns come from the header
/// line and the unit row below it; a row is read from its right end, so that an empty redop cell or a prefix
/// (`[1,0]<stdout>:`, `0: `) does no harm.
///
/// Nothing is guessed. Three checks decide, each within the rounding of the printed digits: algbw = size / time,
/// busbw = factor * algbw (doc/PERFORMANCE.md of nccl-tests), and the footer's average = the mean of all busbw cells.
/// A row that fails one of the first two is left out of the table and reported with file and line.
///
/// Findings, by their check:
///   LOG1 a row or header that is damaged, cut off or stands nowhere   LOG8  number of ranks: unknown, contradicted
///   LOG2 algbw is not size / time                                      LOG9  units and meaning of a column
///   LOG3 busbw is not factor * algbw, or could not be checked          LOG10 a limit of the reader
///   LOG4 the footer's average is not the mean                          LOG11 wrong elements in the result
///   LOG5 two outputs are mixed                                         LOG12 what the test itself reports
///   LOG6 no footer, or no usable row                                   LOG13 no table was found in the input
///   LOG7 name of the collective: unknown, deduced, contradicted
namespace gpuadapt::ingest {

struct NcclLogOptions {
    std::string file = {};  ///< how findings name the input
    /// What the log cannot say (old versions name neither); a banner or header that contradicts is reported.
    std::optional<std::string> collective = {};  ///< "all_reduce" or "all_reduce_perf"
    std::optional<int> ranks = {};
    std::size_t line_limit = 16384;  ///< bytes; a longer line is skipped and counted as not understood
    std::size_t row_limit = 10000;   ///< rows of a table; a longer run continues in a further table
};

/// One run: what stands under one header, and one cycle of it (`-N`) where the sizes start again.
struct NcclLogRun {
    /// A perf table (core/perf_table.hpp) whose id has "/2", "/3" ... added where the same collective and number of
    /// ranks came before. Labels, each only where known:
    ///   collective ("unknown" when nothing tells), ranks, tool (nccl-tests, rccl-tests, mccl_tests, gpuadapt),
    ///   version (of the tool), library (what it ran on: "NCCL version 2.27.3+cuda12.8", "MACA 3.8.1"; joined by "; "),
    ///   options (the test's own line "nThread 1 nGpus 1 ..."), devices ("8 x MetaX C500"; names alone where not every
    ///   rank is listed), hosts (64 at most), source (file), line (of the header), banner_name and banner_count (as in
    ///   `---- mccl_test NAME N ----`), footer_average (as printed), footer_wrong, unit (of the log; cells here are
    ///   GB/s), time ("cpu" for -C), check ("error" for the float column of old versions), kernel_column ("yes"),
    ///   in_place ("no" without that half), cycle, part, collective_from and ranks_from (banner, log, caller, devices,
    ///   count, deduced).
    Table table;
    std::vector<Finding> findings;  ///< about this run; subject is "FILE:LINE"
    bool complete = false;          ///< the footer was there
};

/// What the whole input was.
struct NcclLogSummary {
    std::int64_t lines = 0;
    std::int64_t rows = 0;            ///< rows that reached a table
    std::int64_t rows_refused = 0;    ///< rows that failed a check or were damaged
    std::int64_t runs = 0;            ///< runs handed out, also those without a good row
    std::int64_t not_understood = 0;  ///< lines that are neither part of a log nor a library's INFO line
    std::vector<Finding> findings;    ///< about the input as a whole, e.g. that no run was found
};

/// Streaming reader: memory is bounded by one line and the rows of one run. Takes any bytes and never throws on them.
class NcclLogReader {
  public:
    using Sink = std::function<void(NcclLogRun&&)>;

    /// `sink` is called once a run, in the order of the input, from within feed() and finish().
    NcclLogReader(NcclLogOptions options, Sink sink);
    ~NcclLogReader();
    NcclLogReader(NcclLogReader&&) noexcept;
    NcclLogReader& operator=(NcclLogReader&&) noexcept;
    NcclLogReader(const NcclLogReader&) = delete;
    NcclLogReader& operator=(const NcclLogReader&) = delete;

    /// Any piece of the input; pieces need not end at a line end.
    void feed(std::string_view bytes);
    /// The end of the input. Call once.
    NcclLogSummary finish();

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// All runs of a text at once, for small inputs and tests.
struct NcclLog {
    std::vector<NcclLogRun> runs;
    NcclLogSummary summary;
};
[[nodiscard]] NcclLog read_nccl_log(std::string_view text, const NcclLogOptions& options);

/// A record may have been altered: takes out of its perf table the rows that a log's would be refused for, by the
/// arithmetic of the columns (LOG2, LOG3) or because a number cannot be (LOG1). A warning a check and table, its
/// subject "FILE: ID". Throws Error(input) as perf_point() does.
[[nodiscard]] std::vector<Finding> refuse_rows(Table& table, const std::string& file);

/// "all_reduce" from "all_reduce_perf", "AllReduce" or a path that ends so; nullopt when it names no collective.
[[nodiscard]] std::optional<std::string> collective_name(std::string_view text);

}  // namespace gpuadapt::ingest

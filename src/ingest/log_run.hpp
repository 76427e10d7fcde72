// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ingest/log_checks.hpp"
#include "ingest/log_columns.hpp"

#include <gpuadapt/ingest/nccl_log.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// A run while it is being read, and what is made of it at its end.
namespace gpuadapt::ingest {

/// Collects findings of one run; a flood of equal ones is counted instead of kept.
class LogFindings {
  public:
    explicit LogFindings(std::string file) : file_(std::move(file)) {}
    void add(Severity severity, const std::string& check, std::int64_t line, const Message& title,
             const Message& evidence = {}, const Message& advice = {});
    [[nodiscard]] std::vector<Finding> take();

  private:
    std::string file_;
    std::vector<Finding> findings_;
    std::map<std::string, std::int64_t> left_out_;  ///< by check
};

/// What the lines before a header say about the run.
struct LogPreamble {
    std::optional<std::string> banner_name;
    std::optional<int> banner_count;
    std::string banner_tool;
    std::optional<std::string> program;  ///< "Collective test starting: ..." or "The test is ..."
    std::string tool, version;
    std::vector<std::string> libraries;  ///< "NCCL version 2.27.3+cuda12.8", "MACA 3.8.1": what the test ran on
    std::string options;                 ///< "nThread 1 nGpus 1 minBytes 8 ...", as it stands there
    std::optional<std::int64_t> max_bytes, min_bytes;
    std::optional<std::int64_t> validation;  ///< -c; 0: nothing was compared
    bool additive_step = false;
    int last_rank = -1;           ///< of the device lines
    std::set<std::string> hosts;  ///< the first of them
    bool more_hosts = false;
    std::map<std::string, int> devices;  ///< names of GPUs, each with the number of ranks that have one
    bool rank_twice = false;
    std::set<int> ranks;
    bool empty = true;  ///< no line of it has come yet
};

/// Order of the rows: sizes go up; they start again with another type, operation or root, or with the next cycle.
class RowOrder {
  public:
    enum class Step {
        on,
        next_cycle,
        disorder,  ///< the run cannot be one sweep
        stranger,  ///< another type, operation or root in the middle of a sweep: not a row of it
    };
    [[nodiscard]] Step step(const LogRow& row, const LogPreamble& preamble);

  private:
    std::string key_;
    std::set<std::string> seen_;
    std::int64_t first_ = 0, last_ = 0;
    std::int64_t rows_ = 0;
    bool doubled_ = false;
};

struct OpenRun {
    explicit OpenRun(const std::string& file) : findings(file) {}

    LogPreamble preamble;
    LogColumns columns;
    std::int64_t header_line = 0;
    std::vector<LogRow> rows;
    RowOrder order;
    LogFindings findings;
    MeanBusbw busbw;              ///< over all cycles and parts of the run
    std::int64_t refused = 0;     ///< damaged rows
    std::int64_t last_line = 0;   ///< of a row
    std::int64_t mixed_line = 0;  ///< where it showed that two outputs are mixed; 0: not mixed
    Message mixed_reason;
    bool more_follows = false;  ///< the run goes on in a further table: another cycle, or the row limit
    bool unterminated = false;  ///< the last row had no line end
    int cycle = 0, part = 0;
    std::optional<std::int64_t> footer_wrong;
    bool footer_failed = false;
    std::int64_t footer_line = 0;
    std::optional<Printed> footer_average;
    bool average_failed = false;
    bool units_read = false;
};

struct FinishedRun {
    NcclLogRun run;
    std::int64_t refused = 0;
};

/// What was decided about a run, for its table.
struct RunFacts {
    std::string collective;       ///< "unknown" when nothing tells
    std::string collective_from;  ///< log, banner, caller, deduced
    std::optional<int> ranks;
    std::string ranks_from;  ///< banner, devices, count, caller, deduced
};
[[nodiscard]] Table make_log_table(const OpenRun& run, const std::vector<LogRow>& rows, const RunFacts& facts,
                                   const std::string& file);

/// Checks the rows, decides collective and ranks, and makes the table. Table ids are not yet unique.
[[nodiscard]] FinishedRun finish_run(OpenRun&& run, const NcclLogOptions& options);

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpuadapt::report {

enum class LogForm {
    nccl_tests,  ///< as nccl-tests 2.17.3 and newer print; rows begin with a blank
    guide,       ///< as mccl_tests print with MX_TRACER_ENABLED_MCPTI=ON: a kernel time column, rows begin with '#',
                 ///< an empty redop cell for copies; the form that the guide's perf_to_xlsx.py reads
};

/// What stands in the header of a run. Names and numbers as nccl-tests'.
struct LogHeader {
    std::string tool_version;  ///< ours
    std::string library;       ///< "Open MPI 4.1.4", "nccl 2.28.9"; may be empty
    std::int64_t min_bytes = 0, max_bytes = 0;
    std::int64_t step_factor = 0;  ///< 0: additive
    std::int64_t step_bytes = 0;
    int warmup_iterations = 0, iterations = 0, aggregated_iterations = 1;
    bool validation = true;
    std::vector<RankPlace> ranks;  ///< only the ranks of this run
};

/// The header that a Record's launch describes, for the first `ranks` ranks. Unknown numbers stay 0.
[[nodiscard]] LogHeader log_header(const Record& record, int ranks);

/// Makes the text of a log piece by piece, so that a row can be printed as soon as it is measured. Each function
/// returns whole lines.
class NcclLogWriter {
  public:
    explicit NcclLogWriter(LogForm form) : form_(form) {}

    /// Banner (`---- mccl_test all_reduce_perf 2 ----`), header lines and column heads. `collective` is the short
    /// name. Ends a table that is still open.
    [[nodiscard]] std::string begin_table(const std::string& collective, int ranks, const LogHeader& header);
    [[nodiscard]] std::string row(const PerfPoint& point);
    /// Footer: `# Out of bounds values`, and `# Avg bus bandwidth` = the plain mean of all busbw cells.
    [[nodiscard]] std::string end_table();
    /// In place of the footer where the run ended before its table was whole: no average, no count of wrong results,
    /// so that a reader sees that it was cut off.
    [[nodiscard]] std::string cut_table(const std::string& why);
    /// A remark of ours, `# gpuadapt: TEXT`, the first line of `text`. Nothing in the guide's form, whose rows are what
    /// begins with '#'.
    [[nodiscard]] std::string remark(const std::string& text) const;

  private:
    LogForm form_;
    std::string collective_;
    bool open_ = false;
    double busbw_sum_ = 0;
    std::int64_t busbw_cells_ = 0;
    std::int64_t wrong_results_ = 0;
};

/// All perf tables of a Record as one log: collective outer, count inner. Of a run that has not come to its end the
/// table that was measured last has no footer.
[[nodiscard]] std::string nccl_log(const Record& record, LogForm form);

}  // namespace gpuadapt::report

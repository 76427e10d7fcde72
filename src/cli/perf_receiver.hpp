// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/perf_timeout.hpp"
#include "cli/progress.hpp"
#include "cli/record_file.hpp"
#include "cli/session.hpp"

#include <gpuadapt/core/record.hpp>
#include <gpuadapt/report/nccl_log_writer.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt::cli {

/// Lines beside those of core's `part`, which only travel from the measuring rank to the receiver.
[[nodiscard]] std::string progress_line(int done, int total, const std::string& current,
                                        std::optional<double> remaining_seconds);
[[nodiscard]] std::string error_line(const Error& error);
[[nodiscard]] std::string time_out_line(const TimeOut& time_out);

/// Takes the lines of a measurement as they come: keeps them in the Record and its file, prints the log, shows
/// progress. It stands in the process that started mpirun, or on rank 0 when somebody else did.
/// Safe to call from several threads.
class PerfReceiver {
  public:
    /// Makes the record's file; throws Error when it cannot be written.
    PerfReceiver(const Session& session, Record start, const std::string& out, report::LogForm form);

    void line(std::string_view line);
    void finding(const Finding& finding);
    /// The end of the run, whole or not: ends the log, judges, writes the file, says findings, coverage and last the
    /// `error` that ended it on stderr. Gives the exit status that follows from the findings, or from the error. Of a
    /// run that was refused (an error of kind input) before it measured anything nothing is left but the reason.
    int finish(const std::optional<Error>& error = std::nullopt);
    /// Writes the file as it is now, for the moment before the process is killed.
    void save_now();

    /// What the measuring ranks brought as their error; nullopt when they brought none.
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }
    /// Which ranks say that they have waited too long, in the order in which they said it, within kTimeToSayIt.
    [[nodiscard]] const std::vector<TimeOut>& time_outs() const { return time_outs_; }
    [[nodiscard]] bool complete() const { return !record_.finished.empty(); }
    [[nodiscard]] const Record& record() const { return record_; }

  private:
    void begin_table(const Table& table);
    void print_log(const std::string& text);
    void say_kept();

    const Session& session_;
    std::mutex mutex_;
    Record record_;
    RecordFile file_;
    report::NcclLogWriter log_;
    Progress progress_;
    bool kept_is_said_ = false;
    int log_error_ = 0;  ///< errno of the write at which the log ended
    std::optional<Error> error_;
    std::vector<TimeOut> time_outs_;
    std::chrono::steady_clock::time_point time_outs_begin_;
};

}  // namespace gpuadapt::cli

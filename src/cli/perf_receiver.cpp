// SPDX-License-Identifier: Apache-2.0
#include "cli/perf_receiver.hpp"

#include <gpuadapt/check/checks.hpp>
#include <gpuadapt/cli/main.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/units.hpp>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpuadapt::cli {
namespace {

using Json = nlohmann::json;

/// What is known before the first row: sizes that do not fit, types that the library lacks.
std::string remark_of(const Finding& note) {
    return fmt::format("{}: {}", note.subject, note.title.en);
}

}  // namespace

std::string progress_line(int done, int total, const std::string& current, std::optional<double> remaining_seconds) {
    Json progress = {{"done", done}, {"total", total}, {"current", current}};
    if (remaining_seconds)
        progress["remaining_s"] = *remaining_seconds;
    return Json{{"progress", progress}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string error_line(const Error& error) {
    return Json{
        {"error", {{"kind", static_cast<int>(error.kind())}, {"en", error.message().en}, {"zh", error.message().zh}}}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string time_out_line(const TimeOut& time_out) {
    return Json{
        {"time_out",
         {{"rank", time_out.rank}, {"awaited", time_out.awaited}, {"en", time_out.text.en}, {"zh", time_out.text.zh}}}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

PerfReceiver::PerfReceiver(const Session& session, Record start, const std::string& out, report::LogForm form)
    : session_(session), record_(std::move(start)), file_(out), log_(form), progress_(session.progress) {
    file_.append(part::header(record_));
}

void PerfReceiver::say_kept() {
    if (std::exchange(kept_is_said_, true))
        return;
    for (const std::string& name : file_.kept())
        say(session_, {fmt::format("An earlier record was there; it is kept as {}.", name),
                       fmt::format("该位置已有记录，已保留为 {}。", name)});
}

void PerfReceiver::line(std::string_view line) {
    const std::lock_guard lock(mutex_);
    // Only these lines are not part of the record; all are rare against rows, so a look at the start will do.
    if (line.rfind("{\"progress\"", 0) == 0) {
        const Json progress = Json::parse(line).at("progress");
        const auto remaining = progress.find("remaining_s");
        progress_.show(progress.at("done"), progress.at("total"), progress.at("current"),
                       remaining == progress.end() ? std::nullopt : std::optional<double>(*remaining));
        return;
    }
    if (line.rfind("{\"error\"", 0) == 0) {
        const Json error = Json::parse(line).at("error");
        error_.emplace(static_cast<ErrorKind>(error.at("kind").get<int>()), Message{error.at("en"), error.at("zh")});
        return;
    }
    if (line.rfind("{\"time_out\"", 0) == 0) {
        const auto now = std::chrono::steady_clock::now();
        if (time_outs_.empty())
            time_outs_begin_ = now;
        if (now - time_outs_begin_ > kTimeToSayIt)
            return;
        const Json time_out = Json::parse(line).at("time_out");
        time_outs_.push_back({time_out.at("rank"), time_out.at("awaited"), {time_out.at("en"), time_out.at("zh")}});
        return;
    }
    using Kind = part::Applied::Kind;
    const std::optional<Launch> ours = record_.launch;
    const part::Applied applied = part::apply(record_, line, "measuring rank");
    if (applied.kind == Kind::launch && ours && !ours->launcher.empty()) {
        // The ranks see our command with additions, and an environment that mpirun has added to.
        record_.launch->command = ours->command;
        record_.launch->launcher = ours->launcher;
        record_.launch->environment = ours->environment;
        file_.append(part::launch(*record_.launch));
    } else {
        file_.append(line);
    }
    if (applied.kind == Kind::table)
        begin_table(record_.tables[applied.table]);
    if (applied.kind == Kind::finding && record_.findings.back().severity == Severity::note)
        print_log(log_.remark(remark_of(record_.findings.back())));
    if (applied.kind == Kind::row && is_perf_table(record_.tables[applied.table])) {
        const Table& table = record_.tables[applied.table];
        print_log(log_.row(perf_point(table, table.rows.back())));
        file_.save_when_due(record_);
    }
}

void PerfReceiver::finding(const Finding& finding) {
    line(part::finding(finding));
}

void PerfReceiver::begin_table(const Table& table) {
    say_kept();
    print_log(log_.end_table());
    if (!is_perf_table(table))
        return;
    const int ranks = static_cast<int>(parse_integer(table.labels.at("ranks")).value_or(0));
    print_log(log_.begin_table(table.labels.at("collective"), ranks, report::log_header(record_, ranks)));
}

void PerfReceiver::print_log(const std::string& text) {
    if (text.empty() || session_.json || log_error_ != 0)
        return;
    progress_.clear();
    // A measurement does not end because nobody reads its log: the record goes on.
    log_error_ = try_print(text);
    if (log_error_ != 0) {
        const char* why = std::strerror(log_error_);
        say(session_, {fmt::format("The log on stdout ends here ({}); the record goes on.", why),
                       fmt::format("标准输出的日志到此为止（{}）；记录继续。", why)});
    }
}

int PerfReceiver::finish(const std::optional<Error>& error) {
    const std::lock_guard lock(mutex_);
    progress_.clear();
    if (error && error->kind() == ErrorKind::input && record_.tables.empty()) {
        file_.discard();
        return report_error(session_, *error);
    }
    say_kept();
    print_log(error ? log_.cut_table(error->message().en) : log_.end_table());
    check::judge(record_);
    file_.finish(record_);
    if (session_.json && file_.path() != "-")
        print(to_json(record_));
    report::TextStyle style = session_.style;
    style.color = false;  // stderr may go elsewhere than stdout
    std::string summary = report::perf_summary(record_.tables, style);
    if (!summary.empty())
        summary.pop_back();
    say(summary);
    say_judgement(session_, record_);
    say(session_, {fmt::format("Record: {}", file_.path()), fmt::format("记录：{}", file_.path())});
    if (error)
        return report_error(session_, *error);
    // A reader that has seen enough (EPIPE) is no fault; a log that is cut off by a full disk is one.
    const bool log_is_cut = log_error_ != 0 && log_error_ != EPIPE;
    return log_is_cut ? kExitTool : exit_status(record_.findings, session_.strict);
}

void PerfReceiver::save_now() {
    const std::lock_guard lock(mutex_);
    file_.finish(record_);
}

}  // namespace gpuadapt::cli

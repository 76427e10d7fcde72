// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"

#include <gpuadapt/core/text.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/report/nccl_log_writer.hpp>
#include <gpuadapt/report/workbook.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

/// A number as nccl-tests 2.17.3 and newer print it: the most decimals, up to two, that the field holds.
std::string number(double value, std::size_t width) {
    for (const int decimals : {2, 1, 0}) {
        std::string text = fmt::format("{:.{}f}", value, decimals);
        if (text.size() <= width)
            return text;
    }
    return fmt::format("{:.{}e}", value, width >= 7 ? 1 : 0);
}

std::string cell(const std::optional<double>& value, std::size_t width) {
    return value && std::isfinite(*value) ? number(*value, width) : "N/A";
}

std::string wrong_cell(const std::optional<std::int64_t>& wrong) {
    return wrong ? fmt::format("{:g}", static_cast<double>(*wrong)) : "N/A";
}

/// mccl_tests prints an operation where something is reduced, and for sendrecv.
bool guide_prints_redop(const std::string& collective) {
    return collective == "all_reduce" || collective == "reduce" || collective == "reduce_scatter" ||
           collective == "sendrecv";
}

std::string half_text(LogForm form, const PerfHalf& half) {
    if (form == LogForm::guide) {
        const auto two = [](const std::optional<double>& value) {
            return value && std::isfinite(*value) ? fmt::format("{:.2f}", *value) : std::string("N/A");
        };
        return fmt::format("{:>11}  {:>6}  {:>6}  {:>5}", two(half.time_us), two(half.algbw_gb_s), two(half.busbw_gb_s),
                           wrong_cell(half.wrong));
    }
    return fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", cell(half.time_us, 7), cell(half.algbw_gb_s, 6),
                       cell(half.busbw_gb_s, 6), wrong_cell(half.wrong));
}

/// One word per field, so that a host or device name cannot break the line for a parser.
std::string one_word(const std::string& text) {
    std::string word = clean_utf8(text);
    std::replace(word.begin(), word.end(), ' ', '_');
    return word.empty() ? "-" : word;
}

/// "0000:0f:00.0" -> "0000:0f:00", as nccl-tests shows it.
std::string bus_id(const RankPlace& place) {
    if (!place.pci_address)
        return "-";
    return clean_utf8(place.pci_address->substr(0, place.pci_address->find('.')));
}

std::string device_lines(const LogHeader& header, LogForm form) {
    std::string text = "# Using devices\n";
    std::size_t widest = 10;
    for (const RankPlace& place : header.ranks)
        widest = std::max(widest, place.host.size());
    for (const RankPlace& place : header.ranks)
        text += fmt::format("#  Rank {:>2} {}Pid {:>6} on {:>{}} device {:>2} [{}] {}\n", place.rank,
                            form == LogForm::guide ? "" : "Group  0 ", place.pid, one_word(place.host), widest,
                            place.device ? std::to_string(*place.device) : "-", bus_id(place),
                            place.device_name ? clean_utf8(*place.device_name) : "host memory");
    return text;
}

std::string column_heads(LogForm form) {
    if (form == LogForm::guide)
        return fmt::format(
            "#\n"
            "#{0:60}kernel       ┌----- out-of-place ------┐        ┌------ in-place -------┐\n"
            "#{1:>12}  {2:>12}  {3:>8}  {4:>6}  {5:>5}{6:>11}{7:>11}  {8:>6}  {9:>6} {10:>6}{7:>11}  {8:>6}  {9:>6} "
            "{10:>6}\n"
            "#{11:>12}  {12:>12}  {0:>8}  {0:>6}  {0:>5}{13:>11}{13:>11}  {14:>6}  {14:>6} {0:>6}{13:>11}  {14:>6}  "
            "{14:>6} {0:>6}\n",
            "", "size", "count", "type", "redop", "root", "avgtime", "time", "algbw", "busbw", "#wrong", "(B)",
            "(elements)", "(us)", "(GB/s)");
    return fmt::format(
        "#\n"
        "# {0:>10}  {0:>12}  {0:>8}  {0:>6}  {0:>6}           out-of-place                       in-place          \n"
        "# {1:>10}  {2:>12}  {3:>8}  {4:>6}  {5:>6}  {6:>7}  {7:>6}  {8:>6}  {9:>6}  {6:>7}  {7:>6}  {8:>6}  {9:>6}\n"
        "# {10:>10}  {11:>12}  {0:>8}  {0:>6}  {0:>6}  {12:>7}  {13:>6}  {13:>6}  {0:>6}  {12:>7}  {13:>6}  {13:>6}  "
        "{0:>6}\n",
        "", "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "(B)", "(elements)", "(us)",
        "(GB/s)");
}

}  // namespace

std::string NcclLogWriter::begin_table(const std::string& collective, int ranks, const LogHeader& header) {
    std::string text = open_ ? end_table() : "";
    collective_ = collective;
    open_ = true;
    busbw_sum_ = 0;
    busbw_cells_ = 0;
    wrong_results_ = 0;
    text += fmt::format("---- mccl_test {}_perf {} ----\n", collective, ranks);
    if (form_ == LogForm::nccl_tests) {
        text += fmt::format("# gpuadapt version {}", header.tool_version.empty() ? "0" : one_word(header.tool_version));
        if (!header.library.empty())
            text += fmt::format(" library={}", one_word(header.library).substr(0, 120));
        text += '\n';
        text += fmt::format("# Collective test starting: {}_perf\n", collective);
    }
    const bool additive = header.step_factor == 0;
    text += fmt::format(
        "# nThread 1 nGpus 1 minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} agg iters: {} "
        "validation: {} graph: 0\n#\n",
        header.min_bytes, header.max_bytes, additive ? header.step_bytes : header.step_factor,
        additive ? "bytes" : "factor", header.warmup_iterations, header.iterations, header.aggregated_iterations,
        header.validation ? 1 : 0);
    return text + device_lines(header, form_) + column_heads(form_);
}

std::string NcclLogWriter::row(const PerfPoint& point) {
    for (const PerfHalf* half : {&point.out_of_place, &point.in_place}) {
        if (half->busbw_gb_s && std::isfinite(*half->busbw_gb_s)) {
            busbw_sum_ += *half->busbw_gb_s;
            ++busbw_cells_;
        }
        if (half->wrong.value_or(0) > 0)
            ++wrong_results_;
    }
    const std::string type = point.type.empty() ? "-" : one_word(point.type);
    const std::string root = std::to_string(point.root.value_or(-1));
    if (form_ == LogForm::guide) {
        std::string redop;
        if (guide_prints_redop(collective_))
            redop = point.redop.empty() || point.redop == "none" ? "sum" : one_word(point.redop);
        const bool measured = point.kernel_us && std::isfinite(*point.kernel_us);
        return fmt::format("#{:>12}  {:>12}  {:>8}  {:>6}  {:>5}{:>11}{}{}\n", point.size_bytes,
                           point.count.value_or(0), type, redop, root,
                           measured ? fmt::format("{:.2f}", *point.kernel_us) : "N/A",
                           half_text(form_, point.out_of_place), half_text(form_, point.in_place));
    }
    return fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}{}{}\n", point.size_bytes, point.count.value_or(0), type,
                       point.redop.empty() ? "none" : one_word(point.redop), root, half_text(form_, point.out_of_place),
                       half_text(form_, point.in_place));
}

std::string NcclLogWriter::end_table() {
    if (!open_)
        return "";
    open_ = false;
    const double mean = busbw_cells_ == 0 ? 0 : busbw_sum_ / static_cast<double>(busbw_cells_);
    std::string text = fmt::format("# Out of bounds values : {} {}\n# Avg bus bandwidth    : {:g} \n#\n",
                                   wrong_results_, wrong_results_ == 0 ? "OK" : "FAILED", mean);
    if (form_ == LogForm::nccl_tests)
        text += fmt::format("# Collective test concluded: {}_perf\n#\n", collective_);
    return text;
}

std::string NcclLogWriter::cut_table(const std::string& why) {
    if (!open_)
        return "";
    open_ = false;
    return remark(fmt::format("{}_perf was cut off here: {}", collective_, why));
}

std::string NcclLogWriter::remark(const std::string& text) const {
    constexpr std::size_t kMost = 200;
    return form_ == LogForm::guide
               ? ""
               : fmt::format("# gpuadapt: {}\n", clean_utf8(text.substr(0, std::min(text.find('\n'), kMost))));
}

LogHeader log_header(const Record& record, int ranks) {
    LogHeader header;
    header.tool_version = record.tool_version;
    if (!record.launch)
        return header;
    const Launch& launch = *record.launch;
    header.library = launch.mpi_version.value_or("");
    const auto whole = [&launch](const char* name, std::int64_t fallback) {
        const auto found = launch.parameters.find(name);
        if (found == launch.parameters.end())
            return fallback;
        return parse_size(found->second).value_or(fallback);
    };
    header.min_bytes = whole("-b", 0);
    header.max_bytes = whole("-e", 0);
    header.step_factor = whole("-f", 0);
    header.step_bytes = whole("-i", 0);
    header.iterations = static_cast<int>(whole("-n", 0));
    header.warmup_iterations = static_cast<int>(whole("-w", 0));
    header.aggregated_iterations = static_cast<int>(whole("-m", 1));
    header.validation = whole("-c", 1) != 0;
    for (const RankPlace& place : launch.ranks)
        if (place.rank < ranks)
            header.ranks.push_back(place);
    return header;
}

std::string nccl_log(const Record& record, LogForm form) {
    NcclLogWriter writer(form);
    std::string text;
    for (const Table* table : ordered_perf_tables(record)) {
        const int ranks = static_cast<int>(parse_integer(label_of(*table, "ranks")).value_or(0));
        text += writer.begin_table(label_of(*table, "collective"), ranks, log_header(record, ranks));
        for (const Row& row : table->rows)
            text += writer.row(perf_point(*table, row));
        const bool cut = record.finished.empty() && table == &record.tables.back();
        text += cut ? writer.cut_table("the run did not come to its end") : writer.end_table();
    }
    return text;
}

}  // namespace gpuadapt::report

// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"
#include "report/text_layout.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/units.hpp>
#include <gpuadapt/report/text.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gpuadapt::report {
namespace {

/// Of ANSI, in the order of Severity.
constexpr std::array<std::string_view, 5> kColours = {"32", "36", "35", "33", "31"};

/// A label for a cell of the summary.
std::string shown_label(const Table& table, const char* name) {
    const std::string label = label_of(table, name);
    return label.empty() ? "?" : clean_utf8(label);
}

/// What a summary line tells of a table: times and rates out of place, as the workbook's; wrong elements of both
/// halves.
struct Digest {
    std::string latency = "-", peak = "-", wrong = "-", slowest = "-";
};

std::string slowest_rank(const PerfHalf& half) {
    const std::vector<double>& means = half.rank_mean_us;
    if (means.size() < 2)
        return "-";
    const auto slowest = std::max_element(means.begin(), means.end());
    std::vector<double> sorted = means;
    std::sort(sorted.begin(), sorted.end());
    const double median = sorted[(sorted.size() - 1) / 2];
    if (!(median > 0))
        return "-";
    return fmt::format("{} (+{:.1f} %)", slowest - means.begin(), 100 * (*slowest / median - 1));
}

Digest digest(const Table& table) {
    Digest result;
    const bool both = in_place_defined(label_of(table, "collective"));
    std::int64_t wrong = 0;
    bool checked = false;
    double peak = -1;
    std::int64_t smallest = -1, largest = -1;
    for (const Row& row : table.rows) {
        const PerfPoint point = perf_point(table, row);
        for (const PerfHalf* half : {&point.out_of_place, &point.in_place}) {
            if (half == &point.in_place && !both)
                continue;
            if (half->wrong) {
                checked = true;
                wrong += *half->wrong;
            }
        }
        if (point.out_of_place.busbw_gb_s && *point.out_of_place.busbw_gb_s > peak) {
            peak = *point.out_of_place.busbw_gb_s;
            result.peak = fmt::format("{:.2f} @ {}", peak, format_size(point.size_bytes));
        }
        if (point.out_of_place.time_us && point.size_bytes > 0 && (smallest < 0 || point.size_bytes < smallest)) {
            smallest = point.size_bytes;
            result.latency = fmt::format("{:.2f} @ {}", *point.out_of_place.time_us, format_size(smallest));
        }
        if (point.size_bytes > largest && point.out_of_place.rank_mean_us.size() > 1) {
            largest = point.size_bytes;
            result.slowest = slowest_rank(point.out_of_place);
        }
    }
    if (checked)
        result.wrong = std::to_string(wrong);
    return result;
}

}  // namespace

std::string findings_list(const std::vector<Finding>& findings, const TextStyle& style) {
    std::string text;
    for (const Finding* finding : worst_first(findings)) {
        TextLayout layout(style);
        const std::string word = layout.say(severity_text(finding->severity));
        std::string rest = fmt::format("{} {}", word, finding->check);
        if (!finding->subject.empty())
            rest += fmt::format(" {}", finding->subject);
        layout.line(fmt::format("{}: {}", rest, layout.say(finding->title)));
        for (const Message* more : {&finding->evidence, &finding->advice})
            if (!more->empty())
                layout.line((more == &finding->advice ? "-> " : "") + layout.say(*more), 4, 3);
        std::string own = layout.take();
        if (style.color && own.compare(0, word.size(), word) == 0)
            own =
                layout.coloured(word, kColours[static_cast<std::size_t>(finding->severity)]) + own.substr(word.size());
        text += own;
    }
    return text;
}

std::string perf_summary(std::span<const Table> tables, const TextStyle& style) {
    TextLayout layout(style);
    std::vector<std::vector<std::string>> rows;
    rows.push_back({layout.say(Text{"collective", "集合通信"}), layout.say(Text{"ranks", "rank数"}),
                    layout.say(Text{"latency us", "延迟 us"}), layout.say(Text{"peak busbw GB/s", "峰值 busbw GB/s"}),
                    layout.say(Text{"wrong", "错误"}), layout.say(Text{"slowest rank", "最慢rank"})});
    for (const Table& table : tables) {
        if (!is_perf_table(table) || table.rows.empty())
            continue;
        const Digest found = digest(table);
        rows.push_back({shown_label(table, "collective"), shown_label(table, "ranks"), found.latency, found.peak,
                        found.wrong, found.slowest});
    }
    if (rows.size() == 1)
        return layout.say(Text{"nothing was measured", "没有测得数据"}) + "\n";
    layout.table(rows, {false, true, true, true, true, true});
    return layout.take();
}

std::string coverage_line(const Coverage& coverage, const std::vector<Finding>& findings, const TextStyle& style) {
    TextLayout layout(style);
    layout.line(layout.say(Message{fmt::format("{} evaluated, {} unknown, {} not applicable", coverage.evaluated,
                                               coverage.unknown, coverage.not_applicable),
                                   fmt::format("已判定 {} 项，未知 {} 项，不适用 {} 项", coverage.evaluated,
                                               coverage.unknown, coverage.not_applicable)}));
    std::vector<std::string> reasons;
    for (const Finding& finding : findings)
        if (finding.severity == Severity::unknown)
            reasons.push_back(fmt::format("{}: {}", finding.check,
                                          layout.say(finding.evidence.empty() ? finding.title : finding.evidence)));
    std::sort(reasons.begin(), reasons.end());
    reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
    for (const std::string& reason : reasons)
        layout.line(reason, 2);
    return layout.take();
}

}  // namespace gpuadapt::report

// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_run.hpp"

#include <gpuadapt/core/text.hpp>

#include <fmt/format.h>

namespace gpuadapt::ingest {
namespace {

constexpr std::int64_t kFindingsKept = 20;  ///< of each check in one run

}  // namespace

void LogFindings::add(Severity severity, const std::string& check, std::int64_t line, const Message& title,
                      const Message& evidence, const Message& advice) {
    std::int64_t same = 0;
    for (const Finding& finding : findings_)
        if (finding.check == check)
            ++same;
    if (same >= kFindingsKept) {
        ++left_out_[check];
        return;
    }
    Finding finding;
    finding.severity = severity;
    finding.check = check;
    finding.subject = clean_utf8(line > 0 ? fmt::format("{}:{}", file_, line) : file_);
    finding.title = {clean_utf8(title.en), clean_utf8(title.zh)};
    finding.evidence = {clean_utf8(evidence.en), clean_utf8(evidence.zh)};
    finding.advice = {clean_utf8(advice.en), clean_utf8(advice.zh)};
    findings_.push_back(std::move(finding));
}

std::vector<Finding> LogFindings::take() {
    for (const auto& [check, count] : left_out_)
        for (auto last = findings_.rbegin(); last != findings_.rend(); ++last)
            if (last->check == check) {
                last->evidence.en += fmt::format(" (and {} more like it)", count);
                last->evidence.zh += fmt::format("（另有 {} 条同类）", count);
                break;
            }
    return std::move(findings_);
}

RowOrder::Step RowOrder::step(const LogRow& row, const LogPreamble& preamble) {
    const std::string key = fmt::format("{}|{}|{}", row.type, row.redop, row.root.value_or(-1));
    const bool first_row = rows_ == 0;
    const bool at_start = row.size <= first_ || (preamble.min_bytes && row.size <= *preamble.min_bytes);
    if (key != key_ && !first_row && !at_start)
        return Step::stranger;
    ++rows_;
    if (key != key_) {
        const bool known = !seen_.insert(key).second;
        key_ = key;
        first_ = last_ = row.size;
        if (known)
            return Step::next_cycle;
        return Step::on;
    }
    const std::int64_t before = last_;
    last_ = row.size;
    if (first_row || row.size > before) {
        doubled_ = doubled_ || (before > 0 && row.size / 2 >= before);
        return Step::on;
    }
    if (row.size == before) {
        // Rounding to 16 bytes a rank can repeat a size in an additive sweep, never in one that doubles: twice a
        // chunk that is not empty is another chunk.
        if (row.size == 0 || (preamble.additive_step && !doubled_))
            return Step::on;
        return preamble.min_bytes && preamble.max_bytes && *preamble.min_bytes == *preamble.max_bytes ? Step::next_cycle
                                                                                                      : Step::disorder;
    }
    if (!at_start)
        return Step::disorder;
    first_ = row.size;
    seen_ = {key};
    return Step::next_cycle;
}

}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "ingest/support/made_log.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/ingest/nccl_log.hpp>

#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

std::vector<std::string> checks_after(const std::function<void(PerfPoint&)>& change) {
    Table table = read_nccl_log(test::make_log(test::MadeLog{}), {.file = "made.txt"}).runs.at(0).table;
    PerfPoint point = perf_point(table, table.rows[3]);
    change(point);
    table.rows[3] = perf_row(point);
    std::vector<std::string> checks;
    const std::size_t rows = table.rows.size();
    for (const Finding& finding : refuse_rows(table, "run.json")) {
        EXPECT_EQ(finding.severity, Severity::warning);
        EXPECT_EQ(finding.subject, "run.json: " + table.id);
        EXPECT_THAT(finding.evidence.en, testing::StartsWith("1 of 17 rows, first "));
        checks.push_back(finding.check);
    }
    EXPECT_EQ(table.rows.size(), checks.empty() ? rows : rows - 1);
    return checks;
}

TEST(PerfTableChecks, FindWhatTheChecksOfALogFind) {
    using testing::ElementsAre;
    EXPECT_THAT(checks_after([](PerfPoint&) {}), ElementsAre());
    EXPECT_THAT(checks_after([](PerfPoint& point) { point.size_bytes = -5; }), ElementsAre("LOG1"));
    EXPECT_THAT(checks_after([](PerfPoint& point) { point.in_place.wrong = -1; }), ElementsAre("LOG1"));
    EXPECT_THAT(
        checks_after([](PerfPoint& point) { point.in_place.time_us = std::numeric_limits<double>::infinity(); }),
        ElementsAre("LOG1"));
    EXPECT_THAT(checks_after([](PerfPoint& point) { point.out_of_place.algbw_gb_s = 1e300; }),
                ElementsAre("LOG2", "LOG3"));
    EXPECT_THAT(checks_after([](PerfPoint& point) { *point.in_place.busbw_gb_s *= 1.5; }), ElementsAre("LOG3"));
    EXPECT_THAT(checks_after([](PerfPoint& point) { point.in_place = {}; }), ElementsAre()) << "absent is not wrong";
}

}  // namespace
}  // namespace gpuadapt::ingest

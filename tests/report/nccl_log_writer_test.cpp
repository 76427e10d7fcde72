// SPDX-License-Identifier: Apache-2.0
#include "report/support/made_record.hpp"

#include <gpuadapt/ingest/nccl_log.hpp>
#include <gpuadapt/report/nccl_log_writer.hpp>

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::report {
namespace {

using testing::HasSubstr;

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

LogHeader header() {
    LogHeader made;
    made.tool_version = "0.1.0";
    made.library = "Open MPI v4.1.4";
    made.min_bytes = 8;
    made.max_bytes = 1 << 20;
    made.step_factor = 2;
    made.warmup_iterations = 1;
    made.iterations = 20;
    RankPlace place;
    place.host = "node1";
    place.pid = 77;
    made.ranks = {place};
    return made;
}

PerfPoint point() {
    PerfPoint made;
    made.size_bytes = 1 << 20;
    made.count = 1 << 19;
    made.type = "bfloat16";
    made.redop = "sum";
    made.root = -1;
    made.out_of_place = {1234.567, 0.84934, 1.48634, 0, {}, {}};
    made.in_place = {98.5, 10.6454, 18.6295, 3, {}, {}};
    return made;
}

TEST(NcclLogWriter, PrintsAsNcclTests) {
    NcclLogWriter writer(LogForm::nccl_tests);
    const std::string head = writer.begin_table("all_reduce", 8, header());
    EXPECT_EQ(head.rfind("---- mccl_test all_reduce_perf 8 ----\n", 0), 0U);
    EXPECT_THAT(head, HasSubstr("# gpuadapt version 0.1.0 library=Open_MPI_v4.1.4\n"));
    EXPECT_THAT(head, HasSubstr("# Collective test starting: all_reduce_perf\n"));
    EXPECT_THAT(head, HasSubstr("# nThread 1 nGpus 1 minBytes 8 maxBytes 1048576 step: 2(factor) warmup iters: 1 "
                                "iters: 20 agg iters: 1 validation: 1 graph: 0\n"));
    EXPECT_THAT(head, HasSubstr("#  Rank  0 Group  0 Pid     77 on      node1 device  - [-] host memory\n"));
    EXPECT_EQ(
        writer.row(point()),
        "     1048576        524288  bfloat16     sum      -1  1234.57    0.85    1.49       0    98.50   10.65   "
        "18.63       3\n");
    const std::string foot = writer.end_table();
    EXPECT_THAT(foot, HasSubstr("# Out of bounds values : 1 FAILED\n"));
    EXPECT_THAT(foot, HasSubstr("# Avg bus bandwidth    : 10.0579 \n"));
    EXPECT_THAT(foot, HasSubstr("# Collective test concluded: all_reduce_perf\n"));
    EXPECT_EQ(writer.end_table(), "");
}

TEST(NcclLogWriter, ACutTableHasNoFooter) {
    for (const LogForm form : {LogForm::nccl_tests, LogForm::guide}) {
        NcclLogWriter writer(form);
        std::string text = writer.begin_table("all_reduce", 8, header()) + writer.row(point());
        const std::string cut = writer.cut_table("rank 1 died, NCCL version 2.0+cuda1\n# Avg bus bandwidth    : 1");
        EXPECT_EQ(cut, form == LogForm::guide
                           ? ""
                           : "# gpuadapt: all_reduce_perf was cut off here: rank 1 died, NCCL version 2.0+cuda1\n");
        text += cut;
        EXPECT_EQ(writer.end_table(), "");
        const ingest::NcclLog log = ingest::read_nccl_log(text, {.file = "own.txt"});
        ASSERT_EQ(log.runs.size(), 1U);
        EXPECT_EQ(log.summary.not_understood, 0);
        EXPECT_FALSE(log.runs[0].complete);
        EXPECT_THAT(log.runs[0].findings, testing::Contains(testing::Field(&Finding::check, "LOG6")));
    }
}

TEST(NcclLogWriter, OfAnUnfinishedRecordTheLastTableIsCut) {
    Record record = test::made_record();
    record.finished.clear();
    const ingest::NcclLog log = ingest::read_nccl_log(nccl_log(record, LogForm::nccl_tests), {.file = "own.txt"});
    ASSERT_FALSE(log.runs.empty());
    EXPECT_EQ(std::count_if(log.runs.begin(), log.runs.end(), [](const auto& run) { return !run.complete; }), 1);
}

TEST(NcclLogWriter, FitsNumbersToTheirFields) {
    NcclLogWriter writer(LogForm::nccl_tests);
    static_cast<void>(writer.begin_table("alltoall", 2, header()));
    for (const auto& [value, time, bandwidth] :
         std::vector<std::tuple<double, const char*, const char*>>{{0.004, "0.00", "0.00"},
                                                                   {999.994, "999.99", "999.99"},
                                                                   {9999.99, "9999.99", "10000"},
                                                                   {1234.5, "1234.50", "1234.5"},
                                                                   {12345.67, "12345.7", "12346"},
                                                                   {1234567.4, "1234567", "1e+06"},
                                                                   {123456789.0, "1.2e+08", "1e+08"}}) {
        PerfPoint made = point();
        made.out_of_place.time_us = made.out_of_place.busbw_gb_s = value;
        made.in_place.wrong.reset();
        const std::vector<std::string> words = words_of(writer.row(made));
        ASSERT_EQ(words.size(), 13U);
        EXPECT_EQ(words[5], time) << value;
        EXPECT_EQ(words[7], bandwidth) << value;
        EXPECT_EQ(words[12], "N/A");
    }
}

TEST(NcclLogWriter, PrintsTheGuidesForm) {
    NcclLogWriter writer(LogForm::guide);
    const std::string head = writer.begin_table("all_gather", 16, header());
    EXPECT_EQ(head.rfind("---- mccl_test all_gather_perf 16 ----\n", 0), 0U);
    int head_lines = 0;
    std::istringstream stream(head);
    for (std::string line; std::getline(stream, line);)
        if (line.find("time") != std::string::npos && line.find("algbw") != std::string::npos)
            ++head_lines;
    EXPECT_EQ(head_lines, 1) << "the guide's script counts rows from it";
    PerfPoint made = point();
    std::vector<std::string> words = words_of(writer.row(made));
    ASSERT_EQ(words.size(), 14U) << "'#' and 13 words without an operation";
    EXPECT_EQ(words[0], "#");
    EXPECT_EQ(words[5], "N/A") << "kernel time not measured";
    EXPECT_EQ(words[8], "1.49") << "out-of-place busbw where the script looks for it";
    made.kernel_us = 27.701;
    static_cast<void>(writer.begin_table("reduce_scatter", 16, header()));
    words = words_of(writer.row(made));
    ASSERT_EQ(words.size(), 15U);
    EXPECT_EQ(words[6], "27.70");
    EXPECT_EQ(words[9], "1.49");
    static_cast<void>(writer.begin_table("sendrecv", 16, header()));
    made.redop = "none";
    EXPECT_EQ(words_of(writer.row(made))[4], "sum") << "as mccl_tests print it for sendrecv";
}

TEST(NcclLogWriter, IsReadBackByIngest) {
    Record record = test::made_record();
    record.finished = "2026-11-30T12:30:00Z";
    for (const LogForm form : {LogForm::nccl_tests, LogForm::guide}) {
        const std::string text = nccl_log(record, form);
        const ingest::NcclLog log = ingest::read_nccl_log(text, {.file = "own.txt"});
        ASSERT_EQ(log.runs.size(), 18U);
        EXPECT_EQ(log.summary.rows_refused, 0);
        EXPECT_EQ(log.summary.not_understood, 0);
        const std::vector<const Table*> tables = test::perf_tables(record);
        for (std::size_t i = 0; i < tables.size(); ++i) {
            const Table& own = *tables[i];
            const ingest::NcclLogRun& run = log.runs[i];
            for (const Finding& finding : run.findings)
                ADD_FAILURE() << own.id << " " << finding.check << " " << finding.title.en << " "
                              << finding.evidence.en;
            EXPECT_TRUE(run.complete);
            EXPECT_EQ(run.table.id, own.id);
            EXPECT_EQ(run.table.labels.at("ranks"), own.labels.at("ranks"));
            ASSERT_EQ(run.table.rows.size(), own.rows.size());
            for (std::size_t row = 0; row < own.rows.size(); ++row) {
                const PerfPoint was = perf_point(own, own.rows[row]);
                const PerfPoint is = perf_point(run.table, run.table.rows[row]);
                EXPECT_EQ(is.size_bytes, was.size_bytes);
                EXPECT_EQ(is.count, was.count);
                EXPECT_EQ(is.root, was.root);
                EXPECT_EQ(is.in_place.wrong, was.in_place.wrong);
                EXPECT_NEAR(*is.out_of_place.busbw_gb_s, *was.out_of_place.busbw_gb_s, 0.0051);
            }
        }
    }
}

TEST(NcclLogWriter, KeepsHostileNamesInTheirField) {
    LogHeader made = header();
    made.ranks[0].host = "a b\nc";
    made.ranks[0].device_name = "x\n1024 512 float sum -1 1 1 1 0 1 1 1 0";
    NcclLogWriter writer(LogForm::nccl_tests);
    const std::string head = writer.begin_table("all_reduce", 1, made);
    std::istringstream stream(head);
    for (std::string line; std::getline(stream, line);)
        EXPECT_TRUE(line.empty() || line[0] == '#' || line[0] == '-') << line;
}

TEST(NcclLogWriter, MarksWhatIsNotANumber) {
    PerfPoint made = point();
    made.out_of_place = {};
    made.in_place.busbw_gb_s = std::nan("");
    NcclLogWriter writer(LogForm::nccl_tests);
    static_cast<void>(writer.begin_table("all_reduce", 1, header()));
    const std::vector<std::string> words = words_of(writer.row(made));
    ASSERT_EQ(words.size(), 13U);
    for (const std::size_t at : {5U, 6U, 7U, 8U, 11U})
        EXPECT_EQ(words[at], "N/A");
    EXPECT_THAT(writer.end_table(), HasSubstr("Avg bus bandwidth    : 0 \n"));
}

TEST(NcclLogWriter, TakesItsHeaderFromTheRecord) {
    const Record record = test::made_record();
    const LogHeader made = log_header(record, 2);
    EXPECT_EQ(made.min_bytes, 1024);
    EXPECT_EQ(made.max_bytes, 1 << 20);
    EXPECT_EQ(made.step_factor, 2);
    EXPECT_EQ(made.iterations, 20);
    EXPECT_EQ(made.ranks.size(), 2U);
    EXPECT_EQ(log_header(Record{}, 2).iterations, 0);
}

}  // namespace
}  // namespace gpuadapt::report

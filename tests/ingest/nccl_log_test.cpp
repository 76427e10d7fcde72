// SPDX-License-Identifier: Apache-2.0
#include "ingest/log_line.hpp"
#include "ingest/support/made_log.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/ingest/nccl_log.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

using test::lines_of;
using test::made_time_us;
using test::MadeLog;
using test::make_log;
using test::text_of;

NcclLog read(const std::string& text) {
    return read_nccl_log(text, {.file = "made.txt"});
}

std::string label(const Table& table, const char* name) {
    const auto found = table.labels.find(name);
    return found == table.labels.end() ? "" : found->second;
}

bool has_finding(const std::vector<Finding>& findings, const std::string& check,
                 Severity at_least = Severity::warning) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.check == check && finding.severity >= at_least; });
}

/// All 17 rows of the made log, with the numbers that were printed.
void expect_made_rows(const NcclLog& log, const std::string& what, bool in_place = true) {
    ASSERT_EQ(log.runs.size(), 1U) << what;
    const Table& table = log.runs[0].table;
    ASSERT_EQ(table.rows.size(), 17U) << what;
    std::int64_t size = 1024;
    for (const Row& row : table.rows) {
        const PerfPoint point = perf_point(table, row);
        EXPECT_EQ(point.size_bytes, size) << what;
        ASSERT_TRUE(point.out_of_place.time_us && point.out_of_place.busbw_gb_s) << what;
        EXPECT_NEAR(*point.out_of_place.time_us, made_time_us(size, false), 0.0051) << what;
        EXPECT_EQ(point.in_place.busbw_gb_s.has_value(), in_place) << what;
        size *= 2;
    }
    EXPECT_EQ(log.summary.rows, 17) << what;
    EXPECT_EQ(log.summary.rows_refused, 0) << what;
}

TEST(NcclLog, ReadsARun) {
    const NcclLog log = read(make_log({}));
    expect_made_rows(log, "plain");
    const Table& table = log.runs[0].table;
    EXPECT_EQ(table.id, "perf/all_reduce/8");
    EXPECT_EQ(label(table, "collective"), "all_reduce");
    EXPECT_EQ(label(table, "collective_from"), "log");
    EXPECT_EQ(label(table, "ranks"), "8");
    EXPECT_EQ(label(table, "ranks_from"), "devices");
    EXPECT_EQ(label(table, "tool"), "nccl-tests");
    EXPECT_EQ(label(table, "version"), "2.17.9");
    EXPECT_EQ(label(table, "hosts"), "node1");
    EXPECT_EQ(label(table, "devices"), "8 x Made GPU");
    EXPECT_EQ(label(table, "library"), "nccl-headers=22803 nccl-library=22803");
    EXPECT_TRUE(label(table, "options").starts_with("nThread 1 nGpus 1 minBytes 1024 ")) << label(table, "options");
    EXPECT_EQ(label(table, "unit"), "GB/s");
    EXPECT_TRUE(log.runs[0].complete);
    EXPECT_TRUE(log.runs[0].findings.empty()) << log.runs[0].findings[0].title.en;
    EXPECT_TRUE(log.summary.findings.empty());
    const PerfPoint point = perf_point(table, table.rows[0]);
    EXPECT_EQ(point.count, 512);
    EXPECT_EQ(point.type, "bfloat16");
    EXPECT_EQ(point.redop, "sum");
    EXPECT_EQ(point.root, -1);
    EXPECT_EQ(point.out_of_place.wrong, 0);
    EXPECT_FALSE(point.kernel_us);
}

TEST(NcclLog, TellsWhatTheTestRanOn) {
    std::string text = make_log({});
    const std::string head = "# nccl-tests version 2.17.9 nccl-headers=22803 nccl-library=22803\n";
    std::string metax = text;
    metax.replace(0, head.size(), "The test is all_reduce_perf, the maca version is /opt/maca-9.8.7\n");
    EXPECT_EQ(label(read(metax).runs.at(0).table, "tool"), "mccl_tests");
    EXPECT_EQ(label(read(metax).runs.at(0).table, "version"), "") << "that is not the version of the tool";
    EXPECT_EQ(label(read(metax).runs.at(0).table, "library"), "MACA 9.8.7");
    std::string lines = text;
    const std::size_t behind = lines.find("#  Rank  0");
    lines.insert(behind, "NCCL version 2.99.1+cuda12.8\nNCCL version 2.99.1+cuda12.8\nHIP version  : 6.9\n");
    EXPECT_EQ(label(read(lines).runs.at(0).table, "library"),
              "nccl-headers=22803 nccl-library=22803; NCCL version 2.99.1+cuda12.8; HIP version  : 6.9");
    std::string two = text;
    two.replace(two.find("Made GPU", two.find("#  Rank  7")), 8, "Other GPU");
    EXPECT_EQ(label(read(two).runs.at(0).table, "devices"), "7 x Made GPU, 1 x Other GPU");
    std::string shortened = text;
    shortened.erase(shortened.find("#  Rank  3"), shortened.find("#  Rank  4") - shortened.find("#  Rank  3"));
    EXPECT_EQ(label(read(shortened).runs.at(0).table, "devices"), "Made GPU") << "how many is not listed";
    std::string host = text;
    for (std::size_t at = host.find("Made GPU"); at != std::string::npos; at = host.find("Made GPU"))
        host.replace(at, 8, "host memory");
    EXPECT_EQ(read(host).runs.at(0).table.labels.count("devices"), 0U) << "host memory is no GPU";
}

TEST(NcclLog, ReadsTheGuidesForm) {
    MadeLog made;
    made.named = false;
    made.banner = true;
    made.kernel_column = true;
    const NcclLog log = read(make_log(made));
    expect_made_rows(log, "kernel column");
    const Table& table = log.runs[0].table;
    EXPECT_EQ(label(table, "banner_name"), "all_reduce_perf");
    EXPECT_EQ(label(table, "banner_count"), "8");
    EXPECT_EQ(label(table, "kernel_column"), "yes");
    const PerfPoint point = perf_point(table, table.rows[0]);
    ASSERT_TRUE(point.kernel_us);
    EXPECT_NEAR(*point.kernel_us, made_time_us(1024, false) * 0.9, 0.0051);
}

TEST(NcclLog, CountsFromTheRightWhenTheOperationIsEmpty) {
    for (const bool kernel : {false, true}) {
        MadeLog made;
        made.collective = "all_gather";
        made.named = false;
        made.banner = true;
        made.redop = "";
        made.kernel_column = kernel;
        const NcclLog log = read(make_log(made));
        expect_made_rows(log, kernel ? "with kernel" : "without");
        const PerfPoint point = perf_point(log.runs[0].table, log.runs[0].table.rows[0]);
        EXPECT_EQ(point.redop, "");
        EXPECT_EQ(point.root, -1);
        EXPECT_EQ(point.kernel_us.has_value(), kernel);
        EXPECT_EQ(point.count, 64);
    }
}

TEST(NcclLog, ReadsAKernelColumnWithoutValues) {
    MadeLog made;
    made.kernel_column = true;
    std::vector<std::string> lines = lines_of(make_log(made));
    for (std::string& line : lines)
        if (line.find("bfloat16") != std::string::npos) {
            const std::size_t at = line.find("-1 ") + 3;
            line = line.substr(0, at) + "   N/A" + line.substr(line.find_first_of("0123456789", at) + 5);
        }
    const NcclLog log = read(text_of(lines));
    ASSERT_EQ(log.runs.size(), 1U);
    ASSERT_FALSE(log.runs[0].table.rows.empty());
    EXPECT_FALSE(perf_point(log.runs[0].table, log.runs[0].table.rows[0]).kernel_us);
}

TEST(NcclLog, ReadsOldVersions) {
    MadeLog reduce_only;  // 2.0 to 2.11: the operation, no root
    reduce_only.root_column = false;
    reduce_only.error_column = true;
    expect_made_rows(read(make_log(reduce_only)), "no root");
    MadeLog root_only;
    root_only.collective = "broadcast";
    root_only.redop_column = false;
    root_only.root = "0";
    root_only.error_column = true;
    expect_made_rows(read(make_log(root_only)), "no operation");
    MadeLog neither;
    neither.collective = "all_gather";
    neither.redop_column = neither.root_column = false;
    neither.error_column = true;
    const NcclLog log = read(make_log(neither));
    expect_made_rows(log, "neither");
    EXPECT_EQ(label(log.runs[0].table, "check"), "error");
    const PerfPoint point = perf_point(log.runs[0].table, log.runs[0].table.rows[0]);
    EXPECT_FALSE(point.root);
    EXPECT_EQ(point.out_of_place.wrong, 0) << "a small deviation, and the footer says that none is out of bounds";
    std::string cut = make_log(neither);
    cut.resize(cut.find("# Out of bounds"));
    const NcclLog no_footer = read(cut);
    EXPECT_FALSE(perf_point(no_footer.runs[0].table, no_footer.runs[0].table.rows[0]).out_of_place.wrong);
    MadeLog empty_cell;  // alltoall then: an operation column with an empty cell
    empty_cell.collective = "alltoall";
    empty_cell.root_column = false;
    empty_cell.redop = "";
    empty_cell.error_column = true;
    ASSERT_EQ(read(make_log(empty_cell)).runs.size(), 1U);
}

TEST(NcclLog, ReadsVersionOne) {
    const std::string log_text =
        "nThread 1 nGpus 8 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n"
        "#                                   out-of-place                    in-place\n"
        "#      bytes             N    type      op     time  algbw  busbw     res     time  algbw  busbw     res\n"
        "     1048576        262144   float     sum    0.050  20.97  36.70   2e-07    0.050  20.97  36.70   2e-07\n"
        "     2097152        524288   float     sum    0.080  26.21  45.88   2e-07    0.080  26.21  45.88   2e-07\n"
        " Out of bounds values : 0 OK\n Avg bus bandwidth    : 41.29\n";
    const NcclLog log = read(log_text);
    ASSERT_EQ(log.runs.size(), 1U);
    ASSERT_EQ(log.runs[0].table.rows.size(), 2U);
    const PerfPoint point = perf_point(log.runs[0].table, log.runs[0].table.rows[0]);
    EXPECT_DOUBLE_EQ(*point.out_of_place.time_us, 50);
    EXPECT_EQ(label(log.runs[0].table, "ranks"), "8");
}

TEST(NcclLog, TakesOffPrefixesAndTerminalNoise) {
    for (const char* prefix : {"[1,0]<stdout>:", "0: ", "[0] ", "> ", "    ", "\t", "[pod/launcher-x/mpi] ",
                               "[prterun-node1-77@1,0]<stdout>: ", "(head, rank=0, pid=77) ",
                               "Mon Nov 30 10:12:00 2026[1,0]<stdout>:", "2026-11-30T10:12:00.123456789Z ",
                               "Nov 30 10:12:00 node1 perf[77]: "}) {
        MadeLog made;
        made.prefix = prefix;
        const NcclLog log = read(make_log(made));
        expect_made_rows(log, prefix);
        EXPECT_EQ(label(log.runs[0].table, "collective_from"), "log") << prefix;
        EXPECT_EQ(label(log.runs[0].table, "ranks_from"), "devices") << prefix;
        EXPECT_TRUE(log.runs[0].complete) << prefix;
        EXPECT_EQ(log.summary.not_understood, 0) << prefix;
    }
    MadeLog windows;
    windows.line_end = "\r\n";
    expect_made_rows(read("\xef\xbb\xbf" + make_log(windows)), "CRLF and BOM");
    std::string coloured = make_log({});
    for (std::size_t at = coloured.find("busbw"); at != std::string::npos; at = coloured.find("busbw", at + 25))
        coloured.replace(at, 5, "\x1b[01;31m\x1b[Kbusbw\x1b[m\x1b[K");
    expect_made_rows(read(coloured), "colours of grep");
    std::string progress = make_log({});
    progress.insert(progress.find("        1024  "), "warming up 50%\rwarming up 100%\r");
    expect_made_rows(read(progress), "progress with CR");
    MadeLog eaten;
    std::string without_hashes = make_log(eaten);
    without_hashes.erase(std::remove(without_hashes.begin(), without_hashes.end(), '#'), without_hashes.end());
    expect_made_rows(read(without_hashes), "'#' eaten");
}

TEST(NcclLog, ReadsColumnsOnTheRight) {
    MadeLog stamped;
    stamped.head_tail = "            timestamp";
    stamped.row_tail = "  2026-11-30 10:05:03";
    expect_made_rows(read(make_log(stamped)), "time stamp");
    MadeLog counted;
    counted.head_tail = "  #iters";
    counted.row_tail = "   20";
    expect_made_rows(read(make_log(counted)), "#iters");
    MadeLog half;
    half.in_place = false;
    expect_made_rows(read(make_log(half)), "one half", false);
    MadeLog unchecked;
    unchecked.wrong_column = false;
    expect_made_rows(read(make_log(unchecked)), "no #wrong");
}

TEST(NcclLog, ScalesOtherUnits) {
    MadeLog made;
    made.unit = "MB/s";
    made.unit_per_gb = 1000;
    const NcclLog log = read(make_log(made));
    expect_made_rows(log, "MB/s");
    const PerfPoint point = perf_point(log.runs[0].table, log.runs[0].table.rows[16]);
    EXPECT_NEAR(*point.out_of_place.algbw_gb_s, 67108864 / made_time_us(67108864, false) / 1e3, 1e-4);
    EXPECT_TRUE(has_finding(log.runs[0].findings, "LOG9", Severity::note));
    EXPECT_FALSE(has_finding(log.runs[0].findings, "LOG4"));
    made.unit_per_gb = 1;  // says MB/s, prints GB/s: nothing agrees
    EXPECT_EQ(read(make_log(made)).summary.rows, 0);
}

TEST(NcclLog, MovesThePointOfANumberAsItIsPrinted) {
    for (const auto& [word, value] : {std::pair{"9950.00", 9.95}, {"4090", 4.09}, {"1.1e+04", 11}, {"0.07", 7e-05}})
        EXPECT_EQ(printed_number(word, -3)->value, value) << word;
    EXPECT_EQ(printed_number("0.057", 3)->value, 57);
    EXPECT_DOUBLE_EQ(printed_number("9950.00", -3)->half_unit, 5e-06);
    for (const char* zero : {"0e2147483647", "0.000e-2147483648", "0e99999999999"})
        EXPECT_EQ(printed_number(zero, 6).value_or(Printed{}).value, 0) << zero;
    EXPECT_FALSE(printed_number("1e308", 6));
}

TEST(NcclLog, KnowsCpuTime) {
    MadeLog made;
    made.time_head = "cputime";
    const NcclLog log = read(make_log(made));
    expect_made_rows(log, "cputime");
    EXPECT_EQ(label(log.runs[0].table, "time"), "cpu");
    EXPECT_TRUE(has_finding(log.runs[0].findings, "LOG9", Severity::note));
}

TEST(NcclLog, SplitsCyclesAndLongRuns) {
    MadeLog made;
    made.cycles = 3;
    const NcclLog log = read(make_log(made));
    ASSERT_EQ(log.runs.size(), 3U);
    EXPECT_EQ(log.runs[1].table.id, "perf/all_reduce/8/2");
    EXPECT_EQ(label(log.runs[2].table, "cycle"), "3");
    for (const NcclLogRun& run : log.runs) {
        EXPECT_EQ(run.table.rows.size(), 17U);
        EXPECT_TRUE(run.complete);
        EXPECT_TRUE(run.findings.empty());
    }
    NcclLogOptions small;
    small.file = "made.txt";
    small.row_limit = 5;
    const NcclLog pieces = read_nccl_log(make_log({}), small);
    ASSERT_EQ(pieces.runs.size(), 4U);
    EXPECT_EQ(pieces.summary.rows, 17);
    EXPECT_EQ(label(pieces.runs[3].table, "part"), "4");
    EXPECT_FALSE(has_finding(pieces.runs[3].findings, "LOG4"));
}

TEST(NcclLog, KeepsAFewHostsInEachTable) {
    MadeLog made;
    made.cycles = 3;
    std::string text = make_log(made);
    std::string lines;
    for (int rank = 8; rank < 4000; ++rank)
        lines += fmt::format("#  Rank {} Group  0 Pid 1 on host{} device  0 [0000:10:00] Made GPU\n", rank, rank);
    text.insert(text.find("#  Rank  0"), lines);
    const NcclLog log = read(text);
    ASSERT_EQ(log.runs.size(), 3U);
    for (const NcclLogRun& run : log.runs) {
        EXPECT_LT(label(run.table, "hosts").size(), 1000U);
        EXPECT_TRUE(label(run.table, "hosts").ends_with(", ...")) << label(run.table, "hosts");
    }
}

TEST(NcclLog, FeedsInAnyPieces) {
    const std::string text = make_log({});
    for (const std::size_t step : {1U, 7U, 4096U}) {
        NcclLog log;
        NcclLogReader reader({.file = "made.txt"}, [&log](NcclLogRun&& run) { log.runs.push_back(std::move(run)); });
        for (std::size_t at = 0; at < text.size(); at += step)
            reader.feed(std::string_view(text).substr(at, step));
        log.summary = reader.finish();
        expect_made_rows(log, "pieces of " + std::to_string(step));
    }
}

TEST(NcclLog, DeducesOnlyWhatTheColumnsForce) {
    MadeLog made;
    made.named = made.devices = false;
    NcclLog log = read(make_log(made));
    expect_made_rows(log, "unnamed");
    EXPECT_EQ(label(log.runs[0].table, "collective_from"), "deduced");
    EXPECT_EQ(label(log.runs[0].table, "ranks"), "8");
    EXPECT_EQ(label(log.runs[0].table, "ranks_from"), "deduced");
    EXPECT_TRUE(has_finding(log.runs[0].findings, "LOG7", Severity::note));
    made.collective = "gather";  // gather and scatter look alike
    made.redop = "none";
    made.root = "0";
    log = read(make_log(made));
    EXPECT_EQ(label(log.runs[0].table, "collective"), "unknown");
    EXPECT_TRUE(has_finding(log.runs[0].findings, "LOG7", Severity::unknown));
    log = read_nccl_log(make_log(made), {.file = "made.txt", .collective = "gather_perf"});
    EXPECT_EQ(label(log.runs[0].table, "collective"), "gather");
    EXPECT_EQ(label(log.runs[0].table, "ranks_from"), "count");
    made.collective = "broadcast";  // its factor is 1 for any number of ranks
    log = read(make_log(made));
    EXPECT_EQ(label(log.runs[0].table, "collective"), "broadcast");
    EXPECT_EQ(log.runs[0].table.labels.count("ranks"), 0U);
    EXPECT_TRUE(has_finding(log.runs[0].findings, "LOG8", Severity::unknown));
}

TEST(NcclLog, ReportsContradictions) {
    MadeLog made;
    made.devices = false;
    made.banner = true;
    std::string text = make_log(made);
    std::string wrong_count = text;
    wrong_count.replace(wrong_count.find("_perf 8 ----"), 12, "_perf 16 ----");
    NcclLog log = read(wrong_count);
    EXPECT_TRUE(has_finding(log.runs[0].findings, "LOG8"));
    EXPECT_EQ(label(log.runs[0].table, "ranks"), "8");
    std::string wrong_name = text;
    wrong_name.replace(wrong_name.find("mccl_test all_reduce"), 20, "mccl_test all_gather");
    log = read(wrong_name);
    EXPECT_TRUE(has_finding(log.runs[0].findings, "LOG7"));
    EXPECT_EQ(label(log.runs[0].table, "collective"), "all_reduce");
}

TEST(NcclLog, SaysWhenNothingIsThere) {
    EXPECT_TRUE(has_finding(read("").summary.findings, "LOG13"));
    EXPECT_TRUE(has_finding(read("hello\nworld\n").summary.findings, "LOG13"));
    EXPECT_EQ(read("hello\nworld\n").summary.not_understood, 2);
}

/// ASCII as UTF-16.
std::string wide(const std::string& text, bool big_endian, bool marked) {
    std::string bytes = !marked ? "" : big_endian ? "\xfe\xff" : "\xff\xfe";
    for (const char c : text)
        bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
    return bytes;
}

TEST(NcclLog, ReadsUtf16) {
    MadeLog made;
    made.line_end = "\r\n";
    for (const bool big_endian : {false, true})
        for (const bool marked : {false, true}) {
            const std::string text = wide(make_log(made), big_endian, marked);
            ASSERT_GT(text.size(), 4096U) << "so that the form is known before the end";
            const std::string what = std::string(big_endian ? "big" : "little") + (marked ? " marked" : "");
            expect_made_rows(read(text), what);
            NcclLog pieces;
            NcclLogReader reader({.file = "made.txt"},
                                 [&](NcclLogRun&& run) { pieces.runs.push_back(std::move(run)); });
            for (std::size_t at = 0; at < text.size(); at += 7)
                reader.feed(std::string_view(text).substr(at, 7));
            pieces.summary = reader.finish();
            expect_made_rows(pieces, what + " in pieces");
            EXPECT_EQ(label(pieces.runs[0].table, "version"), "2.17.9");
            EXPECT_EQ(pieces.summary.lines, read(make_log(made)).summary.lines);
        }
    // "测试" in front, as a person writes it.
    expect_made_rows(read("\x4b\x6d\xd5\x8b" + wide("\r\n" + make_log(made), false, false)), "Chinese title");
    EXPECT_EQ(read(wide("hello\nworld\n", false, true)).summary.lines, 2);
}

TEST(NcclLog, TakesManyCarriageReturnsInLinearTime) {
    const NcclLog log = read(std::string(5'000'000, '\r') + "\n" + make_log({}));
    expect_made_rows(log, "bare CR");
}

TEST(NcclLog, NamesCollectives) {
    EXPECT_EQ(collective_name("all_reduce_perf"), "all_reduce");
    EXPECT_EQ(collective_name("/opt/maca/samples/reduce_scatter_perf"), "reduce_scatter");
    EXPECT_EQ(collective_name("AllReduce"), "all_reduce");
    EXPECT_EQ(collective_name("alltoall"), "alltoall");
    EXPECT_FALSE(collective_name("perf"));
    EXPECT_FALSE(collective_name("all reduce"));
    EXPECT_FALSE(collective_name(""));
}

}  // namespace
}  // namespace gpuadapt::ingest

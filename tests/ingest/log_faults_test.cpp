// SPDX-License-Identifier: Apache-2.0
#include "ingest/support/made_log.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/ingest/nccl_log.hpp>

#include <algorithm>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

using test::lines_of;
using test::MadeLog;
using test::make_log;
using test::text_of;

NcclLog read(const std::string& text) {
    return read_nccl_log(text, {.file = "made.txt"});
}

/// Position of a data row's line: the `nth` that names the type.
std::size_t row_line(const std::vector<std::string>& lines, int nth) {
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].find("bfloat16") != std::string::npos && nth-- == 0)
            return i;
    return lines.size();
}

const Finding* finding_of(const NcclLog& log, const std::string& check) {
    for (const NcclLogRun& run : log.runs)
        for (const Finding& finding : run.findings)
            if (finding.check == check)
                return &finding;
    return nullptr;
}

struct Change {
    const char* what;
    const char* from;
    const char* to;
    const char* check;
};

TEST(NcclLogZeros, OfWhatWasNotComparedAreNoVerdict) {
    std::string text = make_log(MadeLog{});
    text.replace(text.find("validation: 1"), 13, "validation: 0");
    const NcclLog log = read(text);
    ASSERT_EQ(log.runs.size(), 1U);
    for (const Row& row : log.runs[0].table.rows) {
        const PerfPoint point = perf_point(log.runs[0].table, row);
        EXPECT_FALSE(point.out_of_place.wrong);
        EXPECT_FALSE(point.in_place.wrong);
    }
}

TEST(NcclLogZeros, AreNotMadeOfAColumnThatIsNotThere) {
    const NcclLog log = read(
        "$ ./all_reduce_perf -b 32k -e 64k -g 8\n"
        "           size    time   algbw   busbw\n"
        "            (B)    (us)  (GB/s)  (GB/s)\n"
        "         32_768   32.77    1.00    1.75\n"
        "         65_536   32.77    2.00    3.50\n");
    ASSERT_EQ(log.summary.rows, 2);
    const PerfPoint point = perf_point(log.runs[0].table, log.runs[0].table.rows[0]);
    EXPECT_EQ(point.size_bytes, 32768);
    EXPECT_FALSE(point.count);
    EXPECT_FALSE(point.root);
}

TEST(NcclLogFaults, RefusesAlteredRowsWithFileAndLine) {
    // Row 12 of the made log: 4194304 B, 118.x us, algbw 35.x, busbw 62.x
    const std::vector<std::string> lines = lines_of(make_log({}));
    const std::size_t at = row_line(lines, 12);
    ASSERT_LT(at, lines.size());
    for (const auto& [what, word, replacement, check] :
         std::vector<std::tuple<const char*, int, const char*, const char*>>{{"time", 5, "218.84", "LOG2"},
                                                                             {"algbw", 6, "45.44", "LOG2"},
                                                                             {"busbw", 7, "72.02", "LOG3"},
                                                                             {"size", 0, "4194305", "LOG1"},
                                                                             {"count", 1, "2097151", "LOG1"},
                                                                             {"type", 2, "floaty", nullptr},
                                                                             {"operation", 3, "summ", "LOG1"},
                                                                             {"root", 4, "-7", "LOG1"},
                                                                             {"masked", 7, "XX.XX", "LOG1"},
                                                                             {"infinite", 7, "inf", "LOG1"},
                                                                             {"not a number", 5, "nan", "LOG1"},
                                                                             {"negative", 9, "-118.84", "LOG1"},
                                                                             {"huge", 6, "1e400", "LOG1"},
                                                                             {"half an element", 8, "0.5", "LOG1"}}) {
        std::vector<std::string> changed = lines;
        std::vector<std::string> words;
        std::string rebuilt;
        std::istringstream stream(changed[at]);
        for (std::string one; stream >> one;)
            words.push_back(one);
        words[static_cast<std::size_t>(word)] = replacement;
        for (const std::string& one : words)
            rebuilt += "  " + one;
        changed[at] = rebuilt;
        const NcclLog log = read(text_of(changed));
        ASSERT_EQ(log.runs.size(), 1U) << what;
        EXPECT_EQ(log.runs[0].table.rows.size(), 16U) << what;
        for (const Row& row : log.runs[0].table.rows)
            EXPECT_NE(perf_point(log.runs[0].table, row).size_bytes, 4194304) << what;
        if (!check) {  // no longer looks like a row: the footer's mean tells
            EXPECT_TRUE(finding_of(log, "LOG4")) << what;
            continue;
        }
        const Finding* finding = finding_of(log, check);
        ASSERT_TRUE(finding) << what;
        EXPECT_EQ(finding->subject, fmt::format("made.txt:{}", at + 1)) << what;
        EXPECT_EQ(finding->severity, Severity::warning) << what;
        EXPECT_EQ(log.summary.rows_refused, 1) << what;
    }
}

TEST(NcclLogFaults, TellsMissingRowsByTheFooter) {
    std::vector<std::string> lines = lines_of(make_log({}));
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(row_line(lines, 3)));
    NcclLog log = read(text_of(lines));
    EXPECT_EQ(log.runs[0].table.rows.size(), 16U);
    ASSERT_TRUE(finding_of(log, "LOG4"));
    EXPECT_EQ(finding_of(log, "LOG4")->severity, Severity::warning);
}

TEST(NcclLogFaults, SeesThatALogEndsEarly) {
    const std::string whole = make_log({});
    std::vector<std::string> lines = lines_of(whole);
    const std::size_t last = row_line(lines, 16);
    lines.resize(last);
    NcclLog log = read(text_of(lines));
    EXPECT_EQ(log.runs[0].table.rows.size(), 16U);
    EXPECT_FALSE(log.runs[0].complete);
    EXPECT_TRUE(finding_of(log, "LOG6"));
    const std::size_t end = whole.find("# Out of bounds");
    log = read(whole.substr(0, end - 12));  // in the middle of the last row
    EXPECT_EQ(log.runs[0].table.rows.size(), 16U);
    EXPECT_TRUE(finding_of(log, "LOG1"));
    log = read(whole.substr(0, end - 1));  // only the line end is missing
    EXPECT_EQ(log.runs[0].table.rows.size(), 17U);
    EXPECT_TRUE(finding_of(log, "LOG1"));
}

TEST(NcclLogFaults, DoesNotTrustARowThatAnotherLineBreaks) {
    std::vector<std::string> lines = lines_of(make_log({}));
    const std::size_t at = row_line(lines, 8);
    const std::string row = lines[at];
    const std::string info = "node1:77:81 [1] NCCL INFO Channel 00/0 : 1[1] -> 0[0] via P2P/CUMEM";
    lines[at] = row.substr(0, 58) + info;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at) + 1, row.substr(58));
    NcclLog log = read(text_of(lines));
    EXPECT_EQ(log.runs[0].table.rows.size(), 16U);
    EXPECT_TRUE(finding_of(log, "LOG1"));
    EXPECT_TRUE(finding_of(log, "LOG4"));
    lines = lines_of(make_log({}));  // lines between rows do no harm
    for (int i = 0; i < 5; ++i)
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(row_line(lines, 3 * i)), info);
    log = read(text_of(lines));
    EXPECT_EQ(log.runs[0].table.rows.size(), 17U);
    EXPECT_TRUE(log.runs[0].findings.empty());
    EXPECT_EQ(log.summary.not_understood, 0);
}

TEST(NcclLogFaults, RefusesMixedOutputs) {
    const std::vector<std::string> one = lines_of(make_log({}));
    std::vector<std::string> both;
    for (const std::string& line : one) {
        both.push_back(line);
        both.push_back(line);
    }
    NcclLog log = read(text_of(both));
    EXPECT_EQ(log.summary.rows, 0);
    ASSERT_TRUE(finding_of(log, "LOG5"));
    EXPECT_EQ(finding_of(log, "LOG5")->severity, Severity::failure);
    for (const std::size_t offset : {3U, 9U, 20U, 25U}) {  // the second program starts later
        std::vector<std::string> mixed;
        for (std::size_t i = 0; i < one.size() + offset; ++i) {
            if (i < one.size())
                mixed.push_back(one[i]);
            if (i >= offset)
                mixed.push_back(one[i - offset]);
        }
        log = read(text_of(mixed));
        bool warned = false;
        for (const NcclLogRun& run : log.runs)
            for (const Finding& finding : run.findings)
                warned = warned || finding.severity >= Severity::warning;
        EXPECT_TRUE(warned) << offset;
    }
}

TEST(NcclLogFaults, ReportsWrongElements) {
    std::vector<std::string> lines = lines_of(make_log({}));
    const std::size_t at = row_line(lines, 4);
    const std::size_t wrong = lines[at].rfind('0');
    lines[at].replace(wrong, 1, "3");
    NcclLog log = read(text_of(lines));
    ASSERT_TRUE(finding_of(log, "LOG11"));
    EXPECT_EQ(finding_of(log, "LOG11")->severity, Severity::failure);
    EXPECT_EQ(perf_point(log.runs[0].table, log.runs[0].table.rows[4]).in_place.wrong, 3);
    std::string footer = make_log({});
    footer.replace(footer.find("values : 0 OK"), 13, "values : 2 FAILED");
    EXPECT_TRUE(finding_of(read(footer), "LOG11"));
    MadeLog old;
    old.error_column = true;
    std::string deviating = make_log(old);
    deviating.replace(deviating.find("5e-07"), 5, "3e+02");
    EXPECT_TRUE(finding_of(read(deviating), "LOG11"));
}

TEST(NcclLogFaults, KeepsWhatTheTestReports) {
    std::vector<std::string> lines = lines_of(make_log({}));
    lines.resize(row_line(lines, 5));
    lines.emplace_back("node1: Test NCCL failure common.cu:95 'unhandled system error / '");
    const NcclLog log = read(text_of(lines));
    ASSERT_TRUE(finding_of(log, "LOG12"));
    EXPECT_THAT(finding_of(log, "LOG12")->evidence.en, testing::HasSubstr("unhandled system error"));
}

TEST(NcclLogFaults, BoundsItsMemory) {
    NcclLogOptions options{.file = "made.txt"};
    options.line_limit = 200;
    const std::string text = std::string(1000, 'x') + "\n" + make_log({});
    NcclLog log = read_nccl_log(text, options);
    EXPECT_EQ(log.summary.rows, 17);
    EXPECT_EQ(log.summary.not_understood, 1);
    std::string rows = make_log({});
    for (int i = 0; i < 500; ++i)
        rows += "   1024  512  bfloat16  sum  -1  nonsense\n";
    log = read(rows);
    EXPECT_LT(log.runs[0].findings.size() + log.summary.findings.size(), 60U);
}

/// Rows by their size, as they are in the sound log.
std::map<std::int64_t, PerfPoint> points_of(const NcclLog& log) {
    std::map<std::int64_t, PerfPoint> points;
    for (const NcclLogRun& run : log.runs)
        for (const Row& row : run.table.rows) {
            const PerfPoint point = perf_point(run.table, row);
            points[point.size_bytes] = point;
        }
    return points;
}

bool differs(const std::optional<double>& a, const std::optional<double>& b, double reach) {
    return a.has_value() != b.has_value() || (a && std::abs(*a - *b) > reach);
}

/// True when a number of a row is another one than in the sound log, beyond what its printed digits allow: algbw of a
/// small size is printed as 0.06, so that any time that rounds to it passes.
bool wrong_number(const PerfPoint& point, const std::map<std::int64_t, PerfPoint>& sound) {
    const auto found = sound.find(point.size_bytes);
    if (found == sound.end())
        return true;
    for (const auto& [own, right] : {std::pair{&point.out_of_place, &found->second.out_of_place},
                                     std::pair{&point.in_place, &found->second.in_place}}) {
        if (differs(own->algbw_gb_s, right->algbw_gb_s, 0.0101) || differs(own->busbw_gb_s, right->busbw_gb_s, 0.0101))
            return true;
        // What the time says of algbw may be as far off as it is in the sound log, and a rounding more.
        const double bytes = static_cast<double>(point.size_bytes) / 1e3;
        const double own_gap = std::abs(bytes / own->time_us.value_or(1) - *right->algbw_gb_s);
        const double right_gap = std::abs(bytes / right->time_us.value_or(1) - *right->algbw_gb_s);
        if (own_gap > right_gap + 0.0101)
            return true;
    }
    return false;
}

std::string mutated(const std::string& text, std::mt19937& random) {
    const auto below = [&random](std::size_t n) {
        return static_cast<std::size_t>(random()) % std::max<std::size_t>(n, 1);
    };
    std::vector<std::string> lines = lines_of(text);
    std::string result = text;
    switch (below(7)) {
        case 0:  // cut at the end
            return text.substr(0, below(text.size()));
        case 1:  // cut at the beginning
            return text.substr(below(text.size()));
        case 2: {  // a piece is missing
            const std::size_t from = below(text.size());
            return result.erase(from, below(200));
        }
        case 3:  // noise between and in lines
            for (int i = 0; i < 5; ++i)
                result.insert(below(result.size()), "node1:77:81 [1] NCCL INFO Channel 00/0\n");
            return result;
        case 4:  // digits change
            for (int i = 0; i < 3; ++i) {
                const std::size_t at = result.find_first_of("0123456789", below(result.size()));
                if (at != std::string::npos)
                    result[at] = static_cast<char>('0' + below(10));
            }
            return result;
        case 5: {  // lines change places
            const std::size_t a = below(lines.size()), b = below(lines.size());
            std::swap(lines[a], lines[b]);
            return text_of(lines);
        }
        default: {  // interleaved with itself from somewhere on
            std::vector<std::string> mixed = lines;
            const std::size_t offset = below(lines.size());
            for (std::size_t i = 0; i < lines.size(); ++i)
                mixed.insert(mixed.begin() + static_cast<std::ptrdiff_t>(std::min(mixed.size(), offset + 2 * i)),
                             lines[i]);
            return text_of(mixed);
        }
    }
}

TEST(NcclLogFaults, NeverGivesAWrongNumberWithoutAFinding) {
    int harmed = 0;
    for (const char* collective : {"all_reduce", "all_gather", "sendrecv", "alltoall"})
        for (const bool kernel : {false, true}) {
            MadeLog made;
            made.collective = collective;
            made.redop = std::string(collective) == "all_reduce" || std::string(collective) == "sendrecv" ? "sum" : "";
            made.kernel_column = made.banner = kernel;
            made.named = !kernel;
            const std::string text = make_log(made);
            const auto sound = points_of(read(text));
            ASSERT_EQ(sound.size(), 17U);
            for (unsigned seed = 0; seed < 300; ++seed) {
                std::mt19937 random(seed);
                const std::string damaged = mutated(text, random);
                const NcclLog log = read(damaged);
                for (const NcclLogRun& run : log.runs) {
                    bool wrong = false;
                    for (const Row& row : run.table.rows)
                        wrong = wrong || wrong_number(perf_point(run.table, row), sound);
                    const bool told = std::any_of(run.findings.begin(), run.findings.end(), [](const Finding& finding) {
                        return finding.severity >= Severity::unknown;
                    });
                    if (wrong && !told)
                        FAIL() << collective << " seed " << seed << "\n" << damaged;
                    harmed += wrong ? 1 : 0;
                }
            }
        }
    RecordProperty("runs_with_wrong_numbers_and_findings", harmed);
}

}  // namespace
}  // namespace gpuadapt::ingest

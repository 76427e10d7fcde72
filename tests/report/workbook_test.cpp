// SPDX-License-Identifier: Apache-2.0
#include "report/data_sheets.hpp"
#include "report/support/made_record.hpp"
#include "report/support/xlsx_reader.hpp"
#include "report/xlsx.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/report/workbook.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpuadapt::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class WorkbookFile : public testing::Test {
  protected:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }
    [[nodiscard]] std::size_t files() const { return folder_.count(); }

    test::TempFolder folder_;
};

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string error_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::tool);
        return error.what();
    }
    return "";
}

TEST_F(WorkbookFile, HasTheFiveSheetsInOrder) {
    Record record = test::made_record();
    record.coverage = {4, 1, 2};
    for (int i = 0; i < 50; ++i) {
        Finding finding;
        finding.severity = i == 49 ? Severity::failure : Severity::warning;
        finding.check = i == 49 ? "DATA1" : "RUN1";
        finding.subject = fmt::format("table {}", i);
        finding.title = {"wrong elements", "数据错误"};
        finding.evidence = {"1 of 1024", "1024 个中 1 个"};
        record.findings.push_back(finding);
    }
    WorkbookContext context = workbook_context(record);
    context.sha256 = std::string(64, 'a');
    context.source = "run.json";
    write_workbook(path("zh.xlsx"), record, context);
    test::ReadBook book = test::read_book(path("zh.xlsx"));
    ASSERT_EQ(book.sheets.size(), kSheets.size());
    for (std::size_t i = 0; i < kSheets.size(); ++i)
        EXPECT_EQ(book.sheets[i].name, kSheets[i].name.zh);
    EXPECT_EQ(book.value("环境信息", "A1"), "服务器IP");
    EXPECT_EQ(book.value("环境信息", "B1"), "192.0.2.11");
    EXPECT_EQ(book.value("环境信息", "A19"), "通信库测试配置");
    EXPECT_EQ(book.value("环境信息", "F5"), "mccl_test");
    EXPECT_EQ(book.value("环境信息", "I5"), "1K");
    EXPECT_EQ(book.value("环境信息", "F6"), "all_gather_perf");
    EXPECT_EQ(book.value("环境信息", "G6"), "2");
    EXPECT_EQ(book.value("环境信息", "G7"), "4");
    EXPECT_EQ(book.value("环境信息", "T4"), "对比结果");  // F, 3 heads, 11 sizes
    EXPECT_EQ(book.value("环境信息", "A25"), "客户");     // 18 blocks end in row 23
    EXPECT_EQ(book.value("环境信息", "B28"), "2026-11-30");
    EXPECT_EQ(book.value("环境信息", "B29"), "run.json");
    EXPECT_EQ(book.value("环境信息", "B30"), std::string(64, 'a'));
    EXPECT_EQ(book.value("环境信息", "A31"), "检查结果");
    EXPECT_EQ(book.value("环境信息", "B31"), "故障 1，警告 49，未知 0，提示 0；检查项：已判定 4，未知 1，不适用 2");
    EXPECT_EQ(book.value("环境信息", "A32"), "故障 DATA1") << "the worst comes first";
    EXPECT_EQ(book.value("环境信息", "B32"), "table 49\n数据错误\n1024 个中 1 个");
    EXPECT_EQ(book.value("环境信息", "A33"), "警告 RUN1");
    EXPECT_EQ(book.value("环境信息", "B72"), "另有 10 项");
    EXPECT_EQ(book.value("测试数据", "A1"), "mccl_test");
    EXPECT_EQ(book.value("测试数据", "D3"), "") << "the operation of a copy";
    EXPECT_EQ(book.value("测试数据", "F3"), "") << "no kernel time";
    EXPECT_EQ(book.value("测试数据", "A3"), "1024");
    EXPECT_THAT(book.value("DP数据", "A4"), HasSubstr("gpuadapt perf"));
    EXPECT_THAT(book.value("P2P数据", "A4"), HasSubstr("gpuadapt p2p"));
    EXPECT_EQ(book.value("TOPO信息", "A4"), "node1");
    context.lang = Lang::en;
    write_workbook(path("en.xlsx"), record, context);
    book = test::read_book(path("en.xlsx"));
    for (std::size_t i = 0; i < kSheets.size(); ++i)
        EXPECT_EQ(book.sheets[i].name, kSheets[i].name.en);
    EXPECT_EQ(book.value("Environment", "A1"), "Server IP");
    EXPECT_EQ(files(), 2U) << "temporary files are gone";
}

TEST_F(WorkbookFile, GivesEqualBytesForEqualInput) {
    const Record record = test::made_record();
    write_workbook(path("a.xlsx"), record, workbook_context(record));
    write_workbook(path("b.xlsx"), record, workbook_context(record));
    EXPECT_EQ(bytes_of(path("a.xlsx")), bytes_of(path("b.xlsx")));
    EXPECT_THAT(test::read_book(path("a.xlsx")).parts.at("docProps/core.xml"), HasSubstr("2026-11-30T12:00:00Z"));
    Record undated = record;
    undated.started = "";
    write_workbook(path("c.xlsx"), undated, workbook_context(undated));
    EXPECT_THAT(test::read_book(path("c.xlsx")).parts.at("docProps/core.xml"), HasSubstr("1980-01-01T00:00:00Z"));
}

TEST_F(WorkbookFile, GivesBlocksOfOtherSizesTheirOwnHead) {
    Record record = test::made_record();
    record.tables.resize(4);
    std::vector<Row>& rows = record.tables[2].rows;
    rows.erase(rows.begin() + 3);  // a row that was refused: its column stays empty
    Table& other = record.tables[3];
    for (Row& row : other.rows) {
        PerfPoint point = perf_point(other, row);
        point.requested_bytes.reset();
        point.size_bytes = point.size_bytes * 3 / 2;
        row = perf_row(point);
    }
    write_workbook(path("x.xlsx"), record, workbook_context(record));
    const test::ReadBook book = test::read_book(path("x.xlsx"));
    EXPECT_EQ(book.value("环境信息", "F8"), "all_reduce_perf");
    EXPECT_EQ(book.value("环境信息", "L8"), "");
    EXPECT_NE(book.value("环境信息", "M8"), "");
    EXPECT_EQ(book.value("环境信息", "F9"), "mccl_test");
    EXPECT_EQ(book.value("环境信息", "I9"), "1536");
    EXPECT_EQ(book.value("环境信息", "F10"), "all_reduce_perf");
}

TEST_F(WorkbookFile, IsWholeWithoutAnyMeasurement) {
    Record record;
    write_workbook(path("x.xlsx"), record, workbook_context(record));
    const test::ReadBook book = test::read_book(path("x.xlsx"));
    EXPECT_EQ(book.value("环境信息", "B1"), "未读到");
    EXPECT_THAT(book.value("环境信息", "F6"), HasSubstr("gpuadapt perf"));
    EXPECT_EQ(book.value("测试数据", "A4"), "本记录未测量。测量命令为 gpuadapt perf。");
    EXPECT_THAT(book.value("DP数据", "A4"), HasSubstr("后续版本"));
    EXPECT_THAT(book.value("P2P数据", "A4"), HasSubstr("后续版本"));
    EXPECT_THAT(book.value("TOPO信息", "A4"), HasSubstr("gpuadapt probe"));
    EXPECT_EQ(book.value("环境信息", "A19"), "通信库测试配置");
}

TEST_F(WorkbookFile, WritesTheNumbersThatALogShows) {
    Record record = test::made_record();
    record.tables.resize(1);
    Table& table = record.tables[0];
    PerfPoint point = perf_point(table, table.rows[0]);
    for (PerfHalf* half : {&point.out_of_place, &point.in_place})
        half->busbw_gb_s = 9.95;  // its double is a little less
    table.rows[0] = perf_row(point);
    write_workbook(path("x.xlsx"), record, workbook_context(record));
    const test::ReadBook book = test::read_book(path("x.xlsx"));
    EXPECT_EQ(book.value("环境信息", "I6"), "9.95");
    EXPECT_EQ(book.value("测试数据", "I3"), "9.95");
}

TEST_F(WorkbookFile, FillsTheFormFromTheHeaderOfALog) {
    Record record = test::made_record();
    record.tables.resize(2);
    for (Table& table : record.tables) {
        table.labels["line"] = "9";
        table.labels["tool"] = "nccl-tests";
        table.labels["version"] = "2.99.0";
        table.labels["library"] = "NCCL version 2.98.1";
        table.labels["devices"] = "8 x Made GPU";
        table.labels["options"] = "nThread 1 nGpus 1 minBytes 8";
    }
    WorkbookContext context;
    const auto write = [&] {
        write_workbook(path("x.xlsx"), record, context);
        return test::read_book(path("x.xlsx"));
    };
    test::ReadBook book = write();
    EXPECT_EQ(book.value("环境信息", "B13"), "8 x Made GPU（据日志表头）");
    EXPECT_EQ(book.value("环境信息", "B17"), "nccl-tests 2.99.0; NCCL version 2.98.1（据日志表头）");
    EXPECT_EQ(book.value("环境信息", "B19"), "nThread 1 nGpus 1 minBytes 8（据日志表头）");
    EXPECT_EQ(book.value("环境信息", "B18"), "未读到");
    EXPECT_EQ(book.value("环境信息", "F20"), "");
    record.tables[1].labels["devices"] = "8 x Other GPU";
    book = write();
    EXPECT_EQ(book.value("环境信息", "B13"), "8 x Made GPU（据日志表头）");
    EXPECT_THAT(book.value("环境信息", "F20"), HasSubstr("与首个测试不同"));
    record.tables[1].labels.erase("devices");
    EXPECT_EQ(write().value("环境信息", "F20"), "") << "who names none does not name others";
    context = workbook_context(test::made_record());
    EXPECT_THAT(write().value("环境信息", "B13"), Not(HasSubstr("日志"))) << "the machine itself knows better";
    context = {};
    record.tables[0].labels.erase("line");
    EXPECT_EQ(write().value("环境信息", "B13"), "未读到") << "no table of a log";
}

TEST_F(WorkbookFile, LeavesOutCellsThatHaveNoPlace) {
    {
        XlsxFile file(path("x.xlsx"), "cells", "");
        XlsxSheet& sheet = file.add_sheet("a");
        sheet.text(2, 3, "first", {});
        sheet.text(2, 3, "again", {});
        sheet.text(2, 1, "left of it", {});
        sheet.text(1, 0, "above", {});
        sheet.text(2, kSheetColumns, "behind the last column", {});
        sheet.text(kSheetRows, 0, "below the last row", {});
        sheet.number(2, 4, 7, {});
        sheet.text(3, 0, "next", {});
        file.finish();
    }
    const test::ReadBook book = test::read_book(path("x.xlsx"));
    std::vector<std::string> cells;
    for (const auto& [place, cell] : book.sheet("a").cells)
        cells.push_back(place + " " + cell.value);
    EXPECT_THAT(cells, testing::UnorderedElementsAre("D3 first", "E3 7", "A4 next"));
    EXPECT_THAT(book.parts.at("xl/worksheets/sheet1.xml"), HasSubstr("<dimension ref=\"A3:E4\"/>"));
}

TEST_F(WorkbookFile, KeepsHostileTextsAsTexts) {
    Record record = test::made_record();
    record.tables.resize(1);
    Table& table = record.tables[0];
    table.labels["banner_name"] = "=HYPERLINK(\"http://x\",\"y\")";
    PerfPoint point = perf_point(table, table.rows[0]);
    point.type = "=1+1";
    point.redop = "<b>&\x01\xff";
    point.out_of_place.algbw_gb_s = std::numeric_limits<double>::infinity();
    table.rows[0] = perf_row(point);
    Machine& machine = record.machines[0].machine;
    machine.dmi.system_vendor = "http://example.org";
    machine.dmi.product_name = "@SUM(A1)\nsecond";
    machine.os.name = std::string(40000, 'x');
    machine.os.kernel = "mailto:x";
    write_workbook(path("x.xlsx"), record, workbook_context(record));
    const test::ReadBook book = test::read_book(path("x.xlsx"));
    for (const test::ReadSheet& sheet : book.sheets)
        for (const auto& [place, cell] : sheet.cells)
            EXPECT_FALSE(cell.formula) << sheet.name << place;
    for (const auto& [name, part] : book.parts)
        EXPECT_EQ(part.find("<hyperlink"), std::string::npos) << name;
    EXPECT_EQ(book.value("测试数据", "C3"), "=1+1");
    EXPECT_EQ(book.value("测试数据", "D3"), "<b>& \xef\xbf\xbd");
    EXPECT_EQ(book.value("测试数据", "H3"), "N/A");
    EXPECT_THAT(book.value("环境信息", "F6"), testing::StartsWith("=HYPERLINK(\"http://x\",\"y\") =1+1"));
    EXPECT_LE(book.value("环境信息", "B15").size(), 32769U);
    EXPECT_THAT(book.value("环境信息", "B15"), testing::EndsWith("…"));
}

TEST_F(WorkbookFile, NamesAPathThatCannotBeWritten) {
    const Record record = test::made_record();
    const auto write = [&](const std::string& to) {
        return error_of([&] { write_workbook(to, record, workbook_context(record)); });
    };
    EXPECT_THAT(write(path("no/such/folder.xlsx")), HasSubstr("no/such/folder.xlsx"));
    EXPECT_THAT(write(folder_.path()), HasSubstr(folder_.path()));
    EXPECT_THAT(write("/dev/full"), HasSubstr("/dev/full"));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    EXPECT_EQ(files(), 0U);
}

TEST_F(WorkbookFile, LeavesNothingOfTheLibrarysOnTheTerminal) {
    const Record record = test::made_record();
    testing::internal::CaptureStderr();
    const std::string said = error_of([&] { write_workbook("/dev/full", record, workbook_context(record)); });
    std::fputs("shown again", stderr);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "shown again");
    EXPECT_THAT(said, HasSubstr("No space left"));
}

TEST_F(WorkbookFile, LeavesAnOldFileUntilTheNewOneIsWhole) {
    std::ofstream(path("x.xlsx")) << "old";
    const Record record = test::made_record();
    {
        Workbook workbook(path("x.xlsx"), workbook_context(record));
        workbook.add_table(record.tables[0]);
    }  // given up
    EXPECT_EQ(bytes_of(path("x.xlsx")), "old");
    EXPECT_EQ(files(), 1U);
    fs::create_symlink("x.xlsx", path("link.xlsx"));
    write_workbook(path("link.xlsx"), record, workbook_context(record));
    EXPECT_TRUE(fs::is_symlink(path("link.xlsx")));
    EXPECT_EQ(test::read_book(path("x.xlsx")).sheets.size(), 5U);
}

/// A full disk, made by a limit on the size of files: in a child, since the limit cannot be taken back.
int write_with_limit(const std::string& path, rlim_t limit, std::string* said) {
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit own{limit, limit};
        setrlimit(RLIMIT_FSIZE, &own);
        Record record = test::made_record();
        const std::vector<Row> rows = record.tables[0].rows;
        for (int i = 0; i < 200; ++i)
            record.tables[0].rows.insert(record.tables[0].rows.end(), rows.begin(), rows.end());
        const std::string text = error_of([&] { write_workbook(path, record, workbook_context(record)); });
        const auto sent = write(ends[1], text.data(), text.size());
        _exit(text.empty() || sent < 0 ? 0 : 4);
    }
    close(ends[1]);
    char piece[4096];
    for (ssize_t got = 0; (got = read(ends[0], piece, sizeof piece)) > 0;)
        said->append(piece, static_cast<std::size_t>(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(WorkbookFile, NeverLeavesADamagedFileOnAFullDisk) {
    for (const rlim_t limit : {200U, 3000U, 10000U, 20000U, 60000U, 100000U, 300000U}) {
        std::string said;
        const int status = write_with_limit(path("x.xlsx"), limit, &said);
        EXPECT_EQ(status, 4) << limit;
        EXPECT_THAT(said, HasSubstr(path("x.xlsx"))) << limit;
        EXPECT_EQ(files(), 0U) << limit;
    }
    std::string said;
    EXPECT_EQ(write_with_limit(path("x.xlsx"), 50'000'000, &said), 0) << said;
    EXPECT_EQ(test::read_book(path("x.xlsx")).sheets.size(), 5U);
}

TEST_F(WorkbookFile, GoesOnInAFurtherSheet) {
    const Record record = test::made_record();
    const Table& table = record.tables[0];
    std::vector<PerfPoint> points;
    for (const Row& row : table.rows)
        points.push_back(perf_point(table, row));
    {
        XlsxFile file(path("x.xlsx"), "rows", "");
        TestDataSheet data(file, file.add_sheet("测试数据"), Lang::zh, 20);
        for (int i = 0; i < 3; ++i)
            data.add_block(block_name(table), points);
        file.finish();
    }
    const test::ReadBook book = test::read_book(path("x.xlsx"));
    ASSERT_EQ(book.sheets.size(), 3U);
    EXPECT_EQ(book.sheets[1].name, "测试数据 (2)");
    std::size_t rows = 0;
    for (const test::ReadSheet& sheet : book.sheets)
        for (const auto& [place, cell] : sheet.cells) {
            rows += place[0] == 'C' && cell.value == "bfloat16" ? 1 : 0;
            EXPECT_LE(std::stoul(place.substr(place.find_first_of("0123456789"))), 20U);
        }
    EXPECT_EQ(rows, 3 * points.size());
    EXPECT_THAT(book.sheets[1].cells.at("A1").value, HasSubstr("测试数据"));
    EXPECT_EQ(book.sheets[1].cells.at("B2").value, "all_gather_perf") << "the heads stand there again";
}

TEST(Workbook, OrdersTablesByCollectiveAndCount) {
    Record record;
    for (const auto& [collective, ranks] :
         std::vector<std::pair<const char*, int>>{{"b", 4}, {"a", 8}, {"b", 2}, {"a", 2}, {"b", 16}})
        record.tables.push_back(make_perf_table(collective, ranks));
    record.tables.push_back({"other", {}, {}, {}, {}});
    std::vector<std::string> ids;
    for (const Table* table : ordered_perf_tables(record))
        ids.push_back(table->id);
    EXPECT_THAT(ids, testing::ElementsAre("perf/b/2", "perf/b/4", "perf/b/16", "perf/a/2", "perf/a/8"));
}

TEST(Workbook, TakesTextsAsACellCanHoldThem) {
    EXPECT_EQ(cell_text_of("a\nb"), "a\nb");
    EXPECT_EQ(cell_text_of("a\tb\r"), "a b ");
    EXPECT_EQ(cell_text_of(std::string(32767, 'x')).size(), 32767U);
    EXPECT_EQ(cell_text_of(std::string(32768, 'x')).substr(32766), "…");
    std::string wide;
    for (int i = 0; i < 20000; ++i)
        wide += "😀";  // two UTF-16 units
    const std::string cut = cell_text_of(wide);
    EXPECT_TRUE(is_utf8(cut));
    EXPECT_LE(cut.size(), std::size_t{4} * 16384);
}

}  // namespace
}  // namespace gpuadapt::report

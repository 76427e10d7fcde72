// SPDX-License-Identifier: Apache-2.0
#include "report/support/made_record.hpp"
#include "report/support/xlsx_reader.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/report/workbook.hpp>

#include <array>

#include <gtest/gtest.h>

namespace gpuadapt::report {
namespace {

class BusbwTable : public testing::Test {
  protected:
    [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }

    test::TempFolder folder_;
};

TEST_F(BusbwTable, LeavesCountsThatNobodyToldEmpty) {
    Record record = test::made_record();
    record.tables.resize(1);
    PerfPoint point = perf_point(record.tables[0], record.tables[0].rows[0]);
    point.count.reset();
    record.tables[0].rows[0] = perf_row(point);
    write_workbook(path("x.xlsx"), record, workbook_context(record));
    EXPECT_EQ(test::read_book(path("x.xlsx")).value("测试数据", "B3"), "");
}

TEST_F(BusbwTable, TellsSizesApartThatWouldRoundAlike) {
    Record record = test::made_record();
    record.tables.resize(1);
    Table& table = record.tables[0];
    table.rows.resize(3);
    const std::array<std::int64_t, 3> sizes = {2976, 3000, 3072};
    for (const bool guide_form : {false, true}) {
        if (guide_form)
            table.labels["kernel_column"] = "yes";
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            PerfPoint point = perf_point(table, table.rows[i]);
            point.size_bytes = sizes[i];
            point.requested_bytes.reset();
            table.rows[i] = perf_row(point);
        }
        write_workbook(path("x.xlsx"), record, workbook_context(record));
        const test::ReadBook book = test::read_book(path("x.xlsx"));
        EXPECT_EQ(book.value("环境信息", "I5"), "2976");
        EXPECT_EQ(book.value("环境信息", "J5"), "3000");
        EXPECT_EQ(book.value("环境信息", "K5"), "3K");
    }
    table.rows.resize(1);
    write_workbook(path("x.xlsx"), record, workbook_context(record));
    EXPECT_EQ(test::read_book(path("x.xlsx")).value("环境信息", "I5"), "3K") << "as the guide's script rounds 2976";
}

TEST_F(BusbwTable, NamesTypeAndOperationWhereThereAreSeveral) {
    Record record = test::made_record();
    record.tables.resize(1);
    Table& table = record.tables[0];
    table.rows.resize(2);
    const std::vector<Row> sweep = table.rows;
    const auto add = [&](const std::string& type, const std::string& redop) {
        for (const Row& row : sweep) {
            PerfPoint point = perf_point(table, row);
            point.type = type;
            point.redop = redop;
            table.rows.push_back(perf_row(point));
        }
    };
    const std::string type = perf_point(table, sweep[0]).type;
    const std::string redop = perf_point(table, sweep[0]).redop;
    add("double", redop);
    const auto write = [&] {
        write_workbook(path("x.xlsx"), record, workbook_context(record));
        return test::read_book(path("x.xlsx"));
    };
    test::ReadBook book = write();
    EXPECT_EQ(book.value("环境信息", "F6"), "all_gather_perf " + type);
    EXPECT_EQ(book.value("环境信息", "F7"), "all_gather_perf double");
    EXPECT_NE(book.value("环境信息", "I7"), "") << "below the same sizes";
    EXPECT_EQ(book.value("环境信息", "K5"), "") << "each size once";
    add("double", "max");
    book = write();
    EXPECT_EQ(book.value("环境信息", "F7"), "all_gather_perf double " + redop);
    EXPECT_EQ(book.value("环境信息", "F8"), "all_gather_perf double max");
    Table other = table;
    other.rows = {table.rows[2], table.rows[3]};
    table.rows.resize(2);
    record.tables.push_back(other);
    book = write();
    EXPECT_EQ(book.value("环境信息", "F6"), "all_gather_perf") << "one type: the guide's own form";
    EXPECT_EQ(book.value("环境信息", "F7"), "all_gather_perf double");
}

}  // namespace
}  // namespace gpuadapt::report

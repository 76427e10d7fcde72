// SPDX-License-Identifier: Apache-2.0
#include "report/support/made_record.hpp"
#include "report/support/xlsx_reader.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/report/workbook.hpp>

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TopologySheet : public testing::Test {
  protected:
    test::TempFolder folder_;
    const std::string path_ = folder_.path("x.xlsx");
};

std::string topology_texts(const test::ReadBook& book) {
    std::string all;
    for (const auto& [place, cell] : book.sheet("TOPO信息").cells)
        all += cell.value + "\n";
    return all;
}

TEST_F(TopologySheet, NamesTheGpusAsTheMatrixDoes) {
    Record record = test::made_record();
    std::vector<Gpu>& gpus = record.machines[0].machine.gpus;
    for (std::size_t i = 0; i < gpus.size(); ++i)
        gpus[i].index = static_cast<int>(gpus.size() - 1 - i);
    write_workbook(path_, record, workbook_context(record));
    const test::ReadBook book = test::read_book(path_);
    std::map<std::string, std::string> names;
    for (const auto& [place, cell] : book.sheet("TOPO信息").cells)
        if (place.starts_with('C') && cell.value.starts_with("0000:"))
            names[cell.value] = book.value("TOPO信息", "A" + place.substr(1));
    EXPECT_EQ(names[gpus.front().address], "GPU7");
    EXPECT_EQ(names[gpus.back().address], "GPU0");
}

TEST_F(TopologySheet, ShowsTheTopologyThatIsKnown) {
    const Record record = test::made_record();
    write_workbook(path_, record, workbook_context(record));
    const std::string all = topology_texts(test::read_book(path_));
    for (const char* text : {"0-63", "512 GiB", "10 32", "0000:10:01.0", "  0000:11:00.0", "32 GT/s x16", "0x1d",
                             "GPU7", "NODE = ", "├─ 根复合体 0000:10", "Made C1", "eth0", "mlx5_0 port 1", "400 Gb/s"})
        EXPECT_THAT(all, HasSubstr(text));
}

TEST_F(TopologySheet, ShowsTheVendorsMatrixWithoutATree) {
    TopologyMatrix theirs;
    theirs.tool = "mx-smi topo -m";
    theirs.names = {"GPU0", "GPU1"};
    theirs.cells = {{"X", "MX7"}, {"MX7", "X"}};
    Record record;
    record.machines = {{"node1", {}}};
    record.machines[0].machine.vendor_topology = {theirs};
    write_workbook(path_, record, workbook_context(record));
    const std::string all = topology_texts(test::read_book(path_));
    for (const char* text : {"厂商工具的矩阵\n", "mx-smi topo -m", "GPU1\n", "MX7\n"})
        EXPECT_THAT(all, HasSubstr(text));
}

TEST_F(TopologySheet, SaysThatTheVendorsTextGoesOn) {
    Record record = test::made_record();
    TopologyMatrix& theirs = record.machines[0].machine.vendor_topology.emplace_back();
    theirs.names = {"GPU0"};
    const auto texts = [&](int lines) {
        theirs.text.clear();
        for (int i = 1; i <= lines; ++i)
            theirs.text += "line " + std::to_string(i) + "\n";
        write_workbook(path_, record, workbook_context(record));
        return topology_texts(test::read_book(path_));
    };
    EXPECT_THAT(texts(256), AllOf(HasSubstr("line 256\n"), Not(HasSubstr("另有"))));
    EXPECT_THAT(texts(300), AllOf(HasSubstr("line 256\n"), Not(HasSubstr("line 257\n")), HasSubstr("另有 44 行")));
}

TEST_F(TopologySheet, SaysNoNetworkOnlyOfAWholeMachine) {
    Record record;
    record.machines = {{"node1", {}}};
    Machine& machine = record.machines[0].machine;
    const auto below_the_title = [&] {
        write_workbook(path_, record, workbook_context(record));
        const test::ReadBook book = test::read_book(path_);
        int row = 1;
        while (row < 100 && book.value("TOPO信息", "A" + std::to_string(row)) != "网络")
            ++row;
        return book.value("TOPO信息", "A" + std::to_string(row + 1));
    };
    EXPECT_EQ(below_the_title(), "未读到");
    machine.interfaces.emplace_back().name = "lo";
    machine.interfaces.back().kind = "loopback";
    EXPECT_EQ(below_the_title(), "未见物理网口");
    machine.sources["interfaces"] = "ip.txt";
    EXPECT_EQ(below_the_title(), "未读到");
}

}  // namespace
}  // namespace gpuadapt::report

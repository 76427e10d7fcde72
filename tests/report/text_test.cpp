// SPDX-License-Identifier: Apache-2.0
#include "report/facts.hpp"
#include "report/support/made_record.hpp"
#include "report/text_layout.hpp"
#include "report/unread_text.hpp"

#include <gpuadapt/report/text.hpp>

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

bool is_ascii(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void expect_fits(const std::string& text, std::size_t width) {
    EXPECT_TRUE(text.empty() || text.back() == '\n');
    EXPECT_TRUE(is_utf8(text));
    for (const std::string& line : lines_of(text))
        EXPECT_LE(display_width(line), width) << line;
}

Machine long_machine() {
    Machine machine = test::made_server();
    machine.dmi.product_name = std::string(200, 'P');
    machine.cpu.model = "一个很长很长很长很长很长很长很长很长很长很长很长很长很长很长很长很长的处理器名称";
    machine.os.name = "bad \xff bytes \x1b[31m";
    machine.pci_devices.back().device_name = std::string(150, 'N');
    for (int i = 0; i < 30; ++i)
        machine.unread.push_back({"/sys/kernel/debug/" + std::string(static_cast<std::size_t>(i), 'x'),
                                  i % 2 ? "permission denied" : "time-out"});
    return machine;
}

std::vector<Finding> made_findings() {
    Finding note{Severity::note, "ENV1", "node1", {"a note", "提示"}, {}, {}, false};
    Finding ok{Severity::ok, "ENV2", "node1", {"fine", "正常"}, {}, {}, false};
    Finding failure{Severity::failure,
                    "DATA1",
                    "all_reduce/4",
                    {"wrong elements in the result", "结果中有错误元素"},
                    {"size 1024, #wrong 3", "size 1024，#wrong 3"},
                    {std::string(150, 'a') + " find the link", "请定位链路"},
                    false};
    Finding unknown{
        Severity::unknown, "ACS1", "0000:10:01.0", {"not read", "未读到"}, {"needs root", "需root"}, {}, true};
    return {note, ok, failure, unknown};
}

TEST(TextViews, TellNumaNodesThatOnlyDevicesName) {
    Machine machine;
    for (const char* address : {"0000:17:00.0", "0000:18:00.0", "0000:97:00.0"}) {
        machine.pci_devices.emplace_back().address = address;
        machine.pci_devices.back().numa_node = address[5] == '9' ? 1 : 0;
    }
    EXPECT_THAT(machine_summary(machine, {}),
                HasSubstr("NUMA        0: 2 PCI devices; 1: 1 PCI device; CPUs and memory not read"));
    machine.pci_devices.resize(1);
    machine.pci_devices[0].numa_node = -1;
    EXPECT_THAT(machine_summary(machine, {}), HasSubstr("NUMA        not read"));
}

TEST(TextViews, CountCoresOfAnyText) {
    Machine machine;
    machine.cpu.sockets = 2'147'483'647;
    machine.cpu.cores_per_socket = 65535;
    EXPECT_THAT(machine_summary(machine, {}), HasSubstr("140735340806145 cores"));
}

TEST(TextViews, ASpeedThatIsNotKnownIsSaidInWords) {
    Machine machine;
    for (const char* state : {"up", "down", ""}) {
        NetInterface interface;
        interface.name = "e" + std::string(state);
        if (*state != '\0')
            interface.state.emplace(state);
        machine.interfaces.push_back(interface);
    }
    machine.interfaces[0].driver.emplace("made");
    machine.rdma_devices.resize(1);
    machine.rdma_devices[0].name = "mlx5_0";
    machine.rdma_devices[0].ports.resize(2);
    machine.rdma_devices[0].ports[0] = {1, "ACTIVE", {}, "Ethernet", {}, {}, {}, {}, {}, {}, {}, {}};
    machine.rdma_devices[0].ports[1] = {2, "ACTIVE", {}, "Ethernet", 400.0, {}, {}, {}, {}, {}, {}, {}};
    const std::string text = machine_summary(machine, {});
    for (const char* line : {"eup up, speed not known (made)\n", "edown down\n", "e state not known, speed not known\n",
                             "mlx5_0/1 ACTIVE Ethernet, speed not known\n", "mlx5_0/2 ACTIVE Ethernet 400 Gb/s\n"})
        EXPECT_THAT(text, HasSubstr(line));
    TextStyle chinese;
    chinese.lang = Lang::zh;
    EXPECT_THAT(machine_summary(machine, chinese), HasSubstr("eup up, 速率未知 (made)"));
}

TEST(TextViews, FitTheTerminalInEveryLanguage) {
    const Record record = test::made_record();
    for (const Lang lang : {Lang::en, Lang::zh})
        for (const bool unicode : {true, false})
            for (const std::size_t width : {std::size_t{40}, std::size_t{80}, std::size_t{200}}) {
                const TextStyle style{lang, width, unicode, false};
                std::string all;
                for (const Machine& machine : {test::made_server(), long_machine(), Machine{}}) {
                    all += machine_summary(machine, style);
                    all += pci_tree(machine, style);
                }
                all += findings_list(made_findings(), style);
                all += perf_summary(record.tables, style);
                all += coverage_line({38, 4, 12}, made_findings(), style);
                expect_fits(all, width);
                EXPECT_EQ(all.find('\x1b'), std::string::npos);
                EXPECT_TRUE(unicode || is_ascii(all));
                EXPECT_EQ(all.find("内存") != std::string::npos, unicode && lang == Lang::zh);
            }
}

TEST(TextViews, SummariseAMachine) {
    const std::string text = machine_summary(test::made_server(), {});
    for (const char* part : {"node1", "Made Systems MS-8000", "2 x Made CPU 9654", "1 TiB", "Made Linux 12",
                             "kernel 6.1.0-44-amd64", "IOMMU off", "8 x Made C1, Gen5 x16", "mlx5_0/1 ACTIVE Ethernet",
                             "192.0.2.11", "MACA 3.8.1", "0000:11:00.0 .. 0000:12:00.0: 2 x Made C1"})
        EXPECT_THAT(text, HasSubstr(part));
    EXPECT_LE(lines_of(text).size(), 50U);
    const std::string empty = machine_summary({}, {});
    EXPECT_THAT(empty, HasSubstr("not read"));
    EXPECT_THAT(empty, Not(HasSubstr("IOMMU off")));
    EXPECT_THAT(machine_summary(long_machine(), {}), HasSubstr("permission denied: /sys/kernel/debug/"));
}

std::string line_with(const std::string& text, const std::string& label) {
    for (const std::string& line : lines_of(text))
        if (line.starts_with(label))
            return line.substr(line.find_first_not_of(' ', label.size()));
    return "";
}

TEST(TextViews, SayNoneOnlyOfAWholeMachine) {
    Machine machine = test::made_server();
    machine.gpus.clear();
    machine.rdma_devices.clear();
    machine.interfaces.clear();
    machine.addresses.clear();
    machine.interfaces.emplace_back().name = "lo";
    machine.interfaces.back().kind = "loopback";
    EXPECT_EQ(line_with(machine_summary(machine, {}), "GPUs"), "none");
    EXPECT_EQ(line_with(machine_summary(machine, {}), "Network"), "no physical interface seen");
    machine.sources = {{"pci_devices", "lspci.txt"}, {"interfaces", "ip.txt"}};
    EXPECT_EQ(line_with(machine_summary(machine, {}), "GPUs"), "not read");
    EXPECT_EQ(line_with(machine_summary(machine, {}), "Network"), "not read");
    EXPECT_EQ(line_with(machine_summary({}, {}), "GPUs"), "not read");
    EXPECT_EQ(line_with(machine_summary({}, {}), "Network"), "not read");
}

TEST(TextViews, SayWhatOfAGpuWasNotRead) {
    Machine machine = test::made_server();
    for (PciDevice& device : machine.pci_devices)
        device.link = {};
    EXPECT_EQ(line_with(machine_summary(machine, {}), "GPUs"), "8 x Made C1, link not read");
    EXPECT_EQ(counted(1, "chip"), "1 chip");
    EXPECT_EQ(counted(2, "chip"), "2 chips");
    machine.cpu.logical_cpus = -1;  // a record may say anything, but no number is to be made of it
    EXPECT_THAT(machine_summary(machine, {}), HasSubstr("-1 CPUs online"));
}

TEST(TextViews, SayWhatStandsElsewhere) {
    Machine machine;
    machine.vendor_topology.push_back({"topo.txt", "", {"GPU0", "GPU1", "NIC0"}, {}, {}});
    PciDevice bridge;
    bridge.address = "0000:07:00.0";
    bridge.class_code = 0x060400;
    bridge.class_name = "PCI bridge";
    machine.pci_devices.push_back(bridge);
    EXPECT_THAT(machine_summary(machine, {}), HasSubstr("link matrix of 2 GPUs (topo.txt): --topology shows it"));
    EXPECT_THAT(machine_summary(machine, {}),
                HasSubstr("and 1 PCI function not drawn: 1 x PCI bridge (--json lists all 1)"));
    PciDevice slow;  // as a kernel log tells of it
    slow.address = "0000:08:00.0";
    slow.link.current_gt_s = 8;
    slow.link.current_width = 8;
    slow.link.capable_width = 16;
    slow.link.capable_gt_s = 8;
    machine.pci_devices.push_back(slow);
    EXPECT_THAT(machine_summary(machine, {}), HasSubstr("Gen3 x8 (of Gen3 x16)"));
    EXPECT_THAT(machine_summary(machine, {Lang::zh}), HasSubstr("另有 1 个PCI功能未画出：1 x PCI bridge"));
}

TEST(TextViews, SayWhatADeadPortDoes) {
    Machine machine;
    for (const char* name : {"mlx5_10", "mlx5_2"}) {
        RdmaDevice device;
        device.name = name;
        RdmaPort port;
        port.number = 1;
        port.state = "DOWN";
        port.phys_state = "Polling";
        port.link_layer = "InfiniBand";
        port.rate_gbit_s = 10;
        device.ports.push_back(port);
        machine.rdma_devices.push_back(device);
    }
    const std::string text = machine_summary(machine, {});
    EXPECT_THAT(text, HasSubstr("mlx5_2/1 DOWN (Polling) InfiniBand\n"));
    EXPECT_LT(text.find("mlx5_2/1"), text.find("mlx5_10/1"));
}

TEST(TextViews, NameNoTypeOfAModuleThatHasNone) {
    Machine machine;
    machine.dimms.resize(1);
    machine.dimms[0].size_bytes = std::int64_t{16} << 30;
    machine.dimms[0].speed_mt_s = 1866;
    EXPECT_THAT(machine_summary(machine, {}), HasSubstr("1866 MT/s"));
    EXPECT_THAT(machine_summary(machine, {}), Not(HasSubstr("?-")));
}

TEST(TextViews, SayHowToSeeTheRest) {
    Machine machine;
    for (int i = 10; i < 60; ++i) {
        machine.pci_devices.emplace_back().address = "0000:" + std::to_string(i) + ":00.0";
        machine.pci_devices.back().device_name = "D" + std::to_string(i);
        machine.pci_devices.back().class_code = 0x020000;
    }
    EXPECT_THAT(machine_summary(machine, {}), HasSubstr("and 26 more lines: see --topology, or --json for all"));
}

TEST(TextViews, NameNothingTwiceAndNoEmptyLists) {
    Machine machine;
    machine.numa_nodes.resize(2);
    machine.numa_nodes[0].cpus = "0-31";
    machine.numa_nodes[1].id = 1;
    machine.numa_nodes[1].cpus = "";
    PciDevice device;
    device.address = "0000:00:01.1";
    device.class_code = 0x020000;
    machine.pci_devices = {device};
    EXPECT_THAT(machine_summary(machine, {}), HasSubstr("0: CPU 0-31, ?; 1: no CPUs, ?"));
    EXPECT_THAT(pci_tree(machine, {}), HasSubstr("0000:00:01.1"));
    EXPECT_THAT(pci_tree(machine, {}), Not(HasSubstr("0000:00:01.1 0000:00:01.1")));
}

TEST(TextViews, SurviveADamagedTree) {
    Machine machine = test::made_server();
    machine.pci_devices[0].parent = machine.pci_devices[1].address;
    machine.pci_devices[1].parent = machine.pci_devices[0].address;
    machine.pci_devices[2].parent = machine.pci_devices[2].address;
    expect_fits(pci_tree(machine, {}), 80);
}

TEST(TextViews, ListTheWorstFirst) {
    const std::string text = findings_list(made_findings(), {});
    const std::vector<std::string> lines = lines_of(text);
    EXPECT_EQ(lines[0], "failure DATA1 all_reduce/4: wrong elements in the result");
    EXPECT_THAT(text, HasSubstr("    ->"));
    EXPECT_LT(text.find("ACS1"), text.find("ENV1"));
    EXPECT_LT(text.find("DATA1"), text.find("ACS1"));
    EXPECT_THAT(text, Not(HasSubstr("ENV2")));
    EXPECT_EQ(findings_list({}, {}), "");
    const std::string coloured = findings_list(made_findings(), {Lang::en, 80, true, true});
    EXPECT_EQ(coloured.rfind("\x1b[31mfailure\x1b[0m DATA1", 0), 0U);
}

TEST(TextViews, SummariseMeasurements) {
    const Record record = test::made_record();
    const std::string text = perf_summary(record.tables, {});
    const std::vector<std::string> lines = lines_of(text);
    ASSERT_EQ(lines.size(), 19U);
    EXPECT_THAT(lines[3], HasSubstr("all_reduce"));
    EXPECT_THAT(lines[3], HasSubstr("@ 1K"));
    EXPECT_THAT(lines[3], HasSubstr("@ 1M"));
    EXPECT_THAT(lines[3], HasSubstr("1 (+4.0 %)"));
    EXPECT_THAT(perf_summary({}, {}), HasSubstr("nothing was measured"));
    Record odd = record;
    for (Row& row : odd.tables[2].rows) {
        PerfPoint point = perf_point(odd.tables[2], row);
        point.size_bytes = point.size_bytes * 9000 / 1024;
        row = perf_row(point);
    }
    EXPECT_THAT(lines_of(perf_summary(odd.tables, {}))[3], HasSubstr("@ 9000 ")) << "K is 1024 bytes, not about so";
    Record wrong = record;
    PerfPoint point = perf_point(wrong.tables[4], wrong.tables[4].rows[0]);  // alltoall
    point.out_of_place.wrong = 7;
    point.in_place.wrong = 100;  // not defined: not counted
    wrong.tables[4].rows[0] = perf_row(point);
    const std::string counted = perf_summary(std::span(wrong.tables).subspan(4, 1), {});
    EXPECT_THAT(lines_of(counted)[1], HasSubstr(" 7 "));
}

TEST(TextViews, TellCoverage) {
    EXPECT_EQ(lines_of(coverage_line({38, 1, 12}, made_findings(), {}))[0],
              "38 evaluated, 1 unknown, 12 not applicable");
    EXPECT_THAT(coverage_line({38, 1, 12}, made_findings(), {}), HasSubstr("ACS1: needs root"));
}

TEST(TextLayoutLines, BreakAtBlanksAndBetweenChineseCharacters) {
    EXPECT_THAT(broken("one two three", 8, 8), testing::ElementsAre("one two", "three"));
    EXPECT_THAT(broken("abcdefgh", 4, 3), testing::ElementsAre("abcd", "efg", "h"));
    EXPECT_THAT(broken("中文字符测试", 6, 6), testing::ElementsAre("中文字", "符测试"));
    EXPECT_THAT(broken("内核，容器", 4, 4), testing::ElementsAre("内", "核，", "容器"));
    EXPECT_THAT(broken("容器（无）", 6, 6), testing::ElementsAre("容器", "（无）"));
    EXPECT_THAT(broken("，，，，", 4, 4), testing::ElementsAre("，，", "，，"));
    EXPECT_THAT(broken("one two", 3, 3), testing::ElementsAre("one", "two"));
    EXPECT_THAT(broken("", 6, 6), testing::ElementsAre(""));
    EXPECT_EQ(to_ascii("├─ 2 × “中”…"), "|- 2 x \"?\"...");
}

TEST(UnreadText, SaysReasonsInBothLanguages) {
    const std::pair<const char*, const char*> reasons[] = {
        {"permission denied", "权限不足"},
        {"no answer after 5000 ms", "5000 ms 内无响应"},
        {"permission denied: 4 of 41 devices", "权限不足：41 个设备中的 4 个"},
        {"only the first 64 bytes can be read; run as root: 1 of 1 device",
         "只能读到前64字节；请以root运行：1 个设备中的 1 个"},
        {"the list of extended capabilities is broken at 0x100", "extended capabilities 链表在 0x100 处损坏"},
        {"0000:12:00.0: the device does not answer (rev ff)", "0000:12:00.0：设备无响应（rev ff）"},
        {"dmidecode says Core Count 4 and Core Enabled 1: cores a socket are not known",
         "dmidecode 中 Core Count 为 4，Core Enabled 为 1：每颗核数未知"},
        {"lscpu counts 3 sockets of 4 cores, more than its 8 CPUs: cores a socket are not known",
         "lscpu 计为 3 颗、每颗 4 核，多于其 8 个逻辑CPU：每颗核数未知"},
        {"mlx5_1: cannot be opened: Permission denied", "mlx5_1：无法打开：Permission denied"},
        {"mlx5_0: port 2 cannot be queried: Input/output error", "mlx5_0：端口 2 无法查询：Input/output error"},
        {"its list of devices cannot be read: Operation not permitted", "无法读取设备列表：Operation not permitted"},
        {"the end of dmidecode's output is missing: memory modules and processors cannot be counted",
         "dmidecode 的输出缺少结尾：内存条与处理器数量未知"},
        {"0000:12:00.0: all bits are set: the device does not answer", "0000:12:00.0：全为1：设备无响应"},
        {"of 1 device lspci was not allowed to read the capabilities: links and ACS are unknown; run it as root",
         "1 个设备：lspci 无权读取能力寄存器，链路与ACS未知；请以root运行"},
        {"of 29 devices only the place in the tree is told: class, link and ACS are unknown; lspci -D -nn -vvv as root "
         "prints them",
         "29 个设备：只有树中的位置，类别、链路与ACS未知；请以root运行 lspci -D -nn -vvv"},
        {"of 2 devices only the name is told: links and ACS are unknown; lspci -D -nn -vvv as root prints them",
         "2 个设备：只有名称，链路与ACS未知；请以root运行 lspci -D -nn -vvv"},
        {"of 2 devices no registers are told: links and ACS are unknown; lspci -D -nn -vvv as root prints them",
         "2 个设备：没有寄存器内容，链路与ACS未知；请以root运行 lspci -D -nn -vvv"},
        {"of 4 devices the bytes of the configuration space are not told; lspci -D -nn -vvv -xxxx as root prints them",
         "4 个设备：没有配置空间的字节；请以root运行 lspci -D -nn -vvv -xxxx"},
        {"of 4 devices there are only the first 64 bytes of the configuration space (lspci -x): links and ACS are "
         "unknown; lspci -xxxx as root prints them",
         "4 个设备：只有配置空间的前64字节（lspci -x），链路与ACS未知；请以root运行 lspci -xxxx"},
        {"of 4 devices there are only 256 bytes of the configuration space (lspci -xxx): in the bytes there is no ACS; "
         "lspci -xxxx as root prints them",
         "4 个设备：只有配置空间的前256字节（lspci -xxx），其中没有ACS；请以root运行 lspci -xxxx"},
        {"more than 100 facts", "超过 100 项"},
        {"Input/output error", "Input/output error"},
    };
    for (const auto& [english, chinese] : reasons) {
        EXPECT_EQ(unread_reason(english).en, english);
        EXPECT_EQ(unread_reason(english).zh, chinese);
    }
    const std::string endless(1 << 20, 'x');
    EXPECT_EQ(unread_reason(endless).zh, endless);
}

TEST(MachineText, SaysInChineseWhatCouldNotBeRead) {
    Machine machine;
    machine.unread = {{"/sys/firmware/dmi/tables/DMI", "permission denied"}};
    TextStyle style;
    style.lang = Lang::zh;
    EXPECT_THAT(machine_summary(machine, style), HasSubstr("权限不足: /sys/firmware/dmi/tables/DMI"));
}

}  // namespace
}  // namespace gpuadapt::report

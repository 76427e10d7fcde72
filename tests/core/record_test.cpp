// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/perf_table.hpp>
#include <gpuadapt/core/record.hpp>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

PerfPoint sample_point() {
    PerfPoint point;
    point.requested_bytes = 1000;
    point.size_bytes = 992;
    point.count = 248;
    point.type = "float";
    point.redop = "sum";
    point.root = -1;
    point.out_of_place.time_us = 2.0;
    point.out_of_place.algbw_gb_s = 0.496;
    point.out_of_place.busbw_gb_s = 0.496;
    point.out_of_place.wrong = 0;
    point.out_of_place.spread_us = Summary{.n = 20, .min = 1.5, .p50 = 2, .p99 = 3, .max = 4, .mean = 0, .mad = 0.25};
    point.out_of_place.rank_mean_us = {1.9, 2.1};
    point.in_place.time_us = 3;
    return point;
}

Record sample_record() {
    Record record;
    record.tool_version = "0.1.0";
    record.run_id = "abc";
    record.started = "2026-11-30T12:00:00Z";
    record.finished = "2026-11-30T12:01:00Z";
    HostMachine host;
    host.host = "node-a";
    host.machine.dmi.product_name = "测试服务器 \"X\"";
    host.machine.cpu.sockets = 2;
    host.machine.cpu.idle_states = {"POLL", "-C6"};
    NumaNode node;
    node.cpus = "0-3";
    node.memory_bytes = 1LL << 40;
    node.distances = {10, 21};
    host.machine.numa_nodes = {node};
    PciDevice device;
    device.address = "0000:3a:00.0";
    device.class_code = 0x060400;
    device.acs = PciAcs{0x5f, 0x1d};
    device.link.current_gt_s = 32.0;
    host.machine.pci_devices = {device};
    host.machine.unread = {{"/sys/class/dmi/id/product_serial", "permission denied"}};
    record.machines = {host};
    Launch launch;
    launch.command = {"gpuadapt", "perf"};
    launch.backend = "host";
    launch.ranks = {{.rank = 0, .host = "node-a", .pid = 12, .device = {}, .device_name = {}, .pci_address = {}}};
    record.launch = launch;
    Table table = make_perf_table("all_reduce", 2);
    table.rows.push_back(perf_row(sample_point()));
    record.tables = {table};
    Finding finding;
    finding.severity = Severity::failure;
    finding.check = "DATA1";
    finding.subject = "perf/all_reduce/2";
    finding.title = {"wrong data", "数据错误"};
    record.findings = {finding};
    record.coverage = {3, 1, 0};
    return record;
}

std::string error_of(const std::string& text) {
    try {
        static_cast<void>(read_record(text, "run.json"));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "no error";
}

TEST(Record, ComesBackFromJson) {
    const Record record = sample_record();
    EXPECT_EQ(read_record(to_json(record), "run.json"), record);
    EXPECT_EQ(to_json(read_record(to_json(record), "run.json")), to_json(record));
    const Machine& machine = record.machines[0].machine;
    EXPECT_EQ(read_machine(to_json(machine), "m.json"), machine);
}

TEST(Record, AbsentIsNotWritten) {
    const std::string text = to_json(Machine{});
    EXPECT_THAT(text, ::testing::Not(HasSubstr("product_name")));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("iommu_active")));
}

TEST(Record, DamagedTextNamesFileAndPlace) {
    EXPECT_THAT(error_of("{\n \"tool\": \"gpuadapt\",\n oops }"), AllOf(HasSubstr("run.json"), HasSubstr("line 3")));
    EXPECT_THAT(error_of(""), HasSubstr("run.json"));
    const std::string whole = to_json(sample_record());
    EXPECT_THAT(error_of(whole.substr(0, whole.size() / 2)), AllOf(HasSubstr("run.json"), HasSubstr("line")));
}

TEST(Record, ForeignAndNewerAreRefused) {
    EXPECT_THAT(error_of("{\"a\": 1}"), HasSubstr("no gpuadapt record"));
    EXPECT_THAT(error_of("[1, 2]"), HasSubstr("run.json"));
    EXPECT_THAT(error_of("null"), HasSubstr("run.json"));
    EXPECT_THAT(error_of("{\"tool\": \"gpuadapt\", \"schema\": 99}"), HasSubstr("newer"));
    EXPECT_THAT(error_of("{\"tool\": \"gpuadapt\"}"), HasSubstr("/schema"));
}

TEST(Record, WrongTypesNameTheJsonPath) {
    EXPECT_THAT(
        error_of(R"({"tool": "gpuadapt", "schema": 1, "machines": [{"machine": {"cpu": {"sockets": "two"}}}]})"),
        HasSubstr("/machines/0/machine/cpu/sockets: a whole number expected"));
    EXPECT_THAT(error_of(R"({"tool": "gpuadapt", "schema": 1, "findings": [{"severity": "bad"}]})"),
                HasSubstr("/findings/0/severity"));
    EXPECT_THAT(error_of(R"({"tool": "gpuadapt", "schema": 1, "tables":
                [{"id": "t", "columns": [{"id": "a", "unit": "", "type": "integer"}], "rows": [[1, 2]]}]})"),
                HasSubstr("/tables/0/rows/0"));
    EXPECT_THAT(
        error_of(R"({"tool": "gpuadapt", "schema": 1, "machines": [{"machine": {"cpu": {"sockets": 4294967296}}}]})"),
        HasSubstr("32 bits"));
}

TEST(Record, UnknownKeysAreForNewerWriters) {
    EXPECT_NO_THROW(static_cast<void>(read_record(R"({"tool": "gpuadapt", "schema": 1, "later": {"x": [1]}})", "r")));
}

TEST(Record, NotANumberBecomesAbsent) {
    Record record = sample_record();
    PerfPoint point = sample_point();
    point.out_of_place.busbw_gb_s = std::numeric_limits<double>::quiet_NaN();
    record.tables[0].rows = {perf_row(point)};
    const Record back = read_record(to_json(record), "r");
    EXPECT_FALSE(perf_point(back.tables[0], back.tables[0].rows[0]).out_of_place.busbw_gb_s.has_value());
}

std::string part_text(const Record& record) {
    std::string text = part::header(record) + "\n";
    for (const Table& table : record.tables) {
        text += part::table(table) + "\n";
        for (const Row& row : table.rows)
            text += part::row(table.id, row) + "\n";
    }
    for (const Finding& finding : record.findings)
        text += part::finding(finding) + "\n";
    return text;
}

TEST(Part, LinesMakeTheSameRecord) {
    Record record = sample_record();
    record.coverage = {};
    EXPECT_EQ(read_record(part_text(record), "run.json.part"), record);
}

TEST(Part, MachinesAreKeptOncePerHost) {
    Record record;
    HostMachine machine{"b", {}};
    machine.machine.cpu.sockets = 2;
    EXPECT_EQ(part::apply(record, part::machine(machine), "x").kind, part::Applied::Kind::machine);
    part::apply(record, part::machine({"b", {}}), "x");
    part::apply(record, part::machine({"c", {}}), "x");
    ASSERT_EQ(record.machines.size(), 2U);
    EXPECT_EQ(record.machines[0], machine);
}

TEST(Part, EveryCutIsReadUpToThere) {
    Record record = sample_record();
    record.tables[0].rows.resize(3, record.tables[0].rows[0]);
    const std::string text = part_text(record);
    const std::size_t first_line = text.find('\n');
    for (std::size_t length = first_line; length <= text.size(); ++length) {
        const std::string cut = text.substr(0, length);
        const Record read = read_record(cut, "run.json.part");
        EXPECT_EQ(read.run_id, "abc");
        const auto complete_rows = [&cut] {
            std::size_t rows = 0;
            for (std::size_t at = 0; (at = cut.find("{\"in\"", at)) != std::string::npos; ++at)
                if (const std::size_t end = cut.find(']' + std::string("}"), at); end != std::string::npos)
                    ++rows;
            return rows;
        }();
        EXPECT_EQ(read.tables.empty() ? 0U : read.tables[0].rows.size(), complete_rows) << length;
    }
}

TEST(Part, DamageBeforeTheEndIsAnErrorWithItsLine) {
    std::string text = part_text(sample_record());
    text.insert(text.find('\n') + 2, "#");
    EXPECT_THAT(error_of(text), HasSubstr("run.json:2"));
}

TEST(PerfTable, PointComesBackFromItsRow) {
    const Table table = make_perf_table("all_reduce", 2);
    EXPECT_EQ(table.id, "perf/all_reduce/2");
    EXPECT_TRUE(is_perf_table(table));
    EXPECT_EQ(perf_point(table, perf_row(sample_point())), sample_point());
    EXPECT_EQ(perf_point(table, perf_row(PerfPoint{})), PerfPoint{});
    Table other = table;
    other.columns.pop_back();
    EXPECT_THROW(static_cast<void>(perf_point(other, perf_row(sample_point()))), Error);
}

TEST(PerfTable, BusFactorsOfTheDefinition) {
    EXPECT_DOUBLE_EQ(bus_factor("all_reduce", 8), 1.75);
    EXPECT_DOUBLE_EQ(bus_factor("all_gather", 8), 0.875);
    EXPECT_DOUBLE_EQ(bus_factor("reduce_scatter", 4), 0.75);
    EXPECT_DOUBLE_EQ(bus_factor("alltoall", 2), 0.5);
    EXPECT_DOUBLE_EQ(bus_factor("gather", 4), 0.75);
    EXPECT_DOUBLE_EQ(bus_factor("scatter", 4), 0.75);
    EXPECT_DOUBLE_EQ(bus_factor("broadcast", 4), 1);
    EXPECT_DOUBLE_EQ(bus_factor("reduce", 4), 1);
    EXPECT_DOUBLE_EQ(bus_factor("sendrecv", 4), 1);
    EXPECT_DOUBLE_EQ(bus_factor("all_reduce", 1), 0);
    EXPECT_TRUE(std::isnan(bus_factor("hypercube", 4)));
    EXPECT_FALSE(in_place_defined("alltoall"));
    EXPECT_FALSE(in_place_defined("sendrecv"));
    EXPECT_TRUE(in_place_defined("all_reduce"));
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/check/checks.hpp>
#include <gpuadapt/core/perf_table.hpp>

#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace gpuadapt::check {
namespace {

PerfPoint point(std::optional<std::int64_t> wrong, std::vector<double> means) {
    PerfPoint p;
    p.size_bytes = 1024;
    p.type = "float";
    p.redop = "sum";
    p.out_of_place.time_us = 100;
    p.out_of_place.wrong = wrong;
    p.out_of_place.rank_mean_us = std::move(means);
    return p;
}

Record record_with(const PerfPoint& p, const std::string& collective = "all_reduce") {
    Record record;
    record.run_id = "r";
    record.finished = "2026-11-30T12:00:00Z";
    Table table = make_perf_table(collective, 2);
    table.rows.push_back(perf_row(p));
    record.tables.push_back(table);
    return record;
}

/// Two GPUs below ports of one root complex, and what a vendor's tool says of them; `lost` GPUs have lost their place.
Record with_matrix(const std::string& cell, int lost) {
    Machine machine;
    for (const std::string bus : {"c1", "c2"}) {
        PciDevice port;
        port.address = "0000:c0:0" + bus.substr(1) + ".0";
        port.class_code = 0x060400;
        PciDevice device;
        device.address = "0000:" + bus + ":00.0";
        if (lost-- <= 0)
            device.parent = port.address;
        machine.pci_devices.push_back(port);
        machine.pci_devices.push_back(device);
        Gpu gpu;
        gpu.address = device.address;
        machine.gpus.push_back(gpu);
    }
    TopologyMatrix matrix;
    matrix.tool = "tool topo -m";
    matrix.names = {"GPU0", "GPU1"};
    matrix.cells = {{"X", cell}, {cell, "X"}};
    machine.vendor_topology = {matrix};
    Record record;
    record.machines = {{"node1", machine}};
    return record;
}

struct Ways {
    Record fires, silent, unknown;
};

/// For each check a Record on which it fires, one on which it is silent, one on which it cannot know.
std::map<std::string, Ways> ways() {
    const Record healthy = record_with(point(0, {100, 101}));
    std::map<std::string, Ways> all;
    all["DATA1"] = {record_with(point(7, {})), healthy, record_with(point(std::nullopt, {}))};
    all["LATE1"] = {record_with(point(0, {100, 400})), healthy, record_with(point(0, {}))};
    Record interrupted = healthy;
    interrupted.finished.clear();
    Record nameless = healthy;
    nameless.run_id.clear();
    all["RUN1"] = {interrupted, healthy, nameless};
    all["TOPO1"] = {with_matrix("NODE", 0), with_matrix("PHB", 0), with_matrix("PHB", 1)};
    return all;
}

TEST(Checks, EachFiresIsSilentAndSaysUnknown) {
    const auto all = ways();
    for (const Check* each : of_measurements().checks) {
        const Check& check = *each;
        const auto found = all.find(std::string(check.id));
        ASSERT_NE(found, all.end()) << check.id << " has no test records";
        const Outcome fires = run(check, found->second.fires);
        ASSERT_EQ(fires.findings.size(), 1U) << check.id;
        EXPECT_EQ(fires.state, State::evaluated) << check.id;
        EXPECT_NE(fires.findings[0].severity, Severity::unknown) << check.id;
        const Outcome silent = run(check, found->second.silent);
        EXPECT_TRUE(silent.findings.empty()) << check.id;
        EXPECT_EQ(silent.state, State::evaluated) << check.id;
        const Outcome unknown = run(check, found->second.unknown);
        EXPECT_EQ(unknown.state, State::unknown) << check.id;
        ASSERT_EQ(unknown.findings.size(), 1U) << check.id;
        EXPECT_EQ(unknown.findings[0].severity, Severity::unknown) << check.id;
        EXPECT_EQ(run(check, Record{}).state, State::not_applicable) << check.id;
    }
}

TEST(Checks, TextsAreThereInBothLanguagesAndIdsAreUnique) {
    std::set<std::string_view> ids;
    for (const Check* each : checks()) {
        const Check& check = *each;
        EXPECT_TRUE(ids.insert(check.id).second) << check.id;
        for (const Text& text : {check.title, check.problem, check.reason}) {
            EXPECT_FALSE(text.en.empty()) << check.id;
            EXPECT_FALSE(text.zh.empty()) << check.id;
        }
    }
    for (const auto& [id, records] : ways())
        for (const Record& source : {records.fires, records.unknown}) {
            Record record = source;
            judge(record);
            for (const Finding& finding : record.findings) {
                EXPECT_FALSE(finding.evidence.en.empty()) << id;
                EXPECT_FALSE(finding.evidence.zh.empty()) << id;
                EXPECT_EQ(finding.advice.en.empty(), finding.advice.zh.empty()) << id;
            }
        }
}

TEST(Checks, JudgingTwiceChangesNothing) {
    Record record = record_with(point(7, {100, 400}));
    Finding foreign;
    foreign.check = "LAUNCH";
    record.findings.push_back(foreign);
    judge(record);
    const Record once = record;
    judge(record);
    EXPECT_EQ(record, once);
    EXPECT_EQ(record.findings.size(), 3U);
    EXPECT_EQ(record.coverage.evaluated, 3);
    EXPECT_EQ(exit_status(record.findings, false), 1);
}

TEST(Checks, TablesOneAtATimeGiveTheSame) {
    Record whole = record_with(point(7, {100, 400}));
    Table second = make_perf_table("all_gather", 2);
    second.rows.push_back(perf_row(point(std::nullopt, {})));
    whole.tables.push_back(second);
    Record base = whole;
    base.tables.clear();
    StreamingJudge streaming(base);
    for (const Table& table : whole.tables)
        streaming.add(table);
    Record streamed = base;
    streaming.conclude(streamed);
    std::vector<std::string> ids;
    for (const Finding& finding : streamed.findings)
        ids.push_back(finding.check + " " + finding.subject);
    EXPECT_EQ(ids, (std::vector<std::string>{"DATA1 perf/all_reduce/2", "DATA1 perf", "LATE1 perf/all_reduce/2 rank 0",
                                             "LATE1 perf"}));
    streaming.add(whole.tables[0]);
    Record again = base;
    streaming.conclude(again);
    EXPECT_EQ(again, streamed) << "equal findings are said once";
}

TEST(Checks, ALogHasNoPlan) {
    Record record = record_with(point(0, {100, 101}));
    record.run_id.clear();
    record.tables[0].labels["source"] = "test.txt";
    const Check& run1 = *find_check("RUN1");
    EXPECT_EQ(run(run1, record).state, State::not_applicable);
}

TEST(Checks, ARunThatEndedBeforeItsFirstTableWasCutShort) {
    Record record;
    record.run_id = "r";
    const Check& run1 = *find_check("RUN1");
    ASSERT_EQ(run(run1, record).findings.size(), 1U);
    EXPECT_EQ(run(run1, record).findings[0].severity, Severity::warning);
    record.finished = "2026-11-30T12:00:00Z";
    EXPECT_TRUE(run(run1, record).findings.empty());
}

TEST(Checks, UndefinedInPlaceIsNeverJudged) {
    PerfPoint p = point(0, {});
    p.in_place = p.out_of_place;
    p.in_place.wrong = 5;
    Record record = record_with(p, "alltoall");
    EXPECT_TRUE(run(*find_check("DATA1"), record).findings.empty());
    record = record_with(p, "all_reduce");
    EXPECT_EQ(run(*find_check("DATA1"), record).findings.size(), 1U);
}

}  // namespace
}  // namespace gpuadapt::check

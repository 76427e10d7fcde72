// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/core/expectations.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string error_of(const std::string& text) {
    try {
        (void)read_expectations(text, "e.json");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "";
}

TEST(Expectations, ComeBackFromJson) {
    Expectations expectations;
    expectations.model = "Server X";
    expectations.counts.gpus = 8;
    expectations.counts.memory_bytes = std::int64_t{1} << 41;
    expectations.gpus = {{"0000:3a:00.0", "5", "C500", 32.0, 16, 7, 16}};
    expectations.rdma_ports = {{"mlx5_0", 1, "Ethernet", 400.0}};
    expectations.links_off = {"mlx5_1/1"};
    expectations.collectives = {{"all_reduce", 8, 40.0, 60.5, 0.05}};
    const std::string text = to_json(expectations);
    EXPECT_TRUE(text.starts_with("{\n  \"expect\": 1,"));
    EXPECT_EQ(read_expectations(text, "e.json"), expectations);
    EXPECT_EQ(read_expectations(R"({"expect": 1})", "e.json"), Expectations{});
}

TEST(Expectations, ASlipIsAnErrorThatNamesItsPlace) {
    EXPECT_EQ(error_of(R"({"expect": 1, "count": {}})"), "e.json: /count: there is no such key");
    EXPECT_EQ(error_of(R"({"expect": 1, "counts": {"gpu": 8}})"), "e.json: /counts/gpu: there is no such key");
    EXPECT_EQ(error_of(R"({"expect": 1, "gpus": [{}, {"expect": 1}]})"),
              "e.json: /gpus/1/expect: there is no such key");
    EXPECT_EQ(error_of(R"({"expect": 1, "counts": {"gpus": "8"}})"), "e.json: /counts/gpus: a whole number expected");
    EXPECT_EQ(error_of(R"({"expect": 2})"), "e.json: /expect: this program knows version 1 only");
    EXPECT_TRUE(error_of("{}").starts_with("e.json: no \"expect\": 1"));
    EXPECT_TRUE(error_of("[1]").starts_with("e.json: no \"expect\": 1"));
    EXPECT_NE(error_of(R"({"expect": 1,)"), "");
}

TEST(Expectations, ADraftNamesNoGpuWithoutAddress) {
    Machine machine;
    machine.gpus.resize(2);
    machine.gpus[1].address = "0000:3a:00.0";
    const Expectations draft = draft_expectations(machine);
    EXPECT_EQ(draft.counts.gpus, 2);
    ASSERT_EQ(draft.gpus.size(), 1U);
    EXPECT_EQ(draft.gpus[0].address, "0000:3a:00.0");
}

TEST(Expectations, ADraftTakesWhatBothEndsCanDoNotWhatTheyDid) {
    Machine machine;
    machine.dmi.product_name = "Server X";
    machine.cpu.sockets = 2;
    machine.dimms.resize(2);
    machine.dimms[0].size_bytes = machine.dimms[1].size_bytes = std::int64_t{64} << 30;
    PciDevice port;
    port.address = "0000:39:00.0";
    port.link.capable_gt_s = 32.0;
    port.link.capable_width = 8;
    PciDevice device;
    device.address = "0000:3a:00.0";
    device.parent = port.address;
    device.slot = "5";
    device.link.capable_gt_s = 32.0;
    device.link.capable_width = 16;
    device.link.current_width = 4;
    machine.pci_devices = {port, device};
    Gpu gpu;
    gpu.address = device.address;
    gpu.links.resize(3);
    gpu.links[0].state = gpu.links[1].state = "up";
    gpu.links[2].state = "down";
    gpu.links[0].lanes = 16;
    gpu.links[1].lanes = 8;
    machine.gpus = {gpu};
    RdmaDevice rdma;
    rdma.name = "mlx5_0";
    rdma.ports.resize(2);
    rdma.ports[0].number = 1;
    rdma.ports[0].state = "ACTIVE";
    rdma.ports[0].rate_gbit_s = 400;
    rdma.ports[1].number = 2;
    rdma.ports[1].state = "DOWN";
    machine.rdma_devices = {rdma};
    const Expectations draft = draft_expectations(machine);
    EXPECT_EQ(draft.model, "Server X");
    EXPECT_EQ(draft.counts.dimms, 2);
    EXPECT_EQ(draft.counts.memory_bytes, std::int64_t{128} << 30);
    EXPECT_THAT(draft.gpus, ElementsAre(ExpectedGpu{"0000:3a:00.0", "5", std::nullopt, 32.0, 8, 2, 16}));
    EXPECT_THAT(draft.rdma_ports, ElementsAre(ExpectedPort{"mlx5_0", 1, std::nullopt, 400.0}));
    EXPECT_THAT(draft.links_off, ElementsAre("mlx5_0/2"));
    EXPECT_THAT(draft.collectives, IsEmpty()) << "a promise is not measured";
    EXPECT_EQ(read_expectations(to_json(draft), "e.json"), draft);
}

TEST(Expectations, WhatWasNotSeenIsNotExpected) {
    EXPECT_EQ(draft_expectations(Machine{}), Expectations{});
    Machine machine;
    machine.dimms.resize(2);
    machine.dimms[0].size_bytes = 1;
    EXPECT_EQ(draft_expectations(machine).counts.memory_bytes, std::nullopt);
}

}  // namespace
}  // namespace gpuadapt

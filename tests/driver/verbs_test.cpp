// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/management.hpp>

#include <chrono>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Machine ask(const char* fault, const std::string& file = GPUADAPT_FAKE_VERBS,
            std::chrono::milliseconds limit = kManagementLimit) {
    setenv("GPUADAPT_FAKE_VERBS", fault, 1);  // NOLINT(concurrency-mt-unsafe)
    const ManagementLibrary& row = *find_management_library("verbs");
    std::vector<std::string> command = management_command(row);
    command.push_back(file);
    CommandOptions options;
    options.timeout = limit;
    return management_facts(row, run_command(command, options));
}

TEST(Verbs, GivesNamesGuidsAndMtus) {
    const Machine facts = ask("");
    ASSERT_EQ(facts.rdma_devices.size(), 3U);
    const RdmaDevice& first = facts.rdma_devices[0];
    EXPECT_EQ(first.name, "mlx5_0");
    EXPECT_EQ(first.node_guid, "a088:c203:0030:9a0d");
    ASSERT_EQ(first.ports.size(), 2U);
    EXPECT_EQ(first.ports[0].number, 1);
    EXPECT_EQ(first.ports[0].mtu_bytes, 1024);
    EXPECT_EQ(first.ports[0].max_mtu_bytes, 4096);
    EXPECT_EQ(first.ports[1].number, 2);
    EXPECT_EQ(first.ports[1].mtu_bytes, std::nullopt) << "a code that does not exist";
    EXPECT_THAT(facts.rdma_devices[1].ports, IsEmpty());
    EXPECT_THAT(facts.rdma_devices[2].ports, IsEmpty());
    ASSERT_EQ(facts.unread.size(), 1U);
    EXPECT_EQ(facts.unread[0].path, "libibverbs");
    EXPECT_EQ(facts.unread[0].reason, "mlx5_1: cannot be opened: Permission denied");
}

TEST(Verbs, NoDeviceIsAnAnswer) {
    const Machine facts = ask("none");
    EXPECT_THAT(facts.rdma_devices, IsEmpty());
    EXPECT_THAT(facts.unread, IsEmpty());
}

TEST(Verbs, NoListOfDevicesIsNoAnswer) {
    const Machine facts = ask("denied");
    EXPECT_THAT(facts.rdma_devices, IsEmpty());
    ASSERT_EQ(facts.unread.size(), 1U);
    EXPECT_EQ(facts.unread[0].path, "libibverbs");
    EXPECT_EQ(facts.unread[0].reason, "its list of devices cannot be read: Operation not permitted");
}

TEST(Verbs, APortThatDoesNotAnswerIsNotNone) {
    const Machine facts = ask("port");
    ASSERT_EQ(facts.rdma_devices.size(), 3U);
    EXPECT_EQ(facts.rdma_devices[0].ports.size(), 1U);
    ASSERT_EQ(facts.unread.size(), 2U);
    EXPECT_EQ(facts.unread[0].reason, "mlx5_0: port 2 cannot be queried: Input/output error");
}

TEST(Verbs, ADeviceThatHangsIsLeftBehind) {
    const Machine facts = ask("hang", GPUADAPT_FAKE_VERBS, std::chrono::milliseconds(300));
    EXPECT_THAT(facts.rdma_devices, IsEmpty());
    ASSERT_EQ(facts.unread.size(), 1U);
    EXPECT_THAT(facts.unread[0].reason, HasSubstr("the last call was ibv_open_device"));
}

TEST(Verbs, AMissingOrOtherLibraryIsUnknown) {
    for (const std::string file : {"/nowhere/libibverbs.so.1", GPUADAPT_FAKE_NVML}) {
        const Machine facts = ask("", file);
        EXPECT_THAT(facts.rdma_devices, IsEmpty());
        ASSERT_EQ(facts.unread.size(), 1U);
        EXPECT_EQ(facts.unread[0].path, "libibverbs");
    }
}

}  // namespace
}  // namespace gpuadapt

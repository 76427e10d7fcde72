// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/backend.hpp>

#include <array>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

TEST(HostBackend, MemoryIsTheHosts) {
    const auto backend = make_host_backend({});
    EXPECT_EQ(backend->name(), "host");
    EXPECT_FALSE(backend->memory().available_bytes.has_value());
    EXPECT_TRUE(backend->memory().shared_by_host);
    HostBackendOptions options;
    options.available_memory = [] { return std::optional<std::int64_t>(12345); };
    EXPECT_EQ(make_host_backend(std::move(options))->memory().available_bytes, 12345);
    Buffer buffer = backend->allocate(100);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096, 0U);
    EXPECT_EQ(buffer.size(), 100U);
    const std::array<std::byte, 3> data{std::byte{1}, std::byte{2}, std::byte{3}};
    backend->write(buffer.data(), data);
    backend->copy(buffer.data() + 50, buffer.data(), 3);
    std::array<std::byte, 3> back{};
    backend->read(back, buffer.data() + 50);
    EXPECT_EQ(back, data);
    EXPECT_EQ(backend->host_view(buffer.data()), buffer.data());
    Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.data()[50], std::byte{1});
    moved = backend->allocate(0);
    EXPECT_EQ(moved.size(), 0U);
}

TEST(HostBackend, TooMuchMemoryIsAnError) {
    const auto backend = make_host_backend({});
    EXPECT_THROW((void)backend->allocate(SIZE_MAX), Error);
    EXPECT_THROW((void)backend->allocate(SIZE_MAX / 2), Error);
}

TEST(HostBackend, OneRankCopiesWhatItSends) {
    const auto backend = make_host_backend({});
    const auto group = make_solo_group();
    const auto communicator = backend->communicator(*group);
    EXPECT_EQ(communicator->size(), 1);
    for (int kind = 0; kind <= static_cast<int>(CollectiveKind::sendrecv); ++kind) {
        const std::array<std::int32_t, 4> send{1, -2, 3, -4};
        std::array<std::int32_t, 4> recv{};
        CollectiveCall call;
        call.kind = static_cast<CollectiveKind>(kind);
        call.send = reinterpret_cast<const std::byte*>(send.data());
        call.recv = reinterpret_cast<std::byte*>(recv.data());
        call.count = 4;
        call.type = DataType::int32;
        call.op = ReduceOp::avg;
        communicator->run(call);
        call.send = call.recv;
        communicator->run(call);
        EXPECT_EQ(recv, send);
    }
}

TEST(HostBackend, MarksGiveTheTimesBetweenThem) {
    const auto backend = make_host_backend({});
    const auto group = make_solo_group();
    const auto communicator = backend->communicator(*group);
    communicator->reserve_marks(3);
    EXPECT_TRUE(communicator->intervals_us().empty());
    for (int i = 0; i < 3; ++i) {
        communicator->mark();
    }
    EXPECT_EQ(communicator->intervals_us().size(), 2U);
    communicator->reserve_marks(1);
    EXPECT_TRUE(communicator->intervals_us().empty());
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/driver/group.hpp>

#include <stdexcept>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

TEST(SoloGroup, IsARankOfOne) {
    const auto group = make_solo_group();
    EXPECT_EQ(group->rank(), 0);
    EXPECT_EQ(group->size(), 1);
    EXPECT_FALSE(group->host().empty());
    EXPECT_EQ(group->library(), "none");
    group->barrier();
    group->idle_barrier(std::chrono::milliseconds(1));
    EXPECT_EQ(group->broadcast("text", 0), "text");
    EXPECT_EQ(group->gather("text", 0), std::vector<std::string>{"text"});
    EXPECT_EQ(group->all_gather("text"), std::vector<std::string>{"text"});
    EXPECT_EQ(group->max(-3), -3);
    EXPECT_EQ(group->sum(2.5), 2.5);
    EXPECT_EQ(group->mean(2.5), 2.5);
    EXPECT_EQ(group->all_values(7), std::vector<double>{7});
    EXPECT_EQ(group->ranks_on_host(), 1);
    EXPECT_EQ(group->split(-1, 0), nullptr);
    EXPECT_EQ(group->split(4, 0)->size(), 1);
}

TEST(SoloGroup, ErrorsKeepTheirKindAndText) {
    const auto group = make_solo_group();
    group->agree(std::nullopt);
    try {
        group->agree(input_error("--root 9: no such rank"));
        FAIL();
    } catch (const AgreedError& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_STREQ(error.what(), "--root 9: no such rank");
    }
}

TEST(SoloGroup, TogetherTurnsEveryExceptionIntoAnError) {
    const auto group = make_solo_group();
    int ran = 0;
    group->together([&ran] { ++ran; });
    EXPECT_EQ(ran, 1);
    EXPECT_THROW(group->together([] { throw Error(ErrorKind::interrupted, "signal 2"); }), AgreedError);
    EXPECT_THROW(group->together([] { throw std::runtime_error("disk full"); }), AgreedError);
    EXPECT_THROW(group->together([] { throw std::bad_alloc(); }), AgreedError);
}

TEST(SoloGroup, AbortEndsTheProcess) {
    EXPECT_EXIT(make_solo_group()->abort(4), testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/bench/watchdog.hpp>

#include <atomic>
#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using std::chrono::milliseconds;

TEST(Watchdog, SaysWhoAndWhatWhenAPhaseTakesTooLong) {
    std::promise<std::string> said;
    Watchdog watchdog("rank 1 (host a)", [&](const std::string& text) { said.set_value(text); });
    const Watchdog::Phase phase(watchdog, "all_reduce, 4 ranks, 1M in place", milliseconds(20));
    EXPECT_EQ(said.get_future().get(), "rank 1 (host a): all_reduce, 4 ranks, 1M in place has taken more than 20 ms");
}

TEST(Watchdog, IsSilentWhilePhasesEndInTime) {
    std::atomic<int> calls{0};
    Watchdog watchdog("rank 0", [&](const std::string&) { ++calls; });
    for (int i = 0; i < 100; ++i) {
        const Watchdog::Phase phase(watchdog, "short", milliseconds(60'000));
    }
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(calls, 0);
}

TEST(Watchdog, EndsWhileAPhaseIsUnderWayAndWithoutAny) {
    std::atomic<int> calls{0};
    {
        const Watchdog watchdog("rank 0", [&](const std::string&) { ++calls; });
    }
    {
        Watchdog watchdog("rank 0", [&](const std::string&) { ++calls; });
        const Watchdog::Phase phase(watchdog, "long", milliseconds(60'000));
    }
    EXPECT_EQ(calls, 0);
}

TEST(Watchdog, SpeaksOncePerPhase) {
    std::atomic<int> calls{0};
    Watchdog watchdog("rank 0", [&](const std::string&) { ++calls; });
    for (int i = 0; i < 2; ++i) {
        const Watchdog::Phase phase(watchdog, "slow", milliseconds(10));
        std::this_thread::sleep_for(milliseconds(100));
    }
    EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace gpuadapt

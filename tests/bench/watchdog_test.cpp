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
    std::promise<Message> said;
    Watchdog watchdog({"rank 1 (host a)", "rank 1（主机 a）"}, [&](const Message& text) { said.set_value(text); });
    const Watchdog::Phase phase(watchdog, Message::same("all_reduce, 4 ranks, 1M"), milliseconds(20));
    EXPECT_EQ(said.get_future().get(), Message("rank 1 (host a): all_reduce, 4 ranks, 1M has taken more than 20 ms",
                                               "rank 1（主机 a）：all_reduce, 4 ranks, 1M 超过 20 ms 仍未结束"));
}

TEST(Watchdog, IsSilentWhilePhasesEndInTime) {
    std::atomic<int> calls{0};
    Watchdog watchdog(Message::same("rank 0"), [&](const Message&) { ++calls; });
    for (int i = 0; i < 100; ++i) {
        const Watchdog::Phase phase(watchdog, Message::same("short"), milliseconds(60'000));
    }
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(calls, 0);
}

TEST(Watchdog, EndsWhileAPhaseIsUnderWayAndWithoutAny) {
    std::atomic<int> calls{0};
    {
        const Watchdog watchdog(Message::same("rank 0"), [&](const Message&) { ++calls; });
    }
    {
        Watchdog watchdog(Message::same("rank 0"), [&](const Message&) { ++calls; });
        const Watchdog::Phase phase(watchdog, Message::same("long"), milliseconds(60'000));
    }
    EXPECT_EQ(calls, 0);
}

TEST(Watchdog, SpeaksOncePerPhase) {
    std::atomic<int> calls{0};
    Watchdog watchdog(Message::same("rank 0"), [&](const Message&) { ++calls; });
    for (int i = 0; i < 2; ++i) {
        const Watchdog::Phase phase(watchdog, Message::same("slow"), milliseconds(10));
        std::this_thread::sleep_for(milliseconds(100));
    }
    EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/bench/watchdog.hpp>

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace gpuadapt {

namespace {

using Clock = std::chrono::steady_clock;

std::string seconds_text(std::chrono::milliseconds limit) {
    return limit.count() % 1000 == 0 ? std::to_string(limit.count() / 1000) + " s"
                                     : std::to_string(limit.count()) + " ms";
}

}  // namespace

struct Watchdog::State {
    Message who;
    Expired expired;
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Clock::time_point> deadline;  ///< nullopt: no phase, or one that has expired
    Message what;
    std::chrono::milliseconds limit{};
    bool ending = false;
    std::thread thread;

    void watch() {
        std::unique_lock lock(mutex);
        while (!ending) {
            if (!deadline) {
                changed.wait(lock);
            } else if (changed.wait_until(lock, *deadline) == std::cv_status::timeout && deadline &&
                       Clock::now() >= *deadline) {
                deadline.reset();
                const std::string seconds = seconds_text(limit);
                const Message text{who.en + ": " + what.en + " has taken more than " + seconds,
                                   who.zh + "：" + what.zh + " 超过 " + seconds + " 仍未结束"};
                lock.unlock();
                expired(text);
                lock.lock();
            }
        }
    }
};

Watchdog::Watchdog(Message who, Expired expired) : state_(std::make_unique<State>()) {
    state_->who = std::move(who);
    state_->expired = std::move(expired);
    state_->thread = std::thread([state = state_.get()] { state->watch(); });
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->ending = true;
    }
    state_->changed.notify_all();
    state_->thread.join();
}

Watchdog::Phase::Phase(Watchdog& watchdog, Message what, std::chrono::milliseconds limit) : watchdog_(watchdog) {
    State& state = *watchdog_.state_;
    const std::lock_guard lock(state.mutex);
    assert(!state.deadline);
    state.what = std::move(what);
    state.limit = limit;
    state.deadline = Clock::now() + limit;
    state.changed.notify_all();
}

Watchdog::Phase::~Phase() {
    State& state = *watchdog_.state_;
    const std::lock_guard lock(state.mutex);
    state.deadline.reset();
    state.changed.notify_all();
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/text.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace gpuadapt {

/// A thread that ends what has taken too long, so that nothing hangs for ever: a blocked collective cannot be left
/// otherwise. One phase at a time.
class Watchdog {
  public:
    /// `expired` is called once, on the watchdog's thread, with a text of the phase: "rank 1 (host a): all_reduce, 1
    /// MiB in place has taken more than 300 s". It is expected to report and to end the job (Group::abort).
    using Expired = std::function<void(const Message& text)>;

    /// `who` begins the text: "rank 1 (host a)".
    Watchdog(Message who, Expired expired);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog();

    /// Watches from its making to its end. It must not outlive the watchdog.
    class Phase {
      public:
        Phase(Watchdog& watchdog, Message what, std::chrono::milliseconds limit);
        Phase(const Phase&) = delete;
        Phase& operator=(const Phase&) = delete;
        ~Phase();

      private:
        Watchdog& watchdog_;
    };

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuadapt::cli {

/// Signals that ask us to stop; SIGHUP ends like SIGTERM.
inline constexpr std::array kStopSignals = {SIGINT, SIGTERM, SIGHUP};

[[nodiscard]] std::string_view signal_name(int signal);

/// Those of them that are to stop us: one that was ignored from the start (nohup, a script's background) stays ignored.
[[nodiscard]] std::vector<int> heeded_stop_signals();

/// For commands that have nothing to save: those signals end the process at once with status 4 and a line that says
/// so.
void end_on_stop_signals();

/// While it lives, those signals are noted instead of ending the process. One at a time.
class InterruptGuard {
  public:
    InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;
    ~InterruptGuard();
    /// The first signal that came, 0 for none.
    [[nodiscard]] static int received();

  private:
    std::vector<std::pair<int, struct sigaction>> previous_;
};

}  // namespace gpuadapt::cli

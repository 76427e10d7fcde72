// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/fd.hpp"

#include <gpuadapt/host/process.hpp>

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadapt {

struct ChildSpec {
    std::string program;                   ///< path of the executable
    std::vector<std::string> argv;         ///< with argv[0]
    std::vector<std::string> environment;  ///< "NAME=VALUE"
    int death_signal = 9;
};

struct ChildEvents {
    std::function<void(int, std::string_view)> data;  ///< 1: stdout, 2: stderr; as it comes, any length
    std::function<void()> tick;                       ///< at least every 100 ms
};

/// What Process and run_command() share: a child in a process group of its own with two pipes to us, and the loop that
/// reads them. The child stays a zombie until the loop ends, so that its process group id cannot become another's.
class Child {
  public:
    using Clock = std::chrono::steady_clock;

    Child() = default;
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// 0, or the errno of the step that failed: execve (`in_exec`), or pipe and fork before it.
    struct StartError {
        int error = 0;
        bool in_exec = false;
    };
    [[nodiscard]] StartError start(const ChildSpec& spec);

    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] ExitResult pump(const ChildEvents& events, std::chrono::milliseconds linger);
    void signal_group(int signal);
    void terminate(std::chrono::milliseconds grace);

  private:
    [[nodiscard]] bool has_exited();
    [[nodiscard]] bool read_ready(std::chrono::milliseconds limit, const ChildEvents& events);
    void enforce_deadline(Clock::time_point now);
    [[nodiscard]] bool is_stuck(Clock::time_point now);
    [[nodiscard]] ExitResult reap();
    void signal_group_locked(int signal);

    pid_t pid_ = -1;
    Fd pipes_[2];  ///< stdout, stderr

    std::mutex mutex_;  ///< guards what follows: signals come from other threads
    bool finished_ = false;
    Clock::time_point kill_at_ = Clock::time_point::max();
    Clock::time_point killed_at_ = Clock::time_point::max();
};

/// Our environment with changes, as execve takes it. `unset` is applied before `set`. Has a PATH also where we have
/// none: mpirun finds ssh and its daemons by it.
[[nodiscard]] std::vector<std::string> child_environment(const std::vector<std::pair<std::string, std::string>>& set,
                                                         const std::vector<std::string>& unset);

}  // namespace gpuadapt

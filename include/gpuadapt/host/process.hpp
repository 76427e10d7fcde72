// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace gpuadapt {

struct ProcessOptions {
    std::vector<std::pair<std::string, std::string>> environment;  ///< set or replaced besides ours
    std::vector<std::string> unset;                                ///< taken out of ours
    /// A longer line is cut: its first bytes are delivered, the rest up to the line end is dropped.
    std::size_t line_limit = std::size_t{1} << 20;
    /// Sent by the kernel to the child when the thread that started it ends (also by SIGKILL). SIGTERM lets mpirun take
    /// its ranks down with it.
    int death_signal = SIGKILL;
    /// How long output is still read after the child has ended while something else (a grandchild) holds the pipe open.
    std::chrono::milliseconds linger{1000};
};

struct ProcessEvents {
    std::function<void(std::string_view)> out;  ///< a line of stdout without its line end, as soon as it is complete
    std::function<void(std::string_view)> err;  ///< the same for stderr
    std::function<void()> tick;                 ///< at least every 100 ms, also while output floods
};

struct ExitResult {
    enum class Kind {
        exited,    ///< `code` is the exit status
        signalled  ///< `code` is the signal
    } kind = Kind::exited;
    int code = 0;
    bool left_behind = false;  ///< it did not end even after SIGKILL (stuck in the kernel); `code` is SIGKILL
    [[nodiscard]] bool ok() const { return kind == Kind::exited && code == 0; }
    bool operator==(const ExitResult&) const = default;
};

/// A child that runs beside us and whose output we read while it does: mpirun. It has a process group of its own, an
/// empty stdin, default signal handling, and none of our file descriptors. stdout and stderr are pipes to us.
class Process {
  public:
    /// Starts argv[0] (a path, or a name looked up in PATH) with exactly these arguments; no shell. Throws Error(tool)
    /// that names the program and the reason when it cannot be started.
    explicit Process(const std::vector<std::string>& argv, const ProcessOptions& options = {});
    /// Kills the group if wait() has not come to its end.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] pid_t pid() const;

    /// Delivers lines and ticks from the calling thread until the child has ended and its output is read; call it once.
    /// A last line without a line end is delivered too. At the end the rest of the group is killed. An exception from a
    /// callback passes through; the destructor then kills the group.
    [[nodiscard]] ExitResult wait(const ProcessEvents& events);

    /// From any thread, and from a callback. Nothing happens once wait() has come to its end.
    void signal_group(int signal);

    /// SIGTERM to the group now, SIGKILL when wait() still runs after `grace`. From any thread, and from a callback;
    /// does not block. A second call can only shorten the grace.
    void terminate(std::chrono::milliseconds grace = std::chrono::milliseconds{5000});

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// From now on the kernel sends `signal` to this process when its parent ends (for a rank: mpirun or its daemon).
/// mpirun puts each rank into a process group of its own, so that a signal to mpirun's group does not reach the ranks;
/// without this, one that hangs outlives a killed mpirun.
void end_with_parent(int signal = SIGKILL);

}  // namespace gpuadapt

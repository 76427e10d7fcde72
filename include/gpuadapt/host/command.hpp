// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuadapt {

struct CommandOptions {
    std::chrono::milliseconds timeout{10000};
    std::size_t output_limit = std::size_t{16} << 20;  ///< for stdout and for stderr; a tool that writes more is ended
    std::vector<std::pair<std::string, std::string>> environment;  ///< set besides ours; LC_ALL=C is always set
};

enum class CommandStatus {
    exited,      ///< `code` is its exit status
    signalled,   ///< `code` is the signal that ended it
    not_found,   ///< no such program in PATH
    not_run,     ///< it is there but could not be started (`reason`)
    timed_out,   ///< ended by us
    overflowed,  ///< ended by us: it wrote more than the limit
};

struct CommandResult {
    CommandStatus status = CommandStatus::not_found;
    int code = 0;
    std::string output;  ///< stdout; at most the limit
    std::string errors;  ///< stderr; at most the limit
    std::string reason;  ///< why there is no exit status, for people
    [[nodiscard]] bool ok() const { return status == CommandStatus::exited && code == 0; }
    bool operator==(const CommandResult&) const = default;
};

/// Runs argv[0] (a path, or a name looked up in PATH) with exactly these arguments, no shell, stdin empty, in a process
/// group of its own, and waits for its end. On a time-out the group gets SIGTERM, 500 ms later SIGKILL; a process that
/// even then does not end (stuck in the kernel) is left behind, not waited for. What it leaves running in its group is
/// killed. It gets SIGKILL when the calling thread ends before it does. Never throws for what the program does;
/// Error(tool) when this process is out of file descriptors or processes.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& argv, const CommandOptions& options = {});

/// Our PATH. Where it is not set (env -i, some services) the usual folders of programs, as a login would have them.
[[nodiscard]] std::string program_path();

/// The executable file that execvp() would take, but never one of the current folder; nullopt when there is none.
/// `path` is a PATH list, of which only absolute folders count; program_path() when not given.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name,
                                                      const std::optional<std::string>& path = std::nullopt);

}  // namespace gpuadapt

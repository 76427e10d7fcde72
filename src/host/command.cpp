// SPDX-License-Identifier: Apache-2.0
#include "host/child.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/command.hpp>

#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuadapt {

namespace {

constexpr std::chrono::milliseconds kGrace{500};
constexpr std::chrono::milliseconds kLinger{200};

bool is_executable_file(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

void describe_end(CommandResult& result, const ExitResult& end, bool timed_out, bool overflowed,
                  const CommandOptions& options, pid_t pid) {
    result.code = end.code;
    if (overflowed) {
        result.status = CommandStatus::overflowed;
        result.reason = fmt::format("ended: it wrote more than {} bytes", options.output_limit);
    } else if (timed_out) {
        result.status = CommandStatus::timed_out;
        result.reason = fmt::format("ended: no result after {} ms", options.timeout.count());
    } else if (end.kind == ExitResult::Kind::signalled) {
        result.status = CommandStatus::signalled;
        result.reason = fmt::format("ended by signal {}", end.code);
    } else {
        result.status = CommandStatus::exited;
    }
    if (end.left_behind)
        result.reason += fmt::format("; process {} does not end even after SIGKILL", pid);
}

}  // namespace

std::string program_path() {
    const char* own = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
    return own != nullptr ? own : "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}

std::optional<std::string> find_program(const std::string& name, const std::optional<std::string>& path) {
    if (name.empty() || name.find('\0') != std::string::npos)
        return std::nullopt;
    if (name.find('/') != std::string::npos)
        return is_executable_file(name) ? std::optional(name) : std::nullopt;
    const std::string list = path ? *path : program_path();
    std::string_view rest = list;
    while (true) {
        const std::size_t colon = rest.find(':');
        const std::string_view folder = rest.substr(0, colon);
        // An empty element, like any other without a '/' at its head, depends on the current folder, where a file that
        // somebody sent may have the name of a tool.
        if (folder.starts_with('/')) {
            std::string candidate = std::string(folder) + "/" + name;
            if (is_executable_file(candidate))
                return candidate;
        }
        if (colon == std::string_view::npos)
            return std::nullopt;
        rest.remove_prefix(colon + 1);
    }
}

CommandResult run_command(const std::vector<std::string>& argv, const CommandOptions& options) {
    assert(!argv.empty());
    CommandResult result;
    const auto program = find_program(argv[0]);
    if (!program) {
        result.reason = fmt::format("'{}' is not installed, or not in PATH", argv[0]);
        return result;
    }
    auto environment = options.environment;
    environment.emplace_back("LC_ALL", "C");
    Child child;
    const auto failure = child.start({*program, argv, child_environment(environment, {"LANGUAGE"}), SIGKILL});
    if (failure.error != 0) {
        const std::string cause = std::generic_category().message(failure.error);
        if (!failure.in_exec)
            throw tool_error(Message(fmt::format("cannot start '{}': {}", *program, cause),
                                     fmt::format("无法启动 '{}'：{}", *program, cause)));
        result.status = CommandStatus::not_run;
        result.reason = fmt::format("'{}' cannot be started: {}", *program, cause);
        return result;
    }

    bool timed_out = false;
    bool overflowed = false;
    const auto deadline = Child::Clock::now() + options.timeout;
    ChildEvents events;
    events.data = [&](int stream, std::string_view piece) {
        std::string& kept = stream == 1 ? result.output : result.errors;
        const std::size_t room = options.output_limit - kept.size();
        kept.append(piece.substr(0, room));
        if (piece.size() > room && !overflowed) {
            overflowed = true;
            child.terminate(kGrace);
        }
    };
    events.tick = [&] {
        if (!timed_out && !overflowed && Child::Clock::now() >= deadline) {
            timed_out = true;
            child.terminate(kGrace);
        }
    };
    const ExitResult end = child.pump(events, kLinger);
    describe_end(result, end, timed_out, overflowed, options, child.pid());
    return result;
}

}  // namespace gpuadapt

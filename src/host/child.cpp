// SPDX-License-Identifier: Apache-2.0
#include "host/child.hpp"

#include "host/exec.hpp"

#include <gpuadapt/host/command.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

namespace gpuadapt {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{50};
/// How long a group may take to vanish after SIGKILL before it counts as stuck in the kernel.
constexpr milliseconds kKillPatience{2000};

/// A pipe whose ends are above the standard descriptors, so that dup2() in the child can never overwrite one of them.
bool make_pipe(Fd& read_end, Fd& write_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    read_end = Fd(ends[0]);
    write_end = Fd(ends[1]);
    for (Fd* end : {&read_end, &write_end}) {
        if (end->get() > STDERR_FILENO)
            continue;
        Fd moved(fcntl(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
        if (!moved.valid())
            return false;
        *end = std::move(moved);
    }
    return true;
}

milliseconds until(Child::Clock::time_point now, Child::Clock::time_point then) {
    return std::max(milliseconds{0}, std::chrono::duration_cast<milliseconds>(then - now));
}

}  // namespace

Child::~Child() {
    if (pid_ <= 0)
        return;
    const std::lock_guard lock(mutex_);
    if (finished_)
        return;
    signal_group_locked(SIGKILL);
    // A child that is stuck in the kernel is left to init.
    for (int i = 0; i < 100; ++i) {
        const pid_t done = waitpid(pid_, nullptr, WNOHANG);
        if (done == pid_ || (done < 0 && errno != EINTR))
            return;
        std::this_thread::sleep_for(milliseconds{2});
    }
}

Child::StartError Child::start(const ChildSpec& spec) {
    Fd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    Fd out_write;
    Fd err_write;
    Fd status_read;
    Fd status_write;
    if (!null.valid() || !make_pipe(pipes_[0], out_write) || !make_pipe(pipes_[1], err_write) ||
        !make_pipe(status_read, status_write))
        return {errno, false};
    for (Fd& pipe : pipes_)
        fcntl(pipe.get(), F_SETFL, O_NONBLOCK);

    const ExecPlan plan(spec, {null.get(), out_write.get(), err_write.get()}, status_write.get());
    pid_ = plan.fork_and_exec();
    if (pid_ < 0)
        return {errno, false};
    setpgid(pid_, pid_);  // also done by the child: whoever comes first
    status_write.close();
    int error = 0;
    if (read_some(status_read, &error, sizeof error) != sizeof error)
        return {};  // closed by execve: it runs
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return {error, true};
}

void Child::signal_group_locked(int signal) {
    if (pid_ > 0 && !finished_)
        kill(-pid_, signal);
}

void Child::signal_group(int signal) {
    const std::lock_guard lock(mutex_);
    signal_group_locked(signal);
}

void Child::terminate(milliseconds grace) {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    // A grace of years must not overflow the clock.
    kill_at_ = std::min(kill_at_, now + std::min(grace, milliseconds{std::chrono::hours{24}}));
    signal_group_locked(SIGTERM);
    signal_group_locked(SIGCONT);  // a stopped process takes SIGTERM only when it goes on
}

bool Child::has_exited() {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD;  // somebody ignores SIGCHLD: the kernel has taken it away
    return info.si_pid == pid_;
}

/// One piece from each pipe that has something; false once both are closed.
bool Child::read_ready(milliseconds limit, const ChildEvents& events) {
    std::array<pollfd, 2> wait_for{};
    for (std::size_t i = 0; i < 2; ++i)
        wait_for[i] = {pipes_[i].get(), POLLIN, 0};  // poll ignores negative descriptors
    poll(wait_for.data(), wait_for.size(), static_cast<int>(limit.count()));
    std::array<char, 65536> buffer;
    for (std::size_t i = 0; i < 2; ++i) {
        if (!pipes_[i].valid() || wait_for[i].revents == 0)
            continue;
        const ssize_t got = ::read(pipes_[i].get(), buffer.data(), buffer.size());
        if (got > 0) {
            if (events.data)
                events.data(static_cast<int>(i) + 1, {buffer.data(), static_cast<std::size_t>(got)});
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            pipes_[i].close();
        }
    }
    return pipes_[0].valid() || pipes_[1].valid();
}

void Child::enforce_deadline(Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (now < kill_at_ || killed_at_ != Clock::time_point::max())
        return;
    signal_group_locked(SIGKILL);
    killed_at_ = now;
}

/// True, once: it has not ended long after SIGKILL. It is not ours to wait for any more.
bool Child::is_stuck(Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (killed_at_ == Clock::time_point::max() || now < killed_at_ + kKillPatience)
        return false;
    finished_ = true;
    return true;
}

ExitResult Child::pump(const ChildEvents& events, milliseconds linger) {
    bool open = true;
    bool exited = false;
    auto give_up_reading = Clock::time_point::max();
    auto next_tick = Clock::now();
    milliseconds nap{1};
    while (true) {
        const auto now = Clock::now();
        if (now >= next_tick) {
            if (events.tick)
                events.tick();
            next_tick = now + kTick;
        }
        enforce_deadline(now);
        if (!exited && has_exited()) {
            exited = true;
            give_up_reading = now + linger;
        }
        if (exited && (!open || now >= give_up_reading))
            return reap();
        if (!exited && is_stuck(now))
            return {ExitResult::Kind::signalled, SIGKILL, true};
        if (open) {
            open = read_ready(std::min(kTick, until(now, exited ? give_up_reading : next_tick)), events);
        } else {
            std::this_thread::sleep_for(nap);
            nap = std::min(nap * 2, milliseconds{10});
        }
    }
}

/// The leader has ended. What is left of its group is killed while its id is still ours.
ExitResult Child::reap() {
    const std::lock_guard lock(mutex_);
    signal_group_locked(SIGKILL);
    int status = 0;
    pid_t done = 0;
    do {
        done = waitpid(pid_, &status, 0);
    } while (done < 0 && errno == EINTR);
    finished_ = true;
    if (done < 0)  // taken away by the kernel: how it ended is lost, so it did not end well
        return {ExitResult::Kind::exited, 255, false};
    if (WIFSIGNALED(status))
        return {ExitResult::Kind::signalled, WTERMSIG(status), false};
    return {ExitResult::Kind::exited, WEXITSTATUS(status), false};
}

std::vector<std::string> child_environment(const std::vector<std::pair<std::string, std::string>>& set,
                                           const std::vector<std::string>& unset) {
    std::vector<std::string> result;
    const auto replaced = [&](std::string_view name) {
        return std::any_of(set.begin(), set.end(), [&](const auto& item) { return item.first == name; }) ||
               std::find(unset.begin(), unset.end(), name) != unset.end();
    };
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (!replaced(text.substr(0, text.find('='))))
            result.emplace_back(text);
    }
    if (std::getenv("PATH") == nullptr && !replaced("PATH"))  // NOLINT(concurrency-mt-unsafe)
        result.push_back("PATH=" + program_path());
    for (std::size_t i = 0; i < set.size(); ++i) {
        const bool again = std::any_of(set.begin() + static_cast<std::ptrdiff_t>(i) + 1, set.end(),
                                       [&](const auto& later) { return later.first == set[i].first; });
        if (!again)
            result.push_back(set[i].first + "=" + set[i].second);
    }
    return result;
}

}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/process.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpuadapt {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Seen {
    std::vector<std::string> out, err;
    int ticks = 0;
    [[nodiscard]] ProcessEvents events() {
        return {[this](std::string_view line) { out.emplace_back(line); },
                [this](std::string_view line) { err.emplace_back(line); }, [this] { ++ticks; }};
    }
};

std::vector<std::string> shell(const std::string& script) {
    return {"sh", "-c", script};
}

/// True once no process of that id is left (a zombie of somebody else counts as gone).
bool vanishes(pid_t pid) {
    for (int i = 0; i < 200; ++i) {
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        std::string text;
        std::getline(stat, text);
        const std::size_t end = text.rfind(')');
        if (end == std::string::npos || text.compare(end, 3, ") Z") == 0)
            return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

TEST(Process, DeliversLinesOfBothStreamsAndTheStatus) {
    Seen seen;
    Process process(shell("echo one; echo two >&2; printf 'three\\n\\nlast'; exit 7"));
    const ExitResult result = process.wait(seen.events());
    EXPECT_EQ(result, (ExitResult{ExitResult::Kind::exited, 7, false}));
    EXPECT_EQ(seen.out, (std::vector<std::string>{"one", "three", "", "last"}));
    EXPECT_EQ(seen.err, (std::vector<std::string>{"two"}));
}

TEST(Process, LinesComeWhileTheChildRuns) {
    const auto start = Clock::now();
    auto first = Clock::duration::max();
    Process process(shell("echo early; sleep 1.5"));
    const ExitResult result = process.wait({[&](std::string_view) { first = Clock::now() - start; }, {}, {}});
    EXPECT_TRUE(result.ok());
    EXPECT_LT(first, 1200ms);
}

TEST(Process, TicksAtLeastEvery100Milliseconds) {
    auto last = Clock::now();
    Clock::duration longest{};
    int ticks = 0;
    Process process({"/bin/sleep", "0.6"});
    const ExitResult result = process.wait({{}, {}, [&] {
                                                longest = std::max(longest, Clock::now() - last);
                                                last = Clock::now();
                                                ++ticks;
                                            }});
    EXPECT_TRUE(result.ok());
    EXPECT_GE(ticks, 3);
    EXPECT_LT(longest, 500ms) << "100 ms and some patience with a busy machine";
}

TEST(Process, TicksGoOnWhileOutputFloods) {
    int ticks = 0;
    std::size_t lines = 0;
    Process process({"yes"});
    const ExitResult result = process.wait({[&](std::string_view) { ++lines; },
                                            {},
                                            [&] {
                                                if (++ticks == 4)
                                                    process.terminate();
                                            }});
    EXPECT_EQ(result, (ExitResult{ExitResult::Kind::signalled, SIGTERM, false}));
    EXPECT_GT(lines, 1000U);
}

TEST(Process, CutsHugeLines) {
    Seen seen;
    ProcessOptions options;
    options.line_limit = 1000;
    Process process(shell("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo next"), options);
    EXPECT_TRUE(process.wait(seen.events()).ok());
    ASSERT_EQ(seen.out.size(), 2U);
    EXPECT_EQ(seen.out[0], std::string(1000, 'x'));
    EXPECT_EQ(seen.out[1], "next");
}

TEST(Process, KillsAChildThatIgnoresSigterm) {
    const auto start = Clock::now();
    Process process(shell("trap '' TERM; echo ready; while :; do sleep 0.05; done"));
    const ExitResult result = process.wait({[&](std::string_view) { process.terminate(300ms); }, {}, {}});
    EXPECT_EQ(result, (ExitResult{ExitResult::Kind::signalled, SIGKILL, false}));
    EXPECT_LT(Clock::now() - start, 5s);
}

TEST(Process, TerminateReachesAStoppedChild) {
    Process process(shell("echo ready; kill -STOP $$; sleep 30"));
    const auto start = Clock::now();
    const ExitResult result = process.wait({[&](std::string_view) {
                                                std::this_thread::sleep_for(100ms);
                                                process.terminate(10s);
                                            },
                                            {},
                                            {}});
    EXPECT_EQ(result, (ExitResult{ExitResult::Kind::signalled, SIGTERM, false}));
    EXPECT_LT(Clock::now() - start, 5s);
}

TEST(Process, AGrandchildThatHoldsThePipeDoesNotHoldUs) {
    Seen seen;
    ProcessOptions options;
    options.linger = 200ms;
    const auto start = Clock::now();
    Process process(shell("sleep 30 & echo $!; exit 3"), options);
    const ExitResult result = process.wait(seen.events());
    EXPECT_EQ(result, (ExitResult{ExitResult::Kind::exited, 3, false}));
    EXPECT_LT(Clock::now() - start, 5s);
    ASSERT_EQ(seen.out.size(), 1U);
    EXPECT_TRUE(vanishes(std::stoi(seen.out[0]))) << "what is left of the group is killed";
}

TEST(Process, AGrandchildThatLeftTheGroupDoesNotHoldUs) {
    ProcessOptions options;
    options.linger = 200ms;
    const auto start = Clock::now();
    Process process(shell("setsid sleep 5 & exit 0"), options);
    EXPECT_TRUE(process.wait({}).ok());
    EXPECT_LT(Clock::now() - start, 4s);
}

TEST(Process, SignalsReachTheWholeGroup) {
    Seen seen;
    Process process(
        shell("trap 'echo caught' USR1; (trap 'echo too; exit' USR1; echo r; while :; do sleep 0.02; done) & "
              "echo r; wait; wait"));
    int ready = 0;
    auto events = seen.events();
    events.out = [&](std::string_view line) {
        seen.out.emplace_back(line);
        if (line == "r" && ++ready == 2)
            process.signal_group(SIGUSR1);
    };
    EXPECT_TRUE(process.wait(events).ok());
    EXPECT_EQ(std::count(seen.out.begin(), seen.out.end(), "caught"), 1);
    EXPECT_EQ(std::count(seen.out.begin(), seen.out.end(), "too"), 1);
}

TEST(Process, SignalsFromAnotherThread) {
    Process process({"/bin/sleep", "30"});
    std::atomic<bool> ended{false};
    std::thread other([&] {
        std::this_thread::sleep_for(100ms);
        process.terminate(5s);
        while (!ended)
            process.signal_group(SIGTERM);
        process.signal_group(SIGKILL);  // nothing is left to be hit
    });
    const ExitResult result = process.wait({});
    ended = true;
    other.join();
    EXPECT_EQ(result, (ExitResult{ExitResult::Kind::signalled, SIGTERM, false}));
}

TEST(Process, DiesWithItsOwner) {
    pid_t pid = 0;
    {
        const Process process({"/bin/sleep", "30"});
        pid = process.pid();
        EXPECT_EQ(kill(pid, 0), 0);
    }
    EXPECT_EQ(kill(pid, 0), -1);
    EXPECT_EQ(errno, ESRCH);
}

TEST(Process, AnExceptionFromACallbackEndsTheChild) {
    pid_t pid = 0;
    {
        Process process(shell("echo line; sleep 30"));
        pid = process.pid();
        EXPECT_THROW(
            static_cast<void>(process.wait({[](std::string_view) { throw std::runtime_error("no"); }, {}, {}})),
            std::runtime_error);
    }
    EXPECT_TRUE(vanishes(pid));
}

TEST(Process, DiesWithThisProcessEvenByKill) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t middle = fork();
    if (middle == 0) {
        const Process process({"/bin/sleep", "30"});
        const pid_t child = process.pid();
        if (write(pipe_ends[1], &child, sizeof child) != sizeof child)
            _exit(1);
        pause();
        _exit(0);
    }
    pid_t child = 0;
    ASSERT_EQ(read(pipe_ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
    kill(middle, SIGKILL);
    waitpid(middle, nullptr, 0);
    EXPECT_TRUE(vanishes(child));
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

TEST(Process, EndWithParentWorksForAProcessInAGroupOfItsOwn) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t launcher = fork();
    if (launcher == 0) {
        if (fork() == 0) {
            setpgid(0, 0);
            end_with_parent();
            const pid_t rank = getpid();
            if (write(pipe_ends[1], &rank, sizeof rank) != sizeof rank)
                _exit(1);
        }
        pause();
        _exit(0);
    }
    pid_t rank = 0;
    ASSERT_EQ(read(pipe_ends[0], &rank, sizeof rank), static_cast<ssize_t>(sizeof rank));
    kill(launcher, SIGKILL);
    waitpid(launcher, nullptr, 0);
    EXPECT_TRUE(vanishes(rank));
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

TEST(Process, AnExitStatusThatTheKernelThrewAwayIsNoSuccess) {
    auto* const before = std::signal(SIGCHLD, SIG_IGN);
    Process process({"true"});
    EXPECT_FALSE(process.wait({}).ok());
    std::signal(SIGCHLD, before);
}

TEST(Process, HasAnEnvironmentOfItsOwn) {
    setenv("GPUADAPT_TEST_A", "a", 1);
    setenv("GPUADAPT_TEST_B", "b", 1);
    Seen seen;
    ProcessOptions options;
    options.environment = {{"GPUADAPT_TEST_A", "1"}, {"GPUADAPT_TEST_A", "2"}, {"GPUADAPT_TEST_C", "c=d e"}};
    options.unset = {"GPUADAPT_TEST_B"};
    Process process(shell("env | grep GPUADAPT_TEST | sort"), options);
    EXPECT_TRUE(process.wait(seen.events()).ok());
    EXPECT_EQ(seen.out, (std::vector<std::string>{"GPUADAPT_TEST_A=2", "GPUADAPT_TEST_C=c=d e"}));
    unsetenv("GPUADAPT_TEST_A");
    unsetenv("GPUADAPT_TEST_B");
}

TEST(Process, InheritsNoDescriptorsAndNoSignalSettings) {
    int leaked[2];
    ASSERT_EQ(pipe(leaked), 0);  // without close-on-exec
    auto* const before = std::signal(SIGPIPE, SIG_IGN);
    Seen seen;
    Process process(shell("ls /proc/self/fd; grep SigIgn /proc/self/status; grep SigBlk /proc/self/status"));
    EXPECT_TRUE(process.wait(seen.events()).ok());
    std::signal(SIGPIPE, before);
    close(leaked[0]);
    close(leaked[1]);
    // 3 is ls's own, for the folder
    EXPECT_EQ(seen.out,
              (std::vector<std::string>{"0", "1", "2", "3", "SigIgn:\t0000000000000000", "SigBlk:\t0000000000000000"}));
}

TEST(Process, HasAnEmptyStdinAndAGroupOfItsOwn) {
    Seen seen;
    Process process(shell("cat; ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat"));
    EXPECT_TRUE(process.wait(seen.events()).ok());
    ASSERT_EQ(seen.out.size(), 1U);
    EXPECT_EQ(std::stoi(seen.out[0]), process.pid());
}

TEST(Process, SaysWhyItCannotStart) {
    try {
        const Process process({"gpuadapt-no-such-program"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::tool);
        EXPECT_NE(std::string(error.what()).find("'gpuadapt-no-such-program' is not installed"), std::string::npos);
    }
}

}  // namespace
}  // namespace gpuadapt

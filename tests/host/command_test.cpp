// SPDX-License-Identifier: Apache-2.0
#include "support/temp_folder.hpp"

#include <gpuadapt/host/command.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace gpuadapt {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(Command, GivesOutputAndStatus) {
    const CommandResult result = run_command({"sh", "-c", "printf 'a\\0b'; echo warn >&2; exit 5"});
    EXPECT_EQ(result.status, CommandStatus::exited);
    EXPECT_EQ(result.code, 5);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.output, std::string("a\0b", 3));
    EXPECT_EQ(result.errors, "warn\n");
}

TEST(Command, PassesArgumentsAsTheyAre) {
    const CommandResult result = run_command({"printf", "%s|", "a b", "$HOME", "`id`", "*", ""});
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.output, "a b|$HOME|`id`|*||");
}

TEST(Command, SpeaksEnglish) {
    setenv("LC_ALL", "zh_CN.UTF-8", 1);
    setenv("LANGUAGE", "zh", 1);
    const CommandResult result = run_command({"sh", "-c", "echo $LC_ALL-$LANGUAGE-$EXTRA"}, [] {
        CommandOptions options;
        options.environment = {{"EXTRA", "x"}};
        return options;
    }());
    EXPECT_EQ(result.output, "C--x\n");
    unsetenv("LC_ALL");
    unsetenv("LANGUAGE");
}

TEST(Command, TellsAbsentFromNotRunnable) {
    const test::TempFolder folder;
    EXPECT_EQ(run_command({"gpuadapt-no-such-program"}).status, CommandStatus::not_found);
    EXPECT_EQ(run_command({folder.path("none")}).status, CommandStatus::not_found);
    EXPECT_EQ(run_command({folder.path()}).status, CommandStatus::not_found) << "a folder is no program";
    const std::string garbage = folder.write("garbage", std::string("\x7f"
                                                                    "ELF garbage",
                                                                    11));
    chmod(garbage.c_str(), 0755);
    const CommandResult result = run_command({garbage});
    EXPECT_EQ(result.status, CommandStatus::not_run);
    EXPECT_NE(result.reason.find("format error"), std::string::npos) << result.reason;
}

TEST(Command, EndsAtTheTimeLimitWithItsChildren) {
    CommandOptions options;
    options.timeout = 200ms;
    const auto start = Clock::now();
    const CommandResult result = run_command({"sh", "-c", "trap '' TERM; echo begun; sleep 30; sleep 30"}, options);
    EXPECT_EQ(result.status, CommandStatus::timed_out);
    EXPECT_EQ(result.output, "begun\n");
    EXPECT_EQ(result.reason, "ended: no result after 200 ms");
    EXPECT_LT(Clock::now() - start, 5s);
}

TEST(Command, EndsAtTheOutputLimit) {
    CommandOptions options;
    options.output_limit = 100000;
    const CommandResult result = run_command({"yes"}, options);
    EXPECT_EQ(result.status, CommandStatus::overflowed);
    EXPECT_EQ(result.output.size(), 100000U);
}

TEST(Command, TakesExactlyTheLimit) {
    CommandOptions options;
    options.output_limit = 10;
    EXPECT_TRUE(run_command({"printf", "0123456789"}, options).ok());
}

TEST(Command, ReportsTheSignal) {
    const CommandResult result = run_command({"sh", "-c", "kill -SEGV $$"});
    EXPECT_EQ(result.status, CommandStatus::signalled);
    EXPECT_EQ(result.code, SIGSEGV);
}

TEST(Command, DoesNotWaitForADaemonThatKeepsThePipe) {
    const auto start = Clock::now();
    const CommandResult result = run_command({"sh", "-c", "sleep 30 & echo done"});
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result.output, "done\n");
    EXPECT_LT(Clock::now() - start, 5s);
}

TEST(FindProgram, WalksThePathInOrder) {
    const test::TempFolder folder;
    folder.write("a/tool", "");
    folder.write("b/tool", "#!/bin/sh\n");
    chmod(folder.path("b/tool").c_str(), 0755);
    folder.write("c/tool/x", "");
    const std::string path = "::" + folder.path("c") + ":" + folder.path("a") + ":" + folder.path("b");
    EXPECT_EQ(find_program("tool", path), folder.path("b") + "/tool");
    EXPECT_EQ(find_program("other", path), std::nullopt);
    EXPECT_EQ(find_program("", path), std::nullopt);
    EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
}

TEST(FindProgram, LooksInTheUsualFoldersWhereThereIsNoPath) {
    const std::string before = program_path();
    unsetenv("PATH");
    const std::string usual = program_path();
    const auto found = find_program("sh");
    const CommandResult heard = run_command({"sh", "-c", "env"});
    setenv("PATH", "", 1);
    EXPECT_EQ(program_path(), "");
    EXPECT_EQ(find_program("sh"), std::nullopt);
    setenv("PATH", before.c_str(), 1);
    EXPECT_EQ(usual, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    EXPECT_TRUE(found.has_value());
    EXPECT_NE(heard.output.find("PATH=" + usual + '\n'), std::string::npos) << heard.output;
}

TEST(FindProgram, IsNotLedIntoTheCurrentFolder) {
    const test::TempFolder folder;
    folder.write("bin/gpuadapt-tool", "#!/bin/sh\n");
    chmod(folder.path("bin/gpuadapt-tool").c_str(), 0755);
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path("bin"));
    for (const char* path : {"", ".", "..:./", "../bin"})
        EXPECT_EQ(find_program("gpuadapt-tool", path), std::nullopt) << path;
    EXPECT_EQ(find_program("gpuadapt-tool", ".:" + folder.path("bin")), folder.path("bin/gpuadapt-tool"));
    std::filesystem::current_path(before);
}

}  // namespace
}  // namespace gpuadapt

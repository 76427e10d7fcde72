// SPDX-License-Identifier: Apache-2.0
#include "host/job_runner.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/live_root.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuadapt {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(LiveRoot, ReadsFilesWhoseSizeIsNotKnown) {
    LiveRoot root;
    const auto status = root.read("/proc/self/status");
    ASSERT_TRUE(status);
    EXPECT_NE(status->find("Pid:"), std::string::npos);
    const auto online = root.read_line("/sys/devices/system/cpu/online");
    ASSERT_TRUE(online);
    EXPECT_EQ(online->substr(0, 1), "0");
    EXPECT_TRUE(root.unread().empty());
}

TEST(LiveRoot, AbsentIsNoProblem) {
    LiveRoot root;
    EXPECT_FALSE(root.read("/no/such/file"));
    EXPECT_FALSE(root.list("/no/such/folder"));
    EXPECT_FALSE(root.link("/no/such/link"));
    EXPECT_FALSE(root.exists("/no/such/file"));
    EXPECT_FALSE(root.read("/sys/class/net/lo/speed")) << "EINVAL: there is no such value";
    EXPECT_FALSE(root.read("/proc")) << "a folder";
    EXPECT_FALSE(root.list("/proc/self/status"));
    EXPECT_FALSE(root.link("/proc/self/status"));
    EXPECT_FALSE(root.read("relative"));
    EXPECT_FALSE(root.read("/proc/../proc/self/status"));
    EXPECT_TRUE(root.unread().empty());
}

TEST(LiveRoot, NotesWhatItMayNotRead) {
    if (geteuid() == 0)
        GTEST_SKIP() << "root may read everything";
    const test::TempFolder folder;
    chmod(folder.write("secret", "x").c_str(), 0);
    LiveRoot root(folder.path());
    EXPECT_FALSE(root.read("/secret"));
    EXPECT_FALSE(root.read("/secret"));
    EXPECT_THAT(root.unread(), ElementsAre(Unread{"/secret", "permission denied"}));
}

TEST(LiveRoot, NotesWhatIsTooLargeOrNoPlainFile) {
    const test::TempFolder folder;
    folder.write("big", std::string(5000, 'x'));
    ASSERT_EQ(mkfifo(folder.path("fifo").c_str(), 0600), 0);
    LiveRoot root(folder.path());
    EXPECT_EQ(root.read("/big", 5000), std::string(5000, 'x'));
    EXPECT_FALSE(root.read("/big", 4999));
    EXPECT_FALSE(root.read("/fifo"));
    EXPECT_THAT(root.unread(),
                ElementsAre(Unread{"/big", "larger than 4999 bytes"}, Unread{"/fifo", "not a plain file"}));
}

TEST(LiveRoot, ReadsBinaryFilesOfManySizes) {
    const test::TempFolder folder;
    LiveRoot root(folder.path());
    for (const std::size_t size : {0UL, 1UL, 4095UL, 4096UL, 4097UL, 8192UL, 100001UL}) {
        std::string bytes(size, '\0');
        for (std::size_t i = 0; i < size; ++i)
            bytes[i] = static_cast<char>(i * 7);
        folder.write("file", bytes);
        EXPECT_EQ(root.read("/file"), bytes) << size;
    }
}

TEST(LiveRoot, ReadsPartsOfAFile) {
    const test::TempFolder folder;
    folder.write("file", "0123456789");
    folder.write("dir/x", "");
    LiveRoot root(folder.path());
    EXPECT_EQ(root.read_part("/file", 0, 4), "0123");
    EXPECT_EQ(root.read_part("/file", 8, 4), "89");
    EXPECT_EQ(root.read_part("/file", 10, 4), "");
    EXPECT_EQ(root.read_part("/file", 1000, 4), "");
    EXPECT_EQ(root.read_part("/none", 0, 4), std::nullopt);
    EXPECT_EQ(root.read_part("/dir", 0, 4), std::nullopt);
    EXPECT_TRUE(root.unread().empty());
}

TEST(LiveRoot, ListsInOrder) {
    const test::TempFolder folder;
    folder.write("sys/b", "");
    folder.write("sys/a", "");
    folder.write("sys/C/x", "");
    LiveRoot root(folder.path());
    EXPECT_THAT(*root.list("/sys"), ElementsAre("C", "a", "b"));
    EXPECT_TRUE(root.exists("/sys/C"));
    EXPECT_TRUE(root.exists("/"));
    EXPECT_THAT(*root.list("/"), ElementsAre("sys"));
}

TEST(LiveRoot, LinksStayInsideACopiedTree) {
    const test::TempFolder folder;
    folder.write("tree/etc/os-release", "inside");
    folder.write("secret", "outside");
    const std::string tree = folder.path("tree");
    std::filesystem::create_symlink("/etc/os-release", tree + "/absolute");
    std::filesystem::create_symlink("../secret", tree + "/up");
    std::filesystem::create_symlink("../../../../../../../secret", tree + "/etc/far");
    std::filesystem::create_symlink("etc", tree + "/folder");
    std::filesystem::create_symlink("../folder/./os-release", tree + "/etc/around");
    std::filesystem::create_symlink("loop", tree + "/loop");
    std::filesystem::create_symlink("/", tree + "/root");
    LiveRoot root(tree);
    EXPECT_EQ(root.read("/absolute"), "inside");
    EXPECT_EQ(root.read("/folder/os-release"), "inside");
    EXPECT_EQ(root.read("/etc/around"), "inside");
    EXPECT_EQ(root.read("/root/root/etc/os-release"), "inside");
    EXPECT_FALSE(root.read("/up"));
    EXPECT_FALSE(root.read("/etc/far"));
    EXPECT_FALSE(root.exists("/up"));
    EXPECT_FALSE(root.list("/loop"));
    EXPECT_EQ(root.link("/up"), "../secret");
    EXPECT_EQ(root.link("/folder"), "etc");
    EXPECT_FALSE(root.link("/folder/os-release"));
    EXPECT_THAT(*root.list("/root/folder"), ElementsAre("around", "far", "os-release"));
}

TEST(LiveRoot, ACopiedTreeHasNoToolsAndNoEnvironment) {
    const test::TempFolder folder;
    setenv("NCCL_DEBUG", "INFO", 1);
    LiveRoot copy(folder.path());
    EXPECT_TRUE(copy.environment().empty());
    EXPECT_EQ(copy.run({"true"}).status, CommandStatus::not_found);
    LiveRoot machine;
    EXPECT_EQ(machine.environment().at("NCCL_DEBUG"), "INFO");
    EXPECT_TRUE(machine.run({"true"}).ok());
    unsetenv("NCCL_DEBUG");
}

TEST(LiveRoot, KnowsTheEnvironmentBeforeLibrariesAddToIt) {
    LiveRoot root;
    setenv("PSM2_DEVICES", "self,shm", 1);
    EXPECT_FALSE(root.environment().contains("PSM2_DEVICES"));
    EXPECT_TRUE(root.at_once([](Root& direct) { EXPECT_FALSE(direct.environment().contains("PSM2_DEVICES")); }));
    unsetenv("PSM2_DEVICES");
}

TEST(LiveRoot, FindsTheHomeFolderOfTheUser) {
    const test::TempFolder home;
    home.write(".nccl.conf", "NCCL_DEBUG=WARN\n");
    const char* before = std::getenv("HOME");
    const std::string kept = before == nullptr ? "" : before;
    setenv("HOME", home.path().c_str(), 1);
    LiveRoot machine;
    EXPECT_EQ(machine.read("/~/.nccl.conf"), "NCCL_DEBUG=WARN\n");
    EXPECT_TRUE(machine.exists("/~/.nccl.conf"));
    LiveRoot copy(home.path());
    EXPECT_EQ(copy.read("/~/.nccl.conf"), std::nullopt);
    setenv("HOME", "relative", 1);
    LiveRoot homeless;
    EXPECT_EQ(homeless.read("/~/.nccl.conf"), std::nullopt);
    EXPECT_TRUE(homeless.unread().empty());
    before == nullptr ? unsetenv("HOME") : setenv("HOME", kept.c_str(), 1);
}

TEST(LiveRoot, AMissingBaseIsTheUsersError) {
    EXPECT_THROW(LiveRoot("/no/such/folder"), Error);
}

TEST(LiveRootAtOnce, AnswersAsOneByOne) {
    const test::TempFolder folder;
    folder.write("sys/a", "text\n");
    folder.write("sys/b", std::string(kReadLimit + 1, 'x'));
    std::filesystem::create_symlink("a", folder.path("sys/link"));
    LiveRoot one_by_one(folder.path());
    LiveRoot at_once(folder.path());
    const auto ask = [](Root& root) {
        std::string said = root.read_line("/sys/a").value_or("-") + root.link("/sys/link").value_or("-") +
                           root.read_part("/sys/a", 1, 2).value_or("-") + root.read_part("/sys/a", 0, 1).value_or("-") +
                           root.read_part("/sys/none", 0, 1).value_or("-") +
                           root.read_part("/sys/b", 0, 1).value_or("-") + root.read_part("/sys/a", 2, 9).value_or("-") +
                           root.read("/sys/b").value_or("-") + root.read("/sys/../sys/a").value_or("-") +
                           (root.exists("/sys/none") ? "y" : "n");
        for (const std::string& name : root.list("/sys").value_or(std::vector<std::string>{}))
            said += name;
        return said;
    };
    const auto said = std::make_shared<std::string>();
    ASSERT_TRUE(at_once.at_once([&ask, said](Root& root) { *said = ask(root); }));
    EXPECT_EQ(*said, ask(one_by_one));
    EXPECT_EQ(at_once.unread(), one_by_one.unread());
    EXPECT_EQ(at_once.unread().size(), 1U);
}

TEST(LiveRootAtOnce, AToolOrAnErrorIsForTheSlowWay) {
    LiveRoot root;
    EXPECT_FALSE(root.at_once([](Root& direct) {
        direct.note_unread("/x", "y");
        (void)direct.run({"true"});
    }));
    EXPECT_FALSE(root.at_once([](Root&) { throw std::runtime_error("no"); }));
    EXPECT_TRUE(root.unread().empty()) << "what is not finished leaves nothing behind";
}

TEST(LiveRootAtOnce, AHangIsLeftBehindAndTheRootGoesOn) {
    const test::TempFolder folder;
    folder.write("a", "text");
    LiveRoot root(folder.path(), 50ms);
    const auto release = std::make_shared<std::atomic<bool>>(false);
    EXPECT_FALSE(root.at_once([release](Root&) {
        while (!*release)
            std::this_thread::sleep_for(1ms);
    }));
    EXPECT_EQ(root.read("/a"), "text");
    *release = true;
}

TEST(JobRunner, NoMoreThreadsIsAnErrorNotTheEnd) {
    const auto without_threads = [] {
        if (geteuid() == 0 && setuid(65534) != 0)  // root may have any number
            _exit(0);
        const rlimit none{0, 0};
        setrlimit(RLIMIT_NPROC, &none);
        try {
            JobRunner runner;
            static_cast<void>(runner.run([] {}, 10s));
        } catch (const std::system_error&) {
            _exit(0);
        }
        _exit(1);
    };
    EXPECT_EXIT(without_threads(), testing::ExitedWithCode(0), "");
}

TEST(JobRunner, GivesUpOnAJobThatHangs) {
    auto release = std::make_shared<std::atomic<bool>>(false);
    auto ended = std::make_shared<std::atomic<bool>>(false);
    JobRunner runner;
    const auto hangs = [release, ended] {
        while (!*release)
            std::this_thread::sleep_for(1ms);
        *ended = true;
    };
    EXPECT_FALSE(runner.run(hangs, 50ms));
    std::atomic<int> done{0};
    for (int i = 0; i < 100; ++i)
        EXPECT_TRUE(runner.run([&] { ++done; }, 10s)) << "another thread takes over";
    EXPECT_EQ(done, 100);
    *release = true;
    while (!*ended)
        std::this_thread::sleep_for(1ms);
}

}  // namespace
}  // namespace gpuadapt

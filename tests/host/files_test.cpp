// SPDX-License-Identifier: Apache-2.0
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/files.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuadapt {
namespace {

ErrorKind kind_of(const std::function<void()>& action, std::string* text = nullptr) {
    try {
        action();
    } catch (const Error& error) {
        if (text != nullptr)
            *text = error.what();
        EXPECT_FALSE(error.message().zh.empty());
        return error.kind();
    }
    ADD_FAILURE() << "no error";
    return ErrorKind::interrupted;
}

mode_t mode_of(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST(WriteOutputFile, MakesAndReplaces) {
    const test::TempFolder folder;
    const mode_t before = umask(027);
    write_output_file(folder.path("out"), "first");
    umask(before);
    EXPECT_EQ(folder.read("out"), "first");
    EXPECT_EQ(mode_of(folder.path("out")), 0640U) << "as the umask says";
    chmod(folder.path("out").c_str(), 0604);
    write_output_file(folder.path("out"), std::string(100000, 'x'));
    EXPECT_EQ(folder.read("out"), std::string(100000, 'x'));
    EXPECT_EQ(mode_of(folder.path("out")), 0604U);
    EXPECT_EQ(folder.count(), 1U) << "nothing is left beside it";
}

TEST(WriteOutputFile, WorksWithARelativeNameAndALongOne) {
    const test::TempFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    write_output_file("out", "x");
    std::filesystem::current_path(before);
    EXPECT_EQ(folder.read("out"), "x");
    const std::string longest(255, 'n');
    write_output_file(folder.path(longest), "long");
    EXPECT_EQ(folder.read(longest), "long");
    EXPECT_EQ(kind_of([&] { write_output_file(folder.path(longest + "n"), "x"); }), ErrorKind::input);
}

TEST(WriteOutputFile, FollowsLinks) {
    const test::TempFolder folder;
    folder.write("real/file", "old");
    std::filesystem::create_symlink("real/file", folder.path("link"));
    std::filesystem::create_symlink("real/new", folder.path("dangling"));
    write_output_file(folder.path("link"), "new");
    write_output_file(folder.path("dangling"), "made");
    EXPECT_EQ(folder.read("real/file"), "new");
    EXPECT_EQ(folder.read("real/new"), "made");
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
}

TEST(WriteOutputFile, AFullDiskIsNamed) {
    std::string text;
    EXPECT_EQ(kind_of([] { write_output_file("/dev/full", "x"); }, &text), ErrorKind::tool);
    EXPECT_NE(text.find("/dev/full"), std::string::npos);
    EXPECT_NE(text.find("make room"), std::string::npos) << text;
}

TEST(WriteOutputFile, WrongPlacesAreTheUsersError) {
    const test::TempFolder folder;
    folder.write("file", "");
    EXPECT_EQ(kind_of([&] { write_output_file(folder.path("none/out"), "x"); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { write_output_file(folder.path("file/out"), "x"); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { write_output_file(folder.path(), "x"); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { write_output_file("", "x"); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { write_output_file("/proc/none", "x"); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { check_output_file(folder.path("none/out")); }), ErrorKind::input);
    EXPECT_EQ(folder.count(), 1U);
}

TEST(WriteOutputFile, AFolderWithoutPermissionKeepsTheOldFile) {
    if (geteuid() == 0)
        GTEST_SKIP() << "root may write everywhere";
    const test::TempFolder folder;
    folder.write("d/out", "old");
    chmod(folder.path("d").c_str(), 0500);
    std::string text;
    EXPECT_EQ(kind_of([&] { write_output_file(folder.path("d/out"), "new"); }, &text), ErrorKind::input);
    EXPECT_NE(text.find("that you may write to"), std::string::npos) << text;
    EXPECT_EQ(kind_of([&] { check_output_file(folder.path("d/out")); }), ErrorKind::input);
    EXPECT_EQ(folder.read("d/out"), "old");
    chmod(folder.path("d").c_str(), 0700);
}

TEST(WriteOutputFile, WritesToPipesAndDevices) {
    const test::TempFolder folder;
    ASSERT_EQ(mkfifo(folder.path("fifo").c_str(), 0600), 0);
    std::string got;
    std::thread reader([&] { got = read_input_file(folder.path("fifo")); });
    write_output_file(folder.path("fifo"), "through");
    reader.join();
    EXPECT_EQ(got, "through");
    write_output_file("/dev/null", "x");
    check_output_file("/dev/null");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(WriteOutputFile, AFileInMemoryIsAFile) {
    if (access("/dev/shm", W_OK) != 0)
        GTEST_SKIP() << "no /dev/shm";
    const std::string file = "/dev/shm/gpuadapt-test-" + std::to_string(getpid());
    write_output_file(file, "a longer text");
    write_output_file(file, "short");
    const std::string text = read_input_file(file);
    unlink(file.c_str());
    EXPECT_EQ(text, "short");
}

TEST(WriteOutputFile, StdoutByItsNameGoesOnWhereItIs) {
    const test::TempFolder folder;
    folder.write("log", "before ");
    const int kept = dup(STDOUT_FILENO);
    const int log = open(folder.path("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    ASSERT_EQ(dup2(log, STDOUT_FILENO), STDOUT_FILENO);
    check_output_file("/dev/stdout");
    write_output_file("/dev/stdout", "after");
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(log);
    EXPECT_EQ(folder.read("log"), "before after");
}

TEST(WriteOutputFile, DescriptorsGoOnWhereTheyAre) {
    const test::TempFolder folder;
    folder.write("log", "before ");
    const int log = open(folder.path("log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    const int kept = dup(STDERR_FILENO);
    ASSERT_EQ(dup2(log, STDERR_FILENO), STDERR_FILENO);
    for (const std::string& path : {std::string("/dev/stderr"), "/dev/fd/" + std::to_string(log)}) {
        check_output_file(path);
        write_output_file(path, "after ");
    }
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(log);
    EXPECT_EQ(folder.read("log"), "before after after ");
    const std::string closed = "/dev/fd/" + std::to_string(log);
    EXPECT_THROW(check_output_file(closed), Error);
    EXPECT_THROW(write_output_file(closed, "x"), Error);
}

TEST(CheckOutputFile, ChangesNothing) {
    const test::TempFolder folder;
    check_output_file(folder.path("new"));
    EXPECT_EQ(folder.count(), 0U);
    folder.write("old", "text");
    check_output_file(folder.path("old"));
    EXPECT_EQ(folder.read("old"), "text");
    EXPECT_EQ(folder.count(), 1U);
}

TEST(ReadInputFile, ReadsWithinTheLimit) {
    const test::TempFolder folder;
    const std::string file = folder.write("in", "12345");
    EXPECT_EQ(read_input_file(file, 5), "12345");
    EXPECT_EQ(read_input_file(folder.write("empty", "")), "");
    std::string text;
    EXPECT_EQ(kind_of([&] { static_cast<void>(read_input_file(file, 4)); }, &text), ErrorKind::input);
    EXPECT_EQ(text, file + " is larger than 4 bytes");
    EXPECT_EQ(kind_of([&] { static_cast<void>(read_input_file(folder.path("none"))); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { static_cast<void>(read_input_file(folder.path())); }), ErrorKind::input);
    EXPECT_EQ(kind_of([&] { static_cast<void>(read_input_file("/dev/zero", 100000)); }), ErrorKind::input);
}

}  // namespace
}  // namespace gpuadapt

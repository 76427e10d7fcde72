// SPDX-License-Identifier: Apache-2.0
#include "support/tar.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/files.hpp>
#include <gpuadapt/host/live_root.hpp>
#include <gpuadapt/host/recording.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace gpuadapt {
namespace {

using test::tar_member;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kMarker = "gpuadapt-recording 1\n";

Answers sample_answers() {
    Answers answers;
    answers.only_asked = true;
    answers.files["/sys/a"] = {AnswerStatus::ok, std::string("bin\0\xff", 5), ""};
    answers.files["/sys/empty"] = {AnswerStatus::ok, "", ""};
    answers.files["/sys/od d/%name\xc3\xa9\n" + std::string(200, 'x')] = {AnswerStatus::ok, "odd", ""};
    answers.files["/sys/none"] = {AnswerStatus::absent, "", ""};
    answers.files["/sys/secret"] = {AnswerStatus::denied, "", "permission denied"};
    answers.files["/sys/broken"] = {AnswerStatus::failed, "", "I/O\terror"};
    answers.files["/sys/slow"] = {AnswerStatus::timed_out, "", "no answer after 5000 ms"};
    answers.links["/sys/link"] = {AnswerStatus::ok, "../../a", ""};
    answers.links["/sys/nolink"] = {AnswerStatus::absent, "", ""};
    answers.lists["/sys"] = {AnswerStatus::ok, {"a", "b", "c%d"}, ""};
    answers.lists["/sys/emptydir"] = {AnswerStatus::ok, {}, ""};
    answers.lists["/sys/nodir"] = {AnswerStatus::denied, {}, "permission denied"};
    answers.existence["/x"] = AnswerStatus::ok;
    answers.existence["/y"] = AnswerStatus::absent;
    answers.environment = {{"NCCL_ALGO", "Ring\tTree"}};
    answers.lookups = {{"pci.ids/device/10de:2330", "A GPU"}, {"pci.ids/device/1:2", std::nullopt}};
    answers.commands[{"mx-smi", "-L", "a b\tc"}] = {CommandStatus::exited, 3, "out\n", "err", ""};
    answers.commands[{"mx-smi"}] = {CommandStatus::timed_out, 9, "", "", "ended: no result after 10 ms"};
    return answers;
}

std::string tar(const std::string& members) {
    return tar_member("gpuadapt-recording", '0', kMarker) + members + std::string(1024, '\0');
}

std::string error_of(const std::string& path, const RecordingLimits& limits = {}) {
    try {
        static_cast<void>(read_recording(path, limits));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_THAT(error.what(), HasSubstr(path)) << "it names the file";
        return error.what();
    }
    return "";
}

TEST(Recording, KeepsEveryAnswer) {
    const test::TempFolder folder;
    const Answers answers = sample_answers();
    const std::string file = folder.write("r.tar.gz", pack_recording(answers));
    EXPECT_EQ(read_recording(file), answers);
    EXPECT_EQ(pack_recording(answers), folder.read("r.tar.gz")) << "the same answers, the same bytes";
}

TEST(Recording, AFolderIsTheSame) {
    const test::TempFolder folder;
    folder.write("r/gpuadapt-recording", kMarker + "complete\n");
    folder.write("r/files/sys/class/net/eth0/mtu", "1500\n");
    folder.write("r/files/sys/class/net/lo/mtu", "65536\n");
    folder.write("r/answers.tsv", "# by hand\nlink\t/sys/class/net/eth0\t../../devices/eth0\nfile-denied\t/sys/x\t\n");
    RecordingRoot root(folder.path("r"));
    EXPECT_THAT(*root.list("/sys/class/net"), ElementsAre("eth0", "lo"));
    EXPECT_EQ(root.read_line("/sys/class/net/eth0/mtu"), "1500");
    EXPECT_EQ(root.link("/sys/class/net/eth0"), "../../devices/eth0");
    EXPECT_FALSE(root.read("/sys/class/net/eth0/speed"));
    EXPECT_FALSE(root.list("/sys/class/infiniband"));
    EXPECT_TRUE(root.unread().empty()) << "complete: what is not listed does not exist";
    EXPECT_FALSE(root.read("/sys/x"));
    EXPECT_THAT(root.unread(), ElementsAre(Unread{"/sys/x", "permission denied"}));
}

TEST(Recording, WhatWasNotAskedIsUnknown) {
    MemoryRoot root(sample_answers());
    EXPECT_FALSE(root.read("/sys/none"));
    EXPECT_TRUE(root.unread().empty());
    EXPECT_FALSE(root.read("/sys/other"));
    EXPECT_FALSE(root.list("/other"));
    EXPECT_FALSE(root.link("/other/link"));
    EXPECT_THAT(root.unread(),
                ElementsAre(Unread{"/sys/other", "not in the recording"}, Unread{"/other", "not in the recording"},
                            Unread{"/other/link", "not in the recording"}));
    EXPECT_EQ(root.run({"other"}).status, CommandStatus::not_found);
    EXPECT_EQ(root.run({"mx-smi", "-L", "a b\tc"}).code, 3);
}

TEST(Recording, TheRecorderAnswersAsTheMachineDid) {
    const test::TempFolder folder;
    folder.write("m/sys/a", "1");
    folder.write("m/sys/dir/b", "2");
    std::filesystem::create_symlink("a", folder.path("m/sys/l"));
    LiveRoot live(folder.path("m"));
    RecorderRoot recorder(live);
    const auto ask = [](Root& root) {
        return std::vector<std::string>{root.read("/sys/a").value_or("-"),
                                        root.read("/sys/none").value_or("-"),
                                        root.link("/sys/l").value_or("-"),
                                        std::to_string(root.list("/sys").value().size()),
                                        root.exists("/sys/dir") ? "yes" : "no",
                                        root.exists("/sys/z") ? "yes" : "no",
                                        root.lookup("k", [] { return std::optional<std::string>("v"); }).value_or("-"),
                                        root.run({"x"}).reason};
    };
    const auto first = ask(recorder);
    folder.write("m/sys/a", "changed");
    EXPECT_EQ(ask(recorder), first) << "a recording is one moment";
    recorder.save(folder.path("r.tar.gz"));
    RecordingRoot replay(folder.path("r.tar.gz"));
    EXPECT_EQ(ask(replay), first);
    EXPECT_TRUE(replay.unread().empty());
    EXPECT_EQ(ask(*open_root(folder.path("r.tar.gz"))), first);
    folder.write("m/sys/config", "0123456789");
    EXPECT_EQ(recorder.read_part("/sys/config", 4, 3), "456");
    recorder.save(folder.path("r.tar.gz"));
    RecordingRoot again(folder.path("r.tar.gz"));
    EXPECT_EQ(again.read_part("/sys/config", 8, 5), "89") << "the whole file was kept";
    EXPECT_EQ(again.read_part("/sys/config", 20, 5), "");
}

TEST(Recording, OpenRootTakesABareTree) {
    const test::TempFolder folder;
    folder.write("m/sys/a", "1");
    EXPECT_EQ(open_root(folder.path("m"))->read("/sys/a"), "1");
    EXPECT_THROW(static_cast<void>(open_root(folder.path("none"))), Error);
}

TEST(Recording, RefusesMembersThatLeadOut) {
    const test::TempFolder folder;
    const struct {
        std::string member, name;
    } cases[] = {
        {tar_member("/etc/passwd", '0', "x"), "/etc/passwd"},
        {tar_member("../evil", '0', "x"), "../evil"},
        {tar_member("files/../../evil", '0', "x"), "files/../../evil"},
        {tar_member("files/..", '0', "x"), "files/.."},
        {tar_member("files/%2e%2e/x", '0', "x"), "files/%2e%2e/x"},
        {tar_member("files/a%2", '0', "x"), "files/a%2"},
        {tar_member("files/a%00b", '0', "x"), "files/a%00b"},
        {tar_member("files/l", '2', "", "/etc/passwd"), "files/l"},
        {tar_member("files/h", '1', "", "gpuadapt-recording"), "files/h"},
        {tar_member("files/c", '3', ""), "files/c"},
        {tar_member("files/b", '4', ""), "files/b"},
        {tar_member("files/f", '6', ""), "files/f"},
        {tar_member("other", '0', "x"), "other"},
        {tar_member("commands/1/out", '0', "x"), "commands/1/out"},
        {tar_member("files/a", '0', "x") + tar_member("files/a", '0', "y"), "files/a"},
    };
    for (const auto& item : cases)
        EXPECT_THAT(error_of(folder.write("r.tar", tar(item.member))), HasSubstr(item.name));
    EXPECT_EQ(folder.count(), 1U) << "nothing was written";
}

TEST(Recording, RefusesABomb) {
    const test::TempFolder folder;
    RecordingLimits limits;
    limits.member_bytes = 1000;
    limits.total_bytes = 2500;
    limits.members = 5;
    const std::string kilo(1000, '\0');
    EXPECT_EQ(error_of(folder.write("r", tar(tar_member("files/a", '0', kilo))), limits), "");
    EXPECT_THAT(error_of(folder.write("r", tar(tar_member("files/a", '0', kilo + "x"))), limits),
                HasSubstr("files/a: larger than 1000 bytes"));
    EXPECT_THAT(error_of(folder.write("r", tar(tar_member("files/a", '0', "", "", 4UL << 30))), limits),
                HasSubstr("files/a"));
    EXPECT_THAT(error_of(folder.write("r", tar(tar_member("files/a", '0', kilo) + tar_member("files/b", '0', kilo) +
                                               tar_member("files/c", '0', kilo))),
                         limits),
                HasSubstr("files/c: larger than 2500 bytes"));
    std::string many;
    for (const char name : {'a', 'b', 'c', 'd', 'e'})
        many += tar_member(std::string("files/") + name, '0', "");
    EXPECT_THAT(error_of(folder.write("r", tar(many)), limits), HasSubstr("more than 5 members"));
    // Names are kept as well.
    std::string names;
    for (const char name : {'a', 'b', 'c', 'd'})
        names += tar_member("files/" + std::string(90, name), '0', "");
    limits.total_bytes = 300;
    EXPECT_THAT(error_of(folder.write("r", tar(names)), limits), HasSubstr("larger than 300 bytes"));
    limits.total_bytes = 2500;
    // A folder is held to the same limits; the file is endless as far as its size says.
    folder.write("f/gpuadapt-recording", kMarker);
    folder.write("f/files/big", "");
    std::filesystem::resize_file(folder.path("f/files/big"), 1ULL << 40);
    EXPECT_THAT(error_of(folder.path("f"), limits), HasSubstr("files/big: larger than 1000 bytes"));
}

TEST(Recording, RefusesForeignFoldersAndOddFiles) {
    const test::TempFolder folder;
    folder.write("f/gpuadapt-recording", kMarker);
    std::filesystem::create_directories(folder.path("f/files"));
    std::filesystem::create_symlink("/etc", folder.path("f/files/link"));
    EXPECT_THAT(error_of(folder.path("f")), HasSubstr("files/link: a link"));
    std::filesystem::remove(folder.path("f/files/link"));
    ASSERT_EQ(mkfifo(folder.path("f/files/fifo").c_str(), 0600), 0);
    EXPECT_THAT(error_of(folder.path("f")), HasSubstr("files/fifo: only plain files"));
    std::filesystem::remove(folder.path("f/files/fifo"));
    EXPECT_EQ(error_of(folder.path("f")), "");
    std::string deep = "f/files";
    for (int i = 0; i < 70; ++i)
        deep += "/d";
    folder.write(deep + "/x", "");
    EXPECT_THAT(error_of(folder.path("f")), HasSubstr("too many folders"));
    EXPECT_THAT(error_of(folder.path("none")), HasSubstr("No such file"));
    EXPECT_THAT(error_of("/dev/null"), HasSubstr("no recording"));
}

TEST(Recording, RefusesDamagedFiles) {
    const test::TempFolder folder;
    const std::string good = pack_recording(sample_answers());
    EXPECT_THAT(error_of(folder.write("r", good.substr(0, good.size() / 2))), HasSubstr("damaged"));
    EXPECT_THAT(error_of(folder.write("r", "hello")), HasSubstr("no recording"));
    // Wherever a bit has changed, it is the file that is damaged, and no member of it is to blame.
    constexpr std::size_t kHead = 10;
    std::size_t refused = 0;
    for (std::size_t at = kHead; at < good.size(); at += 7) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        const std::string file = folder.write("r", bad);
        if (const std::string error = error_of(file); !error.empty()) {
            EXPECT_THAT(error, HasSubstr("or a damaged one: ")) << at;
            ++refused;
        } else {  // deflate can say the same in other ways
            EXPECT_EQ(read_recording(file), sample_answers()) << at;
        }
    }
    EXPECT_GT(refused, good.size() / 14) << "of one in seven";
    EXPECT_THAT(error_of(folder.write("r", "")), HasSubstr("no recording"));
    EXPECT_THAT(error_of(folder.write("r", tar_member("files/a", '0', "x") + std::string(1024, '\0'))),
                HasSubstr("it has no member 'gpuadapt-recording'"));
    const auto with_marker = [&](const std::string& text) {
        return error_of(folder.write("r", tar_member("gpuadapt-recording", '0', text) + std::string(1024, '\0')));
    };
    EXPECT_THAT(with_marker("gpuadapt-recording 2\n"), HasSubstr("format 2 is newer"));
    EXPECT_THAT(with_marker("gpuadapt-recording x\n"), HasSubstr("damaged"));
    EXPECT_THAT(with_marker("something\n"), HasSubstr("damaged"));
}

TEST(Recording, NamesTheLineThatIsDamaged) {
    const test::TempFolder folder;
    for (const char* line : {"what\t/a\tb",
                             "link",
                             "link-no\t/a\tb",
                             "link\trelative\tx",
                             "link\t/../a\tx",
                             "list\t/a\tb%",
                             "list\t/a\tb/c%2Fd",
                             "list\t/a\t%2F",
                             "list\t/a\tb//c",
                             "list\t/a\t..",
                             "list\t/a\tb%00",
                             "file\t/a\tx",
                             "run\t1\texited\t0",
                             "run\t1\tno\t0\t\tx",
                             "run\t1\texited\t-1\t\tx",
                             "run\tx\texited\t0\t\tx",
                             "run\t1\texited\t300\t\tx",
                             "env\tA",
                             "lookup\tA",
                             "exists-maybe\t/x\t"})
        EXPECT_THAT(error_of(folder.write(
                        "r", tar(tar_member("answers.tsv", '0', "exists\t/a\t\n\n" + std::string(line) + "\n")))),
                    HasSubstr("answers.tsv: line 3: "))
            << line;
}

TEST(MemoryRoot, APathOfManyFoldersTakesNoMoreThanItsBytes) {
    const auto resident_kib = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    const auto before = resident_kib();
    std::string path;
    for (int i = 0; i < 20000; ++i)
        path += "/a";
    Answers answers;
    answers.files[path] = {AnswerStatus::ok, "deep", ""};
    MemoryRoot root(std::move(answers));
    EXPECT_THAT(root.list("/a/a").value(), ElementsAre("a"));
    EXPECT_TRUE(root.exists("/a/a/a"));
    EXPECT_EQ(root.read(path), "deep");
    EXPECT_LT(resident_kib() - before, 100 << 10);
}

TEST(MemoryRoot, AFolderHoldsWhatIsBelowIt) {
    Answers answers;
    answers.files["/a/b/x"] = {AnswerStatus::ok, "", ""};
    answers.files["/a/b/y/z"] = {AnswerStatus::ok, "", ""};
    answers.files["/a/b-c"] = {AnswerStatus::denied, "", ""};
    answers.files["/a/b0"] = {AnswerStatus::ok, "", ""};
    answers.files["/a/gone/x"] = {AnswerStatus::absent, "", ""};
    answers.files["/a/gone/y"] = {AnswerStatus::failed, "", ""};
    answers.files["/a/nothing/x"] = {AnswerStatus::absent, "", ""};
    answers.links["/a/l"] = {AnswerStatus::ok, "b", ""};
    answers.lists["/a/d"] = {AnswerStatus::ok, {}, ""};
    MemoryRoot root(std::move(answers));
    EXPECT_THAT(root.list("/a").value(), ElementsAre("b", "b-c", "b0", "d", "gone", "l"));
    EXPECT_THAT(root.list("/a/b").value(), ElementsAre("x", "y"));
    EXPECT_THAT(root.list("/").value(), ElementsAre("a"));
    EXPECT_EQ(root.list("/a/nothing"), std::nullopt);
    EXPECT_FALSE(root.exists("/a/nothing"));
    EXPECT_TRUE(root.exists("/a/gone"));
}

TEST(MemoryRoot, RemovesWithAllBelow) {
    MemoryRoot root;
    root.add_file("/sys/a/b", "1");
    root.add_file("/sys/ab", "2");
    root.add_link("/sys/a/l", "b");
    root.add_denied("/sys/d");
    EXPECT_THAT(*root.list("/sys"), ElementsAre("a", "ab", "d"));
    EXPECT_THAT(*root.list("/sys/"), ElementsAre("a", "ab", "d"));
    EXPECT_TRUE(root.exists("/sys/a/"));
    EXPECT_THAT(*root.list("/"), ElementsAre("sys"));
    root.remove("/sys/a");
    EXPECT_THAT(*root.list("/sys"), ElementsAre("ab", "d"));
    EXPECT_FALSE(root.exists("/sys/a"));
    EXPECT_FALSE(root.read("/sys/a/b"));
    EXPECT_FALSE(root.read("/sys/ab", 0));
    EXPECT_THAT(root.unread(), ElementsAre(Unread{"/sys/ab", "larger than 0 bytes"}));
}

}  // namespace
}  // namespace gpuadapt

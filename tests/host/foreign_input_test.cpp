// SPDX-License-Identifier: Apache-2.0
#include "support/tar.hpp"
#include "support/temp_folder.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/host/foreign_input.hpp>

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using test::tar_end;
using test::tar_member;
using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const std::string& bytes, const RecordingLimits& limits = {}) {
    try {
        static_cast<void>(unpack_foreign(bytes, "/sent/m.tar", limits));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_THAT(error.what(), HasSubstr("/sent/m.tar"));
        return error.what();
    }
    return "";
}

/// One device behind a link, as sysfs has it.
std::string packed_tree(const std::string& top) {
    const std::string device = top + "sys/devices/pci0000:00/0000:00:02.0/";
    return tar_member(top + "proc/cpuinfo", '0', "processor : 0\n") + tar_member(device + "vendor", '0', "0x9999\n") +
           tar_member(top + "sys/bus/pci/devices/0000:00:02.0", '2', "", "../../../devices/pci0000:00/0000:00:02.0") +
           tar_member(top + "sys/class/absolute", '2', "", "/sys/bus/pci/devices/0000:00:02.0") +
           tar_member(top + "sys/class/out", '2', "", "../../../../../../etc/passwd") +
           tar_member(top + "sys/class/circle", '2', "", "circle") + tar_member("beside.output", '0', "Machine\n") +
           tar_end();
}

TEST(ForeignInput, APackedTreeBecomesARoot) {
    for (const std::string top : {"", "./", "host-7/", "./a/b/"}) {
        const auto inputs = unpack_foreign(packed_tree(top), "/sent/m.tar");
        ASSERT_EQ(inputs.size(), 1U) << top;
        EXPECT_EQ(inputs[0].name, "m.tar");
        EXPECT_TRUE(inputs[0].packed);
        ASSERT_NE(inputs[0].root, nullptr);
        Root& root = *inputs[0].root;
        EXPECT_EQ(root.read_line("/sys/bus/pci/devices/0000:00:02.0/vendor"), "0x9999");
        EXPECT_EQ(root.read_line("/sys/class/absolute/vendor"), "0x9999");
        EXPECT_EQ(root.link("/sys/bus/pci/devices/0000:00:02.0"), "../../../devices/pci0000:00/0000:00:02.0");
        EXPECT_THAT(root.list("/sys/bus/pci/devices").value(), ElementsAre("0000:00:02.0"));
        EXPECT_THAT(root.list("/sys/bus/pci/devices/0000:00:02.0").value(), ElementsAre("vendor"));
        EXPECT_TRUE(root.exists("/sys/class/absolute/vendor"));
        EXPECT_TRUE(root.unread().empty());
    }
}

TEST(ForeignInput, WhatIsNotPackedIsUnknown) {
    const auto inputs = unpack_foreign(packed_tree("x/"), "/sent/m.tar");
    ASSERT_EQ(inputs.size(), 1U);
    Root& root = *inputs[0].root;
    EXPECT_EQ(root.read("/proc/meminfo"), std::nullopt);
    EXPECT_EQ(root.list("/sys/class/infiniband"), std::nullopt);
    EXPECT_EQ(root.read("/sys/class/out"), std::nullopt);  // leads to /etc/passwd of the tree, not of this machine
    EXPECT_EQ(root.read("/sys/class/circle"), std::nullopt);
    EXPECT_EQ(root.unread().size(), 4U);
}

TEST(ForeignInput, ALinkThatIsLongerThanAnyIsNotFollowed) {
    std::string target;
    for (int i = 0; i < 5000; ++i)
        target += "a/";
    const auto inputs = unpack_foreign(tar_member("proc/cpuinfo", '0', "x") + tar_member("././@LongLink", 'K', target) +
                                           tar_member("sys/class/net", '2', "", target.substr(0, 100)) + tar_end(),
                                       "m.tar");
    ASSERT_EQ(inputs.size(), 1U);
    EXPECT_EQ(inputs[0].root->list("/sys/class/net"), std::nullopt);
    ASSERT_EQ(inputs[0].root->unread().size(), 1U);
    EXPECT_EQ(inputs[0].root->unread()[0].reason, "too many links");
}

TEST(ForeignInput, NamesWhatIsWrongWithAnArchive) {
    const std::string good = tar_member("m/proc/cpuinfo", '0', "x");
    EXPECT_THAT(error_of(good + tar_member("../up", '0', "x") + tar_end()), HasSubstr("../up"));
    EXPECT_THAT(error_of(good + tar_member("/sys/abs", '0', "x") + tar_end()), HasSubstr("/sys/abs"));
    EXPECT_THAT(error_of(good + tar_member("m/sys/dev", '3', "") + tar_end()), HasSubstr("m/sys/dev"));
    EXPECT_THAT(error_of(good + tar_member("m/sys/twin", '1', "", "m/not/there") + tar_end()), HasSubstr("m/sys/twin"));
    EXPECT_THAT(error_of(good + tar_member("n/proc/cpuinfo", '0', "x") + tar_end()),
                HasSubstr("more than one machine"));
    EXPECT_THAT(error_of(std::string("\x1f\x8b") + "not gzip at all"), HasSubstr("damaged archive"));
    const std::string packed = pack_recording({});
    EXPECT_EQ(error_of(packed), "");
    EXPECT_EQ(error_of(packed + std::string(512, '\0')), "") << "padded to a block of a tape";
    EXPECT_EQ(error_of(packed + packed), "") << "two files one after the other are one for gzip";
    for (std::size_t at = 10; at < packed.size(); ++at) {
        std::string bad = packed;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        if (const std::string error = error_of(bad); !error.empty()) {
            EXPECT_THAT(error, HasSubstr("damaged archive: ")) << at;
        } else {  // deflate can say the same in other ways
            EXPECT_EQ(unpack_recording(bad, "bad"), unpack_recording(packed, "packed")) << at;
        }
    }
    RecordingLimits limits;
    limits.members = 2;
    EXPECT_THAT(error_of(good + good + good + tar_end(), limits), HasSubstr("more than 2 members"));
    limits = {};
    limits.member_bytes = 100;
    EXPECT_THAT(error_of(tar_member("m/proc/big", '0', std::string(200, 'x')) + tar_end(), limits),
                HasSubstr("m/proc/big"));
}

TEST(ForeignInput, HardLinksAreSecondNames) {
    const auto inputs = unpack_foreign(
        tar_member("m/proc/cpuinfo", '0', "same") + tar_member("m/proc/meminfo", '1', "", "m/proc/cpuinfo") + tar_end(),
        "m.tar");
    ASSERT_EQ(inputs.size(), 1U);
    EXPECT_EQ(inputs[0].root->read("/proc/meminfo"), "same");
}

TEST(ForeignInput, OfTwoMembersWithOneNameTheLaterCounts) {
    const auto inputs = unpack_foreign(
        tar_member("m/proc/cpuinfo", '0', "old") + tar_member("m/proc/cpuinfo", '0', "new") + tar_end(), "m.tar");
    ASSERT_EQ(inputs.size(), 1U);
    EXPECT_EQ(inputs[0].root->read("/proc/cpuinfo"), "new");
}

TEST(ForeignInput, OtherArchivesAreTexts) {
    const auto inputs = unpack_foreign(
        tar_member("logs/lspci.txt", '0', "a") + tar_member("logs/dmidecode.txt", '0', "b") + tar_end(), "logs.tar");
    ASSERT_EQ(inputs.size(), 2U);
    EXPECT_EQ(inputs[0].name, "logs.tar: logs/dmidecode.txt");
    EXPECT_EQ(inputs[0].text, "b");
}

TEST(ForeignInput, NoTextOfAnArchiveIsLeftOutUnsaid) {
    std::string many;
    for (int i = 0; i < 201; ++i)
        many += tar_member("logs/" + std::to_string(i), '0', "x");
    EXPECT_THAT(error_of(many + tar_end()), HasSubstr("more than 200 entries"));
}

TEST(ForeignInput, OurOwnRecordingIsReadByItsOwnRules) {
    Answers answers;
    answers.files["/proc/cpuinfo"] = {AnswerStatus::ok, "x", ""};
    const auto inputs = unpack_foreign(pack_recording(answers), "m.tar.gz");
    ASSERT_EQ(inputs.size(), 1U);
    EXPECT_FALSE(inputs[0].packed);
    EXPECT_EQ(inputs[0].root->read("/proc/cpuinfo"), "x");
    EXPECT_THAT(error_of(tar_member("gpuadapt-recording", '0', "gpuadapt-recording 1\n") +
                         tar_member("files/sys/a", '2', "", "b") + tar_end()),
                HasSubstr("files/sys/a"));
}

TEST(ForeignInput, AFolderIsItsEntriesInOrder) {
    const test::TempFolder folder;
    folder.write("b.txt", "second");
    folder.write("a.txt", "first");
    folder.write("host/sys/class/net/eth0/mtu", "1500\n");
    folder.write("other/readme", "left out");
    const auto inputs = read_foreign(folder.path());
    ASSERT_EQ(inputs.size(), 3U);
    EXPECT_EQ(inputs[0].name, "a.txt");
    EXPECT_EQ(inputs[0].text, "first");
    EXPECT_EQ(inputs[1].name, "b.txt");
    EXPECT_EQ(inputs[2].name, "host");
    EXPECT_EQ(inputs[2].root->read_line("/sys/class/net/eth0/mtu"), "1500");
}

TEST(ForeignInput, ArchivesInAFolderKeepToOneLimit) {
    const test::TempFolder folder;
    const std::string kilo(1000, 'x');
    Answers answers;
    answers.files["/proc/cpuinfo"] = {AnswerStatus::ok, kilo, ""};
    folder.write("a.tar", tar_member("proc/cpuinfo", '0', kilo) + tar_end());
    folder.write("b.tar.gz", pack_recording(answers));
    RecordingLimits limits;
    limits.total_bytes = 4000;
    EXPECT_EQ(read_foreign(folder.path(), limits).size(), 2U);
    for (const char* name : {"c.tar.gz", "d.tar.gz", "e.tar.gz"})
        folder.write(name, pack_recording(answers));
    EXPECT_THROW(static_cast<void>(read_foreign(folder.path(), limits)), Error);
}

TEST(ForeignInput, ALinkInAFolderIsAnError) {
    const test::TempFolder folder;
    std::filesystem::create_symlink("/etc/passwd", folder.path("lspci.txt"));
    EXPECT_THROW(static_cast<void>(read_foreign(folder.path())), Error);
    EXPECT_THROW(static_cast<void>(read_foreign(folder.path("absent"))), Error);
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/host/pseudonyms.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;
using namespace std::string_literals;

TEST(Pseudonyms, AWordKeepsItsShapeAndStandsForItselfEverywhere) {
    Pseudonyms names("key");
    names.add_word("SN-4711abC ");
    const std::string other = names.replace("SN-4711abC");
    EXPECT_THAT(other, MatchesRegex("[A-Z][A-Z]-[0-9][0-9][0-9][0-9][a-z][a-z][A-Z]"));
    EXPECT_NE(other, "SN-4711abC");
    EXPECT_EQ(names.replace("Serial: SN-4711abC\nSN-4711abC,"), "Serial: " + other + "\n" + other + ",");
    EXPECT_EQ(names.replace("SN-4711abCD xSN-4711abC"), "SN-4711abCD xSN-4711abC") << "part of another word";
    EXPECT_EQ(names.replace("\0\x01SN-4711abC\0\0"s), "\0\x01"s + other + "\0\0"s) << "in a binary table";
}

TEST(Pseudonyms, AnotherKeyGivesOtherNames) {
    Pseudonyms one("one");
    Pseudonyms two("two");
    for (Pseudonyms* names : {&one, &two})
        names->add_word("ABCD1234567");
    EXPECT_NE(one.replace("ABCD1234567"), two.replace("ABCD1234567"));
}

TEST(Pseudonyms, PlainWordsStay) {
    Pseudonyms names("key");
    for (const char* word : {"", "0", "A1", "None", "Default string", "1234"})
        names.add_word(word);
    EXPECT_EQ(names.replace("None 1234 0 Default string"), "None 1234 0 Default string");
}

TEST(Pseudonyms, ALongerWordGoesBeforeItsParts) {
    Pseudonyms names("key");
    names.add_word("AB123");
    names.add_word("AB123-CD456");
    EXPECT_THAT(names.replace("AB123-CD456"), Not(HasSubstr("456")));
}

TEST(Pseudonyms, HexInAnySpelling) {
    Pseudonyms names("key");
    names.add_hex("a0:88:c2:12:34:56");
    const std::string other = names.replace("a0:88:c2:12:34:56");
    EXPECT_THAT(other, StartsWith("a0:88:c2:")) << "the maker stays";
    EXPECT_NE(other, "a0:88:c2:12:34:56");
    std::string digits;
    for (const char c : other)
        if (c != ':')
            digits += c;
    EXPECT_EQ(names.replace("enx-a088c2123456"), "enx-" + digits);
    EXPECT_EQ(names.replace("0xa088c2123456"), "0x" + digits);
    EXPECT_THAT(names.replace("A0-88-C2-12-34-56"), MatchesRegex("A0-88-C2-[0-9A-F-]+"));
    EXPECT_EQ(names.replace("a0:88:c2:12:34:57"), "a0:88:c2:12:34:57");
}

TEST(Pseudonyms, DigitsInTheMiddleOfOthersAreChance) {
    Pseudonyms names("key");
    names.add_hex("02:00:00:00:03:00");
    EXPECT_EQ(names.replace("ff02000000030011"), "ff02000000030011");
    EXPECT_EQ(names.replace("\x01\x02\0\0\0\x03\0\x04"s), "\x01\x02\0\0\0\x03\0\x04"s) << "bytes of a binary file";
    EXPECT_NE(names.replace("02:00:00:00:03:00"), "02:00:00:00:03:00");
}

TEST(Pseudonyms, FindsIdentitiesInATextByTheirForm) {
    Pseudonyms names("key");
    const std::string text =
        "root=UUID=01234567-89ab-4cde-8f01-23456789abcd link/ether 0c:42:a1:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
        "node_guid 0c42:a103:0000:0001 GID fe80:0000:0000:0000:0c42:a1ff:fe00:0001 33:33:00:00:00:01";
    names.add_all_in(text);
    const std::string other = names.replace(text);
    EXPECT_THAT(other, Not(HasSubstr("01234567-89ab")));
    EXPECT_THAT(other, Not(HasSubstr("a1:00:00:01")));
    EXPECT_THAT(other, Not(HasSubstr("a103:0000:0001")));
    EXPECT_THAT(other, HasSubstr("GID fe80:0000:0000:0000:0c42:a1"));
    EXPECT_THAT(other, Not(HasSubstr("fe00:0001")));
    EXPECT_THAT(other, HasSubstr("brd ff:ff:ff:ff:ff:ff"));
    EXPECT_THAT(other, HasSubstr("33:33:00:00:00:01"));
    EXPECT_EQ(other.size(), text.size());
}

TEST(Pseudonyms, AGidGoesWithTheGuidInIt) {
    Pseudonyms names("key");
    names.add_hex("0c42:a103:0012:3456");
    const std::string guid = names.replace("0c42:a103:0012:3456");
    EXPECT_EQ(names.replace("fe80:0000:0000:0000:0c42:a103:0012:3456"), "fe80:0000:0000:0000:" + guid);
}

TEST(Pseudonyms, AddressesOfOneNetworkStayTogether) {
    Pseudonyms names("key");
    for (const char* address :
         {"192.0.2.11", "192.0.2.12", "198.51.100.1", "127.0.0.1", "0.0.0.0", "1.2.3", "1.2.3.400"})
        names.add_ipv4(address);
    const std::string one = names.replace("192.0.2.11");
    const std::string two = names.replace("192.0.2.12");
    EXPECT_THAT(one, MatchesRegex("10\\.[0-9]+\\.[0-9]+\\.11"));
    EXPECT_EQ(one.substr(0, one.rfind('.')), two.substr(0, two.rfind('.')));
    EXPECT_EQ(names.replace("tcp://192.0.2.11:80 v192.0.2.11 192.0.2.110 127.0.0.1"),
              "tcp://" + one + ":80 v192.0.2.11 192.0.2.110 127.0.0.1");
    EXPECT_EQ(names.replace("no answer from 192.0.2.11."), "no answer from " + one + ".");
    EXPECT_EQ(names.replace("192.0.2.11.5 192.0.2.11.."), "192.0.2.11.5 " + one + "..");
    // The GID of RoCE v2 that ends in it.
    const std::string gid = names.replace("0000:0000:0000:0000:0000:ffff:c000:020b");
    EXPECT_THAT(gid, MatchesRegex("0000:0000:0000:0000:0000:ffff:0a[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f]0b"));
}

TEST(Pseudonyms, NamesAreWordsButNotPaths) {
    Pseudonyms names("key");
    names.add_name("node01", "host");
    names.add_name("vm", "host");
    EXPECT_THAT(names.replace("node01\n"), MatchesRegex("host-[0-9a-f]+\n"));
    EXPECT_THAT(names.replace("on node01: x"), MatchesRegex("on host-[0-9a-f]+: x"));
    EXPECT_THAT(names.replace("vm\n"), MatchesRegex("host-[0-9a-f]+\n"));
    EXPECT_EQ(names.replace("a vm here"), "a vm here");
    EXPECT_EQ(names.replace_in_path("/proc/sys/vm/node01"), "/proc/sys/vm/node01");
    Answers answers;
    answers.files["/etc/os-release"] = {AnswerStatus::ok, "ID=node01\n", ""};
    EXPECT_EQ(names.replace(answers).files.begin()->second.text, "ID=node01\n") << "a host may be called as its system";
}

TEST(Pseudonyms, EveryPartOfARecording) {
    Pseudonyms names("key");
    names.add_hex("0c:42:a1:00:00:01");
    names.add_word("SN12345");
    Answers answers;
    answers.only_asked = true;
    answers.files["/sys/class/net/enx0c42a1000001/address"] = {AnswerStatus::ok, "0c:42:a1:00:00:01\n", ""};
    answers.links["/sys/class/net/enx0c42a1000001"] = {AnswerStatus::ok, "../x/enx0c42a1000001", ""};
    answers.lists["/sys/class/net"] = {AnswerStatus::ok, {"enx0c42a1000001", "lo"}, ""};
    answers.existence["/sys/class/net/enx0c42a1000001/mtu"] = AnswerStatus::ok;
    answers.commands[{"ethtool", "enx0c42a1000001"}] = {CommandStatus::exited, 0, "SN12345", "SN12345", "SN12345"};
    answers.lookups["SN12345"] = "SN12345";
    answers.lookups["none"] = std::nullopt;
    answers.environment["MCCL_X"] = "SN12345";
    const Answers other = names.replace(answers);
    const std::string bytes =
        other.files.begin()->first + other.files.begin()->second.text + other.links.begin()->first +
        other.links.begin()->second.text + other.lists.begin()->second.names[0] + other.existence.begin()->first +
        other.commands.begin()->first[1] + other.commands.begin()->second.output +
        other.commands.begin()->second.errors + other.commands.begin()->second.reason + other.environment.at("MCCL_X");
    EXPECT_THAT(bytes, Not(HasSubstr("SN12345")));
    EXPECT_THAT(bytes, Not(HasSubstr("0c42a1000001")));
    EXPECT_THAT(bytes, Not(HasSubstr("a1:00:00:01")));
    EXPECT_FALSE(other.lookups.contains("SN12345"));
    EXPECT_EQ(other.lookups.at("none"), std::nullopt);
    EXPECT_TRUE(other.only_asked);
    // The parts still fit together.
    const std::string name = other.lists.begin()->second.names[0];
    EXPECT_TRUE(other.files.contains("/sys/class/net/" + name + "/address"));
}

}  // namespace
}  // namespace gpuadapt

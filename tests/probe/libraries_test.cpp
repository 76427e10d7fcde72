// SPDX-License-Identifier: Apache-2.0
#include "probe/ld_cache.hpp"

#include <gpuadapt/host/memory_root.hpp>
#include <gpuadapt/probe/probe.hpp>

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct CacheEntry {
    std::string soname, path;
    unsigned flags = 0x0303;
    unsigned hwcap = 0;
};

std::string cache_of(const std::vector<CacheEntry>& entries) {
    std::string head = "glibc-ld.so.cache1.1";
    const auto number = [](std::size_t value) {
        std::string bytes;
        for (int i = 0; i < 4; ++i)
            bytes += static_cast<char>(value >> (8 * i));
        return bytes;
    };
    std::string strings;
    std::string rows;
    const std::size_t start = 48 + entries.size() * 24;
    for (const CacheEntry& entry : entries) {
        const std::size_t name = start + strings.size();
        strings += entry.soname + '\0';
        const std::size_t path = start + strings.size();
        strings += entry.path + '\0';
        rows += number(entry.flags) + number(name) + number(path) + number(0) + number(0) + number(entry.hwcap);
    }
    head += number(entries.size()) + number(strings.size());
    head.resize(48, '\0');
    return head + rows + strings;
}

TEST(LdCache, GivesTheFileOfASoname) {
    const std::string cache = cache_of({{"libnccl.so.2", "/lib/i386/libnccl.so.2", 0x0003},
                                        {"libnccl.so.2", "/usr/lib/hwcaps/libnccl.so.2", 0x0303, 1},
                                        {"libnccl.so.2", "/usr/lib/libnccl.so.2"},
                                        {"libnccl.so.2", "/other/libnccl.so.2"},
                                        {"libx.so", "relative/libx.so"}});
    EXPECT_THAT(parse_ld_cache(cache), ElementsAre(Pair("libnccl.so.2", "/usr/lib/libnccl.so.2")));
    EXPECT_THAT(parse_ld_cache("ld.so-1.7.0 and old entries" + cache), ElementsAre(Pair("libnccl.so.2", testing::_)));
}

TEST(LdCache, DamagedFilesGiveOnlyWhatIsWhole) {
    const std::string cache = cache_of({{"liba.so", "/a/liba.so"}, {"libb.so", "/b/libb.so"}});
    for (std::size_t size = 0; size < cache.size(); ++size)
        for (const auto& [name, path] : parse_ld_cache(cache.substr(0, size)))
            EXPECT_EQ(path, name == "liba.so" ? "/a/liba.so" : "/b/libb.so");
    std::string huge = cache;
    huge.replace(20, 4, "\xff\xff\xff\xff");
    EXPECT_LE(parse_ld_cache(huge).size(), 4U);
    EXPECT_THAT(parse_ld_cache(""), IsEmpty());
}

class Libraries : public testing::Test {
  protected:
    void library(const std::string& path, const std::string& target = "") {
        root_.add_file(path, "ELF");
        if (!target.empty())
            root_.add_link(path, target);
    }
    std::map<std::string, SoftwareVersion> versions() { return probe_machine(root_, {"libraries"}).versions; }
    MemoryRoot root_;
};

TEST_F(Libraries, AreFoundAsTheLinkerDoes) {
    library("/usr/lib/x86_64-linux-gnu/libnccl.so.2", "libnccl.so.2.28.3");
    root_.add_file("/etc/ld.so.cache", cache_of({{"libnccl.so.2", "/usr/lib/x86_64-linux-gnu/libnccl.so.2"}}));
    EXPECT_EQ(versions().at("NCCL").version, "2.28.3");
    EXPECT_EQ(versions().at("NCCL").path, "/usr/lib/x86_64-linux-gnu/libnccl.so.2.28.3");

    library("/home/me/nccl/lib/libnccl.so.2", "libnccl.so.2.30.1");
    root_.set_environment({{"LD_LIBRARY_PATH", ":/nowhere:/home/me/nccl/lib"}});
    EXPECT_EQ(versions().at("NCCL").version, "2.30.1");
    EXPECT_EQ(versions().at("NCCL").path, "/home/me/nccl/lib/libnccl.so.2.30.1");
}

TEST_F(Libraries, OfMetaXLieInTheirOwnFolder) {
    library("/opt/maca/lib/libmccl.so");
    library("/opt/maca/lib/libmcruntime.so");
    root_.add_file("/opt/maca/include/mccl.h", "#define MCCL_MAJOR 2\n#define MCCL_MINOR 16\n#define MCCL_PATCH 5\n");
    library("/opt/maca/ompi/lib/libmpi.so.40", "libmpi.so.40.30.6");
    const auto found = versions();
    EXPECT_EQ(found.at("MCCL").version, "2.16.5");
    EXPECT_EQ(found.at("MCCL").path, "/opt/maca/lib/libmccl.so");
    EXPECT_EQ(found.at("MACA runtime").version, "(libmcruntime.so)");
    EXPECT_EQ(found.at("Open MPI").version, "4.1 (libmpi 40.30.6)");
    root_.add_file("/opt/maca/ompi/lib/pkgconfig/ompi.pc", "Name: Open MPI\nVersion: 4.1.6\n");
    EXPECT_EQ(versions().at("Open MPI").version, "4.1.6");
}

TEST_F(Libraries, SecondCopiesAndPluginsAreNamed) {
    const std::string packages = "/usr/local/lib/python3.12/dist-packages";
    library(packages + "/nvidia/nccl/lib/libnccl.so.2");
    root_.add_file(packages + "/nvidia_nccl_cu13-2.28.9.dist-info/METADATA", "");
    library("/opt/plugins/libnccl-net-example.so", "libnccl-net-example.so.1.2.3");
    root_.set_environment({{"LD_LIBRARY_PATH", "/opt/plugins"}});
    const auto found = versions();
    EXPECT_EQ(found.at("NCCL (python)").version, "2.28.9");
    EXPECT_FALSE(found.contains("NCCL"));
    EXPECT_EQ(found.at("net plugin libnccl-net-example.so").version, "1.2.3");
}

TEST_F(Libraries, OfedAndPeerMemory) {
    root_.add_file("/sys/module/mlx_compat/version", "99.10-0.7.0\n");
    root_.add_file("/sys/kernel/mm/memory_peers/mxcd/version", "1\n");
    const Machine machine = probe_machine(root_, {"libraries"});
    EXPECT_EQ(machine.versions.at("OFED").version, "99.10-0.7.0");
    EXPECT_EQ(machine.settings.at("/sys/kernel/mm/memory_peers"), "mxcd");
    Answers answers = root_.answers();
    answers.existence["/usr/bin/ofed_info"] = AnswerStatus::ok;
    answers.commands[{"/usr/bin/ofed_info", "-s"}] = {CommandStatus::exited, 0, "OFED-internal-99.10-0.7.0:\n", "", ""};
    MemoryRoot with_tool(answers);
    EXPECT_EQ(probe_machine(with_tool, {"libraries"}).versions.at("OFED").version, "OFED-internal-99.10-0.7.0");
}

TEST_F(Libraries, TheNumberOfALibtoolFileIsNoVersion) {
    library("/usr/lib/libpmix.so.2", "libpmix.so.2.13.1");
    EXPECT_EQ(versions().at("PMIx").version, "(libpmix.so.2.13.1)");
    root_.add_file("/usr/lib/pkgconfig/pmix.pc", "Name: pmix\nVersion: 5.0.1\n");
    EXPECT_EQ(versions().at("PMIx").version, "5.0.1");
}

TEST_F(Libraries, LinksInCirclesEnd) {
    library("/usr/lib/libnccl.so.2", "libnccl.so.2");
    EXPECT_EQ(versions().at("NCCL").version, "(libnccl.so.2)");
    library("/usr/lib/libpmix.so.2", "../../../libpmix.so.2.9.9");
    EXPECT_EQ(versions().at("PMIx").path, "/usr/lib/libpmix.so.2");
}

TEST(ConfigFiles, AreReadInTheOrderInWhichTheyCount) {
    Answers answers;
    answers.files["/etc/nccl.conf"] = {AnswerStatus::ok,
                                       "# of the site\nNCCL_DEBUG=WARN\n NCCL_IB_HCA = mlx5_0,mlx5_1 \r\n"
                                       "NCCL_DEBUG=INFO\nno setting\n=1\n9X=1\nA B=1\nNCCL_EMPTY=\n",
                                       ""};
    answers.files["/~/.nccl.conf"] = {AnswerStatus::ok, "NCCL_DEBUG=TRACE", ""};
    answers.files["/~/.openmpi/mca-params.conf"] = {AnswerStatus::ok, "# mine\nbtl = ^openib\n", ""};
    answers.files["/etc/openmpi/openmpi-mca-params.conf"] = {AnswerStatus::ok,
                                                             "btl=self\nbtl = \"tcp,self\"\npml = # none\n", ""};
    MemoryRoot root(answers);
    const Machine machine = probe_machine(root);
    const std::vector<ConfigFile> expected = {
        {"/~/.nccl.conf", {{"NCCL_DEBUG", "TRACE"}}},
        {"/etc/nccl.conf", {{"NCCL_DEBUG", "WARN"}, {"NCCL_IB_HCA", "mlx5_0,mlx5_1"}, {"NCCL_EMPTY", ""}}},
        {"/~/.openmpi/mca-params.conf", {{"OMPI_MCA_btl", "^openib"}}},
        {"/etc/openmpi/openmpi-mca-params.conf", {{"OMPI_MCA_btl", "tcp,self"}, {"OMPI_MCA_pml", "# none"}}}};
    EXPECT_EQ(machine.config_files, expected);
}

TEST(ConfigFiles, AVariableNamesAnotherFileThanTheUsers) {
    Answers answers;
    answers.environment["NCCL_CONF_FILE"] = "/opt/site/nccl.conf";
    answers.files["/opt/site/nccl.conf"] = {AnswerStatus::ok, "NCCL_DEBUG=WARN\n", ""};
    answers.files["/~/.nccl.conf"] = {AnswerStatus::ok, "NCCL_DEBUG=TRACE\n", ""};
    answers.files["/etc/nccl.conf"] = {AnswerStatus::denied, "", "permission denied"};
    MemoryRoot root(answers);
    const Machine machine = probe_machine(root);
    const std::vector<ConfigFile> expected = {{"/opt/site/nccl.conf", {{"NCCL_DEBUG", "WARN"}}}};
    EXPECT_EQ(machine.config_files, expected);
    EXPECT_THAT(machine.unread, testing::Contains(Unread{"/etc/nccl.conf", "permission denied"}));
}

TEST(ConfigFiles, ARelativeNameIsNoFileOfTheMachine) {
    for (const char* name : {"nccl.conf", "/opt/../etc/nccl.conf"}) {
        Answers answers;
        answers.environment["NCCL_CONF_FILE"] = name;
        answers.files["/~/.nccl.conf"] = {AnswerStatus::ok, "NCCL_DEBUG=TRACE\n", ""};
        MemoryRoot root(answers);
        const Machine machine = probe_machine(root);
        EXPECT_THAT(machine.config_files, testing::IsEmpty());
        EXPECT_THAT(machine.unread,
                    testing::Contains(Unread{name, "which file that is depends on where the job starts"}));
    }
}

TEST(ConfigFiles, OpenMpiOutsideOfTheDistributionHasItsOwn) {
    Answers answers;
    answers.environment["LD_LIBRARY_PATH"] = "/opt/hpcx/ompi/lib";
    answers.existence["/opt/hpcx/ompi/lib/libmpi.so.40"] = AnswerStatus::ok;
    answers.files["/opt/hpcx/ompi/etc/openmpi-mca-params.conf"] = {AnswerStatus::ok, "pml = ucx\n", ""};
    answers.files["/etc/openmpi/openmpi-mca-params.conf"] = {AnswerStatus::ok, "pml = ob1\n", ""};
    MemoryRoot root(answers);
    const std::vector<ConfigFile> expected = {
        {"/opt/hpcx/ompi/etc/openmpi-mca-params.conf", {{"OMPI_MCA_pml", "ucx"}}}};
    EXPECT_EQ(probe_machine(root).config_files, expected);
}

}  // namespace
}  // namespace gpuadapt

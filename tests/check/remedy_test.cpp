// SPDX-License-Identifier: Apache-2.0
#include "check/remedy.hpp"

#include <gpuadapt/check/fix_script.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::check {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

HostMachine host(const std::string& id) {
    HostMachine result;
    result.host = "node1";
    result.machine.os.id = id;
    return result;
}

TEST(ShellWord, QuotesWhatTheShellWouldRead) {
    EXPECT_EQ(shell_word("/sys/x_1.y"), "/sys/x_1.y");
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("a b"), "'a b'");
    EXPECT_EQ(shell_word("$(reboot)`x`;&"), "'$(reboot)`x`;&'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word("a\nb").find('\n'), std::string::npos);
    EXPECT_EQ(shell_line({"echo", "*", "x"}), "echo '*' x");
}

TEST(Remedy, SetsAValueNowForLongAndBack) {
    const HostMachine node = host("ubuntu");
    const Subject subject(node, {});
    const Remedy one = RemedyBuilder(subject).set("/proc/sys/kernel/numa_balancing", "0", "1").take();
    EXPECT_THAT(one.now, ElementsAre("echo 0 > /proc/sys/kernel/numa_balancing"));
    EXPECT_THAT(one.now_undo, ElementsAre("echo 1 > /proc/sys/kernel/numa_balancing"));
    EXPECT_THAT(one.lasting,
                ElementsAre("echo 'kernel.numa_balancing = 0' > /etc/sysctl.d/90-gpuadapt-kernel.numa_balancing.conf"));
    EXPECT_THAT(one.lasting_undo, ElementsAre("rm -f /etc/sysctl.d/90-gpuadapt-kernel.numa_balancing.conf"));
    EXPECT_THAT(one.verify, ElementsAre("cat /proc/sys/kernel/numa_balancing"));
    const Remedy each = RemedyBuilder(subject)
                            .set("/sys/devices/system/cpu/cpufreq/policy*/scaling_governor", "performance", {})
                            .take();
    EXPECT_THAT(each.now, ElementsAre("for file in /sys/devices/system/cpu/cpufreq/policy*/scaling_governor; do echo "
                                      "performance > \"$file\"; done"));
    EXPECT_THAT(each.now_undo, ElementsAre(HasSubstr("# /sys/devices")));
    EXPECT_THAT(each.lasting.front(), HasSubstr("'w /sys/devices/system/cpu/cpufreq/policy*/scaling_governor - - - - "
                                                "performance' > /etc/tmpfiles.d/gpuadapt-sys-devices-system-cpu-"));
    const Remedy dotted = RemedyBuilder(subject).set("/proc/sys/net/ipv4/conf/eth0.7/arp_ignore", "1", "0").take();
    EXPECT_THAT(dotted.lasting.front(), HasSubstr("'net/ipv4/conf/eth0.7/arp_ignore = 1'"));
}

TEST(Remedy, KernelArgumentsAsTheDistributionTakesThem) {
    const HostMachine debian = host("debian"), kylin = host("kylin"), other = host("gentoo");
    const auto lines = [](const HostMachine& node) {
        const Subject subject(node, {});
        return RemedyBuilder(subject).kernel_arguments({"pci=disable_acs_redir=0000:3a:00.0;0000:3b:00.0"}, {"quiet"});
    };
    EXPECT_THAT(lines(debian).take().lasting,
                ElementsAre("# take quiet out of GRUB_CMDLINE_LINUX* in /etc/default/grub",
                            HasSubstr("GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX pci=disable_acs_redir=0000:3a:00.0;"),
                            "update-grub", "# then reboot"));
    const Remedy grubby = lines(kylin).take();
    EXPECT_EQ(grubby.lasting.front(),
              "grubby --update-kernel=ALL "
              "'--args=pci=disable_acs_redir=0000:3a:00.0;0000:3b:00.0' --remove-args=quiet");
    EXPECT_THAT(grubby.lasting_undo.front(), HasSubstr("--args=quiet"));
    EXPECT_THAT(lines(other).take().lasting,
                ElementsAre("# the boot loader's kernel command line: add "
                            "pci=disable_acs_redir=0000:3a:00.0;0000:3b:00.0, take out quiet",
                            "# then reboot"));
}

TEST(Remedy, RegistersKeepTheBitsThatAreNotTheirs) {
    const HostMachine node = host("debian");
    const Subject subject(node, {});
    const Remedy remedy = RemedyBuilder(subject).pci("0000:3a:00.0", "ECAP_ACS+6.w", 0, 0x2c, 0x1d).take();
    EXPECT_THAT(remedy.now, ElementsAre("setpci -s 0000:3a:00.0 ECAP_ACS+6.w=0:2c"));
    EXPECT_THAT(remedy.now_undo, ElementsAre("setpci -s 0000:3a:00.0 ECAP_ACS+6.w=c:2c"));
    EXPECT_THAT(remedy.lasting, IsEmpty());
}

TEST(FixScript, MakesEachChangeOnceAndTakesItBackInReverse) {
    Finding first;
    first.check = "A1";
    first.subject = "it's; rm -rf /";
    first.title = {"first", "一"};
    first.remedy.emplace();
    first.remedy->now = {"one", "# by hand"};
    first.remedy->now_undo = {"one_back"};
    Finding second = first;
    second.subject = "b";
    second.remedy->now = {"one", "two"};
    second.remedy->now_undo = {"one_back", "two_back"};
    Finding waived = first;
    waived.remedy->now = {"never"};
    waived.waiver = Waiver{};
    const std::string script = fix_script({first, second, waived, Finding{}}, "node1", Lang::en);
    EXPECT_THAT(script, HasSubstr("apply() {\n    echo 'A1 it'\\''s; rm -rf /: first'\n    one || failed=1\n    # by "
                                  "hand\n    echo 'A1 b: first'\n    two || failed=1\n}"));
    EXPECT_THAT(script, HasSubstr("undo() {\n    echo 'A1 b: first'\n    two_back || failed=1\n    echo 'A1 "));
    EXPECT_THAT(script, testing::Not(HasSubstr("never")));
    EXPECT_THAT(fix_script({}, "n\n1", Lang::zh), HasSubstr("apply() {\n    :\n}"));
}

TEST(Matches, StarsStandForPartsOfAPath) {
    EXPECT_TRUE(matches("/sys/bus/pci/devices/*/config", "/sys/bus/pci/devices/0000:3a:00.0/config"));
    EXPECT_FALSE(matches("/sys/bus/pci/devices/*/config", "/sys/bus/pci/devices/0000:3a:00.0/x/config"));
    EXPECT_FALSE(matches("/sys/*/config", "/sys/a/config2"));
    EXPECT_TRUE(matches("/sys/node*/meminfo", "/sys/node12/meminfo"));
    EXPECT_TRUE(matches("NVML", "NVML"));
    EXPECT_FALSE(matches("NVML", "NVML2"));
    EXPECT_TRUE(matches("a*", "a"));
    EXPECT_TRUE(matches("*b*c", "xbybzc"));
}

TEST(Subject, ReadsTheKernelsCommandLine) {
    HostMachine node = host("debian");
    node.machine.os.command_line = "root=/dev/sda quiet \"x=a b\" iommu=off iommu=pt pci=nommconf,noaer";
    const Subject subject(node, {});
    EXPECT_EQ(subject.kernel_argument("iommu"), "pt");
    EXPECT_EQ(subject.kernel_argument("quiet"), "");
    EXPECT_EQ(subject.kernel_argument("x"), "a b");
    EXPECT_EQ(subject.kernel_argument("b"), std::nullopt);
}

TEST(Profile, WordsAndMachines) {
    EXPECT_EQ(parse_profile("auto"), std::nullopt);
    EXPECT_EQ(to_string(*parse_profile("metax,vm")), "metax,vm");
    EXPECT_EQ(to_string({}), "none");
    Machine machine;
    machine.gpus.resize(1);
    machine.gpus[0].vendor = "nvidia";
    machine.os.container = "docker";
    machine.cpu.architecture = "aarch64";
    machine.cpu.model = "NVIDIA Grace CPU";
    EXPECT_EQ(to_string(profile_of(machine)), "nvidia,container,arm,grace");
    machine.os.id = "openEuler";
    EXPECT_EQ(os_family(machine), OsFamily::redhat);
}

}  // namespace
}  // namespace gpuadapt::check

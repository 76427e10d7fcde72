// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/ingest/tool_errors.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ToolErrors, KnowsEachToolsWay) {
    for (const char* line : {
             "bash: lspci: command not found",
             "-bash: /opt/x/bin/mx-smi: No such file or directory",
             "bash: line 1: dmidecode: command not found",
             "sh: 1: ibstat: not found",
             "zsh: command not found: lscpu",
             "lspci: Unable to load libkmod resources: error -2",
             "pcilib: Cannot open /proc/bus/pci",
             "/sys/firmware/dmi/tables/smbios_entry_point: No such file or directory",
             "Failed to initialize NVML: Driver/library version mismatch",
             "GPU#1 show-example Sysfs error: No such file or directory",
         })
        EXPECT_THAT(read_tool_errors(std::string(line) + "\n"), ElementsAre(line));
}

TEST(ToolErrors, LeavesProseAndFacts) {
    for (const char* line : {
             "lspci: see below",
             "Note that lspci failed: it was not there",
             "pcieport 000d:01:00.0: bridge window [io  size 0x1000]: can't assign; no space",
             "/dev/mem: Permission denied",
             "ssh: connect to host node01 port 22: Connection refused",
             "symbol_error: 0",
             "GPU#1  MXC999  0000:01:00.0",
             "",
         })
        EXPECT_THAT(read_tool_errors(line), IsEmpty()) << line;
}

TEST(ToolErrors, HasLimits) {
    std::string text;
    for (int i = 0; i < 100; ++i)
        text += "ibpanic: " + std::to_string(i) + "\nibpanic: 0\n";
    EXPECT_THAT(read_tool_errors(text), SizeIs(8));
    EXPECT_THAT(read_tool_errors("ibpanic: " + std::string(1000, 'x')), IsEmpty());
}

}  // namespace
}  // namespace gpuadapt::ingest

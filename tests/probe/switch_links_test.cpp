// SPDX-License-Identifier: Apache-2.0
#include "probe/all_probes.hpp"

#include <gpuadapt/host/memory_root.hpp>

#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

TEST(SwitchLinks, APairIsOneGroup) {
    const std::string folder = "/sys/kernel/pci_switch_link/virtual_switch_links/";
    MemoryRoot root;
    root.add_link(folder + "0000:ad:00.0/0000:8b:00.0", "../0000:8b:00.0");
    root.add_link(folder + "0000:8b:00.0/0000:ad:00.0", "../0000:ad:00.0");
    root.add_file(folder + "0000:8b:00.0/readme", "no port");
    root.add_file(folder + "0000:01:00.0/readme", "alone");
    Machine machine;
    probe_switch_links(root, machine);
    const std::vector<std::vector<std::string>> expected = {{"0000:8b:00.0", "0000:ad:00.0"}};
    EXPECT_EQ(machine.switch_links, expected);
}

TEST(SwitchLinks, NoModuleNoGroup) {
    MemoryRoot root;
    Machine machine;
    probe_switch_links(root, machine);
    EXPECT_TRUE(machine.switch_links.empty());
    EXPECT_TRUE(root.unread().empty());
}

}  // namespace
}  // namespace gpuadapt

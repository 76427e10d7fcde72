// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/merge.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt {
namespace {

using testing::ElementsAre;

PciDevice device(const std::string& address) {
    PciDevice result;
    result.address = address;
    return result;
}

TEST(Merge, FillsWhatIsNotKnown) {
    Machine into, from;
    into.pci_devices = {device("0000:02:00.0"), device("0000:01:00.0")};
    into.pci_devices[0].link.current_width = 8;
    into.cpu.sockets = 2;
    from.pci_devices = {device("0000:01:00.0"), device("0000:02:00.0"), device("0000:00:00.0")};
    from.pci_devices[1].link.current_width = 8;
    from.pci_devices[1].link.current_gt_s = 16;
    from.pci_devices[1].acs = PciAcs{0x1f, 0};
    from.cpu.model = "Example";
    from.os.hostname = "node7";
    EXPECT_TRUE(merge(into, from).empty());
    ASSERT_EQ(into.pci_devices.size(), 3U);
    EXPECT_EQ(into.pci_devices[0].address, "0000:02:00.0");
    EXPECT_EQ(into.pci_devices[0].link.current_gt_s, 16.0);
    EXPECT_EQ(into.pci_devices[0].acs, (PciAcs{0x1f, 0}));
    EXPECT_EQ(into.pci_devices[2].address, "0000:00:00.0");
    EXPECT_EQ(into.cpu.sockets, 2);
    EXPECT_EQ(into.cpu.model, "Example");
    EXPECT_EQ(into.os.hostname, "node7");
}

TEST(Merge, KeepsWhatIsKnownAndTellsWhatDiffers) {
    Machine into, from;
    into.pci_devices = {device("0000:02:00.0")};
    into.pci_devices[0].max_payload_bytes = 256;
    from.pci_devices = {device("0000:02:00.0"), device("0000:03:00.0")};
    from.pci_devices[0].max_payload_bytes = 512;
    const auto found = merge(into, from);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0], (Difference{"/pci_devices/0000:02:00.0/max_payload_bytes", "256", "512"}));
    EXPECT_EQ(into.pci_devices[0].max_payload_bytes, 256);
    EXPECT_EQ(into.pci_devices.size(), 2U);
}

TEST(Merge, FindsTheAddressOfAGpu) {
    Gpu known;
    known.address = "0000:07:00.0";
    known.vendor = "nvidia";
    known.index = 1;
    known.uuid = "GPU-7";
    Gpu named;
    named.vendor = "nvidia";
    named.index = 0;  // by another order
    named.uuid = "GPU-7";
    named.links.resize(1);
    Gpu counted;
    counted.vendor = "nvidia";
    counted.index = 1;
    counted.serial = "S1";
    Gpu other = counted;
    other.vendor = "amd";
    for (const bool known_first : {true, false}) {
        Machine one;
        Machine two;
        (known_first ? one : two).gpus = {known};
        (known_first ? two : one).gpus = {named};
        static_cast<void>(merge(one, two));
        ASSERT_EQ(one.gpus.size(), 1U);
        EXPECT_EQ(one.gpus[0].address, "0000:07:00.0");
        EXPECT_EQ(one.gpus[0].links.size(), 1U);
    }
    Machine one;
    Machine two;
    one.gpus = {known};
    two.gpus = {counted, other};
    two.gpus[1].index = 5;
    static_cast<void>(merge(one, two));
    ASSERT_EQ(one.gpus.size(), 2U) << "an index counts for one vendor";
    EXPECT_EQ(one.gpus[0].serial, "S1");
    EXPECT_EQ(one.gpus[1].address, "");
}

TEST(Merge, TakesListsWithoutNamesAsWholes) {
    Machine into, from;
    Dimm dimm;
    dimm.size_bytes = 1 << 30;
    from.dimms = {dimm, dimm};  // no locator: which is which?
    EXPECT_TRUE(merge(into, from).empty());
    EXPECT_EQ(into.dimms.size(), 2U);
    from.dimms.push_back(dimm);
    EXPECT_EQ(merge(into, from).size(), 1U);
    EXPECT_EQ(into.dimms.size(), 2U);
}

TEST(Merge, AddsUnreadAndKeepsItself) {
    Machine into, from;
    into.unread = {{"a", "x"}};
    from.unread = {{"b", "y"}, {"a", "x"}};
    static_cast<void>(merge(into, from));
    EXPECT_EQ(into.unread.size(), 3U);
    const Machine before = into;
    EXPECT_TRUE(merge(into, Machine{}).empty());
    EXPECT_EQ(into, before);
}

TEST(Merge, NamesTheKnownParts) {
    Machine machine;
    EXPECT_TRUE(known_parts(machine).empty());
    machine.cpu.sockets = 1;
    machine.pci_devices = {device("0000:02:00.0")};
    machine.unread = {{"a", "x"}};
    EXPECT_THAT(known_parts(machine), ElementsAre("cpu", "pci_devices"));
}

}  // namespace
}  // namespace gpuadapt

// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/text.hpp>
#include <gpuadapt/ingest/lspci.hpp>
#include <gpuadapt/ingest/plain_text.hpp>

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

/// A root port with a GPU below it, as `lspci -vvv` of pciutils 3.11 and later prints them for root.
constexpr std::string_view kFull =
    "0000:3a:01.0 PCI bridge: Intel Corporation Device 347a (rev 04) (prog-if 00 [Normal decode])\n"
    "\tControl: I/O+ Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr+ Stepping- SERR+ FastB2B- DisINTx+\n"
    "\tStatus: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- <PERR- INTx-\n"
    "\tNUMA node: 0\n"
    "\tIOMMU group: 41\n"
    "\tBus: primary=3a, secondary=3b, subordinate=3b, sec-latency=0\n"
    "\tCapabilities: [40] Express (v2) Root Port (Slot+), IntMsgNum 0\n"
    "\t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0\n"
    "\t\t\tExtTag+ RBE+\n"
    "\t\tDevCtl:\tCorrErr- NonFatalErr+ FatalErr+ UnsupReq-\n"
    "\t\t\tRlxdOrd- ExtTag+ PhantFunc- AuxPwr- NoSnoop-\n"
    "\t\t\tMaxPayload 256 bytes, MaxReadReq 128 bytes\n"
    "\t\tLnkCap:\tPort #5, Speed 32GT/s, Width x16, ASPM L1, Exit Latency L1 <16us\n"
    "\t\t\tClockPM- Surprise+ LLActRep+ BwNot+ ASPMOptComp+\n"
    "\t\tLnkCtl:\tASPM Disabled; RCB 64 bytes, LnkDisable- CommClk+\n"
    "\t\tLnkSta:\tSpeed 16GT/s, Width x8\n"
    "\t\t\tTrErr- Train- SlotClk+ DLActive+ BWMgmt+ ABWMgmt-\n"
    "\t\tDevCap2: Completion Timeout: Range BC, TimeoutDis+ NROPrPrP- LTR+\n"
    "\t\t\t 10BitTagComp+ 10BitTagReq- OBFF Not Supported, ExtFmt- EETLPPrefix-\n"
    "\t\tDevCtl2: Completion Timeout: 260ms to 900ms, TimeoutDis-\n"
    "\t\t\t 10BitTagReq- OBFF Disabled, EETLPPrefixBlk-\n"
    "\t\tLnkCap2: Supported Link Speeds: 2.5-32GT/s, Crosslink- Retimer+ 2Retimers+ DRS-\n"
    "\t\tLnkCtl2: Target Link Speed: 32GT/s, EnterCompliance- SpeedDis-\n"
    "\t\tLnkSta2: Current De-emphasis Level: -6dB, EqualizationComplete+ EqualizationPhase1+\n"
    "\t\t\t Retimer- 2Retimers- CrosslinkRes: unsupported\n"
    "\tCapabilities: [e0] Power Management version 3\n"
    "\t\tFlags: PMEClk- DSI- D1- D2- AuxCurrent=0mA PME(D0+,D1-,D2-,D3hot+,D3cold+)\n"
    "\t\tStatus: D0 NoSoftRst+ PME-Enable- DSel=0 DScale=0 PME-\n"
    "\tCapabilities: [110 v1] Access Control Services\n"
    "\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-\n"
    "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-\n"
    "\tCapabilities: [220 v1] Physical Layer 16.0 GT/s\n"
    "\t\tPhy16Sta: EquComplete+ EquPhase1+ EquPhase2+ EquPhase3+ LinkEquRequest-\n"
    "\tCapabilities: [380 v1] Downstream Port Containment\n"
    "\t\tDpcCap:\tIntMsgNum 0, RPExt+ PoisonedTLP+ SwTrigger+ RP PIO Log 4, DL_ActiveErr+\n"
    "\t\tDpcSta:\tTrigger- Reason:00 INT- RPBusy- TriggerExt:00 RP PIO ErrPtr:1f\n"
    "\tKernel driver in use: pcieport\n"
    "\n"
    "0000:3b:00.0 3D controller: Device 9999:4001 (rev 01)\n"
    "\tSubsystem: Device 9999:0101\n"
    "\tPhysical Slot: 7\n"
    "\tControl: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr- Stepping- SERR- FastB2B- DisINTx-\n"
    "\tRegion 0: Memory at 4000000000 (64-bit, prefetchable) [size=64G]\n"
    "\tRegion 2: Memory at <unassigned> (64-bit, prefetchable) [disabled] [size=8M]\n"
    "\tExpansion ROM at 90000000 [disabled] [size=1M]\n"
    "\tCapabilities: [70] Express (v2) Endpoint, IntMsgNum 0\n"
    "\t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n"
    "\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-\n"
    "\t\t\tMaxPayload 256 bytes, MaxReadReq 4096 bytes\n"
    "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n"
    "\t\t\tClockPM- Surprise- LLActRep- BwNot- ASPMOptComp+\n"
    "\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)\n"
    "\t\t\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n"
    "\tCapabilities: [148 v1] Device Serial Number 00-11-22-33-44-55-66-77\n"
    "\tCapabilities: [200 v1] Physical Resizable BAR\n"
    "\t\tBAR 0: current size: 64GB, supported: 256MB 1GB 64GB\n"
    "\tCapabilities: [300 v1] Address Translation Service (ATS)\n"
    "\t\tATSCap:\tInvalidate Queue Depth: 00\n"
    "\t\tATSCtl:\tEnable+, Smallest Translation Unit: 00\n"
    "\tKernel driver in use: metax\n";

std::vector<LspciDevice> read(std::string_view text) {
    return read_lspci(plain_text(text));
}

void expect_full(const std::vector<LspciDevice>& devices) {
    ASSERT_EQ(devices.size(), 2U);
    const PciDevice& port = devices[0].device;
    EXPECT_EQ(port.address, "0000:3a:01.0");
    EXPECT_EQ(port.class_code, 0x060400);
    EXPECT_EQ(port.vendor_id, 0x8086);
    EXPECT_EQ(port.device_id, 0x347a);
    EXPECT_EQ(port.port_type, "root port");
    EXPECT_EQ(port.link.capable_gt_s, 32.0);
    EXPECT_EQ(port.link.current_gt_s, 16.0);
    EXPECT_EQ(port.link.current_width, 8);
    EXPECT_EQ(port.link.active, true);
    EXPECT_EQ(port.max_payload_bytes, 256);
    EXPECT_EQ(port.acs, (PciAcs{0x1f, 0x1d}));
    const PciDevice& gpu = devices[1].device;
    EXPECT_EQ(gpu.parent, "0000:3a:01.0");
    EXPECT_EQ(gpu.max_read_request_bytes, 4096);
    EXPECT_EQ(gpu.link.current_width, 8);
    EXPECT_EQ(gpu.relaxed_ordering, true);
    EXPECT_EQ(gpu.driver, "metax");
}

TEST(Lspci, ReadsRegistersOfBothEnds) {
    const auto devices = read(kFull);
    expect_full(devices);
    const PciDevice& port = devices[0].device;
    EXPECT_EQ(devices[0].detail, LspciDetail::registers);
    EXPECT_EQ(port.numa_node, 0);
    EXPECT_EQ(port.iommu_group, 41);
    EXPECT_EQ(port.revision, 4);
    EXPECT_EQ(port.link.aspm_capable, "L1");
    EXPECT_EQ(port.link.aspm, "off");
    EXPECT_EQ(port.link.training, false);
    EXPECT_EQ(port.link.bandwidth_changed, true);
    EXPECT_EQ(port.link.autonomous_bandwidth, false);
    EXPECT_EQ(port.link.target_gt_s, 32.0);
    EXPECT_EQ(port.link.equalized, true);
    EXPECT_EQ(port.link.retimer, false);
    EXPECT_EQ(port.ten_bit_tag_completer, true);
    EXPECT_EQ(port.ten_bit_tag_requester, false);
    EXPECT_EQ(port.ten_bit_tag, false);
    EXPECT_EQ(port.power_state, "D0");
    EXPECT_EQ(port.dpc_triggered, false);
    const PciDevice& gpu = devices[1].device;
    EXPECT_EQ(gpu.class_code, 0x030200);
    EXPECT_EQ(gpu.class_name, "3D controller");
    EXPECT_EQ(gpu.vendor_id, 0x9999);
    EXPECT_EQ(gpu.device_id, 0x4001);
    EXPECT_EQ(gpu.subsystem_device_id, 0x0101);
    EXPECT_EQ(gpu.slot, "7");
    EXPECT_EQ(gpu.serial_number, "00-11-22-33-44-55-66-77");
    EXPECT_EQ(gpu.ats, true);
    EXPECT_EQ(gpu.resizable_bar, (PciResizableBar{0, std::int64_t{64} << 30, std::int64_t{64} << 30}));
    EXPECT_EQ(gpu.bars, (std::vector<PciBar>{{0, std::int64_t{64} << 30, "prefetchable64", true},
                                             {2, std::int64_t{8} << 20, "prefetchable64", false},
                                             {6, std::int64_t{1} << 20, "memory32", true}}));
}

TEST(Lspci, LeavesOutWhatAFunctionHasReserved) {
    const auto devices = read(kFull);
    ASSERT_EQ(devices.size(), 2U);
    // lspci prints "Train-", "DLActive-" and "BWMgmt-" for the lower end of a link too.
    EXPECT_EQ(devices[1].device.link.training, std::nullopt);
    EXPECT_EQ(devices[1].device.link.active, std::nullopt);
    EXPECT_EQ(devices[1].device.link.bandwidth_changed, std::nullopt);
    EXPECT_EQ(devices[1].device.acs, std::nullopt);
    EXPECT_EQ(devices[1].device.config_bytes, std::nullopt);
}

TEST(Lspci, ReadsThroughMailQuotesCrlfAndBlankLines) {
    std::string quoted = "Hello,\r\nthis is our server:\r\n";
    for (const std::string_view line : text_lines(kFull))
        quoted += "> > " + std::string(line) + "\r\n";
    expect_full(read(quoted + "\r\nRegards\r\n"));
    std::string doubled;
    for (const std::string_view line : text_lines(kFull))
        doubled += std::string(line) + "\n\n";
    expect_full(read(doubled));
}

TEST(Lspci, ReadsWrappedLines) {
    std::string wrapped;
    for (const std::string_view line : text_lines(kFull)) {
        std::size_t column = 0;
        for (const char c : line) {
            wrapped += c == ' ' && column > 60 ? '\n' : c;
            column = c == ' ' && column > 60 ? 0 : column + 1;
        }
        wrapped += '\n';
    }
    expect_full(read(wrapped));
}

TEST(Lspci, ReadsHtml) {
    std::string html = "<html><body><p>see &quot;lspci&quot;</p>\n";
    for (const std::string_view line : text_lines(kFull)) {
        html += "<p class=\"x\" style=\"margin:0\">";
        for (const char c : line)
            html += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '\t' ? "&nbsp; &nbsp;" : std::string(1, c);
        html += "</p>\n";
    }
    expect_full(read(html + "</body></html>"));
}

TEST(Lspci, KnowsTheFormOfOldVersions) {
    const auto devices = read(
        "02:00.0 VGA compatible controller: nVidia Corporation GA100 [A100] (rev a1) (prog-if 00 [VGA controller])\n"
        "\tCapabilities: [78] Express (v2) Endpoint, MSI 00\n"
        "\t\tDevCtl:\tReport errors: Correctable- Non-Fatal- Fatal- Unsupported-\n"
        "\t\t\tRlxdOrd+ ExtTag- PhantFunc- AuxPwr- NoSnoop+\n"
        "\t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n"
        "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16, ASPM unknown, Latency L0 <1us, L1 <4us\n"
        "\t\tLnkSta:\tSpeed unknown, Width x16, TrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n");
    ASSERT_EQ(devices.size(), 1U);
    const PciDevice& device = devices[0].device;
    EXPECT_EQ(device.address, "0000:02:00.0");
    EXPECT_EQ(device.vendor_id, 0x10de);
    EXPECT_EQ(device.device_name, "GA100 [A100]");
    EXPECT_EQ(device.link.current_gt_s, std::nullopt);
    EXPECT_EQ(device.link.current_width, 16);
    EXPECT_EQ(device.link.aspm_capable, std::nullopt);
    EXPECT_EQ(device.ten_bit_tag, std::nullopt);
}

TEST(Lspci, TellsDeniedFromAbsent) {
    const auto devices = read(
        "00:02.0 Ethernet controller: Red Hat, Inc. Virtio 1.0 network device (rev 01)\n"
        "\tControl: I/O- Mem+ BusMaster+ SpecCycle-\n"
        "\tCapabilities: <access denied>\n"
        "\tKernel driver in use: virtio-pci\n");
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_TRUE(devices[0].denied);
    EXPECT_EQ(devices[0].device.link, PciLink{});
    // Two makers' ids have that name.
    EXPECT_EQ(devices[0].device.vendor_id, std::nullopt);
    EXPECT_EQ(devices[0].device.vendor_name, "Red Hat, Inc.");
}

TEST(Lspci, ReadsShortFormsAndNumbers) {
    const auto devices = read(
        "$ lspci -nn\n"
        "0004:08:00.0 Serial Attached SCSI controller [0107]:\n"
        "Broadcom / LSI SAS3216 [1000:00c9] (rev 01)\n"
        "01:00.0 0302: 10de:2330 (rev a1)\n"
        "81:00.0 Class 1200: Device 9999:4001\n"
        "00:1f.6's ACS flags are discussed below\n"
        "00:1f.0 is fine: it has them\n");
    ASSERT_EQ(devices.size(), 3U);
    EXPECT_EQ(devices[0].device.address, "0004:08:00.0");
    EXPECT_EQ(devices[0].device.device_id, 0x00c9);
    EXPECT_EQ(devices[1].device.class_code, 0x030200);
    EXPECT_EQ(devices[1].device.device_id, 0x2330);
    EXPECT_EQ(devices[2].device.class_code, 0x120000);
    EXPECT_EQ(devices[2].detail, LspciDetail::line);
}

TEST(Lspci, ReadsTheFlagsOfOneV) {
    const auto devices = read(
        "17:00.0 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n"
        "\tFlags: bus master, fast devsel, latency 0, IRQ 18, NUMA node 1, IOMMU group 23\n"
        "\tMemory at 21ffe000000 (64-bit, prefetchable) [size=32M]\n"
        "\tKernel driver in use: mlx5_core\n");
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_EQ(devices[0].detail, LspciDetail::flags);
    EXPECT_EQ(devices[0].device.bus_master, true);
    EXPECT_EQ(devices[0].device.numa_node, 1);
    EXPECT_EQ(devices[0].device.iommu_group, 23);
    EXPECT_TRUE(devices[0].device.bars.empty());  // its number is not told
}

TEST(Lspci, ReadsTrees) {
    const auto devices = read(
        "-+-[0000:80]-+-01.0-[81-83]----00.0-[82-83]--+-00.0-[83]----00.0  Device 9999:4001\n"
        " |           |                               \\-01.0-[84]--\n"
        " |           \\-05.0  Intel Corporation Device 09a2\n"
        " \\-[0000:00]-+-00.0  Intel Corporation Device 09a2\n"
        "             \\-1f.0  Intel Corporation C620 LPC [8086:a1c1]\n");
    ASSERT_EQ(devices.size(), 8U);
    EXPECT_EQ(devices[2].device.address, "0000:82:00.0");
    EXPECT_EQ(devices[2].device.parent, "0000:81:00.0");
    EXPECT_EQ(devices[3].device.address, "0000:83:00.0");
    EXPECT_EQ(devices[3].device.vendor_id, 0x9999);
    EXPECT_EQ(devices[4].device.address, "0000:82:01.0");
    EXPECT_EQ(devices[4].device.parent, "0000:81:00.0");
    EXPECT_EQ(devices[5].device.parent, std::nullopt);
    EXPECT_EQ(devices[7].device.device_id, 0xa1c1);
    EXPECT_EQ(devices[7].device.class_code, std::nullopt);
}

TEST(Lspci, KeepsTheBytesOfADumpUpToAGap) {
    std::string text = "00:00.0 Host bridge: Intel Corporation Device 0d57\n";
    text += "00: 86 80 57 0d 00 00 00 00 00 00 00 06 00 00 00 00\n";
    text += "10: 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n";
    text += "30: 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n";
    const auto devices = read(text);
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_EQ(devices[0].config.size(), 32U);
    EXPECT_EQ(devices[0].config.substr(0, 4), std::string("\x86\x80\x57\x0d"));
}

TEST(Lspci, ACutTextGivesNoValueThatTheWholeTextDoesNotGive) {
    const auto whole = read(kFull);
    for (std::size_t length = 0; length < kFull.size(); length += 7) {
        for (const LspciDevice& found : read(kFull.substr(0, length))) {
            const auto same = std::find_if(whole.begin(), whole.end(), [&](const LspciDevice& other) {
                return other.device.address == found.device.address;
            });
            ASSERT_NE(same, whole.end()) << length;
            const auto unknown_or_same = [](const auto& found_value, const auto& value) {
                return !found_value || found_value == value;
            };
            EXPECT_TRUE(unknown_or_same(found.device.acs, same->device.acs)) << length;
            EXPECT_TRUE(unknown_or_same(found.device.max_payload_bytes, same->device.max_payload_bytes)) << length;
            EXPECT_TRUE(unknown_or_same(found.device.link.current_gt_s, same->device.link.current_gt_s)) << length;
            EXPECT_TRUE(unknown_or_same(found.device.link.current_width, same->device.link.current_width)) << length;
            EXPECT_TRUE(unknown_or_same(found.device.serial_number, same->device.serial_number)) << length;
        }
    }
}

TEST(Lspci, SeesADeviceThatDoesNotAnswer) {
    const auto devices = read(
        "3b:00.0 3D controller: Device 9999:4001 (rev ff) (prog-if ff)\n"
        "\t!!! Unknown header type 7f\n");
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_FALSE(devices[0].answers);
}

TEST(Lspci, FindsNothingInOtherTexts) {
    EXPECT_TRUE(read("").empty());
    EXPECT_TRUE(read("Architecture: x86_64\n# dmidecode 3.3\n").empty());
    EXPECT_TRUE(read(std::string("\0\xff\xfe\x1b[3", 6)).empty());
}

TEST(PlainText, TakesOffWhatIsAroundTheText) {
    constexpr char kWide[] =
        "\xff\xfe"
        "a\0\r\0\n\0b\0\x57\x5e\n\0?";  // an odd byte at the end is cut off
    EXPECT_EQ(plain_text(std::string_view(kWide, sizeof kWide - 1)), "a\nb\xe5\xb9\x97\n");
    constexpr std::string_view kUnmarked("\0h\0i\0 \xd8\x3d\xde\x01\xd8\x3d\0x\0y\0\n", 18);  // a pair, and half of one
    EXPECT_EQ(plain_text(kUnmarked), "hi \xf0\x9f\x98\x81\xef\xbf\xbdxy\n");
    EXPECT_EQ(plain_text(std::string_view("a\0\0b\n\0\0c\n", 9)), "a  b\n  c\n") << "zero bytes anywhere: not UTF-16";
    EXPECT_EQ(plain_text("\xef\xbb\xbf\x1b[4mGPU0\x1b[0m\tX\r\n"), "GPU0\tX\n");
    EXPECT_EQ(plain_text("> > a\n>b\n  >  c\n"), "a\nb\n c\n");
    EXPECT_EQ(plain_text("a<br>b &amp; c&#160;d <MAbort- >SERR-</p>"), "a\nb & c d <MAbort- >SERR-\n");
    EXPECT_EQ(plain_text("<access denied>\n"), "<access denied>\n");
    EXPECT_TRUE(is_utf8(plain_text("\x80\xc3(")));
}

TEST(PlainText, LeavesOutALastLineWithoutEnd) {
    EXPECT_EQ(plain_text("a: 1\nSize: 32"), "a: 1\n");
    EXPECT_TRUE(read_plain_text("a: 1\r\nSize: 32").cut);
    EXPECT_EQ(plain_text("one line"), "one line\n");
    EXPECT_EQ(plain_text("\n\none line"), "\n\none line\n");
    EXPECT_EQ(plain_text("{\n\"a\": 1\n}"), "{\n\"a\": 1\n}\n");
    EXPECT_EQ(plain_text("<p>a</p><p>b</p>"), "a\nb\n");
    for (const char* whole : {"", "a", "a\nb\n", "a\rb\r", "{\n}", "a\n  "})
        EXPECT_FALSE(read_plain_text(whole).cut) << whole;
    EXPECT_EQ(plain_text(plain_text("a\nb")), "a\n");
}

}  // namespace
}  // namespace gpuadapt::ingest

// SPDX-License-Identifier: Apache-2.0
#include "ingest/smi_tree.hpp"

#include <gpuadapt/ingest/mx_smi.hpp>
#include <gpuadapt/ingest/nvidia_smi.hpp>

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::ingest {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kXml = R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<timestamp>Mon Jan  5 10:00:00 2026</timestamp>
	<driver_version>580.99.01</driver_version>
	<cuda_version>13.0</cuda_version>
	<attached_gpus>2</attached_gpus>
	<gpu id="00000000:07:00.0">
		<product_name>Example X200 &amp; Co</product_name>
		<persistence_mode>Enabled</persistence_mode>
		<mig_mode>
			<current_mig>Disabled</current_mig>
			<pending_mig>Disabled</pending_mig>
		</mig_mode>
		<mig_devices>
			None
		</mig_devices>
		<serial>1650000000001</serial>
		<uuid>GPU-00000000-1111-2222-3333-444444444444</uuid>
		<vbios_version>96.00.00.00.01</vbios_version>
		<board_part_number>900-00000-0000-000</board_part_number>
		<gpu_part_number>2335-000-A1</gpu_part_number>
		<clocks_event_reasons>
			<clocks_event_reason_gpu_idle>Active</clocks_event_reason_gpu_idle>
			<clocks_event_reason_sw_power_cap>Not Active</clocks_event_reason_sw_power_cap>
		</clocks_event_reasons>
		<fb_memory_usage>
			<total>143771 MiB</total>
			<reserved>616 MiB</reserved>
			<used>4 MiB</used>
		</fb_memory_usage>
		<bar1_memory_usage>
			<total>262144 MiB</total>
		</bar1_memory_usage>
		<compute_mode>Default</compute_mode>
		<ecc_mode>
			<current_ecc>Enabled</current_ecc>
			<pending_ecc>Disabled</pending_ecc>
		</ecc_mode>
		<ecc_errors>
			<volatile>
				<sram_correctable>1</sram_correctable>
				<sram_uncorrectable_parity>2</sram_uncorrectable_parity>
				<sram_uncorrectable_secded>3</sram_uncorrectable_secded>
				<dram_correctable>4</dram_correctable>
				<dram_uncorrectable>0</dram_uncorrectable>
			</volatile>
			<aggregate>
				<sram_correctable>99</sram_correctable>
			</aggregate>
		</ecc_errors>
		<remapped_rows>
			<remapped_row_pending>No</remapped_row_pending>
		</remapped_rows>
		<temperature>
			<gpu_temp>31 C</gpu_temp>
		</temperature>
		<gpu_power_readings>
			<average_power_draw>75.00 W</average_power_draw>
			<instant_power_draw>76.54 W</instant_power_draw>
			<current_power_limit>700.00 W</current_power_limit>
			<default_power_limit>700.00 W</default_power_limit>
		</gpu_power_readings>
		<module_power_readings>
			<average_power_draw>N/A</average_power_draw>
		</module_power_readings>
		<clocks>
			<graphics_clock>345 MHz</graphics_clock>
			<mem_clock>3201 MHz</mem_clock>
		</clocks>
		<max_clocks>
			<graphics_clock>1980 MHz</graphics_clock>
			<mem_clock>3201 MHz</mem_clock>
		</max_clocks>
		<processes>
			<process_info>
				<pid>4711</pid>
				<type>C</type>
				<process_name>/usr/bin/trainer</process_name>
				<used_memory>1 MiB</used_memory>
			</process_info>
			<process_info>
				<pid>4712</pid>
				<process_name>[Not Found]</process_name>
				<used_memory>N/A</used_memory>
			</process_info>
		</processes>
	</gpu>
	<gpu id="00000000:06:00.0">
		<serial>N/A</serial>
		<ecc_mode><current_ecc>N/A</current_ecc></ecc_mode>
		<processes/>
	</gpu>
</nvidia_smi_log>
)";

Gpu first_gpu() {
    Gpu gpu;
    gpu.address = "0000:07:00.0";
    gpu.vendor = "nvidia";
    gpu.index = 0;
    gpu.model = "Example X200 & Co";
    gpu.uuid = "GPU-00000000-1111-2222-3333-444444444444";
    gpu.serial = "1650000000001";
    gpu.part_number = "900-00000-0000-000";
    gpu.vbios = "96.00.00.00.01";
    gpu.memory_bytes = std::int64_t{143771} << 20;
    gpu.memory_used_bytes = std::int64_t{4} << 20;
    gpu.ecc = true;
    gpu.ecc_pending = false;
    gpu.ecc_corrected = 5;
    gpu.ecc_uncorrected = 5;
    gpu.remap_pending = false;
    gpu.core_mhz = 345;
    gpu.core_max_mhz = 1980;
    gpu.memory_mhz = 3201;
    gpu.memory_max_mhz = 3201;
    gpu.throttle_reasons = {"gpu_idle"};
    gpu.temperature_c = 31;
    gpu.power_w = 76.54;
    gpu.power_limit_w = 700;
    gpu.power_limit_default_w = 700;
    gpu.persistence = true;
    gpu.compute_mode = "default";
    gpu.partitioned = false;
    gpu.processes = {{4711, "/usr/bin/trainer", 1 << 20}, {4712, "[Not Found]", std::nullopt}};
    return gpu;
}

TEST(NvidiaSmi, ReadsXml) {
    ASSERT_TRUE(looks_like_nvidia_smi(kXml));
    const Machine facts = read_nvidia_smi(kXml);
    ASSERT_EQ(facts.gpus.size(), 2U);
    EXPECT_EQ(facts.gpus[1], first_gpu());
    Gpu second;
    second.address = "0000:06:00.0";
    second.vendor = "nvidia";
    second.index = 1;
    EXPECT_EQ(facts.gpus[0], second) << "N/A is unknown";
    EXPECT_EQ(facts.versions.at("driver").version, "580.99.01");
    EXPECT_EQ(facts.versions.at("CUDA driver").version, "13.0");
}

TEST(NvidiaSmi, ReadsTheSameAsText) {
    const std::string text = R"(
==============NVSMI LOG==============

Timestamp                                              : Mon Jan  5 10:00:00 2026
Driver Version                                         : 580.99.01
CUDA Version                                           : 13.0

Attached GPUs                                          : 1
GPU 00000000:07:00.0
    Product Name                                       : Example X200 & Co
    Persistence Mode                                   : Enabled
    MIG Mode
        Current                                        : Disabled
        Pending                                        : Disabled
    Serial Number                                      : 1650000000001
    GPU UUID                                           : GPU-00000000-1111-2222-3333-444444444444
    VBIOS Version                                      : 96.00.00.00.01
    Board Part Number                                  : 900-00000-0000-000
    GPU Part Number                                    : 2335-000-A1
    PCI
        Bus Id                                         : 00000000:07:00.0
    Clocks Event Reasons
        Idle                                           : Active
        HW Slowdown                                    : Not Active
            HW Thermal Slowdown                        : Not Active
        Sparse Operation Mode                          : N/A
    FB Memory Usage
        Total                                          : 143771 MiB
        Used                                           : 4 MiB
    BAR1 Memory Usage
        Total                                          : 262144 MiB
    Compute Mode                                       : Default
    ECC Mode
        Current                                        : Enabled
        Pending                                        : Disabled
    ECC Errors
        Volatile
            SRAM Correctable                           : 1
            SRAM Uncorrectable Parity                  : 2
            SRAM Uncorrectable SEC-DED                 : 3
            DRAM Correctable                           : 4
            DRAM Uncorrectable                         : 0
        Aggregate
            SRAM Correctable                           : 99
    Remapped Rows
        Pending                                        : No
    Temperature
        GPU Current Temp                               : 31 C
    GPU Power Readings
        Average Power Draw                             : 75.00 W
        Instantaneous Power Draw                       : 76.54 W
        Current Power Limit                            : 700.00 W
        Default Power Limit                            : 700.00 W
    Clocks
        Graphics                                       : 345 MHz
        Memory                                         : 3201 MHz
    Max Clocks
        Graphics                                       : 1980 MHz
        Memory                                         : 3201 MHz
    Processes
        GPU instance ID                                : N/A
        Process ID                                     : 4711
            Type                                       : C
            Name                                       : /usr/bin/trainer
            Used GPU Memory                            : 1 MiB
        Process ID                                     : 4712
            Name                                       : [Not Found]
            Used GPU Memory                            : Insufficient Permissions
)";
    ASSERT_TRUE(looks_like_nvidia_smi(text));
    const Machine facts = read_nvidia_smi(text);
    EXPECT_THAT(facts.gpus, ElementsAre(first_gpu()));
    EXPECT_EQ(facts.versions.at("driver").version, "580.99.01");
}

TEST(NvidiaSmi, ReadsThePlainTable) {
    const std::string text = R"(Mon Jan  5 10:00:00 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.99.01              Driver Version: 580.99.01      CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  Example X200                   On  |   00000000:06:00.0 Off |                    0 |
| N/A   31C    P0             76W /  700W |       4MiB / 143771MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  Example X200 with a very lo... Off |   00000000:07:00.0 Off |                  Off |
| N/A   88C    P0             N/A /  700W |       4MiB / 143771MiB |    100%   E. Process |
|                                         |                        |              Enabled |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    1   N/A  N/A            4711      C   python a b                             1000MiB |
|    0   N/A  N/A            4712    C+G   /usr/bin/x                                 N/A |
+-----------------------------------------------------------------------------------------+
)";
    ASSERT_TRUE(looks_like_nvidia_smi(text));
    EXPECT_FALSE(looks_like_mx_smi(text));
    const Machine facts = read_nvidia_smi(text);
    ASSERT_EQ(facts.gpus.size(), 2U);
    Gpu gpu;
    gpu.address = "0000:06:00.0";
    gpu.vendor = "nvidia";
    gpu.index = 0;
    gpu.model = "Example X200";
    gpu.memory_bytes = std::int64_t{143771} << 20;
    gpu.memory_used_bytes = std::int64_t{4} << 20;
    gpu.ecc = true;
    gpu.ecc_uncorrected = 0;
    gpu.temperature_c = 31;
    gpu.power_w = 76;
    gpu.power_limit_w = 700;
    gpu.persistence = true;
    gpu.compute_mode = "default";
    gpu.partitioned = false;
    gpu.processes = {{4712, "/usr/bin/x", std::nullopt}};
    EXPECT_EQ(facts.gpus[0], gpu);
    EXPECT_FALSE(facts.gpus[1].model) << "a name that was cut is none";
    EXPECT_FALSE(facts.gpus[1].power_w) << "700 W is the limit";
    EXPECT_EQ(facts.gpus[1].ecc, false);
    EXPECT_EQ(facts.gpus[1].partitioned, true);
    EXPECT_EQ(facts.gpus[1].compute_mode, "exclusive_process");
    EXPECT_THAT(facts.gpus[1].processes, ElementsAre(GpuProcess{4711, "python a b", 1000 << 20}));
    EXPECT_EQ(facts.versions.at("CUDA driver").version, "13.0");
}

TEST(NvidiaSmi, TellsTheLinks) {
    const std::string text = R"(
==============NVSMI LOG==============

GPU 00000000:06:00.0
    Product Name                                       : Example X200
    PCI
        Bus                                            : 0x06
        GPU Link Info
            PCIe Generation
                Max                                    : 4
                Current                                : 1
                Device Current                         : 1
                Device Max                             : 5
                Host Max                               : 4
            Link Width
                Max                                    : 16x
                Current                                : 8x
)";
    PciDevice device;
    device.address = "0000:06:00.0";
    device.link.capable_gt_s = 32;
    device.link.current_gt_s = 2.5;
    device.link.capable_width = 16;
    device.link.current_width = 8;
    EXPECT_THAT(read_nvidia_smi(text).pci_devices, ElementsAre(device));
    std::string old = text;
    old.replace(old.find("Device Max"), 10, "Other     ");
    EXPECT_EQ(read_nvidia_smi(old).pci_devices.at(0).link.capable_gt_s, 16);
    std::string odd = text;
    odd.replace(odd.find(": 16x"), 5, ": 99x");
    odd.replace(odd.find(": 8x"), 4, ": N/A");
    EXPECT_EQ(read_nvidia_smi(odd).pci_devices.at(0).link.capable_width, std::nullopt);
    EXPECT_EQ(read_nvidia_smi(odd).pci_devices.at(0).link.current_width, std::nullopt);
    const Machine xml = read_nvidia_smi(
        "<nvidia_smi_log>\n<gpu id=\"00000000:07:00.0\">\n<pci><pci_gpu_link_info><pcie_gen>\n"
        "<max_link_gen>4</max_link_gen>\n<current_link_gen>3</current_link_gen>\n</pcie_gen><link_widths>\n"
        "<max_link_width>16x</max_link_width>\n<current_link_width>16x</current_link_width>\n"
        "</link_widths></pci_gpu_link_info></pci>\n</gpu>\n</nvidia_smi_log>\n");
    ASSERT_EQ(xml.pci_devices.size(), 1U);
    EXPECT_EQ(xml.pci_devices[0].link.capable_gt_s, 16);
    EXPECT_EQ(xml.pci_devices[0].link.current_gt_s, 8);
    EXPECT_EQ(xml.pci_devices[0].link.current_width, 16);
}

TEST(NvidiaSmi, NamesGpusThatDoNotAnswer) {
    const Machine blocks = read_nvidia_smi(
        "==============NVSMI LOG==============\n\nGPU 00000000:06:00.0\n    Product Name : Example X200\n"
        "GPU 00000000:07:00.0\n    Product Name : GPU is lost\n    Serial Number : Unknown Error\n"
        "    VBIOS Version : [Unknown Error]\n    Persistence Mode : ERR!\n");
    EXPECT_THAT(blocks.unread, ElementsAre(Unread{"nvidia-smi, GPU 0000:07:00.0", "GPU is lost, Unknown Error, ERR!"}));
    ASSERT_EQ(blocks.gpus.size(), 2U);
    EXPECT_FALSE(blocks.gpus[1].model);
    EXPECT_FALSE(blocks.gpus[1].serial);
    EXPECT_FALSE(blocks.gpus[1].vbios);
    const std::string line = "Unable to determine the device handle for GPU 0000:08:00.0: GPU is lost.  Reboot\n";
    ASSERT_TRUE(looks_like_nvidia_smi(line));
    EXPECT_THAT(read_nvidia_smi(line).unread, ElementsAre(Unread{"nvidia-smi, GPU 0000:08:00.0", "GPU is lost"}));
    const Machine table = read_nvidia_smi(
        "| NVIDIA-SMI 580.99.01     Driver Version: 580.99.01      CUDA Version: 13.0     |\n"
        "|   0  ERR!                On  |   00000000:06:00.0 Off |                 ERR! |\n"
        "|ERR!  ERR! ERR!    ERR! / ERR! |       4MiB / 143771MiB |    ERR!      Default |\n");
    EXPECT_THAT(table.unread, ElementsAre(Unread{"nvidia-smi, GPU 0000:06:00.0", "ERR!"}));
    ASSERT_EQ(table.gpus.size(), 1U);
    EXPECT_FALSE(table.gpus[0].model);
    EXPECT_THAT(read_nvidia_smi("ERR!\n" + std::string(kXml)).unread, IsEmpty());
}

TEST(NvidiaSmi, CutAndOtherTextsInventNothing) {
    const Machine whole = read_nvidia_smi(kXml);
    for (std::size_t size = 0; size < kXml.size(); size += 7) {
        const Machine cut = read_nvidia_smi(kXml.substr(0, size));
        for (const Gpu& gpu : cut.gpus) {
            const Gpu& full = whole.gpus[gpu.address == "0000:06:00.0" ? 0 : 1];
            EXPECT_TRUE(!gpu.serial || gpu.serial == full.serial) << size;
            EXPECT_TRUE(!gpu.memory_bytes || gpu.memory_bytes == full.memory_bytes) << size;
            EXPECT_TRUE(!gpu.ecc || gpu.ecc == full.ecc) << size;
        }
    }
    EXPECT_FALSE(looks_like_nvidia_smi(""));
    EXPECT_FALSE(looks_like_nvidia_smi("GPU 0: Example\n"));
    EXPECT_THAT(read_nvidia_smi("<nvidia_smi_log>" + std::string(100000, '<')).gpus, IsEmpty());
    std::string deep = "<nvidia_smi_log>";
    for (int i = 0; i < 20000; ++i)
        deep += "<a>";
    EXPECT_THAT(read_nvidia_smi(deep).gpus, IsEmpty());
}

TEST(NvidiaSmi, GivesAProcessToOneGpu) {
    std::string text = "| NVIDIA-SMI 999.01   Driver Version: 999.01   CUDA Version: 13.0 |\n";
    for (const char* bus : {"06", "07", "08"})
        text += "|   0  Made GPU  On | 00000000:" + std::string(bus) +
                ":00.0 Off | 0 |\n| N/A 31C P0 61W / 350W | 1MiB / 2MiB | 0% Default |\n";
    text += "| Processes: |\n";
    for (const char* pid : {"17", "18"})
        text += "|    0   N/A  N/A   " + std::string(pid) + "      C   python   1000MiB |\n";
    const Machine facts = read_nvidia_smi(text);
    ASSERT_EQ(facts.gpus.size(), 3U);
    EXPECT_EQ(facts.gpus[0].processes.size(), 2U);
    EXPECT_EQ(facts.gpus[1].processes.size() + facts.gpus[2].processes.size(), 0U) << "they have the same index";
}

TEST(SmiTree, KeepsNoValueBelowTitlesThatNoToolPrints) {
    const std::string title(5000, 'a');
    std::string blocks = "GPU 00000000:06:00.0\n    Kept : 1\n";
    std::string xml = "<nvidia_smi_log><gpu id=\"00000000:06:00.0\"><kept>1</kept>";
    std::string json = "{\"smi_version\": \"1\", \"0000:06:00.0\": {\"kept\": \"1\"";
    std::string indent = "    ";
    for (int i = 0; i < 10; ++i) {
        blocks += indent + title + "\n";
        xml += "<" + title + ">";
        json += ", \"" + title + "\": {\"b\": \"c\"";
        indent += " ";
    }
    blocks += indent + "b : c\n";
    xml += "<b>c</b>";
    json += std::string(12, '}');
    for (const SmiTree& tree : {read_smi_blocks(blocks), read_smi_xml(xml), read_smi_json(json)}) {
        ASSERT_EQ(tree.devices.size(), 1U);
        ASSERT_FALSE(tree.devices[0].values.empty());
        EXPECT_EQ(tree.devices[0].values[0].path, "kept");
        for (const SmiValue& value : tree.devices[0].values)
            EXPECT_LE(value.path.size(), 256U);
    }
}

TEST(SmiTree, ATextOfKeysAloneDoesNotHoldUs) {
    std::string json = "{\"smi_version\": \"1\", \"0000:06:00.0\": {";
    for (int i = 0; i < 100000; ++i)
        json += "\"k" + std::to_string(i) + "\": 1, ";
    const auto start = std::chrono::steady_clock::now();
    const SmiTree tree = read_smi_json(json + "\"last\": 2}}");
    ASSERT_EQ(tree.devices.size(), 1U);
    EXPECT_EQ(tree.devices[0].values.size(), 100001U);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace gpuadapt::ingest

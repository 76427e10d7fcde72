// SPDX-License-Identifier: Apache-2.0
#include "report/environment_values.hpp"
#include "report/support/made_record.hpp"

#include <gpuadapt/core/error.hpp>
#include <gpuadapt/report/environment_items.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const FilledItem& item(const std::vector<FilledItem>& items, std::string_view key) {
    for (const FilledItem& own : items)
        if (own.key == key)
            return own;
    throw std::logic_error("no such item");
}

std::string zh(const std::vector<HostMachine>& machines, std::string_view key,
               const std::optional<Launch>& launch = std::nullopt) {
    return item(environment_items(machines, launch), key).value.zh;
}

std::vector<HostMachine> one(const Machine& machine) {
    return {{"node1", machine}};
}

std::string form_error(const std::string& json) {
    try {
        static_cast<void>(FormOverrides::parse(json, "form.json"));
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "";
}

TEST(EnvironmentItems, DescribesAServer) {
    const Record record = test::made_record();
    const std::vector<FilledItem> items = environment_items(record.machines, record.launch);
    ASSERT_EQ(items.size(), 19U);
    for (std::size_t i = 0; i < items.size(); ++i) {
        EXPECT_EQ(items[i].key, kEnvironmentItems[i].key);
        EXPECT_FALSE(items[i].value.en.empty());
        EXPECT_FALSE(items[i].value.zh.empty());
        EXPECT_TRUE(items[i].known) << items[i].key;
        EXPECT_FALSE(items[i].manual);
    }
    EXPECT_EQ(item(items, "server_ip").value.zh, "192.0.2.11");
    EXPECT_EQ(item(items, "server_model").value.zh, "Made Systems MS-8000");
    EXPECT_EQ(item(items, "bios_version").value.zh, "Made BIOS 1.22.3 (05/01/2026)");
    const std::string mode = item(items, "performance_mode").value.zh;
    for (const char* part : {"governor=performance", "acpi-cpufreq", "boost 开", "C-state=POLL,C1,-C2", "BIOS侧待确认"})
        EXPECT_THAT(mode, HasSubstr(part));
    EXPECT_EQ(item(items, "cpu_model").value.zh, "2 x Made CPU 9654（每颗 32 核, 每核 2 线程, NUMA 2）");
    EXPECT_EQ(item(items, "pcie_gen").value.zh, "GPU: 8 x Gen5 x16; NIC: 4 x Gen5 x16");
    EXPECT_EQ(item(items, "pcie_max_payload").value.zh, "GPU: 8 x 256 B; NIC: 4 x 256 B");
    EXPECT_EQ(item(items, "pcie_acs").value.zh, "开启：0000:30:01.0");
    EXPECT_EQ(item(items, "nic_model").value.zh, "4 x Made NIC 400");
    EXPECT_EQ(item(items, "nic_count").value.zh, "4");
    EXPECT_EQ(item(items, "nic_bandwidth").value.zh, "4 x 400 Gb/s (RDMA)");
    EXPECT_EQ(item(items, "network_protocol").value.zh, "4 x RoCE ACTIVE");
    EXPECT_EQ(item(items, "gpu_model").value.zh, "8 x Made C1");
    EXPECT_THAT(item(items, "gpu_topology").value.zh, HasSubstr("8 GPU，直连链路未读到\nNUMA 0：8 个GPU"));
    EXPECT_EQ(item(items, "os").value.zh, "Made Linux 12");
    EXPECT_EQ(item(items, "os_kernel").value.zh, "6.1.0-44-amd64");
    EXPECT_THAT(item(items, "sw_version").value.zh, HasSubstr("MACA 3.8.1"));
    EXPECT_EQ(item(items, "vbios").value.zh, "1.9.0.0");
    EXPECT_EQ(item(items, "communication_setup").value.zh,
              "export MCCL_IB_GID_INDEX=3\nexport MCCL_NOTE='it'\\''s'\n"
              "/opt/ompi/bin/mpirun -n 4 -x 'NOTE=two words' gpuadapt");
}

TEST(EnvironmentItems, CoresOfEachSocketOnlyWhereTheyAddUp) {
    Record record = test::made_record();
    Cpu& cpu = record.machines.at(0).machine.cpu;
    cpu.cores = 64;
    const auto model = [&] { return zh(record.machines, "cpu_model"); };
    EXPECT_EQ(model(), "2 x Made CPU 9654（每颗 32 核, 每核 2 线程, NUMA 2）");
    cpu.cores = 40;
    EXPECT_EQ(model(), "2 x Made CPU 9654（共 40 核, 每核 2 线程, NUMA 2）");
}

/// The lines can be pasted: the environment wins over files, the first file over the others.
TEST(EnvironmentItems, TheSetupHasWhatConfigurationFilesSet) {
    Machine machine;
    machine.environment = {{"MCCL_IB_GID_INDEX", "3"}, {"MCCL_ALGO", "Ring"}, {"LD_LIBRARY_PATH", "/of/mpirun"}};
    machine.config_files = {
        {"/~/.mccl.conf", {{"MCCL_IB_GID_INDEX", "1"}, {"MCCL_IB_HCA", "mlx5_0,mlx5_1"}}},
        {"/etc/mccl.conf", {{"MCCL_IB_HCA", "mlx5_9"}, {"MCCL_ALGO", "Tree"}, {"MCCL_NOTE", "two words"}}}};
    machine.unread = {{"/etc/nccl.conf", "permission denied"}, {"/etc/other.conf", "permission denied"}};
    Launch launch;
    launch.environment = {{"MCCL_IB_GID_INDEX", "3"}};
    launch.launcher = {"mpirun", "-n", "2", "gpuadapt"};
    const auto setup = [&](const std::vector<HostMachine>& hosts, const std::optional<Launch>& start) {
        return item(environment_items(hosts, start), "communication_setup").value.en;
    };
    const std::string own =
        "export MCCL_ALGO=Ring\n"
        "export MCCL_IB_HCA=mlx5_0,mlx5_1  # /~/.mccl.conf\n"
        "export MCCL_NOTE='two words'  # /etc/mccl.conf\n"
        "# /etc/nccl.conf: not read\n";
    EXPECT_EQ(setup(one(machine), launch), "export MCCL_IB_GID_INDEX=3\n" + own + "mpirun -n 2 gpuadapt");
    EXPECT_EQ(setup({{"a", machine}, {"b", machine}}, launch),
              "export MCCL_IB_GID_INDEX=3\n" + own + "mpirun -n 2 gpuadapt");
    EXPECT_EQ(setup({{"a", {}}, {"b", {}}, {"c", machine}}, launch),
              "export MCCL_IB_GID_INDEX=3\n# nothing else\n# c:\n" + own + "mpirun -n 2 gpuadapt");
    EXPECT_EQ(setup(one(machine), std::nullopt), "export MCCL_ALGO=Ring\nexport MCCL_IB_GID_INDEX=3\n" +
                                                     own.substr(own.find('\n') + 1) + "# start command: not read");
}

/// Open MPI, too, takes the environment before its files.
TEST(EnvironmentItems, TheSetupHasNoSettingOfAFileThatTheEnvironmentReplaces) {
    Machine machine;
    machine.environment = {{"OMPI_MCA_btl", "tcp,self"}};
    machine.config_files = {{"/etc/openmpi/openmpi-mca-params.conf", {{"OMPI_MCA_btl", "^openib"}}}};
    EXPECT_EQ(zh(one(machine), "communication_setup"), "未读到");
    machine.environment.clear();
    EXPECT_THAT(zh(one(machine), "communication_setup"), HasSubstr("export OMPI_MCA_btl=^openib"));
}

/// A record may come from anybody, and the form says that its lines can be pasted.
TEST(EnvironmentItems, AShellRunsNothingOfTheSetupButTheStart) {
    Machine machine;
    machine.environment = {{"NCCL_A; touch /tmp/b", "1"}};
    machine.config_files = {{"/etc/nccl.conf\ntouch /tmp/b", {{"NCCL_B\ntouch /tmp/b", "x"}}}};
    machine.unread = {{"touch /tmp/b\n/etc/nccl.conf", "permission denied"}};
    Launch launch;
    launch.environment = {{"NCCL_C$(touch /tmp/b)", "2"}};
    launch.launcher = {"mpirun"};
    EXPECT_EQ(
        item(environment_items({{"a", machine}, {"b\ntouch /tmp/b", {}}}, launch), "communication_setup").value.en,
        "export 'NCCL_C$(touch /tmp/b)'=2\n"
        "# a:\n"
        "export 'NCCL_A; touch /tmp/b'=1\n"
        "export 'NCCL_B\ntouch /tmp/b'=x  # /etc/nccl.conf touch /tmp/b\n"
        "# touch /tmp/b /etc/nccl.conf: not read\n"
        "# b touch /tmp/b:\n"
        "# nothing else\n"
        "mpirun");
}

TEST(EnvironmentItems, SoftwareIsToldInTheOrderOfTheField) {
    Machine machine;
    machine.gpus.emplace_back().vendor = "metax";
    machine.versions = {{"MACA", {"3.8.1", {}}},       {"MCCL", {"2.16.5", {}}}, {"Open MPI", {"4.1.6", {}}},
                        {"MACA runtime", {"3.8", {}}}, {"OFED", {"24.10", {}}},  {"driver", {"3.8.30", {}}}};
    machine.modules = {{"metax", "3.8.30", {}}, {"mlx5_core", "24.10-1.1.4", {}}};
    EXPECT_EQ(item(environment_items(one(machine), std::nullopt), "sw_version").value.zh,
              "MACA 3.8.1\nKMD 3.8.30\nMCCL 2.16.5\nOFED 24.10\nOpen MPI 4.1.6\nMACA runtime 3.8\n"
              "mlx5_core 24.10-1.1.4");
    machine.gpus[0].vendor = "nvidia";
    EXPECT_THAT(item(environment_items(one(machine), std::nullopt), "sw_version").value.zh,
                HasSubstr("\ndriver 3.8.30\n"));
}

TEST(EnvironmentItems, AnOddVbiosIsSeen) {
    Machine machine;
    machine.gpus.resize(3);
    machine.gpus[0].vbios = machine.gpus[1].vbios = "1.9";
    const auto vbios = [&] { return item(environment_items(one(machine), std::nullopt, {}), "vbios").value.zh; };
    EXPECT_EQ(vbios(), "2 x 1.9");
    machine.gpus[2].vbios = "1.8";
    EXPECT_EQ(vbios(), "2 x 1.9, 1 x 1.8");
    machine.gpus[2].vbios = "1.9";
    EXPECT_EQ(vbios(), "1.9");
}

TEST(EnvironmentItems, NeverCallsTheUnknownOff) {
    for (const std::vector<HostMachine>& machines : {one({}), std::vector<HostMachine>{}}) {
        for (const FilledItem& own : environment_items(machines, std::nullopt)) {
            EXPECT_THAT(own.value.zh, HasSubstr("未读到")) << own.key;
            EXPECT_THAT(own.value.en, HasSubstr("not read")) << own.key;
            EXPECT_THAT(own.value.zh, Not(HasSubstr("关闭"))) << own.key;
            if (own.key != "performance_mode") {
                EXPECT_FALSE(own.known) << own.key;
            }
        }
    }
}

/// A text may be an excerpt: what is not in it may still be there.
TEST(EnvironmentItems, SaysNoneOnlyOfAWholeMachine) {
    Machine machine = test::made_server();
    machine.gpus.clear();
    machine.rdma_devices.clear();
    machine.interfaces.clear();
    PciDevice disk;
    disk.address = "0000:01:00.0";
    disk.class_code = 0x010802;
    machine.pci_devices = {disk};
    const std::vector<const char*> keys = {"gpu_model", "gpu_topology", "vbios",     "pcie_gen",
                                           "pcie_acs",  "nic_model",    "nic_count", "network_protocol"};
    for (const char* key : keys)
        EXPECT_THAT(zh(one(machine), key), Not(HasSubstr("未读到"))) << key;
    machine.sources["pci_devices"] = "lspci.txt";
    for (const char* key : keys)
        EXPECT_EQ(zh(one(machine), key), "未读到") << key;
    machine.sources.clear();
    machine.unread = {{"probe pci", "failed half way"}};
    EXPECT_EQ(zh(one(machine), "gpu_model"), "未读到");
    machine.unread.clear();
    machine.pci_devices.clear();
    machine.interfaces.emplace_back().name = "lo";  // of a container: cards of the machine are not in its namespace
    machine.interfaces.back().kind = "loopback";
    for (const char* key : keys)
        EXPECT_EQ(zh(one(machine), key), "未读到") << key;
}

TEST(EnvironmentItems, JudgesAcsByTheControlBits) {
    Machine machine = test::made_server();
    for (PciDevice& device : machine.pci_devices)
        if (device.acs)
            device.acs->control = 0;
    EXPECT_EQ(zh(one(machine), "pcie_acs"), "关闭（4 个端口）");
    machine.pci_devices[0].acs->control = 0x10;  // upstream forwarding alone redirects nothing
    EXPECT_EQ(zh(one(machine), "pcie_acs"), "关闭（4 个端口）");
    machine.pci_devices[0].acs->control = 0x04;
    EXPECT_EQ(zh(one(machine), "pcie_acs"), "开启：0000:10:01.0");
    machine.pci_devices[0].acs.reset();
    machine.pci_devices[0].config_bytes = 64;  // without root
    EXPECT_EQ(zh(one(machine), "pcie_acs"), "已读到的 3 个端口关闭; 1 个桥未读到（需root）");
    for (PciDevice& device : machine.pci_devices) {
        device.acs.reset();
        device.config_bytes = 64;
    }
    EXPECT_EQ(zh(one(machine), "pcie_acs"), "未读到");
    for (PciDevice& device : machine.pci_devices)
        device.config_bytes = 4096;
    EXPECT_EQ(zh(one(machine), "pcie_acs"), "无端口具备ACS（4 个桥）");
}

TEST(EnvironmentItems, TellsDegradedLinks) {
    Machine machine = test::made_server();
    for (PciDevice& device : machine.pci_devices)
        if (device.address == "0000:11:00.0") {
            device.link.current_gt_s = 16.0;
            device.link.current_width = 8;
        }
    EXPECT_EQ(zh(one(machine), "pcie_gen"), "GPU: 1 x Gen4 x8（能力 Gen5 x16）, 7 x Gen5 x16; NIC: 4 x Gen5 x16");
}

TEST(EnvironmentItems, SaysOnceWhatHostsShare) {
    const Machine first = test::made_server();
    Machine second = first;
    second.addresses = {"192.0.2.12"};
    Machine third = first;
    third.addresses.clear();
    third.os.kernel = "5.15.0";
    const std::vector<HostMachine> hosts = {{"node1", first}, {"node2", second}, {"node3", third}};
    EXPECT_EQ(zh(hosts, "os"), "Made Linux 12");
    EXPECT_EQ(zh(hosts, "os_kernel"), "6.1.0-44-amd64\nnode3: 5.15.0");
    EXPECT_EQ(zh(hosts, "server_ip"), "node1: 192.0.2.11\nnode2: 192.0.2.12\nnode3: 未读到");
}

TEST(EnvironmentItems, KnowsHostMemory) {
    Machine machine = test::made_server();
    Launch launch;
    launch.backend = "host";
    EXPECT_THAT(zh(one(machine), "gpu_model", launch), HasSubstr("主机内存"));
    machine.gpus.clear();
    EXPECT_EQ(zh(one(machine), "gpu_model", launch), "无GPU（本次在主机内存上测试）");
    EXPECT_EQ(zh(one(machine), "gpu_model"), "无GPU");
    EXPECT_EQ(zh(one(machine), "gpu_topology"), "无GPU");
    EXPECT_THAT(zh(one(machine), "pcie_gen"), HasSubstr("无GPU"));
}

TEST(EnvironmentItems, SaysWhatTheFirmwareLeftOpen) {
    Machine machine;
    const std::string left_open = "To be filled by O.E.M.";
    machine.dmi.system_vendor = left_open;
    machine.dmi.product_name = left_open;
    EXPECT_EQ(zh(one(machine), "server_model"), "固件未填写（内容为“To be filled by O.E.M.”）");
    machine.dmi.board_vendor = "Made";
    machine.dmi.board_name = "Board 7";
    EXPECT_EQ(zh(one(machine), "server_model"), "Made Board 7");
}

TEST(EnvironmentItems, QuotesForTheShell) {
    EXPECT_EQ(shell_word("-x"), "-x");
    EXPECT_EQ(shell_word("a=b:c,d/e^f"), "a=b:c,d/e^f");
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("a b"), "'a b'");
    EXPECT_EQ(shell_word("$(x)`y`"), "'$(x)`y`'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(FormOverridesFile, OverridesAndMarks) {
    const FormOverrides form =
        FormOverrides::parse(R"({"服务器型号": "MS-9000", "tester": "王", "OS kernel": "6.6"})", "form.json");
    const std::vector<FilledItem> items = environment_items(one(test::made_server()), std::nullopt, form);
    EXPECT_EQ(item(items, "server_model").value.zh, "MS-9000（手工）");
    EXPECT_EQ(item(items, "server_model").value.en, "MS-9000 (by hand)");
    EXPECT_TRUE(item(items, "server_model").manual);
    EXPECT_EQ(item(items, "os_kernel").value.zh, "6.6（手工）");
    const std::vector<FilledItem> lines = signature_items(form, "2026-11-30T12:00:00Z");
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(item(lines, "tester").value.zh, "王（手工）");
    EXPECT_EQ(item(lines, "customer").value.zh, "");
    EXPECT_EQ(item(lines, "date").value.zh, "2026-11-30");
    EXPECT_EQ(item(signature_items(form, ""), "date").value.zh, "");
}

TEST(FormOverridesFile, NamesFileAndKeyOfAMistake) {
    EXPECT_THAT(form_error(R"({"serverip": "x"})"),
                testing::AllOf(HasSubstr("form.json"), HasSubstr("serverip"), HasSubstr("server_ip")));
    EXPECT_THAT(form_error(R"({"vbios": 3})"), testing::AllOf(HasSubstr("form.json"), HasSubstr("vbios")));
    EXPECT_THAT(form_error(R"({"vbios": null})"), HasSubstr("vbios"));
    EXPECT_THAT(form_error(R"({"tester": "a", "测试人": "b"})"), HasSubstr("测试人"));
    EXPECT_THAT(form_error(R"({"tester": "a",})"), HasSubstr("form.json"));
    EXPECT_THAT(form_error("[]"), HasSubstr("form.json"));
    EXPECT_THAT(form_error(""), HasSubstr("form.json"));
    EXPECT_THAT(form_error(std::string(100000, '[')), HasSubstr("form.json"));
    EXPECT_EQ(form_error("{}"), "");
}

}  // namespace
}  // namespace gpuadapt::report

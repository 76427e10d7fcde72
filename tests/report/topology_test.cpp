// SPDX-License-Identifier: Apache-2.0
#include "report/support/made_record.hpp"
#include "report/topology_facts.hpp"

#include <gpuadapt/core/topology.hpp>
#include <gpuadapt/report/topology.hpp>

#include <algorithm>
#include <chrono>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuadapt::report {
namespace {

using testing::HasSubstr;
using testing::Not;

PciDevice device(const std::string& address, int class_code, const std::string& parent, const std::string& type) {
    PciDevice made;
    made.address = address;
    made.class_code = class_code;
    made.vendor_id = 0x1000;
    made.device_id = 0xc030;
    made.subsystem_vendor_id = 0x1000;
    made.subsystem_device_id = 0x100;
    made.port_type = type;
    made.numa_node = 0;
    if (!parent.empty())
        made.parent = parent;
    made.link.capable_gt_s = 32;
    made.link.capable_width = made.link.current_width = 16;
    made.link.current_gt_s = type == "endpoint" ? 2.5 : 32;
    return made;
}

/// Two GPUs and a network card below one switch; 18 links of each GPU lead to one NVSwitch.
Machine small() {
    Machine machine;
    machine.os.hostname = "small";
    machine.cpu.architecture = "x86_64";
    machine.cpu.vendor = "AuthenticAMD";
    machine.cpu.family = 25;
    machine.cpu.model_number = 17;
    NumaNode node;
    node.cpus = "0-3,40";
    node.package = 0;
    machine.numa_nodes = {node};
    machine.pci_devices = {device("0000:10:01.0", 0x060400, "", "root port"),
                           device("0000:11:00.0", 0x060400, "0000:10:01.0", "upstream port")};
    for (int i = 0; i < 3; ++i)
        machine.pci_devices.push_back(
            device(fmt::format("0000:12:0{}.0", i), 0x060400, "0000:11:00.0", "downstream port"));
    for (int i = 0; i < 2; ++i) {
        Gpu gpu;
        gpu.address = fmt::format("0000:{}:00.0", 13 + i);
        gpu.vendor = "nvidia";
        gpu.model = "Made G1";
        gpu.uuid = "GPU-x";
        for (int k = 0; k < 18; ++k) {
            gpu.links.emplace_back().index = k;
            gpu.links.back().state = "up";
            gpu.links.back().remote = "0000:f0:00.0";
            gpu.links.back().remote_kind = "switch";
        }
        machine.gpus.push_back(gpu);
        machine.pci_devices.push_back(device(gpu.address, 0x030200, fmt::format("0000:12:0{}.0", i), "endpoint"));
    }
    machine.pci_devices.push_back(device("0000:15:00.0", 0x020000, "0000:12:02.0", "endpoint"));
    RdmaPort port;
    port.number = 1;
    port.state = "ACTIVE";
    port.rate_gbit_s = 400;
    RdmaDevice rdma;
    rdma.name = "mlx5_0";
    rdma.pci_address = "0000:15:00.0";
    rdma.ports = {port};
    machine.rdma_devices = {rdma};
    return machine;
}

TEST(TopologyText, FitsTheTerminal) {
    Machine machine = test::made_server();
    TopologyMatrix theirs;
    theirs.tool = "mx-smi topo -m";
    theirs.names = {"GPU0", "GPU1", "GPU2"};
    theirs.cells = {{"X", "SYS", "MX"}, {"SYS", "X", "NODE"}, {"MX", "NODE", "X"}};
    machine.vendor_topology = {theirs};
    for (const std::size_t width : {40U, 80U, 200U})
        for (const Lang lang : {Lang::en, Lang::zh}) {
            std::istringstream lines(topology_text(machine, {lang, width, true, false}));
            for (std::string line; std::getline(lines, line);)
                EXPECT_LE(display_width(line), width) << line;
        }
    const std::string ascii = topology_text(machine, {Lang::zh, 80, false, false});
    EXPECT_TRUE(std::all_of(ascii.begin(), ascii.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    const std::string text = topology_text(machine, {Lang::en, 100, true, false});
    EXPECT_THAT(text, HasSubstr("machine node1\n├─ package 0\n│  └─ NUMA 0, CPU 0-63\n"));
    EXPECT_THAT(text, HasSubstr("3 pairs compared, 2 differ"));
    EXPECT_THAT(text, HasSubstr("here NODE, there MX: GPU0-GPU2; the direct links were not read here"));
    EXPECT_THAT(text, HasSubstr("here PIX, there SYS: GPU0-GPU1; one of the two is wrong"));
    EXPECT_THAT(topology_text({}, {}), HasSubstr("not read"));
}

TEST(TopologyText, ShowsMatrixUplinksAndPaths) {
    const std::string text = topology_text(small(), {Lang::en, 80, true, false});
    for (const char* line :
         {"GPU0  X     NV18  PIX\n", "NIC0  PIX   PIX   X\n", "NVn  n NVLinks\n", "NIC0 mlx5_0\n",
          "0000:11:00.0  GPU0 GPU1      126.0         63.0  2.0:1\n", "GPU0  0000:13:00.0  63.0  PIX NIC0\n"})
        EXPECT_THAT(text, HasSubstr(line));
}

TEST(TopologyText, ShowsTheVendorsMatrixWithoutATree) {
    TopologyMatrix theirs;
    theirs.tool = "mx-smi topo -m";
    theirs.names = {"GPU0", "GPU1", "NIC0"};
    theirs.cells = {{"X", "MX", "NODE"}, {"MX", "X"}};  // cut
    theirs.legend = {{"NIC0", "mlx5_3"}};
    Machine machine;
    machine.vendor_topology = {theirs};
    const std::string text = topology_text(machine, {Lang::en, 80, true, false});
    for (const char* line : {"mx-smi topo -m\n", "      GPU0  GPU1  NIC0\n", "GPU0  X     MX    NODE\n",
                             "GPU1  MX    X\n", "NIC0 mlx5_3\n"})
        EXPECT_THAT(text, HasSubstr(line));
    machine.vendor_topology[0].names.clear();
    EXPECT_THAT(topology_text(machine, {Lang::en, 80, true, false}), HasSubstr("no matrix in its output"));
}

TEST(TopologyText, NamesTheInterfaceOfANetworkCard) {
    Machine machine = small();
    machine.interfaces.emplace_back().name = "ens15";
    machine.interfaces.back().pci_address = "0000:15:00.0";
    EXPECT_THAT(topology_text(machine, {Lang::en, 100, true, false}), HasSubstr("0000:15:00.0 NIC0 mlx5_0 ens15"));
    machine.rdma_devices.clear();  // then the name of the end itself may be that of the interface
    const std::string text = topology_text(machine, {Lang::en, 100, true, false});
    EXPECT_THAT(text, HasSubstr("NIC0 ens15"));
    EXPECT_THAT(text, Not(HasSubstr("ens15 ens15")));
}

/// Two switches, a GPU below each, which are one chip by what the kernel says.
Machine dual() {
    Machine machine = small();
    for (Gpu& gpu : machine.gpus) {
        gpu.links.clear();
        gpu.uuid.reset();
    }
    machine.pci_devices.push_back(device("0000:20:01.0", 0x060400, "", "root port"));
    machine.pci_devices.push_back(device("0000:21:00.0", 0x060400, "0000:20:01.0", "upstream port"));
    machine.pci_devices.push_back(device("0000:22:00.0", 0x060400, "0000:21:00.0", "downstream port"));
    for (PciDevice& it : machine.pci_devices)
        if (it.address == "0000:14:00.0")
            it.parent = "0000:22:00.0";
    machine.switch_links = {{"0000:11:00.0", "0000:21:00.0"}};
    return machine;
}

TEST(TopologySvg, JoinsTheUplinksOfOneChipAndSaysNothingOfClasses) {
    const Machine machine = dual();
    const std::string svg = topology_svg(machine, Lang::en);
    EXPECT_THAT(svg, HasSubstr("stroke-width=\"2\" stroke-dasharray=\"6 3\"/>\n<"));
    EXPECT_THAT(svg, HasSubstr("<path d=\"M"));
    const auto dashed = [](const std::string& text) {
        std::istringstream lines(text);
        int count = 0;
        for (std::string line; std::getline(lines, line);)
            count += line.starts_with("<path") && line.find("stroke-dasharray") != std::string::npos ? 1 : 0;
        return count;
    };
    EXPECT_EQ(dashed(svg), 1);
    EXPECT_EQ(dashed(topology_svg(small(), Lang::en)), 0);
    EXPECT_THAT(svg, HasSubstr("1 chip with several uplinks"));
    EXPECT_THAT(svg, Not(HasSubstr("classes")));
    EXPECT_THAT(topology_text(machine, {Lang::en, 200, true, false}), HasSubstr("the classes are those of PCIe"));
}

TEST(TopologySvg, DoesNotCutNamesWhileThereIsRoom) {
    Machine machine = small();
    const std::string name = "A long name of an accelerator of 56 letters, made for tests";
    machine.gpus[0].model = name;
    EXPECT_THAT(topology_svg(machine, Lang::en), HasSubstr("GPU0 " + name + "<"));
    machine.gpus[0].model = std::string(500, 'N');
    EXPECT_THAT(topology_svg(machine, Lang::en), HasSubstr("NN…<"));
}

TEST(TopologySvg, CutsANameOfMarksInNoTime) {
    Machine machine = small();
    std::string name;
    for (int i = 0; i < 200000; ++i)
        name += "\u0301";  // takes no column
    machine.gpus[0].model = name + std::string(500, 'N');
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THAT(topology_svg(machine, Lang::en), HasSubstr("NN…<"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(TopologySvg, NeedsADevice) {
    EXPECT_FALSE(has_picture({}));
    EXPECT_TRUE(has_picture(small()));
    Machine matrix;
    matrix.vendor_topology.emplace_back().names = {"GPU0"};
    EXPECT_FALSE(has_picture(matrix));
}

TEST(TopologyText, InShort) {
    Machine machine = test::made_server();
    for (std::size_t a = 0; a < 8; ++a)
        for (std::size_t b = 0; b < 8; ++b)
            if (a != b && a / 4 == b / 4) {
                GpuLink link;
                link.lanes = 16;
                link.remote = machine.gpus[b].address;
                machine.gpus[a].links.push_back(link);
            }
    EXPECT_EQ(topology_in_short(machine, topology_of(machine))->en, "2x4 MetaXLink x16");
    // A chain: GPU0 and GPU1 are joined by GPU2 only.
    for (Gpu& gpu : machine.gpus)
        gpu.links.clear();
    for (const std::size_t end : {0U, 1U}) {
        machine.gpus[end].links.emplace_back().remote = machine.gpus[2].address;
        machine.gpus[end].uuid = "x";
    }
    EXPECT_THAT(topology_in_short(machine, topology_of(machine))->en, HasSubstr("1x3 MetaXLink"));
    const Machine other = small();
    EXPECT_EQ(topology_in_short(other, topology_of(other))->zh, "1x2 NVLink, 1 switch");
    EXPECT_EQ(topology_in_short({}, topology_of({})), std::nullopt);
    const Machine unread = test::made_server();
    EXPECT_EQ(topology_in_short(unread, topology_of(unread))->zh, "8 GPU，直连链路未读到");
}

TEST(TopologyNccl, IsAsNcclWritesIt) {
    EXPECT_EQ(nccl_topology(small()), R"(<system version="1">
  <cpu numaid="0" affinity="00000100,0000000f" arch="x86_64" vendor="AuthenticAMD" familyid="175" modelid="17">
    <pci busid="0000:11:00.0" class="0x060400" vendor="0x1000" device="0xc030" subsystem_vendor="0x1000" subsystem_device="0x0100" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:13:00.0" class="0x030200" vendor="0x1000" device="0xc030" subsystem_vendor="0x1000" subsystem_device="0x0100" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0">
          <nvlink target="0000:f0:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="0000:14:00.0" class="0x030200" vendor="0x1000" device="0xc030" subsystem_vendor="0x1000" subsystem_device="0x0100" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="1">
          <nvlink target="0000:f0:00.0" count="18" tclass="0x068000"/>
        </gpu>
      </pci>
      <pci busid="0000:15:00.0" class="0x020000" vendor="0x1000" device="0xc030" subsystem_vendor="0x1000" subsystem_device="0x0100" link_speed="32.0 GT/s PCIe" link_width="16">
        <nic>
          <net name="mlx5_0" dev="0" speed="400000" port="1"/>
        </nic>
      </pci>
    </pci>
  </cpu>
</system>
)");
}

TEST(TopologyNccl, TakesNoListThatNamesMoreCpusThanThereAre) {
    Machine machine = small();
    machine.numa_nodes[0].cpus = "0-65535";
    EXPECT_THAT(nccl_topology(machine), HasSubstr(" affinity="));
    machine.numa_nodes[0].cpus = "0-65535,0";
    EXPECT_THAT(nccl_topology(machine), Not(HasSubstr(" affinity=")));
}

TEST(TopologyNccl, LeavesOutWhatIsNotKnown) {
    Machine machine = small();
    machine.cpu = {};
    machine.numa_nodes[0].cpus = "0-,";
    machine.gpus[0].links[3].remote.reset();
    machine.rdma_devices[0].ports[0].state = "DOWN";
    for (PciDevice& it : machine.pci_devices) {
        it.numa_node.reset();
        it.link = {};
    }
    const std::string xml = nccl_topology(machine);
    EXPECT_THAT(xml, HasSubstr("<cpu numaid=\"-1\">"));
    EXPECT_THAT(xml, HasSubstr("<gpu dev=\"0\"/>"));
    EXPECT_THAT(xml, HasSubstr(" link_speed=\"\" link_width=\"0\""));
    for (const char* word : {"affinity", "arch", "GT/s", "<nic>"})
        EXPECT_THAT(xml, Not(HasSubstr(word)));
    EXPECT_EQ(nccl_topology({}), "<system version=\"1\">\n</system>\n");
}

/// Each element is closed, attributes are quoted, no bare special characters.
void expect_well_formed(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at)) {
        const std::size_t end = xml.find('>', at);
        ASSERT_NE(end, std::string::npos);
        std::string tag = xml.substr(at + 1, end - at - 1);
        EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
        EXPECT_EQ(tag.find('<'), std::string::npos) << tag;
        at = end;
        if (tag.starts_with("/")) {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ(tag.substr(1), open.back());
            open.pop_back();
        } else if (!tag.ends_with("/")) {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
    }
    EXPECT_TRUE(open.empty());
    for (std::size_t at = xml.find('&'); at != std::string::npos; at = xml.find('&', at + 1))
        EXPECT_LT(xml.find(';', at) - at, 7U);
}

TEST(TopologySvg, IsAPictureWithoutSurprises) {
    Machine machine = small();
    machine.os.hostname = "a<script>&\"'\x01\xFF b";
    machine.gpus[0].model = "]]> </svg><script>alert(1)</script>";
    machine.pci_devices.back().slot = "<&>";
    for (const Lang lang : {Lang::en, Lang::zh}) {
        const std::string svg = topology_svg(machine, lang);
        expect_well_formed(svg);
        EXPECT_THAT(svg, Not(HasSubstr("<script")));
        EXPECT_TRUE(is_utf8(svg));
        EXPECT_EQ(svg, topology_svg(machine, lang));
        EXPECT_THAT(svg, HasSubstr("NV18"));
    }
    expect_well_formed(topology_svg({}, Lang::en));
    expect_well_formed(topology_svg(test::made_server(), Lang::en));
    expect_well_formed(nccl_topology(machine));
}

}  // namespace
}  // namespace gpuadapt::report

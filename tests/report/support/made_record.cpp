// SPDX-License-Identifier: Apache-2.0
#include "report/support/made_record.hpp"

#include <fmt/format.h>

namespace gpuadapt::test {
namespace {

PciDevice bridge(const std::string& address, const std::string& parent, const std::string& type) {
    PciDevice device;
    device.address = address;
    device.class_code = 0x060400;
    device.vendor_name = "Made Bridges";
    device.device_name = "Switch";
    device.port_type = type;
    device.config_bytes = 4096;
    device.numa_node = 0;
    device.link.capable_gt_s = device.link.current_gt_s = device.link.target_gt_s = 32.0;
    device.link.capable_width = device.link.current_width = 16;
    device.max_payload_bytes = 256;
    if (!parent.empty())
        device.parent = parent;
    return device;
}

void add_network_card(Machine& machine, int number, const std::string& address) {
    RdmaPort port;
    port.number = 1;
    port.state = "ACTIVE";
    port.link_layer = "Ethernet";
    port.rate_gbit_s = 400.0;
    RdmaDevice device;
    device.name = fmt::format("mlx5_{}", number);
    device.pci_address = address;
    device.firmware = "28.1";
    device.numa_node = 0;
    device.ports = {port};
    machine.rdma_devices.push_back(device);
    NetInterface interface;
    interface.name = fmt::format("eth{}", number);
    interface.state = "up";
    interface.driver = "mlx5_core";
    interface.pci_address = address;
    interface.kind = "ethernet";
    interface.mtu = 4200;
    interface.speed_mbit_s = 400000;
    interface.numa_node = 0;
    machine.interfaces.push_back(interface);
}

PciDevice endpoint(const std::string& address, const std::string& parent, int class_code, const std::string& name) {
    PciDevice device = bridge(address, parent, "endpoint");
    device.class_code = class_code;
    device.vendor_name = "Made";
    device.device_name = name;
    return device;
}

PerfHalf half(const std::string& collective, int ranks, std::int64_t size, double start_us) {
    PerfHalf made;
    made.time_us = start_us + static_cast<double>(size) / 9731.0;
    made.algbw_gb_s = static_cast<double>(size) / *made.time_us / 1e3;
    made.busbw_gb_s = *made.algbw_gb_s * bus_factor(collective, ranks);
    made.wrong = 0;
    made.spread_us =
        Summary{20, *made.time_us * 0.9, *made.time_us, *made.time_us * 1.2, *made.time_us * 1.3, *made.time_us, 0.2};
    for (int rank = 0; rank < ranks; ++rank)
        made.rank_mean_us.push_back(*made.time_us * (rank == 1 ? 1.04 : 1.0));
    return made;
}

Table perf(const std::string& collective, int ranks) {
    const bool per_rank = collective == "all_gather" || collective == "reduce_scatter" || collective == "alltoall" ||
                          collective == "gather" || collective == "scatter";
    const bool rooted =
        collective == "broadcast" || collective == "reduce" || collective == "gather" || collective == "scatter";
    const bool reduces = collective == "all_reduce" || collective == "reduce" || collective == "reduce_scatter";
    Table table = make_perf_table(collective, ranks);
    for (std::int64_t size = 1024; size <= 1 << 20; size *= 2) {
        PerfPoint point;
        point.requested_bytes = point.size_bytes = size;
        point.count = size / 2 / (per_rank ? ranks : 1);
        point.type = "bfloat16";
        point.redop = reduces ? "sum" : "none";
        point.root = rooted ? 0 : -1;
        point.out_of_place = half(collective, ranks, size, 3.2);
        point.in_place = half(collective, ranks, size, 2.9);
        if (!in_place_defined(collective))
            point.in_place.wrong.reset();
        table.rows.push_back(perf_row(point));
    }
    return table;
}

}  // namespace

Machine made_server() {
    Machine machine;
    machine.dmi.system_vendor = "Made Systems";
    machine.dmi.product_name = "MS-8000";
    machine.dmi.bios_vendor = "Made BIOS";
    machine.dmi.bios_version = "1.22.3";
    machine.dmi.bios_date = "05/01/2026";
    machine.cpu.model = "Made CPU 9654";
    machine.cpu.sockets = 2;
    machine.cpu.cores_per_socket = 32;
    machine.cpu.threads_per_core = 2;
    machine.cpu.logical_cpus = 128;
    machine.cpu.governor = "performance";
    machine.cpu.scaling_driver = "acpi-cpufreq";
    machine.cpu.boost = true;
    machine.cpu.idle_states = {"POLL", "C1", "-C2"};
    machine.memory.total_bytes = std::int64_t{1} << 40;
    machine.os.hostname = "node1";
    machine.os.name = "Made Linux 12";
    machine.os.kernel = "6.1.0-44-amd64";
    machine.iommu_active = false;
    for (int number = 0; number < 2; ++number) {
        NumaNode node;
        node.id = number;
        node.cpus = fmt::format("{}-{}", number * 64, number * 64 + 63);
        node.package = number;
        node.memory_bytes = std::int64_t{1} << 39;
        node.distances = number == 0 ? std::vector<int>{10, 32} : std::vector<int>{32, 10};
        machine.numa_nodes.push_back(node);
    }
    for (int i = 0; i < 4; ++i) {
        const std::string root = fmt::format("0000:{:x}0:01.0", i + 1);
        machine.pci_devices.push_back(bridge(root, "", "root port"));
        machine.pci_devices.back().acs = PciAcs{0x1f, i == 2 ? 0x1d : 0};
        for (int k = 0; k < 2; ++k) {
            const std::string gpu = fmt::format("0000:{:x}{:x}:00.0", i + 1, k + 1);
            machine.pci_devices.push_back(endpoint(gpu, root, 0x120000, "GPU C1"));
            Gpu made;
            made.address = gpu;
            made.vendor = "metax";
            made.model = "Made C1";
            made.vbios = "1.9.0.0";
            machine.gpus.push_back(made);
        }
        const std::string nic = fmt::format("0000:{:x}5:00.0", i + 1);
        machine.pci_devices.push_back(endpoint(nic, root, 0x020000, "NIC 400"));
        add_network_card(machine, i, nic);
    }
    machine.addresses = {"192.0.2.11"};
    machine.versions = {{"MACA", {"3.8.1", {}}}, {"driver", {"2.14.6", {}}}};
    return machine;
}

Record made_record() {
    Record record;
    record.tool_version = "0.1.0";
    record.started = "2026-11-30T12:00:00Z";
    record.machines = {{"node1", made_server()}};
    Launch launch;
    launch.command = {"gpuadapt", "perf", "--gpus", "2,4"};
    launch.launcher = {"/opt/ompi/bin/mpirun", "-n", "4", "-x", "NOTE=two words", "gpuadapt"};
    launch.backend = "metax";
    launch.mpi_version = "Open MPI v4.1.4";
    launch.parameters = {{"-b", "1024"}, {"-e", "1048576"}, {"-f", "2"}, {"-n", "20"}, {"-w", "5"}, {"-c", "1"}};
    launch.environment = {{"MCCL_IB_GID_INDEX", "3"}, {"MCCL_NOTE", "it's"}};
    for (int rank = 0; rank < 4; ++rank)
        launch.ranks.push_back({rank, "node1", 4000 + rank, rank, "Made C1", "0000:11:00.0"});
    record.launch = launch;
    for (const char* collective : {"all_gather", "all_reduce", "alltoall", "broadcast", "gather", "reduce",
                                   "reduce_scatter", "scatter", "sendrecv"})
        for (const int ranks : {2, 4})
            record.tables.push_back(perf(collective, ranks));
    return record;
}

std::vector<const Table*> perf_tables(const Record& record) {
    std::vector<const Table*> tables;
    for (const Table& table : record.tables)
        if (is_perf_table(table))
            tables.push_back(&table);
    return tables;
}

}  // namespace gpuadapt::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json_described.hpp"

#include <gpuadapt/core/record.hpp>

/// One list of members a type, walked both by the JSON writer and the JSON reader, so that they cannot differ.
namespace gpuadapt::json {

// clang-format off
GPUADAPT_FIELDS(Message) { f("en", x.en); f("zh", x.zh); } GPUADAPT_END

GPUADAPT_FIELDS(Dmi) {
    f("system_vendor", x.system_vendor); f("product_name", x.product_name); f("product_version", x.product_version);
    f("serial", x.serial); f("uuid", x.uuid); f("sku", x.sku);
    f("board_vendor", x.board_vendor); f("board_name", x.board_name); f("board_version", x.board_version);
    f("board_serial", x.board_serial);
    f("bios_vendor", x.bios_vendor); f("bios_version", x.bios_version); f("bios_date", x.bios_date);
    f("chassis_type", x.chassis_type);
} GPUADAPT_END

GPUADAPT_FIELDS(Bmc) {
    f("firmware", x.firmware); f("ipmi_version", x.ipmi_version); f("interface", x.interface);
} GPUADAPT_END

GPUADAPT_FIELDS(BoardSlot) {
    f("designation", x.designation); f("type", x.type); f("usage", x.usage); f("width", x.width);
    f("pci_address", x.pci_address);
} GPUADAPT_END

GPUADAPT_FIELDS(Dimm) {
    f("locator", x.locator); f("bank", x.bank); f("type", x.type); f("manufacturer", x.manufacturer);
    f("part_number", x.part_number); f("serial", x.serial); f("array", x.array); f("ranks", x.ranks);
    f("size_bytes", x.size_bytes);
    f("speed_mt_s", x.speed_mt_s); f("configured_speed_mt_s", x.configured_speed_mt_s);
} GPUADAPT_END

GPUADAPT_FIELDS(Cpu) {
    f("architecture", x.architecture); f("vendor", x.vendor); f("model", x.model); f("microcode", x.microcode);
    f("family", x.family); f("model_number", x.model_number);
    f("sockets", x.sockets); f("cores", x.cores); f("cores_per_socket", x.cores_per_socket);
    f("threads_per_core", x.threads_per_core);
    f("logical_cpus", x.logical_cpus); f("online", x.online); f("offline", x.offline); f("smt", x.smt);
    f("l1d_bytes", x.l1d_bytes); f("l1i_bytes", x.l1i_bytes); f("l2_bytes", x.l2_bytes); f("l3_bytes", x.l3_bytes);
    f("l3_instances", x.l3_instances);
    f("scaling_driver", x.scaling_driver); f("governor", x.governor); f("energy_preference", x.energy_preference);
    f("boost", x.boost); f("pstate_mode", x.pstate_mode); f("min_khz", x.min_khz); f("max_khz", x.max_khz);
    f("limit_min_khz", x.limit_min_khz); f("limit_max_khz", x.limit_max_khz);
    f("idle_driver", x.idle_driver); f("idle_states", x.idle_states);
} GPUADAPT_END

GPUADAPT_FIELDS(NumaNode) {
    f("id", x.id); f("cpus", x.cpus); f("package", x.package); f("memory_bytes", x.memory_bytes);
    f("distances", x.distances);
} GPUADAPT_END

GPUADAPT_FIELDS(HugePages) {
    f("page_bytes", x.page_bytes); f("numa_node", x.numa_node); f("total", x.total); f("free", x.free);
} GPUADAPT_END

GPUADAPT_FIELDS(Memory) {
    f("total_bytes", x.total_bytes); f("available_bytes", x.available_bytes); f("swap_bytes", x.swap_bytes);
    f("hugepages_total", x.hugepages_total); f("hugepages_free", x.hugepages_free);
    f("hugepage_bytes", x.hugepage_bytes); f("transparent_hugepages", x.transparent_hugepages);
    f("hugepages", x.hugepages);
} GPUADAPT_END

GPUADAPT_FIELDS(Os) {
    f("hostname", x.hostname); f("name", x.name); f("id", x.id); f("version_id", x.version_id);
    f("kernel", x.kernel); f("command_line", x.command_line); f("container", x.container);
    f("hypervisor", x.hypervisor);
} GPUADAPT_END

GPUADAPT_FIELDS(PciLink) {
    f("capable_gt_s", x.capable_gt_s); f("current_gt_s", x.current_gt_s); f("target_gt_s", x.target_gt_s);
    f("capable_width", x.capable_width); f("current_width", x.current_width);
    f("aspm_capable", x.aspm_capable); f("aspm", x.aspm); f("training", x.training); f("active", x.active);
    f("bandwidth_changed", x.bandwidth_changed); f("autonomous_bandwidth", x.autonomous_bandwidth);
    f("equalized", x.equalized); f("retimer", x.retimer);
} GPUADAPT_END

GPUADAPT_FIELDS(PciAcs) { f("capability", x.capability); f("control", x.control); } GPUADAPT_END

GPUADAPT_FIELDS(PciBar) {
    f("index", x.index); f("bytes", x.bytes); f("kind", x.kind); f("assigned", x.assigned);
} GPUADAPT_END

GPUADAPT_FIELDS(PciResizableBar) {
    f("index", x.index); f("bytes", x.bytes); f("largest_bytes", x.largest_bytes);
} GPUADAPT_END

GPUADAPT_FIELDS(PciAer) {
    f("correctable", x.correctable); f("nonfatal", x.nonfatal); f("fatal", x.fatal); f("counts", x.counts);
} GPUADAPT_END

GPUADAPT_FIELDS(PciVpd) {
    f("product", x.product); f("part_number", x.part_number); f("serial", x.serial);
    f("change_level", x.change_level);
} GPUADAPT_END

GPUADAPT_FIELDS(PciDevice) {
    f("address", x.address); f("class_code", x.class_code); f("vendor_id", x.vendor_id); f("device_id", x.device_id);
    f("subsystem_vendor_id", x.subsystem_vendor_id); f("subsystem_device_id", x.subsystem_device_id);
    f("revision", x.revision); f("class_name", x.class_name); f("vendor_name", x.vendor_name);
    f("device_name", x.device_name); f("driver", x.driver); f("numa_node", x.numa_node);
    f("iommu_group", x.iommu_group); f("iommu_type", x.iommu_type); f("parent", x.parent); f("port_type", x.port_type); f("slot", x.slot);
    f("link", x.link); f("max_payload_bytes", x.max_payload_bytes);
    f("max_payload_capable_bytes", x.max_payload_capable_bytes);
    f("max_read_request_bytes", x.max_read_request_bytes);
    f("memory_enabled", x.memory_enabled); f("bus_master", x.bus_master);
    f("relaxed_ordering", x.relaxed_ordering); f("extended_tag_capable", x.extended_tag_capable);
    f("extended_tag", x.extended_tag); f("ten_bit_tag_completer", x.ten_bit_tag_completer);
    f("ten_bit_tag_requester", x.ten_bit_tag_requester); f("ten_bit_tag", x.ten_bit_tag);
    f("acs", x.acs); f("ats", x.ats); f("dpc_triggered", x.dpc_triggered); f("serial_number", x.serial_number);
    f("resizable_bar", x.resizable_bar); f("bars", x.bars); f("aer", x.aer); f("vpd", x.vpd);
    f("power_state", x.power_state); f("power_control", x.power_control);
    f("virtual_functions", x.virtual_functions); f("virtual_functions_total", x.virtual_functions_total);
    f("physical_function", x.physical_function); f("config_bytes", x.config_bytes);
} GPUADAPT_END

GPUADAPT_FIELDS(GpuLink) {
    f("index", x.index); f("state", x.state); f("lanes", x.lanes); f("gt_s", x.gt_s); f("gbyte_s", x.gbyte_s);
    f("remote", x.remote); f("remote_kind", x.remote_kind); f("errors", x.errors);
} GPUADAPT_END

GPUADAPT_FIELDS(GpuProcess) { f("pid", x.pid); f("name", x.name); f("memory_bytes", x.memory_bytes); } GPUADAPT_END

GPUADAPT_FIELDS(Gpu) {
    f("address", x.address); f("vendor", x.vendor); f("index", x.index); f("model", x.model); f("uuid", x.uuid);
    f("serial", x.serial); f("part_number", x.part_number); f("vbios", x.vbios);
    f("memory_bytes", x.memory_bytes); f("memory_used_bytes", x.memory_used_bytes);
    f("ecc", x.ecc); f("ecc_pending", x.ecc_pending); f("ecc_corrected", x.ecc_corrected);
    f("ecc_uncorrected", x.ecc_uncorrected); f("remap_pending", x.remap_pending);
    f("core_mhz", x.core_mhz); f("core_max_mhz", x.core_max_mhz); f("memory_mhz", x.memory_mhz);
    f("memory_max_mhz", x.memory_max_mhz); f("throttle_reasons", x.throttle_reasons);
    f("temperature_c", x.temperature_c); f("power_w", x.power_w); f("power_limit_w", x.power_limit_w);
    f("power_limit_default_w", x.power_limit_default_w); f("persistence", x.persistence);
    f("compute_mode", x.compute_mode); f("partitioned", x.partitioned); f("processes", x.processes);
    f("links", x.links);
} GPUADAPT_END

GPUADAPT_FIELDS(TopologyMatrix) {
    f("tool", x.tool); f("text", x.text); f("names", x.names); f("cells", x.cells); f("legend", x.legend);
} GPUADAPT_END

GPUADAPT_FIELDS(NetInterface) {
    f("name", x.name); f("mac", x.mac); f("state", x.state); f("driver", x.driver); f("pci_address", x.pci_address);
    f("kind", x.kind); f("mtu", x.mtu); f("speed_mbit_s", x.speed_mbit_s); f("numa_node", x.numa_node);
    f("virtual_device", x.virtual_device); f("port_name", x.port_name); f("master", x.master);
    f("bond_mode", x.bond_mode); f("firmware", x.firmware); f("lower", x.lower); f("qos", x.qos);
    f("counters", x.counters); f("transceiver", x.transceiver);
} GPUADAPT_END

GPUADAPT_FIELDS(RdmaGid) {
    f("index", x.index); f("gid", x.gid); f("type", x.type); f("interface", x.interface);
} GPUADAPT_END

GPUADAPT_FIELDS(RdmaPort) {
    f("number", x.number); f("state", x.state); f("phys_state", x.phys_state); f("link_layer", x.link_layer);
    f("rate_gbit_s", x.rate_gbit_s); f("width", x.width); f("mtu_bytes", x.mtu_bytes);
    f("max_mtu_bytes", x.max_mtu_bytes); f("lid", x.lid); f("sm_lid", x.sm_lid); f("gids", x.gids); f("counters", x.counters);
} GPUADAPT_END

GPUADAPT_FIELDS(RdmaDevice) {
    f("name", x.name); f("pci_address", x.pci_address); f("firmware", x.firmware); f("board_id", x.board_id);
    f("model", x.model); f("node_guid", x.node_guid); f("node_type", x.node_type); f("driver", x.driver);
    f("numa_node", x.numa_node); f("interfaces", x.interfaces); f("ports", x.ports);
} GPUADAPT_END

GPUADAPT_FIELDS(KernelModule) {
    f("name", x.name); f("version", x.version); f("parameters", x.parameters);
} GPUADAPT_END

GPUADAPT_FIELDS(SoftwareVersion) { f("version", x.version); f("path", x.path); } GPUADAPT_END

GPUADAPT_FIELDS(ConfigFile) { f("path", x.path); f("variables", x.variables); } GPUADAPT_END

GPUADAPT_FIELDS(Unread) { f("path", x.path); f("reason", x.reason); } GPUADAPT_END

GPUADAPT_FIELDS(Machine) {
    f("os", x.os); f("dmi", x.dmi); f("bmc", x.bmc); f("board_slots", x.board_slots); f("cpu", x.cpu);
    f("memory", x.memory); f("dimms", x.dimms); f("dimm_slots", x.dimm_slots);
    f("numa_nodes", x.numa_nodes); f("iommu_active", x.iommu_active); f("pci_devices", x.pci_devices);
    f("switch_links", x.switch_links);
    f("gpus", x.gpus); f("vendor_topology", x.vendor_topology); f("interfaces", x.interfaces); f("addresses", x.addresses);
    f("rdma_devices", x.rdma_devices); f("versions", x.versions); f("modules", x.modules); f("settings", x.settings);
    f("environment", x.environment); f("config_files", x.config_files); f("sources", x.sources);
    f("unread", x.unread);
} GPUADAPT_END

GPUADAPT_FIELDS(HostMachine) { f("host", x.host); f("machine", x.machine); } GPUADAPT_END

GPUADAPT_FIELDS(RankPlace) {
    f("rank", x.rank); f("host", x.host); f("pid", x.pid); f("device", x.device); f("device_name", x.device_name);
    f("pci_address", x.pci_address);
} GPUADAPT_END

GPUADAPT_FIELDS(Launch) {
    f("command", x.command); f("launcher", x.launcher); f("backend", x.backend); f("mpi_version", x.mpi_version);
    f("parameters", x.parameters); f("environment", x.environment); f("ranks", x.ranks);
} GPUADAPT_END

GPUADAPT_FIELDS(Remedy) {
    f("now", x.now); f("now_undo", x.now_undo); f("lasting", x.lasting); f("lasting_undo", x.lasting_undo);
    f("verify", x.verify); f("firmware", x.firmware);
} GPUADAPT_END

GPUADAPT_FIELDS(Waiver) {
    f("check", x.check); f("subject", x.subject); f("reason", x.reason); f("person", x.person); f("date", x.date);
} GPUADAPT_END

GPUADAPT_FIELDS(Finding) {
    f("severity", x.severity); f("check", x.check); f("subject", x.subject); f("title", x.title);
    f("evidence", x.evidence); f("advice", x.advice); f("blocking", x.blocking); f("remedy", x.remedy);
    f("waiver", x.waiver);
} GPUADAPT_END

GPUADAPT_FIELDS(Coverage) {
    f("evaluated", x.evaluated); f("unknown", x.unknown); f("not_applicable", x.not_applicable);
} GPUADAPT_END

GPUADAPT_FIELDS(Column) { f("id", x.id); f("unit", x.unit); f("type", x.type); } GPUADAPT_END
// clang-format on

}  // namespace gpuadapt::json

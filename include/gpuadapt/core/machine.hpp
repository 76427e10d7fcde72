// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What a machine is. Plain values, units in the names; whatever was not seen is nullopt, never zero or "".
namespace gpuadapt {

/// SMBIOS (DSP0134) types 0, 1, 2; /sys/class/dmi/id first, /sys/firmware/dmi/tables/DMI second.
struct Dmi {
    std::optional<std::string> system_vendor, product_name, product_version, serial, uuid, sku;
    std::optional<std::string> board_vendor, board_name, board_version, board_serial;
    std::optional<std::string> bios_vendor, bios_version, bios_date;
    std::optional<std::string> chassis_type;
    bool operator==(const Dmi&) const = default;
};

/// The management controller of the board: /sys/devices/platform/ipmi_bmc.* and SMBIOS type 38.
struct Bmc {
    std::optional<std::string> firmware;      ///< firmware_revision: "1.45"
    std::optional<std::string> ipmi_version;  ///< "2.0"
    std::optional<std::string> interface;     ///< SMBIOS type 38: KCS, SMIC, BT, SSIF
    bool operator==(const Bmc&) const = default;
};

/// SMBIOS type 9: a slot of the board as its maker names it.
struct BoardSlot {
    std::optional<std::string> designation;  ///< as printed on the board or the riser
    std::optional<std::string> type;         ///< "PCI Express 5 x16", as dmidecode names it
    std::optional<std::string> usage;        ///< available, in use, unavailable, unknown
    std::optional<int> width;                ///< lanes of the slot's data bus
    std::optional<std::string> pci_address;  ///< "0000:3a:00.0"; nullopt when the firmware gives 0xff, as many do
    bool operator==(const BoardSlot&) const = default;
};

/// SMBIOS type 17. Only populated slots.
struct Dimm {
    std::optional<std::string> locator, bank, type, manufacturer, part_number, serial;
    std::optional<int> array;  ///< which physical memory array (type 16), from 0; makers often have one a socket
    std::optional<int> ranks;
    std::optional<std::int64_t> size_bytes;
    std::optional<int> speed_mt_s;             ///< what the module can do
    std::optional<int> configured_speed_mt_s;  ///< what it runs at
    bool operator==(const Dimm&) const = default;
};

struct Cpu {
    std::optional<std::string> architecture;  ///< uname -m: x86_64, aarch64
    std::optional<std::string> vendor, model, microcode;
    std::optional<int> family, model_number;  ///< x86: "cpu family" and "model" of /proc/cpuinfo
    std::optional<int> sockets;               ///< with an online CPU
    std::optional<int> cores;                 ///< with an online CPU, in all sockets
    std::optional<int> cores_per_socket;      ///< of an s390 the hardware's; else nullopt when the sockets differ
    std::optional<int> threads_per_core;      ///< the most that a core has
    std::optional<int> logical_cpus;          ///< online
    std::optional<std::string> online;        ///< list format: "0-63"
    std::optional<std::string> offline;       ///< list format; "" when none
    std::optional<std::string> smt;  ///< /sys/devices/system/cpu/smt/control: on, off, forceoff, notsupported ...
    std::optional<std::int64_t> l1d_bytes, l1i_bytes, l2_bytes, l3_bytes;  ///< one instance each, of the first CPU
    std::optional<int> l3_instances;                                       ///< in the whole machine
    /// /sys/devices/system/cpu/cpu*/cpufreq; several values over the CPUs are joined by '/'.
    std::optional<std::string> scaling_driver, governor, energy_preference;
    std::optional<bool> boost;               ///< turbo allowed; intel_pstate/no_turbo or cpufreq/boost
    std::optional<std::string> pstate_mode;  ///< intel_pstate/status or amd_pstate/status: active, passive, guided, off
    std::optional<int> min_khz, max_khz;     ///< cpuinfo_min_freq, cpuinfo_max_freq of the first CPU
    /// scaling_min_freq, scaling_max_freq: what the frequency is limited to at present; several over the CPUs by '/'.
    std::optional<std::string> limit_min_khz, limit_max_khz;
    std::optional<std::string> idle_driver;  ///< cpuidle/current_driver
    std::vector<std::string> idle_states;    ///< names in order of depth, a '-' before a disabled one
    bool operator==(const Cpu&) const = default;
};

struct NumaNode {
    int id = 0;
    std::optional<std::string> cpus;  ///< list format; "" for a node without CPUs
    std::optional<int> package;       ///< physical_package_id of its first CPU; nullopt without one
    std::optional<std::int64_t> memory_bytes;
    std::vector<int> distances;  ///< to node 0, 1, ... as in SLIT
    bool operator==(const NumaNode&) const = default;
};

/// /sys/kernel/mm/hugepages, and the same below each NUMA node.
struct HugePages {
    std::int64_t page_bytes = 0;
    std::optional<int> numa_node;  ///< nullopt: the whole machine
    std::optional<std::int64_t> total, free;
    bool operator==(const HugePages&) const = default;
};

/// /proc/meminfo
struct Memory {
    std::optional<std::int64_t> total_bytes, available_bytes, swap_bytes;
    std::optional<std::int64_t> hugepages_total, hugepages_free, hugepage_bytes;
    std::optional<std::string> transparent_hugepages;  ///< the chosen one: always, madvise, never
    std::vector<HugePages> hugepages;                  ///< every size, of the machine and of each node
    bool operator==(const Memory&) const = default;
};

struct Os {
    std::optional<std::string> hostname;
    std::optional<std::string> name;            ///< PRETTY_NAME of os-release
    std::optional<std::string> id, version_id;  ///< ID and VERSION_ID of os-release
    std::optional<std::string> kernel;          ///< /proc/sys/kernel/osrelease
    std::optional<std::string> command_line;    ///< /proc/cmdline
    std::optional<std::string> container;       ///< docker, podman, kubernetes, lxc ...: nullopt when none was seen
    std::optional<std::string> hypervisor;      ///< kvm, vmware, xen ...; nullopt on bare metal as far as seen
    bool operator==(const Os&) const = default;
};

/// PCI Express Link Capabilities, Control, Status and their second registers of one end (PCIe base spec 7.5.3). The
/// other end is in the PciDevice of the bridge above.
struct PciLink {
    std::optional<double> capable_gt_s, current_gt_s, target_gt_s;
    std::optional<int> capable_width, current_width;
    std::optional<std::string> aspm_capable, aspm;  ///< "off", "L0s", "L1" or "L0s L1": what it can do, what is enabled
    std::optional<bool> training;                   ///< Link Status bit 11
    std::optional<bool> active;                     ///< Link Status bit 13; nullopt where the port cannot report it
    std::optional<bool> bandwidth_changed;          ///< bit 14: retrained by software, or to a lower speed or width
    std::optional<bool> autonomous_bandwidth;       ///< bit 15: changed speed or width by itself
    std::optional<bool> equalized;                  ///< equalisation complete at the speed that it runs at (8 GT/s on)
    std::optional<bool> retimer;                    ///< Link Status 2 bit 6: at least one
    bool operator==(const PciLink&) const = default;
};

/// Access Control Services (PCIe base spec 7.7.11): the capability and the control register as they are.
struct PciAcs {
    int capability = 0;
    int control = 0;
    bool operator==(const PciAcs&) const = default;
};

/// One line of /sys/bus/pci/devices/X/resource that is used. Lines 0 to 5 are the base address registers.
struct PciBar {
    int index = 0;  ///< 0-5, 6: expansion ROM
    std::int64_t bytes = 0;
    std::optional<std::string> kind;  ///< "io", "memory32", "memory64", "prefetchable32", "prefetchable64"
    bool assigned = true;             ///< false: it has a size and no address
    bool operator==(const PciBar&) const = default;
};

/// Resizable BAR capability (PCIe base spec 7.8.6), first entry of the largest register.
struct PciResizableBar {
    int index = 0;
    std::int64_t bytes = 0;          ///< as set
    std::int64_t largest_bytes = 0;  ///< the largest that the device offers
    bool operator==(const PciResizableBar&) const = default;
};

/// Error counters of the kernel since boot: aer_dev_correctable, _nonfatal, _fatal. They exist only where the kernel
/// owns AER; with firmware-first error handling there are none, and nothing is known.
struct PciAer {
    std::int64_t correctable = 0, nonfatal = 0, fatal = 0;
    std::map<std::string, std::int64_t> counts;  ///< what is not zero: "RxErr" -> 3
    bool operator==(const PciAer&) const = default;
};

/// Vital Product Data (PCI 3.0, appendix I).
struct PciVpd {
    std::optional<std::string> product;       ///< identifier string
    std::optional<std::string> part_number;   ///< PN
    std::optional<std::string> serial;        ///< SN
    std::optional<std::string> change_level;  ///< EC
    bool operator==(const PciVpd&) const = default;
};

struct PciDevice {
    std::string address;            ///< "0000:3a:00.0"
    std::optional<int> class_code;  ///< 24 bit: 0x030200
    std::optional<int> vendor_id, device_id, subsystem_vendor_id, subsystem_device_id, revision;
    std::optional<std::string> class_name, vendor_name, device_name;  ///< pci.ids by libpci
    std::optional<std::string> driver;
    std::optional<int> numa_node;  ///< -1: the firmware does not say
    std::optional<int> iommu_group;
    std::optional<std::string> iommu_type;  ///< of the group: DMA, DMA-FQ, identity
    std::optional<std::string> parent;      ///< address of the bridge above; nullopt on a root bus
    std::optional<std::string>
        port_type;  ///< endpoint, root port, upstream port, downstream port, ...; nullopt: no PCIe capability
    std::optional<std::string> slot;  ///< name of the physical slot (/sys/bus/pci/slots)
    PciLink link;
    std::optional<int> max_payload_bytes, max_payload_capable_bytes, max_read_request_bytes;
    std::optional<bool> memory_enabled, bus_master;  ///< Command register, bits 1 and 2
    std::optional<bool> relaxed_ordering;            ///< Device Control bit 4: enabled
    std::optional<bool> extended_tag_capable, extended_tag;
    std::optional<bool> ten_bit_tag_completer, ten_bit_tag_requester, ten_bit_tag;  ///< can answer, can ask, does ask
    // Extended capabilities. nullopt: no such capability, or `config_bytes` < 4096.
    std::optional<PciAcs> acs;
    std::optional<bool> ats;                   ///< Address Translation Services enabled
    std::optional<bool> dpc_triggered;         ///< Downstream Port Containment holds the link down
    std::optional<std::string> serial_number;  ///< Device Serial Number, "00-11-22-33-44-55-66-77": one a switch chip
    std::optional<PciResizableBar> resizable_bar;
    std::vector<PciBar> bars;
    std::optional<PciAer> aer;
    std::optional<PciVpd> vpd;                 ///< of network functions
    std::optional<std::string> power_state;    ///< D0, D1, D2, D3hot, D3cold
    std::optional<std::string> power_control;  ///< runtime power management: on (never suspended) or auto
    std::optional<int> virtual_functions, virtual_functions_total;  ///< sriov_numvfs, sriov_totalvfs
    std::optional<std::string> physical_function;  ///< address of the function a virtual one belongs to
    /// How much of the configuration space could be read and makes sense: 64 without root; 64 or 256 also where a list
    /// of capabilities is broken, so that what would come behind is unknown (Machine::unread says so).
    std::optional<int> config_bytes;
    bool operator==(const PciDevice&) const = default;
};

/// One link of a GPU to another one or to a switch: MetaXLink or NVLink.
struct GpuLink {
    int index = 0;
    std::optional<std::string> state;        ///< "up", "down", or the library's word
    std::optional<int> lanes;                ///< MetaXLink
    std::optional<double> gt_s;              ///< a lane, MetaXLink
    std::optional<double> gbyte_s;           ///< one direction, NVLink: 26.562
    std::optional<std::string> remote;       ///< PCI address of the other end
    std::optional<std::string> remote_kind;  ///< gpu, switch, cpu
    /// Counters that are not zero, by NVML's names: "replay" -> 2. `nvidia-smi nvlink -e` leaves out crc_data and
    /// ecc_data.
    std::map<std::string, std::int64_t> errors;
    bool operator==(const GpuLink&) const = default;
};

struct GpuProcess {
    std::int64_t pid = 0;
    std::optional<std::string> name;
    std::optional<std::int64_t> memory_bytes;
    bool operator==(const GpuProcess&) const = default;
};

/// A PCI function of a GPU maker with a display or accelerator class. What is not from PCI comes from the management
/// library (NVML, MXSML), else from nvidia-smi or mx-smi, and is nullopt where neither answers.
struct Gpu {
    std::string address;       ///< empty where a text knows the GPU by index and UUID alone (`nvidia-smi nvlink -s`)
    std::string vendor;        ///< metax, nvidia, amd, ...: id of the vendor table
    std::optional<int> index;  ///< the number that the vendor's tools give it
    std::optional<std::string> model;  ///< of the management library, else of pci.ids
    std::optional<std::string> uuid, serial, part_number, vbios;
    std::optional<std::int64_t> memory_bytes, memory_used_bytes;
    std::optional<bool> ecc, ecc_pending;                        ///< as it is, as it is after the next reset
    std::optional<std::int64_t> ecc_corrected, ecc_uncorrected;  ///< since the driver was loaded
    std::optional<bool> remap_pending;                           ///< rows wait to be remapped, or pages to be retired
    std::optional<int> core_mhz, core_max_mhz, memory_mhz, memory_max_mhz;
    std::vector<std::string> throttle_reasons;  ///< active ones, as NVML names them: "gpu_idle", "sw_power_cap" ...
    std::optional<double> temperature_c, power_w, power_limit_w, power_limit_default_w;
    std::optional<bool> persistence;
    std::optional<std::string> compute_mode;  ///< default, exclusive_process, prohibited
    std::optional<bool> partitioned;          ///< MIG or sGPU is on
    std::vector<GpuProcess> processes;
    std::vector<GpuLink> links;
    bool operator==(const Gpu&) const = default;
};

/// The matrix of a vendor's own tool, as it was printed and as it was understood.
struct TopologyMatrix {
    std::string tool;                             ///< "nvidia-smi topo -m"
    std::string text;                             ///< verbatim
    std::vector<std::string> names;               ///< GPU0, GPU1, NIC0, mlx5_0 ...
    std::vector<std::vector<std::string>> cells;  ///< "X", "NV18", "PIX", ...; one row a name, shorter when cut
    std::map<std::string, std::string> legend;    ///< NIC0 -> mlx5_0
    bool operator==(const TopologyMatrix&) const = default;
};

/// /sys/class/net
struct NetInterface {
    std::string name;
    std::optional<std::string> mac, state, driver, pci_address;
    std::optional<std::string> kind;  ///< ethernet, infiniband, loopback, other
    std::optional<int> mtu;
    std::optional<int> speed_mbit_s;  ///< nullopt when the driver does not know (-1, EINVAL)
    std::optional<int> numa_node;
    std::optional<bool> virtual_device;    ///< no device behind it: bridge, veth, bond, tunnel
    std::optional<std::string> port_name;  ///< phys_port_name
    std::optional<std::string> master;     ///< the bond or bridge that it belongs to
    std::optional<std::string> bond_mode;  ///< of a bond: "802.3ad 4" without its number
    std::optional<std::string> firmware;   ///< ethtool -i
    std::vector<std::string> lower;        ///< what it stands on: members of a bond or bridge, parent of a VLAN
    /// Settings for lossless traffic, of mlnx_qos and /sys/class/net/X/ecn. Lists are by priority, 0 to 7: trust (pcp,
    /// dscp), pfc ("0,0,0,1,0,0,0,0"), pfc_buffer, buffer_bytes (by buffer), prio_tc, tsa, tc_bw and rate_limit (by
    /// traffic class), dscp2prio (64 priorities by DSCP, '-' where not seen), dcbx, cable_len, ecn_np and ecn_rp
    /// ("1,1,..."), cnp_dscp, cnp_prio.
    std::map<std::string, std::string> qos;
    std::map<std::string, std::int64_t> counters;    ///< ethtool -S or statistics/, of texts that were sent
    std::map<std::string, std::string> transceiver;  ///< ethtool -m, of texts that were sent: "Vendor PN" -> "..."
    bool operator==(const NetInterface&) const = default;
};

/// An entry of the GID table that is in use.
struct RdmaGid {
    int index = 0;
    std::string gid;                       ///< "fe80:0000:...", as the kernel writes it
    std::optional<std::string> type;       ///< "IB/RoCE v1" or "RoCE v2"
    std::optional<std::string> interface;  ///< name of the network interface; absent for InfiniBand
    bool operator==(const RdmaGid&) const = default;
};

/// /sys/class/infiniband/DEV/ports/N
struct RdmaPort {
    int number = 0;
    std::optional<std::string> state;       ///< "ACTIVE"
    std::optional<std::string> phys_state;  ///< "LinkUp"
    std::optional<std::string> link_layer;  ///< "InfiniBand" or "Ethernet"
    std::optional<double> rate_gbit_s;
    std::optional<int> width;      ///< lanes: 4 of "100 Gb/sec (4X EDR)"
    std::optional<int> mtu_bytes;  ///< active MTU, from verbs or ibv_devinfo; the kernel has no file of it
    std::optional<int> max_mtu_bytes;
    std::optional<int> lid, sm_lid;
    std::vector<RdmaGid> gids;  ///< of the table up to 32 empty slots in a row: new ones take the first free slot
    std::map<std::string, std::int64_t> counters;  ///< counters/ and hw_counters/ by name
    bool operator==(const RdmaPort&) const = default;
};

struct RdmaDevice {
    std::string name;                                                   ///< mlx5_0
    std::optional<std::string> pci_address, firmware, board_id, model;  ///< board_id is the PSID
    std::optional<std::string> node_guid, node_type, driver;
    std::optional<int> numa_node;
    std::vector<std::string> interfaces;  ///< network interfaces of the same PCI function
    std::vector<RdmaPort> ports;
    bool operator==(const RdmaDevice&) const = default;
};

/// A loaded kernel module that matters here: /sys/module.
struct KernelModule {
    std::string name;
    std::optional<std::string> version;             ///< modules of the kernel itself mostly have none
    std::map<std::string, std::string> parameters;  ///< /sys/module/X/parameters, of GPU and network drivers
    bool operator==(const KernelModule&) const = default;
};

/// A driver or library, and the file that says so or that was loaded.
struct SoftwareVersion {
    std::string version;
    std::optional<std::string> path;
    bool operator==(const SoftwareVersion&) const = default;
};

/// A configuration file of a communication library, and what it sets: names as in the environment, so that what
/// `btl = self` of Open MPI's file does is {"OMPI_MCA_btl": "self"}.
struct ConfigFile {
    std::string path;  ///< "/~/" stands for the home folder of the user
    std::map<std::string, std::string> variables;
    bool operator==(const ConfigFile&) const = default;
};

/// A source that exists but could not be read, so that its facts are unknown and not absent.
struct Unread {
    std::string path;
    std::string reason;  ///< "permission denied", "time-out after 5 s", ...
    bool operator==(const Unread&) const = default;
};

struct Machine {
    Dmi dmi;
    Bmc bmc;
    std::vector<BoardSlot> board_slots;
    std::vector<Dimm> dimms;
    std::optional<int> dimm_slots;  ///< with and without a module
    Cpu cpu;
    std::vector<NumaNode> numa_nodes;
    Memory memory;
    Os os;
    std::vector<PciDevice> pci_devices;  ///< ascending by address
    /// Upstream ports that a switch connects inside: /sys/kernel/pci_switch_link/virtual_switch_links (kernel module
    /// switch_discovery, for Broadcom switches). Each group and all groups ascending; empty where there is no module.
    std::vector<std::vector<std::string>> switch_links;
    std::vector<Gpu> gpus;  ///< ascending by address
    std::vector<TopologyMatrix> vendor_topology;
    std::vector<NetInterface> interfaces;
    std::vector<std::string> addresses;  ///< this host's IPv4 addresses without loopback
    std::vector<RdmaDevice> rdma_devices;
    std::optional<bool> iommu_active;  ///< /sys/class/iommu has entries; nullopt when the folder cannot be seen
    std::map<std::string, SoftwareVersion> versions;  ///< "Open MPI", "CUDA", "MACA", "driver" ...
    std::vector<KernelModule> modules;
    /// Settings of the kernel by the file they are read from: "/proc/sys/kernel/numa_balancing" -> "0".
    std::map<std::string, std::string> settings;
    std::map<std::string, std::string>
        environment;  ///< NCCL_*, MCCL_*, CUDA_*, MACA_* and the like left in the environment
    /// Those that are there, each before those that it outdoes: the first file that sets a variable wins, and the
    /// environment wins over all (NCCL, src/misc/param.cc; Open MPI, "MCA parameters").
    std::vector<ConfigFile> config_files;
    /// Where facts come from when it is not the usual file: "gpus" -> "NVML", "dimms" -> "dmidecode.txt".
    std::map<std::string, std::string> sources;
    std::vector<Unread> unread;
    bool operator==(const Machine&) const = default;
};

}  // namespace gpuadapt

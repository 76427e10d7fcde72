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

/// SMBIOS type 17. Only populated slots.
struct Dimm {
    std::optional<std::string> locator, bank, type, manufacturer, part_number, serial;
    std::optional<std::int64_t> size_bytes;
    std::optional<int> speed_mt_s;             ///< what the module can do
    std::optional<int> configured_speed_mt_s;  ///< what it runs at
    bool operator==(const Dimm&) const = default;
};

struct Cpu {
    std::optional<std::string> architecture;  ///< uname -m: x86_64, aarch64
    std::optional<std::string> vendor, model, microcode;
    std::optional<int> sockets, cores_per_socket, threads_per_core;
    std::optional<int> logical_cpus;                            ///< online
    std::optional<std::string> online;                          ///< list format: "0-63"
    std::optional<std::int64_t> l1d_bytes, l2_bytes, l3_bytes;  ///< one instance each, of the first CPU
    /// /sys/devices/system/cpu/cpu*/cpufreq; several values over the CPUs are joined by '/'.
    std::optional<std::string> scaling_driver, governor, energy_preference;
    std::optional<bool> boost;               ///< turbo allowed; intel_pstate/no_turbo or cpufreq/boost
    std::optional<int> min_khz, max_khz;     ///< cpuinfo_min_freq, cpuinfo_max_freq of the first CPU
    std::optional<std::string> idle_driver;  ///< cpuidle/current_driver
    std::vector<std::string> idle_states;    ///< names in order of depth, a '-' before a disabled one
    bool operator==(const Cpu&) const = default;
};

struct NumaNode {
    int id = 0;
    std::optional<std::string> cpus;  ///< list format; "" for a node without CPUs
    std::optional<std::int64_t> memory_bytes;
    std::vector<int> distances;  ///< to node 0, 1, ... as in SLIT
    bool operator==(const NumaNode&) const = default;
};

/// /proc/meminfo
struct Memory {
    std::optional<std::int64_t> total_bytes, available_bytes, swap_bytes;
    std::optional<std::int64_t> hugepages_total, hugepages_free, hugepage_bytes;
    std::optional<std::string> transparent_hugepages;  ///< the chosen one: always, madvise, never
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

/// PCI Express Link Capabilities, Status and Control 2 of one end (PCIe base spec 7.5.3).
struct PciLink {
    std::optional<double> capable_gt_s, current_gt_s, target_gt_s;
    std::optional<int> capable_width, current_width;
    bool operator==(const PciLink&) const = default;
};

/// Access Control Services (PCIe base spec 7.7.11): the capability and the control register as they are.
struct PciAcs {
    int capability = 0;
    int control = 0;
    bool operator==(const PciAcs&) const = default;
};

struct PciDevice {
    std::string address;            ///< "0000:3a:00.0"
    std::optional<int> class_code;  ///< 24 bit: 0x030200
    std::optional<int> vendor_id, device_id, subsystem_vendor_id, subsystem_device_id, revision;
    std::optional<std::string> class_name, vendor_name, device_name;  ///< pci.ids by libpci
    std::optional<std::string> driver;
    std::optional<int> numa_node;  ///< -1: the firmware does not say
    std::optional<int> iommu_group;
    std::optional<std::string> parent;  ///< address of the bridge above; nullopt on a root bus
    std::optional<std::string>
        port_type;  ///< endpoint, root port, upstream port, downstream port, ...; nullopt: no PCIe capability
    std::optional<std::string> slot;  ///< name of the physical slot (/sys/bus/pci/slots)
    PciLink link;
    std::optional<int> max_payload_bytes, max_payload_capable_bytes, max_read_request_bytes;
    std::optional<PciAcs> acs;        ///< nullopt: no such capability, or `config_bytes` < 4096
    std::optional<int> config_bytes;  ///< how much of the configuration space could be read: 64 without root
    bool operator==(const PciDevice&) const = default;
};

/// A PCI function of a GPU maker with a display or accelerator class.
struct Gpu {
    std::string address;
    std::string vendor;                ///< metax, nvidia, amd, ...: id of the vendor table
    std::optional<std::string> model;  ///< from pci.ids here; from the management library when there is one
    bool operator==(const Gpu&) const = default;
};

/// /sys/class/net
struct NetInterface {
    std::string name;
    std::optional<std::string> mac, state, driver, pci_address;
    std::optional<std::string> kind;  ///< ethernet, infiniband, loopback, other
    std::optional<int> mtu;
    std::optional<int> speed_mbit_s;  ///< nullopt when the driver does not know (-1, EINVAL)
    std::optional<int> numa_node;
    bool virtual_device = false;  ///< no device behind it: bridge, veth, bond, tunnel
    bool operator==(const NetInterface&) const = default;
};

/// /sys/class/infiniband/DEV/ports/N
struct RdmaPort {
    int number = 0;
    std::optional<std::string> state;       ///< "ACTIVE"
    std::optional<std::string> link_layer;  ///< "InfiniBand" or "Ethernet"
    std::optional<double> rate_gbit_s;
    bool operator==(const RdmaPort&) const = default;
};

struct RdmaDevice {
    std::string name;  ///< mlx5_0
    std::optional<std::string> pci_address, firmware, board_id, model;
    std::optional<int> numa_node;
    std::vector<RdmaPort> ports;
    bool operator==(const RdmaDevice&) const = default;
};

/// A source that exists but could not be read, so that its facts are unknown and not absent.
struct Unread {
    std::string path;
    std::string reason;  ///< "permission denied", "time-out after 5 s", ...
    bool operator==(const Unread&) const = default;
};

struct Machine {
    Dmi dmi;
    std::vector<Dimm> dimms;
    Cpu cpu;
    std::vector<NumaNode> numa_nodes;
    Memory memory;
    Os os;
    std::vector<PciDevice> pci_devices;  ///< ascending by address
    std::vector<Gpu> gpus;               ///< ascending by address
    std::vector<NetInterface> interfaces;
    std::vector<std::string> addresses;  ///< this host's IPv4 addresses without loopback
    std::vector<RdmaDevice> rdma_devices;
    std::optional<bool> iommu_active;  ///< /sys/class/iommu has entries; nullopt when the folder cannot be seen
    std::map<std::string, std::string> versions;  ///< "Open MPI", "CUDA", "MACA", "driver" -> version
    std::map<std::string, std::string>
        environment;  ///< NCCL_*, MCCL_*, CUDA_*, MACA_* and the like left in the environment
    std::vector<Unread> unread;
    bool operator==(const Machine&) const = default;
};

}  // namespace gpuadapt

# SPDX-License-Identifier: Apache-2.0
"""More invented machines for make.py: how GPUs hang on a server in other ways, and what can be wrong with one."""

import gpu_parts
import machine_parts as part
import pci_parts
from pci_parts import GIB, MIB, Pci, accelerator, bridge, network_card

NAMES = dict(class_0604="PCI bridge", class_0380="Display controller", class_0302="3D controller", class_0200="Ethernet controller",
             class_0680="Bridge", class_0300="VGA compatible controller", vendor_8086="Intel Corporation", vendor_1000="Broadcom / LSI",
             vendor_15b3="Mellanox Technologies", vendor_1a03="ASPEED Technology, Inc.", vendor_10de="NVIDIA Corporation",
             vendor_1d94="Chengdu Haiguang IC Design Co., Ltd.", device_15b3_1021="MT2910 Family [ConnectX-7]",
             device_1000_c030="PEX890xx PCIe Gen 5 Switch", device_10de_2330="GH100 [H100 SXM5 80GB]",
             device_10de_22a3="GH100 [H100 NVSwitch]", device_10de_26b9="AD102GL [L40S]", device_1a03_2000="ASPEED Graphics Family")


def release(identity, version, pretty):
    return f'NAME="{pretty.split()[0]}"\nID={identity}\nVERSION_ID="{version}"\nPRETTY_NAME="{pretty}"'


def server(hostname, model, vendor="GenuineIntel", name="Example Xeon(R) Platinum 9999", command_line="root=/dev/sda2 ro",
           nodes_per_socket=1, driver="intel_pstate", cores_per_cache=None, flags="fpu lm aes", dimm_count=16):
    """A server of two sockets with eight cores each, tuned for nothing."""
    machine = part.Machine()
    part.system(machine, hostname, "5.15.0-119-generic", command_line, release("ubuntu", "22.04", "Ubuntu 22.04.5 LTS"), None, 1056000000)
    machine.file("/proc/cpuinfo", "\n\n".join(
        f"processor\t: {i}\nvendor_id\t: {vendor}\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: {name}\nmicrocode\t: 0x2b000590\n"
        f"flags\t\t: {flags}" for i in range(32)))
    part.cpus(machine, 2, 8, 2, governor="performance", driver=driver, cores_per_cache=cores_per_cache, preference="performance")
    part.caches(machine, "48K", "2048K", "107520K")
    nodes = 2 * nodes_per_socket
    cores = 16 // nodes
    part.numa(machine, [(f"{i * cores}-{i * cores + cores - 1},{16 + i * cores}-{16 + i * cores + cores - 1}", 1056000000 // nodes,
                         " ".join("10" if i == j else "12" if i // nodes_per_socket == j // nodes_per_socket else "32" for j in range(nodes)))
                        for i in range(nodes)])
    part.hugepages(machine, nodes, 0, 0)
    part.settings(machine, numa_balancing=0)
    dimms = [{"gib": 64, "type": 0x22, "speed": 4800, "configured": 4800, "locator": f"DIMM{i}", "bank": f"P{i * 2 // dimm_count}",
              "serial": f"{0xD000 + i:08X}"} for i in range(dimm_count)]
    strings = ["Example Systems", model, "1", f"SN-{hostname}", model, "SKU"]
    machine.file("/sys/firmware/dmi/tables/DMI", part.smbios(["Example BIOS", "1.07", "03/04/2025"], strings, ["Example Systems", "MB", "A", "MB-7"],
                                                             23, [name, name], dimms, arrays=2))
    machine.folder("/sys/class/dmi/id", {"sys_vendor": strings[0], "product_name": model, "bios_version": "1.07", "chassis_type": 23})
    machine.empty.append("/sys/class/iommu")
    part.interface(machine, "lo", "00:00:00:00:00:00", 65536, "unknown", kind=772)
    part.addresses(machine, ["192.0.2.41"])
    return machine, Pci(machine)


def metax_software(machine):
    machine.file("/sys/module/metax/version", "3.8.30")
    machine.file("/sys/module/mlx5_core/version", "24.10-1.1.4")
    machine.file("/sys/kernel/mm/memory_peers/mxcd/version", "1")
    machine.file("/opt/maca/Version.txt", "Version:3.2.1.7")


def c500(pci, address, parent, **rest):
    accelerator(pci, address, parent, (0x9999, 0x4001), 0x038000, "METAX", **rest)


def dual_uplink_switch():
    """One switch chip with two partitions: two upstream ports with one serial number, each below a root port of its own
    socket, two GPUs below each. Which chip a port belongs to, the numbers alone tell."""
    machine, pci = server("dual01", "X4000")
    for half in range(2):
        base = {"numa": half}
        first = 0x20 + half * 0x60
        root, up = f"0000:{first - 1:02x}:01.0", f"0000:{first:02x}:00.0"
        bridge(pci, root, "root", ids=(0x8086, 0x352A), **base)
        bridge(pci, up, "upstream", parent=root, serial=0x00AABBCCDDEE0042, **base)
        for port in range(2):
            down = f"0000:{first + 1:02x}:{port * 8:02x}.0"
            bridge(pci, down, "downstream", parent=up, serial=0x00AABBCCDDEE0042, **base)
            c500(pci, f"0000:{first + 2 + port:02x}:00.0", down, slot=f"{half * 2 + port + 1}", **base)
    pci.names(**NAMES)
    metax_software(machine)
    return machine, pci


def hgx():
    """Eight NVIDIA GPUs below four switches with two network cards each; four NVSwitches whose management functions run
    with two lanes by design."""
    machine, pci = server("hgx01", "HGX8")
    for number in range(4):
        base = {"numa": number // 2}
        first = 0x10 + number * 0x20
        root, up = f"0000:{first - 1:02x}:01.0", f"0000:{first:02x}:00.0"
        serial = 0x0050430000000000 + number
        bridge(pci, root, "root", ids=(0x8086, 0x352A), **base)
        bridge(pci, up, "upstream", parent=root, serial=serial, **base)
        for port in range(5 if number == 0 else 4):
            down, end = f"0000:{first + 1:02x}:{port:02x}.0", f"0000:{first + 2 + port:02x}:00.0"
            if port < 4:
                bridge(pci, down, "downstream", parent=up, serial=serial, **base)
            if port < 2:
                accelerator(pci, end, down, (0x10DE, 0x2330), 0x030200, "nvidia", memory=128 * GIB, revision=0xA1, **base)
            elif port < 4:
                network_card(pci, end, down, serial=f"EXH{number}{port}", **base)
            else:
                add_nvswitches(pci, up, first, serial)
    pci.names(**NAMES)
    machine.file("/sys/module/nvidia/version", "570.124.06")
    machine.file("/sys/module/nvidia_peermem/version", "570.124.06")
    machine.file("/usr/local/cuda/version.json", '{"cuda" : {"name" : "CUDA SDK", "version" : "12.8.1"}}')
    gpus = [f"0000:{0x12 + number * 0x20 + port:02x}:00.0" for number in range(4) for port in range(2)]
    switches = [f"0000:{0x18 + i:02x}:00.0" for i in range(4)]
    path = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"
    gpu_parts.library(machine, "nvml", {"driver": ("570.124.06", path), "CUDA driver": ("12.8", path), "NVML": ("12.570.124.06", path)},
                      [gpu_parts.nvidia_gpu(i, address, switches, (5, 4, 4, 5)) for i, address in enumerate(gpus)])
    gpu_parts.matrix(machine, "nvidia-smi", [f"GPU{i}" for i in range(8)], lambda i, j: "NV18",
                     ("CPU Affinity\tNUMA Affinity\tGPU NUMA ID", lambda i: f"{'0-7,16-23' if i < 4 else '8-15,24-31'}\t{i // 4}\t\tN/A"))
    return machine, pci


def add_nvswitches(pci, parent, first, serial):
    for i in range(4):
        down, end = f"0000:{first + 1:02x}:{0x10 + i:02x}.0", f"0000:{first + 8 + i:02x}:00.0"
        bridge(pci, down, "downstream", parent=parent, serial=serial, current=(16.0, 2), numa=0)
        pci.add(end, 0x10DE, 0x22A3, 0x068000, parent=down, driver="nvidia-nvswitch", revision=0xA1, numa=0, subsystem=(0x10DE, 0x1796),
                bars={0: (32 * MIB, "memory64")},
                express={"kind": "endpoint", "capable": (16.0, 16), "current": (16.0, 2), "payload": (256, 256)},
                extended=[pci_parts.aer()] + pci_parts.physical_layers())


def c500x8():
    """Eight MetaX C500, four below a switch of each socket with one network card: everything as it should be."""
    machine, pci = server("c500x8", "X8000 M")
    for half in range(2):
        base = {"numa": half}
        first = 0x20 + half * 0x60
        root, up = f"0000:{first - 1:02x}:01.0", f"0000:{first:02x}:00.0"
        bridge(pci, root, "root", ids=(0x8086, 0x352A), **base)
        bridge(pci, up, "upstream", parent=root, serial=0x0011000000000010 + half, **base)
        for port in range(5):
            down, end = f"0000:{first + 1:02x}:{port:02x}.0", f"0000:{first + 2 + port:02x}:00.0"
            bridge(pci, down, "downstream", parent=up, serial=0x0011000000000010 + half, **base)
            if port < 4:
                c500(pci, end, down, slot=f"{half * 5 + port + 1}", **base)
            else:
                network_card(pci, end, down, serial=f"EXC{half}", slot=f"{half * 5 + port + 1}", **base)
    pci.names(**NAMES)
    metax_software(machine)
    halves = [[f"0000:{0x22 + half * 0x60 + port:02x}:00.0" for port in range(4)] for half in range(2)]
    path = "/opt/mxdriver/lib/libmxsml.so"
    gpu_parts.library(machine, "mxsml", {"driver": ("3.8.30", path), "MACA": ("3.2.1.7", path)},
                      [gpu_parts.metax_gpu(half * 4 + i, address, [peer for peer in halves[half] if peer != address])
                       for half in range(2) for i, address in enumerate(halves[half])])
    gpu_parts.matrix(machine, "mx-smi", [f"GPU{i}" for i in range(8)], lambda i, j: "MX" if i // 4 == j // 4 else "SYS",
                     ("Node Affinity\tCPU Affinity", lambda i: f"{i // 4}\t{'0-7,16-23' if i < 4 else '8-15,24-31'}"))
    return machine, pci


def single_gpu():
    """One NVIDIA GPU that idles at 2.5 GT/s, its BAR smaller than it could be, and no network card but one of 10 Gb/s."""
    machine, pci = server("single01", "W2000", dimm_count=4)
    bridge(pci, "0000:16:01.0", "root", ids=(0x8086, 0x352A), capable=(16.0, 16), current=(2.5, 16), numa=0)
    accelerator(pci, "0000:17:00.0", "0000:16:01.0", (0x10DE, 0x26B9), 0x030200, "nvidia", capable=(16.0, 16), current=(2.5, 16),
                memory=256 * MIB, offered=64 * GIB, numa=0, slot="2")
    pci.names(**NAMES)
    part.interface(machine, "eno1", "02:00:00:00:04:01", 1500, "up", speed=10000)
    machine.file("/sys/module/nvidia/version", "550.163.01")
    return machine, pci


def no_gpu():
    """A server as it comes out of its crate, before the GPUs are in it: root ports without a partner, no driver."""
    machine, pci = server("bare01", "X8000 M")
    for number in range(4):
        bridge(pci, f"0000:{0x10 + number * 0x20:02x}:01.0", "root", ids=(0x8086, 0x352A), current=(2.5, 0), numa=number // 2)
    pci.add("0000:02:00.0", 0x1A03, 0x2000, 0x030000, driver="ast", numa=0, size=256)
    pci.names(**NAMES)
    part.interface(machine, "eno1", "02:00:00:00:05:01", 1500, "up", speed=1000)
    return machine, pci


def broken():
    """A machine that answers badly: a GPU off the bus, one whose list of capabilities runs in a circle, one with a cut
    space, a port held down after an error, files that hang, a damaged firmware table, a BAR without an address."""
    machine, pci = c500x8()
    machine.file("/proc/sys/kernel/hostname", "broken01")
    devices = "/sys/bus/pci/devices"
    machine.file(f"{devices}/0000:22:00.0/config", b"\xff" * 4096)
    circle = bytearray(machine.files[f"{devices}/0000:23:00.0/config"])
    circle[0x102:0x104] = b"\x01\x10"  # the first extended capability is followed by itself
    machine.file(f"{devices}/0000:23:00.0/config", bytes(circle))
    machine.file(f"{devices}/0000:24:00.0/config", machine.files[f"{devices}/0000:24:00.0/config"][:256])
    bridge(pci, "0000:21:05.0", "downstream", parent="0000:20:00.0", current=(2.5, 0), triggered=True, numa=0)
    machine.file(f"{devices}/0000:25:00.0/resource", pci_parts.resource({0: (16 * MIB, "memory64"), 2: (64 * GIB, "prefetchable64", False)}))
    for path in [f"{devices}/0000:26:00.0/vpd", f"{devices}/0000:25:00.0/aer_dev_fatal", "/sys/module/metax/version"]:
        machine.files.pop(path, None)
        machine.hung.append(path)
    table = machine.files["/sys/firmware/dmi/tables/DMI"]
    machine.file("/sys/firmware/dmi/tables/DMI", table[:len(table) * 2 // 3])
    machine.file("/sys/devices/system/cpu/online", "0-31,junk")
    machine.file("/proc/meminfo", "MemTotal: much\nHugePages_Total: -1\n")
    return machine, pci


def container_no_sys():
    """A container without /sys: what /proc tells, and nothing of the devices."""
    machine = part.Machine()
    part.system(machine, "box", "5.15.0-119-generic", "root=/dev/sda2 ro", release("debian", "12", "Debian GNU/Linux 12 (bookworm)"), None, 64000000)
    machine.files.pop("/sys/kernel/mm/transparent_hugepage/enabled")
    machine.file("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Example Xeon(R) Gold 1\nflags\t\t: fpu lm")
    machine.file("/proc/1/cgroup", "0::/docker/0123456789abcdef")
    machine.file("/.dockerenv", b"")
    part.addresses(machine, ["198.51.100.9"])
    machine.environment = {"NVIDIA_VISIBLE_DEVICES": "all", "NCCL_DEBUG": "WARN"}
    return machine, None


def hygon_server():
    """Two Hygon sockets with four NUMA nodes each; four MetaX GPUs at root ports without switches; ACS left on by the kernel
    since the IOMMU is on, in passthrough."""
    name = "Hygon C86 7390 32-core Processor"
    machine, pci = server("hygon01", "H4000", vendor="HygonGenuine", name=name, command_line="root=/dev/sda2 ro amd_iommu=on iommu=pt",
                          nodes_per_socket=4, driver="acpi-cpufreq", cores_per_cache=4)
    machine.file("/sys/devices/system/cpu/cpufreq/boost", 1)
    machine.empty.remove("/sys/class/iommu")
    machine.file("/sys/class/iommu/ivhd0/amd-iommu/cap", "190b640f")
    for number in range(4):
        root, end = f"0000:{0x20 * number:02x}:03.1", f"0000:{0x20 * number + 1:02x}:00.0"
        link = {"capable": (16.0, 16), "current": (16.0, 16)}
        bridge(pci, root, "root", ids=(0x1D94, 0x1453), control=0x1D, numa=number * 2, group=20 + number, **link)
        c500(pci, end, root, numa=number * 2, group=30 + number, slot=f"{number + 1}", **link)
        for group in (20 + number, 30 + number):
            machine.file(f"/sys/kernel/iommu_groups/{group}/type", "identity")
    pci.names(**NAMES)
    metax_software(machine)
    return machine, pci


MACHINES = (dual_uplink_switch, hgx, c500x8, single_gpu, no_gpu, broken, container_no_sys, hygon_server)

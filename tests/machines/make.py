#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the recordings of this folder: invented machines, one a function. Run it after a change here, then run the
replay tests with GPUADAPT_UPDATE_GOLDEN=1 and look at what changed in the machine.json files.

The first five are here, the others in more_machines.py; each function says what its machine is."""

import os

import machine_parts as part
import more_machines
import pci_parts
from pci_parts import Pci, accelerator, bridge, network_card

HERE = os.path.dirname(os.path.abspath(__file__))
XEON = "Example Xeon(R)   Platinum 9999 @ 2.40GHz"


def release(identity, version, pretty):
    return f'NAME="{pretty.split()[0]}"\nID={identity}\nVERSION_ID="{version}"\nPRETTY_NAME="{pretty}"'


def x86_cpuinfo(vendor, model, count, flags, microcode):
    return "\n\n".join(f"processor\t: {i}\nvendor_id\t: {vendor}\nmodel name\t: {model}\nmicrocode\t: {microcode}\n"
                       f"flags\t\t: {flags}" for i in range(count))


def add_switch(pci, number, faults):
    """A root port, a switch, two GPUs, a network card and an empty port. The first network card has a virtual function."""
    first = 0x10 + number * 0x20
    base = {"numa": number // 2, "group": 10 + number}
    root, up = f"0000:{first - 1:02x}:01.0", f"0000:{first:02x}:00.0"
    uplink = faults.get(f"uplink{number}", (32.0, 16))
    serial = 0x0011223344550000 + number
    bridge(pci, root, "root", current=uplink, ids=(0x8086, 0x352A), control=0x1D if number == 0 else 0, retimer=number == 1,
           retrained=number == 3, **base)
    bridge(pci, up, "upstream", parent=root, current=uplink, serial=serial, **base)
    for port in range(4):
        below = first + 2 + port
        address, end = f"0000:{first + 1:02x}:{port:02x}.0", f"0000:{below:02x}:00.0"
        gpu = number * 2 + port
        link = faults.get(f"gpu{gpu}", (32.0, 16)) if port < 2 else (32.0, 16) if port == 2 else (2.5, 0)
        bridge(pci, address, "downstream", parent=up, current=link, serial=serial, aspm=("L1", "L1" if gpu == 7 else "off"), **base)
        place = {"parent": address, "slot": f"{number * 4 + port + 1}", **base}
        if port < 2:
            accelerator(pci, end, ids=(0x9999, 0x4001), class_code=0x038000, driver="METAX", current=link,
                        errors={"BadTLP": 12, "Timeout": 3} if gpu == 5 else None, power="auto" if gpu == 6 else "on", **place)
        elif port == 2:
            network_card(pci, end, serial=f"EX000{number}", functions=(1 if number == 0 else 0, 16), **place)
            if number == 0:
                pci.add(f"0000:{below:02x}:00.1", 0x15B3, 0x101E, 0x020000, parent=address, physical=end, subsystem=(0x15B3, 0x60),
                        bars={0: (2 * pci_parts.MIB, "prefetchable64")},
                        express={"kind": "endpoint", "virtual": True}, extended=[pci_parts.ats(False)], **base)


MLNX_QOS = """DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
\tprio:0 dscp:07,06,05,04,03,02,01,00,
\tprio:3 dscp:31,30,29,28,27,26,25,24,
Receive buffer size (bytes): 20016,156096,0,0,0,0,0,0,
Cable len: 7
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0   \t
\tbuffer      0   0   0   1   0   0   0   0   \t
tc: 0 ratelimit: unlimited, tsa: vendor
\t priority:  0
tc: 3 ratelimit: unlimited, tsa: vendor
\t priority:  3
"""


def add_rdma(machine, name, interface, pci_path, number, up, counters):
    """A RoCE card of one port: link-local and IPv4 addresses as GIDs, of both versions, the latter on a VLAN too."""
    folder, none = f"/sys/class/infiniband/{name}", ":".join(["0000"] * 8)
    machine.links[folder] = pci_path.replace("../../../devices", "../../devices") + f"/infiniband/{name}"
    machine.links[f"{folder}/device/driver"] = "../../../../bus/pci/drivers/mlx5_core"
    machine.folder(folder, {"fw_ver": "28.39.1002", "board_id": "EX_0000000042", "hca_type": "MT4129", "node_type": "1: CA",
                            "node_guid": f"0200:0000:0000:000{number}"})
    machine.empty.append(f"{folder}/device/net/{interface}")
    machine.folder(f"{folder}/ports/1", {
        "state": "4: ACTIVE" if up else "1: DOWN", "phys_state": "5: LinkUp" if up else "3: Disabled",
        "rate": "400 Gb/sec (4X NDR)" if up else "40 Gb/sec (4X QDR)", "link_layer": "Ethernet", "lid": "0x0", "sm_lid": "0x0"})
    machine.folder(f"{folder}/ports/1/counters", {"link_downed": 0, "symbol_error": 0, "port_xmit_wait": 17, **counters})
    machine.folder(f"{folder}/ports/1/hw_counters", {"lifespan": 10, "out_of_sequence": 0, "rnr_nak_retry_err": 0})
    local = f"fe80:0000:0000:0000:0000:00ff:fe00:000{number}"
    address = f"0000:0000:0000:0000:0000:ffff:c633:640{number}"
    slots = [(local, "IB/RoCE v1", interface), (local, "RoCE v2", interface)]
    slots += [(address, "IB/RoCE v1", interface), (address, "RoCE v2", interface)] if up else []
    slots += [(None, None, None), (address, "RoCE v2", f"{interface}.100")] if number == 1 else []
    for index in range(len(slots) + 1):
        gid, kind, device = slots[index] if index < len(slots) else (None, None, None)
        machine.file(f"{folder}/ports/1/gids/{index}", gid or none)
        if gid:
            machine.file(f"{folder}/ports/1/gid_attrs/types/{index}", kind)
            machine.file(f"{folder}/ports/1/gid_attrs/ndevs/{index}", device)


def ibv_devinfo(devices):
    """devices: (name, number, active MTU) of cards as add_rdma() makes them."""
    codes = {1024: 3, 4096: 5}
    return "\n".join(f"hca_id:\t{name}\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t28.39.1002\n"
                     f"\tnode_guid:\t\t\t0200:0000:0000:000{number}\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n"
                     f"\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t{mtu} ({codes[mtu]})\n"
                     for name, number, mtu in devices)


def eight_gpu_server():
    """Two sockets, four switches, eight GPUs; one GPU has half its lanes, one uplink half its speed, one BIOS default
    has left ACS on, and half of the processors save power."""
    machine = part.Machine()
    part.system(machine, "node01", "5.15.0-91-generic", "BOOT_IMAGE=/vmlinuz root=/dev/sda2 ro quiet intel_iommu=on",
                release("ubuntu", "22.04", "Ubuntu 22.04.4 LTS"), None, 1056000000)
    machine.file("/proc/cpuinfo", x86_cpuinfo("GenuineIntel", XEON, 32, "fpu vme lm aes avx512f", "0x2b000590"))
    part.cpus(machine, 2, 8, 2, governor=lambda cpu: "powersave" if cpu % 2 else "performance", driver="intel_pstate",
              preference="balance_performance")
    part.caches(machine, "48K", "2048K", "107520K")
    machine.folder("/sys/devices/system/cpu/intel_pstate", {"no_turbo": 0, "status": "active"})
    machine.file("/sys/devices/system/cpu/cpuidle/current_driver", "intel_idle")
    for i, (name, disabled) in enumerate([("POLL", 0), ("C1", 0), ("C6", 1)]):
        machine.folder(f"/sys/devices/system/cpu/cpu0/cpuidle/state{i}", {"name": name, "disable": disabled})
    part.numa(machine, [("0-7,16-23", 528000000, "10 21"), ("8-15,24-31", 528000000, "21 10")])
    part.hugepages(machine, 2, 64, 60)
    part.settings(machine, max_cstate=9)
    pci = Pci(machine)
    pci.add("0000:00:00.0", 0x8086, 0x09A2, 0x088000, express={"kind": "integrated"}, numa=0, group=0)
    pci.add("0000:02:00.0", 0x1A03, 0x2000, 0x030000, revision=0x52, driver="ast", numa=0, group=1, size=256)
    for i in range(2):
        pci.add(f"0000:03:00.{i}", 0x14E4, 0x16D7, 0x020000, driver="bnxt_en", numa=0, group=2, size=256)
    for number in range(4):
        add_switch(pci, number, {"gpu5": (32.0, 8), "uplink3": (16.0, 16)})
    pci.names(class_0604="PCI bridge", class_0380="Display controller", class_0200="Ethernet controller",
              class_0300="VGA compatible controller", class_0880="System peripheral", vendor_8086="Intel Corporation",
              vendor_1000="Broadcom / LSI", vendor_15b3="Mellanox Technologies", vendor_1a03="ASPEED Technology, Inc.",
              device_1a03_2000="ASPEED Graphics Family", device_15b3_1021="MT2910 Family [ConnectX-7]",
              device_1000_c030="PEX890xx PCIe Gen 5 Switch")
    for number in range(4):
        path = pci.paths[f"0000:{0x10 + number * 0x20 + 4:02x}:00.0"]
        part.interface(machine, f"ens{number}np0", f"02:00:00:00:00:{number:02x}", 4200, "up" if number < 3 else "down",
                       speed=400000 if number < 3 else -1, device=path, driver="mlx5_core")
        add_rdma(machine, f"mlx5_{number}", f"ens{number}np0", path, number, number < 3,
                 {"link_downed": 2} if number == 2 else {})
    machine.command(["ibv_devinfo", "-v"], ibv_devinfo([(f"mlx5_{i}", i, 4096 if i < 3 else 1024) for i in range(4)]))
    machine.command(["mlnx_qos", "-i", "ens0np0"], MLNX_QOS)
    for i in range(8):
        machine.folder("/sys/class/net/ens0np0/ecn", {f"roce_np/enable/{i}": 1, f"roce_rp/enable/{i}": int(i != 5)})
    machine.file("/sys/class/net/ens0np0/ecn/roce_np/cnp_dscp", 48)
    part.interface(machine, "ens1np0.100", "02:00:00:00:00:01", 4200, "up", speed=400000)
    machine.links["/sys/class/net/ens1np0.100/lower_ens1np0"] = "../../../../devices/net/ens1np0"
    part.interface(machine, "bond0", "02:00:00:00:00:00", 1500, "up", speed=25000)
    machine.file("/sys/class/net/bond0/bonding/mode", "active-backup 1")
    for i in range(2):
        part.interface(machine, f"eno{i}", f"02:00:00:00:00:0{8 + i}", 1500, "up", speed=25000,
                       device=pci.paths[f"0000:03:00.{i}"], driver="bnxt_en")
        machine.command(["ethtool", "-i", f"eno{i}"], "driver: bnxt_en\nversion: 5.15.0-91-generic\n"
                        f"firmware-version: 226.0.145.0/pkg 226.1.107.1\nbus-info: 0000:03:00.{i}\nsupports-statistics: yes\n")
        machine.links[f"/sys/class/net/eno{i}/master"] = "../bond0"
        machine.links[f"/sys/class/net/bond0/lower_eno{i}"] = f"../eno{i}"
    part.interface(machine, "lo", "00:00:00:00:00:00", 65536, "unknown", kind=772)
    machine.file("/sys/class/net/bonding_masters", "bond0")
    part.addresses(machine, ["192.0.2.11", "198.51.100.11"])
    dimms = [{"gib": 64, "type": 0x22, "speed": 5600, "configured": 4800, "locator": f"DIMM_{i}", "bank": f"NODE {i // 8}",
              "serial": f"{i:08X}"} if i % 2 == 0 else None for i in range(16)]
    system = ["Example Systems", "X8000 G5", "1.0", "SN-0001", "X8000", "SKU-8"]
    machine.file("/sys/firmware/dmi/tables/DMI",
                 part.smbios(["Example BIOS", "3.21", "05/06/2024"], system, ["Example Systems", "X8-MB", "A", "MB-1"], 23,
                             [XEON, XEON], dimms, slots=[("SLOT1 (CPU1)", 0xC3, 0x0D, 4, "0000:0f:01.0"), ("SLOT2 (CPU1)", 0xC3, 0x0D, 3, None),
                                                         ("SLOT3 (CPU2)", 0xBD, 0x0B, 4, "0000:4f:01.0")], arrays=2))
    machine.folder("/sys/devices/platform/ipmi_bmc.0", {"firmware_revision": "2.17", "ipmi_version": "2.0"})
    machine.folder("/sys/class/dmi/id", {
        "sys_vendor": system[0], "product_name": system[1], "product_version": system[2], "product_serial": system[3],
        "bios_vendor": "Example BIOS", "bios_version": "3.21", "bios_date": "05/06/2024", "chassis_type": 23,
        "board_vendor": "Example Systems", "board_name": "X8-MB"})
    machine.file("/sys/class/iommu/dmar0/intel-iommu/version", "5:0")
    for group in range(10, 14):
        machine.file(f"/sys/kernel/iommu_groups/{group}/type", "DMA-FQ")
    machine.file("/sys/module/metax/version", "3.0.11")
    machine.folder("/sys/module/metax/parameters", {"mxme_size": 16, "eth_no_maca": "N"})
    machine.file("/sys/module/mlx5_core/version", "24.01-0.3.3")
    machine.file("/sys/module/ib_core/parameters/netns_mode", "Y")
    machine.file("/opt/maca/Version.txt", "Version:3.0.0.8")
    machine.file("/etc/mccl.conf", "# of the site\nMCCL_IB_GID_INDEX=3\nMCCL_IB_HCA=mlx5_7")
    machine.file("/~/.openmpi/mca-params.conf", "btl = ^openib")
    machine.environment = {"MCCL_IB_HCA": "mlx5_0,mlx5_1", "MACA_PATH": "/opt/maca", "LD_LIBRARY_PATH": "/opt/maca/lib"}
    return machine, pci


def eight_gpu_server_no_root():
    """The same machine as an ordinary user sees it."""
    machine, pci = eight_gpu_server()
    pci.cut(64)
    for path in ["/sys/firmware/dmi/tables/DMI", "/sys/class/dmi/id/product_serial", "/sys/class/dmi/id/product_uuid",
                 "/sys/class/dmi/id/board_serial"]:
        machine.files.pop(path, None)
        machine.denied.append(path)
    return machine, pci


def arm_server():
    """Two Kunpeng sockets under an old kernel with old file names; one NVIDIA GPU below a switchless root port."""
    machine = part.Machine()
    part.system(machine, "arm01", "4.19.90-23.8.v2101.ky10.aarch64", "root=/dev/sda1 iommu.passthrough=1",
                release("kylin", "V10", "Kylin Linux Advanced Server V10 (Tercel)"), None, 528000000, "[always] madvise never")
    machine.file("/proc/cpuinfo", "\n\n".join(
        f"processor\t: {i}\nBogoMIPS\t: 200.00\nFeatures\t: fp asimd evtstrm aes\nCPU implementer\t: 0x48\n"
        "CPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd01\nCPU revision\t: 0" for i in range(16)))
    part.cpus(machine, 2, 8, 1, old_names=True)
    part.caches(machine, "64K", "512K", "32768K")
    part.numa(machine, [(f"{i * 4}-{i * 4 + 3}", 132000000, " ".join("10" if i == j else "12" if i // 2 == j // 2 else "24" for j in range(4)))
                        for i in range(4)])
    pci = Pci(machine, newer_names=False)
    link = {"capable": (16.0, 16), "current": (16.0, 16)}
    bridge(pci, "0000:80:00.0", "root", ids=(0x19E5, 0xA120), control=0x5D, numa=2, **link)
    accelerator(pci, "0000:81:00.0", "0000:80:00.0", (0x10DE, 0x20B5), 0x030200, "nvidia", memory=128 * pci_parts.GIB, payload=128,
                revision=0xA1, numa=2, slot="6", **link)
    pci.add("0000:7d:00.0", 0x19E5, 0xA222, 0x020000, revision=0x21, driver="hns3", numa=0,
            express={"kind": "integrated", "payload": (128, 128)})
    pci.names(class_0604="PCI bridge", class_0302="3D controller", class_0200="Ethernet controller", vendor_10de="NVIDIA Corporation",
              vendor_19e5="Huawei Technologies Co., Ltd.", device_10de_20b5="GA100 [A100 PCIe 80GB]")
    part.interface(machine, "enp125s0f0", "02:00:00:00:01:00", 1500, "up", speed=10000, device=pci.paths["0000:7d:00.0"], driver="hns3")
    part.addresses(machine, ["192.0.2.21"])
    system = ["Example Arm", "A200", "To be filled by O.E.M.", "SN-ARM-1", "", ""]
    dimms = [{"gib": 16, "type": 0x1A, "speed": 2933, "configured": 2933, "locator": f"DIMM0{i}0", "bank": "SOCKET 0", "serial": f"A{i}"}
             for i in range(4)]
    machine.file("/sys/firmware/dmi/tables/DMI", part.smbios(
        ["Example", "1.25", "01/17/2020"], [text or "-" for text in system], ["Example Arm", "A2-MB", "1", "MB-2"], 23,
        ["Kunpeng 920-4826", "Kunpeng 920-4826"], dimms))
    machine.file("/sys/module/nvidia/version", "535.129.03")
    machine.file("/usr/local/cuda/version.json", '{\n  "cuda" : {\n    "name" : "CUDA SDK",\n    "version" : "12.2.2"\n  }\n}')
    return machine, pci


def virtual_machine():
    """A guest without DMI, conventional PCI only, no NUMA node but one."""
    machine = part.Machine()
    part.system(machine, "guest", "6.1.0-18-cloud-amd64", "console=ttyS0 root=/dev/vda1", release("debian", "12", "Debian GNU/Linux 12 (bookworm)"),
                "x86_64", 8000000)
    machine.file("/proc/cpuinfo", x86_cpuinfo("AuthenticAMD", "AMD EPYC", 2, "fpu lm hypervisor", "0x1000065"))
    part.cpus(machine, 2, 1, 1)
    part.caches(machine, "32K", "512K", "32M")
    machine.file("/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc kvm-clock acpi_pm ")
    part.numa(machine, [("0-1", 8000000, "10")])
    pci = Pci(machine)
    pci.add("0000:00:00.0", 0x8086, 0x1237, 0x060000, size=256)
    pci.add("0000:00:03.0", 0x1AF4, 0x1000, 0x020000, driver="virtio-pci", subsystem=(0x1AF4, 1), size=256)
    pci.names(class_0600="Host bridge", class_0200="Ethernet controller", vendor_8086="Intel Corporation", vendor_1af4="Red Hat, Inc.",
              device_1af4_1000="Virtio network device")
    part.interface(machine, "eth0", "02:00:00:00:02:00", 1500, "up", speed=-1, device=pci.paths["0000:00:03.0"] + "/virtio0", driver="virtio_net")
    part.interface(machine, "lo", "00:00:00:00:00:00", 65536, "unknown", kind=772)
    machine.empty.append("/sys/class/iommu")
    part.addresses(machine, ["192.0.2.31"])
    return machine, pci


def amd_container():
    """A pod on an AMD server: two accelerators, a node with memory only, configuration spaces cut to 64 bytes."""
    machine = part.Machine()
    part.system(machine, "pod-7", "6.8.0-60-generic", "root=/dev/nvme0n1p2 iommu=pt amd_iommu=on", release("ubuntu", "24.04", "Ubuntu 24.04.2 LTS"),
                "x86_64", 264000000)
    machine.file("/proc/cpuinfo", x86_cpuinfo("AuthenticAMD", "AMD EPYC 9999 4-Core Processor", 4, "fpu lm avx2", "0xa101148"))
    part.cpus(machine, 1, 4, 1, governor="schedutil", driver="acpi-cpufreq")
    part.caches(machine, "32K", "1024K", "32768K")
    machine.file("/sys/devices/system/cpu/cpufreq/boost", 0)
    part.numa(machine, [("0-3", 132000000, "10 40"), ("", 132000000, "40 10")])
    pci = Pci(machine)
    for i, current in enumerate([(32.0, 16), (2.5, 16)]):
        root, end = f"0000:{0x20 * i:02x}:01.1", f"0000:{0x20 * i + 1:02x}:00.0"
        bridge(pci, root, "root", ids=(0x1022, 0x14AB), current=current, numa=0)
        accelerator(pci, end, root, (0x1002, 0x74A1), 0x120000, "amdgpu", current=current, memory=256 * pci_parts.GIB, numa=0)
    pci.cut(64)
    pci.names(class_0604="PCI bridge", class_1200="Processing accelerators", vendor_1002="Advanced Micro Devices, Inc. [AMD/ATI]",
              vendor_1022="Advanced Micro Devices, Inc. [AMD]", device_1002_74a1="Aqua Vanjaram [Instinct MI300X]")
    part.interface(machine, "eth0", "02:00:00:00:03:00", 1450, "up", speed=10000)
    part.addresses(machine, ["198.51.100.7"])
    machine.file("/var/run/secrets/kubernetes.io/serviceaccount/namespace", "default")
    machine.file("/sys/class/iommu/ivhd0/amd-iommu/cap", "1000000000000000")
    machine.file("/opt/rocm/.info/version", "6.3.1-48")
    machine.environment = {"HIP_VISIBLE_DEVICES": "0,1", "NCCL_DEBUG": "INFO"}
    return machine, pci


def main():
    own = (eight_gpu_server, eight_gpu_server_no_root, arm_server, virtual_machine, amd_container)
    for build in own + more_machines.MACHINES:
        folder = os.path.join(HERE, build.__name__.replace("_", "-"))
        os.makedirs(folder, exist_ok=True)
        build()[0].save(os.path.join(folder, "recording.tar.gz"))


if __name__ == "__main__":
    main()

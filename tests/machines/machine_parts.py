# SPDX-License-Identifier: Apache-2.0
"""Parts of invented machines: PCI functions, SMBIOS structures, processors. Used by make.py.

The layout of a recording is told in include/gpuadapt/host/recording.hpp.
"""

import gzip
import io
import struct
import tarfile

SPEED_CODE = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
PORT_CODE = {"endpoint": 0, "legacy": 1, "root": 4, "upstream": 5, "downstream": 6, "integrated": 9}


def escape(text, ascii_only=False):
    out = []
    for byte in text.encode():
        if byte < 0x20 or byte == 0x7F or byte == 0x25 or (ascii_only and byte >= 0x80):
            out.append(b"%%%02X" % byte)
        else:
            out.append(bytes([byte]))
    return b"".join(out).decode()


class Machine:
    """What a machine answers; what is not here does not exist."""

    def __init__(self):
        self.files, self.links, self.denied, self.empty = {}, {}, [], []
        self.environment, self.lookups = {}, {}

    def file(self, path, content):
        self.files[path] = content if isinstance(content, bytes) else (str(content) + "\n").encode()

    def folder(self, path, entries):
        for name, content in entries.items():
            if content is not None:
                self.file(f"{path}/{name}", content)

    def members(self):
        lines = [f"link\t{escape(path)}\t{escape(target)}" for path, target in sorted(self.links.items())]
        lines += [f"list\t{escape(path)}\t" for path in sorted(self.empty)]
        lines += [f"file-denied\t{escape(path)}\tpermission denied" for path in sorted(self.denied)]
        lines += [f"env\t{escape(name)}\t{escape(value)}" for name, value in sorted(self.environment.items())]
        lines += [f"lookup\t{escape(key)}\t{escape(value)}" for key, value in sorted(self.lookups.items())]
        members = {"gpuadapt-recording": b"gpuadapt-recording 1\ncomplete\n"}
        members["answers.tsv"] = "".join(line + "\n" for line in lines).encode()
        for path, content in self.files.items():
            members["files" + escape(path, True)] = content
        return members

    def save(self, path):
        """A tar.gz whose bytes depend on the contents only."""
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, content in sorted(self.members().items()):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        with open(path, "wb") as out, gzip.GzipFile(fileobj=out, mode="wb", mtime=0, filename="") as packed:
            packed.write(raw.getvalue())


# ---- PCI ----


def config_space(vendor, device, class_code, revision=0, bridge=False, subsystem=(0, 0), express=None, acs=None, size=4096):
    """A configuration space. `express` as express_capability() takes it; `acs` is (capability, control)."""
    space = bytearray(size)
    struct.pack_into("<HHHHI", space, 0, vendor, device, 0x0406, 0x0010, class_code << 8 | revision)
    space[0x0E] = 1 if bridge else 0
    if not bridge:
        struct.pack_into("<HH", space, 0x2C, *subsystem)
    space[0x34] = 0x40
    struct.pack_into("<BBH", space, 0x40, 0x01, 0x60 if express else 0, 3)  # power management
    if express:
        struct.pack_into("<BB", space, 0x60, 0x10, 0x80 if bridge else 0)
        express_capability(space, 0x60, **express)
        if bridge:  # bridges keep their subsystem in a capability
            struct.pack_into("<BBHHH", space, 0x60 + 0x40 - 0x20, 0x0D, 0, 0, *subsystem)
    if express and size == 4096:
        struct.pack_into("<I", space, 0x100, 0x0001 | 2 << 16 | (0x148 << 20 if acs else 0))  # AER
        if acs:
            struct.pack_into("<IHH", space, 0x148, 0x000D | 1 << 16, *acs)
    return bytes(space)


def express_capability(space, at, kind, capable=(32.0, 16), current=(32.0, 16), target=32.0, payload=(512, 256), request=512):
    struct.pack_into("<H", space, at + 2, 2 | PORT_CODE[kind] << 4)
    struct.pack_into("<I", space, at + 4, payload_code(payload[0]))
    struct.pack_into("<H", space, at + 8, payload_code(payload[1]) << 5 | payload_code(request) << 12)
    if kind == "integrated":
        return
    struct.pack_into("<I", space, at + 0x0C, SPEED_CODE[capable[0]] | capable[1] << 4)
    struct.pack_into("<H", space, at + 0x12, SPEED_CODE.get(current[0], 1) | current[1] << 4)
    struct.pack_into("<H", space, at + 0x30, SPEED_CODE[target])


def payload_code(size):
    return (size // 128).bit_length() - 1


class Pci:
    """Adds functions to a machine, each below its parent."""

    def __init__(self, machine, newer_names=True):
        self.machine, self.paths, self.newer_names = machine, {}, newer_names
        self.expresses = {}

    def add(self, address, vendor, device, class_code, parent=None, driver=None, numa=-1, group=None, slot=None, **config):
        domain, bus = address.split(":")[:2]
        above = self.paths[parent] if parent else f"../../../devices/pci{domain}:{bus}"
        self.paths[address] = f"{above}/{address}"
        self.expresses[address] = config.get("express")
        folder = f"/sys/bus/pci/devices/{address}"
        self.machine.links[folder] = self.paths[address]
        subsystem = config.get("subsystem", (0, 0))
        uevent = [f"DRIVER={driver}"] if driver else []
        uevent += [f"PCI_CLASS={class_code:X}", f"PCI_ID={vendor:04X}:{device:04X}"]
        uevent += [f"PCI_SUBSYS_ID={subsystem[0]:04X}:{subsystem[1]:04X}", f"PCI_SLOT_NAME={address}"]
        self.machine.file(f"{folder}/uevent", "\n".join(uevent))
        self.machine.file(f"{folder}/config", config_space(vendor, device, class_code, **config))
        self.machine.file(f"{folder}/numa_node", numa)
        if group is not None:
            self.machine.links[f"{folder}/iommu_group"] = f"../../../kernel/iommu_groups/{group}"
        if slot:
            self.machine.file(f"/sys/bus/pci/slots/{slot}/address", address.rsplit(".", 1)[0])

    def cut(self, size):
        """Without privilege only the first 64 bytes are to be had; the kernel still tells about the link."""
        for address, express in self.expresses.items():
            folder = f"/sys/bus/pci/devices/{address}"
            self.machine.file(f"{folder}/config", self.machine.files[f"{folder}/config"][:size])
            if express and express["kind"] != "integrated":
                capable, current = express.get("capable", (32.0, 16)), express.get("current", (32.0, 16))
                unit = " GT/s PCIe" if self.newer_names else " GT/s"
                self.machine.folder(folder, {
                    "max_link_speed": f"{capable[0]}{unit}", "max_link_width": capable[1],
                    "current_link_speed": f"{current[0]}{unit}", "current_link_width": current[1]})

    def names(self, **entries):
        """class_0302="3D controller", vendor_9999="MetaX", device_9999_4001="C500"."""
        for key, value in entries.items():
            kind, numbers = key.split("_", 1)
            self.machine.lookups[f"pci.ids/{kind}/{numbers.replace('_', ':')}"] = value


# ---- SMBIOS ----


def structure(kind, handle, body, strings=()):
    raw = struct.pack("<BBH", kind, 4 + len(body), handle) + body
    for text in strings:
        raw += text.encode() + b"\0"
    return raw + (b"\0" if strings else b"\0\0")


def smbios(bios, system, board, chassis, cpus, dimms):
    """bios, system, board: lists of strings; chassis: type; cpus: names; dimms: dicts, None for an empty slot."""
    table = structure(0, 0, struct.pack("<BBHBB", 1, 2, 0xE800, 3, 0xFF) + bytes(8), bios)
    uuid = bytes(range(0x10, 0x20))
    table += structure(1, 1, bytes([1, 2, 3, 4]) + uuid + bytes([6, 5, 0]), system)
    table += structure(2, 2, bytes([1, 2, 3, 4]), board)
    table += structure(3, 3, bytes([1, chassis, 0, 0, 0]), ["Vendor"])
    for i, name in enumerate(cpus):
        body = bytes([1, 3, 0xFE, 2]) + bytes(8) + bytes([3]) + bytes(7) + bytes([0x41]) + bytes(23)
        table += structure(4, 0x40 + i, body, [f"CPU{i}", "Vendor", name])
    for i, dimm in enumerate(dimms):
        table += structure(17, 0x110 + i, *memory_device(dimm))
    return table + structure(127, 0xFFFF, b"")


def memory_device(dimm):
    if dimm is None:
        return bytes(8) + struct.pack("<HBBBBBH", 0, 9, 0, 1, 0, 2, 0) + bytes(0x30), ["DIMM empty"]
    body = bytearray(0x5C - 4)
    gib = dimm["gib"]
    struct.pack_into("<H", body, 0x0C - 4, gib * 1024 if gib < 32 else 0x7FFF)
    body[0x10 - 4], body[0x11 - 4], body[0x12 - 4] = 1, 2, dimm["type"]
    struct.pack_into("<H", body, 0x15 - 4, dimm["speed"])
    body[0x17 - 4], body[0x18 - 4], body[0x1A - 4] = 3, 4, 5
    struct.pack_into("<I", body, 0x1C - 4, gib * 1024 if gib >= 32 else 0)
    struct.pack_into("<H", body, 0x20 - 4, dimm["configured"])
    return bytes(body), [dimm["locator"], dimm["bank"], "DRAM Works", dimm["serial"], "DW-" + str(gib)]


# ---- processors, NUMA, system ----


def cpus(machine, sockets, cores, threads, governor=None, driver=None, old_names=False):
    base = "/sys/devices/system/cpu"
    count = sockets * cores * threads
    machine.file(f"{base}/online", f"0-{count - 1}")
    names = ("thread_siblings_list", "core_siblings_list") if old_names else ("core_cpus_list", "package_cpus_list")
    for cpu in range(count):
        core, socket = cpu % (sockets * cores), cpu % (sockets * cores) // cores
        same_core = ",".join(str(core + t * sockets * cores) for t in range(threads))
        ranges = [f"{socket * cores + t * sockets * cores}-{(socket + 1) * cores - 1 + t * sockets * cores}" for t in range(threads)]
        machine.folder(f"{base}/cpu{cpu}/topology", {names[0]: same_core, names[1]: ",".join(ranges), "physical_package_id": socket})
        if driver:
            chosen = governor(cpu) if callable(governor) else governor
            machine.folder(f"{base}/cpufreq/policy{cpu}", {
                "scaling_driver": driver, "scaling_governor": chosen, "cpuinfo_min_freq": 800000, "cpuinfo_max_freq": 3800000})


def caches(machine, l1, l2, l3):
    for i, (level, kind, size) in enumerate([(1, "Data", l1), (1, "Instruction", "32K"), (2, "Unified", l2), (3, "Unified", l3)]):
        machine.folder(f"/sys/devices/system/cpu/cpu0/cache/index{i}", {"level": level, "type": kind, "size": size})


def numa(machine, nodes):
    """nodes: (CPU list, kB, distances)"""
    for i, (cpulist, kilobytes, distances) in enumerate(nodes):
        machine.folder(f"/sys/devices/system/node/node{i}", {
            "cpulist": cpulist, "meminfo": f"Node {i} MemTotal:       {kilobytes} kB", "distance": distances})


def system(machine, hostname, kernel, command_line, release, arch, total_kb, thp="always [madvise] never"):
    machine.file("/proc/sys/kernel/hostname", hostname)
    machine.file("/proc/sys/kernel/osrelease", kernel)
    machine.file("/proc/cmdline", command_line)
    machine.file("/etc/os-release", release)
    if arch:
        machine.file("/proc/sys/kernel/arch", arch)
    machine.file("/proc/meminfo", f"MemTotal:       {total_kb} kB\nMemFree:        {total_kb // 2} kB\n"
                 f"MemAvailable:   {total_kb // 4 * 3} kB\nSwapTotal:      0 kB\nHugePages_Total:     64\n"
                 "HugePages_Free:      60\nHugepagesize:       2048 kB")
    machine.file("/sys/kernel/mm/transparent_hugepage/enabled", thp)


def interface(machine, name, mac, mtu, state, kind=1, speed=None, device=None, driver=None):
    """device: the path below /sys/devices of a PCI function; None for a virtual one."""
    folder = f"/sys/class/net/{name}"
    place = device.replace("../../../devices", "../../devices") if device else "../../devices/virtual"
    machine.links[folder] = f"{place}/net/{name}"
    machine.folder(folder, {"address": mac, "mtu": mtu, "operstate": state, "type": kind, "speed": speed})
    if device:
        machine.links[f"{folder}/device"] = "../../../" + device.rsplit("/", 1)[1]
        machine.links[f"{folder}/device/driver"] = f"../../../../bus/pci/drivers/{driver}"


def addresses(machine, local):
    text = ["Main:", "  +-- 0.0.0.0/0 3 0 5"]
    for address in ["127.0.0.1"] + local:
        text += [f"           |-- {address}", "              /32 host LOCAL"]
    machine.file("/proc/net/fib_trie", "\n".join(text + ["Local:"] + text[1:]))

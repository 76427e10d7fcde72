# SPDX-License-Identifier: Apache-2.0
"""Parts of invented machines: SMBIOS structures, processors, the system. PCI functions are in pci_parts.py. Used by make.py.

The layout of a recording is told in include/gpuadapt/host/recording.hpp.
"""

import gzip
import io
import struct
import tarfile


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
        self.files, self.links, self.denied, self.empty, self.hung = {}, {}, [], [], []
        self.environment, self.lookups, self.commands = {}, {}, []

    def file(self, path, content):
        self.files[path] = content if isinstance(content, bytes) else (str(content) + "\n").encode()

    def folder(self, path, entries):
        for name, content in entries.items():
            if content is not None:
                self.file(f"{path}/{name}", content)

    def command(self, arguments, output):
        """A tool that ends with status 0."""
        self.commands.append((arguments, output))

    def members(self):
        lines = [f"link\t{escape(path)}\t{escape(target)}" for path, target in sorted(self.links.items())]
        lines += [f"list\t{escape(path)}\t" for path in sorted(self.empty)]
        lines += [f"file-denied\t{escape(path)}\tpermission denied" for path in sorted(self.denied)]
        lines += [f"file-timed_out\t{escape(path)}\tno answer after 5000 ms" for path in sorted(self.hung)]
        lines += [f"env\t{escape(name)}\t{escape(value)}" for name, value in sorted(self.environment.items())]
        lines += [f"lookup\t{escape(key)}\t{escape(value)}" for key, value in sorted(self.lookups.items())]
        lines += ["\t".join(["run", str(i), "exited", "0", "", *map(escape, arguments)])
                  for i, (arguments, _) in enumerate(self.commands)]
        members = {"gpuadapt-recording": b"gpuadapt-recording 1\ncomplete\n"}
        members["answers.tsv"] = "".join(line + "\n" for line in lines).encode()
        for i, (_, output) in enumerate(self.commands):
            members[f"commands/{i}/out"], members[f"commands/{i}/err"] = output.encode(), b""
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


# ---- SMBIOS ----


def structure(kind, handle, body, strings=()):
    raw = struct.pack("<BBH", kind, 4 + len(body), handle) + body
    for text in strings:
        raw += text.encode() + b"\0"
    return raw + (b"\0" if strings else b"\0\0")


def smbios(bios, system, board, chassis, cpus, dimms, slots=(), arrays=1, controller=True):
    """bios, system, board: lists of strings; chassis: type; cpus: names; dimms: dicts, None for an empty slot; slots:
    (name, type, width, usage, PCI address or None); arrays: as many as share the dimms evenly."""
    table = structure(0, 0, struct.pack("<BBHBB", 1, 2, 0xE800, 3, 0xFF) + bytes(8), bios)
    uuid = bytes(range(0x10, 0x20))
    table += structure(1, 1, bytes([1, 2, 3, 4]) + uuid + bytes([6, 5, 0]), system)
    table += structure(2, 2, bytes([1, 2, 3, 4]), board)
    table += structure(3, 3, bytes([1, chassis, 0, 0, 0]), ["Vendor"])
    for i, name in enumerate(cpus):
        body = bytes([1, 3, 0xFE, 2]) + bytes(8) + bytes([3]) + bytes(7) + bytes([0x41]) + bytes(23)
        table += structure(4, 0x40 + i, body, [f"CPU{i}", "Vendor", name])
    for i, (name, kind, width, usage, address) in enumerate(slots):
        place = struct.pack("<HBB", *parse_address(address)) if address else b"\xff" * 4
        table += structure(9, 0x90 + i, bytes([1, kind, width, usage, 4]) + struct.pack("<H", i) + bytes(2) + place, [name])
    for i in range(arrays):
        table += structure(16, 0x100 + i, bytes([3, 3, 6]) + struct.pack("<IHH", 0x80000000, 0xFFFE, len(dimms) // arrays))
    for i, dimm in enumerate(dimms):
        array = 0x100 + i * arrays // max(1, len(dimms))
        body, strings = memory_device(dimm)
        table += structure(17, 0x110 + i, struct.pack("<H", array) + body[2:], strings)
    if controller:
        table += structure(38, 0x200, bytes([1, 0x20, 0x20, 0xFF]) + struct.pack("<Q", 0xCA2) + bytes(2))
    return table + structure(127, 0xFFFF, b"")


def parse_address(address):
    domain, bus, rest = address.split(":")
    device, function = rest.split(".")
    return int(domain, 16), int(bus, 16), int(device, 16) << 3 | int(function)


def memory_device(dimm):
    if dimm is None:
        return bytes(8) + struct.pack("<HBBBBBH", 0, 9, 0, 1, 0, 2, 0) + bytes(0x30), ["DIMM empty"]
    body = bytearray(0x5C - 4)
    gib = dimm["gib"]
    struct.pack_into("<H", body, 0x0C - 4, gib * 1024 if gib < 32 else 0x7FFF)
    body[0x10 - 4], body[0x11 - 4], body[0x12 - 4] = 1, 2, dimm["type"]
    struct.pack_into("<H", body, 0x15 - 4, dimm["speed"])
    body[0x1B - 4] = dimm.get("ranks", 2)
    body[0x17 - 4], body[0x18 - 4], body[0x1A - 4] = 3, 4, 5
    struct.pack_into("<I", body, 0x1C - 4, gib * 1024 if gib >= 32 else 0)
    struct.pack_into("<H", body, 0x20 - 4, dimm["configured"])
    return bytes(body), [dimm["locator"], dimm["bank"], "DRAM Works", dimm["serial"], "DW-" + str(gib)]


# ---- processors, NUMA, system ----


def cpus(machine, sockets, cores, threads, governor=None, driver=None, old_names=False, cores_per_cache=None, preference=None):
    """cores_per_cache: cores that share a cache of the last level; all of a socket when not given."""
    base = "/sys/devices/system/cpu"
    count = sockets * cores * threads
    machine.folder(base, {"online": f"0-{count - 1}", "offline": "", "possible": f"0-{count - 1}", "present": f"0-{count - 1}",
                          "smt/control": "on" if threads > 1 else "notsupported"})
    names = ("thread_siblings_list", "core_siblings_list") if old_names else ("core_cpus_list", "package_cpus_list")
    for cpu in range(count):
        core, socket = cpu % (sockets * cores), cpu % (sockets * cores) // cores
        same_core = ",".join(str(core + t * sockets * cores) for t in range(threads))
        ranges = [f"{socket * cores + t * sockets * cores}-{(socket + 1) * cores - 1 + t * sockets * cores}" for t in range(threads)]
        machine.folder(f"{base}/cpu{cpu}/topology", {names[0]: same_core, names[1]: ",".join(ranges), "physical_package_id": socket})
        share = cores_per_cache or cores
        first = core // share * share
        shared = [f"{first + t * sockets * cores}-{first + share - 1 + t * sockets * cores}" for t in range(threads)]
        machine.file(f"{base}/cpu{cpu}/cache/index3/shared_cpu_list", ",".join(shared))
        if driver:
            chosen = governor(cpu) if callable(governor) else governor
            machine.folder(f"{base}/cpufreq/policy{cpu}", {
                "scaling_driver": driver, "scaling_governor": chosen, "cpuinfo_min_freq": 800000, "cpuinfo_max_freq": 3800000,
                "scaling_min_freq": 800000, "scaling_max_freq": 3800000, "energy_performance_preference": preference})


def caches(machine, l1, l2, l3):
    for i, (level, kind, size) in enumerate([(1, "Data", l1), (1, "Instruction", "32K"), (2, "Unified", l2), (3, "Unified", l3)]):
        machine.folder(f"/sys/devices/system/cpu/cpu0/cache/index{i}", {"level": level, "type": kind, "size": size})


def hugepages(machine, nodes, total, free):
    """Pages of 2 MiB, spread evenly; none of 1 GiB."""
    for size, of_size, free_of_size in ((2048, total, free), (1048576, 0, 0)):
        machine.folder(f"/sys/kernel/mm/hugepages/hugepages-{size}kB", {"nr_hugepages": of_size, "free_hugepages": free_of_size})
        for node in range(nodes):
            machine.folder(f"/sys/devices/system/node/node{node}/hugepages/hugepages-{size}kB",
                           {"nr_hugepages": of_size // nodes, "free_hugepages": free_of_size // nodes})


def settings(machine, **changed):
    """Kernel settings of a server that nobody has tuned. changed: numa_balancing=0 and the like."""
    values = {"/proc/sys/kernel/numa_balancing": 1, "/proc/sys/vm/swappiness": 60, "/proc/sys/vm/zone_reclaim_mode": 0,
              "/proc/sys/vm/overcommit_memory": 0, "/proc/sys/vm/max_map_count": 65530, "/proc/sys/kernel/nmi_watchdog": 1,
              "/sys/kernel/mm/transparent_hugepage/defrag": "always defer defer+madvise [madvise] never", "/sys/kernel/mm/ksm/run": 0,
              "/sys/module/pcie_aspm/parameters/policy": "[default] performance powersave powersupersave",
              "/sys/module/intel_idle/parameters/max_cstate": None, "/sys/kernel/security/lockdown": "[none] integrity confidentiality",
              "/sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc", "/proc/sys/net/core/rmem_max": 212992,
              "/proc/sys/net/core/wmem_max": 212992, "/proc/sys/net/core/somaxconn": 4096, "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456",
              "/proc/sys/net/ipv4/conf/all/rp_filter": 2, "/proc/sys/kernel/yama/ptrace_scope": 1}
    for path, value in values.items():
        value = changed.get(path.rsplit("/", 1)[1], value)
        if value is not None:
            machine.file(path, value)


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

# SPDX-License-Identifier: Apache-2.0
"""PCI functions of invented machines: configuration spaces and the kernel's files beside them. Used by make.py."""

import struct

SPEED_CODE = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}
PORT_CODE = {"endpoint": 0, "legacy": 1, "root": 4, "upstream": 5, "downstream": 6, "integrated": 9}
ASPM_CODE = {"off": 0, "L0s": 1, "L1": 2, "L0s L1": 3}
BAR_FLAGS = {"io": 0x40101, "memory32": 0x40200, "memory64": 0x140204, "prefetchable64": 0x14220C}
MIB, GIB = 1 << 20, 1 << 30

# ---- configuration spaces ----

SUBSYSTEM_AT, VPD_AT = 0xA8, 0xB4


def config_space(vendor, device, class_code, revision=0, bridge=False, subsystem=(0, 0), express=None, extended=(), vpd=False,
                 virtual=False, size=4096):
    """`express` as express_capability() takes it; `extended` is a list of capabilities as the functions below make them."""
    space = bytearray(size)
    ids = (0xFFFF, 0xFFFF) if virtual else (vendor, device)
    struct.pack_into("<HHHHI", space, 0, *ids, 0x0004 if virtual else 0x0406, 0x0010, class_code << 8 | revision)
    space[0x0E] = 1 if bridge else 0
    if not bridge:
        struct.pack_into("<HH", space, 0x2C, *subsystem)
    places = [(0x40, 0x01, 3)]  # power management
    if express:
        places.append((0x60, 0x10, 0))
    if bridge and express:  # bridges keep their subsystem in a capability
        places.append((SUBSYSTEM_AT, 0x0D, 0))
    if vpd:
        places.append((VPD_AT, 0x03, 0))
    space[0x34] = 0x40
    for (at, kind, value), following in zip(places, [place[0] for place in places[1:]] + [0]):
        struct.pack_into("<BBH", space, at, kind, following, value)
    if express:
        express_capability(space, 0x60, **express)
        if bridge:
            struct.pack_into("<HH", space, SUBSYSTEM_AT + 4, *subsystem)
    if express and size == 4096:
        at = 0x100
        for i, (kind, body) in enumerate(extended):
            end = (at + 4 + len(body) + 15) // 16 * 16
            struct.pack_into("<I", space, at, kind | 1 << 16 | (end << 20 if i + 1 < len(extended) else 0))
            space[at + 4:at + 4 + len(body)] = body
            at = end
    return bytes(space)


def express_capability(space, at, kind, capable=(32.0, 16), current=(32.0, 16), target=None, payload=(512, 256), request=512,
                       aspm=("L1", "off"), relaxed=True, extended_tag=True, ten_bit=(True, True, True), equalized=True,
                       retimer=None, retrained=False, virtual=False):
    """ten_bit: (answers, asks, does ask); retimer: None where the port cannot see one."""
    struct.pack_into("<H", space, at + 2, 2 | PORT_CODE[kind] << 4)
    struct.pack_into("<I", space, at + 4, payload_code(payload[0]) | (0x20 if extended_tag else 0))
    struct.pack_into("<I", space, at + 0x24, ten_bit[0] << 16 | ten_bit[1] << 17)
    upper = kind in ("root", "downstream")
    if kind != "integrated":
        struct.pack_into("<I", space, at + 0x0C, SPEED_CODE[capable[0]] | capable[1] << 4 | ASPM_CODE[aspm[0]] << 10 | (3 << 20 if upper else 0))
        struct.pack_into("<I", space, at + 0x2C, 1 << 23 if retimer is not None else 0)
    if virtual:
        return  # its control and status registers are reserved
    control = payload_code(payload[1]) << 5 | payload_code(request) << 12
    struct.pack_into("<H", space, at + 8, control | (0x10 if relaxed else 0) | (0x100 if extended_tag else 0))
    struct.pack_into("<H", space, at + 0x28, ten_bit[2] << 12)
    if kind == "integrated":
        return
    status = SPEED_CODE.get(current[0], 1) | current[1] << 4
    if upper:
        status |= (0x2000 if current[1] else 0) | (0x4000 if retrained else 0)
    struct.pack_into("<H", space, at + 0x10, ASPM_CODE[aspm[1]])
    struct.pack_into("<H", space, at + 0x12, status)
    struct.pack_into("<H", space, at + 0x30, SPEED_CODE[target or capable[0]])
    struct.pack_into("<H", space, at + 0x32, (0x1E if equalized else 0) | (0x40 if retimer else 0))


def payload_code(size):
    return (size // 128).bit_length() - 1


# ---- extended capabilities: (id, body behind the header) ----


def aer():
    return 0x0001, bytes(0x44)


def serial_number(number):
    """A number like 0x0011223344556677, which is shown with its highest byte first."""
    return 0x0003, struct.pack("<Q", number)


def acs(capability, control):
    return 0x000D, struct.pack("<HH", capability, control)


def ats(enabled):
    return 0x000F, struct.pack("<HH", 0x0020, 0x8000 if enabled else 0)


def sriov():
    return 0x0010, bytes(0x3C)


def resizable_bar(index, size, largest):
    """Sizes in bytes; every power of two up to the largest is offered."""
    largest_code, code = (largest // MIB).bit_length() - 1, (size // MIB).bit_length() - 1
    return 0x0015, struct.pack("<II", ((2 << largest_code) - 1) << 4 & 0xFFFFFFFF, index | 1 << 5 | code << 8)


def downstream_containment(triggered=False):
    return 0x001D, struct.pack("<HHH", 0, 0, 1 if triggered else 0) + bytes(6)


def physical_layers(equalized=True):
    return [(0x0026, struct.pack("<III", 0, 0, 0xF if equalized else 0) + bytes(16)),
            (0x002A, struct.pack("<III", 0, 0, 0xF if equalized else 0) + bytes(16))]


# ---- the kernel's files ----

CORRECTABLE = ["RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout", "NonFatalErr", "CorrIntErr", "HeaderOF"]
UNCORRECTABLE = ["Undefined", "DLP", "SDES", "TLP", "FCP", "CmpltTO", "CmpltAbrt", "UnxCmplt", "RxOF", "MalfTLP", "ECRC", "UnsupReq"]


def aer_files(counts):
    files = {}
    for name, total, kinds in [("correctable", "TOTAL_ERR_COR", CORRECTABLE), ("fatal", "TOTAL_ERR_FATAL", UNCORRECTABLE),
                               ("nonfatal", "TOTAL_ERR_NONFATAL", UNCORRECTABLE)]:
        own = {kind: counts.get(kind, 0) if name != "fatal" else 0 for kind in kinds}
        lines = [f"{kind} {count}" for kind, count in own.items()] + [f"{total} {sum(own.values())}"]
        files[f"aer_dev_{name}"] = "\n".join(lines)
    return files


def resource(bars):
    """bars: {index: (size, kind)}, or (size, kind, False) for one without an address."""
    lines = []
    for index in range(13):
        size, kind, assigned = (*bars[index], True)[:3] if index in bars else (0, None, False)
        start = (index + 1) << 40 if assigned else 0
        lines.append(f"0x{start:016x} 0x{start + size - 1 if size else 0:016x} 0x{BAR_FLAGS[kind] if kind else 0:016x}")
    return "\n".join(lines)


def vpd(product, part_number, serial):
    def large(tag, body):
        return struct.pack("<BH", tag, len(body)) + body

    fields = b"".join(name + bytes([len(text)]) + text.encode() for name, text in
                      [(b"PN", part_number), (b"EC", "A7"), (b"SN", serial), (b"V3", "0" * 32)])
    return large(0x82, product.encode()) + large(0x90, fields) + b"\x78"


class Pci:
    """Adds functions to a machine, each below its parent."""

    def __init__(self, machine, newer_names=True):
        self.machine, self.paths, self.newer_names = machine, {}, newer_names
        self.expresses = {}

    def add(self, address, vendor, device, class_code, parent=None, driver=None, numa=-1, group=None, slot=None, bars=None, errors=None,
            power="on", vpd_bytes=None, functions=None, physical=None, **config):
        """errors: AER counts, shown when the function has AER; functions: (number of virtual functions, most of them);
        physical: the address of the function that a virtual one belongs to."""
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
        space = config_space(vendor, device, class_code, vpd=vpd_bytes is not None, virtual=physical is not None, **config)
        self.machine.folder(folder, {"uevent": "\n".join(uevent), "config": space, "numa_node": numa,
                                     "resource": resource(bars or {}), "power_state": "D0", "power/control": power,
                                     "vpd": vpd_bytes})
        if any(kind == 0x0001 for kind, _ in config.get("extended", ())):
            self.machine.folder(folder, aer_files(errors or {}))
        if functions:
            self.machine.folder(folder, {"sriov_numvfs": functions[0], "sriov_totalvfs": functions[1]})
        if physical:
            self.machine.links[f"{folder}/physfn"] = f"../{physical}"
        if group is not None:
            self.machine.links[f"{folder}/iommu_group"] = f"../../../kernel/iommu_groups/{group}"
        if slot:
            self.machine.file(f"/sys/bus/pci/slots/{slot}/address", address.rsplit(".", 1)[0])

    def cut(self, size):
        """Without privilege only the first 64 bytes are to be had, and no VPD; the kernel still tells about the link."""
        for address, express in self.expresses.items():
            folder = f"/sys/bus/pci/devices/{address}"
            self.machine.file(f"{folder}/config", self.machine.files[f"{folder}/config"][:size])
            if self.machine.files.pop(f"{folder}/vpd", None):
                self.machine.denied.append(f"{folder}/vpd")
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


# ---- functions that several machines have ----


def bridge(pci, address, kind, parent=None, current=(32.0, 16), capable=(32.0, 16), serial=None, control=0, ids=(0x1000, 0xC030),
           triggered=False, retimer=None, retrained=False, aspm=("L1", "off"), **place):
    """A port of a switch or of the root complex, with everything that such a port has."""
    extended = [aer(), acs(0x5F, control)]
    if serial:
        extended.append(serial_number(serial))
    if kind != "upstream":
        extended.append(downstream_containment(triggered))
    pci.add(address, *ids, 0x060400, parent=parent, driver="pcieport", bridge=True, subsystem=(ids[0], 0x100),
            express={"kind": kind, "capable": capable, "current": current, "request": 128, "retimer": retimer, "retrained": retrained,
                     "aspm": aspm}, extended=extended + physical_layers(), **place)


def accelerator(pci, address, parent, ids, class_code, driver, current=(32.0, 16), capable=(32.0, 16), memory=64 * GIB, offered=None,
                payload=256, **rest):
    """A GPU with a large resizable BAR."""
    pci.add(address, *ids, class_code, parent=parent, driver=driver, subsystem=(ids[0], 0x1),
            bars={0: (16 * MIB, "memory64"), 2: (memory, "prefetchable64")},
            express={"kind": "endpoint", "capable": capable, "current": current, "payload": (256, payload)},
            extended=[aer(), resizable_bar(2, memory, offered or memory), ats(False)] + physical_layers(), **rest)


def network_card(pci, address, parent, ids=(0x15B3, 0x1021), serial="EX0000", request=4096, current=(32.0, 16), payload=256, driver="mlx5_core", **rest):
    pci.add(address, *ids, 0x020000, parent=parent, driver=driver, subsystem=(ids[0], 0x60),
            bars={0: (32 * MIB, "prefetchable64"), 6: (1 * MIB, "memory32")},
            express={"kind": "endpoint", "current": current, "payload": (512, payload), "request": request},
            extended=[aer(), sriov()] + physical_layers(), functions=rest.pop("functions", (0, 16)),
            vpd_bytes=vpd("Example 400G adapter, one port", "EX-NIC-400", serial), **rest)

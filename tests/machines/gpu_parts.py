# SPDX-License-Identifier: Apache-2.0
"""What a GPU vendor's management library and tool say of invented machines (see more_machines.py)."""

import json

PROGRAM = "/proc/self/exe"
FLAG = "--internal-management-facts"


def library(machine, name, versions, gpus):
    """The answer of the child that asks a library: parts between two bytes 0x1e."""
    parts = [{"versions": {key: {"version": version, "path": path} for key, (version, path) in versions.items()}}]
    parts += [{"gpus": [gpu]} for gpu in gpus]
    machine.command([PROGRAM, FLAG, name], "".join(f"\x1e{json.dumps(part)}\n\x1e" for part in parts))


def uuid(number):
    return f"GPU-00000000-1111-2222-3333-{number:012d}"


def metax_gpu(index, address, peers):
    """A C500 with a MetaXLink of 16 lanes to each of `peers`."""
    links = [{"index": i, "state": "up", "lanes": 16, "gt_s": 32.0, "remote": peer, "remote_kind": "gpu"} for i, peer in enumerate(peers)]
    return {"address": address, "vendor": "metax", "index": index, "model": "MXC500", "uuid": uuid(index), "serial": f"EXM{index:07d}",
            "vbios": "1.30.0.0", "memory_bytes": 64 << 30, "memory_used_bytes": 900 << 20, "ecc": True, "ecc_uncorrected": 0,
            "core_mhz": 1200, "temperature_c": 41.5, "power_w": 92.0, "persistence": True, "partitioned": False, "links": links}


def nvidia_gpu(index, address, switches, links_each):
    """A GPU with NVLinks to NVSwitches, `links_each` to each."""
    remotes = [switch for switch, count in zip(switches, links_each) for _ in range(count)]
    links = [{"index": i, "state": "up", "gbyte_s": 26.562, "remote": remote, "remote_kind": "switch"} for i, remote in enumerate(remotes)]
    return {"address": address, "vendor": "nvidia", "index": index, "model": "NVIDIA H100 80GB HBM3", "uuid": uuid(100 + index),
            "serial": f"16540000{index:05d}", "vbios": "96.00.74.00.0D", "memory_bytes": 80 << 30, "memory_used_bytes": 1 << 20, "ecc": True,
            "ecc_pending": True, "remap_pending": False, "core_mhz": 345, "core_max_mhz": 1980, "throttle_reasons": ["gpu_idle"],
            "temperature_c": 31.0, "power_w": 71.3, "power_limit_w": 700.0, "power_limit_default_w": 700.0, "persistence": True,
            "compute_mode": "default", "partitioned": False, "links": links}


def matrix(machine, program, names, cell, tail):
    """`topo -m`: cell(i, j) for each pair; `tail` is the end of each row and of the head."""
    head, rows = tail
    lines = ["\t" + "\t".join(names) + "\t" + head]
    for i, name in enumerate(names):
        lines.append(name + "\t" + "\t".join(" X " if i == j else cell(i, j) for j in range(len(names))) + "\t" + rows(i))
    machine.command([program, "topo", "-m"], "\n".join(lines) + "\n\nLegend:\n\n  X    = Self\n")

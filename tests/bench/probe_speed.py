#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long probe takes beside the tools that tell the same: a benchmark, not a test. Run as root.

    probe_speed.py --gpuadapt PATH/gpuadapt [--rounds 20] [--devices 300]

Alternates `gpuadapt probe --json` with `dmidecode; lscpu; lspci -vvv` one after the other and prints the medians and
their ratio (at most 1.0). Then makes a recording of that many PCI functions and prints how long the probe of it takes
beyond the start of the program (at most 150 ms). Status 1 when one is missed. Build with the preset release.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

MOST_RATIO = 1.0
MOST_MS = 150
TOOLS = [["dmidecode"], ["lscpu"], ["lspci", "-vvv"]]


def measure(commands):
    """Milliseconds that the commands take one after the other."""
    begin = time.monotonic()
    for command in commands:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return (time.monotonic() - begin) * 1000


def compare(first, second, rounds):
    """Medians of two lists of commands that take turns, so that what else the machine does meets both."""
    times = ([], [])
    for _ in range(rounds):
        times[0].append(measure(first))
        times[1].append(measure(second))
    return statistics.median(times[0]), statistics.median(times[1])


def make_recording(path, devices):
    """Root ports, each with a GPU or network card below it."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "machines"))
    sys.dont_write_bytecode = True
    import more_machines  # noqa: E402
    import pci_parts  # noqa: E402
    machine, pci = more_machines.server("many", "Many devices")
    for i in range(devices // 2):
        root, end = f"{i // 120:04x}:{i % 120 * 2:02x}:01.0", f"{i // 120:04x}:{i % 120 * 2 + 1:02x}:00.0"
        pci_parts.bridge(pci, root, "root", numa=0)
        if i % 4:
            more_machines.c500(pci, end, root, numa=0)
        else:
            pci_parts.network_card(pci, end, root, numa=0)
    machine.save(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpuadapt", required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--devices", type=int, default=300)
    options = parser.parse_args()
    probe = [options.gpuadapt, "probe", "--json"]
    measure([probe] + TOOLS)  # files into the page cache
    ours, tools = compare([probe], TOOLS, options.rounds)
    print(f"probe --json               {ours:8.1f} ms")
    print(f"dmidecode; lscpu; lspci    {tools:8.1f} ms")
    print(f"ratio                      {ours / tools:8.2f} (at most {MOST_RATIO})")
    with tempfile.TemporaryDirectory() as folder:
        recording = str(pathlib.Path(folder) / "many.tar.gz")
        make_recording(recording, options.devices)
        start, whole = compare([[options.gpuadapt, "--version"]], [probe + ["--from", recording]], options.rounds)
    print(f"{options.devices} recorded PCI functions {whole - start:8.1f} ms (at most {MOST_MS})")
    return 0 if ours <= MOST_RATIO * tools and whole - start <= MOST_MS else 1


if __name__ == "__main__":
    sys.exit(main())

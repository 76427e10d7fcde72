#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A log in the guide's form becomes a workbook: the guide's script and gpuadapt beside each other, in one run.

    report_speed.py --script perf_to_xlsx.py --bench PATH/report_bench [--gpuadapt PATH/gpuadapt] [--size 4M]

Prints wall time and peak memory (ru_maxrss of the child) of both. Status 1 when gpuadapt is less than 20 times faster
or takes more than 64 MiB. Build with the preset release: report_bench belongs to the tests (-DBUILD_TESTING=ON).
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

FASTER = 20
MEMORY_MIB = 64


def measure(command):
    """Seconds and MiB of a child, by wait4."""
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.execv(command[0], command)
    _, status, usage = os.wait4(child, 0)
    seconds = time.monotonic() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)} ends with status {os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_maxrss / 1024


def best(command, repeats):
    """The fastest of several runs: what else the machine does only adds."""
    return min(measure(command) for _ in range(repeats))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--gpuadapt", help="measure the program itself instead of report_bench")
    parser.add_argument("--size", default="4M")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        log, ours, theirs = str(folder / "test.txt"), str(folder / "ours.xlsx"), str(folder / "guide.xlsx")
        measure([options.bench, "--make", options.size, log])
        if options.gpuadapt:
            command = [options.gpuadapt, "report", "--log-file", log, "--out-file", ours]
        else:
            command = [options.bench, log, ours]
        own_seconds, own_memory = best(command, options.repeats)
        script_seconds, script_memory = best([sys.executable, options.script, "--log-file", log, "--out-file", theirs], 1)
        print(f"log      {os.path.getsize(log) / 1e6:8.2f} MB")
        print(f"script   {script_seconds:8.3f} s {script_memory:8.1f} MiB")
        print(f"gpuadapt {own_seconds:8.3f} s {own_memory:8.1f} MiB")
        print(f"{script_seconds / own_seconds:.1f} times faster")
    return 0 if script_seconds >= FASTER * own_seconds and own_memory <= MEMORY_MIB else 1


if __name__ == "__main__":
    sys.exit(main())

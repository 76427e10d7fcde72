#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our host collectives and the OSU micro-benchmarks 7.5 beside each other, by OSU's method, on the same two cores.

    osu_compare.py --osu DIR --bench PATH/osu_bench [--mpirun mpirun] [--runs 5] [--max 1M]

DIR holds osu_allreduce, osu_allgather and osu_alltoall, built against the Open MPI of `mpirun`. The programs alternate;
for each size the ratio of the two p50 is taken in each run, and its median counts. Status 1 when a median is above 1.05
and the median difference above 50 ns. The last column is OSU against itself (its slowest run over its fastest): where it
is wide, as at the edge of a cache, whose hit rate depends on the pages that a process happens to get, a ratio says
nothing about the method. It checks the method (what is inside the time, and how often), not the speed of
MPI, so it wants a machine without other load; build with the preset release and -DBUILD_TESTING=ON.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

RATIO = 1.05
DIFFERENCE_US = 0.050
COLLECTIVES = {"all_reduce": "osu_allreduce", "all_gather": "osu_allgather", "alltoall": "osu_alltoall"}


def run(mpirun, command):
    environment = dict(os.environ, LC_ALL="C")
    if os.geteuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    launch = [mpirun, "-n", "2", "--map-by", "core", "--bind-to", "core", *command]
    done = subprocess.run(launch, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(launch)} ended with status {done.returncode}:\n{done.stderr}")
    return done.stdout


def osu_p50(text):
    """Size -> microseconds, from the column that the header calls P50."""
    column = None
    result = {}
    for line in text.splitlines():
        if line.startswith("# Size"):
            names = line[1:].replace(" Latency(us)", "").replace(" Tail Lat(us)", "").split()
            column = next((i for i, name in enumerate(names) if name.startswith("P50")), None)
        elif line and not line.startswith("#") and column is not None:
            words = line.split()
            result[int(words[0])] = float(words[column])
    if not result:
        sys.exit("no P50 column in the output of OSU; is it 7.4 or newer?\n" + text)
    return result


def our_p50(text):
    return {int(size): float(time) for size, time in (line.split() for line in text.splitlines())}


def compare(arguments, name):
    pairs = {}
    for _ in range(arguments.runs):
        program = arguments.osu / COLLECTIVES[name]
        theirs = osu_p50(run(arguments.mpirun, [str(program), "-z", "50", "-m", f"1:{arguments.max}"]))
        ours = our_p50(run(arguments.mpirun, [str(arguments.bench), name, str(arguments.max)]))
        for size in sorted(theirs.keys() & ours.keys()):
            pairs.setdefault(size, []).append((theirs[size], ours[size]))
    bad = 0
    print(f"{name}: p50 in us, median of {arguments.runs} runs")
    print(f"{'size':>9} {'OSU':>10} {'ours':>10} {'ratio':>7} {'difference':>11} {'OSU spread':>11}")
    for size, both in pairs.items():
        ratio = statistics.median(ours / theirs for theirs, ours in both)
        difference = statistics.median(ours - theirs for theirs, ours in both)
        fine = ratio <= RATIO or difference <= DIFFERENCE_US
        bad += not fine
        spread = max(t for t, _ in both) / min(t for t, _ in both)
        print(
            f"{size:>9} {statistics.median(t for t, _ in both):>10.2f} {statistics.median(o for _, o in both):>10.2f} "
            f"{ratio:>7.3f} {difference:>+11.3f} {spread:>11.3f}{'' if fine else '  <-- above the limit'}"
        )
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--osu", type=pathlib.Path, required=True)
    parser.add_argument("--bench", type=pathlib.Path, required=True)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--max", type=int, default=1 << 20, help="largest size in bytes")
    parser.add_argument("--only", choices=COLLECTIVES, help="one collective")
    arguments = parser.parse_args()
    names = [arguments.only] if arguments.only else list(COLLECTIVES)
    bad = sum(compare(arguments, name) for name in names)
    print(f"{bad} sizes above the limit" if bad else "all sizes within the limit")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

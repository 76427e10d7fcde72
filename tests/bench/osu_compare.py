#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our host collectives and the OSU micro-benchmarks 7.5 beside each other, by OSU's method, on the same two cores.

    osu_compare.py --osu DIR --bench PATH/osu_bench [--mpirun mpirun] [--runs 5] [--more 15] [--starts 5] [--max 1M]

DIR holds osu_allreduce, osu_allgather and osu_alltoall, built against the Open MPI of `mpirun`. The programs alternate;
for each size the ratio of the two p50 is taken in each run, and its median counts. Status 1 when a median is above 1.05
and the median difference above 50 ns. At the edge of a cache a process draws its speed with the memory that it gets,
up to a factor of two, and keeps it to its end; both programs draw alike, and single starts would compare the draws. So a
run is the best of a few starts of each program, and sizes above the limit are said to be so only if they still are with
the runs of --more. The last columns are the number of runs, and OSU against itself, its slowest start over its fastest.
It checks the method (what is inside the time, and how often), not the speed of MPI, so it wants a machine without other
load; build with the preset release and -DBUILD_TESTING=ON.
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


def best(starts):
    """The smallest p50 of each size."""
    return {size: min(start[size] for start in starts) for size in starts[0]}


class Comparison:
    """The runs of one collective: for each size the pairs of p50, and all that OSU showed."""

    def __init__(self, arguments, name):
        self.arguments = arguments
        self.osu = [str(arguments.osu / COLLECTIVES[name]), "-z", "50", "-m", f"1:{arguments.max}"]
        self.own = [str(arguments.bench), name, str(arguments.max)]
        self.pairs = {}
        self.seen = {}

    def measure(self, runs):
        for _ in range(runs):
            theirs, ours = [], []
            for _ in range(self.arguments.starts):
                theirs.append(osu_p50(run(self.arguments.mpirun, self.osu)))
                ours.append(our_p50(run(self.arguments.mpirun, self.own)))
            for size in sorted(theirs[0].keys() & ours[0].keys()):
                self.pairs.setdefault(size, []).append((best(theirs)[size], best(ours)[size]))
                self.seen.setdefault(size, []).extend(start[size] for start in theirs)

    def median(self, size, of):
        return statistics.median(of(theirs, ours) for theirs, ours in self.pairs[size])

    def fine(self, size):
        ratio = self.median(size, lambda theirs, ours: ours / theirs)
        return ratio <= RATIO or self.median(size, lambda theirs, ours: ours - theirs) <= DIFFERENCE_US

    def above(self):
        return [size for size in self.pairs if not self.fine(size)]

    def line(self, size):
        seen = self.seen[size]
        return (
            f"{size:>9} {self.median(size, lambda theirs, ours: theirs):>10.2f} "
            f"{self.median(size, lambda theirs, ours: ours):>10.2f} "
            f"{self.median(size, lambda theirs, ours: ours / theirs):>7.3f} "
            f"{self.median(size, lambda theirs, ours: ours - theirs):>+11.3f} "
            f"{len(self.pairs[size]):>5} {max(seen) / min(seen):>11.3f}"
            f"{'' if self.fine(size) else '  <-- above the limit'}"
        )


def compare(arguments, name):
    found = Comparison(arguments, name)
    found.measure(arguments.runs)
    print(f"{name}: p50 in us, median of the runs, a run the best of {arguments.starts} starts")
    print(f"{'size':>9} {'OSU':>10} {'ours':>10} {'ratio':>7} {'difference':>11} {'runs':>5} {'OSU spread':>11}")
    for size in found.pairs:
        print(found.line(size), flush=True)
    doubtful = found.above()
    if doubtful and arguments.more > 0:
        print(f"again, with {arguments.more} runs more:", flush=True)
        found.measure(arguments.more)
        for size in doubtful:
            print(found.line(size), flush=True)
    return sum(not found.fine(size) for size in doubtful)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--osu", type=pathlib.Path, required=True)
    parser.add_argument("--bench", type=pathlib.Path, required=True)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--more", type=int, default=15, help="further runs where a size is above the limit")
    parser.add_argument("--starts", type=int, default=5, help="starts of each program in a run")
    parser.add_argument("--max", type=int, default=1 << 20, help="largest size in bytes")
    parser.add_argument("--only", choices=COLLECTIVES, help="one collective")
    arguments = parser.parse_args()
    names = [arguments.only] if arguments.only else list(COLLECTIVES)
    bad = sum(compare(arguments, name) for name in names)
    print(f"{bad} sizes above the limit" if bad else "all sizes within the limit")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

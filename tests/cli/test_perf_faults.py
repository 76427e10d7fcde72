#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`perf` when something goes wrong: the cause is named, the exit status fits, and no finished point is lost."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

from support import (LONG_SWEEP, OK, PROGRAM, TOOL, USAGE, CliTest, descendants, environment, main, processes,
                     read_log, rows_of, schema_errors)

SMALL = ("perf", "--backend", "host", "--gpus", "2", "--ops", "all_reduce", "-b", "8", "-e", "8", "-n", "2")


class MidSweep(CliTest):
    """A sweep is under way and has finished some points."""

    def begin(self, *more, program=None):
        self.child = self.start_program(*LONG_SWEEP, *more, "--out", "run.json", program=program)
        self.wait_until(lambda: len(self.finished_points()) >= 3 or self.child.poll() is not None, "three points")
        self.assertIsNone(self.child.poll(), pathlib.Path(self.path("stderr")).read_text(errors="replace"))
        self.family = descendants(self.child.pid)

    def finished_points(self):
        """Rows that stand in the log, whole lines only."""
        text = pathlib.Path(self.path("stdout")).read_text(encoding="utf-8")
        text = text[: text.rfind("\n") + 1]
        tables = read_log(text)
        return [row["size"] for table in tables for row in table.rows]

    def ranks(self):
        return sorted(pid for pid, command in self.family.items() if os.path.realpath(PROGRAM) in
                      (os.path.realpath(command[0]) if command and command[0] else "",))

    def check_end(self, result, status=TOOL):
        self.assert_status(result, status)
        self.assertLess(result.seconds, 15)
        record = self.read_record("run.json")
        self.assertEqual(schema_errors(record), [])
        kept = [row["size_bytes"] for table in record["tables"] for row in rows_of(table)]
        self.assertGreaterEqual(len(kept), 3)
        log = pathlib.Path(self.path("stdout")).read_text(encoding="utf-8")
        self.assertNotRegex(log.rsplit("----", 1)[-1], "Avg bus bandwidth|concluded", "a cut log has no footer")
        self.assertEqual(kept[: len(self.finished_points())], self.finished_points())
        self.assertEqual(record["finished"], "")
        self.wait_until(lambda: not self.left_over(), "all processes of the run have gone", 10)
        return record

    def left_over(self):
        table = processes()
        return [pid for pid, command in self.family.items() if pid in table and table[pid][2] == command]

    def test_killed_rank(self):
        self.begin()
        ranks = self.ranks()
        self.assertEqual(len(ranks), 2, self.family)
        number = rank_number(ranks[1])
        os.kill(ranks[1], signal.SIGKILL)
        result = self.finish(self.child, 20)
        record = self.check_end(result)
        self.assert_says(result, rf"rank {number}\b", "signal 9|killed")
        failures = [finding["subject"] for finding in record["findings"] if finding["severity"] == "failure"]
        self.assertIn(f"rank {number}", failures)

    def test_interrupts(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                self.begin()
                os.kill(self.child.pid, number)
                result = self.finish(self.child, 20)
                self.check_end(result)
                self.assert_says(result, number.name)

    def test_what_nohup_ignores_does_not_stop_it(self):
        self.begin(program=["nohup", PROGRAM])
        points = len(self.finished_points())
        os.kill(self.child.pid, signal.SIGHUP)
        self.wait_until(lambda: len(self.finished_points()) >= points + 3 or self.child.poll() is not None, "it goes on")
        self.assertIsNone(self.child.poll(), pathlib.Path(self.path("stderr")).read_text(errors="replace"))
        os.kill(self.child.pid, signal.SIGTERM)
        result = self.finish(self.child, 20)
        self.check_end(result)
        self.assert_says(result, "SIGTERM")

    def test_ctrl_c_reaches_the_whole_group(self):
        self.begin()
        os.killpg(self.child.pid, signal.SIGINT)
        result = self.finish(self.child, 20)
        self.check_end(result)
        self.assert_says(result, "SIGINT")

    def test_stopped_rank_runs_into_the_limit(self):
        """It is named, not one that waited for it, and it is gone at the end."""
        for index in (0, 1):
            with self.subTest(index=index):
                self.begin("--timeout", "3")
                stopped = self.ranks()[index]
                number = rank_number(stopped)
                os.kill(stopped, signal.SIGSTOP)
                result = self.finish(self.child, 40)
                record = self.check_end(result)
                failures = [finding for finding in record["findings"] if finding["severity"] == "failure"]
                self.assertEqual([(finding["check"], finding["subject"]) for finding in failures],
                                 [("perf.timeout", f"rank {number}")])
                host = record["launch"]["ranks"][number]["host"]
                self.assert_says(result, rf"time limit.*rank {number} \(host {host}\) did not arrive in time")
                self.assertNotRegex(result.err, "died|host *:")

    def test_mpirun_is_killed(self):
        self.begin()
        mpirun = next(pid for pid, command in self.family.items() if os.path.basename(command[0]) in
                      ("mpirun", "orterun", "prterun"))
        os.kill(mpirun, signal.SIGKILL)
        result = self.finish(self.child, 20)
        self.check_end(result)
        self.assert_says(result, "mpirun")

    def test_we_are_killed_ourselves(self):
        """Nothing can be written any more, but every point is in the .part file, which `report` takes."""
        self.begin()
        os.kill(self.child.pid, signal.SIGKILL)
        self.child.wait()
        self.wait_until(lambda: not self.left_over(), "ranks do not outlive the program", 20)
        self.check_points_by_report()
        self.run_program("report", "--record", "run.json", "--out-file", "r.xlsx")
        self.assertTrue((self.folder / "r.xlsx").exists())

    def begin_under_a_foreign_mpirun(self, *more):
        sweep = list(LONG_SWEEP)
        del sweep[sweep.index("--gpus"): sweep.index("--gpus") + 2]
        self.child = self.start_program(PROGRAM, *sweep, *more, "--out", "run.json",
                                        program=[shutil.which("mpirun"), "--oversubscribe", "-n", "2"])
        self.wait_until(lambda: len(self.finished_points()) >= 3 or self.child.poll() is not None, "three points")
        self.family = descendants(self.child.pid)

    def test_hanging_rank_under_a_foreign_mpirun(self):
        """What rank 0 says of it last stands in the record itself."""
        self.begin_under_a_foreign_mpirun("--timeout", "4")
        os.kill(next(pid for pid in self.ranks() if rank_number(pid) == 1), signal.SIGSTOP)
        result = self.finish(self.child, 30)
        self.assertNotEqual(result.status, OK)
        self.assert_says(result, "has taken more than 4 s")
        record = self.read_record("run.json")
        self.assertIn("perf.timeout", [finding["check"] for finding in record["findings"]])
        self.assertFalse((self.folder / "run.json.part").exists())
        self.wait_until(lambda: not self.left_over(), "all processes of the run have gone", 10)

    def test_under_a_foreign_mpirun_the_record_is_kept(self):
        """mpirun gives a rank less than a second between SIGTERM and SIGKILL; the points are on disk before that."""
        self.begin_under_a_foreign_mpirun()
        os.kill(self.child.pid, signal.SIGTERM)
        result = self.finish(self.child, 20)
        self.assertNotEqual(result.status, OK)
        self.wait_until(lambda: not self.left_over(), "all processes of the run have gone", 10)
        self.check_points_by_report()

    def check_points_by_report(self):
        points = self.finished_points()
        record = json.loads(self.run_program("report", "--record", "run.json", "--json").out)
        self.assertEqual(schema_errors(record), [])
        kept = [row["size_bytes"] for table in record["tables"] for row in rows_of(table)]
        self.assertGreaterEqual(len(kept), 3)
        self.assertEqual(kept[: len(points)], points)


def rank_number(pid):
    for entry in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
        name, _, value = entry.partition(b"=")
        if name in (b"OMPI_COMM_WORLD_RANK", b"PMIX_RANK"):
            return int(value)
    raise AssertionError("the process is no rank")


class Launcher(CliTest):
    def test_no_mpirun(self):
        result = self.run_program(*SMALL, env=environment(PATH=self.folder_of_programs("env", "sh")))
        self.assert_status(result, TOOL)
        self.assert_says(result, "mpirun", "openmpi-bin|install", "--mpirun")

    def test_without_path_it_looks_in_the_usual_folders(self):
        """env -i, some services: mpirun is found, and itself finds what it starts."""
        for more in ((), ("--mpirun", shutil.which("mpirun"))):
            with self.subTest(more=more):
                self.run_ok(*SMALL, *more, "--out", "run.json", env=environment(PATH=None))
                self.assertTrue(self.read_record("run.json")["finished"])

    def test_mpirun_that_does_not_exist(self):
        result = self.run_program(*SMALL, "--mpirun", self.path("nothing"))
        self.assert_status(result, USAGE)
        self.assert_says(result, "--mpirun", "nothing")

    def test_another_mpis_mpirun(self):
        mpirun = self.script("mpirun", 'echo "HYDRA build details: Version: 4.0.2"\n')
        result = self.run_program(*SMALL, "--mpirun", mpirun)
        self.assertIn(result.status, (USAGE, TOOL))
        self.assert_says(result, "Open MPI")

    def test_mpirun_that_cannot_start(self):
        """Its version is fine, then it fails: the reason it gives must reach the user."""
        mpirun = self.script("mpirun", 'case "$1" in --version|-V) echo "mpirun (Open MPI) 4.1.4"; exit 0;; esac\n'
                                       'echo "mpirun: the frobnicator is missing" >&2; exit 213\n')
        result = self.run_program(*SMALL, "--mpirun", mpirun, "--out", "run.json")
        self.assert_status(result, TOOL)
        self.assert_says(result, "213|frobnicator")
        self.assertEqual(schema_errors(self.read_record("run.json")), [])

    def test_mpirun_that_hangs(self):
        mpirun = self.script("mpirun", 'case "$1" in --version|-V) echo "mpirun (Open MPI) 4.1.4"; exit 0;; esac\n'
                                       "trap '' TERM; sleep 300 & wait; wait\n")
        child = self.start_program(*SMALL, "--mpirun", mpirun, "--out", "run.json")
        self.wait_until(lambda: len(descendants(child.pid)) >= 1, "mpirun was started")
        os.kill(child.pid, signal.SIGTERM)
        result = self.finish(child, 15)
        self.assert_status(result, TOOL)
        self.assert_says(result, "SIGTERM")

    def test_mpirun_that_is_ended_with_us(self):
        """A batch system signals all processes of a job at once: mpirun's end is then no riddle."""
        mpirun = self.script("mpirun", 'case "$1" in --version|-V) echo "mpirun (Open MPI) 4.1.4"; exit 0;; esac\n'
                                       "kill -TERM $PPID; exit 1\n")
        for out in ("a.json", "b.json", "c.json"):
            result = self.run_program(*SMALL, "--mpirun", mpirun, "--out", out)
            self.assert_status(result, TOOL)
            self.assert_says(result, "interrupted by SIGTERM")
            self.assertIn("perf.interrupted", [finding["check"] for finding in self.read_record(out)["findings"]])

    def test_several_processes_that_cannot_find_each_other(self):
        """Started by another MPI's launcher, N processes would each measure as rank 0 of 1."""
        result = self.run_program(*SMALL, env=environment(PMI_RANK="0", PMI_SIZE="2"))
        self.assert_status(result, USAGE)
        self.assert_says(result, "mpirun|srun")

    def test_rank_that_finds_none_of_the_others(self):
        """Its launcher announced two ranks, but MPI cannot reach it and makes a group of one."""
        result = self.run_program(*SMALL[:3], *SMALL[5:], "--out", "run.json",
                                  env=environment(OMPI_COMM_WORLD_SIZE="2"))
        self.assert_status(result, TOOL)
        self.assert_says(result, "started 2 ranks", "--mpi=pmix")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_mistake_under_a_foreign_mpirun_is_said_once(self):
        result = self.run_program(PROGRAM, *SMALL, "--gpus", "3", "--out", "run.json",
                                  program=[shutil.which("mpirun"), "--oversubscribe", "-n", "2"])
        self.assert_status(result, USAGE)
        self.assertEqual(result.err.count("the launcher started 2 ranks"), 1, str(result))


class Output(CliTest):
    def test_place_that_cannot_be_written(self):
        for place in ("missing/run.json", "/proc/run.json", "."):
            with self.subTest(place=place):
                result = self.run_program(*SMALL, "--out", place)
                self.assert_status(result, USAGE)
                self.assert_says(result, re.escape(place))
                self.assertEqual(result.out, "", "nothing is measured that could not be kept")

    def test_full_device(self):
        result = self.run_program(*SMALL, "--out", "/dev/full")
        self.assert_status(result, TOOL)
        self.assert_says(result, "/dev/full", "No space left")

    def test_full_stdout(self):
        with open("/dev/full", "wb") as full:
            result = self.run_program(*SMALL, "--out", "run.json", stdout=full)
        self.assert_status(result, TOOL)
        self.assert_says(result, "stdout", "No space left")

    def test_full_disk(self):
        """The disk fills in mid-sweep: the cause is named, and what was written is still a readable record."""
        self.small_disk("256k")
        sweep = "perf --backend host --gpus 2 --ops all -b 8 -e 1M -n 2 -d all --out small/run.json"
        result = self.run_program(*sweep.split())
        self.assert_status(result, TOOL)
        self.assert_says(result, "small/run.json", "No space left")
        taken = self.run_program("report", "--record", "small/run.json", "--json")
        self.assertIn('"size_bytes"', taken.out, str(taken))

    def test_rerun_keeps_the_earlier_record(self):
        self.run_ok(*SMALL, "--out", "run.json")
        first = self.read_record("run.json")["run_id"]
        self.run_ok(*SMALL, "--out", "run.json")
        self.assertNotEqual(self.read_record("run.json")["run_id"], first)
        self.assertEqual(self.read_record("run.json.1")["run_id"], first)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["run.json", "run.json.1"])

    def test_the_sweep_goes_on_when_nobody_reads_the_log(self):
        command = [PROGRAM, *SMALL, "--out", "run.json"]
        process = subprocess.Popen(command, cwd=self.folder, env=environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdout.close()
        with process.stderr:
            process.stderr.read()
        self.assertEqual(process.wait(), OK)
        self.assertTrue(self.read_record("run.json")["finished"])


if __name__ == "__main__":
    main()

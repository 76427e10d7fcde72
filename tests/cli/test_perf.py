#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`perf` over a real Open MPI on host memory: the log, the record and the identities that its numbers must keep."""
import datetime
import json
import math
import os
import shutil
import statistics

from support import (COLLECTIVES, OK, PROGRAM, USAGE, CliTest, environment, half_digit, main, read_log, rows_of,
                     schema_errors, table_of)

HOST = ("perf", "--backend", "host")


def bus_factor(name, n):
    if name == "all_reduce":
        return 2 * (n - 1) / n
    return 1 if name in ("broadcast", "reduce", "sendrecv") else (n - 1) / n


class OneCollective(CliTest):
    """The command that users compare with nccl-tests by hand."""

    def test_identities_of_log_and_record(self):
        result = self.run_ok(*HOST, *"--gpus 2 --ops all_reduce -b 8 -e 4M -f 2 -n 20 --out run.json".split())
        (table,) = read_log(result.out)
        self.assertEqual((table.name, table.ranks, len(table.rows)), ("all_reduce_perf", 2, 20))
        self.assertEqual([row["size"] for row in table.rows], [8 << i for i in range(20)])
        self.check_rows(table)
        self.check_footer(table)
        record = self.read_record("run.json")
        self.assertEqual(schema_errors(record), [])
        self.assertFalse((self.folder / "run.json.part").exists())
        self.check_record(table, table_of(record, "all_reduce", 2), record)

    def check_rows(self, table):
        factor = bus_factor("all_reduce", table.ranks)
        for row in table.rows:
            self.assertEqual((row["type"], row["redop"], row["root"]), ("bfloat16", "sum", -1))
            self.assertEqual(row["count"] * 2, row["size"])
            for half in row["halves"]:
                time, algbw, busbw = (float(half[key]) for key in ("time", "algbw", "busbw"))
                self.assertGreater(time, 0)
                low = row["size"] / (time + half_digit(half["time"])) / 1e3
                high = row["size"] / (time - half_digit(half["time"])) / 1e3
                self.assertGreaterEqual(algbw, low - half_digit(half["algbw"]) - 1e-9, row)
                self.assertLessEqual(algbw, high + half_digit(half["algbw"]) + 1e-9, row)
                self.assertLessEqual(abs(busbw - factor * algbw),
                                     half_digit(half["busbw"]) + factor * half_digit(half["algbw"]) + 1e-9, row)
                self.assertEqual(half["wrong"], "0")

    def check_footer(self, table):
        cells = [float(half["busbw"]) for row in table.rows for half in row["halves"]]
        error = statistics.mean(half_digit(half["busbw"]) for row in table.rows for half in row["halves"])
        self.assertLessEqual(abs(table.average - statistics.mean(cells)), error + 1e-5 * abs(table.average))
        self.assertEqual(table.out_of_bounds, (0, "OK"))

    def check_record(self, log, table, record):
        rows = rows_of(table)
        self.assertEqual([row["size_bytes"] for row in rows], [row["size"] for row in log.rows])
        for row, logged in zip(rows, log.rows):
            for name, half in zip(("out_of_place_", "in_place_"), logged["halves"]):
                self.assertLessEqual(abs(row[name + "time_us"] - float(half["time"])), half_digit(half["time"]) * 1.001)
                self.assertTrue(math.isclose(row[name + "algbw_gb_s"], row["size_bytes"] / row[name + "time_us"] / 1e3,
                                             rel_tol=1e-9))
                self.assertTrue(math.isclose(row[name + "busbw_gb_s"], row[name + "algbw_gb_s"], rel_tol=1e-9))
                self.assertEqual(row[name + "wrong"], 0)
                self.assertEqual(len(row[name + "rank_mean_us"]), 2)
                self.assertTrue(math.isclose(statistics.mean(row[name + "rank_mean_us"]), row[name + "time_us"],
                                             rel_tol=1e-6))
                spread = [row[name + key] for key in ("min_us", "p50_us", "p99_us", "max_us")]
                self.assertEqual(spread, sorted(spread))
                self.assertGreater(row[name + "n"], 0)
        launch = record["launch"]
        self.assertEqual(launch["backend"], "host")
        self.assertIn("Open MPI", launch["mpi_version"])
        self.assertEqual([place["rank"] for place in launch["ranks"]], [0, 1])
        self.assertRegex(record["finished"], r"Z$")


class AllCollectives(CliTest):
    def test_order_rounding_and_both_halves(self):
        result = self.run_ok(*HOST, *"--gpus 1,2,3 --ops all -b 64 -e 8K -f 8 -n 5 -d float --out run.json".split())
        tables = read_log(result.out)
        self.assertEqual([(table.name, table.ranks) for table in tables],
                         [(f"{name}_perf", n) for name in COLLECTIVES for n in (1, 2, 3)])
        for table in tables:
            name = table.name[: -len("_perf")]
            self.assertTrue(table.rows, table.name)
            self.assertEqual(table.out_of_bounds, (0, "OK"))
            for row in table.rows:
                undefined = name in ("alltoall", "sendrecv")
                self.assertEqual([half["wrong"] for half in row["halves"]], ["0", "N/A" if undefined else "0"])
                if name not in ("all_reduce", "broadcast", "reduce", "sendrecv"):
                    self.assertEqual(row["count"] * 4 % 16, 0)
                    self.assertEqual(row["size"], row["count"] * 4 * table.ranks)
        record = self.read_record("run.json")
        self.assertEqual(schema_errors(record), [])
        self.assertEqual(len(record["tables"]), 27)
        report = self.run_ok("report", "--record", "run.json", "--out-file", "r.xlsx")
        self.assertIn("r.xlsx", report.err)

    def test_types_and_operations(self):
        sweep = "--gpus 2 --ops all_reduce,reduce_scatter -b 4K -e 4K -n 2 -d all -o all"
        result = self.run_ok(*HOST, *sweep.split())
        for table in read_log(result.out):
            self.assertEqual(len({(row["type"], row["redop"]) for row in table.rows}), 10 * 5)
            self.assertEqual(table.out_of_bounds, (0, "OK"))


class Launching(CliTest):
    def test_under_a_foreign_mpirun(self):
        result = self.run_program(PROGRAM, *HOST, "--ops", "all_gather", "-b", "1K", "-e", "4K", "-n", "5", "--out",
                                  "run.json", program=[shutil.which("mpirun"), "--oversubscribe", "-n", "2"])
        self.assert_status(result, OK)
        (table,) = read_log(result.out)
        self.assertEqual((table.name, table.ranks, len(table.rows)), ("all_gather_perf", 2, 3))
        record = self.read_record("run.json")
        self.assertEqual(schema_errors(record), [])
        self.assertEqual(record["launch"]["launcher"], [])
        # What MPI_Init has set on the way to the measurement is nobody's tuning. mpirun makes the other two of its own
        # path and of --oversubscribe.
        given = {*environment(), "LD_LIBRARY_PATH", "OMPI_MCA_rmaps_base_oversubscribe"}
        self.assertEqual(set(record["launch"]["environment"]) - given, set())

    def test_one_rank_needs_no_mpi(self):
        path = self.folder_of_programs("env", "sh")
        result = self.run_ok(*HOST, "--gpus", "1", "--ops", "all_reduce", "-b", "1K", "-e", "1K", "-n", "5",
                             env=environment(PATH=path))
        (table,) = read_log(result.out)
        self.assertEqual([half["busbw"].strip("0.") for half in table.rows[0]["halves"]], ["", ""])

    def test_says_that_host_memory_is_measured(self):
        foreign = [shutil.which("mpirun"), "--oversubscribe", "-n", "2", PROGRAM]
        for program in ([PROGRAM], foreign):
            with self.subTest(program=program):
                result = self.run_ok("perf", *"--gpus 2 --ops broadcast -b 8 -e 8 -n 2".split(), program=program)
                self.assert_says(result, "host memory")

    def test_gpus_that_were_asked_for_and_are_not_there(self):
        foreign = [shutil.which("mpirun"), "--oversubscribe", "-n", "2", PROGRAM]
        for program in ([PROGRAM], foreign):
            with self.subTest(program=program):
                result = self.run_program("perf", *"--backend gpu --gpus 2 --ops broadcast -b 8 -e 8".split(), program=program)
                self.assertNotEqual(result.status, 0)
                self.assert_says(result, "--backend gpu: no GPU was found")
                self.assertEqual(os.listdir(self.folder), [], "what measures nothing leaves no record")

    def test_more_ranks_than_cores_are_noted(self):
        cores = len(os.sched_getaffinity(0))
        number = str(16 * cores)
        foreign = [shutil.which("mpirun"), "--oversubscribe", "-n", number, PROGRAM]
        for program in ([PROGRAM], foreign):
            with self.subTest(program=program):
                self.run_ok(*HOST, *f"--gpus {number} --ops broadcast -b 8 -e 8 -n 2 --out run.json".split(),
                            program=program)
                checks = [finding["check"] for finding in self.read_record("run.json")["findings"]]
                self.assertEqual(checks.count("perf.oversubscribed"), 1)

    def test_the_record_on_stdout_leaves_no_file(self):
        for more in ([], ["--json"]):
            with self.subTest(more=more):
                result = self.run_ok("perf", *"--backend host --gpus 1 --ops all_reduce -b 8 -e 8 --out -".split(), *more)
                self.assertEqual(len(json.loads(result.out)["tables"]), 1)
                self.assertEqual(os.listdir(self.folder), [])

    def test_the_default_name_has_the_time_of_the_record(self):
        result = self.run_ok("perf", *"--backend host --gpus 1 --ops all_reduce -b 8 -e 8 --json".split(),
                             env=environment(TZ="Asia/Shanghai"))
        [name] = os.listdir(self.folder)
        named = datetime.datetime.strptime(name, "perf-%Y%m%d-%H%M%S.json")
        started = datetime.datetime.strptime(json.loads(result.out)["started"], "%Y-%m-%dT%H:%M:%SZ")
        self.assertLess(abs(named - started), datetime.timedelta(minutes=5))

    def test_sizes_that_do_not_fit_into_the_memory_of_two_ranks(self):
        result = self.run_program(*HOST, *"--gpus 2 -b 1024T -e 1024T --out run.json".split())
        self.assert_status(result, USAGE)
        self.assertRegex(result.err, r"(?m)^gpuadapt: -b 1024T: ")
        self.assertEqual(os.listdir(self.folder), [])

    def test_json_is_the_record(self):
        result = self.run_ok(*HOST, *"--gpus 2 --ops reduce -b 1K -e 2K -n 3 --json --out run.json".split())
        record = json.loads(result.out)
        self.assertEqual(schema_errors(record), [])
        self.assertEqual(record, self.read_record("run.json"))

    def test_additive_steps(self):
        result = self.run_ok(*HOST, "--gpus", "2", "--ops", "sendrecv", "-b", "1K", "-e", "4K", "-i", "1K", "-n", "3")
        self.assertEqual([row["size"] for row in read_log(result.out)[0].rows], [1024, 2048, 3072, 4096])

    def test_guide_form(self):
        result = self.run_ok(*HOST, "--gpus", "2", "--ops", "all_reduce,all_gather", "-b", "1K", "-e", "4K", "-n", "3",
                             "--log-format", "guide")
        rows = [line for line in result.out.splitlines() if line.startswith("#") and line[1:].split()[:1] and
                line[1:].split()[0].isdigit()]
        self.assertEqual(len(rows), 6, result.out)
        self.assertEqual([len(row[1:].split()) for row in rows], [14] * 3 + [13] * 3)

    def test_without_check(self):
        result = self.run_ok(*HOST, "--gpus", "2", "--ops", "all_reduce", "-b", "1K", "-e", "1K", "-n", "3", "-c", "0")
        self.assertEqual([half["wrong"] for half in read_log(result.out)[0].rows[0]["halves"]], ["N/A", "N/A"])


if __name__ == "__main__":
    main()

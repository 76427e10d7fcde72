# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share. They run the built program as a user does and look only at what a user sees:
exit status, stdout, stderr, files and processes. The program is the one in the variable GPUADAPT."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unicodedata
import unittest

PROGRAM = os.environ["GPUADAPT"]
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = ("probe", "record", "perf", "report")
COLLECTIVES = ("all_gather", "all_reduce", "alltoall", "broadcast", "gather", "reduce", "reduce_scatter", "scatter",
               "sendrecv")

OK, FAILURE, USAGE, UNKNOWN, TOOL = range(5)

# A sweep of many short points that takes minutes: for tests that end it themselves.
LONG_SWEEP = ("perf", "--backend", "host", "--gpus", "2", "--ops", "all_reduce", "-b", "8", "-e", "1M", "-f", "2", "-n",
              "20000", "-d", "all")


class Result:
    def __init__(self, status, out, err, seconds):
        self.status, self.out_bytes, self.err_bytes, self.seconds = status, out, err, seconds

    @property
    def out(self):
        return self.out_bytes.decode("utf-8")

    @property
    def err(self):
        return self.err_bytes.decode("utf-8")

    def __str__(self):
        ends = [data[-3000:].decode("utf-8", "replace") for data in (self.out_bytes, self.err_bytes)]
        return (f"status {self.status} after {self.seconds:.1f} s\n"
                f"--- stdout (end)\n{ends[0]}\n--- stderr (end)\n{ends[1]}")


def environment(**changes):
    """A plain environment that does not depend on the caller's; None takes a variable out."""
    values = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8",
              "TERM": "dumb", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
              "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    for name in ("TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            values[name] = os.environ[name]
    values.update(changes)
    return {name: value for name, value in values.items() if value is not None}


def display_width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def processes():
    """pid -> (parent pid, process group, command line) of every process that can be seen."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                fields = stat.read().rpartition(")")[2].split()
            with open(f"/proc/{entry}/cmdline", "rb") as line:
                command = line.read().split(b"\0")
        except OSError:
            continue
        if fields[0] != "Z":
            found[int(entry)] = (int(fields[1]), int(fields[2]), [part.decode("utf-8", "replace") for part in command])
    return found


def heed_signals():
    """A script's background ignores some signals, and its children would too."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def descendants(pid):
    table, found, front = processes(), {}, [pid]
    while front:
        parent = front.pop()
        for child, (its_parent, _, command) in table.items():
            if its_parent == parent and child not in found:
                found[child] = command
                front.append(child)
    return found


class CliTest(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gpuadapt-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def run_program(self, *arguments, program=None, env=None, timeout=120, stdout=subprocess.PIPE, **options):
        begin = time.monotonic()
        if "input" not in options:
            options["stdin"] = subprocess.DEVNULL
        done = subprocess.run([*([PROGRAM] if program is None else program), *arguments],
                              stdout=stdout, stderr=subprocess.PIPE, env=environment() if env is None else env,
                              cwd=options.pop("cwd", self.folder), timeout=timeout, check=False, **options)
        return Result(done.returncode, done.stdout or b"", done.stderr, time.monotonic() - begin)

    def run_ok(self, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assert_status(result, OK)
        return result

    def start_program(self, *arguments, env=None, program=None):
        """Runs in the background; output goes to files, which `finish` reads."""
        with open(self.path("stdout"), "wb") as out, open(self.path("stderr"), "wb") as err:
            child = subprocess.Popen([*([PROGRAM] if program is None else program), *arguments],
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.folder,
                                     env=environment() if env is None else env, start_new_session=True,
                                     preexec_fn=heed_signals)
        self.addCleanup(self.end_program, child)
        return child

    @staticmethod
    def end_program(child):
        if child.poll() is None:
            for pid in [*descendants(child.pid), child.pid]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            child.wait()

    def finish(self, child, timeout):
        begin = time.monotonic()
        try:
            child.wait(timeout)
        except subprocess.TimeoutExpired:
            self.fail(f"still runs {timeout} s later\n{pathlib.Path(self.path('stderr')).read_text(errors='replace')}")
        return Result(child.returncode, pathlib.Path(self.path("stdout")).read_bytes(),
                      pathlib.Path(self.path("stderr")).read_bytes(), time.monotonic() - begin)

    def wait_until(self, condition, what, timeout=60):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        return self.fail(f"{what}: not within {timeout} s")

    def assert_status(self, result, status):
        self.assertEqual(result.status, status, str(result))

    def assert_says(self, result, *words):
        """stderr names each of the words (a pattern, any case)."""
        for word in words:
            self.assertRegex(result.err, re.compile(word, re.I), str(result))

    def assert_narrow(self, text, columns=80):
        for line in text.splitlines():
            self.assertLessEqual(display_width(line), columns, repr(line))

    def read_record(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def folder_of_programs(self, *names):
        """A folder for PATH that has links to just these programs of this machine."""
        folder = self.folder / "bin"
        folder.mkdir()
        for name in names:
            target = shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin")
            if target:
                (folder / name).symlink_to(target)
        return str(folder)

    def small_disk(self, size):
        """A folder that holds no more than `size` (as mount's tmpfs takes it)."""
        folder = self.folder / "small"
        folder.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
                               capture_output=True, check=False)
        if mount.returncode != 0:
            self.skipTest("mounting a small file system needs root")
        self.addCleanup(subprocess.run, ["umount", str(folder)], check=True)
        return folder

    def script(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        path.chmod(0o755)
        return str(path)


# --- records ----------------------------------------------------------------------------------------------------------

def strict(schema):
    """The record's schema with every key that it does not list forbidden: output must hold nothing undocumented."""
    if isinstance(schema, dict):
        made = {key: strict(value) for key, value in schema.items()}
        if "properties" in made and "additionalProperties" not in made:
            made["additionalProperties"] = False
        return made
    return [strict(item) for item in schema] if isinstance(schema, list) else schema


def schema_errors(record, schema_file="record.schema.json"):
    import jsonschema
    with open(REPOSITORY / "docs" / schema_file, encoding="utf-8") as file:
        schema = strict(json.load(file))
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft7Validator)
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in kind(schema).iter_errors(record)]


def rows_of(table):
    """A table's rows as dictionaries."""
    names = [column["id"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def table_of(record, collective, ranks):
    return next(table for table in record["tables"] if table["id"] == f"perf/{collective}/{ranks}")


# --- logs in nccl-tests' form -----------------------------------------------------------------------------------------

class LogTable:
    def __init__(self, name, ranks):
        self.name, self.ranks, self.rows = name, ranks, []
        self.average = self.out_of_bounds = None


def read_log(text):
    """Tables of a log with the columns of nccl-tests 2.13 and newer: size count type redop root, then twice
    time algbw busbw #wrong."""
    tables = []
    for line in text.splitlines():
        banner = re.fullmatch(r"---- mccl_test (\w+) (\d+) ----", line.strip())
        if banner:
            tables.append(LogTable(banner.group(1), int(banner.group(2))))
            continue
        average = re.match(r"# Avg bus bandwidth\s*:\s*(\S+)", line)
        if average:
            tables[-1].average = float(average.group(1))
        wrong = re.match(r"# Out of bounds values\s*:\s*(\d+)\s+(\w+)", line)
        if wrong:
            tables[-1].out_of_bounds = (int(wrong.group(1)), wrong.group(2))
        words = line.split()
        if line.startswith("#") or len(words) != 13 or not words[0].isdigit():
            continue
        tables[-1].rows.append({
            "size": int(words[0]), "count": int(words[1]), "type": words[2], "redop": words[3], "root": int(words[4]),
            "halves": [{"time": words[i], "algbw": words[i + 1], "busbw": words[i + 2], "wrong": words[i + 3]}
                       for i in (5, 9)]})
    return tables


def half_digit(text):
    """Half a unit in the last printed digit."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** ((int(exponent) if exponent else 0) - decimals)


def main():
    unittest.main(verbosity=2)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`record` on whatever machine the tests run on, and `probe --from` what it wrote."""
import gzip
import io
import json
import os
import pathlib
import re
import signal
import tarfile

from support import OK, PROGRAM, TOOL, USAGE, CliTest, descendants, environment, main, schema_errors


class RecordCommand(CliTest):
    def record(self, *arguments):
        return self.run_ok("record", "--out", self.path("m.tar.gz"), *arguments)

    def test_a_recording_gives_the_json_of_its_reading_byte_for_byte(self):
        said = self.record("--json").out
        self.assertEqual(schema_errors(json.loads(said)), [])
        self.assertEqual(self.run_ok("probe", "--from", self.path("m.tar.gz"), "--json").out, said)
        # On another machine: no /proc/self of ours, another locale, another user's folder.
        far = self.run_ok("probe", "--from", self.path("m.tar.gz"), "--json", program=["/usr/bin/env", "-i", PROGRAM])
        self.assertEqual(far.out, said)

    def test_it_says_where_it_is_and_what_it_holds(self):
        result = self.record()
        self.assertIn("m.tar.gz", result.out)
        self.assertIn("probe --from", result.out)
        self.assert_says(result, "--anonymize")
        with tarfile.open(self.path("m.tar.gz")) as archive:
            names = archive.getnames()
        self.assertIn("files/proc/cpuinfo", names)
        self.assertIn("answers.tsv", names)
        self.assertRegex(result.out, r"\d+ files, output of \d+ tools")

    def test_a_pipe_gets_the_recording_alone(self):
        for more in ([], ["--json"]):
            with self.subTest(more=more), open(self.path("piped.tar.gz"), "wb") as pipe:
                self.assert_status(self.run_program("record", "--out", "-", *more, stdout=pipe), OK)
            with tarfile.open(self.path("piped.tar.gz")) as archive:
                self.assertIn("answers.tsv", archive.getnames())
            with gzip.open(self.path("piped.tar.gz")) as packed:
                packed.read()  # raises where something follows the archive
        (self.folder / "-").write_text("a file of that name is not what is meant", encoding="utf-8")
        with open(self.path("piped.tar.gz"), "wb") as pipe:
            self.assert_status(self.run_program("record", "--out", "-", stdout=pipe), OK)
        with gzip.open(self.path("piped.tar.gz")) as packed:
            packed.read()

    def test_default_name(self):
        self.run_ok("record")
        names = [name for name in os.listdir(self.folder) if re.fullmatch(r"machine-\d{8}-\d{6}\.tar\.gz", name)]
        self.assertEqual(len(names), 1)

    def test_the_tools_of_this_machine_are_kept_with_what_they_said(self):
        program = self.script("lscpu", '#!/bin/sh\n[ "$1" = -J ] && echo "{\\"lscpu\\": []}"\nexit 7\n')
        slow = self.script("dmidecode", "#!/bin/sh\necho half of it\nexec sleep 100\n")
        path = f"{os.path.dirname(program)}:{os.path.dirname(slow)}:{os.environ['PATH']}"
        result = self.run_program("record", "--out", self.path("m.tar.gz"), env={**os.environ, "PATH": path},
                                  preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assert_status(result, OK)
        self.assertLess(result.seconds, 60)
        with tarfile.open(self.path("m.tar.gz")) as archive:
            answers = archive.extractfile("answers.tsv").read().decode()
            run = re.search(r"^run\t(\d+)\texited\t7\t.*\tlscpu\t-J$", answers, re.M)
            self.assertIsNotNone(run, answers[-3000:])
            self.assertEqual(archive.extractfile(f"commands/{run[1]}/out").read(), b'{"lscpu": []}\n')
        self.assertRegex(answers, r"(?m)^run\t\d+\ttimed_out\t.*\tdmidecode$")

    def test_anonymize_leaves_no_name_of_this_machine(self):
        machine = json.loads(self.record("--anonymize", "--json").out)["machines"][0]
        real = json.loads(self.run_ok("probe", "--json").out)["machines"][0]["machine"]
        self.assertNotEqual(machine["host"], real["os"]["hostname"])
        secrets = [interface["mac"] for interface in real["interfaces"]
                   if interface.get("mac", "00:00:00:00:00:00").strip("0:f")] + real["addresses"]
        self.assertTrue(secrets)
        with tarfile.open(self.path("m.tar.gz")) as archive:
            text = b"".join(archive.extractfile(entry).read() for entry in archive if entry.isfile())
        for secret in secrets:
            self.assertIsNone(re.search(rb"(?<![0-9.])" + re.escape(secret.encode()) + rb"(?![0-9.])", text), secret)
        self.assertEqual(machine["machine"]["cpu"], real["cpu"])
        self.assertEqual(machine["machine"]["os"]["kernel"], real["os"]["kernel"])

    def test_the_help_says_what_anonymize_keeps(self):
        self.assertIn("(OUI)", self.run_ok("record", "--help").out)
        machines = [json.loads(self.record(*more, "--json").out)["machines"][0]["machine"]
                    for more in ([], ["--anonymize"])]
        makers = [[it["mac"][:8] for it in machine["interfaces"] if it.get("mac")] for machine in machines]
        self.assertEqual(*makers)

    def test_a_recording_can_be_anonymized_afterwards(self):
        self.record()
        self.run_ok("record", "--from", self.path("m.tar.gz"), "--anonymize", "--out", self.path("a.tar.gz"))
        first, second = (json.loads(self.run_ok("probe", "--from", self.path(name), "--json").out)["machines"][0]
                         for name in ("m.tar.gz", "a.tar.gz"))
        self.assertNotEqual(first["host"], second["host"])
        self.assertEqual(first["machine"]["cpu"], second["machine"]["cpu"])

    def test_signals_end_it_with_the_documented_status(self):
        self.script("dmidecode", "#!/bin/sh\nexec sleep 60\n")
        env = environment(PATH=f"{self.folder}:{os.environ['PATH']}")
        for number in (signal.SIGINT, signal.SIGTERM):
            child = self.start_program("record", "--out", self.path("m.tar.gz"), env=env)
            self.wait_until(lambda child=child: descendants(child.pid), "dmidecode runs")
            os.kill(child.pid, number)
            result = self.finish(child, 10)
            self.assert_status(result, TOOL)
            self.assert_says(result, "interrupted by", signal.Signals(number).name)
            self.assertFalse(os.path.exists(self.path("m.tar.gz")))

    def test_a_recording_that_is_there_is_kept(self):
        self.record()
        first = pathlib.Path(self.path("m.tar.gz")).read_bytes()
        self.assertIn("m.tar.gz.1", self.record("--anonymize").err)
        self.assertEqual(pathlib.Path(self.path("m.tar.gz.1")).read_bytes(), first)

    def test_a_recording_does_not_replace_what_it_is_made_from(self):
        self.record()
        first = pathlib.Path(self.path("m.tar.gz")).read_bytes()
        os.link(self.path("m.tar.gz"), self.path("hard.tar.gz"))
        os.symlink("m.tar.gz", self.path("soft.tar.gz"))
        for name in ("m.tar.gz", "hard.tar.gz", "soft.tar.gz"):
            result = self.run_program("record", "--from", self.path("m.tar.gz"), "--anonymize", "--out",
                                      self.path(name))
            self.assert_status(result, USAGE)
            self.assert_says(result, "same file")
        self.assertEqual(pathlib.Path(self.path("m.tar.gz")).read_bytes(), first)

    def test_bad_places(self):
        self.assert_status(self.run_program("record", "--out", "/nowhere/m.tar.gz"), USAGE)
        self.assert_status(self.run_program("record", "--from", self.path("absent.tar.gz")), USAGE)
        self.assert_status(self.run_program("record", "--out", "/dev/full"), TOOL)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_recording_that_reaches_out_of_itself_is_refused(self):
        for name, kind in (("files/../../etc/passwd", tarfile.REGTYPE), ("/etc/passwd", tarfile.REGTYPE),
                           ("files/x", tarfile.SYMTYPE), ("files/x", tarfile.CHRTYPE)):
            with self.subTest(name=name):
                with tarfile.open(self.path("bad.tar.gz"), "w:gz") as archive:
                    marker = tarfile.TarInfo("gpuadapt-recording")
                    marker.size = 21
                    archive.addfile(marker, io.BytesIO(b"gpuadapt-recording 1\n"))
                    entry = tarfile.TarInfo(name)
                    entry.type = kind
                    entry.linkname = "/etc/passwd"
                    archive.addfile(entry, io.BytesIO(b""))
                result = self.run_program("record", "--from", self.path("bad.tar.gz"), "--out", self.path("o.tar.gz"))
                self.assert_status(result, USAGE)
                self.assert_says(result, "bad.tar.gz", name.rsplit("/", 1)[-1])
                self.assertFalse(os.path.exists(self.path("o.tar.gz")))


if __name__ == "__main__":
    main()

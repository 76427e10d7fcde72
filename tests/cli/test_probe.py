#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`probe` on whatever machine the tests run on."""
import json
import os
import subprocess
import xml.dom.minidom

from support import OK, PROGRAM, TOOL, USAGE, CliTest, environment, main, schema_errors


class Probe(CliTest):
    def test_json_is_a_record_by_its_schema(self):
        record = json.loads(self.run_ok("probe", "--json").out)
        self.assertEqual(schema_errors(record), [])
        self.assertEqual(len(record["machines"]), 1)
        machine = record["machines"][0]["machine"]
        self.assertEqual(machine["os"]["kernel"], os.uname().release)
        self.assertEqual(machine["cpu"]["logical_cpus"], os.sysconf("SC_NPROCESSORS_ONLN"))
        self.assertEqual(machine["cpu"]["architecture"], os.uname().machine)
        self.assertIn("lo", [interface["name"] for interface in machine["interfaces"]])

    def test_two_calls_agree(self):
        first, second = (json.loads(self.run_ok("probe", "--json").out)["machines"][0]["machine"] for _ in range(2))
        for machine in (first, second):
            machine["memory"].pop("available_bytes", None)
        self.assertEqual(first, second)

    def test_text_fits_one_screen_of_80_columns(self):
        for columns in ("80", "60"):
            with self.subTest(columns=columns):
                text = self.run_ok("probe", env=environment(COLUMNS=columns)).out
                self.assert_narrow(text, int(columns))
                self.assertIn(os.uname().release, text)
        self.assertLessEqual(self.run_ok("probe").out.count("\n"), 50)

    def test_needs_no_open_mpi_and_no_other_program(self):
        path = self.folder_of_programs("env", "sh")
        result = self.run_ok("probe", "--json", env={"PATH": path})
        self.assertEqual(schema_errors(json.loads(result.out)), [])
        self.run_ok("probe", program=["/usr/bin/env", "-i", PROGRAM])

    def test_topology_as_text_picture_and_for_nccl(self):
        picture, file = self.path("t.svg"), self.path("t.xml")
        result = self.run_ok("probe", "--topology", "--svg", picture, "--nccl-topo", file)
        self.assert_narrow(result.out)
        self.assertEqual(xml.dom.minidom.parse(picture).documentElement.tagName, "svg")
        system = xml.dom.minidom.parse(file).documentElement
        self.assertEqual((system.tagName, system.getAttribute("version")), ("system", "1"))
        ascii_only = self.run_ok("probe", "--topology", env=environment(LANG="C"))
        self.assertTrue(ascii_only.out_bytes.isascii(), ascii_only.out)

    def test_plain_locale_gets_ascii(self):
        result = self.run_ok("probe", env=environment(LANG="C"))
        self.assertTrue(result.out_bytes.isascii(), result.out)

    def test_chinese(self):
        text = self.run_ok("probe", "--lang", "zh").out
        self.assertRegex(text, r"[\u4e00-\u9fff]")
        self.assert_narrow(text)

    def test_json_is_the_same_in_both_languages(self):
        english, chinese = (json.loads(self.run_ok("probe", "--json", "--lang", lang).out) for lang in ("en", "zh"))
        self.assertEqual(english["machines"][0]["machine"]["cpu"], chinese["machines"][0]["machine"]["cpu"])
        self.assertEqual(list(english), list(chinese))

    def test_colour_only_on_a_terminal_and_never_against_the_users_will(self):
        self.assertNotIn("\033", self.run_ok("probe", env=environment(TERM="xterm")).out)
        self.assertNotIn("\033", self.on_terminal({"TERM": "xterm", "NO_COLOR": "1"}))
        self.assertNotIn("\033", self.on_terminal({"TERM": "dumb"}))

    def on_terminal(self, variables):
        """stdout of `probe` when it is a terminal."""
        leader, follower = os.openpty()
        try:
            child = subprocess.Popen([PROGRAM, "probe"], stdin=subprocess.DEVNULL, stdout=follower,
                                     stderr=subprocess.DEVNULL, env=environment(**variables), cwd=self.folder)
            os.close(follower)
            text = b""
            while True:
                try:
                    piece = os.read(leader, 65536)
                except OSError:  # EIO: the other side is closed
                    break
                if not piece:
                    break
                text += piece
            self.assertEqual(child.wait(60), OK)
        finally:
            os.close(leader)
        self.assertGreater(len(text), 200)
        return text.decode("utf-8")

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            result = self.run_program("probe", "--json", stdout=full)
        self.assert_status(result, TOOL)
        self.assert_says(result, "stdout", "No space left")

    def test_reader_that_goes_away(self):
        result = self.run_program(program=["bash", "-o", "pipefail", "-c", f'"{PROGRAM}" probe --json | head -c 10'])
        self.assert_status(result, OK)
        self.assertEqual(result.err, "")

    def test_as_another_user(self):
        if os.getuid() != 0:
            self.skipTest("only root can become another user")
        reachable = all(os.stat(folder).st_mode & 0o001 for folder in parents(PROGRAM))
        if not reachable:
            self.skipTest("the program stands where no other user can reach it")
        result = self.run_ok("probe", "--json", user=65534, group=65534, extra_groups=[], cwd="/")
        self.assertEqual(schema_errors(json.loads(result.out)), [])

    def test_draft_of_expectations(self):
        self.run_ok("probe", "--write-expect", self.path("expect.json"))
        with open(self.path("expect.json"), encoding="utf-8") as file:
            draft = json.load(file)
        self.assertEqual(draft["expect"], 1)
        self.assertEqual(draft["counts"]["logical_cpus"], os.sysconf("SC_NPROCESSORS_ONLN"))
        self.assertEqual(schema_errors(draft, "expect.schema.json"), [])
        self.assert_status(self.run_program("probe", "--write-expect", "/nowhere/expect.json"), USAGE)

    def test_unknown_argument(self):
        self.assert_status(self.run_program("probe", "extra"), USAGE)


def parents(path):
    path = os.path.dirname(os.path.realpath(path))
    while path != "/":
        yield path
        path = os.path.dirname(path)


if __name__ == "__main__":
    main()

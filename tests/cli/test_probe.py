#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`probe` on whatever machine the tests run on."""
import json
import os
import subprocess
import xml.dom.minidom

from support import FAILURE, OK, PROGRAM, REPOSITORY, TOOL, USAGE, CliTest, environment, main, schema_errors


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
        lspci = self.text("lspci.txt", two_gpus())
        self.assert_narrow(self.run_ok("probe", "--topology").out)
        result = self.run_ok("probe", "--from", lspci, "--topology", "--svg", picture, "--nccl-topo", file)
        self.assert_narrow(result.out)
        self.assertEqual(xml.dom.minidom.parse(picture).documentElement.tagName, "svg")
        system = xml.dom.minidom.parse(file).documentElement
        self.assertEqual((system.tagName, system.getAttribute("version")), ("system", "1"))
        ascii_only = self.run_ok("probe", "--topology", env=environment(LANG="C"))
        self.assertTrue(ascii_only.out_bytes.isascii(), ascii_only.out)

    def text(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def test_pictures_of_names_that_xml_cannot_hold(self):
        name = "a <&> \x01\x1b[1m\x7f\ufffe\uffff\U00010000"
        lspci = self.text("lspci.txt", two_gpus().replace("NVIDIA Corporation Device", name))
        self.run_ok("probe", "--from", lspci, "--svg", self.path("t.svg"), "--nccl-topo", self.path("t.xml"))
        picture = xml.dom.minidom.parse(self.path("t.svg")).toxml()
        self.assertIn("\ufffd\ufffd\U00010000", picture)
        xml.dom.minidom.parse(self.path("t.xml"))

    def test_a_matrix_that_contradicts_our_tree_is_a_warning(self):
        lspci = self.text("lspci.txt", two_gpus())
        for theirs, found, strict in (("SYS", [], OK), ("PIX", ["warning"], FAILURE)):
            with self.subTest(theirs=theirs):
                matrix = self.text("topo.txt", topo(theirs))
                record = json.loads(self.run_ok("probe", "--from", lspci, "--from", matrix, "--json").out)
                self.assertEqual(schema_errors(record), [])
                self.assertEqual([(it["check"], it["severity"]) for it in record["findings"]],
                                 [("TOPO1", severity) for severity in found])
                self.assert_status(self.run_program("probe", "--from", lspci, "--from", matrix, "--strict"), strict)
                text = self.run_ok("probe", "--from", lspci, "--from", matrix).out
                self.assertEqual("TOPO1" in text, bool(found), text)

    def test_a_text_alone_does_not_reassure(self):
        cmdline = self.text("cmdline", "BOOT_IMAGE=/boot/vmlinuz-6.1.0 root=/dev/sda1 ro quiet iommu=pt\n")
        coverage = json.loads(self.run_ok("probe", "--from", cmdline, "--json").out)["coverage"]
        self.assertEqual(coverage["evaluated"], 1)
        self.assertGreater(coverage["unknown"], 10)
        whole = json.loads(self.run_ok("probe", "--json").out)["coverage"]
        self.assertGreater(whole["evaluated"], 3)
        self.assertGreaterEqual(sum(whole.values()), 17)

    def test_none_is_not_said_of_an_excerpt(self):
        excerpt = self.text("lspci.txt", "0000:00:00.0 Host bridge [0600]: Device [9999:0001]\n")
        text = self.run_ok("probe", "--from", excerpt).out
        self.assertRegex(text, r"(?m)^GPUs +not read$")
        self.assertRegex(text, r"(?m)^Network +not read$")

    def test_the_vendors_matrix_alone(self):
        matrix = self.text("topo.txt", topo("NODE"))
        result = self.run_ok("probe", "--from", matrix, "--topology")
        self.assertRegex(result.out, r"(?m)^GPU0 +X +NODE$")
        self.assert_narrow(result.out)
        refused = self.run_program("probe", "--from", matrix, "--svg", self.path("t.svg"))
        self.assert_status(refused, USAGE)
        self.assert_says(refused, "PCI devices", "lspci")
        self.assertFalse(os.path.exists(self.path("t.svg")))

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

    def test_an_output_replaces_only_its_like(self):
        outputs = (("--out", "o.json"), ("--svg", "t.svg"), ("--nccl-topo", "t.xml"), ("--write-expect", "e.json"))
        machine = str(REPOSITORY / "tests/machines/hgx/recording.tar.gz")
        for option, name in outputs:
            with self.subTest(option=option):
                self.run_ok("probe", "--from", machine, option, self.path(name))
                first = (self.folder / name).read_bytes()
                again = self.run_ok("probe", "--from", machine, option, self.path(name))
                self.assertIn(f"{name}.1", again.err)
                self.assertEqual((self.folder / f"{name}.1").read_bytes(), first)
                (self.folder / "measured.txt").write_text("hours of work\n", encoding="utf-8")
                result = self.run_program("probe", "--from", machine, option, self.path("measured.txt"))
                self.assert_status(result, USAGE)
                self.assert_says(result, option, "measured.txt", "another name")
                self.assertEqual((self.folder / "measured.txt").read_text(encoding="utf-8"), "hours of work\n")
        record = json.loads((self.folder / "o.json").read_text(encoding="utf-8"))
        record["tables"] = [{"id": "perf/all_reduce/2", "labels": {}, "columns": [], "rows": []}]
        (self.folder / "run.json").write_text(json.dumps(record, indent=2), encoding="utf-8")
        self.assert_status(self.run_program("probe", "--from", machine, "--out", self.path("run.json")), USAGE)
        self.assert_status(self.run_program("record", "--from", machine, "--out", self.path("run.json")), USAGE)

    def test_two_outputs_do_not_share_a_file(self):
        machine = str(REPOSITORY / "tests/machines/hgx/recording.tar.gz")
        for other in ("o.json", "./o.json"):
            result = self.run_program("probe", "--from", machine, "--out", "o.json", "--svg", other)
            self.assert_status(result, USAGE)
            self.assert_says(result, "--out and --svg both name")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_text_beside_a_recording_takes_nothing_from_it(self):
        machine = str(REPOSITORY / "tests/machines/no-gpu/recording.tar.gz")
        text = self.text("lspci.txt", "0000:02:00.0 VGA compatible controller [0300]: Device [1a03:2000]\n")
        alone, both = (self.run_ok("probe", "--from", machine, *more).out for more in ([], ["--from", text]))
        for said in (alone, both):
            self.assertRegex(said, r"(?m)^GPUs +none")

    def test_texts_of_two_machines_are_a_warning(self):
        one = self.text("a.txt", "Architecture: x86_64\nCPU(s): 8\nModel name: One CPU\nSocket(s): 1\n")
        other = self.text("b.txt", "Architecture: x86_64\nCPU(s): 16\nModel name: Other CPU\nSocket(s): 2\n")
        result = self.run_program("probe", "--from", one, "--from", other, "--strict")
        self.assertEqual(result.status, 1, result)
        self.assertIn("SOURCE1", result.out)

    def test_cross_check_says_what_it_compared(self):
        result = self.run_ok("probe", "--cross-check", "--json", env=environment(PATH=self.folder_of_programs("sh")))
        said = [it for it in json.loads(result.out)["findings"] if it["check"] == "SOURCE2"]
        self.assertEqual([it["severity"] for it in said], ["note"])
        self.assertRegex(said[0]["evidence"]["en"], r"^compared: hwloc \([1-9]\d* agree.*not installed: lscpu, .*lspci")
        self.assertIn("SOURCE2", self.run_ok("probe", "--cross-check").out)

    def test_unknown_argument(self):
        self.assert_status(self.run_program("probe", "extra"), USAGE)


def two_gpus():
    """lspci of two GPUs, each below a root port of its own NUMA node."""
    return "".join(
        f"0000:{bus}0:01.0 PCI bridge [0604]: Intel Corporation Device [8086:347a]\n"
        "\tControl: I/O+ Mem+ BusMaster+ SpecCycle-\n"
        f"\tNUMA node: {node}\n"
        f"\tBus: primary={bus}0, secondary={bus}1, subordinate={bus}1, sec-latency=0\n"
        "\tCapabilities: [40] Express (v2) Root Port (Slot+), MSI 00\n\n"
        f"0000:{bus}1:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:2330]\n"
        "\tControl: I/O- Mem+ BusMaster+ SpecCycle-\n"
        f"\tNUMA node: {node}\n"
        "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\n" for node, bus in enumerate((1, 9)))


def topo(between):
    return f"\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t{between}\t0-3\t0\nGPU1\t{between}\t X \t4-7\t1\n"


def parents(path):
    path = os.path.dirname(os.path.realpath(path))
    while path != "/":
        yield path
        path = os.path.dirname(path)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`report`: the workbook from records and from logs, as openpyxl sees it."""
import hashlib
import json
import math
import os
import pathlib
import re
import time

from support import FAILURE, OK, REPOSITORY, TOOL, USAGE, CliTest, main

SHEETS = ["环境信息", "测试数据", "DP数据", "P2P数据", "TOPO信息"]
ITEMS = ["服务器IP", "服务器型号", "服务器bios版本", "性能模式", "CPU型号", "PCIe Gen", "PCIe MaxPayload", "PCIe ACS", "网卡型号",
         "网卡数量", "网卡带宽", "网络协议(IB/RoCE)", "GPU型号", "GPU拓扑", "OS", "OS kernel", "SW Version", "vbios",
         "通信库测试配置"]
HEAD = ["size", "count", "type", "redop", "root", "kernel-avg-time(us)", "time-oplace(us)", "algbw(gb/s)-oplace",
        "busbw(gb/s)-oplace", "error", "time-iplace(us)", "algbw(gb/s)-iplace", "busbw(gb/s)-iplace", "error"]


def log(kernel_column, wrong=0):
    """A log of two collectives over 4 ranks with made-up, consistent numbers."""
    lines = []
    kernel_head, kernel_unit = ("avgtime ", "(us) ") if kernel_column else ("", "")
    for name, redop, factor in (("all_reduce_perf", "sum", 1.5), ("all_gather_perf", "", 0.75)):
        lines += [f"---- mccl_test {name} 4 ----",
                  "# nThread 1 nGpus 1 minBytes 1024 maxBytes 4096 step: 2(factor) warmup iters: 5 iters: 100 "
                  "agg iters: 1 validation: 1 graph: 0", "#", "#" + " " * 60 + "out-of-place" + " " * 23 + "in-place",
                  f"#       size         count      type   redop    root  {kernel_head}   time   algbw   busbw #wrong"
                  "     time   algbw   busbw #wrong",
                  f"#        (B)    (elements)                            {kernel_unit}   (us)  (GB/s)  (GB/s)"
                  "            (us)  (GB/s)  (GB/s)"]
        cells = []
        for size, time in ((1024, 16.0), (2048, 16.0), (4096, 16.0)):
            algbw = size / time / 1e3
            cells += [round(algbw * factor, 2)] * 2
            half = f"{time:8.2f} {algbw:7.2f} {algbw * factor:7.2f} {wrong:6d}"
            mark, kernel = ("#", f"{12.5:10.2f} ") if kernel_column else (" ", "")
            operation = redop if redop or kernel_column else "none"
            lines.append(f"{mark}{size:12d} {size // 2 if redop else size // 8:12d} {'bfloat16':>9} {operation:>7} "
                         f"{-1:6d} {kernel}{half} {half}")
        lines += [f"# Out of bounds values : {6 if wrong else 0} {'FAILED' if wrong else 'OK'}",
                  f"# Avg bus bandwidth    : {sum(cells) / len(cells):g}", "#"]
    return "\n".join(lines) + "\n"


class ReportTest(CliTest):
    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def workbook(self, name="r.xlsx"):
        import openpyxl
        return openpyxl.load_workbook(self.path(name))

    def column(self, sheet, letter="A"):
        return [cell.value for cell in sheet[letter]]

    def all_texts(self, sheet):
        return [str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value is not None]


class FromLogs(ReportTest):
    def blocks(self, sheet):
        """Rows of the sheet by banner."""
        blocks, rows = {}, None
        for row in sheet.iter_rows(values_only=True):
            if row[0] == "mccl_test":
                rows = blocks[(row[1], row[2])] = []
            elif rows is not None and isinstance(row[0], (int, float)):
                rows.append(row)
        return blocks

    def test_with_and_without_the_kernel_column(self):
        for kernel_column in (True, False):
            with self.subTest(kernel_column=kernel_column):
                self.write("test.txt", log(kernel_column))
                self.run_ok("report", "--log-file", "test.txt", "--out-file", "r.xlsx")
                book = self.workbook()
                self.assertEqual(book.sheetnames, SHEETS)
                self.assertEqual(self.column(book[SHEETS[0]])[:19], ITEMS)
                self.assertEqual([book[SHEETS[0]].cell(5, 6 + i).value for i in range(6)],
                                 ["mccl_test", "GPU", "Bytes", "1K", "2K", "4K"])
                values = [[book[SHEETS[0]].cell(row, 6 + i).value for i in range(6)] for row in (6, 7)]
                self.assertEqual(values, [["all_reduce_perf", 4, "GB/s", 0.1, 0.19, 0.38],
                                          ["all_gather_perf", 4, "GB/s", 0.05, 0.1, 0.19]])
                blocks = self.blocks(book[SHEETS[1]])
                self.assertEqual([len(rows) for rows in blocks.values()], [3, 3])
                self.assertIn(HEAD, [list(row)[:14] for row in book[SHEETS[1]].iter_rows(values_only=True)])

    def test_default_name_and_sum_of_the_log(self):
        self.write("test.txt", log(True))
        self.run_ok("report", "--log-file", "test.txt")
        digest = hashlib.sha256((self.folder / "test.txt").read_bytes()).hexdigest()
        self.assertIn(digest, " ".join(self.all_texts(self.workbook("mccl_test.xlsx")[SHEETS[0]])))

    def test_wrong_elements_are_a_failure(self):
        self.write("test.txt", log(False, wrong=3))
        result = self.run_program("report", "--log-file", "test.txt", "--out-file", "r.xlsx")
        self.assert_status(result, FAILURE)
        self.assertTrue((self.folder / "r.xlsx").exists(), "the workbook is written all the same")

    def test_what_was_found_stands_on_the_page_that_is_signed(self):
        self.write("bad.txt", log(True, wrong=3))
        self.assert_status(self.run_program("report", "--log-file", "bad.txt", "--out-file", "r.xlsx"), FAILURE)
        sheet = self.workbook()[SHEETS[0]]
        labels = self.column(sheet)
        place = labels.index("检查结果")
        self.assertGreater(place, labels.index("记录SHA-256"))
        self.assertRegex(sheet.cell(place + 1, 2).value, "^故障 [1-9]")
        self.assertTrue(labels[place + 1].startswith("故障 "), labels)
        self.write("good.txt", log(True))
        self.run_ok("report", "--log-file", "good.txt", "--out-file", "r.xlsx")
        sheet = self.workbook()[SHEETS[0]]
        self.assertRegex(sheet.cell(self.column(sheet).index("检查结果") + 1, 2).value, "^故障 0，警告 0，")

    def test_log_of_our_own_perf(self):
        """Numbers of the record and of the log lead to the same table."""
        sweep = "perf --backend host --gpus 1 --ops all_reduce,scatter -b 1K -e 8K -n 3 --out run.json"
        result = self.run_ok(*sweep.split())
        self.write("run.log", result.out)
        self.run_ok("report", "--log-file", "run.log", "--out-file", "from_log.xlsx")
        self.run_ok("report", "--record", "run.json", "--out-file", "from_record.xlsx")
        one, two = (self.blocks(self.workbook(name)[SHEETS[1]]) for name in ("from_log.xlsx", "from_record.xlsx"))
        self.assertEqual(list(one), list(two))
        for name in one:
            self.assertEqual([row[:3] for row in one[name]], [row[:3] for row in two[name]])
            for left, right in zip(one[name], two[name]):
                for a, b in zip(left[6:], right[6:]):
                    if isinstance(a, float) and isinstance(b, float):
                        self.assertTrue(math.isclose(a, b, rel_tol=0.01, abs_tol=0.006), (left, right))

    def test_environment_of_a_recorded_machine(self):
        recording = str(REPOSITORY / "tests/machines/c500x8/recording.tar.gz")
        self.run_ok("report", "--from", recording, "--out-file", self.path("m.xlsx"))
        self.write("test.txt", log(kernel_column=True))
        self.run_ok("report", "--log-file", "test.txt", "--from", recording, "--out-file", self.path("r.xlsx"))
        for name in ("m.xlsx", "r.xlsx"):
            sheet = self.workbook(name)["环境信息"]
            items = {sheet.cell(row, 1).value: sheet.cell(row, 2).value for row in range(1, 22)}
            self.assertEqual(items["服务器型号"], "Example Systems X8000 M")
            self.assertIn("2x4 MetaXLink x16", items["GPU拓扑"])
        self.assert_status(self.run_program("report", "--from", recording, "--probe"), USAGE)
        self.assert_status(self.run_program("report", "--from", self.path("absent")), USAGE)

    def test_names_that_xml_cannot_hold(self):
        self.write("lscpu.txt", "Architecture: x86_64\nCPU(s): 4\nSocket(s): 1\n"
                   "Model name: Xeon <&> \x01\x1b[1m\x7f\ufffe\uffff\U00010000 Gold\n")
        self.run_ok("report", "--from", "lscpu.txt", "--out-file", self.path("r.xlsx"))
        texts = " ".join(self.all_texts(self.workbook("r.xlsx")["环境信息"]))
        self.assertIn("\ufffd\ufffd\U00010000 Gold", texts)

    def test_another_machine_than_the_measured_one_is_a_warning(self):
        recording = str(REPOSITORY / "tests/machines/no-gpu/recording.tar.gz")
        devices = "# Using devices\n" + "".join(
            f"#  Rank {rank:2} Group  0 Pid {100 + rank:6} on     far-01 device {rank:2} [0000:0{rank}:00] Made GPU\n"
            for rank in range(4))
        self.write("gpus.txt", log(True).replace("#\n", devices + "#\n", 1))
        result = self.run_ok("report", "--log-file", "gpus.txt", "--from", recording, "--out-file", "r.xlsx")
        self.assertIn("SOURCE3", result.err)
        texts = self.all_texts(self.workbook()[SHEETS[0]])
        self.assertIn("警告 SOURCE3", texts)
        self.assertTrue([text for text in texts if text == f"gpus.txt；环境信息：{recording}"], texts)
        self.write("plain.txt", log(True))
        result = self.run_ok("report", "--log-file", "plain.txt", "--from", recording, "--out-file", "r.xlsx")
        self.assertNotIn("SOURCE3", result.err)

    def test_the_same_log_twice_is_a_warning(self):
        self.write("a.txt", log(True))
        self.write("b.txt", log(True))
        self.write("c.txt", log(True).replace("16.00", "17.00"))
        for logs, said in ((["a.txt", "a.txt"], True), (["a.txt", "b.txt"], True), (["a.txt", "c.txt"], False)):
            with self.subTest(logs=logs):
                result = self.run_ok("report", "--log-file", *logs, "--out-file", "r.xlsx")
                self.assertEqual("LOGS1" in result.err, said, str(result))
                if said:
                    self.assert_says(result, f"{logs[0]} and {logs[1]} are the same")
        record = json.loads(self.run_program("report", "--log-file", "a.txt", "b.txt", "--json").out)
        self.assertEqual([it["subject"] for it in record["findings"] if it["check"] == "LOGS1"], ["b.txt"])

    def test_ranks_that_the_log_contradicts_are_a_warning(self):
        self.write("test.txt", log(True))
        result = self.run_ok("report", "--log-file", "test.txt", "--ranks", "8", "--out-file", "r.xlsx")
        self.assert_says(result, "warning LOG8 test.txt", "banner: 4; caller: 8")
        result = self.run_ok("report", "--log-file", "test.txt", "--ranks", "4", "--out-file", "r.xlsx")
        self.assertNotIn("LOG8", result.err)

    def test_a_log_on_stdin(self):
        (self.folder / "-").write_text("a file of that name is not what is meant", encoding="utf-8")
        result = self.run_ok("report", "--log-file", "-", "--out-file", "r.xlsx", input=log(True).encode())
        self.assert_says(result, "^-: 2 runs, 6 rows, ")
        sheet = self.workbook()[SHEETS[0]]
        self.assertEqual([sheet.cell(6, 6).value, sheet.cell(6, 9).value], ["all_reduce_perf", 0.1])
        self.assertIn("未知：有多个输入，或输入不是文件", self.all_texts(sheet))

    def test_says_why_no_row_is_usable(self):
        self.write("test.txt", re.sub(r"\d+\.\d\d", "XX.XX", log(False)))
        result = self.run_program("report", "--log-file", "test.txt")
        self.assert_status(result, USAGE)
        self.assert_says(result, "no usable row", "test.txt:7", "XX.XX")

    def test_says_what_takes_what_is_no_log(self):
        recording = str(REPOSITORY / "tests/machines/c500x8/recording.tar.gz")
        self.run_ok("probe", "--from", recording, "--out", self.path("machine.json"))
        (self.folder / "logs").mkdir()
        for path, option in ((recording, "give it with --from"), ("machine.json", "give it with --record"),
                             ("logs", "is a folder: give the logs in it")):
            with self.subTest(path=path):
                result = self.run_program("report", "--log-file", path)
                self.assert_status(result, USAGE)
                self.assert_says(result, option)

    def test_no_log_at_all(self):
        for text in ("", "hello\nworld\n", "\0\1\2" * 1000):
            with self.subTest(text=text[:10]):
                self.write("test.txt", text)
                result = self.run_program("report", "--log-file", "test.txt", "--out-file", "r.xlsx")
                self.assertNotEqual(result.status, OK, str(result))
                self.assert_says(result, "test.txt")

    def test_cut_log(self):
        text = log(True)
        for length in range(0, len(text), 331):
            self.write("test.txt", text[:length])
            result = self.run_program("report", "--log-file", "test.txt", "--out-file", "r.xlsx")
            self.assertIn(result.status, (OK, FAILURE, USAGE), str(result))


class FromRecords(ReportTest):
    def setUp(self):
        super().setUp()
        self.run_ok(*"perf --backend host --gpus 1 --ops all_reduce -b 1K -e 4K -n 2 --out run.json".split())

    def report(self, *more):
        return self.run_program("report", "--record", "run.json", "--out-file", "r.xlsx", *more)

    def test_five_sheets_and_nineteen_items_with_values(self):
        self.assert_status(self.report(), OK)
        book = self.workbook()
        self.assertEqual(book.sheetnames, SHEETS)
        sheet = book[SHEETS[0]]
        self.assertEqual(self.column(sheet)[:19], ITEMS)
        self.assertNotIn(None, self.column(sheet, "B")[:19])
        digest = hashlib.sha256((self.folder / "run.json").read_bytes()).hexdigest()
        self.assertIn(digest, " ".join(self.all_texts(sheet)))
        for label in ("客户", "测试人", "审核", "日期"):
            self.assertIn(label, self.column(sheet))
        for name in SHEETS[2:]:
            self.assertTrue(self.all_texts(book[name]), name)

    def test_a_run_that_was_cut_short_says_so_in_the_workbook(self):
        record = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        record["finished"] = ""
        self.write("run.json", json.dumps(record))
        self.report()
        self.assertTrue([text for text in self.all_texts(self.workbook()[SHEETS[0]]) if text.endswith(" RUN1")])

    def test_the_environment_of_another_machine_is_a_warning(self):
        recording = str(REPOSITORY / "tests/machines/c500x8/recording.tar.gz")
        result = self.report("--from", recording)
        self.assertIn("SOURCE3", result.err)
        self.assertIn("警告 SOURCE3", self.all_texts(self.workbook()[SHEETS[0]]))
        self.assertNotIn("SOURCE3", self.report("--probe").err)

    def test_same_record_gives_the_same_bytes(self):
        self.report()
        first = (self.folder / "r.xlsx").read_bytes()
        self.report()
        self.assertEqual((self.folder / "r.xlsx").read_bytes(), first)

    def test_english_workbook(self):
        self.assert_status(self.report("--lang", "en"), OK)
        self.assertEqual(self.workbook().sheetnames[0], "Environment")

    def test_form_overrides_an_item(self):
        self.write("form.json", json.dumps({"服务器型号": "=HYPERLINK(\"x\")", "customer": "ACME"}))
        self.assert_status(self.report("--form", "form.json"), OK)
        sheet = self.workbook()[SHEETS[0]]
        self.assertIn("手工", sheet["B2"].value)
        self.assertEqual(sheet["B2"].data_type, "s", "a text never becomes a formula")
        self.assertIn("ACME", " ".join(self.all_texts(sheet)))

    def test_the_document_names_every_item_of_the_form(self):
        self.write("form.json", '{"no such item": "x"}')
        said = self.report("--form", "form.json").err
        listed = said[said.index("known are ") + len("known are "):].strip().split(", ")
        self.assertEqual(len(listed), len(ITEMS) + 4)
        document = (REPOSITORY / "docs/measuring.md").read_text(encoding="utf-8")
        help_text = self.run_ok("report", "--help").out
        for entry in listed:
            key = entry.split(" ")[0]
            name = entry[len(key) + 2:-1] or key
            self.assertIn(f"| `{key}` | {name} |", document)
            self.assertIn(key, help_text)
        for label in ITEMS + ["客户", "测试人", "审核", "日期"]:
            self.assertIn(f" {label} |", document)
            self.write("form.json", json.dumps({label: "x"}))
            self.assert_status(self.report("--form", "form.json"), OK)

    def test_a_workbook_that_is_there_is_kept(self):
        self.report()
        book = self.workbook()
        book[SHEETS[0]]["B24"] = "signed by hand"
        book.save(self.path("r.xlsx"))
        signed = (self.folder / "r.xlsx").read_bytes()
        result = self.report()
        self.assertIn("kept as r.xlsx.1", result.err)
        self.assertEqual((self.folder / "r.xlsx.1").read_bytes(), signed)
        self.assertNotIn("signed by hand", self.all_texts(self.workbook()[SHEETS[0]]))
        self.assertIn("kept as r.xlsx.2", self.report().err)
        self.assertEqual((self.folder / "r.xlsx.1").read_bytes(), signed)

    def test_a_record_that_was_altered_is_not_believed(self):
        self.assertNotIn("LOG", self.report().err)
        record = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        table = record["tables"][0]
        place = {column["id"]: i for i, column in enumerate(table["columns"])}
        table["rows"][0][place["size_bytes"]] = -5
        table["rows"][1][place["out_of_place_algbw_gb_s"]] = 1e300
        self.write("run.json", json.dumps(record))
        result = self.report()
        for check in ("LOG1", "LOG2"):
            self.assert_says(result, check)
            self.assertIn(f"警告 {check}", self.all_texts(self.workbook()[SHEETS[0]]))
        cells = [cell for row in self.workbook()[SHEETS[1]].iter_rows(values_only=True) for cell in row]
        self.assertNotIn(-5, cells)
        self.assertNotIn(1e300, cells)

    def test_json_writes_the_workbook_that_was_named(self):
        result = self.report("--json")
        self.assert_status(result, OK)
        self.assertEqual(json.loads(result.out)["tables"][0]["id"], "perf/all_reduce/1")
        self.assertEqual(self.workbook().sheetnames, SHEETS)
        self.assert_status(self.run_program("report", "--record", "run.json", "--json"), OK)
        self.assertFalse((self.folder / "mccl_test.xlsx").exists())

    def test_an_interrupted_report_leaves_nothing(self):
        os.mkfifo(self.path("log"))
        child = self.start_program("report", "--log-file", "log", "--out-file", "x.xlsx")
        writer = os.open(self.path("log"), os.O_WRONLY)  # opens when the program reads
        self.addCleanup(os.close, writer)
        time.sleep(0.3)
        child.terminate()
        self.finish(child, 10)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("x.xlsx")], [])

    def test_one_record_makes_one_workbook(self):
        for more in (("--record", "run.json"), ("run.json",)):
            result = self.run_program("report", "--record", "run.json", *more)
            self.assert_status(result, USAGE)
            self.assert_says(result, "--out-file")

    def test_says_what_is_no_record(self):
        self.write("empty.json", "")
        recording = str(REPOSITORY / "tests/machines/c500x8/recording.tar.gz")
        for option, path, said in (("--record", "empty.json", "is empty"), ("--log-file", "empty.json", "is empty"),
                                   ("--record", recording, "give it with --from")):
            with self.subTest(path=path, option=option):
                result = self.run_program("report", option, path, "--out-file", "x.xlsx")
                self.assert_status(result, USAGE)
                self.assert_says(result, said)

    def test_a_machine_whose_name_nobody_told_is_unknown(self):
        text = str(REPOSITORY / "tests/fuzz/corpus/dmidecode")
        files = sorted(path for path in pathlib.Path(text).iterdir() if path.is_file())
        self.run_ok("report", "--from", str(files[0]), "--out-file", "m.xlsx")
        self.assertEqual(self.workbook("m.xlsx")[SHEETS[4]]["A4"].value, "未知")

    def test_wrong_form(self):
        for text in ("{", "[]", '{"no such item": "x"}', '{"customer": 5}'):
            with self.subTest(text=text):
                self.write("form.json", text)
                result = self.report("--form", "form.json")
                self.assert_status(result, USAGE)
                self.assert_says(result, "form.json")

    def test_damaged_records(self):
        good = (self.folder / "run.json").read_text(encoding="utf-8")
        cases = {"cut": (good[: len(good) // 2], "line"), "empty": ("", ""), "foreign": ('{"a": 1}', "tool"),
                 "newer": (good.replace('"schema": 1', '"schema": 99'), "99"),
                 "type": (good.replace('"tool_version": "', '"tool_version": 7, "x": "'), "tool_version")}
        for name, (text, said) in cases.items():
            with self.subTest(case=name):
                self.write(f"{name}.json", text)
                result = self.run_program("report", "--record", f"{name}.json", "--out-file", "x.xlsx")
                self.assert_status(result, USAGE)
                self.assert_says(result, f"{name}.json", said)
                self.assertFalse((self.folder / "x.xlsx").exists())

    def test_missing_record(self):
        result = self.run_program("report", "--record", "nothing.json")
        self.assert_status(result, USAGE)
        self.assert_says(result, "nothing.json", "No such file")

    def test_places_that_cannot_be_written(self):
        for place in ("missing/r.xlsx", "."):
            with self.subTest(place=place):
                result = self.run_program("report", "--record", "run.json", "--out-file", place)
                self.assertIn(result.status, (USAGE, TOOL), str(result))
                self.assert_says(result, place.replace(".", r"\."))

    def test_full_disk_leaves_nothing_behind(self):
        folder = self.small_disk("8k")
        result = self.run_program("report", "--record", "run.json", "--out-file", "small/r.xlsx")
        self.assert_status(result, TOOL)
        self.assert_says(result, "small/r.xlsx", "No space left")
        self.assertEqual(list(folder.iterdir()), [])


if __name__ == "__main__":
    main()

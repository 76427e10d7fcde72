#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads workbooks back with openpyxl and holds them to the guide's layout, told here in our own words.

    test_workbook_layout.py PATH/report_bench
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import openpyxl

BENCH = ""
ITEMS = ["服务器IP", "服务器型号", "服务器bios版本", "性能模式", "CPU型号", "PCIe Gen", "PCIe MaxPayload", "PCIe ACS",
         "网卡型号", "网卡数量", "网卡带宽", "网络协议(IB/RoCE)", "GPU型号", "GPU拓扑", "OS", "OS kernel", "SW Version",
         "vbios", "通信库测试配置"]
SHEETS = ["环境信息", "测试数据", "DP数据", "P2P数据", "TOPO信息"]
HEADS = ["size", "count", "type", "redop", "root", "kernel-avg-time(us)", "time-oplace(us)", "algbw(gb/s)-oplace",
         "busbw(gb/s)-oplace", "error", "time-iplace(us)", "algbw(gb/s)-iplace", "busbw(gb/s)-iplace", "error"]

# Without the kernel column: 13 words a row, the operation "none".
PLAIN_LOG = """\
# Collective test starting: all_gather_perf
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
# Using devices
#  Rank  0 Group  0 Pid  1 on  node1 device  0 [0000:0f:00] Made GPU
#  Rank  1 Group  0 Pid  2 on  node1 device  1 [0000:10:00] Made GPU
#                                                    out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
     1048576        131072     float    none      -1    50.00   20.97   10.49       0    40.00   26.21   13.11       0
     2097152        262144     float    none      -1    80.00   26.21   13.11       0    70.00   29.96   14.98       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 12.9225
"""


def log_blocks(text):
    """[(name, count, [[word, ...], ...]), ...] of a log in the guide's form, read by hand."""
    blocks, rows = [], None
    for line in text.splitlines():
        words = line.replace("#", " ").split()
        if line.startswith("---- mccl_test"):
            rows = []
            blocks.append((words[2], int(words[3]), rows))
        elif rows is not None and len(words) in (13, 14) and words[0].isdigit() and words[2] == "bfloat16":
            rows.append(words if len(words) == 14 else words[:3] + [""] + words[3:])
    return blocks


def cell_value(word):
    """What a printed word is as a cell: nothing, a whole number, a number, or the text itself."""
    if word == "":
        return None
    try:
        return float(word) if "." in word else int(word)
    except ValueError:
        return word


def size_name(text):
    size, unit = int(text), 0
    while size >= 1024:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f}{'KMGT'[unit - 1]}" if unit else int(text)


class Layout(unittest.TestCase):
    """One log of two rounds, 54 blocks, read back."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.folder.name)
        subprocess.run([BENCH, "--make", "150K", str(folder / "made.txt")], check=True)
        subprocess.run([BENCH, str(folder / "made.txt"), str(folder / "made.xlsx")], check=True)
        cls.blocks = log_blocks((folder / "made.txt").read_text(encoding="utf-8"))
        cls.book = openpyxl.load_workbook(folder / "made.xlsx")
        (folder / "plain.txt").write_text(PLAIN_LOG, encoding="utf-8")
        subprocess.run([BENCH, str(folder / "plain.txt"), str(folder / "plain.xlsx")], check=True)
        cls.plain = openpyxl.load_workbook(folder / "plain.xlsx")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_five_sheets(self):
        self.assertEqual(self.book.sheetnames, SHEETS)
        for name in SHEETS[2:]:
            texts = [str(cell.value) for row in self.book[name].iter_rows() for cell in row if cell.value]
            self.assertTrue(any("gpuadapt " in text for text in texts), f"{name} names no command")

    def test_items(self):
        sheet = self.book["环境信息"]
        self.assertEqual([sheet.cell(row + 1, 1).value for row in range(19)], ITEMS)
        for row in range(1, 20):
            self.assertTrue(sheet.cell(row, 2).value, f"B{row} is empty")
            for column in (1, 2):
                border = sheet.cell(row, column).border
                for side in (border.left, border.right, border.top, border.bottom):
                    self.assertEqual((side.style, side.color.rgb[-6:]), ("thin", "000000"))
        for row in range(1, 6 + len(self.blocks)):
            self.assertEqual((sheet.cell(row, 1).font.name, sheet.cell(row, 1).font.sz), ("Arial", None))
        widths = {key: value.width for key, value in sheet.column_dimensions.items() if value.customWidth}
        self.assertEqual(widths, {"A": 20, "B": 53, "F": 20})

    def test_busbw_table(self):
        sheet = self.book["环境信息"]
        sizes = [size_name(row[0]) for row in self.blocks[0][2]]
        head = [cell.value for cell in sheet[5][5:]]
        self.assertEqual(head[:3 + len(sizes)], ["mccl_test", "GPU", "Bytes"] + sizes)
        self.assertEqual(sheet.cell(4, 5 + 3 + len(sizes) + 1).value, "对比结果")
        for i, (name, count, rows) in enumerate(self.blocks):
            cells = sheet[6 + i][5:8 + len(rows)]
            self.assertEqual([cell.value for cell in cells], [name, count, "GB/s"] + [float(row[8]) for row in rows])
            self.assertEqual({cell.number_format for cell in cells[3:]}, {"0.00"})
            self.assertEqual({cell.alignment.horizontal for cell in cells[3:]}, {"right"})
        self.assertEqual({cell.alignment.horizontal for cell in sheet[5]}, {"left"})

    def test_below_the_table(self):
        sheet = self.book["环境信息"]
        last = max(19, 5 + len(self.blocks))
        labels = [sheet.cell(row, 1).value for row in range(last + 1, sheet.max_row + 1)]
        self.assertEqual([label for label in labels if label], ["客户", "测试人", "审核", "日期", "数据来源", "记录SHA-256", "检查结果"])

    def test_test_data(self):
        sheet = self.book["测试数据"]
        row = 1
        for name, count, rows in self.blocks:
            self.assertEqual([cell.value for cell in sheet[row][:4]], ["mccl_test", name, count, None])
            self.assertEqual([cell.value for cell in sheet[row + 1]], HEADS)
            for i, words in enumerate(rows):
                cells = sheet[row + 2 + i]
                self.assertEqual([cell.value for cell in cells], [cell_value(word) for word in words])
                for cell, word in zip(cells, words):
                    self.assertEqual(cell.number_format, "0.00" if "." in word else "General")
                    right = isinstance(cell.value, (int, float))
                    self.assertEqual(cell.alignment.horizontal, "right" if right else "left")
            row += 2 + len(rows)
            self.assertEqual({cell.value for cell in sheet[row]}, {None})
            row += 1
        self.assertEqual(sheet.max_row, row - 1)
        widths = {key: value.width for key, value in sheet.column_dimensions.items() if value.customWidth}
        self.assertEqual(widths, {"A": 15, "B": 15, "C": 10, "F": 16, "G": 20, "H": 20, "J": 16, "K": 20, "L": 20})

    def test_a_log_without_the_kernel_column(self):
        environment, data = self.plain["环境信息"], self.plain["测试数据"]
        self.assertEqual([cell.value for cell in environment[6][5:10]], ["all_gather_perf", 2, "GB/s", 10.49, 13.11])
        self.assertEqual([cell.value for cell in data[3]],
                         [1048576, 131072, "float", None, -1, None, 50.0, 20.97, 10.49, 0, 40.0, 26.21, 13.11, 0])

    def test_nothing_is_a_formula(self):
        for book in (self.book, self.plain):
            for sheet in book:
                for row in sheet.iter_rows():
                    for cell in row:
                        self.assertNotEqual(cell.data_type, "f")
                        self.assertIsNone(cell.hyperlink)


if __name__ == "__main__":
    BENCH = sys.argv.pop(1)
    unittest.main()

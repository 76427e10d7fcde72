#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the guide's perf_to_xlsx.py beside gpuadapt on the same logs and compares the two sheets cell by cell.

    compare_with_guide.py --script perf_to_xlsx.py --gpuadapt build/release/gpuadapt LOG...

Compared in 环境信息 and 测试数据, in the rectangle that the script fills: value and its type, number format, alignment,
border, font and the widths of the columns. Left out: column B of 环境信息, which gpuadapt fills, and what it writes
below the script's last row. A colour that is not given and the theme's first text colour are the same automatic
colour; the family number of a font only repeats what its name says. Status 1 when a cell differs.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import openpyxl
from openpyxl.utils import get_column_letter

SHEETS = ("环境信息", "测试数据")
SHOWN = 20


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def colour(value):
    """Six hexadecimal digits, or None for the automatic colour."""
    if value is None or (value.type == "theme" and value.theme == 1):
        return None
    if value.type == "rgb":
        return value.rgb[-6:]
    return f"{value.type}:{value.value}"


def side(value):
    return (value.style, colour(value.color)) if value is not None and value.style else None


def facets(cell):
    """What must be equal, by name."""
    border, font, alignment = cell.border, cell.font, cell.alignment
    return {
        "value": cell.value,
        "type": type(cell.value).__name__,
        "number format": cell.number_format,
        "alignment": (alignment.horizontal, alignment.vertical, bool(alignment.wrap_text), alignment.indent),
        "border": tuple(side(getattr(border, name)) for name in ("left", "right", "top", "bottom")),
        "font": (font.name, font.sz, bool(font.b), bool(font.i), font.u, bool(font.strike), colour(font.color)),
        "fill": cell.fill.fill_type,
    }


def widths(sheet):
    """Width of each column that has one of its own."""
    found = {}
    for letter, dimension in sheet.column_dimensions.items():
        if dimension.customWidth:
            found[letter] = dimension.width
    return found


def compare_sheet(name, guide, ours):
    cells, differences = 0, []
    if widths(guide) != widths(ours):
        differences.append(f"{name}: widths {widths(guide)} and {widths(ours)}")
    for row in range(1, guide.max_row + 1):
        for column in range(1, guide.max_column + 1):
            if name == SHEETS[0] and column == 2:
                continue
            cells += 1
            place = f"{get_column_letter(column)}{row}"
            left, right = facets(guide[place]), facets(ours[place])
            differences += [f"{name} {place}: {facet}: guide {left[facet]!r}, gpuadapt {right[facet]!r}"
                            for facet in left if left[facet] != right[facet]]
    return cells, differences


def compare(script, gpuadapt, log, folder):
    """Number of compared cells and the differences of one log."""
    theirs, ours = folder / "guide.xlsx", folder / "gpuadapt.xlsx"
    status, said = run([sys.executable, script, "--log-file", log, "--out-file", str(theirs)])
    if status != 0:
        return 0, [f"the script fails: {said.strip().splitlines()[-1] if said.strip() else status}"]
    if pathlib.Path(gpuadapt).name == "report_bench":
        status, said = run([gpuadapt, log, str(ours)])
    else:
        status, said = run([gpuadapt, "report", "--log-file", log, "--out-file", str(ours)])
    if not ours.exists():
        return 0, [f"gpuadapt writes no workbook (status {status}): {said.strip()}"]
    guide_book, our_book = openpyxl.load_workbook(theirs), openpyxl.load_workbook(ours)
    cells, differences = 0, []
    for name in SHEETS:
        more, found = compare_sheet(name, guide_book[name], our_book[name])
        cells += more
        differences += found
    return cells, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", required=True, help="the guide's perf_to_xlsx.py")
    parser.add_argument("--gpuadapt", required=True, help="the program, or report_bench")
    parser.add_argument("logs", nargs="+", metavar="LOG")
    options = parser.parse_args()
    status = 0
    for log in options.logs:
        with tempfile.TemporaryDirectory() as folder:
            cells, differences = compare(options.script, options.gpuadapt, log, pathlib.Path(folder))
        for difference in differences[:SHOWN]:
            print(f"  {difference}")
        print(f"{log}: {cells} cells, {len(differences)} differences")
        status = status or (1 if differences or cells == 0 else 0)
    return status


if __name__ == "__main__":
    sys.exit(main())

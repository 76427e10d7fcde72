#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The picture of the README, drawn from real output.

    scripts/make_picture.py RUN.log REPORT.xlsx > docs/picture.svg

Above the end of the log's first table, below the first sheet of the workbook: items and values, and the table of bus
bandwidth with every second size. An SVG, so that it stays sharp and a change of it can be read.
"""
import sys
import unicodedata
from xml.sax.saxutils import escape

import openpyxl

WIDTH = 980
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS = "'Helvetica Neue', Arial, 'Noto Sans CJK SC', 'Microsoft YaHei', sans-serif"


def text(x, y, content, size, family, color="#1f2328", anchor="start", extra=""):
    return (f'<text x="{x}" y="{y}" font-size="{size}" font-family="{family}" fill="{color}" '
            f'text-anchor="{anchor}" xml:space="preserve"{extra}>{escape(str(content))}</text>')


def width_of(content):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in content)


def cut(content, columns):
    content = " ".join(str(content).split())
    if width_of(content) <= columns:
        return content
    while width_of(content) > columns - 1:
        content = content[:-1]
    return content + "…"


def terminal(lines, top):
    height = 34 + 15 * len(lines)
    out = [f'<rect x="10" y="{top}" width="{WIDTH - 20}" height="{height}" rx="6" fill="#0d1117"/>']
    for i, line in enumerate(lines):
        color = "#7ee787" if line.startswith("$") else "#8b949e" if line.startswith(("#", "-")) else "#e6edf3"
        size = 11.5
        out.append(text(24, top + 26 + 15 * i, line, size, MONO, color, extra=f' textLength="{6.9 * len(line):.0f}"'))
    return out, top + height


def sheet(book, top):
    page = book.worksheets[0]
    left, row_height = 10, 17
    widths = [120, 314] + [128, 36, 50] + [52] * 6
    start = [left]
    for width in widths:
        start.append(start[-1] + width)
    header = next(row for row in range(1, page.max_row + 1) if page.cell(row, 6).value == "mccl_test")
    columns = [1, 2, 6, 7, 8] + list(range(9, page.max_column + 1, 2))[:6]
    out = [f'<rect x="{left}" y="{top}" width="{WIDTH - 20}" height="{19 * row_height + 24}" fill="#ffffff" '
           'stroke="#d0d7de"/>']
    for row in range(1, 20):
        y = top + row_height * (row - 1)
        for i, column in enumerate(columns):
            value = page.cell(row, column).value
            if i >= 2 and not header <= row <= header + 9:
                continue
            out.append(f'<rect x="{start[i]}" y="{y}" width="{widths[i]}" height="{row_height}" fill="none" '
                       'stroke="#d0d7de"/>')
            if value is None:
                continue
            shown = f"{value:.2f}" if isinstance(value, float) else cut(value, int(widths[i] / 6.0))
            right = isinstance(value, (int, float))
            out.append(text(start[i + 1] - 4 if right else start[i] + 4, y + 12.5, shown, 11, SANS,
                            anchor="end" if right else "start"))
    y = top + 19 * row_height
    x = left + 8
    for name in book.sheetnames:
        width = 7 * width_of(name) + 16
        out.append(text(x, y + 17, name, 11.5, SANS, "#1a7f37" if name == book.sheetnames[0] else "#59636e"))
        x += width
    return out, y + 24


def main(log_name, workbook_name):
    with open(log_name, encoding="utf-8") as file:
        log = file.read().splitlines()
    end = next(i for i, line in enumerate(log) if line.startswith("# Avg bus bandwidth"))
    table = [line for line in log[: end + 1] if not line.startswith(("# nThread", "# gpuadapt", "# Collective"))
             and line.strip() not in ("#", "")]
    lines = ["$ gpuadapt perf --gpus 2 --ops all -b 1K -e 16M -f 2 -n 20 -d bfloat16 --out run.json", *table,
             "$ gpuadapt report --record run.json --out-file report.xlsx"]
    upper, bottom = terminal([line.rstrip() for line in lines], 10)
    lower, bottom = sheet(openpyxl.load_workbook(workbook_name), bottom + 12)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 10}" '
          f'viewBox="0 0 {WIDTH} {bottom + 10}">')
    print('<rect width="100%" height="100%" fill="#f6f8fa"/>')
    print("\n".join(upper + lower))
    print("</svg>")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the pictures of the docs: grid.svg, streams.svg, broadcasting.svg, and wide.svg from the figures in
docs/performance.md. They are light or dark, as the reader's system is. pool.svg is written by hand, in this style.

  draw.py            writes them
  draw.py --check    prints which of them are out of date, and exits 1 if any is
"""
import re
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
STYLE = """
    svg { --paper: #fff; --ink: #1d2630; --soft: #5b6875; --line: #c9d3da; --panel: #f5f8fa;
      --a: #cfe8ec; --b: #f6dfc6; --c: #dcd9f2; --edge-a: #0c8493; --edge-b: #b8681a; --edge-c: #6a5fb5; }
    @media (prefers-color-scheme: dark) {
      svg { --paper: #12181e; --ink: #d9e1e8; --soft: #93a2af; --line: #3a4752; --panel: #1a232b;
        --a: #164049; --b: #4a3420; --c: #33305a; --edge-a: #2fa5b3; --edge-b: #d58c45; --edge-c: #9a90e0; }
    }
    text { fill: var(--ink); } .soft { fill: var(--soft); } .mono { font-family: ui-monospace, monospace; }
    .paper { fill: var(--paper); } .panel { fill: var(--panel); stroke: var(--line); }
    .a { fill: var(--a); stroke: var(--edge-a); } .b { fill: var(--b); stroke: var(--edge-b); }
    .c { fill: var(--c); stroke: var(--edge-c); }
    .ghost { fill: none; stroke: var(--edge-a); stroke-dasharray: 4 3; opacity: .75; }
    .ghost-b { fill: none; stroke: var(--edge-b); stroke-dasharray: 4 3; opacity: .75; }
    .line { fill: none; stroke: var(--soft); } .arrow { fill: none; stroke: var(--soft); marker-end: url(#head); }
    .chosen { stroke-width: 3; }
    .head { fill: var(--soft); } .less { fill: var(--b); stroke: var(--edge-b); }"""


class Picture:
    def __init__(self, width, height, label):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="{escape(label)}">',
            f"  <style>{STYLE}\n  </style>",
            '  <defs><marker id="head" markerWidth="9" markerHeight="7" refX="8" refY="3.5" orient="auto">'
            '<path class="head" d="M0,0 L9,3.5 L0,7 z"/></marker></defs>',
            f'  <rect class="paper" width="{width}" height="{height}" rx="8"/>']

    def box(self, x, y, width, height, kind, radius=4, title=""):
        end = f"><title>{escape(title)}</title></rect>" if title else "/>"
        self.parts.append(
            f'  <rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"{end}')

    def text(self, x, y, words, kind="", size=14, anchor="start", weight=""):
        kind = f' class="{kind}"' if kind else ""
        weight = f' font-weight="{weight}"' if weight else ""
        anchor = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'  <text{kind} x="{x}" y="{y}" font-size="{size}"{anchor}{weight}>{escape(words)}</text>')

    def path(self, d, kind="arrow"):
        self.parts.append(f'  <path class="{kind}" d="{d}"/>')

    def done(self):
        return "\n".join([*self.parts, "</svg>", ""])


def grid():
    p = Picture(860, 330, "A grid of two blocks of four threads, and the element that each thread works on")
    p.text(30, 34, "the grid: weft_launch(saxpy, WEFT_DIM3(2), WEFT_DIM3(4), ...)", size=15, weight=600)
    p.text(30, 66, "threadIdx.x =", "soft mono", 12)
    for block, kind in enumerate("ab"):
        y = 78 + block * 92
        p.text(30, y + 30, f"block {block}")
        p.text(30, y + 48, f"blockIdx.x = {block}", "soft mono", 12)
        for thread in range(4):
            x = 150 + thread * 92
            if block == 0:
                p.text(x + 40, 66, str(thread), "soft mono", 12, "middle")
            p.box(x, y, 80, 74, kind + " chosen" if block * 4 + thread == 6 else kind, 6)
            p.text(x + 40, y + 46, str(block * 4 + thread), "", 26, "middle", 600)
    p.text(30, 296, "array y")
    for element in range(8):
        x = 150 + element * 45.0
        p.box(x, 272, 40, 36, "a" if element < 4 else "b")
        p.text(x + 20, 295, f"y[{element}]", "mono", 12, "middle")
    p.path("M374,244 C374,262 440,250 440,266")
    p.box(560, 78, 270, 230, "panel chosen", 8)
    p.text(580, 106, "thread 6 of the launch", weight=600)
    for i, (name, value) in enumerate([("blockIdx.x", "1"), ("blockDim.x", "4"), ("threadIdx.x", "2")]):
        p.text(580, 136 + i * 22, name, "mono", 13)
        p.text(700, 136 + i * 22, value, "mono", 13)
    p.text(580, 214, "i = threadIdx.x", "mono", 13)
    p.text(580, 234, "  + blockIdx.x * blockDim.x", "mono", 13)
    p.text(580, 254, "  = 2 + 1 * 4 = 6", "mono", 13)
    p.text(580, 288, "y[6] += a * x[6]", "mono", 13, weight=600)
    return p.done()


def streams():
    p = Picture(860, 300, "Work of two streams and the host on a time line")
    rows = {"host": 60, "context's queue": 125, "stream side": 190}
    for name, y in rows.items():
        p.text(24, y + 23, name, weight=600)
        p.path(f"M175,{y + 44} H836", "line")
    p.text(24, 36, "time", "soft", 12)
    p.path("M60,32 H836")

    def bar(row, start, end, kind, words, size=12):
        p.box(start, rows[row], end - start, 36, kind, 5)
        p.text((start + end) / 2, rows[row] + 23, words, "mono", size, "middle")

    bar("host", 180, 245, "panel", "launch_on", 11)
    bar("host", 249, 304, "panel", "launch", 11)
    bar("host", 308, 352, "panel", "add", 11)
    bar("host", 356, 790, "ghost", "weft_context_wait: the host waits for all streams")
    bar("stream side", 215, 390, "b", "saxpy: y += 2 x")
    bar("context's queue", 275, 388, "ghost", "waits for y")
    bar("context's queue", 392, 566, "a", "saxpy: y += 1 x")
    bar("stream side", 394, 566, "ghost-b", "waits for y")
    bar("stream side", 570, 786, "b", "weft_add: y = y + x")
    p.path("M390,196 C398,185 380,172 391,163")
    p.path("M566,152 C580,165 562,180 570,192")
    p.text(24, 262, "Launches return at once. The array y remembers who wrote it, and work on another stream waits,",
           "soft", 13)
    p.text(24, 282, "on the device. Work on other arrays would overlap.", "soft", 13)
    return p.done()


def broadcasting():
    p = Picture(860, 300, "Broadcasting: a row and a column are repeated along axes of length 1")

    def cells(x, y, values, kind, ghost):
        """A matrix of 3 by 4; cells outside of the operand's own shape are dashed."""
        for i in range(3):
            for j in range(4):
                value, own = values(i, j)
                p.box(x + j * 40, y + i * 40, 38, 38, kind if own else ghost, 3)
                p.text(x + j * 40 + 19, y + i * 40 + 25, str(value), "" if own else "soft", 15, "middle")

    p.text(30, 34, "weft_add(&y, column, row)", "mono", 15, weight=600)
    p.text(110, 72, "column: f32[3, 1]", "mono", 13, "middle")
    cells(30, 90, lambda i, j: (i * 10, j == 0), "a", "ghost")
    p.text(222, 156, "+", size=24, anchor="middle")
    p.text(330, 72, "row: f32[4]", "mono", 13, "middle")
    cells(252, 90, lambda i, j: (j + 1, i == 0), "b", "ghost-b")
    p.text(444, 156, "=", size=24, anchor="middle")
    p.text(554, 72, "y: f32[3, 4]", "mono", 13, "middle")
    cells(474, 90, lambda i, j: (i * 10 + j + 1, True), "c", "c")
    p.text(660, 104, "Aligned at the last axis:", size=13)
    for i, (name, shape) in enumerate([("column", "3  1"), ("row", "   4"), ("y", "3  4")]):
        p.text(660, 132 + i * 22, name, "mono", 13)
        p.text(740, 132 + i * 22, shape.replace(" ", "\u00a0"), "mono", 13)
    p.text(660, 204, "Length 1 is repeated.", size=13)
    p.text(30, 248, "Dashed elements take no memory: the stride along a repeated axis is 0 bytes.", "soft", 13)
    p.text(30, 268, "Lengths that differ, neither of them 1, are WEFT_ERROR_SHAPE.", "soft", 13)
    return p.done()


def table_after(text, heading, first_column):
    """The rows of the table in a section of docs/performance.md whose first column has this title."""
    section = re.split(r"^## ", text.partition(f"\n## {heading}")[2], flags=re.MULTILINE)[0]
    table = re.search(rf"^\| {re.escape(first_column)} \|.*\n\|[-|]+\n((?:\|.*\n)*)", section, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.group(1).strip().split("\n")]


def number(text):
    return float(re.search(r"\d+(?:\.\d+)?", text.replace("**", "")).group(0))


def wide():
    text = (HERE.parent / "performance.md").read_text(encoding="utf-8")
    heading = "129 calls beside PyTorch and CuPy (NVIDIA H200)"
    means = [(f"n = {row[0]}", number(row[1])) for row in table_after(text, heading, "n")]
    behind = [(row[0], number(row[2]) / number(row[1])) for row in table_after(text, heading, "call")]
    primitives = [(re.split(r"; ", row[0])[0], number(row[4])) for row in table_after(text, "Primitives (NVIDIA H200)",
                  "primitive") if re.search(r"\d", row[4]) and row[3] != "-" and not re.search("same|`", row[0])]
    said = re.search(rf"## {re.escape(heading)}\n\n(Date .*?driver [\d.]*\d)", text, re.DOTALL).group(1)
    primitives_date = re.search(r"## Primitives \(NVIDIA H200\)\n\nDate ([\d-]+)", text).group(1)
    parts = [("129 calls as a user writes them, geometric mean", means),
             (f"primitives beside the fastest peer ({primitives_date})", sorted(primitives, key=lambda row: -row[1])),
             ("of the 129 calls, those furthest behind, n = 2^26", sorted(behind, key=lambda row: -row[1]))]
    height = 84 + sum(46 + 22 * len(rows) for _, rows in parts)
    p = Picture(860, height, "Time of the fastest peer over Weft's time, for many calls on an NVIDIA H200")
    p.text(24, 34, "Time of the fastest peer / time of Weft", size=16, weight=600)
    p.text(24, 54, " ".join(said.split()) + "; more is better", "soft", 12)
    left, scale, y = 330, 230, 66
    p.path(f"M{left + scale},70 V{height - 14}", "line")
    p.text(left + scale, 64, "as fast", "soft", 11, "middle")
    for title, rows in parts:
        y += 28
        p.text(24, y, title, "soft", 12)
        y += 18 - 10
        for name, ratio in rows:
            p.text(left - 10, y + 14, name, "", 12, "end")
            p.box(left, y + 3, round(ratio * scale, 1), 14, "a" if ratio >= 0.97 else "less", 3)
            p.text(left + round(ratio * scale, 1) + 6, y + 14, f"{ratio:.2f}", "", 11)
            y += 22
        y += 10
    return p.done()


def main():
    stale = []
    for make in (grid, streams, broadcasting, wide):
        file = HERE / f"{make.__name__}.svg"
        text = make()
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        if sys.argv[1:] == ["--check"]:
            stale.append(f"docs/pictures/{file.name}: out of date; run docs/pictures/draw.py")
        else:
            file.write_text(text, encoding="utf-8")
    for line in stale:
        print(line)
    sys.exit(bool(stale))


if __name__ == "__main__":
    main()

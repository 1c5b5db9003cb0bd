# SPDX-License-Identifier: MIT
"""What against_peers.py reports: a table, a picture, and a section of docs/performance.md."""
import configparser
import math
import os
import re
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "pictures"))
from draw import Picture  # noqa: E402

BEHIND = 0.97  # a row below is more than 3 % behind
SLOW = 0.5  # awkward shapes: the least ratio
GROWTH = 2  # awkward shapes: how much more than the size a time may grow; sizes that leave a cache take part of it


def best_peer(row):
    """The name of the fastest peer; None without one."""
    return min(row["peers"], key=row["peers"].get, default=None)


def ratio(row):
    """The fastest peer's time over Weft's; None where one of them is missing."""
    return row["peers"][best_peer(row)] / row["us"] if row["us"] and row["peers"] else None


def sizes(report):
    return sorted({row["n"] for row in report["rows"]})


def compared(report, n):
    """The rows of a size that have a ratio, the smallest ratio first."""
    return sorted((row for row in report["rows"] if row["n"] == n and ratio(row)), key=ratio)


def size_text(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def ratio_text(value):
    return f"{value:.2f}" if value >= 0.1 else f"{value:.1g}"


def summary(report, n):
    rows = compared(report, n)
    ratios = [ratio(row) for row in rows]
    return {"rows": len(rows), "mean": statistics.geometric_mean(ratios) if ratios else math.nan,
            "under_1": sum(value < 1 for value in ratios), "behind": sum(value < BEHIND for value in ratios),
            "alone": sum(row["n"] == n and row["us"] is not None and not row["peers"] for row in report["rows"])}


def versions(report):
    return ", ".join(f"{name} {version}" for name, version in report["peers"].items())


def table(report):
    """For people: all rows, then the summary of each size, and what was left out."""
    peers = list(report["peers"])
    lines = [f"{report['device']}, driver {report['driver']}; "
             f"{versions(report)}; microseconds", "",
             f"{'':26s}{'N':>10s}{'WEFT':>12s}" + "".join(f"{name.upper():>12s}" for name in peers) +
             f"{'RATIO':>9s}  BEST PEER"]

    def cell(value, width, digits=1):
        return f"{'-':>{width}s}" if value is None else f"{value:{width}.{digits}f}"
    for row in report["rows"]:
        lines.append(f"{row['what']:26s}{size_text(row['n']):>10s}{cell(row['us'], 12)}" +
                     "".join(cell(row["peers"].get(name), 12) for name in peers) +
                     f"{cell(ratio(row), 9, 2)}  {best_peer(row) or '-'}")
    lines.append("")
    for n in sizes(report):
        figures = summary(report, n)
        lines.append(f"{size_text(n)}: geometric mean {figures['mean']:.2f} of {figures['rows']} rows; "
                     f"{figures['under_1']} under 1, {figures['behind']} under {BEHIND}; "
                     f"{figures['alone']} without a peer")
        lines += [f"  {row['what']} {ratio_text(ratio(row))}" for row in under_1(report, n)]
    lines += [f"left out: {name}: {why}" for name, why in report["missing"].items()]
    if report["late"]:
        lines.append(f"{report['late']} calls of peers were left out: no time")
    return "\n".join(lines)


def beyond_bars(report):
    """Lines for the rows of awkward shapes that miss a bar: too slow beside the peer, or growing faster than n."""
    lines = [f"over {1 / SLOW:g} times the fastest peer: {row['what']} {size_text(n)}: {row['us']:.1f} us, "
             f"{best_peer(row)} {row['peers'][best_peer(row)]:.1f}"
             for n in sizes(report) for row in compared(report, n) if ratio(row) < SLOW]
    us = {(row["what"], row["n"]): row["us"] for row in report["rows"] if row["us"]}
    for (what, n), more in us.items():
        smaller = max((m for m in sizes(report) if m < n and (what, m) in us), default=None)
        if smaller and more / us[what, smaller] > GROWTH * n / smaller:
            lines.append(f"grows faster than n: {what}: {us[what, smaller]:.1f} us at {size_text(smaller)}, "
                         f"{more:.1f} at {size_text(n)}")
    return lines or ["no row is beyond a bar"]


# ---- the picture ----

LEFT, BAR, HEIGHT, MOST = 70, 2, 240, 3  # MOST: powers of ten above and below 1


def draw_size(p, report, n, top):
    """A panel: a bar for each row, from 1 up or down, on a logarithmic axis."""
    rows, figures, middle = compared(report, n), summary(report, n), top + HEIGHT / 2
    p.text(LEFT, top - 14, f"n = {size_text(n)}: geometric mean {figures['mean']:.2f} of {figures['rows']} rows, "
           f"{figures['under_1']} under 1", weight=600)
    for power in range(-MOST, MOST + 1):
        y = middle - power * HEIGHT / 2 / MOST
        p.path(f"M{LEFT},{y:.1f} h{BAR * len(rows)}", "line" if power == 0 else "faint")
        p.text(LEFT - 8, y + 4, f"{10.0 ** power:g}", "soft", 12, "end")
    for i, row in enumerate(rows):
        value = math.log10(ratio(row))
        length = min(abs(value), MOST) * HEIGHT / 2 / MOST
        peer = best_peer(row)
        p.box(LEFT + BAR * i, round(middle - length if value > 0 else middle, 1), BAR, round(length, 1),
              "more" if value >= 0 else "fewer", 0,
              f"{row['what']}: {ratio_text(ratio(row))} (Weft {row['us']:.1f} us, {peer} {row['peers'][peer]:.1f})")


def picture(report):
    """The ratios of each size, sorted, as SVG. A bar's title has its row."""
    all_sizes = sizes(report)
    width = LEFT + 30 + BAR * max(400, *(len(compared(report, n)) for n in all_sizes))
    p = Picture(width, 80 + len(all_sizes) * (HEIGHT + 60),
                f"Time of the fastest peer over Weft's time, {report['device']}")
    p.parts.append("  <style>.more { fill: var(--edge-a); } .fewer { fill: var(--edge-b); } "
                   ".faint { fill: none; stroke: var(--line); }</style>")
    p.text(LEFT, 30, "The fastest peer's time over Weft's, all rows of `weft bench wide`", size=16, weight=600)
    p.text(LEFT, 50, f"{report['device']}; {versions(report)}", "soft", 12)
    for i, n in enumerate(all_sizes):
        draw_size(p, report, n, 100 + i * (HEIGHT + 60))
    return p.done()


# ---- the document ----

def reasons_of(kind):
    """Why rows are behind, by name, from reasons.ini."""
    reasons = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    with open(Path(__file__).parent / "reasons.ini", encoding="utf-8") as lines:
        reasons.read_file(lines)
    return dict(reasons[kind])


def under_1(report, n):
    return [row for row in compared(report, n) if ratio(row) < 1]


def behind_cell(row):
    """The ratio, Weft's time and the floor of a row; a dash for a row that is ahead or has no ratio."""
    if row is None or not ratio(row) or ratio(row) >= 1:
        return "-"
    floor = f"; {row['floor_us']:g}" if row.get("floor_us") else ""
    return f"{ratio_text(ratio(row))} ({row['us']:g}{floor})"


def rows_behind(report, reasons):
    """A table of the rows under 1 at any size, the smallest ratio first, each with its reason."""
    rows = {(row["what"], row["n"]): row for row in report["rows"]}
    names = {}
    for n in sizes(report):
        for row in under_1(report, n):
            names[row["what"]] = min(ratio(row), names.get(row["what"], 1))
    for name in reasons.keys() - names.keys():
        print(f"reasons.ini: '{name}' is not behind in this report", file=sys.stderr)
    lines = [*wrapped("The rows under 1: the ratio, and in brackets Weft's time and the floor, in "
                      "microseconds (the bytes that the call must move, at the rate of `copy`):"), "",
             f"| row | {' | '.join(map(size_text, sizes(report)))} | reason |",
             "|---" * (len(sizes(report)) + 2) + "|"]
    for name in sorted(names, key=names.get):
        cells = " | ".join(behind_cell(rows.get((name, n))) for n in sizes(report))
        unknown = "within 3 %" if names[name] >= BEHIND else "not examined"
        lines.append(f"| {name} | {cells} | {reasons.get(name, unknown)} |")
    return lines if names else []


def section(report, picture_path, reasons):
    """The figures as Markdown: a table of sizes, the picture, and the rows under 1."""
    lines = [f"{report['device']}, driver {report['driver']}; {versions(report)}; {report['date']}.", "",
             "| n | rows with a peer | geometric mean | under 1 | under 0.97 | without a peer |",
             "|---|---|---|---|---|---|"]
    for n in sizes(report):
        f = summary(report, n)
        lines.append(f"| {size_text(n)} | {f['rows']} | {f['mean']:.2f} | {f['under_1']} | {f['behind']} | "
                     f"{f['alone']} |")
    if picture_path:
        lines += ["", f"![Bars of the fastest peer's time over Weft's, sorted, for each size]({picture_path})"]
    behind = rows_behind(report, reasons)
    return "\n".join(lines + ([""] + behind if behind else []))


def wrapped(text, width=140):
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def write_document(report, path, svg):
    """Replaces what stands between the two marks of this kind of device."""
    kind = "cpu" if "numpy" in report["peers"] else "gpu"
    text = Path(path).read_text(encoding="utf-8")
    marks = f"<!-- wide {kind}: by tests/bench/against_peers.py -->", f"<!-- end of wide {kind} -->"
    if any(text.count(mark) != 1 for mark in marks):
        sys.exit(f"{path}: expected one line '{marks[0]}' and one '{marks[1]}'")
    link = os.path.relpath(svg, Path(path).parent) if svg else None
    body = section(report, link, reasons_of(kind))
    pattern = re.escape(marks[0]) + ".*" + re.escape(marks[1])
    text = re.sub(pattern, lambda match: f"{marks[0]}\n{body}\n{marks[1]}", text, flags=re.S)
    Path(path).write_text(text, encoding="utf-8")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the rows of `ulp --markdown` (standard input) into the table of docs/accuracy.md: one line for each
function."""
import sys


def main():
    rows = {}
    for line in sys.stdin:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 9 or cells[0] == "function" or cells[0].startswith("---"):
            continue
        name, dtype, _, source, worst, at, _, _, bound = cells
        bound, _, note = bound.partition(",")
        over = " (!)" if "exceed" in note.lower() or float(worst) > float(bound) else ""
        zeros = " (0)" if "zeros" in note else ""
        rows.setdefault(name, {})[dtype] = (source, f"{worst}{over}{zeros} of {bound}", at)
    print("| function | f32 by | f32: worst ULP | at | f64 | f16 | bf16 |\n|---|---|---|---|---|---|---|")
    for name in sorted(rows):
        f32, f64, f16, bf16 = (rows[name].get(dtype, ("", "", "")) for dtype in ("f32", "f64", "f16", "bf16"))
        print(f"| {name} | {f32[0]} | {f32[1]} | {f32[2]} | {f64[1]} | {f16[1]} | {bf16[1]} |")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `weft bench`: the figures as JSON and as a plot.

    tests/process/bench.py WEFT

WEFT is the executable; WEFT_DEVICE selects the device, as for weft itself. Exits with 77 without a device; under
WEFT_TEST_STRICT=1 that is a failure.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

if len(sys.argv) != 2:
    sys.exit(__doc__)
WEFT = os.path.abspath(sys.argv[1])
SVG = "{http://www.w3.org/2000/svg}"


def bench(*words, status=0, message=""):
    done = subprocess.run([WEFT, "bench", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=300)
    assert done.returncode == status and message in done.stderr, f"expected {status} and {message!r}: {done}"
    return done.stdout


def check_head(texts, answer):
    head = " ".join(texts[:4])
    for part in ["weft bench primitives", answer["device"], time.strftime("%Y-%m-", time.gmtime()), "n = 65536"]:
        assert part in head, f"no {part!r} in {head!r}"
    assert any(text.startswith("us, less is better") for text in texts), texts


def check_bars(tree, rows):
    """A row has its two figures as texts, and a larger figure has a longer bar."""
    for key, name in [("us", "own"), ("floor_us", "beside")]:
        bars = [float(e.get("width")) for e in tree.iter(SVG + "rect") if e.get("class") == name]
        bars = bars[1:]  # the first is the legend's
        assert len(bars) == len(rows), f"{name}: {len(bars)} bars for {len(rows)} rows"
        pairs = sorted(zip((row[key] for row in rows), bars))
        for (less, short), (more, long) in zip(pairs, pairs[1:]):
            assert short < long or (short == long and more < 1.05 * less), f"{name}: figures and bars {pairs}"


def check_width(tree):
    """A character takes 9 pixels at most; no text leaves the picture."""
    for e in tree.iter(SVG + "text"):
        x, width = float(e.get("x")), 9 * len(e.text)
        left = x - {"end": width, "middle": width / 2}.get(e.get("text-anchor"), 0)
        assert left >= 0 and left + width <= float(tree.get("width")), f"{e.text!r} leaves the picture"


def main():
    probe = subprocess.run([WEFT, "devices"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if probe.returncode != 0:
        print(f"SKIP: no device, or none that matches WEFT_DEVICE={os.environ.get('WEFT_DEVICE', '')}")
        strict = os.environ.get("WEFT_TEST_STRICT") == "1" and os.environ.get("WEFT_TEST_ANY") != "1"
        return 1 if strict else 77
    words = ["primitives", "--size", "65536", "--only", "n/4"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "plot.svg")
        answer = json.loads(bench(*words, "--json", "--svg", path))
        rows, tree = answer["primitives"], xml.parse(path).getroot()
        texts = [e.text for e in tree.iter(SVG + "text")]
        assert len(rows) == 5 and all(isinstance(row["us"], float) for row in rows), rows
        check_head(texts, answer)
        # faster than any processor adds: work of the calling thread was left out
        assert "by events" in " ".join(texts[:4]) or all(row["us"] > 0.5 for row in rows), rows
        check_bars(tree, rows)
        check_width(tree)
        for row in rows:
            for shown in [row["what"], str(row["us"]), str(row["floor_us"])]:
                assert any(text.startswith(shown) for text in texts), f"no {shown!r} in the plot"
        bench(*words, "--svg", os.path.join(folder, "no", "plot.svg"), status=1, message="No such file")
        bench(*words, "--svg", "/dev/full", status=1, message="No space left")
        assert os.listdir(folder) == ["plot.svg"], os.listdir(folder)
    rows = json.loads(bench("cold", "--only", "matmul", "--json"))["cold"]
    assert len(rows) == 1 and rows[0]["first_ms"] >= rows[0]["second_ms"] / 2 > 0, rows
    rows = json.loads(bench("ways", "--only", "argsort", "--json"))["ways"]
    assert {"sides", "digits"} <= {row["way"] for row in rows} and all(row["us"] > 0 for row in rows), rows
    print("ok: figures and plot")
    return 0


if __name__ == "__main__":
    sys.exit(main())

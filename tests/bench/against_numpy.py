#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weft on a CPU device against NumPy, n = 10^7 f32, in one run: NumPy, Weft, NumPy, and the medians of each.

  against_numpy.py WEFT      the weft command
Exits with 77 without NumPy.
"""
import json
import statistics
import subprocess
import sys
import time

SIZE = 10_000_000
RUNS = 9


def median_ms(call):
    call()
    taken = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        taken.append(1e3 * (time.perf_counter() - start))
    return statistics.median(taken)


def main():
    try:
        import numpy as np
    except ImportError:
        print("skipped: NumPy is not installed")
        sys.exit(77)
    ufuncs(np)
    primitives(np)


def compare(np, bench, work, goals):
    """work: NumPy calls by the names of the bench's rows."""
    numpy_ms = {name: [] for name in work}
    for turn in range(2):
        for name, call in work.items():
            numpy_ms[name].append(median_ms(call))
        if turn == 0:
            answer = subprocess.run([sys.argv[1], "bench", bench, "--device", "cpu", "--size", str(SIZE), "--json"],
                                    check=True,
                                    stdout=subprocess.PIPE, text=True).stdout
    report = json.loads(answer)
    weft_ms = {}
    for row in report[bench]:  # the large arrays come first
        weft_ms.setdefault(row["what"], 1e-3 * float(row["us"]))
    print(f"{report['device']} ({report['driver']}) against NumPy {np.__version__}, weft bench {bench}; n = {SIZE}\n")
    print(f"{'':32s}{'NUMPY MS':>10s}{'WEFT MS':>10s}{'RATIO':>8s}{'ASKED':>8s}")
    for name in work:
        ratio = statistics.mean(numpy_ms[name]) / weft_ms[name]
        goal = goals.get(name, "")
        print(f"{name:32s}{statistics.mean(numpy_ms[name]):10.2f}{weft_ms[name]:10.2f}{ratio:8.2f}{goal:>8}")
    print()


def ufuncs(np):
    x = np.linspace(0.01, 1, SIZE, dtype=np.float32)
    y = np.linspace(1, 8, SIZE, dtype=np.float32)
    out = np.empty_like(x)
    work = {
        "add": lambda: np.add(x, y, out=out),
        "exp": lambda: np.exp(x, out=out),
        "sin": lambda: np.sin(x, out=out),
        "log": lambda: np.log(x, out=out),
        "sqrt": lambda: np.sqrt(x, out=out),
        "pow, array exponent": lambda: np.power(x, y, out=out),
        "exp(a) * b + a in one kernel": lambda: np.exp(x) * y + x,
    }
    goals = {"add": 1.3, "exp": 2, "sin": 1.5, "exp(a) * b + a in one kernel": 5}
    compare(np, "ufunc", work, goals)


def primitives(np):
    rng = np.random.default_rng(1)
    x = rng.random(SIZE, dtype=np.float32)
    words = rng.integers(0, 1 << 32, SIZE, dtype=np.uint32)
    out = np.empty_like(x)
    mask = x > 0.5
    work = {
        "sum": lambda: np.sum(x),
        "max": lambda: np.max(x),
        "argmax": lambda: np.argmax(x),
        "dot": lambda: np.dot(x, out),
        "cumsum": lambda: np.cumsum(x, out=out),
        "sort u32": lambda: np.sort(words),
        "sort f32": lambda: np.sort(x),
        "argsort f32": lambda: np.argsort(x, kind="stable"),
        "select x > 0.5": lambda: x[x > 0.5],
        "compress by a mask": lambda: x[mask],
        "histogram, 256 bins, uniform": lambda: np.histogram(x, 256, (0, 1)),
        "uniform f32": lambda: rng.random(SIZE, dtype=np.float32),
        "normal f32": lambda: rng.standard_normal(SIZE, dtype=np.float32),
    }
    goals = {"sum": 2, "cumsum": 5, "argsort f32": 8, "sort u32": 1, "sort f32": 1, "histogram, 256 bins, uniform": 8,
             "compress by a mask": 1.5, "uniform f32": 5, "normal f32": 5}
    compare(np, "primitives", work, goals)


if __name__ == "__main__":
    main()

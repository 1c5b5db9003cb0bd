#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `weft verify`: the same bits on two devices and in every run, and the table in docs/accuracy.md, which says
of every public function that makes an array what holds.

    tests/process/verify.py WEFT WEFT_JSON

WEFT_DEVICE selects the device. With PoCL (a device of the CPU) the machine gets two devices by POCL_DEVICES. Exits
with 77 without a device, or on one that reproducible contexts refuse.
"""
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

WEFT, WEFT_JSON = map(os.path.abspath, sys.argv[1:3]) if len(sys.argv) > 2 else sys.exit(__doc__)
ACCURACY = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
# Hashes of results with the seed 1: whatever the device, the driver and the number of threads. A run compares two of
# them, others each time: with PoCL each builds kernels for seconds. `weft verify` by hand computes all functions.
BITS = {
    "divide": "a29eaae16bf91099",
    "exp": "2e3333e3a6cf9fa2",
    "sum": "d630945d53a565ae",
    "dot": "d6450a999a311b08",
    "matmul": "2ba03838f5431474",
    "cumsum": "f143123b0f0b90d6",
}
# Makers of arrays that compute no element: views, memory of other libraries, files and recordings.
NO_ELEMENTS = """
    array_retain array_adopt view slice pick diagonal split array_split split_at sliding_window transpose moveaxis
    swapaxes flip rot90 squeeze expand atleast_1d atleast_2d atleast_3d reshape ravel broadcast view_as view_real
    view_imag broadcast_arrays meshgrid cuda_share from_cuda peer_array cuda_import from_dlpack
    from_dlpack_unversioned npy_load npz_load npz_read recording_array scope_keep map einsum_path""".split()


def run(*words, device=None, **env):
    without = {name: value for name, value in os.environ.items() if device is None or name != "WEFT_DEVICE"}
    done = subprocess.run([WEFT, "verify", *words], capture_output=True, text=True, timeout=280, env={**without, **env})
    return done.returncode, done.stdout, done.stderr


def check(condition, what, result):
    if not condition:
        sys.exit(f"{what}: status {result[0]}\n{result[1]}{result[2]}")


def check_every_function(table):
    """Every function with an array for a result has a place in the table."""
    with open(WEFT_JSON, encoding="utf-8") as file:
        functions = json.load(file)["functions"]
    makers = {f["name"].removeprefix("weft_") for f in functions
              if f["returns"] == "weft_status" and any(p["type"] == "weft_array **" for p in f["parameters"])}
    rows = [name for line in table.splitlines() for name in line.strip("| ").split(" | ")[0].split(", ")]
    twice = sorted({name for name in rows if rows.count(name) > 1})
    missing = sorted(makers - set(rows) - set(NO_ELEMENTS))
    if len(makers) < 300 or missing or twice:
        sys.exit(f"of {len(makers)} functions: not in `weft verify --list`: {missing}; twice: {twice}")


def main():
    listed = run("--list")
    check(listed[0] == 0, "--list", listed)
    check(listed[1] in ACCURACY.read_text(), "docs/accuracy.md does not have the table of `weft verify --list`", listed)
    check_every_function(listed[1])
    result = run("--only", "no_such_function")
    check(result[0] == 2 and "no_such_function" in result[2], "an unknown function", result)
    expected = dict(random.sample(sorted(BITS.items()), 2))
    print(f"bits of {', '.join(expected)}")
    result = run("--only", ",".join(expected), POCL_MAX_PTHREAD_COUNT="16")
    if re.search("no device|no OpenCL|needs doubles", result[2]):
        print(f"SKIP: {result[2]}")
        return 77
    found = dict(re.findall(r"computed\s+(\w+)\s+(\w{16})", result[1]))
    check(result[0] == 0 and found == expected, f"other bits than those expected, {expected}", result)
    other = run("--only", "exp", "--seed", "2")
    check(other[0] == 0 and BITS["exp"] not in other[1], "the seed has no effect", other)
    if "pthread" in run("--only", "divide")[1]:
        two = run("--on", "0,1", "--only", "exp,sum", device="", POCL_DEVICES="pthread pthread")
        check(two[0] == 0 and "2 the same, 0 different" in two[1], "two devices", two)
        lacking = run("--only", "sum", WEFT_QUIRKS="no_fp64")
        check(lacking[0] == 1 and "has no doubles" in lacking[2], "a device without doubles", lacking)
        nowhere = run("--on", "0,nowhere", "--only", "exp,sum")
        check(nowhere[0] == 1 and nowhere[2].count("no device matches") == 1, "no second device", nowhere)
    both = run("--on", "0,1", "--device", "0")
    check(both[0] == 2, "--on and --device", both)
    return 0


if __name__ == "__main__":
    sys.exit(main())

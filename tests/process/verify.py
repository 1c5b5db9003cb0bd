#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `weft verify`: the same bits on two devices and in every run, and the table in docs/accuracy.md.

    tests/process/verify.py WEFT

WEFT_DEVICE selects the device. With PoCL (a device of the CPU) the machine gets two devices by POCL_DEVICES. Exits
with 77 without a device, or on one that reproducible contexts refuse.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

WEFT = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
ACCURACY = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
# Hashes of results with the seed 1: whatever the device, the driver and the number of threads.
BITS = {
    "divide": "a29eaae16bf91099",
    "exp": "2e3333e3a6cf9fa2",
    "sum": "d630945d53a565ae",
    "dot": "d6450a999a311b08",
    "matmul": "2ba03838f5431474",
    "cumsum": "f143123b0f0b90d6",
}


def run(*words, device=None, **env):
    without = {name: value for name, value in os.environ.items() if device is None or name != "WEFT_DEVICE"}
    done = subprocess.run([WEFT, "verify", *words], capture_output=True, text=True, timeout=280, env={**without, **env})
    return done.returncode, done.stdout, done.stderr


def check(condition, what, result):
    if not condition:
        sys.exit(f"{what}: status {result[0]}\n{result[1]}{result[2]}")


def main():
    listed = run("--list")
    check(listed[0] == 0, "--list", listed)
    check(listed[1] in ACCURACY.read_text(), "docs/accuracy.md does not have the table of `weft verify --list`", listed)
    result = run("--only", "no_such_function")
    if re.search("no device|no OpenCL|needs doubles", result[2]):
        print(f"SKIP: {result[2]}")
        return 77
    check(result[0] == 2 and "no_such_function" in result[2], "an unknown function", result)
    names = ",".join(BITS)
    result = run("--only", names, POCL_MAX_PTHREAD_COUNT="16")
    found = dict(re.findall(r"computed\s+(\w+)\s+(\w{16})", result[1]))
    check(result[0] == 0 and found == BITS, f"other bits than those expected, {BITS}", result)
    other = run("--only", "exp", "--seed", "2")
    check(other[0] == 0 and BITS["exp"] not in other[1], "the seed has no effect", other)
    if "pthread" in run("--only", "divide")[1]:
        two = run("--on", "0,1", "--only", "exp,sum", device="", POCL_DEVICES="pthread pthread")
        check(two[0] == 0 and "2 the same, 0 different" in two[1], "two devices", two)
        lacking = run("--only", "sum", WEFT_QUIRKS="no_fp64")
        check(lacking[0] == 1 and "has no doubles" in lacking[2], "a device without doubles", lacking)
    both = run("--on", "0,1", "--device", "0")
    check(both[0] == 2, "--on and --device", both)
    return 0


if __name__ == "__main__":
    sys.exit(main())

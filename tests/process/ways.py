#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `weft ways`: the list, what ran, WEFT_WAY, and wrong words.

    tests/process/ways.py WEFT

WEFT is the executable; WEFT_DEVICE in the environment selects the device. Exits with 77 without a device.
"""
import json
import os
import subprocess
import sys

WEFT = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)


def run(*words, way=""):
    return subprocess.run([WEFT, "ways", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, env={**os.environ, "WEFT_WAY": way}, check=False)


def answer(*words, way=""):
    done = run(*words, "--json", way=way)
    assert done.returncode == 0 and not done.stderr, (words, done)
    return json.loads(done.stdout)


def refused(status, said, *words):
    done = run(*words)
    assert done.returncode == status and not done.stdout and said in done.stderr, (words, done)


def the_list():
    rows = answer()["ways"]
    names = [row["operation"] + ":" + row["way"] for row in rows]
    assert {"sort:tiles", "matmul:blas", "matmul:tile"} <= set(names) and len(set(names)) == len(names), names
    assert all(row["on"] in ("CPUs", "GPUs", "all") for row in rows), rows
    assert all(row["by"] in ("kernels", "host", "CUDA") and row["when"] for row in rows), rows
    sorts = answer("argsort")
    assert sorts == {"ways": [row for row in rows if row["operation"] == "sort"], "steps": []}, sorts


def what_ran():
    call = ["matmul", "--dtype", "i32", "--shape", "30,40", "--other", "40,20"]
    for forced in ["", "tile"]:
        ran = answer(*call, way=forced and "matmul:" + forced)
        by = [row["way"] for row in ran["ways"] if row["ran"]]
        assert len(by) == 1 and by[0] == (forced or by[0]), ran
        why_not = {row["way"]: row["why_not"] for row in ran["ways"]}
        assert all(why_not[way] in ("", "does not fit", "other devices", "declined") for way in why_not), ran
        assert why_not[by[0]] == "" and why_not["cublas"] == ("" if forced else "does not fit"), ran
        assert [step["way"] for step in ran["steps"]] == ["matmul:" + by[0]], ran
    for way in ["sort:short", "sort:vectors"]:  # of GPUs, and not of c64
        ran = answer("sort", "--dtype", "c64", "--shape", "100000", way=way)
        row = next(row for row in ran["ways"] if "sort:" + row["way"] == way)
        assert not row["ran"] and row["why_not"] in ("other devices", "does not fit"), ran
    text = run(*call).stdout
    assert text.startswith("matmul of i32[30, 40] and i32[40, 20], on device ") and "KERNEL OR LIBRARY" in text, text
    assert answer("argsort", "--dtype", "f16", "--shape", "50,30", "--axis", "0")["steps"], "argsort has no step"


def calls_of_functions():
    """Names of functions lead to the ways of their operations, and the defaults suit each call."""
    for call, operation in {"searchsorted": "search", "median_filter": "footprint", "uniform_filter": "pass",
                            "take": "take", "packbits": "bits", "zoom": "spline", "shift": "transform"}.items():
        other = ["--other", "5"] if call in ("searchsorted", "take") else []
        ran = answer(call, "--shape", "64" if call == "searchsorted" else "32,32", *other)
        assert [row["way"] for row in ran["ways"] if row["operation"] == operation and row["ran"]], (call, ran)
        assert call in run("--help").stdout, call


def wrong_words():
    refused(2, "did you mean 'argsort'?", "argsrt")
    refused(2, "--dtype is 'f31'", "sort", "--dtype", "f31")
    refused(2, "--shape is '3,x'", "sort", "--shape", "3,x")
    refused(2, "--axis is '1'", "sort", "--shape", "3", "--axis", "1")
    refused(2, "--axis is '-1'", "sort", "--axis", "-1")
    refused(2, "needs the name of a call", "--shape", "3")
    refused(2, "sort has one array", "sort", "--shape", "3", "--other", "3")
    refused(2, "matmul has no --axis", "matmul", "--shape", "3,4", "--axis", "0")
    refused(1, "matmul", "matmul", "--shape", "3,4", "--other", "5,6")


def main():
    the_list()
    if subprocess.run([WEFT, "limits"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        print("SKIP: no device")
        return 1 if os.environ.get("WEFT_TEST_STRICT") == "1" else 77
    what_ran()
    calls_of_functions()
    wrong_words()
    return 0


if __name__ == "__main__":
    sys.exit(main())

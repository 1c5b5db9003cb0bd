#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NumPy 2 as the reference for ufuncs and, with --kind primitives, for reductions, scans, sorts and similar functions.

  judge.py DRIVER                     runs the recorded cases of tests/data; needs only the standard library
  judge.py DRIVER --fresh [--seed N]  runs new cases from a random seed, which is printed; 77 without NumPy 2
  judge.py --record                   writes the recorded cases
  judge.py --differences              lists where primitives differ from NumPy on purpose
DRIVER is numpy_driver for ufuncs and primitive_driver for primitives. Options: [--only NAME] [--every N [--phase K]]
[--worst] [--all]; for fresh cases of primitives also [--scale N], N times as many. With --every, the seed selects which
cases run. WEFT_TEST_DEVICE selects the device."""
import argparse
import gzip
import lzma
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "data")
RECORDED = {"ufuncs": os.path.join(DATA, "ufunc_cases.bin.gz"),
            "primitives": os.path.join(DATA, "primitive_cases.bin.xz")}
SEED = 1


def want_numpy():
    """Ends the process with status 77 without NumPy 2, or without SciPy, the reference of what NumPy does not have."""
    try:
        import numpy
        import scipy.special  # noqa: F401
        if int(numpy.__version__.split(".")[0]) < 2:
            raise ImportError("NumPy %s promotes dtypes in another way" % numpy.__version__)
    except ImportError as error:
        print("SKIP: no NumPy 2 or no SciPy for %s: %s" % (sys.executable, error))
        sys.exit(77)


def fresh(args, seed, path):
    sys.path.insert(0, HERE)
    want_numpy()
    if args.kind == "primitives":
        import primitives
        file = primitives.make(seed, args.scale, args.only)
    else:
        import generate
        file = generate.make(seed)
    size = file.write(path)
    print("%d cases of seed %d, %d bytes" % (len(file.cases), seed, size))
    return file


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver", nargs="*")
    parser.add_argument("--kind", choices=sorted(RECORDED), default="ufuncs")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--every")
    parser.add_argument("--phase")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--differences", action="store_true")
    parser.add_argument("--worst", action="store_true")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    if args.differences:
        sys.path.insert(0, HERE)
        import primitives
        print(primitives.differences())
        return 0
    if args.record:
        if fresh(args, SEED if args.seed is None else args.seed, RECORDED[args.kind]).partial:
            sys.exit("no SciPy: cases are missing")
        return 0
    seed = random.SystemRandom().randrange(1 << 31) if args.seed is None else args.seed
    if args.every and args.phase is None:
        args.phase = str(seed % int(args.every))
        print("--every %s --phase %s" % (args.every, args.phase))
    more = [word for name in ("only", "every", "phase") if getattr(args, name)
            for word in ("--" + name, getattr(args, name))]
    more += [word for word in ("--worst", "--all") if getattr(args, word[2:])]
    sys.stdout.flush()
    if not args.fresh:
        recorded = RECORDED[args.kind]
        with (lzma if recorded.endswith(".xz") else gzip).open(recorded) as file:
            return subprocess.run([*args.driver, "-", *more], input=file.read()).returncode
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.bin")
        if fresh(args, seed, path).partial:
            print("without SciPy, so without the functions that it judges")
            more.append("--partial")
        sys.stdout.flush()
        status = subprocess.run([*args.driver, path, *more]).returncode
    if status not in (0, 77):
        print("again with: --kind %s --fresh --seed %d" % (args.kind, seed))
    return status


if __name__ == "__main__":
    sys.exit(main())

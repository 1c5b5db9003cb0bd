#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NumPy 2 as the judge of ufuncs.

  judge.py DRIVER                     the recorded cases of tests/data/ufunc_cases.bin.gz; needs the standard library only
  judge.py DRIVER --fresh [--seed N]  cases of a new seed, which is printed; exit status 77 where NumPy 2 is not there
  judge.py --record                   writes the recorded cases
More: [--only UFUNC] [--every N] [--worst]; WEFT_TEST_DEVICE chooses the device."""
import argparse
import gzip
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(os.path.dirname(HERE), "data", "ufunc_cases.bin.gz")
SEED = 1


def fresh(seed, path):
    sys.path.insert(0, HERE)
    try:
        import numpy
        if int(numpy.__version__.split(".")[0]) < 2:
            raise ImportError("NumPy %s promotes dtypes in another way" % numpy.__version__)
    except ImportError as error:
        print("SKIP: no NumPy 2 for %s: %s" % (sys.executable, error))
        sys.exit(77)
    import generate
    file = generate.make(seed)
    size = file.write(path)
    print("%d cases of seed %d, %d bytes" % (len(file.cases), seed, size))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver", nargs="*")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--every")
    parser.add_argument("--worst", action="store_true")
    args = parser.parse_args()
    if args.record:
        fresh(SEED if args.seed is None else args.seed, RECORDED)
        return 0
    more = [word for name in ("only", "every") if getattr(args, name) for word in ("--" + name, getattr(args, name))]
    more += ["--worst"] if args.worst else []
    sys.stdout.flush()
    if not args.fresh:
        with gzip.open(RECORDED) as file:
            return subprocess.run([*args.driver, "-", *more], input=file.read()).returncode
    seed = random.SystemRandom().randrange(1 << 31) if args.seed is None else args.seed
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.bin")
        fresh(seed, path)
        sys.stdout.flush()
        status = subprocess.run([*args.driver, path, *more]).returncode
    if status not in (0, 77):
        print("again with: --fresh --seed %d" % seed)
    return status


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NumPy writes .npz files, stored and deflated; Weft rewrites them both ways, and NumPy reads the results.

npz_numpy.py DRIVER

DRIVER is the program made from npz_driver.c. Exit status 77 without NumPy; tests/suites/io/test_npz.c does not need
NumPy.
"""

import os
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)

REFUSED = {"text": "'<U2'", "objects": "'|O'", "fields": "several fields", "plain.txt": "magic bytes"}


def arrays():
    random = np.random.default_rng(11)
    made = {
        "order": np.asfortranarray(random.standard_normal((4, 6)).astype("f4")),
        "swapped": np.arange(10, dtype=">i4"),
        "both": np.asfortranarray(random.integers(0, 999, (3, 5, 2)).astype(">u2")),
        "complex": (random.standard_normal((3, 4)) + 1j).astype(">c8"),
        "number": np.array(3.5, "f4"),
        "empty": np.zeros((0, 3), "f4"),
        "folder/name": np.arange(3),
        "größe": np.ones((2, 1), bool),
        "zeros": np.zeros(3_000_000, "f4"),
        "noise": random.standard_normal(2_500_000).astype("f4"),
        "text": np.array(["x", "yy"]),
        "objects": np.array([None, 1]),
        "fields": np.zeros(2, [("a", "f4"), ("b", "i8")]),
    }
    return made


def check(driver, folder, save):
    source, stored, deflated = (os.path.join(folder, name) for name in ("in.npz", "stored.npz", "deflated.npz"))
    made = arrays()
    save(source, **made)
    with zipfile.ZipFile(source, "a") as archive:
        archive.writestr("plain.txt", "no array")
    done = subprocess.run([driver, source, stored, deflated], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr)
        return done.returncode
    lines = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    for name, part in REFUSED.items():
        if not lines[name].startswith("- ") or part not in lines[name]:
            print(f"{name}: {lines[name]}")
            return 1
    expected = [name for name in made if name not in REFUSED]
    for path in (stored, deflated):
        with zipfile.ZipFile(path) as archive:
            if archive.testzip() is not None:
                print(f"{path}: a bad checksum")
                return 1
        with np.load(path) as loaded:
            if loaded.files != expected:
                print(f"{path}: {loaded.files}, expected {expected}")
                return 1
            for name in expected:
                x, y = made[name], loaded[name]
                if y.dtype != x.dtype.newbyteorder("=") or y.shape != x.shape or not np.array_equal(x, y):
                    print(f"{path}: {name}: {x.dtype}{x.shape} became {y.dtype}{y.shape}")
                    return 1
    if os.path.getsize(deflated) * 1.1 > os.path.getsize(stored):
        print("the deflated archive is not smaller")
        return 1
    print(f"{save.__name__}: {len(expected)} members rewritten, {len(REFUSED)} refused")
    return 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        return check(sys.argv[1], folder, np.savez) or check(sys.argv[1], folder, np.savez_compressed)


if __name__ == "__main__":
    sys.exit(main())

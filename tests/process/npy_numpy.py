#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NumPy writes .npy files of each dtype, version and order; Weft rewrites them, and NumPy reads the results.

npy_numpy.py DRIVER

DRIVER is the program made from npy_driver.c. Exit status 77 without NumPy; tests/suites/io/test_npy.c does not need
NumPy.
"""

import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("there is no NumPy")
    sys.exit(77)

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(), (1,), (17,), (0, 3), (5, 7), (3, 4, 5), (1, 9, 1), (2, 1, 3, 1, 2)]


def cases(folder):
    """The path and array of each file."""
    random = np.random.default_rng(7)
    n = 0
    for dtype in DTYPES:
        for k, shape in enumerate(SHAPES):
            x = (random.standard_normal(shape) * 50).astype(dtype)
            x = np.asarray(x)
            if (n + k) % 3 == 0:
                x = np.asfortranarray(x)
            path = os.path.join(folder, f"{n}.npy")
            with open(path, "wb") as file:
                np.lib.format.write_array(file, x, version=[(1, 0), (2, 0), (3, 0)][n % 3])
            n += 1
            yield path, x
    large = np.arange(100000, dtype="f4").reshape(100, 1000)
    path = os.path.join(folder, "large.npy")
    np.save(path, large)
    yield path, large


def main():
    driver = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        made = list(cases(folder))
        arguments = [driver]
        for path, _ in made:
            arguments += [path, path + ".loaded", path + ".mapped"]
        rc = subprocess.run(arguments, env={**os.environ, "WEFT_CHUNK": "8192"}, check=False).returncode
        if rc:
            return rc
        mapped = 0
        without = {x.dtype.str[1:] for path, x in made if not os.path.exists(path + ".loaded")}
        if without not in (set(), {"f8", "c16"}):
            print(f"not loaded: {without}")
            return 1
        for path, x in made:
            if x.dtype.str[1:] in without:  # the device has no fp64
                continue
            for copy in (path + ".loaded", path + ".mapped"):
                if not os.path.exists(copy):
                    continue
                mapped += copy.endswith(".mapped")
                y = np.load(copy)
                same = y.dtype == x.dtype and y.shape == x.shape and y.tobytes() == x.tobytes()
                if not same or not y.flags.c_contiguous:
                    print(f"{copy}: {x.dtype}{x.shape} became {y.dtype}{y.shape}")
                    return 1
            with open(path + ".loaded", "rb") as file:
                written = file.read()
            np.save(path + ".again.npy", np.ascontiguousarray(x).reshape(x.shape))
            with open(path + ".again.npy", "rb") as file:
                if file.read() != written:
                    print(f"{path}.loaded: not the bytes that NumPy writes")
                    return 1
        print(f"{len(made)} files of NumPy's, {mapped} of them mapped; "
              f"{'without ' + ', '.join(without) if without else 'all'} loaded and saved")
        return 0 if mapped > len(made) // 3 else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the table of the errors of Fourier transforms in docs/accuracy.md: fft_errors.py [LENGTH...]. It needs SciPy,
whose transforms of long double are the reference, and the Python module; WEFT_ENGINE chooses the engine.

An error is the root mean square of the differences divided by the values' own, of rows of normal numbers."""

import sys

import numpy as np
import scipy.fft

import weft

LENGTHS = [8, 64, 256, 1000, 1009, 4096, 10007, 65536, 1 << 20]


def relative(y, exact):
    return float(np.sqrt(np.sum(np.abs(y - exact) ** 2) / np.sum(np.abs(exact) ** 2)))


def main():
    rng = np.random.default_rng(1)
    print("| length | f32 | f32, real | f64 | f64, real |\n|---|---|---|---|---|")
    for n in map(int, sys.argv[1:] or LENGTHS):
        cells = []
        for kind in (np.complex64, np.complex128):
            x = rng.standard_normal((4, n)) + 1j * rng.standard_normal((4, n))
            x = x.astype(kind)
            cells.append(relative(np.asarray(weft.fft(x, -1)), scipy.fft.fft(x.astype(np.clongdouble))))
            real = np.ascontiguousarray(x.real)
            cells.append(relative(np.asarray(weft.rfft(real, -1)), scipy.fft.rfft(real.astype(np.longdouble))))
        print(f"| {n} | " + " | ".join(f"{c:.1e}" for c in cells) + " |", flush=True)


if __name__ == "__main__":
    main()

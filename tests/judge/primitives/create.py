# SPDX-License-Identifier: MIT
"""Ranges of weft/create.h, the windows of weft/fft.h and Sobol points"""

import numpy as np
from scipy.stats import qmc

from record import DTYPE
from values import dtype_of, number_of

DIFFERENCES = """
linspace, logspace, geomspace   real numbers only
kaiser       beta from 0 to 700
"""
ARGUMENT = 100


def ranges(c):
    for letter in c.each("efd"):
        rng = c.group("ranges", letter)
        dtype = dtype_of(letter)
        for draw in range(8):
            count, apart = int(rng.choice([0, 1, 2, 5, 50, 1001])), bool(draw % 2)
            start, stop = float(rng.integers(-3, 4)), float(rng.choice([2.5, -1, 3]))
            params = [number_of(dtype), start, stop, count, apart]
            named = {"endpoint": not apart, "dtype": dtype}
            # without fp64 all is computed in f32
            c.call("linspace", [], params, np.linspace(start, stop, count, **named), (2, True, 1e-6), wide=True,
                   label=f"{count} {apart}")
            base = float(rng.choice([0, 2, 3.5]))
            c.call("logspace", [], [*params, base], np.logspace(start, stop, count, base=base or 10, **named),
                   (16, True, 0), wide=True, label=f"{count} {apart} {base}")
            first, last = float(rng.choice([0.25, 1, 1000])), float(rng.choice([3, 4096]))
            sign = 1 if draw % 3 else -1
            params = [number_of(dtype), sign * first, sign * last, count, apart]
            c.call("geomspace", [], params, np.geomspace(sign * first, sign * last, count, **named), (16, True, 0),
                   wide=True, label=f"{count} {apart}")
    for start, stop in ((0.0, 1.0), (-1.0, 1.0), (1.0, np.inf)):
        c.refuse("geomspace", [], [number_of(np.dtype("f4")), start, stop, 3, 0], ARGUMENT)
    c.refuse("logspace", [], [number_of(np.dtype("i4")), 0.0, 1.0, 3, 0, 0], DTYPE)


def windows(c):
    functions = [np.hanning, np.hamming, np.blackman, np.bartlett, np.kaiser]
    c.group("window")
    for number, function in enumerate(functions):
        for count in (0, 1, 2, 7, 64, 1025):
            for dtype in ("f4", "f8"):
                for beta in (0.0, 8.6, 300.0) if function is np.kaiser else (0.0,):
                    wanted = function(count, beta) if function is np.kaiser else function(count)
                    c.call("window", [], [number, number_of(np.dtype(dtype)), count, beta], wanted.astype(dtype),
                           (64, True, 4e-16), wide=dtype == "f8", label=f"{function.__name__} {count} {beta}")
    c.refuse("window", [], [4, number_of(np.dtype("f4")), 3, -1.0], ARGUMENT)
    c.refuse("window", [], [0, number_of(np.dtype("f4")), -1, 0.0], ARGUMENT)
    c.refuse("window", [], [0, number_of(np.dtype("i4")), 3, 0.0], DTYPE)


def sobol(c):
    """Digits that a float lacks are cut off."""
    for turn in range(c.scale):
        rng = c.group("sobol", turn)
        for draw in range(6):
            dtype = dtype_of("efd"[draw % 3])
            dimensions = int([1, 3, rng.integers(4, 70), rng.integers(70, 5716)][draw % 4])
            first, points = int(rng.integers(0, 5000) * (draw > 1)), int(rng.integers(1, 3000 // dimensions + 4))
            source = qmc.Sobol(dimensions, scramble=False, bits=32)
            if first:
                source.fast_forward(first)
            digits = 2.0 ** min(32, np.finfo(dtype).nmant + 1)
            c.call("sobol", [], [number_of(dtype), points, dimensions, first],
                   (np.floor(source.random(points) * digits) / digits).astype(dtype), rng=rng,
                   how=["new", "out"][draw % 2], wide=dtype.char == "d",
                   label=f"{dtype.char} {points} {dimensions} {first}")


def make(c):
    ranges(c)
    windows(c)
    sobol(c)

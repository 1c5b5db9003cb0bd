# SPDX-License-Identifier: MIT
"""weft/polynomial.h. Values are compared with NumPy's of f64, fits with the polynomials that made the data."""

import numpy as np

from record import DTYPE, SHAPE
from values import dtype_of

from .base import draw_shape

DIFFERENCES = """
vander       of floats in x's dtype, of unsigned integers in u64
polyfit      no poly1d, no covariances; narrow floats are fitted in f32
"""
ARGUMENT = 100


def values(c):
    for turn in range(c.scale):
        for letter in c.each("bIqefdFD"):
            rng = c.group("polyval", letter, turn)
            dtype = dtype_of(letter)
            exact = dtype.kind in "iu"
            for count in (0, 1, 3, 16, 17, 40):
                x = c.array(rng, draw_shape(rng, int(rng.choice([0, 1, 2]))), dtype, "few" if exact else "near")
                p = c.array(rng, (count,), dtype, "finite")
                wide = np.complex128 if dtype.kind == "c" else np.float64
                with np.errstate(all="ignore"):
                    used = (p.array(), x.array()) if exact else (p.array().astype(wide), x.array().astype(wide))
                    answer = np.asarray(np.polyval(*used)).astype(dtype)
                    size = np.asarray(np.polyval(abs(used[0]), abs(used[1]))).max(initial=0) if not exact else 0
                c.call("polyval", [p, x], [], answer,
                       (0, True, 0 if exact else 4 * (count + 1) * float(np.finfo(dtype).eps) * float(size)), rng=rng,
                       how=c.how(rng) if dtype.kind != "f" or letter != "e" else "new", label=str(count))
                line = c.array(rng, (int(rng.choice([0, 1, 5, 33])),), dtype, "few" if exact else "near")
                columns, rising = int(rng.choice([0, 1, 4, 9])), bool(rng.integers(2))
                result = (np.dtype("u8") if dtype.kind == "u" else np.dtype("i8")) if exact else dtype
                with np.errstate(all="ignore"):
                    used = line.array().astype(result if exact else wide)  # NumPy makes floats of u64
                    powers = np.ones((used.size, columns or used.size), used.dtype)
                    powers[:, 1:] = used[:, None]
                    answer = np.multiply.accumulate(powers, 1) if powers.size else powers
                    answer = answer if rising else answer[:, ::-1]
                    assert letter == "I" or np.array_equal(answer, np.vander(used, columns or None, rising))
                c.call("vander", [line], [columns, rising], answer.astype(result),
                       (0, True, 0) if exact else (4 * max(1, columns or line.array().size), True, 0), rng=rng,
                       label=f"{columns} {rising}")
    rng = c.group("polyval", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    c.refuse("polyval", [x, x], [], SHAPE)
    c.refuse("vander", [x], [0, 0], SHAPE)
    c.refuse("polyval", [c.array(rng, (3,), np.dtype("?"))] * 2, [], DTYPE)


def fits(c):
    for letter in c.each("fdi"):
        rng = c.group("polyfit", letter)
        dtype = dtype_of(letter)
        result = dtype if dtype.kind == "f" else np.dtype("f8")
        for draw in range(4):
            degree, count = draw, 8 + 5 * draw
            x = c.of((np.linspace(-1, 1, count) if dtype.kind == "f" else np.arange(count)).astype(dtype))
            p = rng.integers(-3, 4, (degree + 1,) if draw % 2 else (degree + 1, 2)).astype("f8")
            used = x.array().astype("f8")
            y = c.of((np.vander(used, degree + 1) @ p).astype(result))
            weights = [c.of(rng.uniform(0.5, 2, count).astype(result))] if draw > 1 else []
            c.call("polyfit", [x, y, *weights], [degree], p.astype(result),
                   (0, True, 2e-4 if letter == "f" else 1e-9), wide=letter != "f", label=str(degree))
    x, y = c.of(np.arange(4.0)), c.of(np.arange(5.0))
    c.refuse("polyfit", [x, y], [1], SHAPE)
    c.refuse("polyfit", [x, x], [-1], ARGUMENT)
    c.refuse("polyfit", [x, x, y], [1], SHAPE)
    c.refuse("polyfit", [x, c.of(np.ones(4, "F"))], [1], DTYPE)


def make(c):
    values(c)
    fits(c)

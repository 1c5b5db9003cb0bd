# SPDX-License-Identifier: MIT
"""weft/stencil.h"""

import numpy as np

from record import SHAPE, Weak
from values import dtype_of

from .base import ALL, draw_shape

DIFFERENCES = """
stencil      NumPy has none: shifted views of numpy.pad's result
"""
MODES = ["constant", "edge", "reflect", "symmetric", "wrap"]
ARGUMENT, EXPRESSION = 100, 109
SHORT = 6  # offsets of small arrays: most are longer than an axis


def draw_offsets(rng, ndim):
    far = 1 if rng.random() < 0.5 else SHORT
    return tuple(int(k) for k in rng.integers(-far, far + 1, ndim))


def neighbour(value, offsets, mode, outside=0):
    width = max(map(abs, offsets))
    extra = {"constant_values": outside} if mode == "constant" else {}
    padded = np.pad(value, width, mode, **extra)
    return padded[tuple(slice(width + k, width + k + n) for k, n in zip(offsets, value.shape))]


def written(name, offsets):
    return f"{name}[{', '.join(map(str, offsets))}]"


def copies(c):
    """Single neighbours of all dtypes, by every border, in every layout."""
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("stencil", letter, turn)
            for draw in range(6):
                ndim = int(rng.choice([1, 1, 2, 2, 3, 4]))
                x = c.array(rng, draw_shape(rng, ndim), dtype_of(letter), "mixed")
                value = x.array()
                if value.size == 0 or value.size > 4000 or (2 * SHORT) ** ndim * value.size > 2e6:
                    x = c.array(rng, (3, 1, 5, 2)[:ndim], dtype_of(letter), "mixed")
                    value = x.array()
                mode, offsets = draw % 5, draw_offsets(rng, ndim)
                c.call("stencil", [x], [written("x", offsets), mode], neighbour(value, offsets, MODES[mode]), rng=rng,
                       how=c.how(rng), label=MODES[mode])


def sums(c):
    """Several neighbours of two arrays and a scalar, in whole numbers."""
    for letter in c.each("hiIq"):
        rng = c.group("stencil", "sum", letter)
        for draw in range(10):
            ndim = 1 + draw % 3
            shape = tuple(int(n) for n in rng.integers(1, 20, ndim))
            x, y = (c.array(rng, shape, dtype_of(letter), "few") for _ in range(2))
            a, b, d = (draw_offsets(rng, ndim) for _ in range(3))
            mode = MODES[draw % 5]
            text = f"{written('x', a)} - k * {written('y', b)} + {written('x', d)} * x"
            with np.errstate(all="ignore"):
                wanted = (neighbour(x.array(), a, mode) - np.asarray(3, x.array().dtype) * neighbour(y.array(), b, mode)
                          + neighbour(x.array(), d, mode) * x.array())
            c.call("stencil", [x, y, Weak(3)], [text, draw % 5], wanted, rng=rng, how=c.how(rng), label=mode)


def wrong(c):
    x = c.of(np.arange(12.0).reshape(3, 4))
    for text in ["x[1]", "x[1, 2, 3]", "x[1.5, 0]", "x[x, 0]", "x[1, 0", "k[1, 0] + x", "i2 + x", "x[10000000000, 0]"]:
        c.refuse("stencil", [x, c.of(np.zeros((3, 4))), Weak(1)][: 3 if "k" in text else 1], [text, 0], EXPRESSION)
    c.refuse("stencil", [x, c.of(np.zeros(4))], ["x + y[0, 1]", 0], SHAPE)
    c.refuse("stencil", [x], ["x[0, 1]", 9], ARGUMENT)


def make(c):
    copies(c)
    sums(c)
    wrong(c)

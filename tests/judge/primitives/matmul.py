# SPDX-License-Identifier: MIT
"""weft/matmul.h: weft_matmul. Products of floats are compared with exact ones, within the bound of a sum of k terms."""

import numpy as np

from record import DTYPE, SHAPE, Weak, number_of
from values import dtype_of

from .base import ALL, EXACT, INEXACT, ZERO_FREE, epsilon, real_of

DIFFERENCES = """
matmul       f16 is multiplied and added in f32 and rounded once; .dtype of a narrower float rounds the result, not the
             operands
"""
ARGUMENT = 100
LENGTHS = [1, 1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 40, 64, 65, 100]
DEPTHS = LENGTHS + [128, 257, 700]
WIDE = {"e": "f8", "f": "f8", "d": "g", "F": "D", "D": "G"}


def exact(a, b, dtype):
    """(the product, tolerance), of operands that are cast to `dtype`"""
    if dtype.kind not in "fc":
        return np.matmul(a.astype(dtype), b.astype(dtype)), EXACT
    wide = np.dtype(WIDE[dtype.char])
    x, y = a.astype(wide), b.astype(wide)
    sums = np.matmul(abs(x), abs(y)).max(initial=0)
    steps = (a.shape[-1] + 4) * (2 if dtype.kind == "c" else 1)
    unit = epsilon("f4" if real_of(dtype).itemsize == 2 else dtype)
    return np.asarray(np.matmul(x, y)), (1, True, float(sums) * steps * unit)


def draw(rng, most=1000):
    """Shapes of two operands."""
    while True:
        batch = [int(n) for n in rng.choice([1, 2, 3, 5], int(rng.choice([0, 0, 0, 1, 2, 3])))]
        m, n, k = (int(rng.choice(c)) for c in (LENGTHS, LENGTHS, DEPTHS))
        if rng.random() < 0.05:
            m = 0
        if rng.random() < 0.05:
            k = 0
        if m * n * int(np.prod(batch)) <= most and k * max(m, n) * int(np.prod(batch)) <= 40 * most:
            break
    ones = [1 if rng.random() < 0.25 else d for d in batch]
    a, b = ones + [m, k], batch[int(rng.integers(len(batch) + 1)):] + [k, n]
    if rng.random() < 0.5:
        a[:-2] = batch
        b[:-2] = [1 if rng.random() < 0.25 else d for d in b[:-2]]
    if rng.random() < 0.15:
        a = [k]
    if rng.random() < 0.15:
        b = [k]
    return a, b


def array(c, rng, shape, letter, kind=None):
    return c.array(rng, shape, dtype_of(letter), kind or ("near" if letter == "e" else "finite"), count=251)


def plain(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            for other in (letter, letter, "f", "h"):
                rng = c.group("matmul", letter, other, turn)
                for _ in range(3):
                    shapes = draw(rng)
                    a, b = (array(c, rng, s, d) for s, d in zip(shapes, (letter, other)))
                    if rng.random() < 0.5:
                        a, b = (array(c, rng, s, d) for s, d in zip(shapes, (other, letter)))
                    dtype = np.result_type(a.array(), b.array())
                    product, tolerance = exact(a.array(), b.array(), dtype)
                    assert product.shape == np.matmul(a.array(), b.array()).shape
                    c.call("matmul", [a, b], [], product.astype(dtype), tolerance, rng=rng, how=c.how(rng))
    for letter in "efd":
        rng = c.group("matmul", "weird", letter)
        for shapes in (((5, 7), (7, 6)), ((3, 40), (40,)), ((2, 4, 3), (3, 4))):
            a, b = (array(c, rng, s, letter, "weird") for s in shapes)
            with np.errstate(all="ignore"):
                product = np.matmul(a.array().astype("f8"), b.array().astype("f8")).astype(letter)
            c.call("matmul", [a, b], [], product, ZERO_FREE, label="weird")


def typed(c):
    for turn in range(c.scale):
        for letter, wanted in ("bi", "Bq", "ef", "fd", "if", "fF", "?i", "df", "qh"):
            rng = c.group("matmul as", letter, wanted, turn)
            for _ in range(2):
                a, b = (array(c, rng, s, letter) for s in draw(rng))
                dtype = dtype_of(wanted)
                product, tolerance = exact(a.array(), b.array(), dtype)
                c.call("matmul_as", [a, b], [number_of(dtype)], product.astype(dtype), tolerance, rng=rng,
                       how=c.how(rng))


def accumulated(c, rng, product, tolerance, dtype):
    """An old result, factors of a product and of it, and their sum with its tolerance."""
    out = c.layout(rng, product.ndim, True).view(rng, c.values(dtype, "near"), product.shape, 0)
    scale, old = (1.5, -0.25) if dtype.kind in "fc" else (3, 2)
    with np.errstate(all="ignore"):
        answer = (product * scale + out.array().astype(product.dtype) * old).astype(dtype)
    if tolerance is not EXACT:
        tolerance = (1, True, 2 * tolerance[2] + 20 * epsilon("f4" if dtype.char == "e" else dtype))
    return out, scale, old, answer, tolerance


def scaled(c):
    for turn in range(c.scale):
        for letter in c.each("bHiqefdFD"):
            rng = c.group("matmul scaled", letter, turn)
            for _ in range(3):
                dtype = dtype_of(letter)
                a, b = (array(c, rng, s, letter) for s in draw(rng))
                out, scale, old, answer, tolerance = accumulated(c, rng, *exact(a.array(), b.array(), dtype), dtype)
                c.call("matmul_scaled", [a, b], [Weak(scale), Weak(old)], answer, tolerance, results=[out])


def epilogues(c):
    for turn in range(c.scale):
        for letter in c.each(INEXACT):
            rng = c.group("matmul epilogue", letter, turn)
            for text, function in (("value * 2 + bias", lambda v, b: v * 2 + b),
                                   ("-(value - bias)", lambda v, b: b - v)):
                dtype = dtype_of(letter)
                a, b = (array(c, rng, s, letter) for s in draw(rng))
                product, tolerance = exact(a.array(), b.array(), dtype)
                shape = [n if rng.random() < 0.6 else 1 for n in product.shape][int(rng.integers(product.ndim + 1)):]
                bias = array(c, rng, shape, letter)
                wide = bias.array().astype(product.dtype)
                reach = float(abs(wide).max(initial=0)) + float(abs(product).max(initial=0))
                unit = epsilon("f4" if letter == "e" else dtype)
                c.call("matmul_epilogue", [a, b, bias], [text, Weak(1)], function(product, wide).astype(dtype),
                       (1, True, 2 * tolerance[2] + 8 * reach * unit), rng=rng, how=c.how(rng), label=text)


def refused(c):
    rng = c.group("matmul", "refused")
    x, y, z, one = (c.array(rng, s, np.dtype("f4")) for s in ((3, 4), (3, 4), (2, 4, 5), ()))
    c.refuse("matmul", [x, y], [], SHAPE)
    c.refuse("matmul", [one, y], [], SHAPE)
    c.refuse("matmul", [c.array(rng, (3, 2, 4), np.dtype("f4")), z], [], SHAPE)
    c.refuse("matmul_as", [x, z], [number_of(np.dtype("i4"))], DTYPE)
    c.refuse("matmul_scaled", [x, z], [Weak(1), Weak(1)], ARGUMENT, label="into nothing")


def make(c):
    plain(c)
    typed(c)
    scaled(c)
    epilogues(c)
    refused(c)

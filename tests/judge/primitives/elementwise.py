# SPDX-License-Identifier: MIT
"""weft/elementwise.h. Narrow floats are computed in f32, and so is what NumPy computes here for them."""

import numpy as np

from record import DTYPE, SHAPE, Weak
from values import dtype_of

from .base import ALL, INTEGERS, draw_shape

DIFFERENCES = """
isclose      of f16 and around of f16: computed in f32, and the result rounded once
around       of bool: refused
choose       mode "raise": negative indices count from the end
"""
ARGUMENT, INDEX = 100, 105
MODES = ["raise", "clip", "wrap"]


def wider(x):
    return x.astype(np.float32) if x.dtype == np.float16 else x


def quiet(function, *args, **named):
    with np.errstate(all="ignore"):
        return np.asarray(function(*args, **named))


def similar(c, rng, x, dtype):
    """Elements near x's, some equal, some far away."""
    with np.errstate(all="ignore"):
        real = x.real.astype(np.float64) if x.dtype.kind == "c" else x.astype(np.float64)
        size = rng.choice([0, 1e-9, 3e-6, 2e-5, 1e-3, 1], x.shape)
        y = real * (1 + size * rng.standard_normal(x.shape)) + rng.choice([0, 1e-8, 1e-3], x.shape)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            y = np.clip(np.nan_to_num(np.rint(y)), max(info.min, -1e15), min(info.max, 1e15))
        return y.astype(dtype)


def close(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("isclose", letter, turn)
            for draw in range(4):
                shape = draw_shape(rng, int(rng.choice([1, 1, 2, 3])))
                x = c.array(rng, shape, dtype_of(letter), ["mixed", "finite", "few", "weird"][draw])
                other = dtype_of(letter if draw < 2 else str(rng.choice(list("?hiqQefdFD"))))
                y = c.of(similar(c, rng, x.array(), other))
                rtol, atol = float(rng.choice([0, 1e-3, 1e-5])), float(rng.choice([0, 1e-3, 0.5]))
                nan = bool(rng.integers(2))
                used = {"rtol": rtol or 1e-5, "atol": atol or 1e-8, "equal_nan": nan}
                if other == np.float16:  # a C scalar takes this dtype
                    used = {**used, "rtol": float(np.float16(used["rtol"])), "atol": float(np.float16(used["atol"]))}
                answer = quiet(np.isclose, wider(x.array()), wider(y.array()), **used)
                wide = other.kind in "?biuc" or letter in "?bBhHiIqQ"
                label = f"{rtol} {atol} {nan}"
                c.call("isclose", [x, y], [rtol, atol, nan], answer, rng=rng, how=c.how(rng), wide=wide, label=label)
                c.call("allclose", [x, y], [rtol, atol, nan], answer.all(), wide=wide, label=label)
                c.call("allclose", [x, x], [rtol, atol, 1], np.True_, wide=wide, label="itself")
    rng = c.group("isclose", "scalars")
    x = c.array(rng, (33,), np.dtype("f4"), "few")
    for number in (1.5, 0, 2, float("nan"), float("inf")):
        c.call("isclose", [x, Weak(number)], [0, 0, 1], np.isclose(x.array(), number, equal_nan=True),
               label=str(number))
        c.call("isclose", [Weak(number), x], [-1, -1, 0], number == x.array(), label="no tolerance")
    c.refuse("isclose", [x, c.of(np.zeros(5, "f4"))], [0, 0, 0], SHAPE)


def equal(c):
    for letter in c.each(ALL):
        rng = c.group("array_equal", letter)
        for draw in range(3):
            shape = draw_shape(rng, int(rng.choice([0, 1, 2, 3])))
            x = c.array(rng, shape, dtype_of(letter), "mixed" if draw else "few")
            same = x.array().copy()
            if same.size and draw == 1:
                same.flat[int(rng.integers(same.size))] = 1
            y = c.of(same)
            for nan in (False, True):
                c.call("array_equal", [x, y], [nan], quiet(np.array_equal, x.array(), same, equal_nan=nan),
                       label=str(nan))
            z = c.of(np.stack([same, same]))
            c.call("array_equal", [x, z], [0], np.False_, label="shapes")
            c.call("array_equiv", [x, z], [], quiet(np.array_equiv, x.array(), z.array()))
            c.call("array_equiv", [x, c.of(np.zeros(7919, "u1"))], [], np.False_ if shape[-1:] not in ((), (1,))
                   else quiet(np.array_equiv, x.array(), np.zeros(7919)), label="shapes")


def rounded(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("around", letter, turn)
            for draw in range(4):
                x = c.array(rng, draw_shape(rng, int(rng.choice([0, 1, 2, 3]))), dtype_of(letter),
                            "mixed" if draw == 0 and letter not in INTEGERS else "finite")
                value = x.array()
                decimals = int(rng.choice([0, 1, 2, 3, 7, -1, -2]))
                if letter == "?":
                    c.refuse("around", [x], [decimals], DTYPE)
                else:
                    with np.errstate(all="ignore"):
                        answer = np.around(wider(value), decimals).astype(value.dtype)
                    c.call("around", [x], [decimals], answer, rng=rng, how=c.how(rng),
                           wide=letter in INTEGERS and decimals < 0, label=str(decimals))
                x = c.array(rng, draw_shape(rng, int(rng.choice([1, 2]))), dtype_of(letter), "mixed")
                options = [None if rng.random() < 0.4 else float(rng.choice([0, -7, 2.5])) for _ in range(3)]
                named = dict(zip(("nan", "posinf", "neginf"), options))
                if options[0] is None:
                    named.pop("nan")
                c.call("nan_to_num", [x], [0 if o is None else Weak(o) for o in options],
                       np.nan_to_num(x.array(), **named), rng=rng, how=c.how(rng), label=str(options))
    rng = c.group("around", "refused")
    x = c.array(rng, (3,), np.dtype("f4"))
    c.refuse("nan_to_num", [x], [0, Weak(1j), 0], DTYPE)


def chosen(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("where_first", letter, turn)
            for draw in range(3):
                shape = draw_shape(rng, int(rng.choice([1, 1, 2, 3])), [257])
                pairs, operands = int(rng.choice([1, 2, 3, 5])), []
                for k in range(pairs):
                    operands.append(c.array(rng, shape if k == 0 or rng.random() < 0.6 else shape[1:], np.dtype("?"),
                                            "mixed"))
                    other = dtype_of(letter if rng.random() < 0.7 else str(rng.choice(list("?hiefd"))))
                    operands.append(c.array(rng, shape if rng.random() < 0.7 else (), other, "finite"))
                values = [o.array() for o in operands]
                last = Weak(float(2)) if letter in "efdFD" and draw == 1 else c.array(rng, (1,), dtype_of(letter))
                default = last.value if isinstance(last, Weak) else last.array()
                answer = np.select(list(np.broadcast_arrays(*values[::2])), values[1::2], default)
                dtype = np.result_type(*values[1::2], default)
                c.call("where_first", [*operands, last], [], answer.astype(dtype), rng=rng, how=c.how(rng),
                       label=str(pairs))
                count, mode = int(rng.choice([1, 2, 3, 5, 9])), int(rng.integers(3))
                indices = c.of(rng.integers(-9 if mode else 0, 19 if mode else count, shape).astype(
                    str(rng.choice(["i4", "i8", "i2"]))))
                choices = [c.array(rng, shape if rng.random() < 0.6 else (), dtype_of(letter), "mixed")
                           for _ in range(count)]
                c.call("choose", [indices, *choices], [mode],
                       np.choose(indices.array(), [o.array() for o in choices], mode=MODES[mode]), rng=rng,
                       how=c.how(rng), label=f"{count} {MODES[mode]}")
    rng = c.group("where_first", "refused")
    f, mask = c.array(rng, (3,), np.dtype("f4")), c.of(np.array([True, False, True]))
    c.refuse("where_first", [mask, f], [], ARGUMENT)
    c.refuse("where_first", [f, f, f], [], DTYPE)
    c.refuse("where_first", [mask, f, c.of(np.zeros(4))], [], SHAPE)
    c.refuse("choose", [c.of(np.array([0, 2, 1])), f, f], [0], INDEX)
    c.refuse("choose", [f, f, f], [0], DTYPE)
    c.refuse("choose", [c.of(np.array([0, 0, 0]))], [0], ARGUMENT)


def make(c):
    close(c)
    equal(c)
    rounded(c)
    chosen(c)

# SPDX-License-Identifier: MIT
"""weft/scan.h"""

import numpy as np

from record import DTYPE, SHAPE, Host, Weak
from values import dtype_of, number_of

from .base import ALL, EVERY_AXIS, EXACT, TILES, ZERO_FREE, draw_shape, epsilon

DIFFERENCES = """
scans        along no axis (WEFT_ALL_AXES) of any shape: one axis, as NumPy's cumsum; of maxima and minima too
cumprod      of floats and complex numbers in any grouping: near the exact products
"""
AXIS = 104
# of narrow and of wide results: numbers fill a file
LARGEST = ([8191, 8192, 8193, 12289], TILES), ([2049, 4097], [1023, 1024, 1025])
OPS = ["cumsum", "cumprod", "cummax", "cummin"]


def result_dtype(op, dtype):
    return np.cumsum(np.zeros(1, dtype)).dtype if op < 2 else dtype


def neutral(op, dtype):
    if op < 2:
        return dtype.type(op)
    if dtype.kind == "b":
        return np.bool_(op == 3)
    if dtype.kind in "iu":
        return getattr(np.iinfo(dtype), "min" if op == 2 else "max")
    infinity = -np.inf if op == 2 else np.inf
    return dtype.type(infinity) if dtype.kind == "f" else dtype.type(complex(infinity, infinity))


def runs(op, rows, target):
    """(inclusive scans of rows, tolerance)"""
    wide = rows.astype(target)
    if op >= 2:
        return (np.maximum if op == 2 else np.minimum).accumulate(wide, axis=-1), ZERO_FREE
    function = np.cumsum if op == 0 else np.cumprod
    if target.kind not in "fc":
        return function(wide, axis=-1, dtype=target), EXACT
    exact = function(wide.astype(np.clongdouble if target.kind == "c" else np.longdouble), axis=-1)
    n = rows.shape[-1]
    eps = epsilon("f" if target.char == "e" else target)
    if op == 1:
        return exact.astype(target), (2 if target.char == "e" else (n if target.kind == "f" else 6 * n) + 2, True, 0.0)
    sizes = np.where(np.isfinite(wide), abs(wide), 0).astype(np.longdouble)
    size = float(np.max(np.sum(sizes, axis=-1), initial=0))
    return exact.astype(target), (1, True, size * (n + 2) * eps)


def segments(flags):
    """Bounds of a row's segments; a flag marks a beginning, for scans in either direction."""
    if not len(flags):
        return []
    starts = [0] + [i for i in np.flatnonzero(flags) if i]
    return list(zip(starts, starts[1:] + [len(flags)]))


def scanned(x, axis, op, target, exclusive=False, reverse=False, flags=None, combine=None, first=None):
    """`combine`: maps the rows of a segment to their inclusive scans."""
    shape = x.shape
    if axis == EVERY_AXIS:
        x, axis = x.reshape(-1), 0
        flags = None if flags is None else flags.reshape(-1)
        shape = x.shape
    rows = np.moveaxis(x, axis, -1)
    if flags is not None:
        flags = np.moveaxis(flags, axis, -1)
    flat = rows.reshape(-1, rows.shape[-1]) if rows.size else rows.reshape(0, rows.shape[-1])
    out = np.empty(flat.shape, target)
    bound = (0, op is not None and op >= 2 or target.kind in "fc", 0.0)
    start = neutral(op, target) if combine is None else first
    marks = flags.reshape(flat.shape) != 0 if flags is not None else None
    with np.errstate(all="ignore"):
        for i, row in enumerate(flat):
            cuts = [(0, len(row))] if marks is None else segments(marks[i])
            for a, b in cuts:
                part = row[a:b][::-1] if reverse else row[a:b]
                if combine is None:
                    got, tolerance = runs(op, part[None], target)
                    got = got[0]
                    bound = (max(bound[0], tolerance[0]), tolerance[1], max(bound[2], tolerance[2]))
                else:
                    got = combine(part)
                if exclusive:
                    got = np.concatenate([np.full(1, start, target), got[:-1]]) if len(got) else got
                out[i, a:b] = got[::-1] if reverse else got
    return np.moveaxis(out.reshape(rows.shape), -1, axis).reshape(shape), bound


def kind_for(rng, op):
    return str(
        rng.choice(
            {0: ["finite", "finite", "finite", "equal", "weird"], 1: ["near"]}.get(
                op, ["mixed", "few", "finite", "equal", "rising"])
        )
    )


def draw_axis(rng, ndim):
    if ndim == 0 or rng.random() < 0.25:
        return EVERY_AXIS
    axis = int(rng.integers(ndim))
    return axis - ndim if rng.random() < 0.4 else axis


def matrix(c):
    for turn in range(c.scale):
        for op, letter in c.each(range(4), ALL):
            rng = c.group("scan", op, letter, turn)
            dtype = dtype_of(letter)
            target = result_dtype(op, dtype)
            for draw in range(4):
                ndim = int(rng.choice([0, 1, 2, 3], p=[0.04, 0.46, 0.3, 0.2]))
                shape = draw_shape(rng, ndim, *LARGEST[target.itemsize > 4 or op < 2 and target.kind == "f"])
                axis = draw_axis(rng, ndim)
                kind = kind_for(rng, op)
                x = c.array(rng, shape, dtype, kind)
                result, tolerance = scanned(x.array(), axis, op, target)
                c.call(OPS[op], [x], [axis], result, tolerance, rng=rng, how=c.how(rng), label=f"{kind} axis {axis}")
            if dtype == target:  # in place
                x = c.array(rng, draw_shape(rng, 1), dtype, kind_for(rng, op), layout=c.layout(rng, 1, True))
                result, tolerance = scanned(x.array(), 0, op, target)
                c.call(OPS[op], [x], [0], result, tolerance, results=[x], label="in place")


def edges(c):
    """Every size around tiles, and rows and columns of every width."""
    for op, letter in ((0, "i"), (0, "f"), (2, "h"), (0, "Q")):
        rng = c.group("scan", "edges", op, letter)
        dtype = dtype_of(letter)
        large = [1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 12287, 12289]
        for size in [1, 2, 31, 32, 33, 255, 256, 257, 511, 513,
                     *(int(n) for n in rng.permutation(large)[: 5 * c.scale])]:
            x = c.array(rng, (size,), dtype, "finite", c.layout(rng, 1) if rng.random() < 0.3 else None)
            result, tolerance = scanned(x.array(), 0, op, result_dtype(op, dtype))
            c.call(OPS[op], [x], [0], result, tolerance, label="edges")
        rng = c.group("scan", "rows", op, letter)
        for shape in ((3, 257), (257, 3), (65, 33), (2, 1025), (1025, 2), (5, 1, 64), (2, 129, 5), (3, 4, 33)):
            for axis in range(len(shape)):
                x = c.array(rng, shape, dtype, "finite")
                result, tolerance = scanned(x.array(), axis, op, result_dtype(op, dtype))
                c.call(OPS[op], [x], [axis], result, tolerance, label=f"rows axis {axis}")


def last_set(part):
    at = np.maximum.accumulate(np.where(part != 0, np.arange(len(part)), -1)) if len(part) else np.zeros(0, int)
    return np.where(at >= 0, part[at], 0).astype(part.dtype)


COMBINES = [  # text, neutral, dtypes, inclusive scan of a row
    ("a * b", 1, "hiQ", lambda p: np.cumprod(p, dtype=p.dtype)),
    ("maximum(a, b)", -(10**9), "if", np.maximum.accumulate),
    ("a + b", 0, "biF", lambda p: np.cumsum(p, dtype=p.dtype)),
    ("where(b != 0, b, a)", 0, "hif", last_set),
    ("a ^ b", 0, "BI", np.bitwise_xor.accumulate),
]


def general(c):
    """weft_scan"""
    for turn in range(c.scale):
        for op, letter in c.each(range(4), "ifhBqde?"):
            rng = c.group("general", op, letter, turn)
            dtype = dtype_of(letter)
            target = result_dtype(op, dtype)
            cast = 0
            if rng.random() < 0.2 and letter in "ih":
                target, cast = np.dtype("f4" if rng.random() < 0.5 else "i8"), 1
            exclusive, reverse, fixed = (bool(rng.random() < 0.5) for _ in range(3))
            for draw in range(3):
                shape = draw_shape(rng, int(rng.choice([1, 1, 2, 3])),
                                   *LARGEST[target.itemsize > 4 or op < 2 and target.kind == "f"])
                axis = draw_axis(rng, len(shape))
                x = c.array(rng, shape, dtype, "near" if op == 1 else "finite")
                value = x.array().astype(target) if cast else x.array()
                flags = None
                if draw:
                    marks = np.resize(rng.random(509) < rng.choice([0.002, 0.1, 0.9]), shape).astype(
                        bool if rng.random() < 0.5 else np.uint8
                    )
                    flags = c.of(marks)
                result, tolerance = scanned(value, axis, op, target, exclusive, reverse,
                                            None if flags is None else flags.array())
                params = [axis, op, exclusive, reverse, fixed, number_of(target) if cast else 0]
                words = [w for w, on in (("exclusive", exclusive), ("reverse", reverse), ("fixed", fixed),
                                         ("flags", flags)) if on]
                c.call(
                    "scan",
                    [x] + ([flags] if flags else []),
                    params,
                    result,
                    tolerance,
                    rng=rng,
                    how=c.how(rng),
                    label=f"{OPS[op]} {' '.join(words)} axis {axis}",
                )
    for text, first, letters, function in COMBINES:
        for letter in letters:
            rng = c.group("combine", text, letter)
            dtype = dtype_of(letter)
            exclusive, reverse = (bool(rng.random() < 0.5) for _ in range(2))
            if text.startswith("where"):
                reverse = False
            for draw in range(3):
                shape = draw_shape(rng, 1 + draw % 2, [4097])
                x = c.array(rng, shape, dtype, "few" if text.startswith("where") and letter != "f" else "finite")
                result, _ = scanned(x.array(), -1, None, dtype, exclusive, reverse, combine=function, first=first)
                tolerance = EXACT
                if letter == "F":
                    tolerance = (1, True, float(np.sum(abs(x.array()))) * x.array().size * epsilon("f"))
                c.call(
                    "scan",
                    [x],
                    [-1, 0, exclusive, reverse, False, 0, text, Weak(first)],
                    result,
                    tolerance,
                    rng=rng,
                    how=c.how(rng),
                    label=f"{text}{' exclusive' if exclusive else ''}{' reverse' if reverse else ''}",
                )


def others(c):
    rng = c.group("scan", "others")
    x = c.array(rng, (2, 3), np.dtype("f4"))
    for axis in (2, -3):
        c.refuse("cumsum", [x], [axis], AXIS, label=f"axis {axis}")
    for letter, other in (("f", "i"), ("F", "f"), ("q", "?")):
        out = c.array(rng, (5,), dtype_of(other), layout=c.layout(rng, 1, True))
        c.refuse("cumsum", [c.array(rng, (5,), dtype_of(letter))], [0], DTYPE, [out], label=f"into {other}")
    c.refuse("cumsum", [x], [0], SHAPE, [c.array(rng, (3, 2), np.dtype("f4"), layout=c.layout(rng, 2, True))],
             label="into another shape")
    c.refuse("scan", [x, c.of(np.zeros((3,), bool))], [0, 0, 0, 0, 0, 0], SHAPE, label="flags of another shape")
    for shape in ((), (9,), (0,), (3, 4)):
        view = c.array(rng, shape, np.dtype("i4"))
        host = Host(c.of(view.array()).storage, shape)
        result, tolerance = scanned(host.array(), EVERY_AXIS, 0, np.dtype("i8"))
        c.call("cumsum", [host], [EVERY_AXIS], result, tolerance, rng=rng, how=str(rng.choice(["new", "host"])),
               label="from host memory")


def numbers(c):
    """The nan forms: the scans of x with 0 or 1 in the place of each NaN."""
    for turn in range(c.scale):
        for op, letter in c.each(range(2), ALL):
            rng = c.group("scan", "nan", op, letter, turn)
            dtype = dtype_of(letter)
            for draw in range(2):
                shape = draw_shape(rng, int(rng.choice([1, 2])), [2049], [1023, 1025])
                axis = draw_axis(rng, len(shape))
                pool = c.values(dtype, "near" if op else "finite").copy()
                if dtype.kind in "fc":
                    pool[rng.random(len(pool)) < 0.2] = np.nan
                x = c.layout(rng, len(shape)).view(rng, pool, shape, 3)
                value = x.array()
                clean = np.where(value == value, value, dtype.type(op))
                answer, bound = scanned(clean, axis, op, result_dtype(op, dtype))
                c.call(f"nan{OPS[op]}", [x], [axis], answer, bound, rng=rng, how=c.how(rng))


def make(c):
    matrix(c)
    edges(c)
    general(c)
    others(c)
    numbers(c)

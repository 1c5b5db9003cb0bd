# SPDX-License-Identifier: MIT
"""Shared by all subjects' cases: values, arrays of every layout, places for results, and calls with their expected
results."""

import itertools
import math

import numpy as np

from layouts import PERIOD, Layout, draw_offset
from record import OK, HostResult, Storage, View, Weak
from values import dtype_of, generator, randoms_of, specials_of

ALL = "?bBhHiIqQefdFD"
REAL = "?bBhHiIqQefd"
INTEGERS = "bBhHiIqQ"
FLOATS = "efd"
INEXACT = "efdFD"
EXACT = (0, False, 0.0)
ZERO_FREE = (0, True, 0.0)
EVERY_AXIS = -(2**31)  # WEFT__EVERY_AXIS

# sizes around blocks and tiles, and around one thread's load
EDGES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513]
TILES = [1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097]
LARGE = [8191, 8192, 8193, 12287, 12288, 12289]


def short(d):
    return {"l": "q", "L": "Q"}.get(np.dtype(d).char, np.dtype(d).char)


def is_wide(dtypes):
    return any(np.dtype(d) in (np.dtype("f8"), np.dtype("c16")) for d in dtypes)


def real_of(dtype):
    return np.dtype({"F": "f4", "D": "f8"}.get(np.dtype(dtype).char, dtype))


def epsilon(dtype):
    """Half the distance from 1 to the next number."""
    return float(np.finfo(real_of(dtype)).eps) / 2


def ulps_in(target, dtype, ulps, absolute):
    """The ULPs of `target` that correspond to an error of `ulps` in `dtype`, after a cast."""
    if target == dtype or target.kind not in "fc" or dtype.kind not in "fc":
        return ulps
    if target.itemsize < dtype.itemsize:  # rounded once more
        return 1 if ulps or absolute else 0
    return ulps * epsilon(dtype) / epsilon(target)  # ULPs of `target` are smaller


def ordered(rng, x):
    return x[rng.permutation(len(x))]


def values_of(seed, dtype, kind, count=PERIOD):
    """`count` elements:
      mixed   special values and random ones of every size, including NaN and infinities
      finite  of moderate size, for sums
      near    around 1, for products
      few     five different values; for floats with NaN and both zeros
      equal   one value
      rising  ascending, with repetitions
      weird   infinities, no NaN; for integers the extremes"""
    dtype = np.dtype(dtype)
    rng = generator(seed, dtype.name, kind, count)
    if kind == "equal":
        return np.repeat(randoms_of(rng, dtype, 9)[2:3], count)
    if kind == "few":
        some = specials_of(dtype)[:5] if dtype.kind != "f" else np.array([0.0, -0.0, np.nan, 1.5, -2], dtype)
        return rng.choice(some, count)
    if dtype.kind == "c" and kind != "mixed":
        out = np.empty(count, dtype)
        real = real_of(dtype)
        out.real, out.imag = values_of(seed, real, kind, count), ordered(rng, values_of(seed + 1, real, kind, count))
        if kind == "near":
            out.imag = 0.1 * (out.imag - 1)
        return np.sort(out) if kind == "rising" else out
    if kind == "mixed" or dtype.kind == "b":
        return ordered(rng, np.concatenate([specials_of(dtype), randoms_of(rng, dtype, count)])[:count])
    if kind == "rising":
        x = values_of(seed, dtype, "finite", count)
        return np.sort(np.where(rng.random(count) < 0.3, np.roll(x, 1), x).astype(dtype))
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if kind == "weird":
            return rng.choice(np.array([info.min, info.max, 0, 1], dtype), count)
        x = rng.integers(max(info.min, -1000), min(info.max, 1000), count, endpoint=True)
        return (np.where(rng.random(count) < 0.5, x % 7 + 1, x) if kind == "near" else x).astype(dtype)
    if kind == "near":
        return np.exp(rng.standard_normal(count) * (0.02 if dtype.itemsize > 2 else 0.01)).astype(dtype)
    if kind == "weird":
        return rng.choice(np.array([np.inf, 1, -0.0, 2.5, -3], dtype), count)
    sizes = rng.integers(-4, 4, count) if dtype.itemsize == 2 else rng.integers(-20, 12, count)
    return (rng.standard_normal(count) * 2.0**sizes).astype(dtype)


class Calls:
    """Makes the cases of one subject. A group is one draw of function, dtypes and layout. Its cases need about the same
    kernels, so that running part of the groups takes part of the time."""

    number = 0

    def __init__(self, file, seed, scale=1, only=None):
        self.file, self.seed, self.scale, self.only = file, seed, scale, only
        self.pools = {}

    @staticmethod
    def each(*lists):
        """All combinations of the lists' elements; lists of letters are dtypes."""
        return lists[0] if len(lists) == 1 else itertools.product(*lists)

    def group(self, *salt):
        """A generator for a new group."""
        Calls.number += 1
        return generator(self.seed, *salt)

    def values(self, dtype, kind, count=PERIOD):
        key = (np.dtype(dtype), kind, count)
        if key not in self.pools:
            self.pools[key] = values_of(self.seed, *key)
        return self.pools[key]

    def array(self, rng, shape, dtype, kind="finite", layout=None, count=PERIOD):
        """An operand of this shape in a random layout. `layout`: a result of self.layout, PLAIN, or None to draw one
        here."""
        return (layout or self.layout(rng, len(shape))).view(rng, self.values(dtype, kind, count), tuple(shape),
                                                             draw_offset(rng))

    def of(self, x, layout=None, rng=None):
        """An operand with exactly these elements."""
        x = np.asarray(x)
        return View(Storage(np.ascontiguousarray(x).ravel(), x.size), [("r", x.shape)])

    @staticmethod
    def layout(rng, ndim, is_result=False):
        lay = Layout(rng, ndim, is_result)
        lay.missing = 0
        lay.broadcast = not is_result and (lay.broadcast or any(lay.repeated)) and not lay.plain
        return lay

    def place(self, rng, answer, how):
        """A place for one result: None (new), 'out' (a view), 'cast' (another dtype of the same kind), 'host'."""
        dtype, shape = answer.dtype, answer.shape
        if how == "cast":
            others = [d for d in map(dtype_of, ALL) if d != dtype and np.can_cast(dtype, d, "same_kind")]
            dtype = others[int(rng.integers(len(others)))] if others else dtype
            # casts of values that do not fit are undefined
            if dtype.kind in "iu" or dtype.itemsize < answer.dtype.itemsize:
                with np.errstate(all="ignore"):
                    dtype = dtype if np.all(np.isfinite(answer.astype(dtype)) | ~np.isfinite(answer)) else answer.dtype
        if how == "host":
            return HostResult(dtype, shape)
        if how in ("out", "cast"):
            pool = self.values(dtype, "finite")
            return self.layout(rng, len(shape), True).view(rng, pool, shape, draw_offset(rng))
        return None

    def how(self, rng):
        """Draws how a result is given."""
        return str(rng.choice(["new", "out", "cast", "host"], p=[0.5, 0.3, 0.1, 0.1]))

    def call(self, name, operands, params, answers, tolerances=None, results=None, rng=None, how="new", label="",
             wide=False):
        """One call that succeeds. `answers` are arrays; `results` are places, otherwise drawn by `how`."""
        if self.only and name not in self.only:
            return
        answers = [np.asarray(a) for a in (answers if isinstance(answers, (tuple, list)) else [answers])]
        tolerances = list(tolerances) if isinstance(tolerances, list) else [tolerances or EXACT] * len(answers)
        results = results or [self.place(rng, a, how) for a in answers]
        stored, final = [], []
        wide |= is_wide([o.dtype if isinstance(o, Weak) else o.array().dtype for o in operands] +
                        [a.dtype for a in answers])
        for place, answer, (ulps, any_zero, absolute) in zip(results, answers, tolerances):
            target = answer.dtype
            with np.errstate(all="ignore"):
                if isinstance(place, View):
                    whole = place.storage.values.copy()
                    view = place.of(whole)
                    assert np.shares_memory(view, whole) or view.size == 0, "a result that is no view"
                    assert view.shape == answer.shape, (name, label, view.shape, answer.shape)
                    target = whole.dtype
                    view[...] = answer
                    stored.append((whole.dtype, view.shape, whole))
                elif isinstance(place, HostResult):
                    target = place.dtype
                    stored.append((target, place.shape, answer.astype(target)))
                else:
                    stored.append((target, answer.shape, answer))
            wide |= is_wide([target])
            final.append((ulps_in(target, answer.dtype, ulps, absolute), any_zero, absolute))
        self.file.add_primitive(
            name, told(operands, stored[0][0] if isinstance(results[0], (View, HostResult)) else None, label),
            Calls.number, OK, wide, params, final, results, operands, stored
        )

    def refuse(self, name, operands, params, status, results=None, label="", count=1):
        if self.only and name not in self.only:
            return
        kinds = "".join("w" if isinstance(o, Weak) else short(o.array().dtype) for o in operands[:8])
        results = results or [None] * count
        self.file.add_primitive(
            name, f"{kinds} refused {label}".strip(), Calls.number, status, False, params, [EXACT] * len(results),
            results, operands, []
        )


def told(operands, target, label):
    """Text with the operands' dtypes and shapes, the dtype of a given result, and the label."""
    shapes = " ".join("x".join(map(str, np.shape(o.array()))) or "0d" for o in operands[:2] if not isinstance(o, Weak))
    kinds = "".join("w" if isinstance(o, Weak) else short(o.array().dtype) for o in operands[:8])
    return f"{kinds} {shapes}{'' if target is None else ' into ' + short(target)} {label}".strip()


# ---- shapes and axes ----


def draw_size(rng, largest=LARGE, tiles=TILES):
    choice = rng.random()
    return int(rng.choice(EDGES if choice < 0.7 else tiles if choice < 0.92 else largest))


def draw_shape(rng, ndim, largest=LARGE, tiles=TILES):
    """Mostly small; any axis may be the long one."""
    if ndim == 0:
        return ()
    if ndim == 1:
        return (draw_size(rng, largest, tiles),)
    shape = [int(n) for n in rng.choice([1, 2, 3, 4, 5, 7, 8, 16, 17, 33] if ndim == 2 else [1, 2, 3, 4, 5, 7], ndim)]
    long_ones = [31, 33, 64, 127, 129, 255, 257, 511] if ndim == 2 else [9, 16, 31, 33, 65]
    if rng.random() < 0.6:
        shape[int(rng.integers(ndim))] = int(rng.choice(long_ones))
    if rng.random() < 0.04:
        shape[int(rng.integers(ndim))] = 0
    return tuple(shape)


def axes_param(axes, keepdims):
    """The parameter that axes_of of primitive.c reads; axes None: all."""
    return (int(axes is None), int(keepdims), *(axes or ()))


def rows_along(x, axes):
    """(x as rows to reduce, shape of the rest)"""
    axes = tuple(range(x.ndim)) if axes is None else tuple(a % x.ndim for a in axes)
    rest = [a for a in range(x.ndim) if a not in axes]
    shape = tuple(x.shape[a] for a in rest)
    length = math.prod(x.shape[a] for a in axes)
    return x.transpose(rest + list(axes)).reshape(math.prod(shape), length), shape


def by_rows(x, axes, keepdims, function, dtype):
    """function(row) for each reduced row, as an array of NumPy's shape."""
    rows, shape = rows_along(x, axes)
    out = np.array([function(row) for row in rows], dtype).reshape(shape)
    if keepdims:
        gone = tuple(range(x.ndim)) if axes is None else tuple(a % x.ndim for a in axes)
        out = out.reshape([1 if a in gone else n for a, n in enumerate(x.shape)])
    return out

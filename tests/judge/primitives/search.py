# SPDX-License-Identifier: MIT
"""weft/histogram.h and weft/search.h"""

import numpy as np

from record import DTYPE, SHAPE, Host
from values import dtype_of

from .base import EXACT, INTEGERS, REAL, ZERO_FREE, draw_shape, draw_size

DIFFERENCES = """
histogramdd  counts are i64 (NumPy: f64), sums of weights and densities f64
histogram    sums of weights are f64 whatever the weights are, added in any order: both sums are within n eps of the
             exact one; complex numbers and complex weights are refused; elements are compared with the very edges that
             are given (NumPy's range=(low, high) in the same way); neighbouring edges that are equal are refused
bincount     of u64 too; into a given result, what is beyond its end is not counted
searchsorted, isin, intersect1d, setdiff1d   of u64 and signed integers: compared exactly, not as f64; digitize: complex
             numbers are refused
setdiff1d    of two dtypes: in their common one, as the other sets (NumPy: in the first one's)
"""
ARGUMENT, INDEX = 100, 105


def weight_bound(weights):
    finite = np.asarray(weights, np.float64)
    return 4, True, float(np.sum(abs(finite))) * 2.0**-53 * (finite.size + 8)


def histogram_of(x, bins, low, high):
    with np.errstate(all="ignore"):
        return np.histogram(x, bins, (low, high))


def counts(c):
    for turn in range(c.scale):
        for letter in c.each(REAL):
            rng = c.group("histogram", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(5):
                shape = draw_shape(rng, int(rng.choice([0, 1, 1, 2])))
                kind = str(rng.choice(["finite", "few", "equal", "rising", "near"]))
                x = c.array(rng, shape, dtype, kind)
                value = x.array()
                numbers = value[np.isfinite(value)] if dtype.kind == "f" else value
                bins = int(rng.choice([1, 2, 7, 10, 16, 64, 100, 255, 256, 257, 1000, 5000], p=[0.1] * 8 + [0.05] * 4))
                low, high = (sorted(float(v) for v in rng.choice(numbers.ravel().astype(float), 2)) if numbers.size
                             else (0.0, 1.0))
                if rng.random() < 0.3:
                    low, high = float(np.floor(low)), float(np.ceil(high)) + 1
                try:  # neighbouring edges must differ
                    edges = np.histogram_bin_edges(np.zeros(1, dtype if letter != "?" else "u1"), bins, (low, high))
                    apart = bool(np.all(np.diff(edges) > 0))
                except ValueError:
                    apart = False
                if not apart:
                    c.refuse("histogram", [x], [bins, low, high], ARGUMENT, label=f"{bins} {low} {high}")
                    continue
                got, edges = histogram_of(value.ravel().astype(np.uint8) if letter == "?" else value, bins, low, high)
                told = rng.random() < 0.5
                how = c.how(rng)
                answers = [got.astype(np.int64), edges] if told else [got.astype(np.int64)]
                c.call(
                    "histogram",
                    [x],
                    [bins, low, high],
                    answers,
                    [EXACT, (0, True, 0.0)][: 1 + told],
                    rng=rng,
                    how=how,
                    results=None if not told else [c.place(rng, answers[0], how), None],
                    wide=letter not in "ef",
                    label=f"{kind} {bins} {low} {high}",
                )
                if numbers.size == value.size:
                    try:
                        got, edges = np.histogram(value.astype(np.uint8) if letter == "?" else value, bins)
                    except ValueError:
                        edges = np.zeros(2)
                    if np.all(np.diff(edges) > 0):
                        c.call(
                            "histogram_auto",
                            [x],
                            [bins],
                            [got.astype(np.int64), edges],
                            [EXACT, (0, True, 0.0)],
                            wide=letter not in "ef",
                            label=f"{kind} {bins}",
                        )
                weights = c.array(rng, shape, dtype_of(str(rng.choice(list("fdihBe?")))), "finite")
                got, _ = np.histogram(
                    value.astype(np.uint8) if letter == "?" else value, bins, (low, high),
                    weights=weights.array().astype(np.float64)
                )
                c.call(
                    "histogram_weighted",
                    [x, weights],
                    [bins, low, high],
                    [got.astype(np.float64)],
                    weight_bound(weights.array()),
                    rng=rng,
                    how=c.how(rng),
                    wide=True,
                    label=f"{kind} {bins} {low} {high}",
                )
                some = np.unique(c.values(dtype_of(str(rng.choice(list(letter + "fd")))), "finite"))
                some = some[:: int(rng.integers(1, 20))]
                if len(some) >= 2 and letter != "?":
                    edges = Host(c.of(some).storage, some.shape) if rng.random() < 0.5 else c.of(some)
                    common = np.promote_types(some.dtype, dtype)
                    got, _ = np.histogram(value.astype(common), some.astype(common))
                    c.call(
                        "histogram_edges",
                        [x, edges],
                        [],
                        [got.astype(np.int64)],
                        rng=rng,
                        how=c.how(rng),
                        wide=common in (np.float64, np.complex128),
                        label=f"{kind} {len(some)}",
                    )
    rng = c.group("histogram", "refused")
    x = c.array(rng, (9,), np.dtype("f4"))
    for bins, low, high in ((0, 0.0, 1.0), (-1, 0.0, 1.0), (3, 1.0, 0.0), (3, 0.0, np.inf), (3, np.nan, 1.0)):
        c.refuse("histogram", [x], [bins, low, high], ARGUMENT, label=f"{bins} {low} {high}")
    c.refuse("histogram_auto", [c.of(np.array([1, np.inf], "f4"))], [3], ARGUMENT, count=2)
    c.refuse("histogram_auto", [c.of(np.array([1, np.nan], "f4"))], [3], ARGUMENT, count=2)
    c.refuse("histogram_edges", [x, Host(c.of(np.array([1, 0, 2.0], "f4")).storage, (3,))], [], ARGUMENT)
    c.refuse("histogram_weighted", [x, c.array(rng, (8,), np.dtype("f4"))], [3, 0.0, 1.0], SHAPE)
    for letter in "FD":
        c.refuse("histogram", [c.array(rng, (9,), dtype_of(letter))], [3, 0.0, 1.0], DTYPE)


def integers(c):
    """bincount"""
    for turn in range(c.scale):
        for letter in c.each("?" + INTEGERS):
            rng = c.group("bincount", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                top = int(rng.choice([1, 2, 10, 100, 127, 300, 5000, 70000]))
                top = min(top, 1 if letter == "?" else int(np.iinfo(dtype).max))
                pool = np.random.default_rng([c.seed, draw, turn]).integers(0, top, 251, endpoint=True).astype(dtype)
                size = draw_size(rng)
                x = c.of(np.resize(pool, size)) if draw % 2 else c.layout(rng, 1).view(rng, pool, (size,), 3)
                value = x.array()
                minlength = int(rng.choice([0, 0, 1, 50, 1000]))
                got = np.bincount(value.astype(np.int64), minlength=minlength)
                c.call("bincount", [x], [minlength], got, rng=rng, how="new", label=f"to {top} least {minlength}")
                length = int(rng.choice([minlength, max(1, top // 2), top + 7])) or 1
                short_one = np.bincount(value.astype(np.int64), minlength=length)[:length]
                if length >= minlength:
                    c.call(
                        "bincount",
                        [x],
                        [minlength],
                        short_one,
                        rng=rng,
                        how=str(rng.choice(["out", "host"])),
                        label=f"to {top} given {length}",
                    )
                weights = c.array(rng, (size,), dtype_of(str(rng.choice(list("fdiB")))), "finite")
                c.call(
                    "bincount_weighted",
                    [x, weights],
                    [minlength],
                    np.bincount(value.astype(np.int64), weights.array(), minlength).astype(np.float64),
                    weight_bound(weights.array()),
                    rng=rng,
                    how="new",
                    wide=True,
                    label=f"to {top} least {minlength}",
                )
    rng = c.group("bincount", "refused")
    c.refuse("bincount", [c.of(np.array([1, 2, -1, 3]))], [0], INDEX)
    c.refuse("bincount", [c.of(np.array([1, 2]))], [-1], ARGUMENT)
    for letter in "efdFD":
        c.refuse("bincount", [c.array(rng, (9,), dtype_of(letter))], [0], DTYPE)
    c.refuse("bincount_weighted", [c.of(np.array([1, 2])), c.of(np.array([1.0, 2, 3]))], [0], SHAPE)


def ordered(rng, c, dtype, size, kind):
    return c.of(np.sort(c.array(rng, (size,), dtype, kind).array()))


def exactly(common, *arrays):
    """Arrays in their common dtype; u64 and signed integers, which none holds both, as numbers of Python"""
    if common == np.float64 and all(a.dtype.kind in "iub" for a in arrays):
        return [np.array([int(v) for v in a.ravel()], object).reshape(a.shape) for a in arrays]
    return [a.astype(common) for a in arrays]


def searched(c):
    for turn in range(c.scale):
        for letter in c.each(REAL + "FD"):
            rng = c.group("searchsorted", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                kind = str(rng.choice(["mixed", "few", "finite", "equal"]))
                table = ordered(rng, c, dtype, draw_size(rng), kind)
                other = dtype if draw < 3 else dtype_of(str(rng.choice(list(REAL))))
                x = c.array(rng, draw_shape(rng, int(rng.choice([0, 1, 1, 2]))), other, "mixed" if draw % 2 else kind)
                common = np.promote_types(dtype, other)
                side = int(rng.integers(2))
                result = np.searchsorted(*exactly(common, table.array(), x.array()), ["left", "right"][side])
                c.call(
                    "searchsorted",
                    [table, x],
                    [side],
                    np.asarray(result, np.int64),
                    rng=rng,
                    how=c.how(rng),
                    label=f"{kind} {side}",
                    wide=common in (np.float64, np.complex128),
                )
                other = ordered(rng, c, other, draw_size(rng), "mixed" if other.kind not in "fc" else kind)
                both = np.concatenate([table.array().astype(common), other.array().astype(common)])
                c.call(
                    "merge",
                    [table, other],
                    [],
                    np.sort(both, kind="stable"),
                    rng=rng,
                    how=c.how(rng),
                    label=kind,
                    wide=common in (np.float64, np.complex128),
                )
                flags = int(rng.integers(4))
                maybe = table.array().copy()
                if draw % 2 and len(maybe) > 2:
                    at = int(rng.integers(len(maybe) - 1))
                    maybe[[at, at + 1]] = maybe[[at + 1, at]]
                if flags & 1:
                    maybe = maybe[::-1]
                maybe = np.unique(maybe) if flags & 2 and rng.random() < 0.5 else maybe
                c.call(
                    "is_sorted",
                    [c.of(maybe)],
                    [flags],
                    np.array(in_order(maybe, flags)),
                    rng=rng,
                    how="new" if draw else "host",
                    label=f"{kind} {flags}",
                )
    rng = c.group("searchsorted", "refused")
    f = c.array(rng, (4,), np.dtype("f4"), "rising")
    c.refuse("searchsorted", [c.array(rng, (2, 2), np.dtype("f4")), f], [0], SHAPE)
    c.refuse("searchsorted", [f, f], [2], ARGUMENT)
    c.refuse("merge", [f, c.array(rng, (2, 2), np.dtype("f4"))], [], SHAPE)


def in_order(x, flags):
    x = x[::-1] if flags & 1 else x
    order = np.argsort(x, kind="stable")
    ranks = np.searchsorted(x[order], x)  # equal elements have one rank
    steps = np.diff(ranks)
    return bool(np.all(steps > 0 if flags & 2 else steps >= 0))


def without_nan(x):
    """All complex numbers with NaN are one element; which of them stands for it, NumPy leaves to a hash table"""
    return np.where(np.isnan(x), x.dtype.type(7), x)


def sets(c):
    """unique, isin and the sets"""
    for turn in range(c.scale):
        for letter in c.each(REAL + "FD"):
            rng = c.group("sets", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                kind = str(rng.choice(["mixed", "few", "finite", "equal", "rising"]))
                x = c.array(rng, draw_shape(rng, int(rng.choice([0, 1, 1, 2]))), dtype, kind)
                if letter in "FD":
                    x = c.of(without_nan(x.array()))
                value = x.array()
                c.call("unique", [x], [], np.unique(value), ZERO_FREE, rng=rng, how=c.how(rng), label=kind)
                values, first, inverse, counted = np.unique(value, return_index=True, return_inverse=True,
                                                            return_counts=True)
                answers = [values, first, inverse.reshape(value.shape), counted]
                c.call("unique_all", [x], [], answers, ZERO_FREE, rng=rng, how="new", label=kind)
                other = dtype if draw < 3 else dtype_of(str(rng.choice(list(REAL))))
                y = c.array(rng, draw_shape(rng, int(rng.choice([0, 1, 1, 2]))), other, kind if draw % 2 else "mixed")
                if np.issubdtype(y.array().dtype, np.complexfloating):
                    y = c.of(without_nan(y.array()))
                common = np.promote_types(dtype, other)
                (a, b), wide = exactly(common, value, y.array()), common in (np.float64, np.complex128)
                invert = bool(rng.random() < 0.3)
                inside = np.isin(a.ravel(), b.ravel(), invert=invert).reshape(a.shape)
                c.call("isin", [x, y], [invert], inside, rng=rng, how=c.how(rng), label=f"{kind} {invert}", wide=wide)
                for name in ("intersect1d", "setdiff1d", "union1d"):
                    given = (a, b) if name != "union1d" else (value.astype(common), y.array().astype(common))
                    result = getattr(np, name)(*given).astype(common)
                    c.call(name, [x, y], [], result, ZERO_FREE, rng=rng, how=c.how(rng), label=kind, wide=wide)


def slices(c):
    """unique along an axis, setxor1d, digitize"""
    for turn in range(c.scale):
        for letter in c.each(REAL):
            rng = c.group("slices", letter, turn)
            dtype = dtype_of(letter)
            shape = tuple(int(n) for n in rng.choice([1, 2, 3, 17], int(rng.choice([1, 2, 3]))))
            axis = int(rng.integers(len(shape)))
            shape = tuple(int(rng.choice([1, 40])) if d == axis else min(n, 3) for d, n in enumerate(shape))
            pool = c.values(dtype, "few").copy()
            if dtype.kind == "f":
                pool[pool != pool] = 7  # NumPy orders structs with NaN as it comes
            x = c.layout(rng, len(shape)).view(rng, pool, shape, 3)
            answers = np.unique(x.array(), True, True, True, axis=axis)
            answers = [answers[0], *(np.asarray(a).ravel() for a in answers[1:])]
            c.call("unique_axis", [x], [axis, 0], answers, [ZERO_FREE, EXACT, EXACT, EXACT], label=f"axis {axis}")
            a, b = (c.array(rng, (draw_size(rng),), dtype_of(one), "few") for one in (letter, letter))
            answer = np.setxor1d(a.array(), b.array())
            c.call("setxor1d", [a, b], [], answer, ZERO_FREE, rng=rng)
            edges = np.unique(c.values(dtype_of(str(rng.choice(list("fdih")))), "finite"))
            edges = edges[:: int(rng.integers(1, 40))]
            falls, right = bool(rng.integers(2)), bool(rng.integers(2))
            edges = edges[::-1] if falls else edges
            x = c.array(rng, draw_shape(rng, 2), dtype, "mixed" if dtype.kind != "f" else "few")
            common = np.promote_types(edges.dtype, dtype)
            if dtype.kind in "iu" and dtype.itemsize == 8 and common.kind == "f":
                continue
            c.call("digitize", [x, c.of(edges)], [int(right), int(falls)],
                   np.digitize(x.array().astype(common), edges.astype(common), right) if len(edges) > 1 else
                   np.digitize(x.array(), edges, right), rng=rng, how=c.how(rng), wide=common.itemsize == 8,
                   label=f"right {right} descending {falls}") if len(edges) > 1 else None
    x = c.of(np.array([[np.nan, 1], [0, 2], [np.nan, 1]]))
    c.call("unique_axis", [x], [0, 0], [np.array([[0, 2], [np.nan, 1]]), [1, 0], [1, 0, 1], [1, 2]],
           [ZERO_FREE, EXACT, EXACT, EXACT], wide=True, label="NaN")
    c.call("unique_axis", [x], [0, 1], [np.array([[0, 2], [np.nan, 1], [np.nan, 1]]), [1, 0, 2], [1, 0, 2], [1, 1, 1]],
           [ZERO_FREE, EXACT, EXACT, EXACT], wide=True, label="distinct NaN")


def dimensions(c):
    """histogramdd and histogram2d"""
    for turn in range(c.scale):
        for letter in c.each(REAL):
            rng = c.group("histogramdd", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(3):
                two = draw == 2
                count, n = 2 if two else int(rng.integers(1, 4)), int(rng.choice([0, 1, 33, 1025]))
                sample = c.array(rng, (n, count), dtype)
                value = sample.array()
                wide = value.astype("u1") if letter == "?" else value
                bins = [int(k) for k in rng.choice([1, 2, 5, 10], count)]
                # of integers the edges may be on elements; NumPy's and Weft's edges are the same numbers
                ranges = [(-2.0, 2.5)] * count if draw or letter == "e" or n == 0 else None
                weights = [c.array(rng, (n,), dtype_of(str(rng.choice(list("fdi")))), "near")] if draw == 1 else []
                density = bool(rng.random() < 0.4) and n > 0
                given, edges = [], list(bins)
                if draw and rng.random() < 0.5:
                    edges[-1] = np.array([-1.5, -1, 0, 0.25, 2])
                    given, bins[-1] = [c.of(edges[-1].astype("f4"))], 7
                with np.errstate(all="ignore"):
                    answer, places = np.histogramdd(wide, edges, ranges, density=density,
                                                    weights=weights[0].array().astype("f8") if weights else None)
                if density and not np.all(np.isfinite(answer)):
                    continue
                bound = EXACT
                if density or weights:
                    bound = (8, True, float(np.max(np.abs(answer), initial=0)) * 2.0**-50 * (n + 8))
                else:
                    answer = answer.astype(np.int64)
                if given:
                    places[-1] = places[-1].astype("f4")
                operands = [c.of(value[:, 0]), c.of(value[:, 1])] if two else [sample]
                params = [bins, len(weights), int(density), *(v for pair in ranges or [] for v in pair)]
                c.call("histogram2d" if two else "histogramdd", [*operands, *weights, *given], params,
                       [answer, *places], [bound] + [(1, True, 0.0)] * count, wide=True, label=f"{bins} {ranges}")
    rng = c.group("histogramdd", "refused")
    x = c.array(rng, (9, 2), np.dtype("f4"))
    c.refuse("histogramdd", [x], [[3], 0, 0], SHAPE)
    c.refuse("histogramdd", [x], [[3, 0], 0, 0], ARGUMENT)
    c.refuse("histogramdd", [c.array(rng, (9,), np.dtype("f4"))], [[3], 0, 0], SHAPE)
    c.refuse("histogramdd", [c.array(rng, (9, 1), np.dtype("F"))], [[3], 0, 0], DTYPE)
    c.refuse("histogramdd", [x, c.array(rng, (8,), np.dtype("f4"))], [[3, 3], 1, 0], SHAPE)


def make(c):
    sets(c)
    counts(c)
    integers(c)
    searched(c)
    slices(c)
    dimensions(c)

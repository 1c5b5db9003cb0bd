# SPDX-License-Identifier: MIT
"""weft/group.h. Groups are compared with numpy.unique's of the rows' codes, reductions with NumPy's of each group."""

import numpy as np

from record import SHAPE
from values import dtype_of

from .base import ALL, EXACT, ZERO_FREE, draw_shape, epsilon

DIFFERENCES = """
group_by     NaN equals NaN, in keys of any dtype; groups are in the order of the keys, as pandas' groupby(dropna=False)
reduce_...   a group of no elements: 0 for sums, 1 for products, else NaN, of integers 0
"""
ARGUMENT = 100
OPS = {"sum": 1, "prod": 2, "min": 3, "max": 4, "any": 7, "all": 8, "count_nonzero": 9, "mean": 10, "var": 11,
       "std": 12, "ptp": 14, "nansum": 15, "nanprod": 16, "nanmin": 17, "nanmax": 18, "nanmean": 21, "nanvar": 22,
       "nanstd": 23}


def codes_of(key):
    """Whole numbers in the order of the key's elements, equal ones for equal elements and for NaNs."""
    return np.unique(key, return_inverse=True)[1].ravel()


def table_of(keys, runs):
    """(order, offsets, index, inverse, counts) of the groups."""
    codes = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        codes = codes * (len(keys[0]) + 1) + codes_of(key)
        codes = np.unique(codes, return_inverse=True)[1].ravel()
    order = np.arange(len(codes)) if runs else np.argsort(codes, kind="stable")
    placed = codes[order]
    starts = np.flatnonzero(np.concatenate([[True], placed[1:] != placed[:-1]])[: len(placed)])
    offsets = np.append(starts, len(codes))
    inverse = np.empty(len(codes), np.int64)
    inverse[order] = np.repeat(np.arange(len(starts)), np.diff(offsets))
    return order, offsets, order[starts] if len(order) else starts, inverse, np.diff(offsets)


def reduced(op, part, ddof):
    """One group's reduction, in Weft's dtype; also what it gives for no elements."""
    kind = part.dtype.kind
    dtype = {"count_nonzero": np.dtype("i8"), "any": np.dtype("?"), "all": np.dtype("?")}.get(op, part.dtype)
    if op in ("sum", "prod", "nansum", "nanprod") and kind in "biu":
        dtype = np.dtype("u8" if kind == "u" else "i8")
    if op in ("mean", "nanmean", "var", "std", "nanvar", "nanstd"):
        dtype = np.dtype("f8") if kind in "biu" else part.dtype
        if "mean" not in op:
            dtype = {"F": np.dtype("f4"), "D": np.dtype("f8")}.get(dtype.char, dtype)
    clean = part[part == part] if op.startswith("nan") else part
    name = op.removeprefix("nan")
    if len(clean) == 0:
        none = {"sum": 0, "prod": 1, "any": 0, "all": 1, "count_nonzero": 0}.get(name, np.nan)
        if none != none:
            none = 0 if dtype.kind in "biu" else complex(np.nan, np.nan) if dtype.kind == "c" else none
        return np.full(part.shape[1:], none, dtype)
    with np.errstate(all="ignore"):
        if name == "count_nonzero":
            return np.count_nonzero(clean, axis=0)
        if kind in "fc":
            clean = clean.astype(np.clongdouble if kind == "c" else np.longdouble)
        extra = {"ddof": ddof} if name in ("var", "std") else {"dtype": dtype} if name in ("sum", "prod") and \
            dtype.kind in "iu" else {}
        if name in ("var", "std") and len(clean) - ddof <= 0:
            extra = {"ddof": 0}
            answer = getattr(np, name)(clean, axis=0, **extra)
            return np.where(answer == 0, np.nan, np.inf).astype(dtype)
        return np.asarray(getattr(np, name)(clean, axis=0, **extra)).astype(dtype)


def answers_of(op, x, order, offsets, ddof):
    """The reductions of all groups, and the tolerance."""
    parts = [x[order[a:b]] for a, b in zip(offsets, offsets[1:])]
    rows = [reduced(op, part, ddof) for part in parts]
    empty = reduced(op, x[:0], ddof)
    answer = np.array(rows, empty.dtype).reshape(len(rows), *x.shape[1:])
    if answer.dtype.kind not in "fc":
        return answer, EXACT
    if op.removeprefix("nan") in ("min", "max", "ptp"):
        return answer, (1, True, 0.0)
    top = float(np.max(np.abs(x[np.isfinite(x)]), initial=0)) if x.size else 0.0
    n = max(1, len(x))
    eps = epsilon(answer.dtype)
    wide = 2.0**-53 if answer.dtype.itemsize > 4 or x.dtype.kind in "biu" else 2.0**-24
    if op.removeprefix("nan") == "prod":
        return answer, (2 * n + 4, True, 0.0)
    if op.removeprefix("nan") in ("var", "std"):
        size = top * top * (n + 8) * wide
        return answer, (16, True, size if op.removeprefix("nan") == "var" else max(size**0.5 * 2, top * eps))
    return answer, (1, True, top * (n + 8) * wide * max(1, n / 2))  # running sums: each rounding is of up to n elements


def lexsorts(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("lexsort", letter, turn)
            shape = draw_shape(rng, int(rng.choice([1, 1, 2])), [2049], [1025])
            axis = int(rng.integers(-len(shape), len(shape)))
            keys = [c.array(rng, shape, dtype_of(one), "few") for one in (letter, str(rng.choice(list("fiB?"))))]
            if rng.random() < 0.4:
                keys.append(c.array(rng, shape, dtype_of(letter), "finite"))
            # NumPy sorts complex NaNs by field, so codes stand in
            codes = [np.unique(k.array(), return_inverse=True)[1].reshape(shape) for k in keys]
            c.call("lexsort", keys, [axis], np.lexsort(codes, axis=axis), rng=rng, how=c.how(rng))
    rng = c.group("lexsort", "refused")
    c.refuse("lexsort", [c.array(rng, (3,), np.dtype("f4")), c.array(rng, (4,), np.dtype("f4"))], [0], SHAPE)


def groups(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("group_by", letter, turn)
            for draw in range(3):
                n = int(rng.choice([0, 1, 2, 33, 257, 1025]))
                kind = str(rng.choice(["few", "few", "equal", "finite"]))
                keys = [c.array(rng, (n,), dtype_of(letter), kind)]
                keys += [c.array(rng, (n,), dtype_of(str(rng.choice(list("fiB?D")))), "few") for _ in range(draw)]
                runs = bool(rng.random() < 0.2)
                table = table_of([k.array() for k in keys], runs)
                outs = [k.array()[table[2]] for k in keys]
                c.call("group_by", keys, [int(runs), 0], [*table, *outs], [EXACT] * 5 + [ZERO_FREE] * len(outs),
                       label=f"{kind} {draw}")
    x = c.of(np.array([np.nan, 1, np.nan, 1]))
    c.call("group_by", [x], [0, 1], [[1, 3, 0, 2], [0, 2, 3, 4], [1, 0, 2], [1, 0, 2, 0], [2, 1, 1],
                                     np.array([1, np.nan, np.nan])], wide=True, label="distinct NaN")


def reductions(c):
    for turn in range(c.scale):
        for op, letter in c.each(sorted(OPS), ["?" + "B", "hI", "qQ", "ef", "d", "FD"]):
            rng = c.group("reduce_by_key", op, letter, turn)
            letter = str(rng.choice(list(letter)))
            dtype = dtype_of(letter)
            if op == "ptp" and letter == "?" or dtype.kind == "c" and op in ("nanmin", "nanmax", "ptp"):
                continue
            for draw in range(2):
                n = int(rng.choice([1, 5, 33, 300, 1025]))
                shape = (n,) if draw == 0 else (n, int(rng.choice([1, 3, 17])))
                if op.startswith("nan") and draw:
                    shape = (n,)
                pool = c.values(dtype, "near" if "prod" in op else "finite").copy()
                if op.startswith("nan") and dtype.kind in "fc":
                    pool[rng.random(len(pool)) < 0.3] = np.nan
                x = c.layout(rng, len(shape)).view(rng, pool, shape, 3)
                ddof = float(rng.integers(2)) if op.removeprefix("nan") in ("var", "std") else 0.0
                key = c.array(rng, (n,), dtype_of(str(rng.choice(list("iBfqe")))), str(rng.choice(["few", "finite"])))
                runs = bool(rng.random() < 0.2)
                order, offsets, index, _, counts = table_of([key.array()], runs)
                answer, bound = answers_of(op, x.array(), order, offsets, ddof)
                c.call("reduce_by_key", [key, x], [OPS[op], ddof, int(runs)], [key.array()[index], answer, counts],
                       [ZERO_FREE, bound, EXACT], label=op, wide=True)
                cuts = np.sort(rng.integers(0, n + 1, int(rng.choice([1, 2, 9])))).astype("i8")
                some = [c.of(rng.permutation(n).astype("i8"))] if rng.random() < 0.5 else []
                order = some[0].array() if some else np.arange(n)
                answer, bound = answers_of(op, x.array(), order, cuts, ddof)
                c.call("reduce_segments", [x, c.of(cuts), *some], [OPS[op], ddof], answer, bound, rng=rng,
                       how=c.how(rng), label=op, wide=True)
    rng = c.group("reduce_by_key", "refused")
    key, x = c.array(rng, (9,), np.dtype("i4")), c.array(rng, (9,), np.dtype("f4"))
    c.refuse("reduce_by_key", [key, x], [5, 0.0, 0], ARGUMENT, count=3)
    c.refuse("reduce_by_key", [key, c.array(rng, (8,), np.dtype("f4"))], [1, 0.0, 0], SHAPE, count=3)
    c.refuse("reduce_segments", [x, c.of(np.zeros(0, "i8"))], [1, 0.0], SHAPE)


def make(c):
    lexsorts(c)
    groups(c)
    reductions(c)

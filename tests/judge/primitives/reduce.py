# SPDX-License-Identifier: MIT
"""weft/reduce.h"""

import itertools
import math
from fractions import Fraction

import numpy as np

from record import DTYPE, SHAPE, Host

from .base import (ALL, EXACT, INEXACT, LARGE, TILES, ZERO_FREE, axes_param, by_rows, draw_shape, epsilon, real_of,
                   rows_along)
from values import dtype_of

DIFFERENCES = """
reductions   mean, var and std along an axis of length 0, var and std of no more elements than ddof, nanargmin and
             nanargmax of nothing but NaN (-1): as NumPy, without its exceptions and warnings
mean         of complex numbers: real and imaginary parts are divided each for itself (NumPy's infinities become NaN)
nanargmin, nanargmax   of infinities and NaN: an infinity (NumPy's may be a NaN)
min, max     of complex numbers: the first NaN in the order of indices, as argmin's (NumPy's min: in the order of the
             memory)
nanmin, ...  of nothing but complex NaN: both parts are NaN
norm         of vectors only: two axes, or all of several, are one long vector; order 2 unless said
dot          one axis only
eval         in an expression reduced axes stay, with length 1
any, all     of NaN: true, as NumPy's
"""
AXIS, EXPRESSION = 104, 109
ORDERS = {2.0: 2, 1.0: 1, math.inf: np.inf, -math.inf: -np.inf}


def exact_sum(row):
    """The sum of a row of floats, rounded once; NumPy's if it is not finite."""
    if np.iscomplexobj(row):
        return complex(exact_sum(row.real), exact_sum(row.imag))
    if not np.all(np.isfinite(row)):
        with np.errstate(all="ignore"):
            return float(np.sum(row.astype(np.float64)))
    return math.fsum(map(float, row))


def result_dtype(name, dtype):
    if name.endswith(("sum", "prod")):
        return np.sum(np.zeros(1, dtype)).dtype
    if name.endswith(("mean", "var", "std", "norm")):
        wide = dtype if dtype.kind in "fc" else np.dtype("f8")
        return wide if name.endswith("mean") else real_of(wide)
    return dtype


def exact_mean(row):
    if len(row) == 0:
        return complex(math.nan, math.nan) if row.dtype.kind == "c" else math.nan
    if row.dtype.kind in "iub":
        return float(Fraction(sum(map(int, row)), len(row)))
    total = exact_sum(row)
    return complex(total.real / len(row), total.imag / len(row)) if isinstance(total, complex) else total / len(row)


def variance(row, ddof, skips_nan):
    with np.errstate(all="ignore"):
        wide = row.astype(np.clongdouble if row.dtype.kind == "c" else np.longdouble)
        if len(row) == 0 or (skips_nan and len(row) <= ddof):
            return math.nan
        apart = abs(wide - np.sum(wide) / len(row)) ** 2
        return np.sum(apart) / np.longdouble(max(len(row) - ddof, 0))


def vector_norm(row, order):
    with np.errstate(all="ignore"):
        size = abs(row.astype(np.clongdouble if row.dtype.kind == "c" else np.longdouble))
        if order == 1:
            return np.sum(size)
        if np.isinf(order):
            return np.max(size) if order > 0 else np.min(size)
        return np.sqrt(np.sum(size * size))


def sum_bound(x, dtype, own=2.0):
    """(ULPs, sign of zero free, absolute): narrower dtypes are summed in f64, the others in pairs of f64."""
    if np.dtype(dtype).kind not in "fc":
        return EXACT
    finite = x[np.isfinite(x)] if x.dtype.kind in "fc" else x
    size = float(np.sum(abs(finite.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble))))
    relative = 2.0**-40 if real_of(dtype).itemsize < 8 else (len(x.ravel()) + 8) * 2.0**-100
    return (1 if real_of(dtype).itemsize == 2 else own, True, size * relative)


def answer(name, x, axes, keepdims, parameter=0):
    """(NumPy's or the exact result, tolerance)"""
    numpy_axes = None if axes is None else tuple(axes)
    target = result_dtype(name, x.dtype)
    skips_nan = name.startswith("nan") and x.dtype.kind in "fc"
    if skips_nan and name[3:] in ("sum", "prod", "mean", "var", "std"):
        kept = lambda row: row[~np.isnan(row)]  # noqa: E731
        whole = kept(x.ravel())
        name = name[3:]
    else:
        kept, whole = lambda row: row, x  # noqa: E731
        name = name[3:] if name[3:] in ("sum", "prod", "mean", "var", "std") else name
    inexact = target.kind in "fc"
    with np.errstate(all="ignore"):
        if name == "sum" and inexact:
            return by_rows(x, axes, keepdims, lambda row: exact_sum(kept(row)), target), sum_bound(whole, target)
        if name == "mean":
            relative = sum_bound(whole, target, 3.0)
            return by_rows(x, axes, keepdims, lambda row: exact_mean(kept(row)), target), relative
        if name == "prod" and inexact:
            wide = np.clongdouble if x.dtype.kind == "c" else np.longdouble
            n = rows_along(x, axes)[0].shape[1]
            ulps = 2 if real_of(target).itemsize == 2 else max(2, n if target.kind == "f" else 4 * n)
            return by_rows(x, axes, keepdims, lambda row: np.prod(kept(row).astype(wide)), target), (ulps, True, 0.0)
        if name in ("var", "std"):
            finite = np.abs(whole[np.isfinite(whole)].astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble))
            largest = float(finite.max()) if finite.size else 0.0
            rounded = 2.0**-53 * largest
            tiny = 16 * (rounded if name == "std" else rounded * rounded)  # ** raises where this is infinite
            out = by_rows(x, axes, keepdims, lambda row: variance(kept(row), parameter, skips_nan), np.longdouble)
            if name == "var":  # the means of parts are rounded: relative to the variance, eps times mean over deviation
                tiny += 8 * 2.0**-53 * largest * float(np.sqrt(np.max(out, initial=0, where=np.isfinite(out))))
            ulps = 64 if real_of(target).itemsize == 8 else 8
            return (np.sqrt(out) if name == "std" else out).astype(target), (ulps, True, tiny)
        if name == "norm":
            out = by_rows(x, axes, keepdims, lambda row: vector_norm(row, parameter), np.longdouble).astype(target)
            return out, (4 if parameter in (2, 1) or x.dtype.kind == "c" else 0, True, 0.0)
        if name in ("sum", "prod"):
            return getattr(np, name)(x, axis=numpy_axes, keepdims=keepdims), EXACT
        if name in ("any", "all", "count_nonzero"):
            return getattr(np, name)(x, axis=numpy_axes, keepdims=keepdims), EXACT
        if "arg" in name:
            axis = None if axes is None else axes[0]
            if name.startswith("nan") and x.dtype.kind in "fc":

                def one(row):
                    numbers = np.flatnonzero(~np.isnan(row))
                    return numbers[getattr(np, name[3:])(row[numbers])] if len(numbers) else -1

                return by_rows(x, axes, keepdims, one, np.int64), EXACT
            return getattr(np, name[3:] if name.startswith("nan") else name)(x, axis=axis, keepdims=keepdims), EXACT
        if name.startswith("nan") and x.dtype.kind in "fc":

            def least(row):
                row = kept_numbers(row)
                return (getattr(np, name[3:])(row) if len(row)
                        else target.type(complex(np.nan, np.nan) if target.kind == "c" else np.nan))

            return by_rows(x, axes, keepdims, least, target), ZERO_FREE
        name = name.removeprefix("nan")
        if x.dtype.kind == "c":
            return by_rows(x, axes, keepdims, getattr(np, name), target), ZERO_FREE
        return getattr(np, name)(x, axis=numpy_axes, keepdims=keepdims), ZERO_FREE


def kept_numbers(row):
    return row[~np.isnan(row)]


NAMES = [
    "sum",
    "prod",
    "min",
    "max",
    "argmin",
    "argmax",
    "any",
    "all",
    "count_nonzero",
    "mean",
    "var",
    "std",
    "norm",
    "ptp",
    "nansum",
    "nanprod",
    "nanmin",
    "nanmax",
    "nanargmin",
    "nanargmax",
    "nanmean",
    "nanvar",
    "nanstd",
]
SUMMED = "sum mean var std norm nansum nanmean nanvar nanstd".split()


def kinds_for(name):
    if name.endswith("prod"):
        return ["near"]
    if name in SUMMED:
        return (
            ["finite"] * 5 + ["equal", "weird", "rising"]
            if not name.endswith(("var", "std", "norm"))
            else ["finite", "finite", "equal", "rising"]
        )
    return ["mixed", "mixed", "few", "equal", "finite", "weird", "rising"]


def draw_axes(rng, name, ndim):
    if ndim == 0 or rng.random() < 0.3:
        return None
    axes = [a - ndim if rng.random() < 0.4 else a for a in range(ndim)]
    if "arg" in name:
        return (int(rng.choice(axes)),)
    count = 1 if rng.random() < 0.65 else int(rng.integers(0, ndim + 1))
    return tuple(int(a) for a in rng.permutation(axes)[:count])


def parameter_of(rng, name):
    if name.endswith(("var", "std")):
        return int(rng.integers(0, 3))
    return float(rng.choice(list(ORDERS))) if name == "norm" else 0


def with_nan(x, rng):
    """Some NaN among the elements; occasionally a whole row."""
    x = x.copy()
    x[rng.random(x.shape) < rng.choice([0.02, 0.3, 1.0], p=[0.45, 0.45, 0.1])] = np.nan
    return x


def reduction(c, rng, name, x, axes, keepdims, parameter, how, label=""):
    value = x.array()
    rows, _ = rows_along(value, axes)
    params = [axes_param(axes, keepdims)] + ([parameter] if name.endswith(("var", "std")) or name == "norm" else [])
    empty_row = rows.shape[1] == 0
    has_none = name.endswith(("min", "max", "ptp")) or (name == "norm" and abs(parameter) == math.inf)
    label = f"{label} axes {'all' if axes is None else axes}{' kept' if keepdims else ''} {parameter or ''}".strip()
    if name == "ptp" and value.dtype.kind == "b":
        c.refuse(name, [x], params, DTYPE, label=label)
        return
    if empty_row and has_none:
        c.refuse(name, [x], params, SHAPE, label=label)
        return
    result, tolerance = answer(name, value, axes, keepdims, parameter)
    c.call(name, [x], params, result, tolerance, rng=rng, how=how, label=label)


def matrix(c):
    """Every function with every dtype, and some sizes, layouts and axes for each."""
    for turn in range(c.scale):
        for name, letter in c.each(NAMES, ALL):
            rng = c.group("reduce", name, letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                ndim = int(rng.choice([0, 1, 2, 3, 4], p=[0.05, 0.4, 0.3, 0.2, 0.05]))
                axes = draw_axes(rng, name, ndim)
                kind = str(rng.choice(kinds_for(name)))
                x = c.array(rng, draw_shape(rng, ndim), dtype, kind)
                if name.startswith("nan") and letter in INEXACT and rng.random() < 0.8:
                    x = c.of(with_nan(x.array(), rng))
                reduction(c, rng, name, x, axes, rng.random() < 0.25, parameter_of(rng, name), c.how(rng), kind)


def shapes(c):
    """A few functions with every edge of blocks and tiles, and with all axes and pairs of axes."""
    for name, letter in (("sum", "f"), ("sum", "i"), ("max", "f"), ("argmax", "h"), ("any", "?"), ("mean", "d")):
        rng = c.group("edges", name, letter)
        sizes = [255, 256, 257, 511, 512, 513] + TILES + LARGE + [16385, 32769, 65537]
        for size in sorted(set(int(n) for n in rng.choice(sizes, 6 + 3 * c.scale))):
            for shape, axes in (((size,), None), ((size, 3), (0,)), ((3, size), (1,))):
                if len(shape) == 1 or size < 9000:
                    reduction(c, rng, name, c.array(rng, shape, dtype_of(letter), "finite"), axes, False, 0, "new",
                              "edges")
        rng = c.group("axes", name, letter)
        for ndim in (2, 3, 4):
            several = [None, ()] if "arg" not in name else [None]
            for count in range(1, ndim + 1 if "arg" not in name else 2):
                several += list(itertools.combinations(range(ndim), count))
            shape = draw_shape(rng, ndim)
            layout = c.layout(rng, ndim)
            for axes in several:
                reduction(
                    c,
                    rng,
                    name,
                    c.array(rng, shape, dtype_of(letter), "finite", layout),
                    axes,
                    bool(rng.random() < 0.3),
                    0,
                    "new",
                    "every axis",
                )


def zeros(c):
    """Empty axes and empty results."""
    rng = c.group("empty")
    for name in NAMES:
        for shape, axes in (
            ((0,), None),
            ((0, 3), (0,)),
            ((0, 3), (1,)),
            ((2, 0, 3), (0, 2)),
            ((2, 0), ()),
            ((0, 0), None),
            ((0, 0), (1,)),
            ((2, 0, 0), (1,)),
        ):
            if "arg" in name and axes is not None and len(axes) != 1:
                continue
            reduction(c, rng, name, c.array(rng, shape, np.dtype("f4")), axes, False, 2.0 if name == "norm" else 0,
                      "new", "empty")
    for axes in ((0, 0), (2,), (-3,), (0, -2)):
        c.refuse("sum", [c.array(rng, (2, 3), np.dtype("f4"))], [axes_param(axes, False)], AXIS, label=f"axes {axes}")
    c.refuse("argmax", [c.array(rng, (2, 3, 2), np.dtype("f4"))], [axes_param((0, 1), False)], AXIS,
             label="axes (0, 1)")
    for name, letter, other in (("sum", "f", "i"), ("sum", "F", "f"), ("mean", "i", "q"), ("argmax", "f", "?"),
                                ("sum", "?", "?")):
        out = c.array(rng, (), dtype_of(other), layout=c.layout(rng, 0, True))
        c.refuse(name, [c.array(rng, (5,), dtype_of(letter))], [axes_param(None, False)], DTYPE, [out],
                 label=f"into {other}")
    out = c.array(rng, (2,), np.dtype("f4"), layout=c.layout(rng, 1, True))
    c.refuse("sum", [c.array(rng, (2, 3), np.dtype("f4"))], [axes_param((0,), False)], SHAPE, [out],
             label="into another shape")


def hosts(c):
    """Host memory and scalars as operands."""
    rng = c.group("hosts")
    for name, letter in (("sum", "f"), ("max", "i"), ("any", "?"), ("mean", "B")):
        for shape in ((), (7,), (3, 5), (0, 2)):
            view = c.array(rng, shape, dtype_of(letter))
            host = Host(c.of(view.array()).storage, shape)
            value = host.array()
            if value.size == 0 and name == "max":
                continue
            result, tolerance = answer(name, value, None, False)
            c.call(
                name,
                [host],
                [axes_param(None, False)],
                result,
                tolerance,
                rng=rng,
                how=str(rng.choice(["new", "host", "out"])),
                label="from host memory",
            )


def products(c):
    """dot and vdot"""
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("dot", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(5):
                size = draw_shape(rng, 1)
                a, b = (c.array(rng, size, dtype, kind) for kind in ("finite", "rising"))
                name = str(rng.choice(["dot", "vdot"]))
                x, y = a.array(), b.array()
                if dtype.kind not in "fc":
                    result, tolerance = np.dot(x, y), EXACT
                else:
                    result, tolerance = exact_dot(x.conj() if name == "vdot" else x, y)
                c.call(name, [a, b], [], result, tolerance, rng=rng, how=c.how(rng))
    rng = c.group("dot", "mixed")
    for one, other in ("if", "fd", "?h", "Bb", "fF", "qe"):
        a, b = c.array(rng, (257,), dtype_of(one), "few"), c.array(rng, (257,), dtype_of(other), "finite")
        x, y = np.nan_to_num(a.array()), b.array()
        common = np.result_type(x, y)
        a = c.of(x)
        if common.kind in "fc":
            result, tolerance = exact_dot(x.astype(common), y.astype(common))
        else:
            result, tolerance = np.dot(x, y), EXACT
        c.call("dot", [a, b], [], result, tolerance, rng=rng)
    for shapes_ in (((3,), (4,)), ((3, 1), (3,)), ((), (3,))):
        c.refuse("dot", [c.array(rng, s, np.dtype("f4")) for s in shapes_], [], SHAPE, label=str(shapes_))


def exact_dot(x, y):
    dtype = x.dtype
    if dtype.kind == "c":
        terms = [(x.real, y.real, 1), (x.imag, y.imag, -1)], [(x.real, y.imag, 1), (x.imag, y.real, 1)]
    else:
        terms = ([(x, y, 1)],)
    parts, size = [], 0.0
    for part in terms:
        total = sum((s * Fraction(float(p)) * Fraction(float(q)) for a, b, s in part for p, q in zip(a, b)),
                    Fraction(0))
        parts.append(float(total))
        size += sum(float(np.sum(abs(a.astype(np.longdouble) * b))) for a, b, _ in part)
    value = np.array(parts[0] if len(parts) == 1 else complex(*parts), dtype)
    relative = 2.0**-52 if real_of(dtype).itemsize == 8 else 2.0**-40
    return value, (2 if real_of(dtype).itemsize > 2 else 1, True, size * relative)


FORMULAS = [  # text, dtypes, NumPy, reduction
    ("x*x + y*y <= 1", "ff", lambda x, y: x * x + y * y <= 1, "sum"),
    ("x*x + y*y <= 1", "ff", lambda x, y: x * x + y * y <= 1, "any"),
    ("abs(x - y)", "ff", lambda x, y: abs(x - y), "max"),
    ("abs(x - y)", "ii", lambda x, y: abs(x - y), "argmax"),
    ("x * y", "ff", lambda x, y: x * y, "sum"),
    ("x * y + 1", "hh", lambda x, y: x * y + 1, "sum"),
    ("x > y", "Bb", lambda x, y: x > y, "count_nonzero"),
    ("x - y", "dd", lambda x, y: x - y, "mean"),
    ("x & y", "QQ", lambda x, y: x & y, "min"),
    ("x * y", "FF", lambda x, y: x * y, "sum"),
    ("where(x > 0, x, y)", "ee", lambda x, y: np.where(x > 0, x, y), "min"),
]


def formulas(c):
    """weft_reduce"""
    for text, letters, function, name in FORMULAS:
        rng = c.group("formula", text, name)
        for draw in range(4):
            shape = draw_shape(rng, int(rng.choice([1, 2, 3])))
            plain = draw < 2
            arrays = [c.array(rng, shape, dtype_of(d), "finite", c.layout(rng, len(shape)) if not plain else None)
                      for d in letters]
            if draw == 3 and len(shape) > 1:
                arrays[1] = c.array(rng, shape[1:], dtype_of(letters[1]), "finite")
            with np.errstate(all="ignore"):
                value = function(*[a.array() for a in arrays])
            axes = draw_axes(rng, name, value.ndim)
            if value.size == 0 and name.endswith(("min", "max")):
                continue
            result, tolerance = answer(name, value, axes, False)
            if letters == "FF":  # the products have their own rounding
                tolerance = (4, True, tolerance[2] + float(np.sum(abs(value))) * 4 * epsilon("F"))
            c.call(
                "reduce", arrays, [axes_param(axes, False), text, name], result, tolerance, rng=rng, how=c.how(rng),
                label=f"{text} {name}"
            )


def softmax(r, x):
    powers = np.exp((x - r(np.max, x)).astype("f8"))
    return (powers / r(np.sum, powers)).astype("f4")


def scaled(r, x):
    return (x - r(np.mean, x)) / (1 + np.sqrt(r(np.var, x)))


INSIDE = [  # text, where @ stands for the axes, dtypes, NumPy with a reduction r, tolerance
    ("x - max(x@)", "h", lambda r, x: x - r(np.max, x), EXACT),
    ("x * 3 - sum(x * y@)", "ii", lambda r, x, y: x * np.int32(3) - r(np.sum, x * y), EXACT),
    ("any(x > y@) + count_nonzero(x@)", "bb", lambda r, x, y: r(np.any, x > y) + r(np.count_nonzero, x), EXACT),
    ("prod(x@) + sum(min(x@) * y)", "Bq", lambda r, x, y: r(np.prod, x) + np.sum(r(np.min, x) * y, keepdims=True),
     EXACT),
    ("(x - min(x@)) / (max(x@) - min(x@))", "f",
     lambda r, x: (x - r(np.min, x)) / (r(np.max, x) - r(np.min, x)), EXACT),
    ("all(x == y@) if x > y else not any(x@)", "ee", lambda r, x, y: np.where(x > y, r(np.all, x == y), ~r(np.any, x)),
     EXACT),
    ("e = exp(x - max(x@)); e / sum(e@)", "f", softmax, (6, True, 1e-37)),
    ("(x - mean(x@)) / (1 + std(x@))", "d", scaled, (64, True, 1e-9)),
]


def inside(c):
    """Reduced values in expressions: each axis and pairs of them, broadcast arguments, every layout."""
    for text, letters, function, tolerance in INSIDE:
        rng = c.group("inside", text)
        for draw in range(4):
            shape = tuple(max(1, n) for n in draw_shape(rng, int(rng.choice([1, 2, 3]))))
            layout = None if draw % 2 else c.layout(rng, len(shape))
            arrays = [c.array(rng, shape, dtype_of(d), "finite", layout) for d in letters]
            if draw == 3 and len(shape) > 1 and len(letters) > 1:
                arrays[1] = c.array(rng, shape[1:], dtype_of(letters[1]), "finite")
            axes = draw_axes(rng, "sum", len(shape))
            axes = None if axes is None else tuple(axes)
            written = "" if axes is None else f", axis={axes[0] if len(axes) == 1 else axes}"
            with np.errstate(all="ignore"):
                wanted = function(lambda of, x: of(x, axis=axes, keepdims=True), *[a.array() for a in arrays])
            c.call("eval", arrays, [text.replace("@", written)], wanted, tolerance, rng=rng, how=c.how(rng), label=text)
    x = c.of(np.zeros((2, 3)))
    for axis in ["2", "-3", "(0, 0)", "(0, -2)"]:
        c.refuse("eval", [x], [f"x - max(x, axis={axis})"], AXIS)
    for text in ["max(x, x, axis=0)", "sum(x, 0)", "sum(x, axis=x)", "sum(x, keepdims=False)", "sum(x, ddof=1)"]:
        c.refuse("eval", [x], [text], EXPRESSION)
    c.refuse("eval", [c.of(np.zeros((0, 3)))], ["x - max(x, axis=0)"], SHAPE)


def make(c):
    matrix(c)
    shapes(c)
    zeros(c)
    hosts(c)
    products(c)
    formulas(c)
    inside(c)

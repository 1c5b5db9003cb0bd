# SPDX-License-Identifier: MIT
"""weft/statistics.h. Quantiles are compared with NumPy's of the elements in f64, rounded once."""

import warnings

import numpy as np

from record import DTYPE, SHAPE, Weak
from values import dtype_of, number_of

from .base import ALL, REAL, ZERO_FREE, axes_param, draw_shape, epsilon

DIFFERENCES = """
average      of weights whose sum is 0: NaN or infinity (NumPy: an error)
trapezoid    of bool and integers as of f64 (NumPy: small integers wrap around)
quantile     of floats in x's dtype whatever q's is; of bool as of 0 and 1; between two equal infinities that infinity
             (NumPy: NaN); a zero that is found without sorting is +0; negative weights count as 0
             (NumPy: an error)
"""
ARGUMENT, AXIS = 100, 104
METHODS = ["linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf",
           "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"]
ELEMENTS = {"lower", "higher", "nearest", "inverted_cdf", "closest_observation"}


def quiet(function, *args, **named):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.asarray(function(*args, **named))


def draw_axes(rng, ndim):
    """None: all axes."""
    if ndim == 0 or rng.random() < 0.3:
        return None
    count = 1 if rng.random() < 0.7 else int(rng.integers(1, ndim + 1))
    axes = rng.permutation(ndim)[:count]
    return tuple(int(a) - (ndim if rng.random() < 0.3 else 0) for a in axes)


def quantile_of(x, q, axes, keepdims, skips, method):
    """NumPy's result in Weft's dtype, and the tolerance."""
    takes = method in ELEMENTS
    dtype = x.dtype if x.dtype.kind == "f" or takes else np.dtype("f8")
    if x.dtype.kind != "f":
        skips = False
    if x.dtype.kind == "f" or not takes:
        x = x.astype(np.float64)
    elif x.dtype.kind == "b":
        x = x.astype(np.uint8)
    q = np.asarray(q)
    if x.size == 0:  # NumPy's nan forms then have no axes of q, and the others fail for several axes
        answer = np.empty(q.shape + np.sum(x, axis=axes, keepdims=keepdims).shape)
    else:  # the nan forms order several axes of q in another way
        answer = quiet(np.nanquantile if skips else np.quantile, x, q.ravel(), axis=axes, keepdims=keepdims,
                       method=method)
        answer = answer.reshape(q.shape + answer.shape[1:])
    finite = np.abs(x[np.isfinite(x)])
    top = float(finite.max()) if finite.size else 0.0
    # without fp64, weights are f32
    tolerance = ZERO_FREE if takes else (1, True, top * (2.0**-21 if dtype.itemsize < 8 else 2.0**-51))
    return answer.astype(dtype), tolerance


def quantiles(c):
    for turn in range(c.scale):
        for letter in c.each(REAL):
            rng = c.group("quantile", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(8):
                ndim = int(rng.choice([0, 1, 1, 2, 3], p=[0.05, 0.25, 0.3, 0.25, 0.15]))
                shape = draw_shape(rng, ndim)
                # NumPy has NaN between infinities
                x = c.array(rng, shape, dtype, str(rng.choice(["finite", "few", "equal", "rising"])),
                            count=int(rng.choice([251, 1021])))
                axes, keepdims, skips = draw_axes(rng, ndim), bool(rng.random() < 0.3), bool(rng.integers(2))
                method = METHODS[int(rng.integers(13))] if draw % 2 else "linear"
                scale = int(rng.choice([1, 100]))
                q = rng.choice(np.array([0, 1, 0.5, 0.25, 0.75, 0.1, 0.9, 0.3, 0.01, 0.999]),
                               [(), (1,), (3,), (2, 2), (12,)][int(rng.integers(5))])
                q = np.asarray(q * scale)
                x_array = x.array()
                empty = 0 in [x_array.shape[a] for a in (axes if axes is not None else range(ndim))]
                params = [axes_param(axes, keepdims), skips, scale, METHODS.index(method)]
                rest = x_array.size == 0 and not empty
                if empty and not rest:
                    answer = None
                else:
                    answer, tolerance = quantile_of(x_array, q / scale, axes, keepdims, skips, method)
                label = f"{method} axes {axes} {'nan form' if skips else ''} {scale}"
                if answer is not None:
                    c.call("quantile", [x, c.of(q) if q.ndim else Weak(float(q))], params, answer, tolerance, rng=rng,
                           how=c.how(rng), wide=q.ndim > 0 or skips, label=label)
                if not (empty and not rest):
                    answer, tolerance = quantile_of(x_array, np.float64(0.5), axes, keepdims, skips, "linear")
                    c.call("median", [x], [axes_param(axes, keepdims), skips], answer, tolerance, rng=rng,
                           how=c.how(rng), label=label)
    for letter in c.each(REAL):  # long rows, whose elements are counted
        rng = c.group("quantile", "long", letter)
        dtype = dtype_of(letter)
        for draw in range(4):
            kind = ["finite", "rising", "few", "equal"][draw]
            x = c.array(rng, (70001,) if draw % 2 else (3, 66000), dtype, kind, count=1021)
            for skips in (False, True):
                q = np.array([0.5, 0.125, 0.77][: 1 + draw % 3])
                method = "linear" if draw < 2 else METHODS[int(rng.integers(13))]
                answer, tolerance = quantile_of(x.array(), q, (-1,), False, skips, method)
                c.call("quantile", [x, c.of(q)], [axes_param((-1,), False), skips, 1, METHODS.index(method)], answer,
                       tolerance, wide=True, label=f"{kind} {method} long {'nan form' if skips else ''}")
    rng = c.group("quantile", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    half, rows = c.of(np.array(0.5)), axes_param((1,), False)
    for bad in (-0.1, 1.5, np.nan):
        c.refuse("quantile", [x, c.of(np.array([0.5, bad]))], [rows, 0, 1, 0], ARGUMENT)
    c.refuse("quantile", [x, c.of(np.array([101.0]))], [rows, 0, 100, 0], ARGUMENT)
    c.refuse("quantile", [x, half], [rows, 0, 1, 13], ARGUMENT)
    c.refuse("quantile", [x, half], [axes_param((2,), False), 0, 1, 0], AXIS)
    c.refuse("quantile", [c.array(rng, (3, 0), np.dtype("f4")), half], [rows, 0, 1, 0], SHAPE)
    c.refuse("quantile", [x, c.of(np.full((1,) * 8, 0.5))], [rows, 0, 1, 0], SHAPE)
    for letter in "FD":
        c.refuse("quantile", [c.array(rng, (3, 4), dtype_of(letter)), half], [rows, 0, 1, 0], DTYPE)
        c.refuse("median", [c.array(rng, (3, 4), dtype_of(letter))], [rows, 0], DTYPE)
    for letter in "fi":
        x = c.array(rng, (3, 0), dtype_of(letter))
        nan = np.full(3, np.nan, "f4" if letter == "f" else "f8")
        c.call("median", [x], [rows, 0], nan, label="of nothing")
        c.call("median", [x], [rows, 1], nan, label="of nothing")


def spread(weights, shape, axes):
    """Weights of an array's elements, of their lengths along the axes."""
    if weights.shape == shape:
        return weights
    places = [a % len(shape) for a in axes]
    whole = weights.transpose(np.argsort(places))
    return np.broadcast_to(whole.reshape([n if d in places else 1 for d, n in enumerate(shape)]), shape)


def weighted_of(x, q, weights, axes, keepdims, skips):
    """NumPy's result; its nan forms do not spread weights themselves."""
    kinds = {"axis": axes, "keepdims": keepdims, "method": "inverted_cdf"}
    if not skips or x.dtype.kind != "f":
        return quiet(np.quantile, x, q, weights=weights, **kinds)
    return quiet(np.nanquantile, x, q, weights=spread(weights, x.shape, axes), **kinds)


def weighted_quantiles(c):
    """Weights are whole numbers, whose sums are exact."""
    for turn in range(c.scale):
        for letter in c.each("fdiB"):
            rng = c.group("weighted_quantile", letter, turn)
            for draw in range(6):
                ndim = int(rng.choice([1, 2, 3]))
                shape = tuple(max(n, 2) for n in draw_shape(rng, ndim))
                x = c.array(rng, shape, dtype_of(letter), str(rng.choice(["finite", "few", "equal"])), count=251)
                axes, keepdims, skips = draw_axes(rng, ndim), bool(rng.random() < 0.3), bool(rng.integers(2))
                some = shape if draw % 2 or axes is None else tuple(shape[a] for a in axes)
                whole = rng.integers(draw % 2, 5, some)
                if draw % 2 == 0:  # some weights are 0, but never all of a row
                    whole = np.where(whole.sum() == 0, 1, whole) if axes is not None else whole + 1
                whole = np.where((whole == 0) & (rng.random(some) < 0.3), -2, whole)
                weights = c.of(whole.astype(["f4", "f8", "i4"][draw % 3]))
                q = np.asarray(rng.choice([0, 1, 0.5, 0.25, 0.75, 0.125], [(), (1,), (3,)][draw % 3]))
                try:
                    answer = weighted_of(x.array(), q, np.maximum(weights.array(), 0), axes, keepdims, skips)
                except ValueError:  # the numbers of a row with NaNs may all have the weight 0
                    continue
                c.call("weighted_quantile", [x, c.of(q) if q.ndim else Weak(float(q)), weights],
                       [axes_param(axes, keepdims), skips, 1], answer.astype(x.array().dtype), ZERO_FREE, rng=rng,
                       how=c.how(rng), wide=True, label=f"axes {axes} {'nan form' if skips else ''}")


def close_to(answer, size, count, dtype):
    """Tolerance of a result that sums `count` terms with magnitudes of up to `size` together, computed in `dtype`."""
    return 8, True, float(size) * epsilon(dtype) * (count + 16) * 4


def averages(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("average", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                shape = draw_shape(rng, int(rng.choice([1, 2, 3])))
                if 0 in shape:
                    shape = tuple(max(n, 2) for n in shape)
                x = c.array(rng, shape, dtype)
                axes, keepdims = draw_axes(rng, len(shape)), bool(rng.random() < 0.3)
                some = [] if draw == 0 else [c.array(
                    rng, shape if draw == 1 or axes is None else tuple(shape[a] for a in axes),
                    dtype_of(str(rng.choice(list("fdiHB")))), "near")]
                value = x.array()
                weights = some[0].array() if some else None
                try:
                    with np.errstate(all="ignore"):
                        average, total = np.average(value, axis=axes, weights=weights, keepdims=keepdims, returned=True)
                except ZeroDivisionError:  # the weights of a row may add up to 0
                    continue
                average, total = np.asarray(average), np.asarray(total)
                top = float(np.max(np.abs(value), initial=0))
                bound = close_to(average, top, 4, average.dtype if average.dtype.char != "e" else "f2")
                scale = float(np.max(np.abs(total), initial=0)) if some else 0
                both = rng.random() < 0.5
                how = c.how(rng)
                c.call("average", [x, *some], [axes_param(axes, keepdims), len(some)],
                       [average, total.astype(average.dtype)][: 1 + both],
                       [bound, close_to(total, scale, 4, average.dtype)][: 1 + both], rng=rng,
                       results=[c.place(rng, average, how), None] if both else None, how=how,
                       wide=dtype.kind in "biu", label=f"axes {axes}")
    rng = c.group("average", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    c.refuse("average", [x, c.array(rng, (3,), np.dtype("f4"))], [axes_param((1,), False), 1], SHAPE)
    c.refuse("average", [x, c.array(rng, (4,), np.dtype("f4"))], [axes_param(None, False), 1], SHAPE)
    c.refuse("average", [x], [axes_param((2,), False), 0], AXIS)


def covariances(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("cov", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                columns = bool(draw % 2)
                variables, count = int(rng.choice([1, 2, 3, 17])), int(rng.choice([2, 5, 33, 257]))
                shape = (count, variables) if columns else (variables, count)
                if draw == 2 and variables == 1:
                    shape = (count,)
                given = [c.array(rng, shape, dtype)]
                params = [0, 0, 0, int(columns), int(rng.integers(2)), float(rng.choice([0, 0, 2])), 0]
                named = {"rowvar": not columns, "bias": bool(params[4]), "ddof": int(params[5]) or None}
                if len(shape) == 2 and rng.random() < 0.4:
                    given.append(c.array(rng, (count, 2) if columns else (2, count), dtype_of("f")))
                    params[0], named["y"] = len(given) - 1, given[-1].array()
                if rng.random() < 0.4:
                    given.append(c.of(rng.integers(1, 5, count).astype(str(rng.choice(["u1", "i4"])))))
                    params[1], named["fweights"] = len(given) - 1, given[-1].array()
                if rng.random() < 0.4:
                    given.append(c.of(rng.random(count).astype("f8") + 0.5))
                    params[2], named["aweights"] = len(given) - 1, given[-1].array()
                x = given[0].array()
                wide = np.dtype("c16" if dtype.kind == "c" else "f8")
                if rng.random() < 0.3:
                    params[6] = number_of(np.dtype("c8" if dtype.kind == "c" else "f4"))
                target = np.dtype("c8" if dtype.kind == "c" else "f4") if params[6] else wide
                answer = quiet(np.cov, x, **named)
                size = (float(np.max(np.abs(x), initial=0)) + 1e3 * (params[0] > 0)) ** 2
                c.call("cov", given, params, answer.astype(target), close_to(answer, size, 8, target), rng=rng,
                       how=c.how(rng), wide=True, label=str(named.keys()))
                with np.errstate(all="ignore"):
                    if not np.all(np.abs(np.diag(np.atleast_2d(quiet(np.cov, x, rowvar=not columns)))) > 1e-3):
                        continue  # of a constant only rounding errors would be compared
                y = {"y": named["y"]} if params[0] else {}
                answer = quiet(np.corrcoef, x, rowvar=not columns, **y)
                c.call("corrcoef", given[: 1 + bool(params[0])], params, answer.astype(target),
                       close_to(answer, 1, 64, target), rng=rng, how=c.how(rng), wide=True)
    rng = c.group("cov", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    none = [0, 0, 0, 0, 0, 0.0, 0]
    c.refuse("cov", [c.array(rng, (3, 4, 2), np.dtype("f4"))], none, SHAPE)
    c.refuse("cov", [x, c.array(rng, (3, 5), np.dtype("f4"))], [1, *none[1:]], SHAPE)
    c.refuse("cov", [x, c.array(rng, (4,), np.dtype("f4"))], [0, 1, *none[2:]], DTYPE)
    c.refuse("cov", [x, c.array(rng, (3,), np.dtype("f4"))], [0, 0, 1, *none[3:]], SHAPE)
    c.refuse("cov", [x], [*none[:6], number_of(np.dtype("f2"))], DTYPE)


def integrals(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("trapezoid", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(3):
                shape = draw_shape(rng, int(rng.choice([1, 2, 3])))
                axis = int(rng.integers(-len(shape), len(shape)))
                y = c.array(rng, shape, dtype)
                given, dx = [y], float(rng.choice([1, 0.25]))
                if draw:
                    given.append(c.array(rng, shape if draw == 1 else (shape[axis],), dtype_of(
                        str(rng.choice(list("fdiB"))))))
                values = [g.array().astype("f8") if g.array().dtype.kind in "biu" else g.array() for g in given]
                x, step = (values[1], 0.0) if draw else (None, dx)  # .dx beside .x is refused
                answer = quiet(np.trapezoid, values[0], x, dx=dx, axis=axis)
                size = float(np.max(np.abs(values[0]), initial=0)) * (
                    float(np.max(np.abs(x), initial=0)) if draw else dx) * max(shape[axis], 1)
                coarse = np.dtype("f2") if letter == "e" else answer.dtype  # NumPy rounds sums of neighbours
                bound = close_to(answer, size, 4, coarse)
                c.call("trapezoid", given, [axis, step, 0], answer, bound, rng=rng, how=c.how(rng),
                       label=f"axis {axis}")
                if shape[axis] == 0:
                    continue
                first, second = np.moveaxis(values[0], axis, -1), None
                d = dx
                if draw:
                    second = np.moveaxis(x, axis, -1) if x.ndim == first.ndim else x
                    d = np.diff(second, axis=-1)
                with np.errstate(all="ignore"):
                    areas = d * (first[..., 1:] + first[..., :-1]) / 2.0
                    running = np.cumsum(areas, axis=-1)
                initial = int(rng.integers(2))
                if initial:
                    running = np.concatenate([np.zeros_like(running[..., :1], shape=(*running.shape[:-1], 1)), running],
                                             axis=-1)
                bound = close_to(answer, size, shape[axis], coarse)
                c.call("cumulative_trapezoid", given, [axis, step, initial], np.moveaxis(running, -1, axis), bound,
                       rng=rng, how=c.how(rng), label=f"axis {axis}")
    rng = c.group("trapezoid", "refused")
    y = c.array(rng, (3, 4), np.dtype("f4"))
    c.refuse("trapezoid", [y, c.array(rng, (3,), np.dtype("f4"))], [1, 0.0, 0], SHAPE)
    c.refuse("trapezoid", [y], [2, 0.0, 0], AXIS)
    c.refuse("cumulative_trapezoid", [c.array(rng, (3, 0), np.dtype("f4"))], [1, 0.0, 0], SHAPE)


ROLLED = {"sum": 1, "prod": 2, "min": 3, "max": 4, "mean": 10, "var": 11, "std": 12, "ptp": 14, "nansum": 15,
          "nanprod": 16, "nanmin": 17, "nanmax": 18, "nanmean": 21, "nanvar": 22, "nanstd": 23}


def with_nans(c, rng, x):
    """x with few, many or almost only NaNs, and perhaps only NaNs at first."""
    value = x.array().copy()
    value[rng.random(value.shape) < float(rng.choice([0.02, 0.4, 0.95]))] = np.nan
    if rng.random() < 0.3:
        value.ravel()[: int(rng.integers(value.size))] = np.nan
    return c.of(value)


def rolled(value, op, window, axis, ddof, least):
    """NumPy's reduction of the windows, in Weft's dtype, and the tolerance. `least`: of numbers, for nan forms."""
    dtype = value.dtype
    view = np.lib.stride_tricks.sliding_window_view(value, window, axis)
    wide = view
    if dtype.kind in "fc":
        wide = view.astype(np.clongdouble if dtype.kind == "c" else np.longdouble)
    answer = quiet(getattr(np, op), wide, axis=-1, **({"ddof": ddof} if ddof else {}))
    if op.startswith("nan") and dtype.kind in "fc":
        kept = np.count_nonzero(view == view, axis=-1) >= least
        none = complex(np.nan, np.nan) if dtype.kind == "c" else np.nan  # NumPy's nanmin keeps a NaN's other part
        answer = np.where(kept & (answer == answer), answer, none)
    answer = answer.astype(dtype if dtype.kind in "fc" else answer.dtype)
    if answer.dtype.kind in "biu":
        return answer, (0, False, 0.0)
    op = op.removeprefix("nan")
    top = float(np.max(np.abs(value), initial=0, where=value == value))
    eps = epsilon(np.dtype("f4") if dtype.char in "efF" else np.dtype("f8"))
    if op == "prod":
        return answer, (2 * window + 4, True, 0.0)
    if op == "var":
        return answer, (8, True, top * top * eps * (window + 8) * 4)
    if op == "std":
        return answer, (8, True, top * (eps * (window + 8) * 4) ** 0.5)
    return answer, (1, True, top * (window if op == "sum" else 1) * eps * 4)


def windows(c):
    for turn in range(c.scale):
        for op, letter in c.each(sorted(ROLLED), ["?B", "hI", "qQ", "e", "fd", "FD"]):
            rng = c.group("rolling", op, letter, turn)
            dtype = dtype_of(str(rng.choice(list(letter))))
            if dtype.kind == "c" and op.endswith(("var", "std", "ptp")) or op == "ptp" and dtype.kind == "b":
                continue
            for draw in range(2):
                shape = tuple(max(n, 1) for n in draw_shape(rng, int(rng.choice([1, 2, 3])), [2049], [1025]))
                axis = int(rng.integers(-len(shape), len(shape)))
                length = shape[axis]
                window = min(length, int(rng.choice([1, 2, 3, 7, 64, length])))
                x = c.array(rng, shape, dtype, "near" if op.endswith("prod") else "finite")
                ddof = float(rng.integers(2)) if op.endswith(("var", "std")) else 0.0
                least = 0
                if op.startswith("nan"):
                    least = int(rng.choice([0, 1, 1 + window // 2, window]))
                    x = with_nans(c, rng, x) if dtype.kind in "fc" else x
                answer, bound = rolled(x.array(), op, window, axis, ddof, least)
                c.call("rolling", [x], [window, axis, ROLLED[op], ddof, least], answer, bound, rng=rng,
                       how=c.how(rng), wide=True, label=f"{op} {window} of {length}")
    for letter in "?hfD":
        rng = c.group("sliding_window", letter)
        x = c.array(rng, (5, 4, 6), dtype_of(letter))
        for window, axes in (((2,), (1,)), ((5, 1), (0, -1)), ((2, 3), (2, 2))):
            if len(set(axes)) < len(axes):
                c.refuse("sliding_window", [x], [window, (0, 0, *axes)], AXIS)
                continue
            c.call("sliding_window", [x], [window, (0, 0, *axes)],
                   np.lib.stride_tricks.sliding_window_view(x.array(), window, axes), rng=rng)
    x = c.array(rng, (3, 4), np.dtype("f4"))
    c.refuse("sliding_window", [x], [(5,), (0, 0, 1)], SHAPE)
    c.refuse("rolling", [x], [5, 1, 1, 0.0, 0], ARGUMENT)
    c.refuse("rolling", [x], [0, 1, 1, 0.0, 0], ARGUMENT)
    c.refuse("rolling", [x], [2, 1, 5, 0.0, 0], ARGUMENT)
    c.refuse("rolling", [x], [2, 1, 21, 0.0, 3], ARGUMENT)
    c.refuse("rolling", [x], [2, 1, 1, 0.0, 1], ARGUMENT)


def make(c):
    quantiles(c)
    weighted_quantiles(c)
    averages(c)
    covariances(c)
    integrals(c)
    windows(c)

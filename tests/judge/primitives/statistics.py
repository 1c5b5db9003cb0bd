# SPDX-License-Identifier: MIT
"""weft/statistics.h. Quantiles are compared with NumPy's of the elements in f64, rounded once."""

import warnings

import numpy as np

from record import DTYPE, SHAPE, Weak
from values import dtype_of

from .base import REAL, ZERO_FREE, axes_param, draw_shape

DIFFERENCES = """
quantile     of floats in x's dtype whatever q's is; of bool as of 0 and 1; between two equal infinities that infinity
             (NumPy: NaN); a zero that is found without sorting is +0
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
    answer = quiet(np.nanquantile if skips else np.quantile, x, q.ravel(), axis=axes, keepdims=keepdims, method=method)
    answer = answer.reshape(q.shape + answer.shape[1:])  # NumPy's nan forms order several axes of q in another way
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


def make(c):
    quantiles(c)

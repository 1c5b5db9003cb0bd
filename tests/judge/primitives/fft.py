# SPDX-License-Identifier: MIT
"""weft/fft.h. Transforms are computed in f64 by NumPy; cosine transforms and fftconvolve from their definitions."""

import math

import numpy as np

from record import DTYPE, SHAPE

from .base import ALL, INEXACT, axes_param, epsilon, real_of
from values import dtype_of

DIFFERENCES = """
fft, ...     f16 and bf16 are transformed in f32; an axis may be given once
convolve     of f16: added in f32; of long floats: by Fourier transforms
"""
ARGUMENT, AXIS = 100, 104
NORMS = ["backward", "ortho", "forward"]
MODES = ["full", "same", "valid"]
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 30, 31, 64, 97, 100, 127, 128, 210, 243, 256, 257, 1000, 1024]
LONG = [4096, 4099]


def complex_of(dtype):
    return np.dtype("F") if np.dtype(dtype).char in "efF" else np.dtype("D")


def wide(x):
    return x.astype("D" if x.dtype.kind == "c" else "d")


def error(x, factor, expected):
    """The absolute error allowed: of a few roundings of the whole of a row, and of the highest peak of the result,
    beside which the errors of the roots of unity are."""
    eps = epsilon(complex_of(x.dtype))
    size = float(np.sqrt(np.sum(np.abs(wide(x)) ** 2))) if x.size else 0.0
    peak = float(np.max(np.abs(wide(expected)))) if expected.size else 0.0
    return (2, True, eps * (75 * size * factor + 10 * peak) + 1e-300)


def factor_of(norm, n, inverse):
    """What a transform of n values multiplies its results by."""
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if (norm == "forward") != inverse else 1.0


def name_is_inverse(name):
    return name in ("ifft", "irfft", "ihfft", "ifft2", "irfft2", "ifftn", "irfftn")


def answer_of(name, x, **how):
    y = getattr(np.fft, name)(wide(x), **how)
    kind = complex_of(x.dtype)
    return y.astype(kind if y.dtype.kind == "c" else real_of(kind))


def wants_real(name):
    return name in ("rfft", "ihfft", "rfft2", "rfftn")


def single(c):
    names = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
    for turn in range(c.scale):
        for name in names:
            for letter in ("f", "F", "d", "D", "e", "h", "?"):
                if wants_real(name) and letter in "FD":
                    continue
                rng = c.group(name, letter, turn)
                for draw in range(4):
                    ndim = int(rng.choice([1, 2, 3]))
                    shape = [int(n) for n in rng.choice([1, 2, 3, 5], ndim)]
                    axis = int(rng.integers(ndim))
                    is_long = ndim == 1 and draw == 3 and name in ("fft", "irfft")
                    shape[axis] = int(rng.choice(LONG if is_long else LENGTHS))
                    n = 0 if draw % 2 else int(rng.choice([1, 2, 5, 16, 33, 100]))
                    if name in ("irfft", "hfft") and n == 0 and shape[axis] < 2:
                        n = 2
                    norm = int(rng.integers(3))
                    x = c.array(rng, shape, dtype_of(letter))
                    length = n or (2 * (shape[axis] - 1) if name in ("irfft", "hfft") else shape[axis])
                    factor = factor_of(NORMS[norm], length, name_is_inverse(name))
                    answer = answer_of(name, x.array(), n=n or None, axis=axis, norm=NORMS[norm])
                    if rng.random() < 0.3:
                        axis -= ndim
                    c.call(name, [x], [axis, n, norm], answer, error(x.array(), factor, answer), rng=rng,
                           how=c.how(rng), label=f"axis {axis} n {n} {NORMS[norm]}")
    rng = c.group("transforms refused")
    x, z = c.array(rng, (3, 4), np.dtype("f")), c.array(rng, (3, 4), np.dtype("F"))
    c.refuse("fft", [x], [2, 0, 0], AXIS)
    c.refuse("fft", [x], [0, -1, 0], ARGUMENT)
    c.refuse("fft", [x], [0, 0, 3], ARGUMENT)
    c.refuse("rfft", [z], [0, 0, 0], DTYPE)
    c.refuse("fft", [c.array(rng, (3, 0), np.dtype("f"))], [1, 0, 0], ARGUMENT)
    c.refuse("irfft", [c.array(rng, (3, 1), np.dtype("F"))], [1, 0, 0], ARGUMENT)
    c.refuse("fft", [x], [0, 0, 0], DTYPE, [c.array(rng, (3, 4), np.dtype("f"), layout=c.layout(rng, 2, True))])


def several(c):
    for turn in range(c.scale):
        for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"):
            for letter in "fFdD":
                if wants_real(name) and letter in "FD":
                    continue
                rng = c.group(name, letter, turn)
                for draw in range(3):
                    ndim = int(rng.choice([2, 3]))
                    shape = [int(n) for n in rng.choice([2, 3, 4, 5, 8, 16, 17], ndim)]
                    axes = tuple(int(a) for a in rng.permutation(ndim)[: int(rng.integers(1, ndim + 1))])
                    if name.endswith("2"):
                        axes = (-2, -1)
                    lengths = [int(n) for n in rng.choice([2, 3, 6, 9, 16], len(axes))] if draw else []
                    norm = int(rng.integers(3))
                    x = c.array(rng, shape, dtype_of(letter))
                    value = x.array()
                    answer = answer_of(name, value, s=lengths or None, axes=axes, norm=NORMS[norm])
                    whole = math.prod(lengths or [value.shape[a] for a in axes])
                    if not lengths and name.startswith("irfft"):
                        whole = whole // value.shape[axes[-1]] * 2 * (value.shape[axes[-1]] - 1)
                    allowed = error(value, factor_of(NORMS[norm], whole, name_is_inverse(name)), answer)
                    params = [tuple(lengths), norm]
                    if not name.endswith("2"):
                        params.insert(0, axes_param(axes, 0))
                    c.call(name, [x], params, answer, allowed, rng=rng, how=c.how(rng), label=f"axes {axes} {lengths}")
    rng = c.group("transforms along axes refused")
    x = c.array(rng, (3, 4), np.dtype("f"))
    c.refuse("fftn", [x], [axes_param((0, 0), 0), (), 0], AXIS)
    c.refuse("fftn", [x], [axes_param((0, 1), 0), (3,), 0], ARGUMENT)
    c.refuse("fft2", [c.array(rng, (3,), np.dtype("f"))], [(), 0], SHAPE)


def frequencies(c):
    for name in ("fftshift", "ifftshift"):
        for letter in c.each(ALL):
            rng = c.group(name, letter)
            x = c.array(rng, [int(n) for n in rng.choice([1, 2, 5, 8], 2)], dtype_of(letter), "mixed")
            axes = (None, (0,), (1, 0))[int(rng.integers(3))]
            c.call(name, [x], [axes_param(axes, 0)], getattr(np.fft, name)(x.array(), axes), rng=rng, how=c.how(rng))
    rng = c.group("frequencies")
    for dtype, code in (("f", 11), ("d", 12)):
        for n in (1, 2, 5, 8, 1000):
            for name in ("fftfreq", "rfftfreq"):
                answer = getattr(np.fft, name)(n, 0.25).astype(dtype)
                c.call(name, [], [code, n, 0.25], answer, (2, True, 0.0), rng=rng)
                c.call(name, [], [code, n, 0.0], getattr(np.fft, name)(n).astype(dtype), (2, True, 0.0), rng=rng)
        c.refuse("fftfreq", [], [code, 0, 1.0], ARGUMENT)


# ---- cosine transforms ----

def dct(x, kind, norm, inverse):
    """Along the last axis, from the definition."""
    n = x.shape[-1]
    if inverse and kind in (2, 3):
        kind = 5 - kind
    k, j = np.arange(n)[:, None], np.arange(n)[None, :]
    x = x.astype(np.longdouble)

    def cosine_of(part, whole):  # of part / whole turns
        return np.cos(2 * np.pi * (part % whole).astype(np.longdouble) / whole)

    edge, out = np.ones(n), np.ones(n)
    whole = 2 * (n - 1) if kind == 1 else 2 * n
    if kind == 1:
        matrix = 2 * cosine_of(k * j, 2 * (n - 1))
        matrix[:, 0] /= 2
        matrix[:, -1] /= 2
        if norm == "ortho":
            edge[0] = edge[-1] = math.sqrt(2)
            out[0] = out[-1] = math.sqrt(0.5)
    elif kind == 2:
        matrix = 2 * cosine_of(k * (2 * j + 1), 4 * n)
        if norm == "ortho":
            out[0] = math.sqrt(0.5)
    elif kind == 3:
        matrix = 2 * cosine_of((2 * k + 1) * j, 4 * n)
        matrix[:, 0] /= 2
        if norm == "ortho":
            edge[0] = math.sqrt(2)
    else:
        matrix = 2 * cosine_of((2 * k + 1) * (2 * j + 1), 8 * n)
    scale = 1 / math.sqrt(whole) if norm == "ortho" else 1 / whole if (norm == "forward") != inverse else 1.0
    return (x * edge) @ matrix.T * out * scale


def cosine(c):
    for turn in range(c.scale):
        for name in ("dct", "idct"):
            for letter in "fdi":
                for kind in (1, 2, 3, 4):
                    rng = c.group(name, letter, kind, turn)
                    for draw in range(3):
                        ndim = int(rng.choice([1, 2, 3]))
                        shape = [int(n) for n in rng.choice([1, 2, 3, 5], ndim)]
                        axis = int(rng.integers(ndim))
                        shape[axis] = int(rng.choice([2, 3, 4, 5, 8, 15, 16, 31, 100, 257]))
                        n = 0 if draw else int(rng.choice([2, 5, 16]))
                        norm = int(rng.integers(3))
                        x = c.array(rng, shape, dtype_of(letter))
                        value = x.array()
                        length = n or shape[axis]
                        rows = np.moveaxis(value, axis, -1)[..., :length]
                        rows = np.pad(rows, [(0, 0)] * (ndim - 1) + [(0, length - rows.shape[-1])])
                        answer = np.moveaxis(dct(rows, kind, NORMS[norm], name == "idct"), -1, axis)
                        answer = answer.astype(real_of(complex_of(value.dtype)))
                        whole = 2 * (length - 1) if kind == 1 else 2 * length
                        factor = 4 * factor_of(NORMS[norm], whole, name == "idct")
                        c.call(name, [x], [axis, n, norm, kind], answer, error(value, factor, answer), rng=rng,
                               how=c.how(rng), label=f"type {kind} axis {axis} n {n} {NORMS[norm]}")
    rng = c.group("cosine transforms refused")
    x = c.array(rng, (3, 1), np.dtype("f"))
    c.refuse("dct", [x], [0, 0, 0, 5], ARGUMENT)
    c.refuse("dct", [x], [1, 0, 0, 1], ARGUMENT)
    c.refuse("idct", [x], [2, 0, 0, 2], AXIS)
    c.refuse("dct", [c.array(rng, (3,), np.dtype("F"))], [0, 0, 0, 2], DTYPE)


# ---- convolution ----

def convolutions(c):
    for turn in range(c.scale):
        for name in ("convolve", "correlate"):
            for letter in c.each(ALL):
                rng = c.group(name, letter, turn)
                for draw in range(4):
                    sizes = [int(n) for n in rng.choice([1, 2, 3, 4, 7, 8, 33, 100], 2)]
                    if draw == 3 and letter in INEXACT[1:]:
                        sizes = [5000, 1000] if letter in "fD" else [700, 300]
                    mode = int(rng.integers(4))
                    a, v = (c.array(rng, (n,), dtype_of(letter)) for n in sizes)
                    x, w = a.array(), v.array()
                    numpy_mode = MODES[mode - 1] if mode else "full" if name == "convolve" else "valid"
                    with np.errstate(all="ignore"):
                        exact = wide(x), wide(w)
                        values = (x, w) if x.dtype.kind in "iub" else exact
                        answer = getattr(np, name)(*values, mode=numpy_mode).astype(x.dtype)
                    allowed = None
                    if x.dtype.kind in "fc":
                        eps = max(epsilon(complex_of(x.dtype)), 0)
                        size = float(np.linalg.norm(exact[0]) * np.linalg.norm(exact[1]))
                        allowed = (1 if letter == "e" else 0, True, 60 * eps * size + 1e-300)  # also of 300 equal terms
                    c.call(name, [a, v], [mode], answer, allowed, rng=rng, how=c.how(rng), label=numpy_mode)
    rng = c.group("convolutions refused")
    x, e, m = (c.array(rng, s, np.dtype("f")) for s in ((3,), (0,), (2, 2)))
    c.refuse("convolve", [x, e], [0], SHAPE)
    c.refuse("correlate", [m, x], [0], SHAPE)
    c.refuse("convolve", [x, x], [4], ARGUMENT)


def centred(x, shape):
    begin = [(n - m) // 2 for n, m in zip(x.shape, shape)]
    return x[tuple(slice(b, b + m) for b, m in zip(begin, shape))]


def convolve_along(a, v, axes, mode):
    """scipy.signal.fftconvolve's result; None: refused."""
    axes = [d for d in axes if a.shape[d] != 1 and v.shape[d] != 1]
    if mode == "valid":
        if not (all(a.shape[d] >= v.shape[d] for d in axes) or all(v.shape[d] >= a.shape[d] for d in axes)):
            return None
        if not all(a.shape[d] >= v.shape[d] for d in axes):
            a, v = v, a
    if axes:
        lengths = [a.shape[d] + v.shape[d] - 1 for d in axes]
        whole = np.fft.ifftn(np.fft.fftn(a, lengths, axes) * np.fft.fftn(v, lengths, axes), lengths, axes)
        whole = whole if a.dtype.kind == "c" or v.dtype.kind == "c" else whole.real
    else:
        whole = a * v
    if mode == "same":
        return centred(whole, a.shape)
    if mode == "valid":
        shape = [a.shape[d] - v.shape[d] + 1 if d in axes else whole.shape[d] for d in range(a.ndim)]
        return centred(whole, shape)
    return whole


def spectral(c):
    shapes = [((7,), (4,), None), ((40,), (33,), None), ((5, 6), (3, 4), None), ((5, 6), (1, 4), None),
              ((5, 6), (5, 4), (1,)), ((1, 6), (5, 4), (1,)), ((3, 4, 5), (2, 2, 3), None), ((4, 5), (6, 7), None),
              ((4, 5), (6, 5), (0,)), ((3, 9), (7, 4), None), ((2, 17, 3), (2, 5, 1), (1, 2))]
    for turn in range(c.scale):
        for letter in "fdFDi":
            for a_shape, v_shape, axes in shapes:
                rng = c.group("fftconvolve", letter, a_shape, turn)
                mode = int(rng.integers(4))
                a, v = (c.array(rng, s, dtype_of(letter)) for s in (a_shape, v_shape))
                x, w = a.array(), v.array()
                along = axes or tuple(range(x.ndim))
                answer = convolve_along(wide(x), wide(w), along, MODES[max(0, mode - 1)])
                params = [axes_param(axes, 0), mode]
                if answer is None:
                    c.refuse("fftconvolve", [a, v], params, SHAPE)
                    continue
                kind = complex_of(x.dtype)
                answer = answer.astype(kind if x.dtype.kind == "c" else real_of(kind))
                size = float(np.linalg.norm(wide(x)) * np.linalg.norm(wide(w)))
                c.call("fftconvolve", [a, v], params, answer, (0, True, 30 * epsilon(kind) * size), rng=rng,
                       how=c.how(rng), label=f"{axes} {MODES[max(0, mode - 1)]}")
    rng = c.group("fftconvolve refused")
    x, y, z = (c.array(rng, s, np.dtype("f")) for s in ((3,), (2, 2), (2, 3)))
    c.refuse("fftconvolve", [x, y], [axes_param(None, 0), 0], SHAPE)
    c.refuse("fftconvolve", [y, z], [axes_param((0,), 0), 0], SHAPE)


def make(c):
    single(c)
    several(c)
    frequencies(c)
    cosine(c)
    convolutions(c)
    spectral(c)

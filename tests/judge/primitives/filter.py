# SPDX-License-Identifier: MIT
"""weft/filter.h, weft/interpolate.h and weft/regions.h, with scipy.ndimage as the judge: of floats in f64, of integers
one axis after the other."""

import numpy as np

from record import DTYPE, SHAPE, Weak
from values import dtype_of

from .base import EXACT, FLOATS, REAL, axes_param, epsilon

try:
    from scipy import ndimage
except ImportError:
    ndimage = None

DIFFERENCES = """
interp       NaN of NaN also with a single point
filters      SciPy's of the elements in f64; integers out of range become the dtype's limit (SciPy: undefined)
"""
ARGUMENT, AXIS = 100, 104
MODES = ["reflect", "nearest", "mirror", "reflect", "wrap", "constant"]  # by weft_border_mode
REFLECT, SYMMETRIC, CONSTANT = 2, 3, 5
SHAPES = [(1,), (2,), (9,), (700,), (3, 5), (17, 40), (300, 3), (2, 1030), (4, 5, 6), (2, 33, 3), (40, 20, 4)]


class Setting:
    """What all filters have: an array of any layout, axes, a border."""

    def __init__(self, c, rng, letter, shape=None, kind="finite"):
        shape = shape or SHAPES[int(rng.integers(len(SHAPES)))]
        self.x = c.array(rng, shape, dtype_of(letter), kind)
        self.value = self.x.array()
        self.dtype = self.value.dtype
        count = int(rng.integers(1, self.value.ndim + 1))
        self.axes = [int(a) for a in rng.permutation(self.value.ndim)[:count]]
        self.mode = int(rng.integers(6))
        self.outside = Weak(int(rng.integers(0, 4))) if self.mode == CONSTANT else Weak(0)
        outside = self.outside.value if self.dtype.kind != "b" else bool(self.outside.value)  # as an element
        self.named = {"mode": MODES[self.mode], "cval": outside}
        self.label = f"{MODES[self.mode]} {self.axes}"

    def params(self, origin=(), *more):
        return [axes_param(self.axes, 0), self.mode, self.outside, origin, *more]

    def whole(self, x):
        """The result of a pass, in f64, as an element."""
        if self.dtype.kind == "f":
            return x
        x = np.trunc(x)
        if self.dtype.kind == "b":
            return (x != 0).astype(np.float64)
        limits = np.iinfo(self.dtype)
        return np.clip(x, float(limits.min), float(limits.max))

    def answer(self, x):
        with np.errstate(all="ignore"):
            return np.asarray(x).astype(self.dtype)

    def tolerance(self, gain, passes, taps):
        """Of a filter whose weights have this sum of sizes."""
        if self.dtype.kind != "f":
            return EXACT
        finite = np.abs(self.value[np.isfinite(self.value)].astype(np.float64))
        top = max(float(finite.max()) if finite.size else 0.0, self.outside.value)
        inner = max(2.0**-53, 2.0**-24 if self.dtype.itemsize < 8 else 0)
        return (1, True, gain * top * (2 * passes * epsilon(self.dtype) + 2 * (taps + 8) * inner))


def draw_origin(rng, sizes):
    if rng.random() < 0.5:
        return ()
    return tuple(int(rng.integers(-(n // 2), n - n // 2)) for n in sizes)


PADS = {"reflect": "symmetric", "nearest": "edge", "mirror": "reflect", "wrap": "wrap", "constant": "constant"}


def within(function, value, reach, mode, cval):
    """The function of the values with `reach` elements more on each side. SciPy 1.17's own borders are wrong for
    windows that reach far beyond an axis, and for strides of 0."""
    outside = {"constant_values": cval} if mode == "constant" else {}
    wide = function(np.pad(np.array(value, order="C"), [(n, n) for n in reach], PADS[mode], **outside))
    return wide[tuple(slice(n, n + k) for n, k in zip(reach, value.shape))]


def correlations(c):
    for turn in range(c.scale):
        for letter in c.each(REAL):
            rng = c.group("correlate", letter, turn)
            for draw in range(8):
                s = Setting(c, rng, letter, kind="few" if letter in "efd" else "finite")
                if letter in "efd":
                    s = Setting(c, rng, letter)
                reverses, many = bool(draw % 2), draw >= 5
                s.axes = s.axes if many else s.axes[:1]
                sizes = [int(rng.choice([1, 2, 3, 5, 8])) for _ in s.axes]
                if not many:
                    sizes = [int(rng.choice([1, 2, 3, 4, 9, 40]))]
                w = rng.integers(-3, 4, sizes) if letter not in "efd" else rng.standard_normal(sizes)
                w = w.astype(np.float32).astype(np.float64)
                origin = draw_origin(rng, sizes)
                function = ndimage.convolve if reverses else ndimage.correlate
                full = w
                for axis in sorted(set(range(s.value.ndim)) - set(s.axes)):
                    full = np.expand_dims(full, -1)
                order = s.axes + sorted(set(range(s.value.ndim)) - set(s.axes))
                full = full.transpose(np.argsort(order))
                origins = [0] * s.value.ndim
                for axis, o in zip(s.axes, origin):
                    origins[axis] = o
                answer = within(lambda wide: function(wide, full, origin=origins), s.value.astype(np.float64),
                                full.shape, **s.named)
                form = reverses + 2 * many
                c.call("correlate_window", [s.x, c.of(w)], s.params(origin, form), s.answer(s.whole(answer)),
                       s.tolerance(np.abs(w).sum(), 1, w.size), rng=rng, how=c.how(rng), wide=True, label=s.label)
    rng = c.group("correlate", "refused")
    s = Setting(c, rng, "f", (4, 5))
    w = c.of(np.ones(3))
    s.axes = [0]
    c.refuse("correlate_window", [s.x, w], s.params((2,), 0), ARGUMENT)
    c.refuse("correlate_window", [s.x, w], s.params((0, 0), 0), ARGUMENT)
    c.refuse("correlate_window", [s.x, c.of(np.ones((3, 3)))], s.params((), 0), SHAPE)
    c.refuse("correlate_window", [s.x, c.of(np.ones(0))], s.params((), 0), SHAPE)
    s.axes = [0, 1]
    c.refuse("correlate_window", [s.x, w], s.params((), 0), AXIS)
    c.refuse("correlate_window", [s.x, w], s.params((), 2), SHAPE)
    c.refuse("correlate_window", [c.of(np.ones(3, "F")), w], [axes_param([0], 0), 0, Weak(0), (), 0], DTYPE)
    s.mode = 9
    c.refuse("correlate_window", [s.x, w], s.params((), 0), ARGUMENT)


def gaussians(c):
    for turn in range(c.scale):
        for letter in c.each(FLOATS):
            rng = c.group("gaussian", letter, turn)
            for draw in range(8):
                s = Setting(c, rng, letter)
                sigma = [float(x) for x in rng.choice([0, 0.4, 1, 1.5, 3], len(s.axes))]
                if draw % 2:
                    sigma = [2.0] * len(s.axes)
                truncate = float(rng.choice([4, 2.5]))
                wide = s.value.astype(np.float64)
                sizes = Weak(sigma[0]) if draw % 4 == 1 else c.of(np.array(sigma))
                taps = 8 * max(sigma) + 1
                if draw >= 6:
                    answer = 0
                    for at in range(len(s.axes)):
                        order = [2 * (k == at) for k in range(len(s.axes))]
                        answer = answer + ndimage.gaussian_filter(wide, sigma, order, axes=s.axes, truncate=truncate,
                                                                  **s.named)
                    order, name, gain = (), "gaussian_laplace", 20.0 * len(s.axes)
                else:
                    order = tuple(int(k) for k in rng.choice([0, 0, 1, 2], len(s.axes)))
                    answer = ndimage.gaussian_filter(wide, sigma, order, axes=s.axes, truncate=truncate, **s.named)
                    name, gain = "gaussian_filter", 10.0 ** sum(order)
                c.call(name, [s.x, sizes], s.params((), order, truncate)[:3] + [(), order, truncate], s.answer(answer),
                       s.tolerance(gain, len(s.axes) + 1, taps), rng=rng, how=c.how(rng), wide=True,
                       label=f"{s.label} {sigma} {order}")
    rng = c.group("gaussian", "refused")
    s = Setting(c, rng, "f", (4, 5))
    s.axes = [0, 1]
    for sigma in (Weak(-1.0), Weak(float("nan")), Weak(1e10), c.of(np.ones(3))):
        c.refuse("gaussian_filter", [s.x, sigma], s.params((), (), 4.0), ARGUMENT)
    c.refuse("gaussian_filter", [s.x, Weak(1.0)], s.params((), (0, 1, 2), 4.0), ARGUMENT)
    c.refuse("gaussian_filter", [s.x, Weak(1.0)], s.params((), (9,), 4.0), ARGUMENT)
    c.refuse("gaussian_filter", [s.x, Weak(1.0)], s.params((), (), -1.0), ARGUMENT)
    c.refuse("gaussian_laplace", [s.x, Weak(1.0)], s.params((), (1,), 4.0), ARGUMENT)


def means(c):
    for turn in range(c.scale):
        for letter in c.each(REAL):
            rng = c.group("uniform", letter, turn)
            for draw in range(4):
                s = Setting(c, rng, letter)
                size = [int(rng.choice([1, 2, 3, 5, 70, 3000])) for _ in s.axes]
                origin = draw_origin(rng, size)
                answer = s.value.astype(np.float64)
                for k, axis in enumerate(s.axes):
                    answer = s.whole(ndimage.correlate1d(answer, np.ones(size[k]), axis,
                                                         origin=origin[k] if origin else 0, **s.named) / size[k]
                                     if size[k] > 1 else answer)
                c.call("uniform_filter", [s.x], s.params(origin, tuple(size)), s.answer(answer),
                       s.tolerance(1, len(size), max(size)), rng=rng, how=c.how(rng), label=f"{s.label} {size}")
    s = Setting(c, c.group("uniform", "refused"), "f", (4, 5))
    s.axes = [0, 1]
    for size in ((0,), (3, -1), (3, 3, 3), ()):
        c.refuse("uniform_filter", [s.x], s.params((), size), ARGUMENT)


def differences_of(c):
    for letter in c.each(REAL):
        rng = c.group("differences", letter)
        for draw in range(6):
            s = Setting(c, rng, letter)
            wide, kind = s.value.astype(np.float64), draw % 3
            if kind == 2:
                answer = s.whole(ndimage.laplace(wide, axes=s.axes, **s.named))
                c.call("laplace", [s.x], s.params(), s.answer(answer), s.tolerance(4 * len(s.axes), 1, 7), rng=rng,
                       how=c.how(rng), label=s.label)
                continue
            s.axes = s.axes[:1]
            answer = s.whole(ndimage.correlate1d(wide, [-1, 0, 1], s.axes[0], **s.named))
            for axis in range(s.value.ndim):
                if axis != s.axes[0]:
                    answer = s.whole(ndimage.correlate1d(answer, [1, 1, 1] if kind else [1, 2, 1], axis, **s.named))
            if s.dtype.kind == "f":
                function = ndimage.prewitt if kind else ndimage.sobel
                assert np.array_equal(answer, function(wide, s.axes[0], **s.named))
            c.call("sobel", [s.x], s.params((), kind), s.answer(answer), s.tolerance(2 * 4 ** (s.value.ndim - 1),
                   s.value.ndim, 3), rng=rng, how=c.how(rng), label=s.label)
    s = Setting(c, c.group("differences", "refused"), "f", (4, 5))
    s.axes = [0, 1]
    c.refuse("sobel", [s.x], s.params((), 0), AXIS)
    c.refuse("laplace", [s.x], s.params((0,)), ARGUMENT)


FORMS = ["minimum_filter", "maximum_filter", "median_filter", "rank_filter", "percentile_filter", "grey_erosion",
         "grey_dilation", "grey_opening", "grey_closing"]  # by weft__order_form


def ordered(letter, value):
    """In f64, or for 64-bit integers as they are."""
    return value if letter in "qQ" else value.astype(np.float64)


def orders(c):
    for turn in range(c.scale):
        for letter in c.each(REAL):
            rng = c.group("order", letter, turn)
            for draw in range(21):
                s = Setting(c, rng, letter)
                form = draw % 9
                big = draw >= 9 and s.value.size < 300  # windows that slide, or joined from running minima and maxima
                size = [int(rng.choice([8, 9, 23, 70, 150] if big else [1, 2, 3, 4])) for _ in s.axes]
                if len(size) > 2 or np.prod(size) > 2000:
                    size = [2 + k % 2 for k in range(len(size))]
                origin = draw_origin(rng, size)
                named = dict(s.named, axes=tuple(s.axes), origin=origin or 0)
                operands, footprint = [s.x], None
                if draw % 2:
                    footprint = rng.random(size) < 0.6
                    footprint.flat[int(rng.integers(footprint.size))] = True
                    operands.append(c.of(footprint))
                    named["footprint"] = footprint
                else:
                    named["size"] = tuple(size)
                taps = int(footprint.sum()) if footprint is not None else int(np.prod(size))
                number = {3: int(rng.integers(-taps, taps)), 4: float(rng.integers(-100, 101))}.get(form, 0)
                function = getattr(ndimage, FORMS[form])
                first = [number] if form in (3, 4) else []
                answer = order_by(function, form, ordered(letter, s.value), first, named)
                params = s.params(origin, () if footprint is not None else tuple(size), form, float(number))
                c.call("order_filter", operands, params, s.answer(answer), (0, True, 0.0), rng=rng, how=c.how(rng),
                       label=f"{FORMS[form]} {s.label} {size} {number}")
    rng = c.group("order", "refused")
    s = Setting(c, rng, "f", (4, 5))
    s.axes = [0, 1]
    for size, form, number in (((0,), 0, 0.0), ((3,), 3, 9.0), ((3,), 3, -10.0), ((3,), 4, 101.0), ((), 0, 0.0)):
        c.refuse("order_filter", [s.x], s.params((), size, form, number), ARGUMENT)
    c.refuse("order_filter", [s.x, c.of(np.ones((3, 3), bool))], s.params((), (3,), 0, 0.0), ARGUMENT)
    c.refuse("order_filter", [s.x, c.of(np.zeros((3, 3), bool))], s.params((), (), 0, 0.0), SHAPE)
    c.refuse("order_filter", [s.x, c.of(np.ones(3, bool))], s.params((), (), 0, 0.0), SHAPE)


def order_by(function, form, value, first, named):
    """SciPy's result. Its morphology takes `axes`, but not for all forms in all versions."""
    axes, origin = named.pop("axes"), named.pop("origin")
    rest = [a for a in range(value.ndim) if a not in axes]
    order = list(axes) + rest
    turned = value.transpose(order)
    part = np.ones(named.pop("size"), bool) if "size" in named else named.pop("footprint")
    if value.ndim == 1:  # SciPy 1.17 takes no notice of what a footprint of one axis leaves out, in its ranks
        turned, rest = turned[:, None], [1]
    part = part.reshape(part.shape + (1,) * len(rest))
    origins = [0] * turned.ndim
    for k in range(len(axes)):
        origins[k] = origin[k] if origin else 0
    if FORMS[form] in ("grey_opening", "grey_closing"):  # two filters, each with its border
        answer = function(np.array(turned, order="C"), origin=origins, footprint=part, **named)
    else:
        answer = within(lambda wide: function(wide, *first, origin=origins, footprint=part), turned, part.shape,
                        **named)
    return answer.reshape(turned.shape)[:, 0] if value.ndim == 1 else answer.transpose(np.argsort(order))


def binaries(c):
    for letter in c.each("?Bqf"):
        rng = c.group("binary", letter)
        for draw in range(12):
            s = Setting(c, rng, letter, kind="few" if letter != "?" else "mixed")
            value = s.value != 0
            form, iterations, outside = 5 + draw % 4, int(rng.choice([1, 1, 3])), bool(rng.integers(2))
            size = [int(n) for n in rng.integers(1, 4, value.ndim)]
            structure, origin, operands = None, (), [s.x]
            if draw % 3:
                structure = rng.random(size) < 0.7
                structure.flat[int(rng.integers(structure.size))] = True
                operands.append(c.of(structure))
                origin = draw_origin(rng, size)
            name = FORMS[form].split("_")[1]
            steps = {"opening": ["erosion", "dilation"], "closing": ["dilation", "erosion"]}.get(name, [name])
            answer = value
            for step in np.repeat(steps, iterations):  # one by one: SciPy 1.17's iterations damage memory
                answer = getattr(ndimage, "binary_" + step)(answer, structure, origin=origin or 0, border_value=outside)
            c.call("binary_filter", operands, [form, iterations, outside, origin], answer, rng=rng, how=c.how(rng),
                   label=f"{FORMS[form]} {iterations}")
    s = Setting(c, c.group("binary", "refused"), "B", (4, 5))
    c.refuse("binary_filter", [s.x], [5, -1, 0, ()], ARGUMENT)
    c.refuse("binary_filter", [s.x], [5, 1, 0, (2,)], ARGUMENT)
    c.refuse("binary_filter", [s.x, c.of(np.ones(3, bool))], [5, 1, 0, ()], SHAPE)


# ---- weft/regions.h ----


def regions(c):
    for letter in c.each("?Bqfd"):
        rng = c.group("regions", letter)
        for draw in range(8):
            shape = [(1,), (50,), (7, 9), (40, 70), (5, 6, 7), (2, 3, 4, 3), (1, 130), (300, 2)][draw]
            values = rng.random(shape) < float(rng.choice([0.3, 0.5, 0.6, 0.9]))
            x = c.of((values * rng.integers(1, 4, shape)).astype(dtype_of(letter)))
            structure = ndimage.generate_binary_structure(len(shape), int(rng.integers(1, len(shape) + 1)))
            if draw % 3 == 0:
                structure &= rng.random(structure.shape) < 0.6
                structure &= np.flip(structure)
                structure[(1,) * len(shape)] = True
            labels, count = ndimage.label(values, structure)
            operands = [x, c.of(structure)]
            if draw % 3 == 1:
                operands, (labels, count) = [x], ndimage.label(values)
            c.call("label", operands, [], [labels.astype(np.int32), np.int64(count)], rng=rng,
                   results=[None, None] if draw % 2 else None, label="regions")
            sampling = rng.integers(1, 5, len(shape)) / 2
            operands = [x, c.of(sampling)] if draw % 2 else [x]
            if values.all():
                answer = np.full(shape, np.inf)
            else:
                answer = ndimage.distance_transform_edt(values, sampling if draw % 2 else None)
            c.call("distance_transform", operands, [], answer, (4, True, 1e-12), rng=rng, how=c.how(rng), wide=True,
                   label="distances")
    rng = c.group("regions", "empty")
    x = c.of(np.ones((3, 0)))
    c.call("label", [x], [], [np.zeros((3, 0), np.int32), np.int64(0)], rng=rng, label="no elements")
    c.call("distance_transform", [x], [], np.zeros((3, 0)), rng=rng, wide=True, label="no elements")
    rng = c.group("regions", "refused")
    x, odd = c.of(np.ones((3, 4))), np.ones((3, 3))
    odd[0, 0] = 0
    c.refuse("label", [x, c.of(odd)], [], ARGUMENT, count=2)
    c.refuse("label", [x, c.of(np.ones(3))], [], SHAPE, count=2)
    c.refuse("label", [c.of(np.ones(3, "F"))], [], DTYPE, count=2)
    c.refuse("distance_transform", [x, c.of(np.ones(3))], [], SHAPE)
    c.refuse("distance_transform", [x, c.of(np.array([1.0, -1.0]))], [], ARGUMENT)


# ---- weft/interpolate.h ----

ORDERS = [3, 0, 1, 3]  # by weft_spline
GRID_MODES = ["constant", "nearest", "mirror", "reflect", "grid-wrap", "constant"]  # by weft_border_mode


class Transform(Setting):
    """An array, an order and a border."""

    def __init__(self, c, rng, letter, shape):
        super().__init__(c, rng, letter, shape)
        self.order = int(rng.integers(4))
        if ORDERS[self.order] == 3 and self.mode == SYMMETRIC and any(1 < n < 14 for n in shape):
            self.mode = REFLECT  # SciPy 1.17's symmetric splines miss the elements of short axes by up to 3e-4
        self.named = {"mode": GRID_MODES[self.mode], "cval": self.outside.value, "order": ORDERS[self.order]}
        self.label = f"{GRID_MODES[self.mode]} order {ORDERS[self.order]}"

    def params(self, *more):
        return [self.order, self.mode, self.outside, *more]

    def whole(self, x):
        """As Weft and SciPy round to integers."""
        if self.dtype.kind == "f":
            return x
        if self.dtype.kind == "b":
            return np.abs(x) >= 0.5
        x = np.trunc(x + np.where(x > 0, 0.5, -0.5))
        limits = np.iinfo(self.dtype)
        return np.clip(x, float(limits.min), float(limits.max))

    def is_sure(self, answer):
        """Whether no element is so near half-way between integers that errors decide."""
        return self.dtype.kind == "f" or bool(np.all(np.abs(answer - np.floor(answer) - 0.5) > 1e-3))

    def close(self):
        return self.tolerance(30, 2, 60)


def places_of(rng, value, shape):
    """Places in 16ths, away from the borders' exact places."""
    return np.stack([rng.integers(-30, 16 * n + 30, shape) / 16 + 1 / 64 for n in value.shape])


def transforms(c):
    shapes = [(1,), (2,), (23,), (5, 6), (1, 9), (30, 14), (3, 4, 5)]
    for turn in range(c.scale):
        for letter in c.each("?BhIqefd"):
            rng = c.group("transform", letter, turn)
            for draw in range(10):
                s = Transform(c, rng, letter, shapes[int(rng.integers(len(shapes)))])
                wide, ndim = s.value.astype(np.float64), s.value.ndim
                kind = draw % 5
                if kind in (1, 4) and s.order == 1:  # errors decide half-way between elements
                    s.order, s.named["order"] = 2, 1
                if kind == 0:
                    places = places_of(rng, wide, [(7,), (3, 5), (2, 1, 4)][int(rng.integers(3))])
                    operand, name, params = places, "map_coordinates", s.params()
                    answer = ndimage.map_coordinates(wide, places, **s.named)
                elif kind == 1:
                    matrix = rng.integers(-20, 20, (ndim, ndim + 1)) / 16 + np.eye(ndim, ndim + 1) + 1 / 128
                    shape = tuple(int(n) for n in rng.integers(1, 9, ndim)) if draw > 5 else ()
                    operand, name, params = matrix, "transform", s.params(0, shape)
                    answer = ndimage.affine_transform(wide, matrix[:, :ndim], matrix[:, ndim], shape or None, **s.named)
                elif kind == 2:
                    zoom = rng.choice([0.5, 1, 1.3, 2, 3], ndim)
                    if s.mode in (0, 5):  # the last place may be beyond the last element by an error
                        zoom = np.full(ndim, 1.0)
                    operand, name, params = zoom, "transform", s.params(1, ())
                    answer = ndimage.zoom(wide, zoom, **s.named)
                elif kind == 3:
                    move = rng.integers(-40, 40, ndim) / 16 + 1 / 64 if draw > 5 else np.array(2.25)
                    operand, name, params = move, "transform", s.params(2, ())
                    answer = ndimage.shift(wide, move, **s.named)
                else:
                    if ndim < 2:
                        continue
                    axes = [int(a) for a in rng.permutation(ndim)[:2]]
                    degrees, keeps = float(rng.choice([90, 180, 270, 33.5, -71.25])), bool(rng.integers(2))
                    operand, name = None, "rotate"
                    params = s.params(degrees, axes_param(axes, 0), keeps)
                    answer = ndimage.rotate(wide, degrees, axes, reshape=not keeps, **s.named)
                if not s.is_sure(answer):
                    continue
                operands = [s.x] if operand is None else [s.x, c.of(operand)]
                c.call(name, operands, params, s.answer(s.whole(answer)), s.close(), rng=rng, how=c.how(rng), wide=True,
                       label=f"{s.label} {kind}")
    rng = c.group("transform", "refused")
    s = Transform(c, rng, "f", (4, 5))
    c.refuse("map_coordinates", [s.x, c.of(np.ones((3, 2)))], s.params(), SHAPE)
    c.refuse("transform", [s.x, c.of(np.ones((3, 2)))], s.params(0, ()), SHAPE)
    c.refuse("transform", [s.x, c.of(np.eye(2))], s.params(0, (3,)), SHAPE)
    c.refuse("transform", [s.x, Weak(-1.0)], s.params(1, ()), ARGUMENT)
    c.refuse("transform", [s.x, Weak(float("inf"))], s.params(2, ()), ARGUMENT)
    c.refuse("rotate", [s.x], s.params(30.0, axes_param([0], 0), 0), AXIS)
    s.order = 4
    c.refuse("transform", [s.x, Weak(1.0)], s.params(1, ()), ARGUMENT)


def interpolations(c):
    for letter in c.each("?iefd"):
        rng = c.group("interp", letter)
        dtype = dtype_of(letter)
        for draw in range(5):
            n = int(rng.choice([1, 2, 30, 1000]))
            xp = np.unique(rng.integers(-200, 200, n)).astype(dtype)
            xp = np.unique(xp)
            fp = rng.integers(-9, 9, xp.size).astype(dtype)
            x = rng.integers(-240, 240, [(), (7,), (5, 300)][draw % 3]).astype(dtype)
            if dtype.kind == "f" and x.ndim:
                x = x + (rng.integers(0, 4, x.shape) / 4).astype(dtype)
                x.flat[0] = np.nan
            ends = [float(end) for end in rng.integers(-9, 9, 2)] if draw in (1, 3) else None
            period = 90.0 if draw in (3, 4) else None  # then .left and .right do not count
            if period:  # in any order, but no two at one place
                xp = rng.permutation(xp[np.unique(xp.astype("f8") % period, return_index=True)[1]])
                fp = fp[:xp.size]
            answer = np.asarray(np.interp(x.astype("f8"), xp.astype("f8"), fp.astype("f8"), *(ends or (None, None)),
                                          period=period))
            if dtype.kind == "f":
                answer = np.where(np.isnan(x), np.nan, answer)
            result = dtype if dtype.kind == "f" else np.dtype("f8")
            params = [int(ends is not None), *(ends or (0.0, 0.0)), period or 0.0]
            c.call("interp", [c.of(x), c.of(xp), c.of(fp)], params, answer.astype(result),
                   (1, True, 40 * epsilon(result if result.itemsize > 2 else np.dtype("f4")) * 20), rng=rng,
                   how=c.how(rng), label=f"{n} points")
    rng = c.group("interp", "refused")
    ones = [c.of(np.ones(n)) for n in (3, 2, 0)]
    none = [0, 0.0, 0.0, 0.0]
    c.refuse("interp", [ones[0], ones[0], ones[1]], none, SHAPE)
    c.refuse("interp", [ones[0], ones[2], ones[2]], none, SHAPE)
    c.refuse("interp", [c.of(np.ones(3, "F")), ones[0], ones[0]], none, DTYPE)
    c.refuse("interp", [ones[0], ones[0], ones[0]], [0, 0.0, 0.0, np.inf], ARGUMENT)


def make(c):
    interpolations(c)
    if ndimage is None:
        c.file.partial = True
        return
    correlations(c)
    gaussians(c)
    means(c)
    differences_of(c)
    orders(c)
    binaries(c)
    transforms(c)
    regions(c)

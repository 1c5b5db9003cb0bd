# SPDX-License-Identifier: MIT
"""weft/index.h"""

import numpy as np

from record import DTYPE, SHAPE, Host, Weak
from values import dtype_of

from . import reduce
from .base import ALL, EVERY_AXIS, EXACT, INTEGERS, ZERO_FREE, draw_shape, epsilon

DIFFERENCES = """
take, ...    indices of bool are refused (NumPy's take casts them); modes are NumPy's raise, clip and wrap
take_along_axis, put_along_axis   one axis, never all
at           x[i, j]: lists of integers, one for each of the first axes
put          of no values at all: nothing is written
scatter      x[.., indices, ..] = values; of equal indices the last value counts with .deterministic only
scatter_min, scatter_max   not of complex numbers
"""
ARGUMENT, INDEX, AXIS = 100, 105, 104
ERROR, CLIP, WRAP, DETERMINISTIC = 0, 1, 2, 0x100
MODES = ["raise", "clip", "wrap"]


def numpy_axis(axis):
    return None if axis == EVERY_AXIS else axis


def letters(rng, count):
    return ([str(rng.choice(list(some))) for some in ("?bB", "hHe", "iIf", "qQdF", "D")] +
            [str(n) for n in rng.choice(list(ALL), count)])


def draw_axis(rng, ndim, every=True):
    if ndim == 0 or (every and rng.random() < 0.25):
        return EVERY_AXIS
    axis = int(rng.integers(ndim))
    return axis - ndim if rng.random() < 0.4 else axis


def draw_indices(rng, shape, length, mode, letter):
    """Indices of this shape for an axis of this length; some out of range if the mode allows it."""
    info = np.iinfo(dtype_of(letter))
    low, high = (-length, length - 1) if mode == ERROR else (-3 * length - 2, 3 * length + 2)
    low, high = max(low, int(info.min)), min(high, int(info.max))
    out = rng.integers(low, high, shape, endpoint=True).astype(dtype_of(letter))
    if mode != ERROR and out.size and rng.random() < 0.3:
        out.ravel()[int(rng.integers(out.size))] = rng.choice(np.array([info.min, info.max], out.dtype))
    return out


def wrapped(indices, length, mode):
    """The indices as NumPy interprets them, as int64: NumPy does not accept u64."""
    if mode == CLIP:
        return np.array([min(max(int(i), 0), length - 1) for i in indices.ravel()], np.int64).reshape(indices.shape)
    return np.array([int(i) % length for i in indices.ravel()], np.int64).reshape(indices.shape)


def index_operand(c, rng, indices):
    if indices.ndim == 0 and rng.random() < 0.3:
        return Weak(int(indices), indices.dtype)
    return c.of(indices) if rng.random() < 0.8 else Host(c.of(indices).storage, indices.shape)


def as_array(operand):
    return np.asarray(operand.value) if isinstance(operand, Weak) else operand.array()


def length_of(x, axis):
    return x.size if axis == EVERY_AXIS else x.shape[axis]


def indices_shape(rng):
    return (
        tuple(int(n) for n in rng.choice([1, 2, 3, 5, 17, 64], int(rng.integers(0, 3))))
        if rng.random() < 0.5
        else (int(rng.choice([0, 1, 7, 64, 255, 256, 257, 1025])),)
    )


def several(c):
    """at: a list of indices for each of the first axes"""
    for turn in range(c.scale):
        for letter in c.each("?hfdD"):
            rng = c.group("at", letter, turn)
            for draw in range(4):
                ndim, mode = int(rng.choice([1, 2, 2, 3])), int(rng.integers(3))
                shape = tuple(int(n) for n in rng.choice([1, 2, 5, 17, 33], ndim))
                x = c.array(rng, shape, dtype_of(letter), "mixed")
                common = indices_shape(rng)[:2]
                lists = []
                for length in shape[: int(rng.integers(1, ndim + 1))]:
                    own = tuple(n if rng.random() < 0.7 else 1 for n in common)
                    own = own[int(rng.integers(len(own) + 1)) :] if rng.random() < 0.3 else own
                    lists.append((draw_indices(rng, own, length, mode, str(rng.choice(list("iqIQhB")))), length))
                where = tuple(wrapped(indices, length, mode) for indices, length in lists)
                some = [index_operand(c, rng, indices) for indices, length in lists]
                c.call("at", [x] + some, [mode], x.array()[where], rng=rng, how=c.how(rng),
                       label=f"{len(lists)} of {ndim} {MODES[mode]}")
    rng = c.group("at", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    c.refuse("at", [x, c.of(np.array([0, 1])), c.of(np.array([0, 4]))], [ERROR], INDEX)
    c.refuse("at", [x, c.of(np.array([0, 1])), c.of(np.array([0, 1, 2]))], [ERROR], SHAPE)
    c.refuse("at", [x] + [c.of(np.array([0]))] * 3, [ERROR], SHAPE)
    c.refuse("at", [x, c.of(np.array([0.5]))], [ERROR], DTYPE)


def assigning(c):
    """assign: copyto with a mask"""
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("assign", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                ndim = int(rng.choice([1, 1, 2, 3]))
                shape = draw_shape(rng, ndim, [2049])
                x = c.array(rng, shape, dtype, "mixed", c.layout(rng, ndim, True))
                some = tuple(1 if rng.random() < 0.2 else n for n in shape)[int(rng.random() < 0.2) :]
                mask = c.array(rng, some, np.dtype("?"), "mixed")
                source = values_for(c, rng, tuple(1 if rng.random() < 0.2 else n for n in shape), dtype, draw)
                target = x.array().copy()
                np.copyto(target, as_array(source).astype(dtype), where=mask.array())
                written(c, "assign", x, [mask, source], [], target, label=f"{draw}")
    rng = c.group("assign", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"), layout=c.layout(rng, 2, True))
    yes = c.of(np.array([True]))
    c.refuse("assign", [c.of(np.array([1])), Weak(1.0)], [], DTYPE, [x])
    c.refuse("assign", [yes, c.of(np.array([1j]))], [], DTYPE, [x])
    c.refuse("assign", [yes, c.of(np.zeros(3, "f4"))], [], SHAPE, [x])
    c.refuse("assign", [c.of(np.array([True] * 3)), Weak(1.0)], [], SHAPE, [x])


def placing(c):
    """place, putmask, fill_diagonal, ravel_multi_index, unravel_index"""
    for turn in range(c.scale):
        for letter in c.each(letters(np.random.default_rng([c.seed, turn, 4]), 2)):
            rng = c.group("place", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                ndim = int(rng.choice([1, 2, 3]))
                shape = draw_shape(rng, ndim, [2049])
                x = c.array(rng, shape, dtype, "mixed", c.layout(rng, ndim, True))
                mask = c.array(rng, shape, np.dtype("?"), "mixed")
                values = c.array(rng, (int(rng.choice([1, 2, 7])),), dtype, "finite")
                for function in (np.place, np.putmask):
                    target = np.array(x.array(), order="C")  # a copy: `values` may be a view of x
                    function(target, mask.array(), values.array())
                    written(c, function.__name__, x, [mask, values], [], target, label=f"{draw}")
                if draw % 2:
                    shape = (int(rng.integers(0, 9)),) * 3
                else:
                    shape = tuple(int(n) for n in rng.integers(0, 40, 2))
                x = c.array(rng, shape, dtype, "mixed", c.layout(rng, len(shape), True))
                wrap = draw == 2
                value = c.array(rng, () if wrap else (min(shape),), dtype, "finite")
                target = np.array(x.array(), order="C")
                if target.size:
                    np.fill_diagonal(target, value.array(), wrap)
                written(c, "fill_diagonal", x, [value], [wrap], target, label=str(wrap))
    for turn in range(2 * c.scale):
        rng = c.group("ravel", turn)
        for draw in range(6):
            shape = tuple(int(n) for n in rng.integers(1, 9, int(rng.integers(1, 5))))
            mode = int(rng.integers(3))
            many = (int(rng.choice([0, 1, 7, 300])),)
            lists = [rng.integers(-12 if mode else 0, 20 if mode else n, many if k == 0 or draw % 2 else ())
                     for k, n in enumerate(shape)]
            answer = np.ravel_multi_index(lists, shape, ["raise", "clip", "wrap"][mode])
            c.call("ravel_multi_index", [c.of(i) for i in lists], [shape, mode], answer.astype(np.int64), rng=rng,
                   how=c.how(rng), label=str(shape))
            numbers = rng.integers(0, np.prod(shape), (3, 5) if draw % 2 else many)
            c.call("unravel_index", [c.of(numbers)], [shape],
                   [i.astype(np.int64) for i in np.unravel_index(numbers, shape)], label=str(shape))
    rng = c.group("ravel", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"), layout=c.layout(rng, 2, True))
    c.refuse("ravel_multi_index", [c.of(np.array([1]))], [(3, 4), 0], ARGUMENT)
    c.refuse("ravel_multi_index", [c.of(np.array([5]))], [(3,), 0], INDEX)
    c.refuse("unravel_index", [c.of(np.array([12]))], [(3, 4)], INDEX)
    c.refuse("place", [c.of(np.array([True])), Weak(1.0)], [], SHAPE, [x])
    c.refuse("putmask", [x, Weak(1.0)], [], DTYPE, [x])
    c.refuse("fill_diagonal", [c.of(np.zeros(2, "f4"))], [0], SHAPE, [x])


def reading(c):
    """take, take_along_axis, take_many"""
    for turn in range(c.scale):
        for letter in c.each(letters(np.random.default_rng([c.seed, turn, 3]), 3)):
            rng = c.group("take", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(6):
                ndim = int(rng.choice([0, 1, 1, 2, 3]))
                shape, mode = draw_shape(rng, ndim, [2049]), int(rng.integers(3))
                axis = draw_axis(rng, ndim)
                x = c.array(rng, shape, dtype, "mixed")
                value = x.array()
                length = length_of(value, axis)
                ishape = indices_shape(rng) if length else (0,)
                if value.size and np.prod(ishape, dtype=int) * value.size // length > 20000:
                    ishape = (2,)
                indices = draw_indices(rng, ishape, length, mode, str(rng.choice(list("iiqqIQ" + INTEGERS))))
                where = wrapped(indices, length, mode) if length else indices.astype(np.int64)
                c.call(
                    "take",
                    [x, index_operand(c, rng, indices)],
                    [axis, mode],
                    np.take(value, where, numpy_axis(axis)),
                    rng=rng,
                    how=c.how(rng),
                    label=f"axis {axis} {MODES[mode]}",
                )
                if not value.size or axis == EVERY_AXIS:
                    continue
                ishape = list(value.shape)
                at = axis % ndim
                ishape[at] = int(rng.choice([1, 2, 5, ishape[at]]))
                indices = draw_indices(rng, ishape, length, mode, str(rng.choice(list("iqIQh"))))
                where = wrapped(indices, length, mode)
                c.call(
                    "take_along_axis",
                    [x, c.of(indices)],
                    [axis, mode],
                    np.take_along_axis(value, where, axis),
                    rng=rng,
                    how=c.how(rng),
                    label=f"axis {axis} {MODES[mode]}",
                )
            many = [
                c.array(rng, (257,), dtype_of(str(rng.choice(list("ifhd")))) if k % 2 else dtype, "mixed")
                for k in range(int(rng.integers(1, 8)))
            ]
            indices = draw_indices(rng, (100,), 257, WRAP, "i")
            c.call(
                "take_many",
                [c.of(indices)] + many,
                [WRAP],
                [m.array()[wrapped(indices, 257, WRAP)] for m in many],
                rng=rng,
                label=f"{len(many)}",
            )
    several(c)
    rng = c.group("take", "refused")
    x = c.array(rng, (10, 3), np.dtype("f4"))
    some = c.of(np.arange(3))
    c.refuse("take", [x, c.of(np.array([0, 3, 10, 11]))], [0, ERROR], INDEX)
    c.refuse("take", [x, c.of(np.array([0, -11]))], [0, ERROR], INDEX)
    c.refuse("take", [x, c.of(np.array([0, 2**63], np.uint64))], [0, ERROR], INDEX)
    c.refuse("take", [c.array(rng, (0,), np.dtype("f4")), some], [0, ERROR], INDEX)
    c.refuse("take", [x, c.of(np.array([0.0, 1]))], [0, ERROR], DTYPE)
    c.refuse("take", [x, c.of(np.array([True, False]))], [0, ERROR], DTYPE)
    c.refuse("take", [x, some], [2, ERROR], AXIS)
    c.refuse("take_along_axis", [x, some], [0, ERROR], SHAPE)
    c.refuse("take_along_axis", [c.array(rng, (4,), np.dtype("f4")), some], [EVERY_AXIS, ERROR], AXIS)
    c.refuse("take_along_axis", [x, c.of(np.zeros((3, 2), int))], [0, ERROR], SHAPE)


def written(c, name, x, operands, params, result, tolerance=None, label=""):
    c.call(name, operands, params, result, tolerance, results=[x], label=label)


def writing(c):
    """put, put_along_axis, scatter, put_many: in place"""
    for turn in range(c.scale):
        for letter in c.each(letters(np.random.default_rng([c.seed, turn, 4]), 3)):
            rng = c.group("put", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(5):
                ndim, mode = int(rng.choice([1, 1, 2, 3])), int(rng.integers(3))
                shape = draw_shape(rng, ndim, [2049])
                x = c.array(rng, shape, dtype, "mixed", c.layout(rng, ndim, True))
                if 0 in shape:
                    continue
                fixed = mode | (DETERMINISTIC if rng.random() < 0.6 else 0)
                target = x.array().copy()
                indices = draw_indices(rng, (int(rng.choice([0, 1, 5, 64, 257, 1025])),), target.size, mode,
                                       str(rng.choice(list("iqIQb"))))
                if fixed == mode:  # among equal indices any value may remain
                    places = wrapped(indices, target.size, mode)
                    indices = indices[np.sort(np.unique(places, return_index=True)[1])]
                count = max(1, int(rng.choice([1, 3, len(indices), len(indices) + 5])))
                source = values_for(c, rng, (count,), dtype, draw)
                np.put(target, wrapped(indices, target.size, mode), as_array(source).astype(dtype))
                written(c, "put", x, [c.of(indices), source], [fixed], target, label=f"{MODES[mode]} {fixed >> 8}")
                # scatter along an axis
                x = c.array(rng, shape, dtype, "mixed", c.layout(rng, ndim, True))
                axis = draw_axis(rng, ndim)
                target = x.array().copy()
                flat = target.reshape(-1) if axis == EVERY_AXIS else target
                at = 0 if axis == EVERY_AXIS else axis % ndim
                length = flat.shape[at]
                indices = draw_indices(rng, (min(length, int(rng.choice([1, 4, 33, 300]))),), length, mode,
                                       str(rng.choice(list("iqI"))))
                where = wrapped(indices, length, mode)
                where, first = np.unique(where, return_index=True)
                indices = indices[first]
                vshape = list(flat.shape)
                vshape[at] = len(indices)
                if rng.random() < 0.3:
                    vshape[int(rng.integers(len(vshape)))] = 1
                source = values_for(c, rng, tuple(vshape), dtype, draw)
                flat[(slice(None),) * at + (where,)] = as_array(source).astype(dtype)
                written(c, "scatter", x, [index_operand(c, rng, indices), source], [axis, mode], target,
                        label=f"axis {axis} {MODES[mode]}")
                if axis == EVERY_AXIS:
                    continue
                x = c.array(rng, shape, dtype, "mixed", c.layout(rng, ndim, True))
                target = x.array().copy()
                ishape = list(shape)
                ishape[at] = min(length, int(rng.choice([1, 2, 7])))
                order = np.argsort(rng.random(shape), axis=at).take(range(ishape[at]), at)
                order = order.astype(str(rng.choice(list("iqI"))))
                source = values_for(c, rng, tuple(ishape), dtype, draw)
                np.put_along_axis(target, order.astype(np.int64), as_array(source).astype(dtype), at)
                written(c, "put_along_axis", x, [c.of(order), source], [axis, ERROR], target, label=f"axis {axis}")
            targets = [
                c.array(rng, (300,), dtype_of(str(rng.choice(list("ifhd")))) if k % 2 else dtype, "mixed",
                        c.layout(rng, 1, True))
                for k in range(int(rng.integers(1, 7)))
            ]
            indices = rng.permutation(300)[:100].astype(np.int32)
            sources = [c.array(rng, (100,), t.array().dtype, "mixed") for t in targets]
            answers = [t.array().copy() for t in targets]
            for a, s in zip(answers, sources):
                a[indices] = s.array()
            c.call("put_many", [c.of(indices)] + sources, [ERROR], answers, results=targets, label=f"{len(targets)}")
    rng = c.group("put", "refused")
    x = c.array(rng, (10, 3), np.dtype("f4"), layout=c.layout(rng, 2, True))
    target = x.array().copy()
    np.put(target, [0, 99], [])
    written(c, "put", x, [c.of(np.array([0, 99])), c.of(np.zeros(0, "f4"))], [ERROR], target, label="no values")
    c.refuse("put", [c.of(np.array([0, 30])), Weak(1.0)], [ERROR], INDEX, [x])
    c.refuse("put", [c.of(np.array([0.0])), Weak(1.0)], [ERROR], DTYPE, [x])
    c.refuse("put", [c.of(np.array([0])), c.of(np.array([1j]))], [ERROR], DTYPE, [x])
    c.refuse("scatter", [c.of(np.array([0, 1])), c.of(np.zeros((3, 3), "f4"))], [0, ERROR], SHAPE, [x])
    c.refuse("scatter", [c.of(np.array([0, 10])), Weak(1.0)], [0, ERROR], INDEX, [x])
    c.refuse("scatter_add", [c.of(np.array([0, 1])), Weak(1.0)], [2, ERROR], AXIS, [x])


def values_for(c, rng, shape, dtype, draw):
    """Values to write: an array, possibly of another dtype of the same kind, host memory, or a scalar."""
    if draw == 1:
        return Weak({"b": True, "i": -3, "u": 7, "f": 2.5, "c": 1 - 2j}[dtype.kind])
    if draw == 2:
        narrow = {"b": "?", "i": "b", "u": "B", "f": "e", "c": "f"}[dtype.kind]
        return c.array(rng, shape, dtype_of(narrow), "finite")
    view = c.array(rng, shape, dtype, "mixed")
    return Host(c.of(view.array()).storage, shape) if draw == 3 else view


def adding(c):
    """scatter_add, scatter_min, scatter_max: each of several equal indices counts."""
    for turn in range(c.scale):
        for name, letter in c.each(["scatter_add", "scatter_min", "scatter_max"], ALL):
            if letter in "FD" and name != "scatter_add":
                continue
            rng = c.group(name, letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                ndim, mode = int(rng.choice([1, 1, 2])), int(rng.integers(3))
                shape = draw_shape(rng, ndim, [2049])
                if 0 in shape:
                    continue
                kind = "finite" if name == "scatter_add" else "mixed"
                x = c.array(rng, shape, dtype, kind, c.layout(rng, ndim, True))
                axis = draw_axis(rng, ndim)
                target = x.array().copy()
                flat = target.reshape(-1) if axis == EVERY_AXIS else target
                at = 0 if axis == EVERY_AXIS else axis % ndim
                indices = draw_indices(
                    rng, (int(rng.choice([0, 1, 9, 257, 1025 if ndim == 1 else 65])),), flat.shape[at], mode,
                    str(rng.choice(list("iqIh")))
                )
                where = wrapped(indices, flat.shape[at], mode)
                vshape = list(flat.shape)
                vshape[at] = len(indices)
                source = c.array(rng, tuple(vshape), dtype, kind)
                fixed = bool(rng.random() < 0.5)
                tolerance = EXACT
                given = source.array()
                with np.errstate(all="ignore"):
                    function = {"scatter_add": np.add, "scatter_min": np.minimum, "scatter_max": np.maximum}[name]
                    if name == "scatter_add" and dtype.kind in "fc" and not fixed:
                        wide = flat.astype(np.clongdouble if dtype.kind == "c" else np.longdouble)
                        np.add.at(wide, (slice(None),) * at + (where,), given.astype(wide.dtype))
                        most = np.bincount(where, minlength=1).max(initial=0) + 1
                        size = (most + 1) * float(np.max(abs(given), initial=0)) * most
                        size += float(np.max(abs(flat), initial=0)) * most
                        flat[...] = wide.astype(dtype)
                        tolerance = (1, True, size * epsilon(dtype))
                    else:
                        function.at(flat, (slice(None),) * at + (where,), given)
                        tolerance = ZERO_FREE if dtype.kind in "fc" else EXACT
                written(
                    c,
                    name,
                    x,
                    [c.of(indices), source],
                    [axis, mode | (DETERMINISTIC if fixed else 0)],
                    target,
                    tolerance,
                    f"axis {axis} {MODES[mode]} {'fixed' if fixed else ''}",
                )


def subsets(c):
    """Reductions of some elements."""
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("subset", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(2):
                shape = draw_shape(rng, 1 + draw, [2049])
                x, y = c.array(rng, shape, dtype), c.array(rng, shape, dtype, "rising")
                if 0 in shape:
                    continue
                size = int(rng.choice([1, 7, 257, 1025]))
                indices = draw_indices(rng, (size,), x.array().size, ERROR, "i")
                where = wrapped(indices, x.array().size, WRAP)
                a, b = x.array().ravel()[where], y.array().ravel()[where]
                some = index_operand(c, rng, indices)
                for name in ("sum", "min", "max"):
                    c.call("subset_" + name, [x, some], [], *reduce.answer(name, a, None, False), rng=rng,
                           how=c.how(rng))
                result = reduce.exact_dot(a, b) if dtype.kind in "fc" else (np.dot(a, b), EXACT)
                c.call("subset_dot", [x, y, some], [], *result, rng=rng, how=c.how(rng))
            c.refuse("subset_sum", [x, c.of(np.array([0, 10**6]))], [], INDEX)


def make(c):
    subsets(c)
    reading(c)
    writing(c)
    assigning(c)
    placing(c)
    adding(c)

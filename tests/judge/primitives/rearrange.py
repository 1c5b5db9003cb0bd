# SPDX-License-Identifier: MIT
"""weft/rearrange.h, weft/differences.h, and the views of weft/view.h"""

import numpy as np

from record import DTYPE, SHAPE, Host, Weak
from values import dtype_of, number_of

from .base import ALL, EVERY_AXIS, axes_param, draw_shape

DIFFERENCES = """
pad          with nothing to take a border from (a length of 0): refused for every mode but the constant ones, as
             NumPy's
diff         of bools: whether they differ, as NumPy's
packbits, unpackbits   without axes: WEFT_ALL_AXES only; of no bytes with a positive count: zeros (NumPy's are not
                       written)
diagonal, meshgrid, split, ...: views, as NumPy's; diagonals can be written
tile         at most 8 axes
append       a C scalar takes x's dtype where its kind fits
unwrap       integers become f64, also with a period of an integer
view_part    of real numbers: no imaginary part
"""
ARGUMENT, AXIS, INDEX = 100, 104, 105
PAD = ["constant", "edge", "reflect", "symmetric", "wrap"]


def numpy_axis(axis):
    return None if axis == EVERY_AXIS else axis


def draw_axis(rng, ndim, every=True):
    if ndim == 0 or (every and rng.random() < 0.2):
        return EVERY_AXIS
    axis = int(rng.integers(ndim))
    return axis - ndim if rng.random() < 0.4 else axis


def letters(rng, count):
    """A random dtype for every element size, and `count` other ones."""
    return ([str(rng.choice(list(some))) for some in ("?bB", "hHe", "iIf", "qQdF", "D")] +
            [str(n) for n in rng.choice(list(ALL), count)])


def each(c, name, count=1):
    """(generator, dtype) of groups: all sizes of elements, and `count` other dtypes."""
    for turn in range(c.scale):
        for letter in c.each(letters(c_generator(c, name, turn), count)):
            yield c.group(name, letter, turn), dtype_of(letter)


def c_generator(c, name, turn):
    return np.random.default_rng([c.seed, turn, sum(map(ord, name))])


def small_shape(rng, ndim):
    return draw_shape(rng, ndim, [2049, 4097])


def joined(c):
    """concatenate and stack"""
    for rng, dtype in each(c, "joined", 4):
        for draw in range(4):
            ndim = int(rng.choice([1, 1, 2, 3]))
            shape = small_shape(rng, ndim)
            axis = draw_axis(rng, ndim)
            parts = []
            for k in range(int(rng.choice([1, 2, 3, 5, 8, 15]))):
                one = list(shape)
                if axis != EVERY_AXIS:
                    one[axis] = (int(rng.choice([0, 1, 2, 5, 16, 33, 257])) if ndim == 1 or rng.random() < 0.5
                                 else shape[axis])
                elif rng.random() < 0.5:
                    one = list(draw_shape(rng, int(rng.integers(0, 3)), [257]))
                other = dtype if draw < 3 or k % 2 else dtype_of(str(rng.choice(list("bhefF"))))
                parts.append(c.array(rng, one, other, "mixed" if other == dtype and draw < 3 else "finite"))
            values = [p.array() for p in parts]
            c.call(
                "concatenate",
                parts,
                [axis],
                np.concatenate(values, axis=numpy_axis(axis)),
                rng=rng,
                how=c.how(rng),
                label=f"{len(parts)} axis {axis}",
            )
            if axis == EVERY_AXIS:
                continue
            axis = int(rng.integers(-ndim - 1, ndim + 1))
            parts = [c.array(rng, shape, dtype, "mixed") for k in range(int(rng.choice([1, 2, 3, 7])))]
            c.call(
                "stack",
                parts,
                [axis],
                np.stack([p.array() for p in parts], axis),
                rng=rng,
                how=c.how(rng),
                label=f"{len(parts)} axis {axis}",
            )
    rng = c.group("joined", "promoted")  # promotion is not associative
    for kinds in ("bBe", "hHf", "bHe", "HbF", "Hhe", "bQf", "qe", "?be"):
        parts = [c.array(rng, (3,), dtype_of(letter), "finite") for letter in kinds]
        c.call("concatenate", parts, [0], np.concatenate([p.array() for p in parts]), label=kinds)
    rng = c.group("joined", "refused")
    f = [c.array(rng, s, np.dtype("f4")) for s in ((2, 3), (2, 4), (3, 3), (2, 3, 1), ())]
    c.refuse("concatenate", [f[0], f[1]], [0], SHAPE)
    c.refuse("concatenate", [f[0], f[3]], [0], SHAPE)
    c.refuse("concatenate", [f[4], f[4]], [0], SHAPE)
    c.refuse("concatenate", [f[0], f[2]], [2], AXIS)
    c.refuse("stack", [f[0], f[2]], [0], SHAPE)
    c.refuse("stack", [f[0], f[0]], [3], AXIS)
    out = c.array(rng, (4, 3), np.dtype("i4"), layout=c.layout(rng, 2, True))
    c.refuse("concatenate", [f[0], f[0]], [0], DTYPE, [out], label="into i")


def parted(c):
    """split and similar functions: views"""
    rng = c.group("parted")
    for turn in range(6 * c.scale):
        ndim = int(rng.choice([1, 2, 3]))
        shape = small_shape(rng, ndim)
        axis = draw_axis(rng, ndim, False)
        x = c.array(rng, shape, dtype_of(str(rng.choice(list(ALL)))), "mixed")
        value, sections = x.array(), int(rng.choice([1, 2, 3, 4, 5, 7]))
        c.call("array_split", [x], [sections, axis], np.array_split(value, sections, axis),
               label=f"{sections} axis {axis}")
        if shape[axis] % sections == 0:
            c.call("split", [x], [sections, axis], np.split(value, sections, axis), label=f"{sections} axis {axis}")
        else:
            c.refuse("split", [x], [sections, axis], SHAPE, count=sections)
        positions = [int(p) for p in np.sort(rng.integers(-shape[axis] - 1, shape[axis] + 2, int(rng.integers(0, 5))))]
        c.call("split_at", [x], [tuple(positions), axis], np.split(value, positions, axis),
               label=f"{positions} axis {axis}")


def repeated(c):
    for rng, dtype in each(c, "repeated", 3):
        for draw in range(3):
            ndim = int(rng.choice([0, 1, 1, 2, 3]))
            shape = small_shape(rng, ndim)
            axis = draw_axis(rng, ndim)
            x = c.array(rng, shape, dtype, "mixed")
            value, count = x.array(), int(rng.choice([0, 1, 2, 3, 7]))
            c.call(
                "repeat",
                [x],
                [count, axis],
                np.repeat(value, count, numpy_axis(axis)),
                rng=rng,
                how=c.how(rng),
                label=f"{count} axis {axis}",
            )
            length = value.size if axis == EVERY_AXIS else shape[axis]
            counts = rng.choice([0, 1, 2, 9], length if rng.random() < 0.9 else 1, p=[0.4, 0.3, 0.2, 0.1]).astype(
                str(rng.choice(list("BhiqQ")))
            )
            some = c.of(counts) if rng.random() < 0.6 else Host(c.of(counts).storage, counts.shape)
            c.call(
                "repeat_each",
                [x, some],
                [axis],
                np.repeat(value, counts.astype(np.int64), numpy_axis(axis)),
                rng=rng,
                how=c.how(rng),
                label=f"axis {axis}",
            )
            reps = tuple(int(n) for n in rng.choice([0, 1, 2, 3], int(rng.integers(0, 4)), p=[0.05, 0.35, 0.4, 0.2]))
            if value.size * np.prod(reps, dtype=int) < 9000:
                c.call("tile", [x], [reps], np.tile(value, reps), rng=rng, how=c.how(rng), label=f"{reps}")
    rng = c.group("repeated", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    c.refuse("repeat", [x], [-1, 0], ARGUMENT)
    c.refuse("repeat", [x], [2, 2], AXIS)
    c.refuse("repeat_each", [x, c.of(np.array([1, 2]))], [0], SHAPE)
    c.refuse("repeat_each", [x, c.of(np.array([1, -2, 1]))], [0], ARGUMENT)
    c.refuse("repeat_each", [x, c.of(np.array([1.0, 2, 1]))], [0], DTYPE)


def turned(c):
    """roll and pad"""
    for rng, dtype in each(c, "turned", 3):
        for draw in range(4):
            ndim = int(rng.choice([1, 1, 2, 3]))
            shape = small_shape(rng, ndim)
            axis = draw_axis(rng, ndim)
            x = c.array(rng, shape, dtype, "mixed")
            value, shift = x.array(), int(rng.choice([0, 1, -1, 2, 5, -17, 300, -1000001, 2**40]))
            c.call(
                "roll", [x], [shift, axis], np.roll(value, shift, numpy_axis(axis)), rng=rng, how=c.how(rng),
                label=f"{shift} axis {axis}"
            )
            count = int(rng.integers(1, ndim + 1))
            axes = tuple(int(a) - (ndim if rng.random() < 0.3 else 0) for a in rng.permutation(ndim)[:count])
            shifts = tuple(int(s) for s in rng.integers(-9, 10, count))
            c.call(
                "roll_axes",
                [x],
                [shifts, axes_param(axes, False)],
                np.roll(value, shifts, axes),
                rng=rng,
                how=c.how(rng),
                label=f"{shifts} axes {axes}",
            )
            one = rng.random() < 0.3
            before, after = (
                tuple(int(n) for n in rng.choice([0, 1, 2, 5, 40], 1 if one else ndim, p=[0.3, 0.3, 0.2, 0.15, 0.05]))
                for _ in "ba"
            )
            mode = int(rng.integers(5))
            widths = [(b, a) for b, a in zip(before * (ndim if one else 1), after * (ndim if one else 1))]
            padded = [n + b + a for n, (b, a) in zip(shape, widths)]
            if np.prod(padded, dtype=int) > 20000:
                continue
            if mode and any(n == 0 and b + a for n, (b, a) in zip(shape, widths)):
                c.refuse("pad", [x], [before, after, mode], SHAPE, label=PAD[mode])
            else:
                c.call(
                    "pad",
                    [x],
                    [before, after, mode],
                    np.pad(value, widths, PAD[mode]),
                    rng=rng,
                    how=c.how(rng),
                    label=f"{before} {after} {PAD[mode]}",
                )
            number = {"b": True, "i": -3, "u": 7, "f": 2.5, "c": 1 - 2j}[dtype.kind]
            c.call(
                "pad_constant",
                [x],
                [before, after, Weak(number)],
                np.pad(value, widths, "constant", constant_values=number),
                rng=rng,
                how=c.how(rng),
                label=f"{before} {after}",
            )
        x = c.array(rng, small_shape(rng, 1), dtype, "mixed", layout=c.layout(rng, 1, True))
        c.call("roll", [x], [3, 0], np.roll(x.array(), 3), results=[x], label="in place")
    rng = c.group("turned", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    c.refuse("roll", [x], [1, 2], AXIS)
    c.refuse("roll_axes", [x], [(1, 2, 3), axes_param((0, 1), False)], ARGUMENT)
    for shifts, axes in (((1, 2), (0, 0)), ((1, 2, -1), (1, 0, -1)), ((1,), (0, 1)), ((1, 1), (1,)), ((), ()),
                         ((1,), ())):
        c.call("roll_axes", [x], [shifts, axes_param(axes, False)], np.roll(x.array(), shifts, axes),
               label=f"{shifts} axes {axes}")
    c.refuse("pad", [x], [(1, 1, 1), (1, 1, 1), 0], SHAPE)
    c.refuse("pad", [x], [(-1, 1), (1, 1), 0], SHAPE)


def matrices(c):
    for rng, dtype in each(c, "matrices", 2):
        for draw in range(3):
            shape = tuple(int(n) for n in rng.choice([0, 1, 2, 3, 5, 16, 17, 33, 65], 2, p=[0.02] + [0.1225] * 8))
            shape = ((int(rng.integers(1, 4)),) if rng.random() < 0.3 else ()) + shape
            x = c.array(rng, shape, dtype, "mixed")
            for name in ("tril", "triu"):
                k = int(rng.choice([0, 0, 1, -1, 3, -7, 40, -100]))
                c.call(name, [x], [k], getattr(np, name)(x.array(), k), rng=rng, how=c.how(rng), label=f"{k}")
            x = c.array(rng, (int(rng.choice([0, 1, 2, 17, 63])),), dtype, "mixed")
            k = int(rng.choice([0, 1, -3]))
            c.call("tril", [x], [k], np.tril(x.array(), k), rng=rng, how=c.how(rng), label=f"{k} of one axis")
            c.call("triu", [x], [k], np.triu(x.array(), k), rng=rng, how=c.how(rng), label=f"{k} of one axis")
            c.call("diag", [x], [k], np.diag(x.array(), k), rng=rng, how=c.how(rng), label=f"{k}")
            rows, columns, k = int(rng.integers(0, 40)), int(rng.integers(1, 40)), int(rng.integers(-5, 6))
            columns *= rows > 0  # 0 columns means as many as rows
            c.call(
                "eye",
                [],
                [number_of(dtype), rows, columns, k],
                np.eye(rows, columns, k, dtype),
                wide=dtype.char in "dD",
                label=f"{dtype.char} {rows} {columns} {k}",
            )
    rng = c.group("matrices", "refused")
    c.refuse("tril", [c.array(rng, (), np.dtype("f4"))], [0], SHAPE)
    c.refuse("diag", [c.array(rng, (3, 4), np.dtype("f4"))], [0], SHAPE)


def stacked(c):
    """vstack, hstack, dstack, column_stack, append, resize"""
    functions = [np.vstack, np.hstack, np.dstack, np.column_stack]
    for rng, dtype in each(c, "stacked", 2):
        for draw in range(4):
            ndim = int(rng.choice([0, 1, 1, 2, 3]))
            shape = small_shape(rng, ndim)
            parts = [c.array(rng, shape, dtype, "mixed") for _ in range(int(rng.choice([1, 2, 3, 7])))]
            if draw == 3 and ndim == 1:  # rows and columns next to a matrix
                parts.append(c.array(rng, (shape[0], 2), dtype, "mixed"))
            which = 3 if draw == 3 else draw
            c.call("joined", parts, [which], functions[which]([p.array() for p in parts]), rng=rng, how=c.how(rng),
                   label=functions[which].__name__)
            axis = draw_axis(rng, ndim)
            x, longer = parts[0], list(shape)
            if axis != EVERY_AXIS:
                longer[axis] = int(rng.choice([0, 1, 5]))
            other = c.array(rng, longer, dtype if draw else np.dtype("f4"), "finite")
            c.call("append", [x, other], [axis], np.append(x.array(), other.array(), numpy_axis(axis)), rng=rng,
                   how=c.how(rng), label=f"axis {axis}")
            to = tuple(int(n) for n in rng.integers(0, 40, int(rng.integers(0, 3))))
            c.call("resize", [x], [to], np.resize(x.array(), to), rng=rng, how=c.how(rng), label=str(to))
    rng = c.group("stacked", "refused")
    f = [c.array(rng, s, np.dtype("f4")) for s in ((2, 3), (4,), (2,))]
    c.call("append", [f[1], Weak(2.5)], [EVERY_AXIS], np.append(f[1].array(), np.float32(2.5)), label="a number")
    c.refuse("joined", [f[0], f[1]], [0], SHAPE)
    c.refuse("joined", [f[0], f[1]], [3], SHAPE)
    c.refuse("append", [f[0], f[1]], [0], SHAPE)
    c.refuse("resize", [f[0]], [(-1, 2)], SHAPE)


def edited(c):
    """insert, delete, trim_zeros"""
    for rng, dtype in each(c, "edited", 2):
        for draw in range(4):
            ndim = int(rng.choice([1, 1, 2, 3]))
            shape = small_shape(rng, ndim)
            axis = draw_axis(rng, ndim)
            x = c.array(rng, shape, dtype, "mixed")
            value = x.array()
            length = value.size if axis == EVERY_AXIS else shape[axis]
            rest = (() if axis == EVERY_AXIS else shape)
            one = int(rng.integers(-length, length + 1))
            many = rng.integers(-length, length + 1, int(rng.choice([0, 1, 2, 9, 40])))
            many = many.astype(str(rng.choice(["i8", "i4"])))
            full = list(rest) or [many.size]
            full[0 if axis == EVERY_AXIS else axis] = many.size
            values = c.array(rng, full if draw % 2 else (1,), dtype, "finite")
            c.call("insert", [x, c.of(many), values], [axis],
                   np.insert(value, many.astype(np.int64), values.array(), numpy_axis(axis)), rng=rng, how=c.how(rng),
                   label=f"{many.size} axis {axis}")
            slices = c.array(rng, () if draw % 2 or axis == EVERY_AXIS else
                             [n for d, n in enumerate(shape) if d != axis % ndim], dtype, "finite")
            c.call("insert", [x, Weak(one), slices], [axis], np.insert(value, one, slices.array(), numpy_axis(axis)),
                   rng=rng, how=c.how(rng), label=f"{one} axis {axis}")
            if length == 0:
                continue
            one = int(rng.integers(-length, length))
            c.call("delete", [x, Weak(one)], [axis], np.delete(value, one, numpy_axis(axis)), rng=rng, how=c.how(rng),
                   label=f"{one} axis {axis}")
            many = rng.integers(-length, length, int(rng.choice([0, 1, 9, 40]))).astype(str(rng.choice(["i8", "i4"])))
            c.call("delete", [x, c.of(many)], [axis], np.delete(value, many.astype(np.int64), numpy_axis(axis)),
                   rng=rng, how=c.how(rng), label=f"{many.size} axis {axis}")
        sides = int(rng.integers(4))
        kept = c.array(rng, (int(rng.choice([1, 2, 40])),), dtype, "finite").array()
        ends = [np.zeros(int(n), dtype) for n in rng.choice([0, 1, 3, 300], 2)]
        x = c.of(np.concatenate([ends[0], kept if rng.random() < 0.8 else kept[:0], ends[1]]))
        trim = ("" if sides & 1 else "f") + ("" if sides & 2 else "b")
        if trim and x.array().size:
            c.call("trim_zeros", [x], [sides & 1, sides & 2], np.trim_zeros(x.array(), trim), label=trim)
    rng = c.group("edited", "refused")
    x, two = c.array(rng, (3, 4), np.dtype("f4")), c.array(rng, (2,), np.dtype("f4"))
    for name, more in (("insert", [two]), ("delete", [])):
        c.refuse(name, [x, Weak(5), *more], [0], INDEX)
        c.refuse(name, [x, c.of(np.array([0, -4])), *more], [0], INDEX)
        c.refuse(name, [x, two, *more], [0], DTYPE)
        c.refuse(name, [x, Weak(1), *more], [2], AXIS)
    c.refuse("insert", [x, Weak(1), two], [0], SHAPE)
    c.refuse("insert", [c.of(np.arange(5)), Weak(1), two], [0], DTYPE)
    c.refuse("trim_zeros", [x], [0, 0], SHAPE)


def indices_of_triangles(c):
    for turn in range(2 * c.scale):
        rng = c.group("triangles", turn)
        for draw in range(6):
            rows, columns = int(rng.integers(0, 40)), int(rng.integers(1, 40))
            columns *= rows > 0
            k = int(rng.choice([0, 0, 1, -1, 7, -9, 100, -100]))
            for name in ("tril_indices", "triu_indices"):
                c.call(name, [], [rows, columns, k], [i.astype(np.int64) for i in getattr(np, name)(rows, k, columns)],
                       rng=rng, how=["new", "out"][draw % 2], label=f"{rows} {columns} {k}")
            places = np.nonzero(np.eye(rows, columns, k)) if draw % 3 else np.diag_indices(rows)
            c.call("diag_indices", [], [rows, columns, k] if draw % 3 else [rows, 0, 0],
                   [i.astype(np.int64) for i in places], rng=rng, label=f"{rows} {columns} {k}")
            dtype = dtype_of(str(rng.choice(list(ALL))))
            c.call("tri", [], [number_of(dtype), rows, columns, k], np.tri(rows, columns, k, dtype),
                   wide=dtype.char in "dD", label=f"{dtype.char} {rows} {columns} {k}")


def indices_of_elements(c):
    for turn in range(c.scale):
        rng = c.group("indices", turn)
        for draw in range(6):
            shape = tuple(int(n) for n in rng.integers(0, 6, draw % 4 + 1))
            dtype = dtype_of("qifDBe"[draw])
            c.call("indices", [], [number_of(dtype), shape], np.indices(shape, dtype), rng=rng,
                   how=["new", "out"][draw % 2], wide=dtype.char in "dD", label=f"{dtype.char} {shape}")


def slopes(c):
    """gradient, unwrap, ediff1d, and diff with more at the ends. Results are compared with NumPy's of f64."""
    for turn in range(c.scale):
        for letter in c.each("bhiQefdFD"):
            rng = c.group("slopes", letter, turn)
            dtype = dtype_of(letter)
            result = dtype if dtype.kind in "fc" else np.dtype("f8")
            unit = float(np.finfo(result).eps)
            for draw in range(4):
                ndim = int(rng.choice([1, 1, 2, 3]))
                shape = [max(n, 3) for n in small_shape(rng, ndim)]
                axis, edge = draw_axis(rng, ndim, False), 1 + draw % 2
                x = c.array(rng, shape, dtype, "finite")
                value = x.array().astype(np.complex128 if dtype.kind == "c" else np.float64)
                top = float(np.abs(value).max())
                spacing = float(rng.choice([0, 0.5, 3]))
                c.call("gradient", [x], [axis, spacing, edge],
                       np.gradient(value, spacing or 1, axis=axis, edge_order=edge).astype(result),
                       (2, True, 8 * unit * top / (spacing or 1)), rng=rng, how=c.how(rng), wide=result == "f8",
                       label=f"{spacing} {edge}")
                places = np.cumsum(rng.integers(1, 4, shape[axis])).astype("f4")
                c.call("gradient", [x, c.of(places)], [axis, 0, edge],
                       np.gradient(value, places.astype("f8"), axis=axis, edge_order=edge).astype(result),
                       (2, True, 16 * unit * top), rng=rng, how=c.how(rng), wide=result == "f8", label=f"uneven {edge}")
                if dtype.kind != "c":
                    turns = c.of((rng.standard_normal(shape) * 4).astype(dtype) if dtype.kind == "f"
                                 else rng.integers(0, 100, shape).astype(dtype))
                    period, discont = float(rng.choice([0, 5])), float(rng.choice([0, 4]))
                    wanted = np.unwrap(turns.array().astype("f8"), discont or None, axis, period=period or 2 * np.pi)
                    far = float(np.abs(wanted).max())
                    if letter != "e":  # a jump of nearly half a period may be rounded to the other side
                        c.call("unwrap", [turns], [axis, period, discont], wanted.astype(result),
                               (4, True, 64 * unit * far), rng=rng, how=c.how(rng), wide=result == "f8",
                               label=f"{period} {discont}")
    for turn in range(c.scale):
        for letter in c.each("bHqfdF"):
            rng = c.group("ends", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(4):
                ndim = int(rng.choice([1, 2, 3]))
                shape = small_shape(rng, ndim)
                axis, n = draw_axis(rng, ndim, False), int(rng.choice([1, 2]))
                x = c.array(rng, shape, dtype, "finite")
                ends = []
                for _ in range(2):
                    one = list(shape)
                    one[axis] = int(rng.integers(1, 4))
                    ends.append(c.array(rng, one if rng.random() < 0.6 else (), dtype, "finite"))
                named = {key: end.array() for key, end, bit in zip(("prepend", "append"), ends, (1, 2)) if draw & bit}
                given = [end for end, bit in zip(ends, (1, 2)) if draw & bit]
                c.call("diff_between", [x, *given], [draw, n, axis], np.diff(x.array(), n, axis, **named),
                       (0, False, 0.0), rng=rng, how=c.how(rng), label=f"{n} axis {axis}")
                named = {key: end.array() for key, end, bit in zip(("to_begin", "to_end"), ends, (1, 2)) if draw & bit}
                c.call("ediff1d", [x, *given], [draw], np.ediff1d(x.array(), **named), (0, False, 0.0), rng=rng,
                       how=c.how(rng))
    rng = c.group("slopes", "refused")
    x = c.array(rng, (2, 1), np.dtype("f4"))
    c.refuse("gradient", [x], [0, 0, 2], SHAPE)
    c.refuse("gradient", [x], [1, 0, 1], SHAPE)
    c.refuse("gradient", [x], [0, 0, 3], ARGUMENT)
    c.refuse("gradient", [x, c.of(np.arange(3.0))], [0, 0, 1], SHAPE)
    c.refuse("gradient", [x, c.of(np.arange(2.0))], [0, 1, 1], ARGUMENT)
    c.refuse("gradient", [c.array(rng, (3,), np.dtype("?"))], [0, 0, 1], DTYPE)
    c.refuse("unwrap", [c.array(rng, (3,), np.dtype("F"))], [0, 0, 0], DTYPE)
    c.refuse("unwrap", [x], [0, -1, 0], ARGUMENT)
    c.refuse("ediff1d", [c.array(rng, (3,), np.dtype("?"))], [0], DTYPE)
    c.refuse("diff_between", [c.array(rng, (2, 3), np.dtype("f4")), c.array(rng, (1, 2), np.dtype("f4"))], [1, 1, 0],
             SHAPE)


def differences(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("diff", letter, turn)
            for draw in range(4):
                ndim = int(rng.choice([1, 1, 2, 3]))
                shape = small_shape(rng, ndim)
                axis = draw_axis(rng, ndim, False)
                n = int(rng.choice([1, 1, 2, 3]))
                x = c.array(rng, shape, dtype_of(letter), "mixed" if rng.random() < 0.7 else "finite")
                with np.errstate(all="ignore"):
                    result = np.diff(x.array(), n, axis)
                c.call("diff", [x], [n, axis], result, (0, False, 0.0), rng=rng, how=c.how(rng),
                       label=f"{n} axis {axis}")
    rng = c.group("diff", "refused")
    x = c.array(rng, (3,), np.dtype("f4"))
    c.refuse("diff", [x], [-1, 0], ARGUMENT)
    c.refuse("diff", [x], [1, 1], AXIS)
    c.refuse("diff", [c.array(rng, (), np.dtype("f4"))], [1, 0], AXIS)


def packed(c):
    """packbits and unpackbits"""
    rng = c.group("packed")
    for turn in range(c.scale):
        for letter in c.each("?bBhHiIqQ"):
            rng = c.group("packbits", letter, turn)
            for draw in range(4):
                ndim = int(rng.choice([0, 1, 1, 2, 3]))
                shape, axis, little = small_shape(rng, ndim), draw_axis(rng, ndim), int(rng.integers(2))
                x = c.array(rng, shape, dtype_of(letter), "few")
                answer = np.packbits(x.array(), numpy_axis(axis), "little" if little else "big")
                c.call("packbits", [x], [axis, little], answer, rng=rng, how=c.how(rng),
                       label=f"axis {axis} little {little}")
        rng = c.group("unpackbits", turn)
        for draw in range(12):
            ndim = int(rng.choice([0, 1, 1, 2, 3]))
            shape, axis, little = small_shape(rng, ndim), draw_axis(rng, ndim), int(rng.integers(2))
            x = c.array(rng, shape, np.dtype("u1"), "mixed")
            value = x.array()
            bits = 8 * (value.size if axis == EVERY_AXIS else shape[axis])
            count = [None, 1, bits - 3, bits + 11, -5, 1 - bits][int(rng.integers(6))]
            count = count or None
            label = f"{count} axis {axis} little {little}"
            params = [count or 0, axis, little]
            if count is not None and count < 0 and bits + count < 0:
                c.refuse("unpackbits", [x], params, ARGUMENT, label=label)
                continue
            if count is not None and count > bits == 0:  # NumPy 2.4 does not fill the result
                continue
            answer = np.unpackbits(value, numpy_axis(axis), count, "little" if little else "big")
            c.call("unpackbits", [x], params, answer, rng=rng, how=c.how(rng), label=label)
    rng = c.group("packed", "refused")
    c.refuse("packbits", [c.array(rng, (3, 4), np.dtype("f4"))], [0, 0], DTYPE)
    c.refuse("packbits", [c.array(rng, (3, 4), np.dtype("?"))], [2, 0], AXIS)
    c.refuse("unpackbits", [c.array(rng, (3, 4), np.dtype("i1"))], [0, 0, 0], DTYPE)
    c.refuse("unpackbits", [c.array(rng, (3, 4), np.dtype("u1"))], [-25, 0, 0], ARGUMENT)


def views(c):
    """Functions that only rearrange the axes."""
    rng = c.group("views")
    for turn in range(15 * c.scale):
        ndim = int(rng.choice([2, 2, 3, 4]))
        x = c.array(rng, draw_shape(rng, ndim, [257]), dtype_of(str(rng.choice(list(ALL)))), "mixed")
        value = x.array()
        a, b = (int(n) - (ndim if rng.random() < 0.3 else 0) for n in rng.permutation(ndim)[:2])
        k = int(rng.integers(-5, 6))
        c.call("moveaxis", [x], [a, b], np.moveaxis(value, a, b), label=f"{a} {b}")
        c.call("swapaxes", [x], [a, b], np.swapaxes(value, a, b), label=f"{a} {b}")
        c.call("rot90", [x], [k, a, b], np.rot90(value, k, (a, b)), label=f"{k} {a} {b}")
        c.call("diagonal", [x], [k, a, b], np.diagonal(value, k, a, b), label=f"{k} {a} {b}")
        arrays = [
            c.array(rng, (int(rng.integers(0, 7)),) if rng.random() < 0.9 else (),
                    np.dtype(str(rng.choice(["f4", "i4", "u1"]))))
            for _ in range(int(rng.integers(1, 4)))
        ]
        xy, sparse = int(rng.integers(2)), bool(rng.integers(2))
        c.call("meshgrid", arrays, [xy, sparse],
               list(np.meshgrid(*[o.array() for o in arrays], indexing=["xy", "ij"][xy], copy=False, sparse=sparse)),
               label=["xy", "ij"][xy] + (" sparse" if sparse else ""))
        some = [c.array(rng, shape, np.dtype("i4"))
                for shape in [(3, 1), (4,), (), (2, 3, 4)][: int(rng.integers(1, 5))]]
        c.call("broadcast_arrays", some, [], list(np.broadcast_arrays(*[o.array() for o in some])))
        x = c.array(rng, draw_shape(rng, int(rng.integers(0, 5)), [257]), dtype_of(str(rng.choice(list(ALL)))), "mixed")
        for count, function in enumerate((np.atleast_1d, np.atleast_2d, np.atleast_3d), 1):
            c.call("at_least", [x], [count], function(x.array()), label=str(count))
        x = c.array(rng, draw_shape(rng, int(rng.integers(0, 4)), [257]), dtype_of(str(rng.choice(list("fFD")))),
                    "mixed")
        c.call("view_part", [x], [0], x.array().real, label="real")
        if x.array().dtype.kind == "c":
            c.call("view_part", [x], [1], x.array().imag, label="imag")
        else:
            c.refuse("view_part", [x], [1], DTYPE)
    x = c.array(rng, (3, 4), np.dtype("f4"))
    for name, params in (
        ("moveaxis", [2, 0]),
        ("swapaxes", [0, -3]),
        ("rot90", [1, 0, 0]),
        ("rot90", [1, 1, -1]),
        ("diagonal", [0, 1, -1]),
        ("diagonal", [0, 0, 2]),
    ):
        c.refuse(name, [x], params, AXIS, label=str(params))


def make(c):
    joined(c)
    parted(c)
    repeated(c)
    turned(c)
    matrices(c)
    stacked(c)
    edited(c)
    indices_of_triangles(c)
    indices_of_elements(c)
    differences(c)
    slopes(c)
    packed(c)
    views(c)

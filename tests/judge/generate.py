# SPDX-License-Identifier: MIT
"""Makes the cases of ufuncs: calls, and NumPy's results.

  matrix       every function with each of its dtypes: all pairs of special values, and random ones
  layouts      some functions with shapes, strides, broadcasting and results of every kind
  resolution   result dtypes for every combination of dtypes and weak scalars
  refusals     calls that must be refused
"""
import itertools

import numpy as np

import reference
from layouts import LARGE, PERIOD, PLAIN, SIZES, Layout, draw_offset, draw_shape
from record import DTYPE, LAYOUT, OK, OVERFLOW, SHAPE, END, File, Host, HostResult, Storage, View, Weak
from reference import TABLE
from values import dtype_of, generator, number_of, series

def needs_fp64(dtypes):
    return any(d in (np.dtype("f8"), np.dtype("c16")) for d in dtypes)


def kind_of(place):
    if isinstance(place, Weak):
        return {"b": bool, "f": float, "c": complex}.get(place.dtype.kind, int)
    return place.array().dtype


class Maker:
    def __init__(self, file, seed):
        self.file, self.seed = file, seed

    def answers(self, name, operands):
        """(letter, result arrays) by NumPy's rules."""
        given, results = reference.resolve(name, [kind_of(o) for o in operands])
        codes = TABLE[name]["operands"]
        cast = []
        for place, dtype in zip(operands, given):
            value = np.asarray(place.value) if isinstance(place, Weak) else place.array()
            # a bound beyond the dtype has no effect
            if name == "clip" and isinstance(place, Weak) and dtype.kind in "iu":
                value = np.asarray(min(max(int(place.value), np.iinfo(dtype).min), np.iinfo(dtype).max), dtype)
            with np.errstate(all="ignore"):
                cast.append(value.astype(dtype))
        typed = [d for d, c in zip(given, codes) if c == "T"]
        letter = typed[0].char.replace("l", "q").replace("L", "Q")
        if len(set(typed)) > 1:  # i64 with u64 is compared exactly
            with np.errstate(all="ignore"):
                out = [reference.numpy_function(name)(*cast)]
        else:
            out = reference.compute(name, letter, cast)
        for got, expected in zip(out, results):
            assert got.dtype == expected, (name, letter, got.dtype, expected)
        return letter, out, needs_fp64(list(given) + list(results))

    def call(self, name, operands, results=None, label=""):
        """One call that succeeds."""
        results = results or [None] * len(TABLE[name]["results"])
        letter, answers, wide = self.answers(name, operands)
        tolerances, stored = [], []
        for place, answer in zip(results, answers):
            target = answer.dtype
            if isinstance(place, View):
                whole = place.storage.values.copy()
                view = place.of(whole)
                assert np.shares_memory(view, whole) or view.size == 0
                target = whole.dtype
                with np.errstate(all="ignore"):
                    view[...] = np.broadcast_to(answer, view.shape)
                stored.append((whole.dtype, view.shape, whole))
            elif isinstance(place, HostResult):
                target = place.dtype
                with np.errstate(all="ignore"):
                    stored.append((place.dtype, place.shape, np.broadcast_to(answer, place.shape).astype(place.dtype)))
            else:
                stored.append((answer.dtype, answer.shape, answer))
            wide |= needs_fp64([target])
            tolerances.append(reference.tolerance(name, letter, target if target.kind in "fc" else answer.dtype))
        self.file.add_values(name, label or letter, OK, wide, tolerances, results, operands, stored)

    def refuse(self, name, operands, status, results=None, label=""):
        results = results or [None] * len(TABLE[name]["results"])
        self.file.add_values(name, label, status, False, [(0, 0)] * len(results), results, operands, [])

    # ---- matrix ----

    def matrix(self, name, letter):
        row = TABLE[name]
        t = dtype_of(letter)
        code = {"T": t, "?": np.dtype(bool), "i": np.dtype("int32"), "K": np.dtype("int64")}
        dtypes = [code[c] for c in row["operands"]]
        values = suit(name, letter, series(self.seed, dtypes))
        self.call(name, [View(Storage(v)) for v in values], label=f"matrix {letter}")

    # ---- resolution ----

    def resolution(self, name):
        row = TABLE[name]
        operands, results = len(row["operands"]), len(row["results"])
        strong = [dtype_of(c) for c in "?bhiqBHIQefdFD"]
        weak = [bool, int, float, complex]
        code = {bool: 0x81, int: 0x85, float: 0x8c, complex: 0x8e}
        if operands <= 2:
            combinations = list(itertools.product(strong + weak, repeat=operands))
        else:
            rng = generator(self.seed, name)
            both = strong + weak
            combinations = [tuple(both[i] for i in rng.integers(0, len(both), operands)) for _ in range(400)]
            combinations += [(d,) * operands for d in strong]
        rows = []
        for kinds in combinations:
            if not any(isinstance(k, np.dtype) for k in kinds) or unsaid(name, kinds):
                continue
            resolved = reference.resolve(name, kinds)
            answer = [number_of(d) for d in resolved[1]] if resolved else [0] * results
            codes = [number_of(k) if isinstance(k, np.dtype) else code[k] for k in kinds]
            wide = bool(resolved) and needs_fp64(resolved[0] + resolved[1])
            # NumPy makes bools of both; Weft compares in the dtype that holds both arrays
            if name.startswith("logical_"):
                strong = [k for k in kinds if isinstance(k, np.dtype)]
                wide |= needs_fp64(strong + [np.result_type(*strong)])
            rows.append(codes + answer + [wide])
        self.file.add_resolution(name, results, operands, rows)


def unsaid(name, kinds):
    """Combinations in which Weft differs from NumPy: there, ldexp of a weak integer is f16 if the dtype of the power of
    2 is a narrow one."""
    return name == "ldexp" and kinds[0] in (bool, int)


def suit(name, letter, values):
    """Operands for which the function is defined and NumPy's result is no accident."""
    t = dtype_of(letter)
    keep = np.ones(len(values[0]), bool)
    with np.errstate(all="ignore"):
        if name == "pow" and t.kind == "i":
            values[1] = abs(values[1])
            keep &= values[1] >= 0
        if name in ("mad",):
            values = [abs(v) for v in values]
        if name in ("logaddexp", "logaddexp2"):
            values = [abs(values[0]), values[1]]
        if name in ("pown", "rootn"):
            values[1] = values[1] % 41 - 20
        if name == "powr":
            keep &= np.isfinite(values[0]) & np.isfinite(values[1])
            values[0] = abs(values[0])
            keep &= values[0] > 0
        if name == "ldexp":
            values[1] = np.where(abs(values[1]) > 5000, values[1] % 5000, values[1])
        if name in ("ilogb",):
            keep &= np.isfinite(values[0]) & (values[0] != 0)
        if letter in "FD" and name == "sinc":  # NumPy's own is NaN where sin overflows
            keep &= np.isfinite(values[0]) & (abs(values[0].imag) < 20) & (abs(values[0].real) < 1e4)
        if name == "remquo":
            keep &= np.isfinite(values[0]) & np.isfinite(values[1]) & (values[1] != 0)
        if name in ("lgamma", "lgamma_r"):
            keep &= values[0] > 0
        if name in ("j0", "j1", "jn", "y0", "y1"):  # next to a zero the leading digits cancel
            x = abs(values[-1].astype(np.float64))
            result = reference.compute(name, letter, values)[0].astype(np.float64)
            keep &= ~((x > 0.5) & (abs(result) < 0.05 * np.minimum(1, np.sqrt(2 / np.pi / x))) & (result != 0))
        if name in ("beta_function", "betaln"):  # negative operands such that their sum is exact; no sign of infinity
            some = (values[0] < 0) | (values[1] < 0)
            keep &= ~some | (np.isfinite(values[0]) & np.isfinite(values[1]) & (np.maximum(*values) < 100))
            keep &= some | ~(np.maximum(*values) > 1e90) | np.isinf(np.maximum(*values))  # SciPy gives NaN
            values = [np.where(some, np.fmod(np.rint(8 * v), 128) / 8, v).astype(t) for v in values]
        if name == "zeta":  # below 0 most exponents whole; next to a zero of an odd one the leading digits cancel
            below = (values[1] < 0) & (values[1] != np.rint(values[1]))
            whole = below & (np.arange(below.size) % 4 != 0)
            values[0] = np.where(whole, 2 + np.rint(abs(np.fmod(values[0], 19))), values[0]).astype(t)
            values[1] = np.where(below, np.fmod(values[1], 50), values[1]).astype(t)
            q = values[1].astype(np.float64)
            result = reference.compute(name, letter, values)[0].astype(np.float64)
            keep &= ~(whole & (abs(result) < 0.05 * np.minimum(q - np.floor(q), np.ceil(q) - q) ** -values[0]))
        if letter in "FD" and name == "pow":  # an error of the logarithm grows with the exponent
            keep &= ((abs(values[1]) < 16) & (abs(np.log(abs(values[0]))) < 4) | ~np.isfinite(values[0]) |
                     ~np.isfinite(values[1]))
        # NumPy's overflows by infinity times 0, in the wider type; Weft's overflows as exp does
        if letter in "FD" and name == "expm1":
            most = np.log(np.finfo(reference.WIDE[letter]).max)
            keep &= ~(np.isfinite(values[0].real) & (values[0].real > most) & (values[0].imag == 0))
        if letter in "FD" and name == "mul_add":
            real = np.dtype("f4" if letter == "F" else "f8")
            keep &= np.all([np.isfinite(v) for v in values], 0)
            for v in values:
                v.real, v.imag = np.rint(v.real).astype(real), np.rint(v.imag).astype(real)
    return [v[keep] for v in values]


# ---- layouts ----

# functions and their operands' dtypes
LAID_OUT = [("add", "ff"), ("multiply", "hh"), ("subtract", "df"), ("exp", "f"), ("where", "?ff"), ("divmod", "ii"),
            ("less", "BB"), ("add", "ee"), ("add", "DD"), ("add", "bf"), ("maximum", "QB"), ("modf", "d"),
            ("clip", "hhh"), ("negative", "B")]


def targets(dtype):
    """The dtypes that a result of this dtype may be cast to."""
    return [t for t in map(dtype_of, "?bBhHiIqQefdFD") if np.can_cast(dtype, t, "same_kind")]


class Layouts(Maker):
    def values(self, name, letters):
        return suit(name, letters[-1], series(self.seed, [dtype_of(c) for c in letters], PERIOD))

    def flat(self, name, letters):
        """Runs of every size, from and to every offset."""
        rng = generator(self.seed, name, letters, "flat")
        values = self.values(name, letters)
        results = reference.resolve(name, [dtype_of(c) for c in letters])[1]
        for size in SIZES + [int(rng.choice(LARGE))]:
            operands = [Layout.view(PLAIN, rng, v, (size,), draw_offset(rng)) for v in values]
            out = None
            if rng.random() < 0.6:
                out = [Layout.view(PLAIN, rng, np.resize(series(self.seed, [d])[0], PERIOD), (size,), draw_offset(rng))
                       for d in results]
            self.call(name, operands, out, label=f"flat {letters} {size}" + (" out" if out else ""))

    def strided(self, name, letters, classes, draws):
        values = self.values(name, letters)
        results = reference.resolve(name, [dtype_of(c) for c in letters])[1]
        for number in range(classes):
            rng = generator(self.seed, name, letters, number)
            ndim = int(rng.choice([0, 1, 2, 3, 4, 8], p=[0.03, 0.27, 0.4, 0.2, 0.08, 0.02]))
            layouts = [Layout(rng, ndim) for _ in values]
            outs = [Layout(rng, ndim, True) for _ in results] if rng.random() < 0.5 else None
            weak = int(rng.integers(len(values))) if len(values) > 1 and rng.random() < 0.15 else None
            for draw in range(draws):
                shape = draw_shape(rng, ndim)
                operands = [l.view(rng, v, shape, draw_offset(rng)) for l, v in zip(layouts, values)]
                if weak is not None:
                    python = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[values[weak].dtype.kind]
                    operands[weak] = Weak(python(draw + 1))
                kinds = [kind_of(o) for o in operands]
                out = None
                if outs:
                    shape = np.broadcast_shapes(*[o.array().shape for o in operands if isinstance(o, View)])
                    same = [l for l in outs if len(l.perm) == len(shape)]
                    if len(same) == len(outs):
                        dtypes = reference.resolve(name, kinds)[1]
                        out = [l.view(rng, np.resize(series(self.seed, [d])[0], PERIOD), shape, draw_offset(rng))
                               for l, d in zip(outs, dtypes)]
                self.call(name, operands, out, label=f"layout {letters} {number} {shape}" + (" out" if out else ""))

    def in_place(self, name, letters):
        """The result is one of the operands, or overlaps them."""
        rng = generator(self.seed, name, letters, "place")
        values = self.values(name, letters)
        for size in (1, 5, 16, 257, 4097):
            operands = [Layout.view(PLAIN, rng, v, (size,), draw_offset(rng)) for v in values]
            self.call(name, operands, [View(operands[0].storage, operands[0].steps)],
                      label=f"in place {letters} {size}")
            for shift in (1, 3):
                storage = Storage(values[0], size + shift)
                behind = View(storage, [("s", (0, shift, size + shift, 1))])
                before = View(storage, [("s", (0, 0, size, 1))])
                for source, target in ((before, behind), (behind, before)):
                    self.call(name, [source] + operands[1:], [target], label=f"overlapping {letters} {size} {shift}")
            storage = Storage(values[0], size)
            backwards = View(storage, [("s", (0, END, END, -1))])
            self.call(name, [View(storage)] + operands[1:], [backwards], label=f"backwards {letters} {size}")
        for n in (3, 17):
            storage = Storage(values[0], n * n)
            square = View(storage, [("r", (n, n))])
            others = [View(Storage(v, n * n), [("r", (n, n))]) for v in values[1:]]
            self.call(name, [square] + others, [View(storage, [("r", (n, n)), ("t", (1, 0))])],
                      label=f"transposed in place {letters} {n}")
            row = View(storage, [("r", (n, n)), ("s", (0, 1, 2, 1))])
            if others:
                self.call(name, [row] + others, [View(storage, [("r", (n, n))])],
                          label=f"a row of the result {letters} {n}")

    def casts(self, letters):
        """Results of another dtype of the same kind, by a cast; with values, and for all dtypes without values."""
        rng = generator(self.seed, "casts")
        for letter in letters:
            t = dtype_of(letter)
            values = series(self.seed, [t, t], PERIOD)
            if t.kind in "fc":  # values too large for an integer have no defined cast
                values = [np.where(np.isfinite(v), v, 0).astype(t) for v in values]
            others = [d for d in targets(t) if d != t]
            for d in rng.choice(np.array(others, object), min(3, len(others)), replace=False):
                for size in (1, 17, 256):
                    out = Layout.view(PLAIN, rng, np.resize(series(self.seed, [d])[0], PERIOD), (size,),
                                      draw_offset(rng))
                    operands = [Layout.view(PLAIN, rng, v, (size,), draw_offset(rng)) for v in values]
                    self.call("add", operands, [out], label=f"cast {letter} to {d.char} {size}")
            for other in "?bBhHiIqQefdFD":
                d = dtype_of(other)
                operands = [View(Storage(v, 0)) for v in values]
                out = [View(Storage(np.zeros(1, d), 0))]
                try:
                    np.add(operands[0].array(), operands[1].array(), out=np.zeros(0, d))
                    self.call("add", operands, out, label=f"cast {letter} to {other}")
                except TypeError:
                    self.refuse("add", operands, DTYPE, out, label=f"cast {letter} to {other}")

    def host(self):
        """Operands and results in host memory, scalars of every kind, calls with scalars only."""
        f, i = self.values("add", "ff"), self.values("multiply", "hh")
        for shape in ((), (1,), (257,), (3, 5), (0, 4)):
            size = int(np.prod(shape, dtype=int))
            on_host = [Host(Storage(v, size), shape) for v in f]
            self.call("add", on_host, label=f"host {shape}")
            self.call("add", on_host, [HostResult("f4", shape)], label=f"host to host {shape}")
            self.call("add", [on_host[0], View(Storage(f[1], size), [("r", shape)])], [HostResult("f8", shape)],
                      label=f"mixed {shape}")
            self.call("multiply", [Host(Storage(i[0], size), shape), Weak(-3)], [HostResult("i1", shape)],
                      label=f"host by -3 {shape}")
        for name, a, b in (("add", 3, 4), ("divide", 7, 2), ("add", 3, 0.5), ("multiply", 2j, 3), ("pow", 2.0, 0.5),
                           ("add", True, False)):
            self.call(name, [Weak(a), Weak(b)], label=f"scalars {a} {b}")
        self.call("add", [Weak(3), Weak(4.5)], [View(Storage(f[0], 12), [("r", (3, 4))])],
                  label="scalars fill a result")

    def refusals(self):
        views = {c: View(Storage(series(self.seed, [dtype_of(c)])[0], 6)) for c in "?bBhHiIqQefdFD"}
        for letter in "bBhHiIqQ":
            info = np.iinfo(dtype_of(letter))
            for number in (info.min, info.max, info.min - 1, info.max + 1, -1, 300, 2**63, 2**64 - 1, -2**63):
                if not -2**63 <= number < 2**64:
                    continue
                label = f"{letter} and {number}"
                empty = View(Storage(views[letter].storage.pool, 0))
                some = View(Storage(views[letter].storage.pool, 2))
                for name in ("add", "bitwise_and"):
                    try:
                        np.add(empty.array(), number)
                        self.call(name, [empty, Weak(number)], label=label)
                    except OverflowError:
                        self.refuse(name, [empty, Weak(number)], OVERFLOW, label=label)
                self.call("where", [View(Storage(np.array([True, False]))), some, Weak(number)], label=label)
                for name in ("logical_and", "logical_or", "logical_xor"):
                    self.call(name, [some, Weak(number)], label=label)
                    self.call(name, [Weak(number), some], label=label)
                for low, high in ((number, 1), (0, number)):
                    operands = [some, Weak(low), Weak(high)]
                    try:
                        np.clip(some.array(), low, high)
                        self.call("clip", operands, label=label)
                    except OverflowError:
                        self.refuse("clip", operands, OVERFLOW, label=label)
        self.call("add", [views["f"], Weak(2**63)], label="f and 2^63")
        rng = generator(self.seed, "shapes")
        values = series(self.seed, [np.dtype("f4")] * 2)
        for number in range(150):
            shapes = [tuple(int(n) for n in rng.choice([0, 1, 2, 3], int(rng.integers(0, 4)))) for _ in range(2)]
            operands = [View(Storage(v, int(np.prod(s, dtype=int))), [("r", s)]) for v, s in zip(values, shapes)]
            try:
                shape = np.broadcast_shapes(*shapes)
                self.call("add", operands, label=f"shapes {shapes[0]} {shapes[1]}")
            except ValueError:
                self.refuse("add", operands, SHAPE, label=f"shapes {shapes[0]} {shapes[1]}")
                continue
            wrong = tuple(int(n) for n in rng.choice([0, 1, 2, 3], int(rng.integers(0, 4))))
            out = View(Storage(values[0], int(np.prod(wrong, dtype=int))), [("r", wrong)])
            if wrong != shape:
                self.refuse("add", operands, SHAPE, [out], label=f"shapes {shapes[0]} {shapes[1]} into {wrong}")
        repeated = View(Storage(values[0], 3), [("b", (2, 3))])
        self.refuse("add", [View(Storage(values[0], 6), [("r", (2, 3))]), Weak(1.0)], LAYOUT, [repeated],
                    label="into a broadcast view")
        storage = Storage(values[0], 8)
        halves = [View(storage, [("s", (0, 0, 5, 1))]), View(storage, [("s", (0, 3, 8, 1))])]
        self.refuse("modf", [View(Storage(values[1], 5))], LAYOUT, halves, label="results that overlap")


def make(seed):
    """A file of cases for this seed."""
    file = File(f"cases of NumPy {np.__version__}, seed {seed}")
    maker = Layouts(file, seed)
    for name in TABLE:
        maker.resolution(name)
    maker.refusals()
    for name, row in TABLE.items():
        for letter in row["types"]:
            maker.matrix(name, letter)
    for name, letters in LAID_OUT:
        maker.flat(name, letters)
        maker.strided(name, letters, 9, 6)
    for name, letters in (("add", "ff"), ("multiply", "hh"), ("exp", "f"), ("negative", "B"), ("add", "df")):
        maker.in_place(name, letters)
    maker.casts("?bBhHiIqQefdFD")
    maker.host()
    return file

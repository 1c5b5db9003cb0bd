# SPDX-License-Identifier: MIT
"""Makes cases: what is called with what, and NumPy's answers.

  matrix       every function with every dtype it has: all pairs of special values, and random ones
  layouts      some functions with shapes, strides, broadcasting and results of every kind
  resolution   result dtypes for every combination of dtypes and weak scalars
  refusals     what must be refused
"""
import itertools

import numpy as np

import reference
from record import DTYPE, LAYOUT, OK, OVERFLOW, SHAPE, END, File, Host, HostResult, Storage, View, Weak
from reference import TABLE
from values import dtype_of, generator, number_of, series

SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 255, 256, 257, 1023, 1025]
LARGE = [4095, 4096, 4097, 20011]


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
            with np.errstate(all="ignore"):
                cast.append(value.astype(dtype))
        typed = [d for d, c in zip(given, codes) if c == "T"]
        letter = typed[0].char.replace("l", "q").replace("L", "Q")
        if len(set(typed)) > 1:  # i64 against u64, compared exactly
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
            rows.append(codes + answer + [bool(resolved) and needs_fp64(resolved[0] + resolved[1])])
        self.file.add_resolution(name, results, operands, rows)


def unsaid(name, kinds):
    """Combinations in which NumPy has no rule of its own to follow."""
    return False


def suit(name, letter, values):
    """Operands that the function is defined for, and NumPy's answer is not an accident."""
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
        if name == "remquo":
            keep &= np.isfinite(values[0]) & np.isfinite(values[1]) & (values[1] != 0)
        if name in ("lgamma", "lgamma_r"):
            keep &= (values[0] > 0) & np.isfinite(values[0]) | (np.isinf(values[0]))
        if letter in "FD" and name == "mul_add":
            real = np.dtype("f4" if letter == "F" else "f8")
            keep &= np.all([np.isfinite(v) for v in values], 0)
            for v in values:
                v.real, v.imag = np.rint(v.real).astype(real), np.rint(v.imag).astype(real)
    return [v[keep] for v in values]


def make(seed, count=None):
    """A file of cases for this seed."""
    file = File(f"cases of NumPy {np.__version__}, seed {seed}")
    maker = Maker(file, seed)
    for name, row in TABLE.items():
        maker.resolution(name)
    for name, row in TABLE.items():
        for letter in row["types"]:
            maker.matrix(name, letter)
    return file

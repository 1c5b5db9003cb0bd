#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the array printer with NumPy's str() and repr() on random arrays.

format_numpy.py DRIVER [--seed N] [--count N] [--torture] [--replay FILE] [--record FILE]

DRIVER is the program made from format_driver.c. With NumPy 2.3 or newer, fresh random cases are made (2.3 changed when
f16 and f32 get an exponent). The recorded cases of data/format_cases.json.gz are checked everywhere and need only the
standard library. --replay checks only the recorded cases of FILE. --record writes fresh cases with NumPy's texts to
FILE, and checks them. --torture adds slow cases: each half alone, and every power of two.
"""

import argparse
import base64
import gzip
import json
import math
import os
import random
import struct
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    np = None

RECORDED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "format_cases.json.gz")
DTYPES = ["none", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "c64", "c128"]
HEADER = struct.Struct("=6iq8q8qqq")
NEVER = -1  # a threshold that no array exceeds, as in weft_print_params
SHOWN_FAILURES = 5


class Case:
    """An array as bytes and strides, its weft_print_params, and NumPy's texts: of str(), of repr()."""

    __slots__ = ("dtype", "shape", "strides", "offset", "data", "params", "texts")

    def __init__(self, dtype, shape, strides, offset, data, params, *texts):
        self.dtype, self.shape, self.strides, self.offset = dtype, shape, strides, offset
        self.data, self.params, self.texts = data, params, texts

    def to_bytes(self):
        precision, threshold, edge_items, line_width, suppress = self.params
        room = [0] * (8 - len(self.shape))
        head = HEADER.pack(DTYPES.index(self.dtype), len(self.shape), precision, edge_items, line_width, suppress,
                           threshold, *self.shape, *room, *self.strides, *room, self.offset, len(self.data))
        return head + self.data

    def to_json(self):
        data = base64.b64encode(self.data).decode("ascii")
        return [self.dtype, self.shape, self.strides, self.offset, data, self.params, *self.texts]

    @staticmethod
    def from_json(fields):
        fields[4] = base64.b64decode(fields[4])
        return Case(*fields)

    def __str__(self):
        names = ("precision", "threshold", "edge_items", "line_width", "suppress")
        params = ", ".join("%s=%d" % pair for pair in zip(names, self.params) if pair[1])
        return "%s%s strides %s offset %d, %s\ndata %s" % (
            self.dtype, list(self.shape), list(self.strides), self.offset, params or "defaults", self.data[:256].hex())


# ---- the driver ----

def run_driver(driver, what, data):
    done = subprocess.run([*driver, what], input=data, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit("format_numpy: %s %s ended with %d" % (" ".join(driver), what, done.returncode))
    return done.stdout


def check_cases(driver, cases):
    """Prints the first few failures; returns their number."""
    data, failures = b"".join(case.to_bytes() for case in cases), 0
    for form, what in enumerate(("cases", "reprs")):
        answer, at = run_driver(driver, what, data), 0
        for case in cases:
            length = struct.unpack_from("=Q", answer, at)[0]
            text = answer[at + 8:at + 8 + length].decode("ascii", "backslashreplace")
            at += 8 + length
            if text == case.texts[form]:
                continue
            failures += 1
            if failures <= SHOWN_FAILURES:
                print("differs (%s): %s\nNumPy:\n%s\nWeft:\n%s\n" % (what, case, case.texts[form], text))
        assert at == len(answer), "the driver answered more than it was asked"
    return failures


def check_halves(driver, rng):
    """Compares weft_f16 conversions with Python's: (cases, failures)."""
    halves = [struct.unpack("=e", struct.pack("=H", bits))[0] for bits in range(0x7c00)]
    values = [math.inf, math.nan, 65519.999, 65520.0, 1e300, 2.0 ** -25, 5e-324, 0.0]
    for low, high in zip(halves, halves[1:] + [65536.0]):
        middle = (low + high) / 2
        values += [low, middle, math.nextafter(middle, 0) if hasattr(math, "nextafter") else low,
                   middle * (1 + 2.0 ** -52)]
    values += [rng.uniform(-1, 1) * 2.0 ** rng.randint(-30, 20) for _ in range(20000)]
    values += [-value for value in values]
    answer = run_driver(driver, "halves", struct.pack("=%dd" % len(values), *values))
    failures = 0
    for index, value in enumerate(values):
        bits, back = struct.unpack_from("=Hd", answer, 10 * index)
        try:
            expected = struct.pack("=e", value)
        except OverflowError:
            expected = struct.pack("=e", math.copysign(math.inf, value))
        exact = struct.pack("=d", struct.unpack("=e", struct.pack("=H", bits))[0])
        good = (math.isnan(value) and math.isnan(back) or struct.pack("=H", bits) == expected and
                struct.pack("=d", back) == exact)
        failures += not good
        if not good and failures <= SHOWN_FAILURES:
            print("half of %r is %04x = %r, not %s" % (value, bits, back, expected.hex()))
    return len(values), failures


def check_sparse(driver):
    expected = """[16843009 16843009 16843009 ... 33686018 33686018 33686018]
[[16843009 ... 16843009]
 ...
 [33686018 ... 33686018]]
[[[1 ... 1]
  ...
  [1 ... 1]]

 ...

 [[1 ... 1]
  ...
  [1 ... 1]]]
-1 none 0 - - -
0 none 0 - - -
1 bool 1 b uchar |b1
2 i8 1 i char |i1
3 i16 2 i short <i2
4 i32 4 i int <i4
5 i64 8 i long <i8
6 u8 1 u uchar |u1
7 u16 2 u ushort <u2
8 u32 4 u uint <u4
9 u64 8 u ulong <u8
10 f16 2 f ushort <f2
11 f32 4 f float <f4
12 f64 8 f double <f8
13 c64 8 c weft_c64 <c8
14 c128 16 c weft_c128 <c16
15 bf16 2 f ushort <V2
16 none 0 - - -
"""
    text = run_driver(driver, "sparse", b"").decode("ascii")
    if text != expected:
        print("sparse differs:\n%s" % text)
    return int(text != expected)


# ---- fresh cases ----

def numpy_dtype(name):
    return np.dtype({"b": "bool", "i": "i", "u": "u", "f": "f", "c": "c"}[name[0]] +
                    (str(int(name[1:]) // 8) if name != "bool" else ""))


def numpy_texts(array, params):
    precision, threshold, edge_items, line_width, suppress = params
    with np.printoptions(precision=8 if precision == 0 else max(precision, 0),
                         threshold=sys.maxsize if threshold < 0 else threshold or 1000,
                         edgeitems=edge_items or 3, linewidth=line_width or 75, suppress=bool(suppress)):
        return str(array), repr(array)


def case_of(base, view, params):
    """`view` is a view of the contiguous `base`, or `base` itself."""
    name = {"b": "bool"}.get(base.dtype.kind, base.dtype.kind + str(base.dtype.itemsize * 8))
    offset = view.__array_interface__["data"][0] - base.__array_interface__["data"][0] if view.size else 0
    return Case(name, list(view.shape), list(view.strides), offset, base.tobytes(), list(params),
                *numpy_texts(view, params))


def finite_type_limits(dtype):
    info = np.finfo(dtype)
    return float(info.max), float(info.tiny), float(info.smallest_subnormal)


def random_bits(rng, dtype, count):
    return np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).copy()


def near(rng, dtype, value, count):
    """Floats within a few units in the last place of `value`."""
    with np.errstate(all="ignore"):
        x = np.full(count, value).astype(dtype)
        unsigned = np.dtype("u%d" % dtype.itemsize)
        bits = x.view(unsigned) + rng.integers(-4, 5, count).astype(np.dtype("i%d" % dtype.itemsize)).view(unsigned)
        return bits.view(dtype)


def random_floats(rng, dtype, count):
    if count == 0:
        return np.empty(0, dtype)
    most, tiny, denormal = finite_type_limits(dtype)
    decades = math.log10(most)
    kind = rng.integers(0, 20)
    signs = rng.choice([-1.0, 1.0], count)
    if kind == 0:
        x = rng.integers(-20, 20, count) * 1.0
    elif kind == 1:
        x = rng.random(count)
    elif kind == 2:
        x = rng.normal(size=count) * 10.0 ** rng.integers(-6, 10)
    elif kind == 3:
        return random_bits(rng, dtype, count)
    elif kind == 4:
        x = signs * 2.0 ** rng.integers(-int(decades * 3.3), int(decades * 3.3) + 1, count)
    elif kind == 5:
        x = signs * 10.0 ** rng.integers(-min(int(decades) + 5, 300), int(decades) + 1, count)
    elif kind == 6:
        return near(rng, dtype, rng.choice([1e3, 1e6, 1e8, 1e16, 1e-4, 1e-5, 999.5, 99999999.5, 9.9999999e-5]), count)
    elif kind == 7:  # the ratio that selects the exponent form
        x = np.concatenate([near(rng, dtype, 10.0 ** rng.integers(-3, 3), (count + 1) // 2).astype("f8"),
                            near(rng, dtype, 10.0 ** rng.integers(-1, 6), count // 2).astype("f8")])
        small = abs(float(x[0])) or 1.0
        x[-1] = small * 1000
        with np.errstate(all="ignore"):
            x = x.astype(dtype)
        x[-1] = near(rng, dtype, x[-1], 1)[0]
        return x
    elif kind == 8:
        x = np.round(rng.normal(size=count) * 10.0 ** rng.integers(0, 5), rng.integers(0, 9))
    elif kind == 9:
        x = denormal * rng.integers(0, 50, count) * signs
    elif kind == 10:
        x = tiny * rng.random(count) * rng.choice([1.0, 2.0, 100.0])
    elif kind == 11:
        return near(rng, dtype, most, count)
    elif kind == 12:  # ties at some decimal place
        x = signs * rng.integers(0, 2 ** 20, count) / 2.0 ** rng.integers(0, 14)
    elif kind == 13:
        x = np.full(count, rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf]))
    elif kind == 14:
        x = rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0], count)
    elif kind == 15:
        x = np.arange(count) * rng.choice([1.0, 3.0, 0.1, 0.5, 1e-3, 1e6])
    elif kind == 16:
        x = signs * rng.integers(0, 2 ** 53, count) / 2.0 ** rng.integers(0, 53)
    elif kind == 17:
        x = signs * (10.0 ** rng.integers(-8, 9, count) - 10.0 ** rng.integers(-16, 0))
    elif kind == 18:
        x = np.linspace(rng.normal(), rng.normal() * 100, count)
    else:
        x = signs * 10.0 ** (rng.random(count) * rng.integers(1, 9) - rng.integers(0, 5))
    with np.errstate(all="ignore"):
        x = np.asarray(x).astype(dtype)
    if kind not in (13, 14) and rng.integers(0, 5) == 0 and count:
        special = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], rng.integers(1, 4))
        x[rng.integers(0, count, len(special))] = special
    return x


def random_values(rng, name, count):
    dtype = numpy_dtype(name)
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        kind = rng.integers(0, 4)
        if kind == 0:
            return random_bits(rng, dtype, count)
        if kind == 1:
            return rng.integers(max(info.min, -20), 100, count).astype(dtype)
        x = random_bits(rng, dtype, count) >> rng.integers(0, dtype.itemsize * 8, count).astype(dtype)
        if kind == 3 and count:
            x[rng.integers(0, count)] = (info.min, info.max)[rng.integers(0, 2)]
        return x
    if dtype.kind == "f":
        return random_floats(rng, dtype, count)
    part = np.dtype("f%d" % (dtype.itemsize // 2))
    x = np.empty(count, dtype)
    x.real = random_floats(rng, part, count)
    x.imag = random_floats(rng, part, count)
    return x


def random_params(rng):
    if rng.integers(0, 3) == 0:
        return 0, 0, 0, 0, 0
    precision = int(rng.choice([0, 0, 0, -1, 1, 2, 3, 5, 8, 12, 17, 20]))
    threshold = int(rng.choice([0, NEVER, 1, 5, 10, 20, 50]))
    edge_items = int(rng.choice([0, 0, 1, 2, 4, 7]))
    line_width = int(rng.choice([0, 0, 1, 10, 20, 40, 60, 74, 76, 100, 1000]))
    return precision, threshold, edge_items, line_width, int(rng.integers(0, 3) == 0)


def random_case(rng, small):
    name = DTYPES[rng.integers(1, len(DTYPES))]
    if rng.integers(0, 2):
        name = DTYPES[rng.integers(10, len(DTYPES))]
    params = random_params(rng)
    ndim = int(rng.choice([0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8]))
    most = 24 if small else int(rng.choice([30, 300, 1500, 3000]))
    shape, size = [], 1
    for _ in range(ndim):
        length = int(rng.integers(1, max(2, min(most // size, int(most ** (1.5 / ndim)) + 1) + 1)))
        if rng.integers(0, 100) == 0:
            length = 0
        shape.append(length)
        size *= max(length, 1)
    rng.shuffle(shape)
    base = random_values(rng, name, math.prod(shape)).reshape(shape)
    view = base
    for _ in range(rng.integers(0, 4)):
        kind = rng.integers(0, 5)
        if kind == 0:
            view = view.transpose(rng.permutation(view.ndim))
        elif kind == 1 and view.ndim:
            axis = rng.integers(0, view.ndim)
            view = np.flip(view, axis)
        elif kind == 2 and view.ndim:
            axis = int(rng.integers(0, view.ndim))
            start, step = int(rng.integers(0, 3)), int(rng.choice([1, 2, 3, -1, -2]))
            view = view[(slice(None),) * axis +
                        (slice(start, None, step) if step > 0 else slice(None, start or None, step),)]
        elif kind == 3 and view.ndim < 8 and view.size <= 500:
            extra = int(rng.choice([1, 2, 3, 7, 50]))
            if params[1] != NEVER and view.size and rng.integers(0, 4) == 0:
                extra = int(rng.choice([2000, 10 ** 6, 10 ** 12]))
                params = (params[0], params[1], params[2] if params[2] < 3 else 2, params[3], params[4])
            view = np.broadcast_to(view, (extra,) + view.shape)
            if rng.integers(0, 2):
                view = np.moveaxis(view, 0, -1)
        elif kind == 4 and view.ndim > 1:
            axis = int(rng.integers(0, view.ndim))
            if view.shape[axis]:
                view = view[(slice(None),) * axis + (int(rng.integers(0, view.shape[axis])),)]
    return case_of(base, np.asarray(view), params)


def step(x, units):
    """The float `units` positions above x in its type."""
    x = np.array([x])
    integer = np.dtype("i%d" % x.dtype.itemsize)
    return (x.view(integer) + integer.type(units)).view(x.dtype)[0]


def edge_cases():
    """The limits of the exponent form: around its thresholds, and around a ratio of 1000, which is rounded in the
    array's type."""
    for name in ("f2", "f4", "f8"):
        dtype = np.dtype(name)
        for suppress in (0, 1):
            for value in (1e-4, 1e3, 1e4, 1e6, 1e8, 1e16):
                for units in (-2, -1, 0, 1, 2):
                    with np.errstate(over="ignore"):
                        x = np.array([step(dtype.type(value), units)])
                    yield case_of(x, x, (0, 0, 0, 0, suppress))
                    if not suppress:
                        yield case_of(x, x.reshape(()), (0, 0, 0, 0, 0))
        for low in (1e-3, 3e-3, 7.7e-3, 0.01, 0.0123, 0.1, 0.3):
            for units in (-2, -1, 0, 1, 2):
                x = np.array([low, 0], dtype)
                x[1] = step(x[0] * dtype.type(1000), units)
                yield case_of(x, x, (0, 0, 0, 0, 0))


def torture_cases(rng):
    defaults = (0, 0, 0, 0, 0)
    for bits in range(65536):
        half = np.array([bits], np.uint16).view(np.float16)
        yield case_of(half, half, defaults)
        yield case_of(half, half.reshape(()), defaults)
    for dtype, low, high in ((np.dtype("f4"), -149, 128), (np.dtype("f8"), -1074, 1024)):
        for power in range(low, high):
            for neighbour in (-1, 0, 1):
                x = np.array([math.ldexp(1.0, power)]).astype(dtype)
                x = (x.view("u%d" % dtype.itemsize) + np.array([neighbour]).astype("u%d" % dtype.itemsize)).view(dtype)
                for params in (defaults, (17, 0, 0, 0, 0), (400, 0, 0, 0, 1), (-1, 0, 0, 0, 0), (3, 0, 0, 0, 1)):
                    yield case_of(x, x, params)
                yield case_of(x, x.reshape(()), defaults)
                z = np.array([1, 1]).astype("c%d" % (2 * dtype.itemsize))
                z[0] = complex(float(x[0]), -float(x[0]))
                z[1] = complex(0, float(x[0]))
                yield case_of(z, z, defaults)
                yield case_of(z, z[0:1].reshape(()), defaults)
                yield case_of(z, z[1:2].reshape(()), defaults)
    for name in ("f2", "f4", "f8"):
        dtype = np.dtype(name)
        for value in (1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e15, 1e16, 1e17, 1e-3, 1e-4, 1e-5, 0.5, 5e-9, 999.99999, 12345.678,
                      *finite_type_limits(dtype)):
            for _ in range(60):
                with np.errstate(all="ignore"):
                    x = near(rng, dtype, value, 1)
                    y = np.concatenate([x, near(rng, dtype, float(x[0]) * 1000, 1),
                                        near(rng, dtype, float(x[0]) / 1000, 1)])
                yield case_of(x, x.reshape(()), defaults)
                yield case_of(x, x, (0, 0, 0, 0, 1))
                for view in (x, y[:2], y[::2], y):
                    yield case_of(y if view is not x else x, view, (int(rng.integers(-1, 20)), 0, 0, 0, 0))


def have_numpy():
    if np is None:
        return "NumPy is not installed"
    version = tuple(int(part) for part in np.__version__.split(".")[:2])
    return "" if version >= (2, 3) else "NumPy %s is older than 2.3" % np.__version__


def read_recorded(path):
    with gzip.open(path, "rt", encoding="ascii") as file:
        return [Case.from_json(json.loads(line)) for line in file]


def write_recorded(path, cases):
    lines = "".join(json.dumps(case.to_json(), separators=(",", ":")) + "\n" for case in cases)
    with open(path, "wb") as file:
        file.write(gzip.compress(lines.encode("ascii"), 9, mtime=0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("driver", nargs="+", help="format_driver, with whatever must run it")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2 ** 32))
    parser.add_argument("--count", type=int, default=4000, help="fresh cases, the fixed ones among them (4000)")
    parser.add_argument("--torture", action="store_true")
    parser.add_argument("--replay", metavar="FILE")
    parser.add_argument("--record", metavar="FILE")
    options = parser.parse_args()

    missing = have_numpy()
    if options.record and missing:
        sys.exit("format_numpy: --record needs NumPy 2.3: " + missing)
    total, failures = check_halves(options.driver, random.Random(options.seed))
    failures += check_sparse(options.driver)
    total += 1

    fresh = not options.replay and not missing
    if not options.record:
        recorded = read_recorded(options.replay or RECORDED)
        print("%d recorded cases%s" % (len(recorded),
                                       "" if fresh or options.replay else ", and no fresh ones: " + missing))
        total += len(recorded)
        failures += check_cases(options.driver, recorded)
    if fresh:
        print("%d fresh cases, NumPy %s, --seed %d" % (options.count, np.__version__, options.seed))
        rng = np.random.default_rng(options.seed)
        cases = list(edge_cases())
        while len(cases) < options.count:
            case = random_case(rng, bool(options.record))
            if not options.record or len(case.texts[0]) + len(case.data) < 400 or rng.integers(0, 20) == 0:
                cases.append(case)
        if options.record:
            write_recorded(options.record, cases)
        total += len(cases)
        failures += check_cases(options.driver, cases)
        if options.torture:
            cases = list(torture_cases(rng))
            print("%d torture cases" % len(cases))
            total += len(cases)
            failures += check_cases(options.driver, cases)
    print("%d passed, %d failed" % (total - failures, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""The format of the files of cases, which cases.c, driver.c and primitive_driver.c read. Little-endian. A text is its
length in a byte and its bytes; a shape its number of axes in a byte and int64 lengths.

  "WEFTUF1\\n" for ufuncs, "WEFTPR1\\n" for primitives, "WEFTCH1\\n" for chains, text origin,
  u32 pools: u8 dtype, u32 count, elements
  u32 cases: u8 kind
    1 resolution: text ufunc, u8 results, u8 operands, u32 combinations:
        u8 dtype for each operand (0x80: weak), u8 dtype for each result (0: refused), u8 whether f64 is needed
    2 values: text ufunc, text label, u32 weft_status, u8 whether f64 is needed,
        u8 results: f32 ULPs, u8 whether signs of zero are free;
        u8 operands, u8 storages: u8 dtype, u32 pool, u32 start, u32 count (the pool's elements, repeated);
        each result, each operand: u8 kind
            0 a new array; 1 a view: u8 storage, u8 steps: u8 letter, u8 numbers, int64 numbers;
            2 scalar: u8 dtype, 16 bytes; 3 host memory: u8 storage, shape; 4 result in host memory: u8 dtype, shape
        if the status is OK, each result: u8 dtype, shape, u32 bytes, elements: of the result or, for a view, of its
            whole storage
    3 primitive: text function, text label, u32 group (cases that need about the same kernels), u32 weft_status,
        u8 whether f64 is needed,
        u8 parameters: u8 letter: i int64, f double, l u8 numbers, int64 numbers, t text, s u8 dtype, 16 bytes;
        u8 results: f32 ULPs, u8 whether signs of zero are free, f64 the absolute difference allowed;
        the rest as for values
    4 chain: text label, u32 steps: u8 letter
        c call: u8 stream, then as a primitive from its name on (a ufunc has no parameters), but of a storage, instead
            of a pool, 2^32-1 and the number of an array that is there (start; it may have any shape), and before each
            result of a new array whose memory it is (u32, its own number unless it is a view), and bytes of 2^32-1,
            without elements, where a later look has them. Arrays are numbered from 0: a call's storages that are made
            for it, then its new results.
        l look: u8 stream, u32 array, u8 how, f32 ULPs, u8 whether signs of zero are free, f64 the absolute difference
            allowed, u8 dtype, shape, u32 bytes, elements
        d drop: u32 array
Steps of a view: r reshape (lengths), s slice (axis, start, stop, step), t transpose (axes), b broadcast (lengths),
i index (axis, index), x expand (axis), q squeeze (axis), f flip (axis).
"""
import gzip
import lzma
import struct

import numpy as np

from values import number_of

END = 2**63 - 1
KEPT = LATER = 2**32 - 1
OK, DTYPE, SHAPE, LAYOUT, OVERFLOW = 0, 102, 103, 106, 108  # weft_status


def shape_bytes(shape):
    return struct.pack(f"<B{len(shape)}q", len(shape), *shape)


def text_bytes(text):
    data = text.encode("ascii")[:255]
    return struct.pack("<B", len(data)) + data


class Storage:
    """A run of elements, the base of views."""

    def __init__(self, values, count=None, start=0):
        self.pool = np.ascontiguousarray(values)
        self.start, self.count = start, len(values) if count is None else count
        self.values = self.pool[(start + np.arange(self.count)) % max(1, len(self.pool))]


class View:
    def __init__(self, storage, steps=()):
        self.storage, self.steps = storage, list(steps)

    def of(self, x):
        for letter, numbers in self.steps:
            if letter == "r":
                x = x.reshape(numbers)
            elif letter == "t":
                x = x.transpose(numbers)
            elif letter == "b":
                x = np.broadcast_to(x, numbers)
            elif letter == "i":
                x = x[(slice(None),) * numbers[0] + (numbers[1], ...)]
            elif letter == "x":
                x = np.expand_dims(x, numbers[0])
            elif letter == "q":
                x = np.squeeze(x, numbers[0])
            elif letter == "f":
                x = np.flip(x, numbers[0])
            else:
                axis, *cut = numbers
                x = x[(slice(None),) * axis + (slice(*[None if n == END else n for n in cut]),)]
        return x

    def array(self):
        return self.of(self.storage.values)


class Host:
    """Host memory as an operand."""

    def __init__(self, storage, shape):
        self.storage, self.shape = storage, shape

    def array(self):
        return self.storage.values.reshape(self.shape)


class HostResult:
    def __init__(self, dtype, shape):
        self.dtype, self.shape = np.dtype(dtype), shape


class Weak:
    """A C scalar: int64, uint64, float64, complex128 or bool, unless `dtype` is given."""

    def __init__(self, value, dtype=None):
        self.value = value
        own = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[type(value)]
        self.dtype = np.dtype(dtype or ("uint64" if own == "int64" and value >= 2**63 else own))


class File:
    def __init__(self, provenance, magic=b"WEFTUF1\n"):
        self.provenance, self.magic, self.pools, self.pool_data, self.cases = provenance, magic, {}, [], []
        self.partial = False  # whether a judge was missing

    def pool(self, values):
        key = (values.dtype.str, values.tobytes())
        if key not in self.pools:
            self.pools[key] = len(self.pools)
            self.pool_data.append(struct.pack("<BI", number_of(values.dtype), len(values)) + key[1])
        return self.pools[key]

    def place(self, place, storages):
        if place is None:
            return b"\0"
        if isinstance(place, View):
            out = struct.pack("<BBB", 1, storages.index(place.storage), len(place.steps))
            for letter, numbers in place.steps:
                out += struct.pack(f"<BB{len(numbers)}q", ord(letter), len(numbers), *numbers)
            return out
        if isinstance(place, Host):
            return struct.pack("<BB", 3, storages.index(place.storage)) + shape_bytes(place.shape)
        if isinstance(place, HostResult):
            return struct.pack("<BB", 4, number_of(place.dtype)) + shape_bytes(place.shape)
        return b"\2" + self.scalar(place)

    def scalar(self, weak):
        form = {"b": "<Qq", "u": "<Qq", "i": "<qq", "f": "<dq", "c": "<dd"}[weak.dtype.kind]
        pair = (weak.value.real, weak.value.imag) if weak.dtype.kind == "c" else (weak.value, 0)
        return struct.pack("<B", number_of(weak.dtype)) + struct.pack(form, *pair)

    def add_values(self, ufunc, label, status, needs_fp64, tolerances, results, operands, answers):
        """`answers`: (dtype, shape, elements) of each expected result."""
        out = b"\2" + text_bytes(ufunc) + text_bytes(label) + struct.pack("<IBB", status, needs_fp64, len(results))
        for ulps, any_zero in tolerances:
            out += struct.pack("<fB", ulps, any_zero)
        self.cases.append(out + self.places(status, results, operands, answers))

    def add_primitive(self, name, label, group, status, needs_fp64, params, tolerances, results, operands, answers):
        """params: ints, floats, texts, tuples of ints and scalars (Weak); tolerances: (ULPs, whether signs of zero are
        free, absolute)."""
        head = self.primitive(name, label, group, status, needs_fp64, params, tolerances)
        self.cases.append(b"\3" + head + self.places(status, results, operands, answers))

    def primitive(self, name, label, group, status, needs_fp64, params, tolerances):
        out = text_bytes(name) + text_bytes(label) + struct.pack("<IIBB", group, status, needs_fp64, len(params))
        for p in params:
            if isinstance(p, str):
                out += b"t" + text_bytes(p)
            elif isinstance(p, Weak):
                out += b"s" + self.scalar(p)
            elif isinstance(p, (tuple, list)):
                out += b"l" + struct.pack(f"<B{len(p)}q", len(p), *p)
            else:
                out += struct.pack("<cd", b"f", p) if isinstance(p, float) else struct.pack("<cq", b"i", int(p))
        out += struct.pack("<B", len(tolerances))
        for ulps, any_zero, absolute in tolerances:
            out += struct.pack("<fBd", ulps, any_zero, absolute)
        return out

    @staticmethod
    def storages(results, operands):
        storages = []
        for place in list(results) + list(operands):
            if isinstance(place, (View, Host)) and place.storage not in storages:
                storages.append(place.storage)
        return storages

    def places(self, status, results, operands, answers, kept=None):
        """`kept`: the numbers of storages that already exist."""
        storages = self.storages(results, operands)
        out = struct.pack("<BB", len(operands), len(storages))
        for s in storages:
            if kept and s in kept:
                out += struct.pack("<BIII", number_of(s.values.dtype), KEPT, kept[s], s.values.size)
            else:
                out += struct.pack("<BIII", number_of(s.pool.dtype), self.pool(s.pool), s.start, s.count)
        for place in list(results) + list(operands):
            out += self.place(place, storages)
        if status == OK:
            for dtype, shape, elements, *root in answers:
                out += struct.pack("<I", *root) if root else b""
                out += self.elements(dtype, shape, elements)
        return out

    @staticmethod
    def elements(dtype, shape, elements):
        """`elements` None: written by a later look."""
        head = struct.pack("<B", number_of(dtype)) + shape_bytes(shape)
        if elements is None:
            return head + struct.pack("<I", LATER)
        data = np.ascontiguousarray(elements).tobytes()
        return head + struct.pack("<I", len(data)) + data

    def add_resolution(self, ufunc, results, operands, combinations):
        out = b"\1" + text_bytes(ufunc) + struct.pack("<BBI", results, operands, len(combinations))
        self.cases.append(out + b"".join(bytes(c) for c in combinations))

    def write(self, path):
        data = (self.magic + text_bytes(self.provenance) + struct.pack("<I", len(self.pool_data)) +
                b"".join(self.pool_data))
        data += struct.pack("<I", len(self.cases)) + b"".join(self.cases)
        with open(path, "wb") as file:
            packed = {".gz": lambda: gzip.compress(data, 9, mtime=0),
                      ".xz": lambda: lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)}
            file.write(packed.get(str(path)[-3:], lambda: data)())
        return len(data)

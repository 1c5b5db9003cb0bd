# SPDX-License-Identifier: MIT
"""Python's values as C's and back: dtypes, shapes, axes, numbers, operands, handles."""
import numbers
import os
import re

import numpy

from ._library import constants, enums, ffi, lib, structs

DTYPES = {name: constants[f"WEFT_{short}"] for name, short in (
    ("bool", "BOOL"), ("int8", "I8"), ("int16", "I16"), ("int32", "I32"), ("int64", "I64"), ("uint8", "U8"),
    ("uint16", "U16"), ("uint32", "U32"), ("uint64", "U64"), ("float16", "F16"), ("float32", "F32"),
    ("float64", "F64"), ("complex64", "C64"), ("complex128", "C128"))}
NAMES = {number: name for name, number in DTYPES.items()}
BY_NAME = {ffi.string(lib.weft_dtype_name(number)).decode(): number
           for name, number in enums["weft_dtype"].items() if number}
MAX_NDIM = int(next(member["type"] for member in structs["weft_shape"] if member["name"] == "dim")[8:-1])
EVERY_AXIS = -2**31


class Handle:
    """A reference to an object of Weft's, released with the Python object."""

    __slots__ = ("pointer", "__weakref__")
    release = None

    def __init__(self, pointer):
        self.pointer = ffi.gc(pointer, self.release)


def handle_class(name, base=Handle, **more):
    """A class for the handle `name`, such as weft_rng."""
    release_function, cell = getattr(lib, f"{name}_release"), ffi.typeof(f"{name} **")

    def release(pointer, new=ffi.new):
        release_function(new(cell, pointer))

    return type(name[5:].capitalize(), (base,), {"__slots__": (), "release": staticmethod(release), **more})


def dtype_number(dtype):
    """f32, "bf16", "float32", numpy.float32 and numpy.dtype("f4") are dtypes."""
    if isinstance(dtype, str) and dtype in BY_NAME:
        return BY_NAME[dtype]
    name = numpy.dtype(dtype).name
    if name not in DTYPES:
        raise TypeError(f"Weft has no dtype {name}; it has {', '.join(BY_NAME)}")
    return DTYPES[name]


def shape_struct(shape):
    shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
    if len(shape) > MAX_NDIM:
        raise ValueError(f"the shape has {len(shape)} axes; {MAX_NDIM} is the most")
    return {"ndim": len(shape), "dim": [int(length) for length in shape]}


def axes_struct(axes, keepdims=False):
    """None stands for all axes."""
    if axes is None:
        return {"count": EVERY_AXIS, "keepdims": keepdims}
    axes = (axes,) if isinstance(axes, numbers.Integral) else tuple(axes)
    if len(axes) > MAX_NDIM:
        raise ValueError(f"{len(axes)} axes are named; {MAX_NDIM} is the most")
    return {"count": len(axes), "keepdims": keepdims, "axis": [int(axis) for axis in axes]}


def dim3_struct(dim):
    dim = (dim,) if isinstance(dim, numbers.Integral) else tuple(dim)
    return dict(zip("xyz", [*map(int, dim), 1, 1][:max(3, len(dim))]))


def is_number(value):
    return isinstance(value, (numbers.Number, numpy.generic, bool))


def scalar_struct(value):
    """A number of Python is Weft's widest of its kind; a NumPy scalar keeps its dtype."""
    if isinstance(value, numpy.generic):
        dtype, value = dtype_number(value.dtype), value.item()
    elif isinstance(value, bool):
        dtype = constants["WEFT_BOOL"]
    elif isinstance(value, numbers.Integral):
        dtype = constants["WEFT_I64" if value < 2**63 else "WEFT_U64"]
    else:
        dtype = constants["WEFT_F64" if isinstance(value, numbers.Real) else "WEFT_C128"]
    kind = lib.weft_dtype_kind(dtype).decode()
    if kind == "c":
        return {"dtype": dtype, "value": {"c": [value.real, value.imag]}}
    if kind == "f":
        return {"dtype": dtype, "value": {"f": float(value)}}
    return {"dtype": dtype, "value": {"u" if kind == "u" else "i": int(value)}}


def enum_words(type_):
    """The words of an enum's constants: "wrap" of WEFT_INDEX_WRAP."""
    names = list(enums[type_])
    common = os.path.commonprefix(names) if len(names) > 1 else names[0]
    return {name[common.rfind("_") + 1:].lower(): number for name, number in enums[type_].items()}


def enum_value(type_, value):
    """A number, a constant's word, or the end of one that no other has. An enum with numbers for words ("1", "minus_2",
    "inf") takes those numbers, and no other."""
    words = enum_words(type_)
    if not isinstance(value, str) and "1" in words:
        value = "default" if value == 0 else f"{value:g}"
    if isinstance(value, str):
        word = re.sub("^-", "minus_", value.lower())
        found = [words[word]] if word in words else [
            number for name, number in words.items() if name.endswith("_" + word)]
        if len(found) != 1:
            raise ValueError(f"{value!r} is not one of {', '.join(words)}")
        return found[0]
    return int(value)


def struct_value(type_, value):
    """A struct of the library as a dictionary."""
    made = {}
    for member in structs[type_]:
        field = getattr(value, member["name"])
        if member.get("type") == "const char *":
            field = ffi.string(field).decode() if field else None
        elif isinstance(field, ffi.CData) and ffi.typeof(field).kind == "array":
            field = ffi.string(field).decode() if member["type"].startswith("char") else list(field)
        made[member["name"]] = field
    return made


def text_value(cell):
    text = ffi.string(cell[0]).decode()
    lib.weft_free(cell[0])
    return text


def as_contiguous(value):
    """A NumPy array in C order and the machine's byte order."""
    array = numpy.asarray(value)
    if array.dtype.kind == "O":
        raise TypeError(f"Weft takes numbers and arrays, not {type(value).__name__}")
    return numpy.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)

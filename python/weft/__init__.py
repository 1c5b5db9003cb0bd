# SPDX-License-Identifier: MIT
"""Weft in Python: arrays on the GPU, from and to NumPy. All functions come from the list of Weft's C functions:

    import numpy, weft
    x = weft.asarray(numpy.random.rand(1000000))
    y = weft.sort(weft.sqrt(x) * 2, descending=True)
    numpy.asarray(y)[:10]
"""
import inspect

from ._array import Array, asarray, cupy_allocator, from_dlpack
from ._functions import all_functions
from ._kernel import Context, Event, Kernel, Local, Rng, Stream
from ._library import ArgumentError, Error, IndexOutOfRange, OutOfMemory, ffi, lib

__version__ = ffi.string(lib.weft_version()).decode()


def devices():
    """The OpenCL devices, a dictionary each."""
    return [device_get(i) for i in range(device_count())]  # noqa: F821 (made below)


def _operators():
    """Operators and methods of Array, from the functions."""
    made = globals()
    both = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
            "mod": "remainder", "divmod": "divmod", "pow": "pow", "and": "bitwise_and", "or": "bitwise_or",
            "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift", "matmul": "matmul"}
    for operator, name in both.items():
        function = made[name]
        setattr(Array, f"__{operator}__", lambda self, other, function=function: function(self, other))
        setattr(Array, f"__r{operator}__", lambda self, other, function=function: function(other, self))
    one = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
           "neg": "negative", "pos": "positive", "abs": "abs", "invert": "invert"}
    for operator, name in one.items():
        setattr(Array, f"__{operator}__", lambda *operands, function=made[name]: function(*operands))
    for name, function in _functions.items():
        first = next(iter(inspect.signature(function).parameters), "")
        if first in ("x", "a") and name != "array" and not hasattr(Array, name):
            setattr(Array, name, function)


_functions = all_functions()
globals().update(_functions)
_operators()
__all__ = sorted([*_functions, "Array", "ArgumentError", "Context", "Error", "Event", "IndexOutOfRange", "Kernel",
                  "Local", "OutOfMemory", "Rng", "Stream", "asarray", "cupy_allocator", "devices",
                  "from_dlpack"])

# SPDX-License-Identifier: MIT
"""Kernels in OpenCL C."""
import numpy

from ._array import Array
from ._convert import dim3_struct, is_number, scalar_struct
from ._functions import HANDLES
from ._library import check, constants, ffi, lib


class Local:
    """Local memory of a launch: an argument for a `local` pointer."""

    def __init__(self, size_bytes):
        self.size_bytes = size_bytes


def argument(value):
    """A Python float is a C float (numpy.float64: a double), an int any integer that it fits."""
    if isinstance(value, Array):
        return {"kind": constants["WEFT_ARG_ARRAY"], "as": {"array": value.pointer}}
    if isinstance(value, Local):
        return {"kind": constants["WEFT_ARG_LOCAL"], "as": {"local": {"size_bytes": value.size_bytes}}}
    if is_number(value):
        value = numpy.float32(value) if type(value) is float else value
        return {"kind": constants["WEFT_ARG_SCALAR"], "as": {"scalar": scalar_struct(value)}}
    raise TypeError(f"a kernel takes arrays, numbers and weft.Local, not {type(value).__name__}")


class Kernel:
    """Kernel(source).launch(grid, block, *arguments): a grid of blocks of threads. It has the options of
    weft.kernel_create: name, file, defines and others."""

    def __init__(self, source=None, *, context=None, **options):
        from . import kernel_create
        self._handle = kernel_create(context, source=source, **options)

    def launch(self, grid, block, *arguments):
        listed = [{"kind": constants["WEFT_ARG_DIM3"], "as": {"dim": dim3_struct(block)}}, *map(argument, arguments)]
        check(lib.weft_launch(self._handle.pointer, dim3_struct(grid), len(listed), ffi.new("weft_arg[]", listed)))

    @property
    def info(self):
        from . import kernel_get
        return kernel_get(self._handle)


Context, Rng, Stream, Event = (HANDLES[f"weft_{name}"] for name in ("context", "rng", "stream", "event"))

# SPDX-License-Identifier: MIT
"""Functions whose arguments stand as in NumPy, where C's stand otherwise, and what C has only as a macro."""
import numbers
import operator

import numpy

from ._array import Array, array_of, asarray
from ._convert import is_number
from ._library import check, constants, ffi, lib

COMMON = {"context": None, "out": None}


def has_fp64(context):
    info = ffi.new("weft_device_info *")
    cell = ffi.new("weft_context **", context.pointer if context else ffi.NULL)
    if not context:
        check(lib.weft_context_default(cell))
    check(lib.weft_context_get_device(info, cell[0]))
    return bool(info.has_fp64)


def float_dtype(context):
    """NumPy's default, or f32 on a device without f64."""
    return "f64" if has_fp64(context) else "f32"


def dtype_for(values, context):
    """NumPy's dtype of Python numbers."""
    kind = max((numpy.asarray(value).dtype.kind for value in values), key="buifc".index)
    return {"b": "bool", "u": "u64", "i": "i64", "f": float_dtype(context), "c": "c128"}[kind]


def shape_of(lengths):
    return lengths[0] if len(lengths) == 1 and not isinstance(lengths[0], numbers.Integral) else lengths


def numpy_forms(made):
    """Functions by name, from those that weft.json gives."""
    def filled(name):
        def fill(shape, dtype=None, *, context=None, out=None):
            return made[name](dtype or float_dtype(context), shape, context=context, out=out)
        return fill

    def full(shape, fill_value, dtype=None, *, context=None, out=None):
        return made["full"](dtype or dtype_for([fill_value], context), shape, fill_value, context=context, out=out)

    def arange(start, stop=None, step=1, dtype=None, *, context=None, out=None):
        if stop is None:
            start, stop = 0, start
        return made["arange"](dtype or dtype_for([start, stop, step], context), start, stop, step, context=context,
                              out=out)

    def spaced(name, more):
        def space(start, stop, num=50, endpoint=True, dtype=None, *, context=None, out=None, **options):
            unknown = set(options) - more
            if unknown:
                raise TypeError(f"weft.{name} has no option {', '.join(sorted(unknown))}")
            return made[name](dtype or float_dtype(context), start, stop, num, exclude_stop=not endpoint,
                              context=context, out=out, **options)
        return space

    def diagonal(name):
        def make_diagonal(rows, columns=None, k=0, dtype=None, *, context=None, out=None):
            return made[name](dtype or float_dtype(context), rows, columns=rows if columns is None else columns, k=k,
                              context=context, out=out)
        return make_diagonal

    def identity(n, dtype=None, *, context=None, out=None):
        return forms["eye"](n, dtype=dtype, context=context, out=out)

    def indices(shape, dtype="i64", *, context=None, out=None):
        return made["indices"](dtype, shape, context=context, out=out)

    def reshape(x, *shape, out=None):
        return made["reshape"](x, shape_of(shape), out=out)

    def array(value, dtype=None, *, copy=True, context=None):
        """A new array; with copy=False as asarray."""
        given = asarray(value, dtype, context)
        return made["copy"](given) if copy and given is value else given

    def diff(x, axis=-1, *, n=1, out=None, prepend=None, append=None):
        if operator.index(n) == 0:
            return made["copy"](asarray(x), out=out)
        return made["diff"](x, axis, n=n, out=out, prepend=prepend, append=append)

    def norm(x, axis=None, *, order=None, keepdims=False, out=None):
        """numpy.linalg.norm of vectors; order 0 counts the elements that are not 0."""
        if order is None or order != 0:
            return made["norm"](x, axis, order=order, keepdims=keepdims, out=out)
        x = asarray(x)
        counted = made["count_nonzero"](x, axis, keepdims=keepdims)
        is_brain = x.dtype == "bf16"
        dtype = "f32" if is_brain else numpy.result_type(numpy.dtype(x.dtype).type(0).real.dtype, numpy.float16)
        return made["copy"](made["cast"](counted, dtype), out=out)

    def einsum(subscripts, *operands, out=None):
        """einsum("ij,jk->ik", a, b)."""
        return call_list("einsum", operands, out,
                         lambda cell, count, listed: lib.weft_einsum(cell, text(subscripts), count, listed))

    def stencil(formula, *, mode=None, value=None, context=None, out=None, **variables):
        """stencil("x[-1] + x[1] - 2 * x[0]", x=x): a formula of elements and their neighbours."""
        from ._functions import HANDLES, checked, in_value  # of this module's user
        options = ffi.new("weft_stencil_params *")
        if mode is not None:
            options.mode = in_value("weft_pad_mode")(None, mode)
        if value is not None:
            options.value = in_value("weft_scalar")(None, value)
        more = [{"kind": constants["WEFT_OPERAND_STENCIL"], "as": {"stencil": options}}]
        where = checked(context, HANDLES["weft_context"]).pointer if context else ffi.NULL
        return call_list("stencil", variables, out, lambda cell, count, listed: lib.weft_stencil(
            cell, where, text(formula), count, listed), more)

    forms = {"zeros": filled("zeros"), "ones": filled("ones"), "empty": filled("empty"), "full": full,
             "arange": arange, "linspace": spaced("linspace", set()), "geomspace": spaced("geomspace", set()),
             "logspace": spaced("logspace", {"base"}), "eye": diagonal("eye"), "tri": diagonal("tri"),
             "identity": identity, "indices": indices, "reshape": reshape, "array": array, "diff": diff, "norm": norm,
             "einsum": einsum, "stencil": stencil}
    for name, form in forms.items():
        form.__name__ = form.__qualname__ = name
        form.__module__ = "weft"
        if not form.__doc__:
            form.__doc__ = f"As numpy.{name}; `context` and `out` as in all of Weft's functions."
    return forms


_texts = []


def text(value):
    _texts[:] = [ffi.new("char[]", value.encode())]  # alive until the next call
    return _texts[0]


def call_list(name, operands, out, function, more=()):
    """A call with a list of operands, which a dictionary names."""
    from ._functions import Call, result_cells  # of this module's user
    items = operands.items() if isinstance(operands, dict) else [(None, value) for value in operands]
    call = Call(dict(enumerate(value for _, value in items)))
    cells = result_cells([{"type": "weft_array **"}], out, name, {})
    listed = [call.operand(value if not isinstance(value, list) else array_of(value, call.like), key)
              for key, value in items]
    if listed and all(is_number(value) for _, value in items):
        raise TypeError(f"weft.{name}: expected an array among the operands")
    listed += list(more)
    check(function(cells[0], len(listed), call.list("weft_operand", listed)))
    return Array(cells[0][0])

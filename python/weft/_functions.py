# SPDX-License-Identifier: MIT
"""Weft's functions for Python, made from weft.json: results are returned, options are keywords, axes ints or tuples.

A function whose parameters have no form in Python is left out (FILE *, callbacks); `lib` has all of them."""
import inspect

from ._array import Array, Outside, array_of, asarray, context_of, from_numpy
from ._convert import (axes_struct, dtype_number, enum_value, handle_class, is_number, scalar_struct, shape_struct,
                       struct_value, text_value)
from ._library import WORDS, check, constants, described, enums, ffi, functions, lib, structs
from ._numpy import has_fp64, numpy_forms

HANDLES = {name: Array if name == "weft_array" else handle_class(name)
           for name in described["handles"] if hasattr(lib, f"{name}_release")}
CUDA_STREAM = "struct CUstream_st *"
PLAIN = ("int", "int64_t", "uint64_t", "uint32_t", "size_t", "double", "_Bool")
# Where NumPy has another default than all axes.
AXES = {**dict.fromkeys(("sort", "argsort", "topk", "diff", "take_along_axis", "put_along_axis", "cross", "unwrap",
                         "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct"), -1),
        **dict.fromkeys(("concatenate", "stack", "split", "array_split", "split_at", "scatter"), 0)}
# The number of a function's results, where it depends on its arguments.
COUNTS = {"split": lambda a: a["sections"], "array_split": lambda a: a["sections"],
          "split_at": lambda a: len(a["positions"]) + 1, "meshgrid": lambda a: len(a["arrays"]),
          "broadcast_arrays": lambda a: len(a["arrays"]),
          "unravel_index": lambda a: len(a["shape"]) if hasattr(a["shape"], "__len__") else 1}
# Arrays whose numbers have a dtype of their own: an index, a count, a place or a width is none of the elements.
OWN_DTYPE = ("indices", "counts", "offsets", "pivots", "bins", "q", "zoom", "shift", "sigma", "matrix", "coordinates")
# Options of which C's 0 is another number, and what stands for a 0 that the caller gives; ZERO_IS_REFUSED have nothing.
LEAST = 5e-324
ZERO_IS = {**{(name, option): -1.0 for name in ("isclose", "allclose") for option in ("rtol", "atol")},
           **{(name, "rtol"): LEAST for name in ("lstsq", "matrix_rank", "pinv", "polyfit")}}
ZERO_IS_REFUSED = {"n", "spacing", "period", "base", "d", "type", "columns", "dx", "deviation", "rtol",
                   ("unpackbits", "count"), ("permutation", "count")}
EMPTY = inspect.Parameter.empty
BOTH, KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY


class Call:
    """The arguments of one call, and what they must keep alive."""

    def __init__(self, arguments):
        self.arguments, self.alive = arguments, []
        self.like = next((value for value in arguments.values() if isinstance(value, Array)), None)

    def keep(self, value):
        self.alive.append(value)
        return value

    def array(self, value):
        """An operand that the function takes as an array; a Python number takes the dtype of the call's first array."""
        if value is None:
            return ffi.NULL
        return self.keep(array_of(value, self.like)).pointer

    def own(self, value):
        """An array or a number that keeps its dtype; on devices without f64 a float of Python is f32."""
        if value is None:
            return ffi.NULL
        if isinstance(value, float) and not has_fp64(context_of(self.like)):
            return self.keep(asarray(value, "f32", context_of(self.like))).pointer
        return self.keep(asarray(value, context=context_of(self.like))).pointer

    def operand(self, value, name=None):
        operand = {"name": self.keep(ffi.new("char[]", name.encode())) if name else ffi.NULL}
        if value is None:
            raise TypeError("None is not an operand; expected an array or a number")
        if is_number(value):
            return {**operand, "kind": constants["WEFT_OPERAND_SCALAR"], "as": {"scalar": scalar_struct(value)}}
        array = self.array(value)
        return {**operand, "kind": constants["WEFT_OPERAND_ARRAY"], "as": {"array": array}}

    def list(self, type_, items):
        return self.keep(ffi.new(f"{type_}[]", items))


def in_parameter(type_, name=""):
    """A function (call, value) -> C value for parameters of a type, or None."""
    if type_ == "const weft_array *" and name in OWN_DTYPE:
        return lambda call, value: call.own(value)
    convert = in_value(type_)
    if type_ not in WORDS or not convert:
        return convert

    def words(call, value):
        struct = call.keep(ffi.new(f"{type_} *", convert(call, value)))
        return ffi.cast(f"{type_}_words *", struct)[0]

    return words


def in_value(type_):
    """A function (call, value) -> C value for options of a type, or None."""
    base = type_.replace("const ", "").rstrip(" *")
    plain = {"weft_dtype": lambda call, v: dtype_number(v), "weft_shape": lambda call, v: shape_struct(v),
             "weft_axes": lambda call, v: axes_struct(v), "weft_scalar": lambda call, v: scalar_struct(v),
             "weft_operand": lambda call, v: call.operand(v),
             "weft_range": lambda call, v: {"low": v[0], "high": v[1], "is_given": True},
             "const char *": lambda call, v: call.keep(ffi.new("char[]", v.encode())),
             "const char * const *": lambda call, v: call.list("char *", [
                 *(call.keep(ffi.new("char[]", text.encode())) for text in v), ffi.NULL]),
             "const int64_t *": lambda call, v: call.list("int64_t", list(v)),
             "const weft_array *": lambda call, v: call.array(v)}
    if type_ in plain:
        return plain[type_]
    if type_ == CUDA_STREAM:  # a number, as in __cuda_array_interface__; None is CUDA's default stream
        return lambda call, v: ffi.cast(CUDA_STREAM, v or 0)
    if type_ == "weft_spline":
        return lambda call, v: spline_order(v)
    if type_ in enums:
        return lambda call, v: enum_value(type_, v)
    if type_ in PLAIN:
        return lambda call, v: v
    if base in HANDLES and type_.count("*") == 1:
        kind = HANDLES[base]
        return lambda call, v: ffi.NULL if v is None and kind is not Array else checked(v, kind).pointer
    if type_ in ("weft_array * const *", "const weft_array * const *"):
        return lambda call, v: call.list("weft_array *", [call.array(item) for item in v])
    return None


def spline_order(value):
    """A name, or SciPy's number."""
    names = {0: "nearest", 1: "linear", 3: "cubic"}
    if not isinstance(value, str) and value not in names:
        raise ValueError(f"the order of a spline is 0 (nearest), 1 (linear) or 3 (cubic), not {value!r}")
    return enum_value("weft_spline", value if isinstance(value, str) else names[value])


def checked(value, kind):
    if not isinstance(value, kind):
        raise TypeError(f"expected a weft.{kind.__name__}, not {type(value).__name__}")
    return value


def out_value(type_):
    """A function cell -> Python value for a result, or None."""
    base = type_.rstrip(" *")
    if not type_.endswith("*") or type_.startswith("const"):
        return None
    if type_ == f"{base} **" and base in HANDLES:
        return lambda cell: HANDLES[base](cell[0])
    if type_ == "char **":
        return text_value
    if type_ == f"{CUDA_STREAM}*":
        return lambda cell: int(ffi.cast("uintptr_t", cell[0]))
    if type_ == f"{base} *" and base in structs:
        return lambda cell: struct_value(base, cell[0])
    if type_ == f"{base} *" and base in PLAIN:
        return lambda cell: cell[0]
    return None


def is_list(type_):
    return type_.count("*") == 2 or type_ == "const int64_t *"


def plan(function):
    """(results, inputs, options, counts) of a function's parameters, or None: it has no form in Python."""
    rest = list(function["parameters"])
    results, inputs, options, counts = [], [], None, {}
    while rest and out_value(rest[0]["type"]):
        results.append(rest.pop(0))
    for at, parameter in enumerate(rest):
        base = parameter["type"].replace("const ", "").rstrip(" *")
        if parameter is rest[-1] and base.endswith("_params") and base in structs:
            options = base
        elif parameter["name"] == "count" and is_list(rest[at - 1]["type"]):
            counts[at] = at - 1  # the length of the list before
        elif in_value(parameter["type"]):
            inputs.append((at, parameter))
        else:
            return None
    return (results, inputs, options, counts) if results or inputs else None


def signature(name, results, inputs, options):
    made, optional = [], False
    for _, parameter in inputs:
        type_, default = parameter["type"], EMPTY
        if type_ == "weft_axes":
            default = AXES.get(name, None if parameter is inputs[-1][1] else EMPTY)
        if type_.replace("const ", "") in ("weft_context *", "weft_stream *") and len(inputs) > 1:
            made.append(inspect.Parameter(parameter["name"], KEYWORD, default=None))
            continue
        if default is EMPTY and optional:
            default = None
        optional = optional or default is not EMPTY
        made.append(inspect.Parameter(PYTHON_NAMES.get(parameter["name"], parameter["name"]), BOTH, default=default))
    if any(parameter["type"] == "weft_array **" for parameter in results) and name not in COUNTS:
        made.append(inspect.Parameter("out", KEYWORD, default=None))
    if any(parameter["name"] == "axes" for _, parameter in inputs) and name in REDUCTIONS | KEEP_AXES:
        made.append(inspect.Parameter("keepdims", KEYWORD, default=False))
    made += [inspect.Parameter(member["name"], KEYWORD, default=None) for member in option_members(options)]
    return inspect.Signature(sorted(made, key=lambda parameter: parameter.kind))


PYTHON_NAMES = {"axes": "axis", "lambda": "lam"}
REDUCTIONS = {name[12:].lower() for name in enums["weft_reduction_id"]}
KEEP_AXES = {"median", "quantile", "percentile", "nanmedian", "nanquantile", "nanpercentile", "average", "logsumexp",
             "matrix_norm"}


def option_members(options):
    return [member for member in structs.get(options, ())
            if member["name"] != "site" and (in_value(member.get("type", "")) or member.get("type") == "weft_array **")]


def given_zero(function, option):
    """What C is given for an explicit 0, where its own 0 stands for another number."""
    if (function, option) in ZERO_IS:
        return ZERO_IS[function, option]
    if option in ZERO_IS_REFUSED or (function, option) in ZERO_IS_REFUSED:
        raise ValueError(f"weft.{function}: `{option}` is 0; expected another number, or nothing")
    return 0


def option_struct(function, options, call, extra):
    """The struct of a function's options; a result among them is made if its keyword is true."""
    made = {}
    for member in option_members(options):
        value = call.arguments.get(member["name"])
        if value is None or value is False:
            continue
        if is_number(value) and value == 0 and member["type"] in PLAIN:
            value = given_zero(function, member["name"])
            if (function, member["name"]) == ("cov", "ddof"):
                made["bias"] = True
        if member["type"] == "weft_array **":
            made[member["name"]] = call.keep(ffi.new("weft_array **"))
            extra.append(made[member["name"]])
        else:
            made[member["name"]] = in_value(member["type"])(call, value)
    return call.keep(ffi.new(f"{options} *", made))


def result_cells(results, out, name, arguments):
    """The places of the results; `out` has arrays to write into."""
    if name in COUNTS:
        return [ffi.new("weft_array *[]", int(COUNTS[name](arguments)))]
    cells = [ffi.new(parameter["type"]) for parameter in results]
    for cell, array in zip(cells, in_list(out)):
        if array is not None:
            cell[0] = lib.weft_array_retain(checked(array, Array).pointer)
    return cells


def in_list(out):
    return list(out) if isinstance(out, (tuple, list)) else [out]


def is_outside(value):
    return hasattr(value, "__cuda_array_interface__") and not isinstance(value, Array)


def with_outside(call_it):
    """The function, also for results that are objects with `__cuda_array_interface__`, as CuPy's arrays."""
    def call_with(*positional, out=None, **keywords):
        if out is None or isinstance(out, Array):
            return call_it(*positional, out=out, **keywords)
        mixed = [part for value in (*positional, *keywords.values(), out) for part in in_list(value)]
        context = keywords.get("context") or context_of(next((v for v in mixed if isinstance(v, Array)), None))
        outside = [Outside(value, context) if is_outside(value) else None for value in in_list(out)]
        if not any(outside):
            return call_it(*positional, out=out, **keywords)
        inside = tuple(mine.array if mine else value for mine, value in zip(outside, in_list(out)))
        made = call_it(*positional, out=inside, **keywords)
        made = list(made) if isinstance(made, tuple) else [made]
        given = [mine.finish() if mine else value for mine, value in zip(outside, made)]
        return one_or_all(given + made[len(outside):])

    return call_with


def one_or_all(values):
    return values[0] if len(values) == 1 else tuple(values) if values else None


def make(function):
    """The Python function of a C function that returns a weft_status, or None."""
    planned = plan(function)
    if function["returns"] != "weft_status" or not planned:
        return None
    results, inputs, options, counts = planned
    name, c_function = function["name"][5:], getattr(lib, function["name"])
    form = signature(name, results, inputs, options)
    readers = [out_value(parameter["type"]) for parameter in results]
    converters = [(at, PYTHON_NAMES.get(p["name"], p["name"]), in_parameter(p["type"], p["name"]))
                  for at, p in inputs]
    last = len(inputs) + len(counts) + bool(options)

    def call_it(*positional, **keywords):
        try:
            bound = form.bind(*positional, **keywords)
        except TypeError as wrong:
            raise TypeError(f"weft.{name}{form}: {wrong}") from None
        bound.apply_defaults()
        arguments = bound.arguments
        call, extra, values = Call(arguments), [], [None] * last
        for at, key, convert in converters:
            values[at] = convert(call, arguments[key])
            if key == "axis" and arguments.get("keepdims"):
                values[at]["keepdims"] = True
        for at, of in counts.items():
            values[at] = len(values[of])
        if options:
            values[-1] = option_struct(name, options, call, extra)
        cells = result_cells(results, arguments.get("out"), name, arguments)
        check(c_function(*cells, *values))
        if name in COUNTS:
            return tuple(Array(pointer) for pointer in cells[0])
        return one_or_all([read(cell) for read, cell in zip(readers, cells)] + [Array(cell[0]) for cell in extra])

    return named(call_it, name, form, function)


def make_ufunc(function, number):
    """An element-wise function: its operands may be numbers, which do not widen the arrays."""
    name = function["name"][5:]
    results = sum(parameter["type"] == "weft_array **" for parameter in function["parameters"])
    inputs = [parameter["name"] for parameter in function["parameters"][results:]]
    form = inspect.Signature([inspect.Parameter(key, inspect.Parameter.POSITIONAL_ONLY) for key in inputs] +
                             [inspect.Parameter("out", KEYWORD, default=None)])

    def call_it(*operands, out=None):
        if len(operands) != len(inputs):
            raise TypeError(f"weft.{name} takes {len(inputs)} operands, not {len(operands)}")
        call = Call(dict(enumerate(operands)))
        cells = result_cells(function["parameters"][:results], out, name, {})
        listed = [{"kind": constants["WEFT_OPERAND_RESULT"], "as": {"result": cell}} for cell in cells]
        if all(map(is_number, operands)):
            operands = [from_numpy(value) for value in operands]
        listed += [call.operand(value) for value in operands]
        check(lib.weft_ufunc_apply(number, len(listed), call.list("weft_operand", listed)))
        return one_or_all([Array(cell[0]) for cell in cells])

    return named(call_it, name, form, function)


def named(made, name, form, function):
    made = with_outside(made) if "out" in form.parameters else made
    made.__name__ = made.__qualname__ = name
    made.__module__, made.__signature__ = "weft", form
    parameters = ", ".join(f"{p['type']} {p['name']}" for p in function["parameters"])
    made.__doc__ = f"{name}{form}\n\n{function['returns']} {function['name']}({parameters}): see Weft's headers."
    return made


def named_operands(call, results, variables):
    listed = [call.operand(value, key) for key, value in variables.items()]
    return results + listed


def make_expression(name, head):
    """eval, reduce and select: a text and its variables by keyword."""
    def call_it(text, *more, out=None, context=None, **variables):
        call = Call(variables)
        cells = result_cells([{"type": "weft_array **"}], out, name, {})
        context = checked(context, HANDLES["weft_context"]).pointer if context else ffi.NULL
        listed = named_operands(call, [], {key: value for key, value in variables.items() if key not in REDUCING})
        values = head(call, listed, variables, *more)
        check(getattr(lib, f"weft_{name}")(cells[0], context, call.keep(ffi.new("char[]", text.encode())), *values,
                                           len(listed), call.list("weft_operand", listed)))
        return Array(cells[0][0])

    call_it.__name__ = call_it.__qualname__ = name
    call_it.__module__ = "weft"
    call_it.__doc__ = f"weft.{name}(text, variable=value, ...): see `weft_{name}` in Weft's guide."
    return call_it


REDUCING = ("axis", "keepdims", "reduction")


def reduce_head(call, listed, variables, axis=None):
    """reduce(text, axis, reduction="max", x=...): the axes, and the reduction's name."""
    if "reduction" in variables:
        number = enum_value("weft_reduction_id", constants[f"WEFT_REDUCE_{variables['reduction'].upper()}"])
        chosen = call.keep(ffi.new("weft_reduction *", {"op": number}))
        listed.append({"kind": constants["WEFT_OPERAND_REDUCTION"], "as": {"reduction": chosen}})
    return [axes_struct(variables.get("axis", axis), variables.get("keepdims", False))]


def at(x, *indices, out=None):
    """x[i, j]: lists of indices for the first axes."""
    call, cells = Call({"x": x}), result_cells([{"type": "weft_array **"}], out, "at", {})
    listed = call.list("weft_operand", [call.operand(index) for index in indices])
    check(lib.weft_at(cells[0], checked(x, Array).pointer, len(indices), listed))
    return Array(cells[0][0])


def where_first(*operands, out=None):
    """where_first(c0, v0, c1, v1, ..., otherwise): the value behind the first condition that is true."""
    first = next((value for value in operands if isinstance(value, Array)), None)
    call, cells = Call({"x": first}), result_cells([{"type": "weft_array **"}], out, "where_first", {})
    listed = call.list("weft_operand", [call.operand(value) for value in operands])
    check(lib.weft_where_first(cells[0], len(operands), listed))
    return Array(cells[0][0])


def ravel_multi_index(shape, *indices, out=None):
    """ravel_multi_index(shape, i, j): the row-major numbers of the elements at lists of indices."""
    first = next((value for value in indices if isinstance(value, Array)), None)
    call, cells = Call({"x": first}), result_cells([{"type": "weft_array **"}], out, "ravel_multi_index", {})
    listed = call.list("weft_operand", [call.operand(value) for value in indices])
    check(lib.weft_ravel_multi_index(cells[0], in_parameter("weft_shape")(call, shape), len(indices), listed))
    return Array(cells[0][0])


def choose(indices, *choices, out=None, mode=None):
    """choose(indices, a0, a1, ...): elements of the choices with these numbers; mode as for take."""
    call, cells = Call({"indices": indices}), result_cells([{"type": "weft_array **"}], out, "choose", {})
    listed = [call.operand(value) for value in choices]
    if mode is not None:
        options = call.keep(ffi.new("weft_index_params *", {"mode": enum_value("weft_index_mode", mode)}))
        listed.append({"kind": constants["WEFT_OPERAND_INDEXING"], "as": {"indexing": options}})
    check(lib.weft_choose(cells[0], call.array(indices), len(listed), call.list("weft_operand", listed)))
    return Array(cells[0][0])


def all_functions():
    """Every function by its name without weft_."""
    made = {}
    for name, function in functions.items():
        number = constants.get(f"WEFT_UFUNC_{name[5:].upper()}")
        one = make_ufunc(function, number) if number else make(function)
        if one:
            made[name[5:]] = one
    made.update({"eval": make_expression("eval", lambda call, listed, variables: []),
                 "select": make_expression("select", lambda call, listed, variables: []),
                 "reduce": make_expression("reduce", reduce_head), "at": at,
                 "where_first": where_first, "choose": choose,
                 "ravel_multi_index": ravel_multi_index})
    made.update(numpy_forms(dict(made)))
    return made

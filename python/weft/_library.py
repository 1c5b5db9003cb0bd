# SPDX-License-Identifier: MIT
"""The shared library, opened with the declarations of weft.json: `lib` and `ffi`."""
import json
import os
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent

# Weft's headers leave these structs to dlpack.h; the module calls the deleter of a tensor that nobody takes.
DLPACK = """
typedef struct DLTensor { void *data; int32_t device_type, device_id, ndim; uint8_t code, bits; uint16_t lanes;
                          int64_t *shape, *strides; uint64_t byte_offset; } DLTensor;
struct DLManagedTensor { DLTensor tensor; void *manager; void (*deleter)(struct DLManagedTensor *); };
struct DLManagedTensorVersioned { uint32_t major, minor; void *manager;
                                  void (*deleter)(struct DLManagedTensorVersioned *);
                                  uint64_t flags; DLTensor tensor; };
"""


def _variable(described):
    for kind in ("union", "struct"):
        if kind in described:
            return f"{kind} {{ {_members(described[kind])} }} {described['name']}"
    base, _, length = described["type"].partition("[")
    if "(*)" in base:
        return base.replace("(*)", f"(*{described['name']})")
    return f"{base} {described['name']}" + (f"[{length}" if length else "")


def _members(members):
    return " ".join(f"{_variable(member)};" for member in members)


def _types(found):
    yield DLPACK
    for enum in found["enums"]:
        values = ", ".join(f"{name} = {value}" for name, value in enum["values"].items())
        yield f"typedef enum {{ {values} }} {enum['name']};" if enum["name"] else f"enum {{ {values} }};"
    names = [*found["handles"], *(struct["name"] for struct in found["structs"])]
    yield from (f"typedef struct {name} {name};" for name in names)
    yield from (f"typedef {text};" for text in found["types"])
    yield from (f"struct {struct['name']} {{ {_members(struct['members'])} }};" for struct in found["structs"])


def _functions(found, ffi_):
    """libffi passes no union, so structs with one are passed as words. They are larger than two words, and so every
    ABI passes both in the same way."""
    for struct in found["structs"]:
        if any("union" in member for member in struct["members"]):
            words = ffi_.sizeof(struct["name"]) // 8
            assert words > 2
            WORDS.add(struct["name"])
            yield f"typedef struct {{ uint64_t word[{words}]; }} {struct['name']}_words;"
    for function in found["functions"]:
        parameters = [{**parameter, "type": parameter["type"] + ("_words" if parameter["type"] in WORDS else "")}
                      for parameter in function["parameters"]]
        yield f"{function['returns']} {function['name']}({', '.join(map(_variable, parameters)) or 'void'});"


WORDS = set()  # the structs that are passed so


def _open():
    """WEFT_LIBRARY names a libweft.so. Its weft.json is beside it, in share/weft of its installation, or in WEFT_JSON.
    Default: the module's own."""
    library = os.environ.get("WEFT_LIBRARY") or str(HERE / "libweft.so")
    beside = Path(library).with_name("weft.json")
    installed = (folder / "share/weft/weft.json" for folder in Path(library).absolute().parents)
    listed = Path(os.environ.get("WEFT_JSON") or
                  next((place for place in (beside, *installed) if place.exists()), beside))
    if not listed.exists():
        raise ImportError(f"{listed} is missing: install the module with pip install ./python, or set WEFT_LIBRARY to "
                          "a libweft.so and WEFT_JSON to its weft.json")
    found = json.loads(listed.read_text(encoding="utf-8"))
    ffi_ = cffi.FFI()
    ffi_.cdef("\n".join(_types(found)))
    ffi_.cdef("\n".join(_functions(found, ffi_)))
    return ffi_, ffi_.dlopen(library), found


ffi, lib, described = _open()
functions = {function["name"]: function for function in described["functions"]}
structs = {struct["name"]: struct["members"] for struct in described["structs"]}
enums = {enum["name"]: enum["values"] for enum in described["enums"] if enum["name"]}
constants = {name: value for enum in described["enums"] for name, value in enum["values"].items()}


class Error(Exception):
    """A failed call. `status` is the name of Weft's status; detail has a build log or a marked expression."""

    def __init__(self, message, status="", function="", argument="", detail=""):
        super().__init__(f"{message}\n{detail}" if detail else message)
        self.status, self.function, self.argument, self.detail = status, function, argument, detail


class ArgumentError(Error, ValueError):
    """An argument that the function cannot take."""


class IndexOutOfRange(Error, IndexError):
    """An index or an axis that the array does not have."""


class OutOfMemory(Error, MemoryError):
    """Memory of the device, of the host, or a budget ran out."""


def _kind_of(status):
    name = ffi.string(lib.weft_status_name(status)).decode()
    if name in ("WEFT_ERROR_INDEX", "WEFT_ERROR_AXIS", "WEFT_ERROR_BOUNDS"):
        return IndexOutOfRange
    if name in ("WEFT_ERROR_MEMORY", "WEFT_ERROR_HOST_MEMORY", "WEFT_ERROR_BUDGET"):
        return OutOfMemory
    return ArgumentError if 100 <= status < 200 else Error


def check(status):
    """Raises the calling thread's last error unless `status` is WEFT_OK."""
    if status:
        last = lib.weft_error_last()
        text = {name: ffi.string(getattr(last, name)).decode(errors="replace")
                for name in ("message", "function", "argument", "detail")}
        name = ffi.string(lib.weft_status_name(status)).decode()
        raise _kind_of(status)(text["message"] or name, name, text["function"], text["argument"], text["detail"])

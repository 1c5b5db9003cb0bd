# SPDX-License-Identifier: MIT
"""Array: Weft's arrays with Python's operators and indexing, NumPy's protocols, DLPack, and CUDA's dictionary."""
import ast
import ctypes
import operator
import sys
import types

import numpy

from ._convert import NAMES, Handle, as_contiguous, dtype_number, handle_class, is_number, shape_struct
from ._library import check, constants, ffi, lib

OPENCL, CUDA, CPU = 4, 2, 1  # kDLOpenCL, kDLCUDA, kDLCPU


def module():
    return sys.modules["weft"]


class _Array(Handle):
    """An array on the device. Functions of `weft` whose first operand is an array are also methods."""

    __slots__ = ()
    __array_ufunc__ = None  # NumPy leaves `numpy_array + x` to __radd__
    __hash__ = None

    @property
    def shape(self):
        shape = lib.weft_array_shape(self.pointer)
        return tuple(shape.dim[0:shape.ndim])

    ndim = property(lambda self: lib.weft_array_ndim(self.pointer))
    size = property(lambda self: lib.weft_array_size(self.pointer))
    nbytes = property(lambda self: lib.weft_array_size_bytes(self.pointer))
    T = property(lambda self: module().transpose(self))

    @property
    def dtype(self):
        """A numpy.dtype; "bf16" for that dtype, which NumPy does not have."""
        number = lib.weft_array_dtype(self.pointer)
        return numpy.dtype(NAMES[number]) if number in NAMES else ffi.string(lib.weft_dtype_name(number)).decode()

    def to_numpy(self):
        """Waits, and copies the elements to a new NumPy array (bf16: as float32)."""
        x = self if lib.weft_array_dtype(self.pointer) in NAMES else module().cast(self, "f32")
        made = numpy.empty(x.shape, x.dtype)
        check(lib.weft_to_host(ffi.cast("void *", made.ctypes.data), made.nbytes, x.pointer))
        return made

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("an array on a device cannot become a NumPy array without a copy")
        made = self.to_numpy()
        return made if dtype is None else made.astype(dtype, copy=False)

    def item(self):
        return self.to_numpy().item()

    def astype(self, dtype):
        return module().cast(self, dtype)

    def __repr__(self):
        return module().array_describe(self) + "\n" + str(self)

    def __str__(self):
        return module().array_to_text(self)

    def __len__(self):
        if not self.ndim:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __bool__(self):
        return bool(self.to_numpy())

    def __int__(self):
        return int(self.item())

    def __float__(self):
        return float(self.item())

    def __complex__(self):
        return complex(self.item())

    def __getitem__(self, key):
        weft, keys = module(), key if isinstance(key, tuple) else (key,)
        arrays = [index_array(part) for part in keys]
        if not any(array is not None for array in arrays):
            return weft.view(self, index_text(keys))
        if len(keys) == 1 and dtype_of(arrays[0]) == "bool":
            return weft.compress(arrays[0], self)
        if len(keys) == 1:
            return weft.take(self, arrays[0], 0)
        if all(array is not None for array in arrays) and "bool" not in map(dtype_of, arrays):
            return weft.at(self, *arrays)
        raise IndexError("an index has slices and ints, or arrays of ints, or one mask")

    def __setitem__(self, key, value):
        weft, array = module(), index_array(key)
        if array is not None and dtype_of(array) == "bool":
            weft.assign(self, array, value)
        elif array is not None:
            weft.scatter(self, array, value, 0)
        else:
            part = self[key]
            weft.copy(weft.broadcast(array_of(value, self), part.shape), out=part)

    @property
    def __cuda_array_interface__(self):
        """For CuPy, Numba and PyTorch: of arrays that CUDA sees, in contexts with cuda=True."""
        if not is_seen_by_cuda(self):
            raise AttributeError("CUDA does not see this array: make its context with cuda=True or WEFT_CUDA=1")
        text = ffi.new("char **")
        check(lib.weft_array_interface(text, self.pointer))
        try:
            return ast.literal_eval(ffi.string(text[0]).decode())
        finally:
            lib.weft_free(text[0])

    def __dlpack_device__(self):
        """CUDA's device if CUDA sees the array. Else, of a CPU device, memory that NumPy can read, and of another one
        the OpenCL device's number."""
        if is_seen_by_cuda(self):
            out = ffi.new("struct DLManagedTensorVersioned **")
            check(lib.weft_to_dlpack(out, self.pointer, ffi.NULL))
            number = out[0].tensor.device_id
            out[0].deleter(out[0])
            return CUDA, number
        context = lib.weft_array_context(self.pointer)
        info = ffi.new("weft_device_info *")
        check(lib.weft_context_get_device(info, context))
        return (CPU, 0) if info.type == constants["WEFT_DEVICE_TYPE_CPU"] else (OPENCL, info.index)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A copy for consumers on the CPU (dl_device (1, 0)); Weft's own memory for consumers of OpenCL buffers, and of
        CUDA's if CUDA sees it. `stream`: of a CUDA consumer, as in Python's DLPack."""
        device = tuple(map(int, dl_device or self.__dlpack_device__()))
        if device[0] == CPU:
            if copy is False:
                raise BufferError("the CPU's DLPack needs a copy of Weft's memory; OpenCL consumers do not")
            return self.to_numpy().__dlpack__()
        seen = is_seen_by_cuda(self)
        if device[0] not in ((OPENCL, CUDA) if seen else (OPENCL,)) or copy:
            raise BufferError(f"Weft exports DLPack tensors to OpenCL devices, to the CPU, and to CUDA from contexts "
                              f"with cuda=True, not to device {device}")
        versioned = max_version is not None and max_version[0] >= 1
        return export_tensor(self, "dltensor_versioned" if versioned else "dltensor", device[0] == CUDA, stream)


Array = handle_class("weft_array", _Array)


def is_seen_by_cuda(array):
    address = ffi.new("void **")
    return lib.weft_cuda_pointer(address, array.pointer) == 0 and address[0] != ffi.NULL


def dtype_of(array):
    return str(array.dtype)


def index_array(part):
    """An index that is an array, a list of indices or a mask; None: an int, a slice and so on."""
    if isinstance(part, Array):
        return part
    if isinstance(part, (list, numpy.ndarray)) and not (isinstance(part, numpy.ndarray) and part.ndim == 0):
        return from_numpy(part)
    return None


def index_text(keys):
    """An index of ints, slices, ... and None as the text of weft_view."""
    parts = []
    for part in keys:
        if isinstance(part, slice):
            step = () if part.step is None else (part.step,)
            parts.append(":".join("" if end is None else str(operator.index(end))
                                  for end in (part.start, part.stop, *step)))
        elif part is None or part is Ellipsis:
            parts.append("newaxis" if part is None else "...")
        elif isinstance(part, bool) or not hasattr(part, "__index__"):
            raise IndexError(f"an index is an int, a slice, ..., None, or an array of ints or bools, not {part!r}")
        else:
            parts.append(str(operator.index(part)))
    return ", ".join(parts) or "..."


def from_numpy(value, dtype=None, context=None):
    """A new array with the elements of a NumPy array, a list or a number."""
    name = None if dtype is None else NAMES.get(dtype_number(dtype))  # bf16: asarray casts
    host = as_contiguous(value if name is None else numpy.asarray(value, name))
    out = ffi.new("weft_array **")
    check(lib.weft_from_host(out, context.pointer if context else ffi.NULL, dtype_number(host.dtype),
                             shape_struct(host.shape), ffi.cast("const void *", host.ctypes.data)))
    return Array(out[0])


def context_of(array):
    """The context of an array, for functions here; None: the default one."""
    return None if array is None else types.SimpleNamespace(pointer=lib.weft_array_context(array.pointer))


def array_of(value, like=None):
    """`value` as an operand, in the context of `like`. A Python number takes the dtype of `like` if its kind fits, as
    in NumPy 2."""
    if isinstance(value, Array):
        return value
    context = context_of(like)
    if like is not None and is_number(value) and not isinstance(value, numpy.generic) and like.dtype != "bf16":
        dtype = numpy.result_type(like.dtype, numpy.min_scalar_type(value))
        fits = "biufc".index(numpy.asarray(value).dtype.kind) <= "biufc".index(like.dtype.kind)
        return from_numpy(numpy.asarray(value, like.dtype if fits else dtype), context=context)
    return asarray(value, context=context)


def asarray(value, dtype=None, context=None):
    """An array of a NumPy array, a list, a number, or an object with DLPack or CUDA's dictionary; an Array stays as it
    is."""
    if not isinstance(value, Array):
        if hasattr(value, "__dlpack__") and not isinstance(value, (numpy.ndarray, numpy.generic)):
            value = from_dlpack(value, context)
        elif hasattr(value, "__cuda_array_interface__"):
            value = from_cuda(value, context)
        else:
            value = from_numpy(value, dtype, context)
    if dtype is not None and dtype_number(dtype) != lib.weft_array_dtype(value.pointer):
        value = module().cast(value, dtype)
    return value


# ---- CUDA's dictionary -----------------------------------------------------------------------------------------------

_owners = {}  # of the memory that arrays use, by number


@ffi.callback("void(void *)")
def _forget(number):
    _owners.pop(int(ffi.cast("uintptr_t", number)), None)


def from_cuda(value, context=None):
    """An array on the memory of an object with `__cuda_array_interface__`, or a copy on the device, if CUDA cannot
    export the memory."""
    found = value.__cuda_array_interface__
    if found.get("mask") is not None:
        raise BufferError("Weft has no masked arrays")
    shape, strides = tuple(found["shape"]), found.get("strides")
    number = next(n for n in range(1, len(_owners) + 2) if n not in _owners)
    _owners[number] = value
    kept = ffi.NULL if strides is None else ffi.new("int64_t[]", list(strides))
    options = {"stride_bytes": kept, "read_only": bool(found["data"][1]), "give_back": _forget,
               "user": ffi.cast("void *", number),
               "cuda_stream": ffi.cast("struct CUstream_st *", found.get("stream") or 0)}
    out = ffi.new("weft_array **")
    try:
        check(lib.weft_from_cuda(out, context.pointer if context else ffi.NULL, dtype_number(found["typestr"]),
                                 shape_struct(shape), ffi.cast("void *", found["data"][0]),
                                 ffi.new("weft_cuda_params *", options)))
    except Exception:
        _owners.pop(number, None)
        raise
    return Array(out[0])


class Outside:
    """A result that is an object with `__cuda_array_interface__`: Weft's work waits for the stream's work so far, and
    the stream's later work waits for Weft's."""

    def __init__(self, value, context=None):
        found = value.__cuda_array_interface__
        self.value, self.array = value, from_cuda(value, context)
        self.stream = ffi.cast("struct CUstream_st *", found.get("stream") or 0)
        address = ffi.new("void **")
        if (self.array.size and
                (lib.weft_cuda_pointer(address, self.array.pointer) or
                 int(ffi.cast("uintptr_t", address[0])) != found["data"][0])):
            raise BufferError("out is in memory that CUDA cannot export, so Weft cannot write to it; "
                              "weft.cupy_allocator makes CuPy's arrays in memory that it can")

    def finish(self):
        check(lib.weft_cuda_stream_after(self.stream, lib.weft_array_context(self.array.pointer)))
        return self.value


class _Lent:
    """Memory for CuPy. Weft's work that reuses it waits for the stream that it was taken for, and for CuPy's stream at
    its end. Work that other streams still have on it is the caller's to wait for, as with CuPy's own pool."""

    def __init__(self, array, cupy, stream):
        self.array, self.cupy, self.stream = array, cupy, stream

    def __del__(self):
        context = lib.weft_array_context(self.array.pointer)
        now = ffi.cast("struct CUstream_st *", self.cupy.cuda.get_current_stream().ptr)
        for stream in {self.stream, now}:
            if lib.weft_context_after_cuda(context, stream):
                self.cupy.cuda.runtime.deviceSynchronize()


def cupy_allocator(context=None):
    """A function for cupy.cuda.set_allocator: CuPy's arrays are then in memory of a Weft context made with cuda=True,
    so that Weft's functions take them, and write to them, without a copy."""
    import cupy

    def allocate(size):
        array = module().empty("u1", (max(size, 1),), context=context)
        stream = ffi.cast("struct CUstream_st *", cupy.cuda.get_current_stream().ptr)
        check(lib.weft_cuda_stream_after(stream, lib.weft_array_context(array.pointer)))
        address = array.__cuda_array_interface__["data"][0]
        return cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(address, size, _Lent(array, cupy, stream)), 0)

    return allocate


# ---- DLPack ----------------------------------------------------------------------------------------------------------

_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_IsValid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_api.PyCapsule_SetName.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_FORMS = {"dltensor": ("struct DLManagedTensor", "weft_to_dlpack_unversioned", "weft_from_dlpack_unversioned"),
          "dltensor_versioned": ("struct DLManagedTensorVersioned", "weft_to_dlpack", "weft_from_dlpack")}
_NAMES = {name: name.encode() for name in (*_FORMS, *(f"used_{name}" for name in _FORMS))}  # capsules borrow them


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _drop(capsule):
    """Gives a tensor back that nobody took."""
    for name, (type_, _, _) in _FORMS.items():
        if _api.PyCapsule_IsValid(capsule, _NAMES[name]):
            tensor = ffi.cast(f"{type_} *", _api.PyCapsule_GetPointer(capsule, _NAMES[name]))
            if tensor.deleter:
                tensor.deleter(tensor)


def export_tensor(x, name, for_cuda, stream):
    type_, export, _ = _FORMS[name]
    out, options = ffi.new(f"{type_} **"), ffi.new("weft_dlpack_params *")
    if for_cuda and stream not in (None, -1):  # 1 and 2 are CUDA's default streams; -1 asks for no order
        options.cuda_stream = ffi.cast("struct CUstream_st *", stream)
    if not for_cuda and is_seen_by_cuda(x):
        options.cl_queue = lib.weft_context_cl_queue(lib.weft_array_context(x.pointer))
    check(getattr(lib, export)(out, x.pointer, options))
    return _api.PyCapsule_New(int(ffi.cast("uintptr_t", out[0])), _NAMES[name], _drop)


def from_dlpack(value, context=None):
    """An array on another library's OpenCL buffer of the same cl_context, on CUDA's memory (or a copy of it on the
    device, where it cannot be shared), or a copy of memory of the CPU."""
    device = tuple(map(int, value.__dlpack_device__()))
    if device[0] == CPU:
        return from_numpy(numpy.from_dlpack(value), None, context)
    if device[0] not in (OPENCL, CUDA):
        raise BufferError(f"Weft takes DLPack tensors of OpenCL, of CUDA and of the CPU, not of device {device}")
    capsule = value.__dlpack__(stream=1) if device[0] == CUDA else value.__dlpack__()  # 1: CUDA's default stream
    for name, (type_, _, take) in _FORMS.items():
        if _api.PyCapsule_IsValid(id(capsule), _NAMES[name]):
            out = ffi.new("weft_array **")
            tensor = ffi.cast(f"{type_} *", _api.PyCapsule_GetPointer(id(capsule), _NAMES[name]))
            check(getattr(lib, take)(out, context.pointer if context else ffi.NULL, tensor))
            _api.PyCapsule_SetName(id(capsule), _NAMES[f"used_{name}"])
            return Array(out[0])
    raise BufferError("the object's DLPack capsule was used already")

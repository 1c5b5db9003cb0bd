#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PyOpenCL and Weft on the same buffers, in one OpenCL context, without a copy: pyopencl_arrays.py LIBWEFT

PyOpenCL creates context, queue and arrays, independently of Weft. Weft (its shared library, by ctypes) adopts them and
lends its own. Each check compares the cl_mem handles of both sides, and each side reads the other's writes.
WEFT_TEST_DEVICE selects the device. Exits with 77 without PyOpenCL or the device."""

import ast
import ctypes
import os
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

SKIP = 77


def skip(why):
    print(f'pyopencl: SKIP: {why}')
    sys.exit(SKIP)


try:
    import numpy as np
    import pyopencl as cl
    import pyopencl.array
except ImportError as missing:
    skip(f'{missing} (Debian: python3-pyopencl)')

# ---- Weft's C interface, as far as this test needs it ----

MAX_NDIM = 8
I32, F32, F64 = 4, 11, 12
ARG_ARRAY, ARG_DIM3 = 2, 6
OPERAND_ARRAY, OPERAND_RESULT = 1, 4
UFUNC_ADD = 1
SITE = b'pyopencl_arrays.py'


class Shape(Structure):
    _fields_ = [('ndim', c_int), ('dim', c_int64 * MAX_NDIM)]


class Axes(Structure):
    _fields_ = [('count', c_int), ('keepdims', ctypes.c_bool), ('axis', c_int * MAX_NDIM)]


class SliceParams(Structure):
    _fields_ = [('step', c_int64), ('site', c_char_p)]


class Scalar(Structure):
    _fields_ = [('value', c_double * 2), ('dtype', c_int)]


class Dim3(Structure):
    _fields_ = [('x', c_uint64), ('y', c_uint64), ('z', c_uint64)]


class Arg(Structure):  # the union's words
    _fields_ = [('kind', c_int), ('word', c_uint64 * 3)]


class Operand(Structure):
    _fields_ = [('kind', c_int), ('name', c_char_p), ('word', c_uint64 * 11)]


class Error(Structure):
    _fields_ = [('status', c_int), ('cl_code', c_int),
                *((name, c_char_p) for name in ('cl_name', 'function', 'argument', 'site', 'message', 'detail'))]


weft = ctypes.CDLL(sys.argv[1])
for function, restype in (('weft_error_last', POINTER(Error)), ('weft_version', c_char_p),
                          ('weft_array_cl_mem', c_void_p)):
    getattr(weft, function).restype = restype


class WeftError(Exception):
    def __init__(self, status):
        super().__init__(weft.weft_error_last().contents.message.decode())
        self.status = status


def call(name, *arguments):
    status = getattr(weft, name)(*arguments)
    if status:
        raise WeftError(status)


def shape_of(lengths):
    return Shape(len(lengths), (c_int64 * MAX_NDIM)(*lengths))


def make(name, *arguments):
    """A call whose first argument is its result; functions that make something get the call's site as their last
    argument."""
    out = c_void_p()
    call(name, byref(out), *arguments)
    return out


def release(handle):
    weft.weft_array_release(byref(handle))


def handle_of(array):
    """The cl_mem and the offset in bytes."""
    offset = c_size_t()
    return weft.weft_array_cl_mem(array, byref(offset)), offset.value


def to_numpy(array, dtype, shape):
    host = np.empty(shape, dtype)
    call('weft__to_host_at', host.ctypes.data_as(c_void_p), c_size_t(host.nbytes), array, SITE)
    return host


def number(value):
    return Scalar((c_double * 2)(value), F64)


def fill(array, value):
    call('weft__fill_at', array, number(value), SITE)


def arange(context, dtype, size):
    return make('weft__arange_at', context, dtype, number(0), number(size), number(1), SITE)


def sliced(array, axis, start, stop, step=1):
    return make('weft_slice', array, Axes(1, False, (c_int * MAX_NDIM)(axis)), c_int64(start), c_int64(stop),
                ctypes.byref(SliceParams(step)))


def add(out, x, y):
    """out = x + y on the device, by weft_add."""
    operands = (Operand * 3)(Operand(OPERAND_RESULT, None, (c_uint64 * 11)(ctypes.addressof(out))),
                             *(Operand(OPERAND_ARRAY, None, (c_uint64 * 11)(array.value)) for array in (x, y)))
    call('weft__ufunc_apply_at', UFUNC_ADD, 3, operands, SITE)


class KernelParams(Structure):
    _fields_ = [('source', c_char_p), ('others', c_void_p * 3), ('code_bytes', c_size_t * 2), ('name', c_char_p),
                ('rest', c_void_p * 5)]


TWICE = b'kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }'


def twice(context, x, size):
    """x *= 2 on the device, by a user kernel."""
    kernel = make('weft_kernel_create', context, byref(KernelParams(source=TWICE, name=b'twice')))
    arguments = (Arg * 2)(Arg(ARG_DIM3, (c_uint64 * 3)(100, 1, 1)), Arg(ARG_ARRAY, (c_uint64 * 3)(x.value)))
    call('weft_launch', kernel, Dim3(size // 100, 1, 1), 2, arguments)
    weft.weft_kernel_release(byref(kernel))


# ---- DLPack, from its published layout ----

class DLTensor(Structure):
    _fields_ = [('data', c_void_p), ('device_type', c_int32), ('device_id', c_int32), ('ndim', c_int32),
                ('code', c_uint8), ('bits', c_uint8), ('lanes', c_uint16), ('shape', POINTER(c_int64)),
                ('strides', POINTER(c_int64)),
                ('byte_offset', c_uint64)]


class DLManagedTensorVersioned(Structure):
    pass


DELETER = CFUNCTYPE(None, POINTER(DLManagedTensorVersioned))
DLManagedTensorVersioned._fields_ = [('major', c_uint32), ('minor', c_uint32), ('manager_ctx', c_void_p),
                                     ('deleter', DELETER),
                                     ('flags', c_uint64), ('dl_tensor', DLTensor)]

# ---- the checks ----

N = 100000


class Both:
    """One device, PyOpenCL's cl_context and queue, and the Weft context around them."""

    def __init__(self):
        selector = os.environ.get('WEFT_TEST_DEVICE', '').encode()
        index = c_int()
        try:
            call('weft_device_find', byref(index), selector)
        except WeftError as error:
            if os.environ.get('WEFT_TEST_STRICT', '0') not in ('', '0') and os.environ.get('WEFT_TEST_ANY', '0') != '1':
                sys.exit(f'pyopencl: FAIL: {error}')
            skip(f'no device "{selector.decode()}" here: {error}')
        device = [d for platform in cl.get_platforms() for d in platform.get_devices()][index.value]
        print(f'pyopencl {cl.VERSION_TEXT} on {device.name}')
        self.cl_context = cl.Context([device])
        self.queue = cl.CommandQueue(self.cl_context)
        self.context = make('weft_context_adopt', c_void_p(self.cl_context.int_ptr), c_void_p(self.queue.int_ptr), None)

    def adopt(self, x):
        """Weft around a PyOpenCL array."""
        dtype = {'f4': F32, 'i4': I32}[x.dtype.str[1:]]
        return make('weft__array_adopt_at', self.context, c_void_p(x.base_data.int_ptr), c_size_t(x.offset), dtype,
                    shape_of(x.shape), SITE)

    def wrap(self, handle, dtype, shape, offset=0, strides=None):
        """PyOpenCL around a cl_mem."""
        memory = cl.MemoryObject.from_int_ptr(handle, retain=True)
        return cl.array.Array(self.queue, shape, np.dtype(dtype), data=memory, offset=offset, strides=strides)


def weft_works_on_theirs(both):
    """The document's ten numbers: x + 2x, with all three arrays PyOpenCL's."""
    x = cl.array.arange(both.queue, N, dtype=np.float32)
    y = x.copy()
    out = cl.array.empty_like(y)
    a, b, c = (both.adopt(array) for array in (x, y, out))
    assert handle_of(c) == (out.base_data.int_ptr, 0)
    twice(both.context, b, N)
    add(c, a, b)
    assert handle_of(c) == (out.base_data.int_ptr, 0)  # in place
    print(out[:10])
    assert str(out[:10]) == '[ 0.  3.  6.  9. 12. 15. 18. 21. 24. 27.]'
    assert (out.get() == 3 * np.arange(N, dtype=np.float32)).all()
    part = both.adopt(out[1000:2000])  # a part of the same buffer
    assert handle_of(part) == (out.base_data.int_ptr, 4000)
    fill(part, -1)
    expected = 3 * np.arange(N, dtype=np.float32)
    expected[1000:2000] = -1
    assert (out.get() == expected).all()
    out += 1  # PyOpenCL continues after Weft, on the same queue
    assert (to_numpy(c, np.float32, N) == expected + 1).all()
    for array in (a, b, c, part):
        release(array)
    assert (out.get() == expected + 1).all()  # released by Weft, still held by PyOpenCL


def they_work_on_ours(both):
    ours = arange(both.context, I32, N)
    handle, offset = handle_of(ours)
    theirs = both.wrap(handle, np.int32, (N,), offset)
    assert theirs.base_data.int_ptr == handle
    theirs *= 2
    theirs[:10].fill(7)
    expected = 2 * np.arange(N, dtype=np.int32)
    expected[:10] = 7
    assert (to_numpy(ours, np.int32, N) == expected).all()
    tail = sliced(ours, 0, N - 100, N)
    fill(tail, 5)
    expected[-100:] = 5
    assert (theirs.get() == expected).all()
    release(tail)
    release(ours)  # last: the pool then reuses its memory, even if others hold the cl_mem


def the_dictionary_is_enough(both):
    """The printed text alone is enough to find the values."""
    line = arange(both.context, F32, 2000)
    ours = make('weft__reshape_at', line, shape_of((40, 50)), SITE)
    view = sliced(ours, 1, 10, 50, 2)
    for array, shape in ((ours, (40, 50)), (view, (40, 20))):
        text = c_char_p()
        call('weft_array_interface', byref(text), array)
        print(text.value.decode())
        d = ast.literal_eval(text.value.decode())
        weft.weft_free(text)
        seen = d['shape'], d['typestr'], d['descr'], d['data'][1], d['version']
        assert seen == (shape, '<f4', [('', '<f4')], False, 0)
        memory = cl.MemoryObject.from_int_ptr(d['data'][0], retain=True)
        host = np.empty(memory.size, np.uint8)
        cl.enqueue_copy(both.queue, host, memory)
        theirs = np.ndarray(d['shape'], d['typestr'], host, d.get('offset', 0), d.get('strides'))
        assert (theirs == to_numpy(array, np.float32, shape)).all()
    for array in (view, ours, line):
        release(array)


def dlpack_out(both):
    ours = arange(both.context, F32, 24)
    table = make('weft__reshape_at', ours, shape_of((4, 6)), SITE)
    tensor = POINTER(DLManagedTensorVersioned)()
    call('weft_to_dlpack', byref(tensor), table, None)
    release(table)
    release(ours)  # from here on only the tensor holds the memory
    t = tensor.contents.dl_tensor
    assert (tensor.contents.major, t.device_type, t.code, t.bits, t.lanes) == (1, 4, 2, 32, 1)
    theirs = both.wrap(t.data, np.float32, tuple(t.shape[:t.ndim]), t.byte_offset,
                       tuple(4 * s for s in t.strides[:t.ndim]))
    theirs += 1
    assert (theirs.get() == np.arange(1, 25, dtype=np.float32).reshape(4, 6)).all()
    tensor.contents.deleter(tensor)


def dlpack_in(both):
    theirs = cl.array.arange(both.queue, N, dtype=np.float32)
    deleted = []
    deleter = DELETER(lambda tensor: deleted.append(True))
    shape, strides = (c_int64 * 1)(N // 2), (c_int64 * 1)(-2)  # every second one, backwards
    tensor = DLManagedTensorVersioned(1, 0, None, deleter, 0,
                                      DLTensor(theirs.base_data.int_ptr, 4, 0, 1, 2, 32, 1, shape, strides,
                                               4 * (N - 1)))
    ours = make('weft__from_dlpack_at', both.context, byref(tensor), SITE)
    assert handle_of(ours) == (theirs.base_data.int_ptr, 4 * (N - 1))
    assert (to_numpy(ours, np.float32, N // 2) == np.arange(N, dtype=np.float32)[::-2]).all()
    fill(ours, 0)
    head = sliced(ours, 0, 0, 10)
    release(ours)
    assert not deleted
    release(head)
    assert len(deleted) == 1
    expected = np.arange(N, dtype=np.float32)
    expected[1::2] = 0
    assert (theirs.get() == expected).all()


def main():
    both = Both()
    checks = [weft_works_on_theirs, they_work_on_ours, the_dictionary_is_enough, dlpack_out, dlpack_in]
    for check in checks:
        check(both)
        print(f'{check.__name__}: fine')
    call('weft_context_close', byref(both.context))  # an error if anything was leaked
    both.queue.finish()
    print(f'pyopencl: {len(checks)} checks')


main()

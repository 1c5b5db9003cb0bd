#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weft's arrays as CUDA arrays of CuPy, PyTorch, Numba and cuBLAS, and theirs in Weft, on an NVIDIA GPU. It uses Weft's
Python module on the built library (WEFT_LIBRARY). Libraries that are missing are left out; without any of them, without
a GPU or without CUDA it is skipped (exit status 77). The programs of docs/interop.md must print what they say.

    WEFT_LIBRARY=build/src/libweft.so PYTHONPATH=python tests/interop/cuda_arrays.py [--time]
"""
import argparse
import contextlib
import ctypes
import ctypes.util
import importlib
import io
import re
import sys
import time
from pathlib import Path

SKIP = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


try:
    import numpy as np
except ImportError as no_numpy:
    skip(no_numpy)


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"no {name}: {error}")
        return None


def expect(name, holds):
    print(f"{name}: {'ok' if holds else 'WRONG'}")
    if not holds:
        sys.exit(1)


def address(x):
    return x.__cuda_array_interface__["data"][0]


def copied_bytes(weft, context):
    found = weft.memory_get(context)
    return found["to_device_bytes"], found["to_host_bytes"]


def order(weft, context):
    """Weft's later work waits for what CUDA's default stream has."""
    weft.context_after_cuda(None, context=context)


def with_cupy(weft, context, cp):
    """The arrays of CuPy's document: x and y of 10 numbers, and their sum in a third."""
    x, y, out = (weft.empty(10, "f4", context=context) for _ in range(3))
    x_cp, y_cp, out_cp = cp.asarray(x), cp.asarray(y), cp.asarray(out)
    expect("CuPy: the same addresses", [a.data.ptr for a in (x_cp, y_cp, out_cp)] == [address(a) for a in (x, y, out)])
    x_cp[:] = cp.arange(10, dtype="f4")
    y_cp[:] = x_cp * 2
    cp.cuda.get_current_stream().synchronize()
    before = copied_bytes(weft, context)
    weft.add(x, y, out=out)
    weft.context_wait(context)
    expect("CuPy: nothing copied", copied_bytes(weft, context) == before)
    print("CuPy:", out_cp)
    expect("CuPy: Weft's sum", bool((out_cp == cp.arange(10, dtype="f4") * 3).all()))
    document_program(weft, context, cp)
    mine = cp.arange(1000, dtype="f4")  # CuPy's own memory: copied, on the device
    cp.cuda.get_current_stream().synchronize()
    taken = weft.from_dlpack(mine, context=context)
    expect("CuPy: its own array", np.array_equal(taken.to_numpy(), np.arange(1000, dtype="f4")))


def document_program(weft, context, cp):
    """The document's program: CuPy's own arrays in, and out. CuPy takes its memory from Weft, so nothing is copied."""
    cp.cuda.set_allocator(weft.cupy_allocator(context))
    try:
        x_cp, y_cp = cp.arange(10, dtype="f4"), cp.arange(10, dtype="f4") * 2
        out_cp = cp.empty_like(y_cp)
        before = copied_bytes(weft, context)
        weft.add(x_cp, y_cp, out=out_cp)
        expect("CuPy: its own arrays, nothing copied", copied_bytes(weft, context) == before)
        print("add_ufunc(x_cp, y_cp, out=out_cp):", out_cp)
        expect("CuPy: Weft's sum in its own array", bool((out_cp == cp.arange(10, dtype="f4") * 3).all()))
        del x_cp, y_cp, out_cp
    finally:
        cp.cuda.set_allocator(None)


def with_torch(weft, context, torch):
    x = weft.asarray(np.arange(1000, dtype="f4"), context=context)
    t = torch.from_dlpack(x)
    expect("PyTorch: the same address", t.data_ptr() == address(x))
    weft.multiply(x, 2, out=x)
    weft.context_wait(context)
    expect("PyTorch: sees Weft's change", bool((t.cpu() == torch.arange(1000) * 2).all()))
    t.add_(1)
    order(weft, context)
    expect("PyTorch: Weft sees its change", np.array_equal(x.to_numpy(), np.arange(1000, dtype="f4") * 2 + 1))
    own = torch.arange(1000, device=t.device, dtype=torch.float32)
    taken = weft.from_dlpack(own, context=context)
    expect("PyTorch: its own tensor", np.array_equal(taken.to_numpy(), np.arange(1000, dtype="f4")))


def with_numba(weft, context, cuda):
    x = weft.asarray(np.arange(1000, dtype="f4"), context=context)
    n = cuda.from_cuda_array_interface(x.__cuda_array_interface__, owner=x)
    expect("Numba: the same address", n.device_ctypes_pointer.value == address(x))

    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # NumPy 2.5 has no such function any more; Numba's compiler looks for it

    @cuda.jit
    def twice(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= 2

    twice[8, 128](n)
    order(weft, context)
    expect("Numba: Weft sees its kernel's work", np.array_equal(x.to_numpy(), np.arange(1000, dtype="f4") * 2))


def with_cublas(weft, context, library):
    """A product by cuBLAS on Weft's stream, between Weft's work and Weft's work."""
    n = 64
    a, b = (weft.asarray(np.random.default_rng(k).random((n, n), dtype="f4"), context=context) for k in (1, 2))
    c = weft.empty((n, n), "f4", context=context)
    a = weft.multiply(a, 2)
    stream = weft.context_cuda_stream(context)
    handle, one, zero = ctypes.c_void_p(), ctypes.c_float(1), ctypes.c_float(0)
    expect("cuBLAS: opened", library.cublasCreate_v2(ctypes.byref(handle)) == 0 and
           library.cublasSetStream_v2(handle, ctypes.c_void_p(stream)) == 0)
    weft.cuda_stream_after(stream, context=context)
    code = library.cublasSgemm_v2(handle, 0, 0, n, n, n, ctypes.byref(one), ctypes.c_void_p(address(b)), n,
                                  ctypes.c_void_p(address(a)), n, ctypes.byref(zero), ctypes.c_void_p(address(c)), n)
    weft.context_after_cuda(stream, context=context)
    product = weft.add(c, 1).to_numpy()
    library.cublasDestroy_v2(handle)
    expect("cuBLAS: the product", code == 0 and np.allclose(product, a.to_numpy() @ b.to_numpy() + 1, rtol=1e-3))


def document(name):
    """The program of docs/interop.md that begins with the import of `name`, and the lines that it must print."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "interop.md").read_text(encoding="utf-8")
    programs = re.findall(rf"```python\n(import {re.escape(name)}\n.*?)```", text, re.DOTALL)
    if len(programs) != 1:
        sys.exit(f"docs/interop.md has {len(programs)} programs of {name}")
    return programs[0], re.findall(r"^print\(.*\)  # (.*)$", programs[0], re.MULTILINE)


def run_document(name):
    program, expected = document(name)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, f"docs/interop.md, {name}", "exec"), {"__name__": name})  # noqa: S102
    if name == "cupy":
        load(name).cuda.set_allocator(None)
    if printed.getvalue().splitlines() != expected:
        print(printed.getvalue())
    expect(f"{name}: the program of docs/interop.md", expected and printed.getvalue().splitlines() == expected)


def timings(weft, context):
    """Microseconds of a call of add with 100000 numbers, as the founding document's table has them: 1570 for host
    arrays, 608 with arrays on the device, 519 with the result given."""
    host = [np.random.default_rng(k).random(100000, dtype="f4") for k in (1, 2)]
    x, y = (weft.asarray(h, context=context) for h in host)
    out = weft.empty(100000, "f4", context=context)

    def median(call):
        took = []
        for _ in range(200):
            begin = time.perf_counter()
            call()
            weft.context_wait(context)
            took.append(time.perf_counter() - begin)
        return sorted(took)[len(took) // 2] * 1e6

    both = median(lambda: weft.add(weft.asarray(host[0], context=context), host[1]).to_numpy())
    print(f"host arrays and back  {both:8.1f} us")
    print(f"arrays on the device  {median(lambda: weft.add(x, y)):8.1f} us")
    print(f"with the result given {median(lambda: weft.add(x, y, out=out)):8.1f} us")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    arguments.add_argument("--time", action="store_true", help="also measure the founding document's calls")
    arguments = arguments.parse_args()
    for name in ("cupy", "torch", "numba.cuda"):
        document(name)
    try:
        import weft
    except (ImportError, OSError) as error:
        skip(error)
    try:
        context = weft.context_create(device="gpu", cuda=True)
    except weft.Error as error:
        skip(error)
    cublas = ctypes.util.find_library("cublas")
    done = 0
    for name, test in (("cupy", with_cupy), ("torch", with_torch), ("numba.cuda", with_numba)):
        library = load(name)
        if library:
            test(weft, context, library)
            run_document(name)
            done += 1
    if cublas:
        with_cublas(weft, context, ctypes.CDLL(cublas))
        done += 1
    if arguments.time:
        timings(weft, context)
    if not done:
        skip("no CuPy, no PyTorch, no Numba, no cuBLAS")


if __name__ == "__main__":
    main()

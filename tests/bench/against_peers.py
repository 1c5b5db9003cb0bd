#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Matrices, transforms, sparse products, filters and calls over whole arrays beside the peers: PyTorch and CuPy on a
GPU, NumPy and SciPy on a CPU.

  against_peers.py [--device nvidia] [--only REGEX] [--seconds N] [--json FILE] MATRICES

MATRICES is the program made from matrices.c. Each row is measured as peers, Weft, peers, Weft, timed in the
same way, in one run on one machine; the table has the smaller time of each side. RATIO is the fastest peer's time over
Weft's. Rows that would begin after --seconds are left out, and counted. Exits with 77 where no peer is installed, and
with 1 if a row of Weft failed.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

RUNS = 5
RUN_S = 0.02
LONGEST_RUN = 1000
REST_S = 0.2  # on a CPU: threads of a BLAS wait in a loop for more work, and take the cores from the other side

# name, what, dtype, precision, batch, m, n, k, ratio asked; `what` is a name in matrices.c
def product(dtype, precision, n, asked):
    label = dtype if precision == "exact" else f"{dtype} ({precision})"
    return (f"matmul {label} {n}", "matmul", dtype, precision, 1, n, n, n, asked)


def batched(batch, n):
    return (f"matmul f32, {batch} of {n}", "matmul", "f32", "exact", batch, n, n, n, 1.0)


def transform(dtype, batch, power, asked):
    what = "fft" if dtype == "c64" else "rfft"
    return (f"{what} {dtype}, {batch} of 2^{power}", what, dtype, "exact", batch, 0, 1 << power, 0, asked)


def solver(what, batch, n, k=1):
    label = f"{n}" if batch == 1 else f"{batch} of {n}"
    return (f"{what} f32 {label}", what, "f32", "exact", batch, n, n, k, None)


GPU = [
    *(product("f32", "exact", n, asked) for n, asked in ((1024, 0.9), (4096, 0.95), (8192, 0.95))),
    *(product("f32", "f32", n, 1.6 if n > 1024 else 0.9) for n in (1024, 4096, 8192)),
    *(product("f32", "tf32", n, 0.8 if n > 1024 else 0.9) for n in (1024, 4096, 8192)),
    *(product(dtype, "exact", n, 0.8 if n > 1024 else 0.9) for dtype in ("f16", "bf16") for n in (1024, 4096, 8192)),
    *(product("f64", "exact", n, 0.9) for n in (1024, 4096, 8192)),
    *(product("i8", "exact", n, None) for n in (1024, 4096)),
    batched(100000, 16), batched(16384, 64), batched(1024, 256),
    ("copy f32 8192", "copy", "f32", "exact", 1, 8192, 8192, 0, None),
    ("copy f32 16384", "copy", "f32", "exact", 1, 16384, 16384, 0, None),
    ("five points f32 16384^2", "stencil", "f32", "exact", 1, 16384, 16384, 0, 1.0),
    ("gaussian 9x9 f32 16384^2", "gaussian", "f32", "exact", 1, 16384, 16384, 0, 1.0),
    ("median 3x3 f32 8192^2", "median", "f32", "exact", 1, 8192, 8192, 3, 1.0),
    ("median 7x7 f32 4096^2", "median", "f32", "exact", 1, 4096, 4096, 7, 1.0),
    ("matvec f32 8192", "matvec", "f32", "exact", 1, 8192, 8192, 0, None),
    ("matmul, bias, gelu f32 4096", "epilogue", "f32", "exact", 1, 4096, 4096, 4096, None),
    ("matmul, bias, gelu f16 4096", "epilogue", "f16", "exact", 1, 4096, 4096, 4096, None),
    transform("c64", 1 << 18, 8, 0.95), transform("c64", 1 << 14, 12, 0.95), transform("c64", 1 << 10, 16, 0.9),
    transform("c64", 1 << 6, 20, 0.9), transform("c64", 4, 24, 0.9), transform("f32", 1 << 14, 12, None),
    ("fftn c64 8192^2", "fftn", "c64", "exact", 1, 8192, 8192, 0, 0.9),
    ("fftn c64 512^3", "fftn", "c64", "exact", 512, 512, 512, 0, 0.9),
    ("spmv f32 random, 2^22 rows of 16", "spmv_random", "f32", "exact", 1, 1 << 22, 0, 16, 1.0),
    ("spmv f32 band, 2^22 rows of 16", "spmv_band", "f32", "exact", 1, 1 << 22, 0, 16, 1.0),
    solver("cholesky", 1, 4096), solver("lu_factor", 1, 4096), solver("solve", 1, 4096), solver("qr", 1, 2048),
    solver("eigh", 1, 512), solver("svd", 1, 512),
    solver("cholesky", 16384, 32), solver("solve", 16384, 32), solver("inv", 16384, 32), solver("eigh", 1024, 32),
]
def arrays(what, dtype, asked=1.0, m=1, n=1 << 20, k=-1, label=None):
    """A call over a whole array; label: what is said of it beside its name and dtype."""
    return (f"{what} {dtype}" + (f", {label}" if label else ""), what, dtype, "exact", 1, m, n, k, asked)


def square(what, dtype, k=-1):
    return arrays(what, dtype, m=1024, n=1024, k=k, label="all" if k < 0 else f"axis {k}")


ARRAYS = [
    square("any", "bool"), square("any_zeros", "bool"), square("all", "bool"),
    square("argmax", "f32"), square("argmax", "f32", 1), square("max", "f32"), square("max", "f32", 0),
    *(square("sum", dtype, k) for dtype in ("f32", "f64") for k in (-1, 0, 1)),
    square("mean", "f32"), square("mean", "f32", 0), square("mean", "f32", 1), square("std", "f32"),
    arrays("dot", "f32"), arrays("clip", "f32"), arrays("floor_divide", "i32", k=1),
    arrays("add", "f32"), arrays("add", "f32", n=1000, label="1000 elements"),
    arrays("abs", "c64"), arrays("multiply", "c64"), arrays("exp", "f64"), arrays("atan2", "f32"),
    arrays("sort", "f32", m=1 << 15, n=32, label="rows of 32"),
    arrays("sort", "f32", m=1 << 10, n=1024, label="rows of 1024"), arrays("sort", "f32"),
    arrays("isin", "i32", k=1 << 16), arrays("searchsorted", "f32", k=1 << 20), arrays("nonzero", "bool"),
    arrays("full", "f32"), arrays("tile", "f32", m=1024, n=1024), arrays("repeat", "i32", n=1 << 16, k=16),
    arrays("bincount", "f32", k=1 << 20), arrays("bincount_weighted", "f32", k=1 << 20),
    arrays("put", "f32", k=1 << 20), arrays("scatter_add", "f32", k=1 << 20),
]
CPU = [
    product("f32", "exact", 512, None), product("f32", "exact", 2048, 0.95), product("f64", "exact", 1024, None),
    batched(2048, 64),
    ("matvec f32 4096", "matvec", "f32", "exact", 1, 4096, 4096, 0, None),
    ("five points f32 2048^2", "stencil", "f32", "exact", 1, 2048, 2048, 0, None),
    ("gaussian 9x9 f32 2048^2", "gaussian", "f32", "exact", 1, 2048, 2048, 0, None),
    ("median 3x3 f32 2048^2", "median", "f32", "exact", 1, 2048, 2048, 3, None),
    transform("c64", 1, 20, 1.0), transform("c64", 1024, 10, None), transform("f32", 1, 20, None),
    ("spmv f32 random, 2^18 rows of 16", "spmv_random", "f32", "exact", 1, 1 << 18, 0, 16, None),
    solver("cholesky", 1, 1024), solver("solve", 1, 1024), solver("solve", 4096, 16), solver("svd", 1, 256),
    *ARRAYS,
]


def measure_us(call, wait):
    """As measure() in matrices.c: the median of runs of calls with one wait at the end of each."""
    call()
    wait()
    start = time.perf_counter()
    call()
    call()
    wait()
    one_s = (time.perf_counter() - start) / 2
    loops = max(1, min(LONGEST_RUN, int(RUN_S / one_s)))
    runs = []
    for _ in range(1 if one_s > 0.2 else RUNS):
        start = time.perf_counter()
        for _ in range(loops):
            call()
        wait()
        runs.append(1e6 * (time.perf_counter() - start) / loops)
    return statistics.median(runs)


def stack(batch, rows, columns):
    return (batch, rows, columns) if batch > 1 else (rows, columns)


class Torch:
    name = "torch"

    def __init__(self):
        import torch
        self.torch = torch
        if not torch.cuda.is_available():
            raise ImportError("PyTorch has no device")
        torch.manual_seed(1)
        self.dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
                       "c64": torch.complex64, "i8": torch.int8}
        self.wait = torch.cuda.synchronize

    def numbers(self, dtype, shape):
        if dtype == "i8":
            return self.torch.randint(-8, 8, shape, dtype=self.torch.int8, device="cuda")
        return self.torch.randn(shape, dtype=self.dtypes[dtype], device="cuda")

    def call(self, what, dtype, precision, batch, m, n, k):
        torch, functional = self.torch, self.torch.nn.functional
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        if what in ("matmul", "epilogue"):
            a, b = self.numbers(dtype, stack(batch, m, k)), self.numbers(dtype, stack(batch, k, n))
            if what == "epilogue":
                bias = self.numbers(dtype, (n,))
                return lambda: functional.gelu(torch.addmm(bias, a, b), approximate="tanh")
            if dtype == "i8":
                return lambda: torch._int_mm(a, b)
            out = torch.empty(stack(batch, m, n), dtype=a.dtype, device="cuda")
            return lambda: torch.matmul(a, b, out=out)
        if what in ("matvec", "copy"):
            a, x = self.numbers(dtype, (m, n)), self.numbers(dtype, (n,))
            out = torch.empty_like(a) if what == "copy" else torch.empty(m, dtype=a.dtype, device="cuda")
            return (lambda: out.copy_(a)) if what == "copy" else (lambda: torch.mv(a, x, out=out))
        if what in ("fft", "rfft", "fftn"):
            a = self.numbers(dtype, stack(batch, m, n) if what == "fftn" else (batch, n))
            return lambda: getattr(torch.fft, what)(a)
        if what in FILTERS:
            return None
        if what.startswith("spmv"):
            import warnings
            warnings.simplefilter("ignore")
            starts, columns = sparse_parts(torch, what, m, k, lambda: torch.randint(0, m, (m, k), device="cuda"),
                                           lambda count: torch.arange(count, device="cuda"))
            a = torch.sparse_csr_tensor(starts.int(), columns.int(), self.numbers(dtype, (m * k,)), (m, m))
            x = self.numbers(dtype, (m,))
            return lambda: a @ x
        return solver(torch.linalg, what, *system(self, torch.eye(n, device="cuda"), what, dtype, batch, n, k))

    def forget(self):
        self.torch.cuda.empty_cache()


class Cupy:
    name = "cupy"

    def __init__(self):
        import cupy
        self.cupy = cupy
        self.dtypes = {"f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64"}
        self.wait = cupy.cuda.Device().synchronize

    def numbers(self, dtype, shape):
        cupy, part = self.cupy, "float64" if dtype == "f64" else "float32"
        x = cupy.random.standard_normal(shape, dtype=part)
        if dtype == "c64":
            return x + 1j * cupy.random.standard_normal(shape, dtype=part)
        return x.astype(self.dtypes[dtype])

    def call(self, what, dtype, precision, batch, m, n, k):
        cupy = self.cupy
        if dtype not in self.dtypes or precision == "tf32":
            return None
        if what == "matmul":
            a, b = self.numbers(dtype, stack(batch, m, k)), self.numbers(dtype, stack(batch, k, n))
            out = cupy.empty(stack(batch, m, n), a.dtype)
            return lambda: cupy.matmul(a, b, out=out)
        if what == "matvec":
            a, x = self.numbers(dtype, (m, n)), self.numbers(dtype, (n,))
            return lambda: a @ x
        if what in ("fft", "rfft", "fftn"):
            a = self.numbers(dtype, stack(batch, m, n) if what == "fftn" else (batch, n))
            return lambda: getattr(cupy.fft, what)(a)
        if what.startswith("spmv"):
            import cupyx.scipy.sparse
            starts, columns = sparse_parts(cupy, what, m, k, lambda: cupy.random.randint(0, m, (m, k)), cupy.arange)
            a = cupyx.scipy.sparse.csr_matrix((self.numbers(dtype, (m * k,)), columns.astype("int32"),
                                               starts.astype("int32")), (m, m))
            x = self.numbers(dtype, (m,))
            return lambda: a @ x
        if what in FILTERS:
            import cupyx.scipy.ndimage
            return image_filter(cupyx.scipy.ndimage, self.numbers(dtype, (m, n)), what, k)
        return None  # its solvers are the ones that PyTorch calls

    def forget(self):
        self.cupy.get_default_memory_pool().free_all_blocks()


class Numpy:
    name = "numpy"

    def __init__(self):
        import numpy
        self.numpy = numpy
        self.rng = numpy.random.default_rng(1)
        self.dtypes = {"f32": "float32", "f64": "float64", "c64": "complex64", "bool": "bool", "i32": "int32"}
        self.wait = lambda: None

    def numbers(self, dtype, shape):
        if dtype == "i32":
            return self.rng.integers(0, KEYS, shape, dtype="int32")
        x = self.rng.standard_normal(shape)
        if dtype == "bool":
            return x > 0
        return (x + 1j * self.rng.standard_normal(shape) if dtype == "c64" else x).astype(self.dtypes[dtype])

    def call(self, what, dtype, precision, batch, m, n, k):
        numpy = self.numpy
        if what == "matmul":
            a, b = self.numbers(dtype, stack(batch, m, k)), self.numbers(dtype, stack(batch, k, n))
            out = numpy.empty(stack(batch, m, n), a.dtype)
            return lambda: numpy.matmul(a, b, out=out)
        if what == "matvec":
            a, x = self.numbers(dtype, (m, n)), self.numbers(dtype, (n,))
            return lambda: a @ x
        if what in ("fft", "rfft"):
            a = self.numbers(dtype, (batch, n))
            return lambda: getattr(numpy.fft, what)(a)
        if what.startswith("spmv"):
            try:
                import scipy.sparse
            except ImportError:
                return None
            starts, columns = sparse_parts(numpy, what, m, k, lambda: self.rng.integers(0, m, (m, k)), numpy.arange)
            a = scipy.sparse.csr_matrix((self.numbers(dtype, (m * k,)), columns, starts), (m, m))
            x = self.numbers(dtype, (m,))
            return lambda: a @ x
        if what in FILTERS:
            try:
                import scipy.ndimage
            except ImportError:
                return None
            return image_filter(scipy.ndimage, self.numbers(dtype, (m, n)), what, k)
        if what in WHOLE:
            return whole_arrays(self, what, dtype, m, n, k)
        eye = numpy.eye(n, dtype=self.dtypes[dtype])
        return solver(numpy.linalg, what, *system(self, eye, what, dtype, batch, n, k))

    def forget(self):
        pass


FILTERS = ("stencil", "gaussian", "median")
WHOLE = {case[1] for case in ARRAYS}
KEYS = 1000000  # as in matrices.c


def whole_arrays(peer, what, dtype, m, n, k):
    """NumPy's call for a row of ARRAYS."""
    np, axis = peer.numpy, None if k < 0 else k
    shape = (m, n) if m > 1 else (n,)
    a, b, row = peer.numbers(dtype, shape), peer.numbers(dtype, shape), peer.numbers(dtype, (n,))
    if what in ("any", "all", "argmax", "max", "sum", "mean", "std"):
        return lambda: getattr(np, what)(a, axis)
    if what in ("dot", "add", "multiply", "atan2"):
        function = getattr(np, {"atan2": "arctan2"}.get(what, what))
        return lambda: function(a, b)
    if what in ("exp", "abs", "sort"):
        return lambda: getattr(np, what)(a)
    zeros, chosen = np.zeros((m, n), peer.dtypes[dtype]), peer.numbers(dtype, (abs(k),))
    ordered = np.sort(chosen)
    keys = peer.rng.integers(0, abs(k), n)
    return {
        "any_zeros": lambda: np.any(zeros),
        "clip": lambda: np.clip(a, -0.5, 0.5),
        "floor_divide": lambda: a // 7,
        "isin": lambda: np.isin(a, chosen),
        "searchsorted": lambda: np.searchsorted(ordered, a),
        "nonzero": lambda: np.flatnonzero(a),
        "full": lambda: np.full((m, n), 1, peer.dtypes[dtype]),
        "tile": lambda: np.tile(row, (m, 1)),
        "repeat": lambda: np.repeat(a, k),
        "bincount": lambda: np.bincount(keys, minlength=k),
        "bincount_weighted": lambda: np.bincount(keys, row, minlength=k),
        "put": lambda: np.put(chosen, keys, row),
        "scatter_add": lambda: np.add.at(chosen, keys, row),
    }[what]


def image_filter(ndimage, a, what, k):
    """The call of scipy.ndimage or CuPy's."""
    out = a.copy()
    if what == "gaussian":
        return lambda: ndimage.gaussian_filter(a, 1, output=out)
    if what == "median":
        return lambda: ndimage.median_filter(a, k, output=out)
    return lambda: ndimage.laplace(a, output=out, mode="constant")


def sparse_parts(library, what, m, k, random, arange):
    """Starts of the rows, and columns in order: random ones, or k around the diagonal."""
    starts = arange(m + 1) * k
    if what == "spmv_random":
        columns = random()
        columns = columns.sort(1).values if library.__name__ == "torch" else library.sort(columns, 1)
        return starts, columns.reshape(-1)
    place = arange(m * k)
    return starts, (place // k - k // 2).clip(0, m - k) + place % k


def system(peer, eye, what, dtype, batch, n, k):
    raw = peer.numbers(dtype, stack(batch, n, n))
    b = peer.numbers(dtype, stack(batch, n, k))
    if what in ("cholesky", "eigh"):
        return raw @ raw.swapaxes(-1, -2) + n * eye, b
    return raw + 2 * n * eye, b


def solver(linalg, what, a, b):
    """The call of a module with NumPy's names."""
    if what == "solve":
        return lambda: linalg.solve(a, b)
    if what == "svd":
        return lambda: linalg.svd(a, full_matrices=False)
    return lambda: getattr(linalg, what)(a)


class Weft:
    def __init__(self, program, device):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "WEFT_DEVICE": device})
        self.device = self.read()["device"]

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the program ended with status {self.process.wait()}")
        return json.loads(line)

    def measure(self, row):
        self.process.stdin.write(" ".join(map(str, row)) + "\n")
        self.process.stdin.flush()
        return self.read()


def measure_peers(peers, row, best, failures):
    for peer in peers:
        try:
            call = peer.call(*row)
            if call is None:
                continue
            us = measure_us(call, peer.wait)
            best[peer.name] = min(us, best.get(peer.name, us))
        except Exception as error:  # a peer without this row
            failures.append(f"{peer.name}, {' '.join(map(str, row))}: {(str(error) or repr(error)).splitlines()[0]}")
        call = None
        peer.forget()


def measure_row(weft, peers, case, failures, rest_s):
    name, *row, asked = case
    best, taken = {}, []
    for _ in range(2):
        measure_peers(peers, row, best, failures)
        time.sleep(rest_s)
        taken.append(weft.measure(row))
        if "error" in taken[-1]:
            failures.append(f"weft, {name}: {taken[-1]['error']}")
            break
        time.sleep(rest_s)
    result = {"what": name, "peers": best, "asked": asked, "first_ms": taken[0].get("first_us", 0) / 1e3}
    if "error" not in taken[-1]:
        result["us"] = min(one["us"] for one in taken)
        if best:
            result["ratio"] = min(best.values()) / result["us"]
    return result


def print_row(result, names):
    def column(value, digits):
        return f"{'-':>11s}" if value is None else f"{value:11.{digits}f}"
    cells = [column(result.get("us"), 1), *(column(result["peers"].get(name), 1) for name in names),
             column(result.get("ratio"), 2), column(result["asked"], 2), column(result["first_ms"], 1)]
    print(f"{result['what']:34s}" + "".join(cells), flush=True)


def peers_of(device):
    found = []
    for kind in (Numpy,) if device == "cpu" else (Torch, Cupy):
        try:
            found.append(kind())
        except Exception as error:  # not installed, or without a device
            print(f"without {kind.name}: {error}")
    if not found:
        print("skipped: no peer is installed")
        sys.exit(77)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="MATRICES")
    parser.add_argument("--device", default="cpu", help="a value of WEFT_DEVICE; cpu: the peer is NumPy")
    parser.add_argument("--only", default="", help="rows in whose names this regular expression is found")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--json")
    options = parser.parse_args()
    peers = peers_of(options.device)
    weft = Weft(options.program, options.device)
    names = [peer.name for peer in peers]
    print(f"{weft.device}; microseconds\n")
    print(f"{'':34s}" + "".join(f"{title:>11s}" for title in
                                ["WEFT", *(name.upper() for name in names), "RATIO", "ASKED", "FIRST MS"]))
    rows = [case for case in (CPU if options.device == "cpu" else GPU) if re.search(options.only, case[0])]
    results, failures, start = [], [], time.monotonic()
    for case in rows:
        if time.monotonic() - start > options.seconds:
            break
        results.append(measure_row(weft, peers, case, failures, REST_S if options.device == "cpu" else 0))
        print_row(results[-1], names)
    weft.process.stdin.close()
    status = weft.process.wait()
    for failure in dict.fromkeys(failures):
        print(failure)
    if len(results) < len(rows):
        print(f"{len(rows) - len(results)} rows were left out: no time")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"device": weft.device, "rows": results}, file, indent=1)
    sys.exit(1 if status or any("us" not in result for result in results) else 0)


if __name__ == "__main__":
    main()

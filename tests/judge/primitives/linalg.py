# SPDX-License-Identifier: MIT
"""weft/linalg.h. Operands have few bits, so that products of factors can be compared with them exactly, up to
rounding."""

import numpy as np

from record import DTYPE, SHAPE, Storage, View
from values import dtype_of

from .base import EXACT, ZERO_FREE, real_of

DIFFERENCES = """
linalg       f32 is computed in f32, by NumPy in f64
matrix_norm  NaN where NumPy raises LinAlgError: singular values of a matrix with NaN or infinities
lstsq        takes stacks; residuals for every rank, also with no more rows than columns
pinv         the default of rtol is max(m, n) * epsilon, as in SciPy, not 1e-15
svd          full_matrices is off unless asked for
"""
AXIS, SINGULAR, CONVERGENCE = 104, 700, 701
LETTERS = "fdFD"
SIDES = [1, 2, 3, 4, 5, 8, 9, 13, 17]
STACKS = [(), (), (), (3,), (2, 2), (0,)]


def numbers(rng, shape, dtype):
    """Eighths from -8 to 8."""
    x = rng.integers(-64, 64, shape, endpoint=True) / 8
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.integers(-64, 64, shape, endpoint=True) / 8
    return x.astype(dtype)


def adjoint(x):
    return np.swapaxes(x, -1, -2).conj()


def general(rng, stack, n, dtype):
    """Matrices with a dominant diagonal, so that none is singular."""
    return numbers(rng, stack + (n, n), dtype) + np.eye(n, dtype=dtype) * np.asarray(12 * n, dtype)


def positive(rng, stack, n, dtype):
    a = numbers(rng, stack + (n, n), dtype)
    return (a + adjoint(a) + np.eye(n) * 32 * n).astype(dtype)


def hermitian(rng, stack, n, dtype):
    a = numbers(rng, stack + (n, n), dtype)
    return a + adjoint(a)


def given(rng, x):
    """An operand with the elements of x: contiguous, transposed in memory, or every second element of each row."""
    x = np.ascontiguousarray(x)
    how = int(rng.integers(4))
    if how == 1 and x.ndim > 1:
        turned = np.ascontiguousarray(np.swapaxes(x, -1, -2))
        axes = list(range(x.ndim))
        axes[-1], axes[-2] = axes[-2], axes[-1]
        return View(Storage(turned.ravel(), turned.size), [("r", turned.shape), ("t", tuple(axes))])
    if how == 2 and x.size:
        wide = np.zeros(x.shape[:-1] + (2 * x.shape[-1],), x.dtype)
        wide[..., ::2] = x
        return View(Storage(wide.ravel(), wide.size), [("r", wide.shape), ("s", (x.ndim - 1, 0, wide.shape[-1], 2))])
    return View(Storage(x.ravel(), x.size), [("r", x.shape)])


def largest(x):
    return float(np.max(np.abs(x))) if np.size(x) else 0.0


def within(dtype, factor, *values):
    """The tolerance of an error of `factor` units in the last place of the largest of the values."""
    return (0, True, factor * float(np.finfo(real_of(dtype)).eps) * max([largest(v) for v in values] + [0.0]))


def wide_of(x):
    return x.astype("D" if x.dtype.kind == "c" else "d")


def condition(a):
    return float(np.max(np.linalg.cond(wide_of(a)))) if a.size else 1.0


def draws(c, name, letters=LETTERS, count=2):
    """(rng, dtype, stack, m, n, how) for each case of a function."""
    for turn in range(c.scale):
        for letter in letters:
            rng = c.group("linalg", name, letter, turn)
            for draw in range(count):
                m, n = (int(k) for k in rng.choice(SIDES, 2))
                stack = STACKS[int(rng.integers(len(STACKS)))] if draw else ()
                if draw == 0 and turn % 4 == 0 and letter in "fD":
                    m, n = 33, int(rng.choice([31, 33, 64]))
                yield rng, dtype_of(letter), stack, m, n, str(rng.choice(["new", "out", "host"], p=[0.6, 0.3, 0.1]))


def pivoted(a):
    """LU with partial pivoting of one matrix, in place of it, and its pivots."""
    lu, pivots = wide_of(a), []
    for k in range(min(a.shape)):
        sizes = np.abs(lu[k:, k].real) + np.abs(lu[k:, k].imag)
        if np.sum(sizes > 0.999 * sizes.max()) > 1:
            return None  # rounding would choose
        pivots.append(k + int(np.argmax(sizes)))
        lu[[k, pivots[k]]] = lu[[pivots[k], k]]
        lu[k + 1:, k] /= lu[k, k]
        lu[k + 1:, k + 1:] -= np.outer(lu[k + 1:, k], lu[k, k + 1:])
    return lu, np.array(pivots, np.int32)


def factors(c):
    for rng, dtype, stack, m, n, how in draws(c, "cholesky"):
        a, upper = positive(rng, stack, n, dtype), int(rng.integers(2))
        read = (np.triu if upper else np.tril)(a)
        want = np.linalg.cholesky(wide_of(a))
        c.call("cholesky", [given(rng, read)], [upper], (adjoint(want) if upper else want).astype(dtype),
               within(dtype, 4 + n, want), rng=rng, how=how)
        if stack and a.size:
            a[(0,) * len(stack)] *= -1
            info = np.zeros(stack, np.int32)
            info[(0,) * len(stack)] = 1
            c.refuse("cholesky", [given(rng, a)], [0], SINGULAR)
    for rng, dtype, stack, m, n, how in draws(c, "lu"):
        a = numbers(rng, stack + (m, n), dtype)
        c.call("lu_product", [given(rng, a)], [], a, within(dtype, 8 + 4 * n, a), rng=rng, how=how)
        a = numbers(rng, (m, n), dtype)
        c.call("lu_indices", [given(rng, a)], [], a, within(dtype, 8 + 4 * n, a), rng=rng, how=how)
        found = pivoted(a) if m * n < 100 else None
        if found:
            near = (8 + 4 * n) * max(1, condition(a[:min(m, n), :min(m, n)]))
            c.call("lu_pivots", [given(rng, a)], [], [found[0].astype(dtype), found[1]],
                   [within(dtype, near, found[0]), EXACT], rng=rng)
    for rng, dtype, stack, m, n, how in draws(c, "qr"):
        a, complete = numbers(rng, stack + (m, n), dtype), int(rng.integers(2))
        k = m if complete else min(m, n)
        _, r = np.linalg.qr(wide_of(a), "complete" if complete else "reduced")
        tolerance = within(dtype, 8 + 4 * (m + n), r)
        c.call("qr_product", [given(rng, a)], [complete], a, tolerance, rng=rng, how=how)
        c.call("qr_r", [given(rng, a)], [complete], r.astype(dtype), within(dtype, (8 + 4 * (m + n)) * 20, r), rng=rng,
               how=how)
        c.call("qr_unitary", [given(rng, a)], [complete],
               np.broadcast_to(np.eye(k), stack + (k, k)).astype(dtype), within(dtype, 8 + 2 * m, 1.0), rng=rng,
               how=how)


def spectra(c):
    for rng, dtype, stack, m, n, how in draws(c, "eigh"):
        a, upper = hermitian(rng, stack, n, dtype), int(rng.integers(2))
        read = given(rng, (np.triu if upper else np.tril)(a))
        w = np.linalg.eigvalsh(wide_of(a))
        c.call("eigvalsh", [read], [upper], w.astype(real_of(dtype)), within(dtype, 16 + 2 * n, w), rng=rng, how=how)
        c.call("eigh_product", [read], [upper], a, within(dtype, 16 + 4 * n, w), rng=rng, how=how)
        c.call("eigh_unitary", [read], [upper], np.broadcast_to(np.eye(n), stack + (n, n)).astype(dtype),
               within(dtype, 16 + n, 1.0), rng=rng, how=how)
    for rng, dtype, stack, m, n, how in draws(c, "svd"):
        a, full, k = numbers(rng, stack + (m, n), dtype), int(rng.integers(2)), min(m, n)
        if rng.random() < 0.3 and n > 1:
            a[..., -1] = a[..., 0]  # not of full rank
        s = np.linalg.svd(wide_of(a), compute_uv=False)
        operand, tolerance = given(rng, a), within(dtype, 16 + m + n, s)
        c.call("svdvals", [operand], [], s.astype(real_of(dtype)), tolerance, rng=rng, how=how)
        c.call("svd_product", [operand], [], a, tolerance, rng=rng, how=how)
        for name, side in (("svd_left", m if full else k), ("svd_right", n if full else k)):
            c.call(name, [operand], [full], np.broadcast_to(np.eye(side), stack + (side, side)).astype(dtype),
                   within(dtype, 16 + m + n, 1.0), rng=rng, how=how)


def right_hand(rng, stack, n, dtype):
    """A vector, a matrix, or matrices of the stack, whose first axes may be missing or 1."""
    how = int(rng.integers(4))
    columns = int(rng.choice([1, 2, 5]))
    if how == 0:
        return numbers(rng, (n,), dtype), True
    if how == 1:
        stack = ()
    if how == 2 and stack:
        stack = (1,) + stack[1:]
    return numbers(rng, stack + (n, columns), dtype), False


def solutions(c):
    for rng, dtype, stack, m, n, how in draws(c, "solve", count=3):
        a = general(rng, stack, n, dtype)[..., rng.permutation(n), :]
        b, is_vector = right_hand(rng, stack, n, dtype)
        x = np.linalg.solve(wide_of(a), wide_of(b)) if not is_vector else (
            np.linalg.solve(wide_of(a), wide_of(b)[:, None])[..., 0])
        tolerance = within(dtype, (8 + 2 * n) * condition(a), x)
        for name in ("solve", "lu_solve"):
            c.call(name, [given(rng, a), given(rng, b)], [], x.astype(dtype), tolerance, rng=rng, how=how)
        a = general(rng, stack, n, dtype)
        flags = [int(k) for k in rng.integers(0, 2, 4)]
        t = (np.tril if flags[0] else np.triu)(a)
        if flags[1]:
            t = t / (8 * n)
            t[..., range(n), range(n)] = 1
            t = t.astype(dtype)
        op = np.swapaxes(t, -1, -2) if flags[2] else t
        op = op.conj() if flags[3] else op
        x = np.linalg.solve(wide_of(op), wide_of(b)) if not is_vector else (
            np.linalg.solve(wide_of(op), wide_of(b)[:, None])[..., 0])
        c.call("solve_triangular", [given(rng, t), given(rng, b)], flags, x.astype(dtype),
               within(dtype, (8 + 2 * n) * condition(op), x), rng=rng, how=how)
    for rng, dtype, stack, m, n, how in draws(c, "inv"):
        a = general(rng, stack, n, dtype)[..., rng.permutation(n), :]
        y, near = np.linalg.inv(wide_of(a)), 8 + 2 * n
        c.call("inv", [given(rng, a)], [], y.astype(dtype), within(dtype, near * condition(a), y), rng=rng, how=how)
        d = np.linalg.det(wide_of(a))
        if largest(d) < 1e30:
            c.call("det", [given(rng, a)], [], d.astype(dtype), within(dtype, (8 + 4 * n) * condition(a), d), rng=rng,
                   how=how)
        sign, log = np.linalg.slogdet(wide_of(a))
        c.call("slogdet", [given(rng, a)], [], [sign.astype(dtype), log.astype(real_of(dtype))],
               [within(dtype, near * condition(a), 1.0), within(dtype, near * condition(a), 1.0, log)], rng=rng)


def ranks(c):
    for rng, dtype, stack, m, n, how in draws(c, "lstsq"):
        a = numbers(rng, stack + (m, n), dtype)
        if rng.random() < 0.3 and n > 1:
            a[..., -1] = a[..., 0]
        s = np.linalg.svd(wide_of(a), compute_uv=False)
        rtol = 1e-4
        top = s[..., :1]
        if s.size and np.any((s < 4 * rtol * top) & (s > rtol / 4 * top)):
            continue  # near the bound
        kept = np.where(s > rtol * top, s, np.inf)
        bound = float(np.max(top / np.min(kept, -1, keepdims=True))) if s.size else 1.0
        inverse = np.linalg.pinv(wide_of(a), rcond=rtol) if a.size else np.zeros(stack + (n, m), wide_of(a).dtype)
        near = (16 + 4 * (m + n)) * max(bound, 1) ** 2
        c.call("pinv", [given(rng, a)], [rtol, 0], inverse.astype(dtype), within(dtype, near, inverse), rng=rng,
               how=how)
        c.call("matrix_rank", [given(rng, a)], [rtol, 0], np.sum(s > rtol * top, -1).astype(np.int64), rng=rng, how=how)
        b, is_vector = right_hand(rng, stack, m, dtype)
        column = wide_of(b)[:, None] if is_vector else wide_of(b)
        x = inverse @ column
        rest = np.sum(np.abs(column - wide_of(a) @ x) ** 2, -2)
        if is_vector:
            x, rest = x[..., 0], rest[..., 0]
        rank = np.sum(s > rtol * top, -1).astype(np.int32)
        scale = largest(inverse) * largest(b) * m
        if np.all(rank == min(m, n)) and bound < 1e3:
            c.call("lstsq", [given(rng, a), given(rng, b)], [], x.astype(dtype), within(dtype, near, x, scale), rng=rng,
                   how=how)
        c.call("lstsq_all", [given(rng, a), given(rng, b)], [rtol],
               [x.astype(dtype), rest.astype(real_of(dtype)), rank, s.astype(real_of(dtype))],
               [within(dtype, near, x, scale), within(dtype, near * 8, largest(b) ** 2 * m), EXACT,
                within(dtype, 16 + m + n, s)], rng=rng)
        if np.all(rank == min(m, n)) and m * n > 0 and a.size:
            for order in (0, 2, -2):
                want = np.linalg.cond(wide_of(a), order or None).astype(real_of(dtype))
                c.call("cond", [given(rng, a)], [order], want, within(dtype, near, want), rng=rng, how=how)


def hermitian_ranks(c):
    for rng, dtype, stack, m, n, how in draws(c, "hermitian"):
        if rng.random() < 0.5 and n > 1:  # of rank 2 at most
            b = numbers(rng, stack + (n, 2), dtype)
            a = b @ adjoint(b) * (-1) ** int(rng.integers(2))
        else:
            a = hermitian(rng, stack, n, dtype)
        w, rtol = np.abs(np.linalg.eigvalsh(wide_of(a))), 1e-4
        top = np.max(w, -1, keepdims=True, initial=0)
        if np.any((w < 4 * rtol * top) & (w > rtol / 4 * top)):
            continue  # near the bound
        inverse = np.linalg.pinv(wide_of(a), rcond=rtol, hermitian=True) if a.size else wide_of(a)
        bound = float(np.max(top * np.max(np.where(w > rtol * top, 1 / np.maximum(w, 1e-300), 0), -1, initial=0,
                                          keepdims=True), initial=1))
        read = given(rng, np.tril(a))
        c.call("pinv", [read], [rtol, 1], inverse.astype(dtype), within(dtype, (16 + 8 * n) * bound, inverse), rng=rng,
               how=how)
        c.call("matrix_rank", [read], [rtol, 1], np.sum(w > rtol * top, -1).astype(np.int64), rng=rng, how=how)


# weft_norm_order
ORDERS = {0: None, 1: 1, -1: -1, 2: 2, -2: -2, 3: "fro", 4: "nuc", 5: np.inf, -5: -np.inf}


def norms(c):
    for rng, dtype, stack, m, n, how in draws(c, "norm", "?iefdFD", count=3):
        shape = stack + (m, n)
        if rng.random() < 0.15:
            shape = stack + ((0, n), (m, 0))[int(rng.integers(2))]
        is_number = np.dtype(dtype).kind in "fc"
        a = numbers(rng, shape, dtype if is_number else np.int32).astype(dtype)
        axes, keeps = [int(k) for k in rng.permutation(len(shape))[:2]], int(rng.integers(2))
        wide, real = wide_of(a) if is_number else a, real_of(dtype) if is_number else np.dtype("d")
        operand = given(rng, a)
        for order, numpys in ORDERS.items():
            spectral = order in (2, -2, 4)
            params = [order, [0, keeps, *axes]]
            if spectral and dtype == np.float16:
                c.refuse("matrix_norm", [operand], params, DTYPE)
                continue
            try:
                want = np.linalg.norm(wide, numpys, tuple(axes), bool(keeps))
            except ValueError:  # the least of nothing
                if a.shape[axes[1]] and a.shape[axes[0]] or min(shape) == 0 and not stack:
                    c.refuse("matrix_norm", [operand], params, SHAPE)
                continue
            top = np.linalg.norm(wide, None, tuple(axes))
            tolerance = within(real, 16 + sum(shape), top) if spectral else (4, False, 0.0)
            c.call("matrix_norm", [operand], params, np.asarray(want).astype(real), tolerance, rng=rng, how=how)


def powers(c):
    for rng, dtype, stack, m, n, how in draws(c, "power", "?bHiqQefdFD", count=3):
        n = min(n, 5)
        least = 0 if np.dtype(dtype).kind in ("b", "u") else -1
        a = rng.integers(least, 1, stack + (n, n), endpoint=True).astype(dtype)
        for exponent in sorted({0, 1, int(rng.integers(2, 6))}):
            c.call("matrix_power", [given(rng, a)], [exponent], np.linalg.matrix_power(a, exponent), ZERO_FREE, rng=rng,
                   how=how)
        if np.dtype(dtype).kind in "iu":
            x = rng.integers(0, 100, stack + (n, n)).astype(dtype)
            c.call("matrix_power", [given(rng, x)], [77], np.linalg.matrix_power(x, 77), EXACT, rng=rng, how=how)
        if dtype == np.float16:
            c.refuse("matrix_power", [given(rng, a)], [-1], DTYPE)
            continue
        x = general(rng, stack, n, dtype if np.dtype(dtype).kind in "fc" else np.int32)
        exponent, result = -int(rng.integers(1, 5)), dtype if np.dtype(dtype).kind in "fc" else np.dtype("d")
        want = np.linalg.matrix_power(wide_of(x), exponent)
        near = (8 + 2 * n) * condition(x) ** -exponent * -exponent
        c.call("matrix_power", [given(rng, x)], [exponent], want.astype(result), within(result, near, want), rng=rng,
               how=how)


def conditions(c):
    for rng, dtype, stack, m, n, how in draws(c, "condition"):
        a = numbers(rng, stack + (n, n), dtype)
        if not a.size or condition(a) > 1e3:
            continue
        for order, numpys in ORDERS.items():
            want = np.linalg.cond(wide_of(a), numpys)
            near = (16 + 4 * n) * condition(a)
            c.call("cond", [given(rng, a)], [order], want.astype(real_of(dtype)), within(dtype, near, want), rng=rng,
                   how=how)


def refused(c):
    rng = c.group("linalg", "refused")
    f = [given(rng, np.ones(shape, np.float32)) for shape in ((3,), (2, 3), (3, 3), (2, 3, 3), (3, 3, 1), (2, 1))]
    for name in ("cholesky", "eigvalsh"):
        c.refuse(name, [f[0]], [0], SHAPE)
        c.refuse(name, [f[1]], [0], SHAPE)
    for name in ("inv", "det"):
        c.refuse(name, [f[0]], [], SHAPE)
        c.refuse(name, [f[1]], [], SHAPE)
    c.refuse("solve", [f[3], f[4]], [], SHAPE)
    c.refuse("solve", [f[2], f[5]], [], SHAPE)
    half = given(rng, np.eye(3, dtype=np.float16))
    for name in ("inv", "det", "svdvals"):
        c.refuse(name, [half], [], DTYPE)
    for order in ORDERS:
        c.refuse("cond", [half], [order], DTYPE)
        c.refuse("cond", [f[0]], [order], SHAPE)
        if order not in (0, 2, -2):
            c.refuse("cond", [f[1]], [order], SHAPE)
        c.refuse("matrix_norm", [f[0]], [order, [0, 0, 0]], AXIS)
        c.refuse("matrix_norm", [f[1]], [order, [0, 0, 0, 0]], AXIS)
        c.refuse("matrix_norm", [f[1]], [order, [0, 0, 0, 2]], AXIS)
    c.refuse("matrix_power", [f[1]], [2], SHAPE)
    for name in ("pinv", "matrix_rank"):
        c.refuse(name, [f[1]], [0.0, 1], SHAPE)
    zero = given(rng, np.zeros((3, 3), np.float32))
    c.refuse("inv", [zero], [], SINGULAR)
    c.refuse("matrix_power", [zero], [-2], SINGULAR)
    c.refuse("solve", [zero, f[0]], [], SINGULAR)
    c.refuse("solve_triangular", [zero, f[0]], [0, 0, 0, 0], SINGULAR)
    nan = given(rng, np.full((3, 3), np.nan, np.float32))
    c.refuse("svdvals", [nan], [], CONVERGENCE)
    c.refuse("eigvalsh", [nan], [0], CONVERGENCE)
    c.refuse("cholesky", [nan], [0], SINGULAR)
    c.call("inv", [given(rng, np.eye(3, dtype=np.int32) * 4)], [], np.eye(3) / 4, rng=rng)
    info = np.zeros(2, np.int32)
    info[1] = 2
    both = np.stack([np.eye(3), np.diag([1.0, -1, 1])]).astype(np.float32)
    for name in ("cholesky_info", "inv_info"):
        if name == "cholesky_info":
            with_nan = np.stack([np.eye(3), np.full((3, 3), 7)])  # the failed one is not compared
            c.call(name, [given(rng, both[:1])], [], [with_nan[:1].astype(np.float32), info[:1]], ZERO_FREE, rng=rng)
        else:
            c.call(name, [given(rng, both)], [], [both, info * 0], ZERO_FREE, rng=rng)


def make(c):
    factors(c)
    spectra(c)
    solutions(c)
    ranks(c)
    hermitian_ranks(c)
    norms(c)
    powers(c)
    conditions(c)
    refused(c)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the errors of Weft's own Bessel, incomplete gamma, beta and zeta functions against mpmath, and compares them
with the bounds below. Needs the Python module (python/README.md), and ends with status 77 without mpmath.

  special.py [--points N] [--seed N] [--dtype D] [--markdown] [FUNCTION...]

An error counts in units of the last place (ULP) of the exact result or, if that is larger, of the amplitude of Bessel
functions, and of the largest term of zeta below 0. What exponentials of large numbers and long recurrences cost is
divided out: errors of the incomplete gamma and beta functions by the result's logarithm, errors of jn by its order, if
these are over 1. tests/ulp/table.py turns the rows of --markdown into the table of docs/accuracy.md."""
import argparse
import sys

import numpy as np

try:
    import mpmath
    from mpmath import mp
except ImportError:
    print("SKIP: no mpmath for %s" % sys.executable)
    sys.exit(77)
import weft

mp.dps = 45
DIGITS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}


# ---- the exact results ----

def upper(a, x):
    return mpmath.gammainc(a, x, mp.inf, regularized=True)


def lower(a, x):
    return mpmath.gammainc(a, 0, x, regularized=True)


def zeta(s, q):
    """Euler's and Maclaurin's sum: mpmath's own function loses digits for large s."""
    count = 40
    a = q + count
    total = sum((q + k) ** -s for k in range(count)) + a ** (1 - s) / (s - 1) + a ** -s / 2
    term = s * a ** (-s - 1)
    for k in range(1, 25):
        total += mpmath.bernoulli(2 * k) / mpmath.factorial(2 * k) * term
        term *= (s + 2 * k - 1) * (s + 2 * k) / a / a
    return total


def log_beta(a, b):
    return mpmath.log(abs(mpmath.beta(a, b)))


# ---- points: an array for each operand ----

def sizes(rng, low, high, n):
    return 10 ** rng.uniform(low, high, n)


def positive(rng, n):
    return np.concatenate([rng.uniform(0, 9, n), rng.uniform(0, 40, n), sizes(rng, -7, 5, n)]),


def both_signs(rng, n):
    x, = positive(rng, n)
    return x * rng.choice([-1, 1], x.size),


def orders(rng, n):
    n_and_x = [(rng.integers(-20, 21, n), rng.uniform(-40, 40, n)), (rng.integers(-20, 21, n), sizes(rng, -3, 4, n)),
               (rng.integers(2, 300, n), rng.uniform(0, 400, n))]
    return tuple(np.concatenate(part) for part in zip(*n_and_x))


def around(rng, n):
    """a of any size up to 3000; x of any size, around a, and next to it."""
    a = np.concatenate([rng.uniform(0, 14, n), sizes(rng, -4, 3.4, n), sizes(rng, 0, 3.4, n)])
    near = 1 + 3 * rng.standard_normal(n) / np.sqrt(a[2 * n:])
    return a, abs(a * np.concatenate([rng.uniform(0, 3, n), sizes(rng, -1, 1, n), near]))


def pairs(rng, n):
    both = [rng.uniform(0, 11, (n, 2)), sizes(rng, -5, 3, (n, 2)), rng.uniform(-10, 10, (n, 2))]
    return tuple(np.concatenate(both).T)


def exponents(rng, n):
    s = [1 + sizes(rng, -3, 1.5, n), rng.uniform(1, 20, n), 1 + sizes(rng, -1, 3, n), rng.integers(2, 20, n)]
    q = [sizes(rng, -2, 3, n), rng.uniform(0, 20, n), sizes(rng, 0, 4, n), -rng.uniform(0, 20, n)]
    return np.concatenate(s), np.concatenate(q)


# ---- units ----

def amplitude(*v):
    """The least magnitude whose ULP counts: of Bessel functions beyond 1/2, and beyond the order of jn."""
    x, order = abs(v[-1]), abs(v[0]) if len(v) > 1 else 0
    return min(1, mpmath.sqrt(2 / (mpmath.pi * x))) if x > max(order, 0.5) else 0


def nearest(s, q):
    """The base of zeta next to 0, to its power: for q below 0 the sum has terms of both signs."""
    return min(q - mpmath.floor(q), mpmath.ceil(q) - q) ** -s if q < 0 else 0


def logarithm(exact, *v):
    return max(1, abs(mpmath.log(abs(exact)))) if exact else 1


def order(exact, *v):
    return max(1, abs(v[0]))


def none(*v):
    return 1


def one(*v):
    return 1


def zero(*v):
    return 0


# name: exact result, points, least magnitude, divisor; bounds for f16 and bf16, f32, f64
FUNCTIONS = {
    "beta_function": (mpmath.beta, pairs, zero, logarithm, (1, 40, 40)),
    "betaln": (log_beta, pairs, one, none, (1, 40, 40)),
    "gammainc": (lower, around, zero, logarithm, (1, 16, 20)),
    "gammaincc": (upper, around, zero, logarithm, (1, 16, 20)),
    "j0": (lambda x: mpmath.besselj(0, x), both_signs, amplitude, none, (1, 12, 12)),
    "j1": (lambda x: mpmath.besselj(1, x), both_signs, amplitude, none, (1, 12, 12)),
    "jn": (lambda n, x: mpmath.besselj(int(n), x), orders, amplitude, order, (1, 12, 12)),
    "y0": (lambda x: mpmath.bessely(0, x), positive, amplitude, none, (1, 24, 24)),
    "y1": (lambda x: mpmath.bessely(1, x), positive, amplitude, none, (1, 24, 24)),
    "zeta": (zeta, exponents, nearest, none, (1, 8, 8)),
}


def error(got, exact, least, dtype):
    """In ULP; 0 where both overflow."""
    digits, smallest, largest = DIGITS[dtype]
    if not np.isfinite(got):
        return 0 if np.isinf(got) and abs(exact) >= mpmath.ldexp(2 - mpmath.ldexp(1, -digits), largest) else np.inf
    size = max(abs(exact), least)
    exponent = max(int(mpmath.floor(mpmath.log(size, 2))) if size else smallest, smallest)
    return float(abs(mpmath.mpf(float(got)) - exact) * mpmath.ldexp(1, digits - 1 - exponent))


def measure(name, dtype, count, seed):
    """(worst error, operands, result, exact result)"""
    exact, points, least, divisor, _ = FUNCTIONS[name]
    operands = []
    for values in points(np.random.default_rng(seed), count):
        is_order = values.dtype.kind == "i"
        operands.append(weft.asarray(values.astype("i4") if is_order else values.astype("f8"),
                                     dtype="int32" if is_order else dtype))
    results = np.asarray(getattr(weft, name)(*operands))
    worst = (-1.0,)
    for *v, got in zip(*[np.asarray(o).tolist() for o in operands], results.tolist()):
        if not np.isfinite(v).all():  # too large for f16
            continue
        terms = [mpmath.mpf(t) for t in v]
        try:
            value = exact(*terms)
        except (ZeroDivisionError, ValueError):  # a pole, after rounding
            continue
        if not mpmath.isfinite(value):
            continue
        value = mpmath.re(value)
        here = error(got, value, least(*terms), dtype) / float(divisor(value, *terms))
        if here > worst[0]:
            worst = (here, v, got, float(value))
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("functions", nargs="*", default=[])
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dtype", choices=DIGITS)
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    has_f64 = weft.context_get_device(weft.context_default())["has_fp64"]
    failed = False
    row = "| {} | {} | | Weft | {:.3f} | {} | {:.9g} | {:.9g} | {}{} |" if args.markdown else \
        "{:13} {:4} {:8.3f} at {}: {:.17g} for {:.17g}, of {}{}"
    for dtype in [args.dtype] if args.dtype else DIGITS:
        for name in args.functions or FUNCTIONS:
            if dtype == "f64" and not has_f64:
                continue
            bound = FUNCTIONS[name][4]["16" not in dtype and 1 + (dtype == "f64")]
            worst, at, got, exact = measure(name, dtype, args.points, args.seed)
            failed |= worst > bound
            over = ", exceeded" if worst > bound else ""
            place = ", ".join("%.9g" % v for v in at)
            print(row.format(name, dtype, worst, place, got, exact, bound, over), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

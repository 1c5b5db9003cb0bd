# SPDX-License-Identifier: MIT
"""The expected result of each ufunc: NumPy's if it has the function, otherwise computed with NumPy or C's library.

Functions with their own rounding (exp, sin, ...) are computed by NumPy in the next wider type and rounded, so that the
bound on the difference is a bound on Weft's error alone. All others are computed by NumPy in the dtype itself and must
be bit-identical."""
import ctypes
import ctypes.util
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

from values import dtype_of

try:
    import scipy.special as special
except ImportError:
    special = None

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src" / "expr"))
import ufuncs  # noqa: E402  the table

TABLE = {row["name"]: row for row in ufuncs.rows()}
WIDE = {"e": np.float64, "f": np.float64, "d": np.longdouble, "F": np.complex128, "D": np.clongdouble}

# ---- bounds: ULP in (f16, f32, f64) and (c64, c128) ----

# Where OpenCL C promises less than 4 ULP, its bound: devices other than CPUs use their own functions.
DEFAULT = ((1, 4, 4), (8, 8))
BOUNDS = {name: ((1, real, real), (8, 8)) for real, names in (
    (5, "softplus xlogy tan tanh atanh asinpi acospi atanpi"), (6, "atan2 atan2pi tanpi sinc expit logit"), (8, "silu"),
    (16, "powr pown rootn tgamma lgamma lgamma_r erf erfc erfinv erfcinv ndtri i0 i0e i1 i1e k0 k1"), (24, "ndtr"),
    (64, "gelu"),
) for name in names.split()}
BOUNDS.update({name: ((4, 1024, 1024), (8, 8)) for name in "j0 j1 jn y0 y1 betaln zeta".split()})
BOUNDS["beta_function"] = ((4, 1024, 16384), (8, 8))  # SciPy's errors
BOUNDS.update({name: ((4, 1024, 8192), (8, 8)) for name in ("gammainc", "gammaincc")})  # exponentials of large numbers
BOUNDS["digamma"] = ((4, 1024, 1024), (8, 8))  # near the zeros below 0 the leading digits cancel
BOUNDS["pow"] = ((1, 16, 16), (64, 64))  # complex: an error of the logarithm grows with the exponent
# NumPy's result depends on the processor, or (nextafter of halves from 0 to -0) on its version
ZERO_FREE = set("maximum minimum fmax fmin clip maxmag minmag fract sinpi tanpi cospi tgamma nextafter "
                "erfinv erfcinv i1 i1e j1 jn beta_function betaln".split())
ZERO_FREE_COMPLEX = set("multiply square mul_add divide reciprocal".split())

# ---- functions that NumPy lacks ----

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))


def libm(name, arguments=1):
    """C's function, of double for narrower types and of long double for double; the result is rounded to double."""
    def call(kind, *xs):
        suffix, c_type = {"e": ("f", ctypes.c_float), "f": ("f", ctypes.c_float)}.get(kind, ("", ctypes.c_double))
        if arguments == 1:
            suffix, c_type = ("l", ctypes.c_longdouble) if kind == "d" else ("", ctypes.c_double)
        function = getattr(LIBM, name + suffix)
        function.restype, function.argtypes = c_type, [c_type] * arguments
        return np.array([function(*map(float, row)) for row in zip(*xs)], np.float64)
    return call


def wide(kind, *xs):
    return [x.astype(WIDE[kind]) for x in xs]


PI = np.longdouble(3.0) + np.longdouble("0.14159265358979323846264338327950288")


def turn_sine(t):
    """sin(pi t) for |t| <= 1"""
    t = np.where(abs(t) > 0.5, np.copysign(1, t) - t, t)
    return np.where(abs(t) > 0.25, np.copysign(np.cos(PI * (0.5 - abs(t))), t), np.sin(PI * t))


def turn(x):
    x = np.fmod(x.astype(np.longdouble), 2)
    return np.where(abs(x) > 1, x - np.copysign(2, x), x)


def sinpi(kind, x):
    return turn_sine(turn(x))


def cospi(kind, x):
    return turn_sine(0.5 - abs(turn(x)))


def by_pi(function):
    return lambda kind, *xs: function(*[x.astype(np.longdouble) for x in xs]) / PI


def computed(kind, *xs):
    """f16 is computed as f32."""
    return [x.astype(np.float32) if kind == "e" else x for x in xs]


def fma(kind, a, b, c):
    return libm("fma", 3)(kind, a, b, c)


def mul_add(kind, a, b, c, d):
    a, b, c, d = computed(kind, a, b, c, d)
    return a * b + c * d


def magnitude(larger):
    def choose(kind, a, b):
        x, y = (abs(a), abs(b)) if larger else (abs(b), abs(a))
        return np.where(x > y, a, np.where(y > x, b, np.fmax(a, b) if larger else np.fmin(a, b)))
    return choose


def fract(kind, x):
    down = np.floor(x)
    return np.where(np.isinf(x), 0, np.minimum(x - down, np.nextafter(x.dtype.type(1), x.dtype.type(0)))), down


def ilogb(kind, x):
    return (np.frexp(x)[1] - 1).astype(np.int32)


def logb(kind, x):
    return np.where(np.isinf(x), np.inf, np.where(x == 0, -np.inf, np.where(np.isnan(x), x, ilogb(kind, x))))


def round_away(kind, x):
    whole = np.trunc(x)
    return np.copysign(np.where(abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole), x)


def rootn(kind, x, n):
    x = x.astype(np.longdouble)
    root = abs(x) ** (1 / n.astype(np.longdouble))
    odd = n % 2 != 0
    return np.where((n == 0) | ((x < 0) & ~odd), np.nan, np.where(odd, np.copysign(root, x), root))


def sinc(kind, x):
    if kind in "FD":
        part = np.dtype(x.real.dtype).type(PI)
        y = np.empty(x.shape, WIDE[kind])
        y.real, y.imag = x.real * part, x.imag * part
        return np.where(x == 0, 1, np.sin(y) / y)
    x, = computed(kind, x)
    y = x * x.dtype.type(PI)
    return np.where(x == 0, 1, np.sin(y.astype(np.longdouble)) / y)


def remquo(kind, x, y):
    quotient = []
    for a, b in zip(x, y):
        q = round(Fraction(float(a)) / Fraction(float(b)))
        quotient.append((abs(q) & 127) * (1 if q >= 0 else -1))
    return libm("remainder", 2)(kind, x, y), np.array(quotient, np.int32)


def lgamma_r(kind, x):
    return libm("lgamma")(kind, x), np.where((x > 0) | (np.floor(x) % 2 == 0), 1, -1).astype(np.int32)


def long(x):
    return x.astype(np.longdouble)


def expit(kind, x):
    return 1 / (1 + np.exp(-long(x)))


def logit(kind, x):
    x = long(x)
    return np.where(abs(x - 0.5) < 0.25, 2 * np.arctanh(2 * x - 1), np.log(x / (1 - x)))


def ndtr(kind, x):
    """C's function takes a double here: a step along the slope adds the rest of its argument, where it is not 0 yet."""
    exact = np.clip(-long(x), -100, 100) * np.sqrt(np.longdouble(0.5))
    a = exact.astype(np.float64)
    rest = np.where(abs(x) < 38, exact - a, 0) * np.exp(-long(a) ** 2) * 2 / np.sqrt(PI)
    return (libm("erfc")("d", a) - rest) / 2


def times(function):
    """x * function(x), and its limit for -infinity"""
    return lambda kind, x: np.where(x == -np.inf, -0.0, long(x) * function(kind, x))


OTHERS = {
    "expit": expit, "logit": logit, "ndtr": ndtr, "silu": times(expit), "gelu": times(ndtr),
    "softplus": lambda kind, x: np.logaddexp(0, long(x)),
    "xlogy": lambda kind, x, y: np.where((x == 0) & ~np.isnan(y), 0, long(x) * np.log(long(y))),
    "fma": fma, "mad": fma, "mul_add": mul_add, "maxmag": magnitude(True), "minmag": magnitude(False),
    "fdim": lambda kind, a, b: np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(a > b, a - b, 0)),
    "isnormal": lambda kind, x: np.isfinite(x) & (abs(x) >= np.finfo(x.dtype).tiny),
    "fract": fract, "ilogb": ilogb, "logb": logb, "round": round_away,
    "rsqrt": lambda kind, x: 1 / np.sqrt(*wide(kind, x)),
    "exp10": lambda kind, x: np.power(np.longdouble(10), x.astype(np.longdouble)),
    "powr": lambda kind, a, b: np.power(a.astype(np.longdouble), b.astype(np.longdouble)),
    "pown": lambda kind, a, b: np.power(a.astype(np.longdouble), b.astype(np.longdouble)),
    "rootn": rootn,
    "sincos": lambda kind, x: (np.sin(*wide(kind, x)), np.cos(*wide(kind, x))),
    "sinpi": sinpi, "cospi": cospi, "tanpi": lambda kind, x: sinpi(kind, x) / cospi(kind, x),
    "asinpi": by_pi(np.arcsin), "acospi": by_pi(np.arccos), "atanpi": by_pi(np.arctan), "atan2pi": by_pi(np.arctan2),
    "sinc": sinc, "erf": libm("erf"), "erfc": libm("erfc"), "tgamma": libm("tgamma"), "lgamma": libm("lgamma"),
    "lgamma_r": lgamma_r, "ieee_remainder": lambda kind, x, y: libm("remainder", 2)(kind, x, y), "remquo": remquo,
    "real": lambda kind, x: x.real, "imag": lambda kind, x: np.zeros_like(x) if x.dtype.kind != "c" else x.imag,
    "angle": lambda kind, x: np.arctan2(*wide(kind, x)[0].imag[None], wide(kind, x)[0].real) if x.dtype.kind == "c"
    else np.arctan2(np.zeros_like(x), x),
    "isposinf": lambda kind, x: np.isposinf(x), "isneginf": lambda kind, x: np.isneginf(x),
    "where": lambda kind, c, a, b: np.where(c, a, b),
}

def by_scipy(name):
    return lambda kind, *xs: getattr(special, name)(*[x.astype(np.float64) for x in xs])


def digamma(kind, x):
    """SciPy's for x >= 0; below 0 SciPy does not reduce the tangent's argument exactly."""
    x = x.astype(np.float64)
    part = x - np.rint(x)
    reflected = special.digamma(1 - x) - PI / np.tan(PI * part)
    return np.where(x < 0, np.where(part == 0, np.nan, reflected), special.digamma(x))


def of_tiny(name, formula):
    """SciPy's, but the formula where x is tiny: there SciPy gives infinity or NaN for numbers below the normal ones."""
    def compute_all(kind, x):
        x = x.astype(np.float64)
        return np.where((x > 0) & (x < 1e-300), formula(x), by_scipy(name)(kind, x))
    return compute_all


def bessel_i(name):
    """SciPy gives NaN for infinity."""
    return lambda kind, x: np.where(np.isinf(x), x if name == "i1" else np.inf, by_scipy(name)(kind, x))


def bessel(kind, order, x, second=False):
    """SciPy's, but beyond 100 and order^2 / 2 Hankel's expansion: there SciPy does not reduce the sine's argument
    exactly, and gives NaN for infinity."""
    x, n = x.astype(np.longdouble), abs(order.astype(np.float64))
    scipy = special.yv if second else special.jv
    near = (special.y1 if order.all() else special.y0) if second and (n <= 1).all() else None
    value = near(x.astype(np.float64)) if near else scipy(order, x.astype(np.float64))
    if not second:  # SciPy gives 0 for tiny numbers and instead of tiny results
        most = np.minimum(n, 1000)
        term = (np.where(order < 0, -x, x) / 2) ** most / special.gamma(most + 1)
        series = term
        for k in range(1, 20):
            term = term * -(x / 2) ** 2 / (k * (most + k))
            series = series + term
        value = np.where(((abs(x) < 1e-8) | (abs(value) < 1e-300)) & (n <= 170), series, value)
    large = (abs(x) > 100) & (2 * abs(x) >= n * n)
    a, term, parts = np.where(large, abs(x), 100), np.ones(x.shape, np.longdouble), [np.ones_like(x), np.zeros_like(x)]
    for k in range(1, 40):
        term = term * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * a)
        parts[k % 2] = parts[k % 2] + (-1) ** (k // 2) * term
    p, q = parts
    quarter = order.astype(np.int64) % 4
    turned = [np.choose(quarter, [f, g, -f, -g]) for f, g in ((np.cos(a), np.sin(a)), (np.sin(a), -np.cos(a)))]
    cosine, sine = (turned[0] + turned[1]) / np.sqrt(PI * a), (turned[1] - turned[0]) / np.sqrt(PI * a)
    # J_-n and J_n of -x have the sign of (-1)^n; the turn of a negative order has it already
    wave = p * sine + q * cosine if second else (p * cosine - q * sine) * np.where((x < 0) & (quarter % 2 == 1), -1, 1)
    value = np.where(large & ((x > 0) | ~np.array(second)), np.where(np.isinf(x), 0, wave), value)
    return np.where(~large & (n > 16384) & ((value != 0) | (abs(x) > n / 2)), np.nan, value)


def of_order(n, second=False):
    return lambda kind, x: bessel(kind, np.full(x.shape, n), x, second)


def log_beta_far(low, high):
    """The logarithm of the beta function for `high` above 1000, by Stirling's series of the gamma functions' ratio:
    SciPy subtracts two large logarithms."""
    low, high = low.astype(np.longdouble), high.astype(np.longdouble)
    top = high + low
    rest = (1 / top - 1 / high) / 12 - (1 / top ** 3 - 1 / high ** 3) / 360
    ratio = (high - 0.5) * np.log1p(low / high) + low * np.log(top) - low + rest
    return special.gammaln(low.astype(np.float64)) - ratio


def beta(name):
    """SciPy's, but no sign of infinity, and without its accidents: beside NaN, for tiny, large and infinite arguments,
    and for the logarithm of 0."""
    is_log = name == "betaln"

    def compute_all(kind, a, b):
        a, b = a.astype(np.float64), b.astype(np.float64)
        low, high, zero = np.minimum(a, b), np.maximum(a, b), -np.inf if is_log else 0
        value = getattr(special, name)(a, b)
        far = (low > 0) & (high > 1000) & np.isfinite(high)
        large = log_beta_far(np.where(far, low, 1), np.where(far, high, 2000))
        value = np.where(far, large if is_log else np.exp(large), value)
        value = np.where((low <= 0) & np.isinf(value), np.inf, value)
        value = np.where((low > 0) & np.isinf(high), zero, value)
        value = np.where((low < 0) & (a + b <= 0) & (low != np.rint(low)) & (high != np.rint(high)) &
                         (a + b == np.rint(a + b)), zero, value)
        tiny = np.log1p(low / high) - np.log(low)
        value = np.where((low > 0) & (low < 1e-300) & np.isfinite(high), tiny if is_log else 1 / low + 1 / high, value)
        return np.where(np.isnan(a) | np.isnan(b), np.nan, value)
    return compute_all


def incomplete_gamma(name):
    """SciPy's; for tiny a the first term of the series, for huge a the limit: there SciPy loses all digits or gives
    NaN."""
    def compute_all(kind, a, x):
        first = a.astype(np.float64) * special.exp1(x.astype(np.float64))
        value, limit = by_scipy(name)(kind, a, x), np.where(x == a, 0.5, (x > a) == (name == "gammainc"))
        value = np.where((a > 1e300) & np.isfinite(a) & np.isfinite(x) & (x >= 0), limit, value)
        return np.where((a > 0) & (a < 1e-300) & (x > 0), 1 - first if name == "gammainc" else first, value)
    return compute_all


def zeta(kind, s, q):
    """SciPy's, and the limits for NaN and huge exponents."""
    s, q = s.astype(np.float64), q.astype(np.float64)
    limit = np.where(q > 1, 0, np.where(q == 1, 1, np.inf))
    value = np.where((s > 1e10) & (q > 0), limit, by_scipy("zeta")(kind, s, q))
    return np.where(np.isnan(s) | np.isnan(q), np.nan, value)


BY_SCIPY = {
    "j0": of_order(0), "j1": of_order(1), "y0": of_order(0, True), "y1": of_order(1, True), "jn": bessel,
    "beta_function": beta("beta"), "betaln": beta("betaln"), "zeta": zeta,
    "gammainc": incomplete_gamma("gammainc"), "gammaincc": incomplete_gamma("gammaincc"),
    "digamma": digamma, "i0": bessel_i("i0"), "i1": bessel_i("i1"),
    "k0": of_tiny("k0", lambda x: np.log(2) - np.euler_gamma - np.log(x)), "k1": of_tiny("k1", lambda x: 1 / x),
    "erfcinv": of_tiny("erfcinv", lambda x: -special.ndtri_exp(np.log(x) - np.log(2)) / np.sqrt(2)),
    **{name: by_scipy(name) for name in "erfinv ndtri i0e i1e".split()}}
OTHERS.update(BY_SCIPY)
if special is None:
    for name in BY_SCIPY:
        del TABLE[name]
EXACT_OTHERS = set("fma mul_add maxmag minmag fdim isnormal fract ilogb logb round ieee_remainder remquo real imag "
                   "where".split())

# NumPy's functions with their own rounding: computed in the wider type.
WIDER = set("""pow sqrt cbrt hypot exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2
    sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh degrees radians""".split())
WIDER_COMPLEX = WIDER | set("abs divide reciprocal sign multiply square".split())


def numpy_function(name):
    """NumPy's ufunc; None if NumPy has only a function (where, sinc, isposinf) or nothing."""
    if name == "clip":
        return np._core.umath.clip
    function = getattr(np, TABLE[name]["numpy"] or name, None)
    return function if isinstance(function, np.ufunc) else None


# ---- dtypes ----

PYTHON = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def settle(kinds):
    """The dtype that each operand counts as, by NumPy's promotion; `kinds` are dtypes and, for weak scalars, Python's
    types."""
    strong = [k for k in kinds if isinstance(k, np.dtype)]
    if not strong:
        return [np.result_type(*[np.dtype(k) for k in kinds])] * len(kinds)
    common = np.result_type(*strong)
    return [k if isinstance(k, np.dtype) else np.result_type(common, k(1)) for k in kinds]


def resolve(name, kinds):
    """(operand dtypes, result dtypes) for dtypes and Python's types, or None if NumPy refuses."""
    row = TABLE[name]
    function = numpy_function(name)
    if name == "where":
        result = np.result_type(*[k if isinstance(k, np.dtype) else k(1) for k in kinds[1:]])
        return [np.dtype(bool), result, result], [result]
    if function is not None:
        try:
            resolved = function.resolve_dtypes(tuple(np.dtype(k) if k is bool else k for k in kinds) +
                                               (None,) * function.nout)
        except TypeError:
            return None
        resolved = [d if d in map(dtype_of, "?bBhHiIqQefdFD") else np.dtype(object) for d in resolved]
        return None if np.dtype(object) in resolved else (resolved[:len(kinds)], resolved[len(kinds):])
    types, codes = row["types"], row["operands"]
    at = [i for i, c in enumerate(codes) if c == "T"]
    settled = settle([kinds[i] for i in at])
    for i, c in enumerate(codes):
        if c == "i" and not np.can_cast(np.dtype("int32") if kinds[i] is int else np.dtype(kinds[i]), np.int32, "safe"):
            return None
    if ("DIVIDES" in row["flags"] or "SPECIAL" in row["flags"]) and all(s.kind in "biu" for s in settled):
        types = "d"
    for letter in types:
        t = dtype_of(letter)
        if all(np.can_cast(s, t, "safe") for s in settled):
            code = {"T": t, "R": np.dtype({"F": "f4", "D": "f8"}.get(letter, t)), "?": np.dtype(bool),
                    "i": np.dtype("int32"),
                    "B": np.dtype("uint8")}
            return [code[c] for c in codes], [code[c] for c in row["results"]]
    return None


# ---- values ----

def tolerance(name, letter, result):
    """(ULPs, whether signs of zero are free) for a result dtype of a function computed in type `letter`."""
    is_complex = letter in "FD"
    free = name in ZERO_FREE or (is_complex and name in ZERO_FREE_COMPLEX)
    if result.kind not in "fc":
        return 0, free
    inexact = name in (WIDER_COMPLEX if is_complex else WIDER) or (name in OTHERS and name not in EXACT_OTHERS)
    if not inexact:
        return 0, free
    bounds = BOUNDS.get(name, DEFAULT)[is_complex]
    return bounds["FD".index(letter) if is_complex else "efd".index(letter)], free


def compute(name, letter, operands):
    """The results for operands of that signature's dtypes, each in the function's dtype for type `letter`."""
    function = numpy_function(name)
    row = TABLE[name]
    t = dtype_of(letter)
    dtypes = {"T": t, "R": np.dtype({"F": "f4", "D": "f8"}.get(letter, t)), "?": np.dtype(bool), "i": np.dtype("int32"),
              "B": np.dtype("uint8")}
    with np.errstate(all="ignore"):
        if function is None:
            flat = [np.ravel(x) for x in np.broadcast_arrays(*operands)]
            shape = np.broadcast_shapes(*[np.shape(x) for x in operands])
            results = OTHERS[name](letter, *flat)
            results = [np.reshape(r, shape) for r in (results if isinstance(results, tuple) else (results,))]
        else:
            wider = letter in WIDE and name in (WIDER_COMPLEX if letter in "FD" else WIDER)
            given = [x.astype(WIDE[letter]) if wider and x.dtype == t else x for x in operands]
            results = function(*given)
            results = results if isinstance(results, tuple) else (results,)
        return [np.asarray(r).astype(dtypes[c]) for r, c in zip(results, row["results"])]

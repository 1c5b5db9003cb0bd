# SPDX-License-Identifier: MIT
"""The test values for ufuncs: all pairs of special ones, then random ones. They depend only on the seed and the dtype,
so that a file of cases holds each series once."""
import numpy as np

DTYPES = ["none", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
          "float32", "float64",
          "complex64", "complex128"]  # numbered as weft_dtype
LETTERS = "?bBhHiIqQefdFD"
NUMBER = {np.dtype(name): number for number, name in enumerate(DTYPES) if number}
SPECIALS, RANDOMS = 14, 61


def dtype_of(letter):
    return np.dtype({"q": "int64", "Q": "uint64"}.get(letter, letter))


def number_of(dtype):
    return NUMBER[np.dtype(dtype)]


def generator(seed, *salt):
    return np.random.default_rng([seed] + [sum(ord(c) << 7 * i for i, c in enumerate(str(s)[:9])) for s in salt])


def float_specials(dtype):
    info = np.finfo(dtype)
    return [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, info.smallest_subnormal, -info.tiny, info.max, 0.5, -2.5,
            3.0, info.min]


def integer_specials(dtype):
    info = np.iinfo(dtype)
    bits = 8 * dtype.itemsize
    numbers = [0, 1, 2, 3, 5, bits - 1, bits, bits + 1, info.max, info.max - 1, info.max // 2 + 1, info.min, -1, -2,
               info.min + 1, -3]
    return [n for n in numbers if info.min <= n <= info.max][:SPECIALS]


def random_floats(rng, dtype, count):
    """A fifth each: around 1, within (-1, 1), of any size, halves and small integers, and any bits."""
    info = np.finfo(dtype)
    parts = np.array_split(np.arange(count), 5)
    x = np.empty(count, np.longdouble)
    x[parts[0]] = rng.standard_normal(len(parts[0])) * 3
    x[parts[1]] = rng.uniform(-1, 1, len(parts[1]))
    sizes = rng.choice([-1, 1], len(parts[2])), rng.uniform(info.minexp / 2, info.maxexp / 2, len(parts[2]))
    x[parts[2]] = sizes[0] * 2.0 ** sizes[1]
    x[parts[3]] = rng.integers(-16, 17, len(parts[3])) / 2
    bits = rng.integers(0, 256, (len(parts[4]), dtype.itemsize), np.uint8)
    with np.errstate(all="ignore"):
        x[parts[4]] = bits.view(dtype).ravel()
        x = x.astype(dtype)
    return x[rng.permutation(count)]


def random_integers(rng, dtype, count):
    """A third each: small, around the number of bits, any."""
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, count, dtype, endpoint=True)
    small = rng.integers(max(info.min, -9), 10, count).astype(dtype)
    middle = rng.integers(max(info.min, -70), min(info.max, 70), count).astype(dtype)
    return np.choose(rng.integers(0, 3, count), [small, middle, x])


def specials_of(dtype):
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        return np.array(integer_specials(dtype), dtype)
    if dtype.kind == "f":
        return np.array(float_specials(dtype), dtype)
    inf, nan = np.inf, np.nan
    parts = [(0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (1, 0), (-1, -0.0), (0, 1), (inf, 0), (-inf, 1), (nan, 0), (1, nan),
             (inf, inf), (2.5, -0.5), (-3, 4), (nan, nan), (-2, inf), (1e-3, 1e3)]
    out = np.empty(len(parts), dtype)
    out.real, out.imag = np.array(parts).T
    return out


def randoms_of(rng, dtype, count):
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        return random_integers(rng, dtype, count)
    if dtype.kind == "f":
        return random_floats(rng, dtype, count)
    real = np.dtype("f4" if dtype.itemsize == 8 else "f8")
    out = np.empty(count, dtype)
    out.real = rng.standard_normal(count) * 2.0 ** rng.integers(-6, 5, count)
    out.imag = rng.standard_normal(count) * 2.0 ** rng.integers(-6, 5, count)
    return out.astype(dtype, copy=False) if real else out


def series(seed, dtypes, count=None):
    """One array for each operand, all of one length: every combination of special values, then random ones. `count`
    cuts or repeats it."""
    columns = [specials_of(d) for d in dtypes]
    if len(dtypes) > 2:
        columns = [c[:6] for c in columns]
    if len(dtypes) == 1 and dtypes[0].itemsize == 1 and dtypes[0].kind in "iu":
        columns = [np.arange(256).astype(np.uint8).view(dtypes[0])]
    grid = [g.ravel() for g in np.meshgrid(*columns, indexing="ij")]
    more = RANDOMS if len(dtypes) > 1 else 3 * RANDOMS
    out = []
    for k, (g, d) in enumerate(zip(grid, dtypes)):
        rng = generator(seed, d.name, k)
        out.append(np.concatenate([g, randoms_of(rng, d, more)]).astype(d))
    # near-multiples, which show a wrong floor
    if len(dtypes) == 2 and dtypes[0].kind == "f" and dtypes[0] == dtypes[1]:
        rng = generator(seed, dtypes[0].name, "near")
        b = randoms_of(rng, dtypes[0], 20)
        with np.errstate(all="ignore"):
            a = np.nextafter(b * rng.integers(-40, 40, 20).astype(dtypes[0]),
                             dtypes[0].type(rng.choice([-np.inf, np.inf])))
        out = [np.concatenate([out[0], a]), np.concatenate([out[1], b])]
    return [o if count is None else np.resize(o, count) for o in out]

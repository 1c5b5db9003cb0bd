# SPDX-License-Identifier: MIT
"""Calls of chains beyond the judge's primitives, on any view of any array: ufuncs, expressions, copies, casts, writes,
user kernels. Each function makes one call, or none if its random choices do not fit."""

import numpy as np

import reference
from generate import kind_of, suit
from layouts import PERIOD
from primitives.base import ALL, draw_shape, values_of
from record import END, Host, View, Weak
from values import dtype_of, number_of

LARGEST = 20000  # elements


# ---- views ----


def view_steps(rng, x):
    """Up to four steps from an array to a view of it."""
    steps = []
    for _ in range(int(rng.choice([0, 0, 1, 1, 2, 3, 4]))):
        letter = str(rng.choice(list("sssstbixqfr")))
        axis = int(rng.integers(x.ndim)) if x.ndim else 0
        one = None
        if letter == "s" and x.ndim:
            ends = [
                END if rng.random() < 0.4 else int(rng.integers(-x.shape[axis] - 2, x.shape[axis] + 3)) for _ in "ab"
            ]
            one = (axis, *ends, int(rng.choice([1, 1, 2, 3, -1, -1, -2])))
        elif letter == "t" and x.ndim > 1:
            one = tuple(int(a) for a in rng.permutation(x.ndim))
        elif letter == "b" and x.ndim < 4:
            one = tuple(int(n) for n in rng.integers(1, 4, int(rng.integers(0, 2))))
            one += tuple(int(rng.integers(1, 5)) if n == 1 else n for n in x.shape)
            one = one if np.prod(one, dtype=int) <= LARGEST else None
        elif letter == "i" and x.ndim and x.shape[axis]:
            one = (axis, int(rng.integers(-x.shape[axis], x.shape[axis])))
        elif letter == "x" and x.ndim < 5:
            one = (int(rng.integers(x.ndim + 1)),)
        elif letter == "q" and x.ndim and x.shape[axis] == 1:
            one = (axis,)
        elif letter == "f" and x.ndim:
            one = (axis,)
        elif letter == "r" and x.flags.c_contiguous and x.size:
            rows = [n for n in range(2, 18) if x.size % n == 0]
            one = (int(rng.choice(rows)), -1) if rows and rng.random() < 0.7 else (-1,)
            one = tuple(int(n) if n > 0 else x.size // max(1, int(np.prod(one[:-1], dtype=int))) for n in one)
        if one is not None:
            steps.append((letter, one))
            x = View(None, [(letter, one)]).of(x)
    return steps


# ---- calls beyond the judge's primitives ----


def operand(c, rng, letters, shape=None):
    """An array of the chain (of any shape, or one that broadcasts to `shape`), a scalar, or host memory."""
    if shape is None:
        place = c.some(rng, letters)
        if place and place.array().size <= LARGEST and rng.random() < 0.8:
            return place
        shape = draw_shape(rng, int(rng.choice([0, 1, 1, 2, 2, 3])), [2049, 4097])
        return c.array(rng, shape, dtype_of(c.letter(rng, letters)), "mixed")
    dtype = dtype_of(c.letter(rng, letters))
    draw = rng.random()
    if draw < 0.15:
        return Weak({"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtype.kind](int(rng.integers(0, 4))))
    shape = tuple(1 if rng.random() < 0.1 else n for n in shape)
    shape = shape[int(rng.integers(len(shape) + 1)) :] if rng.random() < 0.1 else shape
    view = c.array(rng, shape, dtype, "mixed")
    return Host(c.of(view.array()).storage, shape) if draw < 0.25 else view


def value_of(place):
    return np.asarray(place.value) if isinstance(place, Weak) else place.array()


def operands_of(c, rng, codes):
    """An operand for each code of letters, in any order; None if they are too large together."""
    first = int(rng.integers(len(codes)))
    out = {first: operand(c, rng, codes[first])}
    shape = value_of(out[first]).shape
    for k, letters in enumerate(codes):
        if k != first:
            out[k] = operand(c, rng, letters, shape)
    out = [out[k] for k in range(len(codes))]
    fresh = all(c.is_fresh(o, True) for o in out)
    return (
        out if fresh and np.prod(np.broadcast_shapes(*[value_of(o).shape for o in out]), dtype=int) <= LARGEST else None
    )


SLOW = 400  # elements that the reference computes one by one


def ufunc(c, rng):
    names = list(reference.TABLE)
    name = names[int(rng.integers(len(names)))]
    row = reference.TABLE[name]
    letters = {"T": row["types"], "?": "?", "i": "i", "K": "bhiqBHI"}
    if rng.random() < 0.3:
        letters["T"] = ALL
    operands = operands_of(c, rng, [letters[code] for code in row["operands"]])
    if operands is None or all(isinstance(o, Weak) for o in operands):
        return
    shape = np.broadcast_shapes(*[value_of(o).shape for o in operands])
    if name in reference.OTHERS and np.prod(shape, dtype=int) > SLOW:
        return
    kinds = [kind_of(o) for o in operands]
    try:
        resolved = reference.resolve(name, kinds)
    except OverflowError:
        return
    if resolved is None:
        return
    with np.errstate(all="ignore"):
        given = [value_of(o).astype(d) for o, d in zip(operands, resolved[0])]
        flat = [np.broadcast_to(g, shape).ravel() for g in given]
    if any(o.dtype.kind in "fc" and d.kind in "biu" for o, d in zip(map(value_of, operands), resolved[0])):
        return
    if any(g.dtype.kind in "fc" and np.isnan(g).any() for g in given) and name in (
        "signbit",
        "copysign",
    ):  # NaN's sign is not defined
        return
    letter = (
        next(g.dtype.char for g, code in zip(given, row["operands"]) if code == "T").replace("l", "q").replace("L", "Q")
    )
    if letter not in row["types"]:
        return
    fine = suit(name, letter, [f.copy() for f in flat])
    if any(len(f) != len(g) or f.tobytes() != g.tobytes() for f, g in zip(fine, flat)):
        return
    try:
        letter, answers, _ = c.maker.answers(name, operands)
    except OverflowError:
        return
    tolerances = [(*reference.tolerance(name, letter, a.dtype), 0.0) for a in answers]
    c.call(name, operands, [], answers, tolerances, rng=rng, how=c.how(rng), label="")


EVALS = [  # text, dtypes, NumPy
    ("a * b + c", "fff", lambda a, b, c: a * b + c),
    ("a * b + c", "iib", lambda a, b, c: a * b + c),
    ("a - b if a > b else b - a", "hh", lambda a, b: np.where(a > b, a - b, b - a)),
    ("a // (b | 1) + a % (b | 1)", "ii", lambda a, b: a // (b | 1) + a % (b | 1)),
    ("(a & 15) << 2 ^ ~b", "IB", lambda a, b: (a & 15) << 2 ^ ~b),
    ("minimum(a, b) * 2.5 - c", "dfd", lambda a, b, c: np.minimum(a, b) * 2.5 - c),
    ("not a or b > 0", "?h", lambda a, b: ~a | (b > 0)),
    ("0 <= a < 10", "q", lambda a: (0 <= a) & (a < 10)),
    ("abs(a) + b * b", "ff", lambda a, b: abs(a) + b * b),
    ("t = a - b; where(isnan(t), 0, t)", "dd", lambda a, b: np.where(np.isnan(a - b), 0, a - b)),
    ("a + b", "FF", lambda a, b: a + b),
    ("i64(a) * 3 - b", "Hq", lambda a, b: a.astype("i8") * 3 - b),
]


def eval_text(c, rng):
    text, letters, function = EVALS[int(rng.integers(len(EVALS)))]
    operands = operands_of(c, rng, list(letters))
    if operands is None or any(isinstance(o, Weak) for o in operands):
        return
    with np.errstate(all="ignore"):
        answer = function(*map(value_of, operands))
    free = "minimum" in text or "where" in text or "abs" in text
    c.call("eval", operands, [text], answer, (0, free, 0.0), rng=rng, how=c.how(rng), label=text)


def copy(c, rng):
    x = operand(c, rng, ALL)
    how = "out" if rng.random() < 0.6 else "new"
    c.call("copy", [x], [], x.array(), rng=rng, how=how)


def cast(c, rng):
    x, dtype = operand(c, rng, ALL), dtype_of(c.letter(rng))
    value = x.array()
    if dtype.kind in "iu" and value.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            fits = (
                np.isfinite(value.real)
                & (abs(value.real) < 2.0 ** (8 * dtype.itemsize - 1) - 1)
                & (value.real >= (0 if dtype.kind == "u" else -np.inf))
            )
        if not np.all(fits):
            return
    with np.errstate(all="ignore"):
        answer = value.astype(dtype)
    c.call("cast", [x], [number_of(dtype)], answer, rng=rng, how="new")


def given(c, rng):
    """A writable view of any array; None: none was found."""
    place = c.some(rng, is_exact=False)
    if place is None or not place.of(place.storage.values).flags.writeable:
        return None
    view = place.of(place.storage.values)
    return (
        place if any(n == 0 for n in view.shape) or all(s or n == 1 for s, n in zip(view.strides, view.shape)) else None
    )


def fill(c, rng):
    place = given(c, rng)
    if place is None:
        return
    dtype = place.array().dtype
    number = {"b": True, "i": -3, "u": 7, "f": 2.5, "c": 1 - 2j}[dtype.kind]
    c.call("fill", [], [Weak(number)], np.full(place.array().shape, number, dtype), results=[place])


def write(c, rng):
    place = given(c, rng)
    if place is None:
        return
    if rng.random() < 0.5:  # all of it, so that the array is exact again
        place.steps = []
    x = place.array()
    values = np.resize(
        values_of(c.seed, x.dtype, str(rng.choice(["finite", "finite", "near", "few", "mixed"]))), x.size
    )
    values = np.roll(values, int(rng.integers(PERIOD)))
    storage = c.of(values).storage
    c.call("write", [Host(storage, x.shape)], [int(rng.integers(4))], values.reshape(x.shape), results=[place])


def run_of(c, rng, root, count=None):
    """Adjacent elements of an array, from an offset that kernels accept: a multiple of 128 bytes."""
    values = root.storage.values
    count = int(rng.integers(1, values.size + 1)) if count is None else count
    steps = 128 // values.itemsize
    start = int(rng.integers((values.size - count) // steps + 1)) * steps
    place = View(
        root.storage, ([("r", (values.size,))] if values.ndim != 1 else []) + [("s", (0, start, start + count, 1))]
    )
    place.version = root.version
    return place


def whole_roots(c, letters):
    return [
        one
        for one in c.live.values()
        if one.root is one
        and not one.is_dropped
        and one.is_known
        and one.is_exact
        and one.storage.values.size
        and one.storage.values.dtype in [dtype_of(x) for x in letters]
    ]


def launch(c, rng):
    """A user kernel."""
    some = whole_roots(c, "BHIQ")
    if not some:
        return
    x = some[int(rng.integers(len(some)))]
    some = [
        y
        for y in some
        if y is not x and y.storage.values.dtype == x.storage.values.dtype and y.storage.values.flags.writeable
    ]
    if not some:
        return
    y = some[int(rng.integers(len(some)))]
    a, b = x.storage.values, y.storage.values
    place = run_of(c, rng, x, int(rng.integers(1, min(a.size, b.size) + 1)))
    into = run_of(c, rng, y, place.array().size)
    c.call("launch", [place], [], (3 * place.array() + into.array()).astype(a.dtype), results=[into])


def user_ufunc(c, rng):
    letter = c.letter(rng, "ifd")
    operands = operands_of(c, rng, [letter, letter])
    if operands is None or any(isinstance(o, Weak) for o in operands):
        return
    a, b = map(value_of, operands)
    with np.errstate(all="ignore"):
        c.call("user_ufunc", operands, [], a * b - a, rng=rng, how=c.how(rng))


def write_mapped(c, rng):
    some = [
        one
        for one in c.live.values()
        if one.root is one and not one.is_dropped and one.is_known and one.storage.values.size
    ]
    if not some:
        return
    one = some[int(rng.integers(len(some)))]
    place = View(one.storage)
    place.version = one.version
    x = one.storage.values
    values = np.resize(values_of(c.seed, x.dtype, "finite"), x.size)
    c.call("write_mapped", [Host(c.of(values).storage, x.shape)], [], values.reshape(x.shape), results=[place])


def wrap(c, rng):
    x = operand(c, rng, ALL).array()
    if x.size:
        c.call("wrap", [Host(c.of(x).storage, x.shape)], [], x, rng=rng)


def save_and_load(c, rng):
    x = operand(c, rng, ALL)
    c.call("save_and_load", [x], [], x.array(), rng=rng)


def make_array(c, rng):
    dtype = dtype_of(c.letter(rng))
    shape = draw_shape(rng, int(rng.choice([0, 1, 2, 3])), [4097, 12289])
    name = str(rng.choice(["zeros", "ones", "full", "arange"]))
    number = {"b": True, "i": -3, "u": 7, "f": 2.5, "c": 1 - 2j}[dtype.kind]
    if name == "arange" and dtype.kind in "iu":
        start, step, n = int(rng.integers(0, 9)), int(rng.integers(1, 4)), int(rng.integers(0, 30))
        c.call(
            "arange",
            [],
            [number_of(dtype), Weak(start), Weak(start + step * n), Weak(step)],
            np.arange(start, start + step * n, step, dtype),
        )
    elif name == "full":
        c.call(name, [], [number_of(dtype), shape, Weak(number)], np.full(shape, number, dtype))
    else:
        name = "zeros" if name == "arange" else name
        c.call(name, [], [number_of(dtype), shape], getattr(np, name)(shape, dtype))


def view(c, rng):
    """A view that is kept and used like any array."""
    place = c.some(rng)
    if place and place.steps:
        c.call("view", [place], [], place.array())


def ravel(c, rng):
    place = c.some(rng)
    if place and place.array().size <= LARGEST:
        x = place.array()
        try:
            answer = np.reshape(x, -1, copy=False)
        except ValueError:  # strides do not allow a view
            answer = x.ravel()
        c.call("ravel", [place], [], answer)


def view_as(c, rng):
    """Reinterprets the bytes as another integer dtype."""
    some = [one for one in whole_roots(c, "BHIQbhiq") if one.storage.values.flags.c_contiguous and
            one.storage.values.ndim]
    if some:
        place = View(some[int(rng.integers(len(some)))].storage)
        place.version = c.live[place.storage].version
        dtype = dtype_of(str(rng.choice(list("BHIQbhiq"))))
        if place.array().shape[-1] * place.array().itemsize % dtype.itemsize == 0:
            c.call("view_as", [place], [number_of(dtype)], place.array().view(dtype))


CALLS = (
    [ufunc] * 14
    + [eval_text] * 3
    + [user_ufunc, launch, launch, copy, cast, fill, write, write, write_mapped, wrap, save_and_load, make_array]
    + [view, view, ravel, view_as]
)

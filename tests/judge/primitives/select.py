# SPDX-License-Identifier: MIT
"""weft/select.h"""

import numpy as np

from record import DTYPE, SHAPE, Host, Weak
from values import dtype_of

from .base import ALL, draw_shape

DIFFERENCES = """
compress     by a mask of x's shape, or one that broadcasts to it: x[mask]; the mask is bool or u8
nonzero      as numpy.argwhere: one row of indices an element
partition    NumPy's sorts by a value; this one parts by a mask: x[mask], x[~mask]
"""
AXIS = 104


def mask_of(c, rng, shape):
    share = rng.choice([0.0, 0.01, 0.5, 0.9, 1.0])
    # a short period, so that a file of cases holds few patterns
    pattern = np.resize(np.random.default_rng([c.seed, int(100 * share)]).random(251) < share,
                        int(np.prod(shape, dtype=int)))
    return c.of(pattern.reshape(shape).astype(bool if rng.random() < 0.7 else np.uint8))


def letters(seed, turn):
    rng = np.random.default_rng([seed, turn, 5])
    return ([str(rng.choice(list(some))) for some in ("?bB", "hHe", "iIf", "qQdF", "D")] +
            [str(n) for n in rng.choice(list(ALL), 3)])


def into(c, name, operands, params, kept, size):
    """Calls that do not wait: the rest of the result must be unchanged."""
    out = c.of(np.resize(c.values(kept.dtype, "finite"), size))
    whole = out.array().copy()
    whole[: len(kept)] = kept
    c.call(name, operands, params, [whole, np.array(len(kept))], results=[out, None])


def masks(c):
    for turn in range(c.scale):
        for letter in c.each(letters(c.seed, turn)):
            rng = c.group("compress", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(6):
                ndim = int(rng.choice([0, 1, 1, 1, 2, 3]))
                shape = draw_shape(rng, ndim)
                x = c.array(rng, shape, dtype, "mixed")
                value = x.array()
                mask = mask_of(c, rng, shape[int(rng.integers(2)) :] if ndim > 1 and rng.random() < 0.3 else shape)
                if draw == 5:
                    mask = Host(c.of(mask.array()).storage, mask.array().shape)
                chosen = np.broadcast_to(mask.array() != 0, shape)
                c.call("compress", [mask, x], [], value[chosen].reshape(-1), rng=rng, how=c.how(rng))
                flat, picked = value.reshape(-1), chosen.reshape(-1)
                c.call("partition", [mask, x], [],
                       [np.concatenate([flat[picked], flat[~picked]]), np.array(picked.sum())], label="counted")
                into(c, "compress_into", [mask, x], [], flat[picked], value.size)
                if not ndim:
                    continue
                axis = int(rng.integers(-ndim, ndim))
                mask = mask_of(c, rng, (shape[axis],))
                c.call(
                    "compress_axis",
                    [mask, x],
                    [axis],
                    np.compress(mask.array() != 0, value, axis),
                    rng=rng,
                    how=c.how(rng),
                    label=f"axis {axis}",
                )
    rng = c.group("compress", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    c.refuse("compress", [c.of(np.zeros((4, 3), bool)), x], [], SHAPE)
    c.refuse("compress", [c.of(np.zeros((3, 4), np.int32)), x], [], DTYPE)
    c.refuse("compress_axis", [c.of(np.zeros((3,), bool)), x], [1], SHAPE)
    c.refuse("compress_axis", [c.of(np.zeros((3,), bool)), x], [2], AXIS)


def places(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("nonzero", letter, turn)
            for draw in range(4):
                ndim = int(rng.choice([0, 1, 1, 2, 3, 4]))
                shape = draw_shape(rng, ndim, [4097, 8193])
                x = c.array(rng, shape, dtype_of(letter), str(rng.choice(["few", "few", "mixed", "equal"])))
                c.call("nonzero", [x], [], np.argwhere(x.array()), rng=rng, how=c.how(rng))
                c.call("flatnonzero", [x], [], np.flatnonzero(x.array()), rng=rng, how=c.how(rng))


SELECTIONS = [
    ("x > 0", "fbqd", lambda x, k: x > 0),
    ("x > k", "ifH", lambda x, k: x > k),
    ("isnan(x)", "fe", lambda x, k: np.isnan(x)),
    ("x != x", "fF", lambda x, k: x != x),
    ("(x & 1) == 0", "BiQ", lambda x, k: (x & 1) == 0),
]


def expressions(c):
    for text, kinds, function in SELECTIONS:
        for letter in kinds:
            rng = c.group("select", text, letter)
            for draw in range(3):
                x = c.array(rng, draw_shape(rng, 1 + draw // 2), dtype_of(letter), "few" if draw else "mixed")
                operands = [x] + ([Weak(1)] if "k" in text else [])
                with np.errstate(all="ignore"):
                    chosen = function(x.array(), 1)
                into(c, "select_into", operands, [text], x.array()[chosen], chosen.size)
                c.call("select", operands, [text], x.array()[chosen], rng=rng, how=c.how(rng), label=text)


def make(c):
    masks(c)
    places(c)
    expressions(c)

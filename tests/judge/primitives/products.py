# SPDX-License-Identifier: MIT
"""weft/products.h: sums of products over labelled axes, and the products made of them. Floats are compared with sums
of a wider dtype, within the bound of a sum of as many products."""

import math

import numpy as np

from record import DTYPE, SHAPE
from values import dtype_of

from .base import ALL, EXACT, axes_param, epsilon, real_of

DIFFERENCES = """
einsum       a diagonal of two axes of different lengths is refused; steps of f16 are computed in f32 and each is
             rounded once
cross        vectors have 3 elements, as in numpy.linalg.cross
"""
ARGUMENT, AXIS, EXPRESSION = 100, 104, 109
WIDE = {"e": "f8", "f": "f8", "d": "g", "F": "D", "D": "G"}


def array(c, rng, shape, letter):
    return c.array(rng, shape, dtype_of(letter), "near" if letter == "e" else "finite", count=251)


def judged(function, operands, terms):
    """(the result of function(*operands) in the operands' dtype, its tolerance). A result sums `terms` products."""
    dtype = np.result_type(*operands)
    if dtype.kind not in "fc":
        with np.errstate(all="ignore"):
            return np.asarray(function(*[x.astype(dtype) for x in operands])).astype(dtype), EXACT
    wide = np.dtype(WIDE[dtype.char])
    exact = np.asarray(function(*[x.astype(wide) for x in operands]))
    size = float(np.asarray(function(*[abs(x.astype(wide)) for x in operands])).max(initial=0))
    steps = (terms + 4 * len(operands)) * (2 if dtype.kind == "c" else 1)
    unit = (
        epsilon(dtype) if len(operands) > 2 or terms == 1 else epsilon("f4" if real_of(dtype).itemsize == 2 else dtype)
    )
    return exact.astype(dtype), (1, True, size * steps * unit)


def draw_subscripts(rng):
    """(subscripts, shapes), small enough for NumPy's one loop."""
    while True:
        letters = "".join(rng.permutation(list("abcdefXYZ")))[: int(rng.integers(1, 6))]
        length = {x: int(rng.choice([1, 2, 3, 4, 5, 7, 9, 17])) for x in letters}
        terms, shapes, rest = [], [], [int(n) for n in rng.choice([1, 2, 3], int(rng.integers(0, 3)))]
        has_rest = rng.random() < 0.2
        for _ in range(int(rng.choice([1, 2, 2, 2, 3, 3, 4]))):
            labels = [str(x) for x in rng.choice(list(letters), int(rng.integers(0, 4)))]
            shape = [length[x] for x in labels]
            for k, x in enumerate(labels):
                if labels.count(x) == 1 and rng.random() < 0.1:
                    shape[k] = 1
            term = "".join(labels)
            if has_rest:
                at, axes = int(rng.integers(len(labels) + 1)), rest[int(rng.integers(len(rest) + 1)) :]
                axes = [1 if rng.random() < 0.2 else n for n in axes]
                term = term[:at] + "..." + term[at:]
                shape[at:at] = axes
            terms.append(term)
            shapes.append(shape)
        used = "".join(x for x in letters if any(x in t for t in terms))
        text = ",".join(terms)
        if rng.random() < 0.8:
            kept = "".join(rng.permutation([x for x in used if rng.random() < 0.5] or [""]))
            at = int(rng.integers(len(kept) + 1))
            text += "->" + (kept[:at] + "..." + kept[at:] if has_rest else kept)
        if rng.random() < 0.1:
            text = text.replace(",", " , ")
        if math.prod(length[x] for x in used) * math.prod(rest) > 40000:
            continue
        try:
            result = np.einsum(text, *[np.zeros(s) for s in shapes])
        except ValueError:
            continue
        if result.ndim <= 8 and result.size <= 3000:
            return text, shapes, math.prod(length[x] for x in used) * math.prod(rest) // max(1, result.size)


def einsums(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("einsum", letter, turn)
            for _ in range(5):
                text, shapes, terms = draw_subscripts(rng)
                others = [letter if rng.random() < 0.8 else "f" for _ in shapes]
                operands = [array(c, rng, s, d) for s, d in zip(shapes, others)]
                answer, tolerance = judged(lambda *x: np.einsum(text, *x), [x.array() for x in operands], terms)
                c.call("einsum", operands, [text], answer, tolerance, rng=rng, how=c.how(rng), label=text)
    for letter in "fi":
        rng = c.group("einsum", "larger", letter)
        for text, shapes in (
            ("ij,jk->ki", [(40, 65), (65, 33)]),
            ("bij,bkj->bik", [(3, 17, 64), (3, 20, 64)]),
            ("abcd,cdef->abef", [(3, 4, 5, 6), (5, 6, 2, 3)]),
            ("ij,jk,kl,lm", [(9, 17), (17, 3), (3, 33), (33, 4)]),
            ("ii->i", [(33, 33)]),
            ("iji->j", [(5, 7, 5)]),
            ("i,j,k->ijk", [(7,), (9,), (11,)]),
            ("i->", [(0,)]),
            ("ij,j->i", [(3, 0), (0,)]),
            ("ij,jk", [(0, 3), (3, 2)]),
        ):
            operands = [array(c, rng, s, letter) for s in shapes]
            answer, tolerance = judged(lambda *x: np.einsum(text, *x), [x.array() for x in operands], 400)
            c.call("einsum", operands, [text], answer, tolerance, rng=rng, how=c.how(rng), label=text)


def tensordots(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("tensordot", letter, turn)
            for _ in range(2):
                pairs = int(rng.integers(0, 3))
                lengths = [int(n) for n in rng.choice([1, 2, 3, 5, 8], pairs)]
                shapes, axes = [], []
                for _ in range(2):
                    ndim = pairs + int(rng.integers(0, 3))
                    at = [int(k) for k in rng.permutation(ndim)[:pairs]]
                    shape = [int(n) for n in rng.choice([1, 2, 3, 4, 7], ndim)]
                    for k, n in zip(at, lengths):
                        shape[k] = n
                    shapes.append(shape)
                    axes.append([k - ndim if rng.random() < 0.3 else k for k in at])
                operands = [array(c, rng, s, letter) for s in shapes]
                answer, tolerance = judged(
                    lambda a, b: np.tensordot(a, b, axes), [x.array() for x in operands], math.prod(lengths)
                )
                c.call(
                    "tensordot",
                    operands,
                    [axes_param(axes[0], 0), axes_param(axes[1], 0)],
                    answer,
                    tolerance,
                    rng=rng,
                    how=c.how(rng),
                )


def others(c):
    shapes = {
        "inner": [((5,), (5,)), ((2, 3, 4), (6, 4)), ((3, 1), (1,)), ((), (4, 3)), ((7, 33), (9, 33))],
        "outer": [((5,), (7,)), ((2, 3), (4,)), ((), (3,)), ((0,), (3,)), ((33, 2), (65,))],
        "matvec": [
            ((5, 7), (7,)),
            ((3, 5, 7), (7,)),
            ((5, 7), (4, 7)),
            ((3, 1, 2, 5), (4, 5)),
            ((2, 0), (0,)),
            ((65, 33), (33,)),
        ],
        "kron": [((2, 3), (4, 5)), ((3,), (2, 3)), ((2, 3, 2), (2,)), ((), (3, 2)), ((5, 7), (9, 11))],
    }
    for turn in range(c.scale):
        for name, each in shapes.items():
            for letter in c.each(ALL):
                rng = c.group(name, letter, turn)
                for pair in each:
                    operands = [array(c, rng, s, letter) for s in pair]
                    terms = pair[1][-1] if name in ("inner", "matvec") and pair[0] else 1
                    answer, tolerance = judged(getattr(np, name), [x.array() for x in operands], terms)
                    c.call(name, operands, [], answer, tolerance, rng=rng, how=c.how(rng))


def crosses(c):
    for turn in range(c.scale):
        for letter in c.each("bHiqefdFD"):
            rng = c.group("cross", letter, turn)
            for pair, axis in (
                (((3,), (3,)), -1),
                (((5, 3), (3,)), -1),
                (((4, 1, 3), (7, 3)), -1),
                (((3, 5), (3, 5)), 0),
                (((3, 4), (3,)), 0),
                (((2, 3, 4), (5, 3, 1, 1)), 1),
            ):
                operands = [array(c, rng, s, letter) for s in pair]
                answer, tolerance = judged(lambda a, b: np.cross(a, b, axis=axis), [x.array() for x in operands], 2)
                if tolerance is not EXACT:
                    sizes = [float(abs(x.array()).max(initial=0)) for x in operands]
                    tolerance = (1, True, 8 * sizes[0] * sizes[1] * epsilon("f4" if letter == "e" else answer.dtype))
                c.call("cross", operands, [axis], answer, tolerance, rng=rng, how=c.how(rng))


def chains(c):
    for turn in range(c.scale):
        for letter in c.each("bIqefdFD?"):
            rng = c.group("multi_dot", letter, turn)
            for count in (2, 3, 5):
                lengths = [int(n) for n in rng.choice([1, 2, 3, 5, 8, 17], count + 1)]
                shapes = [list(pair) for pair in zip(lengths, lengths[1:])]
                if rng.random() < 0.3:
                    shapes[0] = shapes[0][1:]
                if rng.random() < 0.3:
                    shapes[-1] = shapes[-1][:1]
                operands = [array(c, rng, s, letter) for s in shapes]
                answer, tolerance = judged(
                    lambda *x: np.linalg.multi_dot(x), [x.array() for x in operands], sum(lengths)
                )
                c.call("multi_dot", operands, [], answer, tolerance, rng=rng, how=c.how(rng))


def traces(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("trace", letter, turn)
            for shape, k, axes in (
                ((5, 7), 0, (0, 1)),
                ((5, 7), 2, (0, 1)),
                ((3, 4, 5), -1, (-2, -1)),
                ((6, 2, 6), 0, (2, 0)),
                ((2, 2), 5, (0, 1)),
            ):
                x = array(c, rng, shape, letter)
                answer = np.trace(x.array(), offset=k, axis1=axes[0], axis2=axes[1])
                tolerance = EXACT
                if answer.dtype.kind in "fc":
                    answer, tolerance = judged(
                        lambda a: np.trace(a, offset=k, axis1=axes[0], axis2=axes[1]), [x.array()], 8
                    )
                c.call("matrix_trace", [x], [k, *axes], answer, tolerance, rng=rng, how=c.how(rng))


def refused(c):
    rng = c.group("products", "refused")
    x, y, v = (c.array(rng, s, np.dtype("f4")) for s in ((3, 4), (4, 5), (3,)))
    for text, status in (
        ("ij,ij", SHAPE),
        ("ij,jk->il", EXPRESSION),
        ("ij,jk->ii", EXPRESSION),
        ("ij", ARGUMENT),
        ("ij,jk,k", ARGUMENT),
        ("i1,jk", EXPRESSION),
        ("ijk,jk", SHAPE),
        ("i,jk", SHAPE),
        ("ij,jk-i", EXPRESSION),
        ("i..,jk", EXPRESSION),
        ("......,jk", EXPRESSION),
        ("...,jk->jk", EXPRESSION),
        ("ij,jk->ik,", EXPRESSION),
    ):
        c.refuse("einsum", [x, y], [text], status, label=text)
    c.refuse("tensordot", [x, y], [axes_param([0], 0), axes_param([0], 0)], SHAPE)
    c.refuse("tensordot", [x, y], [axes_param([0], 0), axes_param([0, 1], 0)], AXIS)
    c.refuse("inner", [x, y], [], SHAPE)
    c.refuse("matvec", [x, y], [], SHAPE)
    c.refuse("matvec", [v, v], [], SHAPE)
    c.refuse("cross", [x, y], [-1], SHAPE)
    c.refuse("cross", [c.array(rng, (3,), np.dtype("?"))] * 2, [-1], DTYPE)
    c.refuse("multi_dot", [x, x], [], SHAPE)
    c.refuse("multi_dot", [x], [], ARGUMENT)
    c.refuse("matrix_trace", [v], [0, 0, 1], AXIS)


def make(c):
    einsums(c)
    tensordots(c)
    others(c)
    crosses(c)
    chains(c)
    traces(c)
    refused(c)

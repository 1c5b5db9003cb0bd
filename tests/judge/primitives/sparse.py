# SPDX-License-Identifier: MIT
"""weft/sparse.h: weft_csr, beside dense arrays of NumPy and, where it is installed, scipy.sparse."""

import numpy as np

from record import DTYPE, SHAPE, Weak
from values import dtype_of

from .base import ALL, EXACT, epsilon
from .matmul import accumulated, exact

try:
    import scipy.sparse as scipy_sparse
except ImportError:
    scipy_sparse = None

DIFFERENCES = """
csr          columns of a row are always in order and occur once; duplicates are added one after the other, rounded each
             time (f16 and bool too, which scipy.sparse has not or adds otherwise)
"""
ARGUMENT, INDEX = 100, 105
INDICES = "iqIhB"
# rows, columns, elements; more than a tile of a GPU on a CPU (448 items), and rows that lie in several
SHAPES = [(0, 0, 0), (1, 1, 1), (0, 3, 0), (3, 0, 0), (4, 5, 0), (7, 5, 12), (40, 30, 200), (600, 3, 40), (3, 250, 700),
          (100, 90, 1500), (250, 17, 2500)]


def draw(c, rng, letter):
    """A matrix's rows, columns and values, with some elements given twice, and the dense matrix."""
    height, width, count = SHAPES[int(rng.integers(len(SHAPES)))]
    rows = rng.integers(0, height, count) if height else np.zeros(0, int)
    if count > 10 and rng.random() < 0.4:  # one long row
        rows[rng.random(count) < 0.7] = rng.integers(height)
    columns = rng.integers(0, width, count) if width else np.zeros(0, int)
    values = c.array(rng, (count,), dtype_of(letter), "near" if letter == "e" else "finite", count=251)
    letters = [str(n) for n in rng.choice(list(INDICES), 2)]
    index = [x.astype(dtype_of(n)) for n, x in zip(letters, (rows, columns))]
    if height > 128 or width > 128:
        index = [x.astype(np.int32) for x in (rows, columns)]
    dense = np.zeros((height, width), values.array().dtype)
    np.add.at(dense, (rows, columns), values.array())
    return [c.of(index[0]), c.of(index[1]), values], dense


def by_scipy(dense, parts, shape):
    """scipy.sparse's matrix; it does not add f16, and adds duplicates in its own order."""
    if scipy_sparse is None or dense.dtype.char in "e?" or dense.dtype.kind not in "iu":
        return
    rows, columns, values = (p.array().astype(np.int64) if k < 2 else p.array() for k, p in enumerate(parts))
    assert (scipy_sparse.coo_matrix((values, (rows, columns)), shape=shape).tocsr().toarray() == dense).all()


def arrays_of(dense, rng, c):
    """The three arrays of a matrix, by scipy.sparse's rules, in which rows need not be sorted."""
    rows, columns = np.nonzero(dense)
    order = rng.permutation(len(rows))
    order = order[np.argsort(rows[order], kind="stable")] if rng.random() < 0.5 else np.arange(len(rows))
    indptr = np.searchsorted(rows, np.arange(dense.shape[0] + 1))
    data = dense[rows[order], columns[order]]
    return [c.of(indptr.astype(np.int32)), c.of(columns[order].astype(np.int64)), c.of(data)]


def forms(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("csr", letter, turn)
            for _ in range(2):
                parts, dense = draw(c, rng, letter)
                by_scipy(dense, parts, dense.shape)
                c.call("csr_dense", parts, [dense.shape], dense, rng=rng, how=c.how(rng))
                c.call("csr_transposed", parts, [dense.shape], dense.T, rng=rng)
                rows, columns = np.nonzero(dense)
                c.call("csr_elements", [c.of(dense)], [],
                       [rows.astype(np.int64), columns.astype(np.int64), dense[rows, columns]])
                three = arrays_of(dense, rng, c)
                c.call("csr_arrays", three, [dense.shape], dense)


def products(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            for other in (letter, "f", "h"):
                rng = c.group("csr product", letter, other, turn)
                for columns in (0, int(rng.choice([1, 2, 3, 4, 8, 17, 40]))):
                    parts, dense = draw(c, rng, letter)
                    shape = (dense.shape[1], columns) if columns else (dense.shape[1],)
                    x = c.array(rng, shape, dtype_of(other), "near" if other == "e" else "finite", count=251)
                    dtype = np.result_type(dense, x.array())
                    product, tolerance = exact(dense, x.array(), dtype)
                    c.call("csr_matmul", parts + [x], [dense.shape], product.astype(dtype), tolerance, rng=rng,
                           how=c.how(rng))


def scaled(c):
    for turn in range(c.scale):
        for letter in c.each("bHiqefdFD"):
            rng = c.group("csr scaled", letter, turn)
            for columns in (0, 4):
                dtype = dtype_of(letter)
                parts, dense = draw(c, rng, letter)
                x = c.array(rng, (dense.shape[1], columns) if columns else (dense.shape[1],), dtype, "near", count=251)
                out, scale, old, answer, tolerance = accumulated(c, rng, *exact(dense, x.array(), dtype), dtype)
                c.call("csr_scaled", parts + [x], [dense.shape, Weak(scale), Weak(old)], answer, tolerance,
                       results=[out])


def refused(c):
    rng = c.group("csr", "refused")
    rows, columns, values = c.of(np.array([0, 2])), c.of(np.array([1, 3])), c.of(np.array([1.5, 2.5], "f4"))
    x = c.array(rng, (3,), np.dtype("f4"))
    c.refuse("csr_dense", [rows, columns, values], [(2, 4)], INDEX, label="rows")
    c.refuse("csr_dense", [rows, columns, values], [(3, 3)], INDEX, label="columns")
    c.refuse("csr_dense", [rows, columns, values], [(3, 4, 5)], SHAPE)
    c.refuse("csr_dense", [rows, c.of(np.array([1])), values], [(3, 4)], SHAPE)
    c.refuse("csr_dense", [values, columns, values], [(3, 4)], DTYPE)
    c.refuse("csr_arrays", [c.of(np.array([0, 2, 1])), c.of(np.array([1])), c.of(np.array([1.5]))], [(2, 4)], INDEX)
    c.refuse("csr_matmul", [rows, columns, values, x], [(3, 4)], SHAPE)
    c.refuse("csr_scaled", [rows, columns, values, x], [(3, 4), Weak(1), Weak(1)], SHAPE)


def make(c):
    forms(c)
    products(c)
    scaled(c)
    refused(c)

# SPDX-License-Identifier: MIT
"""weft/sort.h"""

import numpy as np

from record import DTYPE, SHAPE, Host
from values import dtype_of

from .base import ALL, EVERY_AXIS, draw_shape, draw_size

DIFFERENCES = """
sorts        all are stable, descending ones too; descending is the exact reverse of the order, so NaN first
topk         NumPy has none: the first k of a stable sort
"""
ARGUMENT, AXIS = 100, 104
DESCENDING, SMALLEST = 1, 2
KINDS = ["mixed", "mixed", "few", "equal", "finite", "rising"]
LONG = [4099, 8193]


def ranks(rows):
    """For each element of a row, the number of smaller ones; equal elements share it."""
    return np.array([np.searchsorted(np.sort(row, kind="stable"), row) for row in rows], np.int64).reshape(rows.shape)


def order_of(x, axis, descending):
    """The stable order along the axis."""
    rows = np.moveaxis(x, axis, -1)
    flat = ranks(rows.reshape(-1, rows.shape[-1])) if rows.size else np.zeros((0, rows.shape[-1]), np.int64)
    order = np.argsort(-flat if descending else flat, axis=-1, kind="stable")
    return np.moveaxis(order.reshape(rows.shape), -1, axis)


def draw_axis(rng, ndim):
    if ndim == 0 or rng.random() < 0.2:
        return EVERY_AXIS
    axis = int(rng.integers(ndim))
    return axis - ndim if rng.random() < 0.4 else axis


def sorts(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            dtype = dtype_of(letter)
            for flags in (0, DESCENDING):
                rng = c.group("sort", letter, flags, turn)
                for draw in range(7):
                    ndim = int(rng.choice([0, 1, 2, 3], p=[0.03, 0.52, 0.3, 0.15]))
                    shape = draw_shape(rng, ndim, LONG)
                    axis = draw_axis(rng, ndim)
                    kind = str(rng.choice(KINDS))
                    x = c.array(rng, shape, dtype, kind, count=1021 if rng.random() < 0.3 else 251)
                    value = x.array().reshape(-1) if axis == EVERY_AXIS else x.array()
                    along = 0 if axis == EVERY_AXIS else axis
                    order = order_of(value, along, flags)
                    label = f"{kind} axis {axis} {'descending' if flags else ''}"
                    if draw % 2:
                        c.call("argsort", [x], [axis, flags], order, rng=rng, how=c.how(rng), label=label)
                    else:
                        result = np.take_along_axis(value, order, along)
                        if not flags:
                            assert np.array_equal(result, np.sort(value, axis=along, kind="stable"),
                                                  equal_nan=dtype.kind in "fc")
                        c.call("sort", [x], [axis, flags], result, rng=rng, how=c.how(rng), label=label)
                x = c.array(rng, (draw_size(rng, LONG),), dtype, "mixed", c.layout(rng, 1, True))
                value = x.array()
                c.call("sort", [x], [0, flags], value[order_of(value, 0, flags)], results=[x], label="in place")


def edges(c):
    """Every size around blocks, tiles and rows."""
    for name, letter in (("sort", "I"), ("sort", "f"), ("argsort", "f"), ("sort", "h"), ("argsort", "Q")):
        rng = c.group("sort edges", name, letter)
        for size in (
            (
                2,
                31,
                32,
                33,
                63,
                64,
                65,
                127,
                129,
                255,
                256,
                257,
                511,
                512,
                513,
                1023,
                1025,
                2047,
                2048,
                2049,
                4095,
                4096,
                4097,
                8191,
                8193,
                12287,
                12289,
                16385,
            )
            if name == "sort"
            else (33, 257, 1025, 2049, 4097, 8193)
        ):
            x = c.array(rng, (size,), dtype_of(letter), "mixed" if size % 3 else "few", c.layout(rng, 1))
            order = order_of(x.array(), 0, 0)
            c.call(name, [x], [0, 0], x.array()[order] if name == "sort" else order, label="edges")
        for shape, axis in (((300, 7), 1), ((300, 7), 0), ((7, 300), 1), ((2, 1025), 1), ((1025, 2), 0),
                            ((3, 33, 5), 1), ((5, 4097), 1)):
            x = c.array(rng, shape, dtype_of(letter), "mixed")
            order = order_of(x.array(), axis, 0)
            c.call(name, [x], [axis, 0], np.take_along_axis(x.array(), order, axis) if name == "sort" else order,
                   label=f"rows axis {axis}")


def by_key(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("by key", letter, turn)
            for draw in range(5):
                size = draw_size(rng, LONG)
                keys = c.array(rng, (size,), dtype_of(letter), str(rng.choice(["mixed", "few", "equal", "finite"])))
                rows = (size,) + ((int(rng.choice([1, 3, 8])),) if draw == 4 and size < 3000 else ())
                values = c.array(rng, rows, dtype_of(str(rng.choice(list("ifIqdF" if draw < 3 else ALL)))), "mixed",
                                 count=1021)
                flags = int(rng.integers(2))
                order = order_of(keys.array(), 0, flags)
                c.call(
                    "sort_by_key",
                    [keys, values],
                    [flags],
                    [keys.array()[order], values.array()[order]],
                    rng=rng,
                    how=c.how(rng),
                    label="descending" if flags else "",
                )
            keys, values = (c.array(rng, (1025,), dtype_of(d), "mixed", c.layout(rng, 1, True)) for d in (letter, "i"))
            order = order_of(keys.array(), 0, 0)
            c.call(
                "sort_by_key", [keys, values], [0], [keys.array()[order], values.array()[order]],
                results=[keys, values], label="in place"
            )
    rng = c.group("by key", "refused")
    f = [c.array(rng, s, np.dtype("f4")) for s in ((5,), (6,), (2, 3), (5, 2))]
    c.refuse("sort_by_key", [f[0], f[1]], [0], SHAPE, count=2)
    c.refuse("sort_by_key", [f[2], f[1]], [0], SHAPE, count=2)


def best(c):
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("topk", letter, turn)
            for draw in range(5):
                ndim = int(rng.choice([1, 1, 2, 3]))
                shape = draw_shape(rng, ndim, LONG)
                axis = draw_axis(rng, ndim)
                x = c.array(rng, shape, dtype_of(letter), str(rng.choice(KINDS)), count=1021 if draw % 2 else 251)
                value = x.array().reshape(-1) if axis == EVERY_AXIS else x.array()
                along = 0 if axis == EVERY_AXIS else axis
                length = value.shape[along]
                k = min(length, int(rng.choice([0, 1, 2, 10, 32, 100, length, length // 2])))
                flags = int(rng.choice([0, SMALLEST]))
                order = order_of(value, along, not flags).take(range(k), along)
                c.call(
                    "topk",
                    [x],
                    [k, axis, flags],
                    [np.take_along_axis(value, order, along), order],
                    rng=rng,
                    how=c.how(rng),
                    label=f"{k} axis {axis} {'smallest' if flags else ''}",
                )
    rng = c.group("topk", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    c.refuse("topk", [x], [5, 1, 0], ARGUMENT, count=2)
    c.refuse("topk", [x], [-1, 1, 0], ARGUMENT, count=2)
    c.refuse("topk", [x], [1, 2, 0], AXIS, count=2)
    c.refuse("sort", [x], [2, 0], AXIS)
    c.refuse("argsort", [x], [-3, 0], AXIS)
    one = c.array(rng, (), np.dtype("f4"))
    for axis in (0, -1):
        c.call("argsort", [one], [axis, 0], np.argsort(one.array(), axis), label="no axes")
        c.refuse("sort", [one], [axis, 0], AXIS)
    c.refuse("argsort", [one], [1, 0], AXIS)
    c.refuse("argsort", [x], [0, 0], DTYPE, [c.array(rng, (3, 4), np.dtype("?"), layout=c.layout(rng, 2, True))],
             label="into ?")
    c.refuse("sort", [x], [0, 0], SHAPE, [c.array(rng, (4, 3), np.dtype("f4"), layout=c.layout(rng, 2, True))],
             label="into another shape")
    for shape in ((), (9,), (0,), (3, 4)):
        view = c.array(rng, shape, np.dtype("f4"), "mixed")
        host = Host(c.of(view.array()).storage, shape)
        flat = host.array().reshape(-1)
        c.call(
            "sort",
            [host],
            [EVERY_AXIS, 0],
            flat[order_of(flat, 0, 0)],
            rng=rng,
            how=str(rng.choice(["new", "host"])),
            label="from host memory",
        )


def partitions(c):
    """Rows with the elements of ranks `kth` in place; which of the other elements is where depends on the method, so
    the recorded layout is Weft's: short rows are sorted, long ones keep their order between those elements."""
    for turn in range(c.scale):
        for letter in c.each(ALL):
            rng = c.group("partition", letter, turn)
            dtype = dtype_of(letter)
            for draw in range(2):
                is_long = draw == 1 and letter in "fd"  # a few: they fill the file; u16 is sorted or moved, by device
                shape = (2, 70001) if is_long else (7, int(rng.choice([1, 5, 300])))
                kind = str(rng.choice(["few", "finite", "rising"]))
                x = c.array(rng, shape, dtype, kind, count=1021) if not is_long else c.of(
                    np.resize(c.values(dtype, kind), shape))
                rows = x.array()
                kth = [int(k) for k in rng.integers(-shape[1], shape[1], int(rng.choice([1, 1, 3])))]
                order = order_of(rows, 1, 0)
                if is_long:
                    rank = ranks(rows)
                    found = np.sort(np.take_along_axis(rank, order, 1)[:, sorted({k % shape[1] for k in kth})], 1)
                    classes = sum((rank >= found[:, k:k + 1]).astype(int) + (rank > found[:, k:k + 1])
                                  for k in range(found.shape[1]))
                    order = np.argsort(classes, axis=1, kind="stable")
                if not is_long or letter == "f":
                    c.call("argpartition", [x], [kth, 1], order, label=f"{kind} {kth}")
                c.call("partition_kth", [x], [kth, 1], np.take_along_axis(rows, order, 1), label=f"{kind} {kth}")
    rng = c.group("partition", "refused")
    x = c.array(rng, (3, 4), np.dtype("f4"))
    for kth in ([4], [-5], [1, 4]):
        c.refuse("partition_kth", [x], [kth, 1], 100)


def make(c):
    sorts(c)
    edges(c)
    by_key(c)
    best(c)
    partitions(c)

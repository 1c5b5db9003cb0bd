# SPDX-License-Identifier: MIT
"""Array layouts: views of every kind of storage."""
import numpy as np

from record import END, Storage, View

SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 255, 256, 257, 1023, 1025]
LARGE = [4095, 4096, 4097, 20011]
PERIOD = 251  # of storages: prime, so that no two chunks or rows are equal, and short, so that the file stays small


class Layout:
    """An operand's layout: the order of its axes, gaps, flips, repeats. Lengths are drawn for each case."""

    def __init__(self, rng, ndim, is_result=False):
        self.perm = list(map(int, rng.permutation(ndim))) if ndim > 1 and rng.random() < 0.4 else list(range(ndim))
        self.stepped = [rng.random() < 0.2 for _ in range(ndim)]
        self.padded = [rng.random() < 0.25 for _ in range(ndim)]
        self.flipped = [rng.random() < 0.15 for _ in range(ndim)]
        self.repeated = [not is_result and rng.random() < 0.2 for _ in range(ndim)]
        self.missing = 0 if is_result or rng.random() < 0.7 else int(rng.integers(0, ndim + 1))
        self.broadcast = not is_result and rng.random() < 0.1
        self.plain = rng.random() < 0.35

    def view(self, rng, values, shape, offset):
        full = shape
        shape = shape[self.missing:]
        axes = range(len(shape))
        if self.plain:
            length = int(np.prod(shape, dtype=int))
            steps = [("s", (0, offset, offset + length, 1)), ("r", shape)]
            return View(Storage(values, offset + length, int(rng.integers(PERIOD))), steps)
        shape = tuple(1 if self.repeated[self.missing + d] else n for d, n in enumerate(shape))
        order = [d - self.missing for d in self.perm if d >= self.missing]
        step = {d: int(rng.integers(2, 4)) if self.stepped[self.missing + d] else 1 for d in axes}
        pad = {d: int(rng.integers(1, 4)) if self.padded[self.missing + d] else 0 for d in axes}
        base = tuple(shape[d] * step[d] + pad[d] for d in order)
        length = int(np.prod(base, dtype=int))
        steps = [("s", (0, offset, offset + length, 1)), ("r", base)]
        for at, d in enumerate(order):
            if step[d] > 1 or pad[d]:
                steps.append(("s", (at, 0, shape[d] * step[d], step[d])))
            if self.flipped[self.missing + d]:
                steps.append(("s", (at, END, END, -1)))
        if order != sorted(order):
            steps.append(("t", tuple(order.index(d) for d in axes)))
        if self.broadcast:
            steps.append(("b", full))
        return View(Storage(values, offset + length, int(rng.integers(PERIOD))), steps)


def draw_shape(rng, ndim):
    if ndim == 1:
        return (int(rng.choice(LARGE if rng.random() < 0.08 else SIZES)),)
    if ndim == 2:
        return int(rng.choice([1, 2, 3, 7, 16, 33])), int(rng.choice([0, 1, 3, 4, 5, 8, 12, 16, 17, 64],
                                                                     p=[0.02] + 8 * [0.11] + [0.1]))
    if ndim == 3:
        return tuple(int(n) for n in rng.choice([1, 2, 3, 4, 5, 8], 3))
    return tuple(int(n) for n in rng.choice([1, 2, 3], ndim))


def draw_offset(rng):
    return int(rng.choice([0, 0, 1, 2, 3, 5, 16]))


class Plain:
    plain, missing = True, 0


PLAIN = Plain()

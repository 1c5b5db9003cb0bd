# SPDX-License-Identifier: MIT
"""Makes the cases of the primitives (reductions, scans, sorts, ...): calls, and NumPy's results; one file per subject.

Where Weft differs from NumPy on purpose (its headers say so), DIFFERENCES lists it, and the expected results are
Weft's:"""

import numpy as np

from record import File

from . import (base, create, elementwise, fft, filter, group, index, linalg, matmul, polynomial, products, rearrange,
               reduce, scan, search, select, sort, sparse, statistics, stencil)

SUBJECTS = [reduce, scan, select, sort, search, index, rearrange, matmul, linalg, products, sparse, stencil, fft,
            statistics, elementwise, group, create, polynomial, filter]


def make(seed, scale=1, only=None):
    """A file of cases for this seed, `scale` times as many."""
    file = File(f"cases of NumPy {np.__version__}, seed {seed}", b"WEFTPR1\n")
    base.Calls.number = 0
    for subject in SUBJECTS:
        calls = base.Calls(file, seed, scale, only and only.split(","))
        subject.make(calls)
    return file


def differences():
    return "\n".join(line for subject in SUBJECTS for line in subject.DIFFERENCES.strip().splitlines())

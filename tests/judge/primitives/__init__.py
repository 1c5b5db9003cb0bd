# SPDX-License-Identifier: MIT
"""Makes cases of the primitives (reductions, scans, sorts, ...): what is called with what, and NumPy's answers; one file a subject.

Where Weft differs from NumPy on purpose (its headers say so), the subjects' DIFFERENCES do, and the answers here are Weft's:"""

import numpy as np

from record import File

from . import base, index, rearrange, reduce, scan, search, select, sort

SUBJECTS = [reduce, scan, select, sort, search, index, rearrange]


def make(seed, scale=1, only=None):
    """A file of cases for this seed; `scale`: how many times over."""
    file = File(f"cases of NumPy {np.__version__}, seed {seed}", b"WEFTPR1\n")
    base.Calls.number = 0
    for subject in SUBJECTS:
        calls = base.Calls(file, seed, scale, only and only.split(","))
        subject.make(calls)
    return file


def differences():
    return "\n".join(line for subject in SUBJECTS for line in subject.DIFFERENCES.strip().splitlines())

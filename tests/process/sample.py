# SPDX-License-Identifier: MIT
"""The tests of a run: with WEFT_TEST_SHARE=N one in N, of which WEFT_TEST_SEED selects the first (by default another
one in each run), as the suites in C do (tests/support/harness.c)."""

import os
import random


def of(tests):
    """The tests of this run, at least one."""
    share = min(int(os.environ.get('WEFT_TEST_SHARE') or 1), len(tests))
    if share <= 1:
        return tests
    seed = int(os.environ.get('WEFT_TEST_SEED') or random.SystemRandom().randrange(1 << 31))
    print(f'one test in {share} (WEFT_TEST_SHARE), WEFT_TEST_SEED={seed}', flush=True)
    return tests[seed % share::share]

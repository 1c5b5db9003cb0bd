#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""weft/cuda.clh beside CUDA C: the kernels of vocabulary.cl, built by Weft and by nvcc, on one GPU.

  vocabulary.py [--nvcc PATH] [--arch sm_90] [--rounds N] [--bar RATIO] PROGRAM

PROGRAM is made from vocabulary.c. Both programs run in turns; the table has the smaller time of each. RATIO is CUDA's
time over Weft's: at least 0.95 is asked for. Exit status: 0, 1 if a row is below --bar, 77 without nvcc or a GPU."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
HERE = Path(__file__).resolve().parent


def times(program):
    """{name: us} of one run."""
    done = subprocess.run([str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f'{program}: {done.stderr}')
    return {name: float(us) for name, us in (line.split() for line in done.stdout.splitlines())}


def least(found, more):
    return {name: min(us, found.get(name, us)) for name, us in more.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('--nvcc', default='nvcc')
    parser.add_argument('--arch', default='native')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--bar', type=float, default=0)
    args = parser.parse_args()
    nvcc = shutil.which(args.nvcc) or shutil.which('/usr/local/cuda/bin/nvcc')
    if not nvcc:
        print('skipped: no nvcc')
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        cuda = Path(folder) / 'vocabulary'
        built = subprocess.run([nvcc, '-O3', f'-arch={args.arch}', '-I', HERE, HERE / 'vocabulary.cu', '-o', cuda],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if built.returncode != 0:
            print(f'skipped: nvcc: {built.stdout[-2000:]}')
            return SKIP
        os.environ.setdefault('WEFT_DEVICE', 'nvidia')
        ours, theirs = {}, {}
        try:
            theirs = times(cuda)
        except RuntimeError as error:  # nvcc without a GPU, or without its driver
            if 'CUDA driver version is insufficient' not in str(error) and 'no CUDA-capable device' not in str(error):
                raise
            print(f'skipped: {error}')
            return SKIP
        for _ in range(args.rounds):
            theirs = least(theirs, times(cuda))
            ours = least(ours, times(args.program))
    print(f'{"kernel":20} {"CUDA us":>12} {"Weft us":>12} {"ratio":>7}')
    bad = 0
    for name, us in theirs.items():
        if name in ours:
            ratio = us / ours[name]
            bad += ratio < args.bar
            print(f'{name:20} {us:12.2f} {ours[name]:12.2f} {ratio:7.3f}')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())

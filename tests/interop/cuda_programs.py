#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs CUDA programs that others wrote: the kernels through weft/cuda.clh, with renamed qualifiers, the host's part on
cuda_runtime.hpp. The programs compute their results on the host too, and compare.

  cuda_programs.py FOLDER --compiler 'c++ ... -lweft' [--only NAME]

FOLDER (or WEFT_TEST_CUDA_PROGRAMS) is a copy of PolyBench-ACC, https://github.com/cavazos-lab/PolyBench-ACC.
Its folder CUDA has the programs; Weft does not contain them. Of each program the script renames

  __global__ void f(float *x)   to   kernel void f(global float *x)     in the kernels, which become a .cl file
  f<<<grid, block>>>(x);        to   launch("f", grid, block, x);       in the rest, which stays a C++ program

Exit status: 0 all programs agree with their host's part, 1 a program does not, 77 no folder or compiler."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
HERE = Path(__file__).resolve().parent
# Sizes smaller than the programs' own smallest: macros that a header defines for its MINI_DATASET.
SIZE, STEPS = 256, 5  # some programs round their grids down to whole blocks
SIZES = {'3DConvolution': 32, 'doitgen': 32}
UNDEFINED = {'mvt': 'eight threads of a block add to each element without atomics'}  # on CUDA too
KERNEL = re.compile(r'__global__\s+void\s+(\w+)\s*\(([^)]*)\)\s*\{')
LAUNCH = re.compile(r'(\w+)\s*<<<\s*(\w+)\s*,\s*(\w+)\s*>>>\s*\(')
VERDICT = re.compile(r'(?:Beyond Error Threshold of [0-9.]+ Percent|Number of misses): (\d+)')


def body_end(text, at):
    """The end of the block whose brace is before `at`."""
    depth = 1
    while depth:
        depth += {'{': 1, '}': -1}.get(text[at], 0)
        at += 1
    return at


def renamed(parameters):
    """The parameters of a kernel: pointers say where they point."""
    return ', '.join('global ' + p.strip() if '*' in p else p.strip() for p in parameters.split(','))


def split(text):
    """(the kernels in OpenCL C, the rest of the program)."""
    kernels, rest, at = [], [], 0
    for match in KERNEL.finditer(text):
        end = body_end(text, match.end())
        kernels.append(f'kernel void {match[1]}({renamed(match[2])}) {{' + text[match.end():end])
        rest.append(text[at:match.start()])
        at = end
    rest.append(text[at:])
    return '\n\n'.join(kernels), ''.join(rest)


def macros(text):
    """The #define lines, with their conditions."""
    joined = re.sub(r'\\\n', ' ', text)
    return '\n'.join(line for line in joined.split('\n') if re.match(r'\s*#\s*(define|if|ifdef|ifndef|el|endif)', line))


def sizes(header, name):
    """-D options that make the program small."""
    mini = re.search(r'ifdef MINI_DATASET(.*?)#\s*endif', header, flags=re.S)
    names = re.findall(r'#\s*define\s+(\w+)\s+\d+', mini[1]) if mini else []
    size = SIZES.get(name, SIZE)
    return [f'-D{n}={STEPS if n.startswith(("TSTEPS", "TMAX")) else size}' for n in names]


def convert(path, folder):
    """Writes the program's two parts to the folder. Returns the C++ file, its options, and the number of kernels."""
    text = path.read_text(encoding='utf-8', errors='replace')
    header = path.with_suffix('.cuh').read_text(encoding='utf-8', errors='replace')
    options = sizes(header, path.stem)
    kernels, rest = split(text)
    given = '\n'.join(f'#define {o[2:].replace("=", " ")}' for o in options)
    before = macros(text[:KERNEL.search(text).start()])
    source = folder / f'{path.stem}.cl'
    front = '#include "weft/cuda.clh"\n#pragma OPENCL FP_CONTRACT OFF\n#define POLYBENCH_LOOP_BOUND(x, y) y\n'
    source.write_text(f'{front}{given}\n{macros(header)}\n{before}\n{kernels}\n', encoding='utf-8')
    rest = LAUNCH.sub(r'cuda_on_weft::launch("\1", \2, \3, ', rest).replace('#include <cuda.h>', '')
    program = folder / f'{path.stem}.cpp'
    program.write_text(f'#define KERNEL_FILE "{source}"\n#include "cuda_runtime.hpp"\n{rest}', encoding='utf-8')
    options += [f'-I{HERE}', f'-I{path.parent}', f'-I{path.parents[len(path.parents) - 1 - depth(path)]}/utilities']
    return program, options, kernels.count('kernel void ')


def depth(path):
    """The place of the folder CUDA among the path's folders."""
    return path.parts.index('CUDA')


def run(path, compiler, folder):
    """None if the program's results agree, else the reason."""
    program, options, kernels = convert(path, folder)
    binary = folder / path.stem
    built = subprocess.run([compiler[0], '-std=c++20', '-w', '-fpermissive', *options, str(program), '-o', str(binary),
                            *compiler[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if built.returncode != 0:
        return f'does not compile:\n{built.stdout[:4000]}'
    done = subprocess.run([str(binary)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=600)
    verdicts = VERDICT.findall(done.stdout)
    if done.returncode != 0 or not verdicts:
        return f'exit status {done.returncode}:\n{done.stdout[-2000:]}'
    if any(count != '0' for count in verdicts):
        return f'{verdicts} results differ'
    print(f'{path.stem}: {kernels} kernel{"s" * (kernels > 1)}, results equal within the bound of the program')
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', nargs='?', default=os.environ.get('WEFT_TEST_CUDA_PROGRAMS', ''))
    parser.add_argument('--compiler', default='c++ -lweft', help='with the options that follow the file')
    parser.add_argument('--only', help='one program')
    args = parser.parse_args()
    compiler = shlex.split(args.compiler)
    programs = sorted(Path(args.folder).resolve().glob('**/CUDA/**/*.cu')) if args.folder else []
    programs = [p for p in programs if args.only in (None, p.stem)]
    if not programs or not shutil.which(compiler[0]):
        print('skipped: no programs (WEFT_TEST_CUDA_PROGRAMS names a copy of PolyBench-ACC) or no compiler')
        return SKIP
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in programs:
            if path.stem in UNDEFINED and not args.only:
                print(f'{path.stem}: left out: {UNDEFINED[path.stem]}')
                continue
            why = run(path, compiler, Path(folder))
            if why:
                print(f'{path.stem}: {why}')
                failed += 1
    print(f'{len(programs)} programs, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

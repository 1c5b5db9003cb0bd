#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs CUDA programs that others wrote: the kernels through weft/cuda.clh, with renamed qualifiers, the host's part on
cuda_runtime.hpp. The programs compute their results on the host too, and compare.

  cuda_programs.py FOLDER --compiler 'c++ ... -lweft' [--only NAME]

FOLDER (or WEFT_TEST_CUDA_PROGRAMS) has copies of PolyBench-ACC, https://github.com/cavazos-lab/PolyBench-ACC, whose
programs are in its folder CUDA, and of Rodinia, https://github.com/yuhc/gpu-rodinia, of which lud is run, or of one of
them. Weft does not contain them. Of each program the script renames

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
from dataclasses import dataclass, field
from pathlib import Path

SKIP = 77
HERE = Path(__file__).resolve().parent
# Sizes smaller than the programs' own smallest: macros that a header defines for its MINI_DATASET.
SIZE, STEPS = 256, 5  # some programs round their grids down to whole blocks
SIZES = {'3DConvolution': 32, 'doitgen': 32}
UNDEFINED = {'mvt': 'eight threads of a block add to each element without atomics'}  # on CUDA too
KERNEL = re.compile(r'__global__\s+void\s+(\w+)\s*\(([^)]*)\)\s*\{')
LAUNCH = re.compile(r'(\w+)\s*<<<\s*([^,]+?)\s*,\s*([^,]+?)\s*>>>\s*\(')
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


@dataclass
class Program:
    """Files, of which those in C have no kernels; text in front of the kernels; what the run shows."""
    name: str
    files: list
    front: str = ''
    options: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    fails: callable = None  # of the output: why the results are wrong, or None


def polybench_fails(output):
    verdicts = VERDICT.findall(output)
    return None if verdicts and set(verdicts) == {'0'} else f'{verdicts or "no"} results differ'


def lud_fails(output):
    """lud multiplies the factors and names each element that differs from the matrix."""
    return None if 'Verify' in output and 'dismatch' not in output else 'the product of the factors is another matrix'


def programs_in(folder):
    for path in sorted(folder.glob('**/CUDA/**/*.cu')):
        header = path.with_suffix('.cuh').read_text(encoding='utf-8', errors='replace')
        options = sizes(header, path.stem)
        given = '\n'.join(f'#define {o[2:].replace("=", " ")}' for o in options)
        root = next(parent for parent in path.parents if parent.name == 'CUDA')
        yield Program(path.stem, [path], f'#define POLYBENCH_LOOP_BOUND(x, y) y\n{given}\n{macros(header)}\n',
                      [*options, f'-I{path.parent}', f'-I{root}/utilities'], fails=polybench_fails)
    for path in sorted(folder.glob('**/cuda/lud/cuda/lud.cu')):
        common = path.parents[1] / 'common'
        yield Program('lud (Rodinia)', [path, path.with_name('lud_kernel.cu'), common / 'common.c'],
                      options=[f'-I{common}'], arguments=['-s', '256', '-v'], fails=lud_fails)


def convert(program, folder):
    """Writes the program's kernels and the C++ files of the rest to the folder. Returns the files for the compiler, and
    the number of kernels."""
    source, texts, files = folder / 'kernels.cl', [], []
    for path in program.files:
        if path.suffix == '.c':
            files += ['-x', 'c', path, '-x', 'none']
            continue
        text = path.read_text(encoding='utf-8', errors='replace')
        kernels, rest = split(text)
        if kernels:
            texts.append(f'{macros(text[:KERNEL.search(text).start()])}\n{kernels}\n')
        rest = LAUNCH.sub(r'cuda_on_weft::launch("\1", \2, \3, ', rest).replace('#include <cuda.h>', '')
        files.append(folder / f'{path.stem}.cpp')
        files[-1].write_text(f'#define KERNEL_FILE "{source}"\n#include "cuda_runtime.hpp"\n{rest}', 'utf-8')
    front = '#include "weft/cuda.clh"\n#pragma OPENCL FP_CONTRACT OFF\n'
    source.write_text(f'{front}{program.front}' + '\n'.join(texts), encoding='utf-8')
    return files, sum(text.count('kernel void ') for text in texts)


def run(program, compiler, folder):
    """None if the program's results agree, else the reason."""
    files, kernels = convert(program, folder)
    binary = folder / 'program'
    built = subprocess.run([compiler[0], '-std=c++20', '-w', '-fpermissive', f'-I{HERE}', *program.options, *files,
                            '-o', binary, *compiler[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           check=False)
    if built.returncode != 0:
        return f'does not compile:\n{built.stdout[:4000]}'
    done = subprocess.run([binary, *program.arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, timeout=600)
    why = program.fails(done.stdout)
    if done.returncode != 0 or why:
        return f'exit status {done.returncode}, {why}:\n{done.stdout[-2000:]}'
    print(f'{program.name}: {kernels} kernel{"s" * (kernels > 1)}, results equal within the bound of the program')
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', nargs='?', default=os.environ.get('WEFT_TEST_CUDA_PROGRAMS', ''))
    parser.add_argument('--compiler', default='c++ -lweft', help='with the options that follow the file')
    parser.add_argument('--only', help='one program')
    args = parser.parse_args()
    compiler = shlex.split(args.compiler)
    programs = programs_in(Path(args.folder).resolve()) if args.folder else []
    programs = [p for p in programs if args.only in (None, p.name)]
    if not programs or not shutil.which(compiler[0]):
        print('skipped: no programs (WEFT_TEST_CUDA_PROGRAMS names a folder with PolyBench-ACC) or no compiler')
        return SKIP
    failed = 0
    for program in programs:
        if program.name in UNDEFINED and not args.only:
            print(f'{program.name}: left out: {UNDEFINED[program.name]}')
            continue
        with tempfile.TemporaryDirectory() as folder:
            why = run(program, compiler, Path(folder))
        if why:
            print(f'{program.name}: {why}')
            failed += 1
    print(f'{len(programs)} programs, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assembles NVIDIA's kernels without a GPU and fails on registers that are spilled to memory, or on more registers than
a launch allows. Their files name the variants:

  // ptxas: THREADS [blocks=COUNT] [spills=BYTES] -DNAME=VALUE ...

`blocks`: work-groups that must fit a multiprocessor at once (1); `spills`: bytes of stores that are known and
accepted. clang makes PTX (NVIDIA's compiler has another front end, but the same code generator), ptxas assembles it for
sm_90a. First a kernel that must spill is tried. Without FILE a third of the variants is assembled, chosen by chance;
with WEFT_TEST_SHARE=1 all of them.

  ptxas.py [--clang PATH] [--ptxas PATH] [--root ROOT] [FILE...]

Exit status: 0 fine, 1 findings, 77 no clang or ptxas."""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
REGISTERS = 65536  # of a multiprocessor
CLANG = ['-x', 'cl', '-cl-std=CL1.2', '-target', 'nvptx64-nvidia-cuda', '-Xclang', '-finclude-default-header',
         '-Xclang', '-target-feature', '-Xclang', '+ptx75', '-Xclang', '-target-cpu', '-Xclang', 'sm_86', '-O3', '-S']
# OpenCL's functions without a library, and the text in front of the kernels of cl/matmul.
FRONT = '''
#define asm __asm__
#define cl_nv_pragma_unroll 1
#define get_local_id(d) __nvvm_read_ptx_sreg_tid_x()
#define get_group_id(d) __nvvm_read_ptx_sreg_ctaid_x()
#define get_num_groups(d) __nvvm_read_ptx_sreg_nctaid_x()
#define barrier(flags) __asm__ volatile("bar.sync 0;" ::: "memory")
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define fma(a, b, c) __builtin_fmaf(a, b, c)
#define fmax(a, b) __builtin_fmaxf(a, b)
#define fmin(a, b) __builtin_fminf(a, b)
#define fabs(a) __builtin_fabsf(a)
#define copysign(a, b) __builtin_copysignf(a, b)
#define sqrt(a) __builtin_sqrtf(a)
#define native_sqrt(a) __builtin_sqrtf(a)
#define nan(a) as_float(0x7fc00000u)
#define isnan(a) ((a) != (a))
#define isfinite(a) (fabs(a) < INFINITY)
#define ilogb(a) ((as_int(a) >> 23 & 255) - 127)
#define ldexp(a, n) ((a) * as_float(((n) + 127) << 23))
#ifdef PTXAS_16
static inline ushort narrowed(float v) {
  ushort result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(v));
  return result;
}
#define M_A ushort
#define M_ACC float
#define M_RAW uint
#define M_CHUNK 2
#define M_FINISH(SIDE, v, to) *(to) = narrowed(v);
#elif defined(PTXAS_64)
#define M_A double
#define M_ACC double
#define M_RAW ulong2
#define M_CHUNK 2
#define M_FINISH(SIDE, v, to) *(to) = (v);
#elif defined(PTXAS_C64)
#include "math/complex.clh"
#define M_A weft_c64
#define M_ACC weft_c64
#define M_ACC_DTYPE c64
#define M_FINISH(SIDE, v, to) *(to) = (v);
#define M_COMPLEX 1
#elif defined(TYPES_8)
#define M_A char
#define M_OUT int
#define M_ACC uint
#define M_FINISH(SIDE, v, to) *(to) = (int)(v);
#else
#define M_A float
#define M_ACC float
#define M_FINISH(SIDE, v, to) *(to) = (v);
#endif
#define M_B M_A
#ifndef M_OUT
#define M_OUT M_A
#endif
#define M_LOAD_A(x) ((M_ACC)(x))
#define M_LOAD_B(x) ((M_ACC)(x))
#define M_LOAD_OUT(x) ((M_ACC)(x))
#ifndef M_COMPLEX
#define M_COMPLEX 0
#endif
#define M_BOOL 0
#define M_FLOAT 1
#define M_TAIL 1
#define M_SIDES(X)
'''
# A kernel with more live values than registers.
SPILLING = '''
__kernel void spills(__global float *x) {
  float v[300];
#pragma unroll
  for (int i = 0; i < 300; i++) v[i] = x[i * 1024];
  asm volatile("" ::: "memory");
#pragma unroll
  for (int i = 0; i < 300; i++) x[(300 - i) * 1024] = v[i] * v[(i * 7) % 300];
}
'''


def edited(ptx, threads):
    """The PTX as the library loads it (src/kernel/ptx.c). ptxas takes no more than 48 KiB of a kernel's own local
    memory, the driver does: so it becomes memory given at the launch."""
    block = f')\n.reqntid {threads}, 1, 1' + ('\n.minnctapersm 1' if '//90a ' in ptx else '')
    ptx = re.sub(r'^\.version .*$', '.version 8.4', ptx, flags=re.M)
    ptx = re.sub(r'^\.target .*$', '.target sm_90a', ptx, flags=re.M).replace('//90a ', '')
    ptx = re.sub(r'^\)$', block, ptx, flags=re.M)
    shared = re.compile(r'^\t?\.shared (\.align \d+ \.b8 [\w$.]+)\[\d+\];$', flags=re.M)
    outside = '\n'.join(sorted({f'.extern .shared {name}[];' for name in shared.findall(ptx)}))
    return re.sub(r'^\.address_size .*$', lambda m: m[0] + '\n' + outside, shared.sub('', ptx), count=1, flags=re.M)


class Tools:
    def __init__(self, clang, ptxas, root, folder):
        self.clang, self.ptxas, self.root, self.folder = clang, ptxas, root, Path(folder)

    def report(self, text, threads, defines):
        """A list of (kernel, registers, bytes of spills), or an error."""
        source, ptx, cubin = (self.folder / f'kernel.{end}' for end in ('cl', 'ptx', 'cubin'))
        source.write_text(text, encoding='utf-8')
        done = subprocess.run([self.clang, *CLANG, '-I', self.root / 'cl', *defines, source, '-o', ptx],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            return done.stdout
        ptx.write_text(edited(ptx.read_text(encoding='utf-8'), threads), encoding='utf-8')
        done = subprocess.run([self.ptxas, '-v', '-arch=sm_90a', ptx, '-o', cubin], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        found = re.findall(r"Function properties for (\w+)\n.*?(\d+) bytes spill stores.*?Used (\d+) registers",
                           done.stdout, flags=re.S)
        return [(name, int(registers), int(spills)) for name, spills, registers in found] or done.stdout


def find_ptxas(given):
    """The assembler: given, in PATH, of the toolkit, or of the package nvidia-cuda-nvcc-cu12."""
    packages = [str(path) for folder in sys.path
                for path in Path(folder or '.').glob('nvidia/*/bin/ptxas')]
    return next((found for found in map(shutil.which, [given, '/usr/local/cuda/bin/ptxas', *packages]) if found), None)


def variants(path):
    for line in re.findall(r'^// ptxas:(.*)$', path.read_text(encoding='utf-8'), flags=re.M):
        words = line.split()
        given = dict(word.split('=') for word in words if re.match(r'[a-z]', word))
        yield (int(words[0]), int(given.get('blocks', 1)), int(given.get('spills', 0)),
               [word for word in words if word.startswith('-D')])


def check(tools, path, share):
    """The findings of a file, of whose variants one of `share` is assembled."""
    count = 0
    for threads, blocks, accepted, defines in variants(path):
        count += 1
        if random.randrange(share) > 0:
            continue
        text = FRONT + f'#include "{path}"\n'
        report = tools.report(text, threads, defines)
        where = f'{path.relative_to(tools.root)} {" ".join(defines)}'
        if isinstance(report, str):
            yield f'{where}:\n{report}'
            continue
        for kernel, registers, spills in report:
            print(f'{kernel}: {registers} registers, {spills} bytes spilled: {" ".join(defines)}')
            if spills > accepted:
                yield f'{where}: {kernel} spills {spills} bytes, {accepted} are accepted'
            if registers > REGISTERS // (blocks * threads) // 8 * 8:
                yield f'{where}: {kernel} has {registers} registers, too many for {blocks} x {threads} work-items'
    if count == 0:
        yield f'{path.relative_to(tools.root)}: no line `// ptxas:`'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--clang', default='clang')
    parser.add_argument('--ptxas', default='ptxas')
    parser.add_argument('--root', type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument('file', nargs='*', type=Path)
    args = parser.parse_args()
    clang, ptxas = shutil.which(args.clang), find_ptxas(args.ptxas)
    if not clang or not ptxas:
        print(f'no {"clang" if not clang else "ptxas"}')
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(clang, ptxas, args.root, folder)
        planted = tools.report(FRONT + SPILLING, 256, [])
        if isinstance(planted, str) and 'nvptx' in planted.lower():
            print(f'{clang} makes no PTX')
            return SKIP
        if isinstance(planted, str) or planted[0][2] == 0:
            print(f'a kernel that must spill was not found: {planted}')
            return 1
        files = args.file or sorted(path for folder in ['cl', 'tests/house']
                                    for path in (args.root / folder).rglob('nvidia*.cl'))
        share = 1 if args.file else int(os.environ.get('WEFT_TEST_SHARE', '3'))
        problems = [problem for path in files for problem in check(tools, path.resolve(), share)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the headers refuse to compile, and what the compiler then says:
refusals.py INCLUDE [--cc COMPILER]... [--cxx COMPILER]...

Each line of a program is one mistake; the compiler must report it with a message that gives the remedy. Correct lines
must compile without a warning. Missing compilers are left out; exit status 77 without any."""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77

START = '''#include <weft/weft.h>
typedef struct particle { float x, y; } particle;
void run(weft_context *context, weft_kernel *k, weft_array *a, float *f, const double *d, void *v, particle p,
         weft_shape s, uint64_t n, size_t m) {
  weft_array *y = NULL;
  weft_status rc = WEFT_OK;
'''
END = '''  (void)context, (void)k, (void)a, (void)f, (void)d, (void)v, (void)p, (void)s, (void)n, (void)m;
  (void)y, (void)rc;
}
'''
B = 'WEFT_DIM3(1), WEFT_DIM3(1)'
HOST = 'WEFT_HOST(data'
OUT = 'WEFT_HOST_OUT'
STRUCT = 'WEFT_STRUCT'
NUMBER = 'expected a number'

# Misplaced pointers, of different types because a C++ compiler reports each type once. (line, texts)
POINTERS = [
    ('rc = weft_add(&y, a, f);', [HOST]),
    ('rc = weft_add(&y, d, a);', [HOST]),
    ('rc = weft_multiply(&y, a, v);', [HOST]),
    ('rc = weft_add(&y, a, &p);', [HOST]),
    ('rc = weft_sum(&y, (const int *)v, WEFT_ALL_AXES);', [HOST]),
    ('rc = weft_add((short *)v, a, a);', [OUT]),
    ('unsigned *u = 0; rc = weft_eval(&y, context, "u + 1", WEFT_VAR(u));', [HOST]),
    ('rc = weft_unique(f, a);', [OUT]),
    ('rc = weft_unique(a, a);', [OUT, '&y']),
    (f'rc = weft_launch(k, {B}, f, 1);', ['weft_from_host', STRUCT]),
    (f'rc = weft_launch(k, {B}, a, &p);', [STRUCT]),
    (f'rc = weft_launch(k, {B}, a, "text");', ['weft_from_host']),
    (f'rc = weft_launch(k, {B}, a, (const void *)v);', ['weft_from_host']),
    ('rc = weft_full(&y, context, WEFT_F32, WEFT_SHAPE(3), f);', [NUMBER]),
    ('rc = weft_fill(a, a);', [NUMBER]),
]
NULLS = {
    'c': [('rc = weft_add(&y, a, NULL);', [HOST])],
    'cpp': [('rc = weft_add(&y, a, nullptr);', [HOST]), ('rc = weft_fill(a, nullptr);', [NUMBER]),
            ('struct list { float *x; ~list() {} } all = {f}; rc = weft_fill(a, all);', [NUMBER])],
}
# Structs: in C the function's name gives the hint.
STRUCTS = [
    ('rc = weft_add(&y, a, p);', ['WEFT_HOST']),
    ('rc = weft_unique(p, a);', ['WEFT_HOST_OUT']),
    (f'rc = weft_launch(k, {B}, a, p);', [STRUCT]),
]
# In C alone: the operator that takes integers.
LENGTHS = [('y = NULL; s = WEFT_SHAPE(2.5);', ['|']), ('s = WEFT_SHAPE(3, f);', ['|'])]

RIGHT = '''  rc = weft_zeros(&y, context, WEFT_F32, WEFT_SHAPE(n));
  rc = weft_zeros(&y, context, WEFT_F32, WEFT_SHAPE(n, m, 3, (int64_t)4, 5u, 'a', (short)6));
  s = WEFT_SHAPE(n > 3, 1, 1, 1, 1, 1, 1, n);
  s = WEFT_SHAPE_0D;
  rc = weft_add(&y, a, WEFT_HOST(f, WEFT_F32, WEFT_SHAPE(m)));
  rc = weft_eval(&y, context, "f + a", WEFT_NAMED("f", WEFT_HOST(f, WEFT_F32, WEFT_SHAPE(n, n))), WEFT_VAR(a));
  rc = weft_unique(WEFT_HOST_OUT(v, WEFT_I64, WEFT_SHAPE(n)), a);
  rc = weft_unique(NULL, a);
  rc = weft_launch(k, WEFT_DIM3(weft_ceil_div(n, 32)), WEFT_DIM3(32), a, v, n, m, WEFT_STRUCT(p), WEFT_LOCAL(4 * m));
  rc = weft_launch(k, WEFT_DIM3(1), WEFT_DIM3(32), a, NULL_POINTER, WEFT_CL_IMAGE(weft_array_cl_mem(a, NULL)));
  rc = weft_launch(k, WEFT_DIM3(1), WEFT_DIM3(32), WEFT_CL_SAMPLER(NULL), WEFT_STRUCT(s));
'''
# that a wrapper class of C++ goes on to convert
RIGHT_CPP = '''  struct handle { weft_array *x; operator weft_array *() const { return x; } } wrapped = {a};
  enum { SIX = 6 };
  rc = weft_sum(&y, wrapped, WEFT_ALL_AXES);
  rc = weft_add(&y, a, SIX);
  rc = weft_unique(nullptr, a);
'''
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wsign-conversion', '-Wshadow',
            '-Wno-unused-but-set-variable']


def compile_text(compiler, language, include, text, options):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f'refused.{language}'
        source.write_text(text)
        standard = '-std=c11' if language == 'c' else '-std=c++17'
        command = [compiler, standard, *options, '-I', include, '-c', source, '-o', Path(folder) / 'out.o']
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                              check=False)


def look(compiler, language, include, mistakes):
    """What is wrong with what the compiler says of these lines."""
    is_clang = 'clang' in Path(compiler).name
    text = START + ''.join(f'  {line}\n' for line, _ in mistakes) + END
    options = ['-O1', '-w'] + (['-ferror-limit=0'] if is_clang else [])
    compiled = compile_text(compiler, language, include, text, options)
    if compiled.returncode == 0:
        return ['it compiles']
    # g++ says from where a template was made before it says what is wrong with it
    begin = r'.*: In (?:instantiation|function)' if language == 'cpp' and not is_clang else r'\S+:\d+:\d+: error: '
    parts = re.split(f'(?m)^(?={begin})', compiled.stdout)
    wrong = []
    for number, (line, texts) in enumerate(mistakes, START.count('\n') + 1):
        said = ''.join(part for part in parts if re.search(rf'refused\.\w+:{number}:', part))
        wrong += [f'{line}: no "{wanted}" in what it says of it:\n{said or compiled.stdout}'
                  for wanted in texts if wanted not in said]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('include')
    parser.add_argument('--cc', action='append', default=[])
    parser.add_argument('--cxx', action='append', default=[])
    args = parser.parse_args()
    tried, failures = [], []
    for compilers, language in ((args.cc, 'c'), (args.cxx, 'cpp')):
        for compiler in sorted({found for found in map(shutil.which, compilers) if found}):
            tried.append(compiler)
            groups = [POINTERS + NULLS[language], STRUCTS] + ([LENGTHS] if language == 'c' else [])
            for mistakes in groups:
                failures += [f'{compiler}: {text}' for text in look(compiler, language, args.include, mistakes)]
            right = RIGHT.replace('NULL_POINTER', 'NULL' if language == 'c' else 'nullptr')
            right += RIGHT_CPP if language == 'cpp' else ''
            compiled = compile_text(compiler, language, args.include, START + right + END, WARNINGS)
            if compiled.stdout:
                failures.append(f'{compiler}: what is right:\n{compiled.stdout}')
    if not tried:
        print('no compiler is there')
        return SKIP
    print(f'compilers: {", ".join(tried)}')
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())

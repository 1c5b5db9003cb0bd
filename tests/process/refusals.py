#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code that the headers must refuse to compile, and the compiler's messages: refusals.py INCLUDE [--cc COMPILER]...
[--cxx COMPILER]...

Each line of a program is one mistake. The compiler must report it with a message that names the remedy, and with at
most three notes. Most mistakes are made from the headers, one for each argument of each function (calls.py). Correct
lines must compile without a warning. Missing compilers are left out; exit status 77 without any."""

import re
import sys
from pathlib import Path

import calls

MAX_NOTES = 3
# List items pass through the macros that iterate over the list, and each macro adds a note.
MAX_NOTES_IN_SHAPE = 5

START = '''#include <weft/weft.h>
typedef struct particle { float x, y; } particle;
void run(weft_context *context, weft_kernel *k, weft_array *a, float *f, const double *d, void *v, particle p,
         weft_shape s, uint64_t n, size_t m) {
  weft_array *y = NULL;
  weft_status rc = WEFT_OK;
'''
USED = '''  (void)context, (void)k, (void)a, (void)f, (void)d, (void)v, (void)p, (void)s, (void)n, (void)m;
'''
END = '''
  (void)y, (void)rc;
}
'''
B = 'WEFT_DIM3(1), WEFT_DIM3(1)'
HOST = 'WEFT_HOST(data'
OUT = 'WEFT_HOST_OUT'
STRUCT = 'WEFT_STRUCT'
NUMBER = 'expected a number'
AXES = 'WEFT_ALL_AXES'

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
    ('rc = weft_add(y, a, a);', [OUT, '&y']),
    ('rc = weft_add("text", a, a);', [OUT]),
    ('rc = weft_add(3, a, a);', [OUT]),
    ('rc = weft_add(2.5, a, a);', [OUT]),
    ('rc = weft_add(&y, NULL, a);', [HOST]),
    ('rc = weft_sort(NULL, a, -1);', [OUT]),
    ('rc = weft_sort(&y, a, 1.5);', [AXES]),
    ('rc = weft_sum(&y, a, "text");', [AXES]),
    ('rc = weft_sum(&y, a, f);', [AXES]),
]
NULLS = {
    'c': [('rc = weft_sort(&y, a, NULL);', [AXES])],
    'cpp': [('rc = weft_add(&y, a, nullptr);', [HOST]), ('rc = weft_fill(a, nullptr);', [NUMBER]),
            ('struct list { float *x; ~list() {} } all = {f}; rc = weft_fill(a, all);', [NUMBER])],
}
STRUCTS = [
    ('rc = weft_add(&y, a, p);', [HOST]),
    ('rc = weft_add(p, a, a);', [OUT]),
    ('rc = weft_unique(p, a);', [OUT]),
    ('rc = weft_sort(&y, a, p);', [AXES]),
    ('rc = weft_fill(a, p);', [NUMBER]),
    (f'rc = weft_launch(k, {B}, a, p);', [STRUCT]),
]
# Places that only an address can be: C++ says in its own words that a handle is none.
PLACES = [
    ('rc = weft_zeros(y, context, WEFT_F32, WEFT_SHAPE(3));', ['&y']),
    ('rc = weft_zeros(NULL, context, WEFT_F32, WEFT_SHAPE(3));', ['&y']),
    ('rc = weft_view(y, a, "1:3");', ['&y']),
    ('rc = weft_npy_load(a, context, "x.npy");', ['&y']),
    ('rc = weft_context_create(context);', ['&y']),
    ('rc = weft_kernel_create(k, context, .file = "x.cl");', ['&y']),
]
# Options without their names. clang reports these alone, where nothing else is wrong.
UNNAMED = {
    'c11': [('rc = weft_sort_by_key(&y, &y, a, a, -1);', ['options have names']),
            ('rc = weft_std(&y, a, 0, 1);', ['options have names'])],
    'c++17': [('rc = weft_std(&y, a, 0, 1);', ['weft_sort_params p'])],
    'c++20': [('rc = weft_std(&y, a, 0, 1);', ['options have names'])],
}
# The operator | that requires integers; C++ reports each type once, so that axes have a list of their own.
LENGTHS = [('y = NULL; s = WEFT_SHAPE(2.5);', ['binary']), ('s = WEFT_SHAPE(3, f);', ['binary'])]
AXES_CPP = [('rc = weft_sum(&y, a, WEFT_AXES(0.7));', ['binary'])]

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
# arguments that a C++ wrapper class converts
RIGHT_CPP = '''  struct handle { weft_array *x; operator weft_array *() const { return x; } } wrapped = {a};
  enum { SIX = 6 };
  rc = weft_sum(&y, wrapped, WEFT_ALL_AXES);
  rc = weft_add(&y, a, SIX);
  rc = weft_unique(nullptr, a);
'''
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wsign-conversion', '-Wshadow',
            '-Wno-unused-but-set-variable']


# Options with which GCC 14 and clang 16 refuse wrong pointers.
POINTERS_ARE_TYPED = ['-Werror=incompatible-pointer-types', '-Werror=int-conversion']
# clang 19 adds the values of a failed condition.
VALUES = re.compile(r': note: expression evaluates to .*')


def errors(output):
    """{line of the program: [the messages of each error there]}."""
    parts, has_error = [''], False
    for line in output.splitlines(keepends=True):
        # g++ names the template's origin before the error
        begins = re.match(r'.*: In (?:instantiation|function)', line)
        is_error = ': error: ' in line
        if begins or (is_error and has_error):
            parts.append('')
            has_error = False
        has_error |= is_error
        parts[-1] += line
    found = {}
    for part in parts:
        if ': error: ' in part:
            for number in {int(number) for number in re.findall(r'program\.\w+:(\d+):', part)}:
                found.setdefault(number, []).append(part)
    return found


def look(compiler, standard, include, start, mistakes, options):
    """The problems in the compiler's messages about these lines."""
    text = start + ''.join(f'  {line}\n' for line, _ in mistakes) + END
    compiled = calls.compiled(compiler, standard, include, text,
                              options + (['-ferror-limit=0'] if 'clang' in Path(compiler).name else []))
    if mistakes and compiled.returncode == 0:
        return [f'it compiles: {mistakes[0][0]}']
    found = errors(VALUES.sub('', compiled.stdout))
    # GCC 14 makes errors of calls (__attribute__((error))) only where there are no others.
    rest = [mistake for number, mistake in enumerate(mistakes, start.count('\n') + 1) if number not in found]
    if rest and len(rest) < len(mistakes):
        return (look(compiler, standard, include, start, rest, options) +
                look(compiler, standard, include, start, [m for m in mistakes if m not in rest], options))
    wrong = []
    for number, (line, texts) in enumerate(mistakes, start.count('\n') + 1):
        said = found.get(number, [])
        if not said:
            wrong.append(f'{line}: no error')
        wrong += [f'{line}: no "{wanted}" in what it says of it:\n{"".join(said)}' for wanted in texts if said and
                  wanted not in ''.join(said)]
        most = MAX_NOTES_IN_SHAPE if 's = WEFT_SHAPE' in line else MAX_NOTES
        if options is not POINTERS_ARE_TYPED:  # those notes are the compiler's own
            wrong += [f'{line}: {part.count(": note: ")} notes:\n{part}' for part in said
                      if part.count(': note: ') > most]
    return wrong


def made(interface, language, standard):
    """(first lines, mistakes, options) of programs with the mistakes made from the headers."""
    groups = {}
    for mistake in interface.wrong(language, standard):
        group = mistake.texts[0] if mistake.group == 'options' else mistake.group
        groups.setdefault(group, []).append((f'rc = {mistake.line};', mistake.texts))
    start = '#include <weft/weft.h>\n' + ('template <int N> struct wrong;\n' if language == 'cpp' else '')
    start += 'typedef struct particle_t { float x, y; } particle_t;\n'
    start += ('void run(weft_context *context, weft_kernel *kernel, weft_stream *stream, weft_array *x, void *data, '
              'particle_t particle,\n')
    start += f'         {interface.declarations()}) {{\n'
    start += '  weft_array *y = NULL;\n  weft_status rc = WEFT_OK;\n'
    return [(start, mistakes, POINTERS_ARE_TYPED if name == 'pointers' else ['-O1', '-w'])
            for name, mistakes in groups.items()]


def main():
    include, found = calls.parsed(__doc__)
    interface = calls.Interface([found[0][0], '-I', include]) if found[0][1] == 'c' else None
    failures = []
    for compiler, language in found:
        for standard in calls.STANDARDS[language]:
            written = [POINTERS + NULLS[language], STRUCTS, UNNAMED[standard]]
            written += [LENGTHS, PLACES] if language == 'c' else [LENGTHS, AXES_CPP]
            programs = [(START, mistakes, ['-O1', '-w']) for mistakes in written]
            programs += made(interface, language, standard) if interface else []
            print(f'{compiler} -std={standard}: {sum(len(mistakes) for _, mistakes, _ in programs)} mistakes')
            for start, mistakes, options in programs:
                failures += [f'{compiler} -std={standard}: {text}'
                             for text in look(compiler, standard, include, start, mistakes, options)]
            right = RIGHT.replace('NULL_POINTER', 'NULL' if language == 'c' else 'nullptr')
            right += RIGHT_CPP if language == 'cpp' else ''
            compiled = calls.compiled(compiler, standard, include, START + right + USED + END, WARNINGS)
            if compiled.stdout:
                failures.append(f'{compiler} -std={standard}: what is right:\n{compiled.stdout}')
    return calls.finish(failures)


if __name__ == '__main__':
    sys.exit(main())

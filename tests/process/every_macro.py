#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that uses every public macro must compile without a warning, in strict C11, C++17 and C++20: every_macro.py
INCLUDE [--cc COMPILER]... [--cxx COMPILER]...

The calls are made from the headers (calls.py). CONSTANTS has the uses of macros in capitals. Exit status 77 without a
compiler."""

import re
import sys

import calls

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Werror']
# A statement for each macro in capitals, or None if no statement can use it.
CONSTANTS = {
    'WEFT_API': None, 'WEFT_PRINTF': None,
    'WEFT_ARG': '(void)WEFT_ARG(x)',
    'WEFT_AXES': 'axes = WEFT_AXES(0, 1)',
    'WEFT_BIND': '(void)WEFT_BIND(x, x)',
    'WEFT_CHECK': 'WEFT_CHECK(rc)',
    'WEFT_CL_IMAGE': '(void)WEFT_CL_IMAGE(NULL)',
    'WEFT_CL_SAMPLER': '(void)WEFT_CL_SAMPLER(NULL)',
    'WEFT_DIM3': '(void)WEFT_DIM3(1, 2)',
    'WEFT_HOST': '(void)WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(3, 4))',
    'WEFT_HOST_OUT': '(void)WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE(3))',
    'WEFT_INDEXING': '(void)WEFT_INDEXING(.mode = WEFT_INDEX_CLIP)',
    'WEFT_LOCAL': '(void)WEFT_LOCAL(16)',
    'WEFT_NAMED': '(void)WEFT_NAMED("k", 2.5f)',
    'WEFT_OPERAND': '(void)WEFT_OPERAND(x)',
    'WEFT_RANGE': '(void)WEFT_RANGE(0, 1)',
    'WEFT_EPILOGUE': '(void)WEFT_EPILOGUE("value")',
    'WEFT_REDUCTION': '(void)WEFT_REDUCTION(.op = WEFT_REDUCE_SUM)',
    'WEFT_SCALAR': '(void)WEFT_SCALAR(2.5f)',
    'WEFT_SELECTION': '(void)WEFT_SELECTION(.count = &y)',
    'WEFT_SHAPE': '(void)WEFT_SHAPE(3, 4)',
    'WEFT_STATUS_IS_USE': '(void)WEFT_STATUS_IS_USE(rc)',
    'WEFT_STENCIL': '(void)WEFT_STENCIL(.mode = WEFT_PAD_WRAP)',
    'WEFT_STRINGIFY': '(void)WEFT_STRINGIFY(rc)',
    'WEFT_STRUCT': '(void)WEFT_STRUCT(particle)',
    'WEFT_TRY': 'WEFT_TRY(rc, done)',
    'WEFT_VAR': '(void)WEFT_VAR(&y)',
}
PROGRAM = '''#include <weft/weft.h>
struct particle {
  float x, y;
};
void use(weft_context *context, weft_kernel *kernel, weft_stream *stream, weft_array *x, void *data,
         struct particle particle, %(variables)s);
void use(weft_context *context, weft_kernel *kernel, weft_stream *stream, weft_array *x, void *data,
         struct particle particle, %(variables)s) {
  weft_array *y = NULL;
  weft_axes axes = WEFT_ALL_AXES;
  weft_status rc = WEFT_OK;
  (void)context, (void)kernel, (void)stream, (void)x, (void)data, (void)particle, (void)axes;
%(unused)s%(statements)s  goto done;
done:
  (void)rc;
}
'''


def program(interface, standard):
    """The text of the program."""
    statements = []
    for name in interface.constants:
        statement = CONSTANTS[name]
        if statement and not ('(.' in statement and standard == 'c++17'):  # C++17 has no designated members
            statements.append(f'#ifdef {name}\n  {statement};\n#endif\n')
    statements += [interface.statement(call) for call in interface.right(standard)]
    unused = ''.join(f'  (void){name};\n' for name in interface.variables.values())
    return PROGRAM % {'variables': interface.declarations(), 'unused': unused, 'statements': ''.join(statements)}


def main():
    include, found = calls.parsed(__doc__)
    if found[0][1] != 'c':
        print('no C compiler is there')
        return calls.SKIP
    interface = calls.Interface([found[0][0], '-I', include])
    failures = [f'{name}: has no use in CONSTANTS of every_macro.py' for name in interface.constants
                if name not in CONSTANTS]
    for compiler, language in found if not failures else ():
        for standard in calls.STANDARDS[language]:
            text = program(interface, standard)
            done = calls.compiled(compiler, standard, include, text, WARNINGS)
            count = len(re.findall(r'weft_[a-z]+[0-9a-z_]*[(]', text))
            print(f'{compiler} -std={standard}: {count} calls of {len(interface.macros)} macros')
            if done.returncode != 0:
                first = re.search(r'program\.\w+:(\d+):', done.stdout)
                line = text.split('\n')[int(first[1]) - 1] if first else ''
                failures.append(f'{compiler} -std={standard}:\n{line}\n{done.stdout[:4000]}')
    return calls.finish(failures)


if __name__ == '__main__':
    sys.exit(main())

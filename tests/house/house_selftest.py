# SPDX-License-Identifier: MIT
"""Proof that the house rules find violations: a small sound project passes each check, and each planted violation is
found by its check."""

import contextlib
import io
import shutil
import subprocess
import tempfile
from pathlib import Path

import house
import house_text

SPDX = 'SPDX-License-' 'Identifier: MIT\n'
NUMBER = '#define WEFT_VERSION' '_'
SECOND = f'// {SPDX}'
SEE = '/// docs/conventions.md has what all headers share.\n'
SOUND = {
    'include/weft/version.h': f'// {SPDX}{SEE}#ifndef V\n#define V\n{NUMBER}MAJOR 3\n{NUMBER}MINOR 1\n{NUMBER}PATCH 4\n'
                              '#endif\n',
    'include/weft/one.h': f'// {SPDX}{SEE}#ifndef ONE\n#define ONE\n'
                          '#define WEFT_API __attribute__((visibility("default")))\n#ifdef __cplusplus\n'
                          'extern "C" {\n#endif\n/// Not this: WEFT_API int weft_comment(void);\n'
                          'WEFT_API int weft_one(int a,\n'
                          '                      int b);\n#define weft_twice(a) weft_one(a, a)\n#ifdef __cplusplus\n'
                          '}\n#endif\n#endif\n',
    'include/weft/weft.h': f'// {SPDX}{SEE}#ifndef ALL\n#define ALL\n#include <weft/one.h>\n#include <weft/version.h>\n'
                           '#endif\n',
    'src/base/environment.h': f'// {SPDX}#define WEFT__VARIABLES(X) \\\n  X(ONE, FLAG, "1", "the " \\\n    "first")\n',
    'docs/guide.md': '# The guide\n\n| `WEFT_ONE` | the first |\n',
    'src/base/one.h': f'// {SPDX}int weft__helper(int a);\n',
    'src/base/one.c': f'// {SPDX}#include <weft/one.h>\n\n#include "base/one.h"\n\nstatic int local(int a) {{\n'
                      f'  return a;\n}}\n'
                      'int weft__helper(int a) {\n  return local(a); /* not clFlush() */\n}\n'
                      'int weft_one(int a, int b) {\n  return weft__helper(a + b);\n}\n',
    'src/ocl/two.c': f'// {SPDX}#include <CL/cl.h>\n#include "base/one.h"\nint weft__two(void);\n'
                     f'int weft__two(void) {{\n  return weft__helper(2);\n}}\n',
    'src/cli/bench/bench_launch.c': f'// {SPDX}#include <CL/cl.h>\n#include <weft/weft.h>\n',
    'cl/one.clh': f'// {SPDX}#define ONE_LOAD(p) (*(p))\n',
    'cl/one.cl': f'// {SPDX}// lint: -DT=float\n// lint: -DT=int -DFAST\n#include "one.clh"\n'
                 '__kernel void one(__global T *x) {\n  x[get_global_id(0)] = ONE_LOAD(x) + 1;\n}\n',
    'src/ocl/driver.h': f'// {SPDX}typedef struct weft__driver_table {{\n  int (*flush)(int queue);\n'
                        f'}} weft__driver_table;\n',
    'tests/fault/fault_driver.c': f'// {SPDX}static const weft__driver_table table = {{\n    .flush = flush,\n}};\n',
    'README.md': '# A project\n',
    'docs/house.md': '# The house\n\nFrom below:\n\n```\n'
                 'include/weft/   headers\ndocs/           the guide\nsrc/base/       the base\nsrc/ocl/        the\n'
                 '                driver\nsrc/op/sort/    sorts\nsrc/op/index/   indices\n'
                 'src/cli/bench/  the command\ncl/             kernels\n'
                 'tests/data/     names\ntests/fault/    faults\ntests/house/    rules\ntests/suites/ROOM/  suites\n'
                 'LICENSES/       licences\nrun             a script\n',
    'src/op/sort/rows.c': f'// {SPDX}#include <weft/one.h>\n// Calls base/one.c, by way of a macro of one.h.\n'
                          'int weft__rows(int a);\n'
                          'int weft__rows(int a) {\n  return weft_twice(a);\n}\n',
    'src/op/index/take.c': f'// {SPDX}#include "op/sort/rows.h"\nint weft__take(void);\nint weft__take(void) {{\n'
                           f'  return weft__rows(1);\n}}\n',
    'src/op/sort/rows.h': f'// {SPDX}int weft__rows(int a);\n',
    'tests/suites/ocl/test_two.c': SECOND,
    'tests/house/macros_only.txt': 'weft_twice\n',
    house_text.WORDS: (Path(__file__).parent / 'refused_words.txt').read_text(encoding='utf-8'),
    'docs/conventions.md': '# Conventions\n',
    house_text.CUPY_NAMES: '# names\none\ntwo\nthree\n',
    house_text.PORTING: '# From CuPy\n\n| NumPy, CuPy | Weft |\n|---|---|\n| `np.two(x)` | `weft_one(1, 2)` |\n\n'
                        f'{house_text.NO_COUNTERPART}\n\n| CuPy | why |\n|---|---|\n| `three` | of use in Python |\n',
    'one.map': 'ONE { global: *; };\n',
    'user.c': f'// {SPDX}#include <weft/one.h>\nint main(void) {{\n  return weft_one(1, 2);\n}}\n',
    'run': f'#!/bin/sh\n# {SPDX}true\n',
    'LICENSES/MIT.txt': 'MIT License\n',
    '.reuse/dep5': 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\n'
                   'Copyright: 2026 somebody\nLicense: MIT\n',
}

BASE = 'src/base/one.c'
# check, violation, the files that make it (text to append to a sound file, or a new file), parts of the expected
# message
PLANTED = [
    ('spdx', 'a file without the line', {'src/base/new.c': 'int x;\n'}, 'no SPDX line'),
    ('spdx', 'the line further down', {'src/base/new.c': f'\n// {SPDX}'}, 'no SPDX line'),
    ('spdx', 'a script without the line', {'tool': '#!/bin/sh\ntrue\n'}, 'tool:2: no SPDX line'),
    ('reuse', 'a licence without its text', {'src/base/new.c': '// ' + SPDX.replace('MIT', 'Zlib')}, 'Zlib'),
    ('reuse', 'a line that cannot be read', {'new.py': f'# {SPDX}X = "// ' + SPDX.strip() + '",'},
     'split the words'),
    ('spdx', 'two lines', {BASE: f'// {SPDX}'}, 'a second SPDX line'),
    ('style', 'a trailing blank', {BASE: 'int x; \n'}, 'trailing blanks'),
    ('style', 'a tab', {BASE: '\tint x;\n'}, 'a tab'),
    ('style', 'a carriage return', {BASE: 'int x;\r\n'}, 'carriage return'),
    ('style', 'no newline at the end', {BASE: 'int x;'}, 'no newline'),
    ('style', 'a blank line at the end', {BASE: '\n'}, 'blank lines at the end'),
    ('style', 'a long line', {BASE: '// ' + 'x' * house.MAX_COLUMNS + '\n'}, '123 columns'),
    ('style', 'a long file', {BASE: 'int x;\n' * house.MAX_LINES}, '640 is the most'),
    ('style', 'an unfinished note', {BASE: '/* TO' 'DO: more */\n'}, 'unfinished note'),
    ('style', 'a ladder', {BASE: '  if (rc == WEFT_OK) rc = step(1);\n'}, 'WEFT__TRY'),
    ('style', 'a machine path', {'notes.md': 'see ' + '/'.join(['', 'home', 'me', 'notes']) + '\n'},
     'path of somebody'),
    ('version', 'the number in a second place', {'meson.build': f"# {SPDX}project('x', version: '3.1.4')\n"},
     'the version again'),
    ('version', 'a second definition', {BASE: f'{NUMBER}MINOR 7\n'}, 'the version again'),
    ('cl', 'a loop without a condition', {'cl/one.clh': 'static int wait(int x) {\n  for (int k = 0;; k++) {\n'
                                                         '    if (k == x) return k;\n  }\n}\n'},
     'a loop without a condition'),
    ('includes', 'a layer that reaches down', {BASE: '#include "ocl/two.h"\n'}, 'base comes before ocl'),
    ('includes', 'OpenCL in base', {BASE: '#include <CL/cl.h>\n'}, 'knows nothing of OpenCL'),
    ('includes', 'OpenCL in the command', {'src/cli/bench/main.c': f'// {SPDX}#include <CL/cl.h>\n'},
     'knows nothing of OpenCL'),
    ('includes', 'internals in the command', {'src/cli/bench/main.c': f'// {SPDX}#include "base/one.h"\n'},
     'client of the public headers'),
    ('includes', 'a file that is not there', {'src/ocl/two.c': '#include "base/none.h"\n'}, 'no such file'),
    ('includes', 'loops of a subject above', {'src/op/sort/rows.c': '#define LOOPS "op/index/take.h"\n'},
     'op/sort comes before op/index'),
    ('includes', 'a directory of no layer', {'src/misc/new.c': SECOND}, 'not in one of'),
    ('includes', 'a subject that reaches up', {'src/op/sort/rows.c': '#include "op/index/take.h"\n'},
     'op/sort comes before op/index'),
    ('includes', 'a circle of four files',
     {f'src/ocl/{a}.h': f'// {SPDX}#include "ocl/{b}.h"\n' for a, b in ('ef', 'fg', 'gh', 'he')},
     'src/ocl/e: in a circle of 4 files'),
    ('includes', 'a path with dots', {'src/ocl/two.c': '#include "../base/one.h"\n'}, 'without dots'),
    ('includes', 'a public header in quotes', {BASE: '#include "weft/one.h"\n'}, 'written <weft/one.h>'),
    ('includes', 'an internal header among the public', {'include/weft/one.h': '#include "base/one.h"\n'},
     'public headers include'),
    ('map', 'a room that is not listed', {'src/op/scan/scan.c': SECOND}, 'src/op/scan: not in docs/house.md'),
    ('map', 'a folder of tests', {'tests/fuzz/fuzz.c': SECOND}, 'tests/fuzz: not in docs/house.md'),
    ('map', 'a folder of kernels', {'cl/sort/rows.cl': SECOND}, 'cl/sort: not in docs/house.md'),
    ('map', 'suites of no room', {'tests/suites/misc/test_misc.c': SECOND}, 'src/ has no misc'),
    ('map', 'a folder at the top', {'extra/one.c': SECOND}, 'extra: not in docs/house.md'),
    ('map', 'a file beside rooms', {'src/op/map.c': SECOND}, 'src/op has rooms'),
    ('map', 'a line for what is gone', {'docs/house.md': 'src/gone/  nothing\n'}, 'src/gone is not there'),
    ('map', 'a line without a word', {'docs/house.md': 'src/base/\n'}, 'what is there?'),
    ('map', 'a line twice', {'docs/house.md': 'src/ocl/  again\n'}, 'src/ocl is there twice'),
    ('environment', 'a variable read elsewhere',
     {BASE: '#include <stdlib.h>\nvoid *weft__v(void);\nvoid *weft__v(void) {\n'
            '  return weft__getenv("WEFT_V");\n}\n'}, 'read through base/environment.h'),
    ('environment', 'a variable read without asking for rights',
     {BASE: '#include <stdlib.h>\nvoid *weft__v(void);\nvoid *weft__v(void) {\n'
            '  return secure_getenv("HOME");\n}\n'}, 'secure_getenv is called in src/base/secure.c alone'),
    ('environment', 'a library loaded without asking for rights',
     {BASE: '#include <dlfcn.h>\nvoid *weft__v(void);\nvoid *weft__v(void) {\n'
            '  return dlopen("one.so", RTLD_NOW);\n}\n'}, 'dlopen is called in src/base/secure.c alone'),
    ('environment', 'a variable that the table lacks', {'src/cli/bench/main.c': f'// {SPDX}'
     'const char *weft__v(void);\nconst char *weft__v(void) {\n  return weft__getenv("WEFT_V");\n}\n'},
     'WEFT_V has no row'),
    ('environment', 'a variable that the guide does not have',
     {'src/base/environment.h': '#define MORE(X) \\\n  X(TWO, OFF, "off", "none")\n'},
     '1 variables; src/base/environment.h has 2'),
    ('environment', 'another name', {'src/base/environment.h': '#define MORE(X) \\\n  X(TWO, OFF, "off", "none")\n',
                                     'docs/guide.md': '| `WEFT_THREE` | many |\n'},
     'WEFT_TWO is here, not WEFT_THREE'),
    ('calls', 'a call upwards', {BASE: 'int weft__two(void);\nint weft__up(void);\nint weft__up(void) {\n'
                                       '  return weft__two();\n}\n'},
     'src/base/one.c: uses weft__two of src/ocl/two.c: base comes before ocl'),
    ('calls', 'a subject that calls up',
     {'src/op/sort/rows.c': 'int weft__take(void);\nint weft__up(void);\nint weft__up(void) {\n'
      '  return weft__take();\n}\n'}, 'op/sort comes before op/index'),
    ('calls', 'a call upwards by a macro of a public header',
     {'include/weft/one.h': 'int weft__rows(int a);\n#define weft_many(a) weft__rows(a)\n',
      'src/ocl/two.c': '#include <weft/one.h>\nint weft__up(void);\nint weft__up(void) {\n  return weft_many(1);\n'
                       '}\n'},
     'ocl comes before op/sort'),
    ('calls', 'a header of two rooms', {'include/weft/one.h': 'WEFT_API int weft_two(void);\n',
                                       'src/ocl/two.c': 'int weft_two(void);\nint weft_two(void) {\n  return 2;\n}\n'},
     'one.h: its functions are in several rooms'),
    ('names', 'a file that is gone', {BASE: '// As base/gone.c has it.\n'}, 'base/gone.c is not there'),
    ('names', 'a base name that is gone', {'cl/one.cl': '/* See\n   gone.clh */\n'}, 'gone.clh is not there'),
    ('names', 'a path in a script', {'run': 'cat "$root/tests/gone.c"\n'}, 'tests/gone.c is not there'),
    ('names', 'a path in a text', {'notes.md': 'see `src/base/gone.h`\n'}, 'src/base/gone.h is not there'),
    ('words', 'one in a comment', {BASE: '// What a call answers.\n'}, '"answers": result'),
    ('words', "one across a line's end", {BASE: 'int x; // as it\n// lies\n'}, ':15: "as it lies"'),
    ('words', 'one at the beginning', {'cl/one.cl': '/* The same */\n'}, '"The same"'),
    ('words', 'one in a literal of src', {BASE: 'const char *const text = "there is none";\n'}, '"there is none"'),
    ('words', "one in Python's", {'one.py': f'# {SPDX}def one():\n    """Is told."""\n'}, '"Is told"'),
    ('words', 'one in a text', {'notes.md': '```\nanswer\n```\nas `answer` all\nthe same\n'},
     'notes.md:4: "all the same"'),
    ('porting', 'a name without a row', {house_text.CUPY_NAMES: 'four\n'}, "no row for CuPy's four"),
    ('porting', 'a reason for no name', {house_text.PORTING: '| `five` | none |\n'}, 'a reason for five'),
    ('porting', 'a reason for what is there', {house_text.PORTING: '| `one` | none |\n'}, 'but there is weft_one'),
    ('face', 'a header without the conventions', {'include/weft/new.h': SECOND}, 'does not name docs/conventions.md'),
    ('face', 'a long first comment', {'include/weft/new.h': SECOND + '/// docs/conventions.md\n' * 13}, 'has 13 lines'),
    ('face', 'a long comment of a function', {'include/weft/one.h': '/// x\n' * 7 + 'WEFT_API int weft_x(int a);\n'},
     'the comment of weft_x has 7 lines'),
    ('face', 'a long comment of a macro', {'include/weft/one.h': '/// x\n' * 7 + '#define weft_x(a) (a)\n'},
     'the comment of weft_x has 7 lines'),
    ('names', 'a base name twice', {'src/ocl/one.c': SECOND}, 'the name one is there 2 times'),
    ('size', 'a long function', {BASE: 'int weft__long(int a);\nint weft__long(int a) {\n' + '  a++;\n' * 60 +
                                 '  return a;\n}\n'},
     'weft__long has 63 lines; 60 is the most'),
    ('size', 'a function of many ways',
     {BASE: 'int weft__ways(int a);\nint weft__ways(int a) {\n' + '  if (a) a--;\n' * 25 + '  return a;\n}\n'},
     'weft__ways has 26 as its complexity'),
    ('size', 'a function of many parameters',
     {BASE: 'int weft__many(' + ', '.join(f'int a{k}' for k in range(9)) + ') {\n  return a0;\n}\n'},
     'weft__many has 9 parameters'),
    ('door', 'a call of OpenCL', {BASE: 'static int flush(int q) {\n  return clFlush(q);\n}\n'}, 'clFlush is called'),
    ('door', 'one in the command', {'src/cli/bench/main.c': f'// {SPDX}int end(int q);\nint end(int q) {{\n'
                                                      f'  return clFinish (q);\n}}\n'}, 'clFinish is called'),
    ('frames', 'a large frame', {BASE: 'void weft__use(char *);\nint weft__deep(void);\nint weft__deep(void) {\n'
                                       '  char room[9000];\n  weft__use(room);\n  return 0;\n}\n'},
     '8192 are the most'),
    ('symbols', 'a function of no header', {BASE: 'int weft_extra(void);\nint weft_extra(void) {\n  return 1;\n}\n'},
     'weft_extra is in no public'),
    ('symbols', 'a function without the prefix', {BASE: 'int extra(void);\nint extra(void) {\n  return 1;\n}\n'},
     'extra does not begin'),
    ('symbols', 'a declared function that is missing', {'include/weft/one.h': 'WEFT_API int weft_lost(void);\n'},
     'weft_lost is declared in one.h'),
    ('symbols', 'an internal one that is visible',
     {BASE: '__attribute__((visibility("default"))) int weft__open(void);\n'
            'int weft__open(void) {\n  return 1;\n}\n'}, 'weft__open is internal'),
    ('symbols', 'a function of another version', {'one.map': 'OTHER { global: weft_one; };\n'},
     'weft_one@@OTHER has another version than ONE'),
    ('symbols', 'one that is declared',
     {'include/weft/one.h': 'WEFT_API int weft__open(void);\n', BASE: 'int weft__open(void) {\n  return 1;\n}\n'},
     'one.h: weft__open is internal'),
    ('symbols', 'a macro without a function', {'include/weft/one.h': '#define weft_thrice(a) weft_one(a, 2 * (a))\n'},
     'weft_thrice is a macro without'),
    ('symbols', 'a macro that has its function',
     {'include/weft/one.h': '#undef weft_twice\nWEFT_API int weft_twice(int a);\n'
                            '#define weft_twice(a) weft_one(a, a)\n'},
     'weft_twice is a function now'),
    ('symbols', 'a macro that is gone', {'tests/house/macros_only.txt': 'weft_gone\n'},
     'weft_gone is no macro any more'),
    ('symbols', 'a function that the package does not list',
     {'debian/libweft1.symbols': 'libweft.so.1 libweft1 #MINVER#\n ONE@ONE 1\n'},
     'debian/libweft1.symbols: weft_one is missing'),
    ('symbols', 'a library that exits',
     {BASE: '#include <stdlib.h>\nint weft__end(void);\nint weft__end(void) {\n  exit(1);\n}\n'}, 'uses exit'),
    ('fault-table', 'a call that cannot be failed',
     {'src/ocl/driver.h': 'typedef struct weft__driver_table {\n  int (*flush)(int queue);\n'
                          '  int (*finish)(int queue);\n} weft__driver_table;\n'}, 'no finish'),
    ('fault-covers', 'a function that nobody calls', {'include/weft/one.h': 'WEFT_API int weft_two(void);\n'},
     'weft_two is not called'),
    ('headers', 'a header that needs another', {'include/weft/one.h': 'weft_unknown weft__x(void);\n'},
     'does not compile alone'),
    ('headers', 'a header that only C accepts',
     {'include/weft/one.h': '#ifndef O2\n#define O2\nstatic inline int *weft__p(void *p) {\n  return p;\n}\n'
                            '#endif\n'}, '-std=c++17'),
    ('headers', 'a header without a guard', {'include/weft/one.h': 'struct weft__s {\n  int x;\n};\n'}, 'redefinition'),
    ('headers', 'OpenCL in a public header', {'include/weft/one.h': '#include <CL/cl.h>\n'}, 'OpenCL\'s headers'),
    ('headers', 'a header that weft.h leaves out', {'include/weft/new.h': SECOND}, 'does not include new.h'),
    ('cl', 'a kernel that does not compile',
     {'cl/one.cl': '__kernel void bad(__global int *x) {\n  x[0] = nothing;\n}\n'}, 'nothing'),
    ('cl', 'one combination that does not', {'cl/one.cl': '#ifdef FAST\n#error fast\n#endif\n'}, 'with -DT=int -DFAST'),
    ('cl', 'a struct without its size', {'cl/sort/args.h': 'typedef struct weft__sort_args {\n  long n;\n'
                                                           '} weft__sort_args;\n'},
     'no WEFT__SHARED_SIZE(weft__sort_args'),
    ('cl', 'arguments that the host does not see',
     {'cl/one.cl': 'typedef struct {\n  long n;\n} two_args;\n'
                   '__kernel void two(const two_args args, __global long *to) {\n  to[0] = args.n;\n}\n'},
     'two_args is passed to a kernel'),
    ('cl', 'a struct in a text', {BASE: 'const char *const text = "typedef struct { long n; } args;";\n'},
     'a struct of a kernel in a text'),
    ('cl', 'a dimension from a loop',
     {'cl/one.cl': 'void weft__ids(ulong *to) {\n  for (uint d = 0; d < 3; d++) to[d] = get_group_id(d);\n}\n'},
     'no constant'),
    ('cl', 'a value cut short', {'cl/one.cl': 'uint weft__cut(ulong x) {\n  return x;\n}\n'},
     'loses integer precision'),
]


def write(root, files, append=False):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, 'a' if append else 'w', encoding='utf-8', newline='') as stream:
            stream.write(text)


def build(root, cc):
    """The libraries of the small project, and a program that uses them; their paths."""
    sources = sorted((root / 'src').rglob('*.c'))
    options = ['-fPIC', '-fvisibility=hidden', '-w', '-fstack-usage', '-DCL_TARGET_OPENCL_VERSION=300',
               '-I', root / 'include', '-I', root / 'src']
    objects = []
    for source in sources:
        if source.parent.parent.name == 'cli':
            continue
        objects.append(root / (source.relative_to(root / 'src').as_posix().replace('/', '_') + '.o'))
        subprocess.run([cc, '-c', *options, source, '-o', objects[-1]], check=True)
    shared, static = root / 'libweft.so', root / 'libweft.a'
    subprocess.run([cc, '-shared', *objects, f'-Wl,--version-script={root}/one.map', '-o', shared], check=True)
    subprocess.run(['ar', 'rc', static, *objects], check=True)
    user = root / 'user.o'
    subprocess.run([cc, '-c', *options, root / 'user.c', '-o', user], check=True)
    return str(shared), str(static), str(user)


def outcome(check, root):
    """Exit status and output of one check on the project at `root`."""
    words = ['--root', str(root), check]
    if check in ('symbols', 'calls', 'fault-covers', 'frames'):
        shared, static, user = build(root, shutil.which('cc') or 'gcc')
        words += {'symbols': ['--shared', shared, '--static', static, '--node', 'ONE'], 'calls': ['--static', static],
                  'fault-covers': [user], 'frames': ['--objects', str(root)]}[check]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = house.main(words)
    return status, output.getvalue()


def fail_unless(condition, what, output):
    if condition:
        return 0
    print(f'FAILED: {what}\n{output}')
    return 1


def main():
    failures, skipped = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for check in house.CHECKS:
            root = Path(folder) / f'sound_{check}'
            write(root, SOUND)
            status, output = outcome(check, root)
            if status == house.SKIP:
                skipped.append(check)
            else:
                failures += fail_unless(status == 0, f'{check}: a sound project passes', output)
        for number, (check, what, files, message) in enumerate(PLANTED):
            if check in skipped:
                continue
            root = Path(folder) / f'planted_{number}'
            write(root, SOUND)
            write(root, files, append=True)
            status, output = outcome(check, root)
            failures += fail_unless(status == 1 and message in output, f'{check}: {what} is found ({message!r})',
                                    output)
    planted = {check for check, *_ in PLANTED}
    failures += fail_unless(planted == set(house.CHECKS), 'every check has a planted violation',
                            str(set(house.CHECKS) - planted))
    print(f'selftest: {len(PLANTED)} planted violations, {failures} not found' +
          ''.join(f'; {check}: skipped' for check in skipped))
    if failures:
        return 1
    return house.SKIP if len(skipped) == len(house.CHECKS) else 0

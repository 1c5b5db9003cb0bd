#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The house rules as tests. Each rule is a subcommand: it prints one line per violation and exits 1, or 0 without
violations, or 77 if a tool it needs is missing. `house.py selftest` plants a violation of every rule and demands that
it is found."""

import argparse
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import house_rooms
import house_text
from house_files import (BUILD_FILES, C_CODE, CODE, TEXT, Skip, is_script, macros, project_files, public_functions,
                         read_lines, run, symbols, tool)

SKIP = 77

MAX_LINES = 640
# Generated from a table.
MAY_BE_LARGE = ['include/weft/ufuncs.h']
MAX_COLUMNS = 120
# A row of a table is one line; so is a combination of macros for the lint test.
MAY_BE_LONG = re.compile(r'  X\(|// (?:lint|ptxas):')

# A library must not end its program or write to its output (CONTRIBUTING.md, Habits).
FORBIDDEN_CALLS = {'exit', '_exit', '_Exit', 'quick_exit', 'abort', '__assert_fail', 'printf', 'vprintf',
                   '__printf_chk', '__vprintf_chk', 'puts', 'putchar', 'perror', 'stdout'}
# Exception: with WEFT_LEAKS=error, the user asks that a leaking process get another exit status.
MAY_EXIT = 'core_at_exit.c'
# with -fexceptions the compiler refers to its routine for cleanups
LINKER_SYMBOLS = {'_init', '_fini', '__bss_start', '_edata', '_end', 'DW.ref.__gcc_personality_v0'}

COMPILE = ['-fsyntax-only', '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wsign-conversion', '-Wshadow',
           '-Werror']
CL_COMPILE = ['-x', 'cl', '-cl-std=CL1.2', '-fsyntax-only', '-target', 'spir64-unknown-unknown', '-Wall', '-Wextra',
              '-Werror', '-Wshadow', '-Wconversion', '-Wno-sign-conversion', '-Wno-unused-parameter',
              '-Wno-unused-function']


# ---- spdx ----

def check_spdx(root, args):
    """One licence line at the top of each source file (below a script's first line)."""
    line_form = re.compile(r'(?://|#|/\*|<!--) SPDX-License-' r'Identifier: MIT\b')
    for path in project_files(root):
        if not (path.suffix in CODE or path.name in BUILD_FILES or is_script(path)):
            continue
        lines = read_lines(path)
        top = 1 if lines[0].startswith('#!') else 0
        name = path.relative_to(root)
        found = [i for i, line in enumerate(lines) if line_form.match(line)]
        if found[:1] != [top]:
            yield f'{name}:{top + 1}: no SPDX line here, "SPDX-License-' 'Identifier: MIT" in a comment'
        for i in found[1:]:
            yield f'{name}:{i + 1}: a second SPDX line'


# ---- reuse ----

def check_reuse(root, args):
    """Every file has a holder and a licence whose text is in LICENSES/, by `reuse lint`."""
    done = run([tool(args.reuse), '--root', root, 'lint'])
    # A text that only looks like a licence line is an error that does not change the exit status.
    for line in done.stdout.split('\n'):
        if ' - ERROR - ' in line:
            yield f'reuse: {line.split(" - ERROR - ")[1]}: split the words of a text that is no licence line'
    if done.returncode != 0:
        yield done.stdout.rstrip()


# ---- style ----

def check_style(root, args):
    """Blanks, tabs, line length, unfinished notes, machine-specific paths, and ladders where WEFT__TRY belongs."""
    ladder = re.compile(r'\bif \(rc == WEFT_OK\) rc = \w+\(')
    notes = re.compile(r'\b(?:TO' r'DO|FIX' r'ME|XX' r'X)\b')
    machine = re.compile(r'(?<![\w.$}~-])/(?:work|home|root|Users)/\w')
    for path in project_files(root):
        if not (path.suffix in TEXT or path.name in BUILD_FILES or is_script(path)):
            continue
        name = path.relative_to(root)
        is_code = path.suffix in CODE or path.name in BUILD_FILES or is_script(path)
        lines = read_lines(path)
        if lines[-1] != '':
            yield f'{name}:{len(lines)}: the last line has no newline'
        elif len(lines) > 1 and lines[-2] == '':
            yield f'{name}:{len(lines) - 1}: blank lines at the end'
        if is_code and len(lines) - 1 > MAX_LINES and str(name) not in MAY_BE_LARGE:
            yield f'{name}: {len(lines) - 1} lines; {MAX_LINES} is the most: one subject per file'
        for number, line in enumerate(lines, 1):
            if line.endswith('\r'):
                yield f'{name}:{number}: a carriage return'
            elif line != line.rstrip():
                yield f'{name}:{number}: trailing blanks'
            if is_code and len(line) > MAX_COLUMNS and not MAY_BE_LONG.match(line):
                yield f'{name}:{number}: {len(line)} columns; {MAX_COLUMNS} is the most'
            if '\t' in line and str(name) != 'debian/rules':  # a recipe of make begins with one
                yield f'{name}:{number}: a tab'
            if is_code and notes.search(line):
                yield f'{name}:{number}: an unfinished note: do it, or open an issue'
            if machine.search(line):
                yield f'{name}:{number}: a path of somebody\'s machine'
            if name.parts[0] == 'src' and ladder.search(line):
                yield f'{name}:{number}: a step that can fail is WEFT__TRY(step) (base/error.h)'


# ---- version ----

def check_version(root, args):
    """Only include/weft/version.h contains the version (the change log has its history)."""
    home = root / 'include/weft/version.h'
    text = home.read_text(encoding='utf-8')
    numbers = [re.search(rf'#define WEFT_VERSION_{part} (\d+)', text) for part in ('MAJOR', 'MINOR', 'PATCH')]
    if None in numbers:
        yield 'include/weft/version.h: WEFT_VERSION_MAJOR, _MINOR and _PATCH are not all there'
        return
    version = '.'.join(number[1] for number in numbers)
    written = re.compile(
        rf'(?<![\d.]){re.escape(version)}(?![\d.]*\d)|#\s*define\s+WEFT_VERSION_(?:MAJOR|MINOR|PATCH)\b')
    for path in project_files(root):
        name = path.relative_to(root)
        if (path == home or name.parts[0] == 'subprojects' or
            not (path.suffix in CODE or path.name in BUILD_FILES or is_script(path))):
            continue
        for number, line in enumerate(read_lines(path), 1):
            # An example in a C comment does not count: nothing reads it.
            if written.search(re.sub(r'//.*', '', line)):
                yield f'{name}:{number}: the version again; it is read from include/weft/version.h'


# ---- door ----

def check_door(root, args):
    """Only src/ocl calls OpenCL: everything else uses the table of ocl/driver.h."""
    for path in project_files(root):
        parts = path.relative_to(root).parts
        if (parts[:1] != ('src',) or path.suffix not in ('.c', '.h') or parts[1] in house_rooms.OPENCL_ROOMS or
            '/'.join(parts[1:]) in house_rooms.OPENCL_FILES):
            continue
        without = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda match: '\n' * match[0].count('\n'),
                         path.read_text(encoding='utf-8'), flags=re.S)
        for number, line in enumerate(without.split('\n'), 1):
            for call in re.findall(r'\bcl[A-Z]\w*(?=\s*\()', line):
                yield (f'{path.relative_to(root)}:{number}: {call} is called; outside of src/ocl that is for the '
                       'table of ocl/driver.h')


# ---- symbols ----

# Macros that look like calls, except that one makes an argument and one is several calls.
MAKES_AN_ARGUMENT = {'weft_keepdims', 'weft_release'}
# Macros that have no function of their name yet: the list may only get shorter.
MACROS_ONLY = 'tests/house/macros_only.txt'


def macro_problems(root, declared, strike):
    """Each macro that looks like a call has a function of its name, for callers that cannot use macros."""
    path = root / MACROS_ONLY
    waiting = set(path.read_text(encoding='utf-8').split()) if path.exists() else set()
    shadowing = macros(root) - MAKES_AN_ARGUMENT
    if strike:
        waiting &= shadowing - declared.keys()
        path.write_text(''.join(f'{name}\n' for name in sorted(waiting)), encoding='utf-8')
    for name in sorted(shadowing - declared.keys() - waiting):
        yield f'{name} is a macro without a function of its name: declare that in front, with WEFT_API'
    for name in sorted(waiting & declared.keys()):
        yield f'{MACROS_ONLY}: {name} is a function now: strike it out'
    for name in sorted(waiting - shadowing - declared.keys()):
        yield f'{MACROS_ONLY}: {name} is no macro any more: strike it out'
    if waiting:
        print(f'macros without functions: {len(waiting)}: {" ".join(sorted(waiting))}')


# Debian's lists, and the folder of the headers that declare their names.
DEBIAN_SYMBOLS = {'debian/libweft[0-9]*.symbols': 'include/weft',
                  'debian/libweft-mpi[0-9]*.symbols': 'include/dist/weft'}


def debian_problems(root):
    """debian/ lists the names that the headers declare; names of versions are in capitals."""
    for pattern, folder in DEBIAN_SYMBOLS.items():
        functions = public_functions(root, folder).keys()
        for packaged in root.glob(pattern):
            listed = set(re.findall(r'^ (weft\w+)@', packaged.read_text(encoding='utf-8'), flags=re.M))
            for symbol in sorted(listed ^ functions):
                problem = 'not a public function' if symbol in listed else 'missing'
                yield f'{packaged.relative_to(root)}: {symbol} is {problem}'


MOST_FRAME_BYTES = 8192


def check_frames(root, args):
    """No function of a library has a frame of over 8 KiB, as the stacks of threads may be small: what is large is in
    base/scratch.h. --objects: folders of the libraries' objects, with the lists of frames that -fstack-usage writes."""
    lists = [path for folder in args.objects for path in sorted(Path(folder).glob('*.su'))]
    if not lists:
        yield f'{" ".join(args.objects)}: no list of frames'
    for path in lists:
        for line in path.read_text(encoding='utf-8').splitlines():
            place, size_bytes = line.split('\t')[:2]
            if int(size_bytes) > MOST_FRAME_BYTES:
                yield f'{place}: a frame of {size_bytes} bytes; {MOST_FRAME_BYTES} are the most'


def check_symbols(root, args):
    """The libraries define what the public headers declare with WEFT_API, and export nothing else. Macros call names of
    the form weft__NAME_at; all other internal names are hidden. Each macro that looks like a call has a function of its
    name. With a symbol map each exported name has the version of --node. debian/ lists the same names."""
    nm = tool(args.nm)
    declared = public_functions(root)
    if not declared:
        yield 'include/weft: no WEFT_API declaration found'
    for symbol in sorted(declared):
        if symbol.startswith('weft__') and not symbol.endswith('_at'):
            yield f'{declared[symbol]}: {symbol} is internal: no WEFT_API, or weft__NAME_at where a macro calls it'
    yield from macro_problems(root, declared, args.strike)
    yield from debian_problems(root)
    libraries = [(args.shared, ('-D', '--defined-only'))] if args.shared else []
    for library, options in (*libraries, (args.static, ('-g', '--defined-only'))):
        is_static = library == args.static
        name = Path(library).name
        defined = {symbol for _, symbol, _ in symbols(nm, library, *options)} - LINKER_SYMBOLS - {args.node}
        if args.node and not is_static:
            for _, symbol, _ in symbols(nm, library, *options, versions=True):
                function, _, version = symbol.partition('@@')
                if function in declared and version != args.node:
                    yield f'{name}: {symbol} has another version than {args.node}'
        for symbol in sorted(defined - declared.keys()):
            if symbol.startswith('weft__'):
                if not is_static:
                    yield f'{name}: {symbol} is internal and must be hidden'
            elif symbol.startswith('weft_'):
                yield (f'{name}: {symbol} is in no public header: declare it with WEFT_API, or call it weft__... or '
                       'make it static')
            else:
                yield f'{name}: {symbol} does not begin with weft_'
        for symbol in sorted(declared.keys() - defined):
            yield f'{name}: {symbol} is declared in {declared[symbol]} but not there'
    for member, symbol, _ in symbols(nm, args.static, '--undefined-only'):
        if symbol in FORBIDDEN_CALLS and (symbol, Path(member).stem) != ('exit', MAY_EXIT):
            yield f'{Path(args.static).name}: {member} uses {symbol}: a library never prints, exits or aborts'


# ---- fault table ----

def check_fault_table(root, args):
    """Fault injection wraps every function of the driver's table: an unwrapped function would never fail."""
    table, wrapper = root / 'src/ocl/driver.h', root / 'tests/fault/fault_driver.c'
    found = re.findall(r'typedef struct weft__driver_table \{(.*?)\n\}', table.read_text(encoding='utf-8'), flags=re.S)
    functions = re.findall(r'\(\*(\w+)\)\(', ''.join(found))
    if not functions:
        yield f'{table.relative_to(root)}: no weft__driver_table found'
    own = dict(re.findall(r'^ *\.(\w+) = (.+?),$', wrapper.read_text(encoding='utf-8'), flags=re.M))
    for function in functions:
        if own.get(function) != function:
            yield f'{wrapper.relative_to(root)}: has no {function} of its own, which {table.relative_to(root)} has'


def check_fault_covers(root, args):
    """The fault-injection programs call every public function."""
    called = set()
    for program in args.objects:
        called |= {symbol for _, symbol, _ in symbols(tool(args.nm), program, '--undefined-only')}
    # their functions are generated from the headers; programs call the functions that the macros use
    shadowed = macros(root)
    for function, header in public_functions(root).items():
        if function not in called and function not in shadowed:
            yield f'{header}: {function} is not called by {", ".join(Path(program).name for program in args.objects)}'


# ---- headers ----

def check_headers(root, args):
    """Each public header compiles alone, as C11 and as C++17, without OpenCL's headers; weft.h includes them all."""
    headers = sorted((root / 'include/weft').glob('*.h'))
    include = root / 'include'
    if not headers:
        yield 'include/weft: no header'
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        for compilers, suffix, standard in ((args.cc, 'c', '-std=c11'), (args.cxx, 'cpp', '-std=c++17')):
            for compiler in filter(shutil.which, compilers):
                found += 1
                for header in headers:
                    unit = Path(folder) / f'alone.{suffix}'
                    # Twice, to test the include guard; the declaration is there because ISO C forbids an empty
                    # translation unit.
                    unit.write_text(f'#include <weft/{header.name}>\n#include <weft/{header.name}>\n'
                                    'extern int weft_not_empty;\n')
                    included = Path(folder) / 'included'
                    compiled = run([compiler, standard, *COMPILE, '-MD', '-MF', included, '-I', include, unit])
                    if compiled.returncode != 0:
                        yield (f'{header.name}: does not compile alone with {compiler} {standard}:\n'
                               f'{compiled.stdout.rstrip()}')
                        continue
                    needed = included.read_text()
                    if re.search(r'\bCL/\w+\.h\b', needed):
                        yield f'{header.name}: includes OpenCL\'s headers ({compiler} {standard})'
                    if header.name == 'weft.h':
                        for other in headers:
                            if f'weft/{other.name}' not in needed:
                                yield f'weft.h: does not include {other.name}'
    if found == 0:
        raise Skip(f'none of {", ".join(args.cc + args.cxx)} is installed')


# ---- size ----

MAX_FUNCTION_LINES, MAX_COMPLEXITY, MAX_PARAMETERS = 60, 25, 8
# Functions that may be larger, and why.
MAY_BE_LARGER = {'weft__cl_code_name': 'a table'}


def check_size(root, args):
    """Functions of src/ have at most 60 lines, a cyclomatic complexity of at most 25, and at most 8 parameters, by
    lizard's count."""
    own = root / '.cache/lizard/bin/lizard'
    lizard = str(own) if own.exists() else tool(args.lizard)
    measured = subprocess.run([lizard, '-l', 'cpp', '--csv', str(root / 'src')], stdout=subprocess.PIPE, text=True,
                              check=False).stdout
    rows = list(csv.reader(measured.splitlines()))
    if not rows:
        yield f'src: {lizard} finds no function'
    for row in rows:
        name, where = row[7], f'{Path(row[6]).relative_to(root)}:{row[9]}'
        for value, most, what in ((int(row[4]), MAX_FUNCTION_LINES, 'lines'),
                                  (int(row[1]), MAX_COMPLEXITY, 'as its complexity'),
                                  (int(row[3]), MAX_PARAMETERS, 'parameters')):
            if value > most and name not in MAY_BE_LARGER:
                yield f'{where}: {name} has {value} {what}; {most} is the most'


# ---- cl ----

def lint_combinations(path):
    """The -D combinations of the `// lint:` lines of a kernel file; one empty combination without such lines."""
    found = re.findall(r'^// lint:(.*)$', path.read_text(encoding='utf-8'), flags=re.M)
    return [line.split() for line in found] or [[]]


# Patterns refused in kernels, and why.
REFUSED_IN_CL = [
    (re.compile(r'\bfor \([^;]*;\s*;|\bwhile \((?:1|true)\)'), 'a loop without a condition: bound it'),
    # PoCL 6 compiles get_group_id of a variable into a kernel that it cannot load, and ends the process
    (re.compile(r'\bget_(?:(?:global|local|group)_id|(?:global|local)_size|global_offset|num_groups)\((?![0-2]\))'),
     'a dimension that is no constant: write 0, 1, 2 out'),
]


def struct_problems(root):
    """Each struct passed to kernels by value is declared once, in a header for both compilers that asserts its size."""
    files = {path: path.read_text(encoding='utf-8') for path in sorted((root / 'cl').rglob('*'))
             if path.suffix in ('.cl', '.clh', '.h')}
    heads = ' '.join(head for text in files.values() for head in re.findall(r'__kernel[^{]*', text))
    for path, text in files.items():
        for name in re.findall(r'^typedef struct\b.*?^\} (\w+);', text, flags=re.M | re.S):
            if path.suffix == '.h' and f'WEFT__SHARED_SIZE({name},' not in text:
                yield f'{path.relative_to(root)}: no WEFT__SHARED_SIZE({name}, ...)'
            if path.suffix != '.h' and re.search(rf'\b{name} \w', heads):
                yield f'{path.relative_to(root)}: {name} is passed to a kernel: declare it in args.h'
    for path in sorted((root / 'src').rglob('*.c')):
        if re.search(r'"[^"\n]*\btypedef struct\b', path.read_text(encoding='utf-8')):
            yield f'{path.relative_to(root)}: a struct of a kernel in a text: declare it in args.h'


def check_cl(root, args):
    """Every kernel file, and every header with a `// lint:` line, is OpenCL C 1.2 that clang accepts, in each
    combination of macros that it names. Every loop of a kernel has a condition: a loop that never ends hangs the
    device, and the machine with it. Dimensions are constants. Structs passed to kernels are in headers."""
    yield from struct_problems(root)
    for path in [*sorted((root / 'cl').rglob('*.cl')), *sorted((root / 'cl').rglob('*.clh'))]:
        for number, line in enumerate(read_lines(path), 1):
            for form, why in REFUSED_IN_CL:
                if form.search(line.split('//')[0]):
                    yield f'{path.relative_to(root)}:{number}: {why}'
    clang = tool(args.clang)
    # clang 19 calls the vector condition of ?: a conversion to bool
    version = re.search(r'clang version (\d+)', run([clang, '--version']).stdout)
    lenient = ['-Wno-error=conversion'] if version and int(version[1]) >= 19 else []
    files = (sorted((root / 'cl').rglob('*.cl')) +
             [h for h in sorted((root / 'cl').rglob('*.clh')) if '\n// lint:' in h.read_text(encoding='utf-8')])
    if not files:
        yield 'cl: no kernel file'
    includes = ['-I', root / 'cl']
    count = 0
    for path in files:
        for defines in lint_combinations(path):
            count += 1
            compiled = run([clang, *CL_COMPILE, *lenient, *includes, *defines, path])
            if compiled.returncode != 0:
                yield f'{path.relative_to(root)}: with {" ".join(defines) or "no macros"}:\n{compiled.stdout.rstrip()}'
    print(f'{len(files)} kernel files, {count} combinations')


# ---- the command ----

CHECKS = {
    'spdx': check_spdx,
    'reuse': check_reuse,
    'style': check_style,
    'version': check_version,
    **house_rooms.CHECKS,
    **house_text.CHECKS,
    'door': check_door,
    'symbols': check_symbols,
    'frames': check_frames,
    'fault-table': check_fault_table,
    'fault-covers': check_fault_covers,
    'headers': check_headers,
    'size': check_size,
    'cl': check_cl,
}


def parser():
    top = argparse.ArgumentParser(description=__doc__)
    top.add_argument('--root', type=Path, default=Path(__file__).resolve().parents[2],
                     help='the project; default: where this file is')
    commands = top.add_subparsers(dest='check', required=True, metavar='CHECK')
    each = {name: commands.add_parser(name, help=check.__doc__) for name, check in CHECKS.items()}
    commands.add_parser('selftest', help='plants a violation of every rule and demands that it is found')
    each['symbols'].add_argument('--shared', help='the shared library')
    each['symbols'].add_argument('--node', help='the version that the symbol map gives all names')
    each['symbols'].add_argument('--strike', action='store_true',
                                 help=f'strike out of {MACROS_ONLY} what has a function now')
    for name in ('symbols', 'calls'):
        each[name].add_argument('--static', required=True, help='the static library')
    for name in ('symbols', 'calls', 'fault-covers'):
        each[name].add_argument('--nm', default='nm')
    each['frames'].add_argument('--objects', action='append', required=True, help='a folder of objects')
    each['fault-covers'].add_argument('objects', nargs='+', help='programs, or libraries of them')
    each['headers'].add_argument('--cc', action='append', default=[],
                                 help='C compilers; those that are installed are used')
    each['headers'].add_argument('--cxx', action='append', default=[], help='C++ compilers')
    each['size'].add_argument('--lizard', default='lizard')
    each['reuse'].add_argument('--reuse', default='reuse')
    each['cl'].add_argument('--clang', default='clang')
    return top


def main(words=None):
    args = parser().parse_args(words)
    if args.check == 'selftest':
        import house_selftest
        return house_selftest.main()
    if args.check == 'headers':
        args.cc = args.cc or ['gcc', 'clang']
        args.cxx = args.cxx or ['g++', 'clang++']
    try:
        problems = list(CHECKS[args.check](args.root.resolve(), args))
    except Skip as skip:
        print(f'{args.check}: skipped: {skip}')
        return SKIP
    for problem in problems:
        print(problem)
    print(f'{args.check}: {len(problems)} violations' if problems else f'{args.check}: fine')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""The directory rules: the map of directories in docs/house.md, which gives the order of the rooms of src/; file names
in comments."""

import collections
import re
from pathlib import Path

from house_files import CODE, BUILD_FILES, is_script, project_files, public_functions, read_lines, symbols, tool

# Where OpenCL's own headers may be included. The command uses the public headers only; its bench also measures plain
# OpenCL. VkFFT is compiled on stand-ins for it.
OPENCL_ROOMS = {'ocl'}
OPENCL_FILES = {'cli/bench/bench_launch.c', 'cli/bench/bench_memory.c', 'cli/bench/bench_ufunc.c',
                'op/fft/vkfft_plan.c'}
# Rooms that are clients of the public headers: a program and a library of their own.
CLIENTS = {'cli': 'the command', 'dist': 'libweft-mpi'}
# Internal headers that these may include: their code is compiled into the command and libweft-mpi.
DIST_MAY_INCLUDE = {'base/error.h', 'base/file.h', 'base/json.h', 'base/secure.h', 'base/text.h',
                    'expr/reduction_table.h'}
CLI_MAY_INCLUDE = {'base/environment.h', 'base/error.h', 'base/file.h', 'base/secure.h', 'base/text.h',
                   'core/pocl_cache.h', 'disk/entry.h', 'ocl/opencl_calls.h'}

MAY_INCLUDE = {'cli': CLI_MAY_INCLUDE, 'dist': DIST_MAY_INCLUDE}

# The page with the map, its first block of code.
MAP = 'docs/house.md'
# Subdirectories of these have their own lines in the map.
MAPPED = ('src', 'cl', 'tests')
# Tables that a lower room declares and a higher one fills: higher rooms follow the life of contexts through them, and
# expressions reduce.
HOOKS = {'weft__followers', 'weft__follower_count', 'weft__vkfft_version', 'weft__value_reducer',
         'weft__row_evaluator'}


def file_set(root):
    """The project's files, as paths from its root with slashes."""
    return [path.relative_to(root).as_posix() for path in project_files(root)]


def folder_of(name):
    return name.rpartition('/')[0]


# ---- the map ----

def read_map(root):
    """[(line number, path, description)] of the map; a line that begins with a blank continues the previous one."""
    entries, inside = [], False
    for number, line in enumerate(read_lines(root / MAP) if (root / MAP).exists() else [], 1):
        if line.startswith('```'):
            if inside:
                break
            inside = True
        elif inside and line and not line.startswith(' '):
            path, _, text = line.partition(' ')
            entries.append((number, path.rstrip('/'), text.strip()))
    return entries


def rooms(root):
    """The rooms of src/ from the lowest to the highest, in the map's order: 'base', ... 'op/ufunc', ..."""
    return [path[len('src/'):] for _, path, _ in read_map(root) if path.startswith('src/')]


def layers(root):
    """The directories of src/ in the map's order; 'op' has the place of its first room."""
    return list(dict.fromkeys(room.split('/')[0] for room in rooms(root)))


# Their directories need no lines of their own: projects, and a fuzzing target's first inputs.
ONE_LINE = ('tests/consumers/', 'tests/fuzz/corpus/')


def check_map(root, args):
    """The map has one line for each directory with files in src, cl and tests, and for each other top-level one,
    and no other lines. A line tests/suites/ROOM stands for all suites named like a directory of src, tests/consumers
    for the projects in it, tests/fuzz for its inputs. No directory of src has both files and directories."""
    names = file_set(root)
    parts = collections.Counter(folder_of(name) for name in names if not name.endswith('/meson.build'))
    wanted = {folder for folder in parts if folder.split('/')[0] in MAPPED and
              not folder.startswith(ONE_LINE)} - {'src'}
    entries = read_map(root)
    mapped = [path for _, path, _ in entries]
    if not entries:
        yield f'{MAP}: no map: a block of code'
    for number, path, text in entries:
        if not text:
            yield f'{MAP}:{number}: {path}: what is there?'
        if mapped.count(path) > 1 and mapped.index(path) == number - entries[0][0]:
            yield f'{MAP}:{number}: {path} is there twice'
        if path.endswith('/ROOM'):
            continue
        if path not in parts and path not in names and not any(name.startswith(path + '/') for name in names):
            yield f'{MAP}:{number}: {path} is not there'
        elif path.split('/')[0] in MAPPED and path not in wanted:
            yield f'{MAP}:{number}: {path} has no files'
    order = layers(root)
    for folder in sorted(wanted - set(mapped)):
        above, _, last = folder.rpartition('/')
        if f'{above}/ROOM' not in mapped:
            yield f'{folder}: not in {MAP}'
        elif last not in order:
            yield f'{folder}: src/ has no {last}'
    for top in sorted({name.split('/')[0] for name in names if '/' in name and not name.startswith('.')} - set(MAPPED)):
        if not any(path == top or path.startswith(top + '/') for path in mapped):
            yield f'{top}: not in {MAP}'
    for folder in sorted(folder for folder in parts if folder == 'src' or folder.startswith('src/')):
        inside = [name for name in names if folder_of(name) == folder and name.endswith(('.c', '.h'))]
        if inside and any(other.startswith(folder + '/') for other in parts):
            yield f'{inside[0]}: {folder} has rooms; a file is in one of them'


# ---- includes ----

MOST_IN_CIRCLE = 3


def room_of(name, order):
    """The room of a file 'op/ufunc/apply.c', or None if it is not in the map."""
    folder = folder_of(name)
    return folder if folder in order else None


def include_problem(name, line, root, order):
    """The problem of one #include line of src/NAME, or of one for base/each_width.h, or None."""
    match = re.match(r'\s*#\s*(?:include|define \w*LOOPS)\s*(?:<([^>]+)>|"([^"]+)")', line)
    if match is None:
        return None
    room = room_of(name, order)
    layer = room.split('/')[0]
    system, own = match.groups()
    if system is not None:
        top = system.split('/')[0]
        if top in ('CL', 'OpenCL') and layer not in OPENCL_ROOMS and name not in OPENCL_FILES:
            return f'<{system}>: {layer} knows nothing of OpenCL'
        return f'<{system}>: internal headers are written in quotes' if top in layers(root) else None
    if own.startswith('weft/'):
        return f'"{own}": public headers are written <{own}>'
    parts = own.split('/')
    if parts[0] == 'cl' and layer not in ('base', 'cli'):
        # A struct that kernels and host share.
        return None if (root / own).exists() else f'"{own}": no such file'
    if '..' in parts or '.' in parts:
        return f'"{own}": written from src/ down, without dots'
    if len(parts) == 1:
        # In the file's directory, or generated by the build for it.
        return None
    target = room_of(own, order)
    if target is None:
        return f'"{own}": {folder_of(own)} is not a directory of src/'
    if layer in CLIENTS and target.split('/')[0] != layer and own not in MAY_INCLUDE[layer]:
        return f'"{own}": {CLIENTS[layer]} is a client of the public headers'
    if order.index(target) > order.index(room):
        return f'"{own}": {room} comes before {target}'
    return None if (root / 'src' / own).exists() else f'"{own}": no such file'


def circles(root):
    """Sets of files of one directory of src/, a header and its source as one, of which each includes all others."""
    includes = collections.defaultdict(set)
    for where in file_set(root):
        if where.startswith('src/') and where.endswith(('.c', '.h')):
            name = where[len('src/'):-len('.c')]
            for line in read_lines(root / where):
                match = re.match(r'#(?:include|define \w*LOOPS) "([^"]+)\.h"', line)
                if match and folder_of(match.group(1)) == folder_of(name):
                    includes[name].add(match.group(1))
    reached = {}
    for name in includes:
        reached[name], new = set(), {name}
        while new:
            new = {other for one in new for other in includes.get(one, ())} - reached[name]
            reached[name] |= new
    found = {frozenset(other for other in reached[name] if name in reached.get(other, ())) for name in includes}
    return sorted(sorted(circle) for circle in found if len(circle) > MOST_IN_CIRCLE)


def check_includes(root, args):
    """A directory of src/ includes only from itself and from those before it in the map; in a directory no more than
    three files include each other in a circle; public headers include only each other."""
    for circle in circles(root):
        yield f'src/{circle[0]}: in a circle of {len(circle)} files that include each other: {", ".join(circle)}'
    order = rooms(root)
    for where in file_set(root):
        if not where.endswith(('.c', '.h')):
            continue
        if where.startswith('src/'):
            if room_of(where[len('src/'):], order) is None:
                yield f'{where}: not in one of {", ".join(order)}'
                continue
            for number, line in enumerate(read_lines(root / where), 1):
                problem = include_problem(where[len('src/'):], line, root, order)
                if problem:
                    yield f'{where}:{number}: {problem}'
        elif where.startswith('include/'):
            for number, line in enumerate(read_lines(root / where), 1):
                if re.match(r'\s*#\s*include\s*"', line):
                    yield f'{where}:{number}: public headers include <weft/...> and the C library only'


# ---- calls ----

def linked(root, args):
    """Definitions and uses in the static library's objects: {symbol: file}, [(file, symbol)]; files as
    'op/ufunc/apply.c'."""
    nm = tool(args.nm)
    members = {name[len('src/'):].replace('/', '_') + '.o': name[len('src/'):] for name in file_set(root)
               if name.startswith('src/')}
    home, uses, file = {}, [], None
    for member, symbol, kind in symbols(nm, args.static):
        file = members.get(member.rpartition('/')[2])  # a thin archive names paths
        if file is not None and kind == 'U':
            uses.append((file, symbol))
        elif file is not None and kind in 'TDBRVWC':
            home[symbol] = file
    return home, uses


def check_calls(root, args):
    """No file of src/ uses a function or an object of a later room in the map, whatever header declares it. The
    functions of a public header are in one room."""
    order = rooms(root)
    home, uses = linked(root, args)
    if not uses:
        yield f'{Path(args.static).name}: no object of src/ in it'
    for file, symbol in uses:
        here, there = room_of(file, order), room_of(home.get(symbol, ''), order)
        if here is None or there is None or order.index(there) <= order.index(here) or symbol in HOOKS:
            continue
        yield f'src/{file}: uses {symbol} of src/{home[symbol]}: {here} comes before {there}'
    homes = collections.defaultdict(dict)
    for function, header in public_functions(root).items():
        if function in home:
            homes[header].setdefault(folder_of(home[function]), function)
    for header, folders in sorted(homes.items()):
        if len(folders) > 1:
            yield (f'{header}: its functions are in several rooms: ' +
                   ', '.join(f'{folder} ({function})' for folder, function in sorted(folders.items())))


# ---- names ----

# File names in comments that are not the project's, or that stand for any file.
FOREIGN = {
    'CL/cl.h', 'cl.h', 'cl_ext.h',  # OpenCL's
    'dlpack/dlpack.h', 'check.h', 'IPython/core/magics/execution.py',  # of other projects
    'numba_cuda_test.py', 'array_exp.py', 'gpu_add.py',  # the programs that examples were written after
    'kernel.cl', 'main.c',  # a user's
}
FILE_NAME = re.compile(r'(?<![\w./<*$-])((?:[\w.-]+/)*[\w-]+\.(?:c|h|cl|clh|cpp|py|sh))\b(?![\w(*])')
ROOTED = re.compile(r'(?<![\w.<*/-])(?:\$root/)?'
                    r'((?:src|cl|include|tests|examples)/[\w./-]+\.(?:c|h|cl|clh|cpp|py|sh))\b(?![\w*])')
C_WORD = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(//[^\n]*|/\*.*?\*/)', re.S)


def named_files(path):
    """(line number, name) of each file named in a comment of a C or OpenCL C file; in other files, of each file named
    by its full path."""
    text = path.read_text(encoding='utf-8')
    if path.suffix in ('.c', '.h', '.cl', '.clh', '.cpp'):
        found = [(comment.start(1) + name.start(), name[1]) for comment in C_WORD.finditer(text) if comment[1]
                 for name in FILE_NAME.finditer(comment[1])]
    else:
        found = [(name.start(), name[1]) for name in ROOTED.finditer(text)]
    return [(text.count('\n', 0, place) + 1, name) for place, name in found]


def check_names(root, args):
    """Every file that a comment names exists, as does every full path in other texts; a word in capitals stands for any
    name. Base names are unique below src/: x.c and x.h in one directory count as one. Each operation's table of ways is
    a file ways.c of its room, and a room's measured constants are its tuning.h."""
    names = file_set(root)
    known = {'/'.join(parts[i:]) for parts in (name.split('/') for name in names) for i in range(len(parts))} | FOREIGN
    for where in names:
        path = root / where
        if path.name in ('CHANGELOG.md', 'house_selftest.py') or where.startswith('subprojects/'):
            continue
        if path.suffix in CODE or path.suffix == '.md' or path.name in BUILD_FILES or is_script(path):
            for number, name in named_files(path):
                if name not in known and not re.search(r'[A-Z]{3}', name):
                    yield f'{where}:{number}: {name} is not there'
    stems = collections.defaultdict(set)
    for where in names:
        is_table = re.fullmatch(r'src/(op/\w+/ways\.c|(op/)?\w+/tuning\.h)', where)
        if where.startswith('src/') and where.endswith(('.c', '.h', '.py')) and not is_table:
            stems[Path(where).stem].add(where.rpartition('.')[0])
    for stem, files in sorted(stems.items()):
        if len(files) > 1:
            yield f'src: the name {stem} is there {len(files)} times: {", ".join(sorted(files))}'


# ---- the environment ----

VARIABLE = re.compile(r'^ *X\((\w+), \w+, "', re.M)
# The guide's table of variables. The tests' variables have a table of their own.
GUIDE = 'docs/guide.md'
LISTED = re.compile(r'\| `(WEFT_(?!TEST_|FAULT_)\w+)` \|')
# What asks whether the process has more rights than its user; nothing else may read variables or load libraries.
SECURE = 'src/base/secure.c'
UNASKED = re.compile(r'\b(?:getenv|secure_getenv|environ|__environ|dlopen|dlmopen)\b(?!\.h)')
# A variable of Weft, or one whose name is not written there.
OWN_READ = re.compile(r'\bweft__getenv(?:_filled)?\((?:"(WEFT_\w*)"|(?!"))')
OWN_MAY_READ = {'src/base/environment.c', 'src/base/secure.c', 'src/base/secure.h'}


def check_reads(where, lines, rows):
    is_client = where.split('/')[1] in CLIENTS
    for number, line in enumerate(lines, 1):
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).partition('//')[0]
        if where != SECURE and not line.lstrip().startswith(('/*', '*')) and UNASKED.search(code.partition('/*')[0]):
            yield f'{where}:{number}: {UNASKED.search(code)[0]} is called in {SECURE} alone'
        for read in OWN_READ.finditer(line):
            if not is_client and where not in OWN_MAY_READ:
                yield f'{where}:{number}: variables of Weft are read through base/environment.h'
            elif is_client and read[1] and read[1] not in rows:
                yield f'{where}:{number}: {read[1]} has no row in base/environment.h'


def check_environment(root, args):
    """Weft's environment variables are read through their table in base/environment.h; the guide's table has a row
    for each, in that order. base/secure.c alone reads the environment and loads libraries."""
    table = root / 'src/base/environment.h'
    rows = [f'WEFT_{name}' for name in VARIABLE.findall(table.read_text(encoding='utf-8'))]
    if not rows:
        yield f'{table.relative_to(root)}: no variable found'
    listed = [(number, LISTED.match(line)[1]) for number, line in enumerate(read_lines(root / GUIDE), 1)
              if LISTED.match(line)]
    for name, (number, there) in zip(rows, listed):
        if name != there:
            yield f'{GUIDE}:{number}: {name} is here, not {there}'
    if len(rows) != len(listed):
        yield f'{GUIDE}: {len(listed)} variables; {table.relative_to(root)} has {len(rows)}'
    for where in file_set(root):
        if where.startswith('src/') and where.endswith(('.c', '.h')):
            yield from check_reads(where, read_lines(root / where), rows)


CHECKS = {'environment': check_environment, 'map': check_map, 'includes': check_includes, 'calls': check_calls,
          'names': check_names}

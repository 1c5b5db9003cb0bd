#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles and runs the code of docs/guide.md, and compares the output: docs.py ROOT LIBRARY COMPILER... [--cxx
COMPILER...]

The line before a ```c or ```cpp block must be a comment with its kind:
  <!-- program: NAME.c -->    a complete program; must end with status 0. NAME.cpp is left out without a C++ compiler
  <!-- functions -->          file scope, for the fragments
  <!-- fragment: NAME.c -->  statements, run with context, x (0, 1, ...), y (ones), saxpy and n = 1000 around them; must
                             leave nothing alive
<!-- file: NAME --> before a block of any language writes the block to a file for the programs. <!-- commands --> runs a
block's shell commands beside these files, before the programs. <!-- output --> before a block compares it with the
output of the previous block: ... stands for anything, and a line of only that for any lines. With
<!-- output: numbers --> the numbers may differ. The C blocks of docs/conventions.md and the indented code in the
comments of the public headers are compiled. Names (weft_..., WEFT_...), links, and the READMEs' lists are checked too.
Exit status 77: no device."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import sample

PAGES = ['docs/guide.md', 'docs/porting.md', 'docs/interop.md', 'docs/drivers.md']
MORE = ['README.md', 'docs/conventions.md', 'examples/README.md', 'docs/memory.md', 'docs/performance.md',
        'docs/accuracy.md', 'docs/ufuncs.md', 'docs/house.md']
COMPILED = ['docs/conventions.md']  # their C is compiled as the headers' is, and not run
SKIP = 77
N = 1000
MARK = '\x1e'  # printed before each fragment

FRAGMENTS = '''#include <weft/weft.h>
#include <string.h>
%s
%s
typedef void fragment(weft_context *context, weft_array *x, weft_array *y, weft_kernel *saxpy, uint64_t n);
int main(void) {
  static fragment *const all[] = {%s};
  static const int runs[] = {%s};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!runs[i]) continue;
    weft_context *context = NULL;
    weft_kernel *saxpy = NULL;
    weft_array *x = NULL, *y = NULL;
    uint64_t n = %d;
    WEFT_CHECK(weft_context_create(&context));
    WEFT_CHECK(weft_kernel_create(&saxpy, context, .file = "saxpy.cl", .name = "saxpy"));
    WEFT_CHECK(weft_arange(&x, context, WEFT_F32, 0, n, 1));
    WEFT_CHECK(weft_ones(&y, context, WEFT_F32, WEFT_SHAPE(n)));
    fputs("\\x1e", stdout);
    all[i](context, x, y, saxpy, n);
    weft_array_release(&x);
    weft_array_release(&y);
    weft_kernel_release(&saxpy);
    WEFT_CHECK(weft_context_close(&context));
  }
  return 0;
}
'''

PROBE = '''#include <weft/weft.h>
int main(void) {
  int device = 0, count = 0;
  weft_status rc = weft_device_used(&device);
  if (rc == WEFT_OK) return 0;
  weft_error_print(stderr);
  if (rc != WEFT_ERROR_NO_DEVICE || weft_device_count(&count) != WEFT_OK) return 1;
  return count ? 78 : 77;
}
'''


class Block:
    def __init__(self, kind, name, language, text, line):
        self.kind, self.name, self.language, self.text, self.line = kind, name, language, text, line
        self.printed, self.is_left_out = None, False


def read_blocks(page):
    """The page's fenced blocks, each with the comment before it."""
    blocks, comment, opened = [], ('', ''), None
    for number, line in enumerate(page.read_text(encoding='utf-8').split('\n'), 1):
        if opened is None and line.startswith('```'):
            opened = Block(*comment, line[3:].strip(), '', number + 1)
        elif opened is not None and line == '```':
            blocks.append(opened)
            opened, comment = None, ('', '')
        elif opened is not None:
            opened.text += line + '\n'
        else:
            match = re.fullmatch(r'<!-- (\w+)(?:: (\S+))? -->', line)
            comment = (match.group(1), match.group(2) or '') if match else ('', '')
    return blocks


# ---- checks without a device ----

def check_names(root):
    """Every name of Weft on the pages must exist."""
    sources = [*(root / 'include').rglob('weft/*.h'), *(root / 'cl/weft').glob('*.clh')]
    known = set()
    for path in sources:
        known.update(re.findall(r'\b(?:weft|WEFT)_\w+', path.read_text(encoding='utf-8')))
    for folder in ('src', 'tests'):
        for path in (root / folder).rglob('*.[ch]'):
            known.update(re.findall(r'"(WEFT_[A-Z]+(?:_[A-Z]+)*)"', path.read_text(encoding='utf-8')))
    quirks = set(re.findall(r'\{QUIRK\((\w+)\)', (root / 'src/core/quirks.c').read_text(encoding='utf-8')))
    bad = []
    for page in PAGES + MORE:
        text = (root / page).read_text(encoding='utf-8')
        for number, line in enumerate(text.split('\n'), 1):
            for name in re.findall(r'(?<![\w/])(?:weft|WEFT)_\w+', line):
                if name not in known and not any(k.startswith(name) and name.endswith('_') for k in known):
                    bad.append(f'{page}:{number}: Weft has no {name}')
        if page == 'docs/drivers.md':
            bad += [f'{page}: the quirk {q} is missing' for q in sorted(quirks) if f'`{q}`' not in text]
    return bad


def anchor(title):
    return re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-')


def check_links(root):
    bad = []
    for page in PAGES + MORE:
        path = root / page
        for target in re.findall(r'\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"', path.read_text(encoding='utf-8')):
            target = ''.join(target)
            if re.match(r'https?://', target):
                continue
            file, _, title = target.partition('#')
            file = path.parent / file if file else path
            if not file.exists():
                bad.append(f'{page}: no such file: {target}')
            elif (title and title not in [anchor(t) for t in re.findall(r'^#+ (.*)$', file.read_text(encoding='utf-8'),
                                                                        re.MULTILINE)]):
                bad.append(f'{page}: no such title: {target}')
    return bad


def check_lists(root):
    """The examples' README lists each example once."""
    rows = re.findall(r'^\| \[(\w+)\]\(\1\.c(?:pp)?\) \|', (root / 'examples/README.md').read_text(encoding='utf-8'),
                      re.MULTILINE)
    names = [path.stem for path in (root / 'examples').glob('*.c*') if path.suffix in ('.c', '.cpp') and
             re.search(r'^int main\(', path.read_text(encoding='utf-8'), re.MULTILINE)]
    return [f'examples/README.md: {name} has {rows.count(name)} rows' for name in sorted({*rows, *names})
            if rows.count(name) != 1 or name not in names]


# ---- code that is only compiled: in the headers' comments, and in COMPILED ----

# Names that are not declared stand in as arrays, also for pointers of other types, which GCC 14 and clang 16 refuse.
POINTERS_ARE_STAND_INS = ['-w', '-Wno-error=incompatible-pointer-types', '-Wno-error=int-conversion',
                          '-Wno-incompatible-function-pointer-types']
# Declarations of names in headers' code; other names are arrays.
DECLARED = {'rc': 'weft_status rc = WEFT_OK', 'ctx': 'weft_context *ctx = NULL',
            'context': 'weft_context *context = NULL', 'stream': 'weft_stream *stream = NULL',
            'other': 'weft_stream *other = NULL', 'event': 'weft_event *event = NULL',
            'saxpy': 'weft_kernel *saxpy = NULL', 'kernel': 'weft_kernel *kernel = NULL', 'rng': 'weft_rng *rng = NULL',
            'image': 'weft_image *image = NULL', 'sampler': 'weft_sampler *sampler = NULL',
            'n': 'uint64_t n = 1000', 'k': 'float k = 1', 'at': 'int64_t at', 'list': 'int64_t list[5]',
            'wanted': 'int32_t wanted[3]', 'edges': 'double edges[5]', 'parts': 'weft_array *parts[3] = {NULL}',
            'text': 'char *text = NULL', 'host': 'float host[1000]', 'data': 'float data[1000]', 'dt': 'double dt = 0',
            'shape': 'weft_shape shape = WEFT_SHAPE(1000)', 'i': 'int64_t i = 0',
            'timing': 'weft_timing timing', 'add': 'weft_status add(void *argument)', 'x': 'weft_array *x = NULL'}


def header_code(header):
    """The indented code in the header's comments, a list for each place: (number of the first line, code)."""
    blocks, last = [], None
    for number, line in enumerate(header.read_text(encoding='utf-8').split('\n'), 1):
        match = re.match(r'///     (\s*)(.*)', line)
        if (not match or match.group(2).startswith('...') or re.match(r'weft_\w+: ', match.group(2)) or
            len(match.group(1)) > 30):
            continue
        code = re.sub(r'([;{}])  +\S.*', r'\1', match.group(2))  # text after the code is a comment
        if last == number - 1:
            blocks[-1][1].append(code)
        else:
            blocks.append((number, [code]))
        last = number
    return [(number, '\n'.join(code)) for number, code in blocks]


def compile_block(compiler, root, path, number, code):
    """Compiles the code, with declarations of the names that it does not declare itself, and the label `done` if it
    goes there."""
    if re.search(r', done\)', code) and not re.search(r'^ *done:', code, re.MULTILINE):
        code += '\ndone:;'
    is_function = re.match(r'(?:static )?\w+ \w+\(.*\{$', code.split('\n')[0])
    names = []
    for _ in range(8):
        given = ''.join(DECLARED.get(name, f'weft_array *{name} = NULL') + ';\n' for name in names)
        body = code if is_function else f'void block(void) {{\n{given}{{\n#line {number} "{path.name}"\n{code}\n}}\n}}'
        source = f'#include <weft/weft.h>\n{body}\n'
        done = subprocess.run([*compiler, '-std=c11', '-fsyntax-only', *POINTERS_ARE_STAND_INS,
                               f'-I{root / "include"}', '-x', 'c', '-'], input=source,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, 'LC_ALL': 'C'})
        if done.returncode == 0:
            return []
        unknown = re.findall(r"""'(\w+)' undeclared|undeclared identifier '(\w+)'""", done.stdout)
        new = sorted({a or b for a, b in unknown} - set(names))
        if not new or any(name.startswith(('weft_', 'WEFT_')) for name in new):
            break
        names += new
    return [f'{path.relative_to(root)}:{number}: the code does not compile:\n{done.stdout}']


def check_header_code(root, compiler):
    bad, count = [], 0
    for header in sorted((root / 'include/weft').glob('*.h')):
        for number, code in header_code(header):
            bad += compile_block(compiler, root, header, number, code)
            count += 1
    return bad if count else ['include/weft: no code in the comments']


def check_cxx_header_code(root, cxx):
    """The code in weft.hpp's comments; without a C++ compiler nothing is checked."""
    bad, header = [], root / 'include/weft/weft.hpp'
    for number, code in header_code(header) if cxx else []:
        source = (f'#include <weft/weft.hpp>\nvoid report(const std::string &);\nvoid block();\nvoid block() {{\n'
                  f'#line {number} "weft.hpp"\n{code}\n}}\n')
        done = subprocess.run([*cxx, '-std=c++17', '-fsyntax-only', f'-I{root / "include"}', '-x', 'c++', '-'],
                              input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            bad.append(f'include/weft/weft.hpp:{number}: the code does not compile:\n{done.stdout}')
    return bad


def check_page_code(root, compiler):
    bad = []
    for page in COMPILED:
        blocks = [block for block in read_blocks(root / page) if block.language == 'c']
        bad += [] if blocks else [f'{page}: no C']
        for block in blocks:
            bad += compile_block(compiler, root, root / page, block.line, block.text)
    return bad


# ---- checks with a device ----

def pattern_of(text, numbers):
    """A regular expression for a page's output."""
    pattern = ''
    for line in text.rstrip('\n').split('\n'):
        if line == '...':
            pattern += r'(?:.*\n)*?'
            continue
        parts = [re.escape(part) for part in line.split('...')]
        if numbers:
            parts = [re.sub(r'(?:\\ )*\d+(?:\\\.\d+)?', r' *[0-9.]+', part) for part in parts]
        pattern += '.*'.join(parts) + r'\n'
    return pattern


def compare(blocks):
    bad, last = [], None
    for block in blocks:
        if block.kind == 'output':
            shown = pattern_of(block.text, block.name == 'numbers')
            if last is not None and last.is_left_out:
                continue
            if last is None or last.printed is None:
                bad.append(f'docs/guide.md:{block.line}: output of nothing')
            elif not re.fullmatch(shown, last.printed):
                bad.append(f'docs/guide.md:{block.line}: {last.name} prints something else:\n{last.printed}')
        elif block.kind in ('program', 'fragment'):
            last = block
    return bad


class Bench:
    """A folder in which programs are compiled and run."""

    def __init__(self, folder, root, library, compiler, cxx):
        self.folder, self.root, self.library = folder, root, library
        self.compilers = {'.c': [*compiler, '-std=c11'], '.cpp': cxx and [*cxx, '-std=c++17']}

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding='utf-8')

    def compile(self, name):
        command = self.compilers[Path(name).suffix] + [
            '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-pthread', f'-I{self.root / "include"}', name, self.library,
            f'-Wl,-rpath,{os.path.dirname(self.library)}', '-o', name + '.out']
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f'{name} does not compile:\n{done.stdout}')

    def run(self, name):
        done = subprocess.run([f'./{name}.out'], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=600)
        return done.returncode, done.stdout, done.stderr


def run_program(bench, block):
    if not bench.compilers[Path(block.name).suffix]:
        block.is_left_out = True
        return []
    bench.write(block.name, block.text)
    bench.compile(block.name)
    status, block.printed, error = bench.run(block.name)
    return [f'docs/guide.md:{block.line}: {block.name} ends with {status}:\n{block.printed}{error}'] if status else []


def run_fragments(bench, blocks):
    fragments = [b for b in blocks if b.kind == 'fragment']
    functions = ''.join(b.text for b in blocks if b.kind == 'functions')
    bodies, names = '', []
    chosen = sample.of(fragments)
    for i, block in enumerate(fragments):
        names.append(f'fragment_{i}')
        bodies += (f'static void fragment_{i}(weft_context *context, weft_array *x, weft_array *y, weft_kernel '
                   f'*saxpy, uint64_t n) {{\n')
        bodies += f'(void)context, (void)x, (void)y, (void)saxpy, (void)n;\n#line 1 "{block.name}"\n{block.text}}}\n'
    bench.write('fragments.c', FRAGMENTS % (functions, bodies, ', '.join(names),
                                             ', '.join(str(int(b in chosen)) for b in fragments), N))
    bench.compile('fragments.c')
    status, out, error = bench.run('fragments.c')
    printed = out.split(MARK)[1:]
    for block in fragments:
        block.is_left_out = block not in chosen
    for block, text in zip(chosen, printed):
        block.printed = text
    if status or len(printed) != len(chosen):
        where = chosen[len(printed) - 1] if printed else chosen[0]
        return [f'docs/guide.md:{where.line}: {where.name} ends with {status}:\n{error}']
    return []


def probe(bench):
    """0 if there is a device, otherwise this test's exit status."""
    bench.write('probe.c', PROBE)
    bench.compile('probe.c')
    status, _, error = bench.run('probe.c')
    if status == 0:
        return 0
    sys.stderr.write(error)
    strict = os.environ.get('WEFT_TEST_STRICT') == '1' and not (os.environ.get('WEFT_TEST_ANY') == '1' and status == 78)
    return 1 if status not in (77, 78) or strict else SKIP


def main():
    split = sys.argv.index('--cxx') if '--cxx' in sys.argv else len(sys.argv)
    root, library, compiler, cxx = Path(sys.argv[1]), sys.argv[2], sys.argv[3:split], sys.argv[split + 1:]
    bad = (check_names(root) + check_links(root) + check_lists(root) + check_header_code(root, compiler) +
           check_cxx_header_code(root, cxx) + check_page_code(root, compiler))
    blocks = read_blocks(root / 'docs/guide.md')
    for page in PAGES:
        for block in read_blocks(root / page):
            if (block.language in ('c', 'cpp') and
                (page != 'docs/guide.md' or block.kind not in ('program', 'functions', 'fragment'))):
                bad.append(f'{page}:{block.line}: code that is not tested: say what it is in a comment, see '
                           'tests/process/docs.py')
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), root, library, compiler, cxx)
        status = 0 if bad else probe(bench)
        if not bad and status == 0:
            bench.write('saxpy.cl', re.search(r'^```c\n(.*?)^```$', (root / 'README.md').read_text(encoding='utf-8'),
                                              re.M | re.S).group(1))
            for block in blocks:
                if block.kind == 'file':
                    bench.write(block.name, block.text)
            for block in blocks:
                if block.kind == 'commands':
                    subprocess.run(['sh', '-e', '-c', block.text], cwd=folder, check=True)
            for block in blocks:
                if block.kind == 'program':
                    bad += run_program(bench, block)
            bad += run_fragments(bench, blocks)
            bad += compare(blocks)
    if bad:
        print('\n'.join(bad))
    if not bad and status == 0:
        kinds = [b.kind for b in blocks]
        print(f'{kinds.count("program")} programs, {kinds.count("fragment")} fragments, {kinds.count("output")} '
              'outputs;',
              f'left out: {[b.name for b in blocks if b.is_left_out]}')
    return 1 if bad else status


if __name__ == '__main__':
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""What comments and texts say: words that the project does without, the size of comments in public headers, and CuPy's
names in the porting tables."""

import io
import re
import tokenize

from house_files import C_CODE, project_files

WORDS = 'tests/house/refused_words.txt'
TEXTS = re.compile(r'"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])*\'|(//[^\n]*(?:\n *//[^\n]*)*|/\*.*?\*/)', re.S)
MARKS = re.compile(r'^[ \t]*(?:///?<?|/\*\*?|\*(?!/)|#)[ \t]?', re.M)


# ---- words ----

def refused(root):
    """[(expression, whether only for a comment's beginning, what to write instead)]"""
    found = []
    for line in (root / WORDS).read_text(encoding='utf-8').splitlines():
        if line and not line.startswith('#'):
            words, instead = line.split('  ', 1)
            expression = words.lstrip('^').replace(' ', r'\s+')
            found.append((re.compile(rf'\b(?:{expression})\b', re.I), words.startswith('^'), instead.strip()))
    return found


def c_texts(text, is_source):
    """(place, whether it is a comment, text) of the comments; of the library's sources also of the literals."""
    for match in TEXTS.finditer(text):
        if match[2]:
            yield match.start(), True, match[2]
        elif match[1] and is_source:
            yield match.start(), False, match[1]


def python_texts(text):
    """(place, True, text) of comments, those below each other as one, and of docstrings."""
    starts = [0]
    for line in text.split('\n'):
        starts.append(starts[-1] + len(line) + 1)
    joined, last = [], None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        place, line = starts[token.start[0] - 1] + token.start[1], token.line[: token.start[1]]
        if token.type == tokenize.COMMENT:
            alone = not line.strip()
            if alone and last == token.start[0] - 1:
                joined[-1] = (joined[-1][0], True, joined[-1][2] + '\n' + token.string)
            else:
                joined.append((place, True, token.string))
            last = token.start[0] if alone else None
        elif token.type == tokenize.STRING and token.string.startswith('"""') and not line.strip():
            joined.append((place, True, token.string.strip('"')))
    return joined


def markdown_texts(text, is_change_log):
    """(place, False, text) of each paragraph; not of blocks of code, nor of the change log's released sections."""
    if is_change_log:
        released = re.search(r'^## \[?\d', text, flags=re.M)
        text = text[: released.start()] if released else text
    text = re.sub(r'^ *```.*?^ *```', lambda match: re.sub(r'[^\n]', ' ', match[0]), text, flags=re.M | re.S)
    for match in re.finditer(r'(?:[^\n]*\S[^\n]*\n?)+', text):
        yield match.start(), False, match[0]


def check_words(root, args):
    """Comments, Markdown, and the literals of src/ do without the words of refused_words.txt."""
    words = refused(root)
    for path in project_files(root):
        name = path.relative_to(root)
        if name.parts[0] == 'subprojects' or not (path.suffix in C_CODE or path.suffix in ('.py', '.md')):
            continue
        whole = path.read_text(encoding='utf-8')
        if path.suffix == '.py':
            texts = python_texts(whole)
        elif path.suffix == '.md':
            texts = markdown_texts(whole, path.name == 'CHANGELOG.md')
        else:
            texts = c_texts(whole, name.parts[0] == 'src')
        for place, is_comment, text in texts:
            if is_comment:
                text = MARKS.sub(lambda mark: ' ' * len(mark[0]), text)
            text = re.sub(r'`[^`]*`', lambda code: re.sub(r'[^\n]', '`', code[0]), text)
            for form, at_start, instead in words:
                for match in form.finditer(text):
                    if not at_start or (is_comment and not text[: match.start()].strip()):
                        number = whole.count('\n', 0, place) + text.count('\n', 0, match.start()) + 1
                        yield f'{name}:{number}: "{" ".join(match[0].split())}": {instead} ({WORDS})'


# ---- face ----

MAX_OPENING, MAX_COMMENT = 12, 6
CONVENTIONS = 'docs/conventions.md'


def check_face(root, args):
    """A public header begins with a comment of at most 12 lines, which names the conventions; the comment of a public
    function or macro has at most 6."""
    for header in sorted((root / 'include/weft').glob('*.h')):
        name = header.relative_to(root)
        lines = header.read_text(encoding='utf-8').split('\n')
        opening = 1
        while lines[opening].startswith('//'):
            opening += 1
        if opening - 1 > MAX_OPENING:
            yield f'{name}: its first comment has {opening - 1} lines; {MAX_OPENING} is the most: see {CONVENTIONS}'
        if not any(CONVENTIONS in line for line in lines[:opening]):
            yield f'{name}: its first comment does not name {CONVENTIONS}'
        for number, line in enumerate(lines):
            public = re.match(r'WEFT_API\b.*?\b(weft_\w+)\(|#define ((?:weft|WEFT)_(?!_)\w+)', line)
            first = number
            while public and first > opening and lines[first - 1].startswith('///'):
                first -= 1
            if number - first > MAX_COMMENT:
                yield (f'{name}:{first + 1}: the comment of {public[1] or public[2]} has {number - first} lines; '
                       f'{MAX_COMMENT} is the most')


# ---- CuPy's names ----

CUPY_NAMES = 'tests/data/cupy_names.txt'
PORTING = 'docs/porting.md'
NO_COUNTERPART = "## CuPy's names without a counterpart"


def spans(cell):
    """The words in a cell's code."""
    return set(re.findall(r'[A-Za-z_]\w*', ' '.join(re.findall(r'`([^`]*)`', cell))))


def table_cells(text):
    """(title of the column, cell) of each cell of the tables."""
    titles = []
    for line in text.split('\n'):
        cells = [cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]] if line.startswith('|') else []
        if not titles and cells:
            titles = cells
        elif cells and not cells[0].startswith('---'):
            yield from zip(titles, cells)
        elif not cells:
            titles = []


def check_porting(root, args):
    """Each name of CuPy has a row in the porting tables, a function of the same name, or a reason why it has none."""
    names = [n for n in (root / CUPY_NAMES).read_text(encoding='utf-8').split('\n') if n and not n.startswith('#')]
    text, _, reasons = (root / PORTING).read_text(encoding='utf-8').partition(NO_COUNTERPART)
    reasons = reasons.partition('\n## ')[0]
    rows = {word for title, cell in table_cells(text) if re.search('NumPy|CuPy', title) for word in spans(cell)}
    why = {word for title, cell in table_cells(reasons) if title == 'CuPy' for word in spans(cell)}
    declared = re.compile(r'^(?:#define |WEFT_API.*?\b)?weft_(\w+)\(', re.M)
    functions = {name for header in (root / 'include/weft').glob('*.h')
                 for name in declared.findall(header.read_text(encoding='utf-8'))}
    ufuncs = root / 'docs/ufuncs.md'
    if ufuncs.exists():
        rows |= {cell for title, cell in table_cells(ufuncs.read_text(encoding='utf-8')) if title == 'NumPy'}
    for name in names:
        if name not in rows | functions | why:
            yield f'{PORTING}: no row for CuPy\'s {name}, and no reason under "{NO_COUNTERPART}"'
    for name in sorted(why):
        if name not in names:
            yield f'{PORTING}: a reason for {name}, which is not in {CUPY_NAMES}'
        elif name in functions:
            yield f'{PORTING}: a reason for {name}, but there is weft_{name}'


CHECKS = {'words': check_words, 'face': check_face, 'porting': check_porting}

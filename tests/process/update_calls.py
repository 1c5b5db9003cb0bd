#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests docs/update_calls.py on a program in the old form and on the table of CHANGELOG.md: update_calls.py ROOT
With --tree: on the whole tree, which has no call in the old form."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

OLD = r'''#include <weft/weft.h>
#define weft_sort(a, b, c, d) mine
/* weft_sort(&y, x, -1, 0) in a comment */
int main(void) {
  const char *text = "weft_sort(&y, x, -1, 0)";
  weft_sort(&y, x, -1, 0);
  if (weft_sort(&y, x, WEFT_EVERY_AXIS_OF(t), WEFT_DESCENDING) != WEFT_OK) return 1;
  WEFT_CHECK(weft_topk(&values, &places, pick(x, ")", ','), 10,
                       -1, WEFT_SMALLEST));
  rc = weft_argsort(&y, make(weft_argsort(&z, x, 0, WEFT_DESCENDING), table[a, b]), 0, 0u);
  rc = weft_sort_by_key(&k, &v, k, v, flags);
  rc = weft_sort(&y, x, -1);
}
'''
NEW = r'''#include <weft/weft.h>
#define weft_sort(a, b, c, d) mine
/* weft_sort(&y, x, -1) in a comment */
int main(void) {
  const char *text = "weft_sort(&y, x, -1)";
  weft_sort(&y, x, -1);
  if (weft_sort(&y, x, WEFT_EVERY_AXIS_OF(t), .descending = true) != WEFT_OK) return 1;
  WEFT_CHECK(weft_topk(&values, &places, pick(x, ")", ','), 10, -1, .smallest = true));
  rc = weft_argsort(&y, make(weft_argsort(&z, x, 0, .descending = true), table[a, b]), 0);
  rc = weft_sort_by_key(&k, &v, k, v, flags);
  rc = weft_sort(&y, x, -1);
}
'''


class Script:
    def __init__(self, root):
        self.path = root / 'docs/update_calls.py'

    def run(self, *words):
        return subprocess.run([sys.executable, self.path, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)

    def rewrite(self, text, *options):
        """The script's output text, its exit status and its messages."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'program.c'
            path.write_text(text, encoding='utf-8')
            done = self.run(*options, path)
            return path.read_text(encoding='utf-8'), done.returncode, done.stdout + done.stderr


def sample_problems(script):
    """Rewrites a whole program."""
    text, status, said = script.rewrite(OLD)
    if text != NEW or status != 0:
        yield f'the program becomes (status {status}):\n{text}{said}'
    if 'left as it is: weft_sort_by_key: flags `flags`' not in said:
        yield f'flags in a variable are not listed: {said}'
    again, _, _ = script.rewrite(text)
    if again != text:
        yield f'a second time changes it again:\n{again}'
    text, status, _ = script.rewrite(OLD, '--check')
    if text != OLD or status != 1:
        yield f'--check: status {status}' + (', and it writes' if text != OLD else '')
    text, _, _ = script.rewrite(OLD, '--only', 'weft_topk')
    if text.count('.descending') or '.smallest = true' not in text:
        yield f'--only weft_topk:\n{text}'


def table_problems(root, script):
    """Checks each row `old` | `new` of the changed calls that the script rewrites."""
    log = (root / 'CHANGELOG.md').read_text(encoding='utf-8')
    table = re.search(r'\| old \| new \|\n\|[-|]+\|\n((?:\|.*\n)+)', log)
    if not table:
        yield 'CHANGELOG.md: no table of changed calls'
        return
    count = 0
    for row in table[1].splitlines():
        cells = [re.findall(r'`([^`]+)`', cell) for cell in re.split(r'(?<!\\)\|', row)[1:3]]
        for old, new in zip(*cells) if len(cells) == 2 else ():
            text, _, _ = script.rewrite(old)
            if text == old or '...' in old + new:
                continue
            count += 1
            if ''.join(text.split()) != ''.join(new.split()):
                yield f'CHANGELOG.md says that `{old}` is now `{new}`; the script makes it `{text}`'
    print(f'{count} rows of the table')
    if count == 0:
        yield 'CHANGELOG.md: the script changes no call of the table'


def tree_problems(root, script):
    """Checks that the tree is in the new form; structs of headers_cxx.cpp look like old arguments."""
    files = [path for folder in ('src', 'tests', 'examples', 'docs') for path in sorted((root / folder).rglob('*'))
             if path.suffix in ('.c', '.h', '.cpp', '.hpp', '.md') and path.name != 'headers_cxx.cpp']
    done = script.run('--check', root / 'README.md', *files)
    if done.returncode != 0:
        yield f'calls of the old form:\n{done.stdout or done.stderr}'
    print(f'{len(files)} files of the tree')


def main():
    root = Path(sys.argv[1]).resolve()
    script = Script(root)
    problems = (list(tree_problems(root, script)) if '--tree' in sys.argv
                else [*sample_problems(script), *table_problems(root, script)])
    for problem in problems:
        print(problem)
    return 1 if problems else 0


sys.exit(main())

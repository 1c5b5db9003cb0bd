#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weft as a subproject: configures a project that uses it, which must get the library, but no tests or examples:
subproject.py ROOT MESON..."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PARENT = '''project('parent', 'c')
executable('parent', 'parent.c', dependencies: dependency('weft', fallback: 'weft'))
'''
PROGRAM = '''#include <weft/weft.h>
int main(void) { return weft_version()[0] == 0; }
'''


def main():
    root, meson = sys.argv[1], sys.argv[2:]
    bad = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / 'subprojects').mkdir()
        (folder / 'subprojects/weft').symlink_to(root)
        (folder / 'meson.build').write_text(PARENT, encoding='utf-8')
        (folder / 'parent.c').write_text(PROGRAM, encoding='utf-8')
        done = subprocess.run(meson + ['setup', '--wrap-mode=nodownload', folder / 'build', folder],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True)
        if done.returncode:
            print(done.stdout)
            return 1

        def read(what):
            return json.loads((folder / f'build/meson-info/intro-{what}.json').read_text(encoding='utf-8'))

        # a newer Meson also warns of the parent project
        bad += [line for line in done.stdout.splitlines() if 'WARNING' in line and 'subprojects/weft/' in line]
        for test in read('tests'):
            bad.append(f'the test {test["name"]}')
        for target in read('targets'):
            if any(part in ('tests', 'examples') for part in Path(target['defined_in']).parts[len(folder.parts):]):
                bad.append(f'the target {target["name"]}')
        if not any(target['name'] == 'weft' for target in read('targets')):
            bad.append('no library')
    if bad:
        print('\n'.join(bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())

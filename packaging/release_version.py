#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether all files that name the version agree with include/weft/version.h: CHANGELOG.md (its newest release, with a
date, and nothing under Unreleased), debian/ (changelog, names of packages), CITATION.cff (version, date-released) and
the tags. Prints a line for each that does not; exit status 1 if there was one: release_version.py [ROOT]"""
import re
import subprocess
import sys
from pathlib import Path


def read(path):
    return path.read_text(encoding='utf-8')


def first(pattern, text):
    found = re.search(pattern, text, flags=re.M)
    return found[1] if found else None


def problems(root):
    header = read(root / 'include/weft/version.h')
    numbers = [first(rf'#define WEFT_VERSION_{part} (\d+)', header) for part in ('MAJOR', 'MINOR', 'PATCH')]
    version = '.'.join(numbers)

    log = read(root / 'CHANGELOG.md')
    section = re.search(r'^## \[?(\d[\w.]*)\]? - (\d{4}-\d\d-\d\d)$', log, flags=re.M)
    date = section[2] if section else None
    if section is None:
        yield f'CHANGELOG.md: no released section, "## [{version}] - YYYY-MM-DD"'
    elif section[1] != version:
        yield f'CHANGELOG.md: the newest release is {section[1]}, version.h has {version}'
    unreleased = re.search(r'^## \[?Unreleased\]?\n(.*?)(?=^## |\Z)', log, flags=re.M | re.S)
    if unreleased and unreleased[1].strip():
        yield 'CHANGELOG.md: there are changes under Unreleased'

    package = first(r'^weft \(([^)]*)-[^)-]*\)', read(root / 'debian/changelog'))
    if package != version:
        yield f'debian/changelog: its newest entry is for {package}, version.h has {version}'
    library = f'libweft{numbers[0]}.{numbers[1]}'
    if f'Package: {library}\n' not in read(root / 'debian/control'):
        yield f'debian/control: no package {library}, the name that belongs to the soversion'
    for name in ('install', 'symbols'):
        if not (root / f'debian/{library}.{name}').exists():
            yield f'debian/{library}.{name} is not there'

    citation = read(root / 'CITATION.cff')
    cited = first(r'^version: *"?([^"\n]*)"?$', citation)
    if cited != version:
        yield f'CITATION.cff: version is {cited}, version.h has {version}'
    if date is not None and first(r'^date-released: *"?([^"\n]*)"?$', citation) != date:
        yield f'CITATION.cff: date-released is not {date}, the date in CHANGELOG.md'

    def git(*words):
        return subprocess.run(['git', '-C', str(root), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False).stdout.strip()
    tagged = git('rev-parse', '-q', '--verify', f'v{version}^{{commit}}')
    if tagged and tagged != git('rev-parse', 'HEAD'):
        yield f'the tag v{version} exists and is another commit: a released version does not change'


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    found = list(problems(root))
    print('\n'.join(found) or 'all agree')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())

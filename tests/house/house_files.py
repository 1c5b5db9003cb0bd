# SPDX-License-Identifier: MIT
"""Shared by the house rules: the project's files, tools or the reason to skip, C without comments, a library's
symbols."""

import os
import re
import shutil
import subprocess
from pathlib import Path

C_CODE = {'.c', '.h', '.cl', '.clh', '.cpp', '.hpp'}
CODE = C_CODE | {'.py', '.sh'}
BUILD_FILES = {'meson.build', 'meson.options', 'meson_options.txt'}
TEXT = CODE | {'.md', '.txt', '.supp', '.options', '.yml', '.wrap', '.svg'}


class Skip(Exception):
    """The check cannot run here; the message has the reason."""


def run(command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)


def tool(name):
    """The path of a tool; raises Skip if it is missing."""
    path = shutil.which(name)
    if path is None:
        raise Skip(f'{name} is not installed')
    return path


# ---- the files ----

def project_files(root):
    """Every file of the project, without build folders and fetched files."""
    listed = (run(['git', '-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'])
              if (root / '.git').exists() and shutil.which('git') else None)
    if listed is not None and listed.returncode == 0:
        # Hidden folders belong to the machine or an editor, except the CI's.
        names = [root / name for name in listed.stdout.split('\0') if name and
                 (not name.startswith('.') or '/' not in name or name.startswith('.ci/'))]
    else:
        names = []
        for folder, folders, files in os.walk(root):
            if 'build.ninja' in files:
                folders.clear()
                continue
            inside_subprojects = Path(folder).name == 'subprojects'
            folders[:] = [f for f in folders if (not f.startswith('.') or f == '.ci') and f != '__pycache__' and
                          (not inside_subprojects or f == 'packagefiles')]
            names += [Path(folder) / name for name in files]
    return sorted(path for path in names if path.is_file() and not path.is_symlink())


def is_script(path):
    if path.suffix:
        return False
    with open(path, 'rb') as stream:
        return stream.read(2) == b'#!'


def read_lines(path):
    return path.read_bytes().decode('utf-8').split('\n')


def strip_c(text):
    """C source without comments and without preprocessor lines."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/', ' ', text, flags=re.S)
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', '', text, flags=re.M)


def public_functions(root, folder='include/weft'):
    """Names declared with WEFT_API, each with its header."""
    names = {}
    for header in sorted((root / folder).glob('*.h')):
        for match in re.finditer(r'\bWEFT_API\b[^;{]*?\b(weft_\w+)\s*[(;\[]',
                                 strip_c(header.read_text(encoding='utf-8'))):
            names[match[1]] = header.name
    return names


def macros(root):
    """Names of the public headers' macros that look like calls."""
    text = ''.join(header.read_text(encoding='utf-8') for header in sorted((root / 'include/weft').glob('*.h')))
    return set(re.findall(r'^#define (weft_\w+)\(', text, flags=re.M))


def symbols(nm, library, *options, versions=False):
    """(member, name, type letter) of each symbol that nm lists; the member is the archive's, otherwise ''. With
    `versions` a name has its version: weft_sort@@WEFT_0.1."""
    listed = run([nm, *options, library])
    if listed.returncode != 0:
        raise SystemExit(f'{nm} {library}: {listed.stdout.strip()}')
    member = ''
    for line in listed.stdout.split('\n'):
        words = line.split()
        if line.endswith(':'):
            member = line[:-1]
        elif len(words) >= 2 and len(words[-2]) == 1:
            yield member, words[-1] if versions else words[-1].split('@')[0], words[-2]

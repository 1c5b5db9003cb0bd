#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An optional part that comes after a first configuration, and goes after the second: configured.py ROOT MESON...

The compiler is a script that does not find VkFFT's header while a file is absent. Each configuration of one build must
ask it again."""
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from staging import Wrong, must, run

COMPILER = '''#!/bin/sh
[ -e {folder}/here ] || for word; do
  case $word in *.c) ! grep -qs vkFFT.h "$word" || exit 1 ;; esac
done
exec {cc} "$@"
'''


def has_part(build):
    commands = json.loads((build / 'compile_commands.json').read_text(encoding='utf-8'))
    return any('-DWEFT__VKFFT' in command['command'] for command in commands)


def main():
    root, meson = Path(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        include, compiler, build = folder / 'include', folder / 'cc', folder / 'build'
        include.mkdir()
        (include / 'vkFFT.h').write_text('')
        compiler.write_text(COMPILER.format(folder=folder, cc=shutil.which(os.environ.get('CC', 'cc'))))
        compiler.chmod(0o755)
        environment = dict(os.environ, CC=str(compiler), CPATH=str(include))
        options = ['--wrap-mode=nodownload', '-Dtests=disabled', '-Dmpi=disabled']
        for state, reconfigure in (False, []), (True, ['--reconfigure']), (False, ['--reconfigure']):
            if state:
                (folder / 'here').touch()
            else:
                (folder / 'here').unlink(missing_ok=True)
            must(run([*meson, 'setup', *reconfigure, *options, build, root], env=environment))
            if has_part(build) != state:
                raise Wrong(f'with{"" if state else "out"} vkFFT.h, {meson} setup {reconfigure} says otherwise')
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Wrong as wrong:
        print(wrong)
        sys.exit(1)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles and runs the program in the README, and compares what it prints: check_readme.py README INCLUDE LIBRARY COMPILER..."""
import os
import re
import subprocess
import sys
import tempfile


def main():
    readme, include, library, compiler = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    with open(readme, encoding='utf-8') as stream:
        kernel, program = re.findall(r'^```c\n(.*?)^```$', stream.read(), re.MULTILINE | re.DOTALL)[:2]
    expected = re.search(r'weft_array_print\(.*\); /\* (.*) \*/', program).group(1)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (('saxpy.cl', kernel), ('saxpy.c', program)):
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as stream:
                stream.write(text)
        subprocess.run(compiler + ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', f'-I{include}', 'saxpy.c', library,
                                   f'-Wl,-rpath,{os.path.dirname(library)}', '-o', 'saxpy'], cwd=folder, check=True)
        done = subprocess.run(['./saxpy'], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    sys.stderr.write(done.stderr)
    if done.returncode == 1 and 'WEFT_ERROR_NO_DEVICE' in done.stderr:
        return 1 if os.environ.get('WEFT_TEST_STRICT') == '1' else 77
    if done.returncode != 0 or done.stdout != expected + '\n':
        print(f'exit status {done.returncode}, printed {done.stdout!r}, the README says {expected!r}')
        return 1
    print(expected)
    return 0


if __name__ == '__main__':
    sys.exit(main())

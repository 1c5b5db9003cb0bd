#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what the READMEs say about installing, in a staged prefix: readme.py ROOT BUILD PREFIX MESON...

The README has two ```sh blocks that compile its program: one installs system-wide (with ldconfig), one in $HOME/.local.
The test stages the installation in its own $HOME/.local and runs the second block without its meson line. Of the first
block it runs the compiler's line, with variables in place of root's rights, and asks pkg-config and the loader whether
they search that place. Then it compiles the examples as their README says, in a copy of their directory. Exit status
77: no device, no pkg-config, or a build with its own --libdir (a failure with WEFT_TEST_STRICT=1, as is no device)."""
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from staging import Missing, Wrong, blocks_of, install, must, only, run


def look_there(prefix, libdir):
    """Whether pkg-config and the loader, if they look anywhere in the prefix, look where the library would be."""
    paths = must(run(['pkg-config', '--variable', 'pc_path', 'pkg-config'])).strip().split(':')
    if any(path.startswith(f'{prefix}/lib') for path in paths) and f'{prefix}/{libdir}/pkgconfig' not in paths:
        raise Wrong(f'pkg-config does not look in {prefix}/{libdir}/pkgconfig, but in {paths}')
    ldconfig = shutil.which('ldconfig', path=os.environ.get('PATH', '') + ':/sbin:/usr/sbin')
    listed = re.findall(r'^(/[^:\n]*):', run([ldconfig, '-v', '-N', '-X']).stdout, re.MULTILINE) if ldconfig else []
    if any(path.startswith(f'{prefix}/') for path in listed) and f'{prefix}/{libdir}' not in listed:
        raise Wrong(f'the loader does not look in {prefix}/{libdir}, but in {listed}')


def check_examples(examples, folder, environment):
    """Compiles and runs vector_add and mandelbrot by the blocks' commands, and compiles the others likewise. Without
    libpng or libweft-mpi their parts are left out, as the README says."""
    blocks = [block for block in blocks_of((examples / 'README.md').read_text(encoding='utf-8'), 'sh')
              if 'pkg-config' in block]
    plain = only([block for block in blocks if 'vector_add' in block], 'commands for vector_add')
    drawing = only([block for block in blocks if 'mandelbrot' in block], 'commands for mandelbrot')
    ranks = only([block for block in blocks if 'heat_mpi' in block], 'commands for heat_mpi')
    has_png = run(['pkg-config', '--exists', 'libpng']).returncode == 0
    has_mpi = run(['pkg-config', '--exists', 'weft-mpi'], env=environment).returncode == 0
    if not has_png:
        drawing = drawing.replace(' libpng', '')
    shutil.copytree(examples, folder / 'examples')
    for source in sorted(examples.glob('*.c')):
        name, text = source.stem, source.read_text(encoding='utf-8')
        if not re.search(r'^int main\(', text, re.MULTILINE):
            continue
        block, other = plain, 'vector_add'
        if '#include "picture.h"' in text:
            block, other = drawing, 'mandelbrot'
        if '#include <weft/dist.h>' in text:
            block, other = ranks, 'heat_mpi'
            if not has_mpi:
                continue
        runs = name == 'vector_add' or (name == 'mandelbrot' and has_png)
        command = block if runs else block.replace(other, name).split(' && ')[0]
        printed = must(run(['sh', '-e', '-c', command], cwd=folder / 'examples', env=environment))
        if name == 'vector_add' and 'All 10000 elements equal' not in printed:
            raise Wrong(f'{command}\nprinted {printed}')
        if runs and name == 'mandelbrot' and not (folder / 'examples/mandelbrot.png').is_file():
            raise Wrong(f'{command}\nwrote no picture')


def check(root, build, prefix, meson, folder):
    readme = (root / 'README.md').read_text(encoding='utf-8')
    kernel, program = blocks_of(readme, 'c')[:2]
    expected = re.search(r'weft_array_print\(.*\); /\* (.*) \*/', program).group(1) + '\n'
    shells = [block for block in blocks_of(readme, 'sh') if 'pkg-config' in block]
    for_all = only([block for block in shells if 'ldconfig' in block], 'ways to install it for all')
    own = only([block for block in shells if '$HOME/.local' in block], 'ways to install it for oneself').split('\n', 1)
    if own[0] != 'meson configure build --prefix="$HOME/.local" && meson install -C build':
        raise Wrong(f'this test does not know how to stand for `{own[0]}`')

    home, work = folder / 'home', folder / 'work'
    home.mkdir()
    work.mkdir()
    (work / 'saxpy.cl').write_text(kernel, encoding='utf-8')
    (work / 'saxpy.c').write_text(program, encoding='utf-8')
    local = home / '.local'
    libdir = install(meson, build, prefix, folder / 'stage', local)
    if str(libdir) != 'lib':
        raise Missing(f'this build installs in {libdir}, the README is about lib: meson configure {build} --libdir=lib')
    environment = {name: value for name, value in os.environ.items()
                   if name not in ('LD_LIBRARY_PATH', 'PKG_CONFIG_PATH', 'LD_RUN_PATH')}
    environment['HOME'] = str(home)
    look_there(prefix, libdir)

    # the command finds its library beside itself
    loaded = must(run([local / 'bin/weft'], env=dict(environment, LD_TRACE_LOADED_OBJECTS='1')))
    if not re.search(rf'libweft\.so\S* => {re.escape(str(folder))}/', loaded):
        raise Wrong(f'the installed command does not find its library:\n{loaded}')
    must(run([local / 'bin/weft', '--version'], env=environment))

    compiler = only([line for line in for_all.split('\n') if 'pkg-config' in line], 'lines that compile')
    as_root = dict(environment, PKG_CONFIG_PATH=str(local / libdir / 'pkgconfig'), LD_LIBRARY_PATH=str(local / libdir))
    for text, variables in ((own[1], environment), (compiler, as_root)):
        done = run(['sh', '-e', '-c', text], cwd=work, env=variables)
        if done.returncode == 1 and 'WEFT_ERROR_NO_DEVICE' in done.stderr:
            raise Missing('no OpenCL device')
        if done.returncode or done.stdout != expected:
            raise Wrong(f'{text}\nexit status {done.returncode}, {done.stdout!r} and not {expected!r}\n{done.stderr}')
        os.unlink(work / 'saxpy')
    check_examples(root / 'examples', folder, as_root)
    print(expected, end='')


def main():
    root, build, prefix, meson = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    for tool in ('pkg-config', 'cc'):
        if shutil.which(tool) is None:
            print(f'{tool} is not installed')
            return 77
    with tempfile.TemporaryDirectory() as folder:
        try:
            check(root, build, prefix, meson, Path(folder).resolve())
        except Wrong as wrong:
            print(wrong)
            return 1
        except Missing as missing:
            print(missing)
            return 1 if os.environ.get('WEFT_TEST_STRICT') == '1' else 77
    return 0


if __name__ == '__main__':
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""Shared by the tests of an installed Weft: a staged prefix, commands that must succeed, the code of a document."""
import re
import shutil
import subprocess


class Wrong(Exception):
    pass


class Missing(Exception):
    pass


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, **more)


def must(done):
    if done.returncode:
        raise Wrong(f'{done.args}: exit status {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def blocks_of(readme, language):
    return re.findall(rf'^```{language}\n(.*?)^```$', readme, re.MULTILINE | re.DOTALL)


def only(found, what):
    if len(found) != 1:
        raise Wrong(f'the README has {len(found)} {what}, not one')
    return found[0]


def install(meson, build, prefix, stage, target):
    """Installs in `target` what the build installs in `prefix`. Only the prefix in the .pc file differs."""
    must(run(meson + ['install', '-C', build, '--no-rebuild', '--quiet', '--destdir', str(stage)]))
    shutil.move(f'{stage}{prefix}', str(target))
    found = only(list(target.glob('**/weft.pc')), 'files weft.pc')
    text = found.read_text(encoding='utf-8')
    if f'prefix={prefix}\n' not in text:
        raise Wrong(f'{found} does not begin with the prefix:\n{text}')
    found.write_text(text.replace(f'prefix={prefix}\n', f'prefix={target}\n'), encoding='utf-8')
    return found.parent.parent.relative_to(target)

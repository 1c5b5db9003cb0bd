#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program with more rights than its user reads no variable of Weft and loads no library that one names.

    tests/process/privileged.py PROGRAM LIBRARY ENVIRONMENT_H

PROGRAM is made from privileged_program.c beside this file, LIBRARY from loaded_mark.c; ENVIRONMENT_H has the table of
variables. Nobody runs a copy of PROGRAM and a set-group-ID one (PoCL's compiler asks for the rights of the real user,
who must be the effective one). Exits with 77 where the test is not root's, or where the copy gets no rights.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, LIBRARY, TABLE = map(os.path.abspath, sys.argv[1:4])
NOBODY = ('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups')


def skip(why):
    print('skipped:', why)
    sys.exit(77)


def run(folder, who, *words, **variables):
    """Runs a copy, in an environment without what the tests set for Weft."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith('WEFT_')}
    return subprocess.run([*NOBODY, os.path.join(folder, who), *words], cwd=folder,
                          env={**plain, 'HOME': folder, 'POCL_CACHE_DIR': os.path.join(folder, 'pocl'), **variables},
                          capture_output=True, text=True, timeout=300, check=False)


def said(done):
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def effects(folder, who):
    """What a run leaves behind whose variables name files and libraries."""
    here = os.path.join(folder, 'left by ' + who)
    make_open(here)
    mark, profile, cache = (os.path.join(here, name) for name in ('mark', 'trace.json', 'cache'))
    variables = {'WEFT_PROFILE': profile, 'WEFT_CACHE': '1', 'WEFT_CACHE_DIR': cache, 'WEFT_TRACE': '1',
                 'WEFT_TEST_MARK': mark, 'XDG_CACHE_HOME': os.path.join(here, 'home')}
    left = {}
    for name in ('WEFT_NVML', 'WEFT_CUDA_LIBRARY'):
        done = run(folder, who, 'compute', **variables, **{name: os.path.join(folder, 'mark.so')})
        assert said(done)['max'] == 99999, done
        left[name] = os.path.exists(mark)
        if left[name]:
            os.remove(mark)
    left.update(profile=os.path.exists(profile), cache=os.path.exists(cache), trace=bool(done.stderr))
    return left


def check(folder):
    rows = re.findall(r'^ *X\((\w+), \w+, "', open(TABLE, encoding='utf-8').read(), re.M)
    every = {'WEFT_' + row: 'nonsense' for row in rows}

    user = said(run(folder, 'user', **every))
    assert not user['secure'] and user['cache_folder'] and user['variables'], user
    assert sorted(user['obeyed']) == sorted(every) and user['rows'] == len(every), user
    assert run(folder, 'user', 'compute', **every).returncode != 0, 'nonsense is not an error'
    found = effects(folder, 'user')
    assert all(found.values()), found

    first = run(folder, 'privileged')
    if first.returncode or not said(first)['secure']:
        skip(f'a set-group-ID copy gets no rights here: {first.stdout or first.stderr}')
    done = run(folder, 'privileged', 'compute', **every)
    assert said(done) == {'secure': 1, 'rows': len(every), 'obeyed': [], 'cache_folder': 0, 'variables': 0,
                          'max': 99999}, done
    assert not done.stderr, done
    found = effects(folder, 'privileged')
    assert not any(found.values()), found
    assert not os.path.exists(os.path.join(folder, '.cache')), 'the cache of the home folder is used'


def make_open(folder):
    os.mkdir(folder)
    os.chmod(folder, 0o777)


def main():
    if os.geteuid() != 0:
        skip('only root makes a program with the rights of root\'s group')
    if not shutil.which('setpriv'):
        skip('setpriv is not here')
    with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:
        os.chmod(folder, 0o777)
        make_open(os.path.join(folder, 'pocl'))
        shutil.copy(LIBRARY, os.path.join(folder, 'mark.so'))
        for name, mode in (('user', 0o755), ('privileged', 0o2755)):
            shutil.copy(PROGRAM, os.path.join(folder, name))
            os.chown(os.path.join(folder, name), 0, 0)
            os.chmod(os.path.join(folder, name), mode)
        os.chmod(os.path.join(folder, 'mark.so'), 0o755)
        check(folder)
    print('a privileged program obeys no variable')


main()

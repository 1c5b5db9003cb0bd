#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the cache of built kernels between processes: a second one finds what the first built; sixteen at once; a
full disk, a read-only one; a process that is killed; the commands cache, prepare and pack.

    tests/process/cache.py PROGRAM WEFT INCLUDE LIBRARY

PROGRAM is made from cache_program.c beside this file, WEFT is the command; INCLUDE and LIBRARY are the folders of the
headers and of the shared library, with which a program with packed kernels is compiled. Disks are made in a mount
namespace (unshare); where that is not allowed the test is skipped with a message. Exits with 77 without a device.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

PROGRAM, WEFT, INCLUDE, LIBRARY = map(os.path.abspath, sys.argv[1:5])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'cache_program.c')
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Skip(Exception):
    """The test cannot run here."""


def environment(folder, **more):
    return {**os.environ, 'WEFT_CACHE': '1', 'WEFT_CACHE_DIR': folder, **more}


def result(done):
    """What a run printed; it must be right, and nothing may have been printed about a fault."""
    assert done.returncode == 0, done
    said = json.loads(done.stdout)
    assert said['sum'] == 9900 and said['builds'] >= 2, said
    return said


def run(folder, *words, command=(), **env):
    return result(subprocess.run([*command, PROGRAM, *words], env=environment(folder, **env), capture_output=True,
                                 text=True, timeout=300, check=False))


def files(folder):
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


@test
def a_second_process_builds_nothing(folder):
    first = run(folder)
    assert first['cached'] == first['hits'] == 0 and first['misses'] == first['builds'], first
    kept = files(folder)
    assert len(kept) == first['builds'] and all(re.fullmatch(r'[0-9a-f]{16}\.weft', name) for name in kept), kept
    numbers = {name: os.stat(os.path.join(folder, name)).st_ino for name in kept}  # a new file has another
    for words in [(), ('close',)]:
        again = run(folder, *words)
        assert again['cached'] == again['hits'] == again['builds'] and again['misses'] == 0, again
        assert numbers == {name: os.stat(os.path.join(folder, name)).st_ino for name in files(folder)}, 'written again'


@test
def the_driver_needs_no_cache_of_its_own(folder):
    run(folder)
    with tempfile.TemporaryDirectory() as empty:
        again = run(folder, POCL_CACHE_DIR=empty, CUDA_CACHE_DISABLE='1')
        assert again['cached'] == again['builds'], again


@test
def sixteen_at_once(folder):
    for _ in range(2):  # all miss, or race; all hit
        started = [subprocess.Popen([PROGRAM, *(['close'] * (k % 2))], env=environment(folder), stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True) for k in range(16)]
        ended = []
        for process in started:
            out, err = process.communicate(timeout=300)
            ended.append(result(subprocess.CompletedProcess([], process.returncode, out, err)))
        assert all(said['refused'] == 0 for said in ended), ended
    assert all(said['cached'] == said['builds'] for said in ended), ended
    assert not [name for name in files(folder) if not name.endswith('.weft')], files(folder)


@test
def a_killed_process_leaves_no_part_of_a_file(folder):
    started = subprocess.Popen([PROGRAM], env=environment(folder), stdout=subprocess.PIPE, text=True)
    started.stdout.readline()  # it ends now, and writes
    started.send_signal(signal.SIGKILL)
    started.wait(timeout=60)
    assert run(folder)['refused'] == 0
    again = run(folder)
    assert again['cached'] == again['builds'], again


def on_a_disk(folder, options, before=''):
    """Runs the program with the cache on a disk that is mounted with these options."""
    script = f'mount -t tmpfs -o size=16m none {folder} && {before} mount -o remount,{options} {folder} && '
    root = [] if os.geteuid() == 0 else ['--map-root-user']
    command = ['unshare', '--mount', *root, 'sh', '-c', f'{script} exec {PROGRAM}']
    try:
        done = subprocess.run(command, env=environment(folder), capture_output=True, text=True, timeout=99, check=False)
    except OSError as error:
        raise Skip(f'no disk can be made here: {error}') from error
    if re.search(r'unshare|mount', done.stderr):
        raise Skip(f'no disk can be made here: {done.stderr.strip()}')
    return result(done)


@test
def a_full_disk(folder):
    os.mkdir(folder, 0o700)
    with tempfile.TemporaryDirectory() as elsewhere:
        run(elsewhere)  # so that the driver has what it needs
        for room in ['8k', '64k']:
            said = on_a_disk(folder, f'size={room}', f'chmod 700 {folder} &&')
            assert said['cached'] == said['refused'] == 0, said


@test
def a_read_only_disk(folder):
    os.mkdir(folder, 0o700)
    with tempfile.TemporaryDirectory() as elsewhere:
        run(elsewhere)
        said = on_a_disk(folder, 'ro', f'chmod 700 {folder} &&')
        assert said['cached'] == 0, said
        said = on_a_disk(folder, 'ro', f'chmod 700 {folder} && cp {elsewhere}/*.weft {folder} &&')
        assert said['cached'] == said['builds'], said


# ---- the command ----


def weft(folder, *words, status=0, err='', **env):
    done = subprocess.run([WEFT, *words], env=environment(folder, **env), capture_output=True, text=True, timeout=300,
                          check=False)
    assert done.returncode == status and err in done.stderr, done
    return done.stdout


@test
def the_command_shows_and_clears(folder):
    run(folder)
    said = json.loads(weft(folder, 'cache', '--json'))
    assert said['is_on'] and said['folder'] == folder and said['files'] == len(files(folder)), said
    assert said['size_bytes'] == sum(os.stat(os.path.join(folder, name)).st_size for name in files(folder)), said
    assert weft(folder, 'cache').startswith(f"{folder}\n{said['files']} built programs, ")
    assert '0 built programs, 0 bytes' in weft(folder, 'cache', 'clear') and files(folder) == []
    assert 'not used: WEFT_CACHE is off' in weft(folder, 'cache', WEFT_CACHE='0')
    weft(folder, 'cache', 'empty', status=2, err='expected `weft cache` or `weft cache clear`')
    os.chmod(folder, 0o777)
    assert 'not used: the folder may be written by other users' in weft(folder, 'cache')
    weft(folder, 'cache', 'clear', status=1, err='there is no cache to clear')


@test
def noted_programs_are_prepared(folder):
    notes = folder + '-notes'
    first = run(notes)
    said = weft(folder, 'prepare', notes)
    assert files(folder) == files(notes) and said == f"{first['builds']} programs built: {folder}\n", said
    with tempfile.TemporaryDirectory() as empty:
        again = run(folder, POCL_CACHE_DIR=empty)
        assert again['cached'] == first['builds'], again
        # PoCL's own cache got the code with which the launches ran: it had nothing to compile
        made = [name for _, _, names in os.walk(empty) for name in names if name.endswith('.so')]
        kept = files(folder)
        times = [os.stat(os.path.join(folder, name)).st_mtime_ns for name in kept]
        run(folder, POCL_CACHE_DIR=empty)
        assert times == [os.stat(os.path.join(folder, name)).st_mtime_ns for name in kept], made
    assert weft(folder, 'prepare', notes).startswith('0 programs built')
    with open(os.path.join(notes, files(notes)[0]), 'r+b') as file:
        file.seek(200)
        file.write(b'?')
    weft(folder, 'prepare', notes, status=1, err='cannot be used: its file was changed')
    weft(folder, 'prepare', folder + '-none', status=1, err='cannot read the folder')
    weft(folder, 'prepare', notes, status=1, err='the cache is not used: WEFT_CACHE is off', WEFT_CACHE='0')


def compiled(folder, *sources):
    program = os.path.join(folder, 'packed')
    command = [os.environ.get('CC', 'cc'), '-std=gnu11', '-Wall', '-Wextra', '-Werror', *sources, '-o', program]
    done = subprocess.run([*command, f'-I{INCLUDE}', f'-L{LIBRARY}', '-lweft', f'-Wl,-rpath,{LIBRARY}'],
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done
    return program


@test
def packed_programs(folder):
    """Linked into a program outside of the tree: no cache, and no compiler for the same texts."""
    if not shutil.which(os.environ.get('CC', 'cc').split()[0]):
        raise Skip('there is no C compiler')
    notes, outside = folder + '-notes', folder + '-outside'
    os.mkdir(outside)
    first = run(notes)
    source = os.path.join(outside, 'kernels.c')
    weft(folder, 'pack', notes, '--output', source, err=f"{first['builds']} programs written to")
    weft(folder, 'pack', notes, '--output', source + '2', '--devices', 'none such', status=1, err='no program is for')
    weft(folder, 'pack', notes, status=2, err='expected --output')
    program = compiled(outside, SOURCE, source)
    env = environment(folder, WEFT_CACHE='0')
    said = result(subprocess.run([program], env=env, capture_output=True, text=True, timeout=300, check=False))
    assert said['packed'] == said['cached'] == said['builds'] == first['builds'], said
    said = result(subprocess.run([program], env={**env, 'WEFT_QUIRKS': 'no_fp64'}, capture_output=True, text=True,
                                 timeout=300, check=False))
    assert said['packed'] < said['builds'], said  # other texts: built from their sources


def main():
    with tempfile.TemporaryDirectory() as parent:
        if subprocess.run([PROGRAM], env=environment(os.path.join(parent, 'first')), capture_output=True, text=True,
                          check=False).returncode != 0:
            print('no device')
            return 77
    failed = skipped = 0
    for function in TESTS:
        parent = tempfile.mkdtemp()
        try:
            function(os.path.join(parent, 'cache'))
            print(f'ok {function.__name__}')
        except Skip as why:
            skipped += 1
            print(f'skipped {function.__name__}: {why}')
        except AssertionError as error:
            failed += 1
            print(f'FAILED {function.__name__}: {error}')
        finally:
            shutil.rmtree(parent)
    if skipped and os.environ.get('WEFT_TEST_STRICT') == '1':
        failed += skipped
    return 1 if failed else 0


sys.exit(main())

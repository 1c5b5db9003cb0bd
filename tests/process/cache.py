#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the cache of built kernels between processes: a second one finds what the first built; sixteen at once; a
full disk, a read-only one; a process that is killed.

    tests/process/cache.py PROGRAM

PROGRAM is made from cache_program.c beside this file. Disks are made in a mount namespace (unshare); where that is not
allowed the test is skipped with a message. Exits with 77 without a device.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
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
    assert said['sum'] == 9900 and said['builds'] >= 4, said
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
    times = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in kept}
    for words in [(), ('close',)]:
        again = run(folder, *words)
        assert again['cached'] == again['hits'] == again['builds'] and again['misses'] == 0, again
    assert times == {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in files(folder)}, 'written again'


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

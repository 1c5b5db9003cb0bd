#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `weft doctor`: a machine that works, and broken ones, each with its diagnosis, fix and exit status.

    tests/process/doctor.py WEFT DYING_DRIVER LOADING_DRIVER EMPTY_DRIVER OLD_LOADER

WEFT is the executable. The others are shared libraries made from dying_driver.c (twice; LOADING_DRIVER dies while it is
loaded), empty_driver.c and old_loader.c beside this file. Machines with other files in /dev, /proc, /sys or /etc are
made in a mount namespace (unshare); where that is not allowed these tests are skipped with a message. Exits with 77
without a device; under WEFT_TEST_STRICT=1 that is a failure, and so is a skipped test.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import sample

WEFT, DYING_DRIVER, LOADING_DRIVER, EMPTY_DRIVER, OLD_LOADER = map(os.path.abspath, sys.argv[1:6])
NOBODY = 65534
LOADER_VARIABLES = ('OCL_ICD_VENDORS', 'OCL_ICD_FILENAMES', 'OPENCL_VENDOR_PATH', 'POCL_CACHE_DIR')
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Skip(Exception):
    """The test cannot run here."""


class Diagnosis:
    """One run of `weft doctor --json`, in an environment and, with `script`, in a mount namespace after its lines."""

    def __init__(self, env=None, script=None, user=None, words=('--json',)):
        command = [WEFT, 'doctor', *words]
        if user:
            command = ['setpriv', f'--reuid={user}', f'--regid={user}', '--clear-groups', *command]
        if script is not None:
            # The build's rpath needs /proc, which a script may hide.
            lines = [*script, 'export LD_LIBRARY_PATH="$BUILT_LIBRARIES${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"',
                     'exec "$@"']
            root = [] if os.geteuid() == 0 else ['--map-root-user']
            command = ['unshare', '--mount', *root, 'sh', '-ec', '\n'.join(lines), 'sh', *command]
        libraries = os.path.join(os.path.dirname(os.path.dirname(WEFT)))
        whole = {**os.environ, 'BUILT_LIBRARIES': libraries, **(env or {})}
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
                                  env={name: value for name, value in whole.items() if value is not None},
                                  check=False)
        except OSError as error:
            raise Skip(f'{command[0]} cannot run here: {error}') from error
        if script is not None and re.search(r'unshare|mount|setpriv', done.stderr) and not done.stdout:
            raise Skip(f'no machine can be faked here: {done.stderr.strip()}')
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.whole = json.loads(self.out) if '--json' in words else None
        self.rows = self.whole['checks'] if self.whole else []

    def __str__(self):
        return f'weft doctor: status {self.status}\n--- out\n{self.out}--- err\n{self.err}---'

    def expect(self, check, state, text, cause='', fix=''):
        """There is a row of the check with this state whose text, cause and fix contain these words."""
        for row in self.rows:
            if (row['check'] == check and row['state'] == state and text in row['text']
                    and cause in '\n'.join(row['cause']) and fix in '\n'.join(row['fix'])):
                return self
        raise AssertionError(f'no row {check} {state}: {text!r}, cause {cause!r}, fix {fix!r}: {self}')

    def ends(self, status, verdict):
        assert self.status == status, f'expected status {status}: {self}'
        assert verdict in self.whole['verdict'], f'no {verdict!r} in the verdict: {self}'
        assert (status == 0) == (not self.states('failed') and self.whole['working'] > 0), str(self)
        assert self.err == '', str(self)
        return self

    def states(self, state):
        return [row['check'] for row in self.rows if row['state'] == state]


def vendors(folder, **libraries):
    """Writes vendor files NAME.icd; returns an environment in which they are the only ones."""
    for name, library in libraries.items():
        with open(os.path.join(folder, f'{name}.icd'), 'w', encoding='utf-8') as file:
            file.write(library)
    return {'OCL_ICD_VENDORS': folder, 'OCL_ICD_FILENAMES': None}


def pocl():
    """The library of PoCL's vendor file."""
    folder = os.environ.get('OCL_ICD_VENDORS') or '/etc/OpenCL/vendors'
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if 'pocl' in name:
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                return file.read().strip()
    raise Skip('there is no PoCL')


def needs_vendors():
    """Some loaders ignore OCL_ICD_VENDORS."""
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run([WEFT, 'devices'], env={**os.environ, 'OCL_ICD_VENDORS': folder}, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0:
            raise Skip('this OpenCL loader ignores OCL_ICD_VENDORS')


def needs_plain_machine():
    """Some tests count loaders, or pretend that there is no driver: they need one loader and no GPU of NVIDIA."""
    found = Diagnosis()
    if any(row['check'] == 'loaders' or row['check'] == 'nvidia' and row['state'] == 'ok' for row in found.rows):
        raise Skip('this machine has two loaders or a GPU of NVIDIA')


def loader():
    """The file of the loader that is used."""
    row = next(row for row in Diagnosis(env={'OCL_ICD_VENDORS': '/nonexistent/'}).rows if row['check'] == 'loader')
    assert row['state'] == 'ok', row
    return row['text'].split(' (')[0]


def other_user(folder):
    """A user without rights, who can run weft; 0: this user, who is not root."""
    if os.geteuid() != 0:
        return None
    os.chmod(folder, 0o755)
    try:
        subprocess.run([WEFT, 'version'], user=NOBODY, group=NOBODY, stdout=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise Skip(f'another user cannot run {WEFT}: {error}') from error
    return NOBODY


# ---- a machine that works ----


@test
def a_machine_that_works():
    """The plain form, and the JSON, have the same rows."""
    plain = Diagnosis(words=())
    assert plain.status == 0, str(plain)
    lines = plain.out.splitlines()
    assert re.fullmatch(r'Weft works on (\d+) of \1 devices?\.( Look at .*)?', lines[-1]) and lines[-2] == '', lines[-1]
    rows = [line for line in lines[:-2] if not line.startswith(' ' * 13)]
    for line in rows:
        assert re.match(r'.{12} (ok|-|warning) {2,}\S', line) and line[22] != ' ' and line[21] == ' ', line
    for step in ['context', 'kernel', 'add', 'memory']:
        assert any(re.match(f'  {step} +ok ', line) for line in rows), (step, plain.out)
    assert re.search(r'builds and runs in [\d.]+ m?s, again in [\d.]+ m?s', plain.out), plain.out
    assert re.search(r'programs use device \d+: ', plain.out), plain.out


# ---- broken ones ----


@test
def cuda():
    """On a device that shares no memory with CUDA the row has the reason, and is no warning. With the tests' stand-in
    for CUDA's library it is fine. If the driver dies of it, that is a warning."""
    standin = os.environ.get('WEFT_TEST_CUDA')
    if not standin:
        raise Skip('the tests have no stand-in for CUDA')
    Diagnosis().expect('cuda', 'not applicable', 'does not import')
    preloaded = {'LD_PRELOAD': standin, 'WEFT_CUDA_LIBRARY': standin}
    Diagnosis(env=preloaded).expect('cuda', 'ok', 'CUDA arrays')
    Diagnosis(env={**preloaded, 'WEFT_TEST_CUDA_CRASH_MIB': '1'}).expect('cuda', 'warning', 'fails', 'without .cuda')
    # large memory is tried in a child; what works is remembered, so that the row is gone then
    with tempfile.TemporaryDirectory() as folder:
        limited = {**preloaded, 'WEFT_QUIRKS': 'small_imports', 'XDG_CACHE_HOME': folder}
        for _ in range(2):
            Diagnosis(env={**limited, 'WEFT_TEST_CUDA_CRASH_MIB': '512'}).expect('large', 'ok', '510 MiB')
        Diagnosis(env=limited).expect('large', 'ok', 'any size')
        remembered = (pathlib.Path(folder) / 'weft' / 'large_imports').read_text()
        assert remembered.count('\n') == 1 and 'driver' in remembered, remembered
        assert all(row['check'] != 'large' for row in Diagnosis(env=limited).rows)


@test
def engines():
    """Each engine has a row, found or not, and no engine fails a machine."""
    found = Diagnosis()
    rows = [row for row in found.rows if row['check'] == 'engine']
    assert {row['text'].split(':')[0] for row in rows} >= {'cblas', 'lapack'}, str(found)
    assert all(row['state'] in ('ok', 'not applicable') for row in rows), str(found)
    for row in rows:
        assert row['state'] == 'ok' or re.search(r'(lib[\w-]+|CUDA toolkit) has it, for ', row['text']), row
    barred = Diagnosis(env={'WEFT_ENGINE': 'own'})
    for row in barred.rows:
        assert row['check'] != 'engine' or row['state'] != 'ok' or 'WEFT_ENGINE does not allow' in row['text'], row
    Diagnosis(env={'WEFT_ENGINE': 'cblas,blas'}).expect(
        'environment', 'failed', '`blas` is no engine; expected a list of own, cblas', fix='unset WEFT_ENGINE')


@test
def no_icd():
    needs_vendors()
    with tempfile.TemporaryDirectory() as folder:
        (Diagnosis(vendors(folder)).expect('driver', 'failed', 'no OpenCL driver is installed', folder, 'pocl')
         .expect('override', 'ok', f'OCL_ICD_VENDORS={folder}').ends(1, 'Weft finds no device'))
    (Diagnosis({'OCL_ICD_VENDORS': '/nonexistent/vendors'})
     .expect('override', 'failed', '/nonexistent/vendors', fix='unset OCL_ICD_VENDORS')
     .ends(1, 'Do first (override): unset OCL_ICD_VENDORS'))


@test
def no_icd_in_the_usual_folder():
    needs_plain_machine()
    if not os.path.isdir('/etc/OpenCL/vendors'):
        raise Skip('there is no /etc/OpenCL/vendors')
    (Diagnosis({name: None for name in LOADER_VARIABLES}, ['mount -t tmpfs none /etc/OpenCL/vendors'])
     .expect('driver', 'failed', 'no OpenCL driver is installed', '/etc/OpenCL/vendors', 'pocl')
     .ends(1, 'Do first (driver)'))


@test
def a_broken_icd():
    needs_vendors()
    with tempfile.TemporaryDirectory() as folder:
        env = vendors(folder, lost='libpocl-that-is-not-there.so.7', empty='', foreign='libc.so.6')
        os.symlink('nowhere', os.path.join(folder, 'link.icd'))
        lost = os.path.join(folder, 'lost.icd')
        run = Diagnosis(env)
        run.expect('vendor file', 'failed', f'{lost}: libpocl-that-is-not-there.so.7 does not load',
                   'cannot open shared object file', f"mv '{lost}' '{lost}.off'")
        run.expect('vendor file', 'failed', lost, fix='pocl')  # also the package of the driver
        run.expect('vendor file', 'failed', 'empty.icd names no library', fix="empty.icd'")
        run.expect('vendor file', 'failed', 'link.icd cannot be read', 'No such file')
        run.expect('vendor file', 'failed', 'libc.so.6 is no OpenCL driver', 'clIcdGetPlatformIDsKHR', 'mv ')
        run.expect('driver', 'failed', 'no driver is left').ends(1, 'Weft finds no device')


@test
def no_write_permission():
    needs_vendors()
    library = pocl()
    with tempfile.TemporaryDirectory() as folder:
        user = other_user(folder)
        caches, files = os.path.join(folder, 'caches'), os.path.join(folder, 'files')
        os.mkdir(files)
        os.mkdir(caches, 0o555)
        env = {**vendors(files, pocl=library), 'POCL_CACHE_DIR': caches, 'WEFT_DEVICE': None, 'HOME': folder}
        run = Diagnosis(env, user=user)
        run.expect('cache', 'failed', 'PoCL cannot keep compiled kernels', f'`{caches}` (Permission denied)',
                   'export POCL_CACHE_DIR=')
        run.ends(1, 'Do first (cache): export POCL_CACHE_DIR=')
        # a vendor file that only root may read
        if user:
            os.chmod(os.path.join(files, 'pocl.icd'), 0o600)
            run = Diagnosis(env, user=user)
            run.expect('vendor file', 'failed', 'cannot be read', 'Permission denied', 'chmod a+r')
            run.ends(1, 'Do first (vendor file)')


@test
def a_cache_that_others_may_write():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        env = {'WEFT_CACHE': '1', 'WEFT_CACHE_DIR': folder}
        Diagnosis(env).expect('cache', 'warning', f"Weft's: {folder} is not used", 'may be written by other users',
                              f"chmod 700 '{folder}'")
        os.chmod(folder, 0o700)
        Diagnosis(env).expect('cache', 'ok', f"Weft's: {folder}, 0 programs")
        Diagnosis({**env, 'WEFT_CACHE': '0'}).expect('cache', 'not applicable', "Weft's: WEFT_CACHE is off")


@test
def a_home_that_cannot_be_written():
    with tempfile.TemporaryDirectory() as folder:
        user = other_user(folder)
        home, caches = os.path.join(folder, 'home'), os.path.join(folder, 'caches')
        os.mkdir(caches, 0o777)
        os.chmod(caches, 0o777)
        os.mkdir(home, 0o555)
        env = {'HOME': home, 'XDG_CACHE_HOME': None, 'POCL_CACHE_DIR': caches, 'WEFT_CACHE': '1',
               'WEFT_CACHE_DIR': None}
        Diagnosis(env, user=user).expect('cache', 'warning', f"Weft's: {home}/.cache/weft is not used",
                                         'Permission denied', 'export WEFT_CACHE_DIR=')
        # a folder that was filled before
        kept = os.path.join(home, '.cache/weft')
        os.chmod(home, 0o755)
        os.makedirs(kept)
        for part in (kept, os.path.dirname(kept)):
            if user:
                shutil.chown(part, user)
            os.chmod(part, 0o500)
        Diagnosis(env, user=user).expect('cache', 'warning', f"Weft's: {kept}, 0 programs", 'no more can be stored',
                                         'export WEFT_CACHE_DIR=')


@test
def a_full_disk():
    needs_vendors()
    with tempfile.TemporaryDirectory() as folder:
        caches = os.path.join(folder, 'caches')
        os.mkdir(caches)
        run = Diagnosis({**vendors(folder, pocl=pocl()), 'POCL_CACHE_DIR': caches, 'WEFT_DEVICE': None},
                        [f'mount -t tmpfs -o size=2m none {caches}'])
        run.expect('cache', 'failed', 'PoCL cannot keep compiled kernels', 'too little free space', 'POCL_CACHE_DIR=')
        run.ends(1, 'Do first (cache)')


@test
def no_home():
    needs_vendors()
    with tempfile.TemporaryDirectory() as folder:
        env = vendors(folder, empty=EMPTY_DRIVER)
        Diagnosis({**env, 'HOME': None}).expect('home', 'warning', 'HOME is not set', fix='export HOME=')
        Diagnosis({**env, 'HOME': '/nonexistent'}).expect('home', 'warning', '/nonexistent', 'No such file',
                                                          'export HOME=')
        run = Diagnosis({**env, 'HOME': folder})
        assert 'home' not in run.states('warning'), str(run)
        run.expect('driver', 'warning', 'lists no device', 'no hardware').ends(1, 'Weft finds no device')


@test
def like_a_container():
    """NVIDIA's device files without its driver, with a driver that is not listed, and with one of another version."""
    needs_plain_machine()
    with tempfile.TemporaryDirectory() as folder:
        empty = {name: None for name in LOADER_VARIABLES}
        files = ['mount -t tmpfs none /dev', 'touch /dev/null /dev/nvidiactl /dev/nvidia0',
                 'mount -t tmpfs none /etc/OpenCL/vendors']
        container = {**empty, 'container': 'docker'}
        if subprocess.run(['sh', '-c', 'ldconfig -p | grep -q libnvidia-opencl'], check=False).returncode != 0:
            run = Diagnosis(container, files)
            run.expect('nvidia', 'failed', 'but not its OpenCL driver', 'libnvidia-opencl.so.1: cannot open',
                       'NVIDIA_DRIVER_CAPABILITIES=compute').ends(1, 'Do first (nvidia): start the container with')
            run.expect('access', 'warning', '/dev/nvidia-uvm is missing')
        else:
            print('like_a_container: NVIDIA\'s driver is installed')
        shutil.copy(EMPTY_DRIVER, os.path.join(folder, 'libnvidia-opencl.so.570.10'))
        os.symlink('libnvidia-opencl.so.570.10', os.path.join(folder, 'libnvidia-opencl.so.1'))
        line = 'echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd'
        here = {**container, 'LD_LIBRARY_PATH': folder}
        Diagnosis(here, files).expect('nvidia', 'failed', 'no vendor file names it', '', line).ends(1, line)
        listed = [*files, line]
        Diagnosis(here, listed).expect('nvidia', 'ok', 'is listed').expect('vendor file', 'ok', 'nvidia.icd')
        for version, state in [('570.10', 'ok'), ('580.159.04', 'failed')]:
            os.makedirs(os.path.join(folder, 'driver/nvidia'), exist_ok=True)
            with open(os.path.join(folder, 'driver/nvidia/version'), 'w', encoding='utf-8') as file:
                file.write(f'NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Mon Oct 1 2025\nGCC: 12\n')
            run = Diagnosis({**here, 'container': None}, [*listed, f'mount --bind {folder}/driver /proc/driver'])
            run.expect('nvidia', state, version)
            if state == 'failed':
                run.expect('nvidia', state, f'the kernel module has version {version}, the driver 570.10')


@test
def without_sys():
    needs_vendors()
    with tempfile.TemporaryDirectory() as folder:
        env = vendors(folder, pocl=pocl())
        run = Diagnosis(env, ['mount -t tmpfs none /sys'])
        run.expect('system', 'failed', '/sys is not mounted', 'PoCL', 'mount -t sysfs sysfs /sys')
        assert run.status == 1 or run.whole['working'], str(run)
    with tempfile.TemporaryDirectory() as folder:
        env = vendors(folder, empty=EMPTY_DRIVER)
        (Diagnosis(env, ['mount -t tmpfs none /proc'])
         .expect('system', 'warning', '/proc is not mounted', fix='mount -t proc proc /proc'))


@test
def no_access_to_the_device():
    with tempfile.TemporaryDirectory() as folder:
        user = other_user(folder)
        if not user:
            print('no_access_to_the_device: only root can make files that a user cannot open')
            return
        files = ['mount -t tmpfs none /dev', 'mknod /dev/null c 1 3', 'chmod 666 /dev/null', 'mkdir /dev/dri',
                 'touch /dev/nvidiactl /dev/nvidia0 /dev/dri/renderD128', 'chmod 660 /dev/nvidia* /dev/dri/*',
                 'chgrp video /dev/dri/renderD128']
        run = Diagnosis({'HOME': folder, **vendors(folder, empty=EMPTY_DRIVER)}, files, user)
        run.expect('access', 'failed', 'cannot open /dev/nvidia', 'mode 660, group root', 'chmod a+rw /dev/nvidia')
        run = Diagnosis({'HOME': folder, **vendors(folder, empty=EMPTY_DRIVER)}, [*files, 'rm /dev/nvidia*'], user)
        run.expect('access', 'warning', 'cannot open /dev/dri/renderD128', 'mode 660, group video',
                   'usermod -aG video nobody')


@test
def an_old_loader():
    with tempfile.TemporaryDirectory() as folder:
        old = shutil.copy(OLD_LOADER, os.path.join(folder, 'libOpenCL.so.1'))
        run = Diagnosis({'LD_LIBRARY_PATH': folder})
        run.expect('loader', 'failed', f'{old} is too old: OpenCL 1.1; Weft needs 1.2', 'clEnqueueFillBuffer',
                   'unset LD_LIBRARY_PATH')
        run.expect('driver', 'not applicable', 'the loader does not work').ends(1, 'Do first (loader)')


@test
def no_loader():
    """The folder of the loader is replaced by one with links to all its files, except the loader."""
    needs_plain_machine()
    file = loader()
    place = os.path.dirname(file)
    with tempfile.TemporaryDirectory() as folder:
        lines = [f'mount -t tmpfs none {folder}', f'mkdir {folder}/old {folder}/new',
                 f'mount --bind {place} {folder}/old', f'ln -s {folder}/old/* {folder}/new',
                 f'rm {folder}/new/libOpenCL.so.*', f'mount --bind {folder}/new {place}']
        run = Diagnosis(script=lines)
    run.expect('loader', 'failed', 'the OpenCL loader libOpenCL.so.1 is missing', 'No such file', 'install')
    run.ends(1, 'Do first (loader)')
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'libOpenCL.so.1'), 'w', encoding='utf-8') as junk:
            junk.write('no library')
        run = Diagnosis({'LD_LIBRARY_PATH': folder})
        other = subprocess.run([WEFT, 'limits'], env={**os.environ, 'LD_LIBRARY_PATH': folder}, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, check=False)
    assert other.returncode == 1 and 'no OpenCL loader' in other.stderr and '`weft doctor`' in other.stderr, other
    run.expect('loader', 'failed', 'libOpenCL.so.1 does not load', 'file too short').ends(1, 'Do first (loader)')


@test
def a_driver_that_dies():
    needs_vendors()
    library = pocl()
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, 'bad.icd')
        run = Diagnosis({**vendors(folder, bad=DYING_DRIVER, pocl=library), 'WEFT_DEVICE': None})
        run.expect('driver', 'failed', f'{DYING_DRIVER} fails while it lists its devices', 'signal 6', f"mv '{bad}'")
        run.expect('driver', 'ok', library).expect('memory', 'ok', '')
        run.ends(1, 'without the driver that fails. Do first (driver): ').ends(1, f"mv '{bad}' '{bad}.off'")
        (Diagnosis(vendors(folder, bad=LOADING_DRIVER, pocl=EMPTY_DRIVER))
         .expect('vendor file', 'failed', f'loading {LOADING_DRIVER} ends the process', 'signal 6', f"mv '{bad}'")
         .expect('driver', 'warning', 'lists no device').ends(1, 'Weft finds no device'))


@test
def two_loaders():
    needs_plain_machine()
    file = loader()
    with tempfile.TemporaryDirectory() as folder:
        second = shutil.copy(file, os.path.join(folder, 'libOpenCL.so.1'))
        run = Diagnosis({'LD_LIBRARY_PATH': folder, **vendors(folder, empty=EMPTY_DRIVER)})
        run.expect('loaders', 'warning', '2 files libOpenCL.so.1', f'{second} is used, not ', 'unset LD_LIBRARY_PATH')
        run.expect('loader', 'ok', second)
        run = Diagnosis({'LD_LIBRARY_PATH': f'{folder}:/nonexistent', **vendors(folder, empty=EMPTY_DRIVER)})
        run.expect('loaders', 'warning', '2 files', fix=f'take {folder} out of LD_LIBRARY_PATH')


@test
def a_compiler_without_its_parts():
    """PoCL calls the linker, and reads headers: without them no kernel builds."""
    needs_vendors()
    with tempfile.TemporaryDirectory() as folder:
        env = {**vendors(folder, pocl=pocl()), 'PATH': '/nonexistent', 'WEFT_DEVICE': None}
        run = Diagnosis(env)
        if run.status == 0:
            raise Skip('this PoCL needs no linker')
        run.expect('kernel', 'failed', 'the driver fails in this step: killed by signal', '"ld"', 'binutils')
        run.ends(1, 'Weft works on 0 of 1 device')


@test
def wrong_variables():
    run = Diagnosis({'WEFT_POOL': 'on', 'WEFT_CHUNK': 'much', 'WEFT_DEVCE': '1'})
    run.expect('environment', 'warning', 'WEFT_DEVCE', 'WEFT_DEVICE may be meant', 'unset WEFT_DEVCE')
    run.expect('environment', 'failed', 'WEFT_POOL is `on`', fix='unset WEFT_POOL')
    run.expect('environment', 'failed', 'WEFT_CHUNK is `much`', fix='unset WEFT_CHUNK')
    run.expect('memory', 'ok', '').ends(1, 'Do first (environment): unset WEFT_')


def main():
    strict = os.environ.get('WEFT_TEST_STRICT') == '1'
    if subprocess.run([WEFT, 'limits'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        print('no device')
        return 1 if strict else 77
    failed = skipped = 0
    tests = sample.of(TESTS)
    for function in tests:
        try:
            function()
        except Skip as reason:
            skipped += 1
            print(f'{function.__name__}: skipped: {reason}')
        except AssertionError as error:
            failed += 1
            print(f'{function.__name__}: {error}')
    print(f'{len(tests)} tests, {failed} failed, {skipped} skipped')
    return 1 if failed or (strict and skipped) else 0


if __name__ == '__main__':
    sys.exit(main())

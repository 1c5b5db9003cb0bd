#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs programs under Oclgrind, an OpenCL device that checks kernels, and fails on any finding: accesses outside a
buffer, data races, reads of values that were never written. First it proves that it finds mistakes: it must find those
planted beside this file.

  oclgrind.py [--oclgrind PATH] [--kernels FOLDER] --planted DRIVER -- [NAME=VALUE...] PROGRAM [ARGUMENT...] [-- ...]

Oclgrind always exits 0; findings are in its log. Exit status: 0 no findings, 1 findings, 77 no Oclgrind."""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

SKIP = 77
TIMEOUT_S = 900
OPTIONS = ['--inst-counts', '--max-errors', '200']
# Each program runs with one of two checks, chosen by the seed, or with --both. Oclgrind 21.10 crashes in its check of
# uninitialised values on some sound kernels (three-component vectors). The other check then runs, with a message; a
# crash in it is a failure.
BOUNDS, VALUES = '--data-races', '--uninitialized'
# Kernels are built without optimisation, except where a program asks for it (OPTIMISED): without it Oclgrind 21.10
# cannot build inlined functions that return structures; with it Oclgrind wrongly reports uninitialised values, so only
# accesses and races are checked there. So are programs with ACCESSES, which free many buffers: Oclgrind wrongly reports
# the values in a buffer that got the number of a freed one.
OPTIMISED = 'OCLGRIND_BUILD_OPTIONS='
ACCESSES = 'CHECKS=accesses'
# A program with this word runs in one of five runs, chosen by the seed, or with WEFT_TEST_SHARE=1 in each. That every
# kernel has run is checked if all runs of the program that calls them were chosen.
SOMETIMES = 'RUNS=sometimes'
EVERY_KERNEL = 'every_kernel'
HERE = Path(__file__).resolve().parent
# Kernels that need not run: they need arrays too large for Oclgrind, or more local memory than it has (weft_nth_rows,
# weft_quantile_rows), or, weft_leaf_... and weft_extremum_..., MPI's ranks. The suites run them on PoCL.
LEFT_OUT = {'weft_race', 'weft_reduce_finish', 'weft_scan_sums', 'weft_scan_columns_sums', 'weft_leaf_scan',
            'weft_leaf_scan_columns', 'weft_leaf_totals', 'weft_extremum_best', 'weft_extremum_own',
            'weft_nth_rows', 'weft_quantile_rows'}
# The planted file, the check that must find it, and the expected finding; None: no finding.
PLANTED = [
    ('planted_sound.cl', BOUNDS, None),
    ('planted_sound.cl', VALUES, None),
    ('planted_overrun.cl', BOUNDS, 'Invalid write'),
    ('planted_race.cl', BOUNDS, 'data race'),
    ('planted_uninitialised.cl', VALUES, 'uninitialized'),
]


def findings(log):
    """The findings of a log, with their counts: "Invalid write of size 4 in saxpy, line 5: y[i] = 1;"."""
    counts = Counter()
    for entry in re.split(r'\n(?=\S)', '\n' + log):
        lines = [line.strip() for line in entry.strip().split('\n')]
        if not lines[0] or lines[0].startswith('Oclgrind: '):
            continue
        title = re.sub(r' (?:at|to) (\w+) memory address 0x[0-9a-f]+', r' (\1 memory)', lines[0])
        kernel = next((line.split(':', 1)[1].strip() for line in lines if line.startswith('Kernel:')), None)
        places = [f'{line.rstrip(":")}: {after}' for line, after in zip(lines, lines[1:] + [''])
                  if line.startswith('At line')]
        counts[title + (f'\n    in kernel {kernel}' if kernel else '') +
               ''.join(f'\n    {place}' for place in places)] += 1
    return counts


class Oclgrind:
    def __init__(self, path, folder):
        self.path = path
        self.folder = Path(folder)
        self.kernels = Counter()

    def run(self, check, command, options=OPTIONS):
        """Exit status, findings and output of a command. The kernels that ran are added to self.kernels. Words
        NAME=VALUE before the command go to its environment."""
        first = next(i for i, word in enumerate(command) if not re.match(r'[A-Z_]+=', word))
        settings, command = dict(word.split('=', 1) for word in command[:first]), command[first:]
        log = self.folder / 'log'
        log.write_text('')
        environment = dict(os.environ, CK_FORK='no', WEFT_TEST_SHARE='9', WEFT_POOL='off', WEFT_DEVICE='oclgrind',
                           WEFT_TEST_DEVICE='oclgrind', OCLGRIND_BUILD_OPTIONS='-cl-opt-disable')
        environment.update(settings)
        process = subprocess.run([self.path, check, *options, '--log', str(log), *command], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment, errors='replace',
                                 timeout=TIMEOUT_S, check=False)
        ran = re.findall(r"^Instructions executed for kernel '(\w+)'", process.stdout, flags=re.M)
        # elementwise kernels are named weft_map_add and so on; in cl/map all have one name
        self.kernels.update('weft_map' if name.startswith('weft_map_') else name for name in ran)
        return process.returncode, findings(log.read_text(errors='replace')), process.stdout


def check_planted(oclgrind, driver):
    """The planted mistakes must be found, and the sound kernel must have no findings."""
    failures = 0
    for name, check, expected in PLANTED:
        status, found, output = oclgrind.run(check, [driver, str(HERE / name)])
        if expected is None:
            good = not found
        else:
            good = any(expected in finding for finding in found)
        if status != 0 or not good:
            failures += 1
            print(f'FAILED: {name} {check}: exit status {status}, expected {expected!r}, found {dict(found)}\n{output}')
    print(f'planted: {len(PLANTED)} runs, {failures} judged wrongly')
    return failures


def check_program(oclgrind, command, checks):
    name = ' '.join(Path(word).name for word in command)
    failures = 0
    checks = list(checks) if command[0] not in (OPTIMISED, ACCESSES) else [BOUNDS]
    for check in checks:
        before, start = sum(oclgrind.kernels.values()), time.monotonic()
        try:
            status, found, output = oclgrind.run(check, command)
        except subprocess.TimeoutExpired:
            print(f'FAILED: {name} {check}: not done after {TIMEOUT_S} s')
            return failures + 1
        # its counter of instructions, of some kernels of vectors
        if (status == -signal.SIGABRT or (status == -signal.SIGSEGV and check == BOUNDS)) and not found:
            print(f'{name} {check}: Oclgrind died, again without its counts')
            status, found, output = oclgrind.run(check, command, OPTIONS[1:])
        for finding, count in found.most_common():
            print(f'FOUND in {name}, {count} times: {finding}')
        if check == VALUES and status == -signal.SIGSEGV and not found:
            print(f'{name} {check}: Oclgrind died, not checked')
            checks += [BOUNDS] if BOUNDS not in checks else []
            continue
        print(f'{name} {check}: exit status {status}, {sum(oclgrind.kernels.values()) - before} kernels, '
              f'{sum(found.values())} findings, {time.monotonic() - start:.1f} s')
        if status != 0:
            print('\n'.join(output.split('\n')[-40:]))
        failures += int(status != 0 or bool(found))
    return failures


def kernel_names(folder):
    """The names after __kernel in the kernel files."""
    names = set()
    for path in sorted(folder.rglob('*.cl')):
        names.update(re.findall(r'\b(?:__)?kernel\s+void\s+(\w+)\s*\(', path.read_text(encoding='utf-8')))
    return names


def main():
    own, *rest = split(sys.argv[1:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--oclgrind', default='oclgrind')
    parser.add_argument('--kernels', type=Path,
                        help='a folder of .cl files, each kernel of which must have run')
    parser.add_argument('--planted', required=True, help='the program that runs a planted kernel')
    parser.add_argument('--both', action='store_true', help='run both checks of each program')
    parser.add_argument('--seed', type=int, default=random.SystemRandom().randrange(1 << 31),
                        help=f'selects the programs with {SOMETIMES} that run; default: random')
    args = parser.parse_args(own)
    path = shutil.which(args.oclgrind)
    if path is None:
        print(f'SKIP: {args.oclgrind} is not installed')
        return SKIP
    if not rest:
        parser.error('no program to run')
    print(f'seed {args.seed}')
    chosen = random.Random(args.seed)
    whole = os.environ.get('WEFT_TEST_SHARE') == '1'
    programs = rest
    rest = [[word for word in command if word != SOMETIMES] for command in rest
            if SOMETIMES not in command or whole or chosen.random() < 1 / 5]
    is_complete = runs_of(EVERY_KERNEL, rest) == runs_of(EVERY_KERNEL, programs)
    with tempfile.TemporaryDirectory() as folder:
        oclgrind = Oclgrind(path, folder)
        failures = check_planted(oclgrind, args.planted)
        oclgrind.kernels.clear()
        for command in rest:
            failures += check_program(oclgrind, command,
                                      (BOUNDS, VALUES) if args.both else [chosen.choice((BOUNDS, VALUES))])
    if args.kernels is not None:
        names = kernel_names(args.kernels) - LEFT_OUT
        for name in sorted(names - oclgrind.kernels.keys()) if is_complete else []:
            failures += 1
            print(f'FAILED: kernel {name} did not run')
        print(f'{len(names & oclgrind.kernels.keys())} of {len(names)} kernels ran')
    return 1 if failures else 0


def runs_of(program, commands):
    return sum(Path(word).name == program for command in commands for word in command)


def split(words):
    """The words between "--" and "--"."""
    parts = [[]]
    for word in words:
        if word == '--':
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs an example and checks what it prints, line by line: check_output.py NAME PROGRAM [OPTION VALUE]...

NAME is an example, or `usage`, which checks --help and wrong usage (exit status 0 and 2) without any device.
Exit status: 0 right, 1 wrong, 77 when the device is not there. With WEFT_TEST_STRICT=1 in the environment that is 1 too, unless with
WEFT_TEST_ANY=1 there is another device.
"""
import os
import re
import subprocess
import sys

SECONDS = r'(\d+(?:\.\d+)?(?:e[-+]\d\d+)?)'
TIME = r'(\d+\.\d)'


class Lines:
    """The lines not yet accounted for. A mismatch raises."""

    def __init__(self, text):
        self.lines = text.split('\n')
        if self.lines.pop() != '':
            raise ValueError('the last line does not end')
        self.number = 0

    def next(self):
        if self.number == len(self.lines):
            raise ValueError('the output ends too early')
        self.number += 1
        return self.lines[self.number - 1]

    def exactly(self, *expected):
        for line in expected:
            found = self.next()
            if found != line:
                raise ValueError(f'line {self.number} is {found!r}, not {line!r}')

    def like(self, pattern):
        found = self.next()
        match = re.fullmatch(pattern, found)
        if not match:
            raise ValueError(f'line {self.number} is {found!r}, not like {pattern!r}')
        return match

    def end(self):
        if self.number != len(self.lines):
            raise ValueError(f'line {self.number + 1} is too much: {self.lines[self.number]!r}')


def power(exponent):
    return 1 << exponent


def number(text):
    base, caret, exponent = text.partition('^')
    return int(base) ** int(exponent) if caret else int(base)


def near(a, b, slack, what):
    if abs(a - b) > slack:
        raise ValueError(f'{what}: {a} and {b} do not go together')


def vector_add(lines, options):
    n, block, seed = options.get('-n', 10000), options.get('--block', 32), options.get('--seed', 1)
    if n > 1000:
        value = r'\d\.\d*'
        text = lines.like(rf'\[{value} +{value} +{value} +\.\.\. {value} +{value} +{value} *\]').group()
        if (n, seed) == (10000, 1) and text != '[1.182519   1.0284972  0.7354923  ... 0.10472266 0.8045718  1.0624366 ]':
            raise ValueError(f'{text} is not what NumPy prints for seed 1')
    else:
        text = ''
        while not text.endswith(']'):
            text += lines.like(r'[\[ ]\d.*').group()
        values = [float(v) for v in text.strip('[]').split()]
        if len(values) != n or not all(0 <= v < 2 for v in values):
            raise ValueError(f'not {n} sums of two numbers from [0, 1)')
    lines.exactly(f"All {n} elements equal the host's sums (grid {-(-n // block)}, block {block}, seed {seed}).")


def thread_index(lines, options):
    grid, block = options.get('--grid', 2), options.get('--block', 4)
    threads = [(b, t) for b in range(grid) for t in range(block)]
    for name, values in (('threadIdx', [t for _, t in threads]), ('blockIdx', [b for b, _ in threads]),
                         ('blockDim', [block for _ in threads]), ('gridDim', [grid for _ in threads])):
        lines.exactly(*[f'{name}: {value}' for value in values], '')
    lines.exactly('Each row a block, each column a thread, each cell (blockIdx,threadIdx):')
    if lines.next().split() != ' '.join(f'thread {t}' for t in range(block)).split():
        raise ValueError(f'line {lines.number} does not number the threads')
    for b in range(grid):
        if lines.next().split() != ['block', str(b)] + [f'({b},{t})' for t in range(block)]:
            raise ValueError(f'line {lines.number} is not block {b}')


def select_device(lines, options):
    """Whether the example says that it selected the device."""
    device = options.get('--device', 1)
    said = lines.like(rf'select_device\({device}\): (.+)').group(1)
    wish = os.environ.get('WEFT_DEVICE', '')
    if wish:
        if said != f'not done, WEFT_DEVICE asks for "{wish}"':
            raise ValueError(f'{said!r} does not say that WEFT_DEVICE goes first')
        return False
    if not said.startswith('not done'):
        return True
    if not re.fullmatch(r'not done, (this machine has \d+ devices?, numbered from 0|that is a .+ \(.+\), and device \d+ is a .+ \(.+\))', said):
        raise ValueError(f'{said!r} does not say why')
    return False


def launch_limits(lines, options):
    refused, exponent, block = options.get('--refused', 50), options.get('--exponent', 30), options.get('--block-exponent', 10)

    def success(block_exponent):
        name = lines.like(rf'gpu\[2\^{exponent}, 2\^{block_exponent}\] on (.+)').group(1)
        lines.exactly('Running Success!')
        lines.like(r'\d+\.\d{3} s')
        lines.exactly('')
        return name

    lines.exactly(f'gpu[2^{refused}, 1]')
    error = lines.like(rf'WEFT_ERROR_LAUNCH_LIMIT: weft_launch: empty: grid\.x is {power(refused)}, over the limit of (\d+) on (.+)')
    if not power(exponent) <= int(error.group(1)) < power(refused):
        raise ValueError(f'the limit {error.group(1)} is no reason')
    lines.like(r'  called from .*launch_limits\.c:\d+')
    lines.like(r'Refused after \d+\.\d{3} ms\.')
    lines.exactly('')
    if {error.group(2), success(0), success(block)} != {error.group(2)}:
        raise ValueError('not all on one device')
    if select_device(lines, options):
        success(block)


def gpu_add(lines, options):
    n, iterations = power(options.get('--exponent', 20)), options.get('--iterations', 100)
    counted = iterations - 1
    select_device(lines, options)
    lines.exactly('The error between weft and host is:  0.0')
    weft_s = float(lines.like(rf'The time cost of weft is: {SECONDS}s').group(1))
    host_s = float(lines.like(rf'The time cost of host is: {SECONDS}s').group(1))
    lines.exactly('', 'The document times the call that enqueues the launch and does not wait for the device; so does the weft line above. Apart:')
    enqueue_us = float(lines.like(rf'  enqueue +{TIME} us   until the call returns \(average of {counted}\)').group(1))
    wall_us = float(lines.like(rf'  wall +{TIME} us   until the device has finished').group(1))
    host_us = float(lines.like(rf'  host +{TIME} us   the same sums on the host, by one thread').group(1))
    near(1e6 * weft_s / counted, enqueue_us, 0.1, 'the cost of weft and of an enqueue')
    near(1e6 * host_s / counted, host_us, 0.1, 'the cost of host and of an addition')
    if wall_us < enqueue_us:
        raise ValueError('the device finished before the launch')
    lines.like(rf'Once, before that: building the kernel {TIME} ms, its first launch {TIME} ms\.')
    lines.like(r'\(Some drivers .*\)')
    lines.like(r'The document claims 0\.0187 s .* 189 us for each')
    lines.exactly('enqueue; how long its GPU worked after that, it does not say.')
    lines.exactly('')
    lines.like(rf'Two grids for {n} elements on .+, us per launch, average of {counted} in a row:')
    lines.like(r' +grid x block +enqueue +device +wall')
    for name, grid, block in (("the document's", n, 4), ('one that fits', -(-n // 256), 256)):
        match = lines.like(rf'  {name} +{grid} x {block} +{TIME} +{TIME} +{TIME}')
        enqueue_us, device_us, wall_us = (float(v) for v in match.groups())
        if wall_us < enqueue_us or device_us <= 0:
            raise ValueError(f'line {lines.number}: these times do not go together')


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)


def may_skip(error):
    """Whether it is no failure that the device is not there."""
    if os.environ.get('WEFT_TEST_STRICT') != '1':
        return True
    return os.environ.get('WEFT_TEST_ANY') == '1' and 'no OpenCL device found' not in error


def check_usage(program):
    for arguments, status, where, text in ((['--help'], 0, 'stdout', 'Usage: '), (['--nonsense'], 2, 'stderr', '--nonsense'),
                                           (['stray'], 2, 'stderr', 'stray')):
        done = run([program] + arguments)
        if done.returncode != status or text not in getattr(done, where):
            raise ValueError(f'{arguments}: exit status {done.returncode}, {done.stdout!r}, {done.stderr!r}')
    options = re.findall(r'^  (-\S+) +.*\(default \d+\)$', run([program, '--help']).stdout, re.MULTILINE)
    if not options:
        raise ValueError('--help names no option')
    for option in options:
        for value in ([], ['x'], ['-1'], ['2^'], ['2^64'], ['18446744073709551616']):
            done = run([program, option] + value)
            if done.returncode != 2 or option not in done.stderr or done.stdout:
                raise ValueError(f'{option} {value}: exit status {done.returncode}, {done.stdout!r}, {done.stderr!r}')


def main():
    name, program, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    try:
        if name == 'usage':
            check_usage(program)
            return 0
        done = run([program] + arguments)
        sys.stdout.write(done.stdout)
        sys.stdout.flush()
        sys.stderr.write(done.stderr)
        if done.returncode == 1 and 'WEFT_ERROR_NO_DEVICE' in done.stderr:
            return 77 if may_skip(done.stderr) else 1
        if done.returncode != 0:
            raise ValueError(f'exit status {done.returncode}')
        if done.stderr:
            raise ValueError('the example wrote to stderr')
        lines = Lines(done.stdout)
        options = dict(zip(arguments[::2], map(number, arguments[1::2])))
        {'vector_add': vector_add, 'thread_index': thread_index, 'launch_limits': launch_limits, 'gpu_add': gpu_add}[name](lines, options)
        lines.end()
    except ValueError as error:
        print(f'check_output: {name}: {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())

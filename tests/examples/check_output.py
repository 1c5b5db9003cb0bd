#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs an example and checks its output, line by line: check_output.py NAME PROGRAM [OPTION VALUE]...

NAME is an example; or `usage`, which checks --help and wrong usage (exit status 0 and 2) without any device; or
`interrupt`, which checks long_job after Ctrl-C. Exit status: 0 right, 1 wrong, 77 if the device is missing or lacks the
fp64 that the example needs. With WEFT_TEST_STRICT=1 in the environment, 77 becomes 1, unless WEFT_TEST_ANY=1 and
another device exists.
"""
import math
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

import check_linalg
import check_tables

SECONDS = r'(\d+(?:\.\d+)?(?:e[-+]\d\d+)?)'
TIME = r'(\d+\.\d)'


class Lines:
    """The lines not yet checked. A mismatch raises an exception."""

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
        of_numpy = '[1.182519   1.0284972  0.7354923  ... 0.10472266 0.8045718  1.0624366 ]'
        if (n, seed) == (10000, 1) and text != of_numpy:
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
    """Whether the example printed that it selected the device."""
    device = options.get('--device', 1)
    said = lines.like(rf'select_device\({device}\): (.+)').group(1)
    wish = os.environ.get('WEFT_DEVICE', '')
    if wish:
        if said != f'WEFT_DEVICE goes first, and asks for "{wish}"':
            raise ValueError(f'{said!r} does not say that WEFT_DEVICE goes first')
        return False
    if said.startswith('done, '):
        return True
    if not re.fullmatch(r'with \d+ devices? here, device \d+ is used|as that is a .+ \(.+\), device \d+ is used, a .+ '
                        r'\(.+\)', said):
        raise ValueError(f'{said!r} does not say what is used')
    return False


def launch_limits(lines, options):
    refused, exponent = options.get('--refused', 50), options.get('--exponent', 30)
    block = options.get('--block-exponent', 10)

    def success(block_exponent):
        name = lines.like(rf'gpu\[2\^{exponent}, 2\^{block_exponent}\] on (.+)').group(1)
        lines.exactly('Running Success!')
        lines.like(r'\d+\.\d{3} s')
        lines.exactly('')
        return name

    lines.exactly(f'gpu[2^{refused}, 1]')
    error = lines.like(rf'WEFT_ERROR_LAUNCH_LIMIT: weft_launch: empty: grid\.x is {power(refused)}, over the limit of '
                       rf'(\d+) on (.+)')
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
    lines.exactly('b += a, after gpu_add.py of the article "Basic Python implementation of GPU acceleration" '
                  '(numba.cuda)')
    select_device(lines, options)
    lines.like(rf'{n} numbers added to as many, {iterations} times, on .+')
    lines.exactly('The error between weft and host is:  0.0')
    weft_s = float(lines.like(rf'The time cost of weft is: {SECONDS}s').group(1))
    host_s = float(lines.like(rf'The time cost of host is: {SECONDS}s').group(1))
    if lines.lines[lines.number].startswith('(This device'):
        lines.exactly("(This device is the host's own CPU: the times show the method, not what a GPU gains.)")
    lines.exactly('', f'For one addition, average of {counted}:')
    enqueue_us = float(lines.like(rf'  enqueue +{TIME} us   until the launch returns').group(1))
    wall_us = float(lines.like(rf'  wall +{TIME} us   until the device has finished').group(1))
    host_us = float(lines.like(rf'  host +{TIME} us   the same sums on the host, by one thread').group(1))
    near(1e6 * weft_s / counted, wall_us, 0.1, 'the cost of weft and of an addition on the device')
    near(1e6 * host_s / counted, host_us, 0.1, 'the cost of host and of an addition')
    if wall_us < enqueue_us:
        raise ValueError('the device finished before the launch')
    lines.like(rf'Once, before that: building the kernel {TIME} ms, its first launch {TIME} ms\.')
    lines.like(r'The article reports 0\.0187 s .*')
    lines.like(r'the launch returns: 0\.0187 s / 99 is 189 us .*')
    lines.exactly('', 'The first call, ms:')
    lines.like(r'  the kernel is +build +first launch')
    new_ms = float(lines.like(rf'  new to the driver +{TIME} +{TIME}').group(1))
    lines.like(rf'  kept by the driver +{TIME} +{TIME}')
    if new_ms <= 0:
        raise ValueError('building a new kernel took no time')
    lines.exactly('')
    lines.like(rf'Two grids for {n} elements on .+, us per launch, average of {counted} in a row:')
    lines.like(r' +grid x block +enqueue +device +wall')
    for name, grid, block in (('one that fits', -(-n // 256), 256), ("the article's", n, 4)):
        match = lines.like(rf'  {name} +{grid} x {block} +{TIME} +{TIME} +{TIME}')
        enqueue_us, device_us, wall_us = (float(v) for v in match.groups())
        if wall_us < enqueue_us or device_us <= 0:
            raise ValueError(f'line {lines.number}: these times do not go together')
    lines.like(r'\(The article launches a block of 4 threads for each number: .+\)')


TIMEIT = (r'(\d+(?:\.\d+)?(?:e\+\d\d)?) (s|ms|µs|ns) ± \S+ (?:s|ms|µs|ns) per loop \(mean ± std\. dev\. of (\d+) '
          r'runs?, ([\d,]+) loops? each\)')
TEN = '[ 0.  3.  6.  9. 12. 15. 18. 21. 24. 27.]'


def add_ufunc(lines, options):
    n, runs, loops = options.get('-n', 100000), options.get('--runs', 7), options.get('--loops', 1000)

    def timed(cell):
        lines.exactly(f'%timeit {cell}')
        match = lines.like(TIMEIT)
        if int(match[3]) != runs or loops and int(match[4].replace(',', '')) != loops:
            raise ValueError(f'line {lines.number} does not say {runs} runs, {loops} loops')
        lines.exactly('')
        return float(match[1]) * {'s': 1e9, 'ms': 1e6, 'µs': 1e3, 'ns': 1}[match[2]]

    host = timed('add_ufunc(x, y) # Baseline performance with host arrays')
    lines.like(rf'f32\[{n}\] on .+, contiguous, {4 * n} bytes')
    lines.exactly(f'({n},)', 'f32', '')
    device = timed('add_ufunc(x_device, y_device)')
    direct = timed("add_ufunc(x_device, y_device) # without Weft's pool")
    out = timed('add_ufunc(x_device, y_device, out=out_device)')
    us = r'(\d+\.\d\d) us'
    best = [float(v) for v in lines.like(rf'The fastest runs: {us}, {us}, {us} without the pool, {us}').groups()]
    for fastest, mean in zip(best, (host, device, direct, out)):
        if fastest > 1e-3 * mean * 1.01 + 0.01:
            raise ValueError(f'the fastest run, {fastest} us, took longer than the mean, {mean} ns')
    host, device, direct, out = best
    ratio = lines.like(r'host : device : out = (\d+\.\d\d) : (\d+\.\d\d) : 1 \(in the notebook 3\.03 : 1\.17 : 1\)')
    rounded = 0.02 + 0.005 / out  # the times have two decimals
    near(float(ratio[1]), host / out, 0.01 + rounded * host / out, 'the first ratio and the times')
    near(float(ratio[2]), device / out, 0.01 + rounded * device / out, 'the second ratio and the times')
    adds = lines.like(r"A new output adds (-?\d+\.\d\d) us to a call if the driver makes it, (-?\d+\.\d\d) us if it "
                      r"comes from Weft's pool .*")
    near(float(adds[1]), direct - out, 0.02, 'the cost of an output from the driver')
    near(float(adds[2]), device - out, 0.02, 'the cost of an output from the pool')
    lines.like(r'A value near 0, .+')
    lines.exactly('', TEN, '')
    lines.exactly(f"{{'shape': ({n},),", " 'typestr': '<f4',", " 'descr': [('', '<f4')],")
    lines.like(r" 'data': \([1-9]\d*, False\),")
    lines.exactly(" 'version': 0}", '', TEN, '')
    timed('add_ufunc(x_cl, y_cl, out=out_cl)')


class NumpyRandom:
    """NumPy's generator after np.random.seed(seed): Python's, except for the seeding."""

    def __init__(self, seed):
        key = [seed]
        for i in range(1, 624):
            key.append((1812433253 * (key[-1] ^ key[-1] >> 30) + i) & 0xffffffff)
        self.generator, self.normal = random.Random(), None
        self.generator.setstate((3, tuple(key) + (624,), None))

    def rand(self):
        return self.generator.random()

    def randn(self):
        normal, self.normal = self.normal, None
        while normal is None:
            x1, x2 = 2.0 * self.rand() - 1.0, 2.0 * self.rand() - 1.0
            r2 = x1 * x1 + x2 * x2
            if 0.0 < r2 < 1.0:
                f = math.sqrt(-2.0 * math.log(r2) / r2)
                normal, self.normal = f * x2, f * x1
        return normal


def numpy_randn_f32(seed, count):
    generator = NumpyRandom(seed)
    return [float_of(generator.randn()) for _ in range(count)]


def float_of(x):
    return struct.unpack('f', struct.pack('f', x))[0]


def read_array(lines):
    """The numbers of a printed array, up to its closing bracket; None if it is summarised."""
    text = lines.like(r'\[.*').group()
    while not text.endswith(']'):
        text += lines.like(r' .*').group()
    return None if '...' in text else [float(value) for value in text.strip('[]').split()]


def array_exp(lines, options):
    length, calls, seed = options.get('-l', 5), options.get('--calls', 1000), options.get('--seed', 1)
    for _ in ('host', 'device'):
        values = read_array(lines)
        if (values is None) != (length > 1000):
            raise ValueError('summarised, or not, where NumPy does otherwise')
        # Each output starts with the values of every shorter one: the numbers do not depend on the length.
        for k, (value, x) in enumerate(zip(values or [], numpy_randn_f32(seed, length))):
            exact = math.exp(x)
            ulp = 2.0 ** (math.frexp(exact)[1] - 24)
            # A printed number is within half a unit of its last digit, and 3 ULP are allowed.
            near(float_of(value), exact, 3.01 * ulp, f'element {k} of the {_}')
        if values is not None and len(values) != length:
            raise ValueError(f'{len(values)} values, not {length}')
    worst = lines.like(r'Off the exact exponential by at most (\d+\.\d{3}) ULP on the host, (\d+\.\d{3}) on the '
                       r'device\.')
    near(float(worst[2]), 0, 3, 'the ULP')
    lines.exactly('')
    host_s, device_s, copied_s = (float(lines.like(SECONDS)[1]) for _ in range(3))
    timed = options.get('--timed', '(?:100000|1000000)')
    lines.like(rf'Seconds of {calls} calls on {timed} numbers: the host, by one thread; the device, the result left '
               r'there; the device, from host memory and back\.')
    times = lines.like(r'The device is (\S+) times as fast as the host, (\S+) times with the copies\. '
                       r'\(The article: 26\.13 s and 3\.47 s, 7\.53 times\.\)')
    near(float(times[1]), host_s / device_s, 0.01 * host_s / device_s, 'the times as fast')
    near(float(times[2]), host_s / copied_s, 0.01 * host_s / copied_s, 'the times as fast with copies')


def broadcast(lines, options):
    advice = ''
    while lines.lines[lines.number].startswith('advice: '):
        advice += lines.next() + '\n'
    for part in ('copies 32 bytes of `a` from the host', 'copies 32 bytes of `out` back to the host'):
        if part not in advice or advice.count('weft_usage_get') != advice.count('\n'):
            raise ValueError(f'the advice does not say {part!r}: {advice}')
    lines.exactly('', 'a + b', '[11 22 33 44]', 'b + c', '[[10 21 32 43]', ' [14 25 36 47]', ' [18 29 40 51]',
                  ' [22 33 44 55]]', '', 'a[:3] + c')
    lines.exactly('WEFT_ERROR_SHAPE: weft_add: `a` is i64[3], `b` is i64[4,4]: they differ in axis 1 of the longer one '
                  '(shapes are aligned at the last axis)', '')
    small = int(lines.like(r'4 copies in, 2 back, (\d) of 2 launches too small for the device\.')[1])
    if (small > 0) != ('launches add with ' in advice):
        raise ValueError(f'{small} small launches do not go with the advice: {advice}')


def keep_on_device(lines, options):
    n = int(lines.like(r'sqrt\(2 \* x \+ 1\) of (\d+) floats, host memory to host memory, for one pass \(of the '
                       r'fastest run\):')[1])
    if n != options.get('-n', 1 << 20):
        raise ValueError(f'{n} elements')
    lines.like(r' +bytes in +bytes back +unasked +launches +us')
    times, in_place = [], False
    for name, copies, unasked, launches in (('by way of the host', 3, 6, 3), ('kept on the device', 1, 0, 3),
                                            ('one kernel', 1, 0, 1)):
        row = lines.like(rf'  {name} +(\d+) +(\d+) +(\d+) +{launches} +{TIME}')
        moved = [int(row[k]) for k in (1, 2, 3)]
        if unasked and 4 * n >= 1 << 20 and moved == [0, 0, 0]:
            in_place = True  # PoCL uses host memory in place
        elif moved != [4 * n * copies, 4 * n * copies, unasked]:
            raise ValueError(f'{name} moved {moved}')
        times.append(float(row[4]))
    lines.exactly('(unasked: copies that a call made itself, because it was given host memory)')
    if in_place:
        lines.like(r'This CPU device uses host memory of this size in place: .+')
        lines.like(r'there are none to save by keeping the data on the device\. .+')
        return
    told = lines.like(r'Kept on the device the three operations take (\d+\.\d\d) of the time by way of the host, as '
                      r'one kernel (\d+\.\d\d)\.')
    for k in (1, 2):
        near(float(told[k]), times[k] / times[0], 0.006 + 0.1 / times[0] * (1 + times[k] / times[0]),
             'the times and what is told of them')


def intensity(lines, options):
    exponent, most_steps = options.get('--exponent', 20), options.get('--steps', 256)
    lines.like(rf'Rising work per element: {power(exponent)} floats, on .+')
    lines.like(r' +steps +flop/byte +device us +GB/s +GFLOP/s +host us +times')
    steps = 1
    while steps <= most_steps:
        intensity_, device_us, gb, gflop, host_us, times = (
            float(v) for v in lines.like(rf' +{steps} +' + r' +'.join([r'(\d+\.\d+)'] * 6)).groups())
        near(intensity_, steps / 4, 0.006, 'the steps and the operations per byte')
        near(gb, 8e-3 * power(exponent) / device_us, 0.01 + 0.01 * gb + 0.1 * gb / device_us, 'GB/s and the time')
        near(gflop, gb * steps / 4, 0.01 + 0.01 * steps, 'GFLOP/s and GB/s')
        steps *= 4
    for wanted in (2, 64):
        lines.exactly('', f'Rising size: {min(wanted, most_steps)} steps for each element, us')
        lines.like(r' +elements +host +device +copies alone +with copies')
        rows = [[float(v) for v in lines.like(rf' +{power(e)} +{TIME} +{TIME} +{TIME} +{TIME}').groups()]
                for e in range(8, exponent + 1, 2)]
        largest = power(range(8, exponent + 1, 2)[-1])
        for what in ('Data on the device', 'Data on the host, copies counted'):
            lines.like(rf'  {what}: the device (overtakes the host at \d+|does not overtake the host up to {largest}) '
                       rf'elements\.')
    lines.like(r'')
    lines.like(r'The host is one thread of plain C\. .+')
    lines.exactly('for the host.')


def many_steps(lines, options):
    bodies, steps = options.get('--bodies', 2048), options.get('--steps', 100)
    lines.exactly(f'{bodies} bodies, {steps} steps')
    lines.like(r' +builds +launches +bytes in +bytes back +allocations +s')
    row = -(-bodies // 8) * 8 * 4  # bytes
    lines.like(rf'  set up +1 +2 +{7 * row} +{row} +5 +\d+\.\d{{3}}')
    lines.like(r'  the first step +[12] +4 +0 +0 +0 +\d+\.\d{3}')
    launches = 4 * (steps - 1)  # less two where the calling thread computes few elements before the first launch
    lines.like(rf'  all later steps +0 +(?:{launches}|{launches - 2}) +0 +0 +0 +\d+\.\d{{3}}')
    lines.like(r'\d+\.\d\d million pairs of bodies each second')
    before, after, change = lines.like(r'energy (-?\d\.\d{6}) before, (-?\d\.\d{6}) after: changed by (\d\.\de-\d\d) '
                                       r'of itself').groups()
    near(abs(float(after) / float(before) - 1), float(change), 2e-6 / abs(float(before)) + 0.06 * float(change),
         'the energies and their change')


def long_job(lines, options):
    side, steps, leg, start = [options.get(name, value)
                               for name, value in (('--side', 512), ('--steps', 1000), ('--leg', 100), ('--from', 0))]
    lines.exactly(f'{side} x {side} cells, steps {start} to {steps}')
    # a line for each leg except the last, which has no wait of its own
    for step in range(start // leg * leg + leg, (steps // leg) * leg, leg):
        share = re.escape(f'{100 * step / steps:.1f}%')
        lines.like(rf'step {step} of {steps}, {share}, after {TIME} s; {TIME} s left')
    mean, hottest = map(float, lines.like(rf'{steps} steps: mean (\d\.\d{{4}}), hottest ({SECONDS})').groups()[:2])
    # all columns are equal: computes one of them, in double
    column = [float(i < (side + 3) // 4) for i in range(side)]
    near(mean, sum(column) / side, 1e-4, 'the heat')
    for _ in range(steps):
        column = [here + 0.2 * (column[i - 1] + column[(i + 1) % side] - 2 * here) for i, here in enumerate(column)]
    near(hottest, max(column), 1e-4, 'the hottest cell')


def philox4x32(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & 0xffffffff, p >> 32 ^ c[3] ^ k[1], p & 0xffffffff]
        k = [k[0] + 0x9E3779B9 & 0xffffffff, k[1] + 0xBB67AE85 & 0xffffffff]
    return c


def monte_carlo_pi(lines, options):
    n, seed = options.get('-n', power(24)), options.get('--seed', 1)
    lines.exactly(f'seed    {seed}')
    inside = int(lines.like(rf'points  {n}, of which (\d+) inside').group(1))
    if (n, seed) == (power(24), 1) and inside != 13174248:
        raise ValueError(f'{inside} points are inside, not 13174248')
    if n <= 10000:
        words = [w for j in range(n // 2 + 1) for w in philox4x32((j, 0, 0, 0), (seed & 0xffffffff, seed >> 32))]
        x = [struct.unpack('f', struct.pack('f', w))[0] for w in words]
        squares = [struct.unpack('f', struct.pack('f', v * v))[0] for v in x]
        # fma rounds values up to half a unit above to 2^64
        expected = sum(int(x[2 * i]) ** 2 + int(squares[2 * i + 1]) <= power(64) + power(40) for i in range(n))
        if inside != expected:
            raise ValueError(f'{inside} points are inside, not {expected}')
    lines.exactly(f'pi      {4 * inside / n:.12f}')
    spread = math.sqrt(math.pi * (4 - math.pi) / n)
    lines.exactly(f'error   {4 * inside / n - math.pi:+.12f}, where {spread:.12f} is to be expected')
    near(4 * inside / n, math.pi, 5 * spread, 'pi')
    lines.like(r'time    \d+\.\d{3} ms on .+: \d+\.\d\d points a nanosecond')


def larger_than_memory(lines, options):
    n, budget = options.get('-n', 2 ** 20), options.get('--budget', 1)
    lines.exactly(f'{n} numbers, {n * 4 / 2 ** 20:.1f} MiB in a file; {budget} MiB of the device\'s memory.')
    rest = r'; \d+\.\d{3} s, \d+\.\d\d GB/s'
    row = lines.like(r'numbers  mean +(\d+\.\d{5}), standard deviation +(\d\.\d{5})' + rest)
    near(float(row[1]), 21.5, 0.01, 'the mean')
    near(float(row[2]), 3 / math.sqrt(12), 0.01, 'the standard deviation')
    lines.like(r'normal   read, computed and written in \d+\.\d{3} s, \d+\.\d\d GB/s')
    row = lines.like(r'normal   mean +(-?\d\.\d{5}), standard deviation +(\d\.\d{5})' + rest)
    near(float(row[1]), 0, 0.0001, 'the mean')
    near(float(row[2]), 1, 0.0001, 'the standard deviation')
    peak = float(lines.like(r'On the device were (\d+\.\d\d) MiB at most\.')[1])
    near(peak, budget / 2, budget / 2, 'the memory')
    lines.exactly('Mean and standard deviation are those of plain C.')


def histogram(lines, options):
    n, bins, seed = options.get('-n', 1000000), options.get('--bins', 16), options.get('--seed', 1)
    lines.exactly(f'{n} normal numbers, seed {seed}, in {bins} bins:')
    rows = [lines.like(r' +(-?\d+\.\d{3}) to +(-?\d+\.\d{3}) +(\d+)  (#*)') for _ in range(bins)]
    counts = [int(row[3]) for row in rows]
    for k, row in enumerate(rows):
        near(float(row[1]), -4 + 8 * k / bins, 0.001, 'an edge')
        near(float(row[2]), -4 + 8 * (k + 1) / bins, 0.001, 'an edge')
        near(len(row[4]), 50 * counts[k] // max(counts + [1]), 0, 'a bar and its count')
        expected = n * (math.erf(float(row[2]) / math.sqrt(2)) - math.erf(float(row[1]) / math.sqrt(2))) / 2
        near(counts[k], expected, 6 * math.sqrt(expected) + 6, 'how many numbers there are and should be')
    outside = int(lines.like(r'  outside +(\d+)')[1])
    near(sum(counts) + outside, n, 0, 'all numbers')
    lines.exactly('', f'{n} dice:')
    faces = [int(lines.like(rf'  {k} +(\d+)')[1]) for k in range(1, 7)]
    near(sum(faces), n, 0, 'all dice')
    for face in faces:
        near(face, n / 6, 6 * math.sqrt(n / 6) + 6, 'a face')
    lines.exactly('The bins are what plain C counts.')


def k_means(lines, options):
    n, k = options.get('-n', 100000), options.get('-k', 5)
    seed, rounds = options.get('--seed', 1), options.get('--rounds', 10)
    lines.exactly(f'{n} points around {k} places, seed {seed}, {rounds} rounds:')
    lines.like(r' +centre x +y +points +off by')
    rows = [[float(v) for v in lines.like(r' +(-?\d+\.\d{3}) +(-?\d+\.\d{3}) +(\d+) +(\d+\.\d{3})').groups()]
            for _ in range(k)]
    near(sum(row[2] for row in rows), n, 0, 'all points')
    for row in rows:
        near(row[3], 0, 0.6 / math.sqrt(n / k) + 0.001, 'a centre and its place')
    mean = float(lines.like(r'Mean squared distance from the nearest centre: (\d\.\d{4}) \(the points were made with '
                            r'0\.0200\)\.')[1])
    if rounds > 1:
        near(mean, 0.02, 0.2 / math.sqrt(n), 'the mean squared distance')
        lines.like(r'Each further round: \d+\.\d launches, 0 bytes copied\.')


def scopes(lines, options):
    n, rounds = options.get('-n', 1000), options.get('--rounds', 10)
    lines.exactly(f'Square roots of {n} numbers, {rounds} rounds of three calls that each make an array.')
    lines.exactly('Arrays alive in each round,')
    # x, the quotients, the sums, and the previous root beside the new one
    lines.exactly('  with one scope around all: ' + ''.join(f' {3 + 2 * r:3}' for r in range(1, rounds + 1)))
    lines.exactly('  with one for each round:   ' + '   3' * rounds)
    lines.exactly('What the second way has left: nothing changed')
    worst = float(lines.like(r'The largest error is (\d\.\de[+-]\d\d) of the root\.')[1])
    if rounds >= 10:
        near(worst, 0, 1e-6, 'the largest error')


def record_replay(lines, options):
    steps = options.get('--steps', 100)
    for what in ('The recorded string', 'Another, by WEFT_BIND'):
        lines.exactly(f'{what}: {steps} steps, displacements add up to 1.000.')
    lines.exactly('A step of the string from the file: the same elements.')


def several_devices(lines, options):
    n, begin = options.get('-n', 2 ** 20), 0
    while begin < n:
        begin = 1 + int(lines.like(rf'values {begin} to (\d+) from device \d+, .+ \(copied .+\)')[1])
    near(float(lines.like(r'[2-8] contexts; pi is about (\d\.\d{4})')[1]), math.pi, 2e-4 if n > 100 else 2e-3, 'pi')


def standardise(lines, options):
    lines.exactly('means              2.500  250.000    0.625',
                  'means after        0.000    0.000    0.000',
                  'deviations         1.000    1.000    1.000',
                  'as a value: weft_add: `a` is f64[4,3], `b` is f64[2]: they differ in axis 1 of the longer one '
                  '(shapes are aligned at the last axis)',
                  'as an exception: weft_mean: axis 2 was asked for; the array has 2 axes, so expected -2 to 1')


EXAMPLES = [vector_add, thread_index, launch_limits, gpu_add, add_ufunc, array_exp, broadcast, keep_on_device,
            intensity, many_steps, long_job, monte_carlo_pi, histogram, k_means, scopes, record_replay,
            larger_than_memory, several_devices, standardise, *check_linalg.EXAMPLES, *check_tables.EXAMPLES]


def run(command):
    """Runs in a folder of its own: two runs of an example at once may write files of the same name."""
    program, *arguments = command
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([os.path.abspath(program), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, cwd=folder)


def may_skip(error):
    """Whether a missing device is accepted."""
    if os.environ.get('WEFT_TEST_STRICT') != '1':
        return True
    return os.environ.get('WEFT_TEST_ANY') == '1' and 'no OpenCL device found' not in error


def check_usage(program):
    for arguments, status, where, text in ((['--help'], 0, 'stdout', 'Usage: '),
                                           (['--nonsense'], 2, 'stderr', '--nonsense'),
                                           (['stray'], 2, 'stderr', 'stray')):
        done = run([program] + arguments)
        if done.returncode != status or text not in getattr(done, where):
            raise ValueError(f'{arguments}: exit status {done.returncode}, {done.stdout!r}, {done.stderr!r}')
    told = run([program, '--help']).stdout
    options, files = re.findall(r'^  (-\S+) +.*\(default \d+\)$', told, re.MULTILINE), told.count(' FILE ')
    if len(options) + files + 1 != len(re.findall(r'^  -', told, re.MULTILINE)):
        raise ValueError('--help does not tell the default of each option')
    for option in options:
        for value in ([], ['x'], ['-1'], ['2^'], ['2^64'], ['18446744073709551616']):
            done = run([program, option] + value)
            if done.returncode != 2 or option not in done.stderr or done.stdout:
                raise ValueError(f'{option} {value}: exit status {done.returncode}, {done.stdout!r}, {done.stderr!r}')


def interrupt(program, arguments, lines, wait_s, folder):
    """Sends Ctrl-C after `lines` lines and wait_s; returns the steps done and the seconds until the end."""
    job = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    seen = [job.stdout.readline() for _ in range(lines)]
    if all(seen):
        time.sleep(wait_s)
        job.send_signal(signal.SIGINT)
    start = time.monotonic()
    try:
        out, error = job.communicate(timeout=100)
    except subprocess.TimeoutExpired as expired:
        job.kill()
        job.communicate()
        raise ValueError(f'it did not end within {expired.timeout} s') from expired
    taken = time.monotonic() - start
    if job.returncode == 1 and 'WEFT_ERROR_NO_DEVICE' in error:
        sys.exit(77 if may_skip(error) else 1)
    last = re.fullmatch(rf'(?s:.*\n)?interrupted: (\d+) steps are done and saved in long_job-\1.npy, {SECONDS} s '
                        rf'after Ctrl-C was noticed; --from \1 resumes\n', out)
    if job.returncode != 130 or not last or error or os.listdir(folder) != [f'long_job-{last.group(1)}.npy']:
        raise ValueError(f'exit status {job.returncode}, {seen}, {out[-200:]!r}, {error!r}, {os.listdir(folder)}')
    print(f'ended {taken:.2f} s after the signal')
    if taken > 8:
        raise ValueError(f'it took {taken:.1f} s to end')
    return int(last.group(1))


def check_interrupt(program):
    """After Ctrl-C the job soon ends with its state in a file, and resumes to the result of an uninterrupted job."""
    program, sizes = os.path.abspath(program), ['--side', '256', '--leg', '20']
    with tempfile.TemporaryDirectory() as folder:
        done = interrupt(program, [*sizes, '--steps', str(power(39))], 4, 0.3, folder)
        more = ['--steps', str(done + 100)]
        second = subprocess.run([program, *sizes, *more, '--from', str(done)], capture_output=True, text=True,
                                cwd=folder)
        whole = subprocess.run([program, *sizes, *more], capture_output=True, text=True, cwd=folder)
        if second.returncode or whole.returncode or second.stdout.split('\n')[-2] != whole.stdout.split('\n')[-2]:
            raise ValueError(f'gone on: {second.stdout[-200:]!r}{second.stderr!r}; at once: '
                             f'{whole.stdout[-200:]!r}{whole.stderr!r}')
        if os.listdir(folder):
            raise ValueError(f'{os.listdir(folder)} was left')
    # without progress output, only the limit keeps the host from enqueuing minutes of work
    with tempfile.TemporaryDirectory() as folder:
        interrupt(program, ['--side', '1024', '--leg', str(power(39)), '--steps', str(power(39))], 1, 1.2, folder)
    return 0


def main():
    name, program, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    try:
        if name == 'usage':
            check_usage(program)
            return 0
        if name == 'interrupt':
            return check_interrupt(program)
        done = run([program] + arguments)
        print(done.stdout, end='', flush=True)
        sys.stderr.write(done.stderr)
        if done.returncode == 1 and 'WEFT_ERROR_NO_DEVICE' in done.stderr:
            return 77 if may_skip(done.stderr) else 1
        if done.returncode == 1 and 'WEFT_ERROR_UNSUPPORTED' in done.stderr and '(fp64)' in done.stderr:
            return 77
        if done.returncode != 0:
            raise ValueError(f'exit status {done.returncode}')
        if done.stderr:
            raise ValueError('the example wrote to stderr')
        lines = Lines(done.stdout)
        options = dict(zip(arguments[::2], map(number, arguments[1::2])))
        {example.__name__: example for example in EXAMPLES}[name](lines, options)
        lines.end()
    except ValueError as error:
        print(f'check_output: {name}: {error}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""For check_output.py: the output of the examples about sums, matrices and transforms."""


def below(text, most, what):
    if not float(text) <= most:
        raise ValueError(f'{what} is {text}, more than {most}')


def near(a, b, slack, what):
    if not abs(a - b) <= slack:
        raise ValueError(f'{what}: {a} and {b} do not go together')


def matmul(lines, options):
    n = options.get('-n', 1024)
    lines.like(rf'{n} x {n} f32: \d+\.\d{{3}} ms, \S+ TFLOP/s; the first took \d+\.\d ms')
    row = lines.like(rf"largest error of {2 * min(n, 16) ** 2} checked elements: (\S+) of the terms' magnitudes")
    below(row[1], 1e-6, 'the error')


def neural_layer(lines, options):
    rows, width, seed = options.get('--rows', 512), options.get('--width', 256), options.get('--seed', 1)
    lines.exactly(f'3 layers of {width} by {width}, {rows} rows, seed {seed}')
    for how in ('one call for each layer:   ', 'three calls for each layer:'):
        lines.like(how + r' +\d+\.\d{3} ms')
    below(lines.like(r'largest error of row 0: (\S+)')[1], 1e-4, 'the error')


def least_squares(lines, options):
    n, degree = options.get('-n', 10000), options.get('--degree', 3)
    lines.exactly(f'{n} points, a polynomial of degree {degree}, rank {degree + 1}')
    for k in range(degree + 1):
        made = (-1) ** k * (k + 1)
        row = lines.like(rf'x\^{k:<2} +(-?\d+\.\d{{4}}), made with +{made}')
        near(float(row[1]), made, 0.2, 'a coefficient')
    row = lines.like(r'residual (\d+\.\d{4}), so the noise is (0\.\d{4}); it was made with 0\.1000')
    near(float(row[1]), 0.01 * n, 0.01 * n * 8 / n**0.5, 'the residual')
    lines.like(r'the normal equations give coefficients that differ by \d\.\de[+-]\d\d')


def conjugate_gradients(lines, options):
    n, most = options.get('-n', 100), options.get('--iterations', 1000)
    elements = 5 * n * n - 4 * n
    lines.exactly(f'{n} x {n} points: a matrix of {n * n} rows with {elements} stored elements')
    done, left = 0, 1.0
    while done < most and left > 1e-5:
        done = min(done + 20, most)
        left = float(lines.like(rf'  iteration +{done}: residual (\S+)')[1])
    row = lines.like(r'\d+\.\d us per iteration; residual computed anew: (\S+); largest error of the solution: (\S+)')
    if left <= 1e-5:
        near(float(row[1]), 0, 1e-2, 'the residual')
        near(float(row[2]), 0, 1e-5, 'the error')


def spectrum(lines, options):
    n = options.get('-n', 65536)
    lines.exactly(f'{n} samples, {48000 / n:.3g} Hz apart; the noise is stronger than any tone',
                  '   found, Hz   put in, Hz    amplitude       put in')
    for frequency, amplitude in ((440, 0.5), (1318.5, 0.25), (5000, 0.12), (12345.6, 0.06)):
        row = lines.like(rf' *(\S+) +{frequency:.2f} +(\S+) +{amplitude:.3f}')
        near(float(row[1]), frequency, 0.3 * 48000 / n, 'a frequency')
        near(float(row[2]), amplitude, 0.03, 'an amplitude')


def reduction_cuda_style(lines, options):
    n = options.get('-n', 2 ** 20)
    lines.like(rf'{n} numbers on .+')
    total = n * (n - 1) // 2 % 2 ** 32
    for name in ('one_word', 'shared_tree', 'shuffles', 'block_sum'):
        lines.like(rf'{name:12} sum {total:10} +[0-9.]+ us +[0-9.]+ GB/s')
    lines.exactly('All sums are right.')


EXAMPLES = [reduction_cuda_style, matmul, neural_layer, least_squares, spectrum, conjugate_gradients]

# SPDX-License-Identifier: MIT
"""For check_output.py: the output of the examples about matrices and transforms."""


def below(text, most, what):
    if not float(text) <= most:
        raise ValueError(f'{what} is {text}, more than {most}')


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


EXAMPLES = [matmul, neural_layer]

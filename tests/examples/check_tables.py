# SPDX-License-Identifier: MIT
"""For check_output.py: the output of the examples about tables and moving windows."""
import math

from check_linalg import near


def sort_by_key(lines, options):
    n, stations, seed = options.get('-n', 1000000), options.get('--stations', 8), options.get('--seed', 1)
    lines.exactly(f'{n} readings of {stations} stations, seed {seed}:')
    lines.like(r' +station +begins +readings +first +last')
    begin = 0
    for station in range(min(stations, 20)):
        row = lines.like(rf' +{station} +(\d+) +(\d+) +(-?\d+\.\d{{3}}|-) +(-?\d+\.\d{{3}}|-)')
        near(int(row[1]), begin, 0, 'where a station begins')
        begin += int(row[2])
    if stations <= 20:
        near(begin, n, 0, 'all readings')
    lines.exactly("Each station's readings are in the order in which they came.")


def histogram_by_key(lines, options):
    n, shops, seed = options.get('-n', 1000000), options.get('--shops', 8), options.get('--seed', 1)
    lines.exactly(f'{n} sales of {shops} shops, seed {seed}:')
    lines.like(r' +shop +sales +sum +mean +largest +of each size, by twenties')
    sales, before = 0, -1
    while sales < n and lines.lines[lines.number].startswith('  '):
        row = lines.like(r' +(\d+) +(\d+) +(\d+\.\d\d) +(\d+\.\d{3}) +(\d+\.\d{3})((?: +\d+){5})')
        shop, number = int(row[1]), int(row[2])
        if shop <= before:
            raise ValueError('the shops are not in order')
        before, sales = shop, sales + number
        near(sum(int(one) for one in row[6].split()), number, 0, 'the sales of each size')
        near(float(row[3]) / number, float(row[4]), 0.001 + 0.006 / number, 'the mean')
        near(float(row[4]), 50, 6 * 29 / math.sqrt(number), 'the mean')
    if shops <= 20:
        near(sales, n, 0, 'all sales')
    lines.exactly('Counts and sums are those of plain C.')


def rolling_mean(lines, options):
    n, window, seed = options.get('-n', 1000000), options.get('--window', 100), options.get('--seed', 1)
    lines.exactly(f'{n} readings, windows of {window}, seed {seed}:')
    lines.like(r' +from +mean +deviation')
    for k in range(4):
        row = lines.like(r' +(\d+) +(\S+) +(\S+)')
        if k == 2:
            near(float(row[2]) / 1e30, 1 / window, 1e-4 / window, 'the mean with the enormous reading')
        else:
            near(float(row[2]), 20, 6 * 0.5 / math.sqrt(window), 'a mean')
            near(float(row[3]), 0.5, 6 * 0.5 / math.sqrt(2 * window), 'a deviation')
    lines.exactly('The means without the enormous reading are those of plain C.')


EXAMPLES = [sort_by_key, histogram_by_key, rolling_mean]

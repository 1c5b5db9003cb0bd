#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs an example that writes a picture, checks its output, and compares the picture with one computed here:
check_pictures.py NAME PROGRAM [OPTION VALUE]...

NAME is an example; or `files`, which checks that files that cannot be read or written are reported. --with-png as the
first argument says that the program was built with libpng; without it only the output is checked. Exit status as for
check_output.py."""
import math
import os
import random
import struct
import sys
import tempfile
import zlib

from check_output import Lines, NumpyRandom, TIME, may_skip, near, number, run

SIGNATURE = b'\x89PNG\r\n\x1a\n'


# ---- PNG files ----

def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))


def write_png(path, rows, kind=2):
    """Writes rows of tuples of bytes: of three colours, or (kind 4) of grey and opacity."""
    height, width = len(rows), len(rows[0])
    raw = b''.join(b'\0' + bytes(value for pixel in row for value in pixel) for row in rows)
    with open(path, 'wb') as file:
        file.write(SIGNATURE + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, kind, 0, 0, 0)) +
                   chunk(b'IDAT', zlib.compress(raw)) + chunk(b'IEND', b''))


def unfilter(raw, width_bytes, step):
    """The bytes of each row."""
    rows, above, at = [], bytes(width_bytes), 0
    while at < len(raw):
        kind, row = raw[at], bytearray(raw[at + 1:at + 1 + width_bytes])
        for i in range(width_bytes):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            guess = left + above[i] - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - above[i]), 1, above[i]),
                        (abs(guess - corner), 2, corner))[2]
            row[i] = row[i] + (0, left, above[i], (left + above[i]) // 2, paeth)[kind] & 255
        rows.append(row)
        above = row
        at += 1 + width_bytes
    return rows


def read_png(path):
    """The rows of a PNG file with 8 bits for each of three colours, or with a palette."""
    with open(path, 'rb') as file:
        data = file.read()
    if not data.startswith(SIGNATURE):
        raise ValueError('not a PNG file')
    parts, at = {}, len(SIGNATURE)
    while at < len(data):
        length, = struct.unpack_from('>I', data, at)
        name, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        if data[at:at + 12 + length] != chunk(name, body):
            raise ValueError(f'the checksum of {name} is wrong')
        parts[name] = parts.get(name, b'') + body
        at += 12 + length
    width, height, depth, kind, _, _, interlace = struct.unpack('>IIBBBBB', parts[b'IHDR'])
    if (kind, interlace) not in ((2, 0), (3, 0)) or (kind == 2 and depth != 8):
        raise ValueError(f'a PNG file of kind {kind}, {depth} bits, {interlace}')
    channels = 3 if kind == 2 else 1
    rows = unfilter(zlib.decompress(parts[b'IDAT']), (width * channels * depth + 7) // 8, max(1, channels * depth // 8))
    if len(rows) != height:
        raise ValueError(f'{len(rows)} rows, not {height}')
    if kind == 2:
        return [[tuple(row[3 * i:3 * i + 3]) for i in range(width)] for row in rows]
    palette = [tuple(parts[b'PLTE'][i:i + 3]) for i in range(0, len(parts[b'PLTE']), 3)]
    return [[palette[row[i * depth // 8] >> (8 - depth - i * depth % 8) & (1 << depth) - 1] for i in range(width)]
            for row in rows]


def compare(found, expected, slack, share=0.0):
    """All pixels, except for a share of them, differ by at most `slack` in each colour."""
    if (len(found), len(found[0])) != (len(expected), len(expected[0])):
        raise ValueError(f'{len(found[0])} x {len(found)} pixels, not {len(expected[0])} x {len(expected)}')
    wrong = [(x, y, a, b) for y, (one, other) in enumerate(zip(found, expected))
             for x, (a, b) in enumerate(zip(one, other)) if max(abs(p - q) for p, q in zip(a, b)) > slack]
    if len(wrong) > share * len(found) * len(found[0]):
        raise ValueError(f'{len(wrong)} pixels differ, the first at {wrong[0][:2]}: {wrong[0][2]}, not {wrong[0][3]}')


def glow(value):
    """The colour of picture_glow."""
    t = round(255 * min(max(value, 0), 1)) / 63.75
    a, b, c, d = (min(max(t - k, 0), 1) for k in range(4))
    return (round(4 + 66 * a + 125 * b + 55 * c + 3 * d), round(3 + 13 * a + 36 * b + 91 * c + 110 * d),
            round(18 + 92 * a - 30 * b - 55 * c + 165 * d))


# ---- the examples: each checks the output, and returns the function that checks the picture ----

def mandelbrot(lines, options, _):
    width, height = options.get('--width', 240), options.get('--height', 160)
    most, samples, place = options.get('--steps', 200), options.get('--samples', 2), options.get('--place', 0)
    name, centre_x, centre_y, across = [
        ('the whole set', -0.75, 0, 3.75), ('the valley of the seahorses', -0.7453, 0.1127, 0.0065),
        ('the valley of the elephants', 0.2925, 0.0149, 0.015), ('a triple spiral', -0.0883, 0.6545, 0.012)][place]
    lines.exactly(f'{name}: {width} x {height} pixels of {samples ** 2} points, at most {most} steps')
    pixel = max(across / width, across / 1.5 / height)
    share, area = map(float, lines.like(r'(\d+\.\d\d) % of the picture is inside the set: an area of (\S+)').groups())
    near(share / 100 * pixel ** 2 * width * height, area, 0.01 * area, 'the share and the area')
    if place == 0:
        near(area, 1.507, 0.15, 'the area')
        lines.exactly('The set has an area of 1.507.')

    def colour(x, y):
        c = complex(x, y)
        z = c
        for k in range(1, most + 1):
            size = z.real * z.real + z.imag * z.imag
            if size > 256:
                t = 0.6 * math.sqrt(k + 2 - math.log2(0.5 * math.log2(size)))
                return [0.5 - 0.5 * math.cos(t * a + b) for a, b in ((1, 5.4), (1.13, 5.9), (1.29, 0.4))]
            z = z * z + c
        return [0, 0, 0]

    def check(found):
        expected = [[tuple(round(255 * sum(part) / samples ** 2) for part in zip(*(
            colour(centre_x + pixel * (i + (k % samples + 0.5) / samples - width / 2),
                   centre_y - pixel * (j + (k // samples + 0.5) / samples - height / 2)) for k in range(samples ** 2))))
                     for i in range(width)] for j in range(height)]
        compare(found, expected, 4, 0.02)  # f32 and f64 part near the border

    return check


def heat(lines, options, _):
    width, height, steps = options.get('--width', 180), options.get('--height', 120), options.get('--steps', 40)
    letters = ['#...#.#####.#####.#####', '#...#.#.....#.......#..', '#...#.#.....#.......#..',
               '#.#.#.####..####....#..', '#.#.#.#.....#.......#..', '##.##.#.....#.......#..',
               '#...#.#####.#.......#..']
    dot = min(width // 29, height // 11)
    left, top = (width - 23 * dot) // 2, (height - 7 * dot) // 2
    cells = [[0.0] * width for _ in range(height)]
    for row in range(7 * dot):
        for column in range(23 * dot):
            cells[top + row][left + column] = float(letters[row // dot][column // dot] == '#')
    lines.exactly(f'{width} x {height} cells, {steps} steps')
    before, after, hottest = map(float, lines.like(r'mean (\S+) before, (\S+) after; the hottest cell (\S+)').groups())
    near(before, dot * dot * sum(row.count('#') for row in letters) / width / height, 1e-6, 'the heat')
    near(after, before, 1e-5, 'the heat')
    lines.exactly('No heat was lost.')

    def check(found):
        state = cells
        for _ in range(steps):
            framed = [row[:1] + row + row[-1:] for row in state[:1] + state + state[-1:]]
            state = [[here + 0.2 * (framed[j][i + 1] + framed[j + 2][i + 1] + framed[j + 1][i] + framed[j + 1][i + 2] -
                                    4 * here) for i, here in enumerate(row)] for j, row in enumerate(state)]
        near(max(map(max, state)), hottest, 2e-4, 'the hottest cell')
        compare(found, [[glow(value) for value in row] for row in state], 4)

    return check


def life(lines, options, _):
    width, height = options.get('--width', 120), options.get('--height', 80)
    generations, zoom = options.get('--generations', 240), options.get('--zoom', 3)
    gun = ['24', '22 24', '12 13 20 21 34 35', '11 15 20 21 34 35', '0 1 10 16 20 21', '0 1 10 14 16 17 22 24',
           '10 16 24', '11 15', '12 13']
    alive = {(int(column) + 4, row + 4) for row, text in enumerate(gun) for column in text.split()}
    trail = dict.fromkeys(alive, 0.0)
    lines.exactly(f'{width} x {height} cells')
    for generation in range(generations + 1):
        if generation % 30 == 0 or generation == generations:
            lines.exactly(f'generation {generation:4}: {len(alive)} alive')
        if generation == generations:
            break
        around = {}
        for x, y in alive:
            for k in (0, 1, 2, 3, 5, 6, 7, 8):
                place = (x + k % 3 - 1) % width, (y + k // 3 - 1) % height
                around[place] = around.get(place, 0) + 1
        alive = {place for place, count in around.items() if count == 3 or (count == 2 and place in alive)}
        trail = {**{place: 0.985 * value for place, value in trail.items()}, **dict.fromkeys(alive, 1.0)}

    def check(found):
        expected = [[glow(1 if (x, y) in alive else 0.55 * trail.get((x, y), 0)) for x in range(width)]
                    for y in range(height)]
        compare(found, [[pixel for pixel in row for _ in range(zoom)] for row in expected for _ in range(zoom)], 4)

    return check


def filtered(rows, passes):
    """The rows blurred that often, and the edges of the picture that was blurred once."""
    def at(i, n):  # the place of position i in an axis of n, reflected at its ends
        i = abs(i) % (2 * n - 2)
        return min(i, 2 * n - 2 - i)

    height, width, weights, edges = len(rows), len(rows[0]), (1, 4, 6, 4, 1), None
    for _ in range(passes):
        half = [[[sum(w * rows[at(y + k, height)][x][c] for w, k in zip(weights, range(-2, 3))) for c in range(3)]
                 for x in range(width)] for y in range(height)]
        rows = [[tuple(sum(w * row[at(x + k, width)][c] for w, k in zip(weights, range(-2, 3))) + 128 >> 8
                       for c in range(3)) for x in range(width)] for row in half]
        if edges is None:
            grey = [[77 * r + 150 * g + 29 * b + 128 >> 8 for r, g, b in row] for row in rows]
            near_by = [[[[grey[at(y + j, height)][at(x + i, width)] for i in (-1, 0, 1)] for j in (-1, 0, 1)]
                        for x in range(width)] for y in range(height)]
            edges = [[min(255, round(math.hypot(
                sum(w * (n[j][2] - n[j][0]) for j, w in enumerate((1, 2, 1))),
                sum(w * (n[2][i] - n[0][i]) for i, w in enumerate((1, 2, 1)))))) for n in row] for row in near_by]
    return rows, edges


def image_filters(lines, options, source):
    width, height = (len(source[0]), len(source)) if source else (options.get('--width', 240),
                                                                   options.get('--height', 160))
    passes, loops = options.get('--passes', 4), options.get('--loops', 0)
    lines.exactly(f'{width} x {height} pixels, blurred {passes} times')
    means = [float(mean) for mean in
             lines.like(r'mean brightness (\S+), blurred (\S+), of the edges (\S+)').groups()]
    for what in ('copy', 'gauss', 'sobel')[:3 * (loops > 0)]:
        lines.like(rf'{what} +\d+\.\d\d\d ms +\d+ Mpixel/s +{TIME} GB/s')
    if source:
        smooth, edges = filtered(source, passes)
        found = [sum(map(sum, sum(rows, []))) / 3 / width / height for rows in (source, smooth)]
        near(means[0], found[0], 0.001, 'the brightness')
        near(means[1], found[1], 0.001, 'the brightness of the blurred picture')
        near(means[2], sum(map(sum, edges)) / width / height, 0.01, 'the edges')

    def check(found):
        if source:
            compare(found, [source[y][:width // 3] + smooth[y][width // 3:width // 3 * 2] +
                            [(edge,) * 3 for edge in edges[y][width // 3 * 2:]] for y in range(height)], 1)
        elif found[-1][0] != (30, 24, 44) or len(found) != height or len(found[0]) != width:
            raise ValueError(f'{len(found[0])} x {len(found)} pixels, {found[-1][0]} below')

    return check


def turned(rows, degrees, percent):
    """The rows turned to the left and enlarged, linear between pixels, mirrored at the edges."""
    def at(i, n):  # the place of pixel i in an axis of n
        i %= 2 * n
        return min(i, 2 * n - 1 - i)

    height, width, angle = len(rows), len(rows[0]), math.radians(degrees)
    across, down = (100 / percent * part(angle) for part in (math.cos, math.sin))
    result = []
    for j in range(height):
        result.append([])
        for i in range(width):
            x, y = i + 0.5 - width / 2, j + 0.5 - height / 2
            place = (width / 2 + x * across - y * down - 0.5, height / 2 + x * down + y * across - 0.5)
            (left, p), (top, q) = ((math.floor(k), k - math.floor(k)) for k in place)
            corners = [((1 - p) * (1 - q), top, left), (p * (1 - q), top, left + 1), ((1 - p) * q, top + 1, left),
                       (p * q, top + 1, left + 1)]
            result[-1].append(tuple(sum(w * rows[at(v, height)][at(u, width)][c] for w, v, u in corners)
                                    for c in range(3)))
    return result


def texture(lines, options, source):
    degrees, percent = options.get('--degrees', 30), options.get('--percent', 150)
    if not source:
        width, height = options.get('--width', 240), options.get('--height', 160)
        source = [[(255 * i // width, 255 * j // height, 90) if (i // 20 + j // 20) % 2 else (40, 30, 160)
                   for i in range(width)] for j in range(height)]
    lines.exactly(f'{len(source[0])} x {len(source)} pixels, turned by {degrees} degrees, enlarged to {percent} %')
    apart = lines.like(r"The sampler's colours are within (\S+) of 255 of weft_map_coordinates'\.")[1]
    near(float(apart), 0, 2, 'the difference')  # GPUs interpolate with 8 bits between pixels
    return lambda found: compare(found, turned(source, degrees, percent), 2)


def n_body(lines, options, _):
    stars, steps = options.get('--stars', 256), options.get('--steps', 20)
    width, height = options.get('--width', 240), options.get('--height', 160)
    lines.exactly(f'2 galaxies of {stars} stars, {steps} steps')
    before, after, change = map(float, lines.like(
        r'energy (-\d\.\d{5}) before, (-\d\.\d{5}) after: changed by (\S+) of itself').groups())
    near(abs(after / before - 1), change, 2e-5 / abs(before) + 0.06 * change, 'the energies and their change')
    if stars > 20:
        return lambda found: compare(found, [[(0, 0, 0)] * width] * height, 255)

    generator, mass, x, v = NumpyRandom(options.get('--seed', 1)), [], [], []
    for tilt, at in ((0.3, (-1.6, -0.55, 0.55, 0.1)), (-0.6, (1.6, 0.55, -0.55, -0.1))):
        for i in range(stars + 1):
            r = 0.1 + 0.9 * generator.rand() if i else 0
            angle = 2 * math.pi * generator.rand()
            speed = math.sqrt((1 + 0.2 * r) * r * r / (r * r + 0.05 ** 2) ** 1.5)
            x.append([at[0] + r * math.cos(angle), at[1] + r * math.sin(angle) * math.cos(tilt),
                      r * math.sin(angle) * math.sin(tilt) + (0.02 * generator.randn() if i else 0)])
            v.append([at[2] - speed * math.sin(angle), at[3] + speed * math.cos(angle) * math.cos(tilt),
                      speed * math.cos(angle) * math.sin(tilt)])
            mass.append(0.2 / stars if i else 1)

    def pull():
        a, potential = [], 0
        for i, here in enumerate(x):
            sums = [0.0] * 3
            for j, there in enumerate(x):
                if i != j:
                    d = [q - p for p, q in zip(here, there)]
                    inverse = (sum(k * k for k in d) + 0.05 ** 2) ** -0.5
                    sums = [s + mass[j] * inverse ** 3 * k for s, k in zip(sums, d)]
                    potential -= 0.5 * mass[i] * mass[j] * inverse
            a.append(sums)
        return a, potential

    def energy(potential):
        return potential + sum(0.5 * m * sum(k * k for k in speed) for m, speed in zip(mass, v))

    a, potential = pull()
    near(before, energy(potential), 1e-5, 'the energy at first')
    counts = {}
    for step in range(steps):
        v = [[p + 0.005 * q for p, q in zip(*both)] for both in zip(v, a)]
        x = [[p + 0.01 * q for p, q in zip(*both)] for both in zip(x, v)]
        a, potential = pull()
        v = [[p + 0.005 * q for p, q in zip(*both)] for both in zip(v, a)]
        if step >= steps - steps // 10 - 1:
            for place in x:
                pixel = (math.floor(place[0] * height / 3 + width / 2), math.floor(height / 2 - place[1] * height / 3))
                if 0 <= pixel[0] < width and 0 <= pixel[1] < height:
                    counts[pixel] = counts.get(pixel, 0) + 1
    near(after, energy(potential), 2e-5, 'the energy at last')
    scale = 1 / math.log1p(max(counts.values()))
    expected = [[glow(math.log1p(counts.get((i, j), 0)) * scale) for i in range(width)] for j in range(height)]
    # a star at a pixel's border may count for the next one
    return lambda found: compare(found, expected, 4, 0.01)


EXAMPLES = [mandelbrot, heat, life, image_filters, texture, n_body]


def check_files(program):
    """Files that cannot be read or written are reported, and leave no picture."""
    with tempfile.TemporaryDirectory() as folder:
        there, cut, text = (os.path.join(folder, name) for name in ('there.png', 'cut.png', 'text.png'))
        write_png(there, [[(1, 2, 3)] * 20] * 20)
        with open(there, 'rb') as whole, open(cut, 'wb') as file:
            file.write(whole.read()[:-30])
        with open(text, 'w', encoding='utf-8') as file:
            file.write('no picture')
        small = os.path.join(folder, 'small.png')
        write_png(small, [[(1, 2, 3)] * 2] * 5)
        nowhere = os.path.join(folder, 'none/picture.png')
        for arguments, what in ((['--image', cut], cut), (['--image', text], text), (['--image', nowhere], nowhere),
                                (['--image', small], '3 x 3 pixels'), (['--png', nowhere], nowhere),
                                (['--image', there, '--png', folder], folder)):
            done = run([program, *arguments])
            if done.returncode == 1 and 'WEFT_ERROR_NO_DEVICE' in done.stderr:
                return 77 if may_skip(done.stderr) else 1
            if done.returncode != 1 or done.stderr.count('\n') != 1 or f'{what}' not in done.stderr:
                raise ValueError(f'{arguments}: exit status {done.returncode}, {done.stdout!r}, {done.stderr!r}')
        left = sorted(os.listdir(folder))
        if left != ['cut.png', 'small.png', 'text.png', 'there.png']:
            raise ValueError(f'{left} was left')
    return 0


def check(name, program, arguments, has_png, folder):
    options, source = dict(zip(arguments[::2], map(number, arguments[1::2]))), None
    path, more = os.path.join(folder, 'picture.png'), []
    if '--random' in options:  # a picture to read: coloured, or every second seed in grey with opacity
        generator = random.Random(options.pop('--random'))
        width, height, kind = options.pop('--width'), options.pop('--height'), options.pop('--kind', 2)
        source = [[tuple(generator.randrange(256) for _ in range(3 if kind == 2 else 1)) for _ in range(width)]
                  for _ in range(height)]
        write_png(path, source if kind == 2 else [[pixel + (255,) for pixel in row] for row in source], kind)
        source = [[pixel if kind == 2 else pixel * 3 for pixel in row] for row in source]
        more = ['--image', path]
    command = [program, *more, *(part for pair in options.items() for part in map(str, pair))]
    done = run(command + (['--png', path] if has_png else []))
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    if done.returncode == 1 and 'WEFT_ERROR_NO_DEVICE' in done.stderr:
        return 77 if may_skip(done.stderr) else 1
    if done.returncode != 0 or done.stderr:
        raise ValueError(f'exit status {done.returncode}, {done.stderr!r}')
    if name == 'texture' and done.stdout.endswith(' has no images.\n'):
        return 77
    lines = Lines(done.stdout)
    check_picture = {example.__name__: example for example in EXAMPLES}[name](lines, options, source)
    lines.end()
    if has_png:
        check_picture(read_png(path))
    return 0


def main():
    has_png = sys.argv[1] == '--with-png'
    name, program, *arguments = sys.argv[1 + has_png:]
    try:
        if not has_png and (name == 'files' or '--random' in arguments):
            print('built without libpng')
            return 77
        if name == 'files':
            return check_files(program)
        with tempfile.TemporaryDirectory() as folder:
            return check(name, program, arguments, has_png, folder)
    except ValueError as error:
        print(f'check_pictures: {name}: {error}', file=sys.stderr)
        return 1


if __name__ == '__main__':
    sys.exit(main())

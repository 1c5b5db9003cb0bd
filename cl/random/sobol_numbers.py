#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs the numbers of Sobol sequences into cl/random/sobol.base64.

  sobol_numbers.py NUMBERS > cl/random/sobol.base64      NUMBERS: Joe and Kuo's file new-joe-kuo-6.21201

src/op/random/sobol.c reads the text. A dimension from the second on has a primitive polynomial over two elements,
and for each of its powers k a first number m, which is odd and less than 2^k. The polynomials are all that there are,
in order; so the bits of a dimension are: 7 of half the distance from the polynomial before (of the first: from 1),
then k - 1 of each (m - 1) / 2, the highest bit first. Six bits are a letter of base 64."""
import sys

DEGREE = 16  # the highest; the numbers of degree 17 would add more than all these have
LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
HEAD = """# Polynomials and first numbers of Sobol sequences, packed by cl/random/sobol_numbers.py.
# Source: S. Joe, F. Kuo, "Constructing Sobol sequences with better two-dimensional projections",
# SIAM J. Sci. Comput. 30 (2008): their numbers of the criterion D(6), of all polynomials up to degree 16.
"""


def bits_of(lines):
    before = 1
    for line in lines:
        _, degree, inner, *numbers = (int(word) for word in line.split())
        if degree > DEGREE:
            return
        polynomial = 1 << degree | inner << 1 | 1
        yield f'{(polynomial - before) // 2:07b}'
        yield from (f'{m >> 1:0{k}b}' for k, m in enumerate(numbers) if k)
        before = polynomial


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding='ascii') as stream:
        bits = ''.join(bits_of(stream.readlines()[1:]))  # below the names of the columns
    bits += '0' * (-len(bits) % 6)
    text = ''.join(LETTERS[int(bits[at:at + 6], 2)] for at in range(0, len(bits), 6))
    sys.stdout.write(HEAD + '\n'.join(text[at:at + 120] for at in range(0, len(text), 120)) + '\n')


if __name__ == '__main__':
    main()

// SPDX-License-Identifier: MIT
/// The network of sides.c, which includes this for each type and width of vectors. Define before including: T; ROWS,
/// how many rows are sorted side by side, 8 or 16; FLIP, bits that are inverted meanwhile, as more processors compare
/// signed numbers; TARGET, an attribute; NAME(name), the loops' names.
///
/// Bitonic sorting (K. E. Batcher 1968): pairs of sorted blocks, the second one backwards, are cut into halves of which
/// one has the lesser numbers, down to single ones. A loop does up to three of these steps at once.

#define EXCHANGE(a, b)                          \
  {                                             \
    const T lesser = v[a] < v[b] ? v[a] : v[b]; \
    v[b] = v[a] < v[b] ? v[b] : v[a];           \
    v[a] = lesser;                              \
  }

/// Sorts eight neighbours.
TARGET static inline void NAME(sort_eight)(T *restrict x) {
  for (size_t r = 0; r < ROWS; r++) {
    T v[8] = {x[r],
              x[ROWS + r],
              x[2 * ROWS + r],
              x[3 * ROWS + r],
              x[4 * ROWS + r],
              x[5 * ROWS + r],
              x[6 * ROWS + r],
              x[7 * ROWS + r]};
    EXCHANGE(0, 1)
    EXCHANGE(2, 3) EXCHANGE(4, 5) EXCHANGE(6, 7) EXCHANGE(0, 3) EXCHANGE(1, 2) EXCHANGE(4, 7) EXCHANGE(5, 6)
        EXCHANGE(0, 1) EXCHANGE(2, 3) EXCHANGE(4, 5) EXCHANGE(6, 7) EXCHANGE(0, 7) EXCHANGE(1, 6) EXCHANGE(2, 5)
            EXCHANGE(3, 4) EXCHANGE(0, 2) EXCHANGE(1, 3) EXCHANGE(4, 6) EXCHANGE(5, 7) EXCHANGE(0, 1) EXCHANGE(2, 3)
                EXCHANGE(4, 5) EXCHANGE(6, 7) for (size_t k = 0; k < 8; k++) x[k * ROWS + r] = v[k];
  }
}
/// Cuts into halves three times: elements at distances of 4, 2 and 1 times d.
TARGET static inline void NAME(cut_eight)(T *restrict x, size_t d) {
  d *= ROWS;
  for (size_t r = 0; r < ROWS; r++) {
    T v[8] = {x[r], x[d + r], x[2 * d + r], x[3 * d + r], x[4 * d + r], x[5 * d + r], x[6 * d + r], x[7 * d + r]};
    EXCHANGE(0, 4)
    EXCHANGE(1, 5) EXCHANGE(2, 6) EXCHANGE(3, 7) EXCHANGE(0, 2) EXCHANGE(1, 3) EXCHANGE(4, 6) EXCHANGE(5, 7)
        EXCHANGE(0, 1) EXCHANGE(2, 3) EXCHANGE(4, 5) EXCHANGE(6, 7) for (size_t k = 0; k < 8; k++) x[k * d + r] = v[k];
  }
}
/// Cuts into halves twice.
TARGET static inline void NAME(cut_four)(T *restrict x, size_t d) {
  d *= ROWS;
  for (size_t r = 0; r < ROWS; r++) {
    T v[4] = {x[r], x[d + r], x[2 * d + r], x[3 * d + r]};
    EXCHANGE(0, 2) EXCHANGE(1, 3) EXCHANGE(0, 1) EXCHANGE(2, 3) for (size_t k = 0; k < 4; k++) x[k * d + r] = v[k];
  }
}
TARGET static inline void NAME(exchange)(T *restrict x, size_t first, size_t second) {
  _Pragma("GCC unroll 1") /* a loop: else it is no vector code */
      for (size_t r = 0; r < ROWS; r++) {
    T v[2] = {x[first * ROWS + r], x[second * ROWS + r]};
    EXCHANGE(0, 1)
    x[first * ROWS + r] = v[0];
    x[second * ROWS + r] = v[1];
  }
}

/// Sorts ROWS rows of n numbers side by side, n a power of two from 8 on.
TARGET static void NAME(sort_sides)(void *numbers, size_t n) {
  T *x = numbers;
  for (size_t b = 0; b < n; b += 8) NAME(sort_eight)(x + b * ROWS);
  for (size_t size = 16; size <= n; size *= 2) {
    for (size_t b = 0; b < n; b += size)
      for (size_t i = 0; i < size / 2; i++) NAME(exchange)(x, b + i, b + size - 1 - i);
    size_t d = size / 4; /* the greatest distance of the next step */
    for (; d > 4; d /= 4)
      for (size_t b = 0; b < n; b += 2 * d)
        for (size_t i = b; i < b + d / 2; i++) NAME(cut_four)(x + i * ROWS, d / 2);
    if (d == 4)
      for (size_t b = 0; b < n; b += 8) NAME(cut_eight)(x + b * ROWS, 1);
    else
      for (size_t b = 0; b < n; b += 4) NAME(cut_four)(x + b * ROWS, 1);
  }
}

/// Turns ROWS rows of as many numbers, which begin at these distances, into columns: by shuffles of four rows, then of
/// as many as are left.
TARGET static inline void NAME(turn)(T *restrict to, const T *restrict x, size_t distance) {
  enum { LEFT = ROWS / 4, LONG = 4 * ROWS };
  T some[ROWS * ROWS];
  for (size_t i = 0; i < LEFT; i++)
    for (size_t c = 0; c < ROWS; c++)
      for (size_t k = 0; k < 4; k++) some[i * LONG + 4 * c + k] = x[(k * LEFT + i) * distance + c] ^ FLIP;
  for (size_t c = 0; c < LONG; c++)
    for (size_t k = 0; k < LEFT; k++) to[LEFT * c + k] = some[k * LONG + c];
}

/// Sorts ROWS rows of n numbers, which begin at these distances, multiples of ROWS. `side`: room for them.
TARGET static void NAME(sort_rows)(void *rows, void *side, size_t n, size_t distance) {
  T *x = rows, *y = side, some[ROWS * ROWS];
  size_t padded = 8;
  while (padded < n) padded *= 2;
  for (size_t c = 0; c < n; c += ROWS) NAME(turn)(y + c * ROWS, x + c, distance);
  for (size_t k = n * ROWS; k < padded * ROWS; k++) y[k] = (T)~FLIP;
  NAME(sort_sides)(y, padded);
  for (size_t c = 0; c < n; c += ROWS) {
    NAME(turn)(some, y + c * ROWS, ROWS);
    for (size_t r = 0; r < ROWS; r++) memcpy(x + r * distance + c, some + r * ROWS, sizeof(T) * ROWS);
  }
}

#undef EXCHANGE

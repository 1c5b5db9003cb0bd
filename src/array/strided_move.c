// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include "array/strided_move.h"

#include <string.h>

#include "base/wide.h"

#define TILE 16 /* a side of a turned block */
#define PLACES (TILE * TILE)
#define VECTOR_BYTES 64
#define WORD_BYTES 16 /* at most */
#define NARROW_ROW 16 /* columns, which are moved one by one */

#if defined(__GNUC__)
#define ANYWHERE __attribute__((aligned(1), may_alias))
#else
#define ANYWHERE /* where processors read any address */
#endif
typedef uint8_t ANYWHERE word_1;
typedef uint16_t ANYWHERE word_2;
typedef uint32_t ANYWHERE word_4;
typedef uint64_t ANYWHERE word_8;
typedef struct two_words {
  uint64_t half[2];
} ANYWHERE word_16;

/* ---- loops ---- */

/// The loops for words of one size.
typedef struct word_loops {
  /// Moves elements that lie beside each other at their target. The stride in elements.
  void (*run)(char *to, const char *from, int64_t stride, int64_t count);
  /// Writes `length` copies of each of `rows` elements. The stride in bytes.
  void (*repeat)(char *to, const char *from, int64_t from_stride, int64_t rows, int64_t length);
  /// Writes `count` pairs: an element of x and one of z.
  void (*pair)(char *to, const char *x, const char *z, int64_t count);
  /// Turns a block: its rows become columns. Strides of rows in bytes.
  void (*turn)(char *to, int64_t to_row, const char *from, int64_t from_row);
} word_loops;

#define LOOPS "array/word_types.h"
#include "base/each_width.h"

/// Moves elements apart from each other at both places. Strides in bytes.
typedef void apart_loop(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t count);

#define APART_LOOP(NAME, bytes)                                                                                     \
  WEFT__ON_A_LINE static void NAME(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n) { \
    for (int64_t i = 0; i < n; i++, to += to_stride, from += from_stride) memcpy(to, from, bytes);                  \
  }
APART_LOOP(apart_1, 1)
APART_LOOP(apart_2, 2)
APART_LOOP(apart_4, 4)
APART_LOOP(apart_8, 8)
APART_LOOP(apart_16, 16)

static int number_of(size_t size) {
  return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
}

static const word_loops *loops_of(size_t size) {
  static const word_loops *const loops[3] = WEFT__ALL(words);
  return &loops[WEFT__WIDTH][number_of(size)];
}

/* ---- places ---- */

void weft__move_run(char *to, int64_t to_stride, const char *from, int64_t from_stride, size_t size, int64_t count) {
  static apart_loop *const apart[5] = {apart_1, apart_2, apart_4, apart_8, apart_16};
  const int64_t bytes = (int64_t)size;
  if (to_stride == bytes && from_stride == bytes) {
    memcpy(to, from, (size_t)count * size);
    return;
  }
  if (to_stride == bytes && from_stride % bytes == 0) {
    loops_of(size)->run(to, from, from_stride / bytes, count);
    return;
  }
  apart[number_of(size)](to, to_stride, from, from_stride, count);
}

void weft__repeat_elements(char *to, const char *from, int64_t from_stride, size_t size, int64_t rows, int64_t length) {
  loops_of(size)->repeat(to, from, from_stride, rows, length);
}

void weft__pair_elements(char *to, const char *x, const char *z, size_t size, int64_t count) {
  loops_of(size)->pair(to, x, z, count);
}

/// Moves `rows` rows of `columns` adjacent elements to columns. Both are at least TILE; the last blocks overlap others.
static void move_turned(char *to, int64_t to_row, const char *from, int64_t from_row, size_t size, int64_t rows,
                        int64_t columns) {
  const word_loops *loops = loops_of(size);
  for (int64_t c = 0; c < columns; c += TILE)
    for (int64_t r = 0; r < rows; r += TILE) {
      const int64_t column = c < columns - TILE ? c : columns - TILE, row = r < rows - TILE ? r : rows - TILE;
      loops->turn(to + column * to_row + row * (int64_t)size, to_row, from + row * from_row + column * (int64_t)size,
                  from_row);
    }
}

/// The axis along which elements that become columns are adjacent in the source; -1: none.
static int turned_axis(const weft__layout *l, size_t size) {
  const int last = l->ndim - 1;
  if (last < 1 || l->length[last] < TILE || l->stride[0][last] != (int64_t)size ||
      l->stride[1][last] == (int64_t)size || l->stride[1][last] == 0)
    return -1;
  for (int d = 0; d < last; d++)
    if (l->stride[1][d] == (int64_t)size && l->length[d] >= TILE) return d;
  return -1;
}

void weft__move_elements(char *to, const char *from, const weft__layout *l, size_t size) {
  const int last = l->ndim - 1, turned = turned_axis(l, size);
  int64_t index[WEFT_MAX_NDIM] = {0};
  int d = 0;
  if (last < 0) {
    memcpy(to, from, size);
    return;
  }
  while (d >= 0) {
    if (turned >= 0)
      move_turned(to, l->stride[0][turned], from, l->stride[1][last], size, l->length[last], l->length[turned]);
    else
      weft__move_run(to, l->stride[0][last], from, l->stride[1][last], size, l->length[last]);
    for (d = last - 1; d >= 0; d--) {
      if (d == turned) continue;
      to += l->stride[0][d];
      from += l->stride[1][d];
      if (++index[d] < l->length[d]) break;
      to -= l->stride[0][d] * l->length[d];
      from -= l->stride[1][d] * l->length[d];
      index[d] = 0;
    }
  }
}

/* ---- rows ---- */

/// Each row as two words, which may overlap: the second one ends where the row ends.
static inline void move_words(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows, size_t word,
                              int64_t second) {
  for (int64_t r = 0; r < rows; r++, to += to_row, from += from_row) {
    char a[WORD_BYTES], b[WORD_BYTES];
    memcpy(a, from, word);
    memcpy(b, from + second, word);
    memcpy(to, a, word);
    memcpy(to + second, b, word);
  }
}

/// Rows of at most two words.
static void move_short(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows, int64_t bytes) {
  if (bytes <= WORD_BYTES && (bytes & (bytes - 1)) == 0)
    weft__move_run(to, to_row, from, from_row, (size_t)bytes, rows);
  else if (bytes > 16)
    move_words(to, to_row, from, from_row, rows, 16, bytes - 16);
  else if (bytes > 8)
    move_words(to, to_row, from, from_row, rows, 8, bytes - 8);
  else if (bytes > 4)
    move_words(to, to_row, from, from_row, rows, 4, bytes - 4);
  else
    move_words(to, to_row, from, from_row, rows, 2, bytes - 2);
}

/// Rows that are one run each at both places.
static void move_runs(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows, int64_t bytes) {
  if (to_row == bytes && from_row == bytes)
    memcpy(to, from, (size_t)(rows * bytes));
  else if (bytes <= 2 * WORD_BYTES)
    move_short(to, to_row, from, from_row, rows, bytes);
  else
    for (int64_t r = 0; r < rows; r++) memcpy(to + r * to_row, from + r * from_row, (size_t)bytes);
}

void weft__move_rows(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t from_stride, int64_t size,
                     int64_t rows, int64_t columns) {
  if (rows == 1) {
    weft__move_run(to, size, from, from_stride, (size_t)size, columns);
  } else if (from_stride == size) {
    move_runs(to, to_row, from, from_row, rows, columns * size);
  } else if (from_stride == 0 && to_row == columns * size) {
    weft__repeat_elements(to, from, from_row, (size_t)size, rows, columns);
  } else if (columns <= NARROW_ROW && columns < rows) {
    for (int64_t j = 0; j < columns; j++)
      weft__move_run(to + j * size, to_row, from + j * from_stride, from_row, (size_t)size, rows);
  } else {
    const weft__layout l = {.arrays = 2,
                            .size = rows * columns,
                            .ndim = 2,
                            .length = {rows, columns},
                            .stride = {{to_row, size}, {from_row, from_stride}}};
    weft__move_elements(to, from, &l, (size_t)size);
  }
}

void weft__fill_rows(char *to, int64_t to_row, const void *element, int64_t size, int64_t rows, int64_t columns) {
  static const uint64_t zeros[2];
  if (rows == 0 || columns == 0) return;
  if (to_row == columns * size) {
    columns *= rows;
    rows = 1;
  }
  if (rows > 1 || memcmp(element, zeros, (size_t)size) != 0)
    weft__move_rows(to, to_row, element, 0, 0, size, rows, columns);
  else
    memset(to, 0, (size_t)(columns * size));
}

// SPDX-License-Identifier: MIT
#include "op/rearrange/blocks.h"

#include <stdatomic.h>
#include <string.h>

#include "array/strided_move.h"
#include "engine/shares.h"

enum {
  BLOCK_BYTES = 128 << 10,
  SHARE_BYTES = 512 << 10, /* fewer do not pay for a thread */
  WORD_BYTES = 16,         /* at most */
  NARROW_ROW = 16          /* whose elements are moved column by column */
};

/* ---- blocks ---- */

typedef struct block_run {
  const weft__blocks *all;
  int64_t rows, columns, across, items; /* of a block; blocks beside each other; blocks */
  atomic_llong next;
} block_run;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static void *share_blocks(void *user) {
  const weft__share *share = user;
  block_run *r = *(block_run *const *)share->all;
  const weft__blocks *all = r->all;
  for (int64_t k; (k = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed)) < r->items;) {
    const int64_t row = k / r->across * r->rows, column = k % r->across * r->columns;
    const weft__block block = {row, least(r->rows, all->rows - row), column, least(r->columns, all->columns - column)};
    all->function(&block, all->job);
  }
  return NULL;
}

void weft__run_blocks(const weft__blocks *all) {
  block_run run = {.all = all}, *r = &run;
  const int64_t elements = BLOCK_BYTES / all->bytes;
  run.columns = least(all->columns, all->most_columns ? all->most_columns : elements);
  run.rows = least(all->rows, run.columns < elements ? elements / run.columns : 1);
  run.across = (all->columns + run.columns - 1) / run.columns;
  run.items = (all->rows + run.rows - 1) / run.rows * run.across;
  const int64_t paid = all->rows * all->columns * all->bytes / SHARE_BYTES;
  const int64_t shares = least(least(paid, all->cores), run.items);
  weft__run_shares(shares > 1 ? (int)shares : 1, share_blocks, &r);
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

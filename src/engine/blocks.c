// SPDX-License-Identifier: MIT
#include "engine/blocks.h"

#include <stdatomic.h>

#include "engine/shares.h"
#include "engine/tuning.h"

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
  const int64_t elements = all->bytes < WEFT__BLOCK_BYTES ? WEFT__BLOCK_BYTES / all->bytes : 1;
  run.columns = least(all->columns, all->most_columns ? all->most_columns : elements);
  run.rows = least(all->rows, run.columns < elements ? elements / run.columns : 1);
  run.across = (all->columns + run.columns - 1) / run.columns;
  run.items = (all->rows + run.rows - 1) / run.rows * run.across;
  const int64_t paid = all->rows * all->columns * all->bytes / WEFT__BLOCK_SHARE_BYTES;
  weft__run_shares(weft__shares_of((uint64_t)least(paid, run.items), (uint64_t)all->cores), share_blocks, &r);
}

// SPDX-License-Identifier: MIT
/// Work of host steps on the elements of a result, block by block, which the threads share: a block is some columns of
/// some rows, and fits the second-level cache.
#ifndef WEFT_ENGINE_BLOCKS_H
#define WEFT_ENGINE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

typedef struct weft__block {
  int64_t row, rows, column, columns;
} weft__block;

typedef struct weft__blocks {
  int64_t rows, columns;
  int64_t most_columns; /* of a block; 0: any */
  int64_t bytes;        /* of an element */
  int cores;
  void (*function)(const weft__block *block, const void *job);
  const void *job;
} weft__blocks;

/// Calls the function for each block, in as many threads as the elements pay for, and waits.
void weft__run_blocks(const weft__blocks *blocks);

#endif

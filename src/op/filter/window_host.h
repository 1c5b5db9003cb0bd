// SPDX-License-Identifier: MIT
/// Windows on the host: window_host.c finds their elements, window_loops.c has the loops over these.
#ifndef WEFT_OP_FILTER_WINDOW_HOST_H
#define WEFT_OP_FILTER_WINDOW_HOST_H

#include "op/filter/filter.h"

enum {
  WEFT__WINDOW_CHUNK = 512, /* elements of a result that a loop computes */
  WEFT__RANK_BYTES = 256    /* of each element of the windows that exchanges compare together */
};

/// What a loop makes of the windows of elements that follow each other.
typedef struct weft__windows {
  int32_t op; /* WEFT__FILTER_* */
  int64_t taps;
  const void *const *tap;         /* of each element of the window: the first result's */
  const void *weight;             /* SUM and MEAN: of weft__filter_sum_dtype; 1 for means */
  const weft__window_order *rank; /* RANK */
  void *scratch;                  /* RANK: WEFT__RANK_BYTES for each element of the window, on a line of the cache */
} weft__windows;

/// Writes `count` elements, at most WEFT__WINDOW_CHUNK.
typedef void weft__window_loop(void *to, const weft__windows *w, int64_t count);
weft__window_loop *weft__window_loop_of(weft_dtype dtype);

#endif

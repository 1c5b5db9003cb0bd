// SPDX-License-Identifier: MIT
/// A concatenation as rows of the result, to which each array contributes a part, and the ways to make them (ways.c).
#ifndef WEFT_OP_REARRANGE_JOIN_H
#define WEFT_OP_REARRANGE_JOIN_H

#include "array/array.h"
#include "cl/rearrange/args.h"
#include "engine/host_step.h"
#include "engine/ways.h"

/// The task of the ways: arrays, contiguous, as adjacent pieces of each row.
typedef struct weft__join_task {
  weft_array *out;     /* contiguous */
  int64_t rows, pitch; /* pitch: elements of a row of the result */
  int64_t begin;       /* position of the first piece in a row */
  int pieces;
  const weft_array *piece[WEFT__JOIN_PIECES];
  int64_t width[WEFT__JOIN_PIECES];
  const char *site;
} weft__join_task;
extern const weft__ways weft__join_ways;
extern const weft__host_function weft__host_join;
WEFT__WAY_FUNCTION(join, host);
WEFT__WAY_FUNCTION(join, kernels);

#endif

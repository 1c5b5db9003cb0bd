// SPDX-License-Identifier: MIT
/// Evenly spaced numbers for other functions, and the ways to compute them (ways.c).
#ifndef WEFT_OP_CREATE_RANGE_H
#define WEFT_OP_CREATE_RANGE_H

#include "array/array.h"
#include "engine/host_step.h"
#include "engine/ways.h"

/// Element i is start + i * step in dtype `real`, except element `given`, which is `given_value`.
typedef struct weft__range_of {
  int64_t size;
  weft_dtype real; /* the dtype computed in: WEFT_I64, WEFT_F32 or WEFT_F64 */
  int64_t start_i, step_i;
  double start, step, given_value;
  uint64_t given;
  double parts; /* if not 0, element i is start + i / parts * step */
} weft__range_of;

/// The task of the ways. x is contiguous and has elements.
typedef struct weft__range_task {
  weft_array *x;
  const weft__range_of *range;
  const char *site;
} weft__range_task;
extern const weft__ways weft__range_ways;
extern const weft__host_function weft__host_range;
WEFT__WAY_FUNCTION(range, host);
WEFT__WAY_FUNCTION(range, kernels);
/// The bits of a number in the dtype that is computed in.
uint64_t weft__range_bits(weft_dtype real, double number, int64_t integer);

/// Fills x, which is contiguous and of i64, with begin, begin + 1 and so on.
weft_status weft__count_up(weft_array *x, int64_t begin, const char *site);

#endif

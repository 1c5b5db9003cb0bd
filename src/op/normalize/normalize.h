// SPDX-License-Identifier: MIT
/// A call of weft/normalize.h in progress, and the ways to compute it (ways.c).
#ifndef WEFT_OP_NORMALIZE_NORMALIZE_H
#define WEFT_OP_NORMALIZE_NORMALIZE_H

#include <weft/normalize.h>

#include "call/call.h"
#include "cl/normalize/args.h"
#include "engine/host_step.h"
#include "engine/ways.h"

/// The task of the ways, whose rows have at least one element.
typedef struct weft__normalizing {
  weft__call call;
  uint8_t function; /* WEFT__NORMALIZE_... */
  weft_axes axes;
  int64_t ddof;
  double epsilon;
  bool along[WEFT_MAX_NDIM];
  uint64_t rows, length;
  weft_shape result;
  weft_dtype dtype, work; /* of the result; computed in */
} weft__normalizing;

/// Whether the result has the shape of x.
static inline bool weft__normalize_gives_rows(const weft__normalizing *t) {
  return t->function != WEFT__NORMALIZE_LOGSUMEXP;
}
/// Whether the rows lie one behind the other in x.
bool weft__normalize_has_rows(const weft__normalizing *t);
/// Makes x and the result contiguous arrays of the result's dtype.
weft_status weft__normalize_contiguous(weft__normalizing *t);
/// What STANDARDIZE divides the sum of squares by.
double weft__normalize_freedom(const weft__normalizing *t);

WEFT__WAY_FUNCTIONS(normalize, single);
WEFT__WAY_FUNCTIONS(normalize, host);
WEFT__WAY_FUNCTIONS(normalize, block);
WEFT__WAY_FUNCTION(normalize, passes);
extern const weft__ways weft__normalize_ways;
extern const weft__host_function weft__host_normalize;

#endif

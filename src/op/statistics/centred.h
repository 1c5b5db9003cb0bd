// SPDX-License-Identifier: MIT
/// Covariances and correlations of few variables on CPU devices, in one step of the host (engine/host_step.h): means,
/// differences from them and their products, with no array of the differences.
#ifndef WEFT_OP_STATISTICS_CENTRED_H
#define WEFT_OP_STATISTICS_CENTRED_H

#include "array/array.h"

typedef struct weft__centred {
  const weft_array *x; /* [variables, observations], of any strides */
  weft_array *out;     /* f32 or f64 [variables, variables], contiguous, new */
  bool correlates;     /* the products are divided by the roots of the diagonal's, else by the factor */
  double factor;
  const char *site;
} weft__centred;

extern const struct weft__host_function weft__host_centred;

/// Whether the step can compute and is faster for x.
bool weft__centred_fits(const weft_array *x);
/// Computes task->out in doubles, and rounds once. Errors: as weft__host_step, HOST_MEMORY.
weft_status weft__centred_products(const weft__centred *task);

#endif

// SPDX-License-Identifier: MIT
/// Runs a plan whose formula reads neighbours: a stencil.
#ifndef WEFT_MAP_STENCIL_H
#define WEFT_MAP_STENCIL_H

#include "map/plan.h"

/// The values at positions outside the arrays.
typedef struct weft__border {
  int kind;                            /* WEFT__BORDER_* */
  uint64_t fill[2 * WEFT__MAX_ARRAYS]; /* CONSTANT: the bytes of an element for each array input */
} weft__border;

/// weft__plan_run for a stencil's plan. The arrays have `shape`; no result may share memory with an input.
weft_status weft__stencil_run(const weft__plan *plan, weft_shape shape, weft_array *const *array,
                              const uint64_t *scalars, const weft__border *border, const char *site);

#endif

// SPDX-License-Identifier: MIT
/// Specialisations: a formula made into a kernel for one combination of dtypes and layouts, kept in the context.
///
/// A plan is a formula for given operand dtypes; its specials are the kernels built of it so far.
#ifndef WEFT_OP_SPECIAL_H
#define WEFT_OP_SPECIAL_H

#include "op/emit.h"
#include "op/layout.h"

/// How a kernel reaches an array's elements; `how` of cl/map/.
typedef enum weft__how {
  WEFT__HOW_VECTOR = 0,
  WEFT__HOW_SHIFTED,
  WEFT__HOW_ELEMENTS,
  WEFT__HOW_UNIFORM, /* one value for all */
  WEFT__HOW_ONE,     /* one value for each run along the last axis */
  WEFT__HOW_GATHER,
  WEFT__HOW_STREAM,
  WEFT__HOW_RUN,
  WEFT__HOW_DIRECT,
  WEFT__HOW_TURNED, /* runs along another axis than the results */
} weft__how;

typedef enum weft__map_kernel { WEFT__GPU_FLAT = 0, WEFT__GPU_STRIDED, WEFT__GPU_TILE, WEFT__CPU_FLAT, WEFT__CPU_STRIDED } weft__map_kernel;

/// What distinguishes two kernels of one plan. No padding: it is compared as bytes.
typedef struct weft__special_key {
  uint8_t kernel; /* weft__map_kernel */
  uint8_t elements, unroll, axes, wide, tile;
  uint8_t out[WEFT__MAX_ARRAYS]; /* weft_dtype of each result as stored */
  uint8_t how[WEFT__MAX_ARRAYS]; /* weft__how of each array */
} weft__special_key;

typedef struct weft__special {
  struct weft__special *next;
  weft__special_key key;
  weft__kernel kernel;
} weft__special;

typedef struct weft__plan {
  struct weft__plan *next;
  const char *name; /* what messages and launches call it; interned */
  weft__formula formula;
  weft_dtype result[WEFT__MAX_ARRAYS];
  bool uses_index;
  _Atomic(weft__special *) specials;
  size_t key_size;
  unsigned char key[]; /* what it was made from: the function or text, and the operands' dtypes */
} weft__plan;

/// The plans of a context.
typedef struct weft__plans weft__plans;
/// Those of this context, made when first asked for.
weft_status weft__plans_of(weft__plans **plans, weft_context *context);
/// NULL where there is none yet.
weft__plan *weft__plan_find(weft__plans *plans, const void *key, size_t key_size);
/// Keeps a plan whose formula is done; takes the formula over. Where another thread was first, *plan is that one's.
weft_status weft__plan_add(weft__plan **plan, weft__plans *plans, const void *key, size_t key_size, const char *name,
                           weft__formula *formula);
/// All plans made so far.
void weft__plans_visit(weft__plans *plans, void (*visit)(const weft__plan *plan, void *data), void *data);
/// How many kernels were built of a plan.
int weft__plan_kernels(const weft__plan *plan);

/// Computes the plan over arrays: results first, then the inputs that are arrays, in their order. `scalars` are the bytes of the formula's
/// scalars, two words each. Sizes over 0; the arrays do not overlap where that matters.
weft_status weft__plan_run(weft__plan *plan, weft_context *context, weft_shape shape, int results, int arrays, weft_array *const *array,
                           const uint64_t *scalars, const char *site);
/// Builds the kernel for contiguous arrays of the inputs' dtypes.
weft_status weft__plan_prepare(weft__plan *plan, weft_context *context);

#endif

// SPDX-License-Identifier: MIT
/// Expressions with reduced values, "exp(a - max(a, axis=-1))": each of these is computed into a small array, which is
/// then an operand like any other.
#ifndef WEFT_OP_UFUNC_REDUCED_H
#define WEFT_OP_UFUNC_REDUCED_H

#include "call/call.h"
#include "expr/part.h"
#include "op/ufunc/apply.h"

/// A part's plan, and what its inputs and scalars are in the whole (weft__formula_part).
typedef struct weft__plan_part {
  weft__entry entry;
  weft__plan *plan;
  int from[WEFT__MAX_INPUTS];
  int place[WEFT__MAX_SCALARS];
} weft__plan_part;

/// Finds or makes the part for a reduced value, or WEFT__PART_RESULTS.
weft_status weft__plan_part_get(const weft__plan_part **part, weft__store *store, const weft__plan *whole, int value);

/// What is left of a call when its reduced values are computed: a plan without such values, over some of the call's
/// operands and the values.
typedef struct weft__remainder {
  weft__plan_call call;
  weft_operand operand[WEFT__MAX_INPUTS];
  const char *name[WEFT__MAX_INPUTS];
  uint64_t numbers[2 * WEFT__MAX_SCALARS];
  int values;
  weft_array *value[WEFT__MAX_INPUTS];
} weft__remainder;

/// Computes the reduced values of a plan over the operands of `c`, which are checked. Close the remainder also after a
/// failure.
weft_status weft__remainder_open(weft__remainder *rest, weft__call *c, const weft__plan *plan, const uint64_t *numbers);
void weft__remainder_close(weft__remainder *rest);

/// Reduces the values that a plan computes. The room of reductions, which is above this one, fills it in.
typedef weft_status weft__value_reducer_function(weft_array **out, const weft__plan_call *values, weft_reduction_id id,
                                                 weft_axes axes, double parameter);
extern weft__value_reducer_function *const weft__value_reducer;

/// Computes a plan with reduced values over the operands of `c`, which are checked, in one launch: *done. False: it
/// cannot, and has done nothing. The room of reductions fills it in.
typedef weft_status weft__row_evaluator_function(bool *done, weft__call *c, const weft__plan *plan,
                                                 const uint64_t *numbers);
extern weft__row_evaluator_function *const weft__row_evaluator;

#endif

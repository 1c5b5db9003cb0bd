// SPDX-License-Identifier: MIT
/// Least squares by the singular values: x = V inverse(S) adjoint(U) b, without the singular values that count as 0.
#include <float.h>
#include <weft/eval.h>
#include <weft/matmul.h>
#include <weft/reduce.h>
#include <weft/ufuncs.h>

#include "op/linalg/block.h"
#include "op/linalg/steps.h"

/// Makes *inverse: 1 / s, or 0 where s counts as 0; and the rank.
static weft_status invert(weft_array **inverse, const weft__gelsd *step, const char *site) {
  const bool is_double = weft_dtype_size_bytes(step->s->dtype) == 8;
  const double rcond = step->rcond >= 0 ? step->rcond : is_double ? DBL_EPSILON : FLT_EPSILON;
  const weft_array largest = weft__array_part(step->s, 1, 0, 1);
  weft_array *kept = NULL, *rank = step->rank;
  const weft_operand variables[] = {WEFT_NAMED("s", step->s), WEFT_NAMED("top", &largest), WEFT_NAMED("rcond", rcond)};
  weft_context *context = step->s->context;
  weft_status rc;
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(inverse), context, "where(s > rcond * top, 1 / s, 0)", 3, variables, site));
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&kept), context, "s > rcond * top", 3, variables, site));
  WEFT__TRY(weft__reduce_apply_at(WEFT_REDUCE_COUNT_NONZERO, WEFT_OPERAND(&rank), WEFT_OPERAND(kept), WEFT__AXES(1), 0,
                                  site));
done:
  weft_array_release(&kept);
  return rc;
}

/// x = adjoint(vh) (inverse * (adjoint(u) b))
static weft_status solve(const weft__gelsd *step, const weft_array *u, const weft_array *vh, const weft_array *inverse,
                         const char *site) {
  weft_array *conjugated_u = NULL, *conjugated_vh = NULL, *parts = NULL, *x = step->x;
  weft_status rc;
  WEFT__TRY(weft__block_conjugated(&conjugated_u, u, site));
  WEFT__TRY(weft__block_conjugated(&conjugated_vh, vh, site));
  const weft_array u_adjoint = weft__block_transposed(conjugated_u ? conjugated_u : u);
  const weft_array v = weft__block_transposed(conjugated_vh ? conjugated_vh : vh);
  WEFT__TRY(weft__block_product(&parts, &u_adjoint, step->b, site));
  weft_array column = weft__array_borrow(inverse);
  weft__set_contiguous(&column, WEFT_SHAPE(inverse->shape[0], inverse->shape[1], 1));
  const weft_operand scaled[] = {WEFT_OPERAND(&parts), WEFT_OPERAND(parts), WEFT_OPERAND(&column)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_MULTIPLY, 3, scaled, site));
  WEFT__TRY(weft__block_product(&x, &v, parts, site));
done:
  weft_array_release(&parts);
  weft_array_release(&conjugated_vh);
  weft_array_release(&conjugated_u);
  return rc;
}

weft_status weft__step_gelsd(const weft__gelsd *step, const char *site) {
  const weft_array *a = step->a;
  const int64_t batches = a->shape[0], m = a->shape[1], n = a->shape[2], least = m < n ? m : n;
  weft_array *u = NULL, *vh = NULL, *inverse = NULL;
  weft_status rc;
  if (a->size == 0 || step->x->size == 0) {
    WEFT__TRY_RETURN(step->x->size ? weft__fill(step->x, WEFT_SCALAR(0), site) : WEFT_OK);
    WEFT__TRY_RETURN(batches ? weft__fill(step->rank, WEFT_SCALAR(0), site) : WEFT_OK);
    if (a->size == 0) return batches ? weft__fill(step->info, WEFT_SCALAR(0), site) : WEFT_OK;
  }
  WEFT__TRY(weft__array_create(&u, a->context, a->dtype, WEFT_SHAPE(batches, m, least), site));
  WEFT__TRY(weft__array_create(&vh, a->context, a->dtype, WEFT_SHAPE(batches, least, n), site));
  WEFT__TRY(weft__step_gesdd(u, step->s, vh, step->a, step->info, site));
  WEFT__TRY(invert(&inverse, step, site));
  if (step->x->size) WEFT__TRY(solve(step, u, vh, inverse, site));
done:
  weft_array_release(&inverse);
  weft_array_release(&vh);
  weft_array_release(&u);
  return rc;
}

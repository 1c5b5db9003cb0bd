// SPDX-License-Identifier: MIT
/// Least squares by the singular values: x = V inverse(S) adjoint(U) b, without the singular values that count as 0.
/// Many rows of few columns are reduced first, by QR factorizations of blocks of rows (Demmel, Grigori, Hoemmen and
/// Langou 2012), which leave singular values and solution as they are.
#include <float.h>
#include <weft/eval.h>
#include <weft/matmul.h>
#include <weft/reduce.h>
#include <weft/ufuncs.h>

#include "engine/engine.h"
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

/* ---- many rows ---- */

enum {
  ROWS = WEFT__SMALL_MATRIX, /* of a block */
  MOST_COLUMNS = ROWS / 4,   /* of a and b together: each pass leaves a fourth of the rows at most */
  LEAST_ROWS = 8 * ROWS,
};

/// Blocks of rows [batch, blocks, ROWS, columns] with the rows of a, beside them the rows of b (NULL: no b), and zeros.
static weft_status make_blocks(weft_array **out, const weft_array *a, const weft_array *b, const char *site) {
  const int64_t batches = a->shape[0], rows = a->shape[1], n = a->shape[2], right = b ? b->shape[2] : 0;
  const int64_t blocks = (int64_t)weft_ceil_div((uint64_t)rows, ROWS);
  weft_status rc;
  weft_array *made = NULL;
  WEFT__TRY(weft__array_create(&made, a->context, a->dtype, WEFT_SHAPE(batches, blocks * ROWS, n + right), site));
  if (rows < blocks * ROWS) WEFT__TRY(weft__fill(made, WEFT_SCALAR(0), site));
  weft_array left = weft__block_part(made, 0, rows, 0, n), beside = weft__block_part(made, 0, rows, n, right);
  WEFT__TRY(weft__assign(&left, a, site));
  if (b) WEFT__TRY(weft__assign(&beside, b, site));
  weft__set_contiguous(made, WEFT_SHAPE(batches * blocks, ROWS, n + right));
  *out = made;
  made = NULL;
done:
  weft_array_release(&made);
  return rc;
}

/// Makes *out: R of the QR factorization of a and b side by side, [batch, columns, columns].
static weft_status reduce_rows(weft_array **out, const weft_array *a, const weft_array *b, const char *site) {
  const int64_t batches = a->shape[0], columns = a->shape[2] + b->shape[2];
  weft_array *blocks = NULL, *r = NULL, *above = NULL;
  weft_status rc;
  WEFT__TRY(make_blocks(&blocks, a, b, site));
  for (;;) {
    WEFT__TRY(weft__array_create(&r, a->context, a->dtype, WEFT_SHAPE(blocks->shape[0], columns, columns), site));
    WEFT__TRY(weft__step_geqrf(NULL, r, blocks, site));
    weft_array_release(&blocks);
    if (r->shape[0] == batches) break;
    above = r;
    r = NULL;
    weft__set_contiguous(above, WEFT_SHAPE(batches, above->shape[0] / batches * columns, columns));
    WEFT__TRY(make_blocks(&blocks, above, NULL, site));
    weft_array_release(&above);
  }
  *out = r;
  r = NULL;
done:
  weft_array_release(&blocks);
  weft_array_release(&r);
  weft_array_release(&above);
  return rc;
}

/// The solution from the reduced rows.
static weft_status solve_reduced(const weft__gelsd *step, const char *site) {
  const int64_t batches = step->a->shape[0], n = step->a->shape[2], right = step->b->shape[2];
  weft_array *whole = NULL, *a = NULL, *b = NULL;
  weft__gelsd reduced = *step;
  weft_status rc;
  WEFT__TRY(reduce_rows(&whole, step->a, step->b, site));
  WEFT__TRY(weft__array_create(&a, whole->context, whole->dtype, WEFT_SHAPE(batches, n, n), site));
  WEFT__TRY(weft__array_create(&b, whole->context, whole->dtype, WEFT_SHAPE(batches, n, right), site));
  const weft_array left = weft__block_part(whole, 0, n, 0, n), beside = weft__block_part(whole, 0, n, n, right);
  WEFT__TRY(weft__assign(a, &left, site));
  WEFT__TRY(weft__assign(b, &beside, site));
  reduced.a = a;
  reduced.b = b;
  rc = weft__step_gelsd(&reduced, site);
done:
  weft_array_release(&whole);
  weft_array_release(&a);
  weft_array_release(&b);
  return rc;
}

/// Whether rows are reduced: on GPUs, where a work-group for each block is faster than one for all rows.
static bool has_many_rows(const weft_array *a, const weft_array *b) {
  return !a->context->store.is_cpu && weft__engine_allowed(WEFT__ENGINE_OWN) && a->shape[1] >= LEAST_ROWS &&
         a->shape[2] + b->shape[2] <= MOST_COLUMNS;
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
  if (has_many_rows(a, step->b) && step->x->size) return solve_reduced(step, site);
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

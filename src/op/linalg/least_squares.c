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

static double rcond_of(const weft__gelsd *step) {
  const bool is_double = weft_dtype_size_bytes(step->s->dtype) == 8;
  return step->rcond >= 0 ? step->rcond : is_double ? DBL_EPSILON : FLT_EPSILON;
}

/// Makes *divisors: s, or infinity where s counts as 0; and the rank. The inverse of a subnormal s would overflow. NaN
/// if the largest s overflowed: no s is known to count then.
static weft_status keep_values(weft_array **divisors, const weft__gelsd *step, const char *site) {
  const double rcond = rcond_of(step);
  const weft_array largest = weft__array_part(step->s, 1, 0, 1);
  weft_array *kept = NULL, *rank = step->rank;
  const weft_operand variables[] = {WEFT_NAMED("s", step->s), WEFT_NAMED("top", &largest), WEFT_NAMED("rcond", rcond)};
  weft_context *context = step->s->context;
  weft_status rc;
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(divisors), context, "where(top == inf, nan, where(s > rcond * top, s, inf))", 3,
                          variables, site));
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&kept), context, "s > rcond * top", 3, variables, site));
  WEFT__TRY(weft__reduce_apply_at(WEFT_REDUCE_COUNT_NONZERO, WEFT_OPERAND(&rank), WEFT_OPERAND(kept), WEFT__AXES(1), 0,
                                  site));
done:
  weft_array_release(&kept);
  return rc;
}

/// x = adjoint(vh) ((adjoint(u) b) / divisors)
static weft_status solve(const weft__gelsd *step, const weft_array *u, const weft_array *vh, const weft_array *divisors,
                         const char *site) {
  weft_array *conjugated_u = NULL, *conjugated_vh = NULL, *parts = NULL, *x = step->x;
  weft_status rc;
  WEFT__TRY(weft__block_conjugated(&conjugated_u, u, site));
  WEFT__TRY(weft__block_conjugated(&conjugated_vh, vh, site));
  const weft_array u_adjoint = weft__array_transposed(conjugated_u ? conjugated_u : u);
  const weft_array v = weft__array_transposed(conjugated_vh ? conjugated_vh : vh);
  WEFT__TRY(weft__block_product(&parts, &u_adjoint, step->b, site));
  weft_array column = weft__array_borrow(divisors);
  weft__set_contiguous(&column, WEFT_SHAPE(divisors->shape[0], divisors->shape[1], 1));
  const weft_operand scaled[] = {WEFT_OPERAND(&parts), WEFT_OPERAND(parts), WEFT_OPERAND(&column)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_DIVIDE, 3, scaled, site));
  WEFT__TRY(weft__block_product(&x, &v, parts, site));
done:
  weft_array_release(&parts);
  weft_array_release(&conjugated_vh);
  weft_array_release(&conjugated_u);
  return rc;
}

/// The solution from all singular values.
static weft_status solve_singular(const weft__gelsd *step, const char *site) {
  const weft_array *a = step->a;
  const int64_t batches = a->shape[0], m = a->shape[1], n = a->shape[2], least = m < n ? m : n;
  weft_array *u = NULL, *vh = NULL, *divisors = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&u, a->context, a->dtype, WEFT_SHAPE(batches, m, least), site));
  WEFT__TRY(weft__array_create(&vh, a->context, a->dtype, WEFT_SHAPE(batches, least, n), site));
  WEFT__TRY(weft__step_gesdd(u, step->s, vh, step->a, step->info, site));
  WEFT__TRY(keep_values(&divisors, step, site));
  if (step->x->size) WEFT__TRY(solve(step, u, vh, divisors, site));
done:
  weft_array_release(&divisors);
  weft_array_release(&vh);
  weft_array_release(&u);
  return rc;
}

/* ---- many rows ---- */

enum {
  ROWS = WEFT__SMALL_MATRIX, /* of a block */
  MOST_COLUMNS = ROWS / 4,   /* of a and b together: each pass leaves a fourth of the rows at most */
  LEAST_ROWS = 8 * ROWS,
};

/// Sets `to` to b with zeros for NaN and infinities: in a factorization beside other columns they would reach those.
static weft_status assign_finite(weft_array *to, const weft_array *b, const char *site) {
  const weft_operand variables[] = {WEFT_NAMED("b", b)};
  if (b->size == 0) return WEFT_OK;
  return weft__eval_at(WEFT_OPERAND(&to), b->context, "where(isfinite(b), b, 0)", 1, variables, site);
}

/// Sets the columns of x to NaN for which b has an element that is not finite.
static weft_status mark_broken(weft_array *x, const weft_array *b, const char *site) {
  weft_array *marks = NULL;
  weft_status rc;
  const weft_operand right[] = {WEFT_NAMED("b", b)};
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&marks), b->context, "sum(b * 0, axis=1)", 1, right, site));
  weft__set_contiguous(marks, WEFT_SHAPE(b->shape[0], 1, b->shape[2]));
  const weft_operand added[] = {WEFT_OPERAND(&x), WEFT_OPERAND(x), WEFT_OPERAND(marks)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_ADD, 3, added, site));
done:
  weft_array_release(&marks);
  return rc;
}

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
  if (b) WEFT__TRY(assign_finite(&beside, b, site));
  weft__set_contiguous(made, WEFT_SHAPE(batches * blocks, ROWS, n + right));
  *out = made;
  made = NULL;
done:
  weft_array_release(&made);
  return rc;
}

/// Makes *out: R of the QR factorization of a and b side by side, [batch, columns, columns], block by block.
static weft_status reduce_blocks(weft_array **out, const weft_array *a, const weft_array *b, const char *site) {
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

/// Whether the columns are few enough for a work-group of a GPU for each block to be faster than one for all rows.
static bool has_blocks(const weft_array *a, const weft_array *b) {
  return !a->context->store.is_cpu && a->shape[1] >= LEAST_ROWS && a->shape[2] + b->shape[2] <= MOST_COLUMNS;
}

/// Makes *r and *right: R of the QR factorization of a, and the first rows of adjoint(Q) b.
static weft_status reduce_rows(weft_array **r, weft_array **right, const weft_array *a, const weft_array *b,
                               const char *site) {
  const int64_t batches = a->shape[0], m = a->shape[1], n = a->shape[2], columns = n + b->shape[2];
  weft_context *context = a->context;
  weft_array *both = NULL, *whole = NULL;
  weft_status rc;
  if (has_blocks(a, b)) {
    WEFT__TRY(reduce_blocks(&whole, a, b, site));
  } else {
    WEFT__TRY(weft__array_create(&both, context, a->dtype, WEFT_SHAPE(batches, m, columns), site));
    WEFT__TRY(
        weft__array_create(&whole, context, a->dtype, WEFT_SHAPE(batches, m < columns ? m : columns, columns), site));
    weft_array left = weft__block_part(both, 0, m, 0, n), beside = weft__block_part(both, 0, m, n, columns - n);
    WEFT__TRY(weft__assign(&left, a, site));
    WEFT__TRY(assign_finite(&beside, b, site));
    WEFT__TRY(weft__step_geqrf(NULL, whole, both, site));
  }
  WEFT__TRY(weft__array_create(r, context, a->dtype, WEFT_SHAPE(batches, n, n), site));
  WEFT__TRY(weft__array_create(right, context, a->dtype, WEFT_SHAPE(batches, n, columns - n), site));
  const weft_array left = weft__block_part(whole, 0, n, 0, n), beside = weft__block_part(whole, 0, n, n, columns - n);
  WEFT__TRY(weft__assign(*r, &left, site));
  WEFT__TRY(weft__assign(*right, &beside, site));
done:
  weft_array_release(&both);
  weft_array_release(&whole);
  return rc;
}

/// *is_full: no singular value of the triangle r counts as 0, in any matrix. The quotient of the least and the largest
/// is at least 1 / (|r| |inverse(r)|) with the lengths of all elements. Waits.
static weft_status find_full(bool *is_full, const weft__gelsd *step, const weft_array *r, const weft_array *inverse,
                             const char *site) {
  weft_array *certain = NULL, *all = NULL;
  weft_status rc;
  const weft_operand variables[] = {WEFT_NAMED("r", r), WEFT_NAMED("i", inverse), WEFT_NAMED("rcond", rcond_of(step))};
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&certain), r->context,
                          "sum(square(abs(r)), axis=(1, 2)) * sum(square(abs(i)), axis=(1, 2)) * rcond * rcond < 0.25",
                          3, variables, site));
  WEFT__TRY(weft__reduce_apply_at(WEFT_REDUCE_ALL, WEFT_OPERAND(&all), WEFT_OPERAND(certain), WEFT_ALL_AXES, 0, site));
  uint8_t found = 0;
  WEFT__TRY(weft__array_read(&found, all, true, site));
  *is_full = found != 0;
done:
  weft_array_release(&certain);
  weft_array_release(&all);
  return rc;
}

/// The solution inverse(r) right, if r has full rank for certain: then *is_done.
static weft_status solve_triangle(bool *is_done, const weft__gelsd *step, const weft_array *r, const weft_array *right,
                                  const char *site) {
  const int64_t batches = r->shape[0], n = r->shape[1], columns = right->shape[2];
  weft_array *both = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&both, r->context, r->dtype, WEFT_SHAPE(batches, n, columns + n), site));
  weft_array x = weft__block_part(both, 0, n, 0, columns), inverse = weft__block_part(both, 0, n, columns, n);
  WEFT__TRY(weft__assign(&x, right, site));
  WEFT__TRY(weft__identity(&inverse, site));
  WEFT__TRY(weft__step_trsm(both, NULL, r, (weft__triangle){.is_upper = true}, NULL, site));
  WEFT__TRY(find_full(is_done, step, r, &inverse, site));
  if (!*is_done) goto done;
  WEFT__TRY(weft__assign(step->x, &x, site));
  WEFT__TRY(weft__fill(step->rank, WEFT_SCALAR(n), site));
  WEFT__TRY(weft__fill(step->info, WEFT_SCALAR(0), site));
done:
  weft_array_release(&both);
  return rc;
}

/// The solution from the reduced rows.
static weft_status solve_reduced(const weft__gelsd *step, const char *site) {
  weft_array *a = NULL, *b = NULL;
  weft__gelsd reduced = *step;
  bool is_done = false;
  weft_status rc;
  WEFT__TRY(reduce_rows(&a, &b, step->a, step->b, site));
  if (!step->wants_s) WEFT__TRY(solve_triangle(&is_done, step, a, b, site));
  reduced.a = a;
  reduced.b = b;
  if (!is_done) WEFT__TRY(solve_singular(&reduced, site));
  WEFT__TRY(mark_broken(step->x, step->b, site));
done:
  weft_array_release(&a);
  weft_array_release(&b);
  return rc;
}

/// Whether rows are reduced first: on GPUs, where rotations of large matrices are slow, and on CPUs where the singular
/// values need not be found. A square matrix gains only then, too.
static bool is_reduced(const weft__gelsd *step) {
  const weft_array *a = step->a;
  const int64_t m = a->shape[1], n = a->shape[2];
  if (!weft__engine_allowed(WEFT__ENGINE_OWN) || step->x->size == 0 || m <= WEFT__SMALL_MATRIX) return false;
  if (a->context->store.is_cpu && step->wants_s) return false;
  return step->wants_s ? m >= 2 * n : m >= n;
}

weft_status weft__step_gelsd(const weft__gelsd *step, const char *site) {
  const weft_array *a = step->a;
  if (a->size == 0 || step->x->size == 0) {
    WEFT__TRY_RETURN(step->x->size ? weft__fill(step->x, WEFT_SCALAR(0), site) : WEFT_OK);
    WEFT__TRY_RETURN(a->shape[0] ? weft__fill(step->rank, WEFT_SCALAR(0), site) : WEFT_OK);
    if (a->size == 0) return a->shape[0] ? weft__fill(step->info, WEFT_SCALAR(0), site) : WEFT_OK;
  }
  return is_reduced(step) ? solve_reduced(step, site) : solve_singular(step, site);
}

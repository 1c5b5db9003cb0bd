// SPDX-License-Identifier: MIT
/// weft_matrix_power, weft_matrix_norm, weft_cond: products, sums, singular values and inverses of whole stacks.
#include <inttypes.h>
#include <weft/eval.h>
#include <weft/matmul.h>
#include <weft/reduce.h>
#include <weft/release.h>

#include "array/axes.h"
#include "map/cast.h"
#include "op/linalg/solver.h"

static const char *const a_name[] = {"a"};

/* ---- powers ---- */

/// a to the power of n, at least 2, from the highest bit of n to the lowest.
static weft_status multiply_bits(weft_operand out, const weft_array *a, uint64_t n, const char *site) {
  weft_status rc;
  weft_array *power[2] = {NULL, NULL};
  const weft_matmul_params params = {.site = site};
  const weft_array *last = a;
  int bit = 0, next = 0;
  while (n >> bit > 3) bit++;
  for (; bit >= 0; bit--)
    for (int step = 0; step < 2; step++) { /* a square, and for a bit that is set one factor more */
      if (step == 1 && !(n >> bit & 1)) continue;
      const bool is_last = bit == 0 && (step == 1 || !(n & 1));
      weft_array_release(&power[next]);
      WEFT__TRY(weft__matmul_at(is_last ? out : WEFT_OPERAND(&power[next]), WEFT_OPERAND(last),
                                WEFT_OPERAND(step ? a : last), &params));
      last = power[next];
      next = !next;
    }
  rc = WEFT_OK;
done:
  for (int k = 0; k < 2; k++) weft_array_release(&power[k]);
  return rc;
}

/// The identity, or for an exponent of 1 the matrices themselves.
static weft_status copy_power(weft__solver *s, bool is_one) {
  weft__call *c = &s->call;
  const weft_shape shape = weft__call_shape(c, 0);
  const weft_dtype dtype = weft__call_dtype(c, 0);
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, dtype, shape));
  return is_one ? weft__cast_into(c->array[0], c->array[1], dtype, c->site) : weft__identity(c->array[0], c->site);
}

static weft_status raise(weft__solver *s, weft_operand out, int64_t exponent) {
  weft_array *inverse = NULL;
  const weft_solve_params params = {.site = s->call.site};
  const uint64_t n = exponent < 0 ? 0 - (uint64_t)exponent : (uint64_t)exponent;
  WEFT__TRY_RETURN(weft__solver_matrices(s, true));
  const weft_array *a = s->call.array[1];
  if (exponent == 0 || exponent == 1) return copy_power(s, exponent == 1);
  if (exponent > 0) return multiply_bits(out, a, n, s->call.site);
  if (exponent == -1) return weft__inv_at(out, WEFT_OPERAND(a), &params);
  WEFT__TRY_RETURN(weft__inv_at(WEFT_OPERAND(&inverse), WEFT_OPERAND(a), &params));
  s->work[s->works++] = inverse;
  return multiply_bits(out, inverse, n, s->call.site);
}

weft_status weft__matrix_power_at(weft_operand out, weft_operand a, int64_t exponent, const char *site) {
  static const weft__solver_function function = {.name = "weft_matrix_power", .result = {"out"}, .operand = {"a"}};
  weft__solver s;
  weft__solver_open(&s, &function, &out, &a, NULL, site);
  return weft__solver_close(&s, raise(&s, out, exponent));
}

/* ---- norms ---- */

/// Matrices in two axes of an array.
typedef struct matrices {
  const weft_array *x;
  weft_axes axes; /* both, and whether norms keep them */
  int row, column;
  const char *site;
} matrices;

static bool is_spectral(weft_norm_order order) {
  return order == WEFT_NORM_2 || order == WEFT_NORM_MINUS_2 || order == WEFT_NORM_NUC;
}

static weft_status check_order(weft_norm_order order) {
  switch (order) {
    case WEFT_NORM_DEFAULT:
    case WEFT_NORM_1:
    case WEFT_NORM_MINUS_1:
    case WEFT_NORM_2:
    case WEFT_NORM_MINUS_2:
    case WEFT_NORM_FRO:
    case WEFT_NORM_NUC:
    case WEFT_NORM_INF:
    case WEFT_NORM_MINUS_INF:
      return WEFT_OK;
  }
  return weft__fail(WEFT_ERROR_ARGUMENT, "order", "`order` is %d; expected a weft_norm_order, such as WEFT_NORM_INF",
                    (int)order);
}

/// The singular values, NaN where they were not found, along the axis of the rows; the axis of the columns has length
/// 1. *values is the array that `view` is of.
static weft_status find_values(weft_array **values, weft_array *view, const matrices *a) {
  weft_status rc;
  const int last = a->x->ndim - 1;
  weft_array *found = NULL, *info = NULL, stack = weft__array_borrow(a->x);
  weft_operand unwanted = WEFT_OPERAND((weft_array **)NULL);
  const weft_svd_params params = {.info = &info, .site = a->site};
  for (int d = 0, at = 0; d <= last; d++)
    if (d != a->row && d != a->column) {
      stack.shape[at] = a->x->shape[d];
      stack.stride_bytes[at++] = a->x->stride_bytes[d];
    }
  for (int k = 0; k < 2; k++) {
    stack.shape[last - 1 + k] = a->x->shape[k ? a->column : a->row];
    stack.stride_bytes[last - 1 + k] = a->x->stride_bytes[k ? a->column : a->row];
  }
  WEFT__TRY(weft__svd_at(unwanted, WEFT_OPERAND(&found), unwanted, WEFT_OPERAND(&stack), &params));
  weft_array failed = weft__array_borrow(info);
  failed.shape[failed.ndim] = 1;
  failed.stride_bytes[failed.ndim++] = 0;
  const weft_operand variables[] = {WEFT_NAMED("s", found), WEFT_NAMED("failed", &failed)};
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(values), a->x->context, "where(failed != 0, nan, s)", 2, variables, a->site));
  *view = weft__array_borrow(*values);
  view->ndim = last + 1;
  for (int d = 0, at = 0; d <= last; d++) {
    const int from = d == a->row ? last - 1 : d == a->column ? last : at++;
    view->shape[d] = from == last ? 1 : (*values)->shape[from];
    view->stride_bytes[d] = from == last ? 0 : (*values)->stride_bytes[from];
  }
  rc = WEFT_OK;
done:
  weft_release(&found, &info);
  return rc;
}

static weft_status spectral_norm(weft_operand out, const matrices *a, weft_norm_order order) {
  weft_status rc;
  weft_array *values = NULL, view;
  const weft_reduction_id id = order == WEFT_NORM_2     ? WEFT_REDUCE_MAX
                               : order == WEFT_NORM_NUC ? WEFT_REDUCE_SUM
                                                        : WEFT_REDUCE_MIN;
  WEFT__TRY(find_values(&values, &view, a));
  rc = weft__reduce_apply_at(id, out, WEFT_OPERAND(&view), a->axes, 0, a->site);
done:
  weft_array_release(&values);
  return rc;
}

/// The greatest or least sum of a row or of a column.
static weft_status greatest_sum(weft_operand out, const matrices *a, weft_norm_order order) {
  weft_status rc;
  weft_array *sums = NULL;
  const int along = order == WEFT_NORM_1 || order == WEFT_NORM_MINUS_1 ? a->row : a->column;
  const weft_norm_params params = {.order = 1, .site = a->site};
  WEFT__TRY(weft__norm_at(WEFT_OPERAND(&sums), WEFT_OPERAND(a->x), weft_keepdims(along), &params));
  rc = weft__reduce_apply_at(order > 0 ? WEFT_REDUCE_MAX : WEFT_REDUCE_MIN, out, WEFT_OPERAND(sums), a->axes, 0,
                             a->site);
done:
  weft_array_release(&sums);
  return rc;
}

static weft_status find_norm(weft_operand out, const matrices *a, weft_norm_order order) {
  const int64_t rows = a->x->shape[a->row], columns = a->x->shape[a->column];
  const int64_t shorter = rows < columns ? rows : columns;
  const int64_t terms = order == WEFT_NORM_MINUS_2 ? shorter : order == WEFT_NORM_MINUS_1 ? columns : rows;
  if (is_spectral(order) && weft__is_narrow(a->x->dtype))
    return weft__fail(WEFT_ERROR_DTYPE, "a",
                      "`a` is %s; expected f32, f64, c64, c128 or integers for singular values; weft_cast converts",
                      weft_dtype_name(a->x->dtype));
  if (order < 0 && terms == 0)
    return weft__fail(WEFT_ERROR_SHAPE, "a", "`a` has matrices of %" PRId64 " x %" PRId64 ", which have no least %s",
                      rows, columns, order == WEFT_NORM_MINUS_2 ? "singular value" : "sum");
  if (is_spectral(order)) {
    if (shorter > 0) return spectral_norm(out, a, order);
  } else if (order != WEFT_NORM_FRO && order != WEFT_NORM_DEFAULT && (order < 0 || (rows > 0 && columns > 0))) {
    return greatest_sum(out, a, order);
  }
  return weft__norm_at(out, WEFT_OPERAND(a->x), a->axes, &(weft_norm_params){.site = a->site});
}

static weft_status matrix_norm(weft__call *c, weft_operand out, weft_axes axes, weft_norm_order order) {
  int axis[WEFT_MAX_NDIM], count;
  bool along[WEFT_MAX_NDIM];
  WEFT__TRY_RETURN(check_order(order));
  WEFT__TRY_RETURN(weft__call_operands(c));
  const int ndim = weft__call_shape(c, 0).ndim;
  WEFT__TRY_RETURN(weft__axes_resolve(along, axes, ndim)); /* each once */
  WEFT__TRY_RETURN(weft__axes_list(axis, &count, axes, ndim));
  if (count != 2)
    return weft__fail(WEFT_ERROR_AXIS, "axes", "`axes` has %d of `a`'s %d; expected 2, such as WEFT_AXES(-2, -1)",
                      count, ndim);
  const matrices a = {.x = c->array[0], .axes = axes, .row = axis[0], .column = axis[1], .site = c->site};
  return find_norm(out, &a, order);
}

weft_status weft__matrix_norm_at(weft_operand out, weft_operand a, weft_axes axes,
                                 const weft_matrix_norm_params *params) {
  const weft_matrix_norm_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_matrix_norm", p.site);
  weft__call_open(&c, NULL, 0, NULL, 1, &a, a_name, p.site);
  return weft__leave(weft__call_close(&c, matrix_norm(&c, out, axes, p.order)));
}

/* ---- condition ---- */

/// The ratio of the largest and the smallest singular value, or its inverse.
static weft_status ratio_of_values(weft_operand out, weft__solver *s, const matrices *a, bool is_inverse) {
  weft_array *values = NULL, view;
  WEFT__TRY_RETURN(find_values(&values, &view, a));
  s->work[s->works++] = values;
  weft_array end[2];
  for (int k = 0; k < 2; k++) {
    end[k] = weft__array_part(values, a->row, k == 0 ? 0 : values->shape[a->row] - 1, 1);
    end[k].ndim--;
  }
  const weft_operand variables[] = {WEFT_NAMED("top", &end[is_inverse]), WEFT_NAMED("low", &end[!is_inverse])};
  return weft__eval_at(out, s->call.context, "where(low == 0, inf, top / low)", 2, variables, s->call.site);
}

/// The norm of the matrices times the norm of their inverses, which a power of two beside the matrices leaves as it is.
static weft_status product_of_norms(weft_operand out, weft__solver *s, const matrices *a, weft_norm_order order) {
  weft_array *even, *factor, *inverse = NULL, *info = NULL, *norm[2] = {NULL, NULL};
  const weft_solve_params params = {.info = &info, .site = a->site};
  WEFT__TRY_RETURN(weft__solver_work(&even, s, s->dtype, 2, s->m, s->n));
  WEFT__TRY_RETURN(weft__solver_load(even, s, 0, false));
  weft_array flat = weft__solver_flat(s, even, 2);
  WEFT__TRY_RETURN(weft__solver_even(&factor, s, &flat));
  WEFT__TRY_RETURN(weft__inv_at(WEFT_OPERAND(&inverse), WEFT_OPERAND(even), &params));
  s->work[s->works++] = inverse;
  s->work[s->works++] = info;
  matrices both[2] = {*a, *a};
  both[0].x = even;
  both[1].x = inverse;
  for (int k = 0; k < 2; k++) {
    WEFT__TRY_RETURN(find_norm(WEFT_OPERAND(&norm[k]), &both[k], order));
    s->work[s->works++] = norm[k];
  }
  const weft_operand variables[] = {WEFT_NAMED("a", norm[0]), WEFT_NAMED("b", norm[1]), WEFT_NAMED("failed", info)};
  return weft__eval_at(out, s->call.context, "where(isnan(a), a, where((failed != 0) | isnan(a * b), inf, a * b))", 3,
                       variables, s->call.site);
}

static weft_status cond(weft__solver *s, weft_operand out, weft_norm_order order) {
  const bool is_ratio = order == WEFT_NORM_DEFAULT || order == WEFT_NORM_2 || order == WEFT_NORM_MINUS_2;
  WEFT__TRY_RETURN(check_order(order));
  WEFT__TRY_RETURN(weft__solver_begin(s, !is_ratio));
  if (s->m == 0 || s->n == 0)
    return weft__fail(WEFT_ERROR_SHAPE, "a", "`a` has empty matrices, which have no condition number");
  const weft_array *x = s->call.array[s->call.results];
  const matrices a = {
      .x = x, .axes = WEFT_AXES(-2, -1), .row = x->ndim - 2, .column = x->ndim - 1, .site = s->call.site};
  return is_ratio ? ratio_of_values(out, s, &a, order == WEFT_NORM_MINUS_2) : product_of_norms(out, s, &a, order);
}

weft_status weft__cond_at(weft_operand out, weft_operand a, const weft_matrix_norm_params *params) {
  static const weft__solver_function function = {.name = "weft_cond", .operand = {"a"}};
  const weft_matrix_norm_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, NULL, &a, NULL, p.site);
  return weft__solver_close(&s, cond(&s, out, p.order));
}

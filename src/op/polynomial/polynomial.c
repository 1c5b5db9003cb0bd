// SPDX-License-Identifier: MIT
/// weft/polynomial.h: Horner's rule as expressions, powers by running products, fits by least squares.
#include <weft/polynomial.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <weft/eval.h>
#include <weft/linalg.h>
#include <weft/reduce.h>
#include <weft/scan.h>

#include "array/view.h"
#include "base/scratch.h"
#include "call/call.h"
#include "expr/overload.h"

#define COEFFICIENTS 16 /* of a launch */
#define FEW_COLUMNS 8   /* of powers that one launch writes */

/// Checks that operand k has one axis.
static weft_status check_line(const weft__call *c, int k) {
  const char *name = weft__call_operand_name(c, k);
  const int ndim = weft__call_shape(c, k).ndim;
  return ndim == 1 ? WEFT_OK : weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d axes; expected 1", name, ndim);
}

/* ---- values ---- */

/// value = value * x + p[first], ..., for `count` coefficients; of the first ones, the value begins at 0.
static weft_status horner(weft__call *c, const weft_array *p, int64_t first, int count) {
  static const char *const name[COEFFICIENTS] = {"c0", "c1", "c2",  "c3",  "c4",  "c5",  "c6",  "c7",
                                                 "c8", "c9", "c10", "c11", "c12", "c13", "c14", "c15"};
  weft_array *value = c->array[0], *part = weft__scratch_begin(COEFFICIENTS * sizeof *part);
  weft_operand variable[COEFFICIENTS + 2];
  weft__text text = {0};
  int variables = 0;
  if (!part) return WEFT_ERROR_HOST_MEMORY;
  variable[variables++] = WEFT_NAMED("x", c->array[2]);
  if (first > 0) variable[variables++] = WEFT_NAMED("value", value);
  weft__text_add(&text, first > 0 ? "t = value" : "t = 0 * x");
  for (int k = 0; k < count; k++) {
    part[k] = weft__array_part(p, 0, first + k, 1);
    weft__view_remove_axis(&part[k], 0);
    variable[variables++] = weft__operand_named(name[k], WEFT_OPERAND(&part[k]));
    weft__text_add(&text, "; t = t * x + c%d", k);
  }
  const weft_status rc = text.failed ? weft__fail_host_memory(1)
                                     : weft__eval_at(WEFT_OPERAND(&value), c->context, weft__text_chars(&text),
                                                     variables, variable, c->site);
  weft__text_free(&text);
  weft__scratch_end(part);
  return rc;
}

static weft_status polyval(weft__call *c) {
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(check_line(c, 0));
  const weft_dtype dtype = weft__call_promoted(c);
  if (dtype == WEFT_BOOL) return weft__fail(WEFT_ERROR_DTYPE, "p", "`p` and `x` are bool; expected numbers");
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, dtype));
  if (weft__call_is_scalar(c, 1)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 1, dtype));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, dtype, weft__array_shape(c->array[2])));
  const weft_array *p = c->array[1];
  if (p->size == 0) return weft__fill(c->array[0], WEFT_SCALAR(0), c->site);
  for (int64_t k = 0; k < p->size; k += COEFFICIENTS)
    WEFT__TRY_RETURN(horner(c, p, k, p->size - k < COEFFICIENTS ? (int)(p->size - k) : COEFFICIENTS));
  return WEFT_OK;
}

weft_status weft__polyval_at(weft_operand out, weft_operand p, weft_operand x, const char *site) {
  static const char *const names[] = {"p", "x"};
  const weft_operand operand[] = {p, x};
  weft__call c;
  weft__enter("weft_polyval", site);
  weft__call_open(&c, NULL, 1, &out, 2, operand, names, site);
  return weft__leave(weft__call_close(&c, polyval(&c)));
}

/* ---- powers ---- */

/// Writes few columns by one kernel, in which each power is the one before times x.
static weft_status fill_few_powers(const weft_array *order, const weft_array *x, const char *site) {
  static const char *const name[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"};
  weft_array column[FEW_COLUMNS], *out[FEW_COLUMNS];
  weft_operand variable[FEW_COLUMNS + 1];
  const int columns = (int)order->shape[1];
  char text[40 * FEW_COLUMNS];
  snprintf(text, sizeof text, "p = x; c0 = %s(1)", weft_dtype_name(x->dtype)); /* a whole number alone would be i64 */
  for (int k = 0; k < columns; k++) {
    column[k] = weft__array_part(order, 1, k, 1);
    weft__view_remove_axis(&column[k], 1);
    out[k] = &column[k];
    variable[k] = WEFT_NAMED(name[k], &out[k]);
    const size_t used = strlen(text);
    if (k > 0) snprintf(text + used, sizeof text - used, k > 1 ? "; p = p * x; c%d = p" : "; c%d = p", k);
  }
  variable[columns] = WEFT_NAMED("x", x);
  return weft__eval_all_at(x->context, text, columns + 1, variable, site);
}

/// Fills `to` with ones and x's elements, and multiplies along the rows.
static weft_status fill_powers(weft_array *to, const weft_array *x, bool increasing, const char *site) {
  weft_array column = weft__array_borrow(x), order = weft__array_borrow(to), *ordered = &order;
  const int64_t shape[] = {x->size, 1};
  column.ndim = 2;
  column.stride_bytes[1] = (int64_t)weft_dtype_size_bytes(x->dtype);
  for (int d = 0; d < 2; d++) column.shape[d] = shape[d];
  if (!increasing) weft__view_flip_axis(&order, 1);
  if (to->shape[1] > 1 && to->shape[1] <= FEW_COLUMNS) return fill_few_powers(&order, x, site);
  weft_array first = weft__array_part(&order, 1, 0, 1), rest = weft__array_part(&order, 1, 1, to->shape[1] - 1);
  WEFT__TRY_RETURN(weft__fill(&first, WEFT_SCALAR(1), site));
  if (rest.size == 0) return WEFT_OK;
  const weft_array repeated = weft__array_broadcast(&column, weft__array_shape(&rest));
  WEFT__TRY_RETURN(weft__assign(&rest, &repeated, site));
  return weft__cumulate_at(WEFT_SCAN_PROD, WEFT_OPERAND(&ordered), WEFT_OPERAND(&order), WEFT__AXES(1),
                           &(weft_scan_params){.site = site});
}

static weft_status vander(weft__call *c, const weft_vander_params *p) {
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(check_line(c, 0));
  const weft_dtype given = weft__call_dtype(c, 0);
  const weft_dtype dtype = !weft__is_whole(given) ? given : weft_dtype_kind(given) == 'u' ? WEFT_U64 : WEFT_I64;
  const int64_t columns = p->columns ? p->columns : weft__call_shape(c, 0).dim[0];
  if (columns < 0)
    return weft__fail(WEFT_ERROR_SHAPE, "columns", "`columns` is %" PRId64 "; expected 0 or more", columns);
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, dtype));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, dtype, WEFT_SHAPE(c->array[1]->size, columns)));
  return c->array[0]->size ? fill_powers(c->array[0], c->array[1], p->increasing, c->site) : WEFT_OK;
}

weft_status weft__vander_at(weft_operand out, weft_operand x, const weft_vander_params *params) {
  static const char *const names[] = {"x"};
  const weft_vander_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_vander", p.site);
  weft__call_open(&c, NULL, 1, &out, 1, &x, names, p.site);
  return weft__leave(weft__call_close(&c, vander(&c, &p)));
}

/* ---- fits ---- */

/// Checks the operands x, y and, if given, the weights, and finds the dtype to compute in.
static weft_status check_fit(weft_dtype *dtype, const weft__call *c, int degree) {
  static const char *const names[] = {"x", "y", "weights"};
  const weft_shape x = weft__call_shape(c, 0), y = weft__call_shape(c, 1);
  if (degree < 0 || degree > 1000)
    return weft__fail(WEFT_ERROR_ARGUMENT, "degree", "`degree` is %d; expected 0 to 1000", degree);
  WEFT__TRY_RETURN(check_line(c, 0));
  if (y.ndim < 1 || y.ndim > 2 || y.dim[0] != x.dim[0] || x.dim[0] == 0)
    return weft__call_fail_shapes(c, 0, 1, "expected one `y`, or a row of them, for each of `x`, and at least one");
  if (c->inputs > 2 && !weft__same_shape(weft__call_shape(c, 2), x))
    return weft__call_fail_shapes(c, 0, 2, "expected a weight for each of `x`");
  for (int k = 0; k < c->inputs; k++)
    if (weft_dtype_kind(weft__call_dtype(c, k)) == 'c')
      return weft__fail(WEFT_ERROR_DTYPE, names[k], "`%s` is %s; expected real numbers", names[k],
                        weft_dtype_name(weft__call_dtype(c, k)));
  *dtype = weft__call_promoted(c);
  *dtype = weft__is_whole(*dtype) ? WEFT_F64 : weft__computed_dtype(*dtype);
  return WEFT_OK;
}

/// An operand times the weights, along its first axis.
static weft_status weigh(weft_array **weighted, const weft_array *x, const weft_array *weights, const char *site) {
  weft_array column = weft__array_borrow(weights);
  column.ndim = x->ndim;
  for (int d = 1; d < x->ndim; d++) {
    column.shape[d] = 1;
    column.stride_bytes[d] = weights->stride_bytes[0];
  }
  const weft_operand product[] = {WEFT_OPERAND(weighted), WEFT_OPERAND(x), WEFT_OPERAND(&column)};
  return weft__ufunc_apply_at(WEFT_UFUNC_MULTIPLY, 3, product, site);
}

/// Columns of powers of length 1 make the fit more accurate; the solution is scaled back.
static weft_status fit(weft__call *c, weft_operand out, int degree, double rtol) {
  const char *site = c->site;
  weft_array *powers = NULL, *lengths = NULL, *right = NULL, *scaled = NULL;
  weft_status rc;
  WEFT__TRY(weft__vander_at(WEFT_OPERAND(&powers), WEFT_OPERAND(c->array[0]),
                            &(weft_vander_params){.columns = degree + 1, .site = site}));
  if (c->inputs > 2) {
    WEFT__TRY(weigh(&powers, powers, c->array[2], site));
    WEFT__TRY(weigh(&right, c->array[1], c->array[2], site));
  }
  WEFT__TRY(
      weft__norm_at(WEFT_OPERAND(&lengths), WEFT_OPERAND(powers), WEFT__AXES(0), &(weft_norm_params){.site = site}));
  const weft_operand divided[] = {WEFT_OPERAND(&powers), WEFT_OPERAND(powers), WEFT_OPERAND(lengths)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_DIVIDE, 3, divided, site));
  WEFT__TRY(weft__lstsq_at(WEFT_OPERAND(&scaled), WEFT_OPERAND(powers), WEFT_OPERAND(right ? right : c->array[1]),
                           &(weft_lstsq_params){.rtol = rtol, .site = site}));
  weft_array per_row = weft__array_borrow(lengths);
  per_row.ndim = scaled->ndim;
  for (int d = 1; d < scaled->ndim; d++) {
    per_row.shape[d] = 1;
    per_row.stride_bytes[d] = lengths->stride_bytes[0];
  }
  const weft_operand back[] = {out, WEFT_OPERAND(scaled), WEFT_OPERAND(&per_row)};
  rc = weft__ufunc_apply_at(WEFT_UFUNC_DIVIDE, 3, back, site);
done:
  weft_array_release(&powers);
  weft_array_release(&lengths);
  weft_array_release(&right);
  weft_array_release(&scaled);
  return rc;
}

weft_status weft__polyfit_at(weft_operand out, weft_operand x, weft_operand y, int degree,
                             const weft_polyfit_params *params) {
  static const char *const names[] = {"x", "y", "weights"};
  const weft_polyfit_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {x, y, WEFT_OPERAND(p.weights)};
  weft_dtype dtype = WEFT_F64;
  weft__call c;
  weft_status rc;
  weft__enter("weft_polyfit", p.site);
  weft__call_open(&c, NULL, 0, NULL, p.weights ? 3 : 2, operand, names, p.site);
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(check_fit(&dtype, &c, degree));
  WEFT__TRY(weft__call_upload(&c));
  for (int k = 0; k < c.inputs; k++) WEFT__TRY(weft__call_contiguous_operand(&c, k, dtype));
  const double epsilon = ldexp(1, -weft__dtype(dtype)->fraction_bits);
  rc = fit(&c, out, degree, p.rtol == 0 ? (double)c.array[0]->size * epsilon : p.rtol);
done:
  return weft__leave(weft__call_close(&c, rc));
}

// SPDX-License-Identifier: MIT
/// Ordered arrays: checks of the arguments, and the calls.
#include "op/search/search.h"

#include <weft/eval.h>

#include "array/view.h"
#include "dtype/scalar.h"
#include "op/sort/rows.h"

static weft_status check_real(weft_dtype dtype, const char *name) {
  if (weft_dtype_kind(dtype) != 'c') return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s, which bins do not have; expected a real dtype", name,
                    weft_dtype_name(dtype));
}

static weft_status check_one_axis(const weft__call *c, int k) {
  const char *name = weft__call_operand_name(c, k);
  const weft_shape shape = weft__call_shape(c, k);
  if (!weft__call_is_scalar(c, k) && shape.ndim == 1) return WEFT_OK;
  return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d axes; expected 1", name, shape.ndim);
}

/// The dtype in which the two operands are compared. A C scalar is weak, as in weft/ufunc.h. An integer that does not
/// fit the array's dtype then counts as an i64 array (u64 beyond i64).
static weft_dtype common_dtype(const weft__call *c) {
  const weft_dtype first = weft__call_dtype(c, 0), second = weft__call_dtype(c, 1);
  const int scalar = weft__call_is_scalar(c, 1) ? 1 : 0;
  uint64_t bytes[2];
  if (!weft__call_is_scalar(c, scalar)) return weft__promote(first, second);
  const weft_scalar value = c->operand[scalar].as.scalar;
  const weft_dtype array = scalar ? first : second, weak = weft__promote_weak(array, scalar ? second : first);
  if (weft__scalar_bytes(bytes, weak, value)) return weak;
  return weft__promote(array, weft__scalar_bytes(bytes, WEFT_I64, value) ? WEFT_I64 : WEFT_U64);
}

/// Makes operand k contiguous, of `dtype` (NONE: its own), and its elements aligned to their size.
static weft_status take_plain(weft__call *c, int k, weft_dtype dtype) {
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, k, dtype));
  const weft_array *x = c->array[c->results + k];
  return weft__sort_is_plain(x) ? WEFT_OK : weft__call_copy(c, c->results + k, x, x->dtype);
}

static weft_status cast_both(weft__call *c) {
  const weft_dtype both = common_dtype(c);
  WEFT__TRY_RETURN(take_plain(c, 0, both));
  return take_plain(c, 1, both);
}

weft_status weft__search_take_both(weft__call *c) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  return cast_both(c);
}

/* ---- u64 beside signed integers ---- */

static bool is_signed(weft_dtype dtype) {
  return weft_dtype_kind(dtype) == 'i';
}

/// Whether the operands are u64 and signed integers, which no dtype holds both.
static bool is_mixed(const weft__call *c) {
  weft_dtype dtype[2];
  uint64_t bytes[2];
  for (int k = 0; k < 2; k++) {
    dtype[k] = weft__call_dtype(c, k);
    if (weft__call_is_scalar(c, k) && dtype[k] == WEFT_I64 &&
        !weft__scalar_bytes(bytes, WEFT_I64, c->operand[k].as.scalar))
      dtype[k] = WEFT_U64;
  }
  for (int k = 0; k < 2; k++) /* a C scalar that fits takes the array's dtype */
    if (weft__call_is_scalar(c, k) && weft__is_whole(dtype[!k]) && dtype[!k] != WEFT_BOOL &&
        weft__scalar_bytes(bytes, dtype[!k], c->operand[k].as.scalar))
      return false;
  return (dtype[0] == WEFT_U64 && is_signed(dtype[1])) || (dtype[1] == WEFT_U64 && is_signed(dtype[0]));
}

weft_status weft__search_take_exact(bool *mixed, weft__call *c) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  *mixed = is_mixed(c);
  if (!*mixed) return cast_both(c);
  for (int k = 0; k < 2; k++) {
    uint64_t bytes[2];
    weft_dtype dtype = weft__call_dtype(c, k);
    if (weft__call_is_scalar(c, k) && !weft__scalar_bytes(bytes, dtype, c->operand[k].as.scalar)) dtype = WEFT_U64;
    WEFT__TRY_RETURN(take_plain(c, k, is_signed(dtype) ? WEFT_I64 : dtype));
  }
  return WEFT_OK;
}

weft_status weft__search_take(weft_array **outside, weft__call *c, int ordered) {
  const int other = 1 - ordered;
  bool mixed;
  weft_array *held = NULL;
  *outside = NULL;
  WEFT__TRY_RETURN(weft__search_take_exact(&mixed, c));
  if (!mixed) return WEFT_OK;
  weft_array **values = &c->array[c->results + other];
  WEFT__TRY_RETURN(weft__search_hold(&held, outside, *values, c->array[c->results + ordered]->dtype, c->site));
  weft__call_replace(c, c->results + other, held);
  return WEFT_OK;
}

weft_status weft__search_hold(weft_array **held, weft_array **outside, const weft_array *values, weft_dtype dtype,
                              const char *site) {
  const bool is_unsigned = dtype == WEFT_U64;
  const weft_operand variable[] = {WEFT_NAMED("v", values), WEFT_NAMED("most", INT64_MAX)};
  const int variables = is_unsigned ? 1 : 2;
  WEFT__TRY_RETURN(weft__eval_at(WEFT_OPERAND(outside), values->context, is_unsigned ? "v < 0" : "v > most", variables,
                                 variable, site));
  return weft__eval_at(WEFT_OPERAND(held), values->context,
                       is_unsigned ? "u64(0 if v < 0 else v)" : "i64(most if v > most else v)", variables, variable,
                       site);
}

weft_status weft__search_settle(weft_array *out, weft_array **outside, int64_t value, const char *site) {
  weft_status rc = WEFT_OK;
  if (!*outside) return WEFT_OK;
  const weft_operand variable[] = {WEFT_NAMED("x", out), WEFT_NAMED("outside", *outside)};
  const weft_operand numbers[] = {variable[0], variable[1], WEFT_NAMED("value", value)};
  rc = out->dtype == WEFT_BOOL
           ? weft__eval_at(WEFT_OPERAND(&out), out->context, value ? "x or outside" : "x and not outside", 2, variable,
                           site)
           : weft__eval_at(WEFT_OPERAND(&out), out->context, "value if outside else x", 3, numbers, site);
  weft_array_release(outside);
  return rc;
}

/* ---- searching ---- */

static weft_status run_searchsorted(weft__call *c, weft_side side) {
  if (side != WEFT_LEFT && side != WEFT_RIGHT)
    return weft__fail(WEFT_ERROR_ARGUMENT, "side", "`side` is %d; expected WEFT_LEFT or WEFT_RIGHT", (int)side);
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(check_one_axis(c, 0));
  weft_array *outside;
  weft_status rc;
  WEFT__TRY(weft__search_take(&outside, c, 0));
  WEFT__TRY(weft__call_contiguous_result(c, 0, WEFT_I64, weft__call_shape(c, 1)));
  WEFT__TRY(weft__search_run(c->array[0], c->array[1], c->array[2],
                             side == WEFT_RIGHT ? WEFT__SEARCH_RIGHT : WEFT__SEARCH_LEFT, false, c->site));
  rc = weft__search_settle(c->array[0], &outside, c->array[1]->dtype == WEFT_U64 ? 0 : c->array[1]->size, c->site);
done:
  weft_array_release(&outside);
  return rc;
}

weft_status weft__searchsorted_at(weft_operand out, weft_operand sorted, weft_operand values,
                                  const weft_searchsorted_params *params) {
  static const char *const names[] = {"sorted", "values"};
  const weft_operand operand[] = {sorted, values};
  const weft_searchsorted_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_searchsorted", p.site);
  weft__call_open(&c, NULL, 1, &out, 2, operand, names, p.site);
  return weft__leave(weft__call_close(&c, run_searchsorted(&c, p.side)));
}

/* ---- bins ---- */

static weft_status run_digitize(weft_operand out, weft__call *c, const weft_digitize_params *p) {
  weft_status rc;
  weft_array *places = NULL;
  WEFT__TRY(weft__call_check(c));
  WEFT__TRY(check_one_axis(c, 1));
  for (int k = 0; k < 2; k++) WEFT__TRY(check_real(weft__call_dtype(c, k), weft__call_operand_name(c, k)));
  WEFT__TRY(weft__call_upload(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  const weft_operand x = WEFT_OPERAND(c->array[1]);
  weft_array edges = weft__array_borrow(c->array[2]);
  const weft_searchsorted_params side = {.side = p->right ? WEFT_LEFT : WEFT_RIGHT, .site = c->site};
  if (!p->descending) return weft__searchsorted_at(out, WEFT_OPERAND(&edges), x, &side);
  weft__view_flip_axis(&edges, 0);
  WEFT__TRY(weft__searchsorted_at(WEFT_OPERAND(&places), WEFT_OPERAND(&edges), x, &side));
  const weft_operand parts[] = {WEFT_NAMED("count", edges.size), WEFT_NAMED("x", places)};
  rc = weft__eval_at(out, c->context, "count - x", 2, parts, c->site);
done:
  weft_array_release(&places);
  return rc;
}

weft_status weft__digitize_at(weft_operand out, weft_operand x, weft_operand bins, const weft_digitize_params *params) {
  static const char *const names[] = {"x", "bins"};
  const weft_operand operand[] = {x, bins};
  const weft_digitize_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_digitize", p.site);
  weft__call_open(&c, NULL, 1, &out, 2, operand, names, p.site); /* weft__searchsorted_at writes the result */
  return weft__leave(weft__call_close(&c, run_digitize(out, &c, &p)));
}

/* ---- merging ---- */

static weft_status run_merge(weft__call *c) {
  WEFT__TRY_RETURN(weft__call_check(c));
  for (int k = 0; k < 2; k++) WEFT__TRY_RETURN(check_one_axis(c, k));
  WEFT__TRY_RETURN(weft__search_take_both(c));
  const weft_array *a = c->array[1], *b = c->array[2];
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, a->dtype, WEFT_SHAPE(a->size + b->size)));
  return weft__merge_run(c->array[0], a, b, c->site);
}

weft_status weft__merge_at(weft_operand out, weft_operand a, weft_operand b, const char *site) {
  const weft_operand operand[] = {a, b};
  weft__call c;
  weft__enter("weft_merge", site);
  weft__call_open(&c, NULL, 1, &out, 2, operand, NULL, site);
  return weft__leave(weft__call_close(&c, run_merge(&c)));
}

/* ---- is_sorted ---- */

static weft_status run_is_sorted(weft__call *c, const weft_is_sorted_params *p) {
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(check_one_axis(c, 0));
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(take_plain(c, 0, WEFT_DTYPE_NONE));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, WEFT_BOOL, WEFT_SHAPE_0D));
  return weft__is_sorted_run(c->array[0], c->array[1], p->descending, p->strict, c->site);
}

weft_status weft__is_sorted_at(weft_operand out, weft_operand x, const weft_is_sorted_params *params) {
  static const char *const names[] = {"x"};
  const weft_is_sorted_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_is_sorted", p.site);
  weft__call_open(&c, NULL, 1, &out, 1, &x, names, p.site);
  return weft__leave(weft__call_close(&c, run_is_sorted(&c, &p)));
}

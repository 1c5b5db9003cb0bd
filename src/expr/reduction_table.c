// SPDX-License-Identifier: MIT
#include "expr/reduction_table.h"

#include <math.h>

#define ROW(ID, name, rule, gather, term, finish, op, values, result) \
  [WEFT_REDUCE_##ID] = {WEFT_REDUCE_##ID, WEFT__RESULT_##rule, WEFT_SCAN_##op, values, result},
static const weft__reduction rows[WEFT_REDUCE_COUNT] = {WEFT__REDUCTIONS(ROW)};
#define FORM(ID, name, plain) [WEFT_REDUCE_##ID] = WEFT_REDUCE_##plain,
static const weft_reduction_id forms[WEFT_REDUCE_COUNT] = {WEFT__REDUCTION_FORMS(FORM)};

const weft__reduction *weft__reduction_row(weft_reduction_id id) {
  return &rows[forms[id] ? forms[id] : id];
}

weft_dtype weft__reduction_dtype(weft_reduction_id id, weft_dtype dtype) {
  const char kind = weft_dtype_kind(dtype);
  const bool whole = kind != 'f' && kind != 'c';
  switch (weft__reduction_row(id)->rule) {
    case WEFT__RESULT_TOTAL:
      return !whole ? dtype : kind == 'u' ? WEFT_U64 : WEFT_I64;
    case WEFT__RESULT_MEAN:
      return whole ? WEFT_F64 : dtype;
    case WEFT__RESULT_REAL:
      return whole ? WEFT_F64 : dtype == WEFT_C64 ? WEFT_F32 : dtype == WEFT_C128 ? WEFT_F64 : dtype;
    case WEFT__RESULT_COUNT:
      return WEFT_I64;
    case WEFT__RESULT_TRUTH:
      return WEFT_BOOL;
    default:
      return dtype;
  }
}

bool weft__skips_nan(weft_reduction_id id) {
  return forms[id] && id != WEFT_REDUCE_DEFAULT;
}

bool weft__is_variance(weft_reduction_id id) {
  return weft__reduction_row(id)->plain == WEFT_REDUCE_VAR || weft__reduction_row(id)->plain == WEFT_REDUCE_STD;
}

double weft__reduction_neutral(weft_reduction_id id) {
  static const double neutral[] = {
      [WEFT_SCAN_SUM] = 0, [WEFT_SCAN_PROD] = 1, [WEFT_SCAN_MAX] = -INFINITY, [WEFT_SCAN_MIN] = INFINITY};
  return neutral[weft__reduction_row(id)->op];
}

// SPDX-License-Identifier: MIT
#include "primitive.h"

#include <string.h>

/// Parameters: axis, op, exclusive, reverse, deterministic, dtype and, if given, the operation and its neutral element.
/// A second operand is flags.
static weft_status scan(primitive *p) {
  weft_scan_params params = {
      .op = (weft_scan_op)I(1), .exclusive = I(2), .reverse = I(3), .deterministic = I(4), .dtype = (weft_dtype)I(5)};
  if (p->t.operands > 1) params.flags = VIEW(1);
  if (COUNT > 6) {
    params.combine = text_of(p, 6);
    params.neutral = scalar_of(p, 7);
  }
  return weft__scan_at(R(0), X(0), WEFT__AXES(AXIS(0)), &params);
}

#define CALLS_SCAN(C)                                 \
  C(cumsum, weft_cumsum(R(0), X(0), AXIS(0)))         \
  C(cumprod, weft_cumprod(R(0), X(0), AXIS(0)))       \
  C(nancumsum, weft_nancumsum(R(0), X(0), AXIS(0)))   \
  C(nancumprod, weft_nancumprod(R(0), X(0), AXIS(0))) \
  C(cummax, weft_cummax(R(0), X(0), AXIS(0)))         \
  C(cummin, weft_cummin(R(0), X(0), AXIS(0)))         \
  C(scan, scan(p))

/// The variables of an expression are x and k.
static weft_status select_by(primitive *p, bool into) {
  weft_operand variable[3] = {WEFT_NAMED("x", X(0))};
  if (p->t.operands > 1) variable[1] = WEFT_NAMED("k", X(1));
  variable[p->t.operands] = WEFT_SELECTION(.count = into ? &INTO(1) : NULL);
  return weft__select_at(R(0), judge.context, text_of(p, 0), p->t.operands + 1, variable, WEFT_SITE);
}

/// The variables are x, y and k.
static weft_status stencil(primitive *p) {
  static const char *const names[] = {"x", "y", "k"};
  const weft_stencil_params params = {.mode = (weft_pad_mode)I(1)};
  weft_operand variable[4] = {{.kind = WEFT_OPERAND_STENCIL, .as.stencil = &params}};
  for (int k = 0; k < p->t.operands; k++) variable[k + 1] = WEFT_NAMED(names[k], X(k));
  return weft__stencil_at(R(0), judge.context, text_of(p, 0), p->t.operands + 1, variable, WEFT_SITE);
}

#define CALLS_SELECT(C)                                                                   \
  C(compress, weft_compress(R(0), X(0), X(1), WEFT_ALL_AXES))                             \
  C(compress_axis, weft_compress(R(0), X(0), X(1), AXIS(0)))                              \
  C(stencil, stencil(p))                                                                  \
  C(select, select_by(p, false))                                                          \
  C(select_into, select_by(p, true))                                                      \
  C(compress_into, weft_compress(&INTO(0), X(0), X(1), WEFT_ALL_AXES, .count = &INTO(1))) \
  C(nonzero, weft_nonzero(R(0), X(0)))                                                    \
  C(flatnonzero, weft_flatnonzero(R(0), X(0)))                                            \
  C(partition, weft_partition(R(0), X(0), X(1), .count = &INTO(1)))

CALLS_SELECT(DEFINE_CALL)
CALLS_SCAN(DEFINE_CALL)
const call_row calls_of_scan[] = {CALLS_SCAN(CALL_ROW) CALLS_SELECT(CALL_ROW){NULL, NULL}};

// SPDX-License-Identifier: MIT
#include "primitive.h"

#include <string.h>

static const char *const reductions[WEFT_REDUCE_COUNT] = {
    "",        "sum",           "prod",   "min",       "max",       "argmin",  "argmax", "any",
    "all",     "count_nonzero", "mean",   "var",       "std",       "norm",    "ptp",    "nansum",
    "nanprod", "nanmin",        "nanmax", "nanargmin", "nanargmax", "nanmean", "nanvar", "nanstd",
};

/// The formula's variables are x, y, ...
static weft_status reduce(primitive *p) {
  static const char *const names[] = {"x", "y", "z"};
  weft_operand variable[4];
  weft_reduction reduction = {.op = WEFT_REDUCE_DEFAULT};
  for (int id = 1; id < WEFT_REDUCE_COUNT; id++)
    if (strcmp(reductions[id], text_of(p, 2)) == 0) reduction.op = (weft_reduction_id)id;
  for (int k = 0; k < p->t.operands && k < 3; k++) variable[k] = WEFT_NAMED(names[k], X(k));
  variable[p->t.operands] = weft__operand_reduction(&reduction);
  return weft__reduce_at(R(0), judge.context, text_of(p, 1), AXES(0), p->t.operands + 1, variable, WEFT_SITE);
}

/// An expression with reduced values of the variables x, y, ...
static weft_status eval(primitive *p) {
  static const char *const names[] = {"x", "y", "z"};
  weft_operand variable[3];
  for (int k = 0; k < p->t.operands && k < 3; k++) variable[k] = WEFT_NAMED(names[k], X(k));
  return weft__eval_at(R(0), judge.context, text_of(p, 0), p->t.operands, variable, WEFT_SITE);
}

static weft_status norm(primitive *p) {
  if (COUNT < 2) return weft_norm(R(0), X(0), AXES(0));
  return weft_norm(R(0), X(0), AXES(0), .order = F(1));
}

#define CALLS_REDUCE(C)                                     \
  C(sum, weft_sum(R(0), X(0), AXES(0)))                     \
  C(prod, weft_prod(R(0), X(0), AXES(0)))                   \
  C(min, weft_min(R(0), X(0), AXES(0)))                     \
  C(max, weft_max(R(0), X(0), AXES(0)))                     \
  C(argmin, weft_argmin(R(0), X(0), AXES(0)))               \
  C(argmax, weft_argmax(R(0), X(0), AXES(0)))               \
  C(any, weft_any(R(0), X(0), AXES(0)))                     \
  C(all, weft_all(R(0), X(0), AXES(0)))                     \
  C(count_nonzero, weft_count_nonzero(R(0), X(0), AXES(0))) \
  C(mean, weft_mean(R(0), X(0), AXES(0)))                   \
  C(var, weft_var(R(0), X(0), AXES(0), .ddof = F(1)))       \
  C(std, weft_std(R(0), X(0), AXES(0), .ddof = F(1)))       \
  C(norm, norm(p))                                          \
  C(ptp, weft_ptp(R(0), X(0), AXES(0)))                     \
  C(nansum, weft_nansum(R(0), X(0), AXES(0)))               \
  C(nanprod, weft_nanprod(R(0), X(0), AXES(0)))             \
  C(nanmin, weft_nanmin(R(0), X(0), AXES(0)))               \
  C(nanmax, weft_nanmax(R(0), X(0), AXES(0)))               \
  C(nanargmin, weft_nanargmin(R(0), X(0), AXES(0)))         \
  C(nanargmax, weft_nanargmax(R(0), X(0), AXES(0)))         \
  C(nanmean, weft_nanmean(R(0), X(0), AXES(0)))             \
  C(nanvar, weft_nanvar(R(0), X(0), AXES(0), .ddof = F(1))) \
  C(nanstd, weft_nanstd(R(0), X(0), AXES(0), .ddof = F(1))) \
  C(dot, weft_dot(R(0), X(0), X(1)))                        \
  C(vdot, weft_vdot(R(0), X(0), X(1)))                      \
  C(reduce, reduce(p))                                      \
  C(eval, eval(p))

CALLS_REDUCE(DEFINE_CALL)
const call_row calls_of_reduce[] = {CALLS_REDUCE(CALL_ROW){NULL, NULL}};

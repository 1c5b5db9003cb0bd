// SPDX-License-Identifier: MIT
/// The rows of the ufunc table, and NumPy's dtype rules that choose the signature of a call.
#ifndef WEFT_EXPR_OVERLOAD_H
#define WEFT_EXPR_OVERLOAD_H

#include <weft/ufunc.h>

#include "base/error.h"
#include "dtype/dtype.h"
#include "expr/ufunc_table.h"

#define WEFT__OP_OPERANDS 4
#define WEFT__OP_RESULTS 2

typedef struct weft__op {
  const char *name, *numpy, *signature, *types;
  int flags;
  const char *text_b, *text_n, *text_f, *text_s, *text_c;
  const char *s_include, *c_include;
} weft__op;

/// NULL if `id` is not a function's number.
const weft__op *weft__op_row(int id);
int weft__op_results(const weft__op *op);
int weft__op_operands(const weft__op *op);
/// Finds a function by its name or NumPy's name, given as `length` characters. Returns 0 if it is unknown.
int weft__op_find(const char *name, size_t length);

/// The dtype of an operand, for choosing a signature. Weak operands (C scalars, numbers) take the dtype of the others;
/// their own dtype is bool, i64, f64 or c128.
typedef struct weft__typed {
  weft_dtype dtype;
  bool weak;
} weft__typed;

/// The signature chosen for a call.
typedef struct weft__signature {
  weft_dtype type; /* T */
  weft_dtype operand[WEFT__OP_OPERANDS];
  weft_dtype result[WEFT__OP_RESULTS];
} weft__signature;

/// Whether T can be `type`. The possible types are tried in the order of promotion.
bool weft__op_has_type(const weft__op *op, weft_dtype type);
/// Chooses a signature as NumPy does. Returns false if no signature fits, with the reason (to be freed) in *why.
bool weft__op_resolve(weft__signature *signature, const weft__op *op, const weft__typed *operands, weft__text *why);
/// The signature with T set to `type`, and K (if it has one) to i64.
void weft__op_signature(weft__signature *signature, const weft__op *op, weft_dtype type);

/// numpy.can_cast(from, to) with casting "safe" and "same_kind".
bool weft__casts_safely(weft_dtype from, weft_dtype to);
bool weft__casts_same_kind(weft_dtype from, weft_dtype to);
/// A set of dtypes, one bit each.
typedef uint32_t weft__dtypes;
#define WEFT__DTYPE_SET(dtype) ((weft__dtypes)1 << (dtype))
/// numpy.result_type of arrays: the smallest dtype to which all cast safely. Pairwise promotion would give f64 for i8,
/// u16 and f32 (through i32); together they give f32.
weft_dtype weft__promote_all(weft__dtypes all);
/// numpy.promote_types.
weft_dtype weft__promote(weft_dtype a, weft_dtype b);
/// The dtype of a weak operand beside operands of dtype `strong` (NONE: all operands are weak).
weft_dtype weft__promote_weak(weft_dtype strong, weft_dtype weak);
/// The dtype of a C scalar as a weak operand: bool, i64, f64 or c128.
weft_dtype weft__weak_dtype(weft_dtype scalar);

#endif

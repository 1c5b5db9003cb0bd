// SPDX-License-Identifier: MIT
/// The rows of the table of ufuncs, and NumPy's rules for dtypes: which signature of a function a call takes.
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

/// NULL for a number that is no function.
const weft__op *weft__op_row(int id);
int weft__op_results(const weft__op *op);
int weft__op_operands(const weft__op *op);
/// By name, also NumPy's; 0 where there is none. `length` characters of `name`.
int weft__op_find(const char *name, size_t length);

/// What an operand brings to the choice of a signature. Weak ones (C scalars, numbers) take the dtype of the others;
/// their dtype here is bool, i64, f64 or c128, for the kind.
typedef struct weft__typed {
  weft_dtype dtype;
  bool weak;
} weft__typed;

/// The signature a call takes.
typedef struct weft__signature {
  weft_dtype type; /* T */
  weft_dtype operand[WEFT__OP_OPERANDS];
  weft_dtype result[WEFT__OP_RESULTS];
} weft__signature;

/// Whether T can be `type`: those that can are tried in the order of promotion.
bool weft__op_has_type(const weft__op *op, weft_dtype type);
/// NumPy's choice for these operands. False where the function has none, with the reason (to be freed) in *why.
bool weft__op_resolve(weft__signature *signature, const weft__op *op, const weft__typed *operands, weft__text *why);
/// The signature with T set to `type`, and K, where there is one, to i64.
void weft__op_signature(weft__signature *signature, const weft__op *op, weft_dtype type);

/// numpy.can_cast(from, to, "safe") and "same_kind".
bool weft__casts_safely(weft_dtype from, weft_dtype to);
bool weft__casts_same_kind(weft_dtype from, weft_dtype to);
/// A set of dtypes, one bit each.
typedef uint32_t weft__dtypes;
#define WEFT__DTYPE_SET(dtype) ((weft__dtypes)1 << (dtype))
/// numpy.result_type of arrays: the smallest dtype to which all cast safely. Promoting in pairs would give f64 for i8,
/// u16 and f32 (by way of i32); together they give f32.
weft_dtype weft__promote_all(weft__dtypes all);
/// numpy.promote_types.
weft_dtype weft__promote(weft_dtype a, weft_dtype b);
/// What a weak operand becomes beside operands of dtype `strong` (NONE: there are no others).
weft_dtype weft__promote_weak(weft_dtype strong, weft_dtype weak);
/// The dtype of a C scalar as a weak operand: bool, i64, f64 or c128.
weft_dtype weft__weak_dtype(weft_dtype scalar);

#endif

// SPDX-License-Identifier: MIT
#include "expr/neighbour.h"

#include <string.h>
#include <weft/array.h>

#define FURTHEST 1000000000 /* the greatest offset */

/* ---- a stencil's words ---- */

int weft__index_axis(const char *name, size_t length) {
  return length == 2 && name[0] == 'i' && name[1] >= '0' && name[1] < '0' + WEFT_MAX_NDIM ? name[1] - '0' : -1;
}

bool weft__may_have_index(weft__lexer *lexer, const weft__token *token, int axis, int axes) {
  if (axes == 0 || axis < axes) return true;
  weft__lexer_fail(lexer, token->at, "`i%d` is the index along axis %d; the arrays have %d %s", axis, axis, axes,
                   axes == 1 ? "axis" : "axes");
  return false;
}

bool weft__may_have_offsets(weft__lexer *lexer, int axes, bool is_array) {
  if (axes == 0)
    weft__lexer_fail(
        lexer, lexer->token.at,
        "an expression is about one element; weft_stencil reads its neighbours x[-1, 0], and weft_slice and weft_pick "
        "make views");
  else if (!is_array)
    weft__lexer_fail(lexer, lexer->token.at,
                     "only an array among the variables has neighbours, and not after the text assigns to its name");
  return axes > 0 && is_array;
}

static bool read_offset(weft__lexer *lexer, int *offset) {
  const bool is_negative = weft__lexer_is(lexer, '-');
  if (is_negative || weft__lexer_is(lexer, '+')) weft__lexer_advance(lexer);
  const weft__token *token = &lexer->token;
  if (token->kind != WEFT__TOKEN_NUMBER || token->number.dtype != WEFT_I64) {
    weft__lexer_expected(lexer, "an offset, a whole number in the text");
    return false;
  }
  if (token->number.value.i > FURTHEST) {
    weft__lexer_fail(lexer, token->at, "an offset is at most %d", FURTHEST);
    return false;
  }
  *offset = (int)(is_negative ? -token->number.value.i : token->number.value.i);
  weft__lexer_advance(lexer);
  return !lexer->failed;
}

bool weft__read_offsets(weft__lexer *lexer, int *offset, int axes) {
  int count = 0, given;
  const size_t at = lexer->token.at;
  do {
    weft__lexer_advance(lexer);
    if (!read_offset(lexer, &given)) return false;
    if (count < axes) offset[count] = given;
    count++;
  } while (weft__lexer_is(lexer, ','));
  if (!weft__lexer_is(lexer, ']')) {
    weft__lexer_expected(lexer, "`,` or `]`");
    return false;
  }
  weft__lexer_advance(lexer);
  if (count == axes) return !lexer->failed;
  weft__lexer_fail(lexer, at, "%d offset%s; the arrays have %d %s", count, count == 1 ? "" : "s", axes,
                   axes == 1 ? "axis" : "axes");
  return false;
}

/* ---- functions on whole arrays ---- */

static bool is_text(const char *text, const weft__lexer *lexer, const weft__token *token) {
  return strlen(text) == token->length && memcmp(text, lexer->text + token->at, token->length) == 0;
}

/// NumPy's names of functions on whole arrays that are no reductions; in Weft with the prefix weft_.
static const char *const over_arrays[] = {
    "dot",         "vdot",     "cumsum",    "cumprod",   "cummax",    "cummin",       "sort",       "argsort",
    "unique",      "roll",     "diff",      "median",    "nanmedian", "quantile",     "percentile", "average",
    "cov",         "corrcoef", "histogram", "bincount",  "digitize",  "searchsorted", "interp",     "gradient",
    "trapezoid",   "unwrap",   "convolve",  "correlate", "matmul",    "outer",        "kron",       "einsum",
    "concatenate", "stack",    "reshape",   "transpose", "flip",      "pad",          "tile",       "repeat",
    "take",        "nonzero",  "isin",      "softmax",   "logsumexp", "nancumsum",    "nancumprod", "topk",
};

bool weft__fail_over_array(weft__lexer *lexer, const weft__token *token) {
  const char *name = lexer->text + token->at;
  const int length = (int)token->length;
  bool is_over = false;
  for (size_t k = 0; k < sizeof over_arrays / sizeof *over_arrays; k++)
    is_over = is_over || is_text(over_arrays[k], lexer, token);
  if (is_over)
    weft__lexer_fail(lexer, token->at,
                     "`%.*s` works on a whole array, an expression on one element: call weft_%.*s outside of it",
                     length, name, length, name);
  return is_over;
}

bool weft__may_reduce(weft__lexer *lexer, const weft__token *token, bool may) {
  const char *name = lexer->text + token->at;
  const int length = (int)token->length;
  if (!may)
    weft__lexer_fail(lexer, token->at,
                     "`%.*s` reduces a whole array, this expression works on one element: call weft_%.*s before, and "
                     "give its result as a variable; texts of weft_eval and weft_reduce can reduce",
                     length, name, length, name);
  return may;
}

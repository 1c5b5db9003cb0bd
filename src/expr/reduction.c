// SPDX-License-Identifier: MIT
#include "expr/reduction.h"

#include <string.h>

/* ---- names ---- */

#define NAME(ID, name, ...) [WEFT_REDUCE_##ID] = "weft_" #name,
static const char *const function[WEFT_REDUCE_COUNT] = {WEFT__REDUCTIONS(NAME) WEFT__REDUCTION_FORMS(NAME)};

const char *weft__reduction_function(weft_reduction_id id) {
  return function[id];
}

static bool is_text(const char *text, const char *name, size_t length) {
  return strlen(text) == length && memcmp(text, name, length) == 0;
}

weft_reduction_id weft__reduction_find(const char *name, size_t length) {
  for (int id = WEFT_REDUCE_SUM; id < WEFT_REDUCE_COUNT; id++)
    if (is_text(function[id] + WEFT__REDUCTION_PREFIX, name, length)) return (weft_reduction_id)id;
  return WEFT_REDUCE_DEFAULT;
}

/* ---- in a text ---- */

bool weft__operands_end(const weft__lexer *lexer) {
  weft__lexer ahead = *lexer;
  if (weft__lexer_is(lexer, ')')) return true;
  if (!weft__lexer_is(lexer, ',')) return false;
  weft__lexer_advance(&ahead);
  if (ahead.token.kind != WEFT__TOKEN_NAME) return false;
  weft__lexer_advance(&ahead);
  return weft__lexer_is(&ahead, '=');
}

static bool is_word(const weft__lexer *lexer, const char *word) {
  return lexer->token.kind == WEFT__TOKEN_NAME && is_text(word, lexer->text + lexer->token.at, lexer->token.length);
}

/// Reads a whole number, with a sign or without; one that is too large stays out of range.
static bool read_whole(weft__lexer *lexer, const char *what, int *value) {
  const bool is_negative = weft__lexer_is(lexer, '-');
  if (is_negative) weft__lexer_advance(lexer);
  if (lexer->token.kind != WEFT__TOKEN_NUMBER || lexer->token.number.dtype != WEFT_I64) {
    weft__lexer_expected(lexer, what);
    return false;
  }
  const int64_t number = lexer->token.number.value.i;
  *value = number > INT32_MAX ? INT32_MAX : (int)number;
  if (is_negative) *value = -*value;
  weft__lexer_advance(lexer);
  return !lexer->failed;
}

static bool read_axes(weft__lexer *lexer, weft_axes *axes) {
  static const char what[] = "an axis, such as -1, or axes, such as (0, 2)";
  if (is_word(lexer, "None")) { /* all */
    weft__lexer_advance(lexer);
    return true;
  }
  axes->count = 0;
  if (!weft__lexer_is(lexer, '(')) return read_whole(lexer, what, &axes->axis[axes->count++]);
  weft__lexer_advance(lexer);
  while (!weft__lexer_is(lexer, ')')) {
    if (axes->count == WEFT_MAX_NDIM) {
      weft__lexer_fail(lexer, lexer->token.at, "more than %d axes", WEFT_MAX_NDIM);
      return false;
    }
    if (!read_whole(lexer, what, &axes->axis[axes->count++])) return false;
    if (weft__lexer_is(lexer, ')')) break;
    if (!weft__lexer_is(lexer, ',')) {
      weft__lexer_expected(lexer, "`,` or `)`");
      return false;
    }
    weft__lexer_advance(lexer);
  }
  weft__lexer_advance(lexer);
  return !lexer->failed;
}

/// Reads the value of keepdims, which can only be what holds anyway.
static bool read_true(weft__lexer *lexer) {
  if (!is_word(lexer, "True") && !is_word(lexer, "true")) {
    weft__lexer_fail(lexer, lexer->token.at, "reduced axes stay, with length 1: keepdims is True");
    return false;
  }
  weft__lexer_advance(lexer);
  return true;
}

enum { AXIS = 0, DDOF, KEEPDIMS, KEYWORDS };

bool weft__read_reduction(weft__lexer *lexer, weft__text_reduction *how) {
  static const char *const keyword[] = {"axis", "ddof", "keepdims"};
  bool is_given[KEYWORDS] = {false};
  how->axes = weft_keepdims(WEFT_ALL_AXES);
  how->ddof = 0;
  while (weft__lexer_is(lexer, ',')) {
    int which = 0, ddof = 0;
    weft__lexer_advance(lexer);
    while (which < KEYWORDS && !is_word(lexer, keyword[which])) which++;
    if (which == KEYWORDS || (which == DDOF && !weft__is_variance(how->id))) {
      weft__lexer_expected(lexer, weft__is_variance(how->id) ? "axis=... or ddof=..." : "axis=...");
      return false;
    }
    if (is_given[which]) {
      weft__lexer_fail(lexer, lexer->token.at, "`%s` is given twice", keyword[which]);
      return false;
    }
    is_given[which] = true;
    weft__lexer_advance(lexer);
    if (!weft__lexer_is(lexer, '=')) {
      weft__lexer_expected(lexer, "`=`");
      return false;
    }
    weft__lexer_advance(lexer);
    if (!(which == AXIS   ? read_axes(lexer, &how->axes)
          : which == DDOF ? read_whole(lexer, "a whole number", &ddof)
                          : read_true(lexer)))
      return false;
    if (which == DDOF) how->ddof = ddof;
  }
  if (!weft__lexer_is(lexer, ')')) {
    weft__lexer_expected(lexer, "`,` or `)`");
    return false;
  }
  weft__lexer_advance(lexer);
  return !lexer->failed;
}

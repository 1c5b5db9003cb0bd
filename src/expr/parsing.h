// SPDX-License-Identifier: MIT
/// The parser's parts: names (expr/parse_name.c), values (expr/parse_value.c), statements and results (expr/parser.c).
/// Each value becomes a node of the formula as soon as it is read, so that a dtype error has a place in the text.
/// Functions that return a node return -1 after a failure, which the lexer or the formula has recorded.
#ifndef WEFT_EXPR_PARSING_H
#define WEFT_EXPR_PARSING_H

#include "expr/lexer.h"
#include "expr/parser.h"

#define WEFT__MOST_NAMES 256 /* names a text may assign to */

/// A variable of the call, or a name that the text assigned to.
typedef struct weft__symbol {
  const char *name; /* not NUL-terminated */
  size_t length;
  int node;        /* -1: a variable that was not used yet */
  size_t at;       /* where its value begins */
  bool is_used;    /* the text reads the variable */
  bool is_written; /* the text assigned the value */
} weft__symbol;

typedef struct weft__parser {
  weft__lexer lexer;
  weft__formula *f;
  const weft__expression *e;
  int depth;
  int symbols;
  weft__symbol symbol[WEFT_MAX_OPERANDS + WEFT__MOST_NAMES]; /* the variables first */
  bool has_value; /* the last statement was an expression or gave one name a value */
  bool is_idle;   /* the last statement's value is not assigned */
  int value;
  size_t value_at;
} weft__parser;

static inline bool weft__parse_is_over(const weft__parser *p) {
  return p->lexer.failed || p->f->failed;
}

/// Reports the reason in `why`, and frees it. An empty `why` means out of host memory, which the formula records.
int weft__parse_fail(weft__parser *p, size_t at, const char *prefix, weft__text *why);

weft__symbol *weft__find_symbol(weft__parser *p, const char *name, size_t length);
/// The index of a name among the results; -1 if it is not a result.
int weft__find_result(const weft__parser *p, const char *name, size_t length);
/// The table's function of this name, or 0; the dtype of this name, or WEFT_DTYPE_NONE.
int weft__find_function(const char *name, size_t length);
/// Whether a name is NumPy's round, which is rint except that integers stay as they are. C's is not in the language.
bool weft__is_round(const char *name, size_t length);
weft_dtype weft__find_dtype(const char *name, size_t length);
int weft__fail_unknown(weft__parser *p, const weft__token *token, bool is_call);

/// The value of a name that is no call's.
int weft__parse_name(weft__parser *p, const weft__token *token);
/// Parses a call from its opening parenthesis. more[0] receives a second result; NULL if only one result is allowed.
int weft__parse_call(weft__parser *p, const weft__token *token, int *more);
/// Parses an expression.
int weft__parse_value(weft__parser *p);

#endif

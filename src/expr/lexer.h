// SPDX-License-Identifier: MIT
/// Splits expressions and signatures into tokens, and reports errors with their place in the text.
#ifndef WEFT_EXPR_LEXER_H
#define WEFT_EXPR_LEXER_H

#include <weft/dtype.h>

#include "base/error.h"

#define WEFT__LONGEST_TEXT 65536 /* bytes of an expression or of signatures */

typedef enum weft__token_kind {
  WEFT__TOKEN_END = 0,
  WEFT__TOKEN_SEPARATOR, /* `;`, or a line end outside parentheses */
  WEFT__TOKEN_NAME,
  WEFT__TOKEN_NUMBER,
  WEFT__TOKEN_OPERATOR, /* `op`: a character, WEFT__OP2 of two characters, or a word's code */
} weft__token_kind;

#define WEFT__OP2(a, b) ((a) << 8 | (b))
enum { WEFT__WORD_AND = 1, WEFT__WORD_OR, WEFT__WORD_NOT, WEFT__WORD_IF, WEFT__WORD_ELSE };

typedef struct weft__token {
  weft__token_kind kind;
  int op;
  size_t at, length; /* bytes of the text */
  weft_scalar number;
} weft__token;

typedef struct weft__lexer {
  const char *source; /* what messages call the text: "expr" */
  const char *text;
  size_t length;
  size_t next;       /* the byte behind the token */
  int depth;         /* open parentheses, inside which a line end is a blank */
  weft__token token; /* the current token */
  bool failed;       /* an error is recorded; the token is then END */
  weft_status error; /* of errors: WEFT_ERROR_EXPRESSION, or what the parser sets */
} weft__lexer;

/// Reads the first token. On an error `failed` is set.
void weft__lexer_start(weft__lexer *lexer, const char *source, const char *text);
/// Reads the next token.
void weft__lexer_advance(weft__lexer *lexer);
static inline bool weft__lexer_is(const weft__lexer *lexer, int op) {
  return lexer->token.kind == WEFT__TOKEN_OPERATOR && lexer->token.op == op;
}
/// Whether `name` is an identifier and not a word of the language.
bool weft__is_name(const char *name, size_t length);

/// Records lexer->error, "expr:LINE:COLUMN: ...", for the place `at`. The detail is the line with a mark under
/// the place. Only the first error is kept.
void weft__lexer_fail(weft__lexer *lexer, size_t at, const char *format, ...) WEFT_PRINTF(3, 4);
/// Records the error "expected WHAT, found `)`".
void weft__lexer_expected(weft__lexer *lexer, const char *what);
/// Appends the token's text in backticks, shortened if it is long.
void weft__lexer_quote(weft__text *out, const weft__lexer *lexer, const weft__token *token);

/// Finds the candidate nearest to a misspelt name.
typedef struct weft__nearest {
  const char *name;
  size_t length;
  int distance;
  size_t common; /* length of the common prefix */
  char best[32]; /* NUL-terminated; "" if no candidate is near */
} weft__nearest;
void weft__nearest_start(weft__nearest *nearest, const char *name, size_t length);
void weft__nearest_offer(weft__nearest *nearest, const char *candidate, size_t length);

#endif

// SPDX-License-Identifier: MIT
/// Expressions and signatures cut into tokens, and errors that point into them.
#ifndef WEFT_EXPR_LEXER_H
#define WEFT_EXPR_LEXER_H

#include <weft/dtype.h>

#include "base/error.h"

#define WEFT__LONGEST_TEXT 65536 /* bytes of an expression or of signatures */

typedef enum weft__token_kind {
  WEFT__TOKEN_END = 0,
  WEFT__TOKEN_SEPARATOR, /* ; or the end of a line outside of parentheses */
  WEFT__TOKEN_NAME,
  WEFT__TOKEN_NUMBER,
  WEFT__TOKEN_OPERATOR, /* `op`: its character, WEFT__OP2 of its two, or a word's code */
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
  size_t next;       /* behind the token */
  int depth;         /* open parentheses: in them a line's end is a blank */
  weft__token token; /* the one to be looked at */
  bool failed;       /* an error is recorded, and the token is END */
} weft__lexer;

/// The first token is there when this returns; see `failed`.
void weft__lexer_start(weft__lexer *lexer, const char *source, const char *text);
/// Goes to the next token.
void weft__lexer_advance(weft__lexer *lexer);
static inline bool weft__lexer_is(const weft__lexer *lexer, int op) {
  return lexer->token.kind == WEFT__TOKEN_OPERATOR && lexer->token.op == op;
}
/// Whether `name` is an identifier that no word of the language takes.
bool weft__is_name(const char *name, size_t length);

/// Records WEFT_ERROR_EXPRESSION "expr:LINE:COLUMN: ..." for the place `at`, with the line and a mark under the place
/// as the detail. The first one counts.
void weft__lexer_fail(weft__lexer *lexer, size_t at, const char *format, ...) WEFT_PRINTF(3, 4);
/// "expected WHAT, found `)`".
void weft__lexer_expected(weft__lexer *lexer, const char *what);
/// Appends a piece of the text in backticks, shortened where it is long.
void weft__lexer_quote(weft__text *out, const weft__lexer *lexer, const weft__token *token);

/// The name nearest to a misspelt one, of those offered; NULL-terminated where `best` is.
typedef struct weft__nearest {
  const char *name;
  size_t length;
  int distance;
  size_t common; /* first characters that are the same */
  char best[32]; /* "" where none is near */
} weft__nearest;
void weft__nearest_start(weft__nearest *nearest, const char *name, size_t length);
void weft__nearest_offer(weft__nearest *nearest, const char *candidate, size_t length);

#endif

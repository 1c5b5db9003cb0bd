// SPDX-License-Identifier: MIT
#include "expr/signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/lexer.h"

/// Names that OpenCL C does not allow for a parameter.
static const char *const taken[] = {
    "auto",      "break",     "case",      "char",      "const",      "continue",   "default",   "do",
    "double",    "else",      "enum",      "extern",    "float",      "for",        "goto",      "if",
    "inline",    "int",       "long",      "register",  "restrict",   "return",     "short",     "signed",
    "sizeof",    "static",    "struct",    "switch",    "typedef",    "union",      "unsigned",  "void",
    "volatile",  "while",     "bool",      "half",      "uchar",      "ushort",     "uint",      "ulong",
    "quad",      "complex",   "imaginary", "size_t",    "ptrdiff_t",  "intptr_t",   "uintptr_t", "image2d_t",
    "image3d_t", "sampler_t", "event_t",   "global",    "local",      "constant",   "private",   "generic",
    "kernel",    "pipe",      "uniform",   "read_only", "write_only", "read_write", "NULL",      "true",
    "false",     "NAN",       "INFINITY",  "HUGE_VAL",  "HUGE_VALF",  "MAXFLOAT",   "asm",       "typeof",
    "this",      "class",     "template",  "namespace"};

static bool is_taken(const char *name) {
  if (strncmp(name, "weft_", 5) == 0 || strncmp(name, "WEFT_", 5) == 0 || strncmp(name, "__", 2) == 0 ||
      strncmp(name, "M_", 2) == 0)
    return true;
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (strcmp(taken[i], name) == 0) return true;
  return false;
}

typedef struct reader {
  weft__lexer lexer;
  weft__signatures *s;
  bool for_source;
  int most; /* rows allocated */
} reader;

static bool is_token(const char *known, const char *name, const weft__token *token) {
  return strlen(known) == token->length && memcmp(known, name, token->length) == 0;
}

static bool read_dtype(reader *r, uint8_t *dtype, const char *what) {
  const weft__token *token = &r->lexer.token;
  const char *name = r->lexer.text + token->at;
  weft__nearest nearest;
  if (token->kind != WEFT__TOKEN_NAME) {
    weft__lexer_expected(&r->lexer, what);
    return false;
  }
  weft__nearest_start(&nearest, name, token->length);
  *dtype = WEFT_DTYPE_NONE;
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++) {
    const char *known = weft_dtype_name((weft_dtype)d);
    if (is_token(known, name, token) || is_token(weft__dtype((weft_dtype)d)->numpy, name, token)) *dtype = (uint8_t)d;
    weft__nearest_offer(&nearest, known, strlen(known));
  }
  if (is_token("boolean", name, token)) *dtype = WEFT_BOOL; /* Numba's name */
  if (*dtype != WEFT_DTYPE_NONE) {
    weft__lexer_advance(&r->lexer);
    return true;
  }
  weft__text quoted = {0};
  weft__lexer_quote(&quoted, &r->lexer, token);
  weft__lexer_fail(&r->lexer, token->at, "%s is no dtype%s%s%s", weft__text_chars(&quoted),
                   nearest.best[0] ? "; did you mean `" : "", nearest.best, nearest.best[0] ? "`?" : "");
  weft__text_free(&quoted);
  return false;
}

/// Reads a name. After the first signature it must be the first signature's name at this position.
static bool read_name(reader *r, char name[WEFT__LONGEST_NAME], bool is_first, const char *what) {
  const weft__token token = r->lexer.token;
  const char *text = r->lexer.text + token.at;
  if (token.kind != WEFT__TOKEN_NAME) {
    weft__lexer_expected(&r->lexer, what);
    return false;
  }
  if (token.length >= WEFT__LONGEST_NAME) {
    weft__lexer_fail(&r->lexer, token.at, "a name of %zu characters; %d are the most", token.length,
                     WEFT__LONGEST_NAME - 1);
    return false;
  }
  if (!is_first) {
    if (strlen(name) != token.length || memcmp(name, text, token.length) != 0) {
      weft__lexer_fail(&r->lexer, token.at, "`%.*s` is `%s` in the first signature; names are the same in all",
                       (int)token.length, text, name);
      return false;
    }
  } else {
    memcpy(name, text, token.length);
    name[token.length] = 0;
    if (r->for_source && is_taken(name)) {
      weft__lexer_fail(&r->lexer, token.at, "`%s` cannot be a variable's name in OpenCL C, or is reserved for Weft",
                       name);
      return false;
    }
  }
  weft__lexer_advance(&r->lexer);
  return true;
}

static int count_name(const weft__signatures *s, const char *name) {
  int count = 0;
  for (int k = 0; k < s->parameters; k++) count += strcmp(s->parameter_name[k], name) == 0;
  for (int k = 0; k < s->results; k++) count += strcmp(s->result_name[k], name) == 0;
  return count;
}

/// Makes the name of an unnamed parameter or result: a, b, c, d, p5, p6 ...; out, out2 ...
static void give_name(char name[WEFT__LONGEST_NAME], int k, bool is_result) {
  if (is_result)
    snprintf(name, WEFT__LONGEST_NAME, k ? "out%d" : "out", k + 1);
  else
    snprintf(name, WEFT__LONGEST_NAME, k < 4 ? "%c" : "p%d", k < 4 ? 'a' + k : k + 1);
}

/// Names the unnamed items of a list by their position, or by the next free position if the name is in use.
static void give_names(const weft__signatures *s, char name[][WEFT__LONGEST_NAME], int count, bool is_results) {
  char free_name[WEFT__LONGEST_NAME];
  for (int k = 0; k < count; k++) {
    if (name[k][0]) continue;
    int place = k;
    do give_name(free_name, place++, is_results);
    while (count_name(s, free_name));
    memcpy(name[k], free_name, sizeof free_name);
  }
}

static bool is_used_twice(reader *r, const char *name, size_t at) {
  const int count = name[0] ? count_name(r->s, name) : 0;
  if (count > 1) weft__lexer_fail(&r->lexer, at, "the name `%s` is used twice", name);
  return count > 1;
}

/// Reads the word `raw` in front of parameter k, if it is there. All signatures have it or none.
static bool read_raw(reader *r, int k, bool is_first) {
  const size_t at = r->lexer.token.at;
  const bool is_raw = r->lexer.token.kind == WEFT__TOKEN_NAME && is_token("raw", r->lexer.text + at, &r->lexer.token);
  if (is_raw && !r->for_source) {
    weft__lexer_fail(&r->lexer, at, "a raw parameter is for a body in OpenCL C (.source)");
    return false;
  }
  if (is_first) r->s->is_raw[k] = is_raw;
  if (is_raw != r->s->is_raw[k]) {
    weft__lexer_fail(&r->lexer, at, "parameter %d is %s in the first signature, and in all", k + 1,
                     is_raw ? "not raw" : "raw");
    return false;
  }
  if (is_raw) weft__lexer_advance(&r->lexer);
  return true;
}

static bool read_parameter_dtype(reader *r, uint8_t *dtype, int k, bool is_first) {
  if (!read_raw(r, k, is_first)) return false;
  const size_t at = r->lexer.token.at;
  if (!read_dtype(r, dtype, "a parameter's dtype")) return false;
  if (!r->s->is_raw[k] || !weft__is_narrow((weft_dtype)*dtype)) return true;
  weft__lexer_fail(&r->lexer, at, "a raw parameter cannot be %s, which a body computes as float; expected raw f32",
                   weft_dtype_name((weft_dtype)*dtype));
  return false;
}

/// Reads ( dtype name, dtype name ... ): results or parameters.
static bool read_list(reader *r, uint8_t *dtype, char name[][WEFT__LONGEST_NAME], int *count, int room,
                      bool is_results) {
  bool is_first = r->s->count == 1, is_more = false;
  int k = 0;
  size_t open = r->lexer.token.at;
  if (!weft__lexer_is(&r->lexer, '(')) {
    weft__lexer_expected(&r->lexer, "`(`");
    return false;
  }
  do {
    weft__lexer_advance(&r->lexer); /* skips the `(` or `,` */
    if (k == room) {
      weft__lexer_fail(&r->lexer, r->lexer.token.at, "more than %d results and parameters", WEFT_MAX_OPERANDS);
      return false;
    }
    is_more = !is_first && k == *count;
    if (is_more) break;
    if (is_results ? !read_dtype(r, &dtype[k], "a result's dtype") : !read_parameter_dtype(r, &dtype[k], k, is_first))
      return false;
    size_t at = r->lexer.token.at;
    if (weft__lexer_is(&r->lexer, ',') || weft__lexer_is(&r->lexer, ')')) {
      if (is_first) name[k][0] = 0; /* named after all are read */
    } else if (!read_name(r, name[k], is_first,
                          is_results ? "the result's name, `,` or `)`" : "the parameter's name, `,` or `)`")) {
      return false;
    }
    k++;
    if (is_first) *count = k;
    if (is_first && is_used_twice(r, name[k - 1], at)) return false;
  } while (weft__lexer_is(&r->lexer, ','));
  if (r->lexer.failed) return false;
  if (!is_first && (is_more || (k < *count && weft__lexer_is(&r->lexer, ')')))) {
    weft__lexer_fail(&r->lexer, open, "the first signature has %d %s%s; all have as many", *count,
                     is_results ? "result" : "parameter", *count == 1 ? "" : "s");
    return false;
  }
  if (!weft__lexer_is(&r->lexer, ')')) {
    weft__lexer_expected(&r->lexer, "`,` or `)`");
    return false;
  }
  weft__lexer_advance(&r->lexer);
  return !r->lexer.failed;
}

static bool read_results(reader *r, weft__signature_row *row) {
  weft__signatures *s = r->s;
  size_t at = r->lexer.token.at;
  bool is_list = weft__lexer_is(&r->lexer, '(');
  if (is_list) return read_list(r, row->result, s->result_name, &s->results, WEFT_MAX_OPERANDS - 1, true);
  if (s->count == 1) s->results = 1;
  if (s->results != 1) {
    weft__lexer_fail(&r->lexer, at, "the first signature has %d results; all have as many", s->results);
    return false;
  }
  return read_dtype(r, &row->result[0], "the result's dtype or `(`");
}

static int compare_rows(const weft__signature_row *a, const weft__signature_row *b, int parameters) {
  for (int k = 0; k < parameters; k++) {
    int difference = weft__dtype((weft_dtype)a->parameter[k])->rank - weft__dtype((weft_dtype)b->parameter[k])->rank;
    if (difference) return difference;
  }
  return 0;
}

static bool read_signature(reader *r) {
  weft__signatures *s = r->s;
  weft__signature_row row = {{0}, {0}};
  size_t at = r->lexer.token.at;
  if (s->count == WEFT__MOST_SIGNATURES) {
    weft__lexer_fail(&r->lexer, at, "more than %d signatures", WEFT__MOST_SIGNATURES);
    return false;
  }
  s->count++;
  bool is_list = weft__lexer_is(&r->lexer, '(');
  if (!read_results(r, &row) ||
      !read_list(r, row.parameter, s->parameter_name, &s->parameters, WEFT_MAX_OPERANDS - s->results, false)) {
    s->count--;
    return false;
  }
  if (s->count == 1) {
    give_names(s, s->parameter_name, s->parameters, false);
    if (is_list) give_names(s, s->result_name, s->results, true);
  }
  int place = s->count - 1;
  for (int k = 0; k < s->count - 1; k++) {
    if (compare_rows(&s->row[k], &row, s->parameters) == 0) {
      weft__lexer_fail(&r->lexer, at, "there is a signature of these parameters' dtypes already");
      s->count--;
      return false;
    }
  }
  for (; place > 0 && compare_rows(&s->row[place - 1], &row, s->parameters) > 0; place--)
    s->row[place] = s->row[place - 1];
  s->row[place] = row;
  return true;
}

weft_status weft__signatures_parse(weft__signatures *s, const char *text, bool for_source) {
  reader r = {.s = s, .for_source = for_source};
  *s = (weft__signatures){.row = weft__new(WEFT__MOST_SIGNATURES * sizeof *s->row)};
  if (!s->row) return WEFT_ERROR_HOST_MEMORY;
  weft__lexer_start(&r.lexer, "signatures", text);
  while (!r.lexer.failed) {
    while (r.lexer.token.kind == WEFT__TOKEN_SEPARATOR) weft__lexer_advance(&r.lexer);
    if (r.lexer.token.kind == WEFT__TOKEN_END || !read_signature(&r)) break;
    if (r.lexer.token.kind != WEFT__TOKEN_END && r.lexer.token.kind != WEFT__TOKEN_SEPARATOR)
      weft__lexer_expected(&r.lexer, "`;` or the end");
  }
  if (!r.lexer.failed && s->count == 0)
    weft__lexer_fail(&r.lexer, 0, "there is no signature; expected one such as f32(f32 x, f32 y)");
  return r.lexer.failed ? WEFT_ERROR_EXPRESSION : WEFT_OK;
}

void weft__signatures_free(weft__signatures *s) {
  free(s->row);
  s->row = NULL;
}

void weft__signature_describe(weft__text *text, const weft__signatures *s, int k) {
  const weft__signature_row *row = &s->row[k];
  if (!s->result_name[0][0]) weft__text_add(text, "%s", weft_dtype_name((weft_dtype)row->result[0]));
  for (int i = 0; i < s->results && s->result_name[0][0]; i++)
    weft__text_add(text, "%s%s %s", i ? ", " : "(", weft_dtype_name((weft_dtype)row->result[i]), s->result_name[i]);
  if (s->result_name[0][0]) weft__text_add(text, ")");
  for (int i = 0; i < s->parameters; i++)
    weft__text_add(text, "%s%s%s %s", i ? ", " : "(", s->is_raw[i] ? "raw " : "",
                   weft_dtype_name((weft_dtype)row->parameter[i]), s->parameter_name[i]);
  weft__text_add(text, ")");
}

// SPDX-License-Identifier: MIT
/// Names in a text: variables, assigned names, constants, an element's index; and what is said of unknown ones.
#include <math.h>
#include <string.h>

#include "expr/neighbour.h"
#include "expr/parsing.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

int weft__parse_fail(weft__parser *p, size_t at, const char *prefix, weft__text *why) {
  if (!p->f->failed && !p->lexer.failed) {
    if (p->f->lacks_fp64) p->lexer.error = WEFT_ERROR_UNSUPPORTED;
    if (why->length > 0)
      weft__lexer_fail(&p->lexer, at, "%s%s", prefix, weft__text_chars(why));
    else
      p->f->failed = true;
  }
  weft__text_free(why);
  p->lexer.failed = true;
  p->lexer.token.kind = WEFT__TOKEN_END;
  return -1;
}

/* ---- names ---- */

weft__symbol *weft__find_symbol(weft__parser *p, const char *name, size_t length) {
  for (int k = 0; k < p->symbols; k++)
    if (p->symbol[k].length == length && memcmp(p->symbol[k].name, name, length) == 0) return &p->symbol[k];
  return NULL;
}

int weft__find_result(const weft__parser *p, const char *name, size_t length) {
  for (int k = p->e->has_value; k < p->e->results && p->e->result; k++)
    if (strlen(p->e->result[k]) == length && memcmp(p->e->result[k], name, length) == 0) return k;
  return -1;
}

static const struct {
  const char *name;
  double value;
} constants[] = {{"pi", 3.14159265358979323846}, {"e", 2.71828182845904523536}, {"inf", INFINITY}, {"nan", NAN}};
static const char *const truths[] = {"false", "true", "False", "True"};
static const char *const own_names[] = {"i", "n"};

static bool is_text(const char *text, const char *name, size_t length) {
  return strlen(text) == length && memcmp(text, name, length) == 0;
}

weft_dtype weft__find_dtype(const char *name, size_t length) {
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++)
    if (is_text(weft_dtype_name((weft_dtype)d), name, length)) return (weft_dtype)d;
  return WEFT_DTYPE_NONE;
}

int weft__find_function(const char *name, size_t length) {
  if (is_text("min", name, length)) return WEFT_UFUNC_MINIMUM;
  if (is_text("max", name, length)) return WEFT_UFUNC_MAXIMUM;
  if (is_text("mod", name, length)) return WEFT_UFUNC_REMAINDER;
  if (is_text("bitwise_invert", name, length)) return WEFT_UFUNC_INVERT;
  if (weft__is_round(name, length)) return WEFT_UFUNC_RINT;
  return weft__op_find(name, length);
}

bool weft__is_round(const char *name, size_t length) {
  return is_text("round", name, length) || is_text("around", name, length);
}

static void offer_functions(weft__nearest *nearest) {
  for (int id = 1; id < WEFT_UFUNC_COUNT; id++) {
    const weft__op *row = weft__op_row(id);
    weft__nearest_offer(nearest, row->name, strlen(row->name));
    if (row->numpy[0] != '-') weft__nearest_offer(nearest, row->numpy, strlen(row->numpy));
  }
  for (int id = 1; id < WEFT_REDUCE_COUNT; id++) {
    const char *name = weft__reduction_function((weft_reduction_id)id) + WEFT__REDUCTION_PREFIX;
    weft__nearest_offer(nearest, name, strlen(name));
  }
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++) {
    const char *name = weft_dtype_name((weft_dtype)d);
    weft__nearest_offer(nearest, name, strlen(name));
  }
}

int weft__fail_unknown(weft__parser *p, const weft__token *token, bool is_call) {
  if (is_call && !weft__find_symbol(p, p->lexer.text + token->at, token->length) &&
      weft__fail_over_array(&p->lexer, token))
    return -1;
  const char *name = p->lexer.text + token->at;
  weft__text quoted = {0};
  weft__nearest nearest;
  weft__lexer_quote(&quoted, &p->lexer, token);
  const char *q = weft__text_chars(&quoted);
  weft__nearest_start(&nearest, name, token->length);
  if (!is_call) {
    for (int k = 0; k < p->symbols; k++) weft__nearest_offer(&nearest, p->symbol[k].name, p->symbol[k].length);
    for (size_t k = 0; k < COUNT(constants); k++)
      weft__nearest_offer(&nearest, constants[k].name, strlen(constants[k].name));
    for (size_t k = 0; k < COUNT(truths); k++) weft__nearest_offer(&nearest, truths[k], strlen(truths[k]));
  }
  if (is_call || !nearest.best[0]) offer_functions(&nearest);
  if (is_call && weft__find_symbol(p, name, token->length))
    weft__lexer_fail(&p->lexer, token->at, "%s is a value, not a function", q);
  else if (!is_call && (weft__find_function(name, token->length) || weft__find_dtype(name, token->length) ||
                        weft__reduction_find(name, token->length)))
    weft__lexer_fail(&p->lexer, token->at, "%s is a function; expected its operands: %.*s(...)", q, (int)token->length,
                     name);
  else if (!is_call && weft__find_result(p, name, token->length) >= 0)
    weft__lexer_fail(&p->lexer, token->at, "%s is a result, and has no value before it is assigned one", q);
  else if (nearest.best[0])
    weft__lexer_fail(&p->lexer, token->at, "%s is not known%s; did you mean `%s`?", q, is_call ? " as a function" : "",
                     nearest.best);
  else
    weft__lexer_fail(&p->lexer, token->at, "%s is not known%s", q,
                     is_call ? " as a function" : " here; variables are given with WEFT_VAR or WEFT_NAMED");
  weft__text_free(&quoted);
  return -1;
}

static int read_variable(weft__parser *p, weft__symbol *s, size_t at) {
  weft__text why = {0};
  int input = (int)(s - p->symbol);
  s->is_used = true;
  s->node = weft__formula_input(p->f, input);
  if (s->node >= 0 && p->e->variable_dtype)
    s->node = weft__formula_cast(p->f, s->node, p->e->variable_dtype[input], &why);
  return s->node >= 0 ? s->node : weft__parse_fail(p, at, "", &why);
}

/// Parses the offsets x[-1, 0] from the opening bracket.
static int parse_tap(weft__parser *p, weft__symbol *s) {
  int offset[WEFT_MAX_NDIM];
  weft__text why = {0};
  const size_t at = p->lexer.token.at;
  const bool is_variable = s && !s->is_written && s - p->symbol < p->f->inputs;
  if (is_variable) s->is_used = true;
  if (!weft__may_have_offsets(&p->lexer, p->f->axes, is_variable && !p->f->input[s - p->symbol].is_scalar) ||
      !weft__read_offsets(&p->lexer, offset, p->f->axes))
    return -1;
  const int node = weft__formula_tap(p->f, (int)(s - p->symbol), offset);
  return node >= 0 ? node : weft__parse_fail(p, at, "", &why);
}

static int parse_position(weft__parser *p, const weft__token *token, int axis) {
  weft__text why = {0};
  if (!weft__may_have_index(&p->lexer, token, axis, p->f->axes)) return -1;
  const int node = weft__formula_position(p->f, axis, &why);
  return node >= 0 ? node : weft__parse_fail(p, token->at, "", &why);
}

int weft__parse_name(weft__parser *p, const weft__token *token) {
  const char *name = p->lexer.text + token->at;
  weft__symbol *s = weft__find_symbol(p, name, token->length);
  const int axis = weft__index_axis(name, token->length);
  if (weft__lexer_is(&p->lexer, '[')) return parse_tap(p, s);
  if (s) return s->node >= 0 ? s->node : read_variable(p, s, token->at);
  for (size_t k = 0; k < COUNT(constants); k++)
    if (is_text(constants[k].name, name, token->length))
      return weft__formula_number(p->f, WEFT_SCALAR(constants[k].value));
  for (size_t k = 0; k < COUNT(truths); k++)
    if (is_text(truths[k], name, token->length)) return weft__formula_number(p->f, WEFT_SCALAR((bool)(k % 2)));
  if (is_text(own_names[0], name, token->length)) return weft__formula_index(p->f);
  if (is_text(own_names[1], name, token->length)) return weft__formula_size(p->f);
  return axis >= 0 ? parse_position(p, token, axis) : weft__fail_unknown(p, token, false);
}

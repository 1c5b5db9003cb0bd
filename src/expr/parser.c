// SPDX-License-Identifier: MIT
/// Statements of a text, and its results.
#include "expr/parser.h"

#include <string.h>

#include "base/scratch.h"
#include "expr/parsing.h"
#include "expr/part.h"

/* ---- statements ---- */

/// The number of names before an `=` that starts here (`q, r = ...`); 0 if there is no such `=`.
static int count_targets(weft__parser *p) {
  weft__lexer ahead = p->lexer;
  for (int count = 1; ahead.token.kind == WEFT__TOKEN_NAME; count++) {
    weft__lexer_advance(&ahead);
    if (weft__lexer_is(&ahead, '=')) return count;
    if (!weft__lexer_is(&ahead, ',')) break;
    weft__lexer_advance(&ahead);
  }
  if (ahead.failed) p->lexer = ahead;
  return 0;
}

static bool assign(weft__parser *p, const weft__token *target, int node, size_t at) {
  const char *name = p->lexer.text + target->at;
  weft__symbol *s = weft__find_symbol(p, name, target->length);
  if (node < 0) return false;
  if (s && s - p->symbol < p->f->inputs && weft__find_result(p, name, target->length) < 0) {
    weft__lexer_fail(&p->lexer, target->at, "`%.*s` is a variable, and no result: it cannot be assigned to",
                     (int)target->length, name);
    return false;
  }
  if (!s && p->symbols == p->f->inputs + WEFT__MOST_NAMES) {
    weft__lexer_fail(&p->lexer, target->at, "more than %d names are assigned to", WEFT__MOST_NAMES);
    return false;
  }
  if (!s) {
    s = &p->symbol[p->symbols++];
    s->is_used = true; /* only an unused variable is an error */
  }
  *s = (weft__symbol){
      .name = name, .length = target->length, .node = node, .at = at, .is_used = s->is_used, .is_written = true};
  return true;
}

/// Parses q, r = divmod(a, b).
static bool parse_unpacking(weft__parser *p, int targets) {
  weft__token target[WEFT__OP_RESULTS], third = {0};
  int node[WEFT__OP_RESULTS] = {-1, -1};
  for (int k = 0; k < targets; k++) {
    if (k < WEFT__OP_RESULTS) target[k] = p->lexer.token;
    if (k == WEFT__OP_RESULTS) third = p->lexer.token;
    weft__lexer_advance(&p->lexer);
    weft__lexer_advance(&p->lexer); /* skips the `,` or `=` */
  }
  const weft__token function = p->lexer.token;
  const char *name = p->lexer.text + function.at;
  int id = function.kind == WEFT__TOKEN_NAME ? weft__find_function(name, function.length) : 0;
  if (id) weft__lexer_advance(&p->lexer);
  if (!id || !weft__lexer_is(&p->lexer, '(')) {
    weft__lexer_fail(&p->lexer, function.at,
                     "expected a call of a function with several results, such as divmod, modf, frexp or sincos");
    return false;
  }
  int results = weft__op_results(weft__op_row(id));
  if (results != targets) {
    weft__lexer_fail(&p->lexer, targets > results && results > 1 ? third.at : function.at,
                     "%.*s has %d result%s; there are %d names for them", (int)function.length, name, results,
                     results == 1 ? "" : "s", targets);
    return false;
  }
  if (target[0].length == target[1].length &&
      memcmp(p->lexer.text + target[0].at, p->lexer.text + target[1].at, target[0].length) == 0) {
    weft__lexer_fail(&p->lexer, target[1].at, "`%.*s` stands twice on the left", (int)target[1].length,
                     p->lexer.text + target[1].at);
    return false;
  }
  node[0] = weft__parse_call(p, &function, &node[1]);
  for (int k = 0; k < results; k++)
    if (!assign(p, &target[k], node[k], function.at)) return false;
  return true;
}

static void parse_statement(weft__parser *p) {
  size_t begin = p->lexer.token.at;
  int targets = count_targets(p);
  p->has_value = p->is_idle = false;
  if (targets > 1) {
    if (!parse_unpacking(p, targets)) return;
  } else {
    const weft__token target = p->lexer.token;
    if (targets == 1) {
      weft__lexer_advance(&p->lexer);
      weft__lexer_advance(&p->lexer);
    }
    p->value_at = targets ? p->lexer.token.at : begin;
    p->value = weft__parse_value(p);
    p->has_value = p->value >= 0;
    p->is_idle = p->has_value && targets == 0;
    if (!p->has_value || (targets == 1 && !assign(p, &target, p->value, p->value_at))) return;
  }
  if (weft__lexer_is(&p->lexer, '=')) {
    weft__lexer_fail(&p->lexer, p->lexer.token.at, "only names can be assigned to; equality is `==`");
  } else if (p->lexer.token.kind != WEFT__TOKEN_END && p->lexer.token.kind != WEFT__TOKEN_SEPARATOR) {
    weft__lexer_expected(&p->lexer, "an operator or the end");
  }
}

static void fail_idle(weft__parser *p) {
  weft__lexer_fail(&p->lexer, p->value_at, "the value of this statement is not used; expected name = ...");
}

static void parse_statements(weft__parser *p) {
  bool any = false;
  while (!weft__parse_is_over(p)) {
    while (p->lexer.token.kind == WEFT__TOKEN_SEPARATOR) weft__lexer_advance(&p->lexer);
    if (p->lexer.token.kind == WEFT__TOKEN_END) break;
    if (any && p->is_idle) {
      fail_idle(p);
      return;
    }
    any = true;
    parse_statement(p);
  }
  if (!any && !weft__parse_is_over(p)) weft__lexer_fail(&p->lexer, 0, "the text is empty; expected an expression");
}

/* ---- results ---- */

static bool add_result(weft__parser *p, int k, int node, size_t at) {
  weft__text why = {0};
  weft_dtype wanted = p->e->result_dtype ? p->e->result_dtype[k] : WEFT_DTYPE_NONE;
  if (wanted) {
    weft_dtype from = p->f->node[node].dtype;
    if (!weft__casts_same_kind(from, wanted)) {
      weft__lexer_fail(&p->lexer, at, "this is %s, the result is to be %s; %s(...) casts", weft_dtype_name(from),
                       weft_dtype_name(wanted), weft_dtype_name(wanted));
      return false;
    }
    node = weft__formula_cast(p->f, node, wanted, &why);
  }
  if (node >= 0 && weft__formula_add_result(p->f, node, &why)) return true;
  weft__parse_fail(p, at, "", &why);
  return false;
}

static bool add_results(weft__parser *p) {
  for (int k = 0; k < p->e->results; k++) {
    if (k == 0 && p->e->has_value) {
      if (!p->has_value) {
        weft__lexer_fail(&p->lexer, p->lexer.length,
                         "the last statement has several values; expected one for the result");
        return false;
      }
      if (!add_result(p, k, p->value, p->value_at)) return false;
      continue;
    }
    const char *name = p->e->result[k];
    weft__symbol *s = weft__find_symbol(p, name, strlen(name));
    if (!s || !s->is_written) {
      weft__lexer_fail(&p->lexer, p->lexer.length, "`%s` is a result, and the text assigns nothing to it", name);
      return false;
    }
    if (!add_result(p, k, s->node, s->at)) return false;
  }
  for (int k = 0; k < p->f->inputs && !p->e->may_ignore; k++)
    if (!p->symbol[k].is_used) {
      weft__fail(WEFT_ERROR_EXPRESSION, p->e->variable[k],
                 "expr: the variable `%s` is given, but the text does not use it", p->e->variable[k]);
      p->lexer.failed = true;
      return false;
    }
  return true;
}

weft_status weft__parse(weft__formula *f, const weft__expression *expression) {
  weft__parser *p = weft__scratch_begin(sizeof *p);
  if (!p) return WEFT_ERROR_HOST_MEMORY;
  p->f = f;
  p->e = expression;
  p->depth = 0;
  p->value = -1;
  p->value_at = 0;
  p->has_value = p->is_idle = false;
  p->symbols = f->inputs;
  for (int k = 0; k < f->inputs; k++)
    p->symbol[k] =
        (weft__symbol){.name = expression->variable[k], .length = strlen(expression->variable[k]), .node = -1};
  weft__lexer_start(&p->lexer, "expr", expression->text);
  parse_statements(p);
  if (!weft__parse_is_over(p) && p->is_idle && !expression->has_value) fail_idle(p);
  if (!weft__parse_is_over(p)) add_results(p);
  if (!weft__parse_is_over(p)) weft__formula_merge(f);
  if (!expression->keeps_numbers) weft__formula_pass_numbers(f);
  const weft_status rc = p->lexer.failed && !f->failed ? p->lexer.error : WEFT_OK;
  weft__scratch_end(p);
  return rc;
}

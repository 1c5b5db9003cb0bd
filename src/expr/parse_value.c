// SPDX-License-Identifier: MIT
/// Values in a text: operator precedence parsing in one pass, calls of functions, reductions.
#include <string.h>

#include "expr/neighbour.h"
#include "expr/parsing.h"

#define DEEPEST 200     /* nested signs; parentheses count twice */
#define MOST_NODES 4096 /* of a formula */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static int fail_depth(weft__parser *p) {
  weft__lexer_fail(&p->lexer, p->lexer.token.at, "nested too deeply");
  return -1;
}

static bool expect(weft__parser *p, int op, const char *what) {
  if (!weft__lexer_is(&p->lexer, op)) {
    weft__lexer_expected(&p->lexer, what);
    return false;
  }
  weft__lexer_advance(&p->lexer);
  return true;
}

static bool is_number_2(const weft__formula *f, int node, weft_dtype base) {
  const weft__node *n = &f->node[node];
  if (n->kind != WEFT__NODE_NUMBER || !n->weak) return false;
  if (n->number.dtype == WEFT_I64) return n->number.value.i == 2;
  char kind = weft_dtype_kind(base);
  return n->number.dtype == WEFT_F64 && n->number.value.f == 2 && (kind == 'f' || kind == 'c');
}

static bool is_integer(const weft__formula *f, int node) {
  const char kind = weft_dtype_kind(f->node[node].dtype);
  return kind == 'i' || kind == 'u';
}

/// `token` is the place of the operation. If it is an operator, the message begins with it.
static int apply(weft__parser *p, const weft__token *token, int op, const int *arguments, int *more) {
  weft__text why = {0}, prefix = {0};
  int no_more;
  for (int k = 0; k < weft__op_operands(weft__op_row(op)); k++)
    if (arguments[k] < 0) return -1;
  if (weft__parse_is_over(p)) return -1;
  if (p->f->count > MOST_NODES) {
    weft__lexer_fail(&p->lexer, token->at, "the expression has more than %d operations", MOST_NODES / 2);
    return -1;
  }
  if (op == WEFT_UFUNC_POW && p->f->node[arguments[0]].kind != WEFT__NODE_NUMBER &&
      is_number_2(p->f, arguments[1], p->f->node[arguments[0]].dtype))
    op = WEFT_UFUNC_SQUARE;
  int node = weft__formula_apply(p->f, op, arguments, more ? more : &no_more, &why);
  if (node >= 0) return node;
  if (token->kind == WEFT__TOKEN_OPERATOR) {
    weft__lexer_quote(&prefix, &p->lexer, token);
    weft__text_add(&prefix, ": ");
    if (token->op == '^' && why.length > 0) weft__text_add(&why, "; a power is written `**`");
  }
  weft__parse_fail(p, token->at, weft__text_chars(&prefix), &why);
  weft__text_free(&prefix);
  return -1;
}

/* ---- calls ---- */

static int fail_count(weft__parser *p, const weft__token *token, int wanted, int given) {
  const char *name = p->lexer.text + token->at;
  const bool reduces = !weft__find_function(name, token->length) && !weft__find_dtype(name, token->length);
  weft__lexer_fail(&p->lexer, token->at, "%.*s takes %d operand%s; %d given%s", (int)token->length, name, wanted,
                   wanted == 1 ? "" : "s", given, reduces && given > 1 ? "; an axis is given as axis=-1" : "");
  return -1;
}

static int cast_to(weft__parser *p, const weft__token *token, weft_dtype dtype, int node) {
  weft__text why = {0};
  if (node < 0) return -1;
  int cast = weft__formula_cast(p->f, node, dtype, &why);
  return cast >= 0 ? cast : weft__parse_fail(p, token->at, "", &why);
}

/// Parses the end of max(a, axis=-1), behind the operand.
static int parse_reduction(weft__parser *p, const weft__token *token, int node) {
  weft__text why = {0};
  weft__text_reduction how = {.id = weft__reduction_find(p->lexer.text + token->at, token->length)};
  if (node < 0 || !weft__may_reduce(&p->lexer, token, p->e->may_reduce && p->f->axes == 0) ||
      !weft__read_reduction(&p->lexer, &how))
    return -1;
  node = weft__formula_reduced(p->f, node, &how, &why);
  return node >= 0 ? node : weft__parse_fail(p, token->at, "", &why);
}

/// Parses operands up to the `)` or a keyword. `folds`: a function of two, applied from the third operand on; or 0.
/// Returns their number, or -1.
static int parse_operands(weft__parser *p, const weft__token *token, int folds, int *argument) {
  int count = 0;
  while (!weft__lexer_is(&p->lexer, ')') || count > 0) {
    int node = weft__parse_value(p);
    if (node < 0) return -1;
    if (folds && count >= 2) {
      argument[0] = apply(p, token, folds, argument, NULL);
      argument[1] = node;
    } else if (count < WEFT__OP_OPERANDS) {
      argument[count] = node;
    }
    count++;
    if (weft__operands_end(&p->lexer)) break;
    if (!expect(p, ',', "`,` or `)`")) return -1;
  }
  return count;
}

int weft__parse_call(weft__parser *p, const weft__token *token, int *more) {
  const char *name = p->lexer.text + token->at;
  const int length = (int)token->length;
  int id = weft__find_function(name, token->length), argument[WEFT__OP_OPERANDS] = {-1, -1, -1, -1};
  weft_dtype dtype = id ? WEFT_DTYPE_NONE : weft__find_dtype(name, token->length);
  const bool reduces = weft__reduction_find(name, token->length) != WEFT_REDUCE_DEFAULT;
  const bool folds = reduces && id; /* min and max, which take two or more operands */
  if (!id && !dtype && (!reduces || weft__find_symbol(p, name, token->length)))
    return weft__fail_unknown(p, token, true);
  int results = id ? weft__op_results(weft__op_row(id)) : 1, wanted = id ? weft__op_operands(weft__op_row(id)) : 1;
  if (results > 1 && !more) {
    weft__lexer_fail(&p->lexer, token->at,
                     "%.*s has %d results; assign them in a statement of their own: p, q = %.*s(...)", length, name,
                     results, length, name);
    return -1;
  }
  weft__lexer_advance(&p->lexer);
  const int count = parse_operands(p, token, folds ? id : 0, argument);
  if (count < 0) return -1;
  if (reduces && count == 1) return parse_reduction(p, token, argument[0]);
  if (folds ? count < 2 : count != wanted) return fail_count(p, token, wanted, count);
  if (weft__lexer_is(&p->lexer, ',')) {
    weft__lexer_fail(&p->lexer, p->lexer.token.at, "%.*s of %d operand%s works element by element, without an axis",
                     length, name, count, count == 1 ? "" : "s");
    return -1;
  }
  weft__lexer_advance(&p->lexer);
  if (weft__is_round(name, token->length) && argument[0] >= 0 && is_integer(p->f, argument[0])) return argument[0];
  return id ? apply(p, token, id, argument, more) : cast_to(p, token, dtype, argument[0]);
}

/* ---- operators ---- */

static int parse_primary(weft__parser *p) {
  const weft__token token = p->lexer.token;
  int node;
  if (token.kind == WEFT__TOKEN_NUMBER) {
    weft__lexer_advance(&p->lexer);
    return weft__formula_number(p->f, token.number);
  }
  if (token.kind == WEFT__TOKEN_NAME) {
    weft__lexer_advance(&p->lexer);
    return weft__lexer_is(&p->lexer, '(') ? weft__parse_call(p, &token, NULL) : weft__parse_name(p, &token);
  }
  if (!weft__lexer_is(&p->lexer, '(')) {
    weft__lexer_expected(&p->lexer, "a number, a name or `(`");
    return -1;
  }
  weft__lexer_advance(&p->lexer);
  node = weft__parse_value(p);
  return node >= 0 && expect(p, ')', "`)`") ? node : -1;
}

static int parse_unary(weft__parser *p) {
  const weft__token token = p->lexer.token;
  int op = weft__lexer_is(&p->lexer, '-')   ? WEFT_UFUNC_NEGATIVE
           : weft__lexer_is(&p->lexer, '+') ? WEFT_UFUNC_POSITIVE
           : weft__lexer_is(&p->lexer, '~') ? WEFT_UFUNC_INVERT
                                            : 0;
  int argument[2];
  if (p->depth >= DEEPEST) return fail_depth(p);
  p->depth++;
  if (op) {
    weft__lexer_advance(&p->lexer);
    argument[0] = parse_unary(p);
    argument[0] = apply(p, &token, op, argument, NULL);
  } else {
    argument[0] = parse_primary(p);
    if (argument[0] >= 0 && weft__lexer_is(&p->lexer, WEFT__OP2('*', '*'))) {
      const weft__token power = p->lexer.token;
      weft__lexer_advance(&p->lexer);
      argument[1] = parse_unary(p); /* right-associative, and the exponent may have a sign */
      argument[0] = apply(p, &power, WEFT_UFUNC_POW, argument, NULL);
    }
  }
  p->depth--;
  return argument[0];
}

enum { LEVEL_NOT = 3, LEVEL_COMPARISON };

/// The binary operators, with Python's precedence, the loosest first.
static const struct {
  int op, level, id;
} binary[] = {
    {WEFT__WORD_OR, 1, WEFT_UFUNC_LOGICAL_OR},
    {WEFT__WORD_AND, 2, WEFT_UFUNC_LOGICAL_AND},
    {'<', LEVEL_COMPARISON, WEFT_UFUNC_LESS},
    {WEFT__OP2('<', '='), LEVEL_COMPARISON, WEFT_UFUNC_LESS_EQUAL},
    {'>', LEVEL_COMPARISON, WEFT_UFUNC_GREATER},
    {WEFT__OP2('>', '='), LEVEL_COMPARISON, WEFT_UFUNC_GREATER_EQUAL},
    {WEFT__OP2('=', '='), LEVEL_COMPARISON, WEFT_UFUNC_EQUAL},
    {WEFT__OP2('!', '='), LEVEL_COMPARISON, WEFT_UFUNC_NOT_EQUAL},
    {'|', 5, WEFT_UFUNC_BITWISE_OR},
    {'^', 6, WEFT_UFUNC_BITWISE_XOR},
    {'&', 7, WEFT_UFUNC_BITWISE_AND},
    {WEFT__OP2('<', '<'), 8, WEFT_UFUNC_LEFT_SHIFT},
    {WEFT__OP2('>', '>'), 8, WEFT_UFUNC_RIGHT_SHIFT},
    {'+', 9, WEFT_UFUNC_ADD},
    {'-', 9, WEFT_UFUNC_SUBTRACT},
    {'*', 10, WEFT_UFUNC_MULTIPLY},
    {'/', 10, WEFT_UFUNC_DIVIDE},
    {WEFT__OP2('/', '/'), 10, WEFT_UFUNC_FLOOR_DIVIDE},
    {'%', 10, WEFT_UFUNC_REMAINDER},
};

/// The row of the current token if it binds at least as tightly as `level`, else -1.
static int find_binary(const weft__parser *p, int level) {
  for (size_t k = 0; k < COUNT(binary) && p->lexer.token.kind == WEFT__TOKEN_OPERATOR; k++)
    if (binary[k].op == p->lexer.token.op) return binary[k].level >= level ? (int)k : -1;
  return -1;
}

static int parse_binary(weft__parser *p, int level) {
  int left, before = -1, row;
  weft__token token = p->lexer.token;
  if (level <= LEVEL_NOT && weft__lexer_is(&p->lexer, WEFT__WORD_NOT)) {
    if (p->depth >= DEEPEST) return fail_depth(p);
    p->depth++;
    weft__lexer_advance(&p->lexer);
    left = parse_binary(p, LEVEL_NOT);
    p->depth--;
    left = apply(p, &token, WEFT_UFUNC_LOGICAL_NOT, &left, NULL);
  } else {
    left = parse_unary(p);
  }
  while (left >= 0 && (row = find_binary(p, level)) >= 0) {
    int argument[2] = {left, -1};
    bool compares = binary[row].level == LEVEL_COMPARISON;
    token = p->lexer.token;
    weft__lexer_advance(&p->lexer);
    int right = parse_binary(p, binary[row].level + 1);
    if (compares && before >= 0) argument[0] = before; /* a < b < c */
    argument[1] = right;
    int node = apply(p, &token, binary[row].id, argument, NULL);
    if (compares && before >= 0) node = apply(p, &token, WEFT_UFUNC_LOGICAL_AND, (const int[]){left, node}, NULL);
    before = compares ? right : -1;
    left = node;
  }
  return left;
}

int weft__parse_value(weft__parser *p) {
  if (p->depth >= DEEPEST) return fail_depth(p);
  p->depth++;
  int node = parse_binary(p, 0);
  const weft__token token = p->lexer.token;
  if (node >= 0 && weft__lexer_is(&p->lexer, WEFT__WORD_IF)) {
    weft__lexer_advance(&p->lexer);
    int condition = parse_binary(p, 0), other = -1;
    if (condition >= 0 && expect(p, WEFT__WORD_ELSE, "`else`")) other = weft__parse_value(p);
    node = apply(p, &token, WEFT_UFUNC_WHERE, (const int[]){condition, node, other}, NULL);
  }
  p->depth--;
  return weft__parse_is_over(p) ? -1 : node;
}

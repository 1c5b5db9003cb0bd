// SPDX-License-Identifier: MIT
// Operator precedence parsing in one pass. Each value becomes a node of the formula as soon as it is read, so that a
// dtype error has a place in the text.
#include "expr/parser.h"

#include <math.h>
#include <string.h>

#include "expr/lexer.h"
#include "expr/neighbour.h"
#include "expr/part.h"

#define DEEPEST 200     /* nested signs; parentheses count twice */
#define MOST_NODES 4096 /* of a formula */
#define MOST_NAMES 256  /* names a text may assign to */

/// A variable of the call, or a name that the text assigned to.
typedef struct symbol {
  const char *name; /* not NUL-terminated */
  size_t length;
  int node;        /* -1: a variable that was not used yet */
  size_t at;       /* where its value begins */
  bool is_used;    /* the text reads the variable */
  bool is_written; /* the text assigned the value */
} symbol;

typedef struct parser {
  weft__lexer lexer;
  weft__formula *f;
  const weft__expression *e;
  int depth;
  int symbols;
  symbol symbol[WEFT_MAX_OPERANDS + MOST_NAMES]; /* the variables first */
  bool has_value;                                /* the last statement was an expression or gave one name a value */
  bool is_idle;                                  /* the last statement's value is not assigned */
  int value;
  size_t value_at;
} parser;

static int parse_expression(parser *p);

/* ---- helpers ---- */

/// Reports the reason in `why`. An empty `why` means out of host memory, which is recorded in the formula.
static int fail_why(parser *p, size_t at, const char *prefix, weft__text *why) {
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

static bool is_over(const parser *p) {
  return p->lexer.failed || p->f->failed;
}

static int fail_depth(parser *p) {
  weft__lexer_fail(&p->lexer, p->lexer.token.at, "nested too deeply");
  return -1;
}

static bool expect(parser *p, int op, const char *what) {
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

/// `token` is the place of the operation. If it is an operator, the message begins with it.
static int apply(parser *p, const weft__token *token, int op, const int *arguments, int *more) {
  weft__text why = {0}, prefix = {0};
  int no_more;
  for (int k = 0; k < weft__op_operands(weft__op_row(op)); k++)
    if (arguments[k] < 0) return -1;
  if (is_over(p)) return -1;
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
  fail_why(p, token->at, weft__text_chars(&prefix), &why);
  weft__text_free(&prefix);
  return -1;
}

/* ---- names ---- */

static symbol *find_symbol(parser *p, const char *name, size_t length) {
  for (int k = 0; k < p->symbols; k++)
    if (p->symbol[k].length == length && memcmp(p->symbol[k].name, name, length) == 0) return &p->symbol[k];
  return NULL;
}

/// The index of a name among the results; -1 if it is not a result.
static int find_result(const parser *p, const char *name, size_t length) {
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
#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_text(const char *text, const char *name, size_t length) {
  return strlen(text) == length && memcmp(text, name, length) == 0;
}

static weft_dtype find_dtype(const char *name, size_t length) {
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++)
    if (is_text(weft_dtype_name((weft_dtype)d), name, length)) return (weft_dtype)d;
  return WEFT_DTYPE_NONE;
}

static int find_function(const char *name, size_t length) {
  if (is_text("min", name, length)) return WEFT_UFUNC_MINIMUM;
  if (is_text("max", name, length)) return WEFT_UFUNC_MAXIMUM;
  return weft__op_find(name, length);
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

static int fail_unknown(parser *p, const weft__token *token, bool is_call) {
  if (is_call && !find_symbol(p, p->lexer.text + token->at, token->length) && weft__fail_over_array(&p->lexer, token))
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
  if (is_call && find_symbol(p, name, token->length))
    weft__lexer_fail(&p->lexer, token->at, "%s is a value, not a function", q);
  else if (!is_call && (find_function(name, token->length) || find_dtype(name, token->length) ||
                        weft__reduction_find(name, token->length)))
    weft__lexer_fail(&p->lexer, token->at, "%s is a function; expected its operands: %.*s(...)", q, (int)token->length,
                     name);
  else if (!is_call && find_result(p, name, token->length) >= 0)
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

static int read_variable(parser *p, symbol *s, size_t at) {
  weft__text why = {0};
  int input = (int)(s - p->symbol);
  s->is_used = true;
  s->node = weft__formula_input(p->f, input);
  if (s->node >= 0 && p->e->variable_dtype)
    s->node = weft__formula_cast(p->f, s->node, p->e->variable_dtype[input], &why);
  return s->node >= 0 ? s->node : fail_why(p, at, "", &why);
}

/// Parses the offsets x[-1, 0] from the opening bracket.
static int parse_tap(parser *p, symbol *s) {
  int offset[WEFT_MAX_NDIM];
  weft__text why = {0};
  const size_t at = p->lexer.token.at;
  const bool is_variable = s && !s->is_written && s - p->symbol < p->f->inputs;
  if (is_variable) s->is_used = true;
  if (!weft__may_have_offsets(&p->lexer, p->f->axes, is_variable && !p->f->input[s - p->symbol].is_scalar) ||
      !weft__read_offsets(&p->lexer, offset, p->f->axes))
    return -1;
  const int node = weft__formula_tap(p->f, (int)(s - p->symbol), offset);
  return node >= 0 ? node : fail_why(p, at, "", &why);
}

static int parse_position(parser *p, const weft__token *token, int axis) {
  weft__text why = {0};
  if (!weft__may_have_index(&p->lexer, token, axis, p->f->axes)) return -1;
  const int node = weft__formula_position(p->f, axis, &why);
  return node >= 0 ? node : fail_why(p, token->at, "", &why);
}

static int parse_name(parser *p, const weft__token *token) {
  const char *name = p->lexer.text + token->at;
  symbol *s = find_symbol(p, name, token->length);
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
  return axis >= 0 ? parse_position(p, token, axis) : fail_unknown(p, token, false);
}

/* ---- calls ---- */

static int fail_count(parser *p, const weft__token *token, int wanted, int given) {
  const char *name = p->lexer.text + token->at;
  const bool reduces = !find_function(name, token->length) && !find_dtype(name, token->length);
  weft__lexer_fail(&p->lexer, token->at, "%.*s takes %d operand%s; %d given%s", (int)token->length, name, wanted,
                   wanted == 1 ? "" : "s", given, reduces && given > 1 ? "; an axis is given as axis=-1" : "");
  return -1;
}

static int cast_to(parser *p, const weft__token *token, weft_dtype dtype, int node) {
  weft__text why = {0};
  if (node < 0) return -1;
  int cast = weft__formula_cast(p->f, node, dtype, &why);
  return cast >= 0 ? cast : fail_why(p, token->at, "", &why);
}

/// Parses the end of max(a, axis=-1), behind the operand.
static int parse_reduction(parser *p, const weft__token *token, int node) {
  weft__text why = {0};
  weft__text_reduction how = {.id = weft__reduction_find(p->lexer.text + token->at, token->length)};
  if (node < 0 || !weft__may_reduce(&p->lexer, token, p->e->may_reduce && p->f->axes == 0) ||
      !weft__read_reduction(&p->lexer, &how))
    return -1;
  node = weft__formula_reduced(p->f, node, &how, &why);
  return node >= 0 ? node : fail_why(p, token->at, "", &why);
}

/// Parses operands up to the `)` or a keyword. `folds`: a function of two, applied from the third operand on; or 0.
/// Returns their number, or -1.
static int parse_operands(parser *p, const weft__token *token, int folds, int *argument) {
  int count = 0;
  while (!weft__lexer_is(&p->lexer, ')') || count > 0) {
    int node = parse_expression(p);
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

/// Parses a call from its opening parenthesis. more[0] receives a second result; NULL if only one result is allowed.
static int parse_call(parser *p, const weft__token *token, int *more) {
  const char *name = p->lexer.text + token->at;
  const int length = (int)token->length;
  int id = find_function(name, token->length), argument[WEFT__OP_OPERANDS] = {-1, -1, -1, -1};
  weft_dtype dtype = id ? WEFT_DTYPE_NONE : find_dtype(name, token->length);
  const bool reduces = weft__reduction_find(name, token->length) != WEFT_REDUCE_DEFAULT;
  const bool folds = reduces && id; /* min and max, which take two or more operands */
  if (!id && !dtype && (!reduces || find_symbol(p, name, token->length))) return fail_unknown(p, token, true);
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
  return id ? apply(p, token, id, argument, more) : cast_to(p, token, dtype, argument[0]);
}

/* ---- operators ---- */

static int parse_primary(parser *p) {
  const weft__token token = p->lexer.token;
  int node;
  if (token.kind == WEFT__TOKEN_NUMBER) {
    weft__lexer_advance(&p->lexer);
    return weft__formula_number(p->f, token.number);
  }
  if (token.kind == WEFT__TOKEN_NAME) {
    weft__lexer_advance(&p->lexer);
    return weft__lexer_is(&p->lexer, '(') ? parse_call(p, &token, NULL) : parse_name(p, &token);
  }
  if (!weft__lexer_is(&p->lexer, '(')) {
    weft__lexer_expected(&p->lexer, "a number, a name or `(`");
    return -1;
  }
  weft__lexer_advance(&p->lexer);
  node = parse_expression(p);
  return node >= 0 && expect(p, ')', "`)`") ? node : -1;
}

static int parse_unary(parser *p) {
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
static int find_binary(const parser *p, int level) {
  for (size_t k = 0; k < COUNT(binary) && p->lexer.token.kind == WEFT__TOKEN_OPERATOR; k++)
    if (binary[k].op == p->lexer.token.op) return binary[k].level >= level ? (int)k : -1;
  return -1;
}

static int parse_binary(parser *p, int level) {
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

static int parse_expression(parser *p) {
  if (p->depth >= DEEPEST) return fail_depth(p);
  p->depth++;
  int node = parse_binary(p, 0);
  const weft__token token = p->lexer.token;
  if (node >= 0 && weft__lexer_is(&p->lexer, WEFT__WORD_IF)) {
    weft__lexer_advance(&p->lexer);
    int condition = parse_binary(p, 0), other = -1;
    if (condition >= 0 && expect(p, WEFT__WORD_ELSE, "`else`")) other = parse_expression(p);
    node = apply(p, &token, WEFT_UFUNC_WHERE, (const int[]){condition, node, other}, NULL);
  }
  p->depth--;
  return is_over(p) ? -1 : node;
}

/* ---- statements ---- */

/// The number of names before an `=` that starts here (`q, r = ...`); 0 if there is no such `=`.
static int count_targets(parser *p) {
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

static bool assign(parser *p, const weft__token *target, int node, size_t at) {
  const char *name = p->lexer.text + target->at;
  symbol *s = find_symbol(p, name, target->length);
  if (node < 0) return false;
  if (s && s - p->symbol < p->f->inputs && find_result(p, name, target->length) < 0) {
    weft__lexer_fail(&p->lexer, target->at, "`%.*s` is a variable, and no result: it cannot be assigned to",
                     (int)target->length, name);
    return false;
  }
  if (!s && p->symbols == p->f->inputs + MOST_NAMES) {
    weft__lexer_fail(&p->lexer, target->at, "more than %d names are assigned to", MOST_NAMES);
    return false;
  }
  if (!s) {
    s = &p->symbol[p->symbols++];
    s->is_used = true; /* only an unused variable is an error */
  }
  *s = (symbol){
      .name = name, .length = target->length, .node = node, .at = at, .is_used = s->is_used, .is_written = true};
  return true;
}

/// Parses q, r = divmod(a, b).
static bool parse_unpacking(parser *p, int targets) {
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
  int id = function.kind == WEFT__TOKEN_NAME ? find_function(name, function.length) : 0;
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
  node[0] = parse_call(p, &function, &node[1]);
  for (int k = 0; k < results; k++)
    if (!assign(p, &target[k], node[k], function.at)) return false;
  return true;
}

static void parse_statement(parser *p) {
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
    p->value = parse_expression(p);
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

static void fail_idle(parser *p) {
  weft__lexer_fail(&p->lexer, p->value_at, "the value of this statement is not used; expected name = ...");
}

static void parse_statements(parser *p) {
  bool any = false;
  while (!is_over(p)) {
    while (p->lexer.token.kind == WEFT__TOKEN_SEPARATOR) weft__lexer_advance(&p->lexer);
    if (p->lexer.token.kind == WEFT__TOKEN_END) break;
    if (any && p->is_idle) {
      fail_idle(p);
      return;
    }
    any = true;
    parse_statement(p);
  }
  if (!any && !is_over(p)) weft__lexer_fail(&p->lexer, 0, "the text is empty; expected an expression");
}

/* ---- results ---- */

static bool add_result(parser *p, int k, int node, size_t at) {
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
  fail_why(p, at, "", &why);
  return false;
}

static bool add_results(parser *p) {
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
    symbol *s = find_symbol(p, name, strlen(name));
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
  parser p;
  p.f = f;
  p.e = expression;
  p.depth = 0;
  p.value = -1;
  p.value_at = 0;
  p.has_value = p.is_idle = false;
  p.symbols = f->inputs;
  for (int k = 0; k < f->inputs; k++)
    p.symbol[k] = (symbol){.name = expression->variable[k], .length = strlen(expression->variable[k]), .node = -1};
  weft__lexer_start(&p.lexer, "expr", expression->text);
  parse_statements(&p);
  if (!is_over(&p) && p.is_idle && !expression->has_value) fail_idle(&p);
  if (!is_over(&p)) add_results(&p);
  if (!is_over(&p)) weft__formula_merge(f);
  if (!expression->keeps_numbers) weft__formula_pass_numbers(f);
  return p.lexer.failed && !f->failed ? p.lexer.error : WEFT_OK;
}

// SPDX-License-Identifier: MIT
#include "kernel/evaluate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/lines.h"

enum { DEEPEST_OPERAND = 200 };

/// An operand. A value that overflows counts as not known.
typedef struct operand {
  bool is_known;
  int64_t value;
} operand;

typedef struct expression {
  const char *at;
  bool is_bad, has_unsigned;
  int depth;
} expression;

static const operand not_known = {false, 0};

static operand known(int64_t value) {
  return (operand){true, value};
}

static void skip_blanks(expression *e) {
  e->at = weft__skip_blanks(e->at);
}

static operand parse(expression *e, int least);

static operand parse_number(expression *e) {
  char *end;
  const char *behind = weft__word_end(e->at);
  const bool is_binary = e->at[0] == '0' && (e->at[1] == 'b' || e->at[1] == 'B');
  errno = 0;
  const long long value = strtoll(is_binary ? e->at + 2 : e->at, &end, is_binary ? 2 : 0);
  const size_t suffix = strspn(end, "uUlL");
  if (memchr(end, 'u', suffix) || memchr(end, 'U', suffix)) e->has_unsigned = true;
  e->at = behind;
  if (end + suffix == behind && errno == 0) return known(value);
  if (end + suffix != behind) e->is_bad = true;
  return not_known;
}

static operand negate(operand a) {
  return a.is_known && a.value != INT64_MIN ? known(-a.value) : not_known;
}

static operand parse_operand(expression *e) {
  operand a = not_known;
  skip_blanks(e);
  const char c = *e->at;
  if (++e->depth > DEEPEST_OPERAND) e->is_bad = true;
  if (e->is_bad) return not_known;
  if (c >= '0' && c <= '9') {
    a = parse_number(e);
  } else if (c == '(') {
    e->at++;
    a = parse(e, 0);
    skip_blanks(e);
    if (*e->at++ != ')') e->is_bad = true;
  } else if (c && strchr("!~-+", c)) {
    e->at++;
    a = parse_operand(e);
    if (c == '!' && a.is_known) a.value = !a.value;
    if (c == '~') a.value = ~a.value;
    if (c == '-') a = negate(a);
  } else if (c == WEFT__NOT_KNOWN[0]) {
    e->at++;
    skip_blanks(e);
    /* the name of a function, such as __has_include */
    if (*e->at == '(') e->is_bad = true;
  } else {
    e->is_bad = true; /* a character constant's value is up to the compiler */
  }
  e->depth--;
  return a;
}

typedef enum operator_kind {
  OR,
  AND,
  BIT_OR,
  BIT_XOR,
  BIT_AND,
  EQUALS,
  NOT_EQUAL,
  LESS_EQUAL,
  GREATER_EQUAL,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  LESS,
  GREATER,
  PLUS,
  MINUS,
  TIMES,
  OVER,
  MODULO,
  OPERATORS
} operator_kind;

static const struct {
  const char *text;
  int rank;
} operators[OPERATORS] = {
    [OR] = {"||", 2},         [AND] = {"&&", 3},         [BIT_OR] = {"|", 4},
    [BIT_XOR] = {"^", 5},     [BIT_AND] = {"&", 6},      [EQUALS] = {"==", 7},
    [NOT_EQUAL] = {"!=", 7},  [LESS_EQUAL] = {"<=", 8},  [GREATER_EQUAL] = {">=", 8},
    [SHIFT_LEFT] = {"<<", 9}, [SHIFT_RIGHT] = {">>", 9}, [LESS] = {"<", 8},
    [GREATER] = {">", 8},     [PLUS] = {"+", 10},        [MINUS] = {"-", 10},
    [TIMES] = {"*", 11},      [OVER] = {"/", 11},        [MODULO] = {"%", 11},
};

static operand arithmetic(operator_kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  bool fails = false;
  switch (kind) {
    case PLUS:
      fails = __builtin_add_overflow(a, b, &result);
      break;
    case MINUS:
      fails = __builtin_sub_overflow(a, b, &result);
      break;
    case TIMES:
      fails = __builtin_mul_overflow(a, b, &result);
      break;
    case OVER:
    case MODULO:
      fails = b == 0 || (b == -1 && a == INT64_MIN);
      if (!fails) result = kind == OVER ? a / b : a % b;
      break;
    default: /* shifts */
      fails = a < 0 || b < 0 || b > 62 || (kind == SHIFT_LEFT && a > INT64_MAX >> b);
      if (!fails) result = kind == SHIFT_LEFT ? (int64_t)((uint64_t)a << b) : a >> b;
      break;
  }
  return fails ? not_known : known(result);
}

/// || and &&: one operand may decide.
static operand logical(operator_kind kind, operand a, operand b) {
  const bool decides = kind == OR;
  if ((a.is_known && (a.value != 0) == decides) || (b.is_known && (b.value != 0) == decides)) return known(decides);
  return a.is_known && b.is_known ? known(!decides) : not_known;
}

static operand apply(operator_kind kind, operand a, operand b) {
  if (kind == OR || kind == AND) return logical(kind, a, b);
  if (!a.is_known || !b.is_known) return not_known;
  switch (kind) {
    case BIT_OR:
      return known(a.value | b.value);
    case BIT_XOR:
      return known(a.value ^ b.value);
    case BIT_AND:
      return known(a.value & b.value);
    case EQUALS:
      return known(a.value == b.value);
    case NOT_EQUAL:
      return known(a.value != b.value);
    case LESS_EQUAL:
      return known(a.value <= b.value);
    case GREATER_EQUAL:
      return known(a.value >= b.value);
    case LESS:
      return known(a.value < b.value);
    case GREATER:
      return known(a.value > b.value);
    default:
      return arithmetic(kind, a.value, b.value);
  }
}

/// The next operator of at least this rank; OPERATORS if no operator fits.
static operator_kind next_operator(expression *e, int least) {
  skip_blanks(e);
  for (operator_kind kind = OR; kind < OPERATORS; kind++) {
    const size_t length = strlen(operators[kind].text);
    if (strncmp(e->at, operators[kind].text, length) != 0) continue;
    if (operators[kind].rank < least) return OPERATORS;
    e->at += length;
    return kind;
  }
  return OPERATORS;
}

static operand choose(operand condition, operand a, operand b) {
  if (condition.is_known) return condition.value ? a : b;
  return a.is_known && b.is_known && a.value == b.value ? a : not_known;
}

static operand parse(expression *e, int least) {
  operand a = parse_operand(e);
  for (operator_kind kind; !e->is_bad && (kind = next_operator(e, least)) < OPERATORS;) {
    const operand b = parse(e, operators[kind].rank + 1);
    a = apply(kind, a, b);
  }
  if (e->is_bad || least > 1 || *e->at != '?') return a;
  e->at++;
  const operand b = parse(e, 0);
  skip_blanks(e);
  if (*e->at++ != ':') e->is_bad = true;
  return e->is_bad ? not_known : choose(a, b, parse(e, 1));
}

bool weft__evaluate(int64_t *value, const char *text) {
  expression e = {.at = text};
  const operand result = parse(&e, 0);
  *value = result.value;
  /* negative numbers beside unsigned ones would become large */
  const bool is_mixed = e.has_unsigned && (strchr(text, '-') || strchr(text, '~'));
  return !e.is_bad && !*weft__skip_blanks(e.at) && result.is_known && !is_mixed;
}

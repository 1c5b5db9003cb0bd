// SPDX-License-Identifier: MIT
/// Wrong expressions: the whole message, its position, and the mark under it.
#include <stdio.h>

#include "harness.h"

/// Evaluates the text with the variables that `variables` names: f32 a, f32 b, i32 m, c64 z and a C scalar k.
static weft_status try_text(const char *text, const char *variables, bool all) {
  weft_operand operand[8];
  weft_array *x[4] = {NULL}, *y = NULL, *r = NULL;
  const weft_dtype dtype[] = {WEFT_F32, WEFT_F32, WEFT_I32, WEFT_C64};
  static const char *const names[] = {"a", "b", "m", "z"};
  int count = 0;
  if (all) operand[count++] = WEFT_VAR(&r);
  for (int k = 0; k < 4; k++)
    if (strchr(variables, names[k][0])) {
      ok(weft_ones(&x[k], ctx, dtype[k], WEFT_SHAPE(3)));
      operand[count++] = WEFT_NAMED(names[k], x[k]);
    }
  if (strchr(variables, 'k')) operand[count++] = WEFT_NAMED("k", 2.5f);
  weft_status rc = all ? (weft_eval_all)(ctx, text, count, operand) : (weft_eval)(&y, ctx, text, count, operand);
  ck_assert(rc == WEFT_OK || (!y && !r));
  for (int k = 0; k < 4; k++) weft_array_release(&x[k]);
  weft_array_release(&y);
  weft_array_release(&r);
  return rc;
}

START_TEST(messages)
{
  static const struct {
    const char *variables, *text, *message;
  } cases[] = {
      /* the unexpected word, and the expected one */
      {"a", "", "expr:1:1: the text is empty; expected an expression"},
      {"a", " # nothing\n;", "expr:1:1: the text is empty; expected an expression"},
      {"a", "a +", "expr:1:4: expected a number, a name or `(`, found the end"},
      {"a", "a + * 2", "expr:1:5: expected a number, a name or `(`, found `*`"},
      {"a", "q = a\nq *\n2", "expr:2:4: expected a number, a name or `(`, found the end of the line"},
      {"a", "a + not a", "expr:1:5: expected a number, a name or `(`, found `not`"},
      {"a", "(a * 2", "expr:1:7: expected `)`, found the end"},
      {"a", "a * 2)", "expr:1:6: expected an operator or the end, found `)`"},
      {"a", "a 2", "expr:1:3: expected an operator or the end, found `2`"},
      {"a", "a if a", "expr:1:7: expected `else`, found the end"},
      {"a", "sin(a", "expr:1:6: expected `,` or `)`, found the end"},
      {"a", "sin(a,)", "expr:1:7: expected a number, a name or `(`, found `)`"},
      {"a", "a = = 2", "expr:1:5: expected a number, a name or `(`, found `=`"},
      {"a", "a + 2 = 3", "expr:1:7: only names can be assigned to; equality is `==`"},
      /* syntax of C and other languages */
      {"a", "a && a", "expr:1:3: `&&` is written `and` here"},
      {"a", "a || a", "expr:1:3: `||` is written `or` here"},
      {"a", "!a", "expr:1:1: `!` is written `not` here"},
      {"a", "a ? a : 2", "expr:1:3: `?` is written `x if c else y` or where(c, x, y) here"},
      {"a", "a[0]",
       "expr:1:2: an expression is about one element; weft_stencil reads its neighbours x[-1, 0], and weft_slice "
       "and weft_pick make views"},
      {"a", "a.real",
       "expr:1:2: an expression has no attributes: weft_transpose is `.T`, real(x) and imag(x) are functions"},
      {"a", "a + \"x\"", "expr:1:5: `\"` has no meaning here"},
      {"a", "a + {}", "expr:1:5: `{` has no meaning here"},
      {"a", "a + \001", "expr:1:5: a character of code 0x01 has no meaning here"},
      {"a", "a + \xc3\xa9", "expr:1:5: a character that is not ASCII (byte 0xc3) has no meaning here"},
      /* numbers */
      {"a", "2a", "expr:1:1: `2a` is no number; numbers look like 10, 0x1f, 2.5, 1e-3 or 2j (a factor needs a *)"},
      {"a", "a * 0x", "expr:1:5: `0x` is no number; numbers look like 10, 0x1f, 2.5, 1e-3 or 2j (a factor needs a *)"},
      {"a", "a * 1.5.2",
       "expr:1:5: `1.5.2` is no number; numbers look like 10, 0x1f, 2.5, 1e-3 or 2j (a factor needs a *)"},
      {"a", "a + 017", "expr:1:5: `017` begins with 0; octal numbers are written 0o17"},
      {"a", "a * 1e999", "expr:1:5: `1e999` is over the largest f64; infinity is written inf"},
      {"a", "a + 18446744073709551616",
       "expr:1:5: `18446744073709551616` is over 2^64 - 1, the largest integer; as a float it has a point or an "
       "exponent"},
      {"m", "m + 3000000000", "expr:1:3: `+`: the number 3000000000 does not fit i32"},
      {"m", "m + 10 ** 30", "expr:1:8: `**`: the result does not fit 64 bits; a number with a point is a float"},
      {"m", "u8(m) - 256", "expr:1:7: `-`: the number 256 does not fit u8"},
      {"m", "m + i8(200)", "expr:1:5: the number 200 does not fit i8"},
      /* names */
      {"a", "a + aa", "expr:1:5: `aa` is not known; did you mean `a`?"},
      {"a", "a + Pi", "expr:1:5: `Pi` is not known here; variables are given with WEFT_VAR or WEFT_NAMED"},
      {"a", "total = a; totl * 2", "expr:1:12: `totl` is not known; did you mean `total`?"},
      {"a", "a + xyzzy", "expr:1:5: `xyzzy` is not known here; variables are given with WEFT_VAR or WEFT_NAMED"},
      {"a", "sinn(a)", "expr:1:1: `sinn` is not known as a function; did you mean `sin`?"},
      {"a", "arctna(a)", "expr:1:1: `arctna` is not known as a function; did you mean `arctan`?"},
      {"a", "float32(a)", "expr:1:1: `float32` is not known as a function"},
      {"a", "a(2)", "expr:1:1: `a` is a value, not a function"},
      {"a", "sin + a", "expr:1:1: `sin` is a function; expected its operands: sin(...)"},
      {"a", "f32 + a", "expr:1:1: `f32` is a function; expected its operands: f32(...)"},
      {"ab", "a + 1", "expr: the variable `b` is given, but the text does not use it"},
      {"a", "a = 2; a", "expr:1:1: `a` is a variable, and no result: it cannot be assigned to"},
      /* calls */
      {"a", "sin(a, 2)", "expr:1:1: sin takes 1 operand; 2 given"},
      {"a", "power(a)", "expr:1:1: power takes 2 operands; 1 given"},
      {"a", "sin()", "expr:1:1: sin takes 1 operand; 0 given"},
      {"a", "max(a, a, a, 1", "expr:1:15: expected `,` or `)`, found the end"},
      {"a", "max()", "expr:1:1: max takes 2 operands; 0 given"},
      /* functions that are not elementwise */
      {"a", "a / mean(a, 0)", "expr:1:5: mean takes 1 operand; 2 given; an axis is given as axis=-1"},
      {"a", "var(a, dof=0)", "expr:1:8: expected axis=... or ddof=..., found `dof`"},
      {"a", "sin(a, axis=0)", "expr:1:6: sin of 1 operand works element by element, without an axis"},
      {"a", "sum(a, ddof=1)", "expr:1:8: expected axis=..., found `ddof`"},
      {"a", "sum(a, axis=1, axis 1)", "expr:1:16: `axis` is given twice"},
      {"a", "sum(a, axis=1, ddof 1)", "expr:1:16: expected axis=..., found `ddof`"},
      {"a", "sum(a, axis=1, keepdims 1)", "expr:1:25: expected `=`, found `1`"},
      {"a", "sum(a, axis=k)", "expr:1:13: expected an axis, such as -1, or axes, such as (0, 2), found `k`"},
      {"a", "sum(a, axis=(0, 1.5))", "expr:1:17: expected an axis, such as -1, or axes, such as (0, 2), found `1.5`"},
      {"a", "sum(a, axis=(0 1))", "expr:1:16: expected `,` or `)`, found `1`"},
      {"a", "sum(a, axis=(0,1,2,3,4,5,6,7,0))", "expr:1:30: more than 8 axes"},
      {"a", "sum(a, axis=0, axis=0)", "expr:1:16: `axis` is given twice"},
      {"a", "sum(a, axis=0", "expr:1:14: expected `,` or `)`, found the end"},
      {"a", "sum(a, keepdims=False)", "expr:1:17: reduced axes stay, with length 1: keepdims is True"},
      {"a", "std(a, ddof=0.5)", "expr:1:13: expected a whole number, found `0.5`"},
      {"a", "max(a, 2, axis=0)", "expr:1:9: max of 2 operands works element by element, without an axis"},
      {"a", "sum()", "expr:1:1: sum takes 1 operand; 0 given"},
      {"a", "sums(a)", "expr:1:1: `sums` is not known as a function; did you mean `sum`?"},
      {"a", "a + sum", "expr:1:5: `sum` is a function; expected its operands: sum(...)"},
      {"a", "cumsum(a) + 1",
       "expr:1:1: `cumsum` works on a whole array, an expression on one element: call weft_cumsum outside of it"},
      {"a", "a - median(a)",
       "expr:1:5: `median` works on a whole array, an expression on one element: call weft_median outside of it"},
      {"a", "a @ a",
       "expr:1:3: `@` multiplies matrices, an expression is about one element: call weft_matmul outside of it"},
      {"a", "sum = a; sum(2)", "expr:1:10: `sum` is a value, not a function"},
      {"a", "f32(a, a)", "expr:1:1: f32 takes 1 operand; 2 given"},
      {"a", "divmod(a, 2)",
       "expr:1:1: divmod has 2 results; assign them in a statement of their own: p, q = divmod(...)"},
      {"a", "q, r = sin(a)", "expr:1:8: sin has 1 result; there are 2 names for them"},
      {"a", "q, r, s = divmod(a, 2)", "expr:1:7: divmod has 2 results; there are 3 names for them"},
      {"a", "q, q = divmod(a, 2)", "expr:1:4: `q` stands twice on the left"},
      {"a", "q, r = a",
       "expr:1:8: expected a call of a function with several results, such as divmod, modf, frexp or sincos"},
      {"a", "q, r = divmod(a, 2)", "expr:1:20: the last statement has several values; expected one for the result"},
      {"a", "q, r = divmod(a, 2) + 1", "expr:1:21: expected an operator or the end, found `+`"},
      {"a", "a * 2; a", "expr:1:1: the value of this statement is not used; expected name = ..."},
      /* dtypes, at the operator */
      {"a", "2 + ~a", "expr:1:5: `~`: invert has no signature for (f32)"},
      {"a", "a ^ 2", "expr:1:3: `^`: bitwise_xor has no signature for (f32, f32); a power is written `**`"},
      {"ma", "m + m ^ a", "expr:1:7: `^`: bitwise_xor has no signature for (i32, f32); a power is written `**`"},
      {"a", "bitwise_xor(a, 2)", "expr:1:1: bitwise_xor has no signature for (f32, f32)"},
      {"a", "a << 2", "expr:1:3: `<<`: left_shift has no signature for (f32, f32)"},
      {"z", "z // 2", "expr:1:3: `//`: floor_divide has no signature for (c64, c64)"},
      {"z", "z * (2 % z)", "expr:1:8: `%`: remainder has no signature for (c64, c64)"},
      {"z", "atan2(z, 1)", "expr:1:1: atan2 has no signature for (c64, c64)"},
      {"a", "(a < 2) - (a < 1)",
       "expr:1:9: `-`: subtract is not defined for bool; logical_not, logical_xor or a cast may be what is meant"},
      {"a", "-(a < 2)",
       "expr:1:1: `-`: negative is not defined for bool; logical_not, logical_xor or a cast may be what is meant"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char wanted[300];
    snprintf(wanted, sizeof wanted, "weft_eval: %s", cases[k].message);
    weft_error_clear();
    weft_status rc = try_text(cases[k].text, cases[k].variables, false);
    ck_assert_msg(rc == WEFT_ERROR_EXPRESSION, "%s: %s %s", cases[k].text, weft_status_name(rc), harness_error_text());
    ck_assert_msg(strcmp(weft_error_last()->message, wanted) == 0, "%s:\n%s\nnot\n%s", cases[k].text,
                  weft_error_last()->message, wanted);
    harness_count(1);
  }
}
END_TEST

START_TEST(messages_of_several_results)
{
  expect_error(try_text("s = a * 2", "a", true), WEFT_ERROR_EXPRESSION,
               "weft_eval_all: expr:1:10: `r` is a result, and the text assigns nothing to it");
  expect_error(try_text("r = a; a * 2", "a", true), WEFT_ERROR_EXPRESSION,
               "weft_eval_all: expr:1:8: the value of this statement is not used; expected name = ...");
  expect_error(try_text("q = r + a; r = q", "a", true), WEFT_ERROR_EXPRESSION,
               "weft_eval_all: expr:1:5: `r` is a result, and has no value before it is assigned one");
}
END_TEST

START_TEST(marks)
{
  char text[600];
  expect_error(try_text("t = a * 2\n  q = t + tt # \xc3\xa9\nq", "a", false), WEFT_ERROR_EXPRESSION, "expr:2:11: `tt`");
  ck_assert_str_eq(weft_error_last()->detail, "    q = t + tt # \xc3\xa9\n            ^\n");
  /* columns count characters, not bytes; tabs do not shift the mark */
  expect_error(try_text("\ta +\t(2 *", "a", false), WEFT_ERROR_EXPRESSION, "expr:1:10: ");
  ck_assert_str_eq(weft_error_last()->detail, "   a + (2 *\n           ^\n");
  /* a long line is cut */
  strcpy(text, "a");
  for (int k = 0; k < 60; k++) strcat(text, " + 1");
  strcat(text, " + bad");
  for (int k = 0; k < 60; k++) strcat(text, " + 1");
  expect_error(try_text(text, "a", false), WEFT_ERROR_EXPRESSION, "expr:1:245: `bad`");
  const char *mark = strchr(weft_error_last()->detail, '\n') + 1;
  ck_assert_int_lt((int)(mark - weft_error_last()->detail), 170);
  ck_assert_int_eq(strncmp(weft_error_last()->detail + strcspn(mark, "^"), "bad", 3), 0);
}
END_TEST

START_TEST(limits)
{
  const int wide = 300, long_one = 70000;
  char *text = malloc((size_t)long_one + 10);
  ck_assert_ptr_nonnull(text);
  memset(text, '(', (size_t)wide);
  text[wide] = 0;
  expect_error(try_text(text, "a", false), WEFT_ERROR_EXPRESSION, "expr:1:101: nested too deeply");
  memset(text, '-', (size_t)wide);
  expect_error(try_text(text, "a", false), WEFT_ERROR_EXPRESSION, "nested too deeply");
  text[0] = 0;
  for (int k = 0; k < 220; k++) strcat(text, "not ");
  expect_error(try_text(text, "a", false), WEFT_ERROR_EXPRESSION, "nested too deeply");
  text[0] = 0;
  for (int k = 0; k < 220; k++) strcat(text, "a ** ");
  expect_error(try_text(text, "a", false), WEFT_ERROR_EXPRESSION, "nested too deeply");
  text[0] = 0;
  for (int k = 0; k < 220; k++) strcat(text, "a if a else ");
  expect_error(try_text(text, "a", false), WEFT_ERROR_EXPRESSION, "nested too deeply");
  memset(text, ' ', (size_t)long_one);
  text[long_one] = 0;
  expect_error(try_text(text, "a", false), WEFT_ERROR_EXPRESSION, "expr: the text has 70000 bytes; 65536 is the most");
  for (int k = 0; k < 30000; k += 2) memcpy(text + k, "a+", 2);
  strcpy(text + 30000, "a");
  expect_error(try_text(text, "a", false), WEFT_ERROR_EXPRESSION, "the expression has more than 2048 operations");
  for (int k = 0, at = 0; k < 300; k++) at += sprintf(text + at, "t%d = a\n", k);
  expect_error(try_text(text, "a", false), WEFT_ERROR_EXPRESSION, "expr:257:1: more than 256 names are assigned to");
  free(text);
  harness_count(8);
}
END_TEST

START_TEST(arguments)
{
  struct {
    weft_array *x;
  } s = {NULL}, *p = &s;
  weft_array *y = NULL, *a = NULL, *released = NULL;
  const char *no_text = NULL;
  ok(weft_ones(&a, ctx, WEFT_F32, WEFT_SHAPE(3)));
  p->x = a;
  expect_error(weft_eval(&y, ctx, "x + 1", WEFT_VAR(p->x)), WEFT_ERROR_ARGUMENT,
               "weft_eval: `p->x` is no name that an expression can use; WEFT_NAMED(\"x\", p->x) gives it one",
               "@p->x");
  expect_error(weft_eval(&y, ctx, "x + 1", WEFT_VAR(2 + 3), WEFT_VAR(a)), WEFT_ERROR_ARGUMENT,
               "`2 + 3` is no name that an expression can use; WEFT_NAMED(\"x\", 2 + 3) gives it one");
  expect_error(weft_eval(&y, ctx, "a", WEFT_NAMED("and", a)), WEFT_ERROR_ARGUMENT, "`and` is no name");
  expect_error(weft_eval(&y, ctx, "a", WEFT_NAMED("", a)), WEFT_ERROR_ARGUMENT, "`` is no name");
  expect_error(weft_eval(&y, ctx, "a", WEFT_VAR(a), WEFT_NAMED("a", 1)), WEFT_ERROR_ARGUMENT,
               "weft_eval: `a` is given twice", "@a");
  expect_error(weft_eval_all(ctx, "y = a", WEFT_VAR(a), WEFT_VAR(&y), WEFT_VAR(&y)), WEFT_ERROR_ARGUMENT,
               "`y` is given twice");
  expect_error(weft_eval(&y, ctx, "a", a), WEFT_ERROR_ARGUMENT,
               "argument 1 after the text has no name; expected WEFT_VAR(x) or WEFT_NAMED(\"x\", ...)");
  expect_error(weft_eval(&y, ctx, no_text, WEFT_VAR(a)), WEFT_ERROR_ARGUMENT, "`text` is NULL", "@text");
  expect_error((weft_eval)(&y, ctx, "a", 1, NULL), WEFT_ERROR_ARGUMENT, "@variables");
  expect_error(weft_eval_all(ctx, "a", WEFT_VAR(a)), WEFT_ERROR_ARGUMENT,
               "there is no result; expected WEFT_VAR(&name) for each");
  expect_error(weft_eval(&y, ctx, "a", WEFT_NAMED("a", (weft_operand){.kind = WEFT_OPERAND_NONE})), WEFT_ERROR_ARGUMENT,
               "`a` is not a valid operand");
  expect_error(weft_eval(WEFT_OPERAND(a), ctx, "a", WEFT_VAR(a)), WEFT_ERROR_ARGUMENT,
               "`out` is no place for a result");
  expect_error(weft_eval(&y, ctx, "k * i", WEFT_NAMED("k", 2)), WEFT_ERROR_ARGUMENT,
               "no variable has a shape: `out` must be an array that has one", "@out");
  expect_error(weft_eval(&y, ctx, "a", WEFT_NAMED("a", released)), WEFT_ERROR_HANDLE, "@a");
  expect_error(weft_eval(&y, harness_garbage(), "a", WEFT_VAR(a)), WEFT_ERROR_HANDLE, "@context");
  weft_operand full[73];
  for (int k = 0; k < 73; k++) full[k] = WEFT_VAR(a);
  expect_error((weft_eval)(&y, ctx, "a", 73, full), WEFT_ERROR_ARGUMENT,
               "73 results and variables given; 71 are the most");
  /* a result that cannot hold the value */
  weft_array *numbers = NULL;
  ok(weft_zeros(&numbers, ctx, WEFT_I32, WEFT_SHAPE(3)));
  expect_error(weft_eval(&numbers, ctx, "a * 2", WEFT_VAR(a)), WEFT_ERROR_DTYPE, "f32", "i32", "@out");
  expect_error(weft_eval_all(ctx, "numbers = a * 2", WEFT_VAR(&numbers), WEFT_VAR(a)), WEFT_ERROR_DTYPE, "@numbers");
  ck_assert_ptr_null(y);
  ok(weft_eval(&y, ctx, "a", WEFT_VAR(a))); /* the context still works */
  harness_count(19);
  weft_array_release(&numbers);
  weft_array_release(&y);
  weft_array_release(&a);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "text");
  tcase_add_test(tc, messages);
  tcase_add_test(tc, messages_of_several_results);
  tcase_add_test(tc, marks);
  tcase_add_test(tc, limits);
  tc = harness_context_case(suite, "arguments");
  tcase_add_test(tc, arguments);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "eval_errors", .add = add});
}

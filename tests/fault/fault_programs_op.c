// SPDX-License-Identifier: MIT
// The programs about expressions and user-defined functions.
#include <string.h>
#include <weft/weft.h>

#include "fault_programs.h"

enum { N = 24 };

int program_expressions(int argc, char **argv) {
  int status = 0;
  float host[N], given[N];
  weft_context *context = NULL;
  weft_array *a = NULL, *y = NULL, *q = NULL, *r = NULL;
  (void)argc, (void)argv;

  for (int i = 0; i < N; i++) given[i] = (float)i;
  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&a, weft_from_host(&a, context, WEFT_F32, WEFT_SHAPE(N), given));
  MAKE(&y, weft_eval(&y, context, "t = a * 2 # twice\n t + k", WEFT_VAR(a), WEFT_NAMED("k", 1)));
  TRY(weft_to_host(host, sizeof host, y));
  for (int i = 0; i < N; i++) KEPT(host[i] == 2 * (float)i + 1);

  // Several results; after a failure neither exists.
  weft_status rc = weft_eval_all(context, "q, r = divmod(b, 5)", WEFT_VAR(&q), WEFT_VAR(&r), WEFT_NAMED("b", a));
  KEPT((q != NULL) == (rc == WEFT_OK) && (r != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(host, sizeof host, r));
  for (int i = 0; i < N; i++) KEPT(host[i] == (float)(i % 5));

  // Host memory as operand and as result.
  memset(host, 0, sizeof host);
  TRY(weft_eval(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(N)), context, "t = a * 2 # twice\n t + k",
                WEFT_NAMED("a", WEFT_HOST(given, WEFT_F32, WEFT_SHAPE(N))), WEFT_NAMED("k", 1)));
  for (int i = 0; i < N; i++) KEPT(host[i] == 2 * (float)i + 1);
  FAILS(WEFT_ERROR_EXPRESSION, weft_eval(&y, context, "a + nothing", WEFT_VAR(a)));

  // Reduced values, which a failure releases.
  TRY(weft_eval(&y, context, "a - max(a) * (sum(a - max(a)) == 0)", WEFT_VAR(a)));
  TRY(weft_to_host(host, sizeof host, y));
  for (int i = 0; i < N; i++) KEPT(host[i] == (float)i);
  const weft_operand only[] = {WEFT_VAR(a)};
  FAILS(WEFT_ERROR_EXPRESSION, weft__eval_elements_at(WEFT_OPERAND(&y), context, "max(a)", 1, only, WEFT_SITE));

done:
  fault_leave();
  weft_array_release(&r);
  weft_array_release(&q);
  weft_array_release(&y);
  weft_array_release(&a);
  weft_context_release(&context);
  return status;
}

int program_user_ufuncs(int argc, char **argv) {
  int status = 0;
  float host[N];
  char *text = NULL, *builtin = NULL;
  weft_context *context = NULL;
  weft_ufunc *add = NULL, *halves = NULL, *again = NULL, *wrong = NULL;
  weft_array *x = NULL, *y = NULL, *z = NULL;
  (void)argc, (void)argv;

  KEPT(strcmp(weft_ufunc_name(WEFT_UFUNC_GCD), "gcd") == 0);
  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_ones(&x, context, WEFT_F32, WEFT_SHAPE(N)));
  MAKE(&add, weft_ufunc_create(&add, .signatures = "f32(f32 x, f32 y)", .expression = "x + y"));
  TRY(weft_ufunc_prepare(add, context));
  MAKE(&y, weft_ufunc_call(add, &y, x, x));
  TRY(weft_to_host(host, sizeof host, y));
  for (int i = 0; i < N; i++) KEPT(host[i] == 2);
  weft_array_release(&y);

  MAKE(&halves, weft_ufunc_create(&halves, .name = "halves", .signatures = "(f32 p, f32 q)(f32 x, raw f32 t)",
                                  .source = "*p = half_of(x);\n*q = t[i] - *p;",
                                  .preamble = "float half_of(float x) { return x / 2; }"));
  again = weft_ufunc_retain(halves);
  KEPT(again == halves);
  weft_ufunc_release(&again);
  weft_status rc = weft_ufunc_call(halves, &y, &z, x, x);
  KEPT((y != NULL) == (rc == WEFT_OK) && (z != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(host, sizeof host, z));
  for (int i = 0; i < N; i++) KEPT(host[i] == 0.5f);
  MAKE(&text, weft_ufunc_signatures(&text, halves, context));
  KEPT(strcmp(text, "(f32 p, f32 q)(f32 x, raw f32 t) # 1\n") == 0);
  MAKE(&builtin, weft_ufunc_builtin_signatures(&builtin, WEFT_UFUNC_GCD, context));
  FAILS(WEFT_ERROR_EXPRESSION, weft_ufunc_create(&wrong, .signatures = "f32(f32 x", .expression = "x"));
  KEPT(wrong == NULL);

done:
  fault_leave();
  weft_free(text);
  weft_free(builtin);
  weft_ufunc_release(&wrong);
  weft_ufunc_release(&again);
  weft_ufunc_release(&halves);
  weft_ufunc_release(&add);
  weft_array_release(&z);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

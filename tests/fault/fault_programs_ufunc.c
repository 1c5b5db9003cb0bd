// SPDX-License-Identifier: MIT
// The programs about elementwise functions: a kernel's first use, views, host memory, results that overlap their
// operands. A failed call must leave its results unchanged; the program checks them while no call fails.
#include <string.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

enum { ROWS = 3, COLUMNS = 8, N = ROWS * COLUMNS };

/// A call that fills `x`, which holds `before`; after a failure it must still hold it.
#define UNTOUCHED(x, before, call)                            \
  do {                                                        \
    weft_status filled_ = (call);                             \
    if (filled_ != WEFT_OK) KEPT(still_holds((x), (before))); \
    TRY(filled_);                                             \
  } while (0)

/// Whether all elements of a contiguous i32 array of N are `value`; true if a lost device prevents reading it. The
/// previously recorded error is restored afterwards, because the caller ends with it.
static bool still_holds(const weft_array *x, int32_t value) {
  int32_t host[N];
  bool holds = true;
  fault_own(true);
  if (weft_to_host(host, sizeof host, x) == WEFT_OK)
    for (int i = 0; i < N; i++) holds = holds && host[i] == value;
  fault_own(false);
  return holds;
}

static bool is_all(const int32_t *x, int32_t value) {
  bool same = true;
  for (int i = 0; i < N; i++) same = same && x[i] == value;
  return same;
}

/// Contiguous arrays: kernels built at their first use, a plan made, new and given results, scalars.
int program_ufuncs(int argc, char **argv) {
  int status = 0;
  int32_t host[N];
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *z = NULL, *quotient = NULL, *rest = NULL, *given = NULL, *none = NULL;
  (void)argc, (void)argv;

  KEPT(strcmp(weft_ufunc_name(WEFT_UFUNC_ADD), "add") == 0);
  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_full(&x, context, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS), 7));
  MAKE(&given, weft_full(&given, context, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS), -5));
  MAKE(&y, weft_add(&y, x, x));                      /* the first use of all */
  MAKE(&z, weft_multiply(&z, 3, y));                 /* another kernel, a number */
  UNTOUCHED(given, -5, weft_subtract(&given, z, y)); /* one more kernel, into an existing result */
  TRY(weft_to_host(host, sizeof host, given));
  KEPT(is_all(host, 28));
  UNTOUCHED(given, 28, weft_subtract(&given, given, y)); /* in place, with kernels already built */
  UNTOUCHED(
      given, 14,
      weft_stencil(&given, context, "x[-1, 0] + x[1, 0]", WEFT_NAMED("x", x), WEFT_STENCIL(.mode = WEFT_PAD_WRAP)));
  /* two results: both or neither */
  weft_status rc = weft_divmod(&quotient, &rest, given, 4);
  KEPT((quotient != NULL) == (rc == WEFT_OK) && (rest != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(host, sizeof host, quotient));
  KEPT(is_all(host, 3));
  TRY(weft_to_host(host, sizeof host, rest));
  KEPT(is_all(host, 2));
  FAILS(WEFT_ERROR_OVERFLOW, weft_add(&none, x, 1LL << 40));
  FAILS(WEFT_ERROR_DTYPE, weft_exp(&x, y));
  KEPT(none == NULL);
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&none);
  weft_array_release(&rest);
  weft_array_release(&quotient);
  weft_array_release(&given);
  weft_array_release(&z);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Views: strided kernels, and results that overlap an operand, which need a temporary.
int program_ufunc_views(int argc, char **argv) {
  int status = 0;
  int32_t host[N];
  weft_context *context = NULL;
  weft_array *x = NULL, *table = NULL, *turned = NULL, *row = NULL, *sum = NULL, *low = NULL, *high = NULL,
             *square = NULL, *mirror = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_I32, 0, N, 1));
  MAKE(&table, weft_reshape(&table, x, WEFT_SHAPE(ROWS, COLUMNS)));
  MAKE(&turned, weft_transpose(&turned, table, WEFT_ALL_AXES));
  MAKE(&row, weft_pick(&row, turned, 0, 2));
  MAKE(&sum, weft_add(&sum, turned, row)); /* strided and broadcast */
  TRY(weft_to_host(host, sizeof host, sum));
  KEPT(host[0] == 2 && host[1] == 18 && host[N - 1] == 41);
  /* shifted onto itself */
  MAKE(&low, weft_slice(&low, x, 0, 0, N - 1));
  MAKE(&high, weft_slice(&high, x, 0, 1, N));
  TRY(weft_add(&high, low, 100));
  TRY(weft_to_host(host, sizeof host, x));
  KEPT(host[0] == 0 && host[1] == 100 && host[N - 1] == 100 + N - 2);
  /* a matrix onto its transpose, both results of divmod shifted */
  MAKE(&square, weft_full(&square, context, WEFT_I32, WEFT_SHAPE(4, 4), 6));
  MAKE(&mirror, weft_transpose(&mirror, square, WEFT_ALL_AXES));
  TRY(weft_add(&square, mirror, 1));
  FAILS(WEFT_ERROR_LAYOUT, weft_divmod(&square, &mirror, square, 2));
  TRY(weft_to_host(host, 16 * sizeof *host, square));
  KEPT(host[0] == 7 && host[15] == 7);

done:
  fault_leave();
  weft_array_release(&mirror);
  weft_array_release(&square);
  weft_array_release(&high);
  weft_array_release(&low);
  weft_array_release(&sum);
  weft_array_release(&row);
  weft_array_release(&turned);
  weft_array_release(&table);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Host memory as operand and as result.
int program_ufunc_host(int argc, char **argv) {
  int status = 0;
  int32_t host[N], more[N];
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  for (int i = 0; i < N; i++) host[i] = 11, more[i] = -1;
  MAKE(&x, weft_full(&x, context, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS), 4));
  MAKE(&y, weft_add(&y, x, WEFT_HOST(host, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS))));
  UNTOUCHED(x, 4, weft_subtract(&x, y, WEFT_HOST(host, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS))));
  weft_status rc = weft_add(WEFT_HOST_OUT(more, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS)), y, 1);
  KEPT(is_all(more, rc == WEFT_OK ? 16 : -1));
  TRY(rc);
  rc = weft_multiply(WEFT_HOST_OUT(more, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS)),
                     WEFT_HOST(more, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS)), y);
  KEPT(is_all(more, rc == WEFT_OK ? 240 : 16));
  TRY(rc);
  FAILS(WEFT_ERROR_SHAPE, weft_add(WEFT_HOST_OUT(more, WEFT_I32, WEFT_SHAPE(N)), x, y));
  KEPT(is_all(more, 240));

done:
  fault_leave();
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Comparisons with the host's result, replaced and chosen elements.
int program_close(int argc, char **argv) {
  int status = 0;
  int32_t host[3] = {0};
  bool same = false;
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *mask = NULL, *some = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_ones(&x, context, WEFT_F32, WEFT_SHAPE(3)));
  MAKE(&mask, weft_isclose(&mask, x, 1));
  TRY(weft_allclose(&same, x, x));
  KEPT(same);
  TRY(weft_array_equal(&same, x, mask));
  KEPT(same);
  TRY(weft_array_equiv(&same, x, mask));
  MAKE(&y, weft_around(&y, x, .decimals = 1));
  TRY(weft_nan_to_num(&y, x));
  MAKE(&some, weft_where_first(&some, mask, 4, 5));
  weft_array_release(&y);
  MAKE(&y, weft_choose(&y, WEFT_HOST(host, WEFT_I32, WEFT_SHAPE(3)), some, 6, WEFT_INDEXING(.mode = WEFT_INDEX_CLIP)));

done:
  fault_leave();
  weft_release(&some, &mask, &y, &x);
  weft_context_release(&context);
  return status;
}

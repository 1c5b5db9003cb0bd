// SPDX-License-Identifier: MIT
/// Calls that the calling thread computes (src/map/twin.h): their bits beside the kernels', and their place in the
/// order of the device's work.
#include <stdio.h>

#include "harness.h"
#include "map/twins.h"

/* ---- what is compared ---- */

typedef struct row {
  const char *name;
  int id;
  weft_dtype dtype;
  int operands;
  bool makes_bools;
} row;

#define IS_BOOL_T false
#define IS_BOOL_uint8_t true
#define ROW(ID, D, operands, T, R, text) {#ID, WEFT_UFUNC_##ID, WEFT_##D, operands, IS_BOOL_##R},
/* T stays a name: ROW asks whether the result has it */
static const row rows[] = {WEFT__TWINS_INTEGERS(ROW, I8, T, U) WEFT__TWINS_INTEGERS(ROW, U8, T, U)
                               WEFT__TWINS_INTEGERS(ROW, I16, T, U) WEFT__TWINS_INTEGERS(ROW, U16, T, U)
                                   WEFT__TWINS_INTEGERS(ROW, I32, T, U) WEFT__TWINS_INTEGERS(ROW, U32, T, U)
                                       WEFT__TWINS_INTEGERS(ROW, I64, T, U) WEFT__TWINS_INTEGERS(ROW, U64, T, U)
                                           WEFT__TWINS_FLOATS(ROW, F32, T) WEFT__TWINS_FLOATS(ROW, F64, T)};
#define ROWS (int)(sizeof rows / sizeof *rows)

enum { MOST = 200000, ROWS_TRIED = 20 };

/// Whether the device's small calls are computed by the thread.
static bool has_twins(void) {
  const char *quirks = getenv("WEFT_QUIRKS"), *twins = getenv("WEFT_TWINS"), *checks = getenv("WEFT_CHECKS");
  return strstr(device.platform, "Portable Computing Language") && device.type == WEFT_DEVICE_TYPE_CPU && !checks &&
         !(quirks && strstr(quirks, "gpu_kernels")) && !(twins && strcmp(twins, "off") == 0);
}

static uint64_t launches(void) {
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  return stats.launches;
}

/// Random bits; of floats also small numbers, numbers with a fraction, infinities, NaN, zeros and denormals.
static void fill(void *elements, const row *r, int n, harness_random *random) {
  static const double special[] = {0, -0.0, 1, -2.5, 0.5, 1e-310, -1e-40, 1e300, INFINITY, -INFINITY, NAN, 8388609.5};
  const size_t size = weft_dtype_size_bytes(r->dtype);
  for (int i = 0; i < n; i++) {
    const uint64_t bits = harness_bits(random);
    const double value = special[bits % (sizeof special / sizeof *special)];
    const float narrow = (float)value;
    const void *from = &bits;
    if (bits >> 40 & 1 && r->dtype == WEFT_F64) from = &value;
    if (bits >> 40 & 1 && r->dtype == WEFT_F32) from = &narrow;
    memcpy((char *)elements + (size_t)i * size, from, size);
  }
}

static bool is_nan(weft_dtype dtype, const char *element) {
  double wide;
  float narrow;
  memcpy(&narrow, element, sizeof narrow);
  memcpy(&wide, element, dtype == WEFT_F64 ? sizeof wide : 0);
  return dtype == WEFT_F32 ? isnan(narrow) : dtype == WEFT_F64 && isnan(wide);
}

/* ---- the same bits ---- */

/// Computes r of a and b (number: of the number in the place of b) in `context`; the third time all is known that the
/// thread needs. `in_place`: over a.
static void compute(void *out, const row *r, weft_context *context, const void *a, const void *b, int n,
                    const double *number, bool in_place) {
  const weft_dtype result = r->makes_bools ? WEFT_BOOL : r->dtype;
  weft_array *x = NULL, *y = NULL, *z = NULL;
  ok(weft_from_host(&x, context, r->dtype, WEFT_SHAPE(n), a));
  ok(weft_from_host(&y, context, r->dtype, WEFT_SHAPE(n), b));
  ok(weft_empty(&z, context, result, WEFT_SHAPE(n)));
  for (int turn = 0; turn < 3; turn++) {
    const bool over = in_place && turn == 2;
    const weft_operand operand[] = {over ? WEFT__RESULT(&x) : WEFT__RESULT(&z), WEFT__OPERAND(x),
                                    number ? WEFT__OPERAND(*number) : WEFT__OPERAND(y)};
    const uint64_t before = launches();
    ok(weft_ufunc_apply(r->id, 1 + r->operands, operand));
    if (turn == 2 && context == ctx && has_twins())
      ck_assert_msg(launches() - before == (n > 4096), "%s of %d %s: %d launches", r->name, n,
                    weft_dtype_name(r->dtype), (int)(launches() - before));
    ok(weft_context_wait(context));
  }
  ok(weft_to_host(out, (size_t)n * weft_dtype_size_bytes(result), in_place ? x : z));
  weft_release(&x, &y, &z);
}

static void check_row(const row *r, weft_context *plain, int n, const double *number, bool in_place,
                      harness_random *random) {
  static char a[MOST * 8], b[MOST * 8], got[MOST * 8], wanted[MOST * 8];
  const size_t size = r->makes_bools ? 1 : weft_dtype_size_bytes(r->dtype);
  fill(a, r, n, random);
  fill(b, r, n, random);
  compute(got, r, ctx, a, b, n, number, in_place);
  compute(wanted, r, plain, a, b, n, number, in_place);
  for (size_t i = 0; i < (size_t)n; i++) {
    const char *g = got + i * size, *w = wanted + i * size;
    if (!r->makes_bools && is_nan(r->dtype, g) && is_nan(r->dtype, w)) continue;
    ck_assert_msg(memcmp(g, w, size) == 0, "%s of %d %s%s%s: element %zu differs from the kernel's", r->name, n,
                  weft_dtype_name(r->dtype), number ? " and a number" : "", in_place ? ", in place" : "", i);
  }
  harness_count(1);
}

START_TEST(same_bits)
{
  static const int sizes[] = {1, 15, 16, 17, 1000, 4096, 196609};
  static const double number = 3;
  const bool tries_all = getenv("WEFT_TEST_SHARE") && strcmp(getenv("WEFT_TEST_SHARE"), "1") == 0;
  harness_random random = harness_random_start(1);
  weft_context *plain = NULL; /* its calls are launches */
  ok(weft_context_create(&plain, .device = device.selector, .tracking_off = true));
  const int step = tries_all ? 1 : ROWS / ROWS_TRIED;
  for (int k = (int)harness_between(&random, 0, step - 1); k < ROWS; k += step) {
    if (!harness_has_dtype(rows[k].dtype)) continue;
    const int n = sizes[harness_between(&random, 0, 6)];
    const bool takes_number = rows[k].operands == 2 && !rows[k].makes_bools && /* an f64, whose twin is of floats */
                              (rows[k].dtype == WEFT_F32 || rows[k].dtype == WEFT_F64);
    check_row(&rows[k], plain, n, NULL, !rows[k].makes_bools && k % 2, &random);
    check_row(&rows[k], plain, 4096, NULL, false, &random);
    if (takes_number) check_row(&rows[k], plain, n, &number, false, &random);
  }
  ok(weft_context_close(&plain));
}
END_TEST

/* ---- in order ---- */

/// Enqueues work of some milliseconds.
static void occupy(weft_array **large) {
  if (!*large) ok(weft_full(large, ctx, WEFT_F32, WEFT_SHAPE(1 << 22), 0.25f));
  for (int k = 0; k < 4; k++) ok(weft_sin(large, *large));
}

static void check_all(const weft_array *x, float wanted, const char *what) {
  float got[1000];
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < 1000; i++) ck_assert_msg(got[i] == wanted, "%s: %g, not %g", what, got[i], wanted);
  harness_count(1);
}

START_TEST(order)
{
  weft_array *large = NULL, *x = NULL, *y = NULL, *t = NULL, *u = NULL, *v = NULL;
  weft_stream *stream = NULL;
  ok(weft_stream_create(&stream, ctx));
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(1000), 1.0f));
  for (int round = 0; round < 6; round++) {
    /* after a launch that has not run */
    occupy(&large);
    ok(weft_full(&y, ctx, WEFT_F32, WEFT_SHAPE(1000), 2.0f));
    for (int k = 0; k < 5; k++) ok(weft_add(&y, y, y));
    /* memory that such a launch reads is not written, though it has been released */
    ok(weft_full(&t, ctx, WEFT_F32, WEFT_SHAPE(1000), 3.0f));
    ok(weft_multiply(&u, t, t));
    weft_array_release(&t);
    ok(weft_add(&v, x, x));
    check_all(v, 2, "sum beside other work");
    check_all(y, 64, "sums after a launch");
    check_all(u, 9, "product of released memory");
    weft_release(&u, &v, &y);
    /* of another stream */
    ok(weft_stream_use(stream));
    occupy(&large);
    ok(weft_full(&y, ctx, WEFT_F32, WEFT_SHAPE(1000), 5.0f));
    ok(weft_stream_use(NULL));
    ok(weft_add(&u, y, x));
    check_all(u, 6, "after another stream's launch");
    weft_release(&u, &y);
    ok(weft_context_wait(ctx));
  }
  weft_release(&x, &large);
  weft_stream_release(&stream);
}
END_TEST

/// A profile has a row for each call.
START_TEST(profiled)
{
  weft_array *x = NULL, *y = NULL;
  weft_profile_row *profile = NULL;
  uint64_t count = 0, found = 0;
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(1000), 1.0f));
  for (int k = 0; k < 4; k++) {
    if (k == 1) ok(weft_profile_start(ctx));
    ok(weft_add(&y, x, x));
    ok(weft_context_wait(ctx));
  }
  ok(weft_profile_stop(ctx));
  ok(weft_profile_get(&profile, &count, NULL, ctx));
  for (uint64_t k = 0; k < count; k++)
    if (profile[k].kind == WEFT_PROFILE_KERNEL && strcmp(profile[k].name, "add") == 0) found += profile[k].calls;
  ck_assert_uint_eq(found, 3);
  harness_count(1);
  weft_free(profile);
  weft_release(&x, &y);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "twins");
  tcase_add_test(c, same_bits);
  tcase_add_test(c, order);
  tcase_add_test(c, profiled);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "twin", .add = add});
}

// SPDX-License-Identifier: MIT
/// Calls that the calling thread computes (src/map/host_formula.h): their bits beside the kernels', and their place in
/// the order of the device's work.
#include <stdio.h>

#include "base/wide.h"
#include "map/host_loops.h"
#include "map/host_ufuncs.h"

#include "harness.h"

enum { MOST = 263000 };

typedef struct operands {
  char a[MOST * 8], b[MOST * 8], c[MOST * 8];
} operands;

/// Whether the device's small calls are computed by the thread.
static bool has_thread(void) {
  const char *quirks = getenv("WEFT_QUIRKS"), *way = getenv("WEFT_WAY"), *checks = getenv("WEFT_CHECKS");
  return strstr(device.platform, "Portable Computing Language") && device.type == WEFT_DEVICE_TYPE_CPU &&
         device.has_fp64 && !checks && !(quirks && strstr(quirks, "gpu_kernels")) &&
         !(way && strstr(way, "elements:commands"));
}

/// Bytes of one loop that the thread reads and writes, at most.
static size_t most_bytes(void) {
  weft_device_info info;
  ok(weft_context_get_device(&info, ctx));
  return info.compute_units <= 4 ? 3 << 20 : 512 << 10;
}

static uint64_t launches(void) {
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  return stats.launches;
}

/// Random bits; of floats also numbers from -4 to 4, infinities, NaN, zeros and denormals.
static void fill(void *elements, weft_dtype dtype, int n, harness_random *random) {
  static const double special[] = {0, -0.0, 1, -2.5, 0.5, 1e-310, -1e-40, 1e300, INFINITY, -INFINITY, NAN, 8388609.5};
  if (dtype == WEFT_C64 || dtype == WEFT_C128) {
    fill(elements, dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64, 2 * n, random);
    return;
  }
  const size_t size = weft_dtype_size_bytes(dtype);
  for (int i = 0; i < n; i++) {
    uint64_t bits = harness_bits(random);
    if (dtype == WEFT_BOOL) bits &= 1;
    const double ordinary = (double)(bits >> 44) * 0x1p-17 - 4;
    const double value = bits >> 41 & 1 ? ordinary : special[bits % (sizeof special / sizeof *special)];
    const float narrow = (float)value;
    const void *from = &bits;
    if (bits >> 40 & 1 && dtype == WEFT_F64) from = &value;
    if (bits >> 40 & 1 && dtype == WEFT_F32) from = &narrow;
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

static void check_same(const char *got, const char *wanted, weft_dtype dtype, int64_t n, const char *what) {
  const size_t size = weft_dtype_size_bytes(dtype);
  if (dtype == WEFT_C64 || dtype == WEFT_C128) {
    check_same(got, wanted, dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64, 2 * n, what);
    return;
  }
  for (size_t i = 0; i < (size_t)n; i++) {
    const char *g = got + i * size, *w = wanted + i * size;
    if (is_nan(dtype, g) && is_nan(dtype, w)) continue;
    ck_assert_msg(memcmp(g, w, size) == 0, "%s: element %zu differs from the kernel's", what, i);
  }
  harness_count(1);
}

/* ---- what is compared ---- */

typedef struct row {
  const char *name;
  int id;
  weft_dtype dtype;
  int operands;
  bool takes_bool; /* in the place of a */
  bool makes_bools, makes_floats;
  weft_dtype second; /* of b; NONE: as all */
} row;

#define IS_BOOL_T false
#define IS_BOOL_uint8_t true
#define IS_BOOL_float false
#define IS_FLOAT_T false
#define IS_FLOAT_uint8_t false
#define IS_FLOAT_float true
#define SECOND_T WEFT_DTYPE_NONE
#define SECOND_int32_t WEFT_I32
#define ROW(ID, D, operands, A, T, R, text) \
  {#ID, WEFT_UFUNC_##ID, WEFT_##D, operands, IS_BOOL_##A, IS_BOOL_##R, IS_FLOAT_##R, SECOND_##T},
#define FAST_ROW(ID, D, operands, A, T, R, ...) ROW(ID, D, operands, A, T, R, )
/* T stays a name: ROW asks whether the result has it */
static const row rows[] = {
    WEFT__HOST_UFUNCS_BOOLS(ROW, BOOL, T) WEFT__HOST_UFUNCS_INTEGERS(ROW, I8, T, U) WEFT__HOST_UFUNCS_INTEGERS(
        ROW, U8, T, U) WEFT__HOST_UFUNCS_INTEGERS(ROW, I16, T, U) WEFT__HOST_UFUNCS_INTEGERS(ROW, U16, T, U)
        WEFT__HOST_UFUNCS_INTEGERS(ROW, I32, T, U) WEFT__HOST_UFUNCS_INTEGERS(
            ROW, U32, T, U) WEFT__HOST_UFUNCS_INTEGERS(ROW, I64, T, U) WEFT__HOST_UFUNCS_INTEGERS(ROW, U64, T, U)
            WEFT__HOST_UFUNCS_FLOATS(ROW, F32, T) WEFT__HOST_UFUNCS_FLOATS(ROW, F64, T) WEFT__HOST_UFUNCS_COMPARISONS(
                ROW, I8, T) WEFT__HOST_UFUNCS_COMPARISONS(ROW, U8, T) WEFT__HOST_UFUNCS_COMPARISONS(ROW, I16, T)
                WEFT__HOST_UFUNCS_COMPARISONS(ROW, U16, T) WEFT__HOST_UFUNCS_COMPARISONS(ROW, I32, T)
                    WEFT__HOST_UFUNCS_COMPARISONS(ROW, U32, T) WEFT__HOST_UFUNCS_COMPARISONS(ROW, I64, T)
                        WEFT__HOST_UFUNCS_COMPARISONS(ROW, U64, T) WEFT__HOST_UFUNCS_COMPARISONS(ROW, F32, T)
                            WEFT__HOST_UFUNCS_COMPARISONS(ROW, F64, T) WEFT__HOST_UFUNCS_TESTS(ROW, F32, T)
                                WEFT__HOST_UFUNCS_TESTS(ROW, F64, T) WEFT__HOST_UFUNCS_COMPUTED(ROW, F32, T)
                                    WEFT__HOST_UFUNCS_COMPUTED(ROW, F64, T) WEFT__HOST_UFUNCS_COMPLEX(ROW, C64, T)
                                        WEFT__HOST_UFUNCS_COMPLEX(ROW, C128, T) WEFT__HOST_UFUNCS_PRODUCT(ROW, C64, T)
                                            WEFT__HOST_UFUNCS_PRODUCT(ROW, C128, T) WEFT__HOST_UFUNCS_CONJ(ROW, C64, T)
                                                WEFT__HOST_UFUNCS_CONJ(ROW, C128, T) WEFT__HOST_UFUNCS_MODULUS(
                                                    ROW, C64, T, float) WEFT__HOST_UFUNCS_FUSED(ROW, F32, T)
                                                    WEFT__HOST_UFUNCS_FUSED(ROW, F64, T) WEFT__HOST_UFUNCS_FAST(
                                                        FAST_ROW, F32, T) WEFT__HOST_UFUNCS_FAST(FAST_ROW, F64, T)
                                                        WEFT__HOST_UFUNCS_POWER(FAST_ROW, F32, T)
                                                            WEFT__HOST_UFUNCS_POWER(FAST_ROW, F64, T)};
#define ROWS (int)(sizeof rows / sizeof *rows)

enum { ROWS_TRIED = 24 };

static weft_dtype second_of(const row *r) {
  return r->second == WEFT_DTYPE_NONE ? r->dtype : r->second;
}

static weft_dtype result_of(const row *r) {
  if (r->makes_floats) return WEFT_F32;
  return !r->makes_bools ? r->dtype : r->id == WEFT_UFUNC_BITWISE_COUNT ? WEFT_U8 : WEFT_BOOL;
}

/* ---- the same bits ---- */

/// Computes r of the operands (number: of the number in the place of b) in `context`; the third time all is known that
/// the thread needs. `in_place`: over a.
static void compute(void *out, const row *r, weft_context *context, const operands *from, int n, const double *number,
                    bool in_place) {
  weft_array *x = NULL, *y = NULL, *z = NULL, *u = NULL;
  ok(weft_from_host(&x, context, r->takes_bool ? WEFT_BOOL : r->dtype, WEFT_SHAPE(n), from->a));
  ok(weft_from_host(&y, context, second_of(r), WEFT_SHAPE(n), from->b));
  ok(weft_from_host(&u, context, r->dtype, WEFT_SHAPE(n), from->c));
  ok(weft_empty(&z, context, result_of(r), WEFT_SHAPE(n)));
  for (int turn = 0; turn < 3; turn++) {
    const bool over = in_place && turn == 2;
    const weft_operand operand[] = {over ? WEFT__RESULT(&x) : WEFT__RESULT(&z), WEFT__OPERAND(x),
                                    number ? WEFT__OPERAND(*number) : WEFT__OPERAND(y), WEFT__OPERAND(u)};
    const uint64_t before = launches();
    ok(weft_ufunc_apply(r->id, 1 + r->operands, operand));
    size_t bytes = weft_dtype_size_bytes(result_of(r)) + (r->takes_bool ? 1 : weft_dtype_size_bytes(r->dtype));
    if (!number) bytes += (size_t)(r->operands - 1) * weft_dtype_size_bytes(r->dtype);
    size_t most = 0; /* a processor without fused multiplications has fewer loops */
    const bool has_loop = weft__host_loop_of(&most, r->id, r->dtype) != NULL;
    const bool is_large = !has_loop || (size_t)n > most || (size_t)n * bytes > most_bytes();
    if (turn == 2 && context == ctx && has_thread())
      ck_assert_msg(launches() - before == is_large, "%s of %d %s: %d launches", r->name, n, weft_dtype_name(r->dtype),
                    (int)(launches() - before));
    ok(weft_context_wait(context));
  }
  ok(weft_to_host(out, (size_t)n * weft_dtype_size_bytes(result_of(r)), in_place ? x : z));
  weft_release(&x, &y, &z, &u);
}

static operands in;

static void compare(const row *r, weft_context *plain, int n, const double *number, bool in_place) {
  static char got[MOST * 8], wanted[MOST * 8];
  char what[100];
  compute(got, r, ctx, &in, n, number, in_place);
  compute(wanted, r, plain, &in, n, number, in_place);
  snprintf(what, sizeof what, "%s of %d %s%s%s", r->name, n, weft_dtype_name(r->dtype), number ? " and a number" : "",
           in_place ? ", in place" : "");
  check_same(got, wanted, result_of(r), n, what);
}

static void check_row(const row *r, weft_context *plain, int n, const double *number, bool in_place,
                      harness_random *random) {
  fill(in.a, r->takes_bool ? WEFT_BOOL : r->dtype, n, random);
  fill(in.b, second_of(r), n, random);
  fill(in.c, r->dtype, n, random);
  for (int i = 0; i < n / 2 && r->second == WEFT_I32; i++) /* exponents */
    memcpy(in.b + 4 * i, &(int){(int)harness_between(random, -300, 300)}, 4);
  compare(r, plain, n, number, in_place);
}

static void put(char *to, weft_dtype dtype, int i, double value) {
  const float single = (float)value;
  memcpy(to + (dtype == WEFT_F32 ? 4 : 8) * i, dtype == WEFT_F32 ? (const void *)&single : &value,
         dtype == WEFT_F32 ? 4 : 8);
}

/// Powers of positive numbers, then of any, then rare ones too, and likewise products with powers of two: a block that
/// has such an element is computed again in another way.
static void check_blocks(const row *r, weft_context *plain, harness_random *random) {
  enum { PART = 512, ELEMENTS = 3 * PART + 96 };
  static const double any[] = {0, -0.0, -1, -2.5}, rare[] = {INFINITY, -INFINITY, NAN, 1e-40, 3e38, 1e-300};
  static const int32_t edges[] = {-126, 127, -127, 128, -1022, 1023, -1023, 1024, INT32_MIN, INT32_MAX};
  for (int i = 0; i < ELEMENTS; i++) {
    const double size = exp2((double)harness_between(random, -4000, 4000) / 1000);
    const double exponent = (double)harness_between(random, -40, 40) / (i % 2 ? 1 : 7);
    const int which = (int)harness_between(random, 0, 9), is_rare = i >= 2 * PART && i % 5 == 0;
    put(in.a, r->dtype, i, is_rare && i % 2 ? rare[which % 6] : i >= PART && i % 3 == 0 ? any[which % 4] : size);
    put(in.b, r->dtype, i, is_rare ? rare[which % 6] : exponent);
    if (r->second == WEFT_I32) memcpy(in.b + 4 * i, is_rare ? &edges[which] : &(int32_t){(int32_t)exponent}, 4);
  }
  compare(r, plain, ELEMENTS, NULL, r->dtype == WEFT_F32);
}

START_TEST(same_bits)
{
  static const int sizes[] = {1, 15, 17, 1000, 4096, 100003, 262177};
  static const double number = 3;
  const bool tries_all = getenv("WEFT_TEST_SHARE") && strcmp(getenv("WEFT_TEST_SHARE"), "1") == 0;
  harness_random random = harness_random_start(1);
  weft_context *plain = NULL; /* its calls are launches */
  ok(weft_context_create(&plain, .device = device.selector, .tracking_off = true));
  const int step = tries_all ? 3 : ROWS / ROWS_TRIED;
  for (int k = (int)harness_between(&random, 0, step - 1); k < ROWS; k += step) {
    if (!harness_has_dtype(rows[k].dtype)) continue;
    int n = sizes[harness_between(&random, 0, 6)];
    if (rows[k].dtype == WEFT_C128 && n > MOST / 2) n = MOST / 2;
    const bool takes_number = rows[k].operands == 2 && !rows[k].makes_bools &&
                              rows[k].second == WEFT_DTYPE_NONE && /* an f64, whose loops are of floats */
                              (rows[k].dtype == WEFT_F32 || rows[k].dtype == WEFT_F64);
    check_row(&rows[k], plain, n, NULL, !rows[k].makes_bools && !rows[k].makes_floats && !rows[k].takes_bool && k % 2,
              &random);
    check_row(&rows[k], plain, 4096, NULL, false, &random);
    if (takes_number) check_row(&rows[k], plain, n, &number, false, &random);
  }
  for (int k = 0; k < ROWS; k++)
    if ((rows[k].id == WEFT_UFUNC_POW || rows[k].id == WEFT_UFUNC_LDEXP) && harness_has_dtype(rows[k].dtype))
      check_blocks(&rows[k], plain, &random);
  for (int k = 0; k < ROWS; k++) /* tests, which have loops of their own: C's isinf may be -1 */
    if (rows[k].makes_bools && rows[k].operands == 1 && (rows[k].dtype == WEFT_F32 || rows[k].dtype == WEFT_F64) &&
        harness_has_dtype(rows[k].dtype))
      check_row(&rows[k], plain, 1000, NULL, false, &random);
  ok(weft_context_close(&plain));
}
END_TEST

/* ---- the loops for each processor ---- */

enum { OF_WIDTHS = 8 * WEFT__HOST_FORMULA_BLOCK };

/// The quirks that choose loops do so.
START_TEST(quirks_of_widths)
{
  const char *quirks = getenv("WEFT_QUIRKS");
  const int most = quirks && strstr(quirks, "no_avx2") ? 0 : quirks && strstr(quirks, "no_avx512") ? 1 : 2;
  ck_assert_int_eq(atomic_load(&weft__most_width), most);
  ck_assert_int_le(WEFT__WIDTH, most);
  ck_assert(most > 0 || !WEFT__HAS_FUSED);
}
END_TEST

/// The loop of a function, or of a cast to the dtype `id`, on this processor without what the quirks leave out.
static weft__host_loop *loop_of(int width, bool is_cast, int id, weft_dtype dtype) {
  size_t most = 0;
  const int before = atomic_exchange(&weft__most_width, width);
  weft__host_loop *loop =
      is_cast ? weft__host_cast_of(&most, (weft_dtype)id, dtype) : weft__host_loop_of(&most, id, dtype);
  atomic_store(&weft__most_width, before);
  return loop;
}

static int check_widths(bool is_cast, int id, weft_dtype dtype, weft_dtype result, const operands *from) {
  _Alignas(64) static char got[OF_WIDTHS * 16], wanted[OF_WIDTHS * 16];
  const void *const of[WEFT__HOST_FORMULA_OPERANDS] = {from->a, from->b, from->c};
  weft__host_loop *widest = loop_of(2, is_cast, id, dtype);
  int compared = 0;
  if (!widest) return 0;
  widest(wanted, of, OF_WIDTHS, 0);
  for (int width = 0; width < 2; width++) {
    weft__host_loop *loop = loop_of(width, is_cast, id, dtype);
    char what[100];
    if (!loop || loop == widest) continue;
    loop(got, of, OF_WIDTHS, 0);
    snprintf(what, sizeof what, "%s %d of %s, width %d", is_cast ? "cast" : "function", id, weft_dtype_name(dtype),
             width);
    check_same(got, wanted, result, OF_WIDTHS, what);
    compared++;
  }
  return compared;
}

START_TEST(same_bits_of_widths)
{
  harness_random random = harness_random_start(8);
  int compared = 0;
  for (int k = 0; k < ROWS; k++) {
    const row *r = &rows[k];
    fill(in.a, r->takes_bool ? WEFT_BOOL : r->dtype, OF_WIDTHS, &random);
    fill(in.b, second_of(r), OF_WIDTHS, &random);
    fill(in.c, r->dtype, OF_WIDTHS, &random);
    compared += check_widths(false, r->id, r->dtype, result_of(r), &in);
  }
  for (int to = 1; to < WEFT_DTYPE_COUNT; to++)
    for (int dtype = 1; dtype < WEFT_DTYPE_COUNT; dtype++) {
      fill(in.a, (weft_dtype)dtype, OF_WIDTHS, &random);
      compared += check_widths(true, to, (weft_dtype)dtype, (weft_dtype)to, &in);
    }
  if (WEFT__WIDTH == 2) ck_assert_int_gt(compared, ROWS);
  harness_count(1);
}
END_TEST

/* ---- layouts, casts and formulas ---- */

/// Formulas of x and y, which the thread computes if the dtypes have loops.
static const char *const formulas[] = {
    "x",     "x + y",         "where(x > y, x, y)", "x * y + x",       "abs(x - y) < 3", "clip(x, y, 100)",
    "x - 1", "minimum(x, y)", "floor(x) * 2",       "f64(x) + f64(y)", "i64(x) * 3 - y", "x == y or x > 5",
};

static const weft_dtype dtypes[] = {WEFT_BOOL, WEFT_U8, WEFT_I16, WEFT_I32, WEFT_I64, WEFT_F32, WEFT_F64};

/// A view of an array with random elements, of `shape`: contiguous, turned, with gaps, backwards, or repeated along an
/// axis. *whole owns the memory.
static void make_view(weft_array **view, weft_array **whole, weft_context *context, weft_dtype dtype,
                      const int64_t *shape, int kind, const void *elements) {
  const int64_t height = shape[0], columns = shape[1];
  if (kind == 1) {
    ok(weft_from_host(whole, context, dtype, WEFT_SHAPE(columns, height), elements));
    ok(weft_transpose(view, *whole, WEFT_AXES(1, 0)));
  } else if (kind == 2) {
    ok(weft_from_host(whole, context, dtype, WEFT_SHAPE(height, 2 * columns + 1), elements));
    ok(weft_view(view, *whole, ":, 1::2"));
  } else if (kind == 3) {
    ok(weft_from_host(whole, context, dtype, WEFT_SHAPE(height, columns), elements));
    ok(weft_view(view, *whole, "::-1, ::-1"));
  } else if (kind == 4 || kind == 5) {
    ok(weft_from_host(whole, context, dtype, kind == 4 ? WEFT_SHAPE(1, columns) : WEFT_SHAPE(height, 1), elements));
    ok(weft_broadcast(view, *whole, WEFT_SHAPE(height, columns)));
  } else {
    ok(weft_from_host(whole, context, dtype, WEFT_SHAPE(height, columns), elements));
    ok(weft_view(view, *whole, ":"));
  }
}

typedef struct chain {
  const char *text;
  weft_dtype x, y, out;
  int64_t shape[2];
  int x_kind, y_kind, out_kind;
} chain;

/// Computes the formula into a view of an array of the dtype, the third time by the thread. Returns the launches of the
/// third.
static uint64_t compute_chain(void *out, const chain *f, weft_context *context, const operands *from) {
  weft_array *x = NULL, *y = NULL, *z = NULL, *wholes[3] = {NULL};
  uint64_t before = 0;
  make_view(&x, &wholes[0], context, f->x, f->shape, f->x_kind, from->a);
  make_view(&y, &wholes[1], context, f->y, f->shape, f->y_kind, from->b);
  make_view(&z, &wholes[2], context, f->out, f->shape, f->out_kind, from->c);
  for (int turn = 0; turn < 3; turn++) {
    before = launches();
    ok(weft_eval(&z, context, f->text, WEFT_NAMED("x", x), WEFT_NAMED("y", y)));
    before = launches() - before;
    ok(weft_context_wait(context));
  }
  ok(weft_to_host(out, (size_t)weft_array_size_bytes(wholes[2]), wholes[2]));
  weft_release(&x, &y, &z, &wholes[0], &wholes[1], &wholes[2]);
  return before;
}

static void check_chain(const chain *f, weft_context *plain, harness_random *random, int *by_thread) {
  static char got[MOST * 8], wanted[MOST * 8];
  static operands from;
  char what[200];
  const int64_t room = (f->shape[0] + 1) * (2 * f->shape[1] + 1);
  fill(from.a, f->x, (int)room, random);
  fill(from.b, f->y, (int)room, random);
  fill(from.c, f->out, (int)room, random);
  *by_thread += compute_chain(got, f, ctx, &from) == 0;
  compute_chain(wanted, f, plain, &from);
  snprintf(what, sizeof what, "%s of %s %d and %s %d into %s %d, %d x %d", f->text, weft_dtype_name(f->x), f->x_kind,
           weft_dtype_name(f->y), f->y_kind, weft_dtype_name(f->out), f->out_kind, (int)f->shape[0], (int)f->shape[1]);
  check_same(got, wanted, f->out, f->shape[0] * f->shape[1] * (f->out_kind == 2 ? 2 : 1), what);
}

START_TEST(same_bits_of_formulas)
{
  static const int64_t lengths[] = {1, 2, 3, 31, 50, 64, 300};
  const bool tries_all = getenv("WEFT_TEST_SHARE") && strcmp(getenv("WEFT_TEST_SHARE"), "1") == 0;
  harness_random random = harness_random_start(2);
  weft_context *plain = NULL;
  int by_thread = 0, tried = 0;
  ok(weft_context_create(&plain, .device = device.selector, .tracking_off = true));
  while (tried < (tries_all ? 60 : 12)) {
    chain f = {.text = formulas[harness_between(&random, 0, sizeof formulas / sizeof *formulas - 1)],
               .x = dtypes[harness_between(&random, 0, sizeof dtypes / sizeof *dtypes - 1)],
               .y = dtypes[harness_between(&random, 0, sizeof dtypes / sizeof *dtypes - 1)],
               .shape = {lengths[harness_between(&random, 0, 6)], lengths[harness_between(&random, 0, 6)]},
               .x_kind = (int)harness_between(&random, 0, 5),
               .y_kind = (int)harness_between(&random, 0, 5),
               .out_kind = (int)harness_between(&random, 0, 3)};
    weft_array *x = NULL, *y = NULL, *z = NULL;
    if (!harness_has_dtype(f.x) || !harness_has_dtype(f.y)) continue;
    ok(weft_zeros(&x, plain, f.x, WEFT_SHAPE(1)));
    ok(weft_zeros(&y, plain, f.y, WEFT_SHAPE(1)));
    const weft_status rc = weft_eval(&z, plain, f.text, WEFT_NAMED("x", x), WEFT_NAMED("y", y));
    if (rc == WEFT_OK) f.out = weft_array_dtype(z);
    if (f.out == WEFT_F64 && tried % 3 == 0) f.out = WEFT_F32;
    weft_release(&x, &y, &z);
    if (rc != WEFT_OK || !harness_has_dtype(f.out)) continue; /* bools are not subtracted */
    check_chain(&f, plain, &random, &by_thread);
    tried++;
  }
  if (has_thread()) ck_assert_msg(by_thread > tried / 2, "the thread computed only %d of %d", by_thread, tried);
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

/// A call on few elements does not wait for other work, nor at an array's second use, which finds out where it is.
START_TEST(no_wait)
{
  weft_array *large = NULL, *x = NULL, *y = NULL;
  weft_event *event = NULL;
  bool is_done = true;
  for (int turn = 0; turn < 5 && is_done; turn++) { /* this thread may be held up */
    ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(1000 + 1000 * turn), 1.0f));
    ok(weft_add(&y, x, x));
    occupy(&large);
    ok(weft_context_wait(ctx));
    occupy(&large);
    ok(weft_event_record(&event, ctx, NULL));
    ok(weft_add(&y, x, x));
    ok(weft_event_is_done(&is_done, event));
    ok(weft_context_wait(ctx));
    weft_release(&x, &y);
  }
  if (has_thread() && !getenv("WEFT_SYNC")) ck_assert_msg(!is_done, "the call waited for other work");
  harness_count(1);
  weft_release(&large, &event);
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
  TCase *c = harness_context_case(suite, "host formula");
  tcase_add_test(c, same_bits);
  tcase_add_test(c, quirks_of_widths);
  tcase_add_test(c, same_bits_of_widths);
  tcase_add_test(c, same_bits_of_formulas);
  tcase_add_test(c, order);
  tcase_add_test(c, no_wait);
  tcase_add_test(c, profiled);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "host_formula", .add = add});
}

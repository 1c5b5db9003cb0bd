// SPDX-License-Identifier: MIT
/// Calls that the calling thread computes (src/map/twin.h): their bits beside the kernels', and their place in the
/// order of the device's work.
#include <stdio.h>

#include "base/wide.h"
#include "map/twin_loops.h"
#include "map/twins.h"

#include "by_thread.h"

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
    WEFT__TWINS_BOOLS(ROW, BOOL, T) WEFT__TWINS_INTEGERS(ROW, I8, T, U) WEFT__TWINS_INTEGERS(ROW, U8, T, U)
        WEFT__TWINS_INTEGERS(ROW, I16, T, U) WEFT__TWINS_INTEGERS(ROW, U16, T, U) WEFT__TWINS_INTEGERS(ROW, I32, T, U)
            WEFT__TWINS_INTEGERS(ROW, U32, T, U) WEFT__TWINS_INTEGERS(ROW, I64, T, U) WEFT__TWINS_INTEGERS(
                ROW, U64, T, U) WEFT__TWINS_FLOATS(ROW, F32, T) WEFT__TWINS_FLOATS(ROW, F64, T)
                WEFT__TWINS_COMPARISONS(ROW, I8, T) WEFT__TWINS_COMPARISONS(ROW, U8, T) WEFT__TWINS_COMPARISONS(
                    ROW, I16, T) WEFT__TWINS_COMPARISONS(ROW, U16, T) WEFT__TWINS_COMPARISONS(ROW, I32, T)
                    WEFT__TWINS_COMPARISONS(ROW, U32, T) WEFT__TWINS_COMPARISONS(ROW, I64, T) WEFT__TWINS_COMPARISONS(
                        ROW, U64, T) WEFT__TWINS_COMPARISONS(ROW, F32, T) WEFT__TWINS_COMPARISONS(ROW, F64, T)
                        WEFT__TWINS_TESTS(ROW, F32, T) WEFT__TWINS_TESTS(ROW, F64, T) WEFT__TWINS_COMPUTED(ROW, F32, T)
                            WEFT__TWINS_COMPUTED(ROW, F64, T) WEFT__TWINS_COMPLEX(ROW, C64, T) WEFT__TWINS_COMPLEX(
                                ROW, C128, T) WEFT__TWINS_PRODUCT(ROW, C64, T) WEFT__TWINS_PRODUCT(ROW, C128, T)
                                WEFT__TWINS_CONJ(ROW, C64, T) WEFT__TWINS_CONJ(ROW, C128, T) WEFT__TWINS_MODULUS(
                                    ROW, C64, T, float) WEFT__TWINS_FUSED(ROW, F32, T) WEFT__TWINS_FUSED(ROW, F64, T)
                                    WEFT__TWINS_FAST(FAST_ROW, F32, T) WEFT__TWINS_FAST(FAST_ROW, F64, T)
                                        WEFT__TWINS_POWER(FAST_ROW, F32, T) WEFT__TWINS_POWER(FAST_ROW, F64, T)};
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
    const bool has_loop = weft__twin_loop_of(&most, r->id, r->dtype) != NULL;
    const bool is_large = !has_loop || (size_t)n > most || (size_t)n * bytes > most_bytes();
    if (turn == 2 && context == ctx && has_twins())
      ck_assert_msg(launches() - before == is_large, "%s of %d %s: %d launches", r->name, n, weft_dtype_name(r->dtype),
                    (int)(launches() - before));
    ok(weft_context_wait(context));
  }
  ok(weft_to_host(out, (size_t)n * weft_dtype_size_bytes(result_of(r)), in_place ? x : z));
  weft_release(&x, &y, &z, &u);
}

static operands in;

static void compare(const row *r, weft_context *plain, int n, const double *number, bool in_place) {
  static char got[BY_THREAD_MOST * 8], wanted[BY_THREAD_MOST * 8];
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
    if (rows[k].dtype == WEFT_C128 && n > BY_THREAD_MOST / 2) n = BY_THREAD_MOST / 2;
    const bool takes_number = rows[k].operands == 2 && !rows[k].makes_bools &&
                              rows[k].second == WEFT_DTYPE_NONE && /* an f64, whose twin is of floats */
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

enum { OF_WIDTHS = 8 * WEFT__TWIN_BLOCK };

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
static weft__twin_loop *loop_of(int width, bool is_cast, int id, weft_dtype dtype) {
  size_t most = 0;
  const int before = atomic_exchange(&weft__most_width, width);
  weft__twin_loop *loop =
      is_cast ? weft__twin_cast_of(&most, (weft_dtype)id, dtype) : weft__twin_loop_of(&most, id, dtype);
  atomic_store(&weft__most_width, before);
  return loop;
}

static int check_widths(bool is_cast, int id, weft_dtype dtype, weft_dtype result, const operands *from) {
  _Alignas(64) static char got[OF_WIDTHS * 16], wanted[OF_WIDTHS * 16];
  const void *const of[WEFT__TWIN_OPERANDS] = {from->a, from->b, from->c};
  weft__twin_loop *widest = loop_of(2, is_cast, id, dtype);
  int compared = 0;
  if (!widest) return 0;
  widest(wanted, of, OF_WIDTHS, 0);
  for (int width = 0; width < 2; width++) {
    weft__twin_loop *loop = loop_of(width, is_cast, id, dtype);
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
  static char got[BY_THREAD_MOST * 8], wanted[BY_THREAD_MOST * 8];
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
  if (has_twins()) ck_assert_msg(by_thread > tried / 2, "the thread computed only %d of %d", by_thread, tried);
  ok(weft_context_close(&plain));
}
END_TEST

/* ---- reductions ---- */

static const weft_reduction_id reductions[] = {
    WEFT_REDUCE_SUM,    WEFT_REDUCE_MEAN,          WEFT_REDUCE_MIN,  WEFT_REDUCE_MAX,    WEFT_REDUCE_ANY,
    WEFT_REDUCE_ALL,    WEFT_REDUCE_COUNT_NONZERO, WEFT_REDUCE_NORM, WEFT_REDUCE_ARGMIN, WEFT_REDUCE_ARGMAX,
    WEFT_REDUCE_NANMIN, WEFT_REDUCE_NANMAX,        WEFT_REDUCE_PTP};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions, DOT = REDUCTIONS, OF_FORMULA };

/// Random numbers whose sums depend on the order of the additions.
static void fill_numbers(void *elements, weft_dtype dtype, int n, harness_random *random) {
  fill(elements, dtype, n, random);
  for (int i = 0; i < n; i++) {
    const double wide = (double)harness_between(random, -1000000, 1000000) * 1e-3;
    const float narrow = (float)wide;
    if (dtype == WEFT_F32) memcpy((char *)elements + 4 * (size_t)i, &narrow, sizeof narrow);
    if (dtype == WEFT_F64) memcpy((char *)elements + 8 * (size_t)i, &wide, sizeof wide);
  }
}

/// One reduction in `context`, the third time by the thread; its launches are returned. Of a formula and an inner
/// product: of all n elements; of the table's reductions: of every `step`th element of as many lines.
static uint64_t reduce_in(weft_array **out, int what, weft_context *context, weft_dtype dtype, int n, int lines,
                          int step, const operands *from) {
  weft_array *x = NULL, *y = NULL, *table = NULL;
  uint64_t before = 0;
  ok(weft_from_host(&x, context, dtype, WEFT_SHAPE(n), from->a));
  ok(weft_from_host(&y, context, dtype, WEFT_SHAPE(n), from->b));
  if (what < DOT) {
    ok(weft_reshape(&table, x, WEFT_SHAPE(lines, n / lines)));
    weft_array_release(&x);
    ok(weft_slice(&x, table, 1, 0, WEFT_END, .step = step));
  }
  for (int turn = 0; turn < 3; turn++) {
    before = launches();
    if (what == DOT)
      ok(weft_dot(out, x, y));
    else if (what == OF_FORMULA)
      ok(weft_reduce(out, context, "x == y", WEFT_ALL_AXES, WEFT_NAMED("x", x), WEFT_NAMED("y", y),
                     WEFT_REDUCTION(.op = WEFT_REDUCE_COUNT_NONZERO)));
    else
      ok(weft__reduce_apply_at(reductions[what], WEFT__RESULT(out), WEFT__OPERAND(x), WEFT_AXES(1), 0, WEFT_SITE));
    before = launches() - before;
    ok(weft_context_wait(context));
  }
  weft_release(&x, &y, &table);
  return before;
}

START_TEST(same_bits_of_reductions)
{
  enum { MOST_ROWS = 50 };
  static const int sizes[] = {1, 31, 32, 63, 65, 127, 1000, 8000, 70000, 100003};
  static operands from;
  static char a[16 * MOST_ROWS], b[16 * MOST_ROWS];
  const bool tries_all = getenv("WEFT_TEST_SHARE") && strcmp(getenv("WEFT_TEST_SHARE"), "1") == 0;
  harness_random random = harness_random_start(3);
  weft_context *plain = NULL;
  int by_thread = 0, tried = 0;
  ok(weft_context_create(&plain, .device = device.selector, .tracking_off = true));
  while (tried < (tries_all ? 100 : 20)) {
    const weft_dtype dtype = dtypes[harness_between(&random, 0, sizeof dtypes / sizeof *dtypes - 1)];
    const int n = sizes[harness_between(&random, 0, 9)], what = (int)harness_between(&random, 0, OF_FORMULA);
    const int most = n < MOST_ROWS ? n : MOST_ROWS, step = harness_between(&random, 0, 3) ? 1 : 3;
    const int lines = harness_between(&random, 0, 1) ? 1 : (int)harness_between(&random, 1, most);
    weft_array *got = NULL, *wanted = NULL;
    char text[100];
    if (!harness_has_dtype(dtype)) continue;
    if (dtype == WEFT_BOOL && what < REDUCTIONS && reductions[what] == WEFT_REDUCE_PTP) continue;
    if (dtype != WEFT_F32 && what < REDUCTIONS && !harness_has_dtype(WEFT_F64) && /* the result is an f64 */
        (reductions[what] == WEFT_REDUCE_MEAN || reductions[what] == WEFT_REDUCE_NORM))
      continue;
    if (harness_between(&random, 0, 3)) {
      fill_numbers(from.a, dtype, n, &random);
      fill_numbers(from.b, dtype, n, &random);
    } else {
      fill(from.a, dtype, n, &random);
      fill(from.b, dtype, n, &random);
    }
    const int all = what < DOT ? n / lines * lines : n;
    by_thread += reduce_in(&got, what, ctx, dtype, all, lines, step, &from) == 0;
    reduce_in(&wanted, what, plain, dtype, all, lines, step, &from);
    const weft_dtype result = weft_array_dtype(wanted);
    const size_t bytes = (size_t)weft_array_size_bytes(wanted);
    ck_assert_int_eq(weft_array_dtype(got), result);
    ok(weft_to_host(a, bytes, got));
    ok(weft_to_host(b, bytes, wanted));
    snprintf(text, sizeof text, "reduction %d of %d %s, %d lines, step %d", what, n, weft_dtype_name(dtype), lines,
             step);
    check_same(a, b, result, weft_array_size(wanted), text);
    weft_release(&got, &wanted);
    tried++;
  }
  if (has_twins()) ck_assert_msg(by_thread > tried / 2, "the thread computed only %d of %d", by_thread, tried);
  ok(weft_context_close(&plain));
}
END_TEST

/// The first of the best floats, or the first NaN, in rows as long as a vector or a block and a little more.
START_TEST(places_of_floats)
{
  enum { MOST = 2 * 4096 + 77, LINES = 3 };
  static const int lengths[] = {1, 15, 16, 17, 32, 63, 64, 65, 127, 300, 4095, 4096, 4097, MOST};
  static float from[LINES * MOST];
  harness_random random = harness_random_start(7);
  for (int k = 0; k < 120; k++) {
    const int n = lengths[k % 14], what = k / 14;
    const bool is_least = harness_between(&random, 0, 1);
    weft_array *x = NULL, *y = NULL;
    int64_t got[LINES];
    /* many equal numbers, among them zeros of both signs; or one number */
    for (int i = 0; i < LINES * n; i++)
      from[i] = what == 0 ? -INFINITY : (float)harness_between(&random, -3, 3) * (what == 1 ? 0.0f : 1.0f);
    for (int r = 0; r < LINES && what > 1; r++) {
      from[r * n + harness_between(&random, 0, n - 1)] = what == 2 ? INFINITY : is_least ? -7.0f : 7.0f;
      if (what > 4) from[r * n + harness_between(&random, 0, n - 1)] = NAN;
      if (what > 6) from[r * n + harness_between(&random, 0, n - 1)] = NAN;
    }
    ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(LINES, n), from));
    for (int turn = 0; turn < 3; turn++) {
      if (is_least)
        ok(weft_argmin(&y, x, 1));
      else
        ok(weft_argmax(&y, x, 1));
      ok(weft_context_wait(ctx));
    }
    ok(weft_to_host(got, sizeof got, y));
    for (int r = 0; r < LINES; r++) {
      const float *line = from + r * n;
      int64_t place = 0;
      for (int i = 1; i < n && line[place] == line[place]; i++)
        if (line[i] != line[i] || (is_least ? line[i] < line[place] : line[i] > line[place])) place = i;
      ck_assert_msg(got[r] == place, "%s of %d, kind %d, row %d: %d, not %d", is_least ? "argmin" : "argmax", n, what,
                    r, (int)got[r], (int)place);
    }
    harness_count(1);
    weft_release(&x, &y);
  }
}
END_TEST

/// Results of several rows each, which are apart, and of columns.
START_TEST(same_bits_of_rows_and_columns)
{
  static const weft_reduction_id ids[] = {WEFT_REDUCE_SUM, WEFT_REDUCE_NORM, WEFT_REDUCE_MEAN};
  static operands from;
  harness_random random = harness_random_start(6);
  weft_context *plain = NULL;
  ok(weft_context_create(&plain, .device = device.selector, .tracking_off = true));
  for (int k = 0; k < 18; k++) {
    const bool of_columns = k > 5;
    const int64_t a = harness_between(&random, 2, 9), b = harness_between(&random, 2, 9),
                  c = of_columns ? harness_between(&random, 129, 600) : harness_between(&random, 64, 300);
    const weft_shape shape = WEFT_SHAPE(a, b, c);
    const weft_axes axes = of_columns ? WEFT_AXES(1) : WEFT_AXES(0, 2);
    const int64_t results = of_columns ? a * c : b;
    float result[2][9 * 600];
    weft_context *const context[] = {ctx, plain};
    fill_numbers(from.a, WEFT_F32, (int)(a * b * c), &random);
    for (int one = 0; one < 2; one++) {
      weft_array *x = NULL, *y = NULL;
      uint64_t before = 0;
      ok(weft_from_host(&x, context[one], WEFT_F32, shape, from.a));
      for (int turn = 0; turn < 3; turn++) {
        before = launches();
        ok(weft__reduce_apply_at(ids[k % 3], WEFT__RESULT(&y), WEFT__OPERAND(x), axes, 0, WEFT_SITE));
        before = launches() - before;
        ok(weft_context_wait(context[one]));
      }
      if (one == 0 && has_twins()) ck_assert_uint_eq(before, 0);
      ok(weft_to_host(result[one], (size_t)results * sizeof(float), y));
      weft_release(&x, &y);
    }
    check_same((const char *)result[0], (const char *)result[1], WEFT_F32, results, "rows apart and columns");
    harness_count(1);
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
  if (has_twins() && !getenv("WEFT_SYNC")) ck_assert_msg(!is_done, "the call waited for other work");
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
  TCase *c = harness_context_case(suite, "twins");
  tcase_add_test(c, same_bits);
  tcase_add_test(c, quirks_of_widths);
  tcase_add_test(c, same_bits_of_widths);
  tcase_add_test(c, same_bits_of_formulas);
  tcase_add_test(c, same_bits_of_reductions);
  tcase_add_test(c, same_bits_of_rows_and_columns);
  tcase_add_test(c, places_of_floats);
  tcase_add_test(c, order);
  tcase_add_test(c, no_wait);
  tcase_add_test(c, profiled);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "twin", .add = add});
}

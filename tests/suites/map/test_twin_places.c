// SPDX-License-Identifier: MIT
/// What the calling thread moves by strides and masks (src/mem/at_once.h), beside what kernels move.
#include <stdio.h>
#include <string.h>

#include "by_thread.h"

enum { DEPTH = 19, ROWS = 33, COLUMNS = 17, ALL = DEPTH * ROWS * COLUMNS, PICKED = 700 };

static const weft_dtype dtypes[] = {WEFT_BOOL, WEFT_U8, WEFT_I16, WEFT_I32, WEFT_F32, WEFT_F64, WEFT_C128};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/// The operands of a case: a cube, and what picks from it.
typedef struct things {
  weft_array *cube, *flat, *rows, *index, *row_index, *mask, *bytes;
  weft_csr *matrix;
} things;

static operands from;

static void make(things *t, weft_dtype dtype, harness_random *random) {
  int64_t index[PICKED];
  int32_t row_index[ROWS];
  for (int i = 0; i < PICKED; i++) index[i] = harness_between(random, -ALL, ALL - 1);
  for (int i = 0; i < ROWS; i++) row_index[i] = (int32_t)harness_between(random, -DEPTH, DEPTH - 1);
  fill(from.a, WEFT_U64, 2 * ALL, random);
  if (dtype == WEFT_BOOL)
    for (int i = 0; i < ALL; i++) from.a[i] &= 1;
  for (int i = 0; i < ALL; i++) from.b[i] = harness_between(random, 0, 3) == 0;
  ok(weft_from_host(&t->cube, ctx, dtype, WEFT_SHAPE(DEPTH, ROWS, COLUMNS), from.a));
  ok(weft_reshape(&t->flat, t->cube, WEFT_SHAPE(ALL)));
  ok(weft_reshape(&t->rows, t->cube, WEFT_SHAPE(DEPTH, ROWS * COLUMNS)));
  ok(weft_from_host(&t->index, ctx, WEFT_I64, WEFT_SHAPE(PICKED), index));
  ok(weft_from_host(&t->row_index, ctx, WEFT_I32, WEFT_SHAPE(ROWS), row_index));
  ok(weft_from_host(&t->mask, ctx, WEFT_BOOL, WEFT_SHAPE(ALL), from.b));
  ok(weft_from_host(&t->bytes, ctx, WEFT_U8, WEFT_SHAPE(ALL), from.a + ALL));
  weft_array *zeros = NULL, *sparse = NULL;
  ok(weft_full(&zeros, ctx, WEFT_F32, WEFT_SHAPE(DEPTH, ROWS * COLUMNS), 0.0f));
  ok(weft_reshape(&sparse, t->mask, WEFT_SHAPE(DEPTH, ROWS * COLUMNS)));
  ok(weft_add(&zeros, zeros, sparse));
  ok(weft_csr_from_dense(&t->matrix, ctx, zeros));
  weft_release(&zeros, &sparse);
}

static void release(things *t) {
  weft_release(&t->cube, &t->flat, &t->rows, &t->index, &t->row_index, &t->mask, &t->bytes, &t->matrix);
}

static void copy_turned(weft_array **y, const things *t, int a, int b, int c) {
  weft_array *view = NULL;
  ok(weft_transpose(&view, t->cube, WEFT_AXES(a, b, c)));
  ok(weft_copy(y, view));
  weft_release(&view);
}

static void copy_part(weft_array **y, const things *t, const char *part) {
  weft_array *view = NULL;
  ok(weft_view(&view, t->flat, part));
  ok(weft_copy(y, view));
  weft_release(&view);
}

/// Puts values at places of zeros; by indices, and to every third place.
static void put(weft_array **y, const things *t, int which) {
  weft_array *values = NULL, *view = NULL;
  const weft_dtype dtype = weft_array_dtype(t->cube);
  ok(weft_zeros(y, ctx, dtype, which == 1 ? WEFT_SHAPE(DEPTH, ROWS * COLUMNS) : WEFT_SHAPE(ALL)));
  if (which == 2) {
    ok(weft_view(&view, *y, "1::3"));
    ok(weft_view(&values, t->flat, "1::3"));
    ok(weft_copy(&view, values));
  } else {
    ok(weft_take(&values, which ? t->rows : t->flat, which ? t->row_index : t->index, 0));
    ok(weft_scatter(*y, which ? t->row_index : t->index, values, 0));
  }
  weft_release(&values, &view);
}

enum { CASES = 16 };

/// Sums of parts of the floats, one of them empty.
static void add_segments(weft_array **y, const things *t) {
  static const int64_t offsets[] = {0, 31, 31, 95, 4000, ALL};
  weft_array *at = NULL, *numbers = NULL;
  ok(weft_cast(&numbers, t->mask, WEFT_F32));
  ok(weft_multiply(&numbers, numbers, 0.1f));
  ok(weft_from_host(&at, ctx, WEFT_I64, WEFT_SHAPE(6), offsets));
  ok(weft_reduce_segments(y, numbers, at));
  weft_release(&at, &numbers);
}

/// Makes case `which`; returns the launches.
static uint64_t run(weft_array **y, int which, const things *t) {
  static const int turns[][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const char *const parts[] = {"::-1", "1::2", "::3", "2::4", "::5", "::-2"};
  const uint64_t before = launches();
  if (which < 5)
    copy_turned(y, t, turns[which][0], turns[which][1], turns[which][2]);
  else if (which < 11)
    copy_part(y, t, parts[which - 5]);
  else if (which < 14)
    put(y, t, which - 11);
  else if (which == 14)
    ok(weft_csr_to_dense(y, t->matrix));
  else
    add_segments(y, t);
  return launches() - before;
}

/// Every case with two dtypes of the list.
START_TEST(same_bits)
{
  static char got[BY_THREAD_MOST * 8], wanted[BY_THREAD_MOST * 8];
  harness_random random = harness_random_start(6);
  for (int which = 0; which < 2 * CASES; which++) {
    static things t;
    static weft_dtype dtype;
    weft_array *first = NULL, *y = NULL;
    uint64_t made = 1;
    char what[60];
    if (which % CASES == 0) {
      do dtype = dtypes[harness_between(&random, 0, DTYPES - 1)];
      while (!harness_has_dtype(dtype));
      make(&t, dtype, &random);
    }
    ok(weft_profile_start(ctx)); /* launched */
    ck_assert_uint_gt(run(&first, which % CASES, &t), 0);
    ok(weft_profile_stop(ctx));
    for (int turn = 0; turn < 12 && (turn < 4 || made > 0); turn++) { /* each may have other memory of the pool */
      weft_array_release(&y);
      made = run(&y, which % CASES, &t);
      ok(weft_context_wait(ctx));
    }
    snprintf(what, sizeof what, "case %d of %s", which % CASES, weft_dtype_name(dtype));
    if (has_twins()) ck_assert_msg(made == 0, "%s: %d launches", what, (int)made);
    const size_t bytes = (size_t)weft_array_size_bytes(first);
    ck_assert_msg((size_t)weft_array_size_bytes(y) == bytes, "%s: another size", what);
    ok(weft_to_host(got, bytes, y));
    ok(weft_to_host(wanted, bytes, first));
    check_same(got, wanted, WEFT_U8, (int64_t)bytes, what);
    weft_release(&first, &y);
    if (which % CASES == CASES - 1) release(&t);
  }
  harness_count(2 * CASES);
}
END_TEST

/// Indices out of range are reported, also one whose place no number can hold; to the others values are put.
START_TEST(out_of_range)
{
  static const float numbers[4] = {1, 2, 3, 4};
  static const int64_t wrong[][3] = {{0, -5, 1}, {0, INT64_MAX - 1, 1}};
  static const char *const message[] = {"index -5 at position 1", "index 9223372036854775806 at position 1"};
  for (int k = 0; k < 2; k++) {
    weft_array *x = NULL, *index = NULL, *y = NULL;
    float back[4];
    ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(4), numbers));
    ok(weft_from_host(&index, ctx, WEFT_I64, WEFT_SHAPE(3), wrong[k]));
    for (int turn = 0; turn < 8; turn++) {
      const bool puts = turn >= 4;
      ok(puts ? weft_scatter(x, index, 10 + turn, 0) : weft_take(&y, x, index, 0));
      ck_assert_int_eq(weft_context_wait(ctx), WEFT_ERROR_INDEX);
      ck_assert_ptr_nonnull(strstr(weft_error_last()->message, message[k]));
      ok(weft_to_host(back, sizeof back, x));
      for (int i = 0; i < 4; i++) ck_assert_float_eq(back[i], puts && i < 2 ? (float)(10 + turn) : numbers[i]);
      weft_array_release(&y);
    }
    for (int turn = 0; turn < 4; turn++) { /* to each element once, though the launch comes behind an attempt */
      ok(weft_scatter_add(x, index, 1, 0));
      ck_assert_int_eq(weft_context_wait(ctx), WEFT_ERROR_INDEX);
      ok(weft_to_host(back, sizeof back, x));
      for (int i = 0; i < 4; i++) ck_assert_float_eq(back[i], i < 2 ? (float)(18 + turn) : numbers[i]);
    }
    weft_release(&x, &index);
    harness_count(1);
  }
}
END_TEST

/// The first elements of a large array decide any and all; if they do not, a later one does.
START_TEST(first_elements)
{
  enum { LARGE = 3000000 };
  weft_array *x = NULL, *one = NULL, *y = NULL;
  const int64_t places[] = {5, 20000, LARGE - 1};
  ok(weft_zeros(&x, ctx, WEFT_BOOL, WEFT_SHAPE(LARGE)));
  for (int k = -1; k < 3; k++) {
    uint64_t made = 0;
    if (k >= 0) ok(weft_slice(&one, x, 0, places[k], places[k] + 1));
    if (k >= 0) ok(weft_fill(one, 1));
    for (int turn = 0; turn < 6; turn++) {
      bool any = k < 0, all = true;
      ok(weft_context_wait(ctx));
      made = launches();
      ok(weft_any(&y, x, WEFT_ALL_AXES));
      made = launches() - made;
      ok(weft_to_host(&any, 1, y));
      weft_array_release(&y);
      ok(weft_all(&y, x, WEFT_ALL_AXES));
      ok(weft_to_host(&all, 1, y));
      weft_array_release(&y);
      ck_assert(any == (k >= 0) && !all);
    }
    if (k == 0 && has_twins()) ck_assert_uint_eq(made, 0);
    if (k >= 0) ok(weft_fill(one, 0));
    weft_array_release(&one);
  }
  weft_release(&x);
  harness_count(1);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "places");
  tcase_add_test(c, same_bits);
  tcase_add_test(c, out_of_range);
  tcase_add_test(c, first_elements);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "twin_places", .add = add});
}

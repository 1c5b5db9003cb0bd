// SPDX-License-Identifier: MIT
/// Arrays joined, repeated and rotated: random cases against each element's expected source, bit by bit, in every
/// layout.

#include "samples.h"

enum { CASES = 60, MOST = 6000 };

/* ---- roll ---- */

typedef struct roll_arguments {
  int axis; /* WEFT__EVERY_AXIS: flat; -100: all shifts of `shifts` */
  weft_shape shifts;
} roll_arguments;

static int64_t modulo(int64_t a, int64_t n) {
  return (a % n + n) % n;
}

static weft_status call_roll(weft_operand out, weft_operand x, const void *arguments) {
  const roll_arguments *a = arguments;
  if (a->axis == -100)
    return weft_roll(out, x, a->shifts, ((weft_axes){.count = a->shifts.ndim, .axis = {0, 1, 2, 3}}));
  return weft_roll(out, x, a->shifts.dim[0], a->axis);
}

static int64_t source_roll(const int64_t *place, weft_shape from, const void *arguments) {
  const roll_arguments *a = arguments;
  int64_t at[WEFT_MAX_NDIM];
  if (a->axis == WEFT__EVERY_AXIS) return modulo(number_of(place, from) - a->shifts.dim[0], shape_count(from));
  for (int d = 0; d < from.ndim; d++) {
    int64_t shift = a->axis == -100                                      ? a->shifts.dim[d]
                    : d == (a->axis < 0 ? a->axis + from.ndim : a->axis) ? a->shifts.dim[0]
                                                                         : 0;
    at[d] = modulo(place[d] - shift, from.dim[d]);
  }
  return number_of(at, from);
}

START_TEST(rolls)
{
  harness_random random = harness_random_start(1);
  for (int k = 0; k < CASES; k++) {
    int ndim = (int)harness_between(&random, 1, 4);
    weft_shape shape = random_shape(&random, ndim, MOST);
    roll_arguments a = {.axis = (int)harness_between(&random, -ndim, ndim - 1), .shifts = {.ndim = ndim}};
    if (harness_between(&random, 0, 3) == 0) a.axis = harness_between(&random, 0, 1) ? -100 : WEFT__EVERY_AXIS;
    for (int d = 0; d < ndim; d++)
      a.shifts.dim[d] = harness_between(&random, -12, 12) * (harness_between(&random, 0, 9) ? 1 : 1000001);
    const moving m = {"roll", shape, shape, &a, call_roll, source_roll, {0}};
    try_moving(&m, &random, random_dtype(&random));
  }
}
END_TEST

START_TEST(options_left_out)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 1, 5, 1));
  ok(weft_reshape(&y, x, WEFT_SHAPE(2, 2)));
  weft_array_release(&x);
  ok((weft_roll)(&x, y, WEFT_SHAPE(1, 2), WEFT_ALL_AXES)); /* as one axis, by the sum of the shifts */
  check_elements(x, (const int32_t[]){2, 3, 4, 1}, 4, "roll of all");
  ok(weft_roll(&x, y, 1, WEFT_AXES(0, 1)));
  check_elements(x, (const int32_t[]){4, 3, 2, 1}, 4, "roll of two");
  ok(weft_tril(&x, y));
  check_elements(x, (const int32_t[]){1, 0, 3, 4}, 4, "tril");
  ok(weft_eye(&x, NULL, WEFT_I32, 2));
  check_elements(x, (const int32_t[]){1, 0, 0, 1}, 4, "eye");
  weft_array_release(&x);
  ok((weft_pad)(&x, y, WEFT_SHAPE(0), WEFT_SHAPE(0, 1), NULL));
  check_elements(x, (const int32_t[]){1, 2, 0, 3, 4, 0}, 6, "pad");
  weft_array_release(&x);
  ok(weft_diff(&x, y, 0));
  check_elements(x, (const int32_t[]){2, 2}, 2, "diff");
  weft_array_release(&x);
  ok(weft_repeat(&x, y, (uint8_t)2, WEFT_ALL_AXES));
  check_elements(x, (const int32_t[]){1, 1, 2, 2, 3, 3, 4, 4}, 8, "repeat");
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

/* ---- repeat, tile ---- */

typedef struct repeat_arguments {
  int axis;
  int64_t count;
  weft_shape reps;
} repeat_arguments;

static weft_status call_repeat(weft_operand out, weft_operand x, const void *arguments) {
  const repeat_arguments *a = arguments;
  return weft_repeat(out, x, a->count, a->axis);
}

static int64_t source_repeat(const int64_t *place, weft_shape from, const void *arguments) {
  const repeat_arguments *a = arguments;
  int64_t at[WEFT_MAX_NDIM];
  if (a->axis == WEFT__EVERY_AXIS) return place[0] / a->count;
  memcpy(at, place, sizeof at);
  at[a->axis < 0 ? a->axis + from.ndim : a->axis] /= a->count;
  return number_of(at, from);
}

START_TEST(repeats)
{
  harness_random random = harness_random_start(2);
  for (int k = 0; k < CASES; k++) {
    int ndim = (int)harness_between(&random, 0, 4);
    weft_shape shape = random_shape(&random, ndim, MOST / 4);
    repeat_arguments a = {.axis = WEFT__EVERY_AXIS,
                          .count = harness_between(&random, 0, 20) ? harness_between(&random, 1, 8) : 0};
    weft_shape to = WEFT_SHAPE(shape_count(shape) * a.count);
    if (ndim > 0 && harness_between(&random, 0, 3)) {
      a.axis = (int)harness_between(&random, -ndim, ndim - 1);
      to = shape;
      to.dim[a.axis < 0 ? a.axis + ndim : a.axis] *= a.count;
    }
    const moving m = {"repeat", shape, to, &a, call_repeat, source_repeat, {0}};
    try_moving(&m, &random, random_dtype(&random));
  }
}
END_TEST

static weft_status call_tile(weft_operand out, weft_operand x, const void *arguments) {
  const repeat_arguments *a = arguments;
  return weft_tile(out, x, a->reps);
}

static int64_t source_tile(const int64_t *place, weft_shape from, const void *arguments) {
  const repeat_arguments *a = arguments;
  int64_t at[WEFT_MAX_NDIM];
  int more = a->reps.ndim > from.ndim ? a->reps.ndim - from.ndim : 0;
  for (int d = 0; d < from.ndim; d++) at[d] = place[d + more] % from.dim[d];
  return number_of(at, from);
}

START_TEST(tiles)
{
  harness_random random = harness_random_start(3);
  for (int k = 0; k < CASES; k++) {
    int ndim = k == 0 ? 8 : (int)harness_between(&random, 0, 4),
        reps = k == 0 ? 8 : (int)harness_between(&random, 0, 4);
    weft_shape shape = random_shape(&random, ndim, k == 0 ? 300 : MOST / 8), to = {.ndim = ndim > reps ? ndim : reps};
    repeat_arguments a = {.reps = random_shape(&random, reps, 8)};
    for (int d = 0; d < to.ndim; d++)
      to.dim[d] = (d >= to.ndim - ndim ? shape.dim[d - (to.ndim - ndim)] : 1) *
                  (d >= to.ndim - reps ? a.reps.dim[d - (to.ndim - reps)] : 1);
    const moving m = {"tile", shape, to, &a, call_tile, source_tile, {0}};
    try_moving(&m, &random, random_dtype(&random));
  }
}
END_TEST

/* Eight axes, each repeated twice, none of which merge: the largest number. */
START_TEST(tile_of_all_axes)
{
  harness_random random = harness_random_start(4);
  repeat_arguments a = {.reps = WEFT_SHAPE(2, 2, 2, 2, 2, 2, 2, 2)};
  const moving m = {
      "tile", WEFT_SHAPE(2, 2, 2, 1, 2, 2, 2, 2), WEFT_SHAPE(4, 4, 4, 2, 4, 4, 4, 4), &a, call_tile, source_tile, {0}};
  try_moving(&m, &random, harness_has_dtype(WEFT_C128) ? WEFT_C128 : WEFT_C64);
}
END_TEST

/* ---- repeat with counts ---- */

START_TEST(repeats_each)
{
  harness_random random = harness_random_start(5);
  static const weft_dtype count_dtypes[] = {WEFT_I64, WEFT_I32, WEFT_U8, WEFT_BOOL, WEFT_U64};
  for (int k = 0; k < CASES; k++) {
    int ndim = (int)harness_between(&random, 1, 3);
    weft_shape shape = random_shape(&random, ndim, MOST / 4);
    int axis = harness_between(&random, 0, 3) ? (int)harness_between(&random, 0, ndim - 1) : WEFT__EVERY_AXIS;
    weft_dtype dtype = random_dtype(&random), count_dtype = count_dtypes[harness_between(&random, 0, 4)];
    size_t size = weft_dtype_size_bytes(dtype), count_size = weft_dtype_size_bytes(count_dtype);
    int64_t length = axis == WEFT__EVERY_AXIS ? shape_count(shape) : shape.dim[axis], total = 0, outer = 1, inner = 1;
    int64_t most = count_dtype == WEFT_BOOL ? 1 : harness_between(&random, 0, 5) ? 4 : 60;
    bool one = harness_between(&random, 0, 9) == 0, few = harness_between(&random, 0, 3) == 0;
    int64_t *counts = calloc((size_t)length + 1, sizeof *counts);
    unsigned char *stored = calloc((size_t)length + 1, count_size);
    for (int64_t i = 0; i < length; i++) {
      uint64_t bits = harness_bits(&random); /* harness_between is too slow here */
      counts[i] = one && i > 0 ? counts[0] : few && bits % 10 ? 0 : (int64_t)(bits / 10 % (uint64_t)(most + 1));
      element_set(count_dtype, stored + (size_t)i * count_size, (double)counts[i], 0);
      total += counts[i];
    }
    for (int d = 0; d < ndim && axis != WEFT__EVERY_AXIS; d++) {
      if (d < axis) outer *= shape.dim[d];
      if (d > axis) inner *= shape.dim[d];
    }
    sample x;
    sample_make(&x, &random, dtype, shape, harness_between(&random, 0, 1));
    unsigned char *expected = malloc((size_t)(outer * total * inner) * size + 1), *at = expected;
    for (int64_t o = 0; o < outer; o++)
      for (int64_t i = 0; i < length; i++)
        for (int64_t c = 0; c < counts[i]; c++, at += (size_t)inner * size)
          memcpy(at, x.values + (size_t)((o * length + i) * inner) * size, (size_t)inner * size);
    weft_array *by = NULL, *out = NULL;
    ok(weft_from_host(&by, ctx, count_dtype, WEFT_SHAPE(one && length > 0 ? 1 : length), stored));
    if (harness_between(&random, 0, 1))
      ok(weft_repeat(&out, x.view, by, axis));
    else
      ok(weft_repeat(&out, x.view, WEFT_HOST(stored, count_dtype, WEFT_SHAPE(length)), axis));
    ck_assert_int_eq(weft_array_length(out, axis == WEFT__EVERY_AXIS ? 0 : axis), total);
    check_elements(out, expected, outer * total * inner, "repeat_each");
    weft_array_release(&out);
    weft_array_release(&by);
    sample_release(&x);
    free(expected);
    free(counts);
    free(stored);
    harness_count(1);
  }
}
END_TEST

/* These counts are many enough to be added up on the device. */
START_TEST(repeats_each_of_many)
{
  enum { N = 70001 };
  harness_random random = harness_random_start(10);
  int64_t total = 0;
  int32_t *counts = malloc(N * sizeof *counts);
  uint16_t *data = malloc(N * sizeof *data), *expected = malloc(4 * N * sizeof *expected);
  for (int i = 0; i < N; i++) {
    uint64_t bits = harness_bits(&random);
    data[i] = (uint16_t)bits;
    counts[i] = (int32_t)(bits >> 20 & 3);
    for (int c = 0; c < counts[i]; c++) expected[total++] = data[i];
  }
  weft_array *x = NULL, *by = NULL, *out = NULL;
  ok(weft_from_host(&x, ctx, WEFT_U16, WEFT_SHAPE(N), data));
  ok(weft_from_host(&by, ctx, WEFT_I32, WEFT_SHAPE(N), counts));
  ok(weft_repeat(&out, x, by, 0));
  check_elements(out, expected, total, "repeat_each of many");
  weft_array_release(&by);
  counts[N - 2] = -3;
  ok(weft_from_host(&by, ctx, WEFT_I32, WEFT_SHAPE(N), counts));
  expect_error(weft_repeat(&out, x, by, 0), WEFT_ERROR_ARGUMENT, "-3 at position 69999", "@counts");
  weft_array_release(&x);
  weft_array_release(&by);
  weft_array_release(&out);
  free(counts);
  free(data);
  free(expected);
}
END_TEST

/* ---- pad ---- */

typedef struct pad_arguments {
  weft_shape before, after;
  weft_pad_mode mode;
  bool has_value;
} pad_arguments;

static weft_status call_pad(weft_operand out, weft_operand x, const void *arguments) {
  const pad_arguments *a = arguments;
  if (a->has_value) return weft_pad(out, x, a->before, a->after, .value = WEFT_SCALAR(1));
  return weft_pad(out, x, a->before, a->after, .mode = a->mode);
}

/* Walks one step at a time from the edge, and turns round where the mode requires it. */
static int64_t walk(int64_t t, int64_t n, weft_pad_mode mode) {
  int64_t at = t < 0 ? 0 : n - 1, steps = t < 0 ? -t : t - (n - 1), way = t < 0 ? 1 : -1;
  if (t >= 0 && t < n) return t;
  if (mode == WEFT_PAD_CONSTANT) return -1;
  if (mode == WEFT_PAD_EDGE || n == 1) return at;
  for (bool first = true; steps > 0; steps--, first = false) {
    if (mode == WEFT_PAD_WRAP) {
      at = modulo(at - way, n);
    } else if (mode == WEFT_PAD_SYMMETRIC) {
      if (first) continue; /* the edge is repeated */
      if (at + way < 0 || at + way >= n)
        way = -way;
      else
        at += way;
    } else {
      if (at + way < 0 || at + way >= n) way = -way;
      at += way;
    }
  }
  return at;
}

static int64_t source_pad(const int64_t *place, weft_shape from, const void *arguments) {
  const pad_arguments *a = arguments;
  int64_t at[WEFT_MAX_NDIM];
  for (int d = 0; d < from.ndim; d++) {
    at[d] = walk(place[d] - a->before.dim[a->before.ndim == 1 ? 0 : d], from.dim[d], a->mode);
    if (at[d] < 0) return -1;
  }
  return number_of(at, from);
}

START_TEST(pads)
{
  harness_random random = harness_random_start(6);
  for (int k = 0; k < 2 * CASES; k++) {
    int ndim = (int)harness_between(&random, 1, 4);
    weft_shape shape = random_shape(&random, ndim, 1000), to = {.ndim = ndim};
    weft_dtype dtype = random_dtype(&random);
    pad_arguments a = {.mode = (weft_pad_mode)harness_between(&random, 0, 4)};
    a.has_value = a.mode == WEFT_PAD_CONSTANT && harness_between(&random, 0, 1);
    a.before = (weft_shape){.ndim = harness_between(&random, 0, 4) ? ndim : 1};
    a.after = (weft_shape){.ndim = harness_between(&random, 0, 4) ? ndim : 1};
    for (int d = 0; d < ndim; d++) {
      bool empty = shape_count(shape) == 0 && a.mode != WEFT_PAD_CONSTANT;
      int64_t most = empty ? 0 : harness_between(&random, 0, 4) ? 3 : ndim == 1 ? 700 : 12;
      a.before.dim[d] = d < a.before.ndim ? harness_between(&random, 0, most) : 0;
      a.after.dim[d] = d < a.after.ndim ? harness_between(&random, 0, most) : 0;
    }
    for (int d = 0; d < ndim; d++)
      to.dim[d] = shape.dim[d] + a.before.dim[a.before.ndim == 1 ? 0 : d] + a.after.dim[a.after.ndim == 1 ? 0 : d];
    moving m = {"pad", shape, to, &a, call_pad, source_pad, {0}};
    if (a.has_value) element_set(dtype, m.fill, 1, 0);
    try_moving(&m, &random, dtype);
  }
}
END_TEST

/* ---- triangles and diagonals ---- */

typedef struct diagonal_arguments {
  int64_t k;
  bool lower;
} diagonal_arguments;

static weft_status call_triangle(weft_operand out, weft_operand x, const void *arguments) {
  const diagonal_arguments *a = arguments;
  return a->lower ? weft_tril(out, x, .k = a->k) : weft_triu(out, x, .k = a->k);
}

static int64_t source_triangle(const int64_t *place, weft_shape from, const void *arguments) {
  const diagonal_arguments *a = arguments;
  int64_t across = place[from.ndim - 1] - place[from.ndim - 2];
  if (a->lower ? across > a->k : across < a->k) return -1;
  return number_of(place, from);
}

START_TEST(triangles)
{
  harness_random random = harness_random_start(7);
  for (int k = 0; k < CASES; k++) {
    weft_shape shape = random_shape(&random, (int)harness_between(&random, 2, 4), MOST);
    diagonal_arguments a = {harness_between(&random, -12, 12), harness_between(&random, 0, 1)};
    if (k == 0) a.k = INT64_MAX;
    if (k == 1) a.k = INT64_MIN;
    const moving m = {a.lower ? "tril" : "triu", shape, shape, &a, call_triangle, source_triangle, {0}};
    try_moving(&m, &random, random_dtype(&random));
  }
}
END_TEST

static weft_status call_diag(weft_operand out, weft_operand x, const void *arguments) {
  const diagonal_arguments *a = arguments;
  return weft_diag(out, x, .k = a->k);
}

static int64_t source_diag(const int64_t *place, weft_shape from, const void *arguments) {
  const diagonal_arguments *a = arguments;
  (void)from;
  return place[1] - place[0] == a->k ? (a->k > 0 ? place[0] : place[1]) : -1;
}

START_TEST(diagonal_matrices)
{
  harness_random random = harness_random_start(8);
  for (int k = 0; k < CASES / 2; k++) {
    weft_shape shape = random_shape(&random, 1, 60);
    diagonal_arguments a = {harness_between(&random, -9, 9), false};
    int64_t side = shape.dim[0] + llabs(a.k);
    const moving m = {"diag", shape, WEFT_SHAPE(side, side), &a, call_diag, source_diag, {0}};
    try_moving(&m, &random, random_dtype(&random));
  }
}
END_TEST

static void check_ones(harness_random *random, weft_dtype dtype, weft_shape shape, int64_t k, bool is_lower) {
  const size_t size = weft_dtype_size_bytes(dtype);
  const int64_t rows = shape.dim[0], columns = shape.dim[1], count = rows * columns;
  const char *const what = is_lower ? "tri" : "eye";
  unsigned char *expected = calloc((size_t)count + 1, size);
  weft_array *y = NULL;
  sample s;
  for (int64_t i = 0; i < count; i++) {
    const int64_t across = i % columns - i / columns;
    if (is_lower ? across <= k : across == k) element_set(dtype, expected + (size_t)i * size, 1, 0);
  }
#define CALL(out, context)                                                           \
  (is_lower ? weft_tri(out, context, dtype, rows, .columns = columns, .k = k) \
            : weft_eye(out, context, dtype, rows, .columns = columns, .k = k))
  ok(CALL(&y, ctx));
  check_elements(y, expected, count, what);
  ok(weft_fill(y, 3));
  ok(CALL(&y, NULL));
  check_elements(y, expected, count, what);
  weft_array_release(&y);
  for (int is_plain = 0; is_plain < 2; is_plain++) {
    sample_make(&s, random, dtype, shape, is_plain);
    ok(CALL(&s.view, NULL));
    sample_check(&s, expected, what);
    sample_release(&s);
  }
#undef CALL
  free(expected);
  harness_count(1);
}

START_TEST(eyes)
{
  harness_random random = harness_random_start(9);
  for (int k = 0; k < CASES / 2; k++) {
    int64_t rows = harness_between(&random, 0, 40), columns = harness_between(&random, 1, 40),
            across = harness_between(&random, -9, 9);
    if (k < 4) across = k % 2 ? INT64_MIN : INT64_MAX;
    if (k == 4 || k == 5) rows = 1, columns = 700;
    if (k == 6) rows = 0;
    if (rows == 0) columns = 0;
    const weft_dtype dtype = k % 8 == 7 ? WEFT_BOOL : random_dtype(&random);
    for (int is_lower = 0; is_lower < 2; is_lower++)
      check_ones(&random, dtype, WEFT_SHAPE(rows, columns), across, is_lower);
  }
}
END_TEST

/* ---- results that GPUs write by two launches ---- */

static void check_roll(const weft_array *x, const float *data, int64_t n, int64_t shift, float *room) {
  weft_array *y = NULL;
  ok(weft_roll(&y, x, shift, 0));
  ok(weft_to_host(room, (size_t)n * sizeof *room, y));
  for (int64_t i = 0; i < n; i++)
    if (room[i] != data[modulo(i - shift, n)]) ck_abort_msg("roll by %" PRId64 ": element %" PRId64, shift, i);
  weft_array_release(&y);
}

START_TEST(of_many_bytes)
{
  enum { SIDE = 2900, N = SIDE * SIDE };
  weft_array *x = NULL, *y = NULL, *row = NULL;
  float *data = malloc(N * sizeof *data), *room = malloc(N * sizeof *room);
  ck_assert(data && room);
  for (int64_t i = 0; i < N; i++) data[i] = (float)(i % 8191 + 1);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), data));
  check_roll(x, data, N, 12345, room);
  check_roll(x, data, N, -3, room);
  for (int64_t k = -2; k <= 5; k += 7) {
    ok(weft_eye(&y, ctx, WEFT_F32, SIDE, .columns = SIDE, .k = k));
    ok(weft_to_host(room, N * sizeof *room, y));
    for (int64_t i = 0; i < N; i++)
      if (room[i] != (i % SIDE - i / SIDE == k)) ck_abort_msg("eye, %" PRId64 ": element %" PRId64, k, i);
    ok(weft_from_host(&row, ctx, WEFT_F32, WEFT_SHAPE(SIDE - llabs(k)), data));
    ok(weft_diag(&y, row, .k = k));
    ok(weft_to_host(room, N * sizeof *room, y));
    for (int64_t i = 0; i < N; i++) {
      const int64_t r = i / SIDE, c = i % SIDE;
      if (room[i] != (c - r == k ? data[k > 0 ? r : c] : 0)) ck_abort_msg("diag, %" PRId64 ": element %" PRId64, k, i);
    }
    weft_array_release(&row);
  }
  weft_release(&x, &y);
  free(data);
  free(room);
}
END_TEST

/* ---- more elements than 32 bits count ---- */

static unsigned char where(int64_t i) {
  return (unsigned char)((uint64_t)i * 2654435761u >> 24);
}

static void check_where(const weft_array *x, unsigned char *room, int64_t n, int64_t shift, int64_t period,
                        const char *what) {
  ok(weft_to_host(room, (size_t)n, x));
  for (int64_t i = 0; i < n; i++)
    if (room[i] != where((i + shift) % period)) ck_abort_msg("%s: element %" PRId64 " of %" PRId64, what, i, n);
}

START_TEST(over_two_to_the_32_bytes)
{
  const int64_t half = (INT64_C(1) << 31) + 2053, n = 2 * half;
  if (!harness_large("over_two_to_the_32_bytes", 24)) return;
  weft_array *x = NULL, *y = NULL, *part[2] = {NULL, NULL}, *pair = NULL;
  unsigned char *data = malloc((size_t)n);
  ck_assert_ptr_nonnull(data);
  for (int64_t i = 0; i < half; i++) data[i] = where(i);
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(half), data));
  ok(weft_tile(&y, x, WEFT_SHAPE(2)));
  check_where(y, data, n, 0, half, "tile");
  ok(weft_roll(&y, y, -12345, 0));
  check_where(y, data, n, 12345, half, "roll");
  ok(weft_split(part, y, 2, 0));
  weft_array *const parts[] = {part[1], part[0]};
  weft_array_release(&x);
  ok(weft_concatenate(&x, parts, 2, 0));
  check_where(x, data, n, 12345, half, "concatenate");
  weft_array_release(&y);
  weft_array_release(&x);
  const int64_t counts[] = {half, half};
  const unsigned char two[] = {3, 250};
  ok(weft_from_host(&pair, ctx, WEFT_U8, WEFT_SHAPE(2), two));
  ok(weft_repeat(&x, pair, WEFT_HOST(counts, WEFT_I64, WEFT_SHAPE(2)), 0));
  ok(weft_to_host(data, (size_t)n, x));
  for (int64_t i = 0; i < n; i++)
    if (data[i] != two[i >= half]) ck_abort_msg("repeat_each: element %" PRId64, i);
  weft_array_release(&x);
  weft_array_release(&pair);
  weft_array_release(&part[0]);
  weft_array_release(&part[1]);
  free(data);
}
END_TEST

/* ---- bits ---- */

/// Packs a random array of `shape` along its middle axis, and unpacks it again, with the lowest bit first and with it
/// last.
static void check_bits(harness_random *random, weft_dtype dtype, int64_t outer, int64_t length, int64_t inner,
                       bool little) {
  const int64_t bytes = (length + 7) / 8, count = outer * length * inner;
  const size_t size = weft_dtype_size_bytes(dtype);
  unsigned char *data = calloc((size_t)count + 1, size), *packed = calloc((size_t)(outer * bytes * inner) + 1, 1);
  unsigned char *bits = malloc((size_t)(outer * bytes * 8 * inner) + 1);
  for (int64_t k = 0; k < count; k++) {
    const uint64_t word = harness_bits(random);
    const int64_t at = k / inner % length, o = k / inner / length;
    if (word & 1) element_set(dtype, data + (size_t)k * size, dtype == WEFT_BOOL ? 1 : (double)(1 + (word >> 60)), 0);
    packed[(o * bytes + at / 8) * inner + k % inner] |= (unsigned char)((word & 1) << (little ? at % 8 : 7 - at % 8));
  }
  for (int64_t k = 0; k < outer * bytes * 8 * inner; k++) {
    const int64_t at = k / inner % (bytes * 8), o = k / inner / (bytes * 8);
    bits[k] = packed[(o * bytes + at / 8) * inner + k % inner] >> (little ? at % 8 : 7 - at % 8) & 1;
  }
  weft_array *x = NULL, *y = NULL, *back = NULL;
  ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(outer, length, inner), data));
  ok(weft_packbits(&y, x, little ? 1 : -2, .little = little));
  ck_assert(weft_array_ndim(y) == 3 && weft_array_length(y, 1) == bytes && weft_array_dtype(y) == WEFT_U8);
  check_elements(y, packed, outer * bytes * inner, "packbits");
  ok(weft_unpackbits(&back, y, 1, .little = little));
  ck_assert_int_eq(weft_array_length(back, 1), bytes * 8);
  check_elements(back, bits, outer * bytes * 8 * inner, "unpackbits");
  weft_array_release(&back);
  ok(weft_unpackbits(&back, y, WEFT_AXES(1), .count = little && length % 8 ? length - bytes * 8 : length,
                     .little = little));
  for (int64_t k = 0; k < count; k++) bits[k] = data[(size_t)k * size] != 0;
  check_elements(back, bits, count, "unpackbits of all but the end");
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&back);
  free(data);
  free(packed);
  free(bits);
  harness_count(1);
}

START_TEST(packs_and_unpacks_bits)
{
  static const weft_dtype dtypes[] = {WEFT_BOOL, WEFT_U8, WEFT_I16, WEFT_I32, WEFT_U64};
  static const int64_t shapes[][3] = {{1, 1, 1},    {1, 7, 1},     {1, 8, 1},    {1, 9, 1},     {2, 16, 3},
                                      {3, 17, 1},   {1, 8191, 1},  {1, 8192, 1}, {1, 8193, 1},  {5, 1023, 7},
                                      {300, 5, 1},  {1, 3, 2049},  {40, 64, 40}, {1, 70001, 1}, {7, 1, 7},
                                      {2, 4097, 9}, {1, 15, 1024}, {4096, 9, 1}};
  harness_random random = harness_random_start(11);
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int little = 0; little < 2; little++)
      check_bits(&random, dtypes[(k + (size_t)little) % 5], shapes[k][0], shapes[k][1], shapes[k][2], little);
}
END_TEST

START_TEST(bits_of_nothing_and_more)
{
  weft_array *x = NULL, *y = NULL;
  const int32_t data[] = {1, 0, -5, 0, 0, 0, 0, 0, 256};
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(3, 3), data));
  ok(weft_packbits(&y, x, WEFT_ALL_AXES));
  check_elements(y, (const uint8_t[]){0xa0, 0x80}, 2, "of all axes");
  weft_array_release(&y);
  ok(weft_packbits(&y, x, WEFT_ALL_AXES, .little = true));
  check_elements(y, (const uint8_t[]){0x05, 0x01}, 2, "of all axes, the lowest bit first");
  weft_array_release(&x);
  ok(weft_unpackbits(&x, y, 0, .count = 18, .little = true));
  check_elements(x, (const uint8_t[]){1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 18,
                 "two more than there are");
  weft_array_release(&x);
  expect_error(weft_unpackbits(&x, y, 0, .count = -17), WEFT_ERROR_ARGUMENT, "weft_unpackbits", "-17", "16 bits",
               "@count");
  expect_error(weft_unpackbits(&x, y, 1, .count = 1), WEFT_ERROR_AXIS, "@axis");
  expect_error(weft_packbits(&x, y, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "2 axes were given; expected one", "@axis");
  expect_error(weft_unpackbits(&x, y, weft_keepdims(0)), WEFT_ERROR_AXIS, "weft_keepdims was given", "@axis");
  expect_error(weft_unpackbits(&x, WEFT_HOST(data, WEFT_I32, WEFT_SHAPE(9)), 0), WEFT_ERROR_DTYPE, "i32", "expected u8",
               "@x");
  expect_error(weft_packbits(&x, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(9)), 0, .little = true), WEFT_ERROR_DTYPE,
               "weft_packbits", "f32", "@x");
  weft_array_release(&y);
  ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(2, 0)));
  ok(weft_packbits(&y, x, 0));
  ck_assert(weft_array_length(y, 0) == 1 && weft_array_size(y) == 0);
  weft_array_release(&y);
  ok(weft_unpackbits(&y, x, 1, .count = 2));
  check_elements(y, (const uint8_t[]){0, 0, 0, 0}, 4, "of nothing");
  weft_array_release(&y);
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *moves = harness_context_case(suite, "moves");
  tcase_add_test(moves, options_left_out);
  tcase_add_test(moves, rolls);
  tcase_add_test(moves, repeats);
  tcase_add_test(moves, tiles);
  tcase_add_test(moves, tile_of_all_axes);
  tcase_add_test(moves, repeats_each);
  tcase_add_test(moves, repeats_each_of_many);
  tcase_add_test(moves, pads);
  TCase *matrices = harness_context_case(suite, "matrices");
  tcase_add_test(matrices, triangles);
  tcase_add_test(matrices, diagonal_matrices);
  tcase_add_test(matrices, eyes);
  tcase_add_test(matrices, of_many_bytes);
  TCase *bits = harness_context_case(suite, "bits");
  tcase_add_test(bits, packs_and_unpacks_bits);
  tcase_add_test(bits, bits_of_nothing_and_more);
  tcase_add_test(harness_context_case(suite, "large"), over_two_to_the_32_bytes);
}

int main(void) {
  const harness_suite suite = {.name = "rearrange", .add = add};
  return harness_main(&suite);
}

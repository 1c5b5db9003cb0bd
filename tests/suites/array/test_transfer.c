// SPDX-License-Identifier: MIT
/// Asynchronous and strided copies against plain C: the copied elements, and unchanged bytes around them on both sides.
#include "harness.h"
#include "views.h"

/* ck_assert writes to a pipe each time: too slow for millions of elements */
#define each(condition)                                              \
  do {                                                               \
    if (!(condition)) ck_abort_msg("does not hold: %s", #condition); \
  } while (0)

enum { MOST_AXES = 5 };

/// Host elements: a block of random bytes, in which the elements of a shape have their own strides.
typedef struct place {
  unsigned char *block, *expected, *data; /* data: the element with index 0 */
  size_t block_bytes;
  int64_t stride[WEFT_MAX_NDIM];
} place;

/// Axes in any order, with gaps of any number of bytes, forwards and backwards.
static place place_make(harness_random *random, weft_shape shape, int64_t element, bool plain) {
  place p = {0};
  int order[WEFT_MAX_NDIM];
  int64_t step = element, before = 0;
  for (int d = 0; d < shape.ndim; d++) order[d] = d;
  for (int d = shape.ndim - 1; d > 0 && !plain && harness_between(random, 0, 1); d--) {
    int other = (int)harness_between(random, 0, d), kept = order[d];
    order[d] = order[other];
    order[other] = kept;
  }
  bool even = harness_between(random, 0, 1);
  for (int i = shape.ndim - 1; i >= 0; i--) {
    int d = order[i];
    if (!plain && harness_between(random, 0, 2) == 0)
      step += even ? step * harness_between(random, 0, 3) : harness_between(random, 0, 40);
    p.stride[d] = step;
    step *= shape.dim[d] ? shape.dim[d] : 1;
    if (!plain && harness_between(random, 0, 3) == 0) {
      before += (shape.dim[d] ? shape.dim[d] - 1 : 0) * p.stride[d];
      p.stride[d] = -p.stride[d];
    }
  }
  int64_t head = harness_between(random, 0, 20);
  p.block_bytes = (size_t)(head + step + 64);
  p.block = malloc(p.block_bytes);
  p.expected = malloc(p.block_bytes);
  ck_assert(p.block && p.expected);
  for (size_t i = 0; i < p.block_bytes; i++) p.block[i] = (unsigned char)harness_bits(random);
  memcpy(p.expected, p.block, p.block_bytes);
  p.data = p.block + head + before;
  return p;
}

static void place_free(place *p) {
  free(p->block);
  free(p->expected);
}

/// The offset of element i of the shape from `data`.
static int64_t place_of(const place *p, weft_shape shape, int64_t i) {
  int64_t offset = 0;
  for (int d = shape.ndim - 1; d >= 0; d--) {
    offset += i % shape.dim[d] * p->stride[d];
    i /= shape.dim[d];
  }
  return offset;
}

/// An array of random elements, a view of it by slices, flips and transposes, and the positions of the view's elements.
typedef struct sample {
  weft_dtype dtype;
  int64_t element, count;
  weft_array *base, *view;
  model model;
  unsigned char *expected; /* the base's elements */
} sample;

static void replace(weft_array **x, model *m, weft_array *view, model next) {
  weft_array_release(x);
  model_free(m);
  *x = view;
  *m = next;
}

static sample sample_make(harness_random *random, bool large) {
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_F16, WEFT_F32, WEFT_I64, WEFT_C64, WEFT_C128};
  sample s = {.dtype = dtypes[harness_between(random, 0, device.has_fp64 ? 5 : 4)]};
  weft_shape shape = {.ndim = (int)harness_between(random, large ? 2 : 0, large ? 3 : MOST_AXES)};
  s.element = (int64_t)weft_dtype_size_bytes(s.dtype);
  for (int d = 0; d < shape.ndim; d++) shape.dim[d] = harness_between(random, large ? 20 : 1, large ? 90 : 7);
  if (shape.ndim && !large && harness_between(random, 0, 30) == 0) shape.dim[0] = 0;
  s.count = shape_count(shape);
  s.expected = malloc((size_t)(s.count * s.element + 1));
  ck_assert_ptr_nonnull(s.expected);
  for (int64_t i = 0; i < s.count * s.element; i++) s.expected[i] = (unsigned char)harness_bits(random);
  ok(weft_from_host(&s.base, ctx, s.dtype, shape, s.expected));
  s.view = weft_array_retain(s.base);
  s.model = model_base(shape);
  for (int64_t step = harness_between(random, 0, 4); step > 0 && shape.ndim; step--) {
    weft_array *next = NULL;
    int axis = (int)harness_between(random, 0, shape.ndim - 1);
    int64_t n = s.model.shape.dim[axis], start = n ? harness_between(random, 0, n - 1) : 0;
    switch (harness_between(random, 0, 3)) {
      case 0:
        ok(weft_flip(&next, s.view, axis));
        replace(&s.view, &s.model, next, model_flip(&s.model, axis));
        break;
      case 1:
        ok(weft_transpose(&next, s.view, WEFT_ALL_AXES));
        weft_shape axes = {.ndim = shape.ndim};
        for (int d = 0; d < shape.ndim; d++) axes.dim[d] = shape.ndim - 1 - d;
        replace(&s.view, &s.model, next, model_transpose(&s.model, axes));
        break;
      default: {
        int64_t stop = harness_between(random, start, n), by = large ? 1 : harness_between(random, 1, 2);
        ok(weft_slice(&next, s.view, axis, start, stop, .step = by));
        replace(&s.view, &s.model, next, model_slice(&s.model, axis, start, stop, by));
      }
    }
  }
  return s;
}

static void sample_free(sample *s) {
  weft_array_release(&s->view);
  weft_array_release(&s->base);
  model_free(&s->model);
  free(s->expected);
}

static void check_sample(const sample *s, const place *p, const char *what, long seed) {
  check_elements(s->base, s->expected, s->count, what);
  for (size_t i = 0; i < p->block_bytes; i++)
    if (p->block[i] != p->expected[i])
      ck_abort_msg("%s %ld: byte %zu of the host's is %d, expected %d", what, seed, i, p->block[i], p->expected[i]);
  harness_count(1);
}

static void try_region(long seed, bool large) {
  harness_random random = harness_random_start((uint64_t)seed);
  sample s = sample_make(&random, large);
  bool plain = harness_between(&random, 0, 3) == 0;
  place p = place_make(&random, s.model.shape, s.element, plain);
  const int64_t *stride = plain && harness_between(&random, 0, 1) ? NULL : p.stride;
  ok(weft_write_strided(s.view, p.data, stride));
  for (int64_t i = 0; i < s.model.count; i++)
    memcpy(s.expected + s.model.index[i] * s.element, p.data + place_of(&p, s.model.shape, i), (size_t)s.element);
  check_sample(&s, &p, "write", seed);
  place_free(&p);
  p = place_make(&random, s.model.shape, s.element, plain);
  unsigned char *expected = p.expected + (p.data - p.block);
  ok(weft_read_strided(p.data, plain && stride == NULL ? NULL : p.stride, s.view));
  for (int64_t i = 0; i < s.model.count; i++)
    memcpy(expected + place_of(&p, s.model.shape, i), s.expected + s.model.index[i] * s.element, (size_t)s.element);
  check_sample(&s, &p, "read", seed);
  place_free(&p);
  sample_free(&s);
}

START_TEST(random_regions)
{
  for (long seed = 0; seed < 500; seed++) try_region(seed, false);
}
END_TEST

START_TEST(larger_regions)
{
  for (long seed = 0; seed < 60; seed++) try_region(1000000 + seed, true);
}
END_TEST

START_TEST(a_repeated_host_element)
{
  weft_array *x = NULL, *row = NULL;
  float value[2] = {7, 8}, got[3][4];
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 4)));
  ok(weft_write_strided(x, value, ((const int64_t[]){0, 0})));
  ok(weft_slice(&row, x, 1, 1, 3));
  ok(weft_write_strided(row, value, ((const int64_t[]){0, 4})));
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) each(got[i][j] == (j == 2 ? 8.0f : 7.0f));
  weft_array_release(&row);
  weft_array_release(&x);
}
END_TEST

START_TEST(through_more_than_one_piece)
{
  /* a column of a host table, larger than the staging buffer */
  enum { N = (9 << 20) / 8 + 5 };
  weft_array *x = NULL;
  uint64_t(*table)[2] = malloc(sizeof(uint64_t[N][2])), *got = malloc(sizeof(uint64_t[N]));
  ck_assert(table && got);
  for (uint64_t i = 0; i < N; i++) table[i][0] = table[i][1] = i * 0x9e3779b97f4a7c15u;
  ok(weft_empty(&x, ctx, WEFT_U64, WEFT_SHAPE(N)));
  ok(weft_write_strided(x, &table[0][1], ((const int64_t[]){16})));
  ok(weft_to_host(got, sizeof(uint64_t[N]), x));
  for (uint64_t i = 0; i < N; i++) each(got[i] == table[i][1]);
  for (uint64_t i = 0; i < N; i++) table[i][0] = 5;
  ok(weft_read_strided(&table[N - 1][1], ((const int64_t[]){-16}), x));
  for (uint64_t i = 0; i < N; i++) each(table[i][0] == 5 && table[i][1] == got[N - 1 - i]);
  weft_array_release(&x);
  free(table);
  free(got);
}
END_TEST

START_TEST(broadcast_views_are_read_and_not_written)
{
  weft_array *x = NULL, *wide = NULL;
  int32_t data[6] = {1, 2}, got[3][2];
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(2), data));
  ok(weft_broadcast(&wide, x, WEFT_SHAPE(3, 2)));
  ok(weft_read_strided(got, NULL, wide));
  for (int i = 0; i < 3; i++) each(got[i][0] == 1 && got[i][1] == 2);
  expect_error(weft_write_strided(wide, got, NULL), WEFT_ERROR_LAYOUT, "weft_write_strided", "@x", "broadcast");
  expect_error(weft_write_async(wide, got, sizeof got, NULL), WEFT_ERROR_LAYOUT, "weft_write_async", "@x", "broadcast");
  weft_array_release(&wide);
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_strided_calls)
{
  weft_array *x = NULL, *none = NULL, *wrong[] = {NULL, harness_garbage(), harness_zeroed(), (weft_array *)ctx};
  float data[12] = {0};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft_write_strided(wrong[i], data, NULL), WEFT_ERROR_HANDLE, "weft_write_strided", "@x");
    expect_error(weft_read_strided(data, NULL, wrong[i]), WEFT_ERROR_HANDLE, "weft_read_strided", "@x");
    expect_error(weft_write_async(wrong[i], data, 4, NULL), WEFT_ERROR_HANDLE, "weft_write_async", "@x");
    expect_error(weft_read_async(data, 4, wrong[i], NULL), WEFT_ERROR_HANDLE, "weft_read_async", "@x");
    harness_count(4);
  }
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 4)));
  expect_error(weft_write_strided(x, NULL, NULL), WEFT_ERROR_ARGUMENT, "@data", "12 elements of f32");
  expect_error(weft_read_strided(NULL, NULL, x), WEFT_ERROR_ARGUMENT, "@data");
  expect_error(weft_read_strided(data, ((const int64_t[]){0, 4}), x), WEFT_ERROR_LAYOUT, "@host_stride_bytes", "[0]",
               "over each other");
  expect_error(weft_write_strided(x, data, ((const int64_t[]){16, INT64_MAX})), WEFT_ERROR_OVERFLOW,
               "@host_stride_bytes", "[1]");
  expect_error(weft_write_strided(x, data, ((const int64_t[]){INT64_MIN, 4})), WEFT_ERROR_OVERFLOW,
               "@host_stride_bytes", "[0]");
  expect_error(weft_write_async(x, data, 47, NULL), WEFT_ERROR_SHAPE, "@size_bytes", "47", "48");
  expect_error(weft_read_async(data, 49, x, NULL), WEFT_ERROR_SHAPE, "@size_bytes", "49", "48");
  expect_error(weft_write_async(x, NULL, 48, NULL), WEFT_ERROR_ARGUMENT, "@data", "48 bytes");
  expect_error(weft_read_async(NULL, 48, x, NULL), WEFT_ERROR_ARGUMENT, "@data", "room for 48 bytes");
  expect_error(weft_read_async(data, 48, x, harness_garbage()), WEFT_ERROR_HANDLE, "@stream");
  ok(weft_zeros(&none, ctx, WEFT_F32, WEFT_SHAPE(3, 0)));
  ok(weft_write_strided(none, NULL, ((const int64_t[]){0, INT64_MAX})));
  ok(weft_read_strided(NULL, NULL, none));
  ok(weft_write_async(none, NULL, 0, NULL));
  ok(weft_read_async(NULL, 0, none, NULL));
  weft_array_release(&none);
  weft_array_release(&x);
}
END_TEST

/* ---- on streams ---- */

START_TEST(random_copies_on_streams)
{
  enum { N = 20000, STEPS = 60, STREAMS = 3 };
  static float host[N], sent[STEPS][N / 4], got[N / 4];
  weft_stream *stream[STREAMS] = {NULL};
  weft_array *x = NULL;
  weft_event *event = NULL;
  harness_random random = harness_random_start(77);
  for (int s = 1; s < STREAMS; s++) ok(weft_stream_create(&stream[s], ctx));
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(N)));
  for (int step = 0; step < STEPS; step++) {
    weft_stream *on = stream[harness_between(&random, 0, STREAMS - 1)];
    weft_array *part = NULL;
    int64_t by = harness_between(&random, 1, 3), start = harness_between(&random, 0, N / 4),
            count = harness_between(&random, 0, N / 4);
    ok(weft_slice(&part, x, 0, start, start + count * by, .step = by));
    size_t size_bytes = (size_t)weft_array_size_bytes(part);
    count = weft_array_size(part);
    if (harness_between(&random, 0, 1)) {
      for (int64_t i = 0; i < count; i++)
        host[start + i * by] = sent[step][i] = (float)harness_between(&random, 0, 1000);
      ok(weft_write_async(part, sent[step], size_bytes, on));
    } else if (harness_between(&random, 0, 1)) {
      ok(weft_fill(part, step));
      for (int64_t i = 0; i < count; i++) host[start + i * by] = (float)step;
    } else {
      ok(weft_read_async(got, size_bytes, part, on));
      ok(weft_event_record(&event, ctx, on));
      ok(weft_event_wait(event));
      for (int64_t i = 0; i < count; i++) each(got[i] == host[start + i * by]);
    }
    weft_array_release(&part);
    harness_count(1);
  }
  check_elements(x, host, N, "at the end");
  weft_event_release(&event);
  weft_array_release(&x);
  for (int s = 1; s < STREAMS; s++) weft_stream_release(&stream[s]);
}
END_TEST

START_TEST(pageable_memory_may_be_changed_at_once)
{
  enum { N = 1 << 20 };
  static int32_t data[N], got[N];
  weft_array *x = NULL;
  ok(weft_empty(&x, ctx, WEFT_I32, WEFT_SHAPE(N)));
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < N; i++) data[i] = round * N + i;
    ok(weft_write_async(x, data, sizeof data, NULL));
    memset(data, 0, sizeof data);
    ok(weft_read_async(got, sizeof got, x, NULL));
    for (int i = 0; i < N; i++) each(got[i] == round * N + i);
  }
  weft_array_release(&x);
}
END_TEST

START_TEST(streams_of_another_context)
{
  weft_context *other = NULL;
  weft_stream *stream = NULL;
  weft_array *x = NULL;
  float data[4] = {0};
  ok(weft_context_create(&other, .device = device.selector));
  ok(weft_stream_create(&stream, other));
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(4)));
  expect_error(weft_write_async(x, data, sizeof data, stream), WEFT_ERROR_CONTEXT, "weft_write_async", "@stream");
  expect_error(weft_read_async(data, sizeof data, x, stream), WEFT_ERROR_CONTEXT, "weft_read_async", "@stream");
  weft_array_release(&x);
  weft_stream_release(&stream);
  ok(weft_context_close(&other));
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "strided");
  tcase_add_test(tc, random_regions);
  tcase_add_test(tc, larger_regions);
  tcase_add_test(tc, a_repeated_host_element);
  tcase_add_test(tc, through_more_than_one_piece);
  tcase_add_test(tc, broadcast_views_are_read_and_not_written);
  tcase_add_test(tc, wrong_strided_calls);
  tc = harness_context_case(suite, "on streams");
  tcase_add_test(tc, random_copies_on_streams);
  tcase_add_test(tc, pageable_memory_may_be_changed_at_once);
  tcase_add_test(tc, streams_of_another_context);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "transfer", .add = add});
}

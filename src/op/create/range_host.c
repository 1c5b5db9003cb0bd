// SPDX-License-Identifier: MIT
/// Evenly spaced numbers on the host, with the kernel's bits.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "base/float_bits.h"
#include "base/wide.h"
#include "engine/blocks.h"
#include "op/create/range.h"

/// What a recording keeps. Numbers are as the kernel's arguments; `given_bits` is an element of the dtype.
typedef struct range_work {
  int64_t size;
  uint64_t start, step, parts, given, given_bits;
  int32_t dtype, real, bytes, cores; /* bytes: of an element */
} range_work;

/// Writes n elements from number `begin` on.
typedef void range_loop(void *to, int64_t begin, int64_t n, const range_work *w);

#define RANGE_LOOP(TARGET, NAME, T, Real, Number, store)                                                    \
  TARGET static void NAME(void *to, int64_t begin, int64_t n, const range_work *w) {                        \
    Real start, step;                                                                                       \
    T *restrict y = to;                                                                                     \
    memcpy(&start, &w->start, sizeof start);                                                                \
    memcpy(&step, &w->step, sizeof step);                                                                   \
    for (Number k = 0, i = (Number)begin; k < (Number)n; k++, i++) y[k] = (T)store(start + (Real)i * step); \
  }
#define F16_OF_F64(x) weft__f16_of_f32(weft__f32_for_narrower(x))
#define BF16_OF_F64(x) weft__bf16_of_f32(weft__f32_for_narrower(x))
WEFT__EACH(RANGE_LOOP, range_8, uint8_t, uint64_t, uint64_t, )
WEFT__EACH(RANGE_LOOP, range_16, uint16_t, uint64_t, uint64_t, )
WEFT__EACH(RANGE_LOOP, range_32, uint32_t, uint64_t, uint64_t, )
WEFT__EACH(RANGE_LOOP, range_64, uint64_t, uint64_t, uint64_t, )
WEFT__EACH(RANGE_LOOP, range_f16, uint16_t, float, int32_t, weft__f16_of_f32)
WEFT__EACH(RANGE_LOOP, range_f16_of_f64, uint16_t, double, int32_t, F16_OF_F64)
WEFT__EACH(RANGE_LOOP, range_bf16, uint16_t, float, int32_t, weft__bf16_of_f32)
WEFT__EACH(RANGE_LOOP, range_bf16_of_f64, uint16_t, double, int32_t, BF16_OF_F64)
WEFT__EACH(RANGE_LOOP, range_f32, float, float, int32_t, )
WEFT__EACH(RANGE_LOOP, range_f32_of_f64, float, double, int32_t, )
WEFT__EACH(RANGE_LOOP, range_f64, double, double, int32_t, )
/* numbers that few vectors convert */
RANGE_LOOP(, range_f16_long, uint16_t, float, int64_t, weft__f16_of_f32)
RANGE_LOOP(, range_f16_of_f64_long, uint16_t, double, int64_t, F16_OF_F64)
RANGE_LOOP(, range_bf16_long, uint16_t, float, int64_t, weft__bf16_of_f32)
RANGE_LOOP(, range_bf16_of_f64_long, uint16_t, double, int64_t, BF16_OF_F64)
RANGE_LOOP(, range_f32_long, float, float, int64_t, )
RANGE_LOOP(, range_f32_of_f64_long, float, double, int64_t, )
RANGE_LOOP(, range_f64_long, double, double, int64_t, )

/// The loops of float dtypes, in f32 and in f64.
static range_loop *float_loop_of(const range_work *w) {
  static range_loop *const loops[4][2][3] = {{WEFT__ALL(range_f16), WEFT__ALL(range_f16_of_f64)},
                                             {WEFT__ALL(range_bf16), WEFT__ALL(range_bf16_of_f64)},
                                             {WEFT__ALL(range_f32), WEFT__ALL(range_f32_of_f64)},
                                             {WEFT__ALL(range_f64), WEFT__ALL(range_f64)}};
  static range_loop *const long_loops[4][2] = {{range_f16_long, range_f16_of_f64_long},
                                               {range_bf16_long, range_bf16_of_f64_long},
                                               {range_f32_long, range_f32_of_f64_long},
                                               {range_f64_long, range_f64_long}};
  const int dtype = w->dtype == WEFT_F16 ? 0 : w->dtype == WEFT_BF16 ? 1 : w->dtype == WEFT_F32 ? 2 : 3;
  const bool in_f64 = w->real == WEFT_F64;
  return w->size > INT32_MAX ? long_loops[dtype][in_f64] : loops[dtype][in_f64][WEFT__WIDTH];
}

static range_loop *loop_of(const range_work *w) {
  static range_loop *const loops[][3] = {WEFT__ALL(range_8), WEFT__ALL(range_16), WEFT__ALL(range_32),
                                         WEFT__ALL(range_64)};
  if (w->real != WEFT_I64) return float_loop_of(w);
  return loops[w->bytes == 1 ? 0 : w->bytes == 2 ? 1 : w->bytes == 4 ? 2 : 3][WEFT__WIDTH];
}

static void store_bits(char *to, const range_work *w, uint64_t bits) {
  const uint32_t word = (uint32_t)bits;
  const uint16_t half = (uint16_t)bits;
  memcpy(to, w->bytes == 8 ? (const void *)&bits : w->bytes == 4 ? (const void *)&word : &half, (size_t)w->bytes);
}

/// Elements of a range whose step is less than the least number.
static void write_parts(char *to, int64_t begin, int64_t n, const range_work *w) {
  double wide[3];
  float narrow[3];
  for (int k = 0; k < 3; k++) {
    const uint64_t bits = k == 0 ? w->start : k == 1 ? w->step : w->parts;
    wide[k] = weft__f64_of_bits(bits);
    narrow[k] = weft__f32_of_bits((uint32_t)bits);
  }
  for (int64_t i = begin; i < begin + n; i++) {
    const double in_f64 = wide[0] + (double)i / wide[2] * wide[1];
    const float in_f32 = narrow[0] + (float)i / narrow[2] * narrow[1];
    const double value = w->real == WEFT_F64 ? in_f64 : (double)in_f32;
    store_bits(to + (i - begin) * w->bytes, w, weft__float_bits((weft_dtype)w->dtype, value));
  }
}

typedef struct range_job {
  const range_work *w;
  char *to;
  range_loop *loop;
} range_job;

static void write_block(const weft__block *b, const void *job) {
  const range_job *j = job;
  const range_work *w = j->w;
  const int64_t given = w->given < (uint64_t)w->size ? (int64_t)w->given : -1;
  char *const to = j->to + b->column * w->bytes;
  if (w->parts != 0)
    write_parts(to, b->column, b->columns, w);
  else
    j->loop(to, b->column, b->columns, w);
  if (given >= b->column && given < b->column + b->columns) store_bits(j->to + given * w->bytes, w, w->given_bits);
}

static int write_range_elements(void *const *data, const void *task) {
  const range_work *w = task;
  const range_job j = {w, data[0], loop_of(w)};
  weft__run_blocks(&(const weft__blocks){
      .rows = 1, .columns = w->size, .bytes = w->bytes, .cores = w->cores, .function = write_block, .job = &j});
  return 0;
}

const weft__host_function weft__host_range = {
    "range", WEFT__LIBRARY_NONE, sizeof(range_work), write_range_elements, NULL, NULL};

weft_status weft__range_host_run(bool *is_done, const void *task) {
  const weft__range_task *t = task;
  const weft__range_of *r = t->range;
  const weft_dtype dtype = t->x->dtype;
  const weft__host_use use = {.array = t->x, .writes = true};
  range_work w;
  memset(&w, 0, sizeof w); /* recordings keep all its bytes */
  w.size = r->size;
  w.start = weft__range_bits(r->real, r->start, r->start_i);
  w.step = weft__range_bits(r->real, r->step, r->step_i);
  w.parts = weft__range_bits(r->real, r->parts, 0);
  w.given = r->given;
  if (r->real != WEFT_I64) w.given_bits = weft__float_bits(dtype, weft__float_rounded(r->real, r->given_value));
  w.dtype = (int32_t)dtype;
  w.real = (int32_t)r->real;
  w.bytes = (int32_t)weft_dtype_size_bytes(dtype);
  w.cores = weft__host_cores(t->x->context);
  *is_done = true;
  return weft__host_run(t->x->context, &weft__host_range, &w, 1, &use, "range", t->site);
}

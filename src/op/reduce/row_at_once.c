// SPDX-License-Identifier: MIT
/// Reductions of one row of few elements by the calling thread (mem/at_once.h): the loops of cl/reduce/cpu.cl in C.
/// Sums of floats have the kernel's accumulators and combine them in its order: the same bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "map/run.h"
#include "mem/at_once.h"
#include "op/reduce/reduce.h"

#define LANES 64               /* R_WIDE of cl/reduce/cpu.cl; of compensated sums half as many */
#define VALUES_ROOM (64 << 10) /* bytes of a formula's values */

/* ---- loops ---- */

/// Reduces n elements of one array or two to *to. `is_short`: by one accumulator.
typedef void reduction(void *to, const void *const from[2], size_t n, bool is_short);

/// A: the accumulator; `next`: of the accumulator a and the elements v and w; `both`: of the accumulators a and b.
#define LANE_LOOP(TARGET, NAME, T, A, neutral, next, both)                                \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, bool is_short) { \
    const T *x = from[0], *y = from[1];                                                   \
    const size_t lanes = is_short ? 1 : LANES;                                            \
    A lane[LANES];                                                                        \
    size_t m = 0;                                                                         \
    for (size_t l = 0; l < LANES; l++) lane[l] = (neutral);                               \
    for (; m + LANES <= n && !is_short; m += LANES)                                       \
      for (size_t l = 0; l < LANES; l++) {                                                \
        const T v = x[m + l], w = y[m + l];                                               \
        const A a = lane[l];                                                              \
        lane[l] = (next);                                                                 \
        (void)w;                                                                          \
      }                                                                                   \
    for (size_t l = 0; m < n; m++, l = (l + 1) % lanes) {                                 \
      const T v = x[m], w = y[m];                                                         \
      const A a = lane[l];                                                                \
      lane[l] = (next);                                                                   \
      (void)w;                                                                            \
    }                                                                                     \
    for (size_t apart = lanes / 2; apart > 0; apart /= 2)                                 \
      for (size_t l = 0; l < apart; l++) {                                                \
        const A a = lane[l], b = lane[l + apart];                                         \
        lane[l] = (both);                                                                 \
      }                                                                                   \
    *(A *)to = lane[0];                                                                   \
  }

/// A sum of doubles with its rounding errors, by two-sum (Knuth), and its value.
#define PAIR_LOOP(TARGET, NAME, term)                                                                \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, bool is_short) {            \
    const double *x = from[0], *y = from[1];                                                         \
    const size_t lanes = is_short ? 1 : LANES / 2;                                                   \
    double sum[LANES / 2], rest[LANES / 2];                                                          \
    for (size_t l = 0; l < LANES / 2; l++) sum[l] = -0.0, rest[l] = 0;                               \
    for (size_t m = 0; m < n; m += lanes) {                                                          \
      const size_t some = n - m < lanes ? n - m : lanes;                                             \
      for (size_t l = 0; l < some; l++) {                                                            \
        const double v = x[m + l], w = y[m + l], added = (term), t = sum[l] + added, z = t - sum[l]; \
        rest[l] += (sum[l] - (t - z)) + (added - z);                                                 \
        sum[l] = t;                                                                                  \
        (void)w;                                                                                     \
      }                                                                                              \
    }                                                                                                \
    for (size_t apart = lanes / 2; apart > 0; apart /= 2)                                            \
      for (size_t l = 0; l < apart; l++) {                                                           \
        const double added = sum[l + apart], t = sum[l] + added, z = t - sum[l];                     \
        rest[l] += (sum[l] - (t - z)) + (added - z);                                                 \
        sum[l] = t;                                                                                  \
        rest[l] += rest[l + apart];                                                                  \
      }                                                                                              \
    *(double *)to = isfinite(sum[0]) && rest[0] != 0 ? sum[0] + rest[0] : sum[0];                    \
  }

/// any and all end with the first block that decides.
#define TRUTH_LOOP(TARGET, NAME, T, decides)                                                   \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, bool is_short) {      \
    const T *x = from[0];                                                                      \
    uint8_t is_decided = 0;                                                                    \
    size_t m = 0;                                                                              \
    (void)is_short;                                                                            \
    for (; m + 1024 <= n && !is_decided; m += 1024)                                            \
      for (size_t l = 0; l < 1024; l++) is_decided |= (uint8_t)((x[m + l] != 0) == (decides)); \
    for (; m < n && !is_decided; m++) is_decided = (x[m] != 0) == (decides);                   \
    *(uint8_t *)to = is_decided ? (decides) : !(decides);                                      \
  }

#define LEAST(D, T, least, most)                                                               \
  WEFT__BOTH(LANE_LOOP, min_##D, T, T, most, v < a || v != v ? v : a, b < a || b != b ? b : a) \
  WEFT__BOTH(LANE_LOOP, max_##D, T, T, least, v > a || v != v ? v : a, b > a || b != b ? b : a)
#define OF_ALL(D, T, least, most)       \
  WEFT__BOTH(TRUTH_LOOP, any_##D, T, 1) \
  WEFT__BOTH(TRUTH_LOOP, all_##D, T, 0) \
  LEAST(D, T, least, most) WEFT__BOTH(LANE_LOOP, count_##D, T, uint64_t, 0, a + (v != 0), a + b)
#define OF_INTEGERS(D, T, least, most)                                   \
  OF_ALL(D, T, least, most)                                              \
  WEFT__BOTH(LANE_LOOP, sum_##D, T, uint64_t, 0, a + (uint64_t)v, a + b) \
  WEFT__BOTH(LANE_LOOP, dot_##D, T, uint64_t, 0, a + (uint64_t)v * (uint64_t)w, a + b)

#define INTEGERS(X)                     \
  X(I8, int8_t, INT8_MIN, INT8_MAX)     \
  X(U8, uint8_t, 0, UINT8_MAX)          \
  X(I16, int16_t, INT16_MIN, INT16_MAX) \
  X(U16, uint16_t, 0, UINT16_MAX)       \
  X(I32, int32_t, INT32_MIN, INT32_MAX) \
  X(U32, uint32_t, 0, UINT32_MAX)       \
  X(I64, int64_t, INT64_MIN, INT64_MAX) \
  X(U64, uint64_t, 0, UINT64_MAX)
#define FLOATS(X) X(F32, float, -INFINITY, INFINITY) X(F64, double, -INFINITY, INFINITY)
INTEGERS(OF_INTEGERS)
FLOATS(OF_ALL)
OF_ALL(BOOL, uint8_t, 0, 1)
WEFT__BOTH(LANE_LOOP, sum_BOOL, uint8_t, uint64_t, 0, a + v, a + b)
WEFT__BOTH(LANE_LOOP, sum_F32, float, double, -0.0, a + (double)v, a + b)
WEFT__BOTH(LANE_LOOP, squares_F32, float, double, -0.0, a + (double)v * (double)v, a + b)
WEFT__BOTH(LANE_LOOP, dot_F32, float, double, -0.0, a + (double)v * (double)w, a + b)
WEFT__BOTH(PAIR_LOOP, sum_F64, v)
WEFT__BOTH(PAIR_LOOP, squares_F64, v *v)
WEFT__BOTH(PAIR_LOOP, dot_F64, v *w)

/* ---- which loop ---- */

enum { ANY, ALL, MIN, MAX, COUNT, SUM, SQUARES, DOT, NO_LOOP };

typedef struct row {
  uint8_t what, dtype;
  reduction *loop[2]; /* the second with AVX2 */
} row;

#define ROW(ID, name, D) {ID, WEFT_##D, WEFT__PAIR(name##_##D)},
#define ROWS_OF_ALL(D, T, least, most) \
  ROW(ANY, any, D) ROW(ALL, all, D) ROW(MIN, min, D) ROW(MAX, max, D) ROW(COUNT, count, D) ROW(SUM, sum, D)
#define ROWS_OF_PRODUCTS(D, T, least, most) ROW(DOT, dot, D)
static const row rows[] = {INTEGERS(ROWS_OF_ALL) FLOATS(ROWS_OF_ALL) ROWS_OF_ALL(BOOL, , , ) INTEGERS(ROWS_OF_PRODUCTS)
                               FLOATS(ROWS_OF_PRODUCTS) ROW(SQUARES, squares, F32) ROW(SQUARES, squares, F64)};

/// What is computed over elements of the dtype; NO_LOOP: what has no loop.
static int what_of(const weft__reduce_what *what, weft_dtype dtype) {
  const bool whole = weft__is_whole(dtype),
             is_product = what->source == WEFT__SOURCE_PRODUCT || (what->source == WEFT__SOURCE_CONJUGATE_PRODUCT);
  if (what->skip_nan && !whole) return NO_LOOP;
  if (what->two || what->counted || what->magnitude || weft__is_narrow(dtype) || weft_dtype_kind(dtype) == 'c' ||
      what->source == WEFT__SOURCE_BOTH)
    return NO_LOOP;
  switch (what->gather) {
    case WEFT__GATHER_ANY:
      return ANY;
    case WEFT__GATHER_ALL:
      return ALL;
    case WEFT__GATHER_BEST:
      return what->greatest ? MAX : MIN;
    case WEFT__GATHER_SUM:
      if (what->term == WEFT__TERM_NOT_ZERO) return COUNT;
      if (what->term == WEFT__TERM_MAGNITUDE || (whole && (what->cell != WEFT_U64 || what->term))) return NO_LOOP;
      if (!whole && (what->cell != WEFT_F64 || what->pair != (dtype == WEFT_F64))) return NO_LOOP;
      return is_product ? DOT : what->term == WEFT__TERM_SQUARE ? SQUARES : SUM;
    default:
      return NO_LOOP;
  }
}

static reduction *loop_of(const weft__reduce_what *what, weft_dtype dtype) {
  const int id = what_of(what, dtype);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].what == id && rows[k].dtype == dtype) return rows[k].loop[WEFT__IS_WIDE];
  return NULL;
}

/* ---- calls ---- */

/// Stores the result of a sum of floats.
static void store_sum(char *to, const weft__reduce_what *what, double sum, double count) {
  const double value = what->finish == WEFT__FINISH_MEAN   ? sum / count
                       : what->finish == WEFT__FINISH_ROOT ? sqrt(sum)
                                                           : sum;
  const float narrow = (float)value;
  if (what->result == WEFT_F32)
    memcpy(to, &narrow, sizeof narrow);
  else
    memcpy(to, &value, sizeof value);
}

static void reduce(char *to, const weft__reduce_what *what, reduction *loop, weft_dtype dtype,
                   const void *const from[2], size_t n) {
  union {
    double number;
    char bytes[8];
  } result;
  loop(&result, from, n, n < WEFT__REDUCE_CPU_SHORT);
  if (what->gather == WEFT__GATHER_SUM && weft_dtype_kind(dtype) == 'f' && what->term != WEFT__TERM_NOT_ZERO)
    store_sum(to, what, result.number, (double)n);
  else
    memcpy(to, result.bytes, weft_dtype_size_bytes((weft_dtype)what->result));
}

/// Reduces the values of a formula, which its twin computes into memory of the host.
static weft_status reduce_values(bool *is_done, const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                 weft_array *const *inputs, reduction *loop) {
  const weft__plan *plan = task->plan;
  const weft_dtype dtype = plan->result[0];
  weft_array values = {.context = c->context, .dtype = dtype}, *array[WEFT__MAX_ARRAYS] = {&values};
  const weft__use use = {out->storage, true};
  char *to;
  uint64_t size = 1;
  int arrays = 0;
  for (int d = 0; d < task->shape.ndim; d++) size *= (uint64_t)task->shape.dim[d];
  const size_t bytes = size * weft_dtype_size_bytes(dtype);
  if (bytes > VALUES_ROOM) return WEFT_OK;
  weft__set_contiguous(&values, task->shape);
  for (int k = 0; k < plan->formula.inputs; k++)
    if (!plan->formula.input[k].is_scalar) {
      array[arrays + 1] = inputs[arrays];
      arrays++;
    }
  char *room = malloc(bytes);
  if (!room) return weft__fail_host_memory(bytes);
  const void *const from[2] = {room, room};
  const weft__map_run map = {plan, task->shape, array, task->scalars};
  weft_status rc;
  WEFT__TRY(weft__at_once(is_done, &to, &c->context->core, 1, &use));
  if (*is_done) WEFT__TRY(weft__twin_run(is_done, &map, room));
  if (*is_done) reduce(to + out->offset_bytes, &task->what, loop, dtype, from, size);
done:
  free(room);
  return rc;
}

weft_status weft__reduce_at_once(bool *is_done, const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                 weft_array *const *inputs, int arrays) {
  const weft_dtype dtype = task->plan ? task->plan->result[0] : inputs[0]->dtype;
  const weft__reduce_what *what = &task->what;
  weft__use use[3] = {{out->storage, true}};
  char *place[3];
  const void *from[2];
  *is_done = false;
  reduction *loop = loop_of(what, dtype);
  if (!loop || c->context->core.reproducible || out->dtype != (weft_dtype)what->result) return WEFT_OK;
  if (task->plan)
    return what->source == WEFT__SOURCE_FORMULA && task->plan->twin.nodes && what->mapped == dtype
               ? reduce_values(is_done, c, task, out, inputs, loop)
               : WEFT_OK;
  for (int k = 0; k < arrays; k++) {
    if (k == 2 || inputs[k]->dtype != dtype || inputs[k]->offset_bytes % (int64_t)weft_dtype_size_bytes(dtype) ||
        weft_array_size_bytes(inputs[k]) > WEFT__AT_ONCE_BYTES / arrays)
      return WEFT_OK;
    use[k + 1] = (weft__use){inputs[k]->storage, false};
  }
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &c->context->core, arrays + 1, use));
  if (!*is_done) return WEFT_OK;
  for (int k = 0; k < 2; k++) {
    const int at = k < arrays ? k : 0;
    from[k] = place[at + 1] + inputs[at]->offset_bytes;
  }
  reduce(place[0] + out->offset_bytes, what, loop, dtype, from, (size_t)inputs[0]->size);
  return WEFT_OK;
}

// SPDX-License-Identifier: MIT
/// Reductions of one row of few elements by the calling thread (mem/at_once.h): the loops of cl/reduce/cpu.cl in C.
/// Sums of floats have the kernel's accumulators and combine them in its order: the same bits.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else it does not keep the lanes in registers: minima take twice as long */
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "map/run.h"
#include "mem/at_once.h"
#include "op/reduce/reduce.h"
#include "op/reduce/row_vectors.h"

#define LANES 64                  /* R_WIDE of cl/reduce/cpu.cl; of compensated sums half as many */
#define SIDE 16                   /* elements of the rest at once */
#define VALUES_ROOM (64 << 10)    /* bytes of a formula's values */
#define VALUES_BLOCK 32768        /* elements of them, where parts may be reduced apart */
#define WHERE_BLOCK 4096          /* elements of which the best is found before its place is */
#define MOST_BYTES (1 << 20)      /* of each array: PoCL 3.1 on two cores takes as long for these */
#define MOST_ELEMENTS (1 << 18)   /* a small element may take as long as a large one */
#define MOST_SHORT (1 << 14)      /* elements of rows shorter than the lanes, which take as long as the rows */
#define MOST_IN_COLUMNS (1 << 17) /* elements; two threads take as long for these */
#define COLUMNS 256               /* columns that are added up side by side */
#define FIRST_BYTES (16 << 10)    /* which may decide any and all of a larger array */

/* ---- loops ---- */

/// Reduces n elements of one array or two to *to. `stride`: by one accumulator, the elements this far apart; 0: by
/// lanes, the elements without gaps.
typedef void reduction(void *to, const void *const from[2], size_t n, size_t stride);

/// The lane l takes the elements m of both arrays.
#define TAKE(T, A, l, m, next)  \
  {                             \
    const T v = x[m], w = y[m]; \
    const A a = lane[l];        \
    lane[l] = (next);           \
    (void)w;                    \
  }

/// Combines `apart` lanes with the next ones. The number is known, so that this is done in vectors too.
#define FOLD(A, both, apart)                    \
  for (size_t l = 0; l < (apart); l++) {        \
    const A a = lane[l], b = lane[l + (apart)]; \
    lane[l] = (both);                           \
  }
#define FOLD_ALL(A, both) \
  FOLD(A, both, 32) FOLD(A, both, 16) FOLD(A, both, 8) FOLD(A, both, 4) FOLD(A, both, 2) FOLD(A, both, 1)

/// A: the accumulator; `next`: of the accumulator a and the elements v and w; `both`: of the accumulators a and b.
#define LANE_LOOP(TARGET, NAME, T, A, neutral, next, both)                                \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) { \
    const T *x = from[0], *y = from[1];                                                   \
    A lane[LANES];                                                                        \
    size_t m = 0, at = 0;                                                                 \
    for (size_t l = 0; l < LANES; l++) lane[l] = (neutral);                               \
    for (; stride && m < n; m++) TAKE(T, A, 0, m *stride, next)                           \
    for (; m + LANES <= n; m += LANES)                                                    \
      for (size_t l = 0; l < LANES; l++) TAKE(T, A, l, m + l, next)                       \
    for (; m + SIDE <= n; m += SIDE, at += SIDE)                                          \
      for (size_t l = 0; l < SIDE; l++) TAKE(T, A, at + l, m + l, next)                   \
    for (; m < n; m++, at++) TAKE(T, A, at, m, next)                                      \
    if (!stride) FOLD_ALL(A, both)                                                        \
    *(A *)to = lane[0];                                                                   \
  }

/// The sum of one lane with its rounding errors, by two-sum (Knuth), takes the elements m of both arrays.
#define TAKE_PAIR(l, m, term)                                                            \
  {                                                                                      \
    const double v = x[m], w = y[m], added = (term), t = sum[l] + added, z = t - sum[l]; \
    rest[l] += (sum[l] - (t - z)) + (added - z);                                         \
    sum[l] = t;                                                                          \
    (void)w;                                                                             \
  }
#define FOLD_PAIRS(apart)                                                      \
  for (size_t l = 0; l < (apart); l++) {                                       \
    const double added = sum[l + (apart)], t = sum[l] + added, z = t - sum[l]; \
    rest[l] += (sum[l] - (t - z)) + (added - z);                               \
    sum[l] = t;                                                                \
    rest[l] += rest[l + (apart)];                                              \
  }

/// A sum of doubles with its rounding errors, and its value.
#define PAIR_LOOP(TARGET, NAME, term)                                                                          \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) {                      \
    const double *x = from[0], *y = from[1];                                                                   \
    double sum[LANES / 2], rest[LANES / 2];                                                                    \
    size_t m = 0, at = 0;                                                                                      \
    for (size_t l = 0; l < LANES / 2; l++) sum[l] = -0.0, rest[l] = 0;                                         \
    for (; stride && m < n; m++) TAKE_PAIR(0, m *stride, term)                                                 \
    for (; m + LANES / 2 <= n; m += LANES / 2)                                                                 \
      for (size_t l = 0; l < LANES / 2; l++) TAKE_PAIR(l, m + l, term)                                         \
    for (; m + SIDE / 2 <= n; m += SIDE / 2, at += SIDE / 2)                                                   \
      for (size_t l = 0; l < SIDE / 2; l++) TAKE_PAIR(at + l, m + l, term)                                     \
    for (; m < n; m++, at++) TAKE_PAIR(at, m, term)                                                            \
    FOLD_PAIRS(16)                                                                                             \
    FOLD_PAIRS(8)                                                                                              \
    FOLD_PAIRS(4)                                                                                              \
    FOLD_PAIRS(2) FOLD_PAIRS(1) * (double *)to = isfinite(sum[0]) && rest[0] != 0 ? sum[0] + rest[0] : sum[0]; \
  }

/// any and all end with the first block that decides.
#define TRUTH_LOOP(TARGET, NAME, T, decides)                                                   \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) {      \
    const T *x = from[0];                                                                      \
    const size_t step = stride ? stride : 1;                                                   \
    uint8_t is_decided = 0;                                                                    \
    size_t m = 0;                                                                              \
    for (; step == 1 && m + 1024 <= n && !is_decided; m += 1024)                               \
      for (size_t l = 0; l < 1024; l++) is_decided |= (uint8_t)((x[m + l] != 0) == (decides)); \
    for (; m < n && !is_decided; m++) is_decided = (x[m * step] != 0) == (decides);            \
    *(uint8_t *)to = is_decided ? (decides) : !(decides);                                      \
  }

/// Whether all elements of both arrays are equal, up to the first block that has others. U: an integer as wide as T.
#define EQUAL_LOOP(TARGET, NAME, T, U)                                                    \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) { \
    const T *x = from[0], *y = from[1];                                                   \
    U differ = 0;                                                                         \
    size_t m = 0;                                                                         \
    (void)stride;                                                                         \
    for (; m + 1024 <= n && !differ; m += 1024)                                           \
      for (size_t l = 0; l < 1024; l++) differ |= x[m + l] != y[m + l];                   \
    for (; m < n && !differ; m++) differ = x[m] != y[m];                                  \
    *(uint8_t *)to = !differ;                                                             \
  }

/// The place of the first of the best, or of the first NaN. A block's best number is found first, and whether it has a
/// NaN. `better`: than a the number v; `after`: than a the number b.
#define PLACE_LOOP(TARGET, NAME, T, better, after)                                        \
  TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) { \
    const T *x = from[0], *y = x;                                                         \
    const size_t step = stride ? stride : 1;                                              \
    T best = x[0];                                                                        \
    size_t place = 0;                                                                     \
    bool has_nan = false;                                                                 \
    for (size_t m = 1; step > 1 && m < n && best == best; m++) {                          \
      const T v = x[m * step], a = best;                                                  \
      if ((better) || v != v) best = v, place = m;                                        \
    }                                                                                     \
    for (size_t m = 0; step == 1 && m < n && !has_nan;) {                                 \
      const size_t begin = m, end = n - begin < WHERE_BLOCK ? n : begin + WHERE_BLOCK;    \
      T lane[LANES];                                                                      \
      uint32_t nans[LANES], is_nan = 0;                                                   \
      for (size_t l = 0; l < LANES; l++) lane[l] = x[begin], nans[l] = 0;                 \
      for (; m + LANES <= end; m += LANES)                                                \
        for (size_t l = 0; l < LANES; l++) {                                              \
          TAKE(T, T, l, m + l, (better) ? v : a)                                          \
          nans[l] |= x[m + l] != x[m + l];                                                \
        }                                                                                 \
      for (; m < end; m++) {                                                              \
        TAKE(T, T, 0, m, (better) ? v : a)                                                \
        is_nan |= x[m] != x[m];                                                           \
      }                                                                                   \
      for (size_t l = 0; l < LANES; l++) is_nan |= nans[l];                               \
      FOLD_ALL(T, (after) ? b : a)                                                        \
      const T v = lane[0], a = best;                                                      \
      has_nan = is_nan;                                                                   \
      if ((better) || has_nan) best = v, place = begin;                                   \
    }                                                                                     \
    for (; step == 1 && !has_nan && place + LANES <= n; place += LANES) {                 \
      int32_t first = LANES;                                                              \
      for (int32_t l = 0; l < LANES; l++) {                                               \
        const int32_t at = x[place + (size_t)l] == best ? l : LANES;                      \
        first = at < first ? at : first;                                                  \
      }                                                                                   \
      place += (size_t)(first < LANES ? first : 0);                                       \
      if (first < LANES) break;                                                           \
    }                                                                                     \
    while (step == 1 && (has_nan ? x[place] == x[place] : x[place] != best)) place++;     \
    *(int64_t *)to = (int64_t)place;                                                      \
  }

#define LEAST(D, T, least, most)                                                               \
  WEFT__EACH(LANE_LOOP, min_##D, T, T, most, v < a || v != v ? v : a, b < a || b != b ? b : a) \
  WEFT__EACH(LANE_LOOP, max_##D, T, T, least, v > a || v != v ? v : a, b > a || b != b ? b : a)
#define PLACES(LOOPS, D, T)                      \
  LOOPS(PLACE_LOOP, argmin_##D, T, v < a, b < a) \
  LOOPS(PLACE_LOOP, argmax_##D, T, v > a, b > a)
#define OF_ALL(D, T, least, most)       \
  WEFT__EACH(TRUTH_LOOP, any_##D, T, 1) \
  WEFT__EACH(TRUTH_LOOP, all_##D, T, 0) \
  LEAST(D, T, least, most) WEFT__EACH(LANE_LOOP, count_##D, T, uint64_t, 0, a + (v != 0), a + b)
#define OF_INTEGERS(D, T, least, most)                                   \
  OF_ALL(D, T, least, most)                                              \
  WEFT__EACH(LANE_LOOP, sum_##D, T, uint64_t, 0, a + (uint64_t)v, a + b) \
  WEFT__EACH(LANE_LOOP, dot_##D, T, uint64_t, 0, a + (uint64_t)v * (uint64_t)w, a + b)

#ifdef WEFT__WIDEST_TARGET
/// A loop of op/reduce/row_vectors.h, and for one accumulator the one of narrower vectors.
#define VECTORS(name, loop)                                                                 \
  static void name##_widest(void *to, const void *const from[2], size_t n, size_t stride) { \
    if (stride)                                                                             \
      name##_wide(to, from, n, stride);                                                     \
    else                                                                                    \
      loop(to, from, n);                                                                    \
  }
#endif

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
#define OF_FLOATS(D, T, least, most)                                                             \
  OF_ALL(D, T, least, most)                                                                      \
  WEFT__EACH(LANE_LOOP, nanmin_##D, T, T, NAN, v < a || a != a ? v : a, b < a || a != a ? b : a) \
  WEFT__EACH(LANE_LOOP, nanmax_##D, T, T, NAN, v > a || a != a ? v : a, b > a || a != a ? b : a)
FLOATS(OF_FLOATS)
OF_ALL(BOOL, uint8_t, 0, 1)
#define EACH_PLACES(D, T, least, most) PLACES(WEFT__EACH, D, T)
INTEGERS(EACH_PLACES)
EACH_PLACES(BOOL, uint8_t, , )
EACH_PLACES(F64, double, , )
#ifdef WEFT__WIDEST_TARGET
PLACES(WEFT__BOTH, F32, float)
VECTORS(argmin_F32, weft__row_argmin_f32)
VECTORS(argmax_F32, weft__row_argmax_f32)
#else
EACH_PLACES(F32, float, , )
#endif
WEFT__EACH(LANE_LOOP, sum_BOOL, uint8_t, uint64_t, 0, a + v, a + b)
#define FLOAT_SUMS(LOOPS)                                                              \
  LOOPS(LANE_LOOP, sum_F32, float, double, -0.0, a + (double)v, a + b)                 \
  LOOPS(LANE_LOOP, squares_F32, float, double, -0.0, a + (double)v * (double)v, a + b) \
  LOOPS(LANE_LOOP, dot_F32, float, double, -0.0, a + (double)v * (double)w, a + b)     \
  LOOPS(PAIR_LOOP, sum_F64, v) LOOPS(PAIR_LOOP, squares_F64, v *v) LOOPS(PAIR_LOOP, dot_F64, v *w)
#ifdef WEFT__WIDEST_TARGET
FLOAT_SUMS(WEFT__BOTH)
VECTORS(sum_F32, weft__row_sum_f32)
VECTORS(squares_F32, weft__row_squares_f32)
VECTORS(dot_F32, weft__row_dot_f32)
VECTORS(sum_F64, weft__row_sum_f64)
VECTORS(squares_F64, weft__row_squares_f64)
VECTORS(dot_F64, weft__row_dot_f64)
#else
FLOAT_SUMS(WEFT__EACH)
#endif

/// Sums of `columns` floats of rows that are `step` elements apart. A few rows are added before a sum is stored.
typedef void column_sums(double *restrict sum, const float *x, size_t rows, size_t step, size_t columns);
#define COLUMN_LOOP(TARGET, NAME, term)                                                                     \
  TARGET static void NAME(double *restrict sum, const float *x, size_t rows, size_t step, size_t columns) { \
    for (size_t l = 0; l < columns; l++) sum[l] = -0.0;                                                     \
    for (; rows >= 4; rows -= 4, x += 4 * step)                                                             \
      for (size_t l = 0; l < columns; l++)                                                                  \
        for (size_t k = 0; k < 4; k++) {                                                                    \
          const double v = (double)x[k * step + l];                                                         \
          sum[l] += (term);                                                                                 \
        }                                                                                                   \
    for (; rows > 0; rows--, x += step)                                                                     \
      for (size_t l = 0; l < columns; l++) {                                                                \
        const double v = (double)x[l];                                                                      \
        sum[l] += (term);                                                                                   \
      }                                                                                                     \
  }
WEFT__EACH(COLUMN_LOOP, columns_sum, v)
WEFT__EACH(COLUMN_LOOP, columns_squares, v *v)
#define WHOLE_EQUAL(D, T, least, most) WEFT__EACH(EQUAL_LOOP, equal_##D, T, T)
INTEGERS(WHOLE_EQUAL)
WHOLE_EQUAL(BOOL, uint8_t, , )
WEFT__EACH(EQUAL_LOOP, equal_F32, float, uint32_t)
WEFT__EACH(EQUAL_LOOP, equal_F64, double, uint64_t)

/* ---- which loop ---- */

enum { ANY, ALL, MIN, MAX, NANMIN, NANMAX, ARGMIN, ARGMAX, COUNT, SUM, SQUARES, DOT, EQUAL, NO_LOOP };

#define ROW(ID, name, D) [ID][WEFT_##D] = WEFT__ALL(name##_##D),
#define ROWS_OF_ALL(D, T, least, most) \
  ROW(ANY, any, D)                     \
  ROW(EQUAL, equal, D)                 \
  ROW(ALL, all, D)                     \
  ROW(MIN, min, D) ROW(MAX, max, D) ROW(ARGMIN, argmin, D) ROW(ARGMAX, argmax, D) ROW(COUNT, count, D) ROW(SUM, sum, D)
#define ROWS_OF_PRODUCTS(D, T, least, most) ROW(DOT, dot, D)
#define ROWS_OF_FLOATS(D, T, least, most) \
  ROW(DOT, dot, D) ROW(SQUARES, squares, D) ROW(NANMIN, nanmin, D) ROW(NANMAX, nanmax, D)
/// By the dtype of the elements, and WEFT__WIDTH.
static reduction *const row_loops[NO_LOOP][WEFT_DTYPE_COUNT][3] = {INTEGERS(ROWS_OF_ALL) FLOATS(
    ROWS_OF_ALL) ROWS_OF_ALL(BOOL, , , ) INTEGERS(ROWS_OF_PRODUCTS) FLOATS(ROWS_OF_FLOATS)};

/// What a sum adds up.
static int sum_of(const weft__reduce_what *what, weft_dtype dtype) {
  const bool whole = weft__is_whole(dtype),
             is_product = what->source == WEFT__SOURCE_PRODUCT || what->source == WEFT__SOURCE_CONJUGATE_PRODUCT;
  if (what->term == WEFT__TERM_NOT_ZERO) return COUNT;
  if (what->term == WEFT__TERM_MAGNITUDE || (whole && (what->cell != WEFT_U64 || what->term))) return NO_LOOP;
  if (!whole && (what->cell != WEFT_F64 || what->pair != (dtype == WEFT_F64))) return NO_LOOP;
  return is_product ? DOT : what->term == WEFT__TERM_SQUARE ? SQUARES : SUM;
}

/// What is computed over elements of the dtype; NO_LOOP: what has no loop.
static int what_of(const weft__reduce_what *what, weft_dtype dtype) {
  const bool skips = what->skip_nan && !weft__is_whole(dtype);
  if (what->two || what->counted || what->magnitude || what->source == WEFT__SOURCE_BOTH || weft__is_narrow(dtype) ||
      weft_dtype_kind(dtype) == 'c')
    return NO_LOOP;
  switch (what->gather) {
    case WEFT__GATHER_ANY:
      return skips ? NO_LOOP : ANY;
    case WEFT__GATHER_ALL:
      return skips ? NO_LOOP : ALL;
    case WEFT__GATHER_BEST:
      return (what->greatest ? MAX : MIN) + (skips ? NANMIN - MIN : 0);
    case WEFT__GATHER_WHERE:
      return skips ? NO_LOOP : what->greatest ? ARGMAX : ARGMIN;
    case WEFT__GATHER_RANGE:
      return MIN; /* and MAX */
    case WEFT__GATHER_SUM:
      return skips ? NO_LOOP : sum_of(what, dtype);
    default:
      return NO_LOOP;
  }
}

static reduction *find(int id, weft_dtype dtype) {
  return id == NO_LOOP ? NULL : row_loops[id][dtype][WEFT__WIDTH];
}

static reduction *loop_of(const weft__reduce_what *what, weft_dtype dtype) {
  return find(what_of(what, dtype), dtype);
}

/* ---- calls ---- */

static bool is_sum_of_floats(const weft__reduce_what *what, weft_dtype dtype) {
  return what->gather == WEFT__GATHER_SUM && weft_dtype_kind(dtype) == 'f' && what->term != WEFT__TERM_NOT_ZERO;
}

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

/// The root of the sum of n squares that are `stride` elements apart, of which the sum itself is no normal number.
static double far_root(const double *x, size_t n, size_t stride) {
  double greatest = 0;
  long double sum = 0;
  int exponent;
  for (size_t m = 0; m < n; m++) greatest = fmax(greatest, fabs(x[m * stride]));
  if (greatest == 0 || isinf(greatest)) return greatest;
  (void)frexp(greatest, &exponent);
  for (size_t m = 0; m < n; m++) {
    const double scaled = ldexp(x[m * stride], -exponent);
    sum += scaled * scaled;
  }
  return ldexp(sqrt((double)sum), exponent);
}

/// Stores the result of the row's sum of floats. `stride`: as of a loop.
static void store_row(char *to, const weft__reduce_what *what, double sum, const void *from, size_t n, size_t stride) {
  double root;
  if (what->far && (sum < 0x1p-900 || sum > 0x1p900)) {
    root = far_root(from, n, stride ? stride : 1);
    memcpy(to, &root, sizeof root);
  } else {
    store_sum(to, what, sum, (double)n);
  }
}

/// Stores the distance from the least to the greatest element; of integers with wraparound.
static void store_range(char *to, weft_dtype dtype, const char *least, const char *most) {
  switch (dtype) {
#define DISTANCE(D, T, U)        \
  case WEFT_##D: {               \
    T a, b;                      \
    memcpy(&a, least, sizeof a); \
    memcpy(&b, most, sizeof b);  \
    a = (T)((U)b - (U)a);        \
    memcpy(to, &a, sizeof a);    \
    break;                       \
  }
    DISTANCE(I8, int8_t, uint32_t)
    DISTANCE(U8, uint8_t, uint32_t)
    DISTANCE(I16, int16_t, uint32_t)
    DISTANCE(U16, uint16_t, uint32_t)
    DISTANCE(I32, int32_t, uint32_t)
    DISTANCE(U32, uint32_t, uint32_t)
    DISTANCE(I64, int64_t, uint64_t)
    DISTANCE(U64, uint64_t, uint64_t)
    DISTANCE(F32, float, float)
    default:
      DISTANCE(F64, double, double)
  }
}

/// Reduces a row; `stride`: as of a loop.
static void reduce(char *to, const weft__reduce_what *what, reduction *loop, weft_dtype dtype,
                   const void *const from[2], size_t n, size_t stride) {
  union {
    double number;
    char bytes[8];
  } result, most;
  loop(&result, from, n, stride);
  if (what->gather == WEFT__GATHER_RANGE) {
    find(MAX, dtype)(&most, from, n, stride);
    store_range(to, dtype, result.bytes, most.bytes);
  } else if (is_sum_of_floats(what, dtype)) {
    store_row(to, what, result.number, from[0], n, stride);
  } else {
    memcpy(to, result.bytes, weft_dtype_size_bytes((weft_dtype)what->result));
  }
}

/// Whether parts of a row may be reduced apart: their results do not depend on the order.
static bool goes_by_parts(int id) {
  return id == ANY || id == ALL || id == COUNT;
}

bool weft__reduce_may_at_once(const weft__call *c, const weft__reduce_task *task, weft_array *const *inputs,
                              int arrays) {
  const weft__core *core = &c->context->core;
  const weft__reduce_what *what = &task->what;
  const weft_dtype dtype = task->plan ? task->plan->result[0] : inputs[0]->dtype;
  const int id = what_of(what, dtype);
  const size_t most = weft__at_once_bytes(core);
  size_t bytes = 0;
  if ((inputs[0]->size > MOST_ELEMENTS && id != ANY && id != ALL) || !find(id, dtype) || core->reproducible ||
      !core->device->quirks.wraps_in_place)
    return false;
  for (int k = 0; k < arrays; k++) {
    const size_t one = (size_t)weft_array_size_bytes(inputs[k]);
    if (inputs[k]->offset_bytes % (int64_t)weft_dtype_size_bytes(inputs[k]->dtype)) return false;
    if (one > MOST_BYTES || (!task->plan && inputs[k]->dtype != dtype)) return false;
    bytes += one;
  }
  if (!task->plan) return arrays <= 2 && bytes <= most;
  if (what->source != WEFT__SOURCE_FORMULA || !task->plan->twin.nodes || what->mapped != dtype) return false;
  if (goes_by_parts(id)) return bytes <= most;
  return (size_t)inputs[0]->size * weft_dtype_size_bytes(dtype) <= VALUES_ROOM;
}

/// The loop over both arrays if a formula only asks whether they are equal; NULL: another one.
static reduction *equality_of(const weft__reduce_task *task, weft_array *const *inputs) {
  const weft__formula *f = task->plan ? &task->plan->formula : NULL;
  if (!f || f->count != 3 || f->inputs != 2 || task->what.gather != WEFT__GATHER_ALL) return NULL;
  const weft__node *node = &f->node[2], *a = &f->node[0], *b = &f->node[1];
  const bool are_inputs = a->kind == WEFT__NODE_INPUT && b->kind == WEFT__NODE_INPUT && a->index != b->index;
  if (node->kind != WEFT__NODE_APPLY || node->op != WEFT_UFUNC_EQUAL || !are_inputs) return NULL;
  if (a->dtype != b->dtype || a->dtype != inputs[0]->dtype || a->dtype != inputs[1]->dtype) return NULL;
  return find(EQUAL, a->dtype);
}

/// A formula's values, as far as its twin has computed them.
typedef struct values {
  weft_context *context;
  const weft__reduce_task *task;
  weft_array *const *inputs;
  int arrays;
  weft_dtype dtype;
  char *room; /* for a block */
} values;

/// Reduces elements `begin` to `begin + count`.
static weft_status reduce_block(bool *is_done, char *to, const values *w, int64_t begin, int64_t count) {
  const weft__reduce_task *task = w->task;
  const weft_shape shape = WEFT_SHAPE(count);
  weft_array part[1 + WEFT__REDUCE_INPUTS]; /* not zeroed: it is large */
  weft_array *array[1 + WEFT__REDUCE_INPUTS];
  const void *const from[2] = {w->room, w->room};
  for (int k = 0; k <= w->arrays; k++) {
    array[k] = &part[k];
    if (k == 0) {
      part[k] = (weft_array){.context = w->context, .dtype = w->dtype};
    } else {
      part[k] = weft__array_borrow(w->inputs[k - 1]);
      part[k].offset_bytes += begin * (int64_t)weft_dtype_size_bytes(part[k].dtype);
    }
    weft__set_contiguous(&part[k], shape);
  }
  const weft__map_run map = {task->plan, shape, array, task->scalars};
  WEFT__TRY_RETURN(weft__twin_run(is_done, &map, w->room));
  const size_t n = (size_t)count;
  if (*is_done) reduce(to, &task->what, loop_of(&task->what, w->dtype), w->dtype, from, n, n < WEFT__REDUCE_CPU_SHORT);
  return WEFT_OK;
}

/// Reduces the values of a formula: all of them, or block after block until the result is known.
static weft_status reduce_values(bool *is_done, char *to, const weft__call *c, const weft__reduce_task *task,
                                 weft_array *const *inputs, int arrays) {
  values w = {c->context, task, inputs, arrays, task->plan->result[0], NULL};
  const int id = what_of(&task->what, w.dtype);
  const int64_t n = inputs[0]->size, block = goes_by_parts(id) && n > VALUES_BLOCK ? VALUES_BLOCK : n;
  const size_t bytes = (size_t)block * weft_dtype_size_bytes(w.dtype);
  uint64_t total = 0, count = 0;
  weft_status rc = WEFT_OK;
  bool is_decided = false;
  w.room = malloc(bytes);
  if (!w.room) return weft__fail_host_memory(bytes);
  *is_done = true;
  for (int64_t begin = 0; begin < n && *is_done && !is_decided; begin += block) {
    WEFT__TRY(
        reduce_block(is_done, id == COUNT ? (char *)&count : to, &w, begin, n - begin < block ? n - begin : block));
    total += count;
    is_decided = (id == ANY && *to) || (id == ALL && !*to);
  }
  if (*is_done && id == COUNT) memcpy(to, &total, sizeof total);
done:
  free(w.room);
  return rc;
}

/// Whether the first elements of a larger array may decide.
static bool may_look(const weft__reduce_task *task, const weft_array *x, const weft__strided_split *s) {
  const int id = what_of(&task->what, x->dtype);
  return !task->plan && s->outer == 1 && s->length_stride == 1 && (id == ANY || id == ALL) &&
         x->offset_bytes % (int64_t)weft_dtype_size_bytes(x->dtype) == 0 &&
         (size_t)weft_array_size_bytes(x) > FIRST_BYTES;
}

/// Reduces the rows of arrays that begin at `from`.
static void reduce_rows(char *to, const weft__reduce_what *what, weft_dtype dtype, const char *const from[2],
                        const size_t size[2], const weft__strided_split *s) {
  reduction *const loop = loop_of(what, dtype);
  const size_t result_bytes = weft_dtype_size_bytes((weft_dtype)what->result), n = (size_t)s->length;
  const bool is_short = s->length < WEFT__REDUCE_CPU_SHORT || s->length_stride != 1;
  const size_t stride = !is_short ? 0 : n > 1 ? (size_t)s->length_stride : 1;
  const bool is_direct = what->gather == WEFT__GATHER_WHERE || what->gather == WEFT__GATHER_BEST;
  const bool is_sum = is_sum_of_floats(what, dtype);
  for (int64_t r = 0; r < s->outer; r++) {
    const size_t at = (size_t)(r * s->outer_stride);
    const void *const begin[2] = {from[0] + at * size[0], from[1] + at * size[1]};
    double sum;
    if (is_direct)
      loop(to + (size_t)r * result_bytes, begin, n, stride);
    else if (is_sum)
      loop(&sum, begin, n, stride), store_row(to + (size_t)r * result_bytes, what, sum, begin[0], n, stride);
    else
      reduce(to + (size_t)r * result_bytes, what, loop, dtype, begin, n, stride);
  }
}

/// Whether floats are added up: of several rows for one result, or of columns.
static bool adds_rows(const weft__reduce_what *what, weft_dtype dtype) {
  const int id = what_of(what, dtype);
  return dtype == WEFT_F32 && (id == SUM || id == SQUARES);
}

/// Results of `each` rows of floats, in the order of cl/reduce/cpu_finish.cl.
static void add_rows(char *to, const weft__reduce_what *what, const char *from, const weft__strided_split *s,
                     int64_t each) {
  reduction *const loop = loop_of(what, WEFT_F32);
  const size_t result_bytes = weft_dtype_size_bytes((weft_dtype)what->result), n = (size_t)s->length;
  const size_t stride = s->length < WEFT__REDUCE_CPU_SHORT || s->length_stride != 1 ? (size_t)s->length_stride : 0;
  const int64_t results = s->outer / each;
  for (int64_t r = 0; r < results; r++) {
    double sum = 0;
    for (int64_t k = 0; k < each; k++) {
      const char *begin = from + (size_t)((k * results + r) * s->outer_stride) * sizeof(float);
      double part;
      loop(&part, (const void *const[]){begin, begin}, n, stride);
      sum = k ? sum + part : part;
    }
    store_sum(to + (size_t)r * result_bytes, what, sum, (double)(s->length * each));
  }
}

/// Sums along the columns of rows, in the order of cl/reduce/cpu.cl.
static void add_columns(char *to, const weft__reduce_what *what, const char *from, const weft__strided_split *s) {
  static column_sums *const loops[][3] = {WEFT__ALL(columns_sum), WEFT__ALL(columns_squares)};
  column_sums *const loop = loops[what->term == WEFT__TERM_SQUARE][WEFT__WIDTH];
  const size_t result_bytes = weft_dtype_size_bytes((weft_dtype)what->result);
  double sum[COLUMNS];
  for (int64_t o = 0; o < s->outer; o++)
    for (int64_t first = 0; first < s->inner; first += COLUMNS) {
      const float *x = (const float *)(const void *)from + o * s->outer_stride + first;
      const size_t columns = (size_t)(s->inner - first < COLUMNS ? s->inner - first : COLUMNS);
      loop(sum, x, (size_t)s->length, (size_t)s->length_stride, columns);
      for (size_t l = 0; l < columns; l++, to += result_bytes) store_sum(to, what, sum[l], (double)s->length);
    }
}

/// Whether the loops here serve this division of the elements.
static bool fits_loops(const weft__reduce_task *task, weft_array *const *inputs, int arrays,
                       const weft__strided_split *s, int64_t each) {
  const bool adds = adds_rows(&task->what, inputs[0]->dtype);
  if (task->plan && (s->outer > 1 || s->length_stride != 1)) return false;
  if (each > 1 && !adds) return false;
  if (s->inner > 1) return adds && arrays == 1 && inputs[0]->size <= MOST_IN_COLUMNS;
  return s->outer == 1 || s->length >= LANES || inputs[0]->size <= MOST_SHORT;
}

weft_status weft__reduce_at_once(bool *is_done, const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                 weft_array *const *inputs, int arrays, const weft__strided_split *s, int64_t each) {
  weft__use use[3] = {{out->storage, true}};
  char *place[3];
  const char *from[2];
  *is_done = false;
  const bool may = weft__reduce_may_at_once(c, task, inputs, arrays);
  if (out->dtype != (weft_dtype)task->what.result || (!may && !may_look(task, inputs[0], s))) return WEFT_OK;
  if (!fits_loops(task, inputs, arrays, s, each)) return WEFT_OK;
  reduction *const equality = arrays == 2 ? equality_of(task, inputs) : NULL;
  const bool is_formula = task->plan && !equality;
  for (int k = 0; k < arrays && !is_formula; k++) use[k + 1] = (weft__use){inputs[k]->storage, false};
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &c->context->core, is_formula ? 1 : arrays + 1, use));
  if (!*is_done) return WEFT_OK;
  char *const to = place[0] + out->offset_bytes;
  if (is_formula) return reduce_values(is_done, to, c, task, inputs, arrays);
  size_t size[2];
  for (int k = 0; k < 2; k++) {
    const int at = k < arrays ? k : 0;
    from[k] = place[at + 1] + inputs[at]->offset_bytes;
    size[k] = weft_dtype_size_bytes(inputs[at]->dtype);
  }
  if (equality) {
    equality(to, (const void *const[]){from[0], from[1]}, (size_t)inputs[0]->size, 0);
    return WEFT_OK;
  }
  if (s->inner > 1) {
    add_columns(to, &task->what, from[0], s);
    return WEFT_OK;
  }
  if (each > 1) {
    add_rows(to, &task->what, from[0], s, each);
    return WEFT_OK;
  }
  const int64_t first = (int64_t)(FIRST_BYTES / weft_dtype_size_bytes(inputs[0]->dtype));
  const weft__strided_split looked = {.outer = 1, .length = first, .inner = 1, .length_stride = 1};
  reduce_rows(to, &task->what, inputs[0]->dtype, from, size, may ? s : &looked);
  *is_done = may || (*to != 0) == (task->what.gather == WEFT__GATHER_ANY);
  return WEFT_OK;
}

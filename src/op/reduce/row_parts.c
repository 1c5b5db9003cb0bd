// SPDX-License-Identifier: MIT
/// What the loops of op/reduce/row_loops.c leave of rows and of parts of them, and the results.
#include <math.h>
#include <string.h>

#include "base/float_bits.h"
#include "expr/overload.h"
#include "op/reduce/row_loops.h"

static bool is_sum_of_floats(const weft__reduce_what *what, weft_dtype dtype) {
  return what->gather == WEFT__GATHER_SUM && weft_dtype_kind(dtype) == 'f' && what->term != WEFT__TERM_NOT_ZERO;
}

static double sum_of_pair(const double pair[2]) {
  return isfinite(pair[0]) && pair[1] != 0 ? pair[0] + pair[1] : pair[0];
}

static void store_number(char *to, const weft__reduce_what *what, double value) {
  const float near = (float)value;
  uint16_t narrow;
  if (what->result == WEFT_F32) {
    memcpy(to, &near, sizeof near);
  } else if (what->result == WEFT_F64) {
    memcpy(to, &value, sizeof value);
  } else {
    narrow = (what->result == WEFT_F16 ? weft__f16_of_f32 : weft__bf16_of_f32)(weft__f32_for_narrower(value));
    memcpy(to, &narrow, sizeof narrow);
  }
}

/// Stores an element that the loops have, of at least 4 bytes of memory.
static void store_element(char *to, const weft__reduce_what *what, const void *element) {
  float value;
  memcpy(&value, element, sizeof value);
  if (weft__is_narrow((weft_dtype)what->result))
    store_number(to, what, (double)value);
  else
    memcpy(to, element, weft_dtype_size_bytes((weft_dtype)what->result));
}

/// The root of the sum of squares, of which the sum itself is no normal number.
static double far_root(const weft__row_elements *of) {
  const double *x = of->from;
  double greatest = 0;
  long double sum = 0;
  int exponent;
  for (int64_t r = 0; r < of->rows; r++)
    for (int64_t m = 0; m < of->n; m++) greatest = fmax(greatest, fabs(x[r * of->apart + m * of->stride]));
  if (greatest == 0 || isinf(greatest)) return greatest;
  (void)frexp(greatest, &exponent);
  for (int64_t r = 0; r < of->rows; r++)
    for (int64_t m = 0; m < of->n; m++) {
      const double scaled = ldexp(x[r * of->apart + m * of->stride], -exponent);
      sum += scaled * scaled;
    }
  return ldexp(sqrt((double)sum), exponent);
}

/// Stores the result of a sum of floats.
static void store_sum(char *to, const weft__reduce_what *what, double sum, double count) {
  store_number(to, what,
               what->finish == WEFT__FINISH_MEAN   ? sum / count
               : what->finish == WEFT__FINISH_ROOT ? sqrt(sum)
                                                   : sum);
}

/// The distance from the least to the greatest element; of integers with wraparound.
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

static void store_variance(char *to, const weft__reduce_what *what, const weft__row_variance *v, int64_t ddof) {
  const int64_t freedom = (int64_t)v->n - ddof;
  const double by = (double)(freedom > 0 ? freedom : 0),
               variance = what->skip_nan && by == 0 ? (double)NAN : v->squares / by;
  store_number(to, what, what->finish == WEFT__FINISH_ROOT ? sqrt(variance) : variance);
}

void weft__row_reduce(weft__row_part *part, weft__row_loop *loop, const weft__reduce_what *what, weft_dtype dtype,
                      const void *const from[2], size_t n, size_t stride) {
  loop(part, from, n, stride);
  if (what->counted) weft__row_loop_find(WEFT__ROW_NUMBERS, dtype)(&part->place, from, n, stride);
  if (what->gather == WEFT__GATHER_RANGE) weft__row_loop_find(WEFT__ROW_MAX, dtype)(part->most, from, n, stride);
  if (what->gather == WEFT__GATHER_WHERE) {
    const size_t size = weft_dtype_size_bytes(dtype);
    const size_t place = part->value.place < 0 ? 0 : (size_t)part->value.place; /* negative: there are only NaNs */
    part->place = part->value.place;
    memcpy(part->value.bytes, (const char *)from[0] + place * (stride ? stride : 1) * size, size);
  }
}

void weft__row_move_place(weft__row_part *part, const weft__reduce_what *what, int64_t first) {
  if (what->gather == WEFT__GATHER_WHERE && part->place >= 0) part->place += first;
}

/// Combines parts by the loop of what they are, as its elements.
static void join_by(void *to, int id, weft_dtype dtype, const char *first, size_t count, size_t apart) {
  const void *const from[2] = {first, first};
  char result[8];
  weft__row_loop_find(id, dtype)(result, from, count, apart * sizeof(weft__row_part) / weft_dtype_size_bytes(dtype));
  memcpy(to, result, sizeof result);
}

void weft__row_join(weft__row_part *part, const weft__reduce_what *what, weft_dtype dtype, size_t count, size_t apart) {
  const bool is_sum_of_pairs = is_sum_of_floats(what, dtype);
  const char *first = part->value.bytes;
  for (size_t k = apart; k < count * apart; k += apart)
    if (what->gather == WEFT__GATHER_VARIANCE) {
      weft__row_join_variances(&part->variance, &part[k].variance);
    } else if (is_sum_of_pairs) {
      const double a = part->pair[0], b = part[k].pair[0], sum = a + b, z = sum - a;
      part->pair[0] = sum;
      if (what->pair) part->pair[1] = part->pair[1] + ((a - (sum - z)) + (b - z)) + part[k].pair[1];
      if (what->counted) part->place += part[k].place;
    }
  if (count == 1 || what->gather == WEFT__GATHER_VARIANCE || is_sum_of_pairs) return;
  const int id = weft__row_loop_id(what, dtype);
  if (what->gather == WEFT__GATHER_RANGE) join_by(part->most, WEFT__ROW_MAX, dtype, part->most, count, apart);
  if (what->gather == WEFT__GATHER_WHERE) {
    int64_t best;
    join_by(&best, id, dtype, first, count, apart);
    if (best > 0) {
      part->place = part[(size_t)best * apart].place;
      memcpy(part->value.bytes, part[(size_t)best * apart].value.bytes, sizeof part->value.bytes);
    }
  } else if (what->gather == WEFT__GATHER_SUM || what->gather == WEFT__GATHER_PROD) {
    const bool is_sum = what->gather == WEFT__GATHER_SUM;
    const weft_dtype cell = what->cell == WEFT_F64 ? WEFT_F64 : WEFT_U64;
    join_by(part, is_sum ? WEFT__ROW_SUM : WEFT__ROW_PROD, cell, first, count, apart);
  } else {
    const bool is_all = what->gather == WEFT__GATHER_ALL, is_truth = is_all || what->gather == WEFT__GATHER_ANY;
    join_by(part, is_all ? WEFT__ROW_ALL : id, is_truth ? WEFT_BOOL : dtype, first, count, apart);
  }
}

/// Stores the result of a row's sum of floats.
static void store_row(char *to, const weft__reduce_what *what, weft_dtype dtype, const weft__row_part *part,
                      const weft__row_elements *of) {
  const double sum = what->pair ? sum_of_pair(part->pair) : part->pair[0];
  const int64_t count = what->counted ? part->place : of->rows * of->n;
  if (what->far && dtype == WEFT_F64 && (sum < 0x1p-900 || sum > 0x1p900))
    store_number(to, what, far_root(of));
  else
    store_sum(to, what, sum, (double)count);
}

void weft__row_store(char *to, const weft__reduce_what *what, weft_dtype dtype, const weft__row_part *part,
                     const weft__row_elements *of, int64_t ddof) {
  int64_t sum;
  char range[8];
  if (what->gather == WEFT__GATHER_VARIANCE) {
    store_variance(to, what, &part->variance, ddof);
  } else if (what->gather == WEFT__GATHER_RANGE) {
    store_range(range, dtype, part->value.bytes, part->most);
    store_element(to, what, range);
  } else if (is_sum_of_floats(what, dtype)) {
    store_row(to, what, dtype, part, of);
  } else if (what->gather == WEFT__GATHER_SUM && what->finish == WEFT__FINISH_MEAN) {
    memcpy(&sum, part, sizeof sum);
    store_number(to, what, (double)sum / (double)(of->rows * of->n));
  } else if (what->gather == WEFT__GATHER_PROD && what->cell == WEFT_F64) {
    store_number(to, what, part->pair[0]);
  } else {
    store_element(to, what, what->gather == WEFT__GATHER_WHERE ? (const void *)&part->place : part);
  }
}

static inline void copy_values(char *to, const weft__row_part *part, size_t n, size_t bytes, bool are_places) {
  for (size_t k = 0; k < n; k++)
    memcpy(to + k * bytes, are_places ? (const void *)&part[k].place : (const void *)&part[k], bytes);
}

/// Stores n sums of floats.
static void store_sums(char *to, const weft__reduce_what *what, const weft__row_part *part, size_t n, double length) {
  const bool is_plain = what->finish == WEFT__FINISH_PLAIN, is_f32 = what->result == WEFT_F32;
  const size_t bytes = weft_dtype_size_bytes((weft_dtype)what->result);
  size_t k = 0;
  for (; k < n && is_plain && is_f32 && !what->pair; k++) {
    const float sum = (float)part[k].pair[0];
    memcpy(to + k * sizeof sum, &sum, sizeof sum);
  }
  for (; k < n && is_plain && !is_f32 && what->pair; k++) {
    const double sum = sum_of_pair(part[k].pair);
    memcpy(to + k * sizeof sum, &sum, sizeof sum);
  }
  for (; k < n; k++) store_sum(to + k * bytes, what, what->pair ? sum_of_pair(part[k].pair) : part[k].pair[0], length);
}

bool weft__row_store_values(char *to, const weft__reduce_what *what, weft_dtype dtype, const weft__row_part *part,
                            size_t n, double length, int64_t ddof) {
  const size_t bytes = weft_dtype_size_bytes((weft_dtype)what->result);
  if (what->counted || what->far || weft__is_narrow((weft_dtype)what->result)) return false;
  if (is_sum_of_floats(what, dtype)) {
    store_sums(to, what, part, n, length);
  } else if (what->gather == WEFT__GATHER_VARIANCE) {
    for (size_t k = 0; k < n; k++) store_variance(to + k * bytes, what, &part[k].variance, ddof);
  } else if (what->gather == WEFT__GATHER_RANGE || what->finish == WEFT__FINISH_MEAN ||
             (what->gather == WEFT__GATHER_PROD && what->cell == WEFT_F64)) {
    return false;
  } else if (bytes == 1) {
    copy_values(to, part, n, 1, false);
  } else if (bytes == 2) {
    copy_values(to, part, n, 2, false);
  } else if (bytes == 4) {
    copy_values(to, part, n, 4, false);
  } else {
    copy_values(to, part, n, 8, what->gather == WEFT__GATHER_WHERE);
  }
  return true;
}

void weft__row_reduce_rows(char *to, const weft__row_sharing *t, const char *const from[2], int64_t rows) {
  const weft__reduce_what *what = &t->what;
  const weft_dtype dtype = (weft_dtype)t->dtype;
  weft__row_loop *const loop = weft__row_loop_of(what, dtype);
  const size_t result_bytes = weft_dtype_size_bytes((weft_dtype)what->result), n = (size_t)t->s.length;
  const size_t stride = n < WEFT__REDUCE_CPU_SHORT;
  const int64_t row_bytes = t->s.outer_stride * (int64_t)weft_dtype_size_bytes(dtype);
  const bool is_direct = what->gather == WEFT__GATHER_WHERE || what->gather == WEFT__GATHER_BEST;
  const bool is_sum = is_sum_of_floats(what, dtype) && !what->counted;
  weft__row_elements of = {NULL, 1, 0, t->s.length, 1};
  weft__row_part part;
  for (int64_t r = 0; r < rows; r++, to += result_bytes) {
    const void *const begin[2] = {from[0] + r * row_bytes, from[1] + r * row_bytes};
    of.from = begin[0];
    if (is_direct) {
      loop(to, begin, n, stride);
    } else if (is_sum) {
      loop(&part, begin, n, stride);
      store_row(to, what, dtype, &part, &of);
    } else {
      weft__row_reduce(&part, loop, what, dtype, begin, n, stride);
      weft__row_store(to, what, dtype, &part, &of, t->ddof);
    }
  }
}

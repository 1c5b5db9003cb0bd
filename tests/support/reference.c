// SPDX-License-Identifier: MIT
#include "reference.h"

#include <stdio.h>

#include "views.h"

static bool is_whole(weft_dtype dtype) {
  char kind = weft_dtype_kind(dtype);
  return kind == 'b' || kind == 'i' || kind == 'u';
}

static weft_dtype real_dtype(weft_dtype dtype) {
  return dtype == WEFT_C64 ? WEFT_F32 : dtype == WEFT_C128 ? WEFT_F64 : dtype;
}

static bool skips_nan(weft_reduction_id id) {
  static const bool skips[WEFT_REDUCE_COUNT] = {
      [WEFT_REDUCE_NANSUM] = true,  [WEFT_REDUCE_NANPROD] = true,   [WEFT_REDUCE_NANMIN] = true,
      [WEFT_REDUCE_NANMAX] = true,  [WEFT_REDUCE_NANARGMIN] = true, [WEFT_REDUCE_NANARGMAX] = true,
      [WEFT_REDUCE_NANMEAN] = true, [WEFT_REDUCE_NANVAR] = true,    [WEFT_REDUCE_NANSTD] = true};
  return skips[id];
}

weft_dtype reference_dtype(weft_reduction_id id, weft_dtype dtype) {
  switch (id) {
    case WEFT_REDUCE_SUM:
    case WEFT_REDUCE_PROD:
    case WEFT_REDUCE_NANSUM:
    case WEFT_REDUCE_NANPROD:
      return !is_whole(dtype) ? dtype : weft_dtype_kind(dtype) == 'u' ? WEFT_U64 : WEFT_I64;
    case WEFT_REDUCE_MIN:
    case WEFT_REDUCE_MAX:
    case WEFT_REDUCE_PTP:
    case WEFT_REDUCE_NANMIN:
    case WEFT_REDUCE_NANMAX:
      return dtype;
    case WEFT_REDUCE_ANY:
    case WEFT_REDUCE_ALL:
      return WEFT_BOOL;
    case WEFT_REDUCE_MEAN:
    case WEFT_REDUCE_NANMEAN:
      return is_whole(dtype) ? WEFT_F64 : dtype;
    case WEFT_REDUCE_VAR:
    case WEFT_REDUCE_STD:
    case WEFT_REDUCE_NORM:
    case WEFT_REDUCE_NANVAR:
    case WEFT_REDUCE_NANSTD:
      return is_whole(dtype) ? WEFT_F64 : real_dtype(dtype);
    default:
      return WEFT_I64;
  }
}

reference_number reference_get(weft_dtype dtype, const void *element) {
  reference_number n = {0, 0, 0};
#define READ(DTYPE, type)          \
  case DTYPE: {                    \
    type x;                        \
    memcpy(&x, element, sizeof x); \
    n.re = (long double)x;         \
    n.i = (int64_t)x;              \
    break;                         \
  }
#define READ_FLOAT(DTYPE, type)                       \
  case DTYPE: {                                       \
    type x[2] = {0, 0};                               \
    memcpy(x, element, weft_dtype_size_bytes(dtype)); \
    n.re = x[0];                                      \
    n.im = x[1];                                      \
    break;                                            \
  }
  switch (dtype) {
    READ(WEFT_BOOL, uint8_t)
    READ(WEFT_I8, int8_t)
    READ(WEFT_I16, int16_t)
    READ(WEFT_I32, int32_t)
    READ(WEFT_I64, int64_t)
    READ(WEFT_U8, uint8_t)
    READ(WEFT_U16, uint16_t)
    READ(WEFT_U32, uint32_t)
    READ(WEFT_U64, uint64_t)
    READ_FLOAT(WEFT_F32, float)
    READ_FLOAT(WEFT_F64, double)
    READ_FLOAT(WEFT_C64, float)
    READ_FLOAT(WEFT_C128, double)
    default:
      n.re = element_get(dtype, element);
  }
  return n;
}

void reference_fill(harness_random *random, weft_dtype dtype, void *elements, int64_t count, weft_reduction_id id) {
  size_t size = weft_dtype_size_bytes(dtype);
  bool product = id == WEFT_REDUCE_PROD || id == WEFT_REDUCE_NANPROD;
  bool all_true = id == WEFT_REDUCE_ALL, rarely = id == WEFT_REDUCE_ANY;
  bool nan = skips_nan(id), special = harness_between(random, 0, 3) == 0 || nan, far = harness_between(random, 0, 1);
  for (int64_t k = 0; k < count; k++) {
    void *element = (char *)elements + (size_t)k * size;
    uint64_t bits = harness_bits(random);
    if (is_whole(dtype) && dtype != WEFT_BOOL && !all_true && !rarely && far) {
      memcpy(element, &bits, size);
      continue;
    }
    double re = (double)(bits % 4001) / 250 - 8, im = (double)(bits >> 32) / 4294967296.0 * 16 - 8;
    if (weft_dtype_kind(dtype) == 'u') re = fabs(re);
    if (product) re = 1 + (re - 0.25) / 1000, im = im / 1000;
    if (product && is_whole(dtype)) re = (double)(1 + bits % 3);
    if (dtype == WEFT_BOOL) re = bits >> 63 ? 1 : 0;
    if (all_true) re = bits % 3001 ? 1 : 0;
    if (rarely) re = im = bits % 3001 ? 0 : 1;
    if (special && !is_whole(dtype) && !rarely && bits % 101 == 0) {
      static const double values[] = {NAN, INFINITY, -INFINITY, -0.0, NAN};
      re = values[nan ? 4 * (bits >> 20 & 1) : (bits >> 20) % 5];
      if (nan && re == 0) re = NAN;
    }
    element_set(dtype, element, re, im);
  }
}

/* ---- the reductions ---- */

static bool is_nan(reference_number n) {
  return isnan(n.re) || isnan(n.im);
}

static int compare(weft_dtype dtype, reference_number a, reference_number b) {
  if (weft_dtype_kind(dtype) == 'u') return ((uint64_t)a.i > (uint64_t)b.i) - ((uint64_t)a.i < (uint64_t)b.i);
  if (is_whole(dtype)) return (a.i > b.i) - (a.i < b.i);
  if (a.re != b.re) return a.re > b.re ? 1 : -1;
  return (a.im > b.im) - (a.im < b.im);
}

/// Whether a is within `ulp` units of the last place of the dtype at `b`, plus `more`.
static bool is_near(weft_dtype dtype, long double a, long double b, double ulp, long double more) {
  static const int digits[WEFT_DTYPE_COUNT] = {[WEFT_F16] = 11, [WEFT_BF16] = 8, [WEFT_F32] = 24, [WEFT_F64] = 53};
  static const int least[WEFT_DTYPE_COUNT] = {
      [WEFT_F16] = -24, [WEFT_BF16] = -133, [WEFT_F32] = -149, [WEFT_F64] = -1074};
  static const double most[WEFT_DTYPE_COUNT] = {
      [WEFT_F16] = 65504, [WEFT_BF16] = 3.38e38, [WEFT_F32] = 3.4e38, [WEFT_F64] = 1.7e308};
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  if (isinf(a) || isinf(b)) return a == b || (isinf(a) && fabsl(b) >= most[dtype] * 0.999 && signbit(a) == signbit(b));
  int exponent = 0;
  frexpl(b, &exponent);
  exponent -= digits[dtype];
  if (exponent < least[dtype]) exponent = least[dtype];
  return fabsl(a - b) <= ulp * ldexpl(1, exponent) + more;
}

static const char *differs(weft_dtype dtype, reference_number got, reference_number expected, double ulp,
                           long double more) {
  static _Thread_local char why[200];
  bool same = is_whole(dtype) ? got.i == expected.i : is_near(real_dtype(dtype), got.re, expected.re, ulp, more);
  if (same && weft_dtype_kind(dtype) == 'c') same = is_near(real_dtype(dtype), got.im, expected.im, ulp, more);
  if (same) return NULL;
  if (is_whole(dtype))
    snprintf(why, sizeof why, "got %lld, expected %lld", (long long)got.i, (long long)expected.i);
  else
    snprintf(why, sizeof why, "got %.20Lg %.20Lg, expected %.20Lg %.20Lg", got.re, got.im, expected.re, expected.im);
  return why;
}

static reference_number best_of(weft_reduction_id id, weft_dtype dtype, const char *elements, int64_t count,
                                int64_t *where) {
  bool greatest =
      id == WEFT_REDUCE_MAX || id == WEFT_REDUCE_ARGMAX || id == WEFT_REDUCE_NANMAX || id == WEFT_REDUCE_NANARGMAX;
  bool skips = skips_nan(id);
  reference_number best = {NAN, NAN, 0};
  *where = -1;
  for (int64_t k = 0; k < count; k++) {
    reference_number n = reference_get(dtype, elements + (size_t)k * weft_dtype_size_bytes(dtype));
    if (skips && is_nan(n)) continue;
    bool takes = *where < 0 || (!is_nan(best) &&
                                (is_nan(n) || (greatest ? compare(dtype, n, best) > 0 : compare(dtype, n, best) < 0)));
    if (takes) best = n, *where = k;
  }
  return best;
}

static long double square(reference_number n) {
  return n.re * n.re + n.im * n.im;
}

/// Checks any kind of sum in long double; integers wrap around.
static const char *check_sum(weft_reduction_id id, weft_dtype dtype, double parameter, const char *elements,
                             int64_t count, reference_number got) {
  weft_dtype result = reference_dtype(id, dtype);
  bool skips = skips_nan(id);
  reference_number sum = {0, 0, 0};
  long double magnitude = 0, squares = 0;
  int64_t n = 0;
  for (int64_t k = 0; k < count; k++) {
    reference_number x = reference_get(dtype, elements + (size_t)k * weft_dtype_size_bytes(dtype));
    if (dtype == WEFT_U64) x.re = (long double)(uint64_t)x.i;
    if (skips && is_nan(x)) continue;
    n++;
    sum.re += x.re;
    sum.im += x.im;
    sum.i = (int64_t)((uint64_t)sum.i + (uint64_t)x.i);
    magnitude += fabsl(x.re) + fabsl(x.im);
    squares += square(x);
  }
  bool is_f64 = real_dtype(result) == WEFT_F64;
  long double more = magnitude * (device.has_fp64 ? (is_f64 ? 0x1p-58L : 0x1p-46L) : 0x1p-42L);
  if (!isfinite(more)) more = 0;
  switch (id) {
    case WEFT_REDUCE_NORM:
      (void)parameter;
      return differs(result, got, (reference_number){sqrtl(squares), 0, 0}, 2, 0);
    case WEFT_REDUCE_MEAN:
    case WEFT_REDUCE_NANMEAN:
      more /= n ? (long double)n : 1;
      if (dtype == WEFT_I64 || dtype == WEFT_U64) more = magnitude / (long double)n * 0x1p-52L;
      return differs(result, got, (reference_number){sum.re / n, sum.im / n, 0}, 1.5, more);
    default:
      return differs(result, got, sum, 1, more);
  }
}

static const char *check_variance(weft_reduction_id id, weft_dtype dtype, double ddof, const char *elements,
                                  int64_t count, reference_number got) {
  weft_dtype result = reference_dtype(id, dtype);
  bool skips = skips_nan(id), root = id == WEFT_REDUCE_STD || id == WEFT_REDUCE_NANSTD;
  long double re = 0, im = 0, squares = 0, most = 0;
  int64_t n = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) re /= n, im /= n;
    for (int64_t k = 0; k < count; k++) {
      reference_number x = reference_get(dtype, elements + (size_t)k * weft_dtype_size_bytes(dtype));
      if (skips && is_nan(x)) continue;
      most = fmaxl(most, fmaxl(fabsl(x.re), fabsl(x.im)));
      if (pass == 0)
        n++, re += x.re, im += x.im;
      else
        squares += (x.re - re) * (x.re - re) + (x.im - im) * (x.im - im);
    }
  }
  long double freedom = (long double)n - ddof, variance = freedom > 0 ? squares / freedom
                                                          : skips     ? NAN
                                                                      : squares / 0.0L;
  /* the means of the parts are rounded: a common offset costs that much precision, roots lose once less */
  long double more = most * (root ? 1 : sqrtl(variance)) * (device.has_fp64 ? 0x1p-48L : 0x1p-21L) +
                     (device.has_fp64 ? 0 : (root ? sqrtl(variance) : variance) * 1e-5L + (root ? 1e-5L : 1e-9L));
  if (!isfinite(more)) more = 0;
  return differs(result, got, (reference_number){root ? sqrtl(variance) : variance, 0, 0}, 16, more);
}

static const char *check_product(weft_reduction_id id, weft_dtype dtype, const char *elements, int64_t count,
                                 reference_number got) {
  reference_number p = {1, 0, 1};
  for (int64_t k = 0; k < count; k++) {
    reference_number x = reference_get(dtype, elements + (size_t)k * weft_dtype_size_bytes(dtype));
    if (skips_nan(id) && is_nan(x)) continue;
    const reference_number before = p;
    bool complex = weft_dtype_kind(dtype) == 'c';
    p.re = complex ? before.re * x.re - before.im * x.im : before.re * x.re;
    p.im = complex ? before.re * x.im + before.im * x.re : 0;
    p.i = (int64_t)((uint64_t)p.i * (uint64_t)x.i);
  }
  bool narrow = dtype == WEFT_C64 || !device.has_fp64;
  long double more = (fabsl(p.re) + fabsl(p.im)) * (long double)count * (narrow ? 0x1p-23L : 0x1p-52L);
  if (!isfinite(p.re) || !isfinite(p.im)) return NULL; /* complex products of infinities depend on the device */
  return differs(reference_dtype(id, dtype), got, p, 1, more);
}

static const char *check_range(weft_dtype dtype, const char *elements, int64_t count, reference_number got) {
  int64_t where;
  const reference_number least = best_of(WEFT_REDUCE_MIN, dtype, elements, count, &where),
                         most = best_of(WEFT_REDUCE_MAX, dtype, elements, count, &where);
  const uint64_t bits = (uint64_t)most.i - (uint64_t)least.i; /* wraps around in the dtype */
  return differs(
      dtype, got,
      (reference_number){most.re - least.re, most.im - least.im, is_whole(dtype) ? reference_get(dtype, &bits).i : 0},
      0.5, 0);
}

const char *reference_check(weft_reduction_id id, weft_dtype dtype, double parameter, const void *elements,
                            int64_t count, const void *result) {
  weft_dtype to = reference_dtype(id, dtype);
  reference_number got = reference_get(to, result), expected = {0, 0, 0};
  int64_t where;
  switch (id) {
    case WEFT_REDUCE_PROD:
    case WEFT_REDUCE_NANPROD:
      return check_product(id, dtype, elements, count, got);
    case WEFT_REDUCE_MIN:
    case WEFT_REDUCE_MAX:
    case WEFT_REDUCE_NANMIN:
    case WEFT_REDUCE_NANMAX:
      expected = best_of(id, dtype, elements, count, &where);
      if (is_nan(expected) && is_nan(got)) return NULL;
      return differs(to, got, expected, 0, 0);
    case WEFT_REDUCE_PTP:
      return check_range(dtype, elements, count, got);
    case WEFT_REDUCE_ARGMIN:
    case WEFT_REDUCE_ARGMAX:
    case WEFT_REDUCE_NANARGMIN:
    case WEFT_REDUCE_NANARGMAX:
      best_of(id, dtype, elements, count, &expected.i);
      return differs(to, got, expected, 0, 0);
    case WEFT_REDUCE_ANY:
    case WEFT_REDUCE_ALL:
    case WEFT_REDUCE_COUNT_NONZERO:
      for (int64_t k = 0; k < count; k++) {
        reference_number x = reference_get(dtype, (const char *)elements + (size_t)k * weft_dtype_size_bytes(dtype));
        expected.i += is_whole(dtype) ? x.i != 0 : x.re != 0 || x.im != 0;
      }
      if (id == WEFT_REDUCE_ANY) expected.i = expected.i > 0;
      if (id == WEFT_REDUCE_ALL) expected.i = expected.i == count;
      return differs(to, got, expected, 0, 0);
    case WEFT_REDUCE_VAR:
    case WEFT_REDUCE_STD:
    case WEFT_REDUCE_NANVAR:
    case WEFT_REDUCE_NANSTD:
      return check_variance(id, dtype, parameter, elements, count, got);
    default:
      return check_sum(id, dtype, parameter, elements, count, got);
  }
}

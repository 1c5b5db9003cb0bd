// SPDX-License-Identifier: MIT
#include "points.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846264338327950288

ulp_format ulp_format_of(weft_dtype dtype) {
  switch (dtype) {
    case WEFT_F16:
      return (ulp_format){11, -14, 15, dtype};
    case WEFT_BF16:
      return (ulp_format){8, FLT_MIN_EXP - 1, FLT_MAX_EXP - 1, dtype};
    case WEFT_F64:
      return (ulp_format){DBL_MANT_DIG, DBL_MIN_EXP - 1, DBL_MAX_EXP - 1, dtype};
    default:
      return (ulp_format){FLT_MANT_DIG, FLT_MIN_EXP - 1, FLT_MAX_EXP - 1, WEFT_F32};
  }
}

double ulp_read(const ulp_format *format, const void *array, size_t i) {
  switch (format->dtype) {
    case WEFT_F16:
      return weft_f16_to_double(((const weft_f16 *)array)[i]);
    case WEFT_BF16:
      return weft_bf16_to_double(((const weft_bf16 *)array)[i]);
    case WEFT_F64:
      return ((const double *)array)[i];
    default:
      return (double)((const float *)array)[i];
  }
}

static void write(const ulp_format *format, void *array, size_t i, double value) {
  switch (format->dtype) {
    case WEFT_F16:
      ((weft_f16 *)array)[i] = weft_f16_from_double(value);
      break;
    case WEFT_BF16:
      ((weft_bf16 *)array)[i] = weft_bf16_from_double(value);
      break;
    case WEFT_F64:
      ((double *)array)[i] = value;
      break;
    default:
      ((float *)array)[i] = (float)value;
      break;
  }
}

static size_t size_of(const ulp_format *format) {
  return weft_dtype_size_bytes(format->dtype);
}

static uint64_t load_bits(const ulp_format *format, const void *array, size_t i) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)array + i * size_of(format), size_of(format)); /* little-endian hosts */
  return bits;
}
static void store_bits(const ulp_format *format, void *array, size_t i, uint64_t bits) {
  memcpy((char *)array + i * size_of(format), &bits, size_of(format));
}

// ---- random numbers: splitmix64 ----

static uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static double uniform(uint64_t *state, double low, double high) {
  return low + (high - low) * (double)(next(state) >> 11) * 0x1p-53;
}
static uint64_t below(uint64_t *state, uint64_t n) {
  return next(state) % n;
}
static double magnitude(uint64_t *state, double low_exponent, double high_exponent) {
  double x = exp2(uniform(state, low_exponent, high_exponent));
  return next(state) & 1 ? -x : x;
}

// ---- points ----

// A value and its neighbours up to 3 steps away.
static void write_near(const ulp_format *format, void *array, size_t i, double value, uint64_t *state) {
  write(format, array, i, value);
  store_bits(format, array, i, load_bits(format, array, i) + below(state, 7) - 3);
}

static double special(const ulp_format *format, uint64_t *state) {
  const double values[] = {0,
                           1,
                           2,
                           3,
                           0.5,
                           0.25,
                           1.5,
                           4,
                           10,
                           -3,
                           INFINITY,
                           NAN,
                           1e10,
                           1024,
                           0.75,
                           100,
                           0.001,
                           ldexp(1, format->min_exponent),
                           ldexp(1, format->min_exponent - format->digits + 1),
                           ldexp(2 - ldexp(1, 1 - format->digits), format->max_exponent),
                           ldexp(1, format->digits - 1),
                           ldexp(1, format->digits) - 1};
  double x = values[below(state, sizeof values / sizeof *values)];
  return next(state) & 1 ? -x : x;
}

static void hard_point(const ulp_function *f, const ulp_format *format, void *x, size_t i, uint64_t *state) {
  uint64_t pick = below(state, 6);
  if (pick == 0 && (f->hard & ULP_PI)) {
    double k = floor(exp2(uniform(state, 0, format->digits + 8)));
    write_near(format, x, i, (next(state) & 1 ? -k : k) * (PI / 2), state);
  } else if (pick == 1 && (f->hard & ULP_INTEGERS)) {
    double k = floor(exp2(uniform(state, 0, next(state) & 1 ? 6 : format->digits + 2))) / 2;
    write_near(format, x, i, next(state) & 1 ? -k : k, state);
  } else if (pick == 2 && (f->hard & ULP_ONE)) {
    double d = exp2(uniform(state, -format->digits - 2, 0)), s = next(state) & 1 ? -1 : 1;
    write(format, x, i, s * (next(state) & 1 ? 1 + d : 1 - d));
  } else if (pick == 3 && f->limits[0] != 0) {
    int n = 0;
    while (n < 6 && f->limits[n] != 0) n++;
    double limit = f->limits[below(state, (uint64_t)n)];
    write(format, x, i, limit + fabs(limit) * magnitude(state, -format->digits, -6));
  } else if (pick == 4) { /* below the normal numbers, and slightly above */
    uint64_t bits = next(state) & (((uint64_t)1 << format->digits) - 1);
    bits >>= below(state, (uint64_t)format->digits);
    store_bits(format, x, i, bits | (next(state) & 1) << (8 * size_of(format) - 1));
  } else { /* next to a power of two */
    write_near(format, x, i,
               ldexp(next(state) & 1 ? 1 : -1, (int)below(state, 2 * (uint64_t)format->digits) - format->digits),
               state);
  }
}

static void any_point(const ulp_function *f, const ulp_format *format, void *x, size_t i, uint64_t *state) {
  int ranges = 0;
  while (ranges < 3 && f->ranges[ranges][0] < f->ranges[ranges][1]) ranges++;
  uint64_t pick = below(state, 16);
  if (pick < 5) {
    store_bits(format, x, i, next(state));
  } else if (pick < 9 && ranges > 0) {
    uint64_t r = below(state, (uint64_t)ranges);
    write(format, x, i, uniform(state, f->ranges[r][0], f->ranges[r][1]));
  } else if (pick < 12) {
    write(format, x, i, magnitude(state, -format->digits - 4, 12));
  } else if (pick < 15) {
    hard_point(f, format, x, i, state);
  } else {
    write(format, x, i, special(format, state));
  }
}

static void second_point(const ulp_function *f, const ulp_format *format, void *y, size_t i, double x,
                         uint64_t *state) {
  uint64_t pick = below(state, 8);
  const double span = format->max_exponent + format->digits + 8;
  if (f->hard & ULP_ROOT) {
    double n = pick == 0 ? (double)(int32_t)next(state) / 4096 : (double)below(state, 81) - 40;
    if ((f->hard & ULP_POWER) && pick > 3)
      n = fmax(fmin(uniform(state, -span, span) / log2(fabs(x)), 0x7fffff80), INT32_MIN);
    write(format, y, i, weft_dtype_size_bytes(format->dtype) == 2 ? fmod(trunc(n), 1 << format->digits) : trunc(n));
  } else if ((f->hard & ULP_POWER) && pick < 5) {
    double ratio = uniform(state, -span, span) / log2(fabs(x));
    if (pick == 4) ratio = next(state) & 1 ? floor(ratio) : floor(ratio) / 2;
    write(format, y, i, isfinite(ratio) ? ratio : 0.5);
  } else if ((f->hard & ULP_RATIO) && pick < 5) {
    write(format, y, i, x * magnitude(state, -format->digits - 2, pick == 4 ? 3 : format->digits + 2));
  } else {
    any_point(f, format, y, i, state);
  }
}

void ulp_points(const ulp_function *function, const ulp_format *format, uint64_t seed, size_t count,
                void *const *arguments) {
  uint64_t state = seed;
  for (size_t i = 0; i < count; i++) {
    any_point(function, format, arguments[0], i, &state);
    if (function->arity < 2) continue;
    double x = ulp_read(format, arguments[0], i);
    second_point(function, format, arguments[1], i, x, &state);
    if (function->arity < 3) continue;
    double y = ulp_read(format, arguments[1], i);
    if (next(&state) & 1)
      write(format, arguments[2], i, -x * y * (1 + magnitude(&state, -format->digits, 1)));
    else
      any_point(function, format, arguments[2], i, &state);
  }
}

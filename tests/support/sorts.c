// SPDX-License-Identifier: MIT
#include "sorts.h"

#include "views.h"

static int compare_double(double a, double b) {
  if (isnan(a) || isnan(b)) return !!isnan(a) - !!isnan(b);
  return (a > b) - (a < b);
}

static int compare_complex(double ar, double ai, double br, double bi) {
  int a = 2 * !!isnan(ar) + !!isnan(ai), b = 2 * !!isnan(br) + !!isnan(bi);
  if (a != b) return a - b;
  int real = a & 2 ? 0 : compare_double(ar, br), imaginary = a & 1 ? 0 : compare_double(ai, bi);
  return real ? real : imaginary;
}

#define AS(type, x) (*(const type *)(x))
#define ORDER(type)               \
  do {                            \
    type x_, y_;                  \
    memcpy(&x_, a, sizeof x_);    \
    memcpy(&y_, b, sizeof y_);    \
    return (x_ > y_) - (x_ < y_); \
  } while (0)

int sorts_compare(weft_dtype dtype, const void *a, const void *b) {
  switch (dtype) {
    case WEFT_BOOL:
    case WEFT_U8:
      ORDER(uint8_t);
    case WEFT_U16:
      ORDER(uint16_t);
    case WEFT_U32:
      ORDER(uint32_t);
    case WEFT_U64:
      ORDER(uint64_t);
    case WEFT_I8:
      ORDER(int8_t);
    case WEFT_I16:
      ORDER(int16_t);
    case WEFT_I32:
      ORDER(int32_t);
    case WEFT_I64:
      ORDER(int64_t);
    case WEFT_F16:
    case WEFT_BF16:
      return compare_double((double)element_get(dtype, a), (double)element_get(dtype, b));
    case WEFT_F32:
      return compare_double((double)AS(float, a), (double)AS(float, b));
    case WEFT_F64:
      return compare_double(AS(double, a), AS(double, b));
    case WEFT_C64:
      return compare_complex((double)AS(weft_c64, a).re, (double)AS(weft_c64, a).im, (double)AS(weft_c64, b).re,
                             (double)AS(weft_c64, b).im);
    default:
      return compare_complex(AS(weft_c128, a).re, AS(weft_c128, a).im, AS(weft_c128, b).re, AS(weft_c128, b).im);
  }
}

void sorts_order(int64_t *order, weft_dtype dtype, const void *row, int64_t n, int64_t step, bool descending) {
  int64_t *other = malloc(((size_t)n + 1) * sizeof *other), *from = order, *to = other;
  int64_t pitch = step * (int64_t)weft_dtype_size_bytes(dtype);
  const char *x = row;
  ck_assert_ptr_nonnull(other);
  for (int64_t i = 0; i < n; i++) order[i] = i;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t first = 0; first < n; first += 2 * width) {
      int64_t middle = first + width < n ? first + width : n, end = first + 2 * width < n ? first + 2 * width : n;
      for (int64_t a = first, b = middle, at = first; at < end; at++) {
        bool second = a == middle;
        if (!second && b < end) {
          int sign = sorts_compare(dtype, x + from[b] * pitch, x + from[a] * pitch);
          second = descending ? sign > 0 : sign < 0;
        }
        to[at] = second ? from[b++] : from[a++];
      }
    }
    int64_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != order && n > 0) memcpy(order, from, (size_t)n * sizeof *order);
  free(other);
}

/* ---- elements ---- */

/// NaN with a sign and a payload, both zeros, both infinities, the largest, a subnormal number.
static double special_double(harness_random *random, bool *is_negative_nan) {
  static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, 1.0, -1.0, 65504.0, -65504.0, 0x1p-24, -0x1p-24};
  int64_t pick = harness_between(random, 0, 14);
  *is_negative_nan = pick > 12;
  return pick > 9 ? NAN : special[pick];
}

/// Sets one part of a float element. NaN's sign and payload are set bit by bit, as C promises neither.
static void set_part(harness_random *random, weft_dtype dtype, int bytes, unsigned char *to) {
  bool negative;
  double x = special_double(random, &negative);
  uint64_t payload = (uint64_t)harness_between(random, 0, 3);
  if (bytes == 2) {
    uint16_t bits;
    element_set(dtype, &bits, x, 0);
    if (isnan(x)) bits = (uint16_t)((dtype == WEFT_F16 ? 0x7e00 : 0x7fc0) | negative << 15 | payload);
    memcpy(to, &bits, 2);
  } else if (bytes == 4) {
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (isnan(x)) bits = UINT32_C(0x7fc00000) | (uint32_t)negative << 31 | (uint32_t)payload;
    memcpy(to, &bits, 4);
  } else {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    if (isnan(x)) bits = UINT64_C(0x7ff8000000000000) | (uint64_t)negative << 63 | payload;
    memcpy(to, &bits, 8);
  }
}

static void set_special(harness_random *random, weft_dtype dtype, unsigned char *to) {
  int size = (int)weft_dtype_size_bytes(dtype);
  char kind = weft_dtype_kind(dtype);
  if (kind == 'f' || kind == 'c') {
    int part = kind == 'c' ? size / 2 : size;
    for (int at = 0; at < size; at += part) set_part(random, dtype, part, to + at);
  } else if (kind == 'b') {
    to[0] = (unsigned char)harness_between(random, 0, 1);
  } else {
    static const uint64_t special[] = {0,    1,      UINT64_MAX, UINT64_MAX - 1, 0x7f,
                                       0x80, 0x7fff, 0x8000,     0x7fffffff,     0x80000000};
    uint64_t bits = special[harness_between(random, 0, 9)];
    if (harness_between(random, 0, 3) == 0)
      bits = harness_between(random, 0, 1) ? UINT64_C(1) << (8 * size - 1) : INT64_MAX;
    memcpy(to, &bits, (size_t)size);
  }
}

static void put_runs_in_order(weft_dtype dtype, unsigned char *elements, int64_t n) {
  enum { RUN = 256 };
  const size_t size = weft_dtype_size_bytes(dtype);
  unsigned char run[RUN * 16];
  int64_t order[RUN];
  for (int64_t first = 0; first < n; first += RUN) {
    const int64_t count = n - first < RUN ? n - first : RUN;
    unsigned char *to = elements + (size_t)first * size;
    memcpy(run, to, (size_t)count * size);
    sorts_order(order, dtype, run, count, 1, false);
    for (int64_t i = 0; i < count; i++) memcpy(to + (size_t)i * size, run + (size_t)order[i] * size, size);
  }
}

void sorts_elements(harness_random *random, weft_dtype dtype, void *elements, int64_t n, sorts_fill fill) {
  unsigned char *to = elements, few[8][16];
  size_t size = weft_dtype_size_bytes(dtype);
  char kind = weft_dtype_kind(dtype);
  int64_t base = harness_between(random, 0, 60);
  for (int i = 0; i < 8; i++) {
    element_random(random, dtype, few[i]);
    if (i % 2) set_special(random, dtype, few[i]);
  }
  for (int64_t i = 0; i < n; i++, to += size) switch (fill) {
      case SORTS_FEW:
        memcpy(to, few[harness_between(random, 0, 7)], size);
        break;
      case SORTS_SPECIAL:
        set_special(random, dtype, to);
        break;
      case SORTS_NARROW:
        element_set(dtype, to, kind == 'b' ? 1.0 : (double)(base + harness_between(random, 0, 50)),
                    (double)harness_between(random, 0, 3));
        break;
      case SORTS_EQUAL:
        memcpy(to, few[0], size);
        break;
      case SORTS_RISING:
        element_set(dtype, to,
                    kind == 'b' ? (double)(i > n / 2) : (double)(i * 100 / n + (harness_between(random, 0, 40) == 0)),
                    0.0);
        break;
      default:
        element_random(random, dtype, to);
    }
  if (fill == SORTS_RUNS) put_runs_in_order(dtype, elements, n);
}

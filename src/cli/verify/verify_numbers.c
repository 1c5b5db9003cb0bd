// SPDX-License-Identifier: MIT
/// Operands and results of `weft verify`.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/verify/verify.h"

enum { FLAT = 100003, ROWS = 37, COLUMNS = 1021, SIDE = 67, SPECIALS = 12 };

/* ---- numbers ---- */

/// SplitMix64's output for a counter.
static uint64_t bits_of(uint64_t seed, uint64_t counter) {
  uint64_t z = (seed + counter + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/// One of the values that functions treat specially.
static double special(uint64_t k) {
  static const double values[SPECIALS] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, INFINITY, -INFINITY, NAN, 1e-40, 3e38};
  return values[k % SPECIALS];
}

/// Element i: pairs of special values first, then numbers of many magnitudes.
static double number(uint64_t seed, uint64_t i, int salt) {
  const uint64_t bits = bits_of(seed + (uint64_t)salt * UINT64_C(0xd1342543de82ef95), i);
  const double unit = (double)(bits >> 11) * 0x1p-53 - 0.5;
  if (i < SPECIALS * SPECIALS) return special(salt % 2 ? i / SPECIALS : i);
  switch (i % 4) {
    case 0:
      return ldexp(unit, (int)(bits % 61) - 30);
    case 1:
      return ldexp(unit, (int)(bits % 251) - 125);
    case 2:
      return unit * 2;
    default:
      return unit * 32;
  }
}

weft_status verify_numbers(weft_array **x, const verify_run *run, weft_dtype dtype, int64_t count, int salt, double low,
                           double high) {
  weft_array *wide = NULL, *parts = NULL;
  const char kind = weft_dtype_kind(dtype);
  const bool is_whole = kind == 'i' || kind == 'u' || kind == 'b';
  const int64_t all = kind == 'c' ? 2 * count : count; /* a complex number has two parts */
  double *values = malloc((size_t)all * sizeof *values);
  weft_status rc;
  WEFT__TRY(values ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  for (int64_t i = 0; i < all; i++) {
    const double unit = (double)(bits_of(run->seed + (uint64_t)salt, (uint64_t)i) >> 11) * 0x1p-53;
    values[i] = high > low ? low + (high - low) * unit : number(run->seed, (uint64_t)i, salt);
    if (is_whole) values[i] = floor(high > low ? values[i] : kind == 'i' ? unit * 40 - 20 : unit * 2);
  }
  WEFT__TRY(weft_from_host(&wide, run->context, WEFT_F64, WEFT_SHAPE(all), values));
  if (kind == 'c') {
    WEFT__TRY(weft_cast(&parts, wide, dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64));
    rc = weft_view_as(x, parts, dtype);
  } else {
    rc = weft_cast(x, wide, dtype);
  }
done:
  weft_release(&wide, &parts);
  free(values);
  return rc;
}

/* ---- operands ---- */

static weft_status make_matrix(weft_array **matrix, const verify_run *run, weft_dtype dtype, int64_t rows,
                               int64_t columns, int salt) {
  weft_array *flat = NULL;
  weft_status rc;
  WEFT__TRY(verify_numbers(&flat, run, dtype, rows * columns, salt, -1, 1));
  rc = weft_reshape(matrix, flat, WEFT_SHAPE(rows, columns));
done:
  weft_release(&flat);
  return rc;
}

weft_status verify_open(verify_run *run) {
  weft_status rc;
  WEFT__TRY(verify_numbers(&run->flat, run, WEFT_F32, FLAT, 1, -1, 1));
  WEFT__TRY(verify_numbers(&run->other, run, WEFT_F32, FLAT, 2, -1, 1));
  WEFT__TRY(verify_numbers(&run->wide, run, WEFT_F64, FLAT, 3, -1, 1));
  WEFT__TRY(verify_numbers(&run->complex, run, WEFT_C64, FLAT, 4, -1, 1));
  WEFT__TRY(verify_numbers(&run->narrow, run, WEFT_F16, FLAT, 5, -1, 1));
  WEFT__TRY(verify_numbers(&run->near_one, run, WEFT_F32, FLAT, 6, 0.95, 1.05));
  WEFT__TRY(verify_numbers(&run->index, run, WEFT_I32, FLAT, 7, 0, ROWS));
  WEFT__TRY(make_matrix(&run->matrix, run, WEFT_F32, ROWS, COLUMNS, 8));
  WEFT__TRY(make_matrix(&run->wide_matrix, run, WEFT_F64, SIDE, ROWS, 9));
  rc = make_matrix(&run->square, run, WEFT_F32, SIDE, SIDE, 10);
done:
  return rc;
}

void verify_close(verify_run *run) {
  weft_release(&run->flat, &run->other, &run->wide, &run->complex, &run->narrow, &run->near_one, &run->index);
  weft_release(&run->matrix, &run->wide_matrix, &run->square);
  weft__text_free(&run->bytes);
}

/* ---- results ---- */

/// Replaces NaNs of a float by one NaN.
static void make_equal(weft_dtype dtype, unsigned char *at) {
  static const uint16_t half = 0x7e00, brain = 0x7fc0;
  static const float one = NAN;
  static const double two = NAN;
  uint16_t word;
  float f;
  double d;
  memcpy(&word, at, sizeof word);
  switch (dtype) {
    case WEFT_F16:
      if ((word & 0x7fffu) > 0x7c00) memcpy(at, &half, sizeof half);
      break;
    case WEFT_BF16:
      if ((word & 0x7fffu) > 0x7f80) memcpy(at, &brain, sizeof brain);
      break;
    case WEFT_F32:
      memcpy(&f, at, sizeof f);
      if (isnan(f)) memcpy(at, &one, sizeof one);
      break;
    default:
      memcpy(&d, at, sizeof d);
      if (isnan(d)) memcpy(at, &two, sizeof two);
  }
}

weft_status verify_keep(verify_run *run, weft_array **y) {
  const weft_dtype whole = weft_array_dtype(*y);
  const weft_dtype dtype = whole == WEFT_C64 ? WEFT_F32 : whole == WEFT_C128 ? WEFT_F64 : whole;
  const size_t size = weft_dtype_size_bytes(dtype);
  const size_t count = (size_t)weft_array_size(*y) * (weft_dtype_size_bytes(whole) / size);
  unsigned char *bytes = malloc(count * size + 8);
  weft_status rc = bytes ? weft_to_host(bytes, count * size, *y) : WEFT_ERROR_HOST_MEMORY;
  if (rc == WEFT_OK && weft_dtype_kind(dtype) == 'f')
    for (size_t k = 0; k < count; k++) make_equal(dtype, bytes + k * size);
  if (rc == WEFT_OK && run->results < VERIFY_MOST_RESULTS) {
    run->result[run->results++] = (verify_result){dtype, run->bytes.length, count};
    weft__text_add_bytes(&run->bytes, (const char *)bytes, count * size);
  }
  free(bytes);
  weft_release(y);
  return rc;
}

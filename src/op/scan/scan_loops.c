// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else loops over few lanes are no vector code */
#endif
#include <math.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/wide.h"
#include "op/scan/scan_host.h"
#include "op/scan/tuning.h"

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define HAS_VECTORS
#endif
#endif

/* ---- the operations ---- */

typedef struct complex_f32 {
  float re, im;
} complex_f32;
typedef struct complex_f64 {
  double re, im;
} complex_f64;

/// The NaN that means "no factor yet": op/scan/combine.c.
#define NONE_F32 UINT32_C(0x7fc5ca4e)
#define NONE_F64 UINT64_C(0x7ff8000005ca4e00)
static inline bool is_none_f32(complex_f32 z) {
  uint32_t bits;
  memcpy(&bits, &z.re, sizeof bits);
  return bits == NONE_F32;
}
static inline bool is_none_f64(complex_f64 z) {
  uint64_t bits;
  memcpy(&bits, &z.re, sizeof bits);
  return bits == NONE_F64;
}
#define HAS_NAN(a) ((a).re != (a).re || (a).im != (a).im)
/// Before or equal, in NumPy's order.
#define IS_BEFORE(a, b) \
  (((a).re < (b).re && (a).im == (a).im && (b).im == (b).im) || ((a).re == (b).re && (a).im <= (b).im))

#define TARGET
#define BYTES 16
#define WIDTH(name) name
#include "op/scan/scan_widths.h"
#ifdef WEFT__WIDE_TARGET
#define TARGET WEFT__WIDE_TARGET
#define BYTES 32
#define WIDTH(name) name##_wide
#include "op/scan/scan_widths.h"
#endif
#define TARGET
#define T complex_f32
#define IS_NONE(a) is_none_f32(a)
#define TYPED(name) name##_c64
#include "op/scan/scan_types.h"
#define T complex_f64
#define IS_NONE(a) is_none_f64(a)
#define TYPED(name) name##_c128
#include "op/scan/scan_types.h"

/* ---- conversions ---- */

#define CONVERT(TARGET, NAME, TO, FROM, value)                    \
  TARGET static void NAME(void *to, const void *from, size_t n) { \
    const FROM *x = from;                                         \
    TO *y = to;                                                   \
    for (size_t i = 0; i < n; i++) y[i] = (TO)(value);            \
  }
WEFT__BOTH(CONVERT, scan_load_i8, int64_t, int8_t, x[i])
WEFT__BOTH(CONVERT, scan_load_u8, int64_t, uint8_t, x[i])
WEFT__BOTH(CONVERT, scan_load_i16, int64_t, int16_t, x[i])
WEFT__BOTH(CONVERT, scan_load_u16, int64_t, uint16_t, x[i])
WEFT__BOTH(CONVERT, scan_load_i32, int64_t, int32_t, x[i])
WEFT__BOTH(CONVERT, scan_load_u32, int64_t, uint32_t, x[i])
WEFT__BOTH(CONVERT, scan_load_f16, float, uint16_t, weft__f32_of_f16(x[i]))
WEFT__BOTH(CONVERT, scan_load_bf16, float, uint16_t, weft__f32_of_bits((uint32_t)x[i] << 16))
WEFT__BOTH(CONVERT, scan_load_f32, double, float, x[i])
WEFT__BOTH(CONVERT, scan_store_8, uint8_t, uint64_t, x[i])
WEFT__BOTH(CONVERT, scan_store_16, uint16_t, uint64_t, x[i])
WEFT__BOTH(CONVERT, scan_store_32, uint32_t, uint64_t, x[i])
WEFT__BOTH(CONVERT, scan_store_f16, uint16_t, float, weft__f16_of_f32(x[i]))
WEFT__BOTH(CONVERT, scan_store_bf16, uint16_t, float, weft__bf16_of_f32(x[i]))

/// Adds up f32 in f64, in the order of scan_loops.h.
#define ADD_WIDE(TARGET, NAME, T)                                                      \
  TARGET static void NAME(void *of, const void *from, size_t n, const void *neutral) { \
    const T *x = from;                                                                 \
    double total = *(double *)of;                                                      \
    size_t i = 0;                                                                      \
    if (n >= 32) {                                                                     \
      double lane[32];                                                                 \
      for (int l = 0; l < 32; l++) lane[l] = *(const double *)neutral;                 \
      for (; i + 32 <= n; i += 32)                                                     \
        for (size_t l = 0; l < 32; l++) lane[l] += (double)x[i + l];                   \
      for (int l = 0; l < 16; l++) total += lane[l] + lane[l + 16];                    \
    }                                                                                  \
    for (; i < n; i++) total += (double)x[i];                                          \
    *(double *)of = total;                                                             \
  }
WEFT__BOTH(ADD_WIDE, scan_add_wide, float)

/* ---- the choice ---- */

static uint64_t neutral_integer(weft_dtype out, weft_scan_op op) {
  const unsigned bits = out == WEFT_BOOL ? 1 : 8 * (unsigned)weft_dtype_size_bytes(out);
  const bool is_signed = weft_dtype_kind(out) == 'i';
  const uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
  if (op == WEFT_SCAN_SUM || op == WEFT_SCAN_PROD) return op == WEFT_SCAN_PROD;
  return op == WEFT_SCAN_MIN ? most : is_signed ? ~most : 0;
}

static void set_neutral(weft__scan_kind *kind, weft_dtype out, weft_scan_op op) {
  /* -0, since 0 + -0 would be 0 */
  static const double numbers[] = {
      [WEFT_SCAN_SUM] = -0.0, [WEFT_SCAN_PROD] = 1, [WEFT_SCAN_MAX] = -INFINITY, [WEFT_SCAN_MIN] = INFINITY};
  const double wide[2] = {numbers[op], numbers[op]};
  const float narrow[2] = {(float)numbers[op], (float)numbers[op]};
  static const uint32_t none_f32[2] = {NONE_F32, 0};
  static const uint64_t none_f64[2] = {NONE_F64, 0};
  const bool is_none = weft_dtype_kind(out) == 'c' && op == WEFT_SCAN_PROD;
  const uint64_t number = neutral_integer(out, op);
  const uint32_t low = (uint32_t)number;
  if (weft__is_whole(out) && kind->loops->bytes == sizeof low)
    memcpy(kind->neutral, &low, sizeof low);
  else if (weft__is_whole(out))
    kind->neutral[0] = number;
  else if (is_none)
    memcpy(kind->neutral, out == WEFT_C128 ? (const void *)none_f64 : none_f32, kind->loops->bytes);
  else if (weft__needs_fp64(out))
    memcpy(kind->neutral, wide, sizeof wide);
  else
    memcpy(kind->neutral, narrow, sizeof narrow);
}

/// The loops by the result's dtype. Sums and products of integers are of u64, which does not overflow.
#define SUMS(sums, others) \
  { &scan_loops_sum_##sums, &scan_loops_prod_##sums, &scan_loops_max_##others, &scan_loops_min_##others }
#define LOOPS(OF)                                                                                                \
  {                                                                                                              \
    [WEFT_BOOL] = OF(u64, u64), [WEFT_I8] = OF(u64, i64), [WEFT_U8] = OF(u64, u64), [WEFT_I16] = OF(u64, i64),   \
    [WEFT_U16] = OF(u64, u64), [WEFT_I32] = OF(u64, i32), [WEFT_U32] = OF(u64, u32), [WEFT_I64] = OF(u64, i64),  \
    [WEFT_U64] = OF(u64, u64), [WEFT_F16] = OF(f32, f32), [WEFT_BF16] = OF(f32, f32), [WEFT_F32] = OF(f32, f32), \
    [WEFT_F64] = OF(f64, f64), [WEFT_C64] = SUMS(c64, c64), [WEFT_C128] = SUMS(c128, c128)                       \
  }
#ifdef WEFT__WIDE_TARGET
#define SUMS_WIDE(sums, others) SUMS(sums##_wide, others##_wide)
#else
#define SUMS_WIDE SUMS
#endif
static const weft__scan_loops *const loops_of[2][WEFT_DTYPE_COUNT][4] = {LOOPS(SUMS), LOOPS(SUMS_WIDE)};
static weft__scan_convert *const load_of[WEFT_DTYPE_COUNT][2] = {
    [WEFT_BOOL] = WEFT__PAIR(scan_load_u8),   [WEFT_I8] = WEFT__PAIR(scan_load_i8),
    [WEFT_U8] = WEFT__PAIR(scan_load_u8),     [WEFT_I16] = WEFT__PAIR(scan_load_i16),
    [WEFT_U16] = WEFT__PAIR(scan_load_u16),   [WEFT_I32] = WEFT__PAIR(scan_load_i32),
    [WEFT_U32] = WEFT__PAIR(scan_load_u32),   [WEFT_F16] = WEFT__PAIR(scan_load_f16),
    [WEFT_BF16] = WEFT__PAIR(scan_load_bf16), [WEFT_F32] = WEFT__PAIR(scan_load_f32)};
static weft__scan_convert *const store_of[WEFT_DTYPE_COUNT][2] = {
    [WEFT_BOOL] = WEFT__PAIR(scan_store_8),   [WEFT_I8] = WEFT__PAIR(scan_store_8),
    [WEFT_U8] = WEFT__PAIR(scan_store_8),     [WEFT_I16] = WEFT__PAIR(scan_store_16),
    [WEFT_U16] = WEFT__PAIR(scan_store_16),   [WEFT_I32] = WEFT__PAIR(scan_store_32),
    [WEFT_U32] = WEFT__PAIR(scan_store_32),   [WEFT_F16] = WEFT__PAIR(scan_store_f16),
    [WEFT_BF16] = WEFT__PAIR(scan_store_bf16)};

void weft__scan_kind_of(weft__scan_kind *kind, weft_dtype in, weft_dtype out, weft_scan_op op) {
  static void (*const add_wide[2])(void *, const void *, size_t, const void *) = WEFT__PAIR(scan_add_wide);
  const int wide = WEFT__IS_WIDE;
  const weft__scan_loops *loops = loops_of[wide][out][op];
  *kind = (weft__scan_kind){.loops = loops};
  if (loops->bytes != weft_dtype_size_bytes(in)) kind->load = load_of[in][wide];
  if (loops->bytes != weft_dtype_size_bytes(out)) kind->store = store_of[out][wide];
  kind->total = kind->load ? NULL : loops->total;
  if (in == WEFT_F32 && out == WEFT_F64 && op == WEFT_SCAN_SUM) kind->total = add_wide[wide];
  set_neutral(kind, out, op);
}

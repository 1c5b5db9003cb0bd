// SPDX-License-Identifier: MIT
/// Selections from few elements by the calling thread (mem/at_once.h): two launches, a wait for the count and a third
/// launch take ten times as long. AVX-512 moves the selected lanes of a vector to its beginning.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include "array/array.h"
#include "base/wide.h"
#include "mem/at_once.h"
#include "op/select/compact.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define COMPRESSES (WEFT__WIDTH == 2 && __builtin_cpu_supports("avx512vbmi2"))
#define COMPRESSING_TARGET __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,popcnt")))
#else
#define COMPRESSES false
#endif

#define BLOCK 128 /* bytes, whose count fits a byte */

/* ---- loops ---- */

/// How many bytes are not 0.
#define COUNT_LOOP(TARGET, NAME, T)                                          \
  TARGET static int64_t NAME(const T *keep, int64_t n) {                     \
    int64_t count = 0, i = 0;                                                \
    for (; i + BLOCK <= n; i += BLOCK) {                                     \
      T part = 0;                                                            \
      for (int k = 0; k < BLOCK; k++) part = (T)(part + (keep[i + k] != 0)); \
      count += part;                                                         \
    }                                                                        \
    for (; i < n; i++) count += keep[i] != 0;                                \
    return count;                                                            \
  }
WEFT__EACH(COUNT_LOOP, count_kept, uint8_t)

/// Writes the `count` elements of x whose bytes are not 0, or the numbers of these bytes.
typedef void write_loop(void *to, const uint8_t *keep, const void *x, int64_t count);

/// Each element is stored at the place of the next selected one, until the last selected one is stored.
#define WRITE_REST(value) \
  for (; k < count; k += keep[i] != 0, i++) y[k] = (value);
#define WRITE_LOOP(NAME, T, value)                                                \
  static void NAME(void *to, const uint8_t *keep, const void *x, int64_t count) { \
    T *y = to;                                                                    \
    const T *from = x;                                                            \
    int64_t i = 0, k = 0;                                                         \
    (void)from;                                                                   \
    WRITE_REST(value)                                                             \
  }
WRITE_LOOP(write_1, uint8_t, from[i])
WRITE_LOOP(write_2, uint16_t, from[i])
WRITE_LOOP(write_4, uint32_t, from[i])
WRITE_LOOP(write_8, uint64_t, from[i])
typedef struct wide {
  uint64_t half[2];
} wide;
WRITE_LOOP(write_16, wide, from[i])
WRITE_LOOP(write_numbers, int64_t, i)

#if defined(__x86_64__) && defined(__GNUC__)
/// Whole vectors are stored while enough selected elements are left to fill them.
#define LANE_LOOP(NAME, T, lanes, bits, Mask)                                                          \
  COMPRESSING_TARGET static void NAME(void *to, const uint8_t *keep, const void *x, int64_t count) {   \
    T *y = to;                                                                                         \
    const T *from = x;                                                                                 \
    int64_t i = 0, k = 0;                                                                              \
    for (; k + (lanes) <= count; i += (lanes)) {                                                       \
      const __m128i kept = (lanes) == 16 ? _mm_loadu_si128((const __m128i *)(const void *)(keep + i))  \
                                         : _mm_loadl_epi64((const __m128i *)(const void *)(keep + i)); \
      const Mask mask = (Mask)_mm_test_epi8_mask(kept, kept);                                          \
      _mm512_storeu_si512(y + k, _mm512_maskz_compress_epi##bits(mask, _mm512_loadu_si512(from + i))); \
      k += __builtin_popcount(mask);                                                                   \
    }                                                                                                  \
    WRITE_REST(from[i])                                                                                \
  }
LANE_LOOP(write_4_widest, uint32_t, 16, 32, __mmask16)
LANE_LOOP(write_8_widest, uint64_t, 8, 64, __mmask8)

/// Numbers are compressed as bytes, 64 at once.
COMPRESSING_TARGET static void write_numbers_widest(void *to, const uint8_t *keep, const void *x, int64_t count) {
  int64_t *y = to, i = 0, k = 0;
  uint8_t number[64];
  (void)x;
  for (int j = 0; j < 64; j++) number[j] = (uint8_t)j;
  const __m512i all = _mm512_loadu_si512(number);
  for (; k + 64 <= count; i += 64) {
    const __m512i kept = _mm512_loadu_si512(keep + i);
    const __mmask64 mask = _mm512_test_epi8_mask(kept, kept);
    const int numbers = __builtin_popcountll(mask);
    _mm512_storeu_si512(number, _mm512_maskz_compress_epi8(mask, all));
    for (int j = 0; j < numbers; j += 8) {
      const __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(number + j));
      _mm512_storeu_si512(y + k + j, _mm512_add_epi64(_mm512_set1_epi64(i), _mm512_cvtepu8_epi64(eight)));
    }
    k += numbers;
  }
  WRITE_REST(i)
}
#else
#define write_4_widest write_4
#define write_8_widest write_8
#define write_numbers_widest write_numbers
#endif

static write_loop *loop_of(const weft__selection *s) {
  if (s->what == WEFT__SELECT_NUMBERS) return COMPRESSES ? write_numbers_widest : write_numbers;
  switch (weft_dtype_size_bytes(s->x->dtype)) {
    case 1:
      return write_1;
    case 2:
      return write_2;
    case 4:
      return COMPRESSES ? write_4_widest : write_4;
    case 8:
      return COMPRESSES ? write_8_widest : write_8;
    default:
      return write_16;
  }
}

/* ---- calls ---- */

static bool is_few(const weft__selection *s) {
  return s->context->store.is_cpu && s->bytes && s->x->size > 0 && s->x->size <= WEFT__SELECT_FEW &&
         s->what != WEFT__SELECT_BOTH && (s->what == WEFT__SELECT_VALUES || s->shape.ndim == 0) &&
         s->x->offset_bytes % (int64_t)weft_dtype_size_bytes(s->x->dtype) == 0;
}

weft_status weft__select_count_at_once(bool *is_done, int64_t *count, const weft__selection *s) {
  static int64_t (*const loop[3])(const uint8_t *, int64_t) = WEFT__ALL(count_kept);
  char *place;
  *is_done = false;
  if (!is_few(s)) return WEFT_OK;
  const weft__use use = {s->bytes->storage, false};
  WEFT__TRY_RETURN(weft__at_once(is_done, &place, &s->context->core, 1, &use));
  if (*is_done) *count = loop[WEFT__WIDTH]((const uint8_t *)place + s->bytes->offset_bytes, s->x->size);
  return WEFT_OK;
}

weft_status weft__select_write_at_once(bool *is_done, const weft__selection *s, weft_array *out) {
  char *place[3];
  *is_done = false;
  if (!is_few(s)) return WEFT_OK;
  const weft__use use[] = {{out->storage, true}, {s->bytes->storage, false}, {s->x->storage, false}};
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &s->context->core, 3, use));
  if (*is_done)
    loop_of(s)(place[0] + out->offset_bytes, (const uint8_t *)place[1] + s->bytes->offset_bytes,
               place[2] + s->x->offset_bytes, out->size);
  return WEFT_OK;
}

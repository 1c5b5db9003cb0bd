// SPDX-License-Identifier: MIT
/// Elements as single bits, or back, on the host.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "base/wide.h"
#include "engine/blocks.h"
#include "op/rearrange/bits.h"
#include "op/rearrange/tuning.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

/* ---- runs of bytes ---- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define EIGHT_BYTES 8 /* are converted as one number */
#else
#define EIGHT_BYTES 0
#endif
#define EACH_BYTE UINT64_C(0x0101010101010101)
#define ALL_BUT_TOPS UINT64_C(0x7f7f7f7f7f7f7f7f)
#define BITS_UPWARDS UINT64_C(0x8040201008040201) /* byte k has bit k */
#define BITS_DOWNWARDS UINT64_C(0x0102040810204080)

static void pack(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  const uint64_t collect = little ? BITS_DOWNWARDS : BITS_UPWARDS; /* moves lowest bits into the top byte */
  const int flip = little ? 0 : 7;
  int64_t i = 0;
  for (; EIGHT_BYTES && i + 8 <= bits; i += 8) {
    uint64_t v;
    memcpy(&v, from + i, sizeof v);
    to[i / 8] = (uint8_t)(((((v & ALL_BUT_TOPS) + ALL_BUT_TOPS) | v) >> 7 & EACH_BYTE) * collect >> 56);
  }
  for (; i < bits; i += 8) {
    const int some = bits - i < 8 ? (int)(bits - i) : 8;
    unsigned byte = 0;
    for (int k = 0; k < some; k++) byte |= (unsigned)(from[i + k] != 0) << (k ^ flip);
    to[i / 8] = (uint8_t)byte;
  }
}

/// Unpacks `bits` bits.
static void unpack(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  const uint64_t each = little ? BITS_UPWARDS : BITS_DOWNWARDS;
  const int flip = little ? 0 : 7;
  int64_t i = 0;
  for (; EIGHT_BYTES && i + 8 <= bits; i += 8) {
    const uint64_t v = ((from[i / 8] * EACH_BYTE & each) + ALL_BUT_TOPS) >> 7 & EACH_BYTE;
    memcpy(to + i, &v, sizeof v);
  }
  for (; i < bits; i++) to[i] = from[i / 8] >> ((int)(i & 7) ^ flip) & 1;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_LANES (WEFT__WIDTH == 2)
/// Which byte of 16 comes to each place: itself, or the eight in the other order.
#define ORDER(little)                                                                      \
  _mm512_broadcast_i32x4((little) ? _mm_set_epi64x(0x0f0e0d0c0b0a0908, 0x0706050403020100) \
                                  : _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607))
WEFT__WIDEST_TARGET static void pack_lanes(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  const __m512i order = ORDER(little);
  int64_t i = 0;
  for (; i + 64 <= bits; i += 64) {
    const __m512i bytes = _mm512_shuffle_epi8(_mm512_loadu_si512(from + i), order);
    const uint64_t mask = _mm512_test_epi8_mask(bytes, bytes);
    memcpy(to + i / 8, &mask, sizeof mask);
  }
  pack(to + i / 8, from + i, bits - i, little);
}

WEFT__WIDEST_TARGET static void unpack_lanes(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  const __m512i order = ORDER(little), one = _mm512_set1_epi8(1);
  int64_t i = 0;
  for (; i + 64 <= bits; i += 64) {
    uint64_t mask;
    memcpy(&mask, from + i / 8, sizeof mask);
    _mm512_storeu_si512(to + i, _mm512_shuffle_epi8(_mm512_maskz_mov_epi8(mask, one), order));
  }
  unpack(to + i, from + i / 8, bits - i, little);
}
#else
#define HAS_LANES false
#define pack_lanes pack
#define unpack_lanes unpack
#endif

void weft__pack_bits(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  (HAS_LANES ? pack_lanes : pack)(to, from, bits, little);
}

/* ---- elements ---- */

/// Bits of bytes: bit[k] is set where element k * inner + j is not 0, of eight rows. Or of one row.
typedef void rows_loop(uint8_t *restrict to, const void *from, int64_t inner, int64_t n, const uint8_t bit[8]);
#define BIT_OF(k) (uint8_t)(-(x[(k)*inner + j] != 0) & bit[k])
#define ONE_ROW(TARGET, NAME, T)                                                                                     \
  TARGET static void NAME(uint8_t *restrict to, const void *from, int64_t inner, int64_t n, const uint8_t bits[8]) { \
    const T *x = from;                                                                                               \
    const uint8_t bit[1] = {bits[0]};                                                                                \
    for (int64_t j = 0; j < n; j++) to[j] = BIT_OF(0);                                                               \
  }
#define EIGHT_ROWS(TARGET, NAME, T)                                                                                  \
  TARGET static void NAME(uint8_t *restrict to, const void *from, int64_t inner, int64_t n, const uint8_t bits[8]) { \
    const T *x = from;                                                                                               \
    const uint8_t bit[8] = {bits[0], bits[1], bits[2], bits[3], bits[4], bits[5], bits[6], bits[7]};                 \
    for (int64_t j = 0; j < n; j++)                                                                                  \
      to[j] = BIT_OF(0) | BIT_OF(1) | BIT_OF(2) | BIT_OF(3) | BIT_OF(4) | BIT_OF(5) | BIT_OF(6) | BIT_OF(7);         \
  }
WEFT__EACH(EIGHT_ROWS, eight_rows_1, uint8_t)
WEFT__EACH(EIGHT_ROWS, eight_rows_2, uint16_t)
WEFT__EACH(EIGHT_ROWS, eight_rows_4, uint32_t)
WEFT__EACH(EIGHT_ROWS, eight_rows_8, uint64_t)
WEFT__EACH(ONE_ROW, one_row_1, uint8_t)
WEFT__EACH(ONE_ROW, one_row_2, uint16_t)
WEFT__EACH(ONE_ROW, one_row_4, uint32_t)
WEFT__EACH(ONE_ROW, one_row_8, uint64_t)

#define BIT_LOOP(TARGET, NAME, T)                                            \
  TARGET static void NAME(T *restrict to, const T *from, int64_t n, T bit) { \
    for (int64_t j = 0; j < n; j++) to[j] = from[j] & bit ? 1 : 0;           \
  }
WEFT__EACH(BIT_LOOP, bit_of_bytes, uint8_t)

/// What a recording keeps: outer x from_length x inner elements become outer x to_length x inner elements.
typedef struct bits_work {
  int64_t outer, from_length, to_length, inner;
  int32_t size, cores, packs, little; /* size: of an element that becomes a bit */
} bits_work;

typedef struct bits_job {
  const bits_work *w;
  uint8_t *to;
  const uint8_t *from;
  rows_loop *eight_rows, *one_row;
  uint8_t bit[8]; /* of each element */
} bits_job;

/// Packs `bits` elements beside each other.
static void pack_run(const bits_job *j, uint8_t *to, const uint8_t *from, int64_t bits) {
  static const uint8_t one[8] = {1};
  const bits_work *w = j->w;
  uint8_t truth[WEFT__BITS_PART];
  if (w->size == 1) {
    weft__pack_bits(to, from, bits, w->little);
    return;
  }
  for (int64_t i = 0, n; i < bits; i += n) {
    n = bits - i < WEFT__BITS_PART ? bits - i : WEFT__BITS_PART;
    j->one_row(truth, from + i * w->size, 0, n, one);
    weft__pack_bits(to + i / 8, truth, n, w->little);
  }
}

/// Columns of bytes, from `rows` rows of elements.
static void pack_rows(const bits_job *j, uint8_t *to, const uint8_t *from, int64_t rows, int64_t columns) {
  const bits_work *w = j->w;
  uint8_t truth[WEFT__BITS_PART];
  if (rows == 8) {
    j->eight_rows(to, from, w->inner, columns, j->bit);
    return;
  }
  for (int64_t i = 0, n; i < columns; i += n) {
    n = columns - i < WEFT__BITS_PART ? columns - i : WEFT__BITS_PART;
    j->one_row(to + i, from + i * w->size, 0, n, j->bit);
    for (int64_t k = 1; k < rows; k++) {
      j->one_row(truth, from + (k * w->inner + i) * w->size, 0, n, j->bit + k);
      for (int64_t c = 0; c < n; c++) to[i + c] |= truth[c];
    }
  }
}

static void pack_block(const weft__block *b, const void *job) {
  const bits_job *j = job;
  const bits_work *w = j->w;
  for (int64_t row = b->row; row < b->row + b->rows; row++) {
    if (w->inner == 1) {
      const int64_t left = w->from_length - 8 * b->column, bits = left < 8 * b->columns ? left : 8 * b->columns;
      pack_run(j, j->to + row * w->to_length + b->column, j->from + (row * w->from_length + 8 * b->column) * w->size,
               bits);
    } else {
      const int64_t along = 8 * (row % w->to_length), left = w->from_length - along,
                    first = row / w->to_length * w->from_length + along;
      pack_rows(j, j->to + row * w->inner + b->column, j->from + (first * w->inner + b->column) * w->size,
                left < 8 ? left : 8, b->columns);
    }
  }
}

static void unpack_block(const weft__block *b, const void *job) {
  static void (*const loop[3])(uint8_t *restrict, const uint8_t *, int64_t, uint8_t) = WEFT__ALL(bit_of_bytes);
  const bits_job *j = job;
  const bits_work *w = j->w;
  for (int64_t row = b->row; row < b->row + b->rows; row++) {
    if (w->inner == 1) {
      uint8_t *const to = j->to + row * w->to_length + b->column;
      const int64_t left = 8 * w->from_length - b->column, most = left < 0 ? 0 : left,
                    bits = most < b->columns ? most : b->columns;
      (HAS_LANES ? unpack_lanes : unpack)(to, j->from + row * w->from_length + b->column / 8, bits, w->little);
      memset(to + bits, 0, (size_t)(b->columns - bits));
    } else {
      uint8_t *const to = j->to + row * w->inner + b->column;
      const int64_t along = row % w->to_length, byte = row / w->to_length * w->from_length + along / 8;
      if (along / 8 < w->from_length)
        loop[WEFT__WIDTH](to, j->from + byte * w->inner + b->column, b->columns, j->bit[along & 7]);
      else
        memset(to, 0, (size_t)b->columns);
    }
  }
}

static int convert_bits(void *const *data, const void *task) {
  static rows_loop *const eight_rows[4][3] = {WEFT__ALL(eight_rows_1), WEFT__ALL(eight_rows_2), WEFT__ALL(eight_rows_4),
                                              WEFT__ALL(eight_rows_8)};
  static rows_loop *const one_row[4][3] = {WEFT__ALL(one_row_1), WEFT__ALL(one_row_2), WEFT__ALL(one_row_4),
                                           WEFT__ALL(one_row_8)};
  const bits_work *w = task;
  const int number = w->size == 1 ? 0 : w->size == 2 ? 1 : w->size == 4 ? 2 : 3;
  bits_job j = {w, data[0], data[1], eight_rows[number][WEFT__WIDTH], one_row[number][WEFT__WIDTH], {0}};
  for (int k = 0; k < 8; k++) j.bit[k] = (uint8_t)(1 << (k ^ (w->little ? 0 : 7)));
  const bool is_rows = w->inner > 1;
  weft__run_blocks(&(const weft__blocks){.rows = w->outer * (is_rows ? w->to_length : 1),
                                         .columns = is_rows ? w->inner : w->to_length,
                                         .bytes = w->packs ? 8 * w->size : 1,
                                         .cores = w->cores,
                                         .function = w->packs ? pack_block : unpack_block,
                                         .job = &j});
  return 0;
}

const weft__host_function weft__host_bits = {"bits", WEFT__LIBRARY_NONE, sizeof(bits_work), convert_bits, NULL, NULL};

weft_status weft__bits_host_run(bool *is_done, const void *task) {
  const weft__bits_task *t = task;
  const weft__host_use use[] = {{.array = t->to, .writes = true}, {.array = t->from, .reads = true}};
  bits_work w;
  memset(&w, 0, sizeof w); /* recordings keep all its bytes */
  w.outer = t->parts.outer;
  w.from_length = t->parts.length;
  w.to_length = t->to_length;
  w.inner = t->parts.inner;
  w.size = (int32_t)weft_dtype_size_bytes(t->from->dtype);
  w.cores = weft__host_cores(t->to->context);
  w.packs = t->packs;
  w.little = t->little;
  if (w.inner == 1 && (t->packs ? w.from_length == 8 * w.to_length : w.to_length == 8 * w.from_length)) { /* one run */
    w.from_length *= w.outer;
    w.to_length *= w.outer;
    w.outer = 1;
  }
  *is_done = true;
  return weft__host_run(t->to->context, &weft__host_bits, &w, 2, use, t->packs ? "packbits" : "unpackbits", t->site);
}

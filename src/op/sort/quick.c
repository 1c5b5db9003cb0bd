// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else shuffles are not known where they are compiled */
#endif
#include "op/sort/quick.h"

#include "base/wide.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#include <pthread.h>

/* The functions are for vectors of numbers of 32 and 64 bits: `bits` is known where they are compiled. */
#define TARGET __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,popcnt")))
#define INLINE TARGET static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

typedef __m512i vec;

enum { VECTOR_BYTES = 64, ROWS = 16, HELD = 4, MOST_BAD = 8, MANY_WIDE = 1024 };

INLINE size_t lanes_of(int bits) {
  return 512 / (size_t)bits;
}

/* ---- vectors ---- */

INLINE char *place(int bits, const weft__quick *q, size_t i) {
  return (char *)q->x + i * (size_t)bits / 8;
}
INLINE vec load(const char *x) {
  return _mm512_loadu_si512(x);
}
INLINE void store(char *x, vec v) {
  _mm512_storeu_si512(x, v);
}
/// The first n lanes, at most all.
INLINE unsigned first_lanes(int bits, size_t n) {
  return n < lanes_of(bits) ? (1u << n) - 1 : bits == 32 ? 0xffff : 0xff;
}
/// Lanes behind the first n are greater than all.
INLINE vec load_some(int bits, const char *x, size_t n) {
  const unsigned mask = first_lanes(bits, n);
  const vec most = _mm512_set1_epi64(-1);
  return bits == 32 ? _mm512_mask_loadu_epi32(most, (__mmask16)mask, x)
                    : _mm512_mask_loadu_epi64(most, (__mmask8)mask, x);
}
INLINE void store_some(int bits, char *x, vec v, size_t n) {
  const unsigned mask = first_lanes(bits, n);
  if (bits == 32)
    _mm512_mask_storeu_epi32(x, (__mmask16)mask, v);
  else
    _mm512_mask_storeu_epi64(x, (__mmask8)mask, v);
}
INLINE vec each(int bits, uint64_t number) {
  return bits == 32 ? _mm512_set1_epi32((int)(uint32_t)number) : _mm512_set1_epi64((long long)number);
}
INLINE vec least(int bits, vec a, vec b) {
  return bits == 32 ? _mm512_min_epu32(a, b) : _mm512_min_epu64(a, b);
}
INLINE vec greatest(int bits, vec a, vec b) {
  return bits == 32 ? _mm512_max_epu32(a, b) : _mm512_max_epu64(a, b);
}
INLINE void exchange(int bits, vec *a, vec *b) {
  const vec lesser = least(bits, *a, *b);
  *b = greatest(bits, *a, *b);
  *a = lesser;
}

/// Lanes in another order: those whose numbers differ in these bits change places.
INLINE vec apart(int bits, size_t difference, vec v) {
  if (bits == 64) difference *= 2;
  switch (difference) { /* in lanes of 32 bits */
    case 1:
      return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0xb1);
    case 2:
      return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4e);
    case 3:
      return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x1b);
    case 4:
      return _mm512_shuffle_i64x2(v, v, 0xb1);
    case 6:
      return _mm512_permutex_epi64(v, 0x1b);
    case 7:
      return _mm512_shuffle_epi32(_mm512_shuffle_i64x2(v, v, 0xb1), (_MM_PERM_ENUM)0x1b);
    case 8:
      return _mm512_shuffle_i64x2(v, v, 0x4e);
    case 14:
      return _mm512_permutexvar_epi64(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), v);
    default:
      return _mm512_permutexvar_epi32(_mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), v);
  }
}
/// The greater ones of two vectors in the lanes whose numbers have this bit, the lesser ones in the others.
INLINE vec split(int bits, size_t bit, vec a, vec b) {
  const unsigned mask = bit == 1 ? 0xaaaa : bit == 2 ? 0xcccc : bit == 4 ? 0xf0f0 : 0xff00;
  const vec lesser = least(bits, a, b);
  return bits == 32 ? _mm512_mask_max_epu32(lesser, (__mmask16)mask, a, b)
                    : _mm512_mask_max_epu64(lesser, (__mmask8)mask, a, b);
}
/// The lanes of the first (or second) halves of two vectors in turn.
INLINE vec mixed(int bits, bool second, vec a, vec b) {
  if (bits == 32) {
    const vec from = second ? _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8)
                            : _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_permutex2var_epi32(a, from, b);
  }
  const vec from = second ? _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4) : _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
  return _mm512_permutex2var_epi64(a, from, b);
}

/* ---- keys ---- */

INLINE vec keys_of(int bits, const weft__quick *q, vec v) {
  v = _mm512_xor_si512(v, each(bits, q->flip));
  if (!q->is_float) return v;
  const vec top = each(bits, (uint64_t)1 << (bits - 1));
  const vec sign = bits == 32 ? _mm512_srai_epi32(v, 31) : _mm512_srai_epi64(v, 63);
  const vec all = _mm512_set1_epi64(-1);
  return _mm512_xor_si512(v, _mm512_or_si512(_mm512_andnot_si512(sign, all), top));
}
INLINE void fill(int bits, const weft__quick *q, size_t first, size_t end, uint64_t number) {
  const vec key = keys_of(bits, q, each(bits, number));
  for (; first < end; first += lanes_of(bits)) store_some(bits, place(bits, q, first), key, end - first);
}

/* ---- few numbers ---- */

/// A step of a merge exchange. It is known when this is compiled which vectors are compared: p and k are numbers.
INLINE void exchange_apart(int bits, vec *v, const size_t rows, const size_t p, const size_t k) {
  UNROLL
  for (size_t i = 0; i < rows; i++)
    if (i >= k % p && (i - k % p) / k % 2 == 0 && i + k < rows && i / (2 * p) == (i + k) / (2 * p))
      exchange(bits, &v[i], &v[i + k]);
}
/// Sorts the lanes' columns by merge exchange (K. E. Batcher 1968). Loops over p and k would not be unrolled.
INLINE void sort_columns(int bits, vec *v, const size_t rows) {
  exchange_apart(bits, v, rows, 1, 1);
  if (rows <= 2) return;
  exchange_apart(bits, v, rows, 2, 2);
  exchange_apart(bits, v, rows, 2, 1);
  if (rows <= 4) return;
  exchange_apart(bits, v, rows, 4, 4);
  exchange_apart(bits, v, rows, 4, 2);
  exchange_apart(bits, v, rows, 4, 1);
  if (rows <= 8) return;
  exchange_apart(bits, v, rows, 8, 8);
  exchange_apart(bits, v, rows, 8, 4);
  exchange_apart(bits, v, rows, 8, 2);
  exchange_apart(bits, v, rows, 8, 1);
}
/// Merges blocks of sorted columns in pairs, the second one backwards (bitonic merge, Batcher 1968).
INLINE void merge_columns(int bits, vec *v, const size_t rows, const size_t block) {
  UNROLL
  for (size_t i = 0; i < (rows + 1) / 2; i++) {
    const vec a = v[i], b = v[rows - 1 - i];
    v[i] = split(bits, block / 2, a, apart(bits, block - 1, b));
    if (rows > 1) v[rows - 1 - i] = split(bits, block / 2, b, apart(bits, block - 1, a));
  }
  UNROLL
  for (size_t lane = block / 4; lane > 0; lane /= 2) {
    UNROLL
    for (size_t i = 0; i < rows; i++) v[i] = split(bits, lane, v[i], apart(bits, lane, v[i]));
  }
  UNROLL
  for (size_t row = rows / 2; row > 0; row /= 2) {
    UNROLL
    for (size_t i = 0; i < rows; i++)
      if ((i & row) == 0) exchange(bits, &v[i], &v[i + row]);
  }
}
/// Columns become rows, by perfect shuffles.
INLINE void turn_columns(int bits, vec *v, const size_t rows) {
  vec w[ROWS];
  UNROLL
  for (size_t shuffle = 1; shuffle < rows; shuffle *= 2) {
    UNROLL
    for (size_t i = 0; i < rows / 2; i++) {
      w[2 * i] = mixed(bits, false, v[i], v[i + rows / 2]);
      w[2 * i + 1] = mixed(bits, true, v[i], v[i + rows / 2]);
    }
    UNROLL
    for (size_t i = 0; i < rows; i++) v[i] = w[i];
  }
}
INLINE size_t rest(size_t n, size_t before) {
  return n > before ? n - before : 0;
}
/// Sorts up to `rows` vectors, a power of two, and makes keys of them.
INLINE void sort_rows(int bits, const weft__quick *q, size_t first, size_t n, const size_t rows) {
  const size_t lanes = lanes_of(bits);
  vec v[ROWS];
  UNROLL
  for (size_t i = 0; i < rows; i++) v[i] = load_some(bits, place(bits, q, first + i * lanes), rest(n, i * lanes));
  sort_columns(bits, v, rows);
  UNROLL
  for (size_t block = 2; block <= lanes; block *= 2) merge_columns(bits, v, rows, block);
  turn_columns(bits, v, rows);
  UNROLL
  for (size_t i = 0; i < rows; i++)
    store_some(bits, place(bits, q, first + i * lanes), keys_of(bits, q, v[i]), rest(n, i * lanes));
}
INLINE void sort_few(int bits, const weft__quick *q, size_t first, size_t n) {
  const size_t vectors = (n + lanes_of(bits) - 1) / lanes_of(bits);
  if (vectors <= 1)
    sort_rows(bits, q, first, n, 1);
  else if (vectors <= 2)
    sort_rows(bits, q, first, n, 2);
  else if (vectors <= 4)
    sort_rows(bits, q, first, n, 4);
  else if (vectors <= 8)
    sort_rows(bits, q, first, n, 8);
  else
    sort_rows(bits, q, first, n, ROWS);
}

/* ---- many numbers ---- */

/// Where numbers are put: lesser ones from `low` on, others before `high`.
typedef struct ends {
  char *low, *high;
} ends;

/* Orders of lanes, by the bits of those with lesser numbers. A table takes fewer instructions than two compressions. */
static _Alignas(VECTOR_BYTES) uint32_t order_32[2][256][8]; /* a half: lesser first; the other: last */
static _Alignas(VECTOR_BYTES) uint32_t turned_32[9][16];    /* the last n lanes come first */
static _Alignas(VECTOR_BYTES) uint64_t order_64[256][8];    /* lesser first */

static void make_orders(void) {
  for (uint32_t bits = 0; bits < 256; bits++) {
    uint32_t lesser = 0, other = (uint32_t)__builtin_popcount(bits);
    for (uint32_t lane = 0; lane < 8; lane++) {
      const uint32_t at = bits >> lane & 1 ? lesser++ : other++;
      order_32[0][bits][at] = lane;
      order_32[1][255 - bits][at] = lane + 8;
      order_64[bits][at] = lane;
    }
  }
  for (uint32_t n = 0; n < 9; n++)
    for (uint32_t lane = 0; lane < 16; lane++) turned_32[n][lane] = (lane + 16 - n) % 16;
}

/// Both ends take the whole vector, whose lesser numbers are first. What is stored later overwrites the rest.
INLINE void put(int bits, ends *e, vec v, vec bound) {
  const unsigned lesser = bits == 32 ? _mm512_cmplt_epu32_mask(v, bound) : _mm512_cmplt_epu64_mask(v, bound);
  const size_t low_bytes = (size_t)bits / 8 * (size_t)__builtin_popcount(lesser);
  if (bits == 32) {
    const __m256i first = _mm256_load_si256((const __m256i *)order_32[0][lesser & 255]);
    const __m256i second = _mm256_load_si256((const __m256i *)order_32[1][lesser >> 8]);
    const vec turn = load((const char *)turned_32[__builtin_popcount(lesser >> 8)]);
    v = _mm512_permutexvar_epi32(_mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1), v);
    v = _mm512_permutexvar_epi32(turn, v);
  } else {
    v = _mm512_permutexvar_epi64(load((const char *)order_64[lesser]), v);
  }
  store(e->low, v);
  store(e->high - VECTOR_BYTES, v);
  e->low += low_bytes;
  e->high -= VECTOR_BYTES - low_bytes;
}

/// Puts the numbers less than the bound before the others, and returns where these begin. There are at least 2 * HELD
/// vectors and one. As many are held back, so that the end with less free room, from which the next ones are taken, and
/// the other one always have room for what is put there. The next ones are taken before the place of the last ones is
/// known.
INLINE size_t divide(int bits, const weft__quick *q, size_t first, size_t end, uint64_t bound) {
  const vec bounds = each(bits, bound);
  const size_t odd = (end - first) % lanes_of(bits);
  ends e = {place(bits, q, first), place(bits, q, end)};
  const char *from = e.low, *to = e.high;
  vec held[2 * HELD];
  UNROLL
  for (int k = 0; k < HELD; k++) {
    held[k] = load(from + k * VECTOR_BYTES);
    held[HELD + k] = load(to - (k + 1) * VECTOR_BYTES);
  }
  from += HELD * VECTOR_BYTES;
  to -= HELD * VECTOR_BYTES;
  /* less than a vector */
  const vec some = load_some(bits, from, odd);
  from += odd * (size_t)bits / 8;
  while (to - from >= HELD * VECTOR_BYTES) {
    vec v[HELD];
    const bool is_last = e.high - to < from - e.low;
    const char *at = is_last ? to - HELD * VECTOR_BYTES : from;
    to -= is_last ? HELD * VECTOR_BYTES : 0;
    from += is_last ? 0 : HELD * VECTOR_BYTES;
    UNROLL
    for (int k = 0; k < HELD; k++) v[k] = load(at + k * VECTOR_BYTES);
    UNROLL
    for (int k = 0; k < HELD; k++) put(bits, &e, held[k], bounds);
    UNROLL
    for (int k = 0; k < HELD; k++) held[k] = v[k];
  }
  while (from < to) {
    const bool is_last = e.high - to < from - e.low;
    const vec v = load(is_last ? to - VECTOR_BYTES : from);
    to -= is_last ? VECTOR_BYTES : 0;
    from += is_last ? 0 : VECTOR_BYTES;
    put(bits, &e, v, bounds);
  }
  /* so that whole vectors fill what is left */
  const unsigned mask = first_lanes(bits, odd);
  if (bits == 32) {
    const unsigned lesser = mask & _mm512_cmplt_epu32_mask(some, bounds);
    _mm512_mask_compressstoreu_epi32(e.low, (__mmask16)lesser, some);
    e.low += 4 * (size_t)__builtin_popcount(lesser);
    e.high -= 4 * (odd - (size_t)__builtin_popcount(lesser));
    _mm512_mask_compressstoreu_epi32(e.high, (__mmask16)(mask & ~lesser), some);
  } else {
    const unsigned lesser = mask & _mm512_cmplt_epu64_mask(some, bounds);
    _mm512_mask_compressstoreu_epi64(e.low, (__mmask8)lesser, some);
    e.low += 8 * (size_t)__builtin_popcount(lesser);
    e.high -= 8 * (odd - (size_t)__builtin_popcount(lesser));
    _mm512_mask_compressstoreu_epi64(e.high, (__mmask8)(mask & ~lesser), some);
  }
  UNROLL
  for (int k = 0; k < 2 * HELD; k++) put(bits, &e, held[k], bounds);
  return (size_t)(e.low - (char *)q->x) / ((size_t)bits / 8);
}

/// Sorts the lanes of a vector.
INLINE vec sorted(int bits, vec v) {
  UNROLL
  for (size_t block = 2; block <= lanes_of(bits); block *= 2) merge_columns(bits, &v, 1, block);
  return v;
}
/// Numbers at equal distances.
INLINE vec sample(int bits, const char *x, size_t distance) {
  const vec each_lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  const vec at = _mm512_mullo_epi64(each_lane, _mm512_set1_epi64((long long)distance));
  if (bits == 64) return _mm512_i64gather_epi64(at, x, 8);
  const __m256i low = _mm512_i64gather_epi32(at, x, 4), high = _mm512_i64gather_epi32(at, x + 32 * distance, 4);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
/// The middle one of some numbers at equal distances. Of 8 lanes each is the middle one of three, if numbers are many:
/// sorts of 10^4 take 0.92 of the time; with 16 lanes they take as long.
INLINE uint64_t bound_of(int bits, const weft__quick *q, size_t first, size_t end) {
  const size_t distance = (end - first) / lanes_of(bits), aside_bytes = distance / 4 * (size_t)bits / 8;
  const char *x = place(bits, q, first + distance / 2);
  vec v = sample(bits, x, distance);
  if (bits == 64 && end - first >= MANY_WIDE) {
    vec before = sample(bits, x - aside_bytes, distance), behind = sample(bits, x + aside_bytes, distance);
    exchange(bits, &before, &behind);
    v = greatest(bits, before, least(bits, v, behind));
  }
  v = sorted(bits, v);
  return bits == 64 ? (uint64_t)_mm_cvtsi128_si64(_mm512_extracti64x2_epi64(v, 2))
                    : (uint32_t)_mm_cvtsi128_si32(_mm512_extracti32x4_epi32(v, 2));
}

INLINE uint64_t number_at(int bits, const weft__quick *q, size_t i) {
  return bits == 32 ? ((const uint32_t *)q->x)[i] : ((const uint64_t *)q->x)[i];
}
INLINE void put_number(int bits, const weft__quick *q, size_t i, uint64_t number) {
  if (bits == 32)
    ((uint32_t *)q->x)[i] = (uint32_t)number;
  else
    ((uint64_t *)q->x)[i] = number;
}

/// If bounds are bad again and again (J. W. J. Williams's heapsort, 1964).
TARGET static void sort_heap(int bits, const weft__quick *q, size_t first, size_t end) {
  const weft__quick heap = {.x = place(bits, q, first)};
  for (size_t n = end - first, begin = n / 2; n > 1;) {
    if (begin > 0) {
      begin--;
    } else {
      n--;
      const uint64_t most = number_at(bits, &heap, 0);
      put_number(bits, &heap, 0, number_at(bits, &heap, n));
      put_number(bits, &heap, n, most);
    }
    const uint64_t one = number_at(bits, &heap, begin);
    size_t at = begin;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
      if (child + 1 < n && number_at(bits, &heap, child) < number_at(bits, &heap, child + 1)) child++;
      if (number_at(bits, &heap, child) <= one) break;
      put_number(bits, &heap, at, number_at(bits, &heap, child));
    }
    put_number(bits, &heap, at, one);
  }
  for (size_t i = first; i < end; i += lanes_of(bits))
    store_some(bits, place(bits, q, i), keys_of(bits, q, load_some(bits, place(bits, q, i), end - i)), end - i);
}

INLINE void sort(int bits, const weft__quick *q, size_t first, size_t end) {
  enum { WAITING = 64 }; /* the shorter part comes next, so that few wait */
  const uint64_t greatest_one = bits == 32 ? UINT32_MAX : UINT64_MAX;
  size_t begins[WAITING], tails[WAITING], waiting = 0, tries = 0;
  const size_t few = ROWS * lanes_of(bits), most_tries = 64 + (end - first) / 4;
  for (;;) {
    while (end - first > few && tries < most_tries) {
      const uint64_t bound = bound_of(bits, q, first, end);
      size_t middle = divide(bits, q, first, end, bound);
      const size_t below = middle - first, beyond = end - middle;
      if ((below < beyond ? below : beyond) < (end - first) / 16) tries += (end - first) / 64;
      if (below > 0) {
        begins[waiting] = below < beyond ? middle : first;
        tails[waiting++] = below < beyond ? end : middle;
        end = below < beyond ? middle : end;
        first = below < beyond ? first : middle;
        continue;
      }
      middle = bound == greatest_one ? end : divide(bits, q, first, end, bound + 1);
      fill(bits, q, first, middle, bound);
      first = middle;
    }
    if (end - first > few)
      sort_heap(bits, q, first, end);
    else if (end > first)
      sort_few(bits, q, first, end - first);
    if (waiting == 0) return;
    first = begins[--waiting];
    end = tails[waiting];
  }
}

/// Quickselect (C. A. R. Hoare 1961).
INLINE uint64_t select_one(int bits, const weft__quick *q, size_t n, size_t rank) {
  const uint64_t greatest_one = bits == 32 ? UINT32_MAX : UINT64_MAX;
  size_t first = 0, end = n;
  for (int bad = 0; end - first > ROWS * lanes_of(bits) && bad < MOST_BAD;) {
    const uint64_t bound = bound_of(bits, q, first, end);
    size_t middle = divide(bits, q, first, end, bound);
    if (middle == first) { /* equal to the bound, one of the least numbers */
      middle = bound == greatest_one ? end : divide(bits, q, first, end, bound + 1);
      if (rank < middle) return bound;
    }
    const size_t left = rank < middle ? middle - first : end - middle;
    bad += left > (end - first) / 16 * 15;
    *(rank < middle ? &end : &first) = middle;
  }
  sort(bits, q, first, end);
  return number_at(bits, q, rank);
}

INLINE size_t between(int bits, char *to, size_t *inside, const weft__quick *q, size_t n, const uint64_t bound[2]) {
  const vec least = each(bits, bound[0]), most = each(bits, bound[1]);
  char *at = to + *inside * (size_t)bits / 8;
  size_t below = 0;
  for (size_t i = 0; i < n; i += lanes_of(bits)) {
    const vec v = load_some(bits, place(bits, q, i), n - i);
    unsigned lesser, wanted = first_lanes(bits, n - i);
    if (bits == 32) {
      lesser = _mm512_cmplt_epu32_mask(v, least);
      wanted &= ~lesser & _mm512_cmple_epu32_mask(v, most);
      store(at, _mm512_maskz_compress_epi32((__mmask16)wanted, v));
    } else {
      lesser = _mm512_cmplt_epu64_mask(v, least);
      wanted &= ~lesser & _mm512_cmple_epu64_mask(v, most);
      store(at, _mm512_maskz_compress_epi64((__mmask8)wanted, v));
    }
    below += (size_t)__builtin_popcount(lesser);
    at += (size_t)bits / 8 * (size_t)__builtin_popcount(wanted);
  }
  *inside = (size_t)(at - to) / ((size_t)bits / 8);
  return below;
}

INLINE void move(int bits, const weft__quick *q, size_t n, char *to[3], const char *elements, uint64_t bound) {
  const vec bounds = each(bits, bound);
  for (size_t i = 0; i < n; i += lanes_of(bits)) {
    const vec numbers = load_some(bits, place(bits, q, i), n - i);
    const vec v = load_some(bits, elements + i * (size_t)bits / 8, n - i);
    const unsigned all = first_lanes(bits, n - i);
    const unsigned lesser =
        all & (bits == 32 ? _mm512_cmplt_epu32_mask(numbers, bounds) : _mm512_cmplt_epu64_mask(numbers, bounds));
    const unsigned equal =
        all & (bits == 32 ? _mm512_cmpeq_epi32_mask(numbers, bounds) : _mm512_cmpeq_epi64_mask(numbers, bounds));
    const unsigned part[3] = {lesser, equal, all & ~(lesser | equal)};
    UNROLL
    for (int k = 0; k < 3; k++) {
      if (k == 1 && !equal) continue;
      const size_t count = (size_t)__builtin_popcount(part[k]);
      store_some(bits, to[k],
                 bits == 32 ? _mm512_maskz_compress_epi32((__mmask16)part[k], v)
                            : _mm512_maskz_compress_epi64((__mmask8)part[k], v),
                 count);
      to[k] += count * (size_t)bits / 8;
    }
  }
}

/* ---- both widths ---- */

bool weft__quick_is_there(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (WEFT__WIDTH != 2) return false;
  pthread_once(&once, make_orders);
  return true;
}

TARGET size_t weft__quick_divide(const weft__quick *q, size_t first, size_t end) {
  if (q->is_wide) return divide(64, q, first, end, bound_of(64, q, first, end));
  return divide(32, q, first, end, bound_of(32, q, first, end));
}

TARGET void weft__quick_sort(const weft__quick *q, size_t first, size_t end) {
  if (q->is_wide)
    sort(64, q, first, end);
  else
    sort(32, q, first, end);
}

TARGET uint64_t weft__quick_select(const weft__quick *q, size_t n, size_t rank) {
  return q->is_wide ? select_one(64, q, n, rank) : select_one(32, q, n, rank);
}

TARGET size_t weft__quick_between(char *to, size_t *inside, const weft__quick *q, size_t n, const uint64_t bound[2]) {
  return q->is_wide ? between(64, to, inside, q, n, bound) : between(32, to, inside, q, n, bound);
}

TARGET void weft__quick_move(const weft__quick *q, size_t n, char *to[3], const char *elements, uint64_t bound) {
  if (q->is_wide)
    move(64, q, n, to, elements, bound);
  else
    move(32, q, n, to, elements, bound);
}

#else

bool weft__quick_is_there(void) {
  return false;
}
size_t weft__quick_divide(const weft__quick *q, size_t first, size_t end) {
  (void)q;
  (void)end;
  return first;
}
void weft__quick_sort(const weft__quick *q, size_t first, size_t end) {
  (void)q;
  (void)first;
  (void)end;
}
uint64_t weft__quick_select(const weft__quick *q, size_t n, size_t rank) {
  (void)q;
  (void)n;
  return rank;
}
size_t weft__quick_between(char *to, size_t *inside, const weft__quick *q, size_t n, const uint64_t bound[2]) {
  (void)to;
  (void)inside;
  (void)q;
  (void)bound;
  return n;
}
void weft__quick_move(const weft__quick *q, size_t n, char *to[3], const char *elements, uint64_t bound) {
  (void)q;
  (void)n;
  (void)to;
  (void)elements;
  (void)bound;
}

#endif

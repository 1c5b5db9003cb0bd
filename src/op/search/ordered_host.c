// SPDX-License-Identifier: MIT
/// Ordered arrays on the host: searches, merges and tests of the order, whose elements the threads share.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "op/search/tuning.h"
#include "op/search/unique.h"

#ifdef WEFT__WIDEST_TARGET
#include <immintrin.h>
#endif

/* ---- loops ---- */

typedef struct weft__ordered_loops {
  /// By side: where values belong in the array.
  void (*search[2])(int64_t *place, const void *ordered, size_t length, const void *values, size_t n, uint64_t form);
  void (*are_in)(uint8_t *to, const int64_t *place, const void *ordered, size_t length, const void *values, size_t n,
                 uint64_t form);
  void (*merge)(void *to, const void *a, size_t n, const void *b, size_t m, size_t first, size_t end, uint64_t form);
  bool (*is_sorted)(const void *from, size_t pairs, bool falling, bool strict, uint64_t form);
  /* of integers; else NULL */
  size_t (*table_bits)(const void *ordered, size_t length, size_t most, uint64_t form);
  void (*fill_table)(uint32_t *table, size_t first, size_t end, const void *ordered, size_t length, uint64_t form);
  void (*look_up)(uint8_t *to, const uint32_t *table, size_t bits, const void *ordered, const void *values, size_t n,
                  uint64_t form);
} weft__ordered_loops;

/// By the real part, then by the imaginary one. Numbers with a NaN part follow the others: with a NaN imaginary part,
/// with a NaN real part, with two NaNs.
static inline bool weft__complex_less(double a_re, double a_im, double b_re, double b_im) {
  if (isunordered(a_re + a_im, b_re + b_im)) { /* also of two infinities */
    const int of_a = 2 * (a_re != a_re) + (a_im != a_im), of_b = 2 * (b_re != b_re) + (b_im != b_im);
    if (of_a != of_b) return of_a < of_b;
    return of_a < 2 && a_re != b_re ? a_re < b_re : (of_a & 1) == 0 && a_im < b_im;
  }
  return (a_re < b_re) | ((a_re == b_re) & (a_im < b_im)); /* no branch, which could not be predicted */
}

#define HALF_NAN 0x8000
/// An f16 or bf16 as an integer in the order of the numbers.
static inline int32_t weft__half_key(uint16_t x, int32_t infinity) {
  const int32_t size = x & 0x7fff;
  return size > infinity ? HALF_NAN : x >> 15 ? -size : size;
}

#define WHOLE 0
#define NUMBERED 1
#define REAL 2
#define COMPLEX 3
#define HAS_GATHER (BYTES > 16)
#ifdef WEFT__WIDEST_TARGET
/* WEFT__SEARCH_FOUND elements of x, `next` behind the places: compilers make no gathers of a loop. An element of 1 or 2
   bytes is shifted to the beginning of a word of 4 bytes, which ends with it or is the array's first one. */
WEFT__WIDE_TARGET static inline void weft__gather_wide(void *to, const void *x, const uint32_t *at, uint32_t next,
                                                       size_t size) {
  __m256i *y = to;
  for (size_t k = 0; k < WEFT__SEARCH_FOUND; k += 8) {
    const __m256i place = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(at + k)), _mm256_set1_epi32((int)next));
    const __m256i before = _mm256_min_epu32(place, _mm256_set1_epi32(size == 1 ? 3 : 1)); /* in the word */
    const __m256i word = _mm256_sub_epi32(place, before);
    if (size == 1) {
      _mm256_storeu_si256(y++, _mm256_srlv_epi32(_mm256_i32gather_epi32(x, word, 1), _mm256_slli_epi32(before, 3)));
    } else if (size == 2) {
      _mm256_storeu_si256(y++, _mm256_srlv_epi32(_mm256_i32gather_epi32(x, word, 2), _mm256_slli_epi32(before, 4)));
    } else if (size == 4) {
      _mm256_storeu_si256(y++, _mm256_i32gather_epi32(x, place, 4));
    } else {
      _mm256_storeu_si256(y++, _mm256_i32gather_epi64(x, _mm256_castsi256_si128(place), 8));
      _mm256_storeu_si256(y++, _mm256_i32gather_epi64(x, _mm256_extracti128_si256(place, 1), 8));
    }
  }
}
WEFT__WIDEST_TARGET static inline void weft__gather_widest(void *to, const void *x, const uint32_t *at, uint32_t next,
                                                           size_t size) {
  __m512i *y = to;
  for (size_t k = 0; k < WEFT__SEARCH_FOUND; k += 16) {
    const __m512i place = _mm512_add_epi32(_mm512_loadu_si512(at + k), _mm512_set1_epi32((int)next));
    const __m512i before = _mm512_min_epu32(place, _mm512_set1_epi32(size == 1 ? 3 : 1));
    const __m512i word = _mm512_sub_epi32(place, before);
    if (size == 1) {
      _mm512_storeu_si512(y++, _mm512_srlv_epi32(_mm512_i32gather_epi32(word, x, 1), _mm512_slli_epi32(before, 3)));
    } else if (size == 2) {
      _mm512_storeu_si512(y++, _mm512_srlv_epi32(_mm512_i32gather_epi32(word, x, 2), _mm512_slli_epi32(before, 4)));
    } else if (size == 4) {
      _mm512_storeu_si512(y++, _mm512_i32gather_epi32(place, x, 4));
    } else {
      _mm512_storeu_si512(y++, _mm512_i32gather_epi64(_mm512_castsi512_si256(place), x, 8));
      _mm512_storeu_si512(y++, _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(place, 1), x, 8));
    }
  }
}
#endif
#define LOOPS "op/search/ordered_types.h"
#include "base/each_width.h"

/// The loops for a dtype, and their `form`.
static const weft__ordered_loops *loops_of(uint64_t *form, weft_dtype dtype) {
  enum { F16 = 4, F32, F64, C64, C128 };
  static const weft__ordered_loops *const *const of_width[3] = WEFT__ALL(all_ordered_loops);
  const char kind = weft_dtype_kind(dtype);
  const size_t size = weft_dtype_size_bytes(dtype);
  const int whole = (size > 1) + (size > 2) + (size > 4);
  *form = kind == 'i' ? UINT64_C(1) << (8 * size - 1) : dtype == WEFT_F16 ? 0x7c00 : dtype == WEFT_BF16 ? 0x7f80 : 0;
  return of_width[WEFT__WIDTH][kind == 'c'   ? (size == 8 ? C64 : C128)
                               : kind != 'f' ? whole
                               : size == 2   ? F16
                               : size == 4   ? F32
                                             : F64];
}

/* ---- shares ---- */

/// What a recording keeps. Its arrays in this order, as far as they have elements: the result; the values, a, or the
/// elements; the ordered array, or b.
typedef struct ordered_work {
  uint64_t n, m; /* elements of the two arrays */
  int32_t dtype, cores, what, inverts, falling, strict;
} ordered_work;

typedef struct ordered_job {
  const ordered_work *w;
  const weft__ordered_loops *loops;
  uint64_t form;
  size_t bytes; /* of an element */
  char *to;
  const char *a, *b;
  int shares;
  uint32_t *table; /* NULL: values are searched for */
  size_t table_bits;
  bool is_sorted[WEFT__MOST_SHARES];
} ordered_job;

static void open_job(ordered_job *j, void *const *data, const ordered_work *w, uint64_t items, uint64_t least_share) {
  int next = 0;
  j->w = w;
  j->loops = loops_of(&j->form, (weft_dtype)w->dtype);
  j->bytes = weft_dtype_size_bytes((weft_dtype)w->dtype);
  j->to = data[next++];
  j->a = w->n ? data[next++] : NULL;
  j->b = w->m ? data[next] : NULL;
  j->shares = weft__shares_of(items / least_share, (uint64_t)w->cores * WEFT__ORDERED_SHARES_OF_CORE);
  j->table = NULL;
}

/// Where the share number k of the items begins.
static size_t cut_at(const ordered_job *j, uint64_t items, size_t k) {
  const uint64_t shares = (uint64_t)j->shares;
  return (size_t)(items / shares * k + items % shares * k / shares);
}

/* ---- searches ---- */

static void *fill_share(void *of) {
  const weft__share *share = of;
  const ordered_job *j = share->all;
  const size_t words = (j->table_bits + 31) / 32;
  j->loops->fill_table(j->table, cut_at(j, words, share->number), cut_at(j, words, share->number + 1), j->b, j->w->m,
                       j->form);
  return NULL;
}

/// Makes a table with a bit for each integer from the array's first to its last, if they are close enough.
static void make_table(ordered_job *j) {
  const ordered_work *w = j->w;
  if (w->what != WEFT__SEARCH_IN || !j->loops->table_bits || w->m == 0 || w->m / WEFT__SEARCH_TABLE_VALUES > w->n)
    return;
  const size_t worth = WEFT__SEARCH_TABLE_BITS * (w->n + w->m),
               most = worth < WEFT__SEARCH_TABLE_MOST ? worth : WEFT__SEARCH_TABLE_MOST;
  j->table_bits = j->loops->table_bits(j->b, w->m, most, j->form);
  if (j->table_bits) j->table = malloc((j->table_bits + 31) / 32 * sizeof *j->table);
  if (j->table) weft__run_shares(j->shares, fill_share, j); /* else values are searched for */
}

static void look(const ordered_job *j, uint8_t *to, const char *values, size_t n) {
  const ordered_work *w = j->w;
  int64_t place[WEFT__ORDERED_BLOCK];
  if (j->table) {
    j->loops->look_up(to, j->table, j->table_bits, j->b, values, n, j->form);
  } else if (w->m) {
    j->loops->search[0](place, j->b, w->m, values, n, j->form);
    j->loops->are_in(to, place, j->b, w->m, values, n, j->form);
  } else {
    memset(to, 0, n);
  }
  if (w->inverts)
    for (size_t k = 0; k < n; k++) to[k] ^= 1;
}

static void *search_share(void *of) {
  const weft__share *share = of;
  const ordered_job *j = share->all;
  const ordered_work *w = j->w;
  size_t i = cut_at(j, w->n, share->number);
  const size_t end = cut_at(j, w->n, share->number + 1);
  if (w->what != WEFT__SEARCH_IN)
    j->loops->search[w->what == WEFT__SEARCH_RIGHT]((int64_t *)(void *)j->to + i, j->b, w->m, j->a + i * j->bytes,
                                                    end - i, j->form);
  else
    for (size_t n; i < end; i += n) {
      n = end - i < WEFT__ORDERED_BLOCK ? end - i : WEFT__ORDERED_BLOCK;
      look(j, (uint8_t *)j->to + i, j->a + i * j->bytes, n);
    }
  return NULL;
}

static int search_values(void *const *data, const void *work) {
  const ordered_work *w = work;
  ordered_job j;
  open_job(&j, data, w, w->n, WEFT__SEARCH_SHARE);
  make_table(&j);
  weft__run_shares(j.shares, search_share, &j);
  free(j.table);
  return 0;
}

/* ---- merges ---- */

static void *merge_share(void *of) {
  const weft__share *share = of;
  const ordered_job *j = share->all;
  const ordered_work *w = j->w;
  j->loops->merge(j->to, j->a, w->n, j->b, w->m, cut_at(j, w->n + w->m, share->number),
                  cut_at(j, w->n + w->m, share->number + 1), j->form);
  return NULL;
}

static int merge_arrays(void *const *data, const void *work) {
  const ordered_work *w = work;
  ordered_job j;
  open_job(&j, data, w, w->n + w->m, WEFT__ORDERED_SHARE);
  weft__run_shares(j.shares, merge_share, &j);
  return 0;
}

/* ---- the order ---- */

static void *test_share(void *of) {
  const weft__share *share = of;
  ordered_job *j = (ordered_job *)(uintptr_t)share->all;
  const size_t pairs = j->w->n - 1, first = cut_at(j, pairs, share->number);
  j->is_sorted[share->number] = j->loops->is_sorted(
      j->a + first * j->bytes, cut_at(j, pairs, share->number + 1) - first, j->w->falling, j->w->strict, j->form);
  return NULL;
}

static int test_order(void *const *data, const void *work) {
  ordered_job j;
  open_job(&j, data, work, ((const ordered_work *)work)->n, WEFT__ORDERED_SHARE);
  weft__run_shares(j.shares, test_share, &j);
  *j.to = 1;
  for (int k = 0; k < j.shares; k++) *j.to &= j.is_sorted[k];
  return 0;
}

/* ---- the steps ---- */

const weft__host_function weft__host_search = {"search", WEFT__LIBRARY_NONE, sizeof(ordered_work), search_values, NULL,
                                               NULL};
const weft__host_function weft__host_merge = {"merge", WEFT__LIBRARY_NONE, sizeof(ordered_work), merge_arrays, NULL,
                                              NULL};
const weft__host_function weft__host_is_sorted = {
    "is_sorted", WEFT__LIBRARY_NONE, sizeof(ordered_work), test_order, NULL, NULL};

static weft_status run_step(const weft__host_function *function, const weft__ordered *o) {
  const ordered_work w = {.n = (uint64_t)o->a->size,
                          .m = o->b ? (uint64_t)o->b->size : 0,
                          .dtype = (int32_t)o->a->dtype,
                          .cores = weft__host_cores(o->out->context),
                          .what = (int32_t)o->what,
                          .inverts = o->is_inverted,
                          .falling = o->is_falling,
                          .strict = o->is_strict};
  weft__host_use use[3] = {{.array = o->out, .writes = true}};
  int uses = 1;
  if (w.n) use[uses++] = (weft__host_use){.array = o->a, .reads = true};
  if (w.m) use[uses++] = (weft__host_use){.array = o->b, .reads = true};
  return weft__host_run(o->out->context, function, &w, uses, use, function->name, o->site);
}

weft_status weft__search_host_run(bool *is_done, const void *task) {
  *is_done = true;
  return run_step(&weft__host_search, task);
}

weft_status weft__merge_host_run(bool *is_done, const void *task) {
  *is_done = true;
  return run_step(&weft__host_merge, task);
}

weft_status weft__is_sorted_host_run(bool *is_done, const void *task) {
  *is_done = true;
  return run_step(&weft__host_is_sorted, task);
}

weft_status weft__unique_flags_host_run(bool *is_done, const void *task) {
  const weft__flagging *f = task;
  *is_done = true;
  return weft__unique_flags_on_host(f->flags, NULL, f->ordered, false, f->site);
}

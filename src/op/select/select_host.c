// SPDX-License-Identifier: MIT
/// Selection on the host: the threads count what they select of their shares of the elements, then write it. AVX-512
/// moves the selected lanes of a vector to its beginning.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "base/wide.h"
#include "engine/host_step.h"
#include "engine/shares.h"
#include "op/select/compact.h"
#include "op/select/tuning.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define COMPRESSES (WEFT__WIDTH == 2 && __builtin_cpu_supports("avx512vbmi2"))
#define COMPRESSING_TARGET __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,popcnt")))
#else
#define COMPRESSES false
#endif

enum { BLOCK = 128 }; /* bytes, whose count fits a byte */

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

/// Whether bits of the mask are set in elements of x: a byte for each.
#define TEST_LOOP(TARGET, NAME, T)                                                  \
  TARGET static void NAME(uint8_t *keep, const void *x, int64_t n, uint64_t mask) { \
    for (int64_t i = 0; i < n; i++) keep[i] = (((const T *)x)[i] & (T)mask) != 0;   \
  }
WEFT__EACH(TEST_LOOP, test_2, uint16_t)
WEFT__EACH(TEST_LOOP, test_4, uint32_t)
WEFT__EACH(TEST_LOOP, test_8, uint64_t)

static void test_16(uint8_t *keep, const void *x, int64_t n, uint64_t mask) {
  const uint64_t *half = x;
  for (int64_t i = 0; i < n; i++) keep[i] = ((half[2 * i] | half[2 * i + 1]) & mask) != 0;
}

/// Writes the `count` elements of x whose bytes are not 0, or the numbers of these bytes, from the number *x on.
typedef void write_loop(void *to, const uint8_t *keep, const void *x, int64_t count);

/// Each element is stored at the place of the next selected one, until the last selected one is stored.
#define WRITE_REST(value) \
  for (; k < count; k += keep[i] != 0, i++) y[k] = (value);
#define WRITE_LOOP(NAME, T, value)                                                                \
  WEFT__ON_A_LINE static void NAME(void *to, const uint8_t *keep, const void *x, int64_t count) { \
    T *y = to;                                                                                    \
    const T *from = x;                                                                            \
    int64_t i = 0, k = 0;                                                                         \
    WRITE_REST(value)                                                                             \
  }
/// Writes all n elements: those that are selected from number k on, the others from number r on.
typedef void part_loop(void *to, const uint8_t *keep, const void *x, int64_t n, int64_t k, int64_t r);

#define PART_LOOP(NAME, T)                                                                          \
  static void NAME(void *to, const uint8_t *keep, const void *x, int64_t n, int64_t k, int64_t r) { \
    T *y = to;                                                                                      \
    for (int64_t i = 0; i < n; i++) {                                                               \
      const int64_t is = keep[i] != 0;                                                              \
      y[r + ((k - r) & -is)] = ((const T *)x)[i]; /* without a branch */                            \
      k += is;                                                                                      \
      r += 1 - is;                                                                                  \
    }                                                                                               \
  }
typedef struct wide {
  uint64_t half[2];
} wide;
WRITE_LOOP(write_1, uint8_t, from[i])
WRITE_LOOP(write_2, uint16_t, from[i])
WRITE_LOOP(write_4, uint32_t, from[i])
WRITE_LOOP(write_8, uint64_t, from[i])
WRITE_LOOP(write_16, wide, from[i])
PART_LOOP(part_1, uint8_t)
PART_LOOP(part_2, uint16_t)
PART_LOOP(part_4, uint32_t)
PART_LOOP(part_8, uint64_t)
PART_LOOP(part_16, wide)
WRITE_LOOP(write_numbers, int64_t, from[0] + i)

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
  const int64_t first = *(const int64_t *)x;
  uint8_t number[64];
  for (int j = 0; j < 64; j++) number[j] = (uint8_t)j;
  const __m512i all = _mm512_loadu_si512(number);
  for (; k + 64 <= count; i += 64) {
    const __m512i kept = _mm512_loadu_si512(keep + i);
    const __mmask64 mask = _mm512_test_epi8_mask(kept, kept);
    const int numbers = __builtin_popcountll(mask);
    _mm512_storeu_si512(number, _mm512_maskz_compress_epi8(mask, all));
    for (int j = 0; j < numbers; j += 8) {
      const __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(number + j));
      _mm512_storeu_si512(y + k + j, _mm512_add_epi64(_mm512_set1_epi64(first + i), _mm512_cvtepu8_epi64(eight)));
    }
    k += numbers;
  }
  WRITE_REST(first + i)
}
#else
#define write_4_widest write_4
#define write_8_widest write_8
#define write_numbers_widest write_numbers
#endif

/// The number of a power of two up to 16: a row of the loops.
static int row_of(int32_t size) {
  return (size > 1) + (size > 2) + (size > 4) + (size > 8);
}

static write_loop *loop_of(int32_t what, int32_t size) {
  static write_loop *const loops[] = {write_1, write_2, write_4, write_8, write_16};
  if (what == WEFT__SELECT_NUMBERS) return COMPRESSES ? write_numbers_widest : write_numbers;
  if (size == 4 && COMPRESSES) return write_4_widest;
  return size == 8 && COMPRESSES ? write_8_widest : loops[row_of(size)];
}

/* ---- shares ---- */

/// What a recording keeps of a selection. Its arrays in this order, as far as there are: the result, the bytes that
/// select, the elements, the count.
typedef struct selecting {
  int64_t n, shape[WEFT_MAX_NDIM];
  int64_t selected; /* how many elements are, if that is known; else -1 */
  uint64_t mask;    /* of an element's bits that select it; 0: bytes do */
  int32_t what, size, ndim, shares;
  int32_t gives_out, gives_count;
} selecting;

typedef struct work {
  const selecting *t;
  char *out;
  const uint8_t *keep; /* NULL: made of the elements */
  const char *x;
  int64_t before[WEFT__MOST_SHARES + 1]; /* the elements that the shares before each one select */
} work;

static int64_t count_kept_of(const uint8_t *keep, int64_t n) {
  static int64_t (*const loop[3])(const uint8_t *, int64_t) = WEFT__ALL(count_kept);
  return loop[WEFT__WIDTH](keep, n);
}

/// The bytes of n elements from i on: of up to WEFT__SELECT_TILE, if they are made.
static const uint8_t *keep_of(uint8_t *room, const work *w, int64_t i, int64_t n) {
  static void (*const tests[][3])(uint8_t *, const void *, int64_t, uint64_t) = {
      {NULL}, WEFT__ALL(test_2), WEFT__ALL(test_4), WEFT__ALL(test_8), {test_16, test_16, test_16}};
  const int32_t size = w->t->size;
  if (w->keep) return w->keep + i;
  tests[row_of(size)][WEFT__WIDTH](room, w->x + i * size, n, w->t->mask);
  return room;
}

static int64_t first_of(const work *w, size_t share) {
  return (int64_t)((uint64_t)w->t->n * share / (uint64_t)w->t->shares);
}

static void *count_share(void *of) {
  const weft__share *share = of;
  work *w = (work *)(uintptr_t)share->all;
  const int64_t end = first_of(w, share->number + 1);
  uint8_t room[WEFT__SELECT_TILE];
  int64_t count = 0, i = first_of(w, share->number);
  for (int64_t n; i < end; i += n) {
    n = !w->keep && end - i > WEFT__SELECT_TILE ? WEFT__SELECT_TILE : end - i;
    count += count_kept_of(keep_of(room, w, i, n), n);
  }
  w->before[share->number + 1] = count;
  return NULL;
}

/// Writes the coordinates of ascending numbers of elements. In a row all but the last are equal.
static void write_coordinates(int64_t *to, const int64_t *number, int64_t count, const selecting *t) {
  const int last = t->ndim - 1;
  int64_t row = -1, at[WEFT_MAX_NDIM] = {0};
  for (int64_t k = 0; k < count; k++, to += t->ndim) {
    if (row < 0 || number[k] - row >= t->shape[last]) {
      row = number[k] - number[k] % t->shape[last];
      for (int64_t d = last - 1, rest = row / t->shape[last]; d >= 0; rest /= t->shape[d--]) at[d] = rest % t->shape[d];
    }
    for (int d = 0; d < last; d++) to[d] = at[d];
    to[last] = number[k] - row;
  }
}

/// Writes what is selected of n elements from i on, as elements from `place` on.
static void write_kept(const work *w, const uint8_t *keep, int64_t i, int64_t place, int64_t count) {
  const selecting *t = w->t;
  write_loop *const loop = loop_of(t->what, t->size);
  if (t->what == WEFT__SELECT_NUMBERS && t->ndim > 1) {
    int64_t number[WEFT__SELECT_TILE];
    loop(number, keep, &i, count);
    write_coordinates((int64_t *)(void *)w->out + place * t->ndim, number, count, t);
  } else if (t->what == WEFT__SELECT_NUMBERS) {
    loop(w->out + place * 8, keep, &i, count);
  } else {
    loop(w->out + place * t->size, keep, w->x + i * t->size, count);
  }
}

static void *write_share(void *of) {
  static part_loop *const parts[] = {part_1, part_2, part_4, part_8, part_16};
  const weft__share *share = of;
  const work *w = share->all;
  const bool is_tiled = !w->keep || w->t->ndim > 1;
  const int64_t end = first_of(w, share->number + 1);
  int64_t place = w->before[share->number], i = first_of(w, share->number);
  uint8_t room[WEFT__SELECT_TILE];
  if (w->t->what == WEFT__SELECT_BOTH)
    parts[row_of(w->t->size)](w->out, w->keep + i, w->x + i * w->t->size, end - i, place,
                              w->before[w->t->shares] + i - place);
  else
    for (int64_t n; i < end; i += n) {
      n = is_tiled && end - i > WEFT__SELECT_TILE ? WEFT__SELECT_TILE : end - i;
      const uint8_t *keep = keep_of(room, w, i, n);
      const int64_t count = is_tiled ? count_kept_of(keep, n) : w->before[share->number + 1] - place;
      write_kept(w, keep, i, place, count);
      place += count;
    }
  return NULL;
}

static int64_t run_shares(work *w) {
  w->before[0] = 0;
  w->before[1] = w->t->selected;
  if (w->t->shares > 1 || w->t->selected < 0) weft__run_shares(w->t->shares, count_share, w);
  for (int32_t k = 0; k < w->t->shares; k++) w->before[k + 1] += w->before[k];
  if (w->out) weft__run_shares(w->t->shares, write_share, w);
  return w->before[w->t->shares];
}

static int run(void *const *data, const void *task) {
  const selecting *t = task;
  int next = 0;
  work w = {.t = t};
  if (t->gives_out) w.out = data[next++];
  if (!t->mask) w.keep = data[next++];
  if (t->gives_out || t->mask) w.x = data[next++];
  const int64_t selected = run_shares(&w);
  if (t->gives_count) *(int64_t *)data[next] = selected;
  return 0;
}

const weft__host_function weft__host_select = {
    .name = "select", .library = WEFT__LIBRARY_NONE, .task_bytes = sizeof(selecting), .run = run};

/* ---- the way ---- */

static selecting task_of(const weft__select_task *of) {
  const weft__selection *s = of->selection;
  const weft_dtype dtype = s->x->dtype;
  const uint64_t most = (uint64_t)weft__host_cores(s->context) * WEFT__SELECT_CORE_SHARES;
  selecting t; /* recordings keep all its bytes */
  memset(&t, 0, sizeof t);
  t.n = s->x->size;
  t.what = (int32_t)s->what;
  t.size = (int32_t)weft_dtype_size_bytes(dtype);
  t.shares = weft__shares_of((uint64_t)s->x->size / WEFT__SELECT_LEAST_SHARE, most);
  t.gives_out = of->out != NULL;
  t.selected = of->out && !of->count && s->what != WEFT__SELECT_BOTH ? of->out->shape[0] : -1;
  t.gives_count = of->count || of->number;
  t.ndim = s->shape.ndim;
  for (int d = 0; d < s->shape.ndim; d++) t.shape[d] = s->shape.dim[d];
  if (s->bytes) return t;
  t.mask = UINT64_MAX; /* without the signs of floats: -0 is 0 */
  if (weft_dtype_kind(dtype) == 'f') t.mask >>= 65 - 8 * t.size;
  if (weft_dtype_kind(dtype) == 'c') t.mask = t.size == 8 ? UINT64_C(0x7fffffff7fffffff) : t.mask >> 1;
  return t;
}

bool weft__select_host_fits(const void *of) {
  const weft__selection *s = ((const weft__select_task *)of)->selection;
  return s->bytes || s->is_nonzero;
}

weft_status weft__select_host_run(bool *is_done, const void *of) {
  const weft__select_task *task = of;
  const weft__selection *s = task->selection;
  const selecting t = task_of(task);
  weft__host_use use[4];
  int uses = 0, code;
  /* with a count the result has places behind the selected elements, which keep theirs */
  if (task->out) use[uses++] = (weft__host_use){.array = task->out, .reads = task->count != NULL, .writes = true};
  if (s->bytes) use[uses++] = (weft__host_use){.array = s->bytes, .reads = true};
  if (task->out || !s->bytes) use[uses++] = (weft__host_use){.array = s->x, .reads = true};
  if (task->count) use[uses++] = (weft__host_use){.array = task->count, .writes = true};
  *is_done = true;
  return weft__host_step(&code, &(const weft__host_work){.context = s->context,
                                                         .uses = uses,
                                                         .use = use,
                                                         .function = &weft__host_select,
                                                         .task = &t,
                                                         .answer = task->number,
                                                         .what = s->name,
                                                         .site = s->site});
}

// SPDX-License-Identifier: MIT
/// Sorts of keys alone on CPUs, without launches: keys become numbers (as in cl/sort/key.clh), which are sorted where
/// the result is, by quicksort. Of many keys other threads sort parts. Where there is a NaN or -0, zeros and NaNs are
/// taken out before, as they keep the order of the source.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "dtype/opencl.h"
#include "engine/shares.h"
#include "mem/at_once.h"
#include "op/sort/quick.h"
#include "op/sort/rows.h"

#define MANY (1 << 15)           /* keys that take longer than a wait for the queue */
#define MOST_NARROW (1 << 17)    /* keys of 1 and 2 bytes: more are sorted faster by their digits */
#define MOST_SIDE (1 << 12)      /* keys of short rows: more are sorted faster side by side */
#define MOST_CORES 16            /* with more the first divisions, by one thread, take longer than digits */
#define MOST_ALONE (1 << 17)     /* keys for which other threads are not asked, with more cores */
#define THREAD_BYTES (128 << 10) /* of numbers: more pay for another thread */
#define MOST_TRIES 200           /* to find a part, before a thread sleeps */
#define LEAST_PART 8192          /* numbers that are not divided among threads */
#define PARTS 8                  /* of each thread at least: all end at nearly the same time */
#define LEAST_LEFT 8             /* smaller parts than this share of such numbers are not left to another thread */
#define MOST_BAD 8               /* divisions of a part whose lesser side has less than a sixteenth of the numbers */

/* ---- keys and numbers ---- */

typedef struct form {
  uint64_t flip;        /* the bits to invert in numbers */
  uint64_t least, most; /* floats: the numbers of the infinities, not inverted; NaNs are beyond them */
  uint64_t zero;        /* floats: of 0; -0 comes before it */
} form;

/// Makes numbers of n keys; true: there are NaNs or -0.
typedef bool numbers_loop(void *to, const void *from, size_t n, const form *f);
/// Makes keys of n numbers; `to` may be `from`.
typedef void keys_loop(void *to, const void *from, size_t n, const form *f);

#define INTEGER_LOOPS(T, N, name)                                                                   \
  WEFT__WIDEST static bool numbers_of_##name(void *to, const void *from, size_t n, const form *f) { \
    const T *x = from;                                                                              \
    N *y = to;                                                                                      \
    for (size_t i = 0; i < n; i++) y[i] = (N)(x[i] ^ (N)f->flip);                                   \
    return false;                                                                                   \
  }                                                                                                 \
  WEFT__WIDEST static void keys_of_##name(void *to, const void *from, size_t n, const form *f) {    \
    const N *x = from;                                                                              \
    T *y = to;                                                                                      \
    for (size_t i = 0; i < n; i++) y[i] = (T)(x[i] ^ (N)f->flip);                                   \
  }
#define FLOAT_LOOPS(T, N, name)                                                                     \
  WEFT__WIDEST static bool numbers_of_##name(void *to, const void *from, size_t n, const form *f) { \
    const T *x = from, top = (T)f->zero, least = (T)f->least, most = (T)f->most;                    \
    const N flip = (N)f->flip;                                                                      \
    T others = 0;                                                                                   \
    N *y = to;                                                                                      \
    for (size_t i = 0; i < n; i++) {                                                                \
      const T number = (T)(x[i] ^ (x[i] & top ? (T) ~(T)0 : top));                                  \
      others |= (T)((number < least) | (number > most) | (number == (T)(top - 1)));                 \
      y[i] = (N)(number ^ flip);                                                                    \
    }                                                                                               \
    return others != 0;                                                                             \
  }                                                                                                 \
  WEFT__WIDEST static void keys_of_##name(void *to, const void *from, size_t n, const form *f) {    \
    const N *x = from, flip = (N)f->flip;                                                           \
    const T top = (T)f->zero;                                                                       \
    T *y = to;                                                                                      \
    for (size_t i = 0; i < n; i++) {                                                                \
      const T number = (T)(x[i] ^ flip);                                                            \
      y[i] = (T)(number ^ (number & top ? top : (T) ~(T)0));                                        \
    }                                                                                               \
  }
INTEGER_LOOPS(uint8_t, uint32_t, u8)
INTEGER_LOOPS(uint16_t, uint32_t, u16)
INTEGER_LOOPS(uint32_t, uint32_t, u32)
INTEGER_LOOPS(uint64_t, uint64_t, u64)
FLOAT_LOOPS(uint16_t, uint32_t, f16)
FLOAT_LOOPS(uint32_t, uint32_t, f32)
FLOAT_LOOPS(uint64_t, uint64_t, f64)

/* ---- a sort ---- */

/// -0, 0 and NaNs of a row, which had such elements, in their order.
typedef struct others {
  size_t zeros, nans, before; /* before: how many other elements of the row come before zeros */
  uint64_t number[];          /* zeros, then NaNs */
} others;

typedef struct range {
  size_t first, end;
} range;

typedef struct task {
  weft__quick quick; /* its x: the numbers of all rows */
  const char *from;
  char *to;
  size_t rows, length, key_bytes;
  bool is_narrow, is_float, descending;
  atomic_bool failed;
  form f;
  numbers_loop *numbers_of;
  keys_loop *keys_of;
  others **other; /* by row; NULL: of integers */
  /* what threads share */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  size_t least;    /* parts of this many numbers or fewer are not divided */
  size_t next_row; /* rows from here on wait, and so do the parts */
  size_t busy, waiting, room;
  range *part;
} task;

static uint64_t number_at(const task *t, size_t i) {
  return t->quick.is_wide ? ((const uint64_t *)t->quick.x)[i] : ((const uint32_t *)t->quick.x)[i];
}
static void set_number(const task *t, size_t i, uint64_t number) {
  if (t->quick.is_wide)
    ((uint64_t *)t->quick.x)[i] = number;
  else
    ((uint32_t *)t->quick.x)[i] = (uint32_t)number;
}
static char *place_of(const task *t, size_t i) {
  return (char *)t->quick.x + i * (t->quick.is_wide ? 8 : 4);
}

static bool is_nan(const task *t, uint64_t number) {
  return number < t->f.least || number > t->f.most;
}
static bool is_zero(const task *t, uint64_t number) {
  return number == t->f.zero || number == t->f.zero - 1;
}

/// Takes -0, 0 and NaNs out of a row of numbers. NULL: no memory.
static others *take_others(const task *t, size_t row) {
  const size_t first = row * t->length, end = first + t->length;
  size_t zeros = 0, nans = 0, kept = first;
  for (size_t i = first; i < end; i++) {
    const uint64_t number = number_at(t, i) ^ t->f.flip;
    nans += is_nan(t, number);
    zeros += is_zero(t, number);
  }
  others *o = weft__new(sizeof *o + (zeros + nans) * sizeof *o->number);
  if (!o) return NULL;
  for (size_t i = first; i < end; i++) {
    const uint64_t number = number_at(t, i) ^ t->f.flip;
    if (is_nan(t, number)) {
      o->number[zeros + o->nans++] = number;
    } else if (is_zero(t, number)) {
      o->number[o->zeros++] = number;
    } else {
      o->before += t->descending ? number > t->f.zero : number < t->f.zero;
      set_number(t, kept++, number ^ t->f.flip);
    }
  }
  return o;
}

/// Puts them back into the sorted row.
static void put_others(const task *t, size_t row, const others *o) {
  const size_t first = row * t->length, end = first + t->length, count = o->zeros + o->nans;
  const size_t nans = t->descending ? first : end - o->nans, lesser = t->descending ? first + o->nans : first;
  const size_t zeros = lesser + o->before, bytes = t->quick.is_wide ? 8 : 4;
  memmove(place_of(t, zeros + o->zeros), place_of(t, first + o->before), (t->length - count - o->before) * bytes);
  memmove(place_of(t, lesser), place_of(t, first), o->before * bytes);
  for (size_t k = 0; k < count; k++)
    set_number(t, k < o->zeros ? zeros + k : nans + k - o->zeros, o->number[k] ^ t->f.flip);
  if (t->is_narrow) return; /* all of them are numbers still */
  t->keys_of(place_of(t, zeros), place_of(t, zeros), o->zeros, &t->f);
  t->keys_of(place_of(t, nans), place_of(t, nans), o->nans, &t->f);
}

/* ---- threads ---- */

/// Leaves a part to any thread; false: too many wait.
static bool leave(task *t, range part) {
  pthread_mutex_lock(&t->lock);
  const bool has_room = t->waiting < t->room;
  if (has_room) t->part[t->waiting++] = part;
  pthread_cond_signal(&t->changed);
  pthread_mutex_unlock(&t->lock);
  return has_room;
}

/// Leaves the lesser parts, and goes on with the greater ones until the rest is small or bounds were bad too often: the
/// time is not quadratic whatever the numbers are.
static void sort_part(task *t, range r) {
  for (int bad = 0; r.end - r.first > t->least && bad < MOST_BAD;) {
    const size_t middle = weft__quick_divide(&t->quick, r.first, r.end);
    if (middle == r.first) break; /* equal numbers are the sort's subject */
    const range low = {r.first, middle}, high = {middle, r.end};
    const bool is_low = middle - r.first < r.end - middle;
    const range lesser = is_low ? low : high;
    const size_t n = lesser.end - lesser.first;
    bad += n < (r.end - r.first) / 16;
    if (n < t->least / LEAST_LEFT || !leave(t, lesser)) weft__quick_sort(&t->quick, lesser.first, lesser.end);
    r = is_low ? high : low;
  }
  weft__quick_sort(&t->quick, r.first, r.end);
}

static void sort_row(task *t, size_t row) {
  const size_t first = row * t->length;
  range all = {first, first + t->length};
  if (t->numbers_of(place_of(t, first), t->from + first * t->key_bytes, t->length, &t->f)) {
    others *o = t->other[row] = take_others(t, row);
    if (!o) {
      atomic_store(&t->failed, true);
      t->keys_of(t->to + first * t->key_bytes, place_of(t, first), t->length, &t->f);
      return;
    }
    all.end -= o->zeros + o->nans;
  }
  sort_part(t, all);
}

/// Takes a part, or rows; false: all is done.
static bool take(task *t, range *part, range *rows) {
  const size_t few = t->least / t->length + 1;
  *part = *rows = (range){0, 0};
  pthread_mutex_lock(&t->lock);
  for (int tries = 0; t->waiting == 0 && t->next_row == t->rows && t->busy > 0; tries++) {
    if (tries >= MOST_TRIES) {
      pthread_cond_wait(&t->changed, &t->lock);
      continue;
    }
    pthread_mutex_unlock(&t->lock); /* to sleep and be woken takes 50 us */
    sched_yield();
    pthread_mutex_lock(&t->lock);
  }
  const bool is_left = t->waiting > 0 || t->next_row < t->rows;
  if (t->waiting > 0) {
    *part = t->part[--t->waiting];
  } else if (is_left) {
    rows->first = t->next_row;
    rows->end = t->next_row = few < t->rows - t->next_row ? t->next_row + few : t->rows;
  }
  t->busy += is_left;
  pthread_mutex_unlock(&t->lock);
  return is_left;
}

static void *sort_share(void *user) {
  task *const *t = ((const weft__share *)user)->all;
  range part, rows;
  while (take(*t, &part, &rows)) {
    for (size_t row = rows.first; row < rows.end; row++) sort_row(*t, row);
    if (part.end > part.first) sort_part(*t, part);
    pthread_mutex_lock(&(*t)->lock);
    if (--(*t)->busy == 0) pthread_cond_broadcast(&(*t)->changed);
    pthread_mutex_unlock(&(*t)->lock);
  }
  return NULL;
}

static weft_status sort_rows(task *t, int threads) {
  const size_t n = t->rows * t->length;
  t->least = threads == 1 ? SIZE_MAX : n / (size_t)(threads * PARTS);
  if (t->least < LEAST_PART) t->least = LEAST_PART;
  t->room = n / (t->least / LEAST_LEFT);
  if (threads == 1) {
    for (size_t row = 0; row < t->rows; row++) sort_row(t, row);
    return WEFT_OK;
  }
  if (!(t->part = weft__new(t->room * sizeof *t->part))) return WEFT_ERROR_HOST_MEMORY;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->changed, NULL);
  weft__run_shares(threads, sort_share, &t);
  pthread_cond_destroy(&t->changed);
  pthread_mutex_destroy(&t->lock);
  free(t->part);
  return WEFT_OK;
}

/* ---- the call ---- */

static int threads_of(const weft__sort *s, size_t number_bytes) {
  const uint64_t cores = s->context->core.device->info.compute_units;
  const uint64_t shares = s->rows * s->length * number_bytes / THREAD_BYTES;
  const uint64_t most = cores > MOST_CORES ? 1 : cores;
  return (int)(shares < 1 || most < 1 ? 1 : shares < most ? shares : most);
}

static void open_task(task *t, const weft__sort *s, char *const place[3]) {
  static numbers_loop *const numbers_of[2][4] = {{numbers_of_u8, numbers_of_u16, numbers_of_u32, numbers_of_u64},
                                                 {NULL, numbers_of_f16, numbers_of_f32, numbers_of_f64}};
  static keys_loop *const keys_of[2][4] = {{keys_of_u8, keys_of_u16, keys_of_u32, keys_of_u64},
                                           {NULL, keys_of_f16, keys_of_f32, keys_of_f64}};
  const weft_dtype dtype = s->key_from->dtype;
  uint32_t flip, flip_top;
  t->key_bytes = weft_dtype_size_bytes(dtype);
  t->rows = s->rows;
  t->length = s->length;
  t->from = place[0] + s->key_from->offset_bytes;
  t->to = place[1] + s->key_to->offset_bytes;
  t->is_narrow = t->key_bytes < 4;
  t->is_float = weft_dtype_kind(dtype) == 'f';
  t->descending = s->descending;
  weft__sort_flips(&flip, &flip_top, dtype, s->descending);
  t->f.flip = t->key_bytes == 8 ? (uint64_t)flip_top << 32 | flip : flip_top;
  if (t->is_float) {
    const uint64_t infinity = t->key_bytes == 8   ? UINT64_C(0x7ff) << 52
                              : t->key_bytes == 4 ? UINT64_C(0xff) << 23
                                                  : weft__infinity_bits(dtype);
    t->f.zero = UINT64_C(1) << (8 * t->key_bytes - 1);
    t->f.most = t->f.zero + infinity;
    t->f.least = t->f.zero - 1 - infinity;
  }
  const int k = t->key_bytes == 1 ? 0 : t->key_bytes == 2 ? 1 : t->key_bytes == 4 ? 2 : 3;
  t->numbers_of = numbers_of[t->is_float][k];
  t->keys_of = keys_of[t->is_float][k];
  t->quick = (weft__quick){.x = place[2], .is_wide = t->key_bytes == 8};
  if (t->is_narrow) return; /* keys are made at the end */
  t->quick.x = t->to;
  t->quick.is_float = t->is_float;
  t->quick.flip = t->f.flip;
}

static weft_status sort_now(const weft__sort *s, char *const place[3]) {
  weft_status rc;
  task t = {0};
  open_task(&t, s, place);
  if (t.is_float && !(t.other = weft__new(t.rows * sizeof *t.other))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(sort_rows(&t, threads_of(s, t.quick.is_wide ? 8 : 4)));
  for (size_t row = 0; t.other && row < t.rows; row++)
    if (t.other[row]) put_others(&t, row, t.other[row]);
  if (t.is_narrow) t.keys_of(t.to, t.quick.x, t.rows * t.length, &t.f);
  rc = atomic_load(&t.failed) ? WEFT_ERROR_HOST_MEMORY : WEFT_OK;
done:
  for (size_t row = 0; t.other && row < t.rows; row++) free(t.other[row]);
  free(t.other);
  return rc;
}

bool weft__sort_vectors_fits(const void *of) {
  const weft__sort *s = of;
  const size_t bytes = weft_dtype_size_bytes(s->key_from->dtype);
  const uint64_t n = s->rows * s->length;
  if (!s->context->store.is_cpu || s->value_to || weft_dtype_kind(s->key_from->dtype) == 'c') return false;
  if (!weft__quick_is_there() || n > SIZE_MAX / 16) return false;
  if (bytes < 4 && n > MOST_NARROW) return false;
  if (bytes <= 4 && n > MOST_SIDE && s->rows > 1 && WEFT__SORT_SHORT(bytes, s->rows, s->length)) return false;
  return n <= MOST_ALONE || s->context->core.device->info.compute_units <= MOST_CORES;
}

weft_status weft__sort_vectors_run(bool *is_done, const void *of) {
  const weft__sort *s = of;
  const uint64_t n = s->rows * s->length;
  weft_array *numbers = NULL;
  char *place[3] = {NULL};
  weft_status rc;
  const bool is_narrow = weft_dtype_size_bytes(s->key_from->dtype) < 4;
  *is_done = false;
  if (is_narrow) WEFT__TRY(weft__array_create(&numbers, s->context, WEFT_U32, WEFT_SHAPE((int64_t)n), s->site));
  const weft__use use[] = {
      {s->key_from->storage, false}, {s->key_to->storage, true}, {is_narrow ? numbers->storage : NULL, true}};
  WEFT__TRY(
      (n < MANY ? weft__at_once : weft__at_once_waiting)(is_done, place, &s->context->core, is_narrow ? 3 : 2, use));
  if (is_narrow && *is_done) place[2] += numbers->offset_bytes;
  rc = *is_done ? sort_now(s, place) : WEFT_OK;
done:
  weft_array_release(&numbers);
  return rc;
}

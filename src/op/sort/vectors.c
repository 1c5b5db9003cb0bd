// SPDX-License-Identifier: MIT
/// Sorts by quicksort in vectors, of keys alone where the result is, or of keys of 4 bytes above their places. Of many
/// numbers other threads sort parts.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/scratch.h"
#include "op/sort/host.h"
#include "op/sort/quick.h"
#include "op/sort/tuning.h"

typedef struct range {
  size_t first, end;
} range;

typedef struct task {
  const weft__sort_rows *s;
  weft__quick quick; /* its x: the numbers of all rows */
  int threads;
  atomic_bool failed;
  bool has_numbers;          /* of the only row, */
  atomic_bool has_others;    /* which has such elements */
  weft__sort_others **other; /* by row; NULL: of integers, or above places */
  /* what threads share */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  size_t least;    /* parts of this many numbers or fewer are not divided */
  size_t next_row; /* rows from here on wait, and so do the parts */
  size_t busy, waiting, room;
  range *part;
} task;

static char *row_of(const task *t, size_t row) {
  return (char *)t->quick.x + row * t->s->length * t->s->number_bytes;
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
  for (int bad = 0; r.end - r.first > t->least && bad < WEFT__SORT_MOST_BAD;) {
    const size_t middle = weft__quick_divide(&t->quick, r.first, r.end);
    if (middle == r.first) break; /* equal numbers are the sort's subject */
    const range low = {r.first, middle}, high = {middle, r.end};
    const bool is_low = middle - r.first < r.end - middle;
    const range lesser = is_low ? low : high;
    const size_t n = lesser.end - lesser.first;
    bad += n < (r.end - r.first) / 16;
    if (n < t->least / WEFT__SORT_LEAST_LEFT || !leave(t, lesser))
      weft__quick_sort(&t->quick, lesser.first, lesser.end);
    r = is_low ? high : low;
  }
  weft__quick_sort(&t->quick, r.first, r.end);
}

static bool are_in_order(const uint64_t *x, size_t n) {
  enum { BLOCK = 512 };
  size_t less = 0;
  for (size_t i = 1; i < n && less == 0; i += BLOCK)
    for (size_t k = i; k < n && k < i + BLOCK; k++) less += x[k] < x[k - 1];
  return less == 0;
}

/// Makes the numbers of `n` elements of a row from `first` on; true: some are others (weft__sort_others).
static bool make_numbers(const task *t, size_t row, size_t first, size_t n) {
  const weft__sort_rows *s = t->s;
  const char *from = s->key_from + (row * s->length + first) * s->key_bytes;
  char *to = row_of(t, row) + first * s->number_bytes;
  if (s->kind != WEFT__SORT_PACKED) return s->loops->numbers_of(to, from, n, &s->form);
  s->loops->packed_of((uint64_t *)(void *)to, from, n, first, &s->form);
  return false;
}

/// Of the only row.
static void *number_share(void *user) {
  const weft__share *share = user;
  task *t = *(task *const *)share->all;
  const size_t n = t->s->length, k = share->number, shares = (size_t)t->threads;
  const size_t first = n / shares * k, end = k + 1 == shares ? n : n / shares * (k + 1);
  if (make_numbers(t, 0, first, end - first)) atomic_store(&t->has_others, true);
  return NULL;
}

static void sort_row(task *t, size_t row) {
  const weft__sort_rows *s = t->s;
  range all = {row * s->length, (row + 1) * s->length};
  const bool has_others = t->has_numbers ? atomic_load(&t->has_others) : make_numbers(t, row, 0, s->length);
  if (s->kind == WEFT__SORT_PACKED) {
    if (are_in_order((const uint64_t *)(const void *)row_of(t, row), s->length)) return;
  } else if (has_others) {
    weft__sort_others *o = t->other[row] = weft__sort_take_others(s, row_of(t, row));
    if (!o) {
      atomic_store(&t->failed, true);
      return;
    }
    all.end -= o->zeros + o->nans;
  }
  sort_part(t, all);
}

/// Takes a part, or rows; false: all is done.
static bool take(task *t, range *part, range *rows) {
  const size_t few = t->least / t->s->length + 1;
  *part = *rows = (range){0, 0};
  pthread_mutex_lock(&t->lock);
  for (int tries = 0; t->waiting == 0 && t->next_row == t->s->rows && t->busy > 0; tries++) {
    if (tries >= WEFT__SORT_VECTORS_TRIES) {
      pthread_cond_wait(&t->changed, &t->lock);
      continue;
    }
    pthread_mutex_unlock(&t->lock); /* to sleep and be woken takes 50 us */
    sched_yield();
    pthread_mutex_lock(&t->lock);
  }
  const bool is_left = t->waiting > 0 || t->next_row < t->s->rows;
  if (t->waiting > 0) {
    *part = t->part[--t->waiting];
  } else if (is_left) {
    rows->first = t->next_row;
    rows->end = t->next_row = few < t->s->rows - t->next_row ? t->next_row + few : t->s->rows;
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

static int sort_rows(task *t) {
  const size_t n = t->s->rows * t->s->length;
  t->least = t->threads == 1 ? SIZE_MAX : n / (size_t)(t->threads * WEFT__SORT_PARTS);
  if (t->least < WEFT__SORT_LEAST_PART) t->least = WEFT__SORT_LEAST_PART;
  t->room = n / (t->least / WEFT__SORT_LEAST_LEFT);
  if (t->threads == 1) {
    for (size_t row = 0; row < t->s->rows; row++) sort_row(t, row);
    return 0;
  }
  if (!(t->part = weft__new(t->room * sizeof *t->part))) return WEFT__HOST_NO_MEMORY;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->changed, NULL);
  t->has_numbers = t->s->rows == 1;
  if (t->has_numbers) weft__run_shares(t->threads, number_share, &t);
  weft__run_shares(t->threads, sort_share, &t);
  pthread_cond_destroy(&t->changed);
  pthread_mutex_destroy(&t->lock);
  free(t->part);
  return 0;
}

/// A part of each row, or some of many rows.
static void *deliver_share(void *user) {
  const weft__share *share = user;
  const task *t = *(task *const *)share->all;
  const size_t shares = (size_t)t->threads, rows = t->s->rows, n = rows < shares ? t->s->length : rows;
  const size_t first = n / shares * share->number, end = share->number + 1 == shares ? n : first + n / shares;
  const bool has_parts = rows < shares;
  for (size_t row = has_parts ? 0 : first; row < (has_parts ? rows : end); row++)
    weft__sort_deliver(t->s, row, has_parts ? first : 0, has_parts ? end : t->s->length, row_of(t, row));
  return NULL;
}

/* ---- the way ---- */

int weft__sort_by_vectors(const weft__sort_rows *s) {
  const bool makes_keys = s->kind == WEFT__SORT_ALONE && s->key_bytes >= 4,
             takes = s->is_float && s->kind == WEFT__SORT_ALONE;
  const size_t others = takes ? s->rows * sizeof(weft__sort_others *) : 0;
  char *const room = weft__sort_room(s, 0);
  task t = {.s = s, .quick = {.x = room, .is_wide = s->number_bytes == 8}}, *all = &t;
  char *memory = NULL;
  int code = 0;
  t.threads = weft__shares_of(s->rows * s->length * s->number_bytes / WEFT__SORT_VECTORS_BYTES,
                              s->cores > WEFT__SORT_MOST_CORES ? 1 : (uint64_t)s->cores);
  if (!room || others) {
    memory = weft__scratch_begin(others + (room ? 0 : s->rows * s->length * s->number_bytes));
    if (!memory) return WEFT__HOST_NO_MEMORY;
    if (!room) t.quick.x = memory + others;
  }
  if (others) t.other = memset(memory, 0, others);
  if (makes_keys) {
    t.quick.is_float = s->is_float;
    t.quick.flip = s->form.flip;
  }
  code = sort_rows(&t);
  for (size_t row = 0; others && row < s->rows; row++) {
    if (t.other[row]) weft__sort_put_others(s, row_of(&t, row), t.other[row], makes_keys);
    free(t.other[row]);
  }
  if (!makes_keys) weft__run_shares(t.threads, deliver_share, &all);
  weft__scratch_end(memory);
  return code ? code : atomic_load(&t.failed) ? WEFT__HOST_NO_MEMORY : 0;
}

bool weft__sort_vectors_fits(const void *of) {
  const weft__sort *s = of;
  const size_t bytes = weft_dtype_size_bytes(s->key_from->dtype);
  const uint64_t n = s->rows * s->length;
  const weft__sort_kind kind = weft__sort_kind_of(s);
  if (kind == WEFT__SORT_PAIRS || (kind == WEFT__SORT_PACKED && bytes < 4)) return false;
  if (!weft__quick_is_there() || n > SIZE_MAX / 16) return false;
  if (bytes < 4 && n > WEFT__SORT_VECTORS_NARROW) return false;
  if (bytes <= 4 && n > WEFT__SORT_VECTORS_SIDE && s->rows > 1 && WEFT__SORT_SHORT(bytes, s->rows, s->length))
    return false;
  return n <= WEFT__SORT_VECTORS_ALONE || s->context->core.device->info.compute_units <= WEFT__SORT_MOST_CORES;
}

weft_status weft__sort_vectors_run(bool *is_done, const void *of) {
  return weft__sort_on_host(is_done, of, WEFT__BY_VECTORS);
}

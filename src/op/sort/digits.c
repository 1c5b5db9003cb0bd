// SPDX-License-Identifier: MIT
/// Sorting by digits of the numbers, the least significant first, unless they are in order already. A long row is cut
/// into chunks, several of each thread, since some threads may be busy with other work: all digits of a chunk are
/// counted as its numbers are made, and again before each further pass, as these have moved.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/scratch.h"
#include "op/sort/host.h"
#include "op/sort/tuning.h"

typedef struct weft__sort_digit {
  int shift;
  size_t mask;
} weft__sort_digit;

typedef struct weft__digit_loops {
  bool (*are_in_order)(const void *numbers, size_t n, bool follows);
  void (*count)(size_t *counts, const void *numbers, size_t n, weft__sort_digit digit);
  void (*scatter)(void *restrict to, const void *restrict numbers, size_t n, weft__sort_digit digit,
                  size_t *restrict place);
} weft__digit_loops;

#define T uint32_t
#define NUMBER_OF(x) (x)
#define NAME(name) digit_##name##_u32
#include "op/sort/digit_loops.h"
#define T uint64_t
#define NUMBER_OF(x) (x)
#define NAME(name) digit_##name##_u64
#include "op/sort/digit_loops.h"
#define T weft__sort_pair
#define NUMBER_OF(x) ((x).number)
#define NAME(name) digit_##name##_pair
#include "op/sort/digit_loops.h"

/// A row that is sorted, by one thread or all.
typedef struct job {
  const weft__sort_rows *s;
  const weft__digit_loops *loops;
  size_t row, n; /* n: elements but those taken out */
  int chunks, digits, bits, shift, digit;
  enum { NUMBERS, SECOND_NUMBERS, FIRST_NUMBERS, COUNTS } prepared; /* what a chunk is prepared for */
  char *from, *to;                                                  /* numbers before and after a pass */
  size_t *counts, *run; /* of each chunk all digits' bins; sums of a digit's */
  bool has_others[WEFT__MOST_SHARES], is_unordered[WEFT__MOST_SHARES];
} job;

typedef struct range {
  size_t first, end;
} range;

static range chunk_of(const job *j, size_t number) {
  const size_t chunk = (j->n + (size_t)j->chunks - 1) / (size_t)j->chunks, first = chunk * number;
  return (range){first < j->n ? first : j->n, first + chunk < j->n ? first + chunk : j->n};
}
static weft__sort_digit digit_of(const job *j, int digit) {
  return (weft__sort_digit){j->shift + digit * j->bits, ((size_t)1 << j->bits) - 1};
}
static size_t *counts_of(const job *j, size_t chunk, int digit) {
  return j->counts + ((chunk * (size_t)j->digits + (size_t)digit) << j->bits);
}

static void make_numbers(job *j, size_t chunk, range r) {
  const weft__sort_rows *s = j->s;
  const size_t n = r.end - r.first;
  const char *row = s->key_from + j->row * s->length * s->key_bytes, *from = row + r.first * s->key_bytes;
  char *to = j->from + r.first * s->number_bytes;
  if (j->prepared != NUMBERS)
    s->loops->more_of((weft__sort_pair *)(void *)to, row, n, j->prepared == FIRST_NUMBERS, &s->form);
  else if (s->kind == WEFT__SORT_ALONE)
    j->has_others[chunk] = s->loops->numbers_of(to, from, n, &s->form);
  else if (s->kind == WEFT__SORT_PACKED)
    s->loops->packed_of((uint64_t *)(void *)to, from, n, r.first, &s->form);
  else
    s->loops->pairs_of((weft__sort_pair *)(void *)to, from, n, r.first, &s->form);
}

/// Makes a block of numbers, looks whether it is in order, and counts its digits, before the next one.
static void *prepare_chunk(void *user) {
  const weft__share *share = user;
  job *j = *(job *const *)share->all;
  const size_t c = share->number, bytes = j->s->number_bytes;
  const range all = chunk_of(j, c);
  bool has_others = false, is_ordered = true;
  memset(counts_of(j, c, 0), 0, ((size_t)j->digits << j->bits) * sizeof *j->counts);
  for (size_t i = all.first; i < all.end; i += WEFT__SORT_DIGITS_BLOCK) {
    const range r = {i, all.end - i < WEFT__SORT_DIGITS_BLOCK ? all.end : i + WEFT__SORT_DIGITS_BLOCK};
    const char *x = j->from + i * bytes;
    if (j->prepared != COUNTS) make_numbers(j, c, r);
    has_others = has_others || j->has_others[c];
    is_ordered = is_ordered && j->loops->are_in_order(x, r.end - i, i > all.first);
    for (int d = 0; d < j->digits; d++) j->loops->count(counts_of(j, c, d), x, r.end - i, digit_of(j, d));
  }
  j->has_others[c] = has_others;
  j->is_unordered[c] = !is_ordered;
  return NULL;
}

static void *count_chunk(void *user) {
  const weft__share *share = user;
  const job *j = *(job *const *)share->all;
  const range r = chunk_of(j, share->number);
  size_t *counts = counts_of(j, share->number, j->digit);
  memset(counts, 0, sizeof *counts << j->bits);
  j->loops->count(counts, j->from + r.first * j->s->number_bytes, r.end - r.first, digit_of(j, j->digit));
  return NULL;
}

static void *scatter_chunk(void *user) {
  const weft__share *share = user;
  const job *j = *(job *const *)share->all;
  const range r = chunk_of(j, share->number);
  j->loops->scatter(j->to, j->from + r.first * j->s->number_bytes, r.end - r.first, digit_of(j, j->digit),
                    counts_of(j, share->number, j->digit));
  return NULL;
}

static void *deliver_chunk(void *user) {
  const weft__share *share = user;
  const job *j = *(job *const *)share->all;
  const range r = chunk_of(j, share->number);
  if (r.end > r.first) weft__sort_deliver(j->s, j->row, r.first, r.end, j->from);
  return NULL;
}

static void run(job *j, void *(*function)(void *share)) {
  weft__run_shares(j->chunks, function, &j);
}

/// Sums the counts of a digit; false: all elements have the same one.
static bool sum_counts(const job *j, int digit) {
  const size_t bins = (size_t)1 << j->bits;
  bool differ = true;
  memset(j->run, 0, bins * sizeof *j->run);
  for (size_t c = 0; c < (size_t)j->chunks; c++) {
    const size_t *counts = counts_of(j, c, digit);
    for (size_t b = 0; b < bins; b++) j->run[b] += counts[b];
  }
  for (size_t b = 0; b < bins; b++) differ = differ && j->run[b] != j->n;
  return differ;
}

/// Counts become places.
static void find_places(const job *j, int digit) {
  const size_t bins = (size_t)1 << j->bits;
  size_t before = 0;
  for (size_t b = 0; b < bins; b++) {
    const size_t sum = j->run[b];
    j->run[b] = before;
    before += sum;
  }
  for (size_t c = 0; c < (size_t)j->chunks; c++) {
    size_t *counts = counts_of(j, c, digit);
    for (size_t b = 0; b < bins; b++) {
      const size_t count = counts[b];
      counts[b] = j->run[b];
      j->run[b] += count;
    }
  }
}

static bool is_in_order(const job *j) {
  const size_t bytes = j->s->number_bytes;
  for (size_t c = 0; c < (size_t)j->chunks; c++) {
    const range r = chunk_of(j, c);
    if (j->is_unordered[c]) return false;
    if (r.first > 0 && r.end > r.first && !j->loops->are_in_order(j->from + r.first * bytes, 1, true)) return false;
  }
  return true;
}

static void sort_numbers(job *j) {
  bool have_moved = false;
  if (is_in_order(j)) return;
  for (j->digit = 0; j->digit < j->digits; j->digit++) {
    if (!sum_counts(j, j->digit)) continue;
    if (have_moved && j->chunks > 1) run(j, count_chunk);
    find_places(j, j->digit);
    run(j, scatter_chunk);
    char *const from = j->from;
    j->from = j->to;
    j->to = from;
    have_moved = true;
  }
}

static int sort_row(job *j) {
  const weft__sort_rows *s = j->s;
  weft__sort_others *others = NULL;
  bool has_others = false;
  j->n = s->length;
  j->prepared = NUMBERS;
  memset(j->has_others, 0, sizeof j->has_others);
  run(j, prepare_chunk);
  for (int c = 0; c < j->chunks; c++) has_others = has_others || j->has_others[c];
  if (has_others) {
    if (!(others = weft__sort_take_others(s, j->from))) return WEFT__HOST_NO_MEMORY;
    j->n -= others->zeros + others->nans;
    j->prepared = COUNTS;
    run(j, prepare_chunk);
  }
  sort_numbers(j);
  const char *from = s->key_from + j->row * s->length * s->key_bytes;
  for (int round = 0; round < 2 && weft__sort_goes_on(s, (const weft__sort_pair *)(void *)j->from, from, round);
       round++) {
    j->prepared = round ? FIRST_NUMBERS : SECOND_NUMBERS;
    run(j, prepare_chunk);
    sort_numbers(j);
  }
  if (others) weft__sort_put_others(s, j->from, others, false);
  free(others);
  j->n = s->length;
  run(j, deliver_chunk);
  return 0;
}

/* ---- rows ---- */

typedef struct rows_task {
  const weft__sort_rows *s;
  size_t rows; /* of a share */
  int chunks;
  atomic_bool failed;
} rows_task;

static int sort_some(const weft__sort_rows *s, range rows, int chunks) {
  static const weft__digit_loops *const loops[] = {&digit_loops_u32, &digit_loops_u64, &digit_loops_pair};
  const size_t key_bytes = s->loops->more_of ? 8 : s->key_bytes;
  job j = {.s = s,
           .loops = loops[s->number_bytes == 4   ? 0
                          : s->number_bytes == 8 ? 1
                                                 : 2],
           .chunks = chunks,
           .bits = key_bytes <= 2 || s->length < WEFT__SORT_NARROW_DIGITS ? 8 : 11,
           .shift = s->kind == WEFT__SORT_PACKED ? 32 : 0};
  j.digits = ((int)key_bytes * 8 + j.bits - 1) / j.bits;
  const size_t bins = (size_t)1 << j.bits, counts = (size_t)chunks * (size_t)j.digits * bins;
  const size_t numbers = s->length * s->number_bytes, first = weft__sort_room(s, 0) ? 0 : numbers;
  char *memory = weft__scratch_begin((counts + bins) * sizeof *j.counts + numbers + first);
  if (!memory) return WEFT__HOST_NO_MEMORY;
  j.counts = (size_t *)(void *)memory;
  j.run = j.counts + counts;
  int code = 0;
  for (j.row = rows.first; j.row < rows.end && !code; j.row++) {
    j.to = (char *)(j.run + bins);
    j.from = first ? j.to + numbers : weft__sort_room(s, j.row);
    code = sort_row(&j);
  }
  weft__scratch_end(memory);
  return code;
}

static void *sort_share(void *user) {
  const weft__share *share = user;
  rows_task *t = *(rows_task *const *)share->all;
  const size_t first = share->number * t->rows, end = first + t->rows;
  if (first < t->s->rows && sort_some(t->s, (range){first, end < t->s->rows ? end : t->s->rows}, 1))
    atomic_store(&t->failed, true);
  return NULL;
}

int weft__sort_by_digits(const weft__sort_rows *s) {
  const size_t cores = (size_t)s->cores;
  if (s->length >= WEFT__SORT_LONG_ROW && s->rows < 2 * cores && cores > 1) {
    return sort_some(s, (range){0, s->rows}, weft__shares_of(SIZE_MAX, cores * WEFT__SORT_CORE_CHUNKS));
  }
  const bool is_alone = s->rows * s->length < WEFT__SORT_FEW || cores == 1;
  const int shares = weft__shares_of(s->rows, is_alone ? 1 : cores * WEFT__SORT_CORE_SHARES);
  rows_task t = {.s = s, .rows = weft_ceil_div(s->rows, (size_t)shares)}, *all = &t;
  weft__run_shares(shares, sort_share, &all);
  return atomic_load(&t.failed) ? WEFT__HOST_NO_MEMORY : 0;
}

// SPDX-License-Identifier: MIT
/// Sorts of short rows: of keys of up to 4 bytes above their places several side by side, by a network; of wider ones
/// one after the other, by merging.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/scratch.h"
#include "base/wide.h"
#include "op/sort/host.h"
#include "op/sort/tuning.h"

enum { NETWORK_MOST = 1024, MERGE_MOST = 256, RUN = 8 };
_Static_assert(!WEFT__SORT_SHORT(4, 4, NETWORK_MOST + 1) && !WEFT__SORT_SHORT(8, 4, MERGE_MOST + 1),
               "the rooms hold the longest rows");
enum { NARROW_ROWS = 16, WIDE_ROWS = 8 }; /* side by side, of numbers of 4 and 8 bytes */

typedef void rows_loop(void *rows, void *side, size_t n, size_t distance);

#define T uint32_t
#define FLIP 0u
#define ROWS NARROW_ROWS
#define NAME(name) WIDTH(name##_narrow)
#define LOOPS "op/sort/side_loops.h"
#include "base/each_width.h"
#undef FLIP
#undef ROWS
#define T int64_t
#define FLIP INT64_MIN
#define ROWS WIDE_ROWS
#define NAME(name) WIDTH(name##_packed)
#define LOOPS "op/sort/side_loops.h"
#include "base/each_width.h"
static rows_loop *const sort_narrow_of[] = WEFT__ALL(sort_rows_narrow);
static rows_loop *const sort_packed_of[] = WEFT__ALL(sort_rows_packed);

/// What a share needs: several rows one after the other, and side by side.
typedef union numbers {
  uint32_t narrow[NETWORK_MOST * NARROW_ROWS];
  uint64_t packed[NETWORK_MOST * WIDE_ROWS];
  weft__sort_pair pair[MERGE_MOST];
} numbers;
typedef struct room {
  numbers row, side;
} room;

/// Rows begin at such distances in the room.
static size_t distance_of(size_t n, size_t rows) {
  return (n + rows - 1) / rows * rows;
}

/// Rows without gaps are one, if nothing is gathered within each.
static void deliver(const weft__sort_rows *s, size_t first, size_t rows, const numbers *row, size_t distance) {
  const bool gathers = s->kind == WEFT__SORT_PACKED && (s->key_to || s->value_from);
  const bool are_one = distance == s->length && !gathers;
  for (size_t r = 0; r < (are_one ? 1 : rows); r++)
    weft__sort_deliver(s, first + r, 0, are_one ? rows * s->length : s->length,
                       (const char *)row + r * distance * s->number_bytes);
}

/// Sorts up to WIDE_ROWS rows.
static void sort_packed(const weft__sort_rows *s, size_t first, size_t rows, room *m) {
  const size_t n = s->length, distance = distance_of(n, WIDE_ROWS);
  for (size_t r = 0; r < rows; r++)
    s->loops->packed_of(m->row.packed + r * distance, s->key_from + (first + r) * n * s->key_bytes, n, 0, &s->form);
  sort_packed_of[WEFT__WIDTH](m->row.packed, m->side.packed, n, distance);
  deliver(s, first, rows, &m->row, distance);
}

/// Sorts up to NARROW_ROWS rows. The greatest number stands in for elements that are taken out. False: no memory.
static bool sort_narrow(const weft__sort_rows *s, size_t first, size_t rows, room *m) {
  const size_t n = s->length, distance = distance_of(n, NARROW_ROWS);
  weft__sort_others *other[NARROW_ROWS] = {NULL};
  bool is_done = true;
  const char *from = s->key_from + first * n * s->key_bytes;
  const bool are_plain = distance == n && !s->loops->numbers_of(m->row.narrow, from, rows * n, &s->form);
  for (size_t r = 0; r < rows && !are_plain; r++) {
    uint32_t *x = m->row.narrow + r * distance;
    if (!s->loops->numbers_of(x, from + r * n * s->key_bytes, n, &s->form)) continue;
    const weft__sort_others *o = other[r] = weft__sort_take_others(s, x);
    is_done = is_done && o;
    if (o) memset(x + n - o->zeros - o->nans, 0xff, (o->zeros + o->nans) * sizeof *x);
  }
  sort_narrow_of[WEFT__WIDTH](m->row.narrow, m->side.narrow, n, distance);
  for (size_t r = 0; r < rows && !are_plain; r++) {
    if (other[r]) weft__sort_put_others(s, m->row.narrow + r * distance, other[r], false);
    free(other[r]);
  }
  deliver(s, first, rows, &m->row, distance);
  return is_done;
}

/// Puts runs in order by insertion, then merges them from one side of the room to the other and back. Returns the side.
static weft__sort_pair *merge(room *m, size_t n) {
  weft__sort_pair *x = m->row.pair, *to = m->side.pair;
  for (size_t i = 0; i < n; i++) {
    const weft__sort_pair one = x[i];
    size_t at = i;
    for (; at % RUN != 0 && one.number < x[at - 1].number; at--) x[at] = x[at - 1];
    x[at] = one;
  }
  for (size_t width = RUN; width < n; width *= 2) {
    for (size_t first = 0; first < n; first += 2 * width) {
      const size_t middle = first + width < n ? first + width : n, end = first + 2 * width < n ? first + 2 * width : n;
      for (size_t a = first, b = middle, i = first; i < end; i++) {
        const bool is_second = a == middle || (b < end && x[b].number < x[a].number);
        to[i] = x[is_second ? b : a];
        b += is_second;
        a += !is_second;
      }
    }
    weft__sort_pair *const from = x;
    x = to;
    to = from;
  }
  return x;
}

static void sort_by_merging(const weft__sort_rows *s, size_t row, room *m) {
  const char *from = s->key_from + row * s->length * s->key_bytes;
  s->loops->pairs_of(m->row.pair, from, s->length, 0, &s->form);
  weft__sort_pair *sorted = merge(m, s->length);
  for (int round = 0; round < 2 && weft__sort_goes_on(s, sorted, from, round); round++) {
    if (sorted != m->row.pair) memcpy(m->row.pair, sorted, s->length * sizeof *sorted);
    s->loops->more_of(m->row.pair, from, s->length, round == 1, &s->form);
    sorted = merge(m, s->length);
  }
  weft__sort_deliver(s, row, 0, s->length, sorted);
}

typedef struct task {
  const weft__sort_rows *s;
  size_t rows; /* of a share */
  atomic_bool failed;
} rows_task;

static void *sort_share(void *user) {
  const weft__share *share = user;
  rows_task *t = *(rows_task *const *)share->all;
  const weft__sort_rows *s = t->s;
  const size_t last = (share->number + 1) * t->rows, end = last < s->rows ? last : s->rows;
  const size_t side = s->kind == WEFT__SORT_ALONE ? NARROW_ROWS : s->kind == WEFT__SORT_PACKED ? WIDE_ROWS : 1;
  room *m = weft__scratch_begin(sizeof *m);
  bool is_done = m != NULL;
  for (size_t row = share->number * t->rows; is_done && row < end; row += side) {
    const size_t rows = end - row < side ? end - row : side;
    if (s->kind == WEFT__SORT_ALONE)
      is_done = sort_narrow(s, row, rows, m);
    else if (s->kind == WEFT__SORT_PACKED)
      sort_packed(s, row, rows, m);
    else
      sort_by_merging(s, row, m);
  }
  if (!is_done) atomic_store(&t->failed, true);
  weft__scratch_end(m);
  return NULL;
}

int weft__sort_by_sides(const weft__sort_rows *s) {
  const size_t most = NARROW_ROWS, whole = (s->rows + most - 1) / most;
  const bool is_alone = s->rows * s->length < WEFT__SORT_FEW || s->cores == 1;
  const int shares = weft__shares_of(whole, is_alone ? 1 : (uint64_t)s->cores * WEFT__SORT_CORE_SHARES);
  rows_task t = {.s = s, .rows = weft_ceil_div(whole, (size_t)shares) * most}, *all = &t;
  weft__run_shares(shares, sort_share, &all);
  return atomic_load(&t.failed) ? WEFT__HOST_NO_MEMORY : 0;
}

bool weft__sort_sides_fits(const void *task) {
  const weft__sort *s = task;
  const size_t bytes = weft_dtype_size_bytes(s->key_from->dtype);
  return WEFT__SORT_SHORT(bytes, s->rows, s->length);
}

weft_status weft__sort_sides_run(bool *is_done, const void *task) {
  return weft__sort_on_host(is_done, task, WEFT__BY_SIDES);
}

// SPDX-License-Identifier: MIT
/// Scans on the host. Rows are cut into tiles: the total of a tile is known before its elements are scanned, so that
/// several threads scan tiles of one row. Floats are grouped in the same way by any number of threads.
#include "op/scan/scan_host.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/scratch.h"
#include "engine/shares.h"
#include "op/scan/scanning.h"
#include "op/scan/tuning.h"

enum { VALUE_BYTES = 16 }; /* at most */

/// What a recording keeps.
typedef struct scan_task {
  uint64_t n, length, inner; /* elements, of a row or column; totals: length segments */
  int32_t in, out, op, cores;
  bool exclusive, reverse, has_flags;
} scan_task;

typedef struct work {
  const scan_task *t;
  weft__scan_kind kind;
  size_t in, out, bytes; /* of an element, of a result, of a value */
  char *y;
  const char *x;
  const uint8_t *flag;
  const int64_t *offset;              /* totals */
  size_t tile, per_row, group, items; /* elements of a tile, tiles of a row; or rows or segments of an item */
  size_t chunks, rows, strips;        /* columns */
  char *before;                       /* of each tile the value before the next one; of each chunk its totals */
  atomic_char *is_known;
  atomic_size_t next;
} work;

static void open_work(work *w, void *const *data, const scan_task *t) {
  *w = (work){.t = t, .y = data[0], .x = data[1], .in = weft_dtype_size_bytes((weft_dtype)t->in)};
  w->out = weft_dtype_size_bytes((weft_dtype)t->out);
  if (t->has_flags) w->flag = data[2];
  weft__scan_kind_of(&w->kind, (weft_dtype)t->in, (weft_dtype)t->out, (weft_scan_op)t->op);
  w->bytes = w->kind.loops->bytes;
}

/// Combines *total with the elements from `first` to before `end`.
static void add_up(void *total, const work *w, size_t first, size_t end) {
  _Alignas(16) char room[WEFT__SCAN_CONVERTED * VALUE_BYTES];
  const char *const x = w->x;
  if (w->kind.total) {
    w->kind.total(total, x + first * w->in, end - first, w->kind.neutral);
    return;
  }
  for (size_t m; first < end; first += m) {
    m = end - first < WEFT__SCAN_CONVERTED ? end - first : WEFT__SCAN_CONVERTED;
    w->kind.load(room, x + first * w->in, m);
    w->kind.loops->total(total, room, m, w->kind.neutral);
  }
}

/* ---- rows ---- */

/// Whether a segment begins in the scan's direction at an element. Reverse scans: segments begin at their ends.
static uint8_t flag_at(const work *w, size_t at) {
  return !w->t->reverse ? w->flag[at] : at + 1 < w->t->n ? w->flag[at + 1] : 1;
}

/// The results of n elements from `at` on, whose values are in the scan's direction. room: for as many, not theirs.
static void put_block(const work *w, size_t at, char *values, char *room, const uint8_t *flag, size_t n) {
  const weft__scan_loops *loops = w->kind.loops;
  const bool is_reverse = w->t->reverse;
  char *const to = w->y + at * w->out, *const last = w->kind.store ? room : to;
  const char *from = values;
  if (w->t->exclusive) {
    char *const shown = is_reverse ? values : last; /* whose values are not needed again */
    loops->shown(shown, from, flag, n, w->kind.neutral);
    from = shown;
  }
  if (is_reverse) {
    loops->turned(last, from, n);
    from = last;
  }
  if (w->kind.store)
    w->kind.store(to, from, n);
  else if (from != to)
    memcpy(to, from, n * w->out);
}

/// As scan_part, of elements that are converted, turned, shifted or flagged.
static void scan_blocks(const work *w, size_t first, size_t n, void *before, bool stores) {
  const weft__scan_loops *loops = w->kind.loops;
  const bool is_reverse = w->t->reverse;
  _Alignas(16) char all[(WEFT__SCAN_CONVERTED + 1) * VALUE_BYTES], room[WEFT__SCAN_CONVERTED * VALUE_BYTES];
  char *const values = all + w->bytes; /* behind the value before the first one */
  uint8_t flag[WEFT__SCAN_CONVERTED];
  const bool is_direct = stores && !w->kind.store && !is_reverse && !w->t->exclusive;
  for (size_t done = 0, m; done < n; done += m) {
    m = n - done < WEFT__SCAN_CONVERTED ? n - done : WEFT__SCAN_CONVERTED;
    const size_t at = first + (is_reverse ? n - done - m : done);
    const char *from = w->x + at * w->in;
    if (w->kind.load) {
      w->kind.load(room, from, m);
      from = room;
    }
    if (is_reverse) {
      loops->turned(values, from, m);
      from = values;
    }
    for (size_t k = 0; w->flag && k < m; k++) flag[k] = flag_at(w, is_reverse ? at + m - 1 - k : at + k);
    char *const to = is_direct ? w->y + at * w->out : values;
    memcpy(all, before, w->bytes);
    if (w->flag)
      loops->flagged(to, from, flag, m, before);
    else
      loops->run(to, from, m, before, w->kind.neutral);
    if (stores && !is_direct) put_block(w, at, w->t->exclusive ? all : values, room, w->flag ? flag : NULL, m);
  }
}

/// Scans n elements from `first` on; *before: the value before them, then after them. Without `stores`, only this.
static void scan_part(const work *w, size_t first, size_t n, void *before, bool stores) {
  if (stores && !w->flag && !w->kind.load && !w->kind.store && !w->t->reverse && !w->t->exclusive)
    w->kind.loops->run(w->y + first * w->out, w->x + first * w->in, n, before, w->kind.neutral);
  else
    scan_blocks(w, first, n, before, stores);
}

/// Whether a segment begins in a tile: then the total is of the last segment's elements.
static bool find_total(void *total, const work *w, size_t first, size_t n) {
  bool is_whole = false;
  if (w->flag || (w->t->reverse && weft_dtype_kind((weft_dtype)w->t->out) == 'c')) /* whose order counts */
    scan_part(w, first, n, total, false);
  else
    add_up(total, w, first, first + n);
  for (size_t i = 0; w->flag && i < n && !is_whole; i++) is_whole = flag_at(w, first + i);
  return is_whole;
}

/// The value before a tile, once it is known. The tile before it was begun before.
static void wait_for(void *before, work *w, size_t tile) {
  while (!atomic_load_explicit(&w->is_known[tile - 1], memory_order_acquire)) sched_yield();
  memcpy(before, w->before + (tile - 1) * w->bytes, w->bytes);
}

static void scan_tile(work *w, size_t tile) {
  const size_t row = tile / w->per_row, in_row = tile % w->per_row, length = w->t->length, at = in_row * w->tile;
  const size_t n = length - at < w->tile ? length - at : w->tile;
  const size_t first = row * length + (w->t->reverse ? length - at - n : at);
  const bool is_last = in_row + 1 == w->per_row;
  uint64_t before[2], total[2];
  memcpy(before, w->kind.neutral, sizeof before);
  memcpy(total, w->kind.neutral, sizeof total);
  const bool is_whole = !is_last && find_total(total, w, first, n);
  if (in_row > 0) wait_for(before, w, tile);
  char *const next = w->before + tile * w->bytes;
  if (!is_last) {
    memcpy(next, before, w->bytes);
    if (in_row == 0 || is_whole)
      memcpy(next, total, w->bytes);
    else
      w->kind.loops->run(total, total, 1, next, w->kind.neutral);
    atomic_store_explicit(&w->is_known[tile], 1, memory_order_release);
  }
  scan_part(w, first, n, before, true);
}

static void scan_group(work *w, size_t tile) {
  const size_t length = w->t->length, rows = w->t->n / length, row = tile * w->group;
  const size_t end = rows - row < w->group ? rows : row + w->group;
  for (size_t r = row; r < end; r++) {
    uint64_t before[2];
    memcpy(before, w->kind.neutral, sizeof before);
    scan_part(w, r * length, length, before, true);
  }
}

static void *share_rows(void *user) {
  const weft__share *share = user;
  work *w = *(work *const *)share->all;
  for (size_t k; (k = atomic_fetch_add(&w->next, 1)) < w->items;) w->group ? scan_group(w, k) : scan_tile(w, k);
  return NULL;
}

/// The threads that the results pay for, of which each has an item.
static int shares_of(const work *w) {
  const size_t paid = w->t->n * w->out / WEFT__SCAN_SHARE_BYTES;
  return weft__shares_of(paid < w->items ? paid : w->items, (uint64_t)w->t->cores);
}

/// Whether one thread scans integers, whose results do not depend on tiles: each element is read once.
static bool is_alone(const work *w) {
  return weft__is_whole((weft_dtype)w->t->out) && w->t->n * w->out < 2 * WEFT__SCAN_SHARE_BYTES;
}

static void run_shares(work *w, void *(*function)(void *share)) {
  atomic_store(&w->next, 0);
  weft__run_shares(shares_of(w), function, &w);
}

static int scan_rows(void *const *data, const void *task) {
  const scan_task *t = task;
  void *memory = NULL;
  work w;
  open_work(&w, data, t);
  w.tile = WEFT__SCAN_TILE_BYTES / w.out;
  if (t->length <= w.tile || is_alone(&w)) {
    w.group = t->length <= w.tile ? w.tile / t->length : 1;
    w.items = (t->n / t->length + w.group - 1) / w.group;
  } else {
    w.per_row = (t->length + w.tile - 1) / w.tile;
    w.items = t->n / t->length * w.per_row;
    if (!(memory = weft__scratch_begin_zeroed(w.items * (w.bytes + 1)))) return WEFT__HOST_NO_MEMORY;
    w.before = memory;
    w.is_known = (atomic_char *)(w.before + w.items * w.bytes);
  }
  run_shares(&w, share_rows);
  weft__scratch_end(memory);
  return 0;
}

/* ---- columns ---- */

/// A strip of columns in a chunk of rows.
typedef struct strip {
  size_t chunk, first, width, rows; /* first: number of the first column among all */
  size_t at;                        /* of the first element */
} strip;

static strip strip_of(const work *w, size_t item) {
  const scan_task *t = w->t;
  const size_t chunk = item / w->strips, number = item % w->strips,
               blocks = (t->inner + WEFT__SCAN_STRIP - 1) / WEFT__SCAN_STRIP;
  const size_t outer = number / blocks, first = number % blocks * WEFT__SCAN_STRIP, begin = chunk * w->rows;
  const size_t rows = t->length - begin < w->rows ? t->length - begin : w->rows;
  const size_t row = t->reverse ? t->length - 1 - begin : begin;
  return (strip){.chunk = chunk,
                 .first = outer * t->inner + first,
                 .width = t->inner - first < WEFT__SCAN_STRIP ? t->inner - first : WEFT__SCAN_STRIP,
                 .rows = rows,
                 .at = (outer * t->length + row) * t->inner + first};
}

static void scan_strip(const work *w, const strip *s, void *totals, bool stores) {
  const weft__scan_loops *loops = w->kind.loops;
  const size_t inner = w->t->inner, bytes = w->bytes;
  const bool is_reverse = w->t->reverse, is_exclusive = w->t->exclusive;
  const ptrdiff_t step = is_reverse ? -(ptrdiff_t)inner : (ptrdiff_t)inner;
  if (!w->kind.load) {
    loops->columns(stores ? w->y + s->at * w->out : NULL, w->x + s->at * w->in, s->rows, s->width, step, totals,
                   is_exclusive);
    return;
  }
  /* rows that follow each other are converted together */
  _Alignas(16) char room[WEFT__SCAN_STRIP * VALUE_BYTES];
  const size_t most = s->width == inner ? WEFT__SCAN_STRIP / inner : 1;
  for (size_t r = 0, n; r < s->rows; r += n) {
    n = s->rows - r < most ? s->rows - r : most;
    const size_t row = s->at + (size_t)step * r, first = is_reverse ? row - (n - 1) * inner : row;
    char *const from = room + (row - first) * bytes, *const to = w->kind.store ? from : w->y + row * w->out;
    w->kind.load(room, w->x + first * w->in, n * s->width);
    loops->columns(stores ? to : NULL, from, n, s->width, step, totals, is_exclusive);
    if (stores && w->kind.store) w->kind.store(w->y + first * w->out, room, n * s->width);
  }
}

static void fill(char *to, const work *w, size_t n) {
  for (size_t j = 0; j < n; j++) memcpy(to + j * w->bytes, w->kind.neutral, w->bytes);
}

static void *share_sums(void *user) {
  const weft__share *share = user;
  work *w = *(work *const *)share->all;
  const size_t columns = w->t->n / w->t->length;
  for (size_t k; (k = atomic_fetch_add(&w->next, 1)) < w->items;) {
    const strip s = strip_of(w, k);
    char *const sums = w->before + (s.chunk * columns + s.first) * w->bytes;
    fill(sums, w, s.width);
    scan_strip(w, &s, sums, false);
  }
  return NULL;
}

static void *share_columns(void *user) {
  const weft__share *share = user;
  work *w = *(work *const *)share->all;
  const size_t columns = w->t->n / w->t->length;
  for (size_t k; (k = atomic_fetch_add(&w->next, 1)) < w->items;) {
    _Alignas(16) char totals[WEFT__SCAN_STRIP * VALUE_BYTES];
    const strip s = strip_of(w, k);
    fill(totals, w, s.width);
    if (s.chunk > 0)
      w->kind.loops->columns(NULL, w->before + s.first * w->bytes, s.chunk, s.width, (ptrdiff_t)columns, totals, false);
    scan_strip(w, &s, totals, true);
  }
  return NULL;
}

static int scan_columns(void *const *data, const void *task) {
  const scan_task *t = task;
  const size_t columns = t->n / t->length;
  void *memory = NULL;
  work w;
  open_work(&w, data, t);
  w.strips = columns / t->inner * ((t->inner + WEFT__SCAN_STRIP - 1) / WEFT__SCAN_STRIP);
  const size_t wanted = WEFT__SCAN_ITEMS * (size_t)t->cores;
  w.chunks = w.strips >= wanted / 2 ? 1 : wanted / w.strips;
  if (w.chunks > t->length / WEFT__SCAN_LEAST_ROWS) w.chunks = t->length / WEFT__SCAN_LEAST_ROWS;
  w.rows = w.chunks > 1 ? (t->length + w.chunks - 1) / w.chunks : t->length;
  w.chunks = (t->length + w.rows - 1) / w.rows;
  if (w.chunks > 1) {
    if (!(memory = weft__scratch_begin(w.chunks * columns * w.bytes))) return WEFT__HOST_NO_MEMORY;
    w.before = memory;
    w.items = (w.chunks - 1) * w.strips;
    run_shares(&w, share_sums);
  }
  w.items = w.chunks * w.strips;
  run_shares(&w, share_columns);
  weft__scratch_end(memory);
  return 0;
}

/* ---- totals of segments ---- */

static size_t clipped(int64_t offset, size_t least, size_t n) {
  const size_t at = offset < 0 || (uint64_t)offset > n ? n : (size_t)offset;
  return at < least ? least : at;
}

static void *share_totals(void *user) {
  const weft__share *share = user;
  work *w = *(work *const *)share->all;
  for (size_t k; (k = atomic_fetch_add(&w->next, 1)) < w->items;)
    for (size_t s = k * w->group; s < (k + 1) * w->group && s < w->t->length; s++) {
      const size_t first = clipped(w->offset[s], 0, w->t->n), end = clipped(w->offset[s + 1], first, w->t->n);
      uint64_t total[2];
      memcpy(total, w->kind.neutral, sizeof total);
      add_up(total, w, first, end);
      if (w->kind.store)
        w->kind.store(w->y + s * w->out, total, 1);
      else
        memcpy(w->y + s * w->out, total, w->out);
    }
  return NULL;
}

static int scan_totals(void *const *data, const void *task) {
  work w;
  open_work(&w, data, task);
  w.offset = data[2];
  w.items = w.t->n * w.in / WEFT__SCAN_TOTALS_BYTES + 1;
  w.group = (w.t->length + w.items - 1) / w.items;
  run_shares(&w, share_totals);
  return 0;
}

/* ---- the steps ---- */

#define SCAN_FUNCTION(what, function) \
  { what, WEFT__LIBRARY_NONE, sizeof(scan_task), function, NULL, NULL }
const weft__host_function weft__host_scan = SCAN_FUNCTION("scan", scan_rows);
const weft__host_function weft__host_scan_columns = SCAN_FUNCTION("scan_columns", scan_columns);
const weft__host_function weft__host_scan_totals = SCAN_FUNCTION("scan_totals", scan_totals);

/// third: flags or offsets; NULL: none.
static weft_status run_step(const weft__scanning *s, const weft__host_function *function, scan_task *t,
                            const weft_array *third) {
  const weft__scan *scan = s->scan;
  const weft__host_use use[] = {
      {.array = s->y, .writes = true}, {.array = s->x, .reads = true}, {.array = third, .reads = true}};
  t->n = (uint64_t)s->x->size;
  t->in = (int32_t)scan->in;
  t->out = (int32_t)scan->out;
  t->op = (int32_t)scan->op;
  t->cores = weft__host_cores(s->context);
  t->exclusive = scan->exclusive;
  t->reverse = scan->reverse;
  return weft__host_run(s->context, function, t, third ? 3 : 2, use, weft__scan_what(scan), s->site);
}

bool weft__scan_host_fits(const void *task) {
  const weft__scanning *s = task;
  return !s->scan->combine && (s->split.inner == 1 || !s->flags);
}

weft_status weft__scan_host_run(bool *is_done, const void *task) {
  const weft__scanning *s = task;
  scan_task t;
  memset(&t, 0, sizeof t); /* recordings keep all its bytes */
  t.length = (uint64_t)s->split.length;
  t.inner = (uint64_t)s->split.inner;
  t.has_flags = s->flags != NULL;
  *is_done = true;
  return run_step(s, s->split.inner > 1 ? &weft__host_scan_columns : &weft__host_scan, &t, s->flags);
}

weft_status weft__scan_totals(const weft__scan *scan, weft_array *y, const weft_array *x, const weft_array *offsets,
                              const char *site) {
  const weft__scanning s = {scan, x->context, y, x, NULL, {1, 1, 1}, site};
  scan_task t;
  memset(&t, 0, sizeof t);
  t.length = (uint64_t)y->size;
  return run_step(&s, &weft__host_scan_totals, &t, offsets);
}

// SPDX-License-Identifier: MIT
/// Takes and scatters on the host. A take's shares are parts of the result. A scatter keeps the order of the indices:
/// its shares are parts of the written array, by which the rows are sorted first.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <stdlib.h>
#include <string.h>

#include "array/strided_move.h"
#include "base/launch_log.h"
#include "engine/host_step.h"
#include "op/index/index_loops.h"
#include "op/index/tuning.h"

enum {
  MOST_VALUE = 16, /* bytes of an element */
};

#define WRONG UINT32_MAX /* an index out of range */

typedef enum division { BY_INDICES, BY_SLABS, BY_COLUMNS, BY_PLACES } division;

/// What a recording keeps. The arrays are the dense one, except for numbers the indexed one, and the lists of indices.
typedef struct index_task {
  int64_t outer, count, run, outer_stride;
  int64_t values; /* elements of the dense array; further ones repeat them */
  weft__indexed_axis axis[WEFT_MAX_NDIM];
  int32_t lists, first_axis; /* of the lists; WEFT__DEFERRED_FLAT: indices count all elements */
  int32_t dtype, operation, along;
  int32_t division, shares, unused;
} index_task;

typedef struct work {
  const index_task *t;
  char *dense, *indexed;
  const char *list[WEFT_MAX_NDIM];
  weft__index_find *find[WEFT_MAX_NDIM];
  int64_t size, row, slab; /* bytes of an element and of a row; rows of a slab */
  bool has_starts;         /* a block has rows of several slabs or elements of several rows */
  bool has_known, is_known_right;
  int64_t known[WEFT__INDEX_BLOCK]; /* places in a slab, of few indices that many slabs use */
  weft__host_found found[WEFT__MOST_SHARES];
} work;

/// What one thread does.
typedef struct part {
  const work *w;
  weft__host_found *found;
  int64_t first, end;   /* rows of the dense array */
  int64_t begin, bytes; /* of a row: columns */
  weft__index_move *move;
} part;

/* ---- places ---- */

static void note(part *p, int list, int64_t position, int64_t k) {
  const index_task *t = p->w->t;
  const int32_t axis = t->first_axis + list;
  weft__host_found *f = p->found;
  if (f->is_found && (f->axis < axis || (f->axis == axis && f->position <= (uint64_t)position))) return;
  *f = (weft__host_found){.position = (uint64_t)position,
                          .index = weft__index_bits(p->w->list[list], k, t->axis[list].dtype),
                          .length = t->axis[list].length,
                          .axis = axis,
                          .is_found = true,
                          .is_unsigned = weft_dtype_kind((weft_dtype)t->axis[list].dtype) == 'u'};
}

/// The places of the rows from number `at` on as far as no index adds to them.
static void start_places(int64_t *place, const work *w, int64_t at, int64_t n) {
  const index_task *t = w->t;
  if (!w->has_starts) {
    memset(place, 0, (size_t)n * sizeof *place);
    return;
  }
  /* pieces of a run, or of a slab of runs of one element */
  const int64_t length = t->run > 1 ? t->run : w->slab, step = t->run > 1 ? w->size : 0;
  int64_t base = at / w->slab * t->outer_stride, row = at % w->slab, in_piece = row % length;
  for (int64_t k = 0, some; k < n; k += some, in_piece = 0) {
    some = length - in_piece < n - k ? length - in_piece : n - k;
    for (int64_t i = 0; i < some; i++) place[k + i] = base + (in_piece + i) * step;
    row += some;
    if (row < w->slab) continue;
    row = 0;
    base += t->outer_stride;
  }
}

/// The places of n indices from number k on, of rows from number `at` on. False: some are NOWHERE.
static bool find_places(int64_t *place, part *p, const weft__indexed_axis *axis, int64_t at, int64_t k, int64_t n) {
  const work *w = p->w;
  const char *list[WEFT_MAX_NDIM];
  bool are_right = true;
  if (w->has_starts) start_places(place, w, at, n);
  for (int l = 0; l < w->t->lists; l++) {
    list[l] = w->list[l] + (size_t)k * weft_dtype_size_bytes((weft_dtype)axis[l].dtype);
    if (are_right) are_right = w->find[l](place, list[l], n, &axis[l], w->has_starts || l > 0);
  }
  if (are_right) return true;
  start_places(place, w, at, n);
  for (int l = 0; l < w->t->lists; l++) {
    const int64_t bad = weft__index_find_each(place, list[l], n, &axis[l]);
    if (bad < n && axis[l].mode == WEFT_INDEX_ERROR) note(p, l, k + bad, k + bad);
  }
  return false;
}

/// The places of rows of several slabs, of few known ones.
static bool repeat_known(int64_t *place, const work *w, int64_t at, int64_t n) {
  int64_t row = at % w->slab, base = at / w->slab * w->t->outer_stride;
  for (int64_t k = 0; k < n; k++) {
    place[k] = w->is_known_right || w->known[row] != WEFT__INDEX_NOWHERE ? base + w->known[row] : WEFT__INDEX_NOWHERE;
    if (++row < w->slab) continue;
    row = 0;
    base += w->t->outer_stride;
  }
  return w->is_known_right;
}

/* ---- values ---- */

/// Whether there are loops that move a row of these bytes as one element.
static bool is_unit(int64_t bytes) {
  return bytes <= MOST_VALUE && (bytes & (bytes - 1)) == 0;
}

/// The values of n rows from number `at` on: in the dense array, or repeated in the room.
static const char *values_of(char *room, const part *p, int64_t at, int64_t n) {
  const work *w = p->w;
  const int64_t size = w->size, values = w->t->values;
  if (values == w->t->outer * w->slab * (w->row / size)) return w->dense + at * w->row + p->begin;
  int64_t from = at % values;
  if (from + n <= values) return w->dense + from * size;
  if (values == 1 && w->t->operation == WEFT__SCATTER_PUT) return w->dense;
  if (values == 1) {
    weft__repeat_elements(room, w->dense, 0, (size_t)size, 1, n);
    return room;
  }
  for (int64_t k = 0, some; k < n; k += some, from = 0) {
    some = values - from < n - k ? values - from : n - k;
    memcpy(room + k * size, w->dense + from * size, (size_t)(some * size));
  }
  return room;
}

/// Puts or combines one value with all elements of n rows.
static void spread_value(const part *p, char *base, const int64_t *place, int64_t n) {
  const index_task *t = p->w->t;
  const int64_t elements = p->bytes / p->w->size;
  for (int64_t k = 0; k < n; k++)
    if (t->operation == WEFT__SCATTER_PUT)
      weft__repeat_elements(base + place[k], p->w->dense, 0, (size_t)p->w->size, 1, elements);
    else
      weft__index_combining_of((weft_dtype)t->dtype)->run(base + place[k], p->w->dense, elements, true, t->operation);
}

/// Puts or combines values; `number`: of single elements, which; NULL: in their order.
static void scatter_values(const part *p, char *base, const char *values, const int64_t *number, const int64_t *place,
                           int64_t n) {
  const index_task *t = p->w->t;
  const weft__index_combining *c = weft__index_combining_of((weft_dtype)t->dtype);
  if (t->operation == WEFT__SCATTER_PUT && number)
    weft__index_put_numbered(base, values, number, place, n, (size_t)p->w->row);
  else if (t->operation == WEFT__SCATTER_PUT && t->values == 1)
    weft__index_put_one(base, values, place, n, (size_t)p->w->size);
  else if (t->operation == WEFT__SCATTER_PUT)
    p->move((char *)(uintptr_t)values, base, place, n, (size_t)p->bytes, (size_t)p->w->row);
  else if (p->w->row == p->w->size)
    c->scatter(base, values, number, place, n, t->operation);
  else
    for (int64_t k = 0; k < n; k++)
      c->run(base + place[k], values + k * p->w->row, p->bytes / p->w->size, false, t->operation);
}

/// Moves n rows from number `at` on.
static void transfer(const part *p, char *base, const int64_t *place, int64_t at, int64_t n) {
  const work *w = p->w;
  char room[WEFT__INDEX_BLOCK * MOST_VALUE];
  base += p->begin;
  if (w->t->operation == WEFT__NUMBERS)
    memcpy(w->dense + at * w->row, place, (size_t)(n * w->row));
  else if (w->t->operation == WEFT__TAKE)
    p->move(w->dense + at * w->row + p->begin, base, place, n, (size_t)p->bytes, (size_t)w->row);
  else if (w->t->values == 1 && w->row > w->size)
    spread_value(p, base, place, n);
  else
    scatter_values(p, base, values_of(room, p, at, n), NULL, place, n);
}

/// Moves rows of which some have no place: a take gives 0 for these, and their numbers are -1.
static void transfer_each(const part *p, char *base, const int64_t *place, int64_t at, int64_t n) {
  const work *w = p->w;
  for (int64_t k = 0; k < n; k++)
    if (place[k] != WEFT__INDEX_NOWHERE)
      transfer(p, base, &place[k], at + k, 1);
    else if (w->t->operation < 0)
      memset(w->dense + (at + k) * w->row + p->begin, w->t->operation == WEFT__TAKE ? 0 : -1, (size_t)p->bytes);
}

static void run_part(part *p) {
  const work *w = p->w;
  const index_task *t = w->t;
  weft__indexed_axis axis[WEFT_MAX_NDIM];
  int64_t place[WEFT__INDEX_BLOCK];
  memcpy(axis, t->axis, sizeof axis);
  for (int64_t at = p->first, n; at < p->end; at += n) {
    const int64_t slab = at / w->slab, row = at - slab * w->slab;
    const bool is_mixed = w->has_starts || (w->has_known && w->slab < WEFT__INDEX_LEAST_KNOWN);
    const int64_t *found = place;
    char *const base = is_mixed ? w->indexed : w->indexed + slab * t->outer_stride;
    bool are_right;
    n = p->end - at < WEFT__INDEX_BLOCK ? p->end - at : WEFT__INDEX_BLOCK;
    if (!is_mixed && n > w->slab - row) n = w->slab - row;
    if (w->has_known && !is_mixed) {
      found = w->known + row;
      are_right = w->is_known_right;
    } else if (w->has_known) {
      are_right = repeat_known(place, w, at, n);
    } else {
      are_right = find_places(place, p, axis, at, t->along ? at : row, n);
    }
    (are_right ? transfer : transfer_each)(p, base, found, at, n);
  }
}

/// Where the share k of n things begins.
static int64_t cut(int64_t n, int32_t shares, size_t k) {
  return (int64_t)((uint64_t)n / (uint64_t)shares * k + (uint64_t)n % (uint64_t)shares * k / (uint64_t)shares);
}

/* ---- rows sorted by parts of the places ---- */

/// The rows of a scatter by the part of the places that they go to, in each part in their order: chunks of the rows are
/// counted, then divided. A part's places are few, so that they stay in the cache.
typedef struct sorted {
  work *w;
  int64_t first, rows; /* of a piece of the rows, so that the memory is bounded */
  int32_t shift, parts;
  uint32_t *index;                  /* by row; WRONG: out of range */
  uint64_t *row;                    /* by part: the row, and above it the index */
  int64_t (*at)[WEFT__MOST_SHARES]; /* by part and chunk: where the next row goes; at the end, where it ends */
} sorted;

/// Finds the indices of a chunk of the rows, and how many go to each part.
static void *count_chunk(void *of) {
  const weft__share *share = of;
  const sorted *s = share->all;
  work *w = s->w;
  const index_task *t = w->t;
  const size_t chunk = share->number;
  const int64_t end = s->first + cut(s->rows, t->shares, chunk + 1);
  part p = {.w = w, .found = &w->found[chunk]};
  weft__indexed_axis axis = t->axis[0];
  int64_t place[WEFT__INDEX_BLOCK], count[WEFT__MOST_SHARES] = {0};
  axis.stride = 1;
  for (int64_t at = s->first + cut(s->rows, t->shares, chunk), n; at < end; at += n) {
    const int64_t row = at % w->slab;
    n = end - at < WEFT__INDEX_BLOCK ? end - at : WEFT__INDEX_BLOCK;
    if (n > w->slab - row) n = w->slab - row;
    const bool are_right = find_places(place, &p, &axis, at, t->along ? at : row, n);
    for (int64_t k = 0; k < n; k++) {
      const bool is_right = are_right || place[k] != WEFT__INDEX_NOWHERE;
      s->index[at - s->first + k] = is_right ? (uint32_t)place[k] : WRONG;
      if (is_right) count[place[k] >> s->shift]++;
    }
  }
  for (int32_t k = 0; k < s->parts; k++) s->at[k][chunk] = count[k];
  return NULL;
}

static void *divide_chunk(void *of) {
  const weft__share *share = of;
  const sorted *s = share->all;
  const size_t chunk = share->number;
  const int64_t end = cut(s->rows, s->w->t->shares, chunk + 1);
  int64_t next[WEFT__MOST_SHARES];
  for (int32_t k = 0; k < s->parts; k++) next[k] = s->at[k][chunk];
  for (int64_t at = cut(s->rows, s->w->t->shares, chunk); at < end; at++)
    if (s->index[at] != WRONG) s->row[next[s->index[at] >> s->shift]++] = (uint64_t)s->index[at] << 32 | (uint64_t)at;
  for (int32_t k = 0; k < s->parts; k++) s->at[k][chunk] = next[k];
  return NULL;
}

/// Scatters rows of one slab. `number`: which rows.
static void scatter_rows(const part *p, char *base, const int64_t *place, int64_t *number, int64_t n) {
  const work *w = p->w;
  const index_task *t = w->t;
  if (w->row > w->size && !(t->operation == WEFT__SCATTER_PUT && is_unit(w->row) && t->values > 1)) {
    for (int64_t k = 0; k < n; k++) transfer(p, base, &place[k], number[k], 1);
    return;
  }
  const int64_t rows = t->values * w->size / w->row;
  if (rows < t->outer * w->slab)
    for (int64_t k = 0; k < n; k++) number[k] %= rows;
  scatter_values(p, base, w->dense, number, place, n);
}

static void *scatter_part(void *of) {
  const weft__share *share = of;
  const sorted *s = share->all;
  const work *w = s->w;
  const index_task *t = w->t;
  const size_t k = share->number;
  const int64_t end = s->at[k][t->shares - 1];
  part p = {.w = w, .bytes = w->row};
  p.move = weft__index_mover((size_t)p.bytes, (size_t)w->row, true);
  for (int64_t at = k ? s->at[k - 1][t->shares - 1] : 0, n = 0; at < end; at += n, n = 0) {
    int64_t place[WEFT__INDEX_BLOCK], number[WEFT__INDEX_BLOCK];
    const int64_t slab = (s->first + (int64_t)(uint32_t)s->row[at]) / w->slab, last = (slab + 1) * w->slab;
    for (; n < WEFT__INDEX_BLOCK && at + n < end && s->first + (int64_t)(uint32_t)s->row[at + n] < last; n++) {
      number[n] = s->first + (int64_t)(uint32_t)s->row[at + n];
      place[n] = (int64_t)(s->row[at + n] >> 32) * t->axis[0].stride;
      if (t->along && t->run > 1) place[n] += number[n] % t->run * w->size;
    }
    scatter_rows(&p, w->indexed + slab * t->outer_stride, place, number, n);
  }
  return NULL;
}

static void scatter_piece(sorted *s) {
  const index_task *t = s->w->t;
  int64_t total = 0;
  weft__run_shares(t->shares, count_chunk, s);
  for (int32_t k = 0; k < s->parts; k++)
    for (int32_t chunk = 0; chunk < t->shares; chunk++) {
      const int64_t count = s->at[k][chunk];
      s->at[k][chunk] = total;
      total += count;
    }
  weft__run_shares(t->shares, divide_chunk, s);
  weft__run_shares(s->parts, scatter_part, s);
}

static int scatter_sorted(work *w) {
  const index_task *t = w->t;
  const int64_t rows = t->outer * w->slab, most = rows < WEFT__INDEX_PIECE ? rows : WEFT__INDEX_PIECE;
  sorted s = {.w = w};
  while ((t->axis[0].length - 1) >> s.shift >= WEFT__MOST_SHARES) s.shift++;
  s.parts = (int32_t)((t->axis[0].length - 1) >> s.shift) + 1;
  s.at = malloc((size_t)s.parts * sizeof *s.at);
  s.row = malloc((size_t)most * sizeof *s.row);
  s.index = malloc((size_t)most * sizeof *s.index);
  const bool has_memory = s.at && s.row && s.index;
  for (; has_memory && s.first < rows; s.first += WEFT__INDEX_PIECE) {
    s.rows = rows - s.first < WEFT__INDEX_PIECE ? rows - s.first : WEFT__INDEX_PIECE;
    scatter_piece(&s);
  }
  free(s.at);
  free(s.row);
  free(s.index);
  return has_memory ? 0 : WEFT__HOST_NO_MEMORY;
}

static void *run_share(void *of) {
  const weft__share *share = of;
  work *w = (work *)(uintptr_t)share->all;
  const index_task *t = w->t;
  const size_t k = share->number;
  part p = {.w = w, .found = &w->found[k], .end = t->outer * w->slab, .bytes = w->row};
  if (t->division == BY_INDICES) {
    p.first = cut(p.end, t->shares, k);
    p.end = cut(p.end, t->shares, k + 1);
  } else if (t->division == BY_SLABS) {
    p.first = cut(t->outer, t->shares, k) * w->slab;
    p.end = cut(t->outer, t->shares, k + 1) * w->slab;
  } else {
    p.begin = cut(t->run, t->shares, k) * w->size;
    p.bytes = cut(t->run, t->shares, k + 1) * w->size - p.begin;
  }
  p.move = weft__index_mover((size_t)p.bytes, (size_t)w->row, t->operation >= 0);
  run_part(&p);
  return NULL;
}

/// Finds the places in a slab once, where many slabs use few indices.
static void find_known(work *w) {
  const index_task *t = w->t;
  part p = {.w = w, .found = &w->found[0]};
  w->has_known = t->outer > 1 && !t->along && t->count <= WEFT__INDEX_BLOCK && t->division != BY_PLACES;
  if (w->has_known) w->is_known_right = find_places(w->known, &p, t->axis, 0, 0, t->count);
}

static int run(void *const *data, const void *task) {
  const index_task *t = task;
  const int arrays = t->operation == WEFT__NUMBERS ? 1 : 2;
  weft__host_found *found = data[arrays + t->lists];
  work w; /* most of it is not used */
  w.t = t;
  w.dense = data[0];
  w.indexed = data[arrays - 1];
  for (int l = 0; l < t->lists; l++) {
    w.list[l] = data[arrays + l];
    w.find[l] = weft__index_finder(&t->axis[l]);
  }
  w.size = (int64_t)weft_dtype_size_bytes((weft_dtype)t->dtype);
  w.row = t->along ? w.size : t->run * w.size;
  w.slab = t->along ? t->count * t->run : t->count;
  w.has_starts = t->along && t->division != BY_PLACES && (t->run > 1 || (t->outer > 1 && w.slab < WEFT__INDEX_BLOCK));
  for (int32_t k = 0; k < t->shares; k++) w.found[k].is_found = false;
  find_known(&w);
  if (t->division == BY_PLACES) {
    const int code = scatter_sorted(&w);
    if (code) return code;
  } else {
    weft__run_shares(t->shares, run_share, &w);
  }
  for (int32_t k = 0; k < t->shares; k++) {
    const weft__host_found *f = &w.found[k];
    if (f->is_found &&
        (!found->is_found || f->axis < found->axis || (f->axis == found->axis && f->position < found->position)))
      *found = *f;
  }
  return 0;
}

const weft__host_function weft__host_index = {
    .name = "index", .library = WEFT__LIBRARY_NONE, .task_bytes = sizeof(index_task), .run = run};

/// Chooses how threads divide the work.
static void divide(index_task *t, const weft_context *context) {
  const int64_t cores = weft__host_cores(context), size = (int64_t)weft_dtype_size_bytes((weft_dtype)t->dtype),
                rows = t->outer * t->count * (t->along ? t->run : 1), row = t->along ? size : t->run * size,
                by_bytes = rows * row / WEFT__INDEX_SHARE_BYTES;
  int64_t shares = rows / WEFT__INDEX_SHARE > by_bytes ? rows / WEFT__INDEX_SHARE : by_bytes, most = cores;
  if (t->operation < 0) {
    t->division = rows >= 4 * cores ? BY_INDICES : BY_COLUMNS;
    if (t->division == BY_INDICES) most = cores * WEFT__INDEX_SHARES_OF_CORE;
  } else if (t->outer >= 2 * cores) {
    t->division = BY_SLABS;
    most = t->outer;
  } else {
    t->division = !t->along && row >= WEFT__INDEX_LEAST_COLUMN * cores ? BY_COLUMNS : BY_PLACES;
    if (t->division == BY_PLACES && most > t->axis[0].length) most = t->axis[0].length;
  }
  if (t->division == BY_COLUMNS && most > row / WEFT__INDEX_LEAST_COLUMN) most = row / WEFT__INDEX_LEAST_COLUMN;
  if (shares > most) shares = most;
  if (shares > cores * WEFT__INDEX_SHARES_OF_CORE) shares = cores * WEFT__INDEX_SHARES_OF_CORE;
  if (shares > WEFT__MOST_SHARES) shares = WEFT__MOST_SHARES;
  /* to sort a row costs more than to put an element */
  const bool pays = (row >= WEFT__INDEX_LEAST_ROW || most >= WEFT__INDEX_LEAST_CORES) && t->axis[0].length < WRONG;
  if (t->division == BY_PLACES && !pays) shares = 1;
  t->shares = shares > 1 ? (int32_t)shares : 1;
  if (t->shares == 1) t->division = BY_INDICES;
}

static weft_status step(index_task *t, const weft__indexing *i, weft_array *const *list) {
  const bool writes = t->operation < 0;
  const int arrays = t->operation == WEFT__NUMBERS ? 1 : 2;
  weft__host_use use[2 + WEFT_MAX_NDIM] = {{.array = i->dense, .reads = !writes, .writes = writes},
                                           {.array = i->indexed, .reads = true, .writes = !writes}};
  const bool checks = i->mode == WEFT_INDEX_ERROR && !i->is_checked;
  const weft__deferred_check check = {
      .function = weft__function(),
      .site = checks && i->site ? weft__lasting_site(i->site) : "", /* errors come later */
      .argument = "indices"};
  int code;
  for (int l = 0; l < t->lists; l++) use[arrays + l] = (weft__host_use){.array = list[l], .reads = true};
  divide(t, i->context);
  const weft__host_work host = {.context = i->context,
                                .uses = arrays + t->lists,
                                .use = use,
                                .function = &weft__host_index,
                                .task = t,
                                .check = checks ? &check : NULL,
                                .what = i->what,
                                .site = i->site};
  WEFT__TRY_RETURN(weft__host_step(&code, &host));
  return code ? weft__host_failed(code, &host) : WEFT_OK;
}

weft_status weft__index_host_run(bool *is_done, const void *of) {
  const weft__index_task *task = of;
  const weft__indexing *i = task->indexing;
  const weft__strided_split *l = task->split;
  index_task t; /* recordings keep all its bytes */
  memset(&t, 0, sizeof t);
  t.outer = l->outer;
  t.run = l->inner;
  t.count = i->along ? i->indices->size / (l->outer * l->inner) : i->indices->size;
  t.outer_stride = l->outer_stride;
  t.values = i->dense->size;
  t.axis[0] = (weft__indexed_axis){l->length, l->length_stride, (int32_t)i->indices->dtype, (int32_t)i->mode};
  t.lists = 1;
  t.first_axis = i->axis == WEFT__EVERY_AXIS ? WEFT__DEFERRED_FLAT : i->axis;
  t.dtype = (int32_t)i->indexed->dtype;
  t.operation = (int32_t)task->operation;
  t.along = i->along;
  *is_done = true;
  return step(&t, i, &i->indices);
}

static index_task lists_task(const weft__indexing *i, int lists, weft_array *const *list) {
  index_task t;
  memset(&t, 0, sizeof t);
  t.outer = t.run = 1;
  t.count = list[0]->size;
  t.values = i->dense->size;
  for (int l = 0; l < lists; l++)
    t.axis[l] = (weft__indexed_axis){i->indexed->shape[l], i->indexed->stride_bytes[l], (int32_t)list[l]->dtype,
                                     (int32_t)i->mode};
  t.lists = lists;
  t.dtype = (int32_t)i->dense->dtype;
  return t;
}

weft_status weft__index_take_lists(const weft__indexing *i, int lists, weft_array *const *list) {
  index_task t = lists_task(i, lists, list);
  t.operation = WEFT__TAKE;
  t.run = t.values / t.count;
  return step(&t, i, list);
}

weft_status weft__index_number_lists(const weft__indexing *i, int lists, weft_array *const *list) {
  index_task t = lists_task(i, lists, list);
  int64_t stride = 1;
  t.operation = WEFT__NUMBERS;
  for (int l = lists - 1; l >= 0; stride *= i->indexed->shape[l--]) t.axis[l].stride = stride;
  return step(&t, i, list);
}

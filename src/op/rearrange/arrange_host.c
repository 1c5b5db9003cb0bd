// SPDX-License-Identifier: MIT
/// Arrangements on the host: rows of the result, along an axis before the last one, as runs that lie in the source's
/// order, in reverse, or are one element; and those that are a constant.
#include <string.h>

#include "array/strided_move.h"
#include "engine/blocks.h"
#include "op/rearrange/arrange.h"
#include "op/rearrange/border.h"
#include "op/rearrange/tuning.h"

/// What a recording keeps. An arrangement of one axis has another one of length 1 before it.
typedef struct arrange_work {
  uint64_t fill[2], kept[2];
  int64_t lower, upper;
  weft__arranged_axis axis[WEFT__ARRANGE_AXES];
  int32_t axes, size, cores, band, has_source, reserved;
} arrange_work;

typedef struct arrange_job {
  const arrange_work *w;
  char *to;
  const char *from;
  int along;               /* the axis of rows */
  int64_t columns, middle; /* elements of the last axis; index tuples of the axes between */
} arrange_job;

/// Positions of the result that are a run of the source, in steps of 1, 0 or -1; place -1: a constant.
typedef struct run {
  int64_t place, step, count;
} run;

/// At most `most` positions from number i on.
static run next_run(const weft__arranged_axis *axis, int64_t i, int64_t most) {
  const int64_t t = i + axis->shift, n = axis->from_length, outside = t < 0 && -t < most ? -t : most;
  const int border = axis->border > WEFT__BORDER_CONSTANT && n == 1 ? WEFT__BORDER_EDGE : (int)axis->border;
  run r = {t, 1, n - t};
  if (t < 0 || t >= n) {
    r.place = weft_inside(t, n, border);
    if (border == WEFT__BORDER_WRAP)
      r.count = n - r.place;
    else if (r.place < 0 || border == WEFT__BORDER_EDGE)
      r = (run){r.place, 0, outside};
    else { /* mirrored */
      r.step = weft_inside(t + 1, n, border) - r.place;
      r.count = r.step > 0 ? n - r.place : r.step < 0 ? r.place + 1 : 1;
    }
  }
  if (r.count > most) r.count = most;
  return r;
}

/// The source's place of an index tuple of the axes `first` to before `end`; NULL: outside.
static const char *place_of(const char *from, const arrange_work *w, int first, int end, int64_t number) {
  for (int d = end - 1; d >= first; d--) {
    const weft__arranged_axis *axis = &w->axis[d];
    const int64_t at = weft_inside(number % axis->length + axis->shift, axis->from_length, (int)axis->border);
    if (at < 0) return NULL;
    from += at * axis->stride_bytes;
    number /= axis->length;
  }
  return from;
}

/// Columns from number `column` on of rows whose places begin at `from`.
static void make_columns(const arrange_job *j, char *to, int64_t to_row, const char *from, int64_t from_row,
                         int64_t rows, int64_t column, int64_t columns) {
  const arrange_work *w = j->w;
  const weft__arranged_axis *axis = &w->axis[w->axes - 1];
  run r;
  for (int64_t k = 0; k < columns; k += r.count) {
    r = next_run(axis, column + k, columns - k);
    char *const part = to + k * w->size;
    if (r.place < 0)
      weft__fill_rows(part, to_row, w->fill, w->size, rows, r.count);
    else if (!w->has_source)
      weft__fill_rows(part, to_row, w->kept, w->size, rows, r.count);
    else
      weft__move_rows(part, to_row, from + r.place * axis->stride_bytes, from_row, r.step * axis->stride_bytes, w->size,
                      rows, r.count);
  }
}

/// Rows of the axis of rows, from its number `at` on. from: the place of the axes before it; NULL: outside.
static void make_rows(const arrange_job *j, const weft__block *b, const char *from, int64_t at) {
  const arrange_work *w = j->w;
  const weft__arranged_axis *axis = &w->axis[j->along];
  const int64_t row_bytes = j->columns * w->size, to_row = j->middle * row_bytes;
  char *to = j->to + b->row * to_row + b->column * w->size;
  run r;
  for (int64_t k = 0; k < b->rows; k += r.count, to += r.count * to_row) {
    r = next_run(axis, at + k, b->rows - k);
    const char *const place = from && r.place >= 0 ? from + r.place * axis->stride_bytes : NULL;
    for (int64_t m = 0; m < j->middle; m++) {
      const char *const row = place ? place_of(place, w, j->along + 1, w->axes - 1, m) : NULL;
      if (row)
        make_columns(j, to + m * row_bytes, to_row, row, r.step * axis->stride_bytes, r.count, b->column, b->columns);
      else
        weft__fill_rows(to + m * row_bytes, to_row, w->fill, w->size, r.count, b->columns);
    }
  }
}

static int64_t within(int64_t x, int64_t least, int64_t most) {
  return x < least ? least : x > most ? most : x;
}

/// The diagonal of rows from number `at` on, whose first element is at `to` and in column `column`.
static void make_diagonal(const arrange_job *j, char *to, const char *from, int64_t at, int64_t column, int64_t rows) {
  const arrange_work *w = j->w;
  const weft__arranged_axis *along = &w->axis[j->along], *across = &w->axis[w->axes - 1];
  const int64_t step = (j->columns + 1) * w->size;
  run r;
  for (int64_t k = 0; k < rows; k += r.count) {
    r = next_run(across, column + k, rows - k);
    const char *const place = from + (at + k) * along->stride_bytes + r.place * across->stride_bytes;
    if (!w->has_source)
      weft__move_run(to + k * step, step, (const char *)w->kept, 0, (size_t)w->size, r.count);
    else if (r.place >= 0)
      weft__move_run(to + k * step, step, place, along->stride_bytes + r.step * across->stride_bytes, (size_t)w->size,
                     r.count);
  }
}

/// Rows of a matrix, from number `at` on, of which the columns in the band are kept.
static void make_band(const arrange_job *j, const weft__block *b, const char *from, int64_t at) {
  const arrange_work *w = j->w;
  const weft__arranged_axis *axis = &w->axis[j->along];
  const int64_t to_row = j->columns * w->size, end = b->column + b->columns;
  char *to = j->to + b->row * to_row + b->column * w->size;
  const bool is_diagonal = w->lower == w->upper;
  /* rows of which a column here is in the band */
  const int64_t first = within(b->column - w->upper - at, 0, b->rows),
                last = within(end - w->lower - at, first, b->rows), filled = is_diagonal ? b->rows : first;
  weft__fill_rows(to, to_row, w->fill, w->size, filled, b->columns);
  if (is_diagonal) {
    const int64_t column = at + first + w->lower;
    make_diagonal(j, to + first * to_row + (column - b->column) * w->size, from, at + first, column, last - first);
    return;
  }
  weft__fill_rows(to + last * to_row, to_row, w->fill, w->size, b->rows - last, b->columns);
  for (int64_t r = first; r < last; r++) {
    char *const row = to + r * to_row;
    const int64_t low = within(at + r + w->lower, b->column, end), high = within(at + r + w->upper + 1, low, end);
    weft__fill_rows(row, to_row, w->fill, w->size, 1, low - b->column);
    make_columns(j, row + (low - b->column) * w->size, to_row, from + (at + r) * axis->stride_bytes, 0, 1, low,
                 high - low);
    weft__fill_rows(row + (high - b->column) * w->size, to_row, w->fill, w->size, 1, end - high);
  }
}

static void make_block(const weft__block *block, const void *job) {
  const arrange_job *j = job;
  const arrange_work *w = j->w;
  const int64_t length = w->axis[j->along].length, end = block->row + block->rows;
  weft__block b = *block;
  for (; b.row < end; b.row += b.rows) {
    const int64_t at = b.row % length;
    const char *const from = place_of(j->from, w, 0, j->along, b.row / length);
    b.rows = end - b.row < length - at ? end - b.row : length - at;
    (w->band ? make_band : make_rows)(j, &b, from, at);
  }
}

static int arrange(void *const *data, const void *task) {
  const arrange_work *w = task;
  const int last = w->axes - 1;
  arrange_job j = {.w = w,
                   .to = data[0],
                   .from = w->has_source ? data[1] : data[0],
                   .along = last - 1,
                   .columns = w->axis[last].length,
                   .middle = 1};
  while (!w->band && j.along > 0 && w->axis[j.along].length < WEFT__ARRANGE_SHORT_AXIS &&
         j.middle * j.columns < WEFT__ARRANGE_SHORT_UNIT)
    j.middle *= w->axis[j.along--].length;
  weft__blocks blocks = {.rows = 1,
                         .columns = j.columns,
                         .bytes = w->size * j.middle,
                         .cores = w->cores,
                         .function = make_block,
                         .job = &j};
  for (int d = 0; d <= j.along; d++) blocks.rows *= w->axis[d].length;
  const int64_t apart = w->axis[last].stride_bytes;
  if (w->axis[j.along].stride_bytes == w->size && apart != w->size && apart != 0)
    blocks.most_columns = WEFT__ARRANGE_TURNED_COLUMNS;
  weft__run_blocks(&blocks);
  return 0;
}

const weft__host_function weft__host_arrange = {"arrange", WEFT__LIBRARY_NONE, sizeof(arrange_work), arrange, NULL,
                                                NULL};

weft_status weft__arrange_host_run(bool *is_done, const void *task) {
  const weft__arrange_task *t = task;
  const weft__arrangement *a = t->arrangement;
  const bool has_source = t->from && t->from->size > 0;
  const weft__host_use use[] = {{.array = t->to, .writes = true}, {.array = t->from, .reads = true}};
  arrange_work w;
  memset(&w, 0, sizeof w); /* recordings keep all its bytes */
  memcpy(w.fill, a->fill, sizeof w.fill);
  memcpy(w.kept, a->kept, sizeof w.kept);
  w.lower = a->lower;
  w.upper = a->upper;
  w.axes = weft__arrange_merge(w.axis, a->axis, a->axes, a->band ? a->axes - 2 : WEFT__ARRANGE_AXES);
  if (w.axes == 1) {
    w.axis[1] = w.axis[0];
    w.axis[0] = (weft__arranged_axis){1, 1, 0, 0, WEFT__BORDER_NONE};
    w.axes = 2;
  }
  w.size = (int32_t)weft_dtype_size_bytes(t->to->dtype);
  w.cores = weft__host_cores(t->to->context);
  w.band = a->band;
  w.has_source = has_source;
  *is_done = true;
  return weft__host_run(t->to->context, &weft__host_arrange, &w, has_source ? 2 : 1, use, a->what, t->site);
}

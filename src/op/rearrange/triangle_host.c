// SPDX-License-Identifier: MIT
/// Indices of a triangle's elements, written row by row on the host.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "array/strides.h"
#include "base/wide.h"
#include "engine/blocks.h"
#include "op/rearrange/triangle.h"

/// What a recording keeps.
typedef struct triangle_work {
  weft__index_triangle triangle;
  int32_t part, cores;
} triangle_work;

typedef struct triangle_job {
  const triangle_work *w;
  int64_t *rows, *columns;
} triangle_job;

/// Writes the rows and columns of elements beside each other; on a diagonal `step` is 1.
typedef void write_row(int64_t *restrict rows, int64_t *restrict columns, int64_t row, int64_t step, int64_t first,
                       int64_t count);

#define ROW_LOOP(TARGET, NAME, T)                                                                          \
  TARGET static void NAME(T *restrict rows, T *restrict columns, int64_t row, int64_t step, int64_t first, \
                          int64_t count) {                                                                 \
    for (int64_t k = 0; k < count; k++) rows[k] = row + (step ? k : 0);                                    \
    for (int64_t k = 0; k < count; k++) columns[k] = first + k;                                            \
  }
WEFT__EACH(ROW_LOOP, one_row, int64_t)
static write_row *const write_loops[3] = WEFT__ALL(one_row);

/// Elements in the first u rows behind the empty ones. One of the factors of the half product is even.
static int64_t elements_before(const weft__index_triangle *t, int64_t u) {
  if (u > t->steep) return t->before + (u - t->steep) * t->columns;
  return u % 2 ? u * (t->first + (u - 1) / 2) : u / 2 * (2 * t->first + u - 1);
}

static void write_rows(const weft__block *b, const void *job) {
  const triangle_job *j = job;
  const weft__index_triangle *t = &j->w->triangle;
  const bool is_upper = j->w->part == WEFT__INDEX_UPPER;
  const int64_t end = t->rows - t->empty; /* rows with elements */
  const int64_t before = is_upper ? t->total - elements_before(t, end - b->row) : elements_before(t, b->row);
  int64_t *rows = j->rows + before, *columns = j->columns + before;
  for (int64_t row = b->row; row < b->row + b->rows; row++) {
    const int64_t u = is_upper ? end - 1 - row : row, count = u < t->steep ? t->first + u : t->columns;
    write_loops[WEFT__WIDTH](rows, columns, is_upper ? row : row + t->empty, 0, is_upper ? t->columns - count : 0,
                             count);
    rows += count;
    columns += count;
  }
}

static void write_diagonal(const weft__block *b, const void *job) {
  const triangle_job *j = job;
  const weft__index_triangle *t = &j->w->triangle;
  const int64_t k = b->column;
  write_loops[WEFT__WIDTH](j->rows + k, j->columns + k, t->empty + k, 1, t->first + k, b->columns);
}

static int write_triangle(void *const *data, const void *task) {
  const triangle_work *w = task;
  const weft__index_triangle *t = &w->triangle;
  const triangle_job j = {w, data[0], data[1]};
  weft__blocks blocks = {.rows = 1, .columns = t->total, .bytes = 16, .cores = w->cores, .job = &j};
  blocks.function = write_diagonal;
  if (w->part != WEFT__INDEX_DIAGONAL) { /* without the empty rows, which may be many more than the elements */
    blocks.rows = t->rows - t->empty;
    blocks.columns = 1;
    blocks.bytes = t->total / blocks.rows * 16 + 16;
    blocks.function = write_rows;
  }
  weft__run_blocks(&blocks);
  return 0;
}

const weft__host_function weft__host_triangle = {
    "triangle", WEFT__LIBRARY_NONE, sizeof(triangle_work), write_triangle, NULL, NULL};

bool weft__triangle_host_fits(const void *task) {
  const weft__triangle_task *t = task;
  const weft_array *out[] = {t->rows, t->columns};
  bool fits = true;
  for (int k = 0; k < 2; k++)
    fits = fits && out[k]->dtype == WEFT_I64 && weft__is_contiguous(out[k]) && out[k]->offset_bytes % 8 == 0;
  return fits;
}

weft_status weft__triangle_host_run(bool *is_done, const void *task) {
  const weft__triangle_task *t = task;
  const weft__host_use use[] = {{.array = t->rows, .writes = true}, {.array = t->columns, .writes = true}};
  const triangle_work w = {*t->triangle, (int32_t)t->part, weft__host_cores(t->rows->context)};
  *is_done = true;
  return weft__host_run(t->rows->context, &weft__host_triangle, &w, 2, use, "indices", t->site);
}

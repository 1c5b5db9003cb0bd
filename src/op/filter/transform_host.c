// SPDX-License-Identifier: MIT
/// Elements at other places on the host, chunk by chunk of the result's rows: along each axis the elements of a spline
/// and their weights, then the sums. What is the same in all rows of a block is found once.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/scratch.h"
#include "cl/rearrange/args.h"
#include "engine/blocks.h"
#include "op/filter/window_host.h"

enum { CHUNK = WEFT__TRANSFORM_CHUNK, MOST_AXES = WEFT__TRANSFORM_AXES + 1, MOST_BYTES = 128, SLOTS = 4 };

/// What a recording keeps. The arrays: the result, the source, the places. In front of the source's axes is one of a
/// single element, so that there are two and more.
typedef struct transform_task {
  weft__transform_args args;
  double matrix[WEFT_MAX_NDIM][WEFT_MAX_NDIM + 1];
  int32_t axes, taps, dtype, cores, is_mapped, unused;
} transform_task;

typedef struct transform_job {
  const transform_task *t;
  char *to;
  const void *from;
  const double *place;
  int64_t size;
  weft__spline_line line[MOST_AXES];
  const weft__element_loops *sums, *elements; /* of the source's dtype, of the result's */
  bool is_f64;                                /* sums */
  atomic_bool *has_failed;
} transform_job;

/// Memory of a block.
typedef struct transform_room {
  double place[CHUNK];
  double zero[CHUNK], sum[CHUNK], weight[MOST_AXES][CHUNK], element[SLOTS][4 * CHUNK]; /* of sums: float or double */
  int32_t row[SLOTS], oldest;                                             /* where the elements are from */
  int32_t where[MOST_AXES][CHUNK];
  uint8_t is_outside[CHUNK];
  weft__spline_axis axis[];
} transform_room;

/// The places along an axis of `count` elements of a row. Their number: 1 if all are the same.
static int64_t find_places(double *place, const transform_job *j, int axis, const int64_t *index, int64_t column,
                           int64_t count) {
  const transform_task *t = j->t;
  const weft__transform_args *a = &t->args;
  const int d = axis - 1, last = t->axes - 2;
  if (t->is_mapped) {
    memcpy(place, j->place + d * (int64_t)a->n + column, (size_t)count * sizeof *place);
    return count;
  }
  const double end = (double)(a->from_shape[d] - 1 - 2 * a->margin), first = (double)column;
  const double slope = t->matrix[d][last], offset = t->matrix[d][last + 1];
  const bool has_end = a->ends >> d & 1;
  double before = 0;
  for (int k = 0; k < last; k++) before += t->matrix[d][k] * (double)index[k];
  if (d < last && has_end && index[d] == a->to_shape[d] - 1) {
    place[0] = end;
    return 1;
  }
  if (slope == 0 && d < last) count = 1;
  j->sums->spline.walk(place, (const double[]){before, slope, first, offset}, count);
  if (d == last && has_end && column + count == a->to_shape[d]) place[count - 1] = end;
  return count;
}

/// The elements along the last axis. The elements of the latest rows are there already.
static const void *take_elements(transform_room *r, const transform_job *j, const int32_t *where, bool is_row,
                                 int64_t count) {
  const weft__spline_axis *last = &r->axis[j->t->axes - 1];
  const int64_t step = CHUNK * (int64_t)(j->is_f64 ? sizeof(double) : sizeof(float));
  for (int k = 0; k < SLOTS && is_row; k++)
    if (r->row[k] == where[0]) return r->element[k];
  const int slot = is_row ? r->oldest++ % SLOTS : 0;
  char *to = (char *)r->element[slot];
  r->row[slot] = is_row ? where[0] : -1;
  for (int k = 0; k < last->taps; k++) j->sums->take(to + k * step, j->from, where, last->at[k], is_row, count);
  return to;
}

/// The sums of all products of the axes' weights, which follow each other as if the last axis counted fastest.
static void add_products(transform_room *r, const transform_job *j, int64_t count) {
  const weft__spline_loops *loops = &j->sums->spline;
  const int last = j->t->axes - 1;
  const double *before = r->zero;
  int digit[MOST_AXES] = {0};
  bool is_one[MOST_AXES] = {true}; /* of the axes up to this one */
  for (int d = 1; d > 0; before = r->sum) {
    for (; d < last; d++) {
      is_one[d] = is_one[d - 1] && r->axis[d].is_one;
      loops->join(r->weight[d], r->where[d], r->weight[d - 1], r->where[d - 1], is_one[d - 1], &r->axis[d], digit[d],
                  is_one[d] ? 1 : count);
    }
    const bool is_row = is_one[last - 1];
    const void *x = take_elements(r, j, r->where[last - 1], is_row, count);
    loops->add(r->sum, before, r->weight[last - 1], is_row, &r->axis[last], x, count);
    for (d = last - 1; d > 0 && ++digit[d] == r->axis[d].taps; d--) digit[d] = 0;
  }
}

/// Notes which elements are outside along an axis. Whether all are.
static bool note_outside(transform_room *r, const weft__spline_axis *axis, bool is_first, int64_t count) {
  if (axis->is_one || axis->outside == count) return true;
  for (int64_t c = 0; c < count; c++) r->is_outside[c] = (is_first ? 0 : r->is_outside[c]) | axis->is_outside[c];
  return false;
}

/// Elements of a row.
static void run_chunk(transform_room *r, const transform_job *j, int64_t row, int64_t column, int64_t count,
                      bool is_first) {
  const transform_task *t = j->t;
  const int last = t->axes - 1;
  const int64_t columns = t->is_mapped ? (int64_t)t->args.n : t->args.to_shape[last - 1];
  int64_t index[MOST_AXES], rest = row;
  bool is_same = !is_first; /* the last axis as in the block's row before */
  bool has_outside = false, is_outside = false;
  for (int d = last - 2; d >= 0 && !t->is_mapped; rest /= t->args.to_shape[d--]) index[d] = rest % t->args.to_shape[d];
  for (int k = 0; k < last - 1; k++) is_same = is_same && t->matrix[last - 1][k] == 0;
  for (int d = 1; d <= last; d++) {
    weft__spline_axis *axis = &r->axis[d];
    if (d < last || !is_same) {
      const int64_t different = find_places(r->place, j, d, index, column, count);
      axis->is_one = different < count;
      j->sums->spline.find(axis, r->place, different, &j->line[d]);
      if (d == last) memset(r->row, -1, sizeof r->row);
    }
    if (!axis->outside) continue;
    is_outside = note_outside(r, axis, !has_outside, count) || is_outside;
    has_outside = true;
  }
  if (is_outside) memset(r->is_outside, 1, (size_t)count);
  if (!is_outside) add_products(r, j, count);
  j->elements->show(j->to + (row * columns + column) * j->size, r->sum, has_outside ? r->is_outside : NULL,
                    t->args.fill, count);
}

static void run_block(const weft__block *b, const void *job) {
  const transform_job *j = job;
  transform_room *r = weft__scratch_begin(sizeof *r + (size_t)j->t->axes * sizeof *r->axis);
  if (!r) {
    atomic_store(j->has_failed, true);
    return;
  }
  r->oldest = 0;
  r->where[0][0] = 0; /* of the axis in front */
  if (j->is_f64)
    memcpy(r->weight[0], &(const double){1}, sizeof(double));
  else
    memcpy(r->weight[0], &(const float){1}, sizeof(float));
  memset(r->zero, 0, sizeof r->zero);
  for (int64_t at = 0; at < b->columns; at += CHUNK)
    for (int64_t row = 0; row < b->rows; row++)
      run_chunk(r, j, b->row + row, b->column + at, b->columns - at < CHUNK ? b->columns - at : CHUNK, row == 0);
  weft__scratch_end(r);
}

static int transform(void *const *data, const void *task) {
  const transform_task *t = task;
  const weft__transform_args *a = &t->args;
  const int last = t->axes - 1;
  const weft_dtype dtype = (weft_dtype)t->dtype;
  atomic_bool has_failed = false;
  int64_t rows = 1, stride = 1, terms = 1;
  transform_job j = {.t = t,
                     .to = data[0],
                     .from = data[1],
                     .place = t->is_mapped ? data[2] : NULL,
                     .size = (int64_t)weft_dtype_size_bytes(dtype),
                     .sums = weft__element_loops_of(t->taps == 4 ? weft__filter_host_sum(dtype) : dtype),
                     .elements = weft__element_loops_of(dtype),
                     .is_f64 = weft__filter_host_sum(dtype) == WEFT_F64,
                     .has_failed = &has_failed};
  for (int d = last; d > 0; stride *= a->from_shape[--d]) {
    const bool is_plain = a->plain >> (d - 1) & 1;
    j.line[d] = (weft__spline_line){.n = a->from_shape[d - 1],
                                    .stride = stride,
                                    .margin = is_plain ? 0 : a->margin,
                                    .border = a->border,
                                    .taps = is_plain ? 1 : t->taps};
    terms *= j.line[d].taps;
    if (d < last && !t->is_mapped) rows *= a->to_shape[d - 1];
  }
  const int64_t bytes = j.size * (1 + terms);
  weft__run_blocks(&(const weft__blocks){.rows = rows,
                                         .columns = (int64_t)a->n / rows,
                                         .most_columns = t->is_mapped ? 0 : CHUNK,
                                         .bytes = bytes < MOST_BYTES ? bytes : MOST_BYTES,
                                         .cores = t->cores,
                                         .function = run_block,
                                         .job = &j});
  return atomic_load(&has_failed) ? WEFT__HOST_NO_MEMORY : 0;
}

const weft__host_function weft__host_transform = {
    .name = "transform", .library = WEFT__LIBRARY_NONE, .task_bytes = sizeof(transform_task), .run = transform};

bool weft__transform_host_fits(const void *task) {
  const weft__transform_task *t = task;
  return t->from->size <= WEFT__TRANSFORM_HOST_MOST && t->to->context->core.device->info.has_fp64;
}

weft_status weft__transform_host_run(bool *is_done, const void *task) {
  const weft__transform_task *of = task;
  weft_context *context = of->to->context;
  transform_task t;
  memset(&t, 0, sizeof t); /* recordings keep all its bytes */
  t.args = of->args;
  memcpy(t.matrix, of->matrix, sizeof t.matrix);
  t.axes = of->from->ndim + 1;
  t.taps = of->taps;
  t.dtype = (int32_t)of->to->dtype;
  t.cores = weft__host_cores(context);
  t.is_mapped = of->places != NULL;
  const weft__host_use use[] = {
      {.array = of->to, .writes = true}, {.array = of->from, .reads = true}, {.array = of->places, .reads = true}};
  *is_done = true;
  return weft__host_run(context, &weft__host_transform, &t, of->places ? 3 : 2, use, of->what, of->site);
}

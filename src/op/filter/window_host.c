// SPDX-License-Identifier: MIT
/// Filters with windows on the host: for elements that follow each other along the last axis, each element of their
/// windows is a run of the source, or a constant. Beyond a border that mirrors the runs are of one element.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/blocks.h"
#include "op/filter/tuning.h"
#include "op/filter/window_host.h"
#include "op/rearrange/border.h"

enum { MOST_PLACES = 1 << 20 };

/// What a recording keeps. The arrays: the result, x, the weights and the offsets of the window's elements along the
/// axes, which a window along the last axis has not got. Elements of the last axis are `inner` elements.
typedef struct window_task {
  int64_t shape[WEFT_MAX_NDIM], inner, taps, rank;
  int64_t before; /* in front of the middle, of a window along the last axis */
  uint64_t fill;
  int32_t axes, dtype, op, border, cores;
  bool is_line, has_weights, is_reversed, reserved;
} window_task;

typedef struct window_job {
  const window_task *t;
  char *to;
  const char *from;
  int64_t size, *offset, near, past; /* how far windows reach in front of and behind the middle along the last axis */
  double *weight;
  const weft__element_loops *loops;
  weft__windows windows;
  weft__window_order order;
  atomic_bool *has_failed;
  uint64_t fill[WEFT__WINDOW_CHUNK];
} window_job;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/// The row of the source that each element of the window takes from; NULL: outside.
static void find_rows(const char **from, const window_job *j, int64_t row) {
  const window_task *t = j->t;
  const int last = t->axes - 1;
  int64_t p[WEFT_MAX_NDIM];
  for (int d = last - 1; d >= 0; row /= t->shape[d--]) p[d] = row % t->shape[d];
  for (int64_t k = 0; k < t->taps; k++) {
    int64_t at = 0;
    for (int d = 0; d < last && at >= 0; d++) {
      const int64_t place = weft_inside(p[d] + j->offset[k * t->axes + d], t->shape[d], t->border);
      at = place < 0 ? -1 : at * t->shape[d] + place;
    }
    from[k] = at < 0 ? NULL : j->from + at * t->shape[last] * t->inner * j->size;
  }
}

/// Elements of a row from `at` on, whose windows have runs. Their number.
static int64_t compute_run(const window_job *j, weft__windows *w, const void **tap, const char *const *from, char *to,
                           int64_t at, int64_t end) {
  const window_task *t = j->t;
  const int last = t->axes - 1;
  const int64_t length = t->shape[last], p = at / t->inner;
  const bool is_inside = p >= j->near && p < length - j->past;
  const int64_t stop = least(end, (is_inside ? length - j->past : p + 1) * t->inner);
  const int64_t count = least(stop - at, WEFT__WINDOW_CHUNK);
  for (int64_t k = 0; k < t->taps; k++) {
    const int64_t place = weft_inside(p + j->offset[k * t->axes + last], length, t->border);
    tap[k] = from[k] && place >= 0 ? from[k] + (at + (place - p) * t->inner) * j->size : (const char *)j->fill;
  }
  j->loops->window(to + at * j->size, w, count);
  return count;
}

static void filter_block(const weft__block *b, const void *job) {
  const window_job *j = job;
  const window_task *t = j->t;
  const int64_t columns = t->shape[t->axes - 1] * t->inner;
  const size_t scratch = t->op == WEFT__FILTER_RANK ? (size_t)t->taps * WEFT__RANK_BYTES : 0;
  const size_t bytes = scratch + 2 * (size_t)t->taps * sizeof(void *);
  char *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!memory) {
    atomic_store(j->has_failed, true);
    return;
  }
  const void **tap = (const void **)(void *)(memory + scratch);
  const char **from = (const char **)(tap + t->taps);
  weft__windows w = j->windows;
  w.tap = tap;
  w.scratch = memory;
  for (int64_t row = b->row; row < b->row + b->rows; row++) {
    const int64_t end = b->column + b->columns;
    find_rows(from, j, row);
    for (int64_t at = b->column; at < end;)
      at += compute_run(j, &w, tap, from, j->to + row * columns * j->size, at, end);
  }
  free(memory);
}

/// Copies the offsets of the window's elements and its weights, and finds how far it reaches.
static void describe_window(window_job *j, const void *weights, const int64_t *offsets) {
  const window_task *t = j->t;
  const bool is_f64 = weft__filter_host_sum((weft_dtype)t->dtype) == WEFT_F64;
  for (int64_t k = 0; k < t->taps; k++) {
    const int64_t from = t->is_reversed ? t->taps - 1 - k : k;
    for (int d = 0; d < t->axes; d++) {
      const bool is_last = d == t->axes - 1;
      const int64_t offset = !t->is_line ? offsets[k * t->axes + d] : is_last ? k - t->before : 0;
      j->offset[k * t->axes + d] = offset;
      if (is_last && -offset > j->near) j->near = -offset;
      if (is_last && offset > j->past) j->past = offset;
    }
    if (is_f64)
      j->weight[k] = t->has_weights ? ((const double *)weights)[from] : 1;
    else
      ((float *)(void *)j->weight)[k] = t->has_weights ? ((const float *)weights)[from] : 1;
  }
}

static void run_job(window_job *j, const window_task *t) {
  int64_t rows = 1;
  for (int d = 0; d < t->axes - 1; d++) rows *= t->shape[d];
  for (int64_t i = 0; i < WEFT__WINDOW_CHUNK; i++) memcpy((char *)j->fill + i * j->size, &t->fill, (size_t)j->size);
  if (t->op == WEFT__FILTER_RANK) weft__window_order_of(&j->order, (int)t->taps, (int)t->rank);
  j->loops = weft__element_loops_of((weft_dtype)t->dtype);
  j->windows = (weft__windows){.op = t->op, .taps = t->taps, .weight = j->weight, .rank = &j->order};
  const int64_t work = t->op == WEFT__FILTER_RANK ? j->order.exchanges : t->taps;
  weft__run_blocks(&(const weft__blocks){.rows = rows,
                                         .columns = t->shape[t->axes - 1] * t->inner,
                                         .bytes = least(j->size * (1 + work / 4), WEFT__WINDOW_MOST_BYTES),
                                         .cores = t->cores,
                                         .function = filter_block,
                                         .job = j});
}

static int filter_windows(void *const *data, const void *task) {
  const window_task *t = task;
  const int64_t words = t->taps * (t->axes + 1);
  atomic_bool has_failed = false;
  window_job *j = calloc(1, sizeof *j + (size_t)words * sizeof(int64_t));
  if (!j) return WEFT__HOST_NO_MEMORY;
  j->t = t;
  j->to = data[0];
  j->from = data[1];
  j->size = (int64_t)weft_dtype_size_bytes((weft_dtype)t->dtype);
  j->offset = (int64_t *)(j + 1);
  j->weight = (double *)(j->offset + t->taps * t->axes);
  j->has_failed = &has_failed;
  describe_window(j, data[2], t->is_line ? NULL : data[2 + t->has_weights]);
  run_job(j, t);
  free(j);
  return atomic_load(&has_failed) ? WEFT__HOST_NO_MEMORY : 0;
}

const weft__host_function weft__host_window = {
    .name = "window", .library = WEFT__LIBRARY_NONE, .task_bytes = sizeof(window_task), .run = filter_windows};

/// A step of the host; `offsets` NULL: a window along the last axis.
static weft_status run_step(window_task *t, const weft__filtering *filtering, weft_array *to, const weft_array *from,
                            const weft_array *weights, const weft_array *offsets) {
  weft__host_use use[4] = {{.array = to, .writes = true}, {.array = from, .reads = true}};
  int uses = 2;
  if (weights) use[uses++] = (weft__host_use){.array = weights, .reads = true};
  if (offsets) use[uses++] = (weft__host_use){.array = offsets, .reads = true};
  t->has_weights = weights != NULL;
  t->is_line = offsets == NULL;
  t->fill = filtering->edge.fill[0];
  t->border = filtering->edge.border;
  t->dtype = (int32_t)to->dtype;
  t->cores = weft__host_cores(to->context);
  return weft__host_run(to->context, &weft__host_window, t, uses, use, filtering->what, filtering->call.site);
}

/* ---- the ways ---- */

weft_dtype weft__filter_host_sum(weft_dtype dtype) {
  return weft_dtype_kind(dtype) == 'f' && dtype != WEFT_F64 ? WEFT_F32 : WEFT_F64;
}

static bool has_sums(const weft_array *x, int op) {
  return (op != WEFT__FILTER_SUM && op != WEFT__FILTER_MEAN) ||
         weft__filter_sum_dtype(x->context, x->dtype) == weft__filter_host_sum(x->dtype);
}

bool weft__pass_host_fits(const void *task) {
  const weft__pass *p = task;
  const bool has_places = p->line->weights || p->before + p->after < MOST_PLACES; /* of 40 bytes for each element */
  return has_places && has_sums(p->from, p->line->op);
}

weft_status weft__pass_host_run(bool *is_done, const void *task) {
  const weft__pass *p = task;
  const weft__axis_split split = weft__split_at_axis(weft__array_shape(p->from), p->line->axis);
  window_task t;
  memset(&t, 0, sizeof t); /* recordings keep all its bytes */
  t.axes = 2;
  t.shape[0] = split.outer;
  t.shape[1] = split.length;
  t.inner = split.inner;
  t.taps = p->before + p->after + 1;
  t.before = p->before;
  t.op = p->line->op;
  t.is_reversed = p->line->is_reversed;
  *is_done = true;
  return run_step(&t, p->filtering, p->to, p->from, p->line->weights, NULL);
}

bool weft__footprint_host_fits(const void *task) {
  const weft__footprint_task *f = task;
  const weft__footprint *w = f->window;
  return w->op == WEFT__FILTER_RANK ? w->taps <= WEFT__WINDOW_COUNT : has_sums(f->from, w->op);
}

weft_status weft__footprint_host_run(bool *is_done, const void *task) {
  const weft__footprint_task *f = task;
  const weft__footprint *w = f->window;
  weft_array *offsets = NULL;
  window_task t;
  memset(&t, 0, sizeof t); /* recordings keep all its bytes */
  t.axes = f->from->ndim;
  for (int d = 0; d < t.axes; d++) t.shape[d] = f->from->shape[d];
  t.inner = 1;
  t.taps = w->taps;
  t.rank = w->rank;
  t.op = w->op;
  *is_done = true;
  WEFT__TRY_RETURN(weft__array_of(&offsets, f->from->context, WEFT_I64, WEFT_SHAPE(w->taps * t.axes), w->offset,
                                  f->filtering->call.site));
  const weft_status rc = run_step(&t, f->filtering, f->to, f->from, w->weights, offsets);
  weft_array_release(&offsets);
  return rc;
}

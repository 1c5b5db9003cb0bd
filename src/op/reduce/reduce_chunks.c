// SPDX-License-Identifier: MIT
/// Reductions over host memory in chunks. The operands are seen as kept x reduced x rest: the kept axes in front taken as one, the reduced ones
/// behind them, and all that follows. Boxes (call/tile.h) are cut along the first two. Where they are cut along the kept ones, each chunk has
/// results of its own. Else what is gathered stays on the device, and each chunk goes on where the last one ended, with the same accumulators,
/// so that nothing is rounded in between.
#include "call/tile.h"
#include "map/cast.h"
#include "map/special.h"
#include "op/reduce/reduce.h"

typedef struct cutting {
  const weft__reduce_task *task;
  const weft__reduce_values *values; /* NULL: the launches read the operands */
  int64_t kept, reduced, rest;       /* elements */
  int first_of_rest;                 /* axis */
  int64_t results;                   /* of one of the kept ones */
  bool cuts_reduced;
  weft__tiles boxes;
  weft__reduce_part part;
} cutting;

static void divide_axes(cutting *w) {
  const weft__reduce_task *t = w->task;
  int d = 0;
  w->kept = w->reduced = w->rest = w->results = 1;
  for (; d < t->shape.ndim && (!t->along[d] || t->shape.dim[d] == 1); d++) w->kept *= t->shape.dim[d];
  for (; d < t->shape.ndim && (t->along[d] || t->shape.dim[d] == 1); d++) w->reduced *= t->shape.dim[d];
  w->first_of_rest = d;
  for (; d < t->shape.ndim; d++) {
    w->rest *= t->shape.dim[d];
    if (!t->along[d]) w->results *= t->shape.dim[d];
  }
}

/// The task of a chunk with so many of the kept and reduced ones.
static weft__reduce_task task_of(const cutting *w, int64_t kept, int64_t reduced) {
  weft__reduce_task task = *w->task;
  int n = 0;
  if (w->kept > 1) {
    task.shape.dim[n] = kept;
    task.along[n++] = false;
  }
  if (w->reduced > 1) {
    task.shape.dim[n] = reduced;
    task.along[n++] = true;
  }
  for (int d = w->first_of_rest; d < w->task->shape.ndim; d++, n++) {
    task.shape.dim[n] = w->task->shape.dim[d];
    task.along[n] = w->task->along[d];
  }
  task.shape.ndim = n;
  return task;
}

/* ---- whether ---- */

/// Bytes on the device for each element of a chunk, besides its host memory: its values, if they are an array of their own, what of it is
/// copied to be contiguous, and what the launch turns.
static int64_t own_bytes_of(const weft__call *c, const weft__reduce_task *task, const weft__reduce_values *values) {
  int64_t sum = 0, last = 0;
  if (values) {
    sum = last = (int64_t)weft_dtype_size_bytes(values->plan->result[0]);
    if (values->cast) sum += last = (int64_t)weft_dtype_size_bytes(values->cast);
  }
  for (int k = 0; k < c->inputs && !values; k++) {
    if (weft__call_is_scalar(c, k)) continue;
    last = (int64_t)weft_dtype_size_bytes(weft__call_dtype(c, k));
    if (c->operand[k].kind == WEFT_OPERAND_ARRAY && !weft__is_contiguous(c->operand[k].as.array)) sum += last;
  }
  return sum + (weft__reduce_turns(task) ? last : 0);
}

weft_status weft__reduce_chunk(uint64_t *chunk_bytes, const weft__call *c, const weft__reduce_task *task,
                               const weft__reduce_values *values) {
  cutting w = {.task = task};
  *chunk_bytes = 0;
  divide_axes(&w);
  if (w.kept * w.reduced * w.rest < 2) return WEFT_OK;
  return weft__chunk_wanted(chunk_bytes, c, 0, (uint64_t)(w.kept * w.reduced * w.rest * own_bytes_of(c, task, values)));
}

/* ---- how ---- */

/// How many axes of the layout so many elements are; none has length 1.
static int axes_of(const weft__layout *l, int64_t elements) {
  int n = 0;
  for (int64_t so_far = 1; so_far < elements; n++) so_far *= l->length[n];
  return n;
}

/// The arrays of a chunk, as launches shall see them, or make them what launches can.
typedef struct portion {
  weft__call call;
  weft_array view[WEFT__MAX_ARRAYS];
  weft_array *mine[WEFT__MAX_ARRAYS];
} portion;

/// The values of the box, which then are the call's only operand.
static weft_status compute(const cutting *w, const weft__tile *b, portion *p, weft_shape shape) {
  const weft__call *c = w->boxes.call;
  const weft__span range = {weft__tile_first(&w->boxes, b), (uint64_t)w->boxes.layout.size};
  const weft_shape seen = weft__array_shape(&p->view[0]);
  weft_array *array[WEFT__MAX_ARRAYS], values;
  weft_status rc = weft__array_create(&p->mine[0], c->context, w->values->plan->result[0], seen, c->site);
  array[0] = p->mine[0];
  for (int k = 0; k < w->boxes.parts; k++) array[k + 1] = &p->view[k];
  if (rc == WEFT_OK)
    rc = weft__plan_run(w->values->plan, c->context, seen, 1, w->boxes.parts + 1, array, w->values->scalars, &range, c->site);
  if (rc == WEFT_OK && w->values->cast) rc = weft__cast(&p->mine[1], p->mine[0], w->values->cast, c->site);
  if (rc) return rc;
  values = weft__array_borrow(p->mine[w->values->cast ? 1 : 0]);
  weft__set_contiguous(&values, shape);
  p->view[0] = values;
  p->call.array[c->results] = &p->view[0];
  p->call.inputs = 1;
  return WEFT_OK;
}

/// The box's part of each operand, of which each has all elements.
static weft_status take_parts(const cutting *w, portion *p, weft_shape shape) {
  const weft__tiles *boxes = &w->boxes;
  weft_status rc = WEFT_OK;
  for (int k = 0; k < boxes->parts && rc == WEFT_OK; k++) {
    weft_array *view = &p->view[k];
    if (!weft__is_contiguous(view)) rc = weft__cast(&p->mine[k], view, view->dtype, boxes->call->site);
    if (rc == WEFT_OK && p->mine[k]) *view = weft__array_borrow(p->mine[k]);
    weft__set_contiguous(view, shape);
    p->call.array[boxes->part[k].at] = view;
  }
  return rc;
}

static weft_status run_chunk(cutting *w, const weft__tile *b, weft_array *out) {
  portion p = {.call = *w->boxes.call};
  int64_t elements = weft__tile_elements(&w->boxes, b), one = w->reduced * w->rest;
  const weft__reduce_task task = w->cuts_reduced ? task_of(w, 1, elements / w->rest) : task_of(w, elements / one, w->reduced);
  int lane = weft__chunking_enter(&w->boxes.lanes, b->number);
  weft_status rc = weft__tile_to_device(&w->boxes, b, lane);
  for (int k = 0; k < w->boxes.parts; k++) weft__tile_view(&w->boxes, b, k, lane, &p.view[k]);
  if (rc == WEFT_OK) rc = w->values ? compute(w, b, &p, task.shape) : take_parts(w, &p, task.shape);
  if (rc == WEFT_OK) rc = weft__reduce_part_run(&p.call, &task, out, &w->part);
  for (int k = 0; k < WEFT__MAX_ARRAYS; k++) weft_array_release(&p.mine[k]);
  weft__chunking_leave(&w->boxes.lanes);
  return rc;
}

/// Where the reduced axes are cut, a result is there when the last chunk of its own is.
static weft_status run(cutting *w) {
  const weft__call *c = w->boxes.call;
  const uint64_t one = (uint64_t)(w->reduced * w->rest);
  weft__tile b = {.length = w->boxes.piece};
  weft_status rc;
  do {
    uint64_t first = weft__tile_first(&w->boxes, &b), end = first + (uint64_t)weft__tile_elements(&w->boxes, &b);
    weft_array out = weft__array_borrow(c->array[0]);
    out.offset_bytes += (int64_t)(first / one) * w->results * (int64_t)weft_dtype_size_bytes(out.dtype);
    if (first % one == 0) w->part.there = 0;
    w->part.first = first;
    w->part.row = first % one / (uint64_t)w->rest;
    rc = run_chunk(w, &b, &out);
    if (rc == WEFT_OK && w->cuts_reduced && end % one == 0) rc = weft__reduce_conclude(c, w->task, &out, &w->part);
  } while (rc == WEFT_OK && weft__tile_next(&w->boxes, &b));
  return rc;
}

static void cut(cutting *w, int64_t own_bytes, uint64_t chunk_bytes) {
  const weft__reduce_task *task = w->task;
  const weft__layout *layout = &w->boxes.layout;
  weft__tiles_cut(&w->boxes, axes_of(layout, w->kept * w->reduced), own_bytes, chunk_bytes);
  w->cuts_reduced = w->boxes.axis >= axes_of(layout, w->kept);
  w->part.goes_on = w->cuts_reduced;
  w->part.outputs = (uint64_t)w->results;
  w->part.count = w->part.all = 1;
  for (int d = 0; d < task->shape.ndim; d++) {
    w->part.all *= task->shape.dim[d];
    if (task->along[d]) w->part.count *= task->shape.dim[d];
  }
}

weft_status weft__reduce_in_chunks(weft__call *c, const weft__reduce_task *task, const weft__reduce_values *values, uint64_t chunk_bytes) {
  cutting w = {.task = task, .values = values};
  bool done = false;
  weft_status rc = weft__tiles_gather(c, task->shape, chunk_bytes);
  if (rc == WEFT_OK) rc = weft__reduce_result(&done, c, task); /* it may overlap them */
  if (rc || done) return rc;
  divide_axes(&w);
  weft__tiles_list(&w.boxes, c, c->results, task->shape, task->along);
  cut(&w, own_bytes_of(c, task, values), weft__chunk_that_fits(chunk_bytes, c->context));
  rc = weft__tiles_open(&w.boxes);
  if (rc == WEFT_OK) rc = weft__tiles_close(&w.boxes, run(&w));
  weft_array_release(&w.part.meet);
  return rc;
}

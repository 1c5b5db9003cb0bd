// SPDX-License-Identifier: MIT
/// Reductions over host memory in chunks. The operands are seen as kept x reduced x rest: the kept axes in front taken as one, the reduced ones
/// behind them, and all that follows. Where several of the kept ones fit in a chunk, each chunk has results of its own. Else the reduced ones
/// are cut: what is gathered stays on the device, and each chunk goes on where the last one ended, with the same accumulators, so that nothing
/// is rounded in between.
#include "op/chunk.h"
#include "op/reduce.h"

#define PIECE 256 /* elements: runs are cut at their multiples, so that chunks of views begin as the views do */

typedef struct cutting {
  weft__call *call;
  const weft__reduce_task *task;
  int64_t kept, reduced, rest; /* elements */
  int first_of_rest;           /* axis */
  int64_t results;             /* of one of the kept ones */
  bool cuts_reduced;
  int64_t piece; /* how many of the kept or of the reduced ones are in a chunk */
  uint64_t number;
  weft__chunking lanes;
  bool waits; /* in the end, for the lanes */
  weft__ferry ferry[WEFT__MAX_INPUTS];
  weft_array view[WEFT__MAX_INPUTS];
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
  int n = 2;
  task.shape.dim[0] = kept;
  task.shape.dim[1] = reduced;
  task.along[0] = false;
  task.along[1] = true;
  for (int d = w->first_of_rest; d < w->task->shape.ndim; d++, n++) {
    task.shape.dim[n] = w->task->shape.dim[d];
    task.along[n] = w->task->along[d];
  }
  task.shape.ndim = n;
  return task;
}

/* ---- whether ---- */

static bool is_of_shape(weft_shape a, weft_shape b) {
  bool same = a.ndim == b.ndim;
  for (int d = 0; d < a.ndim && same; d++) same = a.dim[d] == b.dim[d];
  return same;
}

weft_status weft__reduce_chunk(uint64_t *chunk_bytes, const weft__call *c, const weft__reduce_task *task) {
  cutting w = {.task = task};
  weft__call part = *c;
  *chunk_bytes = 0;
  divide_axes(&w);
  /* two axes may take the place of none */
  if (w.kept * w.reduced * w.rest == 0 || task->shape.ndim - w.first_of_rest + 2 > WEFT_MAX_NDIM) return WEFT_OK;
  const weft__reduce_task small = task_of(&w, 1, w.reduced > 1 ? 2 : 1);
  for (int k = 0; k < c->inputs; k++) {
    if (weft__call_is_scalar(c, k)) continue;
    if (!is_of_shape(weft__call_shape(c, k), task->shape)) return WEFT_OK;
    if (c->operand[k].kind == WEFT_OPERAND_ARRAY && !weft__is_contiguous(c->operand[k].as.array)) return WEFT_OK;
    w.view[k].dtype = weft__call_dtype(c, k);
    weft__set_contiguous(&w.view[k], small.shape);
    part.array[c->results + k] = &w.view[k];
  }
  /* the launch turns one array's axes by itself, if its elements have no numbers */
  if ((c->inputs > 1 || (task->plan && task->plan->uses_index)) && !weft__reduce_is_direct(&part, &small)) return WEFT_OK;
  return weft__chunk_wanted(chunk_bytes, c, 0);
}

/* ---- how ---- */

static void cut(cutting *w, uint64_t chunk_bytes) {
  const weft__call *c = w->call;
  int64_t element = 0, most = (int64_t)chunk_bytes;
  for (int k = 0; k < c->inputs; k++)
    if (c->operand[k].kind == WEFT_OPERAND_HOST) element += (int64_t)weft_dtype_size_bytes(weft__call_dtype(c, k));
  w->cuts_reduced = w->reduced * w->rest > most / element;
  int64_t one = (w->cuts_reduced ? 1 : w->reduced) * w->rest, all = w->cuts_reduced ? w->reduced : w->kept;
  w->piece = most / element / one;
  if (one == 1 && w->piece > PIECE) w->piece -= w->piece % PIECE;
  if (w->piece < 1) w->piece = 1;
  if (w->piece > all) w->piece = all;
}

static weft_status open_ferries(cutting *w) {
  const weft__call *c = w->call;
  weft_status rc = WEFT_OK;
  int64_t elements = w->piece * w->rest * (w->cuts_reduced ? 1 : w->reduced);
  for (int k = 0; k < c->inputs && rc == WEFT_OK; k++) {
    const weft_host *host = &c->operand[k].as.host;
    if (c->operand[k].kind == WEFT_OPERAND_HOST)
      rc = weft__ferry_open(&w->ferry[k], c->context, (void *)host->data, weft__shape_bytes(host->shape, host->dtype), host->dtype,
                            elements, weft__call_operand_name(c, k), c->site);
    w->waits = w->waits || w->ferry[k].is_pinned;
  }
  return rc;
}

/// Elements `first` and on, of this shape, to the device.
static weft_status bring(cutting *w, weft__call *part, weft_shape shape, int64_t first, int lane) {
  const weft__call *c = w->call;
  weft_status rc = WEFT_OK;
  for (int k = 0; k < c->inputs && rc == WEFT_OK; k++) {
    if (weft__call_is_scalar(c, k)) continue;
    weft_array *view = &w->view[k];
    uint64_t element = weft_dtype_size_bytes(weft__call_dtype(c, k)), begin = (uint64_t)first * element;
    if (c->operand[k].kind == WEFT_OPERAND_HOST) {
      *view = *w->ferry[k].room[lane];
      rc = weft__ferry_up(&w->ferry[k], lane, begin, weft__shape_bytes(shape, view->dtype));
    } else {
      *view = *c->operand[k].as.array;
      view->offset_bytes += (int64_t)begin;
    }
    int64_t offset = view->offset_bytes;
    weft__set_contiguous(view, shape);
    view->offset_bytes = offset;
    part->array[c->results + k] = view;
  }
  return rc;
}

/// So many of the kept or of the reduced ones, from `begin` on.
static weft_status run_chunk(cutting *w, int64_t kept, int64_t begin, int64_t length) {
  weft__call part = *w->call;
  weft_array out = weft__array_borrow(part.array[0]);
  const weft__reduce_task task = w->cuts_reduced ? task_of(w, 1, length) : task_of(w, length, w->reduced);
  int64_t first = (kept * w->reduced + (w->cuts_reduced ? begin : 0)) * w->rest;
  int lane = weft__chunking_enter(&w->lanes, w->number++);
  out.offset_bytes += kept * w->results * (int64_t)weft_dtype_size_bytes(out.dtype);
  w->part.first = (uint64_t)first;
  w->part.row = w->cuts_reduced ? (uint64_t)begin : 0;
  weft_status rc = bring(w, &part, task.shape, first, lane);
  if (rc == WEFT_OK) rc = weft__reduce_part_run(&part, &task, &out, &w->part);
  weft__chunking_leave(&w->lanes);
  return rc;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/// One of the kept ones after the other, the reduced ones in pieces.
static weft_status run_reduced(cutting *w) {
  weft_status rc = WEFT_OK;
  weft__reduce_part *part = &w->part;
  part->goes_on = true;
  part->outputs = (uint64_t)w->results;
  for (int64_t kept = 0; kept < w->kept && rc == WEFT_OK; kept++) {
    weft_array out = weft__array_borrow(w->call->array[0]);
    out.offset_bytes += kept * w->results * (int64_t)weft_dtype_size_bytes(out.dtype);
    part->there = 0;
    for (int64_t begin = 0; begin < w->reduced && rc == WEFT_OK; begin += w->piece)
      rc = run_chunk(w, kept, begin, least(w->piece, w->reduced - begin));
    if (rc == WEFT_OK) rc = weft__reduce_conclude(w->call, w->task, &out, part);
  }
  return rc;
}

static weft_status run_kept(cutting *w) {
  weft_status rc = WEFT_OK;
  for (int64_t kept = 0; kept < w->kept && rc == WEFT_OK; kept += w->piece) rc = run_chunk(w, kept, kept, least(w->piece, w->kept - kept));
  return rc;
}

weft_status weft__reduce_in_chunks(weft__call *c, const weft__reduce_task *task, uint64_t chunk_bytes) {
  cutting w = {.call = c, .task = task};
  bool done = false;
  weft_status rc = WEFT_OK;
  for (int k = 0; k < c->inputs && rc == WEFT_OK; k++) /* the result may overlap them */
    if (c->operand[k].kind == WEFT_OPERAND_ARRAY) rc = weft__call_gather_one(c, k);
  if (rc == WEFT_OK) rc = weft__reduce_result(&done, c, task);
  if (rc || done) return rc;
  divide_axes(&w);
  w.part.count = w.part.all = 1;
  for (int d = 0; d < task->shape.ndim; d++) {
    w.part.all *= task->shape.dim[d];
    if (task->along[d]) w.part.count *= task->shape.dim[d];
  }
  cut(&w, weft__chunk_that_fits(chunk_bytes, c->context));
  rc = weft__chunking_begin(&w.lanes, c->context);
  if (rc) return rc;
  rc = open_ferries(&w);
  if (rc == WEFT_OK) rc = w.cuts_reduced ? run_reduced(&w) : run_kept(&w);
  rc = weft__chunking_end(&w.lanes, rc, w.waits);
  for (int k = 0; k < c->inputs; k++) weft__ferry_close(&w.ferry[k]);
  weft_array_release(&w.part.meet);
  if (rc == WEFT_OK) weft__call_count_host(c);
  return rc;
}

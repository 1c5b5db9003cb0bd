// SPDX-License-Identifier: MIT
/// Reductions in chunks: of host memory, and of values and copies that would be larger than a few chunks. The operands
/// are seen as kept x reduced x rest: the kept axes in front, the reduced axes after them, and all others. Tiles
/// (call/tile.h) divide the first two. If the kept axes are divided, each chunk has results of its own. If the reduced
/// axes are divided, the accumulators stay on the device and each chunk continues where the last one ended, so that
/// nothing is rounded in between.
#include "base/checked.h"
#include "base/scratch.h"
#include "call/tile.h"
#include "map/cast.h"
#include "map/run.h"
#include "mem/recorder.h"
#include "op/reduce/reduce.h"
#include "op/reduce/tuning.h"

#define CHUNKS 4 /* up to as many, values and copies of the operands of inner products are whole */

/// The arrays of a chunk as the launches read them.
typedef struct portion {
  weft__call call;
  weft_array view[WEFT__MAX_ARRAYS];
  weft_array *temporary[WEFT__MAX_ARRAYS];
} portion;

typedef struct cutting {
  const weft__reduce_task *task;
  const weft__reduce_values *values; /* NULL: the launches read the operands */
  int64_t kept, reduced, rest;       /* elements */
  int first_of_rest;                 /* first axis of `rest` */
  int64_t results;                   /* results per index of the kept axes */
  bool cuts_reduced;
  weft__tiles tiles;
  weft__reduce_part part;
  portion chunk;
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

/// The task of a chunk of `kept` x `reduced` x rest.
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

/* ---- whether to use chunks ---- */

/// Bytes on the device per element of a chunk, besides its host memory: values computed into an array, copies of
/// operands that are not contiguous, and the copy that the launch makes if it must reorder axes.
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

weft_status weft__reduce_chunk_bytes(uint64_t *chunk_bytes, const weft__call *c, const weft__reduce_task *task,
                                     const weft__reduce_values *values) {
  weft__core *core = &c->context->core;
  const uint64_t most =
      core->device->info.type == WEFT_DEVICE_TYPE_CPU ? WEFT__REDUCE_CPU_VALUES_BYTES : WEFT__REDUCE_GPU_VALUES_BYTES;
  const bool has_host = weft__uses_host_memory(c);
  const bool makes_arrays = values || (c->inputs == 2 && !task->plan); /* others may be read in place */
  int64_t elements = 1;
  uint64_t own_bytes;
  *chunk_bytes = 0;
  if (!has_host && !makes_arrays) return WEFT_OK;
  for (int d = 0; d < task->shape.ndim; d++) elements *= task->shape.dim[d];
  /* a reproducible context does not cut rows: their parts would depend on the device's memory */
  if (elements < 2 || core->reproducible) return WEFT_OK;
  if (!weft__multiply_u64(&own_bytes, (uint64_t)elements, (uint64_t)own_bytes_of(c, task, values)))
    own_bytes = UINT64_MAX; /* of broadcast views */
  if (has_host) WEFT__TRY_RETURN(weft__chunk_bytes(chunk_bytes, c, 0, own_bytes));
  if (!*chunk_bytes && makes_arrays && own_bytes / CHUNKS > most && !weft__recorder_of(core)) *chunk_bytes = most;
  return WEFT_OK;
}

/* ---- chunks ---- */

/// The number of leading axes of the layout that have `elements` elements together; no axis has length 1.
static int axes_of(const weft__layout *l, int64_t elements) {
  int n = 0;
  for (int64_t so_far = 1; so_far < elements; n++) so_far *= l->length[n];
  return n;
}

/// Computes the values of the tile, which become the call's only operand.
static weft_status compute(const cutting *w, const weft__tile *b, portion *p, weft_shape shape) {
  const weft__call *c = w->tiles.call;
  const weft__span range = {weft__tile_first(&w->tiles, b), (uint64_t)w->tiles.layout.size};
  const weft_shape read = weft__array_shape(&p->view[0]);
  const weft__reduce_values *values = w->values;
  weft_array *array[WEFT__MAX_ARRAYS];
  WEFT__TRY_RETURN(weft__array_create(&p->temporary[0], c->context, values->plan->result[0], read, c->site));
  array[0] = p->temporary[0];
  for (int k = 0; k < w->tiles.parts; k++) array[k + 1] = &p->view[k];
  WEFT__TRY_RETURN(weft__plan_run(values->plan, read, array, values->scalars, &range, c->site));
  if (values->cast) WEFT__TRY_RETURN(weft__cast(&p->temporary[1], p->temporary[0], values->cast, c->site));
  p->view[0] = weft__array_borrow(p->temporary[values->cast ? 1 : 0]);
  weft__set_contiguous(&p->view[0], shape);
  p->call.array[c->results] = &p->view[0];
  p->call.inputs = 1;
  return WEFT_OK;
}

/// Gathers the tile's part of each operand. All operands have the full shape.
static weft_status gather_parts(const cutting *w, portion *p, weft_shape shape) {
  const weft__tiles *tiles = &w->tiles;
  for (int k = 0; k < tiles->parts; k++) {
    weft_array *view = &p->view[k];
    if (!weft__is_contiguous(view)) {
      WEFT__TRY_RETURN(weft__cast(&p->temporary[k], view, view->dtype, tiles->call->site));
      *view = weft__array_borrow(p->temporary[k]);
    }
    weft__set_contiguous(view, shape);
    p->call.array[tiles->part[k].at] = view;
  }
  return WEFT_OK;
}

static weft_status run_chunk(cutting *w, const weft__tile *b, weft_array *out) {
  weft_status rc;
  portion *p = &w->chunk;
  int64_t elements = weft__tile_elements(&w->tiles, b), one = w->reduced * w->rest;
  const weft__reduce_task task =
      w->cuts_reduced ? task_of(w, 1, elements / w->rest) : task_of(w, elements / one, w->reduced);
  p->call = *w->tiles.call;
  int queue = weft__chunking_enter(&w->tiles.chunking, b->number);
  WEFT__TRY(weft__tile_to_device(&w->tiles, b, queue));
  for (int k = 0; k < w->tiles.parts; k++) weft__tile_view(&w->tiles, b, k, queue, &p->view[k]);
  WEFT__TRY(w->values ? compute(w, b, p, task.shape) : gather_parts(w, p, task.shape));
  rc = weft__reduce_part_run(&p->call, &task, out, &w->part);
done:
  for (int k = 0; k < WEFT__MAX_ARRAYS; k++) weft_array_release(&p->temporary[k]);
  weft__chunking_leave(&w->tiles.chunking);
  return rc;
}

/// Runs all chunks. If the reduced axes are divided, a result is complete after the last chunk of its own.
static weft_status run(cutting *w) {
  const weft__call *c = w->tiles.call;
  const uint64_t one = (uint64_t)(w->reduced * w->rest);
  weft__tile b = {.length = w->tiles.piece};
  do {
    uint64_t first = weft__tile_first(&w->tiles, &b), end = first + (uint64_t)weft__tile_elements(&w->tiles, &b);
    weft_array out = weft__array_borrow(c->array[0]);
    out.offset_bytes += (int64_t)(first / one) * w->results * (int64_t)weft_dtype_size_bytes(out.dtype);
    if (first % one == 0) w->part.there = 0;
    w->part.first = first;
    w->part.row = first % one / (uint64_t)w->rest;
    WEFT__TRY_RETURN(run_chunk(w, &b, &out));
    if (w->cuts_reduced && end % one == 0) WEFT__TRY_RETURN(weft__reduce_conclude(c, w->task, &out, &w->part));
  } while (weft__tile_next(&w->tiles, &b));
  return WEFT_OK;
}

static void cut(cutting *w, int64_t own_bytes, uint64_t chunk_bytes) {
  const weft__reduce_task *task = w->task;
  const weft__layout *layout = &w->tiles.layout;
  weft__tiles_cut(&w->tiles, axes_of(layout, w->kept * w->reduced), own_bytes, chunk_bytes);
  w->cuts_reduced = w->tiles.axis >= axes_of(layout, w->kept);
  w->part.goes_on = w->cuts_reduced;
  w->part.outputs = (uint64_t)w->results;
  w->part.count = w->part.all = 1;
  for (int d = 0; d < task->shape.ndim; d++) {
    w->part.all *= task->shape.dim[d];
    if (task->along[d]) w->part.count *= task->shape.dim[d];
  }
}

weft_status weft__reduce_in_chunks(weft__call *c, const weft__reduce_task *task, const weft__reduce_values *values,
                                   uint64_t chunk_bytes) {
  bool is_made = false;
  weft_status rc;
  WEFT__TRY_RETURN(weft__tiles_upload(c, task->shape, chunk_bytes));
  WEFT__TRY_RETURN(weft__reduce_result(&is_made, c, task)); /* after the operands, since the result may overlap them */
  if (is_made) return WEFT_OK;
  cutting *w = weft__scratch_begin_zeroed(sizeof *w);
  if (!w) return WEFT_ERROR_HOST_MEMORY;
  w->task = task;
  w->values = values;
  divide_axes(w);
  weft__tiles_list(&w->tiles, c, c->results, task->shape, task->along);
  cut(w, own_bytes_of(c, task, values), weft__chunk_that_fits(chunk_bytes, c->context));
  WEFT__TRY(weft__tiles_open(&w->tiles));
  rc = weft__tiles_close(&w->tiles, run(w));
done:
  weft_array_release(&w->part.partials);
  weft__scratch_end(w);
  return rc;
}

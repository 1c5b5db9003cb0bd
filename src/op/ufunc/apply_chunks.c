// SPDX-License-Identifier: MIT
/// While a chunk is computed the next one goes up and the last one comes down.
#include "op/ufunc/apply_chunks.h"

#include "call/tile.h"

/* ---- whether ---- */

/// Whether chunks of the result may be written while the operand is read: no byte in common, or the same elements.
static bool is_safe(const weft_host_out *out, const weft_host *x) {
  const char *a = out->data, *b = x->data;
  uint64_t a_bytes = weft__shape_bytes(out->shape, out->dtype), b_bytes = weft__shape_bytes(x->shape, x->dtype);
  if (a + a_bytes <= b || b + b_bytes <= a) return true;
  return a == b && a_bytes == b_bytes && weft_dtype_size_bytes(out->dtype) == weft_dtype_size_bytes(x->dtype);
}

weft_status weft__apply_chunk(uint64_t *chunk_bytes, bool *overlaps, const weft__call *c, const weft__plan *plan, weft_shape shape) {
  uint64_t made = 0;
  *overlaps = false;
  *chunk_bytes = 0;
  for (int d = 0; d < shape.ndim; d++)
    if (shape.dim[d] <= 0) return WEFT_OK; /* nothing to do, or an error */
  for (int k = 0; k < c->results; k++)
    if (c->result[k].kind == WEFT_OPERAND_RESULT && c->result[k].as.result && !*c->result[k].as.result)
      made += weft__shape_bytes(shape, plan->result[k]);
  weft_status rc = weft__chunk_wanted(chunk_bytes, c, made, 0);
  for (int r = 0; r < c->results && *chunk_bytes; r++)
    for (int k = 0; k < c->inputs && c->result[r].kind == WEFT_OPERAND_HOST_RESULT; k++)
      if (c->operand[k].kind == WEFT_OPERAND_HOST && !is_safe(&c->result[r].as.host_result, &c->operand[k].as.host)) *overlaps = true;
  if (*overlaps) *chunk_bytes = 0;
  return rc;
}

/* ---- how ---- */

typedef struct cutting {
  weft__plan *plan;
  const uint64_t *scalars;
  weft__tiles boxes;
} cutting;

/// Operands, and results: checked, and those that are arrays made, as far as they are not there.
static weft_status prepare(const cutting *w, weft__call *c, weft_shape shape, uint64_t chunk_bytes) {
  weft_status rc = weft__tiles_gather(c, shape, chunk_bytes);
  for (int k = 0; k < c->results && rc == WEFT_OK; k++)
    rc = c->result[k].kind == WEFT_OPERAND_HOST_RESULT ? weft__call_check_host_result(c, k, w->plan->result[k], shape)
                                                       : weft__call_result(c, k, w->plan->result[k], shape);
  return rc;
}

static weft_status compute(const cutting *w, const weft__tile *b, int lane) {
  const weft__tiles *boxes = &w->boxes;
  const weft__call *c = boxes->call;
  const weft__span range = {weft__tile_first(boxes, b), (uint64_t)boxes->layout.size};
  weft_array view[WEFT__MAX_ARRAYS], *array[WEFT__MAX_ARRAYS];
  for (int k = 0; k < boxes->parts; k++) {
    weft__tile_view(boxes, b, k, lane, &view[k]);
    array[k] = &view[k];
  }
  return weft__plan_run(w->plan, c->context, weft__array_shape(array[0]), c->results, boxes->parts, array, w->scalars, &range, c->site);
}

static weft_status move_down(cutting *w, const weft__tile *b) {
  int lane = weft__chunking_enter(&w->boxes.lanes, b->number);
  weft_status rc = weft__tile_to_host(&w->boxes, b, lane);
  weft__chunking_leave(&w->boxes.lanes);
  return rc;
}

/// A chunk's results come down when the next one is on its way.
static weft_status run(cutting *w) {
  weft__tile b = {.length = w->boxes.piece}, before;
  weft_status rc = WEFT_OK;
  do {
    int lane = weft__chunking_enter(&w->boxes.lanes, b.number);
    rc = weft__tile_to_device(&w->boxes, &b, lane);
    if (rc == WEFT_OK) rc = compute(w, &b, lane);
    weft__chunking_leave(&w->boxes.lanes);
    if (rc == WEFT_OK && b.number > 0) rc = move_down(w, &before);
    before = b;
  } while (rc == WEFT_OK && weft__tile_next(&w->boxes, &b));
  return rc == WEFT_OK ? move_down(w, &before) : rc;
}

weft_status weft__apply_in_chunks(weft__call *c, weft__plan *plan, weft_shape shape, const uint64_t *scalars, uint64_t chunk_bytes) {
  cutting w = {.plan = plan, .scalars = scalars};
  weft_status rc = prepare(&w, c, shape, chunk_bytes);
  if (rc) return rc;
  weft__tiles_list(&w.boxes, c, 0, shape, NULL);
  weft__tiles_cut(&w.boxes, w.boxes.layout.ndim, 0, weft__chunk_that_fits(chunk_bytes, c->context));
  rc = weft__tiles_open(&w.boxes);
  return rc == WEFT_OK ? weft__tiles_close(&w.boxes, run(&w)) : rc;
}

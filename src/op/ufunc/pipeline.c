// SPDX-License-Identifier: MIT
/// A pipeline over host memory: while a chunk is computed, the next one is copied to the device and the last one to the
/// host.
#include "op/ufunc/pipeline.h"

#include "base/scratch.h"
#include "call/tile.h"

/* ---- whether to use chunks ---- */

/// Whether chunks of the result may be written while the operand is read: they share no byte, or are the same elements.
static bool is_safe(const weft_host_out *out, const weft_host *x) {
  uint64_t out_bytes = weft__shape_bytes(out->shape, out->dtype), x_bytes = weft__shape_bytes(x->shape, x->dtype);
  bool same = out->data == x->data && out_bytes == x_bytes &&
              weft_dtype_size_bytes(out->dtype) == weft_dtype_size_bytes(x->dtype);
  return same || !weft__bytes_overlap(out->data, out_bytes, x->data, x_bytes);
}

weft_status weft__apply_chunk_bytes(uint64_t *chunk_bytes, bool *overlaps, const weft__call *c, const weft__plan *plan,
                                    weft_shape shape) {
  uint64_t made = 0;
  *overlaps = false;
  *chunk_bytes = 0;
  if (!weft__uses_host_memory(c)) return WEFT_OK;
  for (int d = 0; d < shape.ndim; d++)
    if (shape.dim[d] <= 0) return WEFT_OK; /* nothing to do, or an error */
  for (int k = 0; k < c->results; k++)
    if (c->result[k].kind == WEFT_OPERAND_RESULT && c->result[k].as.result && !*c->result[k].as.result)
      made += weft__shape_bytes(shape, plan->result[k]);
  WEFT__TRY_RETURN(weft__chunk_bytes(chunk_bytes, c, made, 0));
  for (int r = 0; r < c->results && *chunk_bytes; r++)
    for (int k = 0; k < c->inputs && c->result[r].kind == WEFT_OPERAND_HOST_RESULT; k++)
      if (c->operand[k].kind == WEFT_OPERAND_HOST && !is_safe(&c->result[r].as.host_result, &c->operand[k].as.host))
        *overlaps = true;
  if (*overlaps) *chunk_bytes = 0;
  return WEFT_OK;
}

/* ---- chunks ---- */

typedef struct cutting {
  weft__plan *plan;
  const uint64_t *scalars;
  weft__tiles tiles;
  weft_array view[WEFT__MAX_ARRAYS]; /* a chunk's arrays */
} cutting;

/// Gathers operands, checks results in host memory, and makes the results that are missing arrays.
static weft_status prepare(const cutting *w, weft__call *c, weft_shape shape, uint64_t chunk_bytes) {
  WEFT__TRY_RETURN(weft__tiles_upload(c, shape, chunk_bytes));
  for (int k = 0; k < c->results; k++)
    WEFT__TRY_RETURN(c->result[k].kind == WEFT_OPERAND_HOST_RESULT
                         ? weft__call_check_host_result(c, k, w->plan->result[k], shape)
                         : weft__call_result(c, k, w->plan->result[k], shape));
  return WEFT_OK;
}

/// Copies a chunk's operands to the device, and computes the chunk.
static weft_status compute(cutting *w, const weft__tile *b) {
  weft_status rc;
  weft__tiles *tiles = &w->tiles;
  const weft__call *c = tiles->call;
  const weft__span range = {weft__tile_first(tiles, b), (uint64_t)tiles->layout.size};
  weft_array *array[WEFT__MAX_ARRAYS];
  int queue = weft__chunking_enter(&tiles->chunking, b->number);
  WEFT__TRY(weft__tile_to_device(tiles, b, queue));
  for (int k = 0; k < tiles->parts; k++) {
    array[k] = &w->view[k];
    weft__tile_view(tiles, b, k, queue, array[k]);
  }
  rc = weft__plan_run(w->plan, weft__array_shape(array[0]), array, w->scalars, &range, c->site);
done:
  weft__chunking_leave(&tiles->chunking);
  return rc;
}

static weft_status move_down(cutting *w, const weft__tile *b) {
  int queue = weft__chunking_enter(&w->tiles.chunking, b->number);
  weft_status rc = weft__tile_to_host(&w->tiles, b, queue);
  weft__chunking_leave(&w->tiles.chunking);
  return rc;
}

/// Runs all chunks. Results of a chunk are copied to the host when the next chunk is launched.
static weft_status run(cutting *w) {
  weft__tile b = {.length = w->tiles.piece}, before;
  do {
    WEFT__TRY_RETURN(compute(w, &b));
    if (b.number > 0) WEFT__TRY_RETURN(move_down(w, &before));
    before = b;
  } while (weft__tile_next(&w->tiles, &b));
  return move_down(w, &before);
}

weft_status weft__apply_in_chunks(weft__call *c, weft__plan *plan, weft_shape shape, const uint64_t *scalars,
                                  uint64_t chunk_bytes) {
  weft_status rc;
  cutting *w = weft__scratch_begin_zeroed(sizeof *w);
  if (!w) return WEFT_ERROR_HOST_MEMORY;
  w->plan = plan;
  w->scalars = scalars;
  WEFT__TRY(prepare(w, c, shape, chunk_bytes));
  weft__tiles_list(&w->tiles, c, 0, shape, NULL);
  weft__tiles_cut(&w->tiles, w->tiles.layout.ndim, 0, weft__chunk_that_fits(chunk_bytes, c->context));
  WEFT__TRY(weft__tiles_open(&w->tiles));
  rc = weft__tiles_close(&w->tiles, run(w));
done:
  weft__scratch_end(w);
  return rc;
}

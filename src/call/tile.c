// SPDX-License-Identifier: MIT
#include "call/tile.h"

/* The innermost axis is cut at multiples of this many elements, so that chunks keep the alignment of their views. */
#define PIECE 256

/* ---- the arrays ---- */

weft_status weft__tiles_upload(weft__call *c, weft_shape shape, uint64_t chunk_bytes) {
  uint64_t size = 1, small = weft__chunk_that_fits(chunk_bytes, c->context) / 2;
  bool waits = false;
  for (int d = 0; d < shape.ndim; d++) size *= (uint64_t)shape.dim[d];
  for (int k = 0; k < c->inputs; k++) {
    const weft_host *host = &c->operand[k].as.host;
    bool is_host = c->operand[k].kind == WEFT_OPERAND_HOST;
    uint64_t bytes = is_host ? weft__shape_bytes(host->shape, host->dtype) : 0;
    if (is_host && (bytes > small || bytes / weft_dtype_size_bytes(host->dtype) == size)) continue;
    WEFT__TRY_RETURN(weft__call_upload_one(c, k));
    waits = waits || is_host;
  }
  /* the copies are done, so the queues need not wait for this slot */
  return waits ? weft__slot_wait(&c->context->core, weft__slot_now(&c->context->core)) : WEFT_OK;
}

static void add_host(weft__tile_part *p, void *data, weft_dtype dtype, weft_shape shape, const char *name) {
  p->is_host = true;
  p->like.dtype = dtype;
  weft__set_contiguous(&p->like, shape);
  p->staging.data = data;
  p->staging.name = name;
}

void weft__tiles_list(weft__tiles *w, weft__call *c, int first, weft_shape shape, const bool *along) {
  const weft_array *array[WEFT__MAX_ARRAYS];
  w->call = c;
  w->parts = 0;
  for (int at = first; at < c->results + c->inputs; at++) {
    int k = at - c->results;
    weft__tile_part *p = &w->part[w->parts];
    *p = (weft__tile_part){.at = at, .is_result = k < 0};
    if (c->array[at]) {
      p->like = weft__array_borrow(c->array[at]);
    } else if (k < 0) {
      const weft_host_out *host = &c->result[at].as.host_result;
      add_host(p, host->data, host->dtype, host->shape, weft__call_result_name(c, at));
    } else if (c->operand[k].kind == WEFT_OPERAND_HOST) {
      const weft_host *host = &c->operand[k].as.host;
      add_host(p, (void *)host->data, host->dtype, host->shape, weft__call_operand_name(c, k));
    } else {
      continue; /* a scalar */
    }
    array[w->parts++] = &p->like;
  }
  weft__layout_along(&w->layout, shape, w->parts, array, along);
}

/* ---- cutting ---- */

/// The number of elements of array k for `length` indices of an axis.
static int64_t elements_of(const weft__tiles *w, int k, int axis, int64_t length) {
  int64_t n = w->layout.stride[k][axis] ? length : 1;
  for (int d = axis + 1; d < w->layout.ndim; d++)
    if (w->layout.stride[k][d]) n *= w->layout.length[d];
  return n;
}

static int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

void weft__tiles_cut(weft__tiles *w, int axes, int64_t own_bytes, uint64_t chunk_bytes) {
  const weft__layout *l = &w->layout;
  for (w->axis = 0;; w->axis++) {
    w->inner = 1;
    for (int d = w->axis + 1; d < l->ndim; d++) w->inner *= l->length[d];
    int64_t row = w->inner * own_bytes;
    for (int k = 0; k < w->parts; k++)
      if (w->part[k].is_host)
        row += elements_of(w, k, w->axis, 1) * (int64_t)weft_dtype_size_bytes(w->part[k].like.dtype);
    if (row > (int64_t)chunk_bytes && w->axis < axes - 1) continue;
    /* without host memory to transfer per index, one chunk covers the axis */
    w->piece = row ? most((int64_t)chunk_bytes / row, 1) : l->length[w->axis];
    if (w->axis == l->ndim - 1 && w->piece > PIECE) w->piece -= w->piece % PIECE;
    if (w->piece > l->length[w->axis]) w->piece = l->length[w->axis];
    return;
  }
}

weft_status weft__tiles_open(weft__tiles *w) {
  weft__call *c = w->call;
  weft_status rc;
  WEFT__TRY_RETURN(weft__chunking_begin(&w->chunking, c->context));
  for (int k = 0; k < w->parts; k++) {
    weft__tile_part *p = &w->part[k];
    if (!p->is_host) continue;
    WEFT__TRY(weft__staging_open(&p->staging, c, &p->like, elements_of(w, k, w->axis, w->piece)));
    w->waits = w->waits || p->staging.is_pinned;
  }
  return WEFT_OK;
done:
  return weft__tiles_close(w, rc);
}

weft_status weft__tiles_close(weft__tiles *w, weft_status rc) {
  rc = weft__chunking_end(&w->chunking, rc, w->waits || w->call->wraps);
  for (int k = 0; k < w->parts; k++) weft__staging_close(&w->part[k].staging);
  if (rc == WEFT_OK) weft__call_count_host(w->call);
  return rc;
}

/* ---- a chunk ---- */

uint64_t weft__tile_first(const weft__tiles *w, const weft__tile *b) {
  return ((uint64_t)b->outer * (uint64_t)w->layout.length[w->axis] + (uint64_t)b->begin) * (uint64_t)w->inner;
}

int64_t weft__tile_elements(const weft__tiles *w, const weft__tile *b) {
  return b->length * w->inner;
}

/// The tile's offset in array k, in bytes from its first element.
static int64_t offset_of(const weft__tiles *w, const weft__tile *b, int k) {
  int64_t offset = b->begin * w->layout.stride[k][w->axis], outer = b->outer;
  for (int d = w->axis - 1; d >= 0; d--) {
    offset += outer % w->layout.length[d] * w->layout.stride[k][d];
    outer /= w->layout.length[d];
  }
  return offset;
}

void weft__tile_view(const weft__tiles *w, const weft__tile *b, int k, int queue, weft_array *view) {
  const weft__tile_part *p = &w->part[k];
  *view = weft__array_borrow(p->is_host ? p->staging.array[queue] : &p->like);
  view->ndim = w->layout.ndim - w->axis;
  view->size = weft__tile_elements(w, b);
  for (int d = 0; d < view->ndim; d++) {
    view->shape[d] = d ? w->layout.length[w->axis + d] : b->length;
    view->stride_bytes[d] = w->layout.stride[k][w->axis + d];
  }
  view->offset_bytes = p->is_host ? 0 : w->layout.offset[k] + offset_of(w, b, k);
}

/// Copies operands to the device, or results to the host.
static weft_status move(weft__tiles *w, const weft__tile *b, int queue, bool results) {
  for (int k = 0; k < w->parts; k++) {
    weft__tile_part *p = &w->part[k];
    if (!p->is_host || p->is_result != results) continue;
    uint64_t size_bytes = (uint64_t)elements_of(w, k, w->axis, b->length) * weft_dtype_size_bytes(p->like.dtype);
    WEFT__TRY_RETURN((results ? weft__staging_to_host : weft__staging_to_device)(
        &p->staging, queue, (uint64_t)offset_of(w, b, k), size_bytes));
  }
  return WEFT_OK;
}

weft_status weft__tile_to_device(weft__tiles *w, const weft__tile *b, int queue) {
  return move(w, b, queue, false);
}

weft_status weft__tile_to_host(weft__tiles *w, const weft__tile *b, int queue) {
  return move(w, b, queue, true);
}

bool weft__tile_next(const weft__tiles *w, weft__tile *b) {
  int64_t length = w->layout.length[w->axis];
  b->begin += b->length;
  if (b->begin == length) {
    b->begin = 0;
    b->outer++;
  }
  b->length = length - b->begin < w->piece ? length - b->begin : w->piece;
  b->number++;
  return b->outer * length * w->inner < w->layout.size;
}

// SPDX-License-Identifier: MIT
/// The elements of a call lie in boxes: one index of each outer axis, a piece of the axis that is cut, all of the inner ones. A box is one run
/// of row-major numbers, and of every array in host memory, whose elements follow each other, one run of bytes too. While a chunk is computed
/// the next one goes up and the last one comes down.
#include "op/apply_chunk.h"

#define PIECE 256 /* elements: where the innermost axis is cut it is at their multiples, so that chunks of views begin as the views do */

/// An array of the call.
typedef struct part {
  int at; /* in c->array */
  bool is_host, is_result;
  weft_array like; /* the array; of host memory one that has its strides */
  weft_array view; /* its part of a chunk */
  weft__ferry ferry;
} part;

typedef struct cutting {
  weft__call *call;
  weft__plan *plan;
  const uint64_t *scalars;
  int parts;
  part part[WEFT__MAX_ARRAYS];
  weft__layout layout; /* axes that follow each other in all arrays are one */
  int axis;            /* that is cut */
  int64_t piece;       /* how much of it is in a chunk */
  int64_t inner;       /* elements behind one index of it */
  weft__chunking lanes;
  bool waits; /* in the end, for the lanes */
} cutting;

/// A chunk.
typedef struct box {
  uint64_t number;
  int64_t outer; /* the index of the axes before the cut one, taken as one */
  int64_t begin, length;
} box;

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
  weft_status rc = weft__chunk_wanted(chunk_bytes, c, made);
  for (int r = 0; r < c->results && *chunk_bytes; r++)
    for (int k = 0; k < c->inputs && c->result[r].kind == WEFT_OPERAND_HOST_RESULT; k++)
      if (c->operand[k].kind == WEFT_OPERAND_HOST && !is_safe(&c->result[r].as.host_result, &c->operand[k].as.host)) *overlaps = true;
  if (*overlaps) *chunk_bytes = 0;
  return rc;
}

/* ---- how ---- */

/// Results are checked; those that are arrays are made, as far as they are not there. An operand that is repeated goes to the device whole if it
/// is small, as it would otherwise go there again and again.
static weft_status prepare(cutting *w, weft_shape shape, uint64_t chunk_bytes) {
  weft__call *c = w->call;
  uint64_t size = 1;
  bool waits = false;
  weft_status rc = WEFT_OK;
  for (int d = 0; d < shape.ndim; d++) size *= (uint64_t)shape.dim[d];
  for (int k = 0; k < c->inputs && rc == WEFT_OK; k++) {
    const weft_host *host = &c->operand[k].as.host;
    bool is_host = c->operand[k].kind == WEFT_OPERAND_HOST;
    uint64_t bytes = is_host ? weft__shape_bytes(host->shape, host->dtype) : 0;
    if (is_host && (bytes > chunk_bytes / 2 || bytes / weft_dtype_size_bytes(host->dtype) == size)) continue;
    rc = weft__call_gather_one(c, k);
    waits = waits || is_host;
  }
  /* known to be there: the lanes need not wait for each other because of it */
  if (rc == WEFT_OK && waits) rc = weft__slot_wait(&c->context->core, weft__slot_now(&c->context->core));
  for (int k = 0; k < c->results && rc == WEFT_OK; k++)
    rc = c->result[k].kind == WEFT_OPERAND_HOST_RESULT ? weft__call_check_host_result(c, k, w->plan->result[k], shape)
                                                       : weft__call_result(c, k, w->plan->result[k], shape);
  return rc;
}

static void add_host(part *p, void *data, weft_dtype dtype, weft_shape shape, const char *name) {
  p->is_host = true;
  p->like.dtype = dtype;
  weft__set_contiguous(&p->like, shape);
  p->ferry.data = data;
  p->ferry.name = name;
}

static void list_parts(cutting *w) {
  weft__call *c = w->call;
  for (int at = 0; at < c->results + c->inputs; at++) {
    int k = at - c->results;
    part *p = &w->part[w->parts];
    *p = (part){.at = at, .is_result = k < 0};
    if (c->array[at]) {
      p->like = *c->array[at];
    } else if (k < 0) {
      const weft_host_out *host = &c->result[at].as.host_result;
      add_host(p, host->data, host->dtype, host->shape, weft__call_result_name(c, at));
    } else if (c->operand[k].kind == WEFT_OPERAND_HOST) {
      const weft_host *host = &c->operand[k].as.host;
      add_host(p, (void *)host->data, host->dtype, host->shape, weft__call_operand_name(c, k));
    } else {
      continue; /* a scalar */
    }
    w->parts++;
  }
}

/// How many elements of array k are behind `length` indices of an axis.
static int64_t elements_of(const cutting *w, int k, int axis, int64_t length) {
  int64_t n = w->layout.stride[k][axis] ? length : 1;
  for (int d = axis + 1; d < w->layout.ndim; d++)
    if (w->layout.stride[k][d]) n *= w->layout.length[d];
  return n;
}

static int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static void cut(cutting *w, int64_t chunk_bytes) {
  const weft__layout *l = &w->layout;
  for (w->axis = 0;; w->axis++) {
    int64_t row = 0;
    for (int k = 0; k < w->parts; k++)
      if (w->part[k].is_host) row += elements_of(w, k, w->axis, 1) * (int64_t)weft_dtype_size_bytes(w->part[k].like.dtype);
    bool is_last = w->axis == l->ndim - 1;
    if (row > chunk_bytes && !is_last) continue;
    w->piece = most(chunk_bytes / row, 1);
    if (is_last && w->piece > PIECE) w->piece -= w->piece % PIECE;
    if (w->piece > l->length[w->axis]) w->piece = l->length[w->axis];
    break;
  }
  w->inner = 1;
  for (int d = w->axis + 1; d < l->ndim; d++) w->inner *= l->length[d];
}

static weft_status open_ferries(cutting *w) {
  weft__call *c = w->call;
  weft_status rc = WEFT_OK;
  for (int k = 0; k < w->parts && rc == WEFT_OK; k++) {
    part *p = &w->part[k];
    if (p->is_host)
      rc = weft__ferry_open(&p->ferry, c->context, p->ferry.data, (uint64_t)p->like.size * weft_dtype_size_bytes(p->like.dtype),
                            p->like.dtype, elements_of(w, k, w->axis, w->piece), p->ferry.name, c->site);
    w->waits = w->waits || p->ferry.is_pinned;
  }
  return rc;
}

/* ---- a chunk ---- */

/// Where the box begins in array k: bytes from its first element.
static int64_t offset_of(const cutting *w, const box *b, int k) {
  int64_t offset = b->begin * w->layout.stride[k][w->axis], outer = b->outer;
  for (int d = w->axis - 1; d >= 0; d--) {
    offset += outer % w->layout.length[d] * w->layout.stride[k][d];
    outer /= w->layout.length[d];
  }
  return offset;
}

static uint64_t bytes_of(const cutting *w, const box *b, int k) {
  return (uint64_t)elements_of(w, k, w->axis, b->length) * weft_dtype_size_bytes(w->part[k].like.dtype);
}

/// The array's part as the kernel shall see it.
static void look(const cutting *w, const box *b, int k, int lane, weft_array *view) {
  const part *p = &w->part[k];
  *view = p->is_host ? *p->ferry.room[lane] : p->like;
  view->ndim = w->layout.ndim - w->axis;
  view->size = b->length * w->inner;
  for (int d = 0; d < view->ndim; d++) {
    view->shape[d] = d ? w->layout.length[w->axis + d] : b->length;
    view->stride_bytes[d] = w->layout.stride[k][w->axis + d];
  }
  view->offset_bytes = p->is_host ? 0 : w->layout.offset[k] + offset_of(w, b, k);
}

static weft_status move_up(cutting *w, const box *b, int lane) {
  weft_status rc = WEFT_OK;
  for (int k = 0; k < w->parts && rc == WEFT_OK; k++)
    if (w->part[k].is_host && !w->part[k].is_result)
      rc = weft__ferry_up(&w->part[k].ferry, lane, (uint64_t)offset_of(w, b, k), bytes_of(w, b, k));
  return rc;
}

static weft_status compute(cutting *w, const box *b, int lane) {
  const weft__span range = {((uint64_t)b->outer * (uint64_t)w->layout.length[w->axis] + (uint64_t)b->begin) * (uint64_t)w->inner,
                            (uint64_t)w->layout.size};
  weft_array *array[WEFT__MAX_ARRAYS];
  for (int k = 0; k < w->parts; k++) {
    look(w, b, k, lane, &w->part[k].view);
    array[k] = &w->part[k].view;
  }
  const weft_shape shape = weft__array_shape(array[0]);
  return weft__plan_run(w->plan, w->call->context, shape, w->call->results, w->parts, array, w->scalars, &range, w->call->site);
}

static weft_status move_down(cutting *w, const box *b) {
  weft_status rc = WEFT_OK;
  int lane = weft__chunking_enter(&w->lanes, b->number);
  for (int k = 0; k < w->parts && rc == WEFT_OK; k++)
    if (w->part[k].is_host && w->part[k].is_result)
      rc = weft__ferry_down(&w->part[k].ferry, lane, (uint64_t)offset_of(w, b, k), bytes_of(w, b, k));
  weft__chunking_leave(&w->lanes);
  return rc;
}

static bool advance(const cutting *w, box *b) {
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

/// A chunk's results come down when the next one is on its way.
static weft_status run(cutting *w) {
  box b = {.length = w->piece}, before;
  weft_status rc = WEFT_OK;
  do {
    int lane = weft__chunking_enter(&w->lanes, b.number);
    rc = move_up(w, &b, lane);
    if (rc == WEFT_OK) rc = compute(w, &b, lane);
    weft__chunking_leave(&w->lanes);
    if (rc == WEFT_OK && b.number > 0) rc = move_down(w, &before);
    before = b;
  } while (rc == WEFT_OK && advance(w, &b));
  return rc == WEFT_OK ? move_down(w, &before) : rc;
}

weft_status weft__apply_in_chunks(weft__call *c, weft__plan *plan, weft_shape shape, const uint64_t *scalars, uint64_t chunk_bytes) {
  cutting w = {.call = c, .plan = plan, .scalars = scalars};
  const weft_array *array[WEFT__MAX_ARRAYS];
  weft_status rc = prepare(&w, shape, chunk_bytes);
  if (rc) return rc;
  list_parts(&w);
  for (int k = 0; k < w.parts; k++) array[k] = &w.part[k].like;
  weft__layout_of(&w.layout, shape, w.parts, array, false);
  cut(&w, (int64_t)weft__chunk_that_fits(chunk_bytes, c->context));
  rc = weft__chunking_begin(&w.lanes, c->context);
  if (rc) return rc;
  rc = open_ferries(&w);
  if (rc == WEFT_OK) rc = run(&w);
  rc = weft__chunking_end(&w.lanes, rc, w.waits || c->wraps);
  for (int k = 0; k < w.parts; k++) weft__ferry_close(&w.part[k].ferry);
  if (rc == WEFT_OK) weft__call_count_host(c);
  return rc;
}

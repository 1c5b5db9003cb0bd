// SPDX-License-Identifier: MIT
/// Copies between an array and strided host memory: as a rectangle in one command, otherwise gathered or scattered on
/// the host.
#include <weft/transfer.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/strides.h"
#include "base/scratch.h"

/* A rectangle of many short rows is slow on drivers that copy row by row: gathering is faster then. */
#define SHORT_ROW_BYTES 128
#define FEW_ROWS 64
#define STAGING_BYTES (4u << 20)

/// Corresponding elements of host and device. The axes are ordered by the device's strides and merged where both sides
/// allow it.
typedef struct region {
  weft__layout axes;                  /* strides of the device, not negative, and of the host */
  int64_t device_offset, host_offset; /* bytes from the beginning of the storage and of `data` */
  int64_t run_bytes;                  /* length of a run that is contiguous on both sides */
} region;

/* ---- checks and strides ---- */

static weft_status check_strides(const int64_t *stride, const weft_array *x, bool writes_host) {
  for (int d = 0; stride && d < x->ndim && x->size; d++) {
    if (x->shape[d] < 2) continue;
    if (writes_host && stride[d] == 0)
      return weft__fail(WEFT_ERROR_LAYOUT, "host_stride_bytes",
                        "`host_stride_bytes[%d]` is 0 for an axis of %" PRId64
                        " elements: they would be written over each other",
                        d, x->shape[d]);
    int64_t most = INT64_MAX / 16 / (x->shape[d] - 1); /* small enough that the sum over all axes fits too */
    if (stride[d] > most || stride[d] < -most)
      return weft__fail(WEFT_ERROR_OVERFLOW, "host_stride_bytes",
                        "`host_stride_bytes[%d]` is %" PRId64 ", too much for an axis of %" PRId64 " elements", d,
                        stride[d], x->shape[d]);
  }
  return WEFT_OK;
}

static weft_status check(const weft_array *x, const void *data, const int64_t *stride, bool writes_host) {
  if (x->size && !data)
    return weft__fail(WEFT_ERROR_ARGUMENT, "data", "`data` is NULL; expected %" PRId64 " elements of %s", x->size,
                      weft_dtype_name(x->dtype));
  return check_strides(stride, x, writes_host);
}

/// The given strides, or C order.
static void host_strides(int64_t *stride, const weft_array *x, const int64_t *given) {
  int64_t next = (int64_t)weft_dtype_size_bytes(x->dtype);
  for (int d = x->ndim - 1; d >= 0; d--) {
    stride[d] = given ? given[d] : next;
    next *= x->shape[d];
  }
}

/* ---- rectangles ---- */

static void find_region(region *r, const weft_array *x, const int64_t *host) {
  int n = 0, order[WEFT_MAX_NDIM];
  *r = (region){
      .axes.arrays = 2, .device_offset = x->offset_bytes, .run_bytes = (int64_t)weft_dtype_size_bytes(x->dtype)};
  for (int d = 0; d < x->ndim; d++) {
    int at = n;
    if (x->shape[d] == 1) continue;
    for (n++; at > 0 && llabs(x->stride_bytes[order[at - 1]]) < llabs(x->stride_bytes[d]); at--)
      order[at] = order[at - 1];
    order[at] = d;
  }
  for (int i = 0; i < n; i++) {
    int64_t length = x->shape[order[i]], stride[] = {x->stride_bytes[order[i]], host[order[i]]};
    if (stride[0] < 0) {
      r->device_offset += (length - 1) * stride[0];
      r->host_offset += (length - 1) * stride[1];
      stride[0] = -stride[0];
      stride[1] = -stride[1];
    }
    weft__layout_add(&r->axes, length, stride, false);
  }
  int last = r->axes.ndim - 1;
  if (last >= 0 && r->axes.stride[0][last] == r->run_bytes && r->axes.stride[1][last] == r->run_bytes) {
    r->run_bytes *= r->axes.length[last];
    r->axes.ndim--;
  }
}

static bool is_pitch(int64_t pitch, int64_t of_bytes, int64_t multiple_of) {
  return pitch >= of_bytes && pitch % multiple_of == 0;
}

/// Whether the region is a rectangle that OpenCL accepts, and copying it so is fast.
static bool find_rect(weft__rect *rect, const region *r, const weft__storage *storage) {
  const weft__layout *l = &r->axes;
  int last = l->ndim - 1;
  if (last < 0 || last > 1) return false;
  int64_t rows = l->length[last], row = l->stride[0][last], host_row = l->stride[1][last],
          slices = last ? l->length[0] : 1;
  int64_t slice = last ? l->stride[0][0] : row * rows, host_slice = last ? l->stride[1][0] : host_row * rows;
  if (!is_pitch(row, r->run_bytes, 1) || !is_pitch(host_row, r->run_bytes, 1)) return false;
  if (!is_pitch(slice, row * rows, row) || !is_pitch(host_slice, host_row * rows, host_row)) return false;
  *rect = (weft__rect){
      .row_bytes = (uint64_t)r->run_bytes,
      .rows = (uint64_t)rows,
      .slices = (uint64_t)slices,
      .offset_bytes = (uint64_t)r->device_offset,
      .row_pitch = (uint64_t)row,
      .slice_pitch = (uint64_t)slice,
      .host_row_pitch = (uint64_t)host_row,
      .host_slice_pitch = (uint64_t)host_slice,
  };
  return (r->run_bytes >= SHORT_ROW_BYTES || rows <= FEW_ROWS / slices) && weft__transfer_takes_rect(storage, rect);
}

/* ---- gathering and scattering on the host ---- */

/// A walk over the elements on the host, in the array's order.
typedef struct walk {
  weft__layout axes;
  int64_t at[WEFT_MAX_NDIM];
  int64_t place; /* bytes from the beginning of `data` */
  size_t element;
} walk;

static void start_walk(walk *w, const weft_array *x, const int64_t *host) {
  memset(w, 0, sizeof *w);
  w->axes.arrays = 1;
  w->axes.length[0] = 1;
  w->element = weft_dtype_size_bytes(x->dtype);
  for (int d = 0; d < x->ndim; d++) weft__layout_add(&w->axes, x->shape[d], &host[d], false);
  if (w->axes.ndim == 0) w->axes.ndim = 1;
}

/// Whether the host's elements are contiguous, in the array's order.
static bool is_one_piece(const walk *w) {
  return w->axes.ndim == 1 && (w->axes.length[0] == 1 || w->axes.stride[0][0] == (int64_t)w->element);
}

static void move_run(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t count,
                     size_t element) {
#define MOVE(size)                                                     \
  case size:                                                           \
    while (count-- > 0) {                                              \
      memcpy(to, from, size);                                          \
      if (count == 0) return; /* one more step may leave the memory */ \
      to += to_stride;                                                 \
      from += from_stride;                                             \
    }                                                                  \
    return
  if (to_stride == from_stride && to_stride == (int64_t)element) {
    memcpy(to, from, (size_t)count * element);
    return;
  }
  switch (element) {
    MOVE(1);
    MOVE(2);
    MOVE(4);
    MOVE(8);
    MOVE(16);
    default:
      return;
  }
#undef MOVE
}

/// Moves the next `count` elements between `data` and `piece`, which is contiguous. Writes only one of the two.
static void move_piece(walk *w, char *data, char *piece, int64_t count, bool gathers) {
  const int64_t *length = w->axes.length, *stride = w->axes.stride[0];
  int inner = w->axes.ndim - 1;
  int64_t element = (int64_t)w->element;
  while (count > 0) {
    int64_t n = length[inner] - w->at[inner];
    if (n > count) n = count;
    char *at = data + w->place;
    if (gathers)
      move_run(piece, element, at, stride[inner], n, w->element);
    else
      move_run(at, stride[inner], piece, element, n, w->element);
    count -= n;
    piece += n * element;
    w->at[inner] += n;
    w->place += n * stride[inner];
    for (int d = inner; d > 0 && w->at[d] == length[d]; d--) {
      w->place += stride[d - 1] - length[d] * stride[d];
      w->at[d] = 0;
      w->at[d - 1]++;
    }
  }
}

/// Moves all of a contiguous array through a staging buffer in host memory.
static weft_status move_staged(weft_array *x, char *data, walk *w, bool gathers) {
  int slot = weft__slot_now(&x->context->core);
  int64_t element = (int64_t)w->element, most = STAGING_BYTES / element, moved = 0;
  if (most > x->size) most = x->size;
  char *piece = weft__new((size_t)(most * element));
  weft_status rc = WEFT_OK, earlier = WEFT_OK;
  if (!piece) return WEFT_ERROR_HOST_MEMORY;
  for (; moved < x->size; moved += most) {
    int64_t n = x->size - moved < most ? x->size - moved : most;
    uint64_t offset = (uint64_t)(x->offset_bytes + moved * element), size_bytes = (uint64_t)(n * element);
    if (gathers) {
      move_piece(w, data, piece, n, true);
      WEFT__TRY(weft__transfer_to_device(x->storage, slot, offset, size_bytes, piece));
      continue;
    }
    rc = weft__transfer_to_host(piece, x->storage, slot, offset, size_bytes);
    /* an error of an earlier launch: the bytes were read anyway */
    if (rc == WEFT_ERROR_INDEX) earlier = rc, rc = WEFT_OK;
    WEFT__TRY(rc);
    move_piece(w, data, piece, n, false);
  }
done:
  free(piece);
  return rc ? rc : earlier;
}

/* ---- choice of the method ---- */

/// Both are large.
typedef struct way {
  region r;
  walk w;
} way;

static weft_status move_by(way *y, weft_array *x, char *data, const int64_t *host, bool writes, const char *site) {
  const region *r = &y->r;
  weft__rect rect;
  weft_array *plain = NULL;
  weft_status rc;
  int slot = weft__slot_now(&x->context->core);
  start_walk(&y->w, x, host);
  find_region(&y->r, x, host);
  char *at = data + r->host_offset;
  const uint64_t offset = (uint64_t)r->device_offset, run_bytes = (uint64_t)r->run_bytes;
  if (r->axes.ndim == 0)
    return writes ? weft__transfer_to_device(x->storage, slot, offset, run_bytes, at)
                  : weft__transfer_to_host(at, x->storage, slot, offset, run_bytes);
  if (find_rect(&rect, r, x->storage))
    return writes ? weft__transfer_rect_to_device(x->storage, slot, &rect, at)
                  : weft__transfer_rect_to_host(at, x->storage, slot, &rect);
  if (is_one_piece(&y->w))
    return writes ? weft__array_write(x, data, true, site) : weft__array_read(data, x, true, site);
  if (weft__is_contiguous(x)) return move_staged(x, data, &y->w, writes);
  WEFT__TRY(weft__array_create(&plain, x->context, x->dtype, weft__array_shape(x), site));
  if (!writes) WEFT__TRY(weft__assign(plain, x, site));
  WEFT__TRY(move_staged(plain, data, &y->w, writes));
  if (writes) WEFT__TRY(weft__assign(x, plain, site));
done:
  weft_array_release(&plain);
  return rc;
}

static weft_status move_elements(weft_array *x, char *data, const int64_t *host, bool writes, const char *site) {
  way *y = weft__scratch_begin(sizeof *y);
  const weft_status rc = y ? move_by(y, x, data, host, writes, site) : WEFT_ERROR_HOST_MEMORY;
  weft__scratch_end(y);
  return rc;
}

weft_status weft__write_strided_at(weft_array *x, const void *data, const int64_t *host_stride_bytes,
                                   const char *site) {
  int64_t host[WEFT_MAX_NDIM];
  weft_status rc;
  weft__enter("weft_write_strided", site);
  WEFT__TRY(weft__array_check_writable(x, "x"));
  WEFT__TRY(check(x, data, host_stride_bytes, false));
  host_strides(host, x, host_stride_bytes);
  /* `data` is not written; the walk has no const because it serves both directions */
  if (x->size) WEFT__TRY(move_elements(x, (char *)(uintptr_t)data, host, true, site));
done:
  return weft__leave(rc);
}

weft_status weft__read_strided_at(void *data, const int64_t *host_stride_bytes, const weft_array *x, const char *site) {
  int64_t host[WEFT_MAX_NDIM];
  weft_status rc;
  weft__enter("weft_read_strided", site);
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(check(x, data, host_stride_bytes, true));
  host_strides(host, x, host_stride_bytes);
  if (x->size) WEFT__TRY(move_elements((weft_array *)x, data, host, false, site));
done:
  return weft__leave(rc);
}

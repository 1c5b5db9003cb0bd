// SPDX-License-Identifier: MIT
/// The array object: creation, checks, properties, release.
#include "array/array.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"

weft_status weft__array_check(const weft_array *x, const char *argument) {
  WEFT__TRY_RETURN(weft__handle_check(x, WEFT__MAGIC_ARRAY, argument));
  return weft__core_check(&x->context->core);
}

/// An axis along which all elements are one element, as in a broadcast view; -1: none.
static int repeated_axis(const weft_array *x) {
  for (int d = 0; d < x->ndim; d++)
    if (x->shape[d] > 1 && x->stride_bytes[d] == 0) return d;
  return -1;
}

/// Whether elements of different indices may be one element, as in windows: a stride is shorter than what the axes with
/// shorter strides reach over.
static bool may_repeat(const weft_array *x) {
  bool done[WEFT_MAX_NDIM] = {false};
  int64_t reach = (int64_t)weft_dtype_size_bytes(x->dtype);
  for (int turn = 0; turn < x->ndim; turn++) {
    int least = -1;
    for (int d = 0; d < x->ndim; d++)
      if (!done[d] && (least < 0 || llabs(x->stride_bytes[d]) < llabs(x->stride_bytes[least]))) least = d;
    done[least] = true;
    if (x->shape[least] < 2) continue;
    if (llabs(x->stride_bytes[least]) < reach) return true;
    reach += llabs(x->stride_bytes[least]) * (x->shape[least] - 1);
  }
  return false;
}

weft_status weft__array_refuse_writes(const weft_array *x, const char *argument) {
  if (x->storage->read_only)
    return weft__fail(WEFT_ERROR_READ_ONLY, argument, "`%s` is read-only: %s; weft_copy makes one that can be written",
                      argument, x->storage->read_only);
  int axis = repeated_axis(x);
  if (axis < 0 && x->ndim > 1 && x->size > 0 && !weft__is_contiguous(x) && may_repeat(x))
    return weft__fail(WEFT_ERROR_LAYOUT, argument,
                      "`%s` is a view of windows, which share elements, so it cannot be written; weft_copy makes one "
                      "that can",
                      argument);
  if (axis < 0) return WEFT_OK;
  return weft__fail(WEFT_ERROR_LAYOUT, argument,
                    "`%s` is a broadcast view: its elements along axis %d share memory, so it cannot be written; "
                    "weft_copy makes one that can",
                    argument, axis);
}

weft_status weft__array_check_writable(const weft_array *x, const char *argument) {
  WEFT__TRY_RETURN(weft__array_check(x, argument));
  return weft__array_refuse_writes(x, argument);
}

weft_status weft__dtype_check(weft_dtype dtype, const weft_context *context) {
  const weft_device_info *device = &context->core.device->info;
  if (!weft__dtype(dtype))
    return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %d, which is no weft_dtype", (int)dtype);
  if (weft__needs_fp64(dtype) && !device->has_fp64)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "dtype", "%s needs double precision (fp64), which %s lacks",
                      weft_dtype_name(dtype), device->name);
  return WEFT_OK;
}

weft_status weft__shape_check(int64_t *size, weft_shape shape, weft_dtype dtype, const char *argument) {
  if (shape.ndim < 0 || shape.ndim > WEFT_MAX_NDIM)
    return weft__fail(WEFT_ERROR_SHAPE, argument, "`%s` has %d axes; expected 0 to %d", argument, shape.ndim,
                      WEFT_MAX_NDIM);
  int64_t bytes = (int64_t)weft_dtype_size_bytes(dtype);
  bool overflow = false, empty = false;
  *size = 1;
  for (int d = 0; d < shape.ndim; d++) {
    if (shape.dim[d] < 0)
      return weft__fail(WEFT_ERROR_SHAPE, argument, "`%s` has length %" PRId64 " in axis %d; expected 0 or more",
                        argument, shape.dim[d], d);
    if (shape.dim[d] == 0) empty = true;
    /* an axis of length 0 counts as 1, because strides are computed from the other axes */
    int64_t length = shape.dim[d] ? shape.dim[d] : 1;
    if (!weft__multiply_i64(size, *size, length) || !weft__multiply_i64(&bytes, bytes, length)) overflow = true;
    if (overflow) break;
  }
  if (overflow) {
    weft__text text = {0};
    weft__add_shape(&text, dtype, shape);
    weft__fail(WEFT_ERROR_OVERFLOW, argument, "%s is more than 2^63-1 bytes", weft__text_chars(&text));
    weft__text_free(&text);
    return WEFT_ERROR_OVERFLOW;
  }
  if (empty) *size = 0;
  return WEFT_OK;
}

weft_shape weft__array_shape(const weft_array *x) {
  weft_shape shape;
  shape.ndim = x->ndim;
  memcpy(shape.dim, x->shape, sizeof shape.dim); /* all of it: a copy of constant size takes a fifth of the time */
  return shape;
}

void weft__set_contiguous(weft_array *x, weft_shape shape) {
  int64_t stride = (int64_t)weft_dtype_size_bytes(x->dtype);
  x->ndim = shape.ndim;
  x->size = 1;
  for (int d = shape.ndim - 1; d >= 0; d--) {
    x->shape[d] = shape.dim[d];
    x->stride_bytes[d] = stride;
    x->size *= shape.dim[d];
    if (shape.dim[d] > 1) stride *= shape.dim[d];
  }
}

bool weft__is_contiguous(const weft_array *x) {
  int64_t stride = (int64_t)weft__dtype(x->dtype)->size_bytes;
  if (x->size == 0) return true;
  for (int d = x->ndim - 1; d >= 0; d--) {
    if (x->shape[d] == 1) continue;
    if (x->stride_bytes[d] != stride) return false;
    stride *= x->shape[d];
  }
  return true;
}

static weft_array *new_handle(weft_context *context, weft_dtype dtype) {
  weft_array *x = weft__new(sizeof *x);
  if (!x) return NULL;
  weft__object_begin(&x->object, WEFT__MAGIC_ARRAY, context->object.generation);
  x->dtype = dtype;
  x->context = weft_context_retain(context);
  return x;
}

weft_status weft__array_wrap(weft_array **out, weft_context *context, weft__storage *storage, weft_dtype dtype,
                             uint64_t size_bytes, const char *site) {
  weft_array *x = new_handle(context, dtype);
  if (!x) return WEFT_ERROR_HOST_MEMORY;
  x->storage = storage;
  weft__storage_retain(storage);
  weft__ledger_add(&context->core.ledger, &x->entry, WEFT__LEDGER_ARRAY, x, size_bytes, site);
  /* temporaries of a call enter the scope too, and leave it when the call releases them */
  if (weft__scope_now) weft__scope_enter(x);
  *out = x;
  return WEFT_OK;
}

/// Copies shape, strides and offset of x to its view.
static void take_place(weft_array *view, const weft_array *x) {
  view->ndim = x->ndim;
  view->offset_bytes = x->offset_bytes;
  view->size = x->size;
  for (int d = 0; d < WEFT_MAX_NDIM; d++) {
    view->shape[d] = x->shape[d];
    view->stride_bytes[d] = x->stride_bytes[d];
  }
}

weft_array weft__array_borrow(const weft_array *x) {
  weft_array borrowed = {
      .object.magic = x->object.magic, .dtype = x->dtype, .context = x->context, .storage = x->storage};
  take_place(&borrowed, x);
  return borrowed;
}

weft_array weft__array_flat(const weft_array *x) {
  weft_array flat = weft__array_borrow(x);
  weft__set_contiguous(&flat, WEFT_SHAPE(x->size));
  return flat;
}

weft_array weft__array_turned(const weft_array *x, int axis, bool back) {
  weft_array view = weft__array_borrow(x);
  const int last = x->ndim - 1;
  for (int d = axis; d < last; d++) {
    view.shape[back ? d + 1 : d] = x->shape[back ? d : d + 1];
    view.stride_bytes[back ? d + 1 : d] = x->stride_bytes[back ? d : d + 1];
  }
  view.shape[back ? axis : last] = x->shape[back ? last : axis];
  view.stride_bytes[back ? axis : last] = x->stride_bytes[back ? last : axis];
  return view;
}

weft_array weft__array_transposed(const weft_array *x) {
  return weft__array_turned(x, x->ndim - 2, false);
}

weft_array weft__array_part(const weft_array *x, int axis, int64_t begin, int64_t length) {
  weft_array part = weft__array_borrow(x);
  part.shape[axis] = length;
  part.size = 1;
  for (int d = 0; d < part.ndim; d++) part.size *= part.shape[d];
  if (part.size > 0) part.offset_bytes += begin * part.stride_bytes[axis];
  return part;
}

weft_status weft__array_view(weft_array **out, const weft_array *x, const char *site) {
  WEFT__TRY_RETURN(weft__array_wrap(out, x->context, x->storage, x->dtype, 0, site));
  take_place(*out, x);
  return WEFT_OK;
}

weft_status weft__array_name_storage(const weft_array *x, weft__storage *storage) {
  weft__text text = {0};
  weft_status rc;
  weft__add_shape(&text, x->dtype, weft__array_shape(x));
  WEFT__TRY(text.failed ? weft__fail_host_memory(text.length) : WEFT_OK);
  weft__guard_name(storage, weft_dtype_size_bytes(x->dtype), weft__text_chars(&text));
done:
  weft__text_free(&text);
  return rc;
}

weft_status weft__array_create(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                               const char *site) {
  int64_t size;
  WEFT__TRY_RETURN(weft__dtype_check(dtype, context));
  WEFT__TRY_RETURN(weft__shape_check(&size, shape, dtype, "shape"));
  weft_array *x = new_handle(context, dtype);
  if (!x) return WEFT_ERROR_HOST_MEMORY;
  uint64_t size_bytes = (uint64_t)size * weft_dtype_size_bytes(dtype);
  weft_status rc = weft__storage_create_for(&x->storage, &context->pool, size_bytes, &x->entry, x, site);
  if (rc) {
    weft_context_release(&x->context);
    free(x);
    return rc;
  }
  weft__set_contiguous(x, shape);
  if (weft__scope_now) weft__scope_enter(x);
  *out = x;
  if (x->storage->guarded && (rc = weft__array_name_storage(x, x->storage))) weft_array_release(out);
  return rc;
}

weft_status weft__array_context(weft_context **context, weft_context *given, weft_array *const *out) {
  if (!given && weft__handle_is(*out, WEFT__MAGIC_ARRAY)) given = (*out)->context;
  return weft__context_resolve(context, given);
}

void weft__array_free(weft_array *x) {
  weft__storage_release_of(x->storage, &x->entry);
  weft_context_release(&x->context);
  weft__object_free(&x->object);
}

static void destroy(weft_array *x) {
  weft__scope_leave(x);
  weft__array_free(x);
}

WEFT__DEFINE_COUNTED(weft_array, WEFT__MAGIC_ARRAY, destroy)

weft_status weft_array_set_tag(weft_array *x, const char *tag) {
  const char *name = NULL;
  weft_status rc;
  weft__enter("weft_array_set_tag", NULL);
  WEFT__TRY(weft__array_check(x, "x"));
  if (tag && tag[0]) WEFT__TRY((name = weft__intern(tag)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  weft__ledger *ledger = &x->context->core.ledger;
  weft__ledger_set_tag(ledger, &x->entry, name);
  /* a view owns no memory */
  if (x->entry.size_bytes) weft__ledger_set_tag(ledger, &x->storage->entry, name);
done:
  return weft__leave(rc);
}

/* ---- properties ---- */

static bool is_array(const weft_array *x) {
  return weft__handle_is(x, WEFT__MAGIC_ARRAY);
}

weft_dtype weft_array_dtype(const weft_array *x) {
  return is_array(x) ? x->dtype : WEFT_DTYPE_NONE;
}

weft_shape weft_array_shape(const weft_array *x) {
  return is_array(x) ? weft__shape(x->ndim, x->shape) : weft__shape(0, NULL);
}

int weft_array_ndim(const weft_array *x) {
  return is_array(x) ? x->ndim : 0;
}

int64_t weft_array_length(const weft_array *x, int axis) {
  int d = is_array(x) ? weft__axis(axis, x->ndim) : -1;
  return d < 0 ? 0 : x->shape[d];
}

int64_t weft_array_stride_bytes(const weft_array *x, int axis) {
  int d = is_array(x) ? weft__axis(axis, x->ndim) : -1;
  return d < 0 ? 0 : x->stride_bytes[d];
}

int64_t weft_array_size(const weft_array *x) {
  return is_array(x) ? x->size : 0;
}

int64_t weft_array_size_bytes(const weft_array *x) {
  /* cannot overflow, not even for a broadcast view: weft__shape_check has checked it */
  return is_array(x) ? x->size * (int64_t)weft_dtype_size_bytes(x->dtype) : 0;
}

bool weft_array_is_contiguous(const weft_array *x) {
  return is_array(x) && weft__is_contiguous(x);
}

bool weft_array_is_read_only(const weft_array *x) {
  return is_array(x) && (x->storage->read_only || repeated_axis(x) >= 0);
}

weft_context *weft_array_context(const weft_array *x) {
  return is_array(x) ? x->context : NULL;
}

weft_status weft_array_describe(char **text, const weft_array *x) {
  weft__text line = {0};
  weft_status rc;
  weft__enter("weft_array_describe", NULL);
  WEFT__NEED(text);
  *text = NULL;
  WEFT__TRY(weft__handle_check(x, WEFT__MAGIC_ARRAY, "x"));
  weft__add_shape(&line, x->dtype, weft__array_shape(x));
  weft__text_add(&line, " on %s, ", x->context->core.device->info.name);
  if (weft__is_contiguous(x)) {
    weft__text_add(&line, "contiguous");
  } else {
    weft__text_add(&line, "strides (");
    for (int d = 0; d < x->ndim; d++) weft__text_add(&line, "%s%" PRId64, d ? ", " : "", x->stride_bytes[d]);
    weft__text_add(&line, ") bytes");
  }
  weft__text_add(&line, ", %" PRId64 " bytes%s", weft_array_size_bytes(x), x->storage->mem ? "" : ", closed");
  WEFT__TRY((*text = weft__text_take(&line)) ? WEFT_OK : weft__fail_host_memory(1));
done:
  return weft__leave(rc);
}

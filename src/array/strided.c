// SPDX-License-Identifier: MIT
/// From arrays to the core program's kernels: layouts, fills, copies.
#include <string.h>

#include "array/array.h"
#include "dtype/scalar.h"

weft__strided weft__strided_of(const weft_array *to, const weft_array *from) {
  weft__strided s = {.size = to->size, .to_offset = to->offset_bytes, .element_bytes = (int32_t)weft_dtype_size_bytes(to->dtype)};
  if (from) s.from_offset = from->offset_bytes;
  int n = 0;
  for (int d = 0; d < to->ndim; d++) {
    if (to->shape[d] == 1) continue;
    int64_t to_stride = to->stride_bytes[d], from_stride = from ? from->stride_bytes[d] : 0;
    /* an axis that continues the one before it in both arrays is the same run of elements */
    if (n > 0 && s.to_stride[n - 1] == to_stride * to->shape[d] && (!from || s.from_stride[n - 1] == from_stride * to->shape[d])) {
      s.shape[n - 1] *= to->shape[d];
      s.to_stride[n - 1] = to_stride;
      s.from_stride[n - 1] = from_stride;
    } else {
      s.shape[n] = to->shape[d];
      s.to_stride[n] = to_stride;
      s.from_stride[n] = from_stride;
      n++;
    }
  }
  if (n == 0) s.shape[n++] = 1;
  s.ndim = n;
  return s;
}

weft_status weft__run_own(weft__kernel *kernel, uint64_t threads, weft_array *to, const weft_array *from, int more,
                          const weft__value *values, const char *site) {
  weft__value all[2 + WEFT__OWN_VALUES];
  weft__use use[2];
  int n = 0, uses = 0;
  all[n++] = (weft__value){.size_bytes = sizeof(weft__cl_mem), .data = &to->storage->mem};
  if (from) all[n++] = (weft__value){.size_bytes = sizeof(weft__cl_mem), .data = &from->storage->mem};
  for (int i = 0; i < more; i++) all[n++] = values[i];
  if (from) use[uses++] = (weft__use){from->storage, false};
  use[uses++] = (weft__use){to->storage, true};
  uint64_t block = weft__own_block(&to->context->core), bytes = (uint64_t)weft_array_size_bytes(to);
  weft__submission launch = {.slot = weft__slot_now(&to->context->core),
                             .command = {.grid = weft__own_grid(threads, block), .block = weft__dim3(block, 1, 1)},
                             .uses = uses,
                             .use = use,
                             .bytes = from ? 2 * bytes : bytes,
                             .site = site};
  return weft__launch(kernel, all, NULL, &launch);
}

static bool overlap(const weft_array *a, const weft_array *b) {
  int64_t a_begin, a_end, b_begin, b_end, apart;
  if (!weft__arrays_neighbours(a, b, &apart)) return false;
  weft__array_extent(a, &a_begin, &a_end);
  weft__array_extent(b, &b_begin, &b_end);
  return a_begin < apart + b_end && apart + b_begin < a_end;
}

/// `to` and `from` share no memory, and have one dtype.
static weft_status assign_apart(weft_array *to, const weft_array *from, const char *site) {
  weft__kernel *kernel;
  if (weft__is_contiguous(to) && weft__is_contiguous(from))
    return weft__transfer_copy(to->storage, (uint64_t)to->offset_bytes, from->storage, (uint64_t)from->offset_bytes,
                               weft__slot_now(&to->context->core), (uint64_t)to->size * weft_dtype_size_bytes(to->dtype));
  WEFT__TRY_RETURN(weft__own_kernel_get(&kernel, &to->context->store, WEFT__OWN_COPY_STRIDED));
  weft__strided layout = weft__strided_of(to, from);
  const weft__value value = {.size_bytes = sizeof layout, .data = &layout};
  return weft__run_own(kernel, (uint64_t)to->size, to, from, 1, &value, site);
}

weft_status weft__assign(weft_array *to, const weft_array *from, const char *site) {
  weft_array *apart = NULL;
  if (to->size == 0) return WEFT_OK;
  if (!overlap(to, from)) return assign_apart(to, from, site);
  /* as if `from` had been read first */
  weft_status rc = weft__array_create(&apart, from->context, from->dtype, weft__array_shape(from), site);
  if (rc == WEFT_OK) rc = assign_apart(apart, from, site);
  if (rc == WEFT_OK) rc = assign_apart(to, apart, site);
  weft_array_release(&apart);
  return rc;
}

/// A contiguous array's bytes. What an aligned block of 16 becomes depends on where in its period the run begins.
static weft_status fill_run(weft_array *x, const uint64_t element[2], const char *site) {
  size_t size = weft_dtype_size_bytes(x->dtype);
  const unsigned char *from = (const unsigned char *)element;
  unsigned char pattern[16];
  weft__fill_run run = {.begin = (uint64_t)x->offset_bytes};
  run.end = run.begin + (uint64_t)x->size * size;
  for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = from[(i + size - run.begin % size) % size];
  memcpy(run.pattern, pattern, sizeof pattern);
  return weft__run_fill(&x->context->store, x->storage, &run, site);
}

static weft_status fill(weft_array *x, weft_scalar value, const char *site) {
  uint64_t element[2];
  weft_status rc = weft__element_bytes(element, x->dtype, value, "value");
  if (rc || x->size == 0) return rc;
  if (weft__is_contiguous(x)) return fill_run(x, element, site);
  /* one element, seen in x's shape, copied: a kernel less to build */
  weft_array *one = NULL;
  rc = weft__array_create(&one, x->context, x->dtype, weft__shape(0, NULL), site);
  if (rc == WEFT_OK) rc = fill_run(one, element, site);
  if (rc == WEFT_OK) {
    weft_array repeated = weft__array_borrow(one);
    repeated.ndim = x->ndim;
    repeated.size = x->size;
    for (int d = 0; d < x->ndim; d++) {
      repeated.shape[d] = x->shape[d];
      repeated.stride_bytes[d] = 0;
    }
    rc = assign_apart(x, &repeated, site);
  }
  weft_array_release(&one);
  return rc;
}

weft_status weft_fill_at(weft_array *x, weft_scalar value, const char *site) {
  weft__enter("weft_fill", site);
  weft_status rc = weft__array_check_writable(x, "x");
  if (rc == WEFT_OK) rc = fill(x, value, site);
  return weft__leave(rc);
}

/// weft_full and its relatives: `function` is the one that the user called.
static weft_status full(const char *function, weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                        weft_scalar value, const char *site) {
  bool made = false;
  weft__enter(function, site);
  WEFT__NEED(out);
  weft_status rc = weft__array_context(&context, context, out);
  if (rc == WEFT_OK) rc = weft__array_result(out, &made, context, dtype, shape, site);
  if (rc == WEFT_OK) rc = fill(*out, value, site);
  if (rc && made) weft_array_release(out);
  return weft__leave(rc);
}

weft_status weft_full_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape, weft_scalar value, const char *site) {
  return full("weft_full", out, context, dtype, shape, value, site);
}

weft_status weft_zeros_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape, const char *site) {
  return full("weft_zeros", out, context, dtype, shape, WEFT_SCALAR(0), site);
}

weft_status weft_ones_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape, const char *site) {
  return full("weft_ones", out, context, dtype, shape, WEFT_SCALAR(1), site);
}

static weft_status full_like(const char *function, weft_array **out, const weft_array *x, weft_scalar value, const char *site) {
  bool made = false;
  weft__enter(function, site);
  WEFT__NEED(out);
  weft_status rc = weft__array_check(x, "x");
  if (rc == WEFT_OK) rc = weft__array_result(out, &made, x->context, x->dtype, weft__array_shape(x), site);
  if (rc == WEFT_OK) rc = fill(*out, value, site);
  if (rc && made) weft_array_release(out);
  return weft__leave(rc);
}

weft_status weft_full_like_at(weft_array **out, const weft_array *x, weft_scalar value, const char *site) {
  return full_like("weft_full_like", out, x, value, site);
}

weft_status weft_zeros_like_at(weft_array **out, const weft_array *x, const char *site) {
  return full_like("weft_zeros_like", out, x, WEFT_SCALAR(0), site);
}

weft_status weft_ones_like_at(weft_array **out, const weft_array *x, const char *site) {
  return full_like("weft_ones_like", out, x, WEFT_SCALAR(1), site);
}

// SPDX-License-Identifier: MIT
#include "call_array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

weft_status wait_for_event(void) {
  weft_event *event = NULL;
  weft_status rc = weft_event_record(&event, judge.context, NULL);
  if (rc == WEFT_OK) rc = weft_event_wait(event);
  weft_event_release(&event);
  return rc;
}

static weft_status write_pinned(weft_array *x, const void *data, size_t size) {
  void *pinned = NULL;
  weft_status rc = weft_pinned_alloc(&pinned, judge.context, size + 1);
  if (rc) return rc;
  memcpy(pinned, data, size);
  rc = weft_write_async(x, pinned, size, NULL);
  weft_status waited = wait_for_event();
  weft_pinned_free(&pinned);
  return rc ? rc : waited;
}

/// Writes host memory to an existing array. The parameter selects how.
static weft_status write_array(primitive *p) {
  const storage *from = &p->t.storage[p->t.operand[0].storage];
  size_t size = (size_t)weft_array_size_bytes(INTO(0));
  switch (I(0)) {
    case 0:
      return weft_from_host(&INTO(0), judge.context, weft_array_dtype(INTO(0)), weft_array_shape(INTO(0)), from->bytes);
    case 1:
      return weft_write_async(INTO(0), from->bytes, size, NULL);
    case 2:
      return write_pinned(INTO(0), from->bytes, size);
    default:
      return weft_write_strided(INTO(0), from->bytes, NULL);
  }
}

/// The variables are a, b, c; the parameter is the text.
static weft_status eval(primitive *p) {
  static const char *const names[] = {"a", "b", "c"};
  weft_operand operand[3];
  for (int k = 0; k < p->t.operands && k < 3; k++) operand[k] = WEFT_NAMED(names[k], X(k));
  return weft__eval_at(R(0), judge.context, text_of(p, 0), p->t.operands, operand, WEFT_SITE);
}

/// y = 3 x + y by a user kernel; an operand x and the result y have one unsigned dtype.
static weft_status launch(primitive *p) {
  static const char source[] =
      "__kernel void add_thrice(__global const T *x, __global T *y, ulong n) {\n"
      "  ulong i = get_global_id(0);\n"
      "  if (i < n) y[i] = (T)(3 * x[i] + y[i]);\n"
      "}\n";
  static const char *const names[WEFT_DTYPE_COUNT] = {
      [WEFT_U8] = "T=uchar", [WEFT_U16] = "T=ushort", [WEFT_U32] = "T=uint", [WEFT_U64] = "T=ulong"};
  const char *const defines[] = {names[weft_array_dtype(VIEW(0))], NULL};
  weft_kernel *kernel = NULL;
  weft_array *x = NULL, *y = NULL;
  int64_t n = weft_array_size(VIEW(0));
  const weft_dim3 grid = WEFT_DIM3(weft_ceil_div((uint64_t)n, 64)), block = WEFT_DIM3(64);
  weft_status rc = weft_kernel_create(&kernel, judge.context, .source = source, .defines = defines);
  if (rc == WEFT_OK) rc = weft_launch(kernel, grid, block, VIEW(0), INTO(0), n);
  if (rc == WEFT_ERROR_LAYOUT) { /* the device cannot pass a view at this offset: copied, as the message says */
    rc = weft_copy(&x, VIEW(0));
    if (rc == WEFT_OK) rc = weft_copy(&y, INTO(0));
    if (rc == WEFT_OK) rc = weft_launch(kernel, grid, block, x, y, n);
    if (rc == WEFT_OK) rc = weft_copy(&INTO(0), y);
  }
  weft_array_release(&x);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
  return rc;
}

/// A user-defined ufunc.
static weft_status user_ufunc(primitive *p) {
  weft_ufunc *ufunc = NULL;
  weft_ufunc_params params = {.name = "apart",
                              .signatures = "i32(i32 x, i32 y); f32(f32 x, f32 y); f64(f64 x, f64 y)",
                              .expression = "x * y - x"};
  weft_status rc = (weft_ufunc_create)(&ufunc, &params);
  if (rc == WEFT_OK) rc = weft_ufunc_call(ufunc, R(0), X(0), X(1));
  weft_ufunc_release(&ufunc);
  return rc;
}

/// Writes host memory to an array through a map.
static weft_status write_mapped(primitive *p) {
  void *data = NULL;
  weft_status rc = weft_map(&data, INTO(0), WEFT_MAP_WRITE);
  if (rc) return rc;
  memcpy(data, p->t.storage[p->t.operand[0].storage].bytes, (size_t)weft_array_size_bytes(INTO(0)));
  return weft_unmap(INTO(0));
}

/// An array around host memory, where the device supports it.
static weft_status wrap(primitive *p) {
  const place *from = &p->t.operand[0];
  const storage *values = &p->t.storage[from->storage];
  size_t size = values->count * weft_dtype_size_bytes(values->dtype);
  void *data = aligned_alloc(4096, (size / 4096 + 1) * 4096);
  memcpy(data, values->bytes, size);
  weft_status rc =
      weft_wrap_host(&INTO(0), judge.context, values->dtype, from->shape, data, .give_back = free, .user = data);
  if (rc) free(data);
  return rc == WEFT_ERROR_UNSUPPORTED
             ? weft_from_host(&INTO(0), judge.context, values->dtype, from->shape, values->bytes)
             : rc;
}

/// Saves to a file and loads it.
static weft_status save_and_load(primitive *p) {
  const char *folder = getenv("TMPDIR");
  char name[256];
  snprintf(name, sizeof name, "%s/weft_chain_%ld.npy", folder ? folder : "/tmp", (long)getpid());
  weft_status rc = weft_npy_save(name, VIEW(0));
  if (rc == WEFT_OK) rc = weft_npy_load(&INTO(0), judge.context, name);
  remove(name);
  return rc;
}

#define DTYPE(k) ((weft_dtype)I(k))
#define CALLS_ARRAY(C)                                                                                         \
  C(copy, weft_copy(&INTO(0), VIEW(0)))                                                                        \
  C(cast, weft_cast(&INTO(0), VIEW(0), DTYPE(0)))                                                              \
  C(fill, weft_fill(INTO(0), scalar_of(p, 0)))                                                                 \
  C(write, write_array(p))                                                                                     \
  C(full, weft_full(&INTO(0), judge.context, DTYPE(0), SHAPE(1), scalar_of(p, 2)))                             \
  C(zeros, weft_zeros(&INTO(0), judge.context, DTYPE(0), SHAPE(1)))                                            \
  C(ones, weft_ones(&INTO(0), judge.context, DTYPE(0), SHAPE(1)))                                              \
  C(arange, weft_arange(&INTO(0), judge.context, DTYPE(0), scalar_of(p, 1), scalar_of(p, 2), scalar_of(p, 3))) \
  C(write_mapped, write_mapped(p))                                                                             \
  C(wrap, wrap(p))                                                                                             \
  C(save_and_load, save_and_load(p))                                                                           \
  C(launch, launch(p))                                                                                         \
  C(user_ufunc, user_ufunc(p))                                                                                 \
  C(ravel, weft_ravel(&INTO(0), VIEW(0)))                                                                      \
  C(view_as, weft_view_as(&INTO(0), VIEW(0), DTYPE(0)))                                                        \
  C(view, (INTO(0) = weft_array_retain(VIEW(0)), WEFT_OK))                                                     \
  C(eval, eval(p))

CALLS_ARRAY(DEFINE_CALL)
const call_row calls_of_array[] = {CALLS_ARRAY(CALL_ROW){NULL, NULL}};

// SPDX-License-Identifier: MIT
/// What every call over whole arrays shares. It turns the caller's operands and results into arrays that a kernel can
/// take: context, host memory, results made or given, overlap. At the end it brings results that were computed
/// elsewhere to their place.
///
///     weft__call c;
///     weft__call_open(&c, context, 1, &result, 1, &operand, names, site);
///     WEFT__TRY(weft__call_operands(&c));                 checks, context, host memory to the device:
///                                                         c.array[c.results + k]
///     WEFT__TRY(weft__call_contiguous_operand(&c, 0, dtype));
///     WEFT__TRY(weft__call_contiguous_result(&c, 0, dtype, shape));    c.array[0]
///     WEFT__TRY(... launches ...);
///   done:
///     return weft__call_close(&c, rc);
#ifndef WEFT_CALL_CALL_H
#define WEFT_CALL_CALL_H

#include "array/strides.h"
#include "expr/formula.h"

/// A call under way. `array`, `temporary` and `is_new` have the results first, then the operands; the array of a scalar
/// is NULL.
typedef struct weft__call {
  const char *site;
  weft_context *context;
  int results, inputs;
  const weft_operand *result, *operand;                 /* as given */
  const char *const *result_name, *const *operand_name; /* for messages; NULL: out out2; a b c d */
  weft_array *array[WEFT__MAX_ARRAYS];                  /* what the kernel gets */
  weft_array *temporary[WEFT__MAX_ARRAYS]; /* made here for this call only: copies of operands, results that stand in
                                              for the caller's */
  bool is_new[WEFT__MAX_ARRAYS];           /* the result in *out is new */
  bool wraps; /* the device uses host memory in place: weft__call_close waits for the work on it */
} weft__call;

/// Cannot fail. `context` NULL: that of the arrays, else the default one. After it the caller may set c->result_name.
void weft__call_open(weft__call *c, weft_context *context, int results, const weft_operand *result, int inputs,
                     const weft_operand *operand, const char *const *operand_names, const char *site);
/// Delivers the results where rc is WEFT_OK, and releases what was made for the call. On failure results are as they
/// were, but for large ones in host memory that a CPU device writes itself: where the device fails midway, a part of
/// them is written. Returns the first failure.
weft_status weft__call_close(weft__call *c, weft_status rc);

const char *weft__call_operand_name(const weft__call *c, int k);
const char *weft__call_result_name(const weft__call *c, int k);
bool weft__call_is_scalar(const weft__call *c, int k);
/// Dtype and shape of operand k. A scalar has bool, i64, f64 or c128, and no axes.
weft_dtype weft__call_dtype(const weft__call *c, int k);
weft_shape weft__call_shape(const weft__call *c, int k);
/// Writes what a formula must know of each operand to input[].
void weft__call_inputs(weft__input *input, const weft__call *c);
/// The shape that all operands broadcast to; no axes where there are only scalars. Errors: SHAPE.
weft_status weft__call_broadcast_all(weft_shape *shape, const weft__call *c);
/// The size of an array of this shape and dtype.
uint64_t weft__shape_bytes(weft_shape shape, weft_dtype dtype);

/// Context and operands checked: c->context is set. Errors: HANDLE, CONTEXT, ARGUMENT, DTYPE, SHAPE.
weft_status weft__call_check(weft__call *c);
/// The operands' arrays: c->array[c->results + k], host memory copied to the device, or wrapped where the device works
/// on it itself.
weft_status weft__call_upload(weft__call *c);
/// The same for operand k alone.
weft_status weft__call_upload_one(weft__call *c, int k);
/// weft__call_check and weft__call_upload.
weft_status weft__call_operands(weft__call *c);
/// Whether the device works on this host memory itself.
bool weft__call_wraps(const weft__call *c, const void *data, weft_dtype dtype, uint64_t size_bytes);
/// Operand k as a contiguous array of `dtype` (NONE: its own), copied where it is another: what kernels that know no
/// strides take. A scalar becomes an array of one element.
weft_status weft__call_contiguous_operand(weft__call *c, int k, weft_dtype dtype);

/// Checks a result given by the caller: it has the shape, and `dtype` casts to its dtype by weft__casts_same_kind.
/// Errors: SHAPE, DTYPE.
weft_status weft__result_check(const char *name, weft_dtype given_dtype, weft_shape given, weft_dtype dtype,
                               weft_shape shape);
/// Sets c->array[k] for a result of this dtype and shape: a new array, or the given one, whose dtype may be another
/// (weft__result_check). An array stands in for host memory, and for a given array that overlaps an operand without
/// being the same elements. Results are made in their order, after the operands. Errors: SHAPE, DTYPE, READ_ONLY,
/// LAYOUT.
weft_status weft__call_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape);
/// The same, and c->array[k] is contiguous, has exactly this dtype, and shares no memory with any operand.
weft_status weft__call_contiguous_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape);
/// The checks of weft__call_result for a result in host memory, without making an array. Call this or weft__call_result
/// for each result before it.
weft_status weft__call_check_host_result(const weft__call *c, int k, weft_dtype dtype, weft_shape shape);

/// From now on x stands in for array `at`. The call takes over the caller's reference.
static inline void weft__call_replace(weft__call *c, int at, weft_array *x) {
  weft_array_release(&c->temporary[at]);
  c->temporary[at] = c->array[at] = x;
}
/// Array `at` becomes a contiguous copy of `x` in `dtype` (_copy), or a new array that nobody has written
/// (_temporary).
weft_status weft__call_copy(weft__call *c, int at, const weft_array *x, weft_dtype dtype);
weft_status weft__call_temporary(weft__call *c, int at, weft_dtype dtype, weft_shape shape);
/// Where broadcasting array `at` to `shape` repeats elements, it becomes a contiguous copy of that shape.
weft_status weft__call_broadcast(weft__call *c, int at, weft_shape shape);

/// The values that a launch passes for the formula's scalars, two words each: the call's C scalars, and `numbers`
/// (weft__formula_numbers). Errors: OVERFLOW.
weft_status weft__call_scalars(uint64_t *words, const weft__call *c, const weft__formula *f, const uint64_t *numbers);

/// Counts the host memory of a call that moved it by itself: each operand and each result once.
void weft__call_count_host(const weft__call *c);

/// Tells the trace which operand or result the next steps are about.
void weft__call_about(const char *name);

#endif

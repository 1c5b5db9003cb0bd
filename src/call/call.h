// SPDX-License-Identifier: MIT
/// Shared by all calls over whole arrays. It turns the caller's operands and results into arrays for a kernel: it
/// checks contexts, copies host memory, makes or checks results, and handles overlap. At the end it copies results from
/// temporaries to their destinations.
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

/// A call in progress. `array`, `temporary` and `is_new` list the results first, then the operands; the array of a
/// scalar is NULL.
typedef struct weft__call {
  const char *site;
  weft_context *context;
  const char *context_owner; /* the argument that gave the context, for messages */
  int results, inputs;
  const weft_operand *result, *operand;                 /* as given by the caller */
  const bool *is_raw; /* operand k has no part in the call's shape: the kernel indexes it; NULL: no operand is */
  const char *const *result_name, *const *operand_name; /* for messages; NULL: out out2; a b c d */
  weft_array *array[WEFT__MAX_ARRAYS];                  /* the kernel's arguments */
  weft_array *temporary[WEFT__MAX_ARRAYS]; /* made for this call only: copies of operands, and arrays used instead of
                                              the caller's results */
  bool is_new[WEFT__MAX_ARRAYS];           /* the call made the result in *out */
  bool was_finite; /* in the check mode for numbers: all operands are finite */
  bool wraps; /* the device uses host memory in place: weft__call_close waits for the work on it */
} weft__call;

/// The name of a variable or result in a list: WEFT_VAR(&out) is called `out`.
static inline const char *weft__plain_name(const char *name) {
  while (*name == '&' || *name == ' ') name++;
  return name;
}

/// Cannot fail. `context` NULL: the context of the arrays, else the default one. Afterwards the caller may set
/// c->result_name and c->is_raw.
void weft__call_open(weft__call *c, weft_context *context, int results, const weft_operand *result, int inputs,
                     const weft_operand *operand, const char *const *operand_names, const char *site);
/// Delivers the results if rc is WEFT_OK, and releases what was made for the call. On failure the results are
/// unchanged, with one exception: a CPU device writes large results in host memory directly, so a failure during the
/// work leaves them partly written. Returns the first failure.
weft_status weft__call_close(weft__call *c, weft_status rc);

const char *weft__call_operand_name(const weft__call *c, int k);
const char *weft__call_result_name(const weft__call *c, int k);
bool weft__call_is_scalar(const weft__call *c, int k);
/// Whether operand k has a part in the call's shape: it is no scalar and not raw.
bool weft__call_is_shaped(const weft__call *c, int k);
/// Dtype and shape of operand k. A scalar has dtype bool, i64, f64 or c128, and no axes.
weft_dtype weft__call_dtype(const weft__call *c, int k);
weft_shape weft__call_shape(const weft__call *c, int k);
/// Fails with SHAPE for operand `wrong`: "`a` is f32[3], `b` is f32[4]: " and the reason, of `other` and `wrong`.
weft_status weft__call_fail_shapes(const weft__call *c, int other, int wrong, const char *reason, ...)
    WEFT_PRINTF(4, 5);
/// The dtype to which all operands promote; C scalars are weak.
weft_dtype weft__call_promoted(const weft__call *c);
/// Describes each operand for a formula in input[].
void weft__call_inputs(weft__input *input, const weft__call *c);
/// The shape that all operands broadcast to; no axes if there are only scalars. Errors: SHAPE.
weft_status weft__call_broadcast_all(weft_shape *shape, const weft__call *c);
/// The size of an array of this shape and dtype.
uint64_t weft__shape_bytes(weft_shape shape, weft_dtype dtype);

/// Checks context and operands, and sets c->context. Errors: HANDLE, CONTEXT, ARGUMENT, DTYPE, SHAPE.
weft_status weft__call_check(weft__call *c);
/// Makes the operands' arrays, c->array[c->results + k]. Host memory is copied to the device, or wrapped if the device
/// can use it directly.
weft_status weft__call_upload(weft__call *c);
/// Makes the array of operand k alone.
weft_status weft__call_upload_one(weft__call *c, int k);
/// Calls weft__call_check and weft__call_upload.
weft_status weft__call_operands(weft__call *c);
/// Whether the device can use this host memory directly.
bool weft__call_wraps(const weft__call *c, const void *data, weft_dtype dtype, uint64_t size_bytes);
/// Makes operand k a contiguous array of `dtype` (NONE: its own dtype), for kernels that do not handle strides; any
/// other layout or dtype is copied. A scalar becomes an array of one element.
weft_status weft__call_contiguous_operand(weft__call *c, int k, weft_dtype dtype);

/// Checks a result given by the caller: it must have the shape, and `dtype` must cast to its dtype by
/// weft__casts_same_kind. Errors: SHAPE, DTYPE.
weft_status weft__result_check(const char *name, weft_dtype given_dtype, weft_shape given, weft_dtype dtype,
                               weft_shape shape);
/// Sets c->array[k] for a result of this dtype and shape: a new array, or the given one, whose dtype may differ
/// (weft__result_check). A temporary is used for host memory, and for a given array that overlaps an operand unless
/// both are the same elements. Call it for the results in order, after the operands. Errors: SHAPE, DTYPE, READ_ONLY,
/// LAYOUT.
weft_status weft__call_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape);
/// Like weft__call_result, but c->array[k] is contiguous, has exactly this dtype, and shares no memory with any
/// operand.
weft_status weft__call_contiguous_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape);
/// Makes *x result k: the caller's new array, which takes the reference over, or a copy in the caller's array or host
/// memory. *x is contiguous and shares no memory with an operand.
weft_status weft__call_take_result(weft__call *c, int k, weft_array **x);
/// Makes the checks of weft__call_result for a result in host memory, without making an array. Each result before it
/// must have had this call or weft__call_result.
weft_status weft__call_check_host_result(const weft__call *c, int k, weft_dtype dtype, weft_shape shape);

/// Replaces array `at` by x. The call takes over the caller's reference.
static inline void weft__call_replace(weft__call *c, int at, weft_array *x) {
  weft_array_release(&c->temporary[at]);
  c->temporary[at] = c->array[at] = x;
}
/// Replaces array `at` by a contiguous copy of `x` in `dtype` (_copy), or by a new, unwritten array (_temporary).
weft_status weft__call_copy(weft__call *c, int at, const weft_array *x, weft_dtype dtype);
weft_status weft__call_temporary(weft__call *c, int at, weft_dtype dtype, weft_shape shape);
/// Replaces array `at` by a contiguous copy with `shape`, if broadcasting it to that shape repeats elements.
weft_status weft__call_broadcast(weft__call *c, int at, weft_shape shape);

/// The values that a launch passes for the formula's scalars, two words each: the call's C scalars, and `numbers`
/// (weft__formula_numbers). `shape`: of the elements, for the indices along axes. Errors: OVERFLOW, EXPRESSION.
weft_status weft__call_scalars(uint64_t *words, const weft__call *c, const weft__formula *f, weft_shape shape,
                               const uint64_t *numbers);

/// Counts the host memory of a call in chunks: each operand and each result once.
void weft__call_count_host(const weft__call *c);

/// Names the operand or result that the next steps of the trace are about.
void weft__call_about(const char *name);

#endif

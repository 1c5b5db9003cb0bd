// SPDX-License-Identifier: MIT
/// New arrays: uninitialized, of one value, from host memory, or copied from another array. Also filling a given array.
#include <inttypes.h>

#include "call/call.h"
#include "map/cast.h"
#include "op/create/context_copy.h"

weft_status weft__empty_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                           const char *site) {
  weft_status rc;
  weft__enter("weft_empty", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(weft__array_create(out, context, dtype, shape, site));
done:
  return weft__leave(rc);
}

weft_status weft__empty_like_at(weft_array **out, const weft_array *x, const char *site) {
  weft_status rc;
  weft__enter("weft_empty_like", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(weft__array_create(out, x->context, x->dtype, weft__array_shape(x), site));
done:
  return weft__leave(rc);
}

/// Makes the call's one result: exactly this dtype, any strides.
static weft_status open_result(weft__call *c, weft_dtype dtype, weft_shape shape) {
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  WEFT__TRY_RETURN(weft__call_result(c, 0, dtype, shape));
  return c->array[0]->dtype == dtype ? WEFT_OK : weft__call_temporary(c, 0, dtype, shape);
}

/* ---- one value ---- */

weft_status weft__fill_at(weft_array *x, weft_scalar value, const char *site) {
  weft_status rc;
  weft__enter("weft_fill", site);
  WEFT__TRY(weft__array_check_writable(x, "x"));
  WEFT__TRY(weft__fill(x, value, site));
done:
  return weft__leave(rc);
}

static weft_status full(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape, weft_scalar value,
                        const char *site) {
  weft__call c;
  weft_status rc;
  const weft_operand result = WEFT_OPERAND(out);
  weft__call_open(&c, context, 1, &result, 0, NULL, NULL, site);
  WEFT__TRY(open_result(&c, dtype, shape));
  WEFT__TRY(weft__fill(c.array[0], value, site));
done:
  return weft__call_close(&c, rc);
}

static weft_status full_like(weft_array **out, const weft_array *x, weft_scalar value, const char *site) {
  WEFT__TRY_RETURN(weft__array_check(x, "x"));
  return full(out, x->context, x->dtype, weft__array_shape(x), value, site);
}

weft_status weft__full_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                          weft_scalar value, const char *site) {
  weft__enter("weft_full", site);
  return weft__leave(full(out, context, dtype, shape, value, site));
}

weft_status weft__zeros_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                           const char *site) {
  weft__enter("weft_zeros", site);
  return weft__leave(full(out, context, dtype, shape, WEFT_SCALAR(0), site));
}

weft_status weft__ones_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                          const char *site) {
  weft__enter("weft_ones", site);
  return weft__leave(full(out, context, dtype, shape, WEFT_SCALAR(1), site));
}

weft_status weft__full_like_at(weft_array **out, const weft_array *x, weft_scalar value, const char *site) {
  weft__enter("weft_full_like", site);
  return weft__leave(full_like(out, x, value, site));
}

weft_status weft__zeros_like_at(weft_array **out, const weft_array *x, const char *site) {
  weft__enter("weft_zeros_like", site);
  return weft__leave(full_like(out, x, WEFT_SCALAR(0), site));
}

weft_status weft__ones_like_at(weft_array **out, const weft_array *x, const char *site) {
  weft__enter("weft_ones_like", site);
  return weft__leave(full_like(out, x, WEFT_SCALAR(1), site));
}

/* ---- from host memory or another array ---- */

weft_status weft__from_host_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                               const void *data, const char *site) {
  weft__call c;
  weft_status rc;
  const weft_operand result = WEFT_OPERAND(out);
  weft__enter("weft_from_host", site);
  weft__call_open(&c, context, 1, &result, 0, NULL, NULL, site);
  WEFT__TRY(open_result(&c, dtype, shape));
  const int64_t size_bytes = weft_array_size_bytes(c.array[0]);
  if (size_bytes && !data)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "data", "`data` is NULL; expected %" PRId64 " bytes", size_bytes));
  weft__call_about("data");
  WEFT__TRY(weft__array_write(c.array[0], data, true, site));
done:
  return weft__leave(weft__call_close(&c, rc));
}

/// Copies x, converted to `dtype` first; NULL: x's own dtype.
static weft_status copy(weft_array **out, const weft_array *x, const weft_dtype *dtype, const char *site) {
  static const char *const names[] = {"x"};
  weft__call c;
  weft_status rc;
  const weft_operand result = WEFT_OPERAND(out), operand = WEFT_OPERAND(x);
  weft__call_open(&c, NULL, 1, &result, 1, &operand, names, site);
  WEFT__TRY(weft__call_operands(&c));
  const weft_dtype into = dtype ? *dtype : x->dtype;
  WEFT__TRY(weft__dtype_check(into, c.context));
  WEFT__TRY(weft__call_result(&c, 0, into, weft__array_shape(x)));
  WEFT__TRY(weft__cast_into(c.array[0], x, into, site));
done:
  return weft__call_close(&c, rc);
}

/// The context of the result: *out's, else the option's, else x's own.
static weft_status find_target(weft_context **target, weft_array *const *out, const weft_array *x,
                               weft_context *given) {
  WEFT__TRY_RETURN(weft__array_check(x, "x"));
  if (given) WEFT__TRY_RETURN(weft__context_check(given));
  *target = given ? given : x->context;
  if (!out || !*out) return WEFT_OK;
  WEFT__TRY_RETURN(weft__array_check(*out, "out"));
  *target = (*out)->context;
  if (!given || given == *target) return WEFT_OK;
  return weft__fail(WEFT_ERROR_CONTEXT, "out", "`out` belongs to another context than `context`");
}

weft_status weft__copy_at(weft_array **out, const weft_array *x, const weft_copy_params *params) {
  weft_context *target;
  weft_status rc;
  const weft_copy_params p = WEFT__PARAMS(params);
  weft__enter("weft_copy", p.site);
  WEFT__TRY(find_target(&target, out, x, p.context));
  rc = target == x->context ? copy(out, x, NULL, p.site) : weft__context_copy(out, target, x, p.site);
done:
  return weft__leave(rc);
}

weft_status weft__cast_at(weft_array **out, const weft_array *x, weft_dtype dtype, const char *site) {
  weft__enter("weft_cast", site);
  return weft__leave(copy(out, x, &dtype, site));
}

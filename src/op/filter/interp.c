// SPDX-License-Identifier: MIT
/// weft_interp: piecewise linear functions.
#include <weft/interpolate.h>

#include "call/call.h"
#include "cl/filter/transform_args.h"
#include "dtype/opencl.h"
#include "expr/overload.h"

static const char *const names[] = {"x", "xp", "fp"};

typedef struct interp_key {
  uint8_t dtype;
} interp_key;

static void write_key(weft__text *text, const void *data) {
  weft__cl_define(text, (weft_dtype)((const interp_key *)data)->dtype);
}

static weft_status check(const weft__call *c) {
  for (int k = 0; k < 3; k++)
    if (weft_dtype_kind(weft__call_dtype(c, k)) == 'c')
      return weft__fail(WEFT_ERROR_DTYPE, names[k], "`%s` is %s; expected real numbers", names[k],
                        weft_dtype_name(weft__call_dtype(c, k)));
  const weft_shape xp = weft__call_shape(c, 1), fp = weft__call_shape(c, 2);
  if (xp.ndim != 1 || fp.ndim != 1 || xp.dim[0] != fp.dim[0] || xp.dim[0] == 0)
    return weft__call_fail_shapes(c, 1, 2, "expected one axis each, of one length, with elements");
  return WEFT_OK;
}

static weft_status interp(weft__call *c) {
  static const char *const kernels[] = {"weft_interp"};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(check(c));
  weft_dtype dtype = weft__promote(weft__call_dtype(c, 1), weft__call_dtype(c, 2));
  if (!weft__call_is_scalar(c, 0)) dtype = weft__promote(weft__call_dtype(c, 0), dtype);
  if (weft_dtype_kind(dtype) != 'f') dtype = WEFT_F64;
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  const weft_shape shape = weft__call_shape(c, 0);
  for (int k = 0; k < 3; k++) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, k, dtype));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, dtype, shape));
  const weft_array *to = c->array[0], *x = c->array[1], *xp = c->array[2], *fp = c->array[3];
  if (to->size == 0) return WEFT_OK;
  const weft__interp_args a = {.n = (uint64_t)to->size,
                               .points = (uint64_t)xp->size,
                               .to = (uint64_t)to->offset_bytes,
                               .x = (uint64_t)x->offset_bytes,
                               .xp = (uint64_t)xp->offset_bytes,
                               .fp = (uint64_t)fp->offset_bytes};
  const interp_key key = {(uint8_t)dtype};
  const weft__kernel_source source = {
      .name = "interp",
      .key = {.file = "filter/interp.cl", .kernel = kernels, .kernels = 1, WEFT__KEY_BYTES(interp_key, &key)},
      .write = write_key};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &c->context->store, &source));
  const weft__use use[] = {{to->storage, true}, {x->storage, false}, {xp->storage, false}, {fp->storage, false}};
  const uint64_t block = weft__own_block(&c->context->core);
  return weft__run_kernel(&(weft__kernel_run){kernel, weft__own_grid(a.n, block), weft__dim3(block, 1, 1), &a, sizeof a,
                                              4, use, .what = "interp", .site = c->site});
}

weft_status weft__interp_at(weft_operand out, weft_operand x, weft_operand xp, weft_operand fp, const char *site) {
  const weft_operand operand[] = {x, xp, fp};
  weft__call c;
  weft__enter("weft_interp", site);
  weft__call_open(&c, NULL, 1, &out, 3, operand, names, site);
  return weft__leave(weft__call_close(&c, interp(&c)));
}

// SPDX-License-Identifier: MIT
/// weft_interp: piecewise linear functions.
#include <math.h>
#include <string.h>
#include <weft/eval.h>
#include <weft/interpolate.h>
#include <weft/sort.h>

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

static weft_status check(const weft__call *c, const weft_interp_params *p) {
  const weft_dtype left = p->left.dtype, right = p->right.dtype;
  for (int k = 0; k < 3; k++)
    if (weft_dtype_kind(weft__call_dtype(c, k)) == 'c')
      return weft__fail(WEFT_ERROR_DTYPE, names[k], "`%s` is %s; expected real numbers", names[k],
                        weft_dtype_name(weft__call_dtype(c, k)));
  if (weft_dtype_kind(left) == 'c' || weft_dtype_kind(right) == 'c')
    return weft__fail(WEFT_ERROR_DTYPE, weft_dtype_kind(left) == 'c' ? "left" : "right",
                      "`left` or `right` is complex; expected a real number");
  if (!isfinite(p->period))
    return weft__fail(WEFT_ERROR_ARGUMENT, "period", "`period` is %g; expected a finite number, or 0 for none",
                      p->period);
  const weft_shape xp = weft__call_shape(c, 1), fp = weft__call_shape(c, 2);
  if (xp.ndim != 1 || fp.ndim != 1 || xp.dim[0] != fp.dim[0] || xp.dim[0] == 0)
    return weft__call_fail_shapes(c, 1, 2, "expected one axis each, of one length, with elements");
  return WEFT_OK;
}

static uint64_t number_bits(double value, weft_dtype dtype) {
  const float narrow = (float)value;
  uint64_t bits = 0;
  if (dtype == WEFT_F64)
    memcpy(&bits, &value, sizeof value);
  else
    memcpy(&bits, &narrow, sizeof narrow);
  return bits;
}

/// Puts the points into the first period, in order.
static weft_status turn_points(weft_array **xp, weft_array **fp, const weft__call *c, double period) {
  weft_array *within = NULL;
  weft_status rc;
  const weft_operand given[] = {WEFT_NAMED("x", c->array[2]), WEFT_NAMED("p", period)};
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&within), c->context, "x % p", 2, given, c->site));
  rc = weft__sort_by_key_at(WEFT_OPERAND(xp), WEFT_OPERAND(fp), WEFT_OPERAND(within), WEFT_OPERAND(c->array[3]),
                            &(const weft_sort_params){.site = c->site});
done:
  weft_array_release(&within);
  return rc;
}

static weft_status run(const weft__call *c, const weft_array *xp, const weft_array *fp, const weft_interp_params *p) {
  static const char *const kernels[] = {"weft_interp"};
  weft__kernel *kernel;
  const weft_array *to = c->array[0], *x = c->array[1];
  const weft__interp_args a = {.n = (uint64_t)to->size,
                               .points = (uint64_t)xp->size,
                               .to = (uint64_t)to->offset_bytes,
                               .x = (uint64_t)x->offset_bytes,
                               .xp = (uint64_t)xp->offset_bytes,
                               .fp = (uint64_t)fp->offset_bytes,
                               .left = number_bits(weft__scalar_real(p->left), xp->dtype),
                               .right = number_bits(weft__scalar_real(p->right), xp->dtype),
                               .period = number_bits(fabs(p->period), xp->dtype),
                               .has_left = p->left.dtype != WEFT_DTYPE_NONE,
                               .has_right = p->right.dtype != WEFT_DTYPE_NONE,
                               .has_period = p->period != 0};
  const interp_key key = {(uint8_t)xp->dtype};
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

static weft_status interp(weft__call *c, const weft_interp_params *p) {
  weft_array *xp = NULL, *fp = NULL;
  weft_status rc = WEFT_OK;
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(check(c, p));
  weft_dtype dtype = weft__promote(weft__call_dtype(c, 1), weft__call_dtype(c, 2));
  if (!weft__call_is_scalar(c, 0)) dtype = weft__promote(weft__call_dtype(c, 0), dtype);
  if (weft_dtype_kind(dtype) != 'f') dtype = WEFT_F64;
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  const weft_shape shape = weft__call_shape(c, 0);
  for (int k = 0; k < 3; k++) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, k, dtype));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, dtype, shape));
  if (c->array[0]->size == 0) return WEFT_OK;
  if (p->period != 0) WEFT__TRY(turn_points(&xp, &fp, c, fabs(p->period)));
  rc = run(c, xp ? xp : c->array[2], fp ? fp : c->array[3], p);
done:
  weft_array_release(&xp);
  weft_array_release(&fp);
  return rc;
}

weft_status weft__interp_at(weft_operand out, weft_operand x, weft_operand xp, weft_operand fp,
                            const weft_interp_params *params) {
  const weft_interp_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {x, xp, fp};
  weft__call c;
  weft__enter("weft_interp", p.site);
  weft__call_open(&c, NULL, 1, &out, 3, operand, names, p.site);
  return weft__leave(weft__call_close(&c, interp(&c, &p)));
}

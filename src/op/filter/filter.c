// SPDX-License-Identifier: MIT
/// The call of a filter: its operands, border, axes, sizes and origins.
#include "op/filter/filter.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cl/rearrange/args.h"
#include "dtype/scalar.h"

weft_status weft__edge_of(weft__edge *edge, weft_border_mode mode, weft_scalar value, weft_border_mode usual,
                          weft_dtype dtype) {
  static const int borders[] = {[WEFT_BORDER_EDGE] = WEFT__BORDER_EDGE,
                                [WEFT_BORDER_REFLECT] = WEFT__BORDER_REFLECT,
                                [WEFT_BORDER_SYMMETRIC] = WEFT__BORDER_SYMMETRIC,
                                [WEFT_BORDER_WRAP] = WEFT__BORDER_WRAP,
                                [WEFT_BORDER_CONSTANT] = WEFT__BORDER_CONSTANT};
  *edge = (weft__edge){0};
  if ((int)mode < 0 || mode > WEFT_BORDER_CONSTANT)
    return weft__fail(WEFT_ERROR_ARGUMENT, "mode", "`mode` is %d, which is no weft_border_mode", (int)mode);
  if (mode == WEFT_BORDER_DEFAULT) mode = usual;
  edge->border = borders[mode];
  edge->value = value;
  if (!value.dtype && value.value.u)
    return weft__fail(WEFT_ERROR_ARGUMENT, "value", "`value` has no dtype; expected WEFT_SCALAR(7)");
  if (!value.dtype) return WEFT_OK;
  if (mode != WEFT_BORDER_CONSTANT)
    return weft__fail(WEFT_ERROR_ARGUMENT, "value", "a value was given; expected with it .mode = WEFT_BORDER_CONSTANT");
  return weft__element_bytes(edge->fill, dtype, value, "value");
}

weft_status weft__filter_check_list(const weft__filtering *t, const weft_shape *list, const char *argument) {
  if (list->ndim <= 1 || list->ndim == t->axes) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, argument, "`%s` has %d numbers, for %d ax%cs", argument, list->ndim, t->axes,
                    t->axes == 1 ? 'i' : 'e');
}

weft_status weft__filter_check_size(const weft__filtering *t, const weft_shape *size) {
  if (size->ndim == 0) return weft__fail(WEFT_ERROR_ARGUMENT, "size", "`size` has no numbers; expected WEFT_SHAPE(3)");
  WEFT__TRY_RETURN(weft__filter_check_list(t, size, "size"));
  for (int k = 0; k < size->ndim; k++)
    if (size->dim[k] < 1 || size->dim[k] > INT32_MAX)
      return weft__fail(WEFT_ERROR_ARGUMENT, "size", "`size` has %" PRId64 "; expected 1 to 2^31-1", size->dim[k]);
  return WEFT_OK;
}

weft_status weft__filter_before(int64_t *before, const weft__filtering *t, const weft_shape *origin, int k,
                                int64_t size, bool is_reversed) {
  WEFT__TRY_RETURN(weft__filter_check_list(t, origin, "origin"));
  const int64_t given = weft__filter_number(origin, k), least = -(size / 2), most = size - 1 - size / 2;
  if (given < least || given > most)
    return weft__fail(WEFT_ERROR_ARGUMENT, "origin",
                      "`origin` is %" PRId64 "; expected %" PRId64 " to %" PRId64 " for a window of %" PRId64
                      " elements",
                      given, least, most, size);
  *before = is_reversed ? (size - 1) / 2 - given : size / 2 + given;
  return WEFT_OK;
}

weft_status weft__filter_open(weft__filtering *t, const char *name, const char *const *operand_names, weft_axes axes,
                              weft_border_mode mode, weft_scalar value, const char *site) {
  weft__call *c = &t->call;
  weft__enter(name, site);
  weft__call_open(c, NULL, 1, &t->out, t->operand[1].kind ? 2 : 1, t->operand, operand_names, site);
  WEFT__TRY_RETURN(weft__call_operands(c));
  for (int k = 0; k < c->inputs; k++)
    if (weft_dtype_kind(weft__call_dtype(c, k)) == 'c')
      return weft__fail(WEFT_ERROR_DTYPE, operand_names[k], "`%s` is %s; expected real numbers", operand_names[k],
                        weft_dtype_name(weft__call_dtype(c, k)));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, t->dtype));
  const weft_array *x = c->array[1];
  WEFT__TRY_RETURN(weft__edge_of(&t->edge, mode, value, WEFT_BORDER_SYMMETRIC, x->dtype));
  WEFT__TRY_RETURN(weft__view_axes(t->axis, &t->axes, axes, x->ndim, "axes"));
  return weft__call_contiguous_result(c, 0, x->dtype, weft__array_shape(x));
}

weft_status weft__filter_close(weft__filtering *t, weft_status rc) {
  return weft__leave(weft__call_close(&t->call, rc));
}

weft_status weft__filter_read(double *number, weft__call *c) {
  float narrow[WEFT__FILTER_NUMBERS];
  const bool is_wide = c->context->core.device->info.has_fp64;
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 1, is_wide ? WEFT_F64 : WEFT_F32));
  WEFT__TRY_RETURN(weft__array_read(is_wide ? (void *)number : narrow, c->array[2], true, c->site));
  for (int64_t k = 0; k < c->array[2]->size && !is_wide; k++) number[k] = (double)narrow[k];
  return WEFT_OK;
}

weft_status weft__filter_make(weft_array **out, weft_context *context, weft_dtype dtype, const double *number,
                              int64_t count, const char *site) {
  float *narrow = NULL;
  if (dtype == WEFT_F32) {
    narrow = malloc((size_t)count * sizeof *narrow);
    if (!narrow) return weft__fail_host_memory((size_t)count * sizeof *narrow);
    for (int64_t k = 0; k < count; k++) narrow[k] = (float)number[k];
  }
  const weft_status rc =
      weft__array_of(out, context, dtype, WEFT_SHAPE(count), narrow ? (const void *)narrow : number, site);
  free(narrow);
  return rc;
}

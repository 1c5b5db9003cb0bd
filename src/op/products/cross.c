// SPDX-License-Identifier: MIT
/// Vector products of three numbers each, and traces.
#include <inttypes.h>
#include <weft/eval.h>
#include <weft/reduce.h>

#include "array/axes.h"
#include "array/view.h"
#include "op/products/products.h"

/* ---- cross ---- */

typedef struct crossing {
  weft__call call;
  weft_shape shape; /* of the result */
  int axis[2];      /* of the operands, from 0 */
  int result_axis;
} crossing;

/// Finds the axes, and the shape of the result: the other axes broadcast, and the vectors' axis goes among them.
static weft_status find_axes(crossing *t, weft_axes axis) {
  weft__call *c = &t->call;
  weft_shape rest = WEFT_SHAPE_0D;
  for (int k = 0; k < 2; k++) {
    const char *name = weft__call_operand_name(c, k);
    weft_shape shape = weft__call_shape(c, k);
    bool along[WEFT_MAX_NDIM] = {false};
    int mismatch;
    WEFT__TRY_RETURN(weft__only_axis(&t->axis[k], axis, shape.ndim, "axis"));
    if (shape.dim[t->axis[k]] != 3)
      return weft__fail(WEFT_ERROR_SHAPE, name,
                        "`%s` has length %" PRId64 " along axis %d; a cross product is of vectors of 3 elements", name,
                        shape.dim[t->axis[k]], t->axis[k]);
    along[t->axis[k]] = true;
    if (!weft__broadcast_shapes(&rest, weft__axes_reduced(shape, along, false), &mismatch))
      return weft__call_fail_shapes(c, 0, 1, "the other axes do not broadcast");
  }
  WEFT__TRY_RETURN(weft__only_axis(&t->result_axis, axis, rest.ndim + 1, "axis"));
  t->shape = WEFT_SHAPE_0D;
  for (int d = 0, from = 0; d <= rest.ndim; d++)
    t->shape.dim[t->shape.ndim++] = d == t->result_axis ? 3 : rest.dim[from++];
  return WEFT_OK;
}

/// Element `index` of x along the axis, without this axis.
static weft_array component(const weft_array *x, int axis, int64_t index) {
  weft_array part = weft__array_part(x, axis, index, 1);
  weft__view_remove_axis(&part, axis);
  return part;
}

static weft_status cross(crossing *t, weft_axes axis) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_check(c));
  for (int k = 0; k < 2; k++)
    if (weft__call_is_scalar(c, k))
      return weft__fail(WEFT_ERROR_SHAPE, weft__call_operand_name(c, k), "`%s` is a number; expected vectors",
                        weft__call_operand_name(c, k));
  WEFT__TRY_RETURN(find_axes(t, axis));
  const weft_dtype dtype = weft__call_promoted(c);
  if (dtype == WEFT_BOOL) return weft__fail(WEFT_ERROR_DTYPE, "a", "`a` and `b` are bool, which has no difference");
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(weft__call_apart_result(c, dtype, t->shape));
  if (c->array[0]->size == 0) return WEFT_OK;
  static const char *const name[][3] = {{"x", "y", "z"}, {"a", "b", "c"}, {"d", "e", "f"}};
  weft_array part[3][3], *out[3];
  weft_operand variable[9];
  for (int k = 0; k < 3; k++) {
    part[0][k] = component(c->array[0], t->result_axis, k);
    out[k] = &part[0][k];
    for (int v = 0; v < 3; v++) {
      if (v > 0) part[v][k] = component(c->array[v], t->axis[v - 1], k);
      variable[3 * v + k] = v > 0 ? WEFT_OPERAND(&part[v][k]) : WEFT_OPERAND(&out[k]);
      variable[3 * v + k].name = name[v][k];
    }
  }
  return weft__eval_all_at(c->context, "x = b * f - c * e; y = c * d - a * f; z = a * e - b * d", 9, variable, c->site);
}

weft_status weft__cross_at(weft_operand out, weft_operand a, weft_operand b, weft_axes axis, const char *site) {
  static const char *const names[] = {"a", "b"};
  const weft_operand operand[] = {a, b};
  crossing t;
  weft__enter("weft_cross", site);
  weft__call_open(&t.call, NULL, 1, &out, 2, operand, names, site);
  return weft__leave(weft__call_close(&t.call, cross(&t, axis)));
}

/* ---- trace ---- */

static weft_status matrix_trace(weft_operand out, weft__call *c, weft_axes axes, int64_t k) {
  weft_status rc;
  weft_array *diagonal = NULL;
  const weft_diagonal_params params = {.k = k, .site = c->site};
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (!c->array[0])
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` is a number; expected an array with two axes or more");
  WEFT__TRY(weft__diagonal_at(&diagonal, c->array[0], axes, &params));
  rc = weft__reduce_apply_at(WEFT_REDUCE_SUM, out, WEFT_OPERAND(diagonal), WEFT_AXES(-1), 0, c->site);
done:
  weft_array_release(&diagonal);
  return rc;
}

weft_status weft__matrix_trace_at(weft_operand out, weft_operand x, weft_axes axes,
                                  const weft_matrix_trace_params *params) {
  static const char *const names[] = {"x"};
  const weft_matrix_trace_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_matrix_trace", p.site);
  weft__call_open(&c, NULL, 0, NULL, 1, &x, names, p.site);
  return weft__leave(weft__call_close(&c, matrix_trace(out, &c, axes, p.k)));
}

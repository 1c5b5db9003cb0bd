// SPDX-License-Identifier: MIT
/// What all calls share; products over axes as sums with labels: tensordot, inner, matvec, outer, kron.
#include "op/products/products.h"

#include <inttypes.h>
#include <weft/matmul.h>
#include <weft/ufuncs.h>
#include <weft/view.h>

#include "array/view.h"
#include "base/checked.h"
#include "map/cast.h"

#define SHORT_RUN 64 /* elements of a run, under which a CPU gains by longer ones */

/* ---- calls of any number of operands ---- */

weft_status weft__call_apart_result(weft__call *c, weft_dtype dtype, weft_shape shape) {
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  WEFT__TRY_RETURN(weft__call_result(c, 0, dtype, shape));
  bool overlaps = false;
  for (int k = 0; k < c->inputs && !overlaps; k++) overlaps = weft__arrays_overlap(c->array[0], c->array[1 + k]);
  return overlaps ? weft__call_temporary(c, 0, c->array[0]->dtype, shape) : WEFT_OK;
}

/// Makes the operands' arrays; a number becomes an array of `dtype`.
static weft_status gather(weft__call *c, weft_dtype dtype) {
  WEFT__TRY_RETURN(weft__call_upload(c));
  for (int k = 0; k < c->inputs; k++)
    if (weft__call_is_scalar(c, k)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, k, dtype));
  return WEFT_OK;
}

weft_status weft__call_sum(weft__call *c, const weft__sum *sum) {
  const weft_dtype dtype = weft__call_promoted(c);
  weft_shape shape = WEFT_SHAPE_0D;
  for (int d = 0; d < sum->result.axes; d++) shape.dim[shape.ndim++] = sum->length[sum->result.label[d]];
  WEFT__TRY_RETURN(gather(c, dtype));
  WEFT__TRY_RETURN(weft__call_apart_result(c, dtype, shape));
  return weft__sum_run(c->array[0], sum, &c->array[1], dtype, c->site);
}

/* ---- calls of two operands ---- */

/// A call of two operands, as a sum.
typedef struct product product;
struct product {
  weft_status (*compute)(product *p);
  const char *name[2];
  weft_axes axes[2]; /* of tensordot */
  weft__call call;
  weft__sum sum;
  weft_shape shape[2];
  int labels;
};

static weft_status run(product *p, const char *function, const weft_operand *out, const weft_operand operand[2],
                       const char *site) {
  weft_status rc;
  weft__enter(function, site);
  p->sum.terms = 2;
  for (int label = 0; label < WEFT__LABELS; label++) p->sum.length[label] = -1;
  weft__call_open(&p->call, NULL, 1, out, 2, operand, p->name, site);
  WEFT__TRY(weft__call_check(&p->call));
  for (int k = 0; k < 2; k++) p->shape[k] = weft__call_shape(&p->call, k);
  rc = p->compute(p);
done:
  return weft__leave(weft__call_close(&p->call, rc));
}

/// A new label of this length.
static int new_label(product *p, int64_t length) {
  p->sum.length[p->labels] = length;
  return p->labels++;
}

static void add_axis(weft__labels *labels, int label) {
  labels->label[labels->axes++] = (uint8_t)label;
}

static weft_status need_axes(const product *p, int k, int least, const char *what) {
  const char *name = weft__call_operand_name(&p->call, k);
  if (p->shape[k].ndim >= least) return WEFT_OK;
  if (weft__call_is_scalar(&p->call, k))
    return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` is a number; expected %s", name, what);
  return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d ax%s; expected %s", name, p->shape[k].ndim,
                    p->shape[k].ndim == 1 ? "is" : "es", what);
}

static weft_status check_result_axes(int axes) {
  if (axes <= WEFT_MAX_NDIM) return WEFT_OK;
  return weft__fail(WEFT_ERROR_SHAPE, "out", "the result would have %d axes; an array has at most %d", axes,
                    WEFT_MAX_NDIM);
}

/* ---- sums over pairs of axes ---- */

/// Labels the axes so that axis axis_a[k] of `a` and axis_b[k] of `b` have the same one.
static weft_status pair_axes(product *p, int pairs, const int *axis_a, const int *axis_b) {
  weft__sum *sum = &p->sum;
  WEFT__TRY_RETURN(check_result_axes(p->shape[0].ndim + p->shape[1].ndim - 2 * pairs));
  for (int k = 0; k < 2; k++)
    for (int d = 0; d < p->shape[k].ndim; d++) {
      const int *axis = k ? axis_b : axis_a;
      int pair = 0;
      while (pair < pairs && axis[pair] != d) pair++;
      if (pair == pairs) {
        const int label = new_label(p, p->shape[k].dim[d]);
        add_axis(&sum->term[k], label);
        add_axis(&sum->result, label);
      } else if (k == 0) {
        add_axis(&sum->term[0], new_label(p, p->shape[0].dim[d]));
      } else {
        add_axis(&sum->term[1], sum->term[0].label[axis_a[pair]]);
      }
    }
  return WEFT_OK;
}

static weft_status tensordot(product *p) {
  int axis_a[WEFT_MAX_NDIM], axis_b[WEFT_MAX_NDIM], pairs, pairs_b;
  WEFT__TRY_RETURN(weft__view_axes(axis_a, &pairs, p->axes[0], p->shape[0].ndim, "axes_a"));
  WEFT__TRY_RETURN(weft__view_axes(axis_b, &pairs_b, p->axes[1], p->shape[1].ndim, "axes_b"));
  if (pairs != pairs_b)
    return weft__fail(WEFT_ERROR_AXIS, "axes_b", "%d ax%s of `a` and %d of `b`; expected pairs", pairs,
                      pairs == 1 ? "is" : "es", pairs_b);
  for (int k = 0; k < pairs; k++) {
    const int64_t a = p->shape[0].dim[axis_a[k]], b = p->shape[1].dim[axis_b[k]];
    if (a != b)
      return weft__fail(WEFT_ERROR_SHAPE, "b",
                        "axis %d of `a` has length %" PRId64 ", axis %d of `b` %" PRId64 "; expected equal lengths",
                        axis_a[k], a, axis_b[k], b);
  }
  WEFT__TRY_RETURN(pair_axes(p, pairs, axis_a, axis_b));
  return weft__call_sum(&p->call, &p->sum);
}

weft_status weft__tensordot_at(weft_operand out, weft_operand a, weft_operand b, weft_axes axes_a, weft_axes axes_b,
                               const char *site) {
  product p = {.compute = tensordot, .name = {"a", "b"}, .axes = {axes_a, axes_b}};
  return run(&p, "weft_tensordot", &out, (const weft_operand[]){a, b}, site);
}

static weft_status inner(product *p) {
  const weft_shape *a = &p->shape[0], *b = &p->shape[1];
  const int last_a[] = {a->ndim - 1}, last_b[] = {b->ndim - 1};
  const int pairs = a->ndim && b->ndim;
  if (pairs && a->dim[last_a[0]] != b->dim[last_b[0]])
    return weft__call_fail_shapes(&p->call, 0, 1, "the last axes differ");
  WEFT__TRY_RETURN(pair_axes(p, pairs, last_a, last_b));
  return weft__call_sum(&p->call, &p->sum);
}

weft_status weft__inner_at(weft_operand out, weft_operand a, weft_operand b, const char *site) {
  product p = {.compute = inner, .name = {"a", "b"}};
  return run(&p, "weft_inner", &out, (const weft_operand[]){a, b}, site);
}

/* ---- matrices and vectors ---- */

static weft_status matvec(product *p) {
  const weft_shape *a = &p->shape[0], *x = &p->shape[1];
  weft__sum *sum = &p->sum;
  int axis;
  WEFT__TRY_RETURN(need_axes(p, 0, 2, "matrices, in the last two axes"));
  WEFT__TRY_RETURN(need_axes(p, 1, 1, "vectors, in the last axis"));
  if (a->dim[a->ndim - 1] != x->dim[x->ndim - 1])
    return weft__call_fail_shapes(&p->call, 0, 1, "the matrices' columns are not as many as the vectors' elements");
  if (a->ndim == 2 && x->ndim == 1) {
    const weft__call *c = &p->call;
    return weft__matmul_at(*c->result, c->operand[0], c->operand[1], &(const weft_matmul_params){.site = c->site});
  }
  weft_shape batch = WEFT_SHAPE_0D;
  for (int k = 0; k < 2; k++) {
    weft_shape outer = p->shape[k];
    outer.ndim -= k ? 1 : 2;
    if (!weft__broadcast_shapes(&batch, outer, &axis))
      return weft__call_fail_shapes(&p->call, 0, 1, "the other axes do not broadcast");
  }
  WEFT__TRY_RETURN(check_result_axes(batch.ndim + 1));
  for (int d = 0; d < batch.ndim; d++) {
    const int label = new_label(p, batch.dim[d]), back = batch.ndim - d;
    if (back <= a->ndim - 2) add_axis(&sum->term[0], label);
    if (back <= x->ndim - 1) add_axis(&sum->term[1], label);
    add_axis(&sum->result, label);
  }
  const int row = new_label(p, a->dim[a->ndim - 2]), column = new_label(p, a->dim[a->ndim - 1]);
  add_axis(&sum->term[0], row);
  add_axis(&sum->term[0], column);
  add_axis(&sum->term[1], column);
  add_axis(&sum->result, row);
  return weft__call_sum(&p->call, sum);
}

weft_status weft__matvec_at(weft_operand out, weft_operand a, weft_operand x, const char *site) {
  product p = {.compute = matvec, .name = {"a", "x"}};
  return run(&p, "weft_matvec", &out, (const weft_operand[]){a, x}, site);
}

/* ---- products of all elements with all ---- */

/// Whether a CPU gains by runs of the result that are longer than b's rows: the elements repeated for them are less
/// than half as many as the result's.
static bool has_short_runs(const weft__call *c) {
  const weft_array *a = c->array[1], *b = c->array[2];
  if (!c->context->store.is_cpu || a->ndim == 0 || b->ndim == 0) return false;
  const int64_t n = a->shape[a->ndim - 1], m = b->shape[b->ndim - 1];
  return n > 1 && m > 1 && m < SHORT_RUN && n <= a->size / 4 && m <= b->size / 4;
}

/// Makes the last two axes one: of v, of x[0], which lacks the second, and of x[1], which lacks the first. The elements
/// of both are copied, repeated.
static weft_status lengthen_runs(weft_array *v, weft_array **x, const char *site) {
  const int last = v->ndim - 1;
  for (int k = 0; k < 2; k++) {
    weft_array *copy = NULL, repeated = weft__array_borrow(x[k]);
    repeated.shape[last - k] = v->shape[last - k];
    repeated.stride_bytes[last - k] = 0;
    weft__view_count(&repeated);
    WEFT__TRY_RETURN(weft__cast(&copy, &repeated, repeated.dtype, site));
    weft_array_release(&x[k]);
    x[k] = copy;
  }
  weft_array *const view[] = {v, x[0], x[1]};
  for (int k = 0; k < 3; k++) {
    view[k]->shape[last - 1] *= view[k]->shape[last];
    view[k]->stride_bytes[last - 1] = view[k]->stride_bytes[last];
    view[k]->ndim--;
  }
  return WEFT_OK;
}

static void append_axis(weft_array *v, int64_t length, int64_t stride) {
  v->shape[v->ndim] = length;
  v->stride_bytes[v->ndim++] = stride;
}

/// Multiplies `a` and `b` in views whose axes are theirs in turns: those that an operand lacks have length 1.
static weft_status multiply_all(weft_array *out, const weft__call *c) {
  weft_status rc;
  weft_array *v = NULL, *x[2] = {NULL, NULL};
  WEFT__TRY(weft__array_view(&v, out, c->site));
  v->ndim = 0;
  for (int k = 0; k < 2; k++) {
    WEFT__TRY(weft__array_view(&x[k], c->array[1 + k], c->site));
    x[k]->ndim = 0;
  }
  for (int d = 0; d < out->ndim; d++) {
    const weft_array *from[2] = {c->array[1], c->array[2]};
    const int axis[2] = {d - (out->ndim - from[0]->ndim), d - (out->ndim - from[1]->ndim)};
    for (int k = 0; k < 2; k++) {
      if (axis[k] < 0) continue;
      const int64_t beside = k == 0 && axis[1] >= 0 ? from[1]->shape[axis[1]] : 1;
      append_axis(v, from[k]->shape[axis[k]], out->stride_bytes[d] * beside);
      append_axis(x[k], from[k]->shape[axis[k]], from[k]->stride_bytes[axis[k]]);
      append_axis(x[!k], 1, 0);
    }
  }
  if (has_short_runs(c)) WEFT__TRY(lengthen_runs(v, x, c->site));
  for (int k = 0; k < 2; k++) weft__view_count(x[k]);
  weft__view_count(v);
  rc = out->size == 0 ? WEFT_OK : (weft_multiply)(&v, x[0], x[1]);
done:
  weft_array_release(&v);
  for (int k = 0; k < 2; k++) weft_array_release(&x[k]);
  return rc;
}

static weft_status kron(product *p) {
  const weft_shape *a = &p->shape[0], *b = &p->shape[1];
  weft_shape shape = a->ndim > b->ndim ? *a : *b;
  if (a->ndim + b->ndim > WEFT_MAX_NDIM) return weft__call_fail_shapes(&p->call, 0, 1, "together more than 8 axes");
  for (int d = 0; d < shape.ndim; d++) {
    const int of_a = d - (shape.ndim - a->ndim), of_b = d - (shape.ndim - b->ndim);
    if (of_a >= 0 && of_b >= 0 && !weft__multiply_i64(&shape.dim[d], a->dim[of_a], b->dim[of_b]))
      return weft__fail(WEFT_ERROR_OVERFLOW, "out", "axis %d of the result would have more than 2^63-1 elements", d);
  }
  const weft_dtype dtype = weft__call_promoted(&p->call);
  WEFT__TRY_RETURN(gather(&p->call, dtype));
  WEFT__TRY_RETURN(weft__call_apart_result(&p->call, dtype, shape));
  return multiply_all(p->call.array[0], &p->call);
}

weft_status weft__kron_at(weft_operand out, weft_operand a, weft_operand b, const char *site) {
  product p = {.compute = kron, .name = {"a", "b"}};
  return run(&p, "weft_kron", &out, (const weft_operand[]){a, b}, site);
}

static weft_status outer(product *p) {
  weft__call *c = &p->call;
  const weft_dtype dtype = weft__call_promoted(c);
  WEFT__TRY_RETURN(gather(c, dtype));
  for (int k = 0; k < 2; k++) {
    weft_array *flat = NULL;
    WEFT__TRY_RETURN(weft__ravel_at(&flat, c->array[1 + k], c->site));
    weft__call_replace(c, 1 + k, flat);
    add_axis(&p->sum.term[k], new_label(p, flat->size));
    add_axis(&p->sum.result, k);
  }
  const weft_shape shape = WEFT_SHAPE(p->sum.length[0], p->sum.length[1]);
  WEFT__TRY_RETURN(weft__call_apart_result(c, dtype, shape));
  return weft__sum_run(c->array[0], &p->sum, &c->array[1], dtype, c->site);
}

weft_status weft__outer_at(weft_operand out, weft_operand a, weft_operand b, const char *site) {
  product p = {.compute = outer, .name = {"a", "b"}};
  return run(&p, "weft_outer", &out, (const weft_operand[]){a, b}, site);
}

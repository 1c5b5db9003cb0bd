// SPDX-License-Identifier: MIT
/// The steps of a sum of products. A step is a product of matrices if it sums over a label of both terms, else an
/// element-wise product. Labels of one term only are summed before.
#include <string.h>
#include <weft/matmul.h>
#include <weft/reduce.h>
#include <weft/ufuncs.h>

#include "array/view.h"
#include "map/cast.h"
#include "op/products/products.h"
#include "op/reduce/reduce.h"

typedef struct term {
  weft_array *array; /* owned */
  weft__labels labels;
} term;

typedef struct summing {
  const weft__sum *sum;
  weft_dtype dtype;
  const char *site;
  term term[2 * WEFT__MAX_TERMS];
} summing;

/* ---- terms ---- */

static bool has_label(uint64_t set, int label) {
  return set & WEFT__ONE(label);
}

/// Replaces a term's array; the term takes over the reference.
static void replace(term *t, weft_array *x) {
  weft_array_release(&t->array);
  t->array = x;
}

static void remove_axis(term *t, int axis) {
  weft__view_remove_axis(t->array, axis);
  t->labels.axes--;
  memmove(&t->labels.label[axis], &t->labels.label[axis + 1], (size_t)(t->labels.axes - axis));
}

/// Whether each label occurs once, and no axis is repeated.
static bool is_distinct(const summing *s, const weft__labels *labels, const weft_array *x) {
  uint64_t set = 0;
  for (int d = 0; d < labels->axes; d++) {
    const int label = labels->label[d];
    if (has_label(set, label) || x->shape[d] != s->sum->length[label]) return false;
    set |= WEFT__ONE(label);
  }
  return true;
}

/// Makes the view of an operand in which each label occurs once. Repeated axes of length 1 are gone.
static weft_status begin_term(summing *s, int k, weft_array *x) {
  term *t = &s->term[k];
  t->labels = s->sum->term[k];
  const bool needs_cast = s->sum->terms > 2 && x->dtype != s->dtype;
  if (!needs_cast && is_distinct(s, &t->labels, x)) {
    t->array = weft_array_retain(x);
    return WEFT_OK;
  }
  if (needs_cast)
    WEFT__TRY_RETURN(weft__cast(&t->array, x, s->dtype, s->site));
  else
    WEFT__TRY_RETURN(weft__array_view(&t->array, x, s->site));
  for (int d = t->labels.axes - 1; d >= 0; d--) {
    const int label = t->labels.label[d];
    int first = 0;
    while (t->labels.label[first] != label) first++;
    if (first < d) t->array->stride_bytes[first] += t->array->stride_bytes[d];
    if (first < d || (t->array->shape[d] == 1 && s->sum->length[label] != 1)) remove_axis(t, d);
  }
  weft__view_count(t->array);
  return WEFT_OK;
}

/// A view of x, which has `labels`, with the axes `order`. An axis that x does not have gets length 1.
static weft_status arrange(weft_array **out, const weft_array *x, const weft__labels *labels, const weft__labels *order,
                           const char *site) {
  WEFT__TRY_RETURN(weft__array_view(out, x, site));
  weft_array *v = *out;
  v->ndim = order->axes;
  for (int d = 0; d < order->axes; d++) {
    v->shape[d] = 1;
    v->stride_bytes[d] = (int64_t)weft_dtype_size_bytes(x->dtype);
    for (int from = 0; from < labels->axes; from++)
      if (labels->label[from] == order->label[d]) {
        v->shape[d] = x->shape[from];
        v->stride_bytes[d] = x->stride_bytes[from];
      }
  }
  weft__view_count(v);
  return WEFT_OK;
}

/// Adds the labels of `from` that are in `set`, in their order.
static void add_labels(weft__labels *to, const weft__labels *from, uint64_t set) {
  for (int d = 0; d < from->axes; d++)
    if (has_label(set, from->label[d])) to->label[to->axes++] = from->label[d];
}

/* ---- one term ---- */

/// The sums of the term over the labels that `order` does not have, as an array with the axes `order`.
static weft_status sum_term(weft_array **sums, const summing *s, const term *t, const weft__labels *order) {
  weft_status rc;
  weft_array *v = NULL, *wide = NULL;
  weft__labels all = *order;
  weft_axes axes = {0};
  const weft_reduction_id id = s->dtype == WEFT_BOOL ? WEFT_REDUCE_ANY : WEFT_REDUCE_SUM;
  add_labels(&all, &t->labels, ~weft__label_set(order));
  for (int d = order->axes; d < all.axes; d++) axes.axis[axes.count++] = d;
  WEFT__TRY(arrange(&v, t->array, &t->labels, &all, s->site));
  if (axes.count > 0) {
    WEFT__TRY(weft__reduce_apply_at(id, WEFT_OPERAND(&wide), WEFT_OPERAND(v), axes, 0, s->site));
    weft_array_release(&v);
    v = wide;
    wide = NULL;
  }
  /* sums of narrow integers are wide */
  if (v->dtype != s->dtype) {
    WEFT__TRY(weft__cast(&wide, v, s->dtype, s->site));
    weft_array_release(&v);
    v = wide;
    wide = NULL;
  }
  *sums = v;
  return WEFT_OK;
done:
  weft_array_release(&v);
  return rc;
}

/// Copies x into `out`, of another dtype perhaps.
static weft_status deliver(weft_array *out, const weft_array *x, const char *site) {
  weft_array *cast = NULL;
  if (x->dtype == out->dtype) return weft__assign(out, x, site);
  WEFT__TRY_RETURN(weft__cast(&cast, x, out->dtype, site));
  weft_status rc = weft__assign(out, cast, site);
  weft_array_release(&cast);
  return rc;
}

/// sum_term into *out; a new array if it is NULL.
static weft_status sum_over(weft_array **out, const summing *s, const term *t, const weft__labels *order) {
  weft_array *sums = NULL;
  if (!*out) return sum_term(out, s, t, order);
  WEFT__TRY_RETURN(sum_term(&sums, s, t, order));
  weft_status rc = deliver(*out, sums, s->site);
  weft_array_release(&sums);
  return rc;
}

/// Sums the term over the labels that are in no other term and not in the result.
static weft_status sum_alone(const summing *s, term *t, uint64_t wanted) {
  weft_array *sums = NULL;
  weft__labels order = {0};
  add_labels(&order, &t->labels, wanted);
  if (order.axes == t->labels.axes) return WEFT_OK;
  if (t->array->dtype != s->dtype) {
    WEFT__TRY_RETURN(weft__cast(&sums, t->array, s->dtype, s->site));
    replace(t, sums);
    sums = NULL;
  }
  WEFT__TRY_RETURN(sum_over(&sums, s, t, &order));
  replace(t, sums);
  t->labels = order;
  return WEFT_OK;
}

/* ---- two terms ---- */

/// The element-wise product, with the axes `order`.
static weft_status multiply(weft_array **out, const summing *s, const term *a, const term *b,
                            const weft__labels *order) {
  weft_status rc;
  weft_array *x = NULL, *y = NULL;
  WEFT__TRY(arrange(&x, a->array, &a->labels, order, s->site));
  WEFT__TRY(arrange(&y, b->array, &b->labels, order, s->site));
  WEFT__TRY((weft_multiply)(out, x, y));
done:
  weft_array_release(&x);
  weft_array_release(&y);
  return rc;
}

/// A step as a product of matrices: axes of a batch, and three groups of axes that become one each.
typedef struct matrices {
  weft__labels batch, rows, inner, columns;
} matrices;

/// A view of x as [batch, first, second], in which each group is one axis. False in *fits, and no view, if the strides
/// do not allow it.
static weft_status as_matrices(weft_array **out, bool *fits, const weft_array *x, const weft__labels *labels,
                               const weft__labels *batch, const weft__labels *first, const weft__labels *second,
                               const char *site) {
  weft_status rc;
  weft_array *v = NULL;
  weft__labels order = *batch;
  int64_t length[2], stride[2];
  add_labels(&order, first, UINT64_MAX);
  const int middle = order.axes;
  add_labels(&order, second, UINT64_MAX);
  WEFT__TRY(arrange(&v, x, labels, &order, site));
  *fits = weft__merge_axes(v, batch->axes, middle, &length[0], &stride[0]) &&
          weft__merge_axes(v, middle, order.axes, &length[1], &stride[1]);
  if (!*fits) goto done;
  for (int k = 0; k < 2; k++) {
    v->shape[batch->axes + k] = length[k];
    v->stride_bytes[batch->axes + k] = stride[k];
  }
  v->ndim = batch->axes + 2;
  *out = v;
  v = NULL;
done:
  weft_array_release(&v);
  return rc;
}

/// as_matrices of a term, which is copied if its strides do not allow a view.
static weft_status operand_matrices(weft_array **out, const summing *s, term *t, const weft__labels *batch,
                                    const weft__labels *first, const weft__labels *second) {
  weft_status rc;
  bool fits;
  weft_array *v = NULL, *copy = NULL;
  weft__labels order = *batch;
  WEFT__TRY(as_matrices(out, &fits, t->array, &t->labels, batch, first, second, s->site));
  if (fits) goto done;
  add_labels(&order, first, UINT64_MAX);
  add_labels(&order, second, UINT64_MAX);
  WEFT__TRY(arrange(&v, t->array, &t->labels, &order, s->site));
  WEFT__TRY(weft__copy_at(&copy, v, &(weft_copy_params){.site = s->site}));
  replace(t, copy);
  t->labels = order;
  WEFT__TRY(as_matrices(out, &fits, t->array, &t->labels, batch, first, second, s->site));
done:
  weft_array_release(&v);
  return rc;
}

static weft_shape shape_of(const summing *s, const weft__labels *labels) {
  weft_shape shape = WEFT_SHAPE_0D;
  for (int d = 0; d < labels->axes; d++) shape.dim[shape.ndim++] = s->sum->length[labels->label[d]];
  return shape;
}

/// Makes an array for the product and multiplies into it. `labels` become its axes.
static weft_status multiply_new(weft_array **out, weft__labels *labels, const summing *s, const matrices *m,
                                const weft_array *a, const weft_array *b, weft_dtype dtype) {
  weft_status rc;
  bool fits;
  weft_array *v = NULL;
  const weft_matmul_params params = {.dtype = s->dtype, .site = s->site};
  *labels = m->batch;
  add_labels(labels, &m->rows, UINT64_MAX);
  add_labels(labels, &m->columns, UINT64_MAX);
  WEFT__TRY(weft__array_create(out, a->context, dtype, shape_of(s, labels), s->site));
  WEFT__TRY(as_matrices(&v, &fits, *out, labels, &m->batch, &m->rows, &m->columns, s->site));
  WEFT__TRY((weft_matmul)(&v, a, b, &params));
done:
  weft_array_release(&v);
  if (rc != WEFT_OK) weft_array_release(out);
  return rc;
}

/// Multiplies into `out` with the axes `order`, by a temporary if out's strides make no matrices.
static weft_status multiply_into(weft_array *out, const weft__labels *order, const summing *s, const matrices *m,
                                 const weft_array *a, const weft_array *b) {
  weft_status rc;
  bool fits;
  weft_array *v = NULL, *product = NULL;
  weft__labels labels;
  const weft_matmul_params params = {.dtype = s->dtype, .site = s->site};
  WEFT__TRY(as_matrices(&v, &fits, out, order, &m->batch, &m->rows, &m->columns, s->site));
  if (fits) {
    WEFT__TRY((weft_matmul)(&v, a, b, &params));
  } else {
    WEFT__TRY(multiply_new(&product, &labels, s, m, a, b, out->dtype));
    WEFT__TRY(arrange(&v, product, &labels, order, s->site));
    WEFT__TRY(deliver(out, v, s->site));
  }
done:
  weft_array_release(&v);
  weft_array_release(&product);
  return rc;
}

/// The labels of the rows, columns and batch are in the result's order, so that it is matrices if it can be.
static matrices groups_of(const term *a, const term *b, const weft__labels *result) {
  matrices m = {0};
  const uint64_t in_a = weft__label_set(&a->labels), in_b = weft__label_set(&b->labels);
  add_labels(&m.batch, result, in_a & in_b);
  add_labels(&m.rows, result, in_a & ~in_b);
  add_labels(&m.columns, result, in_b & ~in_a);
  add_labels(&m.inner, &a->labels, in_b & ~weft__label_set(result));
  return m;
}

/// Whether a batch of inner products is one reduction: of arrays of floats without gaps, on a CPU. There it is faster
/// than a product of matrices for each of them. Not in reproducible contexts, where GPUs must give the same bits.
static bool are_dots(const summing *s, const matrices *m, const term *a, const term *b) {
  const weft_context *context = a->array->context;
  return context->store.is_cpu && !context->core.reproducible && m->rows.axes == 0 && m->columns.axes == 0 &&
         weft_dtype_kind(s->dtype) == 'f' && a->array->dtype == s->dtype && b->array->dtype == s->dtype;
}

/// The term's array with its axes in this order: itself or a view.
static weft_status in_order(weft_array **out, const term *t, const weft__labels *order, const char *site) {
  if (t->labels.axes != order->axes || memcmp(t->labels.label, order->label, (size_t)order->axes) != 0)
    return arrange(out, t->array, &t->labels, order, site);
  *out = weft_array_retain(t->array);
  return WEFT_OK;
}

/// Makes the inner products of arrays whose axes, in the order of batch and inner, leave no gaps; else *is_done is
/// false.
static weft_status multiply_dots(bool *is_done, weft_array **out, const summing *s, const matrices *m, const term *a,
                                 const term *b) {
  weft_status rc;
  weft_array *x = NULL, *y = NULL;
  weft__labels order = m->batch;
  weft_axes axes = {0};
  add_labels(&order, &m->inner, UINT64_MAX);
  for (int d = m->batch.axes; d < order.axes; d++) axes.axis[axes.count++] = d;
  WEFT__TRY(in_order(&x, a, &order, s->site));
  WEFT__TRY(in_order(&y, b, &order, s->site));
  *is_done =
      weft__is_contiguous(x) && weft__is_contiguous(y) && weft__same_shape(weft__array_shape(x), weft__array_shape(y));
  if (*is_done) rc = weft__dots_at(WEFT_OPERAND(out), WEFT_OPERAND(x), WEFT_OPERAND(y), axes, s->site);
done:
  weft_array_release(&x);
  weft_array_release(&y);
  return rc;
}

/// The product of two terms: into *out with the result's axes, or, if it is NULL, a new array, whose axes are `labels`.
static weft_status multiply_terms(weft_array **out, weft__labels *labels, const summing *s, term *a, term *b,
                                  const weft__labels *result) {
  weft_status rc;
  weft_array *x = NULL, *y = NULL;
  const uint64_t wanted = weft__label_set(result);
  WEFT__TRY(sum_alone(s, a, wanted | weft__label_set(&b->labels)));
  WEFT__TRY(sum_alone(s, b, wanted | weft__label_set(&a->labels)));
  const matrices m = groups_of(a, b, result);
  *labels = *result;
  bool is_done = false;
  if (m.inner.axes > 0 && are_dots(s, &m, a, b)) WEFT__TRY(multiply_dots(&is_done, out, s, &m, a, b));
  if (is_done) {
    rc = WEFT_OK;
  } else if (m.inner.axes == 0) {
    rc = multiply(out, s, a, b, result);
  } else if (m.batch.axes + 2 > WEFT_MAX_NDIM) {
    term all = {.labels = *result};
    add_labels(&all.labels, &m.inner, UINT64_MAX);
    WEFT__TRY(multiply(&all.array, s, a, b, &all.labels));
    rc = sum_over(out, s, &all, result);
    weft_array_release(&all.array);
  } else {
    WEFT__TRY(operand_matrices(&x, s, a, &m.batch, &m.rows, &m.inner));
    WEFT__TRY(operand_matrices(&y, s, b, &m.batch, &m.inner, &m.columns));
    rc = *out ? multiply_into(*out, result, s, &m, x, y) : multiply_new(out, labels, s, &m, x, y, s->dtype);
  }
done:
  weft_array_release(&x);
  weft_array_release(&y);
  return rc;
}

static weft_status run_steps(weft_array *out, summing *s, const weft__sum_step *step) {
  const int terms = s->sum->terms;
  if (terms == 1) return sum_over(&out, s, &s->term[0], &s->sum->result);
  for (int k = 0; k < terms - 1; k++) {
    const bool is_last = k == terms - 2;
    term *a = &s->term[step[k].first], *b = &s->term[step[k].second], *product = &s->term[terms + k];
    weft_array **to = is_last ? &out : &product->array;
    WEFT__TRY_RETURN(multiply_terms(to, &product->labels, s, a, b, is_last ? &s->sum->result : &step[k].result));
    replace(a, NULL);
    replace(b, NULL);
  }
  return WEFT_OK;
}

weft_status weft__sum_run(weft_array *out, const weft__sum *sum, weft_array *const *array, weft_dtype dtype,
                          const char *site) {
  weft_status rc;
  weft__sum_step step[WEFT__MAX_TERMS];
  weft__sum distinct = *sum; /* each label once in a term, and only where its axis is not repeated */
  summing s = {.sum = sum, .dtype = dtype, .site = site};
  if (out->size == 0) return WEFT_OK;
  for (int label = 0; label < WEFT__LABELS; label++)
    if (sum->length[label] == 0) return weft__fill(out, WEFT_SCALAR(0), site);
  for (int k = 0; k < sum->terms; k++) {
    WEFT__TRY(begin_term(&s, k, array[k]));
    distinct.term[k] = s.term[k].labels;
  }
  WEFT__TRY(weft__sum_path(step, &distinct));
  rc = run_steps(out, &s, step);
done:
  for (int k = 0; k < 2 * sum->terms; k++) weft_array_release(&s.term[k].array);
  return rc;
}

// SPDX-License-Identifier: MIT
#include "array/strides.h"

#include <stdlib.h>

bool weft__broadcast_shapes(weft_shape *shape, weft_shape more, int *axis) {
  if (more.ndim > shape->ndim) {
    int shift = more.ndim - shape->ndim;
    for (int d = more.ndim - 1; d >= 0; d--) shape->dim[d] = d >= shift ? shape->dim[d - shift] : 1;
    shape->ndim = more.ndim;
  }
  int shift = shape->ndim - more.ndim;
  for (int d = 0; d < more.ndim; d++) {
    int64_t *length = &shape->dim[d + shift];
    if (more.dim[d] == *length || more.dim[d] == 1) continue;
    if (*length != 1) {
      *axis = d + shift;
      return false;
    }
    *length = more.dim[d];
  }
  return true;
}

weft_array weft__array_broadcast(const weft_array *x, weft_shape shape) {
  weft_array view = weft__array_borrow(x);
  int added = shape.ndim - x->ndim;
  view.ndim = shape.ndim;
  view.size = 1;
  for (int d = 0; d < shape.ndim; d++) {
    bool own = d >= added && x->shape[d - added] == shape.dim[d];
    view.shape[d] = shape.dim[d];
    view.stride_bytes[d] = own ? x->stride_bytes[d - added] : 0;
    view.size *= shape.dim[d];
  }
  return view;
}

bool weft__array_without_copies(weft_array *few, const weft_array *x, const bool kept[WEFT_MAX_NDIM]) {
  bool has_copies = false;
  *few = weft__array_borrow(x);
  for (int d = 0; d < x->ndim; d++) {
    if (kept[d] || x->stride_bytes[d] != 0 || x->shape[d] <= 1) continue;
    few->size /= x->shape[d];
    few->shape[d] = 1;
    has_copies = true;
  }
  return has_copies;
}

/// Axes of arrays that are walked together: lengths, and for each array the strides.
typedef struct axes {
  int ndim, arrays;
  int64_t length[WEFT_MAX_NDIM], stride[WEFT_MAX_NDIM][WEFT__MAX_ARRAYS];
  bool kind[WEFT_MAX_NDIM]; /* axes of different kinds are not merged */
} axes;

/// Sorts axes by the first array's strides, the longest first. Then an array whose elements are not in row-major order
/// can be one run, too.
static void sort_axes(int order[], const axes *a) {
  for (int i = 1; i < a->ndim; i++)
    for (int j = i; j > 0; j--) {
      int before = order[j - 1], at = order[j], later = 0;
      for (int k = 0; k < a->arrays && later == 0; k++) {
        int64_t x = llabs(a->stride[before][k]), y = llabs(a->stride[at][k]);
        if (x != y) later = x < y ? 1 : -1;
      }
      if (later <= 0) break;
      order[j - 1] = at;
      order[j] = before;
    }
}

static void merge(weft__layout *l, const axes *a, bool any_order) {
  int order[WEFT_MAX_NDIM];
  l->arrays = a->arrays;
  l->ndim = 0;
  for (int d = 0; d < a->ndim; d++) order[d] = d;
  if (any_order && a->ndim > 1) sort_axes(order, a);
  for (int i = 0; i < a->ndim; i++)
    weft__layout_add(l, a->length[order[i]], a->stride[order[i]], i > 0 && a->kind[order[i]] != a->kind[order[i - 1]]);
}

static void lay_out(weft__layout *l, weft_shape shape, int arrays, const weft_array *const *array, bool any_order,
                    const bool *along) {
  axes a;
  a.ndim = 0;
  a.arrays = arrays;
  l->size = 1;
  for (int k = 0; k < arrays; k++) l->offset[k] = array[k]->offset_bytes;
  for (int d = 0; d < shape.ndim; d++) {
    l->size *= shape.dim[d];
    if (shape.dim[d] == 1) continue;
    a.length[a.ndim] = shape.dim[d];
    a.kind[a.ndim] = along && along[d];
    for (int k = 0; k < arrays; k++) {
      const weft_array *x = array[k];
      int own = d - (shape.ndim - x->ndim);
      a.stride[a.ndim][k] = own < 0 || x->shape[own] == 1 ? 0 : x->stride_bytes[own];
    }
    a.ndim++;
  }
  merge(l, &a, any_order);
}

void weft__layout_of(weft__layout *l, weft_shape shape, int arrays, const weft_array *const *array, bool any_order) {
  lay_out(l, shape, arrays, array, any_order, NULL);
}

void weft__layout_along(weft__layout *l, weft_shape shape, int arrays, const weft_array *const *array,
                        const bool *along) {
  lay_out(l, shape, arrays, array, false, along);
}

/* ---- an array as outer x length x inner ---- */

weft__axis_split weft__split_at_axis(weft_shape shape, int axis) {
  weft__axis_split split = {1, shape.dim[axis], 1};
  for (int d = 0; d < axis; d++) split.outer *= shape.dim[d];
  for (int d = axis + 1; d < shape.ndim; d++) split.inner *= shape.dim[d];
  return split;
}

/// Axes of one array. A layout of one would do, but has room for the arrays of every call.
typedef struct runs {
  int ndim;
  int64_t length[WEFT_MAX_NDIM], stride[WEFT_MAX_NDIM];
} runs;

/// Adds an axis behind the others, or (`sorts`) in front of those with shorter strides.
static void add_axis(runs *r, int64_t length, int64_t stride, bool sorts) {
  int at = r->ndim++;
  for (; sorts && at > 0 && llabs(r->stride[at - 1]) < llabs(stride); at--) {
    r->length[at] = r->length[at - 1];
    r->stride[at] = r->stride[at - 1];
  }
  r->length[at] = length;
  r->stride[at] = stride;
}

static void merge_runs(runs *r) {
  int n = 0;
  for (int d = 0; d < r->ndim; d++) {
    const bool continues = n > 0 && r->stride[n - 1] == r->stride[d] * r->length[d];
    n += !continues;
    r->length[n - 1] = continues ? r->length[n - 1] * r->length[d] : r->length[d];
    r->stride[n - 1] = r->stride[d];
  }
  r->ndim = n;
}

bool weft__merge_axes(const weft_array *x, int begin, int end, int64_t *length, int64_t *stride_bytes) {
  runs r = {0};
  for (int d = begin; d < end; d++)
    if (x->shape[d] != 1) add_axis(&r, x->shape[d], x->stride_bytes[d], false);
  merge_runs(&r);
  *length = r.ndim ? r.length[r.ndim - 1] : 1;
  *stride_bytes = r.ndim ? r.stride[r.ndim - 1] : 0;
  return r.ndim < 2;
}

bool weft__split_strided(weft__strided_split *s, const weft_array *x, int axis) {
  int64_t inner_stride;
  *s = (weft__strided_split){1, 1, 1, 0, 0, 0};
  if (axis == WEFT__EVERY_AXIS) return weft__merge_axes(x, 0, x->ndim, &s->length, &s->length_stride);
  s->length = x->shape[axis];
  s->length_stride = x->stride_bytes[axis];
  return weft__merge_axes(x, 0, axis, &s->outer, &s->outer_stride) &&
         weft__merge_axes(x, axis + 1, x->ndim, &s->inner, &inner_stride) &&
         (s->inner == 1 || inner_stride == (int64_t)weft_dtype_size_bytes(x->dtype));
}

#define FEW 32 /* elements to merge: so few of several results are read side by side */

bool weft__split_along(weft__strided_split *s, const weft_array *x, const bool *along, bool in_order) {
  int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  runs kept = {0}, merged = {0};
  for (int d = 0; d < x->ndim; d++) {
    if (x->shape[d] == 1) continue;
    if (x->stride_bytes[d] % size != 0) return false;
    add_axis(along[d] ? &merged : &kept, x->shape[d], x->stride_bytes[d] / size, along[d] && !in_order);
  }
  merge_runs(&kept);
  merge_runs(&merged);
  if (merged.ndim > 1 || kept.ndim > 2 || x->offset_bytes % size != 0) return false;
  *s = (weft__strided_split){1, 1, 1, 0, 1, 1};
  if (merged.ndim == 1) s->length = merged.length[0], s->length_stride = merged.stride[0];
  if (kept.ndim == 0) return true;
  const int last = kept.ndim - 1;
  const int64_t stride = kept.stride[last];
  /* a single axis is the outer one if the elements to merge are side by side, or nearer to each other */
  const bool is_near = stride != 1 && s->length >= FEW && llabs(s->length_stride) < llabs(stride);
  const bool is_outer = last == 0 && merged.ndim == 1 && (s->length_stride == 1 || is_near);
  if (!is_outer) s->inner = kept.length[last], s->inner_stride = stride;
  if (is_outer || last == 1) s->outer = kept.length[0], s->outer_stride = kept.stride[0];
  return true;
}

/* ---- overlap ---- */

/* Whether two arrays share a byte: are there whole numbers x, 0 <= x <= last for each axis of both, for which
   sum(stride * x) lies in a range? The search goes from the longest stride down. The largest sum of the shorter ones
   limits the choice, so the search is short for slices and transposes. numpy.shares_memory solves the same problem. */

#define MOST_STEPS 2000 /* of the search; beyond it the arrays count as overlapping */

typedef struct term {
  int64_t stride, last;
  int64_t rest; /* the largest sum of this term and those with shorter strides */
} term;

/// Collects the axes of both arrays, the longest stride first, with equal strides merged. Returns their number.
static int gather_terms(term *terms, const weft_array *const array[2]) {
  int n = 0;
  for (int k = 0; k < 2; k++)
    for (int d = 0; d < array[k]->ndim; d++) {
      int64_t stride = llabs(array[k]->stride_bytes[d]), last = array[k]->shape[d] - 1;
      if (stride == 0 || last == 0) continue;
      int at = n;
      while (at > 0 && terms[at - 1].stride <= stride) at--;
      if (at < n && terms[at].stride == stride) {
        terms[at].last += last;
        continue;
      }
      for (int i = n++; i > at; i--) terms[i] = terms[i - 1];
      terms[at] = (term){.stride = stride, .last = last};
    }
  for (int i = n - 1; i >= 0; i--)
    terms[i].rest = terms[i].stride * terms[i].last + (i + 1 < n ? terms[i + 1].rest : 0);
  return n;
}

static bool reaches(const term *terms, int n, int64_t low, int64_t high, int *steps) {
  if (low <= 0 && high >= 0) return true;
  if (n == 0 || high < 0 || low > terms[0].rest) return false;
  if (++*steps > MOST_STEPS) return true;
  int64_t stride = terms[0].stride, below = n > 1 ? terms[1].rest : 0;
  int64_t first = low > below ? (low - below + stride - 1) / stride : 0, last = high / stride;
  if (last > terms[0].last) last = terms[0].last;
  for (int64_t x = last; x >= first; x--)
    if (reaches(terms + 1, n - 1, low - x * stride, high - x * stride, steps)) return true;
  return false;
}

void weft__array_extent(int64_t *begin, int64_t *end, const weft_array *x) {
  *begin = *end = x->offset_bytes;
  if (x->size == 0) return;
  *end += (int64_t)weft_dtype_size_bytes(x->dtype);
  for (int d = 0; d < x->ndim; d++) {
    int64_t reach = (x->shape[d] - 1) * x->stride_bytes[d];
    *(reach < 0 ? begin : end) += reach;
  }
}

/// Whether the arrays may share memory: they use one buffer, or both use memory of CUDA's or of the host. *apart: the
/// distance in bytes from the beginning of a's storage to b's.
static bool are_neighbours(const weft_array *a, const weft_array *b, int64_t *apart) {
  const weft__storage *of_a = a->storage, *of_b = b->storage;
  *apart = 0;
  if (of_a->mem == of_b->mem) return true;
  if (of_a->cuda_address && of_b->cuda_address) { /* memory of CUDA's may be imported more than once */
    *apart = (int64_t)(of_b->cuda_address - of_a->cuda_address);
    return true;
  }
  if (!of_a->host || !of_b->host) return false;
  *apart = (int64_t)((intptr_t)of_b->host - (intptr_t)of_a->host);
  return true;
}

bool weft__arrays_overlap(const weft_array *a, const weft_array *b) {
  int64_t a_begin, a_end, b_begin, b_end, apart;
  if (!are_neighbours(a, b, &apart) || a->size == 0 || b->size == 0) return false;
  weft__array_extent(&a_begin, &a_end, a);
  weft__array_extent(&b_begin, &b_end, b);
  b_begin += apart;
  b_end += apart;
  if (a_begin >= b_end || b_begin >= a_end) return false;
  /* counted from the end of a's axes, the distance from a's element to b's is a sum of positive terms */
  term terms[2 * WEFT_MAX_NDIM];
  int n = gather_terms(terms, (const weft_array *const[]){a, b}), steps = 0;
  int64_t a_size = (int64_t)weft_dtype_size_bytes(a->dtype), b_size = (int64_t)weft_dtype_size_bytes(b->dtype);
  int64_t away = a_end - a_size - b_begin;
  return reaches(terms, n, away - (b_size - 1), away + a_size - 1, &steps);
}

bool weft__arrays_same(const weft_array *a, const weft_array *b) {
  int64_t apart;
  if (!are_neighbours(a, b, &apart) || a->offset_bytes != apart + b->offset_bytes || a->ndim != b->ndim ||
      weft_dtype_size_bytes(a->dtype) != weft_dtype_size_bytes(b->dtype))
    return false;
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] != b->shape[d] || (a->shape[d] > 1 && a->stride_bytes[d] != b->stride_bytes[d])) return false;
  return true;
}

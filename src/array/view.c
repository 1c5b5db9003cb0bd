// SPDX-License-Identifier: MIT
/// Views: parts of an array, and other shapes of its memory.
#include "array/view.h"

#include <inttypes.h>

#include "array/strides.h"
#include "base/checked.h"

void weft__view_count(weft_array *v) {
  v->size = 1;
  for (int d = 0; d < v->ndim; d++) v->size *= v->shape[d];
}

/* ---- parts ---- */

static weft__view_form form_of(const weft_array *x) {
  weft__view_form form = {.ndim = x->ndim, .offset_bytes = x->offset_bytes};
  for (int d = 0; d < x->ndim; d++) {
    form.length[d] = x->shape[d];
    form.stride_bytes[d] = x->stride_bytes[d];
  }
  return form;
}

static weft_status make_part(weft_array **out, const weft_array *x, const weft__view_form *form, const char *site) {
  WEFT__TRY_RETURN(weft__array_view(out, x, site));
  weft_array *v = *out;
  v->ndim = form->ndim;
  v->offset_bytes = form->offset_bytes;
  for (int d = 0; d < v->ndim; d++) {
    v->shape[d] = form->length[d];
    v->stride_bytes[d] = form->stride_bytes[d];
  }
  weft__view_count(v);
  return WEFT_OK;
}

weft_status weft__view_at(weft_array **out, const weft_array *x, const char *indices, const char *site) {
  WEFT__BEGIN_VIEW("weft_view");
  WEFT__NEED(indices);
  weft__view_form form = form_of(x);
  WEFT__TRY(weft__view_text(&form, (int64_t)weft_dtype_size_bytes(x->dtype), indices));
  rc = make_part(out, x, &form, site);
done:
  return weft__leave(rc);
}

weft_status weft__slice_at(weft_array **out, const weft_array *x, weft_axes axis, int64_t start, int64_t stop,
                           const weft_slice_params *params) {
  const weft_slice_params p = WEFT__PARAMS(params);
  const char *site = p.site;
  int d;
  WEFT__BEGIN_VIEW("weft_slice");
  WEFT__TRY(weft__only_axis(&d, axis, x->ndim, "axis"));
  weft__view_form form = form_of(x);
  weft__view_slice(&form, d, start, stop, p.step ? p.step : 1);
  rc = make_part(out, x, &form, site);
done:
  return weft__leave(rc);
}

weft_status weft__pick_at(weft_array **out, const weft_array *x, weft_axes axis, int64_t index, const char *site) {
  int d;
  WEFT__BEGIN_VIEW("weft_pick");
  WEFT__TRY(weft__only_axis(&d, axis, x->ndim, "axis"));
  int64_t n = x->shape[d], i = index < 0 ? index + n : index;
  if (i < 0 || i >= n)
    WEFT__TRY(weft__fail(WEFT_ERROR_INDEX, "index", "`index` is %" PRId64 "; axis %d has %" PRId64 " element%s", index,
                         d, n, n == 1 ? "" : "s"));
  WEFT__TRY(weft__array_view(out, x, site));
  (*out)->offset_bytes += i * x->stride_bytes[d];
  weft__view_remove_axis(*out, d);
  weft__view_count(*out);
done:
  return weft__leave(rc);
}

/* ---- shapes ---- */

/// Fills in a length of -1 and checks that the sizes agree.
static weft_status complete_shape(weft_shape *shape, const weft_array *x) {
  int open = -1;
  int64_t known = 1;
  weft_shape checked = *shape;
  if (shape->ndim >= 0 && shape->ndim <= WEFT_MAX_NDIM)
    for (int d = 0; d < shape->ndim; d++)
      if (shape->dim[d] == -1) {
        if (open >= 0)
          return weft__fail(WEFT_ERROR_SHAPE, "shape", "`shape` has -1 in axes %d and %d; one length can be left open",
                            open, d);
        open = d;
        checked.dim[d] = 1;
      }
  WEFT__TRY_RETURN(weft__shape_check(&known, checked, x->dtype, "shape"));
  bool fits = open < 0 ? known == x->size : known != 0 && x->size % known == 0;
  if (fits) {
    if (open >= 0) shape->dim[open] = x->size / known;
    return WEFT_OK;
  }
  weft__text text = {0};
  weft__add_shape(&text, x->dtype, weft__array_shape(x));
  weft__text_add(&text, " has %" PRId64 " elements, which do not make ", x->size);
  weft__add_shape(&text, x->dtype, *shape);
  weft__fail(WEFT_ERROR_SHAPE, "shape", "%s", weft__text_chars(&text));
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

/// Sets the strides with which `v`, whose shape is set, has x's elements in x's order; false if it is impossible. Old
/// and new axes are matched in groups of equal size; the old axes of a group must be one run.
static bool reshape_strides(weft_array *v, const weft_array *x) {
  int old_axis[WEFT_MAX_NDIM], old_count = 0;
  for (int d = 0; d < x->ndim; d++)
    if (x->shape[d] != 1) old_axis[old_count++] = d;
  int i = 0, j = 0;
  while (i < old_count && j < v->ndim) {
    int i_end = i + 1, j_end = j + 1;
    int64_t old_size = x->shape[old_axis[i]], new_size = v->shape[j];
    while (old_size != new_size)
      if (new_size < old_size)
        new_size *= v->shape[j_end++];
      else
        old_size *= x->shape[old_axis[i_end++]];
    for (int k = i; k + 1 < i_end; k++)
      if (x->stride_bytes[old_axis[k]] != x->stride_bytes[old_axis[k + 1]] * x->shape[old_axis[k + 1]]) return false;
    int64_t stride = x->stride_bytes[old_axis[i_end - 1]];
    for (int k = j_end - 1; k >= j; k--) {
      v->stride_bytes[k] = stride;
      stride *= v->shape[k];
    }
    i = i_end;
    j = j_end;
  }
  /* the remaining axes have length 1 */
  for (; j < v->ndim; j++) v->stride_bytes[j] = (int64_t)weft_dtype_size_bytes(v->dtype);
  return true;
}

weft_status weft__reshape_at(weft_array **out, const weft_array *x, weft_shape shape, const char *site) {
  WEFT__BEGIN_VIEW("weft_reshape");
  WEFT__TRY(complete_shape(&shape, x));
  WEFT__TRY(weft__array_view(out, x, site));
  weft__set_contiguous(*out, shape);
  if (x->size == 0 || reshape_strides(*out, x)) return weft__leave(WEFT_OK);
  weft_array_release(out);
  rc = weft__fail(WEFT_ERROR_LAYOUT, "x",
                  "`x` is not contiguous and cannot be seen in this shape without a copy; weft_copy it first");
done:
  return weft__leave(rc);
}

weft_status weft__ravel_at(weft_array **out, const weft_array *x, const char *site) {
  WEFT__BEGIN_VIEW("weft_ravel");
  WEFT__TRY(weft__array_view(out, x, site));
  weft__set_contiguous(*out, WEFT_SHAPE(x->size));
  if (x->size == 0 || reshape_strides(*out, x)) return weft__leave(WEFT_OK);
  weft_array_release(out);
  WEFT__TRY(weft__array_create(out, x->context, x->dtype, weft__array_shape(x), site));
  WEFT__TRY(weft__assign(*out, x, site));
  weft__set_contiguous(*out, WEFT_SHAPE(x->size));
done:
  if (rc) weft_array_release(out);
  return weft__leave(rc);
}

/// Changes the length of the last axis for another element size.
static weft_status resize_last_axis(weft_array *v, const weft_array *x) {
  const int64_t from = (int64_t)weft_dtype_size_bytes(x->dtype), to = (int64_t)weft_dtype_size_bytes(v->dtype);
  const int last = x->ndim - 1;
  if (last < 0)
    return weft__fail(WEFT_ERROR_SHAPE, "x",
                      "`x` has no axes; %s and %s differ in size, and only a last axis can change its length",
                      weft_dtype_name(v->dtype), weft_dtype_name(x->dtype));
  if (x->shape[last] != 1 && x->size != 0 && x->stride_bytes[last] != from)
    return weft__fail(WEFT_ERROR_LAYOUT, "x",
                      "the last axis of `x` is not contiguous, so its elements cannot change size; weft_copy it first");
  if (from > to) {
    if (!weft__multiply_i64(&v->shape[last], x->shape[last], from / to))
      return weft__fail(WEFT_ERROR_OVERFLOW, "x", "axis %d would have more than 2^63-1 elements", last);
  } else {
    if (x->shape[last] % (to / from) != 0)
      return weft__fail(WEFT_ERROR_SHAPE, "x",
                        "axis %d of `x` has %" PRId64 " elements of %" PRId64 " bytes, not a whole number of %s", last,
                        x->shape[last], from, weft_dtype_name(v->dtype));
    v->shape[last] = x->shape[last] / (to / from);
  }
  v->stride_bytes[last] = to;
  return weft__shape_check(&v->size, weft__array_shape(v), v->dtype, "x");
}

/// Checks that offset and strides are whole elements, because kernels count in elements.
static weft_status check_places(const weft_array *v) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(v->dtype);
  bool whole = v->offset_bytes % size == 0;
  for (int d = 0; d < v->ndim; d++) whole = whole && (v->shape[d] == 1 || v->stride_bytes[d] % size == 0);
  if (whole || v->size == 0) return WEFT_OK;
  return weft__fail(WEFT_ERROR_LAYOUT, "x",
                    "elements of %s must begin at multiples of %" PRId64 " bytes, but `x` does not; weft_copy it first",
                    weft_dtype_name(v->dtype), size);
}

weft_status weft__view_as_at(weft_array **out, const weft_array *x, weft_dtype dtype, const char *site) {
  WEFT__BEGIN_VIEW("weft_view_as");
  WEFT__TRY(weft__dtype_check(dtype, x->context));
  WEFT__TRY(weft__array_view(out, x, site));
  (*out)->dtype = dtype;
  if (weft_dtype_size_bytes(dtype) != weft_dtype_size_bytes(x->dtype)) WEFT__TRY(resize_last_axis(*out, x));
  WEFT__TRY(check_places(*out));
done:
  if (rc) weft_array_release(out);
  return weft__leave(rc);
}

weft_status weft__view_part_at(weft_array **out, const weft_array *x, bool imaginary, const char *site) {
  WEFT__BEGIN_VIEW(imaginary ? "weft_view_imag" : "weft_view_real");
  const weft_dtype part = weft__real_dtype(x->dtype);
  if (imaginary && part == x->dtype)
    WEFT__TRY(weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is %s, which has no imaginary part; expected c64 or c128",
                         weft_dtype_name(x->dtype)));
  WEFT__TRY(weft__array_view(out, x, site));
  (*out)->dtype = part;
  if (imaginary && x->size > 0) (*out)->offset_bytes += (int64_t)weft_dtype_size_bytes(part);
  WEFT__TRY(check_places(*out));
done:
  if (rc) weft_array_release(out);
  return weft__leave(rc);
}

weft_status weft__broadcast_at(weft_array **out, const weft_array *x, weft_shape shape, const char *site) {
  int64_t size;
  WEFT__BEGIN_VIEW("weft_broadcast");
  WEFT__TRY(weft__shape_check(&size, shape, x->dtype, "shape"));
  int added = shape.ndim - x->ndim, differs = added < 0 ? 0 : -1;
  for (int d = 0; d < x->ndim && added >= 0; d++)
    if (x->shape[d] != 1 && x->shape[d] != shape.dim[d + added]) differs = d + added;
  if (differs >= 0) {
    weft__text text = {0};
    weft__add_shape(&text, x->dtype, weft__array_shape(x));
    weft__text_add(&text, " does not broadcast to ");
    weft__add_shape(&text, x->dtype, shape);
    weft__text_add(&text, added < 0 ? ": it has more axes" : ": they differ in axis %d", differs);
    weft__fail(WEFT_ERROR_SHAPE, "shape", "%s", weft__text_chars(&text));
    weft__text_free(&text);
    return weft__leave(WEFT_ERROR_SHAPE);
  }
  const weft_array view = weft__array_broadcast(x, shape);
  WEFT__TRY(weft__array_view(out, &view, site));
done:
  return weft__leave(rc);
}

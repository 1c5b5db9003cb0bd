// SPDX-License-Identifier: MIT
/// Histograms and counts: checks of the arguments, and the calls.
#include "op/histogram/histogram.h"

#include <math.h>
#include <stdlib.h>

#include <weft/histogram.h>

#include "call/call.h"
#include "dtype/scalar.h"
#include "expr/overload.h"
#include "map/cast.h"

static weft_status check_dtype(weft_dtype dtype, const char *name, bool with_floats) {
  if (weft__is_whole(dtype) || (with_floats && weft_dtype_kind(dtype) == 'f')) return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected %s", name, weft_dtype_name(dtype),
                    with_floats ? "a real dtype" : "bool or an integer dtype");
}

/// Checks and gathers x (operand 0) and, if `weighted`, the weights (operand 1), converted to f64, except f32.
static weft_status take_operands(weft__call *c, bool with_floats, bool weighted) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(check_dtype(weft__call_dtype(c, 0), "x", with_floats));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  if (!weighted) return WEFT_OK;
  WEFT__TRY_RETURN(check_dtype(weft__call_dtype(c, 1), "weights", true));
  WEFT__TRY_RETURN(weft__dtype_check(WEFT_F64, c->context));
  if (!weft__same_shape(weft__call_shape(c, 0), weft__call_shape(c, 1)))
    return weft__call_fail_shapes(c, 0, 1, "they must have the same shape");
  return weft__call_contiguous_operand(c, 1, weft__call_dtype(c, 1) == WEFT_F32 ? WEFT_F32 : WEFT_F64);
}

/* ---- bins of equal width ---- */

/// Operands are x, the weights if given, then the edges if given.
typedef struct histogram_call {
  weft__call call;
  weft__even even;
  weft_operand result[2], operand[3];
  const char *name[3];
  bool weighted, has_edges, has_range;
} histogram_call;

static const char *const result_names[] = {"counts", "edges"};
static const char *const operand_names[] = {"x", "weights"};

/// Sets the range to x's least and greatest element; 0 to 1 if x is empty.
static weft_status find_range(histogram_call *h, const weft_array *x) {
  weft__extent extent = {0};
  h->even.low = 0;
  h->even.high = 1;
  if (x->size == 0) return WEFT_OK;
  const bool is_float = weft_dtype_kind(x->dtype) == 'f';
  WEFT__TRY_RETURN(weft__histogram_extent(&extent, x, h->call.site));
  h->even.low = extent.least;
  h->even.high = extent.most;
  if (is_float) h->even.arithmetic = x->dtype;
  if (is_float && (extent.bad >= 0 || !isfinite(extent.least) || !isfinite(extent.most)))
    return weft__fail(WEFT_ERROR_ARGUMENT, "x",
                      "the range of `x` is %.9g to %.9g%s, which is not finite; expected `range`", extent.least,
                      extent.most, extent.bad >= 0 ? ", with NaN" : "");
  return WEFT_OK;
}

static weft_status run_even(histogram_call *h) {
  weft__call *c = &h->call;
  weft__binning binning;
  weft_array *table = NULL;
  bool none;
  weft_status rc;
  const weft_array *x = c->array[c->results];
  h->even.x = x->dtype;
  h->even.edge = weft_dtype_kind(x->dtype) == 'f' ? x->dtype : WEFT_F64;
  h->even.arithmetic = WEFT_F64;
  if (!h->has_range) WEFT__TRY(find_range(h, x));
  WEFT__TRY(weft__even_check(&h->even));
  WEFT__TRY(weft__call_contiguous_result(c, 0, h->weighted ? WEFT_F64 : WEFT_I64, WEFT_SHAPE(h->even.bins)));
  if (c->results > 1) WEFT__TRY(weft__call_contiguous_result(c, 1, h->even.edge, WEFT_SHAPE(h->even.bins + 1)));
  WEFT__TRY(weft__even_binning(&binning, &table, &none, &h->even, c->context, c->site));
  if (none) WEFT__TRY(weft__fill(c->array[0], WEFT_SCALAR(0), c->site));
  if (!none)
    WEFT__TRY(weft__histogram_run(c->array[0], x, h->weighted ? c->array[c->results + 1] : NULL, &binning, c->site));
  if (c->results > 1) WEFT__TRY(weft__even_edges(c->array[1], &h->even, c->site));
done:
  weft_array_release(&table);
  return rc;
}

/* ---- given edges ---- */

/// Whether `count` edges on the host ascend, compared in f64. If not, *where is the first edge below its predecessor.
static bool ascend(const weft_host *edges, int64_t count, int64_t *where) {
  const size_t size = weft_dtype_size_bytes(edges->dtype);
  for (int64_t j = 1; j < count; j++) {
    const unsigned char *a = (const unsigned char *)edges->data + (size_t)(j - 1) * size;
    const double before = weft__scalar_real(weft__scalar_read(edges->dtype, a));
    if (!(before <= weft__scalar_real(weft__scalar_read(edges->dtype, a + size)))) {
      *where = j;
      return false;
    }
  }
  return true;
}

/// Operand k holds the edges.
static weft_status check_edges(const weft__call *c, int k) {
  const weft_shape shape = weft__call_shape(c, k);
  int64_t where;
  WEFT__TRY_RETURN(check_dtype(weft__call_dtype(c, k), "bins", true));
  if (shape.ndim != 1)
    return weft__fail(WEFT_ERROR_SHAPE, "bins", "`bins` has %d axes; expected edges along 1", shape.ndim);
  if (shape.dim[0] < 2 || shape.dim[0] > INT32_MAX)
    return weft__fail(WEFT_ERROR_SHAPE, "bins", "`bins` has %lld elements; expected 2 to %d edges",
                      (long long)shape.dim[0], INT32_MAX);
  if (c->operand[k].kind == WEFT_OPERAND_HOST && !ascend(&c->operand[k].as.host, shape.dim[0], &where))
    return weft__fail(WEFT_ERROR_ARGUMENT, "bins",
                      "the edges in `bins` do not ascend: element %lld is not at or above the one before it",
                      (long long)where);
  return WEFT_OK;
}

static weft_status run_edges(histogram_call *h) {
  weft__call *c = &h->call;
  weft_array *edges = NULL;
  weft_status rc;
  const int k = c->inputs - 1;
  WEFT__TRY(check_edges(c, k));
  const weft_shape shape = weft__call_shape(c, k);
  const weft_dtype x = weft__call_dtype(c, 0), dtype = weft__call_dtype(c, k);
  weft__binning binning = {.mode = WEFT__BIN_SEARCH, .value = weft__bin_value(weft__promote(x, dtype))};
  binning.args.bins = binning.args.used = (uint32_t)(shape.dim[0] - 1);
  if (c->results > 1) WEFT__TRY(weft__cast(&edges, c->array[c->results + k], dtype, c->site));
  WEFT__TRY(weft__call_contiguous_operand(c, k, binning.value));
  WEFT__TRY(weft__call_contiguous_result(c, 0, h->weighted ? WEFT_F64 : WEFT_I64, WEFT_SHAPE(shape.dim[0] - 1)));
  if (edges) WEFT__TRY(weft__call_contiguous_result(c, 1, dtype, shape));
  binning.edges = c->array[c->results + k];
  const weft_array *weights = h->weighted ? c->array[c->results + 1] : NULL;
  WEFT__TRY(weft__histogram_run(c->array[0], c->array[c->results], weights, &binning, c->site));
  if (edges) WEFT__TRY(weft__cast_into(c->array[1], edges, dtype, c->site));
done:
  weft_array_release(&edges);
  return rc;
}

/* ---- `bins` as a number or as edges ---- */

/// Takes `bins`: a number of bins, or edges, which become an operand.
static weft_status take_bins(histogram_call *h, const weft_operand *bins, int *operands) {
  uint64_t bits[2];
  h->has_edges = bins->kind != WEFT_OPERAND_SCALAR;
  if (h->has_edges && h->has_range)
    return weft__fail(WEFT_ERROR_ARGUMENT, "range",
                      "`range` is given, and edges as `bins`; expected the number of bins, or no `range`");
  if (h->has_edges) {
    h->name[*operands] = "bins";
    h->operand[(*operands)++] = *bins;
    return WEFT_OK;
  }
  const weft_scalar number = bins->as.scalar;
  const char kind = weft_dtype_kind(number.dtype);
  if ((kind != 'i' && kind != 'u') || !weft__scalar_bytes(bits, WEFT_I64, number))
    return weft__fail(WEFT_ERROR_ARGUMENT, "bins",
                      "`bins` is a number but not an integer; expected an integer, or edges");
  h->even.bins = (int64_t)bits[0];
  return WEFT_OK;
}

weft_status weft__histogram_at(weft_operand counts, weft_operand x, weft_operand bins,
                               const weft_histogram_params *params) {
  const weft_histogram_params p = WEFT__PARAMS(params);
  histogram_call h = {.result = {counts, WEFT_OPERAND(p.edges)},
                      .operand = {x, WEFT_OPERAND(p.weights)},
                      .name = {"x", "weights"},
                      .even = {.low = p.range.low, .high = p.range.high},
                      .weighted = p.weights != NULL,
                      .has_range = p.range.is_given || p.range.low != 0 || p.range.high != 0};
  int operands = p.weights ? 2 : 1;
  weft_status rc;
  weft__enter("weft_histogram", p.site);
  WEFT__TRY(take_bins(&h, &bins, &operands));
  weft__call_open(&h.call, NULL, p.edges ? 2 : 1, h.result, operands, h.operand, h.name, p.site);
  h.call.result_name = result_names;
  rc = take_operands(&h.call, true, h.weighted);
  if (rc == WEFT_OK) rc = h.has_edges ? run_edges(&h) : run_even(&h);
  rc = weft__call_close(&h.call, rc);
done:
  return weft__leave(rc);
}

/* ---- integers ---- */

static weft_status fail_negative(const weft_array *x, int64_t where, int64_t least) {
  weft_array bad = weft__array_borrow(x), *wide = NULL;
  int64_t value = least;
  weft_status rc;
  weft__set_contiguous(&bad, WEFT_SHAPE_0D);
  bad.offset_bytes += where * (int64_t)weft_dtype_size_bytes(x->dtype);
  WEFT__TRY(weft__cast(&wide, &bad, WEFT_I64, NULL));
  WEFT__TRY(weft__array_read(&value, wide, true, NULL));
  rc = weft__fail(WEFT_ERROR_INDEX, "x", "`x` has a negative element: %lld at position %lld", (long long)value,
                  (long long)where);
done:
  weft_array_release(&wide);
  return rc;
}

/// Whether the caller gave an array or host memory for result 0.
static bool has_given_result(const weft__call *c) {
  const weft_operand *result = &c->result[0];
  return result->kind == WEFT_OPERAND_HOST_RESULT || (result->as.result && *result->as.result);
}

/// Whether every number of the dtype is the place of one of `length` counts.
static bool are_all_places(weft_dtype dtype, int64_t length) {
  const size_t size = weft_dtype_size_bytes(dtype);
  return weft_dtype_kind(dtype) == 'u' && size <= 2 && length >> 8 * size > 0;
}

/// Finds the number of counts: the length of a given result, else one more than the greatest element but at least
/// minlength.
static weft_status find_length(int64_t *length, const weft__call *c, int64_t minlength) {
  const weft_operand *result = &c->result[0];
  const weft_array *x = c->array[c->results];
  weft__extent extent;
  const char *name = weft__call_result_name(c, 0);
  *length = minlength;
  if (has_given_result(c)) {
    const weft_shape shape =
        result->kind == WEFT_OPERAND_HOST_RESULT ? result->as.host_result.shape : weft__array_shape(*result->as.result);
    if (shape.ndim != 1) return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d axes; expected 1", name, shape.ndim);
    if (shape.dim[0] < minlength)
      return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %lld elements; `minlength` is %lld", name,
                        (long long)shape.dim[0], (long long)minlength);
    *length = shape.dim[0];
  } else if (x->size && !are_all_places(x->dtype, minlength)) {
    WEFT__TRY_RETURN(weft__histogram_extent(&extent, x, c->site));
    if (extent.bad >= 0) return fail_negative(x, extent.bad, extent.least_integer);
    if (extent.most_integer >= INT32_MAX)
      return weft__fail(WEFT_ERROR_OVERFLOW, "x", "the greatest element of `x` is %llu; at most %d can be counted",
                        (unsigned long long)extent.most_integer, INT32_MAX - 1);
    if ((int64_t)extent.most_integer >= *length) *length = (int64_t)extent.most_integer + 1;
  }
  if (*length > INT32_MAX)
    return weft__fail(WEFT_ERROR_ARGUMENT, "minlength", "%lld counts; there may be at most %d", (long long)*length,
                      INT32_MAX);
  return WEFT_OK;
}

/// Counts few elements in one launch, if it can.
static weft_status count_small(bool *done, weft__call *c, int64_t minlength) {
  weft_array *counts = NULL;
  WEFT__TRY_RETURN(weft__histogram_small(&counts, c->array[c->results], minlength, c->site));
  *done = counts != NULL;
  const weft_status rc = *done ? weft__call_take_result(c, 0, &counts) : WEFT_OK;
  weft_array_release(&counts);
  return rc;
}

static weft_status run_bincount(weft__call *c, int64_t minlength, bool weighted) {
  int64_t length = 0;
  bool done = false;
  WEFT__TRY_RETURN(take_operands(c, false, weighted));
  if (minlength < 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, "minlength", "`minlength` is %lld; expected 0 or more",
                      (long long)minlength);
  if (!weighted && !has_given_result(c)) WEFT__TRY_RETURN(count_small(&done, c, minlength));
  if (done) return WEFT_OK;
  WEFT__TRY_RETURN(find_length(&length, c, minlength));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, weighted ? WEFT_F64 : WEFT_I64, WEFT_SHAPE(length)));
  const weft_array *x = c->array[c->results];
  weft__binning binning = {.mode = WEFT__BIN_DIRECT, .value = weft__bin_value(x->dtype)};
  binning.args.bins = binning.args.used = (uint32_t)length;
  return weft__histogram_run(c->array[0], x, weighted ? c->array[c->results + 1] : NULL, &binning, c->site);
}

weft_status weft__bincount_at(weft_operand counts, weft_operand x, const weft_bincount_params *params) {
  const weft_bincount_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {x, WEFT_OPERAND(p.weights)};
  weft__call c;
  weft__enter("weft_bincount", p.site);
  weft__call_open(&c, NULL, 1, &counts, p.weights ? 2 : 1, operand, operand_names, p.site);
  c.result_name = result_names;
  return weft__leave(weft__call_close(&c, run_bincount(&c, p.minlength, p.weights != NULL)));
}

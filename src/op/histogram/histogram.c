// SPDX-License-Identifier: MIT
/// Histograms and counts: what the caller gave, and what is to be counted.
#include "op/histogram/histogram.h"

#include <math.h>
#include <stdlib.h>

#include <weft/histogram.h>

#include "call/call.h"
#include "expr/overload.h"
#include "map/cast.h"

/// A result that is not wanted.
static bool is_none(const weft_operand *result) {
  return result->kind == WEFT_OPERAND_RESULT && !result->as.result;
}

static weft_status check_dtype(weft_dtype dtype, const char *name, bool with_floats) {
  if (weft__is_whole(dtype) || (with_floats && weft_dtype_kind(dtype) == 'f')) return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected %s", name, weft_dtype_name(dtype),
                    with_floats ? "a real dtype" : "bool or an integer dtype");
}

/// Operand 0 is x; where there are weights, operand 1, which become f64.
static weft_status take_operands(weft__call *c, bool with_floats, bool weighted) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(check_dtype(weft__call_dtype(c, 0), "x", with_floats));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  if (!weighted) return WEFT_OK;
  WEFT__TRY_RETURN(check_dtype(weft__call_dtype(c, 1), "weights", true));
  WEFT__TRY_RETURN(weft__dtype_check(WEFT_F64, c->context));
  if (weft__call_is_scalar(c, 1))
    return weft__fail(WEFT_ERROR_ARGUMENT, "weights", "`weights` is a scalar; expected an array of the shape of `x`");
  if (!weft__same_shape(weft__call_shape(c, 0), weft__call_shape(c, 1))) {
    weft__text text = {0};
    weft__text_add(&text, "`x` is ");
    weft__add_shape(&text, weft__call_dtype(c, 0), weft__call_shape(c, 0));
    weft__text_add(&text, ", `weights` is ");
    weft__add_shape(&text, weft__call_dtype(c, 1), weft__call_shape(c, 1));
    weft__fail(WEFT_ERROR_SHAPE, "weights", "%s: they must have the same shape", weft__text_chars(&text));
    weft__text_free(&text);
    return WEFT_ERROR_SHAPE;
  }
  return weft__call_contiguous_operand(c, 1, WEFT_F64);
}

/* ---- even bins ---- */

typedef struct even_call {
  weft__call call;
  weft__even even;
  weft_operand result[2], operand[2];
  bool weighted, automatic;
} even_call;

static const char *const count_names[] = {"counts", "edges"};
static const char *const sum_names[] = {"sums", "edges"};
static const char *const operand_names[] = {"x", "weights"};

/// From the least to the greatest element.
static weft_status find_range(even_call *h, const weft_array *x) {
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
    return weft__fail(WEFT_ERROR_ARGUMENT, "x", "the range of `x` is %.9g to %.9g%s, which is not finite; weft_histogram takes a range",
                      extent.least, extent.most, extent.bad >= 0 ? ", with NaN" : "");
  return WEFT_OK;
}

static weft_status run_even(even_call *h) {
  weft__call *c = &h->call;
  weft__binning binning;
  weft_array *table = NULL;
  bool none;
  weft_status rc;
  WEFT__TRY(take_operands(c, true, h->weighted));
  const weft_array *x = c->array[c->results];
  h->even.x = x->dtype;
  h->even.edge = weft_dtype_kind(x->dtype) == 'f' ? x->dtype : WEFT_F64;
  h->even.arithmetic = WEFT_F64;
  if (h->automatic) WEFT__TRY(find_range(h, x));
  WEFT__TRY(weft__even_check(&h->even));
  WEFT__TRY(weft__call_contiguous_result(c, 0, h->weighted ? WEFT_F64 : WEFT_I64, WEFT_SHAPE(h->even.bins)));
  if (c->results > 1) WEFT__TRY(weft__call_contiguous_result(c, 1, h->even.edge, WEFT_SHAPE(h->even.bins + 1)));
  WEFT__TRY(weft__even_binning(&binning, &table, &none, &h->even, c->context, c->site));
  if (none) WEFT__TRY(weft__fill(c->array[0], WEFT_SCALAR(0), c->site));
  if (!none) WEFT__TRY(weft__histogram_run(c->array[0], x, h->weighted ? c->array[c->results + 1] : NULL, &binning, c->site));
  if (c->results > 1) WEFT__TRY(weft__even_edges(c->array[1], &h->even, c->site));
done:
  weft_array_release(&table);
  return rc;
}

static weft_status even_histogram(even_call *h, const char *site) {
  const int results = is_none(&h->result[1]) ? 1 : 2;
  weft__call_open(&h->call, NULL, results, h->result, h->weighted ? 2 : 1, h->operand, operand_names, site);
  h->call.result_name = h->weighted ? sum_names : count_names;
  return weft__call_close(&h->call, run_even(h));
}

weft_status weft__histogram_at(weft_operand counts, weft_operand edges, weft_operand x, int64_t bins, double low, double high,
                              const char *site) {
  weft__enter("weft_histogram", site);
  even_call h = {.even = {.bins = bins, .low = low, .high = high}, .result = {counts, edges}, .operand = {x}};
  return weft__leave(even_histogram(&h, site));
}

weft_status weft__histogram_weighted_at(weft_operand sums, weft_operand edges, weft_operand x, weft_operand weights, int64_t bins,
                                       double low, double high, const char *site) {
  weft__enter("weft_histogram_weighted", site);
  even_call h = {.even = {.bins = bins, .low = low, .high = high}, .result = {sums, edges}, .operand = {x, weights}, .weighted = true};
  return weft__leave(even_histogram(&h, site));
}

weft_status weft__histogram_auto_at(weft_operand counts, weft_operand edges, weft_operand x, int64_t bins, const char *site) {
  weft__enter("weft_histogram_auto", site);
  even_call h = {.even = {.bins = bins}, .result = {counts, edges}, .operand = {x}, .automatic = true};
  return weft__leave(even_histogram(&h, site));
}

/* ---- given edges ---- */

/// `count` edges on the host, in f64 for looking at them: false where they do not ascend, at *where.
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

static weft_status check_edges(const weft__call *c) {
  const weft_shape shape = weft__call_shape(c, 1);
  int64_t where;
  WEFT__TRY_RETURN(check_dtype(weft__call_dtype(c, 1), "edges", true));
  if (shape.ndim != 1) return weft__fail(WEFT_ERROR_SHAPE, "edges", "`edges` has %d axes; expected 1", shape.ndim);
  if (shape.dim[0] < 2 || shape.dim[0] > INT32_MAX)
    return weft__fail(WEFT_ERROR_SHAPE, "edges", "`edges` has %lld elements; expected 2 to %d", (long long)shape.dim[0], INT32_MAX);
  if (c->operand[1].kind == WEFT_OPERAND_HOST && !ascend(&c->operand[1].as.host, shape.dim[0], &where))
    return weft__fail(WEFT_ERROR_ARGUMENT, "edges", "`edges` do not ascend: element %lld is not at or above the one before it",
                      (long long)where);
  return WEFT_OK;
}

static weft_status run_edges(weft__call *c) {
  WEFT__TRY_RETURN(take_operands(c, true, false));
  WEFT__TRY_RETURN(check_edges(c));
  const weft_dtype x = weft__call_dtype(c, 0), both = weft__promote(x, weft__call_dtype(c, 1));
  const int64_t bins = weft__call_shape(c, 1).dim[0] - 1;
  weft__binning binning = {.mode = WEFT__BIN_SEARCH, .value = weft__bin_value(both)};
  binning.args.bins = binning.args.used = (uint32_t)bins;
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 1, binning.value));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, WEFT_I64, WEFT_SHAPE(bins)));
  binning.edges = c->array[c->results + 1];
  return weft__histogram_run(c->array[0], c->array[c->results], NULL, &binning, c->site);
}

weft_status weft__histogram_edges_at(weft_operand counts, weft_operand x, weft_operand edges, const char *site) {
  static const char *const names[] = {"x", "edges"};
  const weft_operand operand[] = {x, edges};
  weft__call c;
  weft__enter("weft_histogram_edges", site);
  weft__call_open(&c, NULL, 1, &counts, 2, operand, names, site);
  c.result_name = count_names;
  return weft__leave(weft__call_close(&c, run_edges(&c)));
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
  rc = weft__fail(WEFT_ERROR_INDEX, "x", "`x` has a negative element: %lld at position %lld", (long long)value, (long long)where);
done:
  weft_array_release(&wide);
  return rc;
}

/// How many counts: of a given result as many as it has, else one more than the greatest element.
static weft_status find_length(int64_t *length, const weft__call *c, int64_t minlength) {
  const weft_operand *result = &c->result[0];
  const weft_array *x = c->array[c->results];
  weft__extent extent;
  const bool is_host = result->kind == WEFT_OPERAND_HOST_RESULT, is_given = is_host || (result->as.result && *result->as.result);
  const char *name = weft__call_result_name(c, 0);
  if (minlength < 0) return weft__fail(WEFT_ERROR_ARGUMENT, "minlength", "`minlength` is %lld; expected 0 or more", (long long)minlength);
  *length = minlength;
  if (is_given) {
    const weft_shape shape = is_host ? result->as.host_result.shape : weft__array_shape(*result->as.result);
    if (shape.ndim != 1) return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d axes; expected 1", name, shape.ndim);
    if (shape.dim[0] < minlength)
      return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %lld elements; `minlength` is %lld", name, (long long)shape.dim[0],
                        (long long)minlength);
    *length = shape.dim[0];
  } else if (x->size) {
    WEFT__TRY_RETURN(weft__histogram_extent(&extent, x, c->site));
    if (extent.bad >= 0) return fail_negative(x, extent.bad, extent.least_integer);
    if (extent.most_integer >= INT32_MAX)
      return weft__fail(WEFT_ERROR_OVERFLOW, "x", "the greatest element of `x` is %llu; at most %d can be counted",
                        (unsigned long long)extent.most_integer, INT32_MAX - 1);
    if ((int64_t)extent.most_integer >= *length) *length = (int64_t)extent.most_integer + 1;
  }
  if (*length > INT32_MAX)
    return weft__fail(WEFT_ERROR_ARGUMENT, "minlength", "%lld counts; there may be at most %d", (long long)*length, INT32_MAX);
  return WEFT_OK;
}

static weft_status run_bincount(weft__call *c, int64_t minlength, bool weighted) {
  int64_t length = 0;
  WEFT__TRY_RETURN(take_operands(c, false, weighted));
  WEFT__TRY_RETURN(find_length(&length, c, minlength));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, weighted ? WEFT_F64 : WEFT_I64, WEFT_SHAPE(length)));
  const weft_array *x = c->array[c->results];
  weft__binning binning = {.mode = WEFT__BIN_DIRECT, .value = weft__bin_value(x->dtype)};
  binning.args.bins = binning.args.used = (uint32_t)length;
  return weft__histogram_run(c->array[0], x, weighted ? c->array[c->results + 1] : NULL, &binning, c->site);
}

weft_status weft__bincount_at(weft_operand counts, weft_operand x, int64_t minlength, const char *site) {
  weft__call c;
  weft__enter("weft_bincount", site);
  weft__call_open(&c, NULL, 1, &counts, 1, &x, operand_names, site);
  c.result_name = count_names;
  return weft__leave(weft__call_close(&c, run_bincount(&c, minlength, false)));
}

weft_status weft__bincount_weighted_at(weft_operand sums, weft_operand x, weft_operand weights, int64_t minlength, const char *site) {
  const weft_operand operand[] = {x, weights};
  weft__call c;
  weft__enter("weft_bincount_weighted", site);
  weft__call_open(&c, NULL, 1, &sums, 2, operand, operand_names, site);
  c.result_name = sum_names;
  return weft__leave(weft__call_close(&c, run_bincount(&c, minlength, true)));
}

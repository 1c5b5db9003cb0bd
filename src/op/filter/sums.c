// SPDX-License-Identifier: MIT
/// Filters that are sums: correlations, Gaussians, means and differences.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <weft/ufunc.h>

#include "map/cast.h"
#include "op/filter/filter.h"

#define ORDERS 8 /* of a Gaussian's derivative, at most */

static const char *const weighted_names[] = {"x", "weights"};
static const char *const sigma_names[] = {"x", "sigma"};

/// Weights that the host knows.
static weft_status make_weights(weft_array **out, const weft__filtering *t, const double *weight, int64_t count) {
  weft_context *context = t->call.context;
  return weft__filter_make(out, context, weft__filter_sum_dtype(context, t->call.array[1]->dtype), weight, count,
                           t->call.site);
}

/* ---- correlations ---- */

static weft_status check_weights(const weft__filtering *t, bool is_nd) {
  const weft__call *c = &t->call;
  const weft_array *w = c->array[2];
  if (w->ndim == (is_nd ? t->axes : 1) && w->size > 0) return WEFT_OK;
  weft__text text = {0};
  weft__add_shape(&text, w->dtype, weft__array_shape(w));
  weft__fail(WEFT_ERROR_SHAPE, "weights", "`weights` is %s; expected %d ax%cs and at least one element",
             weft__text_chars(&text), is_nd ? t->axes : 1, is_nd && t->axes != 1 ? 'e' : 'i');
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status correlate_nd(weft__filtering *t, const int64_t *before, bool is_convolution) {
  weft_array *const *array = t->call.array;
  int64_t *offset = NULL;
  weft_status rc;
  const int64_t taps = weft__footprint_offsets(&offset, t, array[2]->shape, before, is_convolution, NULL);
  if (taps < 0) return weft__fail_host_memory((size_t)array[2]->size * sizeof *offset);
  rc = weft__filter_footprint(
      t, array[0], array[1],
      &(weft__footprint){.op = WEFT__FILTER_SUM, .taps = taps, .offset = offset, .weights = array[2]});
  free(offset);
  return rc;
}

static weft_status correlate(weft__filtering *t, const weft_filter_params *p, bool is_convolution, bool is_nd) {
  weft__call *c = &t->call;
  int64_t before[WEFT_MAX_NDIM];
  if (!is_nd && t->axes != 1) return weft__fail(WEFT_ERROR_AXIS, "axis", "%d axes were given; expected one", t->axes);
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 1, weft__filter_sum_dtype(c->context, c->array[1]->dtype)));
  WEFT__TRY_RETURN(check_weights(t, is_nd));
  for (int k = 0; k < t->axes; k++)
    WEFT__TRY_RETURN(weft__filter_before(&before[k], t, &p->origin, k, c->array[2]->shape[k], is_convolution));
  if (c->array[0]->size == 0) return WEFT_OK;
  if (t->axes == 0) return weft__fail(WEFT_ERROR_AXIS, "axes", "no axes were given; expected one or more");
  if (is_nd && t->axes > 1) return correlate_nd(t, before, is_convolution);
  const weft__line line = {.axis = t->axis[0],
                           .op = WEFT__FILTER_SUM,
                           .taps = c->array[2]->size,
                           .before = before[0],
                           .weights = c->array[2],
                           .is_reversed = is_convolution};
  return weft__filter_passes(t, &line, 1);
}

weft_status weft__filter_correlate_at(weft_operand out, weft_operand x, weft_operand weights, weft_axes axes, int form,
                                      const weft_filter_params *params) {
  static const char *const functions[] = {"weft_correlate1d", "weft_convolve1d", "weft_correlate_nd",
                                          "weft_convolve_nd"};
  const weft_filter_params p = WEFT__PARAMS(params);
  weft__filtering t = {.out = out, .operand = {x, weights}, .what = form & 1 ? "convolve" : "correlate"};
  weft_status rc = weft__filter_open(&t, functions[form & 3], weighted_names, axes, p.mode, p.value, p.site);
  if (!rc) rc = correlate(&t, &p, form & 1, form & 2);
  return weft__filter_close(&t, rc);
}

/* ---- Gaussians ---- */

/// The weights of a Gaussian's derivative of this order at -radius to radius. With each derivative the polynomial in
/// front of exp(-x^2 / (2 sigma^2)) becomes its own derivative less x / sigma^2 times itself.
static void fill_gaussian(double *weight, int64_t radius, double sigma, int order) {
  double factor[ORDERS + 2] = {1}, sum = 0;
  for (int64_t x = -radius; x <= radius; x++) sum += weight[x + radius] = exp(-0.5 / (sigma * sigma) * (double)(x * x));
  for (int k = 0; k < order; k++) {
    double next[ORDERS + 2] = {0};
    for (int i = 0; i <= k; i++) {
      if (i > 0) next[i - 1] += i * factor[i];
      next[i + 1] -= factor[i] / (sigma * sigma);
    }
    for (int i = 0; i <= k + 1; i++) factor[i] = next[i];
  }
  for (int64_t x = -radius; x <= radius; x++) {
    double value = 0;
    for (int i = order; i >= 0; i--) value = value * (double)x + factor[i];
    weight[x + radius] *= value / sum;
  }
}

typedef struct gaussian {
  double sigma[WEFT_MAX_NDIM];
  int order[WEFT_MAX_NDIM];
  double truncate;
} gaussian;

/// One sigma for all axes, or one for each.
static weft_status read_sigma(gaussian *g, weft__filtering *t) {
  weft__call *c = &t->call;
  double value[WEFT_MAX_NDIM];
  if (weft__call_is_scalar(c, 1)) {
    value[0] = weft__scalar_real(c->operand[1].as.scalar);
  } else if (c->array[2]->size != 1 && (c->array[2]->ndim != 1 || c->array[2]->size != t->axes)) {
    return weft__fail(WEFT_ERROR_ARGUMENT, "sigma", "`sigma` has %" PRId64 " elements, for %d ax%cs", c->array[2]->size,
                      t->axes, t->axes == 1 ? 'i' : 'e');
  } else {
    WEFT__TRY_RETURN(weft__filter_read(value, c));
  }
  for (int k = 0; k < t->axes; k++) {
    g->sigma[k] = value[!weft__call_is_scalar(c, 1) && c->array[2]->size > 1 ? k : 0];
    if (!(g->sigma[k] >= 0))
      return weft__fail(WEFT_ERROR_ARGUMENT, "sigma", "`sigma` has %.9g; expected 0 or more", g->sigma[k]);
    if (!(g->sigma[k] * g->truncate < 0x1p30))
      return weft__fail(WEFT_ERROR_ARGUMENT, "sigma",
                        "`sigma` has %.9g: a window of %.9g deviations has 2^31 elements or more", g->sigma[k],
                        g->truncate);
  }
  return WEFT_OK;
}

static weft_status read_orders(gaussian *g, const weft__filtering *t, const weft_gaussian_params *p) {
  g->truncate = p->truncate != 0 ? p->truncate : 4;
  if (!(g->truncate > 0))
    return weft__fail(WEFT_ERROR_ARGUMENT, "truncate", "`truncate` is %.9g; expected a positive number", g->truncate);
  WEFT__TRY_RETURN(weft__filter_check_list(t, &p->order, "order"));
  for (int k = 0; k < t->axes; k++) {
    const int64_t order = weft__filter_number(&p->order, k);
    if (order < 0 || order > ORDERS)
      return weft__fail(WEFT_ERROR_ARGUMENT, "order", "`order` has %" PRId64 "; expected 0 to %d", order, ORDERS);
    g->order[k] = (int)order;
  }
  return WEFT_OK;
}

/// The passes of a Gaussian; the caller releases the lines' weights, in `weights`, also after a failure.
static weft_status gaussian_lines(weft__line *line, int *lines, weft_array **weights, const weft__filtering *t,
                                  const gaussian *g) {
  for (int k = 0; k < t->axes; k++) {
    if (g->sigma[k] <= 1e-15) continue; /* as SciPy: the axis is left alone */
    const int64_t radius = (int64_t)(g->truncate * g->sigma[k] + 0.5), taps = 2 * radius + 1;
    double *weight = malloc((size_t)taps * sizeof *weight);
    if (!weight) return weft__fail_host_memory((size_t)taps * sizeof *weight);
    fill_gaussian(weight, radius, g->sigma[k], g->order[k]);
    weft_status rc = make_weights(&weights[*lines], t, weight, taps);
    free(weight);
    WEFT__TRY_RETURN(rc);
    line[*lines] = (weft__line){.axis = t->axis[k],
                                .op = WEFT__FILTER_SUM,
                                .taps = taps,
                                .before = radius,
                                .weights = weights[*lines],
                                .is_reversed = true};
    (*lines)++;
  }
  return WEFT_OK;
}

static weft_status run_gaussian(weft__filtering *t, const gaussian *g) {
  weft__line line[WEFT_MAX_NDIM];
  weft_array *weights[WEFT_MAX_NDIM] = {NULL};
  int lines = 0;
  weft_status rc;
  if (t->call.array[0]->size == 0) return WEFT_OK;
  WEFT__TRY(gaussian_lines(line, &lines, weights, t, g));
  rc = weft__filter_passes(t, line, lines);
done:
  for (int k = 0; k < WEFT_MAX_NDIM; k++) weft_array_release(&weights[k]);
  return rc;
}

/// The sum of the second derivatives.
static weft_status run_gaussian_laplace(weft__filtering *t, gaussian *g) {
  weft__call *c = &t->call;
  weft_array *sum = c->array[0], *part = NULL;
  weft_status rc;
  if (t->axes == 0) return weft__fill(sum, WEFT_SCALAR(0), c->site);
  if (t->axes > 1) WEFT__TRY_RETURN(weft__array_create(&part, c->context, sum->dtype, weft__array_shape(sum), c->site));
  for (int k = 0; k < t->axes; k++) {
    c->array[0] = k == 0 ? sum : part;
    g->order[k] = 2;
    rc = run_gaussian(t, g);
    g->order[k] = 0;
    c->array[0] = sum;
    WEFT__TRY(rc);
    if (k > 0) WEFT__TRY((weft_add)(&sum, sum, part));
  }
  rc = WEFT_OK;
done:
  weft_array_release(&part);
  return rc;
}

weft_status weft__gaussian_at(weft_operand out, weft_operand x, weft_operand sigma, weft_axes axes, bool is_laplace,
                              const weft_gaussian_params *params) {
  const weft_gaussian_params p = WEFT__PARAMS(params);
  gaussian g;
  weft_status rc;
  weft__filtering t = {.out = out, .operand = {x, sigma}, .what = "gaussian filter"};
  WEFT__TRY(weft__filter_open(&t, is_laplace ? "weft_gaussian_laplace" : "weft_gaussian_filter", sigma_names, axes,
                              p.mode, p.value, p.site));
  if (is_laplace && p.order.ndim)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "order", "an order was given; a Laplacian has order 2"));
  WEFT__TRY(read_orders(&g, &t, &p));
  WEFT__TRY(read_sigma(&g, &t));
  rc = is_laplace ? run_gaussian_laplace(&t, &g) : run_gaussian(&t, &g);
done:
  return weft__filter_close(&t, rc);
}

/* ---- means ---- */

static weft_status run_uniform(weft__filtering *t, const weft_shape *size, const weft_shape *origin) {
  weft__line line[WEFT_MAX_NDIM];
  int lines = 0;
  WEFT__TRY_RETURN(weft__filter_check_size(t, size));
  for (int k = 0; k < t->axes; k++) {
    const int64_t taps = weft__filter_number(size, k);
    int64_t before;
    WEFT__TRY_RETURN(weft__filter_before(&before, t, origin, k, taps, false));
    if (taps > 1)
      line[lines++] = (weft__line){.axis = t->axis[k], .op = WEFT__FILTER_MEAN, .taps = taps, .before = before};
  }
  return weft__filter_passes(t, line, lines);
}

weft_status weft__uniform_filter_at(weft_operand out, weft_operand x, weft_shape size, weft_axes axes,
                                    const weft_filter_params *params) {
  const weft_filter_params p = WEFT__PARAMS(params);
  weft__filtering t = {.out = out, .operand = {x}, .what = "uniform filter"};
  weft_status rc = weft__filter_open(&t, "weft_uniform_filter", weighted_names, axes, p.mode, p.value, p.site);
  if (!rc) rc = run_uniform(&t, &size, &p.origin);
  return weft__filter_close(&t, rc);
}

/* ---- differences ---- */

static weft_status no_origin(const weft_filter_params *p) {
  if (!p->origin.ndim) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "origin", "an origin was given; this filter has none");
}

static weft_status run_sobel(weft__filtering *t, bool is_prewitt) {
  const double weight[] = {-1, 0, 1, 1, is_prewitt ? 1 : 2, 1};
  weft__line line[WEFT_MAX_NDIM];
  weft_array *difference = NULL, *smooth = NULL;
  weft_status rc;
  if (t->axes != 1) return weft__fail(WEFT_ERROR_AXIS, "axis", "%d axes were given; expected one", t->axes);
  WEFT__TRY(make_weights(&difference, t, weight, 3));
  WEFT__TRY(make_weights(&smooth, t, weight + 3, 3));
  int lines = 0;
  for (int d = -1; d < t->call.array[1]->ndim; d++)
    if (d != t->axis[0])
      line[lines++] = (weft__line){.axis = d < 0 ? t->axis[0] : d,
                                   .op = WEFT__FILTER_SUM,
                                   .taps = 3,
                                   .before = 1,
                                   .weights = d < 0 ? difference : smooth};
  rc = weft__filter_passes(t, line, lines);
done:
  weft_array_release(&difference);
  weft_array_release(&smooth);
  return rc;
}

weft_status weft__sobel_at(weft_operand out, weft_operand x, weft_axes axis, bool is_prewitt,
                           const weft_filter_params *params) {
  const weft_filter_params p = WEFT__PARAMS(params);
  weft__filtering t = {.out = out, .operand = {x}, .what = is_prewitt ? "prewitt" : "sobel"};
  weft_status rc =
      weft__filter_open(&t, is_prewitt ? "weft_prewitt" : "weft_sobel", weighted_names, axis, p.mode, p.value, p.site);
  if (!rc) rc = no_origin(&p);
  if (!rc) rc = run_sobel(&t, is_prewitt);
  return weft__filter_close(&t, rc);
}

/// The neighbours along the axes less twice the element for each.
static weft_status run_laplace(weft__filtering *t) {
  weft__call *c = &t->call;
  const int ndim = c->array[1]->ndim;
  int64_t offset[(2 * WEFT_MAX_NDIM + 1) * WEFT_MAX_NDIM] = {0};
  double weight[2 * WEFT_MAX_NDIM + 1] = {-2.0 * t->axes};
  weft_array *weights = NULL;
  weft_status rc;
  if (t->axes == 0) return weft__fill(c->array[0], WEFT_SCALAR(0), c->site);
  if (c->array[0]->size == 0) return WEFT_OK;
  for (int k = 0; k < 2 * t->axes; k++) {
    weight[k + 1] = 1;
    offset[(k + 1) * ndim + t->axis[k / 2]] = k % 2 ? 1 : -1;
  }
  WEFT__TRY(make_weights(&weights, t, weight, 2 * t->axes + 1));
  rc = weft__filter_footprint(
      t, c->array[0], c->array[1],
      &(weft__footprint){.op = WEFT__FILTER_SUM, .taps = 2 * t->axes + 1, .offset = offset, .weights = weights});
done:
  weft_array_release(&weights);
  return rc;
}

weft_status weft__laplace_filter_at(weft_operand out, weft_operand x, weft_axes axes,
                                    const weft_filter_params *params) {
  const weft_filter_params p = WEFT__PARAMS(params);
  weft__filtering t = {.out = out, .operand = {x}, .what = "laplace"};
  weft_status rc = weft__filter_open(&t, "weft_laplace_filter", weighted_names, axes, p.mode, p.value, p.site);
  if (!rc) rc = no_origin(&p);
  if (!rc) rc = run_laplace(&t);
  return weft__filter_close(&t, rc);
}

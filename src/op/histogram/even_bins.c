// SPDX-License-Identifier: MIT
/// Bins of equal width: the edges as NumPy computes them, and the numbers from which a kernel guesses a bin.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dtype/dtype.h"
#include "dtype/scalar.h"
#include "op/histogram/histogram.h"

weft_dtype weft__bin_value(weft_dtype x) {
  return weft_dtype_kind(x) == 'f' || weft_dtype_size_bytes(x) >= 4 ? weft__computed_dtype(x) : WEFT_I32;
}

weft_status weft__even_check(weft__even *even) {
  if (even->bins < 1)
    return weft__fail(WEFT_ERROR_ARGUMENT, "bins", "`bins` is %lld; expected 1 or more", (long long)even->bins);
  if (even->bins > INT32_MAX)
    return weft__fail(WEFT_ERROR_ARGUMENT, "bins", "`bins` is %lld; expected at most %d", (long long)even->bins,
                      INT32_MAX);
  if (!isfinite(even->low) || !isfinite(even->high) || !isfinite(even->high - even->low))
    return weft__fail(WEFT_ERROR_ARGUMENT, "range", "the range is %.17g to %.17g, which is not finite", even->low,
                      even->high);
  if (even->low > even->high)
    return weft__fail(WEFT_ERROR_ARGUMENT, "range", "the range begins at %.17g, above its end, %.17g", even->low,
                      even->high);
  if (even->low == even->high) {
    even->low = weft__float_rounded(even->arithmetic, even->low - 0.5);
    even->high = weft__float_rounded(even->arithmetic, even->high + 0.5);
  }
  if (!isfinite(weft__float_rounded(even->edge, even->low)) || !isfinite(weft__float_rounded(even->edge, even->high)))
    return weft__fail(WEFT_ERROR_ARGUMENT, "range", "the range is %.17g to %.17g, which %s cannot hold", even->low,
                      even->high, weft_dtype_name(even->edge));
  return WEFT_OK;
}

static double edge_of(const weft__even *even, int64_t j) {
  const weft_dtype in = even->arithmetic;
  if (j == even->bins) return weft__float_rounded(even->edge, even->high);
  const double width = weft__float_rounded(in, even->high - even->low),
               step = weft__float_rounded(in, width / weft__float_rounded(in, (double)even->bins));
  return weft__float_rounded(
      even->edge,
      weft__float_rounded(in, weft__float_rounded(in, weft__float_rounded(in, (double)j) * step) + even->low));
}

/* ---- integers ---- */

static double integer_as_double(weft_dtype dtype, uint64_t bits) {
  return weft_dtype_kind(dtype) == 'i' ? (double)(int64_t)bits : (double)bits;
}

static void integer_ends(uint64_t *least, uint64_t *most, weft_dtype dtype) {
  const int width = (int)weft_dtype_size_bytes(dtype) * 8;
  const bool is_signed = weft_dtype_kind(dtype) == 'i';
  *most = UINT64_MAX >> (64 - width + is_signed);
  *least = is_signed ? ~*most : 0;
}

bool weft__integer_at(uint64_t *bits, weft_dtype dtype, double edge) {
  uint64_t least, most;
  integer_ends(&least, &most, dtype);
  if (integer_as_double(dtype, most) < edge) return false;
  if (fabs(edge) <= 0x1p53) { /* all these integers are doubles */
    *bits = edge <= integer_as_double(dtype, least) ? least : (uint64_t)(int64_t)ceil(edge);
    return true;
  }
  uint64_t low = 0, high = most - least; /* as distances from `least` */
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (integer_as_double(dtype, least + middle) >= edge)
      high = middle;
    else
      low = middle + 1;
  }
  *bits = least + low;
  return true;
}

/// The least and greatest integer of x's dtype in the range. Returns false if the range holds no such integer.
static bool integer_range(uint64_t *first, uint64_t *last, const weft__even *even) {
  uint64_t least, most, beyond;
  integer_ends(&least, &most, even->x);
  if (!weft__integer_at(first, even->x, even->low)) return false;
  *last = most;
  if (weft__integer_at(&beyond, even->x, nextafter(even->high, INFINITY))) {
    if (beyond == least) return false;
    *last = beyond - 1;
  }
  return *last - least >= *first - least;
}

/* ---- kernel arguments ---- */

static uint64_t bits_of_double(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static uint64_t bits_of_float(double v) {
  uint32_t bits;
  const float narrow = (float)v;
  memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

/// Writes edge j in the dtype in which elements are compared. Returns false if the edge is above all values of x's
/// dtype.
static bool put_edge(void *to, const weft__even *even, weft_dtype value, int64_t j) {
  const double edge = edge_of(even, j);
  uint64_t bits;
  if (value == WEFT_F32)
    bits = bits_of_float(edge);
  else if (value == WEFT_F64)
    bits = bits_of_double(edge);
  else if (!weft__integer_at(&bits, even->x, edge))
    return false;
  memcpy(to, &bits, weft_dtype_size_bytes(value));
  return true;
}

/// Makes an array of all edges; its last element is the greatest value that is counted.
static weft_status make_table(weft__binning *binning, weft_array **table, const weft__even *even, uint64_t last,
                              weft_context *context, const char *site) {
  const size_t size = weft_dtype_size_bytes(binning->value);
  unsigned char *edges = calloc((size_t)even->bins + 1, size);
  if (!edges) return weft__fail_host_memory(((size_t)even->bins + 1) * size);
  int64_t used = 0;
  while (used < even->bins && put_edge(edges + (size_t)used * size, even, binning->value, used)) used++;
  binning->args.used = (uint32_t)used;
  memcpy(edges + (size_t)even->bins * size, &last, size);
  weft_status rc = weft__array_of(table, context, binning->value, WEFT_SHAPE(even->bins + 1), edges, site);
  free(edges);
  binning->edges = *table;
  return rc;
}

static weft_status check_distinct(const weft__even *even) {
  double before = edge_of(even, 0);
  for (int64_t j = 1; j <= even->bins; j++) {
    const double edge = edge_of(even, j);
    if (!(before < edge))
      return weft__fail(WEFT_ERROR_ARGUMENT, "bins",
                        "%lld bins are too many for the range %.17g to %.17g: edges %lld and %lld are the same %s",
                        (long long)even->bins, even->low, even->high, (long long)j - 1, (long long)j,
                        weft_dtype_name(even->edge));
    before = edge;
  }
  return WEFT_OK;
}

static double epsilon(weft_dtype dtype) {
  return ldexp(1, -1 - weft__dtype(dtype)->fraction_bits);
}

weft_status weft__even_binning(weft__binning *binning, weft_array **table, bool *none, const weft__even *even,
                               weft_context *context, const char *site) {
  const bool is_float = weft_dtype_kind(even->x) == 'f';
  const double bins = (double)even->bins, width = even->high - even->low, scale = bins / width;
  const double greatest = fmax(fabs(even->low), fabs(even->high));
  /* bound of the guess's error: its own roundings, the roundings of the edge computation, and the final rounding of an
     edge and of an element */
  const double near =
      bins * 0x1p-21 + bins * 8 * epsilon(even->arithmetic) + 4 * epsilon(even->edge) * greatest * scale;
  const bool fits_float = scale > FLT_MIN && scale < FLT_MAX / 2 && (even->x == WEFT_F64 || width < FLT_MAX / 2);
  uint64_t first, last;
  *none = false;
  *binning = (weft__binning){.mode = WEFT__BIN_EVEN, .value = weft__bin_value(even->x)};
  weft__histogram_args *a = &binning->args;
  a->bins = a->used = (uint32_t)even->bins;
  if (is_float) {
    const double low = edge_of(even, 0), high = edge_of(even, even->bins);
    const bool is_wide = even->x == WEFT_F64;
    a->least = is_wide ? bits_of_double(low) : bits_of_float(low);
    a->span = last = is_wide ? bits_of_double(high) : bits_of_float(high);
  } else {
    *none = !integer_range(&first, &last, even);
    if (*none) return WEFT_OK;
    a->least = first;
    a->span = last - first;
    a->shift = (float)((integer_as_double(even->x, first) - even->low) * scale);
  }
  a->low = bits_of_double(even->low);
  a->step = bits_of_double(width / bins);
  a->wide_scale = bits_of_double(scale);
  a->scale = (float)scale;
  a->near = (float)near;
  if (near >= 0.125) WEFT__TRY_RETURN(check_distinct(even));
  if (near >= 0.45 || !fits_float) binning->mode = WEFT__BIN_SEARCH;
  const bool formula =
      binning->mode == WEFT__BIN_EVEN && even->arithmetic == WEFT_F64 && context->core.device->info.has_fp64;
  return formula ? WEFT_OK : make_table(binning, table, even, last, context, site);
}

weft_status weft__even_edges(weft_array *edges, const weft__even *even, const char *site) {
  if (even->arithmetic == WEFT_F64 && edges->context->core.device->info.has_fp64)
    return weft__linspace_at(&edges, edges->context, edges->dtype, even->low, even->high, even->bins + 1,
                             &(weft_linspace_params){.site = site});
  const size_t count = (size_t)even->bins + 1, size = weft_dtype_size_bytes(even->edge);
  unsigned char *host = calloc(count, size);
  if (!host) return weft__fail_host_memory(count * size);
  for (size_t j = 0; j < count; j++) {
    const double edge = edge_of(even, (int64_t)j);
    uint64_t bytes[2];
    weft__scalar_bytes(bytes, even->edge, WEFT_SCALAR(edge));
    memcpy(host + j * size, bytes, size);
  }
  weft_status rc = weft__array_write(edges, host, true, site);
  free(host);
  return rc;
}

// SPDX-License-Identifier: MIT
/// The table of `weft verify`: which functions have the same bits on every device in reproducible contexts.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/verify.h"

/// Keeps the result y of a call.
#define KEEP(call)                          \
  do {                                      \
    weft_array *y = NULL;                   \
    WEFT__TRY_RETURN(call);                 \
    WEFT__TRY_RETURN(verify_keep(run, &y)); \
  } while (0)

/* ---- reductions ---- */

#define ALONG_ALL(function)                            \
  KEEP(function(&y, run->flat, 0));                    \
  KEEP(function(&y, run->wide, 0));                    \
  KEEP(function(&y, run->matrix, 0));                  \
  KEEP(function(&y, run->matrix, 1));                  \
  KEEP(function(&y, run->wide_matrix, WEFT_ALL_AXES)); \
  return WEFT_OK

static weft_status sum(verify_run *run) {
  KEEP(weft_sum(&y, run->complex, 0));
  KEEP(weft_sum(&y, run->narrow, 0));
  ALONG_ALL(weft_sum);
}
static weft_status prod(verify_run *run) {
  KEEP(weft_prod(&y, run->near_one, 0));
  ALONG_ALL(weft_prod);
}
static weft_status mean(verify_run *run) {
  KEEP(weft_mean(&y, run->narrow, 0));
  ALONG_ALL(weft_mean);
}
static weft_status variance(verify_run *run) {
  KEEP(weft_var(&y, run->complex, 0));
  KEEP(weft_var(&y, run->flat, 0, .ddof = 1));
  ALONG_ALL(weft_var);
}
static weft_status deviation(verify_run *run) {
  ALONG_ALL(weft_std);
}
static weft_status norm(verify_run *run) {
  KEEP(weft_norm(&y, run->complex, 0));
  KEEP(weft_norm(&y, run->flat, 0, .order = 1));
  ALONG_ALL(weft_norm);
}
static weft_status nansum(verify_run *run) {
  ALONG_ALL(weft_nansum);
}
static weft_status extrema(verify_run *run) {
  KEEP(weft_argmax(&y, run->flat, 0));
  KEEP(weft_min(&y, run->matrix, 0));
  ALONG_ALL(weft_max);
}
static weft_status dot(verify_run *run) {
  KEEP(weft_dot(&y, run->flat, run->other));
  KEEP(weft_dot(&y, run->wide, run->wide));
  KEEP(weft_dot(&y, run->complex, run->complex));
  return WEFT_OK;
}
static weft_status reduce(verify_run *run) {
  KEEP(
      weft_reduce(&y, run->context, "exp(a) * b - sin(b)", 0, WEFT_NAMED("a", run->flat), WEFT_NAMED("b", run->other)));
  KEEP(weft_reduce(&y, run->context, "x", 1, WEFT_NAMED("x", run->matrix),
                   WEFT_REDUCTION(.combine = "a + b - a * b", .neutral = WEFT_SCALAR(0))));
  return WEFT_OK;
}

/* ---- scans ---- */

static weft_status cumsum(verify_run *run) {
  KEEP(weft_cumsum(&y, run->flat, 0));
  KEEP(weft_cumsum(&y, run->complex, 0, .exclusive = true));
  KEEP(weft_cumsum(&y, run->narrow, 0));
  KEEP(weft_cumsum(&y, run->flat, 0, .reverse = true));
  ALONG_ALL(weft_cumsum);
}
static weft_status cumprod(verify_run *run) {
  KEEP(weft_cumprod(&y, run->near_one, 0));
  ALONG_ALL(weft_cumprod);
}
static weft_status scan(verify_run *run) {
  KEEP(weft_scan(&y, run->flat, 0, .combine = "a + b - a * b", .neutral = WEFT_SCALAR(0)));
  return WEFT_OK;
}

/* ---- products ---- */

static weft_status matmul(verify_run *run) {
  KEEP(weft_matmul(&y, run->square, run->square));
  KEEP(weft_matmul(&y, run->square, run->wide_matrix));
  weft_array *y = NULL, *turned = NULL;
  weft_status rc;
  WEFT__TRY(weft_transpose(&turned, run->matrix, WEFT_ALL_AXES));
  WEFT__TRY(weft_matmul(&y, run->matrix, turned));
  rc = verify_keep(run, &y);
done:
  weft_release(&turned);
  return rc;
}
static weft_status einsum(verify_run *run) {
  KEEP(weft_einsum(&y, "ij,kj->ik", run->matrix, run->matrix));
  KEEP(weft_einsum(&y, "ij,ij->i", run->wide_matrix, run->wide_matrix));
  return WEFT_OK;
}

/* ---- rows ---- */

static weft_status softmax(verify_run *run) {
  KEEP(weft_softmax(&y, run->matrix, 1));
  KEEP(weft_softmax(&y, run->wide_matrix, 1));
  return WEFT_OK;
}
static weft_status log_softmax(verify_run *run) {
  KEEP(weft_log_softmax(&y, run->matrix, 1));
  KEEP(weft_log_softmax(&y, run->matrix, 0));
  return WEFT_OK;
}
static weft_status logsumexp(verify_run *run) {
  KEEP(weft_logsumexp(&y, run->matrix, 1));
  KEEP(weft_logsumexp(&y, run->wide, 0));
  return WEFT_OK;
}
static weft_status standardize(verify_run *run) {
  KEEP(weft_standardize(&y, run->matrix, 1));
  KEEP(weft_standardize(&y, run->flat, 0));
  return WEFT_OK;
}

/* ---- order, indices, counts ---- */

static weft_status sort(verify_run *run) {
  KEEP(weft_sort(&y, run->flat, 0));
  KEEP(weft_argsort(&y, run->matrix, 1));
  return WEFT_OK;
}
static weft_status select_positive(verify_run *run) {
  KEEP(weft_select(&y, run->context, "x > 0", WEFT_NAMED("x", run->flat)));
  return WEFT_OK;
}
static weft_status scatter_add(verify_run *run) {
  weft_array *to = NULL;
  weft_status rc;
  WEFT__TRY(weft_zeros(&to, run->context, WEFT_F32, WEFT_SHAPE(64)));
  WEFT__TRY(weft_scatter_add(to, run->index, run->flat, 0));
  rc = verify_keep(run, &to);
done:
  weft_release(&to);
  return rc;
}
static weft_status weighted_counts(verify_run *run) {
  KEEP(weft_bincount(&y, run->index, .weights = run->flat));
  KEEP(weft_histogram(&y, run->flat, 50, .weights = run->wide));
  return WEFT_OK;
}

/* ---- statistics, differences, filters ---- */

static weft_status quantile(verify_run *run) {
  KEEP(weft_median(&y, run->flat, 0));
  KEEP(weft_quantile(&y, run->matrix, 0.37, 1));
  return WEFT_OK;
}
static weft_status average(verify_run *run) {
  KEEP(weft_average(&y, run->flat, 0, .weights = run->near_one));
  return WEFT_OK;
}
static weft_status covariance(verify_run *run) {
  KEEP(weft_cov(&y, run->wide_matrix));
  KEEP(weft_corrcoef(&y, run->matrix));
  return WEFT_OK;
}
static weft_status trapezoid(verify_run *run) {
  KEEP(weft_trapezoid(&y, run->matrix, 1));
  return WEFT_OK;
}
static weft_status filters(verify_run *run) {
  KEEP(weft_gaussian_filter(&y, run->matrix, 1.5, WEFT_ALL_AXES));
  KEEP(weft_uniform_filter(&y, run->wide_matrix, WEFT_SHAPE(3, 3), WEFT_ALL_AXES));
  return WEFT_OK;
}
static weft_status polyval(verify_run *run) {
  weft_array *p = NULL, *y = NULL;
  weft_status rc;
  WEFT__TRY(verify_numbers(&p, run, WEFT_F32, 6, 12, -1, 1));
  WEFT__TRY(weft_polyval(&y, p, run->flat));
  rc = verify_keep(run, &y);
done:
  weft_release(&p);
  return rc;
}
static weft_status ranges(verify_run *run) {
  KEEP(weft_linspace(&y, run->context, WEFT_F32, 0, 1, 1013));
  KEEP(weft_arange(&y, run->context, WEFT_F64, 0, 10, 0.1));
  return WEFT_OK;
}

/* ---- random numbers ---- */

static weft_status random_numbers(verify_run *run) {
  weft_rng *rng = NULL;
  weft_array *y = NULL;
  const weft_shape shape = WEFT_SHAPE(4099);
  weft_status rc;
  WEFT__TRY(weft_rng_create(&rng, .seed = run->seed, .context = run->context));
  WEFT__TRY(weft_uniform(&y, rng, WEFT_F32, shape, 0, 1));
  WEFT__TRY(verify_keep(run, &y));
  WEFT__TRY(weft_normal(&y, rng, WEFT_F32, shape, 0, 1));
  WEFT__TRY(verify_keep(run, &y));
  WEFT__TRY(weft_normal(&y, rng, WEFT_F64, shape, 0, 1));
  WEFT__TRY(verify_keep(run, &y));
  WEFT__TRY(weft_gamma(&y, rng, WEFT_F64, shape, 0.7, 1));
  rc = verify_keep(run, &y);
done:
  weft_release(&rng, &y);
  return rc;
}

/* ---- the table ---- */

const verify_row verify_rows[] = {
    {"sum", sum, NULL},
    {"prod", prod, NULL},
    {"mean", mean, NULL},
    {"var", variance, NULL},
    {"std", deviation, NULL},
    {"norm", norm, NULL},
    {"nansum", nansum, NULL},
    {"max, min, argmax", extrema, NULL},
    {"dot", dot, NULL},
    {"reduce", reduce, NULL},
    {"cumsum", cumsum, NULL},
    {"cumprod", cumprod, NULL},
    {"scan", scan, NULL},
    {"matmul", matmul, NULL},
    {"einsum", einsum, NULL},
    {"softmax", softmax, NULL},
    {"log_softmax", log_softmax, NULL},
    {"logsumexp", logsumexp, NULL},
    {"standardize", standardize, NULL},
    {"sort, argsort", sort, NULL},
    {"select", select_positive, NULL},
    {"scatter_add", scatter_add, NULL},
    {"bincount, histogram", weighted_counts, NULL},
    {"median, quantile", quantile, NULL},
    {"average", average, NULL},
    {"cov, corrcoef", covariance, NULL},
    {"trapezoid", trapezoid, NULL},
    {"gaussian_filter, uniform_filter", filters, NULL},
    {"polyval", polyval, NULL},
    {"arange, linspace", ranges, NULL},
    {"uniform, normal, gamma", random_numbers, NULL},
    {"fft", NULL, "the errors of \"Fourier transforms\""},
    {"cholesky, lu, qr, svd, eigh, solve", NULL, "the errors of \"Solvers\""},
    {"csr_matmul", NULL, "rounded sums in an order that depends on the device"},
    {NULL, NULL, NULL},
};

const char *verify_ufunc_bound(const char *name) {
  /* integers of NaN and 0 are the device's choice */
  return strcmp(name, "ilogb") == 0 ? "equal except for 0 and NaN, whose results OpenCL leaves open" : NULL;
}

/* ---- functions over elements ---- */

enum { ELEMENTS = 4801, MOST_OPERANDS = 8 };

static weft_dtype dtype_of(const char *name) {
  for (int k = 1; k < WEFT_DTYPE_COUNT; k++)
    if (strcmp(weft_dtype_name((weft_dtype)k), name) == 0) return (weft_dtype)k;
  return WEFT_DTYPE_NONE;
}

/// Reads "f32 a, f32 b)" up to the end of the parentheses; returns the number of dtypes.
static int read_dtypes(weft_dtype dtypes[MOST_OPERANDS], const char *text, const char *end) {
  int count = 0;
  while (text < end && count < MOST_OPERANDS) {
    char name[16] = "";
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");
    memcpy(name, text, length < sizeof name ? length : sizeof name - 1);
    dtypes[count] = dtype_of(name);
    if (!dtypes[count++]) return 0;
    const char *comma = memchr(text, ',', (size_t)(end - text));
    text = comma ? comma + 2 : end;
  }
  return count;
}

/// Calls a signature: "f32(f32 a, f32 b)" or "(f32 out, f32 out2)(f32 a)". Signatures without floats are exact.
static weft_status call_signature(verify_run *run, weft_ufunc_id id, const char *line, size_t length) {
  weft_dtype dtype[MOST_OPERANDS];
  weft_array *array[MOST_OPERANDS] = {NULL};
  weft_operand operand[MOST_OPERANDS];
  const char *end = line + length - 1, *open = end;
  while (*open != '(') open--;
  int results = 1, inputs = read_dtypes(dtype, open + 1, end);
  bool has_floats = false;
  for (const char *at = line; *line == '(' && at < open; at++) results += *at == ',';
  for (int k = 0; k < inputs; k++) has_floats |= strchr("fc", weft_dtype_kind(dtype[k])) != NULL;
  if (!has_floats || results + inputs > MOST_OPERANDS) return WEFT_OK;
  weft_status rc = WEFT_OK;
  for (int k = 0; k < inputs; k++)
    WEFT__TRY(verify_numbers(&array[results + k], run, dtype[k], ELEMENTS, 20 + k, 0, 0));
  for (int k = 0; k < results; k++) operand[k] = WEFT_OPERAND(&array[k]);
  for (int k = 0; k < inputs; k++) operand[results + k] = WEFT_OPERAND((const weft_array *)array[results + k]);
  WEFT__TRY(weft_ufunc_apply(id, results + inputs, operand));
  for (int k = 0; k < results; k++) WEFT__TRY(verify_keep(run, &array[k]));
done:
  for (int k = 0; k < results + inputs; k++) weft_release(&array[k]);
  return rc;
}

weft_status verify_ufunc(verify_run *run, weft_ufunc_id id) {
  char *text = NULL;
  weft_status rc = weft_ufunc_builtin_signatures(&text, id, NULL);
  for (const char *line = text; rc == WEFT_OK && line && *line; line += strcspn(line, "\n") + 1) {
    size_t length = strcspn(line, "\n");
    const char *mark = strstr(line, " # ");
    if (mark && mark < line + length) length = (size_t)(mark - line);
    rc = call_signature(run, id, line, length);
  }
  weft_free(text);
  return rc;
}

// SPDX-License-Identifier: MIT
/// The table of `weft verify`: which functions have the same bits on every device in reproducible contexts.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/verify/verify.h"

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
static weft_status without_nan(verify_run *run) {
  KEEP(weft_nanprod(&y, run->near_one, 0));
  KEEP(weft_nanmean(&y, run->wide, 0));
  KEEP(weft_nanvar(&y, run->matrix, 1));
  KEEP(weft_nanstd(&y, run->flat, 0));
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
/* The chosen elements' places are below the length of `index`, which has small numbers. */
static weft_status subset(verify_run *run) {
  KEEP(weft_subset_sum(&y, run->flat, run->index));
  KEEP(weft_subset_dot(&y, run->flat, run->other, run->index));
  return WEFT_OK;
}
static weft_status expressions(verify_run *run) {
  KEEP(weft_eval(&y, run->context, "exp(a) * b + sin(a) / (b * b + 1)", WEFT_NAMED("a", run->flat),
                 WEFT_NAMED("b", run->other)));
  KEEP(weft_eval(&y, run->context, "(m - mean(m, axis=1)) / std(m, axis=1)", WEFT_NAMED("m", run->matrix)));
  KEEP(weft_stencil(&y, run->context, "x + 0.1 * (x[-1, 0] + x[1, 0] + x[0, -1] + x[0, 1] - 4 * x)",
                    WEFT_NAMED("x", run->matrix)));
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
static weft_status cumsum_without_nan(verify_run *run) {
  KEEP(weft_nancumsum(&y, run->flat, 0));
  KEEP(weft_nancumprod(&y, run->near_one, 0));
  return WEFT_OK;
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
static weft_status products(verify_run *run) {
  KEEP(weft_vdot(&y, run->complex, run->complex));
  KEEP(weft_tensordot(&y, run->matrix, run->matrix, 1, 1));
  KEEP(weft_inner(&y, run->matrix, run->matrix));
  KEEP(weft_kron(&y, run->square, WEFT_HOST(((const float[]){1.1f, -0.3f}), WEFT_F32, WEFT_SHAPE(1, 2))));
  KEEP(weft_multi_dot(&y, ((weft_array *const[]){run->square, run->square, run->square}), 3));
  KEEP(weft_matrix_trace(&y, run->square, WEFT_AXES(0, 1)));
  weft_array *row = NULL, *points = NULL, *y = NULL;
  weft_status rc;
  WEFT__TRY(weft_pick(&row, run->square, 0, 3));
  WEFT__TRY(weft_slice(&points, run->square, 1, 0, 3));
  WEFT__TRY(weft_matvec(&y, run->square, row));
  WEFT__TRY(verify_keep(run, &y));
  WEFT__TRY(weft_outer(&y, row, row));
  WEFT__TRY(verify_keep(run, &y));
  WEFT__TRY(weft_cross(&y, points, points, -1));
  rc = verify_keep(run, &y);
done:
  weft_release(&row, &points);
  return rc;
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
  KEEP(weft_histogram2d(&y, run->flat, run->other, WEFT_SHAPE(20, 30), .weights = run->wide));
  return WEFT_OK;
}

/* ---- statistics, differences, filters ---- */

static weft_status quantile(verify_run *run) {
  KEEP(weft_median(&y, run->flat, 0));
  KEEP(weft_quantile(&y, run->matrix, 0.37, 1));
  KEEP(weft_nanmedian(&y, run->wide, 0));
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
  KEEP(weft_cumulative_trapezoid(&y, run->flat, 0));
  return WEFT_OK;
}
static weft_status differences(verify_run *run) {
  KEEP(weft_diff(&y, run->matrix, 1, .n = 2));
  KEEP(weft_gradient(&y, run->matrix, 0));
  KEEP(weft_unwrap(&y, run->matrix, 1));
  KEEP(weft_around(&y, run->matrix, .decimals = 2));
  return WEFT_OK;
}
static weft_status rolling(verify_run *run) {
  KEEP(weft_rolling(&y, run->flat, 37, 0));
  KEEP(weft_rolling(&y, run->matrix, 9, 1, .op = WEFT_REDUCE_STD));
  KEEP(weft_rolling(&y, run->wide_matrix, 5, 0, .op = WEFT_REDUCE_NANMEAN, .min_count = 1));
  return WEFT_OK;
}
static weft_status groups(verify_run *run) {
  weft_array *keys = NULL, *y = NULL;
  const int64_t offsets[] = {0, 5, 5, 11, 37};
  weft_status rc;
  WEFT__TRY(weft_reduce_by_key(&keys, &y, run->index, run->flat));
  WEFT__TRY(verify_keep(run, &y));
  WEFT__TRY(verify_keep(run, &keys));
  WEFT__TRY(weft_reduce_by_key(NULL, &y, run->index, run->wide, .op = WEFT_REDUCE_STD));
  WEFT__TRY(verify_keep(run, &y));
  WEFT__TRY(weft_reduce_segments(&y, run->matrix, WEFT_HOST(offsets, WEFT_I64, WEFT_SHAPE(5)), .op = WEFT_REDUCE_MEAN));
  rc = verify_keep(run, &y);
done:
  weft_release(&keys);
  return rc;
}
static weft_status filters(verify_run *run) {
  KEEP(weft_gaussian_filter(&y, run->matrix, 1.5, WEFT_ALL_AXES));
  KEEP(weft_uniform_filter(&y, run->wide_matrix, WEFT_SHAPE(3, 3), WEFT_ALL_AXES));
  return WEFT_OK;
}
static weft_status windows(verify_run *run) {
  const weft_host weights = WEFT_HOST(((const float[]){0.3f, -1.7f, 0.6f}), WEFT_F32, WEFT_SHAPE(3));
  const weft_host block = WEFT_HOST(((const float[]){0.3f, -1.7f, 0.6f, 1.9f}), WEFT_F32, WEFT_SHAPE(2, 2));
  KEEP(weft_correlate1d(&y, run->matrix, weights, 1));
  KEEP(weft_convolve1d(&y, run->matrix, weights, 0, .mode = WEFT_BORDER_WRAP));
  KEEP(weft_correlate_nd(&y, run->wide_matrix, block, WEFT_ALL_AXES));
  KEEP(weft_convolve_nd(&y, run->matrix, block, WEFT_ALL_AXES));
  KEEP(weft_sobel(&y, run->matrix, 0));
  KEEP(weft_prewitt(&y, run->matrix, 1));
  KEEP(weft_laplace_filter(&y, run->matrix, WEFT_ALL_AXES));
  KEEP(weft_gaussian_laplace(&y, run->matrix, 1.5, WEFT_ALL_AXES));
  return WEFT_OK;
}
static weft_status transforms(verify_run *run) {
  KEEP(weft_zoom(&y, run->square, 1.7));
  KEEP(weft_shift(&y, run->square, 0.37, .order = 1));
  KEEP(weft_rotate(&y, run->square, 30, WEFT_AXES(1, 0)));
  KEEP(weft_affine_transform(&y, run->square,
                             WEFT_HOST(((const double[]){0.9, 0.2, -0.1, 1.1}), WEFT_F64, WEFT_SHAPE(2, 2))));
  return WEFT_OK;
}
static weft_status between(verify_run *run) {
  weft_array *places = NULL, *row = NULL, *known = NULL, *columns = NULL, *y = NULL;
  weft_status rc;
  WEFT__TRY(verify_numbers(&places, run, WEFT_F64, 1013, 13, -3, 70));
  WEFT__TRY(weft_reshape(&columns, places, WEFT_SHAPE(1, 1013)));
  WEFT__TRY(weft_arange(&known, run->context, WEFT_F64, 0, 67, 1));
  WEFT__TRY(weft_pick(&row, run->square, 0, 5));
  WEFT__TRY(weft_interp(&y, places, known, row));
  WEFT__TRY(verify_keep(run, &y));
  WEFT__TRY(weft_map_coordinates(&y, row, columns));
  rc = verify_keep(run, &y);
done:
  weft_release(&places, &row, &known, &columns);
  return rc;
}
static weft_status distances(verify_run *run) {
  weft_array *holes = NULL, *y = NULL;
  weft_status rc;
  WEFT__TRY(weft_greater(&holes, run->matrix, -0.9f));
  WEFT__TRY(weft_distance_transform(&y, holes));
  rc = verify_keep(run, &y);
done:
  weft_release(&holes);
  return rc;
}
static weft_status polyval(verify_run *run) {
  weft_array *p = NULL, *y = NULL;
  weft_status rc;
  WEFT__TRY(verify_numbers(&p, run, WEFT_F32, 6, 12, -1, 1));
  WEFT__TRY(weft_polyval(&y, p, run->flat));
  WEFT__TRY(verify_keep(run, &y));
  WEFT__TRY(weft_vander(&y, p, .columns = 5));
  rc = verify_keep(run, &y);
done:
  weft_release(&p);
  return rc;
}
static weft_status ranges(verify_run *run) {
  KEEP(weft_linspace(&y, run->context, WEFT_F32, 0, 1, 1013));
  KEEP(weft_arange(&y, run->context, WEFT_F64, 0, 10, 0.1));
  KEEP(weft_logspace(&y, run->context, WEFT_F64, -2, 3, 1013));
  KEEP(weft_geomspace(&y, run->context, WEFT_F32, 1, 1000, 1013));
  KEEP(weft_hanning(&y, run->context, WEFT_F32, 101));
  KEEP(weft_hamming(&y, run->context, WEFT_F64, 5003));
  KEEP(weft_blackman(&y, run->context, WEFT_F64, 5003));
  KEEP(weft_bartlett(&y, run->context, WEFT_F32, 5003));
  KEEP(weft_kaiser(&y, run->context, WEFT_F64, 5003, 8.6));
  KEEP(weft_fftfreq(&y, run->context, WEFT_F32, 101, .d = 0.1));
  return WEFT_OK;
}

/* ---- random numbers ---- */

/* A list of calls; each makes y. */
#define DRAW(call)        \
  WEFT__TRY(weft_##call); \
  WEFT__TRY(verify_keep(run, &y));
#define DRAWN(name, CALLS)                                                        \
  static weft_status name(verify_run *run) {                                      \
    weft_rng *rng = NULL;                                                         \
    weft_array *y = NULL;                                                         \
    const weft_shape n = WEFT_SHAPE(4099);                                        \
    weft_status rc;                                                               \
    WEFT__TRY(weft_rng_create(&rng, .seed = run->seed, .context = run->context)); \
    CALLS(DRAW)                                                                   \
    rc = WEFT_OK;                                                                 \
  done:                                                                           \
    weft_release(&rng, &y);                                                       \
    return rc;                                                                    \
  }
// clang-format off
#define NUMBERS(X) \
  X(uniform(&y, rng, WEFT_F32, n, 0, 1)) X(normal(&y, rng, WEFT_F32, n, 0, 1)) X(normal(&y, rng, WEFT_F64, n, 0, 1)) \
  X(gamma(&y, rng, WEFT_F64, n, 0.7, 1))
#define INVERSES(X) \
  X(exponential(&y, rng, WEFT_F32, n, 2)) X(lognormal(&y, rng, WEFT_F32, n, 0, 1)) \
  X(laplace(&y, rng, WEFT_F64, n, 0, 1)) X(logistic(&y, rng, WEFT_F32, n, 0, 1)) X(gumbel(&y, rng, WEFT_F32, n, 0, 1)) \
  X(weibull(&y, rng, WEFT_F32, n, 1.5)) X(pareto(&y, rng, WEFT_F64, n, 3)) X(rayleigh(&y, rng, WEFT_F32, n, 1)) \
  X(triangular(&y, rng, WEFT_F32, n, 0, 0.3, 1)) X(vonmises(&y, rng, WEFT_F32, n, 0, 1)) \
  X(truncated_normal(&y, rng, WEFT_F32, n, -1, 2))
#define GAMMAS(X) \
  X(chisquare(&y, rng, WEFT_F32, n, 3)) X(beta(&y, rng, WEFT_F32, n, 2, 3)) X(f_ratio(&y, rng, WEFT_F64, n, 3, 10)) \
  X(standard_t(&y, rng, WEFT_F32, n, 5)) \
  X(dirichlet(&y, rng, WEFT_F32, n, WEFT_HOST(((const double[]){1, 2, 0.5}), WEFT_F64, WEFT_SHAPE(3))))
#define COUNTS(X) \
  X(integers(&y, rng, WEFT_I64, n, 0, 1000)) X(bernoulli(&y, rng, WEFT_BOOL, n, 0.3)) \
  X(poisson(&y, rng, WEFT_I64, n, 4)) X(poisson(&y, rng, WEFT_I64, n, 400)) \
  X(binomial(&y, rng, WEFT_I64, n, 100, 0.3)) \
  X(geometric(&y, rng, WEFT_I64, n, 0.3)) X(negative_binomial(&y, rng, WEFT_I64, n, 5, 0.5)) \
  X(multinomial(&y, rng, WEFT_I32, n, 20, WEFT_HOST(((const double[]){1, 2, 0.5}), WEFT_F64, WEFT_SHAPE(3)))) \
  X(sobol(&y, rng, WEFT_F32, 1013, 4)) X(sobol(&y, rng, WEFT_F32, 101, 70)) \
  X(permutation(&y, rng, 4099)) X(shuffle(&y, rng, run->flat)) \
  X(choice(&y, rng, run->flat, 999)) X(random_bits(&y, rng, WEFT_U32, n))
// clang-format on
DRAWN(random_numbers, NUMBERS)
DRAWN(inverses, INVERSES)
DRAWN(gammas, GAMMAS)
DRAWN(random_counts, COUNTS)

/* ---- the table ---- */

const verify_row verify_rows[] = {
    {"sum", sum, NULL},
    {"prod", prod, NULL},
    {"mean", mean, NULL},
    {"var", variance, NULL},
    {"std", deviation, NULL},
    {"norm", norm, NULL},
    {"nansum, nanprod, nanmean, nanvar, nanstd", without_nan, NULL},
    {"max, min, argmax", extrema, NULL},
    {"dot", dot, NULL},
    {"subset_sum, subset_dot", subset, NULL},
    {"reduce", reduce, NULL},
    {"eval, eval_all, stencil, ufunc_apply", expressions, NULL},
    {"cumsum", cumsum, NULL},
    {"cumprod", cumprod, NULL},
    {"nancumsum, nancumprod", cumsum_without_nan, NULL},
    {"scan", scan, NULL},
    {"matmul", matmul, NULL},
    {"einsum", einsum, NULL},
    {"vdot, tensordot, inner, outer, matvec, kron, cross, multi_dot, matrix_trace", products, NULL},
    {"softmax", softmax, NULL},
    {"log_softmax", log_softmax, NULL},
    {"logsumexp", logsumexp, NULL},
    {"standardize", standardize, NULL},
    {"sort, argsort", sort, NULL},
    {"select", select_positive, NULL},
    {"scatter_add", scatter_add, NULL},
    {"bincount, histogram, histogram2d, histogramdd", weighted_counts, NULL},
    {"median, quantile, percentile, nanmedian, nanquantile, nanpercentile", quantile, NULL},
    {"average", average, NULL},
    {"cov, corrcoef", covariance, NULL},
    {"trapezoid, cumulative_trapezoid", trapezoid, NULL},
    {"diff, ediff1d, gradient, unwrap, around, isclose, nan_to_num", differences, NULL},
    {"rolling", rolling, NULL},
    {"reduce_by_key, reduce_segments", groups, NULL},
    {"gaussian_filter, uniform_filter", filters, NULL},
    {"correlate1d, convolve1d, correlate_nd, convolve_nd, sobel, prewitt, laplace_filter, gaussian_laplace", windows,
     NULL},
    {"affine_transform, zoom, shift, rotate", transforms, NULL},
    {"interp, map_coordinates", between, NULL},
    {"distance_transform", distances, NULL},
    {"polyval, vander", polyval, NULL},
    {"arange, linspace, logspace, geomspace, hanning, hamming, blackman, bartlett, kaiser, fftfreq, rfftfreq", ranges,
     NULL},
    {"uniform, normal, gamma", random_numbers, NULL},
    {"exponential, lognormal, laplace, logistic, gumbel, weibull, pareto, rayleigh, triangular, vonmises, "
     "truncated_normal",
     inverses, NULL},
    {"chisquare, beta, f_ratio, standard_t, dirichlet", gammas, NULL},
    {"integers, bernoulli, poisson, binomial, geometric, negative_binomial, multinomial, sobol, permutation, "
     "shuffle, choice, random_bits",
     random_counts, NULL},
    {"fft, ifft, rfft, irfft, hfft, ihfft, fft2, ifft2, rfft2, irfft2, fftn, ifftn, rfftn, irfftn, dct, idct, "
     "convolve, correlate, fftconvolve",
     NULL, "the errors of \"Fourier transforms\""},
    {"cholesky, lu, lu_factor, lu_solve, qr, svd, eigh, solve, solve_triangular, lstsq, inv, pinv, det, "
     "slogdet, matrix_rank, matrix_power, matrix_norm, cond, polyfit",
     NULL, "the errors of \"Solvers\""},
    {"multivariate_normal", NULL, "normal's bits, times a factor with the errors of \"Solvers\""},
    {"csr_matmul", NULL, "rounded sums in an order that depends on the device"},
    {"ufunc_call", NULL, "as the text of the function rounds on the device"},
    {"image_read", NULL, "the same bits everywhere of images that are not normalized"},
    {"argmin, any, all, count_nonzero, ptp, nanmin, nanmax, nanargmin, nanargmax, cummax, cummin, subset_min, "
     "subset_max, lexsort, group_by, sort_by_key, topk, partition_kth, argpartition, partition, merge, "
     "is_sorted, searchsorted, digitize, unique, isin, intersect1d, setdiff1d, union1d, setxor1d, compress, "
     "nonzero, flatnonzero, label, minimum_filter, maximum_filter, median_filter, "
     "rank_filter, percentile_filter, grey_erosion, grey_dilation, grey_opening, grey_closing, binary_erosion, "
     "binary_dilation, binary_opening, binary_closing, take, take_along_axis, at, take_many, put, "
     "put_along_axis, put_many, scatter, scatter_min, scatter_max, assign, place, putmask, fill_diagonal, "
     "ravel_multi_index, unravel_index, where_first, choose, empty, full, zeros, ones, empty_like, full_like, "
     "zeros_like, ones_like, from_host, wrap_host, fill, copy, cast, eye, tri, tril, triu, diag, diag_indices, "
     "indices, tril_indices, triu_indices, concatenate, stack, vstack, hstack, dstack, column_stack, append, insert, "
     "delete, trim_zeros, resize, repeat, tile, roll, pad, packbits, unpackbits, fftshift, ifftshift, csr_parts, "
     "csr_to_dense, csr_to_coo, views",
     NULL, "the same bits everywhere: elements are moved, compared or counted"},
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

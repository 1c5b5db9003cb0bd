// SPDX-License-Identifier: MIT
/// The operations that dist_suite compares, each with its counterpart on one device.
#ifndef WEFT_TESTS_DIST_OPERATIONS_H
#define WEFT_TESTS_DIST_OPERATIONS_H

#include "dist_support.h"

typedef weft_status operation(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid);
typedef weft_status plain(weft_array **out, const weft_array *x);

static weft_status same(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_resplit(out, x, 0);
}
static weft_status formula(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *row = NULL, *whole = NULL;
  weft_status rc = weft_dist_resplit(&whole, x, WEFT_DIST_WHOLE);
  if (rc == WEFT_OK)
    rc =
        weft_dist_eval(&row, grid, "x + w * k", WEFT_DIST_VAR(x), WEFT_DIST_NAMED("w", whole), WEFT_DIST_NAMED("k", 3));
  if (rc == WEFT_OK)
    rc = weft_dist_eval(out, grid, "where(a > x, a - x, a)", WEFT_DIST_NAMED("a", row), WEFT_DIST_VAR(x));
  weft_dist_array_release(&row);
  weft_dist_array_release(&whole);
  return rc;
}
#define LAST (weft_array_ndim(weft_dist_local(x)) - 1)
/* Indices and the number of elements are of the whole array. */
#define INDICES(name, axis, variable, text)                                                     \
  static weft_status name(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {   \
    weft_dist_array *turned = NULL;                                                             \
    weft_status rc = weft_dist_resplit(&turned, x, axis);                                       \
    if (rc == WEFT_OK) rc = weft_dist_eval(out, grid, text, WEFT_DIST_NAMED(variable, turned)); \
    weft_dist_array_release(&turned);                                                           \
    return rc;                                                                                  \
  }                                                                                             \
  static weft_status plain_##name(weft_array **out, const weft_array *x) {                      \
    return weft_eval(out, weft_array_context(x), text, WEFT_NAMED(variable, x));                \
  }
INDICES(indices_first, 0, "x", "n + f64(x) * (i % 1000) + i0")
INDICES(indices_last, LAST, "x", "# i0\ns = i0; t = s if x > 1 else i; f64(x) + t + n")
INDICES(index_beside_i0, LAST, "i0", "f64(i) + f64(i0)") /* a variable */
#define REDUCTION(name, call, ...)                                                            \
  static weft_status name(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) { \
    (void)grid;                                                                               \
    return weft_dist_##call(out, x, __VA_ARGS__);                                             \
  }
REDUCTION(sum_all, sum, WEFT_ALL_AXES)
REDUCTION(sum_first, sum, 0)
REDUCTION(sum_last_kept, sum, weft_keepdims(-1))
REDUCTION(prod_all, prod, WEFT_ALL_AXES)
REDUCTION(mean_all, mean, WEFT_ALL_AXES)
REDUCTION(mean_last, mean, -1)
REDUCTION(max_all, max, WEFT_ALL_AXES)
REDUCTION(min_first, min, 0)
REDUCTION(argmax_all, argmax, WEFT_ALL_AXES)
REDUCTION(argmin_first, argmin, 0)
REDUCTION(cumsum_first, cumsum, 0)
REDUCTION(cumsum_last, cumsum, -1)
REDUCTION(cumprod_first, cumprod, 0)
REDUCTION(cummax_first, cummax, 0)
REDUCTION(cummin_last, cummin, -1)
REDUCTION(any_all, any, WEFT_ALL_AXES)
REDUCTION(all_first, all, 0)
REDUCTION(count_first, count_nonzero, 0)
REDUCTION(ptp_all, ptp, WEFT_ALL_AXES)
REDUCTION(sort_first, sort, 0)
REDUCTION(argsort_first, argsort, 0)
REDUCTION(sort_last, sort, -1)
REDUCTION(var_all, var, WEFT_ALL_AXES, .ddof = 1)
REDUCTION(std_first, std, 0)

static weft_status turn(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *other = NULL;
  (void)grid;
  weft_status rc = weft_dist_resplit(&other, x, LAST);
  if (rc == WEFT_OK) rc = weft_dist_resplit(out, other, 0);
  weft_dist_array_release(&other);
  return rc;
}
static weft_status turned_sum(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *other = NULL;
  (void)grid;
  weft_status rc = weft_dist_resplit(&other, x, LAST);
  if (rc == WEFT_OK) rc = weft_dist_sum(out, other, -1);
  weft_dist_array_release(&other);
  return rc;
}

/// The sum of the rows before and behind, by a halo.
static weft_status neighbours(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid,
                              weft_dist_border border) {
  weft_array *wide = NULL, *before = NULL, *after = NULL, *sum = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_halo(&wide, x, .border = border);
  if (rc == WEFT_OK) rc = weft_slice(&before, wide, 0, 0, info.count);
  if (rc == WEFT_OK) rc = weft_slice(&after, wide, 0, 2, info.count + 2);
  if (rc == WEFT_OK) rc = weft_subtract(&sum, before, after);
  if (rc == WEFT_OK) rc = weft_dist_from_local(out, grid, sum, 0);
  weft_release(&wide, &before, &after, &sum);
  return rc;
}
static weft_status halo_zero(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return neighbours(out, x, grid, WEFT_DIST_ZERO);
}
static weft_status halo_wrap(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return neighbours(out, x, grid, WEFT_DIST_WRAP);
}
/// In two halves; in between x is changed, and something is computed that does not move rows.
static weft_status halves(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid, weft_dist_border border) {
  weft_dist_exchange *exchange = NULL;
  weft_array *wide = NULL, *before = NULL, *after = NULL, *sum = NULL;
  weft_dist_array *copy = NULL, *meanwhile = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_eval(&copy, grid, "x", WEFT_DIST_VAR(x));
  if (rc == WEFT_OK) rc = weft_dist_halo_begin(&exchange, &wide, copy, .border = border);
  if (rc == WEFT_OK) rc = weft_fill(weft_dist_local(copy), 7);
  weft_dist_array_release(&copy);
  if (rc == WEFT_OK) rc = weft_dist_eval(&meanwhile, grid, "x + 1", WEFT_DIST_VAR(x));
  weft_dist_array_release(&meanwhile);
  if (exchange && weft_dist_halo_end(&exchange) != WEFT_OK) rc = WEFT_ERROR_DIST;
  if (rc == WEFT_OK) rc = weft_slice(&before, wide, 0, 0, info.count);
  if (rc == WEFT_OK) rc = weft_slice(&after, wide, 0, 2, info.count + 2);
  if (rc == WEFT_OK) rc = weft_subtract(&sum, before, after);
  if (rc == WEFT_OK) rc = weft_dist_from_local(out, grid, sum, 0);
  weft_release(&wide, &before, &after, &sum);
  return rc;
}
static weft_status halves_zero(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return halves(out, x, grid, WEFT_DIST_ZERO);
}
static weft_status halves_wrap(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return halves(out, x, grid, WEFT_DIST_WRAP);
}
static weft_status halves_edge(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return halves(out, x, grid, WEFT_DIST_EDGE);
}
/// The rows that came, between which this rank's are put.
static weft_status edges(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_array *came = NULL, *part[3] = {NULL}, *wide = NULL, *before = NULL, *after = NULL, *sum = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_halo(&came, x, .border = WEFT_DIST_EDGE, .edges_only = true);
  const int64_t rows = rc == WEFT_OK && weft_array_length(came, 0) > 0; /* a rank without rows has no neighbours */
  if (rc == WEFT_OK) rc = weft_slice(&part[0], came, 0, 0, rows);
  if (rc == WEFT_OK) rc = weft_slice(&part[2], came, 0, rows, 2 * rows);
  part[1] = weft_array_retain(weft_dist_local(x));
  if (rc == WEFT_OK) rc = weft_concatenate(&wide, part, 3, 0);
  if (rc == WEFT_OK) rc = weft_slice(&before, wide, 0, 0, info.count);
  if (rc == WEFT_OK) rc = weft_slice(&after, wide, 0, 2 * rows, info.count + 2 * rows);
  if (rc == WEFT_OK) rc = weft_subtract(&sum, before, after);
  if (rc == WEFT_OK) rc = weft_dist_from_local(out, grid, sum, 0);
  weft_release(&came, &part[0], &part[1], &part[2], &wide, &before, &after, &sum);
  return rc;
}
static weft_status plain_halo(weft_array **out, const weft_array *x, weft_pad_mode mode) {
  weft_array *wide = NULL, *before = NULL, *after = NULL;
  const int64_t n = weft_array_length(x, 0);
  weft_shape margins = weft_array_shape(x);
  for (int d = 0; d < margins.ndim; d++) margins.dim[d] = d == 0;
  weft_status rc = weft_pad(&wide, x, margins, margins, .mode = mode);
  if (rc == WEFT_OK) rc = weft_slice(&before, wide, 0, 0, n);
  if (rc == WEFT_OK) rc = weft_slice(&after, wide, 0, 2, n + 2);
  if (rc == WEFT_OK) rc = weft_subtract(out, before, after);
  weft_release(&wide, &before, &after);
  return rc;
}
static weft_status plain_zero(weft_array **out, const weft_array *x) {
  return plain_halo(out, x, WEFT_PAD_CONSTANT);
}
static weft_status plain_wrap(weft_array **out, const weft_array *x) {
  return plain_halo(out, x, WEFT_PAD_WRAP);
}
static weft_status plain_edge(weft_array **out, const weft_array *x) {
  return plain_halo(out, x, WEFT_PAD_EDGE);
}
static weft_status halo_edge(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return neighbours(out, x, grid, WEFT_DIST_EDGE);
}

/// The last rank alone gives rows; they are the numbers 0 to 99.
static weft_status from_the_last(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_array *part = NULL;
  weft_dist_array *joined = NULL;
  weft_dist_info info;
  (void)x;
  weft_status rc = weft_dist_get(&info, grid);
  if (rc == WEFT_OK) rc = weft_arange(&part, info.context, WEFT_F64, 0, info.rank == info.ranks - 1 ? 100 : 0, 1);
  if (rc == WEFT_OK) rc = weft_dist_from_local(&joined, grid, part, 0);
  if (rc == WEFT_OK) rc = weft_dist_eval(out, grid, "j * 2", WEFT_DIST_NAMED("j", joined));
  weft_dist_array_release(&joined);
  weft_array_release(&part);
  return rc;
}

static weft_status where_small(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *first = NULL, *mask = NULL;
  weft_dist_array_info info;
  weft_array *one = NULL;
  weft_status rc = weft_dist_array_get(&info, x);
  /* by the first column */
  if (rc == WEFT_OK)
    rc = info.shape.ndim == 1 ? weft_copy(&one, weft_dist_local(x))
                              : weft_view(&one, weft_dist_local(x), info.shape.ndim == 2 ? ":, 0" : ":, 0, 0");
  if (rc == WEFT_OK) rc = weft_dist_from_local(&first, grid, one, 0);
  if (rc == WEFT_OK) rc = weft_dist_eval(&mask, grid, "f < 20", WEFT_DIST_NAMED("f", first));
  if (rc == WEFT_OK) rc = weft_dist_compress(out, mask, x);
  weft_dist_array_release(&first);
  weft_dist_array_release(&mask);
  weft_array_release(&one);
  return rc;
}
static weft_status distinct(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_unique(out, x);
}
static weft_status plain_unique(weft_array **out, const weft_array *x) {
  return weft_unique(out, x);
}
/// Rows of all ranks, each twice, in no order, by indices from the start and from the end.
static weft_status scattered_rows(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *numbers = NULL, *indices = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_arange(&numbers, grid, WEFT_I64, 0, 2 * info.shape.dim[0], 1);
  if (rc == WEFT_OK)
    rc = weft_dist_eval(&indices, grid, "i * 7919 % n - where(i % 3 == 0, n, 0)", WEFT_DIST_NAMED("i", numbers),
                        WEFT_DIST_NAMED("n", info.shape.dim[0] > 0 ? info.shape.dim[0] : 1));
  if (rc == WEFT_OK) rc = weft_dist_take(out, x, indices);
  weft_dist_array_release(&numbers);
  weft_dist_array_release(&indices);
  return rc;
}
static weft_status counts(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_histogram(out, x, 17, -3, 90);
}
static weft_status plain_counts(weft_array **out, const weft_array *x) {
  return weft_histogram(out, x, 17, .range = WEFT_RANGE(-3, 90));
}
static weft_status occurrences(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_bincount(out, x, 5);
}
static weft_status plain_occurrences(weft_array **out, const weft_array *x) {
  return weft_bincount(out, x, .minlength = 5);
}
static weft_status largest(weft_dist_array **out, const weft_dist_array *x, bool wants_indices) {
  weft_dist_array *values = NULL, *indices = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_topk(&values, &indices, x, info.shape.dim[0] < 9 ? info.shape.dim[0] : 9);
  *out = wants_indices ? indices : values;
  weft_dist_array_release(wants_indices ? &values : &indices);
  return rc;
}
static weft_status largest_values(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return largest(out, x, false);
}
static weft_status largest_places(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return largest(out, x, true);
}
static weft_status plain_largest(weft_array **out, const weft_array *x) {
  const int64_t n = weft_array_size(x);
  return weft_topk(out, NULL, x, n < 9 ? n : 9, 0);
}
static weft_status plain_places(weft_array **out, const weft_array *x) {
  const int64_t n = weft_array_size(x);
  return weft_topk(NULL, out, x, n < 9 ? n : 9, 0);
}

/// x @ x.T of a matrix; a whole, a split by columns, and b split otherwise than a.
static weft_status product(weft_dist_array **out, const weft_dist_array *x, int a_axis, int b_axis) {
  weft_dist_array *a = NULL, *b = NULL, *turned = NULL;
  weft_array *whole = NULL, *t = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_resplit(&a, x, a_axis);
  if (rc == WEFT_OK) rc = weft_dist_gather(&whole, x, 0);
  if (rc == WEFT_OK && whole) rc = weft_transpose(&t, whole, WEFT_ALL_AXES);
  if (rc == WEFT_OK) rc = weft_dist_scatter(&turned, info.grid, t, 0, 0);
  if (rc == WEFT_OK) rc = weft_dist_resplit(&b, turned, b_axis);
  if (rc == WEFT_OK) rc = weft_dist_matmul(out, a, b);
  weft_dist_array_release(&a);
  weft_dist_array_release(&b);
  weft_dist_array_release(&turned);
  weft_release(&whole, &t);
  return rc;
}
static weft_status product_rows(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return product(out, x, 0, 0);
}
static weft_status product_columns(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return product(out, x, 1, 1);
}
static weft_status product_whole(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return product(out, x, WEFT_DIST_WHOLE, 0);
}
static weft_status plain_product(weft_array **out, const weft_array *x) {
  weft_array *turned = NULL;
  weft_status rc = weft_transpose(&turned, x, WEFT_ALL_AXES);
  if (rc == WEFT_OK) rc = weft_matmul(out, x, turned);
  weft_array_release(&turned);
  return rc;
}

static int64_t rows_of(const weft_dist_array *x) {
  weft_dist_array_info info = {.dtype = WEFT_DTYPE_NONE};
  return weft_dist_array_get(&info, x) == WEFT_OK ? info.shape.dim[0] : 0;
}
/* Twice, so that the second one begins where the first one has ended. */
#define PICK(name, dist_call, plain_call)                                                     \
  static weft_status name(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) { \
    weft_dist_array *first = NULL;                                                            \
    weft_rng *rng = NULL;                                                                     \
    (void)grid;                                                                               \
    weft_status rc = weft_rng_create(&rng, .seed = 4);                                        \
    if (rc == WEFT_OK) rc = dist_call(&first, x);                                             \
    if (rc == WEFT_OK) rc = dist_call(out, first);                                            \
    weft_dist_array_release(&first);                                                          \
    weft_rng_release(&rng);                                                                   \
    return rc;                                                                                \
  }                                                                                           \
  static weft_status plain_##name(weft_array **out, const weft_array *x) {                    \
    weft_array *first = NULL;                                                                 \
    weft_rng *rng = NULL;                                                                     \
    weft_status rc = weft_rng_create(&rng, .seed = 4);                                        \
    if (rc == WEFT_OK) rc = plain_call(&first, x);                                            \
    if (rc == WEFT_OK) rc = plain_call(out, first);                                           \
    weft_array_release(&first);                                                               \
    weft_rng_release(&rng);                                                                   \
    return rc;                                                                                \
  }
#define SHUFFLE(out, x) weft_dist_shuffle(out, rng, x)
#define PLAIN_SHUFFLE(out, x) weft_shuffle(out, rng, x)
#define CHOICE(out, x) weft_dist_choice(out, rng, x, 77)
#define PLAIN_CHOICE(out, x) weft_choice(out, rng, x, 77)
#define SAMPLE(out, x) weft_dist_choice(out, rng, x, (rows_of(x) + 1) / 2, .unique = true)
#define PLAIN_SAMPLE(out, x) weft_choice(out, rng, x, (weft_array_length(x, 0) + 1) / 2, .unique = true)
/// The weights of the rows: 3, 4, 5, 6, 0, 1, 2 and again.
static weft_status weigh(weft_dist_array **out, const weft_dist_array *x) {
  weft_dist_array_info info = {.dtype = WEFT_DTYPE_NONE};
  weft_dist_array *numbers = NULL;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_arange(&numbers, info.grid, WEFT_I64, 0, info.shape.dim[0], 1);
  if (rc == WEFT_OK) rc = weft_dist_eval(out, info.grid, "f64((x + 3) % 7)", WEFT_DIST_NAMED("x", numbers));
  weft_dist_array_release(&numbers);
  return rc;
}
static weft_status weighted(weft_dist_array **out, weft_rng *rng, const weft_dist_array *x, bool unique) {
  weft_dist_array *weights = NULL;
  weft_status rc = weigh(&weights, x);
  const int64_t count = unique ? (rows_of(x) + 1) / 2 : 78;
  if (rc == WEFT_OK) rc = weft_dist_choice(out, rng, x, count, .weights = weights, .unique = unique);
  weft_dist_array_release(&weights);
  return rc;
}
static weft_status plain_weighted(weft_array **out, weft_rng *rng, const weft_array *x, bool unique) {
  weft_array *numbers = NULL, *weights = NULL;
  const int64_t rows = weft_array_length(x, 0), count = unique ? (rows + 1) / 2 : 78;
  weft_status rc = weft_arange(&numbers, weft_array_context(x), WEFT_I64, 0, rows, 1);
  if (rc == WEFT_OK) rc = weft_eval(&weights, weft_array_context(x), "f64((x + 3) % 7)", WEFT_NAMED("x", numbers));
  if (rc == WEFT_OK) rc = weft_choice(out, rng, x, count, .weights = weights, .unique = unique);
  weft_release(&numbers, &weights);
  return rc;
}
#define WEIGHTED(out, x) weighted(out, rng, x, false)
#define PLAIN_WEIGHTED(out, x) plain_weighted(out, rng, x, false)
#define WEIGHTED_SAMPLE(out, x) weighted(out, rng, x, true)
#define PLAIN_WEIGHTED_SAMPLE(out, x) plain_weighted(out, rng, x, true)
PICK(weighted_rows, WEIGHTED, PLAIN_WEIGHTED)
PICK(weighted_samples, WEIGHTED_SAMPLE, PLAIN_WEIGHTED_SAMPLE)
PICK(shuffled, SHUFFLE, PLAIN_SHUFFLE)
PICK(chosen, CHOICE, PLAIN_CHOICE)
PICK(sampled, SAMPLE, PLAIN_SAMPLE)

/// The order of three times the rows.
static weft_status permuted(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_rng *rng = NULL;
  weft_status rc = weft_rng_create(&rng, .seed = 4);
  if (rc == WEFT_OK) rc = weft_dist_permutation(out, grid, rng, 3 * rows_of(x));
  weft_rng_release(&rng);
  return rc;
}
static weft_status plain_permuted(weft_array **out, const weft_array *x) {
  weft_rng *rng = NULL;
  weft_status rc = weft_rng_create(&rng, .seed = 4);
  if (rc == WEFT_OK) rc = weft_permutation(out, rng, 3 * weft_array_length(x, 0));
  weft_rng_release(&rng);
  return rc;
}

/* Of x with NaN in the place of large numbers, and of integers as they are. */
#define NAN_FORM(name, ...)                                                                          \
  static weft_status dist_##name(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) { \
    weft_dist_array *holed = NULL;                                                                   \
    weft_status rc = make_holes(&holed, x, grid);                                                    \
    if (rc == WEFT_OK) rc = weft_dist_##name(out, holed, __VA_ARGS__);                               \
    weft_dist_array_release(&holed);                                                                 \
    return rc;                                                                                       \
  }                                                                                                  \
  static weft_status plain_##name(weft_array **out, const weft_array *x) {                           \
    weft_array *holed = NULL;                                                                        \
    weft_status rc = weft_copy(&holed, x);                                                           \
    if (rc == WEFT_OK && weft_dtype_kind(weft_array_dtype(x)) == 'f')                                \
      rc = weft_eval(&holed, weft_array_context(x), HOLES, WEFT_VAR(x));                             \
    if (rc == WEFT_OK) rc = weft_##name(out, holed, __VA_ARGS__);                                    \
    weft_array_release(&holed);                                                                      \
    return rc;                                                                                       \
  }
#define HOLES "where(x > 0.25, (x - x) / (x - x), x)"
static weft_status make_holes(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  const bool is_float = weft_dtype_kind(weft_array_dtype(weft_dist_local(x))) == 'f';
  return weft_dist_eval(out, grid, is_float ? HOLES : "x", WEFT_DIST_VAR(x));
}
NAN_FORM(nansum, 0)
NAN_FORM(nanprod, WEFT_ALL_AXES)
NAN_FORM(nanmax, 0)
NAN_FORM(nanmin, WEFT_ALL_AXES)
NAN_FORM(nanmean, -1)
NAN_FORM(nanstd, 0, .ddof = 1)
NAN_FORM(nanargmax, WEFT_ALL_AXES)
NAN_FORM(nanargmin, 0)
NAN_FORM(argmax, WEFT_ALL_AXES)
NAN_FORM(argmin, WEFT_ALL_AXES)

static char file_name[64];
static weft_status through_a_file(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_status rc = weft_dist_save(file_name, x);
  if (rc == WEFT_OK) rc = weft_dist_load(out, grid, file_name, LAST);
  return rc;
}

/// The middle rows of a file, split along the last axis.
static weft_status middle_of_a_file(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_save(file_name, x);
  if (rc == WEFT_OK)
    rc = weft_dist_load(out, grid, file_name, info.shape.ndim - 1, .first = info.shape.dim[0] / 3,
                        .count = (info.shape.dim[0] + 1) / 2);
  return rc;
}
static weft_status plain_middle(weft_array **out, const weft_array *x) {
  const int64_t n = weft_array_length(x, 0);
  return weft_slice(out, x, 0, n / 3, n / 3 + (n + 1) / 2);
}

#define PLAIN(name, call, axes)                                            \
  static weft_status plain_##name(weft_array **out, const weft_array *x) { \
    return weft_##call(out, x, axes);                                      \
  }
/* The like with an option. */
#define FORM(name, call, ...)                                                                        \
  static weft_status dist_##name(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) { \
    (void)grid;                                                                                      \
    return weft_dist_##call(out, x, __VA_ARGS__);                                                    \
  }                                                                                                  \
  static weft_status plain_##name(weft_array **out, const weft_array *x) {                           \
    return weft_##call(out, x, __VA_ARGS__);                                                         \
  }
FORM(sort_down, sort, 0, .descending = true)
FORM(argsort_down, argsort, 0, .descending = true)
FORM(cumsum_before, cumsum, 0, .exclusive = true)
FORM(cumprod_before, cumprod, -1, .exclusive = true)
FORM(cummax_before, cummax, 0, .exclusive = true)
FORM(cummin_before, cummin, -1, .exclusive = true)

static weft_status least_places(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *values = NULL;
  (void)grid;
  const weft_status rc = weft_dist_topk(&values, out, x, rows_of(x) / 2, .smallest = true);
  weft_dist_array_release(&values);
  return rc;
}
static weft_status plain_least_places(weft_array **out, const weft_array *x) {
  return weft_topk(NULL, out, x, weft_array_length(x, 0) / 2, 0, .smallest = true);
}

/* Along the last axis, of an array that is split along the first or the last one. */
static weft_status last_columns(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid, bool splits_last,
                                bool takes) {
  weft_dist_array *turned = NULL, *chosen = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  const int axis = info.shape.ndim - 1;
  if (rc == WEFT_OK) rc = weft_dist_resplit(&turned, x, splits_last ? axis : 0);
  if (rc == WEFT_OK) rc = weft_dist_arange(&chosen, grid, WEFT_I64, info.shape.dim[axis] - 1, -1, takes ? -2 : -1);
  if (rc == WEFT_OK && takes) rc = weft_dist_take(out, turned, chosen, .axis = axis);
  if (rc == WEFT_OK && !takes) {
    weft_dist_array *mask = NULL;
    rc = weft_dist_eval(&mask, grid, "x % 3 == 1", WEFT_DIST_NAMED("x", chosen));
    if (rc == WEFT_OK) rc = weft_dist_compress(out, mask, turned, .axis = axis);
    weft_dist_array_release(&mask);
  }
  weft_dist_array_release(&turned);
  weft_dist_array_release(&chosen);
  return rc;
}
static weft_status plain_columns(weft_array **out, const weft_array *x, bool takes) {
  weft_array *chosen = NULL, *mask = NULL;
  const int axis = weft_array_ndim(x) - 1;
  weft_status rc =
      weft_arange(&chosen, weft_array_context(x), WEFT_I64, weft_array_length(x, axis) - 1, -1, takes ? -2 : -1);
  if (rc == WEFT_OK && takes) rc = weft_take(out, x, chosen, axis);
  if (rc == WEFT_OK && !takes) rc = weft_eval(&mask, weft_array_context(x), "x % 3 == 1", WEFT_NAMED("x", chosen));
  if (rc == WEFT_OK && !takes) rc = weft_compress(out, mask, x, axis);
  weft_release(&chosen, &mask);
  return rc;
}
#define COLUMNS(name, splits_last, takes)                                                     \
  static weft_status name(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) { \
    return last_columns(out, x, grid, splits_last, takes);                                    \
  }
COLUMNS(taken_along, false, true)
COLUMNS(taken_across, true, true)
COLUMNS(masked_along, false, false)
COLUMNS(masked_across, true, false)
static weft_status plain_taken(weft_array **out, const weft_array *x) {
  return plain_columns(out, x, true);
}
static weft_status plain_masked(weft_array **out, const weft_array *x) {
  return plain_columns(out, x, false);
}
PLAIN(sort, sort, 0)
PLAIN(argsort, argsort, 0)
PLAIN(greatest_place, argmax, WEFT_ALL_AXES)
PLAIN(least_place, argmin, 0)
PLAIN(cumprod, cumprod, 0)
PLAIN(cummax, cummax, 0)
PLAIN(cummin, cummin, -1)
PLAIN(any, any, WEFT_ALL_AXES)
PLAIN(all, all, 0)
PLAIN(count, count_nonzero, 0)
PLAIN(ptp, ptp, WEFT_ALL_AXES)
/* of integers alone: float sums are grouped otherwise */
PLAIN(sum, sum, WEFT_ALL_AXES)
PLAIN(cumsum, cumsum, 0)
static weft_status plain_same(weft_array **out, const weft_array *x) {
  return weft_copy(out, x);
}

/// Of arrays of one axis alone, of integers alone, with elements alone.
enum { ONE_AXIS = 1, TWO_AXES = 2, INTEGERS = 4, NOT_EMPTY = 8, NOT_PLAIN_FLOATS = 16, MATRIX = 32 };

static const struct {
  const char *name;
  operation *run;
  plain *reference; /* on one device; NULL: one rank is the reference */
  int needs;
} operations[] = {
    {"the same", same, plain_same, 0},
    {"eval", formula, NULL, 0},
    {"indices", indices_first, plain_indices_first, 0},
    {"indices, split along -1", indices_last, plain_indices_last, 0},
    {"index beside a variable i0", index_beside_i0, plain_index_beside_i0, 0},
    {"sum of all", sum_all, plain_sum, NOT_PLAIN_FLOATS},
    {"sum along 0", sum_first, NULL, 0},
    {"sum along -1, kept", sum_last_kept, NULL, 0},
    {"prod of all", prod_all, NULL, 0},
    {"mean of all", mean_all, NULL, NOT_EMPTY},
    {"mean along -1", mean_last, NULL, NOT_EMPTY},
    {"max of all", max_all, NULL, NOT_EMPTY},
    {"min along 0", min_first, NULL, NOT_EMPTY},
    {"argmax of all", argmax_all, plain_greatest_place, NOT_EMPTY},
    {"argmin along 0", argmin_first, plain_least_place, NOT_EMPTY},
    {"cumsum along 0", cumsum_first, plain_cumsum, NOT_PLAIN_FLOATS},
    {"cumsum along -1", cumsum_last, NULL, 0},
    {"cumprod along 0", cumprod_first, plain_cumprod, NOT_PLAIN_FLOATS},
    {"cummax along 0", cummax_first, plain_cummax, 0},
    {"cummin along -1", cummin_last, plain_cummin, 0},
    {"any", any_all, plain_any, 0},
    {"all along 0", all_first, plain_all, 0},
    {"count_nonzero along 0", count_first, plain_count, 0},
    {"ptp", ptp_all, plain_ptp, NOT_EMPTY},
    {"var of all", var_all, NULL, NOT_EMPTY},
    {"std along 0", std_first, NULL, NOT_EMPTY},
    {"nansum along 0", dist_nansum, plain_nansum, NOT_PLAIN_FLOATS},
    {"nanprod", dist_nanprod, plain_nanprod, NOT_PLAIN_FLOATS},
    {"nanmax along 0", dist_nanmax, plain_nanmax, NOT_EMPTY},
    {"nanmin", dist_nanmin, plain_nanmin, NOT_EMPTY},
    {"nanmean along -1", dist_nanmean, plain_nanmean, NOT_EMPTY | NOT_PLAIN_FLOATS},
    {"nanstd along 0", dist_nanstd, NULL, NOT_EMPTY},
    {"nanargmax of all", dist_nanargmax, plain_nanargmax, NOT_EMPTY},
    {"nanargmin along 0", dist_nanargmin, plain_nanargmin, NOT_EMPTY},
    {"argmax with NaN", dist_argmax, plain_argmax, NOT_EMPTY},
    {"argmin with NaN", dist_argmin, plain_argmin, NOT_EMPTY},
    {"cumsum along 0, exclusive", dist_cumsum_before, plain_cumsum_before, NOT_PLAIN_FLOATS},
    {"cumprod along -1, exclusive", dist_cumprod_before, plain_cumprod_before, NOT_PLAIN_FLOATS},
    {"cummax along 0, exclusive", dist_cummax_before, plain_cummax_before, 0},
    {"cummin along -1, exclusive", dist_cummin_before, plain_cummin_before, 0},
    {"sort, descending", dist_sort_down, plain_sort_down, ONE_AXIS},
    {"argsort, descending", dist_argsort_down, plain_argsort_down, ONE_AXIS},
    {"topk, places of the least", least_places, plain_least_places, ONE_AXIS},
    {"take along -1", taken_along, plain_taken, 0},
    {"take along -1, split", taken_across, plain_taken, 0},
    {"compress along -1", masked_along, plain_masked, 0},
    {"compress along -1, split", masked_across, plain_masked, 0},
    {"choice, weighted", weighted_rows, plain_weighted_rows, NOT_EMPTY},
    {"choice, weighted and unique", weighted_samples, plain_weighted_samples, NOT_EMPTY},
    {"product of rows", product_rows, plain_product, MATRIX | NOT_PLAIN_FLOATS},
    {"product of columns", product_columns, plain_product, MATRIX | NOT_PLAIN_FLOATS},
    {"product of a whole one", product_whole, plain_product, MATRIX | NOT_PLAIN_FLOATS},
    {"sort", sort_first, plain_sort, ONE_AXIS},
    {"argsort", argsort_first, plain_argsort, ONE_AXIS},
    {"sort along -1", sort_last, NULL, TWO_AXES},
    {"split along the last axis and back", turn, plain_same, 0},
    {"sum of an array split along the last axis", turned_sum, NULL, 0},
    {"halo, zeros", halo_zero, plain_zero, NOT_EMPTY},
    {"halo, wrapped", halo_wrap, plain_wrap, NOT_EMPTY},
    {"halo, edges", halo_edge, plain_edge, NOT_EMPTY},
    {"halo, edges alone", edges, plain_edge, NOT_EMPTY},
    {"halo in halves, zeros", halves_zero, plain_zero, NOT_EMPTY},
    {"halo in halves, wrapped", halves_wrap, plain_wrap, NOT_EMPTY},
    {"halo in halves, edges", halves_edge, plain_edge, NOT_EMPTY},
    {"halo without rows", halo_edge, NULL, 0},
    {"compress", where_small, NULL, NOT_EMPTY},
    {"unique", distinct, plain_unique, ONE_AXIS},
    {"take", scattered_rows, NULL, 0},
    {"histogram", counts, plain_counts, 0},
    {"bincount", occurrences, plain_occurrences, ONE_AXIS | INTEGERS},
    {"topk", largest_values, plain_largest, ONE_AXIS},
    {"topk, places", largest_places, plain_places, ONE_AXIS},
    {"permutation", permuted, plain_permuted, 0},
    {"shuffle", shuffled, plain_shuffled, 0},
    {"choice", chosen, plain_chosen, NOT_EMPTY},
    {"choice, unique", sampled, plain_sampled, 0},
    {"rows from the last rank", from_the_last, NULL, 0},
    {"through a file", through_a_file, plain_same, 0},
    {"the middle of a file", middle_of_a_file, plain_middle, NOT_EMPTY},
};

#endif

// SPDX-License-Identifier: MIT
/// Random orders, and rows in random order: as one device draws them.
#include <string.h>

#include "dist/dist_array.h"

/// Places `first` to `first + count` - 1 of the order of 0 to n - 1; `*after`: the state of the generator behind it.
static weft_status order_part(weft_array **out, weft_rng_state *after, const weft_dist *grid,
                              const weft_rng_state *start, int64_t n, int64_t first, int64_t count) {
  weft_rng *own = NULL;
  weft_array *some = NULL, *part = NULL;
  weft_status rc;
  WEFT__TRY(weft_rng_create(&own, .context = grid->context, .generator = (weft_generator)start->generator));
  WEFT__TRY(weft_rng_set_state(own, start));
  if (n == 0)
    WEFT__TRY(weft_empty(&some, grid->context, WEFT_I64, WEFT_SHAPE(0)));
  else /* one number where this rank has none: the generator moves on */
    WEFT__TRY(weft_permutation(&some, own, n, .first = first < n ? first : n - 1, .count = count ? count : 1));
  WEFT__TRY(weft_rng_get_state(after, own));
  WEFT__TRY(weft_slice(&part, some, 0, 0, count));
  rc = weft_copy(out, part);
done:
  weft_rng_release(&own);
  weft_release(&some, &part);
  return rc;
}

/* ---- by weight ---- */

/// `count` numbers that weft_choice takes from 0 to n - 1 by the weights, behind `skipped` of them; `after`: the
/// generator's state behind them. (Each takes two words, also where rows do not repeat.)
static weft_status draw_weighted(weft_array **out, weft_rng_state *after, const weft_array *weights,
                                 const weft_rng_state *start, int64_t skipped, int64_t count, bool unique) {
  weft_context *context = weft_array_context(weights);
  weft_rng *own = NULL;
  weft_array *numbers = NULL;
  weft_status rc;
  WEFT__TRY(weft_rng_create(&own, .context = context, .generator = (weft_generator)start->generator));
  WEFT__TRY(weft_rng_set_state(own, start));
  if (skipped) WEFT__TRY(weft_rng_skip(own, 2 * (uint64_t)skipped));
  WEFT__TRY(weft_arange(&numbers, context, WEFT_I64, 0, weft_array_size(weights), 1));
  WEFT__TRY(weft_choice(out, own, numbers, count, .weights = weights, .unique = unique));
  rc = weft_rng_get_state(after, own);
done:
  weft_rng_release(&own);
  weft_array_release(&numbers);
  return rc;
}

/// This rank's part of `count` numbers.
static weft_status weighted_part(weft_array **out, weft_rng_state *after, const weft_dist *grid,
                                 const weft_array *weights, const weft_rng_state *start, int64_t count, bool unique) {
  weft_array *all = NULL, *part = NULL, *last = NULL;
  weft_shape own;
  int64_t first;
  weft_status rc;
  weft__dist_part(&first, &own, grid, WEFT_SHAPE(count), 0);
  if (unique) { /* every row takes part in the draw */
    WEFT__TRY(draw_weighted(&all, after, weights, start, 0, count, true));
    WEFT__TRY(weft_slice(&part, all, 0, first, first + own.dim[0]));
    rc = weft_copy(out, part);
  } else {
    WEFT__TRY(draw_weighted(&last, after, weights, start, count - 1, 1, false));
    rc = draw_weighted(out, &(weft_rng_state){0}, weights, start, first, own.dim[0], false);
  }
done:
  weft_release(&all, &part, &last);
  return rc;
}

/// The `count` rows that weft_choice takes by weight, split: their numbers.
static weft_status choose_weighted(weft_dist_array **out, weft_rng *rng, const weft_dist_array *x, int64_t count,
                                   const weft_dist_choice_params *options) {
  weft__dist_call call = {.function = "weft_dist_choice",
                          .site = options->site,
                          .dtype = WEFT_I64,
                          .shape = WEFT_SHAPE(count),
                          .numbers = {x->shape.dim[0]}};
  weft_dist_array *weights = NULL;
  weft_array *local = NULL;
  weft_rng_state state = {0}, after;
  weft_status rc;
  WEFT__TRY(weft__dist_resplit_at(&weights, options->weights, WEFT_DIST_WHOLE, options->site));
  rc = rng ? weft_rng_get_state(&state, rng)
           : weft__dist_fail(WEFT_ERROR_HANDLE, "rng", "`rng` is NULL; expected a generator");
  call.numbers[1] = weft__dist_rng_hash(&state);
  call.numbers[2] = options->unique;
  if (!rc) rc = weighted_part(&local, &after, x->grid, weights->local, &state, count, options->unique);
  rc = weft__dist_finish(out, x->grid, &call, call.shape, 0, &local, rc);
  if (!rc) rc = weft_rng_set_state(rng, &after);
done:
  weft_dist_array_release(&weights);
  weft_array_release(&local);
  return rc;
}

static weft_status check_weights(const weft_dist_array *x, const weft_dist_array *weights) {
  WEFT__TRY_RETURN(weft__dist_check(weights, "weights"));
  WEFT__TRY_RETURN(weft__dist_check_real(weights));
  if (weights->grid != x->grid)
    return weft__dist_fail(WEFT_ERROR_CONTEXT, "weights", "`.weights` is of another grid than `x`");
  if (weights->shape.ndim != 1 || weights->shape.dim[0] != x->shape.dim[0])
    return weft__dist_fail(
        WEFT_ERROR_SHAPE, "weights", "`.weights` has %d axes and %lld rows; expected one for each of %lld rows",
        weights->shape.ndim, (long long)(weights->shape.ndim ? weights->shape.dim[0] : 1), (long long)x->shape.dim[0]);
  return WEFT_OK;
}

/* ---- orders ---- */

/// The first `count` numbers of the random order of 0 to n - 1, split.
static weft_status order(weft_dist_array **out, weft_dist *grid, weft_rng *rng, int64_t n, int64_t count,
                         const char *function, const char *site) {
  weft__dist_call call = {
      .function = function, .site = site, .dtype = WEFT_I64, .shape = WEFT_SHAPE(count), .numbers = {n}};
  weft_array *local = NULL;
  weft_rng_state state = {0}, after;
  weft_status rc;
  if (n < 0)
    rc = weft__dist_fail(WEFT_ERROR_ARGUMENT, "n", "`n` is %lld; expected 0 or more", (long long)n);
  else if (!rng)
    rc = weft__dist_fail(WEFT_ERROR_HANDLE, "rng", "`rng` is NULL; expected a generator");
  else
    rc = weft_rng_get_state(&state, rng);
  call.numbers[1] = weft__dist_rng_hash(&state);
  if (!rc) {
    int64_t first;
    weft_shape part;
    weft__dist_part(&first, &part, grid, call.shape, 0);
    rc = order_part(&local, &after, grid, &state, n, first, part.dim[0]);
  }
  rc = weft__dist_finish(out, grid, &call, call.shape, 0, &local, rc);
  if (!rc) rc = weft_rng_set_state(rng, &after);
  weft_array_release(&local);
  return rc;
}

weft_status weft__dist_permutation_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, int64_t n,
                                      const char *site) {
  weft_status rc;
  weft__dist_enter("weft_dist_permutation", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_grid(grid));
  rc = order(out, grid, rng, n, n, "weft_dist_permutation", site);
done:
  return weft__dist_leave(rc);
}

/* ---- rows ---- */

/// x[indices]. Of a failure, which all ranks have, the first cause stays the thread's last error.
static weft_status take_rows(weft_dist_array **out, weft_rng *rng, const weft_rng_state *before,
                             const weft_dist_array *x, const weft_dist_array *indices, const char *site) {
  const weft_status rc = weft__dist_take_at(out, x, indices, &(weft_dist_axis_params){.site = site});
  const weft_status restored = rc ? weft_rng_set_state(rng, before) : WEFT_OK;
  return rc ? rc : restored;
}

weft_status weft__dist_shuffle_at(weft_dist_array **out, weft_rng *rng, const weft_dist_array *x, const char *site) {
  weft_dist_array *indices = NULL;
  weft_rng_state before = {0};
  weft_status rc;
  weft__dist_enter("weft_dist_shuffle", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_rows(x, "x", 0));
  rc = rng ? weft_rng_get_state(&before, rng) : WEFT_OK; /* a failure of one rank comes to all in `order` */
  const int64_t n = x->shape.dim[0];
  WEFT__TRY(order(&indices, x->grid, rng, n, n, "weft_dist_shuffle", site));
  rc = take_rows(out, rng, &before, x, indices, site);
done:
  weft_dist_array_release(&indices);
  return weft__dist_leave(rc);
}

static weft_status check_count(const weft_dist_array *x, int64_t count, bool unique) {
  const long long rows = x->shape.dim[0];
  if (count < 0)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %lld; expected 0 or more", (long long)count);
  if (count > 0 && rows == 0)
    return weft__dist_fail(WEFT_ERROR_SHAPE, "x", "`x` has no rows to choose %lld from", (long long)count);
  if (unique && count > rows)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %lld, but `x` has only %lld rows",
                           (long long)count, rows);
  return WEFT_OK;
}

weft_status weft__dist_choice_at(weft_dist_array **out, weft_rng *rng, const weft_dist_array *x, int64_t count,
                                 const weft_dist_choice_params *params) {
  const weft_dist_choice_params options = params ? *params : (weft_dist_choice_params){0};
  weft_dist_array *indices = NULL;
  weft_rng_state before = {0};
  weft_status rc;
  weft__dist_enter("weft_dist_choice", options.site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_rows(x, "x", 0));
  WEFT__TRY(check_count(x, count, options.unique));
  if (options.weights) WEFT__TRY(check_weights(x, options.weights));
  rc = rng ? weft_rng_get_state(&before, rng) : WEFT_OK; /* as in weft_dist_shuffle */
  const int64_t rows = x->shape.dim[0];
  if (count == 0) /* no draw; of no rows there are no integers below their number */
    WEFT__TRY(weft__dist_arange_at(&indices, x->grid, WEFT_I64, 0, 0, 1, options.site));
  else if (options.weights)
    WEFT__TRY(choose_weighted(&indices, rng, x, count, &options));
  else if (options.unique)
    WEFT__TRY(order(&indices, x->grid, rng, rows, count, "weft_dist_choice", options.site));
  else
    WEFT__TRY(weft__dist_integers_at(&indices, x->grid, rng, WEFT_I64, WEFT_SHAPE(count), 0, rows, options.site));
  rc = take_rows(out, rng, &before, x, indices, options.site);
done:
  weft_dist_array_release(&indices);
  return weft__dist_leave(rc);
}

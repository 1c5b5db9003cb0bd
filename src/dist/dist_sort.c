// SPDX-License-Identifier: MIT
/// Sorting over ranks: each sorts its own, regular samples of all give the borders between the ranks, one exchange, a
/// sort of what came, and a last exchange that gives each rank its share. (Shi and Schaeffer, "Parallel sorting by
/// regular sampling", 1992.)
///
/// An element is ordered by its value, then by its rank, then by its place: equal elements have a border too, and keep
/// their order.
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"

enum { SAMPLES = 64 };

typedef struct sorting {
  weft_dist *grid;
  weft__dist_call call;
  weft_array *keys, *indices; /* sorted; indices may be NULL */
  const char *site;
} sorting;

static weft_status sort_local(sorting *s) {
  weft_array *keys = NULL, *indices = NULL;
  weft_status rc;
  if (s->indices) {
    rc = weft_sort_by_key(&keys, &indices, s->keys, s->indices);
    weft_array_release(&s->indices);
    s->indices = indices;
  } else {
    rc = weft__sort_at(weft__operand_result(&keys), weft__operand_array(s->keys), weft__axes_int(0),
                       &(weft_sort_params){.site = s->site});
  }
  weft_array_release(&s->keys);
  s->keys = keys;
  return rc;
}

/* ---- borders ---- */

/// `count` places of this rank's elements, at equal distances.
static weft_status take_samples(weft_array **samples, const sorting *s, int64_t count) {
  const int64_t n = weft_array_length(s->keys, 0);
  int64_t place[SAMPLES];
  weft_array *places = NULL;
  for (int64_t k = 0; k < count; k++) place[k] = n / count * k + n % count * k / count;
  weft_status rc;
  WEFT__TRY(weft__from_host_at(&places, s->grid->context, WEFT_I64, WEFT_SHAPE(count), place, s->site));
  rc = weft_take(samples, s->keys, places, 0);
done:
  weft_array_release(&places);
  return rc;
}

/// A border: the element `place` of rank `rank` and its value's place among this rank's elements.
typedef struct border {
  int64_t rank, place;
} border;

/// The places of the samples in the order of all samples, on the host: ranks and numbers of the chosen ones.
static weft_status choose_borders(border *borders, weft_array **values, const sorting *s, const weft_array *all,
                                  const int64_t *lengths) {
  const weft_dist *grid = s->grid;
  const int64_t count = weft_array_length(all, 0);
  int64_t *order = weft__dist_new((size_t)count, sizeof *order), *chosen = weft__dist_new((size_t)grid->ranks, 8);
  weft_array *sorted = NULL, *places = NULL;
  weft_status rc;
  if (!order || !chosen) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft_argsort(&sorted, all, 0));
  WEFT__TRY(weft_to_host(order, (size_t)count * sizeof *order, sorted));
  for (int r = 1; r < grid->ranks; r++) {
    const int64_t at = chosen[r - 1] = order[count / grid->ranks * r + count % grid->ranks * r / grid->ranks];
    int64_t first = 0, owner = 0; /* samples of the ranks before, of the owner */
    for (; owner < grid->ranks; owner++) {
      const int64_t own = lengths[owner] < SAMPLES ? lengths[owner] : SAMPLES;
      if (at < first + own) break;
      first += own;
    }
    const int64_t n = lengths[owner], own = n < SAMPLES ? n : SAMPLES, k = at - first;
    borders[r - 1] = (border){owner, n / own * k + n % own * k / own};
  }
  WEFT__TRY(weft__from_host_at(&places, grid->context, WEFT_I64, WEFT_SHAPE(grid->ranks - 1), chosen, s->site));
  rc = weft_take(values, all, places, 0);
done:
  free(order);
  free(chosen);
  weft_release(&sorted, &places);
  return rc;
}

/// cut[r]: this rank's elements from cut[r] to cut[r + 1] - 1 go to rank r.
static weft_status cut_at(int64_t *cut, const sorting *s, const border *borders, const weft_array *values) {
  const weft_dist *grid = s->grid;
  const int64_t n = weft_array_length(s->keys, 0);
  const size_t bytes = (size_t)(grid->ranks - 1) * sizeof(int64_t);
  int64_t *left = weft__dist_new(2 * (size_t)grid->ranks, sizeof *left), *right = left + grid->ranks;
  weft_array *places[2] = {NULL};
  weft_status rc;
  if (!left) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft_searchsorted(&places[0], s->keys, values));
  WEFT__TRY(weft_to_host(left, bytes, places[0]));
  WEFT__TRY(weft_searchsorted(&places[1], s->keys, values, .side = WEFT_RIGHT));
  WEFT__TRY(weft_to_host(right, bytes, places[1]));
  cut[0] = 0;
  cut[grid->ranks] = n;
  for (int r = 1; r < grid->ranks; r++) {
    const border b = borders[r - 1];
    cut[r] = b.rank > grid->rank ? right[r - 1] : b.rank < grid->rank ? left[r - 1] : b.place;
    if (cut[r] < cut[r - 1]) cut[r] = cut[r - 1];
  }
done:
  weft_release(&places[0], &places[1]);
  free(left);
  return rc;
}

/* ---- the exchange ---- */

/// Elements cut[r] to cut[r + 1] - 1 of `x` go to rank r; came[r] elements come from it.
static weft_status send_parts(weft_array **out, const sorting *s, weft_array *x, const int64_t *cut,
                              const int64_t *came) {
  weft_dist *grid = s->grid;
  const weft_dtype dtype = weft_array_dtype(x);
  const int64_t each = (int64_t)weft_dtype_size_bytes(dtype);
  int64_t *at = weft__dist_new(2 * ((size_t)grid->ranks + 1), sizeof *at), *recv_at = at + grid->ranks + 1;
  weft_array *got = NULL;
  weft_status rc = WEFT_ERROR_HOST_MEMORY;
  for (int r = 0; r < grid->ranks && at; r++) {
    at[r + 1] = cut[r + 1] * each;
    recv_at[r + 1] = recv_at[r] + came[r] * each;
  }
  if (at) rc = weft__empty_at(&got, grid->context, dtype, WEFT_SHAPE(recv_at[grid->ranks] / each), s->site);
  WEFT__TRY(weft__dist_trade(grid, &s->call, &(weft__dist_side){.array = x, .at = at},
                             &(weft__dist_side){.array = got, .at = recv_at}, rc));
  *out = got;
  got = NULL;
done:
  free(at);
  weft_array_release(&got);
  return rc;
}

static weft_status send_all(sorting *s, const int64_t *cut, int64_t *numbers) {
  const weft_dist *grid = s->grid;
  int64_t *own = numbers, *all = numbers + grid->ranks, *came = all + (size_t)grid->ranks * (size_t)grid->ranks;
  weft_array *keys = NULL, *indices = NULL;
  weft_status rc;
  for (int r = 0; r < grid->ranks; r++) own[r] = cut[r + 1] - cut[r];
  WEFT__TRY(weft__dist_all_numbers(s->grid, all, own, grid->ranks));
  for (int r = 0; r < grid->ranks; r++) came[r] = all[(size_t)r * (size_t)grid->ranks + (size_t)grid->rank];
  WEFT__TRY(send_parts(&keys, s, s->keys, cut, came));
  if (s->indices) WEFT__TRY(send_parts(&indices, s, s->indices, cut, came));
  weft_array_release(&s->keys);
  weft_array_release(&s->indices);
  s->keys = keys;
  s->indices = indices;
  keys = indices = NULL;
done:
  weft_release(&keys, &indices);
  return rc;
}

/// Each rank gets elements that are not before any of the ranks before it.
static weft_status partition(sorting *s) {
  weft_dist *grid = s->grid;
  const size_t ranks = (size_t)grid->ranks;
  const int64_t n = weft_array_length(s->keys, 0);
  int64_t *lengths = weft__dist_new(ranks, sizeof *lengths), *cut = weft__dist_new(ranks + 1, sizeof *cut);
  int64_t *numbers = weft__dist_new(ranks * ranks + 2 * ranks, sizeof *numbers);
  border *borders = weft__dist_new(ranks, sizeof *borders);
  weft_array *samples = NULL, *all = NULL, *values = NULL;
  weft_status rc = WEFT_ERROR_HOST_MEMORY;
  if (lengths && cut && numbers && borders) rc = take_samples(&samples, s, n < SAMPLES ? n : SAMPLES);
  WEFT__TRY(weft__dist_collect(&all, grid, &s->call, samples, rc));
  WEFT__TRY(weft__dist_all_numbers(grid, lengths, &n, 1));
  rc = choose_borders(borders, &values, s, all, lengths);
  if (!rc) rc = cut_at(cut, s, borders, values);
  WEFT__TRY(weft__dist_meet(grid, &s->call, rc));
  WEFT__TRY(send_all(s, cut, numbers));
  rc = sort_local(s);
done:
  free(lengths);
  free(cut);
  free(numbers);
  free(borders);
  weft_release(&samples, &all, &values);
  return rc;
}

/// Every rank its share of the sorted elements.
static weft_status give_shares(weft_array **out, const sorting *s, const weft_array *x, weft_status rc) {
  weft_dist *grid = s->grid;
  int64_t *from = weft__dist_new((size_t)grid->ranks + 1, sizeof *from);
  const int64_t n = weft_array_length(x, 0);
  if (!rc && !from) rc = WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_meet(grid, &s->call, rc));
  WEFT__TRY(weft__dist_all_numbers(grid, from + 1, &n, 1));
  for (int r = 0; r < grid->ranks; r++) from[r + 1] += from[r];
  rc = weft__dist_move_to_shares(out, grid, &s->call, x, from, WEFT_OK);
done:
  free(from);
  return rc;
}

/// Sorts an array of one axis that is split. `wants_indices`: the result is the order.
static weft_status sort_split(weft_array **out, const weft_dist_array *x, const weft__dist_call *call,
                              bool wants_indices) {
  sorting s = {.grid = x->grid, .call = *call, .keys = weft_array_retain(x->local), .site = call->site};
  weft_status rc = WEFT_OK;
  if (wants_indices)
    rc = weft__arange_at(&s.indices, x->grid->context, WEFT_I64, WEFT_SCALAR(x->first),
                         WEFT_SCALAR(x->first + x->count), WEFT_SCALAR(1), call->site);
  if (!rc) rc = sort_local(&s);
  WEFT__TRY(weft__dist_meet(x->grid, call, rc));
  if (x->shape.dim[0] > 0) {
    rc = x->grid->ranks > 1 ? partition(&s) : WEFT_OK;
    WEFT__TRY(give_shares(out, &s, wants_indices ? s.indices : s.keys, rc));
  } else {
    *out = weft_array_retain(wants_indices ? s.indices : s.keys);
  }
done:
  weft_release(&s.keys, &s.indices);
  return rc;
}

static weft_status sort_any(weft_array **out, const weft_dist_array *x, int axis, const weft__dist_call *call,
                            bool wants_indices) {
  const weft_sort_params at = {.site = call->site};
  if (axis == x->axis) return sort_split(out, x, call, wants_indices);
  return wants_indices
             ? weft__argsort_at(weft__operand_result(out), weft__operand_array(x->local), weft__axes_int(axis), &at)
             : weft__sort_at(weft__operand_result(out), weft__operand_array(x->local), weft__axes_int(axis), &at);
}

static weft_status sort(weft_dist_array **out, const weft_dist_array *x, weft_axes axes, const char *function,
                        bool wants_indices, const char *site) {
  weft_array *sorted = NULL;
  int axis;
  weft_status rc;
  weft__dist_enter(function, site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  WEFT__TRY(weft__dist_one_axis(&axis, axes, x->shape));
  if (axis == WEFT_DIST_WHOLE && x->shape.ndim == 1) axis = 0;
  if (axis == WEFT_DIST_WHOLE || (axis == x->axis && x->shape.ndim > 1))
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_LAYOUT, "x",
                              "an array of %d axes can be sorted along an axis that is not split, this one along axis "
                              "%d; weft_dist_resplit splits it along another one",
                              x->shape.ndim, x->axis));
  weft__dist_call call = weft__dist_call_of(function, site, x);
  call.numbers[1] = axis;
  rc = sort_any(&sorted, x, axis, &call, wants_indices);
  rc = weft__dist_finish(out, x->grid, &call, x->shape, x->axis, &sorted, rc);
done:
  weft_array_release(&sorted);
  return weft__dist_leave(rc);
}

weft_status weft__dist_sort_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis, const char *site) {
  return sort(out, x, axis, "weft_dist_sort", false, site);
}

weft_status weft__dist_argsort_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis, const char *site) {
  return sort(out, x, axis, "weft_dist_argsort", true, site);
}

// SPDX-License-Identifier: MIT
/// Sorting over ranks: each sorts its own, the exact borders between the ranks' shares are found among samples, round
/// by round, one exchange gives each rank its share, and the sorted parts that came are merged.
///
/// An element is ordered by its value, then by its rank, then by its place: equal elements have a border too, and keep
/// their order. So the number of elements before a sample is the sum of what each rank counts before it, and a border
/// lies between two samples: in the next round the ranks take samples between these. (Cole, "Parallel merge sort",
/// 1988, and others split sorted runs in this way.)
#include <stdlib.h>
#include <string.h>

#include "dist/dist_divide.h"
#include "dist/transport.h"

/* Samples of a rank for a border in a round: as many as all ranks together can look at quickly, and in a round at most
   one for SPARSE of its elements. */
enum { LEAST_SAMPLES = 4, MOST_SAMPLES = 1024, ALL_SAMPLES = 1 << 16, SPARSE = 64 };
/* A merge reads and writes all elements; a sort of four bytes about as often as four of them. */
enum { MOST_MERGED = 8 };

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

/// A border lies between two cuts of all elements: this rank's elements before each cut, and all ranks' elements.
typedef struct border {
  int64_t target; /* elements of all ranks before the border */
  int64_t low, high, all_low, all_high;
} border;

static bool is_found(const border *b) {
  return b->all_low == b->target || b->all_high == b->target;
}

/// The samples of a round.
typedef struct samples {
  int64_t *place;        /* of this rank's, `own` places in its elements, in the order of the borders */
  int64_t own, first;    /* the number of the first one among all */
  int64_t count;         /* of all ranks */
  weft_array *values;    /* of all ranks */
  int64_t *here, *there; /* elements of this rank, and of all ranks, before each sample */
} samples;

static void free_samples(samples *t) {
  free(t->place);
  free(t->here);
  free(t->there);
  weft_array_release(&t->values);
}

/// Places at equal distances between the cuts of each border that is not found.
static void choose_places(samples *t, const border *borders, int count, int ranks, int64_t length) {
  int64_t most = ALL_SAMPLES / ((int64_t)ranks * count);
  if (most > length / SPARSE / count) most = length / SPARSE / count;
  if (most > MOST_SAMPLES) most = MOST_SAMPLES;
  if (most < LEAST_SAMPLES) most = LEAST_SAMPLES;
  for (int r = 0; r < count; r++) {
    const border *b = &borders[r];
    const int64_t n = b->high - b->low, m = is_found(b) ? 0 : n < most ? n : most;
    for (int64_t k = 0; k < m; k++) t->place[t->own++] = b->low + n / m * k + n % m * k / m;
  }
}

static weft_status take_samples(samples *t, const sorting *s, const border *borders, int count) {
  weft_dist *grid = s->grid;
  const size_t ranks = (size_t)grid->ranks;
  int64_t *counts = weft__dist_new(ranks, sizeof *counts);
  weft_array *places = NULL, *values = NULL;
  weft_status rc = counts ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  if (!(t->place = weft__dist_new((size_t)count * MOST_SAMPLES, sizeof *t->place))) rc = WEFT_ERROR_HOST_MEMORY;
  if (!rc) choose_places(t, borders, count, grid->ranks, weft_array_length(s->keys, 0));
  if (!rc) rc = weft__from_host_at(&places, grid->context, WEFT_I64, WEFT_SHAPE(t->own), t->place, s->site);
  if (!rc) rc = weft_take(&values, s->keys, places, 0);
  WEFT__TRY(weft__dist_collect(&t->values, grid, &s->call, values, rc));
  WEFT__TRY(weft__dist_all_numbers(grid, counts, &t->own, 1));
  for (int r = 0; r < grid->ranks; r++) {
    if (r < grid->rank) t->first += counts[r];
    t->count += counts[r];
  }
done:
  free(counts);
  weft_release(&places, &values);
  return rc;
}

/// Elements of this rank before each sample. Those equal to it count if the sample is of a later rank.
static weft_status count_here(samples *t, const sorting *s) {
  const size_t bytes = (size_t)t->count * sizeof(int64_t);
  weft_array *left = NULL, *right = NULL;
  weft_status rc;
  t->here = weft__dist_new((size_t)t->count, sizeof *t->here);
  t->there = weft__dist_new((size_t)t->count, sizeof *t->there);
  if (!t->here || !t->there) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft_searchsorted(&left, s->keys, t->values));
  WEFT__TRY(weft_searchsorted(&right, s->keys, t->values, .side = WEFT_RIGHT));
  WEFT__TRY(weft_to_host(t->here, bytes, right));
  WEFT__TRY(weft_to_host(t->there, bytes, left));
  memcpy(t->here, t->there, (size_t)t->first * sizeof *t->here);
  if (t->own) memcpy(t->here + t->first, t->place, (size_t)t->own * sizeof *t->here);
done:
  weft_release(&left, &right);
  return rc;
}

/// Moves the cuts of each border to the nearest samples.
static void narrow(border *borders, const samples *t, int count) {
  for (int r = 0; r < count; r++) {
    border *b = &borders[r];
    for (int64_t k = 0; k < t->count && !is_found(b); k++) {
      const int64_t all = t->there[k];
      if (all <= b->target && all > b->all_low) b->all_low = all, b->low = t->here[k];
      if (all >= b->target && all < b->all_high) b->all_high = all, b->high = t->here[k];
    }
  }
}

/// cut[r parts + k]: this rank's elements from there to the next cut go to part k of rank r's share.
static weft_status find_cuts(int64_t *cut, const sorting *s, int64_t total, int parts) {
  weft_dist *grid = s->grid;
  const int count = grid->ranks * parts - 1;
  const int64_t n = weft_array_length(s->keys, 0);
  border *borders = weft__dist_new((size_t)count, sizeof *borders);
  weft_status rc = borders ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_rendezvous(grid, &s->call, rc));
  for (int r = 0; r < count; r++) {
    const int owner = (r + 1) / parts, part = (r + 1) % parts;
    const int64_t first = weft__dist_first(grid, total, owner);
    const int64_t share = part ? weft__dist_first(grid, total, owner + 1) - first : 0;
    borders[r] = (border){.target = first + share / parts * part, .high = n, .all_high = total};
  }
  for (;;) {
    int missing = 0;
    samples t = {0};
    for (int r = 0; r < count; r++) missing += !is_found(&borders[r]);
    if (!missing) break;
    rc = take_samples(&t, s, borders, count);
    if (!rc) rc = count_here(&t, s);
    rc = weft__dist_rendezvous(grid, &s->call, rc);
    if (!rc) rc = weft__dist_all_sums(grid, t.there, t.here, t.count);
    if (!rc) narrow(borders, &t, count);
    free_samples(&t);
    if (rc) goto done;
  }
  cut[count + 1] = n;
  for (int r = 0; r < count; r++)
    cut[r + 1] = borders[r].all_low == borders[r].target ? borders[r].low : borders[r].high;
done:
  free(borders);
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

/* ---- merging ---- */

/// Merges runs in pairs of neighbours, which keeps the order of equal elements.
static weft_status merge_runs(weft_array **out, weft_array *const *runs, int count, const char *site) {
  weft_array *low = NULL, *high = NULL;
  const int half = count / 2;
  weft_status rc;
  if (count == 1) {
    *out = weft_array_retain(runs[0]);
    return WEFT_OK;
  }
  WEFT__TRY(merge_runs(&low, runs, half, site));
  WEFT__TRY(merge_runs(&high, runs + half, count - half, site));
  rc = weft__merge_at(weft__operand_result(out), weft__operand_array(low), weft__operand_array(high), site);
done:
  weft_release(&low, &high);
  return rc;
}

/// A part of this rank's share: what goes out for the same part of the other shares, and what comes.
typedef struct part {
  weft_array **from, **to, **runs; /* per rank; NULL: nothing moves */
  int64_t *from_at, *to_at;
  weft_array *got;
  int64_t size;
} part;

static weft_status run_of(weft_array **out, const weft_array *x, int64_t first, int64_t stop, const char *site) {
  return weft__slice_at(out, x, weft__axes_int(0), first, stop, &(weft_slice_params){.site = site});
}

/// `all`: of each rank the lengths of its elements for all parts of all shares.
static weft_status prepare_part(part *t, const sorting *s, const int64_t *cut, const int64_t *all, int parts, int k) {
  const weft_dist *grid = s->grid;
  const size_t ranks = (size_t)grid->ranks;
  const weft_dtype dtype = weft_array_dtype(s->keys);
  const int64_t each = (int64_t)weft_dtype_size_bytes(dtype);
  if (!(t->from = weft__dist_new(3 * ranks, sizeof *t->from))) return WEFT_ERROR_HOST_MEMORY;
  if (!(t->from_at = weft__dist_new(2 * ranks + 2, sizeof *t->from_at))) return WEFT_ERROR_HOST_MEMORY;
  t->to = t->from + ranks;
  t->runs = t->to + ranks;
  t->to_at = t->from_at + ranks + 1;
  for (int r = 0; r < grid->ranks; r++) {
    const int64_t *at = cut + (size_t)r * (size_t)parts + k;
    const int64_t comes = all[((size_t)r * ranks + (size_t)grid->rank) * (size_t)parts + (size_t)k];
    const bool moves = r != grid->rank;
    t->from_at[r + 1] = t->from_at[r] + (moves ? (at[1] - at[0]) * each : 0);
    t->to_at[r + 1] = t->to_at[r] + (moves ? comes * each : 0);
    t->size += comes;
    if (!moves || at[1] > at[0])
      WEFT__TRY_RETURN(run_of(moves ? &t->from[r] : &t->runs[r], s->keys, at[0], at[1], s->site));
  }
  WEFT__TRY_RETURN(weft__empty_at(&t->got, grid->context, dtype, WEFT_SHAPE(t->to_at[ranks] / each), s->site));
  for (int r = 0; r < grid->ranks; r++) {
    if (r == grid->rank) continue;
    WEFT__TRY_RETURN(run_of(&t->runs[r], t->got, t->to_at[r] / each, t->to_at[r + 1] / each, s->site));
    if (t->to_at[r + 1] > t->to_at[r]) t->to[r] = weft_array_retain(t->runs[r]);
  }
  return WEFT_OK;
}

static void free_part(part *t, int ranks) {
  for (int r = 0; r < 3 * ranks && t->from; r++) weft_array_release(&t->from[r]);
  free(t->from);
  free(t->from_at);
  weft_array_release(&t->got);
}

/// Part by part, so that one is merged while the next one travels. Of this rank's own elements nothing is copied.
static weft_status merge_parts(sorting *s, const int64_t *cut, const int64_t *all, int64_t share, int parts) {
  weft_dist *grid = s->grid;
  weft_array *out = NULL, *into = NULL;
  int64_t at = 0;
  weft_status rc = weft__empty_at(&out, grid->context, weft_array_dtype(s->keys), WEFT_SHAPE(share), s->site);
  part t = {0};
  for (int k = 0; k < parts; k++) {
    if (!rc) rc = prepare_part(&t, s, cut, all, parts, k);
    WEFT__TRY(weft__dist_trade(grid, &s->call, &(weft__dist_side){.array = s->keys, .at = t.from_at, .view = t.from},
                               &(weft__dist_side){.array = t.got, .at = t.to_at, .view = t.to}, rc));
    rc = run_of(&into, out, at, at + t.size, s->site);
    if (!rc) rc = merge_runs(&into, t.runs, grid->ranks, s->site);
    at += t.size;
    weft_array_release(&into);
    free_part(&t, grid->ranks);
    t = (part){0};
    WEFT__TRY(weft__dist_rendezvous(grid, &s->call, rc));
  }
  weft_array_release(&s->keys);
  s->keys = out;
  out = NULL;
done:
  free_part(&t, grid->ranks);
  weft_release(&out, &into);
  return rc;
}

/// All at once, for transports that take no views.
static weft_status merge_whole(sorting *s, const int64_t *cut, int64_t *numbers) {
  const weft_dist *grid = s->grid;
  const size_t ranks = (size_t)grid->ranks;
  weft_array **runs = weft__dist_new(ranks, sizeof *runs), *merged = NULL;
  weft_status rc;
  int64_t first = 0;
  WEFT__TRY(send_all(s, cut, numbers));
  if (!runs) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  const int64_t *came = numbers + ranks + ranks * ranks;
  for (size_t r = 0; r < ranks; first += came[r], r++)
    WEFT__TRY(run_of(&runs[r], s->keys, first, first + came[r], s->site));
  WEFT__TRY(merge_runs(&merged, runs, grid->ranks, s->site));
  weft_array_release(&s->keys);
  s->keys = merged;
done:
  for (size_t r = 0; r < ranks && runs; r++) weft_array_release(&runs[r]);
  free(runs);
  return rc;
}

/* Parts of a share, each of some pieces of the exchange. */
enum { MOST_PARTS = 4 };

static int parts_of(const weft_dist *grid, int64_t total, weft_dtype dtype) {
  const int64_t pieces = total / grid->ranks * (int64_t)weft_dtype_size_bytes(dtype) / grid->piece_bytes;
  return pieces < 1 ? 1 : pieces > MOST_PARTS ? MOST_PARTS : (int)pieces;
}

/// Each rank gets its share of the sorted elements.
static weft_status partition(sorting *s, int64_t total) {
  weft_dist *grid = s->grid;
  const size_t ranks = (size_t)grid->ranks;
  const weft_dtype dtype = weft_array_dtype(s->keys);
  const bool merges = !s->indices && grid->ranks <= MOST_MERGED && weft_dtype_kind(dtype) != 'c';
  const bool has_parts = merges && grid->transport->takes_views;
  const size_t parts = has_parts ? (size_t)parts_of(grid, total, dtype) : 1, spans = ranks * parts;
  int64_t *cut = weft__dist_new(spans + 1, sizeof *cut);
  int64_t *numbers = weft__dist_new(spans * ranks + 2 * spans, sizeof *numbers), *all = numbers + spans;
  weft_status rc = cut && numbers ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_rendezvous(grid, &s->call, rc));
  WEFT__TRY(find_cuts(cut, s, total, (int)parts));
  if (has_parts) {
    for (size_t r = 0; r < spans; r++) numbers[r] = cut[r + 1] - cut[r];
    WEFT__TRY(weft__dist_all_numbers(grid, all, numbers, (int)spans));
    const int64_t first = weft__dist_first(grid, total, grid->rank);
    rc = merge_parts(s, cut, all, weft__dist_first(grid, total, grid->rank + 1) - first, (int)parts);
  } else if (merges) {
    rc = merge_whole(s, cut, numbers);
  } else {
    WEFT__TRY(send_all(s, cut, numbers));
    rc = sort_local(s);
  }
done:
  free(cut);
  free(numbers);
  return rc;
}

/// Whether some memory was too small. A launch lacks local memory of the device.
static bool is_shortage(weft_status rc) {
  return rc == WEFT_ERROR_MEMORY || rc == WEFT_ERROR_BUDGET || rc == WEFT_ERROR_HOST_MEMORY ||
         rc == WEFT_ERROR_LAUNCH_LIMIT;
}

/// Divides the elements over the ranks and sorts them. NULL: that is not possible, or some rank has no memory for it:
/// merging needs less.
static weft_status divide(weft_array **sorted, sorting *s, int64_t total) {
  weft_dist *grid = s->grid;
  weft_status rc;
  if (!grid->transport->has_windows || s->indices) return WEFT_OK;
  rc = weft__dist_divide(sorted, grid, &s->call, s->keys, total);
  rc = weft__dist_rendezvous(grid, &s->call, rc);
  if (rc) weft_array_release(sorted);
  if (!rc || grid->lost[0] || !grid->checks) return rc;
  int64_t is_other = !is_shortage(rc); /* all ranks are here, each with a failure: its own or another rank's */
  WEFT__TRY_RETURN(weft__dist_all_most(grid, &is_other));
  if (is_other) return rc;
  weft__dist_rooms_free(grid);
  grid->failed_call = 0; /* the ranks go on together */
  weft_log_write(WEFT_LOG_INFO, "a sort has no memory to divide the elements; the ranks sort and merge instead");
  return WEFT_OK;
}

/// Sorts over the ranks: divides first, or else partitions what is sorted.
static weft_status sort_all(sorting *s, int64_t total) {
  weft_array *sorted = NULL;
  WEFT__TRY_RETURN(divide(&sorted, s, total));
  if (!sorted) {
    WEFT__TRY_RETURN(weft__dist_rendezvous(s->grid, &s->call, sort_local(s)));
    return partition(s, total);
  }
  weft_array_release(&s->keys);
  s->keys = sorted;
  return WEFT_OK;
}

/* ---- descending ---- */

/// The rows of rank `owner` that rank `taker` gets if the order of n rows is reversed: *first to *stop - 1.
static void mirror_span(int64_t *first, int64_t *stop, const weft_dist *grid, int64_t n, int owner, int taker) {
  const int64_t low = n - weft__dist_first(grid, n, taker + 1), high = n - weft__dist_first(grid, n, taker);
  *first = weft__dist_first(grid, n, owner);
  *stop = weft__dist_first(grid, n, owner + 1);
  if (*first < low) *first = low;
  if (*stop > high) *stop = high;
  if (*stop < *first) *stop = *first;
}

/// Makes the array for the rows that come, and an array of the rows in the order of the ranks to which they go.
static weft_status prepare_reverse(weft_array **sent, weft_array **got, int64_t *at, const weft_dist *grid,
                                   const weft_array *rows, int64_t n, const char *site) {
  const size_t ranks = (size_t)grid->ranks;
  const weft_dtype dtype = weft_array_dtype(rows);
  const int64_t each = (int64_t)weft_dtype_size_bytes(dtype), own = weft__dist_first(grid, n, grid->rank);
  int64_t *to_at = at + ranks + 1, first, stop;
  weft_array **pieces = weft__dist_new(ranks, sizeof *pieces);
  weft_status rc = pieces ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  for (int r = 0; r < grid->ranks && !rc; r++) {
    mirror_span(&first, &stop, grid, n, r, grid->rank);
    to_at[r + 1] = to_at[r] + (stop - first) * each;
    mirror_span(&first, &stop, grid, n, grid->rank, r);
    at[r + 1] = at[r] + (stop - first) * each;
    rc = run_of(&pieces[r], rows, stop > first ? first - own : 0, stop > first ? stop - own : 0, site);
  }
  if (!rc) rc = weft__concatenate_at(weft__operand_result(sent), pieces, grid->ranks, weft__axes_int(0), site);
  if (!rc) rc = weft__empty_at(got, grid->context, dtype, WEFT_SHAPE(to_at[ranks] / each), site);
  for (size_t r = 0; r < ranks && pieces; r++) weft_array_release(&pieces[r]);
  free(pieces);
  return rc;
}

/// The rows of all ranks in the reverse order: the parts of the ranks come in their order, each as it was, and all of
/// them together are turned round.
static weft_status reverse(weft_array **rows, const sorting *s, int64_t n, weft_status rc) {
  weft_dist *grid = s->grid;
  int64_t *at = weft__dist_new(2 * ((size_t)grid->ranks + 1), sizeof *at);
  weft_array *sent = NULL, *got = NULL, *turned = NULL;
  if (!at) rc = WEFT_ERROR_HOST_MEMORY;
  if (!rc) rc = prepare_reverse(&sent, &got, at, grid, *rows, n, s->site);
  WEFT__TRY(weft__dist_trade(grid, &s->call, &(weft__dist_side){.array = sent, .at = at},
                             &(weft__dist_side){.array = got, .at = at + grid->ranks + 1}, rc));
  WEFT__TRY(weft_flip(&turned, got, 0));
  weft_array_release(rows);
  rc = weft__copy_at(rows, turned, &(weft_copy_params){.site = s->site});
done:
  free(at);
  weft_release(&sent, &got, &turned);
  return rc;
}

/// The indices as the call returns them.
static weft_status widen(weft_array **indices, const char *site) {
  weft_array *wide = NULL;
  if (weft_array_dtype(*indices) == WEFT_I64) return WEFT_OK;
  WEFT__TRY_RETURN(weft__cast_at(&wide, *indices, WEFT_I64, site));
  weft_array_release(indices);
  *indices = wide;
  return WEFT_OK;
}

/// The indices of elements of the reversed array, in the reverse order, as indices of the array.
static weft_status reverse_indices(weft_array **indices, const sorting *s, int64_t n, weft_status rc) {
  weft_array *own = NULL;
  WEFT__TRY(reverse(indices, s, n, rc));
  WEFT__TRY(widen(indices, s->site));
  rc = weft_subtract(&own, n - 1, *indices);
  weft_array_release(indices);
  *indices = own;
done:
  return rc;
}

/* ---- the calls ---- */

/// Sorts an array of one axis that is split. `wants_indices`: the result is the order. Equal elements
/// that differ (zeros, NaNs) would come the wrong way round in the reverse order, so they are reversed before, too.
static weft_status sort_split(weft_array **out, const weft_dist_array *x, const weft__dist_call *call,
                              bool wants_indices, bool descends) {
  sorting s = {.grid = x->grid, .call = *call, .keys = weft_array_retain(x->local), .site = call->site};
  const int64_t n = x->shape.dim[0];
  const char kind = weft_dtype_kind(weft_array_dtype(x->local));
  const bool turns = descends && (wants_indices || kind == 'f' || kind == 'c');
  weft_status rc = WEFT_OK;
  if (wants_indices) /* with 32 bits a pass of the sort and the exchange move two thirds of the bytes */
    rc = weft__arange_at(&s.indices, x->grid->context, n <= UINT32_MAX ? WEFT_U32 : WEFT_I64, WEFT_SCALAR(x->first),
                         WEFT_SCALAR(x->first + x->count), WEFT_SCALAR(1), call->site);
  if (turns) WEFT__TRY(reverse(&s.keys, &s, n, rc));
  WEFT__TRY(weft__dist_rendezvous(x->grid, call, rc));
  if (n > 0 && x->grid->ranks > 1)
    WEFT__TRY(sort_all(&s, n));
  else
    rc = sort_local(&s);
  if (descends) WEFT__TRY(wants_indices ? reverse_indices(&s.indices, &s, n, rc) : reverse(&s.keys, &s, n, rc));
  if (wants_indices && !rc) WEFT__TRY(widen(&s.indices, s.site));
  *out = weft_array_retain(wants_indices ? s.indices : s.keys);
done:
  weft_release(&s.keys, &s.indices);
  return rc;
}

static weft_status sort_any(weft_array **out, const weft_dist_array *x, int axis, const weft__dist_call *call,
                            bool wants_indices, const weft_sort_params *options) {
  if (axis == x->axis) return sort_split(out, x, call, wants_indices, options->descending);
  return wants_indices
             ? weft__argsort_at(weft__operand_result(out), weft__operand_array(x->local), weft__axes_int(axis), options)
             : weft__sort_at(weft__operand_result(out), weft__operand_array(x->local), weft__axes_int(axis), options);
}

static weft_status sort(weft_dist_array **out, const weft_dist_array *x, weft_axes axes, const char *function,
                        bool wants_indices, const weft_sort_params *params) {
  const weft_sort_params options = params ? *params : (weft_sort_params){0};
  weft_array *sorted = NULL;
  int axis;
  weft_status rc;
  weft__dist_enter(function, options.site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  WEFT__TRY(weft__dist_one_axis(&axis, axes, x->shape));
  if (axis == WEFT_DIST_WHOLE && x->shape.ndim == 1) axis = 0;
  if (axis == WEFT_DIST_WHOLE || (axis == x->axis && x->shape.ndim > 1))
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_LAYOUT, "x",
                              "`x` has %d axes and is split along axis %d; expected another axis to sort along, or an "
                              "`x` that weft_dist_resplit has split along another axis",
                              x->shape.ndim, x->axis));
  weft__dist_call call = weft__dist_call_of(function, options.site, x);
  call.numbers[1] = axis;
  call.numbers[2] = options.descending;
  rc = sort_any(&sorted, x, axis, &call, wants_indices, &options);
  rc = weft__dist_finish(out, x->grid, &call, x->shape, x->axis, &sorted, rc);
done:
  weft_array_release(&sorted);
  return weft__dist_leave(rc);
}

weft_status weft__dist_sort_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                               const weft_sort_params *params) {
  return sort(out, x, axis, "weft_dist_sort", false, params);
}

weft_status weft__dist_argsort_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                  const weft_sort_params *params) {
  return sort(out, x, axis, "weft_dist_argsort", true, params);
}

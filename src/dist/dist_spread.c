// SPDX-License-Identifier: MIT
/// Sorting integers of 4 bytes over ranks in three passes. Equal ones are the same bits, so no pass keeps an order.
/// The first pass (cl/dist/spread.cl) spreads the elements over bins by their highest bits, each into the memory of the
/// rank that gets the bin; the second one spreads each bin over further bins; of these the elements differ in so few
/// bits that a block counts all values in local memory and writes them in order (cl/dist/settle.cl).
///
/// All bins have rooms of one size: samples tell whether the elements are evenly distributed. Where they are not, or a
/// room proves too small, the sort divides in another way.
#include "dist/dist_spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dist/dist_kernels.h"
#include "dist/transport.h"
#include "settle_source.h"
#include "spread_source.h"

/* SPARSE: a bin of the last pass has at least this part of the elements that it may have. */
enum { LINE = 32, MOST_BINS = 512, SPARSE = 5 };
enum { MOST_QUANTILES = 512, LEAST_QUANTILES = 8, QUANTILE_SAMPLES = 256 };

/// What fits a device. On CPUs, which stand in for GPUs in tests, small arrays have many bins.
typedef struct tuning {
  int bins, threads, each; /* of the first and second pass; each: elements of a thread in a tile */
  int most_groups, units;  /* blocks of the first pass, one for each compute unit; of the second pass, for each bin */
  int most_second;         /* bins of the second pass for each bin */
  int last_threads, least_bits, most_bits; /* of the last pass */
  int last_size, staged;                   /* of a bin in the last pass: elements on average, and at most */
  int64_t least;                           /* elements of a rank: of fewer the plan takes longer than it may save */
} tuning;
static const tuning on_gpu = {.bins = MOST_BINS,
                              .threads = 1024,
                              .each = 16,
                              .most_groups = 256,
                              .units = 4,
                              .most_second = 1024,
                              .last_threads = 512,
                              .least_bits = 10,
                              .most_bits = 14,
                              .last_size = 9100,
                              .staged = 11264,
                              .least = 1 << 27};
static const tuning on_cpu = {.bins = 32,
                              .threads = 64,
                              .each = 4,
                              .most_groups = 4,
                              .units = 2,
                              .most_second = 64,
                              .last_threads = 64,
                              .least_bits = 7,
                              .most_bits = 10,
                              .last_size = 120,
                              .staged = 512};

/// A bin's room: `lines` lines, and `tails` elements.
typedef struct room {
  uint32_t lines, tails;
} room;

typedef struct spreading {
  weft_dist *grid;
  const weft__dist_call *call;
  const weft_array *x;
  const tuning *tuning;
  int64_t total;
  uint32_t low, span;                 /* keys in order are from `low` to low + span */
  int shift, last_bits, second_bins;  /* bits below the bin's number in the first pass, and in the second one */
  int cut[WEFT__DIST_MOST_RANKS + 1]; /* bins of the ranks */
  int per_window, groups;
  room first, second;
  weft_array *own, *counts, *cuts, *came, *begins; /* own: this rank's elements in its rooms */
  weft_array *spread, *spread_counts, *places;     /* of the second pass */
  weft__dist_parts parts;
} spreading;

static int64_t room_bytes(room r) {
  return ((int64_t)r.lines * LINE + r.tails) * (int64_t)sizeof(uint32_t);
}

/// Of `elements` on average, with room for other numbers where the distribution is not quite even.
static uint32_t lines_of(double elements) {
  return (uint32_t)((elements * 1.125 + 8 * sqrt(elements)) / LINE) + 2;
}

static int bits_of(uint32_t x) {
  int bits = 0;
  while (bits < 32 && x >> bits) bits++;
  return bits;
}

/* ---- the plan: the same on all ranks ---- */

/// Quantiles of the samples, in the order of keys from 0 on; the last one is the greatest sample or near it.
static weft_status find_quantiles(double *quantile, int count, const spreading *s, const weft_array *samples) {
  const int64_t step = weft_array_size(samples) / count;
  const uint32_t flip = weft__dist_key_flip(weft_array_dtype(s->x));
  const weft_slice_params at = {.step = step, .site = s->call->site};
  uint32_t found[MOST_QUANTILES];
  weft_array *some = NULL, *together = NULL;
  weft_status rc;
  WEFT__TRY(weft__slice_at(&some, samples, weft__axes_int(0), step - 1, count * step, &at));
  WEFT__TRY(weft__copy_at(&together, some, &(weft_copy_params){.site = s->call->site}));
  WEFT__TRY(weft_to_host(found, (size_t)count * sizeof *found, together));
  for (int k = 0; k < count; k++) quantile[k] = found[k] ^ flip;
done:
  weft_release(&some, &together);
  return rc;
}

/// Whether quantiles are about equally far apart, near ones and distant ones: of `step` samples some more or less, by
/// their root, lie between two neighbours.
static bool is_even(const double *quantile, int count, int64_t step) {
  const double mean = (quantile[count - 1] - quantile[0]) / (count - 1);
  for (int apart = 1; apart < count; apart *= 4) {
    const double most = (0.1 + 5 / sqrt((double)(apart * step))) * apart * mean;
    for (int k = apart; k < count; k++)
      if (fabs(quantile[k] - quantile[k - apart] - apart * mean) > most) return false;
  }
  return mean >= 1;
}

/// The first bin of rank r. The middle of the keys, say, is better than a sample near it.
static int cut_of(const spreading *s, int r, const double *quantile, int count, int64_t samples) {
  const double part = (double)r / s->grid->ranks, at = part * count - 1, even = part * s->span;
  const int k = at < 0 ? 0 : (int)at;
  double key = quantile[k] + (at - k) * (quantile[k + 1] - quantile[k]) - s->low;
  if (fabs(key - even) < 2 * s->span / sqrt((double)samples)) key = even;
  return (int)(key / exp2(s->shift) + 0.5);
}

static bool find_bins(spreading *s, const double *quantile, int count, int64_t samples) {
  const tuning *t = s->tuning;
  const double mean = (quantile[count - 1] - quantile[0]) / (count - 1);
  const double low = quantile[0] - 2 * mean, high = quantile[count - 1] + mean;
  s->low = low > 0 ? (uint32_t)low : 0;
  s->span = (high < UINT32_MAX ? (uint32_t)high : UINT32_MAX) - s->low;
  const int bits = bits_of(s->span), first_bits = bits_of((uint32_t)t->bins) - 1;
  const double keys = (double)s->span + 1, elements = (double)s->total / keys; /* of a key */
  s->shift = bits - first_bits;
  for (s->last_bits = t->most_bits; elements * exp2(s->last_bits) > t->last_size;) s->last_bits--;
  const int second_bits = s->shift - s->last_bits;
  if (s->last_bits < t->least_bits || elements * exp2(s->last_bits) * SPARSE < t->last_size) return false;
  if (second_bits < 1 || 1 << second_bits > t->most_second) return false;
  s->second_bins = 1 << second_bits;
  for (int r = 1; r < s->grid->ranks; r++) s->cut[r] = cut_of(s, r, quantile, count, samples);
  s->cut[s->grid->ranks] = (int)(s->span >> s->shift) + 1;
  for (int r = 0; r < s->grid->ranks; r++)
    if (s->cut[r] >= s->cut[r + 1]) return false;
  s->first = (room){lines_of(elements * exp2(s->shift) / s->grid->ranks), (uint32_t)(t->most_groups * LINE)};
  s->second = (room){lines_of(elements * exp2(s->last_bits)), (uint32_t)(t->units * LINE)};
  return s->second.lines * LINE + s->second.tails <= (uint32_t)t->staged;
}

static weft_status make_plan(bool *can, spreading *s, const weft_array *samples) {
  const int64_t size = weft_array_size(samples), most = size / QUANTILE_SAMPLES;
  const int count = most < MOST_QUANTILES ? (int)most : MOST_QUANTILES;
  double quantile[MOST_QUANTILES];
  weft_device_info device;
  if (count < LEAST_QUANTILES) return WEFT_OK;
  WEFT__TRY_RETURN(weft_context_get_device(&device, s->grid->context));
  s->groups = s->tuning->most_groups; /* of all devices the same; what this one needs is no part of the plan */
  if (s->groups > (int)device.compute_units) s->groups = (int)device.compute_units;
  WEFT__TRY_RETURN(find_quantiles(quantile, count, s, samples));
  *can = is_even(quantile, count, size / count) && find_bins(s, quantile, count, size);
  return WEFT_OK;
}

/// Whether all ranks have rooms for their bins.
static weft_status open_rooms(bool *are_open, spreading *s) {
  const int64_t bytes = room_bytes(s->first), window = weft__dist_window_bytes(s->grid);
  int64_t most = 0;
  for (int r = 0; r < s->grid->ranks; r++)
    if (most < s->cut[r + 1] - s->cut[r]) most = s->cut[r + 1] - s->cut[r];
  *are_open = false;
  if (bytes > window) return WEFT_OK;
  const int64_t per_window = window / bytes, windows = (most + per_window - 1) / per_window;
  WEFT__TRY_RETURN(weft__dist_rooms_open(are_open, s->grid, windows > 1 ? windows * window : most * bytes));
  if (!*are_open) return WEFT_OK;
  s->per_window = (int)(s->grid->rooms->window_bytes / bytes);
  *are_open = (int64_t)s->per_window * s->grid->rooms->each >= most;
  return WEFT_OK;
}

/* ---- kernels ---- */

typedef struct kernels {
  const weft__dist_kernel *first, *second, *places, *last;
} kernels;

/// `macros`: names, first of the macros whose values never change; `value`: their values.
static weft_status get_kernel(const weft__dist_kernel **kernel, weft_dist *grid, const char *name, const char *source,
                              const char *source_name, const char *const *macros, const int *value) {
  enum { MOST_MACROS = 6 };
  char text[MOST_MACROS][WEFT__DIST_MACRO_BYTES];
  const char *defines[MOST_MACROS + 1] = {NULL};
  uint64_t variant = 0;
  for (int k = 0; macros[k]; k++) {
    snprintf(text[k], sizeof text[k], "%s=%d", macros[k], value[k]);
    defines[k] = text[k];
    variant = variant << 12 | (uint64_t)value[k];
  }
  if ((*kernel = weft__dist_kernel_find(grid, name, variant))) return WEFT_OK;
  return weft__dist_kernel_add(
      kernel, grid, variant,
      &(weft_kernel_params){.source = source, .name = name, .defines = defines, .source_name = source_name});
}

static weft_status get_kernels(kernels *k, const spreading *s) {
  static const char *const spread[] = {"RANKS", "BLOCK", "EACH", "EACH_WINDOWS", "SECOND", "BINS", NULL};
  static const char *const settle[] = {"STAGED", "BLOCK", "BITS", NULL};
  const tuning *t = s->tuning;
  weft_dist *grid = s->grid;
  int value[] = {grid->ranks, t->threads, t->each, grid->rooms->each, 0, t->bins};
  const int last[] = {t->staged, t->last_threads, s->last_bits};
  WEFT__TRY_RETURN(get_kernel(&k->first, grid, "weft_spread", spread_source, "dist/spread.cl", spread, value));
  value[4] = 1;
  value[5] = s->second_bins;
  WEFT__TRY_RETURN(get_kernel(&k->second, grid, "weft_spread", spread_source, "dist/spread.cl", spread, value));
  WEFT__TRY_RETURN(get_kernel(&k->places, grid, "weft_settle_places", settle_source, "dist/settle.cl", settle, last));
  return get_kernel(&k->last, grid, "weft_settle", settle_source, "dist/settle.cl", settle, last);
}

/// The kernels do not build for a device without enough local memory.
static weft_status find_kernels(bool *work, kernels *k, spreading *s) {
  int64_t refused = get_kernels(k, s) != WEFT_OK;
  if (refused) weft_log_write(WEFT_LOG_INFO, weft_error_last()->message);
  WEFT__TRY_RETURN(weft__dist_all_most(s->grid, &refused));
  s->grid->refuses_spread = refused;
  *work = !refused;
  return WEFT_OK;
}

/* ---- the first pass ---- */

#define WINDOWS(w) w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]

static int own_bins(const spreading *s) {
  return s->cut[s->grid->rank + 1] - s->cut[s->grid->rank];
}

/// `all`: the windows of the rooms; the rest has any array.
static void list_windows(weft_array **all, weft_array *const *windows, const spreading *s) {
  for (int k = 0; k < WEFT__DIST_MOST_WINDOWS; k++) all[k] = k < s->grid->rooms->count ? windows[k] : s->own;
}

/// Numbers that the first pass counts: of lines, of the elements behind them, and whether an element is outside.
static int counts_of(const spreading *s) {
  return 2 * s->tuning->bins + 1;
}

static weft_status spread_first(const kernels *k, spreading *s, int64_t *counts) {
  const weft_dist *grid = s->grid;
  weft_array *windows[WEFT__DIST_MOST_WINDOWS], *x = NULL;
  uint32_t cuts[WEFT__DIST_MOST_RANKS + 1], found[2 * MOST_BINS + 1];
  weft_status rc;
  for (int r = 0; r <= grid->ranks; r++) cuts[r] = (uint32_t)s->cut[r];
  WEFT__TRY(weft_from_host(&s->cuts, grid->context, WEFT_U32, WEFT_SHAPE(grid->ranks + 1), cuts));
  WEFT__TRY(weft_zeros(&s->counts, grid->context, WEFT_U32, WEFT_SHAPE(counts_of(s))));
  WEFT__TRY(
      weft__empty_at(&s->own, grid->context, WEFT_U8, WEFT_SHAPE(own_bins(s) * room_bytes(s->first)), s->call->site));
  WEFT__TRY(weft__dist_aligned(&x, grid, s->x, s->call->site));
  list_windows(windows, grid->rooms->to, s);
  WEFT__TRY(weft_launch(k->first->kernel, WEFT_DIM3((uint64_t)s->groups), k->first->block, s->own, x, s->counts,
                        s->cuts, grid->rooms->to_offsets, (uint64_t)weft_array_size(x), (uint32_t)grid->rank,
                        (uint32_t)s->per_window, s->first.lines, s->first.tails, (uint32_t)s->shift,
                        weft__dist_key_flip(weft_array_dtype(x)), s->low, s->span, WINDOWS(windows)));
  WEFT__TRY(weft_to_host(found, (size_t)counts_of(s) * sizeof *found, s->counts));
  for (int b = 0; b < counts_of(s); b++) counts[b] = found[b];
done:
  weft_array_release(&x);
  return rc;
}

/// Whether all rooms were large enough. Then the parts' first elements, and the elements of each bin.
static bool find_parts(spreading *s, const int64_t *counts, int64_t *sizes) {
  const int bins = s->tuning->bins, each = counts_of(s);
  for (int r = 0; r < s->grid->ranks; r++)
    for (int b = 0; b < bins; b++) {
      const int64_t *count = counts + (size_t)r * (size_t)each;
      if (count[b] > s->first.lines || count[2 * bins]) return false;
      sizes[b] += count[b] * LINE + count[bins + b];
    }
  for (int r = 0; r < s->grid->ranks; r++) {
    s->parts.first[r + 1] = s->parts.first[r];
    for (int b = s->cut[r]; b < s->cut[r + 1]; b++) s->parts.first[r + 1] += sizes[b];
  }
  return true;
}

/* ---- the other passes ---- */

/// Copies to the device what came, and where this rank's bins begin in the result.
static weft_status tell_sizes(spreading *s, const int64_t *counts, const int64_t *sizes) {
  const weft_dist *grid = s->grid;
  const size_t each = (size_t)counts_of(s), bins = each - 1;
  uint32_t *came = weft__dist_new((size_t)grid->ranks * bins, sizeof *came);
  uint64_t begins[MOST_BINS], begin = (uint64_t)(s->parts.first[grid->rank] - s->parts.begin);
  weft_status rc = came ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  for (size_t r = 0; r < (size_t)grid->ranks && came; r++)
    for (size_t b = 0; b < bins; b++) came[r * bins + b] = (uint32_t)counts[r * each + b];
  for (int b = 0; b < own_bins(s); b++) {
    begins[b] = begin;
    begin += (uint64_t)sizes[s->cut[grid->rank] + b];
  }
  if (!rc) rc = weft_from_host(&s->came, grid->context, WEFT_U32, WEFT_SHAPE(grid->ranks * (int64_t)bins), came);
  if (!rc) rc = weft_from_host(&s->begins, grid->context, WEFT_U64, WEFT_SHAPE(own_bins(s)), begins);
  free(came);
  return rc;
}

/// Sorts this rank's part. *is_full: some room was too small.
static weft_status sort_part(int64_t *is_full, const kernels *k, spreading *s) {
  const weft_dist *grid = s->grid;
  struct weft__dist_rooms *rooms = grid->rooms;
  const tuning *t = s->tuning;
  const int bins = own_bins(s);
  const int64_t all = (int64_t)bins * s->second_bins;
  const uint32_t lines = s->second.lines, tails = s->second.tails;
  weft_array *windows[WEFT__DIST_MOST_WINDOWS], *state = NULL;
  uint32_t found = 0;
  weft_status rc;
  WEFT__TRY(weft__empty_at(&s->spread, grid->context, WEFT_U8, WEFT_SHAPE(all * room_bytes(s->second)), s->call->site));
  WEFT__TRY(weft_zeros(&s->spread_counts, grid->context, WEFT_U32, WEFT_SHAPE(2 * all + 1)));
  WEFT__TRY(weft__empty_at(&s->places, grid->context, WEFT_U32, WEFT_SHAPE(all), s->call->site));
  list_windows(windows, rooms->from, s);
  WEFT__TRY(weft_launch(k->second->kernel, WEFT_DIM3((uint64_t)bins * (uint64_t)t->units), k->second->block, s->spread,
                        s->own, s->came, s->spread_counts, rooms->from_offsets, (uint32_t)grid->rank,
                        (uint32_t)s->cut[grid->rank], (uint32_t)bins, (uint32_t)t->bins, (uint32_t)t->units,
                        (uint32_t)s->per_window, s->first.lines, s->first.tails, lines, tails, (uint32_t)s->last_bits,
                        WINDOWS(windows)));
  WEFT__TRY(weft_event_record(&rooms->emptied, grid->context, NULL));
  WEFT__TRY(weft_launch(k->places->kernel, WEFT_DIM3((uint64_t)bins), k->places->block, s->places, s->spread_counts,
                        (uint32_t)s->second_bins, lines, tails));
  WEFT__TRY(weft_launch(k->last->kernel, WEFT_DIM3((uint64_t)all), k->last->block, s->parts.out, s->spread,
                        s->spread_counts, s->places, s->begins, (uint32_t)s->second_bins, lines, tails,
                        (uint32_t)s->cut[grid->rank] << s->shift, s->low, weft__dist_key_flip(weft_array_dtype(s->x))));
  WEFT__TRY(weft_slice(&state, s->spread_counts, 0, 2 * all, 2 * all + 1));
  WEFT__TRY(weft_to_host(&found, sizeof found, state));
  *is_full = found;
done:
  weft_array_release(&state);
  return rc;
}

/* ---- the call ---- */

static bool can_spread(const weft_dist *grid, const weft_array *x) {
  const weft_dtype dtype = weft_array_dtype(x);
  return !grid->refuses_spread && (dtype == WEFT_U32 || dtype == WEFT_I32);
}

/// With rooms and kernels. *sorted stays NULL on all ranks if some room proves too small.
static weft_status run(weft_array **sorted, spreading *s, const kernels *k) {
  weft_dist *grid = s->grid;
  const size_t each = (size_t)counts_of(s), ranks = (size_t)grid->ranks;
  int64_t *numbers = weft__dist_new((ranks + 2) * each, sizeof *numbers), full[WEFT__DIST_MOST_RANKS], is_full = 0;
  int64_t *own = numbers, *counts = own + each, *sizes = counts + ranks * each;
  weft_status rc = numbers ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  if (!rc) rc = spread_first(k, s, own);
  WEFT__TRY(weft__dist_rendezvous(grid, s->call, rc));
  WEFT__TRY(weft__dist_all_numbers(grid, counts, own, (int)each));
  if (!find_parts(s, counts, sizes)) goto done;
  rc = weft__dist_parts_begin(&s->parts, grid, s->call, weft_array_dtype(s->x));
  if (!rc) rc = tell_sizes(s, counts, sizes);
  if (!rc) rc = sort_part(&is_full, k, s);
  WEFT__TRY(weft__dist_rendezvous_with(grid, s->call, rc, full, is_full));
  for (int r = 0; r < grid->ranks; r++) is_full |= full[r];
  if (!is_full) rc = weft__dist_parts_end(sorted, &s->parts, grid, s->call, rc);
done:
  free(numbers);
  return rc;
}

weft_status weft__dist_spread(weft_array **sorted, weft_dist *grid, const weft__dist_call *call, const weft_array *x,
                              int64_t total, const weft_array *samples) {
  spreading s = {.grid = grid, .call = call, .x = x, .total = total, .parts = {.total = total}};
  bool can = false, are_open = false, work = false;
  kernels k;
  weft_status rc;
  s.tuning = grid->is_cpu ? &on_cpu : &on_gpu;
  if (!can_spread(grid, x) || total / grid->ranks < s.tuning->least) return WEFT_OK;
  WEFT__TRY(weft__dist_rendezvous(grid, call, make_plan(&can, &s, samples)));
  if (can) WEFT__TRY(open_rooms(&are_open, &s));
  if (are_open) WEFT__TRY(find_kernels(&work, &k, &s));
  if (work) rc = run(sorted, &s, &k);
done:
  weft_release(&s.own, &s.counts, &s.cuts, &s.came, &s.begins, &s.spread, &s.spread_counts, &s.places, &s.parts.out);
  return rc;
}

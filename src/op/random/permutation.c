// SPDX-License-Identifier: MIT
/// Permutations, and randomly picked rows.
#include <inttypes.h>
#include <string.h>

#include <weft/sort.h>

#include "op/random/random.h"
#include "op/random/tuning.h"
#include "op/sort/rows.h"

/* Up to FEW elements, a permutation is the sort order of random keys, found by all pairwise comparisons; beyond, a
   keyed Feistel network. */
#define FEW 1024
#define NETWORK_WORDS 24

typedef enum pick_kernel { PERMUTE, PERMUTE_FEW, SUM_RUNS, FIND_WEIGHTS, RACE } pick_kernel;

typedef struct pick_key {
  unsigned char wide, is_coarse;
} pick_key;

static void write_pick(weft__text *text, const void *data) {
  const pick_key *key = data;
  weft__text_add(text, "#define WEFT_WIDE %d\n#define WEFT_ITEM %d\n", key->wide,
                 key->is_coarse ? WEFT__PICK_CPU_ELEMENTS : 1);
}

/// A kernel. Only kernels that draw depend on the generator; for all others `wide` is false.
typedef struct variant {
  pick_kernel which;
  bool wide;
} variant;

/// Runs a kernel over `count` elements.
static weft_status run(weft_context *context, variant v, uint64_t count, const void *arguments, size_t size, int uses,
                       const weft__use *use, const char *site) {
  static const char *const names[] = {"weft_permute", "weft_permute_few", "weft_sum_runs", "weft_find_weights",
                                      "weft_race"};
  static const char *const what[] = {"permutation", "permutation", "choice", "choice", "choice"};
  weft__kernel *kernel;
  const weft__grain grain = weft__grain_of(&context->store, WEFT__PICK_CPU_ELEMENTS);
  const pick_key key = {v.wide, weft__is_coarse(grain)};
  const weft__kernel_source source = {
      .name = what[v.which],
      .key = {.file = v.which < SUM_RUNS ? "random/permutation.cl" : "random/weights.cl",
              .kernel = &names[v.which],
              .kernels = 1,
              WEFT__KEY_BYTES(pick_key, &key)},
      .write = write_pick};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &context->store, &source));
  /* a work-item of SUM_RUNS does one run of weights, on CPUs too */
  const weft_dim3 grid = v.which == SUM_RUNS ? weft__own_grid(count, grain.block) : weft__grain_grid(grain, count);
  return weft__run_kernel(&(weft__kernel_run){kernel, grid, WEFT_DIM3(grain.block), arguments, size, uses, use,
                                              .what = what[v.which], .site = site});
}

/* ---- orders ---- */

static weft_status few_into(weft_array *order, weft_rng_state *state, uint64_t n, uint64_t first, const char *site) {
  static const weft__distribution bits = {
      .name = "random_bits", .kind = WEFT__DRAW_BITS, .dtype = WEFT_U64, .is_long = true};
  weft_array *keys = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&keys, order->context, WEFT_U64, WEFT_SHAPE(n), site));
  WEFT__TRY(weft__draw_into(keys, state, &bits, site));
  const weft__shuffle_args a = {
      .n = n, .first = first, .count = (uint64_t)order->size, .offset = (uint64_t)order->offset_bytes};
  const weft__use use[] = {{keys->storage, false}, {order->storage, true}};
  rc = run(order->context, (variant){.which = PERMUTE_FEW}, n, &a, sizeof a, 2, use, site);
done:
  weft_array_release(&keys);
  return rc;
}

/// Fills `order` (contiguous i64) with numbers `first` and following of a random permutation of 0 to n - 1.
static weft_status order_into(weft_array *order, weft_rng_state *state, uint64_t n, uint64_t first, const char *site) {
  weft__shuffle_args a = {
      .n = n, .first = first, .count = (uint64_t)order->size, .offset = (uint64_t)order->offset_bytes};
  weft__rng_words words;
  if (a.count == 0) return WEFT_OK;
  if (n <= FEW) return few_into(order, state, n, first, site);
  const weft_rng_state before = *state;
  WEFT__TRY_RETURN(weft__rng_take(&words, state, WEFT__TAKES_WORD, NETWORK_WORDS));
  for (unsigned k = 0; k < NETWORK_WORDS; k++)
    a.key[k] = k == 0 && words.has_kept ? words.kept : weft__rng_word(&before, words.base + k);
  uint32_t bits = 0;
  while (bits < 64 && (n - 1) >> bits != 0) bits++;
  a.left = bits / 2;
  a.right = bits - a.left;
  const weft__use use = {order->storage, true};
  return run(order->context, (variant){.which = PERMUTE}, a.count, &a, sizeof a, 1, &use, site);
}

static weft_status check_holds(const weft_operand *out, int64_t n) {
  const weft_dtype dtype = weft__given_dtype(out);
  if (weft_dtype_kind(dtype) != 'i') return WEFT_OK; /* a cast or a float result is refused later */
  if (n - 1 <= INT64_MAX >> (64 - 8 * weft_dtype_size_bytes(dtype))) return WEFT_OK;
  return weft__fail(WEFT_ERROR_OVERFLOW, "out", "%s does not hold %" PRId64, weft_dtype_name(dtype), n - 1);
}

static weft_status check_part(weft_permutation_params *part, int64_t n) {
  if (n < 0) return weft__fail(WEFT_ERROR_ARGUMENT, "n", "`n` is %" PRId64 "; expected 0 or more", n);
  if (part->first < 0 || part->first > (n ? n - 1 : 0))
    return weft__fail(WEFT_ERROR_ARGUMENT, "first", "`.first` is %" PRId64 "; expected 0 to %" PRId64, part->first,
                      n ? n - 1 : 0);
  const int64_t left = n - part->first;
  if (part->count < 0 || part->count > left)
    return weft__fail(WEFT_ERROR_ARGUMENT, "count",
                      "`.count` is %" PRId64 "; expected 0 to the %" PRId64 " numbers from `.first` on", part->count,
                      left);
  if (part->count == 0) part->count = left;
  return WEFT_OK;
}

weft_status weft__permutation_at(weft_operand out, weft_rng *rng, int64_t n, const weft_permutation_params *params) {
  weft_permutation_params part = WEFT__PARAMS(params);
  const char *site = part.site;
  weft__call c;
  weft_rng_state after;
  weft_status rc;
  weft__enter("weft_permutation", site);
  weft__call_open(&c, NULL, 1, &out, 0, NULL, NULL, site);
  WEFT__TRY(weft__rng_begin(&after, &c, rng));
  WEFT__TRY(check_part(&part, n));
  WEFT__TRY(check_holds(&out, n));
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, WEFT_I64, WEFT_SHAPE(part.count)));
  rc = order_into(c.array[0], &after, (uint64_t)n, (uint64_t)part.first, site);
done:
  return weft__leave(weft__rng_close(rng, &after, &c, rc));
}

/* ---- rows ---- */

/// out[i] = x[index[i]] for rows; all arrays are contiguous.
static weft_status pick_rows(weft_array *out, const weft_array *x, const weft_array *index, const char *site) {
  return weft__gather_rows(out, x, index, weft__split_at_axis(weft__array_shape(x), 0), "pick", site);
}

/// Checks operand 0, which has rows along axis 0, and makes it contiguous.
static weft_status begin_rows(weft_rng_state *after, weft__call *c, const weft_rng *rng) {
  WEFT__TRY_RETURN(weft__rng_begin(after, c, rng));
  WEFT__TRY_RETURN(weft__call_check(c));
  if (weft__call_shape(c, 0).ndim == 0)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no axes; expected rows along axis 0");
  WEFT__TRY_RETURN(weft__call_upload(c));
  return weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE);
}

weft_status weft__shuffle_at(weft_operand out, weft_rng *rng, weft_operand x, const char *site) {
  static const char *const names[] = {"x"};
  weft__call c;
  weft_array *order = NULL;
  weft_rng_state after;
  weft_status rc;
  weft__enter("weft_shuffle", site);
  weft__call_open(&c, NULL, 1, &out, 1, &x, names, site);
  WEFT__TRY(begin_rows(&after, &c, rng));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, c.array[1]->dtype, weft__array_shape(c.array[1])));
  WEFT__TRY(weft__array_create(&order, c.context, WEFT_I64, WEFT_SHAPE(c.array[1]->shape[0]), site));
  WEFT__TRY(order_into(order, &after, (uint64_t)order->size, 0, site));
  rc = pick_rows(c.array[0], c.array[1], order, site);
done:
  weft_array_release(&order);
  return weft__leave(weft__rng_close(rng, &after, &c, rc));
}

/* ---- choice ---- */

/// Fills `index` by weights (contiguous f64), with repetition.
static weft_status find_by_weight(weft_array *index, weft_rng_state *state, const weft_array *weights,
                                  const char *site) {
  const uint64_t n = (uint64_t)weights->size;
  uint64_t room = n;
  weft_array *running = NULL;
  weft__rng_words words;
  weft_status rc;
  weft__weights_args a = {.n = n, .count = (uint64_t)index->size, .from_offset = (uint64_t)weights->offset_bytes};
  for (uint64_t length = n; length > WEFT__WEIGHT_RUN; room += length) length = weft_ceil_div(length, WEFT__WEIGHT_RUN);
  weft__rng_stream(&a.stream, state);
  WEFT__TRY(weft__rng_take(&words, state, WEFT__TAKES_LONG, a.count));
  a.base = words.base;
  WEFT__TRY(weft__array_create(&running, index->context, WEFT_F64, WEFT_SHAPE(room), site));
  for (uint64_t length = n, begin = 0;; length = weft_ceil_div(length, WEFT__WEIGHT_RUN)) {
    weft__weights_args level = a;
    const weft__use sums[] = {{begin == 0 ? weights->storage : running->storage, false}, {running->storage, true}};
    level.n = length;
    if (begin > 0) level.from_offset = begin * sizeof(double);
    level.to_offset = begin * sizeof(double);
    WEFT__TRY(run(index->context, (variant){.which = SUM_RUNS}, weft_ceil_div(length, WEFT__WEIGHT_RUN), &level,
                  sizeof level, 2, sums, site));
    begin += length;
    if (length <= WEFT__WEIGHT_RUN) break;
  }
  const weft__use use[] = {{running->storage, false}, {index->storage, true}};
  const variant find = {FIND_WEIGHTS, .wide = state->generator == WEFT_PHILOX4X64};
  a.from_offset = 0;
  a.to_offset = (uint64_t)index->offset_bytes;
  rc = run(index->context, find, a.count, &a, sizeof a, 2, use, site);
done:
  weft_array_release(&running);
  return rc;
}

/// Fills `index` by weights, without repetition: the rows with the least times, exponential with the weights as rates.
static weft_status race_by_weight(weft_array *index, weft_rng_state *state, const weft_array *weights,
                                  const char *site) {
  static const weft__distribution exponential = {.name = "exponential",
                                                 .kind = WEFT__DRAW_EXPONENTIAL,
                                                 .dtype = WEFT_F64,
                                                 .is_long = true,
                                                 .parameters = 1,
                                                 .parameter = {1}};
  weft_array *time = NULL, *first = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&time, index->context, WEFT_F64, weft__array_shape(weights), site));
  WEFT__TRY(weft__draw_into(time, state, &exponential, site));
  const weft__weights_args a = {.n = (uint64_t)weights->size, .from_offset = (uint64_t)weights->offset_bytes};
  const weft__use use[] = {{weights->storage, false}, {time->storage, true}};
  WEFT__TRY(run(index->context, (variant){.which = RACE}, a.n, &a, sizeof a, 2, use, site));
  rc = weft__topk_at(WEFT_OPERAND(&first), WEFT_OPERAND(&index), WEFT_OPERAND(time), index->size, WEFT__AXES(0),
                     &(const weft_topk_params){.smallest = true, .site = site});
done:
  weft_array_release(&first);
  weft_array_release(&time);
  return rc;
}

static weft_status check_choice(const weft__call *c, int64_t count, const weft_choice_params *params) {
  const int64_t rows = weft__call_shape(c, 0).dim[0];
  if (count < 0) return weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %" PRId64 "; expected 0 or more", count);
  if (count > 0 && rows == 0)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no rows to choose %" PRId64 " from", count);
  if (params->unique && count > rows)
    return weft__fail(WEFT_ERROR_ARGUMENT, "count",
                      "`count` is %" PRId64 "; `x` has only %" PRId64 " rows to choose each once", count, rows);
  if (!params->weights) return WEFT_OK;
  const weft_shape shape = weft__call_shape(c, 1);
  if (weft_dtype_kind(weft__call_dtype(c, 1)) == 'c')
    return weft__fail(WEFT_ERROR_DTYPE, "weights", "`weights` is %s; expected real numbers",
                      weft_dtype_name(weft__call_dtype(c, 1)));
  if (shape.ndim != 1 || shape.dim[0] != rows)
    return weft__fail(WEFT_ERROR_SHAPE, "weights",
                      "`weights` has %d axes and %" PRId64 " elements; expected one for each of %" PRId64 " rows",
                      shape.ndim, shape.ndim ? shape.dim[0] : 1, rows);
  return weft__dtype_check(WEFT_F64, c->context);
}

/// The narrowest dtype of `index` in choose().
static weft_dtype index_dtype(int64_t rows, const weft_choice_params *params) {
  return !params->weights && !params->unique && rows <= INT32_MAX ? WEFT_I32 : WEFT_I64;
}

/// Fills `index` (contiguous) with row numbers. `weights`: NULL, or contiguous f64.
static weft_status choose(weft_array *index, weft_rng_state *state, int64_t rows, const weft_array *weights,
                          bool unique, const char *site) {
  if (index->size == 0) return WEFT_OK;
  if (weights) return (unique ? race_by_weight : find_by_weight)(index, state, weights, site);
  if (unique) return order_into(index, state, (uint64_t)rows, 0, site);
  const weft__distribution integers = weft__integers_of(index->dtype, 0, rows);
  return weft__draw_into(index, state, &integers, site);
}

weft_status weft__choice_at(weft_operand out, weft_rng *rng, weft_operand x, int64_t count,
                            const weft_choice_params *params) {
  static const char *const names[] = {"x", "weights"};
  const weft_choice_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {x, WEFT_OPERAND(p.weights)};
  weft__call c;
  weft_array *index = NULL;
  weft_rng_state after;
  weft_status rc;
  weft__enter("weft_choice", p.site);
  weft__call_open(&c, NULL, 1, &out, p.weights ? 2 : 1, operand, names, p.site);
  WEFT__TRY(begin_rows(&after, &c, rng));
  WEFT__TRY(check_choice(&c, count, &p));
  if (p.weights) WEFT__TRY(weft__call_contiguous_operand(&c, 1, WEFT_F64));
  const weft_array *from = c.array[1];
  weft_shape shape = weft__array_shape(from);
  shape.dim[0] = count;
  WEFT__TRY(weft__call_contiguous_result(&c, 0, from->dtype, shape));
  WEFT__TRY(weft__array_create(&index, c.context, index_dtype(from->shape[0], &p), WEFT_SHAPE(count), p.site));
  WEFT__TRY(choose(index, &after, from->shape[0], p.weights ? c.array[2] : NULL, p.unique, p.site));
  rc = pick_rows(c.array[0], from, index, p.site);
done:
  weft_array_release(&index);
  return weft__leave(weft__rng_close(rng, &after, &c, rc));
}

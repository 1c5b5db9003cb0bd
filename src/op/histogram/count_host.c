// SPDX-License-Identifier: MIT
/// Counting on the host. Threads have chunks of the elements and tables of their own, which are added up at the end;
/// few elements for many bins are added to the counts themselves, by threads that have ranges of the bins. The order of
/// additions of weights depends only on the sizes and the number of cores.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <math.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/scratch.h"
#include "base/wide.h"
#include "engine/shares.h"
#include "op/histogram/histogram.h"
#include "op/histogram/tuning.h"

enum { TABLES = 4 }; /* tables of a chunk, so that an addition need not wait for the one before it */

/* ---- loops ---- */

typedef struct weft__count_loops {
  weft_dtype own; /* of the values */
  void (*load)(void *to, const void *from, size_t n, weft_dtype dtype, int64_t flip);
  void (*widen)(void *ends, const void *values, size_t n, bool begins);
  bool (*end_range)(uint64_t *word, const void *ends, int64_t flip);
  bool (*is_bad)(const void *value);
  /// By weft__bin_mode. Values outside all bins have the number of bins.
  void (*bins[3])(uint32_t *bin, const void *values, const void *edges, size_t n, const weft__histogram_args *a);
} weft__count_loops;

#define ROUND 12582912.0f /* 3 * 2^22: leaves no bits for a fraction */
#define ROUND_BITS 0x4b400000u

/// The nearest double, or the next one, from the integer's halves: vectors of 32 bytes have no conversion.
static inline double weft__of_distance(uint64_t x) {
  return weft__f64_of_bits(x >> 32 | UINT64_C(0x4530000000000000)) - 0x1.00000001p84 +
         weft__f64_of_bits((x & UINT32_MAX) | UINT64_C(0x4330000000000000));
}
/// The bits of a value as an integer in the order of the values, NaNs at the ends; also the way back.
#define ORDERED(bits) ((bits) ^ (IS_FLOAT && (bits) < 0 ? (K)(INT64_MAX >> (64 - 8 * sizeof(K))) : 0))
#define LOAD(D, T, value)                                                                       \
  case WEFT_##D: {                                                                              \
    const T *x = from;                                                                          \
    for (size_t k = 0; k < n; k++) v[k] = IS_FLOAT ? (V)(value) : (V)((int64_t)(value) ^ flip); \
    break;                                                                                      \
  }
#define LOOPS "op/histogram/count_types.h"
#include "base/each_width.h"

/// Adds a table to the counts, or the sums.
#define ADD_LOOP(TARGET, NAME, T, S)                                                 \
  TARGET static void NAME(void *restrict to, const void *restrict table, size_t n) { \
    for (size_t k = 0; k < n; k++) ((S *)to)[k] += ((const T *)table)[k];            \
  }
WEFT__EACH(ADD_LOOP, add_counts, uint32_t, int64_t)
WEFT__EACH(ADD_LOOP, add_sums, double, double)

/* ---- elements as values ---- */

/// Elements and their values: integers, if of 64 bits, or if they are bins' numbers or their range is sought; else
/// floats for narrow floats and f32, doubles for the others.
typedef struct elements {
  const char *x;
  weft_dtype dtype, value;
  size_t size;  /* bytes of an element */
  int64_t flip; /* the bits to invert in integers, so that signed ones have their order */
  const weft__count_loops *loops;
} elements;

static elements elements_of(const void *x, int32_t dtype, int32_t value, bool are_integers, bool are_ordered) {
  enum { I32, I64, F32, F64 };
  static const weft__count_loops *const loops[3] = WEFT__ALL(count_loops);
  const weft_dtype of = (weft_dtype)value;
  const int own = of == WEFT_F32                     ? F32
                  : of == WEFT_I64 || of == WEFT_U64 ? I64
                  : are_integers && of != WEFT_F64   ? I32
                                                     : F64;
  elements e = {x, (weft_dtype)dtype, of, weft_dtype_size_bytes((weft_dtype)dtype), 0, &loops[WEFT__WIDTH][own]};
  if (are_ordered && of == WEFT_U64) e.flip = INT64_MIN;
  if (are_ordered && of == WEFT_U32 && own == I32) e.flip = INT32_MIN;
  return e;
}

/// The values of up to WEFT__COUNT_FOUND elements from i on.
static const void *values_of(void *room, const elements *e, uint64_t i, size_t n) {
  const char *x = e->x + i * e->size;
  if (e->dtype == e->loops->own) return x;
  e->loops->load(room, x, n, e->dtype, e->flip);
  return room;
}

/* ---- counts ---- */

/// What a recording keeps of a count. Its arrays in this order, as far as there are: counts, x, weights, edges.
typedef struct counting {
  weft__histogram_args a;
  int32_t x, value, mode, weight; /* mode 0: the range is sought; weight: a dtype, or 0 */
  int32_t has_edges, cores;
} counting;

/// What the shares of a count read.
typedef struct tally {
  const counting *t;
  weft__histogram_args a;
  elements x;
  const char *weights;
  char *counts, *tables;
  void *edges; /* as values */
  uint64_t chunk, chunks, each, stride, shares; /* each: tables of a chunk */
} tally;

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/// The items from *begin to *end of `all` belong to the share.
static void items_of(uint64_t *begin, uint64_t *end, const weft__share *share, uint64_t all) {
  const uint64_t shares = ((const tally *)share->all)->shares;
  *begin = all * share->number / shares;
  *end = all * (share->number + 1) / shares;
}

/// A block's bins, and its weights, if there are weights.
static const double *find_bins(uint32_t *bin, double *room, const tally *y, uint64_t i, size_t n) {
  const void *values = values_of(room, &y->x, i, n);
  y->x.loops->bins[y->t->mode - 1](bin, values, y->edges, n, &y->a);
  if (y->t->weight == WEFT_F64) return (const double *)(const void *)y->weights + i;
  const float *weights = (const float *)(const void *)y->weights;
  for (size_t k = 0; k < n && weights; k++) room[k] = (double)weights[i + k];
  return weights ? room : NULL;
}

/// Whole blocks go to all tables in turn, the rest to the first one.
static void count_chunk(char *table, const tally *y, uint64_t i, uint64_t end) {
  uint32_t bin[WEFT__COUNT_FOUND], *ones = (uint32_t *)(void *)table;
  double room[WEFT__COUNT_FOUND], *sums = (double *)(void *)table;
  for (size_t n; i < end; i += n) {
    n = (size_t)least(WEFT__COUNT_FOUND, end - i);
    const uint64_t stride = n < WEFT__COUNT_FOUND || y->each == 1 ? 0 : y->stride;
    const double *weight = find_bins(bin, room, y, i, n);
    if (weight && stride)
      for (size_t k = 0; k < WEFT__COUNT_FOUND; k += TABLES)
        for (size_t l = 0; l < TABLES; l++) sums[l * stride + bin[k + l]] += weight[k + l];
    else if (weight)
      for (size_t k = 0; k < n; k++) sums[bin[k]] += weight[k];
    else if (stride)
      for (size_t k = 0; k < WEFT__COUNT_FOUND; k += TABLES)
        for (size_t l = 0; l < TABLES; l++) ones[l * stride + bin[k + l]]++;
    else
      for (size_t k = 0; k < n; k++) ones[bin[k]]++;
  }
}

/// Of bytes the 256 values are counted.
static void count_bytes(char *table, const tally *y, uint64_t i, uint64_t end) {
  uint32_t count[TABLES][256], bin[256], *ones = (uint32_t *)(void *)table;
  uint8_t all[256];
  double room[256];
  tally of_all = *y;
  const uint8_t *x = (const uint8_t *)y->x.x;
  memset(count, 0, sizeof count);
  for (; i + TABLES <= end; i += TABLES)
    for (size_t l = 0; l < TABLES; l++) count[l][x[i + l]]++;
  for (; i < end; i++) count[0][x[i]]++;
  for (size_t k = 0; k < 256; k++) all[k] = (uint8_t)k;
  of_all.x.x = (const char *)all;
  find_bins(bin, room, &of_all, 0, 256);
  for (size_t k = 0; k < 256; k++) ones[bin[k]] += count[0][k] + count[1][k] + count[2][k] + count[3][k];
}

static void *count_chunks(void *share) {
  const tally *y = ((const weft__share *)share)->all;
  const uint64_t bytes = y->each * y->stride * (y->t->weight ? sizeof(double) : sizeof(uint32_t));
  uint64_t c, last;
  for (items_of(&c, &last, share, y->chunks); c < last; c++)
    (y->x.size == 1 && !y->t->weight ? count_bytes : count_chunk)(memset(y->tables + c * bytes, 0, bytes), y,
                                                                  c * y->chunk, least((c + 1) * y->chunk, y->a.n));
  return NULL;
}

/// Adds up the tables of a share of the bins, in their order, a block of bins after the other.
static void *add_tables(void *share) {
  static void (*const add[][3])(void *, const void *, size_t) = {WEFT__ALL(add_counts), WEFT__ALL(add_sums)};
  const tally *y = ((const weft__share *)share)->all;
  const bool is_weighted = y->t->weight != 0;
  uint64_t first, last, n;
  for (items_of(&first, &last, share, y->a.bins); first < last; first += n) {
    n = least(WEFT__COUNT_FOUND, last - first);
    char *counts = memset(y->counts + 8 * first, 0, 8 * n);
    for (uint64_t c = 0; c < y->chunks * y->each; c++)
      add[is_weighted][WEFT__WIDTH](counts, y->tables + (c * y->stride + first) * (is_weighted ? 8 : 4), (size_t)n);
  }
  return NULL;
}

/// Adds all elements that are in a share of the bins to the counts.
static void *count_range(void *share) {
  const tally *y = ((const weft__share *)share)->all;
  uint64_t begin, end;
  items_of(&begin, &end, share, y->a.bins);
  const uint32_t first = (uint32_t)begin, bins = (uint32_t)(end - begin);
  int64_t *counts = (int64_t *)(void *)y->counts;
  double *sums = (double *)(void *)y->counts, room[WEFT__COUNT_FOUND];
  uint32_t bin[WEFT__COUNT_FOUND], place[WEFT__COUNT_FOUND];
  memset(counts + first, 0, (size_t)bins * 8);
  for (uint64_t i = 0, n; i < y->a.n; i += n) {
    uint32_t found = 0;
    n = least(WEFT__COUNT_FOUND, y->a.n - i);
    const double *weight = find_bins(bin, room, y, i, (size_t)n);
    for (uint32_t k = 0; k < n; k++) {
      place[found] = k;
      found += bin[k] - first < bins;
    }
    for (uint32_t k = 0; k < found && weight; k++) sums[bin[place[k]]] += weight[place[k]];
    for (uint32_t k = 0; k < found && !weight; k++) counts[bin[place[k]]]++;
  }
  return NULL;
}

/// Divides the elements into chunks: a table must be worth its cost, so that two have as many bins as elements at most,
/// and its counts must not overflow.
static void divide(tally *y) {
  const weft__histogram_args *a = &y->a;
  const uint64_t cores = (uint64_t)y->t->cores, worth = a->n / a->bins > 1 ? 2 * (a->n / a->bins) : 2;
  y->each = a->bins <= WEFT__COUNT_TABLES_BINS ? TABLES : 1;
  y->chunks = least(least(a->n / WEFT__COUNT_LEAST_CHUNK, cores * (y->each == 1 ? 1 : WEFT__COUNT_CORE_CHUNKS)), worth);
  if (y->chunks < a->n >> 31) y->chunks = a->n >> 31;
  if (y->chunks < 1) y->chunks = 1;
  y->chunk = (a->n + y->chunks - 1) / y->chunks;
  y->stride = (a->bins / 16 + 1) * 16; /* at least one counter more than bins, for elements outside all bins */
}

static void run(tally *y, uint64_t shares, void *(*function)(void *share)) {
  y->shares = (uint64_t)weft__shares_of(shares, WEFT__COUNT_CORE_CHUNKS * (uint64_t)y->t->cores);
  weft__run_shares((int)y->shares, function, y);
}

/// Whether bins of equal width need a table: their edges are rounded to narrow floats, or become integers.
static bool needs_edges(const tally *y) {
  return y->t->has_edges ||
         (y->t->mode == WEFT__BIN_EVEN && (y->x.loops->own == WEFT_I64 || weft__is_narrow(y->x.dtype)));
}

/// Makes the table, and doubles of the ends of the range.
static void find_edges(tally *y, const void *given) {
  weft__histogram_args *a = &y->a;
  const double low = weft__f64_of_bits(a->low), step = weft__f64_of_bits(a->step);
  const weft_dtype value = y->x.value;
  uint64_t bits, last = a->least + a->span;
  int64_t *edge = y->edges;
  uint32_t j = 0;
  if (given) {
    y->x.loops->load(edge, given, (size_t)a->bins + 1, value, y->x.flip);
  } else if (edge && value == WEFT_F32) {
    for (; j <= a->bins; j++) ((float *)y->edges)[j] = (float)weft__float_rounded(y->x.dtype, (double)j * step + low);
  } else if (edge) {
    while (j < a->bins && weft__integer_at(&bits, y->x.dtype, (double)j * step + low))
      edge[j++] = (int64_t)bits ^ y->x.flip;
    for (a->used = j; j <= a->bins; j++) edge[j] = (int64_t)last ^ y->x.flip;
  }
  const bool is_float = weft_dtype_kind(value) == 'f';
  if (is_float) last = a->span;
  for (int e = 0; e < 2; e++) {
    uint64_t *end = e ? &last : &a->least;
    *end = value == WEFT_F64   ? *end
           : value == WEFT_F32 ? weft__bits_of_f64((double)weft__f32_of_bits((uint32_t)*end))
           : value == WEFT_I32 ? weft__bits_of_f64((double)(int32_t)(uint32_t)*end)
                               : weft__bits_of_f64((double)(uint32_t)*end);
  }
  a->span = last;
}

/* ---- the range of the data ---- */

/// Words 3k to 3k + 2 of the share k: bits of its least and greatest value, and the place of the first one that is
/// negative or a NaN.
static void *measure_share(void *share) {
  const weft__share *part = share;
  const tally *y = part->all;
  const weft__count_loops *loops = y->x.loops;
  uint64_t first, end, room[WEFT__COUNT_FOUND], ends[2], *word = (uint64_t *)(void *)y->counts + 3 * part->number;
  items_of(&first, &end, share, y->a.n);
  for (uint64_t i = first, n; i < end; i += n) {
    n = least(WEFT__COUNT_FOUND, end - i);
    loops->widen(ends, values_of(room, &y->x, i, (size_t)n), (size_t)n, i == first);
  }
  const bool has_bad = loops->end_range(word, ends, y->x.flip) && !y->x.flip;
  for (word[2] = UINT64_MAX; has_bad && word[2] == UINT64_MAX; first++)
    if (loops->is_bad(values_of(room, &y->x, first, 1))) word[2] = first;
  return NULL;
}

/* ---- the step ---- */

static int count(void *const *data, const void *task) {
  const counting *t = task;
  const bool is_direct = t->mode == WEFT__BIN_DIRECT, are_bins = t->mode && !is_direct;
  int next = 2;
  tally y = {.t = t, .a = t->a, .counts = data[0], .x = elements_of(data[1], t->x, t->value, !are_bins, !is_direct)};
  if (!t->mode) {
    y.shares = y.a.chunks;
    weft__run_shares((int)y.shares, measure_share, &y);
    return 0;
  }
  y.weights = t->weight ? data[next++] : NULL;
  const bool has_edges = needs_edges(&y);
  if (has_edges && !(y.edges = weft__scratch_begin(((size_t)t->a.bins + 1) * 8))) return WEFT__HOST_NO_MEMORY;
  if (are_bins) find_edges(&y, t->has_edges ? data[next] : NULL);
  divide(&y);
  const bool is_sparse = is_direct && y.each == 1 && (t->weight ? 1 : TABLES) * y.a.n <= y.a.bins;
  const bool has_tables = !is_sparse && (y.chunks > 1 || (y.each > 1 && y.a.n >= WEFT__COUNT_FOUND));
  if (!has_tables) {
    run(&y, is_sparse ? least(y.a.bins / WEFT__COUNT_SHARE_BINS, (uint64_t)t->cores) : 1, count_range);
  } else if ((y.tables = weft__scratch_begin(y.chunks * y.each * y.stride * (t->weight ? 8 : 4)))) {
    run(&y, y.chunks, count_chunks);
    run(&y, y.chunks * y.each * y.a.bins / WEFT__COUNT_SHARE_BINS, add_tables);
  }
  weft__scratch_end(y.tables);
  weft__scratch_end(y.edges);
  return has_tables && !y.tables ? WEFT__HOST_NO_MEMORY : 0;
}

const weft__host_function weft__host_count = {
    .name = "count", .library = WEFT__LIBRARY_NONE, .task_bytes = sizeof(counting), .run = count};

weft_status weft__histogram_host_run(bool *is_done, const void *of) {
  const weft__count *c = of;
  const weft__binning *binning = c->binning;
  counting t; /* recordings keep all its bytes */
  memset(&t, 0, sizeof t);
  t.a = c->args;
  t.x = (int32_t)c->x->dtype;
  t.value = (int32_t)binning->value;
  t.mode = (int32_t)binning->mode;
  t.weight = c->weights ? (int32_t)c->weights->dtype : 0;
  t.has_edges = binning->edges != NULL;
  t.cores = weft__host_cores(c->x->context);
  weft__host_use use[4] = {{.array = c->counts, .writes = true}, {.array = c->x, .reads = true}};
  int uses = 2;
  if (c->weights) use[uses++] = (weft__host_use){.array = c->weights, .reads = true};
  if (binning->edges) use[uses++] = (weft__host_use){.array = binning->edges, .reads = true};
  *is_done = true;
  return weft__host_run(c->x->context, &weft__host_count, &t, uses, use,
                        binning->mode ? "histogram" : "range of the data", c->site);
}

weft_status weft__extent_host_run(bool *is_done, const void *of) {
  const weft__extent_parts *e = of;
  const uint64_t n = (uint64_t)e->x->size, most = WEFT__COUNT_CORE_CHUNKS * (uint64_t)weft__host_cores(e->x->context);
  const uint32_t shares = (uint32_t)weft__shares_of(n / WEFT__COUNT_LEAST_CHUNK, most);
  const weft__binning none = {.value = weft__bin_value(e->x->dtype)};
  WEFT__TRY_RETURN(weft__array_create(e->partials, e->x->context, WEFT_U64, WEFT_SHAPE(3 * (int64_t)shares), e->site));
  const weft__count all = {*e->partials, e->x, NULL, &none, {.n = n, .chunks = shares}, e->site};
  return weft__histogram_host_run(is_done, &all);
}

// SPDX-License-Identifier: MIT
/// Quantiles on the host: elements of rows are found by their ranks, or rows are in order.
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "cl/statistics/args.h"
#include "op/sort/find_rank.h"
#include "op/statistics/quantile.h"
#include "op/statistics/tuning.h"

/// What a recording keeps. Its arrays: the rows, the results and, if there are more than WEFT__QUANTILE_WORDS, q.
typedef struct quantile_task {
  uint64_t rows, length, quantiles, apart; /* apart: results between two quantiles of a row */
  int32_t method, dtype, cores, ignores_nans, is_element, is_sorted;
  double q[WEFT__QUANTILE_WORDS];
} quantile_task;

/// Element `low` in order, plus `weight` times the difference of element `high`.
typedef struct place {
  WEFT__U64 low, high;
  double weight;
} place;

typedef struct job {
  const quantile_task *t;
  const char *from;
  char *to;
  const double *q;
  weft__ranked ranked; /* its room: of all shares */
  int shares;
  size_t room_bytes; /* of a share */
  bool has_places;
  place places[WEFT__QUANTILE_WORDS]; /* of rows whose elements all count */
} job;

/* ---- an element ---- */

typedef union element {
  char bytes[8];
  int8_t i8;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  float f32;
  double f64;
  weft_f16 f16;
  weft_bf16 bf16;
} element;

static double real_of(const element *x, weft_dtype dtype) {
  switch (dtype) {
    case WEFT_F16:
      return weft_f16_to_double(x->f16);
    case WEFT_BF16:
      return weft_bf16_to_double(x->bf16);
    case WEFT_F32:
      return (double)x->f32;
    default:
      return x->f64;
  }
}

static element element_of(double value, weft_dtype dtype) {
  element x = {.u64 = 0};
  switch (dtype) {
    case WEFT_F16:
      x.f16 = weft_f16_from_double(value);
      break;
    case WEFT_BF16:
      x.bf16 = weft_bf16_from_double(value);
      break;
    case WEFT_F32:
      x.f32 = (float)value;
      break;
    default:
      x.f64 = value;
  }
  return x;
}

/// An integer's bits, with its sign, and its value.
static uint64_t integer_of(double *value, const element *x, weft_dtype dtype) {
  const bool is_signed = weft_dtype_kind(dtype) == 'i';
  const size_t bytes = weft_dtype_size_bytes(dtype);
  const int64_t whole = bytes == 1 ? x->i8 : bytes == 2 ? x->i16 : bytes == 4 ? x->i32 : x->i64;
  const uint64_t all = bytes == 1 ? x->u8 : bytes == 2 ? x->u16 : bytes == 4 ? x->u32 : x->u64;
  *value = is_signed ? (double)whole : (double)all;
  return is_signed ? (uint64_t)whole : all;
}

/// As cl/statistics/quantile.clh: a quantile of its two elements in order.
static element between_floats(const element *low, const element *high, double weight, weft_dtype dtype) {
  const double a = real_of(low, dtype), b = real_of(high, dtype);
  if (a == b) return *low; /* two infinities too, whose difference is NaN */
  if (isinf(a) || isinf(b)) return weight == 0 ? *low : element_of(a + b, dtype);
  if (weight == 0.5) return element_of(a / 2 + b / 2, dtype);
  if (isinf(b - a)) return element_of(a * (1 - weight) + b * weight, dtype);
  return element_of(weight < 0.5 ? a + (b - a) * weight : b - (b - a) * (1 - weight), dtype);
}

static element between_integers(const element *low, const element *high, double weight, weft_dtype dtype) {
  double a, b;
  const uint64_t first = integer_of(&a, low, dtype), last = integer_of(&b, high, dtype);
  const double apart = (double)(last - first); /* exact, and never negative */
  return element_of(weight < 0.5 ? a + apart * weight : b - apart * (1 - weight), WEFT_F64);
}

/* ---- a row ---- */

/// A row, and what was found in it last.
typedef struct row_search {
  const weft__ranked *r;
  weft__rank_found found;
  bool has_found, is_sorted;
} row_search;

/// The element of the rank.
static element find_element(row_search *s, size_t rank) {
  element x = {.u64 = 0};
  weft__rank_found *f = &s->found;
  if (s->is_sorted) {
    memcpy(&x, s->r->row + rank * s->r->bytes, s->r->bytes);
    return x;
  }
  if (s->has_found && f->has_next && rank == f->lesser + f->equal)
    *f = (weft__rank_found){.number = f->next, .lesser = rank, .equal = 1};
  else if (!s->has_found || rank < f->lesser || rank >= f->lesser + f->equal)
    weft__rank_find(f, s->r, rank);
  s->has_found = true;
  weft__rank_copy(&x, s->r, f, rank);
  return x;
}

static bool is_nan_at(const weft__ranked *r, weft_dtype dtype, size_t i) {
  element x = {.u64 = 0};
  memcpy(&x, r->row + i * r->bytes, r->bytes);
  return isnan(real_of(&x, dtype));
}

/// The NaNs of a row. They are the last elements of one in order.
static size_t count_nans(const weft__ranked *r, const quantile_task *t) {
  const weft_dtype dtype = (weft_dtype)t->dtype;
  size_t first = 0, end = t->length;
  if (!r->is_float) return 0;
  if (!t->is_sorted) return weft__rank_count_nans(r);
  if (!is_nan_at(r, dtype, end - 1)) return 0;
  if (!t->ignores_nans) return 1; /* how many does not matter */
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (is_nan_at(r, dtype, middle))
      end = middle;
    else
      first = middle + 1;
  }
  return t->length - end;
}

static place place_of(const job *j, size_t k, size_t numbers) {
  place p;
  if (j->has_places && numbers == j->t->length) return j->places[k];
  p.weight = weft__quantile_place(&p.low, &p.high, (uint32_t)j->t->method, numbers ? (double)numbers : 1, j->q[k]);
  return p;
}

static void find_row(const job *j, size_t row, const weft__ranked *ranked) {
  const quantile_task *t = j->t;
  const weft_dtype dtype = (weft_dtype)t->dtype;
  weft__ranked r = *ranked;
  row_search search = {.r = &r, .is_sorted = t->is_sorted};
  r.row = j->from + row * t->length * r.bytes;
  const size_t nans = count_nans(&r, t), numbers = t->length - (t->ignores_nans ? nans : 0);
  const size_t bytes = t->is_element || r.is_float ? r.bytes : sizeof(double);
  const bool gives_nan = nans > 0 && !t->ignores_nans;
  for (size_t k = 0; k < t->quantiles; k++) {
    place p = place_of(j, k, numbers);
    if (gives_nan) p.low = p.high = t->length - 1;
    const element a = find_element(&search, p.low), b = p.high > p.low ? find_element(&search, p.high) : a;
    const element x = t->is_element ? a
                      : r.is_float  ? between_floats(&a, &b, p.weight, dtype)
                                    : between_integers(&a, &b, p.weight, dtype);
    memcpy(j->to + (k * t->apart + row) * bytes, &x, bytes);
  }
}

/* ---- rows ---- */

static void *find_share(void *user) {
  const weft__share *share = user;
  const job *j = *(job *const *)share->all;
  const size_t rows = j->t->rows, shares = (size_t)j->shares, k = share->number;
  weft__ranked ranked = j->ranked;
  ranked.room = (char *)j->ranked.room + k * j->room_bytes;
  for (size_t row = rows * k / shares; row < rows * (k + 1) / shares; row++) find_row(j, row, &ranked);
  return NULL;
}

static int find_quantiles(void *const *data, const void *task) {
  const quantile_task *t = task;
  job all = {.t = t,
             .from = data[0],
             .to = data[1],
             .q = t->quantiles > WEFT__QUANTILE_WORDS ? data[2] : t->q,
             .ranked = {.length = t->length},
             .shares = 1},
      *j = &all;
  weft__rank_open(&all.ranked, (weft_dtype)t->dtype);
  weft__rank_split(&all.shares, &all.ranked, t->rows, t->cores);
  if (!t->is_sorted) {
    all.room_bytes = (weft__rank_room_bytes(&all.ranked) + 63) / 64 * 64;
    if (!(all.ranked.room = weft__scratch_begin(all.room_bytes * (size_t)all.shares))) return WEFT__HOST_NO_MEMORY;
  }
  for (size_t k = 0; k < t->quantiles && t->quantiles <= WEFT__QUANTILE_WORDS; k++)
    all.places[k] = place_of(j, k, t->length);
  all.has_places = t->quantiles <= WEFT__QUANTILE_WORDS;
  weft__run_shares(all.shares, find_share, &j);
  weft__scratch_end(all.ranked.room);
  return 0;
}

const weft__host_function weft__host_quantile = {
    "quantile", WEFT__LIBRARY_NONE, sizeof(quantile_task), find_quantiles, NULL, NULL};

/* ---- the ways ---- */

static weft_status run(bool *is_done, const weft__quantile_call *c, const weft_array *x, bool is_sorted) {
  const char *site = c->call.site;
  weft_context *context = c->call.context;
  weft_array *table = NULL;
  quantile_task t = {.rows = c->rows,
                     .length = c->length,
                     .quantiles = (uint64_t)c->count,
                     .apart = c->rows,
                     .method = (int32_t)c->method,
                     .dtype = (int32_t)x->dtype,
                     .cores = weft__host_cores(context),
                     .ignores_nans = c->ignores_nans,
                     .is_element = weft__quantile_is_element(c->method),
                     .is_sorted = is_sorted};
  weft__host_use use[] = {{.array = x, .reads = true}, {.array = c->call.array[0], .writes = true}, {.reads = true}};
  weft_status rc;
  const bool has_table = c->count > WEFT__QUANTILE_WORDS;
  if (has_table)
    WEFT__TRY(weft__array_of(&table, context, WEFT_U64, WEFT_SHAPE(c->count), c->q, site));
  else
    memcpy(t.q, c->q, (size_t)c->count * sizeof *t.q);
  use[2].array = table;
  *is_done = true;
  rc = weft__host_run(context, &weft__host_quantile, &t, 2 + has_table, use, c->what, site);
done:
  weft_array_release(&table);
  return rc;
}

bool weft__quantile_host_fits(const void *task) {
  const weft__quantile_call *c = task;
  const bool is_long = c->length > WEFT__QUANTILE_LEAST_FOUND ||
                       (c->length > WEFT__QUANTILE_LEAST_WIDE && weft_dtype_size_bytes(c->elements->dtype) == 8);
  return c->count <= WEFT__QUANTILE_MOST_FOUND && is_long && c->length <= UINT32_MAX;
}

weft_status weft__quantile_host_run(bool *is_done, const void *task) {
  const weft__quantile_call *c = task;
  return run(is_done, c, c->elements, false);
}

weft_status weft__quantile_sorted_run(bool *is_done, const void *task) {
  const weft__quantile_call *c = task;
  weft_array *sorted = NULL;
  weft_status rc;
  const weft_shape shape = WEFT_SHAPE((int64_t)c->rows, (int64_t)c->length);
  WEFT__TRY(weft__array_create(&sorted, c->call.context, c->elements->dtype, shape, c->call.site));
  WEFT__TRY(weft__quantile_sort(c, sorted, NULL));
  rc = run(is_done, c, sorted, true);
done:
  weft_array_release(&sorted);
  return rc;
}

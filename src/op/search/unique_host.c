// SPDX-License-Identifier: MIT
/// The unique elements of a sorted array, on the host: flags of the first element of each value, and from these the
/// results. Each thread has a chunk of a long array.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "op/search/tuning.h"
#include "op/search/unique.h"
#include "op/sort/host.h"

typedef struct range {
  size_t first, end;
} range;

static int chunks_of(uint64_t n, int cores) {
  return weft__shares_of(n / WEFT__UNIQUE_SHARE, (uint64_t)cores);
}

static range chunk_of(size_t n, int chunks, size_t number) {
  return (range){n / (size_t)chunks * number, number + 1 == (size_t)chunks ? n : n / (size_t)chunks * (number + 1)};
}

/* ---- flags ---- */

/// Its arrays: the elements, in order; the flags; their number, i64, if it is wanted.
typedef struct flags_task {
  uint64_t n;
  int32_t dtype, cores, distinct_nan, counts;
} flags_task;

typedef struct flags_job {
  const flags_task *t;
  const char *x;
  uint8_t *flags;
  int chunks;
  int64_t count[WEFT__MOST_SHARES];
} flags_job;

/// The number that orders_of gives NaN.
static uint64_t nan_number(weft_dtype dtype) {
  return UINT64_MAX >> (64 - 8 * weft_dtype_size_bytes(dtype));
}

static void flag_numbers(uint8_t *flags, const void *numbers, size_t n, bool is_wide) {
  const uint64_t *wide = numbers;
  const uint32_t *narrow = numbers;
  if (is_wide)
    for (size_t i = 0; i < n; i++) flags[i] = wide[i] != wide[i + 1];
  else
    for (size_t i = 0; i < n; i++) flags[i] = narrow[i] != narrow[i + 1];
}

static void flag_real(uint8_t *flags, const char *x, range r, const flags_task *t) {
  const weft_dtype dtype = (weft_dtype)t->dtype;
  const size_t bytes = weft_dtype_size_bytes(dtype);
  const bool looks_at_nan = t->distinct_nan && weft_dtype_kind(dtype) == 'f', is_wide = bytes == 8;
  const weft__sort_loops *loops = weft__sort_loops_of(dtype);
  const uint64_t nan = nan_number(dtype);
  weft__sort_form form;
  union {
    uint32_t narrow[WEFT__UNIQUE_BLOCK + 1];
    uint64_t wide[WEFT__UNIQUE_BLOCK + 1];
  } numbers;
  weft__sort_form_of(&form, dtype, false);
  for (size_t i = r.first; i < r.end; i += WEFT__UNIQUE_BLOCK) {
    const size_t n = r.end - i < WEFT__UNIQUE_BLOCK ? r.end - i : WEFT__UNIQUE_BLOCK;
    loops->orders_of(&numbers, x + (i - 1) * bytes, n + 1, &form);
    flag_numbers(flags + i, &numbers, n, is_wide);
    for (size_t k = 0; k < n && looks_at_nan; k++)
      flags[i + k] |= (is_wide ? numbers.wide[k + 1] : numbers.narrow[k + 1]) == nan;
  }
}

/// Numbers with a NaN part are the same, or with distinct_nan none is.
static void flag_complex(uint8_t *flags, const void *of, range r, const flags_task *t) {
  const float *narrow = of;
  const double *wide = of;
  const bool is_wide = t->dtype == WEFT_C128;
  double last[2] = {0, 0};
  for (size_t i = r.first - 1; i < r.end; i++) {
    const double x[2] = {is_wide ? wide[2 * i] : (double)narrow[2 * i],
                         is_wide ? wide[2 * i + 1] : (double)narrow[2 * i + 1]};
    const bool is_nan = x[0] != x[0] || x[1] != x[1], was_nan = last[0] != last[0] || last[1] != last[1];
    const bool is_same = is_nan ? was_nan && !t->distinct_nan : x[0] == last[0] && x[1] == last[1];
    if (i >= r.first) flags[i] = !is_same;
    memcpy(last, x, sizeof last);
  }
}

static void *flag_share(void *user) {
  const weft__share *share = user;
  flags_job *j = *(flags_job *const *)share->all;
  range r = chunk_of(j->t->n, j->chunks, share->number);
  int64_t count = 0;
  const size_t first = r.first;
  if (r.first == 0) j->flags[r.first++] = 1;
  if (weft_dtype_kind((weft_dtype)j->t->dtype) == 'c')
    flag_complex(j->flags, j->x, r, j->t);
  else
    flag_real(j->flags, j->x, r, j->t);
  for (size_t i = first; i < r.end && j->t->counts; i++) count += j->flags[i];
  j->count[share->number] = count;
  return NULL;
}

static int make_flags(void *const *data, const void *task) {
  const flags_task *t = task;
  flags_job all = {.t = t, .x = data[0], .flags = data[1], .chunks = chunks_of(t->n, t->cores)}, *j = &all;
  int64_t count = 0;
  weft__run_shares(all.chunks, flag_share, &j);
  for (int c = 0; c < all.chunks; c++) count += all.count[c];
  if (t->counts) *(int64_t *)data[2] = count;
  return 0;
}

const weft__host_function weft__host_unique_flags = {
    "unique_flags", WEFT__LIBRARY_NONE, sizeof(flags_task), make_flags, NULL, NULL};

weft_status weft__unique_flags_on_host(weft_array **flags, weft_array *count, const weft_array *ordered,
                                       bool distinct_nan, const char *site) {
  const flags_task t = {.n = (uint64_t)ordered->size,
                        .dtype = (int32_t)ordered->dtype,
                        .cores = weft__host_cores(ordered->context),
                        .distinct_nan = distinct_nan,
                        .counts = count != NULL};
  WEFT__TRY_RETURN(weft__array_create(flags, ordered->context, WEFT_BOOL, WEFT_SHAPE(ordered->size), site));
  if (t.n == 0) return WEFT_OK;
  const weft__host_use use[] = {
      {.array = ordered, .reads = true}, {.array = *flags, .writes = true}, {.array = count, .writes = true}};
  return weft__host_run(ordered->context, &weft__host_unique_flags, &t, count ? 3 : 2, use, "unique", site);
}

/* ---- results ---- */

/// Its arrays: the elements, in order; the flags; their places before the sort if `has_order`; the unique elements; as
/// far as they are wanted the places of the first of each, the number of each element, and how many elements are each.
typedef struct results_task {
  uint64_t n;
  int32_t bytes, cores, has_order, gives_first, gives_inverse, gives_counts;
} results_task;

typedef struct results_job {
  const results_task *t;
  const char *x;
  const uint8_t *flags;
  const int64_t *order;
  char *values;
  int64_t *first, *inverse, *counts;
  int chunks;
  size_t place[WEFT__MOST_SHARES + 1]; /* flags in each chunk, then before it */
} results_job;

static void *count_share(void *user) {
  const weft__share *share = user;
  results_job *j = *(results_job *const *)share->all;
  const range r = chunk_of(j->t->n, j->chunks, share->number);
  size_t count = 0;
  for (size_t i = r.first; i < r.end; i++) count += j->flags[i];
  j->place[share->number] = count;
  return NULL;
}

/// Copies the m elements with a flag; the last of the n has none, or is the last of them.
static inline void keep_some(char *to, const char *x, size_t bytes, size_t n, size_t m, const uint8_t *flags) {
  for (size_t i = 0, place = 0; place < m; i++) {
    uint64_t eight = 0;
    if (i % 8 == 0)
      while (i + 8 < n && (memcpy(&eight, flags + i, 8), eight == 0)) i += 8;
    memcpy(to + place * bytes, x + i * bytes, bytes);
    place += flags[i];
  }
}

static void keep_values(char *to, const char *x, size_t bytes, size_t n, size_t m, const uint8_t *flags) {
  switch (bytes) {
    case 1:
      keep_some(to, x, 1, n, m, flags);
      break;
    case 2:
      keep_some(to, x, 2, n, m, flags);
      break;
    case 4:
      keep_some(to, x, 4, n, m, flags);
      break;
    case 8:
      keep_some(to, x, 8, n, m, flags);
      break;
    default:
      keep_some(to, x, 16, n, m, flags);
  }
}

/// How many elements follow one with a flag without one, and itself.
static int64_t count_from(const results_job *j, size_t i) {
  size_t end = i + 1;
  while (end < j->t->n && !j->flags[end]) end++;
  return (int64_t)(end - i);
}

static void *give_share(void *user) {
  const weft__share *share = user;
  const results_job *j = *(results_job *const *)share->all;
  const range r = chunk_of(j->t->n, j->chunks, share->number);
  const size_t bytes = (size_t)j->t->bytes;
  size_t place = j->place[share->number];
  keep_values(j->values + place * bytes, j->x + r.first * bytes, bytes, r.end - r.first,
              j->place[share->number + 1] - place, j->flags + r.first);
  if (!j->first && !j->inverse && !j->counts) return NULL;
  for (size_t i = r.first; i < r.end; i++) {
    if (j->flags[i]) {
      if (j->counts) j->counts[place] = count_from(j, i);
      if (j->first) j->first[place] = j->order[i];
      place++;
    }
    if (j->inverse) j->inverse[j->order[i]] = (int64_t)place - 1;
  }
  return NULL;
}

static int give_results(void *const *data, const void *task) {
  const results_task *t = task;
  results_job all = {.t = t, .x = data[0], .flags = data[1], .chunks = chunks_of(t->n, t->cores)}, *j = &all;
  int next = 2;
  size_t sum = 0;
  if (t->has_order) all.order = data[next++];
  all.values = data[next++];
  if (t->gives_first) all.first = data[next++];
  if (t->gives_inverse) all.inverse = data[next++];
  if (t->gives_counts) all.counts = data[next++];
  weft__run_shares(all.chunks, count_share, &j);
  for (int c = 0; c <= all.chunks; c++) {
    const size_t count = all.place[c];
    all.place[c] = sum;
    sum += count;
  }
  weft__run_shares(all.chunks, give_share, &j);
  return 0;
}

const weft__host_function weft__host_unique = {"unique", WEFT__LIBRARY_NONE, sizeof(results_task), give_results, NULL,
                                               NULL};

weft_status weft__unique_on_host(const weft__unique *u, const char *site) {
  const weft_array *x = u->ordered;
  const results_task t = {.n = (uint64_t)x->size,
                          .bytes = (int32_t)weft_dtype_size_bytes(x->dtype),
                          .cores = weft__host_cores(x->context),
                          .has_order = u->order != NULL,
                          .gives_first = u->first != NULL,
                          .gives_inverse = u->inverse != NULL,
                          .gives_counts = u->counts != NULL};
  weft__host_use use[WEFT__HOST_USES] = {{.array = x, .reads = true}, {.array = u->flags, .reads = true}};
  int uses = 2;
  if (u->order) use[uses++] = (weft__host_use){.array = u->order, .reads = true};
  const weft_array *result[] = {u->values, u->first, u->inverse, u->counts};
  for (int k = 0; k < 4; k++)
    if (result[k]) use[uses++] = (weft__host_use){.array = result[k], .writes = true};
  return weft__host_run(x->context, &weft__host_unique, &t, uses, use, "unique", site);
}

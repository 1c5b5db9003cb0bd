// SPDX-License-Identifier: MIT
/// The unique elements of a sorted array, on the host: flags of the first element of each value, and from these the
/// results.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "op/search/unique.h"
#include "op/sort/host.h"

enum { BLOCK = 512 };

/* ---- flags ---- */

/// Its arrays: the elements, in order; the flags; their number, i64, if it is wanted.
typedef struct flags_task {
  uint64_t n;
  int32_t dtype;
  bool distinct_nan, counts;
} flags_task;

/// The number that orders_of gives NaN.
static uint64_t nan_number(weft_dtype dtype) {
  return UINT64_MAX >> (64 - 8 * weft_dtype_size_bytes(dtype));
}

/// Sets the flags of elements `first` to `first` + n - 1, at most a block; first is not 0.
static void flag_numbers(uint8_t *flags, const void *numbers, size_t n, bool is_wide) {
  const uint64_t *wide = numbers;
  const uint32_t *narrow = numbers;
  if (is_wide)
    for (size_t i = 0; i < n; i++) flags[i] = wide[i] != wide[i + 1];
  else
    for (size_t i = 0; i < n; i++) flags[i] = narrow[i] != narrow[i + 1];
}

static void flag_real(uint8_t *flags, const char *x, const flags_task *t) {
  const weft_dtype dtype = (weft_dtype)t->dtype;
  const size_t bytes = weft_dtype_size_bytes(dtype);
  const bool looks_at_nan = t->distinct_nan && weft_dtype_kind(dtype) == 'f', is_wide = bytes == 8;
  const weft__sort_loops *loops = weft__sort_loops_of(dtype);
  const uint64_t nan = nan_number(dtype);
  weft__sort_form form;
  union {
    uint32_t narrow[BLOCK + 1];
    uint64_t wide[BLOCK + 1];
  } numbers;
  weft__sort_form_of(&form, dtype, false);
  for (size_t i = 1; i < t->n; i += BLOCK) {
    const size_t n = t->n - i < BLOCK ? t->n - i : BLOCK;
    loops->orders_of(&numbers, x + (i - 1) * bytes, n + 1, &form);
    flag_numbers(flags + i, &numbers, n, is_wide);
    for (size_t k = 0; k < n && looks_at_nan; k++)
      flags[i + k] |= (is_wide ? numbers.wide[k + 1] : numbers.narrow[k + 1]) == nan;
  }
}

/// Numbers with a NaN part are the same, or with distinct_nan none is.
static void flag_complex(uint8_t *flags, const void *of, const flags_task *t) {
  const float *narrow = of;
  const double *wide = of;
  const bool is_wide = t->dtype == WEFT_C128;
  double last[2] = {0, 0};
  for (size_t i = 0; i < t->n; i++) {
    const double x[2] = {is_wide ? wide[2 * i] : (double)narrow[2 * i],
                         is_wide ? wide[2 * i + 1] : (double)narrow[2 * i + 1]};
    const bool is_nan = x[0] != x[0] || x[1] != x[1], was_nan = last[0] != last[0] || last[1] != last[1];
    const bool is_same = is_nan ? was_nan && !t->distinct_nan : x[0] == last[0] && x[1] == last[1];
    flags[i] = i == 0 || !is_same;
    memcpy(last, x, sizeof last);
  }
}

static int make_flags(void *const *data, const void *task) {
  const flags_task *t = task;
  uint8_t *flags = data[1];
  int64_t count = 0;
  flags[0] = 1;
  if (weft_dtype_kind((weft_dtype)t->dtype) == 'c')
    flag_complex(flags, data[0], t);
  else
    flag_real(flags, data[0], t);
  if (!t->counts) return 0;
  for (size_t i = 0; i < t->n; i++) count += flags[i];
  *(int64_t *)data[2] = count;
  return 0;
}

const weft__host_function weft__host_unique_flags = {
    "unique_flags", WEFT__LIBRARY_NONE, sizeof(flags_task), make_flags, NULL, NULL};

weft_status weft__unique_flags_on_host(weft_array **flags, weft_array *count, const weft_array *ordered,
                                       bool distinct_nan, const char *site) {
  const flags_task t = {.n = (uint64_t)ordered->size,
                        .dtype = (int32_t)ordered->dtype,
                        .distinct_nan = distinct_nan,
                        .counts = count != NULL};
  int code;
  WEFT__TRY_RETURN(weft__array_create(flags, ordered->context, WEFT_BOOL, WEFT_SHAPE(ordered->size), site));
  if (t.n == 0) return WEFT_OK;
  const weft__host_use use[] = {
      {.array = ordered, .reads = true}, {.array = *flags, .writes = true}, {.array = count, .writes = true}};
  return weft__host_step(&code, &(const weft__host_work){.context = ordered->context,
                                                         .uses = count ? 3 : 2,
                                                         .use = use,
                                                         .function = &weft__host_unique_flags,
                                                         .task = &t,
                                                         .what = "unique",
                                                         .site = site});
}

/* ---- results ---- */

/// Its arrays: the elements, in order; the flags; their places before the sort if `has_order`; the unique elements; as
/// far as they are wanted the places of the first of each, the number of each element, and how many elements are each.
typedef struct results_task {
  uint64_t n, m; /* elements, and unique ones */
  int32_t bytes;
  bool has_order, gives_first, gives_inverse, gives_counts;
} results_task;

static inline void keep_some(char *to, const char *x, size_t bytes, size_t n, size_t m, const uint8_t *flags) {
  for (size_t i = 0, place = 0; place < m; i++) {
    uint64_t eight = 0;
    if (i % 8 == 0) /* behind them is another flag */
      while (i + 8 < n && (memcpy(&eight, flags + i, 8), eight == 0)) i += 8;
    memcpy(to + place * bytes, x + i * bytes, bytes);
    place += flags[i];
  }
}

/// Copies the m of n elements with a flag.
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

static int make_results(void *const *data, const void *task) {
  const results_task *t = task;
  const char *x = data[0];
  const uint8_t *flags = data[1];
  int next = 2;
  const int64_t *order = t->has_order ? data[next++] : NULL;
  char *values = data[next++];
  int64_t *first = t->gives_first ? data[next++] : NULL, *inverse = t->gives_inverse ? data[next++] : NULL,
          *counts = t->gives_counts ? data[next++] : NULL;
  size_t place = 0, start = 0;
  keep_values(values, x, (size_t)t->bytes, t->n, t->m, flags);
  if (!first && !inverse && !counts) return 0;
  for (size_t i = 0; i < t->n; i++) {
    if (flags[i]) {
      if (counts && i > 0) counts[place - 1] = (int64_t)(i - start);
      if (first) first[place] = order[i];
      start = i;
      place++;
    }
    if (inverse) inverse[order[i]] = (int64_t)place - 1;
  }
  if (counts && t->n > 0) counts[place - 1] = (int64_t)(t->n - start);
  return 0;
}

const weft__host_function weft__host_unique = {"unique", WEFT__LIBRARY_NONE, sizeof(results_task), make_results, NULL,
                                               NULL};

weft_status weft__unique_on_host(const weft__unique *u, const char *site) {
  const weft_array *x = u->ordered;
  const results_task t = {.n = (uint64_t)x->size,
                          .m = (uint64_t)u->values->size,
                          .bytes = (int32_t)weft_dtype_size_bytes(x->dtype),
                          .has_order = u->order != NULL,
                          .gives_first = u->first != NULL,
                          .gives_inverse = u->inverse != NULL,
                          .gives_counts = u->counts != NULL};
  weft__host_use use[WEFT__HOST_USES] = {{.array = x, .reads = true}, {.array = u->flags, .reads = true}};
  int uses = 2, code;
  if (u->order) use[uses++] = (weft__host_use){.array = u->order, .reads = true};
  const weft_array *result[] = {u->values, u->first, u->inverse, u->counts};
  for (int k = 0; k < 4; k++)
    if (result[k]) use[uses++] = (weft__host_use){.array = result[k], .writes = true};
  return weft__host_step(&code, &(const weft__host_work){.context = x->context,
                                                         .uses = uses,
                                                         .use = use,
                                                         .function = &weft__host_unique,
                                                         .task = &t,
                                                         .what = "unique",
                                                         .site = site});
}

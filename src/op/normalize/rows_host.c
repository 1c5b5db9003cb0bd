// SPDX-License-Identifier: MIT
/// The way `host`. Sums and maxima are kept in lanes, so that the loops become vector code without reordering; powers
/// and logarithms are the ufuncs' loops.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <math.h>
#include <string.h>
#include <weft/ufuncs.h>

#include "base/float_bits.h"
#include "base/wide.h"
#include "map/host_loops.h"
#include "op/normalize/normalize.h"
#include "op/normalize/tuning.h"

enum { NORMALIZE_LANES = 32 };

/// What a recording keeps.
typedef struct weft__normalize_task {
  uint64_t rows, length, shares;
  double divisor, epsilon;
  int32_t dtype, function;
} weft__normalize_task;

typedef struct weft__normalize_work {
  const weft__normalize_task *t;
  const char *x;
  char *y;
  int function;
  weft__host_loop *exp, *log;
  void (*run)(const struct weft__normalize_work *w, size_t begin, size_t end);
} weft__normalize_work;

typedef struct weft__normalize_loops {
  weft_dtype dtype;
  void (*by_powers)(const weft__normalize_work *w, size_t begin, size_t end);
  void (*standardize)(const weft__normalize_work *w, size_t begin, size_t end);
} weft__normalize_loops;

/* `step` for each element `at` of a row's n, of which two are added to a lane `l` before the next lane. */
#define FOR_LANES(lanes, steps)          \
  for (size_t l = 0; l < (lanes); l++) { \
    size_t at = first + l;               \
    steps;                               \
  }
#define ALL(step)                                                                                   \
  {                                                                                                 \
    size_t first = 0;                                                                               \
    for (; first + 2 * NORMALIZE_LANES <= n; first += 2 * NORMALIZE_LANES)                          \
      FOR_LANES(NORMALIZE_LANES, (step, at += NORMALIZE_LANES, step))                               \
    for (; first + NORMALIZE_LANES <= n; first += NORMALIZE_LANES) FOR_LANES(NORMALIZE_LANES, step) \
    FOR_LANES(n - first, step)                                                                      \
  }
#define LOOPS "op/normalize/softmax_types.h"
#include "base/each_width.h"

static void *share_rows(void *user) {
  const weft__share *share = user;
  const weft__normalize_work *w = share->all;
  const weft__normalize_task *t = w->t;
  w->run(w, t->rows * share->number / t->shares, t->rows * (share->number + 1) / t->shares);
  return NULL;
}

static const weft__normalize_loops *loops_of(int32_t dtype) {
  static const weft__normalize_loops *const loops[3] = WEFT__ALL(normalize_loops);
  const weft__normalize_loops *found = loops[WEFT__WIDTH];
  while ((int32_t)found->dtype != dtype) found++;
  return found;
}

/// The loop of exp or log for numbers of this dtype; NULL: the processor has no fused multiplications.
static weft__host_loop *function_of(int ufunc, weft_dtype dtype) {
  size_t most;
  return weft__host_loop_of(&most, ufunc, dtype == WEFT_F64 ? WEFT_F64 : WEFT_F32);
}

static int run_rows(void *const *data, const void *task) {
  const weft__normalize_task *t = task;
  const weft__normalize_loops *loops = loops_of(t->dtype);
  weft__normalize_work w = {.t = t, .y = data[0], .x = data[1], .function = t->function, .run = loops->standardize};
  if (t->function != WEFT__NORMALIZE_STANDARDIZE) {
    w.exp = function_of(WEFT_UFUNC_EXP, (weft_dtype)t->dtype);
    w.log = function_of(WEFT_UFUNC_LOG, (weft_dtype)t->dtype);
    if (!w.exp || !w.log) return WEFT__HOST_REFUSED;
    w.run = loops->by_powers;
  }
  weft__run_shares((int)t->shares, share_rows, &w);
  return 0;
}

const weft__host_function weft__host_normalize = {
    "normalize", WEFT__LIBRARY_NONE, sizeof(weft__normalize_task), run_rows, NULL, NULL};

bool weft__normalize_host_fits(const void *task) {
  const weft__normalizing *t = *(weft__normalizing *const *)task;
  return weft__normalize_has_rows(t) && t->length <= WEFT__NORMALIZE_LONGEST &&
         (t->function == WEFT__NORMALIZE_STANDARDIZE || function_of(WEFT_UFUNC_EXP, t->work));
}

static uint64_t shares_of(const weft__normalizing *t) {
  const uint64_t paid = t->rows * (t->length + WEFT__NORMALIZE_ROW) / WEFT__NORMALIZE_SHARE,
                 cores = (uint64_t)weft__host_cores(t->call.context);
  return (uint64_t)weft__shares_of(paid < t->rows ? paid : t->rows,
                                   cores > 1 ? WEFT__NORMALIZE_CORE_SHARES * cores : 1);
}

weft_status weft__normalize_host_run(bool *is_done, const void *task) {
  weft__normalizing *t = *(weft__normalizing *const *)task;
  const weft__call *c = &t->call;
  *is_done = true;
  WEFT__TRY_RETURN(weft__normalize_contiguous(t));
  const weft__normalize_task rows = {.rows = t->rows,
                                     .length = t->length,
                                     .shares = shares_of(t),
                                     .divisor = weft__normalize_freedom(t),
                                     .epsilon = t->epsilon,
                                     .dtype = (int32_t)t->dtype,
                                     .function = t->function};
  const weft__host_use use[] = {{.array = c->array[0], .writes = true}, {.array = c->array[1], .reads = true}};
  return weft__host_run(c->context, &weft__host_normalize, &rows, 2, use, "normalize", c->site);
}

// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include "op/statistics/centred.h"

#include <math.h>
#include <stdlib.h>

#include "base/wide.h"
#include "engine/host_step.h"
#include "engine/shares.h"
#include "mem/recorder.h"
#include "op/statistics/tuning.h"
#ifdef WEFT__WIDEST_TARGET
#include <immintrin.h>
#endif

enum {
  SIDE = 4,  /* variables of a tile */
  LANES = 8, /* sums of a product, each of every eighth observation */
  TILE = SIDE * SIDE * LANES,
  ALIGN_BYTES = 64,
};

/* ---- loops ---- */

/// The sum of n elements, each less `from`.
typedef double sum_loop(const void *x, int64_t stride, int64_t n, double from);
/// Stores n elements, each less `mean`, and zeros up to the next multiple of LANES.
typedef void load_loop(double *to, const void *x, int64_t stride, int64_t n, double mean);
/// Adds n products, a multiple of LANES, of each of SIDE rows of x with each of y to sums [SIDE, SIDE, LANES]; rows are
/// WEFT__CENTRED_BLOCK apart.
typedef void tile_loop(double *sums, const double *x, const double *y, int64_t n);

#define SUM_LOOP(TARGET, NAME, T)                                                                     \
  TARGET static double NAME(const void *data, int64_t stride, int64_t n, double from) {               \
    const T *x = data;                                                                                \
    double lane[4 * LANES] = {0};                                                                     \
    int64_t k = 0;                                                                                    \
    for (; stride == 1 && k + 4 * LANES <= n; k += 4 * LANES)                                         \
      for (int l = 0; l < 4 * LANES; l++) lane[l] += (double)x[k + l] - from;                         \
    for (int l = 0; k < n; k++, l = (l + 1) % 4) lane[l] += (double)x[k * stride] - from;             \
    for (int l = 0; l < 2 * LANES; l++) lane[l] += lane[l + 2 * LANES];                               \
    for (int l = 0; l < LANES; l++) lane[l] += lane[l + LANES];                                       \
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])); \
  }

#define LOAD_LOOP(TARGET, NAME, T)                                                                \
  TARGET static void NAME(double *to, const void *data, int64_t stride, int64_t n, double mean) { \
    const T *x = data;                                                                            \
    if (stride == 1)                                                                              \
      for (int64_t k = 0; k < n; k++) to[k] = (double)x[k] - mean;                                \
    else                                                                                          \
      for (int64_t k = 0; k < n; k++) to[k] = (double)x[k * stride] - mean;                       \
    for (int64_t k = n; k % LANES; k++) to[k] = 0;                                                \
  }

WEFT__EACH(SUM_LOOP, sum_f32, float)
WEFT__EACH(SUM_LOOP, sum_f64, double)
WEFT__EACH(LOAD_LOOP, load_f32, float)
WEFT__EACH(LOAD_LOOP, load_f64, double)

#define TILE_LOOP(TARGET, NAME, unused)                                                                    \
  TARGET static void NAME(double *sums, const double *x, const double *y, int64_t n) {                     \
    for (int pair = 0; pair < SIDE * SIDE; pair++) {                                                       \
      const double *v = x + pair / SIDE * WEFT__CENTRED_BLOCK, *w = y + pair % SIDE * WEFT__CENTRED_BLOCK; \
      double lane[LANES];                                                                                  \
      for (int l = 0; l < LANES; l++) lane[l] = sums[pair * LANES + l];                                    \
      for (int64_t k = 0; k < n; k += LANES)                                                               \
        for (int l = 0; l < LANES; l++) lane[l] += v[k + l] * w[k + l];                                    \
      for (int l = 0; l < LANES; l++) sums[pair * LANES + l] = lane[l];                                    \
    }                                                                                                      \
  }
WEFT__BOTH(TILE_LOOP, multiply, )

#ifdef WEFT__WIDEST_TARGET
/// A register for each product: the sums wait for no other.
WEFT__WIDEST_TARGET static void multiply_widest(double *sums, const double *x, const double *y, int64_t n) {
  __m512d sum[SIDE * SIDE];
  for (int pair = 0; pair < SIDE * SIDE; pair++) sum[pair] = _mm512_loadu_pd(sums + pair * LANES);
  for (int64_t k = 0; k < n; k += LANES) {
    __m512d v[SIDE], w[SIDE];
    for (int i = 0; i < SIDE; i++) v[i] = _mm512_loadu_pd(x + i * WEFT__CENTRED_BLOCK + k);
    for (int i = 0; i < SIDE; i++) w[i] = _mm512_loadu_pd(y + i * WEFT__CENTRED_BLOCK + k);
    for (int pair = 0; pair < SIDE * SIDE; pair++)
      sum[pair] = _mm512_fmadd_pd(v[pair / SIDE], w[pair % SIDE], sum[pair]);
  }
  for (int pair = 0; pair < SIDE * SIDE; pair++) _mm512_storeu_pd(sums + pair * LANES, sum[pair]);
}
static tile_loop *const multiply_of[] = {multiply, multiply_wide, multiply_widest};
#else
static tile_loop *const multiply_of[] = WEFT__PAIR(multiply);
#endif
static sum_loop *const sum_of[][3] = {WEFT__ALL(sum_f32), WEFT__ALL(sum_f64)};
static load_loop *const load_of[][3] = {WEFT__ALL(load_f32), WEFT__ALL(load_f64)};

/* ---- shares of the observations ---- */

/// The task of the host step.
typedef struct task {
  double factor;
  int64_t observations, stride_bytes[2];
  int variables, shares;
  bool is_f32, to_f32, correlates;
} task;

/// The step in progress. Variables are rounded up to whole tiles.
typedef struct products {
  const task *task;
  const char *from; /* the first element */
  int variables, sides, shares;
  int64_t observations, each;       /* of a share */
  double *mean, *sum, *tile, *room; /* for the variables; of each share: for them, for the tiles, for a block */
} products;

static int tiles_of(const products *p) {
  return p->sides * (p->sides + 1) / 2;
}

/// The elements of a variable from observation k on.
static const char *elements_of(const products *p, int variable, int64_t k) {
  return p->from + variable * p->task->stride_bytes[0] + k * p->task->stride_bytes[1];
}

static double first_of(const products *p, int variable) {
  const void *first = elements_of(p, variable, 0);
  return p->task->is_f32 ? (double)*(const float *)first : *(const double *)first;
}

static int64_t stride_of(const products *p) {
  return p->task->stride_bytes[1] / (p->task->is_f32 ? 4 : 8);
}

/// Adds up the distances from the first elements: equal numbers have exactly their mean.
static void *add_share(void *user) {
  const weft__share *part = user;
  const products *p = part->all;
  sum_loop *const add = sum_of[!p->task->is_f32][WEFT__WIDTH];
  double *sum = p->sum + part->number * (size_t)(p->sides * SIDE);
  const int64_t begin = (int64_t)part->number * p->each;
  const int64_t end = begin + p->each < p->observations ? begin + p->each : p->observations;
  for (int64_t k = begin; k < end; k += WEFT__CENTRED_BLOCK)
    for (int v = 0; v < p->variables; v++)
      sum[v] += add(elements_of(p, v, k), stride_of(p), end - k < WEFT__CENTRED_BLOCK ? end - k : WEFT__CENTRED_BLOCK,
                    first_of(p, v));
  return NULL;
}

static void *multiply_share(void *user) {
  const weft__share *part = user;
  const products *p = part->all;
  load_loop *const load = load_of[!p->task->is_f32][WEFT__WIDTH];
  tile_loop *const multiply_tile = multiply_of[WEFT__WIDTH];
  double *tile = p->tile + part->number * (size_t)(tiles_of(p) * TILE);
  double *room = p->room + part->number * (size_t)(p->sides * SIDE * WEFT__CENTRED_BLOCK);
  const int64_t begin = (int64_t)part->number * p->each;
  const int64_t end = begin + p->each < p->observations ? begin + p->each : p->observations;
  for (int64_t k = begin; k < end; k += WEFT__CENTRED_BLOCK) {
    const int64_t n = end - k < WEFT__CENTRED_BLOCK ? end - k : WEFT__CENTRED_BLOCK,
                  whole = (n + LANES - 1) / LANES * LANES;
    for (int v = 0; v < p->variables; v++)
      load(room + v * WEFT__CENTRED_BLOCK, elements_of(p, v, k), stride_of(p), n, p->mean[v]);
    for (int i = 0, at = 0; i < p->sides; i++)
      for (int j = 0; j <= i; j++, at++)
        multiply_tile(tile + at * TILE, room + i * SIDE * WEFT__CENTRED_BLOCK, room + j * SIDE * WEFT__CENTRED_BLOCK,
                      whole);
  }
  return NULL;
}

/// The sum of the products of variables i and j <= i.
static double product_of(const products *p, int i, int j) {
  const int row = i / SIDE, column = j / SIDE, at = row * (row + 1) / 2 + column;
  double sum = 0;
  for (int share = 0; share < p->shares; share++) {
    const double *lane = p->tile + (size_t)(share * tiles_of(p) + at) * TILE + (i % SIDE * SIDE + j % SIDE) * LANES;
    sum += ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
  }
  return sum;
}

static double quotient_of(const products *p, int i, int j) {
  const double product = product_of(p, i, j);
  if (!p->task->correlates) return product / p->task->factor;
  const double one = product / sqrt(product_of(p, i, i)) / sqrt(product_of(p, j, j));
  return one > 1 ? 1 : one < -1 ? -1 : one;
}

static void compute(products *p, void *to) {
  float *narrow = to;
  double *wide = to;
  weft__run_shares(p->shares, add_share, p);
  for (int v = 0; v < p->variables; v++) {
    double sum = 0;
    for (int share = 0; share < p->shares; share++) sum += p->sum[share * p->sides * SIDE + v];
    p->mean[v] = first_of(p, v) + sum / (double)p->observations;
  }
  weft__run_shares(p->shares, multiply_share, p);
  for (int i = 0; i < p->variables; i++)
    for (int j = 0; j <= i; j++) {
      const double value = quotient_of(p, i, j);
      const int at[] = {i * p->variables + j, j * p->variables + i};
      for (int k = 0; k < 2; k++)
        if (p->task->to_f32)
          narrow[at[k]] = (float)value;
        else
          wide[at[k]] = value;
    }
}

/// data: out, x.
static int run(void *const *data, const void *of) {
  const task *t = of;
  products p = {.task = t,
                .from = data[1],
                .variables = t->variables,
                .sides = (t->variables + SIDE - 1) / SIDE,
                .shares = t->shares,
                .observations = t->observations,
                .each = (t->observations + t->shares - 1) / t->shares};
  const size_t sides = (size_t)p.sides * SIDE, tiles = (size_t)tiles_of(&p) * TILE;
  const size_t doubles = sides + (size_t)p.shares * (sides + tiles + sides * WEFT__CENTRED_BLOCK);
  double *memory = calloc(ALIGN_BYTES + sizeof *memory * doubles, 1);
  if (!memory) return WEFT__HOST_NO_MEMORY;
  p.room = memory + (size_t)(-(intptr_t)memory & (ALIGN_BYTES - 1)) / sizeof *memory;
  p.tile = p.room + (size_t)p.shares * sides * WEFT__CENTRED_BLOCK;
  p.sum = p.tile + (size_t)p.shares * tiles;
  p.mean = p.sum + (size_t)p.shares * sides;
  compute(&p, data[0]);
  free(memory);
  return 0;
}

const weft__host_function weft__host_centred = {"cov", WEFT__LIBRARY_NONE, sizeof(task), run, NULL, NULL};

/* ---- the step ---- */

bool weft__centred_fits(const weft_array *x) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  if (!x->context->store.is_cpu || !weft__engine_allowed(WEFT__ENGINE_CBLAS)) return false;
  return (x->dtype == WEFT_F32 || x->dtype == WEFT_F64) && x->size > 0 && x->shape[0] <= WEFT__CENTRED_MOST_VARIABLES &&
         x->offset_bytes % size == 0 && x->stride_bytes[0] % size == 0 && x->stride_bytes[1] % size == 0;
}

weft_status weft__centred_products(const weft__centred *of) {
  const weft_array *x = of->x;
  const uint64_t paid = (uint64_t)x->size / WEFT__CENTRED_SHARE;
  task t = {.factor = of->factor,
            .observations = x->shape[1],
            .stride_bytes = {x->stride_bytes[0], x->stride_bytes[1]},
            .variables = (int)x->shape[0],
            .shares = weft__shares_of(paid, x->context->core.device->info.compute_units),
            .is_f32 = x->dtype == WEFT_F32,
            .to_f32 = of->out->dtype == WEFT_F32,
            .correlates = of->correlates};
  const weft__host_use uses[] = {{.array = of->out, .writes = true}, {.array = x, .reads = true}};
  return weft__host_run(x->context, &weft__host_centred, &t, 2, uses, of->correlates ? "corrcoef" : "cov", of->site);
}

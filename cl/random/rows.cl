// SPDX-License-Identifier: MIT
// Distributions whose elements depend on the others of their row: one work-item makes a row. Needs the macros of
// random/stream.clh, and:
//   WEFT_DIRICHLET  1: Dirichlet, 0: multinomial
//   T, T_NARROW     an element, as in element.clh
//   WEFT_LONG       1: computed in double, which multinomial always is
//   WEFT_ITEM       rows that a work-item makes in order; 1 on GPUs
// lint: -DWEFT_DIRICHLET=1 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_ITEM=1
// lint: -DWEFT_DIRICHLET=1 -DWEFT_WIDE=1 -DWEFT_LONG=1 -DT=double -DWEFT_ITEM=16 -DWEFT_FP64=1
// lint: -DWEFT_DIRICHLET=0 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=long -DWEFT_ITEM=1 -DWEFT_FP64=1
#include "random/args.h"
#include "element.clh"

#if WEFT_DIRICHLET
#include "random/gamma.clh"

// What makes the gamma numbers of a column.
typedef struct {
  weft_real d, c, inverse;
} weft_column;

static inline weft_column weft_column_of(weft_real k) {
  weft_column column;
  column.d = (k < 1 ? k + 1 : k) - K(0.333333333333333333);
  column.c = 1 / (3 * sqrt(column.d));
  column.inverse = k < 1 ? fmin(1 / k, K(1e30)) : 0;
  return column;
}

// The gamma number of column j of a row whose words begin at `position`; its value is 0 if alpha is not above 0.
static inline weft_gamma_number weft_number_of(const __private weft__rows_args *a, __global const weft_real *alpha,
                                               ulong position, ulong j) {
  const weft_column column = weft_column_of(alpha[j]);
  weft_gamma_number g = {0, INFINITY};
  if (alpha[j] > 0) g = weft_gamma_of(&a->stream, position + j * WEFT_OWN, column.d, column.c, column.inverse);
  return g;
}

#define MOST_HELD 8 // columns

// Gamma numbers, divided by their sum. The numbers of a row that is longer than a work-item's memory are made twice.
// Their factors exp(-less) are taken relative to the greatest, so that their sum is never 0.
static inline void weft_row(const __private weft__rows_args *a, __global const weft_real *alpha, __global T *to,
                            ulong position) {
  const bool is_held = a->columns <= MOST_HELD;
  weft_gamma_number held[MOST_HELD];
  weft_real least = INFINITY, sum = 0;
  for (ulong j = 0; j < a->columns; j++) {
    const weft_gamma_number g = weft_number_of(a, alpha, position, j);
    if (is_held) held[j] = g;
    if (!(g.value > 0)) continue;
    if (g.less < least) {
      if (sum > 0) sum *= weft_exact_exp(g.less - least);
      least = g.less;
    }
    sum += g.value * weft_exact_exp(least - g.less);
  }
  for (ulong j = 0; j < a->columns; j++) {
    weft_gamma_number g;
    if (is_held)
      g = held[j];
    else
      g = weft_number_of(a, alpha, position, j);
    to[j] = T_STORE((g.value > 0 ? g.value * weft_exact_exp(least - g.less) : 0) / sum);
  }
}
typedef weft_real weft_parameter;

#if WEFT_ITEM > 1
// As weft_row, for STEP rows of few columns, each column in vectors.
static inline void weft_rows(const __private weft__rows_args *a, __global const weft_real *alpha, __global T *to,
                             ulong position) {
  weft_gammas held[MOST_HELD];
  weft_real least[STEP], sum[STEP];
  ulong at[STEP] __attribute__((aligned(128)));
  const uint columns = (uint)a->columns;
  for (uint i = 0; i < STEP; i++) least[i] = INFINITY, sum[i] = 0;
  for (uint j = 0; j < columns; j++) {
    if (!(alpha[j] > 0)) {
      for (uint i = 0; i < STEP; i++) held[j].value[i] = held[j].less[i] = 0;
      continue;
    }
    const weft_column column = weft_column_of(alpha[j]);
    for (uint i = 0; i < STEP; i++) at[i] = position + (i * columns + j) * WEFT_OWN;
    weft_gammas_of(&held[j], &a->stream, at, column.d, column.c, column.inverse);
    VECTORS
    for (uint i = 0; i < STEP; i++) {
      const weft_real less = held[j].less[i], value = held[j].value[i], next = fmin(less, least[i]);
      const weft_real scaled = less < least[i] && sum[i] > 0 ? sum[i] * weft_exact_exp(less - least[i]) : sum[i];
      least[i] = value > 0 ? next : least[i];
      sum[i] = value > 0 ? scaled + value * weft_exact_exp(next - less) : sum[i];
    }
  }
  for (uint j = 0; j < columns; j++) {
    const bool is_above = alpha[j] > 0;
    VECTORS
    for (uint i = 0; i < STEP; i++) {
      const weft_real value = held[j].value[i], scaled = value * weft_exact_exp(least[i] - held[j].less[i]);
      to[i * columns + j] = T_STORE((is_above && value > 0 ? scaled : 0) / sum[i]);
    }
  }
}
#endif

#else
#include "random/counts.clh"

static inline double weft_weight(double w) {
  return w > 0 ? w : 0;
}

// Each column takes its part of the trials that are left, as a binomial number.
static inline void weft_row(const __private weft__rows_args *a, __global const double *weight, __global T *to,
                            ulong position) {
  double weights = 0, trials = (double)a->trials;
  ulong last = 0;
  for (ulong j = 0; j < a->columns; j++) {
    weights += weft_weight(weight[j]);
    if (weight[j] > 0) last = j;
  }
  for (ulong j = 0; j < a->columns; j++) {
    const double w = weft_weight(weight[j]);
    double count = trials;
    if (j != last) count = weft_binomial_of(&a->stream, position + j * WEFT_OWN, trials, w / weights);
    to[j] = (T)(long)count;
    trials -= count;
    weights -= w;
  }
}
typedef double weft_parameter;
#endif

__kernel void weft_draw_rows(const weft__rows_args a, __global const uchar *restrict parameters,
                             __global uchar *restrict out) {
  ulong i = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * WEFT_ITEM;
  const ulong end = min(i + WEFT_ITEM, (ulong)a.n);
  __global const weft_parameter *from = (__global const weft_parameter *)(parameters + a.from_offset);
  __global T *to = (__global T *)(out + a.offset);
#if WEFT_DIRICHLET && WEFT_ITEM > 1
  if (a.columns <= MOST_HELD)
    for (; i + STEP <= end; i += STEP) weft_rows(&a, from, to + i * a.columns, a.base + i * a.columns * WEFT_OWN);
#endif
  for (; i < end; i++) weft_row(&a, from, to + i * a.columns, a.base + i * a.columns * WEFT_OWN);
}

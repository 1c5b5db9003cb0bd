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

// The gamma number of column j of a row whose words begin at `position`; its value is 0 if alpha is not above 0.
static inline weft_gamma_number weft_column(const __private weft__rows_args *a, __global const weft_real *alpha,
                                            ulong position, ulong j) {
  const weft_real k = alpha[j], d = (k < 1 ? k + 1 : k) - K(0.333333333333333333);
  weft_gamma_number g = {0, INFINITY};
  if (k > 0) g = weft_gamma_of(&a->stream, position + j * WEFT_OWN, d, 1 / (3 * sqrt(d)),
                               k < 1 ? fmin(1 / k, K(1e30)) : 0);
  return g;
}

// Gamma numbers, divided by their sum. They are made twice: a row may be longer than a work-item's memory. The numbers'
// factors exp(-less) are taken relative to the greatest, so that their sum is never 0.
static inline void weft_row(const __private weft__rows_args *a, __global const weft_real *alpha, __global T *to,
                            ulong position) {
  weft_real least = INFINITY, sum = 0;
  for (ulong j = 0; j < a->columns; j++) {
    const weft_gamma_number g = weft_column(a, alpha, position, j);
    if (!(g.value > 0)) continue;
    if (g.less < least) {
      if (sum > 0) sum *= weft_exact_exp(g.less - least);
      least = g.less;
    }
    sum += g.value * weft_exact_exp(least - g.less);
  }
  for (ulong j = 0; j < a->columns; j++) {
    const weft_gamma_number g = weft_column(a, alpha, position, j);
    to[j] = T_STORE((g.value > 0 ? g.value * weft_exact_exp(least - g.less) : 0) / sum);
  }
}
typedef weft_real weft_parameter;

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
  for (; i < end; i++) weft_row(&a, from, to + i * a.columns, a.base + i * a.columns * WEFT_OWN);
}

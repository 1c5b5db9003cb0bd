// SPDX-License-Identifier: MIT
// Rows on CPUs: a work-item passes three times over a row that stays in the cache. Sums and maxima are kept in LANES
// parts, so that the loops become vector code without reordering.
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DFUNCTION=0 -DWEFT_CPU=1
// lint: -DT=ushort -DT_FLOAT=1 -DT_DIGITS=11 -DT_NARROW=f16 -DFUNCTION=1 -DWEFT_CPU=1
// lint: -DT=double -DT_FLOAT=1 -DT_DIGITS=53 -DFUNCTION=2 -DWEFT_CPU=1 -DWEFT_FP64=1
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DFUNCTION=3 -DWEFT_CPU=1
#include "normalize/common.clh"

#define LANES WEFT__NORMALIZE_LANES

// Does STEP(l, at) for all elements of a row; l is the lane of element `at`.
#define ALL(STEP)                                                         \
  do {                                                                    \
    ulong first = 0;                                                      \
    for (; first + LANES <= length; first += LANES)                       \
      for (uint l = 0; l < LANES; l++) STEP(l, first + l);                \
    for (uint l = 0; l < (uint)(length - first); l++) STEP(l, first + l); \
  } while (0)

// The lanes that a row has: of a short one, the power of two that is not below its length.
static uint lanes_of(ulong length) {
  uint lanes = LANES;
  while (lanes / 2 >= length) lanes /= 2;
  return lanes;
}

static T_NUMBER sum_of(const T_NUMBER *lane, uint lanes) {
  T_NUMBER part[LANES];
  for (uint l = 0; l < lanes; l++) part[l] = lane[l];
  for (uint n = lanes / 2; n > 0; n /= 2)
    for (uint l = 0; l < n; l++) part[l] += part[l + n];
  return part[0];
}

#if FUNCTION == WEFT__NORMALIZE_STANDARDIZE

static void do_row(__global T *y, __global const T *x, ulong length, T_NUMBER divisor, T_NUMBER epsilon) {
  // distances from the first element: equal elements have exactly their mean
  const T_NUMBER first_one = T_LOAD(x[0]);
  T_NUMBER sum[LANES], squares[LANES];
  const uint lanes = lanes_of(length);
  for (uint l = 0; l < lanes; l++) sum[l] = squares[l] = 0;
#define ADD(l, at) sum[l] += T_LOAD(x[at]) - first_one
  ALL(ADD);
  const T_NUMBER mean = first_one + sum_of(sum, lanes) / (T_NUMBER)length;
#define SQUARE(l, at) squares[l] += (T_LOAD(x[at]) - mean) * (T_LOAD(x[at]) - mean)
  ALL(SQUARE);
  const T_NUMBER deviation = sqrt(sum_of(squares, lanes) / divisor + epsilon);
#define WRITE(l, at) y[at] = T_STORE((T_LOAD(x[at]) - mean) / deviation)
  ALL(WRITE);
}

#else

static void do_row(__global T *y, __global const T *x, ulong length) {
  T_NUMBER most[LANES], sum[LANES];
  const uint lanes = lanes_of(length);
  for (uint l = 0; l < lanes; l++) most[l] = -INFINITY, sum[l] = 0;
#define MOST(l, at) most[l] = T_LOAD(x[at]) > most[l] ? T_LOAD(x[at]) : most[l]
  ALL(MOST);
  for (uint l = 1; l < lanes; l++) most[0] = most[l] > most[0] ? most[l] : most[0];
  const T_NUMBER shift = SHIFT(most[0]);
#define ADD(l, at) sum[l] += EXP(T_LOAD(x[at]) - shift)
  ALL(ADD);
  const T_NUMBER all = sum_of(sum, lanes);
#if FUNCTION == WEFT__NORMALIZE_LOGSUMEXP
  *y = T_STORE(shift + LOG(all));
#else
#if FUNCTION == WEFT__NORMALIZE_LOG_SOFTMAX
  const T_NUMBER log_sum = LOG(all);
#define WRITE(l, at) y[at] = T_STORE(T_LOAD(x[at]) - shift - log_sum)
#else
#define WRITE(l, at) y[at] = T_STORE(EXP(T_LOAD(x[at]) - shift) / all)
#endif
  ALL(WRITE);
#endif
}

#endif

__kernel void weft_normalize_rows(const weft__normalize_args a, __global uchar *to, __global const uchar *from) {
  const ulong begin = (ulong)get_global_id(0) * a.share, end = min(begin + a.share, (ulong)a.rows);
  const ulong apart = FUNCTION == WEFT__NORMALIZE_LOGSUMEXP ? 1 : a.length;
  for (ulong row = begin; row < end; row++) {
    __global T *y = (__global T *)(to + a.to) + row * apart;
    __global const T *x = (__global const T *)(from + a.from) + row * a.length;
#if FUNCTION == WEFT__NORMALIZE_STANDARDIZE
    do_row(y, x, a.length, OF_BITS(a.divisor), OF_BITS(a.epsilon));
#else
    do_row(y, x, a.length);
#endif
  }
}

// SPDX-License-Identifier: MIT
// Quantiles of sorted rows: results[quantile][row]. Without ignores_nans, a row whose last element is
// NaN gives NaN; otherwise NaNs, which are the last elements, count as missing.
//
// The text in front has the macros of statistics/quantile.clh. A place in the table has three words: low, high, and the
// bits of the weight; without it there is a word per quantile, its bits.
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DIS_ELEMENT=0
// lint: -DT=double -DT_FLOAT=1 -DT_DIGITS=53 -DIS_ELEMENT=1 -DWEFT_FP64
// lint: -DT=long -DT_FLOAT=0 -DIS_ELEMENT=0 -DWEFT_FP64
#include "statistics/quantile.clh"

static inline bool is_nan(T x) {
#if T_FLOAT
  return isnan(T_LOAD(x));
#else
  return false;
#endif
}

__kernel void weft_quantiles(const weft__quantile_args a, __global uchar *to, __global const uchar *from,
                             __global const uchar *table) {
  __global RESULT *y = (__global RESULT *)(to + a.to);
  __global const T *x = (__global const T *)(from + a.from);
  const ulong i = get_global_id(0);
  if (i < a.rows * a.quantiles) {
    const ulong quantile = i / a.rows, at = i - quantile * a.rows;
    __global const T *row = x + at * a.length;
    ulong low, high, count = a.length;
    weft__real weight;
    if (!a.ignores_nans) {
      low = WORD(3 * quantile);
      high = WORD(3 * quantile + 1);
      weight = REAL_OF(WORD(3 * quantile + 2));
      if (is_nan(row[count - 1])) low = high = count - 1;
    } else {
      ulong first = 0;  // find the first NaN
      while (first < count) {
        const ulong middle = first + (count - first) / 2;
        if (is_nan(row[middle]))
          count = middle;
        else
          first = middle + 1;
      }
      weight = weft__quantile_place(&low, &high, a.method, (weft__real)max(count, (ulong)1), REAL_OF(WORD(quantile)));
    }
    y[quantile * a.apart + at] = quantile_of(row[low], row[high], weight);
  }
}

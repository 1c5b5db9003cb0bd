// SPDX-License-Identifier: MIT
// Quantiles of rows in any order: results[quantile][row]. Without ignores_nans, a row with a NaN gives NaN; otherwise
// NaNs count as missing.
//
// The text in front has the macros of statistics/quantile.clh and of sort/nth_rows.clh. The table is as for
// statistics/quantile.cl.
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DIS_ELEMENT=0 -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DNTH_LONG=0 -DNTH_DIGIT=6 -DNTH_ROOM=1024 -DWEFT_BLOCK=256
// lint: -DT=double -DT_FLOAT=1 -DT_DIGITS=53 -DIS_ELEMENT=1 -DWEFT_FP64 -DSORT_KEY_BYTES=8 -DSORT_KIND=1 -DNTH_LONG=1 -DNTH_DIGIT=8 -DNTH_ROOM=4096 -DWEFT_BLOCK=256
#include "statistics/quantile.clh"

#define NTH_PAIRS (!IS_ELEMENT)
#include "sort/nth_rows.clh"

typedef union {
  sort_key key;
  T element;
} quantile_bits;

static inline T quantile_element(sort_key key) {
  quantile_bits bits;
  bits.key = key;
  return bits.element;
}

__attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
__kernel void weft_quantile_rows(const weft__quantile_args a, __global uchar *to, __global const uchar *from,
                                 __global const uchar *table) {
  NTH_STATE
  __global RESULT *y = (__global RESULT *)(to + a.to);
  __global const sort_key *x = (__global const sort_key *)(from + a.from);
  const ulong row = NTH_ROW(a.rows);
  nth_open(&r, x + row * a.length, (uint)a.length, a.flip_top, a.ignores_nans != 0);
  for (ulong k = 0; k < a.quantiles; k++) {
    ulong low, high;
    weft__real weight;
    if (!a.ignores_nans) {
      low = WORD(3 * k);
      high = WORD(3 * k + 1);
      weight = REAL_OF(WORD(3 * k + 2));
    } else {
      weight = weft__quantile_place(&low, &high, a.method, (weft__real)max(a.length - r.nans, (ulong)1),
                                    REAL_OF(WORD(k)));
    }
    const nth_pair pair = nth_find(&r, (uint)low, high > low, !a.ignores_nans);
    if (NTH_WRITES(a.rows))
      y[k * a.apart + row] = quantile_of(quantile_element(pair.low), quantile_element(pair.high), weight);
  }
}

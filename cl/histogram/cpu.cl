// SPDX-License-Identifier: MIT
// Counting and adding up weights on CPUs. Each work-item has a chunk of the elements and tables of its own; then the
// tables are added up. Needs the macros of histogram/bin.clh, and:
//   WAYS       tables per work-item: neighbouring elements go to different tables, so that an addition need not wait
//              for the one before it
//   BYTES      elements are bytes: their 256 values are counted, and assigned to bins at the end
//   WEIGHTED   sums of weights (f64) instead of counts
// The order of additions depends only on the sizes.
// lint: -DWEFT_LINT=1 -DBIN_EVEN=1 -DWEFT_FP64=1
// lint: -DWEFT_LINT=1 -DBIN_SEARCH=1 -DWEIGHTED=1 -DWEFT_FP64=1
#ifdef WEFT_LINT
#include "histogram/lint.clh"
#endif
#include "histogram/bin.clh"

#define COMPRESS_BYTES 4
#include "compress.clh"

#define STEP 256
#define FIRST_LANES (lane_vector)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

#if WEIGHTED
#define COUNTER double
#define SUM double
#define WEIGHTS_PARAMETER , __global const uchar *weights_from
#define WEIGHT(i) weights[i]
#else
#define COUNTER uint
#define SUM ulong
#define WEIGHTS_PARAMETER
#define WEIGHT(i) 1
#endif

__kernel void weft_histogram_chunks(const weft__histogram_args a, __global uchar *tables,
                                    __global const uchar *from WEIGHTS_PARAMETER
                                    EDGES_PARAMETER) {
  const ulong chunk = get_group_id(0);
  __global COUNTER *restrict table = (__global COUNTER *)tables + chunk * WAYS * a.stride;
  __global const T *x = (__global const T *)(from + a.x_offset);
  ulong i = chunk * a.chunk;
  const ulong end = min(i + a.chunk, (ulong)a.n);
#if WEIGHTED
  __global const double *weights = (__global const double *)(weights_from + a.weights_offset);
#endif
#if BIN_TABLE || BIN_SEARCH
  edges = (__global const VALUE *)((__global const uchar *)edges + a.edges_offset);
#endif
  for (ulong k = 0; k < (ulong)WAYS * a.stride; k++) table[k] = 0;
#if BYTES && !WEIGHTED
  uint value[4][256];
  for (uint k = 0; k < 1024; k++) value[k / 256][k % 256] = 0;
  for (; i + 8 <= end; i += 8) {
    uint low = 0, high = 0;
    for (uint k = 0; k < 4; k++) low |= (uint)(uchar)x[i + k] << (8 * k), high |= (uint)(uchar)x[i + 4 + k] << (8 * k);
    value[0][low & 0xff]++;
    value[1][low >> 8 & 0xff]++;
    value[2][low >> 16 & 0xff]++;
    value[3][low >> 24]++;
    value[0][high & 0xff]++;
    value[1][high >> 8 & 0xff]++;
    value[2][high >> 16 & 0xff]++;
    value[3][high >> 24]++;
  }
  for (; i < end; i++) value[0][(uchar)x[i]]++;
  for (uint k = 0; k < 256; k++) {
    const uint sum = value[0][k] + value[1][k] + value[2][k] + value[3][k];
    const uint bin = weft_bin(weft_value((T)(uchar)k), &a EDGES_ARGUMENT);
    if (sum && bin != NO_BIN) table[bin] += sum;
  }
#else
  for (; i + STEP <= end; i += STEP) {
    uint bin[STEP];
    for (uint k = 0; k < STEP; k++)
      /* elements outside all bins go to a counter after the last bin */
      bin[k] = min(weft_bin(weft_value(x[i + k]), &a EDGES_ARGUMENT), (uint)a.bins);
#if WAYS == 4
    for (uint k = 0; k < STEP; k += 4) {
      table[bin[k]] += WEIGHT(i + k);
      table[a.stride + bin[k + 1]] += WEIGHT(i + k + 1);
      table[2 * a.stride + bin[k + 2]] += WEIGHT(i + k + 2);
      table[3 * a.stride + bin[k + 3]] += WEIGHT(i + k + 3);
    }
#else
    for (uint k = 0; k < STEP; k++) table[bin[k]] += WEIGHT(i + k);
#endif
  }
  for (; i < end; i++) table[min(weft_bin(weft_value(x[i]), &a EDGES_ARGUMENT), (uint)a.bins)] += WEIGHT(i);
#endif
}

#if BIN_DIRECT
// Few elements for many bins: a work-item has a.chunk bins, sifts all elements for those in them, and has no table.
__kernel void weft_histogram_ranges(const weft__histogram_args a, __global uchar *y,
                                    __global const uchar *from WEIGHTS_PARAMETER) {
  const ulong first = get_group_id(0) * a.chunk, bins = min((ulong)a.chunk, a.bins - first);
  __global SUM *restrict counts = (__global SUM *)(y + a.counts_offset) + first;
  __global const T *x = (__global const T *)(from + a.x_offset);
#if WEIGHTED
  __global const double *weights = (__global const double *)(weights_from + a.weights_offset);
#endif
  for (ulong k = 0; k < bins; k++) counts[k] = 0;
  for (ulong i = 0; i < a.n; i += STEP) {
    const uint some = (uint)min((ulong)STEP, a.n - i);
    uint bin[STEP + 16], place[STEP + 16], found = 0;
    if (some == STEP)
      for (uint k = 0; k < STEP; k++) bin[k] = weft_bin(weft_value(x[i + k]), &a) - (uint)first;
    else
      for (uint k = 0; k < some; k++) bin[k] = weft_bin(weft_value(x[i + k]), &a) - (uint)first;
#if COMPRESSES
    for (uint k = some; k < some + 16; k++) bin[k] = NO_BIN;
    for (uint k = 0; k < some; k += LANES) {
      const lane_vector v = LOAD_VECTOR(bin + k);
      const uint mask = LESS(v, (lane_vector)((uint)bins));
      STORE_VECTOR(COMPRESSED(v, mask), bin + found); /* behind k at most */
#if WEIGHTED
      STORE_VECTOR(COMPRESSED((lane_vector)(k) + FIRST_LANES, mask), place + found);
#endif
      found += popcount(mask);
    }
    for (uint k = 0; k < found; k++) counts[bin[k]] += WEIGHT(i + place[k]);
#else
    for (uint k = 0; k < some; k++) {
      place[found] = k;
      found += bin[k] < bins;
    }
    for (uint k = 0; k < found; k++) counts[bin[place[k]]] += WEIGHT(i + place[k]);
#endif
  }
}
#endif

// A work-item adds up STEP bins of all tables.
__kernel void weft_histogram_merge(const weft__histogram_args a, __global uchar *y, __global const uchar *tables) {
  const uint first = (uint)get_group_id(0) * STEP, count = min((uint)a.bins - first, (uint)STEP);
  __global SUM *counts = (__global SUM *)(y + a.counts_offset);
  __global const COUNTER *from = (__global const COUNTER *)tables + first;
  SUM sum[STEP];
  for (uint k = 0; k < STEP; k++) sum[k] = 0;
  for (uint t = 0; t < a.chunks * WAYS; t++)
    for (uint k = 0; k < count; k++) sum[k] += from[(ulong)t * a.stride + k];
  for (uint k = 0; k < count; k++) counts[first + k] = sum[k];
}

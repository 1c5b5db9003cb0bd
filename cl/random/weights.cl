// SPDX-License-Identifier: MIT
// Numbers drawn by weight. Running sums are made within runs of WEFT__WEIGHT_RUN weights, then within runs of the runs'
// sums, and so on until one run is left. A search then descends from there. Needs the macros of random/stream.clh, and:
//   WEFT_ITEM  numbers that a work-item finds in order; 1 on GPUs
// lint: -DWEFT_WIDE=0 -DWEFT_ITEM=1 -DWEFT_FP64=1
#include "random/stream.clh"

// One run per thread. Weights that are not above 0, and NaNs, count as 0. `running` may be `weight`.
__kernel void weft_sum_runs(const weft__weights_args a, __global const uchar *weight, __global uchar *running) {
  const ulong run = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (run * WEFT__WEIGHT_RUN >= a.n) return;
  __global const double *w = (__global const double *)(weight + a.from_offset);
  __global double *to = (__global double *)(running + a.to_offset);
  double sum = 0;
  for (ulong i = run * WEFT__WEIGHT_RUN; i < min((run + 1) * WEFT__WEIGHT_RUN, (ulong)a.n); i++) {
    sum += w[i] > 0 ? w[i] : 0;
    to[i] = sum;
  }
  if (a.n > WEFT__WEIGHT_RUN) to[a.n + run] = sum; // the next level begins here
}

// The first of running[0 .. n) above `value`. If rounding leaves no such number, the first that equals the last.
static inline uint weft_first_above(__global const double *running, uint n, double value) {
  const double greatest = running[n - 1];
  uint low = 0, high = n - 1;
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (running[middle] > value || running[middle] == greatest)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

__kernel void weft_find_weights(const weft__weights_args a, __global const uchar *restrict running,
                                __global uchar *restrict out) {
  const ulong first = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * WEFT_ITEM;
  const ulong end = min(first + WEFT_ITEM, (ulong)a.count);
  __global const double *top = (__global const double *)(running + a.from_offset);
  __global long *to = (__global long *)(out + a.to_offset);
  ulong top_length = a.n;
  uint levels = 1;
  for (; top_length > WEFT__WEIGHT_RUN; levels++) {
    top += top_length;
    top_length = (top_length + WEFT__WEIGHT_RUN - 1) / WEFT__WEIGHT_RUN;
  }
  for (ulong i = first; i < end; i++) {
    const double u = (double)(weft_long_at(&a.stream, a.base + 2 * i) >> 11) * 0x1p-53;
    double value = u * top[top_length - 1];
    __global const double *level = top;
    ulong run = 0;
    for (uint k = levels; k-- > 0;) {
      // the length of level k, computed from the first level each time: there are few
      ulong length = a.n;
      for (uint j = 0; j < k; j++) length = (length + WEFT__WEIGHT_RUN - 1) / WEFT__WEIGHT_RUN;
      if (k + 1 < levels) level -= length;
      const ulong begin = run * WEFT__WEIGHT_RUN;
      const uint found = weft_first_above(level + begin, (uint)min((ulong)WEFT__WEIGHT_RUN, length - begin), value);
      if (found > 0) value -= level[begin + found - 1];
      run = begin + found;
    }
    to[i] = (long)run;
  }
}

// A race: number i arrives at an exponentially distributed time, with its weight as the rate. Numbers without a weight
// above 0 never arrive. `time` holds exponential numbers with mean 1. The first to arrive are a sample without
// repetition: each is chosen by weight among the numbers left.
__kernel void weft_race(const weft__weights_args a, __global const uchar *restrict weight,
                        __global uchar *restrict time) {
  const ulong first = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * WEFT_ITEM;
  const ulong end = min(first + WEFT_ITEM, (ulong)a.n);
  __global const double *w = (__global const double *)(weight + a.from_offset);
  __global double *t = (__global double *)(time + a.to_offset);
  for (ulong i = first; i < end; i++) t[i] = w[i] > 0 ? t[i] / w[i] : (double)INFINITY;
}

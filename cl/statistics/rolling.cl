// SPDX-License-Identifier: MIT
// Reductions of moving windows along contiguous rows (weft__rolling_args), on GPUs. A work-group has in local memory
// some blocks as long as the window and the one behind them, and scans each from its end and from its beginning: a
// window is the rest of one block and the beginning of the next (van Herk, 1992). The text in front defines the macros
// of cl/element.clh and
//   OP       WEFT__ROLLING_*
//   WIDE     the type that elements are combined in
//   RESULT   the result's type
//   MEAN     1: sums are divided by the window's length
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DOP=0 -DWIDE=float -DRESULT=float -DMEAN=1
// lint: -DT=int -DT_FLOAT=0 -DOP=3 -DWIDE=int -DRESULT=int -DMEAN=0
#include "element.clh"
#include "statistics/args.h"

#if OP == WEFT__ROLLING_SUM
#define COMBINE(x, y) ((x) + (y))
#elif OP == WEFT__ROLLING_PROD
#define COMBINE(x, y) ((x) * (y))
#else
#define COMBINE(x, y) rolling_better((x), (y))
// NaN wins, as in weft_minimum
static inline WIDE rolling_better(WIDE best, WIDE x) {
#if T_FLOAT
  if (isnan(x)) return x;
#endif
#if OP == WEFT__ROLLING_LEAST
  return x < best ? x : best;
#else
  return x > best ? x : best;
#endif
}
#endif

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void weft_rolling(const weft__rolling_args a, __global uchar *restrict to, __global const uchar *restrict from) {
  __local WIDE rest[WEFT__ROLLING_WORDS], begin[WEFT__ROLLING_WORDS];
  const uint item = (uint)get_local_id(0), window = a.window, apart = a.apart, blocks = a.blocks;
  const ulong group = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0), row = group / a.parts;
  const bool is_there = row < a.rows;
  const ulong first = (group - row * a.parts) * ((ulong)blocks * window);
  const ulong left = is_there ? a.length - first : 0; // elements of the row
  __global const T *x = (__global const T *)(from + a.from) + (is_there ? row * a.length + first : 0);
  for (uint e = item; e < (blocks + 1) * window; e += 256) {
    const uint block = e / window, at = block * apart + (e - block * window);
    WIDE value = 0;
    if (e < left) value = (WIDE)T_LOAD(x[e]);
    rest[at] = begin[at] = value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint task = item; task < 2 * (blocks + 1); task += 256) {
    if (task <= blocks) {
      __local WIDE *line = rest + task * apart;
      WIDE all = line[window - 1];
      for (uint k = window - 1; k > 0; k--) line[k - 1] = all = COMBINE(all, line[k - 1]);
    } else {
      __local WIDE *line = begin + (task - blocks - 1) * apart;
      WIDE all = line[0];
      for (uint k = 1; k < window; k++) line[k] = all = COMBINE(all, line[k]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong windows = left < window ? 0 : left - window + 1;
  __global RESULT *y = (__global RESULT *)(to + a.to) + row * (a.length - window + 1) + first;
  for (uint i = item; i < blocks * window && i < windows; i += 256) {
    const uint block = i / window, at = i - block * window;
    WIDE value = rest[block * apart + at];
    if (at > 0) value = COMBINE(value, begin[(block + 1) * apart + (at - 1)]);
#if MEAN && T_FLOAT
    y[i] = (RESULT)(value / (WIDE)window);
#elif MEAN
    y[i] = (RESULT)value / (RESULT)window;
#else
    y[i] = (RESULT)value;
#endif
  }
}

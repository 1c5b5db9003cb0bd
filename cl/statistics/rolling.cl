// SPDX-License-Identifier: MIT
// Reductions of moving windows of contiguous arrays. The text in front defines the macros of cl/element.clh and
//   OP       WEFT__ROLLING_*
//   WIDE     the type that elements are combined in
//   RESULT   the result's type
//   MEAN     1: sums are divided by the window's length
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DOP=0 -DWIDE=float -DRESULT=float -DMEAN=1
// lint: -DT=int -DT_FLOAT=0 -DOP=3 -DWIDE=int -DRESULT=int -DMEAN=0
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DOP=2 -DWIDE=float -DRESULT=float -DMEAN=0 -DWEFT_CPU
// lint: -DT=int -DT_FLOAT=0 -DOP=0 -DWIDE=long -DRESULT=float -DMEAN=1 -DWEFT_CPU
#include "element.clh"
#include "statistics/args.h"

#if OP == WEFT__ROLLING_LEAST
#define IS_BETTER(x, best) ((x) < (best))
#else
#define IS_BETTER(x, best) ((x) > (best))
#endif
#if T_FLOAT
#define SUMMED WIDE
#else
#define SUMMED ulong // a sum of long that overflows is undefined
#endif
#if OP == WEFT__ROLLING_SUM
#define COMBINE(x, y) ((WIDE)((SUMMED)(x) + (SUMMED)(y)))
#elif OP == WEFT__ROLLING_PROD
#define COMBINE(x, y) ((WIDE)((SUMMED)(x) * (SUMMED)(y)))
#else
#define COMBINE(x, y) rolling_better((x), (y))
// NaN wins, as in weft_minimum
static inline WIDE rolling_better(WIDE best, WIDE x) {
#if T_FLOAT
  if (isnan(x)) return x;
#endif
  return IS_BETTER(x, best) ? x : best;
}
#endif

#if MEAN && T_FLOAT
#define FINISH(value, window) ((RESULT)((value) / (WIDE)(window)))
#elif MEAN
#define FINISH(value, window) ((RESULT)(value) / (RESULT)(window))
#else
#define FINISH(value, window) ((RESULT)(value))
#endif

#ifdef WEFT_CPU
// Joins each reduction in `from` with the one of the next elements, which is `apart` further on, and with `odd` with
// one element behind them.
static inline void rolling_join(WIDE *restrict to, const WIDE *restrict from, const WIDE *restrict own, uint n,
                                uint apart, bool odd) {
  if (odd)
    for (uint i = 0; i < n; i++) to[i] = COMBINE(COMBINE(from[i], from[i + apart]), own[i + 2 * apart]);
  else
    for (uint i = 0; i < n; i++) to[i] = COMBINE(from[i], from[i + apart]);
}

// Of a tile (weft__rolling_tiles): the reductions of 2 or 3 neighbours, of twice as many, and so on.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void weft_rolling(const weft__rolling_tiles a, __global uchar *restrict to, __global const uchar *restrict from) {
  const ulong item = get_global_id(0), block = item / a.strips, slab = block / a.parts * a.group;
  const ulong first = block % a.parts * a.rows, column = item % a.strips * a.columns;
  const ulong windows = a.length - a.window + 1;
  const uint slabs = (uint)min(a.group, a.slabs - slab), columns = (uint)min(a.columns, a.inner - column);
  const uint rows = (uint)min(a.rows, windows - first), lines = rows + a.window - 1, n = slabs * lines * columns;
  WIDE own[WEFT__ROLLING_TILE], joined[2][WEFT__ROLLING_TILE];

  __global const T *x = (__global const T *)(from + a.from) + (slab * a.length + first) * a.inner + column;
  const uint run = columns == a.inner ? n : columns;
  for (WIDE *line = own; line < own + n; line += run, x += a.inner)
    for (uint i = 0; i < run; i++) line[i] = (WIDE)T_LOAD(x[i]);

  const WIDE *part = own;
  uint length = 1; // of what `part` has reduced
  for (uint bit = 31 - clz(a.window); bit > 0; bit--) {
    const bool odd = a.window >> (bit - 1) & 1;
    const uint next = 2 * length + odd;
    rolling_join(joined[bit % 2], part, own, n - (next - 1) * columns, length * columns, odd);
    part = joined[bit % 2];
    length = next;
  }

  __global RESULT *y = (__global RESULT *)(to + a.to) + (slab * windows + first) * a.inner + column;
  const bool is_whole = columns == a.inner;
  const uint results = is_whole ? rows * columns : columns, apart = is_whole ? lines * columns : columns;
  for (uint r = 0; r < (is_whole ? slabs : rows); r++, part += apart, y += is_whole ? windows * a.inner : a.inner)
    for (uint i = 0; i < results; i++) y[i] = FINISH(part[i], a.window);
}
#else
// Of rows (weft__rolling_args): a work-group has in local memory some blocks as long as the window and the one behind
// them, and scans each from its end and from its beginning: a window is the rest of one block and the beginning of the
// next (van Herk, 1992).
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
    y[i] = FINISH(value, window);
  }
}
#endif

// SPDX-License-Identifier: MIT
// Scans of runs of elements, whole or in segments, for CPUs. A work-item has a tile: a run of args.length elements of
// one row, small enough for the L2 cache, or args.group whole rows. The text in front defines the macros of
// scan/common.clh and
//   SCAN_VECTOR    1: the operation takes vectors, and its elements may be grouped in any way
//   SCAN_TOTALS    1: only the totals of segments between offsets
//   SCAN_IN16, SCAN_T16, SCAN_LOAD16(v), SCAN_STORE16(v)   with SCAN_VECTOR: types and conversions of 16 elements
// A tile is read twice: for its total and, when the total before it is known, for the scan.
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSCAN_TOTALS=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSCAN_LOOKBACK=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSCAN_LOOKBACK=1 -DSCAN_EXCLUSIVE=1 -DSCAN_REVERSE=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSCAN_LOOKBACK=1 -DSCAN_FLAGS=1 -DSCAN_ROWS=0
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1 -DSCAN_FLAGS=1 -DSCAN_ROWS=0 -DSCAN_EXCLUSIVE=1 -DSCAN_REVERSE=1
#ifdef WEFT_LINT
#include "scan/lint.clh"
#endif
#include "scan/common.clh"

#if SCAN_LOOKBACK
#define WEFT_BLOCK 32 /* warp.clh needs it; here each work-item works alone */
#define LOOKBACK_T SCAN_T
#define LOOKBACK_WORDS SCAN_WORDS
#define LOOKBACK_COMBINE(a, b) scan_combine(a, b)
#define LOOKBACK_NEUTRAL SCAN_NEUTRAL
#include "lookback.clh"
#endif

#if SCAN_FLAGS
#define FLAGS , __global const uchar *flags
#define FLAGS_FROM(i) , flags + args.flags + (i)
#define FLAGS_PARAMETER , __global const uchar *flags
#define IS_FIRST(i) (flags[i] != 0)
#else
#define FLAGS
#define FLAGS_FROM(i)
#define FLAGS_PARAMETER
#define IS_FIRST(i) false
#endif

// The offset of element or vector number i, in logical order, from the beginning of a run of n.
#if SCAN_REVERSE
#define AT(i) (n - 1 - (i))
#define AT16(i) (n - 16 - (i))
#define TURN(v) (v).sfedcba9876543210
#else
#define AT(i) (i)
#define AT16(i) (i)
#define TURN(v) (v)
#endif

#if SCAN_VECTOR
static inline SCAN_T16 scan_get16(__global const SCAN_IN *from) {
  const SCAN_IN16 v = vload16(0, from);
  return SCAN_LOAD16(v);
}
static inline SCAN_T16 scan_combine16(SCAN_T16 a, SCAN_T16 b) {
  return SCAN_OP(a, b);
}
#endif

// The total of n elements; with segments, of those from the last segment's beginning on.
static inline SCAN_T scan_total(__global const SCAN_IN *from FLAGS, ulong n, __private uint *ended) {
  SCAN_T total = SCAN_NEUTRAL;
  ulong i = 0;
#if SCAN_VECTOR
  if (n >= 32) {
    SCAN_T16 a = (SCAN_T16)(SCAN_NEUTRAL), b = a;
    for (; i + 32 <= n; i += 32) {
      a = scan_combine16(a, scan_get16(from + i));
      b = scan_combine16(b, scan_get16(from + i + 16));
    }
    union {
      SCAN_T16 whole;
      SCAN_T e[16];
    } lanes;
    lanes.whole = scan_combine16(a, b);
    for (uint e = 0; e < 16; e++) total = scan_combine(total, lanes.e[e]);
  }
  for (; i < n; i++) total = scan_combine(total, SCAN_LOAD(from[i]));
#else
  for (; i < n; i++) {
    const SCAN_T value = SCAN_LOAD(from[AT(i)]);
    if (IS_FIRST(AT(i))) {
      total = value;
      *ended = 1;
    } else {
      total = scan_combine(total, value);
    }
  }
#endif
  return total;
}

// Scans n elements; `before` is the total before them.
static inline SCAN_T scan_run(__global SCAN_OUT *to, __global const SCAN_IN *from FLAGS, ulong n, SCAN_T before) {
  const SCAN_T neutral = SCAN_NEUTRAL;
  ulong i = 0;
#if SCAN_VECTOR
  const SCAN_T N = neutral;
  for (; i + 16 <= n; i += 16) {
    SCAN_T16 v = scan_get16(from + AT16(i));
    v = TURN(v);
    v = scan_combine16((SCAN_T16)(N, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s789a, v.sbc, v.sd, v.se), v);
    v = scan_combine16((SCAN_T16)(N, N, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6789, v.sab, v.sc, v.sd), v);
    v = scan_combine16((SCAN_T16)(N, N, N, N, v.s0123, v.s4567, v.s89ab), v);
    v = scan_combine16((SCAN_T16)(N, N, N, N, N, N, N, N, v.s01234567), v);
    v = scan_combine16((SCAN_T16)(before), v);
#if SCAN_EXCLUSIVE
    SCAN_T16 shown = (SCAN_T16)(before, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s789a, v.sbc, v.sd, v.se);
    shown = SCAN_SHOWN(shown);
#else
    SCAN_T16 shown = v;
#endif
    before = v.sf;
    shown = TURN(shown);
    vstore16(SCAN_STORE16(shown), 0, to + AT16(i));
  }
#endif
  for (; i < n; i++) {
    const SCAN_T value = SCAN_LOAD(from[AT(i)]);
    const bool is_first = IS_FIRST(AT(i));
    const SCAN_T now = is_first ? value : scan_combine(before, value), previous = is_first ? neutral : before;
    to[AT(i)] = SCAN_EXCLUSIVE ? SCAN_STORE(SCAN_SHOWN(previous)) : SCAN_STORE(now);
    before = now;
  }
  return before;
}

// Returns where tile number `tile` begins; also stores its number in its row and its length.
static inline ulong scan_place(const weft__scan_args args, ulong tile, __private ulong *in_row, __private ulong *n) {
  const ulong row = tile / args.per_row, t = tile % args.per_row, first = t * args.length;
  *in_row = t;
  *n = min(args.length, args.row - first);
  return row * args.row + (SCAN_REVERSE ? args.row - first - *n : first);
}

#define TO ((__global SCAN_OUT *)(y + args.y))
#define FROM ((__global const SCAN_IN *)(x + args.x))

#define WHOLE_ROWS \
  if (args.group) { \
    const ulong rows = args.n / args.row, first = get_group_id(0) * args.group, last = min(first + args.group, rows); \
    for (ulong r = first * args.row; r < last * args.row; r += args.row) \
      scan_run(TO + r, FROM + r FLAGS_FROM(r), args.row, SCAN_NEUTRAL); \
    return; \
  }

#if SCAN_TOTALS

// Totals of args.length segments for each work-item, of args.row in all. Segment s has the elements from offsets[s] to
// before offsets[s + 1], as far as these are there.
__kernel void weft_scan_totals(const weft__scan_args args, __global uchar *y, __global const uchar *x,
                               __global const uchar *offsets, __global const uchar *unused) {
  __global const long *offset = (__global const long *)(offsets + args.flags);
  const ulong first = get_global_id(0) * args.length, last = min(first + args.length, (ulong)args.row);
  for (ulong s = first; s < last; s++) {
    const ulong begin = min((ulong)offset[s], (ulong)args.n), end = clamp((ulong)offset[s + 1], begin, (ulong)args.n);
    uint ended = 0;
    TO[s] = SCAN_STORE(scan_total(FROM + begin, end - begin, &ended));
  }
}

#elif SCAN_LOOKBACK

__kernel void weft_scan(const weft__scan_args args, __global uchar *y, __global const uchar *x FLAGS_PARAMETER,
                        __global uchar *state) {
  ulong n, in_row;
  WHOLE_ROWS
  const uint tile = weft_exchange_ticket(state, args.lookback.first_ticket);
  const ulong at = scan_place(args, tile, &in_row, &n);
  uint ended = 0;
  const SCAN_T total = scan_total(FROM + at FLAGS_FROM(at), n, &ended);
  SCAN_T before = SCAN_NEUTRAL;
  weft_lookback_tell(state, tile, args.lookback.epoch, total, ended || in_row == 0);
  if (in_row) before = weft_lookback_ask(state, (uint)args.tiles, tile, args.lookback.epoch, total, ended);
  scan_run(TO + at, FROM + at FLAGS_FROM(at), n, before);
}

#else

__kernel void weft_scan_sums(const weft__scan_args args, __global const uchar *x FLAGS_PARAMETER,
                             __global uchar *state) {
  const ulong tile = get_group_id(0);
  ulong n, in_row;
  const ulong at = scan_place(args, tile, &in_row, &n);
  uint ended = 0;
  ((__global SCAN_T *)state)[tile] = scan_total(FROM + at FLAGS_FROM(at), n, &ended);
  if (SCAN_FLAGS) state[args.tiles * sizeof(SCAN_T) + tile] = ended != 0;
}

// Each tile adds up the sums before it in its row: there are few.
__kernel void weft_scan(const weft__scan_args args, __global uchar *y, __global const uchar *x FLAGS_PARAMETER,
                        __global uchar *state) {
  const ulong tile = get_group_id(0);
  ulong n, in_row;
  WHOLE_ROWS
  const ulong at = scan_place(args, tile, &in_row, &n);
  __global const SCAN_T *sums = (__global const SCAN_T *)state;
  __global const uchar *ended = state + args.tiles * sizeof(SCAN_T);
  SCAN_T before = SCAN_NEUTRAL;
  for (ulong t = tile - in_row; t < tile; t++)
    before = SCAN_FLAGS && ended[t] ? sums[t] : scan_combine(before, sums[t]);
  scan_run(TO + at, FROM + at FLAGS_FROM(at), n, before);
}

#endif

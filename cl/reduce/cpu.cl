// SPDX-License-Identifier: MIT
// Reductions for CPUs. A work-item reads its part in one plain loop over an array of accumulators, which the compiler
// vectorizes. There is an accumulator per column; if columns are few, `merge` consecutive rows without gaps are treated
// as one. Needs the macros of reduce/common.clh, and:
//   R_LANES   the most accumulators
// A work-item has `rows` indices of the outer axis, one of `tiles` ranges of columns and one of `splits` ranges of
// `per` rows.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=2 -DWEFT_DEVICE_SCOPE=1
// lint: -DWEFT_LINT=3
// lint: -DWEFT_LINT=4 -DWEFT_DEVICE_SCOPE=1
#ifdef WEFT_LINT
#include "reduce/lint.clh"
#endif
#ifndef WEFT_BLOCK
#define WEFT_BLOCK 32 // for warp.clh, which exchange.clh includes
#endif
#include "reduce/common.clh"

#define R_TOGETHER 4 // rows that are added before the accumulators are stored

// argmin and argmax of numbers without gaps: the best value of a block of them is found without indices, in a loop that
// the compiler vectorizes. Its place is looked for only if it is better than all before.
#if R_OP == WEFT__GATHER_WHERE && !R_COMPLEX
#define R_IN_BLOCKS 1
#define R_BLOCK 512u
#define R_WIDE 32u // a divisor of R_BLOCK
#else
#define R_IN_BLOCKS 0
#endif

// any and all of values without gaps end with the first block that decides.
#if R_OP == WEFT__GATHER_ANY || R_OP == WEFT__GATHER_ALL
#define R_ENDS_EARLY 1
#define R_BLOCK 4096u
#else
#define R_ENDS_EARLY 0
#endif

#define IN_TYPED(k, type, raw, place) __global const type *restrict from##k = (__global const type *)x##k;
#define IN_AT(k) from##k[at]

#if R_NUMBERED
#define LINE(l) line[l]
#else
#define LINE(l) 0u
#endif

__kernel void weft_reduce_cpu(const weft__reduce_args args, __global uchar *restrict out,
                              __global uchar *restrict scratch R_INS(IN_PARAMETER)) {
  const ulong id = get_global_id(0), split = id % args.splits, rest = id / args.splits, tile = rest % args.tiles,
              group = rest / args.tiles;
  const ulong begin = split * args.per, end = min(begin + args.per, args.length);
  const ulong column = tile * R_LANES, wide = min((ulong)R_LANES, args.inner - column), merge = args.merge;
  const ulong last_o = min((group + 1) * args.rows, args.outer);
  R_INS(IN_OFFSET)
  R_INS(IN_TYPED)
  weft_acc lane[R_LANES];
#if R_NUMBERED
  uint line[R_LANES];
  for (uint l = 0; l < R_LANES; l++) line[l] = wide == 1 ? l : l / (uint)wide;
#endif
  for (ulong o = group * args.rows; o < last_o; o++) {
    const ulong base = args.first + (o * args.length + begin) * args.inner + column;
    const ulong start = o * (ulong)args.outer_stride + begin * (ulong)args.length_stride + column;
#if R_IN_BLOCKS
    if (merge > 1 && args.inner == 1) {
      const ulong count = end - begin;
      weft_acc acc = weft_r_neutral();
      ulong m = 0;
      for (; m + R_WIDE <= count; m += R_BLOCK) {
        const uint whole = (uint)min((ulong)R_BLOCK, count - m) / R_WIDE * R_WIDE;
        R_VALUE best[R_WIDE], first = R_WORST;
        int nans[R_WIDE], any_nan = 0;
        for (uint l = 0; l < R_WIDE; l++) best[l] = R_WORST, nans[l] = 0;
        for (uint k = 0; k < whole; k += R_WIDE)
          for (uint l = 0; l < R_WIDE; l++) {
            const ulong at = start + m + k + l;
            R_VALUE v;
            R_MAP(IN_AT, base + m + k + l, v)
            best[l] = R_BETTER(v, best[l]) ? v : best[l];
            nans[l] |= R_IS_NAN(v);
          }
        for (uint l = 0; l < R_WIDE; l++) {
          first = R_BETTER(best[l], first) ? best[l] : first;
          any_nan |= nans[l];
        }
        if (R_SKIP_NAN) any_nan = 0;
        if (acc.index != R_NOWHERE && !any_nan && !R_BETTER(first, acc.value)) continue;
        for (uint k = 0; k < whole; k += R_WIDE) {
          int is_here = any_nan;
          for (uint l = 0; l < R_WIDE; l++) {
            const ulong at = start + m + k + l;
            R_VALUE v;
            R_MAP(IN_AT, base + m + k + l, v)
            is_here |= v == first;
          }
          if (!is_here) continue;
          for (uint l = 0; l < R_WIDE; l++) {
            const ulong at = start + m + k + l;
            R_VALUE v;
            R_MAP(IN_AT, base + m + k + l, v)
            weft_r_add(&acc, v, begin + m + k + l);
          }
          if (!any_nan) break;
        }
      }
      for (m = count / R_WIDE * R_WIDE; m < count; m++) {
        const ulong at = start + m;
        R_VALUE v;
        R_MAP(IN_AT, base + m, v)
        weft_r_add(&acc, v, begin + m);
      }
      lane[0] = acc;
    } else
#endif
#if R_ENDS_EARLY
    if (merge > 1 && args.inner == 1) {
      const ulong count = end - begin;
      uchar decided = 0; // of a byte, like bools: the loop then takes 64 at once
      ulong m = 0;
      for (; m + R_BLOCK <= count && !decided; m += R_BLOCK)
        for (uint k = 0; k < R_BLOCK; k++) {
          const ulong at = start + m + k;
          R_VALUE v;
          R_MAP(IN_AT, base + m + k, v)
          decided |= (uchar)(R_IS_TRUE(v) == (R_OP == WEFT__GATHER_ANY));
        }
      for (; m < count && !decided; m++) {
        const ulong at = start + m;
        R_VALUE v;
        R_MAP(IN_AT, base + m, v)
        decided = R_IS_TRUE(v) == (R_OP == WEFT__GATHER_ANY);
      }
      lane[0] = decided ? R_OP == WEFT__GATHER_ANY : weft_r_neutral();
    } else
#endif
    if (merge * wide == 1) { // a short row: one accumulator is enough
      weft_acc acc = weft_r_neutral(R_ARGS0);
      for (ulong r = 0; r < end - begin; r++) {
        const ulong at = start + r * (ulong)args.length_stride;
        R_VALUE v;
        R_MAP(IN_AT, base + r * args.inner, v)
        weft_r_add(&acc, v, begin + r R_ARGS);
      }
      lane[0] = acc;
    } else {
      const ulong run = (end - begin) / merge, step = merge * (ulong)args.length_stride, number = merge * args.inner;
      const uint lanes = (uint)(merge * wide);
      ulong m = 0;
      for (uint l = 0; l < lanes; l++) lane[l] = weft_r_neutral(R_ARGS0);
      for (; m + R_TOGETHER <= run; m += R_TOGETHER) {
        for (uint l = 0; l < lanes; l++) {
          weft_acc acc = lane[l];
          R_VALUE v[R_TOGETHER];
#pragma unroll
          for (uint k = 0; k < R_TOGETHER; k++) {
            const ulong at = start + (m + k) * step + l;
            R_MAP(IN_AT, base + (m + k) * number + l, v[k])
          }
          weft_r_add_many(&acc, v, R_TOGETHER, begin + m * merge + LINE(l), merge R_ARGS);
          lane[l] = acc;
        }
      }
      for (; m <= run; m++) { // the last one is incomplete
        const uint some = m < run ? lanes : (uint)((end - begin - run * merge) * wide);
        for (uint l = 0; l < some; l++) {
          const ulong at = start + m * step + l;
          R_VALUE v;
          R_MAP(IN_AT, base + m * number + l, v)
          weft_r_add(&lane[l], v, begin + m * merge + LINE(l) R_ARGS);
        }
      }
      for (uint left = (uint)merge, upper; left > 1; left = upper) {
        upper = (left + 1) / 2;
        const uint pairs = (left - upper) * (uint)wide, apart = upper * (uint)wide;
        for (uint c = 0; c < pairs; c++) lane[c] = weft_r_combine(lane[c], lane[apart + c] R_ARGS);
      }
    }
    const ulong result = o * args.inner + column;
    for (uint c = 0; c < (uint)wide; c++) {
      if (args.mode == WEFT__REDUCE_DIRECT) weft_put(args, out, result + c, lane[c]);
      if (args.mode == WEFT__REDUCE_SCRATCH) weft_leave(args, scratch, split, result + c, lane[c]);
#ifdef WEFT_DEVICE_SCOPE
      if (args.mode == WEFT__REDUCE_LAST)
        weft_exchange_write(scratch, (uint)((result + c) * args.splits + split), lane[c],
                            args.lookback.epoch << 2 | EXCHANGE_PARTIAL);
#endif
    }
  }
#ifdef WEFT_DEVICE_SCOPE
  if (args.mode == WEFT__REDUCE_LAST) {
    weft_fence_device();
    if (weft_exchange_ticket(scratch, args.lookback.first_ticket) == (uint)args.blocks - 1)
      for (ulong result = 0; result < args.outputs; result++) {
        weft_acc acc = weft_part(scratch, result * args.splits, args.lookback.epoch);
        for (ulong s = 1; s < args.splits; s++)
          acc = weft_r_combine(acc, weft_part(scratch, result * args.splits + s, args.lookback.epoch) R_ARGS);
        weft_put(args, out, result, acc);
      }
  }
#endif
}

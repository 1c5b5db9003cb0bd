// SPDX-License-Identifier: MIT
// Columns, for GPUs: the elements to reduce are `length_stride` apart, and their neighbours belong to other results. A
// thread has R_E adjacent columns. `lanes` threads side by side cover adjacent columns, and the other threads of a
// block have further rows. `tiles` blocks cover all columns, and `splits` blocks share the rows. Needs the macros of
// reduce/common.clh, and:
//   WEFT_BLOCK   threads per block
//   R_U          rows in flight per thread
//   R_STEPS      whether columns are inner_stride apart
//   R_ACROSS     whether all columns belong to one result, of which `splits` blocks share rows and tiles
// Columns are whole chunks, and rows begin at a chunk.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DR_ACROSS=1
// lint: -DWEFT_LINT=2 -DR_STEPS=1
// lint: -DWEFT_LINT=3 -DR_ACROSS=1 -DWEFT_DEVICE_SCOPE=1
// lint: -DWEFT_LINT=2 -DWEFT_DEVICE_SCOPE=1
// lint: -DWEFT_LINT=3
// lint: -DWEFT_LINT=4 -DWEFT_DEVICE_SCOPE=1
#ifdef WEFT_LINT
#include "reduce/lint.clh"
#endif
#include "reduce/gpu.clh"

#define GET_ROW(k, type, raw, place) \
  WEFT_SPLIT(raw, a##k[u].word, \
             ((__global const raw *)(x##k + (from + r * (ulong)args.length_stride) * sizeof(type)))[0])

/// Declares the elements beside the thread's columns.
#define BESIDE_COLUMNS(k, type, step, place) \
  type beside##k[R_E]; \
  for (uint e = 0; e < R_E; e++) beside##k[e] = ((__global const type *)x##k)[(o * args.inner + column + e) * step];
#undef R_OF_RESULT
#define R_OF_RESULT(k) beside##k[e]

typedef WEFT_PACK(R_OUT, R_E, uint4) weft_outs;

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_reduce_columns(const weft__reduce_args args, __global uchar *restrict out,
                         __global uchar *restrict scratch R_INS(IN_PARAMETER)
                         R_BESIDE(IN_PARAMETER)) {
#if !R_ACROSS
  __local weft_acc all[WEFT_BLOCK];
#endif
#if R_ACROSS || defined(WEFT_DEVICE_SCOPE)
  WEFT_WARP_STATE
  __local weft_acc warps[WEFT_WARPS];
#endif
#ifdef WEFT_DEVICE_SCOPE
  __local uint last;
#endif
  const uint id = (uint)get_local_id(0), lanes = (uint)args.lanes, across = id % lanes, down = id / lanes,
             rows = WEFT_BLOCK / lanes;
  const ulong block = get_group_id(0), split = block % args.splits, rest = block / args.splits;
#if R_ACROSS
  const ulong o = rest, turn = split / args.tiles, tile = split % args.tiles, turns = args.splits / args.tiles;
#else
  const ulong o = rest / args.tiles, turn = split, tile = rest % args.tiles, turns = args.splits;
#endif
  const ulong column = (tile * lanes + across) * R_E, step = turns * rows;
  const ulong from = o * (ulong)args.outer_stride + (R_STEPS ? column * (ulong)args.inner_stride : column);
  const uint is_in = column < args.inner && down < rows;
  R_INS(IN_OFFSET)
  R_BESIDE(IN_OFFSET)
  weft_acc acc[R_E];
#pragma unroll
  for (uint e = 0; e < R_E; e++) acc[e] = weft_r_neutral(R_ARGS0);
  if (is_in) {
    R_BESIDE(BESIDE_COLUMNS)
    const ulong base = args.first + o * args.length * args.inner + column;
    ulong row = turn * rows + down;
    for (; row + (R_U - 1) * step < args.length; row += R_U * step) {
      R_INS(IN_HOLD)
#pragma unroll
      for (uint u = 0; u < R_U; u++) {
        const ulong r = row + u * step;
        R_INS(GET_ROW)
      }
#pragma unroll
      for (uint e = 0; e < R_E; e++) {
        R_VALUE v[R_U];
#pragma unroll
        for (uint u = 0; u < R_U; u++) R_MAP(IN_E, base + (row + u * step) * args.inner + e, v[u])
        weft_r_add_many(&acc[e], v, R_U, row, step R_ARGS);
      }
    }
    for (ulong r = row; r < args.length; r += step) {
      const uint u = 0;
      R_INS(IN_HOLD)
      R_INS(GET_ROW)
#pragma unroll
      for (uint e = 0; e < R_E; e++) {
        R_VALUE v;
        R_MAP(IN_E, base + r * args.inner + e, v)
        weft_r_add(&acc[e], v, r R_ARGS);
      }
    }
  }
#if R_ACROSS
#pragma unroll
  for (uint e = 1; e < R_E; e++) acc[0] = weft_r_combine(acc[0], acc[e] R_ARGS);
  weft_block_combine(&acc[0], warps R_ARGS WEFT_WARP_ARGUMENTS);
  const uint results = 1;
  const bool is_writer = id == 0;
  const ulong result = o;
#else
  uint half_rows = rows > 1; // the least power of two that is not below rows / 2; 0 with a single row
  while (2 * half_rows < rows && half_rows) half_rows *= 2;
  const uint rounds = half_rows ? R_E : 0;
  UNROLL
  for (uint e = 0; e < R_E; e++) {
    if (e < rounds) all[id] = acc[e];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = half_rows; d > 0; d /= 2) {
      if (down < d && down + d < rows) all[id] = weft_r_combine(all[id], all[id + d * lanes] R_ARGS);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (e < rounds) acc[e] = all[id];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const uint results = R_E;
  const bool is_writer = is_in && down == 0;
  const ulong result = o * args.inner + column;
#endif
  if (is_writer) {
    if (!R_ACROSS & (args.mode == WEFT__REDUCE_DIRECT) & (R_E * sizeof(R_OUT) == 16) & (args.aligned != 0)) {
      weft_outs done;
#pragma unroll
      for (uint e = 0; e < R_E; e++) done.e[e] = weft_r_finish(acc[e], args.count, args.ddof);
      *(__global uint4 *)(out + args.out + result * sizeof(R_OUT)) = WEFT_WHOLE(uint4, done.word);
    } else {
#pragma unroll
      for (uint e = 0; e < results; e++) {
        if (args.mode == WEFT__REDUCE_DIRECT) weft_put(args, out, result + e, acc[e]);
        if (args.mode == WEFT__REDUCE_SCRATCH) weft_leave(args, scratch, split, result + e, acc[e]);
#ifdef WEFT_DEVICE_SCOPE
        if (args.mode == WEFT__REDUCE_LAST)
          weft_exchange_write(scratch, (uint)((result + e) * args.splits + split), acc[e],
                              args.lookback.epoch << 2 | EXCHANGE_PARTIAL);
#endif
      }
    }
#ifdef WEFT_DEVICE_SCOPE
    if (args.mode == WEFT__REDUCE_LAST) weft_fence_device();
#endif
  }
#ifdef WEFT_DEVICE_SCOPE
  weft_conclude(args, out, scratch, warps, &last WEFT_WARP_ARGUMENTS);
#endif
}

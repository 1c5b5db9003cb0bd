// SPDX-License-Identifier: MIT
// A triangular solve with few right-hand sides in one launch. A group has LA_SIDE rows, and takes what is known of X
// from them as the groups above publish it (exchange.clh); then it solves its own rows. Groups are numbered by ticket,
// so each waits for groups that have started.
// lint: -DWEFT_LINT=1 -DWEFT_DEVICE_SCOPE
// lint: -DWEFT_LINT=1 -DWEFT_DEVICE_SCOPE -DCOMPLEX=1
#define COLUMNS 8 // of B, at most
#include "linalg/triangle.clh"

#define EXCHANGE_T NUM
#define EXCHANGE_WORDS ((uint)sizeof(NUM) / 4)
#include "exchange.clh"

#define SHARERS (WEFT_BLOCK / LA_SIDE) // threads that share a row of T
#define EACH (LA_SIDE / SHARERS)       // elements of a thread
#define TOGETHER 2                     // columns whose sums are joined at once
#define ITEMS ((LA_SIDE * COLUMNS + WEFT_BLOCK - 1) / WEFT_BLOCK)

// The thread's elements of T in the columns from `first` on.
WEFT_INLINE void la_load_row(NUM *right, __global const NUM *x, const weft__block_args *args, uint row, uint first) {
#pragma unroll
  for (uint e = 0; e < EACH; e++)
    right[e] = la_triangle_at(x, args, row, first + e * SHARERS + (uint)get_local_id(0) % SHARERS);
}

// T X = B, T args.m x args.m, B args.m x args.n. args.chunks groups for each matrix, one for LA_SIDE rows.
//   x: T, with its strides exchanged if it is transposed; y: X; z: B, which may be X
//   flags: REVERSE (T, after that exchange, is upper), UNIT, CONJUGATE; round: the first ticket; first: the tag
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_triangle_chain(const weft__block_args args, __global uchar *ts, __global uchar *xs, __global uchar *bs,
                         __global uchar *state) {
  __local NUM t[PACKED(LA_SIDE)], v[LA_SIDE * PITCH], inverses[LA_SIDE * STEP], known[STEP * PITCH];
  __local NUM solved[LA_SIDE * PITCH], sums[WEFT_BLOCK * TOGETHER];
  __local uint plain[LA_SIDE / STEP], ticket[1];
  const uint thread = (uint)get_local_id(0), m = (uint)args.m, n = (uint)args.n, tag = (uint)args.first;
  if (thread == 0) ticket[0] = weft_exchange_ticket(state, args.round);
  for (uint e = thread; e < LA_SIDE / STEP; e += WEFT_BLOCK) plain[e] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong batch = ticket[0] % args.batches, places = (batch * args.m) * n;
  const uint block = ticket[0] / (uint)args.batches, first = block * LA_SIDE, row = first + thread / SHARERS;
  const bool reverse = (args.flags & WEFT__BLOCK_REVERSE) != 0;
  __global const NUM *x = part_of(ts, args.x, batch);
  __global NUM *y = part_of(xs, args.y, batch);
  __global const NUM *b = part_of(bs, args.z, batch);
  NUM right[EACH], sum[COLUMNS];
  la_load_row(right, x, &args, row, 0);
  la_load_triangle(t, x, &args, first);
#pragma unroll
  for (uint e = 0; e < ITEMS; e++) {
    const uint at = thread + e * WEFT_BLOCK, i = first + at / COLUMNS, j = at % COLUMNS;
    const long from = reverse ? (long)m - 1 - min(i, m - 1) : min(i, m - 1);
    const NUM value = b[from * args.z.row + (long)min(j, n - 1) * args.z.column];
    if (at < LA_SIDE * COLUMNS) v[at / COLUMNS * PITCH + j] = i < m && j < n ? value : of_real(0);
  }
#pragma unroll
  for (uint j = 0; j < COLUMNS; j++) sum[j] = of_real(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  la_invert(t, inverses, plain);
  for (uint above = 0; above < first; above += LA_SIDE) {
    NUM now[EACH];
#pragma unroll
    for (uint e = 0; e < EACH; e++) now[e] = right[e];
    la_load_row(right, x, &args, row, above + LA_SIDE);
    for (uint at = thread; at < LA_SIDE * n; at += WEFT_BLOCK) {
      NUM value;
      while (weft_exchange_read(state, places + above * n + at, &value) != tag) {}
      solved[at / n * PITCH + at % n] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint e = 0; e < EACH; e++)
#pragma unroll
      for (uint j = 0; j < COLUMNS; j++)
        if (j < n) sum[j] = mul_add(now[e], solved[(e * SHARERS + thread % SHARERS) * PITCH + j], sum[j]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint begin = 0; begin < n; begin += TOGETHER) {
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++)
      if (j / TOGETHER == begin / TOGETHER) sums[j % TOGETHER * WEFT_BLOCK + thread] = sum[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = thread; at < LA_SIDE * TOGETHER; at += WEFT_BLOCK) {
      const uint i = at / TOGETHER, j = at % TOGETHER;
      NUM taken = of_real(0);
#pragma unroll
      for (uint s = 0; s < SHARERS; s++) taken += sums[j * WEFT_BLOCK + i * SHARERS + s];
      if (begin + j < n && first + i < m) v[i * PITCH + begin + j] -= taken;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  la_solve(t, v, inverses, plain, known, min((uint)LA_SIDE, m - first));
  for (uint at = thread; at < LA_SIDE * n; at += WEFT_BLOCK) {
    const uint i = at / n, j = at % n;
    if (first + i < m) {
      const NUM value = v[i * PITCH + j];
      const long to = reverse ? (long)m - 1 - (first + i) : first + i;
      weft_exchange_write(state, places + first * n + at, value, tag);
      y[to * args.y.row + (long)j * args.y.column] = value;
    }
  }
}

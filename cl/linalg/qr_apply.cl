// SPDX-License-Identifier: MIT
// The reflections of a panel applied to the columns right of it: C = (I - V op(T) adjoint(V)) C in one launch.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"

#define REFLECTORS 16 // of a panel, at most
#define WIDTH 2       // columns of C that a group changes: with few, a matrix keeps many groups busy
#define LANES (WEFT_BLOCK / WIDTH)
#define PAIRS (REFLECTORS * WIDTH)
#define TOGETHER 4

// TOGETHER elements of a column, from the row `begin` on, every LANES-th; zeros beyond it. Loads under a condition wait
// for each other.
WEFT_INLINE void la_load(NUM *value, __global const NUM *c, uint begin, uint m, long row, bool here) {
  if (here && begin + (TOGETHER - 1) * LANES < m) {
#pragma unroll
    for (uint e = 0; e < TOGETHER; e++) value[e] = c[(long)(begin + e * LANES) * row];
  } else {
#pragma unroll
    for (uint e = 0; e < TOGETHER; e++) {
      const uint i = begin + e * LANES;
      value[e] = here && i < m ? c[(long)i * row] : of_real(0);
    }
  }
}

// x: C, args.m x args.n; y: V, args.m x REFLECTORS; z: T; CONJUGATE: op is the adjoint. The columns are divided among
// args.chunks groups for each matrix; a thread has every LANES-th element of a column, TOGETHER of them at a time,
// whose loads wait together. V is read along columns.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_qr_apply(const weft__block_args args, __global uchar *memory, __global const uchar *reflectors,
                   __global const uchar *triangles) {
  __local NUM sums[LANES / 2 * PAIRS], products[PAIRS], joined[PAIRS], t[REFLECTORS * REFLECTORS];
  const uint thread = (uint)get_local_id(0), lane = thread / WIDTH, own = thread % WIDTH, m = (uint)args.m;
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks;
  __global NUM *x = part_of(memory, args.x, batch);
  __global const NUM *v = (__global const NUM *)(reflectors + args.y.offset) + (long)batch * args.y.batch;
  __global const NUM *z = (__global const NUM *)(triangles + args.z.offset) + (long)batch * args.z.batch;
  const bool is_adjoint = (args.flags & WEFT__BLOCK_CONJUGATE) != 0;
  const long row = args.x.row, v_row = args.y.row, v_column = args.y.column;
  for (uint e = thread; e < REFLECTORS * REFLECTORS; e += WEFT_BLOCK) {
    const uint i = e / REFLECTORS, j = e % REFLECTORS;
    const NUM value = z[(long)(is_adjoint ? j : i) * args.z.row + (long)(is_adjoint ? i : j) * args.z.column];
    t[e] = is_adjoint ? conj_of(value) : value;
  }
  for (ulong first = chunk * WIDTH; first < args.n; first += args.chunks * WIDTH) {
    const bool here = first + own < args.n;
    __global NUM *c = x + (long)(here ? first + own : first) * args.x.column;
    NUM part[REFLECTORS], value[TOGETHER];
#pragma unroll
    for (uint k = 0; k < REFLECTORS; k++) part[k] = of_real(0);
    for (uint begin = lane; begin < m; begin += TOGETHER * LANES) {
      la_load(value, c, begin, m, row, here);
#pragma unroll
      for (uint k = 0; k < REFLECTORS; k++)
#pragma unroll
        for (uint e = 0; e < TOGETHER; e++) {
          const uint i = min(begin + e * LANES, m - 1);
          part[k] = mul_add(conj_of(v[(long)i * v_row + (long)k * v_column]), value[e], part[k]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane >= LANES / 2) {
#pragma unroll
      for (uint k = 0; k < REFLECTORS; k++) sums[(lane - LANES / 2) * PAIRS + k * WIDTH + own] = part[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < LANES / 2) {
#pragma unroll
      for (uint k = 0; k < REFLECTORS; k++) sums[lane * PAIRS + k * WIDTH + own] += part[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint e = thread; e < PAIRS; e += WEFT_BLOCK) {
      NUM sum = of_real(0);
#pragma unroll
      for (uint l = 0; l < LANES / 2; l++) sum += sums[l * PAIRS + e];
      products[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint e = thread; e < PAIRS; e += WEFT_BLOCK) {
      NUM sum = of_real(0);
#pragma unroll
      for (uint l = 0; l < REFLECTORS; l++)
        sum = mul_add(t[e / WIDTH * REFLECTORS + l], products[l * WIDTH + e % WIDTH], sum);
      joined[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < REFLECTORS; k++) part[k] = -joined[k * WIDTH + own];
    for (uint begin = lane; begin < m; begin += TOGETHER * LANES) {
      la_load(value, c, begin, m, row, here);
#pragma unroll
      for (uint k = 0; k < REFLECTORS; k++)
#pragma unroll
        for (uint e = 0; e < TOGETHER; e++) {
          const uint i = min(begin + e * LANES, m - 1);
          value[e] = mul_add(v[(long)i * v_row + (long)k * v_column], part[k], value[e]);
        }
#pragma unroll
      for (uint e = 0; e < TOGETHER; e++)
        if (here && begin + e * LANES < m) c[(long)(begin + e * LANES) * row] = value[e];
    }
  }
}

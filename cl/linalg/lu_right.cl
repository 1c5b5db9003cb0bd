// SPDX-License-Identifier: MIT
// What an LU panel does to the other columns of its rows, in one launch: its exchanges of rows; right of it also the
// rows of U, and what they take from the rows below.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"

#define COUNT 16 // columns of the panel, at most
#define WIDTH 8  // columns that a group changes
#define LANES (WEFT_BLOCK / WIDTH)
#define TILE (8192 / COUNT / (uint)sizeof(NUM) > LANES ? 8192 / COUNT / (uint)sizeof(NUM) : LANES) // rows of L together
#define PITCH (COUNT + 1)

// x: all columns, from the panel's first row on, args.m x args.n; y: pivots, i32, at y.offset + batch * y.batch,
// counted from args.first rows above; z: the panel, of args.round columns, which args.flags columns of x are left of. A
// group changes WIDTH columns of one side: args.chunks groups for each matrix, the ones on the left first.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_lu_right(const weft__block_args args, __global uchar *memory, __global const uchar *pivots,
                   __global const uchar *panels) {
  __local NUM moved[2 * COUNT * WIDTH], corner[COUNT * PITCH], tile[TILE * PITCH];
  __local int from[2 * COUNT], to[2 * COUNT], pivot[COUNT];
  const uint thread = (uint)get_local_id(0), lane = thread / WIDTH, own = thread % WIDTH;
  const uint m = (uint)args.m, n = (uint)args.n, count = args.round, before = args.flags;
  const ulong batch = get_group_id(0) / args.chunks;
  const uint chunk = (uint)(get_group_id(0) % args.chunks), left = (before + WIDTH - 1) / WIDTH;
  const bool is_right = chunk >= left;
  const uint column = (is_right ? before + count + (chunk - left) * WIDTH : chunk * WIDTH) + own;
  const bool here = column < (is_right ? n : before);
  const long row = args.x.row;
  __global NUM *x = part_of(memory, args.x, batch) + (long)(here ? column : 0) * args.x.column;
  __global const NUM *l = (__global const NUM *)(panels + args.z.offset) + (long)batch * args.z.batch;
  __global const int *given = (__global const int *)(pivots + args.y.offset) + (long)batch * args.y.batch;
  for (uint i = thread; i < count; i += WEFT_BLOCK) pivot[i] = given[i] - (int)args.first;
  for (uint e = thread; e < COUNT * COUNT; e += WEFT_BLOCK) {
    const uint i = e / COUNT, j = e % COUNT;
    corner[i * PITCH + j] = j < i && i < count ? l[(long)i * args.z.row + (long)j * args.z.column] : of_real(0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  /* where a row's new content comes from: as in weft_lu_swap */
  for (uint i = thread; i < 2 * count; i += WEFT_BLOCK) {
    int at = i < count ? (int)i : pivot[i - count];
    to[i] = at;
    for (int s = (int)count - 1; s >= 0; s--) at = at == s ? pivot[s] : at == pivot[s] ? s : at;
    from[i] = at;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = lane; i < 2 * count; i += LANES) moved[i * WIDTH + own] = here ? x[(long)from[i] * row] : of_real(0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint i = lane; i < 2 * count; i += LANES)
    if (here && from[i] != to[i]) x[(long)to[i] * row] = moved[i * WIDTH + own];
  NUM u[COUNT];
#pragma unroll
  for (uint k = 0; k < COUNT; k++) u[k] = k < count ? moved[k * WIDTH + own] : of_real(0);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  /* each thread finds its column of U: the others would wait */
#pragma unroll
  for (uint k = 0; k < COUNT; k++)
#pragma unroll
    for (uint i = k + 1; i < COUNT; i++) u[i] = mul_add(-corner[i * PITCH + k], u[k], u[i]);
  if (is_right && here && lane == 0) {
#pragma unroll
    for (uint k = 0; k < COUNT; k++)
      if (k < count) x[(long)k * row] = u[k];
  }
  const uint end = is_right ? m : 0;
  for (uint first = count; first < end; first += TILE) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint e = thread; e < TILE * COUNT; e += WEFT_BLOCK) {
      const uint i = e / COUNT, k = e % COUNT;
      tile[i * PITCH + k] = first + i < m && k < count
                                ? l[(long)(first + i) * args.z.row + (long)k * args.z.column] : of_real(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lane; here && i < TILE && first + i < m; i += LANES) {
      NUM value = x[(long)(first + i) * row];
#pragma unroll
      for (uint k = 0; k < COUNT; k++) value = mul_add(-tile[i * PITCH + k], u[k], value);
      x[(long)(first + i) * row] = value;
    }
  }
}

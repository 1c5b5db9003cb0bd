// SPDX-License-Identifier: MIT
// One step of a Cholesky factorization in two launches: LA_SIDE columns of L, then what they take from the columns
// right of them. The first launch's groups all factor the diagonal block, which costs less than a launch, and with it
// each the block of its own rows: the same eliminations go through both.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"

#define ACROSS 16              // threads in a row of threads
#define OWN (LA_SIDE / ACROSS) // rows, and columns, of a thread: every ACROSS-th
#define PITCH (ACROSS + 1)

// The columns args.first and the following of x, args.m x args.m. Group k of args.chunks has the k-th block of rows
// from the diagonal on; group 0 stores the diagonal block in z, as others still read it in x.
//   y.offset: infos, i32; z: LA_SIDE x LA_SIDE for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_cholesky_columns(const weft__block_args args, __global uchar *memory, __global uchar *infos,
                           __global uchar *diagonals) {
  __local NUM columns[2][2][LA_SIDE];
  const uint thread = (uint)get_local_id(0), across = thread % ACROSS, down = thread / ACROSS;
  const uint first = (uint)args.first, n = min((uint)args.m - first, (uint)LA_SIDE);
  const ulong batch = get_group_id(0) / args.chunks;
  const uint chunk = (uint)(get_group_id(0) % args.chunks), below = first + chunk * LA_SIDE;
  __global NUM *x = part_of(memory, args.x, batch) + (long)first * args.x.column;
  __global NUM *z = part_of(diagonals, args.z, batch);
  __global int *info = (__global int *)(infos + args.y.offset) + batch;
  int failed = 0;
  NUM a[OWN][OWN], b[OWN][OWN];
#pragma unroll
  for (uint p = 0; p < OWN; p++)
#pragma unroll
    for (uint q = 0; q < OWN; q++) {
      const uint i = down + p * ACROSS, j = across + q * ACROSS;
      a[p][q] = i < n && j <= i ? x[(long)(first + i) * args.x.row + (long)j * args.x.column] : of_real(0);
      b[p][q] = chunk > 0 && below + i < args.m && j < n ? x[(long)(below + i) * args.x.row + (long)j * args.x.column]
                                                         : of_real(0);
    }
  for (uint k = 0; k < n; k++) {
    __local NUM *column = columns[k % 2][0], *beside = columns[k % 2][1];
#pragma unroll
    for (uint p = 0; p < OWN; p++)
#pragma unroll
      for (uint q = 0; q < OWN; q++)
        if (across + q * ACROSS == k) {
          column[down + p * ACROSS] = a[p][q];
          beside[down + p * ACROSS] = b[p][q];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    const REAL pivot = real_of(column[k]), root = sqrt(pivot), inverse = 1 / root;
    if (!(pivot > 0) && !failed) failed = (int)k + 1;
    NUM left[OWN], under[OWN], right[OWN];
#pragma unroll
    for (uint p = 0; p < OWN; p++) {
      left[p] = column[down + p * ACROSS] * inverse;
      under[p] = beside[down + p * ACROSS] * inverse;
      right[p] = conj_of(column[across + p * ACROSS] * inverse);
    }
#pragma unroll
    for (uint p = 0; p < OWN; p++)
#pragma unroll
      for (uint q = 0; q < OWN; q++) {
        const uint i = down + p * ACROSS, j = across + q * ACROSS;
        if (j == k) a[p][q] = i == k ? of_real(root) : left[p], b[p][q] = under[p];
        if (j > k) {
          a[p][q] = mul_add(-left[p], right[q], a[p][q]);
          b[p][q] = mul_add(-under[p], right[q], b[p][q]);
        }
      }
  }
#pragma unroll
  for (uint p = 0; p < OWN; p++)
#pragma unroll
    for (uint q = 0; q < OWN; q++) {
      const uint i = down + p * ACROSS, j = across + q * ACROSS;
      if (chunk == 0) z[i * LA_SIDE + j] = a[p][q];
      if (chunk > 0 && below + i < args.m && j < n)
        x[(long)(below + i) * args.x.row + (long)j * args.x.column] = b[p][q];
    }
  if (chunk == 0 && thread == 0 && failed && *info == 0) *info = (int)args.n + (int)first + failed;
}

// The blocks on and below the diagonal right of those columns: a group for each, and the last of args.chunks to store
// the diagonal block, which may have fewer columns than LA_SIDE.
//   x, z: as above; args.round: blocks in a column of blocks
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_cholesky_rest(const weft__block_args args, __global uchar *memory, __global const uchar *diagonals) {
  __local NUM rows[LA_SIDE * PITCH], columns[LA_SIDE * PITCH];
  const uint thread = (uint)get_local_id(0), across = thread % ACROSS, down = thread / ACROSS;
  const uint m = (uint)args.m, first = (uint)args.first;
  const ulong batch = get_group_id(0) / args.chunks;
  const uint chunk = (uint)(get_group_id(0) % args.chunks);
  const bool is_last = chunk + 1 == args.chunks;
  __global NUM *x = part_of(memory, args.x, batch);
  __global const NUM *z = (__global const NUM *)(diagonals + args.z.offset) + (long)batch * args.z.batch;
  uint block = 0, line = chunk; /* the column of blocks, and the place in it */
  while (!is_last && line >= args.round - block) line -= args.round - block, block++;
  const uint column = first + (is_last ? 0 : 1 + block) * LA_SIDE, row = column + (is_last ? 0 : line) * LA_SIDE;
  NUM sum[OWN][OWN];
#pragma unroll
  for (uint p = 0; p < OWN; p++)
#pragma unroll
    for (uint q = 0; q < OWN; q++) sum[p][q] = of_real(0);
  for (uint begin = is_last ? LA_SIDE : 0; begin < LA_SIDE; begin += ACROSS) { /* the diagonal block may be smaller */
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint e = thread; e < LA_SIDE * ACROSS; e += WEFT_BLOCK) {
      const uint i = e / ACROSS, k = e % ACROSS;
      const long at = (long)(first + begin + k) * args.x.column;
      rows[i * PITCH + k] = !is_last && row + i < m ? x[(long)(row + i) * args.x.row + at] : of_real(0);
      columns[i * PITCH + k] =
          !is_last && column + i < m ? conj_of(x[(long)(column + i) * args.x.row + at]) : of_real(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < ACROSS; k++) {
      NUM left[OWN], right[OWN];
#pragma unroll
      for (uint p = 0; p < OWN; p++) {
        left[p] = rows[(down + p * ACROSS) * PITCH + k];
        right[p] = columns[(across + p * ACROSS) * PITCH + k];
      }
#pragma unroll
      for (uint p = 0; p < OWN; p++)
#pragma unroll
        for (uint q = 0; q < OWN; q++) sum[p][q] = mul_add(left[p], right[q], sum[p][q]);
    }
  }
#pragma unroll
  for (uint p = 0; p < OWN; p++)
#pragma unroll
    for (uint q = 0; q < OWN; q++) {
      const uint i = down + p * ACROSS, j = across + q * ACROSS;
      if (row + i < m && column + j <= row + i) {
        __global NUM *at = x + (long)(row + i) * args.x.row + (long)(column + j) * args.x.column;
        *at = is_last ? z[i * LA_SIDE + j] : *at - sum[p][q];
      }
    }
}

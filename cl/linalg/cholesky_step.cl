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
  REAL pivots[OWN]; /* of the thread's columns */
#pragma unroll
  for (uint p = 0; p < OWN; p++)
#pragma unroll
    for (uint q = 0; q < OWN; q++) {
      const uint i = down + p * ACROSS, j = across + q * ACROSS, beside = below + i < args.m ? below + i : first;
      const long at = (long)min(j, n - 1) * args.x.column;
      const NUM above = x[(long)(first + min(i, n - 1)) * args.x.row + at], under = x[(long)beside * args.x.row + at];
      a[p][q] = i < n && j <= i ? above : of_real(0);
      b[p][q] = chunk > 0 && below + i < args.m && j < n ? under : of_real(0);
    }
  /* a column is divided by the root of its pivot at the end; k, the column, is `at` in the thread's column `s` */
#pragma unroll
  for (uint s = 0; s < OWN; s++) {
    pivots[s] = 1;
    for (uint at = 0; at < ACROSS; at++) {
      const uint k = at + s * ACROSS;
      __local NUM *column = columns[k % 2][0], *beside = columns[k % 2][1];
      if (across == at) {
#pragma unroll
        for (uint p = 0; p < OWN; p++) {
          if (p >= s) column[down + p * ACROSS] = a[p][s];
          beside[down + p * ACROSS] = b[p][s];
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const REAL pivot = k < n ? real_of(column[k]) : 1, inverse = rsqrt(pivot);
      if (!(pivot > 0) && !failed) failed = (int)k + 1;
      if (across == at) pivots[s] = pivot;
      NUM right[OWN];
#pragma unroll
      for (uint q = s; q < OWN; q++)
        right[q] = q > s || across > at ? conj_of(column[across + q * ACROSS] * inverse) : of_real(0);
#pragma unroll
      for (uint p = 0; p < OWN; p++) {
        const NUM left = p >= s ? column[down + p * ACROSS] * inverse : of_real(0);
        const NUM under = beside[down + p * ACROSS] * inverse;
#pragma unroll
        for (uint q = s; q < OWN; q++) {
          if (p >= s) a[p][q] = mul_add(-left, right[q], a[p][q]);
          b[p][q] = mul_add(-under, right[q], b[p][q]);
        }
      }
    }
  }
#pragma unroll
  for (uint q = 0; q < OWN; q++) {
    const REAL root = sqrt(pivots[q]), inverse = 1 / root;
#pragma unroll
    for (uint p = 0; p < OWN; p++) {
      const uint i = down + p * ACROSS, j = across + q * ACROSS;
      if (chunk == 0) z[i * LA_SIDE + j] = i == j ? of_real(root) : a[p][q] * inverse;
      if (chunk > 0 && below + i < args.m && j < n)
        x[(long)(below + i) * args.x.row + (long)j * args.x.column] = b[p][q] * inverse;
    }
  }
  if (chunk == 0 && thread == 0 && failed && *info == 0) *info = (int)args.n + (int)first + failed;
}

#define LOADS ((LA_SIDE * ACROSS + WEFT_BLOCK - 1) / WEFT_BLOCK)

// Elements of ACROSS columns of L from column `at` on, in LA_SIDE rows from `row` and from `column` on. Rows beyond x
// are its last one: loads under a condition wait for each other.
WEFT_INLINE void load_slices(NUM next[2][LOADS], __global const NUM *x, const weft__block_args *args, uint row,
                             uint column, uint at) {
  const uint thread = (uint)get_local_id(0), last = (uint)args->m - 1;
#pragma unroll
  for (uint e = 0; e < LOADS; e++) {
    const uint i = (thread + e * WEFT_BLOCK) / ACROSS, k = min(at + (thread + e * WEFT_BLOCK) % ACROSS, last);
    next[0][e] = x[(long)min(row + i, last) * args->x.row + (long)k * args->x.column];
    next[1][e] = x[(long)min(column + i, last) * args->x.row + (long)k * args->x.column];
  }
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
  NUM next[2][LOADS];
  if (!is_last) load_slices(next, x, &args, row, column, first);
  for (uint begin = is_last ? LA_SIDE : 0; begin < LA_SIDE; begin += ACROSS) { /* the diagonal block may be smaller */
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint e = 0; e < LOADS; e++) {
      const uint i = (thread + e * WEFT_BLOCK) / ACROSS, k = (thread + e * WEFT_BLOCK) % ACROSS;
      if (i < LA_SIDE) rows[i * PITCH + k] = next[0][e], columns[i * PITCH + k] = conj_of(next[1][e]);
    }
    load_slices(next, x, &args, row, column, first + min(begin + ACROSS, (uint)(LA_SIDE - ACROSS)));
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

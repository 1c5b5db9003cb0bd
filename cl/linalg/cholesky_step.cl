// SPDX-License-Identifier: MIT
// Steps of a Cholesky factorization in two parts: LA_SIDE columns of L, then what they take from the columns right of
// them. The first part's groups all factor the diagonal block, which costs less than a wait, and with it each the block
// of its own rows: the same eliminations go through both. A launch for each part, or one for all steps, whose groups
// wait for each other after each part (only with PTX).
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"
#include "linalg/group_number.clh"

#define ACROSS 16              // threads in a row of threads
#define OWN (LA_SIDE / ACROSS) // rows, and columns, of a thread: every ACROSS-th
#define PITCH (ACROSS + 1)

// The columns `first` and the following of x, args.m x args.m. Block `chunk` of the rows from the diagonal on; block 0
// stores the diagonal block in z, as others still read it in x.
//   y.offset: infos, i32; z: LA_SIDE x LA_SIDE for each matrix
WEFT_INLINE void find_columns(const weft__block_args *args, uint first, ulong batch, uint chunk, __global uchar *memory,
                              __global uchar *infos, __global uchar *diagonals,
                              __local NUM (*columns)[2][LA_SIDE]) {
  const uint thread = (uint)get_local_id(0), across = thread % ACROSS, down = thread / ACROSS;
  const uint n = min((uint)args->m - first, (uint)LA_SIDE), below = first + chunk * LA_SIDE;
  __global NUM *x = part_of(memory, args->x, batch) + (long)first * args->x.column;
  __global NUM *z = part_of(diagonals, args->z, batch);
  __global int *info = (__global int *)(infos + args->y.offset) + batch;
  int failed = 0;
  NUM a[OWN][OWN], b[OWN][OWN];
  REAL pivots[OWN]; /* of the thread's columns */
#pragma unroll
  for (uint p = 0; p < OWN; p++)
#pragma unroll
    for (uint q = 0; q < OWN; q++) {
      const uint i = down + p * ACROSS, j = across + q * ACROSS, beside = below + i < args->m ? below + i : first;
      const long at = (long)min(j, n - 1) * args->x.column;
      const NUM above = x[(long)(first + min(i, n - 1)) * args->x.row + at], under = x[(long)beside * args->x.row + at];
      a[p][q] = i < n && j <= i ? above : of_real(0);
      b[p][q] = chunk > 0 && below + i < args->m && j < n ? under : of_real(0);
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
      if (chunk > 0 && below + i < args->m && j < n)
        x[(long)(below + i) * args->x.row + (long)j * args->x.column] = b[p][q] * inverse;
    }
  }
  if (chunk == 0 && thread == 0 && failed && *info == 0) *info = (int)args->n + (int)first + failed;
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

// The blocks on and below the diagonal right of those columns: `chunks` of them, which the last one is not: it stores
// the diagonal block, which may have fewer columns than LA_SIDE.
//   x, z: as above; blocks: in a column of blocks
WEFT_INLINE void subtract_columns(const weft__block_args *args, uint first, uint blocks, ulong batch, uint chunk,
                                  uint chunks, __global uchar *memory, __global uchar *diagonals,
                                  __local NUM *rows, __local NUM *columns) {
  const uint thread = (uint)get_local_id(0), across = thread % ACROSS, down = thread / ACROSS, m = (uint)args->m;
  const bool is_last = chunk + 1 == chunks;
  __global NUM *x = part_of(memory, args->x, batch);
  __global const NUM *z = (__global const NUM *)(diagonals + args->z.offset) + (long)batch * args->z.batch;
  uint block = 0, line = chunk; /* the column of blocks, and the place in it */
  while (!is_last && line >= blocks - block) line -= blocks - block, block++;
  const uint column = first + (is_last ? 0 : 1 + block) * LA_SIDE, row = column + (is_last ? 0 : line) * LA_SIDE;
  NUM sum[OWN][OWN];
#pragma unroll
  for (uint p = 0; p < OWN; p++)
#pragma unroll
    for (uint q = 0; q < OWN; q++) sum[p][q] = of_real(0);
  NUM next[2][LOADS];
  if (!is_last) load_slices(next, x, args, row, column, first);
#pragma unroll 1
  for (uint begin = is_last ? LA_SIDE : 0; begin < LA_SIDE; begin += ACROSS) { /* the diagonal block may be smaller */
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint e = 0; e < LOADS; e++) {
      const uint i = (thread + e * WEFT_BLOCK) / ACROSS, k = (thread + e * WEFT_BLOCK) % ACROSS;
      if (i < LA_SIDE) rows[i * PITCH + k] = next[0][e], columns[i * PITCH + k] = conj_of(next[1][e]);
    }
    load_slices(next, x, args, row, column, first + min(begin + ACROSS, (uint)(LA_SIDE - ACROSS)));
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
        __global NUM *at = x + (long)(row + i) * args->x.row + (long)(column + j) * args->x.column;
        *at = is_last ? z[i * LA_SIDE + j] : *at - sum[p][q];
      }
    }
}

// The two parts of the step that begins at column args.first, args.chunks blocks of rows, or of the rest.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_cholesky_columns(const weft__block_args args, __global uchar *memory, __global uchar *infos,
                           __global uchar *diagonals) {
  __local NUM columns[2][2][LA_SIDE];
  const uint chunks = (uint)args.chunks, group = (uint)get_group_id(0);
  find_columns(&args, (uint)args.first, group / chunks, group % chunks, memory, infos, diagonals, columns);
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_cholesky_rest(const weft__block_args args, __global uchar *memory, __global uchar *diagonals) {
  __local NUM rows[LA_SIDE * PITCH], columns[LA_SIDE * PITCH];
  const uint chunks = (uint)args.chunks, group = (uint)get_group_id(0);
  subtract_columns(&args, (uint)args.first, args.round, group / chunks, group % chunks, chunks, memory, diagonals, rows,
                   columns);
}

// All steps; args.chunks groups for each matrix, args.ticket and args.flags: the first ticket and the tag.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_cholesky_steps(const weft__block_args args, __global uchar *memory, __global uchar *infos,
                         __global uchar *diagonals, __global uchar *state) {
#ifdef WEFT_PTX
  __local NUM pivots[2][2][LA_SIDE], rows[LA_SIDE * PITCH], columns[LA_SIDE * PITCH];
  __local uint ticket[1];
  const uint groups = (uint)args.chunks, m = (uint)args.m, number = la_group_number(state, args.ticket, ticket);
  const uint batch = number / groups, group = number % groups;
  uint turn = 0;
  for (uint first = 0; first < m; first += LA_SIDE) {
    const uint blocks = (m - first + LA_SIDE - 1) / LA_SIDE, chunks = (blocks - 1) * blocks / 2 + 1;
    for (uint chunk = group; chunk < blocks; chunk += groups)
      find_columns(&args, first, batch, chunk, memory, infos, diagonals, pivots);
    la_wait_for_groups(state, number - group, groups, number, ++turn, args.flags);
    for (uint chunk = group; chunk < chunks; chunk += groups)
      subtract_columns(&args, first, blocks - 1, batch, chunk, chunks, memory, diagonals, rows, columns);
    la_wait_for_groups(state, number - group, groups, number, ++turn, args.flags);
  }
#endif
}

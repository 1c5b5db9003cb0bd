// SPDX-License-Identifier: MIT
// Permutations from the pivots of an LU factorization, a thread for each matrix: row i of L U is row order[i] of A.
// Buffers: order and its inverse (scratch), int; the pivots; the result: indices p with A = L[p] U, or the matrix P.
// Macros: see linalg/team.clh, and WANTS: 1 for indices.
// lint: -DREAL=float -DCOMPLEX=0 -DTEAM=1 -DTEAMS=64 -DLOCAL=0 -DSIDE=1 -DWANTS=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "linalg/team.clh"

__kernel __attribute__((reqd_work_group_size(TEAMS, 1, 1)))
void weft_permutation(const weft__small_args args, __global uchar *orders, __global uchar *pivots,
                      __global uchar *out) {
  const ulong matrix = (ulong)get_group_id(0) * TEAMS + get_local_id(0);
  const int here = matrix < args.batch, n = args.rows, steps = args.columns;
  if (!here) return;
  __global int *order = GLOBAL_INTS(orders, 0, n);
  __global const int *pivot = GLOBAL_INTS(pivots, 1, steps);
  for (int i = 0; i < n; i++) order[i] = i;
  for (int k = 0; k < steps; k++) {
    const int at = pivot[k], kept = order[k];
    order[k] = order[at];
    order[at] = kept;
  }
#if WANTS
  __global long *to = (__global long *)(out + args.at[2]) + matrix * (ulong)n;
  for (int i = 0; i < n; i++) to[order[i]] = i;
#else
  __global REAL *to = (__global REAL *)(out + args.at[2]) + matrix * (ulong)n * (ulong)n;
  for (int i = 0; i < n; i++) to[(ulong)order[i] * (ulong)n + (ulong)i] = 1;
#endif
}

// SPDX-License-Identifier: MIT
// Cholesky factorizations of small matrices: L in place of the lower triangle, zeros above it. Column by column; a
// column's elements are dot products of rows of L, one for each thread.
// Buffers: the matrices; info. Macros: see linalg/team.clh.
// lint: -DREAL=float -DCOMPLEX=0 -DTEAM=8 -DTEAMS=8 -DLOCAL=1 -DSIDE=8
// lint: -DREAL=double -DDOUBLE=1 -DCOMPLEX=1 -DTEAM=1 -DTEAMS=1 -DLOCAL=0 -DSIDE=1 -DWEFT_FP64=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "linalg/team.clh"

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_small_potrf(const weft__small_args args, __global uchar *matrices, __global uchar *info) {
  TEAM_MEMORY
  TEAM_PLACE
  const int n = args.rows, ld = LD(n);
  TEAM_LOOP(args.batch) {
    const ulong matrix = unit;
    const int here = matrix < args.batch, rows = here ? n : 0;
    __global REAL *whole = GLOBAL_REALS(matrices, 0, n * n);
    TEAM_LOADED
    int failed = 0;
    SYNC
    for (int j = 0; j < n; j++) {
      // also of a team without a matrix: PoCL 5 and 6 lose values set in an arm of a branch (docs/drivers.md)
      const REAL d = real_of(minus_dot(of_real(real_of(GET(a, j * ld + j))), a, a, j * ld, j * ld, j));
      const REAL root = sqrt(d), factor = 1 / root;
      failed = (!(d > 0) & (failed == 0)) ? j + 1 : failed;
      for (int i = j + 1 + lane; i < rows; i += TEAM)
        PUT(a, i * ld + j, minus_dot(GET(a, i * ld + j), a, a, i * ld, j * ld, j) * factor);
      SYNC
      if (lane == 0 && here) PUT(a, j * ld + j, of_real(root)); // nobody reads it any more
    }
    STORE_SYNC
    for (int i = 0; i < rows; i++)
      for (int j = lane; j < n; j += TEAM) {
#if LOCAL
        GLOBAL_PUT(whole, i * n + j, j <= i ? a[i * ld + j] : of_real(0));
#else
        if (j > i) GLOBAL_PUT(whole, i * n + j, of_real(0));
#endif
      }
    if (lane == 0 && here) *GLOBAL_INTS(info, 1, 1) = failed;
    SYNC
  }
}

// SPDX-License-Identifier: MIT
// The Cholesky factorization of a diagonal block, args.n <= LA_SIDE, in local memory: one group for each matrix.
// Column by column, each column followed by the update of all later ones.
//   x: the block; info: i32, contiguous, at y.offset
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DLA_COMPLEX=1
#include "linalg/block.clh"

#define PITCH (LA_SIDE + 1)

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_cholesky_block(const weft__block_args args, __global uchar *memory, __global uchar *infos) {
  __local T a[LA_SIDE * PITCH];
  __local int failed;
  const uint thread = (uint)get_local_id(0), n = (uint)args.n;
  const ulong batch = get_group_id(0);
  __global T *x = la_part(memory, args.x, batch);
  __global int *info = (__global int *)(infos + args.y.offset) + batch;
  for (uint e = thread; e < n * n; e += WEFT_BLOCK) {
    const uint i = e / n, j = e % n;
    if (j <= i) a[i * PITCH + j] = x[(long)i * args.x.row + (long)j * args.x.column];
  }
  if (thread == 0) failed = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < n; k++) {
    const R pivot = LA_REAL(a[k * PITCH + k]);
    const R root = sqrt(pivot), inverse = 1 / root;
    if (thread == 0 && !(pivot > 0) && !failed) failed = (int)k + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = k + thread; i < n; i += WEFT_BLOCK)
      a[i * PITCH + k] = i == k ? la_from_real(root) : la_scale(a[i * PITCH + k], inverse);
    barrier(CLK_LOCAL_MEM_FENCE);
#if WEFT_BLOCK == 1
    for (uint i = k + 1; i < n; i++) {
      const T l = a[i * PITCH + k];
      for (uint j = k + 1; j <= i; j++)
        a[i * PITCH + j] = la_sub_product(a[i * PITCH + j], l, la_conj(a[j * PITCH + k]));
    }
#else
    /* 16 columns of 16 rows at a time */
    for (uint i = k + 1 + thread / 16; i < n; i += WEFT_BLOCK / 16) {
      const T l = a[i * PITCH + k];
      for (uint j = k + 1 + thread % 16; j <= i; j += 16)
        a[i * PITCH + j] = la_sub_product(a[i * PITCH + j], l, la_conj(a[j * PITCH + k]));
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint e = thread; e < n * n; e += WEFT_BLOCK) {
    const uint i = e / n, j = e % n;
    if (j <= i) x[(long)i * args.x.row + (long)j * args.x.column] = a[i * PITCH + j];
  }
  if (thread == 0 && failed && *info == 0) *info = (int)args.first + failed;
}

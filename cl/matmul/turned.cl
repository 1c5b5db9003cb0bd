// SPDX-License-Identifier: MIT
// For a product of complex matrices by real ones (matmul_complex.c): copies each row of b, k x n, and behind it the row
// multiplied by i, so that `out` is 2 k x n. The text in front defines the macros of matmul/store.clh, and WEFT_BLOCK,
// work-items of a group. `a` is not read.
// lint: -DWEFT_LINT=1 -DLINT_COMPLEX -DWEFT_BLOCK=256
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/store.clh"

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_matmul_turned(M_PARAMETERS) {
  const ulong i = get_local_id(0) + (get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0)) * WEFT_BLOCK;
  if (i >= args.k * args.n) return;
  const ulong row = i / args.n, column = i - row * args.n;
  const M_B x = ((__global const M_B *)(b + args.b))[(long)row * args.b_row + (long)column * args.b_column];
  M_OUT turned;
  turned.re = -x.im; // an infinity times 0 would be NaN
  turned.im = x.re;
  __global M_OUT *to = (__global M_OUT *)(out + args.out) + 2 * row * args.n + column;
  to[0] = x;
  to[args.n] = turned;
}

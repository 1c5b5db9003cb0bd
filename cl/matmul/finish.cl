// SPDX-License-Identifier: MIT
// The epilogue alone, for products that an engine has stored in `out` already: each element is stored again after it.
// Scale and accumulation are in the product. own[0]: elements of a row that a work-item stores.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DLINT_COMPLEX
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/store.clh"

__kernel void weft_matmul_finish(M_PARAMETERS) {
  M_BEGIN
  const ulong run = args.own[0], runs = (args.n + run - 1) / run;
  const ulong tile = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0);
  const ulong batch = tile / (runs * args.m), at = tile - batch * (runs * args.m);
  if (batch >= args.batches) return;
  const ulong row = at / runs, begin = (at - row * runs) * run, end = min(begin + run, (ulong)args.n);
  const weft_matmul_place place = weft_matmul_place_of(args, batch);
  __global const M_OUT *from = (__global const M_OUT *)out + (place.out + (long)row * args.out_row);
  for (ulong column = begin; column < end; column++) {
    const M_OUT stored = from[(long)column * args.out_column];
    weft_matmul_store(M_ARGUMENTS, place, row, column, M_LOAD_OUT(stored));
  }
}

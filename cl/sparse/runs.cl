// SPDX-License-Identifier: MIT
// Elements given several times: each sum is made in the elements' order, by one work-item. Defined in the text in
// front: T and the macros of element.clh, and
//   S_COMPLEX   1 for complex numbers: T_ADD(a, b) adds them
//   S_BOOL      1 for bool, whose sum is or
// lint: -DT=float -DT_FLOAT=1 -DS_COMPLEX=0 -DS_BOOL=0
#include "element.clh"
#include "sparse/args.h"

#if S_BOOL
#define S_ADD(a, b) ((a) | (b))
#elif S_COMPLEX
#define S_ADD(a, b) T_ADD(a, b)
#else
#define S_ADD(a, b) T_STORE(T_LOAD(a) + T_LOAD(b)) // rounded each time
#endif

/// to[run] is the sum of from[first[run]] up to, but without, from[first[run + 1]]; the last run ends at `elements`.
__kernel void weft_csr_runs(const weft__csr_args args, __global uchar *to_bytes,
                            __global const uchar *restrict from_bytes, __global const uchar *restrict first_bytes) {
  __global T *to = (__global T *)(to_bytes + args.sums);
  __global const T *restrict from = (__global const T *)(from_bytes + args.values);
  __global const long *restrict first = (__global const long *)(first_bytes + args.first);
  const ulong run = get_global_id(0);
  if (run >= args.runs) return;
  const ulong behind = run + 1 < args.runs ? (ulong)first[run + 1] : args.elements;
  T sum = from[first[run]];
  for (ulong i = (ulong)first[run] + 1; i < behind; i++) sum = S_ADD(sum, from[i]);
  to[run] = sum;
}

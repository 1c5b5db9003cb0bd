// SPDX-License-Identifier: MIT
// An elementwise function over arrays of any strides, for CPUs. The text in front defines the macros of map/common.clh.
// `access` is RUN (elements are adjacent along the last axis), ONE (one element for the whole axis) or GATHER.
//
// Addresses are computed once for each run along the last axis; the loop within a run is plain, for the compiler's
// vectorizer.
// lint: -DWEFT_LINT=1 -DLINT_IN=RUN -DLINT_OUT=RUN
#ifdef WEFT_LINT
#include "map/lint.clh"
#endif
#include "map/common.clh"

#define BEGIN_IN(k, type, raw, place, access) __global const uchar *from##k = x##k + OFFSET(place);
#define BEGIN_OUT(k, type, raw, place, access) __global uchar *to##k = y##k + OFFSET(place);
#define MOVE_IN(k, type, raw, place, access) from##k += index * STRIDE(place, d);
#define MOVE_OUT(k, type, raw, place, access) to##k += index * STRIDE(place, d);
#define STEP_IN(k, type, raw, place, access) const long step##k = STEP_##access(type, place);
#define STEP_OUT(k, type, raw, place, access) const long step_out##k = STEP_##access(type, place);
#define STEP_RUN(type, place) (long)sizeof(type)
#define STEP_ONE(type, place) 0
#define STEP_GATHER(type, place) STRIDE(place, WEFT_AXES - 1)
#define GET_ONE(k, type, raw, place, access) const type a##k = *(__global const type *)(from##k + j * step##k);
#define HOLD_ONE(k, type, raw, place, access) type b##k;
#define PUT_ONE(k, type, raw, place, access) *(__global type *)(to##k + j * step_out##k) = b##k;
#define IN_ONE(k) a##k
#define OUT_ONE(k) &b##k

__kernel void weft_map(const weft__map_args args WEFT_OUTS(OUT_PARAMETER) WEFT_INS(IN_PARAMETER)
                           WEFT_UNIFORMS(UNIFORM_PARAMETER)) {
  ulong i = (ulong)get_global_id(0) * (ulong)args.chunks;
  const ulong end = min(i + (ulong)args.chunks, (ulong)args.n);
  WEFT_UNIFORMS(UNIFORM_VALUE)
  WEFT_INS(STEP_IN)
  WEFT_OUTS(STEP_OUT)
  while (i < end) {
    ulong rest = i;
    long run = 0;
    WEFT_INS(BEGIN_IN)
    WEFT_OUTS(BEGIN_OUT)
    for (int d = WEFT_AXES - 1; d >= 0; d--) {
      const ulong above = d > 0 ? rest / LENGTH(d) : 0;
      const long index = (long)(rest - above * LENGTH(d));
      if (d == WEFT_AXES - 1) run = (long)LENGTH(d) - index;
      WEFT_INS(MOVE_IN)
      WEFT_OUTS(MOVE_OUT)
      rest = above;
    }
    run = min(run, (long)(end - i));
    for (long j = 0; j < run; j++) {
      WEFT_INS(GET_ONE)
      WEFT_OUTS(HOLD_ONE)
      WEFT_CALL(IN_ONE, OUT_ONE, i + (ulong)j);
      WEFT_OUTS(PUT_ONE)
    }
    i += (ulong)run;
  }
}

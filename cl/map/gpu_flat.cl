// SPDX-License-Identifier: MIT
// An elementwise function over flat arrays, for GPUs. The text in front defines the macros of map/common.clh and
//   WEFT_BLOCK   threads in a block
//   WEFT_U       chunks per thread, a block's width apart
// `access` is VECTOR, ELEMENTS (chunks are not aligned to their size) or, for inputs of 16-byte chunks, SHIFTED.
//
// The first `head` elements bring the first result to a multiple of 16 bytes. The first `blocks` blocks process whole
// chunks without any test: each instruction before the first load delays the loads. WEFT_CALL_FAST, where it is
// defined, has no branches either; it sets `rare` if its results must not be used. Further blocks process the head and
// the rest, one element per thread.
// lint: -DWEFT_LINT=1 -DLINT_IN=VECTOR -DLINT_OUT=VECTOR
#ifdef WEFT_LINT
#include "map/lint.clh"
#endif
#include "map/common.clh"

#define GET_VECTOR(k, type, raw) WEFT_SPLIT(raw, a##k[u].word, ((__global const raw *)x##k)[chunk])
#define GET_SHIFTED(k, type, raw) WEFT_SPLIT(raw, a##k[u].word, as_##raw(weft_load_shifted(x##k, chunk)))
#define GET_ELEMENTS(k, type, raw) \
  for (uint j = 0; j < WEFT_E; j++) a##k[u].e[j] = ((__global const type *)x##k)[chunk * WEFT_E + j];
#define PUT_VECTOR(k, type, raw) ((__global raw *)y##k)[chunk] = WEFT_WHOLE(raw, b##k.word);
#define PUT_ELEMENTS(k, type, raw) \
  for (uint j = 0; j < WEFT_E; j++) ((__global type *)y##k)[chunk * WEFT_E + j] = b##k.e[j];

#define HOLD_IN(k, type, raw, place, access) weft_in_##k a##k[WEFT_U];
#define HOLD_OUT(k, type, raw, place, access) weft_out_##k b##k;
#define GET(k, type, raw, place, access) GET_##access(k, type, raw)
#define PUT(k, type, raw, place, access) PUT_##access(k, type, raw)
#define IN_J(k) a##k[u].e[j]
#define OUT_J(k) &b##k.e[j]

#define GET_ONE(k, type, raw, place, access) const type one##k = ((__global const type *)x##k)[at];
#define HOLD_ONE(k, type, raw, place, access) type done##k;
#define PUT_ONE(k, type, raw, place, access) ((__global type *)y##k)[at] = done##k;
#define IN_ONE(k) one##k
#define OUT_ONE(k) &done##k

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_map(const weft__map_args args WEFT_OUTS(OUT_PARAMETER) WEFT_INS(IN_PARAMETER)
                  WEFT_UNIFORMS(UNIFORM_PARAMETER)) {
  const ulong block = get_group_id(0);
  WEFT_OUTS(OUT_OFFSET)
  WEFT_INS(IN_OFFSET)
  WEFT_UNIFORMS(UNIFORM_VALUE)
  if (block < args.blocks) {
    const ulong first = block * (WEFT_BLOCK * WEFT_U) + get_local_id(0);
    WEFT_INS(HOLD_IN)
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++) {
      const ulong chunk = first + u * WEFT_BLOCK;
      WEFT_INS(GET)
    }
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++) {
      const ulong chunk = first + u * WEFT_BLOCK;
      WEFT_OUTS(HOLD_OUT)
#ifdef WEFT_CALL_FAST
      int rare = 0;
#pragma unroll
      for (uint j = 0; j < WEFT_E; j++) {
        WEFT_CALL_FAST(IN_J, OUT_J, args.head + chunk * WEFT_E + j);
      }
      if (rare)
#endif
#pragma unroll
      for (uint j = 0; j < WEFT_E; j++) {
        WEFT_CALL(IN_J, OUT_J, args.head + chunk * WEFT_E + j);
      }
      WEFT_OUTS(PUT)
    }
  } else {
    const ulong done = args.blocks * (WEFT_BLOCK * WEFT_U * WEFT_E);
    ulong element = (block - args.blocks) * WEFT_BLOCK + get_local_id(0);
    if (element >= args.head) element += done;
    if (element < args.n) {
      const long at = (long)element - (long)args.head;
      WEFT_INS(GET_ONE)
      WEFT_OUTS(HOLD_ONE)
      WEFT_CALL(IN_ONE, OUT_ONE, element);
      WEFT_OUTS(PUT_ONE)
    }
  }
}

// SPDX-License-Identifier: MIT
// An elementwise function over flat arrays, for CPUs. The text in front defines the macros of map/common.clh and
//   WEFT_STEP    elements computed before any of them is stored
//   WEFT_VECTOR  elements of a vector
//   WEFT_ALL_F64 if all arrays are of f64
//   WEFT_DIRECT  if there is one result, of access ELEMENTS: it is stored as it is computed
// `access` of a result is STREAM (it begins at a multiple of 64 bytes and is too large for the cache, so stores bypass
// the cache) or ELEMENTS.
//
// The inner loop is plain, for the compiler's vectorizer. One element for each work-item, which suits GPUs, is slow
// here: the bounds test of the last work-items prevents vectorization. WEFT_CALL_FAST, where it is defined, is tried
// first: it sets `rare` for arguments that the vectorized form does not cover.
// lint: -DWEFT_LINT=1 -DLINT_IN=RUN -DLINT_OUT=STREAM
#ifdef WEFT_LINT
#include "map/lint.clh"
#endif
#include "constant.clh"
#include "map/common.clh"

// Forces vectors: where the compiler alone chooses 8 floats, 16 are a tenth to a quarter faster (PoCL 3.1 on AVX-512).
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define PRAGMA(text) _Pragma(#text)
#define VECTORS_OF(count) PRAGMA(clang loop vectorize_width(count))
// An instruction waits for the one before it: with 32 doubles, four of AVX-512's vectors, pow takes 0.80 of the time.
#if defined(WEFT_ALL_F64) && defined(__AVX512F__)
#define VECTORS VECTORS_OF(32)
#else
#define VECTORS VECTORS_OF(WEFT_VECTOR)
#endif
#else
#define VECTORS
#endif

#define TYPED_IN(k, type, raw, place, access) __global const type *restrict from##k = (__global const type *)x##k;
#define TYPED_OUT(k, type, raw, place, access) __global type *restrict to##k = (__global type *)y##k;
#define HOLD_STAGE(k, type, raw, place, access) type stage##k[WEFT_STEP] __attribute__((aligned(64)));
#define PUT_STREAM(k, type)                                                        \
  for (uint v = 0; v < WEFT_STEP * sizeof(type) / 64; v++)                         \
    __builtin_nontemporal_store(((__private const ulong8 *)stage##k)[v], (__global ulong8 *)(to##k + begin) + v);
#define PUT_ELEMENTS(k, type) \
  for (uint j = 0; j < WEFT_STEP; j++) to##k[begin + j] = stage##k[j];
#define PUT(k, type, raw, place, access) PUT_##access(k, type)
#define HOLD_ONE(k, type, raw, place, access) type one##k;
#define PUT_ONE(k, type, raw, place, access) to##k[i] = one##k;
#define IN_I(k) from##k[i]
#define OUT_J(k) &stage##k[j]
#define OUT_ONE(k) &one##k

__kernel void weft_map(const weft__map_args args WEFT_OUTS(OUT_PARAMETER) WEFT_INS(IN_PARAMETER)
                           WEFT_UNIFORMS(UNIFORM_PARAMETER)) {
  ulong begin = (ulong)get_global_id(0) * (ulong)args.chunks;
  const ulong end = min(begin + (ulong)args.chunks, (ulong)args.n);
  WEFT_READ_CONSTANT
  WEFT_OUTS(OUT_OFFSET)
  WEFT_INS(IN_OFFSET)
  WEFT_UNIFORMS(UNIFORM_VALUE)
  WEFT_INS(TYPED_IN)
  WEFT_OUTS(TYPED_OUT)
#if defined(WEFT_DIRECT) && !defined(WEFT_CALL_FAST)
  VECTORS
  for (ulong i = begin; i < end; i++) {
    WEFT_OUTS(HOLD_ONE)
    WEFT_CALL(IN_I, OUT_ONE, i);
    WEFT_OUTS(PUT_ONE)
  }
#else
  for (; begin + WEFT_STEP <= end; begin += WEFT_STEP) {
    WEFT_OUTS(HOLD_STAGE)
#ifdef WEFT_CALL_FAST
    int rare = 0;
    VECTORS
    for (uint j = 0; j < WEFT_STEP; j++) {
      const ulong i = begin + j;
      WEFT_CALL_FAST(IN_I, OUT_J, i);
    }
    if (rare)
#else
    VECTORS
#endif
    for (uint j = 0; j < WEFT_STEP; j++) {
      const ulong i = begin + j;
      WEFT_CALL(IN_I, OUT_J, i);
    }
    WEFT_OUTS(PUT)
  }
  for (ulong i = begin; i < end; i++) {
    WEFT_OUTS(HOLD_ONE)
    WEFT_CALL(IN_I, OUT_ONE, i);
    WEFT_OUTS(PUT_ONE)
  }
#endif
}

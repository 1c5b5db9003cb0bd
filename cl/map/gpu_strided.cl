// SPDX-License-Identifier: MIT
// An elementwise function over arrays of any strides, for GPUs. The text in front defines the macros of map/common.clh
// and
//   WEFT_BLOCK, WEFT_U   as for gpu_flat.cl
//   WEFT_WIDE            1 where chunks need 64-bit numbers
//   WEFT_NEAR            1 where 32-bit numbers hold the offsets of elements from an array's first one
// `access` is VECTOR, ONE (one element for the whole chunk) or GATHER (a stride of STEP(place) bytes along the last
// axis).
// lint: -DWEFT_LINT=1 -DLINT_IN=GATHER -DLINT_OUT=VECTOR
#ifdef WEFT_LINT
#include "map/lint.clh"
#endif
#include "map/common.clh"

#if WEFT_WIDE
typedef ulong weft_number;
#define DIVIDE(a, d) ((a) / LENGTH(d))
#else
// Division by a constant as a multiplication (Granlund and Montgomery 1994), for numbers under 2^31.
typedef uint weft_number;
#define MULTIPLIER(d) (uint)args.tail[WEFT__MAP_MULTIPLIER(WEFT_ARRAYS, WEFT_AXES, d)]
#define SHIFT(d) (uint)args.tail[WEFT__MAP_SHIFT(WEFT_ARRAYS, WEFT_AXES, d)]
#define DIVIDE(a, d) (mul_hi((uint)(a), MULTIPLIER(d)) >> SHIFT(d))
#endif
#define STEP(k) ((long)args.tail[WEFT__MAP_STEP(WEFT_ARRAYS, WEFT_AXES, k)])

#if WEFT_NEAR
typedef int weft_move;
#else
typedef long weft_move;
#endif
#define BEGIN_IN(k, type, raw, place, access) weft_move from##k = 0;
#define BEGIN_OUT(k, type, raw, place, access) to##k[u] = 0;
#define MOVE_IN(k, type, raw, place, access) from##k += (weft_move)index * (weft_move)STRIDE(place, d);
#define MOVE_OUT(k, type, raw, place, access) to##k[u] += (weft_move)index * (weft_move)STRIDE(place, d);
#define HOLD_PLACE(k, type, raw, place, access) weft_move to##k[WEFT_U];
#define FROM(k, place) (x##k + OFFSET(place) + from##k)
#define TO(k, place) (y##k + OFFSET(place) + to##k[u])

#define GET_VECTOR(k, type, raw, place) WEFT_SPLIT(raw, a##k[u].word, *(__global const raw *)FROM(k, place))
#define GET_ONE(k, type, raw, place) a##k[u].e[0] = *(__global const type *)FROM(k, place);
#define GET_GATHER(k, type, raw, place) \
  for (uint j = 0; j < WEFT_E; j++) a##k[u].e[j] = *(__global const type *)(FROM(k, place) + (long)j * STEP(place));
#define BROADCAST_VECTOR(k)
#define BROADCAST_GATHER(k)
#define BROADCAST_ONE(k) \
  for (uint j = 1; j < WEFT_E; j++) a##k[u].e[j] = a##k[u].e[0];
#define PUT_VECTOR(k, type, raw, place) *(__global raw *)TO(k, place) = WEFT_WHOLE(raw, b##k.word);
#define PUT_GATHER(k, type, raw, place) \
  for (uint j = 0; j < WEFT_E; j++) *(__global type *)(TO(k, place) + (long)j * STEP(place)) = b##k.e[j];

#define HOLD_IN(k, type, raw, place, access) weft_in_##k a##k[WEFT_U];
#define HOLD_OUT(k, type, raw, place, access) weft_out_##k b##k;
#define GET(k, type, raw, place, access) GET_##access(k, type, raw, place)
#define BROADCAST(k, type, raw, place, access) BROADCAST_##access(k)
#define PUT(k, type, raw, place, access) PUT_##access(k, type, raw, place)
#define IN_J(k) a##k[u].e[j]
#define OUT_J(k) &b##k.e[j]

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_map(const weft__map_args args WEFT_OUTS(OUT_PARAMETER) WEFT_INS(IN_PARAMETER)
                  WEFT_UNIFORMS(UNIFORM_PARAMETER)) {
  const ulong first = (ulong)get_group_id(0) * (WEFT_BLOCK * WEFT_U) + get_local_id(0);
  WEFT_UNIFORMS(UNIFORM_VALUE)
  WEFT_INS(HOLD_IN)
  WEFT_OUTS(HOLD_PLACE)
#pragma unroll
  for (uint u = 0; u < WEFT_U; u++) {
    const ulong chunk = first + u * WEFT_BLOCK;
    if (chunk < args.chunks) {
      weft_number rest = (weft_number)chunk;
      WEFT_INS(BEGIN_IN)
      WEFT_OUTS(BEGIN_OUT)
#pragma unroll
      for (int d = WEFT_AXES - 1; d >= 0; d--) {
        const weft_number above = d > 0 ? DIVIDE(rest, d) : 0;
        const weft_number index = rest - above * (weft_number)LENGTH(d);
        WEFT_INS(MOVE_IN)
        WEFT_OUTS(MOVE_OUT)
        rest = above;
      }
      WEFT_INS(GET)
    }
  }
#pragma unroll
  for (uint u = 0; u < WEFT_U; u++) {
    const ulong chunk = first + u * WEFT_BLOCK;
    if (chunk < args.chunks) {
      WEFT_OUTS(HOLD_OUT)
      WEFT_INS(BROADCAST)
#pragma unroll
      for (uint j = 0; j < WEFT_E; j++) {
        WEFT_CALL(IN_J, OUT_J, chunk * WEFT_E + j);
      }
      WEFT_OUTS(PUT)
    }
  }
}

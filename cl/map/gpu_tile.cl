// SPDX-License-Identifier: MIT
// An elementwise function with transposed operands (inputs that are contiguous along another axis than the result), for
// GPUs. The text in front defines the macros of map/common.clh and
//   WEFT_BLOCK   threads in a block
//   WEFT_TILE    elements along a side of the tile
// There are at least 2 axes: the results are contiguous along the last one, TURNED inputs along the one before it.
// `access` is DIRECT or, for inputs, TURNED: read along the input's axis into local memory, and from there along the
// results' axis.
//
// Rows of 256 bytes (64 elements of 4) rather than the usual 128 keep memory pages open longer, in both directions.
// Warps read and write whole lines; the odd row width in local memory avoids bank conflicts.
// lint: -DWEFT_LINT=1 -DLINT_IN=TURNED -DLINT_OUT=DIRECT
#ifdef WEFT_LINT
#include "map/lint.clh"
#endif
#include "map/common.clh"

#define LANES 32
#define ROWS (WEFT_BLOCK / LANES)
#define PER_THREAD (WEFT_TILE * WEFT_TILE / WEFT_BLOCK)
// Element u of a thread: lanes along the fast axis first, then the rows.
#define FAST(u) (lane + (u) % (WEFT_TILE / LANES) * LANES)
#define SLOW(u) (row + (u) / (WEFT_TILE / LANES) * ROWS)
#define P (WEFT_AXES - 1)
#define Q (WEFT_AXES - 2)

#define LOCAL_DIRECT(k, type)
#define LOCAL_TURNED(k, type) __local type tile##k[WEFT_TILE][WEFT_TILE + 1];
#define LOCAL(k, type, raw, place, access) LOCAL_##access(k, type)

#define MOVE_OUT(k, type, raw, place, access) y##k += (long)index * STRIDE(place, d);
#define MOVE_IN(k, type, raw, place, access) x##k += (long)index * STRIDE(place, d);
#define CORNER_OUT(k, type, raw, place, access) \
  y##k += (long)first_q * STRIDE(place, Q) + (long)first_p * STRIDE(place, P);
#define CORNER_IN(k, type, raw, place, access) \
  x##k += (long)first_q * STRIDE(place, Q) + (long)first_p * STRIDE(place, P);

#define HOLD(k, type, raw, place, access) type a##k[PER_THREAD];
#define GET_DIRECT(k, type, place) \
  if (SLOW(u) < left_q && FAST(u) < left_p)  \
    a##k[u] = *(__global const type *)(x##k + ((long)SLOW(u) * STRIDE(place, Q) + (long)FAST(u) * STRIDE(place, P)));
#define GET_TURNED(k, type, place) \
  if (FAST(u) < left_q && SLOW(u) < left_p) \
    a##k[u] = *(__global const type *)(x##k + ((long)FAST(u) * STRIDE(place, Q) + (long)SLOW(u) * STRIDE(place, P)));
#define GET(k, type, raw, place, access) GET_##access(k, type, place)
#define KEEP_DIRECT(k)
#define KEEP_TURNED(k) \
  if (FAST(u) < left_q && SLOW(u) < left_p) tile##k[FAST(u)][SLOW(u)] = a##k[u];
#define KEEP(k, type, raw, place, access) KEEP_##access(k)
#define TURN_DIRECT(k)
#define TURN_TURNED(k) a##k[u] = tile##k[SLOW(u)][FAST(u)];
#define TURN(k, type, raw, place, access) TURN_##access(k)
#define HOLD_OUT(k, type, raw, place, access) type b##k;
#define PUT(k, type, raw, place, access) \
  *(__global type *)(y##k + ((long)SLOW(u) * STRIDE(place, Q) + (long)FAST(u) * STRIDE(place, P))) = b##k;
#define IN_U(k) a##k[u]
#define OUT_U(k) &b##k

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_map(const weft__map_args args WEFT_OUTS(OUT_PARAMETER) WEFT_INS(IN_PARAMETER)
                  WEFT_UNIFORMS(UNIFORM_PARAMETER)) {
  const uint lane = (uint)get_local_id(0) % LANES, row = (uint)get_local_id(0) / LANES;
  WEFT_INS(LOCAL)
  ulong rest = get_group_id(0);
  WEFT_OUTS(OUT_OFFSET)
  WEFT_INS(IN_OFFSET)
  WEFT_UNIFORMS(UNIFORM_VALUE)
#if WEFT_AXES > 2
  const ulong in_plane = TILES(0) * TILES(1);
  ulong plane = rest / in_plane;
  rest -= plane * in_plane;
  for (int d = WEFT_AXES - 3; d >= 0; d--) {
    const ulong above = d > 0 ? plane / LENGTH(d) : 0, index = plane - above * LENGTH(d);
    WEFT_INS(MOVE_IN)
    WEFT_OUTS(MOVE_OUT)
    plane = above;
  }
#endif
  const ulong tile_q = rest / TILES(1), tile_p = rest - tile_q * TILES(1);
  const ulong first_q = tile_q * WEFT_TILE, first_p = tile_p * WEFT_TILE;
  const uint left_q = (uint)min(LENGTH(Q) - first_q, (ulong)WEFT_TILE),
             left_p = (uint)min(LENGTH(P) - first_p, (ulong)WEFT_TILE);
  WEFT_INS(CORNER_IN)
  WEFT_OUTS(CORNER_OUT)
  WEFT_INS(HOLD)
#pragma unroll
  for (uint u = 0; u < PER_THREAD; u++) {
    WEFT_INS(GET)
  }
#pragma unroll
  for (uint u = 0; u < PER_THREAD; u++) {
    WEFT_INS(KEEP)
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint u = 0; u < PER_THREAD; u++) {
    WEFT_OUTS(HOLD_OUT)
    WEFT_INS(TURN)
    WEFT_CALL(IN_U, OUT_U, 0);
    if (SLOW(u) < left_q && FAST(u) < left_p) {
      WEFT_OUTS(PUT)
    }
  }
}

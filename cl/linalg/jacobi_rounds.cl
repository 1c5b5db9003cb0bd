// SPDX-License-Identifier: MIT
// One-sided Jacobi rotations of rows by blocks (rotate_rows.clh has one rotation). A round has pairs of blocks of
// args.width rows; a group brings a pair into local memory, where each of its warps rotates a pair of rows, until each
// row of the one block has met each row of the other one. The first round of a sweep also has the pairs within a block.
//
// With a tag in args.flags a launch has all sweeps, until no row was rotated in one: the groups of a matrix wait for
// each other after each round. There are at most as many groups as units of the device, so that all run at the same
// time (only with PTX). A group publishes its rounds, and whether it rotated, as in exchange.clh.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"
#include "linalg/lanes.clh"
#include "linalg/rotation.clh"
#include "linalg/group_number.clh"
// Elements of a row that a thread loads together: to the compiler a store could change the next ones.
#define AHEAD (DOUBLE && COMPLEX ? 4 : 8)
// The place of the e-th of them in a row of n, behind its end the first place, where no other thread writes.
#define PLACE_OF(e, k, n) ((k) + 32 * (e) < (n) ? (k) + 32 * (e) : (k))
#define MOVED 1u        // in this sweep
#define MOVED_BEFORE 2u // in the sweep before: a group may be one round ahead of its readers

#ifndef WEFT_PTX
// The sum of a warp's values.
WEFT_INLINE REAL warp_sum(REAL x, __local REAL *values) {
  const uint thread = (uint)get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  values[thread] = x;
  for (uint d = 16; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread % 32 < d) values[thread] += values[thread + d];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return values[thread & ~31u];
}
#endif

// The sums of a warp's squares and product. With PTX all three at once: exchanges wait for the ones before.
WEFT_INLINE void warp_sums(REAL *alpha, REAL *beta, NUM *gamma, __local REAL *values) {
#ifdef WEFT_PTX
#pragma unroll
  for (uint d = 16; d > 0; d /= 2) {
    const REAL a = la_xor_real(*alpha, d), b = la_xor_real(*beta, d);
    const NUM c = la_xor(*gamma, d);
    *alpha += a;
    *beta += b;
    *gamma += c;
  }
#else
  *alpha = warp_sum(*alpha, values);
  *beta = warp_sum(*beta, values);
#if COMPLEX
  *gamma = (NUM)(warp_sum((*gamma).x, values), warp_sum((*gamma).y, values));
#else
  *gamma = warp_sum(*gamma, values);
#endif
#endif
}

// Makes the first n elements of two rows orthogonal; all `pitch` elements are rotated. n = 0: there is no pair.
// Returns whether they were far from orthogonal. All threads call it.
WEFT_INLINE bool rotate_pair(__local NUM *a, __local NUM *b, uint n, uint pitch, __local REAL *values) {
  const uint lane = (uint)get_local_id(0) % 32;
  REAL alpha = 0, beta = 0;
  NUM gamma = of_real(0);
  for (uint k = lane; k < n; k += 32 * AHEAD) {
#pragma unroll
    for (uint e = 0; e < AHEAD; e++) {
      const uint at = k + 32 * e;
      const NUM p = at < n ? a[at] : of_real(0), q = at < n ? b[at] : of_real(0);
      alpha = square_add(p, alpha);
      beta = square_add(q, beta);
      gamma = mul_add(p, conj_of(q), gamma);
    }
  }
  warp_sums(&alpha, &beta, &gamma, values);
  const REAL size = length_of(gamma);
  const uint slant = slant_of(alpha, beta, size, n);
  if (slant) {
    const NUM phase = sign_of(gamma, size);
    REAL tau;
    const REAL s = sine_of(&tau, alpha, beta, size);
    for (uint k = lane; k < pitch; k += 32 * AHEAD) {
      NUM p[AHEAD], q[AHEAD];
#pragma unroll
      for (uint e = 0; e < AHEAD; e++) {
        const uint at = PLACE_OF(e, k, pitch);
        p[e] = a[at];
        q[e] = mul(b[at], phase);
      }
#pragma unroll
      for (uint e = 0; e < AHEAD; e++)
        if (k + 32 * e < pitch) {
          a[k + 32 * e] = first_rotated(p[e], q[e], s, tau);
          b[k + 32 * e] = second_rotated(p[e], q[e], s, tau);
        }
    }
  }
  return slant > 1;
}

// Copies n elements by a warp.
#define COPY_ROW(to, from, n) \
  for (uint k = lane; k < (n); k += 32 * AHEAD) { \
    NUM v[AHEAD]; \
    _Pragma("unroll") for (uint e = 0; e < AHEAD; e++) v[e] = (from)[PLACE_OF(e, k, n)]; \
    _Pragma("unroll") for (uint e = 0; e < AHEAD; e++) if (k + 32 * e < (n)) (to)[k + 32 * e] = v[e]; \
  }

// The row of the matrix that is row r of the tile of blocks i and j.
WEFT_INLINE ulong row_of(uint r, int i, int j, uint width) {
  return r < width ? (ulong)i * width + r : (ulong)j * width + (r - width);
}

// A pair of blocks: into the tile, rotated, and back. Returns whether this thread's warp rotated.
WEFT_INLINE bool rotate_blocks(const weft__block_args *args, int i, int j, bool is_first, __global NUM *x,
                               __global NUM *y, __local NUM *tile, __local REAL *values) {
  const uint warp = (uint)get_local_id(0) / 32, lane = (uint)get_local_id(0) % 32, width = args->width;
  const uint n = (uint)args->n, pitch = n + (uint)args->first, steps = is_first ? 2 * width - 1 : width;
  bool moved = false;
  for (uint r = warp; r < 2 * width; r += WEFT_WARPS) {
    const ulong row = row_of(r, i, j, width);
    if (row < args->m) {
      COPY_ROW(tile + r * pitch, x + (long)row * args->x.row, n)
      COPY_ROW(tile + r * pitch + n, y + (long)row * args->y.row, pitch - n)
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 0; step < steps; step++) {
    int p = (int)warp, q = (int)(width + (warp + step) % width);
    if (is_first) players(&p, &q, (int)(warp % width), (int)step, (int)(2 * width));
    const ulong last = max(row_of((uint)p, i, j, width), row_of((uint)q, i, j, width));
    const bool is_pair = warp < width && last < args->m;
    const uint length = is_pair ? n : 0;
    moved = rotate_pair(tile + (is_pair ? (uint)p : 0) * pitch, tile + (is_pair ? (uint)q : 0) * pitch, length, pitch,
                        values) ||
            moved;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint r = warp; r < 2 * width; r += WEFT_WARPS) {
    const ulong row = row_of(r, i, j, width);
    if (row < args->m) {
      COPY_ROW(x + (long)row * args->x.row, tile + r * pitch, n)
      COPY_ROW(y + (long)row * args->y.row, tile + r * pitch + n, pitch - n)
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return moved;
}

#ifdef WEFT_PTX
// Publishes a round and waits for the other groups of the matrix. Returns whether one of them rotated: in this sweep,
// or, if it has begun the next one, in the sweep before.
WEFT_INLINE uint wait_for_all(const weft__block_args *args, __global uchar *state, uint number, uint round, uint rounds,
                              uint own) {
  const uint groups = (uint)args->chunks, first = number / groups * groups, sweep = (round - 1) / rounds;
  uint found = 0;
  if (get_local_id(0) == 0) weft_exchange_write(state, number, round << 2 | own, args->flags);
  for (uint g = (uint)get_local_id(0); g < groups; g += WEFT_BLOCK) {
    uint done = 0;
    while (weft_exchange_read(state, first + g, &done) != args->flags || done >> 2 < round) {
    }
    found |= ((done >> 2) - 1) / rounds == sweep ? done & MOVED : done & MOVED_BEFORE;
  }
  return found;
}
#endif

// args.chunks groups for each matrix x, args.m x args.n, and for y, whose rows have args.first elements (0: there is no
// y). With a tag all rounds, and args.ticket is the first ticket; without one the round args.round.
//   z: i32, contiguous: becomes 1 if a pair was not orthogonal yet; with a tag 1 or 0, of the last sweep
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_rounds(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *changes,
                        __global uchar *state) {
  __local NUM tile[LA_TILE];
  __local REAL values[WEFT_BLOCK];
  __local uint shared[3]; // of la_group_number; MOVED for a rotation in this sweep: by this group, by any
  const uint thread = (uint)get_local_id(0), groups = (uint)args.chunks;
  const uint pairs = ((uint)args.m + 2 * args.width - 1) / (2 * args.width), rounds = 2 * pairs - 1;
  uint number = (uint)get_group_id(0);
  if (thread == 0) shared[1] = shared[2] = 0;
#ifdef WEFT_PTX
  if (args.flags) number = la_group_number(state, args.ticket, shared);
#endif
  const uint batch = number / groups, group = number % groups;
  uint end = args.flags ? WEFT__BLOCK_SWEEPS * rounds : args.round + 1;
#ifdef WEFT_PTX
  uint before = 0; // MOVED_BEFORE if this group rotated in the sweep before
#endif
  __global NUM *x = part_of(xs, args.x, batch), *y = part_of(ys, args.y, batch);
  __global int *change = (__global int *)(changes + args.z.offset) + batch;
  for (uint turn = args.round; turn < end; turn++) {
    const uint round = turn % rounds;
    bool moved = false;
    for (uint begin = 0; begin < pairs; begin += groups) {
      const bool is_pair = begin + group < pairs;
      int i, j;
      players(&i, &j, (int)(is_pair ? begin + group : 0), (int)round, (int)(2 * pairs));
      if (!is_pair) i = j = (int)(2 * pairs); // behind the last row
      moved = rotate_blocks(&args, i, j, round == 0, x, y, tile, values) || moved;
    }
#ifdef WEFT_PTX
    if (args.flags) {
      if (moved && thread % 32 == 0) atomic_or((volatile __local uint *)shared + 1, MOVED);
      weft_fence_device();
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      const uint found = wait_for_all(&args, state, number, turn + 1, rounds, shared[1] | before);
      weft_fence_device();
      if (found) atomic_or((volatile __local uint *)shared + 2, MOVED);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      if (round + 1 == rounds) {
        if (thread == 0 && group == 0) *change = (int)shared[2];
        if (!shared[2]) end = 0;
        before = shared[1] ? MOVED_BEFORE : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread == 0) shared[1] = 0;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (thread == 0) shared[2] = 0;
    }
#endif
    if (!args.flags && moved && thread % 32 == 0) *change = 1;
  }
}

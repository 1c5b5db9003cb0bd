// SPDX-License-Identifier: MIT
// One-sided Jacobi rotations of rows by blocks (rotation.clh has one rotation). A round has pairs of blocks of LA_WIDTH
// rows, each a group's. A team of threads has a row of either block in registers, rotates the two, and passes the
// second one on through local memory, until each row of the one block has met each row of the other one. In the first
// round of a sweep the rows of both blocks meet each other in a tournament.
//
// With a tag in args.flags a launch has all sweeps, until all rows are orthogonal: after each round the groups of a
// matrix wait for their neighbours, which had the blocks of their next pairs, and after a sweep for all. There are at
// most as many groups as units of the device, so that all run at the same time (only with PTX). A group publishes its
// rounds, and what it found in a sweep, as in exchange.clh.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"
#include "linalg/lanes.clh"
#include "linalg/rotation.clh"
#include "linalg/group_number.clh"
#define TEAM (WEFT_BLOCK / LA_WIDTH) // threads of a row
#define ALL(e) _Pragma("unroll") for (uint e = 0; e < LA_EACH; e++)
#define ALL_OF_X(e) _Pragma("unroll") for (uint e = 0; e < LA_OF_X; e++)

// A barrier that all threads need only under a condition. PoCL wants no barrier under a condition (warp.clh).
#ifdef WEFT_PTX
#define BARRIER_IF(condition) if (condition) barrier(CLK_LOCAL_MEM_FENCE)
#else
#define BARRIER_IF(condition) barrier(CLK_LOCAL_MEM_FENCE)
#endif

// The sums of a team's values.
WEFT_INLINE void team_sums(REAL *v, const uint count, __local REAL *values) {
  const uint thread = (uint)get_local_id(0);
#ifdef WEFT_PTX
#pragma unroll
  for (uint d = 16; d > 0; d /= 2) {
    REAL other[2];
#pragma unroll
    for (uint c = 0; c < count; c++) other[c] = la_xor_real(v[c], d); // all at once: each waits for the ones before
#pragma unroll
    for (uint c = 0; c < count; c++) v[c] += other[c];
  }
#if TEAM > 32
  if (thread % 32 == 0) {
#pragma unroll
    for (uint c = 0; c < count; c++) values[c * WEFT_WARPS + thread / 32] = v[c];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint c = 0; c < count; c++) {
    v[c] = 0;
#pragma unroll
    for (uint w = 0; w < TEAM / 32; w++) v[c] += values[c * WEFT_WARPS + thread / TEAM * (TEAM / 32) + w];
  }
#endif
#else
  for (uint c = 0; c < count; c++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    values[thread] = v[c];
    for (uint d = TEAM / 2; d > 0; d /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (thread % TEAM < d) values[thread] += values[thread + d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    v[c] = values[thread - thread % TEAM];
  }
#endif
}

// `count` of this thread's elements of a row of n; they are 0 behind its end.
WEFT_INLINE void load_part(NUM *v, const uint count, __global const NUM *row, uint n, bool is_there) {
#pragma unroll
  for (uint e = 0; e < count; e++) {
    const uint k = e * TEAM + (uint)get_local_id(0) % TEAM;
#ifdef WEFT_PTX // loads under a condition wait for each other: here a value that another thread may store is dropped
    const NUM value = row[min(k, n - 1)];
    v[e] = is_there && k < n ? value : of_real(0);
#else
    v[e] = is_there && k < n ? row[k] : of_real(0);
#endif
  }
}

WEFT_INLINE void store_part(const NUM *v, const uint count, __global NUM *row, uint n) {
#pragma unroll
  for (uint e = 0; e < count; e++) {
    const uint k = e * TEAM + (uint)get_local_id(0) % TEAM;
    if (k < n) row[k] = v[e];
  }
}

// A row of x and y, which is 0 behind the last one.
WEFT_INLINE void load_row(NUM *v, const weft__block_args *args, ulong row, __global const NUM *x,
                          __global const NUM *y) {
  const long at = (long)min(row, args->m - 1);
  load_part(v, LA_OF_X, x + at * args->x.row, (uint)args->n, row < args->m);
#if LA_EACH > LA_OF_X
  load_part(v + LA_OF_X, LA_EACH - LA_OF_X, y + at * args->y.row, (uint)args->first, row < args->m);
#endif
}

WEFT_INLINE void store_row(const NUM *v, const weft__block_args *args, ulong row, __global NUM *x, __global NUM *y) {
  if (row < args->m) {
    store_part(v, LA_OF_X, x + (long)row * args->x.row, (uint)args->n);
#if LA_EACH > LA_OF_X
    store_part(v + LA_OF_X, LA_EACH - LA_OF_X, y + (long)row * args->y.row, (uint)args->first);
#endif
  }
}

// Makes two rows with the squares *alpha and *beta orthogonal. All threads call it. The squares are not summed up
// again, which would take as long as the rest: what they lose when rows are far from orthogonal the next round finds.
WEFT_INLINE void rotate_pair(NUM *p, NUM *q, REAL *alpha, REAL *beta, la_extremes *found, __local REAL *values) {
  NUM part[2] = {of_real(0), of_real(0)}; // an addition waits for the one before
  ALL_OF_X(e) part[e % 2] = mul_add(p[e], conj_of(q[e]), part[e % 2]);
  NUM gamma = part[0] + part[1];
#if COMPLEX
  REAL sums[2] = {gamma.x, gamma.y};
  team_sums(sums, 2, values);
  gamma = (NUM)(sums[0], sums[1]);
#else
  team_sums(&gamma, 1, values);
#endif
  const REAL size = length_of(gamma);
  if (size > least_product(*alpha, *beta)) {
#if COMPLEX
    const NUM phase = sign_of(gamma, size);
    const REAL product = size;
#else
    const REAL product = gamma; // the angle has its sign
#endif
    REAL t, s, tau;
    rotation_of(&t, &s, &tau, *alpha, *beta, product);
    find_extremes(found, *alpha, *beta, size, s);
    ALL(e) {
#if COMPLEX
      const NUM a = p[e], b = mul(q[e], phase);
#else
      const NUM a = p[e], b = q[e];
#endif
      p[e] = first_rotated(a, b, s, tau);
      q[e] = second_rotated(a, b, s, tau);
    }
    *alpha = fmax(fma(-t, product, *alpha), 0);
    *beta = fmax(fma(t, product, *beta), 0);
  }
}

// A pair of blocks, from row i and from row j on: loaded, rotated, and stored. found: by this thread's team. slots: for
// the rows of a block, WEFT_BLOCK between a thread's elements; norms: their squares.
WEFT_INLINE void rotate_blocks(const weft__block_args *args, ulong i, ulong j, bool is_first, la_extremes *found,
                               __global NUM *x, __global NUM *y, __local NUM *slots, __local REAL *norms,
                               __local REAL *values) {
  const uint thread = (uint)get_local_id(0), own = thread / TEAM, lane = thread % TEAM;
  const uint steps = is_first ? 2 * LA_WIDTH - 1 : LA_WIDTH;
  const bool moves = is_first && own > 0;
  __local NUM *mine = slots + thread, *below = slots + (moves ? thread - TEAM : thread);
  NUM p[LA_EACH], q[LA_EACH];
  load_row(p, args, i + own, x, y);
  load_row(q, args, j + own, x, y);
  REAL squares[2] = {0, 0};
  ALL_OF_X(e) {
    squares[0] = square_add(p[e], squares[0]);
    squares[1] = square_add(q[e], squares[1]);
  }
  team_sums(squares, 2, values);
  REAL alpha = squares[0], beta = squares[1];
  ALL(e) mine[e * WEFT_BLOCK] = q[e];
  if (lane == 0) norms[own] = beta;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 0; step < steps; step++) {
    const uint at = is_first ? own : (own + step) % LA_WIDTH;
    __local NUM *slot = slots + at * TEAM + lane;
    ALL(e) q[e] = slot[e * WEFT_BLOCK];
    beta = norms[at];
    rotate_pair(p, q, &alpha, &beta, found, values);
    if (moves) {
      ALL(e) slot[e * WEFT_BLOCK] = p[e];
    } else {
      ALL(e) slot[e * WEFT_BLOCK] = q[e];
    }
    if (lane == 0) norms[at] = moves ? alpha : beta;
    barrier(CLK_LOCAL_MEM_FENCE);
    /* a tournament by the circle method: p of team 0 stays, the others go up, q go down, and the last p becomes q */
    if (moves) {
      ALL(e) p[e] = below[e * WEFT_BLOCK];
      alpha = norms[own - 1];
    }
    BARRIER_IF(is_first);
    if (moves) {
      ALL(e) below[e * WEFT_BLOCK] = q[e];
      if (lane == 0) norms[own - 1] = beta;
    }
    BARRIER_IF(is_first);
  }
  ALL(e) q[e] = mine[e * WEFT_BLOCK];
  store_row(p, args, i + own, x, y);
  store_row(q, args, j + own, x, y);
}

#ifdef WEFT_PTX
// Where group `number` publishes value `which` of two of a sweep. Of two sweeps in a row the places differ: a group may
// have ended its next one while others still read.
WEFT_INLINE uint place_of(const weft__block_args *args, uint number, uint sweep, uint which) {
  return (uint)(args->batches * args->chunks) * (1 + 2 * (sweep % 2) + which) + number;
}

// Publishes that a group has ended `turns` rounds, and waits for those that had blocks of its next pairs. Between two
// barriers.
WEFT_INLINE void wait_for_neighbours(const weft__block_args *args, __global uchar *state, uint first, uint group,
                                     uint turns, bool is_last) {
  const uint groups = (uint)args->chunks;
  if (get_local_id(0) == 0) {
    weft_fence_device(); // for the whole group
    weft_exchange_write(state, first + group, turns, args->flags);
  }
  for (uint g = (uint)get_local_id(0); g < groups; g += WEFT_BLOCK) {
    const uint away = g > group ? g - group : group - g;
    if (!is_last && away > 1 && away < groups - 1) continue;
    uint done = 0;
    while (weft_exchange_read(state, first + g, &done) != args->flags || done < turns) {
    }
    weft_fence_device();
  }
}

// At the end of a sweep: waits for all groups of the matrix. Returns whether its rows may still be far from
// orthogonal. largest: local memory for two numbers, 0 before and behind.
WEFT_INLINE bool end_sweep(const weft__block_args *args, __global uchar *state, uint first, uint group, uint turns,
                           uint sweep, const la_extremes *found, volatile __local uint *largest) {
  const uint groups = (uint)args->chunks, thread = (uint)get_local_id(0);
  if (thread % 32 == 0) { // numbers that are not negative are in order as their bits are
    atomic_max(largest, as_uint((float)found->product));
    atomic_max(largest + 1, as_uint((float)found->added));
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (thread == 0)
    for (uint k = 0; k < 2; k++)
      weft_exchange_write(state, place_of(args, first + group, sweep, k), largest[k], args->flags);
  wait_for_neighbours(args, state, first, group, turns, true);
  for (uint g = thread; g < groups; g += WEFT_BLOCK)
    for (uint k = 0; k < 2; k++) {
      uint bits = 0;
      weft_exchange_read(state, place_of(args, first + g, sweep, k), &bits); // it was written before the rounds
      atomic_max(largest + k, bits);
    }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const bool is_far = is_far_after(as_float(largest[0]), as_float(largest[1]), args->n);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread == 0) largest[0] = largest[1] = 0;
  return is_far;
}
#endif

// args.chunks groups for each matrix x, args.m x args.n, and for y, whose rows have args.first elements (0: there is no
// y). With a tag all rounds, and args.ticket is the first ticket; without one the round args.round.
//   z: i32, contiguous: becomes 1 if a pair was not orthogonal yet; with a tag 1 or 0, behind the last sweep
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_rounds(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *changes,
                        __global uchar *state) {
  __local NUM slots[LA_EACH * WEFT_BLOCK];
  __local REAL values[WEFT_BLOCK], norms[LA_WIDTH];
  const uint thread = (uint)get_local_id(0), groups = (uint)args.chunks;
  const uint pairs = ((uint)args.m + 2 * LA_WIDTH - 1) / (2 * LA_WIDTH), rounds = 2 * pairs - 1;
  uint number = (uint)get_group_id(0);
#ifdef WEFT_PTX
  __local uint shared[3]; // of la_group_number; of end_sweep
  if (thread == 0) shared[1] = shared[2] = 0;
  if (args.flags) number = la_group_number(state, args.ticket, shared);
#endif
  const uint batch = number / groups, group = number % groups;
  const uint end = args.flags ? WEFT__BLOCK_SWEEPS * rounds : args.round + 1;
  __global NUM *x = part_of(xs, args.x, batch), *y = part_of(ys, args.y, batch);
  __global int *change = (__global int *)(changes + args.z.offset) + batch;
  la_extremes found = {0, 0};
  bool is_far = true;
  for (uint turn = args.round; turn < end && is_far; turn++) {
    const uint round = turn % rounds;
    for (uint begin = 0; begin < pairs; begin += groups) {
      const bool is_pair = begin + group < pairs;
      int i, j;
      players(&i, &j, (int)(is_pair ? begin + group : 0), (int)round, (int)(2 * pairs));
      if (!is_pair) i = j = (int)(2 * pairs); // behind the last row
      rotate_blocks(&args, (ulong)i * LA_WIDTH, (ulong)j * LA_WIDTH, round == 0, &found, x, y, slots, norms, values);
    }
#ifdef WEFT_PTX
    if (args.flags && round + 1 < rounds) {
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      wait_for_neighbours(&args, state, number - group, group, turn + 1, false);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    } else if (args.flags) {
      is_far = end_sweep(&args, state, number - group, group, turn + 1, turn / rounds, &found, shared + 1);
      found.product = found.added = 0;
      if (thread == 0 && group == 0) *change = is_far;
    }
#endif
  }
  if (!args.flags && is_far_after(found.product, 1, args.n) && thread % 32 == 0) *change = 1;
}

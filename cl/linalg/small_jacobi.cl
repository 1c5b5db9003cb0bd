// SPDX-License-Identifier: MIT
// Singular values and eigenvalues of small matrices by one-sided Jacobi rotations (Hestenes): pairs of vectors are
// rotated until all are orthogonal. Their lengths are then the singular values. Vectors lie as rows in memory, SHARERS
// threads rotate a pair, and all pairs of a round are disjoint (a tournament of `count` players).
//
// Singular values: the vectors are the columns of A, or its rows if these are fewer; J collects the rotations.
// Eigenvalues: a shift makes A positive definite; the vectors are the columns of its Cholesky factor L. Rotations of L
// lead to U S with A + shift = U S^2 U^H, so the normalized vectors are the eigenvectors, and no J is needed
// (Veselic and Hari 1989). The shift is close to the largest eigenvalue: rounding errors are relative to it.
//
// Kernels: weft_small_gesdd (A; U; s; V^H; info; scratch for vectors and J), weft_small_syevd (A, which receives the
// eigenvectors; w; info; scratch). Macros: linalg/team.clh, and:
//   WHICH  0 gesdd, 1 syevd: the kernel to compile
//   WANTS  1: vectors are wanted
//   SHARERS  threads that share a pair; beyond 1 only where a warp exchanges values, elsewhere the first of them works
// lint: -DREAL=float -DCOMPLEX=1 -DTEAM=8 -DTEAMS=8 -DLOCAL=1 -DSIDE=16 -DWHICH=0 -DWANTS=1 -DSHARERS=1
// lint: -DREAL=double -DDOUBLE=1 -DTEAM=1 -DTEAMS=1 -DLOCAL=0 -DSIDE=64 -DWHICH=0 -DWANTS=1 -DSHARERS=1 -DWEFT_FP64=1
// lint: -DREAL=float -DCOMPLEX=0 -DTEAM=8 -DTEAMS=8 -DLOCAL=1 -DSIDE=16 -DWHICH=1 -DWANTS=1 -DSHARERS=4
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "linalg/team.clh"
#include "linalg/rotation.clh"
#include "linalg/scale.clh"

#define SWEEPS 40
#define MOVED 1u
#define MOVED_FAR 2u

#define COUNTED (WHICH == 0 && WANTS) /* J is needed */

#if SHARERS > 1 && defined(cl_nv_pragma_unroll)
#define WORKERS SHARERS // of the threads that share a pair
#define WEFT_BLOCK BLOCK
#include "linalg/lanes.clh"
WEFT_INLINE REAL shared_real(REAL x) {
#pragma unroll
  for (uint d = SHARERS / 2; d > 0; d /= 2) x += la_xor_real(x, d);
  return x;
}
WEFT_INLINE NUM shared_sum(NUM x) {
#pragma unroll
  for (uint d = SHARERS / 2; d > 0; d /= 2) x += la_xor(x, d);
  return x;
}
#else
#define WORKERS 1
#define shared_real(x) (x)
#define shared_sum(x) (x)
#endif

/* ---- rotations ---- */

// Rotates two rows of x: with b = conj(phase) q, p = c p - s b and q = s p + c b. A worker has each WORKERS-th element.
WEFT_INLINE void rotate_rows(SPACE CELL *x, int p, int q, int length, REAL s, REAL tau, NUM phase, int worker) {
  int i = worker;
  for (; i + (TOGETHER - 1) * WORKERS < length; i += TOGETHER * WORKERS) {
    NUM a[TOGETHER], b[TOGETHER];
#pragma unroll
    for (int e = 0; e < TOGETHER; e++) {
      a[e] = GET(x, p + i + e * WORKERS);
      b[e] = mul(conj_of(phase), GET(x, q + i + e * WORKERS));
    }
#pragma unroll
    for (int e = 0; e < TOGETHER; e++) {
      PUT(x, p + i + e * WORKERS, first_rotated(a[e], b[e], s, tau));
      PUT(x, q + i + e * WORKERS, second_rotated(a[e], b[e], s, tau));
    }
  }
  for (; i < length; i += WORKERS) {
    const NUM a = GET(x, p + i), b = mul(conj_of(phase), GET(x, q + i));
    PUT(x, p + i, first_rotated(a, b, s, tau));
    PUT(x, q + i, second_rotated(a, b, s, tau));
  }
}

// Makes rows p and q of w orthogonal. Returns MOVED if they were not. All threads of a warp call it; length 0: no pair.
WEFT_INLINE uint rotate_pair(SPACE CELL *w, SPACE CELL *turned, int p, int q, int ld, int length, int ldj, int turns,
                             int worker) {
  REAL pp = 0, qq = 0;
  NUM pq = of_real(0);
  for (int i = worker; i < length; i += WORKERS) {
    const NUM a = GET(w, p * ld + i), b = GET(w, q * ld + i);
    pp = square_add(a, pp);
    qq = square_add(b, qq);
    pq = mul_add(conj_of(a), b, pq);
  }
  pp = shared_real(pp);
  qq = shared_real(qq);
  pq = shared_sum(pq);
  const REAL size = length_of(pq), product = sqrt(pp) * sqrt(qq);
  const REAL bound = (4 + (REAL)length / 16) * EPSILON;
  if (!(size > bound * product && pp > LEAST && qq > LEAST)) return 0;
  REAL tau;
  const REAL s = sine_of(&tau, pp, qq, size);
  const NUM phase = sign_of(pq, size);
  rotate_rows(w, p * ld, q * ld, length, s, tau, phase, worker);
#if COUNTED
  rotate_rows(turned, p * ldj, q * ldj, turns, s, tau, phase, worker);
#endif
  return size > K(1000.0) * bound * product ? MOVED | MOVED_FAR : MOVED;
}

/* ---- order and vectors ---- */

// The place of length k in the order of `count` lengths; equal ones keep their order.
WEFT_INLINE int place_of(__local const REAL *lengths, int k, int count, int descending) {
  int place = 0;
  for (int i = 0; i < count; i++) {
    const int before = descending ? lengths[i] > lengths[k] : lengths[i] < lengths[k];
    place += before || (lengths[i] == lengths[k] && i < k);
  }
  return place;
}

// The vectors that are not there (good[k] is 0) are made orthogonal to all others, from the unit vector that the others
// contain least, twice for the sake of rounding. There is no loop around the two passes: PoCL would make an arm of an
// if with barriers of it.
#define SUBTRACT_SHARES(w, ld, wanted, x_begin) \
  SYNC \
  for (int i = lane; i < end; i += TEAM) { \
    NUM x = x_begin; \
    for (int r = 0; r < (wanted); r++) \
      if (good[r]) x = mul_add(-share[r], GET(w, r * (ld) + i), x); \
    PUT(w, p * (ld) + i, x); \
  } \
  SYNC
#define COMPLETE_VECTORS(w, ld, wanted, length) \
  for (int p = first_bad; p < (wanted); p++) { \
    const int makes = !good[p], end = makes ? (length) : 0, others = makes ? (wanted) : 0; \
    for (int t = lane; t < end; t += TEAM) { \
      REAL sum = 0; \
      for (int r = 0; r < (wanted); r++) \
        if (good[r]) sum = square_add(GET(w, r * (ld) + t), sum); \
      weight[t] = sum; \
    } \
    SYNC \
    int least = 0; \
    for (int t = 1; t < end; t++) \
      if (weight[t] < weight[least]) least = t; \
    for (int r = lane; r < others; r += TEAM) \
      share[r] = good[r] ? conj_of(GET(w, r * (ld) + least)) : of_real(0); \
    SUBTRACT_SHARES(w, ld, wanted, of_real(i == least)) \
    for (int r = lane; r < others; r += TEAM) \
      if (good[r]) share[r] = -minus_dot(of_real(0), w, w, p * (ld), r * (ld), (length)); \
    SUBTRACT_SHARES(w, ld, wanted, GET(w, p * (ld) + i)) \
    REAL sum = 0; \
    for (int i = 0; i < end; i++) sum = square_add(GET(w, p * (ld) + i), sum); \
    SYNC \
    for (int i = lane; i < end; i += TEAM) PUT(w, p * (ld) + i, GET(w, p * (ld) + i) / sqrt(sum)); \
    if (lane == 0 && makes) good[p] = 1; \
    SYNC \
  }

/* ---- the rotations of a matrix ---- */

// Sweeps until no team of the block rotates. *far: a team still rotated much in the last sweep.
#if TEAM > 1
#define ROTATE_ALL(count_, far) \
  for (int sweep = 0; sweep < SWEEPS; sweep++) { \
    uint mine = 0; \
    if (get_local_id(0) == 0) moved = 0; \
    SWEEP(count_) \
    BLOCK_SYNC \
    if (mine) atomic_or(&moved, mine); \
    far = (mine & MOVED_FAR) != 0; \
    BLOCK_SYNC \
    const uint any = moved; \
    BLOCK_SYNC \
    if (any == 0) sweep = SWEEPS; \
  } \
  if (far) atomic_or(&far_of[team], 1u); \
  BLOCK_SYNC \
  far = (int)far_of[team];
#define MOVED_STATE __local uint moved, far_of[TEAMS];
#define CLEAR_FAR \
  if (lane == 0) far_of[team] = 0;
#else
#define ROTATE_ALL(count_, far) \
  for (int sweep = 0; sweep < SWEEPS; sweep++) { \
    uint mine = 0; \
    SWEEP(count_) \
    far = (mine & MOVED_FAR) != 0; \
    if (mine == 0) break; \
  }
#define MOVED_STATE
#define CLEAR_FAR
#endif
#define SWEEP(count_) \
  const int players_ = ((count_) + 1) & ~1; \
  for (int round = 0; round + 1 < players_; round++) { \
    for (int begin = 0; begin < players_ / 2; begin += TEAM / SHARERS) { \
      const int pair = begin + lane / SHARERS, worker = lane % SHARERS; \
      int p, q; \
      players(&p, &q, pair < players_ / 2 ? pair : 0, round, players_); \
      const int rotates = here && pair < players_ / 2 && q < (count_) && worker < WORKERS; \
      mine |= rotate_pair(w, turned, p, q, ld, rotates ? length : 0, ldj, count_, worker); \
    } \
    SYNC \
  }

// Whether the elements of this thread are finite, as the team's verdict; `bad` is 1 where they are not.
#define TEAM_BAD(bad) (team_largest((REAL)(bad), parts, team, lane) > 0)

#if WHICH == 0
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_small_gesdd(const weft__small_args args, __global uchar *matrices, __global uchar *u_buffer,
                      __global uchar *s_buffer, __global uchar *vh_buffer, __global uchar *info,
                      __global uchar *w_buffer, __global uchar *j_buffer) {
#if LOCAL
  __local NUM cells[TEAMS * CELLS];
#if WANTS
  __local NUM turn_cells[TEAMS * CELLS];
#endif
#endif
  __local REAL parts[BLOCK], all_lengths[TEAMS * SIDE], all_weights[TEAMS * SIDE];
  __local int all_good[TEAMS * SIDE];
  __local NUM all_shares[TEAMS * SIDE];
  __local int lowest_bad;
  MOVED_STATE
  TEAM_PLACE
  const int m = args.rows, n = args.columns, count = min(m, n), length = max(m, n), wanted = args.others;
  const int ld = LD(length), ldj = LD(count), tall = m >= n;
  __local REAL *lengths = all_lengths + team * SIDE, *weight = all_weights + team * SIDE;
  __local int *good = all_good + team * SIDE;
  __local NUM *share = all_shares + team * SIDE;
  TEAM_LOOP(args.batch) {
    const ulong matrix = unit;
    const int here = matrix < args.batch;
    __global REAL *whole = GLOBAL_REALS(matrices, 0, m * n), *singular = GLOBAL_PLAIN(s_buffer, 2, count);
#if LOCAL
    __local NUM *w = cells + team * CELLS;
#if WANTS
    __local NUM *turned = turn_cells + team * CELLS;
#else
    __local NUM *turned = w;
#endif
#else
    __global REAL *w = GLOBAL_REALS(w_buffer, 5, (WANTS ? wanted : count) * length);
    __global REAL *turned = GLOBAL_REALS(j_buffer, 6, count * count);
#endif
    int bad = 0, far = 0, power;
    CLEAR_FAR
    for (int i = 0; i < (here ? m : 0); i++)
      for (int k = lane; k < n; k += TEAM) {
        const NUM x = GLOBAL_GET(whole, i * n + k);
        bad |= !is_finite(x);
        PUT(w, tall ? k * ld + i : i * ld + k, x);
      }
#if WANTS
    for (int i = 0; i < (here ? count : 0); i++)
      for (int k = lane; k < count; k += TEAM) PUT(turned, i * ldj + k, of_real(i == k));
#endif
    SYNC
    bad = TEAM_BAD(bad);
    SCALE_MATRIX(w, ld, here ? count : 0, length, power)
    ROTATE_ALL(count, far)
    if (get_local_id(0) == 0) lowest_bad = SIDE;
    BLOCK_SYNC
    for (int p = lane; p < max(count, wanted); p += TEAM) {
      REAL sum = 0;
      for (int i = 0; i < (here && p < count ? length : 0); i++) sum = square_add(GET(w, p * ld + i), sum);
      lengths[p] = isnan(sum) ? INFINITY : sqrt(sum);
      good[p] = !here || !(sum <= LEAST);
      if (!good[p]) atomic_min(&lowest_bad, p);
    }
    BLOCK_SYNC
    for (int p = lane; p < (here ? count : 0); p += TEAM)
      singular[place_of(lengths, p, count, 1)] = bad ? NOT_A_NUMBER : ldexp(lengths[p], power);
#if WANTS
    const int first_bad = lowest_bad;
    for (int p = 0; p < (here ? count : 0); p++)
      if (good[p])
        for (int i = lane; i < length; i += TEAM) PUT(w, p * ld + i, GET(w, p * ld + i) / lengths[p]);
    SYNC
    COMPLETE_VECTORS(w, ld, wanted, length)
    __global REAL *u = GLOBAL_REALS(u_buffer, 1, m * (tall ? wanted : m));
    __global REAL *vh = GLOBAL_REALS(vh_buffer, 3, (tall ? n : wanted) * n);
    for (int p = 0; p < (here ? wanted : 0); p++) {
      const int place = p < count ? place_of(lengths, p, count, 1) : p;
      for (int i = lane; i < length; i += TEAM) {
        const NUM x = bad ? of_real(NOT_A_NUMBER) : GET(w, p * ld + i);
        if (tall)
          GLOBAL_PUT(u, i * wanted + place, x);
        else
          GLOBAL_PUT(vh, place * n + i, x);
      }
      for (int i = lane; i < (p < count ? count : 0); i += TEAM) {
        const NUM x = bad ? of_real(NOT_A_NUMBER) : conj_of(GET(turned, p * ldj + i));
        if (tall)
          GLOBAL_PUT(vh, place * n + i, x);
        else
          GLOBAL_PUT(u, i * m + place, x);
      }
    }
#endif
    if (lane == 0 && here) *GLOBAL_INTS(info, 4, 1) = bad || far;
    BLOCK_SYNC
  }
}
#endif

#if WHICH == 1
// The Cholesky factor of a matrix of which row k of w has column k from the diagonal on; the factor has the same form.
#define FACTOR_VECTORS(w, ld, n) \
  for (int k = 0; k < (n); k++) { \
    const REAL root = sqrt(real_of(GET(w, k * (ld) + k))); \
    SYNC \
    for (int i = k + 1 + lane; i < (here ? (n) : 0); i += TEAM) PUT(w, k * (ld) + i, GET(w, k * (ld) + i) / root); \
    if (lane == 0 && here) PUT(w, k * (ld) + k, of_real(root)); \
    SYNC \
    for (int p = k + 1 + lane; p < (here ? (n) : 0); p += TEAM) { \
      const NUM minus = -conj_of(GET(w, k * (ld) + p)); \
      for (int i = p; i < (n); i++) PUT(w, p * (ld) + i, mul_add(minus, GET(w, k * (ld) + i), GET(w, p * (ld) + i))); \
    } \
    SYNC \
  }

// Element (i, k) of the Hermitian matrix of which row k of w has column k from the diagonal on.
WEFT_INLINE NUM element_of(SPACE const CELL *w, int ld, int i, int k) {
  return i >= k ? GET(w, k * ld + i) : conj_of(GET(w, i * ld + k));
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_small_syevd(const weft__small_args args, __global uchar *matrices, __global uchar *w_out,
                      __global uchar *info, __global uchar *w_buffer) {
  TEAM_MEMORY
  __local REAL parts[BLOCK], all_lengths[TEAMS * SIDE];
  MOVED_STATE
  TEAM_PLACE
  const int n = args.rows, length = n, ld = LD(n), ldj = 0;
  __local REAL *lengths = all_lengths + team * SIDE;
  TEAM_LOOP(args.batch) {
    const ulong matrix = unit;
    const int here = matrix < args.batch, rows = here ? n : 0;
    __global REAL *whole = GLOBAL_REALS(matrices, 0, n * n), *values = GLOBAL_PLAIN(w_out, 1, n);
#if LOCAL
    __local NUM *w = cells + team * CELLS, *turned = w;
#else
    __global REAL *w = GLOBAL_REALS(w_buffer, 3, n * n), *turned = w;
#endif
    int bad = 0, far = 0, power;
    CLEAR_FAR
    for (int i = 0; i < rows; i++)
      for (int k = lane; k < n; k += TEAM) {
        NUM x = k <= i ? GLOBAL_GET(whole, i * n + k) : of_real(0);
        if (k == i) x = of_real(real_of(x));
        bad |= !is_finite(x);
        PUT(w, k * ld + i, x);
      }
    SYNC
    bad = TEAM_BAD(bad);
    SCALE_MATRIX(w, ld, rows, n, power)
    // the largest eigenvalue of A^2 is at most its largest sum of sizes in a row: a close bound
    REAL row_sum = 0;
    for (int p = lane; p < rows; p += TEAM) {
      REAL sum = 0;
      for (int q = 0; q < n; q++) {
        NUM x = of_real(0);
        for (int k = 0; k < n; k++) x = mul_add(element_of(w, ld, p, k), element_of(w, ld, k, q), x);
        sum += sqrt(square_add(x, 0));
      }
      row_sum = fmax(row_sum, sum);
    }
    const REAL bound = sqrt(team_largest(row_sum, parts, team, lane)), shift = bound > 0 ? K(1.0625) * bound : 1;
    SYNC
    for (int p = lane; p < rows; p += TEAM) PUT(w, p * ld + p, GET(w, p * ld + p) + of_real(shift));
    SYNC
    FACTOR_VECTORS(w, ld, n)
    ROTATE_ALL(n, far)
    for (int p = lane; p < rows; p += TEAM) {
      REAL sum = 0;
      for (int i = 0; i < n; i++) sum = square_add(GET(w, p * ld + i), sum);
      lengths[p] = isnan(sum) ? INFINITY : sum;
    }
    SYNC
    for (int p = lane; p < rows; p += TEAM)
      values[place_of(lengths, p, n, 0)] = bad ? NOT_A_NUMBER : ldexp(lengths[p] - shift, power);
#if WANTS
    STORE_SYNC
    for (int p = 0; p < rows; p++) {
      const int place = place_of(lengths, p, n, 0);
      const REAL norm_p = sqrt(lengths[p]);
      for (int i = lane; i < n; i += TEAM)
        GLOBAL_PUT(whole, i * n + place, bad ? of_real(NOT_A_NUMBER) : GET(w, p * ld + i) / norm_p);
    }
#endif
    if (lane == 0 && here) *GLOBAL_INTS(info, 2, 1) = bad || far;
    BLOCK_SYNC
  }
}
#endif

// SPDX-License-Identifier: MIT
// QR factorizations of small matrices by Householder reflections, with LAPACK's signs. The matrix is scaled by a power
// of two, so that squares neither overflow nor vanish. A thread updates whole columns; all threads of a team compute
// the norm of a column, which needs no exchange.
// Buffers: the matrices, which are overwritten; Q (not written with `others` 0); R. Macros: linalg/team.clh, and:
//   WANTS  1: Q is made in local memory
// lint: -DREAL=float -DCOMPLEX=1 -DTEAM=8 -DTEAMS=8 -DLOCAL=1 -DSIDE=8 -DWANTS=1
// lint: -DREAL=double -DDOUBLE=1 -DCOMPLEX=0 -DTEAM=1 -DTEAMS=1 -DLOCAL=0 -DSIDE=64 -DWEFT_FP64=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "linalg/team.clh"
#include "linalg/scale.clh"

// column j -= v * (factor * (v, column j)) from row k on; v is column k of a, with 1 in row k
#define REFLECT(x, GET_X, PUT_X, ldx, j, factor) \
  { \
    NUM w = GET_X(x, k * ldx + j); \
    for (int row = k + 1; row < m; row++) w = mul_add(conj_of(GET(a, row * ld + k)), GET_X(x, row * ldx + j), w); \
    w = -mul(w, factor); \
    PUT_X(x, k * ldx + j, GET_X(x, k * ldx + j) + w); \
    int i = k + 1; \
    for (; i + TOGETHER <= m; i += TOGETHER) { \
      NUM sum[TOGETHER]; \
      for (int e = 0; e < TOGETHER; e++) \
        sum[e] = mul_add(GET(a, (i + e) * ld + k), w, GET_X(x, (i + e) * ldx + j)); \
      for (int e = 0; e < TOGETHER; e++) PUT_X(x, (i + e) * ldx + j, sum[e]); \
    } \
    for (; i < m; i++) PUT_X(x, i * ldx + j, mul_add(GET(a, i * ld + k), w, GET_X(x, i * ldx + j))); \
  }

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_small_geqrf(const weft__small_args args, __global uchar *matrices, __global uchar *q_buffer,
                      __global uchar *r_buffer) {
  TEAM_MEMORY
#if WANTS
  __local NUM q_cells[TEAMS * CELLS];
#endif
  __local NUM taus[TEAMS * SIDE];
  __local REAL parts[BLOCK];
  TEAM_PLACE
  const int m = args.rows, n = args.columns, ld = LD(n), steps = min(m, n), made = args.others;
  const int kept = made > steps ? made : steps;
  TEAM_LOOP(args.batch) {
    const ulong matrix = unit;
    const int here = matrix < args.batch, rows = here ? m : 0, columns = here ? n : 0;
    __global REAL *whole = GLOBAL_REALS(matrices, 0, m * n), *q = GLOBAL_REALS(q_buffer, 1, m * made),
                  *r = GLOBAL_REALS(r_buffer, 2, kept * n);
    __local NUM *tau_of = taus + team * SIDE;
    TEAM_LOADED
    SYNC
    int power;
    SCALE_MATRIX(a, ld, rows, columns, power)
    for (int k = 0; k < steps; k++) {
      // What is used behind a SYNC is set in no arm of a branch: docs/drivers.md. A team without a matrix computes too.
      const NUM element = GET(a, k * ld + k);
      REAL below = 0, again = 0;
      for (int i = k + 1; i < rows; i++) below = square_add(GET(a, i * ld + k), below);
      const int vanishes = square_add(element, below) < LEAST; // rounding errors of a singular matrix
      const int end = vanishes ? rows : 0;
      REAL largest = largest_part(element);
      for (int i = k + 1; i < end; i++) largest = fmax(largest, largest_part(GET(a, i * ld + k)));
      const int exponent = power_of(largest), own = vanishes ? exponent : 0;
      for (int i = k + 1; i < end; i++) again = square_add(scaled(GET(a, i * ld + k), -own), again);
      const NUM alpha = scaled(element, -own);
      below = vanishes ? again : below;
      const int reflects = (below != 0) | (imag_of(alpha) != 0);
      const REAL size = -copysign(sqrt(square_add(alpha, below)), real_of(alpha));
      const REAL beta = reflects ? size : real_of(alpha);
      const NUM tau = (of_real(beta) - alpha) / (reflects ? size : (REAL)1);
      const NUM factor = divide(of_real(1), alpha - of_real(size)); // of no use where nothing reflects
      SYNC
      if (reflects)
        for (int i = k + 1 + lane; i < rows; i += TEAM) {
          const NUM x = GET(a, i * ld + k);
          PUT(a, i * ld + k, mul(own ? scaled(x, -own) : x, factor));
        }
      if (lane == 0 && here) {
        PUT(a, k * ld + k, of_real(own ? ldexp(beta, own) : beta));
        tau_of[k] = tau;
      }
      SYNC
      if (reflects)
        for (int j = k + 1 + lane; j < columns; j += TEAM) REFLECT(a, GET, PUT, ld, j, conj_of(tau))
      SYNC
    }
    for (int i = 0; i < (here ? kept : 0); i++)
      for (int j = lane; j < n; j += TEAM)
        GLOBAL_PUT(r, i * n + j, j >= i ? scaled(GET(a, i * ld + j), power) : of_real(0));
    // Q: the identity, reflected by the last reflection first; a thread's columns are its own
#if WANTS
    __local NUM *made_q = q_cells + team * CELLS;
#define Q_GET GET
#define Q_PUT PUT
    const int ldq = ld;
#else
    __global REAL *made_q = q;
#define Q_GET GLOBAL_GET
#define Q_PUT GLOBAL_PUT
    const int ldq = made;
#endif
    for (int j = lane; j < (here ? made : 0); j += TEAM) {
      for (int i = 0; i < m; i++) Q_PUT(made_q, i * ldq + j, of_real(i == j));
      for (int k = min(steps - 1, j); k >= 0; k--) {
        const NUM tau = tau_of[k];
        if (!is_zero(tau)) REFLECT(made_q, Q_GET, Q_PUT, ldq, j, tau)
      }
#if WANTS
      for (int i = 0; i < m; i++) GLOBAL_PUT(q, i * made + j, made_q[i * ldq + j]);
#endif
    }
    SYNC
  }
}

// SPDX-License-Identifier: MIT
// Distributions by rejection (random/tries.clh). Needs the macros of random/stream.clh, and:
//   WEFT_DRAW    the distribution, one of the numbers of random/args.h from WEFT__DRAW_GAMMA on
//   WEFT_SPAN    words of an element: WEFT_OWN for each random number of which it is made
//   T, T_NARROW  an element, as in element.clh
//   WEFT_LONG    1: computed in double
//   WEFT_ITEM    elements that a work-item makes in order; 1 on GPUs, where draw.item says how many it makes, a block's
//                width apart
// lint: -DWEFT_DRAW=16 -DWEFT_SPAN=8 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_ITEM=1
// lint: -DWEFT_DRAW=16 -DWEFT_SPAN=8 -DWEFT_WIDE=1 -DWEFT_LONG=1 -DT=double -DWEFT_ITEM=64 -DWEFT_FP64=1
// lint: -DWEFT_DRAW=18 -DWEFT_SPAN=16 -DWEFT_WIDE=1 -DWEFT_LONG=0 -DT=ushort -DT_NARROW=f16 -DWEFT_ITEM=64
// lint: -DWEFT_DRAW=17 -DWEFT_SPAN=8 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=long -DWEFT_ITEM=1 -DWEFT_FP64=1
// lint: -DWEFT_DRAW=20 -DWEFT_SPAN=16 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_ITEM=1
// lint: -DWEFT_DRAW=21 -DWEFT_SPAN=8 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=double -DWEFT_ITEM=1 -DWEFT_FP64=1
// lint: -DWEFT_DRAW=22 -DWEFT_SPAN=8 -DWEFT_WIDE=0 -DWEFT_LONG=0 -DT=float -DWEFT_ITEM=64
// lint: -DWEFT_DRAW=24 -DWEFT_SPAN=16 -DWEFT_WIDE=0 -DWEFT_LONG=1 -DT=int -DWEFT_ITEM=1 -DWEFT_FP64=1
#include "random/args.h"
#include "element.clh"
#include "random/functions.clh"
#include "random/tries.clh"

#if WEFT_DRAW == WEFT__DRAW_POISSON || WEFT_DRAW == WEFT__DRAW_BINOMIAL || WEFT_DRAW == WEFT__DRAW_NEGATIVE_BINOMIAL
#include "random/counts.clh"
#endif
#if WEFT_DRAW != WEFT__DRAW_POISSON && WEFT_DRAW != WEFT__DRAW_BINOMIAL && WEFT_DRAW != WEFT__DRAW_VONMISES && \
    WEFT_DRAW != WEFT__DRAW_TRUNCATED
#include "random/gamma.clh"
// The gamma number of three parameters from parameter k on.
#define GAMMA(position, k) weft_gamma_of(&draw->stream, position, WEFT_P(k), WEFT_P((k) + 1), WEFT_P((k) + 2))
#endif

// Two normal numbers of an element's words, and another raw number.
#if WEFT_LONG
typedef ulong weft_raw;
#define NORMALS(word) weft_normal2_f64(weft_long_of(word[0], word[1]), weft_long_of(word[2], word[3]))
#define ANOTHER(word) weft_long_of(word[4], word[5])
typedef double2 weft_pair;
#else
typedef uint weft_raw;
#define NORMALS(word) weft_normal2_f32(word[0], word[1])
#define ANOTHER(word) word[2]
typedef float2 weft_pair;
#endif

// Elements of one random number have
//   weft_setup, weft_begin     what all elements share
//   weft_state                 the number
//   weft_try                   whether try k is accepted; sets *state, after a rejection to what the element is if no
//                              try is accepted
//   weft_finish                the element
#if WEFT_DRAW == WEFT__DRAW_GAMMA
#define WEFT_OF_ONE_GAMMA
WEFT__INLINE T weft_of_gamma(const __private weft__draw_args *draw, ulong position, weft_gamma_number g) {
  return T_STORE(WEFT_P(3) * (weft_exact_exp(-g.less) * g.value));
}

#elif WEFT_DRAW == WEFT__DRAW_BETA
#define WEFT_OF_TWO_GAMMAS
// a / (a + b) of two gamma numbers, by their quotient: both may be below all floats.
WEFT__INLINE T weft_of_gammas(const __private weft__draw_args *draw, weft_gamma_number a, weft_gamma_number b) {
  return T_STORE(1 / (1 + b.value / a.value * weft_exact_exp(a.less - b.less)));
}

#elif WEFT_DRAW == WEFT__DRAW_F
#define WEFT_OF_TWO_GAMMAS
WEFT__INLINE T weft_of_gammas(const __private weft__draw_args *draw, weft_gamma_number a, weft_gamma_number b) {
  return T_STORE(a.value / b.value * WEFT_P(6) * weft_exact_exp(b.less - a.less));
}

#elif WEFT_DRAW == WEFT__DRAW_STUDENT
#define WEFT_OF_ONE_GAMMA
// A normal number by the root of a chi-square per degree of freedom. Parameter 3: half of the degrees.
WEFT__INLINE T weft_student(const __private weft__draw_args *draw, weft_real normal, weft_gamma_number g) {
  return T_STORE(normal * sqrt(WEFT_P(3) / g.value) * weft_exact_exp(K(0.5) * g.less));
}
WEFT__INLINE T weft_of_gamma(const __private weft__draw_args *draw, ulong position, weft_gamma_number g) {
  uint word[WEFT_OWN];
  weft_own_words(word, &draw->stream, position + WEFT_OWN, 0);
  return weft_student(draw, NORMALS(word).x, g);
}

#elif WEFT_DRAW == WEFT__DRAW_VONMISES
// From a wrapped Cauchy distribution, whose angle's half has the tangent q * tan(h) for a uniform h: here the
// quotient of two normal numbers. Parameters: mean, q, and for the number tested kappa * (s - 1), 2 kappa. Method: D.
// Best, N. Fisher, "Efficient simulation of the von Mises distribution" (1979).
#define WEFT_OF_TRIES
typedef struct {
  weft_real x, y;
} weft_state; // twice the angle of this point is the number
typedef weft_real weft_setup;
static inline void weft_begin(__private weft_setup *setup, const __private weft__draw_args *draw) {
  *setup = 0;
}
WEFT__INLINE bool weft_try(__private weft_state *at, __private weft_setup *setup, const __private weft__draw_args *draw,
                            const __private uint *word, uint k) {
  const weft_pair pair = NORMALS(word);
  const weft_real y = WEFT_P(1) * pair.y, down = y * y, sine = down / (down + pair.x * pair.x); // squared
  const weft_real c = fma(WEFT_P(3), sine, WEFT_P(2));
  const bool is_accepted = !(-WEFT_F(weft_neglog)(ANOTHER(word)) > weft_exact_log(c) + (1 - c));
  at->x = is_accepted ? fabs(pair.x) : 1;
  at->y = is_accepted ? y : 0;
  return is_accepted;
}
WEFT__INLINE T weft_finish(const __private weft__draw_args *draw, ulong position, const __private weft_state *at) {
  const weft_real pi = K(3.14159265358979324);
  weft_real angle = 2 * copysign(weft_exact_angle(fabs(at->y), at->x), at->y) + WEFT_P(0);
  if (angle > pi) angle -= 2 * pi;
  if (angle < -pi) angle += 2 * pi;
  return T_STORE(fmax(-pi, fmin(angle, pi)));
}

#elif WEFT_DRAW == WEFT__DRAW_TRUNCATED
// Parameters: mean, deviation (negative: the bounds are mirrored), the bounds a < b in deviations, the place of the
// greatest density or the exponential's rate, the caller's bounds. `low` is the method. Method: C. Robert, "Simulation
// of truncated normal variables" (1995).
#define WEFT_OF_TRIES
typedef weft_real weft_state;
typedef weft_real weft_setup;
static inline void weft_begin(__private weft_setup *setup, const __private weft__draw_args *draw) {
  *setup = 0;
}
WEFT__INLINE bool weft_try(__private weft_state *x, __private weft_setup *setup, const __private weft__draw_args *draw,
                            const __private uint *word, uint k) {
  const weft_real a = WEFT_P(2), b = WEFT_P(3), c = WEFT_P(4);
  weft_real next, less = 0;
  if (draw->low == WEFT__TRUNCATED_PLAIN) {
    next = NORMALS(word).x;
  } else {
#if WEFT_LONG
    const ulong first = weft_long_of(word[0], word[1]);
    const double unit = (double)(long)(first >> 11) * 0x1p-53;
#else
    const uint first = word[0];
    const float unit = weft_uniform_f32(first);
#endif
    if (draw->low == WEFT__TRUNCATED_UNIFORM) {
      next = fma(b - a, unit, a);
      less = K(0.5) * (next - c) * (next + c);
    } else {
      next = a + WEFT_F(weft_neglog)(first) / c;
      less = K(0.5) * (next - c) * (next - c);
    }
  }
  const bool is_in = next >= a && next <= b && (less == 0 || WEFT_F(weft_neglog)(ANOTHER(word)) >= less);
  *x = is_in ? next : a;
  return is_in;
}
WEFT__INLINE T weft_finish(const __private weft__draw_args *draw, ulong position, const __private weft_state *x) {
  return T_STORE(fmax(WEFT_P(5), fmin(fma(WEFT_P(1), *x, WEFT_P(0)), WEFT_P(6))));
}

#elif WEFT_DRAW == WEFT__DRAW_POISSON
#define WEFT_OF_TRIES
typedef double weft_state;
typedef weft_poisson weft_setup;
static inline void weft_begin(__private weft_setup *setup, const __private weft__draw_args *draw) {
  *setup = weft_poisson_begin(WEFT_P(0));
  weft_poisson_logs(setup);
}
WEFT__INLINE bool weft_try(__private weft_state *k, __private weft_setup *setup, const __private weft__draw_args *draw,
                            const __private uint *word, uint t) {
  return weft_poisson_try(k, setup, word);
}
WEFT__INLINE T weft_finish(const __private weft__draw_args *draw, ulong position, const __private weft_state *k) {
  return (T)(long)*k;
}

#elif WEFT_DRAW == WEFT__DRAW_BINOMIAL
#define WEFT_OF_TRIES
typedef double weft_state;
typedef weft_binomial weft_setup;
static inline void weft_begin(__private weft_setup *setup, const __private weft__draw_args *draw) {
  *setup = weft_binomial_begin(WEFT_P(0), WEFT_P(1));
  weft_binomial_logs(setup);
}
WEFT__INLINE bool weft_try(__private weft_state *k, __private weft_setup *setup, const __private weft__draw_args *draw,
                            const __private uint *word, uint t) {
  return weft_binomial_try(k, setup, word);
}
WEFT__INLINE T weft_finish(const __private weft__draw_args *draw, ulong position, const __private weft_state *k) {
  return (T)(draw->low + draw->size * (ulong)*k);
}

#elif WEFT_DRAW == WEFT__DRAW_NEGATIVE_BINOMIAL
#define WEFT_OF_ONE_GAMMA
// Poisson numbers whose mean is a gamma number.
WEFT__INLINE double weft_mean_of(const __private weft__draw_args *draw, weft_gamma_number g) {
  return fmin(WEFT_P(3) * (weft_exact_exp(-g.less) * g.value), WEFT_P(4));
}
WEFT__INLINE T weft_of_gamma(const __private weft__draw_args *draw, ulong position, weft_gamma_number g) {
  return (T)(long)weft_poisson_of(&draw->stream, position + WEFT_OWN, weft_mean_of(draw, g));
}
#endif

#ifdef WEFT_OF_ONE_GAMMA
#define WEFT_OF_TRIES
typedef weft_gamma_number weft_state;
typedef weft_real weft_setup;
static inline void weft_begin(__private weft_setup *setup, const __private weft__draw_args *draw) {
  *setup = 0;
}
WEFT__INLINE bool weft_try(__private weft_state *g, __private weft_setup *setup, const __private weft__draw_args *draw,
                            const __private uint *word, uint k) {
  return weft_gamma_next(g, word, k, WEFT_P(0), WEFT_P(1), WEFT_P(2));
}
WEFT__INLINE T weft_finish(const __private weft__draw_args *draw, ulong position, const __private weft_state *g) {
  return weft_of_gamma(draw, position, *g);
}
#endif

#ifdef WEFT_OF_TRIES
static inline T weft_value(__private weft_setup *setup, const __private weft__draw_args *draw, ulong position) {
  weft_state state;
  for (uint k = 0; k < WEFT_TRIES; k++) {
    uint word[WEFT_OWN];
    weft_own_words(word, &draw->stream, position, k);
    if (weft_try(&state, setup, draw, word, k)) break;
  }
  return weft_finish(draw, position, &state);
}
#else
typedef weft_real weft_setup;
static inline void weft_begin(__private weft_setup *setup, const __private weft__draw_args *draw) {
  *setup = 0;
}
static inline T weft_value(__private weft_setup *setup, const __private weft__draw_args *draw, ulong position) {
  return weft_of_gammas(draw, GAMMA(position, 0), GAMMA(position + WEFT_OWN, 3));
}
#endif

// Loops of CPUs are vectorized, but not where the method is chosen in them, as truncated normal numbers do.
#if WEFT_ITEM > 1 && WEFT_DRAW != WEFT__DRAW_TRUNCATED
#define HAS_STEPS 1
#if defined(WEFT_OF_TRIES) && (!defined(WEFT_OF_ONE_GAMMA) || WEFT_DRAW == WEFT__DRAW_NEGATIVE_BINOMIAL)
#if WEFT_DRAW == WEFT__DRAW_NEGATIVE_BINOMIAL
typedef double weft_made;
#define TAKES 4
WEFT__INLINE bool weft_try_of(__private double *k, double mean, const __private weft_setup *setup,
                               const __private weft__draw_args *draw, const __private uint *word, uint t) {
  weft_poisson s = weft_poisson_begin(mean);
  return weft_poisson_try(k, &s, word);
}
#else
typedef weft_state weft_made;
#define TAKES (WEFT_LONG && WEFT_DRAW == WEFT__DRAW_VONMISES ? 8 : 4)
WEFT__INLINE bool weft_try_of(__private weft_state *state, double mean, const __private weft_setup *setup,
                               const __private weft__draw_args *draw, const __private uint *word, uint k) {
  weft_setup own = *setup;
  return weft_try(state, &own, draw, word, k);
}
#endif

// Makes `count` numbers of STEP by tries in vectors: those at `place`. Elements that need a further try move to the
// first lanes. `mean` is of negative binomial numbers alone.
static inline void weft_make(__private weft_made *to, const __private weft_setup *setup,
                             const __private weft__draw_args *draw, const __private ulong *position,
                             const __private double *mean, __private uint *place, uint count) {
  ulong at[STEP] __attribute__((aligned(128)));
  double own[STEP];
  weft_made made[STEP];
  int is_accepted[STEP];
  for (uint j = 0; j < STEP; j++) at[j] = position[0], own[j] = 10; // lanes without an element try too
  for (uint k = 0; k < WEFT_TRIES && count > 0; k++) {
    const uint lanes = (count + 15) / 16 * 16;
    weft_lanes words;
    uint left = 0;
    for (uint j = 0; j < count; j++) at[j] = position[place[j]];
#if WEFT_DRAW == WEFT__DRAW_NEGATIVE_BINOMIAL
    for (uint j = 0; j < count; j++) own[j] = mean[place[j]];
#endif
    weft_fill_lanes(&words, &draw->stream, at, lanes, k, TAKES);
    VECTORS
    for (uint j = 0; j < lanes; j++) {
      uint word[WEFT_OWN];
#pragma unroll
      for (uint i = 0; i < TAKES; i++) word[i] = WEFT_LANE(words, i, j);
      is_accepted[j] = weft_try_of(&made[j], own[j], setup, draw, word, k);
    }
    for (uint j = 0; j < count; j++) {
      to[place[j]] = made[j];
      place[left] = place[j];
      left += !is_accepted[j];
    }
    count = left;
  }
}
#endif

#if WEFT_DRAW == WEFT__DRAW_NEGATIVE_BINOMIAL
// Poisson numbers of these means.
static inline void weft_poissons_of(__private double *k, const __private double *mean,
                                    const __private weft__draw_args *draw, const __private ulong *position) {
  const weft_setup none = 0;
  double unit[STEP], term[STEP];
  uint place[STEP], many = 0;
  weft_lanes lanes;
  weft_fill_lanes(&lanes, &draw->stream, position, STEP, 0, 2);
  VECTORS
  for (uint j = 0; j < STEP; j++) {
    unit[j] = mean[j] < WEFT_FEW ? weft_unit_of(WEFT_LANE(lanes, 0, j), WEFT_LANE(lanes, 1, j)) : -1;
    term[j] = weft_exact_exp(-mean[j]);
  }
  weft_invert_lanes(k, unit, term, mean, 0);
  for (uint j = 0; j < STEP; j++) {
    place[many] = j;
    many += !(mean[j] < WEFT_FEW);
  }
  weft_make(k, &none, draw, position, mean, place, many);
}
#endif

// STEP elements, whose words begin at `first`.
static inline void weft_values(__private T *to, const __private weft_setup *setup,
                               const __private weft__draw_args *draw, ulong first) {
  ulong position[STEP] __attribute__((aligned(128)));
  for (uint j = 0; j < STEP; j++) position[j] = first + j * WEFT_SPAN;
#if defined(WEFT_OF_ONE_GAMMA) || defined(WEFT_OF_TWO_GAMMAS)
  weft_gammas a;
  weft_gammas_of(&a, &draw->stream, position, WEFT_P(0), WEFT_P(1), WEFT_P(2));
#if WEFT_SPAN > WEFT_OWN
  for (uint j = 0; j < STEP; j++) position[j] += WEFT_OWN;
#endif
#if defined(WEFT_OF_TWO_GAMMAS)
  weft_gammas b;
  weft_gammas_of(&b, &draw->stream, position, WEFT_P(3), WEFT_P(4), WEFT_P(5));
#elif WEFT_DRAW == WEFT__DRAW_STUDENT
  weft_lanes lanes;
  weft_fill_lanes(&lanes, &draw->stream, position, STEP, 0, 4);
#elif WEFT_DRAW == WEFT__DRAW_NEGATIVE_BINOMIAL
  double mean[STEP], k[STEP];
  VECTORS
  for (uint j = 0; j < STEP; j++) {
    const weft_gamma_number g = {a.value[j], a.less[j]};
    mean[j] = weft_mean_of(draw, g);
  }
  weft_poissons_of(k, mean, draw, position);
#endif
  VECTORS
  for (uint j = 0; j < STEP; j++) {
    const weft_gamma_number one = {a.value[j], a.less[j]};
#if defined(WEFT_OF_TWO_GAMMAS)
    const weft_gamma_number other = {b.value[j], b.less[j]};
    to[j] = weft_of_gammas(draw, one, other);
#elif WEFT_DRAW == WEFT__DRAW_STUDENT
    uint word[4];
#pragma unroll
    for (uint i = 0; i < 4; i++) word[i] = WEFT_LANE(lanes, i, j);
    to[j] = weft_student(draw, NORMALS(word).x, one);
#elif WEFT_DRAW == WEFT__DRAW_NEGATIVE_BINOMIAL
    to[j] = (T)(long)k[j];
#else
    to[j] = weft_of_gamma(draw, 0, one);
#endif
  }
#else
  weft_made made[STEP];
  uint place[STEP];
  for (uint j = 0; j < STEP; j++) place[j] = j;
  weft_make(made, setup, draw, position, 0, place, STEP);
  VECTORS
  for (uint j = 0; j < STEP; j++) to[j] = weft_finish(draw, 0, &made[j]);
#endif
}
#endif

__kernel void weft_draw_by_rejection(const weft__draw_args draw, __global uchar *restrict out) {
  __global T *to = (__global T *)(out + draw.offset);
  weft_setup setup;
  weft_begin(&setup, &draw);
#if WEFT_ITEM == 1
  const ulong step = get_local_size(0), begin = get_group_id(0) * step * draw.item;
  const ulong end = min(begin + step * draw.item, (ulong)draw.n);
  ulong i = begin + get_local_id(0);
#ifdef WEFT_OF_TRIES
  // A thread goes on to its next element while its neighbours try again for theirs: together they make as many tries as
  // the slowest of them, not the slowest for each element.
  weft_state state;
  for (uint k = 0; i < end;) {
    const ulong position = draw.base + i * WEFT_SPAN;
    uint word[WEFT_OWN];
    weft_own_words(word, &draw.stream, position, k);
    if (weft_try(&state, &setup, &draw, word, k++) || k == WEFT_TRIES) {
      to[i] = weft_finish(&draw, position, &state);
      i += step;
      k = 0;
    }
  }
#else
  for (; i < end; i += step) to[i] = weft_value(&setup, &draw, draw.base + i * WEFT_SPAN);
#endif
#else
  ulong i = ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)) * WEFT_ITEM;
  const ulong end = min(i + WEFT_ITEM, (ulong)draw.n);
#ifdef HAS_STEPS
  for (; i + STEP <= end; i += STEP) {
    T step[STEP] __attribute__((aligned(128)));
    weft_values(step, &setup, &draw, draw.base + i * WEFT_SPAN);
    for (uint j = 0; j < STEP; j++) to[i + j] = step[j];
  }
#endif
  for (; i < end; i++) to[i] = weft_value(&setup, &draw, draw.base + i * WEFT_SPAN);
#endif
}

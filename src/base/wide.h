// SPDX-License-Identifier: MIT
/// Loops compiled several times on x86-64: for every processor, for those with AVX2, whose vectors are twice as wide
/// and round to integers, and for those with AVX-512 (WEFT__EACH). Only the loops of WEFT__EACH_FUSED have fused
/// multiplications, and are for processors that have them (WEFT__HAS_FUSED). The loops of WEFT__EACH_STORING, which
/// store about as much as they load, have AVX-512 in vectors of 32 bytes: vectors of 64 lower the clock of a Xeon by a
/// tenth, and gain nothing from the second-level cache. floor of 10^5 floats: 7.7 us, in vectors of 64 bytes 8.3.
///
///     #define LOOP(TARGET, NAME, T) TARGET static void NAME(T *x, size_t n) { ... }
///     WEFT__BOTH(LOOP, doubled, float)                           WEFT__EACH(LOOP, doubled, float)
///     static loop *const of_float[2] = WEFT__PAIR(doubled);      ... of_float[3] = WEFT__ALL(doubled);
///     of_float[WEFT__IS_WIDE](x, n);                             of_float[WEFT__WIDTH](x, n);
///
/// base/each_width.h does this with loops in a header of their own.
#ifndef WEFT_BASE_WIDE_H
#define WEFT_BASE_WIDE_H

#include <stdatomic.h>

/// The greatest WEFT__WIDTH: less than 2 only by a quirk (core/quirks.h), to test what other processors run.
extern atomic_int weft__most_width;

#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT__WIDE_TARGET __attribute__((target("avx2")))
#define WEFT__BOTH(LOOP, name, ...) LOOP(, name, __VA_ARGS__) LOOP(WEFT__WIDE_TARGET, name##_wide, __VA_ARGS__)
#define WEFT__PAIR(name) \
  { name, name##_wide }
/* of WEFT__BOTH, for WEFT__WIDTH too */
#define WEFT__ALL_OF_PAIR(name) \
  { name, name##_wide, name##_wide }
#define WEFT__HAS_WIDTH(width) (atomic_load_explicit(&weft__most_width, memory_order_relaxed) >= (width))
#define WEFT__IS_WIDE (WEFT__HAS_WIDTH(1) && __builtin_cpu_supports("avx2"))
#if defined(__clang__) /* which does not know the width to prefer */
#define WEFT__WIDEST_TARGET __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,prfchw")))
#define WEFT__STORING_TARGET WEFT__WIDEST_TARGET
#else
#define WEFT__WIDEST_TARGET \
  __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,prfchw,prefer-vector-width=512")))
#define WEFT__STORING_TARGET \
  __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,prfchw,prefer-vector-width=256")))
#endif
#define WEFT__EACH(LOOP, name, ...)   \
  WEFT__BOTH(LOOP, name, __VA_ARGS__) \
  LOOP(WEFT__WIDEST_TARGET, name##_widest, __VA_ARGS__)
#define WEFT__EACH_STORING(LOOP, name, ...) \
  WEFT__BOTH(LOOP, name, __VA_ARGS__)       \
  LOOP(WEFT__STORING_TARGET, name##_widest, __VA_ARGS__)
#define WEFT__ALL(name) \
  { name, name##_wide, name##_widest }
#define WEFT__WIDTH                                                                                  \
  (WEFT__HAS_WIDTH(2) && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && \
           __builtin_cpu_supports("avx512vl")                                                        \
       ? 2                                                                                           \
       : WEFT__IS_WIDE)
#define WEFT__FUSED(features) __attribute__((target("fma," features)))
#if defined(__clang__)
#define WEFT__WIDEST_FUSED_TARGET WEFT__FUSED("avx2,avx512f,avx512bw,avx512dq,avx512vl,prfchw")
#else
#define WEFT__WIDEST_FUSED_TARGET WEFT__FUSED("avx2,avx512f,avx512bw,avx512dq,avx512vl,prfchw,prefer-vector-width=512")
#endif
#define WEFT__EACH_FUSED(LOOP, name, ...)             \
  LOOP(WEFT__FUSED("avx2"), name##_wide, __VA_ARGS__) \
  LOOP(WEFT__WIDEST_FUSED_TARGET, name##_widest, __VA_ARGS__)
#define WEFT__ALL_FUSED(name) \
  { NULL, name##_wide, name##_widest }
#define WEFT__HAS_FUSED (WEFT__HAS_WIDTH(1) && __builtin_cpu_supports("fma"))
#else
#define WEFT__BOTH(LOOP, name, ...) LOOP(, name, __VA_ARGS__)
#define WEFT__PAIR(name) \
  { name, name }
#define WEFT__ALL_OF_PAIR WEFT__ALL
#define WEFT__IS_WIDE 0
#define WEFT__EACH WEFT__BOTH
#define WEFT__EACH_STORING WEFT__BOTH
#define WEFT__ALL(name) \
  { name, name, name }
#define WEFT__WIDTH 0
#ifdef __FP_FAST_FMA
#define WEFT__EACH_FUSED WEFT__BOTH
#define WEFT__ALL_FUSED WEFT__ALL
#define WEFT__HAS_FUSED 1
#else
#define WEFT__EACH_FUSED(LOOP, name, ...)
#define WEFT__ALL_FUSED(name) \
  { NULL, NULL, NULL }
#define WEFT__HAS_FUSED 0
#endif
#endif

/* For loops that only processors with AVX-512 run (WEFT__WIDTH is 2), and that every compiler builds. */
#ifdef WEFT__WIDEST_TARGET
#define WEFT__WIDEST WEFT__WIDEST_TARGET
#else
#define WEFT__WIDEST
#endif

/* Before a loop whose arrays do not overlap, as compilers cannot see. */
#if defined(__clang__)
#define WEFT__NO_OVERLAP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define WEFT__NO_OVERLAP _Pragma("GCC ivdep")
#else
#define WEFT__NO_OVERLAP
#endif

/* A function that begins on a line of the code's cache: a short loop that crosses one takes up to twice as long. */
#ifdef __GNUC__
#define WEFT__ON_A_LINE __attribute__((aligned(64)))
#else
#define WEFT__ON_A_LINE
#endif

#endif

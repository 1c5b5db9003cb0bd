// SPDX-License-Identifier: MIT
/// Loops compiled several times on x86-64: for every processor, for those with AVX2, whose vectors are twice as wide
/// and round to integers, and for those with AVX-512 (WEFT__EACH). There are no fused multiplications in any.
///
///     #define LOOP(TARGET, NAME, T) TARGET static void NAME(T *x, size_t n) { ... }
///     WEFT__BOTH(LOOP, doubled, float)                           WEFT__EACH(LOOP, doubled, float)
///     static loop *const of_float[2] = WEFT__PAIR(doubled);      ... of_float[3] = WEFT__ALL(doubled);
///     of_float[WEFT__IS_WIDE](x, n);                             of_float[WEFT__WIDTH](x, n);
#ifndef WEFT_BASE_WIDE_H
#define WEFT_BASE_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT__WIDE_TARGET __attribute__((target("avx2")))
#define WEFT__BOTH(LOOP, name, ...) LOOP(, name, __VA_ARGS__) LOOP(WEFT__WIDE_TARGET, name##_wide, __VA_ARGS__)
#define WEFT__PAIR(name) \
  { name, name##_wide }
#define WEFT__IS_WIDE (__builtin_cpu_supports("avx2") != 0)
#if defined(__clang__) /* which does not know the width to prefer */
#define WEFT__WIDEST_TARGET __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define WEFT__WIDEST_TARGET __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#define WEFT__EACH(LOOP, name, ...)   \
  WEFT__BOTH(LOOP, name, __VA_ARGS__) \
  LOOP(WEFT__WIDEST_TARGET, name##_widest, __VA_ARGS__)
#define WEFT__ALL(name) \
  { name, name##_wide, name##_widest }
#define WEFT__WIDTH                                                                                               \
  (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") \
       ? 2                                                                                                        \
       : WEFT__IS_WIDE)
#else
#define WEFT__BOTH(LOOP, name, ...) LOOP(, name, __VA_ARGS__)
#define WEFT__PAIR(name) \
  { name, name }
#define WEFT__IS_WIDE 0
#define WEFT__EACH WEFT__BOTH
#define WEFT__ALL(name) \
  { name, name, name }
#define WEFT__WIDTH 0
#endif

#endif

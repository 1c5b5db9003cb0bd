// SPDX-License-Identifier: MIT
/// Loops compiled twice on x86-64: for every processor, and for those with AVX2, whose vectors are twice as wide and
/// round to integers. There are no fused multiplications in either.
///
///     #define LOOP(TARGET, NAME, T) TARGET static void NAME(T *x, size_t n) { ... }
///     WEFT__BOTH(LOOP, doubled, float)
///     static loop *const of_float[2] = WEFT__PAIR(doubled);
///     of_float[WEFT__IS_WIDE](x, n);
#ifndef WEFT_BASE_WIDE_H
#define WEFT_BASE_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__)
#define WEFT__WIDE_TARGET __attribute__((target("avx2")))
#define WEFT__BOTH(LOOP, name, ...) LOOP(, name, __VA_ARGS__) LOOP(WEFT__WIDE_TARGET, name##_wide, __VA_ARGS__)
#define WEFT__PAIR(name) \
  { name, name##_wide }
#define WEFT__IS_WIDE (__builtin_cpu_supports("avx2") != 0)
#else
#define WEFT__BOTH(LOOP, name, ...) LOOP(, name, __VA_ARGS__)
#define WEFT__PAIR(name) \
  { name, name }
#define WEFT__IS_WIDE 0
#endif

#endif

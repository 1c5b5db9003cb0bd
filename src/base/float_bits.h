// SPDX-License-Identifier: MIT
/// Floats as their bits, for loops that compilers make vector code of.
#ifndef WEFT_BASE_FLOAT_BITS_H
#define WEFT_BASE_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t weft__bits_of_f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float weft__f32_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline uint64_t weft__bits_of_f64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline double weft__f64_of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
/// The value of an f16. A product moves the exponent, and makes subnormal numbers normal.
static inline float weft__f32_of_f16(uint16_t x) {
  const uint32_t sign = (uint32_t)(x & 0x8000) << 16, fraction = (uint32_t)(x & 0x7fff) << 13;
  const float finite = weft__f32_of_bits(fraction) * 0x1p112f;
  return weft__f32_of_bits(sign | (fraction >= 0x7c00u << 13 ? fraction | 0x7f800000u : weft__bits_of_f32(finite)));
}
/// The nearest f16, ties to even.
static inline uint16_t weft__f16_of_f32(float x) {
  const uint32_t bits = weft__bits_of_f32(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (size >> 13 & 0x3ff));
  if (size >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
  if (size < 0x38800000)
    return (uint16_t)(sign | (weft__bits_of_f32(weft__f32_of_bits(size) + 0.5f) - weft__bits_of_f32(0.5f)));
  return (uint16_t)(sign | (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13);
}
/// The nearest bf16, ties to even.
static inline uint16_t weft__bf16_of_f32(float x) {
  const uint32_t bits = weft__bits_of_f32(x);
  return (uint16_t)(x != x ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif

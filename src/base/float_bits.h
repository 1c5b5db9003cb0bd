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

#endif

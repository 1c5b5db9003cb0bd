// SPDX-License-Identifier: MIT
#include "numpy_random.h"

#include <math.h>

enum { LENGTH = 624, SHIFT = 397 };

void numpy_seed(numpy_random *random, uint32_t seed) {
  for (int i = 0; i < LENGTH; i++) {
    random->key[i] = seed;
    seed = 1812433253u * (seed ^ (seed >> 30)) + (uint32_t)i + 1;
  }
  random->position = LENGTH;
  random->has_normal = false;
  random->normal = 0;
}

static void next_block(uint32_t key[LENGTH]) {
  for (int i = 0; i < LENGTH; i++) {
    uint32_t y = (key[i] & 0x80000000u) | (key[(i + 1) % LENGTH] & 0x7fffffffu);
    key[i] = key[(i + SHIFT) % LENGTH] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0);
  }
}

static uint32_t next_word(numpy_random *random) {
  if (random->position == LENGTH) {
    next_block(random->key);
    random->position = 0;
  }
  uint32_t y = random->key[random->position++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double numpy_rand(numpy_random *random) {
  uint32_t high = next_word(random) >> 5, low = next_word(random) >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;  // 53 bits
}

double numpy_randn(numpy_random *random) {
  double x1, x2, r2, f;
  if (random->has_normal) {
    random->has_normal = false;
    return random->normal;
  }
  do {
    x1 = 2.0 * numpy_rand(random) - 1.0;
    x2 = 2.0 * numpy_rand(random) - 1.0;
    r2 = x1 * x1 + x2 * x2;
  } while (r2 >= 1.0 || r2 == 0.0);
  f = sqrt(-2.0 * log(r2) / r2);
  random->normal = f * x1;
  random->has_normal = true;
  return f * x2;
}

void numpy_rand_f32(numpy_random *random, float *out, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = (float)numpy_rand(random);
}

void numpy_randn_f32(numpy_random *random, float *out, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = (float)numpy_randn(random);
}

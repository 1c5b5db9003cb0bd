// SPDX-License-Identifier: MIT
// The numbers of NumPy's legacy generator, bit for bit: after np.random.seed(s), the results of np.random.rand and
// np.random.randn. Method: MT19937 (Matsumoto and Nishimura 1998), seeded with its 2002 init_genrand; normals by
// Marsaglia's polar method.
#ifndef NUMPY_RANDOM_H
#define NUMPY_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct numpy_random {
  uint32_t key[624];
  int position;
  bool has_normal;  // the polar method makes two normals at a time
  double normal;
} numpy_random;

// np.random.seed(seed)
void numpy_seed(numpy_random *random, uint32_t seed);
// np.random.rand(): uniform in [0, 1), a multiple of 2^-53
double numpy_rand(numpy_random *random);
// np.random.randn(): normal with mean 0 and variance 1
double numpy_randn(numpy_random *random);

// np.random.rand(count).astype(np.float32) and np.random.randn(count).astype(np.float32)
void numpy_rand_f32(numpy_random *random, float *out, size_t count);
void numpy_randn_f32(numpy_random *random, float *out, size_t count);

#endif

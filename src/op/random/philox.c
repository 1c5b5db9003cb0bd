// SPDX-License-Identifier: MIT
#include "op/random/philox.h"

/* ---- Philox: J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (2011) ---- */

#define ROUNDS 10

void weft__philox4x32_rounds(uint32_t rounds[20], const uint32_t key[2]) {
  for (uint32_t r = 0; r < ROUNDS; r++) {
    rounds[2 * r] = key[0] + r * UINT32_C(0x9E3779B9);
    rounds[2 * r + 1] = key[1] + r * UINT32_C(0xBB67AE85);
  }
}

void weft__philox4x64_rounds(uint64_t rounds[20], const uint64_t key[2]) {
  for (uint64_t r = 0; r < ROUNDS; r++) {
    rounds[2 * r] = key[0] + r * UINT64_C(0x9E3779B97F4A7C15);
    rounds[2 * r + 1] = key[1] + r * UINT64_C(0xBB67AE8584CAA73B);
  }
}

void weft__philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]) {
  uint32_t rounds[20], c[4] = {counter[0], counter[1], counter[2], counter[3]};
  weft__philox4x32_rounds(rounds, key);
  for (int r = 0; r < ROUNDS; r++) {
    uint64_t p = UINT64_C(0xD2511F53) * c[0], q = UINT64_C(0xCD9E8D57) * c[2];
    c[0] = (uint32_t)(q >> 32) ^ c[1] ^ rounds[2 * r];
    c[1] = (uint32_t)q;
    c[2] = (uint32_t)(p >> 32) ^ c[3] ^ rounds[2 * r + 1];
    c[3] = (uint32_t)p;
  }
  for (int k = 0; k < 4; k++) out[k] = c[k];
}

void weft__philox4x64(uint64_t out[4], const uint64_t counter[4], const uint64_t key[2]) {
  __extension__ typedef unsigned __int128 wide;
  uint64_t rounds[20], c[4] = {counter[0], counter[1], counter[2], counter[3]};
  weft__philox4x64_rounds(rounds, key);
  for (int r = 0; r < ROUNDS; r++) {
    wide p = (wide)UINT64_C(0xD2E7470EE14C6C93) * c[0], q = (wide)UINT64_C(0xCA5A826395121157) * c[2];
    c[0] = (uint64_t)(q >> 64) ^ c[1] ^ rounds[2 * r];
    c[1] = (uint64_t)q;
    c[2] = (uint64_t)(p >> 64) ^ c[3] ^ rounds[2 * r + 1];
    c[3] = (uint64_t)p;
  }
  for (int k = 0; k < 4; k++) out[k] = c[k];
}

/* ---- SeedSequence, as NumPy documents it, after M. O'Neill's "Simple portable C++ seed entropy" (2015). The seed's
   words, padded with zeros, are hashed into a pool of four words; each of these is mixed into every other. The state is
   hashed from the pool. ---- */

#define POOL 4

static uint32_t hash_in(uint32_t value, uint32_t *constant) {
  value ^= *constant;
  *constant *= UINT32_C(0x931e8875);
  value *= *constant;
  return value ^ value >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y) {
  uint32_t mixed = UINT32_C(0xca01f9dd) * x - UINT32_C(0x4973f715) * y;
  return mixed ^ mixed >> 16;
}

void weft__seed_sequence(uint32_t *state, int count, uint64_t seed) {
  uint32_t pool[POOL] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t constant = UINT32_C(0x43b0d7e5);
  for (int k = 0; k < POOL; k++) pool[k] = hash_in(pool[k], &constant);
  for (int from = 0; from < POOL; from++)
    for (int to = 0; to < POOL; to++)
      if (from != to) pool[to] = mix(pool[to], hash_in(pool[from], &constant));
  constant = UINT32_C(0x8b51f9dd);
  for (int k = 0; k < count; k++) {
    uint32_t value = pool[k % POOL] ^ constant;
    constant *= UINT32_C(0x58f38ded);
    value *= constant;
    state[k] = value ^ value >> 16;
  }
}

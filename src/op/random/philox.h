// SPDX-License-Identifier: MIT
/// Philox on the host (keys, single words, round keys), and NumPy's derivation of a key from a seed.
#ifndef WEFT_OP_RANDOM_PHILOX_H
#define WEFT_OP_RANDOM_PHILOX_H

#include <weft/api.h>

void weft__philox4x32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);
void weft__philox4x64(uint64_t out[4], const uint64_t counter[4], const uint64_t key[2]);
/// The keys of the ten rounds, two words each.
void weft__philox4x32_rounds(uint32_t rounds[20], const uint32_t key[2]);
void weft__philox4x64_rounds(uint64_t rounds[20], const uint64_t key[2]);

/// numpy.random.SeedSequence(seed).generate_state(count, numpy.uint32).
void weft__seed_sequence(uint32_t *state, int count, uint64_t seed);

#endif

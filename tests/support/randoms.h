// SPDX-License-Identifier: MIT
/// Random streams in plain C: an independent version of weft/random.h.
#ifndef WEFT_TESTS_RANDOMS_H
#define WEFT_TESTS_RANDOMS_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/weft.h>

/// A stream and a position in it, as in weft_rng_state.
typedef struct random_model {
  weft_generator generator;
  uint64_t key[2], jumps, position;
  int spare; /* the half of a pair that is left, as its element's words: 1 or 2; 0: no half is left */
  bool has_kept;
  uint32_t kept;
} random_model;

random_model random_model_of(const weft_rng_state *state);
/// Whether a generator has the model's state.
bool random_model_is(const random_model *model, const weft_rng *rng);

/// One block of Philox.
void random_philox32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);
void random_philox64(uint64_t out[4], const uint64_t counter[4], const uint64_t key[2]);

/// Word `position` of the stream; the first words of try 1, 2, ... of an element that begins there.
uint32_t random_word(const random_model *model, uint64_t position);
void random_again(uint32_t word[2], const random_model *model, uint64_t position, uint32_t number);

/// Draws the next element of one word, or of two words, with its position; below, elements of pairs.
uint32_t random_next_word(random_model *model, uint64_t *position);
uint64_t random_next_long(random_model *model, uint64_t *position);
float random_next_normal_f32(random_model *model, float mean, float deviation);
double random_next_normal_f64(random_model *model, double mean, double deviation);
/// Notes a draw other than of normals.
void random_no_spare(random_model *model);

/// The device's functions, bit-identical.
float random_neglog_f32(uint32_t word);
double random_neglog_f64(uint64_t word);
void random_normal2_f32(float pair[2], uint32_t first, uint32_t second, float mean, float deviation);
void random_normal2_f64(double pair[2], uint64_t first, uint64_t second, double mean, double deviation);

#endif

// SPDX-License-Identifier: MIT
#include "randoms.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

random_model random_model_of(const weft_rng_state *s) {
  random_model m = {.generator = (weft_generator)s->generator,
                    .key = {s->key[0], s->key[1]},
                    .jumps = s->jumps,
                    .position = s->position,
                    .spare = (int)s->spare,
                    .has_kept = s->has_kept != 0,
                    .kept = s->kept};
  return m;
}

bool random_model_is(const random_model *m, const weft_rng *rng) {
  weft_rng_state s;
  return weft_rng_get_state(&s, rng) == WEFT_OK && s.generator == (uint32_t)m->generator && s.key[0] == m->key[0] &&
         s.key[1] == m->key[1] && s.jumps == m->jumps && s.position == m->position && s.spare == (uint32_t)m->spare &&
         s.has_kept == m->has_kept && (!m->has_kept || s.kept == m->kept);
}

void random_philox32(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]) {
  uint32_t c[4], k[2] = {key[0], key[1]};
  memcpy(c, counter, sizeof c);
  for (int r = 0; r < 10; r++) {
    uint64_t p0 = (uint64_t)c[0] * 0xD2511F53u, p1 = (uint64_t)c[2] * 0xCD9E8D57u;
    uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ c[1] ^ k[0], (uint32_t)p1, (uint32_t)(p0 >> 32) ^ c[3] ^ k[1],
                        (uint32_t)p0};
    memcpy(c, next, sizeof c);
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  memcpy(out, c, sizeof c);
}

void random_philox64(uint64_t out[4], const uint64_t counter[4], const uint64_t key[2]) {
  uint64_t c[4], k[2] = {key[0], key[1]};
  memcpy(c, counter, sizeof c);
  for (int r = 0; r < 10; r++) {
    wide p0 = (wide)c[0] * 0xD2E7470EE14C6C93u, p1 = (wide)c[2] * 0xCA5A826395121157u;
    uint64_t next[4] = {(uint64_t)(p1 >> 64) ^ c[1] ^ k[0], (uint64_t)p1, (uint64_t)(p0 >> 64) ^ c[3] ^ k[1],
                        (uint64_t)p0};
    memcpy(c, next, sizeof c);
    k[0] += 0x9E3779B97F4A7C15u;
    k[1] += 0xBB67AE8584CAA73Bu;
  }
  memcpy(out, c, sizeof c);
}

static uint32_t block_word(const random_model *m, uint64_t low, uint32_t more, unsigned k) {
  if (m->generator == WEFT_PHILOX4X64) {
    uint64_t out[4], counter[4] = {low, 0, m->jumps, more};
    random_philox64(out, counter, m->key);
    return (uint32_t)(out[k / 2] >> (k % 2 * 32));
  }
  uint32_t out[4], counter[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)m->jumps, more};
  uint32_t key[2] = {(uint32_t)m->key[0], (uint32_t)(m->key[0] >> 32)};
  random_philox32(out, counter, key);
  return out[k];
}

uint32_t random_word(const random_model *m, uint64_t position) {
  if (m->generator == WEFT_PHILOX4X64) return block_word(m, position / 8 + 1, 0, position % 8);
  return block_word(m, position / 4, 0, position % 4);
}

void random_again(uint32_t word[2], const random_model *m, uint64_t position, uint32_t number) {
  for (unsigned k = 0; k < 2; k++) word[k] = block_word(m, position, number, k);
}

/* ---- draws ---- */

void random_no_spare(random_model *m) {
  m->spare = 0;
}

uint32_t random_next_word(random_model *m, uint64_t *position) {
  random_no_spare(m);
  if (m->has_kept) {
    m->has_kept = false;
    *position = m->position - 1;
    return m->kept;
  }
  *position = m->position++;
  return random_word(m, *position);
}

static void align(random_model *m, uint64_t words) {
  if (m->position % 2 != 0 && m->generator == WEFT_PHILOX4X64) {
    m->has_kept = true;
    m->kept = random_word(m, m->position);
  }
  m->position = (m->position + words - 1) / words * words;
}

static uint64_t long_at(const random_model *m, uint64_t position) {
  return (uint64_t)random_word(m, position + 1) << 32 | random_word(m, position);
}

uint64_t random_next_long(random_model *m, uint64_t *position) {
  random_no_spare(m);
  align(m, 2);
  *position = m->position;
  m->position += 2;
  return long_at(m, *position);
}

float random_next_normal_f32(random_model *m, float mean, float deviation) {
  float pair[2];
  const bool is_second = m->spare == 1;
  if (!is_second) {
    align(m, 2);
    m->position += 2;
  }
  m->spare = !is_second;
  random_normal2_f32(pair, random_word(m, m->position - 2), random_word(m, m->position - 1), mean, deviation);
  return pair[is_second];
}

double random_next_normal_f64(random_model *m, double mean, double deviation) {
  double pair[2];
  const bool is_second = m->spare == 2;
  if (!is_second) {
    align(m, 4);
    m->position += 4;
  }
  m->spare = is_second ? 0 : 2;
  random_normal2_f64(pair, long_at(m, m->position - 4), long_at(m, m->position - 2), mean, deviation);
  return pair[is_second];
}

/* ---- functions ---- */

static float f32_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static double f64_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static uint64_t long_bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

float random_neglog_f32(uint32_t word) {
  static const float c[] = {0x1.654490p-4f,  -0x1.263baap-3f, 0x1.3238f2p-3f,
                            -0x1.5332a2p-3f, 0x1.98b748p-3f,  -0x1.000570p-2f,
                            0x1.555792p-2f,  -0x1.fffff8p-2f, 1.0f};
  uint32_t bits = bits_of(fmaf((float)word, 0x1.fffffep-1f, 0.5f)), e = (bits - 0x3f3504f3u) & 0xff800000u;
  float t = f32_of(bits - e) - 1.0f, p = c[0];
  for (int k = 1; k < 9; k++) p = fmaf(p, t, c[k]);
  return -fmaf((float)((int32_t)e - (32 << 23)), 0x1.62e430p-24f, p * t);
}

double random_neglog_f64(uint64_t word) {
  static const double c[] = {0x1.0c039c49989c6p-3, 0x1.0fbe95d716020p-3, 0x1.3b1c355a8f7a2p-3, 0x1.745cf9048dd95p-3,
                             0x1.c71c720159177p-3, 0x1.2492492476cccp-2, 0x1.9999999999a38p-2, 0x1.5555555555555p-1};
  uint64_t bits = long_bits_of(fma((double)(word >> 11), 0x1.fffffffffffffp-1, 0.5));
  uint32_t e = ((uint32_t)(bits >> 32) - 0x3fe6a09eu) & 0xfff00000u;
  double t = f64_of(bits - ((uint64_t)e << 32)) - 1.0, s = t / (2.0 + t), z = s * s, p = c[0];
  for (int k = 1; k < 8; k++) p = fma(p, z, c[k]);
  return -fma((double)((int32_t)e - (53 << 20)), 0x1.62e42fefa39efp-21, fma(s, p * z, 2.0 * s));
}

void random_normal2_f32(float pair[2], uint32_t first, uint32_t second, float mean, float deviation) {
  static const float sine[] = {-0x1.2d9302p-8f, 0x1.465e92p-4f, -0x1.4abbbap-1f, 0x1.921fb6p+0f};
  static const float cosine[] = {0x1.d99f54p-11f, -0x1.55c4eap-6f, 0x1.03c1dap-2f, -0x1.3bd3ccp+0f, 1.0f};
  float radius = deviation * sqrtf(2 * random_neglog_f32(first)), x = (float)(int32_t)(second << 2) * 0x1p-32f,
        z = x * x;
  float s = sine[0], c = cosine[0];
  for (int k = 1; k < 4; k++) s = fmaf(s, z, sine[k]);
  for (int k = 1; k < 5; k++) c = fmaf(c, z, cosine[k]);
  if (second >> 31) radius = -radius;
  s *= x;
  pair[second >> 30 & 1] = fmaf(radius, c, mean);
  pair[!(second >> 30 & 1)] = fmaf(radius, s, mean);
}

void random_normal2_f64(double pair[2], uint64_t first, uint64_t second, double mean, double deviation) {
  static const double sine[] = {-0x1.6c5b875d4e739p-31, 0x1.e8eed12ee00a3p-25, -0x1.e3074b4ff3058p-19,
                                0x1.50783485cbd83p-13,  -0x1.32d2cce62ac22p-8, 0x1.466bc6775aad9p-4,
                                -0x1.4abbce625be53p-1,  0x1.921fb54442d18p+0};
  static const double cosine[] = {
      -0x1.b2f3eb054afcdp-28, 0x1.f9ce245cada0bp-22, -0x1.a6d1eef479be1p-16, 0x1.e1f5068688d5bp-11,
      -0x1.55d3c7e3cb241p-6,  0x1.03c1f081b5ac0p-2,  -0x1.3bd3cc9be45dep+0,  1.0};
  double radius = deviation * sqrt(2 * random_neglog_f64(first)), x = (double)(int64_t)(second << 2) * 0x1p-64,
         z = x * x;
  double s = sine[0], c = cosine[0];
  for (int k = 1; k < 8; k++) {
    s = fma(s, z, sine[k]);
    c = fma(c, z, cosine[k]);
  }
  if (second >> 63) radius = -radius;
  s *= x;
  pair[second >> 62 & 1] = fma(radius, c, mean);
  pair[!(second >> 62 & 1)] = fma(radius, s, mean);
}

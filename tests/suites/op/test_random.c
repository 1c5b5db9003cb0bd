// SPDX-License-Identifier: MIT
/// Generators and draws, bit-identical to published vectors, to NumPy, and to the model in plain C (randoms.h), over
/// random sizes, stream positions, views and parts.
#include <stdio.h>

#include "harness.h"
#include "randoms.h"

/* ---- published vectors, by the functions for user kernels ---- */

static const char known_source[] =
    "#include \"weft/prelude.clh\"\n"
    "#include \"weft/random.clh\"\n"
    "kernel void known(global uint *narrow, global ulong *wide, global float *normal) {\n"
    "  for (uint k = 0; k < 3; k++) {\n"
    "    global uint *n = narrow + 10 * k;\n"
    "    global ulong *w = wide + 10 * k;\n"
    "    vstore4(weft_philox4x32(vload4(0, n), (uint2)(n[4], n[5])), 0, n + 6);\n"
    "    vstore4(weft_philox4x64(vload4(0, w), (ulong2)(w[4], w[5])), 0, w + 6);\n"
    "  }\n"
    "  uint4 word = weft_random4(5, 12345);\n"
    "  float2 pair = weft_normal2_f32(word.x, word.y);\n"
    "  normal[0] = pair.x;\n"
    "  normal[1] = pair.y;\n"
    "  normal[2] = weft_uniform_f32(word.z);\n"
    "  normal[3] = weft_neglog_f32(word.w);\n"
    "}\n";

START_TEST(known_answers)
{
  /* Random123's vectors: counter, key, result */
  static const uint32_t narrow[3][10] = {{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                         {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                                          0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
                                          0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  static const uint64_t wide[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b},
      {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x87b092c3013fe90b, 0x438c3c67be8d0224,
       0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0},
      {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89, 0x452821e638d01377,
       0xbe5466cf34e90c6c, 0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}};
  uint32_t narrow_got[3][10];
  uint64_t wide_got[3][10];
  float normal[4], expected[2];
  weft_kernel *kernel = NULL;
  weft_array *n = NULL, *w = NULL, *f = NULL;
  memcpy(narrow_got, narrow, sizeof narrow);
  memcpy(wide_got, wide, sizeof wide);
  for (int k = 0; k < 3; k++) {
    memset(narrow_got[k] + 6, 0, 16);
    memset(wide_got[k] + 6, 0, 32);
  }
  ok(weft_kernel_create(&kernel, ctx, .source = known_source));
  ok(weft_from_host(&n, ctx, WEFT_U32, WEFT_SHAPE(30), narrow_got));
  ok(weft_from_host(&w, ctx, WEFT_U64, WEFT_SHAPE(30), wide_got));
  ok(weft_empty(&f, ctx, WEFT_F32, WEFT_SHAPE(4)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), n, w, f));
  ok(weft_to_host(narrow_got, sizeof narrow_got, n));
  ok(weft_to_host(wide_got, sizeof wide_got, w));
  ok(weft_to_host(normal, sizeof normal, f));
  ck_assert_mem_eq(narrow_got, narrow, sizeof narrow);
  ck_assert_mem_eq(wide_got, wide, sizeof wide);
  random_model m = {.key = {12345}};
  random_normal2_f32(expected, random_word(&m, 20), random_word(&m, 21), 0, 1);
  ck_assert(normal[0] == expected[0] && normal[1] == expected[1]);
  ck_assert(normal[2] == (float)(random_word(&m, 22) >> 8) * 0x1p-24f &&
            normal[3] == random_neglog_f32(random_word(&m, 23)));
  for (int k = 0; k < 3; k++) { /* and the model itself */
    uint32_t out[4];
    uint64_t out64[4];
    random_philox32(out, narrow[k], narrow[k] + 4);
    random_philox64(out64, wide[k], wide[k] + 4);
    ck_assert_mem_eq(out, narrow[k] + 6, sizeof out);
    ck_assert_mem_eq(out64, wide[k] + 6, sizeof out64);
  }
  harness_count(6);
  weft_array_release(&f);
  weft_array_release(&w);
  weft_array_release(&n);
  weft_kernel_release(&kernel);
}
END_TEST

/* ---- NumPy's results ---- */

/* numpy 1.24.2: Philox(seed).random_raw(6); Generator(Philox(seed)).random(5), .random(5, float32), .uniform(-3, 7.5,
   5); and, two raw words later, .jumped().random_raw(3) */
static const struct {
  uint64_t seed, raw[6];
  double random[5];
  float single[5];
  double uniform[5];
  uint64_t jumped[3];
} numpy[] = {
    {UINT64_C(0),
     {0x399e5b222b82fa9u, 0x41fd08c1f00f3bc5u, 0x78b8824162ee4d04u, 0x176747919e02739du, 0xfaa88f002a8d3596u,
      0x418eb6f592e6c227u},
     {0x1.ccf2d9115c140p-7, 0x1.07f42307c03cep-2, 0x1.e2e209058bb92p-2, 0x1.76747919e0270p-4, 0x1.f5511e00551a6p-1},
     {0x1.15c178p-3f, 0x1.ccf280p-7f, 0x1.e01e76p-1f, 0x1.07f420p-2f, 0x1.8bb934p-2f},
     {-0x1.6d180a18c9b93p+1, -0x1.2c7c902e9d810p-2, 0x1.f39157ae8ec60p+0, -0x1.0521c84382733p+1, 0x1.d1fa77606fb2ap+2},
     {0x2b1488d3186937a5u, 0xe19fca68a9def497u, 0x3137be5e8fe39f65u}},
    {UINT64_C(1),
     {0x1119efbd6bc0ce3au, 0x143a31df2c79cf7eu, 0x17a9bf501e09a0bu, 0xce7a7fdfadf3cb3fu, 0x3ebf40fd74b4b457u,
      0x4cf66a27fde9010bu},
     {0x1.119efbd6bc0c8p-4, 0x1.43a31df2c79c8p-4, 0x1.7a9bf501e0980p-8, 0x1.9cf4ffbf5be79p-1, 0x1.f5fa07eba5a58p-3},
     {0x1.af0338p-2f, 0x1.119ef0p-4f, 0x1.63ce78p-3f, 0x1.43a310p-4f, 0x1.e09a00p-8f},
     {-0x1.2637d55d8a4bep+1, -0x1.15ce7a2c5680ap+1, -0x1.783c4d39b624ep+1, 0x1.5e018fab289fep+2, -0x1.b49f566ada5b0p-2},
     {0x51a42b8d52524274u, 0x371a35f3c2ea4f1bu, 0xf1f2e6a67967805eu}},
    {UINT64_C(12345),
     {0x6bb68ec5e0887940u, 0xa73636699d498901u, 0x6ee3cefb44bbb152u, 0x89f6e0013d62f3dbu, 0xb43096c46a56b28eu,
      0x34708a31087f4ee4u},
     {0x1.aeda3b178221ep-2, 0x1.4e6c6cd33a931p-1, 0x1.bb8f3bed12eecp-2, 0x1.13edc0027ac5ep-1, 0x1.68612d88d4ad6p-1},
     {0x1.c110f2p-1f, 0x1.aeda38p-2f, 0x1.3a9312p-1f, 0x1.4e6c6cp-1f, 0x1.12eec4p-2f},
     {0x1.6afcdb1db5990p+0, 0x1.eddc9daa79c20p+1, 0x1.8c57fd4e51b2cp+0, 0x1.5450180682476p+1, 0x1.18ff8bc397239p+2},
     {0x4213ff3ab47e887u, 0x393e29beb0ccdd81u, 0x12bbcaf73d0828beu}},
    {UINT64_C(4294967301),
     {0x5d12196af34df67cu, 0x7ce84a2f67d1aaf5u, 0x2a6a1e3b62eeac84u, 0xf5b187397cc799efu, 0xb5aa8187bebc89bbu,
      0x8734670c727de8d3u},
     {0x1.744865abcd37cp-2, 0x1.f3a128bd9f46ap-2, 0x1.5350f1db17754p-3, 0x1.eb630e72f98f3p-1, 0x1.6b55030f7d791p-1},
     {0x1.e69becp-1f, 0x1.744864p-2f, 0x1.9f46a8p-2f, 0x1.f3a128p-2f, 0x1.8bbab0p-2f},
     {0x1.a27c15c5f564cp-1, 0x1.0fc38578e10ccp+1, -0x1.42a5c29071362p+0, 0x1.c4f202f6e78bep+2, 0x1.1cdf940454aeep+2},
     {0x46d5343249a3c136u, 0xd38ee4ba5ddf8f8du, 0xd63e6fc60826b267u}},
    {UINT64_C(18446744073709551615),
     {0x979b219675f23d66u, 0xf108b4617e2f37f3u, 0xed78791b3ac9d148u, 0xa571f832c650f63au, 0x659d06463567b41cu,
      0xa2f0f489fa23ec34u},
     {0x1.2f36432cebe47p-1, 0x1.e21168c2fc5e6p-1, 0x1.daf0f2367593ap-1, 0x1.4ae3f0658ca1ep-1, 0x1.96741918d59ecp-2},
     {0x1.d7c8f4p-2f, 0x1.2f3642p-1f, 0x1.f8bcdcp-2f, 0x1.e21168p-1f, 0x1.d64e88p-3f},
     {0x1.9bee7055eb37ap+1, 0x1.b8b6d97feb3bep+2, 0x1.af5c3de77a51cp+2, 0x1.e496570a9128ep+1, 0x1.2af0c1e130c0cp+0},
     {0x8fd29675a92272dcu, 0x63ef03b9542f97c0u, 0xc10792ec7faeb8du}},
};

static weft_rng *make(uint64_t seed, weft_generator generator) {
  weft_rng *rng = NULL;
  ok(weft_rng_create(&rng, .seed = seed, .generator = generator, .context = ctx));
  return rng;
}

START_TEST(as_numpy)
{
  for (size_t k = 0; k < sizeof numpy / sizeof *numpy; k++) {
    uint64_t raw[6];
    float single[5];
    weft_rng *rng = make(numpy[k].seed, WEFT_PHILOX4X64);
    ok(weft_random_bits(WEFT_HOST_OUT(raw, WEFT_U64, WEFT_SHAPE(6)), rng, WEFT_U64, WEFT_SHAPE(6)));
    ck_assert_mem_eq(raw, numpy[k].raw, sizeof raw);
    weft_rng_release(&rng);
    rng = make(numpy[k].seed, WEFT_PHILOX4X64);
    ok(weft_uniform(WEFT_HOST_OUT(single, WEFT_F32, WEFT_SHAPE(5)), rng, WEFT_F32, WEFT_SHAPE(5), 0, 1));
    ck_assert_mem_eq(single, numpy[k].single, sizeof single);
    weft_rng_release(&rng);
    if (harness_has_dtype(WEFT_F64)) {
      double random[5];
      rng = make(numpy[k].seed, WEFT_PHILOX4X64);
      ok(weft_uniform(WEFT_HOST_OUT(random, WEFT_F64, WEFT_SHAPE(5)), rng, WEFT_F64, WEFT_SHAPE(5), 0, 1));
      ck_assert_mem_eq(random, numpy[k].random, sizeof random);
      weft_rng_release(&rng);
      rng = make(numpy[k].seed, WEFT_PHILOX4X64);
      ok(weft_uniform(WEFT_HOST_OUT(random, WEFT_F64, WEFT_SHAPE(5)), rng, WEFT_F64, WEFT_SHAPE(5), -3, 7.5));
      ck_assert_mem_eq(random, numpy[k].uniform, sizeof random);
      weft_rng_release(&rng);
    }
    rng = make(numpy[k].seed, WEFT_PHILOX4X64);
    ok(weft_random_bits(WEFT_HOST_OUT(raw, WEFT_U64, WEFT_SHAPE(2)), rng, WEFT_U64, WEFT_SHAPE(2)));
    ok(weft_rng_jump(rng));
    ok(weft_random_bits(WEFT_HOST_OUT(raw, WEFT_U64, WEFT_SHAPE(3)), rng, WEFT_U64, WEFT_SHAPE(3)));
    ck_assert_mem_eq(raw, numpy[k].jumped, sizeof numpy[k].jumped);
    weft_rng_release(&rng);
    harness_count(24);
  }
}
END_TEST

START_TEST(numpy_keeps_a_half)
{
  /* Generator(Philox(7)): random(3, float32), random_raw(2) at their positions, random(2, float32): the odd half is
     kept */
  static const float expected[] = {0x1.1315fcp-2f, 0x1.e011b0p-2f, 0x1.f29f14p-1f, 0x1.b45f90p-2f, 0x1.dcccc0p-3f};
  float got[5];
  uint64_t raw[2];
  weft_rng *rng = make(7, WEFT_PHILOX4X64);
  ok(weft_uniform(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(3)), rng, WEFT_F32, WEFT_SHAPE(3), 0, 1));
  ok(weft_random_bits(WEFT_HOST_OUT(raw, WEFT_U64, WEFT_SHAPE(2)), rng, WEFT_U64, WEFT_SHAPE(2)));
  ok(weft_uniform(WEFT_HOST_OUT(got + 3, WEFT_F32, WEFT_SHAPE(2)), rng, WEFT_F32, WEFT_SHAPE(2), 0, 1));
  ck_assert_mem_eq(got, expected, sizeof got);
  ck_assert((double)(raw[0] >> 11) * 0x1p-53 == 0x1.73b1799881d06p-2 &&
            (double)(raw[1] >> 11) * 0x1p-53 == 0x1.e619ce6624f20p-3);
  weft_rng_release(&rng);
  harness_count(7);
}
END_TEST

/* ---- draws against the model ---- */

typedef enum draw_kind { BITS, UNIFORM, NORMAL, EXPONENTIAL, BERNOULLI, INTEGERS, DRAWS } draw_kind;

/// A draw: one of few combinations of kind and dtype, so that few kernels are built.
typedef struct draw {
  draw_kind kind;
  weft_dtype dtype;
  double a, b;
  weft_scalar low, high;
} draw;

static weft_status draw_at(weft_array **out, weft_rng *rng, const draw *d, weft_shape shape) {
  switch (d->kind) {
    case BITS:
      return weft_random_bits(out, rng, d->dtype, shape);
    case UNIFORM:
      return weft_uniform(out, rng, d->dtype, shape, d->a, d->b);
    case NORMAL:
      return weft_normal(out, rng, d->dtype, shape, d->a, d->b);
    case EXPONENTIAL:
      return weft_exponential(out, rng, d->dtype, shape, d->b);
    case BERNOULLI:
      return weft_bernoulli(out, rng, d->dtype, shape, d->a);
    default:
      return weft_integers(out, rng, d->dtype, shape, d->low, d->high);
  }
}

static uint16_t half_of(float x) {
  return weft_f16_from_double((double)x).bits;
}

/// The model's integer: without bias, by multiplication.
static uint64_t model_integer(random_model *m, uint64_t low, uint64_t size, bool is_long) {
  __extension__ typedef unsigned __int128 wide;
  uint64_t position, raw = is_long ? random_next_long(m, &position) : random_next_word(m, &position);
  const wide all = (wide)1 << (is_long ? 64 : 32), range = size ? (wide)size : all;
  const wide threshold = all % range;
  for (uint32_t k = 1;; k++) {
    wide product = (wide)raw * range;
    if (product % all >= threshold) return low + (uint64_t)(product / all);
    uint32_t word[2];
    random_again(word, m, position, k);
    raw = is_long ? (uint64_t)word[1] << 32 | word[0] : word[0];
  }
}

/// The model's next element, as bytes.
static void model_element(void *to, random_model *m, const draw *d) {
  uint64_t position;
  const bool is_f64 = d->dtype == WEFT_F64, is_half = d->dtype == WEFT_F16;
  double wide = 0;
  float single = 0;
  uint64_t integer = 0;
  switch (d->kind) {
    case BITS:
      integer = d->dtype == WEFT_U64 ? random_next_long(m, &position) : random_next_word(m, &position);
      break;
    case UNIFORM:
      if (is_f64) {
        wide = (double)(random_next_long(m, &position) >> 11) * 0x1p-53;
        wide = (d->b - d->a) * wide;
        wide = d->a + wide;
      } else {
        const uint32_t word = random_next_word(m, &position);
        single = is_half ? (float)(word >> 21) * 0x1p-11f : (float)(word >> 8) * 0x1p-24f;
        single = (float)(d->b - d->a) * single;
        single = (float)d->a + single;
      }
      break;
    case NORMAL:
      if (is_f64)
        wide = random_next_normal_f64(m, d->a, d->b);
      else
        single = random_next_normal_f32(m, (float)d->a, (float)d->b);
      break;
    case EXPONENTIAL:
      if (is_f64)
        wide = d->b * random_neglog_f64(random_next_long(m, &position));
      else
        single = (float)d->b * random_neglog_f32(random_next_word(m, &position));
      break;
    case BERNOULLI:
      integer = (double)random_next_word(m, &position) < nearbyint(d->a * 0x1p32);
      break;
    default:
      integer = d->high.value.u - d->low.value.u;
      integer = model_integer(m, d->low.value.u, integer, integer > UINT64_C(1) << 32);
  }
  const uint16_t half = half_of(single);
  if (weft_dtype_kind(d->dtype) == 'f')
    memcpy(to, is_f64 ? (void *)&wide : is_half ? (void *)&half : (void *)&single, weft_dtype_size_bytes(d->dtype));
  else
    memcpy(to, &integer, weft_dtype_size_bytes(d->dtype)); /* little-endian */
}

static draw some_draw(harness_random *random, bool few) {
  static const weft_dtype floats[] = {WEFT_F32, WEFT_F16, WEFT_F64};
  static const weft_dtype integers[] = {WEFT_U8, WEFT_I32, WEFT_I64, WEFT_U64, WEFT_I16};
  draw d = {.kind = (draw_kind)harness_between(random, 0, DRAWS - 1)};
  if (few && d.kind == EXPONENTIAL) d.kind = NORMAL;
  d.dtype = floats[harness_between(random, 0, few ? 0 : device.has_fp64 ? 2 : 1)];
  d.a = harness_between(random, 0, 2) ? 0 : (double)harness_between(random, -100, 100) / 8;
  d.b = harness_between(random, 0, 2) ? 1 : (double)harness_between(random, 0, 100) / 16;
  if (d.kind == BITS) d.dtype = harness_between(random, 0, 1) ? WEFT_U32 : WEFT_U64;
  if (d.kind == BERNOULLI) {
    d.dtype = WEFT_BOOL;
    d.a = (double)harness_between(random, 0, 16) / 16;
  }
  if (d.kind != INTEGERS) return d;
  d.dtype = integers[harness_between(random, 0, few ? 1 : 4)];
  /* includes sizes just over half of the words, which are often retried */
  static const int64_t sizes[] = {1, 2, 3, 10, 100, 127};
  int64_t size = sizes[harness_between(random, 0, 5)], low = harness_between(random, 0, 100);
  if (d.dtype == WEFT_I32 && harness_between(random, 0, 1))
    low = -low - 1000, size = INT64_C(0x80000001) / (1 + low % 2 * -1) - 2000;
  if (d.dtype == WEFT_I64) low = INT64_MIN / 2, size = INT64_MAX / 2 + harness_between(random, 2, 1000);
  if (d.dtype == WEFT_I32 && low + size > INT32_MAX) size = INT32_MAX - low;
  d.low = WEFT_SCALAR(low);
  d.high = WEFT_SCALAR(low + size);
  if (d.dtype == WEFT_U64) {
    d.low = WEFT_SCALAR((uint64_t)harness_between(random, 0, 5));
    d.high = WEFT_SCALAR(UINT64_MAX / 2 + 1000);
    if (harness_between(random, 0, 1)) d.high = WEFT_SCALAR(d.low.value.u + (UINT64_C(1) << 32));
  }
  return d;
}

/// Sizes around a counter, a chunk, a step and a block; rarely larger.
static int64_t some_size(harness_random *random) {
  static const int64_t near[] = {1, 4, 8, 16, 64, 256, 512, 1024, 2048, 4096, 8192};
  if (harness_between(random, 0, 19) == 0) return harness_between(random, 20000, 70000);
  int64_t n = near[harness_between(random, 0, 10)] + harness_between(random, -2, 3);
  return n < 0 ? 0 : n;
}

enum { ROOM = 70016 };

static void compare(const unsigned char *got, const unsigned char *expected, int64_t n, const draw *d,
                    const random_model *before) {
  const size_t size = weft_dtype_size_bytes(d->dtype);
  for (int64_t i = 0; i < n; i++)
    ck_assert_msg(memcmp(got + (size_t)i * size, expected + (size_t)i * size, size) == 0,
                  "draw %d %s of %" PRId64 " from word %" PRIu64 " (generator %d, spare %d, kept %d): element %" PRId64
                  " differs",
                  d->kind, weft_dtype_name(d->dtype), n, before->position, before->generator, before->spare,
                  before->has_kept, i);
}

/// Many draws in a row from one generator, into memory of all kinds, each checked against the model.
static void run_draws(weft_generator generator, int draws, uint64_t salt) {
  const char *quirks = getenv("WEFT_QUIRKS");
  if (quirks && strstr(quirks, "gpu_kernels")) draws /= 3; /* warps and blocks are slow on a CPU */
  harness_random random = harness_random_start(salt);
  static unsigned char got[ROOM * 8], expected[ROOM * 8];
  weft_rng_state state;
  weft_rng *rng = make(harness_bits(&random), generator);
  if (harness_between(&random, 0, 1)) ok(weft_rng_jump(rng));
  ok(weft_rng_skip(rng, harness_bits(&random) >> harness_between(&random, 2, 63)));
  ok(weft_rng_get_state(&state, rng));
  random_model m = random_model_of(&state);
  for (int k = 0; k < draws; k++) {
    draw d = some_draw(&random, generator == WEFT_PHILOX4X64);
    const random_model before = m;
    const size_t size = weft_dtype_size_bytes(d.dtype);
    int64_t n = some_size(&random), lead = harness_between(&random, 0, 3) ? 0 : harness_between(&random, 1, 17);
    weft_array *whole = NULL, *part = NULL;
    if (harness_between(&random, 0, 2) == 0) { /* a view with any offset, or with gaps */
      int64_t step = harness_between(&random, 0, 3) ? 1 : 2;
      ok(weft_zeros(&whole, ctx, d.dtype, WEFT_SHAPE(lead + n * step)));
      ok(weft_slice(&part, whole, 0, lead, WEFT_END, .step = step));
    }
    ok(draw_at(&part, rng, &d, WEFT_SHAPE(n)));
    ok(weft_to_host(got, (size_t)n * size, part));
    for (int64_t i = 0; i < n; i++) model_element(expected + (size_t)i * size, &m, &d);
    compare(got, expected, n, &d, &before);
    if (n > 0 && d.kind != NORMAL) random_no_spare(&m);
    ck_assert_msg(random_model_is(&m, rng),
                  "the generator went elsewhere after draw %d of %" PRId64 " from word %" PRIu64, d.kind, n,
                  before.position);
    weft_array_release(&part);
    weft_array_release(&whole);
    harness_count((long)n);
  }
  weft_rng_release(&rng);
}

START_TEST(draws)
{ run_draws(WEFT_PHILOX4X32, 400, 1); }
END_TEST

START_TEST(draws_wide)
{ run_draws(WEFT_PHILOX4X64, 200, 2); }
END_TEST

START_TEST(parts)
{
  /* a draw of n equals several draws of parts, and leaves the generator in the same state */
  harness_random random = harness_random_start(3);
  static unsigned char whole[8 * 5000], part[8 * 5000];
  for (int k = 0; k < 60; k++) {
    weft_generator generator = k % 3 == 0 ? WEFT_PHILOX4X64 : WEFT_PHILOX4X32;
    draw d = some_draw(&random, generator == WEFT_PHILOX4X64);
    const size_t size = weft_dtype_size_bytes(d.dtype);
    const uint64_t seed = harness_bits(&random);
    weft_rng *a = make(seed, generator), *b = make(seed, generator);
    int64_t n = harness_between(&random, 1, 5000), done = 0;
    weft_rng_state at_a, at_b;
    weft_array *x = NULL;
    ok(draw_at(&x, a, &d, WEFT_SHAPE(n)));
    ok(weft_to_host(whole, (size_t)n * size, x));
    weft_array_release(&x);
    while (done < n) {
      int64_t now = harness_between(&random, 0, 2) ? harness_between(&random, 0, 40) : harness_between(&random, 0, n);
      if (now > n - done) now = n - done;
      ok(draw_at(&x, b, &d, WEFT_SHAPE(now)));
      ok(weft_to_host(part + (size_t)done * size, (size_t)now * size, x));
      weft_array_release(&x);
      done += now;
    }
    ck_assert_mem_eq(whole, part, (size_t)n * size);
    ok(weft_rng_get_state(&at_a, a));
    ok(weft_rng_get_state(&at_b, b));
    ck_assert_mem_eq(&at_a, &at_b, sizeof at_a);
    weft_rng_release(&a);
    weft_rng_release(&b);
    harness_count((long)n);
  }
}
END_TEST

/* ---- generators ---- */

START_TEST(save_and_restore)
{
  float x[7], y[7];
  weft_rng_state state;
  for (int generator = 0; generator < 2; generator++) {
    weft_rng *rng = make(99, (weft_generator)generator), *other = make(1, (weft_generator)!generator);
    /* half a pair is left over */
    ok(weft_normal(WEFT_HOST_OUT(x, WEFT_F32, WEFT_SHAPE(7)), rng, WEFT_F32, WEFT_SHAPE(7), 0, 1));
    ok(weft_rng_get_state(&state, rng));
    ok(weft_normal(WEFT_HOST_OUT(x, WEFT_F32, WEFT_SHAPE(7)), rng, WEFT_F32, WEFT_SHAPE(7), 0, 1));
    ok(weft_rng_set_state(other, &state));
    ok(weft_normal(WEFT_HOST_OUT(y, WEFT_F32, WEFT_SHAPE(7)), other, WEFT_F32, WEFT_SHAPE(7), 0, 1));
    ck_assert_mem_eq(x, y, sizeof x);
    ok(weft_rng_set_state(rng, &state));
    ok(weft_normal(WEFT_HOST_OUT(y, WEFT_F32, WEFT_SHAPE(7)), rng, WEFT_F32, WEFT_SHAPE(7), 0, 1));
    ck_assert_mem_eq(x, y, sizeof x);
    weft_rng_release(&rng);
    weft_rng_release(&other);
  }
  ck_assert_uint_eq(sizeof state, 64);
  harness_count(4);
}
END_TEST

START_TEST(skip_and_jump)
{
  uint32_t all[40], later[20];
  for (int generator = 0; generator < 2; generator++) {
    weft_rng *rng = make(5, (weft_generator)generator);
    ok(weft_random_bits(WEFT_HOST_OUT(all, WEFT_U32, WEFT_SHAPE(40)), rng, WEFT_U32, WEFT_SHAPE(40)));
    weft_rng_release(&rng);
    for (int words = 0; words < 20; words++) {
      rng = make(5, (weft_generator)generator);
      ok(weft_rng_skip(rng, (uint64_t)words));
      ok(weft_random_bits(WEFT_HOST_OUT(later, WEFT_U32, WEFT_SHAPE(20)), rng, WEFT_U32, WEFT_SHAPE(20)));
      ck_assert_mem_eq(later, all + words, sizeof later);
      weft_rng_release(&rng);
    }
    rng = make(5, (weft_generator)generator);
    ok(weft_rng_jump(rng));
    weft_rng_state state;
    ok(weft_rng_get_state(&state, rng));
    random_model m = random_model_of(&state);
    ck_assert_uint_eq(m.jumps, 1);
    ok(weft_random_bits(WEFT_HOST_OUT(later, WEFT_U32, WEFT_SHAPE(20)), rng, WEFT_U32, WEFT_SHAPE(20)));
    for (int i = 0; i < 20; i++) ck_assert_uint_eq(later[i], random_word(&m, (uint64_t)i));
    /* the last words of a stream, and no words beyond */
    ok(weft_rng_skip(rng, UINT64_MAX - 8 - 20 - 3));
    ok(weft_random_bits(WEFT_HOST_OUT(later, WEFT_U32, WEFT_SHAPE(2)), rng, WEFT_U32, WEFT_SHAPE(2)));
    m.position = UINT64_MAX - 8 - 3;
    ck_assert_uint_eq(later[0], random_word(&m, m.position));
    expect_error(weft_random_bits(WEFT_HOST_OUT(later, WEFT_U32, WEFT_SHAPE(2)), rng, WEFT_U32, WEFT_SHAPE(2)),
                 WEFT_ERROR_OVERFLOW, "@rng", "2 more exceed the 2^64 words of a stream");
    expect_error(weft_rng_skip(rng, 2), WEFT_ERROR_OVERFLOW, "@rng");
    /* the generator is unchanged */
    ok(weft_random_bits(WEFT_HOST_OUT(later, WEFT_U32, WEFT_SHAPE(1)), rng, WEFT_U32, WEFT_SHAPE(1)));
    weft_rng_release(&rng);
    harness_count(25);
  }
}
END_TEST

START_TEST(split_streams)
{
  /* children, grandchildren and the parent: all their first words differ, and none depends on the parent's position */
  enum { CHILDREN = 12, ALL = 2 * CHILDREN + 1 };
  for (int generator = 0; generator < 2; generator++) {
    uint32_t word[ALL][8], again[8];
    weft_rng *parent = make(1, (weft_generator)generator), *first = NULL;
    for (int k = 0; k < CHILDREN; k++) {
      weft_rng *child = NULL, *grandchild = NULL;
      ok(weft_rng_split(&child, parent));
      ok(weft_rng_split(&grandchild, child));
      ok(weft_random_bits(WEFT_HOST_OUT(word[2 * k], WEFT_U32, WEFT_SHAPE(8)), child, WEFT_U32, WEFT_SHAPE(8)));
      ok(weft_random_bits(WEFT_HOST_OUT(word[2 * k + 1], WEFT_U32, WEFT_SHAPE(8)), grandchild, WEFT_U32,
                          WEFT_SHAPE(8)));
      weft_rng_release(&grandchild);
      weft_rng_release(&child);
    }
    ok(weft_random_bits(WEFT_HOST_OUT(word[ALL - 1], WEFT_U32, WEFT_SHAPE(8)), parent, WEFT_U32, WEFT_SHAPE(8)));
    for (int a = 0; a < ALL; a++)
      for (int b = 0; b < a; b++) ck_assert(memcmp(word[a], word[b], sizeof word[a]) != 0);
    weft_rng_release(&parent);
    parent = make(1, (weft_generator)generator);
    ok(weft_rng_skip(parent, 1000));
    ok(weft_rng_split(&first, parent));
    ok(weft_random_bits(WEFT_HOST_OUT(again, WEFT_U32, WEFT_SHAPE(8)), first, WEFT_U32, WEFT_SHAPE(8)));
    ck_assert_mem_eq(again, word[0], sizeof again);
    weft_rng_release(&first);
    weft_rng_release(&parent);
    harness_count(ALL);
  }
}
END_TEST

START_TEST(results)
{
  /* given results of other dtypes, shapes with many axes, no axes, and no elements; a generator without a context */
  float f[6];
  double wide[6];
  int16_t small[24];
  weft_array *x = NULL, *turned = NULL;
  weft_rng *rng = make(3, WEFT_PHILOX4X32), *kept;
  kept = weft_rng_retain(rng);
  ck_assert(kept == rng);
  ok(weft_normal(WEFT_HOST_OUT(f, WEFT_F32, WEFT_SHAPE(2, 3)), rng, WEFT_F32, WEFT_SHAPE(2, 3), 0, 1));
  weft_rng_release(&rng);
  ck_assert_ptr_null(rng);
  weft_rng_release(&kept);
  rng = make(3, WEFT_PHILOX4X32);
  if (harness_has_dtype(WEFT_F64)) {
    ok(weft_normal(WEFT_HOST_OUT(wide, WEFT_F64, WEFT_SHAPE(6)), rng, WEFT_F32, WEFT_SHAPE(6), 0, 1));
    for (int i = 0; i < 6; i++) ck_assert(wide[i] == (double)f[i]);
  }
  /* without a dtype, the result's is used; into a transposed view */
  ok(weft_zeros(&x, ctx, WEFT_I16, WEFT_SHAPE(4, 6)));
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  ok(weft_integers(&turned, rng, WEFT_DTYPE_NONE, WEFT_SHAPE(6, 4), -5, 5));
  ok(weft_to_host(small, sizeof small, x));
  for (int i = 0; i < 24; i++) ck_assert(small[i] >= -5 && small[i] < 5);
  weft_array_release(&turned);
  weft_array_release(&x);
  ok(weft_uniform(&x, rng, WEFT_DTYPE_NONE, WEFT_SHAPE_0D, 2, 3));
  ck_assert(weft_array_dtype(x) == WEFT_F32 && weft_array_ndim(x) == 0 && weft_array_context(x) == ctx);
  weft_array_release(&x);
  weft_rng_state before, after;
  ok(weft_rng_get_state(&before, rng));
  ok(weft_poisson(&x, rng, WEFT_DTYPE_NONE, WEFT_SHAPE(3, 0, 2), 4));
  ck_assert(weft_array_dtype(x) == WEFT_I64 && weft_array_size(x) == 0);
  ok(weft_rng_get_state(&after, rng));
  ck_assert_mem_eq(&before, &after, sizeof before);
  weft_array_release(&x);
  ok(weft_bernoulli(&x, rng, WEFT_DTYPE_NONE, WEFT_SHAPE(9), 1));
  ck_assert(weft_array_dtype(x) == WEFT_BOOL);
  weft_array_release(&x);
  weft_rng_release(&rng);
  harness_count(7);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "draws");
  tcase_add_test(c, known_answers);
  tcase_add_test(c, as_numpy);
  tcase_add_test(c, numpy_keeps_a_half);
  tcase_add_test(c, draws);
  tcase_add_test(c, draws_wide);
  tcase_add_test(c, parts);
  c = harness_context_case(suite, "generators");
  tcase_add_test(c, save_and_restore);
  tcase_add_test(c, skip_and_jump);
  tcase_add_test(c, split_streams);
  tcase_add_test(c, results);
}

int main(void) {
  static const harness_suite suite = {.name = "random", .add = add};
  return harness_main(&suite);
}

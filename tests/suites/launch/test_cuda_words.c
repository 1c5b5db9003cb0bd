// SPDX-License-Identifier: MIT
/// The other words of weft/cuda.clh: a kernel as CUDA's programmers write it, the thread's place, bits, functions of
/// floats, f16 elements, the barrier of a grid. The atomic functions and warps have suites of their own.
#include <stdio.h>

#include "harness.h"

static weft_kernel *make(const char *source) {
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = source));
  return kernel;
}

/* Each row of a matrix by its own block: a reduction in shared memory with CUDA's qualifiers. */
START_TEST(a_kernel_as_in_cuda)
{
  const char source[] =
      "#include \"weft/cuda.clh\"\n"
      "#define BLOCK 64\n"
      "__constant__ float weights[2] = {0.5f, 2.0f};\n"
      "typedef struct __align__(16) pair { float first, second; } pair;\n"
      "__device__ __forceinline__ float weighted(float x, int i) { return fmaxf(x, 0) * weights[i & 1]; }\n"
      "__device__ __noinline__ float root(pair p) { return sqrtf(p.first * p.first + p.second); }\n"
      "kernel void __launch_bounds__(BLOCK) k(global float *__restrict__ out, global const float *__restrict__ in,\n"
      "                                       int columns) {\n"
      "  __shared__ float part[BLOCK];\n"
      "  float sum = 0.0f;\n"
      "  for (int i = threadIdx.x; i < columns; i += blockDim.x)\n"
      "    sum += weighted(__ldg(&in[blockIdx.x * columns + i]), i);\n"
      "  part[threadIdx.x] = sum;\n"
      "  __syncthreads();\n"
      "  for (int s = blockDim.x / 2; s > 0; s >>= 1) {\n"
      "    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];\n"
      "    __syncthreads();\n"
      "  }\n"
      "  if (threadIdx.x == 0) {\n"
      "    pair p;\n"
      "    p.first = part[0], p.second = 0.0f;\n"
      "    out[blockIdx.x] = root(p);\n"
      "  }\n"
      "}\n";
  enum { ROWS = 3, COLUMNS = 101 };
  float in[ROWS * COLUMNS], out[ROWS];
  weft_array *x = NULL, *y = NULL;
  weft_kernel *kernel = make(source);
  for (int i = 0; i < ROWS * COLUMNS; i++) in[i] = (float)(i % 17 - 5);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), in));
  ok(weft_empty(&y, ctx, WEFT_F32, WEFT_SHAPE(ROWS)));
  ok(weft_launch(kernel, WEFT_DIM3(ROWS), WEFT_DIM3(64), y, x, COLUMNS));
  ok(weft_to_host(out, sizeof out, y));
  for (int r = 0; r < ROWS; r++) {
    float sum = 0; /* halves and small integers: exact */
    for (int i = 0; i < COLUMNS; i++) sum += fmaxf(in[r * COLUMNS + i], 0) * (i & 1 ? 2.0f : 0.5f);
    ck_assert_msg(harness_near(out[r], sum, 2, false), "row %d: %g, expected %g", r, (double)out[r], (double)sum);
  }
  weft_release(&kernel, &x, &y);
}
END_TEST

/* OpenCL C's `long long` may have 128 bits: with it the counts would lie 16 bytes apart. */
START_TEST(types_of_cuda)
{
  const char source[] =
      "#include \"weft/cuda.clh\"\n"
      "typedef unsigned  long\tlong word; /* long long */\n"
      "kernel void k(global unsigned long long *out, global uint32_t *few, int64_t v) {\n"
      "  WEFT_BLOCK_ROOM(64);\n"
      "  __shared__ unsigned long long int s[1];\n"
      "  const uint8_t byte = (uint8_t)(threadIdx.x + 250);\n"
      "  if (threadIdx.x == 0) s[0] = 0xffffffffffULL;\n"
      "  __syncthreads();\n"
      "#ifdef WEFT__ATOMICS_64\n"
      "  atomicAdd(&s[0], 1ull); atomicAdd(&out[0], (word)2LLU); atomicMax(&out[1], 3ULL + threadIdx.x);\n"
      "#else\n"
      "  if (threadIdx.x == 0) { s[0] += 40; out[0] = 80; out[1] = 42; }\n"
      "#endif\n"
      "  const long long sum = weft_block_sum(5ll), other = __shfl_sync(0xffffffff, 7ull, 0);\n"
      "  const int count = __syncthreads_count(threadIdx.x % 3 == 0), and = __syncthreads_and(threadIdx.x < 39),\n"
      "            or = __syncthreads_or(threadIdx.x == 17);\n"
      "  if (threadIdx.x == 39) {\n"
      "    out[2] = s[0]; out[3] = sum; out[4] = sizeof(long long) + sizeof(word) + sizeof 1ull; out[5] = v + other;\n"
      "    few[0] = byte; few[1] = count; few[2] = and; few[3] = or;\n"
      "  }\n"
      "}\n";
  const uint64_t wanted[6] = {80, 42, UINT64_C(0xffffffffff) + 40, 200, 24, 5};
  uint64_t got[6];
  uint32_t seen[4];
  weft_array *out = NULL, *few = NULL;
  weft_kernel *kernel = make(source);
  ok(weft_zeros(&out, ctx, WEFT_U64, WEFT_SHAPE(6)));
  ok(weft_zeros(&few, ctx, WEFT_U32, WEFT_SHAPE(4)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(40), out, few, (int64_t)-2));
  ok(weft_to_host(got, sizeof got, out));
  ok(weft_to_host(seen, sizeof seen, few));
  for (int k = 0; k < 6; k++) ck_assert_uint_eq(got[k], wanted[k]);
  ck_assert(seen[0] == 33 && seen[1] == 14 && seen[2] == 0 && seen[3] == 1);
  weft_release(&kernel, &out, &few);
}
END_TEST

/* Without weft/cuda.clh `long long` has 128 bits on CPUs: a number of 64 bits is refused, with the way out. */
START_TEST(a_long_long_without_the_header)
{
  weft_device_info info;
  weft_kernel *kernel = make("kernel void k(global int *x, unsigned long long a) { x[0] = (int)a; }\n");
  weft_array *x = NULL;
  ok(weft_context_get_device(&info, ctx));
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(1)));
  if (info.type == WEFT_DEVICE_TYPE_CPU)
    expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), x, UINT64_C(7)), WEFT_ERROR_KERNEL_ARGUMENT,
                 "may have 128 bits: declare it `long` or `ulong`, or include weft/cuda.clh");
  weft_release(&kernel, &x);
}
END_TEST

START_TEST(the_place_of_a_thread)
{
  const char source[] =
      "#include \"weft/cuda.clh\"\n"
      "kernel void k(global ulong *place, global uint *seen, ulong n) {\n"
      "  const ulong3 at = cuda_grid(3), size = cuda_gridsize(3);\n"
      "  const ulong2 at2 = cuda_grid(2), size2 = cuda_gridsize(2);\n"
      "  const ulong i = (at.z * size.y + at.y) * size.x + at.x;\n"
      "  place[4 * i] = cuda_grid(1);\n"
      "  place[4 * i + 1] = at2.x + 1000 * at2.y + 1000000 * at.z;\n"
      "  place[4 * i + 2] = cuda_gridsize(1);\n"
      "  place[4 * i + 3] = size2.x + 1000 * size2.y + 1000000 * size.z;\n"
      "  if (at.y + at.z == 0) WEFT_GRID_STRIDE(j, n) atomicAdd(&seen[j], 1);\n"
      "}\n";
  enum { X = 6, Y = 4, Z = 6, N = 47 };
  uint64_t place[X * Y * Z * 4];
  uint32_t seen[N];
  weft_array *places = NULL, *marks = NULL;
  weft_kernel *kernel = make(source);
  ok(weft_empty(&places, ctx, WEFT_U64, WEFT_SHAPE(X * Y * Z * 4)));
  ok(weft_zeros(&marks, ctx, WEFT_U32, WEFT_SHAPE(N)));
  ok(weft_launch(kernel, WEFT_DIM3(3, 2, 2), WEFT_DIM3(2, 2, 3), places, marks, (uint64_t)N));
  ok(weft_to_host(place, sizeof place, places));
  ok(weft_to_host(seen, sizeof seen, marks));
  for (uint64_t i = 0; i < X * Y * Z; i++) {
    ck_assert_uint_eq(place[4 * i], i % X);
    ck_assert_uint_eq(place[4 * i + 1], i % X + 1000 * (i / X % Y) + 1000000 * (i / X / Y));
    ck_assert_uint_eq(place[4 * i + 2], X);
    ck_assert_uint_eq(place[4 * i + 3], X + 1000 * Y + 1000000 * Z);
  }
  for (int j = 0; j < N; j++) ck_assert_uint_eq(seen[j], 1);
  weft_release(&kernel, &places, &marks);
}
END_TEST

/* ---- bits ---- */

static uint64_t reversed(uint64_t x, int bits) {
  uint64_t r = 0;
  for (int k = 0; k < bits; k++) r |= (x >> k & 1) << (bits - 1 - k);
  return r;
}
static int ones(uint64_t x) {
  int count = 0;
  for (int k = 0; k < 64; k++) count += (int)(x >> k & 1);
  return count;
}
static int lowest(uint64_t x) {
  for (int k = 0; k < 64; k++)
    if (x >> k & 1) return k + 1;
  return 0;
}
static int leading(uint64_t x, int bits) {
  int count = 0;
  while (count < bits && !(x >> (bits - 1 - count) & 1)) count++;
  return count;
}

START_TEST(functions_of_bits)
{
  const char source[] =
      "#include \"weft/cuda.clh\"\n"
      "kernel void k(global ulong *out, global const ulong *x) {\n"
      "  const ulong i = cuda_grid(1), v = x[i];\n"
      "  const uint u = (uint)v;\n"
      "  global ulong *r = out + 16 * i;\n"
      "  r[0] = __popc(u); r[1] = __popcll(v); r[2] = __ffs(u); r[3] = __ffsll(v);\n"
      "  r[4] = __clz(u); r[5] = __clzll(v); r[6] = __brev(u); r[7] = __brevll(v);\n"
      "  r[8] = __umulhi(u, 0x9e3779b9u); r[9] = (ulong)(long)__mulhi((int)u, -7);\n"
      "  r[10] = __float_as_uint(__uint_as_float(u & 0x7f7fffffu)); r[11] = __float_as_int(1.5f);\n"
      "  const int4 a = make_int4(1, 2, 3, 4); const float2 b = make_float2(5.0f, 6.0f);\n"
      "  const uint3 c = make_uint3(7u, 8u, 9u);\n"
      "  r[12] = a.x + 10 * a.y + 100 * a.z + 1000 * a.w; r[13] = (ulong)(b.x + 10 * b.y); r[14] = c.x + 10 * c.z;\n"
      "  r[15] = __umul24(u & 0xffffu, 100u);\n"
      "}\n";
  enum { N = 32, RESULTS = 16 };
  uint64_t x[N] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, UINT64_C(1) << 32, 0x80000000u}, got[N * RESULTS];
  weft_array *in = NULL, *out = NULL;
  weft_kernel *kernel = make(source);
  harness_random random = harness_random_start(3);
  for (int i = 6; i < N; i++) x[i] = harness_bits(&random) >> (2 * i);
  ok(weft_from_host(&in, ctx, WEFT_U64, WEFT_SHAPE(N), x));
  ok(weft_empty(&out, ctx, WEFT_U64, WEFT_SHAPE(N * RESULTS)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(N), out, in));
  ok(weft_to_host(got, sizeof got, out));
  for (int i = 0; i < N; i++) {
    const uint64_t v = x[i];
    const uint32_t u = (uint32_t)v;
    const uint64_t wanted[RESULTS] = {(uint64_t)ones(u),
                                      (uint64_t)ones(v),
                                      (uint64_t)lowest(u),
                                      (uint64_t)lowest(v),
                                      (uint64_t)leading(u, 32),
                                      (uint64_t)leading(v, 64),
                                      reversed(u, 32),
                                      reversed(v, 64),
                                      (uint64_t)u * 0x9e3779b9u >> 32,
                                      (uint64_t)((int64_t)(int32_t)u * -7 >> 32),
                                      u & 0x7f7fffffu,
                                      0x3fc00000,
                                      4321,
                                      65,
                                      97,
                                      (u & 0xffffu) * UINT64_C(100)};
    for (int k = 0; k < RESULTS; k++)
      ck_assert_msg(got[i * RESULTS + k] == wanted[k], "result %d of %" PRIx64 ": %" PRIx64 ", expected %" PRIx64, k, v,
                    got[i * RESULTS + k], wanted[k]);
  }
  harness_count(N * RESULTS);
  weft_release(&kernel, &in, &out);
}
END_TEST

/* ---- floats ---- */

#define FUNCTIONS(X)                                                                                            \
  X(sqrtf)                                                                                                      \
  X(expf)                                                                                                       \
  X(logf)                                                                                                       \
  X(sinf)                                                                                                       \
  X(cosf) X(tanf) X(tanhf) X(fabsf) X(floorf) X(ceilf) X(roundf) X(rintf) X(truncf) X(exp2f) X(log2f) X(log10f) \
      X(expm1f) X(log1pf) X(atanf) X(asinhf) X(cbrtf) X(erff)

START_TEST(functions_of_floats)
{
#define LINE(f) "  *r++ = " #f "(v);\n"
  const char source[] =
      "#include \"weft/cuda.clh\"\n"
      "kernel void k(global float *out, global const float *x, int functions) {\n"
      "  const float v = x[threadIdx.x];\n"
      "  global float *r = out + functions * threadIdx.x;\n" FUNCTIONS(LINE)
      "  *r++ = powf(v, 1.5f); *r++ = atan2f(v, 2); *r++ = fmaf(v, v, 1); *r++ = fmodf(v, 0.75); *r++ = hypotf(v, 3);\n"
      "  *r++ = fminf(v, 1); *r++ = rsqrtf(v);\n"
      "  float s, c; sincosf(v, &s, &c); *r++ = s; *r++ = c; *r++ = __fmaf_rn(v, 2, 1);\n"
      "  const float w = v - 3;\n"
      "  *r++ = __float2int_rn(w); *r++ = __float2int_rz(w); *r++ = __float2int_ru(w); *r++ = __float2int_rd(w);\n"
      "  *r++ = __float2uint_rn(w * 1e9f); *r++ = __float2uint_rz(w); *r++ = __float2int_rz(w * -1e30f);\n"
      "  *r++ = __int2float_rn(-16777217); *r++ = __uint2float_rn(-1);\n"
      "  *r++ = __expf(v); *r++ = __logf(v); *r++ = __sinf(v); *r++ = __fdividef(v, 3); *r++ = __saturatef(v - 1);\n"
      "}\n";
#define CALL(f) f(v),
#define ONE(f) +1
  enum { N = 9, ALONE = 0 FUNCTIONS(ONE), EXACT = ALONE + 19, RESULTS = EXACT + 5 };
  const float x[N] = {0.001f, 0.3f, 0.5f, 1, 1.25f, 2, 2.75f, 3.5f, 10};
  float got[N * RESULTS];
  weft_array *in = NULL, *out = NULL;
  weft_kernel *kernel = make(source);
  ok(weft_from_host(&in, ctx, WEFT_F32, WEFT_SHAPE(N), x));
  ok(weft_empty(&out, ctx, WEFT_F32, WEFT_SHAPE(N * RESULTS)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(N), out, in, (int)RESULTS));
  ok(weft_to_host(got, sizeof got, out));
  for (int i = 0; i < N; i++) {
    const float v = x[i];
    const float wanted[RESULTS] = {FUNCTIONS(CALL) powf(v, 1.5f), atan2f(v, 2), fmaf(v, v, 1), fmodf(v, 0.75f),
                                   hypotf(v, 3), fminf(v, 1), 1 / sqrtf(v), sinf(v), cosf(v), v * 2 + 1, rintf(v - 3),
                                   truncf(v - 3), ceilf(v - 3), floorf(v - 3),
                                   fminf(fmaxf((v - 3) * 1e9f, 0), 4294967296.0f), fmaxf(truncf(v - 3), 0),
                                   v < 3   ? 2147483647.0f
                                   : v > 3 ? -2147483648.0f
                                           : 0,
                                   -16777216, 4294967296.0f,
                                   /* the fast ones: a wrong function differs by more than 1e-3 */
                                   expf(v), logf(v), sinf(v), v / 3, fminf(fmaxf(v - 1, 0), 1)};
    for (int k = 0; k < RESULTS; k++) {
      const float y = got[i * RESULTS + k];
      const bool near = k < EXACT ? harness_near(y, wanted[k], 16, false) /* OpenCL's bound for pow */
                                  : fabsf(y - wanted[k]) <= 1e-3f * (1 + fabsf(wanted[k]));
      ck_assert_msg(near, "function %d of %g: %g, expected %g", k, (double)v, (double)y, (double)wanted[k]);
    }
  }
  harness_count(N * RESULTS);
  weft_release(&kernel, &in, &out);
}
END_TEST

START_TEST(elements_of_f16)
{
  const char source[] =
      "#include \"weft/cuda.clh\"\n"
      "kernel void k(global half *y, global float *loaded, global const half *x) {\n"
      "  const uint i = threadIdx.x, n = blockDim.x;\n"
      "  loaded[i] = weft_load_f16(x, i);\n"
      "  weft_store_f16(y, i, loaded[i] * 1.001f);\n"
      "  if (i < n / 2) weft_store_f16x2(y + n, i, weft_load_f16x2(x, i) + (float2)(1.0f, 2.0f));\n"
      "  if (i < n / 4) weft_store_f16x4(y + 2 * n, i, weft_load_f16x4(x, i) * 3.0f);\n"
      "}\n";
  enum { N = 16 };
  weft_f16 x[N], y[3 * N];
  float loaded[N];
  weft_array *in = NULL, *out = NULL, *floats = NULL;
  weft_kernel *kernel = make(source);
  for (int i = 0; i < N; i++) x[i] = weft_f16_from_double((i - 7) * 1.37 * (i % 5 ? 1 : 1e-5));
  ok(weft_from_host(&in, ctx, WEFT_F16, WEFT_SHAPE(N), x));
  ok(weft_empty(&out, ctx, WEFT_F16, WEFT_SHAPE(3 * N)));
  ok(weft_empty(&floats, ctx, WEFT_F32, WEFT_SHAPE(N)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(N), out, floats, in));
  ok(weft_to_host(y, sizeof y, out));
  ok(weft_to_host(loaded, sizeof loaded, floats));
  for (int i = 0; i < N; i++) {
    const float v = (float)weft_f16_to_double(x[i]);
    const float wanted[3] = {v * 1.001f, v + (i % 2 ? 2.0f : 1.0f), v * 3.0f};
    ck_assert(loaded[i] == v);
    for (int k = 0; k < 3; k++) {
      const weft_f16 rounded = weft_f16_from_double((double)wanted[k]);
      ck_assert_msg(memcmp(&y[k * N + i], &rounded, sizeof rounded) == 0, "store %d of element %d", k, i);
    }
  }
  weft_release(&kernel, &in, &out, &floats);
}
END_TEST

/* ---- the barrier of a grid ---- */

/* Each round every block adds up what all blocks wrote in the round before. */
START_TEST(all_blocks_wait_for_each_other)
{
  const char source[] =
      "#include \"weft/cuda.clh\"\n"
      "kernel void k(global uint *state, global uint *sums, uint rounds) {\n"
      "#ifdef WEFT_GRID_SYNC\n"
      "  const uint blocks = gridDim.x;\n"
      "  for (uint r = 0; r < rounds; r++) {\n"
      "    global uint *from = sums + (r & 1) * blocks, *to = sums + (1 - (r & 1)) * blocks;\n"
      "    uint sum = 0;\n"
      "    for (uint b = 0; b < blocks; b++) sum += atomicAdd(&from[b], 0) * (b + 1);\n"
      "    if (threadIdx.x == 0) to[blockIdx.x] = sum + blockIdx.x;\n"
      "    weft_grid_sync(state);\n"
      "  }\n"
      "#else\n"
      "  state[0] = 12345;\n"
      "#endif\n"
      "}\n";
  enum { BLOCKS = 16, ROUNDS = 101 };
  uint32_t state = 0, got[2 * BLOCKS], wanted[2][BLOCKS];
  weft_array *word = NULL, *sums = NULL;
  weft_kernel *kernel = make(source);
  for (uint32_t b = 0; b < BLOCKS; b++) wanted[0][b] = wanted[1][b] = b;
  memcpy(got, wanted, sizeof got);
  ok(weft_from_host(&sums, ctx, WEFT_U32, WEFT_SHAPE(2 * BLOCKS), got));
  ok(weft_from_host(&word, ctx, WEFT_U32, WEFT_SHAPE(1), &state));
  ok(weft_launch(kernel, WEFT_DIM3(BLOCKS), WEFT_DIM3(64), word, sums, (uint32_t)ROUNDS));
  ok(weft_to_host(&state, sizeof state, word));
  ok(weft_to_host(got, sizeof got, sums));
  if (state == 12345) {
    puts("all_blocks_wait_for_each_other: skipped, the device has no WEFT_GRID_SYNC");
  } else {
    for (int r = 0; r < ROUNDS; r++) {
      uint32_t sum = 0;
      for (uint32_t b = 0; b < BLOCKS; b++) sum += wanted[r & 1][b] * (b + 1);
      for (uint32_t b = 0; b < BLOCKS; b++) wanted[1 - (r & 1)][b] = sum + b;
    }
    ck_assert_mem_eq(got, wanted, sizeof got);
  }
  weft_release(&kernel, &word, &sums);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "words");
  tcase_add_test(tc, a_kernel_as_in_cuda);
  tcase_add_test(tc, types_of_cuda);
  tcase_add_test(tc, a_long_long_without_the_header);
  tcase_add_test(tc, the_place_of_a_thread);
  tcase_add_test(tc, functions_of_bits);
  tcase_add_test(tc, functions_of_floats);
  tcase_add_test(tc, elements_of_f16);
  tcase_add_test(tc, all_blocks_wait_for_each_other);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cuda_words", .add = add});
}

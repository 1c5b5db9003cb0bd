// SPDX-License-Identifier: MIT
/// The warp and block functions of weft/cuda.clh against loops in C: shuffles with every width, votes, sums, minima,
/// maxima and running sums of warps and blocks, of whole and partial warps, in blocks of one to three dimensions.
#include <stdio.h>

#include "harness.h"

enum { SHUFFLES = 8, WARP_FORMS = 4, BLOCK_FORMS = 5, RESULTS = SHUFFLES + WARP_FORMS + BLOCK_FORMS, MOST = 1024 };

/* A kernel for each type, with a part of the results: a CPU's driver takes seconds for all. Result k of thread t
   is at k * threads + t. The block's sum is taken twice in a row, the second time of the results of the first. */
static const char SOURCE[] =
    "#include \"weft/cuda.clh\"\n"
    "#define PUT(k, value) out[k * n + t] = value;\n"
    "#define SOME(T) \\\n"
    "  PUT(3, __shfl_up_sync(0xffffffff, v, 3, 8)) PUT(9, weft_warp_min(v)) \\\n"
    "  const T sum = weft_block_sum(v); \\\n"
    "  PUT(12, sum) PUT(13, weft_block_sum(sum)) PUT(15, weft_block_max(v)) PUT(16, weft_block_scan(v))\n"
    "#define OTHERS(T) \\\n"
    "  PUT(0, __shfl_sync(0xffffffff, v, (t * 7 + 3) & 31)) PUT(1, __shfl_sync(0xffffffff, v, t + 5, 8)) \\\n"
    "  PUT(2, __shfl_up_sync(0xffffffff, v, 1)) PUT(4, __shfl_down_sync(0xffffffff, v, 2)) \\\n"
    "  PUT(5, __shfl_down_sync(0xffffffff, v, 5, 16)) PUT(6, __shfl_xor_sync(0xffffffff, v, 17)) \\\n"
    "  PUT(7, __shfl_xor_sync(0xffffffff, v, 9, 8)) PUT(8, weft_warp_sum(v)) PUT(10, weft_warp_max(v)) \\\n"
    "  PUT(11, weft_warp_scan(v)) PUT(14, weft_block_min(v))\n"
    "#define KERNEL(T, PART) \\\n"
    "  kernel void PART##_##T(global T *out, global const T *x) { \\\n"
    "    WEFT_BLOCK_ROOM(ROOM); \\\n"
    "    const uint t = weft_thread_id(), n = blockDim.x * blockDim.y * blockDim.z; \\\n"
    "    const T v = x[t]; \\\n"
    "    PART(T) \\\n"
    "  }\n"
    "WANTED\n";

/// The results of the kernel SOME; OTHERS has the rest.
static const bool is_of_some[RESULTS] = {[3] = true, [9] = true, [12] = true, [13] = true, [15] = true, [16] = true};

/// The lane that a lane reads in shuffle k, by CUDA's rules.
static int lane_read(int k, int lane) {
  const int at = lane % 8;
  switch (k) {
    case 0:
      return -1; /* depends on the thread: below */
    case 1:
      return -1;
    case 2:
      return lane >= 1 ? lane - 1 : lane;
    case 3:
      return at >= 3 ? lane - 3 : lane;
    case 4:
      return lane + 2 < 32 ? lane + 2 : lane;
    case 5:
      return lane % 16 + 5 < 16 ? lane + 5 : lane;
    case 6:
      return lane ^ 17;
    default: /* a lane of a segment before its own can be read, one behind it cannot */
      return (lane ^ 9) <= (lane | 7) ? lane ^ 9 : lane;
  }
}
static int thread_read(int k, int t) {
  const int lane = t % 32;
  if (k == 0) return t - lane + (t * 7 + 3) % 32;
  if (k == 1) return t - lane % 8 + (t + 5) % 8;
  return t - lane + lane_read(k, lane);
}

/// The expected results; is_known is false where CUDA leaves a shuffle undefined, as its lane has no thread. Sums are
/// in the order that weft/block.clh promises: halves of a warp added again and again, warps one after the other.
#define REFERENCE(NAME, T, LEAST, MOST_OF)                                                                    \
  static void expected_##NAME(T *out, bool *is_known, const T *x, int n) {                                    \
    T sum[32], least[32], most[32], scan[MOST], before = 0;                                                   \
    for (int k = 0; k < SHUFFLES; k++)                                                                        \
      for (int t = 0; t < n; t++) {                                                                           \
        const int from = thread_read(k, t);                                                                   \
        is_known[k * n + t] = from < n;                                                                       \
        if (from < n) out[k * n + t] = x[from];                                                               \
      }                                                                                                       \
    for (int w = 0; w * 32 < n; w++) {                                                                        \
      const int count = n - w * 32 < 32 ? n - w * 32 : 32;                                                    \
      T tree[32], running[32];                                                                                \
      memcpy(tree, x + w * 32, (size_t)count * sizeof(T));                                                    \
      memcpy(running, x + w * 32, (size_t)count * sizeof(T));                                                 \
      least[w] = most[w] = x[w * 32];                                                                         \
      for (int l = 0; l < count; l++) {                                                                       \
        least[w] = LEAST(least[w], x[w * 32 + l]);                                                            \
        most[w] = MOST_OF(most[w], x[w * 32 + l]);                                                            \
      }                                                                                                       \
      for (int d = 16; d > 0; d /= 2)                                                                         \
        for (int l = 0; l < d && l + d < count; l++) tree[l] = (T)(tree[l] + tree[l + d]);                    \
      for (int d = 1; d < 32; d *= 2)                                                                         \
        for (int l = count - 1; l >= d; l--) running[l] = (T)(running[l - d] + running[l]);                   \
      sum[w] = tree[0];                                                                                       \
      for (int l = 0; l < count; l++) {                                                                       \
        const int t = w * 32 + l;                                                                             \
        const T found[WARP_FORMS] = {sum[w], least[w], most[w], running[l]};                                  \
        for (int k = 0; k < WARP_FORMS; k++) out[(SHUFFLES + k) * n + t] = found[k];                          \
        scan[t] = w ? (T)(before + running[l]) : running[l];                                                  \
      }                                                                                                       \
      before = w ? (T)(before + running[31 < count ? 31 : count - 1]) : running[31 < count ? 31 : count - 1]; \
    }                                                                                                         \
    T total = sum[0], low = least[0], high = most[0];                                                         \
    for (int w = 1; w * 32 < n; w++) {                                                                        \
      total = (T)(total + sum[w]);                                                                            \
      low = LEAST(low, least[w]);                                                                             \
      high = MOST_OF(high, most[w]);                                                                          \
    }                                                                                                         \
    T again = 0;                                                                                              \
    for (int w = 0; w * 32 < n; w++) {                                                                        \
      T tree[32];                                                                                             \
      const int count = n - w * 32 < 32 ? n - w * 32 : 32;                                                    \
      for (int l = 0; l < count; l++) tree[l] = total;                                                        \
      for (int d = 16; d > 0; d /= 2)                                                                         \
        for (int l = 0; l < d && l + d < count; l++) tree[l] = (T)(tree[l] + tree[l + d]);                    \
      again = w ? (T)(again + tree[0]) : tree[0];                                                             \
    }                                                                                                         \
    for (int t = 0; t < n; t++) {                                                                             \
      const T found[BLOCK_FORMS] = {total, again, low, high, scan[t]};                                        \
      for (int k = 0; k < BLOCK_FORMS; k++) out[(SHUFFLES + WARP_FORMS + k) * n + t] = found[k];              \
    }                                                                                                         \
  }
#define LESS(a, b) ((b) < (a) ? (b) : (a))
#define MORE(a, b) ((b) > (a) ? (b) : (a))
REFERENCE(i32, int32_t, LESS, MORE)
REFERENCE(u32, uint32_t, LESS, MORE)
REFERENCE(i64, int64_t, LESS, MORE)
REFERENCE(u64, uint64_t, LESS, MORE)
REFERENCE(f32, float, LESS, MORE)
REFERENCE(f64, double, LESS, MORE)

static void expect(void *out, bool *is_known, weft_dtype dtype, const void *x, int n) {
  for (int k = 0; k < RESULTS * n; k++) is_known[k] = true;
  if (dtype == WEFT_I32) expected_i32(out, is_known, x, n);
  if (dtype == WEFT_U32) expected_u32(out, is_known, x, n);
  if (dtype == WEFT_I64) expected_i64(out, is_known, x, n);
  if (dtype == WEFT_U64) expected_u64(out, is_known, x, n);
  if (dtype == WEFT_F32) expected_f32(out, is_known, x, n);
  if (dtype == WEFT_F64) expected_f64(out, is_known, x, n);
}

static void fill(weft_dtype dtype, void *x, int n) {
  harness_random random = harness_random_start((uint64_t)dtype);
  for (int i = 0; i < n; i++) {
    /* integers whose sums stay in range, of both signs if the type has them; floats that round */
    const int64_t number = harness_between(&random, weft_dtype_kind(dtype) == 'u' ? 0 : -1000000, 1000000);
    const double real = (double)number * 0.37;
    if (dtype == WEFT_F32)
      ((float *)x)[i] = (float)real;
    else if (dtype == WEFT_F64)
      ((double *)x)[i] = real;
    else if (weft_dtype_size_bytes(dtype) == 4)
      ((int32_t *)x)[i] = (int32_t)number;
    else
      ((int64_t *)x)[i] = number << 20;
  }
}

/// The kernel SOME_type or OTHERS_type, in a program of its own.
static void check_block(weft_dtype dtype, const char *type, bool is_some, weft_dim3 block) {
  const int n = (int)(block.x * block.y * block.z);
  const size_t size_bytes = weft_dtype_size_bytes(dtype), all = (size_t)(RESULTS * n) * size_bytes;
  static uint64_t x[MOST], got[RESULTS * MOST], wanted[RESULTS * MOST];
  static bool is_known[RESULTS * MOST];
  char kernels[64];
  snprintf(kernels, sizeof kernels, "WANTED=KERNEL(%s, %s)", type, is_some ? "SOME" : "OTHERS");
  const char *const defines[] = {"ROOM=256", kernels, NULL};
  weft_kernel *kernel = NULL;
  weft_array *in = NULL, *out = NULL;
  fill(dtype, x, n);
  expect(wanted, is_known, dtype, x, n);
  ok(weft_kernel_create(&kernel, ctx, .source = SOURCE, .defines = defines));
  ok(weft_from_host(&in, ctx, dtype, WEFT_SHAPE(n), x));
  ok(weft_empty(&out, ctx, dtype, WEFT_SHAPE(RESULTS * n)));
  ok(weft_launch(kernel, WEFT_DIM3(1), block, out, in));
  ok(weft_to_host(got, all, out));
  for (int k = 0; k < RESULTS * n; k++) {
    const size_t at = (size_t)k * size_bytes;
    if (is_of_some[k / n] != is_some || !is_known[k]) continue;
    ck_assert_msg(memcmp((char *)got + at, (char *)wanted + at, size_bytes) == 0,
                  "%s, %d threads: result %d of thread %d differs", type, n, k / n, k % n);
  }
  harness_count(RESULTS);
  weft_release(&kernel, &in, &out);
}

START_TEST(every_form)
{ check_block(WEFT_F32, "float", false, WEFT_DIM3(70)); }
END_TEST

START_TEST(every_type)
{
  static const struct {
    weft_dtype dtype;
    const char *name;
  } types[] = {{WEFT_I32, "int"},   {WEFT_U32, "uint"},  {WEFT_I64, "long"},
               {WEFT_U64, "ulong"}, {WEFT_F32, "float"}, {WEFT_F64, "double"}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].dtype != WEFT_F64 || harness_has_dtype(WEFT_F64))
      check_block(types[i].dtype, types[i].name, true, WEFT_DIM3(70));
}
END_TEST

START_TEST(blocks_of_any_shape)
{
  const weft_dim3 blocks[] = {WEFT_DIM3(1), WEFT_DIM3(8, 5), WEFT_DIM3(4, 3, 8), WEFT_DIM3(256)};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) check_block(WEFT_F32, "float", true, blocks[i]);
}
END_TEST

/* ---- votes ---- */

START_TEST(votes)
{
  enum { N = 75, LANES = 7 };
  const char source[] =
      "#include \"weft/cuda.clh\"\n"
      "__device__ uint odd(uint v, WEFT_ROOM) { return __ballot_sync(0xffffffff, v & 1); }\n"
      "kernel void k(global uint *out, global const uint *x) {\n"
      "  WEFT_BLOCK_ROOM(75);\n"
      "  const uint t = threadIdx.x, n = blockDim.x, v = x[t], mask = t < 64 ? 0xffffffff : 0x7ff;\n"
      "  out[t] = odd(v, weft_room) & mask;\n"
      "  out[n + t] = __any_sync(mask, v == 77);\n"
      "  out[2 * n + t] = __all_sync(mask, v < 1000);\n"
      "  out[3 * n + t] = __activemask();\n"
      "  out[4 * n + t] = cuda_laneid();\n"
      "  out[5 * n + t] = warpSize;\n"
      "  __syncwarp(); __syncwarp(mask);\n"
      "  out[6 * n + t] = __ballot_sync(0x7ff, (cuda_laneid() < 11) & (v < 2000));\n"
      "}\n";
  uint32_t x[N], got[N * LANES];
  weft_kernel *kernel = NULL;
  weft_array *in = NULL, *out = NULL;
  harness_random random = harness_random_start(4);
  for (int t = 0; t < N; t++) x[t] = (uint32_t)harness_between(&random, 0, 70);
  x[40] = 77;   /* one of warp 1 is 77 */
  x[70] = 1500; /* not all of warp 2 are below 1000 */
  ok(weft_kernel_create(&kernel, ctx, .source = source));
  ok(weft_from_host(&in, ctx, WEFT_U32, WEFT_SHAPE(N), x));
  ok(weft_empty(&out, ctx, WEFT_U32, WEFT_SHAPE(N * LANES)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(N), out, in));
  ok(weft_to_host(got, sizeof got, out));
  for (int t = 0; t < N; t++) {
    uint32_t odd = 0;
    for (int l = 0; l < 32 && t / 32 * 32 + l < N; l++) odd |= (x[t / 32 * 32 + l] & 1) << l;
    const uint32_t active = t < 64 ? 0xffffffff : 0x7ff;
    const uint32_t wanted[LANES] = {odd, t / 32 == 1, t / 32 != 2, active, (uint32_t)t % 32, 32, 0x7ff};
    for (int k = 0; k < LANES; k++)
      if (k < 6 || t % 32 < 11) /* a thread that is not in the mask may not call */
        ck_assert_msg(got[k * N + t] == wanted[k], "vote %d of thread %d: %x, expected %x", k, t, got[k * N + t],
                      wanted[k]);
  }
  weft_release(&kernel, &in, &out);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "block");
  tcase_add_test(tc, every_form);
  tcase_add_test(tc, every_type);
  tcase_add_test(tc, blocks_of_any_shape);
  tcase_add_test(tc, votes);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cuda_block", .add = add});
}

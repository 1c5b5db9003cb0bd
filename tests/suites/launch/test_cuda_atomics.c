// SPDX-License-Identifier: MIT
/// The atomic functions of weft/cuda.clh, on global and local memory and for each type: every old value that a thread
/// got is the first value or another thread's result, and the last value is what is left.
#include <stdio.h>

#include "harness.h"

/* One kernel for each type. Cells 0 to 5 are for all types, 6 to 8 for integers, 9 and 10 for uint. */
static const char SOURCE[] =
    "#include \"weft/cuda.clh\"\n"
    "#define EACH(T, p, old, MORE) \\\n"
    "  old[0] = atomicAdd(p, v); old[1] = atomicSub(p + 1, v); old[2] = atomicMin(p + 2, v); \\\n"
    "  old[3] = atomicMax(p + 3, v); old[4] = atomicExch(p + 4, v); \\\n"
    "  { \\\n"
    "    T seen = p[5], found; \\\n"
    "    bool done = false; \\\n"
    "    while (!done) { \\\n"
    "      found = atomicCAS(p + 5, seen, seen + v); \\\n"
    "      done = found == seen; \\\n"
    "      seen = found; \\\n"
    "    } \\\n"
    "    old[5] = found; \\\n"
    "  } \\\n"
    "  MORE(p, old)\n"
    "#define BITS(p, old) \\\n"
    "  old[6] = atomicAnd(p + 6, v); old[7] = atomicOr(p + 7, v); old[8] = atomicXor(p + 8, v);\n"
    "#define BITS_AND_BOUNDS(p, old) \\\n"
    "  BITS(p, old) old[9] = atomicInc(p + 9, v & 15); old[10] = atomicDec(p + 10, v & 15);\n"
    "#define NO_MORE(p, old)\n"
    "#define KERNEL(T, MORE) \\\n"
    "  kernel void all_##T(global T *cells, global T *ends, global T *olds, global const T *values, local T *mine) { "
    "\\\n"
    "    const uint t = threadIdx.x; \\\n"
    "    const T v = values[cuda_grid(1)]; \\\n"
    "    global T *old = olds + cuda_grid(1) * 22; \\\n"
    "    global T *old_mine = old + 11; \\\n"
    "    if (t < 11) mine[t] = ends[blockIdx.x * 11 + t]; \\\n"
    "    __syncthreads(); \\\n"
    "    EACH(T, cells, old, MORE) \\\n"
    "    EACH(T, mine, old_mine, MORE) \\\n"
    "    __syncthreads(); \\\n"
    "    if (t < 11) ends[blockIdx.x * 11 + t] = mine[t]; \\\n"
    "  }\n"
    "KERNEL(int, BITS)\n"
    "KERNEL(uint, BITS_AND_BOUNDS)\n"
    "KERNEL(float, NO_MORE)\n"
    "#ifdef WIDE\n"
    "KERNEL(long, BITS)\n"
    "KERNEL(ulong, BITS)\n"
    "#ifdef DOUBLES\n"
    "KERNEL(double, NO_MORE)\n"
    "#endif\n"
    "#endif\n";

enum { BLOCK = 40, BLOCKS = 5, THREADS = BLOCK * BLOCKS, CELLS = 11, OPERATIONS = 2 * CELLS };

typedef struct atomic_type {
  weft_dtype dtype;
  const char *kernel;
  int cells;
} atomic_type;

static const atomic_type types[] = {{WEFT_I32, "all_int", 9},  {WEFT_U32, "all_uint", 11}, {WEFT_F32, "all_float", 6},
                                    {WEFT_I64, "all_long", 9}, {WEFT_U64, "all_ulong", 9}, {WEFT_F64, "all_double", 6}};

static bool is_wide(weft_dtype dtype) {
  return weft_dtype_size_bytes(dtype) == 8;
}

#define SHARED_PART \
  case 0:           \
  case 5:           \
    r = a + b;      \
    break;          \
  case 1:           \
    r = a - b;      \
    break;          \
  case 4:           \
    r = b;          \
    break;
#define INTEGERS(T)                                         \
  {                                                         \
    T a, b, r = 0;                                          \
    memcpy(&a, &old, sizeof a);                             \
    memcpy(&b, &v, sizeof b);                               \
    switch (cell) {                                         \
      SHARED_PART                                           \
      case 2:                                               \
        r = b < a ? b : a;                                  \
        break;                                              \
      case 3:                                               \
        r = b > a ? b : a;                                  \
        break;                                              \
      case 6:                                               \
        r = a & b;                                          \
        break;                                              \
      case 7:                                               \
        r = a | b;                                          \
        break;                                              \
      case 8:                                               \
        r = a ^ b;                                          \
        break;                                              \
      case 9:                                               \
        r = (T)(a >= (b & 15) ? 0 : a + 1);                 \
        break;                                              \
      case 10:                                              \
        r = (T)(a == 0 || a > (b & 15) ? (b & 15) : a - 1); \
        break;                                              \
      default:                                              \
        break;                                              \
    }                                                       \
    memcpy(&result, &r, sizeof r);                          \
  }
#define FLOATS(T, least, most)     \
  {                                \
    T a, b, r = 0;                 \
    memcpy(&a, &old, sizeof a);    \
    memcpy(&b, &v, sizeof b);      \
    switch (cell) {                \
      SHARED_PART                  \
      case 2:                      \
        r = least(a, b);           \
        break;                     \
      case 3:                      \
        r = most(a, b);            \
        break;                     \
      default:                     \
        break;                     \
    }                              \
    memcpy(&result, &r, sizeof r); \
  }

/// What the operation of a cell makes of `old`; elements are passed as bits.
static uint64_t applied(weft_dtype dtype, int cell, uint64_t old, uint64_t v) {
  uint64_t result = 0;
  if (dtype == WEFT_I32) INTEGERS(uint32_t)
  if (dtype == WEFT_I32 && (cell == 2 || cell == 3)) INTEGERS(int32_t)
  if (dtype == WEFT_U32) INTEGERS(uint32_t)
  if (dtype == WEFT_I64) INTEGERS(uint64_t)
  if (dtype == WEFT_I64 && (cell == 2 || cell == 3)) INTEGERS(int64_t)
  if (dtype == WEFT_U64) INTEGERS(uint64_t)
  if (dtype == WEFT_F32) FLOATS(float, fminf, fmaxf)
  if (dtype == WEFT_F64) FLOATS(double, fmin, fmax)
  return result;
}

static uint64_t bits_at(const void *data, size_t size_bytes, size_t index) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + index * size_bytes, size_bytes);
  return bits;
}

static void put_number(weft_dtype dtype, void *to, int64_t number) {
  const float f = (float)number;
  const double d = (double)number;
  if (dtype == WEFT_F32)
    memcpy(to, &f, sizeof f);
  else if (dtype == WEFT_F64)
    memcpy(to, &d, sizeof d);
  else
    memcpy(to, &number, weft_dtype_size_bytes(dtype)); /* little-endian, as all devices' hosts */
}

static int compare_bits(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/// The old values with the last one are the results with the first one, in any order.
static void check_chain(const atomic_type *type, int cell, const uint64_t *old, const uint64_t *v, int count,
                        uint64_t first, uint64_t last) {
  uint64_t read[THREADS + 1], written[THREADS + 1];
  for (int i = 0; i < count; i++) {
    read[i] = old[i];
    written[i] = applied(type->dtype, cell, old[i], v[i]);
  }
  read[count] = last;
  written[count] = first;
  qsort(read, (size_t)count + 1, sizeof *read, compare_bits);
  qsort(written, (size_t)count + 1, sizeof *written, compare_bits);
  for (int i = 0; i <= count; i++)
    ck_assert_msg(read[i] == written[i], "%s, cell %d of %d threads: %" PRIx64 " was read, %" PRIx64 " written",
                  type->kernel, cell, count, read[i], written[i]);
  harness_count(1);
}

/// Random numbers, among them extreme ones of integers; floats are small integers, so that sums are exact.
static void make_values(const atomic_type *type, void *values, size_t count, uint64_t salt) {
  harness_random random = harness_random_start(salt);
  const size_t size_bytes = weft_dtype_size_bytes(type->dtype);
  const bool is_float = weft_dtype_kind(type->dtype) == 'f';
  for (size_t i = 0; i < count; i++) {
    const int64_t number =
        is_float ? harness_between(&random, -1000, 1000) : (int64_t)harness_bits(&random) >> (i % 4 * 16);
    put_number(type->dtype, (char *)values + i * size_bytes, number);
  }
}

static void check_type(const atomic_type *type, const char *const *defines) {
  weft_kernel *kernel = NULL;
  weft_array *cells = NULL, *ends = NULL, *olds = NULL, *values = NULL;
  uint64_t v[THREADS], first[CELLS * (BLOCKS + 1)], cell_end[CELLS], mine_end[CELLS * BLOCKS], old[THREADS];
  static uint64_t all_old[THREADS * OPERATIONS];
  const size_t size_bytes = weft_dtype_size_bytes(type->dtype);
  make_values(type, v, THREADS, 1);
  make_values(type, first, CELLS * (BLOCKS + 1), 2);
  for (int k = 0; k <= BLOCKS; k++) /* the bounds of atomicInc and atomicDec */
    for (int c = 9; c < CELLS; c++) put_number(type->dtype, (char *)first + (size_t)(k * CELLS + c) * size_bytes, 3);
  ok(weft_kernel_create(&kernel, ctx, .source = SOURCE, .name = type->kernel, .defines = defines));
  ok(weft_from_host(&values, ctx, type->dtype, WEFT_SHAPE(THREADS), v));
  ok(weft_from_host(&cells, ctx, type->dtype, WEFT_SHAPE(CELLS), first));
  ok(weft_from_host(&ends, ctx, type->dtype, WEFT_SHAPE(CELLS * BLOCKS), (char *)first + CELLS * size_bytes));
  ok(weft_zeros(&olds, ctx, type->dtype, WEFT_SHAPE(THREADS * OPERATIONS)));
  ok(weft_launch(kernel, WEFT_DIM3(BLOCKS), WEFT_DIM3(BLOCK), cells, ends, olds, values,
                 WEFT_LOCAL(CELLS * size_bytes)));
  ok(weft_to_host(cell_end, CELLS * size_bytes, cells));
  ok(weft_to_host(mine_end, CELLS * BLOCKS * size_bytes, ends));
  ok(weft_to_host(all_old, THREADS * OPERATIONS * size_bytes, olds));
  uint64_t value[THREADS];
  for (size_t i = 0; i < THREADS; i++) value[i] = bits_at(v, size_bytes, i);
  for (int c = 0; c < type->cells; c++) {
    for (size_t i = 0; i < THREADS; i++) old[i] = bits_at(all_old, size_bytes, i * OPERATIONS + (size_t)c);
    check_chain(type, c, old, value, THREADS, bits_at(first, size_bytes, (size_t)c),
                bits_at(cell_end, size_bytes, (size_t)c));
    for (size_t k = 0; k < BLOCKS; k++) {
      for (size_t i = 0; i < BLOCK; i++)
        old[i] = bits_at(all_old, size_bytes, (k * BLOCK + i) * OPERATIONS + CELLS + (size_t)c);
      check_chain(type, c, old, value + k * BLOCK, BLOCK, bits_at(first, size_bytes, (k + 1) * CELLS + (size_t)c),
                  bits_at(mine_end, size_bytes, k * CELLS + (size_t)c));
    }
  }
  weft_release(&kernel, &cells, &ends, &olds, &values);
}

START_TEST(every_operation_and_type)
{
  weft_device_info info;
  ok(weft_device_get(&info, device.index));
  const char *const with[] = {"WIDE", "DOUBLES", NULL}, *const without_doubles[] = {"WIDE", NULL};
  const char *const *defines = !info.has_int64_atomics ? NULL : info.has_fp64 ? with : without_doubles;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (is_wide(types[i].dtype) && !info.has_int64_atomics) continue;
    if (types[i].dtype == WEFT_F64 && !harness_has_dtype(WEFT_F64)) continue;
    check_type(&types[i], defines);
  }
}
END_TEST

/* Minima and maxima of floats with NaN among the values, and as the first value. */
START_TEST(not_a_number)
{
  const char source[] =
      "#include \"weft/cuda.clh\"\n"
      "kernel void k(global float *least, global float *most, global const float *x) {\n"
      "  atomicMin(least + blockIdx.x, x[threadIdx.x]);\n"
      "  atomicMax(most + blockIdx.x, x[threadIdx.x]);\n"
      "}\n";
  const float x[6] = {3, NAN, -2.5f, 7.25f, NAN, 0}, start[2] = {1, NAN};
  float least[2], most[2];
  weft_kernel *kernel = NULL;
  weft_array *values = NULL, *low = NULL, *high = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = source));
  ok(weft_from_host(&values, ctx, WEFT_F32, WEFT_SHAPE(6), x));
  ok(weft_from_host(&low, ctx, WEFT_F32, WEFT_SHAPE(2), start));
  ok(weft_from_host(&high, ctx, WEFT_F32, WEFT_SHAPE(2), start));
  ok(weft_launch(kernel, WEFT_DIM3(2), WEFT_DIM3(6), low, high, values));
  ok(weft_to_host(least, sizeof least, low));
  ok(weft_to_host(most, sizeof most, high));
  for (int k = 0; k < 2; k++) {
    ck_assert(least[k] == -2.5f);
    ck_assert(most[k] == 7.25f);
  }
  weft_release(&kernel, &values, &low, &high);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "atomics");
  tcase_add_test(tc, every_operation_and_type);
  tcase_add_test(tc, not_a_number);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cuda_atomics", .add = add});
}

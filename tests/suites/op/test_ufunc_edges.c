// SPDX-License-Identifier: MIT
/// Elementwise functions at the edges of their kernels: sizes around a chunk, a block and a work-item's share,
/// unaligned views, every arrangement of axes; against plain C.
///
/// It reads internals (map/run.h): the kernels that were built show which layouts were covered, and the suite fails if
/// one was not.
#include <CL/cl.h>
#include <stdio.h>
#include <weft/opencl.h>

#include "context/context.h"
#include "map/run.h"
#include "sums.h"

/* ---- coverage ---- */

enum { KERNELS = 5, ACCESSES = 10, WAYS = 8 };
static const char *const kernel_names[KERNELS] = {"gpu_flat", "gpu_strided", "gpu_tile", "cpu_flat", "cpu_strided"};
static const char *const access_names[ACCESSES] = {"vector", "shifted", "elements", "uniform", "one",
                                                   "gather", "stream",  "run",      "direct",  "turned"};

typedef struct reached {
  int access[KERNELS][2][ACCESSES][SUM_SIZES]; /* result or operand, element size */
  int unroll[KERNELS][WAYS], warps[2 * WAYS], axes[KERNELS][WEFT_MAX_NDIM + 1];
  int kernels;
} reached;
static reached *map;

static int size_index(size_t size_bytes) {
  return size_bytes == 1 ? 0 : size_bytes == 2 ? 1 : size_bytes == 4 ? 2 : size_bytes == 8 ? 3 : 4;
}

/// Marks the kernels that this context has built of a function for these operands. b is NONE for a C integer, f64
/// beside f32 for a C float, and NO_OPERAND for none.
#define NO_OPERAND WEFT_DTYPE_COUNT
static void mark_function(int id, int results, weft_dtype a, weft_dtype b) {
  const int second = b == WEFT_DTYPE_NONE ? WEFT_I64 | 0x80 : a == WEFT_F32 && b == WEFT_F64 ? WEFT_F64 | 0x80 : (int)b;
  const bool has_two = b != NO_OPERAND, has_array = has_two && second == (int)b;
  const unsigned char operand[] = {(unsigned char)a, has_two ? (unsigned char)second : 0, 0}; /* 0: no stencil */
  const weft__key key = {
      .kind = WEFT__KIND_UFUNC, .owner = weft__op_row(id), .bytes = operand, .size = has_two ? 3 : 2};
  const weft__planned_function *planned = weft__store_find(&ctx->store, &key);
  ck_assert_msg(planned != NULL, "no plan of %s(%s, %s): its key is made otherwise than here", weft_ufunc_name(id),
                weft_dtype_name(a), weft_dtype_name(b));
  const weft_dtype dtype[] = {a, b};
  for (const weft__entry *entry = NULL; (entry = weft__store_next(&ctx->store, entry));) {
    if (entry->key.kind != WEFT__KIND_MAP_KERNEL || entry->key.owner != planned->plan) continue;
    const weft__map_key *k = entry->key.bytes;
    map->kernels++;
    map->unroll[k->kernel][k->unroll % WAYS]++;
    if (k->kernel == WEFT__GPU_FLAT) map->warps[k->warps % (2 * WAYS)]++;
    map->axes[k->kernel][k->axes]++;
    for (int at = 0; at < results + 1 + has_array; at++) {
      weft_dtype is = at < results ? (weft_dtype)k->array[at].out : dtype[at - results];
      map->access[k->kernel][at >= results][k->array[at].access][size_index(weft_dtype_size_bytes(is))]++;
    }
  }
}

static void mark(weft_dtype a, weft_dtype b) {
  mark_function(WEFT_UFUNC_ADD, 1, a, b);
}

enum { BYTES_1 = 1, BYTES_2 = 2, BYTES_4 = 4, BYTES_16 = 16, ALL_BYTES = 31 };

/// A cell that must be covered; `sizes`: for which element sizes, as a sum of BYTES_.
typedef struct cell {
  int kernel;
  bool is_operand;
  int access, sizes;
} cell;

static const cell cpu_cells[] = {
    {WEFT__CPU_FLAT, false, WEFT__ACCESS_ELEMENTS, ALL_BYTES},
    {WEFT__CPU_FLAT, false, WEFT__ACCESS_STREAM, ALL_BYTES},
    {WEFT__CPU_FLAT, true, WEFT__ACCESS_ELEMENTS, ALL_BYTES},
    {WEFT__CPU_FLAT, true, WEFT__ACCESS_UNIFORM, ALL_BYTES},
    {WEFT__CPU_STRIDED, false, WEFT__ACCESS_RUN, ALL_BYTES},
    {WEFT__CPU_STRIDED, false, WEFT__ACCESS_GATHER, ALL_BYTES},
    {WEFT__CPU_STRIDED, true, WEFT__ACCESS_RUN, ALL_BYTES},
    {WEFT__CPU_STRIDED, true, WEFT__ACCESS_GATHER, ALL_BYTES},
    {WEFT__CPU_STRIDED, true, WEFT__ACCESS_ONE, ALL_BYTES},
    {-1, false, 0, 0},
};
/* an element of 16 bytes is a chunk, so it is always aligned and never gathered */
static const cell gpu_cells[] = {
    {WEFT__GPU_FLAT, false, WEFT__ACCESS_VECTOR, ALL_BYTES},
    {WEFT__GPU_FLAT, false, WEFT__ACCESS_ELEMENTS, BYTES_1 | BYTES_2 | BYTES_4},
    {WEFT__GPU_FLAT, true, WEFT__ACCESS_VECTOR, ALL_BYTES},
    {WEFT__GPU_FLAT, true, WEFT__ACCESS_SHIFTED, ALL_BYTES - BYTES_16},
    {WEFT__GPU_FLAT, true, WEFT__ACCESS_ELEMENTS, BYTES_1 | BYTES_2 | BYTES_4},
    {WEFT__GPU_FLAT, true, WEFT__ACCESS_UNIFORM, ALL_BYTES},
    {WEFT__GPU_STRIDED, false, WEFT__ACCESS_VECTOR, ALL_BYTES},
    {WEFT__GPU_STRIDED, false, WEFT__ACCESS_GATHER, BYTES_4}, /* a second operand: the first one decides the chunk */
    {WEFT__GPU_STRIDED, true, WEFT__ACCESS_VECTOR, ALL_BYTES},
    {WEFT__GPU_STRIDED, true, WEFT__ACCESS_ONE, ALL_BYTES - BYTES_16},
    {WEFT__GPU_STRIDED, true, WEFT__ACCESS_GATHER, ALL_BYTES - BYTES_16},
    {WEFT__GPU_TILE, false, WEFT__ACCESS_DIRECT, ALL_BYTES},
    {WEFT__GPU_TILE, true, WEFT__ACCESS_DIRECT, ALL_BYTES},
    {WEFT__GPU_TILE, true, WEFT__ACCESS_TURNED, ALL_BYTES},
    {-1, false, 0, 0},
};

static bool report(void) {
  bool is_gpu = harness_takes_gpu_kernels(), good = true;
  printf("ufunc_edges: kernels seen %d times; by element size 1 2 4 8 16:\n", map->kernels);
  for (int k = 0; k < KERNELS; k++)
    for (int operand = 0; operand < 2; operand++)
      for (int access = 0; access < ACCESSES; access++) {
        const int *n = map->access[k][operand][access];
        if (n[0] + n[1] + n[2] + n[3] + n[4] == 0) continue;
        printf("  %-11s %-7s %-8s %5d %5d %5d %5d %5d\n", kernel_names[k], operand ? "operand" : "result",
               access_names[access], n[0], n[1], n[2], n[3], n[4]);
      }
  for (const cell *c = is_gpu ? gpu_cells : cpu_cells; c->kernel >= 0; c++)
    for (int size = 0; size < SUM_SIZES; size++) {
      if (!(c->sizes >> size & 1) || !harness_has_dtype(SUM_DTYPES[size]) ||
          map->access[c->kernel][c->is_operand][c->access][size])
        continue;
      printf("ufunc_edges: FAIL: no %s kernel with a %s of %d bytes reached as %s\n", kernel_names[c->kernel],
             c->is_operand ? "operand" : "result", 1 << size, access_names[c->access]);
      good = false;
    }
  static const int gpu_unrolls[] = {WEFT__GPU_FLAT,    1, WEFT__GPU_FLAT,    2, WEFT__GPU_FLAT,    4,
                                    WEFT__GPU_STRIDED, 1, WEFT__GPU_STRIDED, 2, WEFT__GPU_STRIDED, 4};
  for (size_t i = 0; is_gpu && i < sizeof gpu_unrolls / sizeof *gpu_unrolls; i += 2)
    if (!map->unroll[gpu_unrolls[i]][gpu_unrolls[i + 1]]) {
      printf("ufunc_edges: FAIL: no %s kernel with %d chunks per thread\n", kernel_names[gpu_unrolls[i]],
             gpu_unrolls[i + 1]);
      good = false;
    }
  for (int warps = 2; is_gpu && warps <= 8; warps *= 2)
    if (!map->warps[warps]) {
      printf("ufunc_edges: FAIL: no flat kernel with blocks of %d threads\n", 32 * warps);
      good = false;
    }
  for (int axes = 1; axes <= WEFT_MAX_NDIM; axes++)
    if (!map->axes[is_gpu ? WEFT__GPU_STRIDED : WEFT__CPU_STRIDED][axes]) {
      printf("ufunc_edges: FAIL: no strided kernel of %d axes\n", axes);
      good = false;
    }
  return good;
}

/* ---- one run of elements ---- */

/// An array of n elements that begins `offset` elements into its base, which continues after it.
static placed run_at(weft_dtype dtype, int64_t n, int64_t offset, harness_random *random) {
  placed p = placed_make(dtype, n + offset + 5, random);
  placed_slice(&p, 0, offset, offset + n, 1);
  return p;
}

static void check_run(weft_dtype dtype, int64_t n, const int offset[3], harness_random *random) {
  char what[100];
  placed out = run_at(dtype, n, offset[0], random), a = run_at(dtype, n, offset[1], random),
         b = run_at(dtype, n, offset[2], random);
  placed one = run_at(dtype, 1, offset[2], random);
  snprintf(what, sizeof what, "%lld elements at %d, %d, %d", (long long)n, offset[0], offset[1], offset[2]);
  sum_check(&out, &a, &b, 0, what);
  sum_check(&out, &a, NULL, 77, what);
  sum_check(&out, &out, &b, 0, what); /* in place */
  sum_check(&out, &a, &a, 0, what);
  sum_check(&out, &a, &one, 0, what);
  sum_check(&out, &one, &b, 0, what);
  sum_check(&out, &one, &one, 0, what);
  placed_release(&out);
  placed_release(&a);
  placed_release(&b);
  placed_release(&one);
}

START_TEST(runs_around_chunks_and_blocks)
{
  weft_dtype dtype = SUM_DTYPES[_i];
  static const int offsets[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}, {3, 2, 5}};
  const int64_t e = 16 / (int64_t)weft_dtype_size_bytes(dtype);
  const int64_t sizes[] = {0,   1,           2,       e - 1,       e,    e + 1, 2 * e + 1, 255,  256,
                           257, 256 * e - 1, 256 * e, 256 * e + 1, 1023, 1024,  1025,      1281, 5000};
  harness_random random = harness_random_start((uint64_t)_i);
  if (!harness_has_dtype(dtype)) return;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) check_run(dtype, sizes[i], offsets[k], &random);
  mark(dtype, dtype);
  mark(dtype, WEFT_DTYPE_NONE);
}
END_TEST

/* Sizes at which the kernel changes: 2^20 elements (a CPU's larger share), 8 MiB (stores bypass the caches). */
START_TEST(large_runs)
{
  weft_dtype dtype = SUM_DTYPES[_i];
  const int64_t size = (int64_t)weft_dtype_size_bytes(dtype), mib8 = (8 << 20) / size;
  const int64_t sizes[] = {(1 << 20) + 1, mib8 - 1, mib8 + 257};
  static const int offsets[][3] = {{0, 0, 0}, {1, 0, 3}, {64, 0, 1}};
  harness_random random = harness_random_start(100 + (uint64_t)_i);
  if (!harness_has_dtype(dtype)) return;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int *at = offsets[i % 3];
    char what[100];
    placed out = run_at(dtype, sizes[i], at[0], &random), a = run_at(dtype, sizes[i], at[1], &random);
    placed b = run_at(dtype, sizes[i], at[2], &random);
    snprintf(what, sizeof what, "%lld elements at %d, %d, %d", (long long)sizes[i], at[0], at[1], at[2]);
    sum_check(&out, &a, &b, 0, what);
    if (i == 1) sum_check(&out, &out, NULL, 3, what);
    placed_release(&out);
    placed_release(&a);
    placed_release(&b);
  }
  placed out = run_at(dtype, mib8 + 3, 0, &random); /* aligned, with stores that bypass the caches, in place */
  sum_check(&out, &out, &out, 0, "aligned in place");
  sum_check(&out, &out, NULL, 200, "aligned in place");
  placed_release(&out);
  mark(dtype, dtype);
  mark(dtype, WEFT_DTYPE_NONE);
}
END_TEST

/* Operands and results of different widths: smaller chunks, which need not be aligned. */
START_TEST(runs_of_mixed_widths)
{
  static const int64_t sizes[] = {1, 3, 4, 31, 257, 1025, 5001};
  harness_random random = harness_random_start(200);
  for (int o = 0; o < 4; o++)
    for (int x = 0; x < 4; x++) {
      int y = (o + 2 * x + 1) % 4;
      for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char what[100];
        int64_t n = sizes[i];
        placed out = run_at(SUM_DTYPES[o], n, i % 4, &random), a = run_at(SUM_DTYPES[x], n, (i + 1) % 3, &random);
        placed b = run_at(SUM_DTYPES[y], n, (i + 2) % 5, &random);
        snprintf(what, sizeof what, "%lld %s + %s into %s", (long long)n, weft_dtype_name(SUM_DTYPES[x]),
                 weft_dtype_name(SUM_DTYPES[y]), weft_dtype_name(SUM_DTYPES[o]));
        sum_check(&out, &a, &b, 0, what);
        placed_release(&out);
        placed_release(&a);
        placed_release(&b);
      }
      mark(SUM_DTYPES[x], SUM_DTYPES[y]);
    }
}
END_TEST

/* Enough elements that a GPU's thread takes two chunks: results narrower than the operands. */
START_TEST(large_runs_into_narrow_results)
{
  static const int64_t sizes[] = {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 20) + 1026};
  harness_random random = harness_random_start(250);
  for (int i = 0; i < 4; i++) {
    int64_t n = sizes[i], rows = 1025, columns = 1024 + 2 * i;
    placed out = run_at(WEFT_U16, n, i, &random), a = run_at(WEFT_U64, n, 0, &random),
           b = run_at(WEFT_U64, n, 2, &random);
    sum_check(&out, &a, &b, 0, "u64 + u64 into u16");
    placed_release(&out);
    placed_release(&a);
    placed_release(&b);
    out = placed_make(WEFT_U32, rows * columns, &random);
    placed_reshape(&out, WEFT_SHAPE(rows, columns));
    a = placed_make(WEFT_U64, rows * (columns + 2), &random);
    placed_reshape(&a, WEFT_SHAPE(rows, columns + 2));
    placed_slice(&a, 1, 0, columns, 1);
    sum_check(&out, &a, &a, 0, "rows of u64 into u32");
    placed_release(&out);
    placed_release(&a);
  }
  mark(WEFT_U64, WEFT_U64);
}
END_TEST

/* Foreign buffers that end with the last element: bytes beyond must not be accessed, although chunks have 16 bytes. */
START_TEST(runs_in_adopted_buffers)
{
  weft_dtype dtype = SUM_DTYPES[_i];
  size_t size = weft_dtype_size_bytes(dtype);
  harness_random random = harness_random_start(300 + (uint64_t)_i);
  if (!harness_has_dtype(dtype)) return;
  for (int64_t n = 1; n < 6000; n = 3 * n + 2)
    for (int offset = 0; offset < 4; offset++) {
      cl_int code = 0;
      placed p[3] = {{NULL, NULL}};
      for (int k = 0; k < 3; k++) {
        int64_t count = n + (offset + k) % 4;
        placed from = placed_make(dtype, count, &random);
        cl_mem mem = clCreateBuffer(weft_context_cl_context(ctx), CL_MEM_READ_WRITE, (size_t)count * size, NULL, &code);
        ck_assert_int_eq(code, CL_SUCCESS);
        ok(weft_array_adopt(&p[k].base, ctx, mem, 0, dtype, WEFT_SHAPE(count)));
        ok(weft_array_adopt(&p[k].view, ctx, mem, (size_t)(count - n) * size, dtype, WEFT_SHAPE(n)));
        ck_assert_int_eq(clReleaseMemObject(mem), CL_SUCCESS);
        ok(weft_copy(&p[k].base, from.base));
        placed_release(&from);
      }
      sum_check(&p[0], &p[1], &p[2], 0, "adopted");
      sum_check(&p[0], &p[1], NULL, 9, "adopted");
      sum_check(&p[1], &p[1], &p[2], 0, "adopted, in place");
      for (int k = 0; k < 3; k++) placed_release(&p[k]);
    }
  mark(dtype, dtype);
}
END_TEST

/* ---- two axes ---- */

typedef enum place {
  PLACE_ROWS,
  PLACE_COLUMNS, /* Fortran order */
  PLACE_GAPS,    /* between rows; nothing is aligned */
  PLACE_ALIGNED_GAPS,
  PLACE_INNER_STEP,
  PLACE_OUTER_STEP,
  PLACE_FLIPPED_INNER,
  PLACE_FLIPPED_OUTER,
  PLACE_TURNED_GAPS, /* columns with gaps, with an offset */
  PLACE_RESULTS,     /* the placings before this one are writable */
  PLACE_ROW = PLACE_RESULTS,
  PLACE_COLUMN,
  PLACE_ONE,
  PLACE_REPEATED_ROW, /* with stride 0, by weft_broadcast */
  PLACE_COUNT,
} place;

static placed place_2d(weft_dtype dtype, place kind, int64_t r, int64_t c, harness_random *random) {
  static const struct {
    int rows, columns; /* of the base, as multiples of the view's */
  } scale[PLACE_COUNT] = {[PLACE_INNER_STEP] = {1, 2}, [PLACE_OUTER_STEP] = {2, 1}, [PLACE_ROW] = {0, 1},
                          [PLACE_COLUMN] = {1, 0},     [PLACE_ONE] = {0, 0},        [PLACE_REPEATED_ROW] = {0, 1}};
  bool turned = kind == PLACE_COLUMNS || kind == PLACE_TURNED_GAPS;
  int64_t rows = r, columns = c, from = 0;
  if (scale[kind].rows + scale[kind].columns > 0 || kind == PLACE_ONE) {
    rows = scale[kind].rows ? r * scale[kind].rows : 1;
    columns = scale[kind].columns ? c * scale[kind].columns : 1;
  }
  if (kind == PLACE_TURNED_GAPS) rows += 3;
  if (kind == PLACE_GAPS) columns += 3, from = 1;
  /* the first element and each row begin at a multiple of 16 bytes */
  if (kind == PLACE_ALIGNED_GAPS) columns += 32 - columns % 16, from = 16;
  placed p = placed_make(dtype, rows * columns, random);
  placed_reshape(&p, turned ? WEFT_SHAPE(columns, rows) : WEFT_SHAPE(rows, columns));
  if (turned) placed_transpose(&p, WEFT_ALL_AXES);
  if (kind == PLACE_TURNED_GAPS) placed_slice(&p, 0, 2, 2 + r, 1);
  if (from) placed_slice(&p, 1, from, from + c, 1);
  if (kind == PLACE_INNER_STEP) placed_slice(&p, 1, 1, WEFT_END, 2);
  if (kind == PLACE_OUTER_STEP) placed_slice(&p, 0, 0, WEFT_END, 2);
  if (kind == PLACE_FLIPPED_INNER) placed_flip(&p, WEFT_AXES(1));
  if (kind == PLACE_FLIPPED_OUTER) placed_flip(&p, WEFT_AXES(0));
  if (kind == PLACE_REPEATED_ROW) placed_broadcast(&p, WEFT_SHAPE(r, c));
  return p;
}

static void check_2d(weft_dtype dtype, int64_t r, int64_t c, const int kind[3], harness_random *random) {
  char what[100];
  placed out = place_2d(dtype, (place)kind[0], r, c, random), a = place_2d(dtype, (place)kind[1], r, c, random);
  placed b = place_2d(dtype, (place)kind[2], r, c, random);
  snprintf(what, sizeof what, "%lld x %lld, places %d %d %d", (long long)r, (long long)c, kind[0], kind[1], kind[2]);
  sum_check(&out, &a, &b, 0, what);
  if (kind[1] % 3 == 0) sum_check(&out, &out, NULL, 5, what);
  placed_release(&out);
  placed_release(&a);
  placed_release(&b);
}

START_TEST(two_axes)
{
  weft_dtype dtype = SUM_DTYPES[_i];
  const int64_t e = 16 / (int64_t)weft_dtype_size_bytes(dtype);
  const int64_t shapes[][2] = {{2, e},    {3, 2 * e}, {17, e + 1}, {33, 16 * e}, {256, 3},
                               {7, 1025}, {5, 1},     {1, 9},      {64, 64}};
  /* each placing at least once in each role, with a contiguous array and with itself; then at random */
  harness_random random = harness_random_start(400 + (uint64_t)_i);
  if (!harness_has_dtype(dtype)) return;
  for (int k = 0; k < PLACE_COUNT; k++) {
    const int64_t *shape = shapes[k % 4];
    check_2d(dtype, shape[0], shape[1], (int[]){PLACE_ROWS, PLACE_ROWS, k}, &random);
    check_2d(dtype, shape[0], shape[1], (int[]){PLACE_ALIGNED_GAPS, k, PLACE_ALIGNED_GAPS}, &random);
    if (k < PLACE_RESULTS) check_2d(dtype, shape[0], shape[1], (int[]){k, PLACE_ROWS, k}, &random);
  }
  /* on a CPU each case builds a kernel, which takes 0.1 s */
  for (int i = 0; i < (device.type == WEFT_DEVICE_TYPE_CPU ? 12 : 40); i++) {
    const int64_t *shape = shapes[harness_between(&random, 0, 8)];
    const int kind[] = {(int)harness_between(&random, 0, PLACE_RESULTS - 1),
                        (int)harness_between(&random, 0, PLACE_COUNT - 1),
                        (int)harness_between(&random, 0, PLACE_COUNT - 1)};
    check_2d(dtype, shape[0], shape[1], kind, &random);
  }
  mark(dtype, dtype);
  mark(dtype, WEFT_DTYPE_NONE);
}
END_TEST

/* Transposed operands around a tile's side, with other operands, and in planes. */
START_TEST(turned_operands)
{
  weft_dtype dtype = SUM_DTYPES[_i];
  static const int64_t sides[] = {15, 16, 31, 32, 33, 63, 64, 65, 130};
  harness_random random = harness_random_start(420 + (uint64_t)_i);
  if (!harness_has_dtype(dtype)) return;
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++) {
      int64_t r = sides[i], c = sides[(i * 2 + 5 * k) % 9];
      static const int beside[] = {PLACE_ROWS,        PLACE_COLUMNS,       PLACE_ROW,       PLACE_COLUMN,
                                   PLACE_TURNED_GAPS, PLACE_FLIPPED_OUTER, PLACE_INNER_STEP};
      check_2d(dtype, r, c, (int[]){PLACE_GAPS, PLACE_COLUMNS, beside[(i + 3 * k) % 7]}, &random);
      check_2d(dtype, r, c, (int[]){PLACE_ROWS, beside[(2 * i + k) % 7], PLACE_TURNED_GAPS}, &random);
    }
  for (int i = 0; i < 6; i++) { /* (a, r, b, c) out of (a, b, c, r), and so on */
    static const int orders[][4] = {{0, 3, 1, 2}, {3, 1, 0, 2}, {0, 1, 3, 2}, {1, 3, 0, 2}, {3, 2, 1, 0}, {2, 3, 1, 0}};
    const weft_axes order = WEFT_AXES(orders[i][0], orders[i][1], orders[i][2], orders[i][3]);
    placed a = placed_make(dtype, 3 * 2 * 35 * 67, &random), b = placed_make(dtype, 1, &random);
    placed out = placed_make(dtype, 3 * 2 * 35 * 67, &random);
    placed_reshape(&a, WEFT_SHAPE(3, 2, 35, 67));
    placed_transpose(&a, order);
    placed_reshape(&out, weft_array_shape(a.view));
    sum_check(&out, &a, &b, 0, "planes");
    placed_release(&a);
    placed_release(&b);
    placed_release(&out);
  }
  mark(dtype, dtype);
}
END_TEST

/* Two results with different placings. */
START_TEST(two_axes_two_results)
{
  enum { R = 33, C = 64 };
  static uint32_t a_data[R * C], q_data[R * C], r_data[R * C];
  harness_random random = harness_random_start(450);
  weft_array *a = NULL;
  for (int i = 0; i < R * C; i++) a_data[i] = (uint32_t)harness_bits(&random);
  ok(weft_from_host(&a, ctx, WEFT_U32, WEFT_SHAPE(R, C), a_data));
  for (int q_kind = 0; q_kind < PLACE_RESULTS; q_kind++)
    for (int r_kind = 0; r_kind < PLACE_RESULTS; r_kind++) {
      placed q = place_2d(WEFT_U32, (place)q_kind, R, C, &random), r = place_2d(WEFT_U32, (place)r_kind, R, C, &random);
      ok(weft_divmod(&q.view, &r.view, a, 1000 + q_kind));
      ok(weft_to_host(q_data, sizeof q_data, q.view));
      ok(weft_to_host(r_data, sizeof r_data, r.view));
      for (int i = 0; i < R * C; i++) {
        uint32_t b = 1000 + (uint32_t)q_kind;
        ck_assert_msg(q_data[i] == a_data[i] / b && r_data[i] == a_data[i] % b, "places %d and %d, element %d", q_kind,
                      r_kind, i);
      }
      placed_release(&q);
      placed_release(&r);
      harness_count(1);
    }
  mark_function(WEFT_UFUNC_DIVMOD, 2, WEFT_U32, WEFT_DTYPE_NONE);
  weft_array_release(&a);
}
END_TEST

/* More than 2^19 chunks, more than 2^20 elements. */
START_TEST(large_two_axes)
{
  harness_random random = harness_random_start(500);
  static const struct {
    int dtype;
    int64_t r, c;
    int kind[3];
  } cases[] = {
      {0, 4100, 2048, {PLACE_ROWS, PLACE_ALIGNED_GAPS, PLACE_ROW}},
      {2, 1025, 1027, {PLACE_GAPS, PLACE_COLUMNS, PLACE_ROWS}},
      {2, 1100, 2048, {PLACE_ALIGNED_GAPS, PLACE_ROWS, PLACE_COLUMN}},
      {1, 3, 700001, {PLACE_ROWS, PLACE_INNER_STEP, PLACE_GAPS}},
      {3, 1 << 20, 2, {PLACE_ROWS, PLACE_OUTER_STEP, PLACE_ONE}},
      {3, 1050, 1024, {PLACE_COLUMNS, PLACE_ROWS, PLACE_ROW}},
      {2, 1050, 1024, {PLACE_INNER_STEP, PLACE_ROWS, PLACE_ROW}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_dtype dtype = SUM_DTYPES[cases[i].dtype];
    check_2d(dtype, cases[i].r, cases[i].c, cases[i].kind, &random);
    mark(dtype, dtype);
  }
}
END_TEST

/* ---- up to eight axes ---- */

/// A view of `shape` in its own base: axes in another order, with steps, reversed, and some repeated axes of length 1.
static placed place_nd(weft_dtype dtype, weft_shape shape, bool is_result, harness_random *random) {
  weft_shape base = shape, axes = shape;
  weft_axes back = WEFT_ALL_AXES;
  back.count = shape.ndim;
  int64_t count = 1, step[WEFT_MAX_NDIM];
  int n = shape.ndim;
  for (int d = 0; d < n; d++) axes.dim[d] = d;
  for (int d = n - 1; d > 0; d--) {
    int other = (int)harness_between(random, 0, d);
    int64_t axis = axes.dim[d];
    axes.dim[d] = axes.dim[other];
    axes.dim[other] = axis;
  }
  for (int d = 0; d < n; d++) {
    int64_t length = shape.dim[axes.dim[d]];
    if (!is_result && harness_between(random, 0, 5) == 0) length = 1;
    step[d] = length > 1 ? harness_between(random, 1, 2) : 1;
    base.dim[d] = length * step[d];
    count *= base.dim[d];
    back.axis[axes.dim[d]] = d;
  }
  placed p = placed_make(dtype, count, random);
  placed_reshape(&p, base);
  for (int d = 0; d < n; d++) {
    if (step[d] > 1) placed_slice(&p, d, harness_between(random, 0, 1), WEFT_END, 2);
    if (harness_between(random, 0, 3) == 0) placed_flip(&p, WEFT_AXES(d));
  }
  placed_transpose(&p, back);
  return p;
}

START_TEST(many_axes)
{
  weft_dtype dtype = WEFT_U32;
  harness_random random = harness_random_start(600 + (uint64_t)_i);
  for (int i = 0; i < 6; i++) {
    weft_shape shape = {.ndim = 1 + _i};
    for (int d = 0; d < shape.ndim; d++) shape.dim[d] = harness_between(&random, 2, shape.ndim > 5 ? 3 : 6);
    placed out = place_nd(dtype, shape, true, &random), a = place_nd(dtype, shape, false, &random),
           b = place_nd(dtype, shape, false, &random);
    sum_check(&out, &a, &b, 0, "axes in any order");
    sum_check(&out, &a, NULL, 12, "axes in any order");
    placed_release(&out);
    placed_release(&a);
    placed_release(&b);
  }
  mark(dtype, dtype);
}
END_TEST

/* All eight axes remain: every second element of each, against a contiguous array. */
START_TEST(eight_axes_that_do_not_merge)
{
  harness_random random = harness_random_start(700);
  placed out = placed_make(WEFT_U32, 256 * 256, &random), a = placed_make(WEFT_U32, 256, &random),
         b = placed_make(WEFT_U32, 16, &random);
  placed_reshape(&out, WEFT_SHAPE(4, 4, 4, 4, 4, 4, 4, 4));
  for (int d = 0; d < 8; d++) placed_slice(&out, d, d % 2, WEFT_END, 2);
  placed_reshape(&a, WEFT_SHAPE(2, 2, 2, 2, 2, 2, 2, 2));
  placed_reshape(&b, WEFT_SHAPE(2, 1, 2, 1, 2, 1, 2));
  sum_check(&out, &a, &b, 0, "eight axes");
  placed_flip(&a, WEFT_ALL_AXES);
  sum_check(&out, &a, &b, 0, "eight axes, from behind");
  mark(WEFT_U32, WEFT_U32);
  for (int n = 2; n <= 8; n++) { /* also with fewer axes */
    weft_shape shape = {.ndim = n};
    int64_t count = 1;
    for (int d = 0; d < n; d++) count *= shape.dim[d] = 4;
    placed x = placed_make(WEFT_U32, count, &random), y = placed_make(WEFT_U32, count >> n, &random);
    placed_reshape(&x, shape);
    for (int d = 0; d < n; d++) shape.dim[d] = 2;
    placed_reshape(&y, shape);
    for (int d = 0; d < n; d++) placed_slice(&x, d, 0, WEFT_END, 2);
    sum_check(&x, &y, &y, 0, "all axes step");
    placed_release(&x);
    placed_release(&y);
  }
  mark(WEFT_U32, WEFT_U32);
  placed_release(&out);
  placed_release(&a);
  placed_release(&b);
}
END_TEST

/* For results narrower than the type they are computed in, a thread takes two chunks, in runs and in rows. */
START_TEST(large_narrow_results)
{
  enum { ROWS = 2049, WIDE = 1028, LENGTH = 1024 };
  static bool got[ROWS * WIDE];
  weft_array *x = NULL, *square = NULL, *rows = NULL, *less = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, ROWS * WIDE, 1));
  ok(weft_less(&less, x, 1000000.5f));
  ok(weft_to_host(got, sizeof got, less));
  for (int i = 0; i < ROWS * WIDE; i++) ck_assert_msg(got[i] == (i < 1000001), "element %d", i);
  weft_array_release(&less);
  ok(weft_reshape(&square, x, WEFT_SHAPE(ROWS, WIDE)));
  ok(weft_slice(&rows, square, 1, 0, LENGTH));
  ok(weft_less(&less, rows, 1000000.5f));
  ok(weft_to_host(got, ROWS * LENGTH, less));
  for (int i = 0; i < ROWS * LENGTH; i++)
    ck_assert_msg(got[i] == (i / LENGTH * WIDE + i % LENGTH < 1000001), "row %d, element %d", i / LENGTH, i % LENGTH);
  weft_array_release(&less);
  mark_function(WEFT_UFUNC_LESS, 1, WEFT_F32, WEFT_F64);
  weft_release(&rows, &square, &x);
}
END_TEST

/// A result of which each element must be `want`, or its number if `want` is -1.
static void check_elements(weft_array **y, float *got, int64_t count, float want, const char *what) {
  weft_array *real = NULL;
  ok(weft_real(&real, *y));
  ok(weft_to_host(got, (size_t)count * sizeof *got, real));
  for (int64_t i = 0; i < count; i++)
    ck_assert_msg(got[i] == (want < 0 ? (float)i : want), "%s: element %lld is %a", what, (long long)i, (double)got[i]);
  weft_release(&real, y);
}

/* Functions that take about as long to compute as to move, or longer, have other blocks and chunks in large runs. */
START_TEST(large_runs_of_long_functions)
{
  enum { LENGTH = (1 << 22) + 1027 };
  static float got[LENGTH];
  weft_array *x = NULL, *half = NULL, *complex = NULL, *y = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, LENGTH, 1));
  ok(weft_pow(&y, x, 1));
  check_elements(&y, got, LENGTH, -1, "x to the power of 1");
  ok(weft_slice(&half, x, 0, 0, LENGTH / 2 + 1));
  ok(weft_cast(&complex, half, WEFT_C64));
  ok(weft_abs(&y, complex));
  check_elements(&y, got, LENGTH / 2 + 1, -1, "|x + 0i|");
  ok(weft_multiply(&complex, complex, 0));
  ok(weft_exp(&y, complex));
  check_elements(&y, got, LENGTH / 2 + 1, 1, "exp(0 + 0i)");
  mark_function(WEFT_UFUNC_POW, 1, WEFT_F32, WEFT_DTYPE_NONE);
  mark_function(WEFT_UFUNC_EXP, 1, WEFT_C64, NO_OPERAND);
  weft_release(&x, &half, &complex);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "runs");
  tcase_add_loop_test(tc, runs_around_chunks_and_blocks, 0, SUM_SIZES);
  tcase_add_loop_test(tc, large_runs, 0, SUM_SIZES);
  tcase_add_test(tc, large_narrow_results);
  tcase_add_test(tc, large_runs_of_long_functions);
  tcase_add_test(tc, runs_of_mixed_widths);
  tcase_add_test(tc, large_runs_into_narrow_results);
  tcase_add_loop_test(tc, runs_in_adopted_buffers, 0, SUM_SIZES);
  tc = harness_context_case(suite, "axes");
  tcase_add_loop_test(tc, two_axes, 0, SUM_SIZES);
  tcase_add_loop_test(tc, turned_operands, 0, SUM_SIZES);
  tcase_add_test(tc, two_axes_two_results);
  tcase_add_test(tc, large_two_axes);
  tcase_add_loop_test(tc, many_axes, 0, WEFT_MAX_NDIM);
  tcase_add_test(tc, eight_axes_that_do_not_merge);
}

int main(void) {
  map = harness_shared(sizeof *map);
  return harness_main(&(harness_suite){.name = "ufunc_edges", .add = add, .after = report});
}

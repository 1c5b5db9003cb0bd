// SPDX-License-Identifier: MIT
/// Launches whose block Weft chooses: every element is written once, the block follows the kernel's numbers; and what
/// weft_kernel_occupancy says of them.
#include <string.h>

#include "harness.h"
#include "launch/occupancy.h"

static weft_kernel *build(const char *source) {
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = source));
  return kernel;
}

/* y[0] .. y[n - 1] count the threads that had this number; y[n] receives the block */
static const char COUNT[] =
    "kernel void count(global int *y, ulong n) {\n"
    "  ulong i = get_global_id(0);\n"
    "  if (i < n) y[i]++;\n"
    "  if (i == 0) y[n] = (int)get_local_size(0);\n"
    "}\n";

START_TEST(one_axis)
{
  static const int sizes[] = {1, 2, 63, 255, 256, 257, 1023, 4097, 100000};
  weft_kernel *count = build(COUNT);
  weft_kernel_info info;
  ok(weft_kernel_get(&info, count));
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int n = sizes[s];
    static int got[100001];
    weft_array *y = NULL;
    ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(n + 1)));
    ok(weft_launch_n(count, n, y, n));
    ok(weft_to_host(got, (size_t)(n + 1) * 4, y));
    for (int i = 0; i < n; i++) ck_assert_msg(got[i] == 1, "%d: element %d had %d threads", n, i, got[i]);
    ck_assert_int_ge(got[n], 1);
    ck_assert_uint_le((uint64_t)got[n], info.max_block_threads);
    if (info.preferred_multiple > 1) ck_assert_uint_eq((uint64_t)got[n] % info.preferred_multiple, 0);
    weft_release(&y);
    harness_count(1);
  }
  weft_release(&count);
}
END_TEST

START_TEST(two_axes)
{
  static const int shapes[][2] = {{1, 1}, {1, 5000}, {5000, 1}, {37, 61}, {64, 64}, {3, 1000}};
  weft_kernel *count = build(
      "kernel void count2(global int *y, int rows, int columns) {\n"
      "  int row = get_global_id(1), column = get_global_id(0);\n"
      "  if (row < rows && column < columns) y[row * columns + column]++;\n"
      "}\n");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    const int rows = shapes[s][0], columns = shapes[s][1];
    static int got[5000];
    weft_array *y = NULL;
    ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(rows, columns)));
    ok(weft_launch_2d(count, rows, columns, y, rows, columns));
    ok(weft_to_host(got, (size_t)rows * (size_t)columns * 4, y));
    for (int i = 0; i < rows * columns; i++) ck_assert_msg(got[i] == 1, "%d x %d: element %d", rows, columns, i);
    weft_release(&y);
    harness_count(1);
  }
  weft_release(&count);
}
END_TEST

START_TEST(required_blocks)
{
  int got[101];
  weft_array *y = NULL;
  weft_kernel *line = build(
      "kernel __attribute__((reqd_work_group_size(7, 1, 1))) void line(global int *y, int n) {\n"
      "  int i = get_global_id(0);\n  if (i < n) y[i] = get_local_size(0);\n}\n");
  weft_kernel *tile = build(
      "kernel __attribute__((reqd_work_group_size(4, 4, 1))) void tile(global int *y, int n) {\n"
      "  int i = get_global_id(1) * 10 + get_global_id(0);\n  if (get_global_id(0) < 10 && "
      "get_global_id(1) < 10) y[i] = get_local_size(1);\n}\n");
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(101)));
  ok(weft_launch_n(line, 101, y, 101));
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 101; i++) ck_assert_int_eq(got[i], 7);
  ok(weft_launch_2d(tile, 10, 10, y, 100));
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 100; i++) ck_assert_int_eq(got[i], 4);
  expect_error(weft_launch_n(tile, 100, y, 100), WEFT_ERROR_LAUNCH_LIMIT,
               "weft_launch_n: tile requires blocks of 4 x 4 x 1 (reqd_work_group_size)", "@kernel");
  weft_release(&tile, &line, &y);
}
END_TEST

START_TEST(refused)
{
  weft_array *y = NULL;
  weft_kernel *count = build(COUNT), *none = NULL;
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(3)));
  ok(weft_launch_n(count, 0, y, 0)); /* launches nothing */
  ok(weft_launch_2d(count, 5, 0, y, 0));
  expect_error(weft_launch_n(count, -1, y, 0), WEFT_ERROR_LAUNCH_LIMIT, "count: `n` is -1; expected 0 or more", "@n");
  expect_error(weft_launch_n(count, 2.0f, y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "count: `n` is f32; expected a number of elements", "@n");
  expect_error(weft_launch_2d(count, 3, y), WEFT_ERROR_KERNEL_ARGUMENT, "count: `columns` is no number", "@columns");
  expect_error((weft_launch_n)(count, 0, NULL), WEFT_ERROR_KERNEL_ARGUMENT, "count: `n` is missing");
  expect_error((weft_launch_2d)(count, 0, NULL), WEFT_ERROR_KERNEL_ARGUMENT, "count: `rows` or `columns` is missing");
  expect_error(weft_launch_n(count, 3, y), WEFT_ERROR_KERNEL_ARGUMENT, "count takes 2 arguments, 1 is given");
  expect_error(weft_launch_n(count, INT64_MAX, y, 3), WEFT_ERROR_LAUNCH_LIMIT, "grid");
  expect_error(weft_launch_n(none, 3, y, 3), WEFT_ERROR_HANDLE, "@kernel");
  weft_release(&count, &y);
}
END_TEST

START_TEST(occupancy)
{
  weft_occupancy o;
  weft_device_info info;
  weft_kernel *count = build(
      "kernel void held(global int *y) {\n  local int room[100];\n"
      "  room[get_local_id(0) % 100] = (int)get_local_id(0);\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n  y[0] = room[0];\n}\n");

  ok(weft_device_get(&info, device.index));
  ok(weft_kernel_occupancy(&o, count));
  ck_assert_uint_gt(o.block_threads, 0);
  ck_assert_uint_le(o.block_threads, o.max_block_threads);
  ck_assert_uint_eq(o.compute_units, info.compute_units);
  const uint64_t own = o.local_memory_bytes;
  ok(weft_kernel_occupancy(&o, count, .block_threads = 1, .local_bytes = 64));
  ck_assert_uint_eq(o.block_threads, 1);
  ck_assert_uint_eq(o.local_memory_bytes, own + 64);
  ck_assert(o.occupancy >= 0 && o.occupancy <= 1);
  expect_error(weft_kernel_occupancy(&o, count, .block_threads = o.max_block_threads + 1), WEFT_ERROR_LAUNCH_LIMIT,
               "a block of held has at most", "@block_threads");
  expect_error(weft_kernel_occupancy(&o, count, .local_bytes = UINT64_MAX), WEFT_ERROR_LAUNCH_LIMIT, "@local_bytes");
  weft_release(&count);
}
END_TEST

/// NVIDIA's log, and the numbers of CUDA's occupancy calculator.
START_TEST(blocks_at_once)
{
  static const char log[] =
      "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'first' for 'sm_90'\n"
      "ptxas info    : Function properties for first\n    0 bytes stack frame, 0 bytes spill stores\n"
      "ptxas info    : Used 24 registers, 400 bytes smem\n"
      "ptxas info    : Compiling entry function 'silent' for 'sm_90'\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_90'\nptxas info    : Used 128 registers\n";
  static const struct {
    uint32_t capability, registers, threads, local, blocks;
  } cases[] = {
      {90, 32, 256, 0, 8}, /* 2048 threads */
      {90, 64, 256, 0, 4}, /* 65536 registers */
      {90, 255, 256, 0, 1},
      {90, 33, 1024, 0, 1},
      {90, 32, 32, 0, 32}, /* 32 blocks */
      {90, 32, 256, 48 << 10, 4} /* 228 KiB of local memory, 49 for each */,
      {80, 32, 256, 48 << 10, 3},
      {75, 32, 256, 0, 4},
      {89, 40, 512, 0, 3},
      {61, 32, 256, 0, 0},
      {90, 0, 256, 0, 0},
  };
  uint32_t most = 0;
  ck_assert_uint_eq(weft__log_registers(log, "first"), 24);
  ck_assert_uint_eq(weft__log_registers(log, "second"), 128);
  ck_assert_uint_eq(weft__log_registers(log, "silent"), 0);
  ck_assert_uint_eq(weft__log_registers(log, "third"), 0);
  ck_assert_uint_eq(weft__log_registers("", "first"), 0);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const uint32_t blocks =
        weft__blocks_at_once(&most, cases[k].capability, cases[k].registers, cases[k].threads, cases[k].local);
    ck_assert_msg(blocks == cases[k].blocks, "case %d: %u blocks", (int)k, blocks);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "occupancy");
  tcase_add_test(tc, one_axis);
  tcase_add_test(tc, two_axes);
  tcase_add_test(tc, required_blocks);
  tcase_add_test(tc, refused);
  tcase_add_test(tc, occupancy);
  tcase_add_test(tc, blocks_at_once);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "occupancy", .add = add});
}

// SPDX-License-Identifier: MIT
/// Each thread's ids, written by the device: all records of many grids and blocks against three nested loops.
#include <stdio.h>

#include "harness.h"

static void check_axis(const uint32_t *got, weft_dim3 expected, const char *what) {
  ck_assert_msg(got[0] == expected.x && got[1] == expected.y && got[2] == expected.z,
                "%s is %u %u %u, not %" PRIu64 " %" PRIu64 " %" PRIu64, what, got[0], got[1], got[2], expected.x,
                expected.y, expected.z);
}

/* Checks the record of thread `thread` of block `block`, both flat, x fastest. */
static void check_record(const weft_thread_record *r, weft_dim3 grid, weft_dim3 dim, uint64_t block, uint64_t thread) {
  weft_dim3 b = WEFT_DIM3(block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y);
  weft_dim3 t = WEFT_DIM3(thread % dim.x, thread / dim.x % dim.y, thread / dim.x / dim.y);
  check_axis(r->thread_idx, t, "threadIdx");
  check_axis(r->block_idx, b, "blockIdx");
  check_axis(r->block_dim, dim, "blockDim");
  check_axis(r->grid_dim, grid, "gridDim");
  check_axis(r->local_id, t, "get_local_id");
  check_axis(r->group_id, b, "get_group_id");
  check_axis(r->local_size, dim, "get_local_size");
  check_axis(r->num_groups, grid, "get_num_groups");
  ck_assert_uint_eq(r->global_id[0], b.x * dim.x + t.x);
  ck_assert_uint_eq(r->global_id[1], b.y * dim.y + t.y);
  ck_assert_uint_eq(r->global_id[2], b.z * dim.z + t.z);
  ck_assert_uint_eq(r->flat_id, block * (dim.x * dim.y * dim.z) + thread);
  harness_count(1);
}

static void check_launch(weft_dim3 grid, weft_dim3 block, const weft_introspect_params *window) {
  weft_thread_record *records = NULL;
  uint64_t count = 12345, blocks = grid.x * grid.y * grid.z, threads = block.x * block.y * block.z;
  weft_introspect_params all = {0};
  if (window) all = *window;
  if (all.block_count == 0) all.block_count = blocks - all.first_block;
  if (all.thread_count == 0) all.thread_count = threads - all.first_thread;
  ok((weft_introspect)(&records, &count, ctx, grid, block, window));
  ck_assert_ptr_nonnull(records);
  ck_assert_uint_eq(count, all.block_count * all.thread_count);
  for (uint64_t i = 0; i < count; i++) {
    check_record(&records[i], grid, block, all.first_block + i / all.thread_count,
                 all.first_thread + i % all.thread_count);
  }
  weft_free(records);
}

START_TEST(two_blocks_of_four)
{
  weft_thread_record *records = NULL;
  uint64_t count = 0;
  const uint32_t thread[8] = {0, 1, 2, 3, 0, 1, 2, 3}, block[8] = {0, 0, 0, 0, 1, 1, 1, 1};
  ok(weft_introspect(&records, &count, ctx, WEFT_DIM3(2), WEFT_DIM3(4)));
  ck_assert_uint_eq(count, 8);
  for (int i = 0; i < 8; i++) { /* the document's lines */
    ck_assert_uint_eq(records[i].thread_idx[0], thread[i]);
    ck_assert_uint_eq(records[i].block_idx[0], block[i]);
    ck_assert_uint_eq(records[i].block_dim[0], 4);
    ck_assert_uint_eq(records[i].grid_dim[0], 2);
    check_record(&records[i], WEFT_DIM3(2), WEFT_DIM3(4), (uint64_t)i / 4, (uint64_t)i % 4);
  }
  weft_free(records);
}
END_TEST

/* Few block sizes: PoCL recompiles a kernel for each. */
static const uint64_t BLOCKS[3][6][3] = {
    {{1, 1, 1}, {4, 1, 1}, {7, 1, 1}, {32, 1, 1}, {64, 1, 1}, {33, 1, 1}},
    {{1, 4, 1}, {4, 1, 1}, {3, 5, 1}, {16, 2, 1}, {8, 8, 1}, {32, 1, 1}},
    {{1, 1, 5}, {2, 3, 4}, {5, 1, 2}, {1, 1, 1}, {8, 2, 2}, {4, 1, 1}},
};

START_TEST(random_grids_and_blocks)
{
  harness_random random = harness_random_start((uint64_t)_i);
  for (int round = 0; round < 20; round++) {
    const uint64_t *block = BLOCKS[_i - 1][harness_between(&random, 0, 5)];
    weft_dim3 grid = WEFT_DIM3(harness_between(&random, 1, 20));
    if (_i > 1) grid.y = (uint64_t)harness_between(&random, 1, 6);
    if (_i > 2) grid.z = (uint64_t)harness_between(&random, 1, 4);
    check_launch(grid, WEFT_DIM3(block[0], block[1], block[2]), NULL);
  }
}
END_TEST

START_TEST(edges)
{
  weft_device_info info;
  ok(weft_context_get_device(&info, ctx));
  check_launch(WEFT_DIM3(1), WEFT_DIM3(1), NULL);
  check_launch(WEFT_DIM3(1), WEFT_DIM3(info.max_block_threads), NULL);
  check_launch(WEFT_DIM3(1, 1, 7), WEFT_DIM3(1, 1, 5), NULL);
  check_launch(WEFT_DIM3(1, 300), WEFT_DIM3(1), NULL);
  check_launch(WEFT_DIM3(4097), WEFT_DIM3(4), NULL);
}
END_TEST

START_TEST(windows)
{
  const weft_introspect_params cases[] = {
      {0, 0, 0, 0, NULL},   {0, 1, 0, 1, NULL}, {5, 0, 0, 0, NULL},  {0, 0, 7, 0, NULL},
      {23, 1, 14, 1, NULL}, {3, 4, 2, 5, NULL}, {23, 0, 0, 1, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_launch(WEFT_DIM3(4, 3, 2), WEFT_DIM3(3, 5), &cases[i]);
  harness_random random = harness_random_start(9);
  for (int round = 0; round < 20; round++) {
    weft_introspect_params w = {.first_block = (uint64_t)harness_between(&random, 0, 23),
                                .first_thread = (uint64_t)harness_between(&random, 0, 14)};
    w.block_count = (uint64_t)harness_between(&random, 0, 24 - (int64_t)w.first_block);
    w.thread_count = (uint64_t)harness_between(&random, 0, 15 - (int64_t)w.first_thread);
    check_launch(WEFT_DIM3(4, 3, 2), WEFT_DIM3(3, 5), &w);
  }
}
END_TEST

START_TEST(the_end_of_a_large_grid)
{
  weft_introspect_params last = {.first_block = (1 << 20) - 2, .block_count = 2, .first_thread = 30, .thread_count = 2};
  weft_introspect_params wide = {.first_block = 65535 * 3 - 1, .block_count = 1};
  check_launch(WEFT_DIM3(1 << 20), WEFT_DIM3(32), &last);
  check_launch(WEFT_DIM3(1, 65535, 3), WEFT_DIM3(4), &wide);
}
END_TEST

START_TEST(windows_outside)
{
  const weft_introspect_params wrong[] = {
      {24, 0, 0, 0, NULL},
      {24, 1, 0, 0, NULL},
      {0, 25, 0, 0, NULL},
      {23, 2, 0, 0, NULL},
      {0, 0, 15, 0, NULL},
      {0, 0, 0, 16, NULL},
      {0, 0, 14, 2, NULL},
      {UINT64_MAX, 1, 0, 0, NULL},
      {1, UINT64_MAX, 0, 0, NULL},
      {0, 0, UINT64_MAX, UINT64_MAX, NULL},
      {0, 0, 5, UINT64_MAX - 4, NULL},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    weft_thread_record *records = NULL;
    uint64_t count = 0;
    bool is_block = wrong[i].first_block || wrong[i].block_count;
    expect_error((weft_introspect)(&records, &count, ctx, WEFT_DIM3(4, 3, 2), WEFT_DIM3(3, 5), &wrong[i]),
                 WEFT_ERROR_INDEX, "weft_introspect", "@window", is_block ? "24" : "15");
    ck_assert_ptr_null(records);
    harness_count(1);
  }
}
END_TEST

START_TEST(launches_that_are_refused)
{
  weft_thread_record *records = NULL;
  uint64_t count = 0;
  weft_introspect_params one = {.block_count = 1, .thread_count = 1};
  const weft_dim3 g = WEFT_DIM3(1);
  expect_error(weft_introspect(&records, &count, ctx, WEFT_DIM3(0), g), WEFT_ERROR_LAUNCH_LIMIT, "weft_introspect",
               "grid", "0");
  expect_error(weft_introspect(&records, &count, ctx, g, WEFT_DIM3(1, 0)), WEFT_ERROR_LAUNCH_LIMIT, "weft_introspect",
               "block", "0");
  expect_error((weft_introspect)(&records, &count, ctx, WEFT_DIM3(UINT64_C(1) << 50), g, &one), WEFT_ERROR_LAUNCH_LIMIT,
               "weft_introspect", "1125899906842624", "2147483647");
  expect_error(weft_introspect(&records, &count, ctx, WEFT_DIM3(UINT64_C(1) << 62), WEFT_DIM3(4)),
               WEFT_ERROR_LAUNCH_LIMIT, "weft_introspect", "4611686018427387904");
  expect_error(weft_introspect(&records, &count, ctx, g, WEFT_DIM3(1000000)), WEFT_ERROR_LAUNCH_LIMIT,
               "weft_introspect", "1000000");
  ck_assert_ptr_null(records);
}
END_TEST

START_TEST(wrong_calls)
{
  weft_thread_record *records = NULL;
  uint64_t count = 0;
  const weft_dim3 g = WEFT_DIM3(1);
  weft_context *wrong[] = {harness_garbage(), harness_zeroed()};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft_introspect(&records, &count, wrong[i], g, g), WEFT_ERROR_HANDLE, "weft_introspect", "@context");
  }
  expect_error(weft_introspect((weft_thread_record **)NULL, &count, ctx, g, g), WEFT_ERROR_ARGUMENT, "weft_introspect",
               "@records", "NULL");
  expect_error(weft_introspect(&records, NULL, ctx, g, g), WEFT_ERROR_ARGUMENT, "weft_introspect", "@count", "NULL");
  ck_assert_ptr_null(records);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "introspect");
  tcase_add_test(tc, two_blocks_of_four);
  tcase_add_loop_test(tc, random_grids_and_blocks, 1, 4);
  tcase_add_test(tc, edges);
  tcase_add_test(tc, windows);
  tcase_add_test(tc, the_end_of_a_large_grid);
  tcase_add_test(tc, windows_outside);
  tcase_add_test(tc, launches_that_are_refused);
  tcase_add_test(tc, wrong_calls);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "introspect", .add = add});
}

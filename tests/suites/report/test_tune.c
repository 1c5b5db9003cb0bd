// SPDX-License-Identifier: MIT
/// weft_tune: the candidates that are tried, the winner, refusals, and the file that keeps winners.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

/* with SLOW the kernel does far more work, so that the winner is known */
static const char SOURCE[] =
    "kernel void work(global float *y, int n) {\n"
    "  int i = get_global_id(0);\n  float a = 0;\n"
    "#ifdef SLOW\n  for (int k = 0; k < 20000; k++) a = a * 0.5f + y[(i + k) % n];\n#endif\n"
    "#ifdef BROKEN\n  broken\n#endif\n"
    "  if (i < n) y[i] = a * 0 + 1;\n}\n";
static const char *const slow[] = {"SLOW", NULL}, *const fast[] = {NULL}, *const broken[] = {"BROKEN", NULL};
static const char *const *const sets[] = {slow, fast, broken};

typedef struct job {
  weft_array *y;
  int runs, told, refused;
  weft_status fails;
} job;

static weft_status run(weft_kernel *kernel, weft_dim3 block, void *user) {
  job *j = user;
  j->runs++;
  if (j->fails) return weft_launch(NULL, block, block);
  return weft_launch(kernel, WEFT_DIM3(weft_ceil_div(256, block.x)), block, j->y, 256);
}

static void count(void *user, const weft_tuning *tried, int done, int all) {
  job *j = user;
  j->told++;
  j->refused += tried->time_ns < 0;
  ck_assert(done == j->told && done <= all && !tried->was_kept);
}

static job begin(void) {
  job j = {.y = NULL};
  ok(weft_zeros(&j.y, ctx, WEFT_F32, WEFT_SHAPE(256)));
  return j;
}

START_TEST(the_fastest)
{
  const weft_dim3 blocks[] = {WEFT_DIM3(16), WEFT_DIM3(64), WEFT_DIM3(1000000)};
  job j = begin();
  weft_tuning tuning;
  weft_kernel *kernel = NULL;
  float got[256];
  ok(weft_tune(&kernel, &tuning, ctx, run, &j, .kernel = {.source = SOURCE}, .blocks = blocks, .block_count = 3,
               .define_sets = sets, .define_set_count = 3, .runs = 2, .loops = 3, .progress = count));
  ck_assert_int_eq(tuning.define_set, 1);
  ck_assert(tuning.block.x == 16 || tuning.block.x == 64);
  ck_assert(tuning.time_ns > 0 && !tuning.was_kept);
  ck_assert_int_eq(j.told, 9);
  ck_assert_int_eq(j.refused, 5); /* the largest block twice, and the three of the set that does not compile */
  ok(weft_launch(kernel, WEFT_DIM3(4), WEFT_DIM3(64), j.y, 256));
  ok(weft_to_host(got, sizeof got, j.y));
  for (int i = 0; i < 256; i++) ck_assert_float_eq(got[i], 1);
  weft_release(&kernel, &j.y);
}
END_TEST

/// The second call measures nothing; another source or other lists do. Winners stay side by side.
START_TEST(kept)
{
  const weft_dim3 blocks[] = {WEFT_DIM3(16), WEFT_DIM3(64)};
  char folder[] = "test_tune_XXXXXX", path[64];
  weft_tuning first, again;
  weft_kernel *kernel = NULL;
  job j = begin();
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/tuned.json", folder);
#define TUNE(tuning, source_, blocks_)                                                                                 \
  ok(weft_tune(&kernel, tuning, ctx, run, &j, .kernel = {.source = source_}, .blocks = blocks, .block_count = blocks_, \
               .runs = 1, .loops = 1, .file = path));                                                                  \
  weft_release(&kernel)
  TUNE(&first, SOURCE, 2);
  const int runs = j.runs;
  ck_assert(runs > 0 && !first.was_kept);
  TUNE(&again, SOURCE, 2);
  ck_assert_int_eq(j.runs, runs);
  ck_assert(again.was_kept && again.block.x == first.block.x && again.define_set == 0);
  TUNE(&again, SOURCE, 1);
  ck_assert(j.runs > runs && !again.was_kept);
  const int more = j.runs;
  TUNE(&again, "kernel void other(global float *y, int n) {\n  y[0] = n;\n}\n", 2);
  ck_assert(j.runs > more && !again.was_kept);
  TUNE(&again, SOURCE, 2);
  ck_assert(again.was_kept);
  /* a file that is another's is left alone */
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs("{\"weft-tune\": 1, \"winners\": [{\"hash\": [1", file);
  fclose(file);
  expect_error(weft_tune(&kernel, NULL, ctx, run, &j, .kernel = {.source = SOURCE}, .blocks = blocks, .block_count = 2,
                         .file = path),
               WEFT_ERROR_FILE, "is no file of weft_tune", "@file");
  unlink(path);
  rmdir(folder);
  weft_release(&j.y);
}
END_TEST

START_TEST(refused)
{
  const weft_dim3 blocks[] = {WEFT_DIM3(1000000)};
  weft_kernel *kernel = NULL;
  job j = begin();
  expect_error(weft_tune(&kernel, NULL, ctx, run, &j, .kernel = {.source = SOURCE}, .blocks = blocks, .block_count = 1),
               WEFT_ERROR_LAUNCH_LIMIT, "trying the last of 1 candidates, all of them refused");
  expect_error(weft_tune(&kernel, NULL, ctx, run, &j, .kernel = {.source = SOURCE}), WEFT_ERROR_ARGUMENT,
               "`blocks` is NULL", "@blocks");
  expect_error(
      weft_tune(&kernel, NULL, ctx, NULL, &j, .kernel = {.source = SOURCE}, .blocks = blocks, .block_count = 1),
      WEFT_ERROR_ARGUMENT, "`run` is NULL", "@run");
  expect_error(weft_tune(&kernel, NULL, ctx, run, &j, .kernel = {.source = SOURCE, .defines = slow}, .blocks = blocks,
                         .block_count = 1, .define_sets = sets, .define_set_count = 2),
               WEFT_ERROR_ARGUMENT, "`.kernel.defines` and `.define_sets` are given");
  j.fails = WEFT_ERROR_HANDLE; /* another error than a refusal ends the tuning */
  expect_error(weft_tune(&kernel, NULL, ctx, run, &j, .kernel = {.source = SOURCE}, .blocks = blocks, .block_count = 1),
               WEFT_ERROR_HANDLE, "");
  ck_assert_ptr_null(kernel);
  weft_release(&j.y);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "tune");
  tcase_add_test(tc, the_fastest);
  tcase_add_test(tc, kept);
  tcase_add_test(tc, refused);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "tune", .add = add});
}

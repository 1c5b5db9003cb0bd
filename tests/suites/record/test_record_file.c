// SPDX-License-Identifier: MIT
// Recordings in files: replayed in another context, named arrays, and files that are damaged.
#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "harness.h"

enum { ELEMENTS = 3000, FIRST_LINE = 55 /* bytes, with its end */ };

static char path[64];

static void begin(void) {
  harness_context_open();
  snprintf(path, sizeof path, "/tmp/weft-record-%ld", (long)getpid());
}

static void end(void) {
  unlink(path);
  harness_context_close();
}

/// Records calls of many kinds on `x` and constants, names arrays, and saves. *expected: the result.
static void save(float *expected) {
  static float weights[7] = {1, 2, 3, 4, 3, 2, 1};
  weft_array *x = NULL, *y = NULL, *t = NULL, *u = NULL, *index = NULL, *bias = NULL;
  weft_recording *recording = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, ELEMENTS, 1));
  ok(weft_full(&bias, ctx, WEFT_F32, WEFT_SHAPE(ELEMENTS), 0.5f));
  ok(weft_arange(&index, ctx, WEFT_I64, ELEMENTS - 1, -1, -1));
  ok(weft_record_begin(ctx));
  ok(weft_eval(&t, ctx, "sin(x) + bias", WEFT_VAR(x), WEFT_VAR(bias)));
  ok(weft_cumsum(&u, t, 0));
  ok(weft_take(&t, u, index, 0));
  ok(weft_convolve(&y, t, WEFT_HOST(weights, WEFT_F32, WEFT_SHAPE(7)), .mode = WEFT_CONVOLVE_SAME));
  weft_array_release(&u);
  ok(weft_sort(&y, y, 0));
  ok(weft_record_end(&recording));
  ok(weft_recording_name(recording, x, "x"));
  ok(weft_recording_name(recording, y, "y"));
  expect_error(weft_recording_name(recording, y, "x"), WEFT_ERROR_ARGUMENT, "another array", "@name");
  expect_error(weft_recording_name(recording, y, ""), WEFT_ERROR_ARGUMENT, "0 bytes", "@name");
  ok(weft_recording_save(recording, path));
  ok(weft_to_host(expected, ELEMENTS * sizeof *expected, y));
  weft_release(&recording, &x, &y, &t, &index, &bias);
}

static void check(weft_array *y, const float *expected) {
  float got[ELEMENTS];
  ok(weft_to_host(got, sizeof got, y));
  ck_assert_mem_eq(got, expected, sizeof got);
}

START_TEST(another_context_replays_it)
{
  float expected[ELEMENTS];
  weft_array *x = NULL, *y = NULL, *z = NULL, *old = NULL, *none = NULL;
  weft_recording *recording = NULL;
  weft_recording_info info;
  save(expected);
  harness_context_close();
  harness_context_open();
  ok(weft_recording_load(&recording, ctx, path));
  ok(weft_recording_array(&x, recording, "x"));
  ok(weft_recording_array(&y, recording, "y"));
  expect_error(weft_recording_array(&none, recording, "w"), WEFT_ERROR_ARGUMENT, "\"w\"", "x, y", "@name");
  ok(weft_replay(recording));
  check(y, expected); /* x has its elements from the file */
  ok(weft_copy(&old, x));
  ok(weft_fill(x, 0));
  ok(weft_replay(recording));
  ok(weft_replay(recording, WEFT_BIND(x, old)));
  check(y, expected);
  /* and again, of what was loaded */
  ok(weft_recording_get(&info, recording));
  ck_assert_uint_eq(info.replays, 3);
  ok(weft_copy(&x, old));
  ok(weft_recording_save(recording, path));
  weft_release(&recording, &x, &y, &z, &old);
  ok(weft_recording_load(&recording, ctx, path));
  ok(weft_recording_array(&y, recording, "y"));
  ok(weft_replay(recording));
  check(y, expected);
  weft_release(&recording);
  check(y, expected); /* outlives it */
  weft_release(&y);
}
END_TEST

/* ---- damage ---- */

static char *read_all(size_t *size) {
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size);
  ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

static void write_all(const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
  ck_assert_int_eq(fclose(file), 0);
}

/// Writes a first line that fits the bytes.
static void sign(char *bytes, size_t size) {
  char first[FIRST_LINE + 1];
  const size_t rest = size - FIRST_LINE;
  snprintf(first, sizeof first, "weft-recording 1 %016" PRIx64 " %020" PRIu64 "\n",
           weft__hash(bytes + FIRST_LINE, rest, 1), (uint64_t)rest);
  memcpy(bytes, first, FIRST_LINE);
}

START_TEST(damaged_files_are_refused)
{
  float expected[ELEMENTS];
  size_t size;
  weft_recording *recording = NULL;
  save(expected);
  char *bytes = read_all(&size);
  ck_assert_int_eq(bytes[FIRST_LINE - 1], '\n');
  harness_random random = harness_random_start(5);
  for (int k = 0; k < 30; k++) {
    const size_t kept = k < 3 ? (size_t)k * 30 : (size_t)harness_between(&random, 0, (int64_t)size - 1);
    write_all(bytes, kept);
    expect_error(weft_recording_load(&recording, ctx, path), WEFT_ERROR_FILE, "loading the recording", "@file");
    const size_t at = (size_t)harness_between(&random, 0, (int64_t)size - 1);
    bytes[at] ^= 4;
    write_all(bytes, size);
    expect_error(weft_recording_load(&recording, ctx, path), WEFT_ERROR_FILE, "@file");
    bytes[at] ^= 4;
  }
  unlink(path);
  expect_error(weft_recording_load(&recording, ctx, path), WEFT_ERROR_FILE, "cannot read", "@file");
  expect_error(weft_recording_load(&recording, ctx, "/tmp"), WEFT_ERROR_FILE, "cannot read", "@file");
  write_all(bytes, size);
  ok(weft_recording_load(&recording, ctx, path));
  expect_error(weft_recording_save(recording, "/nonexistent/file"), WEFT_ERROR_FILE, "cannot", "@file");
  weft_release(&recording);
  free(bytes);
}
END_TEST

/// Files whose first line fits, but whose numbers are wrong: each is refused, or loads. None crashes or hangs.
START_TEST(poisoned_files_do_no_harm)
{
  static const unsigned char poison[] = {0xff, 0x80, 0x7f, 0x01, 0x00};
  float expected[ELEMENTS];
  size_t size;
  weft_recording *recording = NULL;
  int refusals = 0;
  save(expected);
  char *bytes = read_all(&size);
  /* the lists behind the kernels' text: changed text would be compiled again each time */
  const char *last_text = bytes;
  for (size_t k = FIRST_LINE; k + 8 < size; k++)
    if (memcmp(bytes + k, "#line 1 ", 8) == 0) last_text = bytes + k;
  const size_t begin_at = (size_t)(last_text - bytes) + strlen(last_text);
  harness_random random = harness_random_start(6);
  for (int k = 0; k < 150; k++) {
    const size_t at = (size_t)harness_between(&random, (int64_t)begin_at, (int64_t)size - 1);
    const char before = bytes[at];
    bytes[at] = (char)poison[harness_between(&random, 0, 4)];
    sign(bytes, size);
    write_all(bytes, size);
    refusals += weft_recording_load(&recording, ctx, path) != WEFT_OK;
    weft_recording_release(&recording);
    bytes[at] = before;
  }
  ck_assert_int_gt(refusals, 30);
  /* a file cut off, with a first line that fits */
  for (int k = 0; k < 40; k++) {
    const size_t kept = (size_t)harness_between(&random, (int64_t)begin_at, (int64_t)size - 1);
    char *part = malloc(kept);
    memcpy(part, bytes, kept);
    sign(part, kept);
    write_all(part, kept);
    expect_error(weft_recording_load(&recording, ctx, path), WEFT_ERROR_FILE, "parts do not fit", "@file");
    free(part);
  }
  /* of another kind of device */
  sign(bytes, size);
  bytes[FIRST_LINE + 16] ^= 1;
  sign(bytes, size);
  write_all(bytes, size);
  expect_error(weft_recording_load(&recording, ctx, path), WEFT_ERROR_UNSUPPORTED, "was recorded on", "@file");
  free(bytes);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "record file");
  tcase_add_checked_fixture(tc, begin, end);
  tcase_set_timeout(tc, 200);
  tcase_add_test(tc, another_context_replays_it);
  tcase_add_test(tc, damaged_files_are_refused);
  tcase_add_test(tc, poisoned_files_do_no_harm);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "record_file", .add = add});
}

// SPDX-License-Identifier: MIT
// Recordings in files: replayed in another context, named arrays, and files that are damaged.
#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "harness.h"
#include "record/recorded_file.h"

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
  ok(weft_recording_name(recording, index, "index"));
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

START_TEST(indices_are_checked)
{
  static int64_t numbers[ELEMENTS];
  float expected[ELEMENTS];
  weft_array *index = NULL, *bad = NULL;
  weft_recording *recording = NULL;
  save(expected);
  ok(weft_recording_load(&recording, ctx, path));
  ok(weft_recording_array(&index, recording, "index"));
  numbers[3] = -ELEMENTS - 1;
  ok(weft_from_host(&bad, ctx, WEFT_I64, WEFT_SHAPE(ELEMENTS), numbers));
  ok(weft_replay(recording, WEFT_BIND(index, bad)));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "at position 3 of `indices`", "weft_take", "@indices");
  ok(weft_replay(recording));
  ok(weft_context_wait(ctx));
  weft_release(&recording, &index, &bad);
}
END_TEST

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
  snprintf(first, sizeof first, "weft-recording 2 %016" PRIx64 " %020" PRIu64 "\n",
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

/* ---- one number changed ---- */

/// The number `index` behind the mark of a part.
static char *number_of(char *bytes, size_t size, weft__recorded_part part, int index) {
  const int64_t mark = part;
  char *at = NULL;
  for (size_t k = FIRST_LINE; k + sizeof mark <= size && !at; k++)
    if (memcmp(bytes + k, &mark, sizeof mark) == 0) at = bytes + k;
  ck_assert_ptr_nonnull(at);
  return at + (index + 1) * (int)sizeof mark;
}

static void set_number(char *bytes, size_t size, weft__recorded_part part, int index, int64_t value) {
  memcpy(number_of(bytes, size, part, index), &value, sizeof value);
}

static int64_t get_number(char *bytes, size_t size, weft__recorded_part part, int index) {
  int64_t value;
  memcpy(&value, number_of(bytes, size, part, index), sizeof value);
  return value;
}

/// Saves a recording of two launches of a user's kernel with a parameter of each kind.
static char *save_launches(size_t *size) {
  weft_array *x = NULL, *y = NULL;
  weft_kernel *kernel = NULL;
  weft_recording *recording = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 12, 1));
  ok(weft_ones(&y, ctx, WEFT_F32, WEFT_SHAPE(12)));
  ok(weft_kernel_create(&kernel, ctx,
                        .source = "kernel void each_kind(global float *y, global const float *x, float a, ulong n,\n"
                                  "                      local float *t, float4 v) {\n"
                                  "  size_t i = get_global_id(0);\n"
                                  "  t[get_local_id(0)] = x[i < n ? i : 0] + v.x;\n"
                                  "  if (i < n) y[i] += a * t[get_local_id(0)];\n"
                                  "}\n"));
  const float v[4] = {0};
  ok(weft_record_begin(ctx));
  for (int k = 0; k < 2; k++)
    ok(weft_launch(kernel, WEFT_DIM3(2), WEFT_DIM3(8), y, x, 0.5f, (uint64_t)12, WEFT_LOCAL(32), WEFT_STRUCT(v)));
  ok(weft_record_end(&recording));
  ok(weft_recording_name(recording, x, "x"));
  ok(weft_recording_save(recording, path));
  weft_release(&recording, &kernel, &x, &y);
  return read_all(size);
}

static void expect_refused(char *bytes, size_t size, const char *message) {
  weft_recording *recording = NULL;
  sign(bytes, size);
  write_all(bytes, size);
  expect_error(weft_recording_load(&recording, ctx, path), WEFT_ERROR_FILE, message, "@file");
}

/// Bytes of the file in the place of a handle of the driver's would become a pointer of the process.
START_TEST(arguments_fit_the_kernels_parameters)
{
  enum { BYTES = WEFT__RECORDED_BYTES, LOCAL = WEFT__RECORDED_LOCAL, CHECKS = WEFT__RECORDED_CHECKS, NUMBERS = 6 };
  static const struct {
    int argument;
    int64_t buffer, any_width, size_bytes;
    const char *message;
  } wrong[] = {{0, BYTES, 0, 8, "bytes of 8 bytes as argument 0 `y`"},
               {0, LOCAL, 0, 64, "argument 0 `y`"},
               {0, CHECKS, 0, 0, "records of checks"},
               {1, BYTES, 0, 8, "argument 1 `x`"},
               {1, CHECKS, 0, 0, "argument 1 `x`"},
               {2, BYTES, 0, 8, "argument 2 `a`"},
               {2, BYTES, 0, 1, "argument 2 `a`"},
               {2, LOCAL, 0, 4, "argument 2 `a`"},
               {2, 0, 0, 0, "memory of 48 bytes as argument 2 `a`"},
               {2, CHECKS, 0, 0, "argument 2 `a`"},
               {3, BYTES, 1, 8, "argument 3 `n`"},
               {3, 0, 0, 0, "argument 3 `n`"},
               {4, BYTES, 0, 8, "argument 4 `t`"},
               {4, 0, 0, 0, "argument 4 `t`"},
               {4, CHECKS, 0, 0, "argument 4 `t`"},
               {5, BYTES, 0, 8, "argument 5 `v`"},
               {5, 0, 0, 0, "argument 5 `v`"},
               {5, LOCAL, 0, 16, "argument 5 `v`"}};
  size_t size;
  char *bytes = save_launches(&size), *damaged = malloc(size);
  ck_assert_int_eq(get_number(bytes, size, WEFT__PART_ARGUMENTS, 0), 12);
  const int64_t n_at = get_number(bytes, size, WEFT__PART_ARGUMENTS, 1 + 3 * NUMBERS + 2);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    const int64_t number[NUMBERS] = {wrong[k].buffer, wrong[k].any_width, n_at, wrong[k].size_bytes, 0, 0};
    memcpy(damaged, bytes, size);
    for (int i = 0; i < NUMBERS; i++)
      set_number(damaged, size, WEFT__PART_ARGUMENTS, 1 + wrong[k].argument * NUMBERS + i, number[i]);
    expect_refused(damaged, size, wrong[k].message);
  }
  /* memory that the launch does not say it uses; the second launch with arguments of the first */
  memcpy(damaged, bytes, size);
  set_number(damaged, size, WEFT__PART_COMMANDS, 3, 1);
  expect_refused(damaged, size, "memory of 48 bytes");
  memcpy(damaged, bytes, size);
  ck_assert_int_eq(get_number(bytes, size, WEFT__PART_COMMANDS, 2 + 15 + 13), 6);
  set_number(damaged, size, WEFT__PART_COMMANDS, 2 + 15 + 13, 0);
  expect_refused(damaged, size, "parts do not fit");
  free(damaged);
  free(bytes);
}
END_TEST

/// Saves with another array in the place of the file's only name.
static void expect_refused_name(const char *bytes, size_t size, int64_t offset_bytes, int ndim, const int64_t *dim,
                                const int64_t *stride, weft_status status) {
  char *damaged = malloc(size + 1000);
  weft_recording *recording = NULL;
  memcpy(damaged, bytes, size);
  char *at = number_of(damaged, size, WEFT__PART_NAMES, 1);
  const int64_t front[] = {1, 1}, behind[] = {0, WEFT_F32, ndim}, end[] = {WEFT__PART_END, 0};
  memcpy(at, front, sizeof front), at += sizeof front;
  *at++ = 'x';
  memcpy(at, behind, sizeof behind), at += sizeof behind;
  for (int d = 0; d < ndim; d++) {
    memcpy(at, &dim[d], 8), memcpy(at + 8, &stride[d], 8);
    at += 16;
  }
  memcpy(at, &offset_bytes, 8), at += 8;
  memcpy(at, end, sizeof end), at += sizeof end;
  const size_t whole = (size_t)(at - damaged);
  sign(damaged, whole);
  write_all(damaged, whole);
  if (status)
    expect_error(weft_recording_load(&recording, ctx, path), status, "@file");
  else
    ok(weft_recording_load(&recording, ctx, path));
  weft_recording_release(&recording);
  free(damaged);
}

START_TEST(named_arrays_are_in_their_memory)
{
  const int64_t far = INT64_C(1) << 30, farther = far + 1, most = INT64_MAX, none = 0, four = 4, six = 6, back = -4,
                least = INT64_MIN, twelve = 12, thirteen = 13;
  const int64_t lengths[8] = {farther, farther, farther, farther, farther, farther, farther, farther};
  const int64_t strides[8] = {far, far, far, far, far, far, far, far}, zeros[8] = {0};
  const int64_t empty[3] = {0, 1 << 20, 1 << 20};
  size_t size;
  char *bytes = save_launches(&size);
  expect_refused_name(bytes, size, 0, 1, &twelve, &four, WEFT_OK);
  expect_refused_name(bytes, size, 44, 1, &twelve, &back, WEFT_OK);
  expect_refused_name(bytes, size, 0, 1, &thirteen, &four, WEFT_ERROR_FILE);
  expect_refused_name(bytes, size, 4, 1, &twelve, &four, WEFT_ERROR_FILE);
  expect_refused_name(bytes, size, 40, 1, &twelve, &back, WEFT_ERROR_FILE);
  expect_refused_name(bytes, size, 2, 1, &four, &four, WEFT_ERROR_FILE); /* not at multiples of 4 bytes */
  expect_refused_name(bytes, size, 0, 1, &four, &six, WEFT_ERROR_FILE);
  expect_refused_name(bytes, size, most - 3, 1, &twelve, &four, WEFT_ERROR_FILE);
  expect_refused_name(bytes, size, 0, 1, &twelve, &least, WEFT_ERROR_FILE);
  expect_refused_name(bytes, size, 0, 8, lengths, strides, WEFT_ERROR_OVERFLOW);
  expect_refused_name(bytes, size, 0, 8, lengths, zeros, WEFT_ERROR_OVERFLOW);
  expect_refused_name(bytes, size, 0, 2, lengths, strides, WEFT_ERROR_FILE);
  expect_refused_name(bytes, size, 0, 3, empty, strides, WEFT_OK);
  expect_refused_name(bytes, size, 1 << 20, 1, &none, &none, WEFT_ERROR_FILE);
  free(bytes);
}
END_TEST

/// A valid file in which one number, which the file has as eight bytes, is another: it is refused, or loads and its
/// named array can be looked at. Run it under sanitizers with a larger WEFT_TEST_RECORDINGS after a change of
/// record/load.c.
START_TEST(one_number_changed)
{
  static const int64_t numbers[] = {0,
                                    1,
                                    -1,
                                    2,
                                    -2,
                                    -3,
                                    3,
                                    7,
                                    255,
                                    INT32_MAX,
                                    INT32_MIN,
                                    INT64_MAX,
                                    INT64_MIN,
                                    1 << 20,
                                    -8,
                                    64,
                                    (int64_t)1 << 32,
                                    (int64_t)1 << 40,
                                    (int64_t)1 << 60,
                                    INT64_MAX - 7};
  const char *wanted = getenv("WEFT_TEST_RECORDINGS");
  const int trials = wanted ? atoi(wanted) : 200;
  size_t size;
  weft_recording *recording = NULL;
  weft_array *x = NULL;
  int loaded = 0;
  float expected[ELEMENTS];
  harness_random random = harness_random_start(7);
  for (int turn = 0; turn < 2; turn++) {
    char *bytes;
    if (turn) {
      save(expected);
      bytes = read_all(&size);
    } else {
      bytes = save_launches(&size);
    }
    const char *begin = number_of(bytes, size, WEFT__PART_BYTES, -1);
    for (int k = 0; k < trials; k++) {
      char *at = bytes + harness_between(&random, begin - bytes, (int64_t)size - 8);
      int64_t before;
      /* where a small number is: numbers are not at multiples of eight bytes */
      for (memcpy(&before, at, 8); (before < -3 || before > 1 << 24) && at < bytes + size - 8; memcpy(&before, at, 8))
        at++;
      memcpy(&before, at, 8);
      const int64_t number = numbers[harness_between(&random, 0, sizeof numbers / sizeof *numbers - 1)];
      memcpy(at, &number, 8);
      sign(bytes, size);
      write_all(bytes, size);
      if (weft_recording_load(&recording, ctx, path) == WEFT_OK) {
        loaded++;
        char *text = NULL;
        if (weft_recording_array(&x, recording, "x") == WEFT_OK) ok(weft_array_describe(&text, x));
        free(text);
        weft_array_release(&x);
      }
      weft_recording_release(&recording);
      memcpy(at, &before, 8);
    }
    free(bytes);
  }
  ck_assert_int_gt(loaded, 0);
  ck_assert_int_lt(loaded, 2 * trials);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "record file");
  tcase_add_checked_fixture(tc, begin, end);
  tcase_set_timeout(tc, 200);
  tcase_add_test(tc, indices_are_checked);
  tcase_add_test(tc, another_context_replays_it);
  tcase_add_test(tc, damaged_files_are_refused);
  tcase_add_test(tc, poisoned_files_do_no_harm);
  tcase_add_test(tc, arguments_fit_the_kernels_parameters);
  tcase_add_test(tc, named_arrays_are_in_their_memory);
  tcase_add_test(tc, one_number_changed);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "record_file", .add = add});
}

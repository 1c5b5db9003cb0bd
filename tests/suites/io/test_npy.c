// SPDX-License-Identifier: MIT
/// .npy files: reading, writing, mapped files as operands and results, and invalid files. npy_numpy.py checks that
/// NumPy agrees.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "views.h"

static char folder[] = "/tmp/weft-npy-XXXXXX";
static char path[2][64];

/* Replaces the system call: frequent signals keep interrupting it if reserving is slow. */
static int interruptions;

int posix_fallocate(int descriptor, off_t from, off_t count) {
  if (interruptions > 0) {
    interruptions--;
    return EINTR;
  }
  return syscall(SYS_fallocate, descriptor, 0, from, count) == 0 ? 0 : errno;
}

static void make_folder(void) {
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (int k = 0; k < 2; k++) snprintf(path[k], sizeof path[k], "%s/%c.npy", folder, 'a' + k);
}

static void remove_folder(void) {
  for (int k = 0; k < 2; k++) unlink(path[k]);
  ck_assert_msg(rmdir(folder) == 0, "something is left in %s", folder);
}

static void setup(void) {
  harness_context_open();
  setenv("WEFT_DEVICE", device.selector, 1);
  make_folder();
}

static void teardown(void) {
  remove_folder();
  harness_context_close();
}

/// Writes a file of these leading bytes, followed by `count` bytes that count up.
static void write_file(const char *to, const char *front, size_t length, size_t count) {
  FILE *file = fopen(to, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(front, 1, length, file), length);
  for (size_t i = 0; i < count; i++) fputc((int)(i & 0xff), file);
  ck_assert_int_eq(fclose(file), 0);
}

/// Writes a file with this dictionary, of version `major`, and `count` bytes of elements.
static void write_npy(const char *to, int major, const char *dictionary, size_t count) {
  char front[2048];
  size_t n = strlen(dictionary), begin = major > 1 ? 12 : 10;
  memcpy(front, "\x93NUMPY", 6);
  front[6] = (char)major;
  front[7] = 0;
  for (size_t k = 8; k < begin; k++) front[k] = (char)(n >> 8 * (k - 8) & 0xff);
  memcpy(front + begin, dictionary, n);
  write_file(to, front, begin + n, count);
}

/* ---- reading ---- */

START_TEST(dictionaries)
{
  static const struct {
    int major;
    const char *text;
    weft_dtype dtype;
    weft_shape shape;
  } cases[] = {
      {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }            \n", WEFT_F32, {2, {3, 4}}},
      {2, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)}\n", WEFT_F32, {2, {3, 4}}},
      {3, "{\"shape\":(12,),'fortran_order':False,'descr':'=i4'}", WEFT_I32, {1, {12}}},
      {1, " { 'shape' : ( 2 , 3L , 1 ) , 'descr' : '|u1' , 'fortran_order' : False } \n", WEFT_U8, {3, {2, 3, 1}}},
      {1, "{'descr': '|b1', 'fortran_order': True, 'shape': (7,), }", WEFT_BOOL, {1, {7}}},
      {1, "{'descr': '<c16', 'fortran_order': True, 'shape': (), }", WEFT_C128, {0, {0}}},
      {1, "{'descr': '<f2', 'fortran_order': False, 'shape': (5, 0, 2), }", WEFT_F16, {3, {5, 0, 2}}},
      {1, "{'descr': '<f2', 'fortran_order': True, 'shape': (1, 9, 1), }", WEFT_F16, {3, {1, 9, 1}}},
      {1,
       "{'descr': '<u8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 2), }",
       WEFT_U64,
       {8, {1, 1, 1, 1, 1, 1, 1, 2}}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    weft_npy *npy = NULL;
    int64_t size = 1;
    for (int d = 0; d < cases[k].shape.ndim; d++) size *= cases[k].shape.dim[d];
    size_t bytes = (size_t)size * weft_dtype_size_bytes(cases[k].dtype);
    write_npy(path[0], cases[k].major, cases[k].text, bytes);
    ok(weft_npy_open(&npy, path[0]));
    ck_assert_int_eq(weft_npy_dtype(npy), cases[k].dtype);
    const weft_shape shape = weft_npy_shape(npy);
    ck_assert_int_eq(shape.ndim, cases[k].shape.ndim);
    for (int d = 0; d < shape.ndim; d++) ck_assert_int_eq(shape.dim[d], cases[k].shape.dim[d]);
    size_t right = 0;
    for (size_t i = 0; i < bytes; i++) right += ((const unsigned char *)weft_npy_data(npy))[i] == (i & 0xff);
    ck_assert_uint_eq(right, bytes);
    ok(weft_npy_flush(npy)); /* no effect */
    weft_npy_release(&npy);
    ck_assert_ptr_null(npy);
    harness_count(1);
  }
}
END_TEST

START_TEST(what_is_no_such_file)
{
  static const struct {
    const char *text;
    weft_status status;
    const char *says[2];
  } cases[] = {
      {"", WEFT_ERROR_FILE, {"is no .npy file that Weft can read", "the header is no dictionary"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)", WEFT_ERROR_FILE, {"the header is no dictionary"}},
      {"{'descr': '<f4', 'fortran_order': False}",
       WEFT_ERROR_FILE,
       {"the header lacks 'descr', 'fortran_order' or 'shape'"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'descr': '<f4'}",
       WEFT_ERROR_FILE,
       {"the header has an entry twice"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
       WEFT_ERROR_FILE,
       {"an entry besides 'descr'"}},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
       WEFT_ERROR_FILE,
       {"'fortran_order' is neither True nor False"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", WEFT_ERROR_FILE, {"'shape' is a number, no tuple"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': [3]}", WEFT_ERROR_FILE, {"'shape' is no tuple"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
       WEFT_ERROR_FILE,
       {"'shape' is no tuple of whole numbers"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x",
       WEFT_ERROR_FILE,
       {"something behind the header's dictionary"}},
      {"{'descr': 4, 'fortran_order': False, 'shape': (3,)}", WEFT_ERROR_FILE, {"'descr' is no text"}},
      {"{'descr': [('x', '<f4'", WEFT_ERROR_FILE, {"the header ends inside 'descr'"}},
      {"{'descr': [('x', '<f4'), ('(y', '<i8')], 'fortran_order': False, 'shape': (3,)}",
       WEFT_ERROR_DTYPE,
       {"elements of several fields, [('x', '<f4'), ('(y', '<i8')]; expected one number each"}},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (3,)}",
       WEFT_ERROR_DTYPE,
       {"the most significant byte of each number first", "weft_npy_load makes an array of it, x.astype('<f4')"}},
      {"{'descr': '<U7', 'fortran_order': False, 'shape': (3,)}",
       WEFT_ERROR_DTYPE,
       {"elements '<U7', for which Weft has no dtype"}},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (3,)}",
       WEFT_ERROR_DTYPE,
       {"elements '|O', for which Weft has no dtype"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1)}",
       WEFT_ERROR_SHAPE,
       {"more than 8 axes"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
       WEFT_ERROR_OVERFLOW,
       {"more than 2^63-1 in axis 0"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 2)}",
       WEFT_ERROR_OVERFLOW,
       {"more than 2^63-1 bytes"}},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (13,)}",
       WEFT_ERROR_FILE,
       {"is too short: it has 48 bytes of elements, and its header says 52"}},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4)}",
       WEFT_ERROR_LAYOUT,
       {"Fortran's order", "weft_npy_load makes an array"}},
  };
  weft_npy *npy = NULL;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    write_npy(path[0], 1, cases[k].text, 48);
    expect_error(weft_npy_open(&npy, path[0]), cases[k].status, "@file", "weft_npy_open: ", path[0], cases[k].says[0],
                 cases[k].says[1] ? cases[k].says[1] : "");
    ck_assert_ptr_null(npy);
    harness_count(1);
  }
  write_file(path[0], "\x93NUMPY\x04\x00\x10\x00xxxxxxxx", 18, 0);
  expect_error(weft_npy_open(&npy, path[0]), WEFT_ERROR_FILE,
               "is of version 4.0 of the .npy format; expected 1.0, 2.0 or 3.0");
  write_file(path[0], "\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13, 0);
  expect_error(weft_npy_open(&npy, path[0]), WEFT_ERROR_FILE, "it ends in the header");
  write_file(path[0], "\x93NUMPY\x02\x00\xff\xff", 10, 0);
  expect_error(weft_npy_open(&npy, path[0]), WEFT_ERROR_FILE, "it ends in the header");
  write_file(path[0], "\x93NUMP", 5, 0);
  expect_error(weft_npy_open(&npy, path[0]), WEFT_ERROR_FILE, "it does not begin with the format's magic bytes");
  write_file(path[0], "", 0, 0);
  expect_error(weft_npy_open(&npy, path[0]), WEFT_ERROR_FILE, "it does not begin with the format's magic bytes");
  write_file(path[0], "", 0, 5000);
  expect_error(weft_npy_open(&npy, path[0]), WEFT_ERROR_FILE, "it does not begin with the format's magic bytes");
  expect_error(weft_npy_open(&npy, folder), WEFT_ERROR_FILE, "@file", "is no file; expected one that can be mapped");
  expect_error(weft_npy_open(&npy, path[1]), WEFT_ERROR_FILE, "@file", "cannot open", path[1], "No such file");
  expect_error(weft_npy_open(&npy, NULL), WEFT_ERROR_ARGUMENT, "@file", "`file` is NULL");
  expect_error(weft_npy_open(&npy, ""), WEFT_ERROR_ARGUMENT, "@file", "`file` is empty");
  expect_error(weft_npy_open((weft_npy **)NULL, path[0]), WEFT_ERROR_ARGUMENT, "@out");
}
END_TEST

/* ---- writing ---- */

START_TEST(made_anew)
{
  weft_npy *npy = NULL, *again = NULL;
  char front[200];
  ok(weft_npy_create(&npy, path[0], WEFT_I16, WEFT_SHAPE(3, 5)));
  int16_t *data = weft_npy_data(npy);
  for (int i = 0; i < 15; i++) ck_assert_int_eq(data[i], 0);
  for (int i = 0; i < 15; i++) data[i] = (int16_t)(i * 1000);
  ok(weft_npy_open(&again, path[0])); /* other mappings see it at once */
  ck_assert_int_eq(((const int16_t *)weft_npy_data(again))[14], 14000);
  ok(weft_npy_flush(npy));
  weft_npy_release(&again);
  weft_npy_release(&npy);
  FILE *file = fopen(path[0], "rb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fread(front, 1, sizeof front, file), 128 + 30);
  fclose(file);
  /* byte-identical to NumPy 1.24 */
  static const char expected[] = "\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (3, 5), }";
  ck_assert(memcmp(front, expected, sizeof expected - 1) == 0);
  for (size_t i = sizeof expected - 1; i < 127; i++) ck_assert_int_eq(front[i], ' ');
  ck_assert_int_eq(front[127], '\n');
  /* the old content is gone; a file without elements is valid */
  ok(weft_npy_create(&npy, path[0], WEFT_F32, WEFT_SHAPE(0, 4)));
  weft_npy_release(&npy);
  ok(weft_npy_open(&npy, path[0]));
  ck_assert_int_eq(weft_npy_shape(npy).dim[0], 0);
  ck_assert_int_eq(weft_npy_shape(npy).dim[1], 4);
  weft_npy_release(&npy);
}
END_TEST

static void write_good(void) {
  write_npy(path[0], 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", 12);
}

/// Checks the file of write_good. Removing the folder proves that there is no other file.
static void is_still_good(void) {
  weft_npy *npy = NULL;
  ok(weft_npy_open(&npy, path[0]));
  ck_assert_int_eq(weft_npy_dtype(npy), WEFT_I32);
  ck_assert_int_eq(((const uint8_t *)weft_npy_data(npy))[11], 11);
  weft_npy_release(&npy);
}

START_TEST(a_file_that_cannot_be_made_leaves_the_old_one)
{
  weft_npy *npy = NULL, *old = NULL;
  struct rlimit before, limit;
  write_good();
  expect_error(weft_npy_create(&npy, path[0], WEFT_U8, WEFT_SHAPE(INT64_C(1) << 61)), WEFT_ERROR_FILE, "@file",
               "cannot make room in");
  is_still_good();
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = 10000;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  expect_error(weft_npy_create(&npy, path[0], WEFT_U8, WEFT_SHAPE(10000)), WEFT_ERROR_FILE, "@file",
               "cannot make room in", path[0]);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  is_still_good();
  /* a mapping keeps its content when the file is replaced */
  ok(weft_npy_open(&old, path[0]));
  ok(weft_npy_create(&npy, path[0], WEFT_F32, WEFT_SHAPE(1)));
  ck_assert_int_eq(((const uint8_t *)weft_npy_data(old))[11], 11);
  weft_npy_release(&old);
  weft_npy_release(&npy);
}
END_TEST

static void on_alarm(int number) {
  (void)number;
}

START_TEST(signals_interrupt_nothing)
{
  const struct sigaction action = {.sa_handler = on_alarm};
  struct sigaction before;
  const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  for (int k = 0; k < 10; k++) {
    weft_npy *npy = NULL;
    ck_assert_int_eq(sigaction(SIGALRM, &action, &before), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    interruptions = k;
    weft_status rc = weft_npy_create(&npy, path[0], WEFT_F32, WEFT_SHAPE(4 << 20));
    if (rc == WEFT_OK) rc = weft_npy_flush(npy);
    weft_npy_release(&npy);
    if (rc == WEFT_OK) rc = weft_npy_open(&npy, path[0]);
    weft_npy_release(&npy);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    ok(rc);
  }
}
END_TEST

START_TEST(errors_of_writing)
{
  weft_npy *npy = NULL;
  char nowhere[100];
  snprintf(nowhere, sizeof nowhere, "%s/none/x.npy", folder);
  expect_error(weft_npy_create(&npy, nowhere, WEFT_F32, WEFT_SHAPE(3)), WEFT_ERROR_FILE, "@file", "cannot make",
               nowhere, "No such file");
  expect_error(weft_npy_create(&npy, path[0], (weft_dtype)99, WEFT_SHAPE(3)), WEFT_ERROR_DTYPE, "@dtype",
               "`dtype` is 99");
  expect_error(weft_npy_create(&npy, path[0], WEFT_F32, WEFT_SHAPE(-3)), WEFT_ERROR_SHAPE, "@shape");
  expect_error(weft_npy_create(&npy, path[0], WEFT_F32, WEFT_SHAPE(INT64_MAX)), WEFT_ERROR_OVERFLOW, "@shape");
  expect_error(weft_npy_create(&npy, NULL, WEFT_F32, WEFT_SHAPE(3)), WEFT_ERROR_ARGUMENT, "@file");
  /* more than any disk: an error, and no file */
  expect_error(weft_npy_create(&npy, path[0], WEFT_U8, WEFT_SHAPE(INT64_C(1) << 61)), WEFT_ERROR_FILE, "@file",
               "cannot make room in", path[0]);
  ck_assert_ptr_null(npy);
  ck_assert_int_ne(access(path[0], F_OK), 0);
  /* a pipe is refused without waiting for it, and left alone */
  ck_assert_int_eq(mkfifo(path[0], 0600), 0);
  expect_error(weft_npy_open(&npy, path[0]), WEFT_ERROR_FILE, "@file", path[0], "is no file");
  expect_error(weft_npy_create(&npy, path[0], WEFT_F32, WEFT_SHAPE(3)), WEFT_ERROR_FILE, "@file", path[0],
               "is no file");
  ck_assert_int_eq(access(path[0], F_OK), 0);
  expect_error(weft_npy_flush(NULL), WEFT_ERROR_HANDLE, "@npy", "`npy` is NULL; expected a weft_npy");
  expect_error(weft_npy_flush(harness_zeroed()), WEFT_ERROR_HANDLE, "@npy");
  ck_assert_int_eq(weft_npy_dtype(NULL), WEFT_DTYPE_NONE);
  ck_assert_int_eq(weft_npy_shape(harness_garbage()).ndim, 0);
  ck_assert_ptr_null(weft_npy_data(harness_zeroed()));
  weft_npy_release(NULL);
  weft_npy_release(&npy);
}
END_TEST

/* ---- as operands and results ---- */

START_TEST(mapped_files_larger_than_the_budget)
{
  enum { ROWS = 512, COLUMNS = 2048 };
  weft_npy *in = NULL, *out = NULL;
  weft_memory_stats stats;
  double total = 0;
  float got = 0, row[COLUMNS];
  weft_array *scale = NULL;
  if (!harness_has_kernels()) return;
  ok(weft_npy_create(&in, path[0], WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS)));
  float *x = weft_npy_data(in);
  for (int i = 0; i < ROWS * COLUMNS; i++) total += x[i] = (float)(i % 977);
  weft_npy_release(&in);
  ok(weft_memory_set_limit(ctx, 1 << 20)); /* a quarter of the file */
  setenv("WEFT_CHUNK", "1M", 1);           /* a CPU device uses host memory in place: it makes chunks only on request */
  ok(weft_full(&scale, ctx, WEFT_F32, WEFT_SHAPE_0D, 3));
  ok(weft_npy_open(&in, path[0]));
  ok(weft_npy_create(&out, path[1], WEFT_F32, weft_npy_shape(in)));
  ok(weft_multiply(weft_npy_result(out), weft_npy_operand(in), scale));
  ok(weft_eval(weft_npy_result(out), ctx, "y + x", WEFT_NAMED("y", weft_npy_operand(out)),
               WEFT_NAMED("x", weft_npy_operand(in))));
  const float *y = weft_npy_data(out);
  int right = 0;
  for (int i = 0; i < ROWS * COLUMNS; i++) right += y[i] == 4 * (float)(i % 977);
  ck_assert_int_eq(right, ROWS * COLUMNS);
  ok(weft_reduce(WEFT_HOST_OUT(&got, WEFT_F32, WEFT_SHAPE_0D), ctx, "y", WEFT_ALL_AXES,
                 WEFT_NAMED("y", weft_npy_operand(out))));
  ck_assert(got == (float)(4 * total));
  ok(weft_reduce(WEFT_HOST_OUT(row, WEFT_F32, WEFT_SHAPE(COLUMNS)), ctx, "y", 0,
                 WEFT_NAMED("y", weft_npy_operand(out))));
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_le(stats.peak_managed_bytes, 1 << 20);
  for (int c = 0; c < COLUMNS; c += 300) {
    double sum = 0;
    for (int r = 0; r < ROWS; r++) sum += y[r * COLUMNS + c];
    ck_assert(row[c] == (float)sum);
  }
  expect_error(weft_multiply(weft_npy_result(in), weft_npy_operand(in), scale), WEFT_ERROR_ARGUMENT, "@out",
               "weft_npy_create did not make");
  expect_error(weft_multiply(weft_npy_result(out), weft_npy_operand(NULL), scale), WEFT_ERROR_ARGUMENT, "@a",
               "is host memory at NULL");
  weft_array_release(&scale);
  weft_npy_release(&out);
  weft_npy_release(&in);
}
END_TEST

START_TEST(loaded_and_saved)
{
  weft_array *x = NULL, *again = NULL, *turned = NULL, *into = NULL, *pairs = NULL, *pair = NULL;
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    ok(weft_full(&x, ctx, (weft_dtype)d, WEFT_SHAPE(3, 7), 1));
    ok(weft_npy_save(path[0], x));
    ok(weft_npy_load(&again, ctx, path[0]));
    ck_assert_int_eq(weft_array_dtype(again), d);
    unsigned char a[400], b[400];
    size_t size = (size_t)weft_array_size_bytes(x);
    ok(weft_to_host(a, size, x));
    ok(weft_to_host(b, size, again));
    ck_assert(memcmp(a, b, size) == 0);
    weft_array_release(&x);
    weft_array_release(&again);
    harness_count(1);
  }
  /* a view is saved as it appears, and loaded into an existing array */
  harness_range(&x, 12);
  ok(weft_reshape(&again, x, WEFT_SHAPE(3, 4)));
  ok(weft_transpose(&turned, again, WEFT_AXES(1, 0)));
  ok(weft_npy_save(path[0], turned));
  weft_array_release(&again);
  ok(weft_zeros(&again, ctx, WEFT_I32, WEFT_SHAPE(4, 3)));
  ok(weft_npy_load(&again, NULL, path[0])); /* in the context of *out */
  check_elements(again, (const int32_t[]){0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, 12, "transposed");
  expect_error(weft_npy_load(&x, ctx, path[0]), WEFT_ERROR_SHAPE, "while loading", path[0]);
  /* Fortran order, into a new array and an existing one */
  write_npy(path[1], 1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", 6);
  weft_array_release(&turned);
  ok(weft_npy_load(&turned, ctx, path[1]));
  ck_assert_int_eq(weft_array_stride_bytes(turned, 0), 1);
  check_elements(turned, (const uint8_t[]){0, 2, 4, 1, 3, 5}, 6, "Fortran");
  ok(weft_fill(turned, 0));
  ok(weft_npy_load(&turned, ctx, path[1]));
  check_elements(turned, (const uint8_t[]){0, 2, 4, 1, 3, 5}, 6, "Fortran, in place");
  weft_npy_info info;
  ok(weft_npy_get(&info, path[1]));
  ck_assert(info.dtype == WEFT_U8 && info.shape.ndim == 2 && info.is_fortran && !info.is_swapped && info.version == 1);
  ck_assert_uint_eq(info.size_bytes, 6);
  /* the most significant byte first, in both orders, into a new array and an existing one */
  write_npy(path[1], 1, "{'descr': '>i4', 'fortran_order': False, 'shape': (3,)}", 12);
  ok(weft_npy_load(&into, ctx, path[1]));
  check_elements(into, (const int32_t[]){0x00010203, 0x04050607, 0x08090a0b}, 3, "swapped");
  write_npy(path[1], 3, "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3)}", 12);
  ok(weft_npy_get(&info, path[1]));
  ck_assert(info.dtype == WEFT_U16 && info.is_fortran && info.is_swapped && info.version == 3);
  ck_assert_uint_eq(info.offset_bytes, 12 + strlen("{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3)}"));
  expect_error(weft_npy_get(&info, ""), WEFT_ERROR_ARGUMENT, "@file");
  expect_error(weft_npy_get(NULL, path[1]), WEFT_ERROR_ARGUMENT, "@info");
  for (int k = 0; k < 2; k++) {
    ok(weft_npy_load(&pairs, ctx, path[1]));
    check_elements(pairs, (const uint16_t[]){0x0001, 0x0405, 0x0809, 0x0203, 0x0607, 0x0a0b}, 6, "swapped, Fortran");
    ok(weft_fill(pairs, 0));
  }
  write_npy(path[1], 1, "{'descr': '>c8', 'fortran_order': False, 'shape': ()}", 8);
  ok(weft_npy_load(&pair, ctx, path[1]));
  check_elements(pair, (const uint32_t[]){0x00010203, 0x04050607}, 1, "swapped parts");
  weft_release(&into, &pairs, &pair);
  /* errors */
  weft_array *none = NULL;
  expect_error(weft_npy_load(&none, ctx, folder), WEFT_ERROR_FILE, "weft_npy_load: ", "is no file");
  ck_assert_ptr_null(none);
  char nowhere[100];
  snprintf(nowhere, sizeof nowhere, "%s/none/x.npy", folder);
  expect_error(weft_npy_save(nowhere, x), WEFT_ERROR_FILE, "weft_npy_save: cannot make", nowhere);
  expect_error(weft_npy_save(path[0], NULL), WEFT_ERROR_HANDLE, "@x");
  expect_error(weft_npy_save(NULL, x), WEFT_ERROR_ARGUMENT, "@file");
  weft_array_release(&turned);
  weft_array_release(&again);
  weft_array_release(&x);
}
END_TEST

START_TEST(what_cannot_be_saved_leaves_the_old_file)
{
  weft_array *x = NULL, *t = NULL;
  struct stat before, after;
  if (!harness_has_kernels()) return;
  harness_range(&x, 12);
  ok(weft_npy_save(path[0], x));
  ck_assert_int_eq(chmod(path[0], 0604), 0);
  ck_assert_int_eq(stat(path[0], &before), 0);
  /* an earlier call's error, reported by the read */
  ok(weft_add(&x, x, 1));
  ok(weft_take(&t, x, 99999, 0));
  expect_error(weft_npy_save(path[0], x), WEFT_ERROR_INDEX, "99999");
  ck_assert_int_eq(stat(path[0], &after), 0);
  ck_assert_uint_eq(after.st_ino, before.st_ino);
  weft_array_release(&t);
  ok(weft_npy_load(&t, ctx, path[0]));
  check_elements(t, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 12, "the old file");
  /* the next save succeeds */
  ok(weft_npy_save(path[0], x));
  ok(weft_npy_load(&t, ctx, path[0]));
  check_elements(t, (const int32_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 12, "the new file");
  ck_assert_int_eq(stat(path[0], &after), 0);
  ck_assert_int_eq(after.st_mode & 0777, 0604);
  weft_array_release(&t);
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "headers");
  tcase_add_checked_fixture(tc, make_folder, remove_folder);
  tcase_add_test(tc, dictionaries);
  tcase_add_test(tc, what_is_no_such_file);
  tcase_add_test(tc, made_anew);
  tcase_add_test(tc, errors_of_writing);
  tcase_add_test(tc, a_file_that_cannot_be_made_leaves_the_old_one);
  tcase_add_test(tc, signals_interrupt_nothing);
  tc = harness_case(suite, "arrays");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, mapped_files_larger_than_the_budget);
  tcase_add_test(tc, loaded_and_saved);
  tcase_add_test(tc, what_cannot_be_saved_leaves_the_old_file);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "npy", .add = add});
}

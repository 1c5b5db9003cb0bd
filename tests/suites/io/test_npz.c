// SPDX-License-Identifier: MIT
/// .npz files: archives written and read, damaged archives, and errors. npz_numpy.py checks that NumPy agrees.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "views.h"

static char folder[] = "/tmp/weft-npz-XXXXXX";
static char path[2][64];

static void setup(void) {
  harness_context_open();
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (int k = 0; k < 2; k++) snprintf(path[k], sizeof path[k], "%s/%c.npz", folder, 'a' + k);
}

static void teardown(void) {
  for (int k = 0; k < 2; k++) unlink(path[k]);
  ck_assert_msg(rmdir(folder) == 0, "something is left in %s", folder);
  harness_context_close();
}

static size_t read_bytes(unsigned char *bytes, size_t room) {
  FILE *file = fopen(path[0], "rb");
  ck_assert_ptr_nonnull(file);
  const size_t size = fread(bytes, 1, room, file);
  ck_assert_uint_lt(size, room);
  fclose(file);
  return size;
}

static void write_bytes(const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path[1], "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
  ck_assert_int_eq(fclose(file), 0);
}

/// Whether the library was built with zlib.
static bool deflates(void) {
  weft_npz *npz = NULL;
  const weft_status rc = weft_npz_create(&npz, path[0], .compressed = true);
  weft_npz_release(&npz);
  if (rc) ck_assert_int_eq(rc, WEFT_ERROR_UNSUPPORTED);
  return rc == WEFT_OK;
}

/* ---- written and read ---- */

static weft_status write_all(bool compressed, weft_array *const *arrays) {
  weft_npz *npz = NULL;
  weft_status rc = weft_npz_create(&npz, path[0], .compressed = compressed);
  for (int d = 1; rc == WEFT_OK && d < WEFT_DTYPE_COUNT; d++)
    if (arrays[d]) rc = weft_npz_write(npz, weft_dtype_name((weft_dtype)d), arrays[d]);
  if (rc == WEFT_OK) rc = weft_npz_finish(npz);
  weft_npz_release(&npz);
  return rc;
}

START_TEST(each_dtype)
{
  weft_array *made[WEFT_DTYPE_COUNT] = {NULL}, *again = NULL;
  unsigned char a[40000], b[40000];
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    const size_t bytes = 35 * 20 * weft_dtype_size_bytes((weft_dtype)d);
    for (size_t i = 0; i < bytes; i++) a[i] = (unsigned char)(d == WEFT_BOOL ? i % 3 == 0 : i / 7 * 3);
    ok(weft_from_host(&made[d], ctx, (weft_dtype)d, WEFT_SHAPE(5, 7, 20), a));
  }
  for (int compressed = 0; compressed < 1 + deflates(); compressed++) {
    weft_npz *npz = NULL;
    weft_npz_member m;
    ok(write_all(compressed, made));
    ok(weft_npz_open(&npz, path[0]));
    int i = 0;
    for (int d = 1; d < WEFT_DTYPE_COUNT; d++) {
      if (!made[d]) continue;
      ok(weft_npz_get(&m, npz, i++));
      ck_assert_str_eq(m.name, weft_dtype_name((weft_dtype)d));
      ck_assert_int_eq(m.dtype, d);
      ck_assert_int_eq(m.shape.ndim, 3);
      ck_assert_int_eq(m.shape.dim[1], 7);
      ck_assert_int_eq(m.compressed, compressed);
      const size_t bytes = (size_t)weft_array_size_bytes(made[d]);
      ck_assert_uint_eq(m.size_bytes, bytes + 128);
      ck_assert(compressed ? m.stored_bytes < m.size_bytes : m.stored_bytes == m.size_bytes);
      ok(weft_npz_read(&again, ctx, npz, m.name));
      ok(weft_to_host(a, bytes, made[d]));
      ok(weft_to_host(b, bytes, again));
      ck_assert(memcmp(a, b, bytes) == 0);
      weft_array_release(&again);
      harness_count(1);
    }
    ck_assert_int_eq(weft_npz_count(npz), i);
    weft_npz_release(&npz);
    ck_assert_ptr_null(npz);
  }
  for (int d = 0; d < WEFT_DTYPE_COUNT; d++) weft_array_release(&made[d]);
}
END_TEST

START_TEST(in_one_call)
{
  weft_array *x = NULL, *turned = NULL, *y = NULL, *k = NULL, *host = NULL, *empty = NULL;
  const int16_t memory[3] = {7, -8, 9};
  harness_range(&x, 12);
  ok(weft_reshape(&y, x, WEFT_SHAPE(3, 4)));
  ok(weft_transpose(&turned, y, WEFT_AXES(1, 0)));
  ok(weft_zeros(&empty, ctx, WEFT_F32, WEFT_SHAPE(0, 3)));
  for (int compressed = 0; compressed < 1 + deflates(); compressed++) {
    /* a view as it appears, a number, host memory, no elements */
    if (compressed)
      ok(weft_npz_save_compressed(path[0], WEFT_VAR(turned), WEFT_NAMED("k", 5), WEFT_VAR(empty),
                                  WEFT_NAMED("host", WEFT_HOST(memory, WEFT_I16, WEFT_SHAPE(3)))));
    else
      ok(weft_npz_save(path[0], WEFT_VAR(turned), WEFT_NAMED("k", 5), WEFT_VAR(empty),
                       WEFT_NAMED("host", WEFT_HOST(memory, WEFT_I16, WEFT_SHAPE(3)))));
    weft_release(&y, &empty);
    ok(weft_npz_load(ctx, path[0], WEFT_VAR(&host), WEFT_VAR(&k), WEFT_NAMED("turned", &y), WEFT_VAR(&empty)));
    check_elements(y, (const int32_t[]){0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, 12, "turned");
    check_elements(k, (const int32_t[]){5}, 1, "a number");
    ck_assert_int_eq(weft_array_ndim(k), 0);
    check_elements(host, memory, 3, "host memory");
    ck_assert_int_eq(weft_array_shape(empty).dim[1], 3);
    /* into existing arrays, in their context */
    ok(weft_fill(y, 0));
    ok(weft_npz_load(NULL, path[0], WEFT_NAMED("turned", &y)));
    check_elements(y, (const int32_t[]){0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, 12, "turned, in place");
    weft_release(&k, &host);
  }
  ok(weft_npz_save(path[0])); /* no members */
  ok(weft_npz_load(ctx, path[0]));
  weft_release(&x, &turned, &y, &empty);
}
END_TEST

/// Longer than a piece of the library's copies, with a last piece that is shorter.
START_TEST(long_members)
{
  enum { N = (20 << 20) / 4 + 12345 };
  weft_array *x = NULL, *again = NULL;
  int32_t *elements = malloc(N * sizeof *elements);
  ck_assert_ptr_nonnull(elements);
  for (int i = 0; i < N; i++) elements[i] = i % 1000 * (i % 1000003);
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(N), elements));
  ok(deflates() ? weft_npz_save_compressed(path[0], WEFT_VAR(x)) : weft_npz_save(path[0], WEFT_VAR(x)));
  ok(weft_npz_load(ctx, path[0], WEFT_NAMED("x", &again)));
  check_elements(again, elements, N, "a long member");
  free(elements);
  weft_release(&x, &again);
}
END_TEST

/* ---- damaged ---- */

/// Lists and reads all that the archive in path[1] has. Returns how many members were read.
static int read_all(void) {
  weft_npz *npz = NULL;
  weft_array *x = NULL;
  weft_npz_member m;
  int read = 0;
  if (weft_npz_open(&npz, path[1])) return -1;
  for (int i = 0; i < weft_npz_count(npz); i++) {
    ok(weft_npz_get(&m, npz, i));
    read += weft_npz_read(&x, ctx, npz, m.name) == WEFT_OK;
    weft_array_release(&x);
  }
  weft_npz_release(&npz);
  return read;
}

START_TEST(each_byte_damaged)
{
  static unsigned char bytes[4096];
  const float first[5] = {1, 2, 3, 4, 5};
  const uint8_t second[3] = {6, 7, 8};
  weft_npz *npz = NULL;
  ok(weft_npz_create(&npz, path[0], .compressed = deflates()));
  ok(weft_npz_write(npz, "first", WEFT_HOST(first, WEFT_F32, WEFT_SHAPE(5))));
  ok(weft_npz_write(npz, "second", WEFT_HOST(second, WEFT_U8, WEFT_SHAPE(3))));
  ok(weft_npz_finish(npz));
  weft_npz_release(&npz);
  const size_t size = read_bytes(bytes, sizeof bytes);
  int refused = 0;
  for (size_t length = 0; length < size; length++) {
    write_bytes(bytes, length);
    ck_assert_int_eq(read_all(), -1); /* the list is at the end */
    harness_count(1);
  }
  for (size_t at = 0; at < size; at++) {
    bytes[at] ^= 0x55;
    write_bytes(bytes, size);
    refused += read_all() != 2; /* dates and attributes do not matter */
    bytes[at] ^= 0x55;
    harness_count(1);
  }
  ck_assert_int_gt(refused, (int)size / 2);
  write_bytes(bytes, size);
  ck_assert_int_eq(read_all(), 2);
}
END_TEST

/// The place of the record at the end.
static size_t end_of(const unsigned char *bytes, size_t size) {
  ck_assert(memcmp(bytes + size - 22, "PK\5\6", 4) == 0);
  return size - 22;
}

static void put(unsigned char *bytes, int count, uint64_t value) {
  for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

START_TEST(zip64)
{
  static unsigned char bytes[4096];
  weft_array *x = NULL;
  const uint8_t elements[3] = {6, 7, 8};
  ok(weft_npz_save(path[0], WEFT_NAMED("x", WEFT_HOST(elements, WEFT_U8, WEFT_SHAPE(3)))));
  const size_t size = read_bytes(bytes, sizeof bytes), end = end_of(bytes, size);
  unsigned char record[22];
  memcpy(record, bytes + end, sizeof record);
  unsigned char *p = bytes + end;
  memset(p, 0, 76);
  memcpy(p, "PK\6\6", 4);
  put(p + 4, 8, 44);
  put(p + 24, 8, 1);
  put(p + 32, 8, 1);
  memcpy(p + 40, record + 12, 4);
  memcpy(p + 48, record + 16, 4);
  memcpy(p + 56, "PK\6\7", 4);
  put(p + 64, 8, end);
  put(p + 72, 4, 1);
  memset(record + 8, 0xff, 12);
  memcpy(p + 76, record, sizeof record);
  write_bytes(bytes, end + 76 + sizeof record);
  ok(weft_npz_load(ctx, path[1], WEFT_VAR(&x)));
  check_elements(x, elements, 3, "Zip64");
  weft_array_release(&x);
  put(p + 64, 8, end + 1); /* no record there */
  write_bytes(bytes, end + 76 + sizeof record);
  expect_error(weft_npz_load(ctx, path[1], WEFT_VAR(&x)), WEFT_ERROR_FILE, "@file", path[1],
               "its list of members is damaged");
}
END_TEST

START_TEST(what_cannot_be_read)
{
  static unsigned char bytes[4096];
  weft_array *x = NULL, *a = NULL;
  weft_npz *npz = NULL;
  weft_npz_member m;
  const uint8_t elements[3] = {6, 7, 8};
  ok(weft_npz_save(path[0], WEFT_NAMED("x", WEFT_HOST(elements, WEFT_U8, WEFT_SHAPE(3))),
                   WEFT_NAMED("y", WEFT_HOST(elements, WEFT_U8, WEFT_SHAPE(3)))));
  const size_t size = read_bytes(bytes, sizeof bytes);
  unsigned char *first = memmem(bytes, size, "PK\1\2", 4), *second = memmem(first + 4, size, "PK\1\2", 4);
  static const struct {
    size_t at;
    unsigned char byte;
    weft_status status;
    const char *says;
  } cases[] = {{8, 1, WEFT_ERROR_FILE, "is encrypted"},
               {10, 12, WEFT_ERROR_UNSUPPORTED, "is compressed by method 12; expected 0 (stored) or 8 (deflated)"},
               {16, 1, WEFT_ERROR_FILE, "its bytes have the checksum"},
               {24, 1, WEFT_ERROR_FILE, "is stored with two different sizes"},
               {42, 1, WEFT_ERROR_FILE, "has no header at its place"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    first[cases[k].at] ^= cases[k].byte;
    write_bytes(bytes, size);
    ok(weft_npz_open(&npz, path[1]));
    expect_error(weft_npz_read(&x, ctx, npz, "x"), cases[k].status, "@file", "member `x`", path[1], cases[k].says);
    ck_assert_ptr_null(x);
    ok(weft_npz_get(&m, npz, 0));
    ck_assert_int_eq(m.dtype, k == 2 ? WEFT_U8 : WEFT_DTYPE_NONE); /* the elements are not read */
    ok(weft_npz_read(&x, ctx, npz, "y"));                          /* the other member is good */
    weft_array_release(&x);
    weft_npz_release(&npz);
    first[cases[k].at] ^= cases[k].byte;
  }
  second[46] = 'x'; /* both members have one name */
  write_bytes(bytes, size);
  expect_error(weft_npz_load(ctx, path[1], WEFT_VAR(&x)), WEFT_ERROR_INDEX, "@name", "has two members `x`");
  second[46] = 0;
  write_bytes(bytes, size);
  expect_error(weft_npz_open(&npz, path[1]), WEFT_ERROR_FILE, "@file", "a member's name contains a zero byte");
  /* wrong calls */
  expect_error(weft_npz_load(ctx, path[0], WEFT_VAR(&x), WEFT_VAR(&a)), WEFT_ERROR_INDEX, "@name", path[0],
               "has no member `a`; it has `x`, `y`");
  ck_assert_ptr_null(x); /* read before the failure */
  ok(weft_npz_open(&npz, path[0]));
  expect_error(weft_npz_read(&x, ctx, npz, NULL), WEFT_ERROR_ARGUMENT, "@name");
  expect_error(weft_npz_get(&m, npz, 2), WEFT_ERROR_INDEX, "@index", "`index` is 2;", "has 2 members");
  expect_error(weft_npz_get(&m, npz, -1), WEFT_ERROR_INDEX, "@index");
  expect_error(weft_npz_get(NULL, npz, 0), WEFT_ERROR_ARGUMENT, "@member");
  expect_error(weft_npz_write(npz, "z", 1), WEFT_ERROR_ARGUMENT, "@npz", "is open for reading");
  expect_error(weft_npz_open(&npz, path[0]), WEFT_ERROR_ARGUMENT, "@out", "is not NULL");
  weft_npz_release(&npz);
  expect_error(weft_npz_open(&npz, NULL), WEFT_ERROR_ARGUMENT, "@file", "`file` is NULL");
  expect_error(weft_npz_open(&npz, ""), WEFT_ERROR_ARGUMENT, "@file", "`file` is empty");
  expect_error(weft_npz_open(&npz, folder), WEFT_ERROR_FILE, "@file", "is no file");
  expect_error(weft_npz_load(ctx, path[0], weft__operand_result(&x)), WEFT_ERROR_ARGUMENT, "@variables",
               "argument 1 behind the file has no name; expected WEFT_VAR(&x)");
  expect_error(weft_npz_load(ctx, path[0], WEFT_NAMED("x", 5)), WEFT_ERROR_ARGUMENT, "@x", "`x` is no result");
  ck_assert_int_eq(weft_npz_count(NULL), 0);
}
END_TEST

/* ---- writing ---- */

START_TEST(what_cannot_be_written)
{
  weft_npz *npz = NULL;
  weft_array *x = NULL;
  char nowhere[100];
  struct stat before, after;
  harness_range(&x, 4);
  snprintf(nowhere, sizeof nowhere, "%s/none/x.npz", folder);
  expect_error(weft_npz_save(nowhere, WEFT_VAR(x)), WEFT_ERROR_FILE, "weft_npz_save: cannot make", nowhere);
  ok(weft_npz_save(path[0], WEFT_VAR(x)));
  ck_assert_int_eq(stat(path[0], &before), 0);
  /* the old file stays until the new one is complete */
  expect_error(weft_npz_save(path[0], WEFT_VAR(x), WEFT_NAMED("x", 1)), WEFT_ERROR_ARGUMENT, "@name", path[0],
               "has a member `x` already");
  expect_error(weft_npz_save(path[0], WEFT_NAMED("", x)), WEFT_ERROR_ARGUMENT, "@name", "`name` is empty");
  expect_error(weft_npz_save(path[0], WEFT_VAR(&x)), WEFT_ERROR_ARGUMENT, "@x", "`x` is no operand");
  expect_error(weft_npz_save(path[0], WEFT_OPERAND(x)), WEFT_ERROR_ARGUMENT, "@variables", "has no name");
  ok(weft_npz_create(&npz, path[0]));
  ok(weft_npz_write(npz, "y", x));
  expect_error(weft_npz_write(npz, "y", x), WEFT_ERROR_ARGUMENT, "@name", "has a member `y` already");
  expect_error(weft_npz_write(npz, NULL, x), WEFT_ERROR_ARGUMENT, "@name", "`name` is NULL");
  expect_error(weft_npz_write(npz, "z", WEFT_HOST(NULL, WEFT_F32, WEFT_SHAPE(3))), WEFT_ERROR_ARGUMENT, "@x");
  expect_error(weft_npz_read(&x, ctx, npz, "y"), WEFT_ERROR_ARGUMENT, "@npz", "is being written");
  weft_npz_release(&npz); /* not finished */
  ck_assert_int_eq(stat(path[0], &after), 0);
  ck_assert_uint_eq(after.st_ino, before.st_ino);
  ok(weft_npz_create(&npz, path[0]));
  ok(weft_npz_write(npz, "y", 2.5));
  ok(weft_npz_finish(npz));
  expect_error(weft_npz_finish(npz), WEFT_ERROR_ARGUMENT, "@npz", "is finished");
  expect_error(weft_npz_write(npz, "z", x), WEFT_ERROR_ARGUMENT, "@npz", "is finished");
  weft_npz_release(&npz);
  ck_assert_int_eq(stat(path[0], &after), 0);
  ck_assert_uint_ne(after.st_ino, before.st_ino);
  expect_error(weft_npz_finish(NULL), WEFT_ERROR_HANDLE, "@npz", "expected a weft_npz");
  expect_error(weft_npz_finish((weft_npz *)x), WEFT_ERROR_HANDLE, "@npz", "is a weft_array; expected a weft_npz");
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "archives");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, each_dtype);
  tcase_add_test(tc, in_one_call);
  tcase_add_test(tc, long_members);
  tcase_add_test(tc, each_byte_damaged);
  tcase_add_test(tc, zip64);
  tcase_add_test(tc, what_cannot_be_read);
  tcase_add_test(tc, what_cannot_be_written);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "npz", .add = add});
}

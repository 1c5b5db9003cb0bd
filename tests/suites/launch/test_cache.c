// SPDX-License-Identifier: MIT
/// The cache of built kernels: a second context finds what the first one built, with its parameters, lines and
/// assertions; damaged, shortened, foreign and unreadable files are built anew; the folder's owner, size and switches;
/// programs of the process. Programs side by side, small disks and linked programs: tests/process/cache.py.
#define _GNU_SOURCE /* memmem */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "disk/entry.h"
#include "disk/files.h"
#include "harness.h"

#define SOURCE                                                \
  "#include \"weft/prelude.clh\"\n"                           \
  "kernel void scale(global int *y, int a, WEFT_ASSERTS) {\n" \
  "  WEFT_ASSERT(a != 99);\n"                                 \
  "  y[weft_global_id()] *= a;\n"                             \
  "}\n"

static char folder[64];

/* The errno value with which the next reads of a folder fail; 0: they do not. */
static int readdir_code;

/// In the place of the C library's.
struct dirent *readdir(DIR *entries) {
  static struct dirent *(*real)(DIR *);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, sizeof(off_t) > sizeof(long) ? "readdir64" : "readdir");
  if (!readdir_code) return real(entries);
  errno = readdir_code;
  return NULL;
}

static void begin(void) {
  strcpy(folder, "test_cache_XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("WEFT_CACHE", "1", 1);
  setenv("WEFT_CACHE_DIR", folder, 1);
  unsetenv("WEFT_CACHE_LIMIT");
}

static void end(void) {
  char path[400];
  DIR *entries;
  chmod(folder, 0700);
  entries = opendir(folder);
  for (struct dirent *e; entries && (e = readdir(entries));) {
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (e->d_name[0] != '.') unlink(path);
  }
  if (entries) closedir(entries);
  ck_assert_int_eq(rmdir(folder), 0);
}

/// Makes a context, and a kernel that must work; returns the builds that the cache had, of two.
static uint64_t round_of(const char *source) {
  const int32_t expected[4] = {3, 3, 3, 3};
  int32_t got[4];
  weft_context *context = NULL;
  weft_kernel *scale = NULL;
  weft_array *y = NULL;
  weft_usage usage;
  ok(weft_context_create(&context));
  ok(weft_kernel_create(&scale, context, .source = source, .name = "scale", .source_name = "scale.cl"));
  ok(weft_ones(&y, context, WEFT_I32, WEFT_SHAPE(4)));
  ok(weft_launch(scale, WEFT_DIM3(1), WEFT_DIM3(4), y, 3));
  ok(weft_to_host(got, sizeof got, y));
  ck_assert_mem_eq(got, expected, sizeof got);
  ok(weft_usage_get(&usage, context));
  ck_assert_uint_ge(usage.builds, 2);
  weft_release(&scale, &y);
  ok(weft_context_close(&context));
  harness_count(1);
  return usage.cached_builds;
}

static weft_cache_info info_now(void) {
  weft_cache_info info;
  ok(weft_cache_get(&info));
  return info;
}

/// The path of the file that has `text` in its key.
static void find_file(char path[400], const char *text) {
  static char bytes[1 << 22];
  DIR *entries = opendir(folder);
  path[0] = 0;
  ck_assert_ptr_nonnull(entries);
  for (struct dirent *e; (e = readdir(entries));) {
    char at[400];
    snprintf(at, sizeof at, "%s/%s", folder, e->d_name);
    FILE *file = e->d_name[0] == '.' ? NULL : fopen(at, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    if (size && memmem(bytes, size, text, strlen(text))) strcpy(path, at);
  }
  closedir(entries);
  ck_assert_msg(path[0], "no file has `%s`", text);
}

static char *read_file(const char *path, size_t *size) {
  struct stat about;
  ck_assert_int_eq(stat(path, &about), 0);
  char *bytes = malloc((size_t)about.st_size);
  FILE *file = fopen(path, "rb");
  ck_assert(bytes && file);
  *size = fread(bytes, 1, (size_t)about.st_size, file);
  ck_assert_uint_eq(*size, (size_t)about.st_size);
  fclose(file);
  return bytes;
}

static void write_file(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

START_TEST(a_second_context_finds_all)
{
  begin();
  ck_assert_uint_eq(round_of(SOURCE), 0);
  weft_cache_info info = info_now();
  ck_assert(info.is_on && !info.why[0] && strcmp(info.folder, folder) == 0);
  ck_assert_uint_ge(info.files, 2);
  ck_assert_uint_eq(info.stored, info.files);
  ck_assert_uint_gt(info.size_bytes, 1000);
  const uint64_t stored = info.stored, misses = info.misses;
  ck_assert_uint_ge(round_of(SOURCE), 2);
  info = info_now();
  ck_assert_uint_eq(info.stored, stored); /* nothing new was launched */
  ck_assert_uint_eq(info.misses, misses);
  ck_assert_uint_ge(info.hits, 2);
  ok(weft_cache_clear());
  ck_assert_uint_eq(info_now().files, 0);
  ck_assert_uint_eq(round_of(SOURCE), 0);
  end();
}
END_TEST

/// What a program from the cache must still know: parameters, and the lines of assertions.
START_TEST(errors_are_those_of_the_source)
{
  weft_context *context = NULL;
  weft_kernel *scale = NULL;
  weft_array *y = NULL;
  weft_usage usage;
  char site[80];
  begin();
  round_of(SOURCE);
  ok(weft_context_create(&context));
  ok(weft_kernel_create(&scale, context, .source = SOURCE, .name = "scale", .source_name = "scale.cl"));
  ok(weft_usage_get(&usage, context));
  ck_assert_uint_ge(usage.cached_builds, 2);
  ok(weft_ones(&y, context, WEFT_I32, WEFT_SHAPE(4)));
  expect_error(weft_launch(scale, WEFT_DIM3(1), WEFT_DIM3(4), y, y), WEFT_ERROR_KERNEL_ARGUMENT, "argument 1 `a`");
  ok(weft_launch(scale, WEFT_DIM3(1), WEFT_DIM3(4), y, 99));
  snprintf(site, sizeof site, "test_cache.c:%d", __LINE__ - 1);
  expect_error(weft_context_wait(context), WEFT_ERROR_ASSERT, "weft_launch", site, "`WEFT_ASSERT(a != 99)`",
               "scale.cl:3");
  expect_error(weft_kernel_create(&(weft_kernel *){NULL}, context, .source = SOURCE "kernel void bad(", .name = "bad"),
               WEFT_ERROR_BUILD, "does not compile");
  weft_release(&scale, &y);
  ok(weft_context_close(&context));
  end();
}
END_TEST

/// Every byte of a small file; samples of the bytes and lengths of a program's. None of it is an error.
START_TEST(damaged_files_are_built_anew)
{
  weft_context *context = NULL;
  char path[400], small[200];
  size_t size;
  weft__entry_parts parts = {{"key of it", 9}, {"facts\n", 6}, {"the code", 8}}, read;
  weft__text file = {0};
  weft__entry_write(&file, &parts);
  ck_assert_ptr_null(weft__entry_read(&read, file.chars, file.length));
  ck_assert(read.code.size == 8 && memcmp(read.code.bytes, "the code", 8) == 0);
  for (size_t at = 0; at < file.length - parts.code.size; at++) { /* the code has a hash of its own */
    memcpy(small, file.chars, file.length);
    small[at] ^= 1 << at % 8;
    ck_assert_ptr_nonnull(weft__entry_read(&read, small, file.length));
  }
  for (size_t length = 0; length < file.length; length++)
    ck_assert_ptr_nonnull(weft__entry_read(&read, file.chars, length));
  weft__text_free(&file);
  begin();
  round_of(SOURCE);
  find_file(path, "a != 99");
  char *bytes = read_file(path, &size);
  /* an error before, which no refusal may change */
  expect_error(weft_context_create(&context, .device = "no such device"), WEFT_ERROR_NO_DEVICE, "no such device");
  for (int k = 0; k < 24; k++) {
    const size_t at = k < 8 ? (size_t)k * 9 : size / 17 * (size_t)(k - 7);
    const uint64_t refused = info_now().refused;
    bytes[at] ^= 1 << k % 8;
    write_file(path, bytes, k % 2 ? size : at);
    bytes[at] ^= 1 << k % 8;
    ck_assert_uint_eq(round_of(SOURCE), 1); /* the core's own program, and not the kernel's */
    ck_assert_uint_eq(info_now().refused, refused + 1);
    ck_assert_uint_ge(round_of(SOURCE), 2); /* written again */
  }
  ck_assert_ptr_nonnull(strstr(weft_error_last()->message, "no such device"));
  /* a whole file under another program's name */
  write_file(path, bytes, size);
  char other[400];
  find_file(other, "weft_introspect");
  ck_assert_int_eq(rename(path, other), 0);
  ck_assert_uint_eq(round_of(SOURCE), 0);
  free(bytes);
  end();
}
END_TEST

START_TEST(files_that_others_may_write)
{
  char path[400], text[600];
  struct stat about;
  begin();
  round_of(SOURCE);
  find_file(path, "a != 99");
  ck_assert_int_eq(chmod(path, 0666), 0);
  ck_assert_uint_eq(round_of(SOURCE), 1);
  ck_assert(stat(path, &about) == 0 && (about.st_mode & 022) == 0); /* a new file */
  ck_assert_uint_ge(round_of(SOURCE), 2);
  ck_assert_int_eq(unlink(path), 0); /* a link is not followed */
  ck_assert_int_eq(symlink("/etc/passwd", path), 0);
  ck_assert_uint_eq(round_of(SOURCE), 1);
  ck_assert(lstat(path, &about) == 0 && S_ISREG(about.st_mode));
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(mkdir(path, 0700), 0); /* nor is a folder removed */
  ck_assert_uint_eq(round_of(SOURCE), 1);
  ck_assert_int_eq(rmdir(path), 0);
  ck_assert_int_eq(chmod(folder, 0777), 0);
  ck_assert_uint_eq(round_of(SOURCE), 0);
  const weft_cache_info info = info_now();
  ck_assert(!info.is_on && strstr(info.why, "may be written by other users (mode 777)"));
  expect_error(weft_cache_clear(), WEFT_ERROR_FILE, "may be written by other users");
  ck_assert_int_eq(chmod(folder, 0700), 0);
  if (geteuid() == 0) {
    ck_assert_int_eq(chown(folder, 12345, 12345), 0);
    ck_assert_uint_eq(round_of(SOURCE), 0);
    snprintf(text, sizeof text, "%s", info_now().why);
    ck_assert_msg(strstr(text, "belongs to user 12345, not to user 0"), "%s", text);
    ck_assert_int_eq(chown(folder, 0, 0), 0);
  }
  ck_assert_uint_ge(round_of(SOURCE), 1);
  end();
}
END_TEST

START_TEST(switches)
{
  static const char reads_a_file[] =
      "#if 0\n#include <none.h>\n#endif\nkernel void scale(global int *y, int a) {\n"
      "  y[get_global_id(0)] *= a;\n}\n";
  begin();
  setenv("WEFT_CACHE", "0", 1);
  ck_assert_uint_eq(round_of(SOURCE), 0);
  ck_assert_uint_eq(round_of(SOURCE), 0);
  ck_assert(!info_now().is_on && strcmp(info_now().why, "WEFT_CACHE is off") == 0 && !info_now().folder[0]);
  setenv("WEFT_CACHE", "1", 1);
  ck_assert_uint_eq(info_now().files, 0);
  setenv("WEFT_CACHE_LIMIT", "much", 1);
  ck_assert_uint_eq(round_of(SOURCE), 0);
  ck_assert_ptr_nonnull(strstr(info_now().why, "WEFT_CACHE_LIMIT is `much`; expected bytes"));
  setenv("WEFT_CACHE_LIMIT", "100", 1); /* no file is that small */
  ck_assert_uint_eq(round_of(SOURCE), 0);
  ck_assert_uint_eq(info_now().files, 0);
  unsetenv("WEFT_CACHE_LIMIT");
  ck_assert_uint_eq(round_of(reads_a_file), 0);
  ck_assert_uint_eq(round_of(reads_a_file), 1); /* the core's own */
  setenv("WEFT_CACHE_DIR", "/dev/null/cache", 1);
  ck_assert_uint_eq(round_of(SOURCE), 0);
  ck_assert_ptr_nonnull(strstr(info_now().why, "cannot use the folder `/dev/null/cache`"));
  setenv("WEFT_CACHE_DIR", folder, 1);
  end();
}
END_TEST

static int make_file(const weft__disk *disk, const char *name, size_t size, time_t used) {
  weft__text why = {0}, content = {0};
  const struct timespec times[2] = {{.tv_sec = used}, {.tv_sec = used}};
  weft__text_fill(&content, 'x', size);
  const bool done = weft__disk_write(disk, name, &content, &why);
  utimensat(disk->folder, name, times, 0);
  weft__text_free(&why);
  weft__text_free(&content);
  return done;
}

/// The least recently used files go; other files, and those that a process still writes, stay.
START_TEST(the_size_has_a_limit)
{
  weft__disk disk;
  weft__text why = {0}, text = {0};
  char name[40], path[400];
  begin();
  setenv("WEFT_CACHE_LIMIT", "10000", 1);
  ck_assert(weft__disk_open(&disk, true, &why));
  snprintf(path, sizeof path, "%s/mine.txt", folder);
  write_file(path, "x", 1);
  snprintf(path, sizeof path, "%s/.weft-%ld-0123456789abcdef.tmp", folder, (long)getpid());
  write_file(path, "x", 1);
  snprintf(path, sizeof path, "%s/.weft-999999999-0123456789abcdef.tmp", folder);
  write_file(path, "x", 1);
  for (int k = 0; k < 10; k++) {
    snprintf(name, sizeof name, "%016x.weft", (unsigned)k);
    ck_assert(make_file(&disk, name, 1000, 1000000 + (k == 3 ? 50 : k)));
  }
  ck_assert_uint_eq(info_now().files, 10);
  ck_assert(access(path, F_OK) != 0);                                  /* its process is gone */
  ck_assert(make_file(&disk, "00000000000000aa.weft", 1000, 2000000)); /* 11000 bytes: down to 7500 */
  ck_assert_uint_eq(info_now().files, 7);
  ck_assert_uint_eq(info_now().size_bytes, 7000);
  static const char *const gone[] = {"0000000000000000.weft", "0000000000000004.weft"};
  static const char *const there[] = {"0000000000000003.weft", "0000000000000005.weft", "00000000000000aa.weft"};
  for (size_t k = 0; k < 2; k++) ck_assert(faccessat(disk.folder, gone[k], F_OK, 0) != 0);
  for (size_t k = 0; k < 3; k++) ck_assert(faccessat(disk.folder, there[k], F_OK, 0) == 0);
  ck_assert(weft__disk_read(&text, &disk, there[1], &why)); /* a use, which counts */
  for (int k = 0; k < 4; k++) {
    snprintf(name, sizeof name, "%016x.weft", 0xb0 + (unsigned)k);
    ck_assert(make_file(&disk, name, 1000, 3000000));
  }
  ck_assert(faccessat(disk.folder, "0000000000000006.weft", F_OK, 0) != 0);
  ck_assert(faccessat(disk.folder, there[1], F_OK, 0) == 0);
  /* a date in the future protects no file, until the file is used */
  const time_t future = time(NULL) + 1000000000;
  ok(weft_cache_clear());
  ck_assert(make_file(&disk, "00000000000000cc.weft", 1000, future));
  ck_assert(make_file(&disk, "00000000000000cd.weft", 1000, future));
  weft__text_clear(&text);
  ck_assert(weft__disk_read(&text, &disk, "00000000000000cd.weft", &why));
  for (int k = 0; k < 10; k++) {
    snprintf(name, sizeof name, "%016x.weft", 0xd0 + (unsigned)k);
    ck_assert(make_file(&disk, name, 1000, 4000000));
  }
  ck_assert(faccessat(disk.folder, "00000000000000cc.weft", F_OK, 0) != 0);
  ck_assert(faccessat(disk.folder, "00000000000000cd.weft", F_OK, 0) == 0);
  ok(weft_cache_clear());
  ck_assert_uint_eq(info_now().files, 0);
  snprintf(path, sizeof path, "%s/.weft-%ld-0123456789abcdef.tmp", folder, (long)getpid());
  ck_assert_int_eq(unlink(path), 0);
  snprintf(path, sizeof path, "%s/mine.txt", folder);
  ck_assert_int_eq(unlink(path), 0);
  weft__disk_close(&disk);
  weft__text_free(&why);
  weft__text_free(&text);
  end();
}
END_TEST

START_TEST(a_folder_that_is_not_read_to_its_end)
{
  weft_cache_info info;
  begin();
  round_of(SOURCE);
  ck_assert_uint_gt(info_now().files, 0);
  readdir_code = EIO;
  expect_error(weft_cache_get(&info), WEFT_ERROR_FILE, "weft_cache_get", "cannot read the folder",
               "Input/output error");
  expect_error(weft_cache_clear(), WEFT_ERROR_FILE, "weft_cache_clear", "cannot read the folder");
  readdir_code = 0;
  ok(weft_cache_clear());
  ck_assert_uint_eq(info_now().files, 0);
  end();
}
END_TEST

/// A file over the system's limit would end the process.
START_TEST(the_system_has_a_limit)
{
  weft__disk disk;
  weft__text why = {0}, content = {0};
  const struct rlimit small = {.rlim_cur = 1000, .rlim_max = RLIM_INFINITY};
  begin();
  ck_assert(weft__disk_open(&disk, true, &why));
  weft__text_fill(&content, 'x', 1001);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
  ck_assert(!weft__disk_write(&disk, "0000000000000000.weft", &content, &why));
  ck_assert_ptr_nonnull(strstr(weft__text_chars(&why), "File too large"));
  content.length = 1000;
  ck_assert(weft__disk_write(&disk, "0000000000000000.weft", &content, &why));
  ck_assert_uint_eq(info_now().files, 1);
  weft__disk_close(&disk);
  weft__text_free(&why);
  weft__text_free(&content);
  end();
}
END_TEST

START_TEST(programs_of_the_process)
{
  char path[400];
  size_t size;
  begin();
  round_of(SOURCE);
  find_file(path, "a != 99");
  char *bytes = read_file(path, &size), *damaged = malloc(size);
  ck_assert_ptr_nonnull(damaged);
  memcpy(damaged, bytes, size);
  damaged[40] ^= 4;
  expect_error(weft_cache_add(damaged, size), WEFT_ERROR_ARGUMENT, "weft_cache_add", "not a file of the cache",
               "@bytes");
  expect_error(weft_cache_add(bytes, size - 1), WEFT_ERROR_ARGUMENT, "its file is not whole");
  expect_error(weft_cache_add(NULL, 1), WEFT_ERROR_ARGUMENT, "@bytes");
  ok(weft_cache_add(bytes, size));
  setenv("WEFT_CACHE", "0", 1); /* no folder */
  ck_assert_uint_eq(round_of(SOURCE), 1);
  ck_assert_uint_eq(info_now().packed_hits, 1);
  ck_assert_uint_eq(round_of(SOURCE "// another\n"), 0); /* built from its source */
  free(damaged);
  end();
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "cache");
  tcase_add_test(tc, a_second_context_finds_all);
  tcase_add_test(tc, errors_are_those_of_the_source);
  tcase_add_test(tc, damaged_files_are_built_anew);
  tcase_add_test(tc, files_that_others_may_write);
  tcase_add_test(tc, switches);
  tcase_add_test(tc, the_size_has_a_limit);
  tcase_add_test(tc, a_folder_that_is_not_read_to_its_end);
  tcase_add_test(tc, the_system_has_a_limit);
  tcase_add_test(tc, programs_of_the_process);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cache", .add = add});
}

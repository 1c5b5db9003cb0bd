// SPDX-License-Identifier: MIT
/// Statuses, the error record, the log and WEFT_CHECK. No device is used.
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static const struct {
  weft_status status;
  const char *name;
  int band;
} STATUSES[] = {
#define ROW(name, band) \
  { name, #name, band }
    ROW(WEFT_OK, 0),
    ROW(WEFT_ERROR_ARGUMENT, 100),
    ROW(WEFT_ERROR_HANDLE, 100),
    ROW(WEFT_ERROR_DTYPE, 100),
    ROW(WEFT_ERROR_SHAPE, 100),
    ROW(WEFT_ERROR_AXIS, 100),
    ROW(WEFT_ERROR_INDEX, 100),
    ROW(WEFT_ERROR_LAYOUT, 100),
    ROW(WEFT_ERROR_CONTEXT, 100),
    ROW(WEFT_ERROR_OVERFLOW, 100),
    ROW(WEFT_ERROR_READ_ONLY, 100),
    ROW(WEFT_ERROR_NO_DEVICE, 200),
    ROW(WEFT_ERROR_UNSUPPORTED, 200),
    ROW(WEFT_ERROR_VERSION, 200),
    ROW(WEFT_ERROR_MEMORY, 300),
    ROW(WEFT_ERROR_HOST_MEMORY, 300),
    ROW(WEFT_ERROR_BUDGET, 300),
    ROW(WEFT_ERROR_LEAK, 300),
    ROW(WEFT_ERROR_BUILD, 400),
    ROW(WEFT_ERROR_KERNEL_NAME, 400),
    ROW(WEFT_ERROR_KERNEL_ARGUMENT, 400),
    ROW(WEFT_ERROR_LAUNCH_LIMIT, 400),
    ROW(WEFT_ERROR_BOUNDS, 400),
    ROW(WEFT_ERROR_ASSERT, 400),
    ROW(WEFT_ERROR_LOST, 500),
    ROW(WEFT_ERROR_CLOSED, 500),
    ROW(WEFT_ERROR_FORKED, 500),
    ROW(WEFT_ERROR_DRIVER, 600),
    ROW(WEFT_ERROR_FILE, 600),
    ROW(WEFT_ERROR_INTERNAL, 600),
    ROW(WEFT_ERROR_SINGULAR, 700),
    ROW(WEFT_ERROR_CONVERGENCE, 700),
    ROW(WEFT_ERROR_DIST, 800),
#undef ROW
};
enum { STATUS_COUNT = sizeof STATUSES / sizeof *STATUSES };

START_TEST(names_and_bands)
{
  for (int i = 0; i < STATUS_COUNT; i++) {
    ck_assert_str_eq(weft_status_name(STATUSES[i].status), STATUSES[i].name);
    ck_assert_int_eq(weft_status_band(STATUSES[i].status), STATUSES[i].band);
    ck_assert_int_eq(WEFT_STATUS_IS_USE(STATUSES[i].status), STATUSES[i].band == 100);
    harness_count(1);
  }
}
END_TEST

START_TEST(unknown_statuses_have_a_name)
{
  const int unknown[] = {-1, 1, 99, 199, 299, 699, 799, 100000, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    const char *name = weft_status_name((weft_status)unknown[i]);
    ck_assert_ptr_nonnull(name);
    ck_assert_uint_gt(strlen(name), 0);
    for (int k = 0; k < STATUS_COUNT; k++) ck_assert_str_ne(name, STATUSES[k].name);
    harness_count(1);
  }
}
END_TEST

static void assert_clear(void) {
  const weft_error *error = weft_error_last();
  ck_assert_ptr_nonnull(error);
  ck_assert_int_eq(error->status, WEFT_OK);
  ck_assert_int_eq(error->cl_code, 0);
  ck_assert_str_eq(error->cl_name, "");
  ck_assert_str_eq(error->function, "");
  ck_assert_str_eq(error->argument, "");
  ck_assert_str_eq(error->site, "");
  ck_assert_str_eq(error->message, "");
  ck_assert_str_eq(error->detail, "");
}

START_TEST(no_error_at_first)
{
  assert_clear();
  weft_error_clear();
  assert_clear();
}
END_TEST

/* A failing call that needs no device: its result pointer is NULL. */
static weft_status fail_plainly(void) {
  return weft_device_count(NULL);
}

/* A function of a library on top of Weft: its name and place are in the record, the first failure stays. */
START_TEST(another_library_records_failures)
{
  weft_error_enter("weft_other_sum", "program.c:7");
  expect_error(
      weft_error_leave(weft_error_while(weft_error_record(WEFT_ERROR_SHAPE, "x", "`x` has no rows"), "adding")),
      WEFT_ERROR_SHAPE, "weft_other_sum: `x` has no rows", "while adding", "@x");
  ck_assert_str_eq(weft_error_last()->function, "weft_other_sum");
  ck_assert_str_eq(weft_error_last()->site, "program.c:7");
  weft_error_enter("weft_other_sum", NULL);
  weft_status rc = fail_plainly();
  rc = weft_error_while(rc, "looking for devices");
  ck_assert_int_eq(weft_error_record(WEFT_ERROR_SHAPE, "x", "a later failure"), WEFT_ERROR_ARGUMENT);
  ck_assert_int_eq(weft_error_leave(rc), WEFT_ERROR_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(weft_error_last()->message, "weft_other_sum: "));
  ck_assert_ptr_nonnull(strstr(weft_error_last()->message, "while looking for devices"));
  ck_assert_ptr_null(strstr(weft_error_last()->message, "later"));
  weft_error_enter("weft_other_sum", NULL);
  ck_assert_int_eq(weft_error_leave(WEFT_OK), WEFT_OK);
  ck_assert_int_eq(weft_error_last()->status, WEFT_ERROR_ARGUMENT); /* a success changes nothing */
}
END_TEST

START_TEST(record_of_a_failure)
{
  expect_error(fail_plainly(), WEFT_ERROR_ARGUMENT, "weft_device_count", "@count", "count", "NULL");
  const weft_error *error = weft_error_last();
  ck_assert_str_eq(error->function, "weft_device_count");
  ck_assert_int_eq(error->cl_code, 0);
  ck_assert_str_eq(error->cl_name, "");
  ck_assert_ptr_null(strchr(error->message, '\n'));
  weft_error_clear();
  assert_clear();
}
END_TEST

START_TEST(success_leaves_the_record)
{
  ck_assert_int_eq(fail_plainly(), WEFT_ERROR_ARGUMENT);
  ck_assert_uint_eq(weft_dtype_size_bytes(WEFT_F32), 4);
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  ck_assert_int_eq(weft_error_last()->status, WEFT_ERROR_ARGUMENT);
  ck_assert_str_eq(weft_error_last()->function, "weft_device_count");
}
END_TEST

START_TEST(the_next_failure_replaces_it)
{
  weft_array *view = NULL;
  ck_assert_int_eq(fail_plainly(), WEFT_ERROR_ARGUMENT);
  expect_error(weft_flip(&view, NULL, 0), WEFT_ERROR_HANDLE, "weft_flip", "@x", "NULL");
  int line = __LINE__ - 1;
  char site[64];
  snprintf(site, sizeof site, "test_status.c:%d", line);
  ck_assert_str_eq(weft_error_last()->function, "weft_flip");
  ck_assert_msg(strstr(weft_error_last()->site, site) != NULL, "site is %s, expected ...%s", weft_error_last()->site,
                site);
  ck_assert_int_eq(fail_plainly(), WEFT_ERROR_ARGUMENT);
  ck_assert_str_eq(weft_error_last()->function, "weft_device_count");
  ck_assert_str_eq(weft_error_last()->site, "");
}
END_TEST

static void *other_thread(void *seen) {
  *(weft_status *)seen = weft_error_last()->status;
  weft_array *view = NULL;
  if (weft_flip(&view, NULL, 0) != WEFT_ERROR_HANDLE) *(weft_status *)seen = WEFT_ERROR_INTERNAL;
  return NULL;
}

START_TEST(each_thread_has_its_own)
{
  weft_status seen = WEFT_ERROR_INTERNAL;
  pthread_t thread;
  ck_assert_int_eq(fail_plainly(), WEFT_ERROR_ARGUMENT);
  ck_assert_int_eq(pthread_create(&thread, NULL, other_thread, &seen), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(seen, WEFT_OK);
  ck_assert_str_eq(weft_error_last()->function, "weft_device_count");
}
END_TEST

static char *read_all(FILE *file) {
  static char text[8192];
  fflush(file);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  return text;
}

START_TEST(print_writes_status_message_and_site)
{
  FILE *file = tmpfile();
  weft_array *view = NULL;
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(weft_flip(&view, NULL, 0), WEFT_ERROR_HANDLE);
  weft_error_print(file);
  const char *text = read_all(file);
  ck_assert_msg(strstr(text, "WEFT_ERROR_HANDLE") != NULL, "%s", text);
  ck_assert_msg(strstr(text, weft_error_last()->message) != NULL, "%s", text);
  ck_assert_msg(strstr(text, "test_status.c:") != NULL, "%s", text);
  ck_assert_int_eq(text[strlen(text) - 1], '\n');
  fclose(file);
}
END_TEST

/* The site is printed once, whether or not the failing function records it. */
START_TEST(weft_check_prints_and_exits_1)
{
  for (int knows_place = 0; knows_place < 2; knows_place++) {
    int fd[2], wait_status = 0;
    char text[2048];
    size_t length = 0;
    ck_assert_int_eq(pipe(fd), 0);
    pid_t child = fork();
    if (child == 0) {
      dup2(fd[1], STDERR_FILENO);
      close(fd[0]);
      WEFT_CHECK(WEFT_OK);
      if (knows_place) WEFT_CHECK(weft_empty((weft_array **)NULL, NULL, WEFT_F32, WEFT_SHAPE(3)));
      WEFT_CHECK(fail_plainly());
      _exit(3); /* not reached */
    }
    close(fd[1]);
    for (ssize_t got; length < sizeof text - 1 && (got = read(fd[0], text + length, sizeof text - 1 - length)) > 0;)
      length += (size_t)got;
    text[length] = '\0';
    close(fd[0]);
    ck_assert_int_eq(waitpid(child, &wait_status, 0), child);
    ck_assert(WIFEXITED(wait_status));
    ck_assert_int_eq(WEXITSTATUS(wait_status), EXIT_FAILURE);
    const char *place = strstr(text, "test_status.c:");
    ck_assert_msg(place && strstr(text, knows_place ? "weft_empty" : "weft_device_count"), "%s", text);
    ck_assert_msg(!strstr(place + 1, "test_status.c:"), "twice: %s", text);
  }
}
END_TEST

static void ignore_log(void *user, weft_log_level level, const char *message) {
  (void)level;
  (void)message;
  ++*(int *)user;
}

START_TEST(log_can_be_set_and_unset)
{
  int calls = 0;
  weft_log_set(WEFT_LOG_DEBUG, ignore_log, &calls);
  weft_log_set(WEFT_LOG_DEBUG, NULL, NULL);
  ck_assert_int_eq(fail_plainly(), WEFT_ERROR_ARGUMENT);
  ck_assert_int_eq(calls, 0);
  weft_log_set((weft_log_level)99, ignore_log, &calls); /* a level beyond the last one means all */
  weft_log_set(WEFT_LOG_NONE, ignore_log, &calls);
  calls = 0;
  ck_assert_int_eq(fail_plainly(), WEFT_ERROR_ARGUMENT);
  ck_assert_int_eq(calls, 0);
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
}
END_TEST

START_TEST(messages_are_clean)
{
  char buffer[512] = "";
  FILE *stream = fmemopen(buffer, sizeof buffer, "w");
  weft_error_enter("other_call", "main.c:3");
  weft_error_record(WEFT_ERROR_FILE, "file", "no `\033[31m\a\xc2\x9b\x7f\xff\xc3` \xc3\xa9\tof\nlines");
  weft_error_leave(WEFT_ERROR_FILE);
  ck_assert_str_eq(weft_error_last()->message, "other_call: no `?[31m?\?\?\?\?\?` \xc3\xa9\tof\nlines");
  ck_assert_ptr_nonnull(stream);
  weft_error_print(stream);
  fclose(stream);
  ck_assert_ptr_nonnull(strstr(buffer, "no `?[31m"));
}
END_TEST

START_TEST(free_accepts_null)
{
  weft_free(NULL);
  ck_assert_int_eq(weft_error_last()->status, WEFT_OK);
}
END_TEST

START_TEST(version_is_the_headers)
{
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
  ck_assert_str_eq(weft_version(), text);
  ck_assert_str_eq(WEFT_VERSION_STRING, text);
  ck_assert_int_eq(WEFT_VERSION_NUMBER, WEFT_VERSION_MAJOR * 1000000 + WEFT_VERSION_MINOR * 1000 + WEFT_VERSION_PATCH);
}
END_TEST

START_TEST(cl_codes_have_names)
{
  const struct {
    int code;
    const char *name;
  } codes[] = {
      {0, "CL_SUCCESS"},
      {-1, "CL_DEVICE_NOT_FOUND"},
      {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {-5, "CL_OUT_OF_RESOURCES"},
      {-6, "CL_OUT_OF_HOST_MEMORY"},
      {-11, "CL_BUILD_PROGRAM_FAILURE"},
      {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
      {-30, "CL_INVALID_VALUE"},
      {-36, "CL_INVALID_COMMAND_QUEUE"},
      {-46, "CL_INVALID_KERNEL_NAME"},
      {-52, "CL_INVALID_KERNEL_ARGS"},
      {-54, "CL_INVALID_WORK_GROUP_SIZE"},
      {-61, "CL_INVALID_BUFFER_SIZE"},
      {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
      {-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
      {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
      {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
      {-123456, "CL error -123456"},
      {17, "CL error 17"},
  };
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    ck_assert_str_eq(weft_cl_code_name(codes[i].code), codes[i].name);
    harness_count(1);
  }
  /* every code of OpenCL 3.0 (-1 to -19, -30 to -72) has its own name */
  for (int code = -72; code <= -1; code++) {
    if (code < -19 && code > -30) continue;
    ck_assert_msg(strncmp(weft_cl_code_name(code), "CL_", 3) == 0, "%d is %s", code, weft_cl_code_name(code));
    for (int other = code + 1; other <= 0; other++) ck_assert_str_ne(weft_cl_code_name(code), weft_cl_code_name(other));
    harness_count(1);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "status");
  tcase_add_test(tc, names_and_bands);
  tcase_add_test(tc, unknown_statuses_have_a_name);
  tcase_add_test(tc, cl_codes_have_names);
  tcase_add_test(tc, version_is_the_headers);
  tc = harness_case(suite, "record");
  tcase_add_test(tc, no_error_at_first);
  tcase_add_test(tc, another_library_records_failures);
  tcase_add_test(tc, record_of_a_failure);
  tcase_add_test(tc, success_leaves_the_record);
  tcase_add_test(tc, the_next_failure_replaces_it);
  tcase_add_test(tc, each_thread_has_its_own);
  tcase_add_test(tc, print_writes_status_message_and_site);
  tcase_add_test(tc, weft_check_prints_and_exits_1);
  tcase_add_test(tc, log_can_be_set_and_unset);
  tcase_add_test(tc, messages_are_clean);
  tcase_add_test(tc, free_accepts_null);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "status", .add = add, .host_only = true});
}

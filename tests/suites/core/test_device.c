// SPDX-License-Identifier: MIT
/// Listing, finding and selecting devices.
#define _GNU_SOURCE /* strcasestr */
#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static weft_device_info info_of(int index) {
  weft_device_info info;
  memset(&info, 0xa5, sizeof info);
  ok(weft_device_get(&info, index));
  return info;
}

START_TEST(count_is_what_the_probe_saw)
{
  int count = -1;
  ok(weft_device_count(&count));
  ck_assert_int_ge(count, 1);
  ck_assert_int_eq(count, device.count);
  ok(weft_device_count(&count));
  ck_assert_int_eq(count, device.count);
}
END_TEST

START_TEST(info_of_every_device_is_complete)
{
  for (int i = 0; i < device.count; i++) {
    weft_device_info info = info_of(i);
    ck_assert_int_eq(info.index, i);
    ck_assert_int_ge(info.type, WEFT_DEVICE_TYPE_OTHER);
    ck_assert_int_le(info.type, WEFT_DEVICE_TYPE_ACCELERATOR);
    ck_assert(info.name && *info.name && info.vendor && info.platform && *info.platform);
    ck_assert(info.opencl_version && strncmp(info.opencl_version, "OpenCL ", 7) == 0);
    ck_assert(info.driver_version && *info.driver_version);
    ck_assert_msg(!isspace((unsigned char)info.name[0]) && !isspace((unsigned char)info.name[strlen(info.name) - 1]),
                  "\"%s\"", info.name);
    ck_assert_uint_ge(info.compute_units, 1);
    ck_assert_uint_ge(info.warp_size, 1);
    ck_assert_uint_gt(info.memory_size_bytes, 1 << 20);
    ck_assert_uint_gt(info.max_allocation_bytes, 1 << 20);
    ck_assert_uint_gt(info.local_memory_bytes, 0);
    ck_assert_uint_gt(info.address_align_bytes, 0);
    ck_assert_uint_eq(info.address_align_bytes & (info.address_align_bytes - 1), 0);
    ck_assert_ptr_nonnull(memchr(info.pci_bus_id, '\0', sizeof info.pci_bus_id));
    harness_count(1);
  }
}
END_TEST

START_TEST(limits_are_cudas_or_less)
{
  for (int i = 0; i < device.count; i++) {
    weft_device_info info = info_of(i);
    ck_assert_uint_ge(info.max_block_threads, 1);
    for (int axis = 0; axis < 3; axis++) {
      ck_assert_uint_ge(info.max_block[axis], 1);
      ck_assert_uint_le(info.max_block[axis], info.max_block_threads);
      ck_assert_uint_ge(info.max_grid[axis], 1);
    }
    ck_assert_uint_eq(info.max_grid[0], (UINT64_C(1) << 31) - 1);
    ck_assert_uint_eq(info.max_grid[1], 65535);
    ck_assert_uint_eq(info.max_grid[2], 65535);
    ck_assert_uint_ge(info.max_grid_blocks, info.max_grid[0]);
    if (strstr(info.platform, "Portable Computing Language"))
      ck_assert_uint_lt(info.max_grid_blocks, UINT64_C(1) << 32);
    harness_count(1);
  }
}
END_TEST

START_TEST(info_out_of_range)
{
  const int indices[] = {-1, device.count, device.count + 1, 1000000, INT32_MAX, INT32_MIN};
  char asked[16], count[16];
  weft_device_info info;
  snprintf(count, sizeof count, "%d", device.count);
  for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
    snprintf(asked, sizeof asked, "%d", indices[i]);
    expect_error(weft_device_get(&info, indices[i]), WEFT_ERROR_NO_DEVICE, "weft_device_get", asked, count, "@index");
    expect_error(weft_device_use(indices[i]), WEFT_ERROR_NO_DEVICE, "weft_device_use", asked, count, "@index");
    harness_count(2);
  }
}
END_TEST

START_TEST(null_results)
{
  expect_error(weft_device_count(NULL), WEFT_ERROR_ARGUMENT, "weft_device_count", "@count", "NULL");
  expect_error(weft_device_get(NULL, 0), WEFT_ERROR_ARGUMENT, "weft_device_get", "@info", "NULL");
  expect_error(weft_device_find(NULL, "best"), WEFT_ERROR_ARGUMENT, "weft_device_find", "@index", "NULL");
  expect_error(weft_device_used(NULL), WEFT_ERROR_ARGUMENT, "weft_device_used", "@index", "NULL");
}
END_TEST

START_TEST(type_names)
{
  ck_assert_str_eq(weft_device_type_name(WEFT_DEVICE_TYPE_CPU), "cpu");
  ck_assert_str_eq(weft_device_type_name(WEFT_DEVICE_TYPE_GPU), "gpu");
  ck_assert_str_eq(weft_device_type_name(WEFT_DEVICE_TYPE_ACCELERATOR), "accelerator");
  ck_assert_str_eq(weft_device_type_name(WEFT_DEVICE_TYPE_OTHER), "other");
  ck_assert_str_eq(weft_device_type_name((weft_device_type)77), "other");
}
END_TEST

static int find(const char *selector) {
  int index = -1;
  ok(weft_device_find(&index, selector));
  ck_assert_int_ge(index, 0);
  ck_assert_int_lt(index, device.count);
  harness_count(1);
  return index;
}

START_TEST(find_by_number)
{
  for (int i = 0; i < device.count; i++) {
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    ck_assert_int_eq(find(number), i);
  }
}
END_TEST

START_TEST(find_by_type)
{
  for (int i = 0; i < device.count; i++) {
    weft_device_info info = info_of(i);
    if (info.type == WEFT_DEVICE_TYPE_OTHER) continue;
    ck_assert_int_eq(info_of(find(weft_device_type_name(info.type))).type, info.type);
  }
}
END_TEST

START_TEST(find_by_part_of_a_name_without_case)
{
  for (int i = 0; i < device.count; i++) {
    weft_device_info info = info_of(i);
    const char *names[2] = {info.name, info.platform};
    for (int k = 0; k < 2; k++) {
      char part[64];
      size_t length = strlen(names[k]);
      /* the end of the name, in capitals, then in lower case */
      snprintf(part, sizeof part, "%s", names[k] + length / 3);
      if (isdigit((unsigned char)part[0]) || !strcmp(part, "best")) continue;
      for (int upper = 0; upper < 2; upper++) {
        for (char *c = part; *c; c++) *c = (char)(upper ? toupper((unsigned char)*c) : tolower((unsigned char)*c));
        weft_device_info found = info_of(find(part));
        ck_assert_msg(strcasestr(found.name, part) || strcasestr(found.platform, part), "\"%s\" found %s", part,
                      found.name);
      }
    }
  }
}
END_TEST

START_TEST(best_is_no_cpu_where_there_is_a_discrete_gpu)
{
  int best = find("best");
  ck_assert_int_eq(find(NULL), best);
  ck_assert_int_eq(find(""), best);
  weft_device_info info = info_of(best);
  for (int i = 0; i < device.count; i++) {
    weft_device_info other = info_of(i);
    if (other.type == WEFT_DEVICE_TYPE_GPU && other.is_discrete) {
      ck_assert_int_eq(info.type, WEFT_DEVICE_TYPE_GPU);
      ck_assert(info.is_discrete);
      ck_assert_uint_ge(info.memory_bandwidth, other.memory_bandwidth);
    }
    if (other.type != WEFT_DEVICE_TYPE_CPU) ck_assert_int_ne(info.type, WEFT_DEVICE_TYPE_CPU);
  }
}
END_TEST

START_TEST(find_nothing)
{
  const char *selectors[] = {"no such device 93b1", "999", "-1", "accelerator9", "1x"};
  int index = 12345;
  for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
    /* the message repeats the selector and lists the devices */
    expect_error(weft_device_find(&index, selectors[i]), WEFT_ERROR_NO_DEVICE, "weft_device_find", selectors[i],
                 info_of(0).name);
    ck_assert_int_eq(index, 12345);
    harness_count(1);
  }
}
END_TEST

/* ---- the thread's device ---- */

START_TEST(selected_by_default_is_the_best)
{
  int index = -1;
  unsetenv("WEFT_DEVICE");
  ok(weft_device_used(&index));
  ck_assert_int_eq(index, find("best"));
}
END_TEST

START_TEST(environment_chooses)
{
  char number[16];
  int index = -1;
  snprintf(number, sizeof number, "%d", device.count - 1);
  setenv("WEFT_DEVICE", number, 1);
  ok(weft_device_used(&index));
  ck_assert_int_eq(index, device.count - 1);
}
END_TEST

START_TEST(wrong_environment_is_named)
{
  int index = -1;
  weft_context *context = NULL;
  setenv("WEFT_DEVICE", "no such device 93b1", 1);
  expect_error(weft_device_used(&index), WEFT_ERROR_NO_DEVICE, "WEFT_DEVICE", "no such device 93b1");
  expect_error(weft_context_create(&context), WEFT_ERROR_NO_DEVICE, "WEFT_DEVICE", "no such device 93b1");
  ck_assert_ptr_null(context);
  ok(weft_device_use(device.index)); /* the call takes precedence over the environment */
  ok(weft_device_used(&index));
  ck_assert_int_eq(index, device.index);
}
END_TEST

static void *selected_in_thread(void *index) {
  if (weft_device_used(index) != WEFT_OK) *(int *)index = -2;
  return NULL;
}

START_TEST(selection_is_the_threads_own)
{
  int index = -1, other = -1, last = device.count - 1;
  pthread_t thread;
  weft_device_info info;
  unsetenv("WEFT_DEVICE");
  ok(weft_device_use(last));
  ok(weft_device_used(&index));
  ck_assert_int_eq(index, last);
  ck_assert_int_eq(pthread_create(&thread, NULL, selected_in_thread, &other), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(other, find("best"));
  /* a refused selection changes nothing */
  expect_error(weft_device_use(device.count), WEFT_ERROR_NO_DEVICE, "weft_device_use");
  ok(weft_device_used(&index));
  ck_assert_int_eq(index, last);
  ok(weft_context_create(&ctx));
  ok(weft_context_get_device(&info, ctx));
  ck_assert_int_eq(info.index, last);
  ok(weft_context_close(&ctx));
}
END_TEST

START_TEST(second_device_of_pocl)
{
  int count = 0;
  weft_device_info first, second;
  if (!strstr(device.platform, "Portable Computing Language")) return;
  setenv("POCL_DEVICES", strstr(device.name, "pthread") ? "pthread pthread" : "cpu cpu", 1);
  unsetenv("WEFT_DEVICE");
  ok(weft_device_count(&count));
  ck_assert_int_ge(count, device.count + 1);
  for (int i = 0; i < count; i++) {
    ok(weft_device_use(i));
    ok(weft_context_create(&ctx));
    ok(weft_context_get_device(&second, ctx));
    ck_assert_int_eq(second.index, i);
    ok(weft_context_close(&ctx));
    if (i == 0) first = second;
    harness_count(1);
  }
  ck_assert_int_ne(first.index, second.index);
  int best = -1, cpu = -1;
  ok(weft_device_find(&best, "best"));
  ok(weft_device_find(&cpu, "cpu"));
  ck_assert(best >= 0 && best < count && cpu >= 0 && cpu < count);
  expect_error(weft_device_use(count), WEFT_ERROR_NO_DEVICE, "weft_device_use", "@index");
}
END_TEST

/* ---- fork and quirks ---- */

START_TEST(forked_child_is_told)
{
  int count = 0, wait_status = 0;
  ok(weft_device_count(&count));
  pid_t child = fork();
  if (child == 0) {
    int index = 0;
    weft_device_info info;
    alarm(20);
    if (weft_device_count(&count) != WEFT_ERROR_FORKED) _exit(2);
    if (!strstr(weft_error_last()->message, "fork")) _exit(3);
    if (weft_device_get(&info, 0) != WEFT_ERROR_FORKED) _exit(4);
    if (weft_device_find(&index, "best") != WEFT_ERROR_FORKED) _exit(5);
    if (weft_context_create(&ctx) != WEFT_ERROR_FORKED) _exit(6);
    _exit(0);
  }
  ck_assert_int_eq(waitpid(child, &wait_status, 0), child);
  ck_assert_msg(WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0, "wait status 0x%x", (unsigned)wait_status);
}
END_TEST

START_TEST(quirks_take_away)
{
  setenv("WEFT_QUIRKS", "no_fp64,no_int64_atomics,small_local", 1);
  for (int i = 0; i < device.count; i++) {
    weft_device_info info = info_of(i);
    ck_assert(!info.has_fp64);
    ck_assert(!info.has_int64_atomics);
    ck_assert_uint_le(info.local_memory_bytes, 16384);
    harness_count(1);
  }
}
END_TEST

START_TEST(unknown_quirk_is_named)
{
  weft_device_info info;
  setenv("WEFT_QUIRKS", "no_fp64,nonsense", 1);
  expect_error(weft_device_get(&info, 0), WEFT_ERROR_ARGUMENT, "WEFT_QUIRKS", "`nonsense`", "no_arg_info");
  /* each quirk is listed once, even if several platforms have it */
  char list[1024];
  const char *message = strstr(weft_error_last()->message, "there are ");
  snprintf(list, sizeof list, "%s,", message + strlen("there are "));
  for (char *name = list, *end; (end = strchr(name, ',')); name = end + 1) {
    char once[64];
    if (*name == ' ') name++;
    snprintf(once, sizeof once, "%.*s,", (int)(end - name), name);
    for (const char *other = end + 1; (other = strstr(other, once)); other++)
      ck_assert_msg(other[-1] != ' ', "%s twice in %s", once, list);
    harness_count(1);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "info");
  tcase_add_test(tc, count_is_what_the_probe_saw);
  tcase_add_test(tc, info_of_every_device_is_complete);
  tcase_add_test(tc, limits_are_cudas_or_less);
  tcase_add_test(tc, info_out_of_range);
  tcase_add_test(tc, null_results);
  tcase_add_test(tc, type_names);
  tc = harness_case(suite, "find");
  tcase_add_test(tc, find_by_number);
  tcase_add_test(tc, find_by_type);
  tcase_add_test(tc, find_by_part_of_a_name_without_case);
  tcase_add_test(tc, best_is_no_cpu_where_there_is_a_discrete_gpu);
  tcase_add_test(tc, find_nothing);
  tc = harness_case(suite, "select");
  tcase_add_test(tc, selected_by_default_is_the_best);
  tcase_add_test(tc, environment_chooses);
  tcase_add_test(tc, wrong_environment_is_named);
  tcase_add_test(tc, selection_is_the_threads_own);
  tcase_add_test(tc, second_device_of_pocl);
  tc = harness_case(suite, "process");
  tcase_add_test(tc, forked_child_is_told);
  tcase_add_test(tc, quirks_take_away);
  tcase_add_test(tc, unknown_quirk_is_named);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "device", .add = add});
}

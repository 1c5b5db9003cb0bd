// SPDX-License-Identifier: MIT
/// Readings of devices, programs that publish themselves, and the other holders of exhausted memory.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

/* ---- a folder for published files, and the fake NVIDIA library ---- */

static char folder[] = "/tmp/weft_test_XXXXXX";
static bool has_folder;

static void make_folder(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  has_folder = true;
  setenv("XDG_RUNTIME_DIR", folder, 1);
  setenv("WEFT_TOP", "1", 1);
}

static int files(void) {
  char path[64];
  int count = 0;
  snprintf(path, sizeof path, "%s/weft", folder);
  DIR *published = opendir(path);
  if (!published) return 0;
  for (const struct dirent *entry; (entry = readdir(published));) count += entry->d_name[0] != '.';
  closedir(published);
  return count;
}

static void remove_folder(void) {
  char path[64];
  if (!has_folder) return;
  snprintf(path, sizeof path, "%s/weft", folder);
  rmdir(path);
  ck_assert_msg(rmdir(folder) == 0, "files were left in %s", folder);
}

/// Selects the fake library; false if the build did not give its path.
static bool use_fake(const char *processes) {
  const char *library = getenv("WEFT_TEST_NVML_LIBRARY");
  if (!library) return false;
  setenv("WEFT_NVML", library, 1);
  setenv("WEFT_PCI_BUS_ID", "0000:3c:00.0", 1);
  setenv("WEFT_TEST_NVML_PROCESSES", processes, 1);
  return true;
}

static weft_monitor_reading read_device(void) {
  weft_monitor_reading r;
  memset(&r, 0xa5, sizeof r);
  ok(weft_monitor_get(&r, device.index));
  harness_count(1);
  return r;
}

/* ---- readings ---- */

static bool is_percent(int value) {
  return value >= -1 && value <= 100;
}

START_TEST(every_device_is_read)
{
  for (int i = 0; i < device.count; i++) {
    weft_monitor_reading r;
    ok(weft_monitor_get(&r, i));
    ck_assert_int_eq(r.device.index, i);
    ck_assert(strcmp(r.source, "NVML") == 0 || strcmp(r.source, "/proc") == 0 || strcmp(r.source, "") == 0);
    ck_assert_int_ge(r.fan_percent, -1); /* may exceed 100 */
    ck_assert(r.temperature_c >= -1 && r.temperature_c < 150);
    ck_assert(r.performance_state >= -1 && r.performance_state <= 15);
    ck_assert(is_percent(r.utilisation_percent));
    ck_assert(r.ecc_mode >= -1 && r.ecc_mode <= 1);
    ck_assert(r.compute_mode >= WEFT_COMPUTE_UNKNOWN && r.compute_mode <= WEFT_COMPUTE_PROHIBITED);
    ck_assert_int_gt(r.memory_total_bytes, 0);
    ck_assert(r.memory_used_bytes >= -1 && r.memory_used_bytes <= r.memory_total_bytes);
    ck_assert_int_ge(r.process_count, -1);
    for (int p = 1; p < r.process_count; p++)
      ck_assert_int_ge(r.processes[p - 1].memory_bytes, r.processes[p].memory_bytes);
    weft_monitor_free(&r);
    ck_assert_ptr_null(r.processes);
    harness_count(1);
  }
}
END_TEST

START_TEST(a_cpu_device_is_the_machine)
{
  setenv("WEFT_NVML", "off", 1);
  if (device.type != WEFT_DEVICE_TYPE_CPU) return;
  weft_monitor_reading r = read_device();
  ck_assert_str_eq(r.source, "/proc");
  ck_assert_int_gt(r.memory_used_bytes, 0);
  ck_assert(r.power_w == -1 && r.ecc_mode == -1 && r.fan_percent == -1 && r.compute_mode == WEFT_COMPUTE_UNKNOWN);
  const weft_monitor_process *own = NULL;
  for (int i = 0; i < r.process_count; i++)
    if (r.processes[i].pid == getpid()) own = &r.processes[i];
  ck_assert_msg(own != NULL, "this process is not among %d", r.process_count);
  ck_assert_uint_eq(own->type, WEFT_PROCESS_DRIVER);
  ck_assert_int_gt(own->memory_bytes, 1 << 20);
  ck_assert_msg(strstr(own->name, "test_monitor") != NULL, "%s", own->name);
  weft_monitor_free(&r);
}
END_TEST

START_TEST(a_gpu_by_the_management_library)
{
  if (!use_fake("2000004711:30408704,2000004712:-,0:5")) return;
  weft_monitor_reading r = read_device();
  ck_assert_str_eq(r.source, "NVML");
  ck_assert_str_eq(r.driver_version, "455.45.01");
  ck_assert(r.power_w > 76.5 && r.power_w < 76.6 && r.power_cap_w == 700);
  ck_assert_int_eq(r.memory_used_bytes, 31 << 20);
  ck_assert_int_eq(r.ecc_errors, 5);
  ck_assert_int_eq(r.fan_percent, -1);
  ck_assert_int_eq(r.compute_mode, WEFT_COMPUTE_EXCLUSIVE);
  ck_assert_int_eq(r.process_count, 3);
  ck_assert_str_eq(r.processes[0].name, "python3");
  ck_assert_int_eq(r.processes[1].pid, -1);
  ck_assert_int_eq(r.processes[2].memory_bytes, -1);
  ck_assert_str_eq(r.processes[2].name, "");
  weft_monitor_free(&r);
}
END_TEST

START_TEST(wrong_calls)
{
  weft_monitor_reading r = {0};
  weft_monitor_program *programs;
  int count;
  expect_error(weft_monitor_get(NULL, device.index), WEFT_ERROR_ARGUMENT, "weft_monitor_get", "@reading");
  expect_error(weft_monitor_get(&r, device.count), WEFT_ERROR_NO_DEVICE, "weft_monitor_get");
  expect_error(weft_monitor_get(&r, -1), WEFT_ERROR_NO_DEVICE, "weft_monitor_get", "-1");
  expect_error(weft_monitor_get_programs(NULL, &count), WEFT_ERROR_ARGUMENT, "weft_monitor_get_programs", "@programs");
  expect_error(weft_monitor_get_programs(&programs, NULL), WEFT_ERROR_ARGUMENT, "weft_monitor_get_programs", "@count");
  ck_assert_ptr_null(programs);
  weft_monitor_free(&r);
  weft_monitor_free(NULL);
}
END_TEST

/* ---- programs ---- */

/// Finds this process's program with this number, once it has launched something; its site is copied.
static bool find_own(weft_monitor_program *own, int context) {
  for (int i = 0; i < 100; i++) {
    weft_monitor_program *programs = NULL;
    int count = 0;
    bool found = false;
    ok(weft_monitor_get_programs(&programs, &count));
    for (int p = 0; p < count; p++)
      if (programs[p].pid == getpid() && programs[p].context == context && programs[p].launches > 0) {
        *own = programs[p];
        found = true;
      }
    weft_free(programs);
    if (found) return true;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  return false;
}

START_TEST(a_program_publishes_itself)
{
  weft_context *second = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_monitor_program own;
  make_folder();
  harness_context_open();
  ok(weft_context_create(&second, .device = device.selector));
  ck_assert_int_eq(files(), 2);
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(1 << 18)));
  ok(weft_zeros(&y, second, WEFT_F32, WEFT_SHAPE(1 << 20)));
  ck_assert(find_own(&own, 0));
  ck_assert_uint_eq(own.active_bytes, 1 << 20);
  ck_assert_int_eq(own.site_count, 1);
  ck_assert_uint_eq(own.sites[0].size_bytes, 1 << 20);
  ck_assert_msg(strstr(own.sites[0].site, "test_monitor.c:") != NULL, "%s", own.sites[0].site);
  ck_assert_str_eq(own.device, device.name);
  ck_assert_int_eq(own.device_index, device.index);
  ck_assert(!own.is_orphan && own.idle_ns >= 0 && own.idle_ns < INT64_C(60000000000) && own.started_ns > 0);
  ck_assert(find_own(&own, 1));
  ck_assert_uint_eq(own.active_bytes, 4 << 20);
  weft_array_release(&y);
  ok(weft_context_close(&second));
  ck_assert_int_eq(files(), 1);
  weft_array_release(&x);
  harness_context_close();
  ck_assert_int_eq(files(), 0);
  remove_folder();
}
END_TEST

/// In a child process: `how` 0 ends with exit(), 1 with a context inherited by a grandchild.
static int status_of_child(int how) {
  pid_t child = fork();
  if (child == 0) {
    weft_context *context = NULL;
    if (weft_context_create(&context, .device = device.selector) != WEFT_OK || files() != 1) _exit(1);
    if (how == 1) {
      pid_t grandchild = fork();
      int status;
      if (grandchild == 0) {
        weft_context_release(&context);
        exit(0);
      }
      if (waitpid(grandchild, &status, 0) != grandchild || status != 0) _exit(2);
      if (files() != 1) _exit(3); /* the file was not the child's to remove */
    }
    exit(0);
  }
  int status = -1;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return status;
}

START_TEST(files_go_with_the_process)
{
  make_folder();
  for (int how = 0; how < 2; how++) {
    ck_assert_int_eq(status_of_child(how), 0);
    ck_assert_int_eq(files(), 0);
    harness_count(1);
  }
  remove_folder();
}
END_TEST

static void keep_warning(void *text, weft_log_level level, const char *message) {
  if (level == WEFT_LOG_WARNING) snprintf(text, 512, "%s", message);
}

START_TEST(what_cannot_be_published_is_said)
{
  char warning[512] = "", path[64];
  make_folder();
  snprintf(path, sizeof path, "%s/weft", folder);
  ck_assert_int_eq(mkdir(path, 0755), 0);
  ck_assert_int_eq(chmod(path, 0777), 0); /* not private to this user: the folder is then /tmp/weft-UID, if that is
                                             sound */
  weft_log_set(WEFT_LOG_WARNING, keep_warning, warning);
  harness_context_open();
  ck_assert_int_eq(files(), 0);
  harness_context_close();
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  ck_assert_msg(!warning[0] || strstr(warning, "is not published"), "%s", warning);
  remove_folder();
}
END_TEST

/* ---- other holders of exhausted memory ---- */

START_TEST(running_out_names_other_processes)
{
  weft_array *x = NULL;
  char processes[128];
  snprintf(processes, sizeof processes, "2000004711:75161927680,2000004712:-,%d:1048576,0:104857600", (int)getpid());
  if (!use_fake(processes)) return;
  harness_context_open();
  expect_error(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(INT64_C(1) << 50)), WEFT_ERROR_MEMORY, "1.0 PiB asked");
  const char *detail = weft_error_last()->detail;
  ck_assert_msg(strstr(detail, "  of the device's 2.0 GiB all processes and the driver use 31.0 MiB\n"), "%s", detail);
  ck_assert_msg(
      strstr(
          detail,
          "  other processes hold 70.1 GiB: 2000004711 python3 (70.0 GiB), a process hidden by the system (100.0 MiB), "
          "2000004712 unknown (unknown)\n"),
      "%s", detail);
  /* the context's own limit is not caused by other processes */
  ok(weft_memory_set_limit(ctx, 4096));
  expect_error(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(1 << 20)), WEFT_ERROR_BUDGET, "limit");
  ck_assert_ptr_null(strstr(weft_error_last()->detail, "process"));
  harness_context_close();
}
END_TEST

START_TEST(running_out_in_a_container)
{
  weft_array *x = NULL;
  char processes[512] = "";
  /* more programs than are named, and this process under another number */
  for (int i = 0; i < 12; i++)
    snprintf(processes + strlen(processes), 32, "%s%d:1073741824", i ? "," : "", 2000000000 + i);
  if (!use_fake(processes)) return;
  harness_context_open();
  expect_error(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(INT64_C(1) << 50)), WEFT_ERROR_MEMORY, "asked");
  const char *detail = weft_error_last()->detail;
  ck_assert_msg(strstr(detail, "  processes, this one among them, hold 12.0 GiB: 2000000000 unknown (1.0 GiB), "), "%s",
                detail);
  ck_assert_msg(strstr(detail, "2000000007 unknown (1.0 GiB) and 4 more\n"), "%s", detail);
  harness_context_close();
}
END_TEST

START_TEST(running_out_of_the_hosts_memory)
{
  weft_array *x = NULL;
  setenv("WEFT_NVML", "off", 1);
  if (device.type != WEFT_DEVICE_TYPE_CPU) return;
  harness_context_open();
  expect_error(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(INT64_C(1) << 50)), WEFT_ERROR_MEMORY, "asked");
  const char *detail = weft_error_last()->detail;
  ck_assert_msg(strstr(detail, "  of the host's ") && strstr(detail, " all processes use "), "%s", detail);
  harness_context_close();
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "readings");
  tcase_add_test(tc, every_device_is_read);
  tcase_add_test(tc, a_cpu_device_is_the_machine);
  tcase_add_test(tc, a_gpu_by_the_management_library);
  tcase_add_test(tc, wrong_calls);
  tc = harness_case(suite, "programs");
  tcase_add_test(tc, a_program_publishes_itself);
  tcase_add_test(tc, files_go_with_the_process);
  tcase_add_test(tc, what_cannot_be_published_is_said);
  tc = harness_case(suite, "running out");
  tcase_add_test(tc, running_out_names_other_processes);
  tcase_add_test(tc, running_out_in_a_container);
  tcase_add_test(tc, running_out_of_the_hosts_memory);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "monitor", .add = add});
}

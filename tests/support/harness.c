// SPDX-License-Identifier: MIT
/// The shared half of every suite. The parent process makes no OpenCL call: PoCL hangs in the child of a process that
/// made one.
#define _GNU_SOURCE /* MAP_ANONYMOUS, dl_iterate_phdr */
#include "harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SKIP = 77, PROBE_SECONDS = 120, TEST_SECONDS = 120, TOGETHER_SECONDS = 280 };

weft_context *ctx;
harness_device device;

static atomic_long *cases;
static uint64_t seed;

void *harness_shared(size_t size_bytes) {
  void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    perror("harness_shared");
    exit(EXIT_FAILURE);
  }
  return memory;
}

void harness_count(long count) {
  atomic_fetch_add(cases, count);
}

/* ---- which device ---- */

typedef struct probe_result {
  int status; /* of the search */
  harness_device device;
  char text[1024];
  char pocl[256]; /* the file of PoCL, if that is loaded */
  bool needs_optimisation; /* -cl-opt-disable aborts (docs/drivers.md, PoCL 5.0 and 6.0) */
} probe_result;

static int note_pocl(struct dl_phdr_info *library, size_t size_bytes, void *result) {
  (void)size_bytes;
  if (!strstr(library->dlpi_name, "/libpocl.so")) return 0;
  snprintf(((probe_result *)result)->pocl, sizeof((probe_result *)result)->pocl, "%s", library->dlpi_name);
  return 1;
}

_Noreturn static void probe_child(int fd, const char *selector) {
  probe_result result = {0};
  weft_device_info info;
  signal(SIGALRM, SIG_DFL);
  alarm(PROBE_SECONDS);
  weft_status rc = weft_device_find(&result.device.index, selector);
  if (rc == WEFT_OK) rc = weft_device_get(&info, result.device.index);
  if (rc == WEFT_OK) rc = weft_device_count(&result.device.count);
  if (rc == WEFT_OK) {
    snprintf(result.device.name, sizeof result.device.name, "%s", info.name);
    snprintf(result.device.platform, sizeof result.device.platform, "%s", info.platform);
    result.device.type = info.type;
    result.device.has_fp64 = info.has_fp64;
    dl_iterate_phdr(note_pocl, &result);
    result.needs_optimisation = *result.pocl && atoi(info.driver_version) >= 5;
  } else {
    snprintf(result.text, sizeof result.text, "%s: %s", weft_status_name(rc), weft_error_last()->message);
    if (weft_device_count(&result.device.count) != WEFT_OK) result.device.count = 0;
  }
  result.status = rc;
  ssize_t written = write(fd, &result, sizeof result);
  _exit(written == (ssize_t)sizeof result ? 0 : 1);
}

static bool is_set(const char *variable) {
  const char *value = getenv(variable);
  return value && *value && strcmp(value, "0") != 0;
}

/// Returns 0 if the device exists, otherwise the program's exit status.
static int probe(const char *suite) {
  const char *selector = getenv("WEFT_TEST_DEVICE");
  bool is_strict = is_set("WEFT_TEST_STRICT");
  probe_result result;
  int fd[2], wait_status = 0;
  if (!selector) selector = "";
  if (pipe(fd) != 0) return perror("pipe"), EXIT_FAILURE;
  pid_t child = fork();
  if (child < 0) return perror("fork"), EXIT_FAILURE;
  if (child == 0) probe_child(fd[1], selector);
  close(fd[1]);
  ssize_t got = read(fd[0], &result, sizeof result);
  close(fd[0]);
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) continue;
  if (got != (ssize_t)sizeof result) {
    printf("%s: FAIL: the probe for device \"%s\" died, wait status 0x%x\n", suite, selector, (unsigned)wait_status);
    return EXIT_FAILURE;
  }
  if (result.status == WEFT_ERROR_NO_DEVICE) {
    if (is_set("WEFT_TEST_ANY") && result.device.count > 0) is_strict = false; /* another device exists and is tested */
    printf("%s: %s: no device \"%s\" here: %s\n", suite, is_strict ? "FAIL (WEFT_TEST_STRICT)" : "SKIP", selector,
           result.text);
    return is_strict ? EXIT_FAILURE : EXIT_SKIP;
  }
  if (result.status != WEFT_OK) {
    printf("%s: FAIL: looking for device \"%s\": %s\n", suite, selector, result.text);
    return EXIT_FAILURE;
  }
  device = result.device;
  device.selector = selector;
  /* PoCL brings LLVM, whose 100 MB each test's process would relocate. That it is loaded starts none of its threads. */
  if (*result.pocl && !dlopen(result.pocl, RTLD_LAZY)) printf("%s: %s\n", suite, dlerror());
  if (result.needs_optimisation) unsetenv("POCL_EXTRA_BUILD_FLAGS");
  return 0;
}

/* ---- a share of the tests ---- */

static uint64_t share, added, chosen; /* one test in `share` is run */

static void choose_share(const char *suite) {
  const char *wish = getenv("WEFT_TEST_SHARE");
  share = device.type == WEFT_DEVICE_TYPE_CPU && is_set("WEFT_QUIRKS") ? 16 : 1;
  if (wish && *wish) share = strtoull(wish, NULL, 10);
  if (share < 1) share = 1;
  if (share > 1) printf("%s: every %" PRIu64 "th test (WEFT_TEST_SHARE)\n", suite, share);
}

/* ---- tests together ---- */

enum { MOST_CASES = 8, MOST_TOGETHER = 400 };

/// The tests of a case that one process runs, one after the other, in one context.
static struct together {
  TCase *tcase;
  int count;
  struct {
    const TTest *test;
    int loop;
  } of[MOST_TOGETHER];
} together[MOST_CASES];
static int together_count; /* of cases */

START_TEST(run_together)
{
  for (int k = 0; k < together[_i].count; k++) {
    const TTest *test = together[_i].of[k].test;
    printf("together: %s %d\n", test->name, together[_i].of[k].loop);
    tcase_fn_start(test->name, test->file, test->line);
    weft_error_clear();
    test->fn(together[_i].of[k].loop);
    if (k > 0) harness_count(1); /* the first is the fixture's */
  }
}
END_TEST

static struct together *find_together(const TCase *tcase) {
  for (int c = 0; c < together_count; c++)
    if (together[c].tcase == tcase) return &together[c];
  return NULL;
}

static void add_test(TCase *tcase, const TTest *test, int signal_, int exit_value, int loop) {
  struct together *with = signal_ || exit_value ? NULL : find_together(tcase);
  if (!with || with->count == MOST_TOGETHER) {
    (_tcase_add_test)(tcase, test, signal_, exit_value, loop, loop + 1);
    return;
  }
  const int which = (int)(with - together);
  if (with->count == 0) (_tcase_add_test)(tcase, run_together, 0, 0, which, which + 1);
  with->of[with->count].test = test;
  with->of[with->count++].loop = loop;
}

void harness_add_test(TCase *tcase, const TTest *test, int signal_, int exit_value, int start, int end) {
  for (int i = start; i < end; i++)
    if (added++ % share == seed % share) {
      chosen++;
      add_test(tcase, test, signal_, exit_value, i);
    }
}

/* ---- running ---- */

static SRunner *make_runner(const harness_suite *suite) {
  Suite *check_suite = suite_create(suite->name);
  added = chosen = 0;
  together_count = 0;
  suite->add(check_suite);
  return srunner_create(check_suite);
}

int harness_main(const harness_suite *suite) {
  const char *seed_text = getenv("WEFT_TEST_SEED");
  const char *one_case = getenv("CK_RUN_CASE");
  setvbuf(stdout, NULL, _IOLBF, 0);
  seed = seed_text && *seed_text ? strtoull(seed_text, NULL, 0) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
  cases = harness_shared(sizeof *cases);
  if (!suite->host_only) {
    int status = probe(suite->name);
    if (status != 0) return status;
    printf("%s: device %d: %s%s\n", suite->name, device.index, device.name,
           device.has_fp64 ? "" : " (no fp64: f64 and c128 are skipped)");
  }
  printf("%s: WEFT_TEST_SEED=%" PRIu64 "\n", suite->name, seed);
  choose_share(suite->name);

  SRunner *runner = make_runner(suite);
  if (chosen == 0 && added > 0) { /* fewer tests than one of which runs: one of them */
    share = added;
    srunner_free(runner);
    runner = make_runner(suite);
  }
  srunner_run_all(runner, CK_ENV);
  int run = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
  srunner_free(runner);

  bool good = failed == 0;
  if (suite->after && share == 1 && !(one_case && *one_case) && !suite->after()) good = false;
  printf("%s: %d tests, %ld cases, %d failed\n", suite->name, run, atomic_load(cases), failed);
  if (good && share > 1 && atomic_load(cases) == 0) {
    printf("%s: SKIP: no chosen test applies to this device\n", suite->name);
    return EXIT_SKIP;
  }
  if (run == 0 || atomic_load(cases) == 0) {
    printf("%s: FAIL: nothing was run\n", suite->name);
    good = false;
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void count_test(void) {
  harness_count(1);
}

TCase *harness_case(Suite *suite, const char *name) {
  TCase *tcase = tcase_create(name);
  tcase_set_timeout(tcase, TEST_SECONDS);
  tcase_add_checked_fixture(tcase, count_test, NULL);
  suite_add_tcase(suite, tcase);
  return tcase;
}

TCase *harness_context_case(Suite *suite, const char *name) {
  TCase *tcase = harness_case(suite, name);
  tcase_add_checked_fixture(tcase, harness_context_open, harness_context_close);
  if (is_set("WEFT_TEST_TOGETHER") && together_count < MOST_CASES) {
    tcase_set_timeout(tcase, TOGETHER_SECONDS);
    together[together_count++].tcase = tcase;
  }
  return tcase;
}

void harness_context_open(void) {
  weft_context_params params = {.device = device.selector};
  ck_assert_ptr_null(ctx);
  ok((weft_context_create)(&ctx, &params));
  ck_assert_ptr_nonnull(ctx);
}

void harness_context_close(void) {
  ok(weft_context_close(&ctx));
  ck_assert_ptr_null(ctx);
}

static bool runs_kernels(void) {
  return strcmp(device.platform, "Host memory") != 0; /* tests/driver/host_driver.h */
}

bool harness_has_kernels_for(const char *test) {
  if (!runs_kernels()) printf("SKIP %s, or a part of it: needs kernels\n", test);
  return runs_kernels();
}

void harness_range(weft_array **x, int count) {
  if (runs_kernels()) {
    ok(weft_arange(x, ctx, WEFT_I32, 0, count, 1));
    return;
  }
  int32_t *numbers = malloc((size_t)count * sizeof *numbers);
  for (int i = 0; i < count; i++) numbers[i] = i;
  ok(weft_from_host(x, ctx, WEFT_I32, WEFT_SHAPE(count), numbers));
  free(numbers);
}

bool harness_has_dtype(weft_dtype dtype) {
  return device.has_fp64 || (dtype != WEFT_F64 && dtype != WEFT_C128);
}

int64_t harness_large(const char *test, int gib) {
  const char *wish = getenv("WEFT_TEST_LARGE");
  const int bits = wish ? atoi(wish) : 0;
  weft_device_info info;
  ok(weft_context_get_device(&info, ctx));
  if (wish || (info.is_discrete && info.memory_size_bytes >= (uint64_t)gib << 30))
    return INT64_C(1) << (bits >= 20 ? bits : 31);
  printf("SKIP %s: no device memory of %d GiB of its own (WEFT_TEST_LARGE=1 forces it)\n", test, gib);
  harness_count(1);
  return 0;
}

uint64_t harness_launches(void) {
  weft_usage usage;
  ok(weft_usage_get(&usage, ctx));
  return usage.launches;
}

bool harness_takes_gpu_kernels(void) {
  const char *quirks = getenv("WEFT_QUIRKS");
  if (quirks && strstr(quirks, "cpu_kernels")) return false;
  return device.type != WEFT_DEVICE_TYPE_CPU || (quirks && strstr(quirks, "gpu_kernels"));
}

bool harness_blocks_wait(void) {
  const char *quirks = getenv("WEFT_QUIRKS");
  if (quirks && strstr(quirks, "no_device_scope")) return false;
  if (device.type == WEFT_DEVICE_TYPE_GPU) return strstr(device.platform, "NVIDIA") != NULL;
  return quirks && strstr(quirks, "gpu_kernels") && strstr(device.platform, "Portable Computing Language");
}

int harness_next_dtype(int dtype) {
  if (dtype < 1) dtype = 1;
  while (dtype < WEFT_DTYPE_COUNT && !harness_has_dtype((weft_dtype)dtype)) dtype++;
  return dtype < WEFT_DTYPE_COUNT ? dtype : 0;
}

/* ---- checks ---- */

void harness_mark(const char *file, int line) {
  static _Thread_local int64_t marked_ns;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  if (marked_ns && now_ns - marked_ns < 1000000) return;
  marked_ns = now_ns;
  (_mark_point)(file, line);
}

const char *harness_error_text(void) {
  static _Thread_local char text[4096];
  const weft_error *error = weft_error_last();
  snprintf(text, sizeof text, "[%s] \"%s\" (function %s, argument %s, cl %s, site %s)%s%.2000s",
           weft_status_name(error->status), error->message, error->function, error->argument, error->cl_name,
           error->site, *error->detail ? "\n" : "", error->detail);
  return text;
}

const char *harness_mismatch(weft_status rc, weft_status status, const char *const *parts) {
  static _Thread_local char why[6000];
  const weft_error *error = weft_error_last();
  const char *missing = NULL;
  if (rc != status) {
    snprintf(why, sizeof why, "answers %s, not %s; the error is %s", weft_status_name(rc), weft_status_name(status),
             harness_error_text());
    return why;
  }
  if (error->status != rc || strncmp(error->function, "weft_", 5) != 0 || *error->message == '\0') {
    snprintf(why, sizeof why, "answers %s but the record is %s", weft_status_name(rc), harness_error_text());
    return why;
  }
  for (; *parts && !missing; parts++) {
    bool found = (*parts)[0] == '@' ? strcmp(error->argument, *parts + 1) == 0 : strstr(error->message, *parts) != NULL;
    if (!found) missing = *parts;
  }
  if (!missing) return NULL;
  snprintf(why, sizeof why, "no \"%s\" in %s", missing, harness_error_text());
  return why;
}

void *harness_garbage(void) {
  static _Alignas(64) unsigned char block[4096];
  memset(block, 0xa5, sizeof block);
  return block;
}

void *harness_zeroed(void) {
  static _Alignas(64) unsigned char block[4096];
  memset(block, 0, sizeof block);
  return block;
}

bool harness_same_double(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b && signbit(a) == signbit(b);
}

bool harness_near(double a, double b, double ulp, bool is_f64) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  if (isinf(a) || isinf(b)) return a == b;
  double spacing = is_f64 ? nextafter(fabs(b), INFINITY) - fabs(b)
                          : (double)nextafterf(fabsf((float)b), INFINITY) - (double)fabsf((float)b);
  return fabs(a - b) <= ulp * spacing;
}

/* ---- catching stderr ---- */

static int saved_fd = -1;
static FILE *caught;

void harness_catch_stderr(void) {
  fflush(stderr);
  caught = tmpfile();
  ck_assert_ptr_nonnull(caught);
  saved_fd = dup(STDERR_FILENO);
  ck_assert_int_ge(saved_fd, 0);
  ck_assert_int_ge(dup2(fileno(caught), STDERR_FILENO), 0);
}

const char *harness_caught_text(void) {
  static char text[65536];
  fflush(stderr);
  ck_assert_int_ge(dup2(saved_fd, STDERR_FILENO), 0);
  close(saved_fd);
  rewind(caught);
  size_t length = fread(text, 1, sizeof text - 1, caught);
  text[length] = 0;
  fclose(caught);
  return text;
}

/* ---- random numbers: splitmix64 (Steele, Lea and Flood 2014) ---- */

harness_random harness_random_start(uint64_t salt) {
  harness_random random = {seed ^ (salt * UINT64_C(0x9e3779b97f4a7c15))};
  harness_bits(&random);
  return random;
}

uint64_t harness_bits(harness_random *random) {
  uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

int64_t harness_between(harness_random *random, int64_t low, int64_t high) {
  ck_assert_int_le(low, high);
  return low + (int64_t)(harness_bits(random) % ((uint64_t)(high - low) + 1));
}

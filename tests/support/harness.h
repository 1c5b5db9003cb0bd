// SPDX-License-Identifier: MIT
/// Shared by all suites: the main wrapper, a context around each test, error checks, random numbers and counters.
///
/// The environment selects: WEFT_TEST_DEVICE (a selector as in weft_device_find; default the best device),
/// WEFT_TEST_SEED (a number), WEFT_TEST_STRICT=1 (a missing device is a failure instead of a skip; with WEFT_TEST_ANY=1
/// only if there is no device at all).
#ifndef WEFT_TESTS_HARNESS_H
#define WEFT_TESTS_HARNESS_H

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HARNESS_SANITIZED 1
#else
#define HARNESS_SANITIZED 0
#endif

/* ---- the program ---- */

typedef struct harness_suite {
  const char *name;
  void (*add)(Suite *suite);
  bool host_only;      /* needs no device and makes no OpenCL call */
  bool (*after)(void); /* runs in the parent after a complete run (not a share) of the tests; false fails the suite */
} harness_suite;

/// Probes for the device in a child process, runs the suite, and prints a summary. Returns the exit status: 0, 1, or 77
/// for a skip.
int harness_main(const harness_suite *suite);

/// A CPU's driver takes a fifth of a second for each program that a test compiles. A suite that runs there again under
/// WEFT_QUIRKS therefore runs a sixth of its tests, selected by the seed. WEFT_TEST_SHARE=1 runs all of them,
/// WEFT_TEST_SHARE=4 a fourth on any device, but at least one.
/// With WEFT_TEST_TOGETHER=1 one process runs the tests of a case, in one context, because PoCL reads its library of
/// functions once for each context that builds; it ends at the first failure. Without, each test has its own process.
void harness_add_test(TCase *tcase, const TTest *test, int signal_, int exit_value, int start, int end);
#define _tcase_add_test(tcase, test, signal_, exit_value, start, end) \
  harness_add_test(tcase, test, signal_, exit_value, start, end)

/// A test case without a context, and one that makes `ctx` before each of its tests and closes it afterwards.
TCase *harness_case(Suite *suite, const char *name);
TCase *harness_context_case(Suite *suite, const char *name);

/// The context of the running test, on the device under test. Closing it asserts that nothing is alive.
extern weft_context *ctx;
/// Open and close the context of harness_context_case, for tests that do so themselves.
void harness_context_open(void);
void harness_context_close(void);

/// The device under test, from the probe.
typedef struct harness_device {
  const char *selector;
  char name[160];
  char platform[80];
  int index;
  int count; /* devices on this machine */
  weft_device_type type;
  bool has_fp64;
} harness_device;
extern harness_device device;

/// Counts cases over all tests of the suite, in any process.
void harness_count(long cases);
/// Memory shared by all tests of the suite and their parent, zeroed.
void *harness_shared(size_t size_bytes);

/// False on a driver without kernels (tests/driver); then prints that this test, or a part of it, is skipped.
#define harness_has_kernels() harness_has_kernels_for(__func__)
bool harness_has_kernels_for(const char *test);
/// An i32 array of 0, 1, 2, ..., made by a kernel if the driver has kernels.
void harness_range(weft_array **x, int count);
/// False for f64 and c128 on a device without fp64; prints that once per test.
bool harness_has_dtype(weft_dtype dtype);
/// The elements of a test of large arrays, 2^31; with WEFT_TEST_LARGE=N, N from 20 on, 2^N. 0 if the device has less
/// memory of its own than this many GiB, and WEFT_TEST_LARGE is not set; then prints that the test is skipped.
int64_t harness_large(const char *test, int gib);
/// Iterates over the device's dtypes from `dtype` on: for (d = harness_next_dtype(0); d; d = harness_next_dtype(d +
/// 1)).
int harness_next_dtype(int dtype);

/// Launches of kernels in `ctx` so far.
uint64_t harness_launches(void);
/// Whether Weft runs its kernels for GPUs.
bool harness_takes_gpu_kernels(void);
/// Whether these include kernels whose blocks wait for each other.
bool harness_blocks_wait(void);

/* ---- checks ---- */

/// Check writes the place of every check that holds to a file, which in loops over elements takes longer than the code
/// under test. One write per millisecond is enough to locate a crash ("after this point").
void harness_mark(const char *file, int line);
#define _mark_point(file, line) harness_mark(file, line)

/// The last error as one text, for messages. Valid until the next call.
const char *harness_error_text(void);
/// NULL if (rc, weft_error_last()) is `status` with each of `parts` in the message (a part that starts with '@' is the
/// argument); otherwise the reason.
const char *harness_mismatch(weft_status rc, weft_status status, const char *const *parts);

/// Asserts that the call succeeds.
#define ok(call)                                                                                          \
  do {                                                                                                    \
    weft_status ok_rc_ = (call);                                                                          \
    ck_assert_msg(ok_rc_ == WEFT_OK, "%s: %s %s", #call, weft_status_name(ok_rc_), harness_error_text()); \
  } while (0)

/// Asserts that the call fails with `status` and that its message contains each of the following texts. "@name" asserts
/// weft_error.argument == name.
#define expect_error(call, status, ...)                                                                         \
  do {                                                                                                          \
    weft_error_clear();                                                                                         \
    weft_status expect_rc_ = (call);                                                                            \
    const char *expect_why_ = harness_mismatch(expect_rc_, (status), (const char *const[]){__VA_ARGS__, NULL}); \
    ck_assert_msg(expect_why_ == NULL, "%s: %s", #call, expect_why_);                                           \
  } while (0)

/// Invalid handles: a block filled with 0xa5, and one filled with 0x00. Valid as long as the process.
void *harness_garbage(void);
void *harness_zeroed(void);

/// Whether a and b are equal or both NaN; -0 differs from 0.
bool harness_same_double(double a, double b);
/// Whether |a - b| <= ulp * spacing of f32 (or f64) at b, or both are NaN, or both are the same infinity.
bool harness_near(double a, double b, double ulp, bool is_f64);

/* ---- catching stderr ---- */

/// Redirects stderr to a file. harness_caught_text restores stderr and returns the text, which is valid until the next
/// call.
void harness_catch_stderr(void);
const char *harness_caught_text(void);

/* ---- random numbers ---- */

typedef struct harness_random {
  uint64_t state;
} harness_random;

/// A generator from this run's seed; different salts give different sequences.
harness_random harness_random_start(uint64_t salt);
uint64_t harness_bits(harness_random *random);
/// A number with low <= number <= high.
int64_t harness_between(harness_random *random, int64_t low, int64_t high);

#endif

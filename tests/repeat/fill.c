// SPDX-License-Identifier: MIT
/// Fills the device's memory completely, and continues afterwards.
///
///   fill [--limit BYTES] [--piece BYTES] [--single BYTES] [--hold BYTES SECONDS]
///
/// --limit: a budget instead of the device's memory; a CPU has 64 MiB without it. --piece: arrays of BYTES first
/// (default a sixteenth), then of half the size, down to a MiB. --single: also one array of BYTES, written and read at
/// its ends. --hold: only takes BYTES, writes to them, and waits, as a second process beside the first one. All memory
/// is written and read back completely. The device is WEFT_TEST_DEVICE. Exit status 0, 1 for a wrong result or an
/// unexpected error, 77 without the device.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft/weft.h>

enum { EXIT_SKIP = 77, MOST = 4096 };

static weft_context *context;
static uint64_t limit;

static int fail(const char *what) {
  fprintf(stderr, "fill: %s: %s\n", what, weft_error_last()->message);
  return 1;
}

/// Asserts that all elements of an array are `value`.
static int check(const weft_array *x, int value) {
  uint8_t least = 0, most = 0;
  if (weft_min(WEFT_HOST_OUT(&least, WEFT_U8, WEFT_SHAPE_0D), x, WEFT_ALL_AXES))
    return fail("reading what was written");
  if (weft_max(WEFT_HOST_OUT(&most, WEFT_U8, WEFT_SHAPE_0D), x, WEFT_ALL_AXES)) return fail("reading what was written");
  if (least == value && most == value) return 0;
  fprintf(stderr, "fill: an array of %d has bytes from %d to %d\n", value, least, most);
  return 1;
}

/// Makes arrays of `piece` bytes until memory runs out; *count is the total number.
static int take(weft_array **taken, int *count, uint64_t piece) {
  weft_status rc = WEFT_OK;
  while (rc == WEFT_OK && *count < MOST) {
    weft_array *x = NULL;
    rc = weft_full(&x, context, WEFT_U8, WEFT_SHAPE((int64_t)piece), *count % 251);
    if (rc == WEFT_OK) taken[(*count)++] = x;
  }
  if (rc == WEFT_OK) return 0;
  weft_status due = limit ? WEFT_ERROR_BUDGET : WEFT_ERROR_MEMORY;
  const weft_error *error = weft_error_last();
  if (rc != due || !strstr(error->message, " asked; ") || !strstr(error->message, "fill.c:") ||
      !strstr(error->detail, "fill.c:"))
    return fail("running out was not told as it should be");
  return 0;
}

/// Asserts that the context still works.
static int go_on(const char *when) {
  weft_array *x = NULL;
  int64_t sum = 0;
  weft_status rc = weft_arange(&x, context, WEFT_I64, WEFT_SCALAR(0), WEFT_SCALAR(1000), WEFT_SCALAR(1));
  if (rc == WEFT_OK) rc = weft_sum(WEFT_HOST_OUT(&sum, WEFT_I64, WEFT_SHAPE_0D), x, WEFT_ALL_AXES);
  weft_array_release(&x);
  if (rc) return fail(when);
  if (sum == 499500) return 0;
  fprintf(stderr, "fill: %s: the sum of 0 to 999 is %" PRId64 "\n", when, sum);
  return 1;
}

static int fill(uint64_t piece) {
  weft_array **taken = calloc(MOST, sizeof *taken);
  weft_memory_stats stats;
  int count = 0, status = taken ? 0 : 1;
  for (; piece >= 1 << 20 && !status; piece /= 2) status = take(taken, &count, piece);
  if (!status) printf("refused: %s\n%s", weft_error_last()->message, weft_error_last()->detail);
  if (!status && weft_memory_get(&stats, context)) status = fail("asking for figures");
  if (!status) printf("%d arrays, %" PRIu64 " bytes of %" PRIu64 "\n", count, stats.active_bytes, stats.device_bytes);
  /* memory for the results of the following calls */
  if (count > 0) weft_array_release(&taken[--count]);
  for (int k = 0; k < count && !status; k++) status = check(taken[k], k % 251);
  if (!status) status = go_on("with the memory full");
  for (int k = 0; k < count; k++) weft_array_release(&taken[k]);
  free(taken);
  if (!status) status = go_on("with the memory free again");
  return status;
}

static int take_single(uint64_t size) {
  weft_array *x = NULL, *end = NULL;
  int status = 0;
  if (weft_full(&x, context, WEFT_U8, WEFT_SHAPE((int64_t)size), 7)) return fail("taking it at once");
  if (weft_slice(&end, x, 0, (int64_t)size - 1000, (int64_t)size) || weft_fill(end, 9))
    status = fail("writing to its end");
  if (!status) status = check(end, 9);
  uint64_t sum = 0;
  if (!status && weft_sum(WEFT_HOST_OUT(&sum, WEFT_U64, WEFT_SHAPE_0D), x, WEFT_ALL_AXES))
    status = fail("summing it up");
  if (!status && sum != 7 * size + 2000) {
    fprintf(stderr, "fill: the sum of %" PRIu64 " bytes is %" PRIu64 "\n", size, sum);
    status = 1;
  }
  weft_array_release(&end);
  weft_array_release(&x);
  if (!status) printf("one array of %" PRIu64 " bytes\n", size);
  return status;
}

static int hold(uint64_t size, long seconds) {
  weft_array *x = NULL;
  if (weft_full(&x, context, WEFT_U8, WEFT_SHAPE((int64_t)size), 3) || weft_context_wait(context))
    return fail("holding memory");
  printf("holding %" PRIu64 " bytes\n", size);
  fflush(stdout);
  nanosleep(&(struct timespec){.tv_sec = seconds}, NULL);
  int status = check(x, 3);
  weft_array_release(&x);
  return status;
}

int main(int argc, char **argv) {
  uint64_t piece = 0, single = 0, held = 0;
  long seconds = 0;
  for (int k = 1; k < argc; k++) {
    if (k + 1 < argc && strcmp(argv[k], "--limit") == 0) {
      limit = strtoull(argv[++k], NULL, 10);
    } else if (k + 1 < argc && strcmp(argv[k], "--piece") == 0) {
      piece = strtoull(argv[++k], NULL, 10);
    } else if (k + 1 < argc && strcmp(argv[k], "--single") == 0) {
      single = strtoull(argv[++k], NULL, 10);
    } else if (k + 2 < argc && strcmp(argv[k], "--hold") == 0) {
      held = strtoull(argv[++k], NULL, 10);
      seconds = strtol(argv[++k], NULL, 10);
    } else {
      fprintf(stderr, "usage: fill [--limit BYTES] [--piece BYTES] [--single BYTES] [--hold BYTES SECONDS]\n");
      return 1;
    }
  }
  weft_device_info info;
  const char *device = getenv("WEFT_TEST_DEVICE");
  weft_status rc = weft_context_create(&context, .device = device);
  if (rc == WEFT_ERROR_NO_DEVICE) return EXIT_SKIP;
  if (rc == WEFT_OK) rc = weft_context_get_device(&info, context);
  if (rc) return fail("making a context");
  if (!limit && !held && info.type == WEFT_DEVICE_TYPE_CPU) limit = UINT64_C(64) << 20;
  if (limit && weft_memory_set_limit(context, limit)) return fail("setting a budget");
  if (!piece) piece = (limit ? limit : info.memory_size_bytes) / 16;
  int status = held ? hold(held, seconds) : fill(piece);
  if (!status && single) status = take_single(single);
  if (weft_context_close(&context)) status = fail("closing the context");
  return status;
}

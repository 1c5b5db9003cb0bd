// SPDX-License-Identifier: MIT
/// Opens and closes contexts over and over, and asserts that the device's and the process's memory stay as they were
/// after the first tenth.
///
///   contexts [--times N] [--cuda]
///
/// --times: the number of contexts (default 1000). --cuda: their memory is shared with CUDA. Each one makes an array,
/// computes with it and, with --cuda, lets CUDA's default stream wait for it and be waited for. The device is
/// WEFT_TEST_DEVICE. Exit status 0, 1 for memory that grew or an error, 77 without the device or CUDA.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

/* The heap of a process grows in steps. */
enum { EXIT_SKIP = 77, READINGS = 10, DEVICE_SLACK_BYTES = 16 << 20, PROCESS_SLACK_BYTES = 64 << 20 };

typedef struct used {
  int64_t device_bytes, process_bytes;
} used;

static int64_t resident_bytes(void) {
  long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*d %lld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * 4096;
}

/// What the device's driver says for all processes, and the system for this one. A CPU device's memory is the system's.
static used read_used(int index) {
  weft_monitor_reading reading;
  weft_device_info info;
  used u = {.process_bytes = resident_bytes()};
  if (weft_device_get(&info, index) == WEFT_OK && info.is_discrete && weft_monitor_get(&reading, index) == WEFT_OK) {
    u.device_bytes = reading.memory_used_bytes;
    weft_monitor_free(&reading);
  }
  return u;
}

static weft_status open_and_close(const char *device, bool shares) {
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_status rc;
  int32_t last = 0;
#define TRY(call) \
  if ((rc = (call)) != WEFT_OK) goto done
  TRY(weft_context_create(&context, .device = device, .cuda = shares));
  TRY(weft_arange(&x, context, WEFT_I32, 0, 1 << 20, 1));
  if (shares) TRY(weft_cuda_stream_after(NULL, context));
  if (shares) TRY(weft_context_after_cuda(context, NULL));
  TRY(weft_add(&y, x, 1));
  TRY(weft_sum(WEFT_HOST_OUT(&last, WEFT_I32, WEFT_SHAPE_0D), y, WEFT_ALL_AXES));
done:
  weft_release(&x, &y);
  const weft_status closed = weft_context_close(&context);
  return rc ? rc : closed;
}

int main(int argc, char **argv) {
  int times = 1000, index = 0;
  bool shares = false;
  const char *device = getenv("WEFT_TEST_DEVICE");
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--cuda") == 0)
      shares = true;
    else if (strcmp(argv[i], "--times") == 0 && i + 1 < argc)
      times = atoi(argv[++i]);
    else
      return fprintf(stderr, "usage: contexts [--times N] [--cuda]\n"), 1;
  }
  if (weft_device_find(&index, device) != WEFT_OK) return EXIT_SKIP;
  used first = {0};
  for (int k = 0; k < times; k++) {
    const weft_status rc = open_and_close(device, shares);
    if (rc == WEFT_ERROR_UNSUPPORTED && k == 0) {
      printf("skipped: %s\n", weft_error_last()->message);
      return EXIT_SKIP;
    }
    if (rc) return fprintf(stderr, "contexts: context %d: %s\n", k, weft_error_last()->message), 1;
    if ((k + 1) % (times / READINGS > 0 ? times / READINGS : 1)) continue;
    const used now = read_used(index);
    if (first.process_bytes == 0) first = now;
    printf("%5d contexts: device %.1f MiB, process %.1f MiB\n", k + 1, (double)now.device_bytes / (1 << 20),
           (double)now.process_bytes / (1 << 20));
    if (now.device_bytes - first.device_bytes > DEVICE_SLACK_BYTES ||
        now.process_bytes - first.process_bytes > PROCESS_SLACK_BYTES)
      return fprintf(stderr, "contexts: memory grew by %" PRId64 " bytes on the device, %" PRId64 " in the process\n",
                     now.device_bytes - first.device_bytes, now.process_bytes - first.process_bytes),
             1;
  }
  return 0;
}

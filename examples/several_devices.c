// SPDX-License-Identifier: MIT
// Several devices compute parts of one array: a context for each device, and weft_copy to bring the parts together.
// With one device there are two contexts on it. pi is the mean of 4 / (1 + x * x) over n midpoints between 0 and 1.
// Calls enqueue work and return, so one thread keeps all devices busy. With --threads 1 each context has a thread.
#include <inttypes.h>
#include <pthread.h>

#include "example.h"

#define MOST_CONTEXTS 8

typedef struct part {
  weft_context *context;
  weft_array *values;  // f32[end - begin], in this context
  uint64_t begin, end, n;
  weft_status status;  // of the thread
  char message[1000];  // its explanation: errors belong to the thread that made them
  pthread_t thread;
} part;

// The device that Weft would choose is the first one; the others follow in their order.
static weft_status open_parts(part *parts, int *count, uint64_t n) {
  int devices, first;
  char number[16];
  weft_status status = weft_device_count(&devices);
  if (status == WEFT_OK) status = weft_device_used(&first);
  if (status) return status;
  const int wanted = devices < 2 ? 2 : devices > MOST_CONTEXTS ? MOST_CONTEXTS : devices;
  for (int k = 0; k < wanted && status == WEFT_OK; k++) {
    snprintf(number, sizeof number, "%d", (first + k) % devices);
    status = weft_context_create(&parts[k].context, .device = number);
    if (status) break;
    parts[k].n = n;
    parts[k].begin = n * (uint64_t)k / (uint64_t)wanted;
    parts[k].end = n * (uint64_t)(k + 1) / (uint64_t)wanted;
    *count = k + 1;
  }
  return status;
}

// Returns as soon as the work is enqueued, so that all devices compute at the same time.
static weft_status compute(part *p) {
  weft_array *i = NULL;
  const double step = 1 / (double)p->n;
  weft_status status = weft_arange(&i, p->context, WEFT_F32, (double)p->begin, (double)p->end, 1);
  if (status == WEFT_OK) {
    const double half = 0.5;
    status = weft_eval(&p->values, p->context, "4 / (1 + ((i + half) * step) ** 2)", WEFT_VAR(i), WEFT_VAR(half),
                       WEFT_VAR(step));
  }
  weft_array_release(&i);
  return status;
}

static void *compute_in_thread(void *user) {
  part *p = user;
  p->status = compute(p);
  if (p->status) snprintf(p->message, sizeof p->message, "%s", weft_error_last()->message);
  return NULL;
}

// All parts at once: by one thread, or by one thread each. An array belongs to one thread at a time: to the part's own
// thread until it is joined, then to this one.
static weft_status compute_all(part *parts, int count, bool has_threads) {
  weft_status status = WEFT_OK;
  int started = 0;
  for (int k = 0; k < count && !has_threads && status == WEFT_OK; k++) status = compute(&parts[k]);
  if (!has_threads) return status;
  while (started < count && pthread_create(&parts[started].thread, NULL, compute_in_thread, &parts[started]) == 0)
    started++;
  for (int k = 0; k < started; k++) {
    pthread_join(parts[k].thread, NULL);
    if (parts[k].status) fprintf(stderr, "thread %d: %s\n", k, parts[k].message);
    if (status == WEFT_OK) status = parts[k].status;
  }
  return started < count ? WEFT_ERROR_HOST_MEMORY : status;
}

// Copies the part into its place in `all`, which another context may own.
static weft_status collect(weft_array *all, const part *p) {
  const char *way;
  weft_device_info info;
  weft_array *place = NULL;
  weft_status status = weft_slice(&place, all, 0, (int64_t)p->begin, (int64_t)p->end);
  if (status == WEFT_OK) status = weft_copy(&place, p->values);
  if (status == WEFT_OK) status = weft_copy_way(&way, weft_array_context(all), p->context);
  if (status == WEFT_OK) status = weft_context_get_device(&info, p->context);
  if (status == WEFT_OK)
    printf("values %" PRIu64 " to %" PRIu64 " from device %d, %s (copied %s)\n", p->begin, p->end - 1, info.index,
           info.name, way);
  weft_array_release(&place);
  return status;
}

int main(int argc, char **argv) {
  uint64_t n = (uint64_t)1 << 20, threads = 0;
  const example_option options[] = {{"-n", &n, MOST_CONTEXTS, (uint64_t)1 << 24, "midpoints"},
                                    {"--threads", &threads, 0, 1, "1: a thread for each context"}};
  int status = example_arguments(argc, argv, "Computes one array on several devices.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  part parts[MOST_CONTEXTS] = {{0}};
  int count = 0;
  weft_array *all = NULL, *mean = NULL;
  float pi = 0;
  WEFT_TRY(open_parts(parts, &count, n), done);
  WEFT_TRY(compute_all(parts, count, threads), done);
  WEFT_TRY(weft_empty(&all, parts[0].context, WEFT_F32, WEFT_SHAPE(n)), done);
  for (int k = 0; k < count; k++) WEFT_TRY(collect(all, &parts[k]), done);
  WEFT_TRY(weft_mean(&mean, all, WEFT_ALL_AXES), done);
  WEFT_TRY(weft_to_host(&pi, sizeof pi, mean), done);
  printf("%d contexts; pi is about %.4f\n", count, (double)pi);
  status = EXIT_SUCCESS;

done:
  weft_release(&mean, &all);
  for (int k = 0; k < MOST_CONTEXTS; k++) weft_array_release(&parts[k].values);
  status = example_close(&parts[0].context, status);
  for (int k = 1; k < MOST_CONTEXTS; k++)
    if (weft_context_close(&parts[k].context) != WEFT_OK && status == EXIT_SUCCESS) status = example_failed();
  return status;
}

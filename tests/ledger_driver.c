// SPDX-License-Identifier: MIT
// Programs for tests/ledger.py: some forget what they made, on purpose; one records a timeline. Each prints "LINE WHAT" for what it planted.
//
//     ledger_driver close                     forgets an array, closes the context
//     ledger_driver exit                      forgets things of every kind in two contexts, and closes neither; forks before
//     ledger_driver timeline FILE COUNT LIMIT allocates COUNT times, and writes the timeline: twice, the second time as it stands at the end
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/weft.h>

static weft_context *context;

static void planted(int line, const char *what) {
  printf("%d %s\n", line, what);
  fflush(stdout);
}

static int forget_at_close(void) {
  weft_array *x = NULL;
  WEFT_CHECK(weft_zeros(&x, context, WEFT_F32, WEFT_SHAPE(1000)));
  planted(__LINE__ - 1, "1 array (3.9 KiB)");
  printf("%s\n", weft_status_name(weft_context_close(&context)));
  weft_array_release(&x);
  return 0;
}

/// The line of the array is the one in here, whoever calls.
static int helper_line;
static weft_array *helper(void) {
  weft_array *x = NULL;
  helper_line = __LINE__ + 1;
  WEFT_CHECK(weft_empty(&x, context, WEFT_U8, WEFT_SHAPE(100)));
  return x;
}

static int forget_at_exit(void) {
  weft_context *fine = NULL, *shared = NULL;
  weft_array *x = NULL, *y = NULL, *view = NULL, *kept = NULL;
  weft_kernel *kernel = NULL;
  weft_stream *stream = NULL;
  weft_timer *timer = NULL;
  weft_scope scope;
  for (int i = 0; i < 3; i++) helper();
  planted(helper_line, "3 arrays (300 bytes)");
  WEFT_CHECK(weft_kernel_from_source(&kernel, context, "kernel void k() {}\n", NULL));
  planted(__LINE__ - 1, "1 kernel");
  WEFT_CHECK(weft_stream_create(&stream, context));
  planted(__LINE__ - 1, "1 stream");
  WEFT_CHECK(weft_timer_create(&timer, context));
  planted(__LINE__ - 1, "1 timer");
  /* the default context, in the same list */
  WEFT_CHECK(weft_arange(&x, NULL, WEFT_I32, 0, 10, 1));
  WEFT_CHECK(weft_array_set_tag(x, "numbers"));
  planted(__LINE__ - 2, "1 array (40 bytes)");
  WEFT_CHECK(weft_slice(&view, x, 0, 0, 5, 1));
  planted(__LINE__ - 1, "1 array");
  /* what is no leak */
  WEFT_CHECK(weft_context_create(&fine, NULL));
  WEFT_CHECK(weft_zeros(&y, fine, WEFT_F32, WEFT_SHAPE(1000)));
  weft_array_release(&y);
  WEFT_CHECK(weft_context_close(&fine));
  WEFT_CHECK(weft_context_create(&shared, NULL)); /* released, not closed, and its last array after it */
  WEFT_CHECK(weft_scope_begin(&scope));
  WEFT_CHECK(weft_zeros(&y, shared, WEFT_F32, WEFT_SHAPE(1000)));
  WEFT_CHECK(weft_add(&kept, y, 1));
  WEFT_CHECK(weft_context_wait(shared));
  weft_context_release(&shared);
  WEFT_CHECK(weft_scope_end(&scope));
  pid_t child = fork();
  if (child == 0) {
    /* says nothing of what its parent made; a driver's own end may hang in a child */
    alarm(5);
    exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
  return 0;
}

static int record(const char *file, long count, long limit) {
  enum { LIVE = 64 };
  weft_array *x[LIVE] = {NULL}, *before = NULL;
  weft_memory_stats stats;
  struct rusage usage;
  WEFT_CHECK(weft_empty(&before, context, WEFT_U8, WEFT_SHAPE(5000)));
  WEFT_CHECK(weft_memory_timeline_start(context, (uint64_t)limit));
  for (long i = 0; i < count; i++) {
    long k = (i * 7919) % LIVE;
    weft_array_release(&x[k]);
    if (i % 1000 == 0) WEFT_CHECK(weft_memory_tag(i % 2000 ? "odd" : NULL));
    WEFT_CHECK(weft_empty(&x[k], context, WEFT_U8, WEFT_SHAPE(1 + i % 3000)));
  }
  weft_array_release(&before);
  WEFT_CHECK(weft_memory_timeline_write(context, file));
  for (int k = 0; k < LIVE / 2; k++) weft_array_release(&x[k]);
  WEFT_CHECK(weft_memory_get_stats(&stats, context));
  WEFT_CHECK(weft_memory_timeline_stop(context));
  weft_array *unseen = helper(); /* the recording has ended */
  WEFT_CHECK(weft_memory_timeline_write(context, file));
  getrusage(RUSAGE_SELF, &usage);
  printf("%llu %llu %ld\n", (unsigned long long)stats.active_bytes, (unsigned long long)stats.managed_bytes, usage.ru_maxrss);
  weft_array_release(&unseen);
  for (int k = 0; k < LIVE; k++) weft_array_release(&x[k]);
  WEFT_CHECK(weft_context_close(&context));
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  WEFT_CHECK(weft_context_create(&context, &(weft_context_params){.profiling = true}));
  if (strcmp(what, "close") == 0) return forget_at_close();
  if (strcmp(what, "exit") == 0) return forget_at_exit();
  if (strcmp(what, "timeline") == 0 && argc == 5) return record(argv[2], atol(argv[3]), atol(argv[4]));
  fprintf(stderr, "close, exit or timeline FILE COUNT LIMIT\n");
  return 2;
}

// SPDX-License-Identifier: MIT
// Programs for tests/process/ledger.py: some leak objects on purpose, one records a timeline. Each prints "LINE WHAT"
// for every planted leak.
//
//    ledger_driver close                     leaks an array, closes the context
//    ledger_driver exit FILE                 leaks objects of every kind in three contexts that it does not close, and
//                                            in no context; maps FILE, which it makes; forks before
//    ledger_driver clean FILE                makes such objects, and releases them; forks before
//    ledger_driver timeline FILE COUNT LIMIT allocates COUNT times, and writes the timeline twice, the second time at
//                                            its end
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

/// The array's recorded line is the one in here, whoever calls.
static int helper_line;
static weft_array *helper(void) {
  weft_array *x = NULL;
  helper_line = __LINE__ + 1;
  WEFT_CHECK(weft_empty(&x, context, WEFT_U8, WEFT_SHAPE(100)));
  return x;
}

/// Registered before Weft's own handler, so it runs after it; its output must be flushed too.
static pid_t parent;
static void last_handler(void) {
  if (getpid() == parent) printf("the last handler");
}

/// Whether a child ends with status 0, without reporting its parent's objects. A driver's exit handler may hang in it.
static int ends_well(void (*more)(const char *file), const char *file) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    alarm(5);
    if (more) more(file);
    exit(0);
  }
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// In a child: makes no OpenCL call.
static void map_and_release(const char *file) {
  weft_npy *in = NULL;
  WEFT_CHECK(weft_npy_open(&in, file));
  weft_npy_release(&in);
}

static const weft_ufunc_params square = {.signatures = "f32(f32 x)", .expression = "x * x"};

static int forget_nothing(const char *file) {
  weft_npy *out = NULL;
  weft_rng *own = NULL, *child = NULL, *any = NULL;
  weft_ufunc *ufunc = NULL;
  weft_snapshot *snapshot = NULL;
  WEFT_CHECK(weft_npy_create(&out, file, WEFT_F32, WEFT_SHAPE(1000)));
  WEFT_CHECK(weft_rng_create(&own, .context = context));
  WEFT_CHECK(weft_rng_split(&child, own));
  WEFT_CHECK(weft_rng_create(&any));
  WEFT_CHECK((weft_ufunc_create)(&ufunc, &square));
  WEFT_CHECK(weft_snapshot_create(&snapshot, context));
  int fine = ends_well(map_and_release, file);
  weft_npy_release(&out);
  weft_rng_release(&own);
  weft_rng_release(&child);
  weft_rng_release(&any);
  weft_ufunc_release(&ufunc);
  weft_snapshot_release(&snapshot);
  WEFT_CHECK(weft_context_close(&context));
  return fine ? 0 : 4;
}

static int forget_at_exit(const char *file) {
  weft_context *fine = NULL, *shared = NULL, *held = NULL;
  weft_rng *own = NULL, *holds = NULL, *any = NULL;
  weft_npy *mapping = NULL;
  weft_ufunc *ufunc = NULL;
  weft_snapshot *snapshot = NULL;
  weft_array *x = NULL, *y = NULL, *view = NULL, *kept = NULL;
  weft_kernel *kernel = NULL;
  weft_stream *stream = NULL;
  weft_timer *timer = NULL;
  weft_scope scope;
  for (int i = 0; i < 3; i++) helper();
  planted(helper_line, "3 arrays (300 bytes)");
  WEFT_CHECK(weft_kernel_create(&kernel, context, .source = "kernel void k() {}\n"));
  planted(__LINE__ - 1, "1 kernel");
  WEFT_CHECK(weft_stream_create(&stream, context));
  planted(__LINE__ - 1, "1 stream");
  WEFT_CHECK(weft_timer_create(&timer, context));
  planted(__LINE__ - 1, "1 timer");
  WEFT_CHECK(weft_rng_create(&own, .context = context));
  planted(__LINE__ - 1, "1 generator");
  /* objects in the default context are listed too */
  WEFT_CHECK(weft_arange(&x, NULL, WEFT_I32, 0, 10, 1));
  WEFT_CHECK(weft_array_set_tag(x, "numbers"));
  planted(__LINE__ - 2, "1 array (40 bytes)");
  WEFT_CHECK(weft_slice(&view, x, 0, 0, 5));
  planted(__LINE__ - 1, "1 array");
  /* released by its owner, but still held by an object in it */
  WEFT_CHECK(weft_context_create(&held));
  WEFT_CHECK(weft_rng_create(&holds, .context = held));
  planted(__LINE__ - 1, "1 generator");
  weft_context_release(&held);
  /* without a context */
  WEFT_CHECK(weft_rng_create(&any));
  planted(__LINE__ - 1, "1 generator");
  WEFT_CHECK(weft_ufunc_create(&ufunc, .signatures = square.signatures, .expression = square.expression));
  planted(__LINE__ - 1, "1 ufunc");
  WEFT_CHECK(weft_npy_create(&mapping, file, WEFT_F32, WEFT_SHAPE(1000)));
  planted(__LINE__ - 1, "1 npy mapping");
  WEFT_CHECK(weft_snapshot_create(&snapshot, context));
  planted(__LINE__ - 1, "1 snapshot");
  /* these are no leaks */
  WEFT_CHECK(weft_context_create(&fine));
  WEFT_CHECK(weft_zeros(&y, fine, WEFT_F32, WEFT_SHAPE(1000)));
  weft_array_release(&y);
  WEFT_CHECK(weft_context_close(&fine));
  WEFT_CHECK(weft_context_create(&shared)); /* released instead of closed, and its last array later */
  WEFT_CHECK(weft_scope_begin(&scope));
  WEFT_CHECK(weft_zeros(&y, shared, WEFT_F32, WEFT_SHAPE(1000)));
  WEFT_CHECK(weft_add(&kept, y, 1));
  WEFT_CHECK(weft_context_wait(shared));
  weft_context_release(&shared);
  WEFT_CHECK(weft_scope_end(&scope));
  return ends_well(NULL, NULL) ? 0 : 4;
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
  WEFT_CHECK(weft_memory_get(&stats, context));
  WEFT_CHECK(weft_memory_timeline_stop(context));
  weft_array *unseen = helper(); /* not recorded: the recording has ended */
  WEFT_CHECK(weft_memory_timeline_write(context, file));
  getrusage(RUSAGE_SELF, &usage);
  printf("%llu %llu %ld\n", (unsigned long long)stats.active_bytes, (unsigned long long)stats.managed_bytes,
         usage.ru_maxrss);
  weft_array_release(&unseen);
  for (int k = 0; k < LIVE; k++) weft_array_release(&x[k]);
  WEFT_CHECK(weft_context_close(&context));
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  parent = getpid();
  if (atexit(last_handler)) return 2;
  WEFT_CHECK(weft_context_create(&context, .profiling = true));
  if (strcmp(what, "close") == 0) return forget_at_close();
  if (strcmp(what, "exit") == 0 && argc == 3) return forget_at_exit(argv[2]);
  if (strcmp(what, "clean") == 0 && argc == 3) return forget_nothing(argv[2]);
  if (strcmp(what, "timeline") == 0 && argc == 5) return record(argv[2], atol(argv[3]), atol(argv[4]));
  fprintf(stderr, "close, exit FILE, clean FILE or timeline FILE COUNT LIMIT\n");
  return 2;
}

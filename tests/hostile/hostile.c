// SPDX-License-Identifier: MIT
/// Calls every public function with values of the right types that a careful caller would not pass: NULL lists with a
/// count, numbers at the ends of their ranges, shapes and axes that are none, enums without a name. Each call returns.
///
///     hostile [--trials N] [--seed N] [FUNCTION...]
///
/// The calls are made in child processes, so that one that ends its process is named: OpenCL is first used behind the
/// fork. A child that ends is followed by another, which goes on with the next call.
#define _GNU_SOURCE /* MAP_ANONYMOUS, mkdtemp */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/weft.h>

#include <weft/cuda.h>
#include <weft/dlpack.h>
#include <weft/opencl.h>

enum { ROOM = 16, ARRAYS = 12, LONGEST_S = 60, SKIPPED = 77 };
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

/* the kinds of handles; a child makes objects of most for its calls */
#define HANDLES_ONLY
#include "hostile.inc"

/// What the parent sees of its child.
typedef struct progress {
  volatile int call, trial;
  volatile uint64_t seed;
  volatile unsigned long made, succeeded;
} progress;

static progress *now;
static uint64_t state;
static bool bounded; /* the call has addresses, whose lengths numbers may be */
static void *objects[OBJECTS], *tables[ROOM], *handles[ROOM];
static weft_array *arrays[ARRAYS], *results[ROOM];
static FILE *nowhere;

/// splitmix64 (Steele, Lea and Flood 2014)
static size_t below(size_t n) {
  uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (size_t)((z ^ (z >> 31)) % n);
}

static bool one_of(size_t n) {
  return below(n) == 0;
}

static void saw(weft_status status) {
  now->succeeded += status == WEFT_OK;
}

#include "hostile.inc"

/* ---- the child ---- */

static void make_objects(weft_context *ctx) {
  static const char source[] =
      "kernel void k(global float *x, int n, float4 v, local int *t) { if (n > 0) x[0] = v.x; }";
  static const float data[64] = {1, 2, 3};
  WEFT_CHECK(weft_arange(&arrays[0], ctx, WEFT_F32, 0, 3, 1));
  WEFT_CHECK(weft_arange(&arrays[1], ctx, WEFT_I32, 0, 3, 1));
  WEFT_CHECK(weft_ones(&arrays[2], ctx, WEFT_F32, WEFT_SHAPE(2, 3)));
  WEFT_CHECK(weft_transpose(&arrays[3], arrays[2], WEFT_AXES(1, 0)));
  WEFT_CHECK(weft_zeros(&arrays[4], ctx, WEFT_F32, WEFT_SHAPE(0)));
  WEFT_CHECK(weft_ones(&arrays[5], ctx, WEFT_I64, WEFT_SHAPE_0D));
  WEFT_CHECK(weft_ones(&arrays[6], ctx, WEFT_BOOL, WEFT_SHAPE(3)));
  WEFT_CHECK(weft_ones(&arrays[7], ctx, WEFT_C64, WEFT_SHAPE(2, 2)));
  WEFT_CHECK(weft_ones(&arrays[8], ctx, WEFT_U8, WEFT_SHAPE(1, 2, 0, 3)));
  WEFT_CHECK(weft_broadcast(&arrays[9], arrays[0], WEFT_SHAPE(2, 3)));
  WEFT_CHECK(weft_from_host(&arrays[10], ctx, WEFT_F32, WEFT_SHAPE(4, 4), data));
  WEFT_CHECK(weft_ones(&arrays[11], ctx, WEFT_F16, WEFT_SHAPE(1, 1, 1, 1, 1, 1, 1, 2)));
  weft_rng *rng = NULL;
  weft_stream *stream = NULL;
  weft_event *event = NULL;
  weft_kernel *kernel = NULL;
  weft_ufunc *ufunc = NULL;
  weft_csr *csr = NULL;
  weft_recording *recording = NULL;
  WEFT_CHECK(weft_rng_create(&rng, .seed = 7, .context = ctx));
  WEFT_CHECK(weft_stream_create(&stream, ctx));
  WEFT_CHECK(weft_event_record(&event, ctx, stream));
  WEFT_CHECK(weft_kernel_create(&kernel, ctx, .source = source));
  WEFT_CHECK(weft_ufunc_create(&ufunc, .name = "f", .signatures = "f32(f32 a, f32 b)", .expression = "a + b"));
  WEFT_CHECK(weft_csr_from_dense(&csr, ctx, arrays[10]));
  WEFT_CHECK(weft_record_begin(ctx));
  WEFT_CHECK(weft_fill(arrays[2], 1));
  WEFT_CHECK(weft_record_end(&recording));
  objects[OBJECT_weft_context] = ctx;
  objects[OBJECT_weft_rng] = rng;
  objects[OBJECT_weft_stream] = stream;
  objects[OBJECT_weft_event] = event;
  objects[OBJECT_weft_kernel] = kernel;
  objects[OBJECT_weft_ufunc] = ufunc;
  objects[OBJECT_weft_csr] = csr;
  objects[OBJECT_weft_recording] = recording;
}

/// Gives back what a call made.
static void clean_up(void) {
  weft_record_cancel();
  for (int k = 0; k < ROOM; k++) {
    weft_free(tables[k]);
    tables[k] = NULL;
    weft_array_release(&results[k]);
    (weft_release)(1, (void *[]){&handles[k]});
  }
}

_Noreturn static void child(int only, int first_trial, int trials, uint64_t seed) {
  weft_context *ctx = NULL;
  nowhere = fopen("/dev/null", "w");
  if (!nowhere || weft_context_default(&ctx)) _exit(SKIPPED);
  make_objects(ctx);
  while (now->call < (int)COUNT_OF(calls)) {
    for (int trial = first_trial; trial < trials && (only < 0 || now->call == only); trial++) {
      now->trial = trial;
      state = seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)now->call * 1000003 + (uint64_t)trial;
      alarm(LONGEST_S);
      now->made++;
      calls[now->call].call();
      clean_up();
    }
    first_trial = 0;
    now->call++;
  }
  alarm(0);
  _exit(0);
}

/* ---- the parent ---- */

static int number_of(const char *name) {
  for (int k = 0; k < (int)COUNT_OF(calls); k++)
    if (strcmp(calls[k].name, name) == 0) return k;
  fprintf(stderr, "hostile: there is no %s\n", name);
  exit(2);
}

/// The number of calls that ended their process.
static int run(int only, int trials, uint64_t seed) {
  int failures = 0, trial = 0, status;
  now->call = only < 0 ? 0 : only;
  while (now->call < (int)COUNT_OF(calls)) {
    const unsigned long made = now->made;
    const pid_t pid = fork();
    if (pid < 0) return failures + 1;
    if (pid == 0) child(only, trial, trials, seed);
    if (waitpid(pid, &status, 0) != pid) return failures + 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) exit(SKIPPED);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    if (now->made == made) { /* before its first call */
      fprintf(stderr, "hostile: a child cannot make its objects\n");
      exit(2);
    }
    failures++;
    printf("%s ended its process with %s %d; repeat it with --seed %llu --trials %d %s\n", calls[now->call].name,
           WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
           (unsigned long long)seed, now->trial + 1, calls[now->call].name);
    fflush(stdout);
    trial = now->trial + 1;
  }
  return failures;
}

int main(int argc, char **argv) {
  int trials = 4, failures = 0, named = 0;
  uint64_t seed = 1;
  char folder[] = "/tmp/weft-hostile-XXXXXX";
  now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (now == MAP_FAILED || !mkdtemp(folder) || chdir(folder)) return 2;
  setenv("XDG_CACHE_HOME", folder, 1); /* weft_cache_clear is one of the functions */
  setenv("WEFT_CACHE_DIR", folder, 1);
  setenv("WEFT_MEMORY_LIMIT", "256M", 1);
  for (int k = 1; k < argc; k++) {
    if (strcmp(argv[k], "--trials") == 0 && k + 1 < argc)
      trials = atoi(argv[++k]);
    else if (strcmp(argv[k], "--seed") == 0 && k + 1 < argc)
      seed = strtoull(argv[++k], NULL, 0);
    else
      failures += run(number_of(argv[k]), trials, seed), named++;
  }
  if (!named) failures = run(-1, trials, seed);
  printf("%lu calls of %zu functions, %lu succeeded, %d ended their process; --seed %llu\n", now->made, COUNT_OF(calls),
         now->succeeded, failures, (unsigned long long)seed);
  if (system("rm -rf -- \"$XDG_CACHE_HOME\"")) failures++;
  return failures ? 1 : now->succeeded > 0 ? 0 : 1;
}

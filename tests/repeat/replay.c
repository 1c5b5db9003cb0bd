// SPDX-License-Identifier: MIT
/// Replays a trace of mixed allocations. After every step, the memory obtained from the driver is at most 1.3 times the
/// largest sum requested so far (at least 512 bytes per array), or 1/1024 of the device's memory.
///   replay [--steps N] [--seed S] [--threads T]
/// A step makes an array or releases one. The sizes are log-uniform from 256 bytes on. The trace has phases, which
/// grow, shrink or stay level, release the oldest, the newest or any array, and differ in the sizes they request. The
/// device is WEFT_TEST_DEVICE. Exit status 0, 1 for a broken bound or an error, 77 without the device.
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft/weft.h>

enum { EXIT_SKIP = 77, MOST_ARRAYS = 4096, SMALLEST = 512, MOST_THREADS = 16 };

/// The most bytes of all arrays together; each thread has a share.
#define MOST_BYTES ((int64_t)240 << 20)

static weft_context *context;

typedef struct sums {
  _Atomic(int64_t) asked, peak; /* bytes of arrays alive or requested, at least SMALLEST each; their largest sum so far
                                   */
  _Atomic(uint64_t) worst;      /* managed bytes in 1/1000 of the peak, where the bound applies */
} sums;
static sums total;

typedef struct player {
  uint64_t state;
  long steps, step, pairs, failures;
  int64_t share; /* of MOST_BYTES */
  int first, count;
  int64_t alive_bytes;
  struct {
    weft_array *array;
    int64_t size_bytes;
  } alive[MOST_ARRAYS]; /* a ring, the oldest at `first` */
} player;

/// The parameters of a phase.
typedef struct phase {
  long steps;
  int grow;           /* steps out of 100 that make an array */
  int order;          /* which array is released: 0 the oldest, 1 the newest, 2 any */
  int low_bits, bits; /* sizes from 2^low_bits to 2^(low_bits + bits) */
  bool same;          /* a few sizes recur, as in a loop over the same arrays */
} phase;

static uint64_t draw(player *p) {
  p->state = p->state * 6364136223846793005u + 1442695040888963407u;
  uint64_t x = p->state;
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdu;
  return x ^ x >> 33;
}

static phase draw_phase(player *p) {
  static const int grow[] = {40, 50, 50, 50, 62};
  phase f = {.steps = 200 + (long)(draw(p) % 8000), .grow = grow[draw(p) % 5], .order = (int)(draw(p) % 3)};
  f.low_bits = 8 + (int)(draw(p) % 13);
  f.bits = 1 + (int)(draw(p) % (unsigned)(23 - f.low_bits));
  f.same = draw(p) % 4 == 0;
  return f;
}

static int64_t draw_size(player *p, const phase *f) {
  uint64_t bits = draw(p);
  if (f->same) bits %= 5;
  int exponent = f->low_bits + (int)(bits % (unsigned)f->bits);
  /* nearly log-uniform: uniform within each power of two */
  return ((int64_t)1 << exponent) + (int64_t)((bits >> 8 ^ bits * 977) & (((uint64_t)1 << exponent) - 1));
}

static int64_t counted(int64_t size_bytes) {
  return size_bytes < SMALLEST ? SMALLEST : size_bytes;
}

static void raise_to(_Atomic(int64_t) *most, int64_t value) {
  int64_t known = atomic_load(most);
  while (known < value && !atomic_compare_exchange_weak(most, &known, value)) {
  }
}

static void fail(player *p, const char *what, const char *why) {
  if (p->failures++ < 3) printf("FAIL: step %ld: %s: %s\n", p->step, what, why);
}

static void check(player *p) {
  weft_memory_stats s;
  char text[160];
  if (weft_memory_get(&s, context)) {
    fail(p, "weft_memory_get", weft_error_last()->message);
    return;
  }
  int64_t peak = atomic_load(&total.peak); /* read after the statistics: it can only have grown */
  uint64_t most = (uint64_t)(peak + peak / 10 * 3),
           floor = s.device_bytes / 1024 > 1 << 20 ? s.device_bytes / 1024 : 1 << 20;
  if (s.managed_bytes > (most > floor ? most : floor)) {
    snprintf(text, sizeof text, "%" PRIu64 " bytes held, %" PRId64 " asked for at most", s.managed_bytes, peak);
    fail(p, "the bound", text);
  }
  if (most < floor) return;
  uint64_t ratio = s.managed_bytes * 1000 / (uint64_t)peak;
  if (ratio > atomic_load(&total.worst)) atomic_store(&total.worst, ratio);
}

static void make(player *p, int64_t size_bytes) {
  int at = (p->first + p->count) % MOST_ARRAYS;
  raise_to(&total.peak, atomic_fetch_add(&total.asked, counted(size_bytes)) + counted(size_bytes));
  p->alive[at].array = NULL;
  if (weft_empty(&p->alive[at].array, context, WEFT_U8, WEFT_SHAPE(size_bytes))) {
    atomic_fetch_sub(&total.asked, counted(size_bytes));
    fail(p, "weft_empty", weft_error_last()->message);
    return;
  }
  p->alive[at].size_bytes = size_bytes;
  p->count++;
  p->alive_bytes += size_bytes;
  p->pairs++;
}

static void release(player *p, int order) {
  int last = (p->first + p->count - 1) % MOST_ARRAYS;
  int at = order == 0 ? p->first : order == 1 ? last : (p->first + (int)(draw(p) % (unsigned)p->count)) % MOST_ARRAYS;
  int64_t size_bytes = p->alive[at].size_bytes;
  weft_array_release(&p->alive[at].array);
  atomic_fetch_sub(&total.asked, counted(size_bytes));
  p->alive_bytes -= size_bytes;
  p->count--;
  if (at == p->first)
    p->first = (p->first + 1) % MOST_ARRAYS;
  else
    p->alive[at] = p->alive[last];
}

static void *play(void *of) {
  player *p = of;
  phase f = {0};
  long left = 0;
  for (; p->step < p->steps && p->failures < 3; p->step++) {
    if (left-- == 0) {
      f = draw_phase(p);
      left = f.steps;
    }
    int64_t size_bytes = draw_size(p, &f);
    bool room = p->count < MOST_ARRAYS && p->alive_bytes + size_bytes <= p->share;
    bool grows = room && (p->count == 0 || (int)(draw(p) % 100) < f.grow);
    if (grows)
      make(p, size_bytes);
    else if (p->count)
      release(p, f.order);
    check(p);
  }
  while (p->count) {
    release(p, 2);
    check(p);
  }
  return NULL;
}

static int open_context(void) {
  const char *selector = getenv("WEFT_TEST_DEVICE");
  weft_status rc = weft_context_create(&context, .device = selector && *selector ? selector : NULL);
  if (rc == WEFT_ERROR_NO_DEVICE) {
    printf("SKIP: no device \"%s\" here\n", selector ? selector : "");
    return EXIT_SKIP;
  }
  if (rc) printf("FAIL: %s\n", weft_error_last()->message);
  return rc ? EXIT_FAILURE : 0;
}

/// Returns the number of failed steps.
static long replay(long steps, uint64_t seed, int threads) {
  static player players[MOST_THREADS];
  pthread_t thread[MOST_THREADS];
  struct timespec begin, end;
  weft_memory_stats s = {0};
  long failures = 0, pairs = 0;
  total = (sums){0};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int t = 0; t < threads; t++) {
    players[t] = (player){.state = seed + 7919 * (uint64_t)t, .steps = steps / threads, .share = MOST_BYTES / threads};
    if (pthread_create(&thread[t], NULL, play, &players[t])) {
      printf("FAIL: no thread\n");
      exit(EXIT_FAILURE);
    }
  }
  for (int t = 0; t < threads; t++) {
    pthread_join(thread[t], NULL);
    failures += players[t].failures;
    pairs += players[t].pairs;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  double ns = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
  if (weft_memory_get(&s, context) || s.arrays || s.active_bytes || s.requested_bytes) {
    printf("FAIL: at the end %" PRIu64 " arrays are alive, %" PRIu64 " bytes\n", s.arrays, s.active_bytes);
    failures++;
  }
  uint64_t worst = atomic_load(&total.worst);
  printf("%d thread%s, %ld arrays made and released: peak %.1f MiB asked for, at most %" PRIu64 ".%03" PRIu64
         " times that held; %.1f %% from the pool, %" PRIu64
         " buffers of the driver's; %.0f ns a pair, with the check\n",
         threads, threads == 1 ? "" : "s", pairs, (double)atomic_load(&total.peak) / (1 << 20), worst / 1000,
         worst % 1000, 100.0 * (double)s.pool_hits / (double)(s.allocations ? s.allocations : 1), s.driver_allocations,
         ns / (double)(pairs ? pairs : 1));
  return failures;
}

int main(int argc, char **argv) {
  long steps = 2000000, failures = 0;
  uint64_t seed = 20261121;
  int most_threads = 4;
  for (int k = 1; k + 1 < argc; k += 2) {
    if (strcmp(argv[k], "--steps") == 0) steps = strtol(argv[k + 1], NULL, 10);
    if (strcmp(argv[k], "--seed") == 0) seed = strtoull(argv[k + 1], NULL, 10);
    if (strcmp(argv[k], "--threads") == 0) most_threads = (int)strtol(argv[k + 1], NULL, 10);
  }
  if (most_threads < 1 || most_threads > MOST_THREADS) most_threads = 1;
  printf("seed %" PRIu64 "\n", seed);
  for (int threads = 1; threads <= most_threads; threads += most_threads > 1 ? most_threads - 1 : 1) {
    int status = open_context();
    if (status) return status;
    failures += replay(threads == 1 ? steps : steps / 5, seed, threads);
    if (weft_context_close(&context)) {
      printf("FAIL: %s\n", weft_error_last()->message);
      failures++;
    }
  }
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

// SPDX-License-Identifier: MIT
/// Random operations from several threads on several streams, with a memory limit; nothing may remain at the end.
///   soak [--operations N | --seconds S] [--threads T] [--seed S] [--limit BYTES] [--progress] [--without NAMES]
/// The content of every array is known, or known to be unknown, and is checked at every read. Mistakes are made on
/// purpose, and their statuses checked. There are ten rounds with new threads, and everything is released after each:
/// no array may be left in the statistics and no handle in the ledger. From the first round on, host memory may grow by
/// at most 64 MiB; more is reported, but is no failure, if a sanitizer keeps memory or if the first round has under a
/// million operations, as kernels are then still built later. --without leaves out operations by name, to find the one
/// that causes a failure: --without "map, large". The device is WEFT_TEST_DEVICE, otherwise WEFT_DEVICE. Exit status 0,
/// 1 for a failure, 77 without the device.
#include "soak.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SKIP = 77, MOST_THREADS = 64, ROUNDS = 10 };
#define MOST_GROWTH_BYTES ((int64_t)64 << 20)
#define WARM_OPERATIONS 1000000u /* after fewer, kernels are still being built, and compilers take memory */
/// Scratch that reductions keep per stream (see weft_memory_stats), for the most streams at a time: no round may leave
/// more.
#define MOST_OWN_BYTES ((uint64_t)64 * 40960)

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

soak all;

static struct {
  int weight; /* a share of the sum of all weights */
  const char *name;
  void (*run)(worker *w);
} operations[] = {
    {2600, "empty", make_empty},
    {2500, "view", make_view},
    {1300, "drop", drop},
    {900, "share", share},
    {900, "look", look},
    {400, "hand over", hand_over},
    {300, "figures", figures},
    {300, "mistake", mistake},
    {250, "use stream", use_stream},
    {150, "scope", make_scope},
    {80, "tag", tag},
    {60, "events", events},
    /* with work for the device */
    {100, "full", make_full},
    {80, "read back", read_back},
    {50, "from host", make_from_host},
    {40, "write a part", write_part},
    {40, "add in place", add_in_place},
    {40, "add", add_one},
    {30, "copy", copy},
    {30, "step", step},
    {25, "write async", write_lane},
    {25, "read async", read_lane},
    {20, "strided", strided},
    {20, "reduce", reduce},
    {20, "map", map},
    {10, "wrapped", make_wrapped},
    {5, "wait", wait},
    /* rare ones */
    {2, "late mistake", late_mistake},
    {2, "renew pinned", renew_pinned},
    {1, "renew stream", renew_stream},
    {1, "large", make_large},
    {1, "snapshots", snapshots},
    {1, "report", report},
    {1, "trim", trim},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };
static int total_weight;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- statuses ---- */

uint64_t draw(worker *w) {
  uint64_t x = w->state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

void fail(worker *w, const char *what, const char *why) {
  if (atomic_exchange(&all.failed, true)) return;
  printf("FAIL: seed %" PRIu64 ", thread %d, operation %" PRIu64 " (%s): %s: %s\n", all.seed, w->number, w->operation,
         w->name, what, why);
  fflush(stdout);
}

bool was_told(worker *w) {
  bool planted = atomic_fetch_add(&all.told, 1) < atomic_load(&all.planted);
  if (!planted) fail(w, "an index out of range", weft_error_last()->message);
  return planted;
}

static void fail_with_error(worker *w, weft_status rc, const char *what) {
  char why[800];
  snprintf(why, sizeof why, "%s: %s", weft_status_name(rc), rc ? weft_error_last()->message : "");
  fail(w, what, why);
}

bool is_ok(worker *w, weft_status rc, const char *what) {
  if (rc) fail_with_error(w, rc, what);
  return rc == WEFT_OK;
}

bool is_made(worker *w, weft_status rc, const char *what) {
  if (rc != WEFT_ERROR_BUDGET) return is_ok(w, rc, what);
  if (weft_error_last()->status != rc) fail_with_error(w, rc, what);
  w->refusals++;
  for (int k = 0; k < SLOTS; k += 2) empty_slot(&w->slot[k]);
  return false;
}

void expect(worker *w, weft_status rc, weft_status wanted, const char *what) {
  if (rc != wanted || weft_error_last()->status != wanted || !weft_error_last()->message[0])
    fail_with_error(w, rc, what);
}

/* ---- contents ---- */

bool all_are(const void *data, weft_dtype dtype, int64_t count, int value) {
  union {
    uint8_t u1;
    int32_t i4;
    float f4;
  } one = {0};
  size_t item = dtype == WEFT_U8 ? 1 : 4;
  if (count <= 0) return true;
  fill_host(&one, dtype, 1, value);
  return memcmp(data, &one, item) == 0 && memcmp((const char *)data + item, data, (size_t)(count - 1) * item) == 0;
}

void fill_host(void *data, weft_dtype dtype, int64_t count, int value) {
  if (dtype == WEFT_U8) memset(data, value, (size_t)count);
  if (dtype == WEFT_I32)
    for (int64_t k = 0; k < count; k++) ((int32_t *)data)[k] = value;
  if (dtype == WEFT_F32)
    for (int64_t k = 0; k < count; k++) ((float *)data)[k] = (float)value;
}

void check_content(worker *w, const void *data, weft_dtype dtype, int64_t count, int value, const char *what) {
  char why[200];
  w->checks++;
  if (all_are(data, dtype, count, value)) return;
  int64_t k = 0, item = dtype == WEFT_U8 ? 1 : 4;
  while (all_are((const char *)data + k * item, dtype, 1, value)) k++;
  snprintf(why, sizeof why, "element %" PRId64 " of %" PRId64 " (%s) is not %d", k, count, weft_dtype_name(dtype),
           value);
  fail(w, what, why);
}

/* ---- threads ---- */

void operate(worker *w) {
  int64_t at = draw_below(w, total_weight);
  int k = 0;
  while (at >= operations[k].weight) at -= operations[k++].weight;
  w->name = operations[k].name;
  operations[k].run(w);
}

static void begin_work(worker *w) {
  w->name = "beginning";
  if (!(w->scratch = malloc(SCRATCH_BYTES))) abort();
  for (int k = 0; k < SIDES; k++) is_ok(w, weft_stream_create(&w->side[k], all.context), "weft_stream_create");
  for (int k = 0; k < LANES; k++)
    is_ok(w, weft_pinned_alloc(&w->lane[k].data, all.context, LANE_BYTES), "weft_pinned_alloc");
}

static void end_work(worker *w) {
  w->name = "ending";
  for (int k = 0; k < LANES; k++) {
    settle_lane(w, &w->lane[k]);
    weft_event_release(&w->lane[k].event);
    weft_pinned_free(&w->lane[k].data);
  }
  for (int k = 0; k < SLOTS; k++) empty_slot(&w->slot[k]);
  for (int k = 0; k < SIDES; k++) weft_stream_release(&w->side[k]);
  free(w->scratch); /* the thread's end releases the current stream */
}

static void *work(void *of) {
  worker *w = of;
  begin_work(w);
  for (; !atomic_load(&all.failed) && w->operation < w->most_operations; w->operation++) {
    if (w->end_ns && w->operation % 64 == 0 && now_ns() >= w->end_ns) break;
    operate(w);
    if (w->operation % 64 == 0) atomic_store(&w->done, w->operation);
  }
  atomic_store(&w->done, w->operation);
  end_work(w);
  return NULL;
}

/* ---- rounds ---- */

static int64_t resident_bytes(void) {
  long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%*s %lld", &pages) != 1) pages = 0;
  fclose(file);
  return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static void say_progress(const worker *workers, int threads, uint64_t before, uint64_t begin_ns) {
  weft_memory_stats s = {0};
  uint64_t done = before;
  for (int t = 0; t < threads; t++) done += atomic_load(&workers[t].done);
  if (weft_memory_get(&s, all.context)) return;
  double seconds = (double)(now_ns() - begin_ns) / 1e9;
  printf("%.0f s: %" PRIu64 " operations, %.0f a second; %.1f MiB managed, %.1f held, %" PRIu64
         " arrays; %.1f MiB of the host's\n",
         seconds, done, (double)done / seconds, (double)s.managed_bytes / (1 << 20), (double)s.held_bytes / (1 << 20),
         s.arrays, (double)resident_bytes() / (1 << 20));
}

static void empty_mailboxes(void) {
  for (int k = 0; k < MAILBOXES; k++) {
    slot *parcel = atomic_exchange(&all.mailbox[k], NULL);
    if (parcel) empty_slot(parcel);
    free(parcel);
  }
}

/// Everything that a round made must be released: anything left is a failure.
static void check_empty(worker *w) {
  weft_memory_stats s;
  weft_snapshot *snapshot = NULL;
  char why[300];
  size_t count = 0;
  weft_status rc;
  w->name = "after a round";
  CALL(w, rc, weft_context_wait(all.context));
  is_ok(w, rc, "weft_context_wait");
  is_ok(w, weft_memory_timeline_stop(all.context), "weft_memory_timeline_stop");
  if (is_ok(w, weft_snapshot_create(&snapshot, all.context), "weft_snapshot_create")) {
    const weft_snapshot_row *row = weft_snapshot_rows(&count, snapshot);
    for (size_t k = 0; k < count; k++) {
      bool is_ours = strcmp(row[k].kind, "kernel") == 0 && row[k].count == 1;
      if (is_ours || strcmp(row[k].kind, "program") == 0) continue;
      snprintf(why, sizeof why, "%" PRIu64 ", %" PRIu64 " bytes, made at %s", row[k].count, row[k].size_bytes,
               row[k].site);
      fail(w, row[k].kind, why);
    }
  }
  weft_snapshot_release(&snapshot);
  if (is_ok(w, weft_memory_get(&s, all.context), "weft_memory_get") && (s.arrays || s.active_bytes > MOST_OWN_BYTES)) {
    snprintf(why, sizeof why, "%" PRIu64 " storages are alive, %" PRIu64 " bytes", s.arrays, s.active_bytes);
    fail(w, "the figures", why);
  }
  if (atomic_load(&all.lent)) fail(w, "memory of the host's", "was not given back");
  CALL(w, rc, weft_memory_trim(all.context));
  is_ok(w, rc, "weft_memory_trim");
  malloc_trim(0);
}

typedef struct sums {
  uint64_t operations, first_operations, checks, refusals, begin_ns, said_ns;
  int64_t first_bytes, last_bytes; /* of host memory, after the first round and now */
} sums;

static void run_round(sums *sum, int round, int threads, uint64_t each, uint64_t end_ns, bool progress) {
  static worker workers[MOST_THREADS];
  worker *self = &workers[0];
  bool busy = true;
  memset(workers, 0, sizeof workers);
  for (int t = 0; t < threads; t++) {
    worker *w = &workers[t];
    *w = (worker){.number = t,
                  .state = all.seed * 1000003 + (uint64_t)(round * MOST_THREADS + t),
                  .most_operations = each,
                  .end_ns = end_ns};
    if (pthread_create(&w->thread, NULL, work, w)) abort();
  }
  while (busy && progress) {
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    busy = false;
    for (int t = 0; t < threads; t++) busy |= atomic_load(&workers[t].done) < each && (!end_ns || now_ns() < end_ns);
    if (now_ns() - sum->said_ns < 10000000000u) continue;
    sum->said_ns = now_ns();
    say_progress(workers, threads, sum->operations, sum->begin_ns);
  }
  for (int t = 0; t < threads; t++) {
    pthread_join(workers[t].thread, NULL);
    sum->operations += workers[t].operation;
    sum->checks += workers[t].checks;
    sum->refusals += workers[t].refusals;
  }
  empty_mailboxes();
  if (!atomic_load(&all.failed)) check_empty(self);
  sum->last_bytes = resident_bytes();
  if (round == 0) {
    sum->first_bytes = sum->last_bytes;
    sum->first_operations = sum->operations;
  }
  printf("round %d: %" PRIu64 " operations, %.1f MiB of the host's memory\n", round + 1, sum->operations,
         (double)sum->last_bytes / (1 << 20));
}

static int open_soak(weft_context **other) {
  static const char source[] =
      "kernel void step(global int *y, global const int *x, long n) {\n"
      "  long k = get_global_id(0);\n"
      "  if (k < n) y[k] = x[k] + 1;\n"
      "}\n";
  const char *selector = getenv("WEFT_TEST_DEVICE");
  if (selector && !*selector) selector = NULL;
  weft_device_info info;
  weft_status rc = weft_context_create(&all.context, .device = selector, .memory_limit_bytes = all.limit_bytes);
  if (rc == WEFT_ERROR_NO_DEVICE) {
    printf("SKIP: no device \"%s\" here\n", selector ? selector : "");
    return EXIT_SKIP;
  }
  if (rc == WEFT_OK) rc = weft_context_get_device(&info, all.context);
  if (rc == WEFT_OK && strstr(info.platform, "Portable Computing") && strncmp(info.driver_version, "5.0", 3) == 0) {
    printf("SKIP: PoCL 5.0 ends programs with kernels on several queues (docs/drivers.md)\n");
    return EXIT_SKIP;
  }
  if (rc == WEFT_OK) all.on_cpu = info.type == WEFT_DEVICE_TYPE_CPU;
  if (rc == WEFT_OK) rc = weft_kernel_create(&all.step, all.context, .source = source, .name = "step");
  if (rc == WEFT_OK) rc = weft_context_create(other, .device = selector);
  if (rc == WEFT_OK) rc = weft_stream_create(&all.foreign, *other);
  if (rc) printf("FAIL: %s\n", weft_error_last()->message);
  return rc ? EXIT_FAILURE : 0;
}

static void close_context(weft_context **context) {
  if (weft_context_close(context) == WEFT_OK) return;
  printf("FAIL: %s\n", weft_error_last()->message);
  atomic_store(&all.failed, true);
}

int main(int argc, char **argv) {
  uint64_t operations_wanted = 200000;
  double seconds = 0;
  int threads = 4;
  bool progress = false;
  weft_context *other = NULL;
  all.seed = (uint64_t)time(NULL);
  all.limit_bytes = (uint64_t)256 << 20;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int k = 1; k < argc; k++) {
    const char *value = k + 1 < argc ? argv[k + 1] : "0";
    if (strcmp(argv[k], "--operations") == 0) operations_wanted = strtoull(value, NULL, 10);
    if (strcmp(argv[k], "--seconds") == 0) seconds = strtod(value, NULL);
    if (strcmp(argv[k], "--threads") == 0) threads = (int)strtol(value, NULL, 10);
    if (strcmp(argv[k], "--seed") == 0) all.seed = strtoull(value, NULL, 10);
    if (strcmp(argv[k], "--limit") == 0) all.limit_bytes = strtoull(value, NULL, 10);
    if (strcmp(argv[k], "--progress") == 0) progress = true;
    for (int o = 0; o < OPERATIONS; o++)
      if (strcmp(argv[k], "--without") == 0 && strstr(value, operations[o].name)) operations[o].weight = 0;
  }
  if (threads < 1 || threads > MOST_THREADS) threads = 4;
  for (int k = 0; k < OPERATIONS; k++) total_weight += operations[k].weight;
  int status = open_soak(&other);
  if (status) return status;
  printf("seed %" PRIu64 ", %d threads\n", all.seed, threads);

  sums sum = {.begin_ns = now_ns(), .said_ns = now_ns()};
  for (int round = 0; round < ROUNDS && !atomic_load(&all.failed); round++) {
    uint64_t end_ns = seconds > 0 ? sum.begin_ns + (uint64_t)(seconds * 1e9 / ROUNDS * (round + 1)) : 0;
    uint64_t each = (operations_wanted + (uint64_t)(threads * ROUNDS) - 1) / (uint64_t)(threads * ROUNDS);
    run_round(&sum, round, threads, end_ns ? UINT64_MAX : each, end_ns, progress);
  }
  double took = (double)(now_ns() - sum.begin_ns) / 1e9;
  int64_t growth_bytes = sum.last_bytes - sum.first_bytes;
  weft_memory_stats s = {0};
  if (weft_memory_get(&s, all.context)) printf("FAIL: %s\n", weft_error_last()->message);
  printf("%" PRIu64 " operations in %.1f s (%.2f us each), %" PRIu64 " contents looked at, %" PRIu64
         " refusals, %" PRIu64 " of %" PRIu64 " late mistakes told\n",
         sum.operations, took, took * 1e6 / (double)(sum.operations ? sum.operations : 1), sum.checks, sum.refusals,
         atomic_load(&all.told), atomic_load(&all.planted));
  printf("%" PRIu64 " arrays asked for, %.1f %% from the pool, %" PRIu64
         " launches; at most %.1f of %.1f MiB managed; the host's memory "
         "%.1f MiB after the first round, %+.1f MiB since\n",
         s.allocations, 100.0 * (double)s.pool_hits / (double)(s.allocations ? s.allocations : 1), s.launches,
         (double)s.peak_managed_bytes / (1 << 20), (double)all.limit_bytes / (1 << 20),
         (double)sum.first_bytes / (1 << 20), (double)growth_bytes / (1 << 20));
  bool counts = !SANITIZED && sum.first_operations >= WARM_OPERATIONS;
  if (growth_bytes > MOST_GROWTH_BYTES && counts && !atomic_exchange(&all.failed, true))
    printf("FAIL: the host's memory grows\n");
  weft_kernel_release(&all.step);
  weft_stream_release(&all.foreign);
  close_context(&other);
  close_context(&all.context);
  return atomic_load(&all.failed) ? EXIT_FAILURE : EXIT_SUCCESS;
}

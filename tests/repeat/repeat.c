// SPDX-License-Identifier: MIT
/// Primitives whose blocks exchange values, repeated at odd sizes: no hang, no wrong result. Two of these programs at
/// once keep the device busy for each other.
///   repeat [--times N] [--only NAME] [--seed S] [--most ELEMENTS]
/// The device is WEFT_TEST_DEVICE. The elements are a hash of their index, so that the host knows them. Every result is
/// checked completely. Exit status 0, 1 for a wrong result or an error, 77 without the device.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft/weft.h>

enum { EXIT_SKIP = 77 };

static weft_context *context;
static int64_t most = 300000;

/// Hashes a number: the host's version of `hash_text`.
static uint32_t mix(int64_t i, int64_t salt) {
  uint64_t h = ((uint64_t)i * 2654435761u + (uint64_t)salt) & 0xffffffffu;
  h = ((h ^ (h >> 15)) * 2246822519u) & 0xffffffffu;
  h = ((h ^ (h >> 13)) * 3266489917u) & 0xffffffffu;
  return (uint32_t)(h ^ (h >> 16));
}
static const char hash_text[] =
    "h = (i * 2654435761 + salt) & 4294967295\n"
    "h = ((h ^ (h >> 15)) * 2246822519) & 4294967295\n"
    "h = ((h ^ (h >> 13)) * 3266489917) & 4294967295\n"
    "u32(h ^ (h >> 16))";

/// One repetition: x[n] of hashed words, and results on the host.
typedef struct work {
  int64_t n, salt;
  weft_array *x, *y, *z;
  void *host;
} work;

#define TRY(call)                 \
  do {                            \
    weft_status try_rc_ = (call); \
    if (try_rc_) return try_rc_;  \
  } while (0)

/// A wrong result, as a value outside Weft's statuses.
#define WRONG ((weft_status)-1)

static weft_status read_back(work *w, const weft_array *from) {
  return weft_to_host(w->host, (size_t)weft_array_size_bytes(from), from);
}

static weft_status run_cumsum(work *w) {
  TRY(weft_cumsum(&w->y, w->x, 0));
  TRY(read_back(w, w->y));
  const uint64_t *y = w->host;
  uint64_t sum = 0;
  for (int64_t i = 0; i < w->n; i++)
    if (y[i] != (sum += mix(i, w->salt))) return WRONG;
  return WEFT_OK;
}

/// Floats whose sums are exact: 0 and 1.
static weft_status run_cumsum_f32(work *w) {
  TRY(weft_eval(&w->z, context, "f32(x & 1)", WEFT_NAMED("x", w->x)));
  TRY(weft_cumsum(&w->y, w->z, 0));
  TRY(read_back(w, w->y));
  const float *y = w->host;
  float sum = 0;
  for (int64_t i = 0; i < w->n; i++)
    if (y[i] != (sum += (float)(mix(i, w->salt) & 1))) return WRONG;
  return WEFT_OK;
}

static weft_status run_segments(work *w) {
  TRY(weft_eval(&w->z, context, "(x & 1023) == 0", WEFT_NAMED("x", w->x)));
  TRY(weft_scan(&w->y, w->x, 0, .flags = w->z));
  TRY(read_back(w, w->y));
  const uint64_t *y = w->host;
  uint64_t sum = 0;
  for (int64_t i = 0; i < w->n; i++) {
    uint32_t x = mix(i, w->salt);
    if (y[i] != (sum = (x & 1023) == 0 ? x : sum + x)) return WRONG;
  }
  return WEFT_OK;
}

static weft_status run_select(work *w) {
  TRY(weft_select(&w->y, context, "x > 2147483648", WEFT_NAMED("x", w->x)));
  TRY(read_back(w, w->y));
  const uint32_t *y = w->host;
  int64_t at = 0, size = weft_array_size(w->y);
  for (int64_t i = 0; i < w->n; i++) {
    uint32_t x = mix(i, w->salt);
    if (x > 2147483648u && (at == size || y[at++] != x)) return WRONG;
  }
  return at == size ? WEFT_OK : WRONG;
}

/// Checks the order, and that the elements' sums are unchanged.
static weft_status run_sort(work *w) {
  TRY(weft_sort(&w->y, w->x, 0));
  TRY(read_back(w, w->y));
  const uint32_t *y = w->host;
  uint64_t before = 0, after = 0, before_mixed = 0, after_mixed = 0;
  for (int64_t i = 0; i < w->n; i++) {
    uint32_t x = mix(i, w->salt);
    if (i > 0 && y[i] < y[i - 1]) return WRONG;
    before += x;
    after += y[i];
    before_mixed += (uint64_t)x * x;
    after_mixed += (uint64_t)y[i] * y[i];
  }
  return before == after && before_mixed == after_mixed ? WEFT_OK : WRONG;
}

/// Each key keeps its index, and equal keys keep their order.
static weft_status run_argsort(work *w) {
  TRY(weft_eval(&w->z, context, "u16(x & 4095)", WEFT_NAMED("x", w->x)));
  TRY(weft_argsort(&w->y, w->z, 0));
  TRY(read_back(w, w->y));
  const int64_t *y = w->host;
  for (int64_t i = 1; i < w->n; i++) {
    if (y[i] < 0 || y[i] >= w->n || y[i - 1] < 0) return WRONG;
    uint32_t one = mix(y[i - 1], w->salt) & 4095, two = mix(y[i], w->salt) & 4095;
    if (one > two || (one == two && y[i - 1] >= y[i])) return WRONG;
  }
  return WEFT_OK;
}

static weft_status run_sum(work *w) {
  uint64_t sum = 0, got = 0;
  TRY(weft_sum(WEFT_HOST_OUT(&got, WEFT_U64, WEFT_SHAPE_0D), w->x, WEFT_ALL_AXES));
  for (int64_t i = 0; i < w->n; i++) sum += mix(i, w->salt);
  return sum == got ? WEFT_OK : WRONG;
}

static weft_status run_histogram(work *w) {
  int64_t counts[256] = {0};
  TRY(weft_eval(&w->z, context, "u8(x & 255)", WEFT_NAMED("x", w->x)));
  TRY(weft_histogram(&w->y, w->z, 256, .range = WEFT_RANGE(0, 256)));
  TRY(read_back(w, w->y));
  for (int64_t i = 0; i < w->n; i++) counts[mix(i, w->salt) & 255]++;
  return memcmp(counts, w->host, sizeof counts) == 0 ? WEFT_OK : WRONG;
}

static const struct {
  const char *name;
  weft_status (*run)(work *w);
} kinds[] = {
    {"cumsum", run_cumsum}, {"cumsum_f32", run_cumsum_f32}, {"segments", run_segments}, {"select", run_select},
    {"sort", run_sort},     {"argsort", run_argsort},       {"sum", run_sum},           {"histogram", run_histogram}};

/// A size whose orders of magnitude are equally likely.
static int64_t draw_size(uint64_t *state) {
  int bits = 1;
  while (INT64_C(1) << bits < most) bits++;
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  int64_t n = (int64_t)((*state >> 20) & ((UINT64_C(1) << (1 + (*state >> 58) % (unsigned)bits)) - 1));
  return 1 + n % most;
}

static weft_status run_once(weft_status (*run)(work *w), int64_t n, int64_t salt, void *room) {
  work w = {.n = n, .salt = salt, .host = room};
  weft_status rc = weft_empty(&w.x, context, WEFT_U32, WEFT_SHAPE(n));
  if (rc == WEFT_OK) rc = weft_eval(&w.x, context, hash_text, WEFT_NAMED("salt", salt));
  if (rc == WEFT_OK) rc = run(&w);
  weft_array_release(&w.x);
  weft_array_release(&w.y);
  weft_array_release(&w.z);
  return rc;
}

static int run_kind(size_t kind, long times, uint64_t seed) {
  uint64_t state = seed + 977 * kind;
  int64_t elements = 0;
  int wrong = 0;
  void *room = calloc((size_t)most + 256, 8);
  if (!room) return 1;
  for (long k = 0; k < times && wrong < 5; k++) {
    int64_t n = draw_size(&state), salt = (int64_t)(state >> 40);
    weft_status rc = run_once(kinds[kind].run, n, salt, room);
    elements += n;
    if (rc == WEFT_OK) continue;
    wrong++;
    printf("FAIL %s: repetition %ld, n = %" PRId64 ", salt %" PRId64 ": %s\n", kinds[kind].name, k, n, salt,
           rc == WRONG ? "a wrong answer" : weft_error_last()->message);
  }
  printf("%s: %ld repetitions, %" PRId64 " elements, %d wrong\n", kinds[kind].name, times, elements, wrong);
  free(room);
  return wrong;
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

int main(int argc, char **argv) {
  const char *only = NULL;
  long times = 10000;
  uint64_t seed = (uint64_t)time(NULL);
  int wrong = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int k = 1; k + 1 < argc; k += 2) {
    if (strcmp(argv[k], "--times") == 0) times = strtol(argv[k + 1], NULL, 10);
    if (strcmp(argv[k], "--seed") == 0) seed = strtoull(argv[k + 1], NULL, 10);
    if (strcmp(argv[k], "--only") == 0) only = argv[k + 1];
    if (strcmp(argv[k], "--most") == 0) most = strtoll(argv[k + 1], NULL, 10);
  }
  if (most < 2) most = 2;
  int status = open_context();
  if (status) return status;
  printf("seed %" PRIu64 "\n", seed);
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    if (!only || strcmp(only, kinds[kind].name) == 0) wrong += run_kind(kind, times, seed);
  if (weft_context_close(&context)) {
    printf("FAIL: %s\n", weft_error_last()->message);
    wrong++;
  }
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

// SPDX-License-Identifier: MIT
#include "cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"

enum { EXIT_SKIP = 77, SHOWN_FAILURES = 40, SHOWN_PER_FUNCTION = 3 };
#define KEPT UINT32_MAX  /* instead of a pool: an existing array of the chain */
#define LATER UINT32_MAX /* instead of bytes: a later look has them */

judge_state judge = {.every = 1};
static const judge_program *program;

/* ---- reading ---- */

static const uint8_t *at, *end;

const void *take(size_t bytes) {
  const void *here = at;
  if ((size_t)(end - at) < bytes) {
    fprintf(stderr, "the file of cases ends too early\n");
    exit(EXIT_FAILURE);
  }
  at += bytes;
  return here;
}

#define READER(name, type)                            \
  type name(void) {                                   \
    type value;                                       \
    memcpy(&value, take(sizeof value), sizeof value); \
    return value;                                     \
  }
READER(read_u8, uint8_t)
READER(read_u32, uint32_t)
READER(read_i64, int64_t)
READER(read_f32, float)
READER(read_f64, double)

void read_text(char *text, size_t room) {
  size_t length = read_u8();
  const void *from = take(length);
  if (length >= room) length = room - 1;
  memcpy(text, from, length);
  text[length] = '\0';
}

weft_shape read_shape(void) {
  int64_t dim[WEFT_MAX_NDIM] = {0};
  int ndim = read_u8();
  for (int d = 0; d < ndim; d++) dim[d % WEFT_MAX_NDIM] = read_i64();
  return weft__shape(ndim, dim);
}

static uint8_t *read_file(const char *name, size_t *size) {
  FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
  size_t room = 1 << 20;
  uint8_t *bytes = malloc(room);
  *size = 0;
  for (size_t got = 1; file && bytes && got;) {
    got = fread(bytes + *size, 1, room - *size, file);
    *size += got;
    if (*size == room) bytes = realloc(bytes, room *= 2);
  }
  if (!file || !bytes) fprintf(stderr, "cannot read %s\n", name);
  if (file && file != stdin) fclose(file);
  return file ? bytes : NULL;
}

/* ---- reports ---- */

static char names[MAX_FUNCTIONS][32];
static int name_count, blamed[MAX_FUNCTIONS];
static long shown;
static bool show_all;

int function_number(const char *name) {
  int k = 0;
  while (k < name_count && strcmp(names[k], name) != 0) k++;
  if (k == MAX_FUNCTIONS) return k - 1;
  if (k == name_count) snprintf(names[name_count++], sizeof names[k], "%s", name);
  return k;
}

const char *function_name(int number) {
  return number < name_count ? names[number] : NULL;
}

void fail(const char *name, const char *format, ...) {
  va_list list;
  judge.failures++;
  if (!show_all && (++blamed[function_number(name)] > SHOWN_PER_FUNCTION || ++shown > SHOWN_FAILURES)) return;
  printf("FAIL %s ", name);
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  printf("\n");
}

bool has_dtype(weft_dtype dtype) {
  return judge.has_fp64 || (dtype != WEFT_F64 && dtype != WEFT_C128);
}

bool is_no_fp64(weft_status rc) {
  return !judge.has_fp64 && (rc == WEFT_ERROR_UNSUPPORTED || rc == WEFT_ERROR_DTYPE);
}

/* ---- places ---- */

typedef struct pool {
  weft_dtype dtype;
  uint32_t count;
  const uint8_t *data;
} pool;
static pool *pools;
static uint32_t pool_count;

#define MUST(t, call)                                                                                    \
  do {                                                                                                   \
    weft_status must_rc_ = (call);                                                                       \
    if (must_rc_ && !(t)->failed) {                                                                      \
      (t)->failed = true;                                                                                \
      if (!judge.may_fail) fail((t)->name, "%s: %s: %s", (t)->label, #call, weft_error_last()->message); \
    }                                                                                                    \
  } while (0)

static void read_storage(test_case *t, storage *s) {
  s->dtype = (weft_dtype)read_u8();
  uint32_t number = read_u32(), start = read_u32();
  const pool *p = &pools[number % pool_count];
  s->count = read_u32();
  s->kept = number == KEPT ? (int64_t)start : -1;
  if (!has_dtype(s->dtype)) t->skipped = true;
  if (t->skipped || t->failed) return;
  if (s->kept >= 0) {
    s->array = weft_array_retain(judge.kept(start));
    if (!s->array) t->failed = true;
    return;
  }
  size_t size = weft_dtype_size_bytes(s->dtype);
  s->bytes = malloc(s->count * size + 1);
  for (uint32_t i = 0; i < s->count; i++) memcpy(s->bytes + i * size, p->data + (start + i) % p->count * size, size);
  const int64_t dim[1] = {s->count};
  MUST(t, weft_from_host(&s->array, judge.context, s->dtype, weft__shape(1, dim), s->bytes));
}

static weft_axes transposed(int count, const int64_t *axis) {
  weft_axes axes = WEFT_ALL_AXES;
  if (count > 0) axes.count = count;
  for (int k = 0; k < count; k++) axes.axis[k] = (int)axis[k];
  return axes;
}

static void read_view(test_case *t, place *p) {
  weft_array *now = NULL;
  p->storage = read_u8() % MAX_STORAGES;
  p->dtype = t->storage[p->storage].dtype;
  if (!t->skipped && !t->failed) now = weft_array_retain(t->storage[p->storage].array);
  for (int steps = read_u8(); steps > 0; steps--) {
    char op = (char)read_u8();
    int64_t n[WEFT_MAX_NDIM] = {0};
    weft_array *next = NULL;
    int count = read_u8();
    for (int k = 0; k < count; k++) n[k % WEFT_MAX_NDIM] = read_i64();
    if (t->skipped || t->failed) continue;
    if (op == 'r') MUST(t, weft_reshape(&next, now, weft__shape(count, n)));
    if (op == 's') MUST(t, weft_slice(&next, now, (int)n[0], n[1], n[2], .step = n[3]));
    if (op == 't') MUST(t, weft_transpose(&next, now, transposed(count, n)));
    if (op == 'b') MUST(t, weft_broadcast(&next, now, weft__shape(count, n)));
    if (op == 'i') MUST(t, weft_pick(&next, now, (int)n[0], n[1]));
    if (op == 'x') MUST(t, weft_expand(&next, now, (int)n[0]));
    if (op == 'q') MUST(t, weft_squeeze(&next, now, (int)n[0]));
    if (op == 'f') MUST(t, weft_flip(&next, now, (int)n[0]));
    weft_array_release(&now);
    now = next;
  }
  p->view = now;
}

static void read_place(test_case *t, place *p) {
  p->kind = (place_kind)read_u8();
  switch (p->kind) {
    case PLACE_VIEW:
      read_view(t, p);
      break;
    case PLACE_SCALAR:
      p->scalar.dtype = p->dtype = (weft_dtype)read_u8();
      memcpy(p->scalar.value.c, take(16), 16);
      break;
    case PLACE_HOST:
      p->storage = read_u8() % MAX_STORAGES;
      p->dtype = t->storage[p->storage].dtype;
      p->shape = read_shape();
      break;
    case PLACE_HOST_RESULT: {
      int64_t size = 1;
      p->dtype = (weft_dtype)read_u8();
      p->shape = read_shape();
      for (int d = 0; d < p->shape.ndim; d++) size *= p->shape.dim[d];
      p->host = calloc((size_t)size + 1, weft_dtype_size_bytes(p->dtype));
      if (!has_dtype(p->dtype)) t->skipped = true;
      break;
    }
    default:
      break;
  }
}

void read_places(test_case *t) {
  for (int k = 0; k < t->storages; k++) read_storage(t, &t->storage[k]);
  for (int k = 0; k < t->results; k++) read_place(t, &t->result[k]);
  for (int k = 0; k < t->operands; k++) read_place(t, &t->operand[k]);
}

weft_operand operand_of(const test_case *t, int k) {
  const place *p = &t->operand[k];
  switch (p->kind) {
    case PLACE_SCALAR:
      return WEFT_OPERAND(p->scalar);
    case PLACE_HOST:
      return WEFT_OPERAND(WEFT_HOST(t->storage[p->storage].bytes, p->dtype, p->shape));
    default:
      return WEFT_OPERAND(p->view);
  }
}

weft_operand result_of(test_case *t, int k) {
  place *p = &t->result[k];
  if (p->kind == PLACE_HOST_RESULT) return WEFT_OPERAND(WEFT_HOST_OUT(p->host, p->dtype, p->shape));
  return WEFT_OPERAND(&p->view);
}

void compare_elements(test_case *t, int k, weft_dtype dtype, const weft_shape *shape, const uint8_t *expected,
                      const uint8_t *got, int64_t count) {
  size_t size = weft_dtype_size_bytes(dtype);
  for (int64_t i = 0; i < count && !t->failed; i++) {
    const void *e = expected + (size_t)i * size, *g = got + (size_t)i * size;
    double ulps = 0;
    bool good = same_value(dtype, e, g, &t->tolerance[k], &ulps);
    worst_note(t->function, dtype, ulps);
    judge.elements++;
    if (good) continue;
    char want[128], have[128], what[512];
    t->failed = true;
    value_text(want, sizeof want, dtype, e);
    value_text(have, sizeof have, dtype, g);
    program->describe(t, shape, i, what, sizeof what);
    fail(t->name, "%s: result %d, element %lld of %lld: NumPy %s, we %s, %.3g ULP (allowed %g, or %.3g); %s", t->label,
         k, (long long)i, (long long)count, want, have, ulps, (double)t->tolerance[k].ulps, t->tolerance[k].absolute,
         what);
  }
}

void check_result(test_case *t, int k) {
  weft_dtype dtype = (weft_dtype)read_u8();
  weft_shape shape = read_shape();
  uint32_t bytes = read_u32();
  const uint8_t *expected = take(bytes == LATER ? 0 : bytes);
  place *p = &t->result[k];
  size_t size = weft_dtype_size_bytes(dtype);
  if (t->skipped || t->failed) return;
  if (t->needs_fp64 && !has_dtype(dtype)) return; /* the device gives f32 */
  if (p->kind == PLACE_HOST_RESULT) {
    compare_elements(t, k, dtype, NULL, expected, p->host, (int64_t)(bytes / size));
    return;
  }
  weft_array *from = p->kind == PLACE_VIEW ? t->storage[p->storage].array : p->view;
  bool same_shape = weft_array_ndim(p->view) == shape.ndim;
  for (int d = 0; d < shape.ndim && same_shape; d++) same_shape = weft_array_length(p->view, d) == shape.dim[d];
  if (!same_shape || weft_array_dtype(p->view) != dtype) {
    char *text = NULL, lengths[128] = "", what[512];
    if (weft_array_describe(&text, p->view)) text = NULL;
    for (int d = 0; d < shape.ndim; d++)
      snprintf(lengths + strlen(lengths), sizeof lengths - strlen(lengths), d ? ",%lld" : "%lld",
               (long long)shape.dim[d]);
    t->failed = true;
    program->describe(t, NULL, 0, what, sizeof what);
    fail(t->name, "%s: result %d: NumPy has %s[%s], we %s; %s", t->label, k, weft_dtype_name(dtype), lengths,
         text ? text : "nothing", what);
    weft_free(text);
    return;
  }
  if (bytes == LATER) return;
  uint8_t *got = malloc(bytes + 1);
  if (p->kind == PLACE_VIEW) {
    MUST(t, weft_to_host(got, bytes, from));
  } else { /* it may be a view */
    weft_array *plain = NULL;
    MUST(t, weft_copy(&plain, from));
    if (!t->failed) MUST(t, weft_to_host(got, bytes, plain));
    weft_array_release(&plain);
  }
  if (!t->failed)
    compare_elements(t, k, dtype, p->kind == PLACE_NEW ? &shape : NULL, expected, got, (int64_t)(bytes / size));
  free(got);
}

void free_case(test_case *t) {
  for (int k = 0; k < t->results; k++) {
    weft_array_release(&t->result[k].view);
    free(t->result[k].host);
  }
  for (int k = 0; k < t->operands; k++) weft_array_release(&t->operand[k].view);
  for (int k = 0; k < t->storages; k++) {
    weft_array_release(&t->storage[k].array);
    free(t->storage[k].bytes);
  }
}

/* ---- the program ---- */

int judge_open(void) {
  const char *selector = getenv("WEFT_TEST_DEVICE"), *strict = getenv("WEFT_TEST_STRICT"),
             *any = getenv("WEFT_TEST_ANY");
  weft_device_info info;
  int device, count = 0;
  if (!selector || !*selector) selector = getenv("WEFT_DEVICE");
  weft_status rc = weft_device_find(&device, selector ? selector : "");
  if (rc == WEFT_ERROR_NO_DEVICE) {
    bool is_strict = strict && *strict && strcmp(strict, "0") != 0;
    if (any && strcmp(any, "1") == 0 && weft_device_count(&count) == WEFT_OK && count > 0) is_strict = false;
    printf("%s: no device \"%s\" here\n", is_strict ? "FAIL (WEFT_TEST_STRICT)" : "SKIP", selector ? selector : "");
    return is_strict ? EXIT_FAILURE : EXIT_SKIP;
  }
  if (rc == WEFT_OK) rc = weft_device_get(&info, device);
  if (rc == WEFT_OK) rc = weft_device_use(device);
  if (rc == WEFT_OK) rc = weft_context_default(&judge.context); /* runs calls on host memory alone */
  if (rc) {
    printf("FAIL: %s\n", weft_error_last()->message);
    return EXIT_FAILURE;
  }
  judge.has_fp64 = info.has_fp64;
  return 0;
}

static int open_first(void) {
  weft_device_info info;
  int status = judge_open();
  if (status == 0 && weft_context_get_device(&info, judge.context) == WEFT_OK)
    printf("on %s%s\n", info.name, judge.has_fp64 ? "" : ", without f64");
  return status;
}

static void run_all(void) {
  char provenance[256];
  if (memcmp(take(8), program->magic, 8) != 0) {
    printf("FAIL: not a file of cases\n");
    judge.failures++;
    return;
  }
  read_text(provenance, sizeof provenance);
  printf("%s\n", provenance);
  pool_count = read_u32();
  pools = calloc(pool_count + 1, sizeof *pools);
  for (uint32_t k = 0; k < pool_count; k++) {
    pools[k].dtype = (weft_dtype)read_u8();
    pools[k].count = read_u32();
    pools[k].data = take(pools[k].count * weft_dtype_size_bytes(pools[k].dtype));
  }
  for (uint32_t left = read_u32(); left > 0; left--) program->run(read_u8());
  program->finish();
  if (at != end) {
    printf("FAIL: something behind the last case\n");
    judge.failures++;
  }
  free(pools);
}

static long number_of_word(const char *word) {
  return strtol(word, NULL, 10);
}

int judge_main(int argc, char **argv, const judge_program *which) {
  size_t size;
  bool worst = false;
  program = which;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc < 2)
    return fprintf(stderr, "usage: %s FILE [--only NAME] [--every N [--phase K]] [--worst] [--all] [--partial]\n",
                   argv[0]),
           2;

  for (int k = 2; k < argc; k++) {
    const char *word = argv[k], *value = k + 1 < argc ? argv[k + 1] : NULL;
    if (strcmp(word, "--worst") == 0) worst = true;
    if (strcmp(word, "--all") == 0) show_all = true;
    if (strcmp(word, "--partial") == 0) judge.partial = true;
    if (strcmp(word, "--only") == 0 && value) judge.only = value;
    if (strcmp(word, "--every") == 0 && value) judge.every = number_of_word(value);
    if (strcmp(word, "--phase") == 0 && value) judge.phase = number_of_word(value);
  }
  int status = open_first();
  if (status) return status;
  uint8_t *bytes = read_file(argv[1], &size);
  if (!bytes) return EXIT_FAILURE;
  if (judge.every < 1) judge.every = 1;
  at = bytes;
  end = bytes + size;
  run_all();
  long kernels = 0;
  for (const weft__entry *entry = NULL; (entry = weft__store_next(&judge.context->store, entry));)
    kernels += entry->key.kind == WEFT__KIND_PROGRAM;
  if (weft_context_close(&judge.context)) fail("weft_context_close", "%s", weft_error_last()->message);
  free(bytes);
  if (worst) worst_print();
  printf("%ld calls with values (%ld elements); %ld refused as they must; %ld programs built; %ld failures\n",
         judge.cases, judge.elements, judge.refused, kernels, judge.failures);
  if (judge.cases == 0) printf("FAIL: nothing was run\n");
  return judge.failures || judge.cases == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
